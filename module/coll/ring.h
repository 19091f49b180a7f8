/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans of rings: what their members know (plan_ring.c) and what they do with it (ring.c).
 *
 * Each direction of a link belongs to one ring, and so do the frames that come over it. Source i of
 * a member is the neighbour over one of its links. What comes from a source is either sent by the
 * member before this one in a ring, or is on its way back along the ring from the last member to
 * the first; this member is then a relay.
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
 * struct hc_ring_way - the ring edge from one source
 * @next: the member after this one in the ring
 * @seen: number of notices (HC_DATA_F_SEEN) that will come; each says that a message is
 *	complete in the rings beyond the convergent point that sends it
 * @came: position in the tour (hc_ring_tour()) of the ring's link by which frames come
 * @leaves: position in the tour of the link by which they go on
 * @out: index of the source to which they go on
 * @used: frames come from this source at all
 * @relay: they are not for this member, which only passes them on
 * @back: they go against the ring's direction (messages that go both ways)
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
 * @got: set of the members whose part of the current chunk is here [poll]
 * @nrings: number of rings that the member is in; a convergent point is in several
 * @nmembers: number of members in @members
 * @tour: number of links of all rings together
 * @members: set of the members: those of the plan, or those that the last repair has reached
 * @repair: state of the ring repair, or NULL: the plan has no REPAIR
 * @place: for each node its position in the ring, where messages may go both ways
 *	(ring_both.c); or NULL
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
 * hc_ring_tree_of() - return the rings of a plan as it was installed
 * @plan: the plan
 * @places: set to the positions of its nodes, if the plan has REPAIR
 *
 * Return: the tree of rings.
 */
const struct hc_ring_tree *hc_ring_tree_of(const struct hc_plan *plan,
					   const struct hc_ring_places **places);

/* --- ring.c --- */
extern const struct hc_coll_ops hc_ring_allgather;
extern const struct hc_coll_ops hc_ring_alltoall;
/* Where the plan is guarded. */
extern const struct hc_coll_ops hc_ring_guarded_allgather;
extern const struct hc_coll_ops hc_ring_guarded_alltoall;
extern const struct hc_coll_ops hc_ring_agreement;
/* See struct hc_plan_ops. */
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
