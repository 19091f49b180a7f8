// SPDX-License-Identifier: GPL-2.0
/*
 * Computing the steps that bring a fabric from one state to another, in a possible order: plans are
 * removed before a fault would break them, and installed when the faults are those for which they
 * were made; links begin to flap after all other steps.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "state.h"

static int step(struct hcctl *h, struct state_diff *d, enum state_kind kind, uint32_t i,
		uint32_t j)
{
	struct state_step *v;

	/* The array has a power of two of entries. If it is full, double it. */
	if (!(d->nsteps & (d->nsteps - 1))) {
		v = reallocarray(d->step, d->nsteps ? 2 * d->nsteps : 1, sizeof(*v));
		if (!v)
			return hc_nomem(h);
		d->step = v;
	}
	d->step[d->nsteps++] = (struct state_step){ .kind = kind, .i = i, .j = j };
	return 0;
}

/* --- nodes --- */

/* Return: true if the endpoint of node @u has to be moved to another namespace. */
static bool moves(const struct state_diff *d, uint32_t u)
{
	const struct state_node *have = &d->have->node[u], *want = &d->want->node[u];

	return have->lost || !have->netns != !want->netns ||
	       (want->netns && strcmp(have->netns, want->netns));
}

static bool has_addr(const struct state_node *v, const struct nl_addr_in *a)
{
	size_t i = 0;

	while (i < v->naddr && memcmp(&v->addr[i], a, sizeof(*a)))
		i++;
	return i < v->naddr;
}

static bool same_network(const struct nl_addr_in *a, const struct nl_addr_in *b)
{
	uint8_t rest = a->prefix % 8 ? 0xff << (8 - a->prefix % 8) : 0;
	size_t whole = a->prefix / 8;

	return a->family == b->family && a->prefix == b->prefix &&
	       !memcmp(a->bytes, b->bytes, whole) &&
	       !(rest & (a->bytes[whole] ^ b->bytes[whole]));
}

/* Return: true if the kernel may remove address @a although it is to stay: when the primary address
 * of a network is removed, the kernel also removes the secondary ones. It is not known here which
 * address is the primary one, so any other address of the network that is to be removed counts.
 */
static bool may_go_along(const struct state_node *have, const struct state_node *want,
			 const struct nl_addr_in *a)
{
	size_t i = 0;

	if (a->family != AF_INET)
		return false;
	while (i < have->naddr &&
	       (!same_network(&have->addr[i], a) || has_addr(want, &have->addr[i])))
		i++;
	return i < have->naddr;
}

/* An endpoint that moves to another namespace loses all addresses and goes down. An endpoint that
 * goes down loses its IPv6 addresses.
 */
bool state_addr_stays(const struct state_diff *d, uint32_t u, const struct nl_addr_in *a)
{
	const struct state_node *have = &d->have->node[u], *want = &d->want->node[u];

	return !moves(d, u) && has_addr(have, a) && has_addr(want, a) &&
	       !(a->family == AF_INET6 && have->up && !want->up) && !may_go_along(have, want, a);
}

/* Add the steps of the kind @kind for node @u. */
static int endpoint(struct hcctl *h, struct state_diff *d, enum state_kind kind, uint32_t u)
{
	const struct state_node *have = &d->have->node[u], *want = &d->want->node[u];
	int rc = 0;
	size_t j;

	switch (kind) {
	case STATE_NETNS:
		return moves(d, u) ? step(h, d, kind, u, 0) : 0;
	case STATE_MTU:
		return have->mtu != want->mtu ? step(h, d, kind, u, 0) : 0;
	case STATE_QUEUE:
		return have->queue != want->queue ? step(h, d, kind, u, 0) : 0;
	case STATE_ADDR_DEL:
		for (j = 0; !rc && j < have->naddr && !moves(d, u); j++)
			if (!has_addr(want, &have->addr[j]))
				rc = step(h, d, kind, u, j);
		return rc;
	case STATE_UP:
		return (have->up && !moves(d, u)) != want->up ? step(h, d, kind, u, 0) : 0;
	case STATE_ADDR:
		for (j = 0; !rc && j < want->naddr; j++)
			if (!state_addr_stays(d, u, &want->addr[j]))
				rc = step(h, d, kind, u, j);
		return rc;
	case STATE_OWNER:
		return have->owner != want->owner ? step(h, d, kind, u, 0) : 0;
	case STATE_BYZANTINE:
		return cmd_byzantine_same(&have->byzantine, &want->byzantine) ? 0 :
		       step(h, d, kind, u, 0);
	case STATE_FAILED:
		return have->failed != want->failed ? step(h, d, kind, u, 0) : 0;
	default:
		return 0;
	}
}

static int nodes(struct hcctl *h, struct state_diff *d, enum state_kind kind)
{
	int rc = 0;
	uint32_t u;

	for (u = 0; !rc && u < d->want->topo.nodes; u++)
		rc = endpoint(h, d, kind, u);
	return rc;
}

/* --- links --- */

static bool flaps_alike(const struct state_end *a, const struct state_end *b)
{
	return a->flap_period == b->flap_period && a->flap_down == b->flap_down;
}

/* Add the steps that change the impairments of a link: one step for both ends if both change and
 * become the same, otherwise a step for each end that changes.
 */
static int impair(struct hcctl *h, struct state_diff *d, uint32_t u, uint32_t dim)
{
	const struct state_end *have[2], *want[2];
	uint32_t ends[2] = { u, hc_peer(&d->want->topo, u, dim) }, i;
	bool differs[2];
	int rc = 0;

	for (i = 0; i < 2; i++) {
		have[i] = state_end(d->have, ends[i], dim);
		want[i] = state_end(d->want, ends[i], dim);
		differs[i] = !state_end_same(want[i], have[i]);
	}
	if (differs[0] && differs[1] && state_end_same(want[0], want[1]) &&
	    state_end_same(want[1], want[0]))
		return step(h, d, STATE_IMPAIR_BOTH, ends[0], dim);
	for (i = 0; !rc && i < 2; i++)
		if (differs[i])
			rc = step(h, d, STATE_IMPAIR, ends[i], dim);
	return rc;
}

/* Add the steps of the kind @kind for link (@u, @dim). */
static int link_step(struct hcctl *h, struct state_diff *d, enum state_kind kind, uint32_t u,
		     uint32_t dim)
{
	const struct state_end *have = state_end(d->have, u, dim);
	const struct state_end *want = state_end(d->want, u, dim);
	bool flaps = flaps_alike(have, want);

	if (kind == STATE_IMPAIR)
		return impair(h, d, u, dim);
	if ((kind == STATE_STEADY && have->flap_period && !flaps) ||
	    (kind == STATE_LINK && have->down != want->down) ||
	    (kind == STATE_FLAP && want->flap_period && !flaps))
		return step(h, d, kind, u, dim);
	return 0;
}

static int links(struct hcctl *h, struct state_diff *d, enum state_kind kind)
{
	uint32_t u, dim;
	int rc = 0;

	for (u = 0; !rc && u < d->want->topo.nodes; u++)
		for (dim = 0; !rc && dim < d->want->topo.ports; dim++)
			if (state_names(d->want, u, dim))
				rc = link_step(h, d, kind, u, dim);
	return rc;
}

/* --- plans --- */

static const struct nl_plan *plan_of(const struct state *s, uint32_t id)
{
	size_t i = 0;

	while (i < s->nplans && s->plan[i].id != id)
		i++;
	return i < s->nplans ? &s->plan[i] : NULL;
}

static int plans(struct hcctl *h, struct state_diff *d, enum state_kind kind)
{
	const struct state *s = kind == STATE_PLAN ? d->want : d->have;
	const struct nl_plan *other;
	int rc = 0;
	size_t i;

	for (i = 0; !rc && i < s->nplans; i++) {
		other = plan_of(kind == STATE_PLAN ? d->have : d->want, s->plan[i].id);
		if (kind == STATE_PLAN_DEL ? !other :
		    !other || other->broken || !planner_same(&s->plan[i], other))
			rc = step(h, d, kind, i, 0);
	}
	return rc;
}

/* --- all of it --- */

static int one_kind(struct hcctl *h, struct state_diff *d, enum state_kind kind)
{
	switch (kind) {
	case STATE_FABRIC:
		return *d->have->name ? 0 : step(h, d, kind, 0, 0);
	case STATE_STALL_TIMEOUT:
		return d->have->stall_timeout == d->want->stall_timeout ? 0 :
		       step(h, d, kind, 0, 0);
	case STATE_PLAN_DEL:
	case STATE_PLAN:
		return plans(h, d, kind);
	case STATE_STEADY:
	case STATE_LINK:
	case STATE_IMPAIR:
	case STATE_FLAP:
		return links(h, d, kind);
	default:
		return nodes(h, d, kind);
	}
}

static bool is_fault(enum state_kind kind)
{
	return kind == STATE_STEADY || kind == STATE_LINK || kind == STATE_FAILED;
}

static bool is_wanted(const struct state_diff *d, enum state_kind kind)
{
	if (d->faults)
		return is_fault(kind);
	return !d->keep_plans || (kind != STATE_PLAN_DEL && kind != STATE_PLAN);
}

int state_diff(struct hcctl *h, struct state_diff *d)
{
	unsigned int kind;
	int rc = 0;

	for (kind = 0; !rc && kind < STATE_KINDS; kind++)
		if (is_wanted(d, kind))
			rc = one_kind(h, d, kind);
	return rc;
}
