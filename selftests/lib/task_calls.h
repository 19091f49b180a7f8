/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks of nodes, as producers, workers and receivers of events see them.
 */
#ifndef _HC_TASK_CALLS_H
#define _HC_TASK_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "hc_nl.h"

struct cube;

/* Return: a new socket for tasks, bound to @node, or -errno. */
int task_bound(const struct cube *c, unsigned int node);
/* Make a fabric, open a connection @nl that receives its events, and bind a task socket to @node.
 * Return: the socket, or -errno.
 */
int task_received(struct cube *c, unsigned int dim, unsigned int node, struct nl *nl);
/* Make a fabric with a producer and a worker at @node. @bytes: how many bytes of the producer's
 * tasks may be queued (0: the default). Return: 0 or -errno.
 */
int task_pair(struct cube *c, unsigned int dim, unsigned int node, int bytes, int *producer,
	      int *worker);
/* Set how many bytes of the socket's tasks may be queued (SO_SNDBUF). */
void task_buffer(int fd, int bytes);
/* Return: number of bytes of tasks that are charged to the socket. */
unsigned int task_charged(int fd);
/* Make the calls on socket @fd block. Return: @fd. */
int task_blocking(int fd);
/* Fill @buf with data for a task; they depend on @seed. */
void task_fill(char *buf, size_t len, unsigned int seed);

/* Put a task into the queue. Return: 0 or -errno. */
int task_put(int fd, const void *buf, size_t len, unsigned int flags);
/* Take a task from the queue. *@id: set to its id and flags. Return: bytes received, or -errno. */
ssize_t task_take(int fd, void *buf, size_t max, struct hypercube_task *id, int flags);
/* Report that a task is done. Return: 0 or -errno. */
int task_done(int fd, const struct hypercube_task *id);
/* Send the data @buf with a control message of any type; @what: the @size bytes of the control
 * message. Return: bytes sent, or -errno.
 */
ssize_t task_say(int fd, int type, const void *what, size_t size, const void *buf, size_t len,
		 int flags);
/* Get the id of the last task that was put at this socket. Return: 0 or -errno. */
int task_last(int fd, struct hypercube_task *id);
/* Return: the events that poll() reports for the socket now. */
short task_events(int fd);

/* The counters of a node's tasks: @all is indexed by attribute, the other members have the names of
 * the attributes. All are 0 if the node has never had a task.
 */
#define TASK_NUMBERS (HYPERCUBE_A_TASKS_MAX + 1)

struct task_view {
	union {
		uint64_t all[TASK_NUMBERS];
		struct {
			uint64_t none, queued, held, bytes, put, taken, done, repeated, lost, pad;
			uint64_t moving, sent, received, unresolved, copied, kept, recovered;
		};
	};
};

int task_view(const char *name, unsigned int node, struct task_view *v);

/* Make node @node migrate up to @count tasks to its neighbour along @dim. Return: 0 or -errno. */
int task_move(const char *name, unsigned int node, unsigned int dim, uint64_t count);

#define LOST_MAX 4096

/**
 * struct task_losses - what events have reported about lost tasks
 * @n: number of tasks whose ids were reported
 * @id: ids of these tasks
 * @loss: for each of these tasks, the reason why it was lost
 * @node: for each of these tasks, the node at which it was lost
 * @count: number of lost tasks, including those without an id
 * @events: number of events that reported losses
 */
struct task_losses {
	unsigned int n;
	struct hypercube_task id[LOST_MAX];
	unsigned int loss[LOST_MAX];
	unsigned int node[LOST_MAX];
	uint64_t count;
	unsigned int events;
};

/* Receive one event of any kind within @ms, and add its losses to @l. Return: 0 or -errno. */
int task_losses_receive(struct nl *nl, struct task_losses *l, int ms);
/* Receive events until @count lost tasks have been reported in @l. Return: 0 or -errno. */
int task_losses(struct nl *nl, struct task_losses *l, uint64_t count);

#endif /* _HC_TASK_CALLS_H */
