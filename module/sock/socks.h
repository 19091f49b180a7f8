/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sockets of a node, and the functions that other parts of the module call.
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
 * @all: the collective socket that serves all plans except those in @plans
 * @plans: collective sockets that are connected to a plan, by the id of this plan
 * @dgram: the datagram socket
 * @shared: task sockets, linked by hc_sock.shared; read under hc_fabric.sock_lock, too
 * @copied: number of the last datagram that was sent in copies; atomic, like the counters below
 * @agreed: number of datagrams of which all copies have arrived and agreed
 * @disagreed: number of datagrams of which copies have disagreed
 * @incomplete: number of datagrams of which copies were missing and the others agreed
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

/* Return: the socket that is connected to plan @plan, or NULL. The caller holds the RCU read lock.
 * Most nodes have no connected socket.
 */
static inline struct sock *hc_socks_connected(struct hc_socks *socks, u32 plan)
{
	return xa_empty(&socks->plans) ? NULL : xa_load(&socks->plans, plan);
}

/**
 * hc_sock_init() - register the socket family
 *
 * Return: 0 or a negative errno.
 */
int hc_sock_init(void);

/** hc_sock_exit() - unregister the socket family */
void hc_sock_exit(void);

/**
 * hc_sock_family() - return the number of the socket family
 *
 * Return: the number.
 */
int hc_sock_family(void);

/**
 * hc_socks_init() - initialize the sockets of a node
 * @socks: the sockets
 */
void hc_socks_init(struct hc_socks *socks);

/**
 * hc_sock_bound() - check whether a node has a collective socket
 * @node: the node
 *
 * Context: any; a snapshot.
 * Return: true if it has.
 */
bool hc_sock_bound(const struct hc_node *node);

/**
 * hc_sock_node_gone() - unbind all sockets of a node, whose system calls fail with -ENODEV from now
 *	on
 * @node: the node, which is being removed
 *
 * Context: configuration, in phase 1 of the fabric's removal.
 */
void hc_sock_node_gone(struct hc_node *node);

/**
 * hc_sock_owner_changed() - unbind the sockets that a previous owner of a node has bound
 * @node: the node, which has another owner now
 *
 * Context: configuration.
 */
void hc_sock_owner_changed(struct hc_node *node);

/**
 * hc_sock_dgram_rx() - receive a datagram
 * @node: the node
 * @skb: a DGRAM frame; consumed
 * @own: true if this node itself has sent the datagram
 *
 * Context: poll.
 */
void hc_sock_dgram_rx(struct hc_node *node, struct sk_buff *skb, bool own);

#endif /* _HC_SOCKS_H */
