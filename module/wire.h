/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frame format between nodes.  All fields are big-endian; a frame is the part that all have in
 * common (struct hc_hdr), what leads it (ROUTED: the walk, see route.c; FLOOD: struct
 * hc_wire_flood), the part of its type if that has one (struct hc_wire_*), and the payload.  Each
 * part is a multiple of 8 bytes long.
 * The tables are in Documentation/networking/wire-format.rst.
 */
#ifndef _HC_WIRE_H
#define _HC_WIRE_H

#include <linux/build_bug.h>
#include <linux/types.h>
#include <linux/hypercube.h>

#define HC_WIRE_VERSION	5
#define HC_STAGES_MAX	HYPERCUBE_DIM_MAX

enum hc_frame_type {
	HC_FRAME_TEST = 1,	/* DETECT: is the link there? */
	HC_FRAME_FAULT,		/* FAULT word of the sender, or the answer to one */
	HC_FRAME_DATA,		/* segment of a contribution or of a partial result */
	HC_FRAME_ACK,		/* all operations below .op are complete at the sink; upwards
				 * in a broadcast: at the sender and all below it; upwards, where
				 * there is a root: the sender is in generation .gen
				 */
	HC_FRAME_END,		/* operation .op has failed; unless OVER, all go on behind */
	HC_FRAME_CREDIT,	/* frames of a stream were taken */
	HC_FRAME_PROBE,		/* is the plan there; over a detour: has all come? */
	HC_FRAME_DGRAM,		/* message from node to node */
	HC_FRAME_ETH,		/* Ethernet frame of an endpoint; ROUTED or FLOOD */
	HC_FRAME_LSA,		/* FAULT words by node; payload struct hc_wire_lsa[] */
	HC_FRAME_PATH,		/* ROUTED: finds out which way frames go */
	HC_FRAME_REPAIR,	/* ROUTED: a plan of rings is repaired */
	HC_FRAME_COPY,		/* a datagram's copy, on a path that it names */
	HC_FRAME_TASK,		/* a task is handed over to a neighbour */
	HC_FRAME_ROUND,		/* a round of balancing; payload __be64[]: words */
	HC_FRAME_STOP,		/* the sender does not give all of operation .op */
	__HC_FRAME_TYPE_END
};

/* hc_hdr.flags */
#define HC_FRAME_F_ROUTED	0x01	/* by fault-tolerant unicast to .dst */
#define HC_FRAME_F_BACK		0x02	/* ROUTED: came back from a dead end */
#define HC_FRAME_F_FLOOD	0x04	/* to everybody; .src is its origin */
#define HC_FRAME_F_FIXED	0x08	/* ROUTED: the walk is all of its way, see .hop */

/* The walk of a FIXED frame begins with its number among those of its detour and direction, in the
 * place of so many dimensions.
 */
#define HC_WAY_NR_DIMS		8

#define HC_DST_ALL		0xffff	/* .dst with FLOOD */

/**
 * struct hc_hdr - what all frames begin with
 * @version: HC_WIRE_VERSION
 * @type: enum hc_frame_type
 * @flags: HC_FRAME_F_*
 * @reserved: 0
 * @fabric: id of the fabric
 * @src: node that made the frame
 * @dst: node it is for (the neighbour unless ROUTED)
 * @seq: counts the frames of this link direction that it has to deliver; a gap takes the link
 *	down.  0 in ETH and TEST frames, which may get lost
 * @len: payload bytes
 * @walk: number of dimensions in the walk behind this (ROUTED)
 * @hop: FIXED: how many links of the way it has crossed, else 0
 * @csum: CRC-32 of the whole frame if the link may corrupt, else without meaning (impair.c)
 * @step: logical clock
 * @time: modelled time in ns at which the frame arrives
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

/* Bytes that a walk over so many links takes. */
static inline unsigned int hc_walk_area(unsigned int walk)
{
	return (walk + 31) / 32 * 16;
}

/**
 * struct hc_wire_flood - what leads a flooded frame
 * @tree: name of the tree that it goes along (lsdb.c), 0: over all links
 * @nr: its number among those of its origin
 */
struct hc_wire_flood {
	__be32	tree;
	__be32	nr;
};

static_assert(sizeof(struct hc_wire_flood) == 8);

/* ------------------------------------------------------------ detection, states */

/* hc_wire_test.flags */
#define HC_TEST_F_ASK		0x01	/* to another machine: send it back, without this */

struct hc_wire_test {
	__be32	round;
	__be32	flags;
};

static_assert(sizeof(struct hc_wire_test) == 8);

/**
 * struct hc_wire_fault - a FAULT word, and how far the receiver's own have come
 * @fault: the word of the sender; of an answer the one that has come
 * @announced: the word's number, which the receiver answers; 0: there is nothing to answer
 * @acked: number of the last word that has come from the receiver, 0: none; without @announced the
 *	frame is nothing but an answer
 */
struct hc_wire_fault {
	__be32	fault;
	__be16	announced;
	__be16	acked;
};

static_assert(sizeof(struct hc_wire_fault) == 8);

/* hc_wire_lsa_head.flags */
#define HC_LSA_F_SYNC		0x01	/* answer with all you know */

struct hc_wire_lsa_head {
	__u8	flags;
	__u8	reserved[7];
};

static_assert(sizeof(struct hc_wire_lsa_head) == 8);

/**
 * struct hc_wire_lsa - what is known of a node's links
 * @node: the node
 * @word: its FAULT word
 * @version: counts the changes of the word
 */
struct hc_wire_lsa {
	__be16	node;
	__be16	word;
	__be32	version;
};

static_assert(sizeof(struct hc_wire_lsa) == 8);

/* ------------------------------------------------------------ operations */

/**
 * struct hc_wire_plan - what a frame belongs to; begins the parts of all such types (HC_FT_PLAN)
 * @plan: id of the plan
 * @epoch: epoch of the plan; hc_plan.tag in a fabric that spans machines
 * @op: number of the operation
 */
struct hc_wire_plan {
	__be32	plan;
	__be32	epoch;
	__be64	op;
};

static_assert(sizeof(struct hc_wire_plan) == 16);

/* hc_wire_data.flags */
#define HC_DATA_F_LAST		0x01	/* last segment of its stream */
#define HC_DATA_F_NOTIFY	0x02	/* somebody waits for ACK */
#define HC_DATA_F_PART		0x04	/* one of the parts of a blocked sender */
#define HC_DATA_F_WANT		0x08	/* the sender wants the result from this node */
#define HC_DATA_F_DOWN		0x10	/* away from the root of the plan */
#define HC_DATA_F_SEEN		0x20	/* in a ring: no data, but .block's word that all beyond it
					 * have what it took from there
					 */
#define HC_DATA_F_BOTH		0x40	/* in a ring: it goes half of the way round, and another
					 * one of its kind in the other direction
					 */
#define HC_DATA_F_STRICT	0x80	/* only between a socket and its own node, in a guarded
					 * plan: the operation fails unless all are in it
					 */

/**
 * struct hc_wire_data - a segment
 * @plan: the operation
 * @offset: position of the payload in the message, or in its block, bytes; of halves of
 *	rounds, and of what an ALLGATHER sends down: bytes of the rounds before
 * @total: length of the whole message, or of a block, bytes
 * @index: number of the frame among those that its sender has sent this receiver in the
 *	operation, in this direction
 * @width: bytes of a RECORD
 * @oper: enum hypercube_oper
 * @dtype: enum hypercube_type
 * @collective: enum hypercube_collective
 * @stage: stage of the transfer
 * @flags: HC_DATA_F_*
 * @reserved: 0
 * @turn: DOWN: steps taken since the data left the root, with this one; in a ring: since the chunk
 *	began
 * @block: GATHER, SCATTER, in a ring: node whose block it is
 * @gen: generation of the operation: how many of its plan ended before it (struct hc_wire_stop)
 * @cost: per stage the number of steps it took, the maximum seen so far
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
 * struct hc_wire_ack - how much is complete
 * @plan: .op: all below are
 * @steps: that the last of them took
 * @gen: generation of the sender
 */
struct hc_wire_ack {
	struct hc_wire_plan plan;
	__be32	steps;
	__be32	gen;
};

static_assert(sizeof(struct hc_wire_ack) == 24);

#define HC_CAUSE_NONE		0xffff

/* hc_wire_stop.flags */
#define HC_STOP_F_OVER		0x01	/* nothing comes after it */
#define HC_STOP_F_UNBEGUN	0x02	/* END: the root has given nothing of it */
#define HC_STOP_F_SOFT		0x04	/* STOP: it counts only if somebody has given a part */
#define HC_STOP_F_IDLE		0x08	/* STOP: the same, of parts there when it comes by */
#define HC_STOP_F_AWAY		0x10	/* STOP: with OVER: its sender takes nothing more */

/**
 * struct hc_wire_stop - the end of a generation of operations (END), or what asks for it (STOP)
 * @plan: .op: END: the operation that fails, those below it do not; STOP: the first of which the
 *	sender does not give all
 * @gen: the generation
 * @status: positive errno
 * @node: where the cause lies, or HC_CAUSE_NONE
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
 * struct hc_wire_credit - there is room again
 * @plan: the operation
 * @taken: how many frames of the receiver's stream were taken
 * @gen: generation of the operation
 */
struct hc_wire_credit {
	struct hc_wire_plan plan;
	__be32	taken;
	__be32	gen;
};

static_assert(sizeof(struct hc_wire_credit) == 24);

/* hc_wire_probe.flags */
#define HC_PROBE_F_ANSWER	0x01	/* it answers one */
#define HC_PROBE_F_NO_PLAN	0x02	/* and whoever says so does not have the plan */

/**
 * struct hc_wire_probe - a question of an end of a detour, or to a machine, or the answer
 * @plan: the operation that waits
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
 * struct hc_wire_copy - a copy of a datagram; payload: the paths of all its copies, each a byte
 * with the number of its links, then their dimensions, four bits each, the first in the high
 * half of a byte; zeroes up to a multiple of 8 bytes; then what the datagram says
 * @nr: number of the datagram among those of its origin
 * @copies: how many copies there are
 * @copy: number of this one, and of its path
 * @hop: links of the path that it has crossed, with the one that it is on
 * @reserved: 0
 * @paths: bytes of the paths, with the zeroes
 * @reserved2: 0
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
	HC_REPAIR_REQUEST = 1,	/* to the master: the plan is broken here */
	HC_REPAIR_ASK,		/* from it: stop; what do you know? */
	HC_REPAIR_ASSIGN,	/* this is your place; payload struct hc_wire_repair_ops, struct
				 * hc_wire_repair_way[], then the set of members
				 */
	HC_REPAIR_COMMIT,	/* all have their places */
	HC_REPAIR_ANSWER,	/* the answers; payload of this one struct hc_wire_repair_ops */
	HC_REPAIR_ASSIGNED,
	HC_REPAIR_COMMITTED,
	HC_REPAIR_NO,		/* refused: .ballot is the greatest that was heard of */
	HC_REPAIR_NONE,		/* there is no such plan here; .ballot is that of the question */
	__HC_REPAIR_END
};

/* hc_wire_repair.flags */
#define HC_REPAIR_F_PREV	0x01	/* ANSWER: hc_wire_repair_ops.prev is valid */
#define HC_REPAIR_F_UNFIT	0x02	/* ANSWER: what is under way here cannot go on */
#define HC_REPAIR_F_RESUME	0x04	/* ASSIGN: what is under way goes on */
#define HC_REPAIR_F_WAITS	0x08	/* REQUEST: has answered, and has heard nothing since */

/**
 * struct hc_wire_repair - a plan of rings is repaired
 * @plan: .op: ANSWER: the first number that is free; ASSIGN: where numbers go on
 * @ballot: the attempt: its number << 16 | the master; REQUEST: the last that was heard of
 * @word: ANSWER: own FAULT word
 * @members: ASSIGN: how many there are
 * @status: ASK: positive errno of what has broken the plan
 * @node: ASK: where the cause lies, or HC_CAUSE_NONE
 * @dim: ASK: dimension of the faulty link, or HC_CAUSE_NONE
 * @what: enum hc_repair_what
 * @ways: ASSIGN: how many ways there are
 * @rings: ASSIGN: in how many rings the member is
 * @flags: HC_REPAIR_F_*
 * @reserved: 0
 * @tour: ASSIGN: links of all rings together
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
 * @nr: the operation, as processes are told its number
 * @offset: where the chunk lies in each message
 */
struct hc_wire_repair_at {
	__be64	nr;
	__be64	offset;
};

static_assert(sizeof(struct hc_wire_repair_at) == 16);

/**
 * struct hc_wire_repair_ops - operations under way; begins the payload of ANSWER and ASSIGN
 * @ran: ANSWER: the last attempt in which data went, as far as known here; ASSIGN: the one whose
 *	rings all come from
 * @placed: ANSWER: the last attempt that gave the member a place
 * @at: ANSWER: the chunk at hand; ASSIGN: the one that goes on
 * @prev: ANSWER: the chunk before that, of which the member can send its part again
 * @fresh: the first operation of which nobody has sent anything; ANSWER: as far as known here
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
#define HC_WAY_F_USED		0x01	/* something comes from there */
#define HC_WAY_F_RELAY		0x02	/* it is not for the member, only passes by */

/**
 * struct hc_wire_repair_way - what comes from a neighbour, as struct hc_ring_way
 * @seen: how many words come that a message has been seen beyond
 * @next: the member behind this one in the ring
 * @came: position of the ring's link by which it comes, of @tour in all
 * @leaves: and of that by which it goes on
 * @dim: dimension of the link to the neighbour
 * @out: index of the neighbour to which it goes on
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
	HC_TASK_F_DATA = 1,	/* a segment of it; from neighbour to neighbour only */
	HC_TASK_F_TAKEN,	/* the receiver of the task has it */
	HC_TASK_F_NOT,		/* it has not, and never will by this migration */
	HC_TASK_F_ASK,		/* to it: which of the two? */
	HC_TASK_F_COPY,		/* a segment of a copy, which the receiver is to keep; the same */
	HC_TASK_F_KEPT,		/* it keeps that copy */
	HC_TASK_F_FULL,		/* it does not, and never will by this number */
	HC_TASK_F_DROP,		/* to it: these copies are not needed any more */
	HC_TASK_F_DROPPED,	/* it has none of those; the answer to LOST, too */
	HC_TASK_F_LOST,		/* a node has failed: struct hc_wire_task_lost */
	HC_TASK_F_UNKNOWN,	/* the receiver of .life is no more, and nobody can know */
	__HC_TASK_F_END
};

/* hc_wire_task.flags, besides HYPERCUBE_TASK_*.  DATA: the sender keeps a copy once the receiver
 * has taken the task, by the number of the migration; DROP: of such copies.
 */
#define HC_TASK_KEEPS	0x80

/* Copies that a DROP names, at most. */
#define HC_TASK_DROPS	32

/* hc_wire_task_lost.known */
#define HC_TASK_LOST_SENT	0x1
#define HC_TASK_LOST_GAVE	0x2
#define HC_TASK_LOST_TAKEN	0x4
#define HC_TASK_LOST_KEPT	0x8

/**
 * struct hc_wire_task_lost - what is lost since one of two neighbours has failed; payload of LOST
 * @sent: copies that the sender has sent are of tasks it has lost, up to this number
 * @gave: of what it has moved it keeps no copy any more, up to this migration
 * @taken: tasks that it has taken are lost, up to this migration
 * @kept: copies that it has kept are, up to this number
 * @known: HC_TASK_LOST_*: which of these mean anything
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
 * struct hc_wire_task - a task is handed over, or kept
 * @move: number of the migration, of the copy, or of the DROP or LOST, among those of this link
 *	and direction
 * @nr: DATA, COPY: number of the task at @origin; DROP without KEEPS: copies with lower numbers
 *	are not needed, either
 * @offset: DATA, COPY: position of the payload in it, bytes
 * @total: DATA, COPY: its length
 * @origin: DATA, COPY: node where it was put
 * @flags: DATA, COPY: HYPERCUBE_TASK_*; HC_TASK_KEEPS
 * @what: enum hc_task_what
 * @life: DATA, ASK: of the receiver's machine when the migration began (struct hc_wire_hello);
 *	0: it is the sender's, or has not said
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

/* Words that a node says over a link in a round, at most. */
#define HC_ROUND_WORDS		16

/* The high byte of a word; the next one is an index, and the rest a value. */
enum hc_round_kind {
	HC_ROUND_LOAD = 1,	/* tasks of the sender, or of it and all below or about it */
	HC_ROUND_GAVE,		/* so many tasks were handed over here, and no more will be */
	HC_ROUND_WEIGHT,	/* so many nodes have the tasks of LOAD */
	HC_ROUND_QUOTA,		/* tasks that the receiver and all below it are to have */
	HC_ROUND_THETA,		/* tasks that leave the sender's cube of dimension .index here */
	HC_ROUND_WANT,		/* tasks that the sender asks for */
	HC_ROUND_EPOCH,		/* a hash of the topology that the sender has */
	__HC_ROUND_KIND_END
};

#define HC_ROUND_VALUE_BITS	48

/* hc_wire_round.flags */
#define HC_ROUND_F_PARENT	0x01	/* the sender has heard of the round from the receiver */
#define HC_ROUND_F_REPORT	0x02	/* to the parent: all below have done their part */
#define HC_ROUND_F_OVER		0x04	/* all have */
#define HC_ROUND_F_FAILED	0x08	/* the round has failed: .status and what is behind it */
#define HC_ROUND_F_OUT		0x10	/* the sender's part does not go over this link */
#define HC_ROUND_F_ALL		0x1f

/**
 * struct hc_wire_round - what a node says in a round over a link; all of it, each time
 * @round: the round: its number << 16 | the node that has begun it; with RID each node has numbers
 *	of its own
 * @moved: REPORT: sum of tasks times links, at the sender and below; OVER: of all
 * @status: FAILED: positive errno
 * @members: REPORT: how many nodes these are
 * @node: FAILED: where the cause lies, or HC_CAUSE_NONE
 * @dim: FAILED: dimension of the faulty link, or HC_CAUSE_NONE
 * @method: enum hypercube_balance
 * @flags: HC_ROUND_F_*; with RID 0
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

/* A monitor interface shows frames behind an Ethernet header of this type, for local
 * experiments (IEEE 802), and a struct hc_wire_mon.
 */
#define HC_MON_ETHERTYPE	0x88b5
#define HC_MON_VERSION		1

/* hc_wire_mon.flags */
#define HC_MON_F_RISES		0x01	/* to the higher one of the two nodes */
#define HC_MON_F_REPLAYED	0x02	/* it arrives after attempts in vain */

/**
 * struct hc_wire_mon - where a frame was seen; by a monitor interface only
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
