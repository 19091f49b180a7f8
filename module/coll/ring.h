/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans of rings: what their members know (plan_ring.c) and what they do with it (ring.c).
 *
 * Each direction of a link belongs to one ring, and so does what comes by it: source i of a
 * member is the neighbour over one of its links, and what comes from there either is what the
 * member before this one in a ring sends, or is on its way back along the ring from the last
 * member to the first (a relay).
 */
#ifndef _HC_RING_KERNEL_H
#define _HC_RING_KERNEL_H

#include <linux/types.h>
#include <linux/hypercube.h>

#include "coll/coll.h"

struct hc_mend;
struct hc_ring_places;
struct hc_ring_tree;

/**
 * struct hc_ring_way - what comes from one source
 * @next: the member after this one in the ring
 * @seen: how many words (HC_DATA_F_SEEN) will come that say that a message has been seen beyond
 * @came: position of the ring's link by which it comes, see hc_ring_tour()
 * @leaves: and of that by which it goes on
 * @out: index of the source to which it goes on
 * @used: something comes at all
 * @relay: it is not for this member, only passes by
 * @back: it goes against the ring's direction: a message that goes both ways
 */
struct hc_ring_way {
	u32 next;
	u32 seen;
	u16 came;
	u16 leaves;
	u8 out;
	bool used;
	bool relay;
	bool back;
};

/**
 * struct hc_ring_member - a member in its rings
 * @got: set of the members whose part of the slice at hand is here [poll]
 * @nrings: how many rings it is in; a convergent point is in several
 * @nmembers: how many members there are
 * @tour: links of all rings together
 * @members: set of them: the plan's, or those that were there when it was mended
 * @mend: how the plan mends itself, or NULL
 * @place: of each node in the ring, where messages may go both ways: ring_both.c; or NULL
 * @way: of each source
 */
struct hc_ring_member {
	u32 *got;
	u32 nrings;
	u32 nmembers;
	u32 tour;
	const u32 *members;
	struct hc_mend *mend;
	const u16 *place;
	struct hc_ring_way way[HYPERCUBE_DIM_MAX];
};

static inline struct hc_ring_member *hc_ring_member(const struct hc_member *m)
{
	return hc_member_priv(m);
}

/* --- plan_ring.c --- */
/* The plan as it was installed, and, if it mends itself, where its nodes are. */
const struct hc_ring_tree *hc_ring_tree_of(const struct hc_plan *plan,
					   const struct hc_ring_places **places);

/* --- ring.c --- */
extern const struct hc_coll_ops hc_ring_allgather;
extern const struct hc_coll_ops hc_ring_alltoall;
/* See struct hc_plan_ops. */
void hc_ring_data_rx(struct hc_member *m, struct sk_buff *skb);
u32 hc_ring_steps(const struct hc_member *m, const struct hc_op *op);

#endif /* _HC_RING_KERNEL_H */
