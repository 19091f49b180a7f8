/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trials of ring plans that repair themselves while operations are under way. All members
 * contribute to two operations. Each receive buffer has space for one chunk, so the receive calls
 * of a test control how far the members get. Then links or nodes fail, at any step. The live nodes
 * that healthy links still connect are a part of the cube. All members in a part must get the block
 * of each of these members once. A result may lack a block only if it names the member whose block
 * is missing.
 */
#ifndef _HC_RING_TRIAL_H
#define _HC_RING_TRIAL_H

#include "rings.h"

#define TRIAL_PLAN	1
/* A segment is so long that one chunk fills a receive buffer. */
#define TRIAL_SEGMENT	4096
#define TRIAL_OPS	2
/* TRIAL_OPS and one more operation, which shows that all members continue together. */
#define TRIAL_ALL	(TRIAL_OPS + 1)
/* A value for @width: make a ring of four nodes, each of which is also in a ring of two nodes, with
 * a leaf.
 */
#define TRIAL_LEAVES	2
#define TRIAL_VARIANTS	7

/* What a process has received of the result of an operation. */
struct trial_result {
	unsigned char *buf;
	size_t got;
	bool ended;
	struct hypercube_result res;
	bool named;
	uint32_t members[CUBE_MAX / 32];
	uint32_t missing[CUBE_MAX / 32];
};

/* The state of a process: how many operations it has begun (@sent), and of which of them it expects
 * the next result (@at).
 */
struct trial_process {
	unsigned int sent;
	unsigned int at;
	struct trial_result op[TRIAL_ALL];
};

/* A trial: the cube; the number of segments of a block (@chunks); whether the members request
 * notification; the nodes, in the reverse of the order in which blocks go round (@order); the
 * greatest clock reported for each operation; and the members when an operation was begun (@who).
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

/* The settings of a trial. @width: rings have at most this many nodes; 0: one ring of all nodes.
 * See struct trial for the others.
 */
struct trial_variant {
	unsigned int width;
	unsigned int chunks;
	bool notify;
};

extern const struct trial_variant trial_variants[TRIAL_VARIANTS];

/* trial_block() returns the length of a contribution in bytes; trial_byte() returns byte @i of
 * contribution @k of node @u.
 */
size_t trial_block(const struct trial *t);
unsigned char trial_byte(unsigned int k, unsigned int u, size_t i);

/* Make a cube with a plan of rings of @width nodes, as in struct trial_variant. */
bool trial_begin(struct trial *t, unsigned int dim, unsigned int width);
bool trial_end(struct trial *t);
bool trial_contribute(struct trial *t, unsigned int u);
/* Make one receive call at node @u, which receives one chunk, or more if others arrive meanwhile.
 * Return: 1 if something was received, 0 if not, -1 if the received record was wrong.
 */
int trial_receive(struct trial *t, unsigned int u);
/* Let the nodes receive in turn until the clock of operation @k reaches @clock. Return: false if
 * this takes longer than the time limit.
 */
bool trial_clock_reach(struct trial *t, unsigned int k, unsigned int clock);
/* Make @reads receive calls, each at a random node. */
bool trial_some_read(struct trial *t, unsigned int reads);
/* Let node @node fail; if @node is negative, let link number @link fail. */
void trial_fail(struct trial *t, int node, unsigned int link);
/* Let all @n nodes receive until each has the ends of @ops operations. The total time depends on
 * the machine and has no limit; only a long time in which no data arrive is a failure.
 */
bool trial_all_end(struct trial *t, const unsigned int *node, unsigned int n, unsigned int ops);
/* Return: true if position @place of the result has the block of node @u. */
bool trial_block_right(const struct trial *t, const struct trial_result *o, unsigned int k,
		       unsigned int u, unsigned int place);
/* Return: true if the result of operation @k at node @u is right, and names the same missing
 * members as the results of the other nodes.
 */
bool trial_result_right(const struct trial *t, unsigned int u, unsigned int k,
			const unsigned int *node, unsigned int n);
/* Run the nodes of each part of the cube. Return: true if, in each part, all operations that were
 * begun end as they must, and one more operation succeeds.
 */
bool trial_parts_go_on(struct trial *t);

#endif /* _HC_RING_TRIAL_H */
