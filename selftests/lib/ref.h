/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reductions computed plainly, as a check of the kernel's: element by element,
 * in the compiler's arithmetic, in the merge order that the plan's roles give.
 */
#ifndef _HC_REF_H
#define _HC_REF_H

#include "cube.h"

/* Bytes of an element, or 0 if there is no such combination. */
unsigned int ref_size(unsigned int oper, unsigned int type, unsigned int width);
/* acc = acc op src, for all operators but MERGE. */
void ref_combine(unsigned int oper, unsigned int type, unsigned int width, void *acc,
		 const void *src, size_t bytes);
/* Total order of a type, for sorting and merging. */
int ref_compare(unsigned int type, unsigned int width, const void *a, const void *b);
void ref_sort(unsigned int type, unsigned int width, void *base, size_t n, size_t elem);
/* The bytes of random elements; of floats only such that no sum or product of a
 * few of them is a NaN.  With @nan there are NaNs, for MIN and MAX.
 */
void ref_fill(unsigned int oper, unsigned int type, unsigned int width, void *buf,
	      size_t bytes, bool nan);

/**
 * ref_replay() - reduce as the plan's members would
 * @c: the cube with its plan
 * @op: the operation
 * @data: contribution of each node, of op->bytes; overwritten
 *
 * Return: the result, which is the sink's data; NULL if a role is missing.
 */
void *ref_replay(const struct cube *c, const struct hypercube_op *op, void **data);

#endif /* _HC_REF_H */
