/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operators over arrays of elements in host byte order.
 */
#ifndef _HC_COMBINE_H
#define _HC_COMBINE_H

#include <linux/types.h>
#include <linux/hypercube.h>

/**
 * hc_combine_size() - size of one element
 * @oper: enum hypercube_oper
 * @type: enum hypercube_type
 * @width: bytes of a RECORD, else 0
 *
 * Return: bytes (a power of two, or the record's width), or -EINVAL if the combination does not
 * exist: AND, OR, XOR of floats; RECORD with an operator other than MERGE, MIN and MAX; a width
 * that is out of range, or that is not 0 for another type than RECORD.
 */
int hc_combine_size(unsigned int oper, unsigned int type, unsigned int width);

/**
 * hc_combine() - compute to = first op second, element by element
 * @oper: enum hypercube_oper but MERGE
 * @type: enum hypercube_type
 * @width: bytes of a RECORD, else 0
 * @to: the result: @first, or memory that overlaps neither operand; need not be aligned
 * @first: first operand, likewise
 * @second: second operand, likewise
 * @bytes: length of each, a multiple of the element's size
 *
 * The result has the same bits whether the FPU is usable in this context or not.
 * Context: any except hard interrupt.
 */
void hc_combine(unsigned int oper, unsigned int type, unsigned int width,
		void *to, const void *first, const void *second, size_t bytes);

typedef int (*hc_cmp_fn)(const void *a, const void *b, unsigned int width);

/**
 * hc_combine_cmp() - total order of a type, for MERGE
 * @type: enum hypercube_type
 *
 * Return: a function that returns <0, 0 or >0.  Floats follow IEEE 754
 * totalOrder (-NaN < -inf < .. < -0 < +0 < .. < +NaN).
 */
hc_cmp_fn hc_combine_cmp(unsigned int type);

#endif /* _HC_COMBINE_H */
