// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the sets of faults whose errors could escape. Take the matrix with a row for each
 * environment, which has 1 in the columns of its processors. The errors of a set could escape if
 * and only if the columns of the set, restricted to the rows of honest processors, are linearly
 * dependent.
 *
 * The rank is computed modulo primes. Modulo a prime the rank is not larger, and modulo one of the
 * primes it is equal, unless all of them divide a minor. With entries 0 and 1, a minor of k rows is
 * at most (k + 1)^((k + 1) / 2) / 2^k, which for k <= 100 is less than 2^240, the product of four
 * of the primes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mfi.h"

#define WORDS 2
#define ASK_EVERY 4096

static const uint64_t primes[] = {
	(UINT64_C(1) << 61) - 1, (UINT64_C(1) << 62) - 57, (UINT64_C(1) << 60) - 93,
	(UINT64_C(1) << 63) - 25,
};

/* With fewer faults than this, a minor is less than the first prime. */
#define ONE_PRIME 32

static uint64_t times(uint64_t a, uint64_t b, uint64_t p)
{
	return (__uint128_t)a * b % p;
}

static uint64_t inverse(uint64_t a, uint64_t p)
{
	uint64_t r = 1, e;

	for (e = p - 2; e; e >>= 1, a = times(a, a, p))
		if (e & 1)
			r = times(r, a, p);
	return r;
}

/**
 * struct basis - a basis of the rows so far, in echelon form
 * @k: number of columns
 * @p: the prime modulo which the rank is computed
 * @rank: number of rows of the basis
 * @row: for each column, the row of the basis that begins there, with 1; all 0 if there is none
 */
struct basis {
	uint32_t k;
	uint64_t p;
	uint32_t rank;
	uint64_t row[HC_MFI_ESCAPE_FAULTS][HC_MFI_ESCAPE_FAULTS];
};

/* Add a row to the basis unless it depends on the rows in it. */
static void add(struct basis *b, const uint64_t *bits)
{
	uint64_t v[HC_MFI_ESCAPE_FAULTS], f;
	uint32_t i, j;

	for (i = 0; i < b->k; i++)
		v[i] = bits[i / 64] >> i % 64 & 1;
	for (i = 0; i < b->k; i++) {
		f = v[i];
		if (!f)
			continue;
		if (!b->row[i][i])
			break;
		for (j = i; j < b->k; j++)
			v[j] = (v[j] + (b->p - times(f, b->row[i][j], b->p))) % b->p;
	}
	if (i == b->k)
		return;
	f = inverse(v[i], b->p);
	for (j = i; j < b->k; j++)
		b->row[i][j] = times(v[j], f, b->p);
	b->rank++;
}

/* Get the row of processor @e: @bits is set to those of the faults that are in its environment.
 * Return: false if @e is faulty itself.
 */
static bool row(const struct hc_mfi_net *net, const uint32_t *faults, uint32_t k, uint32_t e,
		uint64_t *bits)
{
	const uint32_t *v = net->env.v + net->env.at[e], *end = net->env.v + net->env.at[e + 1];
	uint32_t i;

	memset(bits, 0, WORDS * sizeof(*bits));
	for (i = 0; i < k; i++) {
		if (faults[i] == e)
			return false;
		while (v < end && *v < faults[i])
			v++;
		if (v < end && *v == faults[i])
			bits[i / 64] |= UINT64_C(1) << i % 64;
	}
	return true;
}

/* Return: the rank modulo @p of the columns of @faults, in the rows of honest processors. */
static uint32_t rank(const struct hc_mfi_net *net, const uint32_t *faults, uint32_t k,
		     uint64_t p, struct basis *b)
{
	uint64_t bits[WORDS];
	uint32_t i;

	b->k = k;
	b->p = p;
	b->rank = 0;
	for (i = 0; i < k; i++)
		memset(b->row[i], 0, k * sizeof(b->row[i][0]));
	for (i = 0; i < k; i++)
		HC_MFI_EACH(e, &net->in, faults[i]) {
			if (row(net, faults, k, *e, bits))
				add(b, bits);
			if (b->rank == k)
				return k;
		}
	return b->rank;
}

/* Return: dimension of the space of errors that escape. */
static uint32_t escapes(const struct hc_mfi_net *net, const uint32_t *faults, uint32_t k,
			struct basis *b)
{
	uint32_t best = 0, r, i;

	for (i = 0; i < (k < ONE_PRIME ? 1 : 4) && best < k; i++) {
		r = rank(net, faults, k, primes[i], b);
		if (r > best)
			best = r;
	}
	return k - best;
}

int hc_mfi_escapes(const struct hc_mfi_net *net, const uint32_t *faults, uint32_t k)
{
	struct basis *b = malloc(sizeof(*b));
	int dim = b ? (int)escapes(net, faults, k, b) : -ENOMEM;

	free(b);
	return dim;
}

bool hc_mfi_next_set(uint32_t *f, uint32_t k, uint32_t n)
{
	uint32_t i = k;

	while (i && f[i - 1] == n - k + i - 1)
		i--;
	if (!i)
		return false;
	for (f[i - 1]++; i < k; i++)
		f[i] = f[i - 1] + 1;
	return true;
}

/* Return: true if the set is feasible. Only environments that contain one of the faulty processors
 * @f are checked, because no other can have too many faults.
 */
static bool feasible(const struct hc_mfi_net *net, const uint32_t *f, uint32_t k, const bool *set)
{
	uint32_t i;

	if (k <= net->tg)
		return true;
	for (i = 0; i < k; i++)
		HC_MFI_EACH(e, &net->in, f[i])
			if (hc_mfi_faults(net, set, *e) > hc_mfi_tg(net, *e))
				return false;
	return true;
}

/* Count the set of faults @f in @e. @set: all false before and after the call. */
static void look(const struct hc_mfi_net *net, const uint32_t *f, bool *set,
		 struct hc_mfi_escape *e, struct basis *b)
{
	uint32_t i;
	bool ok;

	for (i = 0; i < e->count; i++)
		set[f[i]] = true;
	ok = feasible(net, f, e->count, set);
	for (i = 0; i < e->count; i++)
		set[f[i]] = false;
	e->sets++;
	e->feasible += ok;
	if (!escapes(net, f, e->count, b))
		return;
	if (!e->escape++)
		memcpy(e->first, f, e->count * sizeof(*f));
	e->feasible_escape += ok;
}

int hc_mfi_escape_all(const struct hc_mfi_net *net, uint32_t k, struct hc_mfi_escape *e,
		      bool (*go_on)(void *arg), void *arg)
{
	bool *set = calloc(net->n, sizeof(*set));
	struct basis *b = malloc(sizeof(*b));
	uint32_t f[8], i;
	int rc = 0;

	*e = (struct hc_mfi_escape){ .count = k };
	if (!set || !b || k > 8)
		rc = -ENOMEM;
	for (i = 0; !rc && i < k; i++)
		f[i] = i;
	if (!rc && k <= net->n)
		do {
			look(net, f, set, e, b);
			if (e->sets % ASK_EVERY == 0 && go_on && !go_on(arg))
				rc = -EINTR;
		} while (!rc && hc_mfi_next_set(f, k, net->n));
	free(set);
	free(b);
	return rc;
}
