// SPDX-License-Identifier: GPL-2.0
/*
 * The report of a run.
 */
#include <inttypes.h>
#include <stdio.h>

#include "run.h"

/* Return: the increase of a counter; 0 if it has become smaller, because it is then the counter of
 * another fabric of the same name.
 */
static uint64_t more(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

static void print_nodes(struct hcctl *h, const struct run *r, const struct run_view *v)
{
	const struct nl_node *before = v->before, *after = v->after;
	uint64_t drops[NL_DROPS];
	uint32_t i, u, d;

	out_array(h, "nodes");
	for (i = 0; (h->json || v->details) && i < r->n; i++) {
		u = r->node[i];
		if (u >= v->nodes || before[u].id != u || after[u].id != u)
			continue;
		for (d = 0; d < NL_DROPS; d++)
			drops[d] = more(before[u].drops[d], after[u].drops[d]);
		out_object(h, NULL);
		out_uint(h, "node", "  node %4" PRIu64, u);
		out_uint(h, "host_frames", " host frames %" PRIu64,
			 more(before[u].host_frames, after[u].host_frames));
		out_uint(h, "merged_bytes", " merged bytes %" PRIu64,
			 more(before[u].merged_bytes, after[u].merged_bytes));
		cmd_out_drops(h, drops);
		out_text(h, "\n");
		out_close(h);
	}
	out_close(h);
}

/* Return: the result of the first member that has one, or NULL. A broadcast's root has none. */
static const uint8_t *result(const struct run *r, const struct run_result *out)
{
	uint32_t i;

	for (i = 0; i < r->n; i++)
		if (out->out[i])
			return out->out[i];
	return NULL;
}

static void print_data(struct hcctl *h, const struct run *r, const struct run_view *v)
{
	const uint8_t *data = result(r, v->out);
	char hex[32];

	if (!run_has_data(r))
		return;
	if (v->op)
		out_str(h, "op", "%s of ", v->op);
	out_str(h, "type", "%s", v->type);
	out_uint(h, "count", " count %" PRIu64, r->count);
	out_uint(h, "bytes", " result %" PRIu64 " bytes", v->out->bytes);
	if (data) {
		snprintf(hex, sizeof(hex), "0x%016" PRIx64, run_digest(data, v->out->bytes));
		out_str(h, "digest", " digest %s", hex);
	}
	out_text(h, "\n");
}

static void print_steps(struct hcctl *h, const struct run *r, const struct run_view *v)
{
	const struct run_result *out = v->out;
	char buf[OUT_BUF];

	out_uint(h, "steps", "steps %" PRIu64, out->res.steps);
	out_uint(h, "promise", " promised %" PRIu64, v->truth->promise);
	if (v->optimum) {
		out_uint(h, "optimum", " optimum %" PRIu64, v->truth->optimum);
		out_str(h, "optimum_is", " (%s)", v->truth->exact ? "exact" : "lower bound");
	}
	out_uint(h, "clock", " clock %" PRIu64, out->res.clock);
	out_uint(h, "time_ns", NULL, out->res.time);
	out_text(h, " modelled time %s", out_time(buf, out->res.time));
	out_uint(h, "wall_ns", NULL, out->best);
	out_text(h, " wall time %s", out_time(buf, out->best));
	out_uint(h, "wall_mean_ns", NULL, out->mean);
	out_uint(h, "iterations", NULL, r->iterations);
	if (r->iterations > 1)
		out_text(h, " (best of %u, mean %s)", r->iterations, out_time(buf, out->mean));
	out_text(h, "\n");
}

static void print_verified(struct hcctl *h, const struct run *r, const struct run_view *v)
{
	out_bool(h, "verified", NULL, v->equal);
	if (!run_has_data(r))
		out_text(h, "%s\n", v->equal ? "verified: nobody left before all had come" :
					       "SOMEBODY LEFT before all had come");
	else
		out_text(h, "%s to a plain computation%s\n",
			 v->equal ? "verified: equal" : "NOT EQUAL",
			 r->desc->gets == HC_WHO_ROOT ? "" : " at every member");
}

static void print_method(struct hcctl *h, const struct run *r, const struct plan_truth *truth)
{
	const struct hc_doubling_measured *rule = r->choice.rule;

	out_str(h, "method", "method %s", planner_of(r->plan.type)->object.name);
	out_str(h, "reason", ": %s", r->choice.why);
	if (rule) {
		out_object(h, "rule");
		out_uint(h, "dim", " (dim %" PRIu64, rule->dim);
		out_uint(h, "bytes", ", %" PRIu64 " bytes", rule->bytes);
		out_uint(h, "latency_percent", ": doubling takes %" PRIu64 "%%",
			 rule->latency);
		out_uint(h, "back_to_back_percent", " of a tree's time, back to back %" PRIu64
			 "%%)", rule->back_to_back);
		out_close(h);
	}
	if (truth->way)
		out_str(h, "way", "; %s", truth->way);
	out_text(h, "\n");
}

void run_print(struct hcctl *h, const struct run *r, const struct run_view *v)
{
	out_object(h, NULL);
	out_str(h, "collective", "%s", r->desc->name);
	out_str(h, "fabric", " on %s", r->fabric);
	out_uint(h, "plan", " plan %" PRIu64, r->plan.id);
	out_bool(h, "temporary", " (temporary)", r->temporary != 0);
	planner_out_root(h, &r->plan);
	out_uint(h, "members", " members %" PRIu64 "\n", r->n);
	if (run_has_choice(r))
		print_method(h, r, v->truth);
	print_data(h, r, v);
	print_steps(h, r, v);
	if (v->check)
		run_print_checked(h, r, v->out, v->check);
	if (v->verified)
		print_verified(h, r, v);
	print_nodes(h, r, v);
	out_close(h);
}
