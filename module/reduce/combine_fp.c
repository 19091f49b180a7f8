// SPDX-License-Identifier: GPL-2.0
/*
 * Sums and products of floats with the FPU.
 *
 * The instructions are written out, as lib/raid6 does, and the compiler is not
 * allowed any of its own: it knows nothing of kernel_fpu_begin() and might move
 * them out of the section.  It also may swap operands, which matters for NaNs.
 */
#include <linux/hypercube.h>
#include <linux/types.h>

#include "reduce/softfp.h"

/* i386 may lack SSE2; x86-64 has it. */
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

/* Bytes per step, and per section: no preemption within a section. */
#define BLOCK	64
#define SECTION	SZ_4K

/* Below this many bytes a section costs more than it saves. */
#define FPU_MIN	128

/*
 * One block.  If any result is not a number, @acc is left alone and the jump to
 * nan taken: emulated CPUs are known to differ in which NaN they choose, so that
 * is left to integers.  Comparing a with b is unordered if one is a NaN.
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
	"movups %%xmm0,   (%0)\n\t"					\
	"movups %%xmm1, 16(%0)\n\t"					\
	"movups %%xmm2, 32(%0)\n\t"					\
	"movups %%xmm3, 48(%0)\n\t"

/* False, and nothing is written, if there is a NaN. */
#define BLOCK_FN(name, op, unordered)						\
static __always_inline bool name##_block(void *acc, const void *src)			\
{										\
	asm goto(BLOCK_ASM(op, unordered)					\
		 : : "r" (acc), "r" (src) : "eax", "cc", "memory" : nan);	\
	return true;								\
nan:										\
	return false;								\
}

BLOCK_FN(sum32, addps, cmpunordps)
BLOCK_FN(prod32, mulps, cmpunordps)
BLOCK_FN(sum64, addpd, cmpunordpd)
BLOCK_FN(prod64, mulpd, cmpunordpd)

static __always_inline void blocks(bool (*block)(void *acc, const void *src),
				   unsigned int oper, unsigned int type,
				   void *acc, const void *src, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i += BLOCK)
		if (unlikely(!block(acc + i, src + i)))
			hc_softfp(oper, type, acc + i, src + i, BLOCK);
}

/* Within a section: @bytes is a multiple of BLOCK. */
static void section(unsigned int oper, unsigned int type, void *acc,
		    const void *src, size_t bytes)
{
	if (type == HYPERCUBE_F32 && oper == HYPERCUBE_SUM)
		blocks(sum32_block, oper, type, acc, src, bytes);
	else if (type == HYPERCUBE_F32)
		blocks(prod32_block, oper, type, acc, src, bytes);
	else if (oper == HYPERCUBE_SUM)
		blocks(sum64_block, oper, type, acc, src, bytes);
	else
		blocks(prod64_block, oper, type, acc, src, bytes);
}

void hc_combine_fp(unsigned int oper, unsigned int type, void *acc,
		   const void *src, size_t bytes)
{
	size_t n;

	/* Not usable e.g. in a softirq that interrupted somebody's section. */
	if (bytes >= FPU_MIN && irq_fpu_usable()) {
		/* The compiler's sanitizers do not see into the blocks. */
		instrument_read_write(acc, bytes);
		instrument_read(src, bytes);
		while (bytes >= BLOCK) {
			n = min_t(size_t, bytes & -BLOCK, SECTION);
			kernel_fpu_begin();
			section(oper, type, acc, src, n);
			kernel_fpu_end();
			acc += n;
			src += n;
			bytes -= n;
		}
	}
	hc_softfp(oper, type, acc, src, bytes);
}

#else

void hc_combine_fp(unsigned int oper, unsigned int type, void *acc,
		   const void *src, size_t bytes)
{
	hc_softfp(oper, type, acc, src, bytes);
}

#endif
