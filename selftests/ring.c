// SPDX-License-Identifier: GPL-2.0
/*
 * Plans of rings: allgathers give every member the block of each member, once, in the order of the
 * nodes, in as many steps as a ring takes, also in trees of rings around faults.
 *
 * Scheduling: shared long
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "libhypercube.h"
#include "rings.h"

#define PLAN 1

/* Run an allgather of blocks of @bytes over one ring of @n members. If members request a
 * notification (@notify), a block goes round the whole ring and returns to its member after n
 * steps; otherwise it goes half round the ring in each direction. Return: true if results and
 * numbers of steps are right.
 */
static bool ring_takes(const struct cube *c, unsigned int n, size_t bytes, bool notify)
{
	unsigned int chunks = bytes ? (bytes + c->segment - 1) / c->segment : 1;
	unsigned int want = n < 2 ? 0 : chunks * (notify ? n : n / 2);
	struct rings_steps s;

	if (!gather_run(c, PLAN, 3, bytes, notify, &s))
		return false;
	if (s.steps == want && s.clock == want)
		return true;
	printf("# %u members, %zu bytes: %u steps, clock %u instead of %u\n", n, bytes, s.steps,
	       s.clock, want);
	return false;
}

TEST(ring_allgather_takes_n_steps_if_acknowledged_else_half)
{
	static const size_t sizes[] = { 0, 1, 8, 511, 513, 1024 };
	unsigned int dim, i;
	struct cube c;

	for (dim = 1; dim <= 6; dim++) {
		ASSERT_EQ(0, cube_rings_ready(&c, PLAN, dim, 1024));
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			EXPECT_TRUE(ring_takes(&c, c.nodes, sizes[i], false));
			EXPECT_TRUE(ring_takes(&c, c.nodes, sizes[i], true));
		}
		EXPECT_EQ(0, cube_del(&c));
	}
}

TEST(allgather_of_many_segments_gives_right_blocks_and_steps)
{
	const size_t sizes[] = { 1025, 2048, 5000, 70000, scaled(1 << 18) };
	struct cube c;
	unsigned int i;

	ASSERT_EQ(0, cube_rings_ready(&c, PLAN, 3, 1024));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT_TRUE(ring_takes(&c, 8, sizes[i], false));
		EXPECT_TRUE(ring_takes(&c, 8, sizes[i], true));
	}
	EXPECT_EQ(0, cube_del(&c));
	/* Use full segments. */
	ASSERT_EQ(0, cube_rings_ready(&c, PLAN, 4, 0));
	EXPECT_TRUE(ring_takes(&c, 16, 1 << 17, true));
	EXPECT_EQ(0, cube_del(&c));
}

/* Length of a block in bytes; a slow link takes about a second to send it. */
#define LONG	30000

static bool gather_begin(const struct cube *c)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLGATHER, .bytes = LONG,
	};
	static char own[LONG];
	unsigned int u;

	for (u = 0; u < c->nodes; u++) {
		memset(own, 'a' + (int)u, sizeof(own));
		if (shc_send(c->fd[u], &op, own, sizeof(own), 0) != LONG)
			return false;
	}
	return true;
}

/* Receive an operation's result at all members. Return: true if each gets the blocks of all
 * members.
 */
static bool gather_ended(const struct cube *c)
{
	static char all[4 * LONG];
	struct hypercube_result res = { 0 };
	unsigned int u, i;
	ssize_t n, some;
	bool eor;

	for (u = 0; u < c->nodes; u++) {
		memset(all, 0, sizeof(all));
		for (n = 0, eor = false; !eor; n += some) {
			some = readable(c->fd[u], 10) ?
			       shc_recv(c->fd[u], all, sizeof(all), &res, &eor, 0) : -ETIMEDOUT;
			if (some < 0)
				return false;
		}
		if (res.status || n != sizeof(all) || res.bytes != sizeof(all)) {
			printf("# node %u: status %d, %zd bytes\n", u, res.status, n);
			return false;
		}
		for (i = 0; i < sizeof(all); i++)
			if (all[i] != (char)('a' + i / LONG))
				return false;
	}
	return true;
}

/* Run allgathers with blocks of @bytes. Some members request notifications, so their blocks go
 * round the whole ring; the other blocks go half round it in each direction. Return: true if all
 * results are right.
 */
static bool mixed(const struct cube *c, size_t bytes)
{
	unsigned int node[CUBE_MAX], n, i, k, njobs = 6;
	struct party p[CUBE_MAX];
	bool right;

	n = parties(c, p, node, njobs);
	for (k = 0; k < njobs; k++) {
		gather_fill(p, node, n, k, PLAN, bytes, false);
		for (i = 0; i < n; i++)
			p[i].job[k].op.flags = below(2) ? HYPERCUBE_F_NOTIFY : 0;
	}
	right = !drive(p, n, wait_secs(20));
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs && right; k++)
			right = gather_right(p, node, n, i, k, bytes);
	parties_done(p, n, njobs);
	return right;
}

TEST(allgather_works_if_only_some_members_request_notification)
{
	static const size_t sizes[] = { 0, 8, 1024, 5000 };
	struct cube c;
	unsigned int dim, i;

	for (dim = 2; dim <= 5; dim++) {
		ASSERT_EQ(0, cube_rings_ready(&c, PLAN, dim, 1024));
		for (i = 0; i < scaled(20); i++)
			EXPECT_TRUE(mixed(&c, sizes[below(ARRAY_SIZE(sizes))]));
		EXPECT_EQ(0, cube_del(&c));
	}
}

/* One direction of a link is so slow that members probe their neighbours. These may have completed
 * the operation, and have nothing more to send.
 */
TEST(allgather_completes_over_link_slow_in_one_direction)
{
	static const struct impairments slow = { .delay = 1000000000, .rate = 32000 };
	struct cube c[8];
	unsigned int i;
	bool right[8];

	/* In each of eight cubes, another end of a link of the ring is slow. The operations run at
	 * the same time.
	 */
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, cube_rings_ready(&c[i], PLAN, 2, 0));
		ASSERT_EQ(0, ctl_link_impair(c[i].name, i / 2, i % 2, &slow));
	}
	for (i = 0; i < 8; i++)
		right[i] = gather_begin(&c[i]);
	for (i = 0; i < 8; i++) {
		EXPECT_TRUE(right[i]);
		EXPECT_TRUE(gather_ended(&c[i]));
		EXPECT_EQ(0, cube_del(&c[i]));
	}
}

/* Rings of six nodes, of two and of one do not contain the other nodes of the cube. */
TEST(allgather_works_on_rings_of_six_two_and_one_nodes)
{
	static const uint16_t six[] = { 0, 1, 3, 7, 6, 4 };
	static const uint16_t two[] = { 5, 7 };
	static const uint16_t one[] = { 2 };
	struct rings r;
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	rings_one(&r, six, ARRAY_SIZE(six));
	ASSERT_EQ(0, cube_rings(&c, PLAN, &r));
	EXPECT_TRUE(ring_takes(&c, 6, 100, true));
	rings_one(&r, two, ARRAY_SIZE(two));
	ASSERT_EQ(0, cube_rings(&c, PLAN, &r));
	EXPECT_TRUE(ring_takes(&c, 2, 100, true));
	rings_one(&r, one, ARRAY_SIZE(one));
	ASSERT_EQ(0, cube_rings(&c, PLAN, &r));
	EXPECT_TRUE(ring_takes(&c, 1, 100, false));
	EXPECT_TRUE(ring_takes(&c, 1, 100, true));
	EXPECT_EQ(0, cube_del(&c));
}

/* The ring is a path: its last node has no link to the first. Blocks that the last node sends to
 * the first go back along the path, which counts as one step.
 */
TEST(blocks_return_along_the_path_if_ring_is_not_closed)
{
	static const uint16_t path[] = { 0, 1, 3, 7, 5, 4, 6, 2 };
	struct rings_steps s;
	unsigned int n;
	struct rings r;
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	for (n = 3; n <= 7; n++) {
		if (n == 4 || n == 6)
			continue;
		rings_one(&r, path, n);
		ASSERT_EQ(0, cube_rings(&c, PLAN, &r));
		EXPECT_TRUE(gather_run(&c, PLAN, 3, 100, false, &s));
		EXPECT_EQ(n - 1, s.steps);
		EXPECT_TRUE(gather_run(&c, PLAN, 3, 70000, true, &s));
		EXPECT_EQ(3 * n, s.steps);
	}
	/* Blocks also go back along the path if the link from the last node to the first is down.
	 */
	ASSERT_EQ(0, cube_fail_link(&c, 0, 1));
	rings_one(&r, path, 8);
	ASSERT_EQ(0, cube_rings(&c, PLAN, &r));
	EXPECT_TRUE(gather_run(&c, PLAN, 3, 100, true, &s));
	EXPECT_EQ(8, s.steps);
	EXPECT_EQ(0, cube_del(&c));
}

/* Return: true if the plan is a single ring of more than two nodes whose last node has a healthy
 * link to the first node.
 */
static bool closed(const struct cube *c, const struct rings *r)
{
	const uint16_t *node = r->node;
	uint32_t apart = node[0] ^ node[r->tree.nnodes - 1];

	return r->tree.nrings == 1 && r->tree.nnodes > 2 && !(apart & (apart - 1)) &&
	       !(c->faults->fault[node[0]] & apart);
}

/* Make a random tree of rings around the current faults, and run allgathers on it. Return: true if
 * all results are right, and an allgather takes at least as many steps as blocks cross the link
 * that most blocks cross.
 */
static bool around(struct cube *c)
{
	static const unsigned int widths[] = { 2, 3, 5, 8, 16, 64 };
	unsigned int start = below(c->nodes), w = widths[below(ARRAY_SIZE(widths))], least;
	/* Long blocks are rare, since the results of all members together take much memory. */
	size_t bytes = below(3) ? 8 : below(4) || c->dim > 4 ? 600 : 70000;
	bool notify = below(2);
	struct rings_steps s;
	struct rings r;

	if (hc_set_has(c->faults->dead, start))
		return true;
	rings_random(&r, c, start, w);
	least = r.tree.nnodes - r.tree.nrings;
	if (closed(c, &r) && !notify)
		least = (least + 1) / 2;
	if (!cube_rings(c, PLAN, &r) &&
	    gather_run(c, PLAN, 3, bytes, notify, &s) &&
	    s.steps >= least + (notify && least))
		return true;
	printf("# from node %u, rings of %u, %u rings, %u steps\n", start, w, r.tree.nrings,
	       s.steps);
	return false;
}

TEST(allgather_works_on_random_trees_of_rings_of_2_to_64_nodes)
{
	unsigned int dim, i;
	struct cube c;

	for (dim = 1; dim <= 6; dim++) {
		ASSERT_EQ(0, cube_bound(&c, dim, 0));
		for (i = 0; i < scaled(dim < 5 ? 40 : 10); i++)
			EXPECT_TRUE(around(&c));
		EXPECT_EQ(0, cube_del(&c));
	}
}

TEST_NONE_WRONG(trees_of_rings_work_around_every_two_faulty_links_of_eight,
		cube_pairs_of_eight(around, stride()))
TEST_NONE_WRONG(trees_of_rings_work_around_random_faults_of_16_to_64_nodes,
		cube_random_to_64(around, scaled(20)))

/* All rings have two nodes, and one node in common, which relays all blocks. */
TEST(allgather_works_on_stars_of_two_node_rings)
{
	struct rings_steps s;
	struct rings r = {};
	unsigned int m, i;
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 6, 0));
	for (m = 2; m <= 6; m++) {
		r.tree = (struct hc_ring_tree){ m, 2 * m, r.ring, r.node };
		for (i = 0; i < m; i++) {
			r.ring[i] = (struct hc_ring){ 2, i ? 1 : 0, i ? 0 : HC_RING_NONE };
			r.node[2 * i] = 0;
			r.node[2 * i + 1] = 1 << i;
		}
		ASSERT_EQ(0, cube_rings(&c, PLAN, &r));
		EXPECT_TRUE(gather_run(&c, PLAN, 2, 100, false, &s));
		printf("# star of %u: %u steps", m + 1, s.steps);
		EXPECT_TRUE(gather_run(&c, PLAN, 2, 100, true, &s));
		printf(", acknowledged %u\n", s.steps);
	}
	EXPECT_EQ(0, cube_del(&c));
}

TEST(many_allgathers_in_flight_give_right_blocks)
{
	struct rings_steps s;
	struct rings r;
	struct cube c;

	ASSERT_EQ(0, cube_rings_ready(&c, PLAN, 4, 0));
	EXPECT_TRUE(gather_run(&c, PLAN, scaled(300), 8, false, &s));
	EXPECT_TRUE(gather_run(&c, PLAN, scaled(100), 8, true, &s));
	rings_random(&r, &c, 3, 4);
	ASSERT_EQ(0, cube_rings(&c, PLAN, &r));
	EXPECT_TRUE(gather_run(&c, PLAN, scaled(300), 8, false, &s));
	EXPECT_TRUE(gather_run(&c, PLAN, scaled(100), 8, true, &s));
	EXPECT_EQ(0, cube_del(&c));
}

/* If a result is longer than the buffer, its rest is lost, which MSG_TRUNC reports. */
TEST(result_longer_than_buffer_is_truncated)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLGATHER, .bytes = 8,
	};
	struct shc_named named;
	struct hypercube_result res;
	bool eor, truncated;
	uint64_t in, out[5];
	struct cube c;
	unsigned int u;
	ssize_t n;

	ASSERT_EQ(0, cube_rings_ready(&c, PLAN, 2, 0));
	for (u = 0; u < 4; u++) {
		in = 100 + u;
		ASSERT_EQ(8, shc_send(c.fd[u], &op, &in, 8, 0));
	}
	for (u = 0; u < 4; u++) {
		memset(out, 0, sizeof(out));
		for (n = 0, eor = false, truncated = false; !eor;) {
			ssize_t some;

			ASSERT_TRUE(readable(c.fd[u], 10));
			some = shc_recv_named(c.fd[u], out, u ? 32 : 20, &res, &eor, 0, &named);
			ASSERT_GE(some, 0);
			n += some;
			truncated |= named.truncated;
		}
		EXPECT_EQ(u ? 32 : 20, n);
		EXPECT_EQ(!u, truncated);
		EXPECT_EQ(32, res.bytes);
		EXPECT_EQ(0, res.status);
		EXPECT_EQ(101, out[1]);
		EXPECT_EQ(u ? 103 : 0, out[3]);
		EXPECT_EQ(0, out[4]);
	}
	EXPECT_EQ(0, cube_del(&c));
}

/* One process has all handles. When operations have been posted at all of them, they end without
 * further posts.
 */
TEST(library_puts_each_block_at_its_place_in_the_result)
{
	static const size_t sizes[] = { 0, 8, 5000 };
	struct hcl_params p = { .plan = PLAN, .collective = HYPERCUBE_ALLGATHER };
	unsigned int u, k, v;
	struct hcl *h[4];
	uint64_t id[4][6];
	char *in[4][6], *out[4][6];
	struct cube c;

	ASSERT_EQ(0, cube_rings_ready(&c, PLAN, 2, 1024));
	for (u = 0; u < 4; u++) {
		cube_close(&c, u);
		ASSERT_EQ(0, hcl_open(&h[u], c.name, u));
	}
	for (k = 0; k < 6; k++)
		for (u = 0; u < 4; u++) {
			size_t bytes = sizes[k % 3];

			p.flags = k & 1 ? HYPERCUBE_F_NOTIFY : 0;
			in[u][k] = malloc(bytes + 1);
			memset(in[u][k], (int)(16 * k + u + 1), bytes);
			out[u][k] = calloc(1, 4 * bytes + 1);
			/* At node 3, the buffer of the last operation is one byte too short for all
			 * blocks.
			 */
			ASSERT_EQ(0, hcl_post(h[u], &p, in[u][k], bytes, out[u][k],
					      4 * bytes - (k == 5 && u == 3), &id[u][k]));
		}
	for (u = 0; u < 4; u++)
		for (k = 0; k < 6; k++) {
			size_t bytes = sizes[k % 3];

			EXPECT_EQ(k == 5 && u == 3 ? -EMSGSIZE : 0, hcl_wait(h[u], id[u][k], NULL));
			for (v = 0; bytes && v < 4 - (u == 3); v++) {
				EXPECT_EQ(16 * k + v + 1, out[u][k][v * bytes]);
				EXPECT_EQ(16 * k + v + 1, out[u][k][v * bytes + bytes - 1]);
			}
			free(in[u][k]);
			free(out[u][k]);
		}
	for (u = 0; u < 4; u++)
		hcl_close(h[u]);
	EXPECT_EQ(0, cube_del(&c));
}

/* If a result does not fit its buffer, the blocks that arrive before the first one that does not
 * fit may be in the buffer.
 */
TEST(library_reports_emsgsize_if_result_exceeds_buffer)
{
	struct hcl_params p = { .plan = PLAN, .collective = HYPERCUBE_ALLGATHER };
	struct hcl *h[4];
	uint64_t id[4], in = 1, out[4][2];
	unsigned int u, k;
	struct cube c;

	ASSERT_EQ(0, cube_rings_ready(&c, PLAN, 2, 1024));
	for (u = 0; u < 4; u++) {
		cube_close(&c, u);
		ASSERT_EQ(0, hcl_open(&h[u], c.name, u));
	}
	for (k = 0; k < 50; k++) {
		for (u = 0; u < 4; u++)
			ASSERT_EQ(0, hcl_post(h[u], &p, &in, sizeof(in), u ? out[u] : NULL,
					      u ? sizeof(out[u]) : 0, &id[u]));
		for (u = 0; u < 4; u++)
			EXPECT_EQ(-EMSGSIZE, hcl_wait(h[u], id[u], NULL));
	}
	for (u = 0; u < 4; u++)
		hcl_close(h[u]);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
