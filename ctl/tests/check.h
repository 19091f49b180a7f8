/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs here share: what must hold, and random numbers.
 */
#ifndef _CHECK_H
#define _CHECK_H

#include <stdbool.h>
#include <stdio.h>

#define ARRAY_SIZE(x)	(sizeof(x) / sizeof((x)[0]))

/* In what says whether all is right; a TEST() has its own words (ktap.h). */
#define CHECK(cond) do {						\
	if (!(cond)) {							\
		printf("# %s:%d: not so: %s\n", __FILE__, __LINE__, #cond); \
		return false;						\
	}								\
} while (0)

/* Same numbers on every machine. */
unsigned int rnd(unsigned int below);

#endif /* _CHECK_H */
