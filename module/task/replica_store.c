// SPDX-License-Identifier: GPL-2.0
/*
 * The replica store: replicas of neighbours' tasks, which this node holds in case the neighbours
 * fail. replica_tx.c is the sender's side.
 *
 * There are two kinds of replicas. A replica of the first kind (HC_KEPT_SENT) is sent by a
 * neighbour in segments, like a migrating task (migrate_rx.c), and is identified by the link and a
 * number that the neighbour has chosen. A replica of the second kind (HC_KEPT_HANDED) is a task
 * that has migrated from this node to the neighbour and that this node has stored, under the number
 * of the migration. A replica is freed when the neighbour sends a DROP with its number. If the
 * replica with such a number has not arrived, this node will refuse it. No worker gets a replica
 * unless the neighbour fails: then the replica is put at the head of the queue, marked as
 * redelivered since a worker of the neighbour may have executed the task, and a replica of it is
 * sent to another neighbour. If only the link fails or is silent, the replica stays in the store.
 *
 * Byzantine neighbours: the replicas held for one neighbour take no more memory than its share
 * (room_for()), and all replicas take no more than half of the node's limit for tasks. A neighbour
 * can drop no replicas but its own. A control message that was received by unicast is accepted only
 * if it contains a number that only nodes on its path can know.
 */
#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "task/task.h"
#include "trace.h"

/* Maximum number of replicas that are recovered or dropped in one critical section of the lock. */
#define BATCH		16
/* Maximum number of replicas that are recovered for one neighbour before those of other neighbours.
 */
#define RECOVERED_MAX	64

/**
 * struct hc_kept - a replica that is held for a neighbour
 * @at: entry in hc_way_kept.copies
 * @number: key in that tree: number of the replica, or of the migration
 * @task: the replica
 */
struct hc_kept {
	struct rb_node at;
	u64 number;
	struct hc_task *task;
};

/* ------------------------------------------------------------ the store */

/* Return: true if there is room for another replica for the neighbour of @of. Each neighbour has an
 * equal share of half of the node's limit; its last replica may exceed this share.
 */
static bool room_for(const struct hc_tasks *tasks, const struct hc_way_kept *of)
{
	return of->bytes < div_u64(hc_node_task_limit(), 2 * tasks->fabric->topo.ports) &&
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

/* Compare two numbers by the sign of their difference, because they begin at random and wrap. */
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

/* Add a replica to the store. Return: false if the store has a replica with this number. */
static bool kept_add(struct hc_tasks *tasks, struct hc_way_kept *of, enum hc_kept_kind kind,
		     struct hc_kept *kept, struct hc_task *task, u64 number)
{
	kept->number = number;
	kept->task = task;
	if (rb_find_add(&kept->at, &of->copies[kind], kept_cmp))
		return false;
	of->bytes += task->bytes;
	tasks->stats.replicas_held++;
	WRITE_ONCE(tasks->copying, true);
	return true;
}

/* Remove a replica from the store. Return: the replica, whose memory is still counted at the node.
 */
static struct hc_task *kept_take(struct hc_tasks *tasks, struct hc_way_kept *of,
				 enum hc_kept_kind kind, struct hc_kept *kept)
{
	struct hc_task *task = kept->task;

	rb_erase(&kept->at, &of->copies[kind]);
	of->bytes -= task->bytes;
	tasks->stats.replicas_held--;
	hc_kept_free(tasks, kept);
	return task;
}

void hc_kept_hand(struct hc_tasks *tasks, unsigned int dim, struct hc_kept *kept,
		  struct hc_task *task, u64 move)
{
	struct hc_way_kept *of = &tasks->way[dim].kept;

	/* There cannot be a replica with this number: this node chooses the numbers of its
	 * migrations, and uses each number once.
	 */
	WARN_ON_ONCE(!kept_add(tasks, of, HC_KEPT_HANDED, kept, task, move));
}

/* ------------------------------------------------------------ replicas that arrive */

static bool copy_room(const struct hc_tasks *tasks, const struct hc_way_in *in)
{
	return room_for(tasks, &container_of(in, struct hc_way, copies)->kept);
}

static bool copy_take(struct hc_tasks *tasks, struct hc_way_in *in, struct hc_task *task)
{
	struct hc_way_kept *of = &container_of(in, struct hc_way, copies)->kept;
	struct hc_kept *kept = kept_new(tasks);

	if (kept && kept_add(tasks, of, HC_KEPT_SENT, kept, task, in->move))
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

/* ------------------------------------------------------------ failed neighbours */

bool hc_neigh_lost(const struct hc_tasks *tasks, unsigned int dim)
{
	const struct hc_port *port = &tasks->node->ports[dim];

	return port->there_failed || test_bit(HC_PORT_DIED, &port->flags);
}

bool hc_neigh_unseen(const struct hc_tasks *tasks, unsigned int dim)
{
	return test_bit(HC_PORT_NO_CARRIER, &tasks->node->ports[dim].flags);
}

/* Return: true if the replica with this number must be recovered, because the neighbour has lost
 * its task.
 */
static bool is_orphan(const struct hc_way_kept *of, enum hc_kept_kind kind, u64 number)
{
	return of->orphans & BIT(kind) && hc_task_upto(number, of->upto[kind]);
}

/* When this node fails: remove all replicas of @kind for the neighbour along @dim from the store.
 * Move each to the list of @l to which it belongs: its task may be lost with it.
 */
static void kept_lose(struct hc_tasks *tasks, unsigned int dim, enum hc_kept_kind kind,
		      struct hc_losses *l)
{
	struct hc_way_kept *of = &tasks->way[dim].kept;
	bool alone = hc_neigh_lost(tasks, dim), unseen = hc_neigh_unseen(tasks, dim);
	struct rb_node *at;

	while ((at = rb_first(&of->copies[kind]))) {
		struct hc_kept *kept = rb_entry(at, struct hc_kept, at);
		bool orphan = alone || is_orphan(of, kind, kept->number);
		struct hc_task *task = kept_take(tasks, of, kind, kept);

		if (orphan || unseen) {
			hc_task_lose(tasks, task, l, !orphan);
			continue;
		}
		hc_task_unlink(tasks, task);
		list_add_tail(&task->list, &l->saved);
	}
}

/* When this node fails: lose all replicas that it holds. A LOST that has not been answered is not
 * answered any more; the neighbour will send it again.
 */
void hc_kept_lose(struct hc_tasks *tasks, struct hc_losses *l)
{
	enum hc_kept_kind kind;
	unsigned int d;

	for (d = 0; d < tasks->fabric->topo.ports; d++) {
		for (kind = 0; kind < HC_KEPT_NKINDS; kind++)
			kept_lose(tasks, d, kind, l);
		WRITE_ONCE(tasks->way[d].kept.orphans, 0);
		tasks->way[d].kept.owed = false;
	}
}

/* Return: the replica with the highest number up to @upto, or NULL. */
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

/* Record that the replicas of @kind up to number @upto must be recovered, in addition to those for
 * which this has been recorded before.
 */
static void orphans_add(struct hc_way_kept *of, enum hc_kept_kind kind, u64 upto)
{
	if (!is_orphan(of, kind, upto))
		of->upto[kind] = upto;
	of->orphans |= BIT(kind);
}

static void orphans_add_all(struct hc_way_kept *of)
{
	enum hc_kept_kind kind;

	for (kind = 0; kind < HC_KEPT_NKINDS; kind++) {
		struct rb_node *last = rb_last(&of->copies[kind]);

		if (last)
			orphans_add(of, kind, rb_entry(last, struct hc_kept, at)->number);
	}
}

/* Return: the next replica that must be recovered, or NULL; *@kind is set to its kind. */
static struct hc_kept *orphan_next(struct hc_way_kept *of, enum hc_kept_kind *kind)
{
	struct hc_kept *kept;

	for (*kind = 0; *kind < HC_KEPT_NKINDS; ++*kind) {
		if (!(of->orphans & BIT(*kind)))
			continue;
		kept = kept_upto(&of->copies[*kind], of->upto[*kind]);
		if (kept)
			return kept;
		of->orphans &= ~BIT(*kind);
	}
	return NULL;
}

/* Move at most BATCH replicas to the head of the queue, in descending order of their numbers, so
 * that they are in ascending order in the queue. @ids is set to their ids. Return: their number.
 */
static unsigned int recover_some(struct hc_tasks *tasks, struct hc_way_kept *of,
				 struct hypercube_task *ids)
{
	enum hc_kept_kind kind;
	struct hc_kept *kept;
	unsigned int n = 0;

	while (n < BATCH && (kept = orphan_next(of, &kind))) {
		struct hc_task *task = kept_take(tasks, of, kind, kept);

		task->id.flags |= HYPERCUBE_TASK_REDELIVERED;
		list_add(&task->list, &tasks->queue);
		tasks->stats.queued++;
		tasks->stats.recovered++;
		hc_replica_want(tasks, task);
		ids[n++] = task->id;
		trace_hc_task(tasks->node, HC_TASK_RECOVERED, &task->id);
	}
	return n;
}

/* Return: true if all replicas have been recovered. *@owed is set to true if the LOST with number
 * *@word must be answered now.
 */
static bool recover_over(struct hc_way_kept *of, bool *owed, u64 *word)
{
	*owed = !of->orphans && of->owed;
	*word = of->word;
	if (*owed)
		of->owed = false;
	return !of->orphans;
}

/* Recover up to about RECOVERED_MAX replicas for the neighbour along @dim; later polls recover the
 * rest.
 */
static void recover(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim)
{
	struct hc_tasks_batch batch = { .node = node, .loss = HYPERCUBE_TASK_LOSS_RECOVERED };
	struct hc_way_kept *of = &tasks->way[dim].kept;
	struct hypercube_task ids[BATCH];
	unsigned int n, i, all = 0;
	bool over, owed;
	u64 word;

	do {
		spin_lock_bh(&tasks->lock);
		n = recover_some(tasks, of, ids);
		over = recover_over(of, &owed, &word);
		spin_unlock_bh(&tasks->lock);
		all += n;
		for (i = 0; i < n; i++)
			hc_tasks_batch_add(&batch, &ids[i]);
	} while (!over && all < RECOVERED_MAX);
	node->spent += all;
	if (all)
		wake_up_interruptible_all(&tasks->wait);
	hc_tasks_batch_flush(&batch);
	if (owed)
		hc_task_say(node, dim, hc_task_word(node, HC_TASK_F_DROPPED, word, 0));
	if (!over)
		hc_node_kick(node, HC_EV_TASKS);
}

/* If a task or replica has arrived in part, and its number is not after *@upto or @upto is NULL,
 * refuse it.
 */
static void in_stop(struct hc_tasks *tasks, struct hc_way_in *in, const u64 *upto)
{
	if (in->coming && (!upto || hc_task_upto(in->move, *upto)))
		hc_in_close(tasks, in, in->move, false);
}

/* Act on a reboot of the neighbour's machine: the neighbour has no record of its decisions any
 * more, and begins with new numbers. Return: true if the task that was migrating to it is in the
 * queue again.
 */
static bool neigh_reborn(struct hc_tasks *tasks, unsigned int dim, struct list_head *unresolved)
{
	hc_in_forget(&tasks->way[dim].in);
	hc_in_forget(&tasks->way[dim].copies);
	return hc_out_forget(tasks, dim, unresolved);
}

/* Act on a failure of the neighbour along @dim: cancel the transfers between the two nodes, and
 * record that all replicas that are held for it must be recovered.
 */
static void neigh_fails(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim)
{
	struct hc_way *way = &tasks->way[dim];
	bool back, room;
	LIST_HEAD(unresolved);

	spin_lock_bh(&tasks->lock);
	room = !hc_tasks_room(tasks);
	clear_bit(HC_PORT_DIED, &node->ports[dim].flags);
	orphans_add_all(&way->kept);
	in_stop(tasks, &way->in, NULL);
	in_stop(tasks, &way->copies, NULL);
	back = hc_out_orphan(tasks, dim, NULL);
	hc_replicas_orphan(tasks, dim);
	if (test_and_clear_bit(HC_PORT_REBORN, &node->ports[dim].flags))
		back |= neigh_reborn(tasks, dim, &unresolved);
	room = room && hc_tasks_room(tasks);
	spin_unlock_bh(&tasks->lock);
	if (back)
		hc_tasks_wake(tasks, HC_TASK_READERS);
	if (room)
		hc_tasks_wake(tasks, HC_TASK_WRITERS);
	hc_tasks_report(node, HYPERCUBE_TASK_LOSS_UNRESOLVED, &unresolved);
}

void hc_kept_look(struct hc_node *node, struct hc_tasks *tasks, u32 dims)
{
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++)
		if (dims & hc_bit(d) && test_bit(HC_PORT_DIED, &node->ports[d].flags)) {
			neigh_fails(node, tasks, d);
			hc_node_kick(node, HC_EV_TASKS);
		}
}

void hc_kept_recover(struct hc_node *node, struct hc_tasks *tasks)
{
	unsigned int d;

	hc_kept_look(node, tasks, U32_MAX);
	for (d = 0; d < node->fabric->topo.ports; d++)
		if (READ_ONCE(tasks->way[d].kept.orphans))
			recover(node, tasks, d);
}

/* Act on a LOST, which the neighbour has sent because it has failed, or has detected that this node
 * had failed. Do what neigh_fails() does, but only for numbers up to those in the LOST. Return:
 * true if the task that was migrating to the neighbour is in the queue again.
 */
static bool neigh_lost(struct hc_tasks *tasks, unsigned int dim, u32 known, u64 sent, u64 gave,
		       u64 taken, u64 kept)
{
	struct hc_way *way = &tasks->way[dim];

	lockdep_assert_held(&tasks->lock);
	if (known & HC_TASK_LOST_SENT) {
		in_stop(tasks, &way->copies, &sent);
		orphans_add(&way->kept, HC_KEPT_SENT, sent);
	}
	if (known & HC_TASK_LOST_GAVE) {
		in_stop(tasks, &way->in, &gave);
		hc_replicas_orphan_given(tasks, dim, gave);
	}
	if (known & HC_TASK_LOST_KEPT)
		hc_replicas_orphan_sent(tasks, dim, kept);
	if (!(known & HC_TASK_LOST_TAKEN))
		return false;
	orphans_add(&way->kept, HC_KEPT_HANDED, taken);
	return hc_out_orphan(tasks, dim, &taken);
}

/* Process a LOST. recover() answers it when the last of the replicas that it affects has been
 * recovered.
 */
void hc_kept_rx_lost(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim,
		     const struct sk_buff *skb)
{
	struct hc_way_kept *of = &tasks->way[dim].kept;
	struct hc_wire_task_lost lost;
	bool back, room;

	if (skb_copy_bits(skb, HC_TASK_HEAD, &lost, sizeof(lost)))
		return;
	spin_lock_bh(&tasks->lock);
	room = !hc_tasks_room(tasks);
	back = neigh_lost(tasks, dim, be32_to_cpu(lost.known), be64_to_cpu(lost.sent),
			  be64_to_cpu(lost.gave), be64_to_cpu(lost.taken), be64_to_cpu(lost.kept));
	room = room && hc_tasks_room(tasks);
	of->owed = true;
	of->word = be64_to_cpu(hc_wire_task_of(skb)->move);
	spin_unlock_bh(&tasks->lock);
	if (back)
		hc_tasks_wake(tasks, HC_TASK_READERS);
	if (room)
		hc_tasks_wake(tasks, HC_TASK_WRITERS);
	recover(node, tasks, dim);
	hc_node_kick(node, HC_EV_TASKS);
}

/* ------------------------------------------------------------ dropped replicas */

/* Move the replicas whose numbers are in a DROP (@n numbers, in @says) from the store to @gone, and
 * refuse those that have not arrived yet. Return: the number of replicas that were moved.
 */
static unsigned int drop_named(struct hc_tasks *tasks, unsigned int dim, bool routed, bool handed,
			       const __be64 *says, unsigned int n, struct hc_task **gone)
{
	struct hc_way *way = &tasks->way[dim];
	enum hc_kept_kind kind = handed ? HC_KEPT_HANDED : HC_KEPT_SENT;
	unsigned int i, k = 0;

	for (i = 0; i < n; i++) {
		u64 number = be64_to_cpu(says[i]);
		struct hc_kept *kept = kept_find(&way->kept.copies[kind], number);

		if (kept)
			gone[k++] = kept_take(tasks, &way->kept, kind, kept);
		else if (!handed)
			hc_in_asked(tasks, &way->copies, number, routed);
	}
	return k;
}

/* Move replicas with numbers below @floor, of which their sender has no record any more, from the
 * store to @gone. At most BATCH are moved; later DROPs remove the rest. Return: their number.
 */
static unsigned int drop_below(struct hc_tasks *tasks, unsigned int dim, u64 floor,
			       struct hc_task **gone)
{
	struct hc_way_kept *of = &tasks->way[dim].kept;
	unsigned int k = 0;
	struct rb_node *at;

	while (k < BATCH && (at = rb_first(&of->copies[HC_KEPT_SENT]))) {
		struct hc_kept *kept = rb_entry(at, struct hc_kept, at);

		if ((s64)(kept->number - floor) >= 0)
			break;
		gone[k++] = kept_take(tasks, of, HC_KEPT_SENT, kept);
	}
	return k;
}

/* Return: true if a DROP (@n numbers, in @says) has the number of the migration that is under way
 * to the neighbour. Then the neighbour has taken the task, and needs no replica of it any more:
 * free the record that was allocated for the replica.
 */
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
		hc_out_decided(node, tasks, dim, move, HC_TASK_F_TAKEN);
	hc_task_say(node, dim, hc_task_word(node, HC_TASK_F_DROPPED, be64_to_cpu(w.move), 0));
}
