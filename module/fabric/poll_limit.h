/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The poll limiter bounds the number of nodes in a processor's NAPI poll list: see poll_limit.c.
 */
#ifndef _HC_POLL_LIMIT_H
#define _HC_POLL_LIMIT_H

#include <linux/list.h>
#include <linux/types.h>

struct hc_poll_limit;
struct hc_poll_owner;
struct hc_node;

/**
 * struct hc_poll_place - a node's place in a processor's poll list
 * @at: the limiter of the processor where the node has a place, or NULL
 * @waits: entry in hc_poll_owner.nodes, under the limiter's lock, or in hc_poll_limit.follow
 */
struct hc_poll_place {
	struct hc_poll_limit *at;
	struct list_head waits;
};

/**
 * hc_poll_limit_enter() - let a node's poll run when it is the node's turn, or in the pass that is
 *	under way on this processor
 * @node: a node whose NAPI_STATE_SCHED the caller has set
 *
 * Context: bottom halves off
 */
void hc_poll_limit_enter(struct hc_node *node);

/**
 * hc_poll_limit_leave() - pass a node's place in the processor's poll list on to the next node that
 *	waits
 * @node: the node; if it has no place, nothing happens
 *
 * Context: poll
 */
void hc_poll_limit_leave(struct hc_node *node);

/**
 * hc_poll_limit_awaited() - tell whether other nodes wait for this node's place
 * @node: the node
 *
 * Context: poll
 * Return: true if so
 */
bool hc_poll_limit_awaited(const struct hc_node *node);

/**
 * hc_poll_pass_begin() - begin a pass on this processor
 *
 * Context: poll; bottom halves stay off until hc_poll_pass_end()
 */
void hc_poll_pass_begin(void);

/**
 * hc_poll_pass_next() - take the next node that is to be polled in the pass
 *
 * Context: a pass
 * Return: the node, with its NAPI_STATE_SCHED, or NULL
 */
struct hc_node *hc_poll_pass_next(void);

/**
 * hc_poll_pass_end() - end the pass: nodes that have not been polled in it enter the limiter
 *
 * Context: a pass
 */
void hc_poll_pass_end(void);

/**
 * hc_poll_limit_init() - prepare the limiters of all processors
 *
 * Context: the module's init
 */
void hc_poll_limit_init(void);

/**
 * hc_poll_owner_new() - allocate the per-processor queues of an accounting owner
 *
 * Context: process
 * Return: the queues, or NULL if there is no memory
 */
struct hc_poll_owner __percpu *hc_poll_owner_new(void);

/**
 * hc_poll_owner_free() - free the queues of an accounting owner
 * @users: queues in which no node waits
 *
 * Context: process
 */
void hc_poll_owner_free(struct hc_poll_owner __percpu *users);

#endif /* _HC_POLL_LIMIT_H */
