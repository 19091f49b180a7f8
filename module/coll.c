// SPDX-License-Identifier: GPL-2.0
/*
 * Operations at one member of a plan: numbering, arrival of frames, completion
 * and failure.  What a collective does with the data is in tree.c and merge.c.
 *
 * Every member numbers its contributions 0, 1, 2, ..; contributions of the same
 * number belong together.  A member sends its data in the order of the numbers
 * over paths that keep order, so operations are handed over and complete in
 * order too; only the oldest one (hc_member.head) is worked on.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "coll.h"
#include "combine.h"
#include "netlink.h"
#include "trace.h"

int hc_member_create(struct hc_plan *plan, u32 u, const struct hc_tree_role *role,
		     const struct hc_tree_peer *src)
{
	struct hc_member *m = kzalloc(struct_size(m, src, role->nsrc), GFP_KERNEL);

	if (!m)
		return -ENOMEM;
	m->plan = plan;
	m->node = plan->fabric->nodes[u];
	m->role = *role;
	m->view_since = jiffies;
	__skb_queue_head_init(&m->waiting);
	memcpy(m->src, src, role->nsrc * sizeof(*src));
	plan->member[u] = m;
	return 0;
}

void hc_op_free(struct hc_op *op)
{
	struct hc_member *m = op->member;
	unsigned int i;

	__skb_queue_purge(&op->own);
	__skb_queue_purge(&op->down);
	for (i = 0; i < m->role.nsrc; i++)
		__skb_queue_purge(&op->src[i].q);
	kfree_skb(op->out);
	kfree(op->bounds);
	kfree(op);
}

struct hc_op *hc_op_get(struct hc_member *m, u64 nr)
{
	struct hc_op **slot = &m->ops[nr % HC_OP_WINDOW];
	struct hc_op *op = *slot;
	unsigned int i;

	if (op)
		return WARN_ON_ONCE(op->nr != nr) ? NULL : op;
	op = kzalloc(struct_size(op, src, m->role.nsrc), GFP_ATOMIC);
	if (!op)
		return NULL;
	op->member = m;
	op->nr = nr;
	__skb_queue_head_init(&op->own);
	__skb_queue_head_init(&op->down);
	for (i = 0; i < m->role.nsrc; i++) {
		__skb_queue_head_init(&op->src[i].q);
		op->src[i].credit = HC_DOWN_WINDOW;
		op->src[i].want = hc_member_is_bcast(m);
	}
	memset(op->credit, HC_MERGE_WINDOW, sizeof(op->credit));
	*slot = op;
	return op;
}

void hc_op_drop(struct hc_member *m, struct hc_op *op, int status)
{
	if (op->begun)
		trace_hc_op_end(m, op->nr, status);
	m->ops[op->nr % HC_OP_WINDOW] = NULL;
	hc_op_free(op);
}

u32 hc_op_steps(const struct hc_member *m, const struct hc_op *op)
{
	u32 steps = op->turn;
	unsigned int i;

	for (i = 0; i < m->plan->tree.stages; i++)
		steps += max_t(u32, op->cost[i], 1);
	return steps;
}

/* A wait that already lasts keeps its start: "who is missing?" wants its length. */
static void view_set(struct hc_member *m, u64 nr, u8 wait, u32 peer)
{
	if (m->view_wait == wait && m->view_nr == nr && m->view_peer == peer)
		return;
	WRITE_ONCE(m->view_nr, nr);
	WRITE_ONCE(m->view_wait, wait);
	WRITE_ONCE(m->view_peer, peer);
	WRITE_ONCE(m->view_since, jiffies);
	m->asked = 0;
	m->silent = 0;
}

enum hc_progress hc_wait(struct hc_member *m, struct hc_op *op, u32 wait, u32 peer)
{
	view_set(m, op->nr, wait, peer);
	return HC_BLOCKED;
}

/* Of those who tell this member how far they are, the one who is last. */
static unsigned int peer_last(const struct hc_member *m)
{
	unsigned int n = hc_member_is_bcast(m) ? m->role.nsrc : m->role.ndst;
	unsigned int i, last = 0;

	for (i = 1; i < n; i++)
		if (m->peer_done[i] < m->peer_done[last])
			last = i;
	return last;
}

void hc_view_idle(struct hc_member *m)
{
	unsigned int last = peer_last(m);

	if (m->done < m->head && hc_member_is_bcast(m))
		view_set(m, m->done, HYPERCUBE_WAIT_DONE, m->src[last].node);
	else if (m->done < m->head && m->role.ndst)
		view_set(m, m->done, HYPERCUBE_WAIT_DONE, m->role.dst[last].node);
	else
		view_set(m, m->head, HYPERCUBE_WAIT_NOTHING, 0);
}

bool hc_coll_view(const struct hc_plan *plan, u32 node, struct hc_op_view *view)
{
	const struct hc_member *m = plan->member[node];

	if (!m)
		return false;
	view->nr = READ_ONCE(m->view_nr);
	view->next = READ_ONCE(m->next);
	view->done = READ_ONCE(m->done);
	view->wait = READ_ONCE(m->view_wait);
	view->peer = READ_ONCE(m->view_peer);
	view->since = jiffies64_to_nsecs(jiffies - READ_ONCE(m->view_since));
	return true;
}

/* ------------------------------------------------------------ sending */

struct sk_buff *hc_seg_alloc(const struct hc_fabric *fabric, u32 src, u32 len, gfp_t gfp)
{
	unsigned int order = get_order(len);
	struct sk_buff *skb;
	struct page *page;

	if (len <= HC_INLINE_MAX)
		return hc_frame_make(fabric, src, HC_FRAME_DATA, len, gfp);
	page = alloc_pages(gfp | __GFP_COMP | __GFP_NOWARN, order);
	if (!page)
		return NULL;
	skb = hc_frame_make(fabric, src, HC_FRAME_DATA, 0, gfp);
	if (!skb) {
		__free_pages(page, order);
		return NULL;
	}
	hc_hdr(skb)->len = cpu_to_be32(len);
	skb_fill_page_desc(skb, 0, page, 0, len);
	skb->len += len;
	skb->data_len += len;
	skb->truesize += PAGE_SIZE << order;
	return skb;
}

/* Frames to a tree neighbour whose link has just gone take the long way. */
void hc_peer_xmit(struct hc_member *m, const struct hc_tree_peer *peer, struct sk_buff *skb)
{
	struct hc_hdr *hdr = hc_hdr(skb);

	hdr->plan = cpu_to_be32(m->plan->id);
	hdr->epoch = cpu_to_be32(m->plan->epoch);
	hdr->src = cpu_to_be16(m->node->id);
	hdr->dst = cpu_to_be16(peer->node);
	if (peer->how == HC_TREE_DETOUR ||
	    (hdr->type != HC_FRAME_DATA && !hc_link_usable(m->node, peer->dim)))
		hc_route_xmit(m->node, peer->node, skb);
	else
		hc_link_xmit(m->node, peer->dim, skb);
}

void hc_stage_header(struct hc_member *m, struct hc_op *op, const struct hc_tree_peer *peer,
		     u64 *busy, struct sk_buff *skb)
{
	struct hc_hdr *hdr = hc_hdr(skb);
	u64 start = max(be64_to_cpu(hdr->time), *busy);

	hdr->op = cpu_to_be64(op->nr);
	hdr->collective = op->collective;
	hdr->oper = op->oper;
	hdr->dtype = op->dtype;
	hdr->width = cpu_to_be16(op->width);
	hdr->stage = peer->stage;
	hdr->time = cpu_to_be64(start);
	if (op->notify)
		hdr->flags |= HC_FRAME_F_NOTIFY;
	/* Each hop of a detour counts itself (route.c). */
	hdr->step = cpu_to_be32(op->clock + (peer->how != HC_TREE_DETOUR));
	op->cost[peer->stage] = max_t(u8, op->cost[peer->stage],
				      peer->how == HC_TREE_HELP ? 2 : 1);
	memcpy(hdr->cost, op->cost, sizeof(hdr->cost));
	if (peer->how != HC_TREE_DETOUR) {
		u64 rate = hc_link_bandwidth(&m->node->ports[peer->dim]);

		*busy = start + (rate ? div64_u64((u64)skb->len * NSEC_PER_SEC, rate) : 0);
	}
	trace_hc_stage(m, op->nr, peer, skb);
}

void hc_data_header(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *skb)
{
	/* Who is blocked gets the result from its first helper. */
	if (!i && hc_op_comes_down(op))
		hc_hdr(skb)->flags |= HC_FRAME_F_WANT;
	hc_stage_header(m, op, &m->role.dst[i], &op->busy[i], skb);
}

void hc_op_note(struct hc_member *m, struct hc_op *op, const struct hc_hdr *hdr)
{
	unsigned int i;

	op->clock = max(op->clock, be32_to_cpu(hdr->step));
	op->notify |= !!(hdr->flags & HC_FRAME_F_NOTIFY);
	for (i = 0; i < m->plan->tree.stages; i++)
		op->cost[i] = max(op->cost[i], hdr->cost[i]);
	if (hdr->flags & HC_FRAME_F_ROUTED && hdr->stage < HC_STAGES_MAX) {
		u16 hops = min_t(u16, be16_to_cpu(hdr->walk), U8_MAX);

		op->cost[hdr->stage] = max_t(u8, op->cost[hdr->stage], hops);
	}
}

bool hc_done_xmit(struct hc_member *m, const struct hc_tree_peer *peer, const struct hc_done *d)
{
	struct sk_buff *skb = hc_frame_alloc(m->node, HC_FRAME_DONE, 0, GFP_ATOMIC);
	struct hc_hdr *hdr;

	if (!skb)
		return false;
	hdr = hc_hdr(skb);
	hdr->op = cpu_to_be64(d->nr);
	hdr->step = cpu_to_be32(d->clock);
	hdr->offset = cpu_to_be64(d->steps);
	hdr->time = cpu_to_be64(d->time);
	hc_peer_xmit(m, peer, skb);
	return true;
}

static void done_down(struct hc_member *m, const struct hc_done *d)
{
	unsigned int i;

	for (i = 0; i < m->role.nsrc; i++)
		hc_done_xmit(m, &m->src[i], d);
}

void hc_done_tell(struct hc_member *m)
{
	const struct hc_done d = { .nr = m->done };

	if (!hc_member_tells(m) || m->told == m->done)
		return;
	if (hc_member_is_bcast(m)) {
		hc_bcast_done_tell(m);
		return;
	}
	m->told = m->done;
	done_down(m, &d);
}

/* ------------------------------------------------------------ progress */

static void sink_complete(struct hc_member *m, struct hc_op *op)
{
	struct hc_op_event ev = {
		.node = m->node->id,
		.nr = op->nr,
		.steps = hc_op_steps(m, op),
		.time = op->time,
	};
	struct hc_done d = {
		.nr = op->nr + 1,
		.time = op->time,
		.clock = op->clock,
		.steps = ev.steps,
	};
	/* After a failure members wait for this to go on with the next number. */
	bool tell = op->notify || d.nr - m->told >= HC_DONE_BATCH || hc_ended(m, d.nr);

	hc_op_drop(m, op, 0);
	WRITE_ONCE(m->done, d.nr);
	hc_numbers_skip(m);
	hc_notify_op(m->plan, &ev);
	if (tell) {
		d.nr = m->done;
		m->told = m->done;
		done_down(m, &d);
	}
}

static enum hc_progress op_advance(struct hc_member *m, struct hc_op *op)
{
	if (hc_member_is_bcast(m))
		return hc_down_advance(m, op);
	if (hc_member_is_doubling(m))
		return hc_doubling_advance(m, op);
	if (op->collective == HYPERCUBE_GATHER)
		return hc_gather_advance(m, op);
	if (op->collective == HYPERCUBE_SCATTER)
		return hc_scatter_advance(m, op);
	return op->oper == HYPERCUBE_MERGE ? hc_merge_advance(m, op) : hc_tree_advance(m, op);
}

/* The oldest operation was passed on as a whole. */
static void op_handed(struct hc_member *m, struct hc_op *op)
{
	op->handed = true;
	m->head++;
	if (hc_member_is_bcast(m)) {
		/* Whoever receives a message has no more to do with it. */
		if (m->role.ndst) {
			if (op->begun)
				trace_hc_op_end(m, op->nr, 0);
			op->begun = false;
			WRITE_ONCE(m->next, m->head);
		}
		hc_bcast_review(m);
	} else if (hc_member_is_doubling(m)) {
		hc_doubling_complete(m, op);
	} else if (hc_member_is_root(m)) {
		sink_complete(m, op);
	}
	hc_numbers_skip(m);
}

/* Work on the oldest operation, and the next one once it is handed over. */
void hc_advance(struct hc_member *m)
{
	for (;;) {
		struct hc_op *op = hc_member_op(m, m->head);
		enum hc_progress p;

		if (!op || op->nr != m->head) {
			hc_view_idle(m);
			return;
		}
		p = op_advance(m, op);
		if (p == HC_BLOCKED || m->broken)
			return;
		/* If it failed, the head has moved on. */
		if (p == HC_FINISHED)
			op_handed(m, op);
	}
}

/* ------------------------------------------------------------ frames of peers */

int hc_src_index(const struct hc_member *m, u32 node)
{
	unsigned int i;

	for (i = 0; i < m->role.nsrc; i++)
		if (m->src[i].node == node)
			return i;
	return -1;
}

const struct hc_tree_peer *hc_peer_find(const struct hc_member *m, u32 node)
{
	int s = hc_src_index(m, node);
	unsigned int i;

	if (s >= 0)
		return &m->src[s];
	for (i = 0; i < m->role.ndst; i++)
		if (m->role.dst[i].node == node)
			return &m->role.dst[i];
	return NULL;
}

static bool op_params_fit(const struct hc_op *op, const struct hc_hdr *hdr)
{
	return op->collective == hdr->collective && op->oper == hdr->oper &&
	       op->dtype == hdr->dtype && op->width == be16_to_cpu(hdr->width) &&
	       (op->oper == HYPERCUBE_MERGE || op->collective == HYPERCUBE_SCATTER ||
		op->total == be64_to_cpu(hdr->total));
}

/* Frames may come from another machine: is it an operation for a plan of this type? */
static bool plan_carries(const struct hc_member *m, const struct hc_hdr *hdr)
{
	if (hc_member_is_doubling(m))
		return (hdr->collective == HYPERCUBE_ALLREDUCE ||
			hdr->collective == HYPERCUBE_BARRIER) && hdr->oper != HYPERCUBE_MERGE;
	return (hdr->collective == HYPERCUBE_BCAST) == hc_member_is_bcast(m);
}

/* Take the parameters of the operation from its first frame, compare the others. */
bool hc_op_params(struct hc_op *op, const struct hc_hdr *hdr)
{
	bool bcast = hdr->collective == HYPERCUBE_BCAST;
	bool bytes = bcast || hc_coll_has_blocks(hdr->collective);
	int elem;

	if (op->known)
		return op_params_fit(op, hdr);
	/* A message is a string of bytes. */
	elem = bytes ? 1 : hc_combine_size(hdr->oper, hdr->dtype, be16_to_cpu(hdr->width));
	if (elem < 0 || !plan_carries(op->member, hdr))
		return false;
	op->elem = elem;
	op->collective = hdr->collective;
	op->oper = hdr->oper;
	op->dtype = hdr->dtype;
	op->width = be16_to_cpu(hdr->width);
	op->total = be64_to_cpu(hdr->total);
	op->known = true;
	return true;
}

static unsigned int data_refused(struct hc_member *m, int i, const struct hc_hdr *hdr)
{
	u64 nr = be64_to_cpu(hdr->op);
	struct hc_op *op;

	if (m->broken || nr < m->done || hc_ended(m, nr))
		return HYPERCUBE_A_DROP_ENDED;
	if (hc_member_is_doubling(m))
		return hc_doubling_refused(m, i, hdr);
	if (i < 0 || nr >= m->done + HC_OP_WINDOW || hc_member_is_bcast(m))
		return HYPERCUBE_A_DROP_UNEXPECTED;
	op = hc_member_op(m, nr);
	if (op && (op->nr != nr || op->handed || op->src[i].last))
		return HYPERCUBE_A_DROP_UNEXPECTED;
	return 0;
}

static bool whole_elements(const struct hc_op *op, const struct hc_hdr *hdr)
{
	u64 total = be64_to_cpu(hdr->total);

	return be32_to_cpu(hdr->len) % op->elem == 0 && do_div(total, op->elem) == 0;
}

static void data_rx(struct hc_member *m, struct sk_buff *skb)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	u64 nr = be64_to_cpu(hdr->op);
	u32 src = be16_to_cpu(hdr->src);
	int i = hc_src_index(m, src);
	unsigned int why = data_refused(m, i, hdr);
	struct hc_stream *st;
	struct hc_op *op;

	if (why) {
		hc_drop(m->node, NULL, skb, why);
		return;
	}
	op = hc_op_get(m, nr);
	if (!op || !hc_op_params(op, hdr) || !whole_elements(op, hdr)) {
		struct hc_end end = {
			.from = nr,
			.status = op ? EPROTO : ENOMEM,
			.node = op ? src : m->node->id,
			.dim = HC_CAUSE_NONE,
		};

		hc_drop(m->node, NULL, skb,
			op ? HYPERCUBE_A_DROP_MALFORMED : HYPERCUBE_A_DROP_NO_MEMORY);
		hc_coll_end_go_on(m, &end);
		return;
	}
	/* In a doubling it may be ahead of this member's own stage. */
	if (!hc_member_is_doubling(m))
		hc_op_note(m, op, hdr);
	st = &op->src[i];
	if (!st->begun)
		st->total = be64_to_cpu(hdr->total);
	st->begun = true;
	st->want |= !!(hdr->flags & HC_FRAME_F_WANT);
	st->last = hdr->flags & HC_FRAME_F_LAST;
	__skb_queue_tail(&st->q, skb);
	if (nr == m->head)
		hc_advance(m);
}

void hc_op_complete(struct hc_member *m, struct hc_op *op, u32 steps, u32 clock, u64 time)
{
	struct hypercube_result res = {
		.plan = m->plan->id,
		.op = op->nr,
		.cookie = op->cookie,
		.steps = steps,
		.clock = clock,
		.time = time,
		.cause_node = ~0U,
		.cause_dim = ~0U,
		.collective = op->collective,
	};

	if (op->notify_own)
		hc_sock_status(m->node, &res, op->rec);
	hc_op_drop(m, op, 0);
}

bool hc_done_set(struct hc_member *m, const struct hc_done *d)
{
	struct hc_done known = *d;
	u64 nr;

	for (nr = m->done; nr < d->nr; nr++) {
		struct hc_op *op = hc_member_op(m, nr);

		if (!op || op->nr != nr)
			continue;
		if (hc_op_comes_down(op))
			break;
		if (nr + 1 == d->nr)
			hc_op_complete(m, op, d->steps, d->clock, d->time);
		else
			hc_op_complete(m, op, 0, 0, 0);
	}
	if (nr == m->done)
		return false;
	if (nr < d->nr)
		known = (struct hc_done){ .nr = nr };
	WRITE_ONCE(m->done, nr);
	hc_numbers_skip(m);
	done_down(m, &known);
	return true;
}

void hc_done_review(struct hc_member *m)
{
	struct hc_done d = { .nr = m->peer_done[peer_last(m)] };

	if (hc_done_set(m, &d))
		hc_advance(m);
}

/* Who says that an operation is done has sent all of its result before.  If that
 * has not come, a frame was lost.
 */
static bool result_lost(struct hc_member *m, u64 told)
{
	u64 nr;

	for (nr = m->done; nr < min(told, m->head); nr++) {
		struct hc_op *op = hc_member_op(m, nr);
		const struct sk_buff *skb;

		if (!op || op->nr != nr || !hc_op_comes_down(op))
			continue;
		skb = skb_peek_tail(&op->down);
		if (skb && hc_hdr(skb)->flags & HC_FRAME_F_LAST)
			continue;
		hc_op_fail(m, op, -EIO, m->role.dst[0].node);
		return true;
	}
	return false;
}

static void done_rx(struct hc_member *m, const struct hc_hdr *hdr)
{
	struct hc_done d = {
		.nr = be64_to_cpu(hdr->op),
		.time = be64_to_cpu(hdr->time),
		.clock = be32_to_cpu(hdr->step),
		.steps = be64_to_cpu(hdr->offset),
	};
	u32 src = be16_to_cpu(hdr->src);
	unsigned int i;
	u64 k;

	if (!m->role.ndst || (m->role.dst[0].node == src && result_lost(m, d.nr)))
		return;
	for (i = 0; i < m->role.ndst; i++)
		if (m->role.dst[i].node == src && d.nr <= m->head)
			m->peer_done[i] = max(m->peer_done[i], d.nr);
	k = m->peer_done[peer_last(m)];
	/* What it tells is about the last operation below .op. */
	if (k != d.nr)
		d = (struct hc_done){ .nr = k };
	if (k > m->done && hc_done_set(m, &d))
		hc_advance(m);
	else if (m->view_wait == HYPERCUBE_WAIT_DONE)
		hc_view_idle(m);
}

/* From above: of a merged stream; from below: of what goes down. */
static void credit_rx(struct hc_member *m, const struct hc_hdr *hdr)
{
	struct hc_op *op = hc_member_op(m, be64_to_cpu(hdr->op));
	u32 src = be16_to_cpu(hdr->src);
	int below = hc_src_index(m, src);
	u32 n = be32_to_cpu(hdr->step);
	unsigned int i;

	if (!op || op->nr != be64_to_cpu(hdr->op))
		return;
	if (below >= 0)
		op->src[below].credit = min_t(u64, HC_DOWN_WINDOW,
					      (u64)op->src[below].credit + n);
	for (i = 0; i < m->role.ndst; i++)
		if (m->role.dst[i].node == src)
			op->credit[i] = min_t(u64, HC_MERGE_WINDOW, (u64)op->credit[i] + n);
	if (op->nr == m->head)
		hc_advance(m);
	hc_results_advance(m);
}

/* Data comes from below, but for what a plan sends down from its root. */
static void data_from_rx(struct hc_member *m, struct sk_buff *skb)
{
	const struct hc_hdr *hdr = hc_hdr(skb);

	if (m->role.ndst && be16_to_cpu(hdr->src) == m->role.dst[0].node)
		hc_down_rx(m, skb);
	else
		data_rx(m, skb);
}

static void word_rx(struct hc_member *m, struct sk_buff *skb)
{
	const struct hc_hdr *hdr = hc_hdr(skb);

	switch (hdr->type) {
	case HC_FRAME_DONE:
		if (hc_member_is_doubling(m))
			break;
		if (hc_member_is_bcast(m))
			hc_bcast_done_rx(m, hdr);
		else
			done_rx(m, hdr);
		break;
	case HC_FRAME_END:
		hc_end_rx(m, skb);
		break;
	case HC_FRAME_CREDIT:
		if (!hc_member_is_doubling(m))
			credit_rx(m, hdr);
		break;
	case HC_FRAME_ASK:
		hc_ask_rx(m, hdr);
		break;
	case HC_FRAME_TELL:
		hc_tell_rx(m, hdr);
		break;
	}
	consume_skb(skb);
}

void hc_coll_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	struct hc_plan *plan;
	struct hc_member *m;

	rcu_read_lock();
	plan = xa_load(&node->fabric->plans, be32_to_cpu(hdr->plan));
	m = plan ? plan->member[node->id] : NULL;
	if (!m)
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_NO_PLAN);
	else if (be32_to_cpu(hdr->epoch) != plan->epoch)
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_OLD_EPOCH);
	else if (hdr->type == HC_FRAME_DATA)
		data_from_rx(m, skb);
	else
		word_rx(m, skb);
	rcu_read_unlock();
}
