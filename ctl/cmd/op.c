// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl op: the pending operations, which members have not contributed to them, and for which
 * member each member waits.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd.h"

/* Compare two members, to sort them by plan, epoch, number of the operation, and node. */
static int compare(const void *a, const void *b)
{
	const struct nl_op *x = a, *y = b;

	if (x->plan != y->plan)
		return x->plan < y->plan ? -1 : 1;
	if (x->epoch != y->epoch)
		return x->epoch < y->epoch ? -1 : 1;
	if (x->nr != y->nr)
		return x->nr < y->nr ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static bool same_plan(const struct nl_op *a, const struct nl_op *b)
{
	return a->plan == b->plan && a->epoch == b->epoch;
}

/* Names of enum hypercube_wait, and for text output what the member waits for. */
static const struct wait {
	const char *name, *text;
} waits[] = {
	[HYPERCUBE_WAIT_NOTHING] = { "nothing", "for something" },
	[HYPERCUBE_WAIT_OWN] = { "own", "for its own process to contribute" },
	[HYPERCUBE_WAIT_PEER] = { "peer", "for data of node " },
	[HYPERCUBE_WAIT_CREDIT] = { "credit", "for room at node " },
	[HYPERCUBE_WAIT_READER] = { "reader", "for its own process to receive" },
	[HYPERCUBE_WAIT_DONE] = { "done", "for the sink to complete" },
	[HYPERCUBE_WAIT_EPOCH] = { "epoch", "for the next epoch of its plan" },
};

static const struct wait *wait_of(uint32_t wait)
{
	static const struct wait other = { "other", "for something" };

	return wait < sizeof(waits) / sizeof(*waits) ? &waits[wait] : &other;
}

static bool waits_for_node(const struct nl_op *v)
{
	return v->wait == HYPERCUBE_WAIT_PEER || v->wait == HYPERCUBE_WAIT_CREDIT;
}

void cmd_out_wait(struct hcctl *h, const struct nl_op *v, bool whose)
{
	char buf[OUT_BUF];

	out_object(h, NULL);
	if (whose) {
		out_uint(h, "plan", "    plan %" PRIu64, v->plan);
		out_uint(h, "op", " operation %" PRIu64 ":", v->nr);
	}
	out_uint(h, "node", " node %" PRIu64 " waits ", v->node);
	out_str(h, "wait", NULL, wait_of(v->wait)->name);
	out_text(h, "%s", wait_of(v->wait)->text);
	if (waits_for_node(v))
		out_uint(h, "peer", "%" PRIu64, v->peer);
	out_uint(h, "since_ns", NULL, v->since);
	out_text(h, ", %s\n", out_time(buf, v->since));
	out_uint(h, "next", NULL, v->next);
	out_uint(h, "done", NULL, v->done);
	out_uint(h, "generation", NULL, v->gen);
	out_close(h);
}

enum { PLAN, EPOCH, OP, WAITING, MISSING };

static const struct out_column columns[] = {
	OUT_RIGHT(PLAN),
	OUT_RIGHT(EPOCH),
	OUT_RIGHT_AS(OP, "OPERATION"),
	OUT_RIGHT(WAITING),
	OUT_LEFT(MISSING),
	{}
};

/* Print an operation. @v: the @n members that wait in this operation. @all: the members of all
 * plans.
 */
static void show_op(struct hcctl *h, const struct nl_op *v, size_t n,
		    const struct nl_op *all, size_t n_all)
{
	const char *fmt = "%" PRIu64;
	size_t i;

	out_object(h, NULL);
	out_number(h, PLAN, "plan", v->plan);
	out_number(h, EPOCH, "epoch", v->epoch);
	out_number(h, OP, "op", v->nr);
	out_cell(h, WAITING);
	out_text(h, "%zu", n);
	out_cell(h, MISSING);
	out_array(h, "missing");
	out_color(h, OUT_BAD);
	for (i = 0; i < n_all; i++) {
		if (!same_plan(&all[i], v) || all[i].next > v->nr)
			continue;
		out_uint(h, NULL, fmt, all[i].node);
		fmt = ",%" PRIu64;
	}
	out_color(h, OUT_PLAIN);
	if (*fmt != ',')
		out_text(h, "nobody");
	out_close(h);
	out_array(h, "waiting");
	for (i = 0; h->json && i < n; i++)
		cmd_out_wait(h, &v[i], false);
	out_close(h);
	out_close(h);
}

enum { W_PLAN, W_GEN, W_OP, W_NODE, W_SINCE, W_FOR };

static const struct out_column wait_columns[] = {
	OUT_RIGHT_AS(W_PLAN, "PLAN"),
	OUT_RIGHT_AS(W_GEN, "GENERATION"),
	OUT_RIGHT_AS(W_OP, "OPERATION"),
	OUT_RIGHT_AS(W_NODE, "NODE"),
	OUT_RIGHT_AS(W_SINCE, "SINCE"),
	OUT_LEFT_AS(W_FOR, "WAITS"),
	{}
};

static void show_wait(struct hcctl *h, const struct nl_op *v)
{
	char buf[OUT_BUF];

	out_cell(h, W_PLAN);
	out_text(h, "%u", v->plan);
	out_cell(h, W_GEN);
	out_text(h, "%u", v->gen);
	out_cell(h, W_OP);
	out_text(h, "%" PRIu64, v->nr);
	out_cell(h, W_NODE);
	out_text(h, "%u", v->node);
	out_cell(h, W_SINCE);
	out_text(h, "%s", out_time(buf, v->since));
	out_cell(h, W_FOR);
	out_text(h, "%s", wait_of(v->wait)->text);
	if (waits_for_node(v))
		out_text(h, "%u", v->peer);
}

/* Text only: print each waiting member, and what it waits for. */
static void show_waits(struct hcctl *h, const struct nl_op *v, size_t n)
{
	size_t i;

	if (h->json)
		return;
	out_text(h, n ? "\n" : "no operation is pending\n");
	out_table(h, wait_columns);
	for (i = 0; i < n; i++)
		show_wait(h, &v[i]);
	out_table_end(h);
}

static void show_pending(struct hcctl *h, const struct nl_op *v, size_t n,
			 const struct nl_op *all, size_t n_all)
{
	size_t i, j;

	out_table(h, columns);
	out_array(h, NULL);
	for (i = 0; i < n; i = j) {
		j = i + 1;
		while (j < n && same_plan(&v[i], &v[j]) && v[i].nr == v[j].nr)
			j++;
		show_op(h, &v[i], j - i, all, n_all);
	}
	out_table_end(h);
	show_waits(h, v, n);
	out_close(h);
}

static int show(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	struct nl_op *all, *pending;
	size_t n, np = 0, i;
	int rc;

	if (!fabric || hc_take_end(h, argc, argv))
		return HC_USAGE;
	rc = nl_ops(h, fabric, &all, &n);
	if (rc)
		return rc;
	pending = calloc(n + 1, sizeof(*pending));
	if (!pending) {
		free(all);
		return hc_nomem(h);
	}
	for (i = 0; i < n; i++)
		if (all[i].wait != HYPERCUBE_WAIT_NOTHING)
			pending[np++] = all[i];
	qsort(pending, np, sizeof(*pending), compare);
	qsort(all, n, sizeof(*all), compare);
	show_pending(h, pending, np, all, n);
	free(pending);
	free(all);
	return HC_OK;
}

const struct hc_cmd op_cmds[] = {
	{ "show", show, "NAME" },
	{}
};
