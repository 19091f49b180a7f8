/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rounds of balancing, compared with what the planner says.
 */
#ifndef _HC_ROUND_PLAN_H
#define _HC_ROUND_PLAN_H

#include "balance.h"
#include "yard.h"

/* The method of the kernel and that of the planner.  @own: each node has rounds of its own. */
struct round_method {
	unsigned int id;
	enum hc_balance_method plan;
	bool own;
};

#define ROUND_METHODS	4
extern const struct round_method round_methods[ROUND_METHODS];

/* Install a topology for the faults that the cube has now: 0 or -errno. */
int rounds_install(const struct yard *y, struct hc_balance_topo *t);
/* A round of each method from random loads: how many were not as planned? */
unsigned int rounds_as_planned(struct yard *y);

#endif /* _HC_ROUND_PLAN_H */
