// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl balance show: the tasks of a fabric's nodes.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "balance_cmd.h"

enum { NODE, QUEUED, HELD, BYTES, PUT, TAKEN, DONE, REPEATED, LOST };

static const struct out_column columns[] = {
	[NODE] = { "NODE", .right = true },
	[QUEUED] = { "QUEUED", .right = true },
	[HELD] = { "HELD", .right = true },
	[BYTES] = { "BYTES", .right = true },
	[PUT] = { "PUT", .right = true },
	[TAKEN] = { "TAKEN", .right = true },
	[DONE] = { "DONE", .right = true },
	[REPEATED] = { "REPEATED", .right = true },
	[LOST] = { "LOST", .right = true },
	{}
};

static void show_node(struct hcctl *h, const struct nl_node *v)
{
	const struct nl_tasks *t = &v->tasks;

	out_object(h, NULL);
	out_number(h, NODE, "node", v->id);
	out_number(h, QUEUED, "queued", t->queued);
	out_number(h, HELD, "held", t->held);
	out_number(h, BYTES, "bytes", t->bytes);
	out_number(h, PUT, "put", t->put);
	out_number(h, TAKEN, "taken", t->taken);
	out_number(h, DONE, "done", t->done);
	out_number(h, REPEATED, "repeated", t->repeated);
	out_number(h, LOST, "lost", t->lost);
	out_close(h);
}

int balance_show(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	struct nl_node *v = NULL;
	size_t n = 0, i;
	int rc;

	if (!fabric || hc_take_end(h, argc, argv))
		return HC_USAGE;
	rc = nl_nodes(h, fabric, &v, &n);
	if (!rc) {
		out_table(h, columns);
		out_array(h, NULL);
		for (i = 0; i < n; i++)
			show_node(h, &v[i]);
		out_table_end(h);
		out_close(h);
	}
	free(v);
	return rc;
}
