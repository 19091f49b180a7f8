// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl bcast: find sequences of dimensions for broadcasts.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "planner.h"

/* Values of the keywords that only "bcast plan" has. */
struct own {
	bool all;			/* the user wants broadcasts from all sources */
	struct arg_choice prime;	/* how to choose the prime subcube */
};

enum { LARGEST, GREEDY };

static const char * const methods[] = {
	[HC_BCAST_GENERAL] = "general",
	[HC_BCAST_BROADCAST1] = "broadcast1",
	[HC_BCAST_MINIMAL] = "minimal",
	NULL
};

static const char * const primes[] = {
	[LARGEST] = "largest",
	[GREEDY] = "greedy",
	NULL
};

/* Return: true if the user wants broadcasts from all sources. */
static bool all_of(const struct plan_req *q)
{
	const struct own *own = q->own;

	return own && own->all;
}

static int check(struct hcctl *h, const struct plan_req *q)
{
	bool all = all_of(q);

	if (!all && q->root == NL_NONE)
		return hc_missing(h, "\"source\" or \"all\"");
	if (all && q->without.n)
		return hc_invalid(h, "without", "all", "it is for one source");
	if (all && q->root != NL_NONE) {
		hc_error(h, "\"source\" and \"all\" exclude each other");
		return HC_USAGE;
	}
	if (all && q->method.v == HC_BCAST_MINIMAL)
		return hc_invalid(h, "method", methods[q->method.v], "it takes one source, not all");
	if (all && q->apply && q->faults.fabric)
		return hc_invalid(h, "apply", "all", "a plan has one source");
	return 0;
}

static int no_plan(struct hcctl *h, const struct plan_req *q, int err, uint32_t source,
		   const char *why)
{
	return planner_none(h, q, "broadcast", "from node", source, err, why);
}

static struct hc_bcast_req request(const struct plan_req *q)
{
	const struct own *own = q->own;

	return (struct hc_bcast_req){
		.method = q->method.v,
		.source = q->root,
		.greedy = own && own->prime.v == GREEDY,
	};
}

/* Return: the lowest node that can reach another node; 0 if there is no such node. */
static uint32_t first_source(const struct hc_faults *f)
{
	uint32_t u;

	for (u = 0; u < f->topo.nodes; u++)
		if (f->fault[u] != hc_ports(&f->topo, u))
			return u;
	return 0;
}

/* Find a broadcast from the source that the user wants. If the user wants all sources, only check
 * the network: all_sources() finds the sequences while it prints them.
 */
static int find(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f, void *plan)
{
	struct hc_bcast_req req = request(q);
	const char *why = "not possible";
	struct hc_faults *left;
	int rc;

	if (all_of(q))
		return f->dim ? 0 : live_need_cube(h, q->faults.fabric, 0, "all");
	left = planner_left(h, q, f);
	if (!left)
		return HC_NO;
	if (req.source == NL_NONE)
		req.source = first_source(left);
	rc = hc_plan_bcast(left, &req, plan, &why);
	hc_faults_free(left);
	return rc ? no_plan(h, q, rc, req.source, why) : 0;
}

static void free_bcast(void *plan)
{
	hc_bcast_plan_free(plan);
}

static struct nl_shape shape(const void *plan)
{
	return live_shape_bcast(plan);
}

static void warn(struct hcctl *h, const void *plan)
{
	const struct hc_bcast_plan *p = plan;
	char list[BCAST_LIST];

	if (p->nunreachable)
		hc_warn(h, "cut off from source %u%s", p->bcast.source,
			cmd_bcast_list(list, p->unreachable, p->bcast.topo.nodes));
}

static int one_source(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		      const struct hc_bcast_plan *p)
{
	const struct bcast_view view = {
		.method = methods[q->method.v], .fabric = q->faults.fabric, .faults = f,
		.installed = q->apply ? q->id : 0,
	};
	char list[BCAST_LIST];

	cmd_bcast_print(h, &view, p);
	warn(h, p);
	if (p->covered >= p->reachable)
		return 0;
	hc_error(h, "%s does not reach%s; try: method general", view.method,
		 cmd_bcast_list(list, p->missed, hc_nodes(f->dim)));
	return HC_NO;
}

/* Output of the broadcasts from all sources. A piece is a subcube in which the same sequence serves
 * all sources, see ctl/plan/bcast.h.
 */
struct pieces {
	struct hcctl *h;
	const struct plan_req *q;
	unsigned int dim;
	uint32_t count;		/* number of pieces printed so far */
	uint32_t incomplete;	/* number of pieces whose sequence misses a node that can be reached
				 */
	uint32_t apart;		/* number of pieces from which some nodes cannot be reached */
	unsigned int steps;	/* the maximum number of steps of a sequence */
};

static void head(struct hcctl *h, const struct plan_req *q, unsigned int dim)
{
	out_object(h, NULL);
	if (q->faults.fabric)
		out_str(h, "fabric", "fabric %s ", q->faults.fabric);
	out_uint(h, "dim", "dim %" PRIu64, dim);
	out_str(h, "method", " method %s\n", methods[q->method.v]);
	out_array(h, "pieces");
}

static int one_piece(void *ctx, const struct hc_bcast_piece *piece)
{
	struct pieces *p = ctx;

	if (!p->count)
		head(p->h, p->q, p->dim);
	cmd_bcast_print_piece(p->h, piece);
	p->count++;
	p->incomplete += piece->plan.covered < piece->plan.reachable;
	p->apart += piece->plan.nunreachable > 0;
	if (piece->plan.bcast.steps > p->steps)
		p->steps = piece->plan.bcast.steps;
	return 0;
}

static int all_sources(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f)
{
	struct pieces p = { .h = h, .q = q, .dim = f->dim };
	const struct hc_bcast_req req = request(q);
	const char *why = "not possible";
	int rc;

	rc = hc_plan_bcast_all(f, &req, one_piece, &p, &why);
	if (rc) {
		out_reset(h);
		return no_plan(h, q, rc, NL_NONE, why);
	}
	out_close(h);
	out_text(h, "%u pieces", p.count);
	out_uint(h, "steps", ", at most %" PRIu64 " steps\n", p.steps);
	out_close(h);
	if (p.apart)
		hc_warn(h, "the live nodes are not all connected: see what is unreachable from each piece");
	if (!p.incomplete)
		return HC_OK;
	hc_error(h, "%s does not reach everybody from %u of %u pieces; try: method general",
		 methods[q->method.v], p.incomplete, p.count);
	return HC_NO;
}

static int print(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		 const void *plan)
{
	return all_of(q) ? all_sources(h, q, f) : one_source(h, q, f, plan);
}

static uint32_t source_of(const struct nl_plan *v)
{
	return v->source;
}

static const struct planner_root source = { "source", HYPERCUBE_A_PLAN_SOURCE, source_of };

/* Return: a lower bound of the number of steps that reach @members members. In each step, the
 * number of members that have the message doubles at most.
 */
static uint32_t rounds_of_doubling(uint32_t members)
{
	return members > 1 ? 32 - (uint32_t)__builtin_clz(members - 1) : 0;
}

/* Fill in @t. The optimum is the length of the shortest sequence for the source, or if the search
 * was not complete, the length up to which it has excluded all sequences. The result of the search
 * is used only if the plan's members are all nodes that the source can reach now: a shorter
 * sequence may be enough for fewer members.
 */
static int truth(const struct nl_plan *v, struct plan_truth *t)
{
	struct hc_bcast_req req = { .method = HC_BCAST_MINIMAL, .source = v->source };
	uint32_t members = cmd_set_count(v->members, 32 * v->member_words);
	struct hc_bcast_plan p;
	const char *why;
	int rc;

	t->promise = v->steps;
	t->optimum = rounds_of_doubling(members);
	t->exact = members == 1;
	if (!t->search || members == 1)
		return 0;
	rc = hc_plan_bcast(t->faults, &req, &p, &why);
	if (rc)
		return rc;
	if (members == p.reachable) {
		t->optimum = p.lower_bound;
		t->exact = p.lower_bound == p.bcast.steps;
	}
	hc_bcast_plan_free(&p);
	return 0;
}

#define WORDS 6

static void begin(struct plan_req *q, struct arg args[WORDS])
{
	struct own *own = (struct own *)q->room;

	_Static_assert(sizeof(*own) <= sizeof(q->room), "own words have room");
	*q = (struct plan_req){ .root = NL_NONE, .method.words = methods, .own = own };
	own->prime.words = primes;
	args[0] = (struct arg){ "source", arg_node, &q->root };
	args[1] = (struct arg){ "all", NULL, &own->all };
	args[2] = (struct arg){ "method", arg_choice, &q->method };
	args[3] = (struct arg){ "prime", arg_choice, &own->prime };
	args[4] = (struct arg){ "without", arg_nodes, &q->without };
	args[5] = (struct arg){};
}

static int plan(struct hcctl *h, int argc, char **argv)
{
	struct arg args[WORDS];
	struct plan_req q;

	begin(&q, args);
	return planner_command(h, &bcast_planner, &q, args, argc, argv);
}

static int parse(struct hcctl *h, struct plan_req *q, int argc, char **argv)
{
	struct arg args[WORDS];

	begin(q, args);
	return hc_args(h, args, argc, argv);
}

static void words(const struct nl_plan *v, unsigned int dim, char *buf, size_t size)
{
	(void)dim;
	snprintf(buf, size, "source %u", v->source);
}

static const struct hc_cmd bcast_cmds[] = {
	{
		"plan", plan,
		PLANNER_NET_ARGS
		" { source NODE | all } [method general|broadcast1|minimal] [prime largest|greedy] [without NODES]",
	},
	{}
};

const struct planner bcast_planner = {
	.type = HYPERCUBE_PLAN_BCAST, .id = 2, .size = sizeof(struct hc_bcast_plan),
	.object = { "bcast", "broadcasts around the faults", bcast_cmds },
	.title = "broadcast", .root = &source, .rooted = true, .any_network = true,
	.check = check, .parse = parse, .words = words, .find = find,
	.free = free_bcast, .shape = shape,
	.print = print, .warn = warn, .show = planner_show_sequence,
	.truth = truth,
};
