/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trials of ring plans that repair themselves while operations are under way. All members
 * contribute to two operations. Receive buffers have room for one piece, so a test controls by its
 * reads how far the members have come; then links or nodes fail, at whatever step. All members that
 * are still connected must get the block of each of them once, and a result may lack a block only
 * if it names the member whose block is missing.
 */
#ifndef _HC_RING_TRIAL_H
#define _HC_RING_TRIAL_H

#include "rings.h"

#define TRIAL_PLAN	1
/* A segment so long that one piece fills a receive buffer. */
#define TRIAL_SEGMENT	4096
#define TRIAL_OPS	2
/* With one more operation, which shows that all members continue together. */
#define TRIAL_ALL	(TRIAL_OPS + 1)
/* As a width: a ring of four nodes, each of which is also in a ring of its own with
 * another node.
 */
#define TRIAL_LEAVES	2
#define TRIAL_VARIANTS	7

/* What a process was notified of about an operation. */
struct trial_result {
	unsigned char *buf;
	size_t got;
	bool ended;
	struct hypercube_result res;
	bool named;
	uint32_t members[CUBE_MAX / 32];
	uint32_t missing[CUBE_MAX / 32];
};

/* What a process has begun, and for which operation it expects the next result. */
struct trial_process {
	unsigned int sent;
	unsigned int at;
	struct trial_result op[TRIAL_ALL];
};

/* A trial: the cube and its rings; their nodes, in the reverse of the order in which messages go
 * round; the number of segments of a block; with acknowledgements or without; and which members
 * there were when an operation was begun.
 */
struct trial {
	struct cube c;
	unsigned int chunks;
	bool notify;
	unsigned int order[CUBE_MAX];
	unsigned int clock[TRIAL_ALL];
	uint32_t who[TRIAL_ALL][CUBE_MAX / 32];
	struct trial_process p[CUBE_MAX];
};

/* Rings of at most so many nodes, 0: one ring of all nodes; see struct trial. */
struct trial_variant {
	unsigned int width;
	unsigned int chunks;
	bool notify;
};

extern const struct trial_variant trial_variants[TRIAL_VARIANTS];

/* Return: bytes of a contribution. The other function fills in contribution @k of node @u. */
size_t trial_block(const struct trial *t);
unsigned char trial_byte(unsigned int k, unsigned int u, size_t i);

/* Make a cube with a plan of rings of @width nodes, as in struct trial_variant. */
bool trial_begin(struct trial *t, unsigned int dim, unsigned int width);
bool trial_end(struct trial *t);
bool trial_contribute(struct trial *t, unsigned int u);
/* Make one receive call at node @u, which receives a piece, or more if they come at that moment.
 * Return: 1 if something was received, 0 if not, -1 if it was not what it must be.
 */
int trial_receive(struct trial *t, unsigned int u);
/* Let the nodes read, in their order, until the clock of operation @k is @clock. Return: false if
 * it never is.
 */
bool trial_clock_reach(struct trial *t, unsigned int k, unsigned int clock);
/* Let random nodes read, @reads times. */
bool trial_some_read(struct trial *t, unsigned int reads);
/* Let a node fail or, if @node is negative, a link. */
void trial_fail(struct trial *t, int node, unsigned int link);
/* Let all @n nodes read until each has the ends of @ops operations. There is no time limit for the
 * whole, which depends on the machine: it fails only if nothing comes for a long time.
 */
bool trial_all_end(struct trial *t, const unsigned int *node, unsigned int n, unsigned int ops);
/* Is the block of node @u at place @place of the result? */
bool trial_block_right(const struct trial *t, const struct trial_result *o, unsigned int k,
		       unsigned int u, unsigned int place);
/* Is the result of operation @k at node @u right, and does it name the same members as the results
 * of the others?
 */
bool trial_result_right(const struct trial *t, unsigned int u, unsigned int k,
			const unsigned int *node, unsigned int n);
/* Does each connected part of the cube continue: do all operations that were begun end as they
 * must, and one more as well?
 */
bool trial_parts_go_on(struct trial *t);

#endif /* _HC_RING_TRIAL_H */
