// SPDX-License-Identifier: GPL-2.0
/*
 * Requests for migrations: the number of tasks that are to migrate over a link. A requester is the
 * administrator, a load balancing round, or the neighbour, if it lacks tasks. Each of these three
 * requesters has a count of its own, so that it does not wait for, count or cancel what another one
 * has requested.
 */
#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "hc_topo.h"
#include "task/migrate.h"
#include "task/task.h"

static void want_more(struct hc_way_out *out, enum hc_move_why why, u32 count)
{
	out->want[why] = min_t(u64, (u64)out->want[why] + count, U32_MAX);
}

int hc_move_want(struct hc_node *node, unsigned int dim, u32 count)
{
	struct hc_tasks *tasks = hc_tasks_of(node);
	int err = -ENOENT;

	lockdep_assert_held(&node->fabric->lock);
	if (!hc_link_usable(node, dim))
		return -ENOLINK;
	if (!tasks)
		return err;
	spin_lock_bh(&tasks->lock);
	if (tasks->stats.queued) {
		want_more(&tasks->way[dim].out, HC_MOVE_COMMAND, count);
		err = 0;
	}
	spin_unlock_bh(&tasks->lock);
	if (!err)
		hc_node_kick(node, HC_EV_TASKS);
	return err;
}

void hc_move_give(struct hc_node *node, unsigned int dim, enum hc_move_why why, u32 count,
		  u32 *sent)
{
	struct hc_tasks *tasks = hc_tasks_of(node);
	struct hc_way_out *out;

	*sent = 0;
	if (!tasks)
		return;
	out = &tasks->way[dim].out;
	spin_lock_bh(&tasks->lock);
	*sent = out->sent[why];
	if (hc_link_usable(node, dim))
		want_more(out, why, count);
	spin_unlock_bh(&tasks->lock);
	hc_node_kick(node, HC_EV_TASKS);
}

bool hc_move_given(const struct hc_node *node, unsigned int dim, enum hc_move_why why, u32 *sent)
{
	struct hc_tasks *tasks = hc_tasks_of(node);
	const struct hc_way_out *out;
	bool given;

	*sent = 0;
	if (!tasks)
		return true;
	out = &tasks->way[dim].out;
	spin_lock_bh(&tasks->lock);
	given = !out->want[why] && !(out->task && out->why == why);
	*sent = out->sent[why];
	spin_unlock_bh(&tasks->lock);
	return given;
}

void hc_move_stay(struct hc_node *node, u32 dims, enum hc_move_why why)
{
	struct hc_tasks *tasks = hc_tasks_of(node);
	unsigned int d;

	if (!tasks)
		return;
	spin_lock_bh(&tasks->lock);
	for (d = 0; d < node->fabric->topo.ports; d++)
		if (dims & hc_bit(d))
			tasks->way[d].out.want[why] = 0;
	spin_unlock_bh(&tasks->lock);
}
