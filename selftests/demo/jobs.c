// SPDX-License-Identifier: GPL-2.0
/*
 * Puts tasks, which are files to be hashed, into the queues of the nodes of a cube; each node has
 * one worker.
 *
 * jobs [-c COMMAND] [-v BYTES] FABRIC DIM NODES FOLDER LIST RESULT
 *	NODES	nodes with a worker, with commas
 *	LIST	has the names of the files in FOLDER, one per line
 *	RESULT	RESULT.sums gets the hashes as sha256sum(1) prints them, RESULT.loads the
 *		number of tasks of each node every 100 ms
 *	-c	command that a shell runs when the workers begin
 *	-v	bytes that a node hashes in a second (65536)
 *
 * The nodes get unequal numbers of files: the k-th node, in a random order, gets 1 / k of the
 * number that the first node gets. All tasks are idempotent. A task that the kernel reports as lost
 * is put again, at the next node that accepts it. Prints JSON.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cube.h"
#include "jobs.h"
#include "task_calls.h"

#define NODES_MAX		1024
#define SAMPLE_MS		100
#define STALL_TIMEOUT_MS	300000

/**
 * struct file - a file to hash
 * @name: its name in the folder
 * @len: its length in bytes
 * @task: id of the last task that was put for it
 * @puts: number of tasks that were put for it
 * @times: number of times that it was hashed
 * @sum: its hash
 */
struct file {
	char *name;
	size_t len;
	struct hypercube_task task;
	unsigned int puts;
	unsigned int times;
	uint8_t sum[SHA256_DIGEST_LENGTH];
};

struct jobs {
	const char *fabric;
	const char *folder;
	const char *command;
	double speed;
	unsigned int dim;
	unsigned int nodes[NODES_MAX];
	unsigned int nnodes;
	unsigned int next;	/* the node at which the next lost task is put again */
	struct file *file;
	unsigned int n;
	unsigned int left;
	unsigned int odd;	/* results whose hash differs from an earlier hash of the same file
				 */
	unsigned int repeated;
	struct nl events;
	struct task_losses lost;
	unsigned int again;	/* number of tasks that were put again, as they were lost */
	int start[2];
	int results[2];
	pid_t worker[NODES_MAX];
	FILE *loads;
	uint64_t began;
	uint64_t ended;
};

static struct jobs jobs = { .speed = 65536 };

/* --- files --- */

static size_t file_bytes(const struct jobs *j, const char *name, uint8_t *task)
{
	char path[4096];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", j->folder, name);
	f = fopen(path, "r");
	if (!f)
		err(1, "%s", path);
	n = fread(task, 1, JOB_BYTES_MAX + 1, f);
	if (ferror(f))
		err(1, "%s", path);
	if (n > JOB_BYTES_MAX)
		errx(1, "%s is too long for a task", path);
	fclose(f);
	return n;
}

static void files_read(struct jobs *j, const char *list)
{
	FILE *f = fopen(list, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	if (!f)
		err(1, "%s", list);
	while ((n = getline(&line, &size, f)) > 0) {
		line[n - 1] = '\0';
		j->file = reallocarray(j->file, j->n + 1, sizeof(*j->file));
		if (!j->file)
			err(1, "memory");
		j->file[j->n] = (struct file){ .name = strdup(line) };
		if (!j->file[j->n++].name)
			err(1, "memory");
	}
	free(line);
	fclose(f);
	if (!j->n)
		errx(1, "%s is empty", list);
}

/* --- producers --- */

/* Open a producer's socket at @node. Its send buffer has space for all tasks that one node may get.
 */
static int producer(const struct jobs *j, unsigned int node)
{
	int fd = shc_bound(j->fabric, node, SOCK_RDM);

	if (fd >= 0)
		task_buffer(fd, 1 << 26);
	return fd;
}

/* Put file number @job as a task, over socket @fd. */
static int put(struct jobs *j, int fd, uint32_t job)
{
	static uint8_t task[HYPERCUBE_TASK_MAX + 1];
	struct file *f = &j->file[job];
	int rc;

	memcpy(task, &job, sizeof(job));
	f->len = file_bytes(j, f->name, task + sizeof(job));
	rc = task_put(fd, task, sizeof(job) + f->len, HYPERCUBE_TASK_IDEMPOTENT);
	if (rc)
		return rc;
	f->puts++;
	return task_last(fd, &f->task);
}

/* Distribute the files: the k-th node in a random order gets 1 / k of the number of the first one.
 */
static void deal(struct jobs *j)
{
	unsigned int order[NODES_MAX], i, k;
	int fd[NODES_MAX], rc = 0;
	double sum = 0, at;

	for (i = 0; i < j->nnodes; i++) {
		k = below(i + 1);
		order[i] = order[k];
		order[k] = i;
		sum += 1. / (i + 1);
		fd[i] = producer(j, j->nodes[i]);
		if (fd[i] < 0)
			errx(1, "node %u: %s", j->nodes[i], strerror(-fd[i]));
	}
	for (i = 0; i < j->n && !rc; i++) {
		at = sum * (double)below(1u << 30) / (1u << 30);
		for (k = 0; k + 1 < j->nnodes && at >= 1. / (k + 1); k++)
			at -= 1. / (k + 1);
		rc = put(j, fd[order[k]], i);
	}
	if (rc)
		errx(1, "a task cannot be put: %s", strerror(-rc));
	for (i = 0; i < j->nnodes; i++)
		close(fd[i]);
}

/* Put file @job, whose task was lost, again: at the next node that accepts it. */
static void put_again(struct jobs *j, uint32_t job)
{
	unsigned int tries;
	int fd, rc = -EHOSTDOWN;

	for (tries = 0; tries < j->nnodes && rc; tries++) {
		fd = producer(j, j->nodes[j->next++ % j->nnodes]);
		if (fd < 0)
			continue;
		rc = put(j, fd, job);
		close(fd);
	}
	if (rc)
		errx(1, "%s was lost and cannot be put again: %s", j->file[job].name,
		     strerror(-rc));
	j->again++;
}

/* Read notifications of lost tasks, each of which has the id of a task. */
static void losses(struct jobs *j)
{
	unsigned int from = j->lost.n, i;
	int rc = task_losses_receive(&j->events, &j->lost, 0);

	if (rc)
		errx(1, "events were lost: %s", strerror(-rc));
	if (j->lost.count != j->lost.n)
		errx(1, "%llu tasks are lost, and only %u are named",
		     (unsigned long long)j->lost.count, j->lost.n);
	for (; from < j->lost.n; from++)
		for (i = 0; i < j->n; i++)
			if (j->file[i].task.node == j->lost.id[from].node &&
			    j->file[i].task.nr == j->lost.id[from].nr)
				put_again(j, i);
}

/* --- workers --- */

static void workers_fork(struct jobs *j)
{
	struct worker w = { .fabric = j->fabric, .speed = j->speed };
	pid_t parent = getpid();
	unsigned int i;

	/* Without O_CLOEXEC, processes that the command leaves in the background would hold these
	 * pipes open.
	 */
	if (pipe2(j->start, O_CLOEXEC) || pipe2(j->results, O_CLOEXEC))
		err(1, "pipe");
	w.start = j->start[0];
	w.results = j->results[1];
	fflush(NULL);
	for (i = 0; i < j->nnodes; i++) {
		j->worker[i] = fork();
		if (j->worker[i] < 0)
			err(1, "fork");
		if (j->worker[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* If the parent has ended before the call above, it sends no signal. */
		if (getppid() != parent)
			_exit(1);
		close(j->start[1]);
		close(j->results[0]);
		w.node = j->nodes[i];
		_exit(worker_run(&w));
	}
	close(j->start[0]);
}

static void workers_end(struct jobs *j)
{
	unsigned int i;

	for (i = 0; i < j->nnodes; i++)
		kill(j->worker[i], SIGKILL);
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

/* Read the result of a worker, and record it. */
static void result(struct jobs *j)
{
	struct job_result r;
	struct file *f;

	if (read(j->results[0], &r, sizeof(r)) != sizeof(r) || r.job >= j->n)
		errx(1, "a worker says something else");
	f = &j->file[r.job];
	j->repeated += r.repeated;
	if (f->times++) {
		j->odd += !!memcmp(f->sum, r.sum, sizeof(r.sum));
		return;
	}
	memcpy(f->sum, r.sum, sizeof(r.sum));
	j->left--;
	j->ended = now_ms();
}

/* --- loads --- */

/* Write the number of tasks in each queue to the file. Return: number of tasks in all queues. */
static uint64_t sample(struct jobs *j)
{
	struct task_view v;
	uint64_t all = 0;
	unsigned int u;

	fprintf(j->loads, "%.3f", (double)(now_ms() - j->began) / 1000);
	for (u = 0; u < 1u << j->dim; u++) {
		if (task_view(j->fabric, u, &v))
			errx(1, "fabric %s is gone", j->fabric);
		fprintf(j->loads, " %llu", (unsigned long long)(v.queued + v.held));
		all += v.queued + v.held;
	}
	fputc('\n', j->loads);
	return all;
}

/* Run until all files are hashed, and no task is left that a worker might execute again. */
static void work(struct jobs *j)
{
	struct pollfd p[] = {
		{ .fd = j->results[0], .events = POLLIN },
		{ .fd = j->events.fd, .events = POLLIN },
	};
	uint64_t due, all = j->n;

	for (due = j->began; j->left || all;) {
		if (now_ms() >= due) {
			all = sample(j);
			due += SAMPLE_MS;
		}
		if (now_ms() - j->began > STALL_TIMEOUT_MS)
			errx(1, "%u jobs are not done after %d s", j->left,
			     STALL_TIMEOUT_MS / 1000);
		if (poll(p, 2, now_ms() < due ? (int)(due - now_ms()) : 0) < 0)
			err(1, "poll");
		if (p[0].revents)
			result(j);
		if (p[1].revents)
			losses(j);
	}
}

/* --- results --- */

static FILE *output(const char *prefix, const char *what)
{
	char name[4096];
	FILE *f;

	snprintf(name, sizeof(name), "%s.%s", prefix, what);
	f = fopen(name, "w");
	if (!f)
		err(1, "%s", name);
	return f;
}

/* Write the hashes of all files. */
static void sums(const struct jobs *j, const char *prefix)
{
	FILE *f = output(prefix, "sums");
	unsigned int i, b;

	for (i = 0; i < j->n; i++) {
		for (b = 0; b < SHA256_DIGEST_LENGTH; b++)
			fprintf(f, "%02x", j->file[i].sum[b]);
		fprintf(f, "  %s\n", j->file[i].name);
	}
	if (fclose(f))
		err(1, "%s.sums", prefix);
}

/* Print the result. "doubled" is the number of files that were hashed more than once. "untold" is
 * the number of second and further hashes of files, minus the unresolved tasks and the results
 * marked as redelivered, each of which explains one such hash.
 */
static void report(const struct jobs *j)
{
	unsigned int i, doubled = 0, extra = 0, again = 0, unresolved = 0;
	size_t bytes = 0, longest = 0;

	for (i = 0; i < j->n; i++) {
		doubled += j->file[i].times > 1;
		extra += j->file[i].times - 1;
		again += j->file[i].puts > 1;
		bytes += j->file[i].len;
		longest = j->file[i].len > longest ? j->file[i].len : longest;
	}
	for (i = 0; i < j->lost.n; i++)
		unresolved += j->lost.loss[i] == HYPERCUBE_TASK_LOSS_UNRESOLVED;
	printf("{\"jobs\":%u,\"bytes\":%zu,\"longest\":%zu,\"workers\":%u,\"seconds\":%.3f,\"lost\":%u,\"doubt\":%u,\"put_again\":%u,\"repeated\":%u,\"doubled\":%u,\"untold\":%d,\"differ\":%u}\n",
	       j->n, bytes, longest, j->nnodes, (double)(j->ended - j->began) / 1000, j->lost.n,
	       unresolved, again, j->repeated, doubled,
	       extra > unresolved + j->repeated ? (int)(extra - unresolved - j->repeated) : 0,
	       j->odd);
}

static void run(struct jobs *j, const char *prefix)
{
	int rc = nl_open(&j->events) ?: nl_subscribe(&j->events);

	if (rc)
		errx(1, "no events: %s", strerror(-rc));
	j->loads = output(prefix, "loads");
	j->left = j->n;
	workers_fork(j);
	deal(j);
	j->began = now_ms();
	sample(j);
	if (j->command && system(j->command))
		errx(1, "\"%s\" failed", j->command);
	j->began = now_ms();
	close(j->start[1]);
	work(j);
	workers_end(j);
	if (fclose(j->loads))
		err(1, "%s.loads", prefix);
	sums(j, prefix);
	report(j);
}

static void usage(void)
{
	fputs("usage: jobs [-c COMMAND] [-v BYTES] FABRIC DIM NODES FOLDER LIST RESULT\n",
	      stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	struct jobs *j = &jobs;
	char *word;
	int c;

	while ((c = getopt(argc, argv, "c:v:")) != -1) {
		if (c == 'c')
			j->command = optarg;
		else if (c == 'v')
			j->speed = atof(optarg);
		else
			usage();
	}
	if (argc - optind != 6 || !(j->speed > 0))
		usage();
	argv += optind;
	j->fabric = argv[0];
	j->dim = atoi(argv[1]);
	for (word = strtok(argv[2], ","); word && j->nnodes < NODES_MAX; word = strtok(NULL, ","))
		j->nodes[j->nnodes++] = atoi(word);
	if (!j->nnodes || j->dim < 1 || j->dim > HYPERCUBE_DIM_MAX)
		usage();
	j->folder = argv[3];
	files_read(j, argv[4]);
	run(j, argv[5]);
	return 0;
}
