/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The poll limiter: which polls are in a processor's list, see gate.c.
 */
#ifndef _HC_GATE_H
#define _HC_GATE_H

#include <linux/list.h>
#include <linux/types.h>

struct hc_gate;
struct hc_gate_user;
struct hc_node;

/**
 * struct hc_gate_place - a node's place in a processor's list
 * @at: the gate of the processor where the node has a place, or NULL
 * @waits: entry in hc_gate_user.nodes, under the gate's lock, or in hc_gate.follow
 */
struct hc_gate_place {
	struct hc_gate *at;
	struct list_head waits;
};

/**
 * hc_gate_enter() - let a node's poll run when it is the node's turn, or in the pass that is under
 *	way on this processor
 * @node: a node whose NAPI_STATE_SCHED the caller has set
 *
 * Context: bottom halves off
 */
void hc_gate_enter(struct hc_node *node);

/**
 * hc_gate_leave() - give the place in the processor's poll list to the next node
 * @node: the node; if it has no place, nothing happens
 *
 * Context: poll
 */
void hc_gate_leave(struct hc_node *node);

/**
 * hc_gate_awaited() - tell whether other nodes wait for this node's place
 * @node: the node
 *
 * Context: poll
 * Return: true if so
 */
bool hc_gate_awaited(const struct hc_node *node);

/**
 * hc_gate_pass_begin() - begin a pass on this processor
 *
 * Context: poll; bottom halves stay off until hc_gate_pass_end()
 */
void hc_gate_pass_begin(void);

/**
 * hc_gate_pass_next() - take the next node that is to be polled in the pass
 *
 * Context: a pass
 * Return: the node, with its NAPI_STATE_SCHED, or NULL
 */
struct hc_node *hc_gate_pass_next(void);

/**
 * hc_gate_pass_end() - end the pass: nodes that have not been polled in it enter the gate
 *
 * Context: a pass
 */
void hc_gate_pass_end(void);

/**
 * hc_gate_init() - prepare the gates of all processors
 *
 * Context: the module's init
 */
void hc_gate_init(void);

/**
 * hc_gate_user_new() - allocate the per-processor queues of an accounting owner
 *
 * Context: process
 * Return: the queues, or NULL if there is no memory
 */
struct hc_gate_user __percpu *hc_gate_user_new(void);

/**
 * hc_gate_user_free() - free the queues of an accounting owner
 * @users: queues in which no node waits
 *
 * Context: process
 */
void hc_gate_user_free(struct hc_gate_user __percpu *users);

#endif /* _HC_GATE_H */
