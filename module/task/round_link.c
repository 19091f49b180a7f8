// SPDX-License-Identifier: GPL-2.0
/*
 * ROUND frames: what a node says in a round over a link.
 *
 * Each says all of it, so a later one replaces those before, and one that was refused is made anew
 * (hc_round_link.fresh).  A link delivers them in order or is down, so each end has what the other
 * one has said last, but for what was lost while one of them was down:
 *
 *  - A round has failed when a link over which it goes was unusable, be it for a moment.
 *  - One end of a link comes up before the other, which drops what comes until then.  It says a
 *    FAULT word when it is up, and then all is said again (hc_round_again()).
 *  - Who speaks of an earlier round than this, or as if it was not over, is told of it.
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
/* Whoever hears of a round tells all his neighbours, so rounds follow each other no faster. */
#define GAP	(2ULL * NSEC_PER_MSEC)
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

	return l->id == r->id && hc_round_word(l->heard, l->nheard, kind, index, value);
}

/* ------------------------------------------------------------ sending */

bool hc_round_xmit(struct hc_node *node, struct hc_round *r, unsigned int dim,
		   const struct hc_wire_round *w, const u64 *word, unsigned int n)
{
	struct sk_buff *skb = hc_frame_alloc(node, HC_FRAME_ROUND, n * sizeof(__be64), GFP_ATOMIC);
	__be64 *raw;
	unsigned int i;

	node->spent++;
	if (skb) {
		*hc_wire_round_of(skb) = *w;
		raw = (__be64 *)(skb->data + HC_ROUND_HEAD);
		for (i = 0; i < n; i++)
			raw[i] = cpu_to_be64(word[i]);
		if (!hc_link_xmit(node, dim, skb))
			return true;
	}
	r->owed = true;
	return false;
}

static void link_send(struct hc_node *node, struct hc_round *r, unsigned int dim)
{
	struct hc_round_link *l = &r->link[dim];
	struct hc_wire_round w = {
		.round = cpu_to_be64(r->id), .moved = cpu_to_be64(r->moved),
		.status = cpu_to_be32(-r->status), .members = cpu_to_be32(r->members),
		.node = cpu_to_be16(r->cause_node), .dim = cpu_to_be16(r->cause_dim),
		.method = r->ops->id, .flags = r->flags,
	};

	if (!(r->part & hc_bit(dim)))
		w.flags |= HC_ROUND_F_OUT;
	if (dim == r->parent)
		w.flags |= HC_ROUND_F_PARENT;
	else
		w.flags &= ~HC_ROUND_F_REPORT;
	l->fresh = !hc_round_xmit(node, r, dim, &w, l->said, l->nsaid);
}

void hc_round_flush(struct hc_node *node, struct hc_round *r)
{
	unsigned int d;

	for (d = 0; d < node->fabric->dim; d++)
		if (r->link[d].fresh && r->ops && hc_link_usable(node, d))
			link_send(node, r, d);
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

static bool is_over(u8 flags)
{
	return flags & (HC_ROUND_F_OVER | HC_ROUND_F_FAILED);
}

/* Words are not taken back. */
static void link_hear(struct hc_round *r, unsigned int dim, const struct hc_wire_round *w,
		      const u64 *word, unsigned int n)
{
	struct hc_round_link *l = &r->link[dim];
	u64 id = be64_to_cpu(w->round);
	bool news = id > l->id;

	if (id < l->id)
		return;
	if (news) {
		l->id = id;
		l->theirs = 0;
		l->nheard = 0;
	}
	news |= w->flags & ~l->theirs || n > l->nheard;
	l->last = *w;
	l->theirs |= w->flags;
	if (n > l->nheard) {
		memcpy(&l->heard[l->nheard], &word[l->nheard], (n - l->nheard) * sizeof(*word));
		l->nheard = n;
	}
	if (news && id == r->id)
		r->clock.progress = ktime_get_ns();
}

bool hc_round_hear(struct hc_node *node, struct hc_round *r, unsigned int dim,
		   const struct hc_wire_round *w, const u64 *word, unsigned int n)
{
	bool out = w->flags & HC_ROUND_F_OUT, over = is_over(w->flags);
	u64 id = be64_to_cpu(w->round);

	if (hc_round_nr(id) > ktime_get_ns() >> LEAST_LOG)
		return false;
	/* A later round that does not go over this link may come over another one. */
	if (id <= r->id || !out || over)
		link_hear(r, dim, w, word, n);
	if (!over && (id < r->id || (id == r->id && !out && (r->state == HC_ROUND_IDLE ||
							     !(r->part & hc_bit(dim))))))
		r->link[dim].fresh = true;
	return true;
}

/* ------------------------------------------------------------ following */

/* The latest round that a neighbour is in, or knows the end of, if it is later than ours.  Not over
 * a link that has failed since it was heard of: it has failed there, too.
 */
static unsigned int later_along(const struct hc_node *node, const struct hc_round *r)
{
	unsigned int d, dim = HC_ROUND_NOBODY;
	u64 id = r->id;

	for (d = 0; d < node->fabric->dim; d++)
		if (r->link[d].id > id && hc_link_usable(node, d)) {
			id = r->link[d].id;
			dim = d;
		}
	return dim;
}

/* A round that is over elsewhere: what is left of it is not for us.  Or one that is said to be this
 * node's, and that it has not begun: those who are in it may wait for each other, and nobody would
 * end it, so they are told that it has failed.
 *
 * Those who wait for this node in the earlier round that it leaves are told in any case.
 */
static void later_miss(struct hc_node *node, struct hc_round *r, unsigned int dim)
{
	const struct hc_wire_round *w = &r->link[dim].last;
	bool over = is_over(w->flags);
	unsigned int d;

	r->id = r->link[dim].id;
	r->ops = hc_round_method(w->method);
	r->parent = HC_ROUND_NOBODY;
	r->part = 0;
	r->flags = over ? w->flags & (HC_ROUND_F_OVER | HC_ROUND_F_FAILED) : HC_ROUND_F_FAILED;
	r->status = over ? -(int)be32_to_cpu(w->status) : -EPROTO;
	r->cause_node = over ? be16_to_cpu(w->node) : node->id;
	r->cause_dim = over ? be16_to_cpu(w->dim) : dim;
	for (d = 0; d < node->fabric->dim; d++) {
		r->link[d].nsaid = 0;
		r->link[d].fresh = d == dim ? !over : r->link[d].id < r->id;
	}
}

/* What neighbours say of the present round. */
static void present_follow(struct hc_node *node, struct hc_round *r)
{
	unsigned int d;

	for (d = 0; d < node->fabric->dim && r->state != HC_ROUND_IDLE; d++) {
		const struct hc_wire_round *w = &r->link[d].last;

		if (!(r->part & hc_bit(d)) || r->link[d].id != r->id)
			continue;
		/* Somebody has told two nodes different things of one round. */
		if (w->method != r->ops->id)
			hc_round_fail(node, r, -EPROTO, node->id, d);
		else if (w->flags & HC_ROUND_F_FAILED)
			hc_round_fail(node, r, -(int)be32_to_cpu(w->status), be16_to_cpu(w->node),
				      be16_to_cpu(w->dim));
		else if (w->flags & HC_ROUND_F_OUT && d == r->parent)
			hc_round_fail(node, r, -ENOLINK, node->id, d);
	}
}

bool hc_round_follow(struct hc_node *node, struct hc_round *r, u64 *next)
{
	unsigned int d = later_along(node, r);
	const struct hc_round_link *l;
	u64 now = ktime_get_ns();

	if (d != HC_ROUND_NOBODY && now < r->ready) {
		*next = r->ready;
		return false;
	}
	if (d != HC_ROUND_NOBODY) {
		l = &r->link[d];
		r->ready = now + GAP;
		hc_round_beaten(node, r);
		if (is_over(l->last.flags) || (l->id & U16_MAX) == node->id)
			later_miss(node, r, d);
		else
			hc_round_join(node, r, l->id, hc_round_method(l->last.method), d);
	}
	present_follow(node, r);
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
