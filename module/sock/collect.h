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
 * @src: node that the datagram names as its origin
 * @said: offset of its data in the skb
 * @own: the node itself has sent it
 */
struct hc_dgram_cb {
	struct hypercube_vote vote;
	u32 src;
	u32 said;
	bool own;
};

/**
 * struct hc_collect_set - socket options for datagrams that are sent in copies
 * @least: datagrams that are sent in fewer copies are dropped
 * @wait: ms to wait for copies
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
 * hc_collect_close() - drop the waiting copies of a socket that is closed, and accept no more
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
 * @least: the number. Waiting and unread datagrams with fewer copies are dropped
 *
 * Context: may sleep.
 */
void hc_collect_least(struct hc_sock *hsk, u32 least);

/**
 * hc_collect_wait() - set how long to wait for copies
 * @hsk: the socket
 * @wait: the time, ms; applies to datagrams that wait already, too
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
 * hc_collect_paths() - list the paths of the copies that do not match, or are missing
 * @skb: the datagram
 * @v: its vote
 * @path: filled in; must have room for the paths of all copies
 *
 * Return: the number of paths.
 */
unsigned int hc_collect_paths(const struct sk_buff *skb, const struct hypercube_vote *v,
			      struct hypercube_path *path);

#endif /* _HC_COLLECT_H */
