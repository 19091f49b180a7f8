// SPDX-License-Identifier: GPL-2.0
/* See plain.h. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "plain.h"

static const unsigned char sizes[__HYPERCUBE_TYPE_END] = {
	[HYPERCUBE_U8] = 1, [HYPERCUBE_U16] = 2, [HYPERCUBE_U32] = 4, [HYPERCUBE_U64] = 8,
	[HYPERCUBE_I8] = 1, [HYPERCUBE_I16] = 2, [HYPERCUBE_I32] = 4, [HYPERCUBE_I64] = 8,
	[HYPERCUBE_F32] = 4, [HYPERCUBE_F64] = 8,
};

static bool is_float(unsigned int type)
{
	return type == HYPERCUBE_F32 || type == HYPERCUBE_F64;
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
	if (width || (bits && is_float(type)))
		return 0;
	return is_loc(oper) ? sizeof(struct hypercube_loc) : sizes[type];
}

/* --- the bits of a value, without a sign that they may have --- */

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

/* An integer in the order of the type: negative numbers lie below, negative floats backwards. */
static uint64_t key(unsigned int type, const void *p)
{
	uint64_t sign = 1ull << (8 * sizes[type] - 1), v = load(sizes[type], p);

	if (is_float(type) && v & sign)
		return ~v & (2 * sign - 1);
	return is_float(type) || type >= HYPERCUBE_I8 ? v ^ sign : v;
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

static double real(unsigned int type, const void *p)
{
	double d;
	float f;

	if (type == HYPERCUBE_F32) {
		memcpy(&f, p, sizeof(f));
		return f;
	}
	memcpy(&d, p, sizeof(d));
	return d;
}

bool plain_is_nan(unsigned int type, const void *p)
{
	return is_float(type) && isnan(real(type, p));
}

/* --- operators --- */

/* The first NaN counts, made quiet; C would not promise that. */
static void quiet(unsigned int type, void *p)
{
	store(sizes[type], p, load(sizes[type], p) |
	      (type == HYPERCUBE_F32 ? 1ull << 22 : 1ull << 51));
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

static void real_put(unsigned int type, void *p, double d)
{
	float f = (float)d;

	if (type == HYPERCUBE_F32)
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
	/* Sums and products of floats are what those of doubles are when rounded. */
	a = real(type, acc);
	b = real(type, src);
	real_put(type, acc, oper == HYPERCUBE_SUM ? a + b : a * b);
	/* The result is that of a number, even where infinities of both signs meet. */
	if (plain_is_nan(type, acc))
		store(sizes[type], acc, type == HYPERCUBE_F32 ? 0xffc00000u : 0xfff8ull << 48);
}

/* Bits beyond the type are cut off, with and without a sign alike. */
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
		else if (is_float(type))
			one_float(oper, type, a + i, b + i);
		else
			one_integer(oper, type, a + i, b + i);
	}
}
