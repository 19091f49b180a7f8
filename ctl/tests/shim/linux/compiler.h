/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_COMPILER_H
#define _SHIM_COMPILER_H

#undef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))
#define __printf(a, b)	__attribute__((__format__(printf, a, b)))
#define __packed	__attribute__((__packed__))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#endif
