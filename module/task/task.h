/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of task/ share. The caller of a function holds @tasks->lock, unless
 * the comment of the function states otherwise.
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
 * @list: entry in hc_tasks.queue, in hc_task_end.held or in a list of lost tasks; in no list while
 *	the task is migrating or is a replica
 * @by: entry in the producer's hc_task_end.put, as long as the task is charged to the producer's
 *	socket
 * @ref: reference count: one reference is held by the list or the per-neighbour state that the task
 *	is in, and one by each call that reads @skb
 * @skb: payload, in segments linked by .next; NULL when a worker has taken the task and no other
 *	worker can get it
 * @len: length of the payload, bytes
 * @id: id and flags of the task
 * @bytes: memory that the node counts for the task
 * @charged: number of those bytes of @bytes that were charged to the accounting owner for the task
 *	itself; the others were charged for the frames in which the task arrived
 * @lack: entry in hc_tasks.lacking, while a replica of the task must be sent to a neighbour
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
	struct hc_replica *copy;
	struct hc_replica *coming;
};

/**
 * struct hc_in_ops - functions for tasks, or for replicas, that arrive in segments
 * @room: return true if there is room for another task or replica
 * @take: store a complete task or replica. Return: false if that is not possible
 * @yes: the answer to the sender if the task or replica was stored, enum hc_task_what
 * @no: the answer if it was refused; after this answer, no task or replica with this number is
 *	stored
 */
struct hc_in_ops {
	bool (*room)(const struct hc_tasks *tasks, const struct hc_way_in *in);
	bool (*take)(struct hc_tasks *tasks, struct hc_way_in *in, struct hc_task *task);
	u8 yes;
	u8 no;
};

/**
 * struct hc_losses - the tasks that a failing node loses
 * @lost: tasks that no other node has
 * @unresolved: tasks that a neighbour may have
 * @saved: tasks of which a neighbour has a replica
 * @all: true to ignore replicas, because no node will recover them
 */
struct hc_losses {
	struct list_head lost;
	struct list_head unresolved;
	struct list_head saved;
	bool all;
};

/* Pause before a frame without an answer is repeated for the first time. Each repetition doubles
 * the pause, up to HC_TASK_REPEAT_MAX.
 */
#define HC_TASK_REPEAT_MIN	(20ULL * NSEC_PER_MSEC)
#define HC_TASK_REPEAT_MAX	((u64)NSEC_PER_SEC)
/* After this many tries without an answer, no more segments of a task or replica are sent: the
 * neighbour may not be able to receive them.
 */
#define HC_TASK_TRIES		6
/* An ASK that was received by unicast, or an answer, is accepted only if its number differs from
 * the last number of the link by about this much at most.
 */
#define HC_TASK_AHEAD_MAX	1024

#define HC_TASK_READERS	(EPOLLIN | EPOLLRDNORM)
#define HC_TASK_WRITERS	(EPOLLOUT | EPOLLWRNORM)

/* Return: true if @number is not after @upto. The numbers of a link begin at a random value, and
 * wrap.
 */
static inline bool hc_task_upto(u64 number, u64 upto)
{
	return (s64)(upto - number) >= 0;
}

static inline u64 hc_task_pause(unsigned int tries)
{
	return min_t(u64, HC_TASK_REPEAT_MIN << min(tries, 10U), HC_TASK_REPEAT_MAX);
}

/* Return the struct hc_tasks of a node, or NULL if it has none. It is not freed before the node is
 * freed.
 */
static inline struct hc_tasks *hc_tasks_of(const struct hc_node *node)
{
	/* Pairs with cmpxchg() in hc_tasks_make(). */
	return smp_load_acquire(&node->tasks);
}

/**
 * hc_tasks_make() - get the struct hc_tasks of a node; allocate it if the node has none
 * @node: the node
 * @gfp: flags for the allocation
 *
 * Context: any, as @gfp allows; without @tasks->lock
 * Return: the tasks, or NULL if there is no memory
 */
struct hc_tasks *hc_tasks_make(struct hc_node *node, gfp_t gfp);

/**
 * hc_tasks_room() - find out whether there is room for another task
 * @tasks: the node's tasks
 *
 * Return: true if there is room
 */
bool hc_tasks_room(const struct hc_tasks *tasks);

/**
 * hc_tasks_wake() - wake up a system call that waits
 * @tasks: the node's tasks
 * @what: the event that the call waits for: HC_TASK_READERS or HC_TASK_WRITERS
 *
 * Context: any; without @tasks->lock
 */
void hc_tasks_wake(struct hc_tasks *tasks, __poll_t what);

/**
 * hc_task_unlink() - remove a task from all lists, and subtract its bytes from those of the node
 * @tasks: the node's tasks
 * @task: the task
 *
 * Return: true if the node has room for another task now and had none before
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
 * @loss: why the tasks were lost
 * @lost: the tasks, which no other context can find
 *
 * Context: any; without @tasks->lock
 */
void hc_tasks_report(struct hc_node *node, enum hypercube_task_loss loss, struct list_head *lost);

/**
 * hc_tasks_served() - find out whether the node may take tasks
 * @tasks: the node's tasks
 *
 * Code that fails the node or removes the fabric first sets a flag (hc_node.failed,
 * hc_fabric.dead), and then collects the node's tasks under the lock. So the node takes no task
 * after its tasks have been collected.
 *
 * Return: true if the node has not failed and its fabric is not being removed
 */
bool hc_tasks_served(const struct hc_tasks *tasks);

/* --- migrate_rx.c --- */

/**
 * hc_in_close() - record the decision about a migration, which also ends all earlier migrations of
 *	the neighbour
 * @tasks: the node's tasks
 * @in: the neighbour's tasks or replicas
 * @move: number of the migration
 * @taken: the decision: true if the task is taken, false if it is refused
 */
void hc_in_close(struct hc_tasks *tasks, struct hc_way_in *in, u64 move, bool taken);

/**
 * hc_in_forget() - forget the migration numbers of a neighbour whose machine has been rebooted,
 *	since the neighbour begins with new numbers
 * @in: the neighbour's tasks or replicas
 */
void hc_in_forget(struct hc_way_in *in);

/**
 * hc_in_segment() - process a segment
 * @tasks: the node's tasks
 * @in: the neighbour's tasks or replicas
 * @w: the frame's TASK header
 * @skb: the frame; set to NULL if its payload was stored
 *
 * Return: the answer that must be sent, or 0 if none must be sent now
 */
u8 hc_in_segment(struct hc_tasks *tasks, struct hc_way_in *in, const struct hc_wire_task *w,
		 struct sk_buff **skb);

/**
 * hc_in_asked() - get the answer to an ASK; if the receiver has not decided about the migration, it
 *	refuses it
 * @tasks: the node's tasks
 * @in: the neighbour's tasks or replicas
 * @move: number of the migration
 * @routed: the ASK was received by unicast
 *
 * Return: the answer that must be sent, or 0 if there is none
 */
u8 hc_in_asked(struct hc_tasks *tasks, struct hc_way_in *in, u64 move, bool routed);

extern const struct hc_in_ops hc_in_tasks;

/* --- queue.c --- */

/**
 * hc_task_lose() - move a task that the node loses to one of the lists of @l
 * @tasks: the node's tasks
 * @task: the task
 * @l: the lists
 * @handing: true if the task was migrating, so that a neighbour may have it
 */
void hc_task_lose(struct hc_tasks *tasks, struct hc_task *task, struct hc_losses *l,
		  bool handing);

/**
 * struct hc_tasks_batch - a sequence of notifications about tasks, each with several ids
 * @node: the node
 * @loss: why the tasks were lost
 * @ids: ids for the next notification
 * @n: number of valid entries in @ids
 * @notified: number of notifications that were sent
 * @count: number of tasks that were added since the last notification
 */
struct hc_tasks_batch {
	struct hc_node *node;
	enum hypercube_task_loss loss;
	struct hypercube_task ids[32];
	unsigned int n;
	unsigned int notified;
	u64 count;
};

/* Add a task to a batch of notifications. Context: any; without @tasks->lock. */
void hc_tasks_batch_add(struct hc_tasks_batch *batch, const struct hypercube_task *id);

/* Send the last notification of a batch. Context: any; without @tasks->lock. */
void hc_tasks_batch_flush(struct hc_tasks_batch *batch);

/* --- migrate_tx.c --- */

/**
 * hc_ways_init() - set up the per-neighbour state of a new struct hc_tasks
 * @tasks: the node's tasks
 */
void hc_ways_init(struct hc_tasks *tasks);

/**
 * hc_ways_lose() - end all migrations of a node that has failed
 * @tasks: the node's tasks
 * @l: lists for the tasks that were migrating from this node; incomplete tasks from neighbours are
 *	freed
 */
void hc_ways_lose(struct hc_tasks *tasks, struct hc_losses *l);

/**
 * hc_out_orphan() - put a task that was migrating to a neighbour back into the queue, because the
 *	neighbour has failed and this node was to keep a replica of the task
 * @tasks: the node's tasks
 * @dim: dimension of the link
 * @upto: do this only if the number of the migration is not after *@upto, or if @upto is NULL
 *
 * Return: true if the task is in the queue again
 */
bool hc_out_orphan(struct hc_tasks *tasks, unsigned int dim, const u64 *upto);

/**
 * hc_out_forget() - end a migration about which the receiver's decision cannot be known: an
 *	idempotent task returns to the queue, any other task is unresolved
 * @tasks: the node's tasks
 * @dim: dimension of the link
 * @unresolved: list to which an unresolved task is moved
 *
 * Return: true if the task is in the queue again
 */
bool hc_out_forget(struct hc_tasks *tasks, unsigned int dim, struct list_head *unresolved);

/**
 * hc_task_waits() - find out whether it is too early to send segments again, because those that
 *	were sent before, or their answer, may wait in a receive queue
 * @node: the node
 * @dim: dimension of the link
 * @pace: times at which the segments are sent again; postponed if it is too early
 * @now: ns
 *
 * Context: poll
 * Return: true if it is too early
 */
bool hc_task_waits(const struct hc_node *node, unsigned int dim, struct hc_task_pace *pace,
		   u64 now);

/**
 * hc_task_sent() - compute the times at which the segments or the ASK that are sent now must be
 *	repeated
 * @pace: set to these times
 * @now: ns
 */
void hc_task_sent(struct hc_task_pace *pace, u64 now);

/**
 * hc_task_send() - send a task in segments
 * @node: the node
 * @dim: dimension of the link
 * @task: the task
 * @as: header fields that are equal in all segments: type (DATA or COPY), number, boot id and flags
 *
 * Context: poll; without @tasks->lock
 */
void hc_task_send(struct hc_node *node, unsigned int dim, const struct hc_task *task,
		  const struct hc_wire_task *as);

/**
 * hc_task_word() - make a control message
 * @node: the sending node
 * @what: enum hc_task_what
 * @number: number of the migration or replica that the message is about, or of the DROP or LOST
 *	that is sent or answered
 * @len: length of its payload, bytes
 *
 * Return: the frame, or NULL if there is no memory
 */
struct sk_buff *hc_task_word(const struct hc_node *node, u8 what, u64 number, u32 len);

/**
 * hc_task_say() - send a control message to a neighbour over the link, or by unicast if the link is
 *	unusable; consumes it
 * @node: the node
 * @dim: dimension of the link
 * @skb: the message; if it is NULL, nothing is sent. The node that waits for the answer repeats a
 *	message if it or its answer is lost
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
 * Return: true if the migration @move was under way
 */
bool hc_out_decided(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, u64 move,
		    u8 what);

/* --- replica_tx.c: replicas of this node's tasks --- */

/**
 * hc_replicas_init() - set up the replica sender of a new struct hc_tasks
 * @tasks: the node's tasks
 */
void hc_replicas_init(struct hc_tasks *tasks);

/**
 * hc_replica_want() - request that a replica of a task be sent to a neighbour
 * @tasks: the node's tasks
 * @task: the task
 */
void hc_replica_want(struct hc_tasks *tasks, struct hc_task *task);

/**
 * hc_replica_forget() - drop the replicas of a task, which are not needed any more
 * @tasks: the node's tasks
 * @task: the task
 *
 * Return: true if a DROP must be sent
 */
bool hc_replica_forget(struct hc_tasks *tasks, struct hc_task *task);

/**
 * hc_replica_given() - record that the neighbour from which a task has migrated stores a replica of
 *	the task
 * @tasks: the node's tasks
 * @dim: dimension of the link
 * @task: the task
 * @move: number of the migration
 *
 * Return: false if there is no memory, or if the neighbour must still drop too many replicas
 */
bool hc_replica_given(struct hc_tasks *tasks, unsigned int dim, struct hc_task *task, u64 move);

/**
 * hc_replicas_orphan() - forget all replicas at a neighbour that has failed
 * @tasks: the node's tasks
 * @dim: dimension of the link
 */
void hc_replicas_orphan(struct hc_tasks *tasks, unsigned int dim);

/**
 * hc_replicas_orphan_sent() - forget replicas that were sent to a neighbour that has failed
 * @tasks: the node's tasks
 * @dim: dimension of the link
 * @upto: forget the replicas with numbers up to this one
 */
void hc_replicas_orphan_sent(struct hc_tasks *tasks, unsigned int dim, u64 upto);

/**
 * hc_replicas_orphan_given() - forget replicas of tasks that have migrated from a neighbour that
 *	has failed
 * @tasks: the node's tasks
 * @dim: dimension of the link
 * @upto: forget the replicas with numbers up to this one
 */
void hc_replicas_orphan_given(struct hc_tasks *tasks, unsigned int dim, u64 upto);

/**
 * hc_replicas_lose() - forget all replicas of a node that has failed, and prepare a LOST for each
 *	neighbour
 * @tasks: the node's tasks
 */
void hc_replicas_lose(struct hc_tasks *tasks);

/**
 * hc_replica_survives() - find out whether a neighbour has a replica of a task
 * @tasks: the node's tasks
 * @task: the task
 * @maybe: true to count replicas even if the neighbour may have failed, or may not have stored the
 *	replica
 *
 * Context: config
 * Return: true if a neighbour has a replica
 */
bool hc_replica_survives(const struct hc_tasks *tasks, const struct hc_task *task, bool maybe);

/**
 * hc_replica_due() - compute the time at which hc_replica_step() must run for a link
 * @tasks: the node's tasks
 * @dim: dimension of the link
 *
 * Return: the time, ns; U64_MAX if it need not run
 */
u64 hc_replica_due(const struct hc_tasks *tasks, unsigned int dim);

/**
 * hc_replica_step() - send the replica and the control message that are due on a link
 * @node: the node
 * @tasks: its tasks
 * @dim: dimension of the link
 * @links: true if links may have failed or may be up again
 * @now: ns
 *
 * Context: poll; without @tasks->lock
 */
void hc_replica_step(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, bool links,
		     u64 now);

/**
 * hc_replica_rx() - process an answer of a neighbour that holds replicas
 * @node: the node
 * @tasks: its tasks
 * @dim: dimension of the link to the neighbour
 * @what: HC_TASK_F_KEPT, HC_TASK_F_FULL or HC_TASK_F_DROPPED
 * @number: number of the replica or control message that is answered
 *
 * Context: poll; without @tasks->lock
 * Return: false if no replica or control message with a number near @number was sent
 */
bool hc_replica_rx(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, u8 what,
		   u64 number);

/* --- replica_store.c: replicas of other nodes' tasks --- */
extern const struct hc_in_ops hc_in_copies;

/**
 * hc_kept_new() - allocate the record of a replica
 * @tasks: the node's tasks
 * @dim: dimension of the link to the neighbour for which the replica is held
 *
 * Return: the record, or NULL if there is no memory, or no room for another replica for this
 * neighbour
 */
struct hc_kept *hc_kept_new(struct hc_tasks *tasks, unsigned int dim);

/**
 * hc_kept_free() - free the record of a replica that is not in the store
 * @tasks: the node's tasks
 * @kept: the record, or NULL
 */
void hc_kept_free(struct hc_tasks *tasks, struct hc_kept *kept);

/**
 * hc_kept_hand() - store a task that has migrated to a neighbour as a replica for that neighbour
 * @tasks: the node's tasks
 * @dim: dimension of the link
 * @kept: record for the replica, from hc_kept_new()
 * @task: the task; takes over the caller's reference
 * @move: number of the migration
 */
void hc_kept_hand(struct hc_tasks *tasks, unsigned int dim, struct hc_kept *kept,
		  struct hc_task *task, u64 move);

/**
 * hc_kept_lose() - remove all replicas from the store of a node that has failed
 * @tasks: the node's tasks
 * @l: lists to which the replicas are moved
 */
void hc_kept_lose(struct hc_tasks *tasks, struct hc_losses *l);

/**
 * hc_neigh_lost() - find out whether a neighbour has failed, even if the poll has not acted on this
 *	failure
 * @tasks: the node's tasks
 * @dim: dimension of the link
 *
 * Context: config
 * Return: true if the neighbour has failed
 */
bool hc_neigh_lost(const struct hc_tasks *tasks, unsigned int dim);

/**
 * hc_neigh_unseen() - find out whether a neighbour may have failed without this node knowing it,
 *	because the link has no carrier
 * @tasks: the node's tasks
 * @dim: dimension of the link
 *
 * Context: config
 * Return: true if the link has no carrier
 */
bool hc_neigh_unseen(const struct hc_tasks *tasks, unsigned int dim);

/**
 * hc_kept_look() - act on failures of neighbours
 * @node: the node
 * @tasks: its tasks
 * @dims: mask of dimensions of the links to these neighbours
 *
 * Context: poll; without @tasks->lock
 */
void hc_kept_look(struct hc_node *node, struct hc_tasks *tasks, u32 dims);

/**
 * hc_kept_recover() - act on failures of neighbours, and put the replicas that were held for them
 *	into the queue; if there are many, later polls continue
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
 * @routed: the DROP was received by unicast
 * @skb: the frame
 *
 * Context: poll; without @tasks->lock
 */
void hc_kept_rx_drop(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, bool routed,
		     const struct sk_buff *skb);

#endif /* _HC_TASK_TASK_H */
