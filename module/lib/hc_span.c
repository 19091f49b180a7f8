// SPDX-License-Identifier: GPL-2.0
/*
 * Spanning trees: verifier, schedule, roles.
 *
 * The verifier removes members from the tree, the leaves first. When all children of a member have
 * been removed, the verifier computes the step after which this member has all data of its subtree,
 * and removes the member, too. Members that cannot be removed form cycles. If all members are
 * removed, there is no cycle, so each path upwards ends at a member without a parent, which can
 * only be the root: so the root receives the data of every member exactly once, and no member waits
 * for ever.
 */
#include "hc_span.h"

/* Set @ports to the ports of @u that lead to its children, in ascending order of the children's
 * steps in @up. Return: the number of children.
 */
static unsigned int children_sorted(const struct hc_span *s, const __u16 *up, __u32 u,
				    __u8 ports[HC_PORTS_MAX])
{
	unsigned int d, at, n = 0;

	for (d = 0; d < s->topo.ports; d++) {
		if (!hc_span_child(s, u, d))
			continue;
		for (at = n++; at; at--) {
			if (up[hc_peer(&s->topo, u, ports[at - 1])] <= up[hc_peer(&s->topo, u, d)])
				break;
			ports[at] = ports[at - 1];
		}
		ports[at] = d;
	}
	return n;
}

/* On entry @up has for each child of @u the step after which the child has all its data. Replace
 * this by the step in which @u receives the data of the child. Return: the step after which @u has
 * all data.
 */
static __u32 children_schedule(const struct hc_span *s, __u16 *up, __u32 u)
{
	__u8 ports[HC_PORTS_MAX];
	unsigned int i, n = children_sorted(s, up, u, ports);
	__u32 step = 0;

	for (i = 0; i < n; i++) {
		__u32 child = hc_peer(&s->topo, u, ports[i]);

		step = (up[child] > step ? up[child] : step) + 1;
		up[child] = step;
	}
	return step;
}

static int check_root(const struct hc_span *s, struct hc_reason *reason)
{
	if (s->n != s->topo.nodes)
		return hc_refuse(reason, "there is not one port for each node",
				 HC_REASON_NONE, HC_REASON_NONE);
	if (s->root >= s->topo.nodes)
		return hc_refuse(reason, "the root is no node", s->root, HC_REASON_NONE);
	if (s->parent[s->root] != HC_NO_PORT)
		return hc_refuse(reason, "the root has a parent", s->root, HC_REASON_NONE);
	return 0;
}

static int check_parent(const struct hc_span *s, const __u32 *fault, __u32 u,
			struct hc_reason *reason)
{
	unsigned int d = s->parent[u];

	if (d == HC_NO_PORT)
		return 0;
	if (d >= s->topo.ports || !hc_port_exists(&s->topo, u, d))
		return hc_refuse(reason, "there is no such port", u, d);
	if (!hc_link_good(&s->topo, fault, u, d))
		return hc_refuse(reason, "the link to the parent is faulty", u, d);
	if (!hc_span_has(s, hc_span_parent(s, u)))
		return hc_refuse(reason, "the parent is no member", u, d);
	return 0;
}

/* Set @left to the number of children of each node, *@members to the number of members, and the
 * first entries of @queue to the leaves. Return: the number of leaves.
 */
static __u32 leaves_find(const struct hc_span *s, __u16 *left, __u16 *queue, __u32 *members)
{
	__u32 tail = 0, u;
	unsigned int d;

	*members = 0;
	for (u = 0; u < s->topo.nodes; u++) {
		left[u] = 0;
		for (d = 0; d < s->topo.ports; d++)
			left[u] += hc_span_child(s, u, d);
		if (!hc_span_has(s, u))
			continue;
		++*members;
		if (!left[u])
			queue[tail++] = u;
	}
	return tail;
}

int hc_span_check(const struct hc_span *s, const __u32 *fault, __u16 *up, __u16 *work,
		  struct hc_reason *reason)
{
	__u32 head, tail, members, u;
	__u16 *left = work, *queue = work + s->topo.nodes;
	int err = check_root(s, reason);

	for (u = 0; !err && u < s->topo.nodes; u++)
		err = check_parent(s, fault, u, reason);
	if (err)
		return err;
	memset(up, 0, s->topo.nodes * sizeof(*up));
	tail = leaves_find(s, left, queue, &members);
	for (head = 0; head < tail; head++) {
		u = queue[head];
		up[u] = children_schedule(s, up, u);
		if (u != s->root && !--left[hc_span_parent(s, u)])
			queue[tail++] = hc_span_parent(s, u);
	}
	if (tail == members)
		return 0;
	for (u = 0; !left[u]; u++)
		;
	return hc_refuse(reason, "parents go round in a circle", u, HC_REASON_NONE);
}

void hc_span_role(const struct hc_span *s, const __u16 *up, __u32 u, struct hc_tree_role *role,
		  struct hc_tree_peer *src)
{
	__u8 ports[HC_PORTS_MAX];
	unsigned int i;

	memset(role, 0, sizeof(*role));
	if (u != s->root) {
		role->ndst = 1;
		role->dst[0] = (struct hc_tree_peer){
			.node = hc_span_parent(s, u), .dim = s->parent[u],
			.how = HC_TREE_DIRECT, .parts = 1,
		};
	}
	role->nsrc = children_sorted(s, up, u, ports);
	for (i = 0; i < role->nsrc; i++)
		src[i] = (struct hc_tree_peer){
			.node = hc_peer(&s->topo, u, ports[i]), .dim = ports[i],
			.how = HC_TREE_DIRECT, .parts = 1,
		};
}
