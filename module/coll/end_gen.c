// SPDX-License-Identifier: GPL-2.0
/*
 * How operations fail: the end of a generation at a member. The member ends the operations of the
 * generation, notifies its processes of that, and enters the next generation. See coll/end.c.
 */
#include "coll/coll.h"
#include "coll/end.h"
#include "coll/guard.h"
#include "coll/process.h"
#include "notifier.h"
#include "trace.h"

/* Number of frames in the poll's budget as which the notification of listeners counts. */
#define EVENT_COST	16

/* ------------------------------------------------------------ notifying processes */

void hc_status_end(struct hc_member *m, struct hc_op *op, const struct hc_rec *rec, u64 nr)
{
	struct hypercube_result res = hc_op_result(m, op, nr);

	res.status = -(s32)m->gen.last.status;
	hc_cause_notify(&m->gen.last, &res);
	hc_failure_note(m, rec->sock, hc_process_status(m->node, &res, rec));
}

/* Close the contribution that is being received if it belongs to @op. A contribution to another
 * operation, which may be that of the next process, stays open, since more frames of it will
 * follow.
 */
static void cur_close(struct hc_member *m, const struct hc_op *op)
{
	if (m->user.cur_open && m->user.cur == op->nr) {
		m->user.cur_open = false;
		m->user.halved = false;
	}
}

/* End an operation with the cause in @m->gen.last. Return: true if its process was notified. */
static bool op_cancel(struct hc_member *m, struct hc_op *op)
{
	bool begun = op->begun;

	if (begun)
		hc_status_end(m, op, &op->rec, op->nr);
	cur_close(m, op);
	hc_op_drop(m, op, -(int)m->gen.last.status);
	return begun;
}

void hc_end_event(struct hc_member *m, const struct hc_end *end, u64 first)
{
	struct hc_op_event ev = {
		.node = m->node->id,
		.nr = hc_user_nr(m, first),
		.status = -(int)end->status,
		.cause_node = end->node,
		.cause_dim = end->dim,
	};

	hc_notify_op(m->plan, &ev);
	m->node->spent += EVENT_COST;
}

void hc_plan_breaks(struct hc_member *m, const struct hc_end *cause)
{
	struct hc_plan *plan = m->plan;

	if (test_and_set_bit(0, &plan->breaking))
		return;
	WRITE_ONCE(plan->cause_node, cause->node);
	WRITE_ONCE(plan->cause_dim, cause->dim);
	WRITE_ONCE(plan->cause_status, cause->status);
	/* Pairs with smp_load_acquire() in hc_fill_plan(): code that reads the flag as true reads
	 * the cause.
	 */
	smp_store_release(&plan->broken, true);
	trace_hc_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
	hc_notify_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
	m->node->spent += EVENT_COST;
}

/* ------------------------------------------------------------ the next generation */

void hc_ops_fall(struct hc_member *m, u64 nr)
{
	struct hc_op *op, *last = NULL;
	LIST_HEAD(fallen);

	m->gen.gives = min(m->gen.gives, nr);
	while ((op = hc_op_next(m, last ? last->nr + 1 : nr, HC_NR_NONE))) {
		u64 at = op->nr;

		if (op->begun) {
			cur_close(m, op);
			m->ops[at % HC_OP_WINDOW] = NULL;
			list_add_tail(&op->fallen, &fallen);
			last = op;
		} else {
			hc_op_drop(m, op, 0);
		}
	}
	/* The operations that are added have lower numbers than those in the list. */
	list_splice(&fallen, &m->gen.fallen);
}

/* Notify the process of the operations in .fallen: they fail with the END of this generation or, if
 * @nrs is NULL, with the end of the plan. Return: true if there were such operations.
 */
static bool fallen_end(struct hc_member *m, struct hc_failed_nrs *nrs)
{
	bool notified = !list_empty(&m->gen.fallen);
	struct hc_op *op, *next;

	list_for_each_entry_safe(op, next, &m->gen.fallen, fallen) {
		u64 nr = nrs ? hc_failed_nr(nrs, m->gen.last.nr, op->nr, op->rec.sock) : op->nr;

		hc_status_end(m, op, &op->rec, nr);
		trace_hc_op_end(m->node, m->plan->id, hc_user_nr(m, op->nr),
				-(int)m->gen.last.status);
		m->dropped++;
		hc_op_free(op);
	}
	INIT_LIST_HEAD(&m->gen.fallen);
	return notified;
}

/* Return: the first operation of which this member may not have the complete result. A receiver of
 * a broadcast has all messages that it has passed on.
 */
u64 hc_first_open(const struct hc_member *m)
{
	return m->plan->ops->ack->way == HC_ACK_UP && m->role.ndst ? m->head : m->done;
}

/* End the operations below @nr, the number of the END. They are complete at the root, but an
 * operation whose result this member has not received completely fails at this member. When a
 * broadcast plan is over, messages that have not been acknowledged fail at the source, which does
 * not know whether they have arrived. Return: true if a process was notified of a failure.
 */
static bool below_end(struct hc_member *m, u64 nr)
{
	bool up = m->plan->ops->ack->way == HC_ACK_UP;
	bool notified = false;
	struct hc_op *op;
	u64 at = m->done;

	if (up && m->role.ndst)
		at = m->head;
	else if (up && !(m->gen.last.flags & HC_STOP_F_OVER))
		at = max(at, m->gen.stop[HC_STOP_HARD].nr);
	for (; (op = hc_op_next(m, at, nr)); ) {
		at = op->nr + 1;
		if (op->handed && !op->coll->comes_down && !up)
			hc_op_complete(m, op, 0, 0, 0);
		else
			notified |= op_cancel(m, op);
	}
	return notified;
}

/* Return: the number below which all operations are complete at the root, as far as @root and the
 * END show; 0 if @root is NULL.
 */
static u64 root_done(const struct hc_member *m, const struct hc_root_view *root)
{
	if (!root)
		return 0;
	/* An END without OVER is from the root, where all operations below it are complete. In a
	 * broadcast, messages below the END may still be in flight.
	 */
	if (m->plan->ops->ack->way == HC_ACK_DOWN && m->gen.end.nr != HC_NR_NONE &&
	    !(m->gen.end.flags & HC_STOP_F_OVER))
		return m->gen.end.nr;
	if (root->gen == m->gen.count)
		return root->done;
	return root->gen == m->gen.count + 1 ? root->ended : 0;
}

void hc_ends_all(struct hc_member *m, const struct hc_root_view *root)
{
	u64 done = root_done(m, root), at = 0;
	bool notified = false;
	struct hc_op *op;

	while ((op = hc_op_next(m, at, HC_NR_NONE))) {
		at = op->nr + 1;
		if (op->handed && op->nr < done && !op->coll->comes_down)
			hc_op_complete(m, op, 0, 0, 0);
		else
			notified |= op_cancel(m, op);
	}
	notified |= fallen_end(m, NULL);
	if (m->plan->ops->ended && root && m->head < root->next)
		m->plan->ops->ended(m, notified);
	m->gen.broken = true;
	WRITE_ONCE(m->done, m->head);
}

/* Return: true if this member must report failure @nr of the plan to listeners. Members detect a
 * failure at different times, and the first one that does reports it; the numbers of failures rise.
 */
static bool reports(struct hc_plan *plan, s64 nr)
{
	s64 last = atomic64_read(&plan->reported);

	while (nr > last)
		if (atomic64_try_cmpxchg(&plan->reported, &last, nr))
			return true;
	return false;
}

/* Report the end of a generation to listeners, unless another member has reported it. */
static void move_report(struct hc_member *m, bool notified)
{
	u64 nr = m->gen.last.nr;

	if (m->gen.last.flags & HC_STOP_F_OVER)
		hc_plan_breaks(m, &m->gen.last);
	if (m->gen.last.flags & HC_STOP_F_OVER ? !test_and_set_bit(1, &m->plan->breaking) :
					     notified && reports(m->plan, nr + 1))
		hc_end_event(m, &m->gen.last, nr);
}

/* Return: true if a process serves the member. Even if it has not contributed, it is notified of an
 * operation that has failed because contributions differ or memory was lacking.
 */
static bool process_waits(struct hc_member *m)
{
	return hc_process_serving(m, &m->user.group);
}

void hc_end_miss(struct hc_member *m, const struct hc_end *end, u64 nr)
{
	m->user.resets = true;
	m->user.missed = *end;
	m->user.missed.nr = nr;
}

/* If the process must be notified of the end of the generation and has not been (@notified), record
 * the END: the next contribution of the process will be refused with it.
 */
static void process_moves(struct hc_member *m, bool notified)
{
	bool there = m->user.engaged || (m->gen.last.status != ECONNRESET && process_waits(m));

	if (there && !notified && !m->user.left && m->plan->ops->all_contribute)
		hc_end_miss(m, &m->gen.last, hc_user_nr(m, m->gen.last.nr));
	m->user.engaged = false;
}

static void numbers_move(struct hc_member *m)
{
	u64 next = m->gen.last.nr + 1;

	WRITE_ONCE(m->next, next);
	m->head = next;
	m->plan->ops->ack->moved(m);
}

static void sources_behind(struct hc_member *m)
{
	unsigned int i;

	m->gen.nbehind = 0;
	for (i = 0; i < m->role.nsrc; i++) {
		m->src[i].behind = !m->src[i].away;
		m->gen.nbehind += m->src[i].behind;
	}
}

void hc_source_moved(struct hc_member *m, unsigned int i)
{
	m->gen.nbehind -= m->src[i].behind;
	m->src[i].behind = false;
}

u32 hc_behind(const struct hc_member *m)
{
	unsigned int i = 0;

	while (i + 1 < m->role.nsrc &&
	       !(hc_has_root(m) ? m->src[i].behind : ~m->gen.ended & BIT_ULL(i)))
		i++;
	return m->src[i].node;
}

void hc_moved_rx(struct hc_member *m, const struct sk_buff *skb)
{
	int i = hc_src_index(m, be16_to_cpu(hc_hdr(skb)->src));

	if (i < 0 || be32_to_cpu(hc_wire_ack_of(skb)->gen) != m->gen.count)
		return;
	hc_source_moved(m, i);
	if (hc_end_go_on(m))
		hc_advance(m);
}

static void gen_move(struct hc_member *m)
{
	bool notified = false, fell = false, quiet;
	struct hc_failed_nrs nrs = {};

	m->gen.last = m->gen.end;
	quiet = m->guard && hc_guard_quiet(m);
	if (!quiet) {
		notified = below_end(m, m->gen.last.nr);
		/* fell: a process that was notified only of operations below the END does not know
		 * with which number operations go on.
		 */
		fell = fallen_end(m, &nrs);
		if (m->guard)
			fell |= hc_guard_moved(m, &nrs);
		notified |= fell;
	}
	if (m->plan->ops->ended && !quiet)
		notified |= m->plan->ops->ended(m, notified);
	WRITE_ONCE(m->gen.count, m->gen.count + 1);
	if (!quiet)
		process_moves(m, fell);
	hc_end_init(m);
	if (m->gen.last.flags & HC_STOP_F_OVER)
		m->gen.broken = true;
	numbers_move(m);
	if (hc_has_root(m)) {
		u8 up = m->gen.broken ? HC_UNSAID_REMOTE : HC_UNSAID_MOVED;

		sources_behind(m);
		hc_end_say(m, HC_UNSAID_LAST | (m->role.ndst ? up : 0));
	}
	if (!quiet)
		move_report(m, notified);
	else if (m->gen.broken)
		hc_plan_breaks(m, &m->gen.last);
	hc_view_idle(m);
	hc_member_again(m);
	hc_node_kick(m->node, HC_EV_HOST);
}

/* Return: true if all peers that could send data of this generation have sent END. */
static bool all_ended(const struct hc_member *m)
{
	if (hc_has_root(m))
		return hweight64(m->gen.ended) >= m->role.ndst;
	return m->gen.end.flags & HC_STOP_F_OVER || hweight64(m->gen.ended) == m->role.nsrc;
}

/* Return: true if all data of operations below END that was received has been passed on, downwards
 * and to the process.
 */
static bool below_over(struct hc_member *m)
{
	struct hc_op *op;
	u64 at = m->done;

	if (!hc_has_root(m))
		return m->done >= m->gen.end.nr || m->gen.end.flags & HC_STOP_F_OVER;
	/* Operations that have failed at this member are not considered, since their data is not
	 * passed on.
	 */
	while ((op = hc_op_next(m, at, min(m->gen.end.nr, m->gen.gives)))) {
		at = op->nr + 1;
		if (!skb_queue_empty(&op->down))
			return false;
	}
	return true;
}

void hc_early_note(struct hc_member *m, const struct hc_end *end, unsigned int i)
{
	hc_end_join(&m->gen.early, end);
	m->gen.early_ended |= BIT_ULL(i);
}

static void early_take(struct hc_member *m)
{
	struct hc_end early = m->gen.early;

	if (early.nr == HC_NR_NONE)
		return;
	hc_end_none(&m->gen.early);
	m->gen.ended = m->gen.early_ended;
	m->gen.early_ended = 0;
	if (hc_has_root(m) && !m->gen.ended) {
		/* No peer has sent this END: this member itself has recorded the failure before it
		 * entered the generation.
		 */
		hc_fail(m, early.nr, early);
	} else if (hc_has_root(m)) {
		m->gen.end = early;
		hc_ops_fall(m, early.nr);
	} else {
		hc_end_note(m, &early);
	}
	hc_end_go_on(m);
}

bool hc_end_of_leaver(const struct hc_member *m)
{
	return m->gen.last.status == ECONNRESET && (!m->guard || m->gen.last.node == m->node->id);
}

bool hc_end_enter(struct hc_member *m)
{
	bool left = m->user.left, idles = m->user.idles && !hc_has_root(m);

	if (m->gen.broken || m->gen.unsaid || !all_ended(m) || !below_over(m))
		return false;
	/* Wait for a source that is one generation behind this member: it accepts frames of this
	 * member's present generation, but none of the next one.
	 */
	if (m->gen.nbehind && !(m->gen.end.flags & HC_STOP_F_OVER))
		return false;
	gen_move(m);
	if (m->gen.broken)
		return true;
	if (m->gen.cut.status) {
		m->gen.cut.nr = m->next;
		hc_stop_note(m, &m->gen.cut);
	}
	if (left && !hc_end_of_leaver(m) && !hc_process_serves(m))
		hc_leave(m, m->next, HC_STOP_SOFT);
	else if (idles && !hc_process_serves(m))
		hc_leave(m, m->next, HC_STOP_IDLE);
	early_take(m);
	return true;
}
