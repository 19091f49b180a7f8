// SPDX-License-Identifier: GPL-2.0
/*
 * Runs hcctl as a child process.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "soak.h"

static char said[512];

const char *hcctl_said(void)
{
	return said;
}

static void child(char *line, int out)
{
	char *argv[200], *word;
	int n = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(out, 1);
	dup2(out, 2);
	argv[n++] = "hcctl";
	for (word = strtok(line, " "); word && n < 199; word = strtok(NULL, " "))
		argv[n++] = word;
	argv[n] = NULL;
	signal(SIGINT, SIG_IGN);
	execvp(argv[0], argv);
	_exit(127);
}

/* Read the output of the child until it closes its end of the pipe. Return: false if this takes
 * longer than @ms.
 */
static bool read_all(int fd, char *out, size_t room, uint64_t ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t end = now_ms() + ms;
	char waste[256];
	size_t n = 0;
	ssize_t got;

	for (;;) {
		uint64_t now = now_ms();

		if (now >= end)
			return false;
		if (poll(&p, 1, (int)(end - now)) <= 0)
			continue;
		if (n + 1 < room)
			got = read(fd, out + n, room - 1 - n);
		else
			got = read(fd, waste, sizeof(waste));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		if (n + 1 < room)
			n += (size_t)got;
	}
	out[n] = 0;
	return true;
}

/* Run hcctl; @out gets its output. Return: its exit status, or -1 if it does not end within a
 * minute.
 */
int hcctl(char *out, size_t room, const char *format, ...)
{
	char line[4096], text[512];
	int fds[2], status;
	va_list ap;
	bool ended;
	pid_t pid;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	if (!out) {
		out = text;
		room = sizeof(text);
	}
	if (pipe(fds))
		return -1;
	pid = fork();
	if (!pid)
		child(line, fds[1]);
	close(fds[1]);
	ended = read_all(fds[0], out, room, 60000);
	close(fds[0]);
	if (!ended)
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	snprintf(said, sizeof(said), "%s", ended ? out : "it hangs");
	said[strcspn(said, "\n")] = 0;
	return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Read the numbers of the array, or the single number, that is the JSON member @name. Return: how
 * many numbers were read.
 */
int json_numbers(const char *json, const char *name, uint32_t *out, int room)
{
	static const char gaps[] = { ' ', ',', '\t', '\n', 0 };
	char key[64], *end;
	const char *at;
	bool array;
	int n = 0;

	snprintf(key, sizeof(key), "\"%s\":", name);
	at = strstr(json, key);
	if (!at)
		return -1;
	at += strlen(key);
	at += strspn(at, gaps);
	array = *at == '[';
	at += array;
	while (n < room) {
		at += strspn(at, gaps);
		out[n] = (uint32_t)strtoul(at, &end, 10);
		if (end == at)
			break;
		n++;
		at = end;
		if (!array)
			break;
	}
	return n;
}

/* Run an hcctl command that changes the configuration. The kernel should refuse none of these.
 * Return: true if the command succeeded.
 */
bool config(struct soak *s, const char *format, ...)
{
	char line[4096];
	va_list ap;
	int status;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	status = hcctl(NULL, 0, "%s", line);
	if (!status)
		return true;
	complain(s->w, "hcctl %s: status %d: %s", line, status, said);
	atomic_fetch_add(&s->w->bad, 1);
	return false;
}
