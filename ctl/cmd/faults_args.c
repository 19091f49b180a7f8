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
	const struct hc_extent all = { a->dim };
	int rc = a->file ? cmd_faults_file(h, a->file, &a->links, &a->nodes) : 0;

	return rc ?: hc_links_each(h, &a->links, &all) ?: hc_nodes_each(h, &a->nodes, &all);
}

/* The faults of the command line. */
static int offline(struct hcctl *h, const struct fault_args *a, struct hc_faults *f)
{
	struct link_ref l;
	int rc = 0;
	size_t i;

	for (i = 0; !rc && i < a->links.n; i++) {
		l = a->links.v[i];
		if (hc_faults_link(f, l.node, l.dim)) {
			hc_error(h, "link %u:%u is not in a cube of dimension %u", l.node, l.dim,
				 a->dim);
			rc = HC_USAGE;
		}
	}
	for (i = 0; !rc && i < a->nodes.n; i++)
		if (hc_faults_node(f, a->nodes.v[i])) {
			hc_error(h, "node %u is not in a cube of dimension %u",
				 a->nodes.v[i], a->dim);
			rc = HC_USAGE;
		}
	return rc;
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
