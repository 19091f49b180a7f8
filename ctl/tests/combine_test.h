/* SPDX-License-Identifier: GPL-2.0 */
/* Names, and values that matter, for the test of the operators and for their benchmark. */
#ifndef _COMBINE_TEST_H
#define _COMBINE_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* 64-bit words of what is combined at once */
#define BATCH	4096

extern bool shim_fpu_usable;
extern unsigned long shim_fpu_sections;

extern const char *const oper_name[];
extern const char *const type_name[];

/* Floats of 32 (0) and 64 bits (1) where something is special. */
extern u64 special[2][128];
extern int specials[2];

void make_specials(int wide);

u64 rnd(void);
u64 companion(int wide, u64 near);
void put_float(int wide, void *p, size_t i, u64 v);
void fill(unsigned int oper, unsigned int type, void *p, size_t bytes);

void bench(void);

#endif /* _COMBINE_TEST_H */
