// SPDX-License-Identifier: GPL-2.0
/*
 * The FAULT words of the nodes on other machines, as this machine knows them. They are taken from
 * the link-state databases of the local nodes (lsdb.c). Machines that can reach each other have
 * equal databases once changes have spread, so each of them computes the same plan.
 */
#include <linux/mm.h>
#include <linux/sched.h>

#include "fabric/fabric.h"
#include "fabric/node.h"
#include "hc_topo.h"
#include "route/lsdb.h"
#include "route/remote_nodes.h"

/* Fill @words with the FAULT words of all nodes: for a local node its own FAULT word, for a remote
 * node the newest version of its FAULT word in any local node's database. Return: false if there is
 * no memory.
 */
static bool words_gather(const struct hc_fabric *fabric, u32 *words)
{
	struct hc_lsdb_received *received = kvcalloc(fabric->topo.nodes, sizeof(*received),
						     GFP_KERNEL);
	struct hc_node *node;
	u32 u;

	if (!received)
		return false;
	hc_each_node(fabric, node) {
		hc_lsdb_newest(node, received);
		cond_resched();
	}
	for (u = 0; u < fabric->topo.nodes; u++)
		words[u] = received[u].word;
	hc_each_node(fabric, node)
		words[node->id] = READ_ONCE(node->failed) ? hc_node_ports(node) :
							    READ_ONCE(node->fault);
	kvfree(received);
	return true;
}

/* Copy @words to @both. If a link is faulty in the FAULT word of one end only, it is faulty at both
 * ends in @both.
 */
static void words_mirror(const struct hc_fabric *fabric, const u32 *words, u32 *both)
{
	unsigned int d;
	u32 u;

	for (u = 0; u < fabric->topo.nodes; u++) {
		both[u] = words[u];
		for (d = 0; d < fabric->topo.ports; d++)
			both[u] |= words[hc_peer(&fabric->topo, u, d)] & hc_bit(d);
	}
}

/* Add to @set all nodes that a path of healthy links connects to a local node. Return: false if
 * there is no memory.
 */
static bool words_reach(const struct hc_fabric *fabric, const u32 *words, u32 *set)
{
	u32 nodes = fabric->topo.nodes;
	u32 *both = kvcalloc(2 * nodes, sizeof(*both), GFP_KERNEL);
	const struct hc_node *node;

	if (!both)
		return false;
	words_mirror(fabric, words, both);
	hc_each_node(fabric, node)
		if (!hc_set_has(set, node->id))
			hc_set_reach(set, &fabric->topo, both, node->id, both + nodes);
	kvfree(both);
	return true;
}

u32 *hc_remote_faults(const struct hc_fabric *fabric)
{
	u32 nodes = fabric->topo.nodes, u;
	u32 *words = kvcalloc(nodes, sizeof(*words), GFP_KERNEL);
	u32 *set = kvcalloc(hc_topo_words(&fabric->topo), sizeof(*set), GFP_KERNEL);

	lockdep_assert_held(&fabric->lock);
	if (!words || !set || !words_gather(fabric, words) || !words_reach(fabric, words, set)) {
		kvfree(words);
		words = NULL;
	}
	for (u = 0; words && u < nodes; u++)
		if (!hc_set_has(set, u))
			words[u] = hc_ports(&fabric->topo, u);
	kvfree(set);
	return words;
}

bool hc_remote_lost(const struct hc_fabric *fabric, const u32 *words, u32 u)
{
	return !hc_is_here(fabric, u) && words[u] == hc_ports(&fabric->topo, u);
}
