/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What becomes of the copies of a datagram at its receiver: collect.c.
 */
#ifndef _HC_COLLECT_H
#define _HC_COLLECT_H

#include <linux/types.h>
#include <linux/hypercube.h>

struct hc_node;
struct hc_sock;
struct sk_buff;

/**
 * struct hc_dgram_cb - notes on a datagram on its way to its reader; in skb->cb
 * @verdict: what is known of it; .copies is 0 if it did not come in copies
 * @src: its origin
 * @said: offset of what it says
 * @own: it is from the node itself
 */
struct hc_dgram_cb {
	struct hypercube_verdict verdict;
	u32 src;
	u32 said;
	bool own;
};

/**
 * struct hc_collect_set - what a socket takes
 * @least: no datagrams in fewer copies
 * @wait: ms to wait for copies
 * @deliver: enum hypercube_deliver
 */
struct hc_collect_set {
	u32 least;
	u32 wait;
	u32 deliver;
};

/* 0 or -ENOMEM. */
int hc_collect_open(struct hc_sock *hsk);
/* The socket is closed: no copies are taken any more, and those that are kept are dropped. */
void hc_collect_close(struct hc_sock *hsk);
/* A grace period later. */
void hc_collect_free(struct hc_sock *hsk);
/* Take no datagrams in fewer copies than @least any more, nor those that have come.  May sleep. */
void hc_collect_least(struct hc_sock *hsk, u32 least);
/* Wait so many ms for copies, of datagrams that wait already, too.  May sleep. */
void hc_collect_wait(struct hc_sock *hsk, u32 wait);
/* Its settings; written by one setsockopt() or other. */
struct hc_collect_set *hc_collect_set(const struct hc_sock *hsk);
/* A copy has arrived whose path fits, with lengths that were checked; consumes.  Poll. */
void hc_collect_rx(struct hc_node *node, struct sk_buff *skb);
/* Fills @path, with room for all copies, with those that dissent or are missing.  How many? */
unsigned int hc_collect_paths(const struct sk_buff *skb, const struct hypercube_verdict *v,
			      struct hypercube_path *path);

#endif /* _HC_COLLECT_H */
