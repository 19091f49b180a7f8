// SPDX-License-Identifier: GPL-2.0
/*
 * What the plans of all methods have in common: memory, adding moves, computing the results from
 * the moves, and the choice of a method for HC_BALANCE_AUTO.
 */
#include <errno.h>
#include <stdlib.h>

#include "balance_impl.h"
#include "memory.h"

const char * const hc_balance_names[HC_BALANCE_METHODS + 1] = {
	[HC_BALANCE_RID] = "rid", [HC_BALANCE_DEM] = "dem", [HC_BALANCE_CWA] = "cwa",
	[HC_BALANCE_MCW] = "mcwa", [HC_BALANCE_OPT] = "optimal", [HC_BALANCE_AUTO] = "auto",
};

/* Fill in @b->link. */
static void find_links(struct hc_balancer *b)
{
	const struct hc_balance_topo *t = b->t;
	unsigned int d;
	uint32_t u, v;

	for (u = 0; u < b->f->topo.nodes; u++)
		for (d = 0; d < b->f->topo.ports; d++) {
			v = hc_peer(&b->f->topo, u, d);
			if (t->up[u] != HC_BALANCE_OUT && t->up[v] != HC_BALANCE_OUT &&
			    hc_link_good(&b->f->topo, b->f->fault, u, d))
				b->link[u] |= hc_bit(d);
		}
}

struct hc_balancer *hc_balancer_new(const struct hc_faults *f, const struct hc_balance_topo *t)
{
	uint32_t n = f->topo.nodes, places;
	struct hc_balancer *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->f = f;
	b->t = t;
	b->cwa.k = hc_weight32(t->b.dims);
	places = 2 * hc_nodes(b->cwa.k);
	b->load = calloc(2 * n + 3 * places, sizeof(*b->load));
	b->link = calloc(n, sizeof(*b->link));
	b->clock = calloc(n, sizeof(*b->clock));
	if (b->load && b->link && b->clock) {
		b->quota = b->load + n;
		b->cwa.load = b->quota + n;
		b->cwa.quota = b->cwa.load + places;
		b->cwa.theta = b->cwa.quota + places;
		find_links(b);
		b->flow = hc_flow_new(b);
	}
	if (b->flow)
		return b;
	hc_balancer_free(b);
	return NULL;
}

void hc_balancer_free(struct hc_balancer *b)
{
	if (!b)
		return;
	hc_flow_free(b->flow);
	hc_balance_plan_free(&b->other);
	hc_free_all(b->load, b->link, b->clock, b);
}

void hc_balance_plan_free(struct hc_balance_plan *p)
{
	hc_free_all(p->quota, p->final, p->moves);
	*p = (struct hc_balance_plan){};
}

int hc_balance_move(struct hc_balance_plan *p, uint32_t from, uint32_t to, uint64_t tasks,
		    unsigned int step)
{
	struct hc_balance_move *v;

	if (!tasks)
		return 0;
	v = hc_grow(p->moves, p->nmoves, &p->room, sizeof(*v), 64);
	if (!v)
		return -ENOMEM;
	p->moves = v;
	p->moves[p->nmoves++] = (struct hc_balance_move){ from, to, tasks, step };
	return 0;
}

/* Set up @p for the loads of @q: no moves, each node keeps its tasks. */
static int reset(struct hc_balancer *b, const struct hc_balance_req *q, struct hc_balance_plan *p)
{
	size_t n = b->f->topo.nodes;

	if (!p->quota)
		p->quota = malloc(n * sizeof(*p->quota));
	if (!p->final)
		p->final = malloc(n * sizeof(*p->final));
	if (!p->quota || !p->final)
		return -ENOMEM;
	memcpy(p->quota, q->load, n * sizeof(*q->load));
	memcpy(p->final, q->load, n * sizeof(*q->load));
	memcpy(b->load, q->load, n * sizeof(*q->load));
	p->method = q->method;
	p->nmoves = 0;
	return 0;
}

/* Return: the sum of the loads of all members. */
static uint64_t total(const struct hc_balancer *b, const uint64_t *load)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < b->t->members; i++)
		sum += load[b->t->order[i]];
	return sum;
}

/* Compute the even share of each member, for methods without quotas: lower nodes get one task more
 * if the division leaves a remainder.
 */
static void even_share(const struct hc_balancer *b, uint64_t *quota)
{
	uint64_t sum = total(b, b->load), each = sum / b->t->members, more = sum % b->t->members;
	uint32_t u;

	for (u = 0; u < b->f->topo.nodes; u++) {
		if (b->t->up[u] == HC_BALANCE_OUT)
			continue;
		quota[u] = each + !!more;
		more -= !!more;
	}
}

/* Compute all results of the plan that follow from its moves. */
static void conclude(const struct hc_balancer *b, const struct hc_balance_req *q,
		     struct hc_balance_plan *p)
{
	uint64_t sum = total(b, q->load), v;
	uint32_t i;
	size_t m;

	p->hops = 0;
	for (m = 0; m < p->nmoves; m++) {
		p->final[p->moves[m].from] -= p->moves[m].tasks;
		p->final[p->moves[m].to] += p->moves[m].tasks;
		p->hops += p->moves[m].tasks;
	}
	p->migrations = 0;
	p->least = UINT64_MAX;
	p->most = 0;
	for (i = 0; i < b->t->members; i++) {
		v = p->final[b->t->order[i]];
		if (q->load[b->t->order[i]] > v)
			p->migrations += q->load[b->t->order[i]] - v;
		p->least = v < p->least ? v : p->least;
		p->most = v > p->most ? v : p->most;
	}
	p->score = (q->hop_cost * p->hops + (double)p->most * b->t->members - sum) / b->t->members;
}

/* Make the plan of @q, whose method is not HC_BALANCE_AUTO. */
static int plan_one(struct hc_balancer *b, const struct hc_balance_req *q,
		    struct hc_balance_plan *p)
{
	int err = reset(b, q, p);

	if (err)
		return err;
	switch (q->method) {
	case HC_BALANCE_RID:
		even_share(b, p->quota);
		err = hc_balance_rid(b, q, p);
		break;
	case HC_BALANCE_DEM:
		even_share(b, p->quota);
		err = hc_balance_dem(b, q, p);
		break;
	case HC_BALANCE_CWA:
	case HC_BALANCE_MCW:
		err = hc_balance_mcwa(b, q, p);
		break;
	default:
		err = hc_balance_opt(b, q, p);
	}
	if (!err)
		conclude(b, q, p);
	return err;
}

bool hc_balance_possible(const struct hc_faults *f, enum hc_balance_method method)
{
	return f->dim || (method != HC_BALANCE_CWA && method != HC_BALANCE_MCW);
}

struct hc_balance_steps hc_balance_steps(enum hc_balance_method method, unsigned int ports,
					 unsigned int depth, unsigned int k)
{
	switch (method) {
	case HC_BALANCE_RID:
		return (struct hc_balance_steps){ 2, 1 };
	case HC_BALANCE_DEM:
		return (struct hc_balance_steps){ 2 * ports, ports };
	default:
		return (struct hc_balance_steps){ 2 * depth + 2 * k, 2 * depth + k };
	}
}

void hc_balance_count(const struct hc_balancer *b, enum hc_balance_method method,
		      struct hc_balance_plan *p)
{
	const struct hc_balance_steps s =
		hc_balance_steps(method, b->f->topo.ports, b->t->b.depth, b->cwa.k);

	p->info_steps = s.info;
	p->move_steps = s.move;
}

/* Return: the number of steps in which nodes send each other loads for HC_BALANCE_AUTO: before a
 * method can be chosen, the loads of all members must be known.
 */
static unsigned int auto_info_steps(const struct hc_balancer *b)
{
	return 2 * b->t->b.depth + 2 * b->cwa.k;
}

/* Make a plan by each of several methods, and leave the one with the least score in @p. */
static int plan_auto(struct hc_balancer *b, const struct hc_balance_req *q,
		     struct hc_balance_plan *p)
{
	static const enum hc_balance_method methods[] = {
		HC_BALANCE_RID, HC_BALANCE_DEM, HC_BALANCE_MCW,
	};
	struct hc_balance_req one = *q;
	struct hc_balance_plan swap;
	size_t i;
	int err;

	one.method = HC_BALANCE_OPT;
	err = plan_one(b, &one, p);
	for (i = 0; !err && i < sizeof(methods) / sizeof(*methods); i++) {
		one.method = methods[i];
		if (!hc_balance_possible(b->f, one.method))
			continue;
		err = plan_one(b, &one, &b->other);
		if (err || b->other.score >= p->score)
			continue;
		swap = *p;
		*p = b->other;
		b->other = swap;
	}
	p->info_steps = auto_info_steps(b);
	return err;
}

int hc_balancer_plan(struct hc_balancer *b, const struct hc_balance_req *q,
		     struct hc_balance_plan *p)
{
	if (!hc_balance_possible(b->f, q->method))
		return -EOPNOTSUPP;
	if (q->method == HC_BALANCE_CWA && b->t->b.dims != hc_ones(b->f->dim))
		return -EINVAL;
	return q->method == HC_BALANCE_AUTO ? plan_auto(b, q, p) : plan_one(b, q, p);
}
