/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs of this folder share: checks, random numbers, dimensions as text.
 */
#ifndef _CHECK_H
#define _CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct hc_faults;

#define ARRAY_SIZE(x)	(sizeof(x) / sizeof((x)[0]))

/* Return false from the calling function unless @cond is true. For functions that return true if
 * all is right; a TEST() uses the macros of ktap.h instead.
 */
#define CHECK(cond) do {						\
	if (!(cond)) {							\
		printf("# %s:%d: not so: %s\n", __FILE__, __LINE__, #cond); \
		return false;						\
	}								\
} while (0)

/* Return: a number below @below of a pseudo-random sequence, which is the same on every machine. */
unsigned int rnd(unsigned int below);

/* Return @err. If it is an error and @why gives no cause, the program ends. */
int with_cause(int err, const char *why);
/* Print the failed nodes, and the faulty links as NODE-NODE, as one comment line of the log. */
void faults_print(const struct hc_faults *f);
/* Dimensions as text, "0213". dims_of(): convert the text to numbers; return how many. dims_are():
 * return true if @text names the @n dimensions @dims.
 */
unsigned int dims_of(const char *text, uint8_t *dims);
bool dims_are(const char *text, const uint8_t *dims, unsigned int n);

#endif /* _CHECK_H */
