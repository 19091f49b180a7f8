/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What reductions are given, and their results, as a check of the kernel's: in plain arithmetic
 * (ctl/plain.h), and in the merge order that the plan's roles give.
 */
#ifndef _HC_REF_H
#define _HC_REF_H

#include "cube.h"
#include "plain.h"

/* In the order of the type. */
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
