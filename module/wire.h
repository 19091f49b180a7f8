/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frame format between nodes.  All fields are big-endian; a frame is the
 * header, the walk (see route.c) and the payload.
 * The table is in Documentation/networking/hypercube.rst.
 */
#ifndef _HC_WIRE_H
#define _HC_WIRE_H

#include <linux/build_bug.h>
#include <linux/types.h>
#include <linux/hypercube.h>

#define HC_WIRE_VERSION	1
#define HC_STAGES_MAX	HYPERCUBE_DIM_MAX

enum hc_frame_type {
	HC_FRAME_TEST = 1,	/* DETECT; payload struct hc_wire_test */
	HC_FRAME_FAULT,		/* FAULT word of the sender; payload struct hc_wire_fault */
	HC_FRAME_DATA,		/* segment of a contribution or of a partial result */
	HC_FRAME_DONE,		/* all operations below .op are complete at the sink; upwards
				 * in a broadcast: at the sender and all below it
				 */
	HC_FRAME_END,		/* operations from .op on have failed; payload struct hc_wire_end */
	HC_FRAME_CREDIT,	/* .index frames of a stream were taken */
	HC_FRAME_ASK,		/* is operation .op of the plan still alive with you? */
	HC_FRAME_TELL,		/* it is */
	HC_FRAME_DGRAM,		/* message from node to node */
	HC_FRAME_ETH,		/* Ethernet frame of an endpoint; ROUTED or FLOOD */
	HC_FRAME_STATE,		/* FAULT words by node; payload struct hc_wire_state[] */
	HC_FRAME_PROBE,		/* ROUTED: finds out which way frames go */
	__HC_FRAME_TYPE_END
};

/* hc_hdr.flags.  Two bits have a meaning of their own in each of several types: ask
 * for the type first.
 */
#define HC_FRAME_F_ROUTED	0x01	/* by fault-tolerant unicast to .dst */
#define HC_FRAME_F_BACK		0x02	/* ROUTED: came back from a dead end */
#define HC_FRAME_F_LAST		0x04	/* DATA: last segment of its stream */
#define HC_FRAME_F_NOTIFY	0x08	/* DATA: somebody waits for DONE */
#define HC_FRAME_F_PART		0x10	/* DATA: one of the parts of a blocked sender */
#define HC_FRAME_F_WANT		0x20	/* DATA: the sender wants the result from this node */
#define HC_FRAME_F_DOWN		0x40	/* DATA: away from the root of the plan */
#define HC_FRAME_F_FLOOD	0x20	/* ETH: to everybody; .src is its origin */
#define HC_FRAME_F_SYNC		0x40	/* STATE: answer with all you know */

#define HC_DST_ALL		0xffff	/* .dst with FLOOD */

/**
 * struct hc_hdr - header of every frame
 * @version: HC_WIRE_VERSION
 * @type: enum hc_frame_type
 * @flags: HC_FRAME_F_*
 * @reserved: 0
 * @fabric: id of the fabric
 * @src: node that made the frame
 * @dst: node it is for (the neighbour unless ROUTED)
 * @seq: counts the frames of this link direction; a gap means loss.  0 in ETH,
 *	STATE and PROBE frames, which may get lost
 * @plan: id of the plan; FLOOD: 0
 * @epoch: epoch of the plan; FLOOD: name of the tree that the frame goes along
 *	(state.c), 0: over all links
 * @op: number of the operation; FLOOD: of the frame among those of its origin
 * @offset: position of the payload in the message, bytes
 * @total: length of the whole message, bytes; DONE: with @index, operations that failed
 * @len: payload bytes
 * @step: logical clock
 * @time: modelled time in ns at which the frame arrives
 * @oper: enum hypercube_oper
 * @dtype: enum hypercube_type
 * @width: bytes of a RECORD
 * @stage: stage of the transfer
 * @collective: enum hypercube_collective
 * @turn: DOWN: steps taken since the data left the root, with this one
 * @walk: number of dimensions in the walk behind this header (ROUTED)
 * @cost: per stage the number of steps it took, the maximum seen so far
 * @origin: GATHER: node whose block the payload is of; SCATTER, DOWN: that it is for;
 *	BCAST: messages begun before this one, the low bits
 * @csum: CRC-32 of header and payload if the link may corrupt, else 0 (impair.c)
 * @index: DATA: number of the frame among those that its sender has sent this receiver
 *	in the operation, in this direction; CREDIT, TELL: how many such frames of the
 *	other were taken, TELL of a doubling: sent; DONE: how many of the operations
 *	that it counts failed, from @total on
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
	__be32	plan;
	__be32	epoch;
	__be64	op;
	__be64	offset;
	__be64	total;
	__be32	len;
	__be32	step;
	__be64	time;
	__u8	oper;
	__u8	dtype;
	__be16	width;
	__u8	stage;
	__u8	collective;
	__be16	turn;
	__be16	walk;
	__u8	cost[HC_STAGES_MAX];
	__be16	origin;
	__be32	csum;
	__be32	index;
};

static_assert(sizeof(struct hc_hdr) == 96);

struct hc_wire_test {
	__be32	round;
};

struct hc_wire_fault {
	__be32	fault;
};

/**
 * struct hc_wire_state - what is known of a node's links
 * @node: the node
 * @word: its FAULT word
 * @version: counts the changes of the word
 */
struct hc_wire_state {
	__be16	node;
	__be16	word;
	__be32	version;
};

/* Flags of struct hc_wire_end. */
#define HC_END_F_BROKEN		0x01	/* the plan is of no use any more */
#define HC_END_F_FINAL		0x02	/* from the root: what is below .op is complete (BROKEN);
					 * of a broadcast: .offset messages were begun
					 */

#define HC_CAUSE_NONE		0xffff

/**
 * struct hc_wire_end - why operations failed
 * @status: positive errno
 * @node: where the cause lies, or HC_CAUSE_NONE
 * @dim: dimension of the faulty link, or HC_CAUSE_NONE
 * @flags: HC_END_F_*
 * @nfailed: FINAL of a plan that is broken: how many of the operations below .op failed
 *	before that, from @failed on
 * @failed: see @nfailed
 */
struct hc_wire_end {
	__be32	status;
	__be16	node;
	__be16	dim;
	__be32	flags;
	__be32	nfailed;
	__be64	failed;
};

static_assert(sizeof(struct hc_wire_end) == 24);

/* A monitor interface shows frames behind an Ethernet header of this type, for local
 * experiments (IEEE 802), and a struct hc_wire_mon.
 */
#define HC_MON_ETHERTYPE	0x88b5
#define HC_MON_VERSION		1

/* hc_wire_mon.flags */
#define HC_MON_F_RISES		0x01	/* to the node whose bit .dim is set */

/**
 * struct hc_wire_mon - where a frame was seen; by a monitor interface only
 * @version: HC_MON_VERSION
 * @dim: dimension of the link
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
