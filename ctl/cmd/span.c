// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl span: spanning trees of any network.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "planner.h"
#include "span.h"

static const char * const methods[] = {
	[HC_SPAN_STEPS] = "steps",
	[HC_SPAN_DEPTH] = "depth",
	NULL
};

_Static_assert(NL_NONE == HC_ANY_SINK, "without a root any sink will do");

/* --- planning --- */

static int check(struct hcctl *h, const struct plan_req *q)
{
	if (q->own && q->guard)
		return hc_invalid(h, "guard", "parents",
				  "given parents lead around no fault of later");
	if (q->own && q->root == NL_NONE)
		return hc_missing(h, "\"sink\", the one node without a parent that is a member");
	return 0;
}

/* Parse a list such as "-,0,0,1" into @parent: for each of @nodes nodes its parent, or "-"
 * (HC_ANY_SINK) if it has none.
 */
static int read_parents(struct hcctl *h, const char *words, uint32_t nodes, uint32_t *parent)
{
	static const char wanted[] = "for each node the number of its parent, or -, is wanted";
	char *copy = strdup(words), *rest = copy, *word, *end;
	uint32_t u = 0;

	if (!copy)
		return hc_nomem(h);
	while ((word = strsep(&rest, ",")) && u < nodes) {
		parent[u] = strcmp(word, "-") ? strtoul(word, &end, 10) : HC_ANY_SINK;
		if (!*word || (parent[u] != HC_ANY_SINK && (*end || parent[u] >= nodes)))
			break;
		u++;
	}
	free(copy);
	return u == nodes && !word ? 0 : hc_invalid(h, "parents", words, wanted);
}

static int read_without(struct hcctl *h, const struct node_list *l, uint32_t nodes, uint32_t *set)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (l->v[i] >= nodes) {
			hc_error(h, "there is no node %" PRIu32, l->v[i]);
			return HC_USAGE;
		}
		hc_set_add(set, l->v[i]);
	}
	return 0;
}

static int find_by(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f, void *plan,
		   uint32_t *parent, uint32_t *without)
{
	const struct hc_span_req req = {
		.method = q->method.v, .root = q->root, .parent = q->own ? parent : NULL,
		.without = without,
	};
	const char *why;
	int rc = q->own ? read_parents(h, q->own, f->topo.nodes, parent) : 0;

	rc = rc ?: read_without(h, &q->without, f->topo.nodes, without);
	if (rc)
		return rc;
	rc = hc_plan_span(f, &req, plan, &why);
	return rc ? planner_none(h, q, "spanning tree", "with sink", q->root, rc, why) : 0;
}

static int find(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f, void *plan)
{
	uint32_t *parent = calloc(f->topo.nodes, sizeof(*parent));
	uint32_t *without = calloc(hc_topo_words(&f->topo), sizeof(*without));
	int rc = parent && without ? find_by(h, q, f, plan, parent, without) : hc_nomem(h);

	hc_free_all(parent, without);
	return rc;
}

static void release(void *plan)
{
	hc_span_plan_free(plan);
}

static struct nl_shape shape(const void *plan)
{
	return live_shape_span(plan);
}

/* --- printing --- */

enum { LINK, PARENT, STEP };

static const struct out_column columns[] = {
	OUT_RIGHT(LINK),
	OUT_RIGHT(PARENT),
	OUT_RIGHT(STEP),
	{}
};

static void print_links(struct hcctl *h, const struct hc_span_plan *p)
{
	const struct hc_span *s = &p->span;
	uint32_t u;

	out_table(h, columns);
	out_array(h, "links");
	for (u = 0; u < s->topo.nodes; u++) {
		if (s->parent[u] == HC_NO_PORT)
			continue;
		out_object(h, NULL);
		out_number(h, LINK, "node", u);
		out_uint(h, "dim", ":%" PRIu64, s->parent[u]);
		out_number(h, PARENT, "parent", hc_span_parent(s, u));
		out_number(h, STEP, "step", p->up[u]);
		out_close(h);
	}
	out_table_end(h);
	out_close(h);
}

static void warn(struct hcctl *h, const void *plan)
{
	const struct hc_span_plan *p = plan;

	if (p->nexcluded)
		hc_warn(h, "%u of the nodes that are alive are not in the tree of sink %u",
			p->nexcluded, p->span.root);
}

static int print(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		 const void *plan)
{
	const struct hc_span_plan *p = plan;

	out_object(h, NULL);
	if (q->faults.fabric)
		out_str(h, "fabric", "fabric %s ", q->faults.fabric);
	if (f->dim)
		out_uint(h, "dim", "dim %" PRIu64 " ", f->dim);
	out_uint(h, "sink", "sink %" PRIu64, p->span.root);
	out_str(h, "method", " method %s", q->own ? "parents" : methods[q->method.v]);
	out_uint(h, "depth", " depth %" PRIu64, p->depth);
	out_uint(h, "least_steps", " at least %" PRIu64 " steps", p->lower_bound);
	out_uint(h, "members", "\nmembers %" PRIu64, p->nmembers);
	if (q->apply)
		out_uint(h, "plan", " installed as plan %" PRIu64, q->id);
	out_uint(h, "steps", " steps %" PRIu64 "\n", p->steps);
	cmd_out_faults(h, f);
	print_links(h, p);
	out_close(h);
	warn(h, plan);
	return 0;
}

static void show(struct hcctl *h, const struct nl_plan *v)
{
	cmd_out_order(h, h->json ? "parent_ports" : NULL, "", v->sequence, h->json ? v->steps : 0);
}

/* --- steps --- */

static struct hc_span tree_of(const struct nl_plan *v, const struct hc_faults *f)
{
	return (struct hc_span){
		.topo = f->topo, .root = v->sink, .n = v->steps, .parent = v->sequence,
	};
}

/* Return: for each node, the step in which it sends, to be freed; NULL if the tree and the faults
 * do not match, or there is no memory.
 */
static uint16_t *schedule(const struct hc_span *s, const struct hc_faults *f)
{
	uint16_t *up = calloc(f->topo.nodes, 3 * sizeof(*up));

	if (up && hc_span_check(s, f->fault, up, up + f->topo.nodes, NULL)) {
		free(up);
		up = NULL;
	}
	return up;
}

/* Set the numbers of steps. The result of the search is used only if the plan has as many members
 * as nodes can be reached now: a tree with fewer members may take fewer steps.
 */
static int truth(const struct nl_plan *v, struct plan_truth *t)
{
	const struct hc_span_req req = { .method = HC_SPAN_STEPS, .root = v->sink };
	const struct hc_span tree = tree_of(v, t->faults);
	uint32_t members = cmd_set_count(v->members, 32 * v->member_words);
	uint16_t *up = schedule(&tree, t->faults);
	struct hc_span_plan p;
	uint32_t ways = t->down ? 2 : 1;
	const char *why;
	int rc;

	if (!up)
		return -EINVAL;
	t->promise = ways * up[v->sink];
	free(up);
	t->optimum = ways * hc_span_least(members);
	t->exact = t->optimum == t->promise;
	if (!t->search || t->exact)
		return 0;
	rc = hc_plan_span(t->faults, &req, &p, &why);
	if (rc)
		return rc;
	if (p.nmembers == members) {
		t->optimum = ways * p.lower_bound;
		t->exact = p.lower_bound == p.steps;
	}
	hc_span_plan_free(&p);
	return 0;
}

static int role(const struct nl_plan *v, const struct hc_faults *f, uint32_t u,
		struct hc_tree_role *role, struct hc_tree_peer *src, unsigned int max)
{
	const struct hc_span tree = tree_of(v, f);
	struct hc_tree_peer all[HC_PORTS_MAX];
	uint16_t *up = schedule(&tree, f);

	if (!up)
		return -EINVAL;
	hc_span_role(&tree, up, u, role, all);
	free(up);
	if (role->nsrc > max)
		return -ENOSPC;
	memcpy(src, all, role->nsrc * sizeof(*src));
	return 0;
}

/* --- keywords --- */

#define OWN 5

static void begin(struct plan_req *q, struct arg own[OWN])
{
	*q = (struct plan_req){ .root = HC_ANY_SINK, .method.words = methods };
	own[0] = (struct arg){ "sink", arg_node, &q->root };
	own[1] = (struct arg){ "method", arg_choice, &q->method };
	own[2] = (struct arg){ "without", arg_nodes, &q->without };
	own[3] = (struct arg){ "parents", arg_str, &q->own };
	own[4] = (struct arg){};
}

static int plan(struct hcctl *h, int argc, char **argv)
{
	struct arg own[OWN];
	struct plan_req q;

	begin(&q, own);
	return planner_command(h, &span_planner, &q, own, argc, argv);
}

static int parse(struct hcctl *h, struct plan_req *q, int argc, char **argv)
{
	struct arg own[OWN];

	begin(q, own);
	return hc_args(h, own, argc, argv);
}

static void words(const struct nl_plan *v, unsigned int dim, char *buf, size_t size)
{
	(void)dim;
	snprintf(buf, size, "sink %u", v->sink);
}

static int show_plans(struct hcctl *h, int argc, char **argv)
{
	return planner_show_type(h, &span_planner, argc, argv);
}

static const struct hc_cmd span_cmds[] = {
	{
		"plan", plan,
		PLANNER_NET_ARGS " [sink NODE] [method steps|depth | parents P0,P1,..] [without NODES]",
	},
	{ "show", show_plans, "NAME" },
	{}
};

const struct planner span_planner = {
	.type = HYPERCUBE_PLAN_SPAN, .id = 6, .size = sizeof(struct hc_span_plan),
	.object = { "span", "spanning trees of any network, around the faults", span_cmds },
	.title = "spanning tree", .root = &planner_sink,
	.sequence_attr = HYPERCUBE_A_PLAN_PARENTS, .members_follow = true, .any_network = true,
	.check = check, .parse = parse, .words = words,
	.find = find, .free = release, .shape = shape,
	.print = print, .warn = warn, .show = show,
	.truth = truth, .role = role,
};
