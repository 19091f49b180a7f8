/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * hypercube: the interface between kernel and user space.
 *
 * Part 1 is the generic netlink family, described item by item in
 * Documentation/netlink/specs/hypercube.yaml; part 2 are the sockets, described
 * in hypercube(7).  In a hypercube node numbers are 0 .. 2^n - 1, dimensions 0 .. n - 1.  In any
 * other network a "dimension" is the number that the port has at both ends of a link.
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
/* Of a network that is no hypercube: ports of a node, and nodes. */
#define HYPERCUBE_PORTS_MAX		16
#define HYPERCUBE_NODES_MAX		4096
/* Characters that say what such a network is. */
#define HYPERCUBE_SHAPE_MAX		63
/* The id of a fabric is part of MAC addresses, as 16 bits. */
#define HYPERCUBE_FABRIC_ID_MAX		65535
#define HYPERCUBE_SEGMENT_MIN		256
#define HYPERCUBE_SEGMENT_MAX		32768
/* Probabilities are in parts per million. */
#define HYPERCUBE_PPM_MAX		1000000
/* Most frames in a list of those to corrupt. */
#define HYPERCUBE_BYZANTINE_AT_MAX		32
/* In ms: a day, and the stall timeout that a new fabric has. */
#define HYPERCUBE_STALL_TIMEOUT_MAX		86400000
#define HYPERCUBE_STALL_TIMEOUT_DEFAULT	10000
/* In ms: silence that ends a trunk. */
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
					 * HYPERCUBE_FABRIC_ID_MAX; follows from the name
					 * unless given
					 */
	HYPERCUBE_A_FABRIC_DIM,		/* u32, 1 .. HYPERCUBE_DIM_MAX; none: it is no hypercube */
	HYPERCUBE_A_FABRIC_SEGMENT,	/* u32, payload bytes of a full data frame */
	HYPERCUBE_A_FABRIC_FAMILY,	/* u32, the socket address family */
	HYPERCUBE_A_FABRIC_LINKS_DOWN,	/* u32, unusable links, read only */
	HYPERCUBE_A_FABRIC_NODES_FAILED,/* u32, failed nodes, read only */
	HYPERCUBE_A_FABRIC_NODE_SIZE,	/* u32, bytes of our own state of one endpoint */
	HYPERCUBE_A_FABRIC_DEV_SIZE,	/* u32, bytes of its net_device without that */
	HYPERCUBE_A_FABRIC_PAD,
	HYPERCUBE_A_FABRIC_STALL_TIMEOUT,	/* u32, ms for tasks and rounds, 0: no limit */
	HYPERCUBE_A_FABRIC_INDEX,	/* u32, unique in the machine, read only */
	HYPERCUBE_A_FABRIC_SUBCUBE_MASK, /* u32, bits that all nodes here share; 0: all are here */
	HYPERCUBE_A_FABRIC_SUBCUBE_VALUE,	/* u32, what these bits are */
	HYPERCUBE_A_FABRIC_TRUNKS_ENDED,/* u64, trunks that have ended, read only */
	HYPERCUBE_A_FABRIC_LIFE,	/* u32, at random, another one for nodes that are made anew,
					 * read only
					 */
	HYPERCUBE_A_FABRIC_NODES,	/* u32, how many nodes it has, read only */
	HYPERCUBE_A_FABRIC_PORTS,	/* u32, how many ports a node has at most, read only */
	HYPERCUBE_A_FABRIC_PEERS,	/* binary, multi, in place of DIM: of each node in turn, for
					 * each port the number (u16) of the node at its other
					 * end, whose port of this number leads back, or its own:
					 * there is no such port; write only, see NODE_PEERS
					 */
	HYPERCUBE_A_FABRIC_SHAPE,	/* string, what kind of network it is, for people */

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
	HYPERCUBE_A_NODE_NB_FAULT,	/* u32, multi: FAULT words heard, by dimension */
	HYPERCUBE_A_NODE_OWNER,		/* u32, uid that may bind sockets; ~0: nobody */
	HYPERCUBE_A_NODE_NETNS_PID,	/* u32, move the endpoint to this task's netns */
	HYPERCUBE_A_NODE_NETNS_FD,	/* u32, the same by file descriptor */
	HYPERCUBE_A_NODE_NETNSID,	/* s32, id of the endpoint's netns if another one */
	HYPERCUBE_A_NODE_BOUND,		/* u8, a collective socket is bound */
	HYPERCUBE_A_NODE_DROPS,		/* nest of HYPERCUBE_A_DROP_* */
	HYPERCUBE_A_NODE_HOST_FRAMES,	/* u64, frames that entered by the host port */
	HYPERCUBE_A_NODE_MERGED_BYTES,	/* u64, bytes merged by this node */
	HYPERCUBE_A_NODE_PAD,
	HYPERCUBE_A_NODE_BYZANTINE,	/* u32, ppm of what it passes on that it lies about */
	HYPERCUBE_A_NODE_BYZANTINE_SEED,	/* u32, of the random numbers, which begin again */
	HYPERCUBE_A_NODE_BYZANTINE_AT,	/* u32, multi: numbers of these frames, ascending */
	HYPERCUBE_A_NODE_BYZANTINE_FRAMES,		/* u64, frames it has lied about */
	HYPERCUBE_A_NODE_AGREED,	/* u64, datagrams all copies of which came and agreed */
	HYPERCUBE_A_NODE_DISAGREED,	/* u64, those of whose copies some disagreed */
	HYPERCUBE_A_NODE_INCOMPLETE,	/* u64, others of which copies are missing */
	HYPERCUBE_A_NODE_TASKS,		/* nest of HYPERCUBE_A_TASKS; none: there never were any */
	HYPERCUBE_A_NODE_REMOTE,	/* flag: it lives on another machine; FAULT is what is known
					 * here, read only
					 */
	HYPERCUBE_A_NODE_PEERS,		/* binary, for each port the number (u16) of the node at its
					 * other end, or its own: there is no such port; read only
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
	/* u32; without the two: those of the nodes here, but for that of DIM */
	HYPERCUBE_A_TRUNK_SUBCUBE_VALUE,
	HYPERCUBE_A_TRUNK_KEEPALIVE,		/* u32, ms of silence that end it */
	HYPERCUBE_A_TRUNK_LINKS,	/* u32, how many links it carries, read only */
	HYPERCUBE_A_TRUNK_ESTABLISHED,	/* flag: the other end has said who it is, read only */
	HYPERCUBE_A_TRUNK_FAMILY,	/* u32, of the socket, read only */
	HYPERCUBE_A_TRUNK_PEER,		/* binary: struct sockaddr of the other end, read only */
	HYPERCUBE_A_TRUNK_TX_FRAMES,	/* u64, read only, as are the next ones */
	HYPERCUBE_A_TRUNK_TX_BYTES,	/* u64 */
	HYPERCUBE_A_TRUNK_RX_FRAMES,	/* u64 */
	HYPERCUBE_A_TRUNK_RX_BYTES,	/* u64 */
	HYPERCUBE_A_TRUNK_DROPPED,	/* u64, frames for which there was no room */
	HYPERCUBE_A_TRUNK_ERROR,	/* u32, positive errno: why it has ended */
	HYPERCUBE_A_TRUNK_REASON,	/* string, the same in a sentence, if there is one; of
					 * one that goes on: what is wrong with it
					 */
	HYPERCUBE_A_TRUNK_PAD,
	HYPERCUBE_A_TRUNK_NO_PLANS,	/* flag: plans that come by it are refused */
	HYPERCUBE_A_TRUNK_DIGEST,	/* u32, NEW: 0 or 1: this end wants CRC32C of records;
					 * without it: unless the socket has TLS; else: records
					 * have it
					 */
	HYPERCUBE_A_TRUNK_REPLACE,	/* flag, NEW only: end that which carries the same links */
	HYPERCUBE_A_TRUNK_LIFE,		/* u32, that of the fabric at the other end, 0: not known */
	HYPERCUBE_A_TRUNK_SILENCE,	/* u32, ms since something has come, read only */

	/* add above here */
	__HYPERCUBE_A_TRUNK_MAX,
	HYPERCUBE_A_TRUNK_MAX = (__HYPERCUBE_A_TRUNK_MAX - 1)
};

/* Why a link end is unusable; several may hold at once. */
enum hypercube_link_state {
	HYPERCUBE_LINK_F_DOWN = 1 << 0,		/* taken down by the administrator */
	HYPERCUBE_LINK_F_DETECTED = 1 << 1,	/* found silent by DETECT */
	HYPERCUBE_LINK_F_FAILED = 1 << 2,	/* a node at one of its ends failed */
	HYPERCUBE_LINK_F_NO_CARRIER = 1 << 3,	/* its other end is elsewhere, and nothing leads
						 * there
						 */
	HYPERCUBE_LINK_F_SPENT = 1 << 4,	/* it gave up a frame, or missed one; until it
						 * is set up, its impairments change or DETECT
						 * finds it
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
	HYPERCUBE_A_LINK_ONE_WAY,	/* flag: set what follows DOWN of this end only */
	HYPERCUBE_A_LINK_PAD,
	HYPERCUBE_A_LINK_CORRUPT,	/* u32, ppm of frames in which a bit is flipped */
	HYPERCUBE_A_LINK_DUPLICATE,	/* u32, ppm of frames that are sent twice */
	HYPERCUBE_A_LINK_DELAY,		/* u64, ns that frames really take; JITTER 0 unless given */
	HYPERCUBE_A_LINK_JITTER,	/* u64, ns that this varies by, at most DELAY */
	HYPERCUBE_A_LINK_RATE,		/* u64, bytes/s that the link really carries, 0: any */
	HYPERCUBE_A_LINK_SEED,		/* u32, of the random numbers, which it restarts */
	HYPERCUBE_A_LINK_FLAP_DOWN,	/* u32, ms that the link is down in each period */
	HYPERCUBE_A_LINK_FLAP_PERIOD,	/* u32, ms, 0: it does not flap */
	HYPERCUBE_A_LINK_CORRUPTED,	/* u64, frames in which a bit was flipped here */
	HYPERCUBE_A_LINK_DUPLICATED,	/* u64, frames of which a second copy was sent */
	HYPERCUBE_A_LINK_DELAYED,	/* u64, frames that waited for DELAY or RATE */
	HYPERCUBE_A_LINK_QUEUED,	/* u32, frames that wait now */
	HYPERCUBE_A_LINK_QUEUED_BYTES,	/* u32, their bytes */
	HYPERCUBE_A_LINK_REPLAYS,	/* u64, attempts in vain to deliver a frame */
	HYPERCUBE_A_LINK_PEER,		/* u32, the node at the other end, read only */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_LINK_MAX,
	HYPERCUBE_A_LINK_MAX = (__HYPERCUBE_A_LINK_MAX - 1)
};

/* Named reasons for which a frame was dropped; each is a u64 counter and only
 * those that are not zero are sent.
 */
enum {
	HYPERCUBE_A_DROP_LINK_DOWN = 1,	/* the link was unusable */
	HYPERCUBE_A_DROP_NODE_FAILED,	/* the node has failed */
	HYPERCUBE_A_DROP_LOSS,		/* the link's loss impairment */
	HYPERCUBE_A_DROP_MALFORMED,	/* bad version, length or field */
	HYPERCUBE_A_DROP_FOREIGN,	/* of or to another fabric, or not from this neighbour */
	HYPERCUBE_A_DROP_NO_ROUTE,	/* no healthy path to the destination */
	HYPERCUBE_A_DROP_NO_PLAN,	/* no such plan, or this node is no member */
	HYPERCUBE_A_DROP_OLD_EPOCH,	/* of a plan since replaced */
	HYPERCUBE_A_DROP_ENDED,		/* its operation has ended here */
	HYPERCUBE_A_DROP_UNEXPECTED,	/* from a node that owes nothing */
	HYPERCUBE_A_DROP_NO_SOCKET,	/* nobody is bound to the node */
	HYPERCUBE_A_DROP_QUEUE_FULL,	/* the receiver's buffer or a queue is full */
	HYPERCUBE_A_DROP_NO_MEMORY,
	HYPERCUBE_A_DROP_SPOOFED,	/* Ethernet: source address of somebody else */
	HYPERCUBE_A_DROP_TEARDOWN,	/* still queued when its fabric was removed */
	HYPERCUBE_A_DROP_NO_NODE,	/* Ethernet: to no other node of the fabric */
	HYPERCUBE_A_DROP_TOO_BIG,	/* Ethernet: exceeds the receiving endpoint's MTU */
	HYPERCUBE_A_DROP_ENDPOINT_DOWN,	/* Ethernet: the receiving endpoint is not up */
	HYPERCUBE_A_DROP_CHECKSUM,	/* corrupted on the link */
	HYPERCUBE_A_DROP_DUPLICATE,	/* had come over the link before */
	HYPERCUBE_A_DROP_PAD,
	HYPERCUBE_A_DROP_COPY_MISMATCH,	/* other copies of the datagram say something else */
	HYPERCUBE_A_DROP_TOO_FEW_COPIES,	/* the datagram came in too few copies */
	HYPERCUBE_A_DROP_GAP,		/* one is missing before it: the link is spent */

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
	HYPERCUBE_A_PLAN_EPOCH,		/* u32, counts installations; set: to this, which is more */
	HYPERCUBE_A_PLAN_TYPE,		/* u32, enum hypercube_plan_type */
	HYPERCUBE_A_PLAN_SINK,		/* u32 */
	HYPERCUBE_A_PLAN_ORDER,		/* u32, multi: dimensions, stage 0 first */
	HYPERCUBE_A_PLAN_MEMBERS,	/* binary: bit set, node u is bit u % 8 of byte u / 8 */
	HYPERCUBE_A_PLAN_DETOUR,	/* u32, multi: from << 16 | to, ascending */
	HYPERCUBE_A_PLAN_FAULT,		/* binary: the 2^n FAULT words (u32) it was made for */
	HYPERCUBE_A_PLAN_BROKEN,	/* u8, a fault has broken it since, read only */
	HYPERCUBE_A_PLAN_CAUSE_NODE,	/* u32, read only */
	HYPERCUBE_A_PLAN_CAUSE_DIM,	/* u32, read only */
	HYPERCUBE_A_PLAN_PAD,
	HYPERCUBE_A_PLAN_SOURCE,	/* u32, of a broadcast */
	HYPERCUBE_A_PLAN_SEQUENCE,	/* binary: the dimension of each step, a byte each */
	HYPERCUBE_A_PLAN_BASE,		/* u32, of a doubling: lowest node of its subcube */
	HYPERCUBE_A_PLAN_RINGS,		/* binary: struct hypercube_ring, each behind its parent */
	HYPERCUBE_A_PLAN_RING_NODES,	/* binary: the nodes (u16) of all rings, one ring after the
					 * other, in the order in which messages go round
					 */
	HYPERCUBE_A_PLAN_REPAIR,	/* flag: of rings: the plan repairs itself */
	HYPERCUBE_A_PLAN_REPAIRS,	/* u32, how often it has, read only */
	HYPERCUBE_A_PLAN_LOCAL,		/* flag of requests: on this machine alone, not on all that
					 * hold a part of the fabric
					 */
	HYPERCUBE_A_PLAN_WAY,		/* binary, multi: of each detour, in their order, the
					 * dimensions (u8) of the links it takes; read only
					 */
	HYPERCUBE_A_PLAN_GUARD,		/* u32, ms that members of a guarded plan wait for its next
					 * epoch once a fault has broken it, 1 ..
					 * HYPERCUBE_GUARD_MAX; not there: it is not guarded
					 */
	HYPERCUBE_A_PLAN_GUARD_RECIPE,	/* string, at most HYPERCUBE_RECIPE_MAX bytes: how to plan
					 * it again, for user space alone
					 */
	HYPERCUBE_A_PLAN_PREV,		/* u32, of requests: only if the plan of this id is of this
					 * epoch, else -ESTALE
					 */
	HYPERCUBE_A_PLAN_CAUSE_STATUS,	/* u32, errno, of a broken plan, read only */
	HYPERCUBE_A_PLAN_PARENTS,	/* binary: of each node the port (u8) to its parent in a
					 * spanning tree; 0xff: the sink, or no member
					 */
	HYPERCUBE_A_PLAN_GUARD_UID,	/* u32, of a guarded plan: a user who may install its next
					 * epoch once it is broken; set: (u32)-1: none. With PREV
					 * it stays as it is unless given
					 */
	HYPERCUBE_A_PLAN_GUARD_MEMBERS,	/* binary, as MEMBERS: the nodes that this user may make
					 * members; read only
					 */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_PLAN_MAX,
	HYPERCUBE_A_PLAN_MAX = (__HYPERCUBE_A_PLAN_MAX - 1)
};

/* The first ring has no parent. */
#define HYPERCUBE_RING_NONE		0xffff

/**
 * struct hypercube_ring - one ring of a tree of rings
 * @size: how many nodes it has
 * @level: 0 of the first one; that of the parent, or one more
 * @parent: index of the ring that it hangs on, or HYPERCUBE_RING_NONE
 *
 * Every ring but the first has one node in common with the rings before it, where it meets the
 * tree.
 */
struct hypercube_ring {
	__u32	size;
	__u16	level;
	__u16	parent;
};

/* Reasons for which a member of a pending operation waits. */
enum hypercube_wait {
	HYPERCUBE_WAIT_NOTHING = 0,	/* no operation is pending at this member */
	HYPERCUBE_WAIT_OWN,		/* its own process has not contributed */
	HYPERCUBE_WAIT_PEER,		/* data of another member, or its next generation */
	HYPERCUBE_WAIT_CREDIT,		/* room at the member it sends to */
	HYPERCUBE_WAIT_READER,		/* its own process must receive */
	HYPERCUBE_WAIT_DONE,		/* handed over, or given up; the sink has not ended it */
	HYPERCUBE_WAIT_EPOCH,		/* the next epoch of a guarded plan that is broken */
};

/* Attributes of a member's oldest pending operation (read only). */
enum {
	HYPERCUBE_A_OP_FABRIC = 1,	/* string */
	HYPERCUBE_A_OP_PLAN,		/* u32 */
	HYPERCUBE_A_OP_EPOCH,		/* u32 */
	HYPERCUBE_A_OP_NODE,		/* u32, the member; notifications of failure: the first one
					 * that goes on behind it
					 */
	HYPERCUBE_A_OP_NR,		/* u64 */
	HYPERCUBE_A_OP_WAIT,		/* u32, enum hypercube_wait */
	HYPERCUBE_A_OP_PEER,		/* u32, with WAIT_PEER and WAIT_CREDIT; with WAIT_PEER also
					 * one that is a generation behind
					 */
	HYPERCUBE_A_OP_SINCE,		/* u64, ns that this wait has lasted */
	HYPERCUBE_A_OP_NEXT,		/* u64, number of the member's next contribution */
	HYPERCUBE_A_OP_DONE,		/* u64, all below are complete as far as it knows */
	HYPERCUBE_A_OP_STATUS,		/* s32, notifications: 0 or -errno */
	HYPERCUBE_A_OP_CAUSE_NODE,	/* u32, notifications of failure */
	HYPERCUBE_A_OP_CAUSE_DIM,	/* u32 */
	HYPERCUBE_A_OP_STEPS,		/* u32, notifications of completion */
	HYPERCUBE_A_OP_TIME,		/* u64, ns, modelled */
	HYPERCUBE_A_OP_PAD,
	HYPERCUBE_A_OP_GEN,		/* u32, generation: failures that the member has had since
					 * the plan was installed or repaired
					 */

	/* add above here */
	__HYPERCUBE_A_OP_MAX,
	HYPERCUBE_A_OP_MAX = (__HYPERCUBE_A_OP_MAX - 1)
};

/* Attributes of a vote: copies of a datagram disagree (notifications). */
enum {
	HYPERCUBE_A_VOTE_FABRIC = 1,	/* string */
	HYPERCUBE_A_VOTE_NODE,	/* u32, where they came */
	HYPERCUBE_A_VOTE_SRC,	/* u32, origin that the datagram names */
	HYPERCUBE_A_VOTE_NR,		/* u64, number among those of its origin */
	HYPERCUBE_A_VOTE_OUTCOME,	/* u32, enum hypercube_vote_outcome */
	HYPERCUBE_A_VOTE_COPIES,	/* u32, how many were sent */
	HYPERCUBE_A_VOTE_MISMATCH,	/* u32, bit set of those that mismatch */
	HYPERCUBE_A_VOTE_MISSING,	/* u32, bit set of those that have not come */
	HYPERCUBE_A_VOTE_PATH,	/* binary, multi: struct hypercube_path of these */
	HYPERCUBE_A_VOTE_PAD,

	/* add above here */
	__HYPERCUBE_A_VOTE_MAX,
	HYPERCUBE_A_VOTE_MAX = (__HYPERCUBE_A_VOTE_MAX - 1)
};

/* Tasks of a node. */
enum {
	HYPERCUBE_A_TASKS_QUEUED = 1,	/* u32, tasks that wait for a worker: the node's load */
	HYPERCUBE_A_TASKS_HELD,		/* u32, those that workers have taken and not done */
	HYPERCUBE_A_TASKS_BYTES,	/* u64, memory that both take */
	HYPERCUBE_A_TASKS_PUT,		/* u64, tasks that producers have put here */
	HYPERCUBE_A_TASKS_TAKEN,	/* u64, times that a worker has taken one */
	HYPERCUBE_A_TASKS_DONE,		/* u64, tasks that workers have done */
	HYPERCUBE_A_TASKS_REDELIVERED,	/* u64, times that one came back to the queue */
	HYPERCUBE_A_TASKS_LOST,		/* u64, tasks that were lost */
	HYPERCUBE_A_TASKS_PAD,
	HYPERCUBE_A_TASKS_MOVING,	/* u32, tasks that are being handed over, or are to be */
	HYPERCUBE_A_TASKS_SENT,		/* u64, tasks that neighbours have taken */
	HYPERCUBE_A_TASKS_RECEIVED,	/* u64, tasks that have come from neighbours */
	HYPERCUBE_A_TASKS_UNRESOLVED,	/* u64, tasks that a neighbour may have or not */
	HYPERCUBE_A_TASKS_REPLICATED,	/* u32, tasks of this node that a neighbour keeps, too */
	HYPERCUBE_A_TASKS_REPLICAS_HELD,	/* u32, of neighbours, kept for them */
	HYPERCUBE_A_TASKS_RECOVERED,	/* u64, of these, those whose node failed: queued here */

	/* add above here */
	__HYPERCUBE_A_TASKS_MAX,
	HYPERCUBE_A_TASKS_MAX = (__HYPERCUBE_A_TASKS_MAX - 1)
};

/* Why tasks were lost. */
enum hypercube_task_loss {
	HYPERCUBE_TASK_LOSS_WORKER = 1,	/* their worker closed its socket, or lost the node */
	HYPERCUBE_TASK_LOSS_NODE,	/* the node that they were at has failed */
	HYPERCUBE_TASK_LOSS_FABRIC,	/* the fabric was removed */
	HYPERCUBE_TASK_LOSS_UNRESOLVED,	/* they may not be: a neighbour may have them */
	HYPERCUBE_TASK_LOSS_RECOVERED,	/* they are not: their node failed, this one kept them */
};

/* Attributes of tasks that were lost (notifications), or are to be moved (request). */
enum {
	HYPERCUBE_A_TASK_FABRIC = 1,	/* string */
	HYPERCUBE_A_TASK_NODE,		/* u32, where they were */
	HYPERCUBE_A_TASK_LOSS,		/* u32, enum hypercube_task_loss */
	HYPERCUBE_A_TASK_COUNT,		/* u64, how many; of more than 1024 that are lost at once
					 * some are only counted; to move: at most, from 1
					 */
	HYPERCUBE_A_TASK_ID,		/* binary, multi: struct hypercube_task, 32 at most */
	HYPERCUBE_A_TASK_PAD,
	HYPERCUBE_A_TASK_DIM,		/* u32, to move: the link over which they go */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_TASK_MAX,
	HYPERCUBE_A_TASK_MAX = (__HYPERCUBE_A_TASK_MAX - 1)
};

/* Methods of balancing. */
enum hypercube_balance {
	HYPERCUBE_BALANCE_NONE = 0,	/* nodes begin no rounds */
	HYPERCUBE_BALANCE_DEM,		/* neighbours exchange along each dimension */
	HYPERCUBE_BALANCE_MCWA,		/* quotas on the topology, which is to be set */
	HYPERCUBE_BALANCE_CWA,		/* the same where it is the whole cube */
	HYPERCUBE_BALANCE_RID,		/* a node asks its neighbours */
};

/* Why a round was begun. */
enum hypercube_trigger {
	HYPERCUBE_TRIGGER_COMMAND = 1,	/* somebody asked for it */
	HYPERCUBE_TRIGGER_THRESHOLD,	/* its node had no more tasks than the threshold */
	HYPERCUBE_TRIGGER_PERIOD,	/* it was time */
};

/* Rounds that a fabric remembers; a threshold that no node is below. */
#define HYPERCUBE_ROUNDS_KEPT		16
#define HYPERCUBE_THRESHOLD_NONE	0xffffffff
/* In a topology: a node of the subcube; one that takes no part. */
#define HYPERCUBE_PARENT_ROOT		0xfe
#define HYPERCUBE_PARENT_NONE		0xff
/* In ms. */
#define HYPERCUBE_PERIOD_MIN		10
#define HYPERCUBE_PERIOD_MAX		86400000

/* Attributes of balancing: of a fabric, and of one round (requests, notifications). */
enum {
	HYPERCUBE_A_BALANCE_FABRIC = 1,	/* string */
	HYPERCUBE_A_BALANCE_METHOD,	/* u32, enum hypercube_balance: of rounds that nodes begin;
					 * to run one: of this one, DEM unless given
					 */
	HYPERCUBE_A_BALANCE_THRESHOLD,	/* u32, a node with no more tasks begins a round */
	HYPERCUBE_A_BALANCE_PERIOD,	/* u32, ms from one round to the next, 0: none is begun */
	HYPERCUBE_A_BALANCE_NODE,	/* u32, to run a round: the node that begins it */
	HYPERCUBE_A_BALANCE_DONE,	/* u64, rounds that are done */
	HYPERCUBE_A_BALANCE_FAILED,	/* u64, rounds that have failed */
	HYPERCUBE_A_BALANCE_SUPERSEDED,	/* u64, rounds that gave way to others begun meanwhile */
	HYPERCUBE_A_BALANCE_MOVED,	/* u64, sum of tasks times links in all of them */
	HYPERCUBE_A_BALANCE_ROUND,	/* multi: nest of HYPERCUBE_A_ROUND, the oldest first */
	HYPERCUBE_A_BALANCE_PAD,
	HYPERCUBE_A_BALANCE_DIMS,	/* u32, mask: dimensions of the topology's subcube */
	HYPERCUBE_A_BALANCE_BASE,	/* u32, its lowest node */
	HYPERCUBE_A_BALANCE_DEPTH,	/* u32, links from the deepest node up to it */
	HYPERCUBE_A_BALANCE_UP,		/* binary: for each node the dimension of the link to its
					 * parent, HYPERCUBE_PARENT_ROOT or HYPERCUBE_PARENT_NONE
					 */
	HYPERCUBE_A_BALANCE_FAULT,	/* binary: the 2^n FAULT words (u32) it was made for */
	HYPERCUBE_A_BALANCE_EPOCH,	/* u32, counts topologies, 0: there is none; read only */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_BALANCE_MAX,
	HYPERCUBE_A_BALANCE_MAX = (__HYPERCUBE_A_BALANCE_MAX - 1)
};

/* A round that has ended. */
enum {
	HYPERCUBE_A_ROUND_NR = 1,	/* u64 */
	HYPERCUBE_A_ROUND_NODE,		/* u32, the node that had begun it */
	HYPERCUBE_A_ROUND_METHOD,	/* u32, enum hypercube_balance */
	HYPERCUBE_A_ROUND_TRIGGER,	/* u32, enum hypercube_trigger */
	HYPERCUBE_A_ROUND_STATUS,	/* s32, 0 or -errno */
	HYPERCUBE_A_ROUND_CAUSE_NODE,	/* u32, of one that has failed */
	HYPERCUBE_A_ROUND_CAUSE_DIM,	/* u32 */
	HYPERCUBE_A_ROUND_MEMBERS,	/* u32, nodes that took part, of one that is done */
	HYPERCUBE_A_ROUND_MOVED,	/* u64, sum of tasks times links, of one that is done */
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
	HYPERCUBE_A_DETECT_TIMEOUT,	/* u32, ms to wait for test frames, 0: until they came */
	HYPERCUBE_A_DETECT_FOUND,	/* u32, links newly found silent */
	HYPERCUBE_A_DETECT_LINK,	/* u32, multi: these links, node << 8 | dim, lower end */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_DETECT_MAX,
	HYPERCUBE_A_DETECT_MAX = (__HYPERCUBE_A_DETECT_MAX - 1)
};

/* Attributes of a route: request and its answer. */
enum {
	HYPERCUBE_A_ROUTE_FABRIC = 1,	/* string */
	HYPERCUBE_A_ROUTE_SRC,		/* u32, node where a frame starts */
	HYPERCUBE_A_ROUTE_DST,		/* u32, node it is for */
	HYPERCUBE_A_ROUTE_DIM,		/* u32, multi: dimensions it crossed, in order */

	/* add above here, update the policy in module/netlink/netlink.c */
	__HYPERCUBE_A_ROUTE_MAX,
	HYPERCUBE_A_ROUTE_MAX = (__HYPERCUBE_A_ROUTE_MAX - 1)
};

/* ---------------------------------------------------------------- sockets */

/* Linux never implemented Ash; a module outside the tree has no number of its
 * own.  The number in use is reported as HYPERCUBE_A_FABRIC_FAMILY.
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
 * Addresses that end before @shc_plan are taken as if it were 0.
 */
struct sockaddr_hypercube {
	__kernel_sa_family_t	shc_family;
	__u16			shc_reserved;
	__u32			shc_node;
	char			shc_fabric[16];
	__u32			shc_plan;
};

/* REDUCE, ALLREDUCE and BARRIER run on a tree plan, and all members contribute.  REDUCE has its
 * result at the sink; ALLREDUCE is that and the result sent down the tree to all members;
 * BARRIER is an ALLREDUCE of nothing.  Both of these run on a plan for recursive doubling as
 * well (ALLREDUCE not with MERGE).  BCAST runs on a broadcast plan: the source sends, the
 * sockets bound to the other members receive without having asked.  GATHER and SCATTER run on a
 * tree plan: a block of each member comes to the sink, or goes from the sink to each member; the
 * blocks have one size, and stand in the order of the nodes.  ALLGATHER, on a tree plan, one for
 * recursive doubling or of rings, brings a block of each member to all of them.  ALLTOALL, on a
 * plan for recursive doubling or of rings: each member contributes a block for each, and gets one
 * of each.  REDUCE_SCATTER, on a plan for recursive doubling or a tree plan, not with MERGE: each
 * member contributes a block of elements for each, and gets those that all have for it, combined.
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

/* Types, host byte order.  F16 is binary16 of IEEE 754, BF16 the upper half of a
 * binary32: sums and products are rounded each time two are combined.  RECORD is a
 * string of hypercube_op.width bytes, compared as memcmp() does, for MERGE, MIN and MAX.
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
 * @value: the value, of the operation's type, in the first bytes; rest 0
 * @index: where it came from
 */
struct hypercube_loc {
	__u8	value[8];
	__u64	index;
};

/* hypercube_op.flags */
#define HYPERCUBE_F_NOTIFY	0x1	/* tell me when the sink has completed (REDUCE), or
					 * when all members have the message (BCAST); the
					 * result ends when all have my block (ALLGATHER,
					 * in rings)
					 */
#define HYPERCUBE_F_STALE	0x2	/* the sender does not know of a failure of the plan, though
					 * its record was read at the socket: -ECANCELED, where
					 * that is the answer as long as it has not been read
					 */
#define HYPERCUBE_F_ALL_OR_NOTHING 0x4	/* of a guarded plan: a result that lacks contributions of
					 * nodes that have been members fails (-EHOSTUNREACH)
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
	HYPERCUBE_CMSG_MISSING,		/* __u32[], from recvmsg(), with the end of a result
					 * that has not the blocks, or contributions, of all:
					 * two sets of nodes, those that it has places for,
					 * or that have been members of a guarded plan, and
					 * those of them that are missing, whose blocks have
					 * no place there; node u is bit u % 32 of word u / 32
					 */
	HYPERCUBE_CMSG_OP_SHORT,	/* struct hypercube_op_short, to sendmsg() */
};

/* Option at SOL_HYPERCUBE of SOCK_SEQPACKET sockets, for setsockopt() only. */
#define HYPERCUBE_SIBLING		7	/* struct hypercube_sibling */

/**
 * struct hypercube_sibling - connect a socket to a plan of the node of another one
 * @fd: a bound or connected SOCK_SEQPACKET socket
 * @plan: id of the plan
 *
 * As connect() with the address of the node of socket @fd, with the rights of that socket instead
 * of the caller's, whatever namespace the caller is in.  Both are one participant: a failure that
 * came before the new socket but not before the other one is a failure of both.
 */
struct hypercube_sibling {
	__s32	fd;
	__u32	plan;
};

/* Options at SOL_HYPERCUBE of SOCK_DGRAM sockets; ints but for the last. */
enum {
	HYPERCUBE_COPIES = 1,		/* send each datagram in so many copies over node-disjoint
					 * paths; 1: once, around faults
					 */
	HYPERCUBE_COPIES_LEAST,		/* take no datagrams that come in fewer copies; 1 */
	HYPERCUBE_COPIES_WAIT,		/* ms to wait for copies that have not come; 1000 */
	HYPERCUBE_DELIVER,		/* enum hypercube_deliver */
	HYPERCUBE_PATHS,		/* getsockopt() only: struct hypercube_paths */
};

#define HYPERCUBE_COPIES_WAIT_MAX	60000
/* No path of a copy has more links. */
#define HYPERCUBE_HOPS_MAX		64

/* Which datagrams in copies a socket is given. */
enum hypercube_deliver {
	HYPERCUBE_DELIVER_AGREED,	/* all copies came and agree */
	HYPERCUBE_DELIVER_MAJORITY,	/* more than half of the copies agree: at once */
	HYPERCUBE_DELIVER_REPORT,	/* all, when all copies have come or COPIES_WAIT is over:
					 * what more than half say; where no such many agree, no
					 * bytes.  With HYPERCUBE_CMSG_PATHS
					 */
};

/* What is known of a datagram. */
enum hypercube_vote_outcome {
	HYPERCUBE_VOTE_OUTCOME_AGREED = 1,	/* all copies came and agree */
	HYPERCUBE_VOTE_OUTCOME_INCOMPLETE,	/* more than half agree, others have not come */
	HYPERCUBE_VOTE_OUTCOME_OUTVOTED,	/* more than half agree, others differ */
	HYPERCUBE_VOTE_OUTCOME_UNDECIDED,	/* no more than half agree */
};

/**
 * struct hypercube_vote - how a datagram has come; with each that came in copies
 * @outcome: enum hypercube_vote_outcome
 * @copies: how many were sent
 * @mismatch: bit set of those that say something else than what more than half say; where no such
 *	many agree, than the first
 * @missing: bit set of those that have not come
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
 * struct hypercube_path - the path of a copy that mismatch or is missing
 * @copy: number of the copy
 * @hops: how many links the path has
 * @mismatch: 1: the copy has come and says something else
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
 * struct hypercube_paths - node-disjoint paths to a node, as far as faults are known
 * @node: in: the node
 * @paths: out: how many there are
 */
struct hypercube_paths {
	__u32	node;
	__u32	paths;
};

/**
 * struct hypercube_op - a contribution; goes with the first sendmsg() of it
 * @plan: id of the plan
 * @collective: enum hypercube_collective
 * @oper: enum hypercube_oper with REDUCE, ALLREDUCE and REDUCE_SCATTER, else 0
 * @type: enum hypercube_type with REDUCE, ALLREDUCE and REDUCE_SCATTER, else 0
 * @flags: HYPERCUBE_F_*; others, and those that @collective has no use for, are refused
 *	(EINVAL)
 * @width: bytes of a RECORD, 1..HYPERCUBE_RECORD_MAX; 0 with other types
 * @reserved: 0
 * @bytes: length of this node's contribution; a multiple of the element size; 0
 *	with BARRIER; of a SCATTER at the sink all blocks, elsewhere 0; of an ALLTOALL
 *	or a REDUCE_SCATTER a multiple of the number of members, too
 * @cookie: returned with the result
 *
 * sendmsg() may accept only a part; the rest follows in further calls without
 * control message.  All members give the same @bytes, except with MERGE and SCATTER;
 * of a BCAST only the source contributes.  Of an ALLTOALL or a REDUCE_SCATTER the pieces of all
 * blocks are taken in turn: each call gives the whole contribution, and returns how many more
 * bytes of it were accepted.
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
 * struct hypercube_op_short - a contribution, where these members of struct hypercube_op are enough
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

/* Bytes of what one call takes or returns as a whole, where pages have up to 64 KiB: a
 * contribution to an ALLTOALL or a REDUCE_SCATTER, the result of an ALLTOALL or an ALLGATHER.
 */
#define HYPERCUBE_WHOLE_MAX	0x7fff0000U

/* hypercube_result.op: there is none */
#define HYPERCUBE_OP_NONE	(~0ULL)

/**
 * struct hypercube_result - how an operation ended; with every recvmsg()
 * @status: 0 or a negative errno: the operation's, valid when MSG_EOR is set
 * @plan: id of the plan
 * @op: number of the operation within the plan; where a contribution is answered with a failure
 *	before it, of the operation that failed; or HYPERCUBE_OP_NONE if its plan was gone before
 *	it began, or it was sent before a failure was read: no other member hears of it
 * @cookie: that of this node's contribution; 0 for a message of a BCAST
 * @bytes: length of the whole result (0 where there is none)
 * @steps: parallel steps: the sum over the stages of each stage's cost; for what
 *	came down a tree or by a BCAST: steps until it was here; with a
 *	completed BCAST at its source: until it was everywhere; of an ALLGATHER: until
 *	its data were here, and at the end of one that was notified: until this
 *	node's were everywhere
 * @clock: logical clock: length of the longest chain of frames to here
 * @time: modelled time in ns: T = a + b * m along the critical path
 * @cause_node: with a status: the node where the cause lies, or ~0
 * @cause_dim: with a status: the dimension of the faulty link, or ~0
 * @collective: enum hypercube_collective
 * @restarts: how often it was begun again, in another epoch of a guarded plan
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

/* Bytes of a task; how many a worker may hold. */
#define HYPERCUBE_TASK_MAX		65536
#define HYPERCUBE_TASKS_HELD_MAX	1024

/* hypercube_task.flags */
#define HYPERCUBE_TASK_IDEMPOTENT	0x1	/* its producer allows that it is executed again */
#define HYPERCUBE_TASK_REDELIVERED	0x2	/* a worker may have had it, and was not done */
#define HYPERCUBE_TASK_REPLICATED	0x4	/* a second node keeps it; only with IDEMPOTENT */

/* Option at SOL_HYPERCUBE of SOCK_RDM sockets, for getsockopt() only. */
#define HYPERCUBE_TASK			6	/* struct hypercube_task: the last put here */

/**
 * struct hypercube_task - which task it is
 * @node: where it was put; to put one: 0
 * @flags: HYPERCUBE_TASK_*; to put one: IDEMPOTENT, the same with REPLICATED, or 0; with
 *	HYPERCUBE_CMSG_DONE they do not matter
 * @nr: its number among those of this node, 1 and up; to put one: 0
 *
 * The sockets of SOCK_RDM that are bound to a node share its queue of tasks.  sendmsg() puts a
 * task, recvmsg() takes one; the worker that took it holds it until it says that it is done, in a
 * sendmsg() with HYPERCUBE_CMSG_DONE and no data, or closes the socket.  A node asks neighbours to
 * keep the tasks with REPLICATED that it has, as long as one has room: when the node fails the
 * neighbour puts them into its own queue, marked REDELIVERED.  sendmsg() does not wait for that.
 */
struct hypercube_task {
	__u32	node;
	__u32	flags;
	__u64	nr;
};

#endif /* _UAPI_LINUX_HYPERCUBE_H */
