// SPDX-License-Identifier: GPL-2.0
/*
 * The optimal flow in steps: tasks for a neighbour leave together, as soon as so many are
 * there.  A flow of least cost has no cycles, so somebody always has all that is to come.
 */
#include <errno.h>
#include <stdlib.h>

#include "balance_impl.h"

/* All that can leave a node in a step; returns whether anything is left. */
static bool leave(struct hc_balancer *b, const int64_t *flow, uint32_t u, uint32_t *sent,
		  struct hc_balance_plan *p, int *err)
{
	unsigned int d, step = p->move_steps;
	uint64_t hold = b->load[u];
	bool left = false;
	int64_t n;

	for (d = 0; d < b->f->dim && !*err; d++) {
		n = flow[(size_t)u * b->f->dim + d];
		if (n <= 0 || sent[u] & hc_bit(d))
			continue;
		if ((uint64_t)n > hold) {
			left = true;
			continue;
		}
		hold -= n;
		sent[u] |= hc_bit(d);
		*err = hc_balance_move(p, u, hc_neigh(u, d), n, step);
	}
	return left;
}

static int schedule(struct hc_balancer *b, const int64_t *flow, struct hc_balance_plan *p)
{
	uint32_t *sent = b->clock, i;
	size_t from = 0;
	int err = 0;
	bool left;

	memset(sent, 0, hc_nodes(b->f->dim) * sizeof(*sent));
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
	const int64_t *flow = hc_flow_run(b->flow, q->load, p->quota);

	p->info_steps = 2 * b->t->b.depth + 2 * b->cwa.k;
	return schedule(b, flow, p);
}
