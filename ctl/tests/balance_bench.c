// SPDX-License-Identifier: GPL-2.0
/*
 * A network with a topology, loads, a balancer and a plan, and the check of the plan.
 */
#include <stdlib.h>
#include <string.h>

#include "balance_bench.h"

bool bench_init(struct bench *e, struct hc_faults *f)
{
	*e = (struct bench){ .f = f };
	if (hc_balance_topology(f, HC_BALANCE_MCWA, &e->t)) {
		hc_faults_free(f);
		return false;
	}
	e->b = hc_balancer_new(f, &e->t);
	if (!e->b)
		abort();
	return true;
}

void bench_end(struct bench *e)
{
	hc_balance_plan_free(&e->p);
	hc_balancer_free(e->b);
	hc_balance_topo_free(&e->t);
	hc_faults_free(e->f);
}

void bench_load(struct bench *e, const uint64_t *load)
{
	memcpy(e->load, load, e->f->topo.nodes * sizeof(*load));
}

int bench_plan(struct bench *e, enum hc_balance_method method)
{
	struct hc_balance_req q = {
		.method = method, .load = e->load, .threshold = 5, .hop_cost = .1,
	};

	return hc_balancer_plan(e->b, &q, &e->p);
}

bool plan_holds(const struct bench *e)
{
	const struct hc_balance_plan *p = &e->p;
	uint64_t hold[BENCH_NODES], begin[BENCH_NODES] = {}, hops = 0;
	uint32_t u, n = e->f->topo.nodes;
	unsigned int step = 0, port;
	size_t i;

	memcpy(hold, e->load, n * sizeof(*hold));
	for (i = 0; i < p->nmoves; i++) {
		const struct hc_balance_move *m = &p->moves[i];

		CHECK(m->step >= step && m->step && m->step <= p->move_steps);
		if (m->step > step)
			memcpy(begin, hold, sizeof(begin));
		step = m->step;
		port = hc_port_to(&e->f->topo, m->from, m->to);
		CHECK(port != HC_NO_PORT);
		CHECK(!((e->f->fault[m->from] | e->f->fault[m->to]) & hc_bit(port)));
		CHECK(m->tasks && m->tasks <= begin[m->from]);
		begin[m->from] -= m->tasks;
		hold[m->from] -= m->tasks;
		hold[m->to] += m->tasks;
		hops += m->tasks;
	}
	CHECK(hops == p->hops && p->migrations <= hops);
	for (u = 0; u < n; u++) {
		CHECK(hold[u] == p->final[u]);
		if (e->t.up[u] == HC_BALANCE_OUT)
			CHECK(hold[u] == e->load[u]);
		else
			CHECK(hold[u] >= p->least && hold[u] <= p->most);
	}
	return true;
}

bool is_even(const struct bench *e)
{
	uint32_t u;

	CHECK(e->p.most - e->p.least <= 1);
	for (u = 0; u < e->f->topo.nodes; u++)
		CHECK(e->p.quota[u] == e->p.final[u]);
	return true;
}

uint64_t moved(const struct bench *e, uint32_t from, uint32_t to, unsigned int step)
{
	size_t i;

	for (i = 0; i < e->p.nmoves; i++)
		if (e->p.moves[i].from == from && e->p.moves[i].to == to &&
		    e->p.moves[i].step == step)
			return e->p.moves[i].tasks;
	return 0;
}

bool bench_three(struct bench *e, const uint64_t *load, enum hc_balance_method method)
{
	CHECK(bench_init(e, cube_without(3, "")));
	bench_load(e, load);
	CHECK(!bench_plan(e, method));
	return plan_holds(e);
}

void random_loads(struct bench *e, unsigned int below)
{
	uint32_t u;

	for (u = 0; u < e->f->topo.nodes; u++)
		e->load[u] = hc_set_has(e->f->dead, u) ? 0 : rnd(4) ? rnd(below + 1) : 0;
}
