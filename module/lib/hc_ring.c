// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier of trees of rings; see hc_ring.h.
 */
#include "hc_ring.h"

static bool topo_linked(const struct hc_ring_net *net, __u32 u, __u32 v)
{
	unsigned int d = hc_port_to(&net->topo, u, v);

	return d != HC_NO_PORT && hc_link_good(&net->topo, net->priv, u, d);
}

struct hc_ring_net hc_ring_topo(const struct hc_topo *topo, const __u32 *fault)
{
	return (struct hc_ring_net){
		.nodes = topo->nodes, .linked = topo_linked, .priv = fault, .topo = *topo,
	};
}

struct hc_ring_net hc_ring_cube(unsigned int dim, const __u32 *fault)
{
	const struct hc_topo topo = hc_topo_cube(dim);

	return hc_ring_topo(&topo, fault);
}

/* State of the verifier while it reads a ring. */
struct reader {
	const struct hc_ring_tree *t;
	const struct hc_ring_net *net;
	__u16 *home;
	struct hc_ring_reason *reason;
	__u32 ring;
	const __u16 *node;
	__u32 meets;
};

static int refuse(const struct reader *r, const char *why, __u32 node, __u32 peer)
{
	if (r->reason) {
		r->reason->why = why;
		r->reason->ring = r->ring;
		r->reason->node = node;
		r->reason->other = peer;
	}
	return -EINVAL;
}

static int refuse_node(const struct reader *r, const char *why, __u32 node)
{
	return refuse(r, why, node, HC_RING_NO_NODE);
}

static int refuse_ring(const struct reader *r, const char *why)
{
	return refuse_node(r, why, HC_RING_NO_NODE);
}

/* Check that the rings' sizes fit the list of nodes, so that all rings can be read. */
static int check_shape(struct reader *r)
{
	const struct hc_ring_tree *t = r->t;
	__u32 left = t->nnodes;

	r->ring = HC_RING_NONE;
	if (r->net->nodes > HC_RING_NODES_MAX)
		return refuse_ring(r, "the network has too many nodes");
	if (!t->nrings)
		return refuse_ring(r, "no ring");
	if (t->nrings > HC_RING_NONE)
		return refuse_ring(r, "too many rings");
	for (r->ring = 0; r->ring < t->nrings; r->ring++) {
		const __u32 size = t->ring[r->ring].size;

		if (size < 2 && (size < 1 || t->nrings > 1))
			return refuse_ring(r, "a ring has fewer than two nodes");
		if (size > left)
			return refuse_ring(r, "a ring is longer than the list of nodes");
		left -= size;
	}
	r->ring = HC_RING_NONE;
	return left ? refuse_ring(r, "nodes that are in no ring") : 0;
}

static int read_node(struct reader *r, __u32 u)
{
	if (u >= r->net->nodes)
		return refuse_node(r, "no such node", u);
	if (r->home[u] == HC_RING_NONE) {
		r->home[u] = (__u16)r->ring;
		return 0;
	}
	if (r->home[u] == r->ring || r->meets == u)
		return refuse_node(r, "a ring goes through a node twice", u);
	if (r->meets != HC_RING_NO_NODE)
		return refuse_node(r, "a ring meets the rings before it in two nodes", u);
	r->meets = u;
	return 0;
}

static int check_links(const struct reader *r, __u32 size)
{
	__u32 i;

	for (i = 1; i < size; i++)
		if (!r->net->linked(r->net, r->node[i - 1], r->node[i]))
			return refuse(r, "a ring goes where no healthy link is", r->node[i - 1],
				      r->node[i]);
	return 0;
}

/* Check that the ring meets the rings before it in a node of its parent, and check its level. */
static int check_parent(const struct reader *r)
{
	const struct hc_ring *ring = &r->t->ring[r->ring];
	__u32 level;

	if (!r->ring && ring->parent != HC_RING_NONE)
		return refuse_ring(r, "the first ring has a parent");
	if (!r->ring && ring->level)
		return refuse_ring(r, "the first ring is not at level 0");
	if (!r->ring)
		return 0;
	if (r->meets == HC_RING_NO_NODE)
		return refuse_ring(r, "a ring meets no ring before it");
	if (ring->parent != r->home[r->meets])
		return refuse_node(r, "a ring's parent is not where it meets the tree", r->meets);
	level = r->t->ring[ring->parent].level;
	if (ring->level != level && ring->level != level + 1)
		return refuse_ring(r, "a ring's level is neither its parent's nor the next");
	return 0;
}

static int read_ring(struct reader *r)
{
	const __u32 size = r->t->ring[r->ring].size;
	int err = 0;
	__u32 i;

	r->meets = HC_RING_NO_NODE;
	for (i = 0; !err && i < size; i++)
		err = read_node(r, r->node[i]);
	if (!err)
		err = check_parent(r);
	if (!err)
		err = check_links(r, size);
	r->node += size;
	return err;
}

int hc_ring_check(const struct hc_ring_tree *t, const struct hc_ring_net *net, __u16 *home,
		  struct hc_ring_reason *reason)
{
	struct reader r = { .t = t, .net = net, .home = home, .reason = reason, .node = t->node };
	int err = check_shape(&r);
	__u32 u;

	if (err)
		return err;
	for (u = 0; u < net->nodes; u++)
		home[u] = HC_RING_NONE;
	for (r.ring = 0; !err && r.ring < t->nrings; r.ring++)
		err = read_ring(&r);
	return err;
}
