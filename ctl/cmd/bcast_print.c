// SPDX-License-Identifier: GPL-2.0
/*
 * Printing of broadcast plans.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

/* Up to this dimension, text output lists every transfer. */
#define LIST_DIM 6

/* Write a subcube into @buf. In JSON, each free dimension is a star, as in the broadcast paper, not
 * an X, because programs depend on this text.
 */
static const char *subcube(const struct hcctl *h, char *buf, uint32_t base, uint32_t dims,
			   unsigned int dim)
{
	char *x;

	out_subcube(buf, base, dims, dim);
	for (x = buf; h->json && *x; x++)
		if (*x == 'X')
			*x = '*';
	return buf;
}

const char *cmd_bcast_list(char *buf, const uint32_t *set, uint32_t nodes)
{
	const char *comma = ": ";
	size_t len = 0;
	uint32_t u;

	*buf = 0;
	for (u = 0; u < nodes; u++) {
		if (!hc_set_has(set, u))
			continue;
		if (len > BCAST_LIST - 16) {
			snprintf(buf + len, BCAST_LIST - len, ", ..");
			break;
		}
		len += snprintf(buf + len, BCAST_LIST - len, "%s%u", comma, u);
		comma = ", ";
	}
	return buf;
}

static void print_sequence(struct hcctl *h, const struct hc_bcast_plan *p)
{
	char text[OUT_BUF];

	if (!p->bcast.topo.dim) {
		cmd_out_order(h, "sequence", "sequence ", p->sequence, p->bcast.steps);
		return;
	}
	out_str(h, "subcube", "subcube %s",
		subcube(h, text, p->bcast.source, p->subcube, p->bcast.topo.dim));
	cmd_out_order(h, "internal", p->ninternal ? " sequence " : " no sequence", p->internal,
		      p->ninternal);
	cmd_out_order(h, "external", p->nexternal ? " + " : "", p->external, p->nexternal);
	cmd_out_order(h, "extra", p->nextra ? " + " : "", p->extra, p->nextra);
	if (h->json)
		cmd_out_order(h, "sequence", "", p->sequence, p->bcast.steps);
}

static void print_reach(struct hcctl *h, const struct hc_bcast_plan *p)
{
	out_uint(h, "steps", "steps %" PRIu64, p->bcast.steps);
	out_uint(h, "lower_bound", " (at least %" PRIu64 ")", p->lower_bound);
	out_uint(h, "covered", " covered %" PRIu64, p->covered);
	out_uint(h, "reachable", " of %" PRIu64, p->reachable);
	out_uint(h, "faults", " faults %" PRIu64, p->faults);
}

static void print_set(struct hcctl *h, const char *key, const char *text, const uint32_t *set,
		      uint32_t nodes, bool any)
{
	if (any)
		out_text(h, "%s", text);
	cmd_out_set(h, key, " ", set, nodes);
}

/* Print step number @step, counted from 1: which node sends to which. */
static void print_step(struct hcctl *h, const struct hc_bcast_plan *p, unsigned int step)
{
	const struct hc_topo *t = &p->bcast.topo;
	char from[OUT_BUF], to[OUT_BUF];
	unsigned int d = p->sequence[step - 1];
	uint32_t u, count = 0;
	bool list = t->nodes <= hc_nodes(LIST_DIM);

	out_text(h, "step %u, %s %u:\n", step, t->dim ? "dimension" : "port", d);
	for (u = 0; u < t->nodes; u++) {
		if (p->first[u] != step)
			continue;
		count++;
		if (list && t->dim)
			out_text(h, "    %s -> %s\n", out_bits(from, hc_neigh(u, d), t->dim),
				 out_bits(to, u, t->dim));
		else if (list)
			out_text(h, "    %u -> %u\n", hc_peer(t, u, d), u);
	}
	if (!list || !count)
		out_text(h, "    %u node%s informed\n", count, count == 1 ? "" : "s");
}

void cmd_bcast_print(struct hcctl *h, const struct bcast_view *v,
		     const struct hc_bcast_plan *p)
{
	unsigned int dim = p->bcast.topo.dim, i;
	uint32_t nodes = p->bcast.topo.nodes;
	char bits[OUT_BUF];

	out_object(h, NULL);
	if (v->fabric)
		out_str(h, "fabric", "fabric %s ", v->fabric);
	if (dim)
		out_uint(h, "dim", "dim %" PRIu64 " ", dim);
	out_uint(h, "source", "source %" PRIu64, p->bcast.source);
	if (dim)
		out_text(h, " (%s)", out_bits(bits, p->bcast.source, dim));
	out_str(h, "method", " method %s\n", v->method);
	if (v->installed)
		out_uint(h, "plan", "installed as plan %" PRIu64 " ", v->installed);
	print_sequence(h, p);
	out_text(h, "\n");
	print_reach(h, p);
	out_text(h, "\n");
	print_set(h, "pseudo_faulty", "pseudo-faulty", p->pseudo, nodes, p->npseudo);
	print_set(h, "missed", p->npseudo ? "\nmissed" : "missed", p->missed, nodes,
		  p->covered < p->reachable);
	print_set(h, "unreachable", p->npseudo ? "\nunreachable" : "unreachable", p->unreachable,
		  nodes, p->nunreachable);
	if (p->npseudo || p->nunreachable)
		out_text(h, "\n");
	cmd_out_faults(h, v->faults);
	for (i = 1; !h->json && i <= p->bcast.steps; i++)
		print_step(h, p, i);
	out_close(h);
}

void cmd_bcast_print_piece(struct hcctl *h, const struct hc_bcast_piece *piece)
{
	const struct hc_bcast_plan *p = &piece->plan;
	unsigned int dim = p->bcast.topo.dim;
	uint32_t nodes = p->bcast.topo.nodes;
	char text[OUT_BUF];

	out_object(h, NULL);
	out_str(h, "piece", "%s: ", subcube(h, text, piece->base, piece->dims, dim));
	out_uint(h, "source", NULL, p->bcast.source);
	print_sequence(h, p);
	out_text(h, " ");
	print_reach(h, p);
	print_set(h, "pseudo_faulty", " pseudo-faulty", p->pseudo, nodes, p->npseudo);
	print_set(h, "missed", " missed", p->missed, nodes, p->covered < p->reachable);
	print_set(h, "unreachable", " unreachable", p->unreachable, nodes, p->nunreachable);
	out_text(h, "\n");
	out_close(h);
}
