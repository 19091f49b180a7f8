// SPDX-License-Identifier: GPL-2.0
/*
 * The table of the types of frames.
 */
#include "coll/rx.h"
#include "fabric/eth.h"
#include "fabric/frame.h"
#include "route/copy.h"
#include "route/detect.h"
#include "route/route.h"
#include "route/lsdb.h"
#include "sock/socks.h"
#include "task/move.h"
#include "task/round.h"

static void dgram_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	hc_sock_dgram_rx(node, skb, false);
}

static void path_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	hc_path_arrived(node, skb);
	consume_skb(skb);
}

/* PATH frames dropped for these reasons are noticed as lost.  Nobody notices those that a
 * link or a node took along when it failed.
 */
static void path_undeliverable(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
			       unsigned int why)
{
	if (why == HYPERCUBE_A_DROP_NO_ROUTE || why == HYPERCUBE_A_DROP_NO_MEMORY ||
	    why == HYPERCUBE_A_DROP_QUEUE_FULL)
		hc_path_lost(node, skb);
}

#define TEST	(HC_FT_DIRECT | HC_FT_DETECTED | HC_FT_BARE | HC_FT_OWED)
#define FAULT	(HC_FT_SURE | HC_FT_DIRECT | HC_FT_DETECTED | HC_FT_BARE | HC_FT_OWED)
#define COLL	(HC_FT_SURE | HC_FT_DIRECT | HC_FT_ROUTED | HC_FT_PLAN)
#define DATA	(COLL | HC_FT_WHOLE | HC_FT_SEGMENT | HC_FT_NEEDED | HC_FT_SAYS)
#define WORD	(COLL | HC_FT_BARE)
#define CREDIT	(WORD | HC_FT_NEEDED)
#define MEND	(HC_FT_SURE | HC_FT_ROUTED | HC_FT_PLAN)
#define DGRAM	(HC_FT_SURE | HC_FT_DIRECT | HC_FT_ROUTED | HC_FT_SAYS)
#define ETH	(HC_FT_ROUTED | HC_FT_FLOODED | HC_FT_WALK | HC_FT_STACK | HC_FT_SAYS)
#define LSA	(HC_FT_SURE | HC_FT_DIRECT | HC_FT_OWED)
#define COPY	(HC_FT_SURE | HC_FT_PATH | HC_FT_SAYS)
#define TASK	(HC_FT_SURE | HC_FT_DIRECT | HC_FT_ROUTED)
#define ROUND	(HC_FT_SURE | HC_FT_DIRECT)
#define PATH	(HC_FT_SURE | HC_FT_ROUTED | HC_FT_WALK | HC_FT_BARE)

/* Parts keep what is behind them aligned, and DATA's, the longest, has headroom everywhere. */
#define PART(name)	(sizeof(struct hc_wire_##name) +				\
			 BUILD_BUG_ON_ZERO(sizeof(struct hc_wire_##name) % 8) +		\
			 BUILD_BUG_ON_ZERO(sizeof(struct hc_wire_##name) >		\
					   sizeof(struct hc_wire_data)))

const struct hc_frame_ops hc_frame_types[__HC_FRAME_TYPE_END] = {
	[HC_FRAME_TEST]		= { TEST, PART(test), hc_detect_rx_test },
	[HC_FRAME_FAULT]	= { FAULT, PART(fault), hc_detect_rx_fault },
	[HC_FRAME_DATA]		= { DATA, PART(data), hc_coll_rx, hc_coll_undeliverable },
	[HC_FRAME_ACK]		= { WORD, PART(ack), hc_coll_rx },
	[HC_FRAME_END]		= { WORD, PART(stop), hc_coll_rx },
	[HC_FRAME_CREDIT]	= { CREDIT, PART(credit), hc_coll_rx, hc_coll_undeliverable },
	[HC_FRAME_PROBE]	= { WORD, PART(probe), hc_coll_rx },
	[HC_FRAME_DGRAM]	= { DGRAM, 0, dgram_rx },
	[HC_FRAME_ETH]		= { ETH, 0, hc_eth_rx },
	[HC_FRAME_LSA]		= { LSA, PART(lsa_head), hc_lsdb_rx, hc_lsdb_undeliverable },
	[HC_FRAME_MEND]		= { MEND, PART(mend), hc_coll_rx },
	[HC_FRAME_PATH]		= { PATH, 0, path_rx, path_undeliverable },
	[HC_FRAME_COPY]		= { COPY, PART(copy), hc_copy_rx },
	[HC_FRAME_TASK]		= { TASK, PART(task), hc_move_rx },
	[HC_FRAME_ROUND]	= { ROUND, PART(round), hc_round_rx },
	[HC_FRAME_STOP]		= { WORD, PART(stop), hc_coll_rx },
};
