// SPDX-License-Identifier: GPL-2.0
/*
 * The rule that decides when an allreduce uses recursive doubling: where measurements showed that
 * it is faster than a tree.
 */
#include "doubling.h"

const char *hc_doubling_how(void)
{
	return "2 processors (emulated), 6.1, medians of 6 rounds: selftests/bench/run doubling";
}

static const struct hc_doubling_measured table[] = {
	{ 2, 0, 104, 90 },
	{ 2, 8, 104, 104 },
	{ 2, 64, 109, 102 },
	{ 2, 512, 99, 119 },
	{ 2, 4096, 101, 120 },
	{ 2, 32768, 119, 140 },
	{ 2, 262144, 157, 157 },
	{ 2, 1048576, 141, 167 },
	{ 3, 0, 101, 107 },
	{ 3, 8, 102, 83 },
	{ 3, 64, 98, 93 },
	{ 3, 512, 103, 91 },
	{ 3, 4096, 117, 113 },
	{ 3, 32768, 144, 160 },
	{ 3, 262144, 207, 175 },
	{ 3, 1048576, 212, 194 },
	{ 4, 0, 99, 90 },
	{ 4, 8, 101, 98 },
	{ 4, 64, 106, 103 },
	{ 4, 512, 98, 100 },
	{ 4, 4096, 119, 106 },
	{ 4, 32768, 151, 174 },
	{ 4, 262144, 279, 269 },
	{ 4, 1048576, 285, 291 },
};

#define ROWS (sizeof(table) / sizeof(*table))

const struct hc_doubling_measured *hc_doubling_measured(size_t *n)
{
	*n = ROWS;
	return table;
}

static unsigned int apart(unsigned int a, unsigned int b)
{
	return a < b ? b - a : a - b;
}

/* Return: the dimension in the table that is nearest to @dim, the larger one of two. */
static unsigned int nearest_dim(unsigned int dim)
{
	unsigned int best = table[0].dim;
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (apart(table[i].dim, dim) < apart(best, dim) ||
		    (apart(table[i].dim, dim) == apart(best, dim) && table[i].dim > best))
			best = table[i].dim;
	return best;
}

/* The rows of each dimension are in ascending order of bytes. */
bool hc_doubling_pays(unsigned int dim, uint64_t bytes, const struct hc_doubling_measured **row)
{
	const struct hc_doubling_measured *m;

	dim = nearest_dim(dim);
	*row = NULL;
	for (m = table; m < table + ROWS; m++) {
		if (m->dim != dim)
			continue;
		*row = m;
		if (m->bytes >= bytes)
			break;
	}
	return (*row)->latency <= HC_DOUBLING_PAYS && (*row)->back_to_back <= HC_DOUBLING_PAYS;
}
