// SPDX-License-Identifier: GPL-2.0
/*
 * Task migration: tasks migrate over links in TASK frames, one task at a time in each direction of
 * a link.
 *
 * A migration has a number, by which both ends of the link identify it. The sender takes the task
 * from its queue, sends it in segments, and repeats the segments until it receives an answer. The
 * receiver assembles the task, and *decides*: it takes the task when it has received the last
 * segment, or refuses the task if it has no room. A decision never changes, and it is the answer to
 * every further frame of this migration. The sender does not decide: it keeps the task until it
 * receives the decision. So a task enters the queue of the receiver if and only if the receiver has
 * decided TAKEN, and returns to the queue of the sender only when the sender has received NOT.
 * Frames that are lost, duplicated, late or out of order do no harm, because a receiver that has
 * decided accepts no more segments of this migration, nor of earlier ones.
 *
 * If the link fails, the sender does not know whether the receiver has the task. It sends an ASK,
 * by unicast around the fault, and a receiver that gets an ASK about an undecided migration decides
 * NOT. So the sender gets an answer as long as there is a path, also after the link, or the
 * receiver, is up again: a node that fails loses its tasks, but neither its decisions nor its
 * numbers. If there is no path, no protocol can find out the decision (two generals' problem). When
 * the sender has had no path and no answer for the fabric's stall timeout, the task is unresolved:
 * an idempotent task returns to the queue, marked as redelivered; the ids of other tasks are
 * reported as unresolved, and these tasks are not executed at this node.
 *
 * After a reboot a machine has no record of the decisions that its nodes made before. So each DATA
 * and ASK carries the boot id of the receiver's machine as the sender knows it. If the machine has
 * another boot id by now, the receiver answers UNKNOWN, over the link or by unicast: then the task
 * is unresolved, too.
 *
 * Byzantine neighbours: segments, and the answers to them, are accepted only from the neighbour at
 * the other end of the link. An ASK and its answer by unicast contain the number of the migration.
 * The numbers of a link begin at random, so only nodes that have relayed a frame with such a number
 * know it. A neighbour can refuse tasks, and lose tasks that it has taken, but gets no more memory
 * than the limit of the node.
 *
 * Replicas are sent over links in segments of the same form: see replica_tx.c and replica_store.c.
 */
#include <linux/hrtimer.h>
#include <linux/random.h>

#include "compat.h"
#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "route/route.h"
#include "task/migrate.h"
#include "task/round.h"
#include "task/task.h"
#include "trace.h"

/* ------------------------------------------------------------ both ends */

static enum hrtimer_restart move_timer(struct hrtimer *timer)
{
	struct hc_tasks *tasks = container_of(timer, struct hc_tasks, timer);

	hc_node_kick(tasks->node, HC_EV_TASKS);
	return HRTIMER_NORESTART;
}

void hc_ways_init(struct hc_tasks *tasks)
{
	unsigned int d;

	for (d = 0; d < tasks->fabric->topo.ports; d++) {
		struct hc_way *way = &tasks->way[d];

		way->out.move = get_random_u64();
		way->in.ops = &hc_in_tasks;
		way->copies.ops = &hc_in_copies;
	}
	hc_replicas_init(tasks);
	hc_timer_setup(&tasks->timer, move_timer);
}

void hc_move_stop(struct hc_node *node)
{
	struct hc_tasks *tasks = hc_tasks_of(node);

	if (tasks)
		hrtimer_cancel(&tasks->timer);
}

struct sk_buff *hc_task_word(const struct hc_node *node, u8 what, u64 number, u32 len)
{
	struct sk_buff *skb = hc_frame_alloc(node, HC_FRAME_TASK, len, GFP_ATOMIC);

	if (!skb)
		return NULL;
	hc_wire_task_of(skb)->what = what;
	hc_wire_task_of(skb)->move = cpu_to_be64(number);
	return skb;
}

void hc_task_say(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	if (!skb)
		return;
	if (hc_link_usable(node, dim))
		hc_link_xmit(node, dim, skb);
	else
		hc_route_xmit(node, hc_node_peer(node, dim), skb);
}

static void word_say(struct hc_node *node, unsigned int dim, u8 what, u64 number)
{
	hc_task_say(node, dim, hc_task_word(node, what, number, 0));
}

static void ask_say(struct hc_node *node, unsigned int dim, const struct hc_wire_task *says)
{
	struct sk_buff *skb = hc_task_word(node, says->what, 0, 0);

	if (skb)
		*hc_wire_task_of(skb) = *says;
	hc_task_say(node, dim, skb);
}

/* ------------------------------------------------------------ repetitions */

/* After this many pauses, segments are sent again even if those that were sent before may still
 * wait in a queue.
 */
#define WAITS_MAX	32

void hc_task_sent(struct hc_task_pace *pace, u64 now)
{
	u64 pause = hc_task_pause(pace->tries);

	pace->due = now + pause;
	pace->late = now + pause * WAITS_MAX;
	pace->tries = min(pace->tries + 1, 255);
}

/* If frames wait in the link or in this node's receive queue, the segments or their answer may be
 * among them. Then postpone the repetition, since repetitions would make a slow machine even
 * slower.
 */
bool hc_task_waits(const struct hc_node *node, unsigned int dim, struct hc_task_pace *pace, u64 now)
{
	if (!pace->tries || now >= pace->late ||
	    (!hc_link_pending(node, dim) && skb_queue_empty_lockless(&node->rxq.list)))
		return false;
	pace->due = min(now + HC_TASK_REPEAT_MIN, pace->late);
	return true;
}

/* ------------------------------------------------------------ the sender */

static void bits_copy(const struct hc_task *task, u32 at, void *to, u32 len)
{
	const struct sk_buff *skb;
	u32 n;

	for (skb = task->skb; skb && len; skb = skb->next) {
		if (at >= skb->len) {
			at -= skb->len;
			continue;
		}
		n = min(len, skb->len - at);
		skb_copy_bits(skb, at, to, n);
		to += n;
		len -= n;
		at = 0;
	}
}

static struct sk_buff *segment_make(const struct hc_node *node, const struct hc_task *task,
				    const struct hc_wire_task *as, u32 at, u32 len)
{
	struct sk_buff *skb = hc_poll_frame(node, HC_FRAME_TASK, len);
	struct hc_wire_task *w;

	if (!skb)
		return NULL;
	w = hc_wire_task_of(skb);
	*w = *as;
	w->nr = cpu_to_be64(task->id.nr);
	w->offset = cpu_to_be32(at);
	w->total = cpu_to_be32(task->len);
	w->origin = cpu_to_be16(task->id.node);
	w->flags |= task->id.flags;
	bits_copy(task, at, skb->data + HC_TASK_HEAD, len);
	return skb;
}

void hc_task_send(struct hc_node *node, unsigned int dim, const struct hc_task *task,
		  const struct hc_wire_task *as)
{
	u32 segment = node->fabric->segment, at = 0, len;
	struct sk_buff *skb;

	do {
		len = min(segment, task->len - at);
		skb = segment_make(node, task, as, at, len);
		if (!skb || hc_link_xmit(node, dim, skb))
			return;
		node->spent++;
		at += len;
	} while (at < task->len);
}

/* Return: the requester for which the next task migrates, or HC_MOVE_NWHY if no requester wants a
 * task to migrate.
 */
static unsigned int out_why(const struct hc_way_out *out)
{
	unsigned int why = 0;

	while (why < HC_MOVE_NWHY && !out->want[why])
		why++;
	return why;
}

static void out_stop(struct hc_way_out *out)
{
	memset(out->want, 0, sizeof(out->want));
}

/* Begin the migration of the last task in the queue for requester @why. If the task is to have a
 * replica, and this node has room to hold it after the migration, allocate the record of the
 * replica.
 */
static void out_begin(struct hc_tasks *tasks, struct hc_way_out *out, unsigned int why, u64 now)
{
	unsigned int dim = container_of(out, struct hc_way, out) - tasks->way;
	struct hc_task *task;

	if (list_empty(&tasks->queue)) {
		out_stop(out);
		return;
	}
	task = list_last_entry(&tasks->queue, struct hc_task, list);
	list_del_init(&task->list);
	if (task->id.flags & HYPERCUBE_TASK_REPLICATED)
		out->kept = hc_kept_new(tasks, dim);
	tasks->stats.queued--;
	tasks->stats.moving++;
	out->want[why]--;
	out->why = why;
	out->task = task;
	out->move++;
	out->life = hc_link_life(&tasks->node->ports[dim]);
	out->asks = false;
	out->since = now;
	out->pace = (struct hc_task_pace){ .due = now };
}

static struct hc_task *out_end(struct hc_tasks *tasks, struct hc_way_out *out)
{
	struct hc_task *task = out->task;

	lockdep_assert_held(&tasks->lock);
	hc_kept_free(tasks, out->kept);
	out->kept = NULL;
	out->task = NULL;
	tasks->stats.moving--;
	return task;
}

/* The receiver has refused the task: put the task back into the queue. Cancel all further
 * migrations for the requester of this one, but not those for other requesters.
 */
static void out_keep(struct hc_tasks *tasks, struct hc_way_out *out)
{
	struct hc_task *task = out_end(tasks, out);

	out->want[out->why] = 0;
	tasks->stats.queued++;
	list_add_tail(&task->list, &tasks->queue);
	trace_hc_task(tasks->node, HC_TASK_KEPT, &task->id);
}

/* The receiver's decision cannot be known: move the task to @unresolved. */
static void out_unresolved(struct hc_tasks *tasks, struct hc_way_out *out,
			   struct list_head *unresolved)
{
	struct hc_task *task = out_end(tasks, out);

	out_stop(out);
	tasks->stats.unresolved++;
	trace_hc_task(tasks->node, HC_TASK_UNRESOLVED, &task->id);
	hc_task_unlink(tasks, task);
	list_add_tail(&task->list, unresolved);
}

/* Put the task back at the head of the queue, marked as redelivered, since it may have been
 * executed.
 */
static void out_again(struct hc_tasks *tasks, struct hc_way_out *out)
{
	struct hc_task *task = out_end(tasks, out);

	out_stop(out);
	task->id.flags |= HYPERCUBE_TASK_REDELIVERED;
	tasks->stats.queued++;
	tasks->stats.redelivered++;
	list_add(&task->list, &tasks->queue);
	trace_hc_task(tasks->node, HC_TASK_BACK, &task->id);
}

bool hc_out_forget(struct hc_tasks *tasks, unsigned int dim, struct list_head *unresolved)
{
	struct hc_way_out *out = &tasks->way[dim].out;
	bool again = out->task && out->task->id.flags & HYPERCUBE_TASK_IDEMPOTENT;

	if (again)
		out_again(tasks, out);
	else if (out->task)
		out_unresolved(tasks, out, unresolved);
	return again;
}

bool hc_out_orphan(struct hc_tasks *tasks, unsigned int dim, const u64 *upto)
{
	struct hc_way_out *out = &tasks->way[dim].out;

	/* The receiver has failed. So no other node has the task, even if the receiver had taken
	 * it.
	 */
	if (!out->task || !out->kept || (upto && !hc_task_upto(out->move, *upto)))
		return false;
	out_again(tasks, out);
	return true;
}

/* Return: true if the stall timeout of the migration has expired. It runs only while the link is
 * unusable: over a usable link, the answer is certain to arrive, whereas by unicast it may be lost.
 */
static bool out_late(struct hc_tasks *tasks, unsigned int dim, bool usable, u64 now)
{
	struct hc_way_out *out = &tasks->way[dim].out;
	u64 stall_timeout = (u64)READ_ONCE(tasks->fabric->stall_timeout) * NSEC_PER_MSEC;

	if (usable)
		out->since = now;
	return stall_timeout && out->pace.tries && now - out->since >= stall_timeout;
}

/* Return: the task whose segments must be sent now, with a reference; NULL if none must be sent.
 * *@ask is set if an ASK about the task must be sent instead of segments.
 */
static struct hc_task *out_due(struct hc_tasks *tasks, unsigned int dim, bool links, u64 now,
			       bool *ask, struct list_head *unresolved)
{
	struct hc_way_out *out = &tasks->way[dim].out;
	bool usable = hc_link_usable(tasks->node, dim);
	unsigned int why;

	lockdep_assert_held(&tasks->lock);
	if (!usable)
		out_stop(out);
	why = out_why(out);
	if (!out->task && why < HC_MOVE_NWHY)
		out_begin(tasks, out, why, now);
	if (out->task && links && !usable && !out->asks)
		out->pace.due = now;
	if (!out->task || now < out->pace.due)
		return NULL;
	if (out_late(tasks, dim, usable, now)) {
		hc_out_forget(tasks, dim, unresolved);
		return NULL;
	}
	if (usable && hc_task_waits(tasks->node, dim, &out->pace, now))
		return NULL;
	out->asks |= !usable || out->pace.tries >= HC_TASK_TRIES;
	hc_task_sent(&out->pace, now);
	*ask = out->asks;
	if (*ask)
		return NULL;
	refcount_inc(&out->task->ref);
	return out->task;
}

/* Return: the TASK header for segments of the present migration, or for an ASK about it. */
static struct hc_wire_task out_says(const struct hc_way_out *out, u8 what)
{
	return (struct hc_wire_task){
		.move = cpu_to_be64(out->move), .life = cpu_to_be32(out->life), .what = what,
		.flags = what == HC_TASK_F_DATA && out->kept ? HC_TASK_KEEPS : 0,
	};
}

static void out_step(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, bool links,
		     u64 now)
{
	struct hc_way_out *out = &tasks->way[dim].out;
	bool ask = false, again, room;
	struct hc_wire_task says;
	struct hc_task *task;
	LIST_HEAD(unresolved);

	spin_lock_bh(&tasks->lock);
	again = out->task;
	room = !hc_tasks_room(tasks);
	task = out_due(tasks, dim, links, now, &ask, &unresolved);
	/* If the stall timeout has expired, out_due() has put the task back into the queue, or has
	 * removed it, which makes room.
	 */
	again &= !out->task;
	room &= hc_tasks_room(tasks);
	says = out_says(out, ask ? HC_TASK_F_ASK : HC_TASK_F_DATA);
	spin_unlock_bh(&tasks->lock);
	if (again)
		hc_tasks_wake(tasks, HC_TASK_READERS);
	if (room)
		hc_tasks_wake(tasks, HC_TASK_WRITERS);
	if (task) {
		hc_task_send(node, dim, task, &says);
		hc_task_put(node->fabric, task);
	}
	if (ask)
		ask_say(node, dim, &says);
	hc_tasks_report(node, HYPERCUBE_TASK_LOSS_UNRESOLVED, &unresolved);
}

static void timer_arm(struct hc_tasks *tasks)
{
	u64 due = U64_MAX;
	unsigned int d;

	spin_lock_bh(&tasks->lock);
	for (d = 0; d < tasks->fabric->topo.ports; d++) {
		if (tasks->way[d].out.task)
			due = min(due, tasks->way[d].out.pace.due);
		due = min(due, hc_replica_due(tasks, d));
	}
	spin_unlock_bh(&tasks->lock);
	if (due != U64_MAX)
		hrtimer_start(&tasks->timer, ns_to_ktime(due), HRTIMER_MODE_ABS_SOFT);
}

void hc_move_event(struct hc_node *node, bool links)
{
	struct hc_tasks *tasks = hc_tasks_of(node);
	u64 now = ktime_get_ns();
	unsigned int d;

	if (!tasks)
		return;
	hc_kept_recover(node, tasks);
	for (d = 0; d < node->fabric->topo.ports; d++) {
		out_step(node, tasks, d, links, now);
		hc_replica_step(node, tasks, d, links, now);
	}
	timer_arm(tasks);
	hc_round_moved(node);
}

/* End the migration of a task that the neighbour has taken. Return: the task, or NULL if this node
 * stores it as a replica.
 */
static struct hc_task *out_taken(struct hc_tasks *tasks, unsigned int dim)
{
	struct hc_way_out *out = &tasks->way[dim].out;
	struct hc_kept *kept = out->kept;
	struct hc_task *task;

	out->kept = NULL;
	task = out_end(tasks, out);
	tasks->stats.sent++;
	out->sent[out->why]++;
	trace_hc_task(tasks->node, HC_TASK_SENT, &task->id);
	if (!kept) {
		hc_task_unlink(tasks, task);
		return task;
	}
	hc_replica_forget(tasks, task);
	hc_kept_hand(tasks, dim, kept, task, out->move);
	return NULL;
}

bool hc_out_decided(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, u64 move,
		    u8 what)
{
	struct hc_way_out *out = &tasks->way[dim].out;
	struct hc_task *task = NULL;
	bool known, room;
	LIST_HEAD(unresolved);

	spin_lock_bh(&tasks->lock);
	room = !hc_tasks_room(tasks);
	known = out->task && out->move == move;
	if (known && what == HC_TASK_F_TAKEN)
		task = out_taken(tasks, dim);
	else if (known && what == HC_TASK_F_NOT)
		out_keep(tasks, out);
	else if (known)
		hc_out_forget(tasks, dim, &unresolved);
	room = room && hc_tasks_room(tasks);
	spin_unlock_bh(&tasks->lock);
	if (task)
		hc_task_put(node->fabric, task);
	if (known && what != HC_TASK_F_TAKEN)
		hc_tasks_wake(tasks, HC_TASK_READERS);
	if (room)
		hc_tasks_wake(tasks, HC_TASK_WRITERS);
	hc_tasks_report(node, HYPERCUBE_TASK_LOSS_UNRESOLVED, &unresolved);
	if (known)
		hc_move_event(node, false);
	return known;
}

void hc_ways_lose(struct hc_tasks *tasks, struct hc_losses *l)
{
	unsigned int d;

	for (d = 0; d < tasks->fabric->topo.ports; d++) {
		struct hc_way *way = &tasks->way[d];

		if (way->out.task)
			hc_task_lose(tasks, out_end(tasks, &way->out), l, true);
		out_stop(&way->out);
		if (way->in.coming)
			hc_in_close(tasks, &way->in, way->in.move, false);
		if (way->copies.coming)
			hc_in_close(tasks, &way->copies, way->copies.move, false);
		way->copies.taken = false;
	}
}

/* ------------------------------------------------------------ frames */

/* Return: true if the flags of a segment are valid: only an idempotent task may be replicated, and
 * HC_TASK_KEEPS is valid only in DATA of a replicated task.
 */
static bool flags_sound(const struct hc_wire_task *w)
{
	u8 flags = w->flags & ~HC_TASK_KEEPS;
	bool copied = flags & HYPERCUBE_TASK_REPLICATED;

	if (flags & ~(HYPERCUBE_TASK_IDEMPOTENT | HYPERCUBE_TASK_REDELIVERED |
		      HYPERCUBE_TASK_REPLICATED))
		return false;
	if (copied && !(flags & HYPERCUBE_TASK_IDEMPOTENT))
		return false;
	return w->what == HC_TASK_F_COPY ? copied && flags == w->flags :
	       copied || flags == w->flags;
}

/* Return: true if a segment is valid. All segments except the last must be full, so that a
 * Byzantine neighbour cannot send a task in many short segments.
 */
static bool segment_sound(const struct hc_node *node, const struct sk_buff *skb,
			  const struct hc_wire_task *w)
{
	u32 at = be32_to_cpu(w->offset), total = be32_to_cpu(w->total);

	if (total > HYPERCUBE_TASK_MAX || at > total || (at == total && total) ||
	    skb->len - HC_TASK_HEAD != min(node->fabric->segment, total - at))
		return false;
	return be16_to_cpu(w->origin) < node->fabric->topo.nodes && w->nr && flags_sound(w);
}

static bool drop_sound(const struct sk_buff *skb, const struct hc_wire_task *w)
{
	u32 len = skb->len - HC_TASK_HEAD;

	return len && !(len % sizeof(__be64)) && len <= HC_TASK_DROPS * sizeof(__be64) &&
	       !(w->flags & ~HC_TASK_KEEPS);
}

/* Check a TASK frame. Return: 0 or the reason to drop it. */
static unsigned int word_reason(const struct hc_node *node, const struct sk_buff *skb, bool routed,
				u32 src)
{
	const struct hc_wire_task *w = hc_wire_task_of(skb);

	if (routed && hc_port_to(&node->fabric->topo, node->id, src) == HC_NO_PORT)
		return HYPERCUBE_A_DROP_FOREIGN;
	switch (w->what) {
	case HC_TASK_F_DATA:
	case HC_TASK_F_COPY:
		return !routed && segment_sound(node, skb, w) ? 0 : HYPERCUBE_A_DROP_MALFORMED;
	case HC_TASK_F_DROP:
		return drop_sound(skb, w) ? 0 : HYPERCUBE_A_DROP_MALFORMED;
	case HC_TASK_F_LOST:
		return !routed && skb->len == HC_TASK_HEAD + sizeof(struct hc_wire_task_lost) ?
			0 : HYPERCUBE_A_DROP_MALFORMED;
	case HC_TASK_F_TAKEN:
	case HC_TASK_F_NOT:
	case HC_TASK_F_UNKNOWN:
	case HC_TASK_F_ASK:
	case HC_TASK_F_KEPT:
	case HC_TASK_F_FULL:
	case HC_TASK_F_DROPPED:
		return skb->len == HC_TASK_HEAD ? 0 : HYPERCUBE_A_DROP_MALFORMED;
	}
	return HYPERCUBE_A_DROP_MALFORMED;
}

/* Process a segment or an ASK. *@skb is set to NULL if the segment was stored. Return: the answer,
 * or 0 if there is none.
 */
static u8 in_rx(struct hc_tasks *tasks, unsigned int dim, bool routed, const struct hc_wire_task *w,
		struct sk_buff **skb)
{
	struct hc_way *way = &tasks->way[dim];
	bool had, room;
	u8 answer;

	spin_lock_bh(&tasks->lock);
	had = hc_tasks_room(tasks);
	if (w->what == HC_TASK_F_ASK)
		answer = hc_in_asked(tasks, &way->in, be64_to_cpu(w->move), routed);
	else
		answer = hc_in_segment(tasks, w->what == HC_TASK_F_DATA ? &way->in : &way->copies,
				       w, skb);
	room = !had && hc_tasks_room(tasks);
	spin_unlock_bh(&tasks->lock);
	if (answer == HC_TASK_F_TAKEN)
		hc_tasks_wake(tasks, HC_TASK_READERS);
	if (room)
		hc_tasks_wake(tasks, HC_TASK_WRITERS);
	return answer;
}

/* Return: true if the frame has another boot id than this machine: it belongs to a migration that
 * began before the machine was rebooted, of which the node has no record.
 */
static bool is_for_another(const struct hc_node *node, const struct hc_wire_task *w)
{
	return w->what != HC_TASK_F_COPY && w->life &&
	       be32_to_cpu(w->life) != node->fabric->life;
}

/* Process a valid TASK frame. *@skb is set to NULL if the frame was stored. Return: false if the
 * frame is an answer that this node does not expect.
 */
static bool word_rx(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, bool routed,
		    const struct hc_wire_task *w, struct sk_buff **skb)
{
	u64 move = be64_to_cpu(w->move);
	bool known;
	u8 answer;

	switch (w->what) {
	case HC_TASK_F_TAKEN:
	case HC_TASK_F_NOT:
	case HC_TASK_F_UNKNOWN:
		return hc_out_decided(node, tasks, dim, move, w->what);
	case HC_TASK_F_KEPT:
	case HC_TASK_F_FULL:
	case HC_TASK_F_DROPPED:
		known = hc_replica_rx(node, tasks, dim, w->what, move);
		hc_replica_step(node, tasks, dim, false, ktime_get_ns());
		timer_arm(tasks);
		return known;
	case HC_TASK_F_DROP:
		hc_kept_rx_drop(node, tasks, dim, routed, *skb);
		return true;
	case HC_TASK_F_LOST:
		hc_kept_rx_lost(node, tasks, dim, *skb);
		return true;
	}
	answer = is_for_another(node, w) ? HC_TASK_F_UNKNOWN : in_rx(tasks, dim, routed, w, skb);
	if (answer)
		word_say(node, dim, answer, move);
	/* This node has taken a task, which may need a replica at a neighbour. */
	if (answer == HC_TASK_F_TAKEN && !list_empty(&tasks->lacking))
		hc_node_kick(node, HC_EV_TASKS);
	return true;
}

void hc_move_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	const struct hc_wire_task w = *hc_wire_task_of(skb);
	bool routed = hc_hdr(skb)->flags & HC_FRAME_F_ROUTED;
	u32 src = be16_to_cpu(hc_hdr(skb)->src);
	unsigned int why = word_reason(node, skb, routed, src);
	/* Allocate @tasks if the node has never had a task, since the decisions about migrations
	 * are recorded in it.
	 */
	struct hc_tasks *tasks = why ? NULL : hc_tasks_make(node, GFP_ATOMIC);

	if (!tasks) {
		hc_drop(node, &node->ports[dim], skb, why ?: HYPERCUBE_A_DROP_NO_MEMORY);
		return;
	}
	if (routed)
		dim = hc_port_to(&node->fabric->topo, node->id, src);
	/* The neighbour may have failed and recovered after it sent its previous frame. */
	hc_kept_look(node, tasks, hc_bit(dim));
	if (word_rx(node, tasks, dim, routed, &w, &skb))
		consume_skb(skb);
	else
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_UNEXPECTED);
}
