// SPDX-License-Identifier: GPL-2.0
/*
 * Broadcast plans: their members, and how they learn that all have the message.
 *
 * The sends of a sequence of dimensions that bring news make a tree (hc_bcast.h):
 * each member gets the message once, from the node above it.  The edges carry
 * segments down (coll/fanout.c), and in the other direction the acknowledgements: a
 * member has received operation k together with all below it when its process's
 * queue has all of it and all sources say the same of theirs; then it tells the
 * node above (ACK), at once if the source of the broadcast wants to know, else
 * now and then, for the window of operations must move on.
 *
 * Each message that the source has begun ends once for each member's process, in order: it
 * comes, or a record says that it failed.  If nothing of a message has come, only its source can
 * know of it.  So it counts its messages, and each says how many there were before it
 * (.ordinal); when messages fail, the source says how many it had begun (ABORT with FINAL,
 * .next), before it says anything else.
 *
 * A process that has left is missed by those that were there with it.  Nobody is told when it
 * leaves while nothing is under way, for those that receive say nothing.  So each message tells
 * apart the processes that its source has had (.speaker): a message of the one that was heard
 * last ends if nobody is there to receive it, and that of another one waits for a process that
 * comes as late as the first ones may.
 */
#include <linux/netlink.h>
#include <linux/slab.h>

#include "coll/anew.h"
#include "coll/coll.h"
#include "hc_bcast.h"
#include "netlink/netlink.h"
#include "sock/result.h"
#include "trace.h"

/* ------------------------------------------------------------ members */

/**
 * struct bcast_member - a member of a broadcast
 * @turns: steps after which each source has the message
 * @turn: steps until all below have received
 * @ended: messages that have ended for the process, one way or the other
 * @ended_nr: the number behind the last of them
 * @named: those up to this count that have not ended have failed
 * @doubt: @ended when the plan broke
 * @unnamed: messages have failed, and their source has not said how many there were
 * @speaker: at the source: processes that have left; below it: how many had before the one whose
 *	message was heard last
 * @heard: the process has been offered a message, or told of one that failed
 * @deaf: the last one had not when it left
 */
struct bcast_member {
	u16 turns[HC_STAGES_MAX];
	u32 turn;
	u64 ended;
	u64 ended_nr;
	u64 named;
	u64 doubt;
	bool unnamed;
	bool heard;
	bool deaf;
	u16 speaker;
};

static struct bcast_member *bcast_member(const struct hc_member *m)
{
	return hc_member_priv(m);
}

/* The verified broadcast; the plan owns .sequence. */
static struct hc_bcast *plan_bcast(const struct hc_plan *plan)
{
	return hc_plan_priv(plan);
}

static bool bcast_copy(struct hc_plan *plan, const struct hc_plan_params *p)
{
	struct hc_bcast *b = plan_bcast(plan);

	*b = (struct hc_bcast){
		.dim = plan->fabric->dim,
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
			.node = hc_neigh(u, from->from),
			.dim = from->from,
			.how = HC_TREE_DIRECT,
			.parts = 1,
		};
	}
	role->nsrc = from->nto;
	for (i = 0; i < from->nto; i++)
		src[i] = (struct hc_tree_peer){
			.node = hc_neigh(u, from->to[i].dim),
			.dim = from->to[i].dim,
			.how = HC_TREE_DIRECT,
		};
}

static int bcast_member_create(struct hc_plan *plan, u32 u, const u16 *first)
{
	const struct hc_bcast *b = plan_bcast(plan);
	struct hc_tree_peer src[HYPERCUBE_DIM_MAX];
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
	struct hc_bcast_flaw flaw = {
		.why = "the plan is not valid",
		.node = HC_BCAST_NO_NODE,
	};
	u32 nodes = hc_nodes(plan->fabric->dim);
	u16 *first = kvmalloc_array(nodes, sizeof(*first), GFP_KERNEL_ACCOUNT);
	int err;
	u32 u;

	if (!first)
		return -ENOMEM;
	err = hc_bcast_check(plan_bcast(plan), fault, first, &flaw);
	BUILD_BUG_ON(HC_BCAST_NO_NODE != HC_FLAW_NO_NODE);
	if (err)
		hc_plan_flaw(extack, flaw.why, flaw.node);
	for (u = 0; !err && u < nodes; u++)
		if (hc_plan_member_here(plan, u))
			err = bcast_member_create(plan, u, first);
	kvfree(first);
	return err;
}

/* ------------------------------------------------------------ who has received */

static void ack_up(struct hc_member *m, u64 time, u32 clock)
{
	struct hc_ack d = {
		.nr = m->done,
		.time = time,
		.clock = clock,
		.steps = bcast_member(m)->turn,
	};

	if (hc_ack_xmit(m, &m->role.dst[0], &d))
		WRITE_ONCE(m->told, m->done);
}

static void bcast_ack_tell(struct hc_member *m)
{
	ack_up(m, 0, 0);
}

/* All below have the operation.  Return: somebody wants to know that. */
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

		hc_notify_op(m->plan, &ev);
		hc_op_complete(m, op, steps, op->clock, op->time);
	} else {
		hc_op_drop(m, op, 0);
	}
	return notify;
}

/* An operation was passed on, or a source has told: see how much is done below. */
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
	hc_numbers_skip(m);
	/* After a failure the source waits for this to go on with the next number. */
	if (m->role.ndst && (notify || m->done - m->told >= HC_ACK_BATCH || hc_ended(m, k)))
		ack_up(m, time, clock);
}

/* From below. */
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

/* Tell of all messages up to that count; a process that does not receive is owed no more than a
 * count of what was lost (hc_sock_status()).  The number is that of a message if all that failed
 * at once are told at once.
 */
static void failed_tell(struct hc_member *m, u64 count)
{
	struct bcast_member *bm = bcast_member(m);

	bm->ended_nr = max(bm->ended_nr, m->broken ? m->head : m->abort.from);
	while (bm->ended < count) {
		const struct hc_rec rec = hc_sock_record(m);

		bm->heard |= !!rec.sock;
		hc_status_end(m, NULL, &rec, bm->ended_nr++);
		bm->ended++;
	}
}

/* Tell the process of messages that have failed before it had anything of them, once all
 * before them have ended.
 */
static void named_tell(struct hc_member *m)
{
	const struct bcast_member *bm = bcast_member(m);

	/* Those below the failed range still come. */
	if (bm->ended < bm->named && (m->broken || m->head >= m->abort_to))
		failed_tell(m, bm->named);
}

/* One that had begun for the process of a member below the source. */
static void message_ended(struct hc_member *m, const struct hc_op *op)
{
	struct bcast_member *bm = bcast_member(m);

	bm->ended++;
	/* Failures of several ranges that were told at once may have been given numbers beyond. */
	bm->ended_nr = max(bm->ended_nr, op->nr + 1);
}

static void bcast_forgone(struct hc_member *m, struct hc_op *op)
{
	if (m->role.ndst)
		message_ended(m, op);
}

static void bcast_handed(struct hc_member *m, struct hc_op *op)
{
	/* A receiver has no more to do with a message that it has passed on. */
	if (m->role.ndst) {
		if (op->begun)
			trace_hc_op_end(m->node, m->plan->id, op->nr, 0);
		op->begun = false;
		message_ended(m, op);
		WRITE_ONCE(m->next, m->head);
	}
	bcast_review(m);
	hc_numbers_skip(m);
	named_tell(m);
}

/* The source has begun @count messages (HC_NEXT_UNKNOWN: it cannot be heard); those that have
 * not come will not come.
 */
static void messages_name(struct hc_member *m, u64 count)
{
	struct bcast_member *bm = bcast_member(m);

	if (!m->role.ndst)
		return;
	if (count == HC_NEXT_UNKNOWN)
		count = bm->doubt + 1;
	/* No source can be ahead by more. */
	bm->named = max(bm->named, min(count, bm->ended + HC_OP_RANGE));
	named_tell(m);
}

static void bcast_broke(struct hc_member *m)
{
	struct bcast_member *bm = bcast_member(m);

	bm->doubt = bm->ended;
	bm->unnamed = false;
}

static void bcast_settled(struct hc_member *m, const struct hc_abort *last)
{
	messages_name(m, last->next);
}

/* The source's messages with numbers below @nr, the end of the last range that failed.  Those
 * behind that, which it may have begun before it heard that the range begins further down, may
 * come.
 */
static u64 begun_below(const struct hc_member *m, u64 nr)
{
	return m->begun - (m->next > nr ? m->next - nr : 0);
}

static bool bcast_abort_note(struct hc_member *m, struct hc_abort *abort, bool news)
{
	struct bcast_member *bm = bcast_member(m);

	if (!m->role.ndst) {
		if (news) {
			m->abort.next = begun_below(m, m->abort_to);
			m->abort.flags |= HC_ABORT_F_FINAL;
		}
		abort->next = m->abort.next;
		/* Of a range before a gap it has nothing to say that would not be of the other. */
		if (hc_abort_to(abort) < m->abort_to)
			abort->flags &= ~HC_ABORT_F_FINAL;
		else
			abort->flags |= HC_ABORT_F_FINAL;
		return news;
	}
	/* Of a range before a gap the source says nothing that it has not said of the other. */
	bm->unnamed |= news && hc_abort_to(abort) >= m->abort.from;
	if (abort->flags & HC_ABORT_F_FINAL && hc_abort_to(abort) >= m->abort_to) {
		news |= bm->unnamed;
		bm->unnamed = false;
		m->abort.next = abort->next;
		m->abort.flags |= HC_ABORT_F_FINAL;
		messages_name(m, abort->next);
	}
	return news;
}

static bool bcast_word_awaited(const struct hc_member *m)
{
	return bcast_member(m)->unnamed;
}

/* The source's word may name messages that its last one did not: they have failed. */
static bool bcast_word_again(struct hc_member *m, const struct hc_abort *abort)
{
	if (!(abort->flags & HC_ABORT_F_FINAL) || abort->next <= m->abort.next)
		return false;
	m->abort.next = abort->next;
	messages_name(m, abort->next);
	return true;
}

/* The message came to its source just after the fault that broke the plan: the others must hear
 * of it.
 */
static void bcast_refused(struct hc_member *m)
{
	struct hc_abort abort = m->abort;

	abort.next = m->begun;
	hc_coll_abort_go_on(m, &abort);
}

/* The word that they failed, and why, may not have come. */
static void unheard_tell(struct hc_member *m, u64 count)
{
	if (!m->abort.status) {
		m->abort.status = EPROTO;
		m->abort.node = m->role.dst[0].node;
		m->abort.dim = HC_CAUSE_NONE;
	}
	failed_tell(m, count);
}

/* Before a message whose first frame has come, the process hears of those before it that
 * failed.  False: there cannot be so many, the operation has failed.
 */
static bool missing_tell(struct hc_member *m, struct hc_op *op, const struct hc_wire_data *w)
{
	u64 ended = bcast_member(m)->ended;
	u16 missing = be16_to_cpu(w->ordinal) - (u16)ended;
	u64 count = ended + missing;

	if (missing > HC_OP_RANGE) {
		hc_op_fail(m, op, -EPROTO, m->role.dst[0].node);
		return false;
	}
	if (missing)
		unheard_tell(m, count);
	return true;
}

/* It waits for a process that has not come yet, not for one that left: see the top of this file. */
static void nobody_receives(struct hc_member *m, struct hc_op *op, u16 speaker)
{
	const struct bcast_member *bm = bcast_member(m);

	m->left &= bm->deaf || speaker == bm->speaker;
	if (m->left)
		hc_op_fail(m, op, -ECONNRESET, m->node->id);
	else
		hc_wait(m, op, HYPERCUBE_WAIT_READER, 0);
}

static bool bcast_offered(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	struct bcast_member *bm = bcast_member(m);
	u16 speaker = be16_to_cpu(w->speaker);

	if (!hc_sock_serves(m)) {
		nobody_receives(m, op, speaker);
		return false;
	}
	bm->heard = true;
	bm->speaker = speaker;
	return op->begun || missing_tell(m, op, w);
}

/**
 * struct bcast_op - a message
 * @ordinal: at the source: among all that it has begun
 * @speaker: the same: bcast_member.speaker then
 */
struct bcast_op {
	u64 ordinal;
	u16 speaker;
};

static void message_init(struct hc_op *op)
{
	struct bcast_op *b = hc_op_priv(op);

	/* At the source, which has just begun it. */
	b->ordinal = op->member->begun - 1;
	b->speaker = bcast_member(op->member)->speaker;
}

/* Messages are counted at their source: see the top of this file. */
static bool message_pass(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	const struct bcast_op *b = hc_op_priv(op);

	if (hc_member_is_root(m)) {
		hc_wire_data_of(skb)->ordinal = cpu_to_be16(b->ordinal);
		hc_wire_data_of(skb)->speaker = cpu_to_be16(b->speaker);
	}
	return hc_down_all_pass(m, op, skb, last);
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

/* The source's complete messages go on without its process.  At another member, the close ends
 * what its process has not received in full.
 */
static void bcast_close(struct hc_member *m)
{
	struct bcast_member *bm = bcast_member(m);
	struct hc_op *op = hc_member_op(m, m->head);
	struct hc_abort abort = {
		.from = m->cur_open ? m->cur : m->head,
		.status = ECONNRESET,
		.node = m->node->id,
		.dim = HC_CAUSE_NONE,
	};
	bool quiet = m->role.ndst ? !op || op->nr != m->head : !m->cur_open;

	m->engaged = false;
	hc_reset_forget(m);
	m->left = true;
	m->unheard = true;
	bm->deaf = !bm->heard;
	bm->heard = false;
	if (!m->role.ndst)
		bm->speaker++;
	bm->ended = max(bm->ended, bm->named);
	if (!quiet && !m->broken)
		hc_coll_abort_go_on(m, &abort);
}

static const struct hc_coll_ops bcast_message = {
	.id = HYPERCUBE_BCAST,
	.op_size = sizeof(struct bcast_op),
	.init = message_init,
	.advance = bcast_advance,
	.down_pass = message_pass,
};

static const struct hc_coll_ops *const bcast_colls[] = { &bcast_message, NULL };

static const struct hc_ack_ops bcast_ack = {
	.way = HC_ACK_UP,
	.tell = bcast_ack_tell,
	.rx = bcast_ack_rx,
	.handed = bcast_handed,
};

const struct hc_plan_ops hc_plan_bcast = {
	.id = HYPERCUBE_PLAN_BCAST,
	.parts = HC_PLAN_ROOT | HC_PLAN_MEMBERS | HC_PLAN_SEQUENCE,
	.plan_size = sizeof(struct hc_bcast),
	.member_size = sizeof(struct bcast_member),
	.copy = bcast_copy, .shape = bcast_shape, .release = bcast_release,
	.members_create = bcast_members_create, .colls = bcast_colls,
	.ack = &bcast_ack, .window = HC_OP_WINDOW, .unasked = true,

	.offered = bcast_offered,
	.idle = named_tell,
	.close = bcast_close,
	.forgone = bcast_forgone,
	.broke = bcast_broke,
	.settled = bcast_settled,
	.abort_note = bcast_abort_note,
	.word_awaited = bcast_word_awaited,
	.word_again = bcast_word_again,
	.refused = bcast_refused,
};
