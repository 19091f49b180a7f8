/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Private declarations of the module: the objects, who may touch them when,
 * and for each file what the others may call.
 *
 * Contexts
 *   config	process context: netlink handlers, namespace exit, module exit
 *   poll	NAPI poll of one node, or who holds its NAPI in its place (eth.c); at
 *		most one CPU at a time for each node
 *   socket	process context inside a system call on a socket
 *
 * Locks, outermost first.  Nobody sleeps under one of these until something has happened
 * (netlink/later.c), and nobody waits for hc_fabric.lock under rtnl, which belongs to all.
 *   rtnl
 *   hc_net.lock	mutex: the list of fabrics of one network namespace
 *   hc_fabric.lock	mutex: configuration of one fabric: links, nodes, plans
 *   hc_fabric.sock_lock	mutex: which sockets a fabric's nodes have
 *   socket lock	lock_sock() of a bound socket
 *   hc_impair.lock	spin lock: one direction of an impaired link (impair.c)
 *   queue locks	the spin locks of hc_node.rxq, .eth_rxq, .ethq and .hostq
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
#ifndef _HC_HYPERCUBE_H
#define _HC_HYPERCUBE_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/u64_stats_sync.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>
#include <linux/hypercube.h>

#include "hc_topo.h"
#include "fabric/limits.h"
#include "wire.h"

struct hc_carrier_ops;
struct hc_detect;
struct hc_flood_chunk;
struct hc_gate;
struct hc_impair;
struct hc_node;
struct hc_plan;
struct mem_cgroup;
struct netlink_ext_ack;
struct rtnl_link_ops;

#define HC_NODES_MAX	(1U << HYPERCUBE_DIM_MAX)
#define HC_DROP_MAX	(HYPERCUBE_A_DROP_MAX + 1)

/* Room in front of a payload: header and a walk of 64 steps. */
#define HC_WALK_ROOM	32
#define HC_HEADROOM	(sizeof(struct hc_hdr) + HC_WALK_ROOM)
/* Memory that Ethernet frames may take in a queue. */
#define HC_ETH_BYTES	SZ_4M
/* What flooded ones may take of that, in the queues of all nodes of a fabric together:
 * one frame from an endpoint's stack is there dim times for each node.
 */
#define HC_FLOOD_BYTES	SZ_64M

/* hc_port.flags */
enum {
	HC_PORT_DOWN,		/* taken down, both ends; config writes */
	HC_PORT_FAILED,		/* this node or the peer failed; config writes */
	HC_PORT_DETECTED,	/* DETECT found it silent; poll writes */
	HC_PORT_LOSSY,		/* it may lose frames, in either direction; config writes */
};

#define HC_PORT_UNUSABLE \
	(BIT(HC_PORT_DOWN) | BIT(HC_PORT_FAILED) | BIT(HC_PORT_DETECTED))
/* What keeps DETECT's own frames away, too. */
#define HC_PORT_CLOSED	(BIT(HC_PORT_DOWN) | BIT(HC_PORT_FAILED))

/**
 * struct hc_port - one end of a link
 * @flags: HC_PORT_*; atomic bit operations
 * @ops: how frames leave
 * @peer: node at the other end, for the in-memory carrier; constant
 * @impaired: what happens to frames sent from here, or NULL: nothing.  Config sets
 *	it (release); whoever finds that nothing is left to happen clears it, under
 *	the lock in it
 * @impair: the same, once allocated; config writes, freed with the node
 * @flap_down: ms for which the link is down in each @flap_period; config writes
 * @flap_period: 0: it does not flap; config writes
 * @spared: round of DETECT that says nothing about the link, which was not up all the
 *	time; config writes
 * @failed_epoch: hc_fabric.epoch when the node last found the link unusable [poll]
 * @latency: of the time model, ns; config writes
 * @bandwidth: of the time model, bytes/s, 0: infinite; config writes
 * @tx_seq: number of the last frame sent [poll]
 * @rx_seq: number of the last frame received [poll]
 * @tx_frames: frames handed to the carrier [poll], node's syncp
 * @tx_bytes: their bytes, headers included [poll]
 * @rx_frames: frames received [poll]
 * @rx_bytes: their bytes [poll]
 * @drops: by reason [poll]
 */
struct hc_port {
	unsigned long flags;
	const struct hc_carrier_ops *ops;
	struct hc_node *peer;
	struct hc_impair *impaired;
	struct hc_impair *impair;
	u32 flap_down;
	u32 flap_period;
	u32 spared;
	u32 failed_epoch;
	u64 latency;
	u64 bandwidth;
	u32 tx_seq;
	u32 rx_seq;
	u64 tx_frames;
	u64 tx_bytes;
	u64 rx_frames;
	u64 rx_bytes;
	u32 drops[HC_DROP_MAX];
};

/**
 * struct hc_carrier_ops - what carries frames over a link
 * @name: for people
 * @pending: has the other end not taken yet all that was sent?  A snapshot
 * @xmit: take @skb over and bring it to the other end, or lose it; called with
 *	the header complete in the sending node's poll, or for an impaired link by
 *	its timer, never in both at once (impair.c); consumes @skb
 */
struct hc_carrier_ops {
	const char *name;
	void (*xmit)(struct hc_node *node, struct hc_port *port, struct sk_buff *skb);
	bool (*pending)(const struct hc_port *port);
};

/* hc_node.events: what poll has to look at before the queues. */
enum {
	HC_EV_LINKS,		/* port flags changed */
	HC_EV_TEST,		/* DETECT: send test frames of a new round */
	HC_EV_JUDGE,		/* DETECT: the round is over, judge and tell */
	HC_EV_PLANS,		/* members were told to look at their links */
	HC_EV_READER,		/* a socket has room again */
	HC_EV_HOST,		/* look at the host queue: a plan is gone */
	HC_EV_STALL,		/* look for operations that do not move */
};

/**
 * struct hc_queue - frames that wait for a poll
 * @list: the frames, and the lock
 * @bytes: memory they take; under the lock
 * @flooded: what flooded frames from the links take of that; under the lock
 * @taken: frames that the poll has taken, modulo 2^32 [poll]
 */
struct hc_queue {
	struct sk_buff_head list;
	u32 bytes;
	u32 flooded;
	u32 taken;
};

/**
 * struct hc_work - members of a node that wait or have something to do (coll/work.c)
 * @lock: of the lists
 * @waiting: they wait; looked at once a second
 * @readers: they wait for room at the process
 * @ready: they can go on
 * @late: they are looked at for what does not move
 * @holding: contributions of the node's sockets wait in them for room
 */
struct hc_work {
	spinlock_t lock;
	struct list_head waiting;
	struct list_head readers;
	struct list_head ready;
	struct list_head late;
	struct list_head holding;
};

/**
 * struct hc_state - what a node knows of another one's links (state.c)
 * @node: the other one
 * @word: its FAULT word
 * @version: counts the changes of the word
 */
struct hc_state {
	u16 node;
	u16 word;
	u32 version;
};

/**
 * struct hc_eth_stats - Ethernet frames of an endpoint
 * @frames: how many
 * @bytes: their bytes, without our header
 */
struct hc_eth_stats {
	u64 frames;
	u64 bytes;
};

/**
 * struct hc_node - a node; private part of its net_device
 * @dev: the net_device
 * @fabric: the fabric; constant
 * @id: node number; constant
 * @failed: administratively failed; config writes
 * @owner: uid that may bind, or INVALID_UID; config writes
 * @napi: the poll
 * @gate: where the node has a place (gate.c), or NULL; who has NAPI_STATE_SCHED
 * @at_gate: in the list of those that wait for one; under the gate's lock
 * @events: HC_EV_*, atomic
 * @rxq: frames from the links, but for Ethernet; any poll of a neighbour adds
 * @eth_rxq: Ethernet frames from the links; the same
 * @ethq: frames from the endpoint's own stack
 * @hostq: frames from the node's sockets
 * @failed_links: links that have failed, and for which no plan has been looked at [poll]
 * @failing_links: those for which plans are being looked at [poll]
 * @failing_plan: ids below this have been [poll]
 * @parked: contributions to @parked_plan that wait for the ends of earlier ones [poll]
 * @parked_plan: see there [poll]
 * @held_plan: contributions for this plan need no poll, they would have to wait: what
 *	brings them room brings a poll; 0: none; under the lock of @hostq
 * @waiting: contributions wait for room in members [poll]
 * @work: members that wait or have something to do
 * @sk: collective socket that serves all plans that none in @socks does; changed under
 *	hc_fabric.sock_lock
 * @socks: collective sockets by the plan they are connected to; changed under that
 * @dgram_sk: bound datagram socket; changed under that
 * @fault: own FAULT word [poll]
 * @heard: dimensions along which a test frame of the round came [poll]
 * @heard_round: the round that @heard belongs to [poll]
 * @round: number of the DETECT round whose test frames count; config sets
 * @test_round: that of those to be sent; config sets before HC_EV_TEST
 * @tested: the last round whose test frames were sent; the poll writes
 * @judged: the last round that was judged; the poll writes
 * @judging: the round is judged once @judge_at frames of @rxq were taken [poll]
 * @judge_at: see there [poll]
 * @nb_fault: FAULT words the neighbours sent [poll]
 * @syncp: for the 64-bit counters here and in the ports
 * @host_frames: frames taken from @hostq [poll]
 * @merged_bytes: bytes merged [poll]
 * @spent: what the frame at hand has cost beside its own share of the budget [poll]
 * @merge_cost: what the present poll has spent on merging, see merge.c [poll]
 * @eth_tx: Ethernet frames that the own stack sent [poll], @syncp
 * @eth_rx: Ethernet frames delivered to the own stack [poll], @syncp
 * @flood_dups: flooded frames that had been here before [poll], @syncp
 * @deliverer: task whose processor, or who, runs our poll while it gives a frame to the
 *	stack, or NULL; compared only [poll]
 * @flood_nr: number of the last frame that was flooded from here [poll]
 * @flood_seen: which flooded frames were here, by chunks of origins (flood.c) [poll]
 * @flood_swept: when silent origins were last forgotten, jiffies [poll]
 * @told: own FAULT word as last told to everybody [poll]
 * @version: of that [poll]
 * @states: what is known of others, by ascending node [poll]
 * @nstates: how many entries that has [poll]
 * @states_room: and how many it has room for [poll]
 * @news: nodes whose states are to be passed on, or NULL [poll]
 * @nnews: how many [poll]
 * @news_from: the dimension they all came by, or HC_DIM_HOST [poll]
 * @digest: of all words known [poll]
 * @hops: first hops to all nodes, or NULL [poll]
 * @hops_stale: they have to be computed anew [poll]
 * @tree: links of the spanning tree, if @tree_fits [poll]
 * @tree_stale: that has to be found out anew [poll]
 * @tree_fits: what is known fits the own links [poll]
 * @again: dimensions along which what is known was dropped; atomic
 * @tx_dropped: those of @drops that the own stack had sent; atomic, any context
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
	struct hc_gate *gate;
	struct list_head at_gate;
	unsigned long events;
	struct hc_queue rxq;
	struct hc_queue eth_rxq;
	struct hc_queue ethq;
	struct sk_buff_head hostq;
	u32 failed_links;
	u32 failing_links;
	unsigned long failing_plan;
	struct sk_buff_head parked;
	u32 parked_plan;
	u32 held_plan;
	bool waiting;
	struct hc_work work;

	struct sock __rcu *sk;
	struct xarray socks;
	struct sock __rcu *dgram_sk;

	u32 fault;
	u32 heard;
	u32 heard_round;
	u32 round;
	u32 test_round;
	u32 tested;
	u32 judged;
	bool judging;
	u32 judge_at;
	u32 nb_fault[HYPERCUBE_DIM_MAX];

	struct u64_stats_sync syncp;
	u64 host_frames;
	u64 merged_bytes;
	u32 spent;
	u32 merge_cost;
	struct hc_eth_stats eth_tx;
	struct hc_eth_stats eth_rx;
	struct hc_eth_stats flood_dups;

	const struct task_struct *deliverer;
	u32 flood_nr;
	struct hc_flood_chunk **flood_seen;
	unsigned long flood_swept;

	u32 told;
	u32 version;
	struct hc_state *states;
	u32 nstates;
	u32 states_room;
	unsigned long *news;
	u32 nnews;
	u32 news_from;
	u32 digest;
	u8 *hops;
	bool hops_stale;
	u32 tree;
	bool tree_stale;
	bool tree_fits;
	unsigned long again;

	atomic_t tx_dropped;
	atomic_t drops[HC_DROP_MAX];

	struct hc_port ports[];
};

/**
 * struct hc_fabric - a hypercube
 * @list: in hc_net.fabrics, under hc_net.lock
 * @ref: bound sockets and the list hold one each
 * @net: namespace it belongs to
 * @id: unique in the machine
 * @dim: dimension n
 * @segment: payload bytes of a full data frame
 * @name: its name
 * @ready: creation is complete; written under hc_net.lock, see hc_fabric_alive()
 * @dead: being removed; set under @lock
 * @lock: serialises configuration
 * @sock_lock: serialises bind(), connect() and close() of its nodes' sockets
 * @payer: who answers for what it takes; constant
 * @charged: its id, itself and its nodes count on @payer's account, till the nodes are freed
 * @leaving: endpoints that a namespace that ends is just unregistering
 * @memcg: what polls keep is charged to it; constant
 * @plans: struct hc_plan by id; written under @lock, read under RCU
 * @nplans: how many, under @lock
 * @retiring: the id of a plan that was taken away and whose operations have not all been
 *	ended, or 0; written under @lock
 * @epoch: counts plan installations; written under @lock
 * @nodes: the 2^n nodes; valid until phase 2 of the teardown
 * @nfailed: failed nodes, under @lock
 * @nlossy: links that may lose frames; written under @lock
 * @patience: ms of silence that end an operation where frames may get lost, 0: none do;
 *	written under @lock
 * @round: number of the last DETECT round, under @lock
 * @detect: the round of DETECT that is under way, or NULL; under @lock
 * @probes: the PROBEs under way
 * @probe_lock: protects @probes
 * @later: requests that are answered later, under @lock
 * @nlater: how many
 * @later_work: looks at them
 * @stall: looks for stalled operations
 * @stall_slice: at which nodes it does so next
 * @monitor: the monitor interface; constant while a poll may run
 * @monitored: it is up
 * @loose: memory of frames that wait on impaired links and are charged to nobody
 * @flaps: links that go down and up by a schedule (flap.c), under @lock
 * @flap: does it
 */
struct hc_fabric {
	struct list_head list;
	struct kref ref;
	possible_net_t net;
	u32 id;
	u32 dim;
	u32 segment;
	char name[HYPERCUBE_NAME_MAX];
	bool ready;
	bool dead;
	struct mutex lock;
	struct mutex sock_lock;
	struct hc_payer *payer;
	bool charged;
	atomic_t leaving;
	struct mem_cgroup *memcg;
	struct xarray plans;
	u32 nplans;
	u32 retiring;
	u32 epoch;
	struct hc_node **nodes;
	u32 nfailed;
	u32 nlossy;
	u32 patience;
	u32 round;
	struct hc_detect *detect;
	struct list_head probes;
	spinlock_t probe_lock;
	struct list_head later;
	unsigned int nlater;
	struct delayed_work later_work;
	struct delayed_work stall;
	u32 stall_slice;
	struct net_device *monitor;
	bool monitored;
	atomic_long_t loose;
	struct list_head flaps;
	struct delayed_work flap;
};

/* May it be used?  A fabric that is being made has endpoints that can be seen, but is no
 * more to be touched than one that is being removed: its creation may fail.
 */
static inline bool hc_fabric_alive(const struct hc_fabric *fabric)
{
	/* Pairs with list_publish(). */
	return smp_load_acquire(&fabric->ready) && !READ_ONCE(fabric->dead);
}

/* What poll knows of a queued frame; in skb->cb from enqueue to dequeue. */
struct hc_cb {
	u8 dim;		/* port it came by, or HC_DIM_HOST */
	bool sealed;	/* the link's frames have a checksum */
};

#define HC_DIM_HOST	0xff

/* What a frame, or a plan, counts for in the budget: mostly one, but some mean work for many. */
static inline int hc_cost(struct hc_node *node)
{
	int cost = 1 + node->spent;

	node->spent = 0;
	return cost;
}

static inline struct hc_cb *hc_cb(struct sk_buff *skb)
{
	return (struct hc_cb *)skb->cb;
}

static inline struct hc_hdr *hc_hdr(const struct sk_buff *skb)
{
	return (struct hc_hdr *)skb->data;
}

/* Caller: holds the queue's lock. */
static inline void hc_queue_add(struct hc_queue *q, struct sk_buff *skb)
{
	q->bytes += skb->truesize;
	__skb_queue_tail(&q->list, skb);
}

/* --- fabric.c --- */
struct hc_fabric_params {
	const char *name;
	u32 dim;
	u32 segment;	/* 0: default */
	const struct sock *asker;	/* if not NULL: once it is closed nobody wants the fabric */
};

int hc_fabric_create(struct net *net, const struct hc_fabric_params *p,
		     struct netlink_ext_ack *extack);
int hc_fabric_destroy(struct net *net, const char *name,
		      struct netlink_ext_ack *extack);
/* The fabric is returned with refcounter increased by 1, or NULL. */
struct hc_fabric *hc_fabric_get(struct net *net, const char *name);
/* The same for the fabric with the smallest id >= @id. */
struct hc_fabric *hc_fabric_get_next(struct net *net, u32 id);
/* Changes whenever a fabric of the namespace comes or goes. */
u32 hc_fabric_generation(struct net *net);
void hc_fabric_put(struct hc_fabric *fabric);
int hc_fabric_init(void);
void hc_fabric_exit(void);

/* --- node.c --- */
/* The poll is enabled; the ports come later, from hc_link_init(). */
struct hc_node *hc_node_alloc(struct hc_fabric *fabric, u32 id);
/* Wait for the poll and let it never run again. */
void hc_node_disable(struct hc_node *node);
/* All polls are disabled: stop the timers of the node's links. */
void hc_node_timers_stop(struct hc_node *node);
/* Drop what is still queued and free; no poll of the fabric runs any more and
 * the net_device is not registered.
 */
void hc_node_free(struct hc_node *node);
/* Allocate a frame: header zeroed but for version, type, fabric, src and len;
 * HC_WALK_ROOM of headroom in front of the header, @len payload bytes behind it.
 */
struct sk_buff *hc_frame_alloc(const struct hc_node *node, u8 type, u32 len, gfp_t gfp);
/* The same where no node is at hand: a frame of node @src of @fabric. */
struct sk_buff *hc_frame_make(const struct hc_fabric *fabric, u32 src, u8 type, u32 len,
			      gfp_t gfp);
/* Make a payload into a frame: put the header in front of it (HC_HEADROOM). */
void hc_frame_push(const struct hc_fabric *fabric, u32 src, u8 type, struct sk_buff *skb);
/* Queue a frame from the bound socket and let the node's poll run.
 * Caller: socket, under RCU.
 */
void hc_node_host_xmit(struct hc_node *node, struct sk_buff *skb);
/* Set an event and let the node's poll run.  Process or softirq context. */
void hc_node_kick(struct hc_node *node, unsigned int event);
/* Whoever kicks all nodes, one after another, calls this after each, @u: so that not all polls
 * are in the way of other traffic at once.  Process context; sleeps.
 */
void hc_node_kicked(const struct hc_fabric *fabric, u32 u);
/* Count a frame that is dropped: on @port if not NULL (poll only), else on the node. */
void hc_drop_count(struct hc_node *node, struct hc_port *port, unsigned int reason);
/* Free @skb and count it: on @port if not NULL (poll only), else on the node. */
void hc_drop(struct hc_node *node, struct hc_port *port, struct sk_buff *skb,
	     unsigned int reason);
/* Frames of operations end with a word to hc_coll_undeliverable(), others do not. */
static inline bool hc_frame_is_coll(u8 type)
{
	return type >= HC_FRAME_DATA && type < HC_FRAME_DGRAM;
}

/* Register the net_device; under rtnl. */
int hc_node_register(struct hc_node *node);
/* Bytes of our own state of a node of a fabric of dimension @dim. */
size_t hc_node_size(unsigned int dim);

/* Losing one of these is nobody's concern but the receiver's. */
static inline bool hc_frame_is_dispensable(u8 type)
{
	return type >= HC_FRAME_ETH;
}

extern struct rtnl_link_ops hc_link_ops;

/* --- gate.c; bottom halves are off --- */
/* Whoever calls has NAPI_STATE_SCHED: let the poll run, when it is the node's turn. */
void hc_gate_enter(struct hc_node *node);
/* Others first; nothing, if the node has no place.  Poll. */
void hc_gate_leave(struct hc_node *node);
/* Do others wait for the place that the node has?  Poll. */
bool hc_gate_awaited(const struct hc_node *node);
void hc_gate_init(void);

/* Let the poll run: there is something to do, since before the call. */
static inline void hc_node_schedule(struct hc_node *node)
{
	if (napi_schedule_prep(&node->napi))
		hc_gate_enter(node);
}

/* --- guest.c --- */
/* The fabric named @name whose endpoint @id lives in @net, with refcounter
 * increased by 1, or NULL: for those who were given an endpoint, not the fabric.
 */
struct hc_fabric *hc_guest_fabric_get(struct net *net, const char *name, u32 id);
/* The namespace ends: endpoints of fabrics of others leave it. */
void hc_guests_leave(struct net *net);

/* --- eth.c --- */
/* The MAC address of an endpoint. */
void hc_eth_addr(const struct hc_node *node, u8 *addr);
netdev_tx_t hc_eth_xmit(struct sk_buff *skb, struct net_device *dev);
/* Queue another frame there and let the poll run.  Process context. */
void hc_eth_host_add(struct hc_node *node, struct sk_buff *skb);
/* A frame from that queue; consumes.  Poll. */
void hc_eth_host_rx(struct hc_node *node, struct sk_buff *skb);
/* An ETH frame that came over link @dim, flooded or for this node; consumes.  Poll. */
void hc_eth_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/* --- flood.c --- */
/* Send a frame of this node to everybody; consumes.  Poll. */
void hc_flood_start(struct hc_node *node, struct sk_buff *skb);
/* A flooded frame came over link @dim: pass it on, @skb stays the caller's.  False: it has
 * been here before.  Poll.
 */
bool hc_flood_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
int hc_flood_init(struct hc_node *node);
void hc_flood_exit(struct hc_node *node);

/* --- ethtool.c --- */
extern const struct ethtool_ops hc_ethtool_ops;

/* --- link.c --- */
/* Send over link @dim; makes the frame one from neighbour to neighbour (.src,
 * .dst, no walk), fills in seq, adds the link's cost to .time and consumes @skb.
 * Poll.  Return: 0, or -ENOLINK if the link is unusable (dropped, counted).
 */
int hc_link_xmit(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
/* The same for route.c and detect.c, who have looked at the link themselves. */
int hc_link_send(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
bool hc_link_usable(const struct hc_node *node, unsigned int dim);
/* Is anything that was sent still under way?  A snapshot. */
bool hc_link_pending(const struct hc_port *port);
void hc_link_init(struct hc_node *node, unsigned int dim);
/* Recompute the own FAULT word and tell operations of new faults.  Poll. */
void hc_link_update(struct hc_node *node);
/* HC_EV_LINKS */
void hc_link_event(struct hc_node *node);
/* Configuration, under hc_fabric.lock; the nodes concerned soon know. */
/* Do they?  @node (NULL: all) and its neighbours along @dims.  */
bool hc_link_told(const struct hc_fabric *fabric, const struct hc_node *node, u32 dims);
/* Both ends of the link; up forgets DETECTED. */
void hc_link_set_down(struct hc_node *node, unsigned int dim, bool down);
/* The same, but what DETECT found stays. */
void hc_link_flip(struct hc_node *node, unsigned int dim, bool down);
/* Take a node out of service or back. */
void hc_link_set_failed(struct hc_node *node, bool failed);
/* Is this end as it was made?  What only follows from a failed node is not asked for. */
bool hc_link_is_clear(const struct hc_port *port);
/* All links up, all nodes in service, no impairments. */
void hc_link_clear(struct hc_fabric *fabric);
u32 hc_link_count_unusable(const struct hc_fabric *fabric);

/* Bytes per second that a model's clock sees, 0: without limit. */
u64 hc_link_bandwidth(const struct hc_port *port);

#define HC_LATENCY_DEFAULT	1000ULL		/* ns */
#define HC_BANDWIDTH_DEFAULT	1250000000ULL	/* bytes/s: 10 Gbit/s */

/* --- impair.c --- */
#define HC_DELAY_MAX	(1ULL * NSEC_PER_SEC)	/* ns, with jitter twice that */
#define HC_RATE_MIN	32000ULL		/* bytes/s: 256 kbit/s */

/**
 * struct hc_impairments - what happens to the frames of one direction of a link
 * @loss: ppm that are lost
 * @corrupt: ppm of which one bit is flipped
 * @duplicate: ppm that are sent twice
 * @seed: of the random numbers that decide on that
 * @delay: ns that each frame takes
 * @jitter: ns that this may differ by in both directions; at most @delay
 * @rate: bytes/s, 0: without limit
 */
struct hc_impairments {
	u32 loss;
	u32 corrupt;
	u32 duplicate;
	u32 seed;
	u64 delay;
	u64 jitter;
	u64 rate;
};

/**
 * struct hc_impair_stats - what has happened to them, and what is under way
 * @corrupted: frames of which a bit was flipped
 * @duplicated: second copies
 * @delayed: frames that had to wait
 * @queued: frames that wait now
 * @queued_bytes: their bytes
 */
struct hc_impair_stats {
	u64 corrupted;
	u64 duplicated;
	u64 delayed;
	u32 queued;
	u32 queued_bytes;
};

/* Give a direction the memory that impairments need.  0 or -ENOMEM.  Config. */
int hc_impair_prepare(struct hc_node *node, unsigned int dim);
/* Set them, prepared before; @reseed: begin the random numbers anew.  Config. */
void hc_impair_set(struct hc_port *port, const struct hc_impairments *set, bool reseed);
/* No more impairments; frames that wait still arrive.  Config. */
void hc_impair_clear(struct hc_port *port);
/* Any context; all 0 where there never were any. */
void hc_impair_get(const struct hc_port *port, struct hc_impairments *set);
void hc_impair_get_stats(const struct hc_port *port, struct hc_impair_stats *stats);
/* Is there any impairment?  Config. */
bool hc_impair_impairs(const struct hc_port *port);
/* Do frames wait?  A snapshot. */
bool hc_impair_pending(const struct hc_port *port);
/* May frames get lost? */
bool hc_impair_loses(const struct hc_port *port);
/* Put a checksum into the frame if it may be corrupted.  True: it has one. */
bool hc_impair_seal(const struct hc_impair *imp, struct sk_buff *skb);
/* A sealed frame came; its checksum is removed.  0 or the reason to drop it. */
unsigned int hc_impair_unseal(struct sk_buff *skb);
/* Send, impaired; consumes.  Poll. */
void hc_impair_xmit(struct hc_impair *imp, struct sk_buff *skb);
/* All polls are disabled: stop the timer. */
void hc_impair_stop(struct hc_port *port);
/* And no timer runs: drop what waits, free the memory. */
void hc_impair_free(struct hc_port *port);

/* --- flap.c --- */
#define HC_FLAP_MIN	10	/* ms, either time */
#define HC_FLAP_MAX	1000000

/* Take the link of (@node, @dim) down for @down ms in each @period ms, from now on; 0: no
 * more, and it is up.  0 or -ENOMEM.  Config, under hc_fabric.lock.
 */
int hc_flap_set(struct hc_node *node, unsigned int dim, u32 down, u32 period);
/* Links stay as they are from now on. */
void hc_flap_clear(struct hc_fabric *fabric);
void hc_flap_init(struct hc_fabric *fabric);
/* The fabric is dead: end for good. */
void hc_flap_exit(struct hc_fabric *fabric);

/* --- monitor.c --- */
int hc_monitor_create(struct hc_fabric *fabric);
/* No poll of the fabric runs any more. */
void hc_monitor_destroy(struct hc_fabric *fabric);
void hc_monitor_show(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb);
/* A frame is about to leave over link @dim, its header complete.  Poll. */
static inline void hc_monitor_tap(const struct hc_node *node, unsigned int dim,
				  const struct sk_buff *skb)
{
	if (unlikely(READ_ONCE(node->fabric->monitored)))
		hc_monitor_show(node, dim, skb);
}

/* --- route.c --- */
/* Bytes between header and payload of a frame that has crossed @walk links. */
static inline unsigned int hc_walk_area(unsigned int walk)
{
	return (walk + 31) / 32 * 16;
}

/* Start a fault-tolerant unicast of @skb to node @dst; sets ROUTED, .src, .dst
 * and the walk; consumes @skb.  Every hop, the first too, adds one to .step.
 * Poll.  Return: 0 or -ENOLINK (no route from here; dropped, counted).
 */
int hc_route_xmit(struct hc_node *node, u32 dst, struct sk_buff *skb);
/* A ROUTED frame arrived over link @dim: forward it, or return it when it is
 * for this node, with the walk stripped so that the payload follows the header, but
 * for ETH; ROUTED stays set and .walk is the number of links it crossed.
 */
struct sk_buff *hc_route_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/* A PROBE arrived here, or got lost here.  Poll. */
void hc_probe_arrived(struct hc_node *node, const struct sk_buff *skb);
void hc_probe_lost(struct hc_node *node, const struct sk_buff *skb);
/**
 * struct hc_probe - a PROBE under way
 * @list: in hc_fabric.probes, until it is over; under hc_fabric.probe_lock
 * @src: its origin
 * @dst: its destination
 * @status: when it is over: how many dimensions were crossed, or -ENOLINK (no path)
 * @walk: these, room for 2 * 2^n
 */
struct hc_probe {
	struct list_head list;
	u32 src;
	u32 dst;
	int status;
	u8 *walk;
};

/* Let a frame go from p->src to p->dst, another node.  0 or -ENOMEM. */
int hc_probe_begin(struct hc_fabric *fabric, struct hc_probe *p);
/* Is it over? */
bool hc_probe_over(struct hc_fabric *fabric, const struct hc_probe *p);
/* It is, or nobody waits for it any more. */
void hc_probe_end(struct hc_fabric *fabric, struct hc_probe *p);

/* --- state.c; poll --- */
/* The own FAULT word may have changed. */
void hc_state_links(struct hc_node *node);
/* A STATE frame came over link @dim; consumes. */
void hc_state_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
/* First hop of a shortest path to @dst as far as known, or -1. */
int hc_state_hop(struct hc_node *node, u32 dst);
/* A spanning tree of the nodes that @origin reaches, as far as known: its links here are
 * @edges.  Return: its name, the same at all who know the same and at no others; 0: what
 * is known does not fit the own links, or some of these may lose frames, or no memory.
 */
u32 hc_state_tree(struct hc_node *node, u32 origin, u32 *edges);
/* Pass on what is news. */
void hc_state_flush(struct hc_node *node);
void hc_state_free(struct hc_node *node);

/* --- coll.c: operations, run by the poll --- */
void hc_coll_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
/* From the bound socket.  Consumes, or false: it concerns many plans, and there is more to do
 * than the poll has budget for; give it again.
 */
bool hc_coll_host_rx(struct hc_node *node, struct sk_buff *skb, int budget);
/* Take up to @budget of the contributions that wait and have room now.  Returns how
 * many; if others wait still, hc_node.waiting is set, and *plan_id is a plan of some.
 */
int hc_coll_host_retry(struct hc_node *node, int budget, u32 *plan_id);
/* Link @dim of the node became unusable.  What plans that has broken, hc_coll_work() finds. */
void hc_coll_link_fault(struct hc_node *node, unsigned int dim);
/* Has it found all of them?  Any context. */
bool hc_coll_faults_over(const struct hc_node *node);
/* Frames were lost on link @dim: a gap in the sequence numbers. */
void hc_coll_lost(struct hc_node *node, unsigned int dim);
/* A frame of an operation in transit could not be delivered: its link or this
 * node failed under way, or no route is left.  @dim: the link it came by.  Does
 * not consume.
 */
void hc_coll_undeliverable(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
			   unsigned int why);

/* --- coll/work.c --- */
void hc_work_init(struct hc_work *w);
/* Has the node members that wait?  A snapshot. */
bool hc_work_waits(const struct hc_node *node);
/* Has it members that can go on, or plans to look at for a link that has failed? */
bool hc_work_ready(const struct hc_node *node);
/* HC_EV_PLANS, HC_EV_READER, HC_EV_STALL: see who can go on. */
void hc_coll_event(struct hc_node *node, unsigned long events);
/* Go on with them for @budget; how much of it that took. */
int hc_coll_work(struct hc_node *node, int budget);

/* --- sock.c --- */
int hc_sock_init(void);
void hc_sock_exit(void);
int hc_sock_family(void);

/* --- sock/bind.c --- */
/* Has the node a collective socket?  A snapshot. */
bool hc_sock_bound(const struct hc_node *node);
/* Unpublish the node's sockets and fail them with -ENODEV; phase 1. */
void hc_sock_node_gone(struct hc_node *node);
/* The node has another owner: the sockets that the one before had bound lose it.  Config. */
void hc_sock_owner_changed(struct hc_node *node);

/* --- sock/dgram.c --- */
/* A DGRAM frame for this node; consumes.  Poll. */
void hc_sock_dgram_rx(struct hc_node *node, struct sk_buff *skb);

#endif /* _HC_HYPERCUBE_H */
