// SPDX-License-Identifier: GPL-2.0
/*
 * Credits for frames that are sent up in a fabric that spans machines.
 *
 * In memory a frame that is sent up stays charged to the socket that filled it until the receiver
 * has processed it. So the send buffer bounds the frames that wait for a member whose process is
 * late. A frame that has left the machine is not charged to that socket any more, and its receiver
 * has room for HC_UP_WINDOW segments of a source in each operation (hc_stream_push()). So a member
 * of such a fabric may be HC_UP_WINDOW segments ahead of what its destination has processed, and
 * only UP_FIRST before the destination has processed any: since the destination may be behind by a
 * whole window of operations, the smaller number limits the segments that wait there. Only a gather
 * has short contributions in many frames, those of many members; UP_SHORT of such frames take no
 * more memory than HC_UP_WINDOW full segments. All members follow this rule, since neither end of a
 * detour knows which machines the detour crosses.
 *
 * No member waits for ever. A receiver sends CREDIT when it has processed the first frame, and then
 * each time that it has processed half a window. A member that waits has sent all that it may.
 * Either the destination has not processed all of that, and then does not wait for this member; or
 * it has processed all, and the CREDIT for that is in flight. Links lose nothing, and an operation
 * for whose CREDIT there is no memory fails.
 */
#include "coll/coll.h"
#include "coll/credit_up.h"

#define UP_FIRST	2
/* Even. These frames take at most 2,304 bytes each, headers included. */
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
