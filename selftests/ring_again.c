// SPDX-License-Identifier: GPL-2.0
/*
 * Plans of rings that repair themselves while operations are under way.  All members contribute to
 * two operations.  Receive buffers have room for one piece, so what a test reads says how far they
 * are; then links or nodes fail, whatever the step.  All that are still connected get the block
 * of each of them once, and a result lacks a block only if it names whose.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ktap.h"
#include "rings.h"

#define PLAN	1
/* So long that a piece fills a receive buffer. */
#define SEGMENT	4096
#define OPS	2
/* One more shows that all go on together. */
#define ALL_OPS	(OPS + 1)

/* What a process was told of an operation. */
struct told {
	unsigned char *buf;
	size_t got;
	bool ended;
	struct hypercube_result res;
	bool named;
	uint32_t members[CUBE_MAX / 32];
	uint32_t missing[CUBE_MAX / 32];
};

struct process {
	unsigned int sent;
	unsigned int at;
	struct told op[ALL_OPS];
};

/* What is tried: cube and rings, their nodes against the order in which messages go round, blocks
 * of so many segments, with acknowledgements or without; who was there when an operation was begun.
 */
struct trial {
	struct cube c;
	unsigned int slices;
	bool notify;
	unsigned int order[CUBE_MAX];
	unsigned int clock[ALL_OPS];
	uint32_t who[ALL_OPS][CUBE_MAX / 32];
	struct process p[CUBE_MAX];
};

static size_t block(const struct trial *t)
{
	return (size_t)t->slices * SEGMENT;
}

static unsigned char byte(unsigned int k, unsigned int u, size_t i)
{
	return (unsigned char)(31 * k + 7 * u + i / SEGMENT * 3 + i % 251);
}

static bool contribute(struct trial *t, unsigned int u)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLGATHER, .bytes = block(t),
		.flags = t->notify ? HYPERCUBE_F_NOTIFY : 0,
	};
	unsigned char *own = malloc(block(t));
	struct process *p = &t->p[u];
	ssize_t n;
	size_t i;

	for (i = 0; i < block(t); i++)
		own[i] = byte(p->sent, u, i);
	op.cookie = p->sent;
	n = shc_send(t->c.fd[u], &op, own, block(t), 0);
	free(own);
	p->sent++;
	return n == (ssize_t)block(t);
}

static void note(struct told *o, struct msghdr *msg)
{
	struct cmsghdr *c;
	size_t set;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_type == HYPERCUBE_CMSG_RESULT)
			memcpy(&o->res, CMSG_DATA(c), sizeof(o->res));
		if (c->cmsg_type != HYPERCUBE_CMSG_MISSING)
			continue;
		set = (c->cmsg_len - CMSG_LEN(0)) / 2;
		memcpy(o->members, CMSG_DATA(c), set);
		memcpy(o->missing, CMSG_DATA(c) + set, set);
		o->named = true;
	}
}

/* One call, which brings a piece, or more if they come at that very moment.  1: something has come;
 * 0: nothing; -1: that cannot be.
 */
static int hear(struct trial *t, unsigned int u)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct hypercube_result)) + CMSG_SPACE(CUBE_MAX / 4)];
		struct cmsghdr align;
	} control;
	struct process *p = &t->p[u];
	size_t room = block(t) * t->c.nodes;
	struct msghdr msg = { .msg_control = &control, .msg_controllen = sizeof(control.buf) };
	struct iovec iov;
	struct told *o;
	ssize_t n;

	if (p->at == ALL_OPS)
		return 0;
	o = &p->op[p->at];
	if (!o->buf)
		o->buf = calloc(1, room);
	iov = (struct iovec){ o->buf, room };
	msg.msg_iov = &iov;
	msg.msg_iovlen = 1;
	n = recvmsg(t->c.fd[u], &msg, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN ? 0 : -1;
	note(o, &msg);
	o->got += (size_t)n;
	if (o->res.clock > t->clock[p->at])
		t->clock[p->at] = o->res.clock;
	if (o->res.cookie != p->at || msg.msg_flags & (MSG_CTRUNC | MSG_TRUNC))
		return -1;
	if (msg.msg_flags & MSG_EOR) {
		o->ended = true;
		p->at++;
	}
	return 1;
}

/* ------------------------------------------------------------ before the fault */

/* A ring of four, on each node of which another one hangs. */
#define LEAVES	2

static void rings_leaves(struct rings *r)
{
	static const uint16_t node[] = { 0, 1, 3, 2, 1, 5, 0, 4, 2, 6, 3, 7 };
	unsigned int i;

	*r = (struct rings){ .tree = { 5, ARRAY_SIZE(node), r->ring, r->node } };
	memcpy(r->node, node, sizeof(node));
	for (i = 0; i < 5; i++)
		r->ring[i] = (struct hc_ring){ i ? 2 : 4, !!i, i ? 0 : HC_RING_NONE };
}

static bool trial_begin(struct trial *t, unsigned int dim, unsigned int width)
{
	static const int little = 1;
	struct rings r;
	unsigned int u;

	if (cube_bound(&t->c, dim, SEGMENT))
		return false;
	if (width == LEAVES)
		rings_leaves(&r);
	else if (width)
		rings_random(&r, &t->c, below(t->c.nodes), width);
	else
		rings_gray(&r, dim);
	r.repair = true;
	for (u = 0; u < t->c.nodes; u++)
		if (setsockopt(t->c.fd[u], SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)))
			return false;
	for (u = 0; u < t->c.nodes; u++)
		t->order[u] = width ? u : r.node[t->c.nodes - 1 - u];
	return !cube_rings(&t->c, PLAN, &r);
}

static bool trial_end(struct trial *t)
{
	unsigned int u, k;

	for (u = 0; u < t->c.nodes; u++)
		for (k = 0; k < ALL_OPS; k++)
			free(t->p[u].op[k].buf);
	return !cube_del(&t->c);
}

/* The nodes read, in their order, until the clock of operation @k says @clock.  False: it never
 * does.
 */
static bool clock_reach(struct trial *t, unsigned int k, unsigned int clock)
{
	uint64_t end = deadline(10);
	unsigned int i;

	while (now_ms() < end)
		for (i = 0; i < t->c.nodes; i++) {
			unsigned int u = t->order[i];

			if (t->clock[k] >= clock)
				return true;
			if (t->p[u].at <= k && hear(t, u) < 0)
				return false;
		}
	return false;
}

/* Or any nodes, in any order. */
static bool some_read(struct trial *t, unsigned int reads)
{
	while (reads--)
		if (hear(t, below(t->c.nodes)) < 0)
			return false;
	return true;
}

/* ------------------------------------------------------------ after it */

/* The live nodes that healthy links connect with @u. */
static unsigned int part_of(const struct trial *t, unsigned int u, unsigned int *node)
{
	uint32_t set[CUBE_MAX / 32] = { 0 };
	unsigned int v, n = 0;

	hc_faults_component(t->c.faults, u, set);
	for (v = 0; v < t->c.nodes; v++)
		if (hc_set_has(set, v))
			node[n++] = v;
	return n;
}

/* All of them read until they have the ends of so many operations.  However much that is, and
 * whatever the machine does besides, something comes all the time.
 */
static bool all_end(struct trial *t, const unsigned int *node, unsigned int n, unsigned int ops)
{
	uint64_t end = deadline(20);
	struct pollfd fds[CUBE_MAX];
	bool behind = true;
	unsigned int i;
	int heard;

	while (behind && now_ms() < end) {
		behind = false;
		for (i = 0; i < n; i++) {
			bool waits = t->p[node[i]].at < ops;

			fds[i] = (struct pollfd){ waits ? t->c.fd[node[i]] : -1, POLLIN, 0 };
			behind |= waits;
		}
		if (!behind)
			return true;
		poll(fds, n, 100);
		for (i = 0; i < n; i++) {
			heard = fds[i].revents ? hear(t, node[i]) : 0;
			if (heard > 0)
				end = deadline(20);
			if (heard < 0) {
				printf("# node %u, operation %u: a piece that cannot be\n",
				       node[i], t->p[node[i]].at);
				return false;
			}
		}
	}
	for (i = 0; i < n; i++)
		printf("# node %u has had %u of %u operations\n", node[i], t->p[node[i]].at, ops);
	ctl_op_print(t->c.name);
	return false;
}

static bool block_right(const struct trial *t, const struct told *o, unsigned int k, unsigned int u,
			unsigned int place)
{
	size_t i;

	for (i = 0; i < block(t); i++)
		if (o->buf[place * block(t) + i] != byte(k, u, i)) {
			printf("# byte %zu of the block of %u is %u\n", i, u,
			       o->buf[place * block(t) + i]);
			return false;
		}
	return true;
}

/* The blocks of @all, but for those that are named, who are all gone; and each piece came once. */
static bool blocks_right(const struct trial *t, const struct told *o, unsigned int k,
			 const unsigned int *all, unsigned int n, const unsigned int *part,
			 unsigned int nparts)
{
	size_t least = 0, most = 0;
	unsigned int i, j;

	for (i = 0; i < n; i++) {
		bool lacks = o->named && hc_set_has(o->missing, all[i]), there = false;

		for (j = 0; j < nparts; j++)
			there |= part[j] == all[i];
		most += block(t);
		if (lacks && there) {
			printf("# %u is there, and named as missing\n", all[i]);
			return false;
		}
		if (lacks)
			continue;
		least += block(t);
		if (!block_right(t, o, k, all[i], i))
			return false;
	}
	if (o->got < least || o->got > most) {
		printf("# %zu bytes came instead of %zu to %zu\n", o->got, least, most);
		return false;
	}
	return true;
}

static unsigned int nodes_of(const struct trial *t, const uint32_t *set, unsigned int *node)
{
	unsigned int u, n = 0;

	for (u = 0; u < t->c.nodes; u++)
		if (hc_set_has(set, u))
			node[n++] = u;
	return n;
}

/* Whose blocks has the result of operation @k a place for?  Nobody misses any if it is not said. */
static unsigned int members_of(const struct trial *t, unsigned int k, const unsigned int *node,
			       unsigned int n, size_t bytes, unsigned int *all)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (t->p[node[i]].op[k].named)
			return nodes_of(t, t->p[node[i]].op[k].members, all);
	if (bytes != n * block(t) && nodes_of(t, t->who[k], all) * block(t) == bytes)
		return (unsigned int)(bytes / block(t));
	for (i = 0; i < t->c.nodes; i++)
		all[i] = bytes == n * block(t) && i < n ? node[i] : i;
	return (unsigned int)(bytes / block(t));
}

/* Is the result of operation @k at @u right, and about the same members as that of the others? */
static bool told_right(const struct trial *t, unsigned int u, unsigned int k,
		       const unsigned int *node, unsigned int n)
{
	const struct told *o = &t->p[u].op[k], *first = &t->p[node[0]].op[k];
	unsigned int all[CUBE_MAX], own[CUBE_MAX], members;
	bool fine;

	members = members_of(t, k, node, n, o->res.bytes, all);
	fine = o->res.op == first->res.op && o->res.bytes == members * block(t) &&
	       (o->res.status ? o->res.status == -EHOSTUNREACH && o->named : !o->named);
	if (fine && o->named)
		fine = nodes_of(t, o->members, own) == members &&
		       !memcmp(own, all, members * sizeof(*all)) &&
		       nodes_of(t, o->missing, own) && o->res.cause_node == own[0];
	fine = fine && blocks_right(t, o, k, all, members, node, n);
	if (!fine)
		printf("# node %u, operation %u (%llu, %llu at %u): status %d, %llu bytes, missing %x of %x\n",
		       u, k, (unsigned long long)o->res.op, (unsigned long long)first->res.op,
		       node[0], o->res.status, (unsigned long long)o->res.bytes, o->missing[0],
		       o->members[0]);
	return fine;
}

/* A part of the cube goes on: all that was begun ends as it must, and so does one more. */
static bool part_goes_on(struct trial *t, const unsigned int *node, unsigned int n)
{
	unsigned int i, k;

	for (i = 0; i < n; i++)
		if (!contribute(t, node[i]))
			return false;
	if (!all_end(t, node, n, ALL_OPS))
		return false;
	for (k = 0; k < ALL_OPS; k++)
		for (i = 0; i < n; i++)
			if (!told_right(t, node[i], k, node, n))
				return false;
	/* Nobody is missing any more. */
	for (i = 0; i < n; i++)
		if (t->p[node[i]].op[OPS].res.status ||
		    t->p[node[i]].op[OPS].res.bytes != n * block(t))
			return false;
	return true;
}

static bool parts_go_on(struct trial *t)
{
	unsigned int node[CUBE_MAX], n, u;
	bool fine = true;

	for (u = 0; u < t->c.nodes; u++) {
		if (hc_set_has(t->c.faults->dead, u))
			continue;
		n = part_of(t, u, node);
		if (node[0] == u)
			fine &= part_goes_on(t, node, n);
	}
	if (!fine)
		cube_print_faults(&t->c);
	return fine;
}

static void fail(struct trial *t, int node, unsigned int link)
{
	unsigned int u, d;

	if (node >= 0) {
		cube_fail_node(&t->c, (unsigned int)node);
		return;
	}
	cube_link(&t->c, link, &u, &d);
	cube_fail_link(&t->c, u, d);
}

/* ------------------------------------------------------------ tests */

struct variant {
	unsigned int width;
	unsigned int slices;
	bool notify;
};

static const struct variant variants[] = {
	{ 0, 1, false }, { 0, 1, true }, { 4, 1, false }, { 4, 1, true }, { 0, 2, false },
	{ 3, 2, true }, { 5, 3, false },
};

/* Steps that the clock of an operation counts, at least. */
static unsigned int steps_of(const struct variant *v)
{
	return 7 + 8 * (v->slices - 1) + v->notify;
}

/* In that order every other clock is reached, in any other order others. */
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

/* Until the clock says @step, of the second operation's behind those of the first.  It cannot be
 * stopped at any step of trees.
 */
static bool trial_at(struct trial *t, const struct variant *v, unsigned int step)
{
	unsigned int k = step > steps_of(v), clock = step - k * steps_of(v), tries, u;

	for (tries = 0; tries < 20; tries++) {
		memset(t, 0, sizeof(*t));
		t->slices = v->slices;
		t->notify = v->notify;
		if (!trial_begin(t, 3, v->width))
			return false;
		if (tries)
			shuffle(t);
		for (u = 0; u < 16; u++) {
			if (!contribute(t, u % 8))
				return false;
			if (u < 8 && tries && below(2))
				hear(t, u);
		}
		if (!clock_reach(t, k, clock))
			return false;
		if (v->width || t->clock[k] == clock)
			return true;
		trial_end(t);
	}
	printf("# the clock does not say %u\n", clock);
	return false;
}

/* Something fails at that step. */
static bool fails_at(const struct variant *v, unsigned int step, int node, unsigned int link)
{
	struct trial t;
	bool fine = trial_at(&t, v, step);

	if (fine)
		fail(&t, node, link);
	fine = fine && parts_go_on(&t);
	if (!fine)
		printf("# width %u, %u slices%s, step %u, node %d, link %u\n", v->width, v->slices,
		       v->notify ? ", acknowledged" : "", step, node, link);
	return trial_end(&t) && fine;
}

TEST(every_link_fails_at_every_step)
{
	unsigned int i, step;

	for (step = 0; step <= OPS * steps_of(&variants[0]); step += scaled(3) > 2 ? 1 : 5)
		for (i = 0; i < 12; i++)
			ASSERT_TRUE(fails_at(&variants[0], step, -1, i));
}

TEST(every_node_fails_at_every_step)
{
	unsigned int step;
	int u;

	for (step = 0; step <= OPS * steps_of(&variants[0]); step += scaled(3) > 2 ? 1 : 5)
		for (u = 0; u < 8; u++)
			ASSERT_TRUE(fails_at(&variants[0], step, u, 0));
}

/* Trees of rings, messages of several segments, acknowledgements. */
static void varied(struct __test_metadata *_metadata, const struct variant *v)
{
	unsigned int step;

	for (step = 0; step <= OPS * steps_of(v); step += scaled(3) > 2 ? 1 : 9) {
		ASSERT_TRUE(fails_at(v, step, -1, below(12)));
		ASSERT_TRUE(fails_at(v, step, (int)below(8), 0));
	}
}

TEST(rings_with_acknowledgements)
{
	varied(_metadata, &variants[1]);
	varied(_metadata, &variants[3]);
}

TEST(trees_of_rings)
{
	varied(_metadata, &variants[2]);
}

TEST(messages_of_two_segments)
{
	varied(_metadata, &variants[4]);
}

TEST(messages_of_two_segments_in_trees)
{
	varied(_metadata, &variants[5]);
}

TEST(messages_of_three_segments)
{
	varied(_metadata, &variants[6]);
}

/* Until the plan is told as whole; of several parts the first may be. */
static void mended_wait(const struct trial *t)
{
	uint64_t end = deadline(3);
	struct ring_view v;

	do
		usleep(1000);
	while (now_ms() < end && !ctl_ring_get(t->c.name, PLAN, &v) && v.broken);
}

static bool all_contribute(struct trial *t)
{
	bool fine = true;
	unsigned int u;

	for (u = 0; fine && u < t->c.nodes; u++)
		if (!hc_set_has(t->c.faults->dead, u)) {
			hc_set_add(t->who[t->p[u].sent], u);
			fine = contribute(t, u);
		}
	return fine;
}

/* Any state, and any faults, also while the plan is being mended; or, with @waits, more of them,
 * each when it has been, and a node between the two operations.
 */
static bool random_trial(unsigned int dim, bool waits)
{
	const struct variant *v = &variants[below(ARRAY_SIZE(variants))];
	struct trial t = { .slices = v->slices, .notify = v->notify };
	unsigned int faults, n = 0;
	bool fine = trial_begin(&t, dim, v->width) && all_contribute(&t);

	fine = fine && some_read(&t, below(2 * t.c.nodes * t.c.nodes * v->slices));
	fine = fine && (waits || all_contribute(&t));
	fine = fine && some_read(&t, below(4 * t.c.nodes * t.c.nodes * v->slices));
	for (faults = 1 + below(3) + 3 * waits; faults; faults--) {
		fail(&t, below(2) && (n || !waits) ? -1 : (int)below(t.c.nodes),
		     below(dim * t.c.nodes / 2));
		n++;
		if (waits)
			mended_wait(&t);
		/* Without the node that has failed; then some are in it, others before it. */
		if (waits && n == 1)
			fine = fine && all_contribute(&t) &&
			       some_read(&t, below(2 * t.c.nodes * t.c.nodes * v->slices));
		if (!waits && below(2))
			usleep(below(3000));
		if (below(2))
			fine = fine && some_read(&t, below(t.c.nodes * t.c.nodes));
	}
	fine = fine && parts_go_on(&t);
	if (!fine)
		printf("# dim %u, width %u, %u slices%s, %u faults\n", dim, v->width, v->slices,
		       v->notify ? ", acknowledged" : "", n);
	return trial_end(&t) && fine;
}

static bool random_trials(unsigned int dim, unsigned int n, bool waits)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!random_trial(dim, waits))
			return false;
	return true;
}

TEST(random_faults_of_eight)
{
	ASSERT_TRUE(random_trials(3, scaled(100), false));
}

TEST(random_faults_of_sixteen)
{
	ASSERT_TRUE(random_trials(4, scaled(20), false));
}

TEST(random_faults_of_thirty_two)
{
	ASSERT_TRUE(random_trials(5, scaled(6), false));
}

TEST(random_faults_of_sixty_four)
{
	ASSERT_TRUE(random_trials(6, scaled(3), false));
}

TEST(random_faults_one_after_the_other)
{
	ASSERT_TRUE(random_trials(4, scaled(50), true));
}

/* ------------------------------------------------------------ who does not read */

#define SLOW	5

/* All others read until they have the block of node SLOW. */
static bool slow_one_heard(struct trial *t)
{
	uint64_t end = deadline(10);
	unsigned int u, behind = 1;

	while (behind && now_ms() < end) {
		for (u = 0, behind = 0; u < t->c.nodes; u++) {
			const struct told *o = &t->p[u].op[0];

			if (u == SLOW)
				continue;
			if (hear(t, u) < 0)
				return false;
			behind += !o->buf || o->buf[SLOW * SEGMENT + 1] != byte(0, SLOW, 1);
		}
	}
	return !behind;
}

/* Node SLOW does not read, so it passes on no more than its receive buffer takes, and fails when
 * all others have its block.  They have all blocks in the end; but it may not have theirs, which
 * they are told if they asked for that.
 */
static bool slow_one_is_named(bool notify)
{
	struct trial t = { .slices = 1, .notify = notify };
	unsigned int u, i, n = 0, node[CUBE_MAX];
	bool fine = trial_begin(&t, 3, 0);

	for (u = 0; u < t.c.nodes; u++) {
		fine = fine && contribute(&t, u);
		if (u != SLOW)
			node[n++] = u;
	}
	fine = fine && slow_one_heard(&t);
	cube_fail_node(&t.c, SLOW);
	fine = fine && all_end(&t, node, n, 1);
	for (u = 0; u < n && fine; u++) {
		const struct told *o = &t.p[node[u]].op[0];

		fine = o->named == notify && o->res.status == (notify ? -EHOSTUNREACH : 0) &&
		       o->missing[0] == (notify ? 1u << SLOW : 0) && o->got == 8 * SEGMENT;
		for (i = 0; i < t.c.nodes && fine; i++)
			fine = block_right(&t, o, 0, i, i);
		if (!fine)
			printf("# node %u: status %d, missing %x, %zu bytes\n", node[u],
			       o->res.status, o->missing[0], o->got);
	}
	return trial_end(&t) && fine;
}

TEST(who_may_not_have_it_is_named)
{
	ASSERT_TRUE(slow_one_is_named(true));
	ASSERT_TRUE(slow_one_is_named(false));
}

/* All but a leaf, whose process does not read, have all blocks, and wait for the word that it has
 * theirs.  Then another leaf loses its link: all go back, and are through once more.
 */
TEST(who_waits_for_words_goes_back)
{
	struct trial t = { .slices = 1, .notify = true };
	unsigned int u, behind = 1, node[CUBE_MAX];
	uint64_t end = deadline(10);

	ASSERT_TRUE(trial_begin(&t, 3, LEAVES));
	for (u = 0; u < 8; u++) {
		ASSERT_TRUE(contribute(&t, u));
		node[u] = u;
	}
	while (behind && now_ms() < end)
		for (u = 0, behind = 0; u < 8; u++) {
			ASSERT_TRUE(u == SLOW || hear(&t, u) >= 0);
			behind += u != SLOW && t.p[u].op[0].got < 8 * SEGMENT;
		}
	ASSERT_EQ(0, behind);
	EXPECT_FALSE(t.p[0].op[0].ended);
	ASSERT_EQ(0, cube_fail_link(&t.c, 2, 2));
	ASSERT_TRUE(all_end(&t, node, 8, 1));
	for (u = 0; u < 8; u++)
		EXPECT_TRUE(told_right(&t, u, 0, node, 8));
	ASSERT_TRUE(trial_end(&t));
}

TEST_HARNESS_MAIN
