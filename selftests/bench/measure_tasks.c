// SPDX-License-Identifier: GPL-2.0
/*
 * measure_tasks [-b MS] QUEUE WORKERS SIZE,SIZE,.. FABRIC: measures one producer and WORKERS
 * workers at a queue of tasks.
 *
 * Rate: the tasks take no time; the measured time is that from the first put to the end of the last
 * task. Makespan: tasks that take unequal times are queued first, and then the workers begin; the
 * measured time is that from the workers' begin to the end of the last task. The makespan is least
 * if all workers get equal shares of the work. There are fewer processors than workers, so a worker
 * sleeps for the time of its task.
 */
#include <err.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"
#include "tasks.h"

#define WORKERS_MAX	64
#define TASKS_MIN	64
#define TASKS_MAX	20000
#define PILOT		200
/* The makespan is measured with this number of tasks per worker, and with this longest time of a
 * task.
 */
#define SHARE		40
#define LONG_NS		10000000u
/* Give up after this number of successive pauses of 1 ms in which no task was done. */
#define QUIET		20000

/**
 * struct shared_tasks - memory that all processes map
 * @done: number of tasks that workers have done
 * @last: time at which the last of these tasks was done, in ns
 * @begin: time at which the first task was put, or at which the workers began, in ns
 * @work: sum of the times of all tasks, in ns
 * @s: memory for the barrier
 */
struct shared_tasks {
	_Atomic uint32_t done;
	_Atomic uint64_t last;
	uint64_t begin;
	uint64_t work;
	struct shared s;
};

/* A measurement: @tasks tasks of @bytes bytes each. @slow: tasks take time (makespan). */
struct batch {
	const struct queue_ops *ops;
	struct queue q;
	struct shared_tasks *s;
	size_t bytes;
	unsigned int tasks;
	bool slow;
	pid_t producer;
	pid_t worker[WORKERS_MAX];
};

static const struct queue_ops *const queues[] = {
	&tasks_node, &tasks_cube, &tasks_unix, &tasks_tcp, &tasks_shm, NULL
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Return: the time of task @i in ns. It is at most LONG_NS, and a third of that on average; it is
 * the same in each run.
 */
static uint64_t length(unsigned int i)
{
	uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 40;
	return (x * x >> 24) * LONG_NS >> 24;
}

static void fill(char *task, size_t bytes, unsigned int i, uint64_t ns)
{
	memset(task, (int)(i & 0x7f), bytes);
	memcpy(task, &ns, sizeof(ns));
}

/* Check the data of a task, and sleep for the time of the task. */
static void execute(const char *task, size_t len, size_t bytes)
{
	struct timespec t = { 0 };
	uint64_t ns;

	if (len != bytes || (len > 9 && task[8] != task[len - 1]))
		errx(1, "a task of %zu bytes is not what was put", len);
	memcpy(&ns, task, sizeof(ns));
	if (!ns)
		return;
	t.tv_nsec = (long)ns;
	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

/* Run a worker, which executes tasks until it is killed. */
static void work(struct batch *b)
{
	static char task[TASK_BYTES_MAX];
	uint64_t end, last;
	size_t len;

	b->ops->join(&b->q);
	measure_barrier(&b->s->s, b->q.workers + 1);
	if (b->slow)
		measure_barrier(&b->s->s, b->q.workers + 1);
	for (;;) {
		len = b->ops->take(&b->q, task);
		execute(task, len, b->bytes);
		b->ops->done(&b->q);
		end = now();
		last = atomic_load(&b->s->last);
		while (last < end && !atomic_compare_exchange_weak(&b->s->last, &last, end))
			;
		atomic_fetch_add(&b->s->done, 1);
	}
}

/* Run the producer, which puts all tasks. */
static void produce(struct batch *b)
{
	static char task[TASK_BYTES_MAX];
	unsigned int i;
	uint64_t ns;

	b->ops->join(&b->q);
	measure_barrier(&b->s->s, b->q.workers + 1);
	b->s->begin = now();
	for (i = 0; i < b->tasks; i++) {
		ns = b->slow ? length(i) : 0;
		b->s->work += ns;
		fill(task, b->bytes, i, ns);
		b->ops->put(&b->q, task, b->bytes);
	}
	if (!b->slow)
		return;
	b->s->begin = now();
	measure_barrier(&b->s->s, b->q.workers + 1);
}

/* Wait until all tasks are done. A worker exits only after it has found an error; in this case
 * exit, too.
 */
static void wait_for_all(const struct batch *b)
{
	const struct timespec t = { .tv_nsec = 1000000 };
	unsigned int i, n, before = 0, quiet = 0;

	while ((n = atomic_load(&b->s->done)) < b->tasks) {
		nanosleep(&t, NULL);
		quiet = n == before ? quiet + 1 : 0;
		before = n;
		if (quiet == QUIET)
			errx(1, "%s: nothing is done any more after %u of %u tasks", b->ops->name,
			     n, b->tasks);
		for (i = 0; i < b->q.workers; i++)
			if (waitpid(b->worker[i], NULL, WNOHANG))
				errx(1, "a worker of %s has ended", b->ops->name);
	}
	if (atomic_load(&b->s->done) > b->tasks)
		errx(1, "%s: %u of %u tasks are done", b->ops->name, atomic_load(&b->s->done),
		     b->tasks);
}

/* Fork process @number, which calls @run. */
static pid_t process(struct batch *b, unsigned int number, void (*run)(struct batch *b))
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	b->q.worker = number;
	run(b);
	/* The queue might take the exit of a process for its failure, so wait to be killed. */
	for (;;)
		pause();
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Run a measurement. Return: its duration in ns. */
static uint64_t measure_batch(struct batch *b)
{
	unsigned int i;

	memset(b->s, 0, sizeof(*b->s));
	if (b->ops->begin)
		b->ops->begin(&b->q);
	for (i = 0; i < b->q.workers; i++)
		b->worker[i] = process(b, i, work);
	b->producer = process(b, b->q.workers, produce);
	wait_for_all(b);
	stop(b->producer);
	for (i = 0; i < b->q.workers; i++)
		stop(b->worker[i]);
	if (b->ops->end)
		b->ops->end(&b->q);
	return atomic_load(&b->s->last) - b->s->begin;
}

static void report(struct batch *b, unsigned int budget)
{
	uint64_t ns, least;

	b->slow = false;
	b->tasks = PILOT;
	ns = measure_batch(b);
	b->tasks = (unsigned int)(PILOT * (uint64_t)budget * 1000000 / (ns + 1));
	b->tasks = b->tasks < TASKS_MIN ? TASKS_MIN : b->tasks > TASKS_MAX ? TASKS_MAX : b->tasks;
	ns = measure_batch(b);
	printf("{\"what\":\"tasks\",\"backend\":\"%s\",\"procs\":%u,\"bytes\":%zu,\"tasks\":%u,\"per_second\":%.0f,",
	       b->ops->name, b->q.workers, b->bytes, b->tasks, b->tasks * 1e9 / (double)ns);
	b->slow = true;
	b->tasks = SHARE * b->q.workers;
	ns = measure_batch(b);
	least = b->s->work / b->q.workers;
	printf("\"makespan_ms\":%.2f,\"least_ms\":%.2f}\n", (double)ns / 1e6, (double)least / 1e6);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct batch b = { 0 };
	unsigned int budget = 300, i;
	char *word;
	int opt;

	while ((opt = getopt(argc, argv, "b:")) != -1) {
		if (opt != 'b')
			return 2;
		budget = (unsigned int)atoi(optarg);
	}
	if (argc != optind + 4)
		errx(2, "usage: measure_tasks [-b MS] QUEUE WORKERS SIZE,SIZE,.. FABRIC");
	argv += optind;
	for (i = 0; queues[i] && strcmp(queues[i]->name, argv[0]); i++)
		;
	b.ops = queues[i];
	b.q.workers = (unsigned int)atoi(argv[1]);
	b.q.where = argv[3];
	if (!b.ops || !b.q.workers || b.q.workers > WORKERS_MAX || !budget)
		errx(2, "numbers out of range, or no queue '%s'", argv[0]);
	b.s = mmap(NULL, sizeof(*b.s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (b.s == MAP_FAILED)
		err(1, "memory");
	for (word = strtok(argv[2], ","); word; word = strtok(NULL, ",")) {
		b.bytes = strtoul(word, NULL, 0);
		if (b.bytes < 8 || b.bytes > TASK_BYTES_MAX)
			errx(2, "'%s': sizes are from 8 to %d", word, TASK_BYTES_MAX);
		report(&b, budget);
	}
	return 0;
}
