// SPDX-License-Identifier: GPL-2.0
/*
 * Injects single frames of load balancing rounds. In some tests node 7 must receive only injected
 * frames, so its links delay the frames of its neighbours.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "balance.h"
#include "round_calls.h"
#include "said.h"
#include "task_calls.h"

#define DEM	HYPERCUBE_BALANCE_DEM
#define MCWA	HYPERCUBE_BALANCE_MCWA
#define RID	HYPERCUBE_BALANCE_RID

/* Return: the id, as frames have it, of round number @nr that @node has begun. */
static uint64_t id_of(uint64_t nr, unsigned int node)
{
	return nr << 16 | node;
}

/* Make a message of round @id, to @node from its neighbour along @dim. */
static struct hc_wire_round *says(struct frame *f, unsigned int node, unsigned int dim,
				  unsigned int method, uint64_t id, unsigned int flags)
{
	struct hc_wire_round *w = part_begin(f, node, dim, HC_FRAME_ROUND, 0);

	*w = (struct hc_wire_round){
		.round = htobe64(id), .method = method, .flags = flags,
		.node = htons(HC_CAUSE_NONE), .dim = htons(HC_CAUSE_NONE),
	};
	return w;
}

/* Append an entry of this @kind to a message of a round. */
static void word(struct frame *f, unsigned int kind, unsigned int index, uint64_t value)
{
	uint64_t raw = htobe64((uint64_t)kind << 56 |
			       (uint64_t)index << HC_ROUND_VALUE_BITS | value);

	frame_put(f, &raw, sizeof(raw));
}

/* Delay all frames that neighbours send to node 7, so that for some seconds it receives only
 * injected frames. @stall_timeout_ms: stall timeout of the fabric. Return: false if that fails.
 */
static bool alone(unsigned int stall_timeout_ms)
{
	unsigned int d;

	for (d = 0; d < 3; d++)
		if (!mute(7, d, 5000)) {
			fz_note("the neighbours are not to be silenced");
			return false;
		}
	return !ctl_stall_timeout(said.c.name, stall_timeout_ms);
}

/* Return: true if a round of all nodes succeeds, which a command begins at node 7. */
static bool rounds_work(void)
{
	struct round_view v = { 0 };
	uint64_t begin = fz_ms();
	int err;

	mute_end();
	ctl_stall_timeout(said.c.name, HYPERCUBE_STALL_TIMEOUT_DEFAULT);
	err = round_run(said.c.name, DEM, 7, &v);
	if (!err && !v.status && v.members == 8)
		return true;
	fz_note("error %d, status %d, %u members, %llu ms", err, v.status, v.members,
		(unsigned long long)(fz_ms() - begin));
	return false;
}

/* Begin a round at node 7, in which node 7 receives only injected frames. Return: false if that
 * fails.
 */
static bool asks(struct nl *nl, unsigned int method, unsigned int stall_timeout_ms)
{
	if (!rounds_work() || !alone(stall_timeout_ms) || nl_open(nl))
		return false;
	if (!round_begin(nl, said.c.name, method, 7))
		return !usleep(50000);
	nl_shut(nl);
	return false;
}

/* Return: true if the round that asks() has begun fails with @status and link @dim of node 7 as its
 * cause, and the next round succeeds.
 */
static bool fails_so(struct nl *nl, int status, unsigned int dim)
{
	struct round_view v;
	int err = round_end(nl, &v);

	nl_shut(nl);
	if (!err && v.status == status && v.cause_dim == dim && v.cause_node == 7)
		return rounds_work();
	fz_note("error %d, status %d by %d:%d", err, v.status, v.cause_node, v.cause_dim);
	return false;
}

/* --- malformed frames --- */

bool round_is_whole(void)
{
#define AT(field) offsetof(struct hc_wire_round, field)
	static const struct { unsigned char at, says; } wrong[] = {
		{ AT(method), 0 }, { AT(method), 255 }, { AT(flags), 0x20 }, { AT(flags), 0x80 },
		{ AT(reserved), 1 }, { AT(reserved) + 1, 1 }, { AT(members) + 3, 9 },
		{ AT(members), 255 }, { AT(round) + 7, 8 }, { AT(round) + 6, 1 },
		/* a status without the flag of a failure, and the flag without a status */
		{ AT(status) + 3, 1 }, { AT(flags), HC_ROUND_F_FAILED },
		/* a round number that is greater than any possible one */
		{ AT(round), 1 },
	};
#undef AT
	static const struct { unsigned int kind, value; } words[][2] = {
		{ { HC_ROUND_LOAD, 1 }, { HC_ROUND_LOAD, 2 } },
		{ { HC_ROUND_WANT, 1 }, { HC_ROUND_LOAD, 2 } },
		{ { 0, 1 }, { HC_ROUND_LOAD, 2 } },
		{ { __HC_ROUND_KIND_END, 1 }, { HC_ROUND_LOAD, 2 } },
	};
	unsigned int i, n = 0;
	struct frame f;

	if (!rounds_work())
		return false;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		((unsigned char *)says(&f, 7, 0, DEM, id_of(9, 6), 0))[wrong[i].at] = wrong[i].says;
		if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, ++n)) {
			fz_note("row %u", i);
			return false;
		}
	}
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		says(&f, 7, 0, DEM, id_of(9, 6), 0);
		word(&f, words[i][0].kind, 0, words[i][0].value);
		word(&f, words[i][1].kind, 0, words[i][1].value);
		if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, ++n)) {
			fz_note("words %u", i);
			return false;
		}
	}
	/* RID messages: one has a flag that this method does not have, one is about a round of a
	 * third node.
	 */
	says(&f, 7, 0, RID, id_of(9, 6), HC_ROUND_F_PARENT);
	if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, ++n))
		return false;
	says(&f, 7, 0, RID, id_of(9, 5), 0);
	if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, ++n))
		return false;
	/* Messages with half an entry, and with one entry more than possible. */
	says(&f, 7, 0, DEM, id_of(9, 6), 0);
	frame_put(&f, "1234", 4);
	if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, ++n))
		return false;
	says(&f, 7, 0, DEM, id_of(9, 6), 0);
	for (i = 0; i <= HC_ROUND_WORDS; i++)
		word(&f, HC_ROUND_LOAD, i, 1);
	return !say(&f) && link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, ++n) && rounds_work();
}

/* --- rounds of all nodes --- */

/* Return: true if the reply to the request arrives within @ms. */
static bool answered(const struct nl *nl, int ms)
{
	struct pollfd p = { .fd = nl->fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* Begin a round at node 7 in which each neighbour answers with the messages of @says_so. */
static bool all_say(struct nl *nl, unsigned int method, bool (*says_so)(unsigned int dim))
{
	bool ok = asks(nl, method, 20000);
	unsigned int d;

	for (d = 0; d < 3 && ok; d++)
		ok = says_so(d);
	return ok;
}

/* Report to node 7, as its neighbour along @dim, that all eight nodes are below that neighbour in
 * the tree of the round.
 */
static bool has_all_below(unsigned int dim)
{
	struct frame f;

	says(&f, 7, dim, DEM, id_of(2, 7), HC_ROUND_F_PARENT | HC_ROUND_F_REPORT)->members =
		htonl(8);
	word(&f, HC_ROUND_LOAD, 0, 0);
	return !say(&f);
}

/* Each neighbour claims that all nodes are below it in the tree of the round. The sum is greater
 * than the number of nodes, so the round must fail.
 */
bool round_counts_no_more_than_all(void)
{
	struct nl nl;

	return all_say(&nl, DEM, has_all_below) && fails_so(&nl, -EPROTO, 0);
}

/* Neighbours send frames, but never the report for which node 7 waits. The round must end
 * nevertheless.
 */
bool round_is_not_held(void)
{
	struct frame f;
	unsigned int i;
	struct nl nl;
	bool ok = asks(&nl, DEM, 100);

	/* The time limit of a round is 30 times the stall timeout. */
	for (i = 0; i < 1200 && ok && !answered(&nl, 4); i++) {
		says(&f, 7, i % 3, DEM, id_of(2, 7), 0);
		ok = !say(&f);
	}
	if (ok && !answered(&nl, 0))
		fz_note("it is held");
	return ok && answered(&nl, 0) && fails_so(&nl, -ETIMEDOUT, ~0u);
}

/* A neighbour sends a message of the round with another method. The round must fail. */
bool round_has_one_method(void)
{
	struct frame f;
	struct nl nl;

	if (!asks(&nl, DEM, 20000))
		return false;
	says(&f, 7, 1, MCWA, id_of(2, 7), 0);
	return !say(&f) && fails_so(&nl, -EPROTO, 1);
}

/* A neighbour sends node 7 a message of a round whose id names a node that has not begun this
 * round. Node 7 forwards the message to that neighbour. Then each of the two has the round from the
 * other, and would wait until the other ends it.
 */
bool round_is_begun_by_its_node(void)
{
	static const unsigned int by[] = { 6, 4, 7 };
	uint64_t begin = fz_ms();
	struct frame f;
	unsigned int i;
	bool ok;

	ok = rounds_work();
	for (i = 0; i < ARRAY_SIZE(by) && ok; i++) {
		says(&f, 7, 0, DEM, id_of(100 * (i + 1), by[i]), 0);
		ok = !say(&f) && rounds_work();
	}
	if (fz_ms() - begin < HYPERCUBE_STALL_TIMEOUT_DEFAULT)
		return ok;
	fz_note("it takes %llu ms", (unsigned long long)(fz_ms() - begin));
	return false;
}

/* A neighbour begins one round after another. This must not make other nodes send frames all the
 * time.
 */
bool rounds_come_one_by_one(void)
{
	enum { MANY = 1200 };
	static struct frame f[BATCH_MAX];
	uint64_t before, begin, ms, sent;
	unsigned int i, nr = 10;
	bool ok = true;

	if (!rounds_work() || !alone(20000))
		return false;
	before = link_frames(7, 1);
	begin = fz_ms();
	for (i = 0; i < MANY && ok; i++) {
		says(&f[i % BATCH_MAX], 7, 0, DEM, id_of(nr++, 6), 0);
		ok = i % BATCH_MAX != BATCH_MAX - 1 || !say_all(f, BATCH_MAX);
	}
	usleep(20000);
	ms = fz_ms() - begin;
	sent = link_frames(7, 1) - before;
	/* A node sends at most one frame in 2 ms over each link. */
	if (sent > ms / 2 + 2) {
		fz_note("%llu frames in %llu ms", (unsigned long long)sent, (unsigned long long)ms);
		ok = false;
	}
	/* A quick machine runs all these rounds in about 10 ms. */
	if (sent < 4) {
		fz_note("%llu frames: none has joined", (unsigned long long)sent);
		ok = false;
	}
	return ok && rounds_work();
}

/* A round takes at least about a microsecond. So a round number that is greater than the uptime in
 * microseconds cannot be a real one.
 */
bool numbers_of_rounds_last(void)
{
	struct round_view v;
	struct timespec now;
	struct frame f;
	unsigned int i;

	if (!rounds_work())
		return false;
	for (i = 1; i <= 40; i++) {
		says(&f, 7, 0, DEM, id_of((uint64_t)i << 31, 6), 0);
		if (say(&f))
			return false;
		usleep(3000);
	}
	if (!rounds_work() || round_run(said.c.name, DEM, 7, &v))
		return false;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (v.nr <= (uint64_t)now.tv_sec * 1000000 + 1000000)
		return true;
	fz_note("the last one has the number %llu", (unsigned long long)v.nr);
	return false;
}

/* --- rounds of one node --- */

/* Report to node 7, in round @nr, that its neighbour along @dim has @load tasks. */
static bool says_load(unsigned int dim, unsigned int nr, unsigned int load)
{
	struct frame f;

	says(&f, 7, dim, RID, id_of(nr, 7), 0);
	word(&f, HC_ROUND_LOAD, 0, load);
	return !say(&f);
}

/* Let the neighbour along @dim claim to have 1000 tasks in a message about another round, which
 * must be ignored, and 90 tasks in this round.
 */
static bool has_ninety(unsigned int dim)
{
	return says_load(dim, 2, 1000) && says_load(dim, 1, 90);
}

/* A neighbour migrates more tasks to node 7 than node 7 has requested. */
bool round_gets_what_it_wants(void)
{
	struct frame f;
	struct nl nl;
	bool ok = all_say(&nl, RID, has_ninety);

	/* The neighbours have 90 tasks each, so node 7 requests fewer than 91 tasks of each of
	 * them.
	 */
	says(&f, 7, 2, RID, id_of(1, 7), 0);
	word(&f, HC_ROUND_LOAD, 0, 90);
	word(&f, HC_ROUND_GAVE, 0, 91);
	return ok && !say(&f) && fails_so(&nl, -EPROTO, 2);
}

static bool put(unsigned int node, unsigned int n)
{
	int fd = task_bound(&said.c, node);
	bool ok = fd >= 0;

	while (ok && n--)
		ok = !task_put(fd, "a task", 6, 0);
	close(fd);
	return ok;
}

static uint64_t queued(unsigned int node)
{
	struct task_view v = { 0 };

	task_view(said.c.name, node, &v);
	return v.queued;
}

static bool queued_are(unsigned int node, uint64_t n)
{
	uint64_t end = fz_ms() + 20000;

	while (queued(node) != n && fz_ms() < end)
		usleep(1000);
	return queued(node) == n;
}

/* Request as many tasks of node 7 as a message can name, in round @nr of node 6. */
static bool want_all(unsigned int nr)
{
	struct frame f;

	says(&f, 7, 0, RID, id_of(nr, 6), 0);
	word(&f, HC_ROUND_WANT, 0, (1ULL << HC_ROUND_VALUE_BITS) - 1);
	return !say(&f);
}

/* A neighbour requests more tasks than can exist. It gets all tasks of the node, but none for
 * further requests in this round or in an earlier one.
 */
bool round_gives_what_it_has(void)
{
	bool ok = rounds_work() && put(7, 20) && want_all(5) && queued_are(6, 20) && put(7, 3) &&
		  want_all(5) && want_all(4);

	usleep(20000);
	return ok && queued(7) == 3 && queued(6) == 20 && want_all(6) && queued_are(6, 23);
}

/* --- random messages --- */

static bool topology(void)
{
	struct hc_balance_topo t;
	bool ok = !hc_balance_topology(said.c.faults, HC_BALANCE_MCWA, &t) &&
		  !balance_topology(said.c.name, &t.b, said.c.faults->fault);

	hc_balance_topo_free(&t);
	return ok;
}

/* Send a random message about round @nr or about one of the next two rounds. */
static bool lie(uint64_t nr)
{
	static const unsigned int methods[] = { DEM, MCWA, HYPERCUBE_BALANCE_CWA, RID };
	unsigned int node = fz_below(8), dim = fz_below(3), n = fz_below(8), i;
	struct hc_wire_round *w;
	struct frame f;

	w = says(&f, node, dim, methods[fz_below(4)],
		 id_of(nr + fz_below(3), fz_chance(50) ? node ^ 1u << dim : fz_below(8)),
		 fz_chance(50) ? 0 : fz_below(HC_ROUND_F_ALL + 1));
	if (w->method == RID)
		w->flags = 0;
	w->members = htonl(fz_below(9));
	w->moved = htobe64(fz_number(8));
	if (w->flags & HC_ROUND_F_FAILED)
		w->status = htonl(1 + fz_below(100));
	for (i = 0; i < n; i++)
		word(&f, 1 + i % (__HC_ROUND_KIND_END - 1), i / (__HC_ROUND_KIND_END - 1),
		     fz_number(6));
	return !say(&f);
}

/* No task may be lost or duplicated, whatever neighbours send in rounds. */
bool rounds_keep_all_tasks(void)
{
	static const unsigned int methods[] = { DEM, MCWA, RID };
	unsigned int i, k, u, failed = 0;
	struct round_view v = { 0 };
	uint64_t nr = 1, sum = 0;
	struct nl nl;
	bool ok;

	ok = rounds_work() && topology() && !nl_open(&nl) && !ctl_stall_timeout(said.c.name, 20);
	for (u = 0; u < 8 && ok; u++)
		ok = put(u, 4 * u);
	fz_seed(1);
	for (i = 0; i < 150 && ok; i++) {
		ok = !round_begin(&nl, said.c.name, methods[i % 3], fz_below(8));
		for (k = fz_below(12); k && ok; k--)
			ok = lie(nr);
		ok = ok && !round_end(&nl, &v);
		failed += !!v.status;
		nr = v.nr;
	}
	nl_shut(&nl);
	fz_note("%u of %u rounds failed", failed, i);
	/* Wait until the rounds have ended that the injected frames have begun: 30 times the stall
	 * timeout.
	 */
	usleep(1000000);
	ok = ok && failed && rounds_work();
	for (u = 0; u < 8; u++)
		sum += queued(u);
	if (sum != 4 * 28) {
		fz_note("%llu tasks", (unsigned long long)sum);
		ok = false;
	}
	return ok;
}
