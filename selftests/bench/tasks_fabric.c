// SPDX-License-Identifier: GPL-2.0
/*
 * Queues of a fabric, of two kinds: with "node" all workers are at node 0, where the producer puts
 * the tasks; with "cube" each node has a worker, so load balancing rounds must migrate tasks from
 * node 0 to the other nodes.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "libhypercube.h"
#include "tasks.h"

/* The producer's send buffer has space for as many bytes of tasks as a node may hold. */
#define ROOM (1 << 24)

/* A process's handle, and the task that it executes. */
struct end {
	struct hcl *h;
	struct hypercube_task task;
};

static void must(const struct end *e, const char *what, long ret)
{
	char text[160];

	if (ret < 0)
		errx(1, "%s: %s", what, hcl_explain(e->h, text, sizeof(text)));
}

static void join_at(struct queue *q, uint32_t node)
{
	struct end *e = calloc(1, sizeof(*e));
	int room = ROOM;

	if (!e)
		err(1, "memory");
	must(e, "a node's tasks", hcl_task_open(&e->h, q->where, node));
	if (q->worker == q->workers)
		setsockopt(hcl_fd(e->h), SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	q->own = e;
}

static void join_node(struct queue *q)
{
	join_at(q, 0);
}

static void join_cube(struct queue *q)
{
	join_at(q, q->worker % q->workers);
}

static void put(struct queue *q, const void *task, size_t len)
{
	const struct end *e = q->own;

	must(e, "put", hcl_task_put(e->h, task, len, HYPERCUBE_TASK_IDEMPOTENT, NULL));
}

static size_t take(struct queue *q, void *task)
{
	struct end *e = q->own;
	long len = hcl_task_take(e->h, task, TASK_BYTES_MAX, &e->task);

	must(e, "take", len);
	return (size_t)len;
}

static void done(struct queue *q)
{
	const struct end *e = q->own;

	must(e, "done", hcl_task_done(e->h, &e->task));
}

const struct queue_ops tasks_node = {
	.name = "node", .join = join_node, .put = put, .take = take, .done = done,
};

const struct queue_ops tasks_cube = {
	.name = "cube", .join = join_cube, .put = put, .take = take, .done = done,
};
