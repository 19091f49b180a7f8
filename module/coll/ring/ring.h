/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans of rings: the ring edges of their members (plan_ring.c) and the collectives (ring.c).
 *
 * Each direction of a link belongs to one ring, and so do the frames that cross it. Source i of a
 * member is the neighbour over one of its links. A frame from a source either comes from this
 * member's predecessor in a ring, or, in a ring that is not closed by a link, is on its way back
 * from the ring's last member to its first; this member then is a relay.
 */
#ifndef _HC_RING_KERNEL_H
#define _HC_RING_KERNEL_H

#include <linux/types.h>
#include <linux/hypercube.h>

#include "coll/coll.h"

struct hc_repair;
struct hc_ring_places;
struct hc_ring_tree;

/**
 * struct hc_ring_way - the ring edge from one source: where its frames come from and go on to
 * @next: the member after this one in the ring
 * @seen: number of notices (HC_DATA_F_SEEN) to expect from this source in one operation; each is
 *	sent by a convergent point when all messages are complete in the rings beyond it
 * @came: position in the tour (hc_ring_tour()) of the ring's link over which frames arrive
 * @leaves: position in the tour of the link over which they go on
 * @out: index of the source to which they go on
 * @used: this source sends frames in the ring's direction
 * @relay: these frames are not for this member, which only passes them on
 * @back: this source sends frames against the ring's direction (ring_bidir.c)
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
 * struct hc_ring_member - private state of a member of rings
 * @got: set of the members whose segments of the current chunk this member has [poll]
 * @nrings: number of rings that the member is in; a convergent point is in several
 * @nmembers: number of members in @members
 * @tour: number of links of all rings together
 * @members: set of the members: those of the plan, or those in the rings since the last repair
 * @repair: state of the ring repair; NULL if the plan has no REPAIR
 * @place: position in the ring of each node, if messages may go in both directions
 *	(ring_bidir.c); otherwise NULL
 * @way: the ring edge from each source
 */
struct hc_ring_member {
	u32 *got;
	u32 nrings;
	u32 nmembers;
	u32 tour;
	const u32 *members;
	struct hc_repair *repair;
	const u16 *place;
	struct hc_ring_way way[HC_PORTS_MAX];
};

static inline struct hc_ring_member *hc_ring_member(const struct hc_member *m)
{
	return hc_member_priv(m);
}

/* --- plan_ring.c --- */

/**
 * hc_ring_tree_of() - return the rings with which a plan was installed
 * @plan: the plan
 * @places: set to the positions of the nodes in the rings, if the plan has REPAIR
 *
 * Return: the tree of rings.
 */
const struct hc_ring_tree *hc_ring_tree_of(const struct hc_plan *plan,
					   const struct hc_ring_places **places);

/* --- ring.c --- */
extern const struct hc_coll_ops hc_ring_allgather;
extern const struct hc_coll_ops hc_ring_alltoall;
/* Collectives of guarded plans. */
extern const struct hc_coll_ops hc_ring_guarded_allgather;
extern const struct hc_coll_ops hc_ring_guarded_alltoall;
extern const struct hc_coll_ops hc_ring_agreement;
/* hc_plan_ops.data_rx of rings. */
void hc_ring_data_rx(struct hc_member *m, struct sk_buff *skb);

/**
 * hc_ring_steps() - hc_plan_ops.steps of rings
 * @m: the member
 * @op: the operation
 *
 * Return: the steps that it took.
 */
u32 hc_ring_steps(const struct hc_member *m, const struct hc_op *op);

#endif /* _HC_RING_KERNEL_H */
