// SPDX-License-Identifier: GPL-2.0
/*
 * The master of a plan of rings that mends itself: the attempt that it works on.  See ring_mend.c.
 */
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/ring.h"
#include "coll/ring_mend.h"
#include "coll/ring_mend_impl.h"
#include "coll/ring_verdict.h"
#include "coll/ring_ways.h"
#include "fabric/limits.h"
#include "route/lsdb.h"

/* Attempts that a master may begin in a second. */
#define TRIES		8
/* Seconds that a master waits for news of links; longer than such news waits for memory. */
#define NEWS_WAIT	10
/* Nodes whose links are looked at in the time that a frame takes. */
#define NODES_OF_A_FRAME	64

/**
 * struct mend_desk - an attempt, at its master
 * @ballot: its name
 * @cause: what has broken the plan
 * @what: what members are told in this phase
 * @again: it is of no use: begin another one
 * @waits: but not before there is news of links, or a second has passed
 * @tries: attempts begun in this second
 * @age: seconds since there was news of links
 * @digest: of what the master knew of links when it began
 * @nwant: members that have not answered
 * @next: the first number that is free at all members that have
 * @verdict: does what is under way go on?
 * @word: FAULT words of members
 * @alive: set of the members that were asked
 * @want: set of those that have not answered
 * @shape: the new tree, from PLACE on
 */
struct mend_desk {
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
	struct hc_verdict verdict;
	u32 *word;
	u32 *alive;
	u32 *want;
	struct hc_ring_shape *shape;
};

/* ------------------------------------------------------------ the desk */

static size_t words_size(const struct hc_plan *plan)
{
	return hc_nodes(plan->fabric->dim) * sizeof(u32);
}

static void shape_free(struct hc_fabric *fabric, struct hc_ring_shape *shape)
{
	if (shape)
		hc_poll_free(fabric, shape, shape->size);
}

void hc_desk_free(const struct hc_plan *plan, struct hc_mend *s)
{
	struct hc_fabric *fabric = plan->fabric;
	struct mend_desk *desk = s->desk;

	if (!desk)
		return;
	s->desk = NULL;
	shape_free(fabric, desk->shape);
	hc_poll_free(fabric, desk->word, words_size(plan));
	hc_poll_free(fabric, desk->alive, hc_mend_set_size(plan));
	hc_poll_free(fabric, desk->want, hc_mend_set_size(plan));
	hc_poll_free(fabric, desk, sizeof(*desk));
}

void hc_mend_release(struct hc_plan *plan, struct hc_mend *s)
{
	if (s->counted)
		atomic_dec(&s->counted->work.mending);
	hc_desk_free(plan, s);
	shape_free(plan->fabric, rcu_dereference_protected(s->shape, true));
	kfree_skb(s->keep.slice[0].own);
	kfree_skb(s->keep.slice[1].own);
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
	desk->alive = hc_poll_alloc(fabric, hc_mend_set_size(plan));
	desk->want = hc_poll_alloc(fabric, hc_mend_set_size(plan));
	if (desk->word && desk->alive && desk->want)
		return true;
	hc_desk_free(plan, s);
	return false;
}

const struct hc_ring_shape *hc_mend_shape(const struct hc_plan *plan, const u32 **members)
{
	const struct hc_ring_shape *best = NULL, *shape;
	u64 last = 0, ran;
	u32 u;

	*members = NULL;
	for (u = 0; plan->mends && u < hc_nodes(plan->fabric->dim); u++) {
		const struct hc_member *m = plan->member[u];

		if (!m)
			continue;
		shape = rcu_dereference(hc_mend_of(m)->shape);
		if (shape && (!best || shape->ballot > best->ballot))
			best = shape;
		ran = READ_ONCE(hc_mend_of(m)->ran);
		if (ran > last) {
			last = ran;
			*members = READ_ONCE(hc_ring_member(m)->members);
		}
	}
	return best;
}

/* ------------------------------------------------------------ what members are told */

static struct sk_buff *ask_alloc(const struct hc_member *m, const struct mend_desk *desk)
{
	struct sk_buff *skb = hc_mend_word(m, HC_MEND_ASK, desk->ballot, 0, 0);
	struct hc_wire_mend *w;

	if (skb) {
		w = hc_wire_mend_of(skb);
		w->status = cpu_to_be32(desk->cause.status);
		w->node = cpu_to_be16(desk->cause.node);
		w->dim = cpu_to_be16(desk->cause.dim);
	}
	return skb;
}

static void ways_fill(struct hc_wire_mend_way *w, const struct hc_ring_making *mk)
{
	unsigned int i;

	for (i = 0; i < mk->n; i++) {
		const struct hc_ring_way *way = &mk->way[i];

		w[i] = (struct hc_wire_mend_way){
			.seen = cpu_to_be32(way->seen), .next = cpu_to_be16(way->next),
			.came = cpu_to_be16(way->came), .leaves = cpu_to_be16(way->leaves),
			.dim = mk->src[i].dim, .out = way->out,
			.flags = (way->used ? HC_WAY_F_USED : 0) |
				 (way->relay ? HC_WAY_F_RELAY : 0),
		};
	}
}

static struct sk_buff *place_alloc(const struct hc_member *m, const struct mend_desk *desk,
				   const struct hc_ring_maker *k, u32 u)
{
	size_t size = hc_mend_set_size(m->plan), ways;
	struct hc_ring_making mk;
	struct hc_wire_mend *w;
	struct sk_buff *skb;

	hc_ring_make(k, u, &mk);
	ways = mk.n * sizeof(struct hc_wire_mend_way);
	skb = hc_mend_word(m, HC_MEND_PLACE, desk->ballot, desk->next,
			   sizeof(struct hc_wire_mend_ops) + ways + size);
	if (!skb)
		return NULL;
	w = hc_wire_mend_of(skb);
	w->ways = mk.n;
	w->rings = cpu_to_be16(mk.nrings);
	w->tour = cpu_to_be16(desk->shape->t.nnodes);
	w->members = cpu_to_be32(desk->shape->t.nnodes + 1 - desk->shape->t.nrings);
	if (hc_verdict_resumes(&desk->verdict)) {
		w->flags = HC_MEND_F_RESUME;
		hc_verdict_fill(&desk->verdict, hc_mend_ops_of(w));
	}
	ways_fill(hc_mend_ways_of(w), &mk);
	/* The set goes as words, too. */
	cpu_to_be32_array((void *)hc_mend_ways_of(w) + ways, desk->alive, size / sizeof(u32));
	return skb;
}

/* To all that have not answered. */
static void desk_tell(struct hc_member *m)
{
	struct mend_desk *desk = hc_mend_of(m)->desk;
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
		hc_mend_send(m, u, place ? place_alloc(m, desk, &k, u) :
				desk->what == HC_MEND_ASK ? ask_alloc(m, desk) :
				hc_mend_word(m, desk->what, desk->ballot, 0, 0));
	}
out:
	hc_ring_maker_free(&k);
}

/* ------------------------------------------------------------ attempts */

static void phase_begin(struct hc_member *m, u8 what)
{
	struct mend_desk *desk = hc_mend_of(m)->desk;
	size_t size = hc_mend_set_size(m->plan);

	desk->what = what;
	memcpy(desk->want, desk->alive, size);
	desk->nwant = memweight(desk->want, size);
	desk_tell(m);
}

/* Does what this node knows of links have sense?  When not, news is under way: there may be ways to
 * somebody of which only one end has told so far.
 */
static bool links_known(struct hc_member *m)
{
	struct mend_desk *desk = hc_mend_of(m)->desk;

	if (desk->digest != m->node->lsdb.digest)
		desk->age = 0;
	desk->digest = m->node->lsdb.digest;
	return desk->age == NEWS_WAIT || hc_lsdb_fits(m->node);
}

void hc_desk_begin(struct hc_member *m)
{
	struct hc_mend *s = hc_mend_of(m);
	struct mend_desk *desk;
	u32 lowest, n;

	if (!desk_alloc(m, s))
		return;
	desk = s->desk;
	desk->again = true;
	desk->waits = true;
	if (desk->tries >= TRIES)
		return;
	m->node->spent += hc_nodes(m->plan->fabric->dim) / NODES_OF_A_FRAME;
	if (!hc_mend_reached(m, &lowest, desk->alive, &n))
		return;
	if (lowest != m->node->id) {
		hc_desk_free(m->plan, s);
		s->called = false;
		return;
	}
	if (!links_known(m))
		return;
	desk->again = false;
	desk->waits = false;
	desk->tries++;
	desk->ballot = (hc_mend_attempt(max(s->heard, desk->ballot)) + 1) << 16 | m->node->id;
	desk->next = 0;
	desk->verdict = (struct hc_verdict){};
	desk->cause = m->gen.last;
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
	size_t size = struct_size_t(struct hc_ring_shape, ring, n) + 2 * n * sizeof(u16);
	struct hc_ring_shape *shape = hc_poll_alloc(m->plan->fabric, size);

	if (!shape)
		return NULL;
	shape->size = size;
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
	struct mend_desk *desk = hc_mend_of(m)->desk;
	u32 nodes = hc_nodes(m->plan->fabric->dim);
	u32 n = memweight(desk->alive, hc_mend_set_size(m->plan));
	struct hc_ring_mending g = {
		.dim = m->plan->fabric->dim, .fault = desk->word, .alive = desk->alive,
	};

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
	return true;
}

/* All members have their places in the new tree. */
static void shape_publish(struct hc_member *m)
{
	struct hc_mend *s = hc_mend_of(m);
	struct hc_plan *plan = m->plan;
	struct hc_ring_shape *old = rcu_dereference_protected(s->shape, true);

	rcu_assign_pointer(s->shape, s->desk->shape);
	s->desk->shape = NULL;
	if (old) {
		hc_poll_uncharge(plan->fabric, old->size);
		kfree_rcu(old, rcu);
	}
}

/* All have answered: the next phase. */
static void desk_next(struct hc_member *m)
{
	struct mend_desk *desk = hc_mend_of(m)->desk;

	switch (desk->what) {
	case HC_MEND_ASK:
		/* Beyond all that those who are not reached may have used. */
		desk->next += 2 * HC_OP_WINDOW;
		if (desk->digest == m->node->lsdb.digest && desk_mend(m))
			phase_begin(m, HC_MEND_PLACE);
		else
			desk->again = true;
		break;
	case HC_MEND_PLACE:
		shape_publish(m);
		phase_begin(m, HC_MEND_GO);
		break;
	default:
		hc_desk_free(m->plan, hc_mend_of(m));
	}
}

void hc_desk_go_on(struct hc_member *m)
{
	struct hc_mend *s = hc_mend_of(m);

	while (s->desk && !s->desk->again && !s->desk->nwant)
		desk_next(m);
	if (s->desk ? s->desk->again && !s->desk->waits && s->desk->tries < TRIES :
		      m->gen.broken && !s->called)
		hc_member_again(m);
}

/* Say again what was not answered. */
static void desk_look(struct hc_member *m)
{
	struct mend_desk *desk = hc_mend_of(m)->desk;

	desk->tries = 0;
	desk->age = min(desk->age + 1, NEWS_WAIT);
	if (!desk->again)
		desk_tell(m);
}

bool hc_desk_tend(struct hc_member *m, bool late)
{
	struct mend_desk *desk = hc_mend_of(m)->desk;

	if (!desk)
		return false;
	if (desk->digest != m->node->lsdb.digest)
		desk->again = true;
	if (late)
		desk_look(m);
	if (!desk->again)
		return false;
	hc_desk_begin(m);
	return true;
}

/* ------------------------------------------------------------ what members say */

/* Is news of a member's links under way?  They may lead to somebody who is left out here. */
static bool news_comes(const struct hc_member *m, u32 src, const struct hc_wire_mend *w)
{
	return w->what == HC_MEND_ASKED && hc_mend_of(m)->desk->age < NEWS_WAIT &&
	       be32_to_cpu(w->word) != hc_lsdb_word(m->node, src);
}

void hc_desk_answer(struct hc_member *m, u32 src, const struct hc_wire_mend *w)
{
	struct hc_mend *s = hc_mend_of(m);
	struct mend_desk *desk = s->desk;
	u64 ballot = be64_to_cpu(w->ballot);

	if (w->what == HC_MEND_NO) {
		hc_mend_hear(s, ballot);
		if (desk && ballot >= desk->ballot)
			desk->again = true;
		return;
	}
	if (!desk || desk->again || ballot != desk->ballot ||
	    w->what != desk->what + HC_MEND_ASKED - HC_MEND_ASK || !hc_set_has(desk->want, src) ||
	    news_comes(m, src, w))
		return;
	hc_set_del(desk->want, src);
	desk->nwant--;
	/* Other members that were asked may be gone. */
	desk->again = desk->digest != m->node->lsdb.digest;
	if (w->what != HC_MEND_ASKED)
		return;
	desk->word[src] = be32_to_cpu(w->word);
	desk->next = max(desk->next, be64_to_cpu(w->plan.op));
	hc_verdict_add(&desk->verdict, w->flags, hc_mend_ops_of(w));
}

void hc_desk_without(struct hc_member *m, u32 src)
{
	struct mend_desk *desk = hc_mend_of(m)->desk;

	if (!desk || !hc_set_has(desk->alive, src))
		return;
	/* It had the plan when it was asked first. */
	if (desk->what != HC_MEND_ASK || !hc_set_has(desk->want, src)) {
		desk->again = true;
		return;
	}
	hc_set_del(desk->alive, src);
	hc_set_del(desk->want, src);
	desk->nwant--;
}

void hc_desk_help(struct hc_member *m, u32 src, const struct hc_wire_mend *w)
{
	struct hc_mend *s = hc_mend_of(m);
	u64 ballot = be64_to_cpu(w->ballot);

	hc_mend_hear(s, ballot);
	if (s->desk) {
		/* It has heard of this attempt, and broken since; or it waits for others. */
		if (ballot == s->desk->ballot && !(w->flags & HC_MEND_F_WAITS))
			s->desk->again = true;
		return;
	}
	/* From before it was mended, unless it is one that came back. */
	if (!m->gen.broken && s->phase == MEND_NONE && ballot < s->ran &&
	    hc_set_has(hc_ring_member(m)->members, src))
		return;
	hc_desk_begin(m);
}
