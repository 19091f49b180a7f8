// SPDX-License-Identifier: GPL-2.0
/*
 * The host port: contributions of the node's sockets, and their close.
 *
 * A contribution begins when its plan's window and its socket have room, and no other
 * socket's contribution to the plan is half sent.  Until then it waits in the member
 * (.waiting), where it holds up what follows for the same plan and nothing else.
 *
 * When a plan is replaced or removed, its operations are ended by configuration, after a
 * grace period.  Processes hear of their contributions in order, so what comes for the same plan
 * meanwhile is parked at the node, whatever becomes of it; it stays charged to its socket.
 *
 * What a process has sent without knowing that a generation has ended does not begin: it is
 * refused, and the process goes on when it knows (sock/unread.h).  What comes while a generation
 * ends waits until the member is in the next one.
 *
 * A plan may change from one socket to another while operations are under way: each of
 * them knows whose it is (hc_op.rec), and goes on to its end for that socket.
 */
#include "coll/coll.h"
#include "coll/host.h"
#include "sock/result.h"
#include "trace.h"

void hc_host_init(struct hc_host *h)
{
	__skb_queue_head_init(&h->parked);
}

void hc_host_purge(struct hc_node *node)
{
	hc_drop_all(node, &node->host.parked);
}

/* The first operation that its process did not give all of or, at the root, has not had the result
 * of.
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
	bool leaves = m->user.leaves;

	m->user.halved = false;
	m->user.leaves = false;
	if (leaves)
		hc_leave(m, first_owed(m), HC_STOP_SOFT);
	else if (owes)
		hc_fail_go_on(m, m->user.cur, hc_cause(ECONNRESET, m->node->id));
}

/* While the plan is mended nobody can be told. */
static void member_close(struct hc_member *m, bool took_part)
{
	enum hc_stop kind = !took_part ? HC_STOP_IDLE :
			    m->user.engaged ? HC_STOP_SOFT : HC_STOP_HARD;

	m->user.engaged = false;
	m->user.resets = false;
	if (hc_member_holds(m))
		m->user.leaves = true;
	else
		hc_leave(m, first_owed(m), kind);
}

/* Another socket serves the plan now and goes on with the next number.  This one will not
 * complete what it has begun.
 */
static void member_hand_over(struct hc_member *m)
{
	m->user.resets = false;
	if (m->user.cur_open && hc_member_holds(m))
		m->user.halved = true;
	else if (m->user.cur_open)
		hc_fail_go_on(m, m->user.cur, hc_cause(ECONNRESET, m->node->id));
}

/* Does the socket leave the plan? */
static bool leaves(const struct hc_leave_cb *cb, u32 plan)
{
	return plan != cb->keeps && (!cb->plan || plan == cb->plan);
}

/* Nobody will hear of it; the close that follows ends the operations. */
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

/* A socket that has taken no part owes nothing: its close is that of the plan's process only if no
 * other socket serves the plan.  One that has connected to the plan meanwhile takes over what this
 * one has begun.
 */
static void member_leave(struct hc_member *m, const struct hc_leave_cb *cb)
{
	u64 sock = cb->sock;
	struct sock *now = hc_sock_serving(m);
	bool other = now && hc_sock_id(now) != sock;
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

/* All that waits was sent by the socket before it was closed: a socket that binds after it
 * queues behind its close.  So nothing is taken from there until all its plans have been looked
 * at, which may take some polls: then false.
 */
static bool host_leave(struct hc_node *node, struct sk_buff *skb, int budget)
{
	struct hc_leave_cb *cb = hc_leave_cb(skb);
	unsigned long last = cb->plan ?: ULONG_MAX;
	struct hc_plan *plan;

	if (!cb->next) {
		waiting_drop(node, &node->host.parked, cb);
		cb->next = cb->plan;
	}
	while ((plan = xa_find(&node->fabric->plans, &cb->next, last, XA_PRESENT))) {
		struct hc_member *m = plan->member[node->id];

		if ((int)node->spent >= budget)
			return false;
		node->spent++;
		if (m && leaves(cb, cb->next)) {
			waiting_drop(node, &m->user.waiting, cb);
			if (m->user.failure.sock == cb->sock)
				m->user.failure.sock = 0;
			member_leave(m, cb);
		}
		/* There may be no id behind it. */
		if (!++cb->next)
			break;
	}
	/* What waited for it to receive waits for nobody now. */
	hc_node_kick(node, HC_EV_READER);
	return true;
}

/* @m: the member whose plan has the id now, or NULL */
static void refuse(struct hc_node *node, struct hc_member *m, struct sk_buff *skb,
		   struct hypercube_result *res, unsigned int why)
{
	const struct hc_host_cb *cb = hc_host_cb(skb);

	res->plan = be32_to_cpu(hc_wire_plan_of(skb)->plan);
	res->cookie = cb->cookie;
	res->collective = hc_wire_data_of(skb)->collective;
	if (cb->first) {
		u64 nr = hc_sock_status(node, res, &cb->rec);

		if (m)
			hc_failure_note(m, cb->rec.sock, nr);
	}
	hc_drop(node, NULL, skb, why);
}

/* No other member hears of it. */
static void host_refuse(struct hc_node *node, struct hc_member *m, struct sk_buff *skb, int status)
{
	struct hypercube_result res = {
		.status = status, .op = HYPERCUBE_OP_NONE, .cause_node = ~0U, .cause_dim = ~0U,
	};

	refuse(node, m, skb, &res, HYPERCUBE_A_DROP_NO_PLAN);
}

/* Because of a failure. */
static void member_refuse(struct hc_member *m, struct sk_buff *skb, int status, u64 op)
{
	struct hypercube_result res = { .status = status, .op = op };

	hc_cause_tell(&m->gen.last, &res);
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

/* False: there is no memory; the contribution waits for the end of its operation. */
static bool host_begin(struct hc_member *m, struct sk_buff *skb)
{
	const struct hc_host_cb *cb = hc_host_cb(skb);
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	struct hc_op *op = hc_op_get(m, m->next);
	u64 nr;

	m->user.engaged = true;
	m->user.sock = cb->rec.sock;
	m->user.group = cb->group;
	if (!op) {
		hc_fail(m, m->next, hc_cause(ENOMEM, m->node->id));
		/* Who is not told by the end of the generation. */
		if (m->plan->ops->all_contribute)
			return false;
		host_refuse(m->node, m, skb, -ENOMEM);
		return true;
	}
	op->begun = true;
	nr = op->nr;
	trace_hc_op_begin(m->node, m->plan->id, hc_told_nr(m, op->nr), w);
	op->rec = cb->rec;
	op->cookie = cb->cookie;
	op->notify_own = w->flags & HC_DATA_F_NOTIFY;
	op->notify |= op->notify_own;
	op->result = be64_to_cpu(w->total);
	m->user.cur = op->nr;
	m->user.cur_open = true;
	WRITE_ONCE(m->next, m->next + 1);
	if (!hc_op_params(op, w)) {
		hc_drop(m->node, NULL, skb, HYPERCUBE_A_DROP_MALFORMED);
		hc_op_fail(m, op, -EPROTO, m->node->id);
		hc_advance(m);
		return true;
	}
	/* The total is this member's own: in a merge, or a scatter, it knows no other. */
	op->total = be64_to_cpu(w->total);
	own_push(m, op, skb);
	hc_part_came(m, nr);
	return true;
}

static bool same_rec(const struct hc_rec *a, const struct hc_rec *b)
{
	return a->sock == b->sock && a->nr == b->nr;
}

/* The operation whose contribution has begun and is not complete, or NULL. */
static struct hc_op *op_open(struct hc_member *m)
{
	struct hc_op *op = m->user.cur_open ? hc_member_op(m, m->user.cur) : NULL;

	return op && op->nr == m->user.cur ? op : NULL;
}

/* The rest of a contribution whose beginning was taken. */
static void host_more(struct hc_member *m, struct sk_buff *skb)
{
	struct hc_op *op = op_open(m);

	if (op && same_rec(&op->rec, &hc_host_cb(skb)->rec))
		own_push(m, op, skb);
	else
		hc_drop(m->node, NULL, skb, HYPERCUBE_A_DROP_ENDED);
}

/* Sockets that do not read what their operations tell them begin no more of them. */
static bool may_begin_now(const struct hc_member *m, u64 sock)
{
	return m->next < m->gen.gives && m->next < m->done + m->plan->ops->window &&
	       !m->user.left && !m->user.leaves && !hc_word_owed(m) && hc_sock_room(m, sock);
}

/* Its process did not know of a failure, so it meant an operation that is over. */
static bool is_ahead(const struct hc_member *m, struct sk_buff *skb)
{
	const struct hc_host_cb *cb = hc_host_cb(skb);

	return hc_plan_bars_ahead(m->plan) && m->user.failure.sock == cb->rec.sock &&
	       m->user.failure.nr > cb->seen;
}

/* The process hears of the failure by this. */
static void failure_tell(struct hc_member *m, struct sk_buff *skb)
{
	m->user.resets = false;
	m->user.sock = hc_host_cb(skb)->rec.sock;
	m->user.group = hc_host_cb(skb)->group;
	member_refuse(m, skb, -(int)m->gen.last.status, hc_told_nr(m, m->gen.last.nr));
}

/* False: it has to wait. */
static bool member_take(struct hc_member *m, struct sk_buff *skb)
{
	u64 sock = hc_host_cb(skb)->rec.sock;
	bool tells, ahead;

	if (!hc_host_cb(skb)->first) {
		host_more(m, skb);
		return true;
	}
	/* This process need not hear of another one's failure. */
	if (m->user.group != hc_host_cb(skb)->group)
		m->user.resets = false;
	if (m->user.left)
		hc_came(m);
	tells = m->user.resets || (m->gen.broken && !hc_member_holds(m));
	ahead = !tells && is_ahead(m, skb);
	if ((tells || ahead) && !hc_sock_room(m, sock))
		return false;
	if (tells)
		failure_tell(m, skb);
	else if (ahead)
		member_refuse(m, skb, -ECANCELED, HYPERCUBE_OP_NONE);
	else if (!hc_member_holds(m) && !op_open(m) && may_begin_now(m, sock))
		return host_begin(m, skb);
	else
		return false;
	return true;
}

/* Are operations of a plan of that id, which is gone, still to be ended? */
static bool retires(const struct hc_node *node, u32 id)
{
	/* After the look for the plan: see retire_begin(). */
	smp_rmb();
	/* Contributions that waited are handled after those ends: see retire_end(). */
	return smp_load_acquire(&node->fabric->retiring) == id;
}

/* False: it has to wait until what was contributed before it has ended. */
static bool host_data(struct hc_node *node, struct sk_buff *skb)
{
	const struct hc_wire_plan *of = hc_wire_plan_of(skb);
	struct hc_plan *plan = xa_load(&node->fabric->plans, be32_to_cpu(of->plan));
	struct hc_member *m = plan ? plan->member[node->id] : NULL;

	if (retires(node, be32_to_cpu(of->plan)))
		return false;
	if (!m || plan->tag != be32_to_cpu(of->epoch)) {
		host_refuse(node, m, skb, -ESTALE);
	} else if (!skb_queue_empty(&m->user.waiting) || !member_take(m, skb)) {
		__skb_queue_tail(&m->user.waiting, skb);
		node->host.waiting = true;
	}
	return true;
}

/* Contributions for one plan do not hold up others; if a second plan goes before they are looked
 * at again, all stay in their order.
 */
#define PARKED_SEVERAL	0

static bool behind_parked(const struct hc_node *node, u32 id)
{
	return !skb_queue_empty(&node->host.parked) &&
	       (node->host.plan == id || node->host.plan == PARKED_SEVERAL);
}

static void host_park(struct hc_node *node, struct sk_buff *skb, u32 id)
{
	if (skb_queue_empty(&node->host.parked))
		node->host.plan = id;
	else if (node->host.plan != id)
		node->host.plan = PARKED_SEVERAL;
	__skb_queue_tail(&node->host.parked, skb);
	/* So it is looked at once more in this poll. */
	node->host.waiting = true;
	/* Pairs with retire_end(): either that sees what is parked, or that look its end. */
	smp_mb();
}

static int parked_take(struct hc_node *node, int budget)
{
	struct sk_buff *skb;
	int work = 0;

	for (; work < budget && (skb = __skb_dequeue(&node->host.parked)); work++)
		if (!host_data(node, skb)) {
			__skb_queue_head(&node->host.parked, skb);
			break;
		}
	return work;
}

bool hc_coll_host_rx(struct hc_node *node, struct sk_buff *skb, int budget)
{
	u32 id = be32_to_cpu(hc_wire_plan_of(skb)->plan);
	bool over = true;

	rcu_read_lock();
	/* That a socket leaves. */
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

/* Returns the frame to be taken next: while one socket's contribution is half sent, its
 * segments pass by what others want to begin.
 */
static struct sk_buff *waiting_next(struct hc_member *m)
{
	struct sk_buff *skb = skb_peek(&m->user.waiting);
	const struct hc_op *op = op_open(m);

	if (!op || !skb || !hc_host_cb(skb)->first || m->user.left)
		return skb;
	skb_queue_walk(&m->user.waiting, skb)
		if (same_rec(&op->rec, &hc_host_cb(skb)->rec))
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

int hc_coll_host_retry(struct hc_node *node, int budget, u32 *plan_id)
{
	struct hc_plan *plan;
	unsigned long id;
	int work;

	node->host.waiting = false;
	rcu_read_lock();
	work = parked_take(node, budget);
	if (!skb_queue_empty(&node->host.parked)) {
		node->host.waiting = true;
		/* Contributions to this plan are parked, too, while any are: they need no poll. */
		*plan_id = node->host.plan;
	}
	xa_for_each(&node->fabric->plans, id, plan) {
		struct hc_member *m = plan->member[node->id];

		if (!m || skb_queue_empty(&m->user.waiting))
			continue;
		work += waiting_take(m, budget - work);
		if (skb_queue_empty(&m->user.waiting))
			continue;
		node->host.waiting = true;
		/* The rest of what is half sent passes the others, so it has to bring a poll. */
		if (!op_open(m))
			*plan_id = id;
	}
	rcu_read_unlock();
	return work;
}
