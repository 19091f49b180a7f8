// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of others' tasks, which this node keeps in case they fail; spare.c is their part.
 *
 * A copy comes from a neighbour in segments as a task that is handed over does (move_in.c), and is
 * found by the link and the number that the neighbour has given it; or it is a task that was
 * handed over to the neighbour, and stays here under the number of that handover.  It goes when
 * the neighbour says so; who is told to drop a copy that has not come does not take it any more.
 * No worker gets it, unless the neighbour fails: then it goes to the head of the queue, marked as
 * one that a worker may have had, and this node looks for a keeper itself.  That a link fails, or
 * is silent, is not enough.
 *
 * Who lies: what is kept for one neighbour takes no more than its share (room_for()), all that is
 * kept half of what tasks may take at a node.  A neighbour can drop nothing but what is kept for
 * it.  By unicast only a number is believed that nobody knows who has not seen it.
 */
#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "task/task.h"
#include "trace.h"

/* Tasks that are revived, or dropped, at a time. */
#define BATCH		16

/**
 * struct hc_kept - a copy that is kept for a neighbour
 * @at: in hc_way_kept.sent or .handed
 * @number: by which it is found there
 * @task: the copy
 */
struct hc_kept {
	struct rb_node at;
	u64 number;
	struct hc_task *task;
};

/* ------------------------------------------------------------ what is kept */

/* A neighbour gets its share of half of what there is, and the last copy may exceed it. */
static bool room_for(const struct hc_tasks *tasks, const struct hc_way_kept *of)
{
	return of->bytes < div_u64(hc_node_task_limit(), 2 * tasks->fabric->dim) &&
	       hc_tasks_room(tasks);
}

static struct hc_kept *kept_new(struct hc_tasks *tasks)
{
	struct hc_kept *kept = hc_poll_alloc(tasks->fabric, sizeof(*kept));

	lockdep_assert_held(&tasks->lock);
	if (kept)
		tasks->stats.bytes += sizeof(*kept);
	return kept;
}

struct hc_kept *hc_kept_new(struct hc_tasks *tasks, unsigned int dim)
{
	return room_for(tasks, &tasks->way[dim].kept) ? kept_new(tasks) : NULL;
}

void hc_kept_free(struct hc_tasks *tasks, struct hc_kept *kept)
{
	if (kept)
		tasks->stats.bytes -= sizeof(*kept);
	hc_poll_free(tasks->fabric, kept, sizeof(*kept));
}

/* By how far they are apart, for numbers begin anywhere. */
static int number_cmp(const void *key, const struct rb_node *at)
{
	s64 ahead = *(const u64 *)key - rb_entry(at, struct hc_kept, at)->number;

	return ahead < 0 ? -1 : ahead > 0;
}

static int kept_cmp(struct rb_node *at, const struct rb_node *other)
{
	return number_cmp(&rb_entry(at, struct hc_kept, at)->number, other);
}

static struct hc_kept *kept_find(const struct rb_root *root, u64 number)
{
	struct rb_node *at = rb_find(&number, root, number_cmp);

	return at ? rb_entry(at, struct hc_kept, at) : NULL;
}

/* False: there is one of that number. */
static bool kept_add(struct hc_tasks *tasks, struct hc_way_kept *of, struct rb_root *root,
		     struct hc_kept *kept, struct hc_task *task, u64 number)
{
	kept->number = number;
	kept->task = task;
	if (rb_find_add(&kept->at, root, kept_cmp))
		return false;
	of->bytes += task->bytes;
	tasks->stats.kept++;
	WRITE_ONCE(tasks->copying, true);
	return true;
}

/* Returns the copy, which is still counted at the node. */
static struct hc_task *kept_take(struct hc_tasks *tasks, struct hc_way_kept *of,
				 struct rb_root *root, struct hc_kept *kept)
{
	struct hc_task *task = kept->task;

	rb_erase(&kept->at, root);
	of->bytes -= task->bytes;
	tasks->stats.kept--;
	hc_kept_free(tasks, kept);
	return task;
}

void hc_kept_hand(struct hc_tasks *tasks, unsigned int dim, struct hc_kept *kept,
		  struct hc_task *task, u64 move)
{
	struct hc_way_kept *of = &tasks->way[dim].kept;

	/* Numbers of handovers are ours, and each is used once. */
	WARN_ON_ONCE(!kept_add(tasks, of, &of->handed, kept, task, move));
}

/* ------------------------------------------------------------ copies that come */

static bool copy_room(const struct hc_tasks *tasks, const struct hc_way_in *in)
{
	return room_for(tasks, &container_of(in, struct hc_way, copies)->kept);
}

static bool copy_take(struct hc_tasks *tasks, struct hc_way_in *in, struct hc_task *task)
{
	struct hc_way_kept *of = &container_of(in, struct hc_way, copies)->kept;
	struct hc_kept *kept = kept_new(tasks);

	if (kept && kept_add(tasks, of, &of->sent, kept, task, in->move))
		return true;
	hc_kept_free(tasks, kept);
	return false;
}

const struct hc_in_ops hc_in_copies = {
	.room	= copy_room,
	.take	= copy_take,
	.yes	= HC_TASK_F_KEPT,
	.no	= HC_TASK_F_FULL,
};

/* ------------------------------------------------------------ who fails */

bool hc_neigh_lost(const struct hc_tasks *tasks, unsigned int dim)
{
	const struct hc_port *port = &tasks->node->ports[dim];

	return port->there_failed || test_bit(HC_PORT_DIED, &port->flags) ||
	       tasks->way[dim].kept.orphans;
}

static void kept_lose(struct hc_tasks *tasks, unsigned int dim, struct rb_root *root,
		      struct hc_losses *l)
{
	bool orphans = hc_neigh_lost(tasks, dim);
	struct rb_node *at;

	while ((at = rb_first(root))) {
		struct hc_kept *kept = rb_entry(at, struct hc_kept, at);
		struct hc_task *task = kept_take(tasks, &tasks->way[dim].kept, root, kept);

		if (orphans) {
			hc_task_lose(tasks, task, l, false);
			continue;
		}
		hc_task_unlink(tasks, task);
		list_add_tail(&task->list, &l->saved);
	}
}

void hc_kept_lose(struct hc_tasks *tasks, struct hc_losses *l)
{
	unsigned int d;

	for (d = 0; d < tasks->fabric->dim; d++) {
		kept_lose(tasks, d, &tasks->way[d].kept.sent, l);
		kept_lose(tasks, d, &tasks->way[d].kept.handed, l);
	}
}

/* The last one up to that number. */
static struct hc_kept *kept_upto(const struct rb_root *root, u64 upto)
{
	struct rb_node *at = root->rb_node;
	struct hc_kept *best = NULL;

	while (at) {
		struct hc_kept *kept = rb_entry(at, struct hc_kept, at);

		if (hc_task_upto(kept->number, upto)) {
			best = kept;
			at = at->rb_right;
		} else {
			at = at->rb_left;
		}
	}
	return best;
}

static struct hc_kept *kept_last(const struct rb_root *root, const u64 *upto)
{
	struct rb_node *at = rb_last(root);

	if (upto)
		return kept_upto(root, *upto);
	return at ? rb_entry(at, struct hc_kept, at) : NULL;
}

/* The last ones first, each to the head of the queue. */
static unsigned int revive_some(struct hc_tasks *tasks, struct hc_way_kept *of,
				struct rb_root *root, const u64 *upto, struct hypercube_task *ids)
{
	struct hc_kept *kept;
	unsigned int n = 0;

	while (n < BATCH && (kept = kept_last(root, upto))) {
		struct hc_task *task = kept_take(tasks, of, root, kept);

		task->id.flags |= HYPERCUBE_TASK_REPEATED;
		list_add(&task->list, &tasks->queue);
		tasks->stats.queued++;
		tasks->stats.revived++;
		hc_spare_want(tasks, task);
		ids[n++] = task->id;
		trace_hc_task(tasks->node, HC_TASK_REVIVED, &task->id);
	}
	return n;
}

/* Put what is kept (up to *@upto) into the queue, some at a time. */
static void revive(struct hc_node *node, struct hc_tasks *tasks, struct hc_way_kept *of,
		   struct rb_root *root, const u64 *upto)
{
	struct hc_tasks_tale tale = { .node = node, .loss = HYPERCUBE_TASK_LOSS_REVIVED };
	struct hypercube_task ids[BATCH];
	unsigned int n, i;

	do {
		spin_lock_bh(&tasks->lock);
		n = revive_some(tasks, of, root, upto, ids);
		spin_unlock_bh(&tasks->lock);
		node->spent += n;
		for (i = 0; i < n; i++)
			hc_tasks_tell(&tale, &ids[i]);
	} while (n);
	if (tale.count || tale.told)
		wake_up_interruptible_all(&tasks->wait);
	hc_tasks_told(&tale);
}

/* No more will come of it. */
static void in_stop(struct hc_tasks *tasks, struct hc_way_in *in, const u64 *upto)
{
	if (in->coming && (!upto || hc_task_upto(in->move, *upto)))
		hc_in_close(tasks, in, in->move, false);
}

/* The neighbour has failed: nothing that was under way between us ends. */
static void neigh_fails(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim)
{
	struct hc_way *way = &tasks->way[dim];
	bool back;

	spin_lock_bh(&tasks->lock);
	clear_bit(HC_PORT_DIED, &node->ports[dim].flags);
	way->kept.orphans = true;
	in_stop(tasks, &way->in, NULL);
	in_stop(tasks, &way->copies, NULL);
	back = hc_out_orphan(tasks, dim, NULL);
	hc_spares_orphan(tasks, dim);
	spin_unlock_bh(&tasks->lock);
	if (back)
		hc_tasks_wake(tasks, HC_TASK_READERS);
	revive(node, tasks, &way->kept, &way->kept.sent, NULL);
	revive(node, tasks, &way->kept, &way->kept.handed, NULL);
	spin_lock_bh(&tasks->lock);
	way->kept.orphans = false;
	spin_unlock_bh(&tasks->lock);
}

void hc_kept_revive(struct hc_node *node, struct hc_tasks *tasks, u32 dims)
{
	unsigned int d;

	for (d = 0; d < node->fabric->dim; d++)
		if (dims & hc_bit(d) && test_bit(HC_PORT_DIED, &node->ports[d].flags))
			neigh_fails(node, tasks, d);
}

/* The same, as the neighbour says that is back, or has seen this node fail: up to the numbers of
 * that time.  True: what was handed over comes back.
 */
static bool neigh_lost(struct hc_tasks *tasks, unsigned int dim, u32 known, u64 sent, u64 gave,
		       u64 taken, u64 kept)
{
	struct hc_way *way = &tasks->way[dim];

	lockdep_assert_held(&tasks->lock);
	if (known & HC_TASK_LOST_SENT)
		in_stop(tasks, &way->copies, &sent);
	if (known & HC_TASK_LOST_GAVE) {
		in_stop(tasks, &way->in, &gave);
		hc_spares_orphan_given(tasks, dim, gave);
	}
	if (known & HC_TASK_LOST_KEPT)
		hc_spares_orphan_sent(tasks, dim, kept);
	return known & HC_TASK_LOST_TAKEN && hc_out_orphan(tasks, dim, &taken);
}

void hc_kept_rx_lost(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim,
		     const struct sk_buff *skb)
{
	u64 word = be64_to_cpu(hc_wire_task_of(skb)->move), sent, taken;
	struct hc_way_kept *of = &tasks->way[dim].kept;
	struct hc_wire_task_lost lost;
	bool back, room;
	u32 known;

	if (skb_copy_bits(skb, HC_TASK_HEAD, &lost, sizeof(lost)))
		return;
	known = be32_to_cpu(lost.known);
	sent = be64_to_cpu(lost.sent);
	taken = be64_to_cpu(lost.taken);
	spin_lock_bh(&tasks->lock);
	room = !hc_tasks_room(tasks);
	back = neigh_lost(tasks, dim, known, sent, be64_to_cpu(lost.gave), taken,
			  be64_to_cpu(lost.kept));
	room = room && hc_tasks_room(tasks);
	of->orphans = true;
	spin_unlock_bh(&tasks->lock);
	if (back)
		hc_tasks_wake(tasks, HC_TASK_READERS);
	if (room)
		hc_tasks_wake(tasks, HC_TASK_WRITERS);
	if (known & HC_TASK_LOST_SENT)
		revive(node, tasks, of, &of->sent, &sent);
	if (known & HC_TASK_LOST_TAKEN)
		revive(node, tasks, of, &of->handed, &taken);
	spin_lock_bh(&tasks->lock);
	of->orphans = false;
	spin_unlock_bh(&tasks->lock);
	hc_task_say(node, dim, hc_task_word(node, HC_TASK_F_DROPPED, word, 0));
	hc_node_kick(node, HC_EV_TASKS);
}

/* ------------------------------------------------------------ copies that go */

/* What the neighbour named by their numbers; returns how many are gone. */
static unsigned int drop_named(struct hc_tasks *tasks, unsigned int dim, bool routed, bool handed,
			       const __be64 *says, unsigned int n, struct hc_task **gone)
{
	struct hc_way *way = &tasks->way[dim];
	struct rb_root *root = handed ? &way->kept.handed : &way->kept.sent;
	unsigned int i, k = 0;

	for (i = 0; i < n; i++) {
		u64 number = be64_to_cpu(says[i]);
		struct hc_kept *kept = kept_find(root, number);

		if (kept)
			gone[k++] = kept_take(tasks, &way->kept, root, kept);
		else if (!handed)
			hc_in_asked(tasks, &way->copies, number, routed);
	}
	return k;
}

/* Those below the numbers that it knows of; some at a time, for there will be more words. */
static unsigned int drop_below(struct hc_tasks *tasks, unsigned int dim, u64 floor,
			       struct hc_task **gone)
{
	struct hc_way_kept *of = &tasks->way[dim].kept;
	unsigned int k = 0;
	struct rb_node *at;

	while (k < BATCH && (at = rb_first(&of->sent))) {
		struct hc_kept *kept = rb_entry(at, struct hc_kept, at);

		if ((s64)(kept->number - floor) >= 0)
			break;
		gone[k++] = kept_take(tasks, of, &of->sent, kept);
	}
	return k;
}

/* Who drops a copy of what is just being handed over to it has taken that, and is done with it. */
static bool drop_ends_move(struct hc_tasks *tasks, unsigned int dim, const __be64 *says,
			   unsigned int n)
{
	struct hc_way_out *out = &tasks->way[dim].out;
	unsigned int i;

	if (!out->task || !out->kept)
		return false;
	for (i = 0; i < n; i++)
		if (be64_to_cpu(says[i]) == out->move)
			break;
	if (i == n)
		return false;
	hc_kept_free(tasks, out->kept);
	out->kept = NULL;
	return true;
}

void hc_kept_rx_drop(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, bool routed,
		     const struct sk_buff *skb)
{
	const struct hc_wire_task w = *hc_wire_task_of(skb);
	bool handed = w.flags & HC_TASK_KEEPS, taken = false, room;
	unsigned int n = (skb->len - HC_TASK_HEAD) / sizeof(__be64), k, i;
	struct hc_task *gone[HC_TASK_DROPS + BATCH];
	__be64 says[HC_TASK_DROPS];
	u64 move;

	if (skb_copy_bits(skb, HC_TASK_HEAD, says, n * sizeof(*says)))
		return;
	spin_lock_bh(&tasks->lock);
	room = !hc_tasks_room(tasks);
	move = tasks->way[dim].out.move;
	k = drop_named(tasks, dim, routed, handed, says, n, gone);
	if (!handed && !routed)
		k += drop_below(tasks, dim, be64_to_cpu(w.nr), gone + k);
	else if (handed)
		taken = drop_ends_move(tasks, dim, says, n);
	for (i = 0; i < k; i++)
		hc_task_unlink(tasks, gone[i]);
	room = room && hc_tasks_room(tasks);
	spin_unlock_bh(&tasks->lock);
	for (i = 0; i < k; i++)
		hc_task_put(node->fabric, gone[i]);
	if (room)
		hc_tasks_wake(tasks, HC_TASK_WRITERS);
	if (taken)
		hc_out_decided(node, tasks, dim, move, true);
	hc_task_say(node, dim, hc_task_word(node, HC_TASK_F_DROPPED, be64_to_cpu(w.move), 0));
}
