/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nodes: the private part of their net_devices, and their polls.
 */
#ifndef _HC_NODE_H
#define _HC_NODE_H

#include <linux/netdevice.h>
#include <linux/u64_stats_sync.h>
#include <linux/uidgid.h>
#include <linux/hypercube.h>

#include "coll/host.h"
#include "coll/work.h"
#include "fabric/eth.h"
#include "fabric/fabric.h"
#include "fabric/gate.h"
#include "fabric/link.h"
#include "fabric/queue.h"
#include "fabric/skb.h"
#include "route/detect.h"
#include "route/flood.h"
#include "route/lsdb.h"
#include "sock/hostq.h"
#include "sock/socks.h"

struct hc_lie;
struct hc_round;
struct hc_tasks;
struct rtnl_link_ops;

/* In hc_node.memory_wait, beside links: there was no memory to note the own FAULT word. */
#define HC_OWN_AGAIN	HYPERCUBE_DIM_MAX

/* hc_node.events: what poll has to look at before the queues. */
enum {
	HC_EV_LINKS,		/* port flags changed */
	HC_EV_TEST,		/* DETECT: send test frames of a new round */
	HC_EV_JUDGE,		/* DETECT: the round is over, judge and tell */
	HC_EV_PLANS,		/* members were told to look at their links */
	HC_EV_READER,		/* a socket has room again */
	HC_EV_HOST,		/* look at the host queue: a plan is gone */
	HC_EV_TASKS,		/* tasks are to be handed over, or the time for that has come */
	HC_EV_ROUND,		/* the same for rounds of balancing */
	HC_EV_STALL,		/* look for operations that do not move */
};

/**
 * struct hc_node - a node; private part of its net_device
 * @dev: the net_device
 * @fabric: the fabric; constant
 * @id: node number; constant
 * @failed: administratively failed; config writes
 * @owner: uid that may bind, or INVALID_UID; config writes
 * @napi: the poll
 * @gate: its place in a processor's list; who has NAPI_STATE_SCHED
 * @events: HC_EV_*, atomic
 * @rxq: frames from the links, except Ethernet; any poll of a neighbour adds
 * @eth_rxq: Ethernet frames from the links; the same
 * @ethq: frames from the endpoint's own stack
 * @hostq: the host port
 * @host: what came through it and waits
 * @failing: links that have failed, and plans to be looked at for them
 * @work: members that wait or have something to do
 * @socks: the sockets that are bound to it
 * @tasks: its tasks, or NULL: there never were any; set once, under fabric->sock_lock (release)
 * @round: its part in rounds of balancing, or NULL: it takes none; config sets it (release), once
 * @fault: own FAULT word [poll]
 * @detect: its part in rounds of DETECT
 * @nb_fault: FAULT words the neighbours sent [poll]
 * @own_wait: links for which no room is left (own.c); atomic
 * @memory_wait: links for which there was no memory (lsdb.c), and HC_OWN_AGAIN; atomic
 * @syncp: for the 64-bit counters here and in the ports
 * @host_frames: frames taken from @hostq [poll]
 * @merged_bytes: bytes merged [poll]
 * @spent: what the present frame has cost beyond its own share of the budget [poll]
 * @merge_cost: what the present poll has spent on merging, see merge.c [poll]
 * @lie: when it lies about what it relays, or NULL: it never did; config sets it (release), freed
 *	with the node
 * @eth: Ethernet of the endpoint
 * @flood: frames that are flooded
 * @lsdb: what is known of faults elsewhere
 * @drops: by reason, not attributed to a link; atomic, any context
 * @ports: one for each dimension
 */
struct hc_node {
	struct net_device *dev;
	struct hc_fabric *fabric;
	u32 id;
	bool failed;
	kuid_t owner;

	struct napi_struct napi;
	struct hc_gate_place gate;
	unsigned long events;
	struct hc_queue rxq;
	struct hc_queue eth_rxq;
	struct hc_queue ethq;
	struct hc_hostq hostq;
	struct hc_host host;
	struct hc_failing failing;
	struct hc_work work;

	struct hc_socks socks;
	struct hc_tasks *tasks;
	struct hc_round *round;

	u32 fault;
	struct hc_node_detect detect;
	u32 nb_fault[HYPERCUBE_DIM_MAX];
	unsigned long own_wait;
	unsigned long memory_wait;

	struct u64_stats_sync syncp;
	u64 host_frames;
	u64 merged_bytes;
	u32 spent;
	u32 merge_cost;
	struct hc_lie *lie;
	struct hc_eth eth;
	struct hc_flood flood;
	struct hc_lsdb lsdb;

	atomic64_t drops[HC_DROP_MAX];

	struct hc_port ports[];
};

/* The poll is enabled; the ports come later, from hc_link_open(). */
struct hc_node *hc_node_alloc(struct hc_fabric *fabric, u32 id);
/* Wait for the poll and let it never run again. */
void hc_node_disable(struct hc_node *node);
/* All polls are disabled: stop the timers of the node's links. */
void hc_node_timers_stop(struct hc_node *node);
/* All timers are stopped, too: close the carriers of the node's links. */
void hc_node_close(struct hc_node *node);
/* Drop what is still queued; no poll of the fabric runs any more. */
void hc_node_purge(struct hc_node *node);
/* All nodes of the fabric have been purged, since frames are charged to those that made them, and
 * the net_device is not registered.
 */
void hc_node_free(struct hc_node *node);
/* Set an event and let the node's poll run.  Process or softirq context. */
void hc_node_kick(struct hc_node *node, unsigned int event);
/* Callers that kick all nodes, one after another, call this after each, @u: so that not all
 * polls are in the way of other traffic at once.  Process context; sleeps.
 */
void hc_node_kicked(const struct hc_fabric *fabric, u32 u);
/* Register the net_device; under rtnl. */
int hc_node_register(struct hc_node *node);
/* Bytes of our own state of a node of a fabric of dimension @dim. */
size_t hc_node_size(unsigned int dim);

extern struct rtnl_link_ops hc_link_ops;

/* Returns what a frame, or a plan, counts for in the poll's budget: one, and what its handler
 * has added to .spent if it meant work for many.
 */
static inline int hc_cost(struct hc_node *node)
{
	int cost = 1 + node->spent;

	node->spent = 0;
	return cost;
}

/* The first of the nodes of this machine from number @u on, or NULL. */
static inline struct hc_node *hc_node_from(const struct hc_fabric *fabric, u32 u)
{
	struct hc_node *node = NULL;

	for (; u < hc_nodes(fabric->dim) && !node; u++)
		node = fabric->nodes[u];
	return node;
}

/* The same; @u goes behind it. */
static inline struct hc_node *hc_node_next(const struct hc_fabric *fabric, u32 *u)
{
	struct hc_node *node = hc_node_from(fabric, *u);

	if (node)
		*u = node->id + 1;
	return node;
}

/* All nodes of this machine, in ascending order. */
#define hc_each_node(of, node)						\
	for (u32 _next = 0; ((node) = hc_node_next(of, &_next));)

/* Of the two ends of a link, the lower one of those that are here; one of them is @node. */
static inline struct hc_node *hc_lower_end(struct hc_node *node, unsigned int dim)
{
	return node->fabric->nodes[node->id & ~hc_bit(dim)] ?: node;
}

/* Let the poll run: there is something to do, since before the call. */
static inline void hc_node_schedule(struct hc_node *node)
{
	if (napi_schedule_prep(&node->napi))
		hc_gate_enter(node);
}

/* With bottom halves enabled again the softirq runs at once: a caller in process
 * context pays for the work it causes, and waits for nobody else to do it.
 */
static inline void hc_node_run(struct hc_node *node)
{
	local_bh_disable();
	hc_node_schedule(node);
	local_bh_enable();
}

#endif /* _HC_NODE_H */
