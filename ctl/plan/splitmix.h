/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers by splitmix64: the same sequence for the same initial state, on every machine.
 */
#ifndef _HC_SPLITMIX_H
#define _HC_SPLITMIX_H

#include <stdint.h>

/* Return: @z with its bits mixed; each bit of the result depends on each bit of @z. */
static inline uint64_t hc_splitmix_mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Return: the next random number. */
static inline uint64_t hc_splitmix(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return hc_splitmix_mix(*state);
}

#endif /* _HC_SPLITMIX_H */
