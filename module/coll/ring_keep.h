/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What members of a plan of rings that mends itself keep of the operations under way, so that
 * these go on when it is mended: ring_keep.c.  In other plans nothing is kept.  All of it is
 * [poll].
 */
#ifndef _HC_RING_KEEP_H
#define _HC_RING_KEEP_H

#include <linux/types.h>

#include "coll/coll.h"
#include "coll/ring.h"
#include "coll/ring_mend.h"

/* NULL: the plan does not mend itself. */
static inline struct hc_ring_keep *hc_keep_of(const struct hc_member *m)
{
	struct hc_mend *s = hc_ring_member(m)->mend;

	return s ? &s->keep : NULL;
}

/* --- for ring.c --- */
/* Must nothing be worked on until the plan is mended? */
static inline bool hc_keep_holds(const struct hc_member *m)
{
	const struct hc_mend *s = hc_ring_member(m)->mend;

	return s && (m->gen.broken || s->phase == MEND_PLACED);
}

/* Has the member sent its part of the slice at hand before the rings were mended? */
bool hc_keep_has_own(const struct hc_member *m, const struct hc_op *op);
/* That part, or else the next one that the process has given, which there is; NULL: no memory. */
struct sk_buff *hc_keep_own(struct hc_member *m, struct hc_op *op);
/* The slice at hand is through. */
void hc_keep_over(struct hc_member *m);
/* Was the process given the part of node @u before, or now? */
static inline bool hc_keep_gave_before(const struct hc_member *m, u32 u)
{
	const struct hc_ring_keep *k = hc_keep_of(m);

	return k && hc_set_has(k->slice[k->cur].gave, u);
}

static inline void hc_keep_gave(const struct hc_member *m, u32 u)
{
	struct hc_ring_keep *k = hc_keep_of(m);

	if (k)
		hc_set_add(k->slice[k->cur].gave, u);
}

/* The operation at hand is through: whose blocks does its result lack, or who may lack this one's,
 * if the process wants to be told that?  NULL: nobody.
 */
const u32 *hc_keep_missing(const struct hc_member *m, const struct hc_op *op);

/* --- for ring_mend.c --- */
/* The plan is broken: what has come waits for nobody any more. */
void hc_keep_stop(struct hc_member *m);
/* All that was under way has ended. */
void hc_keep_end(struct hc_member *m);
/* Fill in what the master is told (ASKED). */
void hc_keep_tell(struct hc_member *m, struct hc_wire_mend *w);
/* Numbers go on at .plan.op, with what is under way, as the master says (PLACE).  False: it cannot,
 * or there is no memory; then nothing has changed.
 */
bool hc_keep_resume(struct hc_member *m, const struct hc_wire_mend *w);
/* Data goes in the rings that the member was placed in. */
void hc_keep_went(struct hc_member *m);
/* Room for the set of the members of new rings, which no result is about. */
u32 *hc_keep_set_free(const struct hc_member *m);
/* The member has its place in them. */
void hc_keep_place(struct hc_member *m, const struct hc_wire_mend *w);

#endif /* _HC_RING_KEEP_H */
