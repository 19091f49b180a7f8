/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks of a node: those that producers have put and workers have not completed.
 *
 * The *end* of a task socket is its state as a producer and worker at its node (struct
 * hc_task_end). A task is in the queue of its node, or is held by the end of the socket that has
 * taken it. One spin lock per node protects the queue and the ends, since system calls,
 * configuration and the node's poll use them.
 *
 * Lifetime: a node's struct hc_tasks is made when the first socket joins, or when the first TASK
 * frame arrives. The node holds a reference, and so does each end until its socket is closed: a
 * process may sleep on .wait after the node has been removed. The tasks in it do not outlive the
 * node.
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
	HC_MOVE_ROUND,		/* a load balancing round of this node */
	HC_MOVE_ASKED,		/* the neighbour to which the tasks migrate */
	HC_MOVE_NWHY
};

/**
 * struct hc_task_pace - the times at which a task or replica is sent again
 * @tries: number of times that the task or replica was sent
 * @due: time of the next check whether it must be sent again, ns
 * @late: time from which it is sent again even if segments that were sent before may wait in a
 *	receive queue, ns
 */
struct hc_task_pace {
	u8 tries;
	u64 due;
	u64 late;
};

/**
 * struct hc_way_out - the migration of tasks to the neighbour at the other end of a link; under
 * @tasks->lock
 * @task: the task that is migrating, or NULL
 * @move: number of the migration of @task, or of the last migration
 * @life: boot id of the neighbour's machine when the migration began; 0 if the neighbour is on this
 *	machine, or its machine had not sent a boot id
 * @why: requester of this migration, or of the last one: enum hc_move_why
 * @kept: record for the replica that this node stores when the neighbour has taken the task, or
 *	NULL
 * @want: for each requester, the number of tasks that must migrate after @task
 * @sent: for each requester, the number of tasks that the neighbour has taken
 * @asks: true if only ASKs about @task are sent from now on, and no segments
 * @since: time at which the stall timeout began, ns
 * @pace: times at which segments or an ASK are sent again
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
 * @ops: functions that handle what arrives: hc_in_tasks or hc_in_copies
 * @known: true if @closed and @taken are valid
 * @unverified: true if @refused is valid: an ASK about this number was received by unicast when
 *	this node knew no number of the neighbour, so the ASK may have been forged
 * @refused: number of a migration that is refused for this reason
 * @closed: number of the last migration about which this node has decided; all earlier ones have
 *	ended
 * @taken: the decision about @closed: true if the task was taken, false if it was refused
 * @coming: true if a task has arrived in part; then the fields below are valid
 * @move: number of its migration
 * @id: id and flags of the task
 * @keeps: true if the neighbour stores a replica of the task
 * @total: length of the task, bytes
 * @got: number of bytes of the task that have arrived
 * @first: first of its segments, which are linked by .next
 * @last: the last of its segments
 * @bytes: memory that its segments take, bytes
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
 * @now: the replica that is being sent to the neighbour, or NULL
 * @number: number of @now, or of the last replica that was sent
 * @pace: times at which @now is sent again
 * @rest: time before which no replica is sent, because the neighbour had no room or did not answer,
 *	ns
 * @cut: true if the link is unusable: then the tasks of @live and @handed must be replicated at
 *	other neighbours
 * @live: replicas that this node has sent and the neighbour holds, sorted by number
 * @handed: replicas, held by the neighbour, of tasks that have migrated from it, sorted by number
 * @drops: replicas that the neighbour must drop
 * @ndrops: number of entries in @drops
 * @lost: true if a LOST must be sent, since this node or the neighbour has failed
 * @had: payload of the LOST: the numbers up to which tasks and replicas were lost in this failure
 * @word: number of the control message (DROP or LOST) that has been sent last
 * @saying: true if this control message has not been answered
 * @said: number of entries at the head of @drops that this message, a DROP, contains; 0 if it is a
 *	LOST
 * @repeats: number of times that this control message was sent
 * @again: time at which this message is sent again, ns
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

/* Kinds of replicas. Each kind has numbers of its own. */
enum hc_kept_kind {
	HC_KEPT_SENT,		/* replicas that the neighbour has sent */
	HC_KEPT_HANDED,		/* tasks that have migrated to the neighbour */
	HC_KEPT_NKINDS
};

/**
 * struct hc_way_kept - replicas that this node holds for the neighbour; under @tasks->lock
 * @copies: the replicas of each kind, sorted by number
 * @bytes: memory that all these replicas take, bytes
 * @orphans: mask of the kinds, BIT(kind), of which replicas must be recovered, since the neighbour
 *	has failed
 * @upto: for each kind in @orphans, the number up to which replicas must be recovered
 * @owed: true if a LOST must be answered when all these replicas have been recovered
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

/* State of tasks and replicas at one link: from struct hc_way_out to struct hc_way_kept. */
struct hc_way {
	struct hc_way_out out;
	struct hc_way_in in;
	struct hc_way_in copies;
	struct hc_way_replicas replicas;
	struct hc_way_kept kept;
};

/**
 * struct hc_task_end - the state of a task socket at its node; under @tasks->lock
 * @tasks: the node's tasks, with a reference; set once, before the socket is bound
 * @joined: true if the end is in @tasks->ends; otherwise it can neither put nor take tasks
 * @among: entry in @tasks->ends
 * @put: tasks that the end has put into the queue and whose memory is charged to its socket
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

/* Numbers of tasks that are at the node, and counters of events; see HYPERCUBE_A_TASKS_*. */
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
 * @ref: reference count: the node and each end hold a reference
 * @fabric: the fabric, whose accounting owner is charged for the tasks; valid as long as there are
 *	tasks or ends, whose sockets hold references to it
 * @node: the node; valid as long as an end has joined, and in the node's poll
 * @lock: protects the fields below; the locks of wait queues and sockets nest inside it
 * @nr: number of the last task that a producer has put into the queue of this node
 * @queue: tasks that wait for a worker; the next one is first
 * @lacking: tasks of which a replica must be sent to a neighbour
 * @copying: true if a task of this node has ever required a replica, or this node has ever held a
 *	replica of another node's task
 * @ends: ends of the sockets that are bound to the node
 * @stats: numbers of tasks
 * @wait: processes that wait for a task (EPOLLIN) or for room (EPOLLOUT); those in sendmsg() and
 *	recvmsg() wait exclusively
 * @timer: expires when the first entry of @way is due; the poll starts it
 * @way: state of tasks and replicas at each link
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
 * hc_tasks_node_gone() - lose all tasks of a node that is being removed (phase 1 of the fabric's
 *	removal)
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
 * Return: false if the node has never had tasks
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
 * Idempotent tasks that the end holds return to the head of the queue; other tasks that it holds
 * are lost. Tasks that it has put into the queue are not charged to its socket any more.
 *
 * Context: process, under hc_fabric.sock_lock, before the node is removed
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
 * @skb: payload of the task; consumed, even on error
 * @flags: HYPERCUBE_TASK_*
 *
 * Return: the task, -ENOMEM, or -ENOBUFS if the accounting owner's limit is reached, as an ERR_PTR
 */
struct hc_task *hc_task_make(struct hc_fabric *fabric, struct sk_buff *skb, u32 flags);

/**
 * hc_task_put() - drop a reference to a task, and free the task with the last one
 * @fabric: the fabric whose accounting owner is charged for the task
 * @task: the task
 */
void hc_task_put(struct hc_fabric *fabric, struct hc_task *task);

/**
 * hc_tasks_put() - give a task a number, and append it to the queue
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
 * @max: size of the worker's buffer, bytes
 * @id: set to the id and the flags of the task
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
 * Return: the segments of the payload, linked by .next
 */
const struct sk_buff *hc_task_says(const struct hc_task *task, u32 *len);

/**
 * hc_tasks_taken() - complete or undo hc_tasks_take()
 * @end: the worker's end
 * @task: the task
 * @back: true to put the task back, since the payload could not be copied to the worker
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
 * hc_tasks_pass() - wake up the next waiter when a system call stops waiting, since this call may
 *	have consumed a wakeup that another waiter needs
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
