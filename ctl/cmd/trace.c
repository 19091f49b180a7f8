// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl trace: a time line of a fabric.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"

static void on_signal(int sig)
{
	(void)sig;
}

/* Until the time is over, or Ctrl-C. */
static int wait_for(uint64_t ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&t, NULL);
	return 0;
}

/* In the child; @said closes when the command runs, and says before why it does not. */
static void become(char **argv, int said)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	execvp(*argv, argv);
	if (write(said, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

/* Its process, or a negative errno. */
static pid_t start_command(char **argv)
{
	int said[2], err;
	ssize_t n;
	pid_t pid;

	if (pipe2(said, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		become(argv, said[1]);
	err = pid < 0 ? errno : 0;
	close(said[1]);
	do
		n = read(said[0], &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close(said[0]);
	if (err && pid > 0)
		waitpid(pid, NULL, 0);
	return err ? -err : pid;
}

/* The terminal's signals are for the command; we go on and write what there is.  Negative:
 * it was not started.
 */
static int run_command(struct hcctl *h, char **argv)
{
	pid_t pid = start_command(argv);
	int status = 0;

	if (pid < 0) {
		hc_error(h, "cannot start %s: %s", *argv, strerror(-pid));
		return pid;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (WIFSIGNALED(status))
		hc_error(h, "%s: %s", *argv, strsignal(WTERMSIG(status)));
	else
		hc_error(h, "%s ended with status %d", *argv, WEXITSTATUS(status));
	return HC_NO;
}

static int write_line(struct hcctl *h, struct trace_session *s, const char *file,
		      const struct nl_fabric *fabric, struct trace_counts *n)
{
	FILE *in = trace_read(h, s), *out;
	int rc;

	if (!in)
		return HC_NO;
	out = fopen(file, "we");
	if (!out) {
		hc_error(h, "cannot write %s: %s", file, strerror(errno));
		fclose(in);
		return HC_NO;
	}
	rc = trace_print(in, out, fabric, n) ? hc_nomem(h) : 0;
	if (!rc && (fflush(out) || ferror(out))) {
		hc_error(h, "cannot write %s: %s", file, strerror(errno));
		rc = HC_NO;
	}
	fclose(out);
	fclose(in);
	if (rc)
		unlink(file);
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

/* Arguments of the command. */
struct request {
	const char *fabric;
	const char *file;
	uint64_t duration;
	char **command;
};

static int record(struct hcctl *h, const struct request *q)
{
	struct trace_session *s;
	struct trace_counts n;
	struct nl_fabric f;
	uint64_t lost;
	int rc, done;

	rc = nl_fabric(h, q->fabric, &f);
	if (rc)
		return rc;
	s = trace_open(h, f.index);
	if (!s)
		return HC_NO;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	rc = trace_start(h, s);
	if (!rc) {
		done = q->command ? run_command(h, q->command) : wait_for(q->duration);
		trace_stop(s);
		lost = trace_lost(s);
		rc = done < 0 ? done : write_line(h, s, q->file, &f, &n);
		if (!rc)
			report(h, q->file, &n, lost);
		rc = rc ?: done;
	}
	trace_close(s);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	return rc;
}

/* Cut the words at "--"; what follows is the command, or NULL. */
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
