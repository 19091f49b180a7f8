// SPDX-License-Identifier: GPL-2.0
/*
 * Partitions of processes into groups such that the faults are detected even if all processes of a
 * group fail at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "mfi.h"

#define NONE UINT32_MAX
/* Maximum number of colours of a regular partition. */
#define REGULAR 25

/**
 * struct tally - number of processors of each group in an environment
 * @count: for each group, number of its processors in the environment of @stamp
 * @stamp: for each group, number of the environment in which @count counts, plus 1
 * @blocked: for each group, number of the last processor that did not fit into it, plus 1
 */
struct tally {
	uint32_t *count;
	uint32_t *stamp;
	uint32_t *blocked;
};

static bool tally_init(struct tally *t, uint32_t n)
{
	t->count = calloc(n + 1, sizeof(*t->count));
	t->stamp = calloc(n + 1, sizeof(*t->stamp));
	t->blocked = calloc(n + 1, sizeof(*t->blocked));
	return t->count && t->stamp && t->blocked;
}

static void tally_free(struct tally *t)
{
	hc_free_all(t->count, t->stamp, t->blocked);
}

/* Count one more member of @group in environment @e. Return: number of these members now. */
static uint32_t count(struct tally *t, uint32_t group, uint32_t e)
{
	if (t->stamp[group] != e + 1) {
		t->stamp[group] = e + 1;
		t->count[group] = 0;
	}
	return ++t->count[group];
}

bool hc_mfi_groups_feasible(const struct hc_mfi_net *net, const uint32_t *of, uint32_t n)
{
	struct tally t = {};
	bool ok = n <= net->n && tally_init(&t, net->n);
	uint32_t e;

	for (e = 0; ok && e < net->n; e++)
		HC_MFI_EACH(v, &net->env, e)
			ok = ok && of[*v] < n && count(&t, of[*v], e) <= hc_mfi_tg(net, e);
	tally_free(&t);
	return ok;
}

/* Return: the first group, from @first on, to which @v can be added. Groups after the last one in
 * use are empty, so there always is one.
 */
static uint32_t fit(const struct hc_mfi_net *net, struct tally *t, const uint32_t *of, uint32_t v,
		    uint32_t first)
{
	memset(t->stamp, 0, net->n * sizeof(*t->stamp));
	HC_MFI_EACH(e, &net->in, v)
		HC_MFI_EACH(w, &net->env, *e)
			if (of[*w] != NONE && count(t, of[*w], *e) >= hc_mfi_tg(net, *e))
				t->blocked[of[*w]] = v + 1;
	while (t->blocked[first] == v + 1)
		first++;
	return first;
}

uint32_t hc_mfi_first_fit(const struct hc_mfi_net *net, const bool *set, uint32_t *of)
{
	struct tally t = {};
	uint32_t v, groups = 0, first = 0;

	for (v = 0; v < net->n; v++) {
		of[v] = set[v] ? 0 : NONE;
		groups |= set[v];
	}
	first = groups;
	if (tally_init(&t, net->n))
		for (v = 0; v < net->n; v++) {
			if (of[v] != NONE)
				continue;
			of[v] = fit(net, &t, of, v, first);
			if (of[v] >= groups)
				groups = of[v] + 1;
		}
	else
		groups = 0;
	tally_free(&t);
	return groups;
}

/* --- regular partitions: colourings; every @tg colours make a group --- */

/**
 * struct regular - the search for a regular partition
 * @net: the processors
 * @set: a set that should be one of the groups if possible
 * @of: memory for a partition
 * @g: the best partition so far
 */
struct regular {
	const struct hc_mfi_net *net;
	const bool *set;
	uint32_t *of;
	struct hc_mfi_groups *g;
};

/* If @r->set is one of the groups, make it the first group. */
static bool set_first(const struct regular *r)
{
	uint32_t v, group = NONE;

	for (v = 0; v < r->net->n; v++)
		if (r->set[v])
			group = r->of[v];
	for (v = 0; v < r->net->n && group != NONE; v++) {
		bool in = r->of[v] == group;

		if (in != r->set[v])
			return false;
	}
	if (group == NONE)
		return false;
	for (v = 0; v < r->net->n; v++) {
		if (!r->of[v])
			r->of[v] = group;
		else if (r->of[v] == group)
			r->of[v] = 0;
	}
	return true;
}

/* Make groups from the colouring in @r->of, and record them if they are the best so far. */
static void try_colours(const struct regular *r, uint32_t colours, const char *why)
{
	uint32_t groups = (colours + r->net->tg - 1) / r->net->tg, v;
	struct hc_mfi_groups *g = r->g;
	bool keeps;

	if (groups > g->count || (groups == g->count && g->keeps))
		return;
	for (v = 0; v < r->net->n; v++)
		r->of[v] /= r->net->tg;
	if (!hc_mfi_groups_feasible(r->net, r->of, groups))
		return;
	keeps = set_first(r);
	if (groups == g->count && !keeps)
		return;
	memcpy(g->of, r->of, r->net->n * sizeof(*g->of));
	g->count = groups;
	g->keeps = keeps;
	g->why = why;
}

/* Try the colouring of a hypercube by the cosets of a Hamming code. */
static void cube(const struct regular *r)
{
	uint32_t u, d, colours = 1;

	while (colours < r->net->dim + 1)
		colours *= 2;
	for (u = 0; u < r->net->n; u++)
		for (d = 0, r->of[u] = 0; d < r->net->dim; d++)
			r->of[u] ^= u >> d & 1 ? d + 1 : 0;
	try_colours(r, colours, "cosets of a Hamming code");
}

/* Return: the processor at which @u arrives if it is moved, along each axis, by the coordinate of
 * @by.
 */
static uint32_t moved(const struct hc_mfi_net *net, uint32_t u, uint32_t by)
{
	uint32_t at = 0, power = 1;
	unsigned int d;

	for (d = 0; d < net->dim; d++, u /= net->k, by /= net->k, power *= net->k)
		at += (u % net->k + by % net->k) % net->k * power;
	return at;
}

/* Try the colouring whose colours are translations of the set. Each translation is placed at the
 * first processor without a colour, until all processors have one, or two colours overlap.
 */
static void cosets(const struct regular *r)
{
	uint32_t colours = 0, n = r->net->n, v, s, u;

	for (v = 0; v < n; v++)
		r->of[v] = NONE;
	for (v = 0; v < n; v++) {
		if (r->of[v] != NONE)
			continue;
		for (s = 0; s < n; s++) {
			if (!r->set[s])
				continue;
			u = moved(r->net, v, s);
			if (r->of[u] != NONE)
				return;
			r->of[u] = colours;
		}
		colours++;
	}
	try_colours(r, colours, "cosets of the set");
}

/* Try the colouring by the sum of the first coordinate, twice the second, and so on, modulo @m. */
static void kary(const struct regular *r)
{
	uint32_t most = r->g->count * r->net->tg, m, u, d, at;

	for (m = r->g->lower; m <= most && m <= REGULAR; m++) {
		memset(r->of, 0, r->net->n * sizeof(*r->of));
		for (u = 0; u < r->net->n; u++) {
			for (d = 1, at = u; d <= r->net->dim; d++, at /= r->net->k)
				r->of[u] += d * (at % r->net->k);
			r->of[u] %= m;
		}
		try_colours(r, m, "lattice");
	}
	if (r->net->tg == 1)
		cosets(r);
}

/* Try the colouring by column plus @by times row, modulo @m. */
static void slope(const struct regular *r, uint32_t m, uint32_t by)
{
	uint32_t u, cols = r->net->cols;

	for (u = 0; u < r->net->n; u++)
		r->of[u] = (u % cols + (uint64_t)by * (u / cols)) % m;
	try_colours(r, m, "lattice");
}

/* Try the colouring whose colours are the pairs (row modulo @p, column modulo @q). */
static void tiles(const struct regular *r, uint32_t p, uint32_t q)
{
	uint32_t u, cols = r->net->cols;

	for (u = 0; u < r->net->n; u++)
		r->of[u] = u / cols % p * q + u % cols % q;
	try_colours(r, p * q, "tiles");
}

/* Try the regular colourings of a mesh or torus. */
static void grid(const struct regular *r)
{
	uint32_t most = r->g->count * r->net->tg, m, by;

	if (most > REGULAR)
		most = REGULAR;
	for (m = r->g->lower; m <= most; m++)
		for (by = 1; by <= m; by++)
			if (m % by == 0)
				tiles(r, by, m / by);
	for (m = r->g->lower; m <= most; m++)
		for (by = 0; by < m; by++)
			slope(r, m, by);
}

/* Return: a lower bound of the number of groups: no group has more than @mfi processors, and each
 * group has at most tg of the processors of an environment.
 */
static uint32_t fewest(const struct hc_mfi_net *net, uint32_t mfi)
{
	uint32_t groups = (net->n + mfi - 1) / mfi, i, need;

	for (i = 0; i < net->n; i++) {
		need = (hc_mfi_length(&net->env, i) + hc_mfi_tg(net, i) - 1) / hc_mfi_tg(net, i);
		if (need > groups)
			groups = need;
	}
	return groups;
}

int hc_mfi_groups(const struct hc_mfi_net *net, const bool *set, uint32_t mfi,
		  struct hc_mfi_groups *g)
{
	struct regular r = { .net = net, .set = set, .g = g };
	uint32_t *of = calloc(net->n, sizeof(*of));

	*g = (struct hc_mfi_groups){ .lower = fewest(net, mfi), .why = "first fit" };
	g->of = calloc(net->n, sizeof(*g->of));
	if (of && g->of)
		g->first_fit = hc_mfi_first_fit(net, set, g->of);
	g->count = g->first_fit;
	g->keeps = true;
	if (!g->count) {
		free(of);
		return -ENOMEM;
	}
	r.of = of;
	if (net->kind == HC_MFI_CUBE && g->count > g->lower)
		cube(&r);
	else if (net->kind == HC_MFI_KARY && g->count > g->lower)
		kary(&r);
	else if (net->rows && g->count > g->lower)
		grid(&r);
	free(of);
	return 0;
}
