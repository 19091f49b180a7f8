/* SPDX-License-Identifier: GPL-2.0 */
/* Names of operators and types, and special values, for the test of the operators and their
 * benchmark.
 */
#ifndef _COMBINE_TEST_H
#define _COMBINE_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Number of 64-bit words that are combined at once. */
#define BATCH	4096

extern bool shim_fpu_usable;
extern unsigned long shim_fpu_sections;

extern const char *const oper_name[];
extern const char *const type_name[];

/* Floats with special properties, of 32 bits (index 0) and of 64 bits (index 1), and their numbers.
 */
extern u64 special[2][128];
extern int specials[2];

/* Fill in special[@wide] and specials[@wide]. */
void make_specials(int wide);

/* Return: 64 random bits. */
u64 rnd(void);
u64 companion(int wide, u64 near);
void put_float(int wide, void *p, size_t i, u64 v);
void fill(unsigned int oper, unsigned int type, void *p, size_t bytes);

void bench(void);

#endif /* _COMBINE_TEST_H */
