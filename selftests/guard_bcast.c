// SPDX-License-Identifier: GPL-2.0
/*
 * Guarded broadcasts: whatever link or node fails at any time, messages go on in the next epoch.
 * Each process gets each message once, in order, with the same bytes as all others. If the source
 * has failed, a new source sends further messages. The test itself acts as the guard.
 *
 * Scheduling: alone
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TESTS_TOGETHER
#include "cube.h"
#include "ktap.h"

#define PLAN	1
#define NODES	8
#define LINKS	12
#define OPS	10
#define MOST	32
#define GUARD_MS 20000
/* Lengths of messages in elements (u64), from none to several segments; and LONG, the length of a
 * message that is too long for the ledger.
 */
static const unsigned int lengths[] = { 1, 700, 0, 150, 3 };
#define LONG	40000
/* Links delay frames by 200 us, so that messages are under way when a link or node fails. */
static const struct impairments slow = { .delay = 200000 };

/**
 * struct end - how a message ended at a process
 * @op: number of the operation
 * @status: status of the end
 * @by: the source, as the elements of the message name it; NODES if the message is empty, has
 *	failed, or is none that was sent
 * @k: number of the message among those of @by, as its elements name it
 */
struct end {
	uint64_t op;
	int status;
	unsigned int by;
	unsigned int k;
};

/**
 * struct work - a cube of eight nodes, its source, and what each process has received
 * @c: the cube
 * @source: the node that sends
 * @n: for each message, its number of elements, from lengths[]; 0: it is empty
 * @sent: number of messages that were sent completely
 * @at: bytes of message number @sent that have been sent
 * @ops: number of messages to be sent
 * @refused: error of a message that the source could not send, or 0
 * @in: the message that is being sent
 * @buf: for each node, what it has received of its current message
 * @got: for each node, the number of bytes in @buf
 * @end: for each node, the ends that it has received
 * @ends: for each node, the number of its entries in @end
 * @ended: number of ends at the source
 * @failed: number of ends at the source that are failures
 */
struct work {
	struct cube c;
	unsigned int source;
	unsigned int n[MOST];
	unsigned int sent;
	size_t at;
	unsigned int ops;
	int refused;
	uint64_t in[LONG + 1];
	uint64_t buf[NODES][LONG + 1];
	size_t got[NODES];
	struct end end[NODES][MOST];
	unsigned int ends[NODES];
	unsigned int ended;
	unsigned int failed;
};

static struct work *begin(unsigned int source, unsigned int guard)
{
	struct work *w = calloc(1, sizeof(*w));
	unsigned int k;
	int err;

	ctl_guard(guard);
	err = cube_new(&w->c, 3, 512) ?: cube_bcast_plan(&w->c, PLAN, source, HC_BCAST_GENERAL) ?:
	      cube_bind_all(&w->c);
	if (err) {
		printf("# begin: %d\n", err);
		exit(1);
	}
	w->source = source;
	w->ops = OPS;
	for (k = 0; k < MOST; k++)
		w->n[k] = lengths[k % 5];
	return w;
}

static unsigned int end(struct work *w)
{
	int err;

	ctl_guard(0);
	err = cube_del(&w->c);
	free(w);
	return !!err;
}

/* Return: element @i of message number @k of the source @by. */
static uint64_t element(unsigned int by, unsigned int k, unsigned int i)
{
	return (uint64_t)by << 56 | (uint64_t)k << 40 | i;
}

/* Let the source make one send call, with all of its next message that is still to be sent. Return:
 * true if it made progress.
 */
static bool give(struct work *w)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_BCAST, .flags = HYPERCUBE_F_NOTIFY,
		.bytes = w->n[w->sent] * sizeof(uint64_t),
	};
	unsigned int i;
	ssize_t n;

	if (w->sent == w->ops || w->c.fd[w->source] < 0)
		return false;
	for (i = 0; !w->at && i < w->n[w->sent]; i++)
		w->in[i] = element(w->source, w->sent, i);
	n = shc_send(w->c.fd[w->source], w->at ? NULL : &op, (char *)w->in + w->at,
		     op.bytes - w->at, MSG_DONTWAIT);
	/* The message has failed, so do not send the rest of it. */
	if (n < 0 && w->at && n != -EAGAIN && n != -ENOBUFS) {
		w->sent++;
		w->at = 0;
		return true;
	}
	if (n < 0) {
		w->refused = n == -EAGAIN || n == -ENOBUFS || n == -ECANCELED ? 0 : n;
		return false;
	}
	w->at += n;
	if (w->at == op.bytes) {
		w->sent++;
		w->at = 0;
	}
	return true;
}

/* Return: how the message that node @u has just received ended, with the source and the number that
 * its elements name. @res: the result that came with it.
 */
static struct end whose(const struct work *w, unsigned int u, const struct hypercube_result *res)
{
	struct end e = { .op = res->op, .status = res->status, .by = NODES };
	const uint64_t *v = w->buf[u];
	size_t n = w->got[u] / sizeof(*v), i;

	if (!n || res->status || res->bytes != w->got[u])
		return e;
	e.by = v[0] >> 56;
	e.k = v[0] >> 40 & 0xffff;
	for (i = 0; i < n; i++)
		if (v[i] != element(e.by, e.k, i))
			e.by = NODES;
	if (e.k >= MOST || n != w->n[e.k])
		e.by = NODES;
	return e;
}

/* Make one receive call at node @u. Return: true if something has arrived. */
static bool hear(struct work *w, unsigned int u)
{
	struct hypercube_result res;
	bool eor = false;
	ssize_t n;

	if (w->c.fd[u] < 0)
		return false;
	n = shc_recv(w->c.fd[u], (char *)w->buf[u] + w->got[u], sizeof(w->buf[u]) - w->got[u],
		     &res, &eor, MSG_DONTWAIT);
	if (n < 0)
		return false;
	if (u == w->source) {
		w->ended += eor;
		w->failed += eor && res.status;
		return true;
	}
	w->got[u] += n;
	if (!eor)
		return true;
	if (w->ends[u] < MOST)
		w->end[u][w->ends[u]++] = whose(w, u, &res);
	w->got[u] = 0;
	return true;
}

/* Let the source send once and each process receive once. Return: true if one of them made
 * progress.
 */
static bool step(struct work *w)
{
	bool moved = give(w);
	unsigned int u;

	for (u = 0; u < NODES; u++)
		moved |= hear(w, u);
	return moved;
}

/* Call step() @n times. */
static void steps(struct work *w, unsigned int n)
{
	while (n--)
		step(w);
}

/* Call step() until each receiver in the set @stay has @ends ends and the source has the end of
 * each message. Return: 0, or 1 if this takes longer than the time limit.
 */
static unsigned int finish(struct work *w, unsigned int stay, unsigned int ends)
{
	uint64_t until = deadline(20);
	bool waits = true;
	unsigned int u;

	while (waits && now_ms() < until) {
		if (!step(w))
			usleep(500);
		waits = w->sent < w->ops && !w->refused;
		for (u = 0; u < NODES; u++)
			waits |= stay >> u & 1 && u != w->source && w->ends[u] < ends;
		waits |= w->ended < w->sent;
	}
	if (waits) {
		printf("# sent %u (%d), ended %u, failed %u\n", w->sent, w->refused, w->ended,
		       w->failed);
		ctl_op_print(w->c.name);
	}
	/* Receive for some more time, since a message that is delivered twice is an error. */
	usleep(1000);
	steps(w, 4);
	return waits;
}

/* Call step() until node @u has received a message of the current source. Return: number of ends
 * that it had received before this message.
 */
static unsigned int until_first(struct work *w, unsigned int u)
{
	uint64_t until = deadline(20);
	unsigned int k;

	do {
		for (k = 0; k < w->ends[u]; k++)
			if (w->end[u][k].by == w->source)
				return k;
		if (!step(w))
			usleep(500);
	} while (now_ms() < until);
	printf("# node %u has received nothing of source %u\n", u, w->source);
	return k;
}

/* Call step() until nothing more arrives. */
static void drain(struct work *w)
{
	unsigned int calm = 0;

	while (calm++ < 5) {
		if (step(w))
			calm = 0;
		usleep(1000);
	}
}

/* Check what node @u has received: from entry @from of its ends on, it must be @n messages of
 * source @by in order, beginning with message number @k. Return: number of entries that are wrong.
 */
static unsigned int wrong_at(const struct work *w, unsigned int u, unsigned int from,
			     unsigned int n, unsigned int by, unsigned int k)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < n; i++) {
		const struct end *e = &w->end[u][from + i];
		bool empty = !w->n[k + i];

		if (e->op == from + i && !e->status &&
		    (empty ? e->by == NODES : e->by == by && e->k == k + i))
			continue;
		printf("# node %u: end %u: number %llu, status %d, %u of %u, not %u of %u\n", u,
		       from + i, (unsigned long long)e->op, e->status, e->k, e->by, k + i, by);
		wrong++;
	}
	return wrong;
}

/* Wait until all processes in the set @stay have received all messages of the source. Check that
 * these are right, and that the processes receive nothing else. Return: number of errors.
 */
static unsigned int all_wrong(struct work *w, unsigned int stay)
{
	unsigned int wrong = finish(w, stay, w->ops), u;

	wrong += w->ended != w->ops || w->failed;
	for (u = 0; u < NODES; u++)
		if (stay >> u & 1 && u != w->source)
			wrong += w->ends[u] != w->ops || wrong_at(w, u, 0, w->ops, w->source, 0);
	return wrong;
}

/* Install the next epoch, with the current source. */
static int epoch(struct work *w)
{
	return cube_bcast_plan(&w->c, PLAN, w->source, HC_BCAST_GENERAL);
}

static unsigned int cut(unsigned int link, unsigned int before, unsigned int after)
{
	struct work *w = begin(link % NODES, GUARD_MS);
	unsigned int node, dim, wrong;
	int err;

	steps(w, before);
	cube_link(&w->c, link, &node, &dim);
	err = cube_fail_link(&w->c, node, dim);
	steps(w, after);
	err = err ?: epoch(w);
	wrong = !!err + all_wrong(w, 0xff);
	if (wrong)
		printf("# link %u:%u failed after %u steps, epoch %u later, source %u: %d\n", node,
		       dim, before, after, w->source, err);
	return wrong + end(w);
}

TEST(guarded_broadcast_resumes_after_link_fails_at_any_time)
{
	unsigned int link, before, wrong = 0;

	for (link = 0; link < LINKS; link++)
		for (before = 0; before < 24; before += 2 * stride())
			wrong += cut(link, before + link % 2, before % 5);
	EXPECT_EQ(0, wrong);
}

/* Fail a node that is not the source. @mask: bits in which its number differs from the source's;
 * @before: number of steps before the failure; @again: a link fails as well, right after the next
 * epoch has begun. Return: number of errors.
 */
static unsigned int kill_receiver(unsigned int mask, unsigned int before, bool again)
{
	struct work *w = begin(before % NODES, GUARD_MS);
	unsigned int dead = w->source ^ mask, dim = 0, wrong;
	int err;

	steps(w, before);
	err = cube_fail_node(&w->c, dead);
	steps(w, before % 3);
	err = err ?: epoch(w);
	if (again) {
		steps(w, before % 4);
		dim = mask == 1 ? 1 : 0;
		err = err ?: cube_fail_link(&w->c, w->source, dim);
		steps(w, before % 2);
		err = err ?: epoch(w);
	}
	wrong = !!err + all_wrong(w, 0xff & ~(1u << dead));
	if (wrong)
		printf("# node %u failed after %u steps%s: %d\n", dead, before,
		       again ? ", and a link" : "", err);
	return wrong + end(w);
}

TEST(guarded_broadcast_resumes_after_receiver_fails_at_any_time)
{
	unsigned int mask, before, wrong = 0;

	for (mask = 1; mask < NODES; mask++)
		for (before = mask % 3; before < 24; before += 3 * stride()) {
			wrong += kill_receiver(mask, before, false);
			wrong += kill_receiver(mask, before, true);
		}
	EXPECT_EQ(0, wrong);
}

/* Fail the source after @before steps. All other processes must get the same messages of this
 * source, and then those of a new source. *@had: increased by the number of messages of @source
 * that the other processes got. Return: number of errors.
 */
static unsigned int kill_source(unsigned int source, unsigned int before, unsigned int *had)
{
	struct work *w = begin(source, GUARD_MS);
	unsigned int next = source ? 0 : 1, stay = 0xff & ~(1u << source), u, first, wrong;
	int err = cube_impair(&w->c, &slow);

	steps(w, before);
	err = err ?: cube_fail_node(&w->c, source);
	steps(w, before % 3);
	cube_close(&w->c, source);
	w->source = next;
	w->sent = 0;
	w->at = 0;
	w->ops = 3;
	w->ended = 0;
	w->failed = 0;
	err = err ?: epoch(w);
	u = next == 7 ? 6 : 7;
	u -= u == source;
	first = until_first(w, u);
	wrong = !!err + finish(w, stay, first + w->ops);
	wrong += w->failed;
	for (u = 0; u < NODES; u++) {
		unsigned int old = first;

		if (!(stay >> u & 1) || u == next)
			continue;
		wrong += w->ends[u] != first + w->ops;
		wrong += wrong_at(w, u, 0, old, source, 0) + wrong_at(w, u, first, w->ops, next, 0);
	}
	*had += first;
	if (wrong)
		printf("# source %u failed after %u steps: %d, %u had\n", source, before, err,
		       first);
	return wrong + end(w);
}

TEST(new_source_continues_broadcast_after_source_fails_at_any_time)
{
	unsigned int source, before, wrong = 0, had = 0;

	for (source = 0; source < NODES; source++)
		for (before = source % 3; before < 24; before += 3 * stride())
			wrong += kill_source(source, before, &had);
	printf("# %u messages outlived their source\n", had);
	EXPECT_EQ(0, wrong);
	EXPECT_TRUE(had);
}

/* Check node @u. It must have received the long message, or one failure instead of it, or neither
 * if the long message failed at the source; and after it all messages except those that failed at
 * the source. Return: number of errors.
 */
static unsigned int long_wrong(const struct work *w, unsigned int u)
{
	unsigned int i, k = 0, wrong = 0;
	uint64_t next = 0;

	for (i = 0; i < w->ends[u]; i++) {
		const struct end *e = &w->end[u][i];
		bool empty = e->by == NODES && !e->status;

		wrong += e->op < next || (!w->failed && e->op != next) ||
			 (e->status && e->op != 1);
		if (empty)
			wrong += k > 2 || w->n[2];
		else if (!e->status)
			wrong += e->by || e->k < k || (!w->failed && e->k != e->op);
		k = empty ? 3 : e->status ? 2 : e->k + 1;
		next = e->op + 1;
	}
	return wrong + (k != w->ops);
}

static unsigned int long_message(unsigned int before, unsigned int *failures)
{
	struct work *w = begin(0, GUARD_MS);
	unsigned int u, i, node, dim, wrong;
	int err = cube_impair(&w->c, &slow);

	w->n[1] = LONG;
	w->ops = 4;
	steps(w, before);
	cube_link(&w->c, before % LINKS, &node, &dim);
	err = err ?: cube_fail_link(&w->c, node, dim) ?: epoch(w);
	wrong = !!err + finish(w, 0, 0);
	w->ops = 5;
	wrong += finish(w, 0, 0);
	drain(w);
	for (u = 1; u < NODES; u++) {
		wrong += long_wrong(w, u);
		for (i = 0; i < w->ends[u]; i++)
			*failures += !!w->end[u][i].status;
	}
	for (u = 1; wrong && u < NODES; u++)
		for (i = 0; i < w->ends[u]; i++)
			printf("# node %u: %llu: %d, %u of %u\n", u,
			       (unsigned long long)w->end[u][i].op, w->end[u][i].status,
			       w->end[u][i].k, w->end[u][i].by);
	if (wrong)
		printf("# long message, link %u:%u failed after %u steps: %d, %u failed\n", node,
		       dim, before, err, w->failed);
	return wrong + end(w);
}

TEST(message_too_long_for_ledger_is_delivered_or_fails_once)
{
	unsigned int before, wrong = 0, ended = 0;

	for (before = 0; before < 60; before += stride())
		wrong += long_message(before, &ended);
	EXPECT_EQ(0, wrong);
	printf("# it ended at %u processes\n", ended);
	EXPECT_TRUE(ended);
}

/* Receivers leave and join at any time, also while all wait for the next epoch. */
TEST(receivers_close_and_join_without_stopping_guarded_broadcast)
{
	unsigned int when;

	for (when = 0; when < 3; when++) {
		struct work *w = begin(0, GUARD_MS);

		w->ops = 3;
		EXPECT_EQ(0, finish(w, 0xff, 3));
		if (when == 0)
			cube_close(&w->c, 5);
		EXPECT_EQ(0, cube_fail_link(&w->c, 0, 1));
		usleep(20000);
		if (when == 1)
			cube_close(&w->c, 5);
		w->ops = 6;
		steps(w, 3);
		EXPECT_EQ(0, epoch(w));
		if (when == 2)
			cube_close(&w->c, 5);
		EXPECT_EQ(0, finish(w, 0xdf, 6));
		EXPECT_EQ(0, cube_bind(&w->c, 5));
		w->ops = 9;
		EXPECT_EQ(0, finish(w, 0xdf, 9));
		drain(w);
		/* The new process has received the messages that were sent since it joined. */
		EXPECT_TRUE(w->ends[5] >= 6 && w->end[5][w->ends[5] - 1].op == 8);
		EXPECT_EQ(0, all_wrong(w, 0xdf));
		EXPECT_EQ(0, end(w));
	}
}

/* The process of the source leaves in the middle of a message, and a new process at the same node
 * becomes the source.
 */
TEST(new_process_at_source_node_continues_after_source_closes)
{
	const struct hypercube_op half = {
		.plan = PLAN, .collective = HYPERCUBE_BCAST, .bytes = 40000,
	};
	struct work *w = begin(0, GUARD_MS);
	struct plan_cause cause;
	unsigned int u;

	w->ops = 2;
	EXPECT_EQ(0, finish(w, 0xff, 2));
	for (u = 0; u < LONG; u++)
		w->in[u] = element(0, 2, u);
	EXPECT_EQ(20000, shc_send(w->c.fd[0], &half, w->in, 20000, MSG_DONTWAIT));
	usleep(20000);
	cube_close(&w->c, 0);
	for (u = 1; u < NODES; u++) {
		uint64_t until = deadline(10);

		while (w->ends[u] < 3 && now_ms() < until)
			steps(w, 1);
		EXPECT_EQ(3, w->ends[u]);
		EXPECT_EQ(-ECONNRESET, w->end[u][2].status);
	}
	EXPECT_EQ(0, ctl_plan_cause(w->c.name, PLAN, &cause));
	EXPECT_FALSE(cause.broken);
	EXPECT_EQ(0, cube_bind(&w->c, 0));
	w->sent = 3;
	w->at = 0;
	w->ended = 3;
	w->ops = 5;
	EXPECT_EQ(0, cube_fail_link(&w->c, 0, 0));
	steps(w, 4);
	EXPECT_EQ(0, epoch(w));
	EXPECT_EQ(0, finish(w, 0xff, 5));
	for (u = 1; u < NODES; u++)
		EXPECT_EQ(0, wrong_at(w, u, 3, 2, 0, 3));
	EXPECT_EQ(0, end(w));
}

/* If no guard installs the next epoch, each process gets a failure. */
TEST(waiting_processes_get_error_when_guard_time_ends)
{
	struct work *w = begin(0, 200);
	unsigned int u;

	w->ops = 2;
	EXPECT_EQ(0, finish(w, 0xff, 2));
	EXPECT_EQ(0, cube_fail_link(&w->c, 0, 0));
	usleep(20000);
	w->ops = 3;
	EXPECT_EQ(0, finish(w, 0xff, 3));
	EXPECT_EQ(1, w->failed);
	for (u = 1; u < NODES; u++)
		EXPECT_EQ(-ENOLINK, w->end[u][2].status);
	EXPECT_EQ(0, end(w));
}

TEST(receiver_outside_next_epoch_gets_error_and_can_rejoin)
{
	struct work *w = begin(0, GUARD_MS);

	w->ops = 2;
	EXPECT_EQ(0, finish(w, 0xff, 2));
	EXPECT_EQ(0, cube_fail_node(&w->c, 6));
	EXPECT_EQ(0, epoch(w));
	EXPECT_EQ(0, finish(w, 0xff, 2));
	EXPECT_EQ(3, w->ends[6]);
	EXPECT_EQ(-EHOSTDOWN, w->end[6][2].status);
	/* Let node 6 recover, and break the plan again by a failed link. */
	EXPECT_EQ(0, cube_heal(&w->c));
	EXPECT_EQ(0, cube_fail_link(&w->c, 0, 0));
	EXPECT_EQ(0, epoch(w));
	w->ops = 4;
	EXPECT_EQ(0, finish(w, 0xff, 4));
	drain(w);
	EXPECT_EQ(5, w->ends[6]);
	EXPECT_EQ(3, w->end[6][4].op);
	EXPECT_EQ(0, end(w));
}

TEST(live_old_source_is_refused_after_new_source_takes_over)
{
	struct work *w = begin(0, GUARD_MS);
	struct hypercube_op op = { .plan = PLAN, .collective = HYPERCUBE_BCAST, .bytes = 8 };
	struct hypercube_result res;
	uint64_t v = 0, until = deadline(20);
	struct plan_cause cause = {};
	unsigned int refused;
	bool eor;

	w->ops = 2;
	EXPECT_EQ(0, finish(w, 0xff, 2));
	EXPECT_EQ(0, cube_fail_link(&w->c, 0, 0));
	/* Send the message only after the source has stopped, some time after the plan breaks. If
	 * it were sent earlier, it might begin in this epoch.
	 */
	while (!ctl_plan_cause(w->c.name, PLAN, &cause) && !cause.broken && now_ms() < until)
		usleep(1000);
	usleep(200000);
	EXPECT_EQ(8, shc_send(w->c.fd[0], &op, &v, sizeof(v), MSG_DONTWAIT));
	w->source = 3;
	w->sent = 0;
	w->ended = 0;
	w->ops = 2;
	EXPECT_EQ(0, epoch(w));
	EXPECT_EQ(0, finish(w, 0xff, 0));
	EXPECT_EQ(0, finish(w, 0xf6, 4));
	drain(w);
	EXPECT_EQ(0, wrong_at(w, 5, 0, 2, 0, 0) + wrong_at(w, 5, 2, 2, 3, 0));
	/* The message that the first source sent in the meantime has never begun. It is refused
	 * before or after the first message of the new source arrives.
	 */
	refused = !w->end[0][0].status;
	EXPECT_EQ(-ESTALE, w->end[0][refused].status);
	EXPECT_EQ(3, w->end[0][!refused].by);
	EXPECT_EQ(-EPERM, shc_send(w->c.fd[0], &op, &v, sizeof(v), MSG_DONTWAIT));
	EXPECT_EQ(-EAGAIN, shc_recv(w->c.fd[0], &v, sizeof(v), &res, &eor, MSG_DONTWAIT));
	EXPECT_EQ(0, end(w));
}

TEST(guarded_broadcast_refuses_other_collective_and_plan_type)
{
	struct hypercube_op sum = {
		.plan = PLAN, .collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_MAX,
		.type = HYPERCUBE_U64, .bytes = 8,
	};
	struct work *w = begin(0, GUARD_MS);
	uint64_t v = 1;

	/* The plan's members run allreduces of their own over it, but a process may not request
	 * one.
	 */
	EXPECT_EQ(-EPROTOTYPE, shc_send(w->c.fd[0], &sum, &v, sizeof(v), MSG_DONTWAIT));
	EXPECT_EQ(-EINVAL, cube_plan(&w->c, PLAN));
	EXPECT_NE(NULL, strstr(ctl()->extack, "A guarded broadcast goes on as a broadcast"));
	EXPECT_EQ(0, all_wrong(w, 0xff));
	EXPECT_EQ(0, end(w));
}

TEST_HARNESS_MAIN
