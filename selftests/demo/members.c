// SPDX-License-Identifier: GPL-2.0
/*
 * Runs one process for each member of a plan.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "members.h"

#define TIMEOUT_MS 60000

static uint32_t number(const char *word)
{
	char *end;
	unsigned long n = strtoul(word, &end, 0);

	if (end == word || *end || n > UINT32_MAX)
		errx(2, "'%s' is no number", word);
	return n;
}

void members_parse(struct members *m, char **argv)
{
	char *word;

	m->fabric = argv[0];
	m->plan = number(argv[1]);
	m->sink = number(argv[2]);
	m->open = NULL;
	m->count = 0;
	for (word = strtok(argv[3], ","); word; word = strtok(NULL, ",")) {
		if (m->count == MEMBERS_MAX)
			errx(2, "too many nodes");
		m->node[m->count++] = number(word);
	}
	if (!m->count)
		errx(2, "no nodes");
}

/* Open the member's handle, report that over @ready, wait for the start over @start, and run @job.
 */
static int child(const struct members *m, unsigned int index, int ready, int start,
		 int (*job)(struct member *me, void *arg), void *arg)
{
	struct member me = { .all = m, .index = index, .node = m->node[index] };
	int ret = (m->open ?: hcl_open)(&me.h, m->fabric, me.node);
	char c = 0;

	if (ret) {
		fprintf(stderr, "node %" PRIu32 ": cannot bind: %s\n", me.node, strerror(-ret));
		return 1;
	}
	hcl_set_timeout(me.h, TIMEOUT_MS);
	if (write(ready, &c, 1) != 1)
		return 1;
	close(ready);
	/* The parent closes the pipe as the signal to start. If it writes a byte instead, a member
	 * is missing.
	 */
	if (read(start, &c, 1))
		return 1;
	ret = job(&me, arg);
	fflush(NULL);
	hcl_close(me.h);
	return ret;
}

int members_run(const struct members *m, int (*job)(struct member *me, void *arg), void *arg)
{
	int ready[2], start[2], status, bad = 0;
	unsigned int i;
	char c;

	if (pipe(ready) || pipe(start))
		err(1, "pipe");
	fflush(NULL);
	for (i = 0; i < m->count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			close(ready[0]);
			close(start[1]);
			_exit(child(m, i, ready[1], start[0], job, arg));
		}
	}
	close(ready[1]);
	close(start[0]);
	/* A process that ends closes its end of the pipe, so this loop never waits for a process
	 * that has ended.
	 */
	for (i = 0; i < m->count && read(ready[0], &c, 1) == 1; i++)
		;
	if (i < m->count) {
		static const char stop[MEMBERS_MAX];

		bad = write(start[1], stop, m->count) <= 0;
	}
	close(start[1]);
	while (wait(&status) > 0)
		bad |= !WIFEXITED(status) || WEXITSTATUS(status);
	close(ready[0]);
	return bad;
}

bool member_is_sink(const struct member *me)
{
	return me->node == me->all->sink;
}

void member_share(const struct member *me, size_t total, size_t *begin, size_t *end)
{
	*begin = total * me->index / me->all->count;
	*end = total * (me->index + 1) / me->all->count;
}

int member_reduce(struct member *me, unsigned int oper, unsigned int type, uint32_t width,
		  const void *in, size_t bytes, void *out, size_t out_max, size_t *got)
{
	struct hcl_params p = {
		.plan = me->all->plan, .oper = oper, .type = type, .width = width,
		.flags = HYPERCUBE_F_NOTIFY,
	};
	struct hypercube_result res;
	char text[160];
	int ret = hcl_reduce(me->h, &p, in, bytes, out, out_max, &res);

	if (ret) {
		fprintf(stderr, "node %" PRIu32 ": %s\n", me->node,
			res.status ? hcl_describe(&res, text, sizeof(text)) : strerror(-ret));
		return 1;
	}
	if (got)
		*got = res.bytes;
	if (member_is_sink(me))
		printf("steps %" PRIu32 " clock %" PRIu32 " time %" PRIu64 " bytes %" PRIu64 "\n",
		       res.steps, res.clock, (uint64_t)res.time, (uint64_t)res.bytes);
	return 0;
}

char *file_read(const char *name, size_t *bytes)
{
	FILE *f = fopen(name, "r");
	size_t max = 1 << 16, n = 0;
	char *buf = malloc(max);

	if (!f)
		err(1, "%s", name);
	for (;;) {
		if (!buf)
			err(1, "%s", name);
		n += fread(buf + n, 1, max - n, f);
		if (n < max)
			break;
		max *= 2;
		buf = realloc(buf, max);
	}
	if (ferror(f))
		err(1, "%s", name);
	fclose(f);
	*bytes = n;
	return buf;
}

void text_job_read(struct members *m, struct text_job *j, int argc, char **argv)
{
	if (argc != 7)
		errx(2, "usage: %s FABRIC PLAN SINK NODES TEXT RESULT", argv[0]);
	members_parse(m, argv + 1);
	j->text = file_read(argv[5], &j->bytes);
	j->result = argv[6];
}
