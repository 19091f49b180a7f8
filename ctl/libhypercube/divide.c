// SPDX-License-Identifier: GPL-2.0
/*
 * Division of floats by an integer, which turns a sum into a mean. Floats of 16 bits are divided as
 * integers, so that each result is rounded only once.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "handle.h"

/* The largest divisor. An F32 represents all integers up to it exactly. BITS fraction bits are
 * enough to round the quotient of the smallest 16-bit float.
 */
#define BY_MAX		(UINT32_C(1) << 24)
/* Number of fraction bits of a quotient. */
#define BITS		40

/* Divide the 16-bit float @h by @by; @fraction is the number of fraction bits of its format.
 * Return: the quotient, rounded to nearest, ties to even.
 */
static uint16_t half_divide(uint16_t h, uint32_t by, unsigned int fraction)
{
	const uint32_t one = UINT32_C(1) << fraction, magnitude = h & 0x7fff;
	const uint32_t exponent = magnitude >> fraction;
	/* The magnitude, in units of the least subnormal number, is significand << shift. Subnormal
	 * numbers have shift 0.
	 */
	uint64_t significand = (magnitude & (one - 1)) | (exponent ? one : 0);
	unsigned int shift = exponent ? exponent - 1 : 0, top, last, cut;
	uint64_t q = (significand << BITS) / by, rest, tie, kept;

	/* Infinities, NaNs and zeros stay as they are. */
	if (exponent == 0x7fffU >> fraction || !significand)
		return h;
	/* Find the exponent of the result's last bit, in the same units. */
	top = 63 - __builtin_clzll(q);
	last = top + shift > BITS + fraction ? top + shift - BITS - fraction : 0;
	cut = last + BITS - shift;
	kept = q >> cut;
	rest = q & ((UINT64_C(1) << cut) - 1);
	tie = UINT64_C(1) << (cut - 1);
	if (rest > tie || (rest == tie && ((significand << BITS) % by || kept & 1)))
		kept++;
	/* A carry out of the fraction increments the exponent. */
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
