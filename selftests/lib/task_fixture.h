/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fixture: distinguishable tasks at all nodes of a cube, to check that each task is unchanged and
 * in exactly one queue.
 */
#ifndef _HC_TASK_FIXTURE_H
#define _HC_TASK_FIXTURE_H

#include "cube.h"
#include "task_calls.h"

/**
 * struct task_fixture - a cube with a socket for tasks at each node
 * @c: the cube
 * @n: number of tasks that were put
 * @id: for each task, its id, which names the node at which it was put
 * @taken: for each task, how often it was taken
 * @repeated: for each task, how often it was taken with the flag REDELIVERED: a worker may have had
 *	it before
 */
struct task_fixture {
	struct cube c;
	unsigned int n;
	struct hypercube_task *id;
	unsigned char *taken;
	unsigned char *repeated;
};

int fixture_new(struct task_fixture *y, unsigned int dim, unsigned int segment);
int fixture_del(struct task_fixture *y);
/* Put one more task of @len bytes into the queue of node @node. Return: 0 or -errno. */
int fixture_put(struct task_fixture *y, unsigned int node, size_t len, unsigned int flags);
/* Make a fixture with segment length number @s of FIXTURE_SEGMENTS, and put FIXTURE_SIZES tasks at
 * node 1. Their lengths are around the segment lengths; their flags alternate between @even and
 * @odd. Return: 0 or -errno.
 */
#define FIXTURE_SEGMENTS	3
#define FIXTURE_SIZES		9
int fixture_new_of_sizes(struct task_fixture *y, unsigned int dim, unsigned int s,
			 unsigned int even, unsigned int odd);
/* Put @n more tasks of different lengths at random nodes. */
void fixture_fill(struct task_fixture *y, unsigned int n);
/* Put tasks of the greatest length into the queue of the node until it accepts no more. Their data
 * are not those of fixture_put(). Return: number of these tasks.
 */
unsigned int fixture_stuff(const struct task_fixture *y, unsigned int node);
struct task_view fixture_sum(const struct task_fixture *y);
/* Wait until no task is migrating. Return: 0 or -ETIMEDOUT. */
int fixture_settle(const struct task_fixture *y, int seconds);
/* Take all tasks from all queues. Return: number of tasks with another id or other data than the
 * tasks that were put.
 */
unsigned int fixture_take(struct task_fixture *y);
/* As fixture_take(), and count also each task that was not taken exactly once. */
unsigned int fixture_wrong(struct task_fixture *y);
/* Make node @node migrate up to @count tasks to its neighbour along @dim, and wait until no task is
 * migrating. Return: 0 or -errno.
 */
int fixture_move(const struct task_fixture *y, unsigned int node, unsigned int dim, uint64_t count);
/* Take all tasks, and remove the fabric. Return: 0 if each task was taken once and unchanged and
 * the fabric could be removed.
 */
int fixture_end(struct task_fixture *y);
/* Let a random link fail, and recover after up to 2 ms. */
void fixture_flap(struct task_fixture *y);
/* Set impairments of all links. */
int fixture_impair(const struct task_fixture *y, const struct impairments *bad);

/* Make a fixture of eight nodes whose links delay and lose frames, let @fill put tasks, and let
 * every node migrate some of them, so that migrations are under way when this returns. Return: 0 or
 * -errno.
 */
int fixture_bustling(struct task_fixture *y, int (*fill)(struct task_fixture *y));

/* Define a test. The fixture @y is made before the test's body runs, and removed after it; if
 * either fails, so does the test.
 */
#define TEST_TASKS(test_name, dim, segment)						\
	static void __in_##test_name(struct __test_metadata *_metadata,			\
				     struct task_fixture *y);			\
	TEST(test_name)									\
	{										\
		struct task_fixture y;							\
											\
		ASSERT_EQ(0, fixture_new(&y, dim, segment));				\
		__in_##test_name(_metadata, &y);					\
		EXPECT_EQ(0, fixture_del(&y));						\
	}										\
	static void __in_##test_name(struct __test_metadata *_metadata			\
				     __attribute__((unused)), struct task_fixture *y)

#endif /* _HC_TASK_FIXTURE_H */
