// SPDX-License-Identifier: GPL-2.0
/*
 * Repairing trees of rings: whatever fails, the nodes that are still connected form a tree again,
 * which the verifier accepts; and rings in which nothing has failed are not changed.
 */
#include <string.h>

#include "hc_ring_repair.h"
#include "ring_test.h"
#include "topo_both.h"

#define N NET_MAX

/* Memory for the repaired tree, and the places of all nodes in the old tree. */
struct repair {
	struct hc_ring_repair_args m;
	struct hc_ring_places places;
	uint32_t first[N + 1];
	uint32_t place[2 * N];
	uint16_t ring_of[2 * N];
	uint32_t begin[N];
	uint32_t alive[N / 32];
	struct hc_ring ring[N];
	uint16_t node[2 * N];
	uint16_t home[N];
	uint16_t order[N];
	uint16_t count[N];
	uint16_t queue[N];
};

static void repair_init(struct repair *k, const struct hc_ring_tree *t, const struct hc_faults *f)
{
	k->places = (struct hc_ring_places){ k->first, k->place, k->ring_of, k->begin };
	hc_ring_places_fill(&k->places, t, hc_nodes(f->dim));
	k->m = (struct hc_ring_repair_args){
		.topo = topo_both(f->dim, rnd(2)), .fault = f->fault, .alive = k->alive, .old = t,
		.places = &k->places, .ring = k->ring, .node = k->node, .home = k->home,
		.order = k->order, .count = k->count, .queue = k->queue,
	};
}

/* Mark the nodes that healthy links connect with @u as alive. Return: their number. */
static unsigned int reach(struct repair *k, const struct hc_faults *f, unsigned int u)
{
	unsigned int n = 1, v, d;
	bool more = true;

	memset(k->alive, 0, sizeof(k->alive));
	hc_set_add(k->alive, u);
	while (more) {
		more = false;
		for (v = 0; v < hc_nodes(f->dim); v++)
			for (d = 0; d < f->dim; d++) {
				unsigned int w = v ^ 1u << d;

				if (!hc_set_has(k->alive, v) || hc_set_has(k->alive, w) ||
				    (f->fault[v] | f->fault[w]) & hc_bit(d))
					continue;
				hc_set_add(k->alive, w);
				n++;
				more = true;
			}
	}
	return n;
}

/* Does the tree have a ring with exactly these @size nodes in this order? */
static bool keeps(const struct hc_ring_tree *t, const uint16_t *node, uint32_t size)
{
	uint32_t r, at = 0;

	for (r = 0; r < t->nrings; at += t->ring[r++].size)
		if (t->ring[r].size == size &&
		    !memcmp(&t->node[at], node, size * sizeof(*node)))
			return true;
	return false;
}

/* Return: true if all nodes of the ring are alive and all links between consecutive ones healthy.
 */
static bool untouched(const struct repair *k, const uint16_t *node, uint32_t size,
		      const struct hc_ring_net *net)
{
	uint32_t i;

	for (i = 0; i < size; i++)
		if (!hc_set_has(k->alive, node[i]) ||
		    (i && !net->linked(net, node[i - 1], node[i])))
			return false;
	return true;
}

/* Repair the tree for the component of @u, and check the result. Of the rings in which nothing has
 * failed, the number of those that were not changed is added to *kept, that of the others to *lost.
 */
static bool repairs(struct repair *k, const struct hc_ring_tree *t, const struct hc_faults *f,
		    unsigned int u, unsigned int *kept, unsigned int *lost)
{
	const struct hc_ring_net net = hc_ring_cube(f->dim, f->fault);
	unsigned int alive, members = 0, v;
	uint32_t r, at = 0;
	uint16_t home[N];

	repair_init(k, t, f);
	alive = reach(k, f, u);
	CHECK(!hc_ring_repair(&k->m));
	CHECK(!hc_ring_check(&k->m.t, &net, home, NULL));
	CHECK(!memcmp(home, k->home, hc_nodes(f->dim) * sizeof(*home)));
	for (v = 0; v < hc_nodes(f->dim); v++) {
		CHECK((home[v] != HC_RING_NONE) == hc_set_has(k->alive, v));
		members += home[v] != HC_RING_NONE;
	}
	CHECK(members == alive);
	for (r = 0; r < t->nrings; at += t->ring[r++].size) {
		if (!untouched(k, &t->node[at], t->ring[r].size, &net))
			continue;
		if (keeps(&k->m.t, &t->node[at], t->ring[r].size))
			++*kept;
		else
			++*lost;
	}
	return true;
}

/* Fail random links of a random node: often none, at times several. */
static void strike(struct hc_faults *f)
{
	uint32_t u = rnd(hc_nodes(f->dim)), d;

	for (d = 0; d < f->dim; d++)
		if (rnd(2) ? d == rnd(f->dim) : !rnd(12)) {
			f->fault[u] |= hc_bit(d);
			f->fault[u ^ hc_bit(d)] |= hc_bit(d);
		}
}

TEST(repair_gives_valid_tree_and_keeps_rings_without_faults)
{
	unsigned int round, i, kept = 0, lost = 0, dim;
	struct hc_ring_plan p;
	struct hc_faults *f;
	struct hc_graph *g;
	struct repair k;

	for (round = 0; round < 1500; round++) {
		dim = 2 + rnd(5);
		f = hc_faults_new(dim);
		for (i = rnd(4); i; i--)
			strike(f);
		g = hc_graph_left(f);
		if (!hc_plan_ring(g, f, 1 + round % 2, round % 2 ? 2 + rnd(6) : 0, &p)) {
			for (i = 0; i < 8; i++) {
				strike(f);
				ASSERT_TRUE(repairs(&k, &p.tree, f, rnd(hc_nodes(dim)), &kept,
						    &lost));
			}
			hc_ring_plan_free(&p);
		}
		hc_graph_free(g);
		hc_faults_free(f);
	}
	printf("# %u rings stayed as they were\n", kept);
	ASSERT_TRUE(kept > 5000);
	ASSERT_TRUE(!lost);
}

static const struct hc_ring gray_ring[] = { { 8, 0, HC_RING_NONE } };
static const uint16_t gray_node[] = { 0, 1, 3, 2, 6, 7, 5, 4 };

/* If one link or one node of a single ring has failed, the result is a single ring in the old
 * order.
 */
TEST(single_ring_with_one_fault_remains_one_ring_in_old_order)
{
	const struct hc_ring_tree t = { 1, 8, gray_ring, gray_node };
	struct hc_faults *f = hc_faults_new(3);
	unsigned int i, j, d, none = 0;
	struct repair k;

	for (i = 0; i < 8; i++) {
		unsigned int u = gray_node[i], v = gray_node[(i + 1) % 8];

		memset(f->fault, 0, 8 * sizeof(*f->fault));
		f->fault[u] = u ^ v;
		f->fault[v] = u ^ v;
		ASSERT_TRUE(repairs(&k, &t, f, 0, &none, &none));
		ASSERT_TRUE(k.m.t.nrings == 1);
		/* A ring need not be closed, so the new one is the old one without the failed link.
		 */
		for (j = 0; j < 8; j++)
			ASSERT_TRUE(k.node[j] == gray_node[(i + 1 + j) % 8]);
		memset(f->fault, 0, 8 * sizeof(*f->fault));
		f->fault[u] = 7;
		for (d = 0; d < 3; d++)
			f->fault[u ^ 1u << d] = 1u << d;
		ASSERT_TRUE(repairs(&k, &t, f, v, &none, &none));
		ASSERT_TRUE(k.m.t.nrings == 1 && k.m.t.nnodes == 7);
		for (j = 0; j < 7; j++)
			ASSERT_TRUE(k.node[j] == gray_node[(i + 1 + j) % 8]);
	}
	hc_faults_free(f);
}

TEST(repair_of_disconnected_live_nodes_is_refused)
{
	const struct hc_ring_tree t = { 1, 8, gray_ring, gray_node };
	struct hc_faults *f = hc_faults_new(3);
	unsigned int u;
	struct repair k;

	for (u = 0; u < 8; u++)
		f->fault[u] = 1;
	repair_init(&k, &t, f);
	k.alive[0] = 0xff;
	ASSERT_TRUE(hc_ring_repair(&k.m) == -EINVAL);
	k.alive[0] = 0x55;
	ASSERT_TRUE(!hc_ring_repair(&k.m));
	k.alive[0] = 0x01;
	ASSERT_TRUE(!hc_ring_repair(&k.m));
	ASSERT_TRUE(k.m.t.nrings == 1 && k.m.t.nnodes == 1);
	hc_faults_free(f);
}
