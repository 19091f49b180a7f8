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

#include "fabric/eth.h"
#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/poll_limit.h"
#include "fabric/queue.h"
#include "fabric/skb.h"

struct hc_flood;
struct hc_host;
struct hc_hostq;
struct hc_byzantine;
struct hc_lsdb;
struct hc_node_detect;
struct hc_round;
struct hc_socks;
struct hc_tasks;
struct hc_work;
struct rtnl_link_ops;

/* The bit of hc_node.memory_wait behind the bits of links. Set: there was no memory to store the
 * node's own FAULT word in its link-state database.
 */
#define HC_OWN_AGAIN	HC_PORTS_MAX

/* hc_node.events: what the poll handles before the queues. */
enum {
	HC_EV_LINKS,		/* port flags changed */
	HC_EV_TEST,		/* DETECT: send test frames of a new round */
	HC_EV_DECIDE,		/* DETECT: the waiting time has passed: decide, and send that */
	HC_EV_PLANS,		/* members of plans have to check their links */
	HC_EV_READER,		/* a socket's receive buffer has space again */
	HC_EV_HOST,		/* check the host port: a plan was removed */
	HC_EV_TASKS,		/* tasks are to migrate, or a timer of tasks has expired */
	HC_EV_ROUND,		/* a load balancing round has something to do */
	HC_EV_STALL,		/* look for stalled operations */
};

/**
 * struct hc_failing - links of a node that have failed, and whose failure not all plans that use
 *	them have handled
 * @links: mask of failed links for which no plan was checked yet; hc_link_update() adds to it
 *	[poll]
 * @now: mask of failed links for which plans are being checked [poll]
 */
struct hc_failing {
	u32 links;
	u32 now;
};

/**
 * struct hc_node - a node; private part of its net_device
 * @dev: the net_device
 * @fabric: the fabric; constant
 * @id: node number; constant
 * @failed: administratively failed; config writes
 * @owner: uid of the user that may bind sockets to the node, or INVALID_UID; config writes
 * @napi: the NAPI instance of the node's poll
 * @poll_place: the node's place in a processor's poll list; belongs to the context that has set
 *	NAPI_STATE_SCHED
 * @events: HC_EV_*, atomic
 * @rxq: frames received from the links, except Ethernet frames; any context may add
 * @eth_rxq: Ethernet frames received from the links; any context may add
 * @ethq: frames from the endpoint's own stack
 * @hostq: the host port
 * @host: contributions that the poll has taken from the host port and that cannot begin yet
 * @failing: failed links whose failure not all plans have handled
 * @work: members of plans that wait or have something to do
 * @socks: the sockets that are bound to the node
 * @tasks: the node's tasks, or NULL: the node has never had any; set once, by cmpxchg()
 * @round: the node's state for load balancing rounds, or NULL: it has never taken part in one;
 *	config sets it (release), once
 * @fault: the node's own FAULT word [poll]
 * @detect_round: number of the round of DETECT whose test frames count; config writes
 * @detect: the node's state for rounds of DETECT
 * @nb_fault: FAULT words that the neighbours have sent [poll]
 * @own_wait: mask of links over which link states are outstanding until a limit allows them
 *	(own.c); atomic
 * @memory_wait: mask of links over which a frame could not be sent for lack of memory (lsdb.c), and
 *	the bit HC_OWN_AGAIN; atomic
 * @announces: the next poll is to send outstanding FAULT words and link states [poll]
 * @syncp: protects the 64-bit counters of the node and of its ports
 * @host_frames: frames that the poll has taken from @hostq [poll]
 * @merged_bytes: bytes of contributions that the node has merged [poll]
 * @spent: budget that the frame being handled has used, beyond the 1 that each frame uses [poll]
 * @merge_cost: what the present poll has spent on merging, see coll/algo/merge.c [poll]
 * @byz: which frames the node corrupts when it relays them, or NULL: it was never set to corrupt
 *	any; config sets it (release), freed with the node
 * @eth: Ethernet state of the endpoint
 * @flood: state of flooded frames (route/flood.c)
 * @lsdb: link-state database: what the node knows about faults at other nodes
 * @drops: by reason: dropped frames that are not counted on a link; atomic, any context
 * @ports: one end of a link for each port number; nodes need not have all ports
 */
struct hc_node {
	struct net_device *dev;
	struct hc_fabric *fabric;
	u32 id;
	bool failed;
	kuid_t owner;

	struct napi_struct napi;
	struct hc_poll_place poll_place;
	unsigned long events;
	struct hc_queue rxq;
	struct hc_queue eth_rxq;
	struct hc_queue ethq;
	struct hc_hostq *hostq;
	struct hc_host *host;
	struct hc_failing failing;
	struct hc_work *work;

	struct hc_socks *socks;
	struct hc_tasks *tasks;
	struct hc_round *round;

	u32 fault;
	u32 detect_round;
	struct hc_node_detect *detect;
	u32 nb_fault[HC_PORTS_MAX];
	unsigned long own_wait;
	unsigned long memory_wait;
	bool announces;

	struct u64_stats_sync syncp;
	u64 host_frames;
	u64 merged_bytes;
	u32 spent;
	u32 merge_cost;
	struct hc_byzantine *byz;
	struct hc_eth eth;
	struct hc_flood *flood;
	struct hc_lsdb *lsdb;

	atomic64_t drops[HC_DROP_MAX];

	struct hc_port ports[];
};

/* The poll of all nodes, which calls all other parts of the module; poll.c sets it at init. */
extern int (*hc_node_poll)(struct napi_struct *napi, int budget);
/* The operations of all nodes' net_devices; route/eth.c sets them at init. */
extern const struct net_device_ops *hc_node_netdev_ops;

/**
 * hc_node_alloc() - create a node with its net_device, its poll enabled, and no links
 * @fabric: the fabric
 * @id: node number
 *
 * Context: process
 * Return: the node, or NULL if there is no memory
 */
struct hc_node *hc_node_alloc(struct hc_fabric *fabric, u32 id);

/**
 * hc_node_disable() - wait until a node's poll has ended, and disable it
 * @node: the node
 *
 * Context: process
 */
void hc_node_disable(struct hc_node *node);

/**
 * hc_node_timers_stop() - stop the timers of a node and its links
 * @node: the node
 *
 * Context: process, after all polls are disabled
 */
void hc_node_timers_stop(struct hc_node *node);

/**
 * hc_node_close() - disconnect the links of a node
 * @node: the node
 *
 * Context: process, after all timers are stopped
 */
void hc_node_close(struct hc_node *node);

/**
 * hc_node_purge() - drop all frames that are queued at a node
 * @node: the node
 *
 * Context: process, after the last poll
 */
void hc_node_purge(struct hc_node *node);

/**
 * hc_node_free() - free a node and its net_device, which is not registered
 * @node: the node
 *
 * Context: process, after all nodes of the fabric are purged: a frame that is queued at one node
 * may be charged to another one
 */
void hc_node_free(struct hc_node *node);

/**
 * hc_node_kick() - set an event and let the node's poll run
 * @node: the node
 * @event: HC_EV_*
 *
 * Context: process or softirq
 */
void hc_node_kick(struct hc_node *node, unsigned int event);

/**
 * hc_node_kicked() - sleep for a while between kicks of many nodes, so that other nodes are polled
 *	meanwhile
 * @fabric: the fabric
 * @u: the node that was just kicked
 *
 * Context: process; sleeps
 */
void hc_node_kicked(const struct hc_fabric *fabric, u32 u);

/**
 * hc_node_register() - register a node's net_device
 * @node: the node
 *
 * Context: process, under rtnl
 * Return: 0 or -errno
 */
int hc_node_register(struct hc_node *node);

/**
 * hc_node_size() - count the bytes that the module allocates for each node
 * @ports: number of port numbers, hc_topo.ports
 *
 * Context: any
 * Return: bytes
 */
size_t hc_node_size(unsigned int ports);

extern struct rtnl_link_ops hc_link_ops;

/* Return the part of the poll's budget that a frame, or the work for a plan, has used: 1, plus what
 * its handler has added to .spent for additional work. Reset .spent.
 */
static inline int hc_cost(struct hc_node *node)
{
	int cost = 1 + node->spent;

	node->spent = 0;
	return cost;
}

/* Return: true if all plans have handled the failed links of the node. Any context. */
static inline bool hc_faults_over(const struct hc_node *node)
{
	/* Load .links before .now: faults_work() (coll/member_sched.c) moves failed links from
	 * .links to .now. The acquire pairs with it, so that the caller reads what the plans have
	 * done.
	 */
	return !smp_load_acquire(&node->failing.links) && !smp_load_acquire(&node->failing.now);
}

/* Return the first node of this machine whose number is at least @u, or NULL. */
static inline struct hc_node *hc_node_from(const struct hc_fabric *fabric, u32 u)
{
	struct hc_node *node = NULL;

	for (; u < fabric->topo.nodes && !node; u++)
		node = fabric->nodes[u];
	return node;
}

/* Return hc_node_from() of *@u, and set *@u to the number of that node plus 1. */
static inline struct hc_node *hc_node_next(const struct hc_fabric *fabric, u32 *u)
{
	struct hc_node *node = hc_node_from(fabric, *u);

	if (node)
		*u = node->id + 1;
	return node;
}

/* Loop over all nodes of this machine, in ascending order. */
#define hc_each_node(of, node)						\
	for (u32 _next = 0; ((node) = hc_node_next(of, &_next));)

/* Return the number of the node at the other end of a link, or @node's own number if it has no such
 * port.
 */
static inline u32 hc_node_peer(const struct hc_node *node, unsigned int dim)
{
	return node->ports[dim].to;
}

/* Return the ports that the node has, as a mask. */
static inline u32 hc_node_ports(const struct hc_node *node)
{
	return hc_ports(&node->fabric->topo, node->id);
}

/* Return the lower end of a link of @node, or @node if the lower end is remote. */
static inline struct hc_node *hc_lower_end(struct hc_node *node, unsigned int dim)
{
	return node->fabric->nodes[min(node->id, hc_node_peer(node, dim))] ?: node;
}

/* Schedule the node's poll. The caller must have stored the poll's work before. */
static inline void hc_node_schedule(struct hc_node *node)
{
	if (napi_schedule_prep(&node->napi))
		hc_poll_limit_enter(node);
}

/* Schedule the node's poll, in process context. The softirq runs at once, when bottom halves are
 * enabled again: so the caller itself executes the work that it causes, and does not wait for
 * another task to do so.
 */
static inline void hc_node_run(struct hc_node *node)
{
	local_bh_disable();
	hc_node_schedule(node);
	local_bh_enable();
}

#endif /* _HC_NODE_H */
