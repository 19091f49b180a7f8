// SPDX-License-Identifier: GPL-2.0
/*
 * Roles in the communication tree and the verifier of tree plans.
 *
 * At stage i of a tree, the active nodes send their data to passive nodes, along dimension order[i]
 * if there are no faults. A node sends its data in one of three forms:
 *
 *   direct   over the node's own link along order[i];
 *   help     split among the active neighbours that can send directly;
 *   detour   over several links to a passive node that the plan names (hc_way.h).
 *
 * A node that sends directly is called unblocked, any other sender blocked.
 */
#include "hc_tree.h"

/* Return: true if @u, whose FAULT word is @word, can send over link (u, d) and the node at the
 * other end is a member.
 */
static bool link_good(const struct hc_tree *t, __u32 u, __u32 word,
		      unsigned int d)
{
	return !(word & hc_bit(d)) && hc_set_has(t->members, hc_neigh(u, d));
}

static __u32 tree_span(const struct hc_tree *t)
{
	__u32 span = 0;
	unsigned int i;

	for (i = 0; i < t->stages; i++)
		span |= hc_bit(t->order[i]);
	return span;
}

bool hc_tree_contains(const struct hc_tree *t, __u32 u)
{
	return u < hc_nodes(t->dim) && !((u ^ t->sink) & ~tree_span(t));
}

unsigned int hc_tree_active(const struct hc_tree *t, __u32 u)
{
	unsigned int i;

	for (i = 0; i < t->stages; i++)
		if ((u ^ t->sink) & hc_bit(t->order[i]))
			break;
	return i;
}

__u32 hc_tree_fault(const struct hc_tree *t, __u32 u, __u32 fault)
{
	unsigned int d;

	for (d = 0; d < t->dim; d++)
		if (!link_good(t, u, fault, d))
			fault |= hc_bit(d);
	return fault;
}

const struct hc_detour *hc_detour_of(const struct hc_detour *detours, unsigned int n, __u32 from)
{
	unsigned int lo = 0, hi = n;

	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (detours[mid].from < from)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && detours[lo].from == from ? &detours[lo] : NULL;
}

static void add_dst(struct hc_tree_role *role, __u32 node, unsigned int dim,
		    enum hc_tree_how how)
{
	struct hc_tree_peer *p = &role->dst[role->ndst];

	p->node = node;
	p->stage = role->active;
	p->dim = dim;
	p->how = how;
	p->part = role->ndst++;
	p->parts = 1;
}

/* Find the destinations of an active node. */
static int find_destinations(const struct hc_tree *t, __u32 u, __u32 own,
			     const __u32 *nb, struct hc_tree_role *role)
{
	unsigned int i = role->active, out = t->order[i], j, p;
	const struct hc_detour *detour;

	if (link_good(t, u, own, out)) {
		add_dst(role, hc_neigh(u, out), out, HC_TREE_DIRECT);
		return 0;
	}

	for (j = i + 1; j < t->stages; j++) {
		unsigned int d = t->order[j];
		__u32 helper = hc_neigh(u, d);

		if (link_good(t, u, own, d) && link_good(t, helper, nb[d], out))
			add_dst(role, helper, d, HC_TREE_HELP);
	}
	for (p = 0; p < role->ndst; p++)
		role->dst[p].parts = role->ndst;
	if (role->ndst)
		return 0;

	detour = hc_detour_of(t->detours, t->ndetours, u);
	if (!detour)
		return -ENOENT;
	add_dst(role, detour->to, 0, HC_TREE_DETOUR);
	return 0;
}

struct sources {
	struct hc_tree_peer *list;
	unsigned int n;
	unsigned int max;
};

/* Add @node as a source. The list stays sorted by stage. Entries of the same stage are in the order
 * in which they are added; hc_tree_role() adds DIRECT first, then HELP, then DETOUR.
 */
static int add_src(struct sources *s, __u32 node, unsigned int stage,
		   unsigned int dim, enum hc_tree_how how)
{
	unsigned int at = s->n;

	if (s->n == s->max)
		return -ENOSPC;
	while (at && s->list[at - 1].stage > stage) {
		s->list[at] = s->list[at - 1];
		at--;
	}
	s->list[at] = (struct hc_tree_peer){
		.node = node,
		.stage = stage,
		.dim = dim,
		.how = how,
		.parts = how == HC_TREE_HELP ? 0 : 1,
	};
	s->n++;
	return 0;
}

/* Find the nodes that send their whole data to @u over a tree link, at stages at which @u is
 * passive.
 */
static int find_direct(const struct hc_tree *t, __u32 u, __u32 own,
		       unsigned int active, struct sources *s)
{
	unsigned int i;

	for (i = 0; i < active; i++) {
		unsigned int d = t->order[i];

		if (link_good(t, u, own, d) &&
		    add_src(s, hc_neigh(u, d), i, d, HC_TREE_DIRECT))
			return -ENOSPC;
	}
	return 0;
}

/* Find the nodes that @u helps at the stage at which it is active. A blocked neighbour v sends @u a
 * part of its data if and only if @u is an effective helper of v: the link between @u and v and
 * @u's own link along order[active] are good, and v's link along order[active] is not. @u can find
 * this out from the FAULT words that it has. Which of the parts @u gets depends on v's other
 * neighbours, so @u does not know it.
 */
static int find_helped(const struct hc_tree *t, __u32 u, __u32 own,
		       const __u32 *nb, unsigned int active, struct sources *s)
{
	unsigned int out, j;

	if (active == t->stages)
		return 0;
	out = t->order[active];
	if (!link_good(t, u, own, out))
		return 0;

	for (j = active + 1; j < t->stages; j++) {
		unsigned int d = t->order[j];
		__u32 v = hc_neigh(u, d);

		if (link_good(t, u, own, d) && !link_good(t, v, nb[d], out) &&
		    add_src(s, v, active, d, HC_TREE_HELP))
			return -ENOSPC;
	}
	return 0;
}

static int find_detoured(const struct hc_tree *t, __u32 u, struct sources *s)
{
	unsigned int i;

	for (i = 0; i < t->ndetours; i++) {
		__u32 from = t->detours[i].from;

		if (t->detours[i].to == u &&
		    add_src(s, from, hc_tree_active(t, from), 0,
			    HC_TREE_DETOUR))
			return -ENOSPC;
	}
	return 0;
}

int hc_tree_role(const struct hc_tree *t, __u32 u, __u32 own, const __u32 *nb,
		 struct hc_tree_role *role, struct hc_tree_peer *src,
		 unsigned int max)
{
	struct sources s = { .list = src, .max = max };
	int err;

	if (!hc_tree_contains(t, u) || !hc_set_has(t->members, u))
		return -EINVAL;

	memset(role, 0, sizeof(*role));
	role->active = hc_tree_active(t, u);
	if (role->active < t->stages) {
		err = find_destinations(t, u, own, nb, role);
		if (err)
			return err;
	}

	err = find_direct(t, u, own, role->active, &s);
	if (!err)
		err = find_helped(t, u, own, nb, role->active, &s);
	if (!err)
		err = find_detoured(t, u, &s);
	role->nsrc = s.n;
	return err;
}

/* The verifier. It calls hc_tree_role() for every member, with only those FAULT words that the
 * member can have, and checks four properties of the roles:
 *
 *  (a) every member but the sink sends all its data exactly once: whole, or as
 *      parts 0..m-1 of m to m different nodes; the sink sends nothing;
 *  (b) every transfer goes to a member, over a usable link or, for a detour,
 *      between two nodes that healthy links connect;
 *  (c) the receivers expect exactly what the senders send: every destination
 *      entry has its source entry, and there are as many destination entries as
 *      source entries;
 *  (d) the receiver ranks higher than the sender, where
 *      rank(u) = 2 * active(u) + [u sends direct].
 *
 * A node sends after it has received everything that it expects. By (c) and (d) it waits for nodes
 * of lower ranks only, so no node waits for ever. By (a) each item of each contribution is at one
 * node at a time, and by (d) it moves to nodes of ever higher rank, until it is at the only node
 * that does not send, which is the sink. So the sink gets every item of every member exactly once.
 *
 * The checks before (a) to (d) refuse every wrong plan; (a) to (d) can fail only if hc_tree_role()
 * itself is wrong.
 */
struct check {
	const struct hc_tree *t;
	const __u32 *fault;
	__u32 *work;
	struct hc_tree_reason *reason;
};

static int refuse(const struct check *c, const char *why, __u32 node)
{
	if (c->reason) {
		c->reason->why = why;
		c->reason->node = node;
	}
	return -EINVAL;
}

static int check_shape(const struct check *c)
{
	const struct hc_tree *t = c->t;
	__u32 seen = 0;
	unsigned int i;

	if (t->dim < 1 || t->dim > HC_LIB_DIM_MAX)
		return refuse(c, "dimension out of range", 0);
	if (t->stages > t->dim)
		return refuse(c, "more stages than dimensions", 0);
	for (i = 0; i < t->stages; i++) {
		if (t->order[i] >= t->dim)
			return refuse(c, "order names a dimension that the cube does not have", 0);
		if (seen & hc_bit(t->order[i]))
			return refuse(c, "order names a dimension twice", 0);
		seen |= hc_bit(t->order[i]);
	}
	if (t->sink >= hc_nodes(t->dim))
		return refuse(c, "sink is no node of the cube", t->sink);
	if (!hc_set_has(t->members, t->sink))
		return refuse(c, "sink is no member", t->sink);
	if (t->ndetours >= hc_nodes(t->dim))
		return refuse(c, "more detours than senders", 0);
	return 0;
}

static int check_symmetric(const struct check *c)
{
	__u32 nodes = hc_nodes(c->t->dim), u;
	unsigned int d;

	for (u = 0; u < nodes; u++)
		for (d = 0; d < c->t->dim; d++)
			if ((c->fault[u] ^ c->fault[hc_neigh(u, d)]) & hc_bit(d))
				return refuse(c, "the ends of a link disagree about it", u);
	return 0;
}

/* Check that all members are in the tree's subcube and connected with the sink. */
static int check_members(const struct check *c)
{
	const struct hc_tree *t = c->t;
	const struct hc_topo topo = hc_topo_cube(t->dim);
	__u32 nodes = hc_nodes(t->dim), words = hc_set_words(t->dim);
	__u32 *seen = c->work, u;

	memset(seen, 0, words * sizeof(*seen));
	hc_set_reach(seen, &topo, c->fault, t->sink, c->work + words);
	for (u = 0; u < nodes; u++) {
		if (!hc_set_has(t->members, u))
			continue;
		if (!hc_tree_contains(t, u))
			return refuse(c, "member outside the tree's subcube", u);
		if (!hc_set_has(seen, u))
			return refuse(c, "member dead or cut off from the sink", u);
	}
	return 0;
}

/* Compute the role of @u from the FAULT words that @u can have: its own, and those of the
 * neighbours at the other ends of good links.
 */
static int role_of(const struct check *c, __u32 u, struct hc_tree_role *role,
		   struct hc_tree_peer *src)
{
	unsigned int max = 2 * c->t->stages + c->t->ndetours;
	__u32 nb[HC_LIB_DIM_MAX];
	unsigned int d;

	for (d = 0; d < c->t->dim; d++)
		nb[d] = c->fault[u] & hc_bit(d) ? 0 : c->fault[hc_neigh(u, d)];
	return hc_tree_role(c->t, u, c->fault[u], nb, role, src, max);
}

static unsigned int rank(const struct hc_tree_role *role)
{
	bool direct = role->ndst && role->dst[0].how == HC_TREE_DIRECT;

	return 2 * role->active + direct;
}

static int check_detours(const struct check *c)
{
	const struct hc_tree *t = c->t;
	struct hc_tree_peer *src = (struct hc_tree_peer *)c->work;
	struct hc_tree_role role;
	unsigned int i;

	for (i = 0; i < t->ndetours; i++) {
		__u32 from = t->detours[i].from, to = t->detours[i].to;

		if (from >= hc_nodes(t->dim) || to >= hc_nodes(t->dim) ||
		    !hc_set_has(t->members, from) || !hc_set_has(t->members, to))
			return refuse(c, "detour from or to a node that is no member", from);
		if (i && t->detours[i - 1].from >= from)
			return refuse(c, "detours not in ascending order of sender", from);
	}
	for (i = 0; i < t->ndetours; i++) {
		__u32 from = t->detours[i].from, to = t->detours[i].to;

		if (role_of(c, from, &role, src) || !role.ndst ||
		    role.dst[0].how != HC_TREE_DETOUR || role.dst[0].node != to)
			return refuse(c, "detour for a node that needs none", from);
		if (hc_tree_active(t, to) <= role.active)
			return refuse(c, "detour to a node that is not passive then", from);
	}
	return 0;
}

/* Check property (a) of the destinations of @u. */
static int check_sending(const struct check *c, __u32 u,
			 const struct hc_tree_role *role)
{
	bool is_sink = u == c->t->sink;
	unsigned int p, q;

	if (is_sink != !role->ndst)
		return refuse(c, "sink sends, or another member does not", u);
	for (p = 0; p < role->ndst; p++) {
		const struct hc_tree_peer *dst = &role->dst[p];

		if (dst->part != p || dst->parts != role->ndst)
			return refuse(c, "parts are not numbered 0 to m - 1", u);
		if (role->ndst > 1 && dst->how != HC_TREE_HELP)
			return refuse(c, "data is sent more than once", u);
		for (q = 0; q < p; q++)
			if (role->dst[q].node == dst->node)
				return refuse(c, "two parts go to one node", u);
	}
	return 0;
}

/* Check properties (b), (c) and (d) of one transfer, from @u to @dst. Overwrites the scratch space.
 */
static int check_transfer(const struct check *c, __u32 u,
			  const struct hc_tree_role *role,
			  const struct hc_tree_peer *dst)
{
	struct hc_tree_peer *src = (struct hc_tree_peer *)c->work;
	struct hc_tree_role peer;
	unsigned int i, match = 0;

	if (dst->how != HC_TREE_DETOUR &&
	    (dst->node != hc_neigh(u, dst->dim) ||
	     (c->fault[u] & hc_bit(dst->dim))))
		return refuse(c, "data is sent over an unusable link", u);
	if (!hc_set_has(c->t->members, dst->node) ||
	    role_of(c, dst->node, &peer, src))
		return refuse(c, "data is sent to a node without a role", u);
	if (rank(&peer) <= rank(role))
		return refuse(c, "receiver does not send after the sender", u);
	for (i = 0; i < peer.nsrc; i++)
		if (src[i].node == u && src[i].stage == dst->stage &&
		    src[i].how == dst->how)
			match++;
	if (match != 1)
		return refuse(c, "receiver does not expect the data exactly once", u);
	return 0;
}

static int check_roles(const struct check *c)
{
	struct hc_tree_peer *src = (struct hc_tree_peer *)c->work;
	__u32 nodes = hc_nodes(c->t->dim), u;
	struct hc_tree_role role;

	for (u = 0; u < nodes; u++)
		if (hc_set_has(c->t->members, u) && role_of(c, u, &role, src))
			return refuse(c, "sender without helper has no detour", u);
	return 0;
}

static int check_transfers(const struct check *c)
{
	struct hc_tree_peer *src = (struct hc_tree_peer *)c->work;
	__u32 nodes = hc_nodes(c->t->dim), sent = 0, expected = 0, u;
	struct hc_tree_role role;
	unsigned int p;
	int err;

	for (u = 0; u < nodes; u++) {
		if (!hc_set_has(c->t->members, u))
			continue;
		role_of(c, u, &role, src);
		sent += role.ndst;
		expected += role.nsrc;
		err = check_sending(c, u, &role);
		for (p = 0; !err && p < role.ndst; p++)
			err = check_transfer(c, u, &role, &role.dst[p]);
		if (err)
			return err;
	}
	if (sent != expected)
		return refuse(c, "a node expects data that nobody sends", 0);
	return 0;
}

int hc_tree_check(const struct hc_tree *t, const __u32 *fault, __u32 *work,
		  struct hc_tree_reason *reason)
{
	struct check c = {
		.t = t, .fault = fault, .work = work, .reason = reason,
	};

	if (check_shape(&c) || check_symmetric(&c) || check_members(&c) ||
	    check_detours(&c) || check_roles(&c) || check_transfers(&c))
		return -EINVAL;
	return 0;
}
