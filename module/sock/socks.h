/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface of a node's sockets for the other parts of the module.
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
 * @all: collective socket that serves all plans except those in @plans
 * @plans: collective sockets, by the plan that they are connected to
 * @dgram: datagram socket
 * @shared: sockets of a type of which a node may have any number, through hc_sock.shared; only
 *	under hc_fabric.sock_lock
 * @copied: number of the last datagram that was sent in copies; atomic, as those below
 * @agreed: datagrams whose copies all came and agreed
 * @disagreed: datagrams of whose copies some disagreed
 * @incomplete: other datagrams of whose copies some are missing
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

/* Return: the socket that is connected to plan @plan, or NULL. Under RCU. Most sockets are
 * connected to no plan.
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
 * hc_sock_bound() - tell whether a node has a collective socket
 * @node: the node
 *
 * Context: any; a snapshot.
 * Return: true if so.
 */
bool hc_sock_bound(const struct hc_node *node);

/**
 * hc_sock_node_gone() - unpublish the sockets of a node and fail them with -ENODEV
 * @node: the node, which is removed
 *
 * Context: configuration, phase 1.
 */
void hc_sock_node_gone(struct hc_node *node);

/**
 * hc_sock_owner_changed() - take the node away from sockets that its previous owner had bound
 * @node: the node, which has another owner now
 *
 * Context: configuration.
 */
void hc_sock_owner_changed(struct hc_node *node);

/**
 * hc_sock_dgram_rx() - receive a datagram
 * @node: the node
 * @skb: DGRAM; consumed
 * @own: it was sent by the node itself
 *
 * Context: poll.
 */
void hc_sock_dgram_rx(struct hc_node *node, struct sk_buff *skb, bool own);

#endif /* _HC_SOCKS_H */
