// SPDX-License-Identifier: GPL-2.0
/*
 * Bounds by linear programming. The program is: maximize the number of faults, with at most tg
 * faults in each environment, and each processor faulty at most once. Any solution of the dual
 * program gives a bound: give weights to environments such that the weights of all environments
 * that a processor is in add up to at least 1; then the number of faults is at most the sum, over
 * all environments, of the weight times the number of faults that the environment may have.
 *
 * The dual is solved in floating point, and the solution is then made valid in integers.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "mfi.h"

/* With more processors than this all environments get the same weight. */
#define SIMPLEX 1024
#define SCALE (1 << 20)
/* Numbers below this are treated as 0. */
#define TINY (1. / (1 << 30))
/* Each limit is raised by a different amount below this, so that the simplex method never returns
 * to a basis.
 */
#define APART (1. / (1 << 20))

/* A simplex tableau with @m constraints and @n variables, a row of costs, and a column of limits.
 * @basic: the variable of each row. @other: the variable of each column.
 */
struct simplex {
	uint32_t m;
	uint32_t n;
	double *t;
	uint32_t *basic;
	uint32_t *other;
};

/* Return: row @i of the tableau. Row @s->m has the costs; the last entry of each row is its limit.
 */
static double *row(const struct simplex *s, uint32_t i)
{
	return s->t + (size_t)i * (s->n + 1);
}

/* Exchange the basic variable of row @r with the variable of column @c. */
static void pivot(struct simplex *s, uint32_t r, uint32_t c)
{
	double *from = row(s, r), p = from[c], f;
	uint32_t i, j, swap = s->basic[r];

	for (j = 0; j <= s->n; j++)
		from[j] /= p;
	from[c] = 1 / p;
	for (i = 0; i <= s->m; i++) {
		double *to = row(s, i);

		f = to[c];
		if (i == r || fabs(f) < TINY * APART)
			continue;
		to[c] = 0;
		for (j = 0; j <= s->n; j++)
			to[j] -= f * from[j];
	}
	s->basic[r] = s->other[c];
	s->other[c] = swap;
}

/* Return: the variable that enters the basis; n if there is none, because the tableau is optimal.
 */
static uint32_t entering(const struct simplex *s)
{
	const double *cost = row(s, s->m);
	uint32_t j, best = s->n;

	for (j = 0; j < s->n; j++)
		if (cost[j] < -TINY && (best == s->n || cost[j] < cost[best]))
			best = j;
	return best;
}

/* Return: the row whose variable leaves the basis; m if there is none. */
static uint32_t leaving(const struct simplex *s, uint32_t c)
{
	uint32_t i, best = s->m;
	double at = 0;

	for (i = 0; i < s->m; i++) {
		const double *r = row(s, i);

		if (r[c] > TINY && (best == s->m || r[s->n] / r[c] < at)) {
			best = i;
			at = r[s->n] / r[c];
		}
	}
	return best;
}

/* Pivot until the tableau is optimal, a maximum number of pivots is reached, or @go_on returns
 * false.
 */
static void solve(struct simplex *s, bool (*go_on)(void *arg), void *arg)
{
	uint32_t left = 20 * (s->m + s->n), r, c;

	while (left--) {
		c = entering(s);
		r = c < s->n ? leaving(s, c) : s->m;
		if (r == s->m || (go_on && !go_on(arg)))
			return;
		pivot(s, r, c);
	}
}

static int simplex_init(struct simplex *s, const struct hc_mfi_net *net)
{
	uint32_t i, j;

	s->n = net->n;
	s->m = net->tg > 1 || net->tg_of ? 2 * net->n : net->n;
	s->t = calloc((size_t)(s->m + 1) * (s->n + 1), sizeof(*s->t));
	s->basic = calloc(s->m, sizeof(*s->basic));
	s->other = calloc(s->n, sizeof(*s->other));
	if (!s->t || !s->basic || !s->other)
		return -ENOMEM;
	for (i = 0; i < s->m; i++) {
		s->basic[i] = s->n + i;
		row(s, i)[s->n] = (i < net->n ? hc_mfi_tg(net, i) : 1) +
				  APART * fmod(i * .6180339887, 1);
		if (i >= net->n)
			row(s, i)[i - net->n] = 1;
		else
			HC_MFI_EACH(v, &net->env, i)
				row(s, i)[*v] = 1;
	}
	for (j = 0; j < s->n; j++) {
		s->other[j] = j;
		row(s, s->m)[j] = -1;
	}
	return 0;
}

static void simplex_free(struct simplex *s)
{
	hc_free_all(s->t, s->basic, s->other);
}

/* Make the rounded weights a valid solution: if the weights of the environments that a processor is
 * in add up to less than the scale, the difference is added to the processor's own weight.
 */
static void make_true(const struct hc_mfi_net *net, struct hc_mfi_weights *w)
{
	uint64_t sum;
	uint32_t v;

	for (v = 0; v < net->n; v++) {
		sum = w->own[v];
		HC_MFI_EACH(e, &net->in, v)
			sum += w->env[*e];
		if (sum < w->scale)
			w->own[v] += w->scale - sum;
	}
}

/* Compute the weights by the simplex method. */
static int by_simplex(const struct hc_mfi_net *net, struct hc_mfi_weights *w,
		      bool (*go_on)(void *arg), void *arg)
{
	struct simplex s;
	int rc = simplex_init(&s, net);
	uint32_t j, rule;
	double y;

	w->scale = SCALE;
	if (!rc) {
		solve(&s, go_on, arg);
		for (j = 0; j < s.n; j++) {
			if (s.other[j] < s.n)
				continue;
			rule = s.other[j] - s.n;
			y = row(&s, s.m)[j];
			if (y > 0)
				*(rule < net->n ? &w->env[rule] : &w->own[rule - net->n]) =
					ceil(y * SCALE);
		}
		make_true(net, w);
	}
	simplex_free(&s);
	return rc;
}

/* Give all environments the same weight. */
static void uniform(const struct hc_mfi_net *net, struct hc_mfi_weights *w)
{
	uint32_t i;

	w->scale = UINT64_MAX;
	for (i = 0; i < net->n; i++) {
		w->env[i] = 1;
		w->own[i] = 0;
		if (hc_mfi_length(&net->in, i) < w->scale)
			w->scale = hc_mfi_length(&net->in, i);
	}
}

uint32_t hc_mfi_bound(const struct hc_mfi_net *net, const struct hc_mfi_weights *w)
{
	uint64_t sum = 0;
	uint32_t i, room, tg;

	for (i = 0; i < net->n; i++) {
		room = hc_mfi_length(&net->env, i);
		tg = hc_mfi_tg(net, i);
		sum += w->env[i] * (room < tg ? room : tg) + w->own[i];
	}
	return sum / w->scale < net->n ? sum / w->scale : net->n;
}

int hc_mfi_weights(const struct hc_mfi_net *net, struct hc_mfi_weights *w,
		   bool (*go_on)(void *arg), void *arg)
{
	uint32_t equal;
	int rc;

	w->env = calloc(net->n, sizeof(*w->env));
	w->own = calloc(net->n, sizeof(*w->own));
	if (!w->env || !w->own)
		return -ENOMEM;
	uniform(net, w);
	if (net->transitive || net->n > SIMPLEX)
		return 0;
	equal = hc_mfi_bound(net, w);
	memset(w->env, 0, net->n * sizeof(*w->env));
	rc = by_simplex(net, w, go_on, arg);
	if (!rc && hc_mfi_bound(net, w) > equal)
		uniform(net, w);
	return rc;
}

void hc_mfi_weights_free(struct hc_mfi_weights *w)
{
	free(w->env);
	free(w->own);
}
