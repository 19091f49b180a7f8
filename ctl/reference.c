// SPDX-License-Identifier: GPL-2.0
/*
 * See reference.h.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "reference.h"

static const unsigned char sizes[__HYPERCUBE_TYPE_END] = {
	[HYPERCUBE_U8] = 1, [HYPERCUBE_U16] = 2, [HYPERCUBE_U32] = 4, [HYPERCUBE_U64] = 8,
	[HYPERCUBE_I8] = 1, [HYPERCUBE_I16] = 2, [HYPERCUBE_I32] = 4, [HYPERCUBE_I64] = 8,
	[HYPERCUBE_F32] = 4, [HYPERCUBE_F64] = 8, [HYPERCUBE_F16] = 2, [HYPERCUBE_BF16] = 2,
};

/* Number of significand bits of a float, including the hidden one. */
static const unsigned char precision[__HYPERCUBE_TYPE_END] = {
	[HYPERCUBE_F32] = 24, [HYPERCUBE_F64] = 53, [HYPERCUBE_F16] = 11, [HYPERCUBE_BF16] = 8,
};

bool plain_is_float(unsigned int type)
{
	return precision[type];
}

static bool is_half(unsigned int type)
{
	return type == HYPERCUBE_F16 || type == HYPERCUBE_BF16;
}

static bool is_loc(unsigned int oper)
{
	return oper == HYPERCUBE_MINLOC || oper == HYPERCUBE_MAXLOC;
}

unsigned int plain_size(unsigned int oper, unsigned int type, unsigned int width)
{
	bool bits = oper == HYPERCUBE_AND || oper == HYPERCUBE_OR || oper == HYPERCUBE_XOR;
	bool pick = oper == HYPERCUBE_MIN || oper == HYPERCUBE_MAX || oper == HYPERCUBE_MERGE;

	if (!oper || oper >= __HYPERCUBE_OPER_END || !type || type >= __HYPERCUBE_TYPE_END)
		return 0;
	if (type == HYPERCUBE_RECORD)
		return pick && width <= HYPERCUBE_RECORD_MAX ? width : 0;
	if (width || (bits && plain_is_float(type)))
		return 0;
	return is_loc(oper) ? sizeof(struct hypercube_loc) : sizes[type];
}

/* --- the bits of a value, without its sign --- */

static uint64_t load(unsigned int size, const void *p)
{
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (size) {
	case 1:
		memcpy(&u8, p, sizeof(u8));
		return u8;
	case 2:
		memcpy(&u16, p, sizeof(u16));
		return u16;
	case 4:
		memcpy(&u32, p, sizeof(u32));
		return u32;
	}
	memcpy(&u64, p, sizeof(u64));
	return u64;
}

static void store(unsigned int size, void *p, uint64_t v)
{
	uint8_t u8 = (uint8_t)v;
	uint16_t u16 = (uint16_t)v;
	uint32_t u32 = (uint32_t)v;

	if (size == 1)
		memcpy(p, &u8, sizeof(u8));
	else if (size == 2)
		memcpy(p, &u16, sizeof(u16));
	else if (size == 4)
		memcpy(p, &u32, sizeof(u32));
	else
		memcpy(p, &v, sizeof(v));
}

/* --- order --- */

/* Return: a number for the value; these numbers sort as the values do. The sign bit of signed types
 * is inverted, so that negative values come first. Of a negative float, all other bits are
 * inverted, too, because a float consists of a sign and a magnitude.
 */
static uint64_t key(unsigned int type, const void *p)
{
	uint64_t sign = 1ull << (8 * sizes[type] - 1), v = load(sizes[type], p);

	if (plain_is_float(type) && v & sign)
		return ~v & (2 * sign - 1);
	return plain_is_float(type) || type >= HYPERCUBE_I8 ? v ^ sign : v;
}

int plain_compare(unsigned int type, unsigned int width, const void *a, const void *b)
{
	uint64_t ka, kb;
	int c;

	if (type == HYPERCUBE_RECORD) {
		c = memcmp(a, b, width);
		return c < 0 ? -1 : c > 0;
	}
	ka = key(type, a);
	kb = key(type, b);
	return ka < kb ? -1 : ka > kb;
}

/* Return: the exponent bias of the 16-bit float type, which is also the exponent field of 1.0. */
static int half_bias(unsigned int type)
{
	return type == HYPERCUBE_F16 ? 15 : 127;
}

static double half_real(unsigned int type, uint64_t v)
{
	int frac = precision[type] - 1, e = (int)((v & 0x7fff) >> frac);
	double m = (double)(v & ((1u << frac) - 1)), d;

	if (e > 2 * half_bias(type))
		d = m > 0 ? NAN : INFINITY;
	else
		d = ldexp(e ? m + (1 << frac) : m, (e ? e : 1) - half_bias(type) - frac);
	return v & 0x8000 ? -d : d;
}

/* Round @d to the nearest 16-bit float, ties to even. The number is first expressed in units in the
 * last place of the float, and rint() rounds this number.
 */
static uint64_t half_bits(unsigned int type, double d)
{
	int frac = precision[type] - 1, bias = half_bias(type), e;
	uint64_t sign = signbit(d) ? 0x8000 : 0, units;

	d = fabs(d);
	if (d == 0)
		return sign;
	if (isinf(d))
		return sign | (uint64_t)(2 * bias + 1) << frac;
	frexp(d, &e);
	e = e - 1 < 1 - bias ? 1 - bias : e - 1;
	/* From one power of two to the next there are 2^frac units. So if @units is rounded up to
	 * the next power of two, the addition increments the exponent.
	 */
	units = (uint64_t)rint(ldexp(d, frac - e));
	units += (uint64_t)(e + bias - 1) << frac;
	if (units > (uint64_t)(2 * bias + 1) << frac)
		units = (uint64_t)(2 * bias + 1) << frac;
	return sign | units;
}

static double real(unsigned int type, const void *p)
{
	double d;
	float f;

	if (is_half(type))
		return half_real(type, load(2, p));
	if (type == HYPERCUBE_F32) {
		memcpy(&f, p, sizeof(f));
		return f;
	}
	memcpy(&d, p, sizeof(d));
	return d;
}

bool plain_is_nan(unsigned int type, const void *p)
{
	return plain_is_float(type) && isnan(real(type, p));
}

/* --- operators --- */

/* Make a NaN quiet. If an operand is a NaN, the result of an operation must be the first NaN, made
 * quiet. C does not guarantee that, so this is done explicitly.
 */
static void quiet(unsigned int type, void *p)
{
	store(sizes[type], p, load(sizes[type], p) | 1ull << (precision[type] - 2));
}

static void extreme(unsigned int oper, unsigned int type, unsigned int elem, void *acc,
		    const void *src)
{
	int c = plain_compare(type, elem, src, acc);

	if (plain_is_nan(type, src)) {
		if (plain_is_nan(type, acc))
			quiet(type, acc);
	} else if (plain_is_nan(type, acc) || (oper == HYPERCUBE_MIN ? c < 0 : c > 0)) {
		memcpy(acc, src, elem);
	}
}

static void extreme_loc(unsigned int oper, unsigned int type, void *acc, const void *src)
{
	struct hypercube_loc a, b;
	int c;

	memcpy(&a, acc, sizeof(a));
	memcpy(&b, src, sizeof(b));
	c = plain_compare(type, 0, b.value, a.value);
	if (oper == HYPERCUBE_MAXLOC)
		c = -c;
	if (plain_is_nan(type, a.value) || plain_is_nan(type, b.value))
		c = plain_is_nan(type, b.value) - plain_is_nan(type, a.value);
	if (c < 0 || (!c && b.index < a.index))
		memcpy(acc, &b, sizeof(b));
}

void plain_put_real(unsigned int type, void *p, double d)
{
	float f = (float)d;

	if (is_half(type) && !isnan(d))
		store(2, p, half_bits(type, d));
	else if (is_half(type))
		store(2, p, 0x7fff);
	else if (type == HYPERCUBE_F32)
		memcpy(p, &f, sizeof(f));
	else
		memcpy(p, &d, sizeof(d));
}

static void one_float(unsigned int oper, unsigned int type, void *acc, const void *src)
{
	double a, b;

	if (plain_is_nan(type, acc)) {
		quiet(type, acc);
		return;
	}
	if (plain_is_nan(type, src)) {
		memcpy(acc, src, sizes[type]);
		quiet(type, acc);
		return;
	}
	/* Compute the sum or product in double, and round it to the type. */
	a = real(type, acc);
	b = real(type, src);
	plain_put_real(type, acc, oper == HYPERCUBE_SUM ? a + b : a * b);
	/* A NaN that results from operands that are not NaNs, such as from infinities of both
	 * signs, always gets the same bit pattern.
	 */
	if (plain_is_nan(type, acc))
		store(sizes[type], acc, ~0ull << (precision[type] - 2));
}

/* Combine two integers. The result is truncated to the size of the type, which is correct for
 * signed and unsigned types.
 */
static void one_integer(unsigned int oper, unsigned int type, void *acc, const void *src)
{
	uint64_t a = load(sizes[type], acc), b = load(sizes[type], src);

	switch (oper) {
	case HYPERCUBE_SUM:
		a += b;
		break;
	case HYPERCUBE_PROD:
		a *= b;
		break;
	case HYPERCUBE_AND:
		a &= b;
		break;
	case HYPERCUBE_OR:
		a |= b;
		break;
	default:
		a ^= b;
	}
	store(sizes[type], acc, a);
}

void plain_combine(unsigned int oper, unsigned int type, unsigned int width, void *acc,
		   const void *src, size_t bytes)
{
	unsigned int elem = plain_size(oper, type, width);
	const char *b = src;
	char *a = acc;
	size_t i;

	for (i = 0; elem && i < bytes; i += elem) {
		if (is_loc(oper))
			extreme_loc(oper, type, a + i, b + i);
		else if (oper == HYPERCUBE_MIN || oper == HYPERCUBE_MAX)
			extreme(oper, type, elem, a + i, b + i);
		else if (plain_is_float(type))
			one_float(oper, type, a + i, b + i);
		else
			one_integer(oper, type, a + i, b + i);
	}
}
