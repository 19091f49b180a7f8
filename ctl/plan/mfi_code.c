// SPDX-License-Identifier: GPL-2.0
/*
 * Largest binary codes of minimum distance 3, up to length 12.
 *
 * The codes of lengths up to 7 and of length 12 are Hamming codes, shortened where necessary; for
 * 12, optimality was proved by Best and Brouwer, The triply shortened binary Hamming code is
 * optimal. The codes of lengths 8 to 11 are not linear. Those of lengths 8 and 9 come from Best's
 * code of length 10 and distance 4, constructed as by Conway and Sloane, Quaternary constructions
 * for the binary single-error-correcting codes of Julin, Best and others. Those of lengths 10 and
 * 11 come from Julin's code of length 12, which is made of the Steiner system S(5,6,12). That no
 * code of length 10 or 11 has more codewords than these (72 and 144) was proved by Östergård,
 * Baicheva and Kolev, Optimal binary one-error-correcting codes of length 10 have 72 codewords.
 */
#include <string.h>

#include "mfi.h"

/* Fill in @set with a shortened Hamming code. Return: number of codewords. */
static uint32_t hamming(unsigned int dim, bool *set)
{
	uint32_t word, size = 0, sum;
	unsigned int d;

	for (word = 0; word < UINT32_C(1) << dim; word++) {
		for (d = 0, sum = 0; d < dim; d++)
			sum ^= word >> d & 1 ? d + 1 : 0;
		set[word] = !sum;
		size += !sum;
	}
	return size;
}

/* Add codeword @word of the larger code to the set, shortened by the upper dimensions (which must
 * be 0) and punctured at the lowest one. Return: 1 if a codeword was added, otherwise 0.
 */
static uint32_t keep(uint32_t word, unsigned int dim, bool *set)
{
	if (word >> (dim + 1) || set[word >> 1])
		return 0;
	set[word >> 1] = true;
	return 1;
}

/* Best's code: codewords (c - d, b, c, d, b + c) modulo 4, for b, c, d of 1 and -1, and their
 * rotations; each number becomes two bits by the Gray code.
 */
static uint32_t best(unsigned int dim, bool *set)
{
	static const uint32_t gray[] = { 0, 1, 3, 2 };
	unsigned int signs, turn, i;
	uint32_t size = 0;

	for (signs = 0; signs < 8; signs++) {
		int b = signs & 1 ? 3 : 1, c = signs & 2 ? 3 : 1, d = signs & 4 ? 3 : 1;
		int word[5] = { c - d + 4, b, c, d, b + c };

		for (turn = 0; turn < 5; turn++) {
			uint32_t bits = 0;

			for (i = 0; i < 5; i++)
				bits |= gray[word[(i + turn) % 5] & 3] << 2 * i;
			size += keep(bits, dim, set);
		}
	}
	return size;
}

/* Return: the image of a block under one of two maps of 0..10 and infinity (11) onto themselves:
 * z + 1 modulo 11, or with @invert -1 / z.
 */
static uint32_t mapped(uint32_t block, bool invert)
{
	static const uint8_t inverse[] = { 11, 10, 5, 7, 8, 2, 9, 3, 4, 6, 1, 0 };
	uint32_t z, to = 0;

	for (z = 0; z < 12; z++)
		if (block >> z & 1)
			to |= UINT32_C(1) << (invert ? inverse[z] : z == 11 ? 11 : (z + 1) % 11);
	return to;
}

/* Add @word to the list of @n blocks, unless it is in the list. Return: number of blocks. */
static uint32_t add(uint32_t *block, uint32_t n, uint32_t word)
{
	uint32_t i = 0;

	while (i < n && block[i] != word)
		i++;
	block[i] = word;
	return i == n ? n + 1 : n;
}

/* Julin's code: the 132 blocks of S(5,6,12), which the two maps of mapped() generate from the block
 * of the squares modulo 11 and infinity; and six pairs and their complements.
 */
static uint32_t julin(unsigned int dim, bool *set)
{
	uint32_t block[145] = { 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 9 | 1 << 11 };
	uint32_t n = 1, i, size = 0;

	for (i = 0; i < n && n <= 132; i++) {
		n = add(block, n, mapped(block[i], false));
		n = add(block, n, mapped(block[i], true));
	}
	for (i = 0; i < 6; i++) {
		n = add(block, n, UINT32_C(3) << 2 * i);
		n = add(block, n, ~(UINT32_C(3) << 2 * i) & 0xfff);
	}
	for (i = 0; i < n; i++)
		size += keep(block[i], dim, set);
	return size;
}

uint32_t hc_mfi_code(unsigned int dim, bool *set)
{
	memset(set, 0, (size_t)1 << dim);
	switch (dim) {
	case 8:
	case 9:
		return best(dim, set);
	case 10:
	case 11:
		return julin(dim, set);
	}
	return hamming(dim, set);
}
