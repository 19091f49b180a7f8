// SPDX-License-Identifier: GPL-2.0
/* Making records with results for processes, and queueing them. */
#include "coll/coll.h"
#include "coll/process.h"
#include "coll/record.h"
#include "fabric/skb.h"
#include "hc_topo.h"

const struct hc_process_ops *hc_process_ops __ro_after_init;

static void result_fill(const struct hc_member *m, const struct hc_op *op,
			struct hypercube_result *res)
{
	*res = hc_op_result(m, op, op->nr);
	res->bytes = op->coll->own_part ? hc_part_bytes(m, op->result) : op->result;
	res->steps = hc_op_steps(m, op);
	res->clock = op->clock;
	res->time = op->time;
}

static void result_queue(struct hc_member *m, struct hc_op *op, struct sk_buff *skb,
			 const struct hc_result_cb *cb)
{
	BUILD_BUG_ON(sizeof(struct hypercube_result) > HC_DATA_HEAD);
	/* Write struct hypercube_result in front of the payload, over the end of the header. */
	__skb_pull(skb, HC_DATA_HEAD - sizeof(struct hypercube_result));
	result_fill(m, op, (struct hypercube_result *)skb->data);
	*hc_result_cb(skb) = *cb;
	if (!hc_process_ops->queue(m->node, m->plan->id, op->rec.sock, skb))
		hc_drop(m->node, NULL, skb, HYPERCUBE_A_DROP_NO_SOCKET);
}

void hc_process_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	const struct hc_result_cb cb = {
		.rec = op->rec.nr,
		.pos = sizeof(struct hypercube_result),
		.last = last,
	};

	result_queue(m, op, skb, &cb);
}

void hc_process_result_at(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, u64 at,
			  bool last)
{
	hc_process_result_spread(m, op, skb, at, 0, be32_to_cpu(hc_hdr(skb)->len), last);
}

void hc_process_result_spread(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, u64 at,
			      u64 stride, u32 piece, bool last)
{
	const struct hc_result_cb cb = {
		.rec = op->rec.nr,
		.at = at,
		.stride = stride,
		.piece = piece,
		.pos = sizeof(struct hypercube_result),
		.placed = true,
		.last = last,
	};

	result_queue(m, op, skb, &cb);
}

/* Make the last skb of a result's record. It has two sets: @places, and *@missing, which the caller
 * fills in.
 */
static struct sk_buff *places_alloc(const struct hc_member *m, const struct hc_op *op,
				    const u32 *places, u32 **missing)
{
	size_t set = hc_topo_words(&m->node->fabric->topo) * sizeof(*places);
	struct hypercube_result *res;
	struct sk_buff *skb = alloc_skb(sizeof(*res) + 2 * set, GFP_ATOMIC | __GFP_NOWARN);

	if (!skb)
		return NULL;
	res = skb_put(skb, sizeof(*res));
	result_fill(m, op, res);
	skb_put_data(skb, places, set);
	*missing = skb_put_zero(skb, set);
	*hc_result_cb(skb) = (struct hc_result_cb){
		.rec = op->rec.nr,
		.pos = skb->len,
		.sets = 2 * set,
		.placed = true,
		.last = true,
	};
	return skb;
}

static void places_fail(struct sk_buff *skb, const u32 *missing)
{
	struct hypercube_result *res = (void *)skb->data;

	res->status = -EHOSTUNREACH;
	res->cause_node = hc_set_first(missing);
}

void hc_process_named(struct hc_member *m, const struct hc_op *op, struct sk_buff *skb)
{
	if (!hc_process_ops->queue(m->node, m->plan->id, op->rec.sock, skb))
		kfree_skb(skb);
}

bool hc_process_places(struct hc_member *m, const struct hc_op *op, const u32 *members,
		       const u32 *missing)
{
	size_t set = hc_topo_words(&m->node->fabric->topo) * sizeof(*members);
	struct sk_buff *skb;
	u32 *lacks;

	skb = places_alloc(m, op, members, &lacks);
	if (!skb)
		return false;
	if (missing) {
		memcpy(lacks, missing, set);
		places_fail(skb, missing);
	}
	hc_process_named(m, op, skb);
	return true;
}

struct sk_buff *hc_process_names(struct hc_member *m, const struct hc_op *op, const u32 *all,
				 const u32 *members, bool strict)
{
	u32 words = hc_topo_words(&m->node->fabric->topo), *missing, k;
	struct sk_buff *skb = places_alloc(m, op, all, &missing);

	if (!skb)
		return NULL;
	for (k = 0; k < words; k++)
		missing[k] = all[k] & ~members[k];
	if (strict)
		places_fail(skb, missing);
	return skb;
}
