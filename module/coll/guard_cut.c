// SPDX-License-Identifier: GPL-2.0
/*
 * Guarded plans: cutting a stored contribution into new frames, when it is submitted again.
 *
 * A contribution is a message, or it has a part for each member, in the order of the nodes. How it
 * is cut into frames depends on the plan. If the present plan is of another type, or has other
 * members, new frames are made from the contents of the stored frames. Parts for nodes that are no
 * members any more are left out. If there is a new member, for which there is no part, the
 * contribution fails.
 */
#include <net/sock.h>

#include "coll/coll.h"
#include "coll/guard_impl.h"
#include "hc_coll_desc.h"

/* Return: true if a contribution has a part for each member. In a scatter, only the root's
 * contribution (@root) has.
 */
static bool has_parts(const struct hc_coll_ops *coll, bool root)
{
	const struct hc_coll_desc *t = hc_coll_desc(coll->id);

	return t->parts || (root && hc_coll_deals(t));
}

static const struct hc_coll_ops *coll_now(const struct hc_member *m, const struct hc_given *k)
{
	const struct hc_coll_ops *coll = hc_coll_find(m->plan->ops, k->head.collective,
						      k->head.oper);

	return !IS_ERR(coll) && coll->agrees ? ERR_PTR(-EPROTOTYPE) : coll;
}

/* Return: true if @len is the length that the first frame of a contribution of @total bytes has in
 * the present plan.
 */
static bool frame_fits(const struct hc_member *m, const struct hc_coll_ops *coll, u64 total,
		       u32 len)
{
	return !coll->piece || len == min_t(u64, total, coll->piece(m->plan, total));
}

static u32 given_len(const struct hc_given *k)
{
	return k->refs.n ? k->refs.at[0].len : be64_to_cpu(k->head.total);
}

bool hc_given_fits(const struct hc_member *m, const struct hc_given *k)
{
	const struct hc_coll_ops *coll = coll_now(m, k);

	return !IS_ERR(coll) &&
	       frame_fits(m, coll, be64_to_cpu(k->head.total), given_len(k)) &&
	       (!has_parts(coll, k->root == m->node->id) ||
		k->change == m->plan->change);
}

bool hc_guard_old_fits(const struct hc_member *m, const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	u32 epoch = be32_to_cpu(w->plan.epoch);
	const struct hc_coll_ops *coll;

	/* A collective that the plan does not support counts as fitting: op_begin() then fails the
	 * operation.
	 */
	coll = hc_coll_find(m->plan->ops, w->collective, w->oper);
	return IS_ERR(coll) ||
	       (frame_fits(m, coll, be64_to_cpu(w->total), be32_to_cpu(hc_hdr(skb)->len)) &&
		(!has_parts(coll, hc_member_is_root(m)) ||
		 hc_epoch_change(m->plan, epoch) == m->plan->change));
}

bool hc_given_may(const struct hc_member *m, const struct hc_given *k, struct hc_end *end)
{
	const struct hc_coll_desc *t = hc_coll_desc(k->coll->id);
	bool root = hc_member_is_root(m);

	*end = m->guard->cause;
	if (k->lost)
		return false;
	/* If another root had to distribute data, this data was lost with that root. */
	*end = hc_cause(EHOSTDOWN, k->root);
	if (t->gives == HC_WHO_ROOT && root && k->root != m->node->id)
		return false;
	/* If the process was that of the root when it contributed, and is not any more, its
	 * contribution fails in collectives with a root: only the process of the present root gets
	 * the result, or has its blocks distributed.
	 */
	*end = hc_cause(ESTALE, HC_CAUSE_NONE);
	return (t->gives != HC_WHO_ROOT && t->gets != HC_WHO_ROOT) || root ||
	       k->root != m->node->id;
}

/* ------------------------------------------------------------ cutting */

/* Prepare to cut out the parts for the present members. Fail if there is a member without a part.
 */
static int parts_begin(const struct hc_member *m, const struct hc_given *k, struct hc_cut *c)
{
	u32 words = hc_topo_words(&m->node->fabric->topo), i;
	struct hc_epoch_sets sets;

	if (!hc_epoch_sets(m->plan, k->change, &sets))
		return -ESTALE;
	for (i = 0; i < words; i++)
		if (m->plan->members[i] & ~sets.members[i])
			return -ESTALE;
	c->was = sets.members;
	c->part = div_u64(c->total, memweight(sets.members, words * sizeof(u32)));
	c->total = c->part * m->plan->nmembers;
	c->node = hc_member_from(m, 0);
	return 0;
}

int hc_cut_begin(const struct hc_member *m, const struct hc_given *k, struct hc_cut *c)
{
	const struct hc_coll_ops *coll = coll_now(m, k);

	if (IS_ERR(coll))
		return PTR_ERR(coll);
	*c = (struct hc_cut){ .k = k, .total = be64_to_cpu(k->head.total) };
	c->part = c->total;
	/* If the collective has no .piece function, the frames keep their length. */
	c->frame = coll->piece ? coll->piece(m->plan, c->total) : given_len(k);
	c->apart = coll->asks;
	if (!c->frame && c->total)
		return -EMSGSIZE;
	return has_parts(coll, k->root == m->node->id) ? parts_begin(m, k, c) : 0;
}

/* Return: the offset, in the stored contribution, of the next byte. */
static u64 given_at(const struct hc_cut *c)
{
	return c->done + (c->was ? hc_set_rank(c->was, c->node) * c->part : 0);
}

/* Copy @len bytes of the stored contribution, from offset @at, to @to. The offsets must ascend from
 * call to call.
 */
static void given_read(struct hc_cut *c, u64 at, u8 *to, u32 len)
{
	while (len) {
		const struct hc_seg_ref *ref = &c->k->refs.at[c->ref];
		u32 n;

		if (at >= c->begin + ref->len) {
			c->begin += ref->len;
			c->ref++;
			continue;
		}
		n = min_t(u64, len, c->begin + ref->len - at);
		memcpy(to, ref->data + (at - c->begin), n);
		to += n;
		at += n;
		len -= n;
	}
}

static void frame_fill(const struct hc_member *m, struct hc_cut *c, u8 *to, u32 len)
{
	while (len) {
		u32 n = min_t(u64, len, c->part - c->done);

		given_read(c, given_at(c), to, n);
		to += n;
		len -= n;
		c->done += n;
		if (c->done < c->part || !c->was)
			continue;
		c->node = hc_member_from(m, c->node + 1);
		c->done = 0;
	}
}

struct sk_buff *hc_cut_next(const struct hc_member *m, struct hc_cut *c)
{
	u64 rest = c->apart && c->total ? c->part - c->done : c->total - c->at;
	u32 len = min_t(u64, c->frame, rest);
	struct sk_buff *skb = hc_seg_alloc(m->node->fabric, m->node->id, len, GFP_ATOMIC);

	if (!skb)
		return NULL;
	frame_fill(m, c, hc_payload(skb), len);
	hc_given_frame(c->k, skb, c->at, c->at + len == c->total);
	hc_wire_data_of(skb)->total = cpu_to_be64(c->total);
	c->at += len;
	return skb;
}
