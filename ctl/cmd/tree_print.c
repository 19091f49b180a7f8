// SPDX-License-Identifier: GPL-2.0
/*
 * Printing tree plans, as text with pictures and as JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "detours.h"

/* Up to this dimension, all nodes and transfers are drawn. */
#define DRAW_DIM 6
#define WARN_NODES 16

static bool member(const struct hc_tree *t, uint32_t u)
{
	return hc_set_has(t->members, u);
}

static void out_bad(struct hcctl *h, const char *text)
{
	out_text(h, "  ");
	out_color(h, OUT_BAD);
	out_text(h, "%s", text);
	out_color(h, OUT_PLAIN);
}

/* Draw the subtree below node @u. @active: stage at which @u sends, so its children are along the
 * dimensions of the stages before it. @prefix: text at the left of each line.
 */
static void draw(struct hcctl *h, const struct tree_view *v, uint32_t u, unsigned int active,
		 const char *prefix)
{
	const struct hc_tree *t = &v->plan->tree;
	char bits[OUT_BUF], more[OUT_BUF];
	unsigned int i = active, d;
	bool bad;

	while (i--) {
		d = t->order[i];
		bad = v->faults->fault[u] & hc_bit(d);
		out_text(h, "%s%c--%s%s", prefix, i ? '|' : '`', bad ? "x-" : "- ",
			 out_bits(bits, hc_neigh(u, d), t->dim));
		if (bad)
			out_bad(h, "FAULTY");
		if (!member(t, hc_neigh(u, d)))
			out_bad(h, "no member");
		out_text(h, "\n");
		snprintf(more, sizeof(more), "%s%c    ", prefix, i ? '|' : ' ');
		draw(h, v, hc_neigh(u, d), i, more);
	}
}

static void print_transfer(struct hcctl *h, const struct hc_tree *t, uint32_t u,
			   const struct hc_tree_role *role)
{
	char from[OUT_BUF], to[OUT_BUF];
	unsigned int i, d = t->order[role->active];

	out_bits(from, u, t->dim);
	out_text(h, "    %s %s %s", from, role->dst[0].how == HC_TREE_DIRECT ? "->" : "x ",
		 out_bits(to, hc_neigh(u, d), t->dim));
	switch (role->dst[0].how) {
	case HC_TREE_HELP:
		out_text(h, "   %u part%s by", role->ndst, role->ndst > 1 ? "s" : "");
		for (i = 0; i < role->ndst; i++)
			out_text(h, "%s %s", i ? "," : "",
				 out_bits(to, role->dst[i].node, t->dim));
		break;
	case HC_TREE_DETOUR:
		out_text(h, "   detour to %s", out_bits(to, role->dst[0].node, t->dim));
		break;
	}
	out_text(h, "\n");
}

/* Compute the role of member @u; @src is memory for @max peers. Return: false if it has no role,
 * which does not happen in a valid plan.
 */
static bool role_of(const struct tree_view *v, uint32_t u, struct hc_tree_role *role,
		    struct hc_tree_peer *src, unsigned int max)
{
	const struct hc_tree *t = &v->plan->tree;
	uint32_t nb[HC_LIB_DIM_MAX];
	unsigned int d;

	for (d = 0; d < t->dim; d++)
		nb[d] = v->faults->fault[hc_neigh(u, d)];
	return !hc_tree_role(t, u, v->faults->fault[u], nb, role, src, max);
}

static void print_stages(struct hcctl *h, const struct tree_view *v)
{
	const struct hc_tree *t = &v->plan->tree;
	unsigned int max = 2 * t->stages + t->ndetours + 1, i;
	struct hc_tree_peer *src = calloc(max, sizeof(*src));
	uint32_t u, senders, blocked;
	struct hc_tree_role role;

	for (i = 0; src && i < t->stages; i++) {
		out_text(h, "stage %u, dimension %u:\n", i, t->order[i]);
		senders = 0;
		blocked = 0;
		for (u = 0; u < hc_nodes(t->dim); u++) {
			if (!member(t, u) || hc_tree_active(t, u) != i ||
			    !role_of(v, u, &role, src, max) || !role.ndst)
				continue;
			senders++;
			blocked += role.dst[0].how != HC_TREE_DIRECT;
			if (t->dim <= DRAW_DIM || role.dst[0].how != HC_TREE_DIRECT)
				print_transfer(h, t, u, &role);
		}
		if (t->dim > DRAW_DIM)
			out_text(h, "    %u sender%s, %u of them blocked\n", senders,
				 senders == 1 ? "" : "s", blocked);
	}
	free(src);
}

static void print_faulty(struct hcctl *h, const struct tree_view *v)
{
	uint32_t n = hc_plan_tree_faulty(v->faults, v->plan, NULL, 0), i;
	struct hc_faulty_link *l = calloc(n + 1, sizeof(*l));

	out_array(h, "faulty");
	if (l)
		hc_plan_tree_faulty(v->faults, v->plan, l, n);
	for (i = 0; l && i < n; i++)
		cmd_out_link(h, NULL, i ? "," : "faulty links ",
			     (struct link_ref){ l[i].node, l[i].dim });
	if (n)
		out_text(h, "\n");
	out_close(h);
	free(l);
}

static void print_head(struct hcctl *h, const struct tree_view *v)
{
	const struct hc_tree_plan *p = v->plan;
	const struct hc_tree *t = &p->tree;
	char bits[OUT_BUF];

	if (v->fabric)
		out_str(h, "fabric", "fabric %s ", v->fabric);
	if (v->subcube)
		out_str(h, "subcube", "subcube %s ", v->subcube);
	out_uint(h, "dim", "dim %" PRIu64, t->dim);
	out_uint(h, "sink", " sink %" PRIu64, t->sink);
	out_text(h, " (%s)", out_bits(bits, t->sink, t->dim));
	cmd_out_order(h, "order", " order ", t->order, t->stages);
	out_uint(h, "cost", " cost %" PRIu64, p->cost);
	out_str(h, "method", " method %s\n", v->method);
	out_text(h, "members %u of %u", p->nmembers, hc_nodes(t->stages));
	if (h->json)
		cmd_out_set(h, "members", "", p->members, hc_nodes(t->dim));
	if (v->installed)
		out_uint(h, "plan", " installed as plan %" PRIu64, v->installed);
	out_bool(h, "clean_sink", NULL, p->clean_sink);
	if (!p->clean_sink)
		out_text(h, " the sink itself has faulty links");
	out_uint(h, "faulty_stages", " faulty stages %" PRIu64, p->faulty_stages);
	out_uint(h, "steps", " steps %" PRIu64, p->steps);
	out_text(h, " = %u + %u\n", t->stages, p->steps - t->stages);
}

void cmd_tree_print(struct hcctl *h, const struct tree_view *v)
{
	const struct hc_tree_plan *p = v->plan;
	const struct hc_tree *t = &p->tree;
	char bits[OUT_BUF];
	unsigned int i;

	out_object(h, NULL);
	print_head(h, v);
	print_faulty(h, v);
	if (t->ndetours)
		out_text(h, "detours ");
	out_array(h, "detours");
	for (i = 0; i < t->ndetours; i++) {
		uint8_t *dims;
		unsigned int hops = detour_way(t->dim, v->faults->fault, &t->detours[i], &dims);

		detour_out(h, i ? ", " : "", &t->detours[i], dims, hops);
		free(dims);
	}
	out_close(h);
	if (t->ndetours)
		out_text(h, "\n");
	if (p->nexcluded)
		out_text(h, "excluded");
	cmd_out_set(h, "excluded", " ", p->excluded, hc_nodes(t->dim));
	if (p->nexcluded)
		out_text(h, "\n");
	cmd_out_faults(h, v->faults);
	if (!h->json) {
		if (t->dim <= DRAW_DIM) {
			out_text(h, "\n%s\n", out_bits(bits, t->sink, t->dim));
			draw(h, v, t->sink, t->stages, "");
		}
		out_text(h, "\n");
		print_stages(h, v);
	}
	out_close(h);
}

void cmd_tree_warn(struct hcctl *h, const struct hc_tree_plan *p)
{
	char list[WARN_NODES * 7 + 32] = "";
	uint32_t u, shown = 0;
	size_t len = 0;

	if (!p->nexcluded)
		return;
	for (u = 0; u < hc_nodes(p->tree.dim) && shown < WARN_NODES; u++) {
		if (!hc_set_has(p->excluded, u))
			continue;
		len += snprintf(list + len, sizeof(list) - len, "%s%u", shown ? ", " : "", u);
		shown++;
	}
	hc_warn(h, "cut off from sink %u and left out: %s%s", p->tree.sink, list,
		p->nexcluded > shown ? ", .." : "");
}
