// SPDX-License-Identifier: GPL-2.0
/*
 * Processes that come after a failure, and those that were there.
 *
 * Runs of a program follow each other over a plan; all that tells them apart is a failure between
 * them, as the leaving of a process is one.  Those that were there with a process that is gone hear
 * that it is; those that came later wait for one that comes, too (coll/stall.c).
 *
 * Whether a process came later is decided when it begins an operation: some of its run may leave
 * before that is complete, which fails what is behind it.  So a member remembers two failures, the
 * last one and the one before the operations that lie between them.  A process came when the first
 * of its sockets did (hc_sock.group).  One that was there before tells those that it waits for by
 * asking without HC_PROBE_F_NEW.
 */
#include "coll/anew.h"
#include "sock/result.h"

/* Where the last failure before operation @nr ends, or 0.  @seen_by: hc_member.seen_by of it. */
static u64 failed_before(const struct hc_member *m, u64 nr, u64 *seen_by)
{
	bool last = m->abort_to && nr >= m->abort_to;

	*seen_by = last ? m->seen_by : m->passed_seen_by;
	if (last)
		return m->abort_to;
	return nr >= m->passed.to ? m->passed.to : 0;
}

bool hc_came_anew(const struct hc_member *m, u64 nr, u64 group)
{
	u64 seen_by;

	return failed_before(m, nr, &seen_by) && (!group || group > seen_by);
}

bool hc_is_of_new(struct hc_member *m, u64 nr)
{
	const struct hc_op *op = hc_member_op(m, nr);
	const struct sock *sk = hc_sock_serving(m);

	if (op && op->nr == nr && (op->begun || op->old))
		return op->anew && !op->old;
	return hc_came_anew(m, nr, sk ? hc_sock_group(sk) : 0);
}

bool hc_saw_failure(const struct hc_member *m, u64 group)
{
	u64 seen_by;

	return failed_before(m, m->next, &seen_by) == m->next && group <= seen_by;
}

void hc_new_note(struct hc_member *m, const struct hc_tree_peer *peer, bool above,
		 const struct hc_wire_probe *w)
{
	struct hc_op *op = hc_member_op(m, be64_to_cpu(w->plan.op));
	size_t i = above ? m->role.nsrc + (peer - m->role.dst) : peer - m->src;
	u64 bit = BIT_ULL(min_t(size_t, i, 63));

	if (!op || op->nr != be64_to_cpu(w->plan.op))
		return;
	if (be32_to_cpu(w->flags) & HC_PROBE_F_NEW)
		op->old &= ~bit;
	else
		op->old |= bit;
}
