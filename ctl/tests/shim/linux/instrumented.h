/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_INSTRUMENTED_H
#define _SHIM_INSTRUMENTED_H

#include <stddef.h>

/* With -fsanitize=address: the module's inline assembly is checked by these. */
#ifdef __SANITIZE_ADDRESS__
void __asan_loadN(void *p, long n);
void __asan_storeN(void *p, long n);
#define instrument_read(p, n)		__asan_loadN((void *)(p), n)
#define instrument_write(p, n)	__asan_storeN((void *)(p), n)
#else
#define instrument_read(p, n)		((void)(p), (void)(n))
#define instrument_write(p, n)	((void)(p), (void)(n))
#endif

#endif
