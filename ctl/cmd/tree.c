// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl tree: find communication trees, install, list and remove them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

/* What "tree find" was asked for. */
struct find {
	const char *fabric;
	bool apply;
	uint32_t id;
	uint32_t dim;
	const char *file;
	struct link_list links;
	struct node_list nodes;
	uint32_t sink;
	const char *subcube;
	const char *method;
};

static const char * const methods[] = {
	[HC_TREE_EXACT] = "exact",
	[HC_TREE_FIND] = "find-tree",
	[HC_TREE_EXHAUST] = "exhaust",
};

static int arg_method(struct hcctl *h, const char *name, const char *word, void *dst)
{
	unsigned int i;

	for (i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (!strcmp(methods[i], word)) {
			*(const char **)dst = word;
			return 0;
		}
	return hc_invalid(h, name, word, "exact, find-tree or exhaust is wanted");
}

static enum hc_tree_method method_number(const char *word)
{
	unsigned int i;

	for (i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (!strcmp(methods[i], word))
			return i;
	return HC_TREE_EXACT;
}

static int find_args(struct hcctl *h, struct find *q, int argc, char **argv)
{
	struct arg args[] = {
		{ "fabric", arg_fabric, &q->fabric },
		{ "apply", NULL, &q->apply },
		{ "plan", arg_count, &q->id },
		{ "dim", arg_dim, &q->dim },
		{ "fail-link", arg_links, &q->links, .many = true },
		{ "fail-node", arg_nodes, &q->nodes, .many = true },
		{ "faults", arg_str, &q->file },
		{ "sink", arg_node, &q->sink },
		{ "subcube", arg_str, &q->subcube },
		{ "method", arg_method, &q->method },
		{}
	};
	int rc = hc_args(h, args, argc, argv);

	if (rc)
		return rc;
	if (!q->fabric && !q->dim)
		return hc_missing(h, "\"fabric\" or \"dim\"");
	if (q->fabric && (q->dim || q->links.n || q->nodes.n || q->file))
		return hc_invalid(h, "fabric", q->fabric,
				  "its dimension and faults are read from the kernel");
	if (q->apply && !q->fabric)
		return hc_missing(h, "\"fabric\" to apply the plan to");
	if (q->id && !q->apply)
		return hc_missing(h, "\"apply\", without which no plan gets an id");
	if (!q->id)
		q->id = 1;
	if (q->file)
		return cmd_faults_file(h, q->file, &q->links, &q->nodes);
	return 0;
}

/* The faults of the command line. */
static int offline_faults(struct hcctl *h, const struct find *q, struct hc_faults **out)
{
	struct hc_faults *f = hc_faults_new(q->dim);
	size_t i;

	if (!f)
		return hc_nomem(h);
	*out = f;
	for (i = 0; i < q->links.n; i++)
		if (hc_faults_link(f, q->links.v[i].node, q->links.v[i].dim)) {
			hc_error(h, "link %u:%u is not in a cube of dimension %u",
				 q->links.v[i].node, q->links.v[i].dim, q->dim);
			return HC_USAGE;
		}
	for (i = 0; i < q->nodes.n; i++)
		if (hc_faults_node(f, q->nodes.v[i])) {
			hc_error(h, "node %u is not in a cube of dimension %u",
				 q->nodes.v[i], q->dim);
			return HC_USAGE;
		}
	return 0;
}

static int no_tree(struct hcctl *h, const struct find *q, int err, const char *why)
{
	if (err == -ENOMEM)
		return hc_nomem(h);
	if (q->sink != HC_ANY_SINK)
		hc_error(h, "no tree with sink %u: %s", q->sink, why);
	else
		hc_error(h, "no tree: %s", why);
	return err == -ERANGE && !q->fabric ? HC_USAGE : HC_NO;
}

static int plan(struct hcctl *h, const struct find *q, const struct hc_faults *f,
		struct hc_tree_plan *p)
{
	struct hc_tree_req req = { .method = method_number(q->method), .sink = q->sink };
	const char *why = "not possible";
	int rc;

	if (q->subcube) {
		rc = cmd_subcube(h, q->subcube, f->dim, &req.dims, &req.base);
		if (rc)
			return rc;
	}
	if (q->subcube && !req.dims) {
		/* One node is a tree of no stages. */
		if (q->sink != HC_ANY_SINK && q->sink != req.base)
			return no_tree(h, q, -ERANGE, "it is not in the subcube");
		rc = hc_plan_tree_fixed(f, req.base, NULL, 0, p, &why);
	} else {
		rc = hc_plan_tree(f, &req, p, &why);
	}
	return rc ? no_tree(h, q, rc, why) : 0;
}

/* Plan, install if asked to, print.  -ESTALE: the faults changed meanwhile. */
static int find_once(struct hcctl *h, const struct find *q, bool last)
{
	struct tree_view view = {
		.method = q->method, .fabric = q->fabric, .subcube = q->subcube,
	};
	struct hc_faults *f = NULL;
	struct hc_tree_plan p;
	int rc;

	if (q->fabric)
		rc = cmd_live_faults(h, q->fabric, &f);
	else
		rc = offline_faults(h, q, &f);
	if (!rc)
		rc = plan(h, q, f, &p);
	if (rc)
		goto out;
	if (q->apply) {
		rc = nl_plan_add(h, q->fabric, q->id, &p.tree, f->fault, !last);
		view.installed = q->id;
	}
	if (!rc) {
		view.faults = f;
		view.plan = &p;
		cmd_tree_print(h, &view);
		cmd_tree_warn(h, &p);
	}
	hc_tree_plan_free(&p);
out:
	hc_faults_free(f);
	return rc;
}

static int find(struct hcctl *h, int argc, char **argv)
{
	struct find q = { .sink = HC_ANY_SINK, .method = "exact" };
	int rc, try;

	rc = find_args(h, &q, argc, argv);
	if (rc)
		goto out;
	/* A link that was just set tells its nodes a moment later. */
	for (try = 0; try < STALE_RETRIES; try++) {
		rc = find_once(h, &q, try == STALE_RETRIES - 1);
		if (rc != -ESTALE)
			break;
		usleep(1000 << try);
	}
out:
	free(q.links.v);
	free(q.nodes.v);
	return rc;
}

static void show_broken(struct hcctl *h, const struct nl_plan *p)
{
	out_bool(h, "broken", " BROKEN", p->broken);
	if (p->broken && p->cause_node != NL_NONE)
		out_uint(h, "cause_node", " by %" PRIu64, p->cause_node);
	if (p->broken && p->cause_dim != NL_NONE)
		out_uint(h, "cause_dim", ":%" PRIu64, p->cause_dim);
	out_text(h, "\n");
}

static void show_detours(struct hcctl *h, const struct nl_plan *p)
{
	unsigned int i;

	if (p->ndetours)
		out_text(h, " detours ");
	out_array(h, "detours");
	for (i = 0; i < p->ndetours; i++) {
		out_object(h, NULL);
		out_uint(h, "from", i ? ",%" PRIu64 : "%" PRIu64, p->detours[i].from);
		out_uint(h, "to", ">%" PRIu64, p->detours[i].to);
		out_close(h);
	}
	out_close(h);
}

static void show_shape(struct hcctl *h, const struct nl_plan *p)
{
	switch (p->type) {
	case HYPERCUBE_PLAN_BCAST:
		out_uint(h, "source", " source %" PRIu64, p->source);
		cmd_out_order(h, "sequence", " sequence ", p->sequence, p->steps);
		return;
	case HYPERCUBE_PLAN_DOUBLING:
		out_uint(h, "base", " base %" PRIu64, p->base);
		break;
	default:
		out_uint(h, "sink", " sink %" PRIu64, p->sink);
	}
	cmd_out_order(h, "order", " order ", p->order, p->stages);
}

static void show_plan(struct hcctl *h, const struct nl_plan *p)
{
	out_object(h, NULL);
	out_uint(h, "plan", "plan %" PRIu64, p->id);
	out_str(h, "type", " %s", p->type == HYPERCUBE_PLAN_BCAST ? "bcast" :
				  p->type == HYPERCUBE_PLAN_DOUBLING ? "doubling" : "tree");
	out_uint(h, "epoch", " epoch %" PRIu64, p->epoch);
	show_shape(h, p);
	out_text(h, " members %u", cmd_set_count(p->members, 32 * p->member_words));
	if (h->json)
		cmd_out_set(h, "members", "", p->members, 32 * p->member_words);
	if (p->type == HYPERCUBE_PLAN_TREE)
		show_detours(h, p);
	show_broken(h, p);
	out_close(h);
}

static int show(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	struct nl_plan *v;
	size_t n, i;
	int rc;

	if (!fabric || hc_take_end(h, argc, argv))
		return HC_USAGE;
	rc = nl_plans(h, fabric, &v, &n);
	if (rc)
		return rc;
	out_array(h, NULL);
	for (i = 0; i < n; i++)
		if (v[i].members)
			show_plan(h, &v[i]);
	out_close(h);
	nl_plans_free(v, n);
	return HC_OK;
}

static int del(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	uint32_t id = 1;
	struct arg args[] = {
		{ "plan", arg_count, &id },
		{}
	};
	int rc;

	if (!fabric)
		return HC_USAGE;
	rc = hc_args(h, args, argc, argv);
	return rc ?: nl_plan_del(h, fabric, id);
}

const struct hc_cmd tree_cmds[] = {
	{
		"find", find,
		"{ fabric NAME [apply [plan ID]] | dim N [fail-link LINKS] [fail-node NODES] [faults FILE] } [sink NODE] [subcube XX01] [method exact|find-tree|exhaust]",
	},
	{ "show", show, "NAME" },
	{ "del", del, "NAME [plan ID]" },
	{}
};
