/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frame format between nodes. All fields are big-endian. A frame is, in this order: the header
 * that all frames share (struct hc_hdr); the routing header, which is the walk in a ROUTED frame
 * (route.c), struct hc_wire_flood in a FLOOD frame, and absent in others; the header of the frame's
 * type, if the type has one (struct hc_wire_*); and the payload. The length of each header is a
 * multiple of 8 bytes. Documentation/networking/wire-format.rst has the tables.
 */
#ifndef _HC_WIRE_H
#define _HC_WIRE_H

#include <linux/build_bug.h>
#include <linux/types.h>
#include <linux/hypercube.h>

#define HC_WIRE_VERSION	5
#define HC_STAGES_MAX	HYPERCUBE_DIM_MAX

enum hc_frame_type {
	HC_FRAME_TEST = 1,	/* test frame of DETECT */
	HC_FRAME_FAULT,		/* FAULT word of the sender, or the acknowledgment of one */
	HC_FRAME_DATA,		/* segment of a contribution or of a partial result */
	HC_FRAME_ACK,		/* sent down: all operations below .op are complete at the root.
				 * Sent up in a broadcast: they are complete at the sender and at
				 * all members below it. Sent up in any plan with a root: the sender
				 * is in generation .gen
				 */
	HC_FRAME_END,		/* operation .op has failed; the members go on with the next
				 * operation, unless the flag OVER is set
				 */
	HC_FRAME_CREDIT,	/* number of frames of a stream that the sender has taken */
	HC_FRAME_PROBE,		/* asks whether the receiver has the plan, and, over a detour,
				 * whether all frames have arrived; or answers a PROBE
				 */
	HC_FRAME_DGRAM,		/* datagram from node to node */
	HC_FRAME_ETH,		/* Ethernet frame of an endpoint; ROUTED or FLOOD */
	HC_FRAME_LSA,		/* FAULT words of nodes; payload struct hc_wire_lsa[] */
	HC_FRAME_PATH,		/* ROUTED: finds the path that frames to a node take */
	HC_FRAME_REPAIR,	/* ROUTED: message of a ring repair */
	HC_FRAME_COPY,		/* a copy of a datagram, on a path that the frame contains */
	HC_FRAME_TASK,		/* message of the migration or replication of a task */
	HC_FRAME_ROUND,		/* message of a load balancing round; payload __be64[], see enum
				 * hc_round_kind
				 */
	HC_FRAME_STOP,		/* the sender does not contribute all its data to operation .op */
	__HC_FRAME_TYPE_END
};

/* hc_hdr.flags */
#define HC_FRAME_F_ROUTED	0x01	/* the frame is sent to .dst by fault-tolerant unicast */
#define HC_FRAME_F_BACK		0x02	/* with ROUTED: the last hop led back to a visited node */
#define HC_FRAME_F_FLOOD	0x04	/* the frame is flooded to all nodes; .src is its origin */
#define HC_FRAME_F_FIXED	0x08	/* with ROUTED: the walk is the whole path, see .hop */

/* The walk of a FIXED frame begins with the frame's sequence number on its path. The number takes
 * the space of this many dimensions.
 */
#define HC_WAY_NR_DIMS		8

#define HC_DST_ALL		0xffff	/* .dst of a FLOOD frame */

/**
 * struct hc_hdr - the header with which all frames begin
 * @version: HC_WIRE_VERSION
 * @type: enum hc_frame_type
 * @flags: HC_FRAME_F_*
 * @reserved: 0
 * @fabric: id of the fabric
 * @src: number of the node that has made the frame
 * @dst: number of the destination; the neighbour, unless the frame is ROUTED, FLOOD or a COPY
 * @seq: sequence number among the frames that the link must deliver in this direction; a gap takes
 *	the link down. 0 in ETH and TEST frames, which may get lost
 * @len: length of the payload, bytes
 * @walk: in a ROUTED frame: number of dimensions in the walk, which follows this header
 * @hop: in a FIXED frame: number of links of the path that the frame has crossed; else 0
 * @csum: CRC-32 of the whole frame if the link may corrupt frames, else undefined (impair.c)
 * @step: logical clock
 * @time: modelled time at which the frame arrives, ns
 */
struct hc_hdr {
	__u8	version;
	__u8	type;
	__u8	flags;
	__u8	reserved;
	__be32	fabric;
	__be16	src;
	__be16	dst;
	__be32	seq;
	__be32	len;
	__be16	walk;
	__be16	hop;
	__be32	csum;
	__be32	step;
	__be64	time;
};

static_assert(sizeof(struct hc_hdr) == 40);

/* Return the bytes that a walk with @walk dimensions takes. */
static inline unsigned int hc_walk_area(unsigned int walk)
{
	return (walk + 31) / 32 * 16;
}

/**
 * struct hc_wire_flood - the routing header of a flooded frame
 * @tree: digest that identifies the tree along which the frame is sent (route/lsdb.c); 0: the frame
 *	is sent over all links
 * @nr: number of the frame among the flooded frames of its origin
 */
struct hc_wire_flood {
	__be32	tree;
	__be32	nr;
};

static_assert(sizeof(struct hc_wire_flood) == 8);

/* ------------------------------------------------------------ detection, states */

/* hc_wire_test.flags */
#define HC_TEST_F_ASK		0x01	/* the receiver, which is on another machine, is to send the
					 * frame back without this flag
					 */

/* TEST: a test frame of DETECT. @round: number of the sender's round. */
struct hc_wire_test {
	__be32	round;
	__be32	flags;
};

static_assert(sizeof(struct hc_wire_test) == 8);

/**
 * struct hc_wire_fault - FAULT: a FAULT word, and an acknowledgment of the receiver's FAULT words
 * @fault: the FAULT word of the sender; in a frame that is only an acknowledgment, the FAULT word
 *	that is acknowledged
 * @announced: number of @fault, which the receiver is to acknowledge; 0: nothing to acknowledge
 * @acked: number of the last FAULT word that the sender has received from the receiver, 0: none.
 *	If @announced is 0 and @acked is not, the frame is only an acknowledgment
 */
struct hc_wire_fault {
	__be32	fault;
	__be16	announced;
	__be16	acked;
};

static_assert(sizeof(struct hc_wire_fault) == 8);

/* hc_wire_lsa_head.flags */
#define HC_LSA_F_SYNC		0x01	/* the receiver is to send all its entries */

/* LSA: the header in front of the entries. */
struct hc_wire_lsa_head {
	__u8	flags;
	__u8	reserved[7];
};

static_assert(sizeof(struct hc_wire_lsa_head) == 8);

/**
 * struct hc_wire_lsa - an entry of a link-state database
 * @node: the node
 * @word: FAULT word of the node
 * @version: counts the changes of @word
 */
struct hc_wire_lsa {
	__be16	node;
	__be16	word;
	__be32	version;
};

static_assert(sizeof(struct hc_wire_lsa) == 8);

/* ------------------------------------------------------------ operations */

/**
 * struct hc_wire_plan - the operation that a frame belongs to; begins the header of each frame type
 *	with HC_FT_PLAN
 * @plan: id of the plan
 * @epoch: epoch of the plan; in a fabric that spans machines: hc_plan.tag, except in contributions,
 *	which have the epoch until their member sends them on
 * @op: number of the operation
 */
struct hc_wire_plan {
	__be32	plan;
	__be32	epoch;
	__be64	op;
};

static_assert(sizeof(struct hc_wire_plan) == 16);

/* hc_wire_data.flags */
#define HC_DATA_F_LAST		0x01	/* the frame has the last segment of its stream */
#define HC_DATA_F_NOTIFY	0x02	/* a process waits for the ACK of the operation */
#define HC_DATA_F_PART		0x04	/* the payload is one share of the data of a sender whose
					 * link to its destination is faulty
					 */
#define HC_DATA_F_WANT		0x08	/* the receiver is to send the result to the sender */
#define HC_DATA_F_DOWN		0x10	/* the frame is sent down, away from the root */
#define HC_DATA_F_SEEN		0x20	/* in a ring: notice of member .block, without data: all
					 * members of the rings beyond this member have received
					 * the messages that it has received from this ring
					 */
#define HC_DATA_F_BOTH		0x40	/* in a ring: the frame crosses half of the ring; another
					 * frame with the same data crosses the other half, in the
					 * opposite direction
					 */
#define HC_DATA_F_STRICT	0x80	/* used only between a socket and its own node, in a guarded
					 * plan: the operation fails unless all members take part
					 */

/**
 * struct hc_wire_data - DATA
 * @plan: the operation
 * @offset: position of the payload in the message, or in its block, bytes. In a frame with half of
 *	a round (coll/chunk.h, coll/halving.h), and in a frame of an ALLGATHER that is sent down:
 *	total length of the previous rounds
 * @total: length of the whole message, or of a block, bytes
 * @index: number of the frame among the frames that the sender has sent to this receiver in the
 *	operation and in this direction
 * @width: length of a RECORD, bytes
 * @oper: enum hypercube_oper
 * @dtype: enum hypercube_type
 * @collective: enum hypercube_collective
 * @stage: stage of the transfer
 * @flags: HC_DATA_F_*
 * @reserved: 0
 * @turn: with DOWN: number of steps since the data left the root, including this step; in a ring:
 *	number of steps since the chunk began
 * @block: in GATHER, SCATTER, and in a ring: number of the node to which the block belongs
 * @gen: generation of the operation: number of generations of its plan that have ended before
 *	(struct hc_wire_stop)
 * @cost: for each stage, the number of steps that the stage has taken: the maximum of all
 *	contributions so far
 */
struct hc_wire_data {
	struct hc_wire_plan plan;
	__be64	offset;
	__be64	total;
	__be32	index;
	__be16	width;
	__u8	oper;
	__u8	dtype;
	__u8	collective;
	__u8	stage;
	__u8	flags;
	__u8	reserved;
	__be16	turn;
	__be16	block;
	__be32	gen;
	__u8	cost[HC_STAGES_MAX];
};

static_assert(sizeof(struct hc_wire_data) == 64);

/**
 * struct hc_wire_ack - ACK
 * @plan: .op: all operations below this number are complete
 * @steps: number of steps that the last of these operations took
 * @gen: generation of the sender
 */
struct hc_wire_ack {
	struct hc_wire_plan plan;
	__be32	steps;
	__be32	gen;
};

static_assert(sizeof(struct hc_wire_ack) == 24);

/* Value of members that name the node or the dimension of a cause: not known. */
#define HC_CAUSE_NONE		0xffff

/* hc_wire_stop.flags */
#define HC_STOP_F_OVER		0x01	/* no operation follows in this epoch */
#define HC_STOP_F_UNBEGUN	0x02	/* in END: the root has sent nothing of operation .op */
#define HC_STOP_F_SOFT		0x04	/* in STOP: it takes effect once another process has
					 * contributed to operation .op or to a later operation
					 */
#define HC_STOP_F_IDLE		0x08	/* in STOP: it takes effect only at a member that has a
					 * contribution to operation .op or to a later operation
					 * when it receives the STOP
					 */
#define HC_STOP_F_NO_DATA		0x10	/* STOP, with OVER: the sender takes no more data */

/**
 * struct hc_wire_stop - END: the end of a generation of operations; STOP: a request to end it
 * @plan: .op: in END: the first operation that fails; in STOP: the first operation to which the
 *	sender does not contribute all its data
 * @gen: in END: the generation that ends; in STOP: the generation that is to end
 * @status: why it ends, positive errno
 * @node: node of the cause, or HC_CAUSE_NONE
 * @dim: dimension of the faulty link, or HC_CAUSE_NONE
 * @flags: HC_STOP_F_*
 */
struct hc_wire_stop {
	struct hc_wire_plan plan;
	__be32	gen;
	__be32	status;
	__be16	node;
	__be16	dim;
	__be32	flags;
};

static_assert(sizeof(struct hc_wire_stop) == 32);

/**
 * struct hc_wire_credit - CREDIT: the receiver of the CREDIT may send further frames
 * @plan: the operation
 * @taken: number of frames of the stream from the receiver of the CREDIT that its sender has taken
 * @gen: generation of the operation
 */
struct hc_wire_credit {
	struct hc_wire_plan plan;
	__be32	taken;
	__be32	gen;
};

static_assert(sizeof(struct hc_wire_credit) == 24);

/* hc_wire_probe.flags */
#define HC_PROBE_F_ANSWER	0x01	/* the frame is an answer */
#define HC_PROBE_F_NO_PLAN	0x02	/* with ANSWER: the sender does not have the plan */

/**
 * struct hc_wire_probe - PROBE: a probe over a detour or to another machine, or the answer to one
 * @plan: the operation for which the probing member waits
 * @flags: HC_PROBE_F_*
 * @reserved: 0
 */
struct hc_wire_probe {
	struct hc_wire_plan plan;
	__be32	flags;
	__be32	reserved;
};

static_assert(sizeof(struct hc_wire_probe) == 24);

/* ------------------------------------------------------------ copies */

/**
 * struct hc_wire_copy - COPY: a copy of a datagram
 * @nr: number of the datagram among the datagrams of its origin
 * @copies: number of copies of the datagram
 * @copy: number of this copy, and of its path
 * @hop: number of links of the path that the copy has crossed, including the link that it is on
 * @reserved: 0
 * @paths: length of the paths and of the zeroes behind them, bytes
 * @reserved2: 0
 *
 * The payload is the paths of all copies, zeroes up to a multiple of 8 bytes, and the datagram. A
 * path is a byte with the number of its links, followed by the dimensions of the links, four bits
 * each, the first in the high half of a byte.
 */
struct hc_wire_copy {
	__be64	nr;
	__u8	copies;
	__u8	copy;
	__u8	hop;
	__u8	reserved;
	__be16	paths;
	__be16	reserved2;
};

static_assert(sizeof(struct hc_wire_copy) == 16);

/* hc_wire_repair.what */
enum hc_repair_what {
	HC_REPAIR_REQUEST = 1,	/* to the coordinator: the plan is broken at the sender */
	HC_REPAIR_ASK,		/* from the coordinator: the receiver is to stop, and to report its
				 * operations
				 */
	HC_REPAIR_ASSIGN,	/* from the coordinator: the receiver's position in the new rings;
				 * payload struct hc_wire_repair_ops, struct hc_wire_repair_way[],
				 * then the set of members
				 */
	HC_REPAIR_COMMIT,	/* from the coordinator: all members have taken their positions */
	HC_REPAIR_ANSWER,	/* answer to ASK; payload struct hc_wire_repair_ops */
	HC_REPAIR_ASSIGNED,	/* answer to ASSIGN: the sender has taken its position */
	HC_REPAIR_COMMITTED,	/* answer to COMMIT */
	HC_REPAIR_NO,		/* the sender refuses; .ballot is the greatest ballot that it knows
				 */
	HC_REPAIR_NONE,		/* the sender does not have the plan; .ballot is the ballot of the
				 * message to which this is the answer
				 */
	__HC_REPAIR_END
};

/* hc_wire_repair.flags */
#define HC_REPAIR_F_PREV	0x01	/* in ANSWER: hc_wire_repair_ops.prev is valid */
#define HC_REPAIR_F_UNFIT	0x02	/* in ANSWER: the sender's operations cannot be resumed */
#define HC_REPAIR_F_RESUME	0x04	/* in ASSIGN: operations under way are resumed */
#define HC_REPAIR_F_WAITS	0x08	/* in REQUEST: the sender has answered an ASK, and has
					 * received nothing from the coordinator since then
					 */

/**
 * struct hc_wire_repair - REPAIR: a message of a ring repair
 * @plan: .op: in ANSWER: the first operation number that the sender has not used; in ASSIGN: the
 *	number of the first operation in the new rings
 * @ballot: identifies the attempt to repair the plan: its number << 16 | its coordinator; in
 *	REQUEST: the last attempt that the sender knows
 * @word: in ANSWER, ASSIGNED, COMMITTED and NO: FAULT word of the sender
 * @members: in ASSIGN: number of members
 * @status: in ASK: positive errno of the failure that has broken the plan
 * @node: in ASK: node of the cause, or HC_CAUSE_NONE
 * @dim: in ASK: dimension of the faulty link, or HC_CAUSE_NONE
 * @what: enum hc_repair_what
 * @ways: in ASSIGN: number of struct hc_wire_repair_way in the payload
 * @rings: in ASSIGN: number of rings that contain the receiver
 * @flags: HC_REPAIR_F_*
 * @reserved: 0
 * @tour: in ASSIGN: number of links of all rings together
 */
struct hc_wire_repair {
	struct hc_wire_plan plan;
	__be64	ballot;
	__be32	word;
	__be32	members;
	__be32	status;
	__be16	node;
	__be16	dim;
	__u8	what;
	__u8	ways;
	__be16	rings;
	__u8	flags;
	__u8	reserved;
	__be16	tour;
};

static_assert(sizeof(struct hc_wire_repair) == 48);

/**
 * struct hc_wire_repair_at - a chunk of an operation
 * @nr: number of the operation, as processes see it
 * @offset: position of the chunk in each message, bytes
 */
struct hc_wire_repair_at {
	__be64	nr;
	__be64	offset;
};

static_assert(sizeof(struct hc_wire_repair_at) == 16);

/**
 * struct hc_wire_repair_ops - operations under way; begins the payload of ANSWER and ASSIGN
 * @ran: in ANSWER: the last attempt in whose rings members have sent data, as far as the sender
 *	knows; in ASSIGN: the attempt in whose rings all members were before this attempt
 * @placed: in ANSWER: the last attempt that has assigned the member a position
 * @at: in ANSWER: the current chunk; in ASSIGN: the chunk that is resumed
 * @prev: in ANSWER: the chunk before @at, if the member can send its segment of this chunk again
 * @fresh: the first operation of which no member has sent anything; in ANSWER: as far as the sender
 *	knows
 */
struct hc_wire_repair_ops {
	__be64	ran;
	__be64	placed;
	struct hc_wire_repair_at at;
	struct hc_wire_repair_at prev;
	__be64	fresh;
};

static_assert(sizeof(struct hc_wire_repair_ops) == 56);

/* hc_wire_repair_way.flags */
#define HC_WAY_F_USED		0x01	/* the neighbour sends frames over this edge */
#define HC_WAY_F_RELAY		0x02	/* the member only forwards the frames of this edge */

/**
 * struct hc_wire_repair_way - the ring edge from a neighbour, like struct hc_ring_way. The closed
 *	tour through all rings (hc_ring_tour()) has hc_wire_repair.tour links
 * @seen: number of notices (HC_DATA_F_SEEN) that the neighbour will send in an operation
 * @next: number of the next member in the ring
 * @came: position in the tour of the link over which the frames are received
 * @leaves: position in the tour of the link over which the frames are forwarded
 * @dim: dimension of the link to the neighbour
 * @out: index of the neighbour to which the frames are forwarded
 * @flags: HC_WAY_F_*
 * @reserved: 0
 */
struct hc_wire_repair_way {
	__be32	seen;
	__be16	next;
	__be16	came;
	__be16	leaves;
	__u8	dim;
	__u8	out;
	__u8	flags;
	__u8	reserved[3];
};

static_assert(sizeof(struct hc_wire_repair_way) == 16);

/* ------------------------------------------------------------ tasks */

/* hc_wire_task.what */
enum hc_task_what {
	HC_TASK_F_DATA = 1,	/* a segment of a task; from neighbour to neighbour only */
	HC_TASK_F_TAKEN,	/* the receiver of the task has taken it */
	HC_TASK_F_NOT,		/* the receiver of the task has not taken it, and never will in this
				 * migration
				 */
	HC_TASK_F_ASK,		/* asks the receiver of the task for TAKEN or NOT */
	HC_TASK_F_COPY,		/* a segment of a replica, which the receiver is to hold; from
				 * neighbour to neighbour only
				 */
	HC_TASK_F_KEPT,		/* answers COPY: the receiver of the replica holds it */
	HC_TASK_F_FULL,		/* answers COPY: the receiver of the replica does not hold it, and
				 * never will under this number
				 */
	HC_TASK_F_DROP,		/* the replicas that the payload lists, and that the receiver holds,
				 * are no longer needed
				 */
	HC_TASK_F_DROPPED,	/* answers DROP or LOST: the receiver of the DROP or LOST no longer
				 * has any of the replicas
				 */
	HC_TASK_F_LOST,		/* a node has failed: struct hc_wire_task_lost */
	HC_TASK_F_UNKNOWN,	/* answers DATA or ASK: the receiver of the DATA or ASK has rebooted
				 * since the migration began (.life is another boot id), so the
				 * outcome cannot be known
				 */
	__HC_TASK_F_END
};

/* hc_wire_task.flags, besides HYPERCUBE_TASK_*. In DATA: the sender holds a replica of the task
 * once the receiver has taken the task; the replica has the number of the migration. In DROP: the
 * listed numbers are those of such replicas.
 */
#define HC_TASK_KEEPS	0x80

/* Maximum number of replicas that a DROP lists. */
#define HC_TASK_DROPS	32

/* hc_wire_task_lost.known: the member of the same name is valid */
#define HC_TASK_LOST_SENT	0x1
#define HC_TASK_LOST_GAVE	0x2
#define HC_TASK_LOST_TAKEN	0x4
#define HC_TASK_LOST_KEPT	0x8

/**
 * struct hc_wire_task_lost - what was lost when one of two neighbours failed; payload of LOST
 * @sent: the sender has lost the tasks of which it has sent replicas with numbers up to this number
 * @gave: the sender no longer holds replicas of the tasks that it has handed over in migrations
 *	with numbers up to this number
 * @taken: the sender has lost the tasks that it has taken in migrations with numbers up to this
 *	number
 * @kept: the sender has lost the replicas that it has held, with numbers up to this number
 * @known: HC_TASK_LOST_*: which of the members above are valid
 * @reserved: 0
 */
struct hc_wire_task_lost {
	__be64	sent;
	__be64	gave;
	__be64	taken;
	__be64	kept;
	__be32	known;
	__be32	reserved;
};

static_assert(sizeof(struct hc_wire_task_lost) == 40);

/**
 * struct hc_wire_task - TASK: a message of a task's migration, or of its replica
 * @move: number of the migration, of the replica, or of the DROP or LOST message; counted for each
 *	link and direction
 * @nr: in DATA and COPY: number of the task at @origin; in DROP without KEEPS: replicas with lower
 *	numbers are not needed, either
 * @offset: in DATA and COPY: position of the payload in the task, bytes
 * @total: in DATA and COPY: length of the task, bytes
 * @origin: in DATA and COPY: number of the node where a producer has put the task
 * @flags: in DATA and COPY: HYPERCUBE_TASK_*; in DATA and DROP: HC_TASK_KEEPS
 * @what: enum hc_task_what
 * @life: in DATA and ASK: boot id of the receiver's machine when the migration began (struct
 *	hc_wire_hello); 0: the receiver is on the sender's machine, or the boot id is not known. In
 *	other messages: 0
 */
struct hc_wire_task {
	__be64	move;
	__be64	nr;
	__be32	offset;
	__be32	total;
	__be16	origin;
	__u8	flags;
	__u8	what;
	__be32	life;
};

static_assert(sizeof(struct hc_wire_task) == 32);

/* ------------------------------------------------------------ rounds of balancing */

/* Maximum number of values that a node sends over a link in a round. */
#define HC_ROUND_WORDS		16

/* What an item of the payload is: its highest byte. The next byte of the item is an index, and the
 * other bytes are the value, which is described here.
 */
enum hc_round_kind {
	HC_ROUND_LOAD = 1,	/* number of tasks of the sender, or of the sender and all nodes
				 * below or around it
				 */
	HC_ROUND_GAVE,		/* number of tasks that the sender has moved over this link; it
				 * moves no more in this round
				 */
	HC_ROUND_WEIGHT,	/* number of nodes whose tasks LOAD counts */
	HC_ROUND_QUOTA,		/* number of tasks that the receiver and all nodes below it are to
				 * have
				 */
	HC_ROUND_THETA,		/* number of tasks that leave the sender's subcube over this link;
				 * the index is the dimension of that subcube
				 */
	HC_ROUND_WANT,		/* number of tasks that the sender requests */
	HC_ROUND_EPOCH,		/* hash of the topology that the sender has */
	__HC_ROUND_KIND_END
};

#define HC_ROUND_VALUE_BITS	48

/* hc_wire_round.flags */
#define HC_ROUND_F_PARENT	0x01	/* the receiver is the sender's parent in the round */
#define HC_ROUND_F_REPORT	0x02	/* sent to the parent: the sender and all nodes below it
					 * have completed the round
					 */
#define HC_ROUND_F_OVER		0x04	/* all nodes have completed the round */
#define HC_ROUND_F_FAILED	0x08	/* the round has failed: see .status, .node and .dim */
#define HC_ROUND_F_OUT		0x10	/* the sender does not use this link in the round */
#define HC_ROUND_F_ALL		0x1f

/**
 * struct hc_wire_round - ROUND: all values that a node sends over a link in a round; each frame
 *	repeats the values of the frames before it
 * @round: identifies the round: its number << 16 | the node that has begun it; with method RID each
 *	node numbers its own rounds
 * @moved: with REPORT: the sum, over all tasks that the sender and all nodes below it have moved,
 *	of the links that the task has crossed; with OVER: the same sum for all nodes
 * @status: with FAILED: positive errno
 * @members: with REPORT: number of the nodes that @moved counts
 * @node: with FAILED: node of the cause, or HC_CAUSE_NONE
 * @dim: with FAILED: dimension of the faulty or silent link, or HC_CAUSE_NONE
 * @method: enum hypercube_balance
 * @flags: HC_ROUND_F_*; 0 with method RID
 * @reserved: 0
 */
struct hc_wire_round {
	__be64	round;
	__be64	moved;
	__be32	status;
	__be32	members;
	__be16	node;
	__be16	dim;
	__u8	method;
	__u8	flags;
	__u8	reserved[2];
};

static_assert(sizeof(struct hc_wire_round) == 32);

/* ------------------------------------------------------------ the monitor interface */

/* A monitor interface puts an Ethernet header of this type, which IEEE 802 reserves for local
 * experiments, and a struct hc_wire_mon in front of each frame.
 */
#define HC_MON_ETHERTYPE	0x88b5
#define HC_MON_VERSION		1

/* hc_wire_mon.flags */
#define HC_MON_F_RISES		0x01	/* the receiver's number is greater than the sender's */
#define HC_MON_F_REPLAYED	0x02	/* attempts to send the frame have failed before this one */

/**
 * struct hc_wire_mon - the link over which a frame was sent; only monitor interfaces add it
 * @version: HC_MON_VERSION
 * @dim: dimension, or port, of the link
 * @flags: HC_MON_F_*
 * @reserved: 0
 * @step: logical clock of the frame
 */
struct hc_wire_mon {
	__u8	version;
	__u8	dim;
	__u8	flags;
	__u8	reserved;
	__be32	step;
};

static_assert(sizeof(struct hc_wire_mon) == 8);

#endif /* _HC_WIRE_H */
