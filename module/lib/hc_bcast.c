// SPDX-License-Identifier: GPL-2.0
/*
 * Broadcast by a sequence of dimensions: simulation, verifier, roles.
 *
 * The verifier is the simulation.  At step i the links along one dimension pair
 * the nodes, so what a node learns at that step cannot go any further at it,
 * and the table of first steps can be brought up to date in place.
 */
#include "hc_bcast.h"

static bool informed(const __u16 *first, __u32 u)
{
	return first[u] != HC_BCAST_NEVER;
}

/* Step @step along the link between u and v; returns the number of nodes informed. */
static __u32 exchange(const struct hc_bcast *b, __u16 *first, unsigned int step,
		      __u32 u, __u32 v)
{
	__u32 to;

	if (informed(first, u) == informed(first, v))
		return 0;
	to = informed(first, u) ? v : u;
	if (!hc_set_has(b->members, to))
		return 0;
	first[to] = step + 1;
	return 1;
}

__u32 hc_bcast_run(const struct hc_bcast *b, const __u32 *fault, __u16 *first)
{
	__u32 nodes = hc_nodes(b->dim), count = 1, u;
	unsigned int i;

	for (u = 0; u < nodes; u++)
		first[u] = HC_BCAST_NEVER;
	first[b->source] = 0;

	for (i = 0; i < b->steps; i++) {
		__u32 bit = hc_bit(b->sequence[i]);

		for (u = 0; u < nodes; u++)
			if (!(u & bit) && !((fault[u] | fault[u ^ bit]) & bit))
				count += exchange(b, first, i, u, u ^ bit);
	}
	return count;
}

static int refuse(struct hc_bcast_flaw *flaw, const char *why, __u32 node)
{
	if (flaw) {
		flaw->why = why;
		flaw->node = node;
	}
	return -EINVAL;
}

static int check_shape(const struct hc_bcast *b, struct hc_bcast_flaw *flaw)
{
	unsigned int i;

	if (b->dim < 1 || b->dim > HC_LIB_DIM_MAX)
		return refuse(flaw, "dimension out of range", HC_BCAST_NO_NODE);
	if (b->steps > hc_bcast_max_steps(b->dim))
		return refuse(flaw, "more steps than there are nodes to inform",
			      HC_BCAST_NO_NODE);
	for (i = 0; i < b->steps; i++)
		if (b->sequence[i] >= b->dim)
			return refuse(flaw, "sequence names a dimension that the cube does not have",
				      HC_BCAST_NO_NODE);
	if (b->source >= hc_nodes(b->dim))
		return refuse(flaw, "source is no node of the cube", b->source);
	if (!hc_set_has(b->members, b->source))
		return refuse(flaw, "source is no member", b->source);
	return 0;
}

static int check_symmetric(const struct hc_bcast *b, const __u32 *fault,
			   struct hc_bcast_flaw *flaw)
{
	__u32 nodes = hc_nodes(b->dim), u;
	unsigned int d;

	for (u = 0; u < nodes; u++)
		for (d = 0; d < b->dim; d++)
			if ((fault[u] ^ fault[hc_neigh(u, d)]) & hc_bit(d))
				return refuse(flaw, "the ends of a link disagree about it", u);
	return 0;
}

int hc_bcast_check(const struct hc_bcast *b, const __u32 *fault, __u16 *first,
		   struct hc_bcast_flaw *flaw)
{
	__u32 u;

	if (check_shape(b, flaw) || check_symmetric(b, fault, flaw))
		return -EINVAL;

	hc_bcast_run(b, fault, first);
	for (u = 0; u < hc_nodes(b->dim); u++)
		if (hc_set_has(b->members, u) && !informed(first, u))
			return refuse(flaw, "the message does not reach a member", u);
	return 0;
}

/* Insert a send so that the list stays sorted by step. */
static void add_send(struct hc_bcast_role *role, unsigned int step, unsigned int dim)
{
	unsigned int at = role->nto++;

	while (at && role->to[at - 1].step > step) {
		role->to[at] = role->to[at - 1];
		at--;
	}
	role->to[at].step = step;
	role->to[at].dim = dim;
}

/*
 * A neighbour v across dimension d hangs on u iff v got the message along d.
 * Two neighbours cannot have got it along d from each other, but u may have
 * got it along d itself: then v had it before.
 */
int hc_bcast_role(const struct hc_bcast *b, const __u16 *first, __u32 u,
		  struct hc_bcast_role *role)
{
	unsigned int d;

	if (u >= hc_nodes(b->dim) || !informed(first, u))
		return -EINVAL;

	memset(role, 0, sizeof(*role));
	role->first = first[u];
	if (role->first)
		role->from = b->sequence[role->first - 1];
	for (d = 0; d < b->dim; d++) {
		__u32 v = hc_neigh(u, d);

		if (informed(first, v) && first[v] > role->first &&
		    b->sequence[first[v] - 1] == d)
			add_send(role, first[v] - 1, d);
	}
	return 0;
}
