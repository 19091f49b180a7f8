// SPDX-License-Identifier: GPL-2.0
/*
 * Processes contribute before they have received the ends of earlier operations (they "send
 * ahead"), and follow the rules of hypercube(7) for failures. A contribution that is sent before
 * its process has received an earlier failure is refused, so no sum mixes contributions of
 * different rounds, whichever process has sent ahead. After a failure each process receives until
 * it has no operation outstanding. Then the processes agree, by an operation on the plan itself, on
 * the round with which to continue.
 *
 * Scheduling: shared
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "cube.h"
#include "ktap.h"

#define PLAN 5
#define NODES 8
/* Greatest number of contributions whose end a process has not received. It exceeds a plan's
 * window, so that some contributions wait in the kernel.
 */
#define AHEAD 100
/* Cookie of the operation by which the processes agree (the agreement). */
#define AGREEMENT UINT64_MAX

/**
 * struct sender - a process, which contributes to one round after another
 * @next: the round of its next contribution
 * @from: the first round of which it has no result
 * @out: number of contributions whose end it has not received
 * @failed: it has received a failure, and the processes have not agreed since then
 * @agrees: its contribution to the agreement is under way
 */
struct sender {
	uint64_t next;
	uint64_t from;
	unsigned int out;
	bool failed;
	bool agrees;
};

/**
 * struct crowd - a cube, and a process at each of its nodes
 * @c: the cube
 * @s: the processes
 * @type: type of the plan
 * @spoiler: the node whose contribution to round @corrupted has another length than the others
 * @corrupted: see @spoiler; UINT64_MAX: no round
 * @until: the first round to which no process contributes
 * @agreed: number of agreements that @spoiler has taken part in
 * @good: number of results that were received
 * @wrong: number of errors found
 * @refused: number of contributions that were refused
 * @err: the first unexpected error, or 0
 * @over: the thread that replaces the plan has finished
 */
struct crowd {
	struct cube c;
	struct sender s[NODES];
	unsigned int type;
	unsigned int spoiler;
	uint64_t corrupted;
	uint64_t until;
	unsigned int agreed;
	unsigned int good;
	unsigned int wrong;
	unsigned int refused;
	int err;
	bool over;
};

static int install(struct cube *c, unsigned int type)
{
	return type == HYPERCUBE_PLAN_DOUBLING ? cube_doubling(c, PLAN, hc_ones(3), 0) :
						 cube_plan_to(c, PLAN, 3);
}

static int crowd_new(struct crowd *w, unsigned int type)
{
	int err;

	memset(w, 0, sizeof(*w));
	w->type = type;
	w->corrupted = UINT64_MAX;
	w->until = UINT64_MAX;
	err = cube_bound(&w->c, 3, 0);
	return err ? err : install(&w->c, type);
}

/* Return: the element that each member contributes to a round. */
static uint64_t part(uint64_t round)
{
	return round * 1000003 + 1;
}

/* Contribute @bytes with the element @value at node @u. The kernel may refuse this, which is no
 * error, because a failure has not been received or because there is no plan. Return: true if the
 * kernel took the contribution.
 */
static bool give(struct crowd *w, unsigned int u, uint64_t cookie, unsigned int oper,
		 uint64_t value, size_t bytes)
{
	const uint64_t v[2] = { value, 0 };
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLREDUCE, .oper = oper,
		.type = HYPERCUBE_U64, .cookie = cookie, .bytes = bytes,
	};
	ssize_t n = shc_send(w->c.fd[u], &op, v, bytes, MSG_DONTWAIT);

	if (n == (ssize_t)bytes) {
		w->s[u].out++;
		return true;
	}
	if (n != -EAGAIN && n != -ENOBUFS && n != -ENOENT && n != -ECANCELED)
		w->err = n < 0 ? (int)n : -EIO;
	return false;
}

/* Contribute to the next round at node @u, unless its process has received a failure or has sent
 * too far ahead.
 */
static void give_round(struct crowd *w, unsigned int u)
{
	struct sender *s = &w->s[u];
	bool spoils = s->next == w->corrupted && u == w->spoiler;

	if (s->failed || s->out >= AHEAD || s->next >= w->until)
		return;
	if (give(w, u, s->next, HYPERCUBE_SUM, part(s->next), spoils ? 16 : 8))
		s->next++;
}

/* Contribute to the agreement at node @u, if its process has to agree: the result is the minimum of
 * the first rounds of which processes have no result. Its operator differs from that of rounds, so
 * the operation fails if a process that has not received the failure contributes to a round
 * instead.
 */
static void give_word(struct crowd *w, unsigned int u)
{
	struct sender *s = &w->s[u];

	if (s->failed && !s->agrees && !s->out)
		s->agrees = give(w, u, AGREEMENT, HYPERCUBE_MIN, s->from, 8);
}

/* Process the end of the agreement at node @u. If it has succeeded, all processes continue with
 * round @from.
 */
static void take_agreement(struct crowd *w, unsigned int u, const struct hypercube_result *res,
			   uint64_t from)
{
	struct sender *s = &w->s[u];

	s->agrees = false;
	if (res->status)
		return;
	w->wrong += from > s->from;
	s->from = from;
	s->next = from;
	s->failed = false;
	if (u != w->spoiler)
		return;
	w->agreed++;
	if (w->corrupted != UINT64_MAX)
		w->corrupted = from + below(AHEAD);
}

/* Process the result @sum of a round at node @u. */
static void take_round(struct crowd *w, unsigned int u, const struct hypercube_result *res,
		       uint64_t sum)
{
	struct sender *s = &w->s[u];

	w->good++;
	if (sum != NODES * part(res->cookie) && !w->wrong++)
		printf("# node %u, round %llu: %llu instead of %llu\n", u,
		       (unsigned long long)res->cookie, (unsigned long long)sum,
		       (unsigned long long)(NODES * part(res->cookie)));
	if (res->cookie == s->from)
		s->from++;
}

/* Receive all ends that have arrived at node @u. */
static void receive(struct crowd *w, unsigned int u)
{
	struct sender *s = &w->s[u];
	struct hypercube_result res;
	uint64_t v[2];
	bool eor;

	while (shc_recv(w->c.fd[u], v, sizeof(v), &res, &eor, MSG_DONTWAIT) >= 0) {
		if (!eor)
			continue;
		s->out--;
		s->failed |= res.status;
		w->refused += res.status == -ECANCELED;
		if (res.status && res.status != -EPROTO && res.status != -ESTALE &&
		    res.status != -ECANCELED)
			w->err = res.status;
		w->wrong += res.status == -ECANCELED && res.op != HYPERCUBE_OP_NONE;
		if (res.cookie == AGREEMENT)
			take_agreement(w, u, &res, v[0]);
		else if (!res.status)
			take_round(w, u, &res, v[0]);
	}
}

/* Let a random process contribute to some rounds, and another one receive and, if it must, agree.
 */
static void step(struct crowd *w)
{
	unsigned int u = below(NODES), k;

	for (k = below(40); k; k--)
		give_round(w, u);
	u = below(NODES);
	receive(w, u);
	give_word(w, u);
}

static bool finished(const struct crowd *w)
{
	unsigned int u;

	for (u = 0; u < NODES; u++)
		if (w->s[u].failed || w->s[u].out || w->s[u].next < w->until)
			return false;
	return true;
}

/* Let all processes complete the same round, after which no operation is outstanding. */
static void crowd_end(struct __test_metadata *_metadata, struct crowd *w)
{
	uint64_t end = deadline(20), last = 0;
	unsigned int u;

	w->corrupted = UINT64_MAX;
	for (u = 0; u < NODES; u++)
		last = w->s[u].next > last ? w->s[u].next : last;
	w->until = last;
	while (!finished(w) && !w->err && now_ms() < end)
		step(w);
	EXPECT_TRUE(finished(w));
	if (!finished(w))
		ctl_op_print(w->c.name);
	EXPECT_EQ(0, w->err);
	EXPECT_EQ(0, w->wrong);
	EXPECT_LE(NODES * w->until, w->good);
	EXPECT_GT(w->refused, 0);
	printf("# %llu rounds, agreed %u times, %u ended well, %u were refused\n",
	       (unsigned long long)w->until, w->agreed, w->good, w->refused);
	EXPECT_EQ(0, cube_del(&w->c));
}

/* In some rounds one process contributes another length than the others, while processes have sent
 * ahead.
 */
static void corrupted_rounds(struct __test_metadata *_metadata, unsigned int type)
{
	const unsigned int times = scaled(120);
	uint64_t end = deadline(60);
	struct crowd w;

	ASSERT_EQ(0, crowd_new(&w, type));
	w.spoiler = below(NODES);
	w.corrupted = below(AHEAD);
	while (w.agreed < times && !w.err && now_ms() < end)
		step(&w);
	EXPECT_LE(times, w.agreed);
	crowd_end(_metadata, &w);
}

/* Begin an operation with HYPERCUBE_F_STALE at node 0, which is the source if the plan is a
 * broadcast. Return: what shc_send() returns.
 */
static int says_ahead(struct cube *c, unsigned int plan, unsigned int collective)
{
	const struct hypercube_op op = {
		.plan = plan, .collective = collective, .flags = HYPERCUBE_F_STALE,
	};

	return (int)shc_send(c->fd[0], &op, NULL, 0, MSG_DONTWAIT);
}

TEST(operation_with_stale_flag_is_refused_except_in_broadcast)
{
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	ASSERT_EQ(0, cube_plan_to(&c, 1, 3));
	ASSERT_EQ(0, cube_doubling(&c, 2, hc_ones(3), 0));
	ASSERT_EQ(0, cube_bcast_plan(&c, 3, 0, HC_BCAST_GENERAL));
	EXPECT_EQ(-ECANCELED, says_ahead(&c, 1, HYPERCUBE_BARRIER));
	EXPECT_EQ(-ECANCELED, says_ahead(&c, 2, HYPERCUBE_BARRIER));
	EXPECT_EQ(0, says_ahead(&c, 3, HYPERCUBE_BCAST));
	EXPECT_EQ(0, cube_allreduce(&c, 1, NULL));
	EXPECT_EQ(0, cube_allreduce(&c, 2, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_CALL(failure_on_tree_mixes_no_rounds, corrupted_rounds, HYPERCUBE_PLAN_TREE)
TEST_CALL(failure_on_recursive_doubling_mixes_no_rounds, corrupted_rounds, HYPERCUBE_PLAN_DOUBLING)

/* A thread that replaces the plan repeatedly. A process that has no operation under way is not
 * notified of this.
 */
static void *replace(void *arg)
{
	const unsigned int times = scaled(120);
	struct crowd *w = arg;
	unsigned int i;

	for (i = 0; i < times && !w->err; i++) {
		poll(NULL, 0, 5 + below(20));
		if (install(&w->c, w->type))
			w->err = -EPROTO;
	}
	__atomic_store_n(&w->over, true, __ATOMIC_RELEASE);
	return NULL;
}

static void replaced_rounds(struct __test_metadata *_metadata, unsigned int type)
{
	pthread_t thread;
	struct crowd w;

	ASSERT_EQ(0, crowd_new(&w, type));
	ASSERT_EQ(0, pthread_create(&thread, NULL, replace, &w));
	while (!__atomic_load_n(&w.over, __ATOMIC_ACQUIRE))
		step(&w);
	pthread_join(thread, NULL);
	crowd_end(_metadata, &w);
}

TEST_CALL(replacing_tree_mixes_no_rounds, replaced_rounds, HYPERCUBE_PLAN_TREE)
TEST_CALL(replacing_recursive_doubling_mixes_no_rounds, replaced_rounds, HYPERCUBE_PLAN_DOUBLING)

TEST_HARNESS_MAIN
