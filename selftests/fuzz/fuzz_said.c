// SPDX-License-Identifier: GPL-2.0
/*
 * Frames that a neighbour on a wire must not be believed, one by one, and what follows from
 * them.  Each test has a fabric of three dimensions of its own.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live.h"
#include "task_calls.h"

#define INJECT	"/sys/kernel/debug/hypercube/inject"
#define WAIT_MS	20000

static struct cube c;
static struct moment m;
static int inject = -1;

/* ------------------------------------------------------------ saying it */

/* A frame that arrives at @node over link @dim: its part. */
static void *part_begin(struct frame *f, unsigned int node, unsigned int dim, unsigned int type,
			unsigned int plan)
{
	frame_begin(f, type);
	f->rec.node = node;
	f->rec.dim = dim;
	f->rec.flags = HC_INJECT_F_SEQ;
	if (frame_plan(f))
		frame_plan(f)->plan = htonl(plan);
	return frame_part(f);
}

/* It comes from @src to @dst, over the dimensions of @way at last. */
static void routed(struct frame *f, unsigned int src, unsigned int dst, const unsigned char *way,
		   unsigned int hops)
{
	struct hc_hdr *h = frame_hdr(f);
	unsigned char area[16] = { 0 };
	unsigned int i;

	for (i = 0; i < hops; i++)
		area[i / 2] |= way[i] << (i % 2 ? 0 : 4);
	f->says |= SAY_ENDS;
	h->flags |= HC_FRAME_F_ROUTED;
	h->src = htons(src);
	h->dst = htons(dst);
	h->walk = htons(hops);
	if (hops)
		frame_lead(f, area, sizeof(area));
}

/* 0 or -errno. */
static int say(const struct frame *f)
{
	static char buf[HC_INJECT_MAX];
	static struct batch b;
	size_t len = batch_head(&m, buf);

	b.n = 1;
	b.frame[0] = *f;
	len += batch_fill(&b, &m, buf + len);
	return write(inject, buf, len) < 0 ? -errno : 0;
}

/* ------------------------------------------------------------ what follows */

struct drops {
	int nest;
	int reason;
	uint64_t n;
};

static void drops_take(void *arg, const struct nl_attrs *a)
{
	struct drops *d = arg;
	const struct nlattr *nest = nl_find(a, d->nest, 0);
	struct nl_attrs in = { 0 };

	if (!nest)
		return;
	in.first = (const struct nlattr *)((const char *)nest + NLA_HDRLEN);
	in.len = nest->nla_len - NLA_HDRLEN;
	d->n = nl_get_u64(&in, d->reason, 0);
}

static uint64_t node_drops(unsigned int node, int reason)
{
	struct drops d = { HYPERCUBE_A_NODE_DROPS, reason, 0 };

	nl_begin(ctl(), HYPERCUBE_CMD_NODE_GET, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_NODE_FABRIC, c.name);
	nl_u32(ctl(), HYPERCUBE_A_NODE_ID, node);
	nl_talk(ctl(), drops_take, &d);
	return d.n;
}

static uint64_t link_drops(unsigned int node, unsigned int dim, int reason)
{
	struct drops d = { HYPERCUBE_A_LINK_DROPS, reason, 0 };

	nl_begin(ctl(), HYPERCUBE_CMD_LINK_GET, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_LINK_FABRIC, c.name);
	nl_u32(ctl(), HYPERCUBE_A_LINK_NODE, node);
	nl_u32(ctl(), HYPERCUBE_A_LINK_DIM, dim);
	nl_talk(ctl(), drops_take, &d);
	return d.n;
}

/* Waits until so many are counted: on a busy machine a frame is polled after the write. */
static bool link_drops_are(unsigned int node, unsigned int dim, int reason, uint64_t n)
{
	uint64_t end = fz_ms() + WAIT_MS;

	while (link_drops(node, dim, reason) < n && fz_ms() < end)
		usleep(1000);
	return link_drops(node, dim, reason) == n;
}

/* The same of a node. */
static bool node_drops_are(unsigned int node, int reason, uint64_t n)
{
	uint64_t end = fz_ms() + WAIT_MS;

	while (node_drops(node, reason) < n && fz_ms() < end)
		usleep(1000);
	return node_drops(node, reason) == n;
}

/* The next end that a node's process hears of: its status. */
static int end_of(unsigned int node, struct hypercube_result *res)
{
	uint64_t end = fz_ms() + WAIT_MS;
	static char buf[4096];
	bool eor;

	while (fz_ms() < end) {
		if (shc_recv(c.fd[node], buf, sizeof(buf), res, &eor, MSG_DONTWAIT) >= 0) {
			if (eor)
				return res->status;
			continue;
		}
		usleep(10000);
	}
	return -ETIMEDOUT;
}

static bool contribute(unsigned int node, unsigned int plan, unsigned int collective,
		       size_t total, size_t len)
{
	static char zero[1 << 14];
	bool sums = collective == HYPERCUBE_REDUCE || collective == HYPERCUBE_ALLREDUCE;
	struct hypercube_op op = {
		.plan = plan, .collective = collective, .bytes = total,
		.oper = sums ? HYPERCUBE_SUM : 0, .type = sums ? HYPERCUBE_U64 : 0,
	};

	return shc_send(c.fd[node], &op, zero, len, MSG_DONTWAIT) == (ssize_t)len;
}

/* The neighbour of the sink that is active at this stage. */
static unsigned int below_sink(unsigned int stage)
{
	return c.plan.tree.sink ^ 1u << c.plan.tree.order[stage];
}

static struct hc_wire_data *data(struct frame *f, unsigned int node, unsigned int dim,
				 unsigned int plan, unsigned int stage, unsigned int collective)
{
	struct hc_wire_data *w = part_begin(f, node, dim, HC_FRAME_DATA, plan);

	w->collective = collective;
	w->stage = stage;
	if (collective == HYPERCUBE_REDUCE || collective == HYPERCUBE_ALLREDUCE) {
		w->oper = HYPERCUBE_SUM;
		w->dtype = HYPERCUBE_U64;
	}
	return w;
}

/* ------------------------------------------------------------ memory */

/* A source that does not wait for the sink ends its operation, not the machine. */
static bool source_is_bounded(void)
{
	unsigned int sink = c.plan.tree.sink, dim = c.plan.tree.order[0], i;
	struct hypercube_result res;
	char bytes[1024] = { 0 };

	if (!contribute(sink, LIVE_TREE, HYPERCUBE_REDUCE, 1 << 20, sizeof(bytes)))
		return false;
	for (i = 0; i < 1000; i++) {
		struct frame f;
		struct hc_wire_data *w = data(&f, sink, dim, LIVE_TREE, 0, HYPERCUBE_REDUCE);

		w->total = htobe64(1 << 20);
		w->offset = htobe64(i * sizeof(bytes));
		w->index = htonl(i);
		frame_put(&f, bytes, sizeof(bytes));
		if (say(&f))
			return false;
	}
	return end_of(sink, &res) == -ENOBUFS && res.cause_node == below_sink(0) &&
	       node_drops(sink, HYPERCUBE_A_DROP_QUEUE_FULL) > 0;
}

static bool segment_is_bounded(void)
{
	unsigned int sink = c.plan.tree.sink, dim = c.plan.tree.order[0];
	uint64_t before = link_drops(sink, dim, HYPERCUBE_A_DROP_MALFORMED);
	char bytes[1032] = { 0 };
	struct frame f;

	data(&f, sink, dim, LIVE_TREE, 0, HYPERCUBE_REDUCE)->total = htobe64(1 << 20);
	frame_put(&f, bytes, sizeof(bytes));
	return !say(&f) && link_drops_are(sink, dim, HYPERCUBE_A_DROP_MALFORMED, before + 1);
}

/* One of the two ends of a link combines into what has come, the other one uses it again. */
static bool shared_in_doubling(void)
{
	static const unsigned int lens[] = { 64, 1024 };
	unsigned int dim = c.doubling.order[0], i, round;
	char bytes[1024] = { 1 };

	for (i = 0; i < 4; i++) {
		unsigned int node = i % 2 ? 1u << dim : 0, len = lens[i / 2];

		live_reset(&c, &m, false);
		live_bind(&c);
		if (!contribute(node, LIVE_DOUBLING, HYPERCUBE_ALLREDUCE, len, len))
			return false;
		usleep(50000);
		for (round = 0; round < 1; round++) {
			struct frame f;
			struct hc_wire_data *w = data(&f, node, dim, LIVE_DOUBLING, 0,
						      HYPERCUBE_ALLREDUCE);

			w->flags = HC_DATA_F_LAST;
			w->total = htobe64(len);
			frame_put(&f, bytes, len);
			f.rec.flags |= HC_INJECT_F_SHARED | (len > 512 ? HC_INJECT_F_PAGES : 0);
			if (say(&f))
				return false;
		}
	}
	return true;
}

/* Blocks are passed on as they came, with another header. */
static bool shared_in_gather(void)
{
	unsigned int node = below_sink(2), stage;
	char bytes[64] = { 1 };

	if (!contribute(node, LIVE_TREE, HYPERCUBE_GATHER, sizeof(bytes), sizeof(bytes)))
		return false;
	usleep(50000);
	for (stage = 0; stage < 2; stage++) {
		unsigned int dim = c.plan.tree.order[stage];
		struct frame f;
		struct hc_wire_data *w = data(&f, node, dim, LIVE_TREE, stage, HYPERCUBE_GATHER);

		w->flags = HC_DATA_F_LAST;
		w->total = htobe64(sizeof(bytes));
		w->block = htons(node ^ 1u << dim);
		frame_put(&f, bytes, sizeof(bytes));
		f.rec.flags |= HC_INJECT_F_SHARED;
		if (say(&f))
			return false;
	}
	return true;
}

/* A source claims to want the result of a gather.  The node that passes its block on does not
 * want it.
 */
static bool flags_stay_behind(void)
{
	unsigned int node = below_sink(2), dim = c.plan.tree.order[0], u;
	struct hypercube_result res;
	char bytes[64] = { 1 };
	struct hc_wire_data *w;
	struct frame f;

	for (u = 0; u < c.nodes; u++)
		if (u != (node ^ 1u << dim) &&
		    !contribute(u, LIVE_TREE, HYPERCUBE_GATHER, sizeof(bytes), sizeof(bytes)))
			return false;
	w = data(&f, node, dim, LIVE_TREE, 0, HYPERCUBE_GATHER);
	w->flags = HC_DATA_F_LAST | HC_DATA_F_WANT | HC_DATA_F_NOTIFY;
	w->total = htobe64(sizeof(bytes));
	w->block = htons(node ^ 1u << dim);
	frame_put(&f, bytes, sizeof(bytes));
	return !say(&f) && !end_of(c.plan.tree.sink, &res);
}

/* ------------------------------------------------------------ ends */

/* The word that the plan is broken, of a cause at @cause. */
static struct hc_wire_abort *broken(struct frame *f, unsigned int node, unsigned int dim,
				    unsigned int cause)
{
	struct hc_wire_abort *w = part_begin(f, node, dim, HC_FRAME_ABORT, LIVE_TREE);

	w->status = htonl(ENOLINK);
	w->node = htons(cause);
	w->dim = htons(HC_CAUSE_NONE);
	w->flags = htonl(HC_ABORT_F_BROKEN);
	return w;
}

/* Messages of a broadcast that fail with one word, module/coll/coll.h */
#define OP_RANGE	128

/* The range of numbers from @from on has failed; the source has begun @n messages. */
static bool say_failed(struct frame *f, unsigned int node, unsigned int dim, unsigned int from,
		       unsigned int n)
{
	struct hc_wire_abort *w = part_begin(f, node, dim, HC_FRAME_ABORT, LIVE_BCAST);

	w->plan.op = htobe64(from);
	w->next = htobe64(n);
	w->status = htonl(ECONNRESET);
	w->node = htons(node ^ 1u << dim);
	w->dim = htons(HC_CAUSE_NONE);
	w->flags = htonl(HC_ABORT_F_FINAL);
	f->says |= SAY_OP;
	return !say(f);
}

/* More messages have failed than a range has numbers, then one comes that has the number behind
 * the range, and another one fails.
 */
static bool numbers_rise(void)
{
	unsigned int dim = c.bcast.sequence[0], node = c.bcast.bcast.source ^ 1u << dim;
	unsigned int failed = OP_RANGE + 4, i;
	struct hypercube_result res;
	struct hc_wire_data *w;
	char bytes[8] = { 0 };
	uint64_t next = 0;
	struct frame f;

	if (!say_failed(&f, node, dim, 0, OP_RANGE) || !say_failed(&f, node, dim, 0, failed))
		return false;
	w = data(&f, node, dim, LIVE_BCAST, 0, HYPERCUBE_BCAST);
	w->plan.op = htobe64(OP_RANGE);
	w->flags = HC_DATA_F_DOWN | HC_DATA_F_LAST;
	w->total = htobe64(sizeof(bytes));
	w->ordinal = htons(failed);
	frame_put(&f, bytes, sizeof(bytes));
	f.says |= SAY_OP;
	if (say(&f) || !say_failed(&f, node, dim, OP_RANGE + 1, failed + 2))
		return false;
	for (i = 0; i < failed + 2; i++) {
		int status = end_of(node, &res);

		if (status != (i == failed ? 0 : -ECONNRESET) || (status && res.op < next)) {
			fz_note("end %u: %d of number %llu", i, status,
				(unsigned long long)res.op);
			return false;
		}
		if (status)
			next = res.op + 1;
	}
	return true;
}

/* A member that is not the sink's peer has no word on a plan without detours. */
static bool end_of_strangers(void)
{
	unsigned int sink = c.plan.tree.sink, src = below_sink(0) ^ 1u << c.plan.tree.order[1];
	const unsigned char way[] = { c.plan.tree.order[0], c.plan.tree.order[1] };
	struct frame f;

	broken(&f, sink, way[1], src);
	routed(&f, src, sink, way, 2);
	return !say(&f) && node_drops_are(sink, HYPERCUBE_A_DROP_UNEXPECTED, 1) &&
	       !cube_reduce(&c, LIVE_TREE, NULL);
}

static bool end_of_nowhere(void)
{
	unsigned int sink = c.plan.tree.sink;
	struct frame f;

	broken(&f, sink, c.plan.tree.order[0], 1 << 10);
	return !say(&f) && node_drops_are(sink, HYPERCUBE_A_DROP_MALFORMED, 1) &&
	       !cube_reduce(&c, LIVE_TREE, NULL);
}

/* A peer's word that the plan is broken is believed, but not what it says is complete. */
static bool end_of_peer(void)
{
	unsigned int sink = c.plan.tree.sink;
	struct hypercube_result res;
	struct hc_wire_abort *w;
	struct frame f;

	if (!contribute(sink, LIVE_TREE, HYPERCUBE_REDUCE, 8, 8))
		return false;
	w = broken(&f, sink, c.plan.tree.order[0], below_sink(0));
	w->flags = htonl(HC_ABORT_F_BROKEN | HC_ABORT_F_FINAL);
	w->plan.op = htobe64(60);
	f.says |= SAY_OP;
	return !say(&f) && end_of(sink, &res) == -ENOLINK && res.op == 0;
}

/* A plan goes around faults: a frame over a link that is down, or that cannot get to a failed
 * node, is not one of the plan's.
 */
static bool lost_elsewhere(void)
{
	const unsigned char way[] = { 0 };
	struct frame f;
	char bytes[8] = { 0 };

	if (cube_fail_link(&c, 4, 1) || cube_fail_node(&c, 7) || cube_plan_to(&c, LIVE_TREE, 0) ||
	    c.plan.tree.ndetours)
		return false;
	live_plans(&c, &m);
	data(&f, 4, 1, LIVE_TREE, 0, HYPERCUBE_REDUCE)->total = htobe64(sizeof(bytes));
	frame_put(&f, bytes, sizeof(bytes));
	if (say(&f))
		return false;
	data(&f, 0, 0, LIVE_TREE, 0, HYPERCUBE_REDUCE)->total = htobe64(sizeof(bytes));
	routed(&f, 1, 7, way, 1);
	frame_put(&f, bytes, sizeof(bytes));
	return !say(&f) && !cube_reduce(&c, LIVE_TREE, NULL) && !cube_heal(&c);
}

/* ------------------------------------------------------------ numbers, names */

/* The carrier asks for the type of a frame before anybody has looked whether that is one. */
static bool type_of_nothing(void)
{
	static const unsigned char types[] = { 0, 13, 0x81, 0x8c, 0xff };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct frame f;

		part_begin(&f, 0, 0, types[i], LIVE_TREE);
		f.rec.flags = 0;
		if (say(&f) || !link_drops_are(0, 0, HYPERCUBE_A_DROP_MALFORMED, i + 1))
			return false;
	}
	return live_dgrams(&c);
}

/* Is it dropped for what it says of its own parts?  It is the @n-th that comes to node 0. */
static bool is_malformed(struct frame *f, unsigned int n)
{
	f->rec.flags = 0;
	f->says |= SAY_LEN;
	return !say(f) && link_drops_are(0, 0, HYPERCUBE_A_DROP_MALFORMED, n);
}

/* There is less than the part of its type, or less or more than the frame says. */
static bool parts_are_whole(void)
{
	unsigned int type, n = 0;
	struct frame f;

	for (type = 1; type < __HC_FRAME_TYPE_END; type++) {
		part_begin(&f, 0, 0, type, LIVE_TREE);
		while (f.rec.len > sizeof(struct hc_hdr)) {
			f.rec.len -= 8;
			if (!is_malformed(&f, ++n))
				return false;
		}
		part_begin(&f, 0, 0, type, LIVE_TREE);
		frame_hdr(&f)->len = htonl(8);
		if (!is_malformed(&f, ++n))
			return false;
		frame_hdr(&f)->len = htonl(0xffffffff);
		if (!is_malformed(&f, ++n))
			return false;
		frame_hdr(&f)->len = 0;
		frame_put(&f, "more", 4);
		if (!is_malformed(&f, ++n))
			return false;
	}
	return live_dgrams(&c);
}

/* A way that no flag announces, in frames of any type. */
static bool walk_unannounced(void)
{
	const unsigned char area[16] = { 0 };
	unsigned int type, n = 0;

	for (type = 1; type < __HC_FRAME_TYPE_END; type++) {
		struct frame f;

		part_begin(&f, 0, 0, type, LIVE_TREE);
		frame_lead(&f, area, sizeof(area));
		frame_hdr(&f)->walk = htons(1);
		frame_hdr(&f)->len = 0;
		if (!is_malformed(&f, ++n)) {
			fz_note("type %u", type);
			return false;
		}
	}
	return live_dgrams(&c);
}

/* Words have their parts to say something, and no payload. */
static bool words_are_bare(void)
{
	static const unsigned char types[] = {
		HC_FRAME_TEST, HC_FRAME_FAULT, HC_FRAME_ACK, HC_FRAME_ABORT, HC_FRAME_CREDIT,
		HC_FRAME_PROBE, HC_FRAME_REPLY, HC_FRAME_PATH,
	};
	const unsigned char way[] = { 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct frame f;

		part_begin(&f, 0, 0, types[i], LIVE_TREE);
		if (types[i] == HC_FRAME_PATH)
			routed(&f, 1, 0, way, 1);
		frame_put(&f, "payload", 8);
		frame_hdr(&f)->len = htonl(8);
		if (!is_malformed(&f, i + 1)) {
			fz_note("type %u", types[i]);
			return false;
		}
	}
	return live_dgrams(&c);
}

/* Only Ethernet frames go to everybody, and what leads them has to be there. */
static bool flood_of_words(void)
{
	struct hc_wire_flood w = { .tree = 0 };
	unsigned int type, n = 0;

	for (type = 1; type < __HC_FRAME_TYPE_END; type++) {
		struct frame f;

		part_begin(&f, 0, 0, type, LIVE_TREE);
		frame_hdr(&f)->flags = HC_FRAME_F_FLOOD;
		if (type != HC_FRAME_ETH)
			frame_lead(&f, &w, sizeof(w));
		if (!is_malformed(&f, ++n))
			return false;
	}
	return live_dgrams(&c);
}

static bool seq_heals(void)
{
	static const uint32_t seqs[] = { 0x7fffffff, 0xfffffff0, 0x40000000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(seqs); i++) {
		struct frame f;

		part_begin(&f, 0, 0, HC_FRAME_REPLY, LIVE_TREE);
		frame_hdr(&f)->seq = htonl(seqs[i]);
		f.rec.flags = 0;
		if (say(&f) || !live_dgrams(&c))
			return false;
	}
	return true;
}

static bool version_heals(void)
{
	static const uint32_t versions[] = { 0xffffffff, 0x7fffffff, 0x80000000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		struct hc_wire_lsa s = { .node = htons(6), .word = htons(7),
					   .version = htonl(versions[i]) };
		struct frame f;

		part_begin(&f, 0, 0, HC_FRAME_LSA, 0);
		frame_put(&f, &s, sizeof(s));
		if (say(&f) || !live_dgrams(&c))
			return false;
	}
	/* A link that really fails is known all the same. */
	return !cube_fail_link(&c, 6, 1) && live_dgrams(&c) && !cube_heal(&c) && live_dgrams(&c);
}

static bool dgram_comes(int fd, const struct frame *f, char buf[64])
{
	uint64_t end = fz_ms() + 500;

	if (say(f))
		return false;
	while (fz_ms() < end)
		if (recv(fd, buf, 64, MSG_DONTWAIT) >= 0)
			return true;
	return false;
}

/* A frame is taken only if its way leads here from its source, over the link it came by. */
static bool src_is_behind(void)
{
	static const struct {
		unsigned char src, hops, way[2];
		bool comes;
	} tries[] = {
		{ 0, 0, { 0 }, false }, { 2, 1, { 1 }, false }, { 5, 2, { 0, 2 }, false },
		{ 4, 1, { 0 }, false }, { 1, 1, { 0 }, true }, { 5, 2, { 2, 0 }, true },
	};
	int fd = shc_bound(c.name, 7, SOCK_DGRAM);
	bool ok = fd >= 0;
	char buf[64];
	unsigned int i;

	for (i = 0; ok && i < ARRAY_SIZE(tries); i++) {
		struct frame f;

		part_begin(&f, 0, 0, HC_FRAME_DGRAM, 0);
		routed(&f, tries[i].src, 7, tries[i].way, tries[i].hops);
		frame_put(&f, "lie", 4);
		ok = dgram_comes(fd, &f, buf) == tries[i].comes;
		if (!ok)
			fz_note("row %u", i);
	}
	close(fd);
	return ok;
}

/* ------------------------------------------------------------ tasks */

/* A segment of @len bytes at @at of a task of 9, from node 6 to 7. */
static struct hc_wire_task *segment(struct frame *f, uint64_t move, unsigned int at,
				    unsigned int len)
{
	struct hc_wire_task *w = part_begin(f, 7, 0, HC_FRAME_TASK, 0);

	*w = (struct hc_wire_task){
		.move = htobe64(move), .nr = htobe64(3), .offset = htonl(at), .total = htonl(9),
		.origin = htons(1), .what = HC_TASK_F_DATA,
	};
	if (len)
		frame_put(f, "123456789", len);
	return w;
}

static bool task_is_whole(void)
{
#define AT(field) offsetof(struct hc_wire_task, field)
	static const struct { unsigned char at, says; } wrong[] = {
		{ AT(total), 1 }, { AT(total) + 3, 8 }, { AT(total) + 3, 10 }, { AT(total) + 3, 0 },
		{ AT(offset), 255 }, { AT(offset) + 3, 1 }, { AT(offset) + 3, 9 },
		{ AT(offset) + 3, 10 }, { AT(origin) + 1, 8 }, { AT(origin), 255 },
		{ AT(nr) + 7, 0 }, { AT(flags), 4 }, { AT(flags), 128 }, { AT(what), 0 },
		{ AT(what), HC_TASK_F_TAKEN }, { AT(what), HC_TASK_F_ASK },
		{ AT(what), __HC_TASK_F_END }, { AT(what), 255 },
	};
#undef AT
	struct task_view v;
	struct frame f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		((unsigned char *)segment(&f, 1, 0, 9))[wrong[i].at] = wrong[i].says;
		if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, i + 1)) {
			fz_note("row %u", i);
			return false;
		}
	}
	/* Around a fault nothing comes but words, and from neighbours. */
	segment(&f, 1, 0, 9);
	routed(&f, 6, 7, (const unsigned char[]){ 0 }, 1);
	if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, i + 1))
		return false;
	segment(&f, 1, 0, 0)->what = HC_TASK_F_ASK;
	routed(&f, 4, 7, (const unsigned char[]){ 1, 0 }, 2);
	if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_FOREIGN, 1))
		return false;
	return !task_view(c.name, 7, &v) && !v.queued && !v.bytes && live_dgrams(&c);
}

static bool received(uint64_t n)
{
	uint64_t end = fz_ms() + WAIT_MS;
	struct task_view v = { 0 };

	while (v.received < n && fz_ms() < end)
		task_view(c.name, 7, &v);
	return v.received == n && v.queued == n;
}

/* Two of the same, those before it, and one that was asked about; words that nobody waits for. */
static bool task_is_once(void)
{
	struct frame f;
	bool ok;

	segment(&f, 10, 0, 9);
	ok = !say(&f) && received(1) && !say(&f) && !say(&f);
	segment(&f, 9, 0, 9);
	ok = ok && !say(&f);
	segment(&f, 12, 0, 0)->what = HC_TASK_F_ASK;
	ok = ok && !say(&f);
	segment(&f, 12, 0, 9);
	ok = ok && !say(&f);
	/* Who speaks from afar does not let numbers run away. */
	segment(&f, 12 + 2000, 0, 0)->what = HC_TASK_F_ASK;
	routed(&f, 6, 7, (const unsigned char[]){ 0 }, 1);
	ok = ok && !say(&f);
	segment(&f, 13, 0, 9);
	ok = ok && !say(&f) && received(2);
	segment(&f, 5, 0, 0)->what = HC_TASK_F_TAKEN;
	ok = ok && !say(&f) && node_drops_are(7, HYPERCUBE_A_DROP_UNEXPECTED, 1);
	segment(&f, 5, 0, 0)->what = HC_TASK_F_NOT;
	ok = ok && !say(&f) && node_drops_are(7, HYPERCUBE_A_DROP_UNEXPECTED, 2);
	return ok && received(2) && live_dgrams(&c);
}

/* ------------------------------------------------------------ copies */

/* Copy @i of three from node 0 to 7, each over the link that its path ends with. */
static struct hc_wire_copy *copy(struct frame *f, unsigned int nr, unsigned int i, const char *says)
{
	static const unsigned char paths[16] = { 3, 0x01, 0x20, 3, 0x12, 0x00, 3, 0x20, 0x10 };
	static const unsigned char last[] = { 2, 0, 1 };
	struct hc_wire_copy *w = part_begin(f, 7, last[i], HC_FRAME_COPY, 0);

	*w = (struct hc_wire_copy){
		.nr = htobe64(nr), .copies = 3, .copy = i, .hop = 3, .paths = htons(sizeof(paths)),
	};
	f->says |= SAY_ENDS;
	frame_hdr(f)->dst = htons(7);
	frame_put(f, paths, sizeof(paths));
	frame_put(f, says, 4);
	return w;
}

/* A socket of node 7 that believes what two of three copies say. */
static int copies_bound(void)
{
	int fd = shc_bound(c.name, 7, SOCK_DGRAM), least = 3, most = HYPERCUBE_DELIVER_MAJORITY;
	int wait = HYPERCUBE_COPIES_WAIT_MAX;

	setsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_COPIES_WAIT, &wait, sizeof(wait));
	setsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_COPIES_LEAST, &least, sizeof(least));
	setsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_DELIVER, &most, sizeof(most));
	return fd;
}

/* Nothing comes of copies that are none. */
static bool copies_are_whole(void)
{
#define AT(field) offsetof(struct hc_wire_copy, field)
	static const struct { unsigned char at, says; } wrong[] = {
		{ AT(hop), 0 }, { AT(hop), 2 }, { AT(hop), 4 }, { AT(hop), 255 },
		{ AT(copy), 0 }, { AT(copy), 3 }, { AT(copies), 0 }, { AT(copies), 1 },
		{ AT(copies), 13 }, { AT(paths) + 1, 0 }, { AT(paths) + 1, 15 },
		{ AT(paths) + 1, 24 }, { AT(paths), 255 },
	};
#undef AT
	struct frame f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		((unsigned char *)copy(&f, i, 1, "lie"))[wrong[i].at] = wrong[i].says;
		if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, i + 1)) {
			fz_note("row %u", i);
			return false;
		}
	}
	return live_dgrams(&c);
}

/* Who is behind one link is believed one copy, whatever the paths that it invents. */
static bool copies_of_one_are_one(void)
{
	static const unsigned char both[8] = { 3, 0x12, 0x00, 3, 0x21, 0x00 };
	int fd = copies_bound();
	struct hc_wire_copy *w;
	char got[64] = "";
	struct frame f;
	unsigned int i;
	bool ok = fd >= 0;

	for (i = 0; ok && i < 3; i++) {
		copy(&f, 1, i, "lie");
		f.rec.dim = 0;
		ok = !say(&f);
	}
	ok = ok && link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, 2);
	/* Both of these paths are over node 6. */
	w = copy(&f, 2, 1, "lie");
	w->copies = 2;
	w->paths = htons(sizeof(both));
	memcpy(w + 1, both, sizeof(both));
	ok = ok && !say(&f) && node_drops_are(7, HYPERCUBE_A_DROP_UNPROVEN, 1);
	i = 1;
	ok = ok && !setsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_COPIES_LEAST, &i, sizeof(i));
	ok = ok && !say(&f) && node_drops_are(7, HYPERCUBE_A_DROP_MALFORMED, 1);
	/* It lies about its copy of an honest datagram. */
	for (i = 0; ok && i < 3; i++) {
		copy(&f, 3, i, i == 1 ? "lie" : "yes");
		ok = i == 2 ? dgram_comes(fd, &f, got) : !say(&f);
	}
	ok = ok && !strcmp(got, "yes") && recv(fd, got, sizeof(got), MSG_DONTWAIT) < 0;
	close(fd);
	return ok;
}

/* ------------------------------------------------------------ scatter */

static bool want_of_nothing(void)
{
	unsigned int sink = c.plan.tree.sink;
	struct hypercube_result res;
	struct frame f;

	if (!contribute(sink, LIVE_TREE, HYPERCUBE_SCATTER, 64, 64))
		return false;
	data(&f, sink, c.plan.tree.order[0], LIVE_TREE, 0, HYPERCUBE_SCATTER)->flags =
		HC_DATA_F_WANT | HC_DATA_F_LAST;
	return !say(&f) && end_of(sink, &res) == -EPROTO && res.cause_node == below_sink(0);
}

static bool down_before_asked(void)
{
	unsigned int node = below_sink(2), i;
	char bytes[8] = { 0 };

	for (i = 0; i < 2; i++) {
		struct frame f;
		struct hc_wire_data *w = data(&f, node, c.plan.tree.order[2], LIVE_TREE, 2,
					      HYPERCUBE_SCATTER);

		w->flags = HC_DATA_F_DOWN;
		w->total = htobe64(sizeof(bytes));
		w->block = htons(node);
		frame_put(&f, bytes, sizeof(bytes));
		if (say(&f) || !node_drops_are(node, HYPERCUBE_A_DROP_UNEXPECTED, i + 1))
			return false;
		if (!i && !contribute(node, LIVE_TREE, HYPERCUBE_SCATTER, 0, 0))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------ all */

static const struct {
	bool (*holds)(void);
	const char *what;
} tests[] = {
	{ source_is_bounded, "what a source sends ahead is bounded at its receiver" },
	{ segment_is_bounded, "no segment is longer than the fabric's" },
	{ shared_in_doubling, "a doubling writes to no frame of others" },
	{ shared_in_gather, "a gather writes to no header of others" },
	{ flags_stay_behind, "a gather does not say what a source has said" },
	{ end_of_strangers, "a member that is no peer ends nothing" },
	{ end_of_nowhere, "a cause lies in the fabric" },
	{ end_of_peer, "a source does not say what is complete" },
	{ numbers_rise, "the numbers of a broadcast's failures never go back" },
	{ lost_elsewhere, "what is lost on no way of a plan does not break it" },
	{ type_of_nothing, "a frame of no type is dropped" },
	{ parts_are_whole, "a frame whose parts are not what came is dropped" },
	{ flood_of_words, "nothing but Ethernet is flooded" },
	{ walk_unannounced, "a way that no flag announces is none" },
	{ words_are_bare, "what has its say in its parts has no payload" },
	{ seq_heals, "a link goes on after a wrong number" },
	{ version_heals, "states go on after a wrong version" },
	{ src_is_behind, "nobody speaks for whom he does not lead to" },
	{ copies_are_whole, "a copy that is not of its path is dropped" },
	{ copies_of_one_are_one, "a neighbour is believed one copy" },
	{ task_is_whole, "a task is what its segments can be" },
	{ task_is_once, "a handover that is decided brings no task" },
	{ want_of_nothing, "who asks for blocks names members" },
	{ down_before_asked, "nobody gets blocks before he has asked" },
};

static bool run(unsigned int i)
{
	bool ok = live_open(&c, &m, 3) && live_reset(&c, &m, false);

	live_bind(&c);
	ok = ok && tests[i].holds();
	return !cube_del(&c) && ok;
}

int main(int argc, char **argv)
{
	struct fz_args a = fz_parse(argc, argv);
	struct cover cover;
	unsigned int i;

	if (cover_open(&cover) && cover_polls(&cover))
		cover_begin(&cover);
	inject = open(INJECT, O_WRONLY | O_CLOEXEC);
	if (inject < 0) {
		fz_note("no way in for frames: %s", strerror(errno));
		return 4;
	}
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		fz_result(run(i), tests[i].what);
		cover_end(&cover);
		cover_begin(&cover);
	}
	if (a.cover)
		cover_write(a.cover);
	return fz_end();
}
