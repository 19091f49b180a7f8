/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames to inject. Fields that depend on the time of the injection (the fabric's id, a plan's
 * epoch, the number and generation of its operations, which nodes are neighbours) are stored apart
 * from the bytes, and filled in when a frame is sent. So a frame of the corpus stays as useful as
 * it was when it was found.
 */
#ifndef _HC_FUZZ_FRAME_H
#define _HC_FUZZ_FRAME_H

#include "fuzz.h"
#include "fabric/inject.h"
#include "wire.h"

#define FRAME_MAX	(4 * 1024 + 512)
#define BATCH_MAX	12
#define PLANS_MAX	8
#define NODES_MAX	8

/* Fields that are not filled in, because a mutation has changed them. */
enum {
	SAY_FABRIC	= 1 << 0,
	SAY_EPOCH	= 1 << 1,
	SAY_OP		= 1 << 2,
	SAY_ENDS	= 1 << 3,	/* .src and .dst of the header */
	SAY_LEN		= 1 << 4,
	SAY_GEN		= 1 << 5,
};

/**
 * struct frame - a frame to inject
 * @rec: where and how the frame arrives; .len: length of @bytes
 * @says: SAY_*: fields that are not filled in
 * @op: number of its operation, relative to the plan's oldest one
 * @gen: its generation, relative to that of the receiving node
 * @bytes: header, walk, the part of the type, and payload; see wire.h
 */
struct frame {
	struct hc_inject rec;
	unsigned int says;
	int64_t op;
	int32_t gen;
	unsigned char bytes[FRAME_MAX];
};

/**
 * struct batch - frames that are injected together
 * @n: number of frames
 * @frame: the frames
 */
struct batch {
	unsigned int n;
	struct frame frame[BATCH_MAX];
};

/**
 * struct moment - values with which frames are filled in
 * @name: name of the fabric
 * @fabric: its id
 * @dim: its dimension
 * @epoch: epoch of each plan by id; 0: there is no such plan
 * @op: number of each plan's oldest operation
 * @gen: generation of each member of each plan
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

/* Return: number of bytes before the payload, but no more than the frame has. */
unsigned int frame_head(struct frame *f);
/* Return: the part that belongs to the frame's type; NULL if the frame has none, or is too short
 * for it.
 */
void *frame_part(struct frame *f);
/* Return: the frame's plan, epoch and operation; NULL if it belongs to no plan. */
struct hc_wire_plan *frame_plan(struct frame *f);
/* Return: pointer to the frame's generation; NULL if it has none. */
__be32 *frame_gen(struct frame *f);
/* Begin a frame of @type: the header and the part of the type, with no field set but the type. */
void frame_begin(struct frame *f, unsigned int type);
/* Insert a walk or other leading data after the header. */
void frame_lead(struct frame *f, const void *data, unsigned int len);
/* Append payload. */
void frame_put(struct frame *f, const void *data, unsigned int len);
/* Make a frame that could be valid. */
void frame_make(struct frame *f, const struct moment *m);
/* Make a frame from one that was captured when it arrived at @node over link @dim. */
bool frame_take(struct frame *f, const struct moment *m, unsigned int node, unsigned int dim,
		const void *bytes, size_t len);
void batch_make(struct batch *b, const struct moment *m);
/* Mutate a batch. @other: a batch from which frames may be taken. */
void batch_mutate(struct batch *b, const struct batch *other, const struct moment *m);
/* Fill @buf, of HC_INJECT_MAX bytes, with the beginning of what is written to "inject"
 * (batch_head()), or with a batch (batch_fill()). Return: number of bytes.
 */
size_t batch_head(const struct moment *m, void *buf);
size_t batch_fill(const struct batch *b, const struct moment *m, void *buf);

#endif /* _HC_FUZZ_FRAME_H */
