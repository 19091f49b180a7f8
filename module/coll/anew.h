/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes that come after a failure, and those that were there.
 */
#ifndef _HC_COLL_ANEW_H
#define _HC_COLL_ANEW_H

#include <linux/minmax.h>

#include "coll/coll.h"

/* Is the next contribution answered with a failure that the process has not heard of?  Those below
 * the failed range are still owed to the others.
 */
static inline bool hc_resets(const struct hc_member *m)
{
	return m->next >= m->reset_from;
}

static inline void hc_reset_forget(struct hc_member *m)
{
	m->reset_from = HC_RESET_NONE;
}

/* Operations from @nr on have failed, of which the member's process has not been told. */
static inline void hc_reset_note(struct hc_member *m, u64 nr)
{
	m->reset_from = min(m->reset_from, nr);
}

/* Was there a failure before operation @nr, and has the process of the sockets of @group come
 * after it?  0: that process has not come yet.
 */
bool hc_came_anew(const struct hc_member *m, u64 nr, u64 group);
/* Was the process of the sockets of @group there when all before the member's next operation
 * failed?
 */
bool hc_saw_failure(const struct hc_member *m, u64 group);
/* Is operation @nr one of processes that have come after a failure? */
bool hc_is_of_new(struct hc_member *m, u64 nr);
/* A peer asks for an operation: HC_PROBE_F_NEW tells whose it is there. */
void hc_new_note(struct hc_member *m, const struct hc_tree_peer *peer, bool above,
		 const struct hc_wire_probe *w);

#endif /* _HC_COLL_ANEW_H */
