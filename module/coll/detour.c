// SPDX-License-Identifier: GPL-2.0
/*
 * The detours of a plan.
 *
 * If a member has neither a healthy link to the member that merges its data nor an effective
 * helper, it sends its data to that member over a path of several links. The path is found when the
 * plan is installed, from the faults with which the plan is verified, so all machines of a fabric
 * find the same path. The path is part of the plan: data is sent along it, control messages are
 * sent along it in both directions, and a failure of one of its links breaks the plan.
 *
 * A detour delivers all frames in order, or the plan is broken, just as a link delivers all frames
 * in order or is down. The frames of each direction are numbered: a receiver that gets a frame with
 * a number that is too high breaks the plan. If the last frame is lost, its receiver waits, and
 * sends PROBE after a second (coll/liveness.c). The answer to the PROBE has a number, too, which
 * shows the loss. If no answer is received, a link of the path is down, or nodes on it are slow;
 * the FAULT words of these nodes show which of both it is. This check is rarely needed, since the
 * nodes at the ends of a link that fails notify the root (coll/link_fault.c). But such a node need
 * not be a member, and a message of a node that is no member can be lost.
 */
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/detour.h"
#include "hc_tree.h"
#include "hc_way.h"
#include "route/lsdb.h"
#include "route/way.h"

/* If a peer has not answered this many PROBEs, the FAULT words of the nodes on the path are
 * searched for a fault.
 */
#define ASKED_MAX		2
/* Number of links of a path whose processing counts as one frame in the poll's budget. */
#define LINKS_OF_A_FRAME	32

/* Record the @n links of the path that begins at @u in the masks of the nodes at both ends of each
 * link (hc_detour_ways.links).
 */
static void links_mark(struct hc_plan *plan, u32 u, const u8 *dims, unsigned int n)
{
	u16 *links = plan->ways->links;
	unsigned int i;

	for (i = 0; i < n; i++) {
		links[u] |= hc_bit(dims[i]);
		u = hc_peer(&plan->fabric->topo, u, dims[i]);
		links[u] |= hc_bit(dims[i]);
	}
}

static int way_make(struct hc_plan *plan, unsigned int i, const u8 *dims, unsigned int n)
{
	struct hc_detour_way *way;
	int err;

	if (plan->ways->bytes + ALIGN(n, 4) > HC_WAYS_BYTES_MAX)
		return -E2BIG;
	err = hc_plan_charge(plan, struct_size(way, dims, n));
	if (err)
		return err;
	way = kvmalloc(struct_size(way, dims, n), GFP_KERNEL_ACCOUNT);
	if (!way)
		return -ENOMEM;
	way->n = n;
	memcpy(way->dims, dims, n);
	plan->ways->bytes += ALIGN(n, 4);
	plan->ways->of[i] = way;
	return 0;
}

static int way_find(struct hc_plan *plan, struct hc_bfs *b, unsigned int i, u8 *dims, u16 *dist)
{
	const struct hc_detour *d = &plan->detours[i];
	unsigned int n = hc_way_find(b, d->from, d->to, dims, dist);

	/* There is a path, since the verifier has accepted the plan. */
	if (WARN_ON_ONCE(!n))
		return -EINVAL;
	links_mark(plan, d->from, dims, n);
	return way_make(plan, i, dims, n);
}

static int ways_find(struct hc_plan *plan, const u32 *fault)
{
	const struct hc_topo *topo = &plan->fabric->topo;
	u16 *dist = kvmalloc_array(topo->nodes, sizeof(*dist), GFP_KERNEL_ACCOUNT);
	void *room = kvmalloc(hc_bfs_room(topo), GFP_KERNEL_ACCOUNT);
	u8 *dims = kvmalloc(topo->nodes, GFP_KERNEL_ACCOUNT);
	int err = dist && room && dims ? 0 : -ENOMEM;
	struct hc_bfs b;
	unsigned int i;
	u32 u;

	if (!err) {
		hc_bfs_init(&b, topo, room);
		for (u = 0; u < topo->nodes; u++)
			hc_bfs_fault(&b, u, fault[u]);
	}
	for (i = 0; i < plan->ndetours && !err; i++) {
		err = way_find(plan, &b, i, dims, dist);
		cond_resched();
	}
	kvfree(dims);
	kvfree(room);
	kvfree(dist);
	return err;
}

int hc_ways_make(struct hc_plan *plan, const u32 *fault, struct netlink_ext_ack *extack)
{
	u32 nodes = plan->fabric->topo.nodes;
	int err;

	if (!plan->ndetours)
		return 0;
	err = hc_plan_charge(plan, struct_size(plan->ways, of, plan->ndetours) +
				   nodes * sizeof(*plan->ways->links));
	if (err)
		return err;
	plan->ways = kvzalloc(struct_size(plan->ways, of, plan->ndetours), GFP_KERNEL_ACCOUNT);
	if (!plan->ways)
		return -ENOMEM;
	plan->ways->links = kvcalloc(nodes, sizeof(*plan->ways->links), GFP_KERNEL_ACCOUNT);
	err = plan->ways->links ? ways_find(plan, fault) : -ENOMEM;
	if (err == -E2BIG)
		NL_SET_ERR_MSG(extack, "the paths of the detours are too long in all");
	return err;
}

void hc_ways_free(struct hc_plan *plan)
{
	unsigned int i;

	if (!plan->ways)
		return;
	for (i = 0; i < plan->ndetours; i++)
		kvfree(plan->ways->of[i]);
	kvfree(plan->ways->links);
	kvfree(plan->ways);
	plan->ways = NULL;
}

bool hc_ways_cross(const struct hc_plan *plan, u32 u)
{
	return plan->ways && plan->ways->links[u];
}

bool hc_ways_take(const struct hc_plan *plan, u32 u, unsigned int dim)
{
	return plan->ways && plan->ways->links[u] & hc_bit(dim);
}

/* Return: the path of the detour between this member and @to. *@back is set to true if the path
 * begins at @to, so that this member sends along it in reverse.
 */
static const struct hc_detour_way *way_to(const struct hc_member *m, u32 to, bool *back)
{
	const struct hc_plan *plan = m->plan;
	const struct hc_detour *d = hc_detour_of(plan->detours, plan->ndetours, m->node->id);

	*back = !d || d->to != to;
	if (*back)
		d = hc_detour_of(plan->detours, plan->ndetours, to);
	return plan->ways->of[d - plan->detours];
}

unsigned int hc_detour_dim(const struct hc_member *m, u32 to)
{
	const struct hc_detour_way *way;
	bool back;

	way = way_to(m, to, &back);
	return way->dims[back ? way->n - 1 : 0];
}

static struct hc_detour_end *end_to(struct hc_member *m, const struct hc_tree_peer *peer)
{
	bool above = hc_src_index(m, peer->node) < 0;

	return &m->detour[above ? m->role.nsrc + (peer - m->role.dst) : peer - m->src];
}

int hc_detour_xmit(struct hc_member *m, const struct hc_tree_peer *peer, struct sk_buff *skb)
{
	struct hc_detour_end *end = end_to(m, peer);
	const struct hc_detour_way *way;
	bool back;
	int err;

	way = way_to(m, peer->node, &back);
	m->node->spent += way->n / LINKS_OF_A_FRAME;
	err = hc_way_xmit(m->node, peer->node, way->dims, way->n, back, end->sent, skb);
	if (!err)
		end->sent++;
	return err;
}

static void detour_break(struct hc_member *m, const struct hc_tree_peer *peer, u32 status, u32 node,
			 u32 dim)
{
	const struct hc_end cause = { .status = status, .node = node, .dim = dim };

	hc_way_lost(m, peer, &cause);
}

bool hc_detour_follows(struct hc_member *m, struct sk_buff *skb)
{
	const struct hc_tree_peer *peer = hc_peer_find(m, be16_to_cpu(hc_hdr(skb)->src));
	u32 nr = be32_to_cpu(hc_hdr(skb)->seq);
	struct hc_detour_end *end;

	if (!peer || peer->how != HC_TREE_DETOUR)
		return false;
	/* If the plan is broken, accept all frames: this member answers a PROBE of the other end by
	 * reporting that the plan is over.
	 */
	if (m->gen.broken)
		return true;
	end = end_to(m, peer);
	if (nr == end->came) {
		end->came++;
		end->asked = 0;
		return true;
	}
	if ((s32)(nr - end->came) > 0)
		detour_break(m, peer, EHOSTUNREACH, peer->node, HC_CAUSE_NONE);
	return false;
}

/* Return: true if the FAULT word of a node on the path, as known at @node, has a link of the path.
 * Then *@at and *@dim are set to the first such link.
 */
static bool way_fault(struct hc_node *node, u32 u, const struct hc_detour_way *way, u32 *at,
		      u32 *dim)
{
	unsigned int i;

	for (i = 0; i < way->n; i++) {
		*at = u;
		*dim = way->dims[i];
		u = hc_peer(&node->fabric->topo, u, way->dims[i]);
		if ((hc_lsdb_word(node, *at) | hc_lsdb_word(node, u)) & hc_bit(way->dims[i]))
			return true;
	}
	return false;
}

bool hc_detour_silent(struct hc_member *m, const struct hc_tree_peer *peer)
{
	struct hc_detour_end *end = end_to(m, peer);
	const struct hc_detour_way *way;
	u32 at, dim;
	bool back;

	if (end->asked < ASKED_MAX) {
		end->asked++;
		return false;
	}
	way = way_to(m, peer->node, &back);
	m->node->spent += way->n / LINKS_OF_A_FRAME;
	if (!way_fault(m->node, back ? peer->node : m->node->id, way, &at, &dim))
		return false;
	detour_break(m, peer, ENOLINK, at, dim);
	return true;
}
