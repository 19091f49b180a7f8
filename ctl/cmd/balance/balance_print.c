// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl balance: printing of topologies.
 */
#include <inttypes.h>
#include <stdio.h>

#include "balance_cmd.h"

/* Above this dimension the trees are printed in JSON only. */
#define TREES_DIM 8

void balance_out_shape(struct hcctl *h, const struct hc_balance_topo *t)
{
	char word[OUT_BUF];

	if (t->b.dim)
		out_str(h, "subcube", " subcube %s",
			out_subcube(word, t->b.base, t->b.dims, t->b.dim));
	else
		out_uint(h, "middle", "middle %" PRIu64, t->b.base);
	out_uint(h, "depth", " depth %" PRIu64, t->b.depth);
	out_uint(h, "members", " members %" PRIu64, t->members);
}

static void out_candidates(struct hcctl *h, const struct hc_balance_topo *t)
{
	char word[OUT_BUF];
	size_t i;

	out_text(h, "candidates");
	out_array(h, "candidates");
	for (i = 0; i < t->largest.n; i++) {
		const struct hc_cube *c = &t->largest.v[i];

		out_str(h, NULL, " %s", out_subcube(word, c->base, c->dims, t->b.dim));
	}
	out_close(h);
	out_text(h, "\n");
}

/* Print two objects, the parents and the weights of the nodes. Their keys are node numbers. */
static void out_by_node(struct hcctl *h, const struct hc_balance_topo *t)
{
	char key[16];
	uint32_t u;

	out_object(h, "parent");
	for (u = 0; u < hc_nodes(t->b.dim); u++) {
		if (t->up[u] >= t->b.dim)
			continue;
		snprintf(key, sizeof(key), "%u", u);
		out_uint(h, key, NULL, hc_neigh(u, t->up[u]));
	}
	out_close(h);
	out_object(h, "weight");
	for (u = 0; u < hc_nodes(t->b.dim); u++) {
		if (t->up[u] == HC_BALANCE_OUT)
			continue;
		snprintf(key, sizeof(key), "%u", u);
		out_uint(h, key, NULL, t->weight[u]);
	}
	out_close(h);
}

/* Print each node and its parent, unless there are too many. The deepest nodes come first. */
static void text_trees(struct hcctl *h, const struct hc_balance_topo *t)
{
	char bits[OUT_BUF], parent[OUT_BUF];
	uint32_t i, u, v;

	if (t->b.dim > TREES_DIM)
		return;
	for (i = t->members; i--;) {
		u = t->order[i];
		if (t->up[u] == HC_BALANCE_ROOT)
			break;
		v = hc_neigh(u, t->up[u]);
		out_text(h, "  %s -> %s  level %u weight %u\n", out_bits(bits, u, t->b.dim),
			 out_bits(parent, v, t->b.dim), t->level[u], t->weight[u]);
	}
}

void balance_out_topology(struct hcctl *h, const char *fabric, enum hc_balance_shape shape,
			  const struct hc_faults *f, const struct hc_balance_topo *t)
{
	out_object(h, NULL);
	if (fabric)
		out_str(h, "fabric", "fabric %s ", fabric);
	out_uint(h, "dim", "dim %" PRIu64, t->b.dim);
	balance_out_shape(h, t);
	out_str(h, "method", " method %s\n",
		shape == HC_BALANCE_MCWA ? "mcwa" : "minimal-depth");
	out_candidates(h, t);
	out_bool(h, "adequate", NULL, t->adequate);
	if (h->json)
		out_by_node(h, t);
	else
		text_trees(h, t);
	cmd_out_set(h, "excluded", t->nexcluded ? "excluded " : "", t->excluded,
		    hc_nodes(t->b.dim));
	out_text(h, t->nexcluded ? "\n" : "");
	cmd_out_faults(h, f);
	out_close(h);
}

void balance_warn(struct hcctl *h, enum hc_balance_shape shape, const struct hc_balance_topo *t)
{
	unsigned int bound = t->b.dim - t->largest.k;
	char list[BCAST_LIST];

	if (shape == HC_BALANCE_MCWA && !t->adequate)
		hc_warn(h, "no largest subcube is adequate: the least depth of all sizes is taken, %u%s",
			t->b.depth,
			t->b.depth > bound ? ", which is more than the theorem's bound" : "");
	if (t->nexcluded)
		hc_warn(h, "cut off from the subcube and left out%s",
			cmd_bcast_list(list, t->excluded, hc_nodes(t->b.dim)));
}
