// SPDX-License-Identifier: GPL-2.0
/*
 * The receiver of a migrating task: it assembles the task from segments, and decides whether the
 * node takes the task or refuses it. migrate_tx.c explains the protocol.
 */
#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "task/task.h"
#include "trace.h"

/* Free the segments of a task that has arrived in part. */
static void in_drop(struct hc_tasks *tasks, struct hc_way_in *in)
{
	lockdep_assert_held(&tasks->lock);
	tasks->stats.bytes -= in->bytes;
	kfree_skb_list(in->first);
	in->first = NULL;
	in->last = NULL;
	in->bytes = 0;
	in->got = 0;
	in->coming = false;
}

void hc_in_close(struct hc_tasks *tasks, struct hc_way_in *in, u64 move, bool taken)
{
	in_drop(tasks, in);
	in->known = true;
	in->closed = move;
	in->taken = taken;
}

void hc_in_forget(struct hc_way_in *in)
{
	in->known = false;
	in->unverified = false;
}

bool hc_tasks_served(const struct hc_tasks *tasks)
{
	lockdep_assert_held(&tasks->lock);
	return !READ_ONCE(tasks->node->failed) && !READ_ONCE(tasks->fabric->dead);
}

/* Return: how far migration number @move is after the last number about which the receiver has
 * decided. If this is 0 or less, it has decided about @move.
 */
static s64 in_ahead(const struct hc_way_in *in, u64 move)
{
	return in->known ? (s64)(move - in->closed) : 1;
}

static u8 in_decision(const struct hc_way_in *in)
{
	return in->taken ? in->ops->yes : in->ops->no;
}

/* Make a task or replica from its segments, all of which have arrived, and store it. Return: false
 * if there is no memory.
 */
static bool in_complete(struct hc_tasks *tasks, struct hc_way_in *in)
{
	struct hc_task *task = hc_poll_alloc(tasks->fabric, sizeof(*task));

	if (!task)
		return false;
	hc_task_init(task);
	task->skb = in->first;
	task->len = in->total;
	task->id = in->id;
	task->bytes = in->bytes + sizeof(*task);
	task->charged = sizeof(*task);
	if (!in->ops->take(tasks, in, task)) {
		hc_poll_free(tasks->fabric, task, sizeof(*task));
		return false;
	}
	tasks->stats.bytes += task->bytes;
	in->first = NULL;
	return true;
}

/* Append the payload of the frame @skb, which is the next segment. Takes over @skb. */
static void in_append(struct hc_tasks *tasks, struct hc_way_in *in, struct sk_buff *skb)
{
	__skb_pull(skb, HC_TASK_HEAD);
	skb->next = NULL;
	if (in->last)
		in->last->next = skb;
	else
		in->first = skb;
	in->last = skb;
	in->got += skb->len;
	in->bytes += skb->truesize;
	tasks->stats.bytes += skb->truesize;
}

static void in_begin(struct hc_tasks *tasks, struct hc_way_in *in, u64 move, u32 total,
		     const struct hypercube_task *id, bool keeps)
{
	in_drop(tasks, in);
	in->coming = true;
	in->move = move;
	in->total = total;
	in->id = *id;
	in->keeps = keeps;
}

u8 hc_in_segment(struct hc_tasks *tasks, struct hc_way_in *in, const struct hc_wire_task *w,
		 struct sk_buff **skb)
{
	const struct hypercube_task id = {
		.node = be16_to_cpu(w->origin), .flags = w->flags & ~HC_TASK_KEEPS,
		.nr = be64_to_cpu(w->nr),
	};
	u32 at = be32_to_cpu(w->offset), total = be32_to_cpu(w->total);
	u64 move = be64_to_cpu(w->move);
	bool keeps = w->flags & HC_TASK_KEEPS;
	s64 ahead = in_ahead(in, move);

	lockdep_assert_held(&tasks->lock);
	if (ahead <= 0)
		return ahead ? 0 : in_decision(in);
	if (in->unverified && move == in->refused)
		return in->ops->no;
	if (!in->coming || in->move != move) {
		/* Ignore a late frame of an earlier migration. */
		if (in->coming && (s64)(move - in->move) < 0)
			return 0;
		if (!hc_tasks_served(tasks) || !in->ops->room(tasks, in)) {
			hc_in_close(tasks, in, move, false);
			return in->ops->no;
		}
		in_begin(tasks, in, move, total, &id, keeps);
	}
	if (at != in->got || total != in->total || keeps != in->keeps ||
	    memcmp(&id, &in->id, sizeof(id)))
		return 0;
	in_append(tasks, in, *skb);
	*skb = NULL;
	if (in->got < total)
		return 0;
	hc_in_close(tasks, in, move, hc_tasks_served(tasks) && in_complete(tasks, in));
	return in_decision(in);
}

/* Answer an ASK that was received by unicast, when this node knows none of the neighbour's
 * migration numbers. A Byzantine node may have forged the ASK, so it must not be recorded as a
 * decision. Refuse the number of the first such ASK, and never take a migration with this number;
 * do not answer an ASK about another number. Return: the answer, or 0.
 */
static u8 in_unverified(struct hc_way_in *in, u64 move)
{
	if (!in->unverified)
		in->refused = move;
	in->unverified = true;
	return in->refused == move ? in->ops->no : 0;
}

u8 hc_in_asked(struct hc_tasks *tasks, struct hc_way_in *in, u64 move, bool routed)
{
	s64 ahead = in_ahead(in, move);

	lockdep_assert_held(&tasks->lock);
	if (ahead < 0 || (routed && ahead > HC_TASK_AHEAD_MAX))
		return 0;
	if (routed && !in->known && !(in->coming && in->move == move))
		return in_unverified(in, move);
	if (ahead)
		hc_in_close(tasks, in, move, false);
	return in_decision(in);
}

/* ------------------------------------------------------------ migrated tasks */

static bool task_room(const struct hc_tasks *tasks, const struct hc_way_in *in)
{
	return hc_tasks_room(tasks);
}

/* Put a complete task into this node's queue. Return: false if there is no memory, or if the
 * neighbour keeps a replica of the task but has too many replicas still to drop.
 */
static bool task_take(struct hc_tasks *tasks, struct hc_way_in *in, struct hc_task *task)
{
	unsigned int dim = container_of(in, struct hc_way, in) - tasks->way;

	if (in->keeps && !hc_replica_given(tasks, dim, task, in->move))
		return false;
	if (!in->keeps && task->id.flags & HYPERCUBE_TASK_REPLICATED)
		hc_replica_want(tasks, task);
	tasks->stats.queued++;
	tasks->stats.received++;
	list_add_tail(&task->list, &tasks->queue);
	trace_hc_task(tasks->node, HC_TASK_RECEIVED, &task->id);
	return true;
}

const struct hc_in_ops hc_in_tasks = {
	.room	= task_room,
	.take	= task_take,
	.yes	= HC_TASK_F_TAKEN,
	.no	= HC_TASK_F_NOT,
};
