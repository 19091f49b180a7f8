/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Task migration over links: migrate_tx.c has the protocol, migrate_req.c the requests.
 */
#ifndef _HC_TASK_MIGRATE_H
#define _HC_TASK_MIGRATE_H

#include <linux/types.h>

#include "task/queue.h"

struct hc_node;
struct sk_buff;

/**
 * hc_move_want() - migrate tasks to a neighbour by command of the administrator
 * @node: the node
 * @dim: dimension of the link
 * @count: maximum number of waiting tasks that migrate, in addition to those of earlier calls
 *
 * Context: config, under hc_fabric.lock
 * Return: 0, -ENOLINK if the link is unusable, or -ENOENT if no tasks wait
 */
int hc_move_want(struct hc_node *node, unsigned int dim, u32 count);

/**
 * hc_move_give() - migrate tasks to a neighbour, for a load balancing round or because the
 *	neighbour has requested tasks
 * @node: the node
 * @dim: dimension of the link; if the link is unusable, no tasks migrate
 * @why: requester of the migrations
 * @count: maximum number of waiting tasks that migrate, in addition to those of earlier calls
 * @sent: set to the number of tasks that the neighbour has taken for this requester before this
 *	call
 *
 * Context: poll
 */
void hc_move_give(struct hc_node *node, unsigned int dim, enum hc_move_why why, u32 count,
		  u32 *sent);

/**
 * hc_move_given() - find out whether all migrations for a requester have ended
 * @node: the node
 * @dim: dimension of the link
 * @why: requester of the migrations
 * @sent: set to the number of tasks that the neighbour has taken for this requester
 *
 * Context: poll
 * Return: true if all have ended
 */
bool hc_move_given(const struct hc_node *node, unsigned int dim, enum hc_move_why why, u32 *sent);

/**
 * hc_move_stay() - cancel migrations that have not begun
 * @node: the node
 * @dims: dimensions of the links, as a mask
 * @why: requester of the migrations
 *
 * Context: poll
 */
void hc_move_stay(struct hc_node *node, u32 dims, enum hc_move_why why);

/**
 * hc_move_event() - send tasks, replicas and control messages that are due, over all links
 * @node: the node
 * @links: true if links may have failed or may be up again
 *
 * Context: poll
 */
void hc_move_event(struct hc_node *node, bool links);

/**
 * hc_move_rx() - process a TASK frame; consumes it
 * @node: the receiving node
 * @dim: dimension of the link over which it was received
 * @skb: the frame
 *
 * Context: poll
 */
void hc_move_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_move_stop() - stop the timer of a node's tasks
 * @node: the node
 *
 * Context: process, after all polls were disabled
 */
void hc_move_stop(struct hc_node *node);

#endif /* _HC_TASK_MIGRATE_H */
