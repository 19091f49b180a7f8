// SPDX-License-Identifier: GPL-2.0
/*
 * module/reduce/combine.c, combine_fp.c and softfp.c, compared with plain C and the FPU.
 *
 * Usage: combine_test [bench | NAME..]
 * HC_SCALE is the percentage of PAIRS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/hypercube.h>
#include <asm/fpu/api.h>

#include "combine_test.h"
#include "ktap.h"
#include "reference.h"
#include "reduce/combine.h"

/* Number of random pairs for each float operation and format. */
#define PAIRS	10000000

bool shim_fpu_usable;
unsigned long shim_fpu_sections;

TEST(combine_size_is_element_size_or_error_if_unsupported)
{
	static const unsigned int widths[] = { 0, 1, 100, 256, 257, -1u };

	for (unsigned int o = 0; o < 13; o++)
		for (unsigned int t = 0; t < 14; t++)
			for (size_t w = 0; w < ARRAY_SIZE(widths); w++) {
				int size = plain_size(o, t, widths[w]);

				EXPECT_EQ(size ?: -EINVAL, hc_combine_size(o, t, widths[w]));
			}
	EXPECT_EQ(-EINVAL, hc_combine_size(-1u, -1u, 0));
}

/*
 * Combine @elems elements that begin @off bytes into their buffers, so some are not aligned. Each
 * buffer ends with its last element, so the address sanitizer reports an access beyond it. @apart:
 * the result has a buffer of its own; else it replaces the first operand.
 */
static bool check_array(unsigned int oper, unsigned int type, size_t size,
			size_t elems, size_t off, bool apart)
{
	unsigned int width = type == HYPERCUBE_RECORD ? size : 0;
	size_t bytes = size * elems, i;
	unsigned char *acc = malloc(off + bytes + 1), *src = malloc(off + bytes + 1);
	unsigned char *want = malloc(bytes + 1), *copy = malloc(bytes + 1);
	unsigned char *first = apart ? malloc(off + bytes + 1) : acc;
	bool ok;

	acc = realloc(acc, off + bytes ? off + bytes : 1);
	first = apart ? realloc(first, off + bytes ? off + bytes : 1) : acc;
	src = realloc(src, off + bytes ? off + bytes : 1);
	memset(acc, 0x5a, off);
	fill(oper, type, want, bytes);
	fill(oper, type, copy, bytes);
	memcpy(first + off, want, bytes);
	memcpy(src + off, copy, bytes);
	hc_combine(oper, type, width, acc + off, first + off, src + off, bytes);
	ok = !apart || !memcmp(want, first + off, bytes);
	plain_combine(oper, type, width, want, copy, bytes);
	ok &= !memcmp(want, acc + off, bytes) && !memcmp(copy, src + off, bytes);
	for (i = 0; i < off; i++)
		ok &= acc[i] == 0x5a;
	if (apart)
		free(first);
	free(acc);
	free(src);
	free(want);
	free(copy);
	return ok;
}

/* Check arrays of many lengths and alignments, with and without the FPU. */
static bool check_arrays(unsigned int oper, unsigned int type, size_t size)
{
	static const size_t elems[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17,
					31, 33, 63, 65, 130, 1021, 4099 };
	bool ok = true;

	for (int round = 0; round < 8; round++) {
		bool apart = round & 2;

		shim_fpu_usable = round & 1;
		for (size_t i = 0; i < ARRAY_SIZE(elems); i++)
			for (size_t off = 0; off < 16; off += 3)
				ok &= check_array(oper, type, size, elems[i], off, apart);
	}
	return ok;
}

static void arrays(struct __test_metadata *_metadata)
{
	unsigned int oper = _metadata->param[0], type = _metadata->param[1];

	EXPECT_TRUE(check_arrays(oper, type, _metadata->param[2]));
}

/* Add a test of arrays if the operator can combine elements of the type. */
static void arrays_add(unsigned int oper, unsigned int type, unsigned int width)
{
	unsigned int size = plain_size(oper, type, width);

	if (size)
		test_add(arrays, oper, type, size, "%s of %s, %u bytes",
			 oper_name[oper], type_name[type], size);
}

static void all_arrays_add(void)
{
	static const unsigned int widths[] = { 1, 3, 8, 10, 100, 256 };

	for (unsigned int o = HYPERCUBE_SUM; o < HYPERCUBE_MERGE; o++)
		for (unsigned int t = HYPERCUBE_U8; t < __HYPERCUBE_TYPE_END; t++)
			arrays_add(o, t, 0);
	for (size_t w = 0; w < ARRAY_SIZE(widths); w++) {
		arrays_add(HYPERCUBE_MIN, HYPERCUBE_RECORD, widths[w]);
		arrays_add(HYPERCUBE_MAX, HYPERCUBE_RECORD, widths[w]);
	}
}

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

/* Combine the first @n elements of fa and fb, and print the first pair whose result is wrong. */
static bool check_batch(unsigned int oper, int wide, size_t n)
{
	size_t size = wide ? 8 : 4, i;
	char *r = (char *)fr, *e = (char *)fe, *b = (char *)fb, *a = (char *)fa;
	unsigned int type = wide ? HYPERCUBE_F64 : HYPERCUBE_F32;

	memcpy(fr, fa, n * size);
	memcpy(fe, fa, n * size);
	plain_combine(oper, type, 0, e, b, n * size);
	hc_combine(oper, type, 0, r, a, b, n * size);
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

/* Combine all pairs of special values. */
static void special_pairs(struct __test_metadata *_metadata)
{
	unsigned int oper = _metadata->param[0], wide = _metadata->param[1];
	int n = specials[wide], i, j;

	for (int fpu = 0; fpu < 2; fpu++) {
		shim_fpu_usable = fpu;
		for (i = 0; i < n; i++) {
			for (j = 0; j < n; j++) {
				put_float(wide, fa, j, special[wide][i]);
				put_float(wide, fb, j, special[wide][j]);
			}
			EXPECT_TRUE(check_batch(oper, wide, n));
		}
	}
}

/* Combine random pairs, with and without the FPU. In half of the pairs the operands are
 * independent, in the other half the second one is a companion() of the first.
 */
static void random_pairs(struct __test_metadata *_metadata)
{
	unsigned int oper = _metadata->param[0], wide = _metadata->param[1];
	long pairs = _metadata->param[2];
	u64 v;

	for (long done = 0; done < pairs && !_metadata->failed; done += BATCH) {
		for (int i = 0; i < BATCH; i++) {
			v = rnd();
			put_float(wide, fa, i, v);
			put_float(wide, fb, i, i & 32 ? companion(wide, v) : rnd());
		}
		for (int fpu = 0; fpu < 2; fpu++) {
			shim_fpu_usable = fpu;
			EXPECT_TRUE(check_batch(oper, wide, BATCH));
		}
	}
}

static void pairs_add(unsigned int pairs)
{
	unsigned int o, wide;

	for (o = HYPERCUBE_SUM; o <= HYPERCUBE_MAX; o++)
		for (wide = 0; wide < 2; wide++)
			test_add(special_pairs, o, wide, 0,
				 "%s of %d x %d special %s", oper_name[o], specials[wide],
				 specials[wide], wide ? "f64" : "f32");
	for (o = HYPERCUBE_SUM; o <= HYPERCUBE_PROD; o++)
		for (wide = 0; wide < 2; wide++)
			test_add(random_pairs, o, wide, pairs,
				 "%s of %u random pairs of %s", oper_name[o], pairs,
				 wide ? "f64" : "f32");
}

/* Combine each 16-bit float with itself, its negative, neighbours of both, and random floats; in
 * half of the pairs the random float is the first operand.
 */
static void halves(struct __test_metadata *_metadata)
{
	unsigned int oper = _metadata->param[0], type = _metadata->param[1], v, i;
	u16 a[64], b[64], want[64], got[64], t;

	for (v = 0; v < 0x10000 && !_metadata->failed; v++) {
		for (i = 0; i < 64; i++) {
			a[i] = v;
			b[i] = i < 4 ? v + i - 1 : i < 8 ? (v ^ 0x8000) + i - 5 : rnd();
			t = a[i];
			a[i] = i & 32 ? b[i] : t;
			b[i] = i & 32 ? t : b[i];
		}
		memcpy(want, a, sizeof(a));
		plain_combine(oper, type, 0, want, b, sizeof(b));
		hc_combine(oper, type, 0, got, a, b, sizeof(a));
		EXPECT_EQ(0, memcmp(want, got, sizeof(got)));
	}
}

/* Compare with the compiler's own binary16 type, for pairs of some values. */
TEST(f16_sums_and_products_equal_those_of_compiler)
{
#if defined(__FLT16_MAX__) && defined(__SSE2__)
	static _Float16 one, two, sum, prod;
	u16 a, b, s, p;

	for (unsigned int i = 0; i < 0x10000; i += 7)
		for (unsigned int k = 0; k < 300; k++) {
			a = i;
			b = k < 100 ? k * 655 : rnd();
			/* NaNs are skipped, because their bits are not specified. */
			if ((a & 0x7fff) > 0x7c00 || (b & 0x7fff) > 0x7c00)
				continue;
			memcpy(&one, &a, 2);
			memcpy(&two, &b, 2);
			sum = one + two;
			prod = one * two;
			hc_combine(HYPERCUBE_SUM, HYPERCUBE_F16, 0, &s, &a, &b, 2);
			hc_combine(HYPERCUBE_PROD, HYPERCUBE_F16, 0, &p, &a, &b, 2);
			if (sum == sum)
				ASSERT_EQ(0, memcmp(&sum, &s, 2));
			if (prod == prod)
				ASSERT_EQ(0, memcmp(&prod, &p, 2));
			ASSERT_EQ(sum != sum, (s & 0x7fff) > 0x7c00);
			ASSERT_EQ(prod != prod, (p & 0x7fff) > 0x7c00);
		}
#else
	SKIP(return, "this compiler has none");
#endif
}

static int sign(int v)
{
	return (v > 0) - (v < 0);
}

/* Compare the comparison function of a type with a plain comparison. */
static void order(struct __test_metadata *_metadata)
{
	static const unsigned char records[][3] = { { 0, 0, 1 }, { 0, 1, 0 },
						    { 127 }, { 128 }, { 255, 255, 255 } };
	unsigned int type = _metadata->param[0], width = type == HYPERCUBE_RECORD ? 3 : 0;
	int wide = plain_size(HYPERCUBE_MERGE, type, width) == 8;
	hc_cmp_fn cmp = hc_combine_cmp(type);
	unsigned char values[300][8] = { 0 };
	int n = 0;

	ASSERT_TRUE(cmp);
	for (; n < 200; n++)
		for (int k = 0; k < 8; k++)
			values[n][k] = n & 1 ? rnd() : rnd() % 3 - 1;
	for (int i = 0; i < 90; i++)
		put_float(wide, values[n++], 0, special[wide][i]);
	for (int i = 0; i < 5; i++)
		memcpy(values[n++], records[i], 3);
	for (int i = 0; i < n && !_metadata->failed; i++)
		for (int j = 0; j < n; j++)
			EXPECT_EQ(plain_compare(type, width, values[i], values[j]),
				  sign(cmp(values[i], values[j], width)));
}

TEST(compare_function_of_unknown_type_is_null)
{
	EXPECT_FALSE(hc_combine_cmp(__HYPERCUBE_TYPE_END));
}

TEST(fpu_sections_are_bounded_and_only_for_long_float_sums)
{
	size_t bytes = sizeof(fa);

	memset(fa, 0, bytes);
	memset(fb, 0, bytes);
	shim_fpu_usable = true;
	shim_fpu_sections = 0;
	hc_combine(HYPERCUBE_SUM, HYPERCUBE_F64, 0, fa, fa, fb, bytes);
#ifdef CONFIG_X86_64
	EXPECT_EQ(bytes / 4096, shim_fpu_sections);
#endif
	shim_fpu_sections = 0;
	hc_combine(HYPERCUBE_SUM, HYPERCUBE_F64, 0, fa, fa, fb, 8);
	hc_combine(HYPERCUBE_SUM, HYPERCUBE_U64, 0, fa, fa, fb, bytes);
	hc_combine(HYPERCUBE_MIN, HYPERCUBE_F64, 0, fa, fa, fb, bytes);
	shim_fpu_usable = false;
	hc_combine(HYPERCUBE_PROD, HYPERCUBE_F32, 0, fa, fa, fb, bytes);
	EXPECT_EQ(0, shim_fpu_sections);
}

/* The result for two NaNs follows the rule of the CPU. Some emulators have another rule, so the
 * test is skipped there.
 */
TEST(reference_sum_of_two_nans_equals_that_of_addss)
{
#ifdef __SSE2__
	static const u32 a[] = { 0x7fc00001, 0x7f800001, 0xff800007, 0x7fc00009 };
	static const u32 b[] = { 0xffc00002, 0x7fc00002, 0x7f900002, 0xff800001 };
	u32 want, got;
	float x, y;

	for (int i = 0; i < 4; i++) {
		memcpy(&x, &a[i], 4);
		memcpy(&y, &b[i], 4);
		want = a[i];
		plain_combine(HYPERCUBE_SUM, HYPERCUBE_F32, 0, &want, &b[i], 4);
		__asm__("addss %1, %0" : "+x" (x) : "x" (y));
		memcpy(&got, &x, 4);
		if (got != want)
			SKIP(return, "this CPU is emulated without care");
	}
#endif
}

int main(int argc, char **argv)
{
	const char *scale = getenv("HC_SCALE");

	make_specials(0);
	make_specials(1);
	if (argc > 1 && !strcmp(argv[1], "bench")) {
		bench();
		return 0;
	}
	all_arrays_add();
	pairs_add(PAIRS / 100 * (scale ? atoi(scale) : 100));
	for (unsigned int o = HYPERCUBE_SUM; o <= HYPERCUBE_MAX; o++)
		for (unsigned int t = HYPERCUBE_F16; t <= HYPERCUBE_BF16; t++)
			test_add(halves, o, t, 0, "%s of each %s with others", oper_name[o],
				 type_name[t]);
	for (unsigned int t = HYPERCUBE_U8; t < __HYPERCUBE_TYPE_END; t++)
		test_add(order, t, 0, 0, "order of %s", type_name[t]);
	return test_harness_run(argc, argv);
}
