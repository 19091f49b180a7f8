/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations for measuring queues of tasks. The same producer, workers and clock
 * (measure_tasks.c) run with the fabric and with other implementations of a queue.
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
 * struct queue_ops - a kind of queue; its functions end the program on errors
 * @name: name, for the output
 * @begin: called before the processes are forked; may be NULL
 * @end: called after the processes have ended; may be NULL
 * @join: the first call of the producer and of each worker
 * @put: put a task into the queue
 * @take: wait for the next task, and return its length in bytes. A worker has at most one task.
 * @done: report that the worker's task is done. A task whose worker ends without this call must go
 *	to another worker.
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
