/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans of rings: the ring edges of their members (plan_ring.c) and the collectives (ring.c).
 *
 * Each direction of a link belongs to one ring, and so do the frames that cross it. Source i of a
 * member is the neighbour over one of its links. A frame from a source is either sent by this
 * member's predecessor in a ring; or, in a ring whose last member has no link to the first, it is
 * on its way back from the last member to the first, and this member is a relay that forwards it.
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
 * struct hc_ring_way - a ring edge: the path of the frames that a member receives from one source
 * @next: the member after this one in the ring
 * @seen: number of notices (HC_DATA_F_SEEN) that are received from this source in one operation,
 *	see ring.c
 * @came: position in the tour (hc_ring_tour()) of the ring's link over which the frames arrive
 * @leaves: position in the tour of the ring's link over which they are forwarded
 * @out: index of the source to which they are forwarded
 * @used: true if this source sends frames in the ring's direction
 * @relay: true if these frames are not for this member, which only forwards them
 * @back: true if this source sends frames against the ring's direction (ring_bidir.c)
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
 * @got: set of the members whose segments of the current chunk this member has received or sent;
 *	only the poll accesses it
 * @nrings: number of rings that the member is in; a convergent point is in several
 * @nmembers: number of members in @members
 * @tour: number of links of all rings together
 * @members: set of the members in the rings: all members of the plan or, since a repair, those in
 *	the repaired rings
 * @repair: state of the ring repair of this member; NULL if the plan has no REPAIR
 * @place: for each node its position in the ring, if messages may be sent in both directions
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
 * Return: the number of steps that the operation has taken.
 */
u32 hc_ring_steps(const struct hc_member *m, const struct hc_op *op);

#endif /* _HC_RING_KERNEL_H */
