/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fabrics, and the rules for the state that belongs to them: which context may use what.
 *
 * Contexts
 *   config	process context: netlink handlers, namespace exit, module exit
 *   poll	NAPI poll of one node, or a task that owns the node's NAPI instead (route/eth.c); on
 *		at most one CPU at a time for each node
 *   socket	process context inside a system call on a socket
 *
 * Locks, outermost first. No task sleeps under one of these locks to wait for an event: a request
 * that has to wait is deferred (netlink/deferred.c). No task waits for hc_fabric.lock under rtnl,
 * which all of the network stack needs.
 *   rtnl
 *   hc_net.lock	mutex: the list of fabrics of one network namespace
 *   hc_fabric.lock	mutex: configuration of one fabric: links, nodes, plans
 *   hc_fabric.sock_lock	mutex: which sockets a fabric's nodes have
 *   socket lock	lock_sock() of a bound socket
 *   hc_impair.lock	spin lock: one direction of an impaired link (impair.c)
 *   hc_rounds.lock	spin lock: load balancing rounds that have ended (task/round_set.c)
 *   hc_collector.lock	spin lock: copies of datagrams at a socket (sock/collect.c)
 *   queue locks	the spin locks of hc_node.rxq, .eth_rxq, .ethq and .hostq.q
 *   hc_poll_limit.lock	spin lock: which nodes are in a processor's poll list (poll_limit.c)
 *
 * Everything marked [poll] belongs to the node's poll alone and needs no lock. Other readers use
 * READ_ONCE() and accept a snapshot. No code on the data path reads another node's [poll] fields:
 * nodes learn about each other from frames only.
 *
 * Teardown of a fabric (hc_fabric_destroy) has two phases: (1) make the fabric unreachable: set
 * dead, unpublish plans and sockets, and call synchronize_net(), after which no system call or poll
 * finds them; (2) napi_disable() every node, stop the timers of impaired links, unregister the
 * net_devices, and purge queues and plans. A poll that still runs may put frames into the queue of
 * a neighbour, so nodes are freed only after *all* polls are disabled.
 */
#ifndef _HC_FABRIC_H
#define _HC_FABRIC_H

#include <linux/bitops.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>
#include <linux/hypercube.h>

#include "fabric/flap.h"
#include "fabric/spent.h"
#include "hc_topo.h"

struct hc_node;
struct hc_commit;
struct hc_detect;
struct hc_poll_owner;
struct hc_deferred_list;
struct hc_lsdb_retry;
struct hc_paths;
struct hc_account;
struct hc_plan;
struct hc_rounds;
struct hc_trunks;
struct mem_cgroup;
struct net_device;
struct netlink_ext_ack;
struct sock;

#define HC_NODES_MAX	(1U << HYPERCUBE_DIM_MAX)
/* Entries of hc_fabric.near: most frames and system calls find their plan there without a walk of
 * the xarray.
 */
#define HC_PLANS_NEAR	8

/**
 * struct hc_fabric - a hypercube, or another network
 * @list: in hc_net.fabrics, under hc_net.lock
 * @ref: reference count: bound sockets and the list hold one each
 * @net: network namespace that the fabric belongs to
 * @index: number of the fabric, unique on this machine
 * @id: number of the fabric in frames and MAC addresses; two fabrics may have the same, even on one
 *	machine
 * @topo: which links there are; constant; its table belongs to the fabric
 * @fixed: subcube mask of this machine's nodes; 0: all nodes are on this machine
 * @base: subcube value of this machine's nodes
 * @shape: description of the network, as user space has set it, or ""
 * @segment: payload bytes of a full data frame
 * @name: its name
 * @ready: creation is complete; written under hc_net.lock, see hc_fabric_alive()
 * @dead: the fabric is being removed; set under @lock
 * @lock: serialises configuration
 * @sock_lock: serialises bind(), connect() and close() of its nodes' sockets
 * @account: accounting owner; constant
 * @poll_owner: queues in which the accounting owner's nodes wait for their polls (poll_limit.c);
 *	belongs to @account
 * @charged: fabric and nodes are counted for @account; true until the nodes are freed
 * @leaving: number of endpoints that an ending namespace is just unregistering
 * @memcg: memory cgroup to which allocations of the nodes' polls are charged; constant
 * @plans: struct hc_plan by id; written under @lock, read under RCU
 * @near: cache of @plans, indexed by the low bits of the id; NULL: no plan is cached there. See
 *	hc_plan_find()
 * @nplans: number of plans; under @lock
 * @retiring: the id of a plan that was removed and whose operations have not all been ended, or 0;
 *	written under @lock
 * @epoch: counts plan installations; written under @lock
 * @nodes: all nodes by number, NULL for remote ones; valid until phase 2 of the teardown
 * @nfailed: number of failed nodes; under @lock
 * @stall_timeout: ms after which a migrating task whose link has failed becomes unresolved, and a
 *	load balancing round that makes no progress fails; 0: never; written under @lock
 * @detect_round: number of the last round of DETECT; under @lock
 * @detecting: the round of DETECT that is under way, or NULL; under @lock
 * @paths: requests whose PATH frames are under way; constant
 * @deferred: deferred requests; constant
 * @stall: delayed work that looks for stalled operations
 * @stall_group: number of the group of nodes that @stall looks at next
 * @monitor: the monitor interface; constant while a poll may run
 * @monitored: the monitor interface is up
 * @flaps: links that go down and up by a schedule
 * @spents: links that became spent, or usable again, and whose other ends are to be notified
 * @rounds: load balancing rounds; constant
 * @lsdb_retry: nodes that have lacked memory for their link-state databases; constant
 * @life: boot id: a random number by which other machines distinguish these nodes from the nodes
 *	with the same numbers after a reboot; constant
 * @accused: number of a trunk whose other machine was found to have nodes with the same numbers as
 *	nodes of this machine; 0: none. Written after @accused_at
 * @accused_at: when the trunk in @accused was found, jiffies
 * @trunks: trunks to other machines; constant
 * @commit: state of the request to all machines that is under way (trunk/commit.h); constant
 * @unaccounted: memory of frames that wait on impaired links and are charged to no socket
 * @far: memory of frames from other machines, see fabric/remote_skb.h
 * @on_way: memory of those frames from other machines that are in transit to other nodes
 */
struct hc_fabric {
	struct list_head list;
	struct kref ref;
	possible_net_t net;
	u32 index;
	u32 id;
	struct hc_topo topo;
	u32 fixed;
	u32 base;
	u32 segment;
	char name[HYPERCUBE_NAME_MAX];
	char shape[HYPERCUBE_SHAPE_MAX + 1];
	bool ready;
	bool dead;
	struct mutex lock;
	struct mutex sock_lock;
	struct hc_account *account;
	struct hc_poll_owner __percpu *poll_owner;
	bool charged;
	atomic_t leaving;
	struct mem_cgroup *memcg;
	struct xarray plans;
	struct hc_plan __rcu *near[HC_PLANS_NEAR];
	u32 nplans;
	u32 retiring;
	u32 epoch;
	struct hc_node **nodes;
	u32 nfailed;
	u32 stall_timeout;
	u32 detect_round;
	struct hc_detect *detecting;
	struct hc_paths *paths;
	struct hc_deferred_list *deferred;
	struct delayed_work stall;
	u32 stall_group;
	struct net_device *monitor;
	bool monitored;
	struct hc_flaps flaps;
	struct hc_spents spents;
	struct hc_rounds *rounds;
	struct hc_lsdb_retry *lsdb_retry;
	u32 life;
	u32 accused;
	unsigned long accused_at;
	struct hc_trunks *trunks;
	struct hc_commit *commit;
	atomic_long_t unaccounted;
	atomic_long_t far;
	atomic_long_t on_way;
};

/* Return: true if the fabric may be used: it is neither being created nor being removed. While it
 * is being created its endpoints are visible already, but the creation may still fail.
 */
static inline bool hc_fabric_alive(const struct hc_fabric *fabric)
{
	/* Pairs with list_publish(). */
	return smp_load_acquire(&fabric->ready) && !READ_ONCE(fabric->dead);
}

/* Return: true if the node is on this machine. */
static inline bool hc_is_here(const struct hc_fabric *fabric, u32 u)
{
	return (u & fabric->fixed) == fabric->base;
}

/* Return: true if all nodes are on this machine. */
static inline bool hc_is_whole(const struct hc_fabric *fabric)
{
	return !fabric->fixed;
}

/* Return the number of nodes on this machine. */
static inline u32 hc_nodes_here(const struct hc_fabric *fabric)
{
	return fabric->topo.nodes >> hweight32(fabric->fixed);
}

/* Parameters of a new fabric. */
struct hc_fabric_params {
	const char *name;
	const char *shape;	/* or NULL */
	struct hc_topo topo;	/* the table of peers, if any, is copied */
	u32 fixed;	/* subcube mask of the local nodes */
	u32 base;	/* subcube value of the local nodes */
	u32 id;		/* 0: derived from the name */
	u32 segment;	/* bytes; 0: default */
	const struct sock *asker;	/* the requester's socket, or NULL; the creation is
					 * cancelled once this socket is closed
					 */
};

/**
 * hc_fabric_need_cube() - check that a fabric is a hypercube, for a request that needs one
 * @fabric: the fabric
 * @extack: set to a sentence on error, or NULL
 *
 * Context: any
 * Return: 0, or -EOPNOTSUPP if the fabric is another network
 */
int hc_fabric_need_cube(const struct hc_fabric *fabric, struct netlink_ext_ack *extack);

/**
 * hc_fabric_create() - create a fabric and register its net_devices
 * @net: network namespace
 * @p: name, topology, this machine's subcube, segment size and so on
 * @extack: set to a sentence on error, or NULL
 *
 * Context: process, without locks; takes rtnl for some net_devices at a time
 * Return: 0, -EINVAL, -EEXIST or -EBUSY (name in use), -EDQUOT (limit of the accounting owner),
 * -ECANCELED (the requester closed its socket), or -ENOMEM
 */
int hc_fabric_create(struct net *net, const struct hc_fabric_params *p,
		     struct netlink_ext_ack *extack);

/**
 * hc_fabric_destroy() - remove a fabric
 * @net: network namespace
 * @name: name of the fabric
 * @extack: set to a sentence on error, or NULL
 *
 * Context: process, without locks; waits until no poll and no system call uses the fabric
 * Return: 0, or -ENOENT if there is no fabric of this name, or another task is removing it
 */
int hc_fabric_destroy(struct net *net, const char *name,
		      struct netlink_ext_ack *extack);

/**
 * hc_fabric_get() - find a fabric by its name
 * @net: network namespace
 * @name: name of the fabric
 *
 * Context: process
 * Return: the fabric with its reference count increased by 1, or NULL
 */
struct hc_fabric *hc_fabric_get(struct net *net, const char *name);

/**
 * hc_fabric_get_next() - find the next fabric of a namespace
 * @net: network namespace
 * @index: smallest hc_fabric.index wanted
 *
 * Context: process
 * Return: the fabric with the smallest index that is at least @index, with its reference count
 * increased by 1, or NULL
 */
struct hc_fabric *hc_fabric_get_next(struct net *net, u32 index);

/**
 * hc_fabric_generation() - read how often a namespace's list of fabrics has changed
 * @net: network namespace
 *
 * Context: any
 * Return: a number that changes when a fabric is added or removed; dumps compare it
 */
u32 hc_fabric_generation(struct net *net);

/**
 * hc_fabric_put() - drop a reference
 * @fabric: a fabric that hc_fabric_get() or hc_netns_fabric_get(), for example, has returned
 *
 * Context: process
 */
void hc_fabric_put(struct hc_fabric *fabric);

/**
 * hc_fabric_init() - register what fabrics need: rtnl link type and namespace operations
 *
 * Context: the module's init
 * Return: 0 or -errno
 */
int hc_fabric_init(void);

/**
 * hc_fabric_exit() - remove all fabrics and undo hc_fabric_init()
 *
 * Context: the module's exit, after hc_netlink_exit()
 */
void hc_fabric_exit(void);

#endif /* _HC_FABRIC_H */
