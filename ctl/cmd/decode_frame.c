// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl decode: decoding the bytes of a frame. The bytes are checked, because a capture may be from
 * anywhere.
 */
#include <endian.h>
#include <net/ethernet.h>
#include <string.h>

#include "decode.h"
#include "wire.h"

/* The bytes of a frame that are not decoded yet. */
struct rest {
	const uint8_t *at;	/* the next byte */
	size_t captured;	/* number of bytes that the capture has */
	size_t len;		/* number of bytes that the frame has */
};

/* Take the next @size bytes from @r, and copy them to @dst, which may be NULL. Return: false if the
 * capture has fewer bytes.
 */
static bool take(struct rest *r, void *dst, size_t size)
{
	if (r->captured < size)
		return false;
	if (dst)
		memcpy(dst, r->at, size);
	r->at += size;
	r->captured -= size;
	r->len -= size;
	return true;
}

/* Names of the frame types, as in the tracepoints (module/trace.h). */
static const char * const names[] = {
	[HC_FRAME_TEST] = "test", [HC_FRAME_FAULT] = "fault", [HC_FRAME_DATA] = "data",
	[HC_FRAME_ACK] = "ack", [HC_FRAME_END] = "end", [HC_FRAME_CREDIT] = "credit",
	[HC_FRAME_PROBE] = "probe", [HC_FRAME_DGRAM] = "dgram",
	[HC_FRAME_ETH] = "eth", [HC_FRAME_LSA] = "lsa", [HC_FRAME_PATH] = "path",
	[HC_FRAME_REPAIR] = "repair", [HC_FRAME_COPY] = "copy", [HC_FRAME_TASK] = "task",
	[HC_FRAME_ROUND] = "round", [HC_FRAME_STOP] = "stop",
};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

_Static_assert(COUNT(names) == __HC_FRAME_TYPE_END, "a type of frames has no name");

/* For each frame type, the size of its header, and whether it is a plan frame. The headers of all
 * plan frames begin with the same fields, struct hc_wire_plan.
 */
static const struct {
	size_t size;
	bool plan;
} parts[__HC_FRAME_TYPE_END] = {
	[HC_FRAME_TEST] = { sizeof(struct hc_wire_test) },
	[HC_FRAME_FAULT] = { sizeof(struct hc_wire_fault) },
	[HC_FRAME_DATA] = { sizeof(struct hc_wire_data), true },
	[HC_FRAME_ACK] = { sizeof(struct hc_wire_ack), true },
	[HC_FRAME_END] = { sizeof(struct hc_wire_stop), true },
	[HC_FRAME_CREDIT] = { sizeof(struct hc_wire_credit), true },
	[HC_FRAME_PROBE] = { sizeof(struct hc_wire_probe), true },
	[HC_FRAME_LSA] = { sizeof(struct hc_wire_lsa_head) },
	[HC_FRAME_REPAIR] = { sizeof(struct hc_wire_repair), true },
	[HC_FRAME_COPY] = { sizeof(struct hc_wire_copy) },
	[HC_FRAME_TASK] = { sizeof(struct hc_wire_task) },
	[HC_FRAME_ROUND] = { sizeof(struct hc_wire_round) },
	[HC_FRAME_STOP] = { sizeof(struct hc_wire_stop), true },
};

const char *decode_type(const struct decoded *d)
{
	return d->type < COUNT(names) ? names[d->type] : NULL;
}

bool decode_routed(const struct decoded *d)
{
	return d->flags & HC_FRAME_F_ROUTED;
}

bool decode_fixed(const struct decoded *d)
{
	return decode_routed(d) && d->flags & HC_FRAME_F_FIXED;
}

bool decode_flooded(const struct decoded *d)
{
	return d->flags & HC_FRAME_F_FLOOD;
}

/* Decode the link that the frame crossed. The MAC addresses hold the numbers of the nodes at its
 * ends.
 */
static const char *link_of(struct decoded *d, const struct ether_header *eth,
			   const struct hc_wire_mon *mon)
{
	bool rises;

	d->from = eth->ether_shost[4] << 8 | eth->ether_shost[5];
	d->to = eth->ether_dhost[4] << 8 | eth->ether_dhost[5];
	d->dim = mon->dim;
	d->replayed = mon->flags & HC_MON_F_REPLAYED;
	if (mon->version != HC_MON_VERSION)
		return "unknown version of the monitor";
	/* The capture does not contain the network, so it cannot be checked that the two nodes are
	 * neighbours. Check only that they differ, and that the flag RISES fits their order.
	 */
	rises = d->from < d->to;
	if (d->dim >= HYPERCUBE_PORTS_MAX || d->from == d->to ||
	    rises != !!(mon->flags & HC_MON_F_RISES))
		return "it has not two ends";
	return NULL;
}

static void take_header(struct decoded *d, const struct hc_hdr *hdr)
{
	d->known = DECODED_FRAME;
	d->type = hdr->type;
	d->flags = hdr->flags;
	d->fabric = be32toh(hdr->fabric);
	d->src = be16toh(hdr->src);
	d->dst = be16toh(hdr->dst);
	d->seq = be32toh(hdr->seq);
	d->len = be32toh(hdr->len);
	d->walk = be16toh(hdr->walk);
	d->walked = d->walk;
	d->way = 0;
	if (decode_fixed(d)) {
		d->walked = be16toh(hdr->hop);
		d->way = d->walk > HC_WAY_NR_DIMS ? d->walk - HC_WAY_NR_DIMS : 0;
	}
	d->step = be32toh(hdr->step);
	d->time = be64toh(hdr->time);
}

static void take_plan(struct decoded *d, const struct hc_wire_plan *plan)
{
	d->known = DECODED_PLAN;
	d->plan = be32toh(plan->plan);
	d->epoch = be32toh(plan->epoch);
	d->op = be64toh(plan->op);
}

static void take_data(struct decoded *d, const struct hc_wire_data *data)
{
	d->known = DECODED_DATA;
	d->offset = be64toh(data->offset);
	d->total = be64toh(data->total);
	d->index = be32toh(data->index);
	d->collective = data->collective;
	d->oper = data->oper;
	d->dtype = data->dtype;
	d->stage = data->stage;
	d->down = data->flags & HC_DATA_F_DOWN;
}

static void take_copy(struct decoded *d, const struct hc_wire_copy *copy)
{
	d->known = DECODED_COPY;
	d->nr = be64toh(copy->nr);
	d->copies = copy->copies;
	d->copy = copy->copy;
	d->hop = copy->hop;
}

/* Decode the header of the frame's type, after the common header. The capture may hold only the
 * beginning of the frame.
 */
static const char *take_parts(struct decoded *d, struct rest *r)
{
	size_t way = decode_flooded(d) ? sizeof(struct hc_wire_flood) : hc_walk_area(d->walk);
	struct hc_wire_data data;
	struct hc_wire_copy copy;

	if (!decode_type(d))
		return "unknown type";
	if (r->len != way + parts[d->type].size + d->len)
		return "its length does not fit";
	if (d->type == HC_FRAME_COPY) {
		if (!take(r, NULL, way) || !take(r, &copy, sizeof(copy)))
			return "not all of it was captured";
		take_copy(d, &copy);
	}
	if (!parts[d->type].plan)
		return NULL;
	if (!take(r, NULL, way) || r->captured < sizeof(data.plan))
		return "not all of it was captured";
	memcpy(&data.plan, r->at, sizeof(data.plan));
	take_plan(d, &data.plan);
	if (d->type != HC_FRAME_DATA)
		return NULL;
	if (!take(r, &data, sizeof(data)))
		return "not all of it was captured";
	take_data(d, &data);
	return NULL;
}

static const char *decode(struct decoded *d, struct rest *r, const struct ether_header *eth)
{
	struct hc_wire_mon mon;
	struct hc_hdr hdr;
	const char *wrong;

	if (!take(r, &mon, sizeof(mon)))
		return "not all of it was captured";
	d->known = DECODED_LINK;
	wrong = link_of(d, eth, &mon);
	if (wrong)
		return wrong;
	if (!take(r, &hdr, sizeof(hdr)))
		return "not all of it was captured";
	if (hdr.version != HC_WIRE_VERSION)
		return "unknown version";
	take_header(d, &hdr);
	return take_parts(d, r);
}

bool decode_frame(const struct capture_frame *frame, struct decoded *d)
{
	struct rest r = { frame->bytes, frame->captured, frame->len };
	struct ether_header eth;

	memset(d, 0, sizeof(*d));
	if (!take(&r, &eth, sizeof(eth)) || be16toh(eth.ether_type) != HC_MON_ETHERTYPE)
		return false;
	d->wrong = decode(d, &r, &eth);
	return true;
}
