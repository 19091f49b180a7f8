// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of datagrams, each along a path of its own.
 *
 * The origin finds node-disjoint paths with what it knows of faults (hc_disjoint.c), and each copy
 * carries all of them in front of its payload: copy i goes along the i-th.  A node that gets one
 * passes it on along that path, unless it came over another link than the path says, or to another
 * node.  So each node that a COPY has crossed since it left the last liar has seen to it that the
 * path names the node before it: whatever a liar does, the path that a frame names has the last
 * liar on it.
 *
 * That is all the receiver need know.  Copies that name the same paths, of which no two share a
 * node, and say the same are a group; of those of a group that a liar has made or changed, each
 * names a liar that no other one names.  With t liars at most t copies of a group are lies,
 * so what more than t copies of a group say is true.  See sock/collect.c.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "fabric/fabric.h"
#include "fabric/far.h"
#include "fabric/lie.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "route/copy.h"
#include "route/lsdb.h"
#include "sock/collect.h"
#include "sock/sock.h"
#include "trace.h"

/* ------------------------------------------------------------ paths */

static unsigned int path_bytes(const struct hc_path_dims *path)
{
	return 1 + DIV_ROUND_UP(path->hops, 2);
}

/* What is known at the node of all FAULT words, to be freed; NULL: there are no faults. */
static u16 *words_get(struct hc_sock *hsk, int *err)
{
	u32 nodes = hc_nodes(hsk->fabric->dim);
	struct hc_node *node;
	u16 *words = NULL;

	rcu_read_lock();
	node = rcu_dereference(hsk->node);
	*err = !node ? hc_sock_gone(hsk) : hc_lsdb_any(node) ? 1 : 0;
	rcu_read_unlock();
	if (*err <= 0)
		return NULL;
	words = kvcalloc(nodes, sizeof(*words), GFP_KERNEL_ACCOUNT);
	*err = words ? 0 : -ENOMEM;
	if (!words)
		return NULL;
	rcu_read_lock();
	node = rcu_dereference(hsk->node);
	if (node)
		hc_lsdb_words(node, words);
	else
		*err = hc_sock_gone(hsk);
	rcu_read_unlock();
	return words;
}

int hc_copy_paths_find(struct hc_sock *hsk, u32 dst, unsigned int want,
		       struct hc_copy_paths *paths)
{
	unsigned int dim = hsk->fabric->dim, i;
	struct hc_disjoint g;
	void *room = NULL;
	u16 *words;
	int err;

	words = words_get(hsk, &err);
	if (!err && words) {
		room = kvmalloc(hc_disjoint_room(dim), GFP_KERNEL_ACCOUNT);
		err = room ? 0 : -ENOMEM;
	}
	if (!err) {
		hc_disjoint_init(&g, dim, room);
		g.fault = words;
		paths->n = hc_disjoint_find(&g, hsk->node_id, dst, want, paths->path);
		for (i = 0, paths->bytes = 0; i < paths->n; i++)
			paths->bytes += path_bytes(&paths->path[i]);
		paths->bytes = ALIGN(paths->bytes, 8);
	}
	kvfree(room);
	kvfree(words);
	return err;
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
	/* What is of no use has one value. */
	if (i & 1 && r->at[i / 2] & 0xf)
		return false;
	r->at += DIV_ROUND_UP(path->hops, 2);
	return true;
}

void hc_path_tell(struct hypercube_path *to, const struct hypercube_verdict *v, unsigned int i,
		  const struct hc_path_dims *path)
{
	memset(to, 0, sizeof(*to));
	to->copy = i;
	to->hops = path->hops;
	to->dissents = !!(v->dissent & BIT(i));
	memcpy(to->dim, path->dim, path->hops);
}

/* ------------------------------------------------------------ on the way */

/* Are the lengths those of a COPY?  Then the paths are in one piece. */
static bool lengths_fit(const struct hc_node *node, struct sk_buff *skb)
{
	u32 len = be32_to_cpu(hc_hdr(skb)->len);
	unsigned int paths = be16_to_cpu(hc_wire_copy_of(skb)->paths);

	return paths <= len && len <= node->fabric->segment && !(paths % 8) &&
	       pskb_may_pull(skb, hc_copy_said(skb));
}

/* The path of this copy. */
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

/* Does the path lead from .src by link @dim to this node, and end at .dst? */
static bool path_fits(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb,
		      const struct hc_path_dims *path)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	unsigned int hop = hc_wire_copy_of(skb)->hop, i;
	u32 at = be16_to_cpu(hdr->src);
	bool here;

	if (!hop || hop > path->hops || path->dim[hop - 1] != dim)
		return false;
	for (i = 0; i < path->hops; i++) {
		if (path->dim[i] >= node->fabric->dim)
			return false;
		at = hc_neigh(at, path->dim[i]);
		here = at == node->id;
		/* It comes here once, and to its destination last. */
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
	if (!hc_far_goes_on(node->fabric, skb)) {
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

void hc_copy_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	struct hc_path_dims path;
	unsigned int hop;

	if (!lengths_fit(node, skb) || !own_path(skb, &path) ||
	    !path_fits(node, dim, skb, &path)) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_MALFORMED);
		return;
	}
	hop = hc_wire_copy_of(skb)->hop;
	if (hop == path.hops) {
		hc_collect_rx(node, skb);
		return;
	}
	skb = hc_lie(node, skb, hc_copy_said(skb));
	copy_send(node, path.dim[hop], skb);
}
