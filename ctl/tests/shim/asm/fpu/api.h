/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_FPU_API_H
#define _SHIM_FPU_API_H

#include <stdbool.h>

/* The test decides whether the FPU may be used, and counts sections. */
extern bool shim_fpu_usable;
extern unsigned long shim_fpu_sections;

static inline bool irq_fpu_usable(void)
{
	return shim_fpu_usable;
}

static inline void kernel_fpu_begin(void)
{
	shim_fpu_sections++;
}

static inline void kernel_fpu_end(void)
{
}

#endif
