/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The resume decision of the repair coordinator of rings: whether operations go on after a repair,
 * and from which chunk. It is computed from the members' answers: ring_decision.c.
 */
#ifndef _HC_RING_DECISION_H
#define _HC_RING_DECISION_H

#include <linux/types.h>

#include "wire.h"

/* Number of operations of which a member may have sent frames, from its current operation on: these
 * are the current one and, if the member has gone back from it, the next one.
 */
#define HC_DECISION_SENT_MAX	2

/* A chunk: the number of its operation, and its offset in each message. */
struct hc_decision_at {
	u64 nr;
	u64 offset;
};

/**
 * struct hc_decision - the decision that follows from the answers that have been added
 * @any: true if an answer has been added
 * @misfit: true if the answers do not fit each other, so that all operations end
 * @two: true if some members work on @high, the chunk after @low
 * @back: true if all members that work on @low can go back to @prev; used as long as all members
 *	work on the same chunk
 * @low: the first chunk that is not complete at all members
 * @high: the chunk after @low; valid with @two
 * @prev: the chunk before @low; valid with @back
 * @line: ballots of the attempts that are in all answers, as the last one in which data was sent or
 *	as the last one in which the member got an assignment
 * @nline: number of entries in @line; the first is the attempt from whose rings all members go on
 * @fresh: the first operation of which no member has sent frames
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
 * hc_decision_add() - add a member's answer (ANSWER) to the decision
 * @v: the decision
 * @flags: flags of the answer
 * @w: contents of the answer
 */
void hc_decision_add(struct hc_decision *v, u8 flags, const struct hc_wire_repair_ops *w);

/**
 * hc_decision_fill() - put the chunk from which operations go on into a message (ASSIGN)
 * @v: the decision
 * @w: the message
 */
void hc_decision_fill(const struct hc_decision *v, struct hc_wire_repair_ops *w);

/* Return: true if the operations under way go on. To be called when all members have answered. */
static inline bool hc_decision_resumes(const struct hc_decision *v)
{
	return v->any && !v->misfit && v->nline;
}

#endif /* _HC_RING_DECISION_H */
