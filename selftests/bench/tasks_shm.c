// SPDX-License-Identifier: GPL-2.0
/*
 * A queue in shared memory for comparison: all processes map the queue, which one lock protects. If
 * a worker ends, its task is lost.
 */
#include <err.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tasks.h"

#define SLOTS 1024

/* The queue is a ring buffer of @n tasks; @first is the index of the oldest task. */
struct slots {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	pthread_cond_t freed;
	unsigned int first;
	unsigned int n;
	size_t len[SLOTS];
	char task[SLOTS][TASK_BYTES_MAX];
};

static void begin(struct queue *q)
{
	struct slots *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	pthread_mutexattr_t lock;
	pthread_condattr_t wait;

	if (s == MAP_FAILED)
		err(1, "memory");
	pthread_mutexattr_init(&lock);
	pthread_mutexattr_setpshared(&lock, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&s->lock, &lock);
	pthread_condattr_init(&wait);
	pthread_condattr_setpshared(&wait, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&s->filled, &wait);
	pthread_cond_init(&s->freed, &wait);
	q->own = s;
}

static void end(struct queue *q)
{
	munmap(q->own, sizeof(struct slots));
}

static void join(struct queue *q)
{
	(void)q;
}

static void put(struct queue *q, const void *task, size_t len)
{
	struct slots *s = q->own;
	unsigned int i;

	pthread_mutex_lock(&s->lock);
	while (s->n == SLOTS)
		pthread_cond_wait(&s->freed, &s->lock);
	i = (s->first + s->n++) % SLOTS;
	s->len[i] = len;
	memcpy(s->task[i], task, len);
	pthread_mutex_unlock(&s->lock);
	pthread_cond_signal(&s->filled);
}

static size_t take(struct queue *q, void *task)
{
	struct slots *s = q->own;
	size_t len;

	pthread_mutex_lock(&s->lock);
	while (!s->n)
		pthread_cond_wait(&s->filled, &s->lock);
	len = s->len[s->first];
	memcpy(task, s->task[s->first], len);
	s->first = (s->first + 1) % SLOTS;
	s->n--;
	pthread_mutex_unlock(&s->lock);
	pthread_cond_signal(&s->freed);
	return len;
}

static void done(struct queue *q)
{
	(void)q;
}

const struct queue_ops tasks_shm = {
	.name = "shm", .begin = begin, .end = end, .join = join, .put = put, .take = take,
	.done = done,
};
