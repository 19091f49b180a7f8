// SPDX-License-Identifier: GPL-2.0
/* Mutations of frames and of batches. */
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "frame.h"

#define FIELD(name) { offsetof(struct hc_hdr, name), sizeof(((struct hc_hdr *)0)->name) }

static const struct field {
	unsigned int at;
	unsigned int bytes;
} fields[] = {
	FIELD(version), FIELD(type), FIELD(flags), FIELD(reserved), FIELD(fabric), FIELD(src),
	FIELD(dst), FIELD(seq), FIELD(plan), FIELD(epoch), FIELD(op), FIELD(offset),
	FIELD(total), FIELD(len), FIELD(step), FIELD(time), FIELD(oper), FIELD(dtype),
	FIELD(width), FIELD(stage), FIELD(collective), FIELD(turn), FIELD(walk), FIELD(origin),
	FIELD(csum), FIELD(index),
};

/* A number of so many bytes, as it is on the wire. */
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

/* Changed fields that frame_fill() would fill in stay as they are: .says tells it so, of some
 * always, of others now and then.
 */
static void mutate_field(struct frame *f)
{
	const struct field *x = &fields[fz_below(ARRAY_SIZE(fields))];

	if (x->at == offsetof(struct hc_hdr, seq) && fz_chance(98))
		return;
	mutate_number(f->bytes + x->at, x->bytes);
	if (x->at == offsetof(struct hc_hdr, fabric) && fz_chance(20))
		f->says |= SAY_FABRIC;
	if (x->at == offsetof(struct hc_hdr, epoch) && fz_chance(20))
		f->says |= SAY_EPOCH;
	if (x->at == offsetof(struct hc_hdr, op))
		f->says |= SAY_OP;
	if (x->at == offsetof(struct hc_hdr, src) || x->at == offsetof(struct hc_hdr, dst))
		f->says |= SAY_ENDS;
	if (x->at == offsetof(struct hc_hdr, len) && fz_chance(30))
		f->says |= SAY_LEN;
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
	unsigned int len = sizeof(struct hc_hdr) + lens[fz_below(ARRAY_SIZE(lens))];

	if (fz_chance(5))
		len = fz_below(sizeof(struct hc_hdr));
	else if (fz_chance(50))
		len = sizeof(struct hc_hdr) + fz_below(FRAME_MAX - sizeof(struct hc_hdr));
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
		f->says &= ~SAY_OP;
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
