// SPDX-License-Identifier: GPL-2.0
/* Mutations of frames and of batches. */
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "frame.h"

/* Values of .of in struct field: ALL for fields of all frames, PLANS for fields of the frames of
 * plans. Any other value is the type of the frames that have the field.
 */
#define ALL	0
#define PLANS	0xff
#define FIELD(type, wire, name) \
	{ type, offsetof(struct hc_##wire, name), sizeof(((struct hc_##wire *)0)->name) }
#define HDR(name) FIELD(ALL, hdr, name)
#define PLAN(name) FIELD(PLANS, wire_plan, name)
#define DATA(name) FIELD(HC_FRAME_DATA, wire_data, name)
#define ACK(name) FIELD(HC_FRAME_ACK, wire_ack, name)
#define END(name) FIELD(HC_FRAME_END, wire_stop, name)
#define STOP(name) FIELD(HC_FRAME_STOP, wire_stop, name)
/* A field of the data behind the type header of a TASK frame, where DROP and LOST have their
 * numbers.
 */
#define LOST(name)								\
	{ HC_FRAME_TASK,							\
	  sizeof(struct hc_wire_task) + offsetof(struct hc_wire_task_lost, name),	\
	  sizeof(((struct hc_wire_task_lost *)0)->name) }

/* A field of frames: which frames have it (@of), its offset in the type header (for ALL: in the
 * header), and its length in bytes.
 */
static const struct field {
	unsigned int of;
	unsigned int at;
	unsigned int bytes;
} fields[] = {
	HDR(version), HDR(type), HDR(flags), HDR(reserved), HDR(fabric), HDR(src), HDR(dst),
	HDR(seq), HDR(len), HDR(walk), HDR(hop), HDR(csum), HDR(step), HDR(time),
	PLAN(plan), PLAN(epoch), PLAN(op),
	DATA(offset), DATA(total), DATA(index), DATA(width), DATA(oper), DATA(dtype),
	DATA(collective), DATA(stage), DATA(flags), DATA(turn), DATA(block), DATA(gen),
	ACK(steps), ACK(gen),
	END(gen), END(status), END(node), END(dim), END(flags),
	STOP(gen), STOP(status), STOP(node), STOP(dim), STOP(flags),
	FIELD(HC_FRAME_CREDIT, wire_credit, taken), FIELD(HC_FRAME_CREDIT, wire_credit, gen),
	FIELD(HC_FRAME_PROBE, wire_probe, flags),
	FIELD(HC_FRAME_LSA, wire_lsa_head, flags), FIELD(HC_FRAME_TEST, wire_test, round),
	FIELD(HC_FRAME_FAULT, wire_fault, fault), FIELD(HC_FRAME_FAULT, wire_fault, announced),
	FIELD(HC_FRAME_FAULT, wire_fault, acked),
	FIELD(HC_FRAME_TASK, wire_task, move), FIELD(HC_FRAME_TASK, wire_task, nr),
	FIELD(HC_FRAME_TASK, wire_task, offset), FIELD(HC_FRAME_TASK, wire_task, total),
	FIELD(HC_FRAME_TASK, wire_task, origin), FIELD(HC_FRAME_TASK, wire_task, flags),
	FIELD(HC_FRAME_TASK, wire_task, what),
	LOST(sent), LOST(gave), LOST(taken), LOST(kept), LOST(known), LOST(reserved),
	FIELD(HC_FRAME_ROUND, wire_round, round), FIELD(HC_FRAME_ROUND, wire_round, status),
	FIELD(HC_FRAME_ROUND, wire_round, members), FIELD(HC_FRAME_ROUND, wire_round, node),
	FIELD(HC_FRAME_ROUND, wire_round, dim), FIELD(HC_FRAME_ROUND, wire_round, method),
	FIELD(HC_FRAME_ROUND, wire_round, flags),
};

/* Write @v to @p in network byte order, in @bytes bytes. */
static void number_put(unsigned char *p, unsigned int bytes, uint64_t v)
{
	while (bytes--) {
		p[bytes] = (unsigned char)v;
		v >>= 8;
	}
}

static uint64_t number_get(const unsigned char *p, unsigned int bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | *p++;
	return v;
}

static void mutate_number(unsigned char *p, unsigned int bytes)
{
	uint64_t v = number_get(p, bytes);

	switch (fz_below(4)) {
	case 0:
		v ^= 1ull << fz_below(8 * bytes);
		break;
	case 1:
		v += fz_below(9) - 4u;
		break;
	case 2:
		v = fz_number(bytes);
		break;
	default:
		v = fz_below(13);
	}
	number_put(p, bytes, v);
}

/* Return: pointer to the field @x in frame @f, or NULL if the frame does not have it. */
static unsigned char *field_find(struct frame *f, const struct field *x)
{
	unsigned char *part;

	if (x->of == ALL)
		return f->bytes + x->at;
	if (x->of == PLANS)
		part = (unsigned char *)frame_plan(f);
	else
		part = x->of == frame_hdr(f)->type ? frame_part(f) : NULL;
	/* Some frames have no data behind their type header. */
	if (!part || part + x->at + x->bytes > f->bytes + f->rec.len)
		return NULL;
	return part + x->at;
}

/* A mutation has changed the field at @p. If frame_fill() would overwrite this field, record in
 * .says that it must not: for some fields always, for others sometimes.
 */
static void field_said(struct frame *f, const unsigned char *p)
{
	const struct hc_hdr *h = frame_hdr(f);
	const struct hc_wire_plan *of = frame_plan(f);
	const void *gen = frame_gen(f);

	if (p == (const unsigned char *)&h->fabric && fz_chance(20))
		f->says |= SAY_FABRIC;
	if (p == (const unsigned char *)&h->src || p == (const unsigned char *)&h->dst)
		f->says |= SAY_ENDS;
	if (p == (const unsigned char *)&h->len && fz_chance(30))
		f->says |= SAY_LEN;
	if (of && p == (const unsigned char *)&of->epoch && fz_chance(20))
		f->says |= SAY_EPOCH;
	if (of && p == (const unsigned char *)&of->op)
		f->says |= SAY_OP;
	if (gen && p == gen)
		f->says |= SAY_GEN;
}

static void mutate_field(struct frame *f)
{
	const struct field *x;
	unsigned char *p;

	/* Each frame has some of the fields, so this loop ends. */
	do {
		x = &fields[fz_below(ARRAY_SIZE(fields))];
		p = field_find(f, x);
	} while (!p);
	if (p == (unsigned char *)&frame_hdr(f)->seq && fz_chance(98))
		return;
	mutate_number(p, x->bytes);
	field_said(f, p);
}

static void mutate_payload(struct frame *f)
{
	unsigned int head = sizeof(struct hc_hdr), room = f->rec.len - head;
	static const unsigned char sizes[] = { 1, 2, 4, 8 };
	unsigned int bytes = sizes[fz_below(4)];

	if (f->rec.len <= head || room < bytes)
		return;
	mutate_number(f->bytes + head + fz_below(room / bytes) * bytes, bytes);
}

static void mutate_length(struct frame *f)
{
	static const unsigned int lens[] = { 0, 1, 7, 8, 12, 16, 512, 513, 1024 };
	unsigned int head = frame_head(f);
	unsigned int len = head + lens[fz_below(ARRAY_SIZE(lens))];

	if (fz_chance(5))
		len = fz_below(head);
	else if (fz_chance(50))
		len = head + fz_below(FRAME_MAX - head);
	if (len > FRAME_MAX)
		len = FRAME_MAX;
	if (len > f->rec.len)
		memset(f->bytes + f->rec.len, 0, len - f->rec.len);
	f->rec.len = len;
}

static void mutate_frame(struct frame *f, const struct moment *m)
{
	if (f->rec.len < sizeof(struct hc_hdr))
		f->rec.len = sizeof(struct hc_hdr);
	switch (fz_below(10)) {
	case 0:
		f->rec.node = fz_below(1u << m->dim);
		f->rec.dim = fz_below(m->dim);
		break;
	case 1:
		f->rec.flags ^= 2u << fz_below(6);
		break;
	case 2:
		f->op = fz_chance(70) ? fz_below(4) : fz_below(140) - 70;
		f->gen = fz_chance(80) ? 0 : (int32_t)fz_below(4) - 1;
		f->says &= ~(SAY_OP | SAY_GEN);
		break;
	case 3:
		mutate_length(f);
		break;
	case 4:
	case 5:
		mutate_payload(f);
		break;
	case 6:
		f->says = 0;
		break;
	default:
		mutate_field(f);
	}
}

static void frame_remove(struct batch *b, unsigned int i)
{
	memmove(&b->frame[i], &b->frame[i + 1], (b->n - i - 1) * sizeof(b->frame[0]));
	b->n--;
}

static void frame_insert(struct batch *b, const struct frame *f)
{
	unsigned int i = fz_below(b->n + 1);

	if (b->n == BATCH_MAX)
		return;
	memmove(&b->frame[i + 1], &b->frame[i], (b->n - i) * sizeof(b->frame[0]));
	b->frame[i] = *f;
	b->n++;
}

static void mutate_once(struct batch *b, const struct batch *other, const struct moment *m)
{
	struct frame f;

	switch (fz_below(12)) {
	case 0:
		frame_make(&f, m);
		frame_insert(b, &f);
		break;
	case 1:
		f = b->frame[fz_below(b->n)];
		frame_insert(b, &f);
		break;
	case 2:
		if (b->n > 1)
			frame_remove(b, fz_below(b->n));
		break;
	case 3:
	case 4:
		f = other->frame[fz_below(other->n)];
		frame_insert(b, &f);
		break;
	default:
		mutate_frame(&b->frame[fz_below(b->n)], m);
	}
}

void batch_mutate(struct batch *b, const struct batch *other, const struct moment *m)
{
	unsigned int n = 1 + fz_below(4);

	while (n--)
		mutate_once(b, other, m);
}
