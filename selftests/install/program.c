// SPDX-License-Identifier: GPL-2.0
/* A program of a user: it is compiled and linked with the flags that pkg-config prints. */
#include <libhypercube-plan.h>
#include <libhypercube.h>
#include <stdio.h>

int main(void)
{
	struct hcl_plan plan;
	struct hcl *h;
	int err;

	err = hcl_open(&h, "nosuch", 0);
	printf("%s %d\n", hcl_oper_name(HYPERCUBE_SUM),
	       hcl_elem_size(HYPERCUBE_SUM, HYPERCUBE_F64, 0));
	return err >= 0 || hcl_plan_get("nosuch", 1, &plan) >= 0;
}
