/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans of rings that repair themselves while operations are under way.  All members contribute to
 * two operations.  Receive buffers have room for one piece, so what a test reads says how far they
 * are; then links or nodes fail, whatever the step.  All that are still connected get the block
 * of each of them once, and a result lacks a block only if it names whose.
 */
#ifndef _HC_RING_TRIAL_H
#define _HC_RING_TRIAL_H

#include "rings.h"

#define TRIAL_PLAN	1
/* So long that a piece fills a receive buffer. */
#define TRIAL_SEGMENT	4096
#define TRIAL_OPS	2
/* One more shows that all go on together. */
#define TRIAL_ALL	(TRIAL_OPS + 1)
/* As a width: a ring of four, on each node of which another one hangs. */
#define TRIAL_LEAVES	2
#define TRIAL_VARIANTS	7

/* What a process was told of an operation. */
struct trial_told {
	unsigned char *buf;
	size_t got;
	bool ended;
	struct hypercube_result res;
	bool named;
	uint32_t members[CUBE_MAX / 32];
	uint32_t missing[CUBE_MAX / 32];
};

/* What a process has begun, and which operation it is to hear of next. */
struct trial_process {
	unsigned int sent;
	unsigned int at;
	struct trial_told op[TRIAL_ALL];
};

/* What is tried: cube and rings, their nodes against the order in which messages go round, blocks
 * of so many segments, with acknowledgements or without; who was there when an operation was begun.
 */
struct trial {
	struct cube c;
	unsigned int slices;
	bool notify;
	unsigned int order[CUBE_MAX];
	unsigned int clock[TRIAL_ALL];
	uint32_t who[TRIAL_ALL][CUBE_MAX / 32];
	struct trial_process p[CUBE_MAX];
};

/* Rings of so many nodes, 0: one of all; see struct trial. */
struct trial_variant {
	unsigned int width;
	unsigned int slices;
	bool notify;
};

extern const struct trial_variant trial_variants[TRIAL_VARIANTS];

/* Bytes of a contribution, and these of the @k-th one of node @u. */
size_t trial_block(const struct trial *t);
unsigned char trial_byte(unsigned int k, unsigned int u, size_t i);

/* A cube with a plan of rings of so many nodes, as in struct trial_variant. */
bool trial_begin(struct trial *t, unsigned int dim, unsigned int width);
bool trial_end(struct trial *t);
bool trial_contribute(struct trial *t, unsigned int u);
/* One call, which brings a piece, or more if they come at that very moment.  1: something has come;
 * 0: nothing; -1: that cannot be.
 */
int trial_hear(struct trial *t, unsigned int u);
/* The nodes read, in their order, until the clock of operation @k says @clock.  False: it never
 * does.
 */
bool trial_clock_reach(struct trial *t, unsigned int k, unsigned int clock);
/* Or any nodes, in any order. */
bool trial_some_read(struct trial *t, unsigned int reads);
/* A node fails, or, if @node is negative, a link. */
void trial_fail(struct trial *t, int node, unsigned int link);
/* All of them read until they have the ends of so many operations.  However much that is, and
 * whatever the machine does besides, something comes all the time.
 */
bool trial_all_end(struct trial *t, const unsigned int *node, unsigned int n, unsigned int ops);
/* Is at @place of the result the block of node @u? */
bool trial_block_right(const struct trial *t, const struct trial_told *o, unsigned int k,
		       unsigned int u, unsigned int place);
/* Is the result of operation @k at @u right, and about the same members as that of the others? */
bool trial_told_right(const struct trial *t, unsigned int u, unsigned int k,
		      const unsigned int *node, unsigned int n);
/* Each part of the cube goes on: all that was begun ends as it must, and so does one more. */
bool trial_parts_go_on(struct trial *t);

#endif /* _HC_RING_TRIAL_H */
