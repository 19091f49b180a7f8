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
 * @count: how many more of the waiting tasks, at most
 *
 * Context: config, under hc_fabric.lock
 * Return: 0, -ENOLINK if the link is unusable, or -ENOENT if no tasks wait
 */
int hc_move_want(struct hc_node *node, unsigned int dim, u32 count);

/**
 * hc_move_give() - migrate tasks to a neighbour, for a round or at the neighbour's request
 * @node: the node
 * @dim: dimension of the link; if the link is unusable, no tasks migrate
 * @why: the requester
 * @count: how many more of the waiting tasks, at most
 * @sent: set to how many tasks the neighbour has taken for that requester before
 *
 * Context: poll
 */
void hc_move_give(struct hc_node *node, unsigned int dim, enum hc_move_why why, u32 count,
		  u32 *sent);

/**
 * hc_move_given() - tell whether all migrations for a requester have ended
 * @node: the node
 * @dim: dimension of the link
 * @why: the requester
 * @sent: set to how many tasks the neighbour has taken for that requester
 *
 * Context: poll
 * Return: true if so
 */
bool hc_move_given(const struct hc_node *node, unsigned int dim, enum hc_move_why why, u32 *sent);

/**
 * hc_move_stay() - cancel migrations that have not begun
 * @node: the node
 * @dims: dimensions of the links, as a mask
 * @why: the requester
 *
 * Context: poll
 */
void hc_move_stay(struct hc_node *node, u32 dims, enum hc_move_why why);

/**
 * hc_move_event() - send tasks, replicas and control messages that are due, over all links
 * @node: the node
 * @links: links may have failed or come back
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
 * Context: process, after all polls are disabled
 */
void hc_move_stop(struct hc_node *node);

#endif /* _HC_TASK_MIGRATE_H */
