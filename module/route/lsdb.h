/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Link-state database: what nodes know of the links of others, see lsdb.c.  All of it belongs to
 * the poll, except what is said to be for any context.
 */
#ifndef _HC_LSDB_H
#define _HC_LSDB_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "route/claims.h"

struct hc_fabric;
struct hc_node;
struct hc_lsdb_entry;
struct sk_buff;

/**
 * struct hc_lsdb - what a node knows of faults that are not its own; [poll]
 * @told: own FAULT word as last told to everybody
 * @version: of that
 * @claims: versions of the own word that this node has not told
 * @list: what is known of others, by ascending node
 * @n: how many entries that has
 * @room: and how many it has room for
 * @owed: for each dimension a bit for each node whose state is to be told along it, or NULL
 * @next: the node whose bit is looked at first, for each dimension
 * @owes: dimensions along which such bits are set
 * @all: dimensions along which all that is known is to be told
 * @asks: dimensions along which the neighbour is to be asked for the same
 * @news_at: they are told once so many frames of hc_node.rxq were taken, if @news_waits
 * @news_waits: @news_at is set
 * @digest: of all words known
 * @hops: first hops to all nodes, or NULL
 * @tree: links of the spanning tree, if @tree_fits
 * @hops_stale: @hops have to be computed anew
 * @tree_stale: @tree has to be found out anew
 * @tree_fits: what is known fits the own links
 * @lock: taken by the poll when it writes @list, and by those who read it elsewhere
 */
struct hc_lsdb {
	u32 told;
	u32 version;
	struct hc_claims claims;
	struct hc_lsdb_entry *list;
	u32 n;
	u32 room;
	unsigned long *owed;
	u16 next[HYPERCUBE_DIM_MAX];
	u32 owes;
	u32 all;
	u32 asks;
	u32 news_at;
	bool news_waits;
	u32 digest;
	u8 *hops;
	u32 tree;
	bool hops_stale;
	bool tree_stale;
	bool tree_fits;
	spinlock_t lock;
};

/**
 * struct hc_lsdb_retry - a fabric's nodes that have lacked memory
 * @work: lets their polls try again
 * @wait: how long that waits, jiffies; written by @work
 * @ran: when it ran, jiffies; @work's
 */
struct hc_lsdb_retry {
	struct delayed_work work;
	unsigned long wait;
	unsigned long ran;
};

/* The own FAULT word may have changed. */
void hc_lsdb_links(struct hc_node *node);
/* The links along @dims are there again: both ends tell each other all they know.  Poll. */
void hc_lsdb_meet(struct hc_node *node, u32 dims);
/* For lack of memory, what is owed was not sent over link @what, or it is HC_OWN_AGAIN: the poll
 * runs again after a while.  Poll.
 */
void hc_lsdb_retry(struct hc_node *node, unsigned int what);
/* An LSA frame came over link @dim; consumes. */
void hc_lsdb_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
/* One came and was dropped, since the link is down here. */
void hc_lsdb_undeliverable(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
			   unsigned int why);
/* First hop of a shortest path to @dst as far as known, or -1. */
int hc_lsdb_hop(struct hc_node *node, u32 dst);
/* Is it known that no way of healthy links leads to @dst? */
bool hc_lsdb_cut(struct hc_node *node, u32 dst);
/* Add to @set all nodes that can be reached, as far as known, this one among them.  False: no
 * memory.
 */
bool hc_lsdb_reach(struct hc_node *node, u32 *set);
/* The FAULT word of a node, as far as known. */
u32 hc_lsdb_word(const struct hc_node *node, u32 u);
/* Does no node that can be reached call a link good that is faulty at the other end?  Else news is
 * under way.  False also for lack of memory.
 */
bool hc_lsdb_fits(struct hc_node *node);
/* A spanning tree of the nodes that @origin reaches, as far as known: its links here are
 * @edges.  Return: its name, the same at all who know the same and at no others; 0: what
 * is known does not fit the own links, or some of these may lose frames, or no memory.
 */
u32 hc_lsdb_tree(struct hc_node *node, u32 origin, u32 *edges);
/* Is anything known of faults?  Any context, as the next one. */
bool hc_lsdb_any(const struct hc_node *node);
/* Fills in what is known of the FAULT words of all nodes. */
void hc_lsdb_words(struct hc_node *node, u16 *words);
/**
 * struct hc_lsdb_heard - what is known of a node
 * @any: anything is
 * @word: its FAULT word
 * @version: of the word
 */
struct hc_lsdb_heard {
	bool any;
	u16 word;
	u32 version;
};

/* Put what @node knows of each node where @heard, by node, has nothing newer.  Process context. */
void hc_lsdb_newest(struct hc_node *node, struct hc_lsdb_heard *heard);
void hc_lsdb_init(struct hc_lsdb *s);
/* Dimensions along which anything is to be told. */
static inline u32 hc_lsdb_owes(const struct hc_lsdb *s)
{
	return s->owes | s->all | s->asks;
}

/* Tell it, once all frames have been taken that were there when the first of it came. */
void hc_lsdb_flush(struct hc_node *node);
void hc_lsdb_free(struct hc_node *node);

void hc_lsdb_retry_init(struct hc_fabric *fabric);
/* All polls are disabled: nobody tries again. */
void hc_lsdb_retry_exit(struct hc_fabric *fabric);

#endif /* _HC_LSDB_H */
