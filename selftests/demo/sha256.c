// SPDX-License-Identifier: GPL-2.0
/* SHA-256 (FIPS 180-4); the names are those of the standard. */
#include <string.h>

#include "sha256.h"

#define BLOCK 64

static const uint32_t K[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotr(uint32_t x, unsigned int n)
{
	return x >> n | x << (32 - n);
}

static void schedule(uint32_t W[64], const uint8_t *block)
{
	unsigned int t;

	for (t = 0; t < 16; t++, block += 4)
		W[t] = (uint32_t)block[0] << 24 | block[1] << 16 | block[2] << 8 | block[3];
	for (; t < 64; t++)
		W[t] = (rotr(W[t - 2], 17) ^ rotr(W[t - 2], 19) ^ W[t - 2] >> 10) + W[t - 7] +
		       (rotr(W[t - 15], 7) ^ rotr(W[t - 15], 18) ^ W[t - 15] >> 3) + W[t - 16];
}

static void compress(uint32_t H[8], const uint8_t *block)
{
	uint32_t W[64], v[8], T1, T2;
	unsigned int t;

	schedule(W, block);
	memcpy(v, H, sizeof(v));
	for (t = 0; t < 64; t++) {
		T1 = v[7] + (rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25)) +
		     ((v[4] & v[5]) ^ (~v[4] & v[6])) + K[t] + W[t];
		T2 = (rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22)) +
		     ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += T1;
		v[0] = T1 + T2;
	}
	for (t = 0; t < 8; t++)
		H[t] += v[t];
}

void sha256(const void *data, size_t len, uint8_t sum[SHA256_BYTES])
{
	uint32_t H[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};
	const uint8_t *rest = data;
	uint8_t last[2 * BLOCK] = { 0 };
	size_t left = len, end, i;

	for (; left >= BLOCK; left -= BLOCK, rest += BLOCK)
		compress(H, rest);
	memcpy(last, rest, left);
	last[left] = 0x80;
	end = left + 9 > BLOCK ? 2 * BLOCK : BLOCK;
	for (i = 0; i < 8; i++)
		last[end - 1 - i] = (uint64_t)len * 8 >> (8 * i);
	for (i = 0; i < end; i += BLOCK)
		compress(H, last + i);
	for (i = 0; i < SHA256_BYTES; i++)
		sum[i] = H[i / 4] >> (24 - i % 4 * 8);
}
