/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ways of a plan's detours: detour.c.
 */
#ifndef _HC_DETOUR_H
#define _HC_DETOUR_H

#include <linux/types.h>

struct hc_member;
struct hc_plan;
struct hc_tree_peer;
struct sk_buff;

/**
 * struct hc_detour_way - the way of a detour; constant
 * @n: how many links it has
 * @dims: their dimensions, from the sender on
 */
struct hc_detour_way {
	u32 n;
	u8 dims[];
};

/**
 * struct hc_detour_ways - those of a plan; constant
 * @bytes: that they take in a message, each filled up to four
 * @links: of each node: the links that any of them takes, a bit a dimension
 * @of: of each detour
 */
struct hc_detour_ways {
	u32 bytes;
	u16 *links;
	struct hc_detour_way *of[];
};

/**
 * struct hc_detour_end - frames of a member to and from the other end of a detour [poll]
 * @sent: how many it has sent
 * @came: how many have come
 * @asked: questions since the last one came
 */
struct hc_detour_end {
	u32 sent;
	u32 came;
	u8 asked;
};

/* Find the ways around these faults, on which the plan was verified.  0 or -errno; hc_ways_free()
 * frees what was made.  Config.
 */
int hc_ways_make(struct hc_plan *plan, const u32 *fault);
void hc_ways_free(struct hc_plan *plan);
/* Is node @u on any of them? */
bool hc_ways_cross(const struct hc_plan *plan, u32 u);
/* Does any of them take this link of node @u? */
bool hc_ways_take(const struct hc_plan *plan, u32 u, unsigned int dim);
/* The dimension of the first link on the way to the member at the other end of a detour. */
unsigned int hc_detour_dim(const struct hc_member *m, u32 to);
/* Send a frame to the member at the other end of a detour; consumes, see hc_way_xmit(). */
int hc_detour_xmit(struct hc_member *m, const struct hc_tree_peer *peer, struct sk_buff *skb);
/* A FIXED frame has come: is it the next one of a detour of this member?  If one is missing the
 * plan is broken.
 */
bool hc_detour_follows(struct hc_member *m, struct sk_buff *skb);
/* The member is about to ask a peer over a detour.  True: that has not answered several times,
 * since a link between them is down, which has broken the plan.
 */
bool hc_detour_silent(struct hc_member *m, const struct hc_tree_peer *peer);

#endif /* _HC_DETOUR_H */
