// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl mfi: printing the results.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "mfi.h"

/* Maximum number of processors on a line of text. */
#define LIST 40

const char *mfi_what(char *buf, const struct hc_mfi_net *net)
{
	switch (net->kind) {
	case HC_MFI_CUBE:
		snprintf(buf, OUT_BUF, "cube of dimension %u", net->dim);
		break;
	case HC_MFI_KARY:
		snprintf(buf, OUT_BUF, "%u-ary %u-cube", net->k, net->dim);
		break;
	case HC_MFI_GRAPH:
		snprintf(buf, OUT_BUF, "graph of %u", net->n);
		break;
	default:
		snprintf(buf, OUT_BUF, "%s %ux%u", net->kind == HC_MFI_MESH ? "mesh" : "torus",
			 net->rows, net->cols);
	}
	return buf;
}

uint64_t mfi_sets(uint64_t n, uint32_t k)
{
	uint64_t sets = 1;
	uint32_t i;

	if (k > n)
		return 0;
	for (i = 1; i <= k; i++) {
		if (sets > UINT64_MAX / n)
			return UINT64_MAX;
		sets = sets * (n - k + i) / i;
	}
	return sets;
}

void mfi_out_members(struct hcctl *h, const char *key, const struct mfi_view *v, const bool *set)
{
	uint32_t u, n = 0;

	out_array(h, key);
	for (u = 0; u < v->net->n; u++) {
		if (!set[u])
			continue;
		if (h->json || n < LIST) {
			out_text(h, n ? "," : "");
			out_uint(h, NULL, "%" PRIu64, mfi_name(v, u));
		}
		n++;
	}
	out_close(h);
	if (n > LIST)
		out_text(h, ",.. (%u)", n);
}

static void print_net(struct hcctl *h, const struct mfi_view *v)
{
	static const char * const kinds[] = {
		[HC_MFI_CUBE] = "cube", [HC_MFI_MESH] = "mesh", [HC_MFI_TORUS] = "torus",
		[HC_MFI_KARY] = "kary", [HC_MFI_GRAPH] = "graph",
	};
	char what[OUT_BUF];
	uint32_t u;

	out_text(h, "%s, ", mfi_what(what, v->net));
	out_str(h, "kind", NULL, kinds[v->net->kind]);
	if (v->net->dim)
		out_uint(h, "dim", NULL, v->net->dim);
	if (v->net->k)
		out_uint(h, "k", NULL, v->net->k);
	if (v->net->rows) {
		out_uint(h, "rows", NULL, v->net->rows);
		out_uint(h, "columns", NULL, v->net->cols);
	}
	out_uint(h, "processors", "%" PRIu64 " processors", v->net->n);
	out_str(h, "pattern", ", pattern %s", v->pattern);
	out_uint(h, "tg", ", tg %" PRIu64, v->net->tg);
	out_text(h, v->net->tg_of ? " or more\n" : "\n");
	if (!v->net->tg_of || !h->json)
		return;
	out_array(h, "tg_of");
	for (u = 0; u < v->net->n; u++)
		out_uint(h, NULL, NULL, hc_mfi_tg(v->net, u));
	out_close(h);
}

static void print_mfi(struct hcctl *h, const struct mfi_view *v)
{
	const struct hc_mfi_found *r = &v->found;
	uint32_t paper;

	out_uint(h, "mfi", "mfi %" PRIu64, r->size);
	if (r->size < r->upper)
		out_text(h, " or more, at most %u", r->upper);
	out_bool(h, "exact", NULL, r->size == r->upper);
	out_uint(h, "bound", NULL, r->upper);
	out_str(h, "proof", " (%s)", r->why);
	out_uint(h, "nodes", NULL, r->nodes);
	out_uint(h, "colouring", " colouring %" PRIu64, v->coloured);
	if (hc_mfi_paper(v->net, &paper))
		out_uint(h, "paper", " paper's formula %" PRIu64, paper);
	out_text(h, "\n");
}

/* Print the set of faults, its row of the fault matrix, and the full environments: those that
 * already have as many faults as they may have.
 */
static int print_set(struct hcctl *h, const struct mfi_view *v)
{
	const struct hc_mfi_net *net = v->net;
	char *row = malloc(net->n + 1);
	bool *mark = calloc(net->n, sizeof(*mark));
	uint32_t i;

	if (!row || !mark) {
		free(row);
		free(mark);
		return hc_nomem(h);
	}
	out_text(h, "set ");
	mfi_out_members(h, "set", v, v->found.set);
	hc_mfi_nfg(net, v->found.set, mark);
	out_text(h, "\nnon-fault group ");
	mfi_out_members(h, "nfg", v, mark);
	hc_mfi_row(net, v->found.set, row);
	out_str(h, "row", net->n <= 2 * LIST ? "\nrow %s" : NULL, row);
	for (i = 0; i < net->n; i++)
		mark[i] = hc_mfi_faults(net, v->found.set, i) == hc_mfi_tg(net, i);
	out_text(h, "\nfull environments ");
	mfi_out_members(h, "full", v, mark);
	out_text(h, "\n");
	free(row);
	free(mark);
	return 0;
}

static void print_given(struct hcctl *h, const struct mfi_view *v)
{
	bool feasible = hc_mfi_feasible(v->net, v->found.set);
	uint32_t i, faults, n = 0;

	out_bool(h, "feasible", feasible ? "feasible\n" : NULL, feasible);
	out_array(h, "over");
	for (i = 0; i < v->net->n; i++) {
		faults = hc_mfi_faults(v->net, v->found.set, i);
		if (faults <= hc_mfi_tg(v->net, i))
			continue;
		out_object(h, NULL);
		out_text(h, n++ ? ", " : "not feasible: environment of ");
		out_uint(h, "processor", "%" PRIu64, mfi_name(v, i));
		out_uint(h, "faults", " has %" PRIu64, faults);
		out_close(h);
	}
	out_close(h);
	out_text(h, n ? "\n" : "");
	if (v->escape < 0)
		return;
	out_bool(h, "escapes", NULL, v->escape > 0);
	out_uint(h, "escape_dim", NULL, v->escape);
	out_text(h, v->escape ? "could escape: errors of dimension %d\n" :
		 "no error of these escapes\n", v->escape);
}

static int print_groups(struct hcctl *h, const struct mfi_view *v)
{
	const struct hc_mfi_groups *g = &v->groups;
	bool *mark = calloc(v->net->n, sizeof(*mark));
	uint32_t i, u;

	if (!mark)
		return hc_nomem(h);
	out_text(h, "%u group%s (%s; ", g->count, g->count == 1 ? "" : "s", g->why);
	out_str(h, "groups_by", NULL, g->why);
	out_uint(h, "groups_first_fit", "first fit %" PRIu64, g->first_fit);
	out_bool(h, "groups_keep_set", NULL, g->keeps);
	out_bool(h, "groups_minimal", NULL, g->count == g->lower);
	out_uint(h, "groups_bound", NULL, g->lower);
	out_text(h, g->count == g->lower ? "; none has fewer)\n" : "; none has fewer than %u)\n",
		 g->lower);
	out_array(h, "groups");
	for (i = 0; i < g->count; i++) {
		for (u = 0; u < v->net->n; u++)
			mark[u] = g->of[u] == i;
		out_text(h, "  ");
		mfi_out_members(h, NULL, v, mark);
		out_text(h, "\n");
	}
	out_close(h);
	free(mark);
	return 0;
}

static void print_row(struct hcctl *h, const struct mfi_view *v, const bool *set, char *row)
{
	hc_mfi_row(v->net, set, row);
	out_object(h, NULL);
	mfi_out_members(h, "faults", v, set);
	out_str(h, "row", "\t%s\n", row);
	out_close(h);
}

/* Print the fault matrix. It has a row for each set of tg faults. */
static int print_matrix(struct hcctl *h, const struct mfi_view *v)
{
	uint32_t n = v->net->n, k = v->net->tg, i;
	uint32_t *f = calloc(k, sizeof(*f));
	bool *set = calloc(n, sizeof(*set));
	char *row = malloc(n + 1);
	bool ok = f && set && row;

	for (i = 0; ok && i < k; i++)
		f[i] = i;
	out_array(h, "matrix");
	if (ok)
		do {
			memset(set, 0, n * sizeof(*set));
			for (i = 0; i < k; i++)
				set[f[i]] = true;
			print_row(h, v, set, row);
		} while (hc_mfi_next_set(f, k, n));
	out_close(h);
	hc_free_all(f, set, row);
	return ok ? 0 : hc_nomem(h);
}

static void print_escape(struct hcctl *h, const struct mfi_view *v)
{
	uint32_t i, j;

	out_array(h, "escape");
	for (i = 0; i < v->ntried; i++) {
		const struct hc_mfi_escape *e = &v->tried[i];

		out_object(h, NULL);
		out_uint(h, "faults", e->count == 1 ? "%" PRIu64 " fault:" : "%" PRIu64 " faults:",
			 e->count);
		out_uint(h, "sets", " %" PRIu64 " sets", e->sets);
		out_bool(h, "complete", NULL, v->complete || i + 1 < v->ntried);
		if (!v->complete && i + 1 == v->ntried)
			out_text(h, " (then time was up)");
		out_uint(h, "feasible", ", %" PRIu64 " feasible", e->feasible);
		out_uint(h, "escape", ", %" PRIu64 " could escape", e->escape);
		out_uint(h, "feasible_escape", " (%" PRIu64 " of them feasible)",
			 e->feasible_escape);
		out_array(h, "first");
		for (j = 0; e->escape && j < e->count; j++) {
			out_text(h, j ? "," : ", the first ");
			out_uint(h, NULL, "%" PRIu64, mfi_name(v, e->first[j]));
		}
		out_close(h);
		out_text(h, "\n");
		out_close(h);
	}
	out_close(h);
}

int mfi_print(struct hcctl *h, const struct mfi_view *v)
{
	int rc;

	out_object(h, NULL);
	print_net(h, v);
	if (!v->given)
		print_mfi(h, v);
	rc = print_set(h, v);
	if (v->given)
		print_given(h, v);
	if (!rc && !v->given)
		rc = print_groups(h, v);
	if (v->ntried)
		print_escape(h, v);
	if (!rc && v->place)
		rc = mfi_place_print(h, v);
	if (!rc && v->matrix)
		rc = print_matrix(h, v);
	if (rc)
		out_reset(h);
	else
		out_close(h);
	return rc;
}
