// SPDX-License-Identifier: GPL-2.0
/* Random numbers that a seed determines. */
#include <time.h>

#include "soak.h"

/* Return: a hash of @x, by the finalizer of MurmurHash3. */
uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

uint64_t key_of(uint64_t seed, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t key = mix(seed + 0x51ed270b7f2d1ec5ull);

	key = mix(key + a * 0x2545f4914f6cdd1dull + 1);
	key = mix(key + b * 0x2545f4914f6cdd1dull + 2);
	key = mix(key + c * 0x2545f4914f6cdd1dull + 3);
	return mix(key + d * 0x2545f4914f6cdd1dull + 4);
}

uint64_t roll(struct dice *d)
{
	d->state += 0x632be59bd9b4e019ull;
	return mix(d->state);
}

uint32_t below(struct dice *d, uint32_t n)
{
	return n ? (uint32_t)((roll(d) >> 32) * n >> 32) : 0;
}

bool chance(struct dice *d, uint32_t percent)
{
	return below(d, 100) < percent;
}

uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}
