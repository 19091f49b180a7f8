/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reductions computed element by element, as hypercube(7) describes them. "hcctl run" and the tests
 * compare the kernel's results with these; they share no code with the kernel's operators.
 */
#ifndef _HC_REFERENCE_H
#define _HC_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/hypercube.h>

/* Return: the size of an element in bytes, or 0 if there is no such combination of operator, type
 * and width.
 */
unsigned int plain_size(unsigned int oper, unsigned int type, unsigned int width);

/* Compute acc = acc op src for each element. @oper is any operator except MERGE. */
void plain_combine(unsigned int oper, unsigned int type, unsigned int width, void *acc,
		   const void *src, size_t bytes);

/* Compare two elements in the order in which the operator MERGE sorts them; for floats that is the
 * total order of IEEE 754. Return: -1, 0 or 1.
 */
int plain_compare(unsigned int type, unsigned int width, const void *a, const void *b);

bool plain_is_float(unsigned int type);
bool plain_is_nan(unsigned int type, const void *p);

/* Store a number as a float of the given type, rounded to nearest, ties to even. */
void plain_put_real(unsigned int type, void *p, double d);

#endif /* _HC_REFERENCE_H */
