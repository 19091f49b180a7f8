// SPDX-License-Identifier: GPL-2.0
/*
 * Plans with any kind of error are refused; the kernel accepts exactly the plans that the verifier
 * in user space accepts; and plans that it accepts work.
 *
 * Scheduling: shared
 */
#include <stdlib.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cube.h"
#include "hc_span.h"
#include "ktap.h"

#define PLAN 1

/* A plan that a test builds. It is sent by netlink as it is, without checks. */
struct draft {
	uint32_t type;
	int root_attr;			/* attribute for @root: root or base; 0: none */
	uint32_t root;
	uint32_t order[16];
	unsigned int stages;
	unsigned char members[CUBE_MAX / 8];
	unsigned int members_len;
	bool no_members;
	uint32_t detours[CUBE_MAX];
	unsigned int ndetours;
	unsigned char parents[CUBE_MAX];
	unsigned int parents_len;
	uint32_t fault[CUBE_MAX];
	unsigned int fault_len;
};

/* Return: a draft of the cube's tree plan. */
static struct draft draft_of(const struct cube *c)
{
	const struct hc_tree *t = &c->plan.tree;
	struct draft d = {
		.type = HYPERCUBE_PLAN_TREE, .root_attr = HYPERCUBE_A_PLAN_SINK, .root = t->sink,
		.stages = t->stages,
	};
	unsigned int i;

	for (i = 0; i < t->stages; i++)
		d.order[i] = t->order[i];
	for (i = 0; i < c->nodes; i++)
		if (hc_set_has(t->members, i))
			d.members[i / 8] |= (unsigned char)(1u << (i % 8));
	d.members_len = (c->nodes + 7) / 8;
	for (i = 0; i < t->ndetours; i++)
		d.detours[d.ndetours++] = t->detours[i].from << 16 | t->detours[i].to;
	memcpy(d.fault, c->faults->fault, c->nodes * sizeof(d.fault[0]));
	d.fault_len = c->nodes * 4;
	return d;
}

static int draft_install(const struct cube *c, const struct draft *d)
{
	struct nl *nl = ctl();
	unsigned int i;

	nl_begin(nl, HYPERCUBE_CMD_PLAN_NEW, NLM_F_ACK);
	nl_str(nl, HYPERCUBE_A_PLAN_FABRIC, c->name);
	nl_u32(nl, HYPERCUBE_A_PLAN_ID, PLAN);
	nl_u32(nl, HYPERCUBE_A_PLAN_TYPE, d->type);
	if (d->root_attr)
		nl_u32(nl, d->root_attr, d->root);
	for (i = 0; i < d->stages; i++)
		nl_u32(nl, HYPERCUBE_A_PLAN_ORDER, d->order[i]);
	if (!d->no_members)
		nl_put(nl, HYPERCUBE_A_PLAN_MEMBERS, d->members, d->members_len);
	for (i = 0; i < d->ndetours; i++)
		nl_u32(nl, HYPERCUBE_A_PLAN_DETOUR, d->detours[i]);
	if (d->parents_len)
		nl_put(nl, HYPERCUBE_A_PLAN_PARENTS, d->parents, d->parents_len);
	nl_put(nl, HYPERCUBE_A_PLAN_FAULT, d->fault, d->fault_len);
	return nl_talk(nl, NULL, NULL);
}

/* Return: true if the plan is refused with the error @err and an extack. */
static bool refused(const struct cube *c, const struct draft *d, int err)
{
	int seen = draft_install(c, d);

	if (seen == err && ctl()->extack[0])
		return true;
	printf("# error %d, not %d: \"%s\"\n", seen, err, ctl()->extack);
	return false;
}

/* A change of a draft: the @size bytes at offset @at get the value @value. */
struct spoil {
	size_t at, size;
	uint32_t value;
};

#define SPOIL(part, value) { offsetof(struct draft, part), sizeof(((struct draft){}).part), value }

/* Check that the kernel refuses the plan @good after each of @n changes. */
static void each_is_refused(struct __test_metadata *_metadata, const struct cube *c,
			    const struct draft *good, const struct spoil *spoils, unsigned int n)
{
	struct draft d;
	unsigned int i;
	bool right;

	for (i = 0; i < n; i++) {
		d = *good;
		if (spoils[i].size == 1)
			*((unsigned char *)&d + spoils[i].at) = (unsigned char)spoils[i].value;
		else
			memcpy((char *)&d + spoils[i].at, &spoils[i].value, spoils[i].size);
		right = refused(c, &d, -EINVAL);
		if (!right)
			printf("# that was number %u\n", i);
		EXPECT_TRUE(right);
	}
}

TEST(tree_plan_with_any_invalid_attribute_is_refused)
{
	static const struct spoil spoils[] = {
		SPOIL(type, 0), SPOIL(type, HYPERCUBE_PLAN_SPAN + 1),
		/* These are plan types other than a tree, whose required attributes are missing. */
		SPOIL(type, HYPERCUBE_PLAN_BCAST), SPOIL(type, HYPERCUBE_PLAN_DOUBLING),
		SPOIL(type, HYPERCUBE_PLAN_RING), SPOIL(type, HYPERCUBE_PLAN_SPAN),
		SPOIL(root, 8),
		/* One dimension appears twice; one does not exist in the cube. */
		SPOIL(order[0], 1), SPOIL(order[0], 3),
		SPOIL(stages, 0), SPOIL(stages, 2), SPOIL(stages, 4),
		/* The plan has no members, or all nodes except the root. */
		SPOIL(members[0], 0), SPOIL(members[0], 0xff & ~(1u << 3)),
		SPOIL(members_len, 0), SPOIL(members_len, 2),
		SPOIL(fault_len, 28), SPOIL(fault_len, 36),
	};
	struct draft good;
	struct cube c;

	ASSERT_EQ(0, cube_detour(&c, PLAN, 0));
	good = draft_of(&c);
	ASSERT_EQ(0, draft_install(&c, &good));
	each_is_refused(_metadata, &c, &good, spoils, ARRAY_SIZE(spoils));
	/* The good plan is still installed and works. */
	ASSERT_EQ(0, cube_bind_all(&c));
	EXPECT_EQ(0, cube_reduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(tree_plan_with_invalid_detours_is_refused)
{
	static const struct spoil spoils[] = {
		SPOIL(ndetours, 0),
		/* A detour to a node that does not exist, a detour from such a node, a detour that
		 * is wrong in both respects, and one from a node to itself.
		 */
		SPOIL(detours[0], 0 << 16 | 8), SPOIL(detours[0], 8 << 16),
		SPOIL(detours[0], 0xffffffff), SPOIL(detours[0], 0 << 16 | 0),
	};
	struct draft good, d;
	struct cube c;

	ASSERT_EQ(0, cube_detour(&c, PLAN, 0));
	ASSERT_EQ(1, c.plan.tree.ndetours);
	good = draft_of(&c);
	ASSERT_EQ(0, good.detours[0] >> 16);
	ASSERT_EQ(0, draft_install(&c, &good));
	each_is_refused(_metadata, &c, &good, spoils, ARRAY_SIZE(spoils));
	d = good;
	d.detours[d.ndetours++] = d.detours[0];
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	for (d = good, d.ndetours = 0; d.ndetours < 9; d.ndetours++)
		d.detours[d.ndetours] = d.ndetours << 16;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(plan_for_other_faults_is_refused_as_stale)
{
	struct draft d;
	struct cube c;

	ASSERT_EQ(0, cube_detour(&c, PLAN, 0));
	d = draft_of(&c);
	ASSERT_EQ(0, ctl_link_down(c.name, 6, 2, true));
	EXPECT_TRUE(refused(&c, &d, -ESTALE));
	ASSERT_EQ(0, ctl_link_down(c.name, 6, 2, false));
	d = draft_of(&c);
	d.fault[7] ^= 1;
	EXPECT_TRUE(refused(&c, &d, -ESTALE));
	d = draft_of(&c);
	d.fault[7] ^= 1u << 31;
	EXPECT_TRUE(refused(&c, &d, -ESTALE));
	EXPECT_EQ(0, cube_del(&c));
}

/* --- recursive doubling --- */

TEST(recursive_doubling_plan_with_invalid_attribute_is_refused)
{
	static const struct spoil spoils[] = {
		/* The plan has no base, a base that does not exist, and a base that is not the
		 * lowest node.
		 */
		SPOIL(root_attr, 0), SPOIL(root, 8), SPOIL(root, 4),
		SPOIL(order[0], 0), SPOIL(order[0], 3), SPOIL(stages, 4),
		SPOIL(fault_len, 28), SPOIL(fault_len, 36),
	};
	struct draft good = {
		.type = HYPERCUBE_PLAN_DOUBLING, .root_attr = HYPERCUBE_A_PLAN_BASE,
		.order = { 2, 0, 1 }, .stages = 3, .no_members = true, .fault_len = 32,
	};
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	ASSERT_EQ(0, cube_doubling(&c, PLAN, 7, 0));
	ASSERT_EQ(0, draft_install(&c, &good));
	each_is_refused(_metadata, &c, &good, spoils, ARRAY_SIZE(spoils));
	/* The good plan is still installed. When the faults have changed, installing it is refused,
	 * since it is stale.
	 */
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	ASSERT_EQ(0, ctl_link_down(c.name, 6, 2, true));
	EXPECT_TRUE(refused(&c, &good, -ESTALE));
	EXPECT_EQ(0, cube_del(&c));
}

/* Make a cube of sixteen nodes if @round is 0; otherwise let all faults of @c recover. Then fail
 * @links random links.
 */
static void faults_change(struct __test_metadata *_metadata, struct cube *c, unsigned int round,
			  unsigned int links)
{
	unsigned int node, dim;

	ASSERT_EQ(0, round ? cube_heal(c) : cube_new(c, 4, 0));
	ASSERT_EQ(0, round ? 0 : cube_bind_all(c));
	for (; links; links--) {
		cube_link(c, below(32), &node, &dim);
		ASSERT_EQ(0, cube_fail_link(c, node, dim));
	}
}

/* With random faults and subcubes, the kernel accepts exactly the plans of recursive doubling that
 * the verifier in user space accepts, and these plans work.
 */
TEST(kernel_and_tool_accept_same_recursive_doubling_plans)
{
	unsigned int round, i, taken = 0, n = scaled(150);
	struct cube c;

	for (round = 0; round < n; round++) {
		struct hc_doubling *d = &c.doubling;
		uint32_t dims = below(16), base = below(16);
		int seen;

		if (round % 15 == 0) {
			faults_change(_metadata, &c, round, 1 + round % 4);
			if (round % 2)
				ASSERT_EQ(0, cube_fail_node(&c, below(16)));
		}
		*d = (struct hc_doubling){ .dim = 4, .base = base & ~dims };
		for (i = 0; i < 4; i++)
			if (dims >> i & 1)
				d->order[d->stages++] = i;
		if (!hc_doubling_check(d, c.faults->fault, NULL)) {
			EXPECT_EQ(0, cube_doubling(&c, PLAN, dims, base));
			EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
			taken++;
			continue;
		}
		for (i = 0; i < 1000; i++) {
			seen = ctl_doubling_new(c.name, PLAN, d, c.faults->fault);
			if (seen != -ESTALE)
				break;
			usleep(1000);
		}
		EXPECT_EQ(-EINVAL, seen);
		EXPECT_TRUE(ctl()->extack[0]);
	}
	printf("# %u of %u plans were taken\n", taken, n);
	EXPECT_GT(taken, n / 10);
	EXPECT_GT(n, taken);
	EXPECT_EQ(0, cube_del(&c));
}

/* --- spanning trees --- */

/* Return: a spanning tree with root 0 in a cube of dimension 3, where each node sends along the
 * lowest dimension in which it differs from the root.
 */
static struct draft span_draft(void)
{
	return (struct draft){
		.type = HYPERCUBE_PLAN_SPAN, .root_attr = HYPERCUBE_A_PLAN_SINK, .no_members = true,
		.parents = { HC_NO_PORT, 0, 1, 0, 2, 0, 1, 0 }, .parents_len = 8, .fault_len = 32,
	};
}

TEST(spanning_tree_with_any_invalid_attribute_is_refused)
{
	static const struct spoil spoils[] = {
		/* The plan has no root, a root that does not exist, and a root that has a parent.
		 */
		SPOIL(root_attr, 0), SPOIL(root, 8), SPOIL(root, 4),
		/* A parent along a dimension that does not exist, a parent that is no member, and
		 * cycles.
		 */
		SPOIL(parents[5], 3), SPOIL(parents[4], HC_NO_PORT), SPOIL(parents[4], 0),
		SPOIL(parents[4], 1), SPOIL(parents[0], 0),
		SPOIL(parents_len, 0), SPOIL(parents_len, 7), SPOIL(parents_len, 9),
		/* These attributes belong to other plan types. */
		SPOIL(stages, 1), SPOIL(ndetours, 1), SPOIL(no_members, false),
		SPOIL(fault_len, 28), SPOIL(fault_len, 36),
	};
	struct draft good = span_draft();
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	ASSERT_EQ(0, draft_install(&c, &good));
	each_is_refused(_metadata, &c, &good, spoils, ARRAY_SIZE(spoils));
	ASSERT_EQ(0, ctl_link_down(c.name, 5, 0, true));
	EXPECT_TRUE(refused(&c, &good, -ESTALE));
	good.fault[4] = 1;
	good.fault[5] = 1;
	EXPECT_TRUE(refused(&c, &good, -EINVAL));
	good.parents[5] = 2;
	EXPECT_EQ(0, draft_install(&c, &good));
	EXPECT_EQ(0, cube_del(&c));
}

/* Change some parents of random spanning trees at random. The kernel accepts exactly the trees that
 * the verifier in user space accepts.
 */
TEST(kernel_and_tool_accept_same_spanning_trees)
{
	unsigned int round, i, taken = 0, n = scaled(400);
	uint16_t up[16], work[32];
	struct draft d;
	struct cube c;

	faults_change(_metadata, &c, 0, 3);
	for (round = 0; round < n; round++) {
		struct hc_span s = {
			.topo = hc_topo_cube(4), .root = below(16), .n = 16, .parent = d.parents,
		};
		int seen, err;

		d = (struct draft){
			.type = HYPERCUBE_PLAN_SPAN, .root_attr = HYPERCUBE_A_PLAN_SINK,
			.root = s.root, .no_members = true, .parents_len = 16, .fault_len = 64,
		};
		memcpy(d.fault, c.faults->fault, 64);
		/* The parent of each node is along a random one of the dimensions in which the node
		 * differs from the root.
		 */
		for (i = 0; i < 16; i++) {
			uint32_t differ = i ^ s.root;

			while (differ & (differ - 1) && below(2))
				differ &= differ - 1;
			d.parents[i] = i == s.root ? HC_NO_PORT : __builtin_ctz(differ);
		}
		for (i = below(3); i; i--)
			d.parents[below(16)] = below(8) ? below(4) : HC_NO_PORT;
		err = hc_span_check(&s, c.faults->fault, up, work, NULL);
		for (i = 0; i < 1000; i++) {
			seen = draft_install(&c, &d);
			if (seen != -ESTALE)
				break;
			usleep(1000);
		}
		EXPECT_EQ(err, seen);
		taken += !err;
	}
	printf("# %u of %u trees were taken\n", taken, n);
	EXPECT_GT(taken, n / 20);
	EXPECT_GT(n, taken);
	EXPECT_EQ(0, cube_del(&c));
}

/* --- random plans --- */

/* Make a random change to a draft. */
static void mutate(const struct cube *c, struct draft *d)
{
	uint32_t x;
	unsigned int i, j;

	switch (below(6)) {
	case 0:
		d->root ^= 1u << below(c->dim);
		break;
	case 1:
		i = below(d->stages);
		j = below(d->stages);
		x = d->order[i];
		d->order[i] = d->order[j];
		d->order[j] = x;
		break;
	case 2:
		d->stages -= below(2);
		break;
	case 3:
		i = below(c->nodes);
		d->members[i / 8] ^= (unsigned char)(1u << (i % 8));
		break;
	case 4:
		if (d->ndetours && below(2))
			d->ndetours--;
		else
			d->detours[d->ndetours++] = below(c->nodes) << 16 | below(c->nodes);
		break;
	default:
		if (d->ndetours) {
			i = below(d->ndetours);
			d->detours[i] = (d->detours[i] & ~0xffffu) | below(c->nodes);
		}
	}
}

/* Check a draft with the verifier in user space, and make it the cube's plan. Return: the result of
 * the verifier.
 */
static int draft_check(struct cube *c, const struct draft *d)
{
	static uint32_t work[HC_TREE_WORK(8)];
	static uint32_t members[CUBE_MAX / 32];
	static struct hc_detour detours[CUBE_MAX];
	struct hc_tree *t = &c->plan.tree;
	unsigned int i;

	memset(members, 0, sizeof(members));
	for (i = 0; i < c->nodes; i++)
		if (d->members[i / 8] >> (i % 8) & 1)
			hc_set_add(members, i);
	for (i = 0; i < d->ndetours; i++)
		detours[i] = (struct hc_detour){ d->detours[i] >> 16, d->detours[i] & 0xffff };
	t->dim = c->dim;
	t->stages = d->stages;
	t->sink = d->root;
	for (i = 0; i < d->stages; i++)
		t->order[i] = (__u8)d->order[i];
	t->members = members;
	t->detours = detours;
	t->ndetours = d->ndetours;
	return hc_tree_check(t, c->faults->fault, work, NULL);
}

TEST(kernel_and_tool_accept_same_randomly_changed_tree_plans)
{
	unsigned int round, i, taken = 0, n = scaled(300);
	struct cube c;

	for (round = 0; round < n; round++) {
		struct hc_tree_plan plan;
		struct draft d;
		int want, seen;

		if (round % 20 == 0)
			faults_change(_metadata, &c, round, 3 + round % 12);
		ASSERT_EQ(0, cube_plan(&c, PLAN));
		plan = c.plan;
		d = draft_of(&c);
		for (i = below(2); i < 2; i++)
			mutate(&c, &d);
		want = draft_check(&c, &d);
		seen = draft_install(&c, &d);
		EXPECT_EQ(want, seen);
		EXPECT_TRUE(seen ? ctl()->extack[0] : !cube_reduce(&c, PLAN, NULL));
		taken += !seen;
		c.plan = plan;
	}
	printf("# %u of %u plans were taken\n", taken, n);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
