/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Data for reductions, and reference results, which the kernel's results are compared with. A
 * reference result is computed in plain arithmetic, or by merging in the order that the roles of
 * the plan's members determine.
 */
#ifndef _HC_REF_H
#define _HC_REF_H

#include "cube.h"
#include "reference.h"

/* Sort @n elements of @elem bytes each, in the order that is defined for their type. */
void ref_sort(unsigned int type, unsigned int width, void *base, size_t n, size_t elem);
/* Fill @buf with random elements. Floats are chosen such that no sum or product of a few of them is
 * a NaN. With @nan some elements are NaNs, for MIN and MAX.
 */
void ref_fill(unsigned int oper, unsigned int type, unsigned int width, void *buf,
	      size_t bytes, bool nan);

/**
 * ref_replay() - merge in the order in which the plan's members would
 * @c: the cube with its plan
 * @op: the operation
 * @data: contribution of each node, of op->bytes; overwritten
 *
 * Return: the result, which is the sink's data; NULL if a role is missing.
 */
void *ref_replay(const struct cube *c, const struct hypercube_op *op, void **data);

#endif /* _HC_REF_H */
