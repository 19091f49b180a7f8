// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ring.h"
#include "rings.h"

/* --- plans --- */

static void rings_begin(struct rings *r)
{
	r->tree = (struct hc_ring_tree){ .ring = r->ring, .node = r->node };
	r->repair = false;
}

/* Add a ring to the tree. Its @size nodes are already the last ones in the tree's array. */
static void ring_end(struct rings *r, unsigned int size, unsigned int level, unsigned int parent)
{
	r->ring[r->tree.nrings++] = (struct hc_ring){
		.size = size, .level = (uint16_t)level, .parent = (uint16_t)parent,
	};
}

void rings_one(struct rings *r, const uint16_t *node, unsigned int n)
{
	rings_begin(r);
	memcpy(r->node, node, n * sizeof(*node));
	r->tree.nnodes = n;
	ring_end(r, n, 0, HC_RING_NONE);
}

void rings_gray(struct rings *r, unsigned int dim)
{
	uint16_t node[CUBE_MAX];
	unsigned int i;

	for (i = 0; i < hc_nodes(dim); i++)
		node[i] = (uint16_t)(i ^ i >> 1);
	rings_one(r, node, hc_nodes(dim));
}

/* Return: a random neighbour of @u that is in no ring and has a healthy link to @u; -1 if there is
 * none. @home: the ring in which each node is, or HC_RING_NONE.
 */
static int fresh(const struct cube *c, const uint16_t *home, unsigned int u)
{
	unsigned int d, found = 0;
	int v = -1;

	for (d = 0; d < c->dim; d++)
		if (!(c->faults->fault[u] & hc_bit(d)) && home[u ^ hc_bit(d)] == HC_RING_NONE &&
		    !below(++found))
			v = (int)(u ^ hc_bit(d));
	return v;
}

/* Add a ring of at most @width nodes: a random walk that begins at node @u, which is in the tree,
 * and continues over nodes that are in no ring.
 */
static void ring_grow(struct rings *r, const struct cube *c, uint16_t *home, unsigned int u,
		      unsigned int width)
{
	unsigned int index = r->tree.nrings, parent = home[u], size = 0;
	bool first = !index;
	int v = (int)u;

	home[u] = first ? 0 : home[u];
	while (v >= 0) {
		if (size)
			home[v] = (uint16_t)index;
		r->node[r->tree.nnodes + size++] = (uint16_t)v;
		v = size < width ? fresh(c, home, (unsigned int)v) : -1;
	}
	r->tree.nnodes += size;
	ring_end(r, size, first ? 0 : r->ring[parent].level + below(2),
		 first ? HC_RING_NONE : parent);
}

void rings_random(struct rings *r, const struct cube *c, unsigned int start, unsigned int width)
{
	uint16_t home[CUBE_MAX];
	unsigned int u, from;
	bool grown = true;

	memset(home, 0xff, sizeof(home));
	rings_begin(r);
	ring_grow(r, c, home, start, width);
	while (grown) {
		grown = false;
		from = below(c->nodes);
		for (u = 0; u < c->nodes; u++) {
			unsigned int v = (u + from) % c->nodes;

			if (home[v] == HC_RING_NONE || fresh(c, home, v) < 0)
				continue;
			ring_grow(r, c, home, v, width);
			grown = true;
			break;
		}
	}
}

/* Make the nodes of @r the members of the cube's tree plan: functions that need the members of the
 * current plan read them there.
 */
static int members_take(struct cube *c, const struct rings *r)
{
	unsigned int i;

	if (c->planned)
		hc_tree_plan_free(&c->plan);
	memset(&c->plan, 0, sizeof(c->plan));
	c->plan.members = calloc(hc_set_words(c->dim), sizeof(uint32_t));
	c->planned = c->plan.members;
	if (!c->planned)
		return -ENOMEM;
	for (i = 0; i < r->tree.nnodes; i++)
		hc_set_add(c->plan.members, r->node[i]);
	c->plan.tree.members = c->plan.members;
	return 0;
}

int cube_rings(struct cube *c, unsigned int id, const struct rings *r)
{
	uint64_t end = deadline(5);
	int err = members_take(c, r);

	while (!err) {
		err = (r->repair ? ctl_ring_repair : ctl_ring_new)(c->name, id, &r->tree,
								   c->faults->fault, c->dim);
		if (err != -ESTALE || now_ms() > end)
			break;
		usleep(1000);
		err = 0;
	}
	if (err)
		printf("# plan refused: %s\n", ctl()->extack);
	return err;
}

static void rings_copy(struct rings *r, const struct hc_ring_tree *t)
{
	memcpy(r->ring, t->ring, t->nrings * sizeof(*t->ring));
	memcpy(r->node, t->node, t->nnodes * sizeof(*t->node));
	r->repair = false;
	r->tree = (struct hc_ring_tree){ t->nrings, t->nnodes, r->ring, r->node };
}

int cube_rings_around(struct cube *c, unsigned int id, uint64_t without)
{
	struct hc_faults *f = hc_faults_copy(c->faults);
	struct hc_ring_plan plan;
	struct hc_graph *g;
	struct rings r;
	unsigned int u;
	int err;

	for (u = 0; f && u < c->nodes; u++)
		if (without >> u & 1)
			hc_faults_node(f, u);
	g = f ? hc_graph_left(f) : NULL;
	err = g ? hc_plan_ring(g, f, HC_RING_AUTO, 0, &plan) : -ENOMEM;
	if (!err) {
		rings_copy(&r, &plan.tree);
		hc_ring_plan_free(&plan);
		err = cube_rings(c, id, &r);
	}
	hc_graph_free(g);
	hc_faults_free(f);
	return err;
}

int cube_rings_ready(struct cube *c, unsigned int id, unsigned int dim, unsigned int segment)
{
	struct rings r;
	int err = cube_new(c, dim, segment);

	rings_gray(&r, dim);
	if (!err)
		err = cube_rings(c, id, &r);
	return err ? err : cube_bind_all(c);
}

/* --- allgathers --- */

void block_fill(unsigned char *to, size_t bytes, unsigned int k, unsigned int u, unsigned int v)
{
	uint64_t x = ((uint64_t)k << 32 | u << 16 | v) * 0x9e3779b97f4a7c15 ^ ~0ull << 63;
	size_t i, n;

	for (i = 0; i < bytes; i += n) {
		n = bytes - i < sizeof(x) ? bytes - i : sizeof(x);
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(to + i, &x, n);
	}
}

void gather_fill(struct party *p, const unsigned int *node, unsigned int n, unsigned int k,
		 unsigned int id, size_t bytes, bool notify)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct job *j = &p[i].job[k];
		unsigned char *in = malloc(bytes + 1);

		block_fill(in, bytes, k, node[i], 0);
		j->op = (struct hypercube_op){
			.plan = id, .collective = HYPERCUBE_ALLGATHER, .bytes = bytes,
			.flags = notify ? HYPERCUBE_F_NOTIFY : 0,
		};
		j->in = in;
		j->waits = true;
		j->room = n * bytes;
		j->out = calloc(j->room + 1, 1);
	}
}

bool gathered_right(const struct party *p, const unsigned int *node, unsigned int n,
		    unsigned int i, unsigned int k, size_t bytes, block_of_fn block)
{
	const struct job *j = &p[i].job[k];
	const unsigned char *out = j->out;
	unsigned int m;
	size_t b;

	if (j->ends != 1 || j->res.status || j->got != j->room || j->res.bytes != j->room) {
		printf("# operation %u at node %u: %u ends, refused %d, status %d, %zu of %zu bytes\n",
		       k, node[i], j->ends, j->refused, j->res.status, j->got, j->room);
		return false;
	}
	for (m = 0; m < n; m++, out += bytes) {
		const unsigned char *in = block(&p[m].job[k], i, bytes);

		if (!memcmp(out, in, bytes))
			continue;
		for (b = 0; out[b] == in[b];)
			b++;
		printf("# operation %u at node %u: byte %zu of %zu of node %u is wrong\n", k,
		       node[i], b, bytes, node[m]);
		return false;
	}
	return true;
}

static const unsigned char *block_for_all(const struct job *j,
					  unsigned int to __attribute__((unused)),
					  size_t bytes __attribute__((unused)))
{
	return j->in;
}

bool gather_right(const struct party *p, const unsigned int *node, unsigned int n, unsigned int i,
		  unsigned int k, size_t bytes)
{
	return gathered_right(p, node, n, i, k, bytes, block_for_all);
}

bool gather_run(const struct cube *c, unsigned int id, unsigned int njobs, size_t bytes,
		bool notify, struct rings_steps *steps)
{
	unsigned int node[CUBE_MAX], n, i, k;
	struct party p[CUBE_MAX];
	bool right = true;

	n = parties(c, p, node, njobs);
	for (k = 0; k < njobs; k++)
		gather_fill(p, node, n, k, id, bytes, notify);
	if (drive(p, n, 30)) {
		printf("# not all operations ended\n");
		ctl_op_print(c->name);
		right = false;
	}
	*steps = (struct rings_steps){ 0 };
	for (i = 0; i < n && right; i++) {
		const struct hypercube_result *res = &p[i].job[njobs - 1].res;

		for (k = 0; k < njobs && right; k++)
			right = gather_right(p, node, n, i, k, bytes);
		steps->steps = res->steps > steps->steps ? res->steps : steps->steps;
		steps->clock = res->clock > steps->clock ? res->clock : steps->clock;
	}
	parties_done(p, n, njobs);
	return right;
}
