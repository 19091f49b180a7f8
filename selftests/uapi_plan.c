// SPDX-License-Identifier: GPL-2.0
/*
 * Plans that are wrong in some way are refused, and what the kernel takes is what
 * the verifier in user space takes; plans that are taken work.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cube.h"
#include "ktap.h"

#define PLAN 1

/* A plan in the making, which netlink gets as it is. */
struct draft {
	uint32_t type;
	uint32_t sink;
	uint32_t order[16];
	unsigned int stages;
	unsigned char members[CUBE_MAX / 8];
	unsigned int members_len;
	uint32_t detours[CUBE_MAX];
	unsigned int ndetours;
	uint32_t fault[CUBE_MAX];
	unsigned int fault_len;
};

static struct draft draft_of(const struct cube *c)
{
	const struct hc_tree *t = &c->plan.tree;
	struct draft d = { .type = HYPERCUBE_PLAN_TREE, .sink = t->sink, .stages = t->stages };
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
	nl_u32(nl, HYPERCUBE_A_PLAN_SINK, d->sink);
	for (i = 0; i < d->stages; i++)
		nl_u32(nl, HYPERCUBE_A_PLAN_ORDER, d->order[i]);
	nl_put(nl, HYPERCUBE_A_PLAN_MEMBERS, d->members, d->members_len);
	for (i = 0; i < d->ndetours; i++)
		nl_u32(nl, HYPERCUBE_A_PLAN_DETOUR, d->detours[i]);
	nl_put(nl, HYPERCUBE_A_PLAN_FAULT, d->fault, d->fault_len);
	return nl_talk(nl, NULL, NULL);
}

/* Refused with this error and a sentence. */
static bool refused(const struct cube *c, const struct draft *d, int err)
{
	int seen = draft_install(c, d);

	if (seen == err && ctl()->extack[0])
		return true;
	printf("# error %d, not %d: \"%s\"\n", seen, err, ctl()->extack);
	return false;
}

/* An example of the errata: node 0 has nobody to help, and so a detour. */
static int start(struct cube *c)
{
	static const uint8_t order[] = { 2, 1, 0 };
	int err = cube_new(c, 3, 0);

	if (!err)
		err = cube_fail_link(c, 0, 0);
	if (!err)
		err = cube_fail_link(c, 0, 1);
	if (!err)
		err = cube_fail_link(c, 5, 1);
	return err ? err : cube_plan_fixed(c, PLAN, 3, order);
}

TEST(each_part_of_a_plan_is_checked)
{
	struct draft good, d;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	good = draft_of(&c);
	ASSERT_EQ(0, draft_install(&c, &good));
	d = good;
	d.type = 0;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.type = 4;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	/* Plans of another type, whose own parts are missing. */
	d = good;
	d.type = HYPERCUBE_PLAN_BCAST;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d.type = HYPERCUBE_PLAN_DOUBLING;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.sink = 8;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.order[0] = d.order[1];
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.order[0] = 3;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.stages = 2;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.stages = 0;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.order[3] = 0;
	d.stages = 4;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.members[0] = 0;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.members[0] &= (unsigned char)~(1u << d.sink);
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.members_len = 0;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.members_len = 2;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.fault_len = 28;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.fault_len = 36;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	/* The plan that was good is still there. */
	ASSERT_EQ(0, cube_bind_all(&c));
	EXPECT_EQ(0, cube_reduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(detours_are_checked)
{
	struct draft good, d;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	ASSERT_EQ(1, c.plan.tree.ndetours);
	good = draft_of(&c);
	ASSERT_EQ(0, draft_install(&c, &good));
	d = good;
	d.ndetours--;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.detours[d.ndetours++] = d.detours[0];
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.detours[0] = (d.detours[0] & 0xffff0000) | 8;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.detours[0] = 8 << 16;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.detours[0] = 0xffffffff;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	d = good;
	d.detours[0] = (d.detours[0] & 0xffff0000) | d.detours[0] >> 16;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	for (d = good, d.ndetours = 0; d.ndetours < 9; d.ndetours++)
		d.detours[d.ndetours] = d.ndetours << 16;
	EXPECT_TRUE(refused(&c, &d, -EINVAL));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(a_plan_for_other_faults_is_stale)
{
	struct draft d;
	struct cube c;

	ASSERT_EQ(0, start(&c));
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

/* ------------------------------------------------------------ doubling */

struct doubling_draft {
	uint32_t base;
	uint32_t order[16];
	unsigned int stages;
	unsigned int fault_len;
};

static int doubling_install(const struct cube *c, const struct doubling_draft *d)
{
	struct nl *nl = ctl();
	unsigned int i;

	nl_begin(nl, HYPERCUBE_CMD_PLAN_NEW, NLM_F_ACK);
	nl_str(nl, HYPERCUBE_A_PLAN_FABRIC, c->name);
	nl_u32(nl, HYPERCUBE_A_PLAN_ID, PLAN);
	nl_u32(nl, HYPERCUBE_A_PLAN_TYPE, HYPERCUBE_PLAN_DOUBLING);
	if (d->base != UINT32_MAX)
		nl_u32(nl, HYPERCUBE_A_PLAN_BASE, d->base);
	for (i = 0; i < d->stages; i++)
		nl_u32(nl, HYPERCUBE_A_PLAN_ORDER, d->order[i]);
	nl_put(nl, HYPERCUBE_A_PLAN_FAULT, c->faults->fault, d->fault_len);
	return nl_talk(nl, NULL, NULL);
}

static bool doubling_refused(const struct cube *c, const struct doubling_draft *d, int err)
{
	int seen = doubling_install(c, d);

	if (seen == err && ctl()->extack[0])
		return true;
	printf("# error %d, not %d: \"%s\"\n", seen, err, ctl()->extack);
	return false;
}

TEST(each_part_of_a_doubling_is_checked)
{
	const struct doubling_draft good = { .order = { 2, 0, 1 }, .stages = 3, .fault_len = 32 };
	struct doubling_draft d = good;
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 3, 0));
	ASSERT_EQ(0, cube_bind_all(&c));
	ASSERT_EQ(0, cube_doubling(&c, PLAN, 7, 0));
	ASSERT_EQ(0, doubling_install(&c, &good));
	d.base = UINT32_MAX;
	EXPECT_TRUE(doubling_refused(&c, &d, -EINVAL));
	d.base = 8;
	EXPECT_TRUE(doubling_refused(&c, &d, -EINVAL));
	/* Not its lowest node. */
	d.base = 4;
	EXPECT_TRUE(doubling_refused(&c, &d, -EINVAL));
	d = good;
	d.order[0] = 0;
	EXPECT_TRUE(doubling_refused(&c, &d, -EINVAL));
	d.order[0] = 3;
	EXPECT_TRUE(doubling_refused(&c, &d, -EINVAL));
	d = good;
	d.stages = 4;
	EXPECT_TRUE(doubling_refused(&c, &d, -EINVAL));
	d = good;
	d.fault_len = 28;
	EXPECT_TRUE(doubling_refused(&c, &d, -EINVAL));
	d.fault_len = 36;
	EXPECT_TRUE(doubling_refused(&c, &d, -EINVAL));
	/* The plan that was good is still there, until its faults are those of yesterday. */
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	ASSERT_EQ(0, ctl_link_down(c.name, 6, 2, true));
	EXPECT_TRUE(doubling_refused(&c, &good, -ESTALE));
	EXPECT_EQ(0, cube_del(&c));
}

/* Random faults and subcubes: the kernel takes what the verifier takes, and it works. */
TEST(kernel_and_tool_agree_about_doublings)
{
	unsigned int round, i, node, dim, taken = 0, n = scaled(150);
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 4, 0));
	ASSERT_EQ(0, cube_bind_all(&c));
	for (round = 0; round < n; round++) {
		struct hc_doubling *d = &c.doubling;
		uint32_t dims = below(16), base = below(16);
		int seen;

		if (round % 15 == 0) {
			ASSERT_EQ(0, cube_heal(&c));
			for (i = 0; i < 1 + round % 4; i++) {
				cube_link(&c, below(32), &node, &dim);
				ASSERT_EQ(0, cube_fail_link(&c, node, dim));
			}
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

/* ------------------------------------------------------------ random */

static void mutate(const struct cube *c, struct draft *d)
{
	uint32_t x;
	unsigned int i, j;

	switch (below(6)) {
	case 0:
		d->sink ^= 1u << below(c->dim);
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

/* Returns what the verifier says of a draft, in user space; it becomes the cube's plan. */
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
	t->sink = d->sink;
	for (i = 0; i < d->stages; i++)
		t->order[i] = (__u8)d->order[i];
	t->members = members;
	t->detours = detours;
	t->ndetours = d->ndetours;
	return hc_tree_check(t, c->faults->fault, work, NULL);
}

TEST(kernel_and_tool_agree_about_spoiled_plans)
{
	unsigned int round, i, node, dim, taken = 0, n = scaled(300);
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 4, 0));
	ASSERT_EQ(0, cube_bind_all(&c));
	for (round = 0; round < n; round++) {
		struct hc_tree_plan plan;
		struct draft d;
		int want, seen;

		if (round % 20 == 0) {
			ASSERT_EQ(0, cube_heal(&c));
			for (i = 0; i < 3 + round % 12; i++) {
				cube_link(&c, below(32), &node, &dim);
				ASSERT_EQ(0, cube_fail_link(&c, node, dim));
			}
		}
		ASSERT_EQ(0, cube_plan(&c, PLAN));
		plan = c.plan;
		d = draft_of(&c);
		for (i = below(2); i < 2; i++)
			mutate(&c, &d);
		want = draft_check(&c, &d);
		seen = draft_install(&c, &d);
		EXPECT_EQ(want, seen);
		if (seen)
			EXPECT_TRUE(ctl()->extack[0]);
		else
			EXPECT_EQ(0, cube_reduce(&c, PLAN, NULL));
		taken += !seen;
		c.plan = plan;
	}
	printf("# %u of %u plans were taken\n", taken, n);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
