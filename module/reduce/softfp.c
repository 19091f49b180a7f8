// SPDX-License-Identifier: GPL-2.0
/*
 * Addition and multiplication of IEEE 754 binary16, 32 and 64, and of bfloat16, in integers.
 *
 * Why not math-emu: its macros want an asm/sfp-machine.h, which most architectures lack, and
 * compute exception flags that are not needed here.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/hypercube.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "reduce/softfp.h"

/* A floating-point format. It is a constant wherever the functions below are inlined. */
struct format {
	int frac;	/* bits of the fraction */
	int expo;	/* bits of the exponent */
};

static const struct format f32 = { .frac = 23, .expo = 8 };
static const struct format f16 = { .frac = 10, .expo = 5 };
static const struct format bf16 = { .frac = 7, .expo = 8 };
static const struct format f64 = { .frac = 52, .expo = 11 };

/* Return: the hidden bit of a significand, which has the same value as the lowest bit of the
 * exponent field.
 */
static __always_inline u64 hidden(const struct format *f)
{
	return 1ULL << f->frac;
}

static __always_inline u64 sign_bit(const struct format *f)
{
	return 1ULL << (f->frac + f->expo);
}

static __always_inline u64 infinity(const struct format *f)
{
	return sign_bit(f) - hidden(f);
}

/* Set *@nan to the result of an operation with a NaN. Return: false if neither operand is a NaN. */
static __always_inline bool take_nan(const struct format *f, u64 a, u64 b,
				     u64 *nan)
{
	u64 quiet = hidden(f) >> 1;

	if (likely((a & ~sign_bit(f)) <= infinity(f) &&
		   (b & ~sign_bit(f)) <= infinity(f)))
		return false;
	*nan = ((a & ~sign_bit(f)) > infinity(f) ? a : b) | quiet;
	return true;
}

static __always_inline u64 invalid(const struct format *f)
{
	return sign_bit(f) | infinity(f) | hidden(f) >> 1;
}

/* Shift @v right by @n bits. The lowest bit of the result is set, too, if a 1 was shifted out
 * (sticky bit).
 */
static __always_inline u64 shift_sticky(u64 v, int n)
{
	if (n == 0)
		return v;
	if (n > 63)
		return v != 0;
	return v >> n | (v << (64 - n) != 0);
}

/*
 * Round the significand @sig, whose lowest @drop bits are beyond the precision, and combine it with
 * the exponent @e >= 1. The exponent field is set to e - 1 before @sig is added: the hidden bit of
 * @sig, if set, makes it e; if it is not set, the number is subnormal, e is 1, and the field stays
 * 0. A carry that the rounding causes increments the exponent field likewise, up to infinity.
 */
static __always_inline u64 round_pack(const struct format *f, int e, u64 sig,
				      int drop)
{
	u64 half = 1ULL << (drop - 1);
	u64 bits = ((u64)(e - 1) << f->frac) + (sig >> drop);

	if (e >= (1 << f->expo) - 1)
		return infinity(f);
	/* Round up if the rest is above half, or exactly half and @bits is odd. */
	return bits + ((sig & (2 * half - 1)) + (bits & 1) > half);
}

/* Number of additional low bits of a significand during an addition: guard, round and sticky bit.
 */
#define GUARD	3

static __always_inline u64 add(const struct format *f, u64 a, u64 b)
{
	u64 large = a & ~sign_bit(f), small = b & ~sign_bit(f);
	u64 sign = a & sign_bit(f);
	bool differ = (a ^ b) & sign_bit(f);
	u64 nan, sig, rest;
	int e, es, up;

	if (take_nan(f, a, b, &nan))
		return nan;
	if (large < small) {
		swap(large, small);
		sign = b & sign_bit(f);
	}
	if (large == infinity(f))
		return differ && small == large ? invalid(f) : sign | large;

	e = large >> f->frac;
	es = small >> f->frac;
	sig = (large & (hidden(f) - 1)) | (e ? hidden(f) : 0);
	rest = (small & (hidden(f) - 1)) | (es ? hidden(f) : 0);
	e += !e;
	es += !es;
	sig <<= GUARD;
	rest = shift_sticky(rest << GUARD, e - es);
	if (!differ) {
		sig += rest;
	} else {
		sig -= rest;
		if (!sig)
			return 0;
	}

	/* Normalise: shift right by one if the sum had a carry; shift left if leading bits have
	 * cancelled, but no further than to e == 1, where the result is subnormal.
	 */
	if (sig >> (f->frac + GUARD + 1)) {
		sig = shift_sticky(sig, 1);
		e++;
	} else if (!(sig >> (f->frac + GUARD))) {
		up = f->frac + GUARD + 1 - fls64(sig);
		if (up > e - 1)
			up = e - 1;
		sig <<= up;
		e -= up;
	}
	return sign | round_pack(f, e, sig, GUARD);
}

/* Return: the significand of a finite number @v > 0, shifted so that its highest 1 is bit 63. *@e
 * is set to the exponent.
 */
static __always_inline u64 normal(const struct format *f, u64 v, int *e)
{
	int up;

	*e = v >> f->frac;
	if (likely(*e))
		return (v | hidden(f)) << (63 - f->frac);
	up = 64 - fls64(v);
	*e = 1 + (63 - f->frac) - up;
	return v << up;
}

static __always_inline u64 mul(const struct format *f, u64 a, u64 b)
{
	u64 sign = (a ^ b) & sign_bit(f);
	u64 va = a & ~sign_bit(f), vb = b & ~sign_bit(f);
	u64 nan, sa, sb, high, low;
	int e, ea, eb;

	if (take_nan(f, a, b, &nan))
		return nan;
	if (va == infinity(f) || vb == infinity(f))
		return va && vb ? sign | infinity(f) : invalid(f);
	if (!va || !vb)
		return sign;

	sa = normal(f, va, &ea);
	sb = normal(f, vb, &eb);
	e = ea + eb - ((1 << (f->expo - 1)) - 1);
	/* The highest bit of the product is bit 127 or 126. */
	high = mul_u64_u64_shr(sa, sb, 64);
	low = sa * sb;
	if (high >> 63) {
		e++;
	} else {
		high = high << 1 | low >> 63;
		low <<= 1;
	}
	high |= low != 0;
	if (e < 1) {
		high = shift_sticky(high, 1 - e);
		e = 1;
	}
	return sign | round_pack(f, e, high, 63 - f->frac);
}

typedef u64 (*one_fn)(const struct format *f, u64 a, u64 b);

static __always_inline void all16(one_fn one, const struct format *f, struct any16 *to,
				  const struct any16 *first, const struct any16 *second, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[i].v = one(f, first[i].v, second[i].v);
}

static __always_inline void all32(one_fn one, struct any32 *to, const struct any32 *first,
				  const struct any32 *second, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[i].v = one(&f32, first[i].v, second[i].v);
}

static __always_inline void all64(one_fn one, struct any64 *to, const struct any64 *first,
				  const struct any64 *second, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[i].v = one(&f64, first[i].v, second[i].v);
}

static __always_inline void all(one_fn one, unsigned int type, void *to, const void *first,
				const void *second, size_t bytes)
{
	switch (type) {
	case HYPERCUBE_F16:
		return all16(one, &f16, to, first, second, bytes / 2);
	case HYPERCUBE_BF16:
		return all16(one, &bf16, to, first, second, bytes / 2);
	case HYPERCUBE_F32:
		return all32(one, to, first, second, bytes / 4);
	default:
		return all64(one, to, first, second, bytes / 8);
	}
}

void hc_softfp(unsigned int oper, unsigned int type, void *to, const void *first,
	       const void *second, size_t bytes)
{
	if (oper == HYPERCUBE_SUM)
		all(add, type, to, first, second, bytes);
	else
		all(mul, type, to, first, second, bytes);
}
