/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames to inject.  What depends on the moment - the fabric's id, a plan's epoch, the number and
 * the generation of its operations, who is whose neighbour - is kept apart from the bytes and
 * filled in as a frame is sent, so that a frame of the corpus is as good later as it was when it
 * was found.
 */
#ifndef _HC_FUZZ_FRAME_H
#define _HC_FUZZ_FRAME_H

#include "fuzz.h"
#include "fabric/inject.h"
#include "wire.h"

#define FRAME_MAX	1600
#define BATCH_MAX	12
#define PLANS_MAX	8
#define NODES_MAX	8

/* Fields that are not filled in, because a mutation has said something else. */
enum {
	SAY_FABRIC	= 1 << 0,
	SAY_EPOCH	= 1 << 1,
	SAY_OP		= 1 << 2,
	SAY_ENDS	= 1 << 3,	/* .src and .dst */
	SAY_LEN		= 1 << 4,
	SAY_GEN		= 1 << 5,
};

/**
 * struct frame - a frame
 * @rec: where and how it arrives; .len: its bytes
 * @says: SAY_*
 * @op: number of its operation from the plan's oldest one on
 * @gen: its generation, from that of the node to which it comes on
 * @bytes: its parts and the payload, see wire.h
 */
struct frame {
	struct hc_inject rec;
	unsigned int says;
	int64_t op;
	int32_t gen;
	unsigned char bytes[FRAME_MAX];
};

/**
 * struct batch - frames that go together
 * @n: how many
 * @frame: the frames
 */
struct batch {
	unsigned int n;
	struct frame frame[BATCH_MAX];
};

/**
 * struct moment - what frames are filled in with
 * @name: of the fabric
 * @fabric: its id
 * @dim: its dimension
 * @epoch: of each plan by id, 0: there is none
 * @op: number of its oldest operation
 * @gen: generation of each of its members
 */
struct moment {
	char name[HYPERCUBE_NAME_MAX];
	uint32_t fabric;
	unsigned int dim;
	uint32_t epoch[PLANS_MAX];
	uint64_t op[PLANS_MAX];
	uint32_t gen[PLANS_MAX][NODES_MAX];
};

static inline struct hc_hdr *frame_hdr(struct frame *f)
{
	return (struct hc_hdr *)f->bytes;
}

/* Bytes in front of the payload, as far as they are there. */
unsigned int frame_head(struct frame *f);
/* The part of its type; NULL: it has none, or not all of it. */
void *frame_part(struct frame *f);
/* Returns the frame's plan; NULL: it is of none. */
struct hc_wire_plan *frame_plan(struct frame *f);
/* Where it has its generation; NULL: it has none. */
__be32 *frame_gen(struct frame *f);
/* Begin one of that type: the common part, and that of the type, all 0 but for the type. */
void frame_begin(struct frame *f, unsigned int type);
/* Put in what leads it, behind the common part. */
void frame_lead(struct frame *f, const void *data, unsigned int len);
/* Payload. */
void frame_put(struct frame *f, const void *data, unsigned int len);
/* A frame that could be right. */
void frame_make(struct frame *f, const struct moment *m);
/* The same as one that was captured on link (@node, @dim) to @node. */
bool frame_take(struct frame *f, const struct moment *m, unsigned int node, unsigned int dim,
		const void *bytes, size_t len);
void batch_make(struct batch *b, const struct moment *m);
/* @other: a batch of which frames may be taken. */
void batch_mutate(struct batch *b, const struct batch *other, const struct moment *m);
/* Fill @buf, of HC_INJECT_MAX, with the head of a write and with a batch; return bytes. */
size_t batch_head(const struct moment *m, void *buf);
size_t batch_fill(const struct batch *b, const struct moment *m, void *buf);

#endif /* _HC_FUZZ_FRAME_H */
