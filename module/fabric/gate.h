/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which polls are in a processor's list: gate.c.  Bottom halves are off.
 */
#ifndef _HC_GATE_H
#define _HC_GATE_H

#include <linux/list.h>
#include <linux/types.h>

struct hc_gate;
struct hc_gate_user;
struct hc_node;

/**
 * struct hc_gate_place - of a node
 * @at: where it has one, or NULL
 * @waits: among those of its user that wait for one; under the gate's lock
 */
struct hc_gate_place {
	struct hc_gate *at;
	struct list_head waits;
};

/* The caller owns NAPI_STATE_SCHED.  Lets the poll run when it is the node's turn. */
void hc_gate_enter(struct hc_node *node);
/* Let others go first; does nothing if the node has no place.  Poll. */
void hc_gate_leave(struct hc_node *node);
/* Do others wait for the place that the node has?  Poll. */
bool hc_gate_awaited(const struct hc_node *node);
void hc_gate_init(void);
/* A user at the gates of all processors, or NULL: no memory.  Process context. */
struct hc_gate_user __percpu *hc_gate_user_new(void);
/* None of the user's nodes waits. */
void hc_gate_user_free(struct hc_gate_user __percpu *users);

#endif /* _HC_GATE_H */
