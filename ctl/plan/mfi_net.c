// SPDX-License-Identifier: GPL-2.0
/*
 * Processors and their environments.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mfi.h"

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Sort each list in ascending order, and remove repeated entries. */
static void tidy(struct hc_mfi_lists *l, uint32_t n)
{
	uint32_t i, k, to = 0, from = 0;

	for (i = 0; i < n; i++) {
		uint32_t end = l->at[i + 1];

		qsort(l->v + from, end - from, sizeof(*l->v), by_number);
		for (k = from, l->at[i] = to; k < end; k++)
			if (k == from || l->v[k] != l->v[k - 1])
				l->v[to++] = l->v[k];
		from = end;
	}
	l->at[n] = to;
}

/* Make lists from @np pairs. With @self, each processor is in its own list. */
static bool fill(struct hc_mfi_lists *l, uint32_t n, const struct hc_mfi_pair *p, size_t np,
		 bool self)
{
	uint32_t i, k, sum = 0;
	size_t j;

	l->at = calloc(n + 1, sizeof(*l->at));
	l->v = calloc(np + n + 1, sizeof(*l->v));
	if (!l->at || !l->v)
		return false;
	for (j = 0; j < np; j++)
		l->at[p[j].u]++;
	for (i = 0; i < n; i++) {
		k = l->at[i] + self;
		l->at[i] = sum;
		sum += k;
		if (self)
			l->v[l->at[i]++] = i;
	}
	for (j = 0; j < np; j++)
		l->v[l->at[p[j].u]++] = p[j].v;
	memmove(l->at + 1, l->at, n * sizeof(*l->at));
	l->at[0] = 0;
	tidy(l, n);
	return true;
}

/* Invert lists: for each processor, list those whose lists it is in. */
static bool turn(const struct hc_mfi_lists *from, struct hc_mfi_lists *to, uint32_t n)
{
	struct hc_mfi_pair *p = calloc(from->at[n] + 1, sizeof(*p));
	size_t np = 0;
	uint32_t i;
	bool ok;

	for (i = 0; p && i < n; i++)
		HC_MFI_EACH(v, from, i)
			p[np++] = (struct hc_mfi_pair){ *v, i };
	ok = p && fill(to, n, p, np, false);
	free(p);
	return ok;
}

/* Get the neighbours of @u in the augmented graph. @seen: for each processor, the last @u whose
 * neighbour it was, plus 1. @to: memory for the neighbours, or NULL. Return: number of neighbours.
 */
static uint32_t near(const struct hc_mfi_net *net, uint32_t u, uint32_t *seen, uint32_t *to)
{
	uint32_t found = 0;

	seen[u] = u + 1;
	HC_MFI_EACH(e, &net->in, u)
		HC_MFI_EACH(v, &net->env, *e)
			if (seen[*v] != u + 1) {
				seen[*v] = u + 1;
				if (to)
					to[found] = *v;
				found++;
			}
	return found;
}

/* Make the lists of the augmented graph. */
static bool augment(struct hc_mfi_net *net)
{
	uint32_t *seen = calloc(net->n + 1, sizeof(*seen));
	struct hc_mfi_lists *l = &net->aug;
	uint32_t u;

	l->at = calloc(net->n + 1, sizeof(*l->at));
	for (u = 0; seen && l->at && u < net->n; u++)
		l->at[u + 1] = l->at[u] + near(net, u, seen, NULL);
	if (seen && l->at)
		l->v = calloc(l->at[net->n] + 1, sizeof(*l->v));
	if (l->v) {
		memset(seen, 0, net->n * sizeof(*seen));
		for (u = 0; u < net->n; u++)
			near(net, u, seen, l->v + l->at[u]);
		tidy(l, net->n);
	}
	free(seen);
	return l->v;
}

static void lists_free(struct hc_mfi_lists *l)
{
	free(l->at);
	free(l->v);
}

void hc_mfi_free(struct hc_mfi_net *net)
{
	if (!net)
		return;
	lists_free(&net->env);
	lists_free(&net->in);
	lists_free(&net->aug);
	free(net->tg_of);
	free(net);
}

/* Make a network with the attributes of @like and the given pairs. */
static struct hc_mfi_net *make(const struct hc_mfi_net *like, const struct hc_mfi_pair *pairs,
			       size_t npairs)
{
	struct hc_mfi_net *net = calloc(1, sizeof(*net));

	if (!net)
		return NULL;
	*net = *like;
	if (fill(&net->env, net->n, pairs, npairs, true) && turn(&net->env, &net->in, net->n) &&
	    augment(net))
		return net;
	hc_mfi_free(net);
	return NULL;
}

struct hc_mfi_net *hc_mfi_new(uint32_t n, const struct hc_mfi_pair *pairs, size_t npairs,
			      uint32_t tg)
{
	const struct hc_mfi_net graph = {
		.kind = HC_MFI_GRAPH, .pattern = HC_MFI_LISTED, .n = n, .tg = tg,
	};

	return make(&graph, pairs, npairs);
}

struct hc_mfi_net *hc_mfi_cube(unsigned int dim, uint32_t tg)
{
	uint32_t n = UINT32_C(1) << dim, u;
	const struct hc_mfi_net cube = {
		.kind = HC_MFI_CUBE, .pattern = HC_MFI_STAR, .n = n, .tg = tg, .dim = dim,
		.transitive = true,
	};
	struct hc_mfi_pair *p = calloc((size_t)n * dim + 1, sizeof(*p));
	struct hc_mfi_net *net;
	unsigned int d;
	size_t np = 0;

	if (!p)
		return NULL;
	for (u = 0; u < n; u++)
		for (d = 0; d < dim; d++)
			p[np++] = (struct hc_mfi_pair){ u, u ^ UINT32_C(1) << d };
	net = make(&cube, p, np);
	free(p);
	return net;
}

int hc_mfi_set_tg(struct hc_mfi_net *net, const uint32_t *tg)
{
	uint32_t i, most = 0;

	free(net->tg_of);
	net->tg_of = NULL;
	net->tg = UINT32_MAX;
	for (i = 0; i < net->n; i++) {
		net->tg = tg[i] < net->tg ? tg[i] : net->tg;
		most = tg[i] > most ? tg[i] : most;
	}
	if (net->tg == most)
		return 0;
	net->tg_of = malloc(net->n * sizeof(*tg));
	if (!net->tg_of)
		return -ENOMEM;
	memcpy(net->tg_of, tg, net->n * sizeof(*tg));
	net->transitive = false;
	return 0;
}

struct hc_mfi_net *hc_mfi_kary(uint32_t k, unsigned int axes, uint32_t tg)
{
	struct hc_mfi_net kary = {
		.kind = HC_MFI_KARY, .pattern = HC_MFI_STAR, .n = 1, .tg = tg, .dim = axes, .k = k,
		.transitive = true,
	};
	uint32_t u, at, by;
	struct hc_mfi_net *net;
	struct hc_mfi_pair *p;
	unsigned int d;
	size_t np = 0;

	if (k == 2)
		return hc_mfi_cube(axes, tg);
	if (axes == 2)
		return hc_mfi_grid(k, k, true, HC_MFI_STAR, tg);
	for (d = 0; d < axes; d++)
		kary.n *= k;
	p = calloc((size_t)kary.n * axes * 2, sizeof(*p));
	if (!p)
		return NULL;
	for (u = 0; u < kary.n; u++)
		for (d = 0, by = 1; d < axes; d++, by *= k) {
			at = u / by % k;
			p[np++] = (struct hc_mfi_pair){ u, u - at * by + (at + 1) % k * by };
			p[np++] = (struct hc_mfi_pair){ u, u - at * by + (at + k - 1) % k * by };
		}
	net = make(&kary, p, np);
	free(p);
	return net;
}

/* Where a processor of an environment is, relative to the processor that asks it. */
struct offset {
	int row, col;
};

/* Return: the offsets of a pattern. *n: set to their number. */
static const struct offset *offsets(enum hc_mfi_pattern pattern, size_t *n)
{
	static const struct offset box[] = {
		{ -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 },
		{ -1, -1 }, { -1, 1 }, { 1, -1 }, { 1, 1 },
	};
	static const struct offset square[] = { { 0, 1 }, { 1, 0 }, { 1, 1 } };

	*n = pattern == HC_MFI_BOX ? 8 : pattern == HC_MFI_SQUARE ? 3 : 4;
	return pattern == HC_MFI_SQUARE ? square : box;
}

/* Move *at by @by (-1, 0 or 1) along an axis of @length processors; @wrap: the axis is a ring.
 * Return: false if that would leave the grid.
 */
static bool step(uint32_t *at, int by, uint32_t length, bool wrap)
{
	if (by < 0 ? !*at : by > 0 && *at + 1 == length) {
		if (!wrap)
			return false;
		*at = by < 0 ? length - 1 : 0;
		return true;
	}
	*at += by;
	return true;
}

struct hc_mfi_net *hc_mfi_grid(uint32_t rows, uint32_t cols, bool wrap,
			       enum hc_mfi_pattern pattern, uint32_t tg)
{
	const struct hc_mfi_net grid = {
		.kind = wrap ? HC_MFI_TORUS : HC_MFI_MESH, .pattern = pattern, .n = rows * cols,
		.tg = tg, .rows = rows, .cols = cols, .transitive = wrap,
	};
	struct hc_mfi_pair *p = calloc((size_t)rows * cols * 8, sizeof(*p));
	struct hc_mfi_net *net;
	const struct offset *o;
	size_t no, i, np = 0;
	uint32_t u;

	if (!p)
		return NULL;
	o = offsets(pattern, &no);
	for (u = 0; u < rows * cols; u++)
		for (i = 0; i < no; i++) {
			uint32_t row = u / cols, col = u % cols;

			if (step(&row, o[i].row, rows, wrap) &&
			    step(&col, o[i].col, cols, wrap))
				p[np++] = (struct hc_mfi_pair){ u, row * cols + col };
		}
	net = make(&grid, p, np);
	free(p);
	return net;
}
