/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl guard: shared by its files.
 */
#ifndef _HCCTL_GUARD_H
#define _HCCTL_GUARD_H

#include "balance.h"
#include "hcctl.h"

/**
 * struct guard_topology - the balancing topology of a fabric
 * @fabric: the fabric
 * @shape: shape of the last topology that was the one for the faults at that time
 * @said: the last message about why the topology cannot be guarded, or NULL
 */
struct guard_topology {
	const char *fabric;
	enum hc_balance_shape shape;
	char *said;
};

/* If the installed balancing topology is not the one for the current faults, install the latter,
 * and print a line to @h. Errors are printed to @own. Return: 0, also if no topology is installed;
 * -ESTALE, -EBUSY or -EAGAIN if the caller should try again soon; or another error.
 */
int guard_topology(struct hcctl *h, struct hcctl *own, struct guard_topology *g);

#endif /* _HCCTL_GUARD_H */
