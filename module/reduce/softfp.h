/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums and products of arrays of floats.
 */
#ifndef _HC_SOFTFP_H
#define _HC_SOFTFP_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Elements within a frame, which may have any alignment. */
struct any16 { u16 v; } __packed;
struct any32 { u32 v; } __packed;
struct any64 { u64 v; } __packed;

/**
 * hc_softfp() - compute to = first op second, element by element, without FPU
 * @oper: HYPERCUBE_SUM or HYPERCUBE_PROD
 * @type: HYPERCUBE_F32, _F64, _F16 or _BF16
 * @to: the result: @first, or memory that overlaps neither operand; need not be aligned
 * @first: first operand, likewise
 * @second: second operand, likewise
 * @bytes: length of each
 *
 * Rounds to nearest even. NaNs are those of the SSE instructions (addss, mulsd ..): the result is
 * the first operand if it is a NaN, else the second if it is one, made quiet. The result of an
 * invalid operation is the negative quiet NaN without payload.
 */
void hc_softfp(unsigned int oper, unsigned int type, void *to, const void *first,
	       const void *second, size_t bytes);

/**
 * hc_combine_fp() - compute the same bits as hc_softfp(), with the FPU if it is usable
 * @oper: HYPERCUBE_SUM or HYPERCUBE_PROD
 * @type: HYPERCUBE_F32, _F64, _F16 or _BF16
 * @to: the result: @first, or memory that overlaps neither operand; need not be aligned
 * @first: first operand, likewise
 * @second: second operand, likewise
 * @bytes: length of each
 *
 * Context: any except hard interrupt.
 */
void hc_combine_fp(unsigned int oper, unsigned int type, void *to, const void *first,
		   const void *second, size_t bytes);

#endif /* _HC_SOFTFP_H */
