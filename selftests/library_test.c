// SPDX-License-Identifier: GPL-2.0
/*
 * Collectives of the user library.
 *
 * Scheduling: shared
 */
#include "handles.h"
#include "ktap.h"

TEST(reduction_returns_the_sum_of_all_nodes)
{
	struct hypercube_result res;
	uint64_t in[NODES], out = 0, id;
	unsigned int i;

	ASSERT_EQ(true, set_up());
	for (i = 0; i < NODES; i++) {
		in[i] = 1 << i;
		ASSERT_EQ(0, post(i, &sum64, &in[i], 8, &out, 8, i ? NULL : &id));
	}
	ASSERT_EQ(0, hcl_wait(h[0], id, &res));
	EXPECT_EQ((1 << NODES) - 1, out);
	EXPECT_EQ(0, res.status);
	EXPECT_EQ(3, res.steps);
	EXPECT_EQ(id, res.cookie);
	EXPECT_EQ(8, res.bytes);
	/* A second call of hcl_wait() for an operation that has ended returns 0 at once. */
	EXPECT_EQ(0, hcl_wait(h[0], id, &res));
	EXPECT_EQ(-EINVAL, hcl_wait(h[0], id + 1, &res));
}

TEST(many_operations_in_flight_have_right_results)
{
	enum { MANY = 300 };
	static uint64_t in[MANY], out[MANY], id[MANY];
	unsigned int i, k;

	ASSERT_EQ(true, set_up());
	for (k = 0; k < MANY; k++)
		in[k] = k;
	for (i = 0; i < NODES; i++)
		for (k = 0; k < MANY; k++)
			ASSERT_EQ(0, post(i, &sum64, &in[k], 8, &out[k], 8, i ? NULL : &id[k]));
	ASSERT_EQ(true, move_until(0, id[MANY - 1]));
	for (k = 0; k < MANY; k++) {
		EXPECT_EQ(0, hcl_wait(h[0], id[k], NULL));
		EXPECT_EQ(NODES * k, out[k]);
	}
	for (i = 0; i < NODES; i++)
		EXPECT_EQ(0, hcl_flush(h[i]));
}

TEST(contributions_larger_than_all_buffers_are_reduced)
{
	size_t bytes = 8 << 20, i;
	uint64_t *in = malloc(bytes), *out = calloc(1, bytes), id, wrong = 0;
	struct hypercube_result res;

	ASSERT_EQ(true, set_up());
	for (i = 0; i < bytes / 8; i++)
		in[i] = i;
	for (i = 0; i < NODES; i++)
		ASSERT_EQ(0, post(i, &sum64, in, bytes, out, bytes, i ? NULL : &id));
	ASSERT_EQ(true, move_until(0, id));
	ASSERT_EQ(0, hcl_wait(h[0], id, &res));
	for (i = 0; i < bytes / 8; i++)
		wrong += out[i] != NODES * i;
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(bytes, res.bytes);
	free(in);
	free(out);
}

TEST(result_larger_than_buffer_is_truncated_with_emsgsize)
{
	uint64_t in[4] = { 1, 2, 3, 4 }, out[5] = { 0 }, id, id2;
	unsigned int i;

	ASSERT_EQ(true, set_up());
	for (i = 0; i < NODES; i++) {
		ASSERT_EQ(0, post(i, &sum64, in, 32, out, 16, i ? NULL : &id));
		ASSERT_EQ(0, post(i, &sum64, in, 8, &out[4], 8, i ? NULL : &id2));
	}
	EXPECT_EQ(0, hcl_wait(h[0], id2, NULL));
	EXPECT_EQ(-EMSGSIZE, hcl_wait(h[0], id, NULL));
	EXPECT_EQ(2 * NODES, out[1]);
	EXPECT_EQ(0, out[2]);
	EXPECT_EQ(NODES, out[4]);
}

TEST(empty_contributions_are_reduced)
{
	uint64_t id, dummy;
	struct hypercube_result res;
	unsigned int i;

	ASSERT_EQ(true, set_up());
	for (i = 0; i < NODES; i++)
		ASSERT_EQ(0, post(i, &sum64, NULL, 0, &dummy, 0, i ? NULL : &id));
	EXPECT_EQ(0, hcl_wait(h[0], id, &res));
	EXPECT_EQ(0, res.bytes);
}

TEST(sorted_runs_of_different_lengths_are_merged)
{
	struct hcl_params p = {
		.plan = PLAN, .oper = HYPERCUBE_MERGE, .type = HYPERCUBE_RECORD, .width = 3,
	};
	static const char * const run[NODES] = {
		"aaabbb", "", "abc", "zzz", "", "aabaacaad", "b12", ""
	};
	char out[64] = "";
	struct hypercube_result res;
	unsigned int i;
	uint64_t id;

	ASSERT_EQ(true, set_up());
	for (i = 0; i < NODES; i++)
		ASSERT_EQ(0, post(i, &p, run[i], strlen(run[i]), out, sizeof(out), i ? NULL : &id));
	ASSERT_EQ(0, hcl_wait(h[0], id, &res));
	EXPECT_EQ(24, res.bytes);
	EXPECT_EQ(0, strcmp(out, "aaaaabaacaadabcb12bbbzzz"));
}

TEST(contributor_with_notify_flag_is_notified_of_completion)
{
	struct hcl_params p = sum64;
	struct hypercube_result res;
	uint64_t in = 1, out, id[NODES];
	unsigned int i;

	ASSERT_EQ(true, set_up());
	p.flags = HYPERCUBE_F_NOTIFY;
	for (i = 0; i < NODES; i++)
		ASSERT_EQ(0, post(i, i == 5 ? &p : &sum64, &in, 8, &out, 8, &id[i]));
	EXPECT_EQ(0, hcl_wait(h[5], id[5], &res));
	EXPECT_EQ(0, res.bytes);
	EXPECT_EQ(3, res.steps);
	EXPECT_EQ(0, hcl_wait(h[3], id[3], &res));
	EXPECT_EQ(0, hcl_wait(h[0], id[0], NULL));
}

TEST(member_that_leaves_is_named_and_next_operation_succeeds)
{
	uint64_t in = 1, out = 0, id;
	struct hypercube_result res;
	char text[160];
	unsigned int i;

	ASSERT_EQ(true, set_up());
	/* Let node 5 take part in an operation, so that the others are notified when it leaves. */
	for (i = 0; i < NODES; i++)
		ASSERT_EQ(0, post(i, &sum64, &in, 8, &out, 8, i ? NULL : &id));
	ASSERT_EQ(0, hcl_wait(h[0], id, NULL));
	for (i = 0; i < NODES; i++)
		if (i != 5)
			ASSERT_EQ(0, post(i, &sum64, &in, 8, &out, 8, i ? NULL : &id));
	hcl_close(h[5]);
	EXPECT_EQ(-ECONNRESET, hcl_wait(h[0], id, &res));
	EXPECT_EQ(5, res.cause_node);
	EXPECT_EQ(0, strcmp(hcl_describe(&res, text, sizeof(text)), "node 5 left"));
	/* The other members get the failure, although they have not requested a notification. */
	for (i = 1; i < NODES; i++)
		if (i != 5) {
			int ret = 0, tries;

			for (tries = 0; !ret && tries < 1000; tries++, usleep(1000))
				ret = hcl_flush(h[i]);
			EXPECT_EQ(-ECONNRESET, ret);
			EXPECT_EQ(5, hcl_failure(h[i])->cause_node);
		}
	ASSERT_EQ(0, hcl_open(&h[5], FABRIC, 5));
	for (i = 0; i < NODES; i++)
		ASSERT_EQ(0, post(i, &sum64, &in, 8, &out, 8, i ? NULL : &id));
	EXPECT_EQ(0, hcl_wait(h[0], id, NULL));
	EXPECT_EQ(NODES, out);
}

TEST(link_that_fails_is_named_and_ends_operations_under_way)
{
	size_t bytes = 8 << 20;
	uint64_t *in = calloc(1, bytes), *out = calloc(1, bytes), id[NODES];
	struct hypercube_result res;
	char text[160], want[32];
	unsigned int i;

	ASSERT_EQ(true, set_up());
	/* Node 7 does not contribute, so the buffers of the other members become full. */
	for (i = 0; i < NODES - 1; i++)
		ASSERT_EQ(0, post(i, &sum64, in, bytes, out, bytes, &id[i]));
	ASSERT_EQ(0, tool("link set " FABRIC " 4:2 down"));
	for (i = 0; i < NODES - 1; i++) {
		EXPECT_EQ(-ENOLINK, hcl_wait(h[i], id[i], &res));
		snprintf(want, sizeof(want), "link %u:2 went down", res.cause_node);
		EXPECT_EQ(0, res.cause_node & 3);
		EXPECT_EQ(0, strcmp(hcl_describe(&res, text, sizeof(text)), want));
	}
	EXPECT_EQ(-ENOLINK, hcl_post(h[7], &sum64, in, 8, NULL, 0, NULL));
	ASSERT_EQ(0, tool("link set " FABRIC " 4:2 up"));
	ASSERT_EQ(0, tool("tree find fabric " FABRIC " apply plan 1 sink 0"));
	for (i = 0; i < NODES; i++)
		ASSERT_EQ(0, post(i, &sum64, in, 8, out, 8, &id[i]));
	EXPECT_EQ(0, hcl_wait(h[0], id[0], NULL));
	free(in);
	free(out);
}

TEST(different_operators_are_a_protocol_error)
{
	struct hcl_params p = sum64;
	uint64_t in = 1, out, id;
	struct hypercube_result res;
	unsigned int i;

	ASSERT_EQ(true, set_up());
	p.oper = HYPERCUBE_MAX;
	for (i = 0; i < NODES; i++)
		ASSERT_EQ(0, post(i, i == 6 ? &p : &sum64, &in, 8, &out, 8, i ? NULL : &id));
	EXPECT_EQ(-EPROTO, hcl_wait(h[0], id, &res));
}

/* One process, without threads, posts for all members and then waits for all. */
TEST(all_members_get_the_result_of_an_allreduce_and_leave_a_barrier)
{
	struct hcl_params all = sum64, barrier = { .plan = 1, .collective = HYPERCUBE_BARRIER };
	uint64_t in[NODES], out[NODES] = { 0 }, id[NODES], bar[NODES];
	struct hypercube_result res;
	unsigned int i;

	ASSERT_EQ(true, set_up());
	all.collective = HYPERCUBE_ALLREDUCE;
	for (i = 0; i < NODES; i++) {
		in[i] = 1ull << i;
		ASSERT_EQ(0, hcl_post(h[i], &all, &in[i], 8, &out[i], 8, &id[i]));
		if (i)
			ASSERT_EQ(0, hcl_post(h[i], &barrier, NULL, 0, NULL, 0, &bar[i]));
	}
	for (i = 0; i < NODES; i++) {
		EXPECT_EQ(0, hcl_wait(h[i], id[i], &res));
		EXPECT_EQ((1 << NODES) - 1, out[i]);
		EXPECT_EQ(HYPERCUBE_ALLREDUCE, res.collective);
	}
	hcl_set_timeout(h[1], 50);
	EXPECT_EQ(-ETIMEDOUT, hcl_wait(h[1], bar[1], NULL));
	ASSERT_EQ(0, hcl_barrier(h[0], 1, &res));
	for (i = 1; i < NODES; i++)
		EXPECT_EQ(0, hcl_wait(h[i], bar[i], NULL));
	EXPECT_EQ(-EINVAL, hcl_post(h[0], &barrier, in, 8, NULL, 0, NULL));
}

TEST(broadcast_reaches_all_members_and_is_acknowledged)
{
	static char in[100000], out[100000];
	struct hcl_params p = {
		.plan = 2, .collective = HYPERCUBE_BCAST, .flags = HYPERCUBE_F_NOTIFY,
	};
	struct hypercube_result res;
	uint64_t id;
	unsigned int i;

	ASSERT_EQ(true, set_up_bcast());
	for (i = 0; i < sizeof(in); i++)
		in[i] = i * 7 >> 3;
	ASSERT_EQ(0, hcl_post(h[5], &p, in, sizeof(in), NULL, 0, &id));
	for (i = 0; i < NODES; i++)
		if (i != 5) {
			memset(out, 0, sizeof(out));
			ASSERT_EQ(0, hcl_bcast(h[i], 2, 5, out, sizeof(out), 0, &res));
			EXPECT_EQ(0, memcmp(in, out, sizeof(in)));
			EXPECT_EQ(sizeof(in), res.bytes);
			EXPECT_EQ(HYPERCUBE_BCAST, res.collective);
			EXPECT_GT(4, res.steps);
		}
	EXPECT_EQ(0, hcl_wait(h[5], id, &res));
	EXPECT_EQ(3, res.steps);
	/* Broadcast an empty message, without requesting a notification. */
	EXPECT_EQ(0, hcl_bcast(h[5], 2, 5, NULL, 0, 0, &res));
	EXPECT_EQ(0, res.steps);
	EXPECT_EQ(0, hcl_bcast(h[2], 2, 5, NULL, 0, 0, &res));
	EXPECT_EQ(0, res.bytes);
}

TEST(messages_that_arrive_early_are_kept_until_received)
{
	struct hcl_params p = { .plan = 2, .collective = HYPERCUBE_BCAST };
	uint64_t in = 1, sum = 0, out[3] = { 0 }, id, later;
	char text[3][8] = { "one", "two", "three" }, got[3][8];
	struct hypercube_result res;
	unsigned int i;

	ASSERT_EQ(true, set_up_bcast());
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, hcl_bcast(h[5], 2, 5, text[i], sizeof(text[i]), 0, NULL));
	/* The sum must arrive at the root of the tree although three messages that arrived before
	 * it have not been received.
	 */
	for (i = 0; i < NODES; i++)
		ASSERT_EQ(0, post(i, &sum64, &in, 8, &sum, 8, i ? NULL : &id));
	ASSERT_EQ(0, hcl_wait(h[0], id, NULL));
	EXPECT_EQ(NODES, sum);
	ASSERT_EQ(0, hcl_bcast(h[0], 2, 5, got[0], 8, 0, NULL));
	/* The second message has already arrived. The buffer is too short for the third message. */
	ASSERT_EQ(0, hcl_post(h[0], &p, NULL, 0, got[1], 8, &id));
	EXPECT_EQ(-EMSGSIZE, hcl_bcast(h[0], 2, 5, got[2], 4, 0, &res));
	EXPECT_EQ(8, res.bytes);
	EXPECT_EQ(1, hcl_test(h[0], id));
	EXPECT_EQ(0, hcl_wait(h[0], id, NULL));
	EXPECT_EQ(0, strcmp(got[0], "one") | strcmp(got[1], "two") | memcmp(got[2], "thre", 4));
	/* Post receive operations for two messages before these arrive, and a sum between them. */
	ASSERT_EQ(0, hcl_post(h[0], &p, NULL, 0, &out[0], 8, &id));
	ASSERT_EQ(0, hcl_post(h[0], &p, NULL, 0, &out[1], 8, &later));
	for (i = 0; i < NODES; i++)
		ASSERT_EQ(0, post(i, &sum64, &in, 8, &out[2], 8, NULL));
	in = 7;
	ASSERT_EQ(0, hcl_bcast(h[5], 2, 5, &in, 8, 0, NULL));
	in = 8;
	ASSERT_EQ(0, hcl_bcast(h[5], 2, 5, &in, 8, 0, NULL));
	EXPECT_EQ(0, hcl_wait(h[0], later, NULL));
	EXPECT_EQ(1, hcl_test(h[0], id));
	EXPECT_EQ(7, out[0]);
	EXPECT_EQ(8, out[1]);
}

TEST(broadcast_that_cannot_arrive_returns_an_error)
{
	struct hypercube_result res;
	char buf[8] = "";

	ASSERT_EQ(true, set_up_bcast());
	EXPECT_EQ(-ENOENT, hcl_bcast(h[1], 99, 5, buf, 8, 0, &res));
	EXPECT_EQ(-EPROTOTYPE, hcl_bcast(h[1], PLAN, 5, buf, 8, 0, NULL));
	EXPECT_EQ(-EPERM, hcl_bcast(h[1], 2, 1, buf, 8, 0, NULL));
	EXPECT_EQ(-EINVAL, hcl_bcast(h[5], 2, 5, buf, 8, 4, NULL));
	/* If the source of the plan passes another root, the call fails, and no message is sent. */
	EXPECT_EQ(-EINVAL, hcl_bcast(h[5], 2, 0, buf, 8, 0, NULL));
	hcl_set_timeout(h[1], 50);
	EXPECT_EQ(-ETIMEDOUT, hcl_bcast(h[1], 2, 5, buf, 8, 0, &res));
	hcl_set_timeout(h[1], 5000);
	ASSERT_EQ(0, hcl_bcast(h[5], 2, 5, "again", 6, 0, NULL));
	EXPECT_EQ(0, hcl_bcast(h[1], 2, 5, buf, 8, 0, NULL));
	EXPECT_EQ(0, strcmp(buf, "again"));
	ASSERT_EQ(0, tool("link set " FABRIC " 5:0 down"));
	EXPECT_EQ(-ENOLINK, hcl_bcast(h[5], 2, 5, buf, 8, 0, NULL));
	EXPECT_EQ(-ENOLINK, hcl_bcast(h[1], 2, 5, buf, 8, 0, &res));
	EXPECT_EQ(-ENOLINK, res.status);
}

TEST(blocks_are_gathered_and_scattered)
{
	struct hcl_params p = { .plan = PLAN, .collective = HYPERCUBE_GATHER };
	uint32_t in[NODES][3], all[NODES][3] = { 0 }, out[NODES][3] = { 0 };
	uint64_t id[NODES];
	struct hypercube_result res;
	unsigned int i;

	ASSERT_EQ(true, set_up());
	for (i = 0; i < NODES; i++) {
		in[i][0] = 1000 + i;
		in[i][1] = i * i;
		in[i][2] = ~i;
		if (i)
			ASSERT_EQ(0, hcl_gather(h[i], PLAN, in[i], 12, NULL, 0, NULL));
	}
	ASSERT_EQ(0, hcl_gather(h[0], PLAN, in[0], 12, all, sizeof(all), &res));
	EXPECT_EQ(sizeof(all), res.bytes);
	EXPECT_EQ(0, memcmp(in, all, sizeof(all)));
	p.collective = HYPERCUBE_SCATTER;
	for (i = 1; i < NODES; i++)
		ASSERT_EQ(0, hcl_post(h[i], &p, NULL, 0, out[i], 12, &id[i]));
	ASSERT_EQ(0, hcl_scatter(h[0], PLAN, all, sizeof(all), out[0], 12, &res));
	EXPECT_EQ(12, res.bytes);
	for (i = 1; i < NODES; i++)
		EXPECT_EQ(0, hcl_wait(h[i], id[i], &res));
	EXPECT_EQ(0, memcmp(in, out, sizeof(out)));
	EXPECT_EQ(-EINVAL, hcl_scatter(h[0], PLAN, all, 9, out[0], 12, NULL));
	EXPECT_EQ(-EINVAL, hcl_scatter(h[3], PLAN, all, 8, out[0], 12, NULL));
}

TEST(library_puts_takes_and_completes_tasks)
{
	static char buf[HYPERCUBE_TASK_MAX], said[256];
	struct hcl *producer, *worker, *other;
	struct hypercube_task put, got;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, hcl_task_open(&producer, FABRIC, 3));
	ASSERT_EQ(0, hcl_task_open(&worker, FABRIC, 3));
	ASSERT_EQ(0, hcl_task_open(&other, FABRIC, 4));
	EXPECT_EQ(-EADDRNOTAVAIL, hcl_task_open(&other, FABRIC, NODES));
	EXPECT_EQ(0, hcl_task_put(producer, "one", 3, 0, &put));
	EXPECT_EQ(3, put.node);
	EXPECT_EQ(1, put.nr);
	EXPECT_EQ(0, hcl_task_put(producer, "two", 3, HYPERCUBE_TASK_IDEMPOTENT, NULL));
	EXPECT_EQ(-EINVAL, hcl_task_put(producer, "x", 1, HYPERCUBE_TASK_REDELIVERED, NULL));
	EXPECT_EQ(0, strcmp("0x2 are no flags of a new task",
			    hcl_explain(producer, said, sizeof(said))));
	EXPECT_EQ(-EMSGSIZE, hcl_task_put(producer, buf, sizeof(buf) + 1, 0, NULL));
	EXPECT_EQ(-EMSGSIZE, hcl_task_take(worker, buf, 2, &got));
	EXPECT_EQ(3, hcl_task_take(worker, buf, sizeof(buf), &got));
	EXPECT_EQ(0, memcmp(buf, "one", 3));
	EXPECT_EQ(put.nr, got.nr);
	EXPECT_EQ(-ENOENT, hcl_task_done(producer, &got));
	EXPECT_EQ(0, strcmp("the worker does not hold task 3:1",
			    hcl_explain(producer, said, sizeof(said))));
	EXPECT_EQ(0, hcl_task_done(worker, &got));
	EXPECT_EQ(3, hcl_task_take(worker, buf, sizeof(buf), &got));
	hcl_close(worker);
	EXPECT_EQ(3, hcl_task_take(producer, buf, sizeof(buf), &got));
	EXPECT_EQ(HYPERCUBE_TASK_IDEMPOTENT | HYPERCUBE_TASK_REDELIVERED, got.flags);
	EXPECT_EQ(0, hcl_task_done(producer, &got));
	EXPECT_EQ(0, hcl_set_timeout(other, 50));
	EXPECT_EQ(-ETIMEDOUT, hcl_task_take(other, buf, sizeof(buf), &got));
	EXPECT_EQ(0, strcmp("no task came within 50 ms", hcl_explain(other, said, sizeof(said))));
	EXPECT_LE(0, hcl_fd(other));
	hcl_close(producer);
	hcl_close(other);
}

TEST_HARNESS_MAIN
