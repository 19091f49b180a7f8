/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measuring queues of tasks: the code that the fabric and the other implementations share. The same
 * producer, workers and clock (measure_tasks.c) run with each of them.
 */
#ifndef BENCH_TASKS_H
#define BENCH_TASKS_H

#include <stddef.h>
#include <stdint.h>

#define TASK_BYTES_MAX 65536

/**
 * struct queue - a queue of tasks, as one process sees it
 * @where: name of the fabric, for queues of a fabric
 * @workers: number of workers
 * @worker: index of this worker; the producer has the index @workers
 * @own: private data of the process
 */
struct queue {
	const char *where;
	unsigned int workers;
	unsigned int worker;
	void *own;
};

/**
 * struct queue_ops - a kind of queue; errors end the program
 * @name: name, for the output
 * @begin: called before the processes are forked, or NULL
 * @end: called when the processes have ended, or NULL
 * @join: the first call of the producer and of each worker
 * @put: put a task
 * @take: wait for the next task; returns its bytes. A worker has at most one task.
 * @done: the task is done; a task whose worker ends without this call must go to another worker
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
