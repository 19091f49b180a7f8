// SPDX-License-Identifier: GPL-2.0
/*
 * Registration of task queues and load balancing with fabrics, nodes and frame types.
 */
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/node.h"
#include "notifier.h"
#include "task/migrate.h"
#include "task/queue.h"
#include "task/round.h"

static void fabric_init(struct hc_fabric *fabric, void *state)
{
	fabric->rounds = state;
	hc_rounds_init(fabric->rounds);
}

static void fabric_exit(struct hc_fabric *fabric)
{
	mutex_lock(&fabric->lock);
	hc_rounds_exit(fabric);
	mutex_unlock(&fabric->lock);
}

static void node_stop(struct hc_node *node)
{
	hc_move_stop(node);
	hc_round_stop(node);
}

static void node_free(struct hc_node *node)
{
	hc_tasks_free(node);
	hc_round_free(node);
}

static void fault_word(struct hc_node *node, u32 lost, u32 cut)
{
	hc_round_cut(node, lost);
}

static struct hc_notifier notifier = {
	.fabric_size	= sizeof(struct hc_rounds),
	.fabric_init	= fabric_init,
	.fabric_exit	= fabric_exit,
	.node_stop	= node_stop,
	.node_free	= node_free,
	.node_failed	= hc_tasks_follow,
	.fault_word	= fault_word,
	.fault_rx	= hc_round_again,
};

void __init hc_tasks_init(void)
{
	hc_notifier_add(&notifier);
	hc_frame_handle(HC_FRAME_TASK, hc_move_rx, NULL);
	hc_frame_handle(HC_FRAME_ROUND, hc_round_rx, NULL);
}
