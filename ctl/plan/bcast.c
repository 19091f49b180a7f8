// SPDX-License-Identifier: GPL-2.0
/*
 * hc_plan_bcast(): calling the method that finds the sequence, and computing the properties of the
 * plan.
 */
#include <errno.h>
#include <stdlib.h>

#include "bcast_impl.h"
#include "memory.h"

static int check_source(const struct hc_faults *f, uint32_t source, const char **why)
{
	if (source >= f->topo.nodes) {
		*why = f->dim ? "it is no node of the cube" : "there is no such node";
		return -ERANGE;
	}
	if (hc_set_has(f->dead, source)) {
		*why = "it has failed";
		return -ENOLINK;
	}
	return 0;
}

static int plan_alloc(struct hc_bcast_plan *p, const struct hc_topo *topo, unsigned int steps)
{
	size_t words = hc_topo_words(topo);

	memset(p, 0, sizeof(*p));
	p->first = malloc(topo->nodes * sizeof(*p->first));
	p->members = calloc(words, sizeof(*p->members));
	p->pseudo = calloc(words, sizeof(*p->pseudo));
	p->unreachable = calloc(words, sizeof(*p->unreachable));
	p->missed = calloc(words, sizeof(*p->missed));
	p->sequence = malloc(steps + 1);
	p->extra = malloc(steps + 1);
	if (p->first && p->members && p->pseudo && p->unreachable && p->missed &&
	    p->sequence && p->extra)
		return 0;
	hc_bcast_plan_free(p);
	return -ENOMEM;
}

void hc_bcast_plan_free(struct hc_bcast_plan *p)
{
	hc_free_all(p->first, p->members, p->pseudo, p->unreachable, p->missed, p->sequence,
		    p->extra);
	memset(p, 0, sizeof(*p));
}

/* Sort the steps of the sequence into @p->internal (dimensions that fill a fault-free subcube),
 * @p->external (the first use of any other dimension) and @p->extra (all later uses).
 */
static void sort_dimensions(struct hc_bcast_plan *p, const struct hc_bscene *s)
{
	uint32_t used = 0, bit;
	bool internal = true;
	unsigned int i;

	for (i = 0; i < p->bcast.steps; i++) {
		bit = hc_bit(p->sequence[i]);
		if (used & bit) {
			internal = false;
			p->extra[p->nextra++] = p->sequence[i];
			continue;
		}
		used |= bit;
		internal = internal && !hc_bcast_faults(s, s->source, used);
		if (internal) {
			p->subcube |= bit;
			p->internal[p->ninternal++] = p->sequence[i];
		} else {
			p->external[p->nexternal++] = p->sequence[i];
		}
	}
}

/* Fill in the sets of nodes of the plan, and their sizes. */
static void sort_nodes(struct hc_bcast_plan *p, const struct hc_bscene *s)
{
	uint32_t u;

	for (u = 0; u < hc_nodes(s->n); u++) {
		if (!hc_bset_has(s->members, u)) {
			if (hc_set_has(s->f->dead, u))
				continue;
			hc_set_add(p->unreachable, u);
			p->nunreachable++;
			continue;
		}
		hc_set_add(p->members, u);
	}
	p->covered = hc_bcast_run(&p->bcast, s->f->fault, p->first);
	for (u = 0; u < hc_nodes(s->n); u++) {
		if (!hc_bset_has(s->members, u))
			continue;
		if (p->first[u] == HC_BCAST_NEVER)
			hc_set_add(p->missed, u);
		if (p->first[u] > s->n) {
			hc_set_add(p->pseudo, u);
			p->npseudo++;
		}
	}
}

int hc_bcast_describe(const struct hc_bscene *s, const uint8_t *sequence, unsigned int steps,
		      struct hc_bcast_plan *p)
{
	int err = plan_alloc(p, &s->f->topo, steps);

	if (err)
		return err;
	memcpy(p->sequence, sequence, steps);
	p->bcast.topo = s->f->topo;
	p->bcast.steps = steps;
	p->bcast.source = s->source;
	p->bcast.sequence = p->sequence;
	p->bcast.members = p->members;
	p->faults = s->nfaults;
	p->reachable = s->nmembers;
	sort_dimensions(p, s);
	sort_nodes(p, s);
	err = hc_bcast_bound(s, &p->lower_bound);
	if (err)
		hc_bcast_plan_free(p);
	return err;
}

int hc_plan_bcast_fixed(const struct hc_faults *f, uint32_t source, const uint8_t *sequence,
			unsigned int steps, struct hc_bcast_plan *p, const char **why)
{
	struct hc_bscene s;
	unsigned int i;
	int err;

	memset(p, 0, sizeof(*p));
	err = check_source(f, source, why);
	if (err)
		return err;
	*why = "the sequence is too long, or names a dimension that the cube does not have";
	if (steps > hc_bcast_max_steps(&f->topo))
		return -ERANGE;
	for (i = 0; i < steps; i++)
		if (sequence[i] >= f->dim)
			return -ERANGE;
	*why = "out of memory";
	err = hc_bscene_init(&s, f, source);
	if (!err)
		err = hc_bcast_describe(&s, sequence, steps, p);
	hc_bscene_free(&s);
	return err;
}

/* Make the sequence by the method of @req. *bound: set to the bound that the minimal method proves.
 */
static int make_sequence(struct hc_bseq *q, const struct hc_bcast_req *req, unsigned int *bound)
{
	struct hc_bcube all = {
		.node = q->s->source, .dims = hc_ones(q->s->n), .greedy = req->greedy,
	};
	int err;

	if (req->method == HC_BCAST_BROADCAST1) {
		q->literal = true;
		return hc_bcast_broadcast1(q, &all);
	}
	err = hc_bcast_general(q, req->greedy);
	if (!err && req->method == HC_BCAST_MINIMAL)
		err = hc_bcast_bound(q->s, bound) ?: hc_bcast_minimal(q, bound);
	return err;
}

/* --- other networks --- */

/* Compute a lower bound of the steps of any sequence, from the distance of the farthest member and
 * from the number of members. @queue and @hops: memory for all nodes.
 */
static unsigned int ports_bound(const struct hc_faults *f, const struct hc_bcast_plan *p,
				uint32_t *queue, uint16_t *hops)
{
	uint32_t head, tail = 0, u, v;
	unsigned int d, doubling = 0;

	memset(hops, 0, f->topo.nodes * sizeof(*hops));
	queue[tail++] = p->bcast.source;
	for (head = 0; head < tail; head++) {
		u = queue[head];
		for (d = 0; d < f->topo.ports; d++) {
			v = hc_peer(&f->topo, u, d);
			if (!hc_link_good(&f->topo, f->fault, u, d) || hops[v] ||
			    v == p->bcast.source)
				continue;
			hops[v] = hops[u] + 1;
			queue[tail++] = v;
		}
	}
	while (hc_nodes(doubling) < tail)
		doubling++;
	return hops[queue[tail - 1]] > doubling ? hops[queue[tail - 1]] : doubling;
}

/* Find the sequence, and fill in the plan. @queue: memory for all nodes. */
static int ports_describe(const struct hc_faults *f, struct hc_bcast_plan *p, uint32_t *queue)
{
	uint32_t u;
	int err;

	p->lower_bound = ports_bound(f, p, queue, p->first);
	err = hc_bcast_ports(f, p->bcast.source, p, p->sequence, &p->bcast.steps);
	if (err)
		return err;
	p->covered = hc_bcast_run(&p->bcast, f->fault, p->first);
	for (u = 0; u < f->topo.nodes; u++)
		if (!hc_set_has(p->members, u) && !hc_set_has(f->dead, u)) {
			hc_set_add(p->unreachable, u);
			p->nunreachable++;
		}
	return 0;
}

/* Make the plan for a network that is no hypercube. The fields of the plan that are about subcubes
 * stay 0.
 */
static int plan_ports(const struct hc_faults *f, const struct hc_bcast_req *req,
		      struct hc_bcast_plan *p, const char **why)
{
	uint32_t *queue;
	int err;

	if (req->method == HC_BCAST_BROADCAST1) {
		*why = "broadcast1 needs a hypercube";
		return -EOPNOTSUPP;
	}
	*why = "out of memory";
	err = plan_alloc(p, &f->topo, f->topo.nodes);
	if (err)
		return err;
	p->bcast = (struct hc_bcast){
		.topo = f->topo, .source = req->source, .sequence = p->sequence,
		.members = p->members,
	};
	queue = calloc(f->topo.nodes, sizeof(*queue));
	p->reachable = queue ? hc_set_reach(p->members, &f->topo, f->fault, req->source, queue) : 0;
	err = queue ? ports_describe(f, p, queue) : -ENOMEM;
	free(queue);
	if (err)
		hc_bcast_plan_free(p);
	return err;
}

int hc_plan_bcast(const struct hc_faults *f, const struct hc_bcast_req *req,
		  struct hc_bcast_plan *p, const char **why)
{
	unsigned int bound = 0;
	struct hc_bscene s;
	struct hc_bseq q;
	int err;

	memset(p, 0, sizeof(*p));
	err = check_source(f, req->source, why);
	if (err)
		return err;
	if (f->fault[req->source] == hc_ports(&f->topo, req->source)) {
		*why = "it is isolated";
		return -ENOLINK;
	}
	if (!f->dim)
		return plan_ports(f, req, p, why);
	*why = "out of memory";
	memset(&q, 0, sizeof(q));
	err = hc_bscene_init(&s, f, req->source);
	if (!err)
		err = hc_bseq_init(&q, &s);
	if (!err)
		err = make_sequence(&q, req, &bound);
	if (!err)
		err = hc_bcast_describe(&s, q.seq, q.steps, p);
	if (!err && bound > p->lower_bound)
		p->lower_bound = bound;
	hc_bseq_free(&q);
	hc_bscene_free(&s);
	return err;
}
