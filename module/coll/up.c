// SPDX-License-Identifier: GPL-2.0
/*
 * Credits on the way up in a fabric that spans machines.
 *
 * In memory a frame on its way up is charged to the socket that filled it until it is taken, so
 * the send buffer bounds what waits for a member whose process is late.  What has left the
 * machine is charged to that socket no more, and the receiver has room for HC_UP_WINDOW segments
 * of a source in each operation (hc_stream_push()).  So a member of such a fabric sends no more
 * than that ahead of what its destination has taken, and UP_FIRST before that has taken any: it
 * may be behind by as many operations as the window has, and what waits there for it is then
 * that much less.  Of short contributions, which are in many frames only where those of many
 * members are gathered, UP_SHORT take no more room.  All members do so, since neither end of a
 * detour knows which machines it crosses.
 *
 * Nobody waits for ever.  A receiver tells when it has taken the first frame, and then each time
 * that it has taken half a window.  A member that waits has sent all that it may, so either some of
 * that is not taken yet, and the destination does not wait for this member; or all is, and the
 * word that it was is on its way.  Links lose nothing, and an operation for whose word there is no
 * memory fails.
 */
#include "coll/coll.h"
#include "coll/up.h"

#define UP_FIRST	2
/* Even.  With their headers they take 2,304 bytes each at most. */
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
		if (op->sent[i] - op->taken[i] >= window(op, op->taken[i])) {
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
