/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The resume decision of the repair coordinator of rings: whether operations go on after a repair,
 * and from which chunk. It follows from the members' answers: ring_decision.c.
 */
#ifndef _HC_RING_DECISION_H
#define _HC_RING_DECISION_H

#include <linux/types.h>

#include "wire.h"

/* Number of operations, counted from a member's current one, of which the member may have sent
 * something: the current one, and the next if the member has gone back from it.
 */
#define HC_DECISION_SENT_MAX	2

/* A chunk: number of its operation, and offset in each message. */
struct hc_decision_at {
	u64 nr;
	u64 offset;
};

/**
 * struct hc_decision - the decision that the answers so far allow
 * @any: at least one answer was added
 * @misfit: the answers contradict each other: all operations end
 * @two: some members work on @high, the chunk after @low
 * @back: the members that work on @low could go back to @prev; used as long as no member works
 *	on another chunk
 * @low: the first chunk that is not complete at all members
 * @high: the chunk after @low; valid with @two
 * @prev: the chunk before @low; valid with @back
 * @line: ballots of the attempts that every answer names, either as the last in which data was
 *	sent or as the last that gave the member an assignment
 * @nline: number of entries in @line; the first is the attempt from whose rings all members go on
 * @fresh: the first operation of which no member has sent anything
 */
struct hc_decision {
	bool any;
	bool misfit;
	bool two;
	bool back;
	struct hc_decision_at low;
	struct hc_decision_at high;
	struct hc_decision_at prev;
	u64 line[2];
	u8 nline;
	u64 fresh;
};

/**
 * hc_decision_add() - take a member's answer into account (ANSWER)
 * @v: the decision
 * @flags: flags of the answer
 * @w: contents of the answer
 */
void hc_decision_add(struct hc_decision *v, u8 flags, const struct hc_wire_repair_ops *w);

/**
 * hc_decision_fill() - fill in the chunk from which operations go on (ASSIGN)
 * @v: the decision
 * @w: the message
 */
void hc_decision_fill(const struct hc_decision *v, struct hc_wire_repair_ops *w);

/* Do the operations under way go on? Valid when all members have answered. */
static inline bool hc_decision_resumes(const struct hc_decision *v)
{
	return v->any && !v->misfit && v->nline;
}

#endif /* _HC_RING_DECISION_H */
