/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * hypercube: the interface between kernel and user space.
 *
 * The first part of this file is the generic netlink family, which
 * Documentation/netlink/specs/hypercube.yaml describes item by item; its commands and attributes
 * are in linux/hypercube_netlink.h.  The second part is the sockets, which hypercube(7) describes.
 * In a hypercube the nodes have the numbers 0 .. 2^n - 1, and the dimensions 0 .. n - 1.  In any
 * other network the "dimension" of a link is the port number that the link has at both ends.
 */
#ifndef _UAPI_LINUX_HYPERCUBE_H
#define _UAPI_LINUX_HYPERCUBE_H

#include <linux/hypercube_netlink.h>
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

/* What has happened to tasks, in notifications of loss. */
enum hypercube_task_loss {
	HYPERCUBE_TASK_LOSS_WORKER = 1,	/* lost: their worker closed its socket, or lost the node */
	HYPERCUBE_TASK_LOSS_NODE,	/* lost: the node at which they were has failed */
	HYPERCUBE_TASK_LOSS_FABRIC,	/* lost: the fabric was removed */
	HYPERCUBE_TASK_LOSS_UNRESOLVED,	/* perhaps not lost: a neighbour may have them */
	HYPERCUBE_TASK_LOSS_RECOVERED,	/* not lost: NODE held replicas when their node failed */
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
#define HYPERCUBE_TASK			6	/* struct hypercube_task: the last task put */

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
