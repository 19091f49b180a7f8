/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of libhypercube-plan alone.
 */
#ifndef HCL_PLAN_IMPL_H
#define HCL_PLAN_IMPL_H

#include "libhypercube-plan.h"
#include "plan_nl.h"

/* Return: a context for requests to the kernel, to be used until nl_leave(). hcl_plan_explain()
 * returns its error messages.
 */
struct hcctl hcli_plan_context(void);
/* Get a fabric. Return: -ENODEV if there is no such fabric. */
int hcli_plan_fabric(struct hcctl *h, const char *fabric, struct nl_fabric *info);
/* Get a fabric and one of its plans; the caller clears the plan. Return: 0, -ENODEV, -ENOENT, .. */
int hcli_plan_look(struct hcctl *h, const char *fabric, uint32_t id, struct nl_fabric *info,
		   struct nl_plan *v);

#endif /* HCL_PLAN_IMPL_H */
