// SPDX-License-Identifier: GPL-2.0
/*
 * The methods in which a node uses the loads of its neighbours only: receiver initiated diffusion
 * (RID) and the dimension exchange method (DEM).
 */
#include "balance_impl.h"
#include "hc_quota.h"

/* --- RID --- */

/* Add the moves of node @u, which asks its neighbours for tasks. They take place in the first step
 * after all earlier moves of @u and of the neighbours that send it tasks.
 */
static int ask(struct hc_balancer *b, struct hc_balance_plan *p, uint32_t u)
{
	__u64 load[HC_PORTS_MAX] = {}, n[HC_PORTS_MAX] = {};
	const struct hc_topo *topo = &b->f->topo;
	unsigned int d, step = b->clock[u];
	int err = 0;

	for (d = 0; d < topo->ports; d++)
		load[d] = b->load[hc_peer(topo, u, d)];
	hc_rid_wishes(b->load[u], b->link[u], load, n);
	for (d = 0; d < topo->ports; d++)
		if (n[d] && b->clock[hc_peer(topo, u, d)] > step)
			step = b->clock[hc_peer(topo, u, d)];
	for (d = 0, step++; !err && d < topo->ports; d++) {
		uint32_t v = hc_peer(topo, u, d);

		if (!n[d])
			continue;
		err = hc_balance_move(p, v, u, n[d], step);
		b->load[v] -= n[d];
		b->load[u] += n[d];
		b->clock[v] = step;
		b->clock[u] = step;
		if (step > p->move_steps)
			p->move_steps = step;
	}
	return err;
}

/* Sort the moves by ascending step. */
static void by_step(struct hc_balance_plan *p)
{
	size_t i, j;

	/* Insertion sort by step: the moves are nearly sorted, and the sort has to be stable. */
	for (i = 1; i < p->nmoves; i++) {
		struct hc_balance_move m = p->moves[i];

		for (j = i; j && p->moves[j - 1].step > m.step; j--)
			p->moves[j] = p->moves[j - 1];
		p->moves[j] = m;
	}
}

int hc_balance_rid(struct hc_balancer *b, const struct hc_balance_req *q,
		   struct hc_balance_plan *p)
{
	uint32_t u, n = b->f->topo.nodes;
	int err = 0;

	memset(b->clock, 0, n * sizeof(*b->clock));
	hc_balance_count(b, HC_BALANCE_RID, p);
	p->move_steps = 0;
	for (u = 0; !err && u < n; u++)
		if (b->t->up[u] != HC_BALANCE_OUT && b->load[u] <= q->threshold)
			err = ask(b, p, u);
	by_step(p);
	return err;
}

/* --- DEM --- */

/* Add the move that evens out the loads of the two ends of link (@u, @d). */
static int exchange(struct hc_balancer *b, struct hc_balance_plan *p, uint32_t u, unsigned int d)
{
	uint32_t v = hc_peer(&b->f->topo, u, d), from = b->load[u] > b->load[v] ? u : v;
	uint32_t to = from ^ u ^ v;
	uint64_t n = (b->load[from] - b->load[to]) / 2;

	b->load[from] -= n;
	b->load[to] += n;
	return hc_balance_move(p, from, to, n, d + 1);
}

int hc_balance_dem(struct hc_balancer *b, const struct hc_balance_req *q __attribute__((unused)),
		   struct hc_balance_plan *p)
{
	unsigned int d;
	int err = 0;
	uint32_t u;

	for (d = 0; d < b->f->topo.ports; d++)
		for (u = 0; !err && u < b->f->topo.nodes; u++)
			if (b->link[u] & hc_bit(d) && u < hc_peer(&b->f->topo, u, d))
				err = exchange(b, p, u, d);
	hc_balance_count(b, HC_BALANCE_DEM, p);
	return err;
}
