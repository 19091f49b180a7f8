// SPDX-License-Identifier: GPL-2.0
/* Frames: made from scratch, filled in. */
#include <arpa/inet.h>
#include <endian.h>
#include <string.h>

#include "frame.h"

static struct hc_hdr *hdr_of(struct frame *f)
{
	return (struct hc_hdr *)f->bytes;
}

static unsigned int walk_area(const struct hc_hdr *h)
{
	return (ntohs(h->walk) + 31) / 32 * 16;
}

/* ------------------------------------------------------------ from scratch */

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
};

static void payload_put(struct frame *f, const void *data, unsigned int len)
{
	memcpy(f->bytes + f->rec.len, data, len);
	f->rec.len += len;
}

static void payload_random(struct frame *f, unsigned int len)
{
	while (len--)
		f->bytes[f->rec.len++] = fz_chance(50) ? 0 : (unsigned char)fz_rnd();
}

static void make_data(struct frame *f)
{
	static const unsigned char flags[] = {
		HC_FRAME_F_LAST, HC_FRAME_F_LAST | HC_FRAME_F_WANT, HC_FRAME_F_DOWN,
		HC_FRAME_F_DOWN | HC_FRAME_F_LAST, HC_FRAME_F_PART, HC_FRAME_F_NOTIFY, 0,
		HC_FRAME_F_PART | HC_FRAME_F_LAST,
	};
	static const unsigned int lens[] = { 0, 8, 8, 16, 64, 256, 512, 600, 1024 };
	unsigned int len = lens[fz_below(ARRAY_SIZE(lens))];
	struct hc_hdr *h = hdr_of(f);

	h->flags |= flags[fz_below(ARRAY_SIZE(flags))];
	h->total = htobe64(fz_chance(70) ? len : 2 * len);
	h->offset = htobe64(fz_chance(70) ? 0 : len);
	h->origin = htons(fz_below(8));
	h->turn = htons(fz_below(4));
	payload_random(f, len);
}

static void make_end(struct frame *f)
{
	struct hc_wire_end end = {
		.status = htonl(fz_chance(80) ? fz_below(134) : (uint32_t)fz_number(4)),
		.node = htons(fz_below(9)), .dim = htons(fz_below(4)), .flags = htonl(fz_below(4)),
	};

	hdr_of(f)->offset = htobe64(fz_number(8));
	payload_put(f, &end, sizeof(end));
}

static void make_state(struct frame *f, const struct moment *m)
{
	unsigned int n = fz_below(9);

	hdr_of(f)->flags = fz_chance(30) ? HC_FRAME_F_SYNC : 0;
	while (n--) {
		struct hc_wire_state s = {
			.node = htons(fz_below((1u << m->dim) + 1)),
			.word = htons(fz_below(1u << m->dim)),
			.version = htonl((uint32_t)fz_number(4)),
		};

		payload_put(f, &s, sizeof(s));
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
	hdr_of(f)->flags = fz_chance(50) ? HC_FRAME_F_FLOOD : HC_FRAME_F_ROUTED;
	hdr_of(f)->op = htobe64(fz_chance(80) ? fz_below(1000) : fz_number(8));
	payload_put(f, head, fz_chance(90) ? sizeof(head) : fz_below(sizeof(head)));
	payload_random(f, fz_below(100));
}

/* A walk that leads here, or not. */
static void make_walk(struct frame *f)
{
	unsigned int n = fz_chance(80) ? fz_below(6) : fz_below(40), i;

	hdr_of(f)->walk = htons(n);
	hdr_of(f)->flags |= HC_FRAME_F_ROUTED;
	for (i = 0; i < (n + 31) / 32 * 16; i++)
		f->bytes[f->rec.len++] = i < (n + 1) / 2 ?
					 fz_below(3) << 4 | fz_below(3) : 0;
}

static void make_payload(struct frame *f, const struct moment *m)
{
	__be32 word = htonl(fz_below(8));

	switch (hdr_of(f)->type) {
	case HC_FRAME_TEST:
	case HC_FRAME_FAULT:
		payload_put(f, &word, sizeof(word));
		break;
	case HC_FRAME_DATA:
		make_data(f);
		break;
	case HC_FRAME_END:
		make_end(f);
		break;
	case HC_FRAME_STATE:
		make_state(f, m);
		break;
	case HC_FRAME_ETH:
		make_eth(f, m);
		break;
	default:
		payload_random(f, fz_chance(70) ? 0 : fz_below(100));
	}
}

void frame_make(struct frame *f, const struct moment *m)
{
	const unsigned char *kind = kinds[fz_below(ARRAY_SIZE(kinds))];
	struct hc_hdr *h = hdr_of(f);

	memset(f, 0, sizeof(*f));
	f->rec.node = fz_below(1u << m->dim);
	f->rec.dim = fz_below(m->dim);
	f->rec.flags = HC_INJECT_F_SEQ | (fz_chance(20) ? 1u << fz_below(7) : 0);
	f->rec.len = sizeof(*h);
	h->version = HC_WIRE_VERSION;
	h->type = fz_chance(40) ? HC_FRAME_DATA : 1 + fz_below(__HC_FRAME_TYPE_END - 1);
	h->plan = htonl(1 + fz_below(4));
	h->collective = kind[0];
	h->oper = kind[1];
	h->dtype = kind[2];
	h->stage = fz_below(m->dim);
	h->step = htonl(fz_below(20));
	h->time = htobe64(fz_below(100000));
	f->op = fz_chance(80) ? fz_below(3) : fz_below(140) - 70;
	if (h->type >= HC_FRAME_DATA && h->type != HC_FRAME_STATE && fz_chance(30))
		make_walk(f);
	make_payload(f, m);
	if (h->flags & HC_FRAME_F_ROUTED) {
		f->says |= SAY_ENDS;
		h->src = htons(fz_below(1u << m->dim));
		h->dst = htons(fz_chance(60) ? f->rec.node : fz_below(1u << m->dim));
	}
}

void batch_make(struct batch *b, const struct moment *m)
{
	unsigned int i;

	b->n = 1 + fz_below(4);
	for (i = 0; i < b->n; i++)
		frame_make(&b->frame[i], m);
}

/* ------------------------------------------------------------ captured */

bool frame_take(struct frame *f, const struct moment *m, unsigned int node, unsigned int dim,
		const void *bytes, size_t len)
{
	uint32_t plan;

	if (len < sizeof(struct hc_hdr) || len > FRAME_MAX)
		return false;
	memset(f, 0, sizeof(*f));
	memcpy(f->bytes, bytes, len);
	f->rec = (struct hc_inject){ .node = node, .dim = dim, .len = len,
				     .flags = HC_INJECT_F_SEQ };
	plan = ntohl(hdr_of(f)->plan);
	if (plan < PLANS_MAX)
		f->op = (int64_t)(be64toh(hdr_of(f)->op) - m->op[plan]);
	if (hdr_of(f)->flags & HC_FRAME_F_ROUTED)
		f->says |= SAY_ENDS;
	return true;
}

/* ------------------------------------------------------------ filled in */

static void frame_fill(struct frame *f, const struct moment *m)
{
	struct hc_hdr *h = hdr_of(f);
	uint32_t plan = ntohl(h->plan);
	unsigned int area;

	if (f->rec.len < sizeof(*h))
		return;
	if (!(f->says & SAY_FABRIC))
		h->fabric = htonl(m->fabric);
	if (plan < PLANS_MAX && !(f->says & SAY_EPOCH))
		h->epoch = htonl(m->epoch[plan]);
	if (plan < PLANS_MAX && !(f->says & SAY_OP) && h->type != HC_FRAME_ETH)
		h->op = htobe64(m->op[plan] + (uint64_t)f->op);
	if (!(f->says & SAY_ENDS)) {
		h->src = htons(f->rec.node ^ 1u << f->rec.dim);
		h->dst = htons(f->rec.node);
	}
	area = walk_area(h);
	if (!(f->says & SAY_LEN) && f->rec.len >= sizeof(*h) + area)
		h->len = htonl(f->rec.len - sizeof(*h) - area);
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
