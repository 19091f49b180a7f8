/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks of a node: what producers have put and workers have not yet done.
 *
 * A task is in the queue of its node, or held by the end of a socket that has taken it.  All of
 * that is under one spin lock of the node's own, for system calls, configuration and the node's
 * poll meet there.
 *
 * Lifetime: a node's struct hc_tasks is made when the first socket joins, or the first frame about
 * a task comes, and is kept by the node, and by each end until its socket is closed, which
 * waits at .wait, also after the node is gone.  Tasks are gone with the node at the latest.
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

/* What happens to a task; for tracepoints. */
enum hc_task_event {
	HC_TASK_PUT,	/* a producer has put it */
	HC_TASK_TAKEN,	/* a worker has taken it */
	HC_TASK_DONE,	/* the worker is done */
	HC_TASK_BACK,	/* the worker is gone, it is in the queue again */
	HC_TASK_LOST,	/* nobody will execute it (again) */
	HC_TASK_SENT,	/* a neighbour has it */
	HC_TASK_RECEIVED, /* it has come from a neighbour */
	HC_TASK_KEPT,	/* the neighbour has not taken it */
	HC_TASK_DOUBT,	/* nobody knows whether the neighbour has it */
	HC_TASK_COPIED,	/* a neighbour keeps a copy */
	HC_TASK_REVIVED, /* its node has failed, and the copy is in the queue */
};

struct hc_in_ops;
struct hc_kept;
struct hc_spare;
struct hc_task;

/* For whom tasks are handed over. */
enum hc_move_why {
	HC_MOVE_COMMAND,	/* the administrator */
	HC_MOVE_ROUND,		/* a round of balancing */
	HC_MOVE_ASKED,		/* the neighbour has asked for them */
	HC_MOVE_NWHY
};

/**
 * struct hc_task_pace - when a task is sent again
 * @tries: how often something was said
 * @due: when that is to be looked at next, ns
 * @late: when it is sent again even if segments or answers wait to be taken, ns
 */
struct hc_task_pace {
	u8 tries;
	u64 due;
	u64 late;
};

/**
 * struct hc_way_out - tasks that go to the neighbour behind a link; under @tasks->lock
 * @task: the one that is being handed over, or NULL
 * @move: number of its handover, or of the last one
 * @life: of the machine it was for when that began, or 0: of this one, or one that has not said
 * @why: for whom it is, or the last one was: enum hc_move_why
 * @kept: what is kept of it for the neighbour once that has taken it, or NULL
 * @want: how many are to follow, for each of them
 * @sent: how many the neighbour has taken, for each of them
 * @asks: the neighbour is asked about it, and sent nothing any more
 * @since: since when its answer may have been lost, or was, ns
 * @pace: when something is to be said again
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
 * struct hc_way_in - those that come from there; the same
 * @ops: what becomes of them
 * @known: @closed is valid
 * @hearsay: @refused is valid: before anything was known of the neighbour's numbers, somebody
 *	asked about that one by unicast
 * @refused: it is not taken
 * @closed: this handover and all before it are decided
 * @taken: this one so
 * @coming: the beginning of a task is here, and what follows is valid
 * @move: its handover
 * @id: its id and flags
 * @keeps: the neighbour will keep a copy of it
 * @total: its length
 * @got: how much of it is here
 * @first: its segments, by .next
 * @last: the last of them
 * @bytes: what they take
 */
struct hc_way_in {
	const struct hc_in_ops *ops;
	bool known;
	bool hearsay;
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
 * struct hc_way_spare - copies of this node's tasks that the neighbour keeps; the same
 * @now: the one that is being sent, or NULL
 * @number: its number, or that of the last one
 * @pace: when it is to be sent again
 * @rest: the neighbour had no room, or was silent: it is not tried before this time, ns
 * @cut: the link is unusable, and the tasks of @live and @handed have to be copied elsewhere
 * @live: copies that were sent and are kept, by number
 * @handed: those that the neighbour has kept when it handed over the task
 * @drops: those that it is to drop
 * @ndrops: how many these are
 * @lost: this node or the neighbour has failed, and is to be told
 * @had: what was lost then
 * @word: number of the word that says one of the two, or of the last one
 * @saying: it is not answered
 * @said: how many of @drops it names, the first ones; 0: it is about @lost
 * @repeats: how often it was said
 * @again: when it is to be said again, ns
 */
struct hc_way_spare {
	struct hc_spare *now;
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

/* Copies of two kinds, each with numbers of its own. */
enum hc_kept_kind {
	HC_KEPT_SENT,		/* the neighbour has sent them */
	HC_KEPT_HANDED,		/* the tasks were handed over to it; by that number */
	HC_KEPT_NKINDS
};

/**
 * struct hc_way_kept - copies that this node keeps for the neighbour; the same
 * @copies: of each kind, by number
 * @bytes: what all of them take
 * @orphans: of which kinds some go into the queue, for the neighbour has failed; BIT(kind)
 * @upto: of each of these: those up to this number
 * @owed: a LOST is answered when that is done
 * @word: its number
 */
struct hc_way_kept {
	struct rb_root copies[HC_KEPT_NKINDS];
	u64 bytes;
	u8 orphans;
	u64 upto[HC_KEPT_NKINDS];
	bool owed;
	u64 word;
};

struct hc_way {
	struct hc_way_out out;
	struct hc_way_in in;
	struct hc_way_in copies;
	struct hc_way_spare spare;
	struct hc_way_kept kept;
};

/**
 * struct hc_task_end - a socket's part in the tasks of its node; under @tasks->lock
 * @tasks: those of the node, with a reference; set once, before the socket is bound
 * @joined: in the list of ends there; else nothing can be put or taken any more
 * @among: there
 * @put: tasks that it has put and whose memory is charged to its socket
 * @held: tasks that it has taken, in this order
 * @nheld: how many
 * @last: the last that it has put
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

/* How many tasks there are, and were; see HYPERCUBE_A_TASKS_*. */
struct hc_tasks_stats {
	u32 queued;
	u32 held;
	u64 bytes;
	u64 put;
	u64 taken;
	u64 done;
	u64 repeated;
	u64 lost;
	u32 moving;
	u64 sent;
	u64 received;
	u64 doubt;
	u32 copied;
	u32 kept;
	u64 revived;
};

/**
 * struct hc_tasks - the tasks of a node
 * @ref: the node's, and that of each end
 * @fabric: whose payer is charged for them; as long as there are any, and for ends, whose sockets
 *	have a reference to it
 * @node: the node; as long as an end has joined, and for the node's own calls
 * @lock: protects all that follows; the queue's and the sockets' locks come after it
 * @nr: of the last task that was put here
 * @queue: tasks that wait, the next one first
 * @lacking: tasks that a neighbour is to keep, too
 * @copying: there have been such tasks here, or copies of others'
 * @ends: of the sockets that are bound
 * @stats: in numbers
 * @wait: calls that wait for a task (EPOLLIN) or for room (EPOLLOUT); exclusive, but for poll()
 * @timer: when the first of @way is due; the poll starts it
 * @way: for each link
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

/* --- the node's; config --- */
/* The node was failed, or is in service again. */
void hc_tasks_follow(struct hc_node *node);
/* The node goes away, and its sockets have left: all that is left is lost; phase 1. */
void hc_tasks_node_gone(struct hc_node *node);
/* Nobody finds the node any more. */
void hc_tasks_free(struct hc_node *node);
/* Are there any numbers? A snapshot. */
bool hc_tasks_stats(const struct hc_node *node, struct hc_tasks_stats *stats);

/* --- an end; sockets --- */
void hc_task_end_init(struct hc_task_end *end);
/* Under hc_fabric.sock_lock.  0 or -ENOMEM. */
int hc_tasks_join(struct hc_node *node, struct hc_task_end *end);
/* The socket leaves: what it holds goes back to the head of the queue, or is lost, and what it has
 * put is charged to it no longer.  Under hc_fabric.sock_lock, before the node is gone.
 */
void hc_tasks_leave(struct hc_task_end *end);
/* The socket is closed, and has left. */
void hc_task_end_exit(struct hc_task_end *end);

/* A task of @skb, which it consumes, also if it returns an ERR_PTR.  @flags: HYPERCUBE_TASK_* */
struct hc_task *hc_task_make(struct hc_fabric *fabric, struct sk_buff *skb, u32 flags);
void hc_task_put(struct hc_fabric *fabric, struct hc_task *task);
/* Queue it and give it a number.  0; -EAGAIN: there is no room; -EHOSTDOWN; -ENODEV. */
int hc_tasks_put(struct hc_task_end *end, struct hc_task *task);
/* Take the first task, of @max bytes at most; with a reference.  0; -EAGAIN: there is none;
 * -EMSGSIZE; -ENOBUFS: the end holds too many; -ENODEV.
 */
int hc_tasks_take(struct hc_task_end *end, size_t max, struct hypercube_task *id,
		  struct hc_task **task);
/* What it says, in pieces, by .next; and its length. */
const struct sk_buff *hc_task_says(const struct hc_task *task, u32 *len);
/* The worker has got it, or (@back) not: then nobody has taken it. */
void hc_tasks_taken(struct hc_task_end *end, struct hc_task *task, bool back);
/* 0, or -ENOENT: the end does not hold it. */
int hc_tasks_done(struct hc_task_end *end, const struct hypercube_task *id);
void hc_task_last(struct hc_task_end *end, struct hypercube_task *id);
/* What poll() says of the queue. */
__poll_t hc_tasks_poll(struct hc_task_end *end);
/* A call that gives up waiting for @what may have been woken up instead of another one. */
void hc_tasks_pass(struct hc_task_end *end, __poll_t what);

#endif /* _HC_TASK_QUEUE_H */
