// SPDX-License-Identifier: GPL-2.0
/*
 * The queue of tasks of a node, and the ends of its sockets (struct hc_task_end).
 *
 * Each task is in exactly one list: the queue, or the tasks held by one end. A task is moved from
 * list to list under the lock, so one worker at a time has it; a task is executed a second time
 * only if its producer has declared it idempotent. A task that leaves the node although no worker
 * has reported that it is done is counted, and its id is reported.
 *
 * Memory: the payload is charged to the socket of its producer, and so to the memory cgroup of that
 * socket, until no worker can get the payload any more. The charge also ends when the socket is
 * closed: otherwise the socket could not be freed, nor the module removed. In addition, all memory
 * of a task is charged to the fabric's accounting owner, and counts towards the limit of the node.
 */
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "fabric/node.h"
#include "notifier.h"
#include "task/round.h"
#include "task/task.h"
#include "trace.h"

/* Maximum number of notifications of lost tasks that one event causes. */
#define NOTIFIED_MAX	32
/* Maximum number of tasks that are uncharged from a socket in one critical section of the lock. */
#define DISOWN_BATCH	64

/* ------------------------------------------------------------ tasks */

void hc_task_init(struct hc_task *task)
{
	refcount_set(&task->ref, 1);
	INIT_LIST_HEAD(&task->list);
	INIT_LIST_HEAD(&task->by);
	INIT_LIST_HEAD(&task->lack);
}

struct hc_task *hc_task_make(struct hc_fabric *fabric, struct sk_buff *skb, u32 flags)
{
	struct hc_task *task = kzalloc(sizeof(*task), GFP_KERNEL_ACCOUNT);
	int err = -ENOMEM;

	if (!task)
		goto err_skb;
	task->bytes = sizeof(*task) + skb->truesize;
	task->charged = task->bytes;
	err = -ENOBUFS;
	if (!hc_poll_charge(fabric, task->bytes))
		goto err_skb;
	hc_task_init(task);
	task->skb = skb;
	task->len = skb->len;
	task->id.flags = flags;
	return task;

err_skb:
	kfree(task);
	kfree_skb(skb);
	return ERR_PTR(err);
}

void hc_task_put(struct hc_fabric *fabric, struct hc_task *task)
{
	if (!refcount_dec_and_test(&task->ref))
		return;
	hc_poll_uncharge(fabric, task->charged);
	kfree_skb_list(task->skb);
	kfree(task);
}

const struct sk_buff *hc_task_says(const struct hc_task *task, u32 *len)
{
	*len = task->len;
	return task->skb;
}

static bool same(const struct hypercube_task *a, const struct hypercube_task *b)
{
	return a->node == b->node && a->nr == b->nr;
}

/* Return: true if the tasks of the node take less memory than its limit. The length of the next
 * task does not matter, so a process that is woken up because there is room can put a task of any
 * length; this task may exceed the limit.
 */
bool hc_tasks_room(const struct hc_tasks *tasks)
{
	return tasks->stats.bytes < hc_node_task_limit();
}

void hc_tasks_wake(struct hc_tasks *tasks, __poll_t what)
{
	wake_up_interruptible_poll(&tasks->wait, what);
}

bool hc_task_unlink(struct hc_tasks *tasks, struct hc_task *task)
{
	bool had = hc_tasks_room(tasks);

	lockdep_assert_held(&tasks->lock);
	hc_replica_forget(tasks, task);
	list_del(&task->list);
	list_del_init(&task->by);
	tasks->stats.bytes -= task->bytes;
	return !had && hc_tasks_room(tasks);
}

/* ------------------------------------------------------------ losses */

void hc_task_lose(struct hc_tasks *tasks, struct hc_task *task, struct hc_losses *l, bool handing)
{
	bool saved = !l->all && hc_replica_survives(tasks, task, false);
	bool unresolved = handing || (!l->all && hc_replica_survives(tasks, task, true));

	hc_task_unlink(tasks, task);
	if (saved) {
		list_add_tail(&task->list, &l->saved);
	} else if (unresolved) {
		tasks->stats.unresolved++;
		list_add_tail(&task->list, &l->unresolved);
		trace_hc_task(tasks->node, HC_TASK_UNRESOLVED, &task->id);
	} else {
		tasks->stats.lost++;
		list_add_tail(&task->list, &l->lost);
		trace_hc_task(tasks->node, HC_TASK_LOST, &task->id);
	}
}

static void losses_init(struct hc_losses *l, bool all)
{
	INIT_LIST_HEAD(&l->lost);
	INIT_LIST_HEAD(&l->unresolved);
	INIT_LIST_HEAD(&l->saved);
	l->all = all;
}

static void lose_all(struct hc_tasks *tasks, struct list_head *from, struct hc_losses *l)
{
	struct hc_task *task, *next;

	list_for_each_entry_safe(task, next, from, list)
		hc_task_lose(tasks, task, l, false);
}

static void lose_held(struct hc_tasks *tasks, struct hc_task_end *end, struct hc_losses *l)
{
	lose_all(tasks, &end->held, l);
	tasks->stats.held -= end->nheld;
	end->nheld = 0;
}

/* Move all tasks of a node that fails or is removed to the lists of @l. A task that is migrating is
 * unresolved, since the neighbour may have taken it; a task of which a neighbour holds a replica is
 * not lost.
 */
static void lose_node(struct hc_tasks *tasks, struct hc_losses *l)
{
	struct hc_task_end *end;

	lockdep_assert_held(&tasks->lock);
	list_for_each_entry(end, &tasks->ends, among)
		lose_held(tasks, end, l);
	lose_all(tasks, &tasks->queue, l);
	tasks->stats.queued = 0;
	hc_ways_lose(tasks, l);
	hc_kept_lose(tasks, l);
	hc_replicas_lose(tasks);
}

/* Add a task to a batch, and send a notification when it is full. A batch has at most NOTIFIED_MAX
 * notifications; the last one has the number of all remaining tasks, but only as many ids as fit
 * into it.
 */
void hc_tasks_batch_add(struct hc_tasks_batch *batch, const struct hypercube_task *id)
{
	if (batch->n < ARRAY_SIZE(batch->ids))
		batch->ids[batch->n++] = *id;
	batch->count++;
	if (batch->n == ARRAY_SIZE(batch->ids) && batch->notified < NOTIFIED_MAX - 1) {
		hc_notify_tasks_lost(batch->node, batch->loss, batch->ids, batch->n, batch->count);
		batch->notified++;
		batch->n = 0;
		batch->count = 0;
	}
}

void hc_tasks_batch_flush(struct hc_tasks_batch *batch)
{
	if (batch->count)
		hc_notify_tasks_lost(batch->node, batch->loss, batch->ids, batch->n, batch->count);
}

void hc_tasks_report(struct hc_node *node, enum hypercube_task_loss loss, struct list_head *lost)
{
	struct hc_tasks_batch batch = { .node = node, .loss = loss };
	struct hc_task *task, *next;

	list_for_each_entry_safe(task, next, lost, list) {
		hc_tasks_batch_add(&batch, &task->id);
		hc_task_put(node->fabric, task);
	}
	hc_tasks_batch_flush(&batch);
}

/* ------------------------------------------------------------ the node */

static void tasks_release(struct kref *ref)
{
	kfree(container_of(ref, struct hc_tasks, ref));
}

/* Lose all tasks of a node that has failed or is removed, and report them. */
static void node_lose(struct hc_node *node, struct hc_tasks *tasks, enum hypercube_task_loss loss)
{
	struct hc_task *task, *next;
	struct hc_losses l;

	losses_init(&l, loss == HYPERCUBE_TASK_LOSS_FABRIC);
	spin_lock_bh(&tasks->lock);
	lose_node(tasks, &l);
	spin_unlock_bh(&tasks->lock);
	wake_up_interruptible_all(&tasks->wait);
	hc_tasks_report(node, loss, &l.lost);
	hc_tasks_report(node, HYPERCUBE_TASK_LOSS_UNRESOLVED, &l.unresolved);
	list_for_each_entry_safe(task, next, &l.saved, list)
		hc_task_put(node->fabric, task);
}

/* Lose the tasks of a node that has failed. Code that takes @tasks->lock after this function has
 * released it reads that the node has failed.
 */
void hc_tasks_follow(struct hc_node *node)
{
	struct hc_tasks *tasks;

	lockdep_assert_held(&node->fabric->lock);
	/* A poll may allocate @tasks at the same time: either the poll reads that the node has
	 * failed, or this function finds @tasks.
	 */
	smp_mb();
	tasks = hc_tasks_of(node);
	if (tasks && READ_ONCE(node->failed))
		node_lose(node, tasks, HYPERCUBE_TASK_LOSS_NODE);
}

void hc_tasks_node_gone(struct hc_node *node)
{
	struct hc_tasks *tasks;

	/* A poll may allocate @tasks at the same time: either the poll reads that the fabric is
	 * being removed, or this function finds @tasks.
	 */
	smp_mb();
	tasks = hc_tasks_of(node);
	if (tasks)
		node_lose(node, tasks, HYPERCUBE_TASK_LOSS_FABRIC);
}

void hc_tasks_free(struct hc_node *node)
{
	struct hc_tasks *tasks = hc_tasks_of(node);

	if (tasks)
		kref_put(&tasks->ref, tasks_release);
}

bool hc_tasks_stats(const struct hc_node *node, struct hc_tasks_stats *stats)
{
	struct hc_tasks *tasks = hc_tasks_of(node);
	unsigned int d, why;
	u64 want = 0;

	if (!tasks)
		return false;
	spin_lock_bh(&tasks->lock);
	*stats = tasks->stats;
	for (d = 0; d < node->fabric->topo.ports; d++)
		for (why = 0; why < HC_MOVE_NWHY; why++)
			want += tasks->way[d].out.want[why];
	stats->moving += min_t(u64, want, stats->queued);
	spin_unlock_bh(&tasks->lock);
	return true;
}

static struct hc_tasks *tasks_alloc(struct hc_node *node, gfp_t gfp)
{
	struct hc_tasks *tasks = kzalloc(struct_size(tasks, way, node->fabric->topo.ports),
					 gfp | __GFP_ACCOUNT | __GFP_NOWARN);

	if (!tasks)
		return NULL;
	kref_init(&tasks->ref);
	tasks->fabric = node->fabric;
	tasks->node = node;
	spin_lock_init(&tasks->lock);
	INIT_LIST_HEAD(&tasks->queue);
	INIT_LIST_HEAD(&tasks->ends);
	init_waitqueue_head(&tasks->wait);
	hc_ways_init(tasks);
	return tasks;
}

/* A system call and the poll may call this function at the same time: both get the same object. */
struct hc_tasks *hc_tasks_make(struct hc_node *node, gfp_t gfp)
{
	struct hc_tasks *tasks = hc_tasks_of(node), *old;

	if (tasks)
		return tasks;
	tasks = tasks_alloc(node, gfp);
	if (!tasks)
		return NULL;
	/* Pairs with smp_load_acquire() in hc_tasks_of(). */
	old = cmpxchg(&node->tasks, NULL, tasks);
	if (!old)
		return tasks;
	kfree(tasks);
	return old;
}

/* ------------------------------------------------------------ an end */

void hc_task_end_init(struct hc_task_end *end)
{
	memset(end, 0, sizeof(*end));
	INIT_LIST_HEAD(&end->put);
	INIT_LIST_HEAD(&end->held);
}

int hc_tasks_join(struct hc_node *node, struct hc_task_end *end)
{
	struct hc_tasks *tasks = hc_tasks_make(node, GFP_KERNEL);

	lockdep_assert_held(&node->fabric->sock_lock);
	if (!tasks)
		return -ENOMEM;
	kref_get(&tasks->ref);
	end->tasks = tasks;
	spin_lock_bh(&tasks->lock);
	end->joined = true;
	list_add_tail(&end->among, &tasks->ends);
	spin_unlock_bh(&tasks->lock);
	return 0;
}

/* Move the idempotent tasks that the end holds to the head of the queue, in the order in which the
 * end has taken them.
 */
static void held_back(struct hc_tasks *tasks, struct hc_task_end *end)
{
	struct hc_task *task, *next;
	LIST_HEAD(back);

	list_for_each_entry_safe(task, next, &end->held, list) {
		if (!(task->id.flags & HYPERCUBE_TASK_IDEMPOTENT))
			continue;
		task->id.flags |= HYPERCUBE_TASK_REDELIVERED;
		trace_hc_task(tasks->node, HC_TASK_BACK, &task->id);
		list_move_tail(&task->list, &back);
		end->nheld--;
		tasks->stats.held--;
		tasks->stats.queued++;
		tasks->stats.redelivered++;
	}
	list_splice(&back, &tasks->queue);
}

/* Uncharge the end's socket for the tasks that the end has put into the queue. While this function
 * holds the lock, no other context frees these tasks and their payloads.
 */
static void put_disown(struct hc_tasks *tasks, struct hc_task_end *end)
{
	unsigned int n;
	bool more;

	do {
		spin_lock_bh(&tasks->lock);
		for (n = 0; n < DISOWN_BATCH && !list_empty(&end->put); n++) {
			struct hc_task *task = list_first_entry(&end->put, struct hc_task, by);

			list_del_init(&task->by);
			if (task->skb)
				skb_orphan(task->skb);
		}
		more = !list_empty(&end->put);
		spin_unlock_bh(&tasks->lock);
		cond_resched();
	} while (more);
}

void hc_tasks_leave(struct hc_task_end *end)
{
	struct hc_tasks *tasks = end->tasks;
	struct hc_node *node = tasks->node;
	struct hc_losses l;

	losses_init(&l, true);
	lockdep_assert_held(&tasks->fabric->sock_lock);
	spin_lock_bh(&tasks->lock);
	held_back(tasks, end);
	lose_held(tasks, end, &l);
	list_del(&end->among);
	end->joined = false;
	spin_unlock_bh(&tasks->lock);
	put_disown(tasks, end);
	wake_up_interruptible_all(&tasks->wait);
	hc_tasks_report(node, HYPERCUBE_TASK_LOSS_WORKER, &l.lost);
}

void hc_task_end_exit(struct hc_task_end *end)
{
	if (end->tasks)
		kref_put(&end->tasks->ref, tasks_release);
	end->tasks = NULL;
}

/* ------------------------------------------------------------ producers and workers */

/* Return: 0 if the end may put and take tasks, else -ENODEV. When a fabric is removed, its ends
 * leave one after another, and the tasks that they hold return to the queue: other ends must not
 * take them.
 */
static int may_use(const struct hc_task_end *end)
{
	lockdep_assert_held(&end->tasks->lock);
	return end->joined && !READ_ONCE(end->tasks->fabric->dead) ? 0 : -ENODEV;
}

static int may_put(const struct hc_task_end *end)
{
	const struct hc_tasks *tasks = end->tasks;
	int err = may_use(end);

	if (err)
		return err;
	if (READ_ONCE(tasks->node->failed))
		return -EHOSTDOWN;
	return hc_tasks_room(tasks) ? 0 : -EAGAIN;
}

static void put(struct hc_tasks *tasks, struct hc_task_end *end, struct hc_task *task)
{
	task->id.node = tasks->node->id;
	task->id.nr = ++tasks->nr;
	end->last = task->id;
	list_add_tail(&task->by, &end->put);
	list_add_tail(&task->list, &tasks->queue);
	tasks->stats.bytes += task->bytes;
	tasks->stats.queued++;
	tasks->stats.put++;
	trace_hc_task(tasks->node, HC_TASK_PUT, &task->id);
	if (task->id.flags & HYPERCUBE_TASK_REPLICATED) {
		hc_replica_want(tasks, task);
		hc_node_kick(tasks->node, HC_EV_TASKS);
	}
}

int hc_tasks_put(struct hc_task_end *end, struct hc_task *task)
{
	struct hc_tasks *tasks = end->tasks;
	int err;

	spin_lock_bh(&tasks->lock);
	err = may_put(end);
	if (!err)
		put(tasks, end, task);
	spin_unlock_bh(&tasks->lock);
	if (!err)
		hc_tasks_wake(tasks, EPOLLIN | EPOLLRDNORM);
	return err;
}

/* Check that an end may take the first task of the queue. No check for a failed node is needed,
 * since its queue is empty. Return: 0 or a negative errno.
 */
static int may_take(const struct hc_task_end *end, size_t max)
{
	const struct hc_task *task = list_first_entry_or_null(&end->tasks->queue, struct hc_task,
							      list);
	int err = may_use(end);

	if (err)
		return err;
	if (end->nheld == HYPERCUBE_TASKS_HELD_MAX)
		return -ENOBUFS;
	if (!task)
		return -EAGAIN;
	return task->len > max ? -EMSGSIZE : 0;
}

int hc_tasks_take(struct hc_task_end *end, size_t max, struct hypercube_task *id,
		  struct hc_task **taken)
{
	struct hc_tasks *tasks = end->tasks;
	struct hc_task *task;
	int err;

	spin_lock_bh(&tasks->lock);
	err = may_take(end, max);
	if (!err) {
		task = list_first_entry(&tasks->queue, struct hc_task, list);
		list_move_tail(&task->list, &end->held);
		end->nheld++;
		tasks->stats.queued--;
		tasks->stats.held++;
		*id = task->id;
		refcount_inc(&task->ref);
		*taken = task;
		/* @tasks->node is valid here, since the end has joined. */
		if (hc_round_idle(tasks->node, tasks->stats.queued))
			hc_node_kick(tasks->node, HC_EV_ROUND);
	}
	spin_unlock_bh(&tasks->lock);
	return err;
}

/* Find a task that the end holds. Begin with the one that it has taken last, since most workers
 * complete this task first.
 */
static struct hc_task *held_find(const struct hc_task_end *end, const struct hypercube_task *id)
{
	struct hc_task *task;

	list_for_each_entry_reverse(task, &end->held, list)
		if (same(&task->id, id))
			return task;
	return NULL;
}

/* Remove the payload from a task that a worker has taken, and end its accounting. *@room is set to
 * true if the node has room for another task now and had none before. Return: the payload; NULL if
 * the task is idempotent, since another worker may get its payload later.
 */
static struct sk_buff *payload_replica(struct hc_tasks *tasks, struct hc_task *task, bool *room)
{
	struct sk_buff *skb = task->skb;
	u32 charged = task->charged - sizeof(*task);
	bool had = hc_tasks_room(tasks);

	if (task->id.flags & HYPERCUBE_TASK_IDEMPOTENT)
		return NULL;
	task->skb = NULL;
	tasks->stats.bytes -= task->bytes - sizeof(*task);
	task->bytes = sizeof(*task);
	task->charged -= charged;
	hc_poll_uncharge(tasks->fabric, charged);
	list_del_init(&task->by);
	*room = !had && hc_tasks_room(tasks);
	return skb;
}

/* Return: true if the end holds @task. Pointers are compared, because a Byzantine neighbour can
 * send several tasks with the same id.
 */
static bool holds(const struct hc_task_end *end, const struct hc_task *task)
{
	const struct hc_task *held;

	list_for_each_entry_reverse(held, &end->held, list)
		if (held == task)
			return true;
	return false;
}

/* Complete or undo hc_tasks_take(). If the node has failed since then, or the socket has left it,
 * the end does not hold the task any more, and nothing is done.
 */
void hc_tasks_taken(struct hc_task_end *end, struct hc_task *task, bool back)
{
	struct hc_tasks *tasks = end->tasks;
	struct sk_buff *skb = NULL;
	bool room = false, held;

	spin_lock_bh(&tasks->lock);
	held = holds(end, task);
	if (held && back) {
		list_move(&task->list, &tasks->queue);
		end->nheld--;
		tasks->stats.held--;
		tasks->stats.queued++;
	} else if (held) {
		tasks->stats.taken++;
		trace_hc_task(tasks->node, HC_TASK_TAKEN, &task->id);
		skb = payload_replica(tasks, task, &room);
	}
	spin_unlock_bh(&tasks->lock);
	kfree_skb_list(skb);
	if (back)
		hc_tasks_wake(tasks, EPOLLIN | EPOLLRDNORM);
	if (room)
		hc_tasks_wake(tasks, EPOLLOUT | EPOLLWRNORM);
}

int hc_tasks_done(struct hc_task_end *end, const struct hypercube_task *id)
{
	struct hc_tasks *tasks = end->tasks;
	struct hc_task *task;
	bool room = false, many = false;

	spin_lock_bh(&tasks->lock);
	task = held_find(end, id);
	if (task) {
		/* @tasks->node is valid here, since the end has joined. */
		if (task->copy || task->coming)
			hc_node_kick(tasks->node, HC_EV_TASKS);
		room = hc_task_unlink(tasks, task);
		many = end->nheld-- == HYPERCUBE_TASKS_HELD_MAX;
		tasks->stats.held--;
		tasks->stats.done++;
		trace_hc_task(tasks->node, HC_TASK_DONE, id);
	}
	spin_unlock_bh(&tasks->lock);
	if (!task)
		return -ENOENT;
	hc_task_put(tasks->fabric, task);
	/* The end held the maximum number of tasks, and can take tasks again: wake up processes
	 * that poll its socket.
	 */
	if (many)
		hc_tasks_wake(tasks, EPOLLIN | EPOLLRDNORM);
	if (room)
		hc_tasks_wake(tasks, EPOLLOUT | EPOLLWRNORM);
	return 0;
}

void hc_task_last(struct hc_task_end *end, struct hypercube_task *id)
{
	spin_lock_bh(&end->tasks->lock);
	*id = end->last;
	spin_unlock_bh(&end->tasks->lock);
}

__poll_t hc_tasks_poll(struct hc_task_end *end)
{
	struct hc_tasks *tasks = end->tasks;
	__poll_t mask = 0;

	spin_lock_bh(&tasks->lock);
	if (!list_empty(&tasks->queue) && end->nheld < HYPERCUBE_TASKS_HELD_MAX)
		mask |= EPOLLIN | EPOLLRDNORM;
	if (may_put(end) != -EAGAIN)
		mask |= EPOLLOUT | EPOLLWRNORM;
	spin_unlock_bh(&tasks->lock);
	return mask;
}

/* Wake up another waiter if a task is in the queue, or if there is room. It does not matter whether
 * this end could take that task.
 */
void hc_tasks_pass(struct hc_task_end *end, __poll_t what)
{
	struct hc_tasks *tasks = end->tasks;
	bool pass;

	spin_lock_bh(&tasks->lock);
	pass = what & EPOLLIN ? !list_empty(&tasks->queue) : may_put(end) != -EAGAIN;
	spin_unlock_bh(&tasks->lock);
	if (pass)
		hc_tasks_wake(tasks, what);
}
