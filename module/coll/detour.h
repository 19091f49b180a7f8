/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The detours of a plan, and their paths: detour.c.
 */
#ifndef _HC_DETOUR_H
#define _HC_DETOUR_H

#include <linux/sizes.h>
#include <linux/types.h>

struct hc_member;
struct hc_plan;
struct hc_tree_peer;
struct netlink_ext_ack;
struct sk_buff;

/* The paths of a plan take at most this many bytes (hc_detour_ways.bytes), one for each link. So
 * the plan fits into a message.
 */
#define HC_WAYS_BYTES_MAX	SZ_256K

/**
 * struct hc_detour_way - the path of a detour; constant
 * @n: number of links
 * @dims: dimensions of the links, beginning at the sender
 */
struct hc_detour_way {
	u32 n;
	u8 dims[];
};

/**
 * struct hc_detour_ways - the paths of all detours of a plan; constant
 * @bytes: bytes that the paths take in a netlink message, each path padded to a multiple of four
 * @links: for each node, a mask of the dimensions of its links that are on one of the paths
 * @of: the path of each detour
 */
struct hc_detour_ways {
	u32 bytes;
	u16 *links;
	struct hc_detour_way *of[];
};

/**
 * struct hc_detour_end - counts of frames that a member has sent to and received from the other end
 *	of a detour; only the poll of the member's node accesses them
 * @sent: number of frames sent
 * @came: number of frames received
 * @asked: number of PROBEs that the member has sent since it last received a frame over the detour
 */
struct hc_detour_end {
	u32 sent;
	u32 came;
	u8 asked;
};

/**
 * hc_ways_make() - find and store a path for each detour of a plan
 * @plan: the plan, which the verifier has accepted
 * @fault: FAULT words of all nodes, for which the verifier has accepted the plan
 * @extack: set to a sentence if the paths are too long
 *
 * Context: configuration.
 * Return: 0; -E2BIG: the paths are longer than HC_WAYS_BYTES_MAX; or another negative errno.
 *	hc_ways_free() frees what was made.
 */
int hc_ways_make(struct hc_plan *plan, const u32 *fault, struct netlink_ext_ack *extack);

/**
 * hc_ways_free() - free the paths of a plan's detours
 * @plan: the plan
 */
void hc_ways_free(struct hc_plan *plan);

/**
 * hc_ways_cross() - check whether a node is on the path of a detour of a plan
 * @plan: the plan
 * @u: the node
 *
 * Return: true if it is on such a path.
 */
bool hc_ways_cross(const struct hc_plan *plan, u32 u);

/**
 * hc_ways_take() - check whether a detour of a plan uses a link
 * @plan: the plan
 * @u: node at one end of the link
 * @dim: dimension of the link
 *
 * Return: true if one of them does.
 */
bool hc_ways_take(const struct hc_plan *plan, u32 u, unsigned int dim);

/**
 * hc_detour_dim() - return the dimension of the first link of a detour
 * @m: the member at the beginning of the detour
 * @to: the node at its end
 *
 * Return: the dimension.
 */
unsigned int hc_detour_dim(const struct hc_member *m, u32 to);

/**
 * hc_detour_xmit() - send a frame to the member at the other end of a detour
 * @m: the member
 * @peer: the other end
 * @skb: the frame; consumed
 *
 * Return: as hc_way_xmit().
 */
int hc_detour_xmit(struct hc_member *m, const struct hc_tree_peer *peer, struct sk_buff *skb);

/**
 * hc_detour_follows() - check that no frame before a received frame of a detour is missing
 * @m: the member that received it
 * @skb: a frame with HC_FRAME_F_FIXED
 *
 * Return: false if the frame must be dropped. If a frame before it is missing, the function breaks
 * the plan.
 */
bool hc_detour_follows(struct hc_member *m, struct sk_buff *skb);

/**
 * hc_detour_silent() - check whether a detour whose other end does not answer has failed
 * @m: the member that is about to send PROBE
 * @peer: the other end
 *
 * Return: true if several PROBEs have not been answered and the node knows that a link of the path
 * is down; then the function has broken the plan. Otherwise false, and the caller sends the PROBE.
 */
bool hc_detour_silent(struct hc_member *m, const struct hc_tree_peer *peer);

#endif /* _HC_DETOUR_H */
