// SPDX-License-Identifier: GPL-2.0
/*
 * Broadcast by a sequence of dimensions: simulation, verifier, roles.
 *
 * The verifier simulates the plan. The links of step i, which are all along one dimension, pair the
 * nodes. So a node that gets the message in step i has no other link in this step over which it
 * could send the message on, and the table of first steps can be updated in place.
 */
#include "hc_bcast.h"

static bool informed(const __u16 *first, __u32 u)
{
	return first[u] != HC_BCAST_NEVER;
}

/* Simulate step @step on the link between @u and @v. Return: the number of nodes that get the
 * message over this link: 0 or 1.
 */
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
	__u32 nodes = b->topo.nodes, count = 1, u;
	unsigned int i;

	for (u = 0; u < nodes; u++)
		first[u] = HC_BCAST_NEVER;
	first[b->source] = 0;

	for (i = 0; i < b->steps; i++) {
		unsigned int d = b->sequence[i];

		for (u = 0; u < nodes; u++)
			if (u < hc_peer(&b->topo, u, d) && hc_link_good(&b->topo, fault, u, d))
				count += exchange(b, first, i, u, hc_peer(&b->topo, u, d));
	}
	return count;
}

static int refuse(struct hc_bcast_reason *reason, const char *why, __u32 node)
{
	if (reason) {
		reason->why = why;
		reason->node = node;
	}
	return -EINVAL;
}

static int check_shape(const struct hc_bcast *b, struct hc_bcast_reason *reason)
{
	unsigned int i;

	if (b->topo.ports < 1 || b->topo.ports > HC_PORTS_MAX)
		return refuse(reason, "dimension out of range", HC_BCAST_NO_NODE);
	if (b->steps > hc_bcast_max_steps(&b->topo))
		return refuse(reason, "more steps than there are nodes to inform",
			      HC_BCAST_NO_NODE);
	for (i = 0; i < b->steps; i++)
		if (b->sequence[i] >= b->topo.ports)
			return refuse(reason,
				      "sequence names a dimension that the network does not have",
				      HC_BCAST_NO_NODE);
	if (b->source >= b->topo.nodes)
		return refuse(reason, "source is no node of the network", b->source);
	if (!hc_set_has(b->members, b->source))
		return refuse(reason, "source is no member", b->source);
	return 0;
}

static int check_symmetric(const struct hc_bcast *b, const __u32 *fault,
			   struct hc_bcast_reason *reason)
{
	__u32 nodes = b->topo.nodes, u;
	unsigned int d;

	for (u = 0; u < nodes; u++)
		for (d = 0; d < b->topo.ports; d++)
			if ((fault[u] ^ fault[hc_peer(&b->topo, u, d)]) & hc_bit(d))
				return refuse(reason, "the ends of a link disagree about it", u);
	return 0;
}

int hc_bcast_check(const struct hc_bcast *b, const __u32 *fault, __u16 *first,
		   struct hc_bcast_reason *reason)
{
	__u32 u;

	if (check_shape(b, reason) || check_symmetric(b, fault, reason))
		return -EINVAL;

	hc_bcast_run(b, fault, first);
	for (u = 0; u < b->topo.nodes; u++)
		if (hc_set_has(b->members, u) && !informed(first, u))
			return refuse(reason, "the message does not reach a member", u);
	return 0;
}

/* Insert a send along @dim at step @step into the list of @role, which stays sorted by step. */
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

/* The neighbour v of @u along dimension d is a child of @u if and only if v has received the
 * message along d, since only @u can send to v along d. In that case v has received the message in
 * a later step than @u. The source, whose entry in @first is 0, is never a child.
 */
int hc_bcast_role(const struct hc_bcast *b, const __u16 *first, __u32 u,
		  struct hc_bcast_role *role)
{
	unsigned int d;

	if (u >= b->topo.nodes || !informed(first, u))
		return -EINVAL;

	memset(role, 0, sizeof(*role));
	role->first = first[u];
	if (role->first)
		role->from = b->sequence[role->first - 1];
	for (d = 0; d < b->topo.ports; d++) {
		__u32 v = hc_peer(&b->topo, u, d);

		if (informed(first, v) && first[v] > role->first &&
		    b->sequence[first[v] - 1] == d)
			add_send(role, first[v] - 1, d);
	}
	return 0;
}
