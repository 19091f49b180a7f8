// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: a picture of a fabric or of a plan.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "memory.h"
#include "cmd/planner.h"
#include "plot.h"

/* Return: the plan with @id, if it is of a type that can be drawn. If @id is 0: the installed tree,
 * if exactly one is installed. Otherwise NULL.
 */
static const struct nl_plan *choose(const struct nl_plan *v, size_t n, uint32_t id)
{
	const struct nl_plan *found = NULL;
	size_t i, trees = 0;

	for (i = 0; i < n; i++) {
		if (id && v[i].id != id)
			continue;
		if (v[i].type != tree_planner.type &&
		    !(id && (v[i].type == doubling_planner.type || v[i].type == span_planner.type)))
			continue;
		found = &v[i];
		trees++;
	}
	return trees == 1 ? found : NULL;
}

static int set_doubling(struct hcctl *h, struct plot *p, const struct nl_plan *v)
{
	struct hc_doubling d = { .dim = p->dim, .stages = v->stages, .base = v->base };

	memcpy(d.order, v->order, v->stages);
	return plot_set_doubling(h, p, &d);
}

/* Set the picture of a spanning tree. Its steps are computed as if there were no faults, so that a
 * plan that a fault has broken is drawn as it was before the fault.
 */
static int set_span(struct hcctl *h, struct plot *p, const struct nl_plan *v)
{
	const struct hc_topo *topo = &p->faults->topo;
	const struct hc_span s = {
		.topo = *topo, .root = v->sink, .n = v->steps, .parent = v->sequence,
	};
	uint16_t *up = calloc(topo->nodes, 3 * sizeof(*up));
	uint32_t *none = calloc(topo->nodes, sizeof(*none));
	struct hc_reason reason;
	int rc = up && none ? 0 : hc_nomem(h);

	if (!rc && hc_span_check(&s, none, up, up + topo->nodes, &reason)) {
		hc_error(h, "plan %u: %s", v->id, reason.why);
		rc = HC_NO;
	}
	rc = rc ?: plot_set_span(h, p, &s, up);
	hc_free_all(up, none);
	return rc;
}

/* Set the picture of an installed plan. The faults for which it was made are not known. The roles
 * of its members are computed from the current faults: as long as the plan is not broken, they are
 * the same, unless a link that was faulty has come up since.
 */
static int set_plan(struct hcctl *h, struct plot *p, const struct nl_plan *v)
{
	struct hc_tree t = {
		.dim = p->dim, .stages = v->stages, .sink = v->sink, .ndetours = v->ndetours,
		.members = v->members, .detours = v->detours,
	};

	p->plan = v->id;
	p->broken = v->broken;
	if (v->type == doubling_planner.type)
		return set_doubling(h, p, v);
	if (v->type == span_planner.type)
		return set_span(h, p, v);
	if (v->member_words < hc_set_words(p->dim)) {
		hc_error(h, "fabric %s: the kernel's plan %u is not complete", v->fabric, v->id);
		return HC_NO;
	}
	memcpy(t.order, v->order, v->stages);
	return plot_set_tree(h, p, &t, p->faults->fault);
}

static int live_plan(struct hcctl *h, const char *fabric, uint32_t id, struct plot *p)
{
	const struct nl_plan *found;
	struct nl_plan *v;
	size_t n;
	int rc = nl_plans(h, fabric, &v, &n);

	if (rc)
		return rc;
	found = choose(v, n, id);
	if (found) {
		rc = set_plan(h, p, found);
	} else if (id) {
		hc_error(h, "no tree, doubling or spanning tree is installed as plan %u of fabric \"%s\"",
			 id, fabric);
		rc = HC_NO;
	}
	nl_plans_free(v, n);
	return rc;
}

static int live_traffic(struct hcctl *h, const char *fabric, struct plot *p)
{
	struct nl_link *v;
	size_t n, i;
	int rc;

	rc = nl_links(h, fabric, &v, &n);
	if (rc)
		return rc;
	p->sent = calloc((size_t)hc_nodes(p->dim) * p->dim, sizeof(*p->sent));
	for (i = 0; p->sent && i < n; i++)
		if (v[i].node < hc_nodes(p->dim) && v[i].dim < p->dim)
			p->sent[(size_t)v[i].node * p->dim + v[i].dim] = v[i].tx_bytes;
	for (i = 0; p->sent && i < n; i++) {
		uint64_t bytes = plot_link_bytes(p, v[i].node, v[i].dim);

		if (bytes > p->busiest)
			p->busiest = bytes;
	}
	free(v);
	return p->sent ? 0 : hc_nomem(h);
}

static int set_rings(struct hcctl *h, struct plot *p, const struct nl_plan *v)
{
	const struct hc_ring_tree t = { v->nrings, v->nring_nodes, v->rings, v->ring_nodes };
	struct hc_ring_reason reason;
	int rc = hc_plan_ring_fixed(p->net, &t, &p->rings, &reason);

	if (rc == -EINVAL)
		hc_error(h, "plan %u: %s", v->id, reason.why);
	return rc == -ENOMEM ? hc_nomem(h) : rc ?: plot_set_ring(h, p);
}

/* Find rings that could be installed, and set their picture. */
static int find_rings(struct hcctl *h, const char *fabric, struct plot *p)
{
	int rc = hc_plan_ring(p->net, NULL, HC_RING_AUTO, 0, &p->rings);

	if (rc == -ENOMEM)
		return hc_nomem(h);
	if (rc)
		hc_error(h, "fabric %s: no node is connected with any other", fabric);
	return rc ?: plot_set_ring(h, p);
}

/* Set the picture of a network that is not a cube, with a tree of rings or a spanning tree. This is
 * the plan with @id; or if @id is 0, the first installed plan of these types that is not broken; or
 * if there is none, rings that could be installed.
 */
static int live_net(struct hcctl *h, const char *fabric, uint32_t id, struct plot *p)
{
	struct nl_plan *v;
	size_t n, i = 0;
	int rc = nl_plans(h, fabric, &v, &n);

	if (rc)
		return rc;
	p->net = hc_graph_left(p->faults);
	rc = p->net ? 0 : hc_nomem(h);
	while (i < n && ((v[i].type != ring_planner.type && v[i].type != span_planner.type) ||
			 (id ? v[i].id != id : v[i].broken)))
		i++;
	if (!rc && i < n) {
		p->plan = v[i].id;
		p->broken = v[i].broken;
		rc = (v[i].type == ring_planner.type ? set_rings : set_span)(h, p, &v[i]);
	} else if (!rc && id) {
		hc_error(h, "neither rings nor a spanning tree are installed as plan %u of fabric \"%s\"",
			 id, fabric);
		rc = HC_NO;
	} else if (!rc) {
		rc = find_rings(h, fabric, p);
	}
	nl_plans_free(v, n);
	return rc;
}

static int live(struct hcctl *h, const char *fabric, uint32_t id, struct plot *p)
{
	char *name;
	int rc;

	rc = live_faults(h, fabric, &p->faults);
	if (rc)
		return rc;
	p->dim = p->faults->dim;
	name = out_escaped(fabric);
	snprintf(p->name, sizeof(p->name), "%s", name ?: "?");
	free(name);
	if (!p->dim)
		return live_net(h, fabric, id, p);
	return live_traffic(h, fabric, p) ?: live_plan(h, fabric, id, p);
}

/* The file formats: the end of the file's name, and the maximum numbers of nodes and links for
 * which the format can be used.
 */
static const struct format {
	const char *end;
	void (*draw)(FILE *f, const struct plot *p);
	uint32_t nodes;
	uint64_t links;
} formats[] = {
	{ ".svg", plot_svg_print, UINT32_MAX, UINT64_MAX },
	{ ".dot", plot_dot_print, UINT32_MAX, UINT64_MAX },
	{ ".html", plot_html_print, PLOT_PAGE_NODES, PLOT_PAGE_LINKS },
	{}
};

static const struct format *format_of(const char *file)
{
	const char *dot = strrchr(file, '.');
	const struct format *f = formats;

	while (f->end && (!dot || strcmp(dot, f->end)))
		f++;
	return f->end ? f : NULL;
}

static int draw(struct hcctl *h, const char *file, const struct plot *p)
{
	const struct format *format = format_of(file);
	struct file_new *f;
	char why[96];

	if (plot_nodes(p) > format->nodes || plot_links(p) > format->links) {
		snprintf(why, sizeof(why),
			 "a page has room for %u nodes and %" PRIu64 " links; .svg has more",
			 format->nodes, format->links);
		return hc_invalid(h, "file", file, why);
	}
	f = file_create(h, file);
	if (!f)
		return HC_NO;
	format->draw(file_stream(f), p);
	return file_finish(h, f, true);
}

static void report(struct hcctl *h, const char *file, const struct plot *p)
{
	uint32_t u, bad = 0, failed = 0;
	unsigned int d;

	for (u = 0; u < hc_nodes(p->dim); u++) {
		failed += plot_failed(p, u);
		for (d = 0; d < p->dim; d++)
			bad += !(u & hc_bit(d)) && plot_link_bad(p, u, d);
	}
	out_object(h, NULL);
	out_str(h, "file", "%s:", file);
	out_str(h, "kind", " %s", plot_kind_name(p));
	out_uint(h, "dim", " dim %" PRIu64, p->dim);
	out_uint(h, "nodes", " nodes %" PRIu64, plot_nodes(p));
	out_uint(h, "links", " links %" PRIu64, plot_links(p));
	out_uint(h, "faulty_links", " faulty %" PRIu64, bad);
	out_uint(h, "failed_nodes", " failed nodes %" PRIu64, failed);
	if (p->kind == PLOT_RING)
		out_uint(h, "rings", " rings %" PRIu64, p->rings.tree.nrings);
	out_uint(h, "transfers", " transfers %" PRIu64, p->nedges);
	if (p->hops)
		out_uint(h, "hops", " hops %" PRIu64, p->nhops);
	out_text(h, "\n");
	out_close(h);
}

/* As report(), for a network that is not a cube. */
static void report_net(struct hcctl *h, const char *file, const struct plot *p)
{
	out_object(h, NULL);
	out_str(h, "file", "%s:", file);
	out_str(h, "kind", " %s", plot_kind_name(p));
	out_uint(h, "nodes", " nodes %" PRIu64, plot_nodes(p));
	out_uint(h, "links", " links %" PRIu64, plot_links(p));
	if (p->kind == PLOT_RING)
		out_uint(h, "rings", " rings %" PRIu64, p->rings.tree.nrings);
	out_uint(h, "transfers", " transfers %" PRIu64 "\n", p->nedges);
	out_close(h);
}

/* Return: true if @word is the name of a file and not of a fabric, which has neither dots nor
 * slashes.
 */
static bool is_file(const char *word)
{
	return strpbrk(word, "./") || !strcmp(word, "-");
}

static int plot(struct hcctl *h, int argc, char **argv)
{
	const char *what = hc_take(h, "NAME of a fabric or PLAN.json", &argc, &argv);
	const char *file = NULL, *recorded = NULL;
	uint32_t id = 0;
	struct arg args[] = {
		{ "-o", arg_str, &file, .required = true },
		{ "plan", arg_count, &id },
		{ "trace", arg_str, &recorded },
		{}
	};
	struct plot p = {};
	int rc;

	if (!what || hc_args(h, args, argc, argv))
		return HC_USAGE;
	if (!format_of(file))
		return hc_invalid(h, "file", file, "a name that ends in .svg, .dot or .html is wanted");
	if (recorded && format_of(file)->draw != plot_html_print)
		return hc_invalid(h, "file", file, "only a page, .html, plays a trace");
	if (recorded && !strcmp(recorded, "-") && !strcmp(what, "-"))
		return hc_invalid(h, "trace", recorded, "the plan is on standard input");
	if (is_file(what) && id)
		return hc_invalid(h, "plan", what, "\"plan\" chooses among those of a fabric");
	if (!is_file(what) && arg_fabric(h, "fabric name", what, &what))
		return HC_USAGE;
	rc = is_file(what) ? plot_read(h, what, &p) : live(h, what, id, &p);
	if (!rc && recorded && !p.dim)
		rc = hc_invalid(h, "trace", recorded, "it is played on a hypercube only");
	if (!rc && recorded)
		rc = plot_read_trace(h, recorded, &p);
	if (!rc)
		rc = draw(h, file, &p);
	if (!rc)
		(p.dim ? report : report_net)(h, file, &p);
	plot_clear(&p);
	return rc;
}

const struct hc_cmd plot_cmds[] = {
	{ NULL, plot, "{ NAME [plan ID] | PLAN.json } [trace TRACE.json] -o FILE.{svg,dot,html}" },
	{}
};
