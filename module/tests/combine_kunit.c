// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that sums and products of floats in the kernel have the same bits with FPU sections as
 * without. Tests in userspace (ctl/tests/) check the values of the results.
 *
 * The functions of the hypercube module are not exported, so this test module includes their
 * source.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/prandom.h>

#include "../reduce/softfp.c"
#include "../reduce/combine_fp.c"

#define BYTES	SZ_16K

struct arrays {
	u64 a[BYTES / 8];
	u64 b[BYTES / 8];
	u64 fast[BYTES / 8];
	u64 soft[BYTES / 8];
};

struct param {
	unsigned int oper;
	unsigned int type;
	const char *name;
};

static const struct param params[] = {
	{ HYPERCUBE_SUM, HYPERCUBE_F32, "sum of f32" },
	{ HYPERCUBE_SUM, HYPERCUBE_F64, "sum of f64" },
	{ HYPERCUBE_PROD, HYPERCUBE_F32, "product of f32" },
	{ HYPERCUBE_PROD, HYPERCUBE_F64, "product of f64" },
	{ HYPERCUBE_SUM, HYPERCUBE_F16, "sum of f16" },
	{ HYPERCUBE_PROD, HYPERCUBE_BF16, "product of bf16" },
};

static void param_name(const struct param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(combine, params, param_name);

static void fill(struct arrays *m, bool special)
{
	/* Upper 32 bits of floats: 0, subnormal, smallest, 1, largest, infinity, NaNs. */
	static const u32 high[] = { 0x00000000, 0x00000001, 0x00100000, 0x00800000,
				    0x3f800000, 0x3ff00000, 0x7f7fffff, 0x7fefffff,
				    0x7f800000, 0x7ff00000, 0x7f800001, 0x7fc00007,
				    0x7ff00001, 0x7ff80003 };
	struct rnd_state rnd;
	u32 *a = (u32 *)m->a, *b = (u32 *)m->b;
	unsigned int i;

	prandom_seed_state(&rnd, 1 + special);
	for (i = 0; i < BYTES / 4; i++) {
		a[i] = prandom_u32_state(&rnd);
		b[i] = prandom_u32_state(&rnd);
		if (special && prandom_u32_state(&rnd) & 3) {
			a[i] = high[a[i] % ARRAY_SIZE(high)] | (a[i] & BIT(31));
			b[i] = high[b[i] % ARRAY_SIZE(high)] | (b[i] & BIT(31));
		}
	}
}

static void same(struct kunit *test, struct arrays *m, size_t bytes)
{
	const struct param *p = test->param_value;

	memcpy(m->fast, m->a, BYTES);
	memcpy(m->soft, m->a, BYTES);
	/* hc_combine_fp() writes over its first operand here; hc_softfp() writes to another array.
	 */
	hc_combine_fp(p->oper, p->type, m->fast, m->fast, m->b, bytes);
	hc_softfp(p->oper, p->type, m->soft, m->a, m->b, bytes);
	KUNIT_EXPECT_EQ_MSG(test, memcmp(m->fast, m->soft, BYTES), 0,
			    "%zu bytes", bytes);
}

static void combine_with_fpu_has_same_bits_as_softfp(struct kunit *test)
{
	struct arrays *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	size_t bytes;
	int special;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, m);
	for (special = 0; special < 2; special++) {
		fill(m, special);
		for (bytes = 0; bytes < 512; bytes += 8)
			same(test, m, bytes);
		same(test, m, BYTES);
	}
}

#ifdef CONFIG_X86_64
/* Combine as in a softirq that has interrupted another FPU section, where the FPU cannot be used.
 */
static void combine_within_fpu_section_has_same_bits(struct kunit *test)
{
	const struct param *p = test->param_value;
	struct arrays *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	bool usable;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, m);
	KUNIT_EXPECT_TRUE(test, irq_fpu_usable());
	fill(m, true);
	memcpy(m->fast, m->a, BYTES);
	memcpy(m->soft, m->a, BYTES);
	hc_combine_fp(p->oper, p->type, m->fast, m->a, m->b, BYTES);
	kernel_fpu_begin();
	usable = irq_fpu_usable();
	hc_combine_fp(p->oper, p->type, m->soft, m->soft, m->b, BYTES);
	kernel_fpu_end();
	KUNIT_EXPECT_FALSE(test, usable);
	KUNIT_EXPECT_EQ(test, memcmp(m->fast, m->soft, BYTES), 0);
}
#endif

static struct kunit_case combine_cases[] = {
	KUNIT_CASE_PARAM(combine_with_fpu_has_same_bits_as_softfp, combine_gen_params),
#ifdef CONFIG_X86_64
	KUNIT_CASE_PARAM(combine_within_fpu_section_has_same_bits, combine_gen_params),
#endif
	{}
};

static struct kunit_suite combine_suite = {
	.name = "hypercube_combine",
	.test_cases = combine_cases,
};

kunit_test_suite(combine_suite);

MODULE_DESCRIPTION("hypercube: tests of floating point operators");
MODULE_LICENSE("GPL");
