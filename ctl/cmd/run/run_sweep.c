// SPDX-License-Identifier: GPL-2.0
/*
 * A table of sizes, as the OSU benchmarks print it: a line for each power of two.
 *
 * A time is that of a whole operation, as run_work.c measures it. Average, minimum and maximum are
 * over the iterations. For each size, an additional first iteration is not timed, because sockets
 * and memory are used for the first time in it.
 */
#include <inttypes.h>

#include "run.h"

#define WARMUP 1

static void head(struct hcctl *h, const struct run *r, const struct run_sweep *s)
{
	out_str(h, "collective", "# %s", r->desc->name);
	out_str(h, "fabric", " on %s", r->fabric);
	if (s->op)
		out_str(h, "op", ", %s", s->op);
	out_str(h, "type", s->op ? " of %s" : ", %s", s->type);
	out_uint(h, "iterations", ", %" PRIu64 " iterations", r->iterations);
	out_bool(h, "verify", ", verified", s->verify);
	out_text(h, "\n# %10s %16s %16s %16s %16s\n", "Size", "Avg Latency(us)",
		 "Min Latency(us)", "Max Latency(us)", "Bandwidth(MB/s)");
	out_now(h);
}

static double us(uint64_t ns)
{
	return ns / 1e3;
}

static void row(struct hcctl *h, const struct run *r, const struct run_sweep *s,
		const struct run_result *out)
{
	uint64_t ns = out->mean ?: 1;
	/* Bytes per microsecond are megabytes per second. */
	double rate = r->bytes / us(ns);

	out_object(h, NULL);
	out_uint(h, "bytes", "%12" PRIu64, r->bytes);
	out_uint(h, "count", NULL, r->count);
	out_uint(h, "avg_ns", NULL, out->mean);
	out_uint(h, "min_ns", NULL, out->best);
	out_uint(h, "max_ns", NULL, out->worst);
	out_text(h, " %16.2f %16.2f %16.2f %16.2f\n", us(out->mean), us(out->best),
		 us(out->worst), rate);
	out_real(h, "megabytes_per_second", NULL, rate);
	out_uint(h, "steps", NULL, out->res.steps);
	out_uint(h, "time_ns", NULL, out->res.time);
	out_str(h, "plan_type", NULL, planner_of(r->plan.type)->object.name);
	out_uint(h, "members", NULL, r->n);
	if (s->verify)
		out_bool(h, "verified", NULL, true);
	out_close(h);
	out_now(h);
}

static int one_size(struct hcctl *h, struct run *r, const struct run_sweep *s)
{
	struct run_result out = {};
	int rc;

	rc = run_plan(h, r, s->plan, s->root, r->bytes) ?: run_members(h, r);
	if (rc)
		return rc;
	r->p.plan = r->plan.id;
	r->iterations += WARMUP;
	r->warmup = WARMUP;
	rc = run_work(h, r, &out);
	r->iterations -= WARMUP;
	if (!rc && s->verify)
		rc = run_check_result(h, r, &out, run_verify(r, &out));
	if (!rc)
		row(h, r, s, &out);
	run_result_free(r, &out);
	return rc;
}

/* Run one size. The plan type is chosen for this size, unless the user has named one. */
static int size(struct hcctl *h, struct run *r, const struct run_sweep *s, uint64_t bytes)
{
	const struct planner *asked = r->method;
	int rc, cleared;

	r->count = bytes / r->elem;
	r->bytes = (size_t)r->count * r->elem;
	rc = one_size(h, r, s);
	cleared = run_clear(h, r);
	r->method = asked;
	return rc ?: cleared;
}

int run_sweep(struct hcctl *h, struct run *r, const struct run_sweep *s)
{
	uint64_t bytes = 1;
	int rc = 0;

	while (bytes < s->from || bytes < r->elem)
		bytes *= 2;
	if (bytes > s->to) {
		hc_error(h, "no power of two from %u to %u is the size of an element of %u bytes at least",
			 s->from, s->to, r->elem);
		return HC_USAGE;
	}
	out_object(h, NULL);
	head(h, r, s);
	out_array(h, "sizes");
	for (; !rc && bytes <= s->to; bytes *= 2)
		rc = size(h, r, s, bytes);
	out_close(h);
	if (rc)
		out_reset(h);
	else
		out_close(h);
	return rc;
}
