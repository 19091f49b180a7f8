// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl balance run and set: rounds of balancing in the kernel.
 */
#include <inttypes.h>
#include <string.h>

#include "balance_cmd.h"

/* Names of the methods, by enum hypercube_balance. "off" is a setting that keeps nodes from
 * beginning rounds.
 */
static const char * const methods[] = {
	[HYPERCUBE_BALANCE_NONE] = "off",
	[HYPERCUBE_BALANCE_DEM] = "dem",
	[HYPERCUBE_BALANCE_MCWA] = "mcwa",
	[HYPERCUBE_BALANCE_CWA] = "cwa",
	[HYPERCUBE_BALANCE_RID] = "rid",
	NULL
};

/* The planner's number of each method of the kernel. */
static const enum hc_balance_method planned[] = {
	[HYPERCUBE_BALANCE_DEM] = HC_BALANCE_DEM,
	[HYPERCUBE_BALANCE_MCWA] = HC_BALANCE_MCW,
	[HYPERCUBE_BALANCE_CWA] = HC_BALANCE_CWA,
	[HYPERCUBE_BALANCE_RID] = HC_BALANCE_RID,
};

static const char * const triggers[] = {
	[HYPERCUBE_TRIGGER_COMMAND] = "command",
	[HYPERCUBE_TRIGGER_THRESHOLD] = "threshold",
	[HYPERCUBE_TRIGGER_PERIOD] = "period",
};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

static const char *method_name(uint32_t method)
{
	return method < COUNT(methods) - 1 ? methods[method] : "?";
}

static const char *trigger_name(uint32_t trigger)
{
	return trigger < COUNT(triggers) && triggers[trigger] ? triggers[trigger] : "?";
}

void cmd_out_round(struct hcctl *h, const struct nl_round *r)
{
	char buf[OUT_BUF];

	out_uint(h, "round", "round %" PRIu64, r->nr);
	out_uint(h, "node", " of node %" PRIu64, r->node);
	out_str(h, "method", ", %s", method_name(r->method));
	out_str(h, "trigger", " by %s", trigger_name(r->trigger));
	out_int(h, "status", NULL, r->status);
	out_uint(h, "began_ns", NULL, r->began);
	out_uint(h, "took_ns", NULL, r->took);
	if (r->status) {
		cmd_out_failed(h, ": failed", r->cause_node, r->cause_dim, r->status);
		return;
	}
	out_uint(h, "members", ": %" PRIu64 " nodes", r->members);
	out_uint(h, "moved", r->moved == 1 ? ", %" PRIu64 " task moved" :
					     ", %" PRIu64 " tasks moved", r->moved);
	out_text(h, " in %s", out_time(buf, r->took));
}

static void out_sums(struct hcctl *h, const struct nl_balance *b)
{
	out_str(h, "method", "rounds %s", method_name(b->method));
	if (b->threshold != HYPERCUBE_THRESHOLD_NONE)
		out_uint(h, "threshold", " threshold %" PRIu64, b->threshold);
	if (b->period)
		out_uint(h, "period_ms", " period %" PRIu64 " ms", b->period);
	out_uint(h, "done", ": %" PRIu64 " done", b->done);
	out_uint(h, "failed", ", %" PRIu64 " failed", b->failed);
	out_uint(h, "superseded", ", %" PRIu64 " superseded", b->superseded);
	out_uint(h, "moved", ", %" PRIu64 " tasks moved\n", b->moved);
}

static void out_topology(struct hcctl *h, const struct nl_balance *b)
{
	unsigned int dim = hc_weight32(b->nodes - 1);
	char buf[OUT_BUF];

	if (!b->epoch || dim > HC_LIB_DIM_MAX)
		return;
	out_str(h, "subcube", "topology %s", out_subcube(buf, b->base, b->dims, dim));
	out_uint(h, "depth", " depth %" PRIu64, b->depth);
	out_uint(h, "epoch", " epoch %" PRIu64 "\n", b->epoch);
}

void balance_out_settings(struct hcctl *h, const struct nl_balance *b)
{
	out_topology(h, b);
	out_sums(h, b);
}

void balance_out_rounds(struct hcctl *h, const struct nl_balance *b)
{
	unsigned int i;

	balance_out_settings(h, b);
	out_array(h, "rounds");
	for (i = 0; i < b->n; i++) {
		out_object(h, NULL);
		cmd_out_round(h, &b->round[i]);
		out_text(h, "\n");
		out_close(h);
	}
	out_close(h);
}

/* Print the number of parallel steps of a round of @method as the paper counts them. For CWA and
 * MCWA they depend on the installed topology, @b.
 */
static void out_steps(struct hcctl *h, const struct nl_fabric *info, const struct nl_balance *b,
		      uint32_t method)
{
	struct hc_balance_steps s;

	if (method >= COUNT(planned))
		return;
	s = hc_balance_steps(planned[method], info->dim ?: info->ports, b->depth,
			     hc_weight32(b->dims));
	out_uint(h, "steps", "; steps %" PRIu64, s.info + s.move);
	out_uint(h, "info_steps", " (%" PRIu64 " of information", s.info);
	out_uint(h, "move_steps", ", %" PRIu64 " of migration)", s.move);
}

int balance_run(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	struct arg_choice method = { .words = methods + 1 };
	uint32_t node = NL_NONE;
	struct arg args[] = {
		{ "method", arg_choice, &method },
		{ "node", arg_node, &node },
		{}
	};
	struct nl_balance b, topology;
	struct nl_fabric info;
	int rc;

	if (!fabric)
		return HC_USAGE;
	rc = hc_args(h, args, argc, argv);
	if (!rc)
		rc = nl_fabric(h, fabric, &info) ?: nl_balance(h, fabric, &topology);
	if (!rc)
		rc = nl_balance_run(h, fabric, args[0].given ? method.v + 1 : NL_NONE, node, &b);
	if (rc)
		return rc;
	out_object(h, NULL);
	out_str(h, "fabric", "%s: ", fabric);
	cmd_out_round(h, &b.round[0]);
	if (!b.round[0].status)
		out_steps(h, &info, &topology, b.round[0].method);
	out_text(h, "\n");
	out_close(h);
	return b.round[0].status ? HC_NO : HC_OK;
}

static int arg_threshold(struct hcctl *h, const char *name, const char *word, void *dst)
{
	if (strcmp(word, "off"))
		return arg_u32(h, name, word, dst);
	*(uint32_t *)dst = HYPERCUBE_THRESHOLD_NONE;
	return 0;
}

static int arg_period(struct hcctl *h, const char *name, const char *word, void *dst)
{
	if (strcmp(word, "off"))
		return arg_count(h, name, word, dst);
	*(uint32_t *)dst = 0;
	return 0;
}

int balance_set(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	struct nl_balance_set s = { .method = NL_NONE, .period = NL_NONE };
	struct arg_choice method = { .words = methods };
	struct arg args[] = {
		{ "method", arg_choice, &method },
		{ "threshold", arg_threshold, &s.threshold },
		{ "period", arg_period, &s.period },
		{}
	};
	int rc;

	if (!fabric)
		return HC_USAGE;
	rc = hc_args(h, args, argc, argv);
	if (rc)
		return rc;
	if (!args[0].given && !args[1].given && !args[2].given)
		return hc_missing(h, "what to set");
	if (args[0].given)
		s.method = method.v;
	s.set_threshold = args[1].given;
	return nl_balance_set(h, fabric, &s);
}
