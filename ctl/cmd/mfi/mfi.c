// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl mfi: how many faults an algorithm that checks itself can hide (the maximum fault index),
 * and how to group its processes so that all processes of a group can fail together.
 *
 * The environment of a processor consists of the processors that it asks, and itself. Each
 * environment may have up to tg faults (see ctl/plan/mfi.h).
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mfi.h"
#include "cmd/net_args.h"

#define DEFAULT_LIMIT UINT64_C(60000000000)

struct size {
	uint32_t rows;
	uint32_t cols;
};

/* Values of the command's keywords. */
struct mfi_req {
	uint32_t dim;
	struct size mesh;
	struct size torus;
	struct hc_net_spec kary;
	const char *graph;
	const char *envs;
	struct arg_choice pattern;
	struct arg_choice method;
	uint32_t tg;		/* number of faults that each environment may have */
	uint64_t limit;		/* time limit of the search, ns */
	struct node_list set;	/* a set of faults to check, instead of searching for one */
	bool matrix;		/* print the fault matrix */
	uint32_t escape;	/* try all sets of up to this number of faults */
	const char *plot;	/* name of the file for a picture, or NULL */
	bool place;		/* place the processes on the nodes of a fabric */
	struct mfi_place on;	/* the fabric and the mapping, for @place */
	struct arg_choice mapping;
};

static const char * const patterns[] = {
	[HC_MFI_STAR] = "star", [HC_MFI_SQUARE] = "square", [HC_MFI_BOX] = "box",
	[HC_MFI_LISTED] = "listed", NULL,
};

/* Value of mfi_req.pattern.v if the user has named no pattern. */
#define ANY_PATTERN (HC_MFI_LISTED + 1)

static const char * const methods[] = {
	[HC_MFI_AUTO] = "auto", [HC_MFI_SEARCH] = "search", [HC_MFI_COLOUR] = "colouring", NULL,
};

/* --- arguments --- */

static int arg_size(struct hcctl *h, const char *name, const char *word, void *dst)
{
	struct size *s = dst;
	unsigned long long rows, cols;
	char *end = NULL;

	rows = isdigit((unsigned char)*word) ? strtoull(word, &end, 10) : 0;
	if (!rows || *end != 'x' || !isdigit((unsigned char)end[1]))
		return hc_invalid(h, name, word, "rows and columns are wanted, as in 5x5");
	cols = strtoull(end + 1, &end, 10);
	if (!cols || *end)
		return hc_invalid(h, name, word, "rows and columns are wanted, as in 5x5");
	if (rows > HC_MFI_PROCESSORS || cols > HC_MFI_PROCESSORS ||
	    rows * cols > HC_MFI_PROCESSORS)
		return hc_invalid(h, name, word, "at most 4096 processors");
	s->rows = rows;
	s->cols = cols;
	return 0;
}

static int arg_cube(struct hcctl *h, const char *name, const char *word, void *dst)
{
	uint64_t v;

	if (hc_number(word, 12, &v) || !v)
		return hc_invalid(h, name, word, "a dimension from 1 to 12 is wanted");
	*(uint32_t *)dst = v;
	return 0;
}

static int arg_kary(struct hcctl *h, const char *name, const char *word, void *dst)
{
	struct hc_net_spec *s = dst;
	uint64_t n = 1;
	uint32_t i;
	int rc = net_lengths(h, name, word, s);

	if (rc)
		return rc;
	for (i = 0; i < s->length[1] && n <= HC_MFI_PROCESSORS; i++)
		n *= s->length[0];
	if (s->length[0] < 2 || !s->length[1] || n > HC_MFI_PROCESSORS)
		return hc_invalid(h, name, word, "2 to 4096 processors, at least 2 along each axis");
	return 0;
}

static int arg_tg(struct hcctl *h, const char *name, const char *word, void *dst)
{
	uint64_t v;

	if (hc_number(word, HC_MFI_PROCESSORS, &v) || !v)
		return hc_invalid(h, name, word, "a number from 1 to 4096 is wanted");
	*(uint32_t *)dst = v;
	return 0;
}

static int arg_escape(struct hcctl *h, const char *name, const char *word, void *dst)
{
	uint64_t v;

	if (hc_number(word, MFI_ESCAPE, &v) || !v)
		return hc_invalid(h, name, word, "a number from 1 to 6 is wanted");
	*(uint32_t *)dst = v;
	return 0;
}

static int arg_seed(struct hcctl *h, const char *name, const char *word, void *dst)
{
	uint64_t *seed = dst;

	if (hc_number(word, UINT64_MAX, seed) || !*seed)
		return hc_invalid(h, name, word, "a number from 1 on is wanted");
	return 0;
}

static int arg_picture(struct hcctl *h, const char *name, const char *word, void *dst)
{
	const char *dot = strrchr(word, '.');

	if (!dot || strcmp(dot, ".svg"))
		return hc_invalid(h, name, word, "a name that ends in .svg is wanted");
	*(const char **)dst = word;
	return 0;
}

static int check(struct hcctl *h, struct mfi_req *q)
{
	int kinds = !!q->dim + !!q->mesh.rows + !!q->torus.rows + !!q->kary.axes + !!q->graph;
	unsigned int p = q->pattern.v;

	if (kinds != 1)
		return kinds ? hc_duplicate(h, "dim, mesh, torus, kary or graph") :
			hc_missing(h, "\"dim\", \"mesh\", \"torus\", \"kary\" or \"graph\"");
	if ((p == HC_MFI_SQUARE || p == HC_MFI_BOX) && !q->mesh.rows && !q->torus.rows)
		return hc_invalid(h, "pattern", patterns[p], "only a mesh or torus has that");
	if (q->graph && q->envs)
		return hc_invalid(h, "envs", q->envs, "the file of the graph has them");
	if (p == HC_MFI_LISTED && !q->graph && !q->envs)
		return hc_missing(h, "\"envs\", a file with the environments");
	if (q->envs && p != HC_MFI_LISTED && p != ANY_PATTERN)
		return hc_invalid(h, "pattern", patterns[p], "\"envs\" lists the environments");
	if (!q->on.fabric != !q->place)
		return hc_missing(h, q->place ? "\"fabric\" to place processes on" :
					"\"place\", without which no fabric is wanted");
	if (q->place && q->set.n)
		return hc_invalid(h, "place", "set", "\"set\" makes no groups");
	if (!q->place && q->mapping.v)
		return hc_missing(h, "\"place\", without which nothing is mapped");
	if (q->mapping.v != MFI_RANDOM && q->on.seed)
		return hc_missing(h, "\"mapping random\", without which \"seed\" means nothing");
	if (q->set.n && q->escape)
		return hc_invalid(h, "escape", "set", "\"set\" answers that for its set anyway");
	return 0;
}

/* --- the processors --- */

static struct hc_mfi_net *make_graph(const struct mfi_req *q, const struct mfi_graph *g)
{
	bool star = q->pattern.v == HC_MFI_STAR || (q->pattern.v == ANY_PATTERN && !g->nenvs);
	struct hc_mfi_net *net;

	net = hc_mfi_new(g->n, star ? g->links : g->envs, star ? g->nlinks : g->nenvs, q->tg);
	if (net && star)
		net->pattern = HC_MFI_STAR;
	return net;
}

/* Make a network of the shape of @shape whose environments are those of a file. Frees @shape. If
 * the file has no environments, but only numbers of faults, return @shape itself.
 */
static struct hc_mfi_net *make_listed(const struct mfi_req *q, const struct mfi_graph *g,
				      struct hc_mfi_net *shape)
{
	struct hc_mfi_net *net = NULL;
	struct hc_mfi_pair *p;
	size_t i;

	if (!g->nenvs && g->ntgs)
		return shape;
	p = calloc(g->nenvs + 1, sizeof(*p));
	for (i = 0; p && i < g->nenvs; i++)
		p[i] = (struct hc_mfi_pair){ g->names[g->envs[i].u], g->names[g->envs[i].v] };
	if (p)
		net = hc_mfi_new(shape->n, p, g->nenvs, q->tg);
	if (net) {
		net->kind = shape->kind;
		net->dim = shape->dim;
		net->k = shape->k;
		net->rows = shape->rows;
		net->cols = shape->cols;
	}
	free(p);
	hc_mfi_free(shape);
	return net;
}

static int check_listed(struct hcctl *h, const struct mfi_req *q, const struct mfi_graph *g,
			uint32_t n)
{
	if (g->nlinks) {
		hc_error(h, "%s: links are those of the machine; only \"env\" is wanted", q->envs);
		return HC_NO;
	}
	if (g->names[g->n - 1] >= n) {
		hc_error(h, "%s: no processor %u: there are %u", q->envs, g->names[g->n - 1], n);
		return HC_NO;
	}
	return 0;
}

static struct hc_mfi_net *make_shape(const struct mfi_req *q)
{
	const struct size *s = q->mesh.rows ? &q->mesh : &q->torus;
	unsigned int p = q->pattern.v >= HC_MFI_LISTED ? HC_MFI_STAR : q->pattern.v;

	if (q->dim)
		return hc_mfi_cube(q->dim, q->tg);
	if (q->kary.axes)
		return hc_mfi_kary(q->kary.length[0], q->kary.length[1], q->tg);
	return hc_mfi_grid(s->rows, s->cols, s == &q->torus, p, q->tg);
}

/* Set the number of faults that each environment may have: that of the file, or if the file has
 * none for the environment, q->tg.
 */
static int set_tg(struct hcctl *h, const struct mfi_req *q, const struct mfi_graph *g,
		  struct hc_mfi_net *net)
{
	uint32_t *tg = malloc(net->n * sizeof(*tg)), u;
	int rc = tg ? 0 : -ENOMEM;
	size_t i;

	for (u = 0; tg && u < net->n; u++)
		tg[u] = q->tg;
	for (i = 0; tg && i < g->ntgs; i++)
		tg[mfi_index(q->graph ? g->names : NULL, net->n, g->tgs[i].v)] = g->tgs[i].u;
	rc = rc ?: hc_mfi_set_tg(net, tg);
	free(tg);
	return rc ? hc_nomem(h) : 0;
}

static int make(struct hcctl *h, const struct mfi_req *q, struct mfi_graph *g,
		struct hc_mfi_net **net)
{
	int rc = 0;

	if (q->graph || q->envs)
		rc = mfi_read(h, q->graph ?: q->envs, g);
	if (rc)
		return rc;
	if (q->graph && q->pattern.v == HC_MFI_LISTED && !g->nenvs) {
		hc_error(h, "%s: no environments", q->graph);
		return HC_NO;
	}
	*net = q->graph ? make_graph(q, g) : make_shape(q);
	if (*net && q->envs) {
		rc = check_listed(h, q, g, (*net)->n);
		if (rc)
			return rc;
		*net = make_listed(q, g, *net);
	}
	if (!*net)
		return hc_nomem(h);
	return g->ntgs ? set_tg(h, q, g, *net) : 0;
}

/* --- time --- */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/**
 * struct clock - the time limit of a search, and its progress reports to a terminal
 * @end: time at which the search must end, ns
 * @shown: time of the last report, ns; 0: there was none
 * @found: the result found so far, which is reported
 * @terminal: standard error is a terminal
 */
struct clock {
	uint64_t end;
	uint64_t shown;
	const struct hc_mfi_found *found;
	bool terminal;
};

/* Report the progress to a terminal, twice a second. Return: false if the time limit has passed. */
static bool go_on(void *arg)
{
	struct clock *c = arg;
	uint64_t t = now();

	if (c->terminal && t - c->shown > 500000000) {
		fprintf(stderr, "\rmfi %u to %u, %" PRIu64 " nodes, %u s left\033[K",
			c->found->size, c->found->upper, c->found->nodes,
			t < c->end ? (unsigned int)((c->end - t) / 1000000000) : 0);
		c->shown = t;
	}
	return t < c->end;
}

static void clock_end(const struct clock *c)
{
	if (c->shown && c->terminal)
		fputs("\r\033[K", stderr);
}

/* --- answering the request --- */

static int find(struct hcctl *h, const struct mfi_req *q, struct mfi_view *v, struct clock *c)
{
	bool *set = calloc(v->net->n, sizeof(*set));
	int rc = set ? 0 : -ENOMEM;

	if (set)
		v->coloured = hc_mfi_colour(v->net, NULL, 0, set);
	free(set);
	if (!rc)
		rc = hc_mfi_find(v->net, q->method.v, &v->found, go_on, c);
	if (!rc)
		rc = hc_mfi_groups(v->net, v->found.set, v->found.upper, &v->groups);
	return rc ? hc_nomem(h) : 0;
}

/* Check the set of faults that the user has given. */
static int given(struct hcctl *h, const struct mfi_req *q, struct mfi_view *v)
{
	uint32_t faults[HC_MFI_ESCAPE_FAULTS], u, n = 0;
	size_t i;

	v->given = true;
	v->escape = -1;
	v->found.set = calloc(v->net->n, sizeof(*v->found.set));
	if (!v->found.set)
		return hc_nomem(h);
	for (i = 0; i < q->set.n; i++) {
		if (q->set.v[i] == NODE_ALL) {
			memset(v->found.set, true, v->net->n * sizeof(*v->found.set));
			continue;
		}
		u = mfi_index(v->names, v->net->n, q->set.v[i]);
		if (u == UINT32_MAX) {
			hc_error(h, "no processor %u: there are %u", q->set.v[i], v->net->n);
			return HC_NO;
		}
		v->found.set[u] = true;
	}
	if (hc_mfi_count(v->net, v->found.set) > HC_MFI_ESCAPE_FAULTS)
		return 0;
	for (u = 0; u < v->net->n; u++)
		if (v->found.set[u])
			faults[n++] = u;
	v->escape = hc_mfi_escapes(v->net, faults, n);
	return v->escape < 0 ? hc_nomem(h) : 0;
}

/* Try all sets of 1, 2, .. q->escape faults, until the time limit has passed. */
static int escape(struct hcctl *h, const struct mfi_req *q, struct mfi_view *v, struct clock *c)
{
	int rc = 0;

	v->complete = true;
	while (!rc && v->ntried < q->escape && v->ntried < v->net->n) {
		struct hc_mfi_escape *e = &v->tried[v->ntried++];

		rc = hc_mfi_escape_all(v->net, v->ntried, e, go_on, c);
	}
	if (rc == -EINTR)
		v->complete = false;
	return rc && rc != -EINTR ? hc_nomem(h) : 0;
}

static int too_many(struct hcctl *h, const struct mfi_req *q, const struct hc_mfi_net *net)
{
	uint64_t rows = mfi_sets(net->n, net->tg);

	if (q->matrix && (rows > MFI_ROWS || !rows)) {
		hc_error(h, "no matrix of %" PRIu64 " rows: at most %u, at least 1", rows,
			 MFI_ROWS);
		return HC_NO;
	}
	if (q->escape && mfi_sets(net->n, q->escape) > MFI_SETS) {
		hc_error(h, "too many sets of %u faults: more than %u", q->escape, MFI_SETS);
		return HC_NO;
	}
	return 0;
}

static int run(struct hcctl *h, struct mfi_req *q, struct mfi_view *v)
{
	struct clock c = { .found = &v->found, .terminal = isatty(STDERR_FILENO) };
	int rc = too_many(h, q, v->net);

	if (rc)
		return rc;
	c.end = now() + q->limit;
	rc = q->set.n ? given(h, q, v) : find(h, q, v, &c);
	if (!rc && q->escape)
		rc = escape(h, q, v, &c);
	if (!rc && q->place) {
		v->place = &q->on;
		rc = mfi_place(h, v, &q->on, go_on, &c);
	}
	clock_end(&c);
	if (!rc && q->plot)
		rc = mfi_plot(h, q->plot, v);
	return rc ?: mfi_print(h, v);
}

static int mfi_req(struct hcctl *h, struct mfi_req *q)
{
	struct hc_mfi_net *net = NULL;
	struct mfi_graph g = {};
	struct mfi_view v = {};
	int rc = check(h, q) ?: make(h, q, &g, &net);

	if (!rc) {
		v.net = net;
		v.names = q->graph ? g.names : NULL;
		v.pattern = patterns[net->pattern];
		v.matrix = q->matrix;
		q->on.mapping = q->mapping.v;
		if (!q->on.seed)
			q->on.seed = 1;
		rc = run(h, q, &v);
	}
	free(v.found.set);
	free(v.groups.of);
	mfi_place_free(&q->on);
	hc_mfi_free(net);
	mfi_graph_free(&g);
	return rc;
}

static int mfi(struct hcctl *h, int argc, char **argv)
{
	struct mfi_req q = {
		.pattern = { patterns, ANY_PATTERN }, .method = { methods },
		.mapping = { mfi_mappings }, .tg = 1, .limit = DEFAULT_LIMIT,
	};
	struct arg args[] = {
		{ "dim", arg_cube, &q.dim },
		{ "mesh", arg_size, &q.mesh },
		{ "torus", arg_size, &q.torus },
		{ "kary", arg_kary, &q.kary },
		{ "graph", arg_str, &q.graph },
		{ "pattern", arg_choice, &q.pattern },
		{ "envs", arg_str, &q.envs },
		{ "tg", arg_tg, &q.tg },
		{ "set", arg_nodes, &q.set, .many = true },
		{ "method", arg_choice, &q.method },
		{ "limit", arg_time, &q.limit },
		{ "escape", arg_escape, &q.escape },
		{ "matrix", NULL, &q.matrix },
		{ "plot", arg_picture, &q.plot },
		{ "place", NULL, &q.place },
		{ "fabric", arg_fabric, &q.on.fabric },
		{ "mapping", arg_choice, &q.mapping },
		{ "seed", arg_seed, &q.on.seed },
		{}
	};
	int rc = hc_args(h, args, argc, argv) ?: mfi_req(h, &q);

	free(q.set.v);
	return rc;
}

const struct hc_cmd mfi_cmds[] = {
	{ NULL, mfi,
	  "{ dim N | mesh RxC | torus RxC | kary K^N | graph FILE }\n"
	  "          [pattern { star | square | box | listed }] [envs FILE] [tg T]\n"
	  "          [set NODES | method { auto | search | colouring } [limit TIME] [escape K]]\n"
	  "          [matrix] [plot FILE.svg]\n"
	  "          [place fabric NAME [mapping { groups | block | random }] [seed N]]" },
	{}
};
