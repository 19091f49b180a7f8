/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fault-tolerant unicast, and probes of its ways: route.c.
 */
#ifndef _HC_ROUTE_H
#define _HC_ROUTE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct hc_fabric;
struct hc_node;
struct sk_buff;

/* Start a fault-tolerant unicast of @skb to node @dst; sets ROUTED, .src, .dst
 * and the walk; consumes @skb.  Every hop, the first too, adds one to .step.
 * Poll.  Return: 0, -ENOLINK (no route from here) or -ENOBUFS (no memory, or no room);
 * then it was dropped and counted.
 */
int hc_route_xmit(struct hc_node *node, u32 dst, struct sk_buff *skb);
/* A ROUTED frame arrived over link @dim: forward it, or return it if it is for this node. Then
 * the walk is stripped, so that the part of its type follows the common one, except for types
 * that need the walk (HC_FT_WALK); ROUTED stays set and .walk is the number of links it crossed.
 */
struct sk_buff *hc_route_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/* A PATH arrived here, or got lost here.  Poll. */
void hc_path_arrived(struct hc_node *node, const struct sk_buff *skb);
void hc_path_lost(struct hc_node *node, const struct sk_buff *skb);

/**
 * struct hc_paths - the PATH frames of a fabric that are under way
 * @list: struct hc_path
 * @lock: protects it, and what is in it
 */
struct hc_paths {
	struct list_head list;
	spinlock_t lock;
};

/**
 * struct hc_path - a PATH under way
 * @list: in hc_fabric.paths, until it is over; under its lock
 * @src: its origin
 * @dst: its destination
 * @status: when it is over: how many dimensions were crossed, or -ENOLINK (no path)
 * @walk: these, room for 2 * 2^n
 */
struct hc_path {
	struct list_head list;
	u32 src;
	u32 dst;
	int status;
	u8 *walk;
};

void hc_paths_init(struct hc_paths *paths);
/* Send a frame from p->src to p->dst, another node. 0 or -ENOMEM. */
int hc_path_begin(struct hc_fabric *fabric, struct hc_path *p);
/* Is it over? */
bool hc_path_over(struct hc_fabric *fabric, const struct hc_path *p);
/* It is, or nobody waits for it any more. */
void hc_path_end(struct hc_fabric *fabric, struct hc_path *p);

#endif /* _HC_ROUTE_H */
