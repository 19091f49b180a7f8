// SPDX-License-Identifier: GPL-2.0
/*
 * How operations fail in plans without a root: END goes along all edges.  See coll/end.c.
 */
#include "coll/coll.h"
#include "coll/end.h"
#include "coll/ring_mend.h"

void hc_end_note(struct hc_member *m, const struct hc_end *end)
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
	if (!m->plan->mends) {
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
		/* The others go on without a node that has failed, and may have mended the plan
		 * before it hears of its links.
		 */
		if (!READ_ONCE(m->node->failed))
			hc_plan_breaks(m, &end);
	}
	hc_mend_stop(m, news);
	/* Who does not hear of it now asks the master. */
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
		hc_early_note(m, end, i);
		return 0;
	}
	m->gen.ended |= BIT_ULL(i);
	hc_end_note(m, end);
	hc_end_go_on(m);
	return 0;
}
