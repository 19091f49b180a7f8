// SPDX-License-Identifier: GPL-2.0
/*
 * Broadcasts around every set of failed nodes and every pair of faulty links of a cube of eight
 * nodes, and around random faults of larger cubes: every member gets the message once, and the
 * source is notified that all have it, in as many steps as the simulation of the plan gives.
 *
 * Scheduling: shared long
 */
#include <string.h>

#include "cube.h"
#include "ktap.h"

#define PLAN 1

static unsigned int steps_planned(const struct cube *c)
{
	unsigned int u, most = 0;

	for (u = 0; u < c->nodes; u++)
		if (c->bcast.first[u] != HC_BCAST_NEVER && c->bcast.first[u] > most)
			most = c->bcast.first[u];
	return most;
}

/* Receive the record that must arrive at node @u within the time limit. *@v: set to its data.
 * Return: 0, or an error if the record is missing or wrong.
 */
static int expect(const struct cube *c, unsigned int u, uint64_t *v, struct hypercube_result *res)
{
	bool eor = false;
	ssize_t n;
	int tries;

	for (tries = 0; tries < 1000 * wait_secs(5); tries++) {
		n = shc_recv(c->fd[u], v, sizeof(*v), res, &eor, MSG_DONTWAIT);
		if (n != -EAGAIN)
			break;
		usleep(1000);
	}
	if (n < 0)
		return (int)n;
	return res->status ? res->status : eor ? 0 : -EMSGSIZE;
}

/* Return: true if nothing has arrived at node @u. */
static bool silent(const struct cube *c, unsigned int u)
{
	struct hypercube_result res;
	uint64_t v;
	bool eor;

	return shc_recv(c->fd[u], &v, sizeof(v), &res, &eor, MSG_DONTWAIT) == -EAGAIN;
}

/* Return: true if each member except the source has received @want, and no other node has received
 * a message.
 */
static bool received(const struct cube *c, uint64_t want)
{
	struct hypercube_result res;
	unsigned int u;
	uint64_t v;

	for (u = 0; u < c->nodes; u++) {
		if (u != c->bcast.bcast.source && hc_set_has(c->bcast.members, u)) {
			int err = expect(c, u, &v, &res);

			if (err || v != want || res.steps != c->bcast.first[u] ||
			    res.collective != HYPERCUBE_BCAST || res.bytes != sizeof(v)) {
				printf("# node %u: error %d, %u steps for %u\n", u, err,
				       res.steps, c->bcast.first[u]);
				return false;
			}
		}
		if (!silent(c, u)) {
			printf("# node %u has one more record\n", u);
			return false;
		}
	}
	return true;
}

/* Broadcast @v. Return: true if all members get it, in the expected number of steps, and no other
 * node gets it.
 */
static bool bcast(const struct cube *c, uint64_t v)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_BCAST, .flags = HYPERCUBE_F_NOTIFY,
		.bytes = sizeof(v), .cookie = v + 1,
	};
	unsigned int source = c->bcast.bcast.source;
	struct hypercube_result res;
	uint64_t none;
	int err;

	if (shc_send(c->fd[source], &op, &v, sizeof(v), 0) != sizeof(v))
		return false;
	err = expect(c, source, &none, &res);
	if (err || res.cookie != v + 1 || res.steps != steps_planned(c)) {
		printf("# source %u: error %d, %u steps for %u\n", source, err, res.steps,
		       steps_planned(c));
		return false;
	}
	return received(c, v);
}

static void faults_print(const struct cube *c)
{
	unsigned int u;

	printf("# source %u, FAULT words:", c->bcast.bcast.source);
	for (u = 0; u < c->nodes; u++)
		printf(" %x", c->faults->fault[u]);
	printf("\n");
}

/* Make a plan around the current faults with @method, and run one broadcast from @source on it.
 * Return: true if all members get the message.
 */
static bool around(struct cube *c, uint32_t source, enum hc_bcast_method method)
{
	int err = cube_bcast_plan(c, PLAN, source, method);

	if (err == -ENOLINK)	/* the source is isolated */
		return true;
	/* Remove the plan before the next faults are set. Otherwise these faults would break the
	 * plan, and members that they cut off from the source would get a record for a message that
	 * the source may have begun.
	 */
	if (!err && bcast(c, rnd() >> 1))
		return !ctl_plan_del(c->name, PLAN);
	printf("# error %d\n", err);
	faults_print(c);
	return false;
}

TEST(broadcast_is_complete_for_every_set_of_failed_nodes_of_eight)
{
	struct cube c;
	unsigned int set, u;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	for (set = 0; set < 128; set += stride()) {
		ASSERT_EQ(0, cube_heal(&c));
		for (u = 1; u < 8; u++)
			if (set >> (u - 1) & 1)
				ASSERT_EQ(0, cube_fail_node(&c, u));
		EXPECT_TRUE(around(&c, 0, set & 1 ? HC_BCAST_GENERAL : HC_BCAST_MINIMAL));
	}
	EXPECT_EQ(0, cube_del(&c));
}

TEST(broadcast_is_complete_for_every_two_faulty_links_of_eight)
{
	unsigned int i, k, node, dim;
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	for (i = 0; i < 12; i++)
		for (k = i; k < 12; k += stride()) {
			ASSERT_EQ(0, cube_heal(&c));
			cube_link(&c, i, &node, &dim);
			ASSERT_EQ(0, cube_fail_link(&c, node, dim));
			cube_link(&c, k, &node, &dim);
			ASSERT_EQ(0, cube_fail_link(&c, node, dim));
			EXPECT_TRUE(around(&c, below(8), HC_BCAST_GENERAL));
		}
	EXPECT_EQ(0, cube_del(&c));
}

/* Theorem 1 of Chang and Bhuyan: a broadcast takes n or n + 1 steps around up to n - 1 failed
 * nodes, in a cube of dimension n = @dim.
 */
static void theorem(struct __test_metadata *_metadata, unsigned int dim, unsigned int rounds)
{
	unsigned int i, k;
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, dim, 0));
	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, cube_heal(&c));
		for (k = below(dim); k; k--)
			ASSERT_EQ(0, cube_fail_node(&c, 1 + below(c.nodes - 1)));
		EXPECT_TRUE(around(&c, 0, HC_BCAST_BROADCAST1));
		EXPECT_GE(dim + 1, c.bcast.bcast.steps);
	}
	EXPECT_EQ(0, cube_del(&c));
}

TEST(fewer_than_n_failed_nodes_cost_broadcast_at_most_one_step)
{
	theorem(_metadata, 4, scaled(100));
	theorem(_metadata, 5, scaled(100));
	theorem(_metadata, 6, scaled(100));
}

TEST(broadcast_is_complete_around_random_faults_of_16_and_32_nodes)
{
	unsigned int round, dim, k, node, d;
	struct cube c;

	for (dim = 4; dim <= 5; dim++) {
		ASSERT_EQ(0, cube_bound(&c, dim, 0));
		for (round = 0; round < scaled(60); round++) {
			ASSERT_EQ(0, cube_heal(&c));
			for (k = below(2 * dim); k; k--)
				ASSERT_EQ(0, cube_fail_node(&c, 1 + below(c.nodes - 1)));
			for (k = below(3 * dim); k; k--) {
				cube_link(&c, below(dim * c.nodes / 2), &node, &d);
				ASSERT_EQ(0, cube_fail_link(&c, node, d));
			}
			EXPECT_TRUE(around(&c, 0, HC_BCAST_GENERAL));
		}
		EXPECT_EQ(0, cube_del(&c));
	}
}

/* The kernel simulates a plan before it accepts it, and names the member that the plan does not
 * reach.
 */
TEST(plan_that_misses_a_member_is_refused_naming_the_member)
{
	static const uint8_t sequence[] = { 0, 1 };
	struct hc_bcast b = {
		.topo = hc_topo_cube(3), .steps = 2, .source = 0, .sequence = sequence,
	};
	uint32_t all = 0xff;
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	b.members = &all;
	EXPECT_EQ(-EINVAL, ctl_bcast_new(c.name, PLAN, &b, c.faults->fault));
	EXPECT_EQ(0, strcmp("the message does not reach a member: node 4", ctl()->extack));
	all = 0x0f;
	EXPECT_EQ(0, ctl_bcast_new(c.name, PLAN, &b, c.faults->fault));
	b.source = 5;
	EXPECT_EQ(-EINVAL, ctl_bcast_new(c.name, PLAN, &b, c.faults->fault));
	ASSERT_EQ(0, cube_fail_node(&c, 1));
	b.source = 0;
	EXPECT_EQ(-EINVAL, ctl_bcast_new(c.name, PLAN, &b, c.faults->fault));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
