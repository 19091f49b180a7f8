// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl balance show and move: the tasks of a fabric's nodes, and its rounds of balancing.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "balance_cmd.h"
#include "cmd/watch.h"

enum {
	NODE, QUEUED, HELD, MOVING, BYTES, PUT, TAKEN, DONE, REDELIVERED, LOST, SENT, RECEIVED,
	UNRESOLVED, REPLICATED, REPLICAS_HELD, RECOVERED
};

static const struct out_column columns[] = {
	OUT_RIGHT(NODE),
	OUT_RIGHT(QUEUED),
	OUT_RIGHT(HELD),
	OUT_RIGHT(MOVING),
	OUT_RIGHT(BYTES),
	OUT_RIGHT(PUT),
	OUT_RIGHT(TAKEN),
	OUT_RIGHT(DONE),
	OUT_RIGHT(REDELIVERED),
	OUT_RIGHT(LOST),
	OUT_RIGHT(SENT),
	OUT_RIGHT(RECEIVED),
	OUT_RIGHT_AS(UNRESOLVED, "IN-UNRESOLVED"),
	OUT_RIGHT(REPLICATED),
	OUT_RIGHT(REPLICAS_HELD),
	OUT_RIGHT(RECOVERED),
	{}
};

/* The attribute (HYPERCUBE_A_TASKS_*) in each column after NODE. */
static const uint8_t attrs[] = {
	[QUEUED] = HYPERCUBE_A_TASKS_QUEUED, [HELD] = HYPERCUBE_A_TASKS_HELD,
	[MOVING] = HYPERCUBE_A_TASKS_MOVING, [BYTES] = HYPERCUBE_A_TASKS_BYTES,
	[PUT] = HYPERCUBE_A_TASKS_PUT, [TAKEN] = HYPERCUBE_A_TASKS_TAKEN,
	[DONE] = HYPERCUBE_A_TASKS_DONE, [REDELIVERED] = HYPERCUBE_A_TASKS_REDELIVERED,
	[LOST] = HYPERCUBE_A_TASKS_LOST, [SENT] = HYPERCUBE_A_TASKS_SENT,
	[RECEIVED] = HYPERCUBE_A_TASKS_RECEIVED, [UNRESOLVED] = HYPERCUBE_A_TASKS_UNRESOLVED,
	[REPLICATED] = HYPERCUBE_A_TASKS_REPLICATED,
	[REPLICAS_HELD] = HYPERCUBE_A_TASKS_REPLICAS_HELD,
	[RECOVERED] = HYPERCUBE_A_TASKS_RECOVERED,
};

static const char * const keys[] = {
	[QUEUED] = "queued", [HELD] = "held", [MOVING] = "moving", [BYTES] = "bytes",
	[PUT] = "put", [TAKEN] = "taken", [DONE] = "done", [REDELIVERED] = "redelivered",
	[LOST] = "lost", [SENT] = "sent", [RECEIVED] = "received", [UNRESOLVED] = "unresolved",
	[REPLICATED] = "replicated", [REPLICAS_HELD] = "replicas_held", [RECOVERED] = "recovered",
};

static void show_node(struct hcctl *h, const struct nl_node *v)
{
	unsigned int i;

	out_object(h, NULL);
	out_number(h, NODE, "node", v->id);
	for (i = QUEUED; i <= RECOVERED; i++)
		out_number(h, i, keys[i], v->tasks[attrs[i]]);
	out_close(h);
}

void balance_out_all(struct hcctl *h, const struct nl_balance *b, const struct nl_node *v,
		     size_t n)
{
	size_t i;

	out_object(h, NULL);
	out_str(h, "fabric", NULL, b->fabric);
	out_table(h, columns);
	out_array(h, "nodes");
	for (i = 0; i < n; i++)
		show_node(h, &v[i]);
	out_table_end(h);
	out_close(h);
	balance_out_rounds(h, b);
	out_close(h);
}

/* Remote nodes are left out, because this machine does not know their tasks. */
int balance_get(struct hcctl *h, const char *fabric, struct nl_balance *b, struct nl_node **v,
		size_t *n)
{
	size_t all = 0, i;
	int rc = nl_balance(h, fabric, b) ?: nl_nodes(h, fabric, v, &all);

	for (i = 0, *n = 0; i < all; i++)
		if (!(*v)[i].remote)
			(*v)[(*n)++] = (*v)[i];
	return rc;
}

static int show_once(struct hcctl *h, const char *fabric)
{
	struct nl_node *v = NULL;
	struct nl_balance b;
	size_t n = 0;
	int rc = balance_get(h, fabric, &b, &v, &n);

	if (!rc)
		balance_out_all(h, &b, v, n);
	free(v);
	return rc;
}

int balance_show(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	bool again = false;
	struct watch w;
	struct arg args[] = {
		{ "--watch", NULL, &again },
		{ "interval", watch_arg_interval, &w.interval },
		{ "count", arg_count, &w.count },
		{}
	};
	int rc;

	watch_init(h, &w);
	rc = fabric ? hc_args(h, args, argc, argv) : HC_USAGE;
	if (rc)
		return rc;
	if (again)
		return balance_watch(h, fabric, &w);
	if (args[1].given || args[2].given)
		return hc_missing(h, "\"--watch\"");
	return show_once(h, fabric);
}

int balance_move(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv), *word;
	struct link_list links = {};
	uint64_t count;
	size_t i;
	int rc;

	word = fabric ? hc_take(h, "NODE:DIM", &argc, &argv) : NULL;
	if (!word)
		return HC_USAGE;
	rc = arg_links(h, "link", word, &links);
	word = rc ? NULL : hc_take(h, "number of tasks", &argc, &argv);
	if (!rc && (!word || arg_u64(h, "number of tasks", word, &count) ||
		    hc_take_end(h, argc, argv)))
		rc = HC_USAGE;
	if (!rc && !count)
		rc = hc_invalid(h, "number of tasks", word, "at least 1 is wanted");
	rc = rc ?: cmd_links_each(h, fabric, &links, true);
	for (i = 0; i < links.n && !rc; i++)
		rc = nl_task_move(h, fabric, links.v[i].node, links.v[i].dim, count);
	free(links.v);
	return rc;
}
