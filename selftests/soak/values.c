// SPDX-License-Identifier: GPL-2.0
/*
 * Computes and compares elements.
 *
 * Floats are chosen such that no order of combining them changes a bit of the result: sums of small
 * integers, products of powers of two, no negative zero, and no element for which all members
 * contribute a NaN. "Rough" floats have arbitrary values, so their sum depends on the order of the
 * additions, and is compared with a tolerance (oracle.c).
 */
#include <math.h>
#include <string.h>

#include "reference.h"
#include "soak.h"

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
		/* At one node in eight this element is never a NaN. */
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
	uint32_t size = plain_size(HYPERCUBE_SUM, sp->type, 0);
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
		memcpy(out, &n, size); /* the machines that run the test are little endian */
	}
}

/*
 * Make element @i of the contribution of @node. Elements repeat after PERIOD, a prime, so that no
 * two segments begin with the same elements. The elements of the result then repeat, too.
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

/*
 * Make element @i of a sorted run of @n elements: the range of values is divided into @n intervals,
 * and the element is a random value of interval @i.
 */
void run_make(const struct spec *sp, uint64_t key, uint32_t i, uint32_t n, void *out)
{
	uint32_t size = sp->type == HYPERCUBE_RECORD ? 8 : plain_size(HYPERCUBE_SUM, sp->type, 0);
	uint64_t part = ~0ull / n, u = part * i + mix(key + i) % part, number;
	double d = (double)(u >> 44) - (1 << 19);
	float f = (float)d;
	uint32_t k;

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
		if (plain_compare(sp->type, sp->width,
				  (const char *)base + (i - 1) * sp->element,
				  (const char *)base + i * sp->element) > 0)
			return false;
	return true;
}

/* Return: a digest of @n elements that does not depend on their order. */
uint64_t elements_digest(const struct spec *sp, const void *base, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += digest_of((const char *)base + i * sp->element, sp->element);
	return sum;
}
