// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl ring: trees of rings in cubes and other networks, for all-to-all broadcast.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "planner.h"
#include "graph.h"
#include "ring_cmd.h"

/* A plan, and the network for which it is made. */
struct ring {
	struct hc_graph *g;
	struct hc_ring_plan plan;
};

static void release(void *plan)
{
	struct ring *r = plan;

	hc_ring_plan_free(&r->plan);
	hc_graph_free(r->g);
}

/* Find rings in the network r->g. If it is a cube, @cube has its faults; otherwise @cube is NULL.
 */
static int find_in(struct hcctl *h, const struct plan_req *q, const struct hc_faults *cube,
		   struct ring *r)
{
	uint32_t width = q->own ? *(const uint32_t *)q->own : 0;
	int rc = r->g ? hc_plan_ring(r->g, cube, q->method.v, width, &r->plan) : -ENOMEM;

	if (rc == -ENOMEM)
		return hc_nomem(h);
	if (rc)
		hc_error(h, "no rings: no node is connected with any other");
	return rc;
}

static int find(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f, void *plan)
{
	struct hc_faults *left = planner_left(h, q, f);
	struct ring *r = plan;
	int rc;

	if (!left)
		return HC_NO;
	r->g = hc_graph_left(left);
	rc = find_in(h, q, left, r);
	hc_faults_free(left);
	return rc;
}

static int print(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		 const void *plan)
{
	const struct ring *r = plan;
	const struct ring_view v = {
		.fabric = q->faults.fabric, .dim = f->dim, .faults = f, .g = r->g, .plan = &r->plan,
		.repair = q->repair,
	};

	cmd_ring_print(h, &v);
	cmd_ring_warn(h, r->g, &r->plan);
	return 0;
}

static int check(struct hcctl *h, const struct plan_req *q)
{
	const uint32_t *width = q->own;

	if (q->repair && !q->apply)
		return hc_missing(h, "\"apply\", without which there is nothing to repair");
	if (q->repair && q->guard) {
		hc_error(h, "rings that repair themselves need no guard");
		return HC_USAGE;
	}
	if (*width && q->method.v == HC_RING_HAMILTON)
		return hc_invalid(h, "method", ring_methods[HC_RING_HAMILTON],
				  "its ring is as long as can be and has no \"width\"");
	return 0;
}

static struct nl_shape shape(const void *plan)
{
	const struct ring *r = plan;

	return live_shape_ring(&r->plan);
}

/* Return: the first node of the first ring. It serves as a root, because all members know it. */
static uint32_t begin_of(const struct nl_plan *v)
{
	return v->nring_nodes ? v->ring_nodes[0] : NL_NONE;
}

static void show_ring(struct hcctl *h, const struct nl_plan *v, uint32_t id, uint32_t begin)
{
	const struct hc_ring *r = &v->rings[id];
	uint32_t i;

	out_object(h, NULL);
	out_uint(h, "id", NULL, id);
	out_uint(h, "level", NULL, r->level);
	if (id)
		out_uint(h, "parent", NULL, r->parent);
	out_array(h, "nodes");
	for (i = begin; i < begin + r->size && i < v->nring_nodes; i++)
		out_uint(h, NULL, NULL, v->ring_nodes[i]);
	out_close(h);
	out_close(h);
}

static void show(struct hcctl *h, const struct nl_plan *v)
{
	uint32_t i, begin = 0;

	out_text(h, " rings %u virtual nodes %u", v->nrings, v->nring_nodes);
	if (!h->json)
		return;
	out_array(h, "rings");
	for (i = 0; i < v->nrings; begin += v->rings[i++].size)
		show_ring(h, v, i, begin);
	out_close(h);
	out_uint(h, "virtual_nodes", NULL, v->nring_nodes);
	if (v->repair)
		out_bool(h, "repair", NULL, true);
}

/* Return: the number of healthy links of the member that has the fewest. A member can receive at
 * most as many messages at once as it has healthy links.
 */
static uint32_t fewest_links(const struct nl_plan *v, const struct hc_graph *g)
{
	uint32_t i, least = UINT32_MAX;

	for (i = 0; i < v->nring_nodes; i++)
		if (v->ring_nodes[i] < g->nodes && hc_graph_degree(g, v->ring_nodes[i]) < least)
			least = hc_graph_degree(g, v->ring_nodes[i]);
	return least ? least : 1;
}

/* Return: true if an allgather or alltoall over an installed plan sends in both directions, see
 * module/coll/ring/ring_bidir.c.
 */
static bool goes_both(const struct nl_plan *v, const struct hc_graph *g, const struct plan_truth *t)
{
	return !v->repair && !t->parts && v->nrings == 1 && v->rings->size > 2 &&
	       hc_ring_closes(g, v->rings, v->ring_nodes);
}

static uint32_t ring_steps(uint32_t members, bool both)
{
	return both ? members / 2 : members - 1;
}

/* Set the numbers of steps until each member has the messages of all members, of one segment each.
 * The optimum is a lower bound: whatever the plan, a member cannot receive more messages in a step
 * than it has links.
 */
static int truth(const struct nl_plan *v, struct plan_truth *t)
{
	const struct hc_ring_tree tree = {
		.nrings = v->nrings, .nnodes = v->nring_nodes, .ring = v->rings,
		.node = v->ring_nodes,
	};
	const uint32_t members = cmd_set_count(v->members, 32 * v->member_words);
	struct hc_graph *g = hc_graph_left(t->faults);
	struct hc_ring_count count = {};
	uint32_t links;
	int rc = g ? hc_ring_steps(&tree, &count) : -ENOMEM;

	if (!rc) {
		links = fewest_links(v, g);
		t->way = goes_both(v, g, t) ? "both ways" : "one way";
		t->promise = v->nrings > 1 ? count.deliver :
					     ring_steps(members, goes_both(v, g, t));
		t->optimum = (members - 1 + links - 1) / links;
		t->exact = t->promise == t->optimum;
	}
	hc_graph_free(g);
	return rc;
}

/* Maximum size, in bytes, of blocks for which a tree is preferred: TREE_BYTES_OF_FEW up to
 * dimension FEW_DIM, otherwise TREE_BYTES. A tree joins short blocks of all members in one frame,
 * but has to copy them for that. Documentation/networking/hypercube.rst has the measurements.
 */
#define TREE_BYTES	4096
#define TREE_BYTES_OF_FEW 8192
#define FEW_DIM		3

/* Decide whether rings are preferred. In a network that is not a cube, they are. In a cube, they
 * are if no tree can carry the collective, and then c->why is not changed: the plan type that was
 * considered before has set it. Otherwise the size of blocks decides.
 */
static int prefer(struct hcctl *h, const struct nl_fabric *info, const struct hc_coll_desc *t,
		  uint64_t bytes, struct plan_choice *c)
{
	(void)h;
	c->preferred = true;
	if (!info->dim) {
		c->why = "in such a network rings are taken";
		return 0;
	}
	if (!(t->plans & hc_bit(HYPERCUBE_PLAN_TREE)))
		return 0;
	c->preferred = bytes > (info->dim <= FEW_DIM ? TREE_BYTES_OF_FEW : TREE_BYTES);
	c->why = c->preferred ? "as measured, rings copy less of such long blocks" :
				"as measured, a tree takes the fewest frames";
	return 0;
}

static int arg_width(struct hcctl *h, const char *name, const char *word, void *dst)
{
	int rc = arg_u32(h, name, word, dst);

	if (!rc && *(uint32_t *)dst < 2)
		return hc_invalid(h, name, word, "a ring has at least 2 nodes");
	return rc;
}

/* Return: true if no value follows the keyword. */
static bool alone(const char *word)
{
	return !strcmp(word, "apply") || !strcmp(word, "repair") || !strcmp(word, "local");
}

/* Return: true if @word is one of the keywords in @argv. The values of keywords are skipped. */
static bool wants(const char *word, int argc, char **argv)
{
	int i = 0;

	while (i < argc && strcmp(argv[i], word))
		i += alone(argv[i]) ? 1 : 2;
	return i < argc;
}

int ring_read_graph(struct hcctl *h, const char *file, struct hc_graph **out)
{
	struct graph g;
	int rc = graph_read(h, file, &g);

	if (!rc) {
		*out = hc_graph_edges(g.end, g.links.v, g.links.n, g.named);
		rc = *out ? 0 : hc_nomem(h);
	}
	graph_free(&g);
	return rc;
}

static int plan_graph(struct hcctl *h, struct plan_req *q, uint32_t *width, int argc, char **argv)
{
	const char *file = NULL;
	struct arg args[] = {
		{ "graph", arg_str, &file },
		{ "width", arg_width, width },
		{ "method", arg_choice, &q->method },
		{}
	};
	struct ring r = {};
	int rc = hc_args(h, args, argc, argv) ?: check(h, q) ?:
		 ring_read_graph(h, file, &r.g);

	if (!rc)
		rc = find_in(h, q, NULL, &r);
	if (!rc) {
		cmd_ring_print(h, &(struct ring_view){ .file = file, .g = r.g, .plan = &r.plan });
		cmd_ring_warn(h, r.g, &r.plan);
	}
	release(&r);
	return rc;
}

#define WORDS 5

static void begin_req(struct plan_req *q, struct arg own[WORDS])
{
	uint32_t *width = (uint32_t *)q->room;

	*q = (struct plan_req){ .root = NL_NONE, .method.words = ring_methods, .own = width };
	own[0] = (struct arg){ "width", arg_width, width };
	own[1] = (struct arg){ "method", arg_choice, &q->method };
	own[2] = (struct arg){ "repair", NULL, &q->repair };
	own[3] = (struct arg){ "without", arg_nodes, &q->without };
	own[4] = (struct arg){};
}

static int parse(struct hcctl *h, struct plan_req *q, int argc, char **argv)
{
	struct arg own[WORDS];

	begin_req(q, own);
	return hc_args(h, own, argc, argv);
}

/* Write no keywords, because the next epoch need not have the same rings. */
static void words(const struct nl_plan *v, unsigned int dim, char *buf, size_t size)
{
	(void)v;
	(void)dim;
	if (size)
		*buf = 0;
}

static int plan(struct hcctl *h, int argc, char **argv)
{
	struct arg own[WORDS];
	struct plan_req q;

	begin_req(&q, own);
	if (wants("rings", argc, argv))
		return wants("graph", argc, argv) ? ring_several_graph(h, argc, argv) :
						    ring_several(h, argc, argv);
	if (wants("graph", argc, argv))
		return plan_graph(h, &q, (uint32_t *)q.room, argc, argv);
	return planner_command(h, &ring_planner, &q, own, argc, argv);
}

static int show_plans(struct hcctl *h, int argc, char **argv)
{
	return planner_show_type(h, &ring_planner, argc, argv);
}

static const struct planner_root begin = { .of = begin_of };

static const struct hc_cmd ring_cmds[] = {
	{
		"plan", plan,
		"{ fabric NAME [apply [plan ID] [epoch N] [local] [repair | guard T]] | { dim N | "
		NET_SHAPES " } [fail-link LINKS] [fail-node NODES] [faults FILE] | graph FILE } { rings K | [width W] [method auto|vrt|hamilton] [without NODES] }",
	},
	{ "show", show_plans, "NAME" },
	{ "shortest", ring_shortest, "dim N" },
	{}
};

const struct planner ring_planner = {
	.type = HYPERCUBE_PLAN_RING, .id = 5, .size = sizeof(struct ring),
	.object = {
		"ring", "trees of rings around the faults, for all-to-all broadcast", ring_cmds
	},
	.root = &begin, .members_follow = true, .any_network = true,
	.check = check, .parse = parse, .words = words,
	.find = find, .free = release, .shape = shape,
	.print = print, .show = show,
	.prefer = prefer, .truth = truth,
};
