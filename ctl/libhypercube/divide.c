// SPDX-License-Identifier: GPL-2.0
/*
 * Division of floats by an integer, which makes a mean of a sum. Those of 16 bits are divided as
 * integers, so that each result is rounded once.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "handle.h"

/* F32 has all of these, and the quotient of the least number has bits enough to round it. */
#define BY_MAX		(UINT32_C(1) << 24)
/* Bits of a quotient behind the point. */
#define BITS		40

/* Return: @h divided by @by, where a number has so many bits of a fraction; to nearest, ties to
 * even.
 */
static uint16_t half_divide(uint16_t h, uint32_t by, unsigned int fraction)
{
	const uint32_t one = UINT32_C(1) << fraction, magnitude = h & 0x7fff;
	const uint32_t exponent = magnitude >> fraction;
	/* In units of the least number: significand << shift, subnormal numbers have no shift. */
	uint64_t significand = (magnitude & (one - 1)) | (exponent ? one : 0);
	unsigned int shift = exponent ? exponent - 1 : 0, top, last, cut;
	uint64_t q = (significand << BITS) / by, rest, tie, kept;

	/* Infinities and NaNs stay, and so does 0. */
	if (exponent == 0x7fffU >> fraction || !significand)
		return h;
	/* The exponent of the last place of the result, in the same units */
	top = 63 - __builtin_clzll(q);
	last = top + shift > BITS + fraction ? top + shift - BITS - fraction : 0;
	cut = last + BITS - shift;
	kept = q >> cut;
	rest = q & ((UINT64_C(1) << cut) - 1);
	tie = UINT64_C(1) << (cut - 1);
	if (rest > tie || (rest == tie && ((significand << BITS) % by || kept & 1)))
		kept++;
	/* A carry out of the fraction is 1 to the exponent. */
	return (h & 0x8000) | (((uint32_t)last << fraction) + kept);
}

static void divide_one(unsigned int type, void *at, uint32_t by)
{
	uint16_t h;
	double d;
	float f;

	switch (type) {
	case HYPERCUBE_F16:
	case HYPERCUBE_BF16:
		memcpy(&h, at, sizeof(h));
		h = half_divide(h, by, type == HYPERCUBE_F16 ? 10 : 7);
		memcpy(at, &h, sizeof(h));
		break;
	case HYPERCUBE_F32:
		memcpy(&f, at, sizeof(f));
		f /= by;
		memcpy(at, &f, sizeof(f));
		break;
	default:
		memcpy(&d, at, sizeof(d));
		d /= by;
		memcpy(at, &d, sizeof(d));
	}
}

int hcl_divide(unsigned int type, void *buf, size_t bytes, uint32_t by)
{
	size_t size, at;

	if (!hcli_is_float(type) || !by || by > BY_MAX)
		return -EINVAL;
	size = hcl_elem_size(HYPERCUBE_SUM, type, 0);
	if (bytes % size)
		return -EINVAL;
	for (at = 0; at < bytes; at += size)
		divide_one(type, (char *)buf + at, by);
	return 0;
}
