// SPDX-License-Identifier: GPL-2.0
/*
 * A run over two trees whose results are compared. If the results differ, the collective runs
 * again, over the pairs of trees of all dimensions, to locate the Byzantine nodes. The tool runs
 * all members, so it can combine what they have located.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/checked_cmd.h"
#include "memory.h"
#include "run.h"

/* --- the trees --- */

/* Find ids for the plans of the trees, above the ids of all installed plans. *@id is set to the
 * first one.
 */
static int unused(struct hcctl *h, const struct run *r, uint32_t *id)
{
	struct nl_plan *v;
	size_t n, i;
	int rc = nl_plans(h, r->fabric, &v, &n);

	if (rc)
		return rc;
	*id = 1;
	for (i = 0; i < n; i++)
		if (v[i].id >= *id)
			*id = v[i].id + 1;
	nl_plans_free(v, n);
	if (*id && *id <= UINT32_MAX - live_pair_id(1, HYPERCUBE_DIM_MAX))
		return 0;
	hc_error(h, "no ids are left for the trees");
	return -ENOSPC;
}

int run_trees_del(struct hcctl *h, const struct run *r)
{
	struct nl_plan *v;
	size_t n, i;
	int rc;

	if (!r->trees)
		return 0;
	rc = nl_plans(h, r->fabric, &v, &n);
	if (rc)
		return rc;
	for (i = 0; i < n; i++)
		if (v[i].id >= r->trees && v[i].id < live_pair_id(r->trees, r->info.dim))
			rc = nl_plan_del(h, r->fabric, v[i].id, false) ?: rc;
	nl_plans_free(v, n);
	return rc;
}

/* Make a pair of the library from a pair of the planner. @id: id of the first of its two plans. The
 * sets of relays move to the library's pair.
 */
static void pair_take(const struct run *r, struct hcl_pair *to, struct hc_checked_pair *from,
		      uint32_t id)
{
	unsigned int i;

	to->dim = r->info.dim;
	to->segment = r->info.segment;
	for (i = 0; i < 2; i++) {
		to->plan[i] = id + i;
		to->relays[i] = from->tree[i].relays;
		from->tree[i].relays = NULL;
	}
}

/* List the nodes that relay in both trees, in c->unseen. Such a node can corrupt results
 * undetected.
 */
static int unseen_take(struct hcctl *h, struct run_check *c, const struct hc_checked *trees)
{
	uint32_t u;

	c->unseen = calloc(trees->best.nunseen + 1, sizeof(*c->unseen));
	if (!c->unseen)
		return hc_nomem(h);
	for (u = 0; u < hc_nodes(trees->dim); u++)
		if (hc_set_has(trees->best.unseen, u))
			c->unseen[c->nunseen++] = u;
	return 0;
}

static bool same_members(const struct run *r, const struct hc_checked *trees)
{
	const struct hc_tree_plan *t = &trees->best.tree[0].plan;
	uint32_t i;

	for (i = 0; i < r->n; i++)
		if (!hc_set_has(t->members, r->node[i]))
			return false;
	return t->nmembers == r->n;
}

/* Make the library's pairs in @c for the installed trees. The planner has computed these trees once
 * more, for the same faults, in @trees.
 */
static int trees_take(struct hcctl *h, const struct run *r, struct run_check *c,
		      struct hc_checked *trees)
{
	unsigned int k;

	if (!same_members(r, trees)) {
		hc_error(h, "the trees that are compared have other members than plan %u",
			 r->plan.id);
		return HC_NO;
	}
	pair_take(r, &c->best, &trees->best, r->trees);
	for (k = 0; k < trees->dim; k++)
		if (trees->pair[k].found)
			pair_take(r, &c->pair[c->npairs++], &trees->pair[k],
				  live_pair_id(r->trees, k));
	return unseen_take(h, c, trees);
}

static int trees_make(struct hcctl *h, struct run *r, struct run_check *c)
{
	/* If all members get the result, any node may be the root. */
	uint32_t sink = r->desc->gets == HC_WHO_ROOT ? r->root : NL_NONE, id;
	struct hc_checked trees;
	struct hc_faults *f;
	const char *why;
	int rc = unused(h, r, &id);

	if (rc)
		return rc;
	r->trees = id;
	rc = checked_install(h, r->fabric, id, sink) ?: live_faults(h, r->fabric, &f);
	if (rc)
		return rc;
	rc = hc_plan_checked(f, sink, &trees, &why);
	if (rc) {
		hc_error(h, "no trees: %s", why);
	} else {
		rc = trees_take(h, r, c, &trees);
		hc_checked_free(&trees);
	}
	hc_faults_free(f);
	return rc;
}

/* --- the members' calls --- */

/* Make the call of one member over two trees. If the two results differ, record that, and return
 * success.
 */
static int compared_part(struct hcl *hcl, const struct run *r, const struct run_part *p)
{
	struct hcl_check *check = &r->check->check[p->rank], now;
	int err = r->kind->checked(hcl, r, p, &now);

	*p->res = now.res[0];
	/* Of several iterations, record the first one in which the results differ. */
	if (!check->segments)
		*check = now;
	return err == -EBADMSG ? 0 : err;
}

/* Make the call of one member over all pairs of trees. A broadcast runs as an allreduce with XOR,
 * as in hcl_checked_bcast().
 */
static int narrow_part(struct hcl *hcl, const struct run *r, const struct run_part *p)
{
	const struct hcl_params xor = { .oper = HYPERCUBE_XOR, .type = HYPERCUBE_U8 };
	const struct run_check *c = r->check;

	return hcl_checked_locate(hcl, run_is_message(r) ? &xor : &r->p, c->pair, c->npairs, p->in,
				  run_is_message(r) ? r->bytes : p->bytes,
				  &r->check->suspects[p->rank]);
}

/* --- running --- */

/* Run the collective over the pairs of trees of all dimensions, to locate Byzantine nodes. */
static int narrow(struct hcctl *h, const struct run *r, struct run_check *c)
{
	struct run_kind kind = *r->kind;
	struct run_result none = {};
	struct run again = *r;
	int rc;

	if (!c->npairs) {
		hc_error(h, "no pairs of trees to narrow it down with");
		return HC_NO;
	}
	kind.take_part = narrow_part;
	again.kind = &kind;
	again.check = c;
	again.iterations = 1;
	again.warmup = 0;
	rc = run_work(h, &again, &none);
	run_result_free(&again, &none);
	return rc ?: hcl_checked_locate_of(c->pair, c->npairs, c->suspects, r->n, &c->all);
}

/* Run the collective over two trees, and count the members at which the two results differ. */
static int compare(struct hcctl *h, const struct run *r, struct run_check *c)
{
	struct run_kind kind = *r->kind;
	struct run again = *r;
	uint32_t i;
	int rc;

	kind.take_part = compared_part;
	again.kind = &kind;
	again.check = c;
	rc = run_work(h, &again, &c->out);
	for (i = 0; i < r->n && !rc; i++)
		c->seen += c->check[i].segments || c->check[i].wrong;
	return rc;
}

int run_checked(struct hcctl *h, struct run *r, struct run_check *c)
{
	int rc = trees_make(h, r, c);

	if (rc)
		return rc;
	c->check = calloc(r->n, sizeof(*c->check));
	c->suspects = calloc(r->n, sizeof(*c->suspects));
	if (!c->check || !c->suspects)
		return hc_nomem(h);
	rc = compare(h, r, c);
	return rc || !c->seen ? rc : narrow(h, r, c);
}

static void pair_drop(struct hcl_pair *p)
{
	hc_free_all(p->relays[0], p->relays[1]);
}

void run_check_free(struct run *r, struct run_check *c)
{
	unsigned int k;

	for (k = 0; k < c->npairs; k++)
		pair_drop(&c->pair[k]);
	pair_drop(&c->best);
	run_result_free(r, &c->out);
	hc_free_all(c->check, c->suspects, c->unseen);
	memset(c, 0, sizeof(*c));
}

/* --- printing --- */

/* Print the members at which the results differ, and the first difference at the first of them. */
static void print_segment(struct hcctl *h, const struct run *r, const struct run_check *c)
{
	const struct hcl_check *first = NULL;
	uint32_t i;

	out_array(h, "seen_by");
	for (i = 0; i < r->n; i++) {
		if (!c->check[i].segments && !c->check[i].wrong)
			continue;
		first = first ?: &c->check[i];
		out_uint(h, NULL, NULL, r->node[i]);
	}
	out_close(h);
	if (!first)
		return;
	out_text(h, "DIFFERENT at %u node%s", c->seen, c->seen == 1 ? "" : "s");
	out_uint(h, "segments", first->segments == 1 ? ": %" PRIu64 " segment" :
		 ": %" PRIu64 " segments", first->segments);
	out_uint(h, "offset", ", the first from byte %" PRIu64, first->offset);
	out_uint(h, "length", ", %" PRIu64 " bytes\n", first->length);
}

static void print_suspects(struct hcctl *h, const struct run_check *c)
{
	const struct hcl_suspects *s = &c->all;
	char words[512];
	uint32_t i;

	out_object(h, "suspects");
	out_uint(h, "byzantine", NULL, s->byzantine);
	out_uint(h, "sets", NULL, s->n);
	out_uint(h, "other_pairs", NULL, s->others);
	out_array(h, "nodes");
	for (i = 0; i < s->n * (s->byzantine ?: 1) && i < 2 * HCL_SUSPECTS_MAX; i++)
		out_uint(h, NULL, NULL, s->node[i]);
	out_close(h);
	out_str(h, "words", "suspects: %s\n", hcl_checked_describe(s, words, sizeof(words)));
	out_close(h);
}

void run_print_checked(struct hcctl *h, const struct run *r, const struct run_result *plain,
		       const struct run_check *c)
{
	uint32_t i;
	char buf[OUT_BUF];
	double ratio = (double)c->out.best / (plain->best ?: 1);

	out_object(h, "checked");
	out_bool(h, "agreed", NULL, !c->seen);
	out_text(h, "checked over two trees: wall time %s", out_time(buf, c->out.best));
	out_uint(h, "wall_ns", NULL, c->out.best);
	out_uint(h, "wall_mean_ns", NULL, c->out.mean);
	out_real(h, "ratio", ", %.2f times that of the plain one\n", ratio);
	out_array(h, "unseen");
	for (i = 0; i < c->nunseen; i++)
		out_uint(h, NULL, i ? ",%" PRIu64 : "could lie unseen: %" PRIu64, c->unseen[i]);
	out_text(h, c->nunseen ? "\n" : "");
	out_close(h);
	if (!c->seen)
		out_text(h, "the results are the same%s\n",
			 c->nunseen ? "" : ": no node can have lied alone");
	print_segment(h, r, c);
	if (c->seen)
		print_suspects(h, c);
	out_close(h);
}
