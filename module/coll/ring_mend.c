// SPDX-License-Identifier: GPL-2.0
/*
 * Plans of rings that mend themselves between operations.
 *
 * A fault ends the operations of all members with its cause, as in every plan.  Then the lowest
 * member that can be reached, the master, gives each of them a new place.  Nobody looks into
 * another node: all of this is said by frames, which find their ways around the faults (route.c).
 *
 * A member whose plan is broken tells the node that it takes for the master (HELP), now and each
 * second.  The master begins an attempt.  Its name, the ballot, is greater than all that the
 * master has heard of.  An attempt goes through three phases, and none begins before all members
 * have answered the one before:
 *
 *   ASK	each member stops, and says which of its links are faulty and which number is free;
 *   PLACE	with that the master mends the rings (lib/hc_ring_mend.c) and tells each member its
 *		place in them and the number from which all count on.  A member takes frames of the
 *		others, but what its process contributes waits;
 *   GO		contributions wait no more.
 *
 * So nobody sends data before all have their places.  No number is used twice: the new ones are
 * behind all that any of them had begun, so what is still on its way from before is old
 * everywhere (hc_member.base).
 *
 * A member follows the greatest ballot only, and says NO to others, and to a place that its own
 * links do not allow.  After a NO, when the links of others change, when a member breaks again,
 * the master begins the next attempt.  If the master dies, or is not the lowest any more, members
 * ask the one that is.  An attempt asks all members of the plan that can be reached then: those
 * that are gone are no longer in the rings, those that are back are in them again.  Parts that
 * are not connected have a master each, which looks for the others: when they can be reached
 * again, they become one.
 *
 * Once faults stop, all nodes know the same links (route/lsdb.c), hence the same master; frames
 * that were lost are said again each second; so an attempt succeeds.
 * selftests/model/ring_mend.pml is a model of this.
 *
 * This file is what each member does; ring_desk.c is the master, ring_mend_fits.c what frames of
 * others may say.
 *
 * Memory.  What members need was charged when the plan was installed; what a master works with is
 * charged to the fabric, and if there is no memory, the master tries again a second later.
 */
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/ring.h"
#include "coll/ring_mend.h"
#include "coll/ring_mend_impl.h"
#include "fabric/link.h"
#include "route/lsdb.h"
#include "route/route.h"
#include "trace.h"

/* Seconds without a word of the master after which a member asks for one. */
#define SILENT_MAX	3

/* ------------------------------------------------------------ who is there */

bool hc_mend_reached(const struct hc_member *m, u32 *lowest, u32 *alive, u32 *n)
{
	const struct hc_plan *plan = m->plan;
	u32 *set = kzalloc(hc_mend_set_size(plan), GFP_ATOMIC | __GFP_NOWARN);
	bool known = set && hc_lsdb_reach(m->node, set);
	u32 u;

	*lowest = m->node->id;
	*n = 0;
	for (u = 0; known && u < hc_set_words(plan->fabric->dim); u++) {
		set[u] &= plan->members[u];
		if (set[u])
			*lowest = min_t(u32, *lowest, u * 32 + hc_first64(set[u]));
		if (alive)
			alive[u] = set[u];
		*n += hc_weight32(set[u]);
	}
	kfree(set);
	return known;
}

/* ------------------------------------------------------------ frames */

struct sk_buff *hc_mend_word(const struct hc_member *m, u8 what, u64 ballot, u64 nr, u32 len)
{
	struct sk_buff *skb = hc_frame_alloc(m->node, HC_FRAME_MEND, len, GFP_ATOMIC);
	struct hc_wire_mend *w;

	if (!skb)
		return NULL;
	w = hc_wire_mend_of(skb);
	w->plan.plan = cpu_to_be32(m->plan->id);
	w->plan.epoch = cpu_to_be32(m->plan->epoch);
	w->plan.op = cpu_to_be64(nr);
	w->ballot = cpu_to_be64(ballot);
	w->what = what;
	return skb;
}

static unsigned int mend_take(struct hc_member *m, u32 src, struct sk_buff *skb);

void hc_mend_send(struct hc_member *m, u32 dst, struct sk_buff *skb)
{
	if (!skb)
		return;
	m->node->spent++;
	trace_hc_mend(m->node, m->plan->id, dst, hc_wire_mend_of(skb));
	if (dst != m->node->id) {
		hc_route_xmit(m->node, dst, skb);
		return;
	}
	mend_take(m, dst, skb);
	consume_skb(skb);
}

static void answer(struct hc_member *m, u32 dst, u8 what)
{
	u64 nr = max(m->next, m->abort_to);
	struct sk_buff *skb = hc_mend_word(m, what, hc_mend_of(m)->heard, nr, 0);

	if (skb)
		hc_wire_mend_of(skb)->word = cpu_to_be32(m->node->fault);
	hc_mend_send(m, dst, skb);
}

/* ------------------------------------------------------------ members */

/* Stop.  What is under way ends with what the master says has broken the plan. */
static void member_stop(struct hc_member *m, u32 master, const struct hc_wire_mend *w)
{
	struct hc_abort abort = {
		.from = m->done,
		.status = be32_to_cpu(w->status),
		.node = be16_to_cpu(w->node),
		.dim = be16_to_cpu(w->dim),
		.flags = HC_ABORT_F_BROKEN,
	};

	if (!m->broken)
		hc_coll_abort(m, &abort, master);
}

static void ask_take(struct hc_member *m, u32 src, const struct hc_wire_mend *w)
{
	struct hc_mend *s = hc_mend_of(m);
	u64 ballot = be64_to_cpu(w->ballot);

	/* It has been delayed: this member is further. */
	if (ballot == s->heard && (s->phase == MEND_PLACED || s->ran == ballot))
		return;
	if (ballot < s->heard || (ballot == s->heard && s->phase != MEND_ASKED)) {
		answer(m, src, HC_MEND_NO);
		return;
	}
	member_stop(m, src, w);
	s->heard = ballot;
	s->phase = MEND_ASKED;
	answer(m, src, HC_MEND_ASKED);
}

/* Nothing that is counted from now on has been used before. */
static void numbers_begin(struct hc_member *m, u64 base)
{
	m->base = base;
	m->abort_to = 0;
	m->final = false;
	m->head = base;
	m->told = base;
	m->ack_seen = base;
	m->asked = 0;
	WRITE_ONCE(m->next, base);
	WRITE_ONCE(m->done, base);
}

static void ways_take(struct hc_member *m, const struct hc_wire_mend *w)
{
	const struct hc_wire_mend_way *way = (const void *)(w + 1);
	struct hc_ring_member *ring = hc_ring_member(m);
	const __be32 *set = (const void *)(way + w->ways);
	u32 i;

	memset(ring->way, 0, sizeof(ring->way));
	m->role.nsrc = w->ways;
	for (i = 0; i < w->ways; i++) {
		m->src[i] = (struct hc_tree_peer){
			.node = hc_neigh(m->node->id, way[i].dim),
			.dim = way[i].dim,
			.how = HC_TREE_DIRECT,
		};
		ring->way[i] = (struct hc_ring_way){
			.next = be16_to_cpu(way[i].next),
			.seen = be32_to_cpu(way[i].seen),
			.out = way[i].out,
			.used = way[i].flags & HC_WAY_F_USED,
			.relay = way[i].flags & HC_WAY_F_RELAY,
		};
	}
	ring->nrings = be16_to_cpu(w->rings);
	ring->nmembers = be32_to_cpu(w->members);
	ring->members = ring->mend->set;
	for (i = 0; i < hc_set_words(m->plan->fabric->dim); i++)
		ring->mend->set[i] = be32_to_cpu(set[i]);
}

static bool links_allow(const struct hc_member *m, const struct hc_wire_mend *w)
{
	const struct hc_wire_mend_way *way = (const void *)(w + 1);
	unsigned int i;

	for (i = 0; i < w->ways; i++)
		if (!hc_link_usable(m->node, way[i].dim))
			return false;
	return true;
}

static void place_take(struct hc_member *m, u32 src, const struct hc_wire_mend *w)
{
	struct hc_mend *s = hc_mend_of(m);
	u64 base = be64_to_cpu(w->plan.op);
	bool placed = !m->broken && (s->phase == MEND_PLACED || s->ran == s->heard);

	if (be64_to_cpu(w->ballot) != s->heard || (!placed && s->phase != MEND_ASKED)) {
		answer(m, src, HC_MEND_NO);
		return;
	}
	if (!placed) {
		if (base < max(m->next, m->abort_to) || !links_allow(m, w)) {
			answer(m, src, HC_MEND_NO);
			return;
		}
		ways_take(m, w);
		numbers_begin(m, base);
		s->phase = MEND_PLACED;
		m->broken = false;
		hc_view_idle(m);
	}
	answer(m, src, HC_MEND_PLACED);
}

static void go_take(struct hc_member *m, u32 src, const struct hc_wire_mend *w)
{
	struct hc_mend *s = hc_mend_of(m);
	u64 ballot = be64_to_cpu(w->ballot);

	if (ballot != s->heard || m->broken ||
	    (s->phase != MEND_PLACED && s->ran != ballot)) {
		answer(m, src, HC_MEND_NO);
		return;
	}
	if (s->phase == MEND_PLACED) {
		s->phase = MEND_NONE;
		s->ran = ballot;
		hc_node_kick(m->node, HC_EV_HOST);
	}
	answer(m, src, HC_MEND_GONE);
}

/* It has told a part of the members to go, and looks for the others. */
static bool leads_part(const struct hc_member *m)
{
	const struct hc_mend *s = hc_mend_of(m);

	return s->ran && hc_mend_master(s->ran) == m->node->id &&
	       hc_ring_member(m)->nmembers < m->plan->nmembers;
}

static bool mend_tends(const struct hc_member *m)
{
	const struct hc_mend *s = hc_mend_of(m);

	return s && (m->broken || s->phase == MEND_PLACED || s->desk || leads_part(m));
}

/* News of links is news for plans that are not ready. */
static void mend_count(struct hc_member *m)
{
	struct hc_mend *s = hc_mend_of(m);
	bool counts = mend_tends(m);

	if (counts == !!s->counted)
		return;
	s->counted = counts ? m->node : NULL;
	atomic_add(counts ? 1 : -1, &m->node->work.mending);
}

static unsigned int mend_take(struct hc_member *m, u32 src, struct sk_buff *skb)
{
	const struct hc_wire_mend *w = hc_wire_mend_of(skb);
	unsigned int why = hc_mend_fits(m, src, w, be32_to_cpu(hc_hdr(skb)->len));

	if (why)
		return why;
	if (hc_mend_master(be64_to_cpu(w->ballot)) == src)
		hc_mend_of(m)->silent = 0;
	switch (w->what) {
	case HC_MEND_HELP:
		hc_desk_help(m, src, be64_to_cpu(w->ballot));
		break;
	case HC_MEND_ASK:
		ask_take(m, src, w);
		break;
	case HC_MEND_PLACE:
		place_take(m, src, w);
		break;
	case HC_MEND_GO:
		go_take(m, src, w);
		break;
	default:
		hc_desk_answer(m, src, w);
	}
	return 0;
}

static unsigned int mend_rx(struct hc_member *m, struct sk_buff *skb)
{
	u32 src = be16_to_cpu(hc_hdr(skb)->src);
	unsigned int why;

	if (!hc_mend_of(m) || src >= hc_nodes(m->node->fabric->dim))
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if (be32_to_cpu(hc_hdr(skb)->len) > m->node->fabric->dim *
	    sizeof(struct hc_wire_mend_way) + hc_mend_set_size(m->plan))
		return HYPERCUBE_A_DROP_MALFORMED;
	if (skb_linearize(skb))
		return HYPERCUBE_A_DROP_NO_MEMORY;
	why = mend_take(m, src, skb);
	hc_desk_go_on(m);
	mend_count(m);
	/* What could not be said for want of memory is said again a second later. */
	if (mend_tends(m))
		hc_member_wait(m);
	return why;
}

/* ------------------------------------------------------------ what the common code asks */

/* A process that has nothing under way hears of the fault when it contributes next. */
void hc_mend_broke(struct hc_member *m)
{
	bool told = false;
	unsigned int i;

	if (!hc_mend_of(m))
		return;
	for (i = 0; i < HC_OP_WINDOW; i++)
		told |= m->ops[i] && m->ops[i]->begun;
	m->abort.from = min(m->abort.from, m->next);
	m->reset |= m->engaged && !told;
}

void hc_mend_settled(struct hc_member *m, const struct hc_abort *last)
{
	struct hc_mend *s = hc_mend_of(m);

	if (!s)
		return;
	s->phase = MEND_NONE;
	s->called = false;
	s->silent = 0;
	/* Not if the plan goes away. */
	hc_member_again(m);
	if (!m->gone)
		mend_count(m);
	if (!skb_queue_empty(&m->waiting))
		hc_node_kick(m->node, HC_EV_HOST);
}

static bool mend_holds(const struct hc_member *m)
{
	const struct hc_mend *s = hc_mend_of(m);

	return s && !READ_ONCE(m->node->failed) && (m->broken || s->phase == MEND_PLACED);
}

/* This member cannot go on alone, or need not. */
static bool call_is_news(const struct hc_member *m)
{
	const struct hc_mend *s = hc_mend_of(m);

	return !s->called || s->known != m->node->lsdb.digest;
}

static void master_call(struct hc_member *m)
{
	struct hc_mend *s = hc_mend_of(m);
	bool works = !m->broken && s->phase == MEND_NONE;
	u32 lowest, n;

	if (s->desk)
		return;
	/* Also if there is no memory: then again a second later. */
	s->called = true;
	s->known = m->node->lsdb.digest;
	if (!hc_mend_reached(m, &lowest, NULL, &n))
		return;
	if (works && n <= hc_ring_member(m)->nmembers)
		return;
	if (s->phase != MEND_NONE && s->silent < SILENT_MAX && lowest == hc_mend_master(s->heard))
		return;
	if (lowest == m->node->id)
		hc_desk_begin(m);
	else
		hc_mend_send(m, lowest, hc_mend_word(m, HC_MEND_HELP, s->heard, 0, 0));
}

static void mend_tend(struct hc_member *m, bool late)
{
	struct hc_mend *s = hc_mend_of(m);

	if (!s)
		return;
	if (READ_ONCE(m->node->failed)) {
		hc_desk_free(m->plan, s);
		return;
	}
	s->silent += late;
	if (!hc_desk_tend(m, late) && mend_tends(m) && (late || call_is_news(m)))
		master_call(m);
	hc_desk_go_on(m);
	mend_count(m);
}

const struct hc_mend_ops hc_mend_rings = {
	.tend = mend_tend, .tends = mend_tends, .holds = mend_holds, .rx = mend_rx,
};
