// SPDX-License-Identifier: GPL-2.0
/*
 * How operations fail in plans without a root: END is flooded along all edges. See coll/end.c.
 *
 * A member whose process has left sends END when it receives data of an operation to which it will
 * not contribute. It receives such data at the latest when all other members have contributed: in a
 * ring, the data of each member passes all members. In recursive doubling, a member that waits has
 * sent its data to the peer for which it waits, and this peer is either the member whose process
 * has left, or waits itself at an earlier stage. Before that, no END is sent and the members wait,
 * since another process may take over the member.
 */
#include "coll/coll.h"
#include "coll/end.h"
#include "coll/ring/ring_repair.h"

void hc_flood_stop(struct hc_member *m, enum hc_stop kind, const struct hc_end *stop)
{
	if (kind != HC_STOP_HARD) {
		hc_end_join(&m->gen.stop[kind], stop);
		return;
	}
	hc_end_note(m, stop);
	hc_end_go_on(m);
}

void hc_idle_over(struct hc_member *m)
{
	/* In a plan with a root, the STOP has been sent and cannot be discarded. */
	if (hc_has_root(m))
		return;
	m->user.idles = false;
	hc_end_none(&m->gen.stop[HC_STOP_IDLE]);
}

void hc_end_note(struct hc_member *m, const struct hc_end *end)
{
	struct hc_end least = *end;

	/* Only a peer that violates the protocol sends an END below .done. Then some members have a
	 * result that others will never get, so the plan is over.
	 */
	if (least.nr < m->done) {
		least.nr = m->done;
		least.flags |= HC_STOP_F_OVER;
	}
	if (least.flags & HC_STOP_F_OVER && m->plan->repairs) {
		hc_broke(m, &least);
		return;
	}
	if (!hc_end_join(&m->gen.end, &least))
		return;
	hc_ops_fall(m, m->gen.end.nr);
	hc_end_say(m, HC_UNSAID_END);
}

void hc_broke(struct hc_member *m, const struct hc_end *cause)
{
	struct hc_end end = *cause;
	bool news = !m->gen.broken;

	end.flags = HC_STOP_F_OVER;
	if (!m->plan->repairs) {
		end.nr = m->done;
		if (news) {
			hc_end_note(m, &end);
			hc_end_go_on(m);
		}
		return;
	}
	if (news) {
		end.nr = m->done;
		m->gen.broken = true;
		m->gen.last = end;
		/* If this node has failed, the other members go on without it, and may have
		 * repaired the plan before this node detects that its links are down. So this node
		 * does not report that the plan is broken.
		 */
		if (!READ_ONCE(m->node->failed))
			hc_plan_breaks(m, &end);
	}
	hc_repair_stop(m, news);
	/* Members that do not receive this END are notified of the failure by the repair
	 * coordinator.
	 */
	if (news)
		hc_end_down(m, m->gen.count, &end);
}

/* ------------------------------------------------------------ frames */

unsigned int hc_end_rx_peer(struct hc_member *m, u32 src, s32 ahead, struct hc_end *end)
{
	int i = hc_src_index(m, src);

	if (i < 0 || ahead > 1)
		return HYPERCUBE_A_DROP_UNEXPECTED;
	end->flags &= HC_STOP_F_OVER;
	if (m->plan->repairs && !end->flags)
		hc_repair_saw_data(m);
	if (end->flags && m->plan->repairs) {
		hc_broke(m, end);
		return 0;
	}
	/* An END with OVER is valid in each generation, since no operation follows it. The plan is
	 * also over if the peer has ended the last generation at a lower number than this member,
	 * since this member and the peer would go on with different numbers.
	 */
	if (ahead == -1 && end->nr < m->gen.last.nr)
		end->flags |= HC_STOP_F_OVER;
	if (m->gen.broken || hc_member_holds(m) || (ahead < 0 && !end->flags))
		return HYPERCUBE_A_DROP_ENDED;
	if (ahead < 0)
		end->nr = m->done;
	if (ahead > 0) {
		hc_early_note(m, end, i);
		return 0;
	}
	m->gen.ended |= BIT_ULL(i);
	hc_end_note(m, end);
	hc_end_go_on(m);
	return 0;
}
