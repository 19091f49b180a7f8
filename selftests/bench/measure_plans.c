// SPDX-License-Identifier: GPL-2.0
/*
 * measure_plans FABRIC MEMBERS PLANS: install guarded plans with nodes 0 to MEMBERS - 1 as their
 * members, as the communicators of a program do, and remove all of them.
 */
#include <err.h>
#include <stdint.h>
#include <stdlib.h>

#include <libhypercube-plan.h>

#define FIRST_ID	1000
#define GUARD_MS	10000
#define MEMBERS_MAX	1024

int main(int argc, char **argv)
{
	uint32_t nodes[MEMBERS_MAX], members, plans, i;
	char text[256];

	if (argc != 4)
		errx(2, "usage: %s FABRIC MEMBERS PLANS", argv[0]);
	members = atoi(argv[2]);
	plans = atoi(argv[3]);
	if (members > MEMBERS_MAX)
		errx(2, "%u members at most", MEMBERS_MAX);
	for (i = 0; i < members; i++)
		nodes[i] = i;
	for (i = 0; i < plans; i++)
		if (hcl_plan_install_members(argv[1], FIRST_ID + i, nodes, members, GUARD_MS, NULL))
			errx(1, "%s", hcl_plan_explain(text, sizeof(text)));
	for (i = 0; i < plans; i++)
		if (hcl_plan_remove(argv[1], FIRST_ID + i))
			errx(1, "%s", hcl_plan_explain(text, sizeof(text)));
	return 0;
}
