/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Can operations go on when a plan of rings is mended, and from where?  The master's verdict, from
 * what the members have told it: ring_verdict.c.
 */
#ifndef _HC_RING_VERDICT_H
#define _HC_RING_VERDICT_H

#include <linux/types.h>

#include "wire.h"

/* Of how many operations, from the one that a member works on, something may have been sent: of
 * that one, and of the next one if it has gone back.
 */
#define HC_VERDICT_SENT_MAX	2

struct hc_verdict_at {
	u64 nr;
	u64 offset;
};

/**
 * struct hc_verdict - what the answers so far allow
 * @any: there was one
 * @misfit: they do not fit: all ends
 * @two: some members work on the slice behind @low
 * @back: those that work on @low, as long as nobody works on another one, could go back to @prev
 * @low: the first slice that is not through everywhere
 * @high: the one behind it, valid with @two
 * @prev: the one before, valid with @back
 * @line: attempts of which each member has said that it is the last in which data went, or in which
 *	it was placed
 * @nline: how many; the first is the one whose rings all come from
 * @fresh: the first operation of which nobody has sent anything
 */
struct hc_verdict {
	bool any;
	bool misfit;
	bool two;
	bool back;
	struct hc_verdict_at low;
	struct hc_verdict_at high;
	struct hc_verdict_at prev;
	u64 line[2];
	u8 nline;
	u64 fresh;
};

/* Take an answer (ASKED). */
void hc_verdict_add(struct hc_verdict *v, u8 flags, const struct hc_wire_mend_ops *w);
/* Say from where operations go on (PLACE). */
void hc_verdict_fill(const struct hc_verdict *v, struct hc_wire_mend_ops *w);

/* All have answered: does what is under way go on? */
static inline bool hc_verdict_resumes(const struct hc_verdict *v)
{
	return v->any && !v->misfit && v->nline;
}

#endif /* _HC_RING_VERDICT_H */
