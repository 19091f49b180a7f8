// SPDX-License-Identifier: GPL-2.0
/*
 * What this machine knows of the nodes that live elsewhere: what the link-state databases of its
 * own nodes say, which frames have brought.  Machines that can reach each other have the same
 * databases once changes have spread, so that the same plan is made from them on each.
 */
#include <linux/mm.h>
#include <linux/sched.h>

#include "fabric/fabric.h"
#include "fabric/node.h"
#include "hc_topo.h"
#include "route/away.h"
#include "route/lsdb.h"

/* What the nodes here say themselves, and the newest that they have heard of the others. */
static bool words_gather(const struct hc_fabric *fabric, u32 *words)
{
	struct hc_lsdb_heard *heard = kvcalloc(hc_nodes(fabric->dim), sizeof(*heard), GFP_KERNEL);
	struct hc_node *node;
	u32 u;

	if (!heard)
		return false;
	hc_each_node(fabric, node) {
		hc_lsdb_newest(node, heard);
		cond_resched();
	}
	for (u = 0; u < hc_nodes(fabric->dim); u++)
		words[u] = heard[u].word;
	hc_each_node(fabric, node)
		words[node->id] = READ_ONCE(node->failed) ? hc_ones(fabric->dim) :
							    READ_ONCE(node->fault);
	kvfree(heard);
	return true;
}

/* A link is faulty if either end says so. */
static void words_mirror(const struct hc_fabric *fabric, const u32 *words, u32 *both)
{
	unsigned int d;
	u32 u;

	for (u = 0; u < hc_nodes(fabric->dim); u++) {
		both[u] = words[u];
		for (d = 0; d < fabric->dim; d++)
			both[u] |= words[hc_neigh(u, d)] & hc_bit(d);
	}
}

static bool words_reach(const struct hc_fabric *fabric, const u32 *words, u32 *set)
{
	u32 nodes = hc_nodes(fabric->dim);
	u32 *both = kvcalloc(2 * nodes, sizeof(*both), GFP_KERNEL);
	const struct hc_node *node;

	if (!both)
		return false;
	words_mirror(fabric, words, both);
	hc_each_node(fabric, node)
		if (!hc_set_has(set, node->id))
			hc_set_reach(set, fabric->dim, both, node->id, both + nodes);
	kvfree(both);
	return true;
}

u32 *hc_away_words(const struct hc_fabric *fabric)
{
	u32 nodes = hc_nodes(fabric->dim), u;
	u32 *words = kvcalloc(nodes, sizeof(*words), GFP_KERNEL);
	u32 *set = kvcalloc(hc_set_words(fabric->dim), sizeof(*set), GFP_KERNEL);

	lockdep_assert_held(&fabric->lock);
	if (!words || !set || !words_gather(fabric, words) || !words_reach(fabric, words, set)) {
		kvfree(words);
		words = NULL;
	}
	for (u = 0; words && u < nodes; u++)
		if (!hc_set_has(set, u))
			words[u] = hc_ones(fabric->dim);
	kvfree(set);
	return words;
}

bool hc_away_lost(const struct hc_fabric *fabric, const u32 *words, u32 u)
{
	return !hc_is_here(fabric, u) && words[u] == hc_ones(fabric->dim);
}
