/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks for `run --count`: the instructions between two marks are counted. For a processor a mark
 * is an instruction without effect.
 */
#ifndef VM_COUNT_H
#define VM_COUNT_H

static inline void count_begin(void)
{
	__asm__ volatile("nopl 0x48430001(%%rax)" ::: "memory");
}

static inline void count_end(void)
{
	__asm__ volatile("nopl 0x48430002(%%rax)" ::: "memory");
}

/* The bytes of a mark; the fourth one is the kind, 1 or 2. */
#define COUNT_MARK	"\x0f\x1f\x80?\x00\x43\x48"
#define COUNT_MARK_SIZE	7
#define COUNT_MARK_KIND	3

#endif /* VM_COUNT_H */
