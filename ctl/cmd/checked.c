// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl checked: pairs of trees whose results are compared.
 *
 * With "rotated", the command installs the best pair of all, and for each dimension the best pair
 * whose trees use this dimension first: together they locate a Byzantine node (hcctl-checked(8)).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "checked_cmd.h"

/* Up to this dimension, text output lists the relays. */
#define LIST_DIM 6

/* Values of the keywords that only this command has. */
struct words {
	bool rotated;	/* install a pair for each first dimension, too */
};

static bool wants_rotated(const struct plan_req *q)
{
	return ((const struct words *)q->own)->rotated;
}

/* Print an error: the plans need more ids than there are from @id on. Return: HC_USAGE. */
static int no_room(struct hcctl *h, uint32_t id)
{
	char word[16];

	snprintf(word, sizeof(word), "%u", id);
	return hc_invalid(h, "plan", word, "the ids behind it are needed, too");
}

static int check(struct hcctl *h, const struct plan_req *q)
{
	/* The last plan is the second one of the last pair. Its id must be valid, too. */
	if (q->id > UINT32_MAX - 2 - 2 * HYPERCUBE_DIM_MAX)
		return no_room(h, q->id);
	if (wants_rotated(q) && !q->apply)
		return hc_missing(h, "\"apply\", without which they are printed anyway");
	return 0;
}

static int find(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f, void *plan)
{
	const char *why = "not possible";
	int rc = hc_plan_checked(f, q->root, plan, &why);

	return rc ? planner_none(h, q, "trees", "with sink", q->root, rc, why) : 0;
}

static void release(void *plan)
{
	hc_checked_free(plan);
}

static int install(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		   const void *plan, bool last)
{
	const struct nl_shape like = { .epoch = q->epoch, .local = q->local };

	return live_install_checked(h, q->faults.fabric, f, plan, q->id, &like, wants_rotated(q),
				    last);
}

/* --- printing --- */

static void print_tree(struct hcctl *h, const struct hc_checked_tree *t, uint32_t id)
{
	const struct hc_tree *tree = &t->plan.tree;

	out_object(h, NULL);
	out_uint(h, "sink", "  tree sink %" PRIu64, tree->sink);
	cmd_out_order(h, "order", " order ", tree->order, tree->stages);
	out_uint(h, "steps", " steps %" PRIu64, t->plan.steps);
	if (id)
		out_uint(h, "plan", " plan %" PRIu64, id);
	if (h->json || tree->dim <= LIST_DIM)
		cmd_out_set(h, "relays", " relays ", t->relays, hc_nodes(tree->dim));
	else
		out_text(h, " relays %u", cmd_set_count(t->relays, hc_nodes(tree->dim)));
	out_text(h, "\n");
	out_close(h);
}

/* Print a pair of trees, as members of an open object. @id: id of the first tree, or 0 if the trees
 * are not installed.
 */
static void print_pair(struct hcctl *h, const struct hc_checked_pair *p, uint32_t id)
{
	uint32_t nodes = hc_nodes(p->tree[0].plan.tree.dim);

	out_array(h, "trees");
	print_tree(h, &p->tree[0], id);
	print_tree(h, &p->tree[1], id ? id + 1 : 0);
	out_close(h);
	out_uint(h, "shared_links", "  links of both %" PRIu64, p->nlinks);
	cmd_out_set(h, "unseen", ", could lie unseen: ", p->unseen, nodes);
	out_text(h, "%s\n", p->nunseen ? "" : ", nobody could lie unseen");
}

static int print(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		 const void *plan)
{
	const struct hc_checked *c = plan;
	uint32_t id = q->apply ? q->id : 0;
	unsigned int k;

	out_object(h, NULL);
	if (q->faults.fabric)
		out_str(h, "fabric", "fabric %s ", q->faults.fabric);
	out_uint(h, "dim", "dim %" PRIu64, c->dim);
	out_uint(h, "members", " members %" PRIu64, c->best.tree[0].plan.nmembers);
	out_bool(h, "exact", NULL, c->exact);
	out_text(h, "%s\n", c->exact ? "" : ", the best pairs that were tried");
	print_pair(h, &c->best, id);
	out_array(h, "rotated");
	for (k = 0; k < c->dim; k++) {
		if (!c->pair[k].found)
			continue;
		out_object(h, NULL);
		out_uint(h, "dimension", "rotated to dimension %" PRIu64 "\n", k);
		print_pair(h, &c->pair[k], id && wants_rotated(q) ? live_pair_id(id, k) : 0);
		out_close(h);
	}
	out_close(h);
	cmd_out_faults(h, f);
	out_close(h);
	return 0;
}

static int plan(struct hcctl *h, int argc, char **argv)
{
	struct words w = {};
	struct plan_req q = { .root = NL_NONE, .own = &w };
	const struct arg own[] = {
		{ "sink", arg_node, &q.root },
		{ "rotated", NULL, &w.rotated },
		{}
	};

	return planner_command(h, &checked_planner, &q, own, argc, argv);
}

int checked_install(struct hcctl *h, const char *fabric, uint32_t id, uint32_t sink)
{
	const struct words w = { .rotated = true };
	const struct plan_req q = {
		.faults.fabric = fabric, .apply = true, .quiet = true, .id = id, .root = sink,
		.own = &w,
	};

	return planner_make(h, &checked_planner, &q);
}

const struct hc_cmd checked_cmds[] = {
	{
		"plan", plan,
		PLANNER_ARGS " [sink NODE] [rotated]",
	},
	{}
};

/* This planner is not in planners[] (planner.c), which has one planner for each plan type: the
 * plans of this planner are trees, like those of tree_planner.
 */
const struct planner checked_planner = {
	.type = HYPERCUBE_PLAN_TREE,
	.object = { "checked", "pairs of trees whose results are compared", checked_cmds },
	.root = &planner_sink,
	.id = CHECKED_ID,
	.size = sizeof(struct hc_checked),
	.check = check,
	.find = find,
	.free = release,
	.install = install,
	.print = print,
};
