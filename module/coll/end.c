// SPDX-License-Identifier: GPL-2.0
/*
 * How operations fail: STOP and END.
 *
 * An operation has one outcome, its result or END, decided once and in order.  END names the first
 * operation that has none: k.  It takes that number; all below k have their results, the next
 * generation of operations goes on at k + 1, and what members had contributed to k or above ends
 * with the cause that END names.  A member's generation is the number of ENDs that it has had, and
 * its frames say it, so what is left of an older one is dropped.
 *
 * In a plan with a root that root decides.  A member that will not give all of operation n says so:
 * STOP goes up, behind the member's own data, and each member passes on the least.  The root
 * completes operations in order.  Let k be the first that it has not completed: it says END when k
 * reaches n.
 *
 * A process that leaves gives nothing more, so its member says STOP.  If it has given something in
 * this generation that is SOFT: it counts when there is a part of n or above from anybody else, and
 * when another process comes in its place.  So who is late hears of it.  If it has given something
 * before, END comes at once, for what others have begun since.  So it does when the root's process
 * leaves, which takes the results.  If it has never given anything to the plan the STOP is IDLE: it
 * counts if there is such a part where it comes by, and is forgotten at the root; who owes nothing
 * has not left.
 *
 * END comes down in the stream of results: a member passes it on when all below k has gone down and
 * to its process, and moves to the next generation by that.  It tells those above (ACK), so nobody
 * is more than one generation ahead of a neighbour.  A member with several destinations moves when
 * all have said END.
 *
 * A plan without a root, in which each member has what all have given (a doubling, a ring): END is
 * said by who does not give all of k, so nobody can have completed k; it is flooded, the least
 * wins, and a member moves when each of its peers has said END and all below k is complete.  A peer
 * may be there before it: what that sends of the next generation is noted.
 *
 * Each contribution has one end, and processes hear of ends in order, but for messages of a
 * broadcast, whose successes are told when they are known.  A process that has contributed in a
 * generation, but not to k, learns of END by its next contribution (.resets).  One that has
 * contributed nothing is not told that another one left, for nothing of its own has failed; of
 * other causes it is told if it serves the member by then.  Who comes after one that left belongs
 * to the next generation.
 *
 * What breaks the plan (OVER) is a fault of a link, and a failure on the way down of what the root
 * has completed, or has sent to somebody to the end; without a root, a failure of what others may
 * have completed.  The root says END at
 * once.  The upper end of the edge says STOP for the first operation that lacks a part from below,
 * the lower end END for the first that has no result there, to those below.  So who is connected to
 * the root hears of the same end; at those who are cut off an error says nothing of what the others
 * have.  After an END that another failure has caused the upper end says STOP again, until the plan
 * is over.  Who is cut off says so to those above (AWAY), for nobody is to wait until it takes what
 * was sent.
 *
 * A member that lacks memory or room (fabric/own.c) for a word says it a second later, and until
 * then sends its peers nothing else.
 */
#include "coll/coll.h"
#include "coll/end.h"
#include "netlink/netlink.h"
#include "sock/result.h"
#include "trace.h"

/* To tell listeners. */
#define EVENT_COST	16

void hc_end_none(struct hc_end *end)
{
	*end = (struct hc_end){
		.nr = HC_NR_NONE, .node = HC_CAUSE_NONE, .dim = HC_CAUSE_NONE,
	};
}

void hc_end_init(struct hc_member *m)
{
	unsigned int kind;

	hc_end_none(&m->gen.end);
	for (kind = 0; kind < HC_NSTOPS; kind++)
		hc_end_none(&m->gen.stop[kind]);
	m->gen.gives = HC_NR_NONE;
	m->gen.ended = 0;
	m->user.left = false;
}

bool hc_has_root(const struct hc_member *m)
{
	return m->plan->ops->ack->way != HC_ACK_ALONE;
}

bool hc_end_join(struct hc_end *end, const struct hc_end *more)
{
	bool over = more->flags & ~end->flags & HC_STOP_F_OVER;
	u64 nr = min(end->nr, more->nr);
	u32 flags = end->flags | more->flags;

	if (more->nr >= end->nr && !over)
		return false;
	if (over || !(end->flags & HC_STOP_F_OVER))
		*end = *more;
	end->nr = nr;
	end->flags = flags;
	return true;
}

/* ------------------------------------------------------------ what processes are told */

void hc_status_end(struct hc_member *m, struct hc_op *op, const struct hc_rec *rec, u64 nr)
{
	struct hypercube_result res = hc_op_result(m, op, nr);

	res.status = -(s32)m->gen.last.status;
	hc_cause_tell(&m->gen.last, &res);
	hc_failure_note(m, rec->sock, hc_sock_status(m->node, &res, rec));
}

/* What the next process contributes is not cut off for what this one owed. */
static void cur_close(struct hc_member *m, const struct hc_op *op)
{
	if (m->user.cur_open && m->user.cur == op->nr) {
		m->user.cur_open = false;
		m->user.halved = false;
	}
}

/* It ends as @m->gen.last says.  True: its process was told. */
static bool op_forgo(struct hc_member *m, struct hc_op *op)
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
		.nr = hc_told_nr(m, first),
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
	/* Pairs with hc_fill_plan(): cause before flag. */
	smp_store_release(&plan->broken, true);
	trace_hc_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
	hc_notify_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
	m->node->spent += EVENT_COST;
}

/* ------------------------------------------------------------ moving on */

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
	/* Before those that have fallen already. */
	list_splice(&fallen, &m->gen.fallen);
}

/* True: a process was told of any. */
static bool fallen_end(struct hc_member *m)
{
	bool told = !list_empty(&m->gen.fallen);
	struct hc_op *op, *next;

	list_for_each_entry_safe(op, next, &m->gen.fallen, fallen) {
		hc_status_end(m, op, &op->rec, op->nr);
		trace_hc_op_end(m->node, m->plan->id, hc_told_nr(m, op->nr),
				-(int)m->gen.last.status);
		m->dropped++;
		hc_op_free(op);
	}
	INIT_LIST_HEAD(&m->gen.fallen);
	return told;
}

/* The first operation that may have no result here.  A message that a broadcast has passed on has
 * been received.
 */
u64 hc_first_open(const struct hc_member *m)
{
	return m->plan->ops->ack->way == HC_ACK_UP && m->role.ndst ? m->head : m->done;
}

/* Those below END.  At the root they are complete, but what a result lacks that has come down does
 * not follow any more; and the source of a broadcast does not know of messages that are on their
 * way when the plan is over.
 */
static bool below_end(struct hc_member *m, u64 nr)
{
	bool up = m->plan->ops->ack->way == HC_ACK_UP;
	bool told = false;
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
			told |= op_forgo(m, op);
	}
	return told;
}

/* Operations of this member below are complete at the root. */
static u64 root_done(const struct hc_member *m, const struct hc_root_view *root)
{
	if (!root)
		return 0;
	/* Only the root says so, but of messages that may be on their way. */
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
	bool told = false;
	struct hc_op *op;

	while ((op = hc_op_next(m, at, HC_NR_NONE))) {
		at = op->nr + 1;
		if (op->handed && op->nr < done && !op->coll->comes_down)
			hc_op_complete(m, op, 0, 0, 0);
		else
			told |= op_forgo(m, op);
	}
	told |= fallen_end(m);
	if (m->plan->ops->ended && root && m->head < root->next)
		m->plan->ops->ended(m, told);
	m->gen.broken = true;
	WRITE_ONCE(m->done, m->head);
}

/* Numbers of failures rise; members hear of them at different times. */
static bool reports(struct hc_plan *plan, s64 nr)
{
	s64 last = atomic64_read(&plan->reported);

	while (nr > last)
		if (atomic64_try_cmpxchg(&plan->reported, &last, nr))
			return true;
	return false;
}

/* A failure is reported once. */
static void move_report(struct hc_member *m, bool told)
{
	u64 nr = m->gen.last.nr;

	if (m->gen.last.flags & HC_STOP_F_OVER)
		hc_plan_breaks(m, &m->gen.last);
	if (m->gen.last.flags & HC_STOP_F_OVER ? !test_and_set_bit(1, &m->plan->breaking) :
					     told && reports(m->plan, nr + 1))
		hc_end_event(m, &m->gen.last, nr);
}

/* Does one serve the member that has not contributed yet?  What others disagree about, or lacked
 * memory for, is an operation of this one, too.
 */
static bool process_waits(struct hc_member *m)
{
	const struct sock *sk = hc_sock_serving(m);

	if (sk)
		m->user.group = hc_sock_group(sk);
	return sk;
}

/* Does its process hear of the end by its next contribution? */
static void process_moves(struct hc_member *m, bool told)
{
	bool there = m->user.engaged || (m->gen.last.status != ECONNRESET && process_waits(m));

	m->user.resets |= there && !told && !m->user.left && m->plan->ops->all_contribute;
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
	bool told, fell;

	m->gen.last = m->gen.end;
	told = below_end(m, m->gen.last.nr);
	/* Who is told of one below alone does not know yet where all go on. */
	fell = fallen_end(m);
	told |= fell;
	if (m->plan->ops->ended)
		told |= m->plan->ops->ended(m, told);
	WRITE_ONCE(m->gen.count, m->gen.count + 1);
	process_moves(m, fell);
	hc_end_init(m);
	if (m->gen.last.flags & HC_STOP_F_OVER)
		m->gen.broken = true;
	numbers_move(m);
	if (hc_has_root(m)) {
		u8 up = m->gen.broken ? HC_UNSAID_AWAY : HC_UNSAID_MOVED;

		sources_behind(m);
		hc_end_say(m, HC_UNSAID_LAST | (m->role.ndst ? up : 0));
	}
	move_report(m, told);
	hc_view_idle(m);
	hc_member_again(m);
	hc_node_kick(m->node, HC_EV_HOST);
}

/* Has the member heard from all who could say that there is more? */
static bool all_ended(const struct hc_member *m)
{
	if (hc_has_root(m))
		return hweight64(m->gen.ended) >= m->role.ndst;
	return m->gen.end.flags & HC_STOP_F_OVER || hweight64(m->gen.ended) == m->role.nsrc;
}

/* What has come down goes down, and to the process, before END does. */
static bool below_over(struct hc_member *m)
{
	struct hc_op *op;
	u64 at = m->done;

	if (!hc_has_root(m))
		return m->done >= m->gen.end.nr || m->gen.end.flags & HC_STOP_F_OVER;
	/* What has failed here takes nothing more. */
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
		/* What was found here asks for it. */
		hc_fail(m, early.nr, early);
	} else if (hc_has_root(m)) {
		m->gen.end = early;
		hc_ops_fall(m, early.nr);
	} else {
		hc_end_note(m, &early);
	}
	hc_end_go_on(m);
}

bool hc_end_go_on(struct hc_member *m)
{
	bool left = m->user.left;

	if (likely(m->gen.end.nr == HC_NR_NONE) || m->gen.broken || m->gen.unsaid ||
	    !all_ended(m) || !below_over(m))
		return false;
	/* Who is behind takes frames of one generation more, no others. */
	if (m->gen.nbehind && !(m->gen.end.flags & HC_STOP_F_OVER))
		return false;
	gen_move(m);
	if (m->gen.broken)
		return true;
	if (m->gen.cut.status) {
		m->gen.cut.nr = m->next;
		hc_stop_note(m, &m->gen.cut);
	}
	if (left && m->gen.last.status != ECONNRESET && !hc_sock_serves(m))
		hc_leave(m, m->next, HC_STOP_SOFT);
	early_take(m);
	return true;
}

/* ------------------------------------------------------------ what has happened */

void hc_fail(struct hc_member *m, u64 nr, struct hc_end cause)
{
	cause.nr = nr;
	if (m->gen.broken || hc_member_holds(m))
		return;
	if (hc_has_root(m) && hc_on_way_down(m, nr)) {
		hc_plan_breaks(m, &cause);
		if (hc_member_is_root(m))
			hc_over(m, cause);
		else
			hc_cut_above(m, cause);
		return;
	}
	if (nr > m->gen.end.nr) {
		/* Of the next generation. */
		hc_end_join(&m->gen.early, &cause);
		return;
	}
	if (!hc_has_root(m)) {
		/* Others may have all that it took from here. */
		if (nr == m->head && cause.status == ENOMEM && nr < m->next)
			cause.flags |= HC_STOP_F_OVER;
		hc_end_note(m, &cause);
		hc_end_go_on(m);
		return;
	}
	m->gen.gives = min(m->gen.gives, nr);
	hc_stop_note(m, &cause);
}

void hc_fail_go_on(struct hc_member *m, u64 nr, struct hc_end cause)
{
	hc_fail(m, nr, cause);
	if (!m->gen.broken)
		hc_advance(m);
}

enum hc_progress hc_op_fail(struct hc_member *m, struct hc_op *op, int status, u32 node)
{
	hc_fail(m, op->nr, hc_cause(-status, node));
	return HC_FAILED;
}

static struct hc_end left_end(const struct hc_member *m, u64 nr, u32 flags)
{
	struct hc_end end = hc_cause(ECONNRESET, m->node->id);

	end.nr = nr;
	end.flags = flags;
	return end;
}

/* Who has given nothing owes nothing, unless others wait for it. */
static void leave_idle(struct hc_member *m, u64 nr)
{
	const struct hc_end stop = left_end(m, nr, HC_STOP_F_IDLE);

	hc_stop_note(m, &stop);
	/* It counts already: who comes next waits for END. */
	if (m->gen.stop[HC_STOP_HARD].nr <= nr &&
	    m->gen.stop[HC_STOP_HARD].status == ECONNRESET) {
		m->user.left = true;
		m->user.left_nr = nr;
	}
	if (!m->gen.broken)
		hc_advance(m);
}

void hc_leave(struct hc_member *m, u64 nr, enum hc_stop kind)
{
	bool soft = kind == HC_STOP_SOFT && m->role.ndst;
	const struct hc_end stop = left_end(m, nr, soft ? HC_STOP_F_SOFT : 0);

	if (m->gen.broken)
		return;
	if (hc_has_root(m) && kind == HC_STOP_IDLE) {
		leave_idle(m, nr);
		return;
	}
	m->user.left = true;
	m->user.left_nr = nr;
	/* Nobody is there to receive the results. */
	if (hc_has_root(m) && hc_member_is_root(m))
		m->gen.gives = min(m->gen.gives, nr);
	if (hc_has_root(m))
		hc_stop_note(m, &stop);
	else
		hc_end_note(m, &stop);
	hc_end_go_on(m);
	if (!m->gen.broken)
		hc_advance(m);
}

void hc_came(struct hc_member *m)
{
	const struct hc_end stop = left_end(m, m->user.left_nr, 0);

	if (hc_has_root(m))
		hc_stop_note(m, &stop);
}

/* ------------------------------------------------------------ frames */

unsigned int hc_gen_refused(const struct hc_member *m, u32 gen, u64 nr)
{
	s32 ahead = gen - m->gen.count;

	if (nr < m->done || m->gen.broken || ahead < 0 || (!ahead && nr >= m->gen.gives))
		return HYPERCUBE_A_DROP_ENDED;
	if (!ahead || (ahead == 1 && m->gen.end.nr < nr))
		return 0;
	return HYPERCUBE_A_DROP_UNEXPECTED;
}

bool hc_is_awaited(const struct hc_member *m, u32 gen, u64 nr)
{
	return nr < m->done + 2 * HC_OP_WINDOW && !hc_gen_refused(m, gen, nr);
}

u64 hc_nr_behind(const struct hc_member *m, u64 nr)
{
	return nr + 1 == m->gen.end.nr ? nr + 2 : nr + 1;
}

static void end_read(const struct sk_buff *skb, struct hc_end *end)
{
	const struct hc_wire_stop *w = hc_wire_stop_of(skb);

	*end = (struct hc_end){
		.nr = be64_to_cpu(w->plan.op),
		.status = be32_to_cpu(w->status),
		.flags = be32_to_cpu(w->flags),
		.clock = be32_to_cpu(hc_hdr(skb)->step),
		.node = be16_to_cpu(w->node),
		.dim = be16_to_cpu(w->dim),
	};
}

bool hc_cause_has_sense(const struct hc_member *m, u32 status, u16 node, u16 dim)
{
	u32 dims = m->node->fabric->dim;

	return status && status <= MAX_ERRNO && (node == HC_CAUSE_NONE || node < hc_nodes(dims)) &&
	       (dim == HC_CAUSE_NONE || dim < dims);
}

/* No member can be further ahead of another. */
static bool nr_fits(const struct hc_member *m, u64 nr)
{
	return nr >= m->base && nr <= m->done + 2 * HC_OP_WINDOW;
}

unsigned int hc_end_rx(struct hc_member *m, struct sk_buff *skb)
{
	u32 src = be16_to_cpu(hc_hdr(skb)->src);
	s32 ahead = be32_to_cpu(hc_wire_stop_of(skb)->gen) - m->gen.count;
	struct hc_end end;
	unsigned int why;

	end_read(skb, &end);
	if (!hc_cause_has_sense(m, end.status, end.node, end.dim))
		return HYPERCUBE_A_DROP_MALFORMED;
	if (hc_hdr(skb)->type == HC_FRAME_STOP) {
		why = hc_stop_rx(m, skb, &end);
	} else {
		/* What broke the plan before it was mended is no news. */
		if (end.nr < m->base)
			return HYPERCUBE_A_DROP_ENDED;
		if (!nr_fits(m, end.nr))
			return HYPERCUBE_A_DROP_UNEXPECTED;
		why = hc_has_root(m) ? hc_end_rx_down(m, src, ahead, &end) :
				   hc_end_rx_peer(m, src, ahead, &end);
	}
	if (!m->gen.broken)
		hc_advance(m);
	return why;
}

/* ------------------------------------------------------------ the plan goes away */

/* A plan that has taken the place of this one begins anew; what is sent to it before this one's
 * failures have been read waits until they have been told (hc_fabric.retiring).
 */
static void failure_inherit(const struct hc_member *m)
{
	struct hc_plan *heir = xa_load(&m->node->fabric->plans, m->plan->id);

	if (m->user.failure.nr && heir && heir != m->plan && heir->member[m->node->id])
		heir->member[m->node->id]->user.failure = m->user.failure;
}

void hc_member_destroy(struct hc_member *m, int status, const struct hc_root_view *root)
{
	hc_member_forget(m);
	hc_end_none(&m->gen.last);
	m->gen.last.status = -status;
	m->gen.last.nr = m->head;
	hc_ends_all(m, root);
	hc_host_waiting_refuse(m, status);
	failure_inherit(m);
	kfree(m);
}
