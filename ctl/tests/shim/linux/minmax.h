/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_MINMAX_H
#define _SHIM_MINMAX_H

#define min_t(type, x, y) \
	({ type __x = (x); type __y = (y); __x < __y ? __x : __y; })
#define max(x, y) \
	({ __typeof__(x) __x = (x); __typeof__(y) __y = (y); __x > __y ? __x : __y; })
#define swap(a, b) \
	do { __typeof__(a) __tmp = (a); (a) = (b); (b) = __tmp; } while (0)

#endif
