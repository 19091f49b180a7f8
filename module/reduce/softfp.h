/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums and products of arrays of floats.
 */
#ifndef _HC_SOFTFP_H
#define _HC_SOFTFP_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Bytes within a frame: elements may lie anywhere. */
struct any32 { u32 v; } __packed;
struct any64 { u64 v; } __packed;

/**
 * hc_softfp() - acc = acc op src, element by element, without FPU
 * @oper: HYPERCUBE_SUM or HYPERCUBE_PROD
 * @type: HYPERCUBE_F32 or HYPERCUBE_F64
 * @acc: first operand and result; need not be aligned
 * @src: second operand, likewise
 * @bytes: length of both
 *
 * Rounds to nearest even.  NaNs are those of addss and its kin: the first
 * operand if it is a NaN, else the second, made quiet; and if the operation is
 * invalid the negative quiet NaN without payload.
 */
void hc_softfp(unsigned int oper, unsigned int type, void *acc,
	       const void *src, size_t bytes);

/* The same with the same bits, using the FPU where and when that is possible. */
void hc_combine_fp(unsigned int oper, unsigned int type, void *acc,
		   const void *src, size_t bytes);

#endif /* _HC_SOFTFP_H */
