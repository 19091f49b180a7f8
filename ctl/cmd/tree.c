// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl tree: find communication trees, install, list and remove them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "detours.h"
#include "planner.h"

static const char * const methods[] = {
	[HC_TREE_EXACT] = "exact",
	[HC_TREE_FIND] = "find-tree",
	[HC_TREE_EXHAUST] = "exhaust",
	NULL
};

_Static_assert(NL_NONE == HC_ANY_SINK, "without a root any sink will do");

/* Check that the keywords may be used together. Prints an error if not. */
static int check(struct hcctl *h, const struct plan_req *q)
{
	if (q->own && q->subcube)
		return hc_invalid(h, "subcube", q->subcube, "the members say what is spanned");
	return cmd_fault_args_check(h, &q->faults);
}

static int no_tree(struct hcctl *h, const struct plan_req *q, int err, const char *why)
{
	return planner_none(h, q, "tree", "with sink", q->root, err, why);
}

/* Check that all entries of @l are nodes of a cube of dimension @dim. */
static int check_nodes(struct hcctl *h, const struct node_list *l, unsigned int dim)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->v[i] >= hc_nodes(dim)) {
			hc_error(h, "node %" PRIu32 " is not in a cube of dimension %u", l->v[i],
				 dim);
			return HC_USAGE;
		}
	return 0;
}

/* Set *@all to a copy of the faults @f. In the copy, nodes of the wanted subcube that must not be
 * members have failed, too.
 */
static int faults_and(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		      struct hc_faults **all)
{
	uint32_t dims = hc_ones(f->dim), base = 0;
	int rc = q->subcube ? cmd_subcube(h, q->subcube, f->dim, &dims, &base) : 0;
	size_t i;

	if (rc)
		return rc;
	*all = hc_faults_copy(f);
	if (!*all)
		return hc_nomem(h);
	for (i = 0; i < q->without.n; i++)
		if (!((q->without.v[i] ^ base) & ~dims))
			hc_faults_node(*all, q->without.v[i]);
	return 0;
}

/* Parse @word, a list of nodes, into a set of members. Return: the set, to be freed; NULL after
 * printing an error.
 */
static uint32_t *read_members(struct hcctl *h, const char *word, unsigned int dim)
{
	const struct hc_extent all = { hc_topo_cube(dim) };
	struct node_list l = { 0 };
	uint32_t *set = NULL;
	size_t i;

	if (!arg_nodes(h, "members", word, &l) && !hc_nodes_each(h, &l, &all) &&
	    !check_nodes(h, &l, dim)) {
		set = calloc(hc_set_words(dim), sizeof(*set));
		if (!set)
			hc_nomem(h);
	}
	for (i = 0; set && i < l.n; i++)
		hc_set_add(set, l.v[i]);
	free(l.v);
	return set;
}

/* Find a tree with the members that the user has listed. */
static int find_among(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		      struct hc_tree_req *req, void *plan)
{
	uint32_t *members = read_members(h, q->own, f->dim);
	const char *why = "not possible";
	size_t i;
	int rc;

	if (!members)
		return HC_USAGE;
	/* Remove the nodes that must not be members. They may still relay data, like any node that
	 * is not a member.
	 */
	for (i = 0; i < q->without.n; i++)
		hc_set_del(members, q->without.v[i]);
	req->members = members;
	rc = hc_plan_tree(f, req, plan, &why);
	free(members);
	return rc ? no_tree(h, q, rc, why) : 0;
}

/* Find a tree for the faults @f, with the members, subcube, sink and method that the keywords name.
 */
static int find_around(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		       void *plan)
{
	struct hc_tree_req req = { .method = q->method.v, .sink = q->root };
	const char *why = "not possible";
	int rc;

	if (q->own)
		return find_among(h, q, f, &req, plan);
	if (q->subcube) {
		rc = cmd_subcube(h, q->subcube, f->dim, &req.dims, &req.base);
		if (rc)
			return rc;
	}
	if (q->subcube && !req.dims) {
		/* The tree of a single node has no stages. */
		if (q->root != HC_ANY_SINK && q->root != req.base)
			return no_tree(h, q, -ERANGE, "it is not in the subcube");
		rc = hc_plan_tree_fixed(f, req.base, NULL, 0, plan, &why);
	} else {
		rc = hc_plan_tree(f, &req, plan, &why);
	}
	return rc ? no_tree(h, q, rc, why) : 0;
}

static int find_tree(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		     void *plan)
{
	int rc = check_nodes(h, &q->without, f->dim);
	struct hc_faults *all;

	if (rc || !q->without.n || q->own)
		return rc ?: find_around(h, q, f, plan);
	rc = faults_and(h, q, f, &all);
	if (rc)
		return rc;
	rc = find_around(h, q, all, plan);
	hc_faults_free(all);
	return rc;
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

#define OWN 6

/* Initialize a request, and the table of the keywords that set its members. */
static void begin(struct plan_req *q, struct arg own[OWN])
{
	*q = (struct plan_req){ .root = HC_ANY_SINK, .method.words = methods };
	own[0] = (struct arg){ "sink", arg_node, &q->root };
	own[1] = (struct arg){ "subcube", arg_str, &q->subcube };
	own[2] = (struct arg){ "method", arg_choice, &q->method };
	own[3] = (struct arg){ "without", arg_nodes, &q->without };
	own[4] = (struct arg){ "members", arg_str, &q->own };
	own[5] = (struct arg){};
}

static int find(struct hcctl *h, int argc, char **argv)
{
	struct arg own[OWN];
	struct plan_req q;

	begin(&q, own);
	return planner_command(h, &tree_planner, &q, own, argc, argv);
}

static int parse(struct hcctl *h, struct plan_req *q, int argc, char **argv)
{
	struct arg own[OWN];

	begin(q, own);
	return hc_args(h, own, argc, argv);
}

/* Write the keywords for the sink and the subcube of the plan. The rest of the plan follows from
 * these and from the faults.
 */
static void words(const struct nl_plan *v, unsigned int dim, char *buf, size_t size)
{
	char subcube[OUT_BUF];
	uint32_t dims = 0;
	unsigned int i;
	size_t len;

	for (i = 0; i < v->stages; i++)
		dims |= hc_bit(v->order[i]);
	len = snprintf(buf, size, "sink %u", v->sink);
	if (dims != hc_ones(dim) && len < size)
		snprintf(buf + len, size - len, " subcube %s",
			 out_subcube(subcube, v->sink, dims, dim));
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
		PLANNER_GUARD_ARGS " [sink NODE] [subcube XX01 | members NODES] [method exact|find-tree|exhaust] [without NODES]",
	},
	{ "show", show, "NAME" },
	{ "del", del, "NAME [plan ID]" },
	{}
};

const struct planner tree_planner = {
	.type = HYPERCUBE_PLAN_TREE, .id = 1, .size = sizeof(struct hc_tree_plan),
	.object = { "tree", "communication trees around the faults", tree_cmds },
	.root = &planner_sink,
	.check = check, .parse = parse, .words = words, .find = find_tree, .free = free_tree,
	.shape = shape,
	.print = print_tree, .warn = warn, .show = planner_show_order, .show_more = show_detours,
	.truth = tree_truth, .role = tree_role,
};
