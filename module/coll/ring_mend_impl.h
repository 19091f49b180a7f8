/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files share that mend plans of rings: ring_mend.c, ring_desk.c, ring_mend_fits.c.  All
 * of it is [poll].
 */
#ifndef _HC_RING_MEND_IMPL_H
#define _HC_RING_MEND_IMPL_H

#include "coll/coll.h"
#include "coll/ring.h"
#include "coll/ring_mend.h"

/* The low bits of a ballot name its master, those above count attempts. */
static inline u32 hc_mend_master(u64 ballot)
{
	return ballot & U16_MAX;
}

static inline u64 hc_mend_attempt(u64 ballot)
{
	return ballot >> 16;
}

static inline struct hc_mend *hc_mend_of(const struct hc_member *m)
{
	return hc_ring_member(m)->mend;
}

/* What is behind ASKED and PLACE. */
static inline struct hc_wire_mend_ops *hc_mend_ops_of(const struct hc_wire_mend *w)
{
	return (void *)(w + 1);
}

/* What is behind that in PLACE. */
static inline struct hc_wire_mend_way *hc_mend_ways_of(const struct hc_wire_mend *w)
{
	return (void *)(hc_mend_ops_of(w) + 1);
}

/* Bytes of a set of members. */
static inline size_t hc_mend_set_size(const struct hc_plan *plan)
{
	return hc_set_words(plan->fabric->dim) * sizeof(u32);
}

/* --- ring_mend.c --- */
/* The lowest member that can be reached, and how many can; @alive, if not NULL: all of them.
 * False: no memory.
 */
bool hc_mend_reached(const struct hc_member *m, u32 *lowest, u32 *alive, u32 *n);
/* A frame with room for @len bytes more, or NULL. */
struct sk_buff *hc_mend_word(const struct hc_member *m, u8 what, u64 ballot, u64 nr, u32 len);
/* A frame to this node itself goes without a link.  Consumes; NULL: it is said again a second
 * later.
 */
void hc_mend_send(struct hc_member *m, u32 dst, struct sk_buff *skb);

/* --- ring_desk.c --- */
void hc_desk_free(const struct hc_plan *plan, struct hc_mend *s);
/* Begin the next attempt, if this is the master. */
void hc_desk_begin(struct hc_member *m);
/* All may have answered, or the attempt be of no use. */
void hc_desk_go_on(struct hc_member *m);
/* News of links, or @late: a second has passed.  True: the next attempt has begun. */
bool hc_desk_tend(struct hc_member *m, bool late);
/* A member has answered. */
void hc_desk_answer(struct hc_member *m, u32 src, const struct hc_wire_mend *w);
/* It has none of that: the node @src does not have the plan. */
void hc_desk_without(struct hc_member *m, u32 src);
/* The plan is broken at @src, which takes this member for the master. */
void hc_desk_help(struct hc_member *m, u32 src, const struct hc_wire_mend *w);

/* --- ring_mend_fits.c --- */
/* May @src say that, with @len bytes behind it?  0, or why it is dropped. */
unsigned int hc_mend_fits(const struct hc_member *m, u32 src, const struct hc_wire_mend *w,
			  u32 len);

#endif /* _HC_RING_MEND_IMPL_H */
