/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks go over links: move.c, and how many: move_want.c.
 */
#ifndef _HC_TASK_MOVE_H
#define _HC_TASK_MOVE_H

#include <linux/types.h>

#include "task/queue.h"

struct hc_node;
struct sk_buff;

/* Hand over up to @count more of the tasks that wait to the neighbour along @dim.  0; -ENOLINK;
 * -ENOENT: there are no tasks.  Config.
 */
int hc_move_want(struct hc_node *node, unsigned int dim, u32 count);
/* The same from the node's poll, for @why; a link that is not usable gets none.  *@sent: how many
 * the neighbour has taken for that until now.
 */
void hc_move_give(struct hc_node *node, unsigned int dim, enum hc_move_why why, u32 count,
		  u32 *sent);
/* Is nothing to be handed over along @dim for @why any more?  *@sent as above.  Poll. */
bool hc_move_given(const struct hc_node *node, unsigned int dim, enum hc_move_why why, u32 *sent);
/* Give up what has not begun of that, over the links @dims.  Poll. */
void hc_move_stay(struct hc_node *node, u32 dims, enum hc_move_why why);
/* Do what is due; @links: some may have failed.  Poll. */
void hc_move_event(struct hc_node *node, bool links);
/* A TASK frame; consumes.  Poll. */
void hc_move_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
/* No poll runs any more: stop the timer. */
void hc_move_stop(struct hc_node *node);

#endif /* _HC_TASK_MOVE_H */
