// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl chain: computes lines of nodes that avoid the faults.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "planner.h"

/**
 * struct chain - a line of nodes
 * @sink: the node at one end
 * @steps: number of links from @sink to the other end
 * @sequence: dimensions of these links, from @sink on
 * @line: the nodes of the line, as a set
 */
struct chain {
	uint32_t sink;
	uint32_t steps;
	uint8_t sequence[1 << HC_LIB_DIM_MAX];
	uint32_t line[(1 << HC_LIB_DIM_MAX) / 32];
};

/* Return: number of neighbours of @u that are not in the line, over links that work. */
static unsigned int ways(const struct hc_faults *f, const uint32_t *line, uint32_t u)
{
	unsigned int d, n = 0;

	for (d = 0; d < f->dim; d++)
		n += !(f->fault[u] & hc_bit(d)) && !hc_set_has(line, hc_neigh(u, d));
	return n;
}

/* Choose the next node of a line that ends at @u: of the neighbours that are not in the line yet,
 * the one that has the fewest such neighbours itself, but at least one if any has. *@dim is set to
 * the dimension of the link to it. Return: false if there is no next node.
 */
static bool next(const struct hc_faults *f, const uint32_t *line, uint32_t u, uint8_t *dim)
{
	unsigned int d, n, fewest = 0;

	for (d = 0; d < f->dim; d++) {
		if (f->fault[u] & hc_bit(d) || hc_set_has(line, hc_neigh(u, d)))
			continue;
		n = ways(f, line, hc_neigh(u, d)) ?: HC_LIB_DIM_MAX;
		if (!fewest || n < fewest) {
			fewest = n;
			*dim = d;
		}
	}
	return fewest;
}

static int find(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f, void *plan)
{
	uint32_t u = q->root == NL_NONE ? 0 : q->root;
	struct chain *c = plan;
	uint32_t *line = c->line;
	uint8_t dim;

	while (q->root == NL_NONE && u < hc_nodes(f->dim) - 1 && !ways(f, line, u))
		u++;
	if (u >= hc_nodes(f->dim) || !ways(f, line, u)) {
		hc_error(h, "no chain: no healthy link at node %u", u);
		return HC_NO;
	}
	c->sink = u;
	hc_set_add(line, u);
	while (next(f, line, u, &dim)) {
		c->sequence[c->steps++] = dim;
		u = hc_neigh(u, dim);
		hc_set_add(line, u);
	}
	return 0;
}

static struct nl_shape shape(const void *plan)
{
	const struct chain *c = plan;

	return (struct nl_shape){
		.root_attr = planner_sink.attr, .root = c->sink,
		.sequence = c->sequence, .steps = c->steps,
	};
}

static int print(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		 const void *plan)
{
	const struct chain *c = plan;

	out_object(h, NULL);
	out_uint(h, "dim", "dim %" PRIu64, f->dim);
	out_uint(h, "sink", " sink %" PRIu64, c->sink);
	cmd_out_order(h, "sequence", " sequence ", c->sequence, c->steps);
	planner_out_end(h, q, f, c->steps + 1, c->steps);
	return 0;
}

/* An operation on a line takes a step for each link, which is the optimum for this line. */
static int truth(const struct nl_plan *v, struct plan_truth *t)
{
	return planner_optimal(t, v->steps);
}

static struct hc_tree_peer peer(uint32_t u, uint8_t dim)
{
	return (struct hc_tree_peer){ .node = hc_neigh(u, dim), .dim = dim, .parts = 1 };
}

static int role(const struct nl_plan *v, const struct hc_faults *f, uint32_t u,
		struct hc_tree_role *role, struct hc_tree_peer *src, unsigned int max)
{
	uint32_t i, at = v->sink;

	for (i = 0; at != u && i < v->steps; i++)
		at = hc_neigh(at, v->sequence[i]);
	if (at != u || !f->dim || !max)
		return -EINVAL;
	memset(role, 0, sizeof(*role));
	role->ndst = i > 0;
	role->nsrc = i < v->steps;
	if (role->ndst)
		role->dst[0] = peer(u, v->sequence[i - 1]);
	if (role->nsrc)
		src[0] = peer(u, v->sequence[i]);
	return 0;
}

static int plan(struct hcctl *h, int argc, char **argv)
{
	struct plan_req q = { .root = NL_NONE };
	const struct arg own[] = {
		{ "sink", arg_node, &q.root },
		{}
	};

	return planner_command(h, &chain_planner, &q, own, argc, argv);
}

static const struct hc_cmd chain_cmds[] = {
	{ "plan", plan, PLANNER_ARGS " [sink NODE]" },
	{}
};

const struct planner chain_planner = {
	.type = HYPERCUBE_PLAN_CHAIN, .id = 4, .size = sizeof(struct chain),
	.object = { "chain", "lines of nodes around the faults", chain_cmds },
	.root = &planner_sink, .members_follow = true,
	.find = find, .shape = shape,
	.print = print, .show = planner_show_sequence,
	.truth = truth, .role = role,
};
