// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl trace: recording.  An instance of tracefs has buffers and settings of its
 * own, so others who trace are not disturbed; it goes when we do.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace.h"

#define TRACEFS "/sys/kernel/tracing"
/* For each processor. */
#define BUFFER_KB "16384"

struct trace_session {
	char path[128];
	char filter[64];
};

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

/* Why tracing is not possible at all; NULL: it is. */
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

struct trace_session *trace_open(struct hcctl *h, uint32_t fabric)
{
	struct trace_session *s = calloc(1, sizeof(*s));
	const char *why = obstacle();

	if (!s) {
		hc_nomem(h);
		return NULL;
	}
	snprintf(s->path, sizeof(s->path), TRACEFS "/instances/hcctl-%d", getpid());
	snprintf(s->filter, sizeof(s->filter), "index == %" PRIu32, fabric);
	if (!why && mkdir(s->path, 0700))
		why = strerror(errno);
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
	rmdir(s->path);
	free(s);
}
