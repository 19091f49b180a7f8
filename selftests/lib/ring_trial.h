/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trials of ring plans that repair themselves while operations are under way. All members
 * contribute to two operations. Each receive buffer has space for one chunk, so a test controls by
 * its receive calls how far the members get. Then links or nodes fail, at any step. A "part" of the
 * cube is a set of live nodes that are still connected by healthy links. All members in a part must
 * get the block of each member of the part once. A result may lack a block only if it names the
 * member whose block is missing.
 */
#ifndef _HC_RING_TRIAL_H
#define _HC_RING_TRIAL_H

#include "rings.h"

#define TRIAL_PLAN	1
/* Length of a segment in bytes, so great that one chunk fills a receive buffer */
#define TRIAL_SEGMENT	4096
#define TRIAL_OPS	2
/* TRIAL_OPS, and one more operation after the fault, which shows that all members continue
 * together.
 */
#define TRIAL_ALL	(TRIAL_OPS + 1)
/* A value for @width of struct trial_variant: make a ring of four nodes, each of which is also in a
 * ring with one leaf.
 */
#define TRIAL_LEAVES	2
#define TRIAL_VARIANTS	7

/* What a process has received of the result of an operation: @got bytes at @buf; the status and the
 * number of the operation (@res) when it has @ended; and, if the result @named missing members, the
 * sets of all members and of the missing ones.
 */
struct trial_result {
	unsigned char *buf;
	size_t got;
	bool ended;
	struct hypercube_result res;
	bool named;
	uint32_t members[CUBE_MAX / 32];
	uint32_t missing[CUBE_MAX / 32];
};

/* The state of a process. @sent: number of operations that it has begun. @at: index of the
 * operation whose result it expects next. @op: the results.
 */
struct trial_process {
	unsigned int sent;
	unsigned int at;
	struct trial_result op[TRIAL_ALL];
};

/* A trial. @c: the cube. @chunks: number of segments of a block. @notify: members request a
 * notification. @order: the nodes, in the reverse of the order in which blocks go round the ring.
 * @clock: for each operation, the greatest clock that a result has reported. @who: for each
 * operation, the set of members when it was begun. @p: the process of each node.
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

/* The settings of a trial. @width: greatest number of nodes of a ring; 0: one ring of all nodes; or
 * TRIAL_LEAVES. For the others see struct trial.
 */
struct trial_variant {
	unsigned int width;
	unsigned int chunks;
	bool notify;
};

extern const struct trial_variant trial_variants[TRIAL_VARIANTS];

/* trial_block() returns the length of a contribution in bytes; trial_byte() returns the byte with
 * index @i of the contribution of node @u to operation @k.
 */
size_t trial_block(const struct trial *t);
unsigned char trial_byte(unsigned int k, unsigned int u, size_t i);

/* Make a cube with a plan of rings. @width: see struct trial_variant. */
bool trial_begin(struct trial *t, unsigned int dim, unsigned int width);
bool trial_end(struct trial *t);
bool trial_contribute(struct trial *t, unsigned int u);
/* Make one receive call at node @u. It receives one chunk, or more if further chunks arrive
 * meanwhile. Return: 1 if something was received, 0 if not, -1 if the received record is wrong.
 */
int trial_receive(struct trial *t, unsigned int u);
/* Make receive calls at all nodes in turn until a result of operation @k reports the clock @clock
 * or a later one. Return: false if this takes longer than the time limit.
 */
bool trial_clock_reach(struct trial *t, unsigned int k, unsigned int clock);
/* Make @reads receive calls, each at a random node. */
bool trial_some_read(struct trial *t, unsigned int reads);
/* Let node @node fail; if @node is negative, let the link with number @link fail. */
void trial_fail(struct trial *t, int node, unsigned int link);
/* Make receive calls at the @n nodes @node until each has the ends of @ops operations. The total
 * time depends on the machine and has no limit, but it is an error if no data arrive for a long
 * time.
 */
bool trial_all_end(struct trial *t, const unsigned int *node, unsigned int n, unsigned int ops);
/* Return: true if the block at position @place of the result @o of operation @k is that of node @u.
 */
bool trial_block_right(const struct trial *t, const struct trial_result *o, unsigned int k,
		       unsigned int u, unsigned int place);
/* Return: true if the result of operation @k at node @u is right. @node: the @n nodes of the part
 * of node @u; the result must name the same missing members as theirs.
 */
bool trial_result_right(const struct trial *t, unsigned int u, unsigned int k,
			const unsigned int *node, unsigned int n);
/* Let the nodes of each part of the cube end their operations, and begin one more. Return: true if,
 * in each part, all operations end as they must, and the last one succeeds.
 */
bool trial_parts_go_on(struct trial *t);

#endif /* _HC_RING_TRIAL_H */
