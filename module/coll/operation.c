// SPDX-License-Identifier: GPL-2.0
/* Allocating and freeing members and their operations. */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/detour.h"
#include "coll/end.h"
#include "coll/guard.h"
#include "fabric/limits.h"
#include "trace.h"

/* Return: the size in bytes of an operation. An operation may be allocated before its collective is
 * known, so it has space for the private state of any collective of the plan type.
 */
static size_t op_size(const struct hc_plan_ops *ops, unsigned int nsrc, unsigned int nouts)
{
	const struct hc_coll_ops *const *c;
	size_t most = 0;

	for (c = ops->colls; *c; c++)
		most = max(most, (*c)->op_size + nsrc * (*c)->src_size);
	return struct_size_t(struct hc_op, src, nsrc) + nouts * sizeof(struct hc_out) + most;
}

int hc_member_create(struct hc_plan *plan, u32 u, const struct hc_tree_role *role,
		     const struct hc_tree_peer *src)
{
	struct hc_member *m;
	size_t common = ALIGN(struct_size(m, src, role->nsrc), __alignof__(u64));
	size_t own = ALIGN(common + plan->ops->member_size, __alignof__(u64));
	size_t size = own;
	int err;

	if (plan->ways)
		size += (role->nsrc + role->ndst) * sizeof(*m->detour);

	err = hc_plan_charge(plan, size);
	if (err)
		return err;
	m = kzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!m)
		return -ENOMEM;
	m->plan = plan;
	m->priv = (void *)m + common;
	m->detour = plan->ways ? (void *)m + own : NULL;
	m->nstreams = role->nsrc;
	m->nouts = max(role->nsrc, role->ndst);
	m->op_size = op_size(plan->ops, role->nsrc, m->nouts);
	m->node = plan->fabric->nodes[u];
	m->role = *role;
	m->rank = hc_set_rank(plan->members, u);
	m->tells = u == plan->root;
	m->view.since = jiffies;
	m->gen.early.nr = HC_NR_NONE;
	hc_end_init(m);
	INIT_LIST_HEAD(&m->gen.fallen);
	INIT_LIST_HEAD(&m->job.list);
	__skb_queue_head_init(&m->user.waiting);
	memcpy(m->src, src, role->nsrc * sizeof(*src));
	plan->member[u] = m;
	return plan->guard ? hc_guard_create(m) : 0;
}

/* Free the spare operations from list entry *@at on. */
static void spares_free(struct hc_member *m, struct hc_op **at)
{
	struct hc_op *op;

	while ((op = *at)) {
		*at = op->spare;
		m->nspares--;
		hc_poll_free(m->node->fabric, op, m->op_size);
	}
}

void hc_member_free(struct hc_member *m)
{
	spares_free(m, &m->spares);
	hc_guard_free(m);
	kfree(m);
}

void hc_op_free(struct hc_op *op)
{
	struct hc_member *m = op->member;
	unsigned int i;

	__skb_queue_purge(&op->own);
	__skb_queue_purge(&op->down);
	for (i = 0; i < m->nstreams; i++)
		__skb_queue_purge(&op->src[i].q);
	if (op->coll->release)
		op->coll->release(op);
	m->nops--;
	/* Do not keep more than a window of operations. There may be more, since operations that
	 * have failed in the last generation exist in addition to a full window.
	 */
	if (m->nops + m->nspares >= HC_OP_WINDOW) {
		hc_poll_free(m->node->fabric, op, m->op_size);
		return;
	}
	/* Keep the memory, which stays charged to the fabric, for reuse: while other operations are
	 * pending, the next one will begin soon. If none is pending, keep only this operation,
	 * whose memory was used last and is in the caches.
	 */
	op->spare = m->spares;
	m->spares = op;
	m->nspares++;
	if (!m->nops)
		spares_free(m, &op->spare);
}

/* Allocate an operation, or reuse a spare one. All its fields are 0. */
static struct hc_op *op_alloc(struct hc_member *m)
{
	struct hc_op *op = m->spares;

	if (!op) {
		op = hc_poll_alloc(m->node->fabric, m->op_size);
	} else {
		m->spares = op->spare;
		m->nspares--;
		memset(op, 0, m->op_size);
	}
	if (op)
		m->nops++;
	return op;
}

struct hc_op *hc_op_get(struct hc_member *m, u64 nr)
{
	struct hc_op **slot = &m->ops[nr % HC_OP_WINDOW];
	struct hc_op *op = *slot;
	unsigned int i;

	if (op)
		return WARN_ON_ONCE(op->nr != nr) ? NULL : op;
	op = op_alloc(m);
	if (!op)
		return NULL;
	BUILD_BUG_ON(sizeof(struct hc_stream) % __alignof__(u64));
	BUILD_BUG_ON(sizeof(struct hc_out) % __alignof__(u64));
	op->out = (void *)&op->src[m->nstreams];
	op->priv = &op->out[m->nouts];
	op->member = m;
	op->coll = m->plan->ops->colls[0];
	op->nr = nr;
	__skb_queue_head_init(&op->own);
	__skb_queue_head_init(&op->down);
	for (i = 0; i < m->nstreams; i++) {
		__skb_queue_head_init(&op->src[i].q);
		op->src[i].want = m->plan->ops->unasked;
	}
	*slot = op;
	return op;
}

void hc_op_drop(struct hc_member *m, struct hc_op *op, int status)
{
	if (op->begun)
		trace_hc_op_end(m->node, m->plan->id, hc_user_nr(m, op->nr), status);
	if (m->guard && op->begun && !status)
		hc_guard_ended(m, op);
	m->ops[op->nr % HC_OP_WINDOW] = NULL;
	m->dropped++;
	hc_op_free(op);
}

u32 hc_op_steps(const struct hc_member *m, const struct hc_op *op)
{
	u32 steps = op->turn;
	unsigned int i;

	if (m->plan->ops->steps)
		return m->plan->ops->steps(m, op);
	for (i = 0; i < m->plan->stages; i++)
		steps += max_t(u32, op->cost[i], 1);
	return steps;
}
