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
 * @skb: the frame; ROUTED, .src, .dst and the walk are set here. Every hop, including the first,
 *	adds 1 to .step
 *
 * Context: poll
 * Return: 0; -ENOLINK if no usable link leads from @node, or @dst is invalid; -ENOBUFS if there is
 *	no memory, or a limit is reached. On error the frame was dropped and counted
 */
int hc_route_xmit(struct hc_node *node, u32 dst, struct sk_buff *skb);

/**
 * hc_route_rx() - forward a ROUTED frame, or return it if it is for this node
 * @node: the receiving node
 * @dim: dimension of the link over which the frame was received
 * @skb: the frame
 *
 * The walk of a frame for this node is removed, so that the header of its type follows struct
 * hc_hdr, except for types that need the walk (HC_FT_WALK). ROUTED stays set, and .walk is the
 * number of links that the frame has crossed.
 *
 * Context: poll
 * Return: @skb if it is for this node; NULL if it was forwarded or dropped
 */
struct sk_buff *hc_route_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_path_arrived() - complete a request for a path, whose PATH frame has reached the destination
 * @node: the destination
 * @skb: the frame, which the caller still owns
 *
 * Context: poll
 */
void hc_path_arrived(struct hc_node *node, const struct sk_buff *skb);

/**
 * hc_path_lost() - fail a request for a path, whose PATH frame is dropped because there is no path
 * @node: the node that drops the frame
 * @skb: the frame, which the caller still owns
 *
 * Context: poll
 */
void hc_path_lost(struct hc_node *node, const struct sk_buff *skb);

/**
 * struct hc_paths - requests for paths in a fabric whose PATH frames are under way
 * @list: the requests, as struct hc_path
 * @lock: protects @list and its elements
 */
struct hc_paths {
	struct list_head list;
	spinlock_t lock;
};

/**
 * struct hc_path - a request for the path between two nodes
 * @list: entry in hc_paths.list until the request is complete; under hc_paths.lock
 * @src: number of the origin
 * @dst: number of the destination
 * @status: when the request is complete: number of links that the frame has crossed, or -ENOLINK if
 *	there is no path
 * @walk: when the request is complete: dimensions of these links. Memory of the caller: 2 bytes for
 *	each node of the fabric
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
 * @paths: the fabric's requests
 */
void hc_paths_init(struct hc_paths *paths);

/**
 * hc_path_begin() - begin a request for a path: send its PATH frame
 * @fabric: the fabric
 * @p: the request; @p->src and @p->dst are set and are different
 *
 * Context: process, under hc_fabric.lock
 * Return: 0 or -ENOMEM
 */
int hc_path_begin(struct hc_fabric *fabric, struct hc_path *p);

/**
 * hc_path_over() - check whether a request for a path is complete
 * @fabric: the fabric
 * @p: the request
 *
 * Context: process
 * Return: true if the PATH frame has reached its destination or found no path, so that @p->status
 *	is valid; true also after hc_path_end()
 */
bool hc_path_over(struct hc_fabric *fabric, const struct hc_path *p);

/**
 * hc_path_end() - end a request for a path; if it is not complete, cancel it
 * @fabric: the fabric
 * @p: the request
 *
 * Context: process
 */
void hc_path_end(struct hc_fabric *fabric, struct hc_path *p);

#endif /* _HC_ROUTE_H */
