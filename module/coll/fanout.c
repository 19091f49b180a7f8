// SPDX-License-Identifier: GPL-2.0
/*
 * Sending data down a tree: the message of a broadcast, or the result of an allreduce.
 *
 * A member sends a segment to each source that has requested it, over the edges of the plan,
 * against the direction in which data is sent up, and passes it to its process. All frames with the
 * segment share its pages, which are not written to any more.
 *
 * Memory. These frames are charged to no sender, so credits limit them: at most HC_DOWN_WINDOW
 * segments are in flight over each edge or wait at its lower end. A member passes a segment on only
 * if all its sources and the process have room, so the slowest receiver sets the pace. Members
 * cannot deadlock, since a leaf of the tree waits only for its process. If a process contributes to
 * an allreduce without receiving its results, the other processes block, and after a while its own
 * send buffer is full, too, and its sendmsg() fails with ENOBUFS.
 *
 * Steps. In a broadcast the plan determines at which step an edge is used. A result passes the
 * stages of the tree in reverse order. Each stage takes as many steps as it takes when data is sent
 * up: 1 over the tree link; 2 through a helper (the passive node sends to the helper, the helper to
 * its blocked neighbour); over a detour the number of its links. A frame carries the number of
 * steps that it has taken (.turn).
 */
#include <net/sock.h>

#include "coll/coll.h"
#include "coll/guard.h"
#include "coll/process.h"
#include "compat.h"
#include "fabric/limits.h"
#include "fabric/link.h"
#include "hc_coll_desc.h"
#include "trace.h"

struct sk_buff *hc_ref_frame(const struct hc_node *node, struct hc_seg_ref ref)
{
	bool shared = ref.kind == HC_REF_PAGE;
	struct sk_buff *skb = hc_frame_alloc(node, HC_FRAME_DATA, shared ? 0 : ref.len,
					     GFP_ATOMIC);

	if (!skb)
		return NULL;
	hc_hdr(skb)->len = cpu_to_be32(ref.len);
	if (shared) {
		struct page *page = virt_to_head_page(ref.data);

		get_page(page);
		skb_fill_page_desc(skb, 0, page, ref.data - page_address(page), ref.len);
		skb->len += ref.len;
		skb->data_len += ref.len;
		skb->truesize += ref.len;
	} else if (ref.len) {
		memcpy(hc_payload(skb), ref.data, ref.len);
	}
	return skb;
}

struct sk_buff *hc_seg_share(struct hc_node *node, struct sk_buff *skb, u32 off, u32 len)
{
	const struct hc_wire_data *from = hc_wire_data_of(skb);
	struct sk_buff *part = hc_ref_frame(node, hc_seg_ref(skb, off, len));
	struct hc_wire_data *w;

	if (!part)
		return NULL;
	hc_hdr(part)->time = hc_hdr(skb)->time;
	w = hc_wire_data_of(part);
	w->flags = from->flags & (HC_DATA_F_LAST | HC_DATA_F_NOTIFY);
	w->offset = cpu_to_be64(be64_to_cpu(from->offset) + off);
	w->total = from->total;
	w->block = from->block;
	return part;
}

/* ------------------------------------------------------------ passing on */

/* Return: true if the segment is passed to the process. In a broadcast, it is not passed to the
 * process of the source.
 */
static bool delivers(const struct hc_member *m, const struct hc_op *op)
{
	return m->plan->ops->all_contribute || !hc_member_is_root(m) || op->agrees;
}

static bool reader_may(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb)
{
	if (!delivers(m, op) || op->agrees)
		return true;
	if (m->plan->ops->offered && !m->plan->ops->offered(m, op, skb))
		return false;
	if (hc_process_room(m, op->rec.sock))
		return true;
	hc_wait(m, op, HYPERCUBE_WAIT_READER, 0);
	return false;
}

bool hc_down_room(const struct hc_member *m, const struct hc_op *op, unsigned int i)
{
	const struct hc_stream *st = &op->src[i];

	return st->sent_down - st->taken_down < HC_DOWN_WINDOW || m->src[i].away;
}

bool hc_down_all_may(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb)
{
	unsigned int i;

	for (i = 0; i < m->role.nsrc; i++)
		if (op->src[i].want && !hc_down_room(m, op, i)) {
			hc_wait(m, op, HYPERCUBE_WAIT_CREDIT, m->src[i].node);
			return false;
		}
	return reader_may(m, op, skb);
}

static bool down_may(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb)
{
	if (op->coll->down_may)
		return op->coll->down_may(m, op, skb);
	return hc_down_all_may(m, op, skb);
}

/* Return: the number of steps after which source @i receives a segment that is sent now. */
static u32 down_turn(const struct hc_member *m, const struct hc_op *op, unsigned int i)
{
	const struct hc_tree_peer *peer = &m->src[i];
	u32 turn;
	int s;

	if (m->turns)
		return m->turns[i];
	turn = peer->how == HC_TREE_DIRECT ? 1 : peer->how == HC_TREE_HELP ? 2 : 0;
	for (s = m->plan->stages - 1; s > peer->stage; s--)
		turn += max_t(u32, op->cost[s], 1);
	return turn;
}

static void down_header(struct hc_member *m, struct hc_op *op, unsigned int i,
			struct sk_buff *skb)
{
	struct hc_stream *st = &op->src[i];
	struct hc_wire_data *w = hc_wire_data_of(skb);

	st->last_down |= w->flags & HC_DATA_F_LAST;
	w->flags |= HC_DATA_F_DOWN;
	w->total = cpu_to_be64(op->result);
	w->index = cpu_to_be32(st->sent_down++);
	w->turn = cpu_to_be16(down_turn(m, op, i));
	hc_stage_header(m, op, &m->src[i], &st->down_busy, op->clock, skb);
}

/* Return: true if the data that this node sends down is from other members, too. This is false at
 * the root if only the root contributes.
 */
static bool others_gave(const struct hc_member *m, const struct hc_op *op)
{
	return !hc_member_is_root(m) || hc_who_has(hc_coll_desc(op->coll->id)->gives, false);
}

/* Send frame @part down to source @i; consumes it. Return: false if the operation is gone. */
static bool part_send(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *part)
{
	u64 nr = op->nr;

	down_header(m, op, i, part);
	/* A Byzantine node does not corrupt the members' own agreements. */
	hc_relay_xmit(m, &m->src[i], part, !op->agrees && others_gave(m, op));
	/* If the frame could not be sent, hc_peer_xmit() has ended the operation, and @op is gone.
	 */
	return hc_op_lives(m, op, nr);
}

/* Make a frame for a receiver that refers to the pages of @skb. @pays: true to charge the frame's
 * memory to the fabric. One of the frames that refer to the pages is charged, because the charge
 * for the pages to the sender's socket ends when @skb is freed.
 */
static struct sk_buff *part_make(struct hc_member *m, struct sk_buff *skb, bool pays)
{
	struct sk_buff *part = hc_seg_share(m->node, skb, 0, be32_to_cpu(hc_hdr(skb)->len));

	return pays ? hc_poll_owned(m->node->fabric, part) : part;
}

enum hc_progress hc_down_send(struct hc_member *m, struct hc_op *op, unsigned int i,
			      struct sk_buff *skb)
{
	struct sk_buff *part;
	bool sent = true;

	if (!m->src[i].away) {
		part = part_make(m, skb, true);
		if (!part)
			return HC_BLOCKED;
		sent = part_send(m, op, i, part);
	}
	consume_skb(skb);
	return sent ? HC_FINISHED : HC_FAILED;
}

static bool goes_to(const struct hc_member *m, const struct hc_op *op, unsigned int i)
{
	return op->src[i].want && !m->src[i].away;
}

/* Fill @parts with a frame for each source that has requested the data. Return: false if there is
 * no memory; then @parts is empty.
 */
static bool parts_make(struct hc_member *m, struct hc_op *op, struct sk_buff *skb,
		       struct sk_buff_head *parts)
{
	struct sk_buff *part;
	unsigned int i;

	for (i = 0; i < m->role.nsrc; i++) {
		if (!goes_to(m, op, i))
			continue;
		part = part_make(m, skb, skb_queue_empty(parts));
		if (!part) {
			__skb_queue_purge(parts);
			return false;
		}
		__skb_queue_tail(parts, part);
	}
	return true;
}

static bool parts_send(struct hc_member *m, struct hc_op *op, struct sk_buff_head *parts)
{
	bool sent = true;
	unsigned int i;

	for (i = 0; i < m->role.nsrc && sent; i++)
		if (goes_to(m, op, i))
			sent = part_send(m, op, i, __skb_dequeue(parts));
	__skb_queue_purge(parts);
	return sent;
}

/* Pass a segment to the process; consumes @skb. Return: false if the operation is gone. */
static bool process_pass(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	if (!delivers(m, op)) {
		consume_skb(skb);
		return true;
	}
	if (!op->begun) {
		op->begun = true;
		trace_hc_op_begin(m->node, m->plan->id, hc_user_nr(m, op->nr),
				  hc_wire_data_of(skb));
		op->rec = hc_process_record(m);
		m->user.sock = op->rec.sock;
	}
	return m->guard ? hc_guard_result(m, op, skb, last) : hc_result_pass(m, op, skb, last);
}

enum hc_progress hc_down_all_pass(struct hc_member *m, struct hc_op *op, struct sk_buff *skb,
				  bool last)
{
	struct sk_buff_head parts;

	__skb_queue_head_init(&parts);
	if (!parts_make(m, op, skb, &parts))
		return HC_BLOCKED;
	if (!parts_send(m, op, &parts)) {
		kfree_skb(skb);
		return HC_FAILED;
	}
	return process_pass(m, op, skb, last) ? HC_FINISHED : HC_FAILED;
}

static enum hc_progress down_pass(struct hc_member *m, struct hc_op *op, struct sk_buff *skb,
				  bool last)
{
	if (op->coll->down_pass)
		return op->coll->down_pass(m, op, skb, last);
	return hc_down_all_pass(m, op, skb, last);
}

/* ------------------------------------------------------------ the root of a tree */

bool hc_root_may(struct hc_member *m, struct hc_op *op)
{
	if (op->coll->comes_down)
		return down_may(m, op, skb_peek(&op->own));
	if (hc_process_room(m, op->rec.sock))
		return true;
	hc_wait(m, op, HYPERCUBE_WAIT_READER, 0);
	return false;
}

bool hc_root_out(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	enum hc_progress p;

	if (last)
		hc_wire_data_of(skb)->flags |= HC_DATA_F_LAST;
	if (!op->coll->comes_down && m->guard)
		return hc_guard_result(m, op, skb, last);
	if (!op->coll->comes_down) {
		hc_process_result(m, op, skb, last);
		return true;
	}
	p = down_pass(m, op, skb, last);
	if (p == HC_BLOCKED) {
		kfree_skb(skb);
		hc_op_fail(m, op, -ENOMEM, m->node->id);
	}
	return p == HC_FINISHED;
}

/* ------------------------------------------------------------ below the root */

/* Send CREDIT to @peer. Return: false if there is no memory. */
static bool credit_xmit(struct hc_member *m, struct hc_op *op, const struct hc_tree_peer *peer)
{
	struct sk_buff *skb = hc_frame_alloc(m->node, HC_FRAME_CREDIT, 0, GFP_ATOMIC);
	struct hc_wire_credit *w;

	if (!skb)
		return false;
	w = hc_wire_credit_of(skb);
	w->plan.op = cpu_to_be64(op->nr);
	w->taken = cpu_to_be32(hc_taken(m, peer->node, op->nr));
	w->gen = cpu_to_be32(m->gen.count);
	hc_peer_xmit(m, peer, skb);
	return true;
}

bool hc_credit_return(struct hc_member *m, struct hc_op *op, const struct hc_tree_peer *peer)
{
	u64 nr = op->nr;

	if (!credit_xmit(m, op, peer))
		hc_op_fail(m, op, -ENOMEM, m->node->id);
	return hc_op_lives(m, op, nr);
}

/* Send CREDIT to the peer above for the frames that this member has passed on. If there is no
 * memory, try again a second later. No CREDIT is needed for the last segment, since no frame
 * follows it.
 */
static void credit_down(struct hc_member *m, struct hc_op *op)
{
	u32 taken = hc_taken(m, m->role.dst[0].node, op->nr), acked = op->down_acked;

	if (taken - acked < HC_DOWN_WINDOW / 2)
		return;
	/* Set .down_acked first, since the operation may be gone after credit_xmit(). */
	op->down_acked = taken;
	if (!credit_xmit(m, op, &m->role.dst[0]))
		op->down_acked = acked;
}

enum hc_progress hc_down_advance(struct hc_member *m, struct hc_op *op)
{
	bool origin = hc_member_is_root(m);
	struct sk_buff_head *q = origin ? &op->own : &op->down;
	enum hc_progress p;
	u64 nr = op->nr;
	struct sk_buff *skb;

	while ((skb = skb_peek(q))) {
		bool last = hc_wire_data_of(skb)->flags & HC_DATA_F_LAST;

		if (!down_may(m, op, skb))
			break;
		__skb_unlink(skb, q);
		WRITE_ONCE(m->view.wait, HYPERCUBE_WAIT_NOTHING);
		p = down_pass(m, op, skb, last);
		if (p == HC_FAILED)
			return HC_FAILED;
		if (p == HC_BLOCKED) {
			/* There was no memory for a frame for a source, so the member has at least
			 * one source.
			 */
			__skb_queue_head(q, skb);
			return hc_wait(m, op, HYPERCUBE_WAIT_CREDIT, m->src[0].node);
		}
		if (last)
			return HC_FINISHED;
	}
	if (!origin && hc_op_lives(m, op, nr))
		credit_down(m, op);
	/* Return HC_FAILED if the operation is gone. The plan is not necessarily broken: with
	 * .results_follow, hc_results_advance() goes on with other operations.
	 */
	return hc_op_lives(m, op, nr) ? HC_BLOCKED : HC_FAILED;
}

void hc_results_advance(struct hc_member *m)
{
	u64 nr = m->done;
	struct hc_op *op;

	if (!m->plan->ops->results_follow || hc_member_is_root(m) || hc_word_owed(m))
		return;
	while ((op = hc_op_next(m, nr, min(m->head + 1, m->gen.gives)))) {
		enum hc_progress p;

		nr = op->nr + 1;
		if (!op->coll->comes_down)
			continue;
		p = hc_down_advance(m, op);
		if (p == HC_FAILED && !m->gen.broken)
			hc_advance(m);
		if (p != HC_FINISHED)
			return;
		hc_op_drop(m, op, 0);
		hc_ack_review(m);
	}
}
