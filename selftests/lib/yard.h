/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks that are told apart, at all nodes of a cube: whether each is in one place, and unchanged.
 */
#ifndef _HC_YARD_H
#define _HC_YARD_H

#include "cube.h"
#include "task_calls.h"

/**
 * struct yard - a cube with a socket for tasks at each node
 * @c: the cube
 * @n: tasks that were put
 * @first: by number: where it was put, and
 * @id: as what
 * @taken: by number: how often it was taken
 * @repeated: by number: how often as one that a worker may have had
 */
struct yard {
	struct cube c;
	unsigned int n;
	struct hypercube_task *id;
	unsigned char *taken;
	unsigned char *repeated;
};

int yard_new(struct yard *y, unsigned int dim, unsigned int segment);
int yard_del(struct yard *y);
/* One more, of @len bytes: 0 or -errno. */
int yard_put(struct yard *y, unsigned int node, size_t len, unsigned int flags);
/* @n more, of different lengths, anywhere. */
void yard_fill(struct yard *y, unsigned int n);
/* As many of the longest as a node takes, which are not told apart; how many? */
unsigned int yard_stuff(const struct yard *y, unsigned int node);
struct task_view yard_sum(const struct yard *y);
/* Wait until nothing is on its way: 0 or -ETIMEDOUT. */
int yard_settle(const struct yard *y, int seconds);
/* Take all there is; returns how many were not as they were put. */
unsigned int yard_take(struct yard *y);
/* The same; how many were not taken exactly once? */
unsigned int yard_wrong(struct yard *y);
/* Hand over up to @count, and wait for the end: 0 or -errno. */
int yard_move(const struct yard *y, unsigned int node, unsigned int dim, uint64_t count);
/* Each is taken once, and the fabric goes: 0. */
int yard_end(struct yard *y);
/* Some link fails for a moment. */
void yard_flap(struct yard *y);
/* All links. */
int yard_impair(const struct yard *y, const struct impairments *bad);

#endif /* _HC_YARD_H */
