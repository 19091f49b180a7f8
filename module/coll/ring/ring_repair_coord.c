// SPDX-License-Identifier: GPL-2.0
/* The repair coordinator of rings and its attempts. See ring_repair.c. */
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/ring/ring.h"
#include "coll/ring/ring_decision.h"
#include "coll/ring/ring_repair.h"
#include "coll/ring/ring_repair_impl.h"
#include "coll/ring/ring_roles.h"
#include "coll/member_sched.h"
#include "fabric/limits.h"
#include "route/lsdb.h"

/* Maximum number of attempts that a coordinator begins in a second. */
#define TRIES		8
/* Number of seconds for which a coordinator waits for a missing link-state update. An update that
 * takes longer is waiting for memory at a node.
 */
#define NEWS_WAIT	10
/* Number of nodes whose examination counts as one frame in the poll's budget. */
#define NODES_OF_A_FRAME	64

/**
 * struct repair_coord - an attempt, at its coordinator
 * @ballot: ballot of the attempt
 * @cause: the cause that has broken the plan
 * @what: message of the current phase: HC_REPAIR_ASK, HC_REPAIR_ASSIGN or HC_REPAIR_COMMIT
 * @again: true if the attempt cannot succeed any more, so that another one must begin
 * @waits: with @again: true if the next attempt begins only when a link state has changed or a
 *	second has passed
 * @tries: number of attempts that have begun in this second
 * @age: number of seconds since the last link-state update
 * @digest: digest of the FAULT words that the node had when the attempt began
 * @nwant: number of members in @want
 * @next: the first operation number that no member that has answered has used
 * @decision: the resume decision, from the answers
 * @word: FAULT words of the nodes
 * @alive: set of the members to which ASK was sent
 * @want: set of the members that have not answered in this phase
 * @shape: the new tree, from phase ASSIGN on
 */
struct repair_coord {
	u64 ballot;
	struct hc_end cause;
	u8 what;
	bool again;
	bool waits;
	u8 tries;
	u8 age;
	u32 digest;
	u32 nwant;
	u64 next;
	struct hc_decision decision;
	u32 *word;
	u32 *alive;
	u32 *want;
	struct hc_ring_shape *shape;
};

/* ------------------------------------------------------------ the attempt */

static size_t words_size(const struct hc_plan *plan)
{
	return plan->fabric->topo.nodes * sizeof(u32);
}

static void shape_free(struct hc_fabric *fabric, struct hc_ring_shape *shape)
{
	if (shape)
		hc_poll_free(fabric, shape, shape->size);
}

void hc_coord_free(const struct hc_plan *plan, struct hc_repair *s)
{
	struct hc_fabric *fabric = plan->fabric;
	struct repair_coord *coord = s->coord;

	if (!coord)
		return;
	s->coord = NULL;
	shape_free(fabric, coord->shape);
	hc_poll_free(fabric, coord->word, words_size(plan));
	hc_poll_free(fabric, coord->alive, hc_repair_set_size(plan));
	hc_poll_free(fabric, coord->want, hc_repair_set_size(plan));
	hc_poll_free(fabric, coord, sizeof(*coord));
}

void hc_repair_release(struct hc_plan *plan, struct hc_repair *s)
{
	if (s->counted)
		atomic_dec(&s->counted->work->repairing);
	hc_coord_free(plan, s);
	shape_free(plan->fabric, rcu_dereference_protected(s->shape, true));
	kfree_skb(s->resume.chunk[0].own);
	kfree_skb(s->resume.chunk[1].own);
}

static bool coord_alloc(const struct hc_member *m, struct hc_repair *s)
{
	const struct hc_plan *plan = m->plan;
	struct hc_fabric *fabric = plan->fabric;
	struct repair_coord *coord;

	if (s->coord)
		return true;
	coord = hc_poll_alloc(fabric, sizeof(*coord));
	if (!coord)
		return false;
	s->coord = coord;
	coord->word = hc_poll_alloc(fabric, words_size(plan));
	coord->alive = hc_poll_alloc(fabric, hc_repair_set_size(plan));
	coord->want = hc_poll_alloc(fabric, hc_repair_set_size(plan));
	if (coord->word && coord->alive && coord->want)
		return true;
	hc_coord_free(plan, s);
	return false;
}

const struct hc_ring_shape *hc_repair_shape(const struct hc_plan *plan, const u32 **members)
{
	const struct hc_ring_shape *best = NULL, *shape;
	u64 last = 0, ran;
	u32 u;

	*members = NULL;
	for (u = 0; plan->repairs && u < plan->fabric->topo.nodes; u++) {
		const struct hc_member *m = plan->member[u];

		if (!m)
			continue;
		shape = rcu_dereference(hc_repair_of(m)->shape);
		if (shape && (!best || shape->ballot > best->ballot))
			best = shape;
		ran = READ_ONCE(hc_repair_of(m)->ran);
		if (ran > last) {
			last = ran;
			*members = READ_ONCE(hc_ring_member(m)->members);
		}
	}
	return best;
}

/* ------------------------------------------------------------ messages to members */

static struct sk_buff *ask_alloc(const struct hc_member *m, const struct repair_coord *coord)
{
	struct sk_buff *skb = hc_repair_msg(m, HC_REPAIR_ASK, coord->ballot, 0, 0);
	struct hc_wire_repair *w;

	if (skb) {
		w = hc_wire_repair_of(skb);
		w->status = cpu_to_be32(coord->cause.status);
		w->node = cpu_to_be16(coord->cause.node);
		w->dim = cpu_to_be16(coord->cause.dim);
	}
	return skb;
}

static void ways_fill(struct hc_wire_repair_way *w, const struct hc_ring_making *mk)
{
	unsigned int i;

	for (i = 0; i < mk->n; i++) {
		const struct hc_ring_way *way = &mk->way[i];

		w[i] = (struct hc_wire_repair_way){
			.seen = cpu_to_be32(way->seen), .next = cpu_to_be16(way->next),
			.came = cpu_to_be16(way->came), .leaves = cpu_to_be16(way->leaves),
			.dim = mk->src[i].dim, .out = way->out,
			.flags = (way->used ? HC_WAY_F_USED : 0) |
				 (way->relay ? HC_WAY_F_RELAY : 0),
		};
	}
}

static struct sk_buff *place_alloc(const struct hc_member *m, const struct repair_coord *coord,
				   const struct hc_ring_maker *k, u32 u)
{
	size_t size = hc_repair_set_size(m->plan), ways;
	struct hc_ring_making mk;
	struct hc_wire_repair *w;
	struct sk_buff *skb;

	hc_ring_make(k, u, &mk);
	ways = mk.n * sizeof(struct hc_wire_repair_way);
	skb = hc_repair_msg(m, HC_REPAIR_ASSIGN, coord->ballot, coord->next,
			    sizeof(struct hc_wire_repair_ops) + ways + size);
	if (!skb)
		return NULL;
	w = hc_wire_repair_of(skb);
	w->ways = mk.n;
	w->rings = cpu_to_be16(mk.nrings);
	w->tour = cpu_to_be16(coord->shape->t.nnodes);
	w->members = cpu_to_be32(coord->shape->t.nnodes + 1 - coord->shape->t.nrings);
	if (hc_decision_resumes(&coord->decision)) {
		w->flags = HC_REPAIR_F_RESUME;
		hc_decision_fill(&coord->decision, hc_repair_ops_of(w));
	}
	ways_fill(hc_repair_ways_of(w), &mk);
	/* The ring edges are followed by the set of members, in words of 32 bits. */
	cpu_to_be32_array((void *)hc_repair_ways_of(w) + ways, coord->alive, size / sizeof(u32));
	return skb;
}

/* Send the message of the current phase to all members that have not answered. */
static void coord_notify(struct hc_member *m)
{
	struct repair_coord *coord = hc_repair_of(m)->coord;
	struct hc_ring_maker k = {};
	bool place = coord->what == HC_REPAIR_ASSIGN;
	u32 u;

	if (place) {
		if (hc_ring_maker_init(&k, &coord->shape->t, &m->plan->fabric->topo, coord->word,
				       GFP_ATOMIC | __GFP_NOWARN))
			goto out;
		hc_ring_maker_fill(&k);
	}
	for (u = 0; u < m->plan->fabric->topo.nodes; u++) {
		if (!hc_set_has(coord->want, u))
			continue;
		hc_repair_send(m, u, place ? place_alloc(m, coord, &k, u) :
				coord->what == HC_REPAIR_ASK ? ask_alloc(m, coord) :
				hc_repair_msg(m, coord->what, coord->ballot, 0, 0));
	}
out:
	hc_ring_maker_free(&k);
}

/* ------------------------------------------------------------ attempts */

static void phase_begin(struct hc_member *m, u8 what)
{
	struct repair_coord *coord = hc_repair_of(m)->coord;
	size_t size = hc_repair_set_size(m->plan);

	coord->what = what;
	memcpy(coord->want, coord->alive, size);
	coord->nwant = memweight(coord->want, size);
	coord_notify(m);
}

/* Return: true if an attempt can rely on the FAULT words that this node has: they are consistent,
 * or no update has arrived for NEWS_WAIT seconds. If they are not, an update is in flight, and
 * there may be a path to a member over a link of which only one end has reported its state.
 */
static bool links_known(struct hc_member *m)
{
	struct repair_coord *coord = hc_repair_of(m)->coord;

	if (coord->digest != m->node->lsdb->digest)
		coord->age = 0;
	coord->digest = m->node->lsdb->digest;
	return coord->age == NEWS_WAIT || hc_lsdb_agrees(m->node);
}

void hc_coord_begin(struct hc_member *m)
{
	struct hc_repair *s = hc_repair_of(m);
	struct repair_coord *coord;
	u32 lowest, n;

	if (!coord_alloc(m, s))
		return;
	coord = s->coord;
	coord->again = true;
	coord->waits = true;
	if (coord->tries >= TRIES)
		return;
	m->node->spent += m->plan->fabric->topo.nodes / NODES_OF_A_FRAME;
	if (!hc_repair_reached(m, &lowest, coord->alive, &n))
		return;
	if (lowest != m->node->id) {
		hc_coord_free(m->plan, s);
		s->called = false;
		return;
	}
	if (!links_known(m))
		return;
	coord->again = false;
	coord->waits = false;
	coord->tries++;
	coord->ballot = (hc_repair_attempt(max(s->ballot, coord->ballot)) + 1) << 16 | m->node->id;
	coord->next = 0;
	coord->decision = (struct hc_decision){};
	coord->cause = m->gen.last;
	if (!coord->cause.status) {
		coord->cause.status = ENOLINK;
		coord->cause.node = HC_CAUSE_NONE;
		coord->cause.dim = HC_CAUSE_NONE;
	}
	shape_free(m->plan->fabric, coord->shape);
	coord->shape = NULL;
	memset(coord->word, 0xff, words_size(m->plan));
	phase_begin(m, HC_REPAIR_ASK);
}

/* Allocate a tree for @n nodes. It has at most @n rings and 2 * @n positions. */
static struct hc_ring_shape *shape_alloc(const struct hc_member *m, u32 n)
{
	size_t size = struct_size_t(struct hc_ring_shape, ring, n) + 2 * n * sizeof(u16);
	struct hc_ring_shape *shape = hc_poll_alloc(m->plan->fabric, size);

	if (!shape)
		return NULL;
	shape->size = size;
	return shape;
}

static int repair_with(struct hc_ring_repair_args *g, u32 nodes, u32 n)
{
	const struct hc_ring_net net = hc_ring_topo(&g->topo, g->fault);
	int err = -ENOMEM;

	g->home = kcalloc(nodes, sizeof(*g->home), GFP_ATOMIC | __GFP_NOWARN);
	g->order = kcalloc(n, sizeof(*g->order), GFP_ATOMIC | __GFP_NOWARN);
	g->count = kcalloc(g->old->nrings, sizeof(*g->count), GFP_ATOMIC | __GFP_NOWARN);
	g->queue = kcalloc(g->old->nrings, sizeof(*g->queue), GFP_ATOMIC | __GFP_NOWARN);
	if (g->home && g->order && g->count && g->queue)
		err = hc_ring_repair(g);
	/* Check the result of hc_ring_repair(), which is complex, with the verifier, which is
	 * simple.
	 */
	if (!err && WARN_ON_ONCE(hc_ring_check(&g->t, &net, g->home, NULL)))
		err = -EINVAL;
	kfree(g->home);
	kfree(g->order);
	kfree(g->count);
	kfree(g->queue);
	return err;
}

/* Compute the repaired rings from the members' answers. Return: false if the members are not
 * connected, or if there is no memory.
 */
static bool coord_repair(struct hc_member *m)
{
	struct repair_coord *coord = hc_repair_of(m)->coord;
	u32 nodes = m->plan->fabric->topo.nodes;
	u32 n = memweight(coord->alive, hc_repair_set_size(m->plan));
	struct hc_ring_repair_args g = {
		.topo = m->plan->fabric->topo, .fault = coord->word, .alive = coord->alive,
	};

	coord->shape = shape_alloc(m, n);
	if (!coord->shape)
		return false;
	g.old = hc_ring_tree_of(m->plan, &g.places);
	g.ring = coord->shape->ring;
	g.node = (void *)(coord->shape->ring + n);
	m->node->spent += nodes / NODES_OF_A_FRAME;
	if (repair_with(&g, nodes, n))
		return false;
	coord->shape->t = g.t;
	coord->shape->ballot = coord->ballot;
	return true;
}

/* Publish the new tree, in which all members have their assignments. */
static void shape_publish(struct hc_member *m)
{
	struct hc_repair *s = hc_repair_of(m);
	struct hc_plan *plan = m->plan;
	struct hc_ring_shape *old = rcu_dereference_protected(s->shape, true);

	rcu_assign_pointer(s->shape, s->coord->shape);
	s->coord->shape = NULL;
	if (old) {
		hc_poll_uncharge(plan->fabric, old->size);
		kfree_rcu(old, rcu);
	}
}

/* Begin the next phase, after all members have answered in the current one. */
static void coord_next(struct hc_member *m)
{
	struct repair_coord *coord = hc_repair_of(m)->coord;

	switch (coord->what) {
	case HC_REPAIR_ASK:
		/* The new numbers must be above all numbers that unreachable members may have used.
		 */
		coord->next += 2 * HC_OP_WINDOW;
		if (coord->digest == m->node->lsdb->digest && coord_repair(m))
			phase_begin(m, HC_REPAIR_ASSIGN);
		else
			coord->again = true;
		break;
	case HC_REPAIR_ASSIGN:
		shape_publish(m);
		phase_begin(m, HC_REPAIR_COMMIT);
		break;
	default:
		hc_coord_free(m->plan, hc_repair_of(m));
	}
}

void hc_coord_go_on(struct hc_member *m)
{
	struct hc_repair *s = hc_repair_of(m);

	while (s->coord && !s->coord->again && !s->coord->nwant)
		coord_next(m);
	if (s->coord ? s->coord->again && !s->coord->waits && s->coord->tries < TRIES :
		      m->gen.broken && !s->called)
		hc_member_again(m);
}

/* Once a second, send the message of the current phase again to the members that have not answered.
 */
static void coord_check(struct hc_member *m)
{
	struct repair_coord *coord = hc_repair_of(m)->coord;

	coord->tries = 0;
	coord->age = min(coord->age + 1, NEWS_WAIT);
	if (!coord->again)
		coord_notify(m);
}

bool hc_coord_tend(struct hc_member *m, bool late)
{
	struct repair_coord *coord = hc_repair_of(m)->coord;

	if (!coord)
		return false;
	if (coord->digest != m->node->lsdb->digest)
		coord->again = true;
	if (late)
		coord_check(m);
	if (!coord->again)
		return false;
	hc_coord_begin(m);
	return true;
}

/* ------------------------------------------------------------ messages from members */

/* Return: true if the FAULT word in the member's answer differs from the one that this node has.
 * Then an update of its links is in flight, and these links may lead to a member that would be left
 * out.
 */
static bool news_comes(const struct hc_member *m, u32 src, const struct hc_wire_repair *w)
{
	return w->what == HC_REPAIR_ANSWER && hc_repair_of(m)->coord->age < NEWS_WAIT &&
	       be32_to_cpu(w->word) != hc_lsdb_word(m->node, src);
}

void hc_coord_answer(struct hc_member *m, u32 src, const struct hc_wire_repair *w)
{
	struct hc_repair *s = hc_repair_of(m);
	struct repair_coord *coord = s->coord;
	u64 ballot = be64_to_cpu(w->ballot);

	if (w->what == HC_REPAIR_NO) {
		hc_repair_saw_ballot(s, ballot);
		if (coord && ballot >= coord->ballot)
			coord->again = true;
		return;
	}
	if (!coord || coord->again || ballot != coord->ballot ||
	    w->what != coord->what + HC_REPAIR_ANSWER - HC_REPAIR_ASK || !hc_set_has(coord->want,
										     src) ||
	    news_comes(m, src, w))
		return;
	hc_set_del(coord->want, src);
	coord->nwant--;
	/* If link states have changed since the attempt began, members to which ASK was sent may be
	 * unreachable now, so begin again.
	 */
	coord->again = coord->digest != m->node->lsdb->digest;
	if (w->what != HC_REPAIR_ANSWER)
		return;
	coord->word[src] = be32_to_cpu(w->word);
	coord->next = max(coord->next, be64_to_cpu(w->plan.op));
	hc_decision_add(&coord->decision, w->flags, hc_repair_ops_of(w));
}

void hc_coord_without(struct hc_member *m, u32 src)
{
	struct repair_coord *coord = hc_repair_of(m)->coord;

	if (!coord || !hc_set_has(coord->alive, src))
		return;
	/* If the node has answered in this attempt before, it has lost the plan since then, so
	 * begin again.
	 */
	if (coord->what != HC_REPAIR_ASK || !hc_set_has(coord->want, src)) {
		coord->again = true;
		return;
	}
	hc_set_del(coord->alive, src);
	hc_set_del(coord->want, src);
	coord->nwant--;
}

void hc_coord_request(struct hc_member *m, u32 src, const struct hc_wire_repair *w)
{
	struct hc_repair *s = hc_repair_of(m);
	u64 ballot = be64_to_cpu(w->ballot);

	hc_repair_saw_ballot(s, ballot);
	if (s->coord) {
		/* If the member follows this attempt, and its plan has broken since then, begin
		 * again. With WAITS, the member only waits for other members.
		 */
		if (ballot == s->coord->ballot && !(w->flags & HC_REPAIR_F_WAITS))
			s->coord->again = true;
		return;
	}
	/* Ignore a REQUEST that was sent before the last repair, unless its sender is not in the
	 * rings: such a member can be reached again.
	 */
	if (!m->gen.broken && s->phase == REPAIR_NONE && ballot < s->ran &&
	    hc_set_has(hc_ring_member(m)->members, src))
		return;
	hc_coord_begin(m);
}
