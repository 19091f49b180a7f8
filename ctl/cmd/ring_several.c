// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl ring plan .. rings K: K rings. Each ring has all nodes, no two rings share a link, and each
 * ring becomes a plan.
 */
#include <errno.h>
#include <inttypes.h>

#include "planner.h"
#include "ring_cmd.h"

static uint32_t wanted(const struct plan_req *q)
{
	return *(const uint32_t *)q->own;
}

static int find_in(struct hcctl *h, const struct hc_graph *g, uint32_t k, struct hc_rings *r)
{
	int rc = g ? hc_plan_rings(g, k, r) : -ENOMEM;

	if (rc == -ENOMEM)
		return hc_nomem(h);
	if (rc)
		hc_error(h, "no rings: no node is connected with any other");
	else if (!r->n)
		hc_error(h, "no ring of all %u nodes was found", r->members);
	return rc || !r->n ? HC_NO : 0;
}

static int find(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f, void *plan)
{
	struct hc_graph *g = hc_graph_left(f);
	int rc = find_in(h, g, wanted(q), plan);

	hc_graph_free(g);
	return rc;
}

static void release(void *plan)
{
	hc_rings_free(plan);
}

/* Install the rings one after another, as plans with consecutive ids and consecutive epochs. */
static int install(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		   const void *plan, bool last)
{
	const struct hc_rings *r = plan;
	const struct hc_ring ring = { .size = r->members, .parent = HC_RING_NONE };
	struct nl_shape s = { .local = q->local };
	struct hc_ring_tree tree = { .nrings = 1, .nnodes = r->members, .ring = &ring };
	uint32_t i;
	int rc = 0;

	s.rings = &tree;
	for (i = 0; !rc && i < r->n; i++) {
		tree.node = r->node + (size_t)i * r->members;
		s.epoch = q->epoch ? q->epoch + i : 0;
		rc = nl_plan_add(h, q->faults.fabric, q->id + i, HYPERCUBE_PLAN_RING, &s,
				 f->topo.nodes, f->fault, !last);
	}
	return rc;
}

static void print_ring(struct hcctl *h, const struct plan_req *q, const struct hc_rings *r,
		       uint32_t id)
{
	const uint16_t *node = r->node + (size_t)id * r->members;
	uint32_t i;

	out_object(h, NULL);
	out_uint(h, "id", "ring %" PRIu64, id);
	if (q->apply)
		out_uint(h, "plan", " plan %" PRIu64, q->id + id);
	out_text(h, ":");
	out_array(h, "nodes");
	for (i = 0; i < r->members; i++)
		out_uint(h, NULL, " %" PRIu64, node[i]);
	out_close(h);
	out_text(h, "\n");
	out_close(h);
}

static void warn(struct hcctl *h, const struct plan_req *q, const struct hc_rings *r)
{
	if (r->n < wanted(q) && r->n < r->most)
		hc_warn(h, "%u rings were found, and as many as %u might be possible", r->n,
			r->most);
	else if (r->n < wanted(q))
		hc_warn(h, "no more than %u are possible: a node has not two links for each",
			r->most);
}

/* Print the rings of a fabric or network with the faults @f, or of the network in @file. */
static void print_all(struct hcctl *h, const struct plan_req *q, const char *file,
		      const struct hc_faults *f, const struct hc_rings *r)
{
	uint32_t i;

	out_object(h, NULL);
	if (file)
		out_str(h, "graph", "graph %s ", file);
	if (q->faults.fabric)
		out_str(h, "fabric", "fabric %s ", q->faults.fabric);
	if (f && f->dim)
		out_uint(h, "dim", "dim %" PRIu64 " ", f->dim);
	out_text(h, "rings %u", r->n);
	out_uint(h, "most", " of at most %" PRIu64, r->most);
	out_uint(h, "members", " members %" PRIu64 "\n", r->members);
	out_array(h, "rings");
	for (i = 0; i < r->n; i++)
		print_ring(h, q, r, i);
	out_close(h);
	if (f)
		cmd_out_faults(h, f);
	out_close(h);
	warn(h, q, r);
}

static int print(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		 const void *plan)
{
	print_all(h, q, NULL, f, plan);
	return 0;
}

/* This planner is not in planners[] (planner.c), which has one planner for each plan type: the
 * plans of this planner are rings, like those of ring_planner.
 */
static const struct planner several_planner = {
	.type = HYPERCUBE_PLAN_RING, .id = 20, .size = sizeof(struct hc_rings),
	.object = { "ring", NULL, NULL }, .any_network = true,
	.find = find, .free = release, .install = install, .print = print,
};

int ring_several(struct hcctl *h, int argc, char **argv)
{
	uint32_t rings = 0;
	struct plan_req q = { .root = NL_NONE, .own = &rings };
	const struct arg own[] = {
		{ "rings", arg_count, &rings },
		{}
	};

	return planner_command(h, &several_planner, &q, own, argc, argv);
}

int ring_several_graph(struct hcctl *h, int argc, char **argv)
{
	const char *file = NULL;
	uint32_t rings = 0;
	const struct plan_req q = { .own = &rings };
	struct arg args[] = {
		{ "graph", arg_str, &file },
		{ "rings", arg_count, &rings },
		{}
	};
	struct hc_graph *g = NULL;
	struct hc_rings r = {};
	int rc = hc_args(h, args, argc, argv) ?: ring_read_graph(h, file, &g);

	rc = rc ?: find_in(h, g, rings, &r);
	if (!rc)
		print_all(h, &q, file, NULL, &r);
	hc_rings_free(&r);
	hc_graph_free(g);
	return rc;
}
