// SPDX-License-Identifier: GPL-2.0
/* Random numbers, command-line arguments, and results of the fuzzers. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz.h"

/* --- random numbers --- */

static __thread uint64_t state = 88172645463325252u;

void fz_seed(uint64_t seed)
{
	/* Apply one step of splitmix64, so that adjacent seeds give different sequences. */
	seed += 0x9e3779b97f4a7c15u;
	seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
	seed = (seed ^ seed >> 27) * 0x94d049bb133111ebu;
	state = (seed ^ seed >> 31) | 1;
}

uint64_t fz_rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1du;
}

unsigned int fz_below(unsigned int n)
{
	return (unsigned int)((fz_rnd() >> 32) * n >> 32);
}

bool fz_chance(unsigned int n)
{
	return fz_below(100) < n;
}

uint64_t fz_number(unsigned int bytes)
{
	uint64_t mask = bytes < 8 ? (1ull << 8 * bytes) - 1 : ~0ull;
	uint64_t v;

	switch (fz_below(6)) {
	case 0:
		return fz_rnd() & mask;
	case 1:
		return fz_below(5);
	case 2:
		v = 1ull << fz_below(8 * bytes);
		return (v + fz_below(3) - 1) & mask;
	case 3:
		return (mask - fz_below(3)) & mask;
	case 4:
		return (mask / 2 + fz_below(3)) & mask;
	default:
		return fz_below(300) & mask;
	}
}

/* --- arguments and results --- */

static unsigned int results, failures;

static void usage(const char *name)
{
	fprintf(stderr, "usage: %s [seed N] [seconds N] [frames N] [cover FILE]\n", name);
	exit(2);
}

struct fz_args fz_parse(int argc, char **argv)
{
	struct fz_args a = { .seed = 1, .seconds = 60 };
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "seed"))
			a.seed = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "seconds"))
			a.seconds = (unsigned int)atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "frames"))
			a.frames = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "cover"))
			a.cover = argv[i + 1];
		else
			usage(argv[0]);
	}
	if (i != argc)
		usage(argv[0]);
	printf("TAP version 13\n# seed %llu, %u s\n", (unsigned long long)a.seed, a.seconds);
	fz_seed(a.seed);
	return a;
}

void fz_result(bool ok, const char *what)
{
	failures += !ok;
	printf("%sok %u %s\n", ok ? "" : "not ", ++results, what);
}

void fz_note(const char *format, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
}

int fz_end(void)
{
	printf("1..%u\n", results);
	return failures || !results;
}

uint64_t fz_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}
