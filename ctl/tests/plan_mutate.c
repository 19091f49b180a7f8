// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier and plans that were changed: a plan that it accepts must still deliver all data.
 */
#include <stdlib.h>
#include <string.h>

#include "plan_test.h"

/* A copy of a plan, to be changed. */
struct victim {
	struct hc_tree t;
	uint32_t members[ORACLE_NODES / 32];
	struct hc_detour detours[ORACLE_NODES + 1];
};

static void copy_plan(struct victim *v, const struct hc_tree *t)
{
	v->t = *t;
	memset(v->members, 0, sizeof(v->members));
	memcpy(v->members, t->members, hc_set_words(t->dim) * sizeof(uint32_t));
	if (t->ndetours)
		memcpy(v->detours, t->detours, t->ndetours * sizeof(*t->detours));
	v->t.members = v->members;
	v->t.detours = v->detours;
}

static uint32_t any_node(const struct victim *v)
{
	return rnd(1u << v->t.dim);
}

/* Each of the functions below makes one change. Return: false if the plan cannot be changed like
 * that.
 */
static bool swap_order(struct victim *v)
{
	unsigned int a = rnd(v->t.stages), b = rnd(v->t.stages);
	uint8_t d = v->t.order[a];

	v->t.order[a] = v->t.order[b];
	v->t.order[b] = d;
	return a != b;
}

static bool wrong_order(struct victim *v)
{
	v->t.order[rnd(v->t.stages)] = (uint8_t)rnd(v->t.dim + 2);
	return true;
}

static bool fewer_stages(struct victim *v)
{
	v->t.stages--;
	return true;
}

static bool more_stages(struct victim *v)
{
	v->t.stages++;
	return true;
}

static bool drop_member(struct victim *v)
{
	hc_set_del(v->members, any_node(v));
	return true;
}

static bool add_member(struct victim *v)
{
	hc_set_add(v->members, any_node(v));
	return true;
}

static bool move_sink(struct victim *v)
{
	v->t.sink = rnd(2u << v->t.dim);
	return true;
}

static bool drop_detour(struct victim *v)
{
	unsigned int i;

	if (!v->t.ndetours)
		return false;
	i = rnd(v->t.ndetours--);
	memmove(&v->detours[i], &v->detours[i + 1],
		(v->t.ndetours - i) * sizeof(v->detours[0]));
	return true;
}

static bool turn_detour(struct victim *v)
{
	if (!v->t.ndetours)
		return false;
	v->detours[rnd(v->t.ndetours)].to = any_node(v);
	return true;
}

static bool wild_detour(struct victim *v)
{
	if (!v->t.ndetours)
		return false;
	v->detours[rnd(v->t.ndetours)].to = rnd(1u << 31);
	return true;
}

static bool add_detour(struct victim *v)
{
	struct hc_detour one = { any_node(v), any_node(v) };
	unsigned int i = v->t.ndetours++;

	for (; i && v->detours[i - 1].from > one.from; i--)
		v->detours[i] = v->detours[i - 1];
	v->detours[i] = one;
	return true;
}

static bool twin_detour(struct victim *v)
{
	unsigned int i;

	if (!v->t.ndetours)
		return false;
	i = rnd(v->t.ndetours);
	memmove(&v->detours[i + 1], &v->detours[i],
		(v->t.ndetours++ - i) * sizeof(v->detours[0]));
	return true;
}

/* The changes. @always_wrong: the verifier must refuse the plan after this change. */
static const struct {
	const char *name;
	bool (*apply)(struct victim *v);
	bool always_wrong;
} mutations[] = {
	{ "swap two dimensions of the order", swap_order, false },
	{ "overwrite a dimension of the order", wrong_order, false },
	{ "one stage less", fewer_stages, false },
	{ "one stage more", more_stages, false },
	{ "drop a member", drop_member, false },
	{ "add a member", add_member, false },
	{ "move the sink", move_sink, false },
	{ "drop a detour", drop_detour, true },
	{ "turn a detour to another node", turn_detour, false },
	{ "turn a detour out of the cube", wild_detour, true },
	{ "add a detour", add_detour, true },
	{ "name a detour twice", twin_detour, true },
};

#define NMUTATIONS ARRAY_SIZE(mutations)

/* Change a copy of the plan. The verifier must refuse it, or all data must still arrive. */
static bool try_mutation(const struct world *w, const struct hc_tree *t,
			 unsigned int which, unsigned int *refused,
			 unsigned int *accepted)
{
	struct oracle_result r;
	struct victim v;

	copy_plan(&v, t);
	if (!mutations[which].apply(&v))
		return true;
	if (check_plan(w, &v.t)) {
		refused[which]++;
		return true;
	}
	accepted[which]++;
	CHECK(!mutations[which].always_wrong);
	CHECK(run_roles(w, &v.t, &r));
	CHECK(r.outcome == ORACLE_DONE);
	return true;
}

TEST(mutated_plans_are_refused_or_deliver_all_data)
{
	unsigned int refused[NMUTATIONS] = { 0 }, accepted[NMUTATIONS] = { 0 };
	unsigned int run, i, n;

	for (run = 0; run < 3000; run++) {
		struct hc_tree_plan p;
		struct world w;

		n = 2 + rnd(4);
		world_random(&w, n, rnd(n << (n - 1)));
		for (i = rnd(3); i; i--)
			world_node(&w, rnd(1u << n));
		if (!world_plan(&w, run & 1 ? HC_TREE_EXACT : HC_TREE_FIND,
				HC_ANY_SINK, &p)) {
			for (i = 0; i < NMUTATIONS; i++)
				ASSERT_TRUE(try_mutation(&w, &p.tree, i, refused, accepted));
			hc_tree_plan_free(&p);
		}
		world_free(&w);
	}
	for (i = 0; i < NMUTATIONS; i++) {
		printf("# %s: %u refused, %u accepted\n", mutations[i].name,
		       refused[i], accepted[i]);
		ASSERT_TRUE(refused[i] > 0);
	}
}

/* Random trees in random cubes: those that the verifier accepts deliver all data. */
TEST(random_plans_deliver_all_data_if_verifier_accepts)
{
	unsigned int run, i, n, accepted = 0;

	for (run = 0; run < 100000; run++) {
		struct oracle_result r;
		struct victim v;
		struct world w;

		n = 1 + rnd(3);
		world_random(&w, n, rnd(n << (n - 1)));
		memset(&v, 0, sizeof(v));
		v.t.dim = n;
		v.t.stages = rnd(n + 1);
		v.t.sink = rnd(1u << n);
		v.t.members = v.members;
		v.t.detours = v.detours;
		for (i = 0; i < n; i++)
			v.t.order[i] = (uint8_t)rnd(n);
		for (i = 0; i < 1u << n; i++)
			if (hc_tree_contains(&v.t, i) && rnd(16))
				hc_set_add(v.members, i);
		for (i = rnd(3); i; i--)
			add_detour(&v);
		if (!check_plan(&w, &v.t)) {
			accepted++;
			ASSERT_TRUE(run_roles(&w, &v.t, &r) && r.outcome == ORACLE_DONE);
		}
		world_free(&w);
	}
	printf("# %u of %u accepted\n", accepted, run);
	ASSERT_TRUE(accepted > 1000);
}

/* The faults change and the plan does not, as if it had been installed too late. */
TEST(stale_plans_deliver_all_data_if_verifier_accepts)
{
	unsigned int run, n, refused = 0, accepted = 0;

	for (run = 0; run < 3000; run++) {
		struct oracle_result r;
		struct hc_tree_plan p;
		struct world w;

		n = 2 + rnd(4);
		world_random(&w, n, rnd(2 * n));
		if (!world_plan(&w, HC_TREE_EXACT, HC_ANY_SINK, &p)) {
			if (run & 1)
				world_nth_link(&w, rnd(n << (n - 1)));
			else
				world_node(&w, rnd(1u << n));
			if (check_plan(&w, &p.tree)) {
				refused++;
			} else {
				accepted++;
				ASSERT_TRUE(run_roles(&w, &p.tree, &r));
				ASSERT_TRUE(r.outcome == ORACLE_DONE);
			}
			hc_tree_plan_free(&p);
		}
		world_free(&w);
	}
	printf("# %u refused, %u accepted\n", refused, accepted);
	ASSERT_TRUE(refused && accepted);
}

/*
 * The 3-cube with sink 0, order 0 1 2 and the faulty links 0-1, 4-5 and 1-3. Nodes 1 and 5 are both
 * blocked, so they cannot help each other. Node 7 helps node 5, but node 3 cannot help node 1, so
 * node 1 needs a detour.
 */
static void reason_world(struct world *w, struct victim *v)
{
	struct hc_tree_plan p;

	world_init(w, 3);
	world_link(w, 0, 1);
	world_link(w, 4, 5);
	world_link(w, 1, 3);
	if (world_fixed(w, 0, "012", &p) || p.tree.ndetours != 1)
		abort();
	copy_plan(v, &p.tree);
	hc_tree_plan_free(&p);
}

/* Introduce the error of entry @how of want[] in verifier_reports_reason_of_every_error. */
static void break_plan(struct world *w, struct victim *v, unsigned int how)
{
	switch (how) {
	case 0:
		v->t.dim = HC_LIB_DIM_MAX + 1;
		break;
	case 1:
		v->t.stages = 4;
		break;
	case 2:
		v->t.order[2] = 3;
		break;
	case 3:
		v->t.order[2] = 0;
		break;
	case 4:
		v->t.sink = 8;
		break;
	case 5:
		hc_set_del(v->members, 0);
		break;
	case 6:
		v->t.ndetours = 8;
		break;
	case 7:
		w->f->fault[6] |= 1;
		break;
	case 8:
		v->t.stages = 2;
		break;
	case 9:
		world_node(w, 6);
		break;
	case 10:
		v->detours[0].to = 8;
		break;
	case 11:
		v->detours[1] = v->detours[0];
		v->t.ndetours = 2;
		break;
	case 12:
		v->detours[1] = (struct hc_detour){ 3, 0 };
		v->t.ndetours = 2;
		break;
	case 13:
		v->detours[0].to = 7;
		break;
	case 14:
		v->t.ndetours = 0;
		break;
	}
}

TEST(verifier_reports_reason_of_every_error)
{
	static const struct {
		const char *why;
		uint32_t node;
	} want[] = {
		{ "dimension out of range", 0 },
		{ "more stages than dimensions", 0 },
		{ "order names a dimension that the cube does not have", 0 },
		{ "order names a dimension twice", 0 },
		{ "sink is no node of the cube", 8 },
		{ "sink is no member", 0 },
		{ "more detours than senders", 0 },
		{ "the ends of a link disagree about it", 6 },
		{ "member outside the tree's subcube", 4 },
		{ "member dead or cut off from the sink", 6 },
		{ "detour from or to a node that is no member", 1 },
		{ "detours not in ascending order of sender", 1 },
		{ "detour for a node that needs none", 3 },
		{ "detour to a node that is not passive then", 1 },
		{ "sender without helper has no detour", 1 },
	};
	uint32_t *work = malloc(HC_TREE_WORK(3) * sizeof(*work));
	unsigned int i;

	ASSERT_TRUE(work);
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		struct hc_tree_reason reason = { 0 };
		struct victim v;
		struct world w;

		reason_world(&w, &v);
		ASSERT_TRUE(!hc_tree_check(&v.t, w.f->fault, work, &reason));
		break_plan(&w, &v, i);
		ASSERT_TRUE(hc_tree_check(&v.t, w.f->fault, work, &reason));
		ASSERT_TRUE(!strcmp(reason.why, want[i].why));
		ASSERT_TRUE(reason.node == want[i].node);
		ASSERT_TRUE(hc_tree_check(&v.t, w.f->fault, work, NULL));
		world_free(&w);
	}
	free(work);
}
