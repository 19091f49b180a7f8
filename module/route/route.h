/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fault-tolerant unicast, and PATH frames that record its walk: see route.c.
 */
#ifndef _HC_ROUTE_H
#define _HC_ROUTE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct hc_fabric;
struct hc_node;
struct sk_buff;

/**
 * hc_route_init() - register routing with fabrics, nodes and frame types
 *
 * Context: the module's init
 */
void hc_route_init(void);

/**
 * hc_route_xmit() - send a frame by fault-tolerant unicast; consumes it
 * @node: the origin
 * @dst: number of the destination
 * @skb: the frame; ROUTED, .src, .dst and the walk are set here. Every hop, the first too, adds one
 *	to .step
 *
 * Context: poll
 * Return: 0; -ENOLINK (no path from here) or -ENOBUFS (no memory, or no room) if the frame was
 *	dropped and counted
 */
int hc_route_xmit(struct hc_node *node, u32 dst, struct sk_buff *skb);

/**
 * hc_route_rx() - forward a ROUTED frame, or return it if it is for this node
 * @node: the receiving node
 * @dim: dimension of the link that it came over
 * @skb: the frame
 *
 * The walk of a frame for this node is removed, so that the type's part follows the header, except
 * for types that need the walk (HC_FT_WALK). ROUTED stays set, and .walk is the number of links
 * that the frame has crossed.
 *
 * Context: poll
 * Return: @skb if it is for this node, else NULL; then it was forwarded or dropped
 */
struct sk_buff *hc_route_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_path_arrived() - complete the request for a path, since its PATH frame has arrived
 * @node: the destination
 * @skb: the frame, which stays the caller's
 *
 * Context: poll
 */
void hc_path_arrived(struct hc_node *node, const struct sk_buff *skb);

/**
 * hc_path_lost() - fail the request for a path, since its PATH frame is dropped for lack of a path,
 *	memory or room
 * @node: the node that drops it
 * @skb: the frame, which stays the caller's
 *
 * Context: poll
 */
void hc_path_lost(struct hc_node *node, const struct sk_buff *skb);

/**
 * struct hc_paths - the PATH frames of a fabric that are under way
 * @list: struct hc_path of each request
 * @lock: protects @list and its elements
 */
struct hc_paths {
	struct list_head list;
	spinlock_t lock;
};

/**
 * struct hc_path - a request for the path between two nodes
 * @list: in hc_paths.list until the PATH frame has ended; under hc_paths.lock
 * @src: number of the origin
 * @dst: number of the destination
 * @status: at the end: how many links the frame has crossed, or -ENOLINK (no path)
 * @walk: at the end: dimensions of these links; memory of the caller, 2 * 2^n bytes
 */
struct hc_path {
	struct list_head list;
	u32 src;
	u32 dst;
	int status;
	u8 *walk;
};

/**
 * hc_paths_init() - set up the requests for paths of a new fabric
 * @paths: the fabric's
 */
void hc_paths_init(struct hc_paths *paths);

/**
 * hc_path_begin() - begin a request for a path: send its PATH frame
 * @fabric: the fabric
 * @p: the request, with @p->src and @p->dst, a different node, set
 *
 * Context: process, under hc_fabric.lock
 * Return: 0 or -ENOMEM
 */
int hc_path_begin(struct hc_fabric *fabric, struct hc_path *p);

/**
 * hc_path_over() - tell whether a PATH frame has ended
 * @fabric: the fabric
 * @p: the request
 *
 * Context: process
 * Return: true if so; @p->status is valid then
 */
bool hc_path_over(struct hc_fabric *fabric, const struct hc_path *p);

/**
 * hc_path_end() - cancel a request whose PATH frame may still be under way, or has ended
 * @fabric: the fabric
 * @p: the request
 *
 * Context: process
 */
void hc_path_end(struct hc_fabric *fabric, struct hc_path *p);

#endif /* _HC_ROUTE_H */
