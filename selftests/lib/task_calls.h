/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks of nodes, as producers, workers and listeners see them.
 */
#ifndef _HC_TASK_CALLS_H
#define _HC_TASK_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "hc_nl.h"

struct cube;

/* A socket for tasks at a node, or -errno. */
int task_bound(const struct cube *c, unsigned int node);
/* Make a fabric, listen to its events, and that. */
int task_heard(struct cube *c, unsigned int dim, unsigned int node, struct nl *nl);
/* Make a fabric with a producer, who may have so many @bytes waiting (0: as usual), and a worker at
 * a node.
 */
int task_pair(struct cube *c, unsigned int dim, unsigned int node, int bytes, int *producer,
	      int *worker);
/* How much it may have waiting: SO_SNDBUF. */
void task_buffer(int fd, int bytes);
/* Bytes that the socket answers for. */
unsigned int task_charged(int fd);
/* The same socket, whose calls wait. */
int task_blocking(int fd);
/* What a task says; each @seed says something else. */
void task_fill(char *buf, size_t len, unsigned int seed);

/* 0 or -errno. */
int task_put(int fd, const void *buf, size_t len, unsigned int flags);
/* Bytes or -errno. */
ssize_t task_take(int fd, void *buf, size_t max, struct hypercube_task *id, int flags);
/* 0 or -errno. */
int task_done(int fd, const struct hypercube_task *id);
/* Any control message and any data: bytes or -errno. */
ssize_t task_say(int fd, int type, const void *what, size_t size, const void *buf, size_t len,
		 int flags);
/* The last that was put at a socket: 0 or -errno. */
int task_last(int fd, struct hypercube_task *id);
/* What poll() says of it now. */
short task_events(int fd);

/* Numbers of a node's tasks, by their attributes or by name; all 0 if it never had any. */
#define TASK_NUMBERS (HYPERCUBE_A_TASKS_MAX + 1)

struct task_view {
	union {
		uint64_t all[TASK_NUMBERS];
		struct {
			uint64_t none, queued, held, bytes, put, taken, done, repeated, lost, pad;
			uint64_t moving, sent, received, doubt, copied, kept, revived;
		};
	};
};

int task_view(const char *name, unsigned int node, struct task_view *v);

/* Hand over up to @count: 0 or -errno. */
int task_move(const char *name, unsigned int node, unsigned int dim, uint64_t count);

#define LOST_MAX 4096

/**
 * struct task_losses - what has been said of lost tasks
 * @n: how many were named
 * @id: which
 * @loss: why, of each
 * @node: where, of each
 * @count: how many there are
 * @events: how many events told of them
 */
struct task_losses {
	unsigned int n;
	struct hypercube_task id[LOST_MAX];
	unsigned int loss[LOST_MAX];
	unsigned int node[LOST_MAX];
	uint64_t count;
	unsigned int events;
};

/* Hear one event, whatever it tells, within @ms: 0 or -errno. */
int task_losses_hear(struct nl *nl, struct task_losses *l, int ms);
/* Listen until so many are counted: 0 or -errno. */
int task_losses(struct nl *nl, struct task_losses *l, uint64_t count);

#endif /* _HC_TASK_CALLS_H */
