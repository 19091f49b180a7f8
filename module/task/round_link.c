// SPDX-License-Identifier: GPL-2.0
/*
 * ROUND frames: the values and flags that a node sends in a round over a link.
 *
 * Each frame repeats all values and flags that the node has sent over this link in the round. So
 * each frame replaces the frames before it, and a frame that could not be sent is replaced by a new
 * one (hc_round_link.fresh). A link delivers frames in order or is down, so each end has the latest
 * state of the other end, except for frames that were lost while one end was down. These lost
 * frames do no harm:
 *
 *  - A round fails if a link that it uses was unusable, even if only for a moment.
 *  - One end of a link may come up before the other, which drops all frames until it is up, too.
 *    When the second end is up, it sends its FAULT word, and the first end sends its state again
 *    (hc_round_again()).
 *  - If a neighbour sends a frame of an earlier round than this node's, or of a round that has
 *    ended at this node, this node sends the neighbour its state.
 */
#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "task/round_impl.h"

/* A value in a frame: kind << 56 | index << 48 | value. */
#define WORD(kind, index, value)	((u64)(kind) << 56 | (u64)(index) << 48 | (value))
#define WORD_VALUE			((1ULL << HC_ROUND_VALUE_BITS) - 1)
/* Least time between two rounds that a node joins. It limits the number of frames that a Byzantine
 * neighbour can cause, since a node that joins a round sends frames to all its neighbours.
 */
#define GAP	(2ULL * NSEC_PER_MSEC)
/* No round takes less than 2^LEAST_LOG ns, so the time since the machine was booted limits the
 * number of a round. A frame with a greater number is refused; otherwise a Byzantine neighbour
 * could use the greatest number, after which no round can begin.
 */
#define LEAST_LOG	10

/* ------------------------------------------------------------ values */

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

	return l->id == r->id && hc_round_word(l->received, l->nreceived, kind, index, value);
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

	for (d = 0; d < node->fabric->topo.ports; d++)
		if (r->link[d].fresh && r->ops && hc_link_usable(node, d))
			link_send(node, r, d);
}

/* ------------------------------------------------------------ receiving */

static bool cause_sound(const struct hc_node *node, const struct hc_wire_round *w)
{
	u32 status = be32_to_cpu(w->status), u = be16_to_cpu(w->node), d = be16_to_cpu(w->dim);

	if (!(w->flags & HC_ROUND_F_FAILED))
		return !status;
	/* Error numbers from ERESTARTSYS on are internal to the kernel. */
	return status && status < ERESTARTSYS &&
	       (u == HC_CAUSE_NONE || u < node->fabric->topo.nodes) &&
	       (d == HC_CAUSE_NONE || d < node->fabric->topo.ports);
}

/* Return: true if the values of a frame are valid: each is of a kind that the method uses, and no
 * two have the same kind and index.
 */
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

/* Set @word to the values of a frame. Return: their number, or -1 if the frame is malformed. */
static int frame_read(const struct hc_node *node, const struct sk_buff *skb, u64 *word)
{
	const struct hc_wire_round *w = hc_wire_round_of(skb);
	const struct hc_round_ops *ops = hc_round_method(w->method);
	u32 len = skb->len - HC_ROUND_HEAD, n = len / sizeof(__be64), i;
	__be64 raw[HC_ROUND_WORDS];

	if (!ops || len % sizeof(__be64) || n > HC_ROUND_WORDS || !cause_sound(node, w) ||
	    (be64_to_cpu(w->round) & U16_MAX) >= node->fabric->topo.nodes ||
	    w->flags & ~HC_ROUND_F_ALL || w->reserved[0] || w->reserved[1] ||
	    be32_to_cpu(w->members) > node->fabric->topo.nodes ||
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

/* Store the flags and values that the neighbour along @dim has sent. New flags and values are added
 * to those that are stored; none is removed or changed.
 */
static void link_receive(struct hc_round *r, unsigned int dim, const struct hc_wire_round *w,
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
		l->nreceived = 0;
	}
	news |= w->flags & ~l->theirs || n > l->nreceived;
	l->last = *w;
	l->theirs |= w->flags;
	if (n > l->nreceived) {
		memcpy(&l->received[l->nreceived], &word[l->nreceived],
		       (n - l->nreceived) * sizeof(*word));
		l->nreceived = n;
	}
	if (news && id == r->id)
		r->clock.progress = ktime_get_ns();
}

bool hc_round_receive(struct hc_node *node, struct hc_round *r, unsigned int dim,
		      const struct hc_wire_round *w, const u64 *word, unsigned int n)
{
	bool out = w->flags & HC_ROUND_F_OUT, over = is_over(w->flags);
	u64 id = be64_to_cpu(w->round);

	if (hc_round_nr(id) > ktime_get_ns() >> LEAST_LOG)
		return false;
	/* Ignore a later round that does not use this link: a frame of it may be received over
	 * another link.
	 */
	if (id <= r->id || !out || over)
		link_receive(r, dim, w, word, n);
	if (!over && (id < r->id || (id == r->id && !out && (r->state == HC_ROUND_IDLE ||
							     !(r->part & hc_bit(dim))))))
		r->link[dim].fresh = true;
	return true;
}

/* ------------------------------------------------------------ joining and leaving rounds */

/* Return: the dimension of the usable link over which a frame of the latest round was received, or
 * HC_ROUND_NO_PARENT if no such round is later than the node's present or last one. Links that are
 * unusable by now are ignored, since the round has failed at the neighbour for this reason.
 */
static unsigned int later_along(const struct hc_node *node, const struct hc_round *r)
{
	unsigned int d, dim = HC_ROUND_NO_PARENT;
	u64 id = r->id;

	for (d = 0; d < node->fabric->topo.ports; d++)
		if (r->link[d].id > id && hc_link_usable(node, d)) {
			id = r->link[d].id;
			dim = d;
		}
	return dim;
}

/* Adopt the id of a later round, of which a frame was received over link @dim, without joining the
 * round. There are two cases: the round has already ended at other nodes; or its id contains the
 * number of this node, which has not begun it. In the second case the id is forged, the nodes of
 * the round may wait for each other, and no node would end it, so this node sends FAILED.
 *
 * In both cases this node has left its present round, and sends frames to the neighbours that may
 * wait for it in that round.
 */
static void deferred_miss(struct hc_node *node, struct hc_round *r, unsigned int dim)
{
	const struct hc_wire_round *w = &r->link[dim].last;
	bool over = is_over(w->flags);
	unsigned int d;

	r->id = r->link[dim].id;
	r->ops = hc_round_method(w->method);
	r->parent = HC_ROUND_NO_PARENT;
	r->part = 0;
	r->flags = over ? w->flags & (HC_ROUND_F_OVER | HC_ROUND_F_FAILED) : HC_ROUND_F_FAILED;
	r->status = over ? -(int)be32_to_cpu(w->status) : -EPROTO;
	r->cause_node = over ? be16_to_cpu(w->node) : node->id;
	r->cause_dim = over ? be16_to_cpu(w->dim) : dim;
	for (d = 0; d < node->fabric->topo.ports; d++) {
		r->link[d].nsaid = 0;
		r->link[d].fresh = d == dim ? !over : r->link[d].id < r->id;
	}
}

/* Fail the present round if it has failed at a neighbour, or if the frames of a neighbour are not
 * consistent with it.
 */
static void present_follow(struct hc_node *node, struct hc_round *r)
{
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports && r->state != HC_ROUND_IDLE; d++) {
		const struct hc_wire_round *w = &r->link[d].last;

		if (!(r->part & hc_bit(d)) || r->link[d].id != r->id)
			continue;
		/* The node that began the round has sent frames with different methods to different
		 * neighbours.
		 */
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

	if (d != HC_ROUND_NO_PARENT && now < r->ready) {
		*next = r->ready;
		return false;
	}
	if (d != HC_ROUND_NO_PARENT) {
		l = &r->link[d];
		r->ready = now + GAP;
		hc_round_superseded(node, r);
		if (is_over(l->last.flags) || (l->id & U16_MAX) == node->id)
			deferred_miss(node, r, d);
		else
			hc_round_join(node, r, l->id, hc_round_method(l->last.method), d);
	}
	present_follow(node, r);
	return true;
}

/* Process a ROUND frame. Return: 0, or the reason for which it must be dropped. */
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
