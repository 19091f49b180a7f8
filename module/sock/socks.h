/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface of a node's sockets for the rest of the module.
 */
#ifndef _HC_SOCKS_H
#define _HC_SOCKS_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct hc_node;
struct sk_buff;
struct sock;

/**
 * struct hc_socks - the sockets of a node; changed under hc_fabric.sock_lock, read under RCU
 * @all: collective socket that serves all plans that no socket in @plans does
 * @plans: collective sockets by the plan they are connected to
 * @dgram: datagram socket
 * @shared: sockets of a type of which a node may have any number, struct hc_sock.shared; under
 *	hc_fabric.sock_lock only
 * @copied: number of the last datagram that was sent in copies; atomic, as are the next
 * @agreed: datagrams all copies of which came and agreed
 * @disagreed: those of whose copies some disagreed
 * @incomplete: others of which copies are missing
 */
struct hc_socks {
	struct sock __rcu *all;
	struct xarray plans;
	struct sock __rcu *dgram;
	struct list_head shared;
	atomic64_t copied;
	atomic64_t agreed;
	atomic64_t disagreed;
	atomic64_t incomplete;
};

int hc_sock_init(void);
void hc_sock_exit(void);
int hc_sock_family(void);
/* Returns the number that no other socket has had: hc_rec.sock.  Later ones have higher numbers. */
u64 hc_sock_id(const struct sock *sk);
/* That of the first of its siblings, or its own: processes are told apart by it. */
u64 hc_sock_group(const struct sock *sk);

void hc_socks_init(struct hc_socks *socks);
/* Does the node have a collective socket? A snapshot. */
bool hc_sock_bound(const struct hc_node *node);
/* Unpublish the node's sockets and fail them with -ENODEV; phase 1. */
void hc_sock_node_gone(struct hc_node *node);
/* The node has another owner: the sockets that the previous one had bound lose it.  Config. */
void hc_sock_owner_changed(struct hc_node *node);

/* A DGRAM frame for this node, or @own, from itself; consumes.  Poll. */
void hc_sock_dgram_rx(struct hc_node *node, struct sk_buff *skb, bool own);

#endif /* _HC_SOCKS_H */
