// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plan: list and remove installed plans of all types, and set who may guard them.
 */
#include <string.h>

#include "planner.h"

/* Parse NAME [ID] [local]. Without ID, *@id is unchanged. @local may be NULL if "local" is not
 * allowed. Return: the name of the fabric, or NULL after printing an error.
 */
static const char *take(struct hcctl *h, int argc, char **argv, uint32_t *id, bool *local)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);

	if (!fabric)
		return NULL;
	if (local && argc && !strcmp(argv[argc - 1], "local")) {
		*local = true;
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

/* Set *@id to the id of the only installed plan. If there is not exactly one, print an error. */
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
	bool local = false;
	const char *fabric = take(h, argc, argv, &id, &local);
	int rc;

	if (!fabric)
		return HC_USAGE;
	rc = id ? 0 : only(h, fabric, &id);
	return rc ?: nl_plan_del(h, fabric, id, local);
}

/* For struct arg: parse a user's name or number, or "none", into a uint32_t. */
static int arg_guard_uid(struct hcctl *h, const char *name, const char *word, void *dst)
{
	if (strcmp(word, "none"))
		return cmd_arg_user(h, name, word, dst);
	*(uint32_t *)dst = NL_NONE;
	return 0;
}

static int set(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	const char *word = fabric ? hc_take(h, "ID of a plan", &argc, &argv) : NULL;
	uint32_t id, uid = NL_NONE;
	struct arg args[] = {
		{ "guard-uid", arg_guard_uid, &uid },
		{}
	};
	bool any = argc;
	int rc;

	if (!word || arg_count(h, "plan", word, &id))
		return HC_USAGE;
	rc = hc_args(h, args, argc, argv);
	if (!rc && !any)
		rc = hc_missing(h, "\"guard-uid\", without which there is nothing to set");
	return rc ?: nl_plan_guard_uid(h, fabric, id, uid);
}

const struct hc_cmd plan_cmds[] = {
	{ "show", show, "NAME [ID]" },
	{ "set", set, "NAME ID guard-uid { UID | none }" },
	{ "del", del, "NAME [ID] [local]" },
	{}
};
