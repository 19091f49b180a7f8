// SPDX-License-Identifier: GPL-2.0
/*
 * See check.h.
 */
#include <stdint.h>

#include "check.h"

unsigned int rnd(unsigned int below)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (unsigned int)(x >> 32) % below;
}
