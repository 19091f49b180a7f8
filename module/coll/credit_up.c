// SPDX-License-Identifier: GPL-2.0
/*
 * Credits for frames that are sent up in a fabric that spans machines.
 *
 * Within a machine, a frame that is sent up stays charged to the socket that has filled it until
 * the receiver has processed it. So the send buffer limits the frames that wait at a member whose
 * process has not contributed yet. A frame that has left the machine is not charged to that socket
 * any more, and its receiver has room for HC_UP_WINDOW segments of each source in each operation
 * (hc_stream_push()). So a member of a fabric that spans machines may send HC_UP_WINDOW segments of
 * an operation more than its destination has processed, but only UP_FIRST before the destination
 * has processed the first one: the destination may not have begun any operation of the whole
 * window, and the smaller number limits the segments that wait there. Only a gather sends many
 * short frames, those of many members; UP_SHORT of such frames take no more memory than
 * HC_UP_WINDOW full segments. All members obey these limits, since neither end of a detour knows
 * which machines the detour crosses.
 *
 * No member waits for ever. A receiver sends CREDIT when it has processed the first frame, and then
 * after each half of a window. A member that waits has sent as many frames as it may. Either its
 * destination has not processed all of them, and then it does not wait for this member; or it has
 * processed all, and the CREDIT for them is in flight. Links lose no frames, and an operation fails
 * if there is no memory for its CREDIT.
 */
#include "coll/coll.h"
#include "coll/credit_up.h"

#define UP_FIRST	2
/* Even. Each of these frames takes at most 2,304 bytes, including headers. */
#define UP_SHORT	24

static bool is_short(const struct hc_op *op)
{
	return op->total <= HC_INLINE_MAX;
}

static u32 window(const struct hc_op *op, u32 taken)
{
	if (is_short(op))
		return UP_SHORT;
	return taken ? HC_UP_WINDOW : UP_FIRST;
}

bool hc_up_may(struct hc_member *m, struct hc_op *op)
{
	unsigned int i;

	if (hc_is_whole(m->node->fabric))
		return true;
	for (i = 0; i < m->role.ndst; i++)
		if (op->out[i].sent - op->out[i].taken >= window(op, op->out[i].taken)) {
			hc_wait(m, op, HYPERCUBE_WAIT_CREDIT, m->role.dst[i].node);
			return false;
		}
	return true;
}

bool hc_up_took(struct hc_member *m, struct hc_op *op, unsigned int i)
{
	u32 taken;

	if (hc_is_whole(m->node->fabric) || op->src[i].last)
		return true;
	taken = hc_taken(m, m->src[i].node, op->nr);
	if ((taken != 1 || is_short(op)) && taken % (window(op, taken) / 2))
		return true;
	return hc_credit_return(m, op, &m->src[i]);
}
