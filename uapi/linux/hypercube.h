/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * hypercube: the interface between kernel and user space.
 *
 * Part 1 is the generic netlink family, which Documentation/netlink/specs/hypercube.yaml describes
 * item by item; part 2 are the sockets, which hypercube(7) describes.  In a hypercube node numbers
 * are 0 .. 2^n - 1, dimensions 0 .. n - 1.  In any other network the "dimension" of a link is the
 * port number that the link has at both ends.
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
/* Greatest numbers of ports of a node, and of nodes, in a network that is not a hypercube. */
#define HYPERCUBE_PORTS_MAX		16
#define HYPERCUBE_NODES_MAX		4096
/* Characters of HYPERCUBE_A_FABRIC_SHAPE. */
#define HYPERCUBE_SHAPE_MAX		63
/* The id of a fabric is 16 bits of the MAC addresses of its endpoints. */
#define HYPERCUBE_FABRIC_ID_MAX		65535
#define HYPERCUBE_SEGMENT_MIN		256
#define HYPERCUBE_SEGMENT_MAX		32768
/* Probabilities are in parts per million. */
#define HYPERCUBE_PPM_MAX		1000000
/* Entries of a list of frames to be corrupted (HYPERCUBE_A_NODE_BYZANTINE_AT). */
#define HYPERCUBE_BYZANTINE_AT_MAX		32
/* In ms: the longest stall timeout, which is a day, and that of a new fabric. */
#define HYPERCUBE_STALL_TIMEOUT_MAX		86400000
#define HYPERCUBE_STALL_TIMEOUT_DEFAULT	10000
/* In ms: after how much silence of the other end a trunk ends. */
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
	HYPERCUBE_A_FABRIC_ID,		/* u32, in frames and MAC addresses, 1 ..
					 * HYPERCUBE_FABRIC_ID_MAX; default: computed from the
					 * name
					 */
	HYPERCUBE_A_FABRIC_DIM,		/* u32, 1 .. HYPERCUBE_DIM_MAX; absent: not a hypercube */
	HYPERCUBE_A_FABRIC_SEGMENT,	/* u32, payload bytes of a full data frame */
	HYPERCUBE_A_FABRIC_FAMILY,	/* u32, the socket address family */
	HYPERCUBE_A_FABRIC_LINKS_DOWN,	/* u32, unusable links, read only */
	HYPERCUBE_A_FABRIC_NODES_FAILED,/* u32, failed nodes, read only */
	HYPERCUBE_A_FABRIC_NODE_SIZE,	/* u32, bytes of the module's own state of one endpoint */
	HYPERCUBE_A_FABRIC_DEV_SIZE,	/* u32, bytes of its net_device, without that state */
	HYPERCUBE_A_FABRIC_PAD,
	HYPERCUBE_A_FABRIC_STALL_TIMEOUT,	/* u32, ms for tasks and rounds, 0: no limit */
	HYPERCUBE_A_FABRIC_INDEX,	/* u32, unique in the machine, read only */
	HYPERCUBE_A_FABRIC_SUBCUBE_MASK, /* u32, bits that local nodes share; 0: all are local */
	HYPERCUBE_A_FABRIC_SUBCUBE_VALUE,	/* u32, the values of these bits */
	HYPERCUBE_A_FABRIC_TRUNKS_ENDED,/* u64, trunks that have ended, read only */
	HYPERCUBE_A_FABRIC_LIFE,	/* u32, random boot id: another one each time that the
					 * nodes are created, read only
					 */
	HYPERCUBE_A_FABRIC_NODES,	/* u32, number of nodes, read only */
	HYPERCUBE_A_FABRIC_PORTS,	/* u32, greatest number of ports of a node, read only */
	HYPERCUBE_A_FABRIC_PEERS,	/* binary, multi, in place of DIM: one for each node, in
					 * order; for each port the number (u16) of the node at the
					 * other end, whose port of the same number leads back; the
					 * node's own number: no such port; write only, see
					 * NODE_PEERS
					 */
	HYPERCUBE_A_FABRIC_SHAPE,	/* string, which kind of network it is, for people */

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
	HYPERCUBE_A_NODE_FAULT,		/* u32, FAULT word: bit d: own link d unusable */
	HYPERCUBE_A_NODE_NB_FAULT,	/* u32, multi: FAULT words of neighbours, by dimension */
	HYPERCUBE_A_NODE_OWNER,		/* u32, uid that may bind sockets; ~0: no user */
	HYPERCUBE_A_NODE_NETNS_PID,	/* u32, move the endpoint to this task's netns */
	HYPERCUBE_A_NODE_NETNS_FD,	/* u32, move the endpoint to the netns of this descriptor */
	HYPERCUBE_A_NODE_NETNSID,	/* s32, id of the endpoint's netns, if not the fabric's */
	HYPERCUBE_A_NODE_BOUND,		/* u8, a collective socket is bound */
	HYPERCUBE_A_NODE_DROPS,		/* nest of HYPERCUBE_A_DROP_* */
	HYPERCUBE_A_NODE_HOST_FRAMES,	/* u64, frames that entered by the host port */
	HYPERCUBE_A_NODE_MERGED_BYTES,	/* u64, bytes merged by this node */
	HYPERCUBE_A_NODE_PAD,
	HYPERCUBE_A_NODE_BYZANTINE,	/* u32, ppm of relayed frames that the node corrupts */
	HYPERCUBE_A_NODE_BYZANTINE_SEED,	/* u32, seed of the random numbers; restarts them */
	HYPERCUBE_A_NODE_BYZANTINE_AT,	/* u32, multi: numbers of frames to corrupt, ascending */
	HYPERCUBE_A_NODE_BYZANTINE_FRAMES,		/* u64, frames that it has corrupted */
	HYPERCUBE_A_NODE_AGREED,	/* u64, datagrams all copies of which arrived and agreed */
	HYPERCUBE_A_NODE_DISAGREED,	/* u64, datagrams some copies of which disagreed */
	HYPERCUBE_A_NODE_INCOMPLETE,	/* u64, other datagrams of which copies were missing */
	HYPERCUBE_A_NODE_TASKS,		/* nest of HYPERCUBE_A_TASKS; absent: it never had tasks */
	HYPERCUBE_A_NODE_REMOTE,	/* flag: the node is on another machine; FAULT is what this
					 * machine knows, read only
					 */
	HYPERCUBE_A_NODE_PEERS,		/* binary, for each port the number (u16) of the node at the
					 * other end; the node's own: no such port; read only
					 */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_NODE_MAX,
	HYPERCUBE_A_NODE_MAX = (__HYPERCUBE_A_NODE_MAX - 1)
};

/* Attributes of a trunk. */
enum {
	HYPERCUBE_A_TRUNK_FABRIC = 1,	/* string */
	HYPERCUBE_A_TRUNK_ID,		/* u32, unique in the fabric, read only but for DEL */
	HYPERCUBE_A_TRUNK_DIM,		/* u32, dimension of its links */
	HYPERCUBE_A_TRUNK_FD,		/* u32, descriptor of a connected stream socket, NEW only */
	HYPERCUBE_A_TRUNK_SUBCUBE_MASK,	/* u32, bits that all nodes at the other end share */
	/* u32, the values of these bits; default: mask and value of the local nodes, with the bit
	 * of DIM inverted
	 */
	HYPERCUBE_A_TRUNK_SUBCUBE_VALUE,
	HYPERCUBE_A_TRUNK_KEEPALIVE,		/* u32, ms of silence after which the trunk ends */
	HYPERCUBE_A_TRUNK_LINKS,	/* u32, number of links that it carries, read only */
	HYPERCUBE_A_TRUNK_ESTABLISHED,	/* flag: the other end has sent HELLO, read only */
	HYPERCUBE_A_TRUNK_FAMILY,	/* u32, address family of the socket, read only */
	HYPERCUBE_A_TRUNK_PEER,		/* binary: struct sockaddr of the other end, read only */
	HYPERCUBE_A_TRUNK_TX_FRAMES,	/* u64, read only, as are the next ones */
	HYPERCUBE_A_TRUNK_TX_BYTES,	/* u64 */
	HYPERCUBE_A_TRUNK_RX_FRAMES,	/* u64 */
	HYPERCUBE_A_TRUNK_RX_BYTES,	/* u64 */
	HYPERCUBE_A_TRUNK_DROPPED,	/* u64, frames that could not be queued or sent */
	HYPERCUBE_A_TRUNK_ERROR,	/* u32, positive errno: why it has ended */
	HYPERCUBE_A_TRUNK_REASON,	/* string, why it has ended, in a sentence, if there is
					 * one; if it has not ended: what is wrong with it
					 */
	HYPERCUBE_A_TRUNK_PAD,
	HYPERCUBE_A_TRUNK_NO_PLANS,	/* flag: refuse plans that arrive over it */
	HYPERCUBE_A_TRUNK_DIGEST,	/* u32, NEW: 0 or 1: this end wants CRC32C of records;
					 * default: 1 unless the socket has TLS; GET: 1: records
					 * have it
					 */
	HYPERCUBE_A_TRUNK_REPLACE,	/* flag, NEW only: end the trunk of the same links */
	HYPERCUBE_A_TRUNK_LIFE,		/* u32, FABRIC_LIFE at the other end, 0: not known */
	HYPERCUBE_A_TRUNK_SILENCE,	/* u32, ms since something was last received, read only */

	/* add above here */
	__HYPERCUBE_A_TRUNK_MAX,
	HYPERCUBE_A_TRUNK_MAX = (__HYPERCUBE_A_TRUNK_MAX - 1)
};

/* Why a link end is unusable; several of these may be set. */
enum hypercube_link_state {
	HYPERCUBE_LINK_F_DOWN = 1 << 0,		/* taken down by the administrator */
	HYPERCUBE_LINK_F_DETECTED = 1 << 1,	/* found silent by DETECT */
	HYPERCUBE_LINK_F_FAILED = 1 << 2,	/* a node at one of its ends has failed */
	HYPERCUBE_LINK_F_NO_CARRIER = 1 << 3,	/* its other end is on another machine, and no
						 * trunk leads there
						 */
	HYPERCUBE_LINK_F_SPENT = 1 << 4,	/* it gave up a frame, or missed one; until it is
						 * set up, its impairments change, or DETECT finds
						 * that it works
						 */
};

/* Attributes of a link end (node, dim); counters are those of this end. */
enum {
	HYPERCUBE_A_LINK_FABRIC = 1,	/* string */
	HYPERCUBE_A_LINK_NODE,		/* u32 */
	HYPERCUBE_A_LINK_DIM,		/* u32 */
	HYPERCUBE_A_LINK_STATE,		/* u32, HYPERCUBE_LINK_F_*, read only */
	HYPERCUBE_A_LINK_DOWN,		/* u8: 1 down, 0 up (up clears DETECTED) */
	HYPERCUBE_A_LINK_LOSS,		/* u32, ppm of frames silently lost */
	HYPERCUBE_A_LINK_MODEL_LATENCY,	/* u64, ns: of the time model alone */
	HYPERCUBE_A_LINK_MODEL_BANDWIDTH, /* u64, bytes/s: of the time model alone, 0: infinite */
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
	HYPERCUBE_A_LINK_FLAP_DOWN,	/* u32, ms that the link is down in each period */
	HYPERCUBE_A_LINK_FLAP_PERIOD,	/* u32, ms, 0: it does not flap */
	HYPERCUBE_A_LINK_CORRUPTED,	/* u64, frames in which a bit was flipped here */
	HYPERCUBE_A_LINK_DUPLICATED,	/* u64, frames that were sent twice */
	HYPERCUBE_A_LINK_DELAYED,	/* u64, frames that waited for DELAY or RATE */
	HYPERCUBE_A_LINK_QUEUED,	/* u32, frames that wait for DELAY or RATE now */
	HYPERCUBE_A_LINK_QUEUED_BYTES,	/* u32, bytes of these frames */
	HYPERCUBE_A_LINK_REPLAYS,	/* u64, failed attempts to deliver a frame */
	HYPERCUBE_A_LINK_PEER,		/* u32, the node at the other end, read only */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_LINK_MAX,
	HYPERCUBE_A_LINK_MAX = (__HYPERCUBE_A_LINK_MAX - 1)
};

/* Reasons for which a frame was dropped.  Each is a u64 counter; only those that are not 0 are
 * sent.
 */
enum {
	HYPERCUBE_A_DROP_LINK_DOWN = 1,	/* the link was unusable */
	HYPERCUBE_A_DROP_NODE_FAILED,	/* the node has failed */
	HYPERCUBE_A_DROP_LOSS,		/* the link's loss impairment */
	HYPERCUBE_A_DROP_MALFORMED,	/* bad version, length or field */
	HYPERCUBE_A_DROP_FOREIGN,	/* of or to another fabric, or not from this neighbour */
	HYPERCUBE_A_DROP_NO_ROUTE,	/* no healthy path to the destination */
	HYPERCUBE_A_DROP_NO_PLAN,	/* no such plan, or this node is no member */
	HYPERCUBE_A_DROP_OLD_EPOCH,	/* of an epoch of the plan that was replaced */
	HYPERCUBE_A_DROP_ENDED,		/* its operation has ended at this node */
	HYPERCUBE_A_DROP_UNEXPECTED,	/* from a node of which no data is outstanding */
	HYPERCUBE_A_DROP_NO_SOCKET,	/* no socket is bound to the node */
	HYPERCUBE_A_DROP_QUEUE_FULL,	/* the receiver's buffer or a queue is full */
	HYPERCUBE_A_DROP_NO_MEMORY,
	HYPERCUBE_A_DROP_SPOOFED,	/* Ethernet: source address of another endpoint */
	HYPERCUBE_A_DROP_TEARDOWN,	/* still queued when its fabric was removed */
	HYPERCUBE_A_DROP_NO_NODE,	/* Ethernet: to no other node of the fabric */
	HYPERCUBE_A_DROP_TOO_BIG,	/* Ethernet: exceeds the receiving endpoint's MTU */
	HYPERCUBE_A_DROP_ENDPOINT_DOWN,	/* Ethernet: the receiving endpoint is not up */
	HYPERCUBE_A_DROP_CHECKSUM,	/* corrupted on the link */
	HYPERCUBE_A_DROP_DUPLICATE,	/* was received over the link before */
	HYPERCUBE_A_DROP_PAD,
	HYPERCUBE_A_DROP_COPY_MISMATCH,	/* other copies of the datagram have other data */
	HYPERCUBE_A_DROP_TOO_FEW_COPIES,	/* the datagram was sent in too few copies */
	HYPERCUBE_A_DROP_GAP,		/* a frame before it is missing: the link is spent */

	/* add above here */
	__HYPERCUBE_A_DROP_MAX,
	HYPERCUBE_A_DROP_MAX = (__HYPERCUBE_A_DROP_MAX - 1)
};

enum hypercube_plan_type {
	HYPERCUBE_PLAN_TREE = 1,	/* sink, order, members, detours */
	HYPERCUBE_PLAN_BCAST,		/* source, sequence, members */
	HYPERCUBE_PLAN_DOUBLING,	/* base, order; members follow from them */
	HYPERCUBE_PLAN_RING,		/* rings, ring nodes; members follow from them */
	HYPERCUBE_PLAN_SPAN,		/* sink, parents; members follow from them */
};

/* Most that HYPERCUBE_A_PLAN_GUARD may be, in ms, and bytes of HYPERCUBE_A_PLAN_GUARD_RECIPE. */
#define HYPERCUBE_GUARD_MAX	600000
#define HYPERCUBE_RECIPE_MAX	255

/* Attributes of a plan. */
enum {
	HYPERCUBE_A_PLAN_FABRIC = 1,	/* string */
	HYPERCUBE_A_PLAN_ID,		/* u32, >= 1, chosen by the user */
	HYPERCUBE_A_PLAN_EPOCH,		/* u32, counts installations; NEW: choose a greater one */
	HYPERCUBE_A_PLAN_TYPE,		/* u32, enum hypercube_plan_type */
	HYPERCUBE_A_PLAN_SINK,		/* u32 */
	HYPERCUBE_A_PLAN_ORDER,		/* u32, multi: dimensions, stage 0 first */
	HYPERCUBE_A_PLAN_MEMBERS,	/* binary: bit set, node u is bit u % 8 of byte u / 8 */
	HYPERCUBE_A_PLAN_DETOUR,	/* u32, multi: from << 16 | to, ascending */
	HYPERCUBE_A_PLAN_FAULT,		/* binary: the 2^n FAULT words (u32) it was made for */
	HYPERCUBE_A_PLAN_BROKEN,	/* u8, 1: a fault has broken it since, read only */
	HYPERCUBE_A_PLAN_CAUSE_NODE,	/* u32, read only */
	HYPERCUBE_A_PLAN_CAUSE_DIM,	/* u32, read only */
	HYPERCUBE_A_PLAN_PAD,
	HYPERCUBE_A_PLAN_SOURCE,	/* u32, of a broadcast */
	HYPERCUBE_A_PLAN_SEQUENCE,	/* binary: the dimension of each step, a byte each */
	HYPERCUBE_A_PLAN_BASE,		/* u32, recursive doubling: lowest node of its subcube */
	HYPERCUBE_A_PLAN_RINGS,		/* binary: struct hypercube_ring, each after its parent */
	HYPERCUBE_A_PLAN_RING_NODES,	/* binary: the nodes (u16) of all rings, one ring after the
					 * other, in the order in which messages go round
					 */
	HYPERCUBE_A_PLAN_REPAIR,	/* flag, rings only: the plan repairs itself */
	HYPERCUBE_A_PLAN_REPAIRS,	/* u32, how often it has repaired itself, read only */
	HYPERCUBE_A_PLAN_LOCAL,		/* flag of requests: only on this machine, not on all
					 * machines that hold a part of the fabric
					 */
	HYPERCUBE_A_PLAN_WAY,		/* binary, multi: for each DETOUR, in the same order, the
					 * dimensions (u8) of the links of its path; read only
					 */
	HYPERCUBE_A_PLAN_GUARD,		/* u32, ms that members of a guarded plan wait for its next
					 * epoch once a fault has broken it, 1 ..
					 * HYPERCUBE_GUARD_MAX; absent: the plan is not guarded
					 */
	HYPERCUBE_A_PLAN_GUARD_RECIPE,	/* string, at most HYPERCUBE_RECIPE_MAX bytes: how user
					 * space plans it again; the kernel only stores it
					 */
	HYPERCUBE_A_PLAN_PREV,		/* u32, of requests: fail with -ESTALE unless the present
					 * plan of this id has this epoch
					 */
	HYPERCUBE_A_PLAN_CAUSE_STATUS,	/* u32, errno, of a broken plan, read only */
	HYPERCUBE_A_PLAN_PARENTS,	/* binary: for each node the port (u8) to its parent in a
					 * spanning tree; 0xff: the sink, or not a member
					 */
	HYPERCUBE_A_PLAN_GUARD_UID,	/* u32, of a guarded plan: a user who may install its next
					 * epoch once it is broken; (u32)-1: no user; default of a
					 * request with PREV: unchanged
					 */
	HYPERCUBE_A_PLAN_GUARD_MEMBERS,	/* binary, as MEMBERS: the nodes that this user may make
					 * members; read only
					 */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_PLAN_MAX,
	HYPERCUBE_A_PLAN_MAX = (__HYPERCUBE_A_PLAN_MAX - 1)
};

/* hypercube_ring.parent of the first ring. */
#define HYPERCUBE_RING_NONE		0xffff

/**
 * struct hypercube_ring - one ring of a tree of rings
 * @size: number of its nodes
 * @level: 0 for the first ring; else the level of the parent, or one more
 * @parent: index of the parent ring, or HYPERCUBE_RING_NONE
 *
 * Every ring but the first has one node in common with the rings before it, by which it is joined
 * to the tree.
 */
struct hypercube_ring {
	__u32	size;
	__u16	level;
	__u16	parent;
};

/* What a member with a pending operation waits for. */
enum hypercube_wait {
	HYPERCUBE_WAIT_NOTHING = 0,	/* no operation is pending at this member */
	HYPERCUBE_WAIT_OWN,		/* the contribution of its own process */
	HYPERCUBE_WAIT_PEER,		/* data of another member, or its next generation */
	HYPERCUBE_WAIT_CREDIT,		/* room at the member it sends to */
	HYPERCUBE_WAIT_READER,		/* room in the receive buffer of its own process */
	HYPERCUBE_WAIT_DONE,		/* the end, by the sink, of what it sent or cancelled */
	HYPERCUBE_WAIT_EPOCH,		/* the next epoch of a guarded plan that is broken */
};

/* Attributes of a member's oldest pending operation (read only). */
enum {
	HYPERCUBE_A_OP_FABRIC = 1,	/* string */
	HYPERCUBE_A_OP_PLAN,		/* u32 */
	HYPERCUBE_A_OP_EPOCH,		/* u32 */
	HYPERCUBE_A_OP_NODE,		/* u32, the member; notifications of failure: the first
					 * member that goes on after the failure
					 */
	HYPERCUBE_A_OP_NR,		/* u64 */
	HYPERCUBE_A_OP_WAIT,		/* u32, enum hypercube_wait */
	HYPERCUBE_A_OP_PEER,		/* u32, member that WAIT_PEER or WAIT_CREDIT waits for; with
					 * WAIT_PEER also a member that is a generation behind
					 */
	HYPERCUBE_A_OP_SINCE,		/* u64, ns that this wait has lasted */
	HYPERCUBE_A_OP_NEXT,		/* u64, number of the member's next contribution */
	HYPERCUBE_A_OP_DONE,		/* u64, all operations below are complete, as it knows */
	HYPERCUBE_A_OP_STATUS,		/* s32, notifications: 0 or -errno */
	HYPERCUBE_A_OP_CAUSE_NODE,	/* u32, notifications of failure */
	HYPERCUBE_A_OP_CAUSE_DIM,	/* u32 */
	HYPERCUBE_A_OP_STEPS,		/* u32, notifications of completion */
	HYPERCUBE_A_OP_TIME,		/* u64, ns, modelled */
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
	HYPERCUBE_A_VOTE_NODE,	/* u32, node that received the copies */
	HYPERCUBE_A_VOTE_SRC,	/* u32, origin that the datagram names */
	HYPERCUBE_A_VOTE_NR,		/* u64, number among those of its origin */
	HYPERCUBE_A_VOTE_OUTCOME,	/* u32, enum hypercube_vote_outcome */
	HYPERCUBE_A_VOTE_COPIES,	/* u32, number of copies that were sent */
	HYPERCUBE_A_VOTE_MISMATCH,	/* u32, bit set of copies that mismatch */
	HYPERCUBE_A_VOTE_MISSING,	/* u32, bit set of copies that are missing */
	HYPERCUBE_A_VOTE_PATH,	/* binary, multi: struct hypercube_path of these copies */
	HYPERCUBE_A_VOTE_PAD,

	/* add above here */
	__HYPERCUBE_A_VOTE_MAX,
	HYPERCUBE_A_VOTE_MAX = (__HYPERCUBE_A_VOTE_MAX - 1)
};

/* Attributes of the tasks of a node. */
enum {
	HYPERCUBE_A_TASKS_QUEUED = 1,	/* u32, tasks that wait for a worker: the node's load */
	HYPERCUBE_A_TASKS_HELD,		/* u32, tasks that workers have taken and not done yet */
	HYPERCUBE_A_TASKS_BYTES,	/* u64, memory of the tasks that are queued or held */
	HYPERCUBE_A_TASKS_PUT,		/* u64, tasks that producers have put at this node */
	HYPERCUBE_A_TASKS_TAKEN,	/* u64, how often a worker has taken a task */
	HYPERCUBE_A_TASKS_DONE,		/* u64, tasks that workers have done */
	HYPERCUBE_A_TASKS_REDELIVERED,	/* u64, how often a taken task came back to the queue */
	HYPERCUBE_A_TASKS_LOST,		/* u64, tasks that were lost */
	HYPERCUBE_A_TASKS_PAD,
	HYPERCUBE_A_TASKS_MOVING,	/* u32, tasks that are to migrate to a neighbour, or do */
	HYPERCUBE_A_TASKS_SENT,		/* u64, tasks that have migrated to neighbours */
	HYPERCUBE_A_TASKS_RECEIVED,	/* u64, tasks that have migrated here */
	HYPERCUBE_A_TASKS_UNRESOLVED,	/* u64, tasks that a neighbour may or may not have */
	HYPERCUBE_A_TASKS_REPLICATED,	/* u32, own tasks of which a neighbour has a replica */
	HYPERCUBE_A_TASKS_REPLICAS_HELD,	/* u32, replicas of neighbours' tasks */
	HYPERCUBE_A_TASKS_RECOVERED,	/* u64, replicas queued here since their node failed */

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
	HYPERCUBE_TASK_LOSS_RECOVERED,	/* not lost: their node failed, but this one had replicas */
};

/* Attributes of tasks that were lost (notifications), or are to be moved (request). */
enum {
	HYPERCUBE_A_TASK_FABRIC = 1,	/* string */
	HYPERCUBE_A_TASK_NODE,		/* u32, node at which they were, or are */
	HYPERCUBE_A_TASK_LOSS,		/* u32, enum hypercube_task_loss */
	HYPERCUBE_A_TASK_COUNT,		/* u64, number of tasks; if more than 1024 are lost at once
					 * some have no ID; to move: greatest number, at least 1
					 */
	HYPERCUBE_A_TASK_ID,		/* binary, multi: struct hypercube_task, 32 at most */
	HYPERCUBE_A_TASK_PAD,
	HYPERCUBE_A_TASK_DIM,		/* u32, to move: dimension of the link over which they go */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_TASK_MAX,
	HYPERCUBE_A_TASK_MAX = (__HYPERCUBE_A_TASK_MAX - 1)
};

/* Methods of load balancing. */
enum hypercube_balance {
	HYPERCUBE_BALANCE_NONE = 0,	/* nodes begin no rounds */
	HYPERCUBE_BALANCE_DEM,		/* neighbours exchange along each dimension */
	HYPERCUBE_BALANCE_MCWA,		/* quotas on the topology, which must be set */
	HYPERCUBE_BALANCE_CWA,		/* as MCWA, with the whole cube as topology */
	HYPERCUBE_BALANCE_RID,		/* a node requests tasks from its neighbours */
};

/* Why a load balancing round was begun. */
enum hypercube_trigger {
	HYPERCUBE_TRIGGER_COMMAND = 1,	/* a request of user space */
	HYPERCUBE_TRIGGER_THRESHOLD,	/* its node had no more tasks than the threshold */
	HYPERCUBE_TRIGGER_PERIOD,	/* the period was over */
};

/* Number of rounds that a fabric remembers; a threshold at which no node begins rounds. */
#define HYPERCUBE_ROUNDS_KEPT		16
#define HYPERCUBE_THRESHOLD_NONE	0xffffffff
/* In BALANCE_UP: the root of the topology; a node that takes no part. */
#define HYPERCUBE_PARENT_ROOT		0xfe
#define HYPERCUBE_PARENT_NONE		0xff
/* Of BALANCE_PERIOD, in ms. */
#define HYPERCUBE_PERIOD_MIN		10
#define HYPERCUBE_PERIOD_MAX		86400000

/* Attributes of load balancing: of a fabric, and of one round (requests, notifications). */
enum {
	HYPERCUBE_A_BALANCE_FABRIC = 1,	/* string */
	HYPERCUBE_A_BALANCE_METHOD,	/* u32, enum hypercube_balance: method of the rounds that
					 * nodes begin; to run a round: its method, default DEM
					 */
	HYPERCUBE_A_BALANCE_THRESHOLD,	/* u32, a node with no more tasks begins a round */
	HYPERCUBE_A_BALANCE_PERIOD,	/* u32, ms from one round to the next, 0: no such rounds */
	HYPERCUBE_A_BALANCE_NODE,	/* u32, to run a round: the node that begins it */
	HYPERCUBE_A_BALANCE_DONE,	/* u64, rounds that are done */
	HYPERCUBE_A_BALANCE_FAILED,	/* u64, rounds that have failed */
	HYPERCUBE_A_BALANCE_SUPERSEDED,	/* u64, rounds superseded by others begun meanwhile */
	HYPERCUBE_A_BALANCE_MOVED,	/* u64, sum of tasks times links in all rounds done */
	HYPERCUBE_A_BALANCE_ROUND,	/* multi: nest of HYPERCUBE_A_ROUND, the oldest first */
	HYPERCUBE_A_BALANCE_PAD,
	HYPERCUBE_A_BALANCE_DIMS,	/* u32, mask: dimensions of the topology's subcube */
	HYPERCUBE_A_BALANCE_BASE,	/* u32, lowest node of that subcube */
	HYPERCUBE_A_BALANCE_DEPTH,	/* u32, links from the deepest node up to the root */
	HYPERCUBE_A_BALANCE_UP,		/* binary: for each node the dimension of the link to its
					 * parent, HYPERCUBE_PARENT_ROOT or HYPERCUBE_PARENT_NONE
					 */
	HYPERCUBE_A_BALANCE_FAULT,	/* binary: the 2^n FAULT words (u32) it was made for */
	HYPERCUBE_A_BALANCE_EPOCH,	/* u32, counts topologies, 0: there is none; read only */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_BALANCE_MAX,
	HYPERCUBE_A_BALANCE_MAX = (__HYPERCUBE_A_BALANCE_MAX - 1)
};

/* Attributes of a round that has ended. */
enum {
	HYPERCUBE_A_ROUND_NR = 1,	/* u64 */
	HYPERCUBE_A_ROUND_NODE,		/* u32, the node that has begun it */
	HYPERCUBE_A_ROUND_METHOD,	/* u32, enum hypercube_balance */
	HYPERCUBE_A_ROUND_TRIGGER,	/* u32, enum hypercube_trigger */
	HYPERCUBE_A_ROUND_STATUS,	/* s32, 0 or -errno */
	HYPERCUBE_A_ROUND_CAUSE_NODE,	/* u32, of a failed round */
	HYPERCUBE_A_ROUND_CAUSE_DIM,	/* u32 */
	HYPERCUBE_A_ROUND_MEMBERS,	/* u32, nodes that took part, if the round is done */
	HYPERCUBE_A_ROUND_MOVED,	/* u64, sum of tasks times links, if the round is done */
	HYPERCUBE_A_ROUND_BEGAN,	/* u64, ns since the machine was started */
	HYPERCUBE_A_ROUND_TOOK,		/* u64, ns */
	HYPERCUBE_A_ROUND_PAD,

	/* add above here */
	__HYPERCUBE_A_ROUND_MAX,
	HYPERCUBE_A_ROUND_MAX = (__HYPERCUBE_A_ROUND_MAX - 1)
};

/* Attributes of DETECT: request and its answer. */
enum {
	HYPERCUBE_A_DETECT_FABRIC = 1,	/* string */
	HYPERCUBE_A_DETECT_TIMEOUT,	/* u32, ms to wait for test frames, 0: until all arrived */
	HYPERCUBE_A_DETECT_FOUND,	/* u32, links newly found silent */
	HYPERCUBE_A_DETECT_LINK,	/* u32, multi: these links, node << 8 | dim, lower end */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_DETECT_MAX,
	HYPERCUBE_A_DETECT_MAX = (__HYPERCUBE_A_DETECT_MAX - 1)
};

/* Attributes of a route: request and its answer. */
enum {
	HYPERCUBE_A_ROUTE_FABRIC = 1,	/* string */
	HYPERCUBE_A_ROUTE_SRC,		/* u32, node at which the route begins */
	HYPERCUBE_A_ROUTE_DST,		/* u32, node at which it ends */
	HYPERCUBE_A_ROUTE_DIM,		/* u32, multi: dimensions of its links, in order */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_ROUTE_MAX,
	HYPERCUBE_A_ROUTE_MAX = (__HYPERCUBE_A_ROUTE_MAX - 1)
};

/* ---------------------------------------------------------------- sockets */

/* The number of AF_ASH, which Linux never implemented: a module outside the tree has no number of
 * its own.  HYPERCUBE_A_FABRIC_FAMILY reports the number in use.
 */
#define HYPERCUBE_AF_DEFAULT		18

#define SOL_HYPERCUBE			0x4843

/**
 * struct sockaddr_hypercube - address of an endpoint
 * @shc_family: the family
 * @shc_reserved: 0
 * @shc_node: node number, host byte order
 * @shc_fabric: name of the fabric, NUL padded
 * @shc_plan: connect(), getpeername(): id of the plan; elsewhere 0
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

/* REDUCE, ALLREDUCE and BARRIER run on a tree plan, and all members contribute.  The result of
 * REDUCE is at the sink; ALLREDUCE also sends it down the tree to all members; BARRIER is an
 * ALLREDUCE without data.  ALLREDUCE and BARRIER run on a plan for recursive doubling as well
 * (ALLREDUCE not with MERGE).  BCAST runs on a broadcast plan: the source sends, and the sockets
 * bound to the other members receive without a contribution.  GATHER and SCATTER run on a tree
 * plan: the sink receives a block of each member, or sends a block to each member; the blocks have
 * one size, and are in the order of the nodes.  ALLGATHER, on a tree plan, a plan for recursive
 * doubling, or a plan of rings: each member contributes a block, and receives those of all.
 * ALLTOALL, on a plan for recursive doubling or of rings: each member contributes a block for each
 * member, and receives a block from each.  REDUCE_SCATTER, on a plan for recursive doubling or a
 * tree plan, not with MERGE: each member contributes a block of elements for each member, and
 * receives the combination of all blocks for it.
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

/* Types, host byte order.  F16 is binary16 of IEEE 754, BF16 the upper half of a binary32: their
 * sums and products are rounded after each combination of two elements.  RECORD is a string of
 * hypercube_op.width bytes, compared as memcmp() does, for MERGE, MIN and MAX.
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
#define HYPERCUBE_F_NOTIFY	0x1	/* notify the sender when the sink has completed
					 * (REDUCE), or when all members have the message
					 * (BCAST); the result ends when all members have
					 * this node's block (ALLGATHER, in rings)
					 */
#define HYPERCUBE_F_STALE	0x2	/* the sender does not know of a failure of the plan, though
					 * its record was read from the socket: fail with
					 * -ECANCELED, as sendmsg() does while a record of a
					 * failure is unread
					 */
#define HYPERCUBE_F_ALL_OR_NOTHING 0x4	/* of a guarded plan: the operation fails (-EHOSTUNREACH) if
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
	HYPERCUBE_CMSG_DONE,		/* struct hypercube_task, to sendmsg(): it is done */
	HYPERCUBE_CMSG_MISSING,		/* __u32[], from recvmsg(), with the end of a result that
					 * lacks blocks or contributions.  Two sets of nodes: those
					 * for whose blocks the result has space, or that have been
					 * members of a guarded plan; and those of the first set
					 * that are missing (a guarded plan leaves no space for
					 * their blocks); node u is bit u % 32 of word u / 32
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
 * This is as connect() with the address of the node of socket @fd, but with the rights of that
 * socket instead of the caller's, whatever namespace the caller is in.  Both sockets are one
 * participant: a failure before the new socket was connected, but after the other one was bound,
 * is a failure of both.
 */
struct hypercube_sibling {
	__s32	fd;
	__u32	plan;
};

/* Options at SOL_HYPERCUBE of SOCK_DGRAM sockets; ints, except for the last one. */
enum {
	HYPERCUBE_COPIES = 1,		/* number of copies in which to send each datagram, over
					 * node-disjoint paths; 1: once, around faults
					 */
	HYPERCUBE_COPIES_LEAST,		/* drop datagrams sent in fewer copies; default 1 */
	HYPERCUBE_COPIES_WAIT,		/* ms to wait for missing copies; default 1000 */
	HYPERCUBE_DELIVER,		/* enum hypercube_deliver */
	HYPERCUBE_PATHS,		/* getsockopt() only: struct hypercube_paths */
};

#define HYPERCUBE_COPIES_WAIT_MAX	60000
/* Greatest number of links of a copy's path. */
#define HYPERCUBE_HOPS_MAX		64

/* Which of the datagrams that are sent in copies a socket delivers. */
enum hypercube_deliver {
	HYPERCUBE_DELIVER_AGREED,	/* those all copies of which arrived and agree */
	HYPERCUBE_DELIVER_MAJORITY,	/* those more than half of whose copies agree, at once */
	HYPERCUBE_DELIVER_REPORT,	/* all, when all copies arrived or COPIES_WAIT is over: the
					 * data that more than half of the copies have or, if there
					 * is no such majority, no bytes.  With HYPERCUBE_CMSG_PATHS
					 */
};

/* Outcome of the vote on the copies of a datagram. */
enum hypercube_vote_outcome {
	HYPERCUBE_VOTE_OUTCOME_AGREED = 1,	/* all copies arrived and agree */
	HYPERCUBE_VOTE_OUTCOME_INCOMPLETE,	/* more than half agree, the others are missing */
	HYPERCUBE_VOTE_OUTCOME_OUTVOTED,	/* more than half agree, others differ */
	HYPERCUBE_VOTE_OUTCOME_UNDECIDED,	/* there is no majority of more than half */
};

/**
 * struct hypercube_vote - the vote on a datagram; with each datagram that was sent in copies
 * @outcome: enum hypercube_vote_outcome
 * @copies: number of copies that were sent
 * @mismatch: bit set of the copies whose data differ from those of the majority or, if there is no
 *	majority, from those of the first copy that arrived
 * @missing: bit set of the copies that have not arrived
 * @nr: number of the datagram among those of its origin
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
 * @mismatch: 1: the copy mismatches, 0: it is missing
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
 * struct hypercube_paths - number of node-disjoint paths to a node, without known faults
 * @node: in: the node
 * @paths: out: the number of paths
 */
struct hypercube_paths {
	__u32	node;
	__u32	paths;
};

/**
 * struct hypercube_op - a contribution; goes with its first sendmsg()
 * @plan: id of the plan
 * @collective: enum hypercube_collective
 * @oper: enum hypercube_oper with REDUCE, ALLREDUCE and REDUCE_SCATTER, else 0
 * @type: enum hypercube_type with REDUCE, ALLREDUCE and REDUCE_SCATTER, else 0
 * @flags: HYPERCUBE_F_*; unknown flags, and flags that @collective does not use, are refused
 *	(EINVAL)
 * @width: bytes of a RECORD, 1..HYPERCUBE_RECORD_MAX; 0 with other types
 * @reserved: 0
 * @bytes: length of this node's contribution; a multiple of the element size; 0 with BARRIER;
 *	with SCATTER: at the sink the length of all blocks, elsewhere 0; with ALLTOALL and
 *	REDUCE_SCATTER a multiple of the number of members, too
 * @cookie: returned with the result
 *
 * sendmsg() may accept only a part of the contribution; the rest follows in further calls without
 * control message.  All members give the same @bytes, except with MERGE and SCATTER; with BCAST
 * only the source contributes.  ALLTOALL and REDUCE_SCATTER accept chunks of all blocks in turn:
 * each call passes the whole contribution, and returns how many more bytes of it were accepted.
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
 * struct hypercube_op_short - a contribution that needs no other members of struct hypercube_op
 * @plan: id of the plan
 * @collective: enum hypercube_collective
 * @oper: enum hypercube_oper, or 0
 * @type: enum hypercube_type but RECORD, or 0
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

/* Most bytes that one call must take or return as a whole, with pages of up to 64 KiB: of a
 * contribution to ALLTOALL or REDUCE_SCATTER, of a result of ALLTOALL or ALLGATHER.
 */
#define HYPERCUBE_WHOLE_MAX	0x7fff0000U

/* hypercube_result.op: no operation */
#define HYPERCUBE_OP_NONE	(~0ULL)

/**
 * struct hypercube_result - how an operation ended; with every recvmsg()
 * @status: 0 or a negative errno: the status of the operation; valid if MSG_EOR is set
 * @plan: id of the plan
 * @op: number of the operation within the plan; if a contribution fails because of an earlier
 *	failure: number of the operation that failed; HYPERCUBE_OP_NONE if the plan was removed
 *	before the operation began, or if the contribution was sent before a failure was read: no
 *	other member is notified of this
 * @cookie: cookie of this node's contribution; 0 for a message of a BCAST
 * @bytes: length of the whole result (0 if there is none)
 * @steps: parallel steps: the sum over the stages of each stage's cost; for a result that came
 *	down a tree, or a message of a BCAST: steps until this node had it; for a completed BCAST
 *	at its source: until all members had it; for an ALLGATHER: until this node had its data,
 *	and at the end of one with NOTIFY: until all members had this node's block
 * @clock: logical clock: length of the longest chain of frames that ends at this node
 * @time: modelled time in ns: T = a + b * m along the critical path
 * @cause_node: if @status is not 0: the node where the cause lies, or ~0
 * @cause_dim: if @status is not 0: the dimension of the faulty link, or ~0
 * @collective: enum hypercube_collective
 * @restarts: how often the operation was begun again, in another epoch of a guarded plan
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

/* Greatest number of bytes of a task, and of tasks that a worker may hold. */
#define HYPERCUBE_TASK_MAX		65536
#define HYPERCUBE_TASKS_HELD_MAX	1024

/* hypercube_task.flags */
#define HYPERCUBE_TASK_IDEMPOTENT	0x1	/* its producer allows that it is executed again */
#define HYPERCUBE_TASK_REDELIVERED	0x2	/* a worker may have begun it, and was not done */
#define HYPERCUBE_TASK_REPLICATED	0x4	/* a second node has a replica; needs IDEMPOTENT */

/* Option at SOL_HYPERCUBE of SOCK_RDM sockets, for getsockopt() only. */
#define HYPERCUBE_TASK			6	/* struct hypercube_task: the last one put here */

/**
 * struct hypercube_task - identifies a task
 * @node: node at which it was put; to put a task: 0
 * @flags: HYPERCUBE_TASK_*; to put a task: IDEMPOTENT, IDEMPOTENT with REPLICATED, or 0; ignored
 *	with HYPERCUBE_CMSG_DONE
 * @nr: its number among the tasks put at that node, from 1 on; to put a task: 0
 *
 * The sockets of SOCK_RDM that are bound to a node share its queue of tasks.  sendmsg() puts a
 * task, recvmsg() takes one.  The worker that took a task holds it until it reports the task done,
 * by a sendmsg() with HYPERCUBE_CMSG_DONE and no data, or closes the socket.  A node asks its
 * neighbours to keep replicas of its tasks with REPLICATED, as long as one has room: when the node
 * fails, the neighbour puts them into its own queue, marked REDELIVERED.  sendmsg() does not wait
 * for that.
 */
struct hypercube_task {
	__u32	node;
	__u32	flags;
	__u64	nr;
};

#endif /* _UAPI_LINUX_HYPERCUBE_H */
