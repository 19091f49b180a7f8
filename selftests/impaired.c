// SPDX-License-Identifier: GPL-2.0
/*
 * Operations and messages over slow links that lose, corrupt, duplicate and delay frames. Results
 * are right, each message arrives once and in order, and all this takes about as long as it must.
 * No queue overflows, and none remains after its fabric is removed.
 *
 * Scheduling: alone
 */
#include <stdlib.h>
#include <string.h>

#include "cube.h"
#include "ktap.h"

#define PLAN 1
#define MS 1000000ull

static int start(struct cube *c, unsigned int dim, unsigned int segment)
{
	int err = cube_new(c, dim, segment);

	if (!err)
		err = cube_plan(c, PLAN);
	return err ? err : cube_bind_all(c);
}

/* --- collectives --- */

struct work {
	unsigned int collective;
	unsigned int oper;
	size_t count;		/* number of elements (u64) of each member */
};

static const uint64_t *numbers(uint64_t first, uint64_t step, size_t count)
{
	uint64_t *v = malloc(count * sizeof(*v));
	size_t i;

	for (i = 0; i < count; i++)
		v[i] = first + i * step;
	return v;
}

static void job_fill(struct job *j, const struct work *w, unsigned int i, unsigned int n, bool gets)
{
	bool merge = w->oper == HYPERCUBE_MERGE;
	size_t result = w->count * (merge ? n : 1);

	j->op = (struct hypercube_op){
		.plan = PLAN, .collective = w->collective, .oper = w->oper,
		.type = HYPERCUBE_U64, .bytes = w->count * sizeof(uint64_t),
	};
	if (w->collective == HYPERCUBE_REDUCE)
		j->op.flags = HYPERCUBE_F_NOTIFY;
	j->in = merge ? numbers(i, n, w->count) : numbers(1ull << i, 1ull << 32, w->count);
	/* If a contribution were counted twice, or not at all, this would change the low bits of
	 * each sum.
	 */
	if (gets)
		j->expect = merge ? numbers(0, 1, result) :
				    numbers((1ull << n) - 1, (uint64_t)n << 32, w->count);
	j->waits = true;
}

/* Run one operation at all members. Return: 0 if all got the right result; -EBADMSG if one got a
 * wrong result or no end; else the error that a member got.
 */
static int run(struct cube *c, const struct work *w, int seconds)
{
	unsigned int node[CUBE_MAX], i;
	struct party p[CUBE_MAX];
	unsigned int n = parties(c, p, node, 1);
	int err = 0;

	for (i = 0; i < n; i++)
		job_fill(&p[i].job[0], w, i, n, w->collective == HYPERCUBE_ALLREDUCE ||
			 node[i] == c->plan.tree.sink);
	if (drive(p, n, seconds)) {
		ctl_op_print(c->name);
		err = -EBADMSG;
	}
	for (i = 0; i < n; i++) {
		const struct job *j = &p[i].job[0];
		size_t want = !j->expect ? 0 : w->count * (w->oper == HYPERCUBE_MERGE ? n : 1);

		if (j->wrong || j->ends + !!j->refused != 1 ||
		    (!j->refused && !j->res.status && j->got != want * sizeof(uint64_t)))
			err = -EBADMSG;
		else if (!err)
			err = j->refused ? j->refused : j->res.status;
	}
	for (i = 0; i < n; i++) {
		free((void *)p[i].job[0].in);
		free((void *)p[i].job[0].expect);
	}
	parties_free(p, n);
	return err;
}

static const struct work works[] = {
	{ HYPERCUBE_REDUCE, HYPERCUBE_SUM, 1 },
	{ HYPERCUBE_REDUCE, HYPERCUBE_SUM, 9000 },
	{ HYPERCUBE_REDUCE, HYPERCUBE_MERGE, 3000 },
	{ HYPERCUBE_ALLREDUCE, HYPERCUBE_SUM, 9000 },
};

/* --- messages --- */

/* Send @count messages from node 0 to the most distant node, through sockets that are bound for
 * this. Return: number of messages that arrived, in order and once each; 0 if one arrived out of
 * order or twice.
 */
static unsigned int messages(struct cube *c, unsigned int count)
{
	int from = shc_bound(c->name, 0, SOCK_DGRAM);
	int to = shc_bound(c->name, c->nodes - 1, SOCK_DGRAM);
	struct sockaddr_hypercube a = shc_addr(c->name, c->nodes - 1);
	uint64_t end = deadline(5);
	uint32_t sent = 0, came = 0, nr;
	bool right = from >= 0 && to >= 0;

	while (right && came < count && now_ms() < end) {
		if (sent < count && sendto(from, &sent, sizeof(sent), MSG_DONTWAIT,
					   (struct sockaddr *)&a, sizeof(a)) == sizeof(sent))
			sent++;
		while (right && recv(to, &nr, sizeof(nr), MSG_DONTWAIT) == sizeof(nr))
			right = nr == came++;
		usleep(100);
	}
	/* Wait: no message may arrive a second time. */
	usleep(20000 * wait_secs(1));
	right &= recv(to, &nr, sizeof(nr), MSG_DONTWAIT) < 0;
	close(from);
	close(to);
	return right ? came : 0;
}

static int quiet_sums(struct cube *c, struct link_sums *s)
{
	uint64_t end = deadline(5), frames;
	int err = ctl_link_sums(c->name, s);

	do {
		frames = s->tx_frames;
		usleep(30000 * wait_secs(1));
		err = err ? err : ctl_link_sums(c->name, s);
	} while (!err && (s->queued || s->tx_frames != frames) && now_ms() < end);
	return err;
}

/* --- tests --- */

TEST(corrupted_frame_fails_checksum_and_never_changes_result)
{
	const struct impairments bad = { .corrupt = 30000, .seed = 4 };
	struct link_sums s = { 0 };
	unsigned int round;
	struct cube c;

	ASSERT_EQ(0, start(&c, 3, 4096));
	ASSERT_EQ(0, cube_impair(&c, &bad));
	/* On a kernel with debugging, scaled() gives few rounds, so continue until a frame was
	 * corrupted.
	 */
	for (round = 0; round < scaled(16) || (round < 16 && !s.corrupted); round++) {
		EXPECT_EQ(0, run(&c, &works[round % ARRAY_SIZE(works)], 8));
		ASSERT_EQ(0, ctl_link_sums(c.name, &s));
	}
	/* Each corrupted frame must fail its checksum, and no other frame may. */
	ASSERT_EQ(0, quiet_sums(&c, &s));
	EXPECT_GT(s.corrupted, 0);
	EXPECT_EQ(s.corrupted, s.checksum);
	EXPECT_EQ(s.corrupted, s.replays);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(messages_arrive_once_and_in_order_over_impaired_links)
{
	const struct impairments bad = {
		.loss = 100000, .corrupt = 50000, .duplicate = 100000, .seed = 11,
	};
	struct cube c;

	ASSERT_EQ(0, start(&c, 3, 4096));
	ASSERT_EQ(0, cube_impair(&c, &bad));
	EXPECT_EQ(500, messages(&c, 500));
	EXPECT_EQ(0, cube_del(&c));
}

/* On a link with a cost of 1 us, each failed attempt to send a frame adds 3 us to the modelled
 * time: for the frame, for the answer, and for the next attempt. It does not change the number of
 * steps.
 */
TEST(failed_attempts_add_modelled_time_but_no_steps)
{
	const struct impairments bad = { .loss = 900000, .seed = 1 };
	struct hypercube_result good, res;
	struct link_sums s;
	struct cube c;

	ASSERT_EQ(0, start(&c, 2, 4096));
	ASSERT_EQ(0, cube_reduce(&c, PLAN, &good));
	ASSERT_EQ(0, cube_impair(&c, &bad));
	EXPECT_EQ(0, cube_reduce(&c, PLAN, &res));
	ASSERT_EQ(0, quiet_sums(&c, &s));
	EXPECT_GT(s.replays, 0);
	EXPECT_EQ(good.steps, res.steps);
	EXPECT_GT(res.time, good.time + 2000);
	EXPECT_EQ(0, cube_del(&c));
}

/* Messages arrive in order, and later by the time that failed attempts take. */
TEST(failed_attempts_delay_messages_but_keep_their_order)
{
	const struct impairments bad = { .loss = 500000, .delay = 20 * MS, .seed = 5 };
	struct link_sums before, s;
	uint64_t begin;
	struct cube c;

	ASSERT_EQ(0, start(&c, 1, 4096));
	ASSERT_EQ(0, cube_impair(&c, &bad));
	ASSERT_EQ(0, quiet_sums(&c, &before));
	begin = now_ms();
	EXPECT_EQ(50, messages(&c, 50));
	ASSERT_EQ(0, quiet_sums(&c, &s));
	EXPECT_GT(s.replays - before.replays, 20);
	EXPECT_GE(now_ms() - begin, 60);
	EXPECT_EQ(0, cube_del(&c));
}

/* Nine of ten attempts to send a frame fail. The corrupted copies that are on the link at a time
 * must take only limited memory.
 */
TEST(corrupted_frames_on_a_link_take_limited_memory)
{
	const struct impairments bad = { .corrupt = 900000, .delay = 200 * MS, .seed = 3 };
	struct sockaddr_hypercube a;
	static char load[30000];
	int room = 16 << 20, fd;
	struct link_sums s;
	unsigned int n = 0;
	struct cube c;

	ASSERT_EQ(0, start(&c, 1, 32768));
	a = shc_addr(c.name, 1);
	fd = shc_bound(c.name, 0, SOCK_DGRAM);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)));
	ASSERT_EQ(0, cube_impair(&c, &bad));
	while (n < 60 &&
	       sendto(fd, load, sizeof(load), MSG_DONTWAIT, (void *)&a, sizeof(a)) == sizeof(load))
		n++;
	usleep(100000);
	ASSERT_EQ(0, ctl_link_sums(c.name, &s));
	TH_LOG("%u messages: %llu copies, %llu bytes wait", n, (unsigned long long)s.corrupted,
	       (unsigned long long)s.queued_bytes);
	EXPECT_EQ(60, n);
	EXPECT_GT(s.corrupted, 30);
	EXPECT_GT(s.queued_bytes, 60 * sizeof(load));
	EXPECT_GT(7 << 20, s.queued_bytes);
	close(fd);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(duplicate_frames_are_dropped)
{
	const struct impairments bad = { .duplicate = 500000, .seed = 9 };
	struct link_sums s;
	struct cube c;
	unsigned int i;

	ASSERT_EQ(0, start(&c, 3, 4096));
	/* Frames over detours, and frames between members and their helpers, must be impaired as
	 * well.
	 */
	ASSERT_EQ(0, cube_fail_link(&c, 0, 0));
	ASSERT_EQ(0, cube_fail_link(&c, 6, 1));
	ASSERT_EQ(0, cube_plan_to(&c, PLAN, 3));
	ASSERT_EQ(0, cube_impair(&c, &bad));
	for (i = 0; i < ARRAY_SIZE(works) * scaled(3); i++)
		EXPECT_EQ(0, run(&c, &works[i % ARRAY_SIZE(works)], 10));
	EXPECT_EQ(0, cube_reduce(&c, PLAN, NULL));
	EXPECT_EQ(200, messages(&c, 200));
	ASSERT_EQ(0, quiet_sums(&c, &s));
	EXPECT_GT(s.duplicate, 0);
	EXPECT_EQ(s.duplicated, s.duplicate);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(rate_limited_link_loses_no_frames)
{
	const struct impairments slow = { .rate = 500000 };
	const struct work w = { HYPERCUBE_REDUCE, HYPERCUBE_SUM, 1 << 17 };
	struct link_sums s;
	uint64_t begin;
	struct cube c;

	ASSERT_EQ(0, start(&c, 2, 0));
	ASSERT_EQ(0, cube_impair(&c, &slow));
	begin = now_ms();
	EXPECT_EQ(0, run(&c, &w, 20));
	/* A transfer of 1 MiB over a link takes 2.1 s; all links transfer at the same time. */
	EXPECT_GE(now_ms() - begin, 2050);
	ASSERT_EQ(0, quiet_sums(&c, &s));
	EXPECT_GT(s.delayed, 60);
	EXPECT_EQ(0, s.queue_full);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(silence_of_peer_during_long_transfer_is_no_failure)
{
	const struct impairments slow = { .rate = 32000 };
	const struct work w = { HYPERCUBE_REDUCE, HYPERCUBE_SUM, 20000 };
	struct cube c;

	/* A transfer that takes five seconds, in which the peer sends nothing else, must not count
	 * as a failure.
	 */
	ASSERT_EQ(0, start(&c, 1, 0));
	ASSERT_EQ(0, cube_impair(&c, &slow));
	EXPECT_EQ(0, run(&c, &w, 30));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(jitter_preserves_frame_order)
{
	const struct impairments bad = { .delay = 3 * MS, .jitter = 3 * MS, .seed = 2 };
	struct hypercube_result res;
	struct link_sums s;
	struct cube c;
	uint64_t begin;
	unsigned int i;

	ASSERT_EQ(0, start(&c, 3, 4096));
	ASSERT_EQ(0, cube_impair(&c, &bad));
	ASSERT_EQ(0, cube_install(&c, PLAN));
	for (i = 0; i < ARRAY_SIZE(works); i++)
		EXPECT_EQ(0, run(&c, &works[i], 10));
	EXPECT_EQ(500, messages(&c, 500));
	ASSERT_EQ(0, quiet_sums(&c, &s));
	EXPECT_GT(s.delayed, 500);
	EXPECT_EQ(0, s.queued);
	/* There are three stages up and three stages down, each of which takes 0 to 6 ms. */
	begin = now_ms();
	EXPECT_EQ(0, cube_reduce(&c, PLAN, &res));
	EXPECT_GE(now_ms() - begin, 2);
	/* The model counts the delay without jitter. */
	EXPECT_GE(res.time, 9 * MS);
	EXPECT_GE(9 * MS + 100000, res.time);
	EXPECT_EQ(0, cube_del(&c));
}

/* If the delay of a link is set to 0, no frame may overtake frames that are still delayed. */
TEST(frames_keep_order_when_impairments_change_under_traffic)
{
	struct impairments bad = { .delay = 20 * MS };
	unsigned int i;
	struct cube c;

	ASSERT_EQ(0, start(&c, 2, 4096));
	for (i = 0; i < scaled(20); i++) {
		bad.delay = i % 2 ? 0 : 20 * MS;
		bad.rate = i % 3 ? 0 : 10000000;
		bad.duplicate = i % 5 ? 0 : 300000;
		ASSERT_EQ(0, cube_impair(&c, &bad));
		EXPECT_EQ(0, run(&c, &works[1], 10));
	}
	bad = (struct impairments){ 0 };
	ASSERT_EQ(0, cube_impair(&c, &bad));
	EXPECT_EQ(100, messages(&c, 100));
	EXPECT_EQ(0, cube_del(&c));
}

static int fill_queues(struct cube *c, struct party *p, unsigned int *n, uint64_t rate)
{
	const struct impairments slow = { .delay = 300 * MS, .rate = rate };
	unsigned int node[CUBE_MAX], i;
	int err = cube_impair(c, &slow);

	*n = parties(c, p, node, 1);
	for (i = 0; i < *n; i++)
		job_fill(&p[i].job[0], &works[1], i, *n, false);
	drive_some(p, *n, 3);
	return err;
}

TEST(fabric_is_removed_with_frames_in_its_queues)
{
	struct party p[CUBE_MAX];
	unsigned int i, n, m;
	struct link_sums s;
	struct cube c;

	for (i = 0; i < scaled(8); i++) {
		ASSERT_EQ(0, start(&c, 3, 4096));
		ASSERT_EQ(0, fill_queues(&c, p, &n, 100000));
		ASSERT_EQ(0, ctl_link_sums(c.name, &s));
		EXPECT_GT(s.queued, 0);
		if (i % 2)
			EXPECT_EQ(0, ctl_fabric_del(c.name));
		for (m = 0; m < n; m++)
			free((void *)p[m].job[0].in);
		parties_free(p, n);
		if (i % 2) {
			for (m = 0; m < c.nodes; m++)
				cube_close(&c, m);
			hc_faults_free(c.faults);
		} else {
			EXPECT_EQ(0, cube_del(&c));
		}
	}
	/* The last fabric is removed with its network namespace, as soon as the frames that its
	 * sockets have sent no longer hold a reference to the namespace.
	 */
	ASSERT_EQ(0, start(&c, 3, 4096));
	ASSERT_EQ(0, fill_queues(&c, p, &n, 0));
}

TEST_HARNESS_MAIN
