/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks of a node: those that producers have put and workers have not completed.
 *
 * The *end* of a socket is its part in the tasks of its node (struct hc_task_end). A task is in the
 * queue of its node, or is held by the end of the socket that has taken it. One spin lock per node
 * protects the queue and the ends, since system calls, configuration and the node's poll use them.
 *
 * Lifetime: a node's struct hc_tasks is made when the first socket joins, or when the first TASK
 * frame arrives. The node holds a reference, and so does each end until its socket is closed: a
 * process that sleeps on .wait may outlive the node. The tasks themselves are removed with the node
 * at the latest.
 */
#ifndef _HC_TASK_QUEUE_H
#define _HC_TASK_QUEUE_H

#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/poll.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/hypercube.h>

#include "wire.h"

struct hc_fabric;
struct hc_node;
struct sk_buff;

struct hc_in_ops;
struct hc_kept;
struct hc_replica;
struct hc_task;

/* The requester of a migration. */
enum hc_move_why {
	HC_MOVE_COMMAND,	/* the administrator */
	HC_MOVE_ROUND,		/* a load balancing round */
	HC_MOVE_ASKED,		/* the neighbour that gets the tasks */
	HC_MOVE_NWHY
};

/**
 * struct hc_task_pace - when a task or replica is sent again
 * @tries: how often the task or replica was sent
 * @due: time at which to check whether to send it again, ns
 * @late: time from which it is sent again even if earlier segments may still wait in a receive
 *	queue, ns
 */
struct hc_task_pace {
	u8 tries;
	u64 due;
	u64 late;
};

/**
 * struct hc_way_out - tasks that migrate to the neighbour behind a link; under @tasks->lock
 * @task: the task that is migrating, or NULL
 * @move: number of its migration, or of the last one
 * @life: boot id of the neighbour's machine when the migration began; 0: the neighbour is on this
 *	machine, or its machine had not sent its boot id
 * @why: requester of this migration, or of the last one: enum hc_move_why
 * @kept: memory for the replica that stays here once the neighbour has taken the task, or NULL
 * @want: for each requester, how many tasks are still to migrate after @task
 * @sent: for each requester, how many tasks the neighbour has taken
 * @asks: the neighbour is only sent ASKs about @task, and no more segments
 * @since: time from which the stall timeout counts, ns
 * @pace: when to send segments or an ASK again
 */
struct hc_way_out {
	struct hc_task *task;
	u64 move;
	u32 life;
	u8 why;
	struct hc_kept *kept;
	u32 want[HC_MOVE_NWHY];
	u32 sent[HC_MOVE_NWHY];
	bool asks;
	u64 since;
	struct hc_task_pace pace;
};

/**
 * struct hc_way_in - tasks or replicas that arrive from a neighbour; under @tasks->lock
 * @ops: what is done with these tasks or replicas: hc_in_tasks or hc_in_copies
 * @known: @closed is valid
 * @unverified: @refused is valid: an ASK about it was received by unicast, and may be forged, since
 *	no number of the neighbour was known
 * @refused: number of a migration that is refused
 * @closed: number of the last migration that is decided; all earlier migrations have ended
 * @taken: the decision about @closed: true if the task was taken, false if it was refused
 * @coming: a task has arrived in part, and the members below are valid
 * @move: number of its migration
 * @id: id and flags of the task
 * @keeps: the neighbour will keep a replica of the task
 * @total: length of the task, bytes
 * @got: how many bytes of it have arrived
 * @first: its segments, linked by .next
 * @last: the last of its segments
 * @bytes: memory that its segments take
 */
struct hc_way_in {
	const struct hc_in_ops *ops;
	bool known;
	bool unverified;
	u64 refused;
	u64 closed;
	bool taken;
	bool coming;
	u64 move;
	struct hypercube_task id;
	bool keeps;
	u32 total;
	u32 got;
	struct sk_buff *first;
	struct sk_buff *last;
	u32 bytes;
};

/**
 * struct hc_way_replicas - replicas of this node's tasks that the neighbour holds; under
 * @tasks->lock
 * @now: the replica that is being sent, or NULL
 * @number: number of @now, or of the last replica that was sent
 * @pace: when to send @now again
 * @rest: no replica is sent before this time, since the neighbour had no room or did not answer, ns
 * @cut: the link is unusable, and the tasks of @live and @handed have to be replicated elsewhere
 * @live: replicas that were sent and are held, by number
 * @handed: replicas of tasks that have migrated from the neighbour, by number
 * @drops: replicas that the neighbour is to drop
 * @ndrops: number of entries in @drops
 * @lost: a LOST is to be sent, since this node or the neighbour has failed
 * @had: what was lost in that failure: the payload of the LOST
 * @word: number of the present control message, DROP or LOST, or of the last one
 * @saying: the present control message was sent, and is not answered
 * @said: that message is a DROP of this many entries at the head of @drops; 0: it is a LOST
 * @repeats: how often the present control message was sent
 * @again: when to send that message again, ns
 */
struct hc_way_replicas {
	struct hc_replica *now;
	u64 number;
	struct hc_task_pace pace;
	u64 rest;
	bool cut;
	struct list_head live;
	struct list_head handed;
	struct list_head drops;
	u32 ndrops;
	bool lost;
	struct hc_wire_task_lost had;
	u64 word;
	bool saying;
	u32 said;
	u8 repeats;
	u64 again;
};

/* Kinds of replicas, each with numbers of its own. */
enum hc_kept_kind {
	HC_KEPT_SENT,		/* sent by the neighbour */
	HC_KEPT_HANDED,		/* kept here after a migration; numbered by migration */
	HC_KEPT_NKINDS
};

/**
 * struct hc_way_kept - replicas that this node holds for the neighbour; under @tasks->lock
 * @copies: the replicas of each kind, by number
 * @bytes: memory that all of them take
 * @orphans: kinds of which replicas are to be recovered, since the neighbour has failed; BIT(kind)
 * @upto: for each kind in @orphans: replicas up to this number are to be recovered
 * @owed: a LOST is to be answered when the replicas of all kinds in @orphans are recovered
 * @word: number of that LOST
 */
struct hc_way_kept {
	struct rb_root copies[HC_KEPT_NKINDS];
	u64 bytes;
	u8 orphans;
	u64 upto[HC_KEPT_NKINDS];
	bool owed;
	u64 word;
};

/* State of one link and of the neighbour behind it: struct hc_way_out to struct hc_way_kept. */
struct hc_way {
	struct hc_way_out out;
	struct hc_way_in in;
	struct hc_way_in copies;
	struct hc_way_replicas replicas;
	struct hc_way_kept kept;
};

/**
 * struct hc_task_end - a socket's part in the tasks of its node; under @tasks->lock
 * @tasks: the node's tasks, with a reference; set once, before the socket is bound
 * @joined: the end is in @tasks->ends; else it can neither put nor take tasks any more
 * @among: entry in @tasks->ends
 * @put: tasks that the end has put and whose memory is charged to its socket
 * @held: tasks that the end has taken and not completed, in the order in which it has taken them
 * @nheld: number of tasks in @held
 * @last: id of the last task that the end has put
 */
struct hc_task_end {
	struct hc_tasks *tasks;
	bool joined;
	struct list_head among;
	struct list_head put;
	struct list_head held;
	unsigned int nheld;
	struct hypercube_task last;
};

/* Numbers of tasks present and past; see HYPERCUBE_A_TASKS_*. */
struct hc_tasks_stats {
	u32 queued;
	u32 held;
	u64 bytes;
	u64 put;
	u64 taken;
	u64 done;
	u64 redelivered;
	u64 lost;
	u32 moving;
	u64 sent;
	u64 received;
	u64 unresolved;
	u32 replicated;
	u32 replicas_held;
	u64 recovered;
};

/**
 * struct hc_tasks - the tasks of a node
 * @ref: number of references: the node and each end hold one
 * @fabric: the fabric, whose accounting owner is charged for the tasks; valid as long as there are
 *	tasks, and for ends, whose sockets hold a reference to it
 * @node: the node; valid as long as an end has joined, and for the node's own calls
 * @lock: protects the members below; the queue's and the sockets' locks are taken inside it
 * @nr: number of the last task that was put here
 * @queue: tasks that wait, the next one first
 * @lacking: tasks for which a neighbour is to be found that holds a replica
 * @copying: true once a task of this node was to have a replica, or this node has held a replica of
 *	another node's task
 * @ends: ends of the sockets that are bound to the node
 * @stats: numbers of tasks
 * @wait: system calls that wait for a task (EPOLLIN) or for room (EPOLLOUT); all but poll() wait
 *	exclusively
 * @timer: runs when the first of @way is due; the poll starts it
 * @way: state of each link and its neighbour
 */
struct hc_tasks {
	struct kref ref;
	struct hc_fabric *fabric;
	struct hc_node *node;
	spinlock_t lock;
	u64 nr;
	struct list_head queue;
	struct list_head lacking;
	bool copying;
	struct list_head ends;
	struct hc_tasks_stats stats;
	wait_queue_head_t wait;
	struct hrtimer timer;
	struct hc_way way[];
};

/* --- the node; context: config, under hc_fabric.lock unless stated otherwise --- */

/**
 * hc_tasks_follow() - lose the tasks of a node that has failed, unless it is in service again
 * @node: the node
 */
void hc_tasks_follow(struct hc_node *node);

/**
 * hc_tasks_node_gone() - lose all tasks of a node that goes away, phase 1 of the teardown
 * @node: the node, whose sockets have left
 */
void hc_tasks_node_gone(struct hc_node *node);

/**
 * hc_tasks_free() - drop the node's reference
 * @node: the node, which no other context finds any more
 */
void hc_tasks_free(struct hc_node *node);

/**
 * hc_tasks_stats() - get numbers of tasks
 * @node: the node
 * @stats: set to a snapshot
 *
 * Return: false if the node never had tasks
 */
bool hc_tasks_stats(const struct hc_node *node, struct hc_tasks_stats *stats);

/* --- an end; context: system calls on its socket --- */

/**
 * hc_task_end_init() - initialise the end of a socket that is not bound
 * @end: the end
 */
void hc_task_end_init(struct hc_task_end *end);

/**
 * hc_tasks_join() - attach an end to a node
 * @node: the node
 * @end: the end
 *
 * Context: process, under hc_fabric.sock_lock
 * Return: 0 or -ENOMEM
 */
int hc_tasks_join(struct hc_node *node, struct hc_task_end *end);

/**
 * hc_tasks_leave() - detach an end from its node
 * @end: the end, which has joined
 *
 * Idempotent tasks that it holds go back to the head of the queue, others are lost. Tasks that it
 * has put are no longer charged to its socket.
 *
 * Context: process, under hc_fabric.sock_lock, before the node is gone
 */
void hc_tasks_leave(struct hc_task_end *end);

/**
 * hc_task_end_exit() - drop the end's reference when its socket is closed
 * @end: the end, which has left
 */
void hc_task_end_exit(struct hc_task_end *end);

/**
 * hc_task_make() - make a task
 * @fabric: the fabric whose accounting owner is charged for the task
 * @skb: its payload, which is consumed, also on error
 * @flags: HYPERCUBE_TASK_*
 *
 * Return: the task, -ENOMEM, or -ENOBUFS if the accounting owner's limit is reached, as an ERR_PTR
 */
struct hc_task *hc_task_make(struct hc_fabric *fabric, struct sk_buff *skb, u32 flags);

/**
 * hc_task_put() - drop a reference to a task
 * @fabric: the fabric whose accounting owner is charged for the task
 * @task: the task
 */
void hc_task_put(struct hc_fabric *fabric, struct hc_task *task);

/**
 * hc_tasks_put() - give a task a number, and queue it
 * @end: the producer's end
 * @task: the task; on success the queue has the caller's reference
 *
 * Return: 0; -EAGAIN if there is no room; -EHOSTDOWN if the node has failed; -ENODEV if the node is
 *	gone
 */
int hc_tasks_put(struct hc_task_end *end, struct hc_task *task);

/**
 * hc_tasks_take() - take the first task of the queue
 * @end: the worker's end
 * @max: bytes that the worker has room for
 * @id: set to its id and flags
 * @task: set to the task, with a reference
 *
 * Return: 0; -EAGAIN if no task waits; -EMSGSIZE if the task is longer than @max; -ENOBUFS if the
 *	end holds too many tasks; -ENODEV if the node is gone
 */
int hc_tasks_take(struct hc_task_end *end, size_t max, struct hypercube_task *id,
		  struct hc_task **task);

/**
 * hc_task_says() - get the payload of a task
 * @task: the task
 * @len: set to its length, bytes
 *
 * Return: its segments, linked by .next
 */
const struct sk_buff *hc_task_says(const struct hc_task *task, u32 *len);

/**
 * hc_tasks_taken() - complete or undo hc_tasks_take()
 * @end: the worker's end
 * @task: the task
 * @back: undo it, since the payload did not reach the worker
 */
void hc_tasks_taken(struct hc_task_end *end, struct hc_task *task, bool back);

/**
 * hc_tasks_done() - complete a task
 * @end: the worker's end
 * @id: id of the task
 *
 * Return: 0, or -ENOENT if the end does not hold it
 */
int hc_tasks_done(struct hc_task_end *end, const struct hypercube_task *id);

/**
 * hc_task_last() - get the id of the last task that an end has put
 * @end: the end
 * @id: set to it
 */
void hc_task_last(struct hc_task_end *end, struct hypercube_task *id);

/**
 * hc_tasks_poll() - compute the events of poll() that depend on the queue
 * @end: the end
 *
 * Return: EPOLLIN and EPOLLOUT bits
 */
__poll_t hc_tasks_poll(struct hc_task_end *end);

/**
 * hc_tasks_pass() - wake up the next waiter when a system call stops waiting: the call may have
 *	consumed a wakeup that another one needs
 * @end: the end
 * @what: EPOLLIN or EPOLLOUT: the event that the system call waited for
 */
void hc_tasks_pass(struct hc_task_end *end, __poll_t what);

/**
 * hc_tasks_init() - register tasks with fabrics, nodes and frame types
 *
 * Context: the module's init
 */
void hc_tasks_init(void);

#endif /* _HC_TASK_QUEUE_H */
