// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl decode: frames of every type are decoded, and a frame that is truncated or changed does not
 * make the decoder read beyond its end: each frame is in memory of exactly its length.
 */
#include <endian.h>
#include <net/ethernet.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cmd/decode.h"
#include "ktap.h"
#include "wire.h"

#define FRONT (sizeof(struct ether_header) + sizeof(struct hc_wire_mon))

/* For each frame type, the length of its own header in bytes. */
static const size_t parts[__HC_FRAME_TYPE_END] = {
	[HC_FRAME_TEST] = 8, [HC_FRAME_FAULT] = 8, [HC_FRAME_DATA] = 64, [HC_FRAME_ACK] = 24,
	[HC_FRAME_END] = 32, [HC_FRAME_CREDIT] = 24, [HC_FRAME_PROBE] = 24,
	[HC_FRAME_LSA] = 8, [HC_FRAME_REPAIR] = 48, [HC_FRAME_COPY] = 16,
	[HC_FRAME_TASK] = 32, [HC_FRAME_ROUND] = 32, [HC_FRAME_STOP] = 32,
};

/* A frame, in memory of exactly its length. */
struct bytes {
	uint8_t *at;
	size_t len;
};

/* Make a frame on the link from node 5 to node 7, with a payload of @len bytes. Its source and
 * destination are nodes 5 and 4, which matters if it is routed.
 */
static struct bytes make(unsigned int type, unsigned int flags, unsigned int walk, uint32_t len)
{
	size_t way = flags & HC_FRAME_F_FLOOD ? 8 : (walk + 31) / 32 * 16;
	struct bytes b = { .len = FRONT + 40 + way + parts[type] + len };
	struct hc_wire_data data = {
		.plan = { htobe32(1), htobe32(3), htobe64(7) },
		.offset = htobe64(4096), .total = htobe64(9000), .index = htobe32(2),
		.oper = HYPERCUBE_SUM, .dtype = HYPERCUBE_F64, .collective = HYPERCUBE_ALLREDUCE,
		.stage = 2, .flags = HC_DATA_F_DOWN,
	};
	struct hc_hdr hdr = {
		.version = HC_WIRE_VERSION, .type = type, .flags = flags, .fabric = htobe32(9),
		.src = htobe16(5), .dst = htobe16(4), .seq = htobe32(11), .len = htobe32(len),
		.walk = htobe16(walk), .step = htobe32(6), .time = htobe64(1234),
	};

	b.at = calloc(1, b.len);
	memcpy(b.at, "\x02\x68\0\x09\0\x07\x02\x68\0\x09\0\x05\x88\xb5\x01\x01", 16);
	b.at[16] = HC_MON_F_RISES;
	memcpy(b.at + FRONT, &hdr, sizeof(hdr));
	memcpy(b.at + FRONT + 40 + way, &data, parts[type] < 64 ? parts[type] : 64);
	return b;
}

/* Decode a frame of @len bytes of which the first @captured were captured. Return: what
 * decode_frame() returns.
 */
static bool see(const uint8_t *bytes, size_t captured, size_t len, struct decoded *d)
{
	uint8_t *exact = malloc(captured ?: 1);
	struct capture_frame frame = { 0, exact, captured, len };
	bool ours;

	memcpy(exact, bytes, captured);
	ours = decode_frame(&frame, d);
	free(exact);
	return ours;
}

TEST(decode_reads_fields_of_every_frame_type)
{
	unsigned int type;

	for (type = 1; type < __HC_FRAME_TYPE_END; type++) {
		struct bytes b = make(type, 0, 0, 100);
		bool plan = parts[type] > 16 && type != HC_FRAME_TASK && type != HC_FRAME_ROUND;
		struct decoded d;

		ASSERT_TRUE(see(b.at, b.len, b.len, &d));
		ASSERT_TRUE(!d.wrong && decode_type(&d));
		ASSERT_TRUE(d.from == 5 && d.to == 7 && d.dim == 1);
		ASSERT_TRUE(d.type == type && d.fabric == 9 && d.src == 5 && d.dst == 4);
		ASSERT_TRUE(d.seq == 11 && d.len == 100 && d.step == 6 && d.time == 1234);
		ASSERT_TRUE(!decode_routed(&d) && !decode_flooded(&d));
		ASSERT_TRUE(d.known == (type == HC_FRAME_DATA ? DECODED_DATA :
					plan ? DECODED_PLAN : type == HC_FRAME_COPY ?
					DECODED_COPY : DECODED_FRAME));
		ASSERT_TRUE(!plan || (d.plan == 1 && d.epoch == 3 && d.op == 7));
		free(b.at);
	}
}

TEST(decode_finds_data_header_behind_walk_of_any_length)
{
	const struct {
		unsigned int flags;
		unsigned int walk;
	} ways[] = {
		{ 0, 0 }, { HC_FRAME_F_ROUTED, 1 }, { HC_FRAME_F_ROUTED, 32 },
		{ HC_FRAME_F_ROUTED | HC_FRAME_F_BACK, 33 }, { HC_FRAME_F_ROUTED, 65535 },
		{ HC_FRAME_F_ROUTED | HC_FRAME_F_FIXED, 5 },
		{ HC_FRAME_F_FLOOD, 0 }, { HC_FRAME_F_FLOOD, 65535 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		struct bytes b = make(HC_FRAME_DATA, ways[i].flags, ways[i].walk, 9);
		struct decoded d;

		ASSERT_TRUE(see(b.at, b.len, b.len, &d) && !d.wrong);
		ASSERT_EQ(DECODED_DATA, d.known);
		ASSERT_TRUE(decode_routed(&d) == !!(ways[i].flags & HC_FRAME_F_ROUTED));
		ASSERT_TRUE(decode_fixed(&d) == !!(ways[i].flags & HC_FRAME_F_FIXED));
		ASSERT_TRUE(decode_flooded(&d) == !!(ways[i].flags & HC_FRAME_F_FLOOD));
		ASSERT_TRUE(d.offset == 4096 && d.total == 9000 && d.index == 2);
		ASSERT_TRUE(d.stage == 2 && d.down);
		ASSERT_TRUE(d.oper == HYPERCUBE_SUM && d.dtype == HYPERCUBE_F64 &&
			    d.collective == HYPERCUBE_ALLREDUCE && d.walk == ways[i].walk);
		free(b.at);
	}
}

/* In a short capture, the fields at the beginning of the frame are known. */
TEST(decode_reads_captured_fields_of_truncated_capture)
{
	struct bytes b = make(HC_FRAME_DATA, HC_FRAME_F_ROUTED, 33, 50);
	size_t part = FRONT + 40 + 32, n;
	struct decoded d;

	for (n = 0; n <= b.len; n++) {
		ASSERT_TRUE(see(b.at, n, b.len, &d) == (n >= 14));
		if (n < 14)
			continue;
		ASSERT_EQ(n < FRONT ? 0 : n < FRONT + 40 ? DECODED_LINK :
			  n < part + 16 ? DECODED_FRAME :
			  n < part + 64 ? DECODED_PLAN : DECODED_DATA,
			  d.known);
		ASSERT_TRUE(!!d.wrong == (n < part + 64));
		/* A frame that is shorter, rather than captured in part, is reported as wrong. */
		ASSERT_TRUE(see(b.at, n, n, &d) && (!d.wrong) == (n == b.len));
	}
	free(b.at);
}

TEST(decode_reports_error_of_each_invalid_field)
{
	const struct {
		size_t at;
		uint8_t value;
		const char *wrong;
	} bad[] = {
		{ 5, 5, "two ends" }, { 5, 4, "two ends" }, { 10, 1, "two ends" },
		{ 16, 0, "two ends" }, { 15, 16, "two ends" }, { 15, 255, "two ends" },
		{ 14, 2, "version of the monitor" }, { FRONT, 1, "version" },
		{ FRONT + 1, 0, "type" }, { FRONT + 1, __HC_FRAME_TYPE_END, "type" },
		{ FRONT + 1, 255, "type" },
		{ FRONT + 1, HC_FRAME_ACK, "length" }, { FRONT + 16, 255, "length" },
		{ FRONT + 19, 51, "length" }, { FRONT + 21, 1, "length" },
		{ FRONT + 20, 255, "length" }, { FRONT + 2, HC_FRAME_F_FLOOD, "length" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct bytes b = make(HC_FRAME_DATA, 0, 0, 50);
		struct decoded d;

		b.at[bad[i].at] = bad[i].value;
		ASSERT_TRUE(see(b.at, b.len, b.len, &d) && d.wrong);
		ASSERT_TRUE(strstr(d.wrong, bad[i].wrong));
		free(b.at);
	}
}

TEST(decode_survives_frames_with_random_bytes)
{
	unsigned int round, type, i;

	for (round = 0; round < 200000; round++) {
		struct bytes b;
		struct decoded d;
		size_t captured;

		type = 1 + rnd(__HC_FRAME_TYPE_END - 1);
		b = make(type, rnd(8), rnd(2) ? rnd(70) : 0, rnd(100));
		for (i = rnd(6); i; i--)
			b.at[12 + rnd(b.len - 12)] = rnd(256);
		captured = rnd(2) ? b.len : rnd(b.len + 1);
		if (see(b.at, captured, b.len, &d) && !d.wrong && d.known == DECODED_DATA)
			ASSERT_EQ(HC_FRAME_DATA, d.type);
		free(b.at);
	}
}

TEST_HARNESS_MAIN
