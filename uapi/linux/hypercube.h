/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * hypercube: the interface between kernel and user space.
 *
 * The first part of this file is the generic netlink family, which
 * Documentation/netlink/specs/hypercube.yaml describes item by item; the second part is the
 * sockets, which hypercube(7) describes.  In a hypercube the nodes have the numbers 0 .. 2^n - 1,
 * and the dimensions 0 .. n - 1.  In any other network the "dimension" of a link is the port number
 * that the link has at both ends.
 */
#ifndef _UAPI_LINUX_HYPERCUBE_H
#define _UAPI_LINUX_HYPERCUBE_H

#include <linux/socket.h>
#include <linux/types.h>

/* ------------------------------------------------ generic netlink family */

#define HYPERCUBE_FAMILY_NAME		"hypercube"
#define HYPERCUBE_FAMILY_VERSION	1
#define HYPERCUBE_MCGRP_EVENTS		"events"

/* Name of a fabric, with the final NUL.  Ten characters leave room for the
 * "n4095" of an endpoint's name within IFNAMSIZ.
 */
#define HYPERCUBE_NAME_MAX		11
#define HYPERCUBE_DIM_MAX		12
/* Most ports that a node may have, and most nodes, in a network that is not a hypercube. */
#define HYPERCUBE_PORTS_MAX		16
#define HYPERCUBE_NODES_MAX		4096
/* Most characters of HYPERCUBE_A_FABRIC_SHAPE. */
#define HYPERCUBE_SHAPE_MAX		63
/* The id of a fabric has 16 bits, because it is a part of its endpoints' MAC addresses. */
#define HYPERCUBE_FABRIC_ID_MAX		65535
#define HYPERCUBE_SEGMENT_MIN		256
#define HYPERCUBE_SEGMENT_MAX		32768
/* Probabilities are in parts per million. */
#define HYPERCUBE_PPM_MAX		1000000
/* Most entries of HYPERCUBE_A_NODE_BYZANTINE_AT. */
#define HYPERCUBE_BYZANTINE_AT_MAX		32
/* HYPERCUBE_A_FABRIC_STALL_TIMEOUT, ms: the maximum (a day), and the value of a new fabric. */
#define HYPERCUBE_STALL_TIMEOUT_MAX		86400000
#define HYPERCUBE_STALL_TIMEOUT_DEFAULT	10000
/* HYPERCUBE_A_TRUNK_KEEPALIVE, ms. */
#define HYPERCUBE_TRUNK_KEEPALIVE_MIN	100
#define HYPERCUBE_TRUNK_KEEPALIVE_MAX	3600000
#define HYPERCUBE_TRUNK_KEEPALIVE_DEFAULT	5000

enum hypercube_cmd {
	HYPERCUBE_CMD_FABRIC_GET = 1,
	HYPERCUBE_CMD_FABRIC_NEW,
	HYPERCUBE_CMD_FABRIC_DEL,
	HYPERCUBE_CMD_FABRIC_NTF,
	HYPERCUBE_CMD_FABRIC_DEL_NTF,
	HYPERCUBE_CMD_NODE_GET,
	HYPERCUBE_CMD_NODE_SET,
	HYPERCUBE_CMD_NODE_NTF,
	HYPERCUBE_CMD_LINK_GET,
	HYPERCUBE_CMD_LINK_SET,
	HYPERCUBE_CMD_LINK_NTF,
	HYPERCUBE_CMD_FAULT_CLEAR,
	HYPERCUBE_CMD_DETECT,
	HYPERCUBE_CMD_PLAN_GET,
	HYPERCUBE_CMD_PLAN_NEW,
	HYPERCUBE_CMD_PLAN_DEL,
	HYPERCUBE_CMD_PLAN_NTF,
	HYPERCUBE_CMD_PLAN_DEL_NTF,
	HYPERCUBE_CMD_OP_GET,
	HYPERCUBE_CMD_OP_NTF,
	HYPERCUBE_CMD_ROUTE_GET,
	HYPERCUBE_CMD_FABRIC_SET,
	HYPERCUBE_CMD_VOTE_NTF,
	HYPERCUBE_CMD_TASK_NTF,
	HYPERCUBE_CMD_TASK_MOVE,
	HYPERCUBE_CMD_BALANCE_GET,
	HYPERCUBE_CMD_BALANCE_SET,
	HYPERCUBE_CMD_BALANCE_RUN,
	HYPERCUBE_CMD_BALANCE_NTF,
	HYPERCUBE_CMD_TRUNK_GET,
	HYPERCUBE_CMD_TRUNK_NEW,
	HYPERCUBE_CMD_TRUNK_DEL,
	HYPERCUBE_CMD_TRUNK_NTF,
	HYPERCUBE_CMD_TRUNK_DEL_NTF,
	HYPERCUBE_CMD_PLAN_SET,

	/* add above here */
	__HYPERCUBE_CMD_MAX,
	HYPERCUBE_CMD_MAX = (__HYPERCUBE_CMD_MAX - 1)
};

/* Attributes of a fabric. */
enum {
	HYPERCUBE_A_FABRIC_NAME = 1,	/* string */
	HYPERCUBE_A_FABRIC_ID,		/* u32, number of the fabric in frames and MAC addresses,
					 * 1 .. HYPERCUBE_FABRIC_ID_MAX; default: computed from the
					 * name
					 */
	HYPERCUBE_A_FABRIC_DIM,		/* u32, 1 .. HYPERCUBE_DIM_MAX; absent: not a hypercube */
	HYPERCUBE_A_FABRIC_SEGMENT,	/* u32, payload bytes of a full data frame */
	HYPERCUBE_A_FABRIC_FAMILY,	/* u32, the socket address family */
	HYPERCUBE_A_FABRIC_LINKS_DOWN,	/* u32, number of unusable links, read only */
	HYPERCUBE_A_FABRIC_NODES_FAILED,/* u32, number of failed nodes, read only */
	HYPERCUBE_A_FABRIC_NODE_SIZE,	/* u32, bytes of the module's state for one endpoint */
	HYPERCUBE_A_FABRIC_DEV_SIZE,	/* u32, bytes of an endpoint's net_device without it */
	HYPERCUBE_A_FABRIC_PAD,
	HYPERCUBE_A_FABRIC_STALL_TIMEOUT,	/* u32, ms for tasks and rounds, 0: no limit */
	HYPERCUBE_A_FABRIC_INDEX,	/* u32, unique on the machine, read only */
	HYPERCUBE_A_FABRIC_SUBCUBE_MASK, /* u32, of the local nodes; 0: all nodes are local */
	HYPERCUBE_A_FABRIC_SUBCUBE_VALUE,	/* u32, of the local nodes */
	HYPERCUBE_A_FABRIC_TRUNKS_ENDED,/* u64, number of trunks that have ended, read only */
	HYPERCUBE_A_FABRIC_LIFE,	/* u32, boot id: a random number that is chosen whenever the
					 * nodes are created, read only
					 */
	HYPERCUBE_A_FABRIC_NODES,	/* u32, number of nodes, read only */
	HYPERCUBE_A_FABRIC_PORTS,	/* u32, greatest number of ports of a node, read only */
	HYPERCUBE_A_FABRIC_PEERS,	/* binary, multi, instead of DIM: one for each node, in the
					 * order of their numbers.  It has, for each port of the
					 * node, the number (u16) of the node at the other end,
					 * whose port of the same number leads back; or the node's
					 * own number: no such port.  Write only, see NODE_PEERS
					 */
	HYPERCUBE_A_FABRIC_SHAPE,	/* string, description of the network for people */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_FABRIC_MAX,
	HYPERCUBE_A_FABRIC_MAX = (__HYPERCUBE_A_FABRIC_MAX - 1)
};

/* Attributes of a node. */
enum {
	HYPERCUBE_A_NODE_FABRIC = 1,	/* string */
	HYPERCUBE_A_NODE_ID,		/* u32 */
	HYPERCUBE_A_NODE_IFINDEX,	/* u32 */
	HYPERCUBE_A_NODE_IFNAME,	/* string */
	HYPERCUBE_A_NODE_FAILED,	/* u8, 0 or 1 */
	HYPERCUBE_A_NODE_FAULT,		/* u32, FAULT word: bit d: link d of the node is unusable */
	HYPERCUBE_A_NODE_NB_FAULT,	/* u32, multi: FAULT words of neighbours, by dimension */
	HYPERCUBE_A_NODE_OWNER,		/* u32, uid of the user that may bind sockets; ~0: none */
	HYPERCUBE_A_NODE_NETNS_PID,	/* u32, move the endpoint to this task's netns */
	HYPERCUBE_A_NODE_NETNS_FD,	/* u32, move the endpoint to the netns of this descriptor */
	HYPERCUBE_A_NODE_NETNSID,	/* s32, id of the endpoint's netns, if not the fabric's */
	HYPERCUBE_A_NODE_BOUND,		/* u8, 1: a collective socket is bound to the node */
	HYPERCUBE_A_NODE_DROPS,		/* nest of HYPERCUBE_A_DROP_* */
	HYPERCUBE_A_NODE_HOST_FRAMES,	/* u64, frames that have entered through the host port */
	HYPERCUBE_A_NODE_MERGED_BYTES,	/* u64, bytes that the node has merged */
	HYPERCUBE_A_NODE_PAD,
	HYPERCUBE_A_NODE_BYZANTINE,	/* u32, ppm of relayed frames that the node corrupts */
	HYPERCUBE_A_NODE_BYZANTINE_SEED,	/* u32, seed of the random numbers; restarts them */
	HYPERCUBE_A_NODE_BYZANTINE_AT,	/* u32, multi: numbers of frames to corrupt, ascending */
	HYPERCUBE_A_NODE_BYZANTINE_FRAMES,		/* u64, frames that it has corrupted */
	HYPERCUBE_A_NODE_AGREED,	/* u64, datagrams all copies of which arrived and agreed */
	HYPERCUBE_A_NODE_DISAGREED,	/* u64, datagrams some copies of which disagreed */
	HYPERCUBE_A_NODE_INCOMPLETE,	/* u64, copies were missing, and none disagreed */
	HYPERCUBE_A_NODE_TASKS,		/* nest of HYPERCUBE_A_TASKS_*; absent: no tasks ever */
	HYPERCUBE_A_NODE_REMOTE,	/* flag: the node is on another machine, and FAULT is its
					 * FAULT word as this machine knows it; read only
					 */
	HYPERCUBE_A_NODE_PEERS,		/* binary, for each port of the node the number (u16) of the
					 * node at the other end, or the node's own number: no such
					 * port; read only
					 */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_NODE_MAX,
	HYPERCUBE_A_NODE_MAX = (__HYPERCUBE_A_NODE_MAX - 1)
};

/* Attributes of a trunk. */
enum {
	HYPERCUBE_A_TRUNK_FABRIC = 1,	/* string */
	HYPERCUBE_A_TRUNK_ID,		/* u32, unique in the fabric, read only except in DEL */
	HYPERCUBE_A_TRUNK_DIM,		/* u32, dimension of the trunk's links */
	HYPERCUBE_A_TRUNK_FD,		/* u32, descriptor of a connected stream socket, NEW only */
	HYPERCUBE_A_TRUNK_SUBCUBE_MASK,	/* u32, of the nodes at the other end */
	/* u32, of the nodes at the other end; default: mask and value of the local nodes, with the
	 * bit of DIM inverted in the value
	 */
	HYPERCUBE_A_TRUNK_SUBCUBE_VALUE,
	HYPERCUBE_A_TRUNK_KEEPALIVE,		/* u32, ms of silence after which the trunk ends */
	HYPERCUBE_A_TRUNK_LINKS,	/* u32, number of the trunk's links, read only */
	HYPERCUBE_A_TRUNK_ESTABLISHED,	/* flag: the other end has sent HELLO, read only */
	HYPERCUBE_A_TRUNK_FAMILY,	/* u32, address family of the socket, read only */
	HYPERCUBE_A_TRUNK_PEER,		/* binary: struct sockaddr of the other end, read only */
	HYPERCUBE_A_TRUNK_TX_FRAMES,	/* u64, frames sent; all counters are read only */
	HYPERCUBE_A_TRUNK_TX_BYTES,	/* u64, bytes sent */
	HYPERCUBE_A_TRUNK_RX_FRAMES,	/* u64, frames received */
	HYPERCUBE_A_TRUNK_RX_BYTES,	/* u64, bytes received */
	HYPERCUBE_A_TRUNK_DROPPED,	/* u64, frames that could not be queued or sent */
	HYPERCUBE_A_TRUNK_ERROR,	/* u32, positive errno: why the trunk has ended */
	HYPERCUBE_A_TRUNK_REASON,	/* string, why the trunk has ended, as a sentence, if known;
					 * if it has not ended: what is wrong with it
					 */
	HYPERCUBE_A_TRUNK_PAD,
	HYPERCUBE_A_TRUNK_NO_PLANS,	/* flag: refuse plans that are received over the trunk */
	HYPERCUBE_A_TRUNK_DIGEST,	/* u32, NEW: 1: this end wants a CRC32C in each record, 0:
					 * it does not; default: 1 unless the socket has TLS.  GET:
					 * 1: records have it
					 */
	HYPERCUBE_A_TRUNK_REPLACE,	/* flag, NEW only: end the trunk of the same links */
	HYPERCUBE_A_TRUNK_LIFE,		/* u32, FABRIC_LIFE of the other end, 0: not known */
	HYPERCUBE_A_TRUNK_SILENCE,	/* u32, ms since data was last received, read only */

	/* add above here */
	__HYPERCUBE_A_TRUNK_MAX,
	HYPERCUBE_A_TRUNK_MAX = (__HYPERCUBE_A_TRUNK_MAX - 1)
};

/* Why a link end is unusable; several of these may be set. */
enum hypercube_link_state {
	HYPERCUBE_LINK_F_DOWN = 1 << 0,		/* the administrator has taken the link down */
	HYPERCUBE_LINK_F_DETECTED = 1 << 1,	/* DETECT has found the link silent */
	HYPERCUBE_LINK_F_FAILED = 1 << 2,	/* a node at one of the link's ends has failed */
	HYPERCUBE_LINK_F_NO_CARRIER = 1 << 3,	/* the other end is on another machine, and no
						 * trunk leads there
						 */
	HYPERCUBE_LINK_F_SPENT = 1 << 4,	/* the link has given up a frame, or missed one.
						 * Cleared when the link is taken up, when its
						 * impairments change, or when DETECT finds that it
						 * works
						 */
};

/* Attributes of a link end (node, dim).  The counters are those of this end. */
enum {
	HYPERCUBE_A_LINK_FABRIC = 1,	/* string */
	HYPERCUBE_A_LINK_NODE,		/* u32 */
	HYPERCUBE_A_LINK_DIM,		/* u32 */
	HYPERCUBE_A_LINK_STATE,		/* u32, HYPERCUBE_LINK_F_*, read only */
	HYPERCUBE_A_LINK_DOWN,		/* u8: 1: down, 0: up; to take it up clears DETECTED */
	HYPERCUBE_A_LINK_LOSS,		/* u32, ppm of frames that are silently lost */
	HYPERCUBE_A_LINK_MODEL_LATENCY,	/* u64, ns, used only in the time model */
	HYPERCUBE_A_LINK_MODEL_BANDWIDTH, /* u64, bytes/s, only in the time model, 0: infinite */
	HYPERCUBE_A_LINK_TX_FRAMES,	/* u64 */
	HYPERCUBE_A_LINK_TX_BYTES,	/* u64, headers included */
	HYPERCUBE_A_LINK_RX_FRAMES,	/* u64 */
	HYPERCUBE_A_LINK_RX_BYTES,	/* u64 */
	HYPERCUBE_A_LINK_DROPS,		/* nest of HYPERCUBE_A_DROP_* */
	HYPERCUBE_A_LINK_ONE_WAY,	/* flag: change this end only; not with DOWN, FLAP_PERIOD */
	HYPERCUBE_A_LINK_PAD,
	HYPERCUBE_A_LINK_CORRUPT,	/* u32, ppm of frames in which a bit is flipped */
	HYPERCUBE_A_LINK_DUPLICATE,	/* u32, ppm of frames that are sent twice */
	HYPERCUBE_A_LINK_DELAY,		/* u64, ns by which frames are delayed; sets JITTER to 0 */
	HYPERCUBE_A_LINK_JITTER,	/* u64, ns by which DELAY varies, at most DELAY */
	HYPERCUBE_A_LINK_RATE,		/* u64, bytes/s that the link carries, 0: no limit */
	HYPERCUBE_A_LINK_SEED,		/* u32, seed of the random numbers; restarts them */
	HYPERCUBE_A_LINK_FLAP_DOWN,	/* u32, ms for which the link is down in each period */
	HYPERCUBE_A_LINK_FLAP_PERIOD,	/* u32, ms, 0: the link does not flap */
	HYPERCUBE_A_LINK_CORRUPTED,	/* u64, frames in which this end has flipped a bit */
	HYPERCUBE_A_LINK_DUPLICATED,	/* u64, frames that were sent twice */
	HYPERCUBE_A_LINK_DELAYED,	/* u64, frames that waited for DELAY or RATE */
	HYPERCUBE_A_LINK_QUEUED,	/* u32, frames that wait for DELAY or RATE now */
	HYPERCUBE_A_LINK_QUEUED_BYTES,	/* u32, bytes of the frames in QUEUED */
	HYPERCUBE_A_LINK_REPLAYS,	/* u64, failed attempts to deliver a frame */
	HYPERCUBE_A_LINK_PEER,		/* u32, number of the node at the other end, read only */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_LINK_MAX,
	HYPERCUBE_A_LINK_MAX = (__HYPERCUBE_A_LINK_MAX - 1)
};

/* Reasons for which frames were dropped.  Each attribute is a u64 counter; only counters that are
 * not 0 are sent.
 */
enum {
	HYPERCUBE_A_DROP_LINK_DOWN = 1,	/* the link was unusable */
	HYPERCUBE_A_DROP_NODE_FAILED,	/* the node has failed */
	HYPERCUBE_A_DROP_LOSS,		/* the link has a loss impairment */
	HYPERCUBE_A_DROP_MALFORMED,	/* version, length or a field of the frame is invalid */
	HYPERCUBE_A_DROP_FOREIGN,	/* another fabric's frame, or not from this neighbour */
	HYPERCUBE_A_DROP_NO_ROUTE,	/* there is no healthy path to the destination */
	HYPERCUBE_A_DROP_NO_PLAN,	/* there is no such plan, or the node is not a member */
	HYPERCUBE_A_DROP_OLD_EPOCH,	/* the frame's epoch of the plan was replaced */
	HYPERCUBE_A_DROP_ENDED,		/* the frame's operation has ended at this node */
	HYPERCUBE_A_DROP_UNEXPECTED,	/* no data of the sender is outstanding at this node */
	HYPERCUBE_A_DROP_NO_SOCKET,	/* no socket is bound to the node */
	HYPERCUBE_A_DROP_QUEUE_FULL,	/* the receiver's buffer or a queue is full */
	HYPERCUBE_A_DROP_NO_MEMORY,	/* an allocation has failed */
	HYPERCUBE_A_DROP_SPOOFED,	/* Ethernet: the source address is another endpoint's */
	HYPERCUBE_A_DROP_TEARDOWN,	/* the frame was queued when its fabric was removed */
	HYPERCUBE_A_DROP_NO_NODE,	/* Ethernet: the destination is no other node */
	HYPERCUBE_A_DROP_TOO_BIG,	/* Ethernet: exceeds the receiving endpoint's MTU */
	HYPERCUBE_A_DROP_ENDPOINT_DOWN,	/* Ethernet: the receiving endpoint is not up */
	HYPERCUBE_A_DROP_CHECKSUM,	/* the frame was corrupted on the link */
	HYPERCUBE_A_DROP_DUPLICATE,	/* the frame was already received over the link */
	HYPERCUBE_A_DROP_PAD,
	HYPERCUBE_A_DROP_COPY_MISMATCH,	/* other copies of the datagram have different data */
	HYPERCUBE_A_DROP_TOO_FEW_COPIES,	/* the datagram was sent in too few copies */
	HYPERCUBE_A_DROP_GAP,		/* a frame before it is missing: the link is spent */

	/* add above here */
	__HYPERCUBE_A_DROP_MAX,
	HYPERCUBE_A_DROP_MAX = (__HYPERCUBE_A_DROP_MAX - 1)
};

/* Plan types, and the attributes that describe a plan of the type.  Without MEMBERS the set of
 * members follows from the other attributes.
 */
enum hypercube_plan_type {
	HYPERCUBE_PLAN_TREE = 1,	/* reduction tree: SINK, ORDER, MEMBERS, DETOUR */
	HYPERCUBE_PLAN_BCAST,		/* broadcast: SOURCE, SEQUENCE, MEMBERS */
	HYPERCUBE_PLAN_DOUBLING,	/* recursive doubling: BASE, ORDER */
	HYPERCUBE_PLAN_RING,		/* rings: RINGS, RING_NODES */
	HYPERCUBE_PLAN_SPAN,		/* spanning tree of any network: SINK, PARENTS */
};

/* Maximum of HYPERCUBE_A_PLAN_GUARD, ms; most bytes of HYPERCUBE_A_PLAN_GUARD_RECIPE. */
#define HYPERCUBE_GUARD_MAX	600000
#define HYPERCUBE_RECIPE_MAX	255

/* Attributes of a plan. */
enum {
	HYPERCUBE_A_PLAN_FABRIC = 1,	/* string */
	HYPERCUBE_A_PLAN_ID,		/* u32, >= 1, chosen by the user */
	HYPERCUBE_A_PLAN_EPOCH,		/* u32, counts installations; NEW: may set a greater one */
	HYPERCUBE_A_PLAN_TYPE,		/* u32, enum hypercube_plan_type */
	HYPERCUBE_A_PLAN_SINK,		/* u32, root of a tree */
	HYPERCUBE_A_PLAN_ORDER,		/* u32, multi: dimension of each stage, stage 0 first */
	HYPERCUBE_A_PLAN_MEMBERS,	/* binary: bit set, node u is bit u % 8 of byte u / 8 */
	HYPERCUBE_A_PLAN_DETOUR,	/* u32, multi: from << 16 | to, ascending */
	HYPERCUBE_A_PLAN_FAULT,		/* binary: FAULT words (u32) of all nodes, as planned for */
	HYPERCUBE_A_PLAN_BROKEN,	/* u8, 1: a fault has broken the plan, read only */
	HYPERCUBE_A_PLAN_CAUSE_NODE,	/* u32, if BROKEN: node of the cause, read only */
	HYPERCUBE_A_PLAN_CAUSE_DIM,	/* u32, if BROKEN: faulty link of that node, read only */
	HYPERCUBE_A_PLAN_PAD,
	HYPERCUBE_A_PLAN_SOURCE,	/* u32, root of a broadcast */
	HYPERCUBE_A_PLAN_SEQUENCE,	/* binary: the dimension (u8) of each step */
	HYPERCUBE_A_PLAN_BASE,		/* u32, recursive doubling: lowest node of the subcube */
	HYPERCUBE_A_PLAN_RINGS,		/* binary: struct hypercube_ring, each after its parent */
	HYPERCUBE_A_PLAN_RING_NODES,	/* binary: the nodes (u16) of all rings, one ring after the
					 * other, in the order in which messages cross the ring
					 */
	HYPERCUBE_A_PLAN_REPAIR,	/* flag, rings only: the plan repairs itself */
	HYPERCUBE_A_PLAN_REPAIRS,	/* u32, number of such repairs so far, read only */
	HYPERCUBE_A_PLAN_LOCAL,		/* flag of requests: apply the request only to this machine,
					 * not to all machines that have nodes of the fabric
					 */
	HYPERCUBE_A_PLAN_WAY,		/* binary, multi: for each DETOUR, in the same order, the
					 * dimensions (u8) of the links of its path; read only
					 */
	HYPERCUBE_A_PLAN_GUARD,		/* u32, ms for which members of a guarded plan wait for its
					 * next epoch after a fault has broken it, 1 ..
					 * HYPERCUBE_GUARD_MAX; absent: the plan is not guarded
					 */
	HYPERCUBE_A_PLAN_GUARD_RECIPE,	/* string, at most HYPERCUBE_RECIPE_MAX bytes: how user
					 * space computes the next epoch of the plan; the kernel
					 * only stores it
					 */
	HYPERCUBE_A_PLAN_PREV,		/* u32, of requests: fail with -ESTALE unless the present
					 * plan of this id has this epoch
					 */
	HYPERCUBE_A_PLAN_CAUSE_STATUS,	/* u32, errno that has broken the plan, read only */
	HYPERCUBE_A_PLAN_PARENTS,	/* binary: for each node the port (u8) to its parent in a
					 * spanning tree; 0xff: the root, or not a member
					 */
	HYPERCUBE_A_PLAN_GUARD_UID,	/* u32, of a guarded plan: uid of a user who may install the
					 * next epoch once the plan is broken; (u32)-1: no user;
					 * default of a request with PREV: unchanged
					 */
	HYPERCUBE_A_PLAN_GUARD_MEMBERS,	/* binary, as MEMBERS: the nodes that the user of GUARD_UID
					 * may make members; read only
					 */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_PLAN_MAX,
	HYPERCUBE_A_PLAN_MAX = (__HYPERCUBE_A_PLAN_MAX - 1)
};

/* Value of hypercube_ring.parent for the first ring. */
#define HYPERCUBE_RING_NONE		0xffff

/**
 * struct hypercube_ring - one ring of a tree of rings
 * @size: number of the ring's nodes
 * @level: 0 for the first ring; else the level of the parent ring, or that level plus 1
 * @parent: index of the parent ring, or HYPERCUBE_RING_NONE
 *
 * Each ring but the first has exactly one node in common with the rings before it: this node joins
 * it to the tree.
 */
struct hypercube_ring {
	__u32	size;
	__u16	level;
	__u16	parent;
};

/* What a member with a pending operation waits for. */
enum hypercube_wait {
	HYPERCUBE_WAIT_NOTHING = 0,	/* no operation is pending at this member */
	HYPERCUBE_WAIT_OWN,		/* the contribution of the member's own process */
	HYPERCUBE_WAIT_PEER,		/* data of another member, or its next generation */
	HYPERCUBE_WAIT_CREDIT,		/* a credit of the member to which it sends */
	HYPERCUBE_WAIT_READER,		/* space in the receive buffer of its own process */
	HYPERCUBE_WAIT_DONE,		/* the outcome, after it has contributed or cancelled */
	HYPERCUBE_WAIT_EPOCH,		/* the next epoch of a guarded plan that is broken */
};

/* Attributes of a member's oldest pending operation (read only). */
enum {
	HYPERCUBE_A_OP_FABRIC = 1,	/* string */
	HYPERCUBE_A_OP_PLAN,		/* u32 */
	HYPERCUBE_A_OP_EPOCH,		/* u32 */
	HYPERCUBE_A_OP_NODE,		/* u32, the member; in notifications of failure: the first
					 * member that continues after the failure
					 */
	HYPERCUBE_A_OP_NR,		/* u64, number of the operation */
	HYPERCUBE_A_OP_WAIT,		/* u32, enum hypercube_wait */
	HYPERCUBE_A_OP_PEER,		/* u32, member for which the member waits with WAIT_PEER or
					 * WAIT_CREDIT; with WAIT_PEER perhaps because that member
					 * is a generation behind
					 */
	HYPERCUBE_A_OP_SINCE,		/* u64, ns for which this wait has lasted */
	HYPERCUBE_A_OP_NEXT,		/* u64, operation of the member's next contribution */
	HYPERCUBE_A_OP_DONE,		/* u64, the member knows that all lower ones are complete */
	HYPERCUBE_A_OP_STATUS,		/* s32, notifications: 0 or -errno */
	HYPERCUBE_A_OP_CAUSE_NODE,	/* u32, notifications of failure: node of the cause */
	HYPERCUBE_A_OP_CAUSE_DIM,	/* u32, notifications of failure: faulty link */
	HYPERCUBE_A_OP_STEPS,		/* u32, notifications of completion: parallel steps */
	HYPERCUBE_A_OP_TIME,		/* u64, notifications of completion: modelled time, ns */
	HYPERCUBE_A_OP_PAD,
	HYPERCUBE_A_OP_GEN,		/* u32, generation: number of failures at the member since
					 * the plan was installed or repaired
					 */

	/* add above here */
	__HYPERCUBE_A_OP_MAX,
	HYPERCUBE_A_OP_MAX = (__HYPERCUBE_A_OP_MAX - 1)
};

/* Attributes of a vote on copies of a datagram that disagree (notifications). */
enum {
	HYPERCUBE_A_VOTE_FABRIC = 1,	/* string */
	HYPERCUBE_A_VOTE_NODE,	/* u32, node that has received the copies */
	HYPERCUBE_A_VOTE_SRC,	/* u32, origin that the copies name */
	HYPERCUBE_A_VOTE_NR,		/* u64, number of the datagram at its origin */
	HYPERCUBE_A_VOTE_OUTCOME,	/* u32, enum hypercube_vote_outcome */
	HYPERCUBE_A_VOTE_COPIES,	/* u32, number of copies that were sent */
	HYPERCUBE_A_VOTE_MISMATCH,	/* u32, bit set of copies that mismatch */
	HYPERCUBE_A_VOTE_MISSING,	/* u32, bit set of copies that are missing */
	HYPERCUBE_A_VOTE_PATH,	/* binary, multi: struct hypercube_path of both kinds of copies */
	HYPERCUBE_A_VOTE_PAD,

	/* add above here */
	__HYPERCUBE_A_VOTE_MAX,
	HYPERCUBE_A_VOTE_MAX = (__HYPERCUBE_A_VOTE_MAX - 1)
};

/* Attributes of the tasks of a node. */
enum {
	HYPERCUBE_A_TASKS_QUEUED = 1,	/* u32, tasks that wait for a worker: the node's load */
	HYPERCUBE_A_TASKS_HELD,		/* u32, tasks that workers have taken and not yet done */
	HYPERCUBE_A_TASKS_BYTES,	/* u64, memory of the tasks that are queued or held */
	HYPERCUBE_A_TASKS_PUT,		/* u64, tasks that producers have put at this node */
	HYPERCUBE_A_TASKS_TAKEN,	/* u64, number of times that a worker has taken a task */
	HYPERCUBE_A_TASKS_DONE,		/* u64, tasks that workers have done */
	HYPERCUBE_A_TASKS_REDELIVERED,	/* u64, times that a taken task was queued again */
	HYPERCUBE_A_TASKS_LOST,		/* u64, tasks that were lost */
	HYPERCUBE_A_TASKS_PAD,
	HYPERCUBE_A_TASKS_MOVING,	/* u32, tasks that migrate to a neighbour, or are to */
	HYPERCUBE_A_TASKS_SENT,		/* u64, tasks that have migrated to neighbours */
	HYPERCUBE_A_TASKS_RECEIVED,	/* u64, tasks that have migrated here */
	HYPERCUBE_A_TASKS_UNRESOLVED,	/* u64, tasks that a neighbour may or may not have */
	HYPERCUBE_A_TASKS_REPLICATED,	/* u32, tasks of which a neighbour holds a replica */
	HYPERCUBE_A_TASKS_REPLICAS_HELD,	/* u32, replicas of neighbours' tasks held here */
	HYPERCUBE_A_TASKS_RECOVERED,	/* u64, replicas queued here after their node failed */

	/* add above here */
	__HYPERCUBE_A_TASKS_MAX,
	HYPERCUBE_A_TASKS_MAX = (__HYPERCUBE_A_TASKS_MAX - 1)
};

/* What has happened to tasks, in notifications of loss. */
enum hypercube_task_loss {
	HYPERCUBE_TASK_LOSS_WORKER = 1,	/* lost: their worker closed its socket, or lost the node */
	HYPERCUBE_TASK_LOSS_NODE,	/* lost: the node at which they were has failed */
	HYPERCUBE_TASK_LOSS_FABRIC,	/* lost: the fabric was removed */
	HYPERCUBE_TASK_LOSS_UNRESOLVED,	/* perhaps not lost: a neighbour may have them */
	HYPERCUBE_TASK_LOSS_RECOVERED,	/* not lost: NODE held replicas when their node failed */
};

/* Attributes of tasks that were lost (notifications), or are to be moved (request). */
enum {
	HYPERCUBE_A_TASK_FABRIC = 1,	/* string */
	HYPERCUBE_A_TASK_NODE,		/* u32, node at which the tasks were, or are */
	HYPERCUBE_A_TASK_LOSS,		/* u32, enum hypercube_task_loss */
	HYPERCUBE_A_TASK_COUNT,		/* u64, number of lost tasks; if more than 1024 are lost at
					 * once, there is no ID of some of them.  In a request: most
					 * tasks to move, at least 1
					 */
	HYPERCUBE_A_TASK_ID,		/* binary, multi: struct hypercube_task, 32 at most */
	HYPERCUBE_A_TASK_PAD,
	HYPERCUBE_A_TASK_DIM,		/* u32, in a request: dimension of the link to use */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_TASK_MAX,
	HYPERCUBE_A_TASK_MAX = (__HYPERCUBE_A_TASK_MAX - 1)
};

/* Methods of load balancing. */
enum hypercube_balance {
	HYPERCUBE_BALANCE_NONE = 0,	/* nodes begin no rounds */
	HYPERCUBE_BALANCE_DEM,		/* neighbours exchange tasks along each dimension in turn */
	HYPERCUBE_BALANCE_MCWA,		/* quotas for the nodes of a topology, which must be set */
	HYPERCUBE_BALANCE_CWA,		/* as MCWA, with the whole cube as the topology */
	HYPERCUBE_BALANCE_RID,		/* a node requests tasks from its neighbours */
};

/* Why a load balancing round was begun. */
enum hypercube_trigger {
	HYPERCUBE_TRIGGER_COMMAND = 1,	/* a request of user space */
	HYPERCUBE_TRIGGER_THRESHOLD,	/* the node had no more tasks than BALANCE_THRESHOLD */
	HYPERCUBE_TRIGGER_PERIOD,	/* BALANCE_PERIOD has passed since the last round */
};

/* Number of ended rounds that a fabric records. */
#define HYPERCUBE_ROUNDS_KEPT		16
/* Value of BALANCE_THRESHOLD: no node begins rounds because of its load. */
#define HYPERCUBE_THRESHOLD_NONE	0xffffffff
/* Values in BALANCE_UP: the root of the topology, and a node that is not in the topology. */
#define HYPERCUBE_PARENT_ROOT		0xfe
#define HYPERCUBE_PARENT_NONE		0xff
/* Limits of BALANCE_PERIOD, ms. */
#define HYPERCUBE_PERIOD_MIN		10
#define HYPERCUBE_PERIOD_MAX		86400000

/* Attributes of load balancing: of a fabric, and of one round (requests, notifications). */
enum {
	HYPERCUBE_A_BALANCE_FABRIC = 1,	/* string */
	HYPERCUBE_A_BALANCE_METHOD,	/* u32, enum hypercube_balance: method of the rounds that
					 * nodes begin; RUN: method of this round, default DEM
					 */
	HYPERCUBE_A_BALANCE_THRESHOLD,	/* u32, a node begins a round if it has no more tasks */
	HYPERCUBE_A_BALANCE_PERIOD,	/* u32, ms from one round to the next, 0: no such rounds */
	HYPERCUBE_A_BALANCE_NODE,	/* u32, RUN: the node that begins the round */
	HYPERCUBE_A_BALANCE_DONE,	/* u64, rounds that have ended successfully */
	HYPERCUBE_A_BALANCE_FAILED,	/* u64, rounds that have failed */
	HYPERCUBE_A_BALANCE_SUPERSEDED,	/* u64, rounds that other rounds have superseded */
	HYPERCUBE_A_BALANCE_MOVED,	/* u64, links crossed by all moved tasks, in DONE rounds */
	HYPERCUBE_A_BALANCE_ROUND,	/* multi: nest of HYPERCUBE_A_ROUND, the oldest first */
	HYPERCUBE_A_BALANCE_PAD,
	HYPERCUBE_A_BALANCE_DIMS,	/* u32, mask: dimensions of the topology's subcube */
	HYPERCUBE_A_BALANCE_BASE,	/* u32, lowest node of the topology's subcube */
	HYPERCUBE_A_BALANCE_DEPTH,	/* u32, links from the deepest node up to the root */
	HYPERCUBE_A_BALANCE_UP,		/* binary: for each node the dimension of the link to its
					 * parent, HYPERCUBE_PARENT_ROOT or HYPERCUBE_PARENT_NONE
					 */
	HYPERCUBE_A_BALANCE_FAULT,	/* binary: the 2^n FAULT words (u32) of the topology */
	HYPERCUBE_A_BALANCE_EPOCH,	/* u32, counts topologies, 0: there is none; read only */
	HYPERCUBE_A_BALANCE_PREV,	/* u32, of SET: fail with -ESTALE unless the present
					 * topology has this epoch
					 */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_BALANCE_MAX,
	HYPERCUBE_A_BALANCE_MAX = (__HYPERCUBE_A_BALANCE_MAX - 1)
};

/* Attributes of a round that has ended. */
enum {
	HYPERCUBE_A_ROUND_NR = 1,	/* u64, number of the round */
	HYPERCUBE_A_ROUND_NODE,		/* u32, the node that has begun the round */
	HYPERCUBE_A_ROUND_METHOD,	/* u32, enum hypercube_balance */
	HYPERCUBE_A_ROUND_TRIGGER,	/* u32, enum hypercube_trigger */
	HYPERCUBE_A_ROUND_STATUS,	/* s32, 0 or -errno */
	HYPERCUBE_A_ROUND_CAUSE_NODE,	/* u32, of a failed round: node of the cause */
	HYPERCUBE_A_ROUND_CAUSE_DIM,	/* u32, of a failed round: faulty link */
	HYPERCUBE_A_ROUND_MEMBERS,	/* u32, nodes that took part, if STATUS is 0 */
	HYPERCUBE_A_ROUND_MOVED,	/* u64, links crossed by all moved tasks, if STATUS is 0 */
	HYPERCUBE_A_ROUND_BEGAN,	/* u64, when it began, ns since the machine was started */
	HYPERCUBE_A_ROUND_TOOK,		/* u64, duration of the round, ns */
	HYPERCUBE_A_ROUND_PAD,

	/* add above here */
	__HYPERCUBE_A_ROUND_MAX,
	HYPERCUBE_A_ROUND_MAX = (__HYPERCUBE_A_ROUND_MAX - 1)
};

/* Attributes of DETECT: request and its answer. */
enum {
	HYPERCUBE_A_DETECT_FABRIC = 1,	/* string */
	HYPERCUBE_A_DETECT_TIMEOUT,	/* u32, ms to wait for test frames, 0: until all arrived */
	HYPERCUBE_A_DETECT_FOUND,	/* u32, number of links newly found silent */
	HYPERCUBE_A_DETECT_LINK,	/* u32, multi: these links, lower end's node << 8 | dim */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_DETECT_MAX,
	HYPERCUBE_A_DETECT_MAX = (__HYPERCUBE_A_DETECT_MAX - 1)
};

/* Attributes of a route: request and its answer. */
enum {
	HYPERCUBE_A_ROUTE_FABRIC = 1,	/* string */
	HYPERCUBE_A_ROUTE_SRC,		/* u32, node at which the route begins */
	HYPERCUBE_A_ROUTE_DST,		/* u32, node at which the route ends */
	HYPERCUBE_A_ROUTE_DIM,		/* u32, multi: dimensions of the route's links, in order */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_ROUTE_MAX,
	HYPERCUBE_A_ROUTE_MAX = (__HYPERCUBE_A_ROUTE_MAX - 1)
};

/* ---------------------------------------------------------------- sockets */

/* This is the number of AF_ASH, which Linux never implemented, because a module outside the tree
 * has no number of its own.  HYPERCUBE_A_FABRIC_FAMILY reports the number in use.
 */
#define HYPERCUBE_AF_DEFAULT		18

#define SOL_HYPERCUBE			0x4843

/**
 * struct sockaddr_hypercube - address of an endpoint
 * @shc_family: the address family
 * @shc_reserved: 0
 * @shc_node: node number, host byte order
 * @shc_fabric: name of the fabric, NUL padded
 * @shc_plan: in connect() and getpeername(): id of the plan; elsewhere 0
 *
 * An address may end before @shc_plan, which then counts as 0.
 */
struct sockaddr_hypercube {
	__kernel_sa_family_t	shc_family;
	__u16			shc_reserved;
	__u32			shc_node;
	char			shc_fabric[16];
	__u32			shc_plan;
};

/* The collectives:
 *
 * REDUCE: all members contribute, and the root gets the result.  Tree plans.
 * ALLREDUCE: as REDUCE, but all members get the result.  Tree plans, and recursive doubling (not
 *	with MERGE).
 * BARRIER: an ALLREDUCE without data.  Tree plans, and recursive doubling.
 * BCAST: the root sends a message, and sockets that are bound to the other members receive it
 *	without a contribution.  Broadcast plans.
 * GATHER, SCATTER: the root receives a block from each member, or sends a block to each member.
 *	All blocks have the same size, and are in the order of the nodes.  Tree plans.
 * ALLGATHER: each member contributes a block, and receives the blocks of all members.  Tree plans,
 *	recursive doubling, and rings.
 * ALLTOALL: each member contributes a block for each member, and receives a block from each member.
 *	Recursive doubling, and rings.
 * REDUCE_SCATTER: each member contributes a block of elements for each member, and receives the
 *	combination of all blocks for it.  Recursive doubling, and tree plans; not with MERGE.
 */
enum hypercube_collective {
	HYPERCUBE_REDUCE = 1,
	HYPERCUBE_BCAST,
	HYPERCUBE_ALLREDUCE,
	HYPERCUBE_BARRIER,
	HYPERCUBE_GATHER,
	HYPERCUBE_SCATTER,
	HYPERCUBE_ALLGATHER,
	HYPERCUBE_ALLTOALL,
	HYPERCUBE_REDUCE_SCATTER,
};

/* Operators.  Integer sums and products wrap.  Floating point follows IEEE 754
 * with round to nearest even; min and max of a NaN and a number is the number.
 * MINLOC and MAXLOC work on elements of struct hypercube_loc; ties go to the
 * lower index.  MERGE merges sorted runs into one sorted run.
 */
enum hypercube_oper {
	HYPERCUBE_SUM = 1,
	HYPERCUBE_PROD,
	HYPERCUBE_MIN,
	HYPERCUBE_MAX,
	HYPERCUBE_AND,
	HYPERCUBE_OR,
	HYPERCUBE_XOR,
	HYPERCUBE_MINLOC,
	HYPERCUBE_MAXLOC,
	HYPERCUBE_MERGE,
	__HYPERCUBE_OPER_END
};

/* Types of elements, in host byte order.  F16 is binary16 of IEEE 754, BF16 the upper half of a
 * binary32: sums and products of both are rounded after each combination of two elements.  RECORD
 * is a string of hypercube_op.width bytes, for MERGE, MIN and MAX; it is compared as memcmp() does.
 */
enum hypercube_type {
	HYPERCUBE_U8 = 1,
	HYPERCUBE_U16,
	HYPERCUBE_U32,
	HYPERCUBE_U64,
	HYPERCUBE_I8,
	HYPERCUBE_I16,
	HYPERCUBE_I32,
	HYPERCUBE_I64,
	HYPERCUBE_F32,
	HYPERCUBE_F64,
	HYPERCUBE_RECORD,
	HYPERCUBE_F16,
	HYPERCUBE_BF16,
	__HYPERCUBE_TYPE_END
};

#define HYPERCUBE_RECORD_MAX		256

/**
 * struct hypercube_loc - element of MINLOC and MAXLOC
 * @value: the value, of the operation's type, in the first bytes; the rest is 0
 * @index: index of the value, chosen by the contributor
 */
struct hypercube_loc {
	__u8	value[8];
	__u64	index;
};

/* hypercube_op.flags */
#define HYPERCUBE_F_NOTIFY	0x1	/* REDUCE: notify the sender when the operation is complete
					 * at the root.  BCAST: notify it when all members have the
					 * message.  ALLGATHER, in rings: the end of the result
					 * arrives when all members have this node's block
					 */
#define HYPERCUBE_F_STALE	0x2	/* the sender does not know yet of a failure of the plan,
					 * although the record of the failure was read from the
					 * socket: fail with -ECANCELED, as sendmsg() does while
					 * such a record is unread
					 */
#define HYPERCUBE_F_ALL_OR_NOTHING 0x4	/* in a guarded plan: the operation fails (-EHOSTUNREACH) if
					 * its result would lack contributions of nodes that have
					 * been members
					 */

/* Control message types at SOL_HYPERCUBE. */
enum {
	HYPERCUBE_CMSG_OP = 1,		/* struct hypercube_op, to sendmsg() */
	HYPERCUBE_CMSG_RESULT,		/* struct hypercube_result, from recvmsg() */
	HYPERCUBE_CMSG_COPIES,		/* int, to sendmsg(): HYPERCUBE_COPIES of this datagram */
	HYPERCUBE_CMSG_VOTE,		/* struct hypercube_vote, from recvmsg() */
	HYPERCUBE_CMSG_PATHS,		/* struct hypercube_path[], from recvmsg() */
	HYPERCUBE_CMSG_TASK,		/* struct hypercube_task, to sendmsg(), from recvmsg() */
	HYPERCUBE_CMSG_DONE,		/* struct hypercube_task, to sendmsg(): the task is done */
	HYPERCUBE_CMSG_MISSING,		/* __u32[], from recvmsg(), with the end of a result that
					 * lacks blocks or contributions.  Two sets of nodes.  The
					 * first: nodes for whose blocks the result has space, or
					 * that have been members of a guarded plan.  The second:
					 * nodes of the first set that are missing (the result of a
					 * guarded plan has no space for their blocks).  Node u is
					 * bit u % 32 of element u / 32 of a set
					 */
	HYPERCUBE_CMSG_OP_SHORT,	/* struct hypercube_op_short, to sendmsg() */
};

/* Option at SOL_HYPERCUBE of SOCK_SEQPACKET sockets, for setsockopt() only. */
#define HYPERCUBE_SIBLING		7	/* struct hypercube_sibling */

/**
 * struct hypercube_sibling - connect a socket to a plan at the node of another socket
 * @fd: a bound or connected SOCK_SEQPACKET socket
 * @plan: id of the plan
 *
 * The option does what connect() does with the address of @fd's node, but with the rights of socket
 * @fd instead of the caller's, whatever namespace the caller is in.  Both sockets are one
 * participant: a failure after socket @fd was bound counts for the new socket as well, even if it
 * was before the new socket was connected.
 */
struct hypercube_sibling {
	__s32	fd;
	__u32	plan;
};

/* Options at SOL_HYPERCUBE of SOCK_DGRAM sockets; ints, except for the last one. */
enum {
	HYPERCUBE_COPIES = 1,		/* number of copies of each datagram that the socket sends,
					 * over node-disjoint paths; 1: by fault-tolerant unicast
					 */
	HYPERCUBE_COPIES_LEAST,		/* drop datagrams that were sent in fewer copies; default 1
					 */
	HYPERCUBE_COPIES_WAIT,		/* ms to wait for missing copies; default 1000 */
	HYPERCUBE_DELIVER,		/* enum hypercube_deliver */
	HYPERCUBE_PATHS,		/* getsockopt() only: struct hypercube_paths */
};

#define HYPERCUBE_COPIES_WAIT_MAX	60000
/* Most links of a copy's path. */
#define HYPERCUBE_HOPS_MAX		64

/* Which of the datagrams that are sent in copies a socket delivers. */
enum hypercube_deliver {
	HYPERCUBE_DELIVER_AGREED,	/* datagrams all copies of which have arrived and agree */
	HYPERCUBE_DELIVER_MAJORITY,	/* datagrams more than half of whose copies agree, as soon
					 * as these have arrived
					 */
	HYPERCUBE_DELIVER_REPORT,	/* all datagrams, when all copies have arrived or
					 * COPIES_WAIT has passed: the data that more than half of
					 * the copies have, or no bytes if there is no such
					 * majority; with HYPERCUBE_CMSG_PATHS
					 */
};

/* Outcome of the vote on the copies of a datagram. */
enum hypercube_vote_outcome {
	HYPERCUBE_VOTE_OUTCOME_AGREED = 1,	/* all copies have arrived and agree */
	HYPERCUBE_VOTE_OUTCOME_INCOMPLETE,	/* more than half agree, the others are missing */
	HYPERCUBE_VOTE_OUTCOME_OUTVOTED,	/* more than half agree, and some others differ */
	HYPERCUBE_VOTE_OUTCOME_UNDECIDED,	/* no more than half of the copies agree */
};

/**
 * struct hypercube_vote - the vote on a datagram; delivered with each datagram that was sent in
 *	copies
 * @outcome: enum hypercube_vote_outcome
 * @copies: number of copies that were sent
 * @mismatch: bit set of the copies whose data differ from those of the majority or, if there is no
 *	majority, from those of the first copy that arrived
 * @missing: bit set of the copies that have not arrived
 * @nr: number of the datagram among the datagrams of its origin
 */
struct hypercube_vote {
	__u32	outcome;
	__u32	copies;
	__u32	mismatch;
	__u32	missing;
	__u64	nr;
};

/**
 * struct hypercube_path - the path of a copy that mismatches or is missing
 * @copy: number of the copy
 * @hops: number of links of the path
 * @mismatch: 1: the copy mismatches, 0: the copy is missing
 * @reserved: 0
 * @dim: dimensions of the links, from the origin on
 */
struct hypercube_path {
	__u8	copy;
	__u8	hops;
	__u8	mismatch;
	__u8	reserved;
	__u8	dim[HYPERCUBE_HOPS_MAX];
};

/**
 * struct hypercube_paths - number of node-disjoint paths to a node that avoid all known faults
 * @node: in: the node
 * @paths: out: the number of paths
 */
struct hypercube_paths {
	__u32	node;
	__u32	paths;
};

/**
 * struct hypercube_op - describes a contribution; passed with the contribution's first sendmsg()
 * @plan: id of the plan
 * @collective: enum hypercube_collective
 * @oper: enum hypercube_oper with REDUCE, ALLREDUCE and REDUCE_SCATTER, else 0
 * @type: enum hypercube_type with REDUCE, ALLREDUCE and REDUCE_SCATTER, else 0
 * @flags: HYPERCUBE_F_*; unknown flags, and flags that @collective does not use, are refused
 *	(EINVAL)
 * @width: bytes of a RECORD, 1..HYPERCUBE_RECORD_MAX; 0 with other types
 * @reserved: 0
 * @bytes: length of this node's contribution, a multiple of the element size.  With BARRIER 0; with
 *	SCATTER the length of all blocks at the root, and 0 elsewhere; with ALLTOALL and
 *	REDUCE_SCATTER also a multiple of the number of members
 * @cookie: returned with the result
 *
 * sendmsg() may accept only a part of the contribution; further calls without this control message
 * send the rest.  @bytes is the same at all members, except with MERGE and SCATTER; with BCAST only
 * the root contributes.  ALLTOALL and REDUCE_SCATTER accept chunks of all blocks in turn: each call
 * passes the whole contribution, and returns how many more bytes of it were accepted.
 */
struct hypercube_op {
	__u32	plan;
	__u8	collective;
	__u8	oper;
	__u8	type;
	__u8	flags;
	__u32	width;
	__u32	reserved;
	__u64	bytes;
	__u64	cookie;
};

/**
 * struct hypercube_op_short - short form of struct hypercube_op, for contributions that do not need
 *	the members that it lacks
 * @plan: id of the plan
 * @collective: enum hypercube_collective
 * @oper: enum hypercube_oper, or 0
 * @type: enum hypercube_type except RECORD, or 0
 * @flags: HYPERCUBE_F_*
 * @bytes: length of this node's contribution
 * @cookie: returned with the result
 *
 * Linux takes control messages of up to 36 bytes without allocating memory for them.
 */
struct hypercube_op_short {
	__u32	plan;
	__u8	collective;
	__u8	oper;
	__u8	type;
	__u8	flags;
	__u32	bytes;
	__u32	cookie;
};

/* Most bytes that one call can take or return, with pages of up to 64 KiB.  This limits what must
 * be passed as a whole in one call: a contribution to ALLTOALL or REDUCE_SCATTER, and a result of
 * ALLTOALL or ALLGATHER.
 */
#define HYPERCUBE_WHOLE_MAX	0x7fff0000U

/* Value of hypercube_result.op: no operation. */
#define HYPERCUBE_OP_NONE	(~0ULL)

/**
 * struct hypercube_result - outcome of an operation; delivered with every recvmsg()
 * @status: status of the operation: 0 or a negative errno; valid if MSG_EOR is set
 * @plan: id of the plan
 * @op: number of the operation within the plan.  If several contributions of a process fail because
 *	an operation has failed: the first one has the number of that operation, and those after it
 *	the numbers that follow, also if another process has contributed before.
 *	HYPERCUBE_OP_NONE if the plan was removed before the operation began, or if the
 *	contribution was sent before the record of a failure was read: no other member is notified
 *	of this
 * @cookie: cookie of this node's contribution; 0 for a message of a BCAST
 * @bytes: length of the whole result; 0 if there is none
 * @steps: parallel steps: the sum of the costs of all stages.  For a result that was sent down a
 *	tree, or a message of a BCAST: steps until this node had received it; for a completed BCAST
 *	at the root: until all members had received it; for an ALLGATHER: until this node had its
 *	data; at the end of an ALLGATHER with NOTIFY: until all members had this node's block
 * @clock: logical clock: length of the longest chain of frames that ends at this node
 * @time: modelled time in ns: T = a + b * m along the critical path
 * @cause_node: if @status is not 0: number of the node at which the cause is, or ~0
 * @cause_dim: if @status is not 0: dimension of the faulty link, or ~0
 * @collective: enum hypercube_collective
 * @restarts: number of times that the operation was begun again, in a later epoch of a guarded plan
 */
struct hypercube_result {
	__s32	status;
	__u32	plan;
	__u64	op;
	__u64	cookie;
	__u64	bytes;
	__u32	steps;
	__u32	clock;
	__u64	time;
	__u32	cause_node;
	__u32	cause_dim;
	__u32	collective;
	__u32	restarts;
};

/* Most bytes of a task, and most tasks that a worker may hold. */
#define HYPERCUBE_TASK_MAX		65536
#define HYPERCUBE_TASKS_HELD_MAX	1024

/* hypercube_task.flags */
#define HYPERCUBE_TASK_IDEMPOTENT	0x1	/* the task may be executed more than once */
#define HYPERCUBE_TASK_REDELIVERED	0x2	/* a worker may have begun to execute the task */
#define HYPERCUBE_TASK_REPLICATED	0x4	/* a second node has a replica; needs IDEMPOTENT */

/* Option at SOL_HYPERCUBE of SOCK_RDM sockets, for getsockopt() only. */
#define HYPERCUBE_TASK			6	/* struct hypercube_task: the last one put by it */

/**
 * struct hypercube_task - identifies a task
 * @node: number of the node at which a producer has put the task; 0 to put a task
 * @flags: HYPERCUBE_TASK_*; to put a task: IDEMPOTENT, IDEMPOTENT with REPLICATED, or 0; ignored
 *	with HYPERCUBE_CMSG_DONE
 * @nr: number of the task among the tasks put at that node, from 1 on; 0 to put a task
 *
 * The sockets of SOCK_RDM that are bound to a node share its queue of tasks.  sendmsg() puts a
 * task, recvmsg() takes one.  The worker that took a task holds it until it reports the task as
 * done, by a sendmsg() with HYPERCUBE_CMSG_DONE and no data, or closes the socket.
 *
 * For each task with REPLICATED, a node requests a neighbour to hold a replica, if one of them has
 * memory for it.  If the node fails, the neighbour puts its replicas of the node's tasks into its
 * own queue, marked REDELIVERED.  sendmsg() does not wait until there is a replica.
 */
struct hypercube_task {
	__u32	node;
	__u32	flags;
	__u64	nr;
};

#endif /* _UAPI_LINUX_HYPERCUBE_H */
