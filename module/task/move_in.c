// SPDX-License-Identifier: GPL-2.0
/*
 * The receiver of a task: it puts the segments together, and decides; move.c says what follows.
 */
#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "task/task.h"
#include "trace.h"

/* So many numbers may be ahead of what is known, in what comes by unicast. */
#define AHEAD_MAX	1024

/* Forget what has come of a task that is not complete. */
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

bool hc_tasks_served(const struct hc_tasks *tasks)
{
	lockdep_assert_held(&tasks->lock);
	return !READ_ONCE(tasks->node->failed) && !READ_ONCE(tasks->fabric->dead);
}

/* By how many a number is ahead of what is decided. */
static s64 in_ahead(const struct hc_way_in *in, u64 move)
{
	return in->known ? (s64)(move - in->closed) : 1;
}

static u8 in_decision(const struct hc_way_in *in)
{
	return in->taken ? HC_TASK_F_TAKEN : HC_TASK_F_NOT;
}

/* All of it is here: from now on it is ours.  False: no memory. */
static bool in_complete(struct hc_tasks *tasks, struct hc_way_in *in)
{
	struct hc_task *task = hc_poll_alloc(tasks->fabric, sizeof(*task));

	if (!task)
		return false;
	refcount_set(&task->ref, 1);
	INIT_LIST_HEAD(&task->by);
	task->skb = in->first;
	task->len = in->total;
	task->id = in->id;
	task->bytes = in->bytes + sizeof(*task);
	task->charged = sizeof(*task);
	tasks->stats.bytes += task->bytes;
	tasks->stats.queued++;
	tasks->stats.received++;
	list_add_tail(&task->list, &tasks->queue);
	in->first = NULL;
	trace_hc_task(tasks->node, HC_TASK_RECEIVED, &task->id);
	return true;
}

/* Takes the frame's payload, which is what comes next. */
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
		     const struct hypercube_task *id)
{
	in_drop(tasks, in);
	in->coming = true;
	in->move = move;
	in->total = total;
	in->id = *id;
}

u8 hc_in_segment(struct hc_tasks *tasks, struct hc_way_in *in, const struct hc_wire_task *w,
		 struct sk_buff **skb)
{
	const struct hypercube_task id = {
		.node = be16_to_cpu(w->origin), .flags = w->flags, .nr = be64_to_cpu(w->nr),
	};
	u32 at = be32_to_cpu(w->offset), total = be32_to_cpu(w->total);
	u64 move = be64_to_cpu(w->move);
	s64 ahead = in_ahead(in, move);

	lockdep_assert_held(&tasks->lock);
	if (ahead <= 0)
		return ahead ? 0 : in_decision(in);
	if (in->hearsay && move == in->refused)
		return HC_TASK_F_NOT;
	if (!in->coming || in->move != move) {
		/* Frames of earlier ones may come late. */
		if (in->coming && (s64)(move - in->move) < 0)
			return 0;
		if (!hc_tasks_served(tasks) || !hc_tasks_room(tasks)) {
			hc_in_close(tasks, in, move, false);
			return HC_TASK_F_NOT;
		}
		in_begin(tasks, in, move, total, &id);
	}
	if (at != in->got || total != in->total || memcmp(&id, &in->id, sizeof(id)))
		return 0;
	in_append(tasks, in, *skb);
	*skb = NULL;
	if (in->got < total)
		return 0;
	hc_in_close(tasks, in, move, hc_tasks_served(tasks) && in_complete(tasks, in));
	return in_decision(in);
}

/* Nothing is known of the neighbour's numbers, and it need not be the neighbour who asks: so
 * that tells nothing of others, and the first number that is refused stays so.
 */
static u8 in_hearsay(struct hc_way_in *in, u64 move)
{
	if (!in->hearsay)
		in->refused = move;
	in->hearsay = true;
	return in->refused == move ? HC_TASK_F_NOT : 0;
}

u8 hc_in_asked(struct hc_tasks *tasks, struct hc_way_in *in, u64 move, bool routed)
{
	s64 ahead = in_ahead(in, move);

	lockdep_assert_held(&tasks->lock);
	if (ahead < 0 || (routed && ahead > AHEAD_MAX))
		return 0;
	if (routed && !in->known && !(in->coming && in->move == move))
		return in_hearsay(in, move);
	if (ahead)
		hc_in_close(tasks, in, move, false);
	return in_decision(in);
}
