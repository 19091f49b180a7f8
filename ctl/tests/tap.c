// SPDX-License-Identifier: GPL-2.0
/*
 * See tap.h.
 */
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "tap.h"

unsigned int rnd(unsigned int below)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (unsigned int)(x >> 32) % below;
}

static bool wanted(const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc < 2;
}

static bool run(const struct tap_case *c, unsigned int number)
{
	clock_t start = clock();
	bool fine = c->run();

	printf("%sok %u - %s # %.2f s\n", fine ? "" : "not ", number, c->name,
	       (double)(clock() - start) / CLOCKS_PER_SEC);
	return fine;
}

int tap_main(const struct tap_case *const *groups, unsigned int n, int argc, char **argv)
{
	unsigned int number = 0, g, total = 0;
	const struct tap_case *c;
	bool all = true;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n");
	for (g = 0; g < n; g++)
		for (c = groups[g]; c->name; c++)
			total += wanted(c->name, argc, argv);
	printf("1..%u\n", total);
	for (g = 0; g < n; g++)
		for (c = groups[g]; c->name; c++)
			if (wanted(c->name, argc, argv))
				all &= run(c, ++number);
	return !all;
}
