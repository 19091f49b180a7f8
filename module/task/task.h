/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of task/ share. Unless stated otherwise their functions are called under
 * @tasks->lock.
 */
#ifndef _HC_TASK_TASK_H
#define _HC_TASK_TASK_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/hypercube.h>

#include "fabric/node.h"
#include "task/queue.h"

struct hc_wire_task;

/**
 * struct hc_task - a task
 * @list: in hc_tasks.queue, hc_task_end.held or a list of lost ones; in none while it migrates or
 *	is a replica
 * @by: in hc_task_end.put of its producer, while it is charged to the producer's socket
 * @ref: held by the list or the per-neighbour state that it is in, and by calls that read @skb
 * @skb: payload, in segments linked by .next; NULL: a worker has it, and no other one will get it
 * @len: length of the payload, bytes
 * @id: its id and flags
 * @bytes: memory counted for it at the node
 * @charged: bytes of these that the accounting owner was charged for it; the rest was charged for
 *	its frames
 * @lack: in hc_tasks.lacking
 * @copy: the replica that a neighbour holds, or NULL
 * @coming: the replica that is being sent to a neighbour, or NULL
 */
struct hc_task {
	struct list_head list;
	struct list_head by;
	refcount_t ref;
	struct sk_buff *skb;
	u32 len;
	struct hypercube_task id;
	u32 bytes;
	u32 charged;
	struct list_head lack;
	struct hc_spare *copy;
	struct hc_spare *coming;
};

/**
 * struct hc_in_ops - what a receiver of segments does with tasks or replicas
 * @room: tell whether there is room for one more
 * @take: store one that is complete. Return: false if there is no memory
 * @yes: enum hc_task_what: the answer if it was stored
 * @no: the answer if it was not, and never will be under this number
 */
struct hc_in_ops {
	bool (*room)(const struct hc_tasks *tasks, const struct hc_way_in *in);
	bool (*take)(struct hc_tasks *tasks, struct hc_way_in *in, struct hc_task *task);
	u8 yes;
	u8 no;
};

/**
 * struct hc_losses - tasks that the node loses, by what is known of them
 * @lost: no other node has them
 * @unresolved: a neighbour may have them
 * @saved: a neighbour has a replica of them
 * @all: count no replicas, since no node will be left to recover them
 */
struct hc_losses {
	struct list_head lost;
	struct list_head unresolved;
	struct list_head saved;
	bool all;
};

/* Wait for the first answer; doubled each time. */
#define HC_TASK_REPEAT_MIN	(20ULL * NSEC_PER_MSEC)
#define HC_TASK_REPEAT_MAX	((u64)NSEC_PER_SEC)
/* A link without an answer after so many tries may be silent. */
#define HC_TASK_TRIES		6
/* By how much a number that comes by unicast may exceed what is known. */
#define HC_TASK_AHEAD_MAX	1024

#define HC_TASK_READERS	(EPOLLIN | EPOLLRDNORM)
#define HC_TASK_WRITERS	(EPOLLOUT | EPOLLWRNORM)

/* Return: true if @number is not after @upto. Numbers of a link begin anywhere and wrap. */
static inline bool hc_task_upto(u64 number, u64 upto)
{
	return (s64)(upto - number) >= 0;
}

static inline u64 hc_task_pause(unsigned int tries)
{
	return min_t(u64, HC_TASK_REPEAT_MIN << min(tries, 10U), HC_TASK_REPEAT_MAX);
}

/* Return the tasks of a node, which stay once they are there, or NULL. */
static inline struct hc_tasks *hc_tasks_of(const struct hc_node *node)
{
	/* Pairs with hc_tasks_make(). */
	return smp_load_acquire(&node->tasks);
}

/**
 * hc_tasks_make() - get the tasks of a node; make them if there were none
 * @node: the node
 * @gfp: for the allocation
 *
 * Context: any, as @gfp allows; without @tasks->lock
 * Return: the tasks, or NULL if there is no memory
 */
struct hc_tasks *hc_tasks_make(struct hc_node *node, gfp_t gfp);

/**
 * hc_tasks_room() - tell whether there is room for one more task
 * @tasks: the node's tasks
 *
 * Return: true if so
 */
bool hc_tasks_room(const struct hc_tasks *tasks);

/**
 * hc_tasks_wake() - wake up a system call that waits
 * @tasks: the node's tasks
 * @what: for what it waits: HC_TASK_READERS or HC_TASK_WRITERS
 *
 * Context: any; without @tasks->lock
 */
void hc_tasks_wake(struct hc_tasks *tasks, __poll_t what);

/**
 * hc_task_unlink() - remove a task from all lists, and its bytes from the node's
 * @tasks: the node's tasks
 * @task: the task
 *
 * Return: true if that makes room
 */
bool hc_task_unlink(struct hc_tasks *tasks, struct hc_task *task);

/**
 * hc_task_init() - initialise the reference count and the lists of a new task
 * @task: the task
 */
void hc_task_init(struct hc_task *task);

/**
 * hc_tasks_report() - notify user space of lost tasks, and drop the references to them
 * @node: the node
 * @loss: what has happened to them
 * @lost: the tasks, which no other context finds any more
 *
 * Context: any; without @tasks->lock
 */
void hc_tasks_report(struct hc_node *node, enum hypercube_task_loss loss, struct list_head *lost);

/**
 * hc_tasks_served() - tell whether the node may take tasks
 * @tasks: the node's tasks
 *
 * A caller that fails the node, or removes the fabric, sets that before it looks, under the lock,
 * for tasks to be lost; so none is taken after that.
 *
 * Return: true if the node is neither failed nor going away
 */
bool hc_tasks_served(const struct hc_tasks *tasks);

/* --- migrate_rx.c --- */

/**
 * hc_in_close() - decide about a migration and all before it
 * @tasks: the node's tasks
 * @in: the neighbour's tasks or replicas
 * @move: number of the migration
 * @taken: this one is taken
 */
void hc_in_close(struct hc_tasks *tasks, struct hc_way_in *in, u64 move, bool taken);

/**
 * hc_in_forget() - forget the numbers of a neighbour that has rebooted: it has decided nothing, and
 *	begins with new numbers
 * @in: the neighbour's tasks or replicas
 */
void hc_in_forget(struct hc_way_in *in);

/**
 * hc_in_segment() - process a segment
 * @tasks: the node's tasks
 * @in: the neighbour's tasks or replicas
 * @w: the frame's TASK header
 * @skb: the frame; NULL afterwards if it was kept
 *
 * Return: the answer, or 0: there is none (yet)
 */
u8 hc_in_segment(struct hc_tasks *tasks, struct hc_way_in *in, const struct hc_wire_task *w,
		 struct sk_buff **skb);

/**
 * hc_in_asked() - answer a question about a migration; one that is undecided is decided "no"
 * @tasks: the node's tasks
 * @in: the neighbour's tasks or replicas
 * @move: number of the migration
 * @routed: the question came by unicast
 *
 * Return: the answer, or 0: there is none
 */
u8 hc_in_asked(struct hc_tasks *tasks, struct hc_way_in *in, u64 move, bool routed);

extern const struct hc_in_ops hc_in_tasks;

/* --- queue.c --- */

/**
 * hc_task_lose() - remove a task that the node loses to the list that fits
 * @tasks: the node's tasks
 * @task: the task
 * @l: the lists
 * @handing: a neighbour may have it
 */
void hc_task_lose(struct hc_tasks *tasks, struct hc_task *task, struct hc_losses *l,
		  bool handing);

/**
 * struct hc_tasks_batch - a batch of notifications about tasks, some ids in each
 * @node: the node
 * @loss: what has happened to the tasks
 * @ids: ids for the next notification
 * @n: how many these are
 * @notified: how many notifications were sent
 * @count: tasks since the last one
 */
struct hc_tasks_batch {
	struct hc_node *node;
	enum hypercube_task_loss loss;
	struct hypercube_task ids[32];
	unsigned int n;
	unsigned int notified;
	u64 count;
};

/* Add a task to a batch of notifications. Any context; without @tasks->lock. */
void hc_tasks_batch_add(struct hc_tasks_batch *batch, const struct hypercube_task *id);

/* Send the last notification of a batch. Any context; without @tasks->lock. */
void hc_tasks_batch_flush(struct hc_tasks_batch *batch);

/* --- migrate_tx.c --- */

/**
 * hc_ways_init() - set up the per-neighbour state of new tasks
 * @tasks: the node's tasks
 */
void hc_ways_init(struct hc_tasks *tasks);

/**
 * hc_ways_lose() - give up all migrations of a node that has failed
 * @tasks: the node's tasks
 * @l: lists for the tasks that were migrating from here; those that were arriving are forgotten
 */
void hc_ways_lose(struct hc_tasks *tasks, struct hc_losses *l);

/**
 * hc_out_orphan() - take back a task that was migrating to a neighbour that has failed, if a
 *	replica of it was to stay here
 * @tasks: the node's tasks
 * @dim: dimension of the link
 * @upto: only if its number is not after this, or NULL
 *
 * Return: true if it is in the queue again
 */
bool hc_out_orphan(struct hc_tasks *tasks, unsigned int dim, const u64 *upto);

/**
 * hc_out_forget() - give up a migration whose decision cannot be known: an idempotent task goes
 *	back into the queue, another one is unresolved
 * @tasks: the node's tasks
 * @dim: dimension of the link
 * @unresolved: list for an unresolved task
 *
 * Return: true if it is in the queue again
 */
bool hc_out_forget(struct hc_tasks *tasks, unsigned int dim, struct list_head *unresolved);

/**
 * hc_task_waits() - tell whether it is too soon to send segments again, since they, or the answer,
 *	wait to be processed, as far as the node can see
 * @node: the node
 * @dim: dimension of the link
 * @pace: when they are due; moved if it is too soon
 * @now: ns
 *
 * Context: poll
 * Return: true if so
 */
bool hc_task_waits(const struct hc_node *node, unsigned int dim, struct hc_task_pace *pace,
		   u64 now);

/**
 * hc_task_sent() - compute when to send again what is sent now
 * @pace: set to it
 * @now: ns
 */
void hc_task_sent(struct hc_task_pace *pace, u64 now);

/**
 * hc_task_send() - send a task in segments
 * @node: the node
 * @dim: dimension of the link
 * @task: the task
 * @as: header of each segment: DATA or COPY, its number, ..
 *
 * Context: poll; without @tasks->lock
 */
void hc_task_send(struct hc_node *node, unsigned int dim, const struct hc_task *task,
		  const struct hc_wire_task *as);

/**
 * hc_task_word() - make a control message
 * @node: the sending node
 * @what: enum hc_task_what
 * @number: what it is about
 * @len: bytes of its payload
 *
 * Return: the frame, or NULL if there is no memory
 */
struct sk_buff *hc_task_word(const struct hc_node *node, u8 what, u64 number, u32 len);

/**
 * hc_task_say() - send a control message to a neighbour, around the link if that is unusable;
 *	consumes it
 * @node: the node
 * @dim: dimension of the link
 * @skb: the message, or NULL: nothing is done. One that gets lost is repeated by its sender's timer
 *
 * Context: poll; without @tasks->lock
 */
void hc_task_say(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_out_decided() - end a migration by the receiver's decision
 * @node: the node
 * @tasks: its tasks
 * @dim: dimension of the link
 * @move: number of the migration
 * @what: HC_TASK_F_TAKEN, HC_TASK_F_NOT, or HC_TASK_F_UNKNOWN: the receiver has rebooted
 *
 * Context: poll; without @tasks->lock
 * Return: true if the migration was under way
 */
bool hc_out_decided(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, u64 move,
		    u8 what);

/* --- replica_tx.c: replicas of this node's tasks --- */

/**
 * hc_spares_init() - set up the replica sender of new tasks
 * @tasks: the node's tasks
 */
void hc_spares_init(struct hc_tasks *tasks);

/**
 * hc_spare_want() - request that a neighbour holds a replica of a task
 * @tasks: the node's tasks
 * @task: the task
 */
void hc_spare_want(struct hc_tasks *tasks, struct hc_task *task);

/**
 * hc_spare_forget() - drop the replica of a task, since it is not needed any more
 * @tasks: the node's tasks
 * @task: the task
 *
 * Return: true if a neighbour has to be sent a DROP
 */
bool hc_spare_forget(struct hc_tasks *tasks, struct hc_task *task);

/**
 * hc_spare_given() - record that the neighbour from which a task has migrated keeps a replica
 * @tasks: the node's tasks
 * @dim: dimension of the link
 * @task: the task
 * @move: number of the migration
 *
 * Return: false if there is no memory, or the neighbour has too much to drop
 */
bool hc_spare_given(struct hc_tasks *tasks, unsigned int dim, struct hc_task *task, u64 move);

/**
 * hc_spares_orphan() - forget all replicas at a neighbour that has failed
 * @tasks: the node's tasks
 * @dim: dimension of the link
 */
void hc_spares_orphan(struct hc_tasks *tasks, unsigned int dim);

/**
 * hc_spares_orphan_sent() - forget replicas that were sent to a neighbour that has failed
 * @tasks: the node's tasks
 * @dim: dimension of the link
 * @upto: those up to this number
 */
void hc_spares_orphan_sent(struct hc_tasks *tasks, unsigned int dim, u64 upto);

/**
 * hc_spares_orphan_given() - forget replicas of tasks that have migrated from a neighbour that has
 *	failed
 * @tasks: the node's tasks
 * @dim: dimension of the link
 * @upto: those up to this number
 */
void hc_spares_orphan_given(struct hc_tasks *tasks, unsigned int dim, u64 upto);

/**
 * hc_spares_lose() - forget all replicas, and prepare LOST for all neighbours, since the node has
 *	failed
 * @tasks: the node's tasks
 */
void hc_spares_lose(struct hc_tasks *tasks);

/**
 * hc_spare_survives() - tell whether a replica of a task is left
 * @tasks: the node's tasks
 * @task: the task
 * @maybe: count a replica also if the neighbour may have failed, or may not have stored it
 *
 * Context: config
 * Return: true if so
 */
bool hc_spare_survives(const struct hc_tasks *tasks, const struct hc_task *task, bool maybe);

/**
 * hc_spare_due() - compute when the replica sender has something to do
 * @tasks: the node's tasks
 * @dim: dimension of the link
 *
 * Return: ns, or U64_MAX
 */
u64 hc_spare_due(const struct hc_tasks *tasks, unsigned int dim);

/**
 * hc_spare_step() - do what is due
 * @node: the node
 * @tasks: its tasks
 * @dim: dimension of the link
 * @links: links may have failed or come back
 * @now: ns
 *
 * Context: poll; without @tasks->lock
 */
void hc_spare_step(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, bool links,
		   u64 now);

/**
 * hc_spare_rx() - process an answer of a neighbour that holds replicas
 * @node: the node
 * @tasks: its tasks
 * @dim: dimension of the link to the neighbour
 * @what: HC_TASK_F_KEPT, HC_TASK_F_FULL or HC_TASK_F_DROPPED
 * @number: what it answers
 *
 * Context: poll; without @tasks->lock
 * Return: false if nothing was ever sent under that number
 */
bool hc_spare_rx(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, u8 what,
		 u64 number);

/* --- replica_store.c: replicas of other nodes' tasks --- */
extern const struct hc_in_ops hc_in_copies;

/**
 * hc_kept_new() - allocate the record of a replica
 * @tasks: the node's tasks
 * @dim: dimension of the link to the neighbour for which it is held
 *
 * Return: the record, or NULL if there is no memory, or no room for more replicas of that neighbour
 */
struct hc_kept *hc_kept_new(struct hc_tasks *tasks, unsigned int dim);

/**
 * hc_kept_free() - free a record that is not in the store
 * @tasks: the node's tasks
 * @kept: the record, or NULL
 */
void hc_kept_free(struct hc_tasks *tasks, struct hc_kept *kept);

/**
 * hc_kept_hand() - keep a task that has migrated to a neighbour as a replica
 * @tasks: the node's tasks
 * @dim: dimension of the link
 * @kept: its record
 * @task: the task; takes over the caller's reference
 * @move: number of the migration
 */
void hc_kept_hand(struct hc_tasks *tasks, unsigned int dim, struct hc_kept *kept,
		  struct hc_task *task, u64 move);

/**
 * hc_kept_lose() - remove all replicas from the store, since the node has failed
 * @tasks: the node's tasks
 * @l: lists for them, by what is known of the tasks
 */
void hc_kept_lose(struct hc_tasks *tasks, struct hc_losses *l);

/**
 * hc_neigh_lost() - tell whether a neighbour has failed, and the poll may not have acted on that
 * @tasks: the node's tasks
 * @dim: dimension of the link
 *
 * Context: config
 * Return: true if so
 */
bool hc_neigh_lost(const struct hc_tasks *tasks, unsigned int dim);

/**
 * hc_neigh_unseen() - tell whether a neighbour may have failed unnoticed, since the link has no
 *	carrier
 * @tasks: the node's tasks
 * @dim: dimension of the link
 *
 * Context: config
 * Return: true if so
 */
bool hc_neigh_unseen(const struct hc_tasks *tasks, unsigned int dim);

/**
 * hc_kept_look() - act on failures of neighbours
 * @node: the node
 * @tasks: its tasks
 * @dims: dimensions of the links to look at, as a mask
 *
 * Context: poll; without @tasks->lock
 */
void hc_kept_look(struct hc_node *node, struct hc_tasks *tasks, u32 dims);

/**
 * hc_kept_recover() - act on failures of all neighbours, and put some of their replicas into the
 *	queue
 * @node: the node
 * @tasks: its tasks
 *
 * Context: poll; without @tasks->lock
 */
void hc_kept_recover(struct hc_node *node, struct hc_tasks *tasks);

/**
 * hc_kept_rx_lost() - process a LOST
 * @node: the node
 * @tasks: its tasks
 * @dim: dimension of the link to the sender
 * @skb: the frame
 *
 * Context: poll; without @tasks->lock
 */
void hc_kept_rx_lost(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim,
		     const struct sk_buff *skb);

/**
 * hc_kept_rx_drop() - process a DROP, and answer it
 * @node: the node
 * @tasks: its tasks
 * @dim: dimension of the link to the sender
 * @routed: it came by unicast
 * @skb: the frame
 *
 * Context: poll; without @tasks->lock
 */
void hc_kept_rx_drop(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, bool routed,
		     const struct sk_buff *skb);

#endif /* _HC_TASK_TASK_H */
