/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Halves of a segment that has a piece for each member. A half is the pieces for the members on one
 * side of a dimension. The pieces of one side lie in runs of equal length, and the runs of the two
 * sides alternate.
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
 * @odd: collect the odd runs, otherwise the even ones
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
 * @odd: the half goes to the odd runs, otherwise to the even ones
 */
static inline void hc_half_put(void *to, const void *from, u32 len, u32 run, bool odd)
{
	u32 at;

	for (at = odd ? run : 0; at < len; at += 2 * run, from += run)
		memcpy(to + at, from, run);
}

#endif /* _HC_HALVING_H */
