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
};

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
/* Tell of the tasks, which nobody else finds any more, and free them. */
void hc_tasks_report(struct hc_node *node, enum hypercube_task_loss loss, struct list_head *lost);

/* May the node take tasks?  Who fails it, or removes the fabric, says so before it looks for what
 * has to be lost, under the lock.
 */
bool hc_tasks_served(const struct hc_tasks *tasks);

/* --- move_in.c; all under @tasks->lock --- */
/* The handover and all before it are decided, this one as @taken says. */
void hc_in_close(struct hc_tasks *tasks, struct hc_way_in *in, u64 move, bool taken);
/* Returns the answer to a segment, or 0: there is none (yet).  *skb is NULL if it was kept. */
u8 hc_in_segment(struct hc_tasks *tasks, struct hc_way_in *in, const struct hc_wire_task *w,
		 struct sk_buff **skb);
/* Who is asked about what is not decided decides. */
u8 hc_in_asked(struct hc_tasks *tasks, struct hc_way_in *in, u64 move, bool routed);

/* --- move.c; all under @tasks->lock --- */
void hc_ways_init(struct hc_tasks *tasks);
/* The node has failed: move what is being handed over to @doubt, and forget what is coming. */
void hc_ways_lose(struct hc_tasks *tasks, struct list_head *doubt);

#endif /* _HC_TASK_TASK_H */
