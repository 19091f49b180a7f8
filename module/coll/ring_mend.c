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
 *   ASK each member stops, and says which of its links are faulty and which number is free;
 *   PLACE with that the master mends the rings (lib/hc_ring_mend.c) and tells each member its
 *   place in them and the number from which all count on.  It takes frames of the others, but
 *   what its process contributes waits; GO contributions wait no more.
 *
 * So nobody sends data before all have their places.  No number is used twice: the new ones are
 * behind all that any of them had begun, so what is still on its way from before is old
 * everywhere (hc_member.base).
 *
 * A member follows the greatest ballot only, and says NO to others, and to a place that its own
 * links do not allow.  After a NO, when the links of others change, when a member breaks again,
 * the master begins the next attempt.  If the master dies, or is not the lowest any more,
 * members ask the one that is.  An attempt asks all members of the plan that can be reached
 * then: those that are gone are no longer in the rings, those that are back are in them again.
 * Parts that are not connected have a master each, which looks for the others: when they can be
 * reached again, they become one.
 *
 * Once faults stop, all nodes know the same links (route/lsdb.c), hence the same master; frames
 * that were lost are said again each second; so an attempt succeeds.
 * selftests/model/ring_mend.pml is a model of this.
 *
 * Memory.  What members need was charged when the plan was installed; what a master works with
 * is charged to the fabric, and if there is no memory, the master tries again a second later.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/ring.h"
#include "coll/ring_mend.h"
#include "coll/ring_ways.h"
#include "fabric/limits.h"
#include "fabric/link.h"
#include "netlink/netlink.h"
#include "route/lsdb.h"
#include "route/route.h"
#include "trace.h"

/* Seconds without a word of the master after which a member asks for one. */
#define SILENT_MAX	3
/* Attempts that a master may begin in a second. */
#define TRIES		8
/* How many attempts, and numbers, somebody may be ahead of what is known here.  A liar cannot
 * use up all at once, and a member that was away for years can come back.
 */
#define AHEAD		(1ULL << 32)
#define NUMBERS_AHEAD	(1ULL << 48)
/* Nodes whose links are looked at in the time that a frame takes. */
#define NODES_OF_A_FRAME	64

/**
 * struct mend_desk - an attempt, at its master
 * @ballot: its name
 * @cause: what has broken the plan
 * @what: what members are told in this phase
 * @again: it is of no use: begin another one
 * @tries: attempts begun in this second
 * @digest: of what the master knew of links when it began
 * @nwant: members that have not answered
 * @next: the first number that is free at all members that have
 * @word: FAULT words of members
 * @alive: set of the members that were asked
 * @want: set of those that have not answered
 * @shape: the new tree, from PLACE on
 */
struct mend_desk {
	u64 ballot;
	struct hc_abort cause;
	u8 what;
	bool again;
	u8 tries;
	u32 digest;
	u32 nwant;
	u64 next;
	u32 *word;
	u32 *alive;
	u32 *want;
	struct hc_ring_shape *shape;
};

static struct hc_mend *mend_of(const struct hc_member *m)
{
	return hc_ring_member(m)->mend;
}

static u32 master_of(u64 ballot)
{
	return ballot & U16_MAX;
}

static u64 attempt_of(u64 ballot)
{
	return ballot >> 16;
}

/* ------------------------------------------------------------ the desk */

static size_t words_size(const struct hc_plan *plan)
{
	return hc_nodes(plan->fabric->dim) * sizeof(u32);
}

static size_t set_size(const struct hc_plan *plan)
{
	return hc_set_words(plan->fabric->dim) * sizeof(u32);
}

static void shape_free(struct hc_fabric *fabric, struct hc_ring_shape *shape)
{
	if (shape)
		hc_poll_free(fabric, shape, shape->size);
}

static void desk_free(const struct hc_plan *plan, struct hc_mend *s)
{
	struct hc_fabric *fabric = plan->fabric;
	struct mend_desk *desk = s->desk;

	if (!desk)
		return;
	s->desk = NULL;
	shape_free(fabric, desk->shape);
	hc_poll_free(fabric, desk->word, words_size(plan));
	hc_poll_free(fabric, desk->alive, set_size(plan));
	hc_poll_free(fabric, desk->want, set_size(plan));
	hc_poll_free(fabric, desk, sizeof(*desk));
}

void hc_mend_release(struct hc_plan *plan, struct hc_mend *s)
{
	if (s->counted)
		atomic_dec(&s->counted->work.mending);
	desk_free(plan, s);
	shape_free(plan->fabric, rcu_dereference_protected(s->shape, true));
}

static bool desk_alloc(const struct hc_member *m, struct hc_mend *s)
{
	const struct hc_plan *plan = m->plan;
	struct hc_fabric *fabric = plan->fabric;
	struct mend_desk *desk;

	if (s->desk)
		return true;
	desk = hc_poll_alloc(fabric, sizeof(*desk));
	if (!desk)
		return false;
	s->desk = desk;
	desk->word = hc_poll_alloc(fabric, words_size(plan));
	desk->alive = hc_poll_alloc(fabric, set_size(plan));
	desk->want = hc_poll_alloc(fabric, set_size(plan));
	if (desk->word && desk->alive && desk->want)
		return true;
	desk_free(plan, s);
	return false;
}

const struct hc_ring_shape *hc_mend_shape(const struct hc_plan *plan)
{
	const struct hc_ring_shape *best = NULL, *shape;
	u32 u;

	for (u = 0; plan->mends && u < hc_nodes(plan->fabric->dim); u++) {
		if (!plan->member[u])
			continue;
		shape = rcu_dereference(mend_of(plan->member[u])->shape);
		if (shape && (!best || shape->ballot > best->ballot))
			best = shape;
	}
	return best;
}

/* ------------------------------------------------------------ who is there */

/* The lowest member that can be reached, and how many can; @alive, if not NULL: all of them.
 * False: no memory.
 */
static bool members_reached(const struct hc_member *m, u32 *lowest, u32 *alive, u32 *n)
{
	const struct hc_plan *plan = m->plan;
	u32 *set = kzalloc(set_size(plan), GFP_ATOMIC | __GFP_NOWARN);
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

static struct sk_buff *word_alloc(const struct hc_member *m, u8 what, u64 ballot, u64 nr, u32 len)
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

/* A frame to this node itself goes without a link.  Consumes; NULL: it is said again a second
 * later.
 */
static void word_send(struct hc_member *m, u32 dst, struct sk_buff *skb)
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
	struct sk_buff *skb = word_alloc(m, what, mend_of(m)->heard, nr, 0);

	if (skb)
		hc_wire_mend_of(skb)->word = cpu_to_be32(m->node->fault);
	word_send(m, dst, skb);
}

/* ------------------------------------------------------------ the master */

static struct sk_buff *ask_alloc(const struct hc_member *m, const struct mend_desk *desk)
{
	struct sk_buff *skb = word_alloc(m, HC_MEND_ASK, desk->ballot, 0, 0);
	struct hc_wire_mend *w;

	if (skb) {
		w = hc_wire_mend_of(skb);
		w->status = cpu_to_be32(desk->cause.status);
		w->node = cpu_to_be16(desk->cause.node);
		w->dim = cpu_to_be16(desk->cause.dim);
	}
	return skb;
}

static void ways_fill(void *to, const struct hc_ring_making *mk)
{
	struct hc_wire_mend_way *w = to;
	unsigned int i;

	for (i = 0; i < mk->n; i++) {
		const struct hc_ring_way *way = &mk->way[i];

		w[i] = (struct hc_wire_mend_way){
			.seen = cpu_to_be32(way->seen), .next = cpu_to_be16(way->next),
			.dim = mk->src[i].dim, .out = way->out,
			.flags = (way->used ? HC_WAY_F_USED : 0) |
				 (way->relay ? HC_WAY_F_RELAY : 0),
		};
	}
}

/* The set goes as words, too. */
static void set_fill(void *to, const u32 *set, size_t words)
{
	__be32 *w = to;

	while (words--)
		w[words] = cpu_to_be32(set[words]);
}

static struct sk_buff *place_alloc(const struct hc_member *m, const struct mend_desk *desk,
				   const struct hc_ring_maker *k, u32 u)
{
	size_t size = set_size(m->plan), ways;
	struct hc_ring_making mk;
	struct hc_wire_mend *w;
	struct sk_buff *skb;

	hc_ring_make(k, u, &mk);
	ways = mk.n * sizeof(struct hc_wire_mend_way);
	skb = word_alloc(m, HC_MEND_PLACE, desk->ballot, desk->next, ways + size);
	if (!skb)
		return NULL;
	w = hc_wire_mend_of(skb);
	w->ways = mk.n;
	w->rings = cpu_to_be16(mk.nrings);
	w->members = cpu_to_be32(desk->shape->t.nnodes + 1 - desk->shape->t.nrings);
	ways_fill(w + 1, &mk);
	set_fill((void *)(w + 1) + ways, desk->alive, size / sizeof(u32));
	return skb;
}

/* To all that have not answered. */
static void desk_tell(struct hc_member *m)
{
	struct mend_desk *desk = mend_of(m)->desk;
	struct hc_ring_maker k = {};
	bool place = desk->what == HC_MEND_PLACE;
	u32 u;

	if (place) {
		if (hc_ring_maker_init(&k, &desk->shape->t, m->plan->fabric->dim, desk->word,
				       GFP_ATOMIC | __GFP_NOWARN))
			goto out;
		hc_ring_maker_fill(&k);
	}
	for (u = 0; u < hc_nodes(m->plan->fabric->dim); u++) {
		if (!hc_set_has(desk->want, u))
			continue;
		word_send(m, u, place ? place_alloc(m, desk, &k, u) :
				desk->what == HC_MEND_ASK ? ask_alloc(m, desk) :
				word_alloc(m, desk->what, desk->ballot, 0, 0));
	}
out:
	hc_ring_maker_free(&k);
}

static void phase_begin(struct hc_member *m, u8 what)
{
	struct mend_desk *desk = mend_of(m)->desk;
	u32 i;

	desk->what = what;
	desk->nwant = 0;
	for (i = 0; i < hc_set_words(m->plan->fabric->dim); i++) {
		desk->want[i] = desk->alive[i];
		desk->nwant += hc_weight32(desk->want[i]);
	}
	desk_tell(m);
}

/* Begin the next attempt, if this is the master. */
static void attempt_begin(struct hc_member *m)
{
	struct hc_mend *s = mend_of(m);
	struct mend_desk *desk;
	u32 lowest, n;

	if (!desk_alloc(m, s))
		return;
	desk = s->desk;
	desk->again = true;
	if (desk->tries++ >= TRIES)
		return;
	m->node->spent += hc_nodes(m->plan->fabric->dim) / NODES_OF_A_FRAME;
	if (!members_reached(m, &lowest, desk->alive, &n))
		return;
	if (lowest != m->node->id) {
		desk_free(m->plan, s);
		s->called = false;
		return;
	}
	desk->again = false;
	desk->ballot = (attempt_of(max(s->heard, desk->ballot)) + 1) << 16 | m->node->id;
	desk->digest = m->node->lsdb.digest;
	desk->next = 0;
	desk->cause = m->abort;
	if (!desk->cause.status) {
		desk->cause.status = ENOLINK;
		desk->cause.node = HC_CAUSE_NONE;
		desk->cause.dim = HC_CAUSE_NONE;
	}
	shape_free(m->plan->fabric, desk->shape);
	desk->shape = NULL;
	memset(desk->word, 0xff, words_size(m->plan));
	phase_begin(m, HC_MEND_ASK);
}

/* A tree of so many nodes has at most as many rings, and twice as many places. */
static struct hc_ring_shape *shape_alloc(const struct hc_member *m, u32 n)
{
	size_t rings = n * sizeof(struct hc_ring), nodes = round_up(2 * n * sizeof(u16), 4);
	size_t size = struct_size_t(struct hc_ring_shape, ring, 0) + rings + nodes +
		      set_size(m->plan);
	struct hc_ring_shape *shape = hc_poll_alloc(m->plan->fabric, size);

	if (!shape)
		return NULL;
	shape->size = size;
	shape->members = (void *)shape->ring + rings + nodes;
	return shape;
}

static int mend_with(struct hc_ring_mending *g, u32 nodes, u32 n)
{
	const struct hc_ring_net net = hc_ring_cube(g->dim, g->fault);
	int err = -ENOMEM;

	g->home = kcalloc(nodes, sizeof(*g->home), GFP_ATOMIC | __GFP_NOWARN);
	g->order = kcalloc(n, sizeof(*g->order), GFP_ATOMIC | __GFP_NOWARN);
	g->count = kcalloc(g->old->nrings, sizeof(*g->count), GFP_ATOMIC | __GFP_NOWARN);
	g->queue = kcalloc(g->old->nrings, sizeof(*g->queue), GFP_ATOMIC | __GFP_NOWARN);
	if (g->home && g->order && g->count && g->queue)
		err = hc_ring_mend(g);
	/* hc_ring_mend() is clever, the verifier is not. */
	if (!err && WARN_ON_ONCE(hc_ring_check(&g->t, &net, g->home, NULL)))
		err = -EINVAL;
	kfree(g->home);
	kfree(g->order);
	kfree(g->count);
	kfree(g->queue);
	return err;
}

/* Mend the rings with what the members have said.  False: they are not connected as it seemed, or
 * there is no memory.
 */
static bool desk_mend(struct hc_member *m)
{
	struct mend_desk *desk = mend_of(m)->desk;
	u32 nodes = hc_nodes(m->plan->fabric->dim), n = 0, i;
	struct hc_ring_mending g = {
		.dim = m->plan->fabric->dim, .fault = desk->word, .alive = desk->alive,
	};

	for (i = 0; i < hc_set_words(g.dim); i++)
		n += hc_weight32(desk->alive[i]);
	desk->shape = shape_alloc(m, n);
	if (!desk->shape)
		return false;
	g.old = hc_ring_tree_of(m->plan, &g.places);
	g.ring = desk->shape->ring;
	g.node = (void *)(desk->shape->ring + n);
	m->node->spent += nodes / NODES_OF_A_FRAME;
	if (mend_with(&g, nodes, n))
		return false;
	desk->shape->t = g.t;
	desk->shape->ballot = desk->ballot;
	memcpy(desk->shape->members, desk->alive, set_size(m->plan));
	return true;
}

/* All members go on. */
static void desk_done(struct hc_member *m)
{
	struct hc_mend *s = mend_of(m);
	struct hc_plan *plan = m->plan;
	struct hc_ring_shape *old = rcu_dereference_protected(s->shape, true);

	rcu_assign_pointer(s->shape, s->desk->shape);
	s->desk->shape = NULL;
	if (old) {
		hc_poll_uncharge(plan->fabric, old->size);
		kfree_rcu(old, rcu);
	}
	desk_free(plan, s);
	atomic_inc(&plan->mended);
	WRITE_ONCE(plan->broken, false);
	/* The next report that it is broken comes after this. */
	smp_mb__before_atomic();
	clear_bit(0, &plan->breaking);
	trace_hc_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
	hc_notify_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
}

/* All have answered: the next phase. */
static void desk_next(struct hc_member *m)
{
	struct mend_desk *desk = mend_of(m)->desk;

	switch (desk->what) {
	case HC_MEND_ASK:
		/* Beyond all numbers that were used, whichever of them failed: see coll/abort.c. */
		desk->next += HC_OP_RANGE;
		if (desk->digest == m->node->lsdb.digest && desk_mend(m))
			phase_begin(m, HC_MEND_PLACE);
		else
			desk->again = true;
		break;
	case HC_MEND_PLACE:
		phase_begin(m, HC_MEND_GO);
		break;
	default:
		desk_done(m);
	}
}

static void desk_go_on(struct hc_member *m)
{
	struct hc_mend *s = mend_of(m);

	while (s->desk && !s->desk->again && !s->desk->nwant)
		desk_next(m);
	if (s->desk ? s->desk->again && s->desk->tries < TRIES : m->broken && !s->called)
		hc_member_again(m);
}

static void answer_take(struct hc_member *m, u32 src, const struct hc_wire_mend *w)
{
	struct hc_mend *s = mend_of(m);
	struct mend_desk *desk = s->desk;
	u64 ballot = be64_to_cpu(w->ballot);

	if (w->what == HC_MEND_NO) {
		s->heard = max(s->heard, ballot);
		if (desk && ballot >= desk->ballot)
			desk->again = true;
		return;
	}
	if (!desk || desk->again || ballot != desk->ballot ||
	    w->what != desk->what + HC_MEND_ASKED - HC_MEND_ASK || !hc_set_has(desk->want, src))
		return;
	hc_set_del(desk->want, src);
	desk->nwant--;
	/* Other members that were asked may be gone. */
	desk->again = desk->digest != m->node->lsdb.digest;
	if (w->what != HC_MEND_ASKED)
		return;
	desk->word[src] = be32_to_cpu(w->word);
	desk->next = max(desk->next, be64_to_cpu(w->plan.op));
}

/* The plan is broken at @src, which takes this member for the master. */
static void help_take(struct hc_member *m, u32 src, u64 ballot)
{
	struct hc_mend *s = mend_of(m);

	s->heard = max(s->heard, ballot);
	if (s->desk) {
		/* It has heard of this attempt, and broken since. */
		if (ballot == s->desk->ballot)
			s->desk->again = true;
		return;
	}
	/* From before it was mended, unless it is one that came back. */
	if (!m->broken && s->phase == MEND_NONE && ballot < s->ran &&
	    hc_set_has(hc_ring_member(m)->members, src))
		return;
	attempt_begin(m);
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
	struct hc_mend *s = mend_of(m);
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
	struct hc_mend *s = mend_of(m);
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
	struct hc_mend *s = mend_of(m);
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

/* News of links is news for plans that are not ready. */
static void mend_count(struct hc_member *m)
{
	struct hc_mend *s = mend_of(m);
	bool counts = hc_mend_tends(m);

	if (counts == !!s->counted)
		return;
	s->counted = counts ? m->node : NULL;
	atomic_add(counts ? 1 : -1, &m->node->work.mending);
}

/* ------------------------------------------------------------ what may be said */

static bool ways_fit(const struct hc_member *m, const struct hc_wire_mend *w)
{
	const struct hc_wire_mend_way *way = (const void *)(w + 1);
	u32 members = be32_to_cpu(w->members), dims = 0;
	unsigned int i;

	for (i = 0; i < w->ways; i++) {
		if (way[i].dim >= m->node->fabric->dim || dims & hc_bit(way[i].dim) ||
		    way[i].out >= w->ways || be32_to_cpu(way[i].seen) > members ||
		    be16_to_cpu(way[i].next) >= hc_nodes(m->node->fabric->dim) ||
		    way[i].flags & ~(HC_WAY_F_USED | HC_WAY_F_RELAY))
			return false;
		dims |= hc_bit(way[i].dim);
	}
	return w->ways || members == 1;
}

static bool wire_set_has(const __be32 *set, u32 u)
{
	return be32_to_cpu(set[u / 32]) >> (u % 32) & 1;
}

/* Only members of the plan, this one and the master among them, as many as it says. */
static bool set_fits(const struct hc_member *m, u32 src, const struct hc_wire_mend *w)
{
	const __be32 *set = (const void *)((const struct hc_wire_mend_way *)(w + 1) + w->ways);
	u32 n = 0, i;

	for (i = 0; i < hc_set_words(m->node->fabric->dim); i++) {
		if (be32_to_cpu(set[i]) & ~m->plan->members[i])
			return false;
		n += hc_weight32(be32_to_cpu(set[i]));
	}
	return n == be32_to_cpu(w->members) && wire_set_has(set, m->node->id) &&
	       wire_set_has(set, src);
}

static bool place_fits(const struct hc_member *m, u32 src, const struct hc_wire_mend *w, u32 len)
{
	size_t ways = w->ways * sizeof(struct hc_wire_mend_way);

	return w->ways <= m->node->fabric->dim && len == ways + set_size(m->plan) &&
	       be16_to_cpu(w->rings) <= m->node->fabric->dim &&
	       be64_to_cpu(w->plan.op) - m->next < NUMBERS_AHEAD && ways_fit(m, w) &&
	       set_fits(m, src, w);
}

static bool ask_fits(const struct hc_member *m, const struct hc_wire_mend *w)
{
	u32 status = be32_to_cpu(w->status), dim = m->node->fabric->dim;
	u16 node = be16_to_cpu(w->node), at = be16_to_cpu(w->dim);

	return status && status <= MAX_ERRNO && (node == HC_CAUSE_NONE || node < hc_nodes(dim)) &&
	       (at == HC_CAUSE_NONE || at < dim);
}

static bool answer_fits(const struct hc_member *m, const struct hc_wire_mend *w)
{
	return !(be32_to_cpu(w->word) & ~hc_ones(m->node->fabric->dim)) &&
	       be64_to_cpu(w->plan.op) < U64_MAX / 2;
}

/* Does it make sense at all? It may have come from another machine. */
static bool word_fits(const struct hc_member *m, u32 src, const struct hc_wire_mend *w, u32 len)
{
	if (w->what != HC_MEND_PLACE && len)
		return false;
	switch (w->what) {
	case HC_MEND_HELP:
	case HC_MEND_GO:
		return true;
	case HC_MEND_ASK:
		return ask_fits(m, w);
	case HC_MEND_PLACE:
		return place_fits(m, src, w, len);
	}
	return w->what && w->what < __HC_MEND_END && answer_fits(m, w);
}

/* Only members say such words, of attempts that can exist; and a master says its own to members
 * above it.
 */
static bool may_say(const struct hc_member *m, u32 src, const struct hc_wire_mend *w)
{
	u64 ballot = be64_to_cpu(w->ballot);
	bool master = w->what == HC_MEND_ASK || w->what == HC_MEND_PLACE || w->what == HC_MEND_GO;

	return m->plan->member[src] && !READ_ONCE(m->node->failed) &&
	       attempt_of(ballot) < attempt_of(mend_of(m)->heard) + AHEAD &&
	       (!master || (master_of(ballot) == src && src <= m->node->id));
}

static unsigned int mend_take(struct hc_member *m, u32 src, struct sk_buff *skb)
{
	const struct hc_wire_mend *w = hc_wire_mend_of(skb);

	if (!word_fits(m, src, w, be32_to_cpu(hc_hdr(skb)->len)))
		return HYPERCUBE_A_DROP_MALFORMED;
	if (!may_say(m, src, w))
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if (master_of(be64_to_cpu(w->ballot)) == src)
		mend_of(m)->silent = 0;
	switch (w->what) {
	case HC_MEND_HELP:
		help_take(m, src, be64_to_cpu(w->ballot));
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
		answer_take(m, src, w);
	}
	return 0;
}

unsigned int hc_mend_rx(struct hc_member *m, struct sk_buff *skb)
{
	u32 src = be16_to_cpu(hc_hdr(skb)->src);
	unsigned int why;

	if (!mend_of(m) || src >= hc_nodes(m->node->fabric->dim))
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if (be32_to_cpu(hc_hdr(skb)->len) > m->node->fabric->dim *
	    sizeof(struct hc_wire_mend_way) + set_size(m->plan))
		return HYPERCUBE_A_DROP_MALFORMED;
	if (skb_linearize(skb))
		return HYPERCUBE_A_DROP_NO_MEMORY;
	why = mend_take(m, src, skb);
	desk_go_on(m);
	mend_count(m);
	/* What could not be said for want of memory is said again a second later. */
	if (hc_mend_tends(m))
		hc_member_wait(m);
	return why;
}

/* ------------------------------------------------------------ what the common code asks */

/* A process that has nothing under way hears of the fault when it contributes next. */
void hc_mend_broke(struct hc_member *m)
{
	bool told = false;
	unsigned int i;

	if (!mend_of(m))
		return;
	for (i = 0; i < HC_OP_WINDOW; i++)
		told |= m->ops[i] && m->ops[i]->begun;
	m->abort.from = min(m->abort.from, m->next);
	m->reset |= m->engaged && !told;
}

void hc_mend_settled(struct hc_member *m, const struct hc_abort *last)
{
	struct hc_mend *s = mend_of(m);

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

bool hc_mend_holds(const struct hc_member *m)
{
	const struct hc_mend *s = mend_of(m);

	return s && !READ_ONCE(m->node->failed) && (m->broken || s->phase == MEND_PLACED);
}

/* It has told a part of the members to go, and looks for the others. */
static bool leads_part(const struct hc_member *m)
{
	const struct hc_mend *s = mend_of(m);

	return s->ran && master_of(s->ran) == m->node->id &&
	       hc_ring_member(m)->nmembers < m->plan->nmembers;
}

bool hc_mend_tends(const struct hc_member *m)
{
	const struct hc_mend *s = mend_of(m);

	return s && (m->broken || s->phase == MEND_PLACED || s->desk || leads_part(m));
}

/* Say again what was not answered. */
static void desk_look(struct hc_member *m)
{
	struct mend_desk *desk = mend_of(m)->desk;

	desk->tries = 0;
	if (!desk->again)
		desk_tell(m);
}

/* This member cannot go on alone, or need not. */
static bool call_is_news(const struct hc_member *m)
{
	const struct hc_mend *s = mend_of(m);

	return !s->called || s->known != m->node->lsdb.digest;
}

static void master_call(struct hc_member *m)
{
	struct hc_mend *s = mend_of(m);
	bool works = !m->broken && s->phase == MEND_NONE;
	u32 lowest, n;

	if (s->desk)
		return;
	/* Also if there is no memory: then again a second later. */
	s->called = true;
	s->known = m->node->lsdb.digest;
	if (!members_reached(m, &lowest, NULL, &n))
		return;
	if (works && n <= hc_ring_member(m)->nmembers)
		return;
	if (s->phase != MEND_NONE && s->silent < SILENT_MAX && lowest == master_of(s->heard))
		return;
	if (lowest == m->node->id)
		attempt_begin(m);
	else
		word_send(m, lowest, word_alloc(m, HC_MEND_HELP, s->heard, 0, 0));
}

void hc_mend_tend(struct hc_member *m, bool late)
{
	struct hc_mend *s = mend_of(m);

	if (!s)
		return;
	if (READ_ONCE(m->node->failed)) {
		desk_free(m->plan, s);
		return;
	}
	s->silent += late;
	if (s->desk && s->desk->digest != m->node->lsdb.digest)
		s->desk->again = true;
	if (s->desk && late)
		desk_look(m);
	if (s->desk && s->desk->again)
		attempt_begin(m);
	else if (hc_mend_tends(m) && (late || call_is_news(m)))
		master_call(m);
	desk_go_on(m);
	mend_count(m);
}
