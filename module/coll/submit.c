// SPDX-License-Identifier: GPL-2.0
/*
 * How the poll takes contributions of the node's sockets from the host port (sock/hostq.c), and
 * handles the close of sockets. sock/send.c has cut the contributions into segments.
 *
 * A contribution begins when the member's window and the receive buffer of its socket have room,
 * and there is no other contribution to the plan of which a socket has sent only a part. Until then
 * it waits in the member (.waiting), where it delays only other contributions to the same plan.
 *
 * When a plan is replaced or removed, configuration ends its operations after a grace period. A
 * contribution to the same plan id that arrives during this grace period is parked at the node,
 * even if it will be refused, so that processes are notified of the ends of their contributions in
 * order. It stays charged to its socket.
 *
 * If a process has sent a contribution before it has read that a generation has ended, the
 * contribution is refused; after it has read this, its contributions are accepted (sock/unread.h).
 * A contribution that arrives while a generation ends waits until the member is in the next
 * generation.
 *
 * Another socket may begin to serve a plan while operations are pending. So each operation records
 * its socket (hc_op.rec), which is notified of its end.
 */
#include "coll/coll.h"
#include "coll/guard.h"
#include "coll/submit.h"
#include "coll/process.h"
#include "coll/member_sched.h"
#include "trace.h"

void hc_host_init(struct hc_host *h)
{
	__skb_queue_head_init(&h->parked);
}

void hc_host_purge(struct hc_node *node)
{
	hc_drop_all(node, &node->host->parked);
}

/* Return: the first operation to which the process has not contributed completely or, at the root,
 * whose result it has not received.
 */
static u64 first_owed(const struct hc_member *m)
{
	if (hc_member_is_root(m) && m->plan->ops->ack->way == HC_ACK_DOWN)
		return m->head;
	return m->user.cur_open ? m->user.cur : m->next;
}

void hc_host_resume(struct hc_member *m)
{
	bool owes = m->user.halved && m->user.cur_open;
	bool leaves = m->user.leaves, idles = leaves && m->user.idles && !m->guard;

	m->user.halved = false;
	m->user.leaves = false;
	/* The leave of a process that only receives has no effect on other members. */
	if (leaves && hc_member_receives(m))
		m->user.absent = true;
	else if (idles && hc_process_serves(m))
		m->user.idles = false;
	else if (leaves)
		hc_leave(m, first_owed(m), idles ? HC_STOP_IDLE : HC_STOP_SOFT);
	else if (owes)
		hc_fail_go_on(m, m->user.cur, hc_cause(ECONNRESET, m->node->id));
}

/* Record that the process has left during a ring repair; other members will be notified when the
 * plan has been repaired. If several processes have left, the leave is HC_STOP_IDLE only if none of
 * them had contributed.
 */
static void leave_later(struct hc_member *m, enum hc_stop kind)
{
	bool idles = m->user.idles || !(m->user.left || m->user.leaves);

	m->user.idles = kind == HC_STOP_IDLE && idles;
	m->user.leaves = true;
}

/* @took_part: the process has contributed to the plan. In a guarded plan a process that has not
 * contributed leaves as any other one, unless a program that starts late may still come.
 */
static enum hc_stop leave_kind(const struct hc_member *m, bool took_part)
{
	if (took_part)
		return m->user.engaged ? HC_STOP_SOFT : HC_STOP_HARD;
	return m->guard && !m->guard->idle ? HC_STOP_SOFT : HC_STOP_IDLE;
}

/* Handle the leave of a member's process. Other members cannot be notified during a ring repair. */
static void member_close(struct hc_member *m, bool took_part)
{
	enum hc_stop kind = leave_kind(m, took_part);

	m->user.engaged = false;
	m->user.resets = false;
	/* The plan waits for its next epoch, in which other members will wait for the process:
	 * record the leave for that epoch.
	 */
	if (m->guard && (hc_guard_holds(m) || m->gen.broken)) {
		m->user.leaves = true;
		hc_member_again(m);
	} else if (hc_member_holds(m)) {
		leave_later(m, kind);
	} else {
		hc_leave(m, first_owed(m), kind);
	}
}

/* Let another socket serve the plan, from the next operation number on. If the previous socket has
 * begun a contribution, it stays incomplete, and its operation fails.
 */
static void member_hand_over(struct hc_member *m)
{
	m->user.resets = false;
	if (m->user.cur_open && hc_contributions_wait(m))
		m->user.halved = true;
	else if (m->user.cur_open)
		hc_fail_go_on(m, m->user.cur, hc_cause(ECONNRESET, m->node->id));
}

/* Return: true if the socket in @cb, which was closed or has connected to one plan, does not serve
 * @plan any more.
 */
static bool leaves(const struct hc_leave_cb *cb, u32 plan)
{
	return plan != cb->keeps && (!cb->plan || plan == cb->plan);
}

/* Drop the contributions in @queue from the socket in @cb, to plans that it does not serve any
 * more. Its process need not be notified of this; host_leave() then ends the socket's operations.
 */
static void waiting_drop(struct hc_node *node, struct sk_buff_head *queue,
			 const struct hc_leave_cb *cb)
{
	struct sk_buff *skb, *next;

	skb_queue_walk_safe(queue, skb, next) {
		if (hc_host_cb(skb)->rec.sock != cb->sock ||
		    !leaves(cb, be32_to_cpu(hc_wire_plan_of(skb)->plan)))
			continue;
		__skb_unlink(skb, queue);
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_ENDED);
	}
}

/* Act on the frame which announces that the socket @cb->sock does not serve the plan of @m any
 * more. If the socket has not contributed, no member waits for it; then the process of the member
 * leaves only if no other socket serves the plan. If the socket has contributed, and another socket
 * has connected to the plan since then, that one takes over the member.
 */
static void member_leave(struct hc_member *m, const struct hc_leave_cb *cb)
{
	u64 sock = cb->sock;
	u64 now = hc_process_serving(m, NULL);
	bool other = now && now != sock;
	bool mine = m->user.sock == sock;

	if (!mine && (m->user.sock || other))
		return;
	m->user.sock = 0;
	if (mine && other && !cb->plan) {
		member_hand_over(m);
		return;
	}
	if (m->plan->ops->close)
		m->plan->ops->close(m);
	else
		member_close(m, mine);
}

/* Process the frame by which a socket announces that it does not serve plans any more. In the host
 * port, all contributions of this socket are before this frame, and those of a socket that is bound
 * after it are behind it. So no other frame is taken from the host port before all plans of this
 * socket have been handled. Return: false if the budget was used up before that; then the caller
 * must call this function again.
 */
static bool host_leave(struct hc_node *node, struct sk_buff *skb, int budget)
{
	struct hc_leave_cb *cb = hc_leave_cb(skb);
	unsigned long last = cb->plan ?: ULONG_MAX;
	struct hc_plan *plan;

	if (!cb->next) {
		waiting_drop(node, &node->host->parked, cb);
		cb->next = cb->plan;
	}
	while ((plan = xa_find(&node->fabric->plans, &cb->next, last, XA_PRESENT))) {
		struct hc_member *m = plan->member[node->id];

		if ((int)node->spent >= budget)
			return false;
		node->spent++;
		if (m && m->guard)
			hc_guard_begin(m);
		if (m && leaves(cb, cb->next)) {
			waiting_drop(node, &m->user.waiting, cb);
			if (m->user.failure.sock == cb->sock)
				m->user.failure.sock = 0;
			member_leave(m, cb);
		}
		/* If the increment overflows, all plans have been handled. */
		if (!++cb->next)
			break;
	}
	/* Let members go on that have waited for room in the socket's receive buffer. */
	hc_node_kick(node, HC_EV_READER);
	return true;
}

/* Refuse a contribution: queue @res for its process, and drop the frame. @m: the node's member of
 * the plan that is now installed under this id, or NULL.
 */
static void refuse(struct hc_node *node, struct hc_member *m, struct sk_buff *skb,
		   struct hypercube_result *res, unsigned int why)
{
	const struct hc_host_cb *cb = hc_host_cb(skb);

	res->plan = be32_to_cpu(hc_wire_plan_of(skb)->plan);
	res->cookie = cb->cookie;
	res->collective = hc_wire_data_of(skb)->collective;
	if (cb->first) {
		u64 nr = hc_process_status(node, res, &cb->rec);

		if (m)
			hc_failure_note(m, cb->rec.sock, nr);
	}
	hc_drop(node, NULL, skb, why);
}

/* Refuse a contribution that belongs to no operation: other members are not notified. */
static void host_refuse(struct hc_node *node, struct hc_member *m, struct sk_buff *skb, int status)
{
	struct hypercube_result res = {
		.status = status, .op = HYPERCUBE_OP_NONE, .cause_node = ~0U, .cause_dim = ~0U,
	};

	refuse(node, m, skb, &res, HYPERCUBE_A_DROP_NO_PLAN);
}

/* Refuse a contribution because of the failure @cause of operation @op. */
static void member_refuse(struct hc_member *m, struct sk_buff *skb, int status, u64 op,
			  const struct hc_end *cause)
{
	struct hypercube_result res = { .status = status, .op = op };

	hc_cause_notify(cause, &res);
	refuse(m->node, m, skb, &res, HYPERCUBE_A_DROP_ENDED);
}

void hc_host_waiting_refuse(struct hc_member *m, int status)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(&m->user.waiting)))
		host_refuse(m->node, m, skb, status);
}

static void own_push(struct hc_member *m, struct hc_op *op, struct sk_buff *skb)
{
	if (hc_wire_data_of(skb)->flags & HC_DATA_F_LAST) {
		op->own_last = true;
		m->user.cur_open = false;
	}
	__skb_queue_tail(&op->own, skb);
	if (op->nr == m->head)
		hc_advance(m);
}

static void user_begins(struct hc_member *m, const struct hc_host_cb *cb)
{
	m->user.engaged = true;
	if (m->user.idles)
		hc_idle_over(m);
	m->user.sock = cb->rec.sock;
	m->user.group = cb->group;
}

/* Begin an operation with the first frame of a contribution. @keep: true if the ledger of a guarded
 * plan must store the contribution. Return: true if @skb was consumed; false if there is no memory:
 * then the operation fails, and the contribution waits until it has ended.
 */
static bool op_begin(struct hc_member *m, struct sk_buff *skb, bool keep)
{
	const struct hc_host_cb *cb = hc_host_cb(skb);
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	struct hc_op *op = hc_op_get(m, m->next);
	bool fits, stale;
	u64 nr;

	if (!op) {
		hc_fail(m, m->next, hc_cause(ENOMEM, m->node->id));
		/* At the end of the generation, the process of a broadcast's source is not
		 * notified, so refuse its contribution here.
		 */
		if (m->plan->ops->all_contribute || !cb->rec.sock)
			return false;
		host_refuse(m->node, m, skb, -ENOMEM);
		return true;
	}
	op->begun = true;
	nr = op->nr;
	/* From now on, the process is notified when the operation ends. */
	if (m->guard && !keep && cb->rec.sock)
		m->guard->fed = hc_user_nr(m, nr) + 1;
	trace_hc_op_begin(m->node, m->plan->id, hc_user_nr(m, op->nr), w);
	op->rec = cb->rec;
	op->agrees = !cb->rec.sock;
	op->cookie = cb->cookie;
	op->notify_own = w->flags & HC_DATA_F_NOTIFY;
	op->notify |= op->notify_own;
	op->result = be64_to_cpu(w->total);
	m->user.cur = op->nr;
	m->user.cur_open = true;
	WRITE_ONCE(m->next, m->next + 1);
	fits = hc_op_params(op, w) && (op->agrees || !op->coll->agrees);
	stale = keep && !hc_guard_fits(m, skb);
	if (!fits || stale) {
		if (keep)
			hc_guard_keep(m, op, skb, true);
		hc_drop(m->node, NULL, skb, HYPERCUBE_A_DROP_MALFORMED);
		hc_op_fail(m, op, fits ? -ESTALE : -EPROTO, m->node->id);
		hc_advance(m);
		return true;
	}
	/* A frame of another member may have set the total before; in a merge or a scatter, that of
	 * this member can be different.
	 */
	op->total = be64_to_cpu(w->total);
	if (keep)
		hc_guard_keep(m, op, skb, false);
	own_push(m, op, skb);
	hc_part_came(m, nr);
	return true;
}

static bool host_begin(struct hc_member *m, struct sk_buff *skb)
{
	/* If this is a receiver of a guarded broadcast, the process has sent the contribution when
	 * this node was the source.
	 */
	if (m->guard && hc_member_receives(m)) {
		host_refuse(m->node, m, skb, -ESTALE);
		return true;
	}
	user_begins(m, hc_host_cb(skb));
	/* If the contribution was made for the members of another epoch, store it in the ledger,
	 * until it can be cut for the present members.
	 */
	if (m->guard && !hc_guard_fits(m, skb) && hc_guard_store(m, skb))
		return true;
	return op_begin(m, skb, m->guard);
}

static bool same_rec(const struct hc_rec *a, const struct hc_rec *b)
{
	return a->sock == b->sock && a->nr == b->nr;
}

/* Return: the operation to which a contribution has begun and is incomplete, or NULL. */
static struct hc_op *op_open(struct hc_member *m)
{
	struct hc_op *op = m->user.cur_open ? hc_member_op(m, m->user.cur) : NULL;

	return op && op->nr == m->user.cur ? op : NULL;
}

/* Return: the record of the contribution of which only a part has been received, or NULL. */
static const struct hc_rec *half_rec(struct hc_member *m)
{
	const struct hc_op *op = op_open(m);

	return op ? &op->rec : m->guard ? hc_guard_half(m) : NULL;
}

/* Process another frame of a contribution that has begun. */
static void host_more(struct hc_member *m, struct sk_buff *skb)
{
	bool kept = m->guard && hc_guard_more(m, skb);
	struct hc_op *op = op_open(m);

	if (op && same_rec(&op->rec, &hc_host_cb(skb)->rec))
		own_push(m, op, skb);
	else if (kept)
		consume_skb(skb);
	else
		hc_drop(m->node, NULL, skb, HYPERCUBE_A_DROP_ENDED);
}

bool hc_host_again(struct hc_member *m, struct sk_buff *skb)
{
	struct hc_op *op;

	if (hc_host_cb(skb)->first) {
		if (op_begin(m, skb, false))
			return true;
		kfree_skb(skb);
		return false;
	}
	op = op_open(m);
	if (op)
		own_push(m, op, skb);
	else
		kfree_skb(skb);
	return op;
}

/* Return: true if a contribution of socket @sock may begin now. It may not, for example, if the
 * receive buffer of the socket is full of results.
 */
static bool may_begin_now(const struct hc_member *m, const struct sk_buff *skb, u64 sock)
{
	if (m->guard && !hc_guard_may(m, skb))
		return false;
	return m->next < m->gen.gives && m->next < m->done + m->plan->ops->window &&
	       !m->user.left && !m->user.leaves && !hc_word_owed(m) && hc_process_room(m, sock);
}

/* Return: true if the process has sent the contribution before it has read that an operation has
 * failed. Then the process intends it for that operation, or a later one of the same generation.
 */
static bool is_ahead(const struct hc_member *m, struct sk_buff *skb)
{
	const struct hc_host_cb *cb = hc_host_cb(skb);

	return hc_plan_bars_ahead(m->plan) && m->user.failure.sock == cb->rec.sock &&
	       m->user.failure.nr > cb->seen;
}

/* Refuse a contribution with a failure of which its process has not been notified. */
static void failure_notify(struct hc_member *m, struct sk_buff *skb)
{
	struct hc_end end = m->gen.last;

	end.nr = m->guard ? m->guard->need : hc_user_nr(m, end.nr);
	if (m->user.resets)
		end = m->user.missed;
	m->user.resets = false;
	m->user.sock = hc_host_cb(skb)->rec.sock;
	m->user.group = hc_host_cb(skb)->group;
	member_refuse(m, skb, -(int)end.status, end.nr, &end);
}

/* Process a frame of a contribution. Return: false if it must wait; then the caller still owns
 * @skb.
 */
static bool member_take(struct hc_member *m, struct sk_buff *skb)
{
	u64 sock = hc_host_cb(skb)->rec.sock;
	bool tells, ahead;

	if (!hc_host_cb(skb)->first) {
		host_more(m, skb);
		return true;
	}
	/* If the failure in .missed is one of another process, this process need not be notified of
	 * it.
	 */
	if (m->user.group != hc_host_cb(skb)->group)
		m->user.resets = false;
	if (m->user.left)
		hc_came(m);
	tells = m->user.resets || (m->gen.broken && !hc_contributions_wait(m));
	ahead = !tells && is_ahead(m, skb);
	if ((tells || ahead) && !hc_process_room(m, sock))
		return false;
	if (tells)
		failure_notify(m, skb);
	else if (ahead)
		member_refuse(m, skb, -ECANCELED, HYPERCUBE_OP_NONE, &m->gen.last);
	else if (!hc_contributions_wait(m) && !op_open(m) && may_begin_now(m, skb, sock))
		return host_begin(m, skb);
	else
		return false;
	return true;
}

/* Return: true if a plan with this id has been unpublished, and its operations have not been ended
 * yet.
 */
static bool retires(const struct hc_node *node, u32 id)
{
	/* Read .retiring after the look-up of the plan: see retire_begin(). */
	smp_rmb();
	/* Process contributions after the end of these operations: see retire_end(). */
	return smp_load_acquire(&node->fabric->retiring) == id;
}

/* Return: true if the contribution was sent to this epoch of the plan or, if the plan is guarded,
 * to an earlier epoch of it.
 */
static bool of_epoch(const struct hc_plan *plan, u32 epoch)
{
	return epoch == plan->epoch ||
	       (plan->guard && epoch - plan->guarded <= plan->epoch - plan->guarded);
}

/* Value of .plan and .held_plan of struct hc_host: several plans. */
#define PLANS_SEVERAL	0

void hc_host_hold(struct hc_member *m)
{
	struct hc_host *h = m->node->host;

	if (!h->held)
		h->held_plan = m->plan->id;
	else if (h->held_plan != m->plan->id)
		h->held_plan = PLANS_SEVERAL;
	h->held = true;
}

/* Process a contribution. Return: false if it must wait until the operations of the previous plan
 * with this id have ended.
 */
static bool host_data(struct hc_node *node, struct sk_buff *skb)
{
	const struct hc_wire_plan *of = hc_wire_plan_of(skb);
	struct hc_plan *plan = hc_plan_find(node->fabric, be32_to_cpu(of->plan));
	struct hc_member *m = plan ? plan->member[node->id] : NULL;

	if (retires(node, be32_to_cpu(of->plan)))
		return false;
	if (m && m->guard)
		hc_guard_begin(m);
	if (!m || !of_epoch(plan, be32_to_cpu(of->epoch))) {
		host_refuse(node, m, skb, -ESTALE);
	} else if (!skb_queue_empty(&m->user.waiting) || !member_take(m, skb)) {
		__skb_queue_tail(&m->user.waiting, skb);
		hc_host_hold(m);
	}
	return true;
}

/* Return: true if a contribution to plan @id must be parked behind other contributions: those that
 * are parked belong to the same plan, or to several plans. If all parked contributions belong to
 * one plan, they do not delay contributions to other plans.
 */
static bool behind_parked(const struct hc_node *node, u32 id)
{
	return !skb_queue_empty(&node->host->parked) &&
	       (node->host->plan == id || node->host->plan == PLANS_SEVERAL);
}

static void host_park(struct hc_node *node, struct sk_buff *skb, u32 id)
{
	if (skb_queue_empty(&node->host->parked))
		node->host->plan = id;
	else if (node->host->plan != id)
		node->host->plan = PLANS_SEVERAL;
	__skb_queue_tail(&node->host->parked, skb);
	/* Pairs with retire_end(): either retire_end() finds the parked contribution, or the next
	 * poll reads that the plan's operations have ended.
	 */
	smp_mb();
}

static int parked_take(struct hc_node *node, int budget)
{
	struct sk_buff *skb;
	int work = 0;

	for (; work < budget && (skb = __skb_dequeue(&node->host->parked)); work++)
		if (!host_data(node, skb)) {
			__skb_queue_head(&node->host->parked, skb);
			break;
		}
	return work;
}

bool hc_coll_host_rx(struct hc_node *node, struct sk_buff *skb, int budget)
{
	u32 id = be32_to_cpu(hc_wire_plan_of(skb)->plan);
	bool over = true;

	rcu_read_lock();
	/* This frame announces that a socket was closed or has connected to one plan. */
	if (hc_hdr(skb)->type == HC_FRAME_END) {
		over = host_leave(node, skb, budget);
		if (over)
			consume_skb(skb);
	} else if (behind_parked(node, id) || !host_data(node, skb)) {
		host_park(node, skb, id);
	}
	rcu_read_unlock();
	return over;
}

/* Return: the waiting frame that must be taken next, or NULL. If only a part of a contribution has
 * been received, its other frames are taken before contributions that wait to begin.
 */
static struct sk_buff *waiting_next(struct hc_member *m)
{
	struct sk_buff *skb = skb_peek(&m->user.waiting);
	const struct hc_rec *half = half_rec(m);

	if (!half || !skb || !hc_host_cb(skb)->first || m->user.left)
		return skb;
	skb_queue_walk(&m->user.waiting, skb)
		if (same_rec(half, &hc_host_cb(skb)->rec))
			return skb;
	return NULL;
}

static int waiting_take(struct hc_member *m, int budget)
{
	struct sk_buff *skb;
	int work = 0;

	while (work < budget && (skb = waiting_next(m))) {
		struct sk_buff *prev = skb->prev;

		__skb_unlink(skb, &m->user.waiting);
		if (!member_take(m, skb)) {
			__skb_queue_after(&m->user.waiting, prev, skb);
			break;
		}
		work++;
	}
	return work;
}

/* Retry the contributions that wait in the member of a plan; the other arguments and the result are
 * those of hc_coll_host_retry().
 */
static int plan_retry(struct hc_node *node, const struct hc_plan *plan, int budget, u32 *plan_id)
{
	struct hc_member *m = plan->member[node->id];
	int work;

	if (!m || skb_queue_empty(&m->user.waiting))
		return 0;
	work = waiting_take(m, budget);
	if (skb_queue_empty(&m->user.waiting))
		return work;
	hc_host_hold(m);
	/* If only a part of a contribution has been received, its other frames are taken before the
	 * waiting contributions, so hc_hostq_xmit() of these frames must schedule the poll.
	 */
	if (!half_rec(m))
		*plan_id = plan->id;
	return work;
}

int hc_coll_host_retry(struct hc_node *node, int budget, u32 *plan_id)
{
	struct hc_host *h = node->host;
	struct hc_plan *plan;
	unsigned long id;
	u32 plans = 0;
	bool held;
	int work;

	rcu_read_lock();
	work = parked_take(node, budget);
	held = h->held;
	h->held = false;
	/* If contributions to a plan are parked, others to this plan will be parked behind them, so
	 * hc_hostq_xmit() of these need not schedule the poll.
	 */
	if (!skb_queue_empty(&h->parked))
		*plan_id = h->plan;
	if (held && h->held_plan != PLANS_SEVERAL) {
		plan = hc_plan_find(node->fabric, h->held_plan);
		if (plan)
			work += plan_retry(node, plan, budget - work, plan_id);
	} else if (held) {
		xa_for_each(&node->fabric->plans, id, plan) {
			plans++;
			work += plan_retry(node, plan, budget - work, plan_id);
		}
	}
	rcu_read_unlock();
	node->spent += plans / HC_PLANS_OF_A_FRAME;
	return work;
}
