// SPDX-License-Identifier: GPL-2.0
/*
 * Credits on the way up in a fabric that spans machines.
 *
 * In memory a frame on its way up is charged to the socket that filled it until it is taken. So the
 * send buffer bounds what waits for a member whose process is late. A frame that has left the
 * machine is not charged to that socket any more, and its receiver has room for HC_UP_WINDOW
 * segments of a source in each operation (hc_stream_push()). So a member of such a fabric may be
 * HC_UP_WINDOW segments ahead of what its destination has taken, and only UP_FIRST before the
 * destination has taken any: the destination may be behind by as many operations as the window has,
 * and then less waits there. Short contributions are in many frames only where those of many
 * members are gathered; UP_SHORT of them take no more room. All members follow this rule, since
 * neither end of a detour knows which machines it crosses.
 *
 * No member waits for ever. A receiver sends CREDIT when it has taken the first frame, and then
 * each time that it has taken half a window. A member that waits has sent all that it may. Either
 * some of that is not taken yet, and the destination does not wait for this member; or all of it is
 * taken, and the CREDIT that says so is on its way. Links lose nothing, and an operation for whose
 * CREDIT there is no memory fails.
 */
#include "coll/coll.h"
#include "coll/up.h"

#define UP_FIRST	2
/* Even. With their headers such frames take 2,304 bytes each at most. */
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
