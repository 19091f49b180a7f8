// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl doubling: recursive doubling in subcubes without faults, and the rule that decides whether
 * an allreduce runs over it or over a tree.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "planner.h"

static int no_doubling(struct hcctl *h, const struct hc_reason *reason)
{
	if (reason->dim != HC_REASON_NONE)
		hc_error(h, "no doubling: %s: %u:%u", reason->why, reason->node, reason->dim);
	else if (reason->node != HC_REASON_NONE)
		hc_error(h, "no doubling: %s: node %u", reason->why, reason->node);
	else
		hc_error(h, "no doubling: %s", reason->why);
	return -EINVAL;
}

/* Refuse a request that excludes a node of the subcube: all nodes of the subcube must be members.
 */
static int check_without(struct hcctl *h, const struct plan_req *q, uint32_t dims, uint32_t base)
{
	size_t i;

	for (i = 0; i < q->without.n; i++)
		if (!((q->without.v[i] ^ base) & ~dims)) {
			hc_error(h, "no doubling: node %u does not take part", q->without.v[i]);
			return -EINVAL;
		}
	return 0;
}

static int find(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f, void *plan)
{
	struct hc_reason reason;
	uint32_t dims = hc_ones(f->dim), base = 0;
	int rc;

	if (!q->subcube && !q->whole) {
		if (!hc_plan_doubling_largest(f, plan))
			return 0;
		hc_error(h, "no doubling: no node is connected with any other");
		return -EHOSTDOWN;
	}
	rc = q->subcube ? cmd_subcube(h, q->subcube, f->dim, &dims, &base) : 0;
	rc = rc ?: check_without(h, q, dims, base);
	if (rc)
		return rc;
	return hc_plan_doubling(f, dims, base, plan, &reason) ? no_doubling(h, &reason) : 0;
}

static struct nl_shape shape(const void *plan)
{
	return live_shape_doubling(plan);
}

static void print_subcube(struct hcctl *h, const struct hc_doubling *d)
{
	char word[OUT_BUF];

	out_str(h, "subcube", " subcube %s",
		out_subcube(word, d->base, hc_doubling_mask(d), d->dim));
}

static int print(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		 const void *plan)
{
	const struct hc_doubling *d = plan;

	out_object(h, NULL);
	if (q->faults.fabric)
		out_str(h, "fabric", "fabric %s ", q->faults.fabric);
	out_uint(h, "dim", "dim %" PRIu64, d->dim);
	print_subcube(h, d);
	out_uint(h, "base", " base %" PRIu64, d->base);
	cmd_out_order(h, "order", " order ", d->order, d->stages);
	planner_out_end(h, q, f, hc_nodes(d->stages), d->stages);
	return 0;
}

static uint32_t base_of(const struct nl_plan *v)
{
	return v->base;
}

static const struct planner_root base = { "base", HYPERCUBE_A_PLAN_BASE, base_of };

/* The rule for collectives in which each member contributes a block, or a block for each member;
 * Documentation/performance.rst has the measurements. Recursive doubling sends fewer frames than
 * rings. Trees send the fewest frames, but copy the blocks. If blocks have at least PAGES_BYTES
 * bytes and the cube has at most 2^PAGES_DIM nodes, recursive doubling forwards the pages of the
 * blocks without copying them, two segments in a frame (module/coll/chunk.h).
 */
#define PAGES_BYTES	4096
#define PAGES_DIM	6

/* Return: true if recursive doubling forwards the pages of blocks of @bytes bytes. */
static bool passes_pages(const struct nl_fabric *info, uint64_t bytes)
{
	return bytes >= PAGES_BYTES && info->dim <= PAGES_DIM &&
	       bytes >= 2 * info->segment >> info->dim;
}

/* Set in @c whether the rule prefers recursive doubling, for collectives whose members have blocks.
 */
static void exchange_ask(const struct nl_fabric *info, const struct hc_coll_desc *t, uint64_t bytes,
			 struct plan_choice *c)
{
	c->preferred = !(t->plans & hc_bit(HYPERCUBE_PLAN_TREE)) ||
		       (t->payload == HC_PAYLOAD_BLOCKS && passes_pages(info, bytes));
	c->why = c->preferred ? "as measured, doubling takes fewer frames" :
				"as measured, doubling takes longer";
}

/* Set in @c whether the rule prefers recursive doubling, for any collective. Faults are ignored. */
static void rule_ask(const struct nl_fabric *info, const struct hc_coll_desc *t, uint64_t bytes,
		     struct plan_choice *c)
{
	if (t->parts || t->payload == HC_PAYLOAD_BLOCKS) {
		exchange_ask(info, t, bytes, c);
		return;
	}
	c->preferred = hc_doubling_pays(info->dim, bytes, &c->rule);
	c->why = c->preferred ? "the rule, doubling pays" : "the rule, doubling does not pay";
}

/* Set in @c whether recursive doubling is preferred. It is preferred if the rule prefers it and the
 * whole fabric has no faults.
 */
static int prefer(struct hcctl *h, const struct nl_fabric *info, const struct hc_coll_desc *t,
		  uint64_t bytes, struct plan_choice *c)
{
	struct hc_reason reason;
	struct hc_faults *f;
	struct hc_doubling d;
	int rc;

	rule_ask(info, t, bytes, c);
	if (!c->preferred)
		return 0;
	rc = live_faults(h, info->name, &f);
	if (rc)
		return rc;
	if (hc_plan_doubling(f, hc_ones(f->dim), 0, &d, &reason)) {
		c->preferred = false;
		c->why = t->plans & hc_bit(HYPERCUBE_PLAN_TREE) ?
			 "faults in the fabric, which only a tree goes around" :
			 "faults in the fabric, which only rings go around";
		c->rule = NULL;
	}
	hc_faults_free(f);
	return 0;
}

/* Set the number of steps. Each of the k stages takes one step. No plan takes fewer steps, because
 * the data of a member must cross at least k links to reach the member whose number differs in all
 * k dimensions.
 */
static int truth(const struct nl_plan *v, struct plan_truth *t)
{
	return planner_optimal(t, v->stages);
}

static int parse(struct hcctl *h, struct plan_req *q, int argc, char **argv)
{
	struct arg own[] = {
		{ "subcube", arg_str, &q->subcube },
		{}
	};

	*q = (struct plan_req){ .root = NL_NONE, .whole = true };
	return hc_args(h, own, argc, argv);
}

static void words(const struct nl_plan *v, unsigned int dim, char *buf, size_t size)
{
	char word[OUT_BUF];
	uint32_t dims = 0, i;

	*buf = 0;
	for (i = 0; i < v->stages; i++)
		dims |= hc_bit(v->order[i]);
	if (dims != hc_ones(dim))
		snprintf(buf, size, "subcube %s", out_subcube(word, v->base, dims, dim));
}

static int plan(struct hcctl *h, int argc, char **argv)
{
	struct plan_req q = { .root = NL_NONE };
	const struct arg own[] = {
		{ "subcube", arg_str, &q.subcube },
		{}
	};

	return planner_command(h, &doubling_planner, &q, own, argc, argv);
}

/* --- the rule --- */

static void print_row(struct hcctl *h, const struct hc_doubling_measured *m)
{
	const struct hc_doubling_measured *row;

	out_object(h, NULL);
	out_uint(h, "members", "%6" PRIu64 " members", hc_nodes(m->dim));
	out_uint(h, "dim", NULL, m->dim);
	if (m->bytes)
		out_text(h, " %8" PRIu64 " bytes", m->bytes);
	else
		out_text(h, "  a barrier    ");
	out_uint(h, "bytes", NULL, m->bytes);
	out_uint(h, "latency_percent", " latency %4" PRIu64 "%%", m->latency);
	out_uint(h, "back_to_back_percent", " back to back %4" PRIu64 "%%", m->back_to_back);
	out_str(h, "method", " -> %s\n",
		hc_doubling_pays(m->dim, m->bytes, &row) ? "doubling" : "tree");
	out_close(h);
}

static void print_answer(struct hcctl *h, uint32_t dim, uint64_t bytes)
{
	const struct hc_doubling_measured *row;
	bool pays = hc_doubling_pays(dim, bytes, &row);

	out_object(h, NULL);
	out_uint(h, "dim", "dim %" PRIu64, dim);
	out_uint(h, "bytes", bytes ? " bytes %" PRIu64 : NULL, bytes);
	if (!bytes)
		out_text(h, " barrier");
	out_str(h, "method", ": %s, as measured with\n", pays ? "doubling" : "tree");
	out_array(h, "because");
	print_row(h, row);
	out_close(h);
	out_str(h, "measured", "%s\n", hc_doubling_how());
	out_close(h);
}

static int rule(struct hcctl *h, int argc, char **argv)
{
	const struct hc_doubling_measured *m;
	uint64_t bytes = 0;
	uint32_t dim = 0;
	struct arg args[] = {
		{ "dim", arg_dim, &dim },
		{ "bytes", arg_u64, &bytes },
		{}
	};
	int rc = hc_args(h, args, argc, argv);
	size_t n, i;

	if (rc)
		return rc;
	if (args[1].given && !dim)
		return hc_missing(h, "\"dim\", the dimension of the fabric");
	if (dim) {
		print_answer(h, dim, bytes);
		return HC_OK;
	}
	m = hc_doubling_measured(&n);
	out_object(h, NULL);
	out_text(h, "An allreduce by recursive doubling, its time in per cent of that by a tree;\n"
		 "method auto takes what the nearest row says:\n");
	out_array(h, "rows");
	for (i = 0; i < n; i++)
		print_row(h, &m[i]);
	out_close(h);
	out_str(h, "measured", "%s\n", hc_doubling_how());
	out_close(h);
	return HC_OK;
}

static const struct hc_cmd doubling_cmds[] = {
	{ "plan", plan, PLANNER_GUARD_ARGS " [subcube XX01]" },
	{ "rule", rule, "[dim N [bytes B]]" },
	{}
};

const struct planner doubling_planner = {
	.type = HYPERCUBE_PLAN_DOUBLING, .id = 3, .size = sizeof(struct hc_doubling),
	.object = { "doubling", "recursive doubling where nothing is faulty", doubling_cmds },
	.root = &base, .members_follow = true, .whole = true, .otherwise = &tree_planner,
	.parse = parse, .words = words,
	.find = find, .shape = shape,
	.print = print, .show = planner_show_order,
	.prefer = prefer, .truth = truth, .role = tree_role,
};
