/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load balancing rounds, compared with the planner's plans.
 */
#ifndef _HC_ROUND_PLAN_H
#define _HC_ROUND_PLAN_H

#include "balance.h"
#include "task_fixture.h"

/* A method of load balancing. @id: the kernel's number for it. @plan: the planner's number for it.
 * @own: each node begins rounds of its own.
 */
struct round_method {
	unsigned int id;
	enum hc_balance_method plan;
	bool own;
};

#define ROUND_METHODS	4
extern const struct round_method round_methods[ROUND_METHODS];

/* Make a topology for the current faults of the cube, @t, and install it. Return: 0 or -errno. */
int rounds_install(const struct task_fixture *y, struct hc_balance_topo *t);
/* Balance random loads with each method that can be used with the current faults. Return: number of
 * methods whose result differs from the planner's plan.
 */
unsigned int rounds_as_planned(struct task_fixture *y);

#endif /* _HC_ROUND_PLAN_H */
