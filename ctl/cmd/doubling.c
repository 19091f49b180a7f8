// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl doubling: recursive doubling in subcubes without faults, and the rule by which
 * an allreduce takes it or a tree.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd.h"

/* What "doubling plan" was asked for. */
struct plan {
	struct fault_args faults;
	bool apply;
	uint32_t id;
	const char *subcube;
};

int cmd_no_doubling(struct hcctl *h, const struct hc_doubling_flaw *flaw)
{
	if (flaw->dim != HC_DOUBLING_NONE)
		hc_error(h, "no doubling: %s: %u:%u", flaw->why, flaw->node, flaw->dim);
	else if (flaw->node != HC_DOUBLING_NONE)
		hc_error(h, "no doubling: %s: node %u", flaw->why, flaw->node);
	else
		hc_error(h, "no doubling: %s", flaw->why);
	return -EINVAL;
}

static int plan_args(struct hcctl *h, struct plan *q, int argc, char **argv)
{
	struct arg args[] = {
		{ "fabric", arg_fabric, &q->faults.fabric },
		{ "apply", NULL, &q->apply },
		{ "plan", arg_count, &q->id },
		{ "dim", arg_dim, &q->faults.dim },
		{ "fail-link", arg_links, &q->faults.links, .many = true },
		{ "fail-node", arg_nodes, &q->faults.nodes, .many = true },
		{ "faults", arg_str, &q->faults.file },
		{ "subcube", arg_str, &q->subcube },
		{}
	};
	int rc = hc_args(h, args, argc, argv);

	if (rc)
		return rc;
	if (q->apply && !q->faults.fabric)
		return hc_missing(h, "\"fabric\" to apply the plan to");
	if (q->id && !q->apply)
		return hc_missing(h, "\"apply\", without which no plan gets an id");
	/* Neither the tree's nor the broadcast's, unless one says otherwise. */
	if (!q->id)
		q->id = 3;
	return cmd_fault_args_check(h, &q->faults);
}

static int find(struct hcctl *h, const struct plan *q, const struct hc_faults *f,
		struct hc_doubling *d)
{
	struct hc_doubling_flaw flaw;
	uint32_t dims, base;
	int rc;

	if (q->subcube) {
		rc = cmd_subcube(h, q->subcube, f->dim, &dims, &base);
		if (rc)
			return rc;
		return hc_plan_doubling(f, dims, base, d, &flaw) ? cmd_no_doubling(h, &flaw) : 0;
	}
	if (!hc_plan_doubling_largest(f, d))
		return 0;
	hc_error(h, "no doubling: no node is connected with any other");
	return -EHOSTDOWN;
}

static void print_subcube(struct hcctl *h, const struct hc_doubling *d)
{
	char word[HC_LIB_DIM_MAX + 1];
	uint32_t mask = hc_doubling_mask(d);
	unsigned int i;

	for (i = 0; i < d->dim; i++)
		word[d->dim - 1 - i] = mask & hc_bit(i) ? 'X' : d->base & hc_bit(i) ? '1' : '0';
	word[d->dim] = 0;
	out_str(h, "subcube", " subcube %s", word);
}

static void print_plan(struct hcctl *h, const struct plan *q, const struct hc_doubling *d,
		       const struct hc_faults *f)
{
	out_object(h, NULL);
	if (q->faults.fabric)
		out_str(h, "fabric", "fabric %s ", q->faults.fabric);
	out_uint(h, "dim", "dim %" PRIu64, d->dim);
	print_subcube(h, d);
	out_uint(h, "base", " base %" PRIu64, d->base);
	cmd_out_order(h, "order", " order ", d->order, d->stages);
	out_uint(h, "members", "\nmembers %" PRIu64, hc_nodes(d->stages));
	if (q->apply)
		out_uint(h, "plan", " installed as plan %" PRIu64, q->id);
	out_uint(h, "steps", " steps %" PRIu64 "\n", d->stages);
	cmd_out_faults(h, f);
	out_close(h);
}

/* Plan and perhaps install once; -ESTALE: the faults have changed in between. */
static int plan_once(struct hcctl *h, const struct plan *q, bool last)
{
	struct hc_faults *f = NULL;
	struct hc_doubling d;
	int rc = cmd_fault_args_read(h, &q->faults, &f);

	if (rc)
		return rc;
	rc = find(h, q, f, &d);
	if (!rc && q->apply)
		rc = nl_doubling_add(h, q->faults.fabric, q->id, &d, f->fault, !last);
	if (!rc)
		print_plan(h, q, &d, f);
	hc_faults_free(f);
	return rc;
}

static int plan(struct hcctl *h, int argc, char **argv)
{
	struct plan q = {};
	int rc, try;

	rc = plan_args(h, &q, argc, argv);
	/* A link that was just set tells its nodes a moment later. */
	for (try = 0; !rc && try < STALE_RETRIES; try++) {
		rc = plan_once(h, &q, try == STALE_RETRIES - 1);
		if (rc != -ESTALE)
			break;
		rc = 0;
		usleep(1000 << try);
	}
	cmd_fault_args_free(&q.faults);
	return rc < 0 ? HC_NO : rc;
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

const struct hc_cmd doubling_cmds[] = {
	{
		"plan", plan,
		"{ fabric NAME [apply [plan ID]] | dim N [fail-link LINKS] [fail-node NODES] [faults FILE] } [subcube XX01]",
	},
	{ "rule", rule, "[dim N [bytes B]]" },
	{}
};
