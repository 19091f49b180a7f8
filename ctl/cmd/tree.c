// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl tree: find communication trees, install, list and remove them.
 */
#include <errno.h>
#include <inttypes.h>

#include "detours.h"
#include "planner.h"

static const char * const methods[] = {
	[HC_TREE_EXACT] = "exact",
	[HC_TREE_FIND] = "find-tree",
	[HC_TREE_EXHAUST] = "exhaust",
	NULL
};

_Static_assert(NL_NONE == HC_ANY_SINK, "without a root any sink will do");

/* Before the words that all planners have. */
static int check(struct hcctl *h, const struct plan_req *q)
{
	return cmd_fault_args_check(h, &q->faults);
}

static int no_tree(struct hcctl *h, const struct plan_req *q, int err, const char *why)
{
	return planner_none(h, q, "tree", "with sink", q->root, err, why);
}

static int find_tree(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		     void *plan)
{
	struct hc_tree_req req = { .method = q->method.v, .sink = q->root };
	const char *why = "not possible";
	int rc;

	if (q->subcube) {
		rc = cmd_subcube(h, q->subcube, f->dim, &req.dims, &req.base);
		if (rc)
			return rc;
	}
	if (q->subcube && !req.dims) {
		/* One node is a tree of no stages. */
		if (q->root != HC_ANY_SINK && q->root != req.base)
			return no_tree(h, q, -ERANGE, "it is not in the subcube");
		rc = hc_plan_tree_fixed(f, req.base, NULL, 0, plan, &why);
	} else {
		rc = hc_plan_tree(f, &req, plan, &why);
	}
	return rc ? no_tree(h, q, rc, why) : 0;
}

static void free_tree(void *plan)
{
	hc_tree_plan_free(plan);
}

static struct nl_shape shape(const void *plan)
{
	return live_shape_tree(plan);
}

static void warn(struct hcctl *h, const void *plan)
{
	cmd_tree_warn(h, plan);
}

static int print_tree(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		      const void *plan)
{
	char word[OUT_BUF];
	struct tree_view view = {
		.faults = f, .plan = plan, .method = methods[q->method.v],
		.fabric = q->faults.fabric, .installed = q->apply ? q->id : 0,
	};
	uint32_t dims, base;

	if (q->subcube && !cmd_subcube(h, q->subcube, f->dim, &dims, &base))
		view.subcube = out_subcube(word, base, dims, f->dim);
	cmd_tree_print(h, &view);
	warn(h, plan);
	return 0;
}

static void show_detours(struct hcctl *h, const struct nl_plan *v)
{
	unsigned int i;

	if (v->ndetours)
		out_text(h, " detours ");
	out_array(h, "detours");
	for (i = 0; i < v->ndetours && i < v->nways; i++)
		detour_out(h, i ? ", " : "", &v->detours[i], v->ways[i].dims, v->ways[i].hops);
	out_close(h);
}

static int find(struct hcctl *h, int argc, char **argv)
{
	struct plan_req q = { .root = HC_ANY_SINK, .method.words = methods };
	const struct arg own[] = {
		{ "sink", arg_node, &q.root },
		{ "subcube", arg_str, &q.subcube },
		{ "method", arg_choice, &q.method },
		{}
	};

	return planner_command(h, &tree_planner, &q, own, argc, argv);
}

static int show(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);

	if (!fabric || hc_take_end(h, argc, argv))
		return HC_USAGE;
	return planner_show(h, fabric, 0);
}

static int del(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	uint32_t id = tree_planner.id;
	struct arg args[] = {
		{ "plan", arg_count, &id },
		{}
	};
	int rc;

	if (!fabric)
		return HC_USAGE;
	rc = hc_args(h, args, argc, argv);
	return rc ?: nl_plan_del(h, fabric, id, false);
}

static const struct hc_cmd tree_cmds[] = {
	{
		"find", find,
		PLANNER_ARGS " [sink NODE] [subcube XX01] [method exact|find-tree|exhaust]",
	},
	{ "show", show, "NAME" },
	{ "del", del, "NAME [plan ID]" },
	{}
};

const struct planner tree_planner = {
	.type = HYPERCUBE_PLAN_TREE, .id = 1, .size = sizeof(struct hc_tree_plan),
	.object = { "tree", "communication trees around the faults", tree_cmds },
	.root = &planner_sink,
	.check = check, .find = find_tree, .free = free_tree, .shape = shape,
	.print = print_tree, .warn = warn, .show = planner_show_order, .show_more = show_detours,
	.truth = tree_truth, .role = tree_role,
};
