// SPDX-License-Identifier: GPL-2.0
/*
 * Broadcast plans: their members, and how the members find out that all members have the message.
 *
 * In the sequence of dimensions, the sends by which a node receives the message for the first time
 * form a tree (hc_bcast.h): each member gets the message once, from the node above it. Segments are
 * sent down the edges of this tree (coll/fanout.c), and ACKs are sent up. When the receive queue of
 * a member's process has all of the message of operation k, and all sources of the member have
 * acknowledged k, the member sends ACK for k to the node above: at once if the process of the
 * broadcast's source has requested a notification, otherwise after several operations, so that the
 * window of operations moves on.
 *
 * If a node has no process that receives, a message waits at it until there is one. The message
 * does not wait if the node's last receiver has left after it had received data in this generation.
 * The node records this (hc_user.absent) until another process receives at it, or until the process
 * of the source has left, too, because the next source may send to other receivers.
 *
 * Guarded plans (coll/guard.c). The need of a receiver (hc_guard.need) is the first message that
 * its process has not received completely. The need of the source is the first message of which the
 * source does not know that all receivers have it. In a new epoch members agree by allreduces,
 * whose data is sent up and then down the edges of the broadcast. A message that the source has
 * begun, and that no receiver has completely, is sent again from its beginning. If a message is too
 * long to be stored in ledgers, and a process has received a part of it, the message fails at this
 * process and at all members that do not have all of it.
 *
 * Other members need nothing from a process that only receives, so it may leave at any time. If the
 * source leaves, the messages that it has not contributed completely fail, as in other plans. If
 * the next epoch has another source, messages of the previous source that no receiver has
 * completely are treated as if they had not begun.
 */
#include <linux/netlink.h>
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/guard.h"
#include "coll/process.h"
#include "hc_bcast.h"
#include "notifier.h"
#include "trace.h"

/* ------------------------------------------------------------ members */

/**
 * struct bcast_member - a member of a broadcast
 * @turns: for each source: number of steps after which it has received the message
 * @turn: number of steps after which all members below this one in the tree have received the
 *	message
 */
struct bcast_member {
	u16 turns[HC_PORTS_MAX];
	u32 turn;
};

static struct bcast_member *bcast_member(const struct hc_member *m)
{
	return hc_member_priv(m);
}

/* Return: the broadcast that the verifier has accepted; the plan owns its .sequence. */
static struct hc_bcast *plan_bcast(const struct hc_plan *plan)
{
	return hc_plan_priv(plan);
}

static bool bcast_copy(struct hc_plan *plan, const struct hc_plan_params *p)
{
	struct hc_bcast *b = plan_bcast(plan);

	*b = (struct hc_bcast){
		.topo = plan->fabric->topo,
		.steps = p->steps,
		.source = p->root,
		.sequence = hc_plan_dup(p->sequence, p->steps, sizeof(u8)),
		.members = plan->members,
	};
	return b->sequence;
}

static void bcast_shape(const struct hc_plan *plan, struct hc_plan_params *p)
{
	const struct hc_bcast *b = plan_bcast(plan);

	p->steps = b->steps;
	p->sequence = b->sequence;
}

static void bcast_release(struct hc_plan *plan)
{
	kvfree(plan_bcast(plan)->sequence);
}

static void role_convert(const struct hc_bcast *b, u32 u, const struct hc_bcast_role *from,
			 struct hc_tree_role *role, struct hc_tree_peer *src)
{
	unsigned int i;

	memset(role, 0, sizeof(*role));
	if (u != b->source) {
		role->ndst = 1;
		role->dst[0] = (struct hc_tree_peer){
			.node = hc_peer(&b->topo, u, from->from),
			.dim = from->from,
			.how = HC_TREE_DIRECT,
			.parts = 1,
		};
	}
	role->nsrc = from->nto;
	for (i = 0; i < from->nto; i++)
		src[i] = (struct hc_tree_peer){
			.node = hc_peer(&b->topo, u, from->to[i].dim),
			.dim = from->to[i].dim,
			.how = HC_TREE_DIRECT,
		};
}

static int bcast_member_create(struct hc_plan *plan, u32 u, const u16 *first)
{
	const struct hc_bcast *b = plan_bcast(plan);
	struct hc_tree_peer src[HC_PORTS_MAX];
	struct hc_bcast_role from;
	struct hc_tree_role role;
	struct bcast_member *bm;
	unsigned int i;
	int err;

	err = hc_bcast_role(b, first, u, &from);
	if (err)
		return err;
	role_convert(b, u, &from, &role, src);
	err = hc_member_create(plan, u, &role, src);
	if (err)
		return err;
	bm = bcast_member(plan->member[u]);
	bm->turn = from.first;
	for (i = 0; i < role.nsrc; i++)
		bm->turns[i] = from.to[i].step + 1;
	plan->member[u]->turns = bm->turns;
	return 0;
}

static int bcast_members_create(struct hc_plan *plan, const u32 *fault,
				struct netlink_ext_ack *extack)
{
	struct hc_bcast_reason reason = {
		.why = "the plan is not valid",
		.node = HC_BCAST_NO_NODE,
	};
	u32 nodes = plan->fabric->topo.nodes;
	u16 *first = kvmalloc_array(nodes, sizeof(*first), GFP_KERNEL_ACCOUNT);
	int err;
	u32 u;

	if (!first)
		return -ENOMEM;
	err = hc_bcast_check(plan_bcast(plan), fault, first, &reason);
	BUILD_BUG_ON(HC_BCAST_NO_NODE != HC_REASON_NO_NODE);
	if (err)
		hc_plan_set_reason(extack, reason.why, reason.node);
	for (u = 0; !err && u < nodes; u++)
		if (hc_plan_member_here(plan, u))
			err = bcast_member_create(plan, u, first);
	kvfree(first);
	return err;
}

/* ------------------------------------------------------------ acknowledgments */

static void ack_up(struct hc_member *m, u64 time, u32 clock)
{
	struct hc_ack d = {
		.nr = m->done,
		.time = time,
		.clock = clock,
		.steps = bcast_member(m)->turn,
	};

	if (hc_ack_xmit(m, &m->role.dst[0], &d))
		WRITE_ONCE(m->acked, m->done);
}

static void bcast_ack_notify(struct hc_member *m)
{
	ack_up(m, 0, 0);
}

/* Complete an operation whose message this member and all members below it have received. Return:
 * true if the process of the broadcast's source has requested a notification.
 */
static bool op_received(struct hc_member *m, struct hc_op *op, u64 *time, u32 *clock)
{
	u32 steps = bcast_member(m)->turn;
	bool notify = op->notify;

	*time = max(*time, op->time);
	*clock = op->clock;
	if (hc_member_is_root(m)) {
		struct hc_op_event ev = {
			.node = m->node->id,
			.nr = op->nr,
			.steps = steps,
			.time = op->time,
		};

		if (!op->agrees)
			hc_notify_op(m->plan, &ev);
		hc_op_complete(m, op, steps, op->clock, op->time);
	} else {
		hc_op_drop(m, op, 0);
	}
	return notify;
}

/* After this member has passed on an operation, or a source has sent ACK: compute up to which
 * number this member and all members below it have received the operations, and complete those that
 * are new.
 */
static void bcast_review(struct hc_member *m)
{
	bool notify = false;
	u64 k = m->head;
	u32 clock = 0;
	u64 time = 0;
	unsigned int i;
	struct hc_op *op;
	u64 nr = m->done;

	for (i = 0; i < m->role.nsrc; i++)
		k = min(k, m->peer_acked[i]);
	if (k <= m->done)
		return;
	while ((op = hc_op_next(m, nr, k))) {
		nr = op->nr + 1;
		notify |= op_received(m, op, &time, &clock);
	}
	WRITE_ONCE(m->done, k);
	if (m->role.ndst && (notify || m->done - m->acked >= HC_ACK_BATCH))
		ack_up(m, time, clock);
}

/* Handle ACK of a source. */
static void bcast_ack_rx(struct hc_member *m, const struct sk_buff *skb)
{
	const struct hc_wire_ack *w = hc_wire_ack_of(skb);
	struct bcast_member *bm = bcast_member(m);
	const struct hc_hdr *hdr = hc_hdr(skb);
	u64 k = be64_to_cpu(w->plan.op);
	int i = hc_src_index(m, be16_to_cpu(hdr->src));
	struct hc_op *op;

	if (i < 0 || k <= m->peer_acked[i] || k > m->head)
		return;
	m->peer_acked[i] = k;
	bm->turn = max(bm->turn, be32_to_cpu(w->steps));
	op = hc_member_op(m, k - 1);
	if (op && op->nr == k - 1) {
		op->time = max(op->time, be64_to_cpu(hdr->time));
		op->clock = max(op->clock, be32_to_cpu(hdr->step));
	}
	bcast_review(m);
	hc_advance(m);
}

/* ------------------------------------------------------------ failure, close */

static void bcast_handed(struct hc_member *m, struct hc_op *op)
{
	/* A receiver has no more work with a message that it has passed on, so drop the operation.
	 */
	if (m->role.ndst) {
		if (op->begun)
			trace_hc_op_end(m->node, m->plan->id, hc_user_nr(m, op->nr), 0);
		if (op->begun && m->guard)
			hc_guard_ended(m, op);
		op->begun = false;
		WRITE_ONCE(m->next, m->head);
	}
	bcast_review(m);
}

/* Act on the end of a generation. The process of a receiver has contributed nothing, so the common
 * code does not notify it; this function does.
 */
static bool bcast_ended(struct hc_member *m, bool notified)
{
	struct hc_rec rec;

	/* The process of the source has left. Another process may send from now on, to other
	 * receivers.
	 */
	if (m->gen.last.status == ECONNRESET && m->gen.last.node == m->plan->root)
		m->user.absent = false;
	if (notified || !m->role.ndst)
		return false;
	/* Do not notify the process if the source has contributed nothing to the failed operation,
	 * this member has all messages before it, and the plan is not over.
	 */
	if (m->gen.last.flags & HC_STOP_F_UNBEGUN && !(m->gen.last.flags & HC_STOP_F_OVER) &&
	    m->head >= m->gen.last.nr)
		return false;
	rec = hc_process_record(m);
	if (rec.sock)
		hc_status_end(m, NULL, &rec, m->gen.last.nr);
	return rec.sock;
}

static bool bcast_offered(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb)
{
	if (hc_process_serves(m)) {
		m->user.engaged = true;
		m->user.absent = false;
		return true;
	}
	/* If the receiver has left, or the plan is over, pass the message on without a process at
	 * this node.
	 */
	if (m->user.absent || m->gen.end.flags & HC_STOP_F_OVER)
		return true;
	hc_wait(m, op, HYPERCUBE_WAIT_READER, 0);
	return false;
}

static enum hc_progress bcast_advance(struct hc_member *m, struct hc_op *op)
{
	bool source = hc_member_is_root(m);
	enum hc_progress p = hc_down_advance(m, op);

	if (p != HC_BLOCKED || !skb_queue_empty(source ? &op->own : &op->down))
		return p;
	return source ? hc_wait(m, op, HYPERCUBE_WAIT_OWN, 0) :
			hc_wait(m, op, HYPERCUBE_WAIT_PEER, m->role.dst[0].node);
}

/* Act on the close of the socket that served the plan. If it is the socket of the source, its
 * complete messages are sent all the same. If it is that of a receiver, the member still passes
 * messages on.
 */
static void bcast_close(struct hc_member *m)
{
	bool engaged = m->user.engaged;

	m->user.engaged = false;
	if (m->guard && (hc_guard_holds(m) || m->gen.broken)) {
		/* The plan is waiting for its next epoch, which may have another source, so record
		 * the leave.
		 */
		m->user.leaves |= engaged;
		hc_member_again(m);
	} else if (m->role.ndst && engaged) {
		/* Messages are passed on to other members from now on, but not to a process that
		 * receives at this node later.
		 */
		m->user.absent = true;
		hc_advance(m);
	} else if (engaged) {
		hc_leave(m, m->user.cur_open ? m->user.cur : m->next, HC_STOP_SOFT);
	}
}

static const struct hc_coll_ops bcast_message = {
	.id = HYPERCUBE_BCAST,
	.advance = bcast_advance,
};

static const struct hc_coll_ops *const bcast_colls[] = { &bcast_message, NULL };

static const struct hc_ack_ops bcast_ack = {
	.way = HC_ACK_UP,
	.tell = bcast_ack_notify,
	.rx = bcast_ack_rx,
	.handed = bcast_handed,
	.moved = bcast_review,
};

static const struct hc_coll_ops *const bcast_guarded_colls[] = {
	&bcast_message, &hc_bcast_agreement, NULL
};

#define BCAST_PLAN							\
	.id = HYPERCUBE_PLAN_BCAST,					\
	.parts = HC_PLAN_ROOT | HC_PLAN_MEMBERS | HC_PLAN_SEQUENCE,	\
	.plan_size = sizeof(struct hc_bcast),				\
	.member_size = sizeof(struct bcast_member),			\
	.copy = bcast_copy, .shape = bcast_shape, .release = bcast_release, \
	.members_create = bcast_members_create,				\
	.ack = &bcast_ack, .window = HC_OP_WINDOW, .unasked = true,	\
	.offered = bcast_offered, .ended = bcast_ended, .close = bcast_close

static const struct hc_plan_ops bcast_guarded = {
	BCAST_PLAN, .colls = bcast_guarded_colls, .up_window = HC_OP_WINDOW,
};

const struct hc_plan_ops hc_plan_bcast = {
	BCAST_PLAN, .colls = bcast_colls, .guarded = &bcast_guarded,
};
