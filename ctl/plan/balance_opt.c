// SPDX-License-Identifier: GPL-2.0
/*
 * The optimum: a flow of the fewest hops, carried out in steps. All tasks that a node has to send
 * to a neighbour leave together, in the first step at whose beginning the node holds that many. A
 * flow of least cost has no cycles, so in each step some node already holds all tasks that it has
 * to send.
 */
#include <errno.h>
#include <stdlib.h>

#include "balance_impl.h"

/* Add the moves of node @u in this step: for each neighbour, the tasks for it leave if the node
 * holds that many. Return: true if @u still has tasks to send.
 */
static bool leave(struct hc_balancer *b, const int64_t *flow, uint32_t u, uint32_t *sent,
		  struct hc_balance_plan *p, int *err)
{
	unsigned int d, step = p->move_steps;
	uint64_t hold = b->load[u];
	bool left = false;
	int64_t n;

	for (d = 0; d < b->f->topo.ports && !*err; d++) {
		n = flow[(size_t)u * b->f->topo.ports + d];
		if (n <= 0 || sent[u] & hc_bit(d))
			continue;
		if ((uint64_t)n > hold) {
			left = true;
			continue;
		}
		hold -= n;
		sent[u] |= hc_bit(d);
		*err = hc_balance_move(p, u, hc_peer(&b->f->topo, u, d), n, step);
	}
	return left;
}

/* Divide the flow into steps, and add its moves. */
static int schedule(struct hc_balancer *b, const int64_t *flow, struct hc_balance_plan *p)
{
	uint32_t *sent = b->clock, i;
	size_t from = 0;
	int err = 0;
	bool left;

	memset(sent, 0, b->f->topo.nodes * sizeof(*sent));
	p->move_steps = 0;
	do {
		left = false;
		p->move_steps++;
		for (i = 0; i < b->t->members; i++)
			left |= leave(b, flow, b->t->order[i], sent, p, &err);
		if (from == p->nmoves)
			p->move_steps--;
		for (; from < p->nmoves; from++) {
			b->load[p->moves[from].from] -= p->moves[from].tasks;
			b->load[p->moves[from].to] += p->moves[from].tasks;
		}
	} while (left && !err);
	return err;
}

int hc_balance_opt(struct hc_balancer *b, const struct hc_balance_req *q,
		   struct hc_balance_plan *p)
{
	const int64_t *flow = hc_flow_run(b->flow, q->load, HC_FLOW_EVEN, p->quota);

	p->info_steps = 2 * b->t->b.depth + 2 * b->cwa.k;
	return schedule(b, flow, p);
}

/* --- the least score --- */

/* Return: the fewest hops after which no member has more than @most tasks. */
static uint64_t hops_to(struct hc_balancer *b, const uint64_t *load, uint64_t most)
{
	const int64_t *flow = hc_flow_run(b->flow, load, most, b->quota);
	size_t i, n = (size_t)b->f->topo.nodes * b->f->topo.ports;
	uint64_t hops = 0;

	for (i = 0; i < n; i++)
		hops += flow[i] > 0 ? flow[i] : 0;
	return hops;
}

/* Return: true if letting members keep up to @most + 1 tasks instead of @most lowers the score
 * (struct hc_balance_plan): the greatest load costs the time of one more task, but the hops that
 * this saves, divided by the number of members, cost more.
 */
static bool pays(struct hc_balancer *b, const struct hc_balance_req *q, uint64_t most)
{
	uint64_t saved = hops_to(b, q->load, most) - hops_to(b, q->load, most + 1);

	return q->hop_cost * saved > b->t->members;
}

/* Raising @most by one saves at most as many hops as the raise before it (the cost of a flow is
 * convex in the amount that it has to carry). So the least @most for which pays() is false gives
 * the optimum. Where hops are cheap it is near the mean, so the search begins there, with steps
 * that double.
 */
double hc_balancer_least(struct hc_balancer *b, const struct hc_balance_req *q)
{
	uint64_t sum = 0, most = 0, low, high, step = 1;
	uint32_t i, members = b->t->members;

	for (i = 0; i < members; i++) {
		uint64_t load = q->load[b->t->order[i]];

		sum += load;
		most = load > most ? load : most;
	}
	low = (sum + members - 1) / members;
	/* pays() is true for all values below @low. It is false for @high, or @high is the greatest
	 * load of any node.
	 */
	for (high = low; high < most && pays(b, q, high); step *= 2) {
		low = high + 1;
		high = most - high > step ? high + step : most;
	}
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (pays(b, q, middle))
			low = middle + 1;
		else
			high = middle;
	}
	return (q->hop_cost * hops_to(b, q->load, low) + (double)low * members - sum) / members;
}
