/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measuring queues of tasks: what the fabric and its peers have in common.  The same producer,
 * workers and clock (measure_tasks.c) run over each of them.
 */
#ifndef BENCH_TASKS_H
#define BENCH_TASKS_H

#include <stddef.h>
#include <stdint.h>

#define TASK_BYTES_MAX 65536

/**
 * struct queue - a queue of tasks, as one process sees it
 * @where: of the fabric its name, else of no meaning
 * @workers: how many there are
 * @worker: which one this is; the producer: @workers
 * @own: what the process has of it
 */
struct queue {
	const char *where;
	unsigned int workers;
	unsigned int worker;
	void *own;
};

/**
 * struct queue_ops - a kind of queue; what fails ends the program
 * @name: for the output
 * @begin: before there are processes, or NULL
 * @end: when they are gone, or NULL
 * @join: the producer's and each worker's beginning
 * @put: a task
 * @take: the next task, waited for; its bytes.  A worker has one at most.
 * @done: with that task; it has to be given to another worker if one ends without saying so
 */
struct queue_ops {
	const char *name;
	void (*begin)(struct queue *q);
	void (*end)(struct queue *q);
	void (*join)(struct queue *q);
	void (*put)(struct queue *q, const void *task, size_t len);
	size_t (*take)(struct queue *q, void *task);
	void (*done)(struct queue *q);
};

extern const struct queue_ops tasks_node, tasks_cube, tasks_unix, tasks_tcp, tasks_shm;

#endif /* BENCH_TASKS_H */
