// SPDX-License-Identifier: GPL-2.0
/*
 * Node-disjoint paths: the planner finds as many as exist. By Menger's theorem that is the least
 * number of nodes whose removal disconnects the destination; the test finds this number by trying
 * all sets of one node, of two nodes, and so on.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "hc_disjoint.h"
#include "plan_test.h"
#include "topo_both.h"

#define DIM	5
#define N	(1 << DIM)

/* The source and the destination of paths, in a cube with faults. */
struct cut {
	unsigned int dim;
	const __u16 *fault;
	__u32 src;
	__u32 dst;
	/* for each node, the neighbours that healthy links join with it */
	__u32 near[N];
};

/* Return: the cube with these faults, and with this source and destination. */
static struct cut cut_of(unsigned int dim, const __u16 *fault, __u32 src, __u32 dst)
{
	struct cut c = { .dim = dim, .fault = fault, .src = src, .dst = dst };
	unsigned int d;
	__u32 u, v;

	for (u = 0; u < hc_nodes(dim); u++)
		for (d = 0; d < dim; d++) {
			v = hc_neigh(u, d);
			if (!((fault[u] | fault[v]) & hc_bit(d)))
				c.near[u] |= hc_bit(v);
		}
	return c;
}

/* Can the destination be reached over healthy links without the nodes in @gone? A link that joins
 * source and destination does not count.
 */
static bool reached(const struct cut *c, __u32 gone)
{
	__u32 seen = hc_bit(c->src), level = c->near[c->src] & ~hc_bit(c->dst) & ~gone, u;

	while (level) {
		u = (__u32)__builtin_ctz(level);
		seen |= hc_bit(u);
		level = (level | c->near[u]) & ~(gone | seen);
	}
	return seen >> c->dst & 1;
}

/* Can the removal of at most @left nodes, none below @first, disconnect the destination if the
 * nodes in @gone are removed already?
 */
static bool cuts(const struct cut *c, __u32 gone, unsigned int left, __u32 first)
{
	__u32 u;

	if (!reached(c, gone))
		return true;
	for (u = first; left && u < hc_nodes(c->dim); u++)
		if (u != c->src && u != c->dst && cuts(c, gone | hc_bit(u), left - 1, u + 1))
			return true;
	return false;
}

/* Return: the number of disjoint paths by Menger's theorem. */
static unsigned int menger(unsigned int dim, const __u16 *fault, __u32 src, __u32 dst)
{
	const struct cut c = cut_of(dim, fault, src, dst);
	__u32 way = src ^ dst;
	unsigned int direct = hc_weight32(way) == 1 && !((fault[src] | fault[dst]) & way), n;

	for (n = 0; !cuts(&c, 0, n, 0); n++)
		;
	return n + direct;
}

/* Return: true if all links of the paths are healthy. */
static bool paths_good(const struct cut *c, const struct hc_path_dims *p, unsigned int n)
{
	unsigned int i, j;

	for (i = 0; i < n; i++) {
		__u32 u = c->src;

		for (j = 0; j < p[i].hops; j++) {
			if ((c->fault[u] | c->fault[hc_neigh(u, p[i].dim[j])]) &
			    hc_bit(p[i].dim[j]))
				return false;
			u = hc_neigh(u, p[i].dim[j]);
		}
	}
	return true;
}

/* Return: true if the paths end at the destination and are disjoint. Counts how many paths each
 * node is on; no code of hc_disjoint_check() is used.
 */
static bool paths_apart(const struct cut *c, const struct hc_path_dims *p, unsigned int n)
{
	unsigned int times[N] = { 0 }, links = 0, i, j;
	__u32 u;

	for (i = 0; i < n; i++) {
		u = c->src;
		for (j = 0; j < p[i].hops; j++) {
			u ^= 1u << p[i].dim[j];
			times[u]++;
		}
		if (u != c->dst)
			return false;
		links += p[i].hops == 1;
	}
	for (u = 0; u < N; u++)
		if (times[u] > (u == c->src ? 0 : u == c->dst ? n : 1))
			return false;
	return links <= 1;
}

/* Check the paths that are found between two nodes: at least @least and, if @brute, as many as
 * exist.
 */
static bool pair_right(struct hc_disjoint *g, const __u16 *fault, __u32 src, __u32 dst,
		       unsigned int least, bool brute)
{
	const unsigned int dim = g->topo.ports;
	const struct cut c = cut_of(dim, fault, src, dst);
	struct hc_path_dims p[DIM];
	__u32 set[1];
	unsigned int k, n, most;

	g->fault = fault;
	most = hc_disjoint_find(g, src, dst, dim, p);
	CHECK(most >= least);
	CHECK(!brute || most == menger(dim, fault, src, dst));
	for (k = 1; k <= dim; k++) {
		n = hc_disjoint_find(g, src, dst, k, p);
		CHECK(n == (k < most ? k : most));
		CHECK(paths_good(&c, p, n) && paths_apart(&c, p, n));
		CHECK(hc_disjoint_check(&g->topo, src, dst, p, n, set));
	}
	return true;
}

static void node_fails(__u16 *fault, unsigned int dim, __u32 u)
{
	unsigned int d;

	for (d = 0; d < dim; d++) {
		fault[u] |= 1u << d;
		fault[u ^ 1u << d] |= 1u << d;
	}
}

/* Fill @fault with @f random faults: links, and nodes other than @src and @dst. */
static void faults_fill(__u16 *fault, unsigned int dim, __u32 src, __u32 dst, unsigned int f)
{
	memset(fault, 0, N * sizeof(*fault));
	while (f--) {
		__u32 u = rnd(1 << dim);
		unsigned int d = rnd(dim);

		if (rnd(2) && u != src && u != dst)
			node_fails(fault, dim, u);
		else
			/* One end of the link may not know of the fault yet. */
			fault[rnd(2) ? u : u ^ 1u << d] |= 1u << d;
	}
}

/* Check the paths between all pairs of nodes of a cube, with up to dim - 1 random faults. */
static bool all_pairs(unsigned int dim, bool as_table)
{
	const struct hc_topo topo = topo_both(dim, as_table);
	struct hc_disjoint g;
	void *room = malloc(hc_disjoint_room(&topo));
	__u16 fault[N];
	unsigned int f, i;
	bool right = room;
	__u32 u, v;

	hc_disjoint_init(&g, &topo, room);
	for (u = 0; u < hc_nodes(dim) && right; u++)
		for (v = 0; v < hc_nodes(dim) && right; v++)
			for (f = 0; u != v && f < dim && right; f++)
				for (i = 0; i < (f ? 4 : 1) && right; i++) {
					faults_fill(fault, dim, u, v, f);
					right = pair_right(&g, fault, u, v, dim - f, dim < 5);
				}
	free(room);
	return right;
}

TEST(planner_finds_n_disjoint_paths_less_one_for_each_fault)
{
	unsigned int dim;

	for (dim = 1; dim <= DIM; dim++) {
		EXPECT_TRUE(all_pairs(dim, false));
		EXPECT_TRUE(all_pairs(dim, true));
	}
}

/* With n or more faults there may be more disjoint paths than rotations without faults (see
 * hc_disjoint.c).
 */
TEST(planner_finds_all_disjoint_paths_that_exist_among_many_faults)
{
	struct hc_disjoint g;
	__u16 fault[N];
	unsigned int i, dim;
	struct hc_topo topo = topo_both(DIM, false);
	void *room = malloc(hc_disjoint_room(&topo));

	ASSERT_TRUE(room);
	for (i = 0; i < 3000; i++) {
		__u32 u, v;

		dim = 3 + rnd(3);
		u = rnd(1 << dim);
		v = (u + 1 + rnd((1 << dim) - 1)) % (1 << dim);
		topo = topo_both(dim, i % 2);
		hc_disjoint_init(&g, &topo, room);
		faults_fill(fault, dim, u, v, 1 + rnd(3 * dim));
		if (!pair_right(&g, fault, u, v, 0, true)) {
			EXPECT_EQ(-1, (int)i);
			break;
		}
	}
	free(room);
}

TEST(paths_that_are_wrong_or_not_disjoint_are_refused)
{
	static const struct {
		struct hc_path_dims p[2];
	} wrong[] = {
		{ { { 2, { 0, 1 } }, { 2, { 0, 1 } } } },
		{ { { 2, { 0, 1 } }, { 2, { 1, 1 } } } },
		{ { { 2, { 0, 1 } }, { 0, { 0 } } } },
		{ { { 2, { 0, 1 } }, { 2, { 1, 3 } } } },
		{ { { 2, { 0, 1 } }, { 4, { 2, 2, 1, 0 } } } },
		{ { { 2, { 0, 1 } }, { 4, { 1, 0, 2, 2 } } } },
		{ { { 2, { 0, 1 } }, { 65, { 1, 0 } } } },
		{ { { 2, { 0, 1 } }, { 4, { 1, 2, 0, 1 } } } },
	};
	const struct hc_path_dims right[] = { { 2, { 0, 1 } }, { 4, { 2, 1, 0, 2 } } };
	const struct hc_path_dims link[] = { { 1, { 0 } }, { 1, { 0 } } };
	const struct hc_topo cube = topo_both(3, false);
	__u32 set[1];
	unsigned int i;

	EXPECT_TRUE(hc_disjoint_check(&cube, 0, 3, right, 2, set));
	EXPECT_TRUE(hc_disjoint_check(&cube, 0, 1, link, 1, set));
	EXPECT_FALSE(hc_disjoint_check(&cube, 0, 1, link, 2, set));
	EXPECT_FALSE(hc_disjoint_check(&cube, 3, 3, right, 2, set));
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		EXPECT_FALSE(hc_disjoint_check(&cube, 0, 3, wrong[i].p, 2, set));
}
