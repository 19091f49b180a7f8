// SPDX-License-Identifier: GPL-2.0
/*
 * Registration of the functions by which collectives handle events of fabrics and nodes, and
 * frames.
 */
#include "coll/submit.h"
#include "coll/plan.h"
#include "coll/rx.h"
#include "coll/member_sched.h"
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/node.h"
#include "notifier.h"

/* State of collectives at a node. */
struct node_state {
	struct hc_host host;
	struct hc_work work;
};

static void fabric_init(struct hc_fabric *fabric, void *state)
{
	hc_plan_fabric_init(fabric);
}

static void fabric_exit(struct hc_fabric *fabric)
{
	mutex_lock(&fabric->lock);
	hc_plan_purge(fabric);
	mutex_unlock(&fabric->lock);
}

static int node_init(struct hc_node *node, void *state)
{
	struct node_state *s = state;

	node->host = &s->host;
	hc_host_init(node->host);
	node->work = &s->work;
	hc_work_init(node->work);
	return 0;
}

static struct hc_notifier notifier = {
	.node_size	= sizeof(struct node_state),
	.fabric_init	= fabric_init,
	.fabric_exit	= fabric_exit,
	.node_init	= node_init,
	.node_purge	= hc_host_purge,
	.faults_known	= hc_coll_links_known,
};

void __init hc_coll_init(void)
{
	hc_notifier_add(&notifier);
	hc_frame_handle(HC_FRAME_DATA, hc_coll_rx, hc_coll_undeliverable);
	hc_frame_handle(HC_FRAME_ACK, hc_coll_rx, NULL);
	hc_frame_handle(HC_FRAME_END, hc_coll_rx, NULL);
	hc_frame_handle(HC_FRAME_CREDIT, hc_coll_rx, hc_coll_undeliverable);
	hc_frame_handle(HC_FRAME_PROBE, hc_coll_rx, NULL);
	hc_frame_handle(HC_FRAME_REPAIR, hc_coll_rx, NULL);
	hc_frame_handle(HC_FRAME_STOP, hc_coll_rx, NULL);
}
