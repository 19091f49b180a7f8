/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Link-state database: a node's knowledge of faults at other nodes, see lsdb.c. Functions may be
 * called only in the poll of the database's node, unless their Context says otherwise.
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
struct sk_buff;

/**
 * struct hc_lsdb_entry - the FAULT word of a node in a database
 * @node: number of the node
 * @word: its FAULT word
 * @version: counts the changes of @word
 */
struct hc_lsdb_entry {
	u16 node;
	u16 word;
	u32 version;
};

/**
 * struct hc_lsdb - link-state database of a node; [poll]
 * @announced: the node's own FAULT word as it has last sent it to the other nodes
 * @version: version of @announced
 * @claims: record of versions of the own FAULT word that the node has received but never sent
 * @list: entries, by ascending node number; the node's own FAULT word may have an entry, too
 * @n: number of entries in @list
 * @room: number of entries for which @list has memory
 * @owed: for each dimension a bitmap of the nodes whose entries are still to be sent along it; or
 *	NULL if it is not allocated yet
 * @next: for each dimension, the node number at which the next frame begins to look for entries
 *	that are to be sent
 * @owes: mask of the dimensions for which @owed may have bits that are set
 * @all: mask of the dimensions along which all entries are to be sent
 * @asks: mask of the dimensions along which all entries of the neighbour are to be requested
 * @news_at: value of hc_node.rxq.taken at which the node begins to send what @owes, @all and @asks
 *	name, if @news_waits
 * @news_waits: @news_at is set
 * @digest: digest of all FAULT words in @list
 * @hops: for each node, the dimension of the first hop to it; or NULL
 * @tree: mask of this node's links in the spanning tree, if @tree_agrees
 * @hops_stale: @hops has to be computed again
 * @tree_stale: @tree and @tree_agrees have to be computed again
 * @tree_agrees: the entries agree with the state of the node's own links
 * @lock: the poll takes it to write @list, other contexts take it to read @list
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
	bool tree_agrees;
	spinlock_t lock;
};

/**
 * struct hc_lsdb_retry - retries after allocation failures in polls of a fabric's nodes
 * @fabric: the fabric
 * @work: lets these polls run again
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
 * hc_lsdb_links() - send the node's own FAULT word to all nodes if it has changed
 * @node: the node
 *
 * Context: poll
 */
void hc_lsdb_links(struct hc_node *node);

/**
 * hc_lsdb_meet() - exchange all entries with neighbours whose links have come up
 * @node: the node
 * @dims: mask of the links' dimensions
 *
 * Context: poll
 */
void hc_lsdb_meet(struct hc_node *node, u32 dims);

/**
 * hc_lsdb_retry() - let the poll run again after a while, because an allocation has failed, or
 *	because the node's own FAULT word must not get its next version at once
 * @node: the node
 * @what: dimension of the link to which a frame could not be sent, or from which an entry could not
 *	be stored; or HC_OWN_AGAIN: the node's own FAULT word is to get a new version after the
 *	wait
 *
 * Context: poll
 */
void hc_lsdb_retry(struct hc_node *node, unsigned int what);

/**
 * hc_lsdb_rx() - process an LSA frame; consumes it
 * @node: the receiving node
 * @dim: dimension of the link over which the frame was received
 * @skb: the frame
 *
 * Context: poll
 */
void hc_lsdb_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_lsdb_undeliverable() - handle an LSA frame that is dropped because its link is down at this
 *	end
 * @node: the receiving node
 * @dim: dimension of the link over which the frame was received
 * @skb: the frame, which the caller still owns
 * @why: reason of the drop
 *
 * Context: poll
 */
void hc_lsdb_undeliverable(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
			   unsigned int why);

/**
 * hc_lsdb_hop() - find the first hop of a shortest path, as far as the node knows the faults
 * @node: the node
 * @dst: number of the destination
 *
 * Context: poll
 * Return: the dimension of the first hop, or -1 if the node knows none
 */
int hc_lsdb_hop(struct hc_node *node, u32 dst);

/**
 * hc_lsdb_cut() - tell whether a node is known to be unreachable
 * @node: the node
 * @dst: number of the destination
 *
 * Context: poll
 * Return: true if the node knows that no path of healthy links leads to @dst
 */
bool hc_lsdb_cut(struct hc_node *node, u32 dst);

/**
 * hc_lsdb_reach() - find the nodes that can be reached, as far as the node knows the faults
 * @node: the node
 * @set: bitmap to which the reachable nodes, and the node itself, are added
 *
 * Context: poll
 * Return: false if there is no memory
 */
bool hc_lsdb_reach(struct hc_node *node, u32 *set);

/**
 * hc_lsdb_word() - get the FAULT word of a node from a database
 * @node: the node whose database it is
 * @u: number of a node
 *
 * Context: poll
 * Return: the FAULT word, or 0 if the database has no entry of @u
 */
u32 hc_lsdb_word(const struct hc_node *node, u32 u);

/**
 * hc_lsdb_agrees() - tell whether the FAULT words of all reachable nodes agree with each other
 * @node: the node
 *
 * If a link is faulty in the FAULT word of one end, and not in the FAULT word of the other end, the
 * node has not received the newest FAULT word of the other end yet.
 *
 * Context: poll
 * Return: true if, at each reachable node, each link that is faulty in the FAULT word of its other
 *	end is also faulty in the node's own FAULT word. False otherwise, or if there is no memory
 */
bool hc_lsdb_agrees(struct hc_node *node);

/**
 * hc_lsdb_tree() - find the spanning tree for a flooded frame
 * @node: the node
 * @origin: number of the node that floods the frame
 * @edges: set to the mask of @node's links in the tree
 *
 * The tree spans all nodes that frames from @origin can reach, as far as @node knows the faults.
 *
 * Context: poll
 * Return: a digest that names the tree: two nodes that know the same faults have the same digest,
 *	and nodes that know different faults almost never have; 0 if the known faults do not agree
 *	with the state of the node's own links, if some of the node's links in the tree may lose
 *	frames, or if there is no memory
 */
u32 hc_lsdb_tree(struct hc_node *node, u32 origin, u32 *edges);

/**
 * hc_lsdb_any() - tell whether a node knows, or has known, of any fault
 * @node: the node
 *
 * Context: any; a snapshot
 * Return: true if so
 */
bool hc_lsdb_any(const struct hc_node *node);

/**
 * hc_lsdb_words() - get the FAULT words of all nodes from a database
 * @node: the node whose database it is
 * @words: array by node number, filled in; elements of nodes without an entry are not changed
 *
 * Context: any
 */
void hc_lsdb_words(struct hc_node *node, u16 *words);

/**
 * struct hc_lsdb_received - newest known version of a node's FAULT word
 * @any: a version is known
 * @word: the FAULT word
 * @version: version of @word
 */
struct hc_lsdb_received {
	bool any;
	u16 word;
	u32 version;
};

/**
 * hc_lsdb_newest() - merge a node's database into a table of the newest versions
 * @node: the node whose database it is
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
 * hc_lsdb_owes() - find the dimensions along which entries or requests are to be sent
 * @s: the database
 *
 * Context: poll
 * Return: mask of the dimensions
 */
static inline u32 hc_lsdb_owes(const struct hc_lsdb *s)
{
	return s->owes | s->all | s->asks;
}

/**
 * hc_lsdb_flush() - send outstanding entries and requests, unless frames are still unprocessed that
 *	were queued when this was first tried
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
 * Context: process, after all polls of the fabric are disabled, so that no poll starts a retry
 */
void hc_lsdb_retry_exit(struct hc_fabric *fabric);

#endif /* _HC_LSDB_H */
