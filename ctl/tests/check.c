// SPDX-License-Identifier: GPL-2.0
/*
 * See check.h.
 */
#include "check.h"

unsigned int rnd(unsigned int below)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (unsigned int)(x >> 32) % below;
}

unsigned int dims_of(const char *text, uint8_t *dims)
{
	unsigned int i;

	for (i = 0; text[i]; i++)
		dims[i] = (uint8_t)(text[i] - '0');
	return i;
}

bool dims_are(const char *text, const uint8_t *dims, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (dims[i] != text[i] - '0')
			return false;
	return !text[i];
}
