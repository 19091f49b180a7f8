// SPDX-License-Identifier: GPL-2.0
/*
 * Makes frames: at random, or from frames that were captured on links; and fills in their fields.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "frame.h"

/* --- type headers --- */

#define PART(type, wire)	\
	[HC_FRAME_##type] = sizeof(struct hc_wire_##wire)

static const unsigned char parts[__HC_FRAME_TYPE_END] = {
	PART(TEST, test),
	PART(FAULT, fault),
	PART(DATA, data),
	PART(ACK, ack),
	PART(END, stop),
	PART(CREDIT, credit),
	PART(PROBE, probe),
	PART(LSA, lsa_head),
	PART(REPAIR, repair),
	PART(COPY, copy),
	PART(TASK, task),
	PART(ROUND, round),
	PART(STOP, stop),
};

static unsigned int part_size(unsigned int type)
{
	return type < ARRAY_SIZE(parts) ? parts[type] : 0;
}

static unsigned int part_at(struct frame *f)
{
	const struct hc_hdr *h = frame_hdr(f);

	if (h->flags & HC_FRAME_F_FLOOD)
		return sizeof(*h) + sizeof(struct hc_wire_flood);
	return sizeof(*h) + hc_walk_area(ntohs(h->walk));
}

unsigned int frame_head(struct frame *f)
{
	unsigned int head = part_at(f) + part_size(frame_hdr(f)->type);

	return head < f->rec.len ? head : f->rec.len;
}

void *frame_part(struct frame *f)
{
	unsigned int size = part_size(frame_hdr(f)->type), at = part_at(f);

	return size && at + size <= f->rec.len ? f->bytes + at : NULL;
}

struct hc_wire_plan *frame_plan(struct frame *f)
{
	unsigned int type = frame_hdr(f)->type;

	return (type >= HC_FRAME_DATA && type <= HC_FRAME_PROBE) || type == HC_FRAME_REPAIR ||
	       type == HC_FRAME_STOP ?
	       frame_part(f) : NULL;
}

__be32 *frame_gen(struct frame *f)
{
	void *part = frame_part(f);

	if (!part)
		return NULL;
	switch (frame_hdr(f)->type) {
	case HC_FRAME_DATA:
		return &((struct hc_wire_data *)part)->gen;
	case HC_FRAME_ACK:
		return &((struct hc_wire_ack *)part)->gen;
	case HC_FRAME_CREDIT:
		return &((struct hc_wire_credit *)part)->gen;
	case HC_FRAME_END:
	case HC_FRAME_STOP:
		return &((struct hc_wire_stop *)part)->gen;
	default:
		return NULL;
	}
}

void frame_begin(struct frame *f, unsigned int type)
{
	memset(f, 0, sizeof(*f));
	frame_hdr(f)->version = HC_WIRE_VERSION;
	frame_hdr(f)->type = type;
	f->rec.len = sizeof(struct hc_hdr) + part_size(type);
}

void frame_lead(struct frame *f, const void *data, unsigned int len)
{
	unsigned char *behind = f->bytes + sizeof(struct hc_hdr);

	memmove(behind + len, behind, f->rec.len - sizeof(struct hc_hdr));
	memcpy(behind, data, len);
	f->rec.len += len;
}

void frame_put(struct frame *f, const void *data, unsigned int len)
{
	memcpy(f->bytes + f->rec.len, data, len);
	f->rec.len += len;
}

/* --- frames built at random --- */

static const unsigned char kinds[][3] = {	/* collective, oper, dtype */
	{ HYPERCUBE_REDUCE, HYPERCUBE_SUM, HYPERCUBE_U64 },
	{ HYPERCUBE_REDUCE, HYPERCUBE_MERGE, HYPERCUBE_U32 },
	{ HYPERCUBE_ALLREDUCE, HYPERCUBE_SUM, HYPERCUBE_U64 },
	{ HYPERCUBE_ALLREDUCE, HYPERCUBE_MAXLOC, HYPERCUBE_F64 },
	{ HYPERCUBE_BARRIER, HYPERCUBE_SUM, HYPERCUBE_U8 },
	{ HYPERCUBE_GATHER, 0, 0 },
	{ HYPERCUBE_SCATTER, 0, 0 },
	{ HYPERCUBE_BCAST, 0, 0 },
	{ HYPERCUBE_REDUCE, HYPERCUBE_PROD, HYPERCUBE_F32 },
	{ HYPERCUBE_ALLTOALL, 0, 0 },
	{ HYPERCUBE_REDUCE_SCATTER, HYPERCUBE_SUM, HYPERCUBE_U64 },
	{ HYPERCUBE_ALLGATHER, 0, 0 },
};

static void payload_random(struct frame *f, unsigned int len)
{
	while (len--)
		f->bytes[f->rec.len++] = fz_chance(50) ? 0 : (unsigned char)fz_rnd();
}

/* Append a set of members, followed by a block for each of them, as an allgather sends them up a
 * tree.
 */
static void blocks_random(struct frame *f, const struct moment *m)
{
	unsigned int bytes = m->dim < 3 ? 1 : 1u << (m->dim - 3), count = 0;
	struct hc_wire_data *w = frame_part(f);

	w->total = htobe64(8);
	while (bytes--) {
		unsigned char set = fz_chance(50) ? 1u << fz_below(8) : (unsigned char)fz_rnd();

		f->bytes[f->rec.len++] = set;
		count += (unsigned int)__builtin_popcount(set);
	}
	payload_random(f, 8 * count);
}

static void make_data(struct frame *f, const struct moment *m)
{
	static const unsigned char flags[] = {
		HC_DATA_F_LAST, HC_DATA_F_LAST | HC_DATA_F_WANT, HC_DATA_F_DOWN,
		HC_DATA_F_DOWN | HC_DATA_F_LAST, HC_DATA_F_PART, HC_DATA_F_NOTIFY, 0,
		HC_DATA_F_PART | HC_DATA_F_LAST, HC_DATA_F_LAST | HC_DATA_F_BOTH,
	};
	static const unsigned int lens[] = { 0, 8, 8, 16, 64, 256, 512, 600, 1024 };
	const unsigned char *kind = kinds[fz_below(ARRAY_SIZE(kinds))];
	unsigned int len = lens[fz_below(ARRAY_SIZE(lens))];
	struct hc_wire_data *w = frame_part(f);

	w->collective = kind[0];
	w->oper = kind[1];
	w->dtype = kind[2];
	w->stage = fz_below(m->dim);
	w->flags = flags[fz_below(ARRAY_SIZE(flags))];
	w->total = htobe64(fz_chance(70) ? len : 2 * len);
	w->offset = htobe64(fz_chance(70) ? 0 : len);
	w->block = htons(fz_below(8));
	w->turn = htons(fz_below(4));
	if (kind[0] == HYPERCUBE_ALLGATHER && fz_chance(70))
		blocks_random(f, m);
	else
		payload_random(f, len);
}

static void make_end(struct frame *f, const struct moment *m)
{
	struct hc_wire_stop *w = frame_part(f);

	(void)m;
	w->status = htonl(fz_chance(80) ? fz_below(134) : (uint32_t)fz_number(4));
	w->node = htons(fz_below(9));
	w->dim = htons(fz_below(4));
	w->flags = htonl(fz_below(2 * HC_STOP_F_NO_DATA));
}

static void make_state(struct frame *f, const struct moment *m)
{
	struct hc_wire_lsa_head *w = frame_part(f);
	unsigned int n = fz_below(9);

	w->flags = fz_chance(30) ? HC_LSA_F_SYNC : 0;
	while (n--) {
		struct hc_wire_lsa s = {
			.node = htons(fz_below((1u << m->dim) + 1)),
			.word = htons(fz_below(1u << m->dim)),
			.version = htonl((uint32_t)fz_number(4)),
		};

		frame_put(f, &s, sizeof(s));
	}
}

static void make_eth(struct frame *f, const struct moment *m)
{
	unsigned char head[14] = {
		2, 0x68, m->fabric >> 8, m->fabric, 0, f->rec.node,
		2, 0x68, m->fabric >> 8, m->fabric, 0, fz_below(8), 8, 0,
	};

	if (fz_chance(50))
		memset(head, 0xff, 6);
	frame_put(f, head, fz_chance(90) ? sizeof(head) : fz_below(sizeof(head)));
	payload_random(f, fz_below(100));
}

/* Make a copy of a datagram. The datagram has two copies, over the two paths of a square, or a
 * third copy as well, over a path that goes around the square. The source is the corner opposite to
 * this node, or a random node at which the paths do not begin.
 */
static void make_copy(struct frame *f, const struct moment *m)
{
	unsigned int a = fz_below(m->dim), b = fz_below(m->dim), c = fz_below(m->dim);
	struct hc_wire_copy *w = frame_part(f);
	unsigned char paths[] = {
		2, a << 4 | b, 2, b << 4 | a, 4, c << 4 | a, b << 4 | c, 0,
	};
	unsigned int back;

	w->nr = htobe64(fz_below(8));
	w->copies = fz_chance(50) ? 2 : 3;
	w->copy = fz_below(w->copies);
	w->hop = fz_chance(80) ? (w->copy == 2 ? 4 : 2) : fz_below(6);
	if (w->copies == 2)
		memset(paths + 4, 0, 4);
	w->paths = htons(fz_chance(95) ? sizeof(paths) : 8 * fz_below(4));
	f->rec.dim = w->copy == 2 ? c : w->copy ? a : b;
	back = w->hop == (w->copy == 2 ? 4 : 2) ? 1u << a ^ 1u << b : fz_below(1u << m->dim);
	f->says |= SAY_ENDS;
	frame_hdr(f)->src = htons(f->rec.node ^ back);
	frame_hdr(f)->dst = htons(f->rec.node);
	frame_put(f, paths, sizeof(paths));
	payload_random(f, fz_below(20));
}

static void make_flood(struct frame *f)
{
	struct hc_wire_flood w = {
		.tree = htonl(fz_chance(50) ? fz_below(3) : (uint32_t)fz_number(4)),
		.nr = htonl(fz_chance(80) ? fz_below(1000) : (uint32_t)fz_number(4)),
	};

	frame_hdr(f)->flags |= HC_FRAME_F_FLOOD;
	frame_lead(f, &w, sizeof(w));
}

/* Insert a walk that leads to this node, or a random one, which does not. */
static void make_walk(struct frame *f)
{
	unsigned int n = fz_chance(80) ? fz_below(6) : fz_below(40), i;
	unsigned char area[32];

	for (i = 0; i < hc_walk_area(n); i++)
		area[i] = i < (n + 1) / 2 ? fz_below(3) << 4 | fz_below(3) : 0;
	frame_hdr(f)->walk = htons(n);
	frame_hdr(f)->flags |= HC_FRAME_F_ROUTED;
	frame_lead(f, area, hc_walk_area(n));
}

/* Append numbers of tasks or replicas, as in DROP and LOST. */
static void task_numbers(struct frame *f, unsigned int n)
{
	uint64_t number;

	while (n--) {
		number = htobe64(fz_below(6));
		frame_put(f, &number, sizeof(number));
	}
}

/* Make a segment of a task or of a replica, or a control message about one. There are only a few
 * numbers of migrations and replicas, so that frames refer to the same ones.
 */
static void make_task(struct frame *f, const struct moment *m)
{
	struct hc_wire_task *w = frame_part(f);
	uint32_t len = fz_below(3) * 100;

	*w = (struct hc_wire_task){
		.move = htobe64(fz_below(6)), .what = fz_below(__HC_TASK_F_END + 1),
		.flags = fz_below(9) | (fz_chance(20) ? HC_TASK_KEEPS : 0),
		.origin = htons(fz_below((1u << m->dim) + 1)),
		.nr = htobe64(fz_below(4)), .total = htonl(len),
		.life = fz_chance(90) ? 0 : htonl(fz_below(3)),
	};
	if (w->what == HC_TASK_F_COPY && fz_chance(90))
		w->flags = HYPERCUBE_TASK_IDEMPOTENT | HYPERCUBE_TASK_REPLICATED;
	if (w->what == HC_TASK_F_DROP && fz_chance(90))
		task_numbers(f, 1 + fz_below(HC_TASK_DROPS + 1));
	else if (w->what == HC_TASK_F_LOST && fz_chance(90))
		task_numbers(f, sizeof(struct hc_wire_task_lost) / sizeof(uint64_t));
	else if (w->what == HC_TASK_F_DATA || w->what == HC_TASK_F_COPY || fz_chance(5))
		payload_random(f, fz_chance(90) ? len : fz_below(300));
}

/* Make a message of a load balancing round, with entries of all kinds, some of them invalid. There
 * are only a few rounds.
 */
static void make_round(struct frame *f, const struct moment *m)
{
	unsigned int n = fz_chance(80) ? fz_below(4) : fz_below(HC_ROUND_WORDS + 2), i;
	struct hc_wire_round *w = frame_part(f);
	uint64_t word;

	*w = (struct hc_wire_round){
		.round = htobe64((uint64_t)fz_below(6) << 16 | fz_below((1u << m->dim) + 1)),
		.moved = htobe64(fz_below(100)), .members = htonl(fz_below((1u << m->dim) + 2)),
		.node = htons(fz_below((1u << m->dim) + 1)), .dim = htons(fz_below(m->dim + 1)),
		.method = fz_below(HYPERCUBE_BALANCE_RID + 2),
		.flags = fz_below(HC_ROUND_F_ALL + 1),
	};
	if (fz_chance(30))
		w->flags = 0;
	if (fz_chance(5))
		w->flags |= fz_below(256);
	if (w->flags & HC_ROUND_F_FAILED)
		w->status = htonl(fz_below(200));
	for (i = 0; i < n; i++) {
		word = htobe64((uint64_t)fz_below(__HC_ROUND_KIND_END + 1) << 56 |
			       (uint64_t)fz_below(3) << HC_ROUND_VALUE_BITS | fz_below(100));
		memcpy(f->bytes + f->rec.len, &word, sizeof(word));
		f->rec.len += sizeof(word);
	}
	payload_random(f, fz_chance(5));
}

/* Fill in the assignment that a repair coordinator sends. */
static void repair_place(struct frame *f, const struct moment *m)
{
	struct hc_wire_repair *w = frame_part(f);
	unsigned int n = fz_below(m->dim + 1), i;
	uint32_t set = fz_chance(50) ? (1u << (1u << m->dim)) - 1 : fz_rnd();

	w->ways = fz_chance(95) ? n : fz_below(256);
	w->members = htonl(fz_chance(90) ? (unsigned int)__builtin_popcount(set) :
					   fz_below(1u << m->dim));
	w->rings = htons(fz_below(m->dim + 1));
	w->tour = htons(fz_chance(95) ? 1u << m->dim : fz_below(1u << m->dim));
	for (i = 0; i < n; i++) {
		struct hc_wire_repair_way way = {
			.seen = htonl(fz_below(3)), .next = htons(fz_below(1u << m->dim)),
			.came = htons(fz_below(1u << m->dim)),
			.leaves = htons(fz_below(1u << m->dim)),
			.dim = fz_chance(90) ? i : fz_below(m->dim), .out = fz_below(n),
			.flags = fz_below(4),
		};

		frame_put(f, &way, sizeof(way));
	}
	set = htonl(set);
	frame_put(f, &set, sizeof(set));
}

/* Make a message of a repair coordinator, or an answer to such a message, from a neighbour. There
 * are only a few attempts to which the messages belong.
 */
static void make_repair(struct frame *f, const struct moment *m)
{
	unsigned char area[16] = { (unsigned char)(f->rec.dim << 4) };
	unsigned int from = f->rec.node ^ 1u << f->rec.dim;
	struct hc_wire_repair *w = frame_part(f);
	struct hc_wire_repair_ops ops = {
		.ran = htobe64((uint64_t)fz_below(8) << 16 | fz_below(1u << m->dim)),
		.placed = htobe64((uint64_t)fz_below(8) << 16 | fz_below(1u << m->dim)),
		.at = { htobe64(fz_below(4)), htobe64(fz_below(2) * 1024) },
		.prev = { htobe64(fz_below(4)), htobe64(fz_below(2) * 1024) },
		.fresh = htobe64(fz_chance(95) ? fz_below(6) : fz_number(8)),
	};

	w->what = 1 + fz_below(__HC_REPAIR_END);
	w->ballot = htobe64((uint64_t)fz_below(20) << 16 |
			    (fz_chance(80) ? from : fz_below(1u << m->dim)));
	w->word = htonl(fz_below(1u << m->dim));
	w->status = htonl(fz_chance(90) ? ENOLINK : fz_number(4));
	w->node = htons(fz_below((1u << m->dim) + 1));
	w->dim = htons(fz_below(m->dim + 1));
	w->flags = fz_below(8);
	if (w->what == HC_REPAIR_ANSWER || w->what == HC_REPAIR_ASSIGN)
		frame_put(f, &ops, sizeof(ops));
	if (w->what == HC_REPAIR_ASSIGN)
		repair_place(f, m);
	payload_random(f, fz_chance(3));
	frame_lead(f, area, sizeof(area));
	frame_hdr(f)->walk = htons(1);
	frame_hdr(f)->flags |= HC_FRAME_F_ROUTED;
}

/* Insert a walk or the header of a flooded frame into some frames whose type permits that. */
static void make_way(struct frame *f)
{
	unsigned int type = frame_hdr(f)->type;

	if (type == HC_FRAME_ETH)
		fz_chance(50) ? make_flood(f) : make_walk(f);
	else if (type >= HC_FRAME_DATA && type != HC_FRAME_LSA && type != HC_FRAME_COPY &&
		 type != HC_FRAME_REPAIR && fz_chance(30))
		make_walk(f);
}

static void make_test(struct frame *f, const struct moment *m)
{
	struct hc_wire_test *w = frame_part(f);

	(void)m;
	w->round = htonl(fz_below(8));
}

static void make_fault(struct frame *f, const struct moment *m)
{
	struct hc_wire_fault *w = frame_part(f);

	(void)m;
	w->fault = htonl(fz_below(8));
	w->announced = htons(fz_below(4));
	w->acked = htons(fz_below(4));
}

/* A frame of a type without an entry here gets its type header, without values, and a random
 * payload.
 */
static void (* const makers[__HC_FRAME_TYPE_END])(struct frame *f, const struct moment *m) = {
	[HC_FRAME_TEST] = make_test, [HC_FRAME_FAULT] = make_fault, [HC_FRAME_DATA] = make_data,
	[HC_FRAME_END] = make_end, [HC_FRAME_STOP] = make_end, [HC_FRAME_LSA] = make_state,
	[HC_FRAME_ETH] = make_eth, [HC_FRAME_COPY] = make_copy, [HC_FRAME_TASK] = make_task,
	[HC_FRAME_ROUND] = make_round, [HC_FRAME_REPAIR] = make_repair,
};

static void make_payload(struct frame *f, const struct moment *m)
{
	unsigned int type = frame_hdr(f)->type;

	if (type < ARRAY_SIZE(makers) && makers[type])
		makers[type](f, m);
	else
		payload_random(f, fz_chance(70) ? 0 : fz_below(100));
}

void frame_make(struct frame *f, const struct moment *m)
{
	struct hc_hdr *h = frame_hdr(f);

	frame_begin(f, fz_chance(40) ? HC_FRAME_DATA : 1 + fz_below(__HC_FRAME_TYPE_END - 1));
	f->rec.node = fz_below(1u << m->dim);
	f->rec.dim = fz_below(m->dim);
	f->rec.flags = HC_INJECT_F_SEQ | (fz_chance(20) ? 1u << fz_below(7) : 0);
	h->step = htonl(fz_below(20));
	h->time = htobe64(fz_below(100000));
	f->op = fz_chance(80) ? fz_below(3) : fz_below(140) - 70;
	f->gen = fz_chance(80) ? 0 : (int32_t)fz_below(4) - 1;
	if (frame_plan(f))
		frame_plan(f)->plan = htonl(1 + fz_below(5));
	make_way(f);
	make_payload(f, m);
	if (h->flags & HC_FRAME_F_ROUTED) {
		f->says |= SAY_ENDS;
		h->src = htons(h->type == HC_FRAME_REPAIR && fz_chance(90) ?
			       f->rec.node ^ 1u << f->rec.dim : fz_below(1u << m->dim));
		h->dst = htons(fz_chance(h->type == HC_FRAME_REPAIR ? 95 : 60) ? f->rec.node :
			       fz_below(1u << m->dim));
	}
}

void batch_make(struct batch *b, const struct moment *m)
{
	unsigned int i;

	b->n = 1 + fz_below(4);
	for (i = 0; i < b->n; i++)
		frame_make(&b->frame[i], m);
}

/* --- captured frames --- */

/* Store the operation number and the generation of a captured frame as differences from the present
 * ones of its plan.
 */
static void frame_place(struct frame *f, const struct moment *m, uint32_t plan)
{
	const __be32 *gen = frame_gen(f);

	f->op = (int64_t)(be64toh(frame_plan(f)->op) - m->op[plan]);
	if (gen && f->rec.node < NODES_MAX)
		f->gen = (int32_t)(ntohl(*gen) - m->gen[plan][f->rec.node]);
}

bool frame_take(struct frame *f, const struct moment *m, unsigned int node, unsigned int dim,
		const void *bytes, size_t len)
{
	struct hc_wire_plan *of;

	if (len < sizeof(struct hc_hdr) || len > FRAME_MAX)
		return false;
	memset(f, 0, sizeof(*f));
	memcpy(f->bytes, bytes, len);
	f->rec = (struct hc_inject){ .node = node, .dim = dim, .len = len,
				     .flags = HC_INJECT_F_SEQ };
	of = frame_plan(f);
	if (of && ntohl(of->plan) < PLANS_MAX)
		frame_place(f, m, ntohl(of->plan));
	if (frame_hdr(f)->flags & HC_FRAME_F_ROUTED)
		f->says |= SAY_ENDS;
	return true;
}

/* --- filling in --- */

static void plan_fill(struct frame *f, const struct moment *m)
{
	struct hc_wire_plan *of = frame_plan(f);
	uint32_t plan;

	if (!of || ntohl(of->plan) >= PLANS_MAX)
		return;
	plan = ntohl(of->plan);
	if (!(f->says & SAY_EPOCH))
		of->epoch = htonl(m->epoch[plan]);
	if (!(f->says & SAY_OP))
		of->op = htobe64(m->op[plan] + (uint64_t)f->op);
	if (!(f->says & SAY_GEN) && frame_gen(f) && f->rec.node < NODES_MAX)
		*frame_gen(f) = htonl(m->gen[plan][f->rec.node] + (uint32_t)f->gen);
}

static void frame_fill(struct frame *f, const struct moment *m)
{
	struct hc_hdr *h = frame_hdr(f);

	if (f->rec.len < sizeof(*h))
		return;
	if (!(f->says & SAY_FABRIC))
		h->fabric = htonl(m->fabric);
	if (!(f->says & SAY_ENDS)) {
		h->src = htons(f->rec.node ^ 1u << f->rec.dim);
		h->dst = htons(f->rec.node);
	}
	if (!(f->says & SAY_LEN))
		h->len = htonl(f->rec.len - frame_head(f));
	plan_fill(f, m);
}

size_t batch_head(const struct moment *m, void *buf)
{
	struct hc_inject_batch head = { .pad = 0 };

	memcpy(head.fabric, m->name, sizeof(head.fabric));
	memcpy(buf, &head, sizeof(head));
	return sizeof(head);
}

size_t batch_fill(const struct batch *b, const struct moment *m, void *buf)
{
	char *p = buf;
	unsigned int i;

	for (i = 0; i < b->n; i++) {
		struct frame f = b->frame[i];

		frame_fill(&f, m);
		memcpy(p, &f.rec, sizeof(f.rec));
		memcpy(p + sizeof(f.rec), f.bytes, f.rec.len);
		p += sizeof(f.rec) + f.rec.len;
	}
	return (size_t)(p - (char *)buf);
}
