/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only header of module/lib/ that differs between the kernel and userspace. All other files of
 * module/lib/ are plain C with the types __u8 .. __u64.
 */
#ifndef _HC_ENV_H
#define _HC_ENV_H

#ifdef __KERNEL__
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/types.h>

static inline unsigned int hc_weight32(__u32 w)
{
	return hweight32(w);
}

static inline unsigned int hc_first64(__u64 w)
{
	return __ffs64(w);
}

static inline __u64 hc_divide64(__u64 a, __u64 b)
{
	return div64_u64(a, b);
}
#else
#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline unsigned int hc_weight32(__u32 w)
{
	return (unsigned int)__builtin_popcount(w);
}

static inline unsigned int hc_first64(__u64 w)
{
	return (unsigned int)__builtin_ctzll(w);
}

static inline __u64 hc_divide64(__u64 a, __u64 b)
{
	return a / b;
}
#endif

#endif /* _HC_ENV_H */
