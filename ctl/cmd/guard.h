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

/* --- guard_without.c --- */

/* Return: true if this process has CAP_NET_ADMIN. */
bool guard_is_admin(void);
/* Return: true if this process has no CAP_NET_ADMIN, and may guard the plan only because its user
 * is the plan's guard_uid.
 */
bool guard_is_given(const struct nl_plan *old);
/* Add to @l the nodes that the next epoch of plan @old must leave out: the node whose process has
 * left, nodes that have no process and are not members of @old, and nodes that the user may not
 * make members. @nodes: number of nodes of the fabric. Return: 0, or a negative errno after an
 * error was printed to @own.
 */
int guard_without(struct hcctl *own, const char *fabric, uint32_t nodes, const struct nl_plan *old,
		  struct node_list *l);

/* --- guard_topology.c --- */

/* Check whether the installed balancing topology is right for the current faults. If it is not,
 * install the right one, and print a line to @h. Errors are printed to @own. Return: 0, also if no
 * topology is installed; -ESTALE, -EBUSY or -EAGAIN if the caller should try again soon; or another
 * error.
 */
int guard_topology(struct hcctl *h, struct hcctl *own, struct guard_topology *g);

#endif /* _HCCTL_GUARD_H */
