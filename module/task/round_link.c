// SPDX-License-Identifier: GPL-2.0
/*
 * ROUND frames: what a node says in a round over a link.
 *
 * Each says all of it, so that it does not matter which of them come, how often and in which
 * order: words are only added.  A node asks the one neighbour without which it cannot go on until
 * that has said what it must; whoever is asked answers, also when the round is over for him.  So
 * there is always somebody who is asked for what he can say: nodes that wait for each other form
 * no circle.  A neighbour that has been heard, over a link that loses nothing, will say more as
 * soon as it can: it is asked rarely, for who has no memory says nothing either.
 */
#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "task/round_impl.h"

/* The index is of 8 bits. */
#define WORD(kind, index, value)	((u64)(kind) << 56 | (u64)(index) << 48 | (value))
#define WORD_VALUE			((1ULL << HC_ROUND_VALUE_BITS) - 1)
/* Rounds that neighbours begin follow each other no faster; but for so many that begin at once. */
#define GAP	(2ULL * NSEC_PER_MSEC)
#define AT_ONCE	8
/* Who has been heard over a link that loses nothing is asked no sooner than after that. */
#define RESTS	(2ULL * NSEC_PER_SEC)
/* No round is over sooner than that, as a power of two of ns: so many there may have been at most
 * since the machine's start, and nobody is believed a later one, or he would use up the numbers.
 */
#define LEAST_LOG	10

/* ------------------------------------------------------------ words */

u64 hc_round_word_make(enum hc_round_kind kind, unsigned int index, u64 value)
{
	return WORD(kind, index, min(value, WORD_VALUE));
}

bool hc_round_word(const u64 *word, unsigned int n, enum hc_round_kind kind, unsigned int index,
		   u64 *value)
{
	u64 wanted = WORD(kind, index, 0);
	unsigned int i;

	for (i = 0; i < n; i++) {
		if ((word[i] ^ wanted) > WORD_VALUE)
			continue;
		*value = word[i] & WORD_VALUE;
		return true;
	}
	return false;
}

u64 hc_round_say(struct hc_round *r, unsigned int dim, enum hc_round_kind kind,
		 unsigned int index, u64 value)
{
	struct hc_round_link *l = &r->link[dim];
	u64 said;

	if (hc_round_word(l->said, l->nsaid, kind, index, &said))
		return said;
	if (WARN_ON_ONCE(l->nsaid == HC_ROUND_WORDS))
		return value;
	l->said[l->nsaid++] = hc_round_word_make(kind, index, value);
	l->fresh = true;
	return value;
}

bool hc_round_said(const struct hc_round *r, unsigned int dim, enum hc_round_kind kind,
		   unsigned int index, u64 *value)
{
	const struct hc_round_link *l = &r->link[dim];

	return hc_round_word(l->heard, l->nheard, kind, index, value);
}

bool hc_round_await(struct hc_round *r, unsigned int dim, enum hc_round_kind kind,
		    unsigned int index, u64 *value)
{
	if (hc_round_said(r, dim, kind, index, value))
		return true;
	r->awaits = dim;
	return false;
}

/* ------------------------------------------------------------ sending */

void hc_round_xmit(struct hc_node *node, unsigned int dim, const struct hc_wire_round *w,
		   const u64 *word, unsigned int n)
{
	struct sk_buff *skb = hc_frame_alloc(node, HC_FRAME_ROUND, n * sizeof(__be64), GFP_ATOMIC);
	__be64 *raw;
	unsigned int i;

	node->spent++;
	/* Without memory: whoever waits for it asks again. */
	if (!skb)
		return;
	*hc_wire_round_of(skb) = *w;
	raw = (__be64 *)(skb->data + HC_ROUND_HEAD);
	for (i = 0; i < n; i++)
		raw[i] = cpu_to_be64(word[i]);
	hc_link_xmit(node, dim, skb);
}

static void link_send(struct hc_node *node, struct hc_round *r, unsigned int dim, u8 flags)
{
	struct hc_round_link *l = &r->link[dim];
	struct hc_wire_round w = {
		.round = cpu_to_be64(r->id), .moved = cpu_to_be64(r->moved),
		.status = cpu_to_be32(-r->status), .members = cpu_to_be32(r->members),
		.node = cpu_to_be16(r->cause_node), .dim = cpu_to_be16(r->cause_dim),
		.method = r->ops->id,
	};

	flags |= r->flags;
	if (!(r->part & hc_bit(dim)))
		flags |= HC_ROUND_F_OUT;
	if (dim == r->parent)
		flags |= HC_ROUND_F_PARENT;
	else
		flags &= ~HC_ROUND_F_REPORT;
	w.flags = flags;
	l->fresh = false;
	hc_round_xmit(node, dim, &w, l->said, l->nsaid);
}

void hc_round_flush(struct hc_node *node, struct hc_round *r)
{
	unsigned int d;

	for (d = 0; d < node->fabric->dim; d++)
		if (r->link[d].fresh && hc_link_usable(node, d))
			link_send(node, r, d, 0);
}

void hc_round_heard(struct hc_round_pace *pace, u64 now)
{
	pace->since = 0;
	pace->rests = now + RESTS;
}

/* The answer comes, however long it takes: it is waited for twice as long each time. */
bool hc_round_ask_due(struct hc_round_pace *pace, u64 now)
{
	if (now < pace->rests)
		return false;
	pace->rests = now + min(pace->since ? now - pace->since : 0, RESTS);
	pace->since = pace->since ?: now;
	return true;
}

void hc_round_pull(struct hc_node *node, struct hc_round *r, u64 now)
{
	unsigned int d = r->awaits;

	if (d != HC_ROUND_NOBODY && hc_round_ask_due(&r->link[d].pace, now))
		link_send(node, r, d, HC_ROUND_F_ASK);
}

/* ------------------------------------------------------------ receiving */

static bool cause_sound(const struct hc_node *node, const struct hc_wire_round *w)
{
	u32 status = be32_to_cpu(w->status), u = be16_to_cpu(w->node), d = be16_to_cpu(w->dim);

	if (!(w->flags & HC_ROUND_F_FAILED))
		return !status;
	/* From there on they are the kernel's own. */
	return status && status < ERESTARTSYS &&
	       (u == HC_CAUSE_NONE || u < hc_nodes(node->fabric->dim)) &&
	       (d == HC_CAUSE_NONE || d < node->fabric->dim);
}

/* All words are of kinds that the method has, and it is never told two of a kind and index. */
static bool words_sound(const struct hc_round_ops *ops, const u64 *word, unsigned int n)
{
	unsigned int i, k, kind;

	for (i = 0; i < n; i++) {
		kind = word[i] >> 56;
		if (kind >= __HC_ROUND_KIND_END || !(ops->words & BIT(kind)))
			return false;
		for (k = 0; k < i; k++)
			if (word[k] >> HC_ROUND_VALUE_BITS == word[i] >> HC_ROUND_VALUE_BITS)
				return false;
	}
	return true;
}

/* Reads the words; returns how many there are, or -1: the frame is none. */
static int frame_read(const struct hc_node *node, const struct sk_buff *skb, u64 *word)
{
	const struct hc_wire_round *w = hc_wire_round_of(skb);
	const struct hc_round_ops *ops = hc_round_method(w->method);
	u32 len = skb->len - HC_ROUND_HEAD, n = len / sizeof(__be64), i;
	__be64 raw[HC_ROUND_WORDS];

	if (!ops || len % sizeof(__be64) || n > HC_ROUND_WORDS || !cause_sound(node, w) ||
	    (be64_to_cpu(w->round) & U16_MAX) >= hc_nodes(node->fabric->dim) ||
	    w->flags & ~HC_ROUND_F_ALL || w->reserved[0] || w->reserved[1] ||
	    be32_to_cpu(w->members) > hc_nodes(node->fabric->dim) ||
	    skb_copy_bits(skb, HC_ROUND_HEAD, raw, len))
		return -1;
	for (i = 0; i < n; i++)
		word[i] = be64_to_cpu(raw[i]);
	return words_sound(ops, word, n) ? n : -1;
}

/* What is said is not taken back: a frame that has been overtaken says less. */
static void link_hear(struct hc_round *r, unsigned int dim, const struct hc_wire_round *w,
		      const u64 *word, unsigned int n)
{
	struct hc_round_link *l = &r->link[dim];
	u64 now = ktime_get_ns();

	if (n > l->nheard || w->flags & ~HC_ROUND_F_ASK & ~l->theirs || !l->joined)
		r->clock.progress = now;
	l->joined = true;
	hc_round_heard(&l->pace, now);
	if (n > l->nheard) {
		memcpy(&l->heard[l->nheard], &word[l->nheard],
		       (n - l->nheard) * sizeof(*word));
		l->nheard = n;
	}
	if (w->flags & (HC_ROUND_F_REPORT | HC_ROUND_F_OVER)) {
		l->members = be32_to_cpu(w->members);
		l->moved = be64_to_cpu(w->moved);
	}
	l->theirs |= w->flags & ~HC_ROUND_F_ASK;
}

/* It is over elsewhere: what is left of it is not for us. */
static void round_missed(struct hc_node *node, struct hc_round *r, const struct hc_wire_round *w,
			 const struct hc_round_ops *ops, unsigned int dim)
{
	hc_round_beaten(node, r);
	r->id = be64_to_cpu(w->round);
	r->ops = ops;
	r->parent = dim;
	r->part = 0;
	r->flags = w->flags & (HC_ROUND_F_OVER | HC_ROUND_F_FAILED);
	r->status = -(int)be32_to_cpu(w->status);
	r->cause_node = be16_to_cpu(w->node);
	r->cause_dim = be16_to_cpu(w->dim);
	memset(r->link, 0, node->fabric->dim * sizeof(*r->link));
}

/* A round that is said to be this node's, and that it has not begun.  Those who are in it may wait
 * for each other, and nobody would end it: they are told that it has failed.
 */
static void round_denied(struct hc_node *node, struct hc_round *r, const struct hc_wire_round *w,
			 const struct hc_round_ops *ops, unsigned int dim)
{
	round_missed(node, r, w, ops, dim);
	r->flags = HC_ROUND_F_FAILED;
	r->status = -EPROTO;
	r->cause_node = node->id;
	r->cause_dim = dim;
	r->link[dim].fresh = true;
}

/* Whoever hears of a round tells all his neighbours, so there are no more than one in GAP, and not
 * many at once.
 */
static bool in_time(struct hc_round *r, u64 now)
{
	if (r->state == HC_ROUND_IDLE && r->ops && now - r->clock.began < GAP)
		return false;
	if (r->ready > now + AT_ONCE * GAP)
		return false;
	r->ready = max(r->ready, now) + GAP;
	return true;
}

/* A later round than ours.  False: it is not for us (now). */
static bool round_new(struct hc_node *node, struct hc_round *r, const struct hc_wire_round *w,
		      unsigned int dim)
{
	const struct hc_round_ops *ops = hc_round_method(w->method);
	u8 over = w->flags & (HC_ROUND_F_OVER | HC_ROUND_F_FAILED);

	/* It may come over another link. */
	if (w->flags & HC_ROUND_F_OUT && !over)
		return false;
	/* Whoever is in it asks again. */
	if (!in_time(r, ktime_get_ns()))
		return false;
	if (over) {
		round_missed(node, r, w, ops, dim);
		return false;
	}
	if ((be64_to_cpu(w->round) & U16_MAX) == node->id) {
		round_denied(node, r, w, ops, dim);
		return false;
	}
	hc_round_beaten(node, r);
	hc_round_join(node, r, be64_to_cpu(w->round), ops, dim);
	return true;
}

static void round_said(struct hc_node *node, struct hc_round *r, const struct hc_wire_round *w,
		       unsigned int dim, const u64 *word, unsigned int n)
{
	int ahead = r->ops ? hc_round_ahead(be64_to_cpu(w->round), r->id) : 1;

	/* An earlier one: whoever asks for it learns of this one. */
	if (ahead < 0 || (ahead > 0 && !round_new(node, r, w, dim)))
		return;
	if (r->state == HC_ROUND_IDLE || !(r->part & hc_bit(dim)))
		return;
	/* Somebody has told two nodes different things of one round. */
	if (w->method != r->ops->id) {
		hc_round_fail(node, r, -EPROTO, node->id, dim);
		return;
	}
	link_hear(r, dim, w, word, n);
	if (w->flags & HC_ROUND_F_FAILED)
		hc_round_fail(node, r, -(int)be32_to_cpu(w->status), be16_to_cpu(w->node),
			      be16_to_cpu(w->dim));
	else if (w->flags & HC_ROUND_F_OUT && dim == r->parent)
		hc_round_fail(node, r, -ENOLINK, node->id, dim);
}

bool hc_round_hear(struct hc_node *node, struct hc_round *r, unsigned int dim,
		   const struct hc_wire_round *w, const u64 *word, unsigned int n)
{
	if (hc_round_nr(be64_to_cpu(w->round)) > ktime_get_ns() >> LEAST_LOG)
		return false;
	round_said(node, r, w, dim, word, n);
	if (w->flags & HC_ROUND_F_ASK && r->ops)
		r->link[dim].fresh = true;
	return true;
}

/* 0, or why the frame is dropped. */
static unsigned int frame_rx(struct hc_node *node, unsigned int dim, const struct sk_buff *skb)
{
	const struct hc_wire_round *w = hc_wire_round_of(skb);
	struct hc_round *r = hc_round_of(node);
	u64 word[HC_ROUND_WORDS];
	int n;

	if (!r)
		return HYPERCUBE_A_DROP_UNEXPECTED;
	n = frame_read(node, skb, word);
	if (n < 0 || !hc_round_method(w->method)->rx(node, r, dim, w, word, n))
		return HYPERCUBE_A_DROP_MALFORMED;
	hc_round_go(node, r);
	return 0;
}

void hc_round_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	unsigned int why = frame_rx(node, dim, skb);

	if (why)
		hc_drop(node, &node->ports[dim], skb, why);
	else
		consume_skb(skb);
}
