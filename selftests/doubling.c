// SPDX-License-Identifier: GPL-2.0
/*
 * Recursive doubling: every member has the bits of the plain computation, those of a
 * tree whose sink is the lowest node, in every run; plans only where nothing is
 * faulty; faults, losses and closed sockets end operations with definite errors.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "allreduce_types.h"
#include "ktap.h"

#define PLAN 1
#define TREE 2
#define MS 1000000ull

static int ready(struct cube *c, unsigned int dim, unsigned int segment)
{
	int err = cube_new(c, dim, segment);

	if (!err)
		err = cube_doubling(c, PLAN, hc_ones(dim), 0);
	return err ? err : cube_bind_all(c);
}

/* ------------------------------------------------------------ results */

TEST(all_kinds_have_the_same_bits_at_every_member)
{
	struct kind k[KINDS_MAX];
	unsigned int nk = kinds_all(k);
	struct cube c;

	ASSERT_EQ(0, ready(&c, 3, 256));
	EXPECT_EQ(0, kinds_run(&c, PLAN, k, nk, 37));
	EXPECT_EQ(0, cube_del(&c));
	ASSERT_EQ(0, ready(&c, 4, 256));
	EXPECT_EQ(0, kinds_run(&c, PLAN, k, nk, 1));
	EXPECT_EQ(0, kinds_run(&c, PLAN, k, nk, 137));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(sizes_from_nothing_to_megabytes)
{
	struct kind k = { HYPERCUBE_SUM, HYPERCUBE_F64, 0 };
	size_t seg, counts[] = { 0, 1, 63, 64, 65, 0, 0, 0, 0, 0, 1 << 17 };
	struct cube c;
	unsigned int i;

	ASSERT_EQ(0, ready(&c, 3, 0));
	seg = c.segment / 8;
	for (i = 0; i < 3; i++)
		counts[5 + i] = seg - 1 + i;
	counts[8] = 2 * seg;
	counts[9] = 2 * seg + 1;
	for (i = 0; i < ARRAY_SIZE(counts) && !_metadata->failed; i++)
		EXPECT_EQ(0, kinds_run(&c, PLAN, &k, 1, counts[i]));
	EXPECT_EQ(0, cube_del(&c));
}

/* One allreduce of the same data by plan @id into @out, op->bytes for each member.  0, the
 * operation's error, or -EBADMSG: a hang, or no result of that length.
 */
static int run_once(struct cube *c, unsigned int id, const struct hypercube_op *op,
		    const char *in, char *out)
{
	unsigned int node[CUBE_MAX], n, i;
	struct party p[CUBE_MAX];
	int err;

	n = parties(c, p, node, 1);
	for (i = 0; i < n; i++) {
		struct job *j = &p[i].job[0];

		j->op = *op;
		j->op.plan = id;
		j->in = in + node[i] * op->bytes;
		j->out = out + node[i] * op->bytes;
		j->room = op->bytes;
		j->waits = true;
	}
	err = drive(p, n, 20) ? -EBADMSG : 0;
	if (err)
		ctl_op_print(c->name);
	for (i = 0; i < n && !err; i++)
		err = p[i].job[0].res.status ? p[i].job[0].res.status :
		      p[i].job[0].got == op->bytes ? 0 : -EBADMSG;
	parties_free(p, n);
	return err;
}

static bool all_alike(const struct cube *c, const char *out, size_t bytes)
{
	unsigned int u;

	for (u = 1; u < c->nodes; u++)
		if (memcmp(out, out + u * bytes, bytes))
			return false;
	return true;
}

TEST(floats_have_the_bits_of_a_tree_in_every_run)
{
	static const unsigned int opers[] = { HYPERCUBE_SUM, HYPERCUBE_PROD, HYPERCUBE_MAX };
	const size_t count = 1500;
	char *in, *out, *again;
	unsigned int i, round;
	struct cube c;

	ASSERT_EQ(0, ready(&c, 4, 4096));
	/* The tree of the same order to the lowest node. */
	ASSERT_EQ(0, cube_install(&c, TREE));
	in = malloc(16 * count * 8);
	out = calloc(16 * count, 8);
	again = calloc(16 * count, 8);
	for (i = 0; i < ARRAY_SIZE(opers); i++) {
		struct hypercube_op op = {
			.collective = HYPERCUBE_ALLREDUCE, .oper = opers[i],
			.type = i == 1 ? HYPERCUBE_F32 : HYPERCUBE_F64,
			.bytes = i == 1 ? count * 4 : count * 8,
		};

		ref_fill(op.oper, op.type, 0, in, 16 * op.bytes, i == 2);
		ASSERT_EQ(0, run_once(&c, TREE, &op, in, out));
		EXPECT_TRUE(all_alike(&c, out, op.bytes));
		for (round = 0; round < 5; round++) {
			memset(again, 0, 16 * op.bytes);
			ASSERT_EQ(0, run_once(&c, PLAN, &op, in, again));
			EXPECT_EQ(0, memcmp(out, again, 16 * op.bytes));
		}
	}
	free(in);
	free(out);
	free(again);
	EXPECT_EQ(0, cube_del(&c));
}

/* NaNs of different payloads, and infinities of both signs: which NaN comes out depends
 * on the order of the operands, so that must be the same everywhere.
 */
TEST(nans_have_the_same_payload_everywhere)
{
	const unsigned int count = 64;
	struct hypercube_op op = {
		.collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_F64, .bytes = 8 * count,
	};
	uint64_t in[8 * 64], out[8 * 64], tree[8 * 64];
	unsigned int i, nans = 0;
	struct cube c;

	for (i = 0; i < 8 * count; i++)
		in[i] = below(3) ? 0x7ff8000000000000ull | (uint64_t)below(2) << 63 | rnd() >> 20 :
				   0x7ff0000000000000ull | (uint64_t)below(2) << 63;
	ASSERT_EQ(0, ready(&c, 3, 256));
	ASSERT_EQ(0, run_once(&c, PLAN, &op, (char *)in, (char *)out));
	EXPECT_TRUE(all_alike(&c, (char *)out, op.bytes));
	ASSERT_EQ(0, cube_install(&c, TREE));
	ASSERT_EQ(0, run_once(&c, TREE, &op, (char *)in, (char *)tree));
	EXPECT_EQ(0, memcmp(tree, out, op.bytes));
	for (i = 0; i < count; i++)
		nans += (out[i] << 1) > 0xffe0000000000000ull;
	EXPECT_EQ(count, nans);
	EXPECT_EQ(0, cube_del(&c));
}

/* Sums, minima and barriers of one plan in turn, back to back. */
TEST(many_in_flight_do_not_mix)
{
	const unsigned int njobs = 200;
	unsigned int node[CUBE_MAX], n, i, k;
	struct party p[CUBE_MAX];
	uint64_t in[CUBE_MAX], *out;
	struct cube c;

	ASSERT_EQ(0, ready(&c, 4, 0));
	n = parties(&c, p, node, njobs);
	out = calloc((size_t)n * njobs, sizeof(*out));
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++) {
			struct job *j = &p[i].job[k];
			bool barrier = k % 5 == 2;

			in[i] = node[i] + 1;
			j->op = (struct hypercube_op){
				.plan = PLAN, .bytes = barrier ? 0 : 8,
				.collective = barrier ? HYPERCUBE_BARRIER : HYPERCUBE_ALLREDUCE,
				.oper = barrier ? 0 : k % 3 ? HYPERCUBE_SUM : HYPERCUBE_MIN,
				.type = barrier ? 0 : HYPERCUBE_U64,
			};
			j->in = &in[i];
			j->waits = true;
			j->out = &out[(size_t)i * njobs + k];
			j->room = 8;
		}
	EXPECT_EQ(0, drive(p, n, 60));
	for (i = 0; i < n && !_metadata->failed; i++)
		for (k = 0; k < njobs && !_metadata->failed; k++) {
			const struct job *j = &p[i].job[k];

			EXPECT_EQ(1, j->ends);
			EXPECT_EQ(0, j->res.status);
			EXPECT_EQ(k, j->res.op);
			EXPECT_EQ(j->op.collective, j->res.collective);
			/* Each stage is one step, and one frame of the longest chain. */
			EXPECT_EQ(4, j->res.steps);
			EXPECT_EQ(4, j->res.clock);
			if (j->op.bytes)
				EXPECT_EQ(k % 3 ? 136 : 1, out[(size_t)i * njobs + k]);
		}
	if (_metadata->failed)
		ctl_op_print(c.name);
	free(out);
	parties_free(p, n);
	EXPECT_EQ(0, cube_del(&c));
}

static ssize_t recv_soon(int fd, struct hypercube_result *res)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool eor;
	char buf;

	poll(&p, 1, 1000 * patience(5));
	return shc_recv(fd, &buf, 1, res, &eor, 0);
}

TEST(a_barrier_keeps_all_and_says_who_is_missing)
{
	struct hypercube_op op = { .plan = PLAN, .collective = HYPERCUBE_BARRIER };
	unsigned int u, round, waiting;
	struct hypercube_result res;
	struct wait_view v;
	struct cube c;
	bool eor;
	char buf;

	ASSERT_EQ(0, ready(&c, 3, 0));
	for (round = 0; round < 8; round++) {
		for (u = 0; u < 8; u++)
			if (u != round)
				ASSERT_EQ(0, shc_send(c.fd[u], &op, "", 0, 0));
		usleep(2000);
		for (u = 0; u < 8; u++)
			EXPECT_EQ(-EAGAIN, shc_recv(c.fd[u], &buf, 1, &res, &eor, MSG_DONTWAIT));
		/* Those who wait for the missing one directly, and it for its process. */
		for (u = 0, waiting = 0; u < 8; u++) {
			ASSERT_EQ(0, ctl_op_get(c.name, PLAN, u, &v));
			waiting += v.wait == HYPERCUBE_WAIT_PEER && v.peer == round;
			if (u == round)
				EXPECT_TRUE(v.wait == HYPERCUBE_WAIT_OWN);
			else
				EXPECT_TRUE(v.wait == HYPERCUBE_WAIT_PEER);
		}
		EXPECT_EQ(3, waiting);
		ASSERT_EQ(0, shc_send(c.fd[round], &op, "", 0, 0));
		for (u = 0; u < 8; u++) {
			EXPECT_EQ(0, recv_soon(c.fd[u], &res));
			EXPECT_EQ(0, res.status);
			EXPECT_EQ(round, res.op);
		}
	}
	EXPECT_EQ(0, cube_del(&c));
}

/* Contribute what the kernel takes, receive nothing.  Bytes taken. */
static size_t send_only(int fd, uint64_t base, struct job *j)
{
	size_t before = j->sent;
	ssize_t n;

	j->op.cookie = base;
	while (j->sent < j->op.bytes) {
		n = shc_send(fd, j->begun ? NULL : &j->op, (const char *)j->in + j->sent,
			     j->op.bytes - j->sent, MSG_DONTWAIT);
		if (n <= 0)
			break;
		j->begun = true;
		j->sent += n;
	}
	return j->sent - before;
}

/* Megabytes with one member that does not receive: the others are held up, not lost. */
TEST(who_does_not_read_stops_the_others)
{
	struct kind k = { HYPERCUBE_SUM, HYPERCUBE_U64, 0 };
	unsigned int node[CUBE_MAX], n, i;
	struct party p[CUBE_MAX];
	struct cube c;
	int fd;

	ASSERT_EQ(0, ready(&c, 2, 0));
	n = parties(&c, p, node, 1);
	for (i = 0; i < n; i++)
		kind_fill(&p[i].job[0], PLAN, &k, 1 << 20);
	fd = p[2].fd;
	p[2].fd = -1;
	while (send_only(fd, p[2].base, &p[2].job[0]))
		drive_until_quiet(p, n, 200);
	for (i = 0; i < n; i++) {
		EXPECT_GT(p[i].job[0].op.bytes, p[i].job[0].got);
		EXPECT_TRUE(i == 2 || p[i].job[0].got > 0);
	}
	p[2].fd = fd;
	EXPECT_EQ(0, drive(p, n, 60));
	EXPECT_TRUE(kind_right(&c, p, node, n, 0));
	kind_free(p, n, 0);
	parties_free(p, n);
	EXPECT_EQ(0, cube_del(&c));
}

/* ------------------------------------------------------------ plans */

TEST(subcubes_run_beside_faults_and_each_other)
{
	struct kind k = { HYPERCUBE_SUM, HYPERCUBE_F32, 0 };
	struct hypercube_result res;
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 4, 0));
	ASSERT_EQ(0, cube_bind_all(&c));
	ASSERT_EQ(0, cube_fail_node(&c, 15));
	ASSERT_EQ(0, cube_fail_link(&c, 0, 0));
	/* X0X1: 1, 3, 9, 11, and beside it *00* without link 0:0. */
	ASSERT_EQ(0, cube_doubling(&c, PLAN, 0xa, 1));
	EXPECT_EQ(0, kinds_run(&c, PLAN, &k, 1, 3000));
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, &res));
	EXPECT_EQ(2, res.steps);
	ASSERT_EQ(0, cube_doubling(&c, TREE, 0x5, 8));
	EXPECT_EQ(0, kinds_run(&c, TREE, &k, 1, 3000));
	/* One node alone. */
	ASSERT_EQ(0, cube_doubling(&c, TREE, 0, 6));
	EXPECT_EQ(0, cube_allreduce(&c, TREE, &res));
	EXPECT_EQ(0, res.steps);
	EXPECT_EQ(0, cube_del(&c));
}

static bool refused_for(struct cube *c, uint32_t dims, uint32_t base, const char *words)
{
	int err = cube_doubling(c, PLAN, dims, base);

	if (err == -EINVAL && strstr(ctl()->extack, words))
		return true;
	printf("# error %d, \"%s\"\n", err, ctl()->extack);
	return false;
}

TEST(a_fault_in_the_subcube_is_named)
{
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 3, 0));
	ASSERT_EQ(0, cube_bind_all(&c));
	ASSERT_EQ(0, cube_fail_link(&c, 4, 1));
	EXPECT_TRUE(refused_for(&c, 7, 0, "link of the subcube is faulty: 4:1"));
	EXPECT_TRUE(refused_for(&c, 6, 0, "link of the subcube is faulty: 4:1"));
	/* It is outside of these. */
	ASSERT_EQ(0, cube_doubling(&c, PLAN, 3, 0));
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	ASSERT_EQ(0, cube_doubling(&c, PLAN, 5, 4));
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	ASSERT_EQ(0, cube_fail_node(&c, 7));
	EXPECT_TRUE(refused_for(&c, 5, 6, "failed or is cut off: node 7"));
	/* What was there is still there, and all is well again. */
	EXPECT_EQ(0, cube_heal(&c));
	ASSERT_EQ(0, cube_doubling(&c, PLAN, 7, 0));
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(only_what_doubling_can_do_may_begin)
{
	struct hypercube_op op = { .plan = PLAN, .bytes = 8 };
	uint64_t in = 1;
	struct cube c;

	ASSERT_EQ(0, ready(&c, 2, 0));
	op.collective = HYPERCUBE_GATHER;
	EXPECT_EQ(-EPROTOTYPE, shc_send(c.fd[0], &op, &in, 8, 0));
	op.collective = HYPERCUBE_SCATTER;
	EXPECT_EQ(-EPROTOTYPE, shc_send(c.fd[0], &op, &in, 8, 0));
	op.collective = HYPERCUBE_BCAST;
	EXPECT_EQ(-EPROTOTYPE, shc_send(c.fd[0], &op, &in, 8, 0));
	op.oper = HYPERCUBE_SUM;
	op.type = HYPERCUBE_U64;
	op.collective = HYPERCUBE_REDUCE;
	EXPECT_EQ(-EPROTOTYPE, shc_send(c.fd[0], &op, &in, 8, 0));
	op.collective = HYPERCUBE_ALLREDUCE;
	op.oper = HYPERCUBE_MERGE;
	EXPECT_EQ(-EOPNOTSUPP, shc_send(c.fd[0], &op, &in, 8, 0));
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

/* ------------------------------------------------------------ failures */

static void jobs_fill(struct party *p, unsigned int n, unsigned int njobs, uint64_t *in,
		      uint64_t *out, size_t bytes)
{
	unsigned int i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++) {
			struct job *j = &p[i].job[k];

			j->op = (struct hypercube_op){
				.plan = PLAN, .collective = HYPERCUBE_ALLREDUCE, .bytes = bytes,
				.oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
			};
			j->in = &in[i];
			j->period = 8;
			j->out = &out[(size_t)i * njobs + k];
			j->room = 8;
			j->waits = true;
		}
}

/* Many operations under way, then a blow: everybody hears of every end, those that
 * succeeded have the right sum, and a new plan works.
 */
static void blow(struct __test_metadata *_metadata, unsigned int how, size_t bytes)
{
	/* Of megabytes few are under way, and after a close they fail a second apart. */
	const unsigned int njobs = bytes > 8 ? 5 : 150;
	unsigned int node[CUBE_MAX], n, i, k, good = 0, failed = 0;
	uint64_t in[CUBE_MAX], *out, want = 0;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, ready(&c, 4, 0));
	n = parties(&c, p, node, njobs);
	out = calloc((size_t)n * njobs, sizeof(*out));
	for (i = 0; i < n; i++)
		want += in[i] = 1ull << node[i];
	jobs_fill(p, n, njobs, in, out, bytes);
	for (k = 0; k < 3; k++)
		drive_some(p, n, 7);
	switch (how) {
	case 0:
		ASSERT_EQ(0, cube_fail_link(&c, 10, 2));
		break;
	case 1:
		ASSERT_EQ(0, cube_fail_node(&c, 10));
		break;
	default:
		cube_close(&c, 10);
		p[10].fd = -1;
	}
	EXPECT_EQ(0, drive(p, n, 30));
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs && p[i].fd >= 0 && !_metadata->failed; k++) {
			const struct job *j = &p[i].job[k];

			EXPECT_EQ(1, j->ends + !!j->refused);
			good += j->ends && !j->res.status;
			failed += !j->ends || j->res.status;
			if (j->ends && !j->res.status) {
				EXPECT_EQ(bytes, j->got);
				EXPECT_EQ(want, out[(size_t)i * njobs + k]);
			} else if (j->ends && how != 1) {
				EXPECT_EQ(10, j->res.cause_node & ~(how ? 0 : 4));
				EXPECT_EQ(how ? -ECONNRESET : -ENOLINK, j->res.status);
			}
		}
	EXPECT_GT(failed, 0);
	/* Megabytes have hardly begun. */
	EXPECT_GT(good + (bytes > 8), 0);
	if (_metadata->failed)
		ctl_op_print(c.name);
	printf("# %u of %u ended well\n", good, n * njobs);
	free(out);
	parties_free(p, n);
	/* The members have begun different numbers of operations: all begin anew. */
	for (i = 0; i < c.nodes; i++)
		cube_close(&c, i);
	ASSERT_EQ(0, cube_bind_all(&c));
	ASSERT_EQ(0, how < 2 ? cube_doubling(&c, PLAN, 13, 0) : 0);
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(a_link_fails_under_many_operations)
{
	blow(_metadata, 0, 8);
}

TEST(a_link_fails_under_many_segments)
{
	blow(_metadata, 0, 1 << 20);
}

TEST(a_node_fails_under_many_operations)
{
	blow(_metadata, 1, 8);
}

TEST(a_member_closes_under_many_operations)
{
	blow(_metadata, 2, 8);
}

TEST(a_member_closes_under_many_segments)
{
	blow(_metadata, 2, 1 << 20);
}

/* What a process contributed goes on without it; the others have their results. */
TEST(who_leaves_after_contributing_is_not_missed)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = 8,
	};
	struct hypercube_result res;
	struct cube c;
	uint64_t one = 1, sum;
	unsigned int u;
	bool eor;

	ASSERT_EQ(0, ready(&c, 3, 0));
	for (u = 0; u < 7; u++)
		ASSERT_EQ(8, shc_send(c.fd[u], &op, &one, 8, 0));
	cube_close(&c, 3);
	ASSERT_EQ(8, shc_send(c.fd[7], &op, &one, 8, 0));
	for (u = 0; u < 8; u++) {
		struct pollfd p = { .fd = c.fd[u], .events = POLLIN };

		if (u == 3)
			continue;
		poll(&p, 1, 1000 * patience(5));
		ASSERT_EQ(8, shc_recv(c.fd[u], &sum, 8, &res, &eor, 0));
		EXPECT_EQ(0, res.status);
		EXPECT_EQ(8, sum);
	}
	/* Who had taken part then is told that somebody left. */
	for (u = 0; u < 7; u++) {
		if (u == 3)
			continue;
		ASSERT_EQ(8, shc_send(c.fd[u], &op, &one, 8, 0));
		EXPECT_EQ(0, recv_soon(c.fd[u], &res));
		EXPECT_EQ(-ECONNRESET, res.status);
		EXPECT_EQ(3, res.cause_node);
	}
	for (u = 0; u < 8; u++)
		cube_close(&c, u);
	ASSERT_EQ(0, cube_bind_all(&c));
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

/* How a contribution ends: 0 or its error; -EBADMSG: not with this sum. */
static int ends_with(int fd, uint64_t want)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct hypercube_result res;
	uint64_t sum = 0;
	ssize_t n;
	bool eor;

	poll(&p, 1, 1000 * patience(10));
	n = shc_recv(fd, &sum, sizeof(sum), &res, &eor, 0);
	if (n < 0)
		return n;
	return res.status ? res.status : sum == want ? 0 : -EBADMSG;
}

/* Numbers that failed are skipped, by one member while another still works on what lies before
 * them: what the first one sends of the next operation is behind the gap, and must be taken.
 */
TEST(who_is_ahead_across_a_failed_range_is_heard)
{
	const struct impairments late = { .delay = 1000 * MS };
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = 8,
	};
	static const unsigned int slow[] = { 0, 2 };
	const uint64_t one = 1;
	unsigned int u, i;
	struct cube c;

	ASSERT_EQ(0, ready(&c, 2, 0));
	ASSERT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	/* In the second stage 0 and 2 wait for each other, 1 and 3 do not. */
	ASSERT_EQ(0, ctl_link_impair(c.name, 0, 1, &late));
	for (u = 0; u < 4; u++)
		ASSERT_EQ(8, shc_send(c.fd[u], &op, &one, 8, 0));
	EXPECT_EQ(0, ends_with(c.fd[1], 4));
	EXPECT_EQ(0, ends_with(c.fd[3], 4));
	cube_close(&c, 3);
	ASSERT_EQ(0, cube_bind(&c, 3));
	ASSERT_EQ(8, shc_send(c.fd[1], &op, &one, 8, 0));
	EXPECT_EQ(-ECONNRESET, ends_with(c.fd[1], 0));
	ASSERT_EQ(8, shc_send(c.fd[1], &op, &one, 8, 0));
	ASSERT_EQ(8, shc_send(c.fd[3], &op, &one, 8, 0));
	for (i = 0; i < ARRAY_SIZE(slow); i++) {
		u = slow[i];
		EXPECT_EQ(0, ends_with(c.fd[u], 4));
		ASSERT_EQ(8, shc_send(c.fd[u], &op, &one, 8, 0));
		EXPECT_EQ(-ECONNRESET, ends_with(c.fd[u], 0));
		ASSERT_EQ(8, shc_send(c.fd[u], &op, &one, 8, 0));
	}
	for (u = 0; u < 4; u++)
		EXPECT_EQ(0, ends_with(c.fd[u], 4));
	EXPECT_EQ(0, cube_del(&c));
}

/* Members that disagree about the length hear that, all of them. */
TEST(different_lengths_are_an_error_everywhere)
{
	unsigned int node[CUBE_MAX], n, i;
	uint64_t in[CUBE_MAX], out[CUBE_MAX];
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, ready(&c, 3, 0));
	/* Who has taken part before is told of failures. */
	ASSERT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	n = parties(&c, p, node, 1);
	memset(in, 0, sizeof(in));
	jobs_fill(p, n, 1, in, out, 8);
	p[6].job[0].op.bytes = 16;
	EXPECT_EQ(0, drive(p, n, 10));
	for (i = 0; i < n; i++) {
		EXPECT_EQ(1, p[i].job[0].ends);
		EXPECT_EQ(-EPROTO, p[i].job[0].res.status);
	}
	parties_free(p, n);
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

/* ------------------------------------------------------------ links that are not good */

TEST(duplicates_and_jitter_do_no_harm)
{
	const struct impairments bad = {
		.duplicate = 500000, .delay = 2 * MS, .jitter = 2 * MS, .seed = 9,
	};
	struct kind k = { HYPERCUBE_SUM, HYPERCUBE_F64, 0 };
	struct hypercube_result res;
	struct link_sums s;
	struct cube c;

	ASSERT_EQ(0, ready(&c, 3, 4096));
	ASSERT_EQ(0, cube_impair(&c, &bad));
	/* What is modelled are three stages, each of a link's delay. */
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, &res));
	EXPECT_GE(res.time, 6 * MS);
	EXPECT_GE(6 * MS + 100000, res.time);
	EXPECT_EQ(0, kinds_run(&c, PLAN, &k, 1, 4000));
	ASSERT_EQ(0, ctl_link_sums(c.name, &s));
	EXPECT_GT(s.duplicate, 0);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(a_lost_frame_is_an_error_not_a_hang)
{
	struct impairments bad = { .loss = 20000, .corrupt = 20000 };
	const struct hypercube_op op = {
		.collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = 8192,
	};
	char *in = calloc(8, op.bytes), *out = calloc(8, op.bytes);
	unsigned int round, good = 0, failed = 0;
	struct cube c;

	for (round = 0; round < scaled(20); round++) {
		int err;

		ASSERT_EQ(0, ready(&c, 3, 4096));
		/* Who has taken part once hears of each failure. */
		ASSERT_EQ(0, cube_allreduce(&c, PLAN, NULL));
		bad.seed = 1 + round;
		ASSERT_EQ(0, cube_impair(&c, &bad));
		err = run_once(&c, PLAN, &op, in, out);
		if (err && err != -EIO && err != -ETIMEDOUT)
			TH_LOG("error %d", err);
		EXPECT_TRUE(!err || err == -EIO || err == -ETIMEDOUT);
		good += !err;
		failed += !!err;
		EXPECT_EQ(0, cube_del(&c));
	}
	printf("# %u operations ended well, %u with an error\n", good, failed);
	EXPECT_GT(failed, 0);
	free(in);
	free(out);
}

TEST(silence_is_found_out)
{
	const struct impairments bad = { .loss = 1000000 };
	const struct hypercube_op op = {
		.collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = 8,
	};
	uint64_t in[4] = { 0 }, out[4];
	struct cube c;
	int err;

	ASSERT_EQ(0, ready(&c, 2, 0));
	ASSERT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	ASSERT_EQ(0, ctl_link_impair(c.name, 1, 1, &bad));
	err = run_once(&c, PLAN, &op, (char *)in, (char *)out);
	EXPECT_TRUE(err == -EIO || err == -ETIMEDOUT);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
