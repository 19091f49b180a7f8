/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs here share: cases that print TAP, and random numbers.
 */
#ifndef _TAP_H
#define _TAP_H

#include <stdbool.h>
#include <stdio.h>

struct tap_case {
	const char *name;
	bool (*run)(void);
};

#define ARRAY_SIZE(x)	(sizeof(x) / sizeof((x)[0]))

#define CHECK(cond) do {						\
	if (!(cond)) {							\
		printf("# %s:%d: not so: %s\n", __FILE__, __LINE__, #cond); \
		return false;						\
	}								\
} while (0)

/* Same numbers on every machine. */
unsigned int rnd(unsigned int below);

/* Run all cases, or those that the arguments name, of @n groups, each ended by a case without
 * a name.  Returns what main() does.
 */
int tap_main(const struct tap_case *const *groups, unsigned int n, int argc, char **argv);

#endif /* _TAP_H */
