// SPDX-License-Identifier: GPL-2.0
/*
 * Usage: hc_tty MS COMMAND..
 *
 * Runs COMMAND on a terminal of 24 lines, types Ctrl-C after MS ms, and prints what the command
 * wrote there. The exit status is that of the command, or 128 plus the number of the signal that
 * ended it.
 */
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CTRL_C "\003"
/* If the command has not ended this many ms after Ctrl-C, it is killed, and the exit status is that
 * of SIGKILL.
 */
#define PATIENCE 10000

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Copy from the terminal @fd to standard output until no process has the terminal open. Type Ctrl-C
 * at the time @end; kill process @pid if it does not end after that. Return: 0, or -1 on an error.
 */
static int copy(int fd, pid_t pid, long end)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool typed = false;
	char buf[4096];
	ssize_t n;

	for (;;) {
		long left = end - now();

		if (left > 0 && poll(&p, 1, left) < 0)
			return -1;
		if (left <= 0 && typed)
			return kill(pid, SIGKILL);
		if (left <= 0) {
			typed = true;
			end += PATIENCE;
			if (write(fd, CTRL_C, 1) != 1)
				return -1;
			continue;
		}
		if (!p.revents)
			continue;
		n = read(fd, buf, sizeof(buf));
		if (n <= 0)
			return 0;
		if (fwrite(buf, 1, n, stdout) != (size_t)n)
			return -1;
	}
}

int main(int argc, char **argv)
{
	const struct winsize size = { .ws_row = 24, .ws_col = 80 };
	int fd, status;
	pid_t pid;

	if (argc < 3)
		return 2;
	pid = forkpty(&fd, NULL, NULL, &size);
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || copy(fd, pid, now() + atol(argv[1])) || waitpid(pid, &status, 0) != pid) {
		perror("hc_tty");
		return 2;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
