/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames to inject. A frame consists of the header, a walk, the header of its type ("part": struct
 * hc_wire_*), and a payload. Some fields depend on the time of the injection: the fabric's id, a
 * plan's epoch, the number and generation of its operations, and which nodes are neighbours. These
 * are stored beside the bytes, and are filled in when the frame is sent. So a frame of the corpus
 * stays as useful as it was when it was found.
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

/* Fields that are not filled in when the frame is sent, since a mutation has changed them. */
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
 * @rec: the node and the link at which it arrives, and how; .len is the length of @bytes
 * @says: SAY_*: fields that are not filled in
 * @op: number of its operation, relative to the oldest operation of the plan
 * @gen: its generation, relative to the generation of the receiving member
 * @bytes: header, walk, type header, and payload; see wire.h
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
 * struct moment - the values that are filled in
 * @name: name of the fabric
 * @fabric: id of the fabric
 * @dim: dimension of the fabric
 * @epoch: epoch of each plan, by plan id; 0: there is no such plan
 * @op: number of the oldest operation of each plan
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

/* Return: number of bytes before the payload, at most the length of the frame. */
unsigned int frame_head(struct frame *f);
/* Return: the type header of the frame; NULL if its type has none, or if the frame is too short for
 * it.
 */
void *frame_part(struct frame *f);
/* Return: plan, epoch and operation of the frame; NULL if it does not belong to a plan. */
struct hc_wire_plan *frame_plan(struct frame *f);
/* Return: pointer to the generation in the frame; NULL if it has none. */
__be32 *frame_gen(struct frame *f);
/* Begin a frame of @type: a header and a type header, in which no field but the type is set. */
void frame_begin(struct frame *f, unsigned int type);
/* Insert a walk or other data between the header and the type header. */
void frame_lead(struct frame *f, const void *data, unsigned int len);
/* Append @len bytes to the payload. */
void frame_put(struct frame *f, const void *data, unsigned int len);
/* Make a random frame that could be valid. */
void frame_make(struct frame *f, const struct moment *m);
/* Make a frame from the @bytes of one that was captured when it arrived at @node over link @dim.
 * Return: false if that is not possible.
 */
bool frame_take(struct frame *f, const struct moment *m, unsigned int node, unsigned int dim,
		const void *bytes, size_t len);
void batch_make(struct batch *b, const struct moment *m);
/* Mutate a batch. Frames of the batch @other may be inserted. */
void batch_mutate(struct batch *b, const struct batch *other, const struct moment *m);
/* Fill @buf, of HC_INJECT_MAX bytes, with what is written to the debugfs file "inject":
 * batch_head() writes the beginning, batch_fill() the beginning and a batch. Return: number of
 * bytes.
 */
size_t batch_head(const struct moment *m, void *buf);
size_t batch_fill(const struct batch *b, const struct moment *m, void *buf);

#endif /* _HC_FUZZ_FRAME_H */
