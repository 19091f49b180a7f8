/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the sockets of a node offer to the rest of the module.
 */
#ifndef _HC_SOCKS_H
#define _HC_SOCKS_H

#include <linux/types.h>

struct hc_node;
struct sk_buff;

int hc_sock_init(void);
void hc_sock_exit(void);
int hc_sock_family(void);

/* Has the node a collective socket?  A snapshot. */
bool hc_sock_bound(const struct hc_node *node);
/* Unpublish the node's sockets and fail them with -ENODEV; phase 1. */
void hc_sock_node_gone(struct hc_node *node);
/* The node has another owner: the sockets that the one before had bound lose it.  Config. */
void hc_sock_owner_changed(struct hc_node *node);

/* A DGRAM frame for this node; consumes.  Poll. */
void hc_sock_dgram_rx(struct hc_node *node, struct sk_buff *skb);

#endif /* _HC_SOCKS_H */
