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
/* A new one with segments of length @s of YARD_SEGMENTS, and YARD_SIZES tasks at node 1, of lengths
 * around those, with flags in turns: 0 or -errno.
 */
#define YARD_SEGMENTS	3
#define YARD_SIZES	9
int yard_new_of_sizes(struct yard *y, unsigned int dim, unsigned int s, unsigned int even,
		      unsigned int odd);
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

/* A new one of eight nodes, whose links delay and lose; @fill puts tasks, which are on their way
 * everywhere then: 0 or -errno.
 */
int yard_bustling(struct yard *y, int (*fill)(struct yard *y));

/* A test in a yard, @y, which is there at its beginning, and can be removed at its end. */
#define TEST_YARD(test_name, dim, segment)						\
	static void __in_##test_name(struct __test_metadata *_metadata, struct yard *y);	\
	TEST(test_name)									\
	{										\
		struct yard y;								\
											\
		ASSERT_EQ(0, yard_new(&y, dim, segment));				\
		__in_##test_name(_metadata, &y);					\
		EXPECT_EQ(0, yard_del(&y));						\
	}										\
	static void __in_##test_name(struct __test_metadata *_metadata			\
				     __attribute__((unused)), struct yard *y)

#endif /* _HC_YARD_H */
