// SPDX-License-Identifier: GPL-2.0
/*
 * Communicators: processes at some nodes of a fabric create, split, duplicate and free them, and
 * run collectives with any root over them, around nodes that are not members.
 *
 * Scheduling: shared
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cube.h"
#include "handles.h"
#include "ktap.h"
#include "libhypercube-comm.h"
#include "libhypercube-plan.h"

#define NAME	"comm"
#define DIM	4
#define ID	5
#define LONG	(1 << 20)
#define MANY	320

/* These members are not in the order of the nodes, and do not form a subcube. */
static const uint32_t some[] = { 12, 3, 0, 9, 6 };
#define SOME	5

/* The type of a function that a member runs in a test. Return: false if something is wrong. */
typedef bool (*part_fn)(struct hcl_comm *c);

#define WRONG(...) (printf("# " __VA_ARGS__), false)

static struct hcl_comm_group group_of(const uint32_t *nodes, uint32_t n)
{
	return (struct hcl_comm_group){
		.fabric = NAME, .nodes = nodes, .n = n, .plan = ID, .wait_ms = 20000,
	};
}

/* What the members of a communicator run in processes of their own. */
struct members {
	struct hcl_comm_group g;
	part_fn part;
};

static int member_run(void *arg, unsigned int i)
{
	const struct members *m = arg;
	uint32_t node = m->g.nodes[i];
	struct hcl_comm *c;
	char text[256];
	bool right;

	if (hcl_comm_create(&c, &m->g, node)) {
		printf("# node %u: %s\n", node, hcl_comm_explain(text, sizeof(text)));
		return 1;
	}
	hcl_set_timeout(hcl_comm_handle(c), 20000);
	right = m->part(c);
	hcl_comm_free(c);
	return !right;
}

/* Run @part in a process for each of the @n nodes @nodes. Return: number of processes that failed.
 */
static unsigned int together(const uint32_t *nodes, uint32_t n, part_fn part)
{
	struct members m = { group_of(nodes, n), part };

	return processes_failed(n, member_run, &m);
}

static bool fabric_new(void)
{
	return !unshare(CLONE_NEWNET) && !tool("fabric add " NAME " dim 4");
}

static bool no_plan_is_left(void)
{
	return !tool("-j plan show " NAME " | grep -qx '\\[\\]'");
}

/* Run an allreduce of 1 << node over the communicator. Return: the result, which is the set of its
 * members; 0 on an error.
 */
static uint64_t set_of(struct hcl_comm *c)
{
	const struct hcl_params p = {
		.plan = hcl_comm_plan(c), .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
	};
	uint64_t in = UINT64_C(1) << hcl_comm_node(c, hcl_comm_rank(c)), out = 0;

	if (hcl_allreduce(hcl_comm_handle(c), &p, &in, sizeof(in), &out, sizeof(out), NULL))
		return 0;
	return out;
}

static uint64_t set_expected(const uint32_t *nodes, uint32_t n)
{
	uint64_t set = 0;

	while (n--)
		set |= UINT64_C(1) << nodes[n];
	return set;
}

/* --- tests --- */

static bool all_roots(struct hcl_comm *c)
{
	uint32_t blocks[SOME], mine = hcl_comm_node(c, hcl_comm_rank(c)) + 100, r;
	char text[16];

	if (hcl_comm_size(c) != SOME || set_of(c) != set_expected(some, SOME))
		return WRONG("rank %u has another set\n", hcl_comm_rank(c));
	for (r = 0; r < SOME; r++) {
		memset(text, 0, sizeof(text));
		if (r == hcl_comm_rank(c))
			snprintf(text, sizeof(text), "of %u", some[r]);
		if (hcl_comm_bcast(c, r, text, sizeof(text), NULL) || text[0] != 'o' ||
		    atoi(text + 3) != (int)some[r])
			return WRONG("rank %u has \"%s\" of %u\n", hcl_comm_rank(c), text, r);
	}
	if (hcl_comm_allgather(c, &mine, sizeof(mine), blocks, NULL))
		return WRONG("allgather\n");
	for (r = 0; r < SOME; r++)
		if (blocks[r] != some[r] + 100)
			return WRONG("block %u is %u\n", r, blocks[r]);
	return hcl_comm_bcast(c, SOME, text, 1, NULL) == -EINVAL &&
	       hcl_comm_node(c, SOME) == UINT32_MAX;
}

TEST(one_communicator_runs_collectives_with_every_root)
{
	ASSERT_EQ(true, fabric_new());
	EXPECT_EQ(0, together(some, SOME, all_roots));
	EXPECT_EQ(true, no_plan_is_left());
}

/* Split the communicator by odd and even rank, with the ranks in reverse order, and duplicate the
 * new communicator. The last rank gets no new communicator.
 */
static bool split_and_dup(struct hcl_comm *c)
{
	uint32_t rank = hcl_comm_rank(c), r, n = 0, expected[SOME];
	struct hcl_comm *part = NULL, *copy = NULL;
	bool none = rank == SOME - 1, right;

	if (hcl_comm_split(c, none ? HCL_COMM_NO_PART : (int)rank % 2, -(int)rank, &part))
		return WRONG("split\n");
	if (none)
		return !part && set_of(c) == set_expected(some, SOME);
	for (r = SOME - 1; r-- > 0;)
		if (r % 2 == rank % 2)
			expected[n++] = some[r];
	for (r = 0; r < n; r++)
		if (hcl_comm_node(part, r) != expected[r])
			return WRONG("rank %u of a part is %u\n", r, hcl_comm_node(part, r));
	if (hcl_comm_dup(part, &copy))
		return WRONG("dup\n");
	right = hcl_comm_size(copy) == n && hcl_comm_plan(copy) != hcl_comm_plan(part) &&
		hcl_comm_rank(copy) == hcl_comm_rank(part) &&
		set_of(copy) == set_expected(expected, n);
	/* The duplicate of a communicator stays valid when the communicator is freed. */
	hcl_comm_free(part);
	right = right && set_of(copy) == set_expected(expected, n);
	hcl_comm_free(copy);
	return right && set_of(c) == set_expected(some, SOME);
}

TEST(communicator_can_be_split_and_duplicated)
{
	ASSERT_EQ(true, fabric_new());
	EXPECT_EQ(0, together(some, SOME, split_and_dup));
	EXPECT_EQ(true, no_plan_is_left());
}

/* Post an operation to each of two communicators, in an order that depends on the rank, and wait
 * for them in this order.
 */
static bool crossed(struct hcl_comm *c)
{
	struct hcl_params p = {
		.oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64, .collective = HYPERCUBE_ALLREDUCE,
	};
	uint64_t *in = malloc(LONG), *out[2] = { malloc(LONG), malloc(LONG) }, id[2];
	struct hcl *h = hcl_comm_handle(c);
	struct hcl_comm *both[2] = { c };
	unsigned int i, k, which, odd = hcl_comm_rank(c) % 2;
	bool right = !hcl_comm_dup(c, &both[1]);

	for (i = 0; i < LONG / 8; i++)
		in[i] = i * (hcl_comm_rank(c) + 1);
	for (k = 0; right && k < 2; k++) {
		which = k ^ odd;
		p.plan = hcl_comm_plan(both[which]);
		right = !hcl_post(h, &p, in, LONG, out[which], LONG, &id[which]);
	}
	for (k = 0; right && k < 2; k++)
		right = !hcl_wait(h, id[k ^ odd], NULL);
	for (i = 0; right && i < LONG / 8; i++)
		right = out[0][i] == i * 10 && out[1][i] == i * 10;
	hcl_comm_free(both[1]);
	free(in);
	free(out[0]);
	free(out[1]);
	return right;
}

TEST(long_allreduces_on_two_communicators_complete_in_any_order)
{
	ASSERT_EQ(true, fabric_new());
	EXPECT_EQ(0, together(some, 4, crossed));
	EXPECT_EQ(true, no_plan_is_left());
}

/* Make many communicators without waiting, and check the members of each. */
static bool many(struct hcl_comm *c)
{
	struct hcl_comm *made[MANY] = { NULL };
	uint64_t began = now_ms(), end;
	bool right = true;
	unsigned int i;

	for (i = 0; right && i < MANY; i++)
		right = !hcl_comm_split(c, i % 3 ? 0 : (int)(hcl_comm_rank(c) % 2),
					0, &made[i]);
	end = now_ms();
	for (i = 0; right && i < MANY; i++)
		right = __builtin_popcountll(set_of(made[i])) == (int)hcl_comm_size(made[i]);
	if (!hcl_comm_rank(c))
		printf("# %u communicators in %u ms\n", i, (unsigned int)(end - began));
	for (i = 0; i < MANY; i++)
		hcl_comm_free(made[i]);
	return right;
}

TEST(hundreds_of_communicators_exist_at_once)
{
	ASSERT_EQ(true, fabric_new());
	EXPECT_EQ(0, together(some, 4, many));
	EXPECT_EQ(true, no_plan_is_left());
}

#define REFUSED(rc, c, g, node, words) do {				\
	EXPECT_EQ(rc, hcl_comm_create(c, g, node));			\
	EXPECT_EQ(0, strcmp(words, hcl_comm_explain(text, sizeof(text))));	\
} while (0)

TEST(invalid_communicator_groups_are_refused)
{
	const uint32_t twice[] = { 1, 2, 1 }, beyond[] = { 0, 16 };
	struct hcl_comm_group g = group_of(some, SOME);
	struct hcl_comm *c = NULL;
	char text[256];

	ASSERT_EQ(true, fabric_new());
	REFUSED(-EINVAL, &c, &g, 1, "node 1 is not in its group");
	g.plan = 0;
	REFUSED(-EINVAL, &c, &g, 12, "0 is no id for the plan of a communicator");
	g = group_of(twice, 3);
	REFUSED(-EINVAL, &c, &g, 1, "a group has no node, or one twice");
	g = group_of(beyond, 2);
	REFUSED(-ERANGE, &c, &g, 0, "fabric " NAME ": there is no node 16");
	/* No process installs the plan, so waiting for it times out. */
	g = group_of(some, SOME);
	g.wait_ms = 100;
	EXPECT_EQ(-ETIMEDOUT, hcl_comm_create(&c, &g, 3));
	/* The existing plan has other members than the communicator. */
	ASSERT_EQ(0, tool("tree find fabric " NAME " apply plan 5"));
	REFUSED(-EEXIST, &c, &g, 12, "fabric " NAME ": there is a plan 5");
	REFUSED(-EINVAL, &c, &g, 3, "fabric " NAME ": plan 5 has other members");
	EXPECT_EQ(true, !c);
	hcl_comm_free(NULL);
}

/* Rank 0, the first rank of its new communicator, no longer has the right to install plans, so
 * making this communicator fails.
 */
static bool one_part_fails(struct hcl_comm *c)
{
	struct hcl_comm *part = NULL;
	uint32_t rank = hcl_comm_rank(c);
	bool right;
	int rc;

	if (!rank && setuid(65534))
		return WRONG("no other user\n");
	rc = hcl_comm_split(c, rank % 2, 0, &part);
	right = rank % 2 ? !rc && set_of(part) == set_expected((uint32_t[]){ 3, 9 }, 2) :
			   rc == -EPERM && !part;
	if (!right)
		printf("# rank %u: %d\n", rank, rc);
	hcl_comm_free(part);
	return right && set_of(c) == set_expected(some, SOME);
}

TEST(split_fails_at_all_members_of_the_failing_communicator_only)
{
	ASSERT_EQ(true, fabric_new());
	EXPECT_EQ(0, together(some, SOME, one_part_fails));
}

TEST(communicator_of_one_member_works)
{
	struct hcl_comm_group g = group_of(some, 1);
	struct hcl_comm *c = NULL, *copy = NULL;

	ASSERT_EQ(true, fabric_new());
	ASSERT_EQ(0, hcl_comm_create(&c, &g, 12));
	EXPECT_EQ(1u << 12, set_of(c));
	ASSERT_EQ(0, hcl_comm_dup(c, &copy));
	EXPECT_EQ(1u << 12, set_of(copy));
	hcl_comm_free(c);
	hcl_comm_free(copy);
	EXPECT_EQ(true, no_plan_is_left());
}

TEST_HARNESS_MAIN
