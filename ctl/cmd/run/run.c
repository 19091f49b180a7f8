// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl run: run a collective on a live fabric, check its result, and time it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "memory.h"
#include "reference.h"
#include "run.h"

#define TIMEOUT_MS 30000
#define COUNT 1024
/* Maximum size, in bytes, of a data file that is read as a whole. */
#define DATA_MAX INT32_MAX
#define SWEEP_ITERATIONS 20
#define SWEEP_TO 65536
/* Maximum number of entries of the list of methods, including the NULL at its end. */
#define METHODS 16

/* Values of the command's keywords. */
struct words {
	const char *op;
	const char *type;
	const char *file;
	size_t size;	/* size of the data file in bytes, if it was read as a whole */
	uint32_t plan;
	uint32_t root;
	struct arg_choice method;
	bool verify;
	bool checked;
	bool details;
	bool random_given;
	bool count_given;
	bool bounds_given;
	bool iterations_given;
	struct run_sweep sweep;
};

/* Return: true if all trees give the same result, in whatever order they combine the contributions.
 * Only then can the results of two trees be compared.
 */
static bool run_compares(int oper, int type)
{
	bool sum = oper == HYPERCUBE_SUM || oper == HYPERCUBE_PROD;

	return oper != HYPERCUBE_MERGE &&
	       !(sum && plain_is_float(type));
}

static int data_args(struct hcctl *h, const struct words *w, struct run *r)
{
	int oper = w->op ? hcl_oper_parse(w->op) : 0, type;

	if (w->file && w->random_given)
		return hc_invalid(h, "data", w->file, "\"random\" and \"data\" exclude each other");
	if (oper < 0)
		return hc_invalid(h, "op", w->op,
				  "sum, prod, min, max, and, or, xor, minloc, maxloc or merge is wanted");
	type = hcl_type_parse(w->type, &r->p.width);
	if (type < 0)
		return hc_invalid(h, "type", w->type,
				  "u8..u64, i8..i64, f16, bf16, f32, f64 or record:WIDTH is wanted");
	if (oper == HYPERCUBE_MERGE && r->desc->parts)
		return hc_invalid(h, "op", w->op, "sorted runs have no parts for the members");
	if (w->checked && !run_compares(oper, type))
		return hc_invalid(h, "op", w->op, "its result depends on the order, so two trees are not compared");
	/* If there is no operator, use one that all types have, only to get the size of an element.
	 */
	oper = oper ?: HYPERCUBE_MIN;
	r->elem = hcl_elem_size(oper, type, r->p.width);
	if ((int)r->elem < 0)
		return hc_invalid(h, "type", w->type, "this operator does not take it");
	r->p.oper = w->op ? oper : 0;
	r->p.type = type;
	return 0;
}

static int method_args(struct hcctl *h, const struct words *w, struct run *r)
{
	const char *why;

	r->method = planner_named(w->method.words[w->method.v]);
	why = r->method ? run_not_by(r, r->method) : NULL;
	return why ? hc_invalid(h, "method", r->method->object.name, why) : 0;
}

/* Fill @args with the keywords that the collective has. Return: their number. */
static unsigned int keywords(struct run *r, struct words *w, struct arg *args)
{
	const struct planner *p = run_planner(r);
	bool data = run_has_data(r);
	const struct {
		bool has;
		struct arg arg;
	} all[] = {
		{ true, { "plan", arg_count, &w->plan } },
		{ true, { "verify", NULL, &w->verify } },
		{ true, { "iterations", arg_count, &r->iterations } },
		{ true, { "timeout", arg_count, &r->timeout } },
		{ true, { "details", NULL, &w->details } },
		{ r->desc->payload == HC_PAYLOAD_ELEMENTS, { "op", arg_str, &w->op } },
		{ data, { "type", arg_str, &w->type } },
		{ data, { "count", arg_u32, &r->count } },
		{ data, { "data", arg_str, &w->file } },
		{ data, { "random", arg_u64, &r->seed } },
		{ r->kind->checked, { "checked", NULL, &w->checked } },
		{ data, { "sweep", NULL, &w->sweep.wanted } },
		{ data, { "from", arg_count, &w->sweep.from } },
		{ data, { "to", arg_count, &w->sweep.to } },
		{ p->rooted, { p->root->word, arg_node, &w->root } },
		{ run_has_choice(r), { "method", arg_choice, &w->method } },
	};
	unsigned int i, n = 0;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].has)
			args[n++] = all[i].arg;
	return n;
}

static int sweep_args(struct hcctl *h, struct words *w, struct run *r)
{
	struct run_sweep *s = &w->sweep;

	if (!s->wanted && w->bounds_given)
		return hc_missing(h, "\"sweep\" to go with \"from\" and \"to\"");
	if (!s->wanted)
		return 0;
	if (w->file || w->count_given || w->details || w->checked)
		return hc_invalid(h, "sweep", w->file ? "data" : w->count_given ? "count" :
				  w->details ? "details" : "checked",
				  "sizes are between \"from\" and \"to\", a line each");
	if (!w->iterations_given)
		r->iterations = SWEEP_ITERATIONS;
	/* A sweep runs one more iteration for each size, see run_sweep.c. */
	if (r->iterations == UINT32_MAX)
		return hc_invalid(h, "iterations", "4294967295",
				  "with sweep, 1 to 4294967294 is wanted");
	s->plan = w->plan;
	s->root = w->root;
	s->verify = w->verify;
	s->op = w->op;
	s->type = w->type;
	return 0;
}

static int run_args(struct hcctl *h, struct words *w, struct run *r, int argc, char **argv)
{
	struct arg args[20] = {};
	unsigned int i, n = keywords(r, w, args);
	int rc;

	rc = hc_args(h, args, argc, argv);
	if (rc)
		return rc;
	for (i = 0; i < n; i++) {
		w->count_given |= args[i].given && args[i].dst == &r->count;
		w->random_given |= args[i].given && args[i].dst == &r->seed;
		w->iterations_given |= args[i].given && args[i].dst == &r->iterations;
		w->bounds_given |= args[i].given && (args[i].dst == &w->sweep.from ||
						     args[i].dst == &w->sweep.to);
	}
	if (run_has_data(r))
		return data_args(h, w, r) ?: method_args(h, w, r) ?: sweep_args(h, w, r);
	r->count = 0;
	r->elem = 1;
	return method_args(h, w, r);
}

/* Get the members of the plan, and the FAULT words from which their roles follow. */
int run_members(struct hcctl *h, struct run *r)
{
	uint32_t nodes = r->info.nodes, u;
	int rc;

	rc = live_faults(h, r->fabric, &r->faults);
	if (rc)
		return rc;
	r->node = malloc(nodes * sizeof(*r->node));
	r->hcl = calloc(nodes, sizeof(*r->hcl));
	if (!r->node || !r->hcl)
		return hc_nomem(h);
	for (u = 0; u < nodes; u++)
		if (r->faults->fault[u] == hc_ports(&r->faults->topo, u))
			hc_set_add(r->faults->dead, u);
	for (u = 0; u < nodes && u < 32 * r->plan.member_words; u++)
		if (hc_set_has(r->plan.members, u))
			r->node[r->n++] = u;
	return 0;
}

/* --- data from a file: contributions of equal length, in the order of the nodes --- */

/* Return: the number of blocks of r->count elements that the data file must have: 1 if the root
 * sends a message; otherwise, for each member, the number of blocks of a contribution.
 */
static size_t blocks_each(const struct run *r)
{
	return run_is_message(r) ? 1 : r->n * run_parts(r);
}

static int bad_length(struct hcctl *h, const struct run *r, const char *file, size_t size)
{
	if (run_is_message(r))
		hc_error(h, "%s has %zu bytes: %u elements of %u bytes are wanted",
			 file, size, r->count, r->elem);
	else
		hc_error(h, "%s has %zu bytes: %u elements of %u bytes for each of %u members are wanted%s",
			 file, size, r->count, r->elem, r->n,
			 r->desc->parts ? ", from each of them" : "");
	return HC_NO;
}

/* Read as many elements as the keyword "count" requires. The rest of the file is not read. */
static int read_counted(struct hcctl *h, struct run *r, const struct words *w)
{
	size_t want = (size_t)r->count * r->elem * blocks_each(r), size;
	int rc = file_read_first(h, w->file, want, (char **)&r->data, &size);

	return rc ?: size == want ? 0 : bad_length(h, r, file_name(w->file), size);
}

/* Compute the count from the length of the data file, which was read as a whole because there is no
 * keyword "count".
 */
static int count_data(struct hcctl *h, struct run *r, const struct words *w)
{
	size_t each = r->elem * blocks_each(r);

	r->count = w->size / each;
	return w->size % each ? bad_length(h, r, file_name(w->file), w->size) : 0;
}

/* --- results --- */

int run_check_result(struct hcctl *h, const struct run *r, const struct run_result *out, int same)
{
	if (same == -ENOMEM)
		return hc_nomem(h);
	if (same < 0)
		hc_error(h, "cannot verify: the plan does not fit the faults");
	else if (!same && !run_has_data(r))
		hc_error(h, "a member left the barrier before all had come");
	else if (!same)
		hc_error(h, "the result at node %u differs from a plain computation", out->wrong);
	return same == 1 ? HC_OK : HC_NO;
}

/* Verify the results. If two trees were compared, verify the results of the first one, but nothing
 * if the results differ. Return: as run_verify().
 */
static int verify(const struct run *r, const struct words *w, struct run_result *out,
		  struct run_check *check)
{
	if (!w->verify || (check && check->seen))
		return 1;
	return run_verify(r, check ? &check->out : out);
}

static int report(struct hcctl *h, const struct run *r, const struct words *w,
		  struct run_result *out, struct run_check *check, const struct nl_node *before)
{
	struct plan_truth truth = {};
	struct run_view v = {
		.out = out, .before = before, .truth = &truth, .op = w->op, .type = w->type,
		.details = w->details, .optimum = w->verify, .check = check,
		.verified = w->verify && !(check && check->seen),
	};
	struct nl_node *after;
	int rc, same;

	rc = nl_nodes(h, r->fabric, &after, &v.nodes);
	if (rc)
		return rc;
	v.after = after;
	same = verify(r, w, out, check);
	rc = run_truth(r, w->verify, &truth);
	if (rc && same >= 0)
		same = rc;
	if (same >= 0) {
		v.equal = same;
		run_print(h, r, &v);
	}
	free(after);
	if (check && check->seen) {
		hc_error(h, "the results of the trees differ at %u node%s", check->seen,
			 check->seen == 1 ? "" : "s");
		return HC_NO;
	}
	return run_check_result(h, r, check ? &check->out : out, same);
}

/* After a plan was chosen, make the data, run the collective, and print the report. */
static int with_plan(struct hcctl *h, struct run *r, const struct words *w)
{
	struct nl_node *before = NULL;
	struct run_result out = {};
	struct run_check check = {};
	size_t n;
	int rc;

	rc = run_members(h, r);
	if (!rc && w->file)
		rc = w->count_given ? read_counted(h, r, w) : count_data(h, r, w);
	if (rc)
		return rc;
	if ((uint64_t)r->count * run_parts(r) > UINT32_MAX) {
		hc_error(h, "%u elements for each of %u members are more than 4294967295",
			 r->count, r->n);
		return HC_NO;
	}
	r->p.plan = r->plan.id;
	r->bytes = (size_t)r->count * r->elem;
	rc = nl_nodes(h, r->fabric, &before, &n);
	if (!rc)
		rc = run_work(h, r, &out);
	if (!rc && w->checked)
		rc = run_checked(h, r, &check);
	if (!rc)
		rc = report(h, r, w, &out, w->checked ? &check : NULL, before);
	free(before);
	run_check_free(r, &check);
	run_result_free(r, &out);
	return rc;
}

/* Return: the length of a contribution in bytes, for the choice of a plan. If the data is from a
 * file, this is an estimate: the length depends on the number of members, which is not known yet,
 * so all nodes are assumed to be members.
 */
static uint64_t likely_bytes(const struct run *r, const struct words *w)
{
	if (w->file && !w->count_given)
		return w->size / r->info.nodes;
	return (uint64_t)r->count * r->elem;
}

static void handles_close(struct run *r)
{
	uint32_t i;

	for (i = 0; i < r->n; i++)
		hcl_close(r->hcl[i]);
	free(r->hcl);
	r->hcl = NULL;
}

int run_plans_del(struct hcctl *h, const struct run *r)
{
	uint32_t temporary = r->temporary;
	int rc = temporary ? nl_plan_del(h, r->fabric, temporary, false) : 0;

	return run_trees_del(h, r) || rc ? HC_NO : 0;
}

int run_clear(struct hcctl *h, struct run *r)
{
	int rc;

	handles_close(r);
	rc = run_plans_del(h, r);
	r->temporary = 0;
	r->trees = 0;
	nl_plan_clear(&r->plan);
	hc_faults_free(r->faults);
	hc_free_all(r->data, r->node);
	r->data = NULL;
	r->faults = NULL;
	r->node = NULL;
	r->n = 0;
	return rc;
}

static int once(struct hcctl *h, struct run *r, struct words *w)
{
	int rc = 0, cleared;

	if (w->file && !w->count_given)
		rc = file_read(h, w->file, DATA_MAX, (char **)&r->data, &w->size);
	rc = rc ?: run_plan(h, r, w->plan, w->root, likely_bytes(r, w)) ?: with_plan(h, r, w);
	cleared = run_clear(h, r);
	return rc ?: cleared;
}

static int run(struct hcctl *h, struct run *r, struct words *w, int argc, char **argv)
{
	int rc;

	r->fabric = hc_take_fabric(h, &argc, &argv);
	if (!r->fabric)
		return HC_USAGE;
	rc = run_args(h, w, r, argc, argv);
	if (rc)
		return rc;
	run_guard(r);
	rc = nl_fabric(h, r->fabric, &r->info);
	if (!rc && w->sweep.wanted)
		rc = run_sweep(h, r, &w->sweep);
	else if (!rc)
		rc = once(h, r, w);
	run_unguard();
	return rc;
}

/* Fill @words with the names of methods: "auto", and the plan types that can carry the collective.
 */
static void method_words(const struct run *r, const char *words[METHODS])
{
	const struct planner *p;
	unsigned int n = 0;
	size_t i;

	words[n++] = "auto";
	for (i = 0; (p = planner_at(i)) && n < METHODS - 1; i++)
		if (r->desc->plans & hc_bit(p->type))
			words[n++] = p->object.name;
	words[n] = NULL;
}

int run_collective(struct hcctl *h, int argc, char **argv)
{
	const struct run_kind *kind = h->cmd->own;
	const char *methods[METHODS];
	struct run r = {
		.kind = kind, .desc = hc_coll_desc(kind->collective),
		.p.collective = kind->collective,
		.count = COUNT, .seed = 1, .iterations = 1, .timeout = TIMEOUT_MS,
	};
	struct words w = {
		.type = "u64", .root = NL_NONE, .method.words = methods,
		.sweep = { .from = 1, .to = SWEEP_TO },
	};

	method_words(&r, methods);
	if (r.desc->payload == HC_PAYLOAD_ELEMENTS)
		w.op = "sum";
	return run(h, &r, &w, argc, argv);
}
