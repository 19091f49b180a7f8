// SPDX-License-Identifier: GPL-2.0
/*
 * The faults that a planner is to go around.
 */
#include <stdlib.h>

#include "cmd.h"

int cmd_fault_args_check(struct hcctl *h, const struct fault_args *a)
{
	if (!a->fabric && !a->dim)
		return hc_missing(h, "\"fabric\" or \"dim\"");
	if (a->fabric && (a->dim || a->links.n || a->nodes.n || a->file))
		return hc_invalid(h, "fabric", a->fabric,
				  "its dimension and faults are read from the kernel");
	return 0;
}

int cmd_fault_args_file(struct hcctl *h, struct fault_args *a)
{
	return a->file ? cmd_faults_file(h, a->file, &a->links, &a->nodes) : 0;
}

/* A link, or all of a node. */
static int fail_link(struct hcctl *h, struct hc_faults *f, struct link_ref l)
{
	bool all = l.dim == LINK_ALL;
	uint32_t d = all ? 0 : l.dim, end = all ? f->dim : d + 1;

	for (; d < end; d++)
		if (hc_faults_link(f, l.node, d)) {
			hc_error(h, "link %u:%u is not in a cube of dimension %u", l.node, d,
				 f->dim);
			return HC_USAGE;
		}
	return 0;
}

/* The faults of the command line. */
static int offline(struct hcctl *h, const struct fault_args *a, struct hc_faults *f)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < a->links.n && !rc; i++)
		rc = fail_link(h, f, a->links.v[i]);
	if (rc)
		return rc;
	for (i = 0; i < a->nodes.n; i++)
		if (hc_faults_node(f, a->nodes.v[i])) {
			hc_error(h, "node %u is not in a cube of dimension %u",
				 a->nodes.v[i], a->dim);
			return HC_USAGE;
		}
	return 0;
}

int cmd_fault_args_read(struct hcctl *h, const struct fault_args *a, struct hc_faults **out)
{
	struct hc_faults *f;
	int rc;

	if (a->fabric)
		return live_faults(h, a->fabric, out);
	f = hc_faults_new(a->dim);
	if (!f)
		return hc_nomem(h);
	rc = offline(h, a, f);
	if (rc)
		hc_faults_free(f);
	else
		*out = f;
	return rc;
}

void cmd_fault_args_free(struct fault_args *a)
{
	free(a->links.v);
	free(a->nodes.v);
}
