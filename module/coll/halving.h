/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Halves of a segment that has a piece for each member. A half consists of the pieces for the
 * members on one side of a dimension. Consecutive pieces of one side are a run; all runs are
 * equally long, and those of the two sides alternate.
 */
#ifndef _HC_HALVING_H
#define _HC_HALVING_H

#include <linux/string.h>
#include <linux/types.h>

/**
 * hc_half_get() - collect one half of a segment
 * @to: memory for the half; may be @from
 * @from: the segment
 * @len: bytes of the segment
 * @run: bytes of a run
 * @odd: true to collect the odd runs, false to collect the even ones
 */
static inline void hc_half_get(void *to, const void *from, u32 len, u32 run, bool odd)
{
	u32 at;

	for (at = odd ? run : 0; at < len; at += 2 * run, to += run)
		memmove(to, from + at, run);
}

/**
 * hc_half_put() - put a half that hc_half_get() has collected into the runs of one side
 * @to: the segment
 * @from: the half
 * @len: bytes of the segment
 * @run: bytes of a run
 * @odd: true to write the half to the odd runs, false to write it to the even ones
 */
static inline void hc_half_put(void *to, const void *from, u32 len, u32 run, bool odd)
{
	u32 at;

	for (at = odd ? run : 0; at < len; at += 2 * run, from += run)
		memcpy(to + at, from, run);
}

#endif /* _HC_HALVING_H */
