// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl balance plan: compute how many tasks each node sends to which neighbour.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "balance_cmd.h"

struct load_list {
	uint64_t *v;
	size_t n;
};

/**
 * struct job - a plan to compute
 * @a: where the faults come from
 * @load: load of each node
 * @method: enum hc_balance_method; HC_BALANCE_METHODS: the user named none
 * @shape: enum hc_balance_shape
 * @threshold: threshold of the method RID; UINT64_MAX: half the mean load
 * @hop_cost: time that a hop takes, as a multiple of the time of a task
 * @f: the faults
 * @optimum: the smallest number of hops that leads to an even load
 * @least: lower bound of the scores of all plans
 * @n: number of entries of @compared
 * @compared: the result of each method that was compared
 */
struct job {
	struct fault_args a;
	struct load_list load;
	struct arg_choice method;
	struct arg_choice shape;
	uint64_t threshold;
	double hop_cost;
	struct hc_faults *f;
	uint64_t optimum;
	double least;
	unsigned int n;
	struct compared {
		enum hc_balance_method method;
		uint64_t hops;
		uint64_t imbalance;
		double score;
	} compared[HC_BALANCE_METHODS];
};

static int arg_loads(struct hcctl *h, const char *name, const char *word, void *dst)
{
	size_t n = 1, i = 0;
	struct load_list *l = dst;
	char *copy = strdup(word), *rest = copy, *one;
	const char *p;
	int rc = 0;

	for (p = word; *p; p++)
		n += *p == ',';
	l->v = calloc(n, sizeof(*l->v));
	l->n = n;
	if (!copy || !l->v)
		rc = hc_nomem(h);
	while (!rc && (one = strsep(&rest, ",")))
		if (hc_number(one, HC_BALANCE_MOST, &l->v[i++]))
			rc = hc_invalid(h, name, one, "a number up to 100000000 is wanted for each node");
	free(copy);
	return rc;
}

int balance_arg_cost(struct hcctl *h, const char *name, const char *word, void *dst)
{
	double v;
	char *end;

	errno = 0;
	v = strtod(word, &end);
	if (end == word || *end || errno || !(v >= 0 && v <= 1000))
		return hc_invalid(h, name, word, "a number from 0 to 1000 is wanted");
	*(double *)dst = v;
	return 0;
}

/* --- output --- */

static void out_numbers(struct hcctl *h, const char *key, const uint64_t *v, uint32_t n)
{
	uint32_t u;

	out_text(h, "%s", key);
	out_array(h, key);
	for (u = 0; u < n; u++)
		out_uint(h, NULL, u ? ",%" PRIu64 : " %" PRIu64, v[u]);
	out_close(h);
	out_text(h, "\n");
}

static void out_moves(struct hcctl *h, const struct hc_balance_plan *p)
{
	unsigned int step = 0;
	size_t i;

	out_array(h, "moves");
	for (i = 0; i < p->nmoves; i++) {
		const struct hc_balance_move *m = &p->moves[i];

		if (m->step != step)
			out_text(h, "%sstep %u:", step ? "\n" : "", m->step);
		step = m->step;
		out_object(h, NULL);
		out_uint(h, "from", "  %" PRIu64, m->from);
		out_uint(h, "to", "->%" PRIu64, m->to);
		out_uint(h, "tasks", " %" PRIu64, m->tasks);
		out_uint(h, "step", NULL, m->step);
		out_close(h);
	}
	out_close(h);
	out_text(h, step ? "\n" : "");
}

static void out_sums(struct hcctl *h, const struct job *j, const struct hc_balance_plan *p)
{
	out_uint(h, "steps", "steps %" PRIu64, p->info_steps + p->move_steps);
	out_uint(h, "info_steps", " (%" PRIu64 " of information", p->info_steps);
	out_uint(h, "move_steps", ", %" PRIu64 " of migration)", p->move_steps);
	out_uint(h, "migrations", " migrations %" PRIu64, p->migrations);
	out_uint(h, "hops", " hops %" PRIu64, p->hops);
	out_uint(h, "optimum", " (optimum %" PRIu64 ")", j->optimum);
	out_uint(h, "imbalance", " imbalance %" PRIu64, p->most - p->least);
	out_real(h, "score", " score %.3f", p->score);
	out_real(h, "least_score", " (least %.3f)\n", j->least);
}

static void out_compared(struct hcctl *h, const struct job *j)
{
	const struct compared *c;

	out_text(h, "compared        hops  imbalance        score  above the least\n");
	out_array(h, "compared");
	for (c = j->compared; c < j->compared + j->n; c++) {
		out_object(h, NULL);
		out_str(h, "method", "  %-8s", hc_balance_names[c->method]);
		out_uint(h, "hops", "%10" PRIu64, c->hops);
		out_uint(h, "imbalance", " %10" PRIu64, c->imbalance);
		out_real(h, "score", " %12.3f", c->score);
		out_real(h, "distance", " %16.3f\n", c->score - j->least);
		out_close(h);
	}
	out_close(h);
}

static int out_plan(struct hcctl *h, const struct job *j, const struct hc_balance_topo *t,
		    const struct hc_balance_plan *p)
{
	uint32_t n = j->f->topo.nodes;

	out_object(h, NULL);
	if (j->a.fabric)
		out_str(h, "fabric", "fabric %s ", j->a.fabric);
	if (t->b.dim)
		out_uint(h, "dim", "dim %" PRIu64, t->b.dim);
	balance_out_shape(h, t);
	out_str(h, "method", " method %s", hc_balance_names[j->method.v]);
	out_str(h, "taken", p->method == j->method.v ? NULL : ": %s",
		hc_balance_names[p->method]);
	out_text(h, "\n");
	out_numbers(h, "quota", p->quota, n);
	out_moves(h, p);
	out_numbers(h, "final", p->final, n);
	out_sums(h, j, p);
	if (j->n)
		out_compared(h, j);
	cmd_out_set(h, "excluded", t->nexcluded ? "excluded " : "", t->excluded, n);
	out_text(h, t->nexcluded ? "\n" : "");
	cmd_out_faults(h, j->f);
	out_close(h);
	balance_warn(h, j->shape.v, t);
	return 0;
}

/* --- planning --- */

static int check_loads(struct hcctl *h, const struct job *j)
{
	uint32_t u, n = j->f->topo.nodes;

	if (j->load.n != n) {
		hc_error(h, "%zu loads for %u nodes: one for each is wanted", j->load.n, n);
		return HC_USAGE;
	}
	for (u = 0; u < n; u++)
		if (j->load.v[u] && hc_set_has(j->f->dead, u)) {
			hc_error(h, "node %u has failed and cannot have tasks: %" PRIu64, u,
				 j->load.v[u]);
			return HC_USAGE;
		}
	return 0;
}

static uint64_t half_the_mean(const struct job *j, const struct hc_balance_topo *t)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < t->members; i++)
		sum += j->load.v[t->order[i]];
	return sum / t->members / 2;
}

/* Compute the result of each method from which the method "auto" chooses. */
static int compare(struct hc_balancer *b, const struct hc_balance_req *q, struct job *j)
{
	static const enum hc_balance_method methods[] = {
		HC_BALANCE_RID, HC_BALANCE_DEM, HC_BALANCE_MCW, HC_BALANCE_OPT,
	};
	struct hc_balance_plan p = {};
	struct hc_balance_req one = *q;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < sizeof(methods) / sizeof(*methods); i++) {
		one.method = methods[i];
		if (!hc_balance_possible(j->f, one.method))
			continue;
		rc = hc_balancer_plan(b, &one, &p);
		j->compared[j->n++] = (struct compared){
			methods[i], p.hops, p.most - p.least, p.score,
		};
	}
	hc_balance_plan_free(&p);
	return rc;
}

static int with_topology(struct hcctl *h, struct job *j, const struct hc_balance_topo *t)
{
	struct hc_balance_req q = {
		.method = HC_BALANCE_OPT, .load = j->load.v, .hop_cost = j->hop_cost,
		.threshold = j->threshold == UINT64_MAX ? half_the_mean(j, t) : j->threshold,
	};
	struct hc_balancer *b = hc_balancer_new(j->f, t);
	struct hc_balance_plan p = {};
	int rc = b ? hc_balancer_plan(b, &q, &p) : -ENOMEM;

	j->optimum = p.hops;
	q.method = j->method.v;
	if (!rc && q.method != HC_BALANCE_OPT)
		rc = hc_balancer_plan(b, &q, &p);
	if (!rc && q.method == HC_BALANCE_AUTO)
		rc = compare(b, &q, j);
	if (rc == -EOPNOTSUPP)
		live_need_cube(h, j->a.fabric, 0, hc_balance_names[q.method]);
	else if (rc == -EINVAL)
		hc_error(h, "no plan: cwa needs a cube without faults; try: method mcwa");
	else if (rc)
		hc_nomem(h);
	if (!rc) {
		j->least = hc_balancer_least(b, &q);
		rc = out_plan(h, j, t, &p);
	}
	hc_balance_plan_free(&p);
	hc_balancer_free(b);
	return rc;
}

static int make(struct hcctl *h, struct job *j)
{
	struct hc_balance_topo t;
	int rc = balance_faults(h, &j->a, &j->f);

	if (rc)
		return rc;
	if (j->method.v == HC_BALANCE_METHODS)
		j->method.v = j->f->dim ? HC_BALANCE_MCW : HC_BALANCE_OPT;
	rc = check_loads(h, j) ?: balance_topology(h, j->f, j->shape.v, &t);
	if (!rc) {
		rc = with_topology(h, j, &t);
		hc_balance_topo_free(&t);
	}
	hc_faults_free(j->f);
	return rc;
}

int balance_plan(struct hcctl *h, int argc, char **argv)
{
	struct job j = {
		.method = { .words = hc_balance_names, .v = HC_BALANCE_METHODS },
		.shape = { .words = balance_shapes },
		.threshold = UINT64_MAX, .hop_cost = .1,
	};
	const struct arg own[] = {
		{ "load", arg_loads, &j.load, .required = true },
		{ "method", arg_choice, &j.method },
		{ "topology", arg_choice, &j.shape },
		{ "threshold", arg_u64, &j.threshold },
		{ "hop-cost", balance_arg_cost, &j.hop_cost },
		{}
	};
	int rc = balance_args(h, &j.a, own, argc, argv) ?: make(h, &j);

	free(j.load.v);
	cmd_fault_args_free(&j.a);
	return rc;
}
