/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fabrics, and the rules for all that belongs to them: who may touch what when.
 *
 * Contexts
 *   config	process context: netlink handlers, namespace exit, module exit
 *   poll	NAPI poll of one node, or a task that holds its NAPI in its place (eth.c); on at
 *		most one CPU at a time for each node
 *   socket	process context inside a system call on a socket
 *
 * Locks, outermost first.  Nobody sleeps under one of these to wait for an event
 * (netlink/later.c), and nobody waits for hc_fabric.lock under rtnl, which everybody needs.
 *   rtnl
 *   hc_net.lock	mutex: the list of fabrics of one network namespace
 *   hc_fabric.lock	mutex: configuration of one fabric: links, nodes, plans
 *   hc_fabric.sock_lock	mutex: which sockets a fabric's nodes have
 *   socket lock	lock_sock() of a bound socket
 *   hc_impair.lock	spin lock: one direction of an impaired link (impair.c)
 *   hc_rounds.lock	spin lock: rounds of balancing that have ended (task/round_set.c)
 *   hc_collector.lock	spin lock: copies of datagrams at a socket (sock/collect.c)
 *   queue locks	the spin locks of hc_node.rxq, .eth_rxq, .ethq and .hostq.q
 *   hc_gate.lock	spin lock: which polls stand in a processor's list (gate.c)
 *
 * Everything marked [poll] belongs to the node's poll alone and needs no lock:
 * rule 3 of the design.  Readers elsewhere use READ_ONCE() and accept that it
 * is a snapshot.  Nothing on the data path reads another node's [poll] fields;
 * what nodes know of each other came in frames.
 *
 * Teardown of a fabric (hc_fabric_destroy) in two phases: (1) make it
 * unreachable: dead = true, off the list, plans and sockets unpublished, then
 * one synchronize_net() so that no system call or poll still finds it;
 * (2) napi_disable() of every node (a poll that still runs may hand frames to a
 * neighbour: nodes are freed only after *all* polls are disabled), stop the timers
 * of impaired links, purge queues and plans, unregister all net_devices on one list.
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
#include "netlink/later.h"
#include "route/detect.h"
#include "route/lsdb.h"
#include "route/route.h"
#include "task/round.h"
#include "trunk/commit.h"

struct hc_node;
struct hc_gate_user;
struct hc_payer;
struct mem_cgroup;
struct net_device;
struct netlink_ext_ack;
struct sock;

/**
 * struct hc_trunks - the trunks of a fabric
 * @list: those there are
 * @broken: how many have ended
 * @n: how many there are, and that are not freed
 * @life: a random number, by which others know these nodes from those that come after them;
 *	constant
 * @last: hc_trunk.nr of the last one; under hc_fabric.lock
 * @accused: hc_trunk.nr of one that was found to lead to another machine with nodes of these
 *	numbers, 0: none; @accused_at is written before it
 * @accused_at: when, jiffies
 */
struct hc_trunks {
	struct list_head list;
	u64 broken;
	atomic_t n;
	u32 life;
	u32 last;
	u32 accused;
	unsigned long accused_at;
};

#define HC_NODES_MAX	(1U << HYPERCUBE_DIM_MAX)

/**
 * struct hc_fabric - a hypercube
 * @list: in hc_net.fabrics, under hc_net.lock
 * @ref: bound sockets and the list hold one each
 * @net: namespace it belongs to
 * @index: unique on this machine only
 * @id: in frames and MAC addresses; two fabrics may have the same, even on one machine
 * @dim: dimension n
 * @fixed: bits of a node's number that all nodes of this machine share; the others are elsewhere
 * @base: what these bits are
 * @segment: payload bytes of a full data frame
 * @name: its name
 * @ready: creation is complete; written under hc_net.lock, see hc_fabric_alive()
 * @dead: being removed; set under @lock
 * @lock: serialises configuration
 * @sock_lock: serialises bind(), connect() and close() of its nodes' sockets
 * @payer: the payer for what it takes; constant
 * @gate_user: what the payer's nodes wait in for their polls (gate.c); the payer's
 * @charged: its index, itself and its nodes count on @payer's account until the nodes are freed
 * @leaving: endpoints that an ending namespace is just unregistering
 * @memcg: what polls keep is charged to it; constant
 * @plans: struct hc_plan by id; written under @lock, read under RCU
 * @nplans: how many, under @lock
 * @retiring: the id of a plan that was taken away and whose operations have not all been
 *	ended, or 0; written under @lock
 * @epoch: counts plan installations; written under @lock
 * @nodes: the 2^n nodes, NULL: elsewhere; valid until phase 2 of the teardown
 * @nfailed: failed nodes, under @lock
 * @patience: ms until a task whose link failed while it was handed over is in doubt, and a round
 *	of balancing without news fails; 0: never; written under @lock
 * @detect: rounds of DETECT
 * @paths: the PATH frames under way
 * @later: requests that are answered later
 * @stall: looks for stalled operations
 * @stall_slice: at which nodes it does so next
 * @monitor: the monitor interface; constant while a poll may run
 * @monitored: it is up
 * @flaps: links that go down and up by a schedule
 * @spents: links that are spent, or no longer
 * @rounds: rounds of balancing
 * @lsdb_retry: nodes that have lacked memory for what they know of faults
 * @trunks: to other machines; the list and @broken under @lock
 * @commit: the request to all machines that is under way; under @lock
 * @loose: memory of frames that wait on impaired links and are charged to nobody
 * @on_way: memory of frames of other machines that go on to other nodes, see fabric/far.h
 */
struct hc_fabric {
	struct list_head list;
	struct kref ref;
	possible_net_t net;
	u32 index;
	u32 id;
	u32 dim;
	u32 fixed;
	u32 base;
	u32 segment;
	char name[HYPERCUBE_NAME_MAX];
	bool ready;
	bool dead;
	struct mutex lock;
	struct mutex sock_lock;
	struct hc_payer *payer;
	struct hc_gate_user __percpu *gate_user;
	bool charged;
	atomic_t leaving;
	struct mem_cgroup *memcg;
	struct xarray plans;
	u32 nplans;
	u32 retiring;
	u32 epoch;
	struct hc_node **nodes;
	u32 nfailed;
	u32 patience;
	struct hc_fabric_detect detect;
	struct hc_paths paths;
	struct hc_laters later;
	struct delayed_work stall;
	u32 stall_slice;
	struct net_device *monitor;
	bool monitored;
	struct hc_flaps flaps;
	struct hc_spents spents;
	struct hc_rounds rounds;
	struct hc_lsdb_retry lsdb_retry;
	struct hc_trunks trunks;
	struct hc_commit commit;
	atomic_long_t loose;
	atomic_long_t on_way;
};

/* May it be used? A fabric that is being made has visible endpoints, but must not be touched, as
 * one that is being removed: its creation may fail.
 */
static inline bool hc_fabric_alive(const struct hc_fabric *fabric)
{
	/* Pairs with list_publish(). */
	return smp_load_acquire(&fabric->ready) && !READ_ONCE(fabric->dead);
}

/* Does the node live on this machine? */
static inline bool hc_is_here(const struct hc_fabric *fabric, u32 u)
{
	return (u & fabric->fixed) == fabric->base;
}

static inline bool hc_is_whole(const struct hc_fabric *fabric)
{
	return !fabric->fixed;
}

/* How many nodes do. */
static inline u32 hc_nodes_here(const struct hc_fabric *fabric)
{
	return hc_nodes(fabric->dim) >> hweight32(fabric->fixed);
}

struct hc_fabric_params {
	const char *name;
	u32 dim;
	u32 fixed;	/* the part that is made here, see struct hc_fabric */
	u32 base;
	u32 id;		/* 0: what follows from the name */
	u32 segment;	/* 0: default */
	const struct sock *asker;	/* or NULL; once it is closed nobody needs the fabric */
};

int hc_fabric_create(struct net *net, const struct hc_fabric_params *p,
		     struct netlink_ext_ack *extack);
int hc_fabric_destroy(struct net *net, const char *name,
		      struct netlink_ext_ack *extack);
/* The fabric is returned with refcounter increased by 1, or NULL. */
struct hc_fabric *hc_fabric_get(struct net *net, const char *name);
/* The same for the fabric with the smallest index >= @index. */
struct hc_fabric *hc_fabric_get_next(struct net *net, u32 index);
/* Changes whenever a fabric of the namespace comes or goes. */
u32 hc_fabric_generation(struct net *net);
void hc_fabric_put(struct hc_fabric *fabric);
int hc_fabric_init(void);
void hc_fabric_exit(void);

#endif /* _HC_FABRIC_H */
