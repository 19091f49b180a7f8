/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl guard: shared by its files.
 */
#ifndef _HCCTL_GUARD_H
#define _HCCTL_GUARD_H

#include "balance.h"
#include "cmd.h"

/**
 * struct guard_topology - the balancing topology of a fabric
 * @fabric: the fabric
 * @shape: shape of the last topology that was right for the faults of its time
 * @said: the last message that was printed about why the topology cannot be guarded, or NULL
 */
struct guard_topology {
	const char *fabric;
	enum hc_balance_shape shape;
	char *said;
};

/* --- guard.c --- */

/* Return: the time since the machine was started, ns. */
uint64_t guard_now_ns(void);

/* --- guard_without.c --- */

/**
 * struct guard_absent - nodes on other machines that were members without having a process, which
 *	this machine cannot know before
 * @nodes: the nodes
 * @since: for each: when the plan broke because its process was missing, ns
 */
struct guard_absent {
	struct node_list nodes;
	uint64_t *since;
};

/* Release the memory of @a. */
void guard_absent_free(struct guard_absent *a);

/* Return: true if this process has CAP_NET_ADMIN. */
bool guard_is_admin(void);
/* Return: true if this process has no CAP_NET_ADMIN, and may guard the plan only because its user
 * is the plan's guard_uid.
 */
bool guard_is_given(const struct nl_plan *old);
/* Add to @l the nodes that the next epoch of plan @old must leave out: the node whose process has
 * left, nodes that have no process and are not members of @old, and nodes that the user may not
 * make members. @nodes: number of nodes of the fabric. @absent: what this guard has learned of
 * nodes on other machines, updated here. Return: 0, or a negative errno after an error was printed
 * to @own.
 */
int guard_without(struct hcctl *own, const char *fabric, uint32_t nodes, const struct nl_plan *old,
		  struct guard_absent *absent, struct node_list *l);

/* --- guard_topology.c --- */

/* Check whether the installed balancing topology is right for the current faults. If it is not,
 * install the right one, and print a line to @h. Errors are printed to @own. Return: 0, also if no
 * topology is installed; -ESTALE, -EBUSY or -EAGAIN if the caller should try again soon; or another
 * error.
 */
int guard_topology(struct hcctl *h, struct hcctl *own, struct guard_topology *g);

#endif /* _HCCTL_GUARD_H */
