/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Link-state database: what nodes know of the links of others, see lsdb.c. All of it belongs to the
 * poll, unless a function's context says otherwise.
 */
#ifndef _HC_LSDB_H
#define _HC_LSDB_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "hc_topo.h"
#include "route/claims.h"

struct hc_fabric;
struct hc_node;
struct hc_lsdb_entry;
struct sk_buff;

/**
 * struct hc_lsdb - what a node knows of faults at other nodes; [poll]
 * @announced: own FAULT word as last sent to the other nodes
 * @version: version of @announced
 * @claims: versions of the own FAULT word that came from others and that this node has not sent
 * @list: entries of other nodes, by ascending node number
 * @n: how many entries @list has
 * @room: how many entries @list has memory for
 * @owed: for each dimension a bitmap of the nodes whose entries are still to be sent along it, or
 *	NULL
 * @next: for each dimension, the node whose bit is looked at first for the next frame
 * @owes: dimensions along which bits of @owed may be set
 * @all: dimensions along which all entries are to be sent
 * @asks: dimensions along which the neighbour is to be asked to send all its entries
 * @news_at: value of hc_node.rxq.taken from which on they are sent, if @news_waits
 * @news_waits: @news_at is set
 * @digest: of all FAULT words in @list
 * @hops: first hops to all nodes, or NULL
 * @tree: links of this node in the spanning tree, if @tree_fits
 * @hops_stale: @hops have to be computed again
 * @tree_stale: @tree and @tree_fits have to be computed again
 * @tree_fits: the entries agree with the state of the own links
 * @lock: the poll takes it to write @list, and other contexts to read it
 */
struct hc_lsdb {
	u32 announced;
	u32 version;
	struct hc_claims claims;
	struct hc_lsdb_entry *list;
	u32 n;
	u32 room;
	unsigned long *owed;
	u16 next[HC_PORTS_MAX];
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
 * struct hc_lsdb_retry - retries for the nodes of a fabric that have lacked memory
 * @fabric: the fabric
 * @work: lets their polls try again
 * @wait: delay of @work, jiffies; written by @work
 * @ran: when @work last ran, jiffies; only @work uses it
 */
struct hc_lsdb_retry {
	struct hc_fabric *fabric;
	struct delayed_work work;
	unsigned long wait;
	unsigned long ran;
};

/**
 * hc_lsdb_links() - send the own FAULT word to all nodes if it has changed
 * @node: the node
 *
 * Context: poll
 */
void hc_lsdb_links(struct hc_node *node);

/**
 * hc_lsdb_meet() - exchange all that is known with neighbours whose links have come up
 * @node: the node
 * @dims: dimensions of the links, as a mask
 *
 * Context: poll
 */
void hc_lsdb_meet(struct hc_node *node, u32 dims);

/**
 * hc_lsdb_retry() - let the poll run again after a while, because memory lacked
 * @node: the node
 * @what: dimension of the link over which something could not be sent, or HC_OWN_AGAIN: the own
 *	FAULT word is to get a new version then
 *
 * Context: poll
 */
void hc_lsdb_retry(struct hc_node *node, unsigned int what);

/**
 * hc_lsdb_rx() - process an LSA frame; consumes it
 * @node: the receiving node
 * @dim: dimension of the link that it came over
 * @skb: the frame
 *
 * Context: poll
 */
void hc_lsdb_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_lsdb_undeliverable() - handle an LSA frame that is dropped because its link is down at this
 *	end
 * @node: the receiving node
 * @dim: dimension of the link that it came over
 * @skb: the frame, which stays the caller's
 * @why: reason of the drop
 *
 * Context: poll
 */
void hc_lsdb_undeliverable(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
			   unsigned int why);

/**
 * hc_lsdb_hop() - find the first hop of a shortest path, as far as known
 * @node: the node
 * @dst: number of the destination
 *
 * Context: poll
 * Return: a dimension, or -1 if none is known
 */
int hc_lsdb_hop(struct hc_node *node, u32 dst);

/**
 * hc_lsdb_cut() - tell whether a node is known to be unreachable
 * @node: the node
 * @dst: number of the destination
 *
 * Context: poll
 * Return: true if it is known that no path of healthy links leads to @dst
 */
bool hc_lsdb_cut(struct hc_node *node, u32 dst);

/**
 * hc_lsdb_reach() - find the nodes that can be reached, as far as known
 * @node: the node, which is one of them
 * @set: bitmap to which they are added
 *
 * Context: poll
 * Return: false if there is no memory
 */
bool hc_lsdb_reach(struct hc_node *node, u32 *set);

/**
 * hc_lsdb_word() - get the FAULT word of a node, as far as known
 * @node: the node that asks
 * @u: number of the other node
 *
 * Context: poll
 * Return: the FAULT word; 0 if nothing is known
 */
u32 hc_lsdb_word(const struct hc_node *node, u32 u);

/**
 * hc_lsdb_fits() - tell whether what is known of the component is consistent
 * @node: the node
 *
 * If one end of a link is known to call it faulty, and the other is not, an update is on its way.
 *
 * Context: poll
 * Return: true if no reachable node calls a link healthy that its other end calls faulty; false
 *	also if there is no memory
 */
bool hc_lsdb_fits(struct hc_node *node);

/**
 * hc_lsdb_tree() - find a spanning tree of the nodes that an origin reaches, as far as known
 * @node: the node
 * @origin: number of the node that floods a frame
 * @edges: set to the links of @node in the tree, as a mask
 *
 * Context: poll
 * Return: a digest that names the tree: nodes have the same one if and only if they know the same;
 *	0 if what is known does not agree with the own links, some of these may lose frames, or
 *	there is no memory
 */
u32 hc_lsdb_tree(struct hc_node *node, u32 origin, u32 *edges);

/**
 * hc_lsdb_any() - tell whether any fault is known
 * @node: the node
 *
 * Context: any; a snapshot
 * Return: true if so
 */
bool hc_lsdb_any(const struct hc_node *node);

/**
 * hc_lsdb_words() - get what is known of the FAULT words of all nodes
 * @node: the node that knows
 * @words: set, by node number; words of nodes of which nothing is known stay as they are
 *
 * Context: any
 */
void hc_lsdb_words(struct hc_node *node, u16 *words);

/**
 * struct hc_lsdb_received - what is known of a node
 * @any: something is known
 * @word: its FAULT word
 * @version: version of @word
 */
struct hc_lsdb_received {
	bool any;
	u16 word;
	u32 version;
};

/**
 * hc_lsdb_newest() - merge what a node knows into a table of the newest versions
 * @node: the node that knows
 * @received: the table, by node number
 *
 * Context: process
 */
void hc_lsdb_newest(struct hc_node *node, struct hc_lsdb_received *received);

/**
 * hc_lsdb_init() - set up the database of a new node
 * @s: the database
 */
void hc_lsdb_init(struct hc_lsdb *s);

/**
 * hc_lsdb_owes() - tell along which dimensions something is to be sent
 * @s: the database
 *
 * Context: poll
 * Return: the dimensions, as a mask
 */
static inline u32 hc_lsdb_owes(const struct hc_lsdb *s)
{
	return s->owes | s->all | s->asks;
}

/**
 * hc_lsdb_flush() - send what is outstanding, once all frames have been processed that were queued
 *	when the first of it became so
 * @node: the node
 *
 * Context: poll
 */
void hc_lsdb_flush(struct hc_node *node);

/**
 * hc_lsdb_free() - free the database of a node
 * @node: the node
 *
 * Context: process, after the node's last poll
 */
void hc_lsdb_free(struct hc_node *node);

/**
 * hc_lsdb_retry_init() - set up the retries of a new fabric
 * @fabric: the fabric
 */
void hc_lsdb_retry_init(struct hc_fabric *fabric);

/**
 * hc_lsdb_retry_exit() - stop the retries of a fabric
 * @fabric: the fabric
 *
 * Context: process, after all polls of the fabric are disabled, so that none starts a retry
 */
void hc_lsdb_retry_exit(struct hc_fabric *fabric);

#endif /* _HC_LSDB_H */
