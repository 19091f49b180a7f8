// SPDX-License-Identifier: GPL-2.0
/*
 * Breadth-first search by sets, compared with one that uses a queue: it finds the same distances
 * from each root, and a first hop of a shortest path. Also the complete paths of detours.
 */
#include <stdlib.h>
#include <string.h>

#include "hc_bfs.h"
#include "hc_way.h"
#include "plan_test.h"
#include "topo_both.h"

#define DIM	12
#define NODES	(1u << DIM)

static unsigned int dim, fault[NODES];
static uint16_t far[NODES], dist[NODES];
static uint8_t hop[NODES];

/* Return: true if neither end of link (@u, @d) reports the link as faulty. */
static bool good(unsigned int u, unsigned int d)
{
	return !((fault[u] | fault[u ^ 1u << d]) >> d & 1);
}

/* Search with a queue, and set far[] to the distance of each node. Return: number of nodes reached.
 */
static unsigned int naive(unsigned int root)
{
	static unsigned int queue[NODES];
	unsigned int head = 0, tail = 0, d;

	memset(far, 0xff, sizeof(far));
	far[root] = 0;
	queue[tail++] = root;
	for (; head < tail; head++)
		for (d = 0; d < dim; d++) {
			unsigned int u = queue[head], v = u ^ 1u << d;

			if (far[v] != HC_BFS_FAR || !good(u, d))
				continue;
			far[v] = far[u] + 1;
			queue[tail++] = v;
		}
	return tail;
}

/* Return: true if hc_way_find() finds a shortest path from @u to @root, and if the path leaves each
 * of its nodes by the lowest dimension that leads nearer to @root. far[] has the distances from
 * @root.
 */
static bool way_is_first(struct hc_bfs *b, unsigned int u, unsigned int root)
{
	static uint8_t way[NODES];
	unsigned int n = hc_way_find(b, u, root, way, dist), i, d;

	CHECK(n == (far[u] == HC_BFS_FAR ? 0 : far[u]));
	for (i = 0; i < n; i++) {
		for (d = 0; d < way[i]; d++)
			CHECK(!good(u, d) || far[u ^ 1u << d] >= far[u]);
		CHECK(way[i] < dim && good(u, way[i]));
		u ^= 1u << way[i];
	}
	CHECK(!n || u == root);
	return true;
}

/* Compare the searches from one root. */
static bool agrees_from(struct hc_bfs *b, unsigned int root)
{
	unsigned int u, n, hops = 0;

	n = naive(root);
	for (u = 0; u < 4; u++)
		CHECK(way_is_first(b, rnd(1u << dim), root));
	CHECK(hc_bfs_run(b, root, hop, dist) == n);
	for (u = 0; u < 1u << dim; u++)
		CHECK(dist[u] == far[u]);
	for (u = 0; u < n; u++) {
		CHECK(far[b->queue[u]] != HC_BFS_FAR);
		CHECK(!u || far[b->queue[u]] >= far[b->queue[u - 1]]);
	}
	/* From the node after the first hop the path is one hop shorter. */
	for (u = 0; u < 1u << dim; u++) {
		CHECK((hop[u] == HC_BFS_NO_HOP) == (u == root || far[u] == HC_BFS_FAR));
		hops += hop[u] != HC_BFS_NO_HOP;
	}
	CHECK(hops == n - 1);
	for (u = 0; u < 1u << dim && n < 300; u++) {
		if (hop[u] == HC_BFS_NO_HOP)
			continue;
		CHECK(hop[u] < dim && good(root, hop[u]));
		naive(root ^ 1u << hop[u]);
		CHECK(far[u] + 1 == dist[u]);
	}
	return true;
}

/* Compare the searches from @roots roots in a cube with the faults in fault[]. */
static bool agrees(unsigned int roots, bool as_table)
{
	const struct hc_topo topo = topo_both(dim, as_table);
	size_t size = hc_bfs_room(&topo);
	struct hc_bfs b;
	unsigned int u, d, i;
	void *room = malloc(size);

	hc_bfs_init(&b, &topo, room);
	for (u = 0; u < 1u << dim; u++)
		hc_bfs_fault(&b, u, fault[u]);
	for (u = 0; u < 1u << dim; u++)
		for (d = 0; d < dim; d++)
			CHECK(hc_bfs_good(&b, u, d) == good(u, d));
	for (i = 0; i < roots; i++)
		CHECK(agrees_from(&b, roots < 1u << dim ? rnd(1u << dim) : i));
	free(room);
	return true;
}

TEST(bfs_by_sets_agrees_with_bfs_by_queue)
{
	unsigned int run, i;

	for (run = 0; run < 400; run++) {
		dim = run % (DIM + 1);
		memset(fault, 0, sizeof(fault));
		/* Make none, some or most of the links faulty. */
		for (i = rnd((dim << dim) + 1) * (run % 5) / 4; i; i--)
			fault[rnd(1u << dim)] |= 1u << rnd(dim);
		ASSERT_TRUE(agrees(dim < 6 ? 1u << dim : 3, rnd(2)));
	}
}

/* The longest path that is possible: only the links of the Gray code are healthy. */
TEST(bfs_follows_the_longest_possible_path)
{
	for (dim = 1; dim <= DIM; dim++) {
		unsigned int i;

		for (i = 0; i < 1u << dim; i++)
			fault[i] = (1u << dim) - 1;
		for (i = 0; i + 1 < 1u << dim; i++) {
			unsigned int u = i ^ i >> 1, v = (i + 1) ^ (i + 1) >> 1;

			fault[u] &= ~(u ^ v);
			fault[v] &= ~(u ^ v);
		}
		ASSERT_TRUE(naive(0) == 1u << dim);
		ASSERT_TRUE(agrees(dim < 4 ? 1u << dim : 3, false));
		ASSERT_TRUE(agrees(dim < 4 ? 1u << dim : 3, true));
	}
}
