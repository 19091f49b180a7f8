// SPDX-License-Identifier: GPL-2.0
/*
 * Records coverage by KCOV: that of a thread's system calls, or that of polls in softirqs, which
 * the module attributes to the KCOV handle of the thread that injects frames
 * (module/fabric/inject.c).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/kcov.h>

#include "fuzz.h"

#define PCS	(1u << 19)	/* program counters that KCOV can record in a call or a batch */
#define TEXT	(1u << 22)	/* upper bound for the size of the module's text, in bytes */

static uint64_t text;
static unsigned char *seen;
static unsigned int *total;

static uint64_t text_start(void)
{
	FILE *f = fopen("/sys/module/hypercube/sections/.text", "re");
	unsigned long long at = 0;

	if (f && fscanf(f, "%llx", &at) != 1)
		at = 0;
	if (f)
		fclose(f);
	return at;
}

/* Map the memory that records the coverage so far, and that child processes share. */
static bool seen_open(void)
{
	void *p;

	if (seen)
		return true;
	text = text_start();
	p = mmap(NULL, TEXT / 8 + sizeof(*total), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!text || p == MAP_FAILED)
		return false;
	seen = p;
	total = (unsigned int *)(seen + TEXT / 8);
	return true;
}

bool cover_open(struct cover *c)
{
	c->area = NULL;
	c->fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (c->fd < 0 || !seen_open() || ioctl(c->fd, KCOV_INIT_TRACE, PCS))
		return false;
	c->area = mmap(NULL, PCS * sizeof(*c->area), PROT_READ | PROT_WRITE, MAP_SHARED,
		       c->fd, 0);
	if (c->area == MAP_FAILED)
		c->area = NULL;
	return c->area;
}

bool cover_polls(const struct cover *c)
{
	struct kcov_remote_arg arg = {
		.trace_mode = KCOV_TRACE_PC, .area_size = PCS,
		.common_handle = kcov_remote_handle(KCOV_SUBSYSTEM_COMMON, 1),
	};

	return c->area && !ioctl(c->fd, KCOV_REMOTE_ENABLE, &arg);
}

bool cover_calls(const struct cover *c)
{
	return c->area && !ioctl(c->fd, KCOV_ENABLE, KCOV_TRACE_PC);
}

void cover_begin(const struct cover *c)
{
	if (c->area)
		__atomic_store_n(&c->area[0], 0, __ATOMIC_RELAXED);
}

unsigned int cover_end(const struct cover *c)
{
	uint64_t n = c->area ? __atomic_load_n(&c->area[0], __ATOMIC_RELAXED) : 0;
	unsigned int fresh = 0;
	uint64_t i;

	for (i = 1; i <= n && i < PCS; i++) {
		uint64_t at = c->area[i] - text;

		if (at >= TEXT || seen[at / 8] & 1u << at % 8)
			continue;
		seen[at / 8] |= 1u << at % 8;
		fresh++;
	}
	if (fresh)
		*total += fresh;
	return fresh;
}

unsigned int cover_total(void)
{
	return total ? *total : 0;
}

void cover_write(const char *file)
{
	FILE *f = fopen(file, "we");
	unsigned int at;

	for (at = 0; f && at < TEXT; at++)
		if (seen && seen[at / 8] & 1u << at % 8)
			fprintf(f, "%x\n", at);
	if (f)
		fclose(f);
}
