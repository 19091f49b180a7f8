// SPDX-License-Identifier: GPL-2.0
/*
 * The table of frame types. At init each part of the module registers handlers for the types that
 * it receives; a frame of a type without a handler is invalid.
 */
#include <linux/bug.h>

#include "fabric/frame.h"

#define TEST	(HC_FT_DIRECT | HC_FT_DETECTED | HC_FT_BARE | HC_FT_OWED)
#define FAULT	(HC_FT_SURE | HC_FT_DIRECT | HC_FT_DETECTED | HC_FT_BARE | HC_FT_OWED)
#define COLL	(HC_FT_SURE | HC_FT_DIRECT | HC_FT_ROUTED | HC_FT_PLAN)
#define DATA	(COLL | HC_FT_WHOLE | HC_FT_SEGMENT | HC_FT_NEEDED | HC_FT_SAYS)
#define WORD	(COLL | HC_FT_BARE)
#define CREDIT	(WORD | HC_FT_NEEDED)
#define REPAIR	(HC_FT_SURE | HC_FT_ROUTED | HC_FT_PLAN)
#define DGRAM	(HC_FT_SURE | HC_FT_DIRECT | HC_FT_ROUTED | HC_FT_SAYS)
#define ETH	(HC_FT_ROUTED | HC_FT_FLOODED | HC_FT_WALK | HC_FT_STACK | HC_FT_SAYS)
#define LSA	(HC_FT_SURE | HC_FT_DIRECT | HC_FT_OWED)
#define COPY	(HC_FT_SURE | HC_FT_PATH | HC_FT_SAYS)
#define TASK	(HC_FT_SURE | HC_FT_DIRECT | HC_FT_ROUTED)
#define ROUND	(HC_FT_SURE | HC_FT_DIRECT)
#define PATH	(HC_FT_SURE | HC_FT_ROUTED | HC_FT_WALK | HC_FT_BARE)

/* The length of the header of a frame type. The build fails unless it is a multiple of 8, so that
 * the data behind it is aligned, and at most the length of DATA's header, for which all frames have
 * headroom.
 */
#define PART(name)	(sizeof(struct hc_wire_##name) +				\
			 BUILD_BUG_ON_ZERO(sizeof(struct hc_wire_##name) % 8) +		\
			 BUILD_BUG_ON_ZERO(sizeof(struct hc_wire_##name) >		\
					   sizeof(struct hc_wire_data)))

struct hc_frame_ops hc_frame_types[__HC_FRAME_TYPE_END] __ro_after_init = {
	[HC_FRAME_TEST]		= { TEST, PART(test) },
	[HC_FRAME_FAULT]	= { FAULT, PART(fault) },
	[HC_FRAME_DATA]		= { DATA, PART(data) },
	[HC_FRAME_ACK]		= { WORD, PART(ack) },
	[HC_FRAME_END]		= { WORD, PART(stop) },
	[HC_FRAME_CREDIT]	= { CREDIT, PART(credit) },
	[HC_FRAME_PROBE]	= { WORD, PART(probe) },
	[HC_FRAME_DGRAM]	= { DGRAM, 0 },
	[HC_FRAME_ETH]		= { ETH, 0 },
	[HC_FRAME_LSA]		= { LSA, PART(lsa_head) },
	[HC_FRAME_REPAIR]	= { REPAIR, PART(repair) },
	[HC_FRAME_PATH]		= { PATH, 0 },
	[HC_FRAME_COPY]		= { COPY, PART(copy) },
	[HC_FRAME_TASK]		= { TASK, PART(task) },
	[HC_FRAME_ROUND]	= { ROUND, PART(round) },
	[HC_FRAME_STOP]		= { WORD, PART(stop) },
};

void __init hc_frame_handle(u8 type, hc_frame_rx *rx, hc_frame_undeliverable *undeliverable)
{
	struct hc_frame_ops *ops = &hc_frame_types[type];

	if (WARN_ON(ops->rx))
		return;
	ops->rx = rx;
	ops->undeliverable = undeliverable;
}

bool __init hc_frames_handled(void)
{
	unsigned int type;

	for (type = 0; type < ARRAY_SIZE(hc_frame_types); type++)
		if (hc_frame_types[type].flags && !hc_frame_types[type].rx)
			return false;
	return true;
}
