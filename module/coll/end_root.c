// SPDX-License-Identifier: GPL-2.0
/* How operations fail in plans with a root: STOP is sent up, END is sent down. See coll/end.c. */
#include "coll/coll.h"
#include "coll/detour.h"
#include "coll/end.h"
#include "coll/process.h"

static void root_close(struct hc_member *m, const struct hc_end *stop)
{
	const struct hc_op *op = hc_member_op(m, m->head);

	m->gen.end = *stop;
	m->gen.end.nr = m->head;
	m->gen.end.flags &= HC_STOP_F_OVER;
	if (!op || op->nr != m->head || !op->begun)
		m->gen.end.flags |= HC_STOP_F_UNBEGUN;
	hc_ops_fall(m, m->gen.end.nr);
	hc_end_go_on(m);
}

void hc_root_stops(struct hc_member *m)
{
	if (hc_member_is_root(m) && hc_has_root(m) && !m->gen.broken &&
	    m->gen.end.nr == HC_NR_NONE)
		root_close(m, &m->gen.stop[HC_STOP_HARD]);
}

/* Return: true if this member has data of operation @first or of a later one, other than data of
 * the process that has left. @from: index of the source that has sent the STOP, or -1 if the
 * process has left at this member. In a guarded plan, the STOP breaks the plan if this function
 * returns true. So in a guarded plan, data of @first from source @from is ignored: it may be data
 * of the process that has left; and if it is data of another member below source @from, this source
 * has found it already.
 */
static bool others_gave(const struct hc_member *m, u64 first, int from)
{
	const struct hc_op *op;
	u64 nr = first;
	int i;

	for (; (op = hc_op_next(m, nr, HC_NR_NONE)); nr = op->nr + 1) {
		if (op->begun && !m->user.left)
			return true;
		for (i = 0; i < (int)m->role.nsrc; i++)
			if (op->src[i].came && !(m->guard && op->nr == first && i == from))
				return true;
	}
	return false;
}

/* Make a STOP hard, because other members have contributed to an operation that will not be
 * completed.
 */
static void stop_counts(struct hc_member *m, const struct hc_end *stop)
{
	struct hc_end hard = *stop;

	/* A guarded plan breaks, and goes on in its next epoch without the process that has left.
	 */
	hard.flags = m->guard ? HC_STOP_F_OVER : 0;
	hc_stop_note(m, &hard);
}

/* Give the END that this member has not passed on yet the cause @over and the flag OVER, because
 * the plan is over: no END will follow it.
 */
static void pending_over(struct hc_member *m, const struct hc_end *over)
{
	u64 nr = m->gen.end.nr;

	m->gen.end = *over;
	m->gen.end.nr = nr;
	m->gen.end.flags = HC_STOP_F_OVER;
	hc_end_go_on(m);
}

static void stop_note(struct hc_member *m, const struct hc_end *stop, int from)
{
	enum hc_stop kind = stop->flags & HC_STOP_F_SOFT ? HC_STOP_SOFT :
			    stop->flags & HC_STOP_F_IDLE ? HC_STOP_IDLE : HC_STOP_HARD;

	if (m->gen.broken)
		return;
	if (hc_has_root(m) && m->gen.end.nr != HC_NR_NONE) {
		/* The END has been determined; a STOP that breaks the plan can change it only at
		 * the root, before the root has sent it.
		 */
		if (hc_member_is_root(m) && stop->flags & HC_STOP_F_OVER)
			pending_over(m, stop);
		return;
	}
	if (kind != HC_STOP_HARD && others_gave(m, stop->nr, from))
		stop_counts(m, stop);
	else if (!hc_has_root(m))
		hc_flood_stop(m, kind, stop);
	else if (hc_member_is_root(m) && kind == HC_STOP_IDLE)
		return;
	else if (!hc_end_join(&m->gen.stop[kind], stop))
		return;
	else if (hc_member_is_root(m))
		hc_root_decides(m);
	else
		hc_end_say(m, HC_UNSAID_STOP);
}

void hc_stop_note(struct hc_member *m, const struct hc_end *stop)
{
	stop_note(m, stop, -1);
}

void hc_part_came(struct hc_member *m, u64 nr)
{
	const struct hc_end *stop = m->gen.stop;

	if (stop[HC_STOP_SOFT].nr <= nr)
		stop_counts(m, &stop[HC_STOP_SOFT]);
	else if (stop[HC_STOP_IDLE].nr <= nr && !hc_has_root(m) &&
		 !hc_process_serves(m))
		stop_counts(m, &stop[HC_STOP_IDLE]);
}

/* Return: the first operation of which source @i has not sent all its data. */
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
	hc_source_moved(m, i);
	hc_member_again(m);
	hc_stop_note(m, &cause);
}

void hc_over_again(struct hc_member *m, const struct hc_tree_peer *peer)
{
	bool below = hc_src_index(m, peer->node) >= 0;
	struct hc_end over = m->gen.last;

	if (!below)
		over.flags |= HC_STOP_F_NO_DATA;
	hc_end_word_send(m, peer, below ? HC_FRAME_END : HC_FRAME_STOP, m->gen.count - 1, &over);
}

void hc_over(struct hc_member *m, struct hc_end cause)
{
	cause.flags = HC_STOP_F_OVER;
	cause.nr = m->head;
	m->gen.cut = cause;
	hc_stop_note(m, &cause);
}

void hc_cut_above(struct hc_member *m, struct hc_end cause)
{
	if (m->gen.broken)
		return;
	cause.flags = HC_STOP_F_OVER;
	cause.nr = hc_first_open(m);
	m->gen.end = cause;
	m->gen.ended = U64_MAX;
	/* This drops data of these operations that has been received from above. */
	hc_ops_fall(m, cause.nr);
	hc_end_go_on(m);
}

/* Return: true if the root has sent the whole result of operation @nr to at least one source. */
static bool is_sent_down(const struct hc_member *m, u64 nr)
{
	const struct hc_op *op = m->ops[nr % HC_OP_WINDOW];
	unsigned int i;

	if (!op || op->nr != nr)
		return false;
	for (i = 0; i < m->role.nsrc; i++)
		if (op->src[i].last_down)
			return true;
	return false;
}

bool hc_on_way_down(const struct hc_member *m, u64 nr)
{
	if (hc_member_is_root(m))
		return is_sent_down(m, nr);
	return nr < m->head || m->plan->ops->ack->way == HC_ACK_UP;
}

/* ------------------------------------------------------------ frames */

static int dst_index(const struct hc_member *m, u32 node)
{
	unsigned int i;

	for (i = 0; i < m->role.ndst; i++)
		if (m->role.dst[i].node == node)
			return i;
	return -1;
}

/* Return: true if the plan is guarded, and @stop was sent because a process has left. */
static bool of_leaver(const struct hc_member *m, const struct hc_end *stop)
{
	return m->guard && stop->status == ECONNRESET && !(stop->flags & HC_STOP_F_NO_DATA);
}

/* Process the STOP of a source. The root also accepts STOP from a node that is no member, but on
 * the path of a failed detour (stop_route() in coll/link_fault.c); such a STOP has no operation
 * number.
 */
unsigned int hc_stop_rx(struct hc_member *m, const struct sk_buff *skb, struct hc_end *stop)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	u32 src = be16_to_cpu(hdr->src);
	s32 ahead = be32_to_cpu(hc_wire_stop_of(skb)->gen) - m->gen.count;
	int i = hc_src_index(m, src);

	if (!hc_has_root(m))
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if (hc_member_is_root(m) && !hc_set_has(m->plan->members, src) &&
	    hc_ways_cross(m->plan, src) && hdr->flags & HC_FRAME_F_ROUTED) {
		stop->nr = m->head;
		stop->flags = HC_STOP_F_OVER;
		m->gen.cut = *stop;
	} else if (i < 0 || ahead > 0) {
		return HYPERCUBE_A_DROP_UNEXPECTED;
	} else if (ahead < 0 && (!(stop->flags & HC_STOP_F_OVER) || of_leaver(m, stop))) {
		/* The END with which the root has answered this STOP has been received. */
		return 0;
	}
	if (stop->flags & HC_STOP_F_NO_DATA && stop->flags & HC_STOP_F_OVER && i >= 0) {
		hc_plan_breaks(m, stop);
		hc_cut_below(m, i, *stop);
		return 0;
	}
	stop->flags &= HC_STOP_F_OVER | HC_STOP_F_SOFT | HC_STOP_F_IDLE;
	/* An operation below .done, which is complete at this member, may be incomplete at the
	 * sender.
	 */
	stop->nr = max(stop->nr, m->done);
	if (stop->nr > m->done + 2 * HC_OP_WINDOW)
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if (stop->flags & HC_STOP_F_OVER) {
		stop->flags = HC_STOP_F_OVER;
		/* The leave of a process may not break the plan: an END may be in flight, and
		 * another process may contribute in the next generation.
		 */
		if (!of_leaver(m, stop))
			hc_plan_breaks(m, stop);
	}
	stop_note(m, stop, i);
	return 0;
}

/* Process the END of a destination. */
unsigned int hc_end_rx_down(struct hc_member *m, u32 src, s32 ahead, struct hc_end *end)
{
	int i = dst_index(m, src);

	if (i < 0 || ahead > 1 || (ahead == 1 && end->nr <= m->gen.end.nr) ||
	    (!ahead && end->nr < hc_first_open(m) && !(end->flags & HC_STOP_F_OVER)))
		return HYPERCUBE_A_DROP_UNEXPECTED;
	end->nr = max(end->nr, hc_first_open(m));
	if (ahead < 0 || m->gen.broken)
		return HYPERCUBE_A_DROP_ENDED;
	end->flags &= HC_STOP_F_OVER | HC_STOP_F_UNBEGUN;
	if (ahead) {
		hc_early_note(m, end, i);
		if (end->flags & HC_STOP_F_OVER)
			pending_over(m, end);
		return 0;
	}
	m->gen.ended |= BIT_ULL(i);
	if (m->gen.end.nr == end->nr && end->flags & HC_STOP_F_OVER)
		m->gen.end = *end;
	/* The ENDs of all destinations have the same operation number, unless one of them is
	 * Byzantine. But when the plan is over, the END of each destination has the number of the
	 * first operation of which this destination has no result.
	 */
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
		hc_ops_fall(m, end->nr);
	}
	hc_results_advance(m);
	hc_end_go_on(m);
	return 0;
}
