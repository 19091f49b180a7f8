/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Halves of a segment of pieces: those for the members on one side of a dimension.  These
 * are runs of equal length, and runs for the two sides alternate.
 */
#ifndef _HC_HALVES_H
#define _HC_HALVES_H

#include <linux/string.h>
#include <linux/types.h>

/* Collect the odd runs of @len bytes at @from, or the even ones; @to may be @from. */
static inline void hc_half_get(void *to, const void *from, u32 len, u32 run, bool odd)
{
	u32 at;

	for (at = odd ? run : 0; at < len; at += 2 * run, to += run)
		memmove(to, from + at, run);
}

/* Put back at @to, of @len bytes, what hc_half_get() has collected. */
static inline void hc_half_put(void *to, const void *from, u32 len, u32 run, bool odd)
{
	u32 at;

	for (at = odd ? run : 0; at < len; at += 2 * run, from += run)
		memcpy(to + at, from, run);
}

#endif /* _HC_HALVES_H */
