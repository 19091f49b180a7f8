/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of libhypercube-plan alone.
 */
#ifndef HCL_PLAN_IMPL_H
#define HCL_PLAN_IMPL_H

#include "libhypercube-plan.h"
#include "live.h"

/* To talk to the kernel with, until nl_leave(); its complaints are hcl_plan_explain()'s. */
struct hcctl hcli_plan_context(void);
/* -ENODEV: there is no such fabric. */
int hcli_plan_fabric(struct hcctl *h, const char *fabric, struct nl_fabric *info);

#endif /* HCL_PLAN_IMPL_H */
