/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trees of rings for tests, and allgathers over them, whose results are compared with the expected
 * ones. The rings may be longer or more than necessary, but the verifier accepts them.
 */
#ifndef _HC_RINGS_H
#define _HC_RINGS_H

#include "cube.h"
#include "hc_ring.h"

/* A tree of rings in memory of its own. @repair: its plan is installed with REPAIR. */
struct rings {
	struct hc_ring_tree tree;
	bool repair;
	struct hc_ring ring[CUBE_MAX];
	uint16_t node[2 * CUBE_MAX];
};

/* Make one ring of all nodes of a cube without faults, in the order of the binary reflected Gray
 * code.
 */
void rings_gray(struct rings *r, unsigned int dim);
/* Make one ring of the @n nodes @node. */
void rings_one(struct rings *r, const uint16_t *node, unsigned int n);
/* Make a random tree of rings, with rings of at most @width nodes, of all nodes that paths without
 * faults connect with @start.
 */
void rings_random(struct rings *r, const struct cube *c, unsigned int start, unsigned int width);
/* Install the tree of rings as plan @id, and make its nodes the members of the cube's plan. */
int cube_rings(struct cube *c, unsigned int id, const struct rings *r);
/* Install the tree of rings that the planner finds around the faults and around the nodes of the
 * set @without, which have not failed.
 */
int cube_rings_around(struct cube *c, unsigned int id, uint64_t without);
/* Make a cube with a plan of one ring of all its nodes, and bind sockets at all of them. */
int cube_rings_ready(struct cube *c, unsigned int id, unsigned int dim, unsigned int segment);

/* The greatest number of steps, and the greatest clock, in any member's result of the operations of
 * a run.
 */
struct rings_steps {
	unsigned int steps;
	unsigned int clock;
};

/* Set up job @k of each of @n members as an allgather over plan @id with blocks of @bytes; free its
 * memory with parties_done(). @notify: the members request a notification.
 */
void gather_fill(struct party *p, const unsigned int *node, unsigned int n, unsigned int k,
		 unsigned int id, size_t bytes, bool notify);
/* Write to @to the block of @bytes that node @u sends to node @v in operation @k. */
void block_fill(unsigned char *to, size_t bytes, unsigned int k, unsigned int u, unsigned int v);
/* Return: the block of @bytes for the member with index @to within the contribution of job @j. */
typedef const unsigned char *(*block_of_fn)(const struct job *j, unsigned int to, size_t bytes);
/* Return: true if job @k of member @i has received the block for it from each of the @n members.
 * @block: finds this block in a contribution.
 */
bool gathered_right(const struct party *p, const unsigned int *node, unsigned int n,
		    unsigned int i, unsigned int k, size_t bytes, block_of_fn block);
/* As gathered_right(), for an allgather. */
bool gather_right(const struct party *p, const unsigned int *node, unsigned int n, unsigned int i,
		  unsigned int k, size_t bytes);
/* Run @njobs allgathers over plan @id at all members of the cube's plan. @steps: set to the steps
 * and the clock of the run. Return: true if all results are right.
 */
bool gather_run(const struct cube *c, unsigned int id, unsigned int njobs, size_t bytes,
		bool notify, struct rings_steps *steps);

#endif /* _HC_RINGS_H */
