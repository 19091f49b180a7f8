// SPDX-License-Identifier: GPL-2.0
/*
 * Sums and products of floats with the FPU.
 *
 * The instructions are written in assembly, as lib/raid6 does, and the compiler is not allowed to
 * use floating-point instructions of its own: it knows nothing about kernel_fpu_begin() and might
 * move them out of the section. The compiler may also swap the operands of an addition, and then
 * the result of two NaNs would be the second NaN instead of the first.
 */
#include <linux/hypercube.h>
#include <linux/types.h>

#include "reduce/softfp.h"

/* Each x86-64 processor has SSE2; a 32-bit one may lack it. */
#ifdef CONFIG_X86_64

#include <linux/compiler.h>
#include <linux/instrumented.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <asm/fpu/api.h>

#ifdef __SSE__
#error "The compiler must leave the SSE registers alone in this file"
#endif

/* Bytes per step; and bytes per FPU section, in which preemption is disabled. */
#define BLOCK	64
#define SECTION	SZ_4K

/* For fewer bytes, entering an FPU section takes longer than the FPU saves. */
#define FPU_MIN	128

/*
 * Combine one block: %2 = %0 op %1. If any result is a NaN, write nothing to %2 and jump to the
 * label nan: emulated CPUs are known to choose different NaNs, so hc_softfp() computes a block that
 * has one. A comparison is unordered if one of its operands is a NaN.
 */
#define BLOCK_ASM(op, unordered)					\
	"movups   (%0), %%xmm0\n\t"					\
	"movups 16(%0), %%xmm1\n\t"					\
	"movups 32(%0), %%xmm2\n\t"					\
	"movups 48(%0), %%xmm3\n\t"					\
	"movups   (%1), %%xmm4\n\t"					\
	"movups 16(%1), %%xmm5\n\t"					\
	"movups 32(%1), %%xmm6\n\t"					\
	"movups 48(%1), %%xmm7\n\t"					\
	#op " %%xmm4, %%xmm0\n\t"					\
	#op " %%xmm5, %%xmm1\n\t"					\
	#op " %%xmm6, %%xmm2\n\t"					\
	#op " %%xmm7, %%xmm3\n\t"					\
	"movaps %%xmm0, %%xmm4\n\t"					\
	"movaps %%xmm2, %%xmm5\n\t"					\
	#unordered " %%xmm1, %%xmm4\n\t"				\
	#unordered " %%xmm3, %%xmm5\n\t"				\
	"orps %%xmm5, %%xmm4\n\t"					\
	"movmskps %%xmm4, %%eax\n\t"					\
	"testl %%eax, %%eax\n\t"					\
	"jnz %l[nan]\n\t"						\
	"movups %%xmm0,   (%2)\n\t"					\
	"movups %%xmm1, 16(%2)\n\t"					\
	"movups %%xmm2, 32(%2)\n\t"					\
	"movups %%xmm3, 48(%2)\n\t"

/* Combine one block. Return: false if a result is a NaN; then nothing has been written to @to. */
#define BLOCK_FN(name, op, unordered)						\
static __always_inline bool name##_block(void *to, const void *first, const void *second) \
{										\
	asm goto(BLOCK_ASM(op, unordered)					\
		 : : "r" (first), "r" (second), "r" (to)			\
		 : "eax", "cc", "memory" : nan);				\
	return true;								\
nan:										\
	return false;								\
}

BLOCK_FN(sum32, addps, cmpunordps)
BLOCK_FN(prod32, mulps, cmpunordps)
BLOCK_FN(sum64, addpd, cmpunordpd)
BLOCK_FN(prod64, mulpd, cmpunordpd)

typedef bool (*block_fn)(void *to, const void *first, const void *second);

static __always_inline void blocks(block_fn block, unsigned int oper, unsigned int type, void *to,
				   const void *first, const void *second, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i += BLOCK)
		if (unlikely(!block(to + i, first + i, second + i)))
			hc_softfp(oper, type, to + i, first + i, second + i, BLOCK);
}

/* Combine @bytes, a multiple of BLOCK, within one FPU section. */
static void section(unsigned int oper, unsigned int type, void *to, const void *first,
		    const void *second, size_t bytes)
{
	if (type == HYPERCUBE_F32 && oper == HYPERCUBE_SUM)
		blocks(sum32_block, oper, type, to, first, second, bytes);
	else if (type == HYPERCUBE_F32)
		blocks(prod32_block, oper, type, to, first, second, bytes);
	else if (oper == HYPERCUBE_SUM)
		blocks(sum64_block, oper, type, to, first, second, bytes);
	else
		blocks(prod64_block, oper, type, to, first, second, bytes);
}

static bool has_block(unsigned int type)
{
	return type == HYPERCUBE_F32 || type == HYPERCUBE_F64;
}

void hc_combine_fp(unsigned int oper, unsigned int type, void *to, const void *first,
		   const void *second, size_t bytes)
{
	size_t n;

	/* The FPU is not usable e.g. in a softirq that interrupted another task's FPU section. */
	if (bytes >= FPU_MIN && has_block(type) && irq_fpu_usable()) {
		/* The sanitizers do not see the memory accesses of the assembly, so report them
		 * here.
		 */
		instrument_write(to, bytes);
		instrument_read(first, bytes);
		instrument_read(second, bytes);
		while (bytes >= BLOCK) {
			n = min_t(size_t, bytes & -BLOCK, SECTION);
			kernel_fpu_begin();
			section(oper, type, to, first, second, n);
			kernel_fpu_end();
			to += n;
			first += n;
			second += n;
			bytes -= n;
		}
	}
	hc_softfp(oper, type, to, first, second, bytes);
}

#else

void hc_combine_fp(unsigned int oper, unsigned int type, void *to, const void *first,
		   const void *second, size_t bytes)
{
	hc_softfp(oper, type, to, first, second, bytes);
}

#endif
