// SPDX-License-Identifier: GPL-2.0
/*
 * Plans of rings that mend themselves.
 *
 * A fault stops the operations of all members.  Then the lowest member that can be reached, the
 * master, gives each of them a new place.  Nobody looks into another node: all of this is said by
 * frames, which find their ways around the faults (route.c).
 *
 * A member whose plan is broken tells the node that it takes for the master (HELP), now and each
 * second.  The master begins an attempt.  Its name, the ballot, is greater than all that the
 * master has heard of.  An attempt goes through three phases, and none begins before all members
 * have answered the one before:
 *
 *   ASK	each member stops, and says which of its links are faulty, which number is free, and
 *		where it is in the operations under way;
 *   PLACE	with that the master mends the rings (lib/hc_ring_mend.c) and tells each member its
 *		place in them, the number from which all count on, and from where operations go
 *		on, or that they end (ring_keep.c, ring_verdict.c).  Nobody sends anything yet;
 *   GO		nothing waits any more.
 *
 * So nobody sends data before all have their places, and who gets data may go, too.  No number is
 * used twice: the new ones are behind all that any of them had begun, so what is still on its way
 * from before is old everywhere (hc_member.base).
 *
 * A member follows the greatest ballot only, and says NO to others, and to a place that its own
 * links do not allow.  After a NO, when the links of others change, when a member breaks again,
 * the master begins the next attempt.  If the master dies, or is not the lowest any more, members
 * ask the one that is.  An attempt asks all members of the plan that can be reached then: those
 * that are gone are no longer in the rings, those that are back are in them again.  Parts that
 * are not connected have a master each, which looks for the others: when they can be reached
 * again, they become one.
 *
 * A node that is asked and does not have the plan (its machine has come back without it, or it was
 * never installed there) says so (NONE).  It is left out like one that cannot be reached, until it
 * speaks of the plan itself.
 *
 * Nobody is taken for gone because something is late.  A member that does not answer is waited for
 * as long as it takes, whoever asks meanwhile why nothing goes on (HC_MEND_F_WAITS), until it is
 * known that no healthy link leads to it.  And that is believed only while the ends of each link
 * say the same of it, and each member that answers what the master knows already: else news is on
 * its way, or waits for memory where it is passed on, and who is left out may be there
 * (ring_desk.c).
 *
 * Once faults stop, all nodes know the same links (route/lsdb.c), hence the same master; frames
 * that were lost are said again each second; so an attempt succeeds.
 * selftests/model/ring_mend.pml is a model of this.
 *
 * Processes may do what they want meanwhile.  What they contribute waits in the host port
 * (hc_member_holds()), but for the rest of what was half sent; what they receive are results that
 * were given before.  When a socket is closed in the middle of a contribution, that is told to the
 * others when the plan is mended (hc_host_resume()).  When the plan or its fabric is removed, what
 * is held ends as always (hc_member_destroy()).
 *
 * This file is what each member does; ring_desk.c is the master, ring_mend_fits.c what frames of
 * others may say.
 *
 * Memory.  What members need was charged when the plan was installed; what a master works with is
 * charged to the fabric, and if there is no memory, the master tries again a second later.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/ring.h"
#include "coll/ring_keep.h"
#include "coll/ring_mend.h"
#include "coll/ring_mend_impl.h"
#include "fabric/link.h"
#include "netlink/netlink.h"
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
	for (u = 0; known && u < hc_set_words(plan->fabric->dim); u++) {
		set[u] &= plan->members[u] & ~hc_mend_of(m)->without[u];
		if (set[u])
			*lowest = min_t(u32, *lowest, u * 32 + hc_first64(set[u]));
		if (alive)
			alive[u] = set[u];
	}
	*n = known ? memweight(set, hc_mend_set_size(plan)) : 0;
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
	hc_hdr(skb)->step = cpu_to_be32(hc_mend_of(m)->clock);
	w = hc_wire_mend_of(skb);
	w->plan.plan = cpu_to_be32(m->plan->id);
	w->plan.epoch = cpu_to_be32(m->plan->tag);
	w->plan.op = cpu_to_be64(nr);
	w->ballot = cpu_to_be64(ballot);
	w->what = what;
	return skb;
}

struct sk_buff *hc_mend_none(struct hc_node *node, const struct sk_buff *skb)
{
	const struct hc_wire_mend *w = hc_wire_mend_of(skb);
	struct sk_buff *none;

	if (w->what >= HC_MEND_ASKED)
		return NULL;
	none = hc_frame_alloc(node, HC_FRAME_MEND, 0, GFP_ATOMIC);
	if (none) {
		hc_wire_mend_of(none)->ballot = w->ballot;
		hc_wire_mend_of(none)->what = HC_MEND_NONE;
	}
	return none;
}

static void mend_count(struct hc_member *m);
static unsigned int mend_take(struct hc_member *m, u32 src, struct sk_buff *skb);

void hc_mend_send(struct hc_member *m, u32 dst, struct sk_buff *skb)
{
	if (!skb)
		return;
	m->node->spent++;
	trace_hc_mend(m->node, m->plan->id, dst, skb);
	if (dst != m->node->id) {
		hc_route_xmit(m->node, dst, skb);
		return;
	}
	mend_take(m, dst, skb);
	consume_skb(skb);
}

/* Nobody has used it, or any above.  What has broken the plan has a number, too, so that the word
 * of it is known for an old one when the plan is mended.
 */
static u64 next_free(const struct hc_member *m)
{
	u64 ended = max(m->gen.end.nr + 1, m->gen.early.nr + 1);

	return max3(m->next, ended, m->gen.last.nr + 1);
}

static void answer(struct hc_member *m, u32 dst, u8 what)
{
	u64 nr = next_free(m);
	bool asked = what == HC_MEND_ASKED;
	struct sk_buff *skb = hc_mend_word(m, what, hc_mend_of(m)->heard, nr,
					   asked ? sizeof(struct hc_wire_mend_ops) : 0);

	if (skb && asked)
		hc_keep_tell(m, hc_wire_mend_of(skb));
	if (skb)
		hc_wire_mend_of(skb)->word = cpu_to_be32(m->node->fault);
	hc_mend_send(m, dst, skb);
}

/* ------------------------------------------------------------ members */

/* What waits for others, and for the master, begins anew. */
static void member_calm(struct hc_member *m)
{
	struct hc_mend *s = hc_mend_of(m);

	s->phase = MEND_NONE;
	s->called = false;
	s->silent = 0;
	/* Not if the plan goes away. */
	hc_member_again(m);
	if (!m->job.gone)
		mend_count(m);
}

/* All that is under way here ends with what has broken the plan.  A process that has nothing under
 * way hears of it when it contributes next.  Was any told?
 */
static bool member_end(struct hc_member *m)
{
	bool told = !list_empty(&m->gen.fallen);
	unsigned int i;

	for (i = 0; i < HC_OP_WINDOW; i++)
		told |= m->ops[i] && m->ops[i]->begun;
	m->gen.last.nr = min(m->done, m->next);
	hc_ends_all(m, NULL);
	hc_keep_end(m);
	member_calm(m);
	m->user.resets |= m->user.engaged && !told;
	m->user.engaged = false;
	if (!skb_queue_empty(&m->user.waiting))
		hc_node_kick(m->node, HC_EV_HOST);
	return told;
}

/* Stop, for what the master says has broken the plan. */
static void member_stop(struct hc_member *m, const struct hc_wire_mend *w)
{
	const struct hc_end cause = {
		.status = be32_to_cpu(w->status),
		.node = be16_to_cpu(w->node),
		.dim = be16_to_cpu(w->dim),
		.clock = hc_mend_of(m)->clock,
	};

	if (!m->gen.broken)
		hc_broke(m, &cause);
}

void hc_mend_hear(struct hc_mend *s, u64 ballot)
{
	s->heard = max(s->heard, ballot);
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
	member_stop(m, w);
	hc_mend_hear(s, ballot);
	s->phase = MEND_ASKED;
	answer(m, src, HC_MEND_ASKED);
}

/* Nothing that is counted from now on has been used before. */
static void numbers_begin(struct hc_member *m, u64 base)
{
	m->user.leaves |= m->user.left;
	m->base = base;
	m->gen.count = 0;
	m->gen.unsaid = 0;
	hc_end_init(m);
	m->gen.early.nr = HC_NR_NONE;
	m->gen.early_ended = 0;
	m->head = base;
	m->told = base;
	WRITE_ONCE(m->done, base);
}

static void ways_take(struct hc_member *m, u32 master, const struct hc_wire_mend *w)
{
	const struct hc_wire_mend_way *way = hc_mend_ways_of(w);
	struct hc_ring_member *ring = hc_ring_member(m);
	const __be32 *set = (const void *)(way + w->ways);
	u32 *members;
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
			.came = be16_to_cpu(way[i].came),
			.leaves = be16_to_cpu(way[i].leaves),
			.out = way[i].out,
			.used = way[i].flags & HC_WAY_F_USED,
			.relay = way[i].flags & HC_WAY_F_RELAY,
		};
	}
	ring->nrings = be16_to_cpu(w->rings);
	ring->nmembers = be32_to_cpu(w->members);
	ring->tour = be16_to_cpu(w->tour);
	members = hc_keep_set_free(m);
	be32_to_cpu_array(members, set, hc_set_words(m->plan->fabric->dim));
	WRITE_ONCE(ring->members, members);
	m->tells = m->node->id == (hc_set_has(members, m->plan->root) ? m->plan->root : master);
}

static bool links_allow(const struct hc_member *m, const struct hc_wire_mend *w)
{
	const struct hc_wire_mend_way *way = hc_mend_ways_of(w);
	unsigned int i;

	for (i = 0; i < w->ways; i++)
		if (!hc_link_usable(m->node, way[i].dim))
			return false;
	return true;
}

/* What is under way goes on, or ends, as the master says.  False: it cannot. */
static bool ops_take(struct hc_member *m, const struct hc_wire_mend *w)
{
	u64 base = be64_to_cpu(w->plan.op);

	if (w->flags & HC_MEND_F_RESUME)
		return hc_keep_resume(m, w);
	/* One word for all members. */
	if (!hc_mend_of(m)->keep.ended && member_end(m) &&
	    atomic64_xchg(&m->plan->reported, base) != base)
		hc_end_event(m, &m->gen.last, m->gen.last.nr);
	WRITE_ONCE(m->renamed, 0);
	WRITE_ONCE(m->next, base);
	return true;
}

static void place_take(struct hc_member *m, u32 src, const struct hc_wire_mend *w)
{
	struct hc_mend *s = hc_mend_of(m);
	u64 base = be64_to_cpu(w->plan.op);
	bool placed = !m->gen.broken && (s->phase == MEND_PLACED || s->ran == s->heard);

	if (be64_to_cpu(w->ballot) != s->heard || (!placed && s->phase != MEND_ASKED)) {
		answer(m, src, HC_MEND_NO);
		return;
	}
	if (!placed) {
		if (base < next_free(m) || !links_allow(m, w) || !ops_take(m, w)) {
			answer(m, src, HC_MEND_NO);
			return;
		}
		ways_take(m, src, w);
		numbers_begin(m, base);
		hc_keep_place(m, w);
		s->phase = MEND_PLACED;
		m->gen.broken = false;
		hc_view_idle(m);
	}
	answer(m, src, HC_MEND_PLACED);
}

/* The plan is mended, as the first member of this machine hears that goes on in an attempt. */
static void plan_go(struct hc_plan *plan, u64 ballot)
{
	/* Parts that are apart count their attempts by themselves. */
	if (atomic64_xchg(&plan->went, ballot) == ballot)
		return;
	atomic_inc(&plan->mended);
	WRITE_ONCE(plan->broken, false);
	/* The next report that it is broken comes after this. */
	smp_mb__before_atomic();
	clear_bit(1, &plan->breaking);
	clear_bit(0, &plan->breaking);
	trace_hc_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
	hc_notify_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
}

/* All have their places. */
static void member_go(struct hc_member *m)
{
	struct hc_mend *s = hc_mend_of(m);

	s->phase = MEND_NONE;
	WRITE_ONCE(s->ran, s->heard);
	plan_go(m->plan, s->ran);
	hc_keep_went(m);
	hc_node_kick(m->node, HC_EV_HOST);
	hc_member_again(m);
}

void hc_mend_heard(struct hc_member *m)
{
	struct hc_mend *s = hc_mend_of(m);

	if (s && s->phase == MEND_PLACED && !m->gen.broken)
		member_go(m);
}

static void go_take(struct hc_member *m, u32 src, const struct hc_wire_mend *w)
{
	struct hc_mend *s = hc_mend_of(m);
	u64 ballot = be64_to_cpu(w->ballot);

	if (ballot != s->heard || m->gen.broken ||
	    (s->phase != MEND_PLACED && s->ran != ballot)) {
		answer(m, src, HC_MEND_NO);
		return;
	}
	if (s->phase == MEND_PLACED)
		member_go(m);
	answer(m, src, HC_MEND_GONE);
}

/* It has told a part of the members to go, and looks for the others. */
static bool leads_part(const struct hc_member *m)
{
	const struct hc_mend *s = hc_mend_of(m);

	return s->ran && hc_mend_master(s->ran) == m->node->id &&
	       hc_ring_member(m)->nmembers < m->plan->nmembers;
}

bool hc_mend_tends(const struct hc_member *m)
{
	const struct hc_mend *s = hc_mend_of(m);

	return s && (m->gen.broken || s->phase == MEND_PLACED || s->desk || leads_part(m));
}

/* News of links is news for plans that are not ready. */
static void mend_count(struct hc_member *m)
{
	struct hc_mend *s = hc_mend_of(m);
	bool counts = hc_mend_tends(m);

	if (counts == !!s->counted)
		return;
	s->counted = counts ? m->node : NULL;
	atomic_add(counts ? 1 : -1, &m->node->work.mending);
}

/* So many links has the news of the fault crossed; @first: no other one was known of here. */
static void clock_take(struct hc_mend *s, u32 clock, bool first)
{
	first &= s->phase == MEND_NONE && !s->desk;
	s->clock = first ? clock : max(s->clock, clock);
}

/* It is no member any more: nobody asks it, or takes it for the master. */
static void none_take(struct hc_member *m, u32 src, const struct hc_wire_mend *w)
{
	struct hc_mend *s = hc_mend_of(m);

	/* It answers what was said last. */
	if (be64_to_cpu(w->ballot) != s->heard)
		return;
	hc_set_add(s->without, src);
	s->called = false;
	hc_desk_without(m, src);
}

static void (* const takers[__HC_MEND_END])(struct hc_member *m, u32 src,
					    const struct hc_wire_mend *w) = {
	[HC_MEND_HELP]				= hc_desk_help,
	[HC_MEND_ASK]				= ask_take,
	[HC_MEND_PLACE]				= place_take,
	[HC_MEND_GO]				= go_take,
	[HC_MEND_ASKED ... HC_MEND_NO]		= hc_desk_answer,
	[HC_MEND_NONE]				= none_take,
};

static unsigned int mend_take(struct hc_member *m, u32 src, struct sk_buff *skb)
{
	const struct hc_wire_mend *w = hc_wire_mend_of(skb);
	unsigned int why = hc_mend_fits(m, src, w, be32_to_cpu(hc_hdr(skb)->len));

	if (why)
		return why;
	clock_take(hc_mend_of(m), be32_to_cpu(hc_hdr(skb)->step), !m->gen.broken);
	if (hc_mend_master(be64_to_cpu(w->ballot)) == src)
		hc_mend_of(m)->silent = 0;
	hc_set_del(hc_mend_of(m)->without, src);
	takers[w->what](m, src, w);
	return 0;
}

unsigned int hc_mend_rx(struct hc_member *m, struct sk_buff *skb)
{
	u32 src = be16_to_cpu(hc_hdr(skb)->src);
	unsigned int why;

	if (!hc_mend_of(m) || src >= hc_nodes(m->node->fabric->dim))
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if (be32_to_cpu(hc_hdr(skb)->len) > sizeof(struct hc_wire_mend_ops) +
	    m->node->fabric->dim * sizeof(struct hc_wire_mend_way) + hc_mend_set_size(m->plan))
		return HYPERCUBE_A_DROP_MALFORMED;
	if (skb_linearize(skb))
		return HYPERCUBE_A_DROP_NO_MEMORY;
	why = mend_take(m, src, skb);
	hc_desk_go_on(m);
	mend_count(m);
	/* What could not be said for want of memory is said again a second later. */
	if (hc_mend_tends(m))
		hc_member_wait(m);
	return why;
}

/* ------------------------------------------------------------ what the common code asks */

void hc_mend_init(const struct hc_plan *plan, struct hc_mend *s, u32 *sets)
{
	size_t words = hc_set_words(plan->fabric->dim);
	struct hc_ring_keep *k = &s->keep;
	unsigned int i;

	s->made_at = get_jiffies_64();
	for (i = 0; i < HC_KEEP_SETS; i++, sets += words)
		k->set[i] = sets;
	for (i = 0; i < 2; i++, sets += words)
		k->slice[i].gave = sets;
	k->missing = sets;
	s->without = sets + words;
	k->base = plan->members;
	k->nbase = plan->nmembers;
}

/* The node's own processes hear at once that it has failed: nobody will take it in again for what
 * is under way.
 */
void hc_mend_stop(struct hc_member *m, bool news)
{
	struct hc_mend *s = hc_mend_of(m);

	if (READ_ONCE(m->node->failed)) {
		if (!s->keep.ended)
			member_end(m);
	} else if (news) {
		clock_take(s, m->gen.last.clock, true);
		hc_keep_stop(m);
		member_calm(m);
	}
}

bool hc_mend_holds(const struct hc_member *m)
{
	const struct hc_mend *s = hc_mend_of(m);

	return s && !READ_ONCE(m->node->failed) && (m->gen.broken || s->phase == MEND_PLACED);
}

/* This member cannot go on alone, or need not. */
static bool call_is_news(const struct hc_member *m)
{
	const struct hc_mend *s = hc_mend_of(m);

	return !s->called || s->known != m->node->lsdb.digest;
}

static void help(struct hc_member *m, u32 master)
{
	const struct hc_mend *s = hc_mend_of(m);
	struct sk_buff *skb = hc_mend_word(m, HC_MEND_HELP, s->heard, 0, 0);

	if (skb && s->phase != MEND_NONE)
		hc_wire_mend_of(skb)->flags = HC_MEND_F_WAITS;
	hc_mend_send(m, master, skb);
}

static void master_call(struct hc_member *m)
{
	struct hc_mend *s = hc_mend_of(m);
	bool works = !m->gen.broken && s->phase == MEND_NONE;
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
	if (works)
		s->clock = 0;
	if (s->phase != MEND_NONE && s->silent < SILENT_MAX && lowest == hc_mend_master(s->heard))
		return;
	if (lowest == m->node->id)
		hc_desk_begin(m);
	else
		help(m, lowest);
}

void hc_mend_tend(struct hc_member *m, bool late)
{
	struct hc_mend *s = hc_mend_of(m);

	if (!s)
		return;
	if (READ_ONCE(m->node->failed)) {
		hc_desk_free(m->plan, s);
		if (m->gen.broken)
			hc_mend_stop(m, false);
		return;
	}
	if (!hc_keep_holds(m))
		hc_host_resume(m);
	s->silent += late;
	if (!hc_desk_tend(m, late) && hc_mend_tends(m) && (late || call_is_news(m)))
		master_call(m);
	hc_desk_go_on(m);
	mend_count(m);
}
