// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl trace: a time line of a fabric.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "file.h"
#include "trace.h"

/* Wait for @ns nanoseconds, or until one of @signals arrives. Return: 0. */
static int wait_for(uint64_t ns, const sigset_t *signals)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	while (sigtimedwait(signals, NULL, &t) < 0 && errno == EINTR)
		;
	return 0;
}

/* Run the command @argv, and wait until it ends. Return: its exit status, or a negative errno if it
 * could not be started.
 */
static int run_command(struct hcctl *h, char **argv, const sigset_t *signals)
{
	sigset_t child, before, none;
	int status, rc = 0;
	pid_t pid;

	sigemptyset(&none);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	signal(SIGCHLD, SIG_DFL);
	pid = cmd_child_start(argv, &none);
	if (pid < 0) {
		hc_error(h, "cannot start %s: %s", *argv, strerror(-pid));
		rc = pid;
	}
	status = rc ? 0 : cmd_child_wait(pid, signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!status)
		return rc;
	if (WIFSIGNALED(status))
		hc_error(h, "%s: %s", *argv, strsignal(WTERMSIG(status)));
	else
		hc_error(h, "%s ended with status %d", *argv, WEXITSTATUS(status));
	return HC_NO;
}

static int write_line(struct hcctl *h, struct trace_session *s, FILE *out,
		      const struct nl_fabric *fabric, struct trace_counts *n)
{
	FILE *in = trace_read(h, s);
	int rc;

	if (!in)
		return HC_NO;
	rc = trace_print(in, out, fabric, n) ? hc_nomem(h) : 0;
	fclose(in);
	return rc;
}

static void report(struct hcctl *h, const char *file, const struct trace_counts *n, uint64_t lost)
{
	out_object(h, NULL);
	out_str(h, "file", "%s:", file);
	out_uint(h, "hops", " hops %" PRIu64, n->hops);
	out_uint(h, "lost_hops", " lost %" PRIu64, n->lost_hops);
	out_uint(h, "merges", " merges %" PRIu64, n->merges);
	out_uint(h, "operations", " operations %" PRIu64, n->operations);
	out_uint(h, "drops", " drops %" PRIu64 "\n", n->drops);
	out_uint(h, "missed_events", NULL, lost);
	out_close(h);
	if (lost)
		hc_warn(h, "%" PRIu64 " events did not fit into the buffer: trace less", lost);
}

/* The outcome of a recording. */
struct recorded {
	struct nl_fabric fabric;	/* the fabric that was recorded */
	struct trace_counts counts;	/* number of recorded events of each kind */
	uint64_t lost;			/* number of events that did not fit the buffer */
	int done;			/* 0, an exit status, or a negative errno if the command
					 * could not be started
					 */
};

/* Values of the keywords, and the command. */
struct request {
	const char *fabric;
	const char *file;	/* name of the file for the recording */
	uint64_t duration;	/* duration of the recording in ns, if there is no command */
	char **command;		/* the command after "--", or NULL */
};

/* Record while the command runs, or if there is no command, for the given time. Write the recording
 * to @out, and its outcome to @r.
 */
static int session(struct hcctl *h, const struct request *q, FILE *out, const sigset_t *signals,
		   struct recorded *r)
{
	struct trace_session *s = trace_open(h, r->fabric.index);
	int rc;

	if (!s)
		return HC_NO;
	rc = trace_start(h, s);
	if (!rc) {
		r->done = q->command ? run_command(h, q->command, signals) :
				       wait_for(q->duration, signals);
		trace_stop(s);
		r->lost = trace_lost(s);
		rc = r->done < 0 ? r->done : write_line(h, s, out, &r->fabric, &r->counts);
	}
	trace_close(s);
	return rc;
}

/* Make a recording. A signal ends the recording. The process ends by the signal only after it has
 * cleaned up.
 */
static int record(struct hcctl *h, const struct request *q)
{
	struct recorded r = {};
	sigset_t signals, before;
	struct file_new *file;
	int rc, written;

	rc = nl_fabric(h, q->fabric, &r.fabric) ?:
	     live_need_cube(h, q->fabric, r.fabric.dim, "a trace");
	if (rc)
		return rc;
	file = file_create(h, q->file);
	if (!file)
		return HC_NO;
	cmd_signals_ending(&signals);
	sigprocmask(SIG_BLOCK, &signals, &before);
	rc = session(h, q, file_stream(file), &signals, &r);
	written = file_finish(h, file, !rc);
	rc = rc ?: written;
	if (!rc)
		report(h, q->file, &r.counts, r.lost);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc ?: r.done;
}

/* Cut the arguments off at "--". Return: the command that follows "--", or NULL. */
static char **cut(int *argc, char **argv)
{
	int i;

	for (i = 0; i < *argc; i++)
		if (!strcmp(argv[i], "--")) {
			*argc = i;
			return argv + i + 1;
		}
	return NULL;
}

static int trace(struct hcctl *h, int argc, char **argv)
{
	struct request q = { .command = cut(&argc, argv) };
	struct arg args[] = {
		{ "-o", arg_str, &q.file, .required = true },
		{ "duration", arg_time, &q.duration },
		{}
	};

	q.fabric = hc_take_fabric(h, &argc, &argv);
	if (!q.fabric || hc_args(h, args, argc, argv))
		return HC_USAGE;
	if (q.command && !*q.command)
		return hc_missing(h, "COMMAND after \"--\"");
	if (!q.command && !q.duration)
		return hc_missing(h, "\"duration\" or \"-- COMMAND\"");
	if (q.command && q.duration)
		return hc_unknown(h, "duration");
	return record(h, &q);
}

const struct hc_cmd trace_cmds[] = {
	{ NULL, trace, "NAME -o FILE.json { duration TIME | -- COMMAND [ARG..] }" },
	{}
};
