// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plan: list and remove installed plans, of whatever type.
 */
#include <string.h>

#include "planner.h"

/* NAME [ID] [here]; without the id, it stays 0. */
static const char *take(struct hcctl *h, int argc, char **argv, uint32_t *id, bool *here)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);

	if (!fabric)
		return NULL;
	if (here && argc && !strcmp(argv[argc - 1], "here")) {
		*here = true;
		argc--;
	}
	if (argc) {
		argc--;
		if (arg_count(h, "plan", *argv++, id))
			return NULL;
	}
	return hc_take_end(h, argc, argv) ? NULL : fabric;
}

static int show(struct hcctl *h, int argc, char **argv)
{
	uint32_t id = 0;
	const char *fabric = take(h, argc, argv, &id, NULL);

	return fabric ? planner_show(h, fabric, id) : HC_USAGE;
}

/* The id of the only plan there is. */
static int only(struct hcctl *h, const char *fabric, uint32_t *id)
{
	struct nl_plan *v;
	size_t n;
	int rc = nl_plans(h, fabric, &v, &n);

	if (rc)
		return rc;
	if (n == 1)
		*id = v->id;
	else if (n)
		hc_error(h, "fabric %s has %zu plans: which one? see: hcctl plan show %s",
			 fabric, n, fabric);
	else
		hc_error(h, "fabric %s has no plan", fabric);
	nl_plans_free(v, n);
	return n == 1 ? 0 : HC_NO;
}

static int del(struct hcctl *h, int argc, char **argv)
{
	uint32_t id = 0;
	bool here = false;
	const char *fabric = take(h, argc, argv, &id, &here);
	int rc;

	if (!fabric)
		return HC_USAGE;
	rc = id ? 0 : only(h, fabric, &id);
	return rc ?: nl_plan_del(h, fabric, id, here);
}

const struct hc_cmd plan_cmds[] = {
	{ "show", show, "NAME [ID]" },
	{ "del", del, "NAME [ID] [here]" },
	{}
};
