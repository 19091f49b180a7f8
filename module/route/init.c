// SPDX-License-Identifier: GPL-2.0
/*
 * Registers the state, notifications and frame handlers of routing.
 */
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/node.h"
#include "notifier.h"
#include "route/detect.h"
#include "route/eth.h"
#include "route/flood.h"
#include "route/lsdb.h"
#include "route/route.h"

/* The state that routing has for each fabric. */
struct fabric_state {
	struct hc_paths paths;
	struct hc_lsdb_retry lsdb_retry;
};

/* The state that routing has for each node. */
struct node_state {
	struct hc_node_detect detect;
	struct hc_flood flood;
	struct hc_lsdb lsdb;
};

static void fabric_init(struct hc_fabric *fabric, void *state)
{
	struct fabric_state *s = state;

	fabric->paths = &s->paths;
	hc_paths_init(fabric->paths);
	fabric->lsdb_retry = &s->lsdb_retry;
	hc_lsdb_retry_init(fabric);
}

static int node_init(struct hc_node *node, void *state)
{
	struct node_state *s = state;

	node->detect = &s->detect;
	node->lsdb = &s->lsdb;
	hc_lsdb_init(node->lsdb);
	node->flood = &s->flood;
	return hc_flood_init(node);
}

static void node_free(struct hc_node *node)
{
	hc_flood_exit(node);
	hc_lsdb_free(node);
}

static void fault_word(struct hc_node *node, u32 lost, u32 cut)
{
	hc_lsdb_meet(node, cut);
	hc_detect_word(node->detect);
}

static struct hc_notifier notifier = {
	.fabric_size	= sizeof(struct fabric_state),
	.node_size	= sizeof(struct node_state),
	.fabric_init	= fabric_init,
	.fabric_exit	= hc_lsdb_retry_exit,
	.node_init	= node_init,
	.node_free	= node_free,
	.fault_word	= fault_word,
};

static void path_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	hc_path_arrived(node, skb);
	consume_skb(skb);
}

/* Fail the request for a path if its PATH frame is dropped because there is no path. If the frame
 * is dropped for another reason, the request times out and reports that the frame was lost.
 */
static void path_undeliverable(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
			       unsigned int why)
{
	if (why == HYPERCUBE_A_DROP_NO_ROUTE)
		hc_path_lost(node, skb);
}

void __init hc_route_init(void)
{
	hc_notifier_add(&notifier);
	hc_node_netdev_ops = &hc_eth_netdev_ops;
	hc_frame_handle(HC_FRAME_TEST, hc_detect_rx_test, NULL);
	hc_frame_handle(HC_FRAME_FAULT, hc_detect_rx_fault, NULL);
	hc_frame_handle(HC_FRAME_LSA, hc_lsdb_rx, hc_lsdb_undeliverable);
	hc_frame_handle(HC_FRAME_ETH, hc_eth_rx, NULL);
	hc_frame_handle(HC_FRAME_PATH, path_rx, path_undeliverable);
}
