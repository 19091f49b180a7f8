// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl trace: recording. It uses an instance of tracefs, which has its own buffers and settings,
 * so that other users of tracing are not disturbed. The instance is removed when this process ends
 * normally; remove_left() removes instances of killed processes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace.h"

#define TRACEFS "/sys/kernel/tracing"
/* Size of the trace buffer of each processor, in KiB. */
#define BUFFER_KB "16384"

/* An instance of tracefs. */
struct trace_session {
	char path[128];		/* folder of the instance */
	char filter[64];	/* filter that selects the events of the fabric */
	int lock;		/* descriptor that holds the lock of the instance */
};

/* Write @value to the file @file of the instance. Return: 0 or a negative errno. */
static int put(const struct trace_session *s, const char *file, const char *value)
{
	char path[PATH_MAX];
	FILE *f;
	int err = 0;

	snprintf(path, sizeof(path), "%s/%s", s->path, file);
	f = fopen(path, "we");
	if (!f)
		return -errno;
	if (fputs(value, f) < 0 || fflush(f))
		err = -errno;
	if (fclose(f) && !err)
		err = -errno;
	return err;
}

static int complain(struct hcctl *h, const char *what, int err)
{
	hc_error(h, "cannot %s: %s", what, strerror(-err));
	return HC_NO;
}

/* Return: why tracing is not possible; NULL if it is possible. */
static const char *obstacle(void)
{
	if (access(TRACEFS "/events", F_OK))
		return errno == EACCES ? "no permission to trace" :
		       "no tracing at " TRACEFS "; is tracefs mounted there?";
	if (access(TRACEFS "/events/hypercube", F_OK))
		return "the module has no tracepoints: this kernel was built without them";
	if (access(TRACEFS "/instances", W_OK))
		return "no permission to trace";
	return NULL;
}

/* The folder of instances, and the beginning of the names of hcctl's. As long as a process uses its
 * instance, it holds a lock of the instance.
 */
#define INSTANCES TRACEFS "/instances"
#define PREFIX "hcctl-"
#define TRIES 100

/* Lock an instance. @how: LOCK_NB, or 0 to wait for the lock. Return: a descriptor that holds the
 * lock, or -1.
 */
static int lock(const char *path, int how)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | how)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Remove the instances of processes that were killed. Tracing continues in these instances, which
 * costs time.
 */
static void remove_left(void)
{
	DIR *dir = opendir(INSTANCES);
	struct dirent *entry;
	char path[PATH_MAX];
	int fd;

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
			continue;
		snprintf(path, sizeof(path), INSTANCES "/%s", entry->d_name);
		fd = lock(path, LOCK_NB);
		if (fd < 0)
			continue;
		close(fd);
		rmdir(path);
	}
	if (dir)
		closedir(dir);
}

/* Make an instance and lock it. Another process may remove the instance in remove_left() before it
 * is locked; in this case, make another one. Return: NULL, or why no instance could be made.
 */
static const char *make_instance(struct trace_session *s)
{
	struct stat ours, there;
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		snprintf(s->path, sizeof(s->path), INSTANCES "/" PREFIX "%d-%d", getpid(), tries);
		if (mkdir(s->path, 0700)) {
			if (errno == EEXIST)
				continue;
			return strerror(errno);
		}
		s->lock = lock(s->path, 0);
		if (s->lock >= 0 && !fstat(s->lock, &ours) && !stat(s->path, &there) &&
		    ours.st_ino == there.st_ino)
			return NULL;
		if (s->lock >= 0)
			close(s->lock);
	}
	return "no name is left for a tracing instance";
}

struct trace_session *trace_open(struct hcctl *h, uint32_t fabric)
{
	struct trace_session *s = calloc(1, sizeof(*s));
	const char *why = obstacle();

	if (!s) {
		hc_nomem(h);
		return NULL;
	}
	snprintf(s->filter, sizeof(s->filter), "index == %" PRIu32, fabric);
	if (!why) {
		remove_left();
		why = make_instance(s);
	}
	if (why) {
		hc_error(h, "%s", why);
		free(s);
		return NULL;
	}
	return s;
}

int trace_start(struct hcctl *h, struct trace_session *s)
{
	static const char * const settings[][2] = {
		{ "tracing_on", "0" },
		{ "trace_clock", "mono" },
		{ "buffer_size_kb", BUFFER_KB },
	};
	unsigned int i;
	int err;

	for (i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		err = put(s, settings[i][0], settings[i][1]);
		if (err)
			return complain(h, "set up tracing", err);
	}
	err = put(s, "events/hypercube/filter", s->filter);
	if (!err)
		err = put(s, "events/hypercube/enable", "1");
	if (!err)
		err = put(s, "tracing_on", "1");
	return err ? complain(h, "trace", err) : 0;
}

void trace_stop(struct trace_session *s)
{
	put(s, "tracing_on", "0");
	put(s, "events/hypercube/enable", "0");
}

FILE *trace_read(struct hcctl *h, struct trace_session *s)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/trace", s->path);
	f = fopen(path, "re");
	if (!f)
		complain(h, "read the trace", -errno);
	return f;
}

uint64_t trace_lost(struct trace_session *s)
{
	unsigned long long n;
	uint64_t sum = 0;
	char line[256];
	long cpu;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		char path[PATH_MAX];
		FILE *f;

		snprintf(path, sizeof(path), "%s/per_cpu/cpu%ld/stats", s->path, cpu);
		f = fopen(path, "re");
		while (f && fgets(line, sizeof(line), f))
			if (sscanf(line, "overrun: %llu", &n) == 1 ||
			    sscanf(line, "dropped events: %llu", &n) == 1)
				sum += n;
		if (f)
			fclose(f);
	}
	return sum;
}

void trace_close(struct trace_session *s)
{
	close(s->lock);
	rmdir(s->path);
	free(s);
}
