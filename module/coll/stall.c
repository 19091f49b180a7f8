// SPDX-License-Identifier: GPL-2.0
/*
 * Operations that do not move.
 *
 * Once a second a member says what it could not say for lack of memory or room (ABORT, ACK), and
 * every member that has waited for a peer that long asks it (PROBE): a peer whose process is gone
 * ends the operation then.
 *
 * Links lose nothing, so silence tells nothing: a peer that does not answer waits for a processor,
 * and only the user of an operation decides how long that may take.
 */
#include <linux/jiffies.h>

#include "coll/anew.h"
#include "coll/coll.h"
#include "coll/detour.h"
#include "fabric/link.h"
#include "route/lsdb.h"
#include "sock/result.h"

static void probe(struct hc_member *m, const struct hc_tree_peer *peer, u64 nr, u32 flags)
{
	struct sk_buff *skb = hc_frame_alloc(m->node, HC_FRAME_PROBE, 0, GFP_ATOMIC);

	if (!skb)
		return;
	hc_wire_plan_of(skb)->op = cpu_to_be64(nr);
	hc_wire_probe_of(skb)->flags = cpu_to_be32(flags);
	hc_peer_xmit(m, peer, skb);
}

static void ask(struct hc_member *m, const struct hc_tree_peer *peer, u64 nr)
{
	if (peer && !(peer->how == HC_TREE_DETOUR && !m->broken && hc_detour_silent(m, peer)))
		probe(m, peer, nr, hc_is_of_new(m, nr) ? HC_PROBE_F_NEW : 0);
}

/* The process that owes the operation, or should receive it, is gone for good, as far as the one
 * that asks is concerned.  What it contributed or received before it left goes on without it.  Who
 * has come after all have heard of that waits for another one, as at the beginning.
 */
static bool gone(const struct hc_member *m, const struct hc_wire_probe *w)
{
	bool all_new = be32_to_cpu(w->flags) & HC_PROBE_F_NEW && !m->unheard;

	return m->left && !hc_sock_serves(m) && be64_to_cpu(w->plan.op) >= m->next && !all_new;
}

/* A peer waits for this member and asks whether there is still hope. */
void hc_probe_rx(struct hc_member *m, const struct sk_buff *skb)
{
	const struct hc_wire_probe *w = hc_wire_probe_of(skb);
	u64 nr = be64_to_cpu(w->plan.op);
	u32 src = be16_to_cpu(hc_hdr(skb)->src);
	const struct hc_tree_peer *peer = hc_peer_find(m, src);
	bool above = peer && hc_src_index(m, src) < 0;

	if (!peer || !hc_nr_fits(m, nr))
		return;
	/* The word that the plan broke takes ways around the fault, and may have met another. */
	if (m->broken)
		hc_abort_send(m, peer, &m->abort);
	/* That it has come was all that it was to say. */
	if (m->broken || be32_to_cpu(w->flags) & HC_PROBE_F_ANSWER)
		return;
	if (peer->how == HC_TREE_DETOUR)
		probe(m, peer, nr, HC_PROBE_F_ANSWER);
	if (hc_ended(m, nr))
		return;
	hc_new_note(m, peer, above, w);
	if (gone(m, w)) {
		struct hc_abort abort = {
			.from = m->next,
			.status = ECONNRESET,
			.node = m->node->id,
			.dim = HC_CAUSE_NONE,
		};

		hc_coll_abort_go_on(m, &abort);
	}
}

/* Looks for the root's word on what was complete when the plan broke. */
#define HC_DOUBT_MAX	3

static bool waits_for_peer(const struct hc_member *m)
{
	return m->view_wait == HYPERCUBE_WAIT_PEER || m->view_wait == HYPERCUBE_WAIT_CREDIT ||
	       m->view_wait == HYPERCUBE_WAIT_DONE;
}

/* Is a frame to the peer still under way, as far as this node can see? */
static bool pending(const struct hc_node *node, const struct hc_tree_peer *peer)
{
	bool detour = peer->how == HC_TREE_DETOUR;
	unsigned int d;

	for (d = 0; d < node->fabric->dim; d++)
		if ((detour || d == peer->dim) && hc_link_pending(node, d))
			return true;
	return false;
}

/* FINAL does not come: what is in doubt has failed as far as this member can ever know. */
static void doubt_end(struct hc_member *m)
{
	static const struct hc_abort unheard = { .next = HC_NEXT_UNKNOWN };

	hc_abort_settle(m, &unheard);
	hc_view_idle(m);
}

/* FINAL may be under way to this member. */
static bool dst_pending(const struct hc_member *m)
{
	unsigned int i;

	for (i = 0; i < m->role.ndst; i++)
		if (pending(m->node, &m->role.dst[i]))
			return true;
	return false;
}

void hc_doubt_check(struct hc_member *m)
{
	if (m->doubts && !dst_pending(m) && hc_lsdb_cut(m->node, m->plan->root))
		doubt_end(m);
}

/* The plan broke and the root's FINAL is overdue: probe for it, a few times. */
static void doubt_check(struct hc_member *m)
{
	unsigned int i;

	if (m->final || dst_pending(m))
		return;
	if (m->asked++ >= HC_DOUBT_MAX) {
		doubt_end(m);
		return;
	}
	for (i = 0; i < m->role.ndst; i++)
		ask(m, &m->role.dst[i], m->done);
}

/* Where it waits for several, each of them may be the one that has left: another one each time. */
static void ask_others(struct hc_member *m, const struct hc_tree_peer *awaited)
{
	const struct hc_tree_peer *other;

	if (!m->plan->ops->lockstep || !m->role.nsrc)
		return;
	other = &m->src[m->asked++ % m->role.nsrc];
	if (other != awaited)
		ask(m, other, m->view_nr);
}

void hc_stall_check(struct hc_member *m)
{
	const struct hc_tree_peer *peer;

	hc_abort_again(m);
	if (m->broken) {
		doubt_check(m);
		return;
	}
	if (hc_abort_owed(m))
		return;
	hc_ack_tell(m);
	/* Operations that are handed over are not done while somebody misses a process that has
	 * left, whatever else this member waits for.
	 */
	if (m->done < m->head && hc_ack_peers(m))
		ask(m, hc_peer_find(m, hc_ack_peer(m)), m->done);
	if (m->broken || !waits_for_peer(m) ||
	    time_before(jiffies, m->view_since + HC_STALL_TIME))
		return;
	peer = hc_peer_find(m, m->view_peer);
	if (m->view_wait != HYPERCUBE_WAIT_DONE)
		ask(m, peer, m->view_nr);
	if (!m->broken)
		ask_others(m, peer);
}
