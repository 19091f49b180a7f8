// SPDX-License-Identifier: GPL-2.0
/*
 * module/reduce/combine.c, combine_fp.c and softfp.c against plain C and the FPU.
 *
 * Usage: combine_test [bench | PAIRS]
 *   PAIRS  random pairs for each float operation and format (default 10^7)
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/hypercube.h>
#include <asm/fpu/api.h>

#include "reduce/combine.h"

bool shim_fpu_usable;
unsigned long shim_fpu_sections;

static const char *const oper_name[] = {
	[HYPERCUBE_SUM] = "sum", [HYPERCUBE_PROD] = "prod",
	[HYPERCUBE_MIN] = "min", [HYPERCUBE_MAX] = "max",
	[HYPERCUBE_AND] = "and", [HYPERCUBE_OR] = "or",
	[HYPERCUBE_XOR] = "xor", [HYPERCUBE_MINLOC] = "minloc",
	[HYPERCUBE_MAXLOC] = "maxloc", [HYPERCUBE_MERGE] = "merge",
};

static const char *const type_name[] = {
	[HYPERCUBE_U8] = "u8", [HYPERCUBE_U16] = "u16",
	[HYPERCUBE_U32] = "u32", [HYPERCUBE_U64] = "u64",
	[HYPERCUBE_I8] = "i8", [HYPERCUBE_I16] = "i16",
	[HYPERCUBE_I32] = "i32", [HYPERCUBE_I64] = "i64",
	[HYPERCUBE_F32] = "f32", [HYPERCUBE_F64] = "f64",
	[HYPERCUBE_RECORD] = "record",
};

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static int tests, failures;

static __printf(2, 3) void result(bool ok, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", ok ? "" : "not ", ++tests);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	failures += !ok;
}

static u64 seed = 1;

static u64 rnd(void)
{
	u64 z = seed += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* --------------------------------------------------------------- the oracle */

#define ORACLE(T)							\
static T one_##T(unsigned int oper, T a, T b)				\
{									\
	switch (oper) {							\
	case HYPERCUBE_SUM:						\
		return (T)((u64)a + (u64)b);				\
	case HYPERCUBE_PROD:						\
		return (T)((u64)a * (u64)b);				\
	case HYPERCUBE_MIN:						\
		return b < a ? b : a;					\
	case HYPERCUBE_MAX:						\
		return a < b ? b : a;					\
	case HYPERCUBE_AND:						\
		return a & b;						\
	case HYPERCUBE_OR:						\
		return a | b;						\
	default:							\
		return a ^ b;						\
	}								\
}									\
									\
static int order_##T(const void *pa, const void *pb)			\
{									\
	T a, b;								\
									\
	memcpy(&a, pa, sizeof(a));					\
	memcpy(&b, pb, sizeof(b));					\
	return a < b ? -1 : a > b;					\
}

ORACLE(u8)
ORACLE(u16)
ORACLE(u32)
ORACLE(u64)
ORACLE(s8)
ORACLE(s16)
ORACLE(s32)
ORACLE(s64)

/* Of two operands that are NaN the first counts; C would not promise that. */
#define ORACLE_FLOAT(T, U, QUIET, INVALID)				\
static U bits_##T(T v)							\
{									\
	U u;								\
									\
	memcpy(&u, &v, sizeof(u));					\
	return u;							\
}									\
									\
static T one_##T(unsigned int oper, T a, T b, U *bits)			\
{									\
	volatile T x = a, y = b;					\
	T r;								\
									\
	if (oper == HYPERCUBE_MIN || oper == HYPERCUBE_MAX) {		\
		if (isnan(b))						\
			*bits = isnan(a) ? bits_##T(a) | (QUIET) : bits_##T(a);\
		else if (isnan(a))					\
			*bits = bits_##T(b);				\
		else if (a == b)	/* differ in the sign of 0 only */\
			*bits = !signbit(a) == (oper == HYPERCUBE_MIN) ?\
				bits_##T(b) : bits_##T(a);		\
		else							\
			*bits = (a < b) == (oper == HYPERCUBE_MIN) ?	\
				bits_##T(a) : bits_##T(b);		\
		return 0;						\
	}								\
	r = oper == HYPERCUBE_SUM ? x + y : x * y;			\
	*bits = isnan(a) ? bits_##T(a) | (QUIET) :			\
		isnan(b) ? bits_##T(b) | (QUIET) :			\
		isnan(r) ? (INVALID) : bits_##T(r);			\
	return r;							\
}									\
									\
static int order_##T(const void *pa, const void *pb)			\
{									\
	T a, b;								\
	U ua, ub;							\
									\
	memcpy(&a, pa, sizeof(a));					\
	memcpy(&b, pb, sizeof(b));					\
	memcpy(&ua, pa, sizeof(ua));					\
	memcpy(&ub, pb, sizeof(ub));					\
	if (ua == ub)							\
		return 0;						\
	if (!signbit(a) != !signbit(b))					\
		return signbit(a) ? -1 : 1;				\
	if (isnan(a) && isnan(b))					\
		return (ua < ub) == !signbit(a) ? -1 : 1;		\
	if (isnan(a))							\
		return signbit(a) ? -1 : 1;				\
	if (isnan(b))							\
		return signbit(b) ? 1 : -1;				\
	return a < b ? -1 : 1;						\
}

ORACLE_FLOAT(float, u32, 0x400000u, 0xffc00000u)
ORACLE_FLOAT(double, u64, 0x8000000000000ull, 0xfff8000000000000ull)

static int order(unsigned int type, const void *a, const void *b, size_t width)
{
	switch (type) {
	case HYPERCUBE_U8:
		return order_u8(a, b);
	case HYPERCUBE_U16:
		return order_u16(a, b);
	case HYPERCUBE_U32:
		return order_u32(a, b);
	case HYPERCUBE_U64:
		return order_u64(a, b);
	case HYPERCUBE_I8:
		return order_s8(a, b);
	case HYPERCUBE_I16:
		return order_s16(a, b);
	case HYPERCUBE_I32:
		return order_s32(a, b);
	case HYPERCUBE_I64:
		return order_s64(a, b);
	case HYPERCUBE_F32:
		return order_float(a, b);
	case HYPERCUBE_F64:
		return order_double(a, b);
	}
	for (size_t i = 0; i < width; i++) {
		unsigned char x = ((const unsigned char *)a)[i];
		unsigned char y = ((const unsigned char *)b)[i];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static bool nan_of(unsigned int type, const void *p)
{
	float f;
	double d;

	if (type == HYPERCUBE_F32) {
		memcpy(&f, p, sizeof(f));
		return isnan(f);
	}
	memcpy(&d, p, sizeof(d));
	return type == HYPERCUBE_F64 && isnan(d);
}

static void expect_loc(unsigned int oper, unsigned int type, void *acc,
		       const void *src)
{
	struct hypercube_loc a, b;
	int nans, o;

	memcpy(&a, acc, sizeof(a));
	memcpy(&b, src, sizeof(b));
	nans = nan_of(type, a.value) + 2 * nan_of(type, b.value);
	o = order(type, a.value, b.value, 0);
	if (oper == HYPERCUBE_MAXLOC)
		o = -o;
	if (nans)
		o = nans == 1 ? 1 : nans == 2 ? -1 : 0;
	if (o > 0 || (o == 0 && b.index < a.index))
		memcpy(acc, src, sizeof(b));
}

#define SCALAR(T)							\
	do {								\
		T x, y;							\
									\
		memcpy(&x, acc, sizeof(x));				\
		memcpy(&y, src, sizeof(y));				\
		x = one_##T(oper, x, y);				\
		memcpy(acc, &x, sizeof(x));				\
	} while (0)

static void expect(unsigned int oper, unsigned int type, size_t size, void *acc,
		   const void *src)
{
	u32 w;
	u64 l;
	double d[2];
	float f[2];
	int o;

	if (oper == HYPERCUBE_MINLOC || oper == HYPERCUBE_MAXLOC) {
		expect_loc(oper, type, acc, src);
		return;
	}
	switch (type) {
	case HYPERCUBE_U8:
		SCALAR(u8);
		break;
	case HYPERCUBE_U16:
		SCALAR(u16);
		break;
	case HYPERCUBE_U32:
		SCALAR(u32);
		break;
	case HYPERCUBE_U64:
		SCALAR(u64);
		break;
	case HYPERCUBE_I8:
		SCALAR(s8);
		break;
	case HYPERCUBE_I16:
		SCALAR(s16);
		break;
	case HYPERCUBE_I32:
		SCALAR(s32);
		break;
	case HYPERCUBE_I64:
		SCALAR(s64);
		break;
	case HYPERCUBE_F32:
		memcpy(&f[0], acc, 4);
		memcpy(&f[1], src, 4);
		one_float(oper, f[0], f[1], &w);
		memcpy(acc, &w, 4);
		break;
	case HYPERCUBE_F64:
		memcpy(&d[0], acc, 8);
		memcpy(&d[1], src, 8);
		one_double(oper, d[0], d[1], &l);
		memcpy(acc, &l, 8);
		break;
	default:
		o = order(type, src, acc, size);
		if (oper == HYPERCUBE_MIN ? o < 0 : o > 0)
			memcpy(acc, src, size);
	}
}

/* ------------------------------------------------------------------- values */

static u64 special[2][128];
static int specials[2];

/* Each list holds every value with either sign. */
static void add_special(int wide, u64 v)
{
	special[wide][specials[wide]++] = v;
	special[wide][specials[wide]++] = v | 1ull << (wide ? 63 : 31);
}

static void make_specials(int wide)
{
	int frac = wide ? 52 : 23;
	u64 one = wide ? 0x3ff : 0x7f, top = 2 * one + 1;
	u64 h = 1ull << frac, q = h >> 1;
	u64 exps[] = { 1, 2, one - frac - 2, one - frac - 1, one - frac,
			    one - 1, one, one + 1, one + frac, one + frac + 1,
			    one / 2, one / 2 + 1, top - one / 2, top - 2, top - 1 };

	add_special(wide, 0);
	add_special(wide, 1);
	add_special(wide, 2);
	add_special(wide, 3);
	add_special(wide, q - 1);
	add_special(wide, q);
	add_special(wide, q + 1);
	add_special(wide, h - 1);
	for (size_t i = 0; i < ARRAY_SIZE(exps); i++) {
		add_special(wide, exps[i] << frac);
		add_special(wide, exps[i] << frac | 1);
		add_special(wide, exps[i] << frac | (h - 1));
	}
	add_special(wide, top << frac);
	add_special(wide, top << frac | 1);	/* signalling */
	add_special(wide, top << frac | (q - 1));
	add_special(wide, top << frac | q);	/* quiet */
	add_special(wide, top << frac | q | 5);
	add_special(wide, top << frac | (h - 1));
}

/* A float near @near's exponent, or one that brings a product to the edges. */
static u64 companion(int wide, u64 near)
{
	int frac = wide ? 52 : 23, bits = wide ? 11 : 8;
	s64 mask = (1 << bits) - 1, bias = mask >> 1;
	s64 e = near >> frac & mask, r = (s64)(rnd() % (2 * frac + 8)) - frac - 4;
	u64 v = rnd();

	switch (rnd() % 8) {
	case 0:
		return v;
	case 1:
		return special[wide][v % specials[wide]];
	case 2:		/* product about the smallest normal or subnormal */
		e = bias - e + r;
		break;
	case 3:		/* product about the largest */
		e = 3 * bias - e + r / 8;
		break;
	case 4:		/* few significant bits: ties */
		v &= ~0ull << (rnd() % frac);
		e += r;
		break;
	default:
		e += r;
	}
	if (e < 0)
		e = 0;
	if (e > mask - 1)
		e = mask - 1;
	v &= (1ull << frac) - 1;
	return v | (u64)e << frac | (rnd() & 1) << (frac + bits);
}

static void put_float(int wide, void *p, size_t i, u64 v)
{
	u32 w = v;

	if (wide)
		memcpy((char *)p + 8 * i, &v, 8);
	else
		memcpy((char *)p + 4 * i, &w, 4);
}

/* Random bytes, or small numbers so that ties and equal prefixes occur. */
static void fill(unsigned int oper, unsigned int type, void *p, size_t bytes)
{
	bool small = rnd() & 1;
	unsigned char *c = p;
	size_t i;

	for (i = 0; i < bytes; i++)
		c[i] = small ? (rnd() & 3) - 1 : rnd();
	if (oper == HYPERCUBE_MINLOC || oper == HYPERCUBE_MAXLOC) {
		for (i = 0; i < bytes; i += 16)
			if (type == HYPERCUBE_F32 || type == HYPERCUBE_F64)
				put_float(type == HYPERCUBE_F64, c + i, 0,
					  special[type == HYPERCUBE_F64][rnd() % 110]);
	} else if (small && type == HYPERCUBE_F32) {
		for (i = 0; i < bytes / 4; i++)
			put_float(0, p, i, special[0][rnd() % specials[0]]);
	} else if (small && type == HYPERCUBE_F64) {
		for (i = 0; i < bytes / 8; i++)
			put_float(1, p, i, special[1][rnd() % specials[1]]);
	}
}

/* -------------------------------------------------------------------- tests */

static int naive_size(unsigned int oper, unsigned int type, unsigned int width)
{
	static const int size[] = { 0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8 };

	if (oper < 1 || oper > 10 || type < 1 || type > 11)
		return -22;
	if (type == 11)
		return (oper == HYPERCUBE_MERGE || oper == HYPERCUBE_MIN ||
			oper == HYPERCUBE_MAX) && width >= 1 && width <= 256 ?
			(int)width : -22;
	if (width)
		return -22;
	if ((type == 9 || type == 10) &&
	    (oper == HYPERCUBE_AND || oper == HYPERCUBE_OR || oper == HYPERCUBE_XOR))
		return -22;
	if (oper == HYPERCUBE_MINLOC || oper == HYPERCUBE_MAXLOC)
		return 16;
	return size[type];
}

static void test_size(void)
{
	static const unsigned int widths[] = { 0, 1, 100, 256, 257, -1u };
	bool ok = true;

	for (unsigned int o = 0; o < 13; o++)
		for (unsigned int t = 0; t < 14; t++)
			for (size_t w = 0; w < 6; w++)
				ok &= hc_combine_size(o, t, widths[w]) ==
				      naive_size(o, t, widths[w]);
	ok &= hc_combine_size(-1u, -1u, 0) == -22;
	result(ok, "which combinations exist and how large elements are");
}

/*
 * @elems elements that begin @off bytes into their buffers, aligned or not, whose ends are
 * theirs: the address sanitizer sees a step beyond.
 */
static bool check_array(unsigned int oper, unsigned int type, size_t size,
			size_t elems, size_t off)
{
	unsigned int width = type == HYPERCUBE_RECORD ? size : 0;
	size_t bytes = size * elems, i;
	unsigned char *acc = malloc(off + bytes + 1), *src = malloc(off + bytes + 1);
	unsigned char *want = malloc(bytes + 1), *copy = malloc(bytes + 1);
	bool ok;

	acc = realloc(acc, off + bytes ? off + bytes : 1);
	src = realloc(src, off + bytes ? off + bytes : 1);
	memset(acc, 0x5a, off);
	fill(oper, type, want, bytes);
	fill(oper, type, copy, bytes);
	memcpy(acc + off, want, bytes);
	memcpy(src + off, copy, bytes);
	for (i = 0; i < bytes; i += size)
		expect(oper, type, size, want + i, copy + i);
	hc_combine(oper, type, width, acc + off, src + off, bytes);
	ok = !memcmp(want, acc + off, bytes) && !memcmp(copy, src + off, bytes);
	for (i = 0; i < off; i++)
		ok &= acc[i] == 0x5a;
	free(acc);
	free(src);
	free(want);
	free(copy);
	return ok;
}

static void test_arrays(unsigned int oper, unsigned int type, size_t size)
{
	static const size_t elems[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17,
					31, 33, 63, 65, 130, 1021, 4099 };
	bool ok = true;

	for (int round = 0; round < 8; round++) {
		shim_fpu_usable = round & 1;
		for (size_t i = 0; i < ARRAY_SIZE(elems); i++)
			for (size_t off = 0; off < 16; off += 3)
				ok &= check_array(oper, type, size, elems[i], off);
	}
	result(ok, "%s of %s, %zu bytes", oper_name[oper], type_name[type], size);
}

static void test_all_arrays(void)
{
	static const unsigned int widths[] = { 1, 3, 8, 10, 100, 256 };

	for (unsigned int o = HYPERCUBE_SUM; o < HYPERCUBE_MERGE; o++)
		for (unsigned int t = HYPERCUBE_U8; t < HYPERCUBE_RECORD; t++)
			if (naive_size(o, t, 0) > 0)
				test_arrays(o, t, naive_size(o, t, 0));
	for (size_t w = 0; w < 6; w++) {
		test_arrays(HYPERCUBE_MIN, HYPERCUBE_RECORD, widths[w]);
		test_arrays(HYPERCUBE_MAX, HYPERCUBE_RECORD, widths[w]);
	}
}

#define BATCH	4096

static u64 fa[BATCH], fb[BATCH], fr[BATCH], fe[BATCH];

static void print_value(const char *before, const void *p, int wide)
{
	u32 w;
	u64 v;

	if (wide) {
		memcpy(&v, p, 8);
		printf("%s%016llx", before, (unsigned long long)v);
	} else {
		memcpy(&w, p, 4);
		printf("%s%08x", before, w);
	}
}

/* The first @n elements of fa and fb; says which pair went wrong first. */
static bool check_batch(unsigned int oper, int wide, size_t n)
{
	size_t size = wide ? 8 : 4, i;
	char *r = (char *)fr, *e = (char *)fe, *b = (char *)fb, *a = (char *)fa;
	unsigned int type = wide ? HYPERCUBE_F64 : HYPERCUBE_F32;

	memcpy(fr, fa, n * size);
	memcpy(fe, fa, n * size);
	for (i = 0; i < n; i++)
		expect(oper, type, size, e + i * size, b + i * size);
	hc_combine(oper, type, 0, r, b, n * size);
	if (!memcmp(r, e, n * size))
		return true;
	for (i = 0; !memcmp(r + i * size, e + i * size, size); i++)
		;
	printf("# %s %s fpu %d:", oper_name[oper], type_name[type], shim_fpu_usable);
	print_value(" ", a + i * size, wide);
	print_value(" op ", b + i * size, wide);
	print_value(" is ", r + i * size, wide);
	print_value(" not ", e + i * size, wide);
	putchar('\n');
	return false;
}

/* All pairs of special values. */
static void test_specials(unsigned int oper, int wide)
{
	int n = specials[wide], i, j;
	bool ok = true;

	for (int fpu = 0; fpu < 2; fpu++) {
		shim_fpu_usable = fpu;
		for (i = 0; i < n; i++) {
			for (j = 0; j < n; j++) {
				put_float(wide, fa, j, special[wide][i]);
				put_float(wide, fb, j, special[wide][j]);
			}
			ok &= check_batch(oper, wide, n);
		}
	}
	result(ok, "%s of %d x %d special %s", oper_name[oper], n, n,
	       wide ? "f64" : "f32");
}

/* Half of the pairs random bits, half related; each with and without FPU. */
static void test_random(unsigned int oper, int wide, long pairs)
{
	bool ok = true;
	u64 v;

	for (long done = 0; done < pairs && ok; done += BATCH) {
		for (int i = 0; i < BATCH; i++) {
			v = rnd();
			put_float(wide, fa, i, v);
			put_float(wide, fb, i, i & 32 ? companion(wide, v) : rnd());
		}
		for (int fpu = 0; fpu < 2; fpu++) {
			shim_fpu_usable = fpu;
			ok &= check_batch(oper, wide, BATCH);
		}
	}
	result(ok, "%s of %ld random pairs of %s", oper_name[oper], pairs,
	       wide ? "f64" : "f32");
}

static int sign(int v)
{
	return (v > 0) - (v < 0);
}

static void test_cmp(unsigned int type)
{
	static const unsigned char records[][3] = { { 0, 0, 1 }, { 0, 1, 0 },
						    { 127 }, { 128 }, { 255, 255, 255 } };
	unsigned int width = type == HYPERCUBE_RECORD ? 3 : 0;
	int wide = naive_size(HYPERCUBE_MERGE, type, width) == 8;
	hc_cmp_fn cmp = hc_combine_cmp(type);
	unsigned char values[300][8] = { 0 };
	bool ok = cmp;
	int n = 0;

	for (; n < 200; n++)
		for (int k = 0; k < 8; k++)
			values[n][k] = n & 1 ? rnd() : rnd() % 3 - 1;
	for (int i = 0; i < 90; i++)
		put_float(wide, values[n++], 0, special[wide][i]);
	for (int i = 0; i < 5; i++)
		memcpy(values[n++], records[i], 3);
	for (int i = 0; ok && i < n; i++)
		for (int j = 0; j < n; j++)
			ok &= sign(cmp(values[i], values[j], width)) ==
			      order(type, values[i], values[j], width);
	result(ok, "order of %s", type_name[type]);
}

static void test_sections(void)
{
	size_t bytes = sizeof(fa);
	bool ok = true;

	memset(fa, 0, bytes);
	memset(fb, 0, bytes);
	shim_fpu_usable = true;
	shim_fpu_sections = 0;
	hc_combine(HYPERCUBE_SUM, HYPERCUBE_F64, 0, fa, fb, bytes);
#ifdef CONFIG_X86_64
	ok &= shim_fpu_sections == bytes / 4096;
#endif
	shim_fpu_sections = 0;
	hc_combine(HYPERCUBE_SUM, HYPERCUBE_F64, 0, fa, fb, 8);
	hc_combine(HYPERCUBE_SUM, HYPERCUBE_U64, 0, fa, fb, bytes);
	hc_combine(HYPERCUBE_MIN, HYPERCUBE_F64, 0, fa, fb, bytes);
	shim_fpu_usable = false;
	hc_combine(HYPERCUBE_PROD, HYPERCUBE_F32, 0, fa, fb, bytes);
	ok &= shim_fpu_sections == 0;
	result(ok, "FPU sections are bounded and only where they pay");
}

/* The rule for two NaNs is the CPU's own; some emulators have another. */
static void test_cpu_nans(void)
{
#ifdef __SSE2__
	static const u32 a[] = { 0x7fc00001, 0x7f800001, 0xff800007, 0x7fc00009 };
	static const u32 b[] = { 0xffc00002, 0x7fc00002, 0x7f900002, 0xff800001 };
	const char *note = "";
	u32 want;
	float x, y;

	for (int i = 0; i < 4; i++) {
		memcpy(&x, &a[i], 4);
		memcpy(&y, &b[i], 4);
		one_float(HYPERCUBE_SUM, x, y, &want);
		__asm__("addss %1, %0" : "+x" (x) : "x" (y));
		if (bits_float(x) != want)
			note = " # SKIP this CPU is emulated without care";
	}
	result(true, "two NaNs give what addss gives%s", note);
#endif
}

/* -------------------------------------------------------------------- bench */

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Floats: a of all sizes about 1; b about +-1, so that products stay there. */
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

static void bench_one(unsigned int oper, unsigned int type, size_t bytes, bool fpu)
{
	double best = 1e9, t;
	long n;

	shim_fpu_usable = fpu;
	for (int round = 0; round < 5; round++) {
		bench_fill(type);
		t = seconds();
		for (n = 0; n < (1 << 21) / (long)bytes; n++)
			hc_combine(oper, type, 0, fa, fb, bytes);
		t = (seconds() - t) / n;
		best = t < best ? t : best;
	}
	printf("%-7s %-4s %6zu bytes%s %8.2f GB/s %9.1f ns\n", oper_name[oper],
	       type_name[type], bytes, fpu ? " fpu" : "    ", bytes / best / 1e9,
	       best * 1e9);
}

static void bench(void)
{
	static const size_t sizes[] = { 32, 64, 128, 256, 1024, 8192, 32256 };

	for (unsigned int o = HYPERCUBE_SUM; o < HYPERCUBE_MERGE; o++)
		for (unsigned int t = HYPERCUBE_U8; t < HYPERCUBE_RECORD; t++)
			if (naive_size(o, t, 0) > 0)
				bench_one(o, t, 8192, false);
	for (unsigned int o = HYPERCUBE_SUM; o <= HYPERCUBE_PROD; o++)
		for (unsigned int t = HYPERCUBE_F32; t <= HYPERCUBE_F64; t++)
			for (size_t s = 0; s < 7; s++) {
				bench_one(o, t, sizes[s], false);
				bench_one(o, t, sizes[s], true);
			}
}

int main(int argc, char **argv)
{
	long pairs = 10000000;

	make_specials(0);
	make_specials(1);
	if (argc > 1 && !strcmp(argv[1], "bench")) {
		bench();
		return 0;
	}
	if (argc > 1)
		pairs = atol(argv[1]);

	test_size();
	test_all_arrays();
	for (unsigned int o = HYPERCUBE_SUM; o <= HYPERCUBE_MAX; o++)
		for (int wide = 0; wide < 2; wide++)
			test_specials(o, wide);
	for (unsigned int o = HYPERCUBE_SUM; o <= HYPERCUBE_PROD; o++)
		for (int wide = 0; wide < 2; wide++)
			test_random(o, wide, pairs);
	for (unsigned int t = HYPERCUBE_U8; t <= HYPERCUBE_RECORD; t++)
		test_cmp(t);
	result(!hc_combine_cmp(__HYPERCUBE_TYPE_END), "no order without a type");
	test_sections();
	test_cpu_nans();
	printf("1..%d\n", tests);
	return failures ? 1 : 0;
}
