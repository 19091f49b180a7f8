// SPDX-License-Identifier: GPL-2.0
/*
 * The network and the faults for which a planner is to plan.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"

int cmd_fault_args_check(struct hcctl *h, const struct fault_args *a)
{
	bool shaped = *a->net.shape;

	if (!a->fabric && !a->dim && !shaped)
		return hc_missing(h, "\"fabric\" or \"dim\"");
	if (a->fabric && (a->dim || shaped || a->links.n || a->nodes.n || a->file))
		return hc_invalid(h, "fabric", a->fabric,
				  "its dimension and faults are read from the kernel");
	if (!a->dim || !shaped)
		return 0;
	hc_error(h, "a plan is for one network, not \"dim\" and \"%s\"", a->net.shape);
	return HC_USAGE;
}

/* Make the network that the keywords in @a describe. If it has a table of peers, @a continues to
 * own that.
 */
static int make_topo(struct hcctl *h, const struct fault_args *a, struct hc_topo *topo)
{
	struct hc_net net;
	int rc;

	*topo = hc_topo_cube(a->dim);
	if (a->dim)
		return 0;
	rc = net_arg_make(h, &a->net, &net);
	if (rc)
		return rc;
	*topo = net.topo;
	if (hc_topo_is_cube(topo)) {
		*topo = hc_topo_cube(topo->ports);
		hc_net_free(&net);
	}
	return 0;
}

/* Print an error: the network does not have the node or link @what. Return: HC_USAGE. */
static int not_there(struct hcctl *h, const struct fault_args *a, const char *what)
{
	if (a->offline->dim)
		hc_error(h, "%s is not in a cube of dimension %u", what, a->offline->dim);
	else
		hc_error(h, "%s is not in \"%s\"", what, a->net.shape);
	return HC_USAGE;
}

/* Add the faults of the command line and of the file to a->offline. */
static int add_faults(struct hcctl *h, struct fault_args *a)
{
	const struct hc_extent all = { a->offline->topo };
	int rc = a->file ? cmd_faults_file(h, a->file, &a->links, &a->nodes) : 0;
	char what[48];
	size_t i;

	rc = rc ?: hc_links_each(h, &a->links, &all) ?: hc_nodes_each(h, &a->nodes, &all);
	for (i = 0; !rc && i < a->links.n; i++) {
		snprintf(what, sizeof(what), "link %u:%u", a->links.v[i].node, a->links.v[i].dim);
		if (hc_faults_link(a->offline, a->links.v[i].node, a->links.v[i].dim))
			rc = not_there(h, a, what);
	}
	for (i = 0; !rc && i < a->nodes.n; i++) {
		snprintf(what, sizeof(what), "node %u", a->nodes.v[i]);
		if (hc_faults_node(a->offline, a->nodes.v[i]))
			rc = not_there(h, a, what);
	}
	return rc;
}

int cmd_fault_args_make(struct hcctl *h, struct fault_args *a)
{
	struct hc_topo topo;
	int rc;

	if (a->fabric)
		return 0;
	rc = make_topo(h, a, &topo);
	if (rc)
		return rc;
	a->offline = hc_faults_of(&topo);
	return a->offline ? add_faults(h, a) : hc_nomem(h);
}

int cmd_fault_args_read(struct hcctl *h, const struct fault_args *a, struct hc_faults **out)
{
	if (a->fabric)
		return live_faults(h, a->fabric, out);
	*out = hc_faults_copy(a->offline);
	return *out ? 0 : hc_nomem(h);
}

void cmd_fault_args_free(struct fault_args *a)
{
	hc_faults_free(a->offline);
	free(a->links.v);
	free(a->nodes.v);
}
