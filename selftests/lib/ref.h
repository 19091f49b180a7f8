/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Data for reductions, and reference results for the kernel's results. A reference result is
 * computed in plain arithmetic, or by merging in the order that the roles of the plan's members
 * determine.
 */
#ifndef _HC_REF_H
#define _HC_REF_H

#include "cube.h"
#include "reference.h"

/* Sort the @n elements at @base, of @elem bytes each, in the order of the type @type. */
void ref_sort(unsigned int type, unsigned int width, void *base, size_t n, size_t elem);
/* Fill @buf with random elements. Floats are such that no sum or product of a few of them is a NaN.
 * @nan: some elements are NaNs; for MIN and MAX.
 */
void ref_fill(unsigned int oper, unsigned int type, unsigned int width, void *buf,
	      size_t bytes, bool nan);

/**
 * ref_replay() - merge in the same order as the members of the plan
 * @c: the cube with its plan
 * @op: the operation
 * @data: the contribution of each node, op->bytes long; overwritten
 *
 * Return: the result, which is the data of the root; NULL if a role cannot be computed.
 */
void *ref_replay(const struct cube *c, const struct hypercube_op *op, void **data);

#endif /* _HC_REF_H */
