// SPDX-License-Identifier: GPL-2.0
/*
 * Running hcctl on other hosts by ssh, as mpirun does, or in network namespaces of this machine.
 *
 * The standard input, output and error of such an hcctl are files in memory. So neither of the two
 * processes has to wait until the other one reads.
 *
 * While this process runs, all commands to a host share one ssh connection.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cluster/cluster.h"

/* Maximum size of a command's output in bytes. */
#define OUTPUT_MAX (64 << 20)
/* Time, in milliseconds, in which a command may still end after a signal has arrived. */
#define GRACE 10000

/* --- its arguments --- */

/**
 * struct command - the command line of a process on this machine: hcctl or ssh
 * @words: its arguments; NULL ends them
 * @n: number of arguments
 * @line: with ssh: the command line for the shell of the other host, to be freed
 * @path: with ssh: the option with the path of the shared connection's socket
 */
struct command {
	const char *words[REMOTE_WORDS + 24];
	size_t n;
	char *line;
	char path[64];
};

static void add(struct command *v, const char *word)
{
	v->words[v->n++] = word;
}

/* Print a space and the word @word in quotes, so that a shell takes it unchanged. */
static void put_quoted(FILE *f, const char *word)
{
	fputs(" '", f);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", f);
		else
			fputc(*word, f);
	fputc('\'', f);
}

static int line_make(struct hcctl *h, struct command *v, const struct cluster_host *host,
		     const struct remote_call *call)
{
	const char * const *word;
	size_t size;
	FILE *f = open_memstream(&v->line, &size);

	if (!f)
		return hc_nomem(h);
	fputs("hcctl", f);
	if (!call->text)
		fputs(" -j", f);
	if (host->netns) {
		fputs(" -n", f);
		put_quoted(f, host->netns);
	}
	for (word = call->words; *word; word++)
		put_quoted(f, *word);
	return fclose(f) ? hc_nomem(h) : 0;
}

static int by_ssh(struct hcctl *h, const struct cluster *c, const struct cluster_host *host,
		  const struct remote_call *call, struct command *v)
{
	int rc = line_make(h, v, host, call);

	add(v, c->ssh);
	add(v, "-oBatchMode=yes");
	add(v, "-oConnectTimeout=10");
	add(v, "-oServerAliveInterval=5");
	if (*c->ssh_dir) {
		snprintf(v->path, sizeof(v->path), "-oControlPath=%s/%%C", c->ssh_dir);
		add(v, v->path);
		add(v, "-oControlMaster=auto");
		add(v, "-oControlPersist=60");
	}
	add(v, "--");
	add(v, host->ssh);
	add(v, v->line);
	return rc;
}

static void by_ourselves(const struct cluster_host *host, const struct remote_call *call,
			 struct command *v)
{
	const char * const *word;

	add(v, "/proc/self/exe");
	if (!call->text)
		add(v, "-j");
	if (host->netns) {
		add(v, "-n");
		add(v, host->netns);
	}
	for (word = call->words; *word; word++)
		add(v, *word);
}

/* --- running it --- */

static int file_of(struct hcctl *h, const char *text)
{
	int fd = memfd_create("hcctl", MFD_CLOEXEC);
	size_t len = text ? strlen(text) : 0;

	if (fd >= 0 && write(fd, text, len) == (ssize_t)len && !lseek(fd, 0, SEEK_SET))
		return fd;
	hc_error(h, "cannot make a file in memory: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

static void files_close(struct remote *r)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (r->fd[i] >= 0)
			close(r->fd[i]);
}

/* Execute the command, in the child process. The child has a process group of its own, so signals
 * from the terminal do not reach it.
 */
static void become(const struct remote *r, const struct command *v)
{
	int i;

	setpgid(0, 0);
	for (i = 0; i < 3; i++)
		dup2(r->fd[i], i);
	execvp(v->words[0], (char **)v->words);
	fprintf(stderr, "cannot run %s: %s\n", v->words[0], strerror(errno));
	_exit(127);
}

int remote_start(struct hcctl *h, const struct cluster *c, const struct cluster_host *host,
		 const struct remote_call *call, struct remote *r)
{
	struct command v = {};
	unsigned int i;
	int rc = 0;

	*r = (struct remote){ .host = host, .fd = { -1, -1, -1 } };
	for (i = 0; !rc && i < 3; i++) {
		r->fd[i] = file_of(h, i ? NULL : call->input);
		rc = r->fd[i] < 0 ? HC_NO : 0;
	}
	if (host->ssh)
		rc = rc ?: by_ssh(h, c, host, call, &v);
	else
		by_ourselves(host, call, &v);
	fflush(stdout);
	r->pid = rc ? 0 : fork();
	if (!r->pid && !rc)
		become(r, &v);
	if (r->pid < 0) {
		hc_error(h, "cannot fork: %s", strerror(errno));
		rc = HC_NO;
	}
	free(v.line);
	if (rc) {
		r->pid = 0;
		files_close(r);
	}
	return rc;
}

/* Wait until the process @pid ends. If a signal that ends this process has arrived, the process
 * gets GRACE ms to end, and is then killed. Return: its wait status.
 */
static int wait_for(pid_t pid)
{
	struct pollfd p = { .fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int status = 0, n = -1;

	while (p.fd >= 0 && n < 0)
		n = poll(&p, 1, cmd_signals_came() ? GRACE : -1);
	if (!n)
		kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (p.fd >= 0)
		close(p.fd);
	return status;
}

/* Return: the contents of a file, to be freed; NULL if there is no memory or the file is too large.
 */
static char *all_of(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text;
	ssize_t n;

	if (size < 0 || size > OUTPUT_MAX)
		return NULL;
	text = malloc(size + 1);
	n = text ? pread(fd, text, size, 0) : -1;
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = 0;
	return text;
}

/* --- its output --- */

/* Print a line of a command's standard error. If the line is not from hcctl, it is a warning if the
 * command has succeeded: ssh prints warnings, too. @failed: the command has failed. Return: true if
 * the line is an error.
 */
static bool say_line(struct hcctl *h, const char *line, bool failed)
{
	struct json_object *o = json_tokener_parse(line);
	const char *error = cluster_text(o, "error"), *warning = cluster_text(o, "warning");
	bool is_error = *error || (failed && !*warning);

	if (is_error)
		hc_error(h, "%s", *error ? error : line);
	else
		hc_warn(h, "%s", *warning ? warning : line);
	json_object_put(o);
	return is_error;
}

static void say_all(struct hcctl *h, char *text, int status)
{
	char *rest = text, *line;
	bool said = false;

	while (rest && (line = strsep(&rest, "\r\n")))
		if (*line == '{' || (*line && !strncmp(line, "hcctl: ", 7)))
			said |= say_line(h, *line == '{' ? line : line + 7, status);
		else if (*line)
			said |= say_line(h, line, status);
	if (status && !said && WIFSIGNALED(status))
		hc_error(h, "a signal has ended it: %s", strsignal(WTERMSIG(status)));
	else if (status && !said)
		hc_error(h, "it ended with status %d", WEXITSTATUS(status));
}

int remote_end(struct hcctl *h, struct remote *r, char **said)
{
	struct hc_where at = { .text = r->host->name };
	int status = wait_for(r->pid);
	char *complaints = all_of(r->fd[STDERR_FILENO]);

	*said = all_of(r->fd[STDOUT_FILENO]);
	hc_enter(h, &at);
	say_all(h, complaints, status);
	hc_leave(h, &at);
	free(complaints);
	files_close(r);
	return status ? HC_NO : 0;
}

/* --- several --- */

static struct json_object *parsed(char *said)
{
	struct json_object *o = said && *said ? json_tokener_parse(said) : NULL;

	free(said);
	return o;
}

int remote_one(struct hcctl *h, const struct cluster *c, size_t i, const struct remote_call *call,
	       struct json_object **said)
{
	struct remote r;
	char *text = NULL;
	int rc = remote_start(h, c, &c->host[i], call, &r) ?: remote_end(h, &r, &text);
	struct json_object *o = parsed(text);

	if (said)
		*said = o;
	else
		json_object_put(o);
	return rc;
}

int remote_all(struct hcctl *h, const struct cluster *c, const struct remote_call *call,
	       const bool *to, char * const *input, struct json_object **said)
{
	struct remote *v = calloc(c->nhosts, sizeof(*v));
	struct remote_call what = *call;
	int rc = v ? 0 : hc_nomem(h);
	char *text;
	size_t i;

	for (i = 0; i < c->nhosts; i++)
		said[i] = NULL;
	for (i = 0; !rc && i < c->nhosts; i++) {
		if (input)
			what.input = input[i];
		if (!to || to[i])
			rc = remote_start(h, c, &c->host[i], &what, &v[i]);
	}
	for (i = 0; v && i < c->nhosts; i++) {
		if (!v[i].pid)
			continue;
		text = NULL;
		rc = remote_end(h, &v[i], &text) ?: rc;
		said[i] = parsed(text);
	}
	free(v);
	return rc;
}

void remote_free(const struct cluster *c, struct json_object **said)
{
	size_t i;

	for (i = 0; said && i < c->nhosts; i++)
		json_object_put(said[i]);
	free(said);
}

/* Close the shared connections. Otherwise the ssh process of each connection would stay for a
 * minute.
 */
void remote_close(struct cluster *c)
{
	const struct cluster_host *host;
	char path[64];
	pid_t pid;
	int null;

	if (!*c->ssh_dir)
		return;
	snprintf(path, sizeof(path), "-oControlPath=%s/%%C", c->ssh_dir);
	for (host = c->host; host && host < c->host + c->nhosts; host++) {
		pid = host->ssh ? fork() : -1;
		if (!pid) {
			null = open("/dev/null", O_RDWR);
			dup2(null, STDIN_FILENO);
			dup2(null, STDOUT_FILENO);
			dup2(null, STDERR_FILENO);
			execlp(c->ssh, c->ssh, path, "-Oexit", "--", host->ssh, NULL);
			_exit(127);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	rmdir(c->ssh_dir);
	*c->ssh_dir = 0;
}
