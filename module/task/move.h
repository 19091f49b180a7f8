/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks go over links: move.c.
 */
#ifndef _HC_TASK_MOVE_H
#define _HC_TASK_MOVE_H

#include <linux/types.h>

struct hc_node;
struct sk_buff;

/* Hand over up to @count more of the tasks that wait to the neighbour along @dim.  0; -ENOLINK;
 * -ENOENT: there are no tasks.  Config.
 */
int hc_move_want(struct hc_node *node, unsigned int dim, u32 count);
/* Do what is due; @links: some may have failed.  Poll. */
void hc_move_event(struct hc_node *node, bool links);
/* A TASK frame; consumes.  Poll. */
void hc_move_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
/* No poll runs any more: stop the timer. */
void hc_move_stop(struct hc_node *node);

#endif /* _HC_TASK_MOVE_H */
