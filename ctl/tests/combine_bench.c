// SPDX-License-Identifier: GPL-2.0
/* The benchmark of the reduce operators. */
#include <stdio.h>
#include <time.h>
#include <linux/types.h>
#include <linux/hypercube.h>

#include "combine_test.h"
#include "reference.h"
#include "reduce/combine.h"

static u64 fa[BATCH], fb[BATCH];

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Fill in the operands. Floats in @fa have exponents around that of 1, and floats in @fb are near 1
 * or -1, so products keep the exponents of @fa.
 */
static void bench_fill(unsigned int type)
{
	int wide = type == HYPERCUBE_F64;
	u64 one = wide ? 0x3ffull << 52 : 0x7full << 23;
	u64 mantissa = wide ? (1ull << 52) - 1 : (1ull << 23) - 1;
	u64 sign = wide ? 1ull << 63 : 1ull << 31;

	for (size_t i = 0; i < BATCH; i++) {
		fa[i] = rnd();
		fb[i] = rnd();
	}
	if (type != HYPERCUBE_F32 && type != HYPERCUBE_F64)
		return;
	for (size_t i = 0; i < sizeof(fa) / (wide ? 8 : 4); i++) {
		u64 r = rnd();

		put_float(wide, fa, i, one + ((r >> 60) - 8) * (mantissa + 1) +
			  (r & mantissa));
		put_float(wide, fb, i, one | (rnd() & 3) | (rnd() & sign));
	}
}

/* Measure one operator and type in five rounds, and print the best. */
static void bench_one(unsigned int oper, unsigned int type, size_t bytes, bool fpu)
{
	double best = 1e9, t;
	long n;

	shim_fpu_usable = fpu;
	for (int round = 0; round < 5; round++) {
		bench_fill(type);
		t = seconds();
		for (n = 0; n < (1 << 21) / (long)bytes; n++)
			hc_combine(oper, type, 0, fa, fa, fb, bytes);
		t = (seconds() - t) / n;
		best = t < best ? t : best;
	}
	printf("%-7s %-4s %6zu bytes%s %8.2f GB/s %9.1f ns\n", oper_name[oper],
	       type_name[type], bytes, fpu ? " fpu" : "    ", bytes / best / 1e9,
	       best * 1e9);
}

void bench(void)
{
	static const size_t sizes[] = { 32, 64, 128, 256, 1024, 8192, 32256 };

	for (unsigned int o = HYPERCUBE_SUM; o < HYPERCUBE_MERGE; o++)
		for (unsigned int t = HYPERCUBE_U8; t < HYPERCUBE_RECORD; t++)
			if (plain_size(o, t, 0))
				bench_one(o, t, 8192, false);
	for (unsigned int o = HYPERCUBE_SUM; o <= HYPERCUBE_PROD; o++)
		for (unsigned int t = HYPERCUBE_F32; t <= HYPERCUBE_F64; t++)
			for (size_t s = 0; s < 7; s++) {
				bench_one(o, t, sizes[s], false);
				bench_one(o, t, sizes[s], true);
			}
}
