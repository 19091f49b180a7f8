/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trees of rings for tests: not good ones, but any that the verifier accepts; and allgathers in
 * them, against the plain result.
 */
#ifndef _HC_RINGS_H
#define _HC_RINGS_H

#include "cube.h"
#include "hc_ring.h"

/* A tree of rings; of its own memory.  @repair: let its plan repair itself. */
struct rings {
	struct hc_ring_tree tree;
	bool repair;
	struct hc_ring ring[CUBE_MAX];
	uint16_t node[2 * CUBE_MAX];
};

/* One ring through all nodes of a cube without faults, in the order of the Gray code. */
void rings_gray(struct rings *r, unsigned int dim);
/* One ring of these nodes. */
void rings_one(struct rings *r, const uint16_t *node, unsigned int n);
/* A random tree of rings of at most @width nodes, of the nodes that are connected with @start
 * around the faults.
 */
void rings_random(struct rings *r, const struct cube *c, unsigned int start, unsigned int width);
/* Install it, and let its nodes be the members of the cube's plan. */
int cube_rings(struct cube *c, unsigned int id, const struct rings *r);
/* A new cube with one ring of all its nodes, all bound. */
int cube_rings_ready(struct cube *c, unsigned int id, unsigned int dim, unsigned int segment);

/* Steps of the operations of a run: the most that any member was told. */
struct rings_steps {
	unsigned int steps;
	unsigned int clock;
};

/* Let job @k of each of @n parties be an allgather of @bytes by plan @id; see parties_done(). */
void gather_fill(struct party *p, const unsigned int *node, unsigned int n, unsigned int k,
		 unsigned int id, size_t bytes, bool notify);
/* The block that node @u has for node @v in operation @k. */
void block_fill(unsigned char *to, size_t bytes, unsigned int k, unsigned int u, unsigned int v);
/* The one for party @to in what a member has given. */
typedef const unsigned char *(*block_of_fn)(const struct job *j, unsigned int to, size_t bytes);
/* Has job @k of party @i the blocks of all @n members for it? */
bool gathered_right(const struct party *p, const unsigned int *node, unsigned int n,
		    unsigned int i, unsigned int k, size_t bytes, block_of_fn block);
/* The same of an allgather. */
bool gather_right(const struct party *p, const unsigned int *node, unsigned int n, unsigned int i,
		  unsigned int k, size_t bytes);
/* @njobs allgathers at all members of the cube's plan: are all right?  @steps: of the last one. */
bool gather_run(const struct cube *c, unsigned int id, unsigned int njobs, size_t bytes,
		bool notify, struct rings_steps *steps);

#endif /* _HC_RINGS_H */
