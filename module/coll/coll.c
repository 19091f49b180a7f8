// SPDX-License-Identifier: GPL-2.0
/*
 * Operations at one member of a plan: their numbers, their frames, and their progress. The
 * functions that process the data of a collective are in a file for each collective
 * (coll/algo/reduce.c, merge.c, ..). The plan types determine when operations are done (coll/ack.c,
 * coll/algo/plan_bcast.c, coll/algo/plan_doubling.c).
 *
 * Every member numbers its contributions 0, 1, 2, ..; contributions with the same number belong
 * together. A member sends its data in the order of these numbers, over paths that keep the order
 * of frames. So it also passes on and completes operations in this order, and works only on the
 * oldest operation (hc_member.head).
 */
#include <linux/jiffies.h>

#include "coll/coll.h"
#include "coll/detour.h"
#include "coll/guard.h"
#include "coll/submit.h"
#include "coll/process.h"
#include "coll/ring/ring_repair.h"
#include "coll/rx.h"
#include "compat.h"
#include "fabric/byzantine.h"
#include "fabric/frame.h"
#include "fabric/link.h"
#include "fabric/remote_skb.h"
#include "route/route.h"
#include "trace.h"

/* Record what @m waits for. If @m has been waiting for the same before, the time at which this wait
 * began does not change, so that dumps show how long it has lasted.
 */
static void view_set(struct hc_member *m, u64 nr, u8 wait, u32 peer)
{
	m->job.blocked |= wait == HYPERCUBE_WAIT_READER;
	if (wait != HYPERCUBE_WAIT_NOTHING)
		hc_member_wait(m);
	if (m->view.wait == wait && m->view.nr == nr && m->view.peer == peer)
		return;
	WRITE_ONCE(m->view.nr, nr);
	WRITE_ONCE(m->view.wait, wait);
	WRITE_ONCE(m->view.peer, peer);
	WRITE_ONCE(m->view.since, jiffies);
}

enum hc_progress hc_wait(struct hc_member *m, struct hc_op *op, u32 wait, u32 peer)
{
	view_set(m, op->nr, wait, peer);
	return HC_BLOCKED;
}

void hc_view_idle(struct hc_member *m)
{
	if (hc_guard_holds(m) && m->gen.broken)
		view_set(m, m->head, HYPERCUBE_WAIT_EPOCH, m->node->id);
	else if (m->gen.end.nr != HC_NR_NONE &&
		 (m->gen.nbehind || m->plan->ops->ack->way == HC_ACK_ALONE))
		view_set(m, m->gen.end.nr, HYPERCUBE_WAIT_PEER, hc_behind(m));
	else if (m->head >= m->gen.gives && !m->gen.broken && !hc_member_is_root(m))
		view_set(m, m->gen.gives, HYPERCUBE_WAIT_DONE, m->role.dst[0].node);
	else if (m->done < m->head && hc_ack_peers(m))
		view_set(m, m->done, HYPERCUBE_WAIT_DONE, hc_ack_peer(m));
	else
		view_set(m, m->head, HYPERCUBE_WAIT_NOTHING, 0);
	if (hc_member_pending(m))
		hc_member_wait(m);
}

bool hc_coll_view(const struct hc_plan *plan, u32 node, struct hc_op_view *view)
{
	const struct hc_member *m = plan->member[node];
	long waits;

	if (!m)
		return false;
	view->nr = hc_user_nr(m, READ_ONCE(m->view.nr));
	view->next = hc_user_nr(m, READ_ONCE(m->next));
	view->done = hc_user_nr(m, READ_ONCE(m->done));
	view->gen = READ_ONCE(m->gen.count);
	view->wait = READ_ONCE(m->view.wait);
	view->awaited = READ_ONCE(m->view.peer);
	/* The poll may set .since after jiffies was read here, so the difference may be negative.
	 */
	waits = jiffies - READ_ONCE(m->view.since);
	view->since = jiffies64_to_nsecs(max(waits, 0L));
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

/* Return: true if no other skb refers to the payload of @skb, so that it may be written to. */
static bool payload_ours(const struct sk_buff *skb)
{
	return !skb_cloned(skb) && (!skb_is_nonlinear(skb) ||
				    page_count(skb_frag_page(&skb_shinfo(skb)->frags[0])) == 1);
}

struct sk_buff *hc_seg_own(struct hc_node *node, struct sk_buff *skb)
{
	u32 len = be32_to_cpu(hc_hdr(skb)->len);
	struct sk_buff *copy;

	if (likely(payload_ours(skb)))
		return skb;
	copy = hc_seg_alloc(node->fabric, node->id, len, GFP_ATOMIC);
	if (copy) {
		memcpy(copy->data, skb->data, HC_DATA_HEAD);
		if (len)
			memcpy(hc_payload(copy), hc_payload(skb), len);
	}
	consume_skb(skb);
	return copy;
}

/* Act on the failure to send a frame that operation @nr needs. @down: true if the link is down;
 * false if there was no memory or no room.
 */
static void xmit_failed(struct hc_member *m, const struct hc_tree_peer *peer, u64 nr, bool down)
{
	bool detour = peer->how == HC_TREE_DETOUR;
	const struct hc_end cause = {
		.status = down ? ENOLINK : ENOMEM,
		.node = m->node->id,
		.dim = down && detour ? hc_detour_dim(m, peer->node) : HC_CAUSE_NONE,
	};

	if (!down)
		hc_fail(m, nr, cause);
	else if (detour)
		hc_way_lost(m, peer, &cause);
	else
		hc_plan_cut(m->node, m->plan, peer->dim);
	/* The caller may be working on an operation, so the next poll will act on the new state of
	 * the member.
	 */
	hc_member_again(m);
}

/* Return: true if a frame of type @type to @peer must be sent by unicast around faults. Control
 * messages are sent by unicast if the plan's link or detour to the peer is down; data never is.
 */
static bool takes_long_way(const struct hc_member *m, const struct hc_tree_peer *peer, u8 type)
{
	if (type == HC_FRAME_DATA)
		return false;
	if (peer->how == HC_TREE_DETOUR)
		return peer->away;
	return !hc_link_usable(m->node, peer->dim);
}

int hc_peer_xmit(struct hc_member *m, const struct hc_tree_peer *peer, struct sk_buff *skb)
{
	struct hc_wire_plan *of = hc_wire_plan_of(skb);
	struct hc_hdr *hdr = hc_hdr(skb);
	bool needed = hc_frame_is(skb, HC_FT_NEEDED);
	u64 nr = be64_to_cpu(of->op);
	int err;

	of->plan = cpu_to_be32(m->plan->id);
	of->epoch = cpu_to_be32(m->plan->tag);
	hdr->src = cpu_to_be16(m->node->id);
	hdr->dst = cpu_to_be16(peer->node);
	if (hdr->type == HC_FRAME_DATA)
		hc_wire_data_of(skb)->gen = cpu_to_be32(m->gen.count);
	if (takes_long_way(m, peer, hdr->type))
		err = hc_route_xmit(m->node, peer->node, skb);
	else if (peer->how == HC_TREE_DETOUR)
		err = hc_detour_xmit(m, peer, skb);
	else
		err = hc_link_xmit(m->node, peer->dim, skb);
	if (err && needed && !m->gen.broken)
		xmit_failed(m, peer, nr, err == -ENOLINK);
	return err;
}

void hc_relay_xmit(struct hc_member *m, const struct hc_tree_peer *peer, struct sk_buff *skb,
		   bool others)
{
	if (others)
		skb = hc_byzantine_relay(m->node, skb, HC_DATA_HEAD);
	hc_peer_xmit(m, peer, skb);
}

void hc_stage_header(struct hc_member *m, struct hc_op *op, const struct hc_tree_peer *peer,
		     u64 *busy, u32 clock, struct sk_buff *skb)
{
	struct hc_wire_data *w = hc_wire_data_of(skb);
	struct hc_hdr *hdr = hc_hdr(skb);
	u64 start = max(be64_to_cpu(hdr->time), *busy);

	w->plan.op = cpu_to_be64(op->nr);
	w->collective = op->coll->id;
	w->oper = op->oper;
	w->dtype = op->dtype;
	w->width = cpu_to_be16(op->width);
	w->stage = peer->stage;
	hdr->time = cpu_to_be64(start);
	if (op->notify)
		w->flags |= HC_DATA_F_NOTIFY;
	/* Over a detour, each node that forwards the frame adds a step (route/way.c). */
	hdr->step = cpu_to_be32(clock + (peer->how != HC_TREE_DETOUR));
	op->cost[peer->stage] = max_t(u8, op->cost[peer->stage],
				      peer->how == HC_TREE_HELP ? 2 : 1);
	memcpy(w->cost, op->cost, sizeof(w->cost));
	if (peer->how != HC_TREE_DETOUR) {
		u64 rate = hc_link_bandwidth(&m->node->ports[peer->dim]);

		*busy = start + (rate ? div64_u64((u64)skb->len * NSEC_PER_SEC, rate) : 0);
	}
	trace_hc_stage(m->node, m->plan->id, hc_user_nr(m, op->nr), peer, skb);
}

void hc_data_header(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *skb)
{
	struct hc_wire_data *w = hc_wire_data_of(skb);

	/* Request the result from the first destination: a blocked member has several helpers as
	 * destinations.
	 */
	if (!i && op->coll->comes_down)
		w->flags |= HC_DATA_F_WANT;
	w->index = cpu_to_be32(op->out[i].sent++);
	hc_stage_header(m, op, &m->role.dst[i], &op->out[i].busy, op->clock, skb);
}

bool hc_last_xmit(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *skb)
{
	u64 nr = op->nr;

	hc_wire_data_of(skb)->flags |= HC_DATA_F_LAST;
	hc_data_header(m, op, i, skb);
	hc_peer_xmit(m, &m->role.dst[i], skb);
	return hc_op_lives(m, op, nr);
}

void hc_op_note(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	const struct hc_hdr *hdr = hc_hdr(skb);
	unsigned int i;

	op->clock = max(op->clock, be32_to_cpu(hdr->step));
	op->notify |= !!(w->flags & HC_DATA_F_NOTIFY);
	for (i = 0; i < m->plan->stages; i++)
		op->cost[i] = max(op->cost[i], w->cost[i]);
	if (hdr->flags & HC_FRAME_F_ROUTED && w->stage < HC_STAGES_MAX) {
		u16 hops = min_t(u16, be16_to_cpu(hdr->walk), U8_MAX);

		op->cost[w->stage] = max_t(u8, op->cost[w->stage], hops);
	}
}

/* ------------------------------------------------------------ progress */

/* Move on to the next operation when the oldest one has been passed on completely. */
static void op_handed(struct hc_member *m, struct hc_op *op)
{
	op->handed = true;
	m->head++;
	m->plan->ops->ack->handed(m, op);
}

static bool head_waits(struct hc_member *m)
{
	const struct hc_op *op = hc_member_op(m, m->head);

	if (op && op->nr == m->head && m->head < m->gen.gives)
		return false;
	hc_view_idle(m);
	return true;
}

/* Work on the oldest operation, and on each next one when the one before it has been passed on. */
void hc_advance(struct hc_member *m)
{
	enum hc_progress p = HC_FINISHED;

	/* If a STOP or END must be sent, it must be sent before any data. */
	while (p != HC_BLOCKED && !m->gen.broken && !hc_word_owed(m)) {
		struct hc_op *op;

		if (hc_end_go_on(m))
			continue;
		if (head_waits(m))
			break;
		op = hc_member_op(m, m->head);
		p = op->coll->advance(m, op);
		if (p == HC_FINISHED && !m->gen.broken)
			op_handed(m, op);
	}
	hc_root_decides(m);
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

/* Find the lowest pending operation below @end, from @nr on. After a failure the numbers of pending
 * operations may be far apart: if the range is longer than the window, all of m->ops is searched.
 */
struct hc_op *hc_op_next(const struct hc_member *m, u64 nr, u64 end)
{
	struct hc_op *first = NULL;
	unsigned int i;

	if (nr >= end)
		return NULL;
	if (end - nr > HC_OP_WINDOW) {
		for (i = 0; i < HC_OP_WINDOW; i++) {
			struct hc_op *op = m->ops[i];

			if (op && op->nr >= nr && op->nr < end && (!first || op->nr < first->nr))
				first = op;
		}
		return first;
	}
	for (; nr < end; nr++)
		if (m->ops[nr % HC_OP_WINDOW] && m->ops[nr % HC_OP_WINDOW]->nr == nr)
			return m->ops[nr % HC_OP_WINDOW];
	return NULL;
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

void hc_data_fail(struct hc_member *m, struct sk_buff *skb, int status)
{
	bool memory = status == -ENOMEM;
	u64 nr = be64_to_cpu(hc_wire_plan_of(skb)->op);
	const struct hc_end cause = hc_cause(-status, memory ? m->node->id :
						      be16_to_cpu(hc_hdr(skb)->src));

	hc_drop(m->node, NULL, skb, memory ? HYPERCUBE_A_DROP_NO_MEMORY :
				    status == -ENOBUFS ? HYPERCUBE_A_DROP_QUEUE_FULL :
							 HYPERCUBE_A_DROP_MALFORMED);
	hc_fail_go_on(m, nr, cause);
}

/* Return: the size of a queued frame if it is charged to neither a socket nor a fabric of this
 * machine, otherwise 0. Frames that the poll of a node has made are charged to neither, and those
 * from another machine are charged there.
 */
static u32 unaccounted(const struct sk_buff *skb)
{
	return skb->destructor && !hc_remote_skb_is(skb) ? 0 : skb->truesize;
}

bool hc_stream_push(const struct hc_member *m, struct hc_stream *st, u32 segments,
		    struct sk_buff *skb)
{
	u32 segment = PAGE_SIZE << get_order(m->node->fabric->segment);
	u32 room = segments * (segment + PAGE_SIZE);

	/* An empty stream has room for a frame of any length. */
	if (!skb_queue_empty(&st->q) && unaccounted(skb) > room - min(st->unaccounted, room))
		return false;
	st->unaccounted += unaccounted(skb);
	st->last = hc_wire_data_of(skb)->flags & HC_DATA_F_LAST;
	__skb_queue_tail(&st->q, skb);
	return true;
}

struct sk_buff *hc_stream_pop(struct hc_stream *st)
{
	struct sk_buff *skb = __skb_dequeue(&st->q);

	if (skb)
		st->unaccounted -= unaccounted(skb);
	return skb;
}

static void data_rx(struct hc_member *m, struct sk_buff *skb)
{
	u64 nr = be64_to_cpu(hc_wire_plan_of(skb)->op);
	int i = hc_src_index(m, be16_to_cpu(hc_hdr(skb)->src));
	unsigned int why = hc_up_refused(m, i, skb);
	struct hc_op *op;
	int err;

	if (why) {
		hc_drop(m->node, NULL, skb, why);
		return;
	}
	op = hc_op_get(m, nr);
	err = op ? hc_up_check(m, op, i, skb) : -ENOMEM;
	if (!err && !hc_stream_push(m, &op->src[i], HC_UP_WINDOW, skb))
		err = -ENOBUFS;
	if (err) {
		hc_data_fail(m, skb, err);
		return;
	}
	/* In lockstep, the frame may belong to a later stage than the one that the member has
	 * reached, so its clock and costs are recorded when it is processed.
	 */
	if (!m->plan->ops->lockstep)
		hc_op_note(m, op, skb);
	hc_part_came(m, nr);
	if (nr == m->head)
		hc_advance(m);
}

static void down_note(struct hc_op *op, const struct sk_buff *skb)
{
	u32 turn = be16_to_cpu(hc_wire_data_of(skb)->turn);
	const struct hc_hdr *hdr = hc_hdr(skb);

	if (hdr->flags & HC_FRAME_F_ROUTED)
		turn += be16_to_cpu(hdr->walk);
	op->turn = max(op->turn, turn);
	op->time = max(op->time, be64_to_cpu(hdr->time));
}

static void down_rx(struct hc_member *m, struct sk_buff *skb)
{
	unsigned int why = hc_down_refused(m, skb);
	struct hc_op *op;
	int err;

	if (why) {
		hc_drop(m->node, NULL, skb, why);
		return;
	}
	op = hc_op_get(m, be64_to_cpu(hc_wire_plan_of(skb)->op));
	err = op ? hc_down_check(m, op, skb) : -ENOMEM;
	if (err) {
		hc_data_fail(m, skb, err);
		return;
	}
	hc_op_note(m, op, skb);
	down_note(op, skb);
	__skb_queue_tail(&op->down, skb);
	if (m->plan->ops->results_follow)
		hc_results_advance(m);
	else if (op->nr == m->head)
		hc_advance(m);
}

struct hypercube_result hc_op_result(const struct hc_member *m, const struct hc_op *op, u64 nr)
{
	return (struct hypercube_result){
		.plan = m->plan->id,
		.op = hc_user_nr(m, nr),
		.cookie = op ? op->cookie : 0,
		.cause_node = ~0U,
		.cause_dim = ~0U,
		.collective = (op ? op->coll : m->plan->ops->colls[0])->id,
		.restarts = op && m->guard ? hc_guard_restarts(m, hc_user_nr(m, op->nr)) : 0,
	};
}

void hc_op_complete(struct hc_member *m, struct hc_op *op, u32 steps, u32 clock, u64 time)
{
	struct hypercube_result res = hc_op_result(m, op, op->nr);

	res.steps = steps;
	res.clock = clock;
	res.time = time;
	if (op->notify_own)
		hc_process_status(m->node, &res, &op->rec);
	hc_op_drop(m, op, 0);
}

u32 hc_taken(struct hc_member *m, u32 node, u64 nr)
{
	const struct hc_op *op = hc_member_op(m, nr);
	int below = hc_src_index(m, node);

	if (!op || op->nr != nr)
		return 0;
	if (below >= 0)
		return op->src[below].came - skb_queue_len(&op->src[below].q);
	if (!m->role.ndst || m->role.dst[0].node != node)
		return 0;
	return op->down_came - skb_queue_len(&op->down);
}

/* Set *@taken to @now, the number of frames that a CREDIT acknowledges. Ignore it if it is greater
 * than @sent, the number of frames sent, or not greater than *@taken: CREDITs that are sent by
 * unicast may arrive out of order. Return: true if *@taken has risen.
 */
static bool taken_note(u32 *taken, u32 sent, u32 now)
{
	if (sent - now >= sent - *taken)
		return false;
	*taken = now;
	return true;
}

/* Process a CREDIT. If it is from a destination, it acknowledges data that was sent up; if it is
 * from a source, data that was sent down.
 */
static void credit_from(struct hc_member *m, u32 src, u64 nr, u32 taken)
{
	struct hc_op *op = hc_member_op(m, nr);
	int below = hc_src_index(m, src);
	bool more = false;
	unsigned int i;

	if (!op || op->nr != nr)
		return;
	if (below >= 0)
		more = taken_note(&op->src[below].taken_down, op->src[below].sent_down, taken);
	for (i = 0; i < m->role.ndst; i++)
		if (m->role.dst[i].node == src)
			more |= taken_note(&op->out[i].taken, op->out[i].sent, taken);
	if (!more)
		return;
	if (op->nr == m->head)
		hc_advance(m);
	hc_results_advance(m);
	hc_end_go_on(m);
}

/* Process DATA. DATA from the first destination is sent down from the root; other DATA must be from
 * a source.
 */
static void data_from_rx(struct hc_member *m, struct sk_buff *skb)
{
	if (m->role.ndst && be16_to_cpu(hc_hdr(skb)->src) == m->role.dst[0].node)
		down_rx(m, skb);
	else
		data_rx(m, skb);
}

static void credit_rx(struct hc_member *m, const struct sk_buff *skb)
{
	const struct hc_wire_credit *w = hc_wire_credit_of(skb);

	if (!m->plan->ops->lockstep && be32_to_cpu(w->gen) == m->gen.count)
		credit_from(m, be16_to_cpu(hc_hdr(skb)->src), be64_to_cpu(w->plan.op),
			    be32_to_cpu(w->taken));
}

static void word_rx(struct hc_member *m, struct sk_buff *skb)
{
	unsigned int why = 0;

	switch (hc_hdr(skb)->type) {
	case HC_FRAME_ACK:
		hc_moved_rx(m, skb);
		if (m->plan->ops->ack->rx)
			m->plan->ops->ack->rx(m, skb);
		break;
	case HC_FRAME_STOP:
	case HC_FRAME_END:
		why = hc_end_rx(m, skb);
		break;
	case HC_FRAME_CREDIT:
		credit_rx(m, skb);
		break;
	case HC_FRAME_PROBE:
		hc_probe_rx(m, skb);
		break;
	case HC_FRAME_REPAIR:
		why = HYPERCUBE_A_DROP_UNEXPECTED;
		if (m->plan->repairs)
			why = hc_repair_rx(m, skb);
		break;
	}
	if (why)
		hc_drop(m->node, NULL, skb, why);
	else
		consume_skb(skb);
}

/* Answer a PROBE or REPAIR of a plan that this node does not have, so that its sender does not wait
 * for this node.
 */
static void plan_unknown(struct hc_node *node, const struct sk_buff *skb)
{
	const struct hc_wire_plan *of = hc_wire_plan_of(skb);
	u32 src = be16_to_cpu(hc_hdr(skb)->src);
	struct sk_buff *answer = NULL;

	if (src >= node->fabric->topo.nodes)
		return;
	if (hc_hdr(skb)->type == HC_FRAME_PROBE)
		answer = hc_probe_none(node, skb);
	else if (hc_hdr(skb)->type == HC_FRAME_REPAIR)
		answer = hc_repair_none(node, skb);
	if (!answer)
		return;
	hc_wire_plan_of(answer)->plan = of->plan;
	hc_wire_plan_of(answer)->epoch = of->epoch;
	node->spent++;
	hc_route_xmit(node, src, answer);
}

/* Return: true if plan @id has been prepared and not been published yet (trunk/commit.c). Its entry
 * in the xarray is reserved then. Context: RCU read section.
 */
static bool plan_comes(struct hc_fabric *fabric, u32 id)
{
	XA_STATE(xas, &fabric->plans, id);
	void *entry = xas_load(&xas);

	return xa_is_zero(entry) || xas_retry(&xas, entry);
}

/* Drop a DATA frame whose header is shared with other frames and could not be copied, because there
 * was no memory. If its operation needs the frame, fail the operation.
 */
static void header_lacks(struct hc_member *m, struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);

	if (hc_peer_find(m, be16_to_cpu(hc_hdr(skb)->src)) &&
	    hc_is_awaited(m, be32_to_cpu(w->gen), be64_to_cpu(w->plan.op)))
		hc_data_fail(m, skb, -ENOMEM);
	else
		hc_drop(m->node, NULL, skb, HYPERCUBE_A_DROP_NO_MEMORY);
}

void hc_coll_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	const struct hc_wire_plan *of = hc_wire_plan_of(skb);
	struct hc_plan *plan;
	struct hc_member *m;

	rcu_read_lock();
	plan = hc_plan_find(node->fabric, be32_to_cpu(of->plan));
	m = plan ? plan->member[node->id] : NULL;
	if (!m) {
		if (!plan && !plan_comes(node->fabric, be32_to_cpu(of->plan)))
			plan_unknown(node, skb);
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_NO_PLAN);
		goto out;
	}
	if (be32_to_cpu(of->epoch) != plan->tag)
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_OLD_EPOCH);
	else if (hc_hdr(skb)->flags & HC_FRAME_F_FIXED && !hc_detour_follows(m, skb))
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_UNEXPECTED);
	else if (hc_hdr(skb)->type != HC_FRAME_DATA)
		word_rx(m, skb);
	/* The header may be shared with frames to other members, but each member changes it. */
	else if (skb_cow_head(skb, 0))
		header_lacks(m, skb);
	else if (plan->ops->data_rx)
		plan->ops->data_rx(m, skb);
	else
		data_from_rx(m, skb);
out:
	rcu_read_unlock();
}
