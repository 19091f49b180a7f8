// SPDX-License-Identifier: GPL-2.0
/*
 * Guards of programs for their own plans. "hcctl guard" makes a new plan after a fault; the library
 * runs it as a child process until the program ends.
 *
 * Only the program has the writing end of a pipe. The child has the reading end, and requests
 * SIGTERM as the signal for events on it (F_SETSIG). Whatever ends the program, the kernel then
 * closes the writing end, so the guard ends, too. (PR_SET_PDEATHSIG would also end the guard when
 * only the thread that has forked it ends.)
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plan_impl.h"

#define SAID_MAX	512

/**
 * struct hcl_guard - a guard
 * @pid: its process
 * @life: writing end of a pipe; the guard runs until this end is closed
 * @said: reading end of a pipe with the guard's standard error
 * @fabric: fabric of the plan
 * @id: the plan
 */
struct hcl_guard {
	pid_t pid;
	int life;
	int said;
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t id;
};

/* The three pipes: LIFE and SAID are for hcl_guard.life and .said; on BEGUN the child reports that
 * it could not start. Of each pipe, index 0 is the reading end, and index 1 the writing end.
 */
enum { LIFE, SAID, BEGUN, PIPES };

/* Close all ends of the pipes that are open. */
static void shut(int pipes[PIPES][2])
{
	int i;

	for (i = 0; i < PIPES; i++) {
		if (pipes[i][0] >= 0)
			close(pipes[i][0]);
		if (pipes[i][1] >= 0)
			close(pipes[i][1]);
	}
}

/* Move a descriptor above those of standard input, output and error. If the program has closed some
 * of these, a new file gets one of their numbers, but the child uses these numbers for other files.
 */
static int lift(int *fd)
{
	int low = *fd;

	if (low >= 0 && low <= 2) {
		*fd = fcntl(low, F_DUPFD_CLOEXEC, 3);
		close(low);
	}
	return *fd < 0 ? -1 : 0;
}

static int open_pipe(int ends[2], int flags)
{
	return pipe2(ends, flags) || lift(&ends[0]) || lift(&ends[1]) ? -1 : 0;
}

static int open_all(int pipes[PIPES][2])
{
	memset(pipes, 0xff, PIPES * sizeof(*pipes));
	/* SAID is non-blocking: a guard that writes more than the program reads must not block. */
	if (!open_pipe(pipes[LIFE], O_CLOEXEC) &&
	    !open_pipe(pipes[SAID], O_CLOEXEC | O_NONBLOCK) &&
	    !open_pipe(pipes[BEGUN], O_CLOEXEC))
		return 0;
	return -errno;
}

/* Make the child end when the program ends. The program may have had other threads when it forked,
 * so the child uses only system calls.
 */
static int follow(int life)
{
	struct pollfd pfd = { .fd = life };
	sigset_t none;

	sigemptyset(&none);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	/* The program's sockets must be closed when it ends, even if the child lives longer. Old
	 * kernels do not have this call.
	 */
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	if (sigprocmask(SIG_SETMASK, &none, NULL) || setpgid(0, 0) ||
	    fcntl(life, F_SETOWN, getpid()) || fcntl(life, F_SETSIG, SIGTERM) ||
	    fcntl(life, F_SETFL, O_ASYNC))
		return -1;
	/* The program may have ended before SIGTERM was requested. */
	if (poll(&pfd, 1, 0) > 0)
		_exit(0);
	return 0;
}

/* In the child: execute the guard, or report the error on the pipe BEGUN. */
static void become(char *const *argv, int pipes[PIPES][2])
{
	int null;

	close(pipes[LIFE][1]);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (!lift(&null) && dup2(null, 1) >= 0 && dup2(pipes[SAID][1], 2) >= 0 &&
	    dup2(pipes[LIFE][0], 0) >= 0 && !follow(0))
		execvp(*argv, argv);
	if (write(pipes[BEGUN][1], &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

/* Fork, and execute the guard in the child. Return: the child's process id, or -errno. */
static pid_t start(char *const *argv, int pipes[PIPES][2])
{
	pid_t pid = fork();
	int err = 0;

	if (pid < 0)
		return -errno;
	if (!pid)
		become(argv, pipes);
	close(pipes[BEGUN][1]);
	pipes[BEGUN][1] = -1;
	while (read(pipes[BEGUN][0], &err, sizeof(err)) < 0 && errno == EINTR)
		;
	if (err)
		waitpid(pid, NULL, 0);
	return err ? -err : pid;
}

static int guard_start(struct hcctl *h, struct hcl_guard *g)
{
	char id[16];
	char *const argv[] = { "hcctl", "guard", g->fabric, "plan", id, NULL };
	int pipes[PIPES][2];
	int rc = open_all(pipes);

	snprintf(id, sizeof(id), "%u", g->id);
	g->pid = rc ? rc : start(argv, pipes);
	if (g->pid > 0) {
		g->life = pipes[LIFE][1];
		g->said = pipes[SAID][0];
		pipes[LIFE][1] = -1;
		pipes[SAID][0] = -1;
	} else {
		hc_error(h, "hcctl guard cannot be started: %s", strerror(-g->pid));
	}
	shut(pipes);
	return g->pid > 0 ? 0 : g->pid == -ENOENT ? -ENOEXEC : g->pid;
}

/* Check that the program may start a guard, and that the plan is guarded. */
static int check(struct hcctl *h, const char *fabric, uint32_t id)
{
	struct nl_fabric info;
	struct nl_plan v = {};
	int rc;

	/* PATH, and the rest of the environment that hcctl reads, are under the user's control. */
	if (getauxval(AT_SECURE)) {
		hc_error(h, "a program with more rights than its user may not start hcctl guard");
		return -EPERM;
	}
	rc = hcli_plan_look(h, fabric, id, &info, &v);
	if (!rc && !v.guard) {
		hc_error(h, "plan %u is not guarded: its members wait for no next epoch", id);
		rc = -EINVAL;
	}
	nl_plan_clear(&v);
	return rc;
}

int hcl_guard(struct hcl_guard **guard, const char *fabric, uint32_t id)
{
	struct hcctl h = hcli_plan_context();
	struct hcl_guard *g = calloc(1, sizeof(*g));
	int rc = g ? check(&h, fabric, id) : hc_nomem(&h);

	if (!rc) {
		snprintf(g->fabric, sizeof(g->fabric), "%s", fabric);
		g->id = id;
		rc = guard_start(&h, g);
	}
	nl_leave(&h);
	if (rc)
		free(g);
	else
		*guard = g;
	return rc;
}

int hcl_guard_fd(const struct hcl_guard *guard)
{
	return guard->said;
}

/* Return: the last line that the guard has written, or NULL. */
static const char *last_line(int fd, char text[SAID_MAX + 1])
{
	size_t len = 0;
	ssize_t n;
	char *line;

	while ((n = read(fd, text + len, SAID_MAX - len)) > 0) {
		len += n;
		/* If the text is too long, keep only its second half. */
		if (len == SAID_MAX) {
			memmove(text, text + SAID_MAX / 2, SAID_MAX - SAID_MAX / 2);
			len = SAID_MAX - SAID_MAX / 2;
		}
	}
	while (len && text[len - 1] == '\n')
		len--;
	text[len] = '\0';
	line = strrchr(text, '\n');
	return len ? (line ? line + 1 : text) : NULL;
}

/* Return: true if the guard's process has ended before hcl_guard_end() ends it. */
static bool has_ended(const struct hcl_guard *g)
{
	siginfo_t info = {};

	return waitid(P_PID, g->pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

int hcl_guard_end(struct hcl_guard *guard)
{
	struct hcctl h = hcli_plan_context();
	char text[SAID_MAX + 1];
	const char *line;
	bool ended;

	if (!guard)
		return 0;
	ended = has_ended(guard);
	/* When the writing end is closed, the kernel sends SIGTERM to the guard, but not if another
	 * child of the program has inherited that end.
	 */
	if (!ended)
		kill(guard->pid, SIGTERM);
	close(guard->life);
	while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	line = last_line(guard->said, text);
	if (ended)
		hc_error(&h, "the guard of plan %u of fabric %s has ended: %s", guard->id,
			 guard->fabric, line ? line : "it was killed");
	else if (line)
		hc_error(&h, "%s", line);
	close(guard->said);
	free(guard);
	return ended ? -ECHILD : 0;
}
