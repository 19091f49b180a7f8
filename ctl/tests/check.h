/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs here share: what must hold, random numbers, dimensions as text.
 */
#ifndef _CHECK_H
#define _CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct hc_faults;

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

/* @err, for which there must be a cause if it is one; the program ends otherwise. */
int with_cause(int err, const char *why);
/* A line for the log: nodes that failed, and unusable links as NODE-NODE. */
void faults_print(const struct hc_faults *f);
/* Dimensions as they are printed, "0213": to numbers, how many; and are they the same? */
unsigned int dims_of(const char *text, uint8_t *dims);
bool dims_are(const char *text, const uint8_t *dims, unsigned int n);

#endif /* _CHECK_H */
