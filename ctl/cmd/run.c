// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl run: perform a collective on a live fabric, check and time it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#define TIMEOUT_MS 30000

/* The words. */
struct words {
	const char *op;
	const char *type;
	const char *file;
	uint32_t plan;
	bool verify;
	bool details;
	bool count_given;
};

static int run_args(struct hcctl *h, struct words *w, struct run *r, int argc, char **argv)
{
	struct arg args[] = {
		{ "op", arg_str, &w->op },
		{ "type", arg_str, &w->type },
		{ "count", arg_u32, &r->count },
		{ "data", arg_str, &w->file },
		{ "random", arg_u64, &r->seed },
		{ "plan", arg_count, &w->plan },
		{ "verify", NULL, &w->verify },
		{ "iterations", arg_count, &r->iterations },
		{ "timeout", arg_count, &r->timeout },
		{ "details", NULL, &w->details },
		{}
	};
	int rc = hc_args(h, args, argc, argv), oper, type;

	if (rc)
		return rc;
	w->count_given = args[2].given;
	if (w->file && args[4].given)
		return hc_invalid(h, "data", w->file, "the data is to be random already");
	oper = hcl_oper_parse(w->op);
	if (oper < 0)
		return hc_invalid(h, "op", w->op,
				  "sum, prod, min, max, and, or, xor, minloc, maxloc or merge is wanted");
	type = hcl_type_parse(w->type, &r->p.width);
	if (type < 0)
		return hc_invalid(h, "type", w->type,
				  "u8..u64, i8..i64, f32, f64 or record:WIDTH is wanted");
	rc = hcl_elem_size(oper, type, r->p.width);
	if (rc < 0)
		return hc_invalid(h, "type", w->type, "this operator does not take it");
	r->elem = rc;
	r->p.oper = oper;
	r->p.type = type;
	return 0;
}

/* --- the plan --- */

/* The plan asked for, or else the first that is of use; -ENOENT: none. */
static int installed_plan(struct hcctl *h, struct run *r, uint32_t id, uint32_t *unused)
{
	struct nl_plan *v, *found = NULL;
	size_t n, i;
	int rc;

	rc = nl_plans(h, r->fabric, &v, &n);
	if (rc)
		return rc;
	*unused = 1;
	for (i = 0; i < n; i++) {
		if (v[i].id >= *unused && v[i].id < UINT32_MAX)
			*unused = v[i].id + 1;
		if (v[i].type != HYPERCUBE_PLAN_TREE || !v[i].members ||
		    (id ? v[i].id != id : v[i].broken))
			continue;
		if (!found || v[i].id < found->id)
			found = &v[i];
	}
	rc = found ? 0 : -ENOENT;
	if (id && !found)
		hc_error(h, "%s has no tree plan %u", r->fabric, id);
	if (found && found->broken) {
		hc_error(h, "plan %u is broken; try: hcctl tree find fabric %s apply plan %u",
			 id, r->fabric, id);
		rc = -ENOLINK;
	}
	if (!rc) {
		r->plan = *found;
		memset(found, 0, sizeof(*found));
	}
	nl_plans_free(v, n);
	return rc;
}

/* Plan for the faults of now and install that as @id. */
static int install_plan(struct hcctl *h, const struct run *r, uint32_t id, bool last)
{
	struct hc_tree_req req = { .method = HC_TREE_EXACT, .sink = HC_ANY_SINK };
	const char *why = "not possible";
	struct hc_tree_plan p;
	struct hc_faults *f;
	int rc;

	rc = cmd_live_faults(h, r->fabric, &f);
	if (rc)
		return rc;
	rc = hc_plan_tree(f, &req, &p, &why);
	if (rc) {
		hc_error(h, "no tree: %s", why);
	} else {
		rc = nl_plan_add(h, r->fabric, id, &p.tree, f->fault, !last);
		if (!rc)
			cmd_tree_warn(h, &p);
		hc_tree_plan_free(&p);
	}
	hc_faults_free(f);
	return rc;
}

static int choose_plan(struct hcctl *h, struct run *r, uint32_t id)
{
	uint32_t unused;
	int rc, try;

	rc = installed_plan(h, r, id, &unused);
	if (rc != -ENOENT || id)
		return rc;
	r->temporary = unused;
	for (try = 0; try < STALE_RETRIES; try++) {
		rc = install_plan(h, r, unused, try == STALE_RETRIES - 1);
		if (rc != -ESTALE)
			break;
		usleep(1000 << try);
	}
	if (rc)
		r->temporary = 0;
	return rc ?: installed_plan(h, r, unused, &id);
}

/* The members and the FAULT words their roles follow from. */
static int read_members(struct hcctl *h, struct run *r)
{
	uint32_t nodes = hc_nodes(r->info.dim), u;
	struct hc_faults *f;
	int rc;

	rc = cmd_live_faults(h, r->fabric, &f);
	if (rc)
		return rc;
	r->fault = malloc(nodes * sizeof(*r->fault));
	r->node = malloc(nodes * sizeof(*r->node));
	if (!r->fault || !r->node) {
		hc_faults_free(f);
		return hc_nomem(h);
	}
	memcpy(r->fault, f->fault, nodes * sizeof(*r->fault));
	hc_faults_free(f);
	for (u = 0; u < nodes && u < 32 * r->plan.member_words; u++)
		if (hc_set_has(r->plan.members, u))
			r->node[r->n++] = u;
	return 0;
}

/* --- data from a file: equal slices, in the order of the nodes --- */

static int bad_length(struct hcctl *h, const struct run *r, const char *file, long size)
{
	hc_error(h, "%s has %ld bytes: %u elements of %u bytes for each of %u members are wanted",
		 file, size, r->count, r->elem, r->n);
	return HC_NO;
}

static int read_file(struct hcctl *h, struct run *r, const struct words *w)
{
	FILE *f = fopen(w->file, "re");
	long size = -1;
	size_t want;

	if (f && !fseek(f, 0, SEEK_END))
		size = ftell(f);
	if (size < 0) {
		hc_error(h, "cannot read %s: %s", w->file, strerror(errno));
		if (f)
			fclose(f);
		return HC_NO;
	}
	rewind(f);
	if (!w->count_given)
		r->count = size / r->elem / r->n;
	want = (size_t)r->count * r->elem * r->n;
	if (want > (size_t)size || (!w->count_given && want != (size_t)size)) {
		fclose(f);
		return bad_length(h, r, w->file, size);
	}
	r->data = malloc(want ?: 1);
	if (r->data && fread(r->data, 1, want, f) != want)
		want = 0;
	fclose(f);
	if (!r->data)
		return hc_nomem(h);
	return want || !r->count ? 0 : bad_length(h, r, w->file, size);
}

/* --- the report --- */

static void print_nodes(struct hcctl *h, const struct run *r, const struct nl_node *before,
			const struct nl_node *after, size_t n, bool details)
{
	uint64_t drops[NL_DROPS];
	uint32_t i, u, d;

	out_array(h, "nodes");
	for (i = 0; (h->json || details) && i < r->n; i++) {
		u = r->node[i];
		if (u >= n || before[u].id != u || after[u].id != u)
			continue;
		for (d = 0; d < NL_DROPS; d++)
			drops[d] = after[u].drops[d] - before[u].drops[d];
		out_object(h, NULL);
		out_uint(h, "node", "  node %4" PRIu64, u);
		out_uint(h, "host_frames", " host frames %" PRIu64,
			 after[u].host_frames - before[u].host_frames);
		out_uint(h, "merged_bytes", " merged bytes %" PRIu64,
			 after[u].merged_bytes - before[u].merged_bytes);
		cmd_out_drops(h, drops);
		out_text(h, "\n");
		out_close(h);
	}
	out_close(h);
}

static void print_head(struct hcctl *h, const struct run *r, const struct words *w,
		       const struct run_result *out)
{
	char hex[32], buf[OUT_BUF];

	out_str(h, "collective", "%s", "reduce");
	out_str(h, "fabric", " on %s", r->fabric);
	out_uint(h, "plan", " plan %" PRIu64, r->plan.id);
	out_bool(h, "temporary", " (temporary)", r->temporary != 0);
	out_uint(h, "sink", " sink %" PRIu64, r->plan.sink);
	out_uint(h, "members", " members %" PRIu64 "\n", r->n);
	out_str(h, "op", "%s", w->op);
	out_str(h, "type", " of %s", w->type);
	out_uint(h, "count", " count %" PRIu64, r->count);
	out_uint(h, "bytes", " result %" PRIu64 " bytes", out->bytes);
	snprintf(hex, sizeof(hex), "0x%016" PRIx64, run_digest(out->out, out->bytes));
	out_str(h, "digest", " digest %s\n", hex);
	out_uint(h, "steps", "steps %" PRIu64, out->res.steps);
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

static int report(struct hcctl *h, const struct run *r, const struct words *w,
		  const struct run_result *out, const struct nl_node *before)
{
	struct nl_node *after;
	int rc, same = 1;
	size_t n;

	rc = nl_nodes(h, r->fabric, &after, &n);
	if (rc)
		return rc;
	if (w->verify)
		same = run_verify(r, out);
	out_object(h, NULL);
	print_head(h, r, w, out);
	if (w->verify && same >= 0) {
		out_bool(h, "verified", "verified: equal to a plain computation\n", same);
		out_text(h, "%s", same ? "" : "NOT EQUAL to a plain computation\n");
	}
	print_nodes(h, r, before, after, n, w->details);
	out_close(h);
	free(after);
	if (same == -ENOMEM)
		return hc_nomem(h);
	if (same < 0)
		hc_error(h, "cannot verify: the plan and the faults do not fit");
	else if (!same)
		hc_error(h, "the result differs from a plain computation");
	return same == 1 ? HC_OK : HC_NO;
}

/* With a plan: data, operation, report. */
static int with_plan(struct hcctl *h, struct run *r, const struct words *w)
{
	struct nl_node *before = NULL;
	struct run_result out = {};
	size_t n;
	int rc;

	rc = read_members(h, r);
	if (!rc && w->file)
		rc = read_file(h, r, w);
	if (rc)
		return rc;
	r->p.plan = r->plan.id;
	r->bytes = (size_t)r->count * r->elem;
	rc = nl_nodes(h, r->fabric, &before, &n);
	if (!rc)
		rc = run_work(h, r, &out);
	if (!rc)
		rc = report(h, r, w, &out, before);
	free(before);
	free(out.out);
	return rc;
}

static int reduce(struct hcctl *h, int argc, char **argv)
{
	struct run r = {
		.fabric = hc_take_fabric(h, &argc, &argv),
		.count = 1024, .seed = 1, .iterations = 1, .timeout = TIMEOUT_MS,
	};
	struct words w = { .op = "sum", .type = "u64" };
	int rc;

	if (!r.fabric)
		return HC_USAGE;
	rc = run_args(h, &w, &r, argc, argv);
	if (rc)
		return rc;
	run_guard(&r);
	rc = nl_fabric(h, r.fabric, &r.info) ?: choose_plan(h, &r, w.plan);
	if (!rc)
		rc = with_plan(h, &r, &w);
	if (r.temporary && nl_plan_del(h, r.fabric, r.temporary) && !rc)
		rc = HC_NO;
	run_unguard();
	free(r.plan.members);
	free(r.plan.detours);
	free(r.plan.fault);
	free(r.data);
	free(r.fault);
	free(r.node);
	return rc;
}

const struct hc_cmd run_cmds[] = {
	{
		"reduce", reduce,
		"NAME [op OP] [type T] [count C] [data FILE | random SEED] [plan ID] [verify] [iterations N] [timeout MS] [details]",
	},
	{}
};
