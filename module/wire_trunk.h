/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What goes over a trunk, a stream between two machines: records, one behind the other.  A record
 * is a struct hc_wire_record and what it announces.  All fields are big-endian, but those of struct
 * virtio_net_hdr, which are little-endian.
 *
 * Each end sends HELLO first, then STATE of each of its links, then what comes.
 */
#ifndef _HC_WIRE_TRUNK_H
#define _HC_WIRE_TRUNK_H

#include <linux/build_bug.h>
#include <linux/types.h>

#define HC_TRUNK_MAGIC		0x68637472	/* "hctr" */
#define HC_TRUNK_VERSION	1
/* Bytes of the longest frame: one that is still to be segmented, with the longest walk. */
#define HC_TRUNK_FRAME_MAX	(80 * 1024)

/* hc_wire_record.what */
enum hc_record_what {
	HC_RECORD_HELLO = 1,	/* who the sender is; struct hc_wire_hello */
	HC_RECORD_ALIVE,	/* nothing, but in time; struct hc_wire_alive */
	HC_RECORD_STATE,	/* what configuration says of a link; struct hc_wire_end */
	HC_RECORD_FRAME,	/* a frame */
	__HC_RECORD_END
};

/* hc_wire_record.flags, of frames */
#define HC_RECORD_F_SEALED	0x01	/* the link's frames have a checksum */
#define HC_RECORD_F_OFFLOAD	0x02	/* struct hc_wire_offload is before the frame */

/**
 * struct hc_wire_record - begins each record
 * @len: bytes behind this
 * @what: enum hc_record_what
 * @flags: HC_RECORD_F_*
 * @node: STATE, FRAME: the node at the receiving end of the link
 */
struct hc_wire_record {
	__be32	len;
	__u8	what;
	__u8	flags;
	__be16	node;
};

static_assert(sizeof(struct hc_wire_record) == 8);

/**
 * struct hc_wire_hello - what the ends have to agree on
 * @magic: HC_TRUNK_MAGIC
 * @version: HC_TRUNK_VERSION
 * @wire: HC_WIRE_VERSION
 * @dim: dimension of the fabric
 * @fabric: its id
 * @segment: bytes of its segments
 * @fixed: bits that all nodes of the sender share
 * @base: what they are
 * @keep: ms of silence after which the sender gives up
 * @along: dimension of the links
 * @reserved: 0
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
	__u8	reserved[7];
};

static_assert(sizeof(struct hc_wire_hello) == 32);

struct hc_wire_alive {
	__be32	reserved[2];
};

static_assert(sizeof(struct hc_wire_alive) == 8);

/* hc_wire_end.flags */
#define HC_END_F_DOWN		0x01
#define HC_END_F_FAILED		0x02
#define HC_END_F_LOSSY		0x04
#define HC_END_F_ANEW		0x08

/**
 * struct hc_wire_end - what configuration says at the sender's end of a link: struct hc_link_said
 * @version: counts the changes of DOWN at both ends; the greater number holds
 * @flap_down: ms
 * @flap_period: ms
 * @flags: HC_END_F_*
 * @reserved: 0
 */
struct hc_wire_end {
	__be32	version;
	__be32	flap_down;
	__be32	flap_period;
	__u8	flags;
	__u8	reserved[3];
};

static_assert(sizeof(struct hc_wire_end) == 16);

/**
 * struct hc_wire_offload - what an Ethernet frame leaves to be done, as virtual machines say it
 * @vnet: struct virtio_net_hdr, relative to the Ethernet header
 * @reserved: 0
 */
struct hc_wire_offload {
	__u8	vnet[10];
	__u8	reserved[2];
};

static_assert(sizeof(struct hc_wire_offload) == 12);

#endif /* _HC_WIRE_TRUNK_H */
