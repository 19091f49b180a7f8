/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What goes over a trunk, a stream between two machines: records, one after the other. A record is
 * a struct hc_wire_record and what it announces. All fields are big-endian, except those of struct
 * virtio_net_hdr, which are little-endian.
 *
 * Each end sends HELLO first, then STATE of each of its links, then other records in any order.
 */
#ifndef _HC_WIRE_TRUNK_H
#define _HC_WIRE_TRUNK_H

#include <linux/build_bug.h>
#include <linux/types.h>

#define HC_TRUNK_MAGIC		0x68637472	/* "hctr" */
#define HC_TRUNK_VERSION	7
/* Bytes of the longest frame: HC_FRAME_SEGMENTS segments, or a GSO frame, with the longest walk. */
#define HC_TRUNK_FRAME_MAX	(144 * 1024)

/* hc_wire_record.what */
enum hc_record_what {
	HC_RECORD_HELLO = 1,	/* who the sender is; struct hc_wire_hello */
	HC_RECORD_ALIVE,	/* keepalive; struct hc_wire_alive */
	HC_RECORD_STATE,	/* configuration of a link's end; struct hc_wire_end */
	HC_RECORD_FRAME,	/* a frame */
	HC_RECORD_ASK,		/* request to all machines; struct hc_wire_ask, and a plan */
	HC_RECORD_ANSWER,	/* answer to ASK; struct hc_wire_answer, and a set of nodes */
	__HC_RECORD_END
};

/* hc_wire_record.flags, of frames */
#define HC_RECORD_F_SEALED	0x01	/* the link's frames have a checksum */
#define HC_RECORD_F_OFFLOAD	0x02	/* struct hc_wire_offload is before the frame */

/**
 * struct hc_wire_record - begins each record
 * @len: bytes behind this structure
 * @what: enum hc_record_what
 * @flags: HC_RECORD_F_*
 * @node: STATE, FRAME: the node at the receiving end of the link
 * @body: CRC32C of the bytes behind this structure
 * @head: CRC32C of the members above; these two are 0 in records that have no digests
 *
 * HELLO has digests. The other records have digests if one of the two ends wants them. Each end
 * sends only HELLO before it has received the other end's HELLO.
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
 * struct hc_wire_hello - HELLO: what the two ends have to agree on
 * @magic: HC_TRUNK_MAGIC
 * @version: HC_TRUNK_VERSION
 * @wire: HC_WIRE_VERSION
 * @dim: dimension of the fabric
 * @fabric: id of the fabric
 * @segment: bytes of the fabric's segments
 * @fixed: subcube mask of the sender's nodes
 * @base: subcube value of the sender's nodes
 * @keep: ms of silence after which the sender gives up
 * @along: dimension of the links
 * @flags: HC_HELLO_F_*
 * @reserved: 0
 * @life: boot id: random, a new one each time that the sender's nodes are created; 0: unknown
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
#define HC_END_F_DOWN		0x01
#define HC_END_F_FAILED		0x02
#define HC_END_F_SPENT		0x04	/* the sender's end has given up the link */
#define HC_END_F_FORGET		0x08

/**
 * struct hc_wire_end - STATE: configuration of the sender's end of a link, see struct hc_link_said
 * @version: counts the changes of DOWN at both ends; the DOWN with the greater number holds
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
	HC_COMMIT_PREPARE = 1,	/* check that it can be done, and prepare it */
	HC_COMMIT_SWITCH,	/* do it */
	HC_COMMIT_OPEN,		/* all have switched: contributions may begin */
	HC_COMMIT_DROP,		/* it will not be done */
	HC_COMMIT_BREAK,	/* not all have switched: the plan is installed, but broken */
};

/* hc_wire_ask.what */
enum hc_commit_what {
	HC_COMMIT_NEW = 1,	/* install a plan: a struct hc_wire_shape follows PREPARE */
	HC_COMMIT_DEL,		/* remove it */
};

/**
 * struct hc_wire_ask - ASK: a step of a request to all machines
 * @nr: number of the request, unique for a while together with @origin
 * @origin: the lowest node of the machine that has begun it
 * @step: enum hc_commit_step
 * @what: enum hc_commit_what
 * @plan: id of the plan
 * @epoch: epoch of the plan; PREPARE: the one that the request names, or 0
 * @left: ms for which the sender waits for the answer
 * @hops: number of machines that have forwarded the request
 * @lost: BREAK: a node of a machine that has not switched; else 0
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

/* Bytes of a sentence, which ends with a 0. */
#define HC_WHY_MAX		112

/**
 * struct hc_wire_answer - ANSWER: the answer of a machine and of all machines that it has asked
 * @nr: as in the request
 * @origin: as in the request
 * @step: as in the request
 * @error: why the request cannot be fulfilled: an index (trunk/commit_msg.c), 0: it can
 * @epoch: PREPARE: the greatest epoch of any plan on one of these machines
 * @fixed: subcube mask of the machine that refuses
 * @base: subcube value of the machine that refuses
 * @why: the reason, a sentence
 *
 * PREPARE: the set of the nodes of these machines follows, as in struct hc_wire_shape.
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
#define HC_SHAPE_F_REPAIRS	0x01
#define HC_SHAPE_F_MEMBERS	0x02	/* the plan has a set of members */

/**
 * struct hc_wire_shape - a plan: struct hc_plan_params
 * @type: enum hypercube_plan_type
 * @root: a node
 * @flags: HC_SHAPE_F_*
 * @stages: entries of @order
 * @reserved: 0
 * @steps: bytes of the sequence of a broadcast
 * @detours: number of detours
 * @rings: number of rings
 * @ring_nodes: number of nodes in the list of all rings
 * @order: dimension of each stage
 *
 * These follow, in this order: the set of members (a __be32 for 32 nodes, the lowest in bit 0); the
 * FAULT words of all nodes (__be32); for each detour its ends, for each ring its size, level and
 * parent, and the nodes of rings (__be16); the sequence.
 */
struct hc_wire_shape {
	__be32	type;
	__be32	root;
	__u8	flags;
	__u8	stages;
	__be16	reserved;
	__be32	steps;
	__be32	detours;
	__be32	rings;
	__be32	ring_nodes;
	__u8	order[12];
};

static_assert(sizeof(struct hc_wire_shape) == 40);

#endif /* _HC_WIRE_TRUNK_H */
