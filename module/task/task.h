/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of task/.
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
 * @list: in hc_tasks.queue or hc_task_end.held; of one that is being handed over: in none
 * @by: in hc_task_end.put of its producer, if that still answers for it
 * @ref: that of the list, or of the way, and of calls that read @skb
 * @skb: what it says, in pieces, by .next; NULL: a worker has it, and nobody else will get it
 * @len: bytes of it
 * @id: its id and flags
 * @bytes: counted for it at the node
 * @charged: of these, what the payer was charged for it; the rest was charged for its frames
 * @lack: in hc_tasks.lacking
 * @copy: the copy that a neighbour keeps, or NULL
 * @coming: the one that is on its way to a neighbour, or NULL
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
 * struct hc_in_ops - what a receiver of segments does with tasks
 * @room: is there room for one more?
 * @take: it is complete; false: no memory
 * @yes: enum hc_task_what: it was taken
 * @no: it was not, and never will be
 */
struct hc_in_ops {
	bool (*room)(const struct hc_tasks *tasks, const struct hc_way_in *in);
	bool (*take)(struct hc_tasks *tasks, struct hc_way_in *in, struct hc_task *task);
	u8 yes;
	u8 no;
};

/**
 * struct hc_losses - tasks that the node loses, by what is known of them
 * @lost: nobody has them
 * @doubt: a neighbour may have them
 * @saved: one keeps them
 * @all: nobody will be there to have them
 */
struct hc_losses {
	struct list_head lost;
	struct list_head doubt;
	struct list_head saved;
	bool all;
};

/* How long the first answer is waited for; then twice as long each time. */
#define HC_TASK_REPEAT_MIN	(20ULL * NSEC_PER_MSEC)
#define HC_TASK_REPEAT_MAX	((u64)NSEC_PER_SEC)
/* A link that has answered nothing so often may be silent. */
#define HC_TASK_TRIES		6
/* So many numbers may be ahead of what is known, in what comes by unicast. */
#define HC_TASK_AHEAD_MAX	1024

#define HC_TASK_READERS	(EPOLLIN | EPOLLRDNORM)
#define HC_TASK_WRITERS	(EPOLLOUT | EPOLLWRNORM)

/* Numbers of a link begin anywhere. */
static inline bool hc_task_upto(u64 number, u64 upto)
{
	return (s64)(upto - number) >= 0;
}

static inline u64 hc_task_pause(unsigned int tries)
{
	return min_t(u64, HC_TASK_REPEAT_MIN << min(tries, 10U), HC_TASK_REPEAT_MAX);
}

/* Returns the tasks of a node, which stay once they are there, or NULL. */
static inline struct hc_tasks *hc_tasks_of(const struct hc_node *node)
{
	/* Pairs with hc_tasks_make(). */
	return smp_load_acquire(&node->tasks);
}

/* Returns the tasks of a node, made if there were none; NULL: no memory. */
struct hc_tasks *hc_tasks_make(struct hc_node *node, gfp_t gfp);
/* Is there room for one more? */
bool hc_tasks_room(const struct hc_tasks *tasks);
void hc_tasks_wake(struct hc_tasks *tasks, __poll_t what);
/* Take it from all lists, and its bytes from the node's.  True: that makes room. */
bool hc_task_unlink(struct hc_tasks *tasks, struct hc_task *task);
/* A new one has these. */
void hc_task_init(struct hc_task *task);
/* Tell of the tasks, which nobody else finds any more, and free them. */
void hc_tasks_report(struct hc_node *node, enum hypercube_task_loss loss, struct list_head *lost);

/* May the node take tasks?  Who fails it, or removes the fabric, says so before it looks for what
 * has to be lost, under the lock.
 */
bool hc_tasks_served(const struct hc_tasks *tasks);

/* --- move_in.c; all under @tasks->lock --- */
/* The handover and all before it are decided, this one as @taken says. */
void hc_in_close(struct hc_tasks *tasks, struct hc_way_in *in, u64 move, bool taken);
/* A neighbour that was made anew has decided nothing, and its numbers begin anew. */
void hc_in_forget(struct hc_way_in *in);
/* Returns the answer to a segment, or 0: there is none (yet).  *skb is NULL if it was kept. */
u8 hc_in_segment(struct hc_tasks *tasks, struct hc_way_in *in, const struct hc_wire_task *w,
		 struct sk_buff **skb);
/* Who is asked about what is not decided decides. */
u8 hc_in_asked(struct hc_tasks *tasks, struct hc_way_in *in, u64 move, bool routed);

extern const struct hc_in_ops hc_in_tasks;

/* --- queue.c --- */
/* Whoever loses it: move it to the list that fits; @handing: a neighbour may have it.  Under
 * @tasks->lock.
 */
void hc_task_lose(struct hc_tasks *tasks, struct hc_task *task, struct hc_losses *l,
		  bool handing);
/* Tell of what has happened to tasks, some at a time. */
struct hc_tasks_tale {
	struct hc_node *node;
	enum hypercube_task_loss loss;
	struct hypercube_task ids[32];
	unsigned int n;
	unsigned int told;
	u64 count;
};

void hc_tasks_tell(struct hc_tasks_tale *tale, const struct hypercube_task *id);
void hc_tasks_told(struct hc_tasks_tale *tale);

/* --- move.c --- */
void hc_ways_init(struct hc_tasks *tasks);
/* The node has failed: move what is being handed over to @l, and forget what is coming; under
 * @tasks->lock.
 */
void hc_ways_lose(struct hc_tasks *tasks, struct hc_losses *l);
/* The neighbour has failed, and what it has taken (up to *@upto) is kept here: that comes back; the
 * same.
 */
bool hc_out_orphan(struct hc_tasks *tasks, unsigned int dim, const u64 *upto);
/* Nobody knows whether the neighbour has taken what is being handed over: it comes back (true), or
 * is moved to @doubt; the same.
 */
bool hc_out_forget(struct hc_tasks *tasks, unsigned int dim, struct list_head *doubt);
/* Segments that were sent, or their answer, wait to be taken, as far as the node can see: it is too
 * soon to send them again.  Poll.
 */
bool hc_task_waits(const struct hc_node *node, unsigned int dim, struct hc_task_pace *pace,
		   u64 now);
/* They are sent: not again before this. */
void hc_task_sent(struct hc_task_pace *pace, u64 now);
/* Send a task in segments, each with what @as says: DATA or COPY, and so on.  Poll. */
void hc_task_send(struct hc_node *node, unsigned int dim, const struct hc_task *task,
		  const struct hc_wire_task *as);
struct sk_buff *hc_task_word(const struct hc_node *node, u8 what, u64 number, u32 len);
/* Say a word to the neighbour along @dim, around the link if that is unusable; consumes, NULL is
 * no word.  What gets lost is said again.  Poll.
 */
void hc_task_say(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
/* The receiver has decided about a handover: TAKEN or NOT, or is not there any more: UNKNOWN.
 * True: it is the one that is under way.  Poll.
 */
bool hc_out_decided(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, u64 move,
		    u8 what);

/* --- spare.c: copies of this node's tasks; under @tasks->lock if not said otherwise --- */
void hc_spares_init(struct hc_tasks *tasks);
/* A neighbour is to keep it, too. */
void hc_spare_want(struct hc_tasks *tasks, struct hc_task *task);
/* It is needed no more.  True: somebody has to be told. */
bool hc_spare_forget(struct hc_tasks *tasks, struct hc_task *task);
/* The neighbour along @dim has handed it over and keeps it.  False: no memory, or it has too much
 * to drop.
 */
bool hc_spare_given(struct hc_tasks *tasks, unsigned int dim, struct hc_task *task, u64 move);
/* The neighbour has failed, and keeps nothing. */
void hc_spares_orphan(struct hc_tasks *tasks, unsigned int dim);
/* Nor what was sent to it, or what it has handed over, up to that number. */
void hc_spares_orphan_sent(struct hc_tasks *tasks, unsigned int dim, u64 upto);
void hc_spares_orphan_given(struct hc_tasks *tasks, unsigned int dim, u64 upto);
/* The node has failed. */
void hc_spares_lose(struct hc_tasks *tasks);
/* Is it kept by a neighbour that is known not to have failed, or (@maybe) may it be?  Config. */
bool hc_spare_survives(const struct hc_tasks *tasks, const struct hc_task *task, bool maybe);
/* When something is due, or U64_MAX. */
u64 hc_spare_due(const struct hc_tasks *tasks, unsigned int dim);
/* Do what is due; @links: some may have failed.  Poll, not under the lock. */
void hc_spare_step(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, bool links,
		   u64 now);
/* The keeper has answered.  False: to nothing that was ever said.  Poll, not under the lock. */
bool hc_spare_rx(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, u8 what,
		 u64 number);

/* --- keeper.c: copies of others' tasks; the same --- */
extern const struct hc_in_ops hc_in_copies;

/* What one more takes, or NULL: that is not to be kept. */
struct hc_kept *hc_kept_new(struct hc_tasks *tasks, unsigned int dim);
void hc_kept_free(struct hc_tasks *tasks, struct hc_kept *kept);
/* The neighbour along @dim has taken the task by that handover: keep it for it. */
void hc_kept_hand(struct hc_tasks *tasks, unsigned int dim, struct hc_kept *kept,
		  struct hc_task *task, u64 move);
/* The node has failed: nothing is kept any more; what nobody else has goes to @l. */
void hc_kept_lose(struct hc_tasks *tasks, struct hc_losses *l);
/* Has the neighbour failed since anybody has looked?  Config. */
bool hc_neigh_lost(const struct hc_tasks *tasks, unsigned int dim);
/* Nothing leads to it: it may have failed, and nobody here would have heard.  The same. */
bool hc_neigh_unseen(const struct hc_tasks *tasks, unsigned int dim);
/* Has one of the neighbours along @dims failed since?  Poll, not under the lock. */
void hc_kept_look(struct hc_node *node, struct hc_tasks *tasks, u32 dims);
/* The same of all, and put some of what was kept for them into the queue. */
void hc_kept_revive(struct hc_node *node, struct hc_tasks *tasks);
/* A LOST.  Poll, not under the lock. */
void hc_kept_rx_lost(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim,
		     const struct sk_buff *skb);
/* A DROP.  Poll, not under the lock. */
void hc_kept_rx_drop(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, bool routed,
		     const struct sk_buff *skb);

#endif /* _HC_TASK_TASK_H */
