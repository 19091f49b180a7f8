// SPDX-License-Identifier: GPL-2.0
/*
 * Broadcasts: the verifier refuses wrong plans, the planner refuses impossible requests, and plans
 * of large cubes are found quickly.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bcast_test.h"

/* Return: true if the verifier refuses the plan with the sentence @why. */
static bool refused(const struct hc_bcast *b, const uint32_t *fault, const char *why)
{
	uint16_t first[BORACLE_NODES];
	struct hc_bcast_reason reason = { 0 };

	CHECK(hc_bcast_check(b, fault, first, NULL) == -EINVAL);
	CHECK(hc_bcast_check(b, fault, first, &reason) == -EINVAL);
	CHECK(!strcmp(reason.why, why));
	return true;
}

TEST(bcast_verifier_refuses_wrong_plans_with_reason)
{
	static const uint8_t right[8] = { 0, 1, 2 }, wild[8] = { 0, 3, 2 };
	static const uint32_t all[] = { 0xff }, others[] = { 0xfe }, alone[] = { 1 };
	static const uint32_t none[8], half[8] = { [6] = 1 }, dead[8] = { 7, 1, 2, 0, 4 };
	static const struct {
		unsigned int dim, steps, source;
		const uint8_t *sequence;
		const uint32_t *members, *fault;
		const char *why;
	} wrong[] = {
		{ 0, 3, 0, right, all, none, "dimension out of range" },
		{ HC_LIB_DIM_MAX + 1, 3, 0, right, all, none, "dimension out of range" },
		{ 3, 8, 0, right, all, none, "more steps than there are nodes to inform" },
		{ 3, 3, 0, wild, all, none,
		  "sequence names a dimension that the network does not have" },
		{ 3, 3, 8, right, all, none, "source is no node of the network" },
		{ 3, 3, 0, right, others, none, "source is no member" },
		{ 3, 3, 0, right, all, half, "the ends of a link disagree about it" },
		{ 3, 2, 0, right, all, none, "the message does not reach a member" },
		/* A member has failed; the source has failed. */
		{ 3, 3, 7, right, all, dead, "the message does not reach a member" },
		{ 3, 3, 0, right, all, dead, "the message does not reach a member" },
	};
	struct hc_bcast b = {
		.topo = hc_topo_cube(3), .steps = 3, .sequence = right, .members = all,
	};
	uint16_t first[8];
	size_t i;

	ASSERT_TRUE(!hc_bcast_check(&b, none, first, NULL) && first[7] == 3 && first[0] == 0);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		b = (struct hc_bcast){
			.topo = hc_topo_cube(wrong[i].dim), .steps = wrong[i].steps,
			.source = wrong[i].source,
			.sequence = wrong[i].sequence, .members = wrong[i].members,
		};
		ASSERT_TRUE(refused(&b, wrong[i].fault, wrong[i].why));
	}
	/* The source has failed, but it is the only member, so no member lacks the message. */
	b.members = alone;
	ASSERT_TRUE(!hc_bcast_check(&b, dead, first, NULL) && first[1] == HC_BCAST_NEVER);
}

/* A node that is no member does not forward the message. */
TEST(bcast_verifier_refuses_plan_that_needs_nonmember_to_forward)
{
	uint32_t fault[4] = { 0 }, members[1] = { 0xd };
	uint8_t seq[2] = { 0, 1 };
	struct hc_bcast b = {
		.topo = hc_topo_cube(2), .steps = 2, .sequence = seq, .members = members,
	};
	uint16_t first[4];

	ASSERT_TRUE(hc_bcast_check(&b, fault, first, NULL) == -EINVAL);
	ASSERT_TRUE(first[1] == HC_BCAST_NEVER && first[2] == 2 && first[3] == HC_BCAST_NEVER);
	seq[0] = 1;
	seq[1] = 0;
	ASSERT_TRUE(!hc_bcast_check(&b, fault, first, NULL));
}

/* Change one step at random, and in every other run leave out the last step: the verifier and the
 * oracle must agree.
 */
TEST(bcast_verifier_agrees_with_oracle_on_mutated_plans)
{
	unsigned int run, n, i, steps, good = 0, bad = 0;
	struct hc_bcast_plan p, q;
	struct bworld w;
	const char *why;

	for (run = 0; run < 1500; run++) {
		n = 2 + run % 6;
		bworld_init(&w, n);
		bworld_random(&w, rnd(n + 2) % (1u << (n - 1)), rnd(3), run & 1);
		if (!bworld_plan(&w, HC_BCAST_GENERAL, false, &p)) {
			i = rnd(p.bcast.steps);
			p.sequence[i] = (uint8_t)rnd(n);
			steps = p.bcast.steps - (run & 1);
			ASSERT_TRUE(!hc_plan_bcast_fixed(w.f, 0, p.sequence, steps, &q, &why));
			ASSERT_TRUE(bcast_holds(&w, &q));
			*(q.covered == q.reachable ? &good : &bad) += 1;
			hc_bcast_plan_free(&q);
			hc_bcast_plan_free(&p);
		}
		bworld_free(&w);
	}
	ASSERT_TRUE(good > 50 && bad > 500);
}

TEST(bcast_planner_refuses_wrong_or_impossible_requests)
{
	struct hc_bcast_req req = { .source = 4 };
	uint8_t seq[4] = { 0, 1, 2, 0 };
	struct hc_bcast_plan p;
	const char *why = NULL;
	struct bworld w;

	bworld_init(&w, 2);
	ASSERT_TRUE(hc_plan_bcast(w.f, &req, &p, &why) == -ERANGE && why);
	ASSERT_TRUE(hc_plan_bcast_fixed(w.f, 4, seq, 2, &p, &why) == -ERANGE);
	ASSERT_TRUE(hc_plan_bcast_fixed(w.f, 0, seq, 3, &p, &why) == -ERANGE);
	ASSERT_TRUE(hc_plan_bcast_fixed(w.f, 0, seq, 4, &p, &why) == -ERANGE);
	bworld_node(&w, 1);
	req.source = 1;
	ASSERT_TRUE(hc_plan_bcast(w.f, &req, &p, &why) == -ENOLINK);
	bworld_node(&w, 2);
	req.source = 0;
	ASSERT_TRUE(hc_plan_bcast(w.f, &req, &p, &why) == -ENOLINK);
	ASSERT_TRUE(!hc_plan_bcast_fixed(w.f, 0, seq, 0, &p, &why));
	ASSERT_TRUE(bcast_complete(&w, &p, 0) && p.reachable == 1 && p.nunreachable == 1);
	hc_bcast_plan_free(&p);
	bworld_free(&w);
}

/* Plan a broadcast in a cube of dimension @n with random faults. Return: true if the plan takes at
 * most @n + @more steps, and planning took less than @seconds.
 */
static bool large(unsigned int n, unsigned int nodes, unsigned int links, unsigned int more,
		  double seconds)
{
	struct hc_faults *f = hc_faults_new(n);
	struct hc_bcast_req req = { .method = HC_BCAST_GENERAL };
	uint16_t *first = malloc(sizeof(*first) << n);
	struct hc_bcast_plan p;
	const char *why;
	clock_t start;
	bool fine;

	while (nodes--)
		hc_faults_node(f, 1 + rnd((1u << n) - 1));
	while (links--)
		hc_faults_link(f, rnd(1u << n), rnd(n));
	start = clock();
	CHECK(first && !hc_plan_bcast(f, &req, &p, &why));
	fine = clock() - start < seconds * CLOCKS_PER_SEC &&
	       !hc_bcast_check(&p.bcast, f->fault, first, NULL) && p.bcast.steps <= n + more;
	hc_bcast_plan_free(&p);
	hc_faults_free(f);
	free(first);
	return fine;
}

TEST(bcast_plans_of_large_cubes_are_short_and_quickly_found)
{
	ASSERT_TRUE(large(10, 40, 0, 3, 5));
	ASSERT_TRUE(large(10, 20, 20, 3, 5));
	ASSERT_TRUE(large(12, 100, 100, 4, 5));
	ASSERT_TRUE(large(16, 15, 0, 1, 5));
}
