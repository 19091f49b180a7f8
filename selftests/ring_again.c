// SPDX-License-Identifier: GPL-2.0
/*
 * Plans of rings that repair themselves while operations are under way: each link and each node
 * fails at each step, also while a process does not receive.
 *
 * Scheduling: alone
 */
#include <string.h>

#include "ktap.h"
#include "ring_trial.h"

/* Return: number of steps of an operation, which is the lowest clock with which it can end. */
static unsigned int steps_of(const struct trial_variant *v)
{
	return 7 + 8 * (v->chunks - 1) + v->notify;
}

/* Shuffle the order in which nodes receive. In a given order, the clock of the operations takes
 * only every second value; in other orders it takes the other values.
 */
static void shuffle(struct trial *t)
{
	unsigned int i, j, u;

	for (i = t->c.nodes - 1; i; i--) {
		j = below(i + 1);
		u = t->order[i];
		t->order[i] = t->order[j];
		t->order[j] = u;
	}
}

/* Run a trial of variant @v until the clock of its operations reaches @step. The steps of the
 * second operation count on from those of the first. With trees of rings the clock cannot be
 * stopped at every step. Return: false if the step is not reached.
 */
static bool trial_at(struct trial *t, const struct trial_variant *v, unsigned int step)
{
	unsigned int k = step > steps_of(v), clock = step - k * steps_of(v), tries, u;

	for (tries = 0; tries < 20; tries++) {
		memset(t, 0, sizeof(*t));
		t->chunks = v->chunks;
		t->notify = v->notify;
		if (!trial_begin(t, 3, v->width))
			return false;
		if (tries)
			shuffle(t);
		for (u = 0; u < 16; u++) {
			if (!trial_contribute(t, u % 8))
				return false;
			if (u < 8 && tries && below(2))
				trial_receive(t, u);
		}
		if (!trial_clock_reach(t, k, clock))
			return false;
		if (v->width || t->clock[k] == clock)
			return true;
		trial_end(t);
	}
	printf("# the clock does not say %u\n", clock);
	return false;
}

/* Let a node (@node >= 0) or a link fail at step @step. Return: true if operations go on in each
 * part of the cube.
 */
static bool fails_at(const struct trial_variant *v, unsigned int step, int node, unsigned int link)
{
	struct trial t;
	bool fine = trial_at(&t, v, step);

	if (fine)
		trial_fail(&t, node, link);
	fine = fine && trial_parts_go_on(&t);
	if (!fine)
		printf("# width %u, %u slices%s, step %u, node %d, link %u\n", v->width, v->chunks,
		       v->notify ? ", acknowledged" : "", step, node, link);
	return trial_end(&t) && fine;
}

TEST(ring_operations_continue_after_any_link_fails_at_any_step)
{
	const struct trial_variant *v = &trial_variants[0];
	unsigned int i, step;

	for (step = 0; step <= TRIAL_OPS * steps_of(v); step += scaled(3) > 2 ? 1 : 5)
		for (i = 0; i < 12; i++)
			ASSERT_TRUE(fails_at(v, step, -1, i));
}

TEST(ring_operations_continue_after_any_node_fails_at_any_step)
{
	const struct trial_variant *v = &trial_variants[0];
	unsigned int step;
	int u;

	for (step = 0; step <= TRIAL_OPS * steps_of(v); step += scaled(3) > 2 ? 1 : 5)
		for (u = 0; u < 8; u++)
			ASSERT_TRUE(fails_at(v, step, u, 0));
}

/* Run trials of variant @v, which has a tree of rings, blocks of several segments, or
 * notifications. A random link or node fails at each step.
 */
static void varied(struct __test_metadata *_metadata, const struct trial_variant *v)
{
	unsigned int step;

	for (step = 0; step <= TRIAL_OPS * steps_of(v); step += scaled(3) > 2 ? 1 : 9) {
		ASSERT_TRUE(fails_at(v, step, -1, below(12)));
		ASSERT_TRUE(fails_at(v, step, (int)below(8), 0));
	}
}

TEST(operations_with_notify_continue_after_fault_at_any_step)
{
	varied(_metadata, &trial_variants[1]);
	varied(_metadata, &trial_variants[3]);
}

TEST(operations_on_trees_of_rings_continue_after_fault_at_any_step)
{
	varied(_metadata, &trial_variants[2]);
}

TEST(operations_of_two_segments_continue_after_fault_at_any_step)
{
	varied(_metadata, &trial_variants[4]);
}

TEST(two_segment_operations_in_trees_of_rings_continue_after_fault)
{
	varied(_metadata, &trial_variants[5]);
}

TEST(operations_of_three_segments_continue_after_fault_at_any_step)
{
	varied(_metadata, &trial_variants[6]);
}

/* --- a process that does not read --- */

#define SLOW	5

/* Let all nodes except SLOW receive until they have the block of node SLOW. Return: false if this
 * takes longer than the time limit.
 */
static bool slow_one_received(struct trial *t)
{
	uint64_t end = deadline(10);
	unsigned int u, behind = 1;

	while (behind && now_ms() < end) {
		for (u = 0, behind = 0; u < t->c.nodes; u++) {
			const struct trial_result *o = &t->p[u].op[0];

			if (u == SLOW)
				continue;
			if (trial_receive(t, u) < 0)
				return false;
			behind += !o->buf ||
				  o->buf[SLOW * TRIAL_SEGMENT + 1] != trial_byte(0, SLOW, 1);
		}
	}
	return !behind;
}

/* Node SLOW does not receive, so it forwards no more than its receive buffer has space for. It
 * fails when all other nodes have its block. The other nodes get all blocks in the end. But SLOW
 * may not have received their blocks. So the result of a node that has requested notifications
 * (@notify) ends with a record that names SLOW as missing. Return: true if all nodes had these
 * results.
 */
static bool slow_one_is_named(bool notify)
{
	struct trial t = { .chunks = 1, .notify = notify };
	unsigned int u, i, n = 0, node[CUBE_MAX];
	bool fine = trial_begin(&t, 3, 0);

	for (u = 0; u < t.c.nodes; u++) {
		fine = fine && trial_contribute(&t, u);
		if (u != SLOW)
			node[n++] = u;
	}
	fine = fine && slow_one_received(&t);
	cube_fail_node(&t.c, SLOW);
	fine = fine && trial_all_end(&t, node, n, 1);
	for (u = 0; u < n && fine; u++) {
		const struct trial_result *o = &t.p[node[u]].op[0];

		fine = o->named == notify && o->res.status == (notify ? -EHOSTUNREACH : 0) &&
		       o->missing[0] == (notify ? 1u << SLOW : 0) && o->got == 8 * TRIAL_SEGMENT;
		for (i = 0; i < t.c.nodes && fine; i++)
			fine = trial_block_right(&t, o, 0, i, i);
		if (!fine)
			printf("# node %u: status %d, missing %x, %zu bytes\n", node[u],
			       o->res.status, o->missing[0], o->got);
	}
	return trial_end(&t) && fine;
}

TEST(failed_member_that_may_lack_blocks_is_named_if_notify_is_set)
{
	ASSERT_TRUE(slow_one_is_named(true));
	ASSERT_TRUE(slow_one_is_named(false));
}

/* All members except a leaf, whose process does not receive, have all blocks, and wait for the
 * notification that the leaf has their blocks. When another leaf loses its link, all members must
 * resume the operation, and complete it.
 */
TEST(members_waiting_for_notice_resume_operation_after_link_fails)
{
	struct trial t = { .chunks = 1, .notify = true };
	unsigned int u, behind = 1, node[CUBE_MAX];
	uint64_t end = deadline(10);

	ASSERT_TRUE(trial_begin(&t, 3, TRIAL_LEAVES));
	for (u = 0; u < 8; u++) {
		ASSERT_TRUE(trial_contribute(&t, u));
		node[u] = u;
	}
	while (behind && now_ms() < end)
		for (u = 0, behind = 0; u < 8; u++) {
			ASSERT_TRUE(u == SLOW || trial_receive(&t, u) >= 0);
			behind += u != SLOW && t.p[u].op[0].got < 8 * TRIAL_SEGMENT;
		}
	ASSERT_EQ(0, behind);
	EXPECT_FALSE(t.p[0].op[0].ended);
	ASSERT_EQ(0, cube_fail_link(&t.c, 2, 2));
	ASSERT_TRUE(trial_all_end(&t, node, 8, 1));
	for (u = 0; u < 8; u++)
		EXPECT_TRUE(trial_result_right(&t, u, 0, node, 8));
	ASSERT_TRUE(trial_end(&t));
}

TEST_HARNESS_MAIN
