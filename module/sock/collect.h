/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Collecting the copies of a datagram at its receiver, and voting on them (collect.c).
 */
#ifndef _HC_COLLECT_H
#define _HC_COLLECT_H

#include <linux/types.h>
#include <linux/hypercube.h>

struct hc_node;
struct hc_sock;
struct sk_buff;

/**
 * struct hc_dgram_cb - skb->cb of a datagram in the receive queue
 * @vote: the vote on its copies; .copies is 0 if the datagram was not sent in copies
 * @src: origin in the header of the datagram
 * @said: offset of the datagram's data in the skb
 * @own: true if the datagram was sent by this node itself
 */
struct hc_dgram_cb {
	struct hypercube_vote vote;
	u32 src;
	u32 said;
	bool own;
};

/**
 * struct hc_collect_set - socket options for datagrams that are sent in copies
 * @least: least number of copies in which a datagram must be sent; others are dropped
 * @wait: time for which a datagram waits for its copies, ms
 * @deliver: enum hypercube_deliver
 */
struct hc_collect_set {
	u32 least;
	u32 wait;
	u32 deliver;
};

/**
 * hc_collect_open() - make the collector of a datagram socket
 * @hsk: the socket
 *
 * Return: 0 or -ENOMEM.
 */
int hc_collect_open(struct hc_sock *hsk);

/**
 * hc_collect_close() - drop all stored copies of a socket that is being closed, and accept no more
 *	copies
 * @hsk: the socket
 */
void hc_collect_close(struct hc_sock *hsk);

/**
 * hc_collect_free() - free the collector, a grace period after hc_collect_close()
 * @hsk: the socket
 */
void hc_collect_free(struct hc_sock *hsk);

/**
 * hc_collect_least() - set the least number of copies in which a datagram must be sent
 * @hsk: the socket
 * @least: this number. Datagrams with fewer copies are dropped, even if they wait for copies or to
 *	be read
 *
 * Context: may sleep.
 */
void hc_collect_least(struct hc_sock *hsk, u32 least);

/**
 * hc_collect_wait() - set the time for which datagrams wait for copies
 * @hsk: the socket
 * @wait: the time, ms; also for datagrams that wait at the moment
 *
 * Context: may sleep.
 */
void hc_collect_wait(struct hc_sock *hsk, u32 wait);

/**
 * hc_collect_set() - get the options of a socket
 * @hsk: the socket
 *
 * Return: the options. setsockopt() may change each of them at any time.
 */
struct hc_collect_set *hc_collect_set(const struct hc_sock *hsk);

/**
 * hc_collect_rx() - receive a copy of a datagram
 * @node: the node
 * @skb: the copy, whose path and lengths were checked; consumed
 *
 * Context: poll.
 */
void hc_collect_rx(struct hc_node *node, struct sk_buff *skb);

/**
 * hc_collect_paths() - list the paths of the copies in @v->mismatch and @v->missing
 * @skb: the datagram
 * @v: its vote
 * @path: filled in; must have room for the paths of all copies
 *
 * Return: the number of paths.
 */
unsigned int hc_collect_paths(const struct sk_buff *skb, const struct hypercube_vote *v,
			      struct hypercube_path *path);

#endif /* _HC_COLLECT_H */
