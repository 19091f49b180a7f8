// SPDX-License-Identifier: GPL-2.0
/*
 * Elements: how they are made, compared and combined, in plain C and by the text of hypercube(7).
 *
 * Floats are chosen so that no order of combining changes a bit: sums of small integers, products
 * of powers of two, no negative zero, no element of which all members give a NaN. Rough ones are
 * any; their sum is compared with a bound (oracle.c).
 */
#include <math.h>
#include <string.h>

#include "soak.h"

uint32_t type_size(int type)
{
	static const uint8_t size[] = {
		[HYPERCUBE_U8] = 1,  [HYPERCUBE_U16] = 2, [HYPERCUBE_U32] = 4, [HYPERCUBE_U64] = 8,
		[HYPERCUBE_I8] = 1,  [HYPERCUBE_I16] = 2, [HYPERCUBE_I32] = 4, [HYPERCUBE_I64] = 8,
		[HYPERCUBE_F32] = 4, [HYPERCUBE_F64] = 8,
	};

	return size[type];
}

static bool is_loc(int oper)
{
	return oper == HYPERCUBE_MINLOC || oper == HYPERCUBE_MAXLOC;
}

static double float_make(const struct spec *sp, uint64_t r, uint32_t node)
{
	switch (sp->oper) {
	case HYPERCUBE_SUM:
		if (sp->rough)
			return ((double)(r >> 11) / (double)(1ull << 52) - 1) *
			       ldexp(1, (int)(r % 13) - 6);
		return (double)(int)(r % 2001) - 1000;
	case HYPERCUBE_PROD:
		return ldexp(r & 8 ? 1 : -1, (int)(r % 3) - 1);
	case HYPERCUBE_MIN:
	case HYPERCUBE_MAX:
		/* Every node but one in eight may give a NaN. */
		if (r % 11 == 0 && node % 8)
			return NAN;
		if (r % 13 == 0)
			return r & 16 ? INFINITY : -INFINITY;
		break;
	}
	return (double)(int)(r >> 40 & 0xffff) - 32768;
}

static uint64_t integer_make(const struct spec *sp, uint64_t r, uint32_t bits)
{
	switch (sp->oper) {
	case HYPERCUBE_PROD:
		return r | 1;
	case HYPERCUBE_AND:
		return ~(1ull << r % bits);
	case HYPERCUBE_OR:
		return 1ull << r % bits;
	case HYPERCUBE_MINLOC:
	case HYPERCUBE_MAXLOC:
		return r % 7 - 3;
	}
	return r;
}

static void number_make(const struct spec *sp, uint64_t r, uint32_t node, void *out)
{
	uint32_t size = type_size(sp->type);
	uint64_t n;
	double d;
	float f;

	if (sp->type == HYPERCUBE_F64) {
		d = float_make(sp, r, node);
		memcpy(out, &d, sizeof(d));
	} else if (sp->type == HYPERCUBE_F32) {
		f = (float)float_make(sp, r, node);
		memcpy(out, &f, sizeof(f));
	} else {
		n = integer_make(sp, r, 8 * size);
		memcpy(out, &n, size); /* little endian, as the machines that this runs on */
	}
}

/*
 * Element @i of what @node gives. They repeat after PERIOD elements, a prime, so that no segment
 * begins as another one does; what all give together then does, too.
 */
void value_make(const struct spec *sp, uint64_t key, uint32_t node, uint32_t i, void *out)
{
	uint64_t r = mix(key + i * 0x9fb21c651e98df25ull), index;
	uint32_t k;

	if (sp->type == HYPERCUBE_RECORD) {
		for (k = 0; k < sp->width; k++)
			((uint8_t *)out)[k] = (uint8_t)(mix(r + k / 8) >> 8 * (k % 8));
	} else if (is_loc(sp->oper)) {
		memset(out, 0, 8);
		number_make(sp, r, node, out);
		index = (r >> 20) % 1000 * NODES_MAX + node;
		memcpy((char *)out + 8, &index, 8);
	} else {
		number_make(sp, r, node, out);
	}
}

#define LESS(T) \
	({ \
		T x_, y_; \
		memcpy(&x_, a, sizeof(T)); \
		memcpy(&y_, b, sizeof(T)); \
		(x_ > y_) - (x_ < y_); \
	})

static int value_compare(const struct spec *sp, const void *a, const void *b)
{
	switch (sp->type) {
	case HYPERCUBE_U8:
		return LESS(uint8_t);
	case HYPERCUBE_U16:
		return LESS(uint16_t);
	case HYPERCUBE_U32:
		return LESS(uint32_t);
	case HYPERCUBE_U64:
		return LESS(uint64_t);
	case HYPERCUBE_I8:
		return LESS(int8_t);
	case HYPERCUBE_I16:
		return LESS(int16_t);
	case HYPERCUBE_I32:
		return LESS(int32_t);
	case HYPERCUBE_I64:
		return LESS(int64_t);
	case HYPERCUBE_F32:
		return LESS(float);
	case HYPERCUBE_F64:
		return LESS(double);
	}
	return memcmp(a, b, sp->width);
}

/*
 * Element @i of an ascending run of @n: the range is cut into n parts, and it lies anywhere in its
 * own.
 */
void run_make(const struct spec *sp, uint64_t key, uint32_t i, uint32_t n, void *out)
{
	uint32_t size = sp->type == HYPERCUBE_RECORD ? 8 : type_size(sp->type), k;
	uint64_t part = ~0ull / n, u = part * i + mix(key + i) % part, number;
	double d = (double)(u >> 44) - (1 << 19);
	float f = (float)d;

	if (sp->type == HYPERCUBE_RECORD) {
		for (k = 0; k < sp->width; k++)
			((uint8_t *)out)[k] = (uint8_t)(k < 8 ? u >> (56 - 8 * k) : mix(u + k));
	} else if (sp->type == HYPERCUBE_F64) {
		memcpy(out, &d, sizeof(d));
	} else if (sp->type == HYPERCUBE_F32) {
		memcpy(out, &f, sizeof(f));
	} else {
		number = u >> (64 - 8 * size);
		if (sp->type >= HYPERCUBE_I8)
			number ^= 1ull << (8 * size - 1);
		memcpy(out, &number, size);
	}
}

bool ascends(const struct spec *sp, const void *base, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (value_compare(sp, (const char *)base + (i - 1) * sp->element,
				  (const char *)base + i * sp->element) > 0)
			return false;
	return true;
}

/* The same for the same elements in any order, and hardly for others. */
uint64_t elements_digest(const struct spec *sp, const void *base, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += digest_of((const char *)base + i * sp->element, sp->element);
	return sum;
}

static bool value_is_nan(const struct spec *sp, const void *a)
{
	double d;
	float f;

	if (sp->type == HYPERCUBE_F32) {
		memcpy(&f, a, sizeof(f));
		return isnan(f);
	}
	if (sp->type == HYPERCUBE_F64) {
		memcpy(&d, a, sizeof(d));
		return isnan(d);
	}
	return false;
}

/* Does @b replace @a as the extreme value? */
static bool replaces(const struct spec *sp, const void *a, const void *b)
{
	bool max = sp->oper == HYPERCUBE_MAX || sp->oper == HYPERCUBE_MAXLOC;
	uint64_t at, bt;
	int order;

	if (value_is_nan(sp, b))
		return false;
	if (value_is_nan(sp, a))
		return true;
	order = value_compare(sp, b, a);
	if (order)
		return max ? order > 0 : order < 0;
	if (!is_loc(sp->oper))
		return false;
	memcpy(&at, (const char *)a + 8, 8);
	memcpy(&bt, (const char *)b + 8, 8);
	return bt < at;
}

#define EACH(T, EXPR) \
	do { \
		T x, y; \
		memcpy(&x, a, sizeof(T)); \
		memcpy(&y, b, sizeof(T)); \
		x = (T)(EXPR); \
		memcpy(a, &x, sizeof(T)); \
	} while (0)

static void integers_combine(const struct spec *sp, void *a, const void *b)
{
	uint64_t x = 0, y = 0;

	memcpy(&x, a, sp->element);
	memcpy(&y, b, sp->element);
	if (sp->oper == HYPERCUBE_SUM)
		x += y;
	else if (sp->oper == HYPERCUBE_PROD)
		x *= y;
	else if (sp->oper == HYPERCUBE_AND)
		x &= y;
	else if (sp->oper == HYPERCUBE_OR)
		x |= y;
	else
		x ^= y;
	memcpy(a, &x, sp->element);
}

static void value_combine(const struct spec *sp, void *a, const void *b)
{
	bool extreme = sp->oper == HYPERCUBE_MIN || sp->oper == HYPERCUBE_MAX || is_loc(sp->oper);

	if (extreme) {
		if (replaces(sp, a, b))
			memcpy(a, b, sp->element);
	} else if (sp->type == HYPERCUBE_F32) {
		EACH(float, sp->oper == HYPERCUBE_SUM ? x + y : x * y);
	} else if (sp->type == HYPERCUBE_F64) {
		EACH(double, sp->oper == HYPERCUBE_SUM ? x + y : x * y);
	} else {
		integers_combine(sp, a, b);
	}
}

void values_combine(const struct spec *sp, void *sum, const void *in, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		value_combine(sp, (char *)sum + i * sp->element,
			      (const char *)in + i * sp->element);
}
