// SPDX-License-Identifier: GPL-2.0
/*
 * Flooding: Ethernet frames to everybody.
 *
 * The origin numbers its flooded frames.  A node that sees {origin, number}
 * for the first time sends a copy over each of its usable links but the one by
 * which it came, and gives the frame to its stack; seen again, it is forgotten.
 *
 * Everyone reachable gets it, if nothing is lost and the links stay as they are: by
 * induction on the distance from the origin over usable links, for a node's
 * predecessor on a shortest path has seen the frame, and then sent it to the node or
 * got it from there.  This needs no knowledge of faults but that of the own links.
 *
 * Nobody gets it twice, if each node knows what it has seen.  It keeps, for each
 * origin, the greatest number seen and a window of the WINDOW_BITS numbers up to it; a
 * number below the window counts as seen.  That loses nothing as long as nothing else
 * is lost: links keep the order, so by the same induction each node sees an origin's
 * frames for the first time in ascending order.  (u sends frame k to v, if v has not
 * sent it to u, before u sees k + 1.)  When links fail and frames take longer ways
 * instead, the window makes up for it.
 * Numbers are compared modulo 2^24, so a copy must not be overtaken by 2^23 later
 * frames of its origin; and a node that has missed that many must not take what comes
 * then for old.  Hence what was seen is forgotten a minute or two after the origin fell
 * silent here; no copy waits that long in the queues, which polls keep emptying, nor
 * on a slow link (impair.c).
 *
 * By a plan.  If the origin knows an installed broadcast plan of its own that is not
 * broken and has as many members as nodes are reachable, as far as it has heard
 * (state.c), the frame names that plan and goes along its edges: 2^n - 1 links
 * instead of 2^n (n - 1) + 1 in a cube without faults.  Everyone reachable gets it, for
 * the members of a plan that is not broken are reachable, so as many are all of
 * them; and once, for each member has one above it.  A node that has no such plan
 * any more floods the frame from there.  While faults change, a frame on its way
 * along a plan may miss those below a link that fails, as any frame may that is
 * on a link when it fails.
 */
#include <linux/jiffies.h>

#include "coll.h"

/* Entries of hc_node.flood_seen: number, HEARD since the last sweep, window. */
#define NR_SHIFT	8
#define NR_MASK		GENMASK(23, 0)
#define HEARD		BIT(7)
#define WINDOW_BITS	7
#define WINDOW		GENMASK(WINDOW_BITS - 1, 0)
#define SWEEP_PERIOD	(60 * HZ)

/* ------------------------------------------------------------ who has seen what */

static void seen_sweep(struct hc_node *node)
{
	unsigned long silence = jiffies - node->flood_swept;
	u32 u;

	if (likely(silence < SWEEP_PERIOD))
		return;
	for (u = 0; u < hc_nodes(node->fabric->dim); u++)
		if (silence >= 2 * SWEEP_PERIOD || !(node->flood_seen[u] & HEARD))
			node->flood_seen[u] = 0;
		else
			node->flood_seen[u] &= ~HEARD;
	node->flood_swept = jiffies;
}

/* Is this the first time that frame @nr of node @src is here?  Notes that it was. */
static bool seen_first(struct hc_node *node, u32 src, u32 nr)
{
	u32 *seen = &node->flood_seen[src];
	u32 window = *seen & WINDOW;
	u32 ahead, behind;

	ahead = (nr - (*seen >> NR_SHIFT)) & NR_MASK;
	behind = -ahead & NR_MASK;
	if (!window || (ahead && ahead < behind)) {
		window = ahead < WINDOW_BITS ? window << ahead & WINDOW : 0;
		*seen = nr << NR_SHIFT | HEARD | window | BIT(0);
		return true;
	}
	if (behind >= WINDOW_BITS || window & BIT(behind))
		return false;
	*seen |= HEARD | BIT(behind);
	return true;
}

/* ------------------------------------------------------------ copies */

/* The header may be changed: clones of the frame have gone their ways. */
static bool own_header(struct hc_node *node, struct sk_buff *skb)
{
	if (!skb_cow_head(skb, 0))
		return true;
	hc_drop_count(node, NULL, HYPERCUBE_A_DROP_NO_MEMORY);
	return false;
}

static void copy_send(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	struct sk_buff *copy = skb_clone(skb, GFP_ATOMIC);

	if (copy)
		hc_link_send(node, dim, copy);
	else
		hc_drop_count(node, NULL, HYPERCUBE_A_DROP_NO_MEMORY);
}

/* Copies over all usable links but @from; @skb stays the caller's. */
static void flood(struct hc_node *node, unsigned int from, struct sk_buff *skb)
{
	unsigned int d;

	if (!own_header(node, skb))
		return;
	be32_add_cpu(&hc_hdr(skb)->step, 1);
	hc_hdr(skb)->plan = 0;
	hc_hdr(skb)->epoch = 0;
	hc_hdr(skb)->turn = 0;
	for (d = 0; d < node->fabric->dim; d++)
		if (d != from && hc_link_usable(node, d))
			copy_send(node, d, skb);
}

/* Copies to those below in the plan; @skb stays the caller's. */
static void plan_flood(struct hc_member *m, struct sk_buff *skb)
{
	unsigned int i;

	for (i = 0; i < m->role.nsrc; i++) {
		struct hc_hdr *hdr;

		if (!own_header(m->node, skb))
			return;
		hdr = hc_hdr(skb);
		if (!i)
			be32_add_cpu(&hdr->step, 1);
		hdr->plan = cpu_to_be32(m->plan->id);
		hdr->epoch = cpu_to_be32(m->plan->epoch);
		hdr->turn = cpu_to_be16(m->turns[i]);
		copy_send(m->node, m->src[i].dim, skb);
	}
}

/* ------------------------------------------------------------ plans */

/* A plan by which a frame of this node reaches everybody, as far as it knows.  Caller:
 * under RCU.
 */
static struct hc_member *plan_of_origin(struct hc_node *node)
{
	struct hc_plan *plan;
	unsigned long id;

	xa_for_each(&node->fabric->plans, id, plan) {
		struct hc_member *m = plan->member[node->id];

		if (plan->type == HYPERCUBE_PLAN_BCAST && plan->root == node->id && m &&
		    !m->broken && plan->nmembers == hc_state_reachable(node))
			return m;
	}
	return NULL;
}

/* The part of this node in the plan that the frame goes by, if it still has one and the
 * frame came from above.  Caller: under RCU.
 */
static struct hc_member *plan_of_frame(struct hc_node *node, unsigned int dim,
				       const struct hc_hdr *hdr)
{
	struct hc_plan *plan = xa_load(&node->fabric->plans, be32_to_cpu(hdr->plan));
	struct hc_member *m = plan ? plan->member[node->id] : NULL;

	if (!m || m->broken || plan->type != HYPERCUBE_PLAN_BCAST ||
	    plan->epoch != be32_to_cpu(hdr->epoch) || plan->root != be16_to_cpu(hdr->src) ||
	    !m->role.ndst || m->role.dst[0].dim != dim)
		return NULL;
	return m;
}

/* ------------------------------------------------------------ poll */

void hc_flood_start(struct hc_node *node, struct sk_buff *skb)
{
	u32 nr = ++node->flood_nr & NR_MASK;
	struct hc_member *m;

	seen_sweep(node);
	seen_first(node, node->id, nr);
	hc_hdr(skb)->op = cpu_to_be64(nr);
	rcu_read_lock();
	m = plan_of_origin(node);
	if (m)
		plan_flood(m, skb);
	else
		flood(node, HC_DIM_HOST, skb);
	rcu_read_unlock();
	consume_skb(skb);
}

bool hc_flood_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	struct hc_member *m;

	seen_sweep(node);
	if (!seen_first(node, be16_to_cpu(hdr->src), be64_to_cpu(hdr->op) & NR_MASK))
		return false;
	rcu_read_lock();
	m = hdr->plan ? plan_of_frame(node, dim, hdr) : NULL;
	if (m)
		plan_flood(m, skb);
	else
		flood(node, dim, skb);
	rcu_read_unlock();
	return true;
}
