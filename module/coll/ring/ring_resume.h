/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data that members of a plan with REPAIR store of the operations under way, so that these can
 * be resumed after a ring repair: ring_resume.c. Only the poll of the member's node accesses it.
 */
#ifndef _HC_RING_RESUME_H
#define _HC_RING_RESUME_H

#include <linux/types.h>

#include "coll/coll.h"
#include "coll/ring/ring.h"
#include "coll/ring/ring_repair.h"

/* Return: this data of @m; NULL if its plan has no REPAIR. */
static inline struct hc_ring_resume *hc_resume_of(const struct hc_member *m)
{
	struct hc_repair *s = hc_ring_member(m)->repair;

	return s ? &s->resume : NULL;
}

/* --- for ring.c --- */
/* Return: true if the operations of @m must wait until the plan is repaired. */
static inline bool hc_resume_holds(const struct hc_member *m)
{
	const struct hc_repair *s = hc_ring_member(m)->repair;

	return s && (m->gen.broken || s->phase == REPAIR_ASSIGNED);
}

/**
 * hc_resume_has_own() - check whether the member has sent its segment of the current chunk before a
 *	repair
 * @m: the member
 * @op: the operation
 *
 * Return: true if it has; then the stored segment is sent again.
 */
bool hc_resume_has_own(const struct hc_member *m, const struct hc_op *op);

/**
 * hc_resume_own() - return the member's own segment of the current chunk
 * @m: the member
 * @op: the operation
 *
 * Return: a copy of the stored segment, if there is one; else the next segment from the process,
 * which must be in the queue; NULL if there is no memory.
 */
struct sk_buff *hc_resume_own(struct hc_member *m, struct hc_op *op);

/**
 * hc_resume_over() - move on to the next chunk, when the current one is complete at this member
 * @m: the member
 */
void hc_resume_over(struct hc_member *m);

/* Return: true if the segment of node @u of the current chunk has been passed to the process,
 * before or after a repair.
 */
static inline bool hc_resume_gave_before(const struct hc_member *m, u32 u)
{
	const struct hc_ring_resume *k = hc_resume_of(m);

	return k && hc_set_has(k->chunk[k->cur].gave, u);
}

static inline void hc_resume_gave(const struct hc_member *m, u32 u)
{
	struct hc_ring_resume *k = hc_resume_of(m);

	if (k)
		hc_set_add(k->chunk[k->cur].gave, u);
}

/**
 * hc_resume_missing() - find the blocks that the result of the current operation lacks
 * @m: the member
 * @op: the operation. If its process has requested a notification, members that have left the rings
 *	are treated as missing, since they may not have this member's block
 *
 * Return: the set of the members whose blocks are missing, or NULL if none is missing.
 */
const u32 *hc_resume_missing(const struct hc_member *m, const struct hc_op *op);

/* --- for ring_repair.c --- */

/**
 * hc_resume_stop() - drop the frames that wait in the streams of sources, after the plan has broken
 * @m: the member
 */
void hc_resume_stop(struct hc_member *m);

/**
 * hc_resume_end() - drop all stored data, when the operations that were under way have ended
 * @m: the member
 */
void hc_resume_end(struct hc_member *m);

/**
 * hc_resume_answer() - fill in the member's answer to the coordinator (ANSWER)
 * @m: the member
 * @w: the message
 */
void hc_resume_answer(struct hc_member *m, struct hc_wire_repair *w);

/**
 * hc_resume_apply() - resume the operations under way as the coordinator has decided (ASSIGN)
 * @m: the member
 * @w: the message; the oldest operation gets the number in its .plan.op
 *
 * Return: false if the member cannot do that, or there is no memory; nothing has changed then.
 */
bool hc_resume_apply(struct hc_member *m, const struct hc_wire_repair *w);

/**
 * hc_resume_ran() - record that data is sent in the rings of the member's last assignment
 * @m: the member
 */
void hc_resume_ran(struct hc_member *m);

/**
 * hc_resume_set_free() - find memory for a set of members that is used for no result
 * @m: the member
 *
 * Return: the memory, in which the caller stores the set of the members in the new rings.
 */
u32 *hc_resume_set_free(const struct hc_member *m);

/**
 * hc_resume_assigned() - record that the member has its assignment in the new rings
 * @m: the member
 * @w: the message (ASSIGN)
 */
void hc_resume_assigned(struct hc_member *m, const struct hc_wire_repair *w);

#endif /* _HC_RING_RESUME_H */
