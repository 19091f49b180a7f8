/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Format of the stream of a trunk between two machines: records, one after the other. A record is a
 * struct hc_wire_record and the bytes that follow it, whose number and kind it contains. All fields
 * are big-endian, except those of struct virtio_net_hdr, which are little-endian.
 *
 * Each end sends HELLO first, then a STATE for each of the trunk's links, then other records in any
 * order.
 */
#ifndef _HC_WIRE_TRUNK_H
#define _HC_WIRE_TRUNK_H

#include <linux/build_bug.h>
#include <linux/types.h>

#define HC_TRUNK_MAGIC		0x68637472	/* "hctr" */
#define HC_TRUNK_VERSION	8
/* Bytes of the longest frame: HC_FRAME_SEGMENTS segments, or a GSO frame, with the longest walk. */
#define HC_TRUNK_FRAME_MAX	(144 * 1024)

/* hc_wire_record.what */
enum hc_record_what {
	HC_RECORD_HELLO = 1,	/* identifies the sender; struct hc_wire_hello */
	HC_RECORD_ALIVE,	/* keepalive; struct hc_wire_alive */
	HC_RECORD_STATE,	/* configuration of a link's end; struct hc_wire_end */
	HC_RECORD_FRAME,	/* a frame */
	HC_RECORD_ASK,		/* step of a request to all machines; struct hc_wire_ask; a plan
				 * may follow
				 */
	HC_RECORD_ANSWER,	/* answer to ASK; struct hc_wire_answer; nodes may follow */
	__HC_RECORD_END
};

/* hc_wire_record.flags, of frames */
#define HC_RECORD_F_SEALED	0x01	/* the link has set the frame's checksum */
#define HC_RECORD_F_OFFLOAD	0x02	/* a struct hc_wire_offload is in front of the frame */

/**
 * struct hc_wire_record - first header of each record
 * @len: number of bytes behind this structure
 * @what: enum hc_record_what
 * @flags: HC_RECORD_F_*
 * @node: in STATE and FRAME: the node at the receiving end of the link
 * @body: digest: CRC32C of the bytes behind this structure; 0 in records without digests
 * @head: digest: CRC32C of the members above; 0 in records without digests
 *
 * HELLO has digests. The other records have digests if at least one end wants them. Until an end
 * has received the other end's HELLO, it sends only its own HELLO.
 */
struct hc_wire_record {
	__be32	len;
	__u8	what;
	__u8	flags;
	__be16	node;
	__be32	body;
	__be32	head;
};

static_assert(sizeof(struct hc_wire_record) == 16);

/* hc_wire_hello.flags */
#define HC_HELLO_F_DIGEST	0x01	/* the sender wants digests */

/**
 * struct hc_wire_hello - HELLO: parameters that the two ends compare before they use the trunk
 * @magic: HC_TRUNK_MAGIC
 * @version: HC_TRUNK_VERSION
 * @wire: HC_WIRE_VERSION
 * @dim: dimension of the fabric
 * @fabric: id of the fabric
 * @segment: bytes of the fabric's segments
 * @fixed: subcube mask of the sender's nodes
 * @base: subcube value of the sender's nodes
 * @keep: ms of silence of the peer after which the sender ends the trunk
 * @along: dimension of the trunk's links
 * @flags: HC_HELLO_F_*
 * @reserved: 0
 * @life: boot id: a random number that is chosen whenever the sender's nodes are created; 0:
 *	unknown
 */
struct hc_wire_hello {
	__be32	magic;
	__be16	version;
	__u8	wire;
	__u8	dim;
	__be32	fabric;
	__be32	segment;
	__be16	fixed;
	__be16	base;
	__be32	keep;
	__u8	along;
	__u8	flags;
	__u8	reserved[2];
	__be32	life;
};

static_assert(sizeof(struct hc_wire_hello) == 32);

struct hc_wire_alive {
	__be32	reserved[2];
};

static_assert(sizeof(struct hc_wire_alive) == 8);

/* hc_wire_end.flags */
#define HC_END_F_DOWN		0x01	/* configuration has taken the link down */
#define HC_END_F_FAILED		0x02	/* the sender's node has failed */
#define HC_END_F_SPENT		0x04	/* the sender's end has given up the link */
#define HC_END_F_FORGET		0x08	/* the receiver is to forget what DETECT has found */

/**
 * struct hc_wire_end - STATE: configuration of the sender's end of a link, see struct hc_link_said
 * @version: counts the changes of DOWN at both ends; the DOWN with the greater version holds at
 *	both ends
 * @flap_down: ms for which the link is down in each period
 * @flap_period: ms, 0: the link does not flap
 * @flags: HC_END_F_*
 * @reserved: 0
 * @cuts: how often the sender's end has cut the link, modulo 65536
 */
struct hc_wire_end {
	__be32	version;
	__be32	flap_down;
	__be32	flap_period;
	__u8	flags;
	__u8	reserved;
	__be16	cuts;
};

static_assert(sizeof(struct hc_wire_end) == 16);

/**
 * struct hc_wire_offload - offloads that are left to the receiver of an Ethernet frame, in virtio's
 *	format
 * @vnet: struct virtio_net_hdr, relative to the Ethernet header
 * @reserved: 0
 */
struct hc_wire_offload {
	__u8	vnet[10];
	__u8	reserved[2];
};

static_assert(sizeof(struct hc_wire_offload) == 12);

/* hc_wire_ask.step */
enum hc_commit_step {
	HC_COMMIT_PREPARE = 1,	/* check that the request can be fulfilled, and prepare it */
	HC_COMMIT_SWITCH,	/* publish or remove the plan */
	HC_COMMIT_OPEN,		/* all machines have published the plan: accept contributions */
	HC_COMMIT_DROP,		/* drop what was prepared: a machine could not prepare it */
	HC_COMMIT_BREAK,	/* break the plan: not all machines have published it */
};

/* hc_wire_ask.what */
enum hc_commit_what {
	HC_COMMIT_NEW = 1,	/* install a plan: a struct hc_wire_shape follows PREPARE */
	HC_COMMIT_DEL,		/* remove a plan */
};

/**
 * struct hc_wire_ask - ASK: a step of a request to all machines
 * @nr: number of the request; together with @origin it identifies the request for some time
 * @origin: the lowest node of the machine that has begun the request
 * @step: enum hc_commit_step
 * @what: enum hc_commit_what
 * @plan: id of the plan
 * @epoch: epoch of the plan; in PREPARE: the epoch that the requester has chosen, or 0
 * @left: ms for which the sender waits for the answer
 * @hops: number of machines that have forwarded the question
 * @lost: in BREAK: a node of a machine that has not published the plan; else 0
 */
struct hc_wire_ask {
	__be32	nr;
	__be16	origin;
	__u8	step;
	__u8	what;
	__be32	plan;
	__be32	epoch;
	__be32	left;
	__be16	hops;
	__be16	lost;
};

static_assert(sizeof(struct hc_wire_ask) == 24);

/* Bytes of a sentence, with the 0 at its end. */
#define HC_WHY_MAX		112

/**
 * struct hc_wire_answer - ANSWER: the answer of a machine and of all machines that it has asked
 * @nr: as in the ASK
 * @origin: as in the ASK
 * @step: as in the ASK
 * @error: why a machine refuses the request: index of an errno in the table of trunk/commit_msg.c;
 *	0: none of these machines refuses
 * @epoch: in PREPARE: the greatest epoch that a plan has had on any of these machines
 * @fixed: subcube mask of the machine that refuses
 * @base: subcube value of the machine that refuses
 * @why: the reason, a sentence
 *
 * In PREPARE the set of the nodes of these machines follows, in the format of the set of members
 * behind struct hc_wire_shape.
 */
struct hc_wire_answer {
	__be32	nr;
	__be16	origin;
	__u8	step;
	__u8	error;
	__be32	epoch;
	__be16	fixed;
	__be16	base;
	__u8	why[HC_WHY_MAX];
};

static_assert(sizeof(struct hc_wire_answer) == 128);

/* hc_wire_shape.flags */
#define HC_SHAPE_F_REPAIRS	0x01	/* the plan repairs itself (rings) */
#define HC_SHAPE_F_MEMBERS	0x02	/* a set of members follows */
#define HC_SHAPE_F_CONTINUES	0x04	/* a guarded plan continues an epoch; a set follows */

/**
 * struct hc_wire_shape - a plan, as in struct hc_plan_params
 * @type: enum hypercube_plan_type
 * @root: number of the root; 0 if the plan has none
 * @flags: HC_SHAPE_F_*
 * @stages: number of entries of @order
 * @recipe: bytes of the recipe of a guarded plan, without a 0 at its end
 * @steps: bytes of the sequence of a broadcast
 * @detours: number of detours
 * @rings: number of rings
 * @ring_nodes: number of nodes in all rings together
 * @order: dimension of each stage
 * @guard: ms for which members wait for the next epoch; 0: the plan is not guarded
 * @from: with F_CONTINUES: hc_continued.tag of the plan that the guarded plan continues, not 0
 * @from_epoch: hc_continued.epoch
 * @change: hc_continued.change, not 0
 *
 * The following arrays are behind this structure, in this order: the set of members, if F_MEMBERS
 * is set (a __be32 for 32 nodes, the lowest node in bit 0); if F_CONTINUES is set: the set of all
 * nodes that have been members (as the set of members); the FAULT words of all nodes (__be32
 * each); for each detour its two ends (__be16 each); for each ring its size, level and parent
 * (__be16 each); the nodes of all rings (__be16 each); the sequence (a byte for each step); the
 * recipe.
 */
struct hc_wire_shape {
	__be32	type;
	__be32	root;
	__u8	flags;
	__u8	stages;
	__be16	recipe;
	__be32	steps;
	__be32	detours;
	__be32	rings;
	__be32	ring_nodes;
	__u8	order[12];
	__be32	guard;
	__be32	from;
	__be32	from_epoch;
	__be32	change;
};

static_assert(sizeof(struct hc_wire_shape) == 56);

#endif /* _HC_WIRE_TRUNK_H */
