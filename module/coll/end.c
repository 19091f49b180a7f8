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
 * has completed; without a root, a failure of what others may have completed.  The root says END at
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
#include "coll/detour.h"
#include "coll/ring_mend.h"
#include "fabric/link.h"
#include "netlink/netlink.h"
#include "sock/result.h"
#include "trace.h"

/* In frames, to tell the peers. */
#define WORD_COST	8
/* To tell listeners. */
#define EVENT_COST	16

static void end_none(struct hc_end *end)
{
	*end = (struct hc_end){
		.nr = HC_NR_NONE, .node = HC_CAUSE_NONE, .dim = HC_CAUSE_NONE,
	};
}

void hc_end_init(struct hc_member *m)
{
	unsigned int kind;

	end_none(&m->gen.end);
	for (kind = 0; kind < HC_NSTOPS; kind++)
		end_none(&m->gen.stop[kind]);
	m->gen.gives = HC_NR_NONE;
	m->gen.ended = 0;
	m->user.left = false;
}

static bool decides(const struct hc_member *m)
{
	return m->plan->ops->ack->way != HC_ACK_ALONE;
}

/* Makes *@end the least of both.  What breaks the plan is the cause, whatever else has failed.
 * False: it was known.
 */
static bool end_join(struct hc_end *end, const struct hc_end *more)
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

/* ------------------------------------------------------------ words */

struct sk_buff *hc_end_word(struct hc_node *node, u8 type, u32 gen, const struct hc_end *end)
{
	struct sk_buff *skb = hc_frame_alloc(node, type, 0, GFP_ATOMIC);
	struct hc_wire_stop *w;

	if (!skb)
		return NULL;
	w = hc_wire_stop_of(skb);
	w->plan.op = cpu_to_be64(end->nr);
	w->gen = cpu_to_be32(gen);
	w->status = cpu_to_be32(end->status);
	w->node = cpu_to_be16(end->node);
	w->dim = cpu_to_be16(end->dim);
	w->flags = cpu_to_be32(end->flags);
	hc_hdr(skb)->step = cpu_to_be32(end->clock);
	return skb;
}

static bool word_send(struct hc_member *m, const struct hc_tree_peer *peer, u8 type, u32 gen,
		      const struct hc_end *end)
{
	struct sk_buff *skb = hc_end_word(m->node, type, gen, end);

	if (!skb)
		return false;
	/* Each hop of another way counts itself (route/). */
	if (peer->how != HC_TREE_DETOUR && hc_link_usable(m->node, peer->dim))
		be32_add_cpu(&hc_hdr(skb)->step, 1);
	return hc_peer_xmit(m, peer, skb) != -ENOBUFS;
}

static bool end_down(struct hc_member *m, u32 gen, const struct hc_end *end)
{
	bool said = true;
	unsigned int i;

	for (i = 0; i < m->role.nsrc; i++)
		if (!m->src[i].away || m->src[i].how == HC_TREE_DETOUR)
			said &= word_send(m, &m->src[i], HC_FRAME_END, gen, end);
	m->node->spent += WORD_COST;
	return said;
}

static bool moved_up(struct hc_member *m)
{
	const struct hc_ack d = { .nr = m->done };
	bool said = true;
	unsigned int i;

	for (i = 0; i < m->role.ndst; i++)
		said &= hc_ack_xmit(m, &m->role.dst[i], &d);
	return said;
}

static bool stop_up(struct hc_member *m)
{
	bool said = true;
	unsigned int i, kind;

	for (i = 0; i < m->role.ndst; i++)
		for (kind = 0; kind < HC_NSTOPS; kind++)
			if (m->gen.stop[kind].nr != HC_NR_NONE)
				said &= word_send(m, &m->role.dst[i], HC_FRAME_STOP, m->gen.count,
						  &m->gen.stop[kind]);
	/* It has come by. */
	if (said)
		end_none(&m->gen.stop[HC_STOP_IDLE]);
	m->node->spent += WORD_COST;
	return said;
}

/* To those who may wait until this member takes what they have sent. */
static bool away_up(struct hc_member *m)
{
	struct hc_end over = m->gen.last;
	bool said = true;
	unsigned int i;

	over.flags |= HC_STOP_F_AWAY;
	for (i = 0; i < m->role.ndst; i++)
		said &= word_send(m, &m->role.dst[i], HC_FRAME_STOP, m->gen.count - 1, &over);
	return said;
}

/* Noted before it is said: nothing is to overtake it. */
static void say(struct hc_member *m, u8 what)
{
	m->gen.unsaid |= what;
	hc_words_again(m);
	if (m->gen.unsaid)
		hc_member_wait(m);
}

void hc_words_again(struct hc_member *m)
{
	u8 unsaid = m->gen.unsaid;

	/* Words may be sent in between. */
	m->gen.unsaid = 0;
	if (unsaid & HC_UNSAID_LAST && end_down(m, m->gen.count - 1, &m->gen.last))
		unsaid &= ~HC_UNSAID_LAST;
	if (unsaid == HC_UNSAID_END && end_down(m, m->gen.count, &m->gen.end))
		unsaid = 0;
	if (unsaid & HC_UNSAID_MOVED && !(unsaid & HC_UNSAID_LAST) && moved_up(m))
		unsaid &= ~HC_UNSAID_MOVED;
	if (unsaid & HC_UNSAID_AWAY && away_up(m))
		unsaid &= ~HC_UNSAID_AWAY;
	if (unsaid == HC_UNSAID_STOP && stop_up(m))
		unsaid = 0;
	m->gen.unsaid |= unsaid;
}

/* ------------------------------------------------------------ what processes are told */

void hc_status_end(struct hc_member *m, struct hc_op *op, const struct hc_rec *rec, u64 nr)
{
	struct hypercube_result res = {
		.status = -(s32)m->gen.last.status,
		.plan = m->plan->id,
		.op = hc_told_nr(m, nr),
		.cookie = op ? op->cookie : 0,
		.collective = (op ? op->coll : m->plan->ops->colls[0])->id,
	};

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

/* From @nr on nothing is worked on any more.  Processes hear of that when all below has ended. */
static void ops_fall(struct hc_member *m, u64 nr)
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
static u64 first_open(const struct hc_member *m)
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
	/* Only the root says so. */
	if (m->gen.end.nr != HC_NR_NONE && !(m->gen.end.flags & HC_STOP_F_OVER))
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

static void source_moved(struct hc_member *m, unsigned int i)
{
	m->gen.nbehind -= m->src[i].behind;
	m->src[i].behind = false;
}

u32 hc_behind(const struct hc_member *m)
{
	unsigned int i = 0;

	while (i + 1 < m->role.nsrc && !m->src[i].behind)
		i++;
	return m->src[i].node;
}

void hc_moved_rx(struct hc_member *m, const struct sk_buff *skb)
{
	int i = hc_src_index(m, be16_to_cpu(hc_hdr(skb)->src));

	if (i < 0 || be32_to_cpu(hc_wire_ack_of(skb)->gen) != m->gen.count)
		return;
	source_moved(m, i);
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
	if (decides(m)) {
		u8 up = m->gen.broken ? HC_UNSAID_AWAY : HC_UNSAID_MOVED;

		sources_behind(m);
		say(m, HC_UNSAID_LAST | (m->role.ndst ? up : 0));
	}
	move_report(m, told);
	hc_view_idle(m);
	hc_member_again(m);
	hc_node_kick(m->node, HC_EV_HOST);
}

/* Has the member heard from all who could say that there is more? */
static bool all_ended(const struct hc_member *m)
{
	if (decides(m))
		return hweight64(m->gen.ended) >= m->role.ndst;
	return m->gen.end.flags & HC_STOP_F_OVER || hweight64(m->gen.ended) == m->role.nsrc;
}

/* What has come down goes down, and to the process, before END does. */
static bool below_over(struct hc_member *m)
{
	struct hc_op *op;
	u64 at = m->done;

	if (!decides(m))
		return m->done >= m->gen.end.nr || m->gen.end.flags & HC_STOP_F_OVER;
	/* What has failed here takes nothing more. */
	while ((op = hc_op_next(m, at, min(m->gen.end.nr, m->gen.gives)))) {
		at = op->nr + 1;
		if (!skb_queue_empty(&op->down))
			return false;
	}
	return true;
}

static void early_take(struct hc_member *m);
static void stop_note(struct hc_member *m, const struct hc_end *stop);

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
		stop_note(m, &m->gen.cut);
	}
	if (left && m->gen.last.status != ECONNRESET && !hc_sock_serves(m))
		hc_leave(m, m->next, HC_STOP_SOFT);
	early_take(m);
	return true;
}

/* ------------------------------------------------------------ plans with a root */

static void root_close(struct hc_member *m, const struct hc_end *stop)
{
	const struct hc_op *op = hc_member_op(m, m->head);

	m->gen.end = *stop;
	m->gen.end.nr = m->head;
	m->gen.end.flags &= HC_STOP_F_OVER;
	if (!op || op->nr != m->head || !op->begun)
		m->gen.end.flags |= HC_STOP_F_UNBEGUN;
	ops_fall(m, m->gen.end.nr);
	hc_end_go_on(m);
}

void hc_root_decides(struct hc_member *m)
{
	const struct hc_end *hard = &m->gen.stop[HC_STOP_HARD];

	if (!hc_member_is_root(m) || !decides(m) || m->gen.broken || m->gen.end.nr != HC_NR_NONE)
		return;
	/* What breaks the plan ends all at once. */
	if (hard->nr <= m->head || hard->flags & HC_STOP_F_OVER)
		root_close(m, hard);
}

/* Is there a part of @nr, or of what is behind it, beside what a process that has left gave? */
static bool others_gave(const struct hc_member *m, u64 nr)
{
	const struct hc_op *op;
	unsigned int i;

	for (; (op = hc_op_next(m, nr, HC_NR_NONE)); nr = op->nr + 1) {
		if (op->begun && !m->user.left)
			return true;
		for (i = 0; i < m->role.nsrc; i++)
			if (op->src[i].came)
				return true;
	}
	return false;
}

/* Somebody has given a part of what will not be complete. */
static void stop_counts(struct hc_member *m, const struct hc_end *stop)
{
	struct hc_end hard = *stop;

	hard.flags = 0;
	stop_note(m, &hard);
}

/* END that waits to be passed on is the last. */
static void pending_over(struct hc_member *m, const struct hc_end *over)
{
	u64 nr = m->gen.end.nr;

	m->gen.end = *over;
	m->gen.end.nr = nr;
	m->gen.end.flags = HC_STOP_F_OVER;
	hc_end_go_on(m);
}

static void stop_note(struct hc_member *m, const struct hc_end *stop)
{
	enum hc_stop kind = stop->flags & HC_STOP_F_SOFT ? HC_STOP_SOFT :
			    stop->flags & HC_STOP_F_IDLE ? HC_STOP_IDLE : HC_STOP_HARD;

	if (m->gen.broken)
		return;
	if (m->gen.end.nr != HC_NR_NONE) {
		/* What the root has not said yet. */
		if (hc_member_is_root(m) && stop->flags & HC_STOP_F_OVER)
			pending_over(m, stop);
		return;
	}
	if (kind != HC_STOP_HARD && others_gave(m, stop->nr))
		stop_counts(m, stop);
	else if (hc_member_is_root(m) && kind == HC_STOP_IDLE)
		return;
	else if (!end_join(&m->gen.stop[kind], stop))
		return;
	else if (hc_member_is_root(m))
		hc_root_decides(m);
	else
		say(m, HC_UNSAID_STOP);
}

void hc_part_came(struct hc_member *m, u64 nr)
{
	if (m->gen.stop[HC_STOP_SOFT].nr <= nr)
		stop_counts(m, &m->gen.stop[HC_STOP_SOFT]);
}

/* The first operation of which source @i has not sent all. */
static u64 first_lacking(struct hc_member *m, unsigned int i)
{
	u64 nr = m->head;

	for (;; nr++) {
		const struct hc_op *op = hc_member_op(m, nr);

		if (!op || op->nr != nr || !op->src[i].last)
			return nr;
	}
}

void hc_cut_below(struct hc_member *m, unsigned int i, struct hc_end cause)
{
	cause.flags = HC_STOP_F_OVER;
	cause.nr = first_lacking(m, i);
	m->gen.cut = cause;
	m->src[i].away = true;
	source_moved(m, i);
	hc_member_again(m);
	stop_note(m, &cause);
}

void hc_over_again(struct hc_member *m, const struct hc_tree_peer *peer)
{
	bool below = hc_src_index(m, peer->node) >= 0;
	struct hc_end over = m->gen.last;

	if (!below)
		over.flags |= HC_STOP_F_AWAY;
	word_send(m, peer, below ? HC_FRAME_END : HC_FRAME_STOP, m->gen.count - 1, &over);
}

void hc_over(struct hc_member *m, struct hc_end cause)
{
	cause.flags = HC_STOP_F_OVER;
	cause.nr = m->head;
	m->gen.cut = cause;
	stop_note(m, &cause);
}

void hc_cut_above(struct hc_member *m, struct hc_end cause)
{
	if (m->gen.broken)
		return;
	cause.flags = HC_STOP_F_OVER;
	cause.nr = first_open(m);
	m->gen.end = cause;
	m->gen.ended = U64_MAX;
	/* What has come down of that is of no use. */
	ops_fall(m, cause.nr);
	hc_end_go_on(m);
}

/* Does the member fail to take, or to pass on, what has come down? */
static bool on_way_down(const struct hc_member *m, u64 nr)
{
	return m->role.ndst && (nr < m->head || m->plan->ops->ack->way == HC_ACK_UP);
}

/* ------------------------------------------------------------ plans without */

static void end_note(struct hc_member *m, const struct hc_end *end)
{
	struct hc_end least = *end;

	/* Nobody says so by the rules: some have a result that others will never have. */
	if (least.nr < m->done) {
		least.nr = m->done;
		least.flags |= HC_STOP_F_OVER;
	}
	if (least.flags & HC_STOP_F_OVER && m->plan->mends) {
		hc_broke(m, &least);
		return;
	}
	if (!end_join(&m->gen.end, &least))
		return;
	ops_fall(m, m->gen.end.nr);
	say(m, HC_UNSAID_END);
}

/* END of the next generation, which has come before the member is there. */
static void early_note(struct hc_member *m, const struct hc_end *end, unsigned int i)
{
	end_join(&m->gen.early, end);
	m->gen.early_ended |= BIT_ULL(i);
}

static void early_take(struct hc_member *m)
{
	struct hc_end early = m->gen.early;

	if (early.nr == HC_NR_NONE)
		return;
	end_none(&m->gen.early);
	m->gen.ended = m->gen.early_ended;
	m->gen.early_ended = 0;
	if (decides(m) && !m->gen.ended) {
		/* What was found here asks for it. */
		hc_fail(m, early.nr, early);
	} else if (decides(m)) {
		m->gen.end = early;
		ops_fall(m, early.nr);
	} else {
		end_note(m, &early);
	}
	hc_end_go_on(m);
}

void hc_broke(struct hc_member *m, const struct hc_end *cause)
{
	struct hc_end end = *cause;
	bool news = !m->gen.broken;

	end.flags = HC_STOP_F_OVER;
	if (!m->plan->mends) {
		end.nr = m->done;
		if (news) {
			end_note(m, &end);
			hc_end_go_on(m);
		}
		return;
	}
	if (news) {
		end.nr = m->done;
		m->gen.broken = true;
		m->gen.last = end;
		/* The others go on without a node that has failed, and may have mended the plan
		 * before it hears of its links.
		 */
		if (!READ_ONCE(m->node->failed))
			hc_plan_breaks(m, &end);
	}
	hc_mend_stop(m, news);
	/* Who does not hear of it now asks the master. */
	if (news)
		end_down(m, m->gen.count, &end);
}

/* ------------------------------------------------------------ what has happened */

void hc_fail(struct hc_member *m, u64 nr, struct hc_end cause)
{
	cause.nr = nr;
	if (m->gen.broken || hc_member_holds(m))
		return;
	if (decides(m) && on_way_down(m, nr)) {
		hc_plan_breaks(m, &cause);
		hc_cut_above(m, cause);
		return;
	}
	if (nr > m->gen.end.nr) {
		/* Of the next generation. */
		end_join(&m->gen.early, &cause);
		return;
	}
	if (!decides(m)) {
		/* Others may have all that it took from here. */
		if (nr == m->head && cause.status == ENOMEM && nr < m->next)
			cause.flags |= HC_STOP_F_OVER;
		end_note(m, &cause);
		hc_end_go_on(m);
		return;
	}
	m->gen.gives = min(m->gen.gives, nr);
	stop_note(m, &cause);
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

	stop_note(m, &stop);
	if (!m->gen.broken)
		hc_advance(m);
}

void hc_leave(struct hc_member *m, u64 nr, enum hc_stop kind)
{
	bool soft = kind == HC_STOP_SOFT && m->role.ndst;
	const struct hc_end stop = left_end(m, nr, soft ? HC_STOP_F_SOFT : 0);

	if (m->gen.broken)
		return;
	if (decides(m) && kind == HC_STOP_IDLE) {
		leave_idle(m, nr);
		return;
	}
	m->user.left = true;
	m->user.left_nr = nr;
	/* Nobody is there to receive the results. */
	if (decides(m) && hc_member_is_root(m))
		m->gen.gives = min(m->gen.gives, nr);
	if (decides(m))
		stop_note(m, &stop);
	else
		end_note(m, &stop);
	hc_end_go_on(m);
	if (!m->gen.broken)
		hc_advance(m);
}

void hc_came(struct hc_member *m)
{
	const struct hc_end stop = left_end(m, m->user.left_nr, 0);

	if (decides(m))
		stop_note(m, &stop);
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

static bool end_has_sense(const struct hc_member *m, const struct hc_end *end)
{
	u32 dim = m->node->fabric->dim;

	return end->status && end->status <= MAX_ERRNO &&
	       (end->node == HC_CAUSE_NONE || end->node < hc_nodes(dim)) &&
	       (end->dim == HC_CAUSE_NONE || end->dim < dim);
}

/* No member can be further ahead of another. */
static bool nr_fits(const struct hc_member *m, u64 nr)
{
	return nr >= m->base && nr <= m->done + 2 * HC_OP_WINDOW;
}

static int dst_index(const struct hc_member *m, u32 node)
{
	unsigned int i;

	for (i = 0; i < m->role.ndst; i++)
		if (m->role.dst[i].node == node)
			return i;
	return -1;
}

/* From below; to the root also from a node that is no member, where a detour has failed: see
 * stop_route() in coll/lost.c.  That knows no number.
 */
static unsigned int stop_rx(struct hc_member *m, const struct sk_buff *skb, struct hc_end *stop)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	u32 src = be16_to_cpu(hdr->src);
	s32 ahead = be32_to_cpu(hc_wire_stop_of(skb)->gen) - m->gen.count;
	int i = hc_src_index(m, src);

	if (!decides(m))
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if (hc_member_is_root(m) && !hc_set_has(m->plan->members, src) &&
	    hc_ways_cross(m->plan, src) && hdr->flags & HC_FRAME_F_ROUTED) {
		stop->nr = m->head;
		stop->flags = HC_STOP_F_OVER;
		m->gen.cut = *stop;
	} else if (i < 0 || ahead > 0) {
		return HYPERCUBE_A_DROP_UNEXPECTED;
	} else if (ahead < 0 && !(stop->flags & HC_STOP_F_OVER)) {
		/* What it asks for has come. */
		return 0;
	}
	if (stop->flags & HC_STOP_F_AWAY && stop->flags & HC_STOP_F_OVER && i >= 0)
		hc_cut_below(m, i, *stop);
	stop->flags &= HC_STOP_F_OVER | HC_STOP_F_SOFT | HC_STOP_F_IDLE;
	/* What is complete here may lack at who says so all the same. */
	stop->nr = max(stop->nr, m->done);
	if (stop->nr > m->done + 2 * HC_OP_WINDOW)
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if (stop->flags & HC_STOP_F_OVER) {
		stop->flags = HC_STOP_F_OVER;
		hc_plan_breaks(m, stop);
	}
	stop_note(m, stop);
	return 0;
}

/* From above. */
static unsigned int end_rx_down(struct hc_member *m, u32 src, s32 ahead, struct hc_end *end)
{
	int i = dst_index(m, src);

	if (i < 0 || ahead > 1 || (ahead == 1 && end->nr <= m->gen.end.nr) ||
	    (!ahead && end->nr < first_open(m) && !(end->flags & HC_STOP_F_OVER)))
		return HYPERCUBE_A_DROP_UNEXPECTED;
	end->nr = max(end->nr, first_open(m));
	if (ahead < 0 || m->gen.broken)
		return HYPERCUBE_A_DROP_ENDED;
	end->flags &= HC_STOP_F_OVER | HC_STOP_F_UNBEGUN;
	if (ahead) {
		early_note(m, end, i);
		if (end->flags & HC_STOP_F_OVER)
			pending_over(m, end);
		return 0;
	}
	m->gen.ended |= BIT_ULL(i);
	if (m->gen.end.nr == end->nr && end->flags & HC_STOP_F_OVER)
		m->gen.end = *end;
	/* All say the same, or one lies; but where the plan is over, each says what it knows. */
	if (m->gen.end.nr != HC_NR_NONE && m->gen.end.nr != end->nr) {
		if (m->gen.end.flags & HC_STOP_F_OVER)
			return 0;
		if (!(end->flags & HC_STOP_F_OVER)) {
			end->status = EPROTO;
			end->node = src;
			end->dim = HC_CAUSE_NONE;
		}
		hc_cut_above(m, *end);
		return 0;
	}
	if (m->gen.end.nr == HC_NR_NONE) {
		m->gen.end = *end;
		ops_fall(m, end->nr);
	}
	hc_results_advance(m);
	hc_end_go_on(m);
	return 0;
}

static unsigned int end_rx_peer(struct hc_member *m, u32 src, s32 ahead, struct hc_end *end)
{
	int i = hc_src_index(m, src);

	if (i < 0 || ahead > 1)
		return HYPERCUBE_A_DROP_UNEXPECTED;
	end->flags &= HC_STOP_F_OVER;
	if (m->plan->mends && !end->flags)
		hc_mend_heard(m);
	if (end->flags && m->plan->mends) {
		hc_broke(m, end);
		return 0;
	}
	/* That nothing follows holds in every generation; and so it is if others have gone on at
	 * another number.
	 */
	if (ahead == -1 && end->nr < m->gen.last.nr)
		end->flags |= HC_STOP_F_OVER;
	if (m->gen.broken || hc_member_holds(m) || (ahead < 0 && !end->flags))
		return HYPERCUBE_A_DROP_ENDED;
	if (ahead < 0)
		end->nr = m->done;
	if (ahead > 0) {
		early_note(m, end, i);
		return 0;
	}
	m->gen.ended |= BIT_ULL(i);
	end_note(m, end);
	hc_end_go_on(m);
	return 0;
}

unsigned int hc_end_rx(struct hc_member *m, struct sk_buff *skb)
{
	u32 src = be16_to_cpu(hc_hdr(skb)->src);
	s32 ahead = be32_to_cpu(hc_wire_stop_of(skb)->gen) - m->gen.count;
	struct hc_end end;
	unsigned int why;

	end_read(skb, &end);
	if (!end_has_sense(m, &end))
		return HYPERCUBE_A_DROP_MALFORMED;
	if (hc_hdr(skb)->type == HC_FRAME_STOP) {
		why = stop_rx(m, skb, &end);
	} else {
		/* What broke the plan before it was mended is no news. */
		if (end.nr < m->base)
			return HYPERCUBE_A_DROP_ENDED;
		if (!nr_fits(m, end.nr))
			return HYPERCUBE_A_DROP_UNEXPECTED;
		why = decides(m) ? end_rx_down(m, src, ahead, &end) :
				   end_rx_peer(m, src, ahead, &end);
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
	end_none(&m->gen.last);
	m->gen.last.status = -status;
	m->gen.last.nr = m->head;
	hc_ends_all(m, root);
	hc_host_waiting_refuse(m, status);
	failure_inherit(m);
	kfree(m);
}
