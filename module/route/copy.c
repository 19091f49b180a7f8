// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of datagrams, each along a path of its own.
 *
 * The origin finds node-disjoint paths that avoid the faults that it knows (hc_disjoint.c). Each
 * copy carries all the paths in front of its payload; copy i takes the i-th path. A node that
 * receives a copy checks that the copy's path leads to this node over the link over which the copy
 * was received, and drops the copy if not. Then it forwards the copy along the path. So if a COPY
 * frame has crossed Byzantine nodes, each node after the last of them has checked that the path
 * names the node before it. Hence, whatever Byzantine nodes do, the path that a frame names
 * contains the last Byzantine node that the frame has crossed.
 *
 * The receiver needs nothing else to trust a payload. Copies form a group if they name the same
 * paths, no two of which share a node, and have the same payload. Call a copy corrupted if a
 * Byzantine node has made or changed it. The path of each corrupted copy of a group contains a
 * Byzantine node. As the paths share no node, the paths of two corrupted copies contain different
 * Byzantine nodes. So with t Byzantine nodes at most t copies of a group are corrupted, and if a
 * group has more than t copies, their payload is the origin's. See sock/collect.c.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "fabric/byzantine.h"
#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/remote_skb.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "route/copy.h"
#include "route/lsdb.h"
#include "trace.h"

/* ------------------------------------------------------------ paths */

static unsigned int path_bytes(const struct hc_path_dims *path)
{
	return 1 + DIV_ROUND_UP(path->hops, 2);
}

int hc_copy_paths_find(const struct hc_topo *topo, const u16 *words, u32 src, u32 dst,
		       unsigned int want, struct hc_copy_paths *paths)
{
	struct hc_disjoint g;
	void *room = NULL;
	unsigned int i;

	if (words || topo->peers) {
		room = kvmalloc(hc_disjoint_room(topo), GFP_KERNEL_ACCOUNT);
		if (!room)
			return -ENOMEM;
	}
	hc_disjoint_init(&g, topo, room);
	g.fault = words;
	paths->n = hc_disjoint_find(&g, src, dst, want, paths->path);
	for (i = 0, paths->bytes = 0; i < paths->n; i++)
		paths->bytes += path_bytes(&paths->path[i]);
	paths->bytes = ALIGN(paths->bytes, 8);
	kvfree(room);
	return 0;
}

void hc_copy_paths_put(const struct hc_copy_paths *paths, u8 *to)
{
	unsigned int i, j;

	memset(to, 0, paths->bytes);
	for (i = 0; i < paths->n; i++) {
		const struct hc_path_dims *p = &paths->path[i];

		*to++ = p->hops;
		for (j = 0; j < p->hops; j++)
			to[j / 2] |= p->dim[j] << (j & 1 ? 0 : 4);
		to += DIV_ROUND_UP(p->hops, 2);
	}
}

unsigned int hc_copy_said(const struct sk_buff *skb)
{
	return sizeof(struct hc_hdr) + sizeof(struct hc_wire_copy) +
	       be16_to_cpu(hc_wire_copy_of(skb)->paths);
}

void hc_copy_paths_read(const struct sk_buff *skb, struct hc_copy_reader *r)
{
	r->at = skb->data + sizeof(struct hc_hdr) + sizeof(struct hc_wire_copy);
	r->end = skb->data + hc_copy_said(skb);
}

bool hc_copy_path_next(struct hc_copy_reader *r, struct hc_path_dims *path)
{
	unsigned int i;

	memset(path, 0, sizeof(*path));
	if (r->at >= r->end || !*r->at || *r->at > HC_PATH_HOPS_MAX)
		return false;
	path->hops = *r->at++;
	if (r->end - r->at < DIV_ROUND_UP(path->hops, 2))
		return false;
	for (i = 0; i < path->hops; i++)
		path->dim[i] = i & 1 ? r->at[i / 2] & 0xf : r->at[i / 2] >> 4;
	/* An unused half byte must be 0, so that equal paths have equal bytes. */
	if (i & 1 && r->at[i / 2] & 0xf)
		return false;
	r->at += DIV_ROUND_UP(path->hops, 2);
	return true;
}

void hc_path_notify(struct hypercube_path *to, const struct hypercube_vote *v, unsigned int i,
		    const struct hc_path_dims *path)
{
	memset(to, 0, sizeof(*to));
	to->copy = i;
	to->hops = path->hops;
	to->mismatch = !!(v->mismatch & BIT(i));
	memcpy(to->dim, path->dim, path->hops);
}

/* ------------------------------------------------------------ forwarding */

/* Check the lengths in a COPY frame. Return: true if they are valid; the paths are then linear in
 * @skb.
 */
static bool lengths_fit(const struct hc_node *node, struct sk_buff *skb)
{
	u32 len = be32_to_cpu(hc_hdr(skb)->len);
	unsigned int paths = be16_to_cpu(hc_wire_copy_of(skb)->paths);

	return paths <= len && len <= node->fabric->segment && !(paths % 8) &&
	       pskb_may_pull(skb, hc_copy_said(skb));
}

/* Read the path of this copy. Return: false if the frame names no valid path for it. */
static bool own_path(const struct sk_buff *skb, struct hc_path_dims *path)
{
	const struct hc_wire_copy *w = hc_wire_copy_of(skb);
	struct hc_copy_reader r;
	unsigned int i;

	if (w->copies > HC_COPIES_MAX || w->copy >= w->copies)
		return false;
	hc_copy_paths_read(skb, &r);
	for (i = 0; i <= w->copy; i++)
		if (!hc_copy_path_next(&r, path))
			return false;
	return true;
}

/* Return: true if the path leads from .src over link @dim to this node, and ends at .dst. */
static bool path_is_valid(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb,
			  const struct hc_path_dims *path)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	unsigned int hop = hc_wire_copy_of(skb)->hop, i;
	u32 at = be16_to_cpu(hdr->src);
	bool here;

	if (!hop || hop > path->hops || path->dim[hop - 1] != dim)
		return false;
	for (i = 0; i < path->hops; i++) {
		if (path->dim[i] >= node->fabric->topo.ports ||
		    !hc_port_exists(&node->fabric->topo, at, path->dim[i]))
			return false;
		at = hc_peer(&node->fabric->topo, at, path->dim[i]);
		here = at == node->id;
		/* The path must visit this node once, after .hop hops. Since the destination checks
		 * this, too, a path visits its destination only at its end.
		 */
		if (here != (i + 1 == hop))
			return false;
	}
	return at == be16_to_cpu(hdr->dst);
}

static void copy_send(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	if (!hc_link_usable(node, dim)) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_LINK_DOWN);
		return;
	}
	if (skb_cow_head(skb, 0)) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_NO_MEMORY);
		return;
	}
	if (!hc_remote_skb_goes_on(node->fabric, skb)) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_QUEUE_FULL);
		return;
	}
	hc_wire_copy_of(skb)->hop++;
	be32_add_cpu(&hc_hdr(skb)->step, 1);
	trace_hc_copy(node, dim, skb);
	hc_link_send(node, dim, skb);
}

void hc_copy_xmit(struct hc_node *node, struct sk_buff *skb)
{
	struct hc_path_dims path;

	if (own_path(skb, &path))
		copy_send(node, path.dim[0], skb);
	else
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_MALFORMED);
}

struct sk_buff *hc_copy_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	struct hc_path_dims path;
	unsigned int hop;

	if (!lengths_fit(node, skb) || !own_path(skb, &path) ||
	    !path_is_valid(node, dim, skb, &path)) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_MALFORMED);
		return NULL;
	}
	hop = hc_wire_copy_of(skb)->hop;
	if (hop == path.hops)
		return skb;
	skb = hc_byzantine_relay(node, skb, hc_copy_said(skb));
	copy_send(node, path.dim[hop], skb);
	return NULL;
}
