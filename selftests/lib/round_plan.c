// SPDX-License-Identifier: GPL-2.0
/*
 * Load balancing rounds, compared with the planner's plans.
 */
#include <errno.h>
#include <stdlib.h>

#include "cube.h"
#include "round_calls.h"
#include "round_plan.h"

const struct round_method round_methods[ROUND_METHODS] = {
	{ HYPERCUBE_BALANCE_DEM, HC_BALANCE_DEM, false },
	{ HYPERCUBE_BALANCE_MCWA, HC_BALANCE_MCW, false },
	{ HYPERCUBE_BALANCE_CWA, HC_BALANCE_CWA, false },
	{ HYPERCUBE_BALANCE_RID, HC_BALANCE_RID, true },
};

/* Return: true if the method can be used in the cube of topology @t. CWA needs all nodes of the
 * cube. CWA and MCW, the methods with quotas, need a fabric that the module treats as a hypercube.
 */
static bool fits(const struct round_method *m, const struct hc_balance_topo *t)
{
	if (getenv("HC_TABLE") && (m->plan == HC_BALANCE_MCW || m->plan == HC_BALANCE_CWA))
		return false;
	return m->plan != HC_BALANCE_CWA || t->b.dims == hc_ones(t->b.dim);
}

int rounds_install(const struct task_fixture *y, struct hc_balance_topo *t)
{
	int err = hc_balance_topology(y->c.faults, HC_BALANCE_MCWA, t);

	return err || getenv("HC_TABLE") ? err :
	       balance_topology(y->c.name, &t->b, y->c.faults->fault);
}

static int fill_loads(struct task_fixture *y, uint64_t *load, unsigned int most)
{
	unsigned int u, i;
	int err = 0;

	for (u = 0; u < y->c.nodes; u++) {
		load[u] = hc_set_has(y->c.faults->dead, u) ? 0 : below(4) ? below(most) : 0;
		for (i = 0; i < load[u] && !err; i++)
			err = fixture_put(y, u, 8, 0);
	}
	return err;
}

/* Return: number of nodes that do not have as many tasks as the planner's plan @p requires. */
static unsigned int differ(struct task_fixture *y, const struct hc_balance_plan *p)
{
	unsigned int u, wrong = 0;
	struct task_view v;

	for (u = 0; u < y->c.nodes; u++) {
		task_view(y->c.name, u, &v);
		if (v.queued == p->final[u])
			continue;
		wrong++;
		printf("# node %u has %llu tasks instead of %llu\n", u,
		       (unsigned long long)v.queued, (unsigned long long)p->final[u]);
	}
	return wrong;
}

/* For each node in the planner's order, run a round that this node begins, if the node has at most
 * @threshold tasks at this time. *@v: set to the sums over all these rounds.
 */
static int run_own(struct task_fixture *y, const struct round_method *m,
		   const struct hc_balance_topo *t, uint64_t threshold, struct round_view *v)
{
	struct round_view sum = { .trigger = HYPERCUBE_TRIGGER_COMMAND, .members = t->members };
	struct task_view w;
	unsigned int u;
	int err = 0;

	for (u = 0; u < y->c.nodes && !err && !sum.status; u++) {
		err = task_view(y->c.name, u, &w);
		if (err || t->b.up[u] == HC_BALANCE_OUT || w.queued > threshold)
			continue;
		err = round_run(y->c.name, m->id, u, v);
		sum.moved += v->moved;
		sum.status = v->status;
		if (v->trigger != sum.trigger || v->node != u)
			err = -EBADMSG;
	}
	*v = sum;
	return err;
}

/* Put random numbers of tasks into the queues, balance them with a method, and compare the result
 * with the planner's plan. Return: true if they are the same.
 */
static bool as_planned(struct task_fixture *y, const struct round_method *m,
		       const struct hc_balance_topo *t)
{
	struct hc_balancer *b = hc_balancer_new(y->c.faults, t);
	struct hc_balance_plan p = { 0 };
	uint64_t load[CUBE_MAX];
	struct hc_balance_req q = { .method = m->plan, .load = load, .threshold = 5 };
	struct round_view v;
	bool right;

	y->n = 0;
	if (fill_loads(y, load, 40) || hc_balancer_plan(b, &q, &p))
		exit(EXIT_FAILURE);
	right = !(m->own ? run_own(y, m, t, q.threshold, &v) :
			   round_run(y->c.name, m->id, t->order[0], &v)) &&
		!v.status && v.moved == p.hops && v.members == t->members &&
		v.trigger == HYPERCUBE_TRIGGER_COMMAND;
	if (!right)
		printf("# method %u: status %d at %u:%u, %u members of %u, moved %llu of %llu\n",
		       m->id, v.status, v.cause_node, v.cause_dim, v.members, t->members,
		       (unsigned long long)v.moved, (unsigned long long)p.hops);
	right &= !differ(y, &p);
	right &= !fixture_wrong(y);
	if (!right)
		cube_print_faults(&y->c);
	hc_balance_plan_free(&p);
	hc_balancer_free(b);
	return right;
}

unsigned int rounds_as_planned(struct task_fixture *y)
{
	struct hc_balance_topo t;
	unsigned int i, wrong = 0;
	int err = rounds_install(y, &t);
	struct round_view v;

	/* If no two nodes are connected (-EHOSTDOWN), there is nothing to balance. */
	if (err)
		return err != -EHOSTDOWN;
	/* A node that was cut off still has the number of an old round. If it began a round, it
	 * would have to begin this round a second time, under a new number, and would report only
	 * the tasks that move in the second try. Run a round of all nodes first, so that all have
	 * the same round number.
	 */
	wrong += !!round_run(y->c.name, HYPERCUBE_BALANCE_DEM, t.order[0], &v);
	for (i = 0; i < ROUND_METHODS; i++)
		if (fits(&round_methods[i], &t))
			wrong += !as_planned(y, &round_methods[i], &t);
	hc_balance_topo_free(&t);
	return wrong;
}
