// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing of networks on the command line.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "graph.h"
#include "net_args.h"

/* A kind of network, and the form of its lengths on the command line. */
struct kind {
	const char *name;
	enum hc_net_kind kind;
	char between;			/* character between two lengths */
	unsigned int least, most;	/* minimum and maximum number of lengths */
	const char *wanted;		/* description of the lengths, for error messages */
};

static const struct kind kinds[] = {
	{ "mesh", HC_NET_MESH, 'x', 1, HC_NET_AXES, "lengths are wanted, as in 5x5 or 4x4x4" },
	{ "torus", HC_NET_TORUS, 'x', 1, HC_NET_AXES, "lengths are wanted, as in 5x5 or 6x6x6" },
	{ "kary", HC_NET_KARY, '^', 2, 2, "nodes of an axis and axes are wanted, as in 7^3" },
	{ "ring", HC_NET_RING, 'x', 1, 1, "a number of nodes is wanted" },
	{ "tree", HC_NET_TREE, '^', 2, 2, "children of a node and levels are wanted, as in 2^5" },
	{ "full", HC_NET_FULL, 'x', 1, 1, "a number of nodes is wanted" },
	{ "dragonfly", HC_NET_DRAGONFLY, 'x', 2, 2,
	  "nodes of a group and links of each to other groups are wanted, as in 4x2" },
};

static const struct kind *kind_named(const char *name)
{
	size_t i = 0;

	while (strcmp(kinds[i].name, name))
		i++;
	return &kinds[i];
}

/* Reverse the order of the axes. On the command line, the last axis is the one along which node
 * numbers are adjacent, as in C arrays.
 */
static void turn(struct hc_net_spec *s)
{
	unsigned int i;
	uint32_t swap;

	for (i = 0; i < s->axes / 2; i++) {
		swap = s->length[i];
		s->length[i] = s->length[s->axes - 1 - i];
		s->length[s->axes - 1 - i] = swap;
	}
}

/* Parse the lengths of a network of kind @k. Return: 0 or a negative errno. */
static int lengths_read(const struct kind *k, const char *word, struct hc_net_spec *s)
{
	char *copy = strdup(word), *rest = copy, *item;
	const char between[2] = { k->between };
	uint64_t v;
	int rc = copy ? 0 : -ENOMEM;

	*s = (struct hc_net_spec){ .kind = k->kind };
	while (!rc && (item = strsep(&rest, between))) {
		if (s->axes == k->most || hc_number(item, UINT32_MAX, &v))
			rc = -EINVAL;
		else
			s->length[s->axes++] = v;
	}
	free(copy);
	if (k->kind == HC_NET_MESH || k->kind == HC_NET_TORUS)
		turn(s);
	return rc ?: s->axes < k->least ? -EINVAL : 0;
}

int net_lengths(struct hcctl *h, const char *name, const char *word, struct hc_net_spec *s)
{
	const struct kind *k = kind_named(name);
	int rc = lengths_read(k, word, s);

	if (rc == -ENOMEM)
		return hc_nomem(h);
	return rc ? hc_invalid(h, name, word, k->wanted) : 0;
}

int arg_net(struct hcctl *h, const char *name, const char *word, void *dst)
{
	struct net_arg *a = dst;
	const char *base = strrchr(word, '/');

	if (*a->shape) {
		hc_error(h, "a fabric is one network, not \"%s\" and \"%s\"", a->shape, name);
		return HC_USAGE;
	}
	snprintf(a->shape, sizeof(a->shape), "%s %s", name, base ? base + 1 : word);
	if (!strcmp(name, "graph")) {
		a->file = word;
		return 0;
	}
	return net_lengths(h, name, word, &a->spec);
}

void net_args(struct arg *args, struct net_arg *net)
{
	size_t i, n = sizeof(kinds) / sizeof(*kinds);

	_Static_assert(sizeof(kinds) / sizeof(*kinds) + 1 == NET_KINDS, "and files");
	for (i = 0; i < n; i++)
		args[i] = (struct arg){ kinds[i].name, arg_net, net };
	args[n] = (struct arg){ "graph", arg_net, net };
}

/* List each link once, from its lower to its higher node. */
static int links_of(struct hcctl *h, struct graph *g, struct hc_edge **links, size_t *n)
{
	struct hc_graph *all = hc_graph_edges(g->end, g->links.v, g->links.n, NULL);
	uint32_t u, i;

	*n = 0;
	*links = all ? calloc(all->first[g->end] / 2 + 1, sizeof(**links)) : NULL;
	for (u = 0; *links && u < g->end; u++)
		for (i = all->first[u]; i < all->first[u + 1]; i++)
			if (u < all->to[i])
				(*links)[(*n)++] = (struct hc_edge){ u, all->to[i] };
	hc_graph_free(all);
	return *links ? 0 : hc_nomem(h);
}

static int file_read(struct hcctl *h, const char *file, uint32_t *nodes, struct hc_edge **links,
		     size_t *n)
{
	struct graph g;
	int rc = graph_read(h, file, &g);

	if (!rc && g.n != g.end) {
		hc_error(h, "%s: nodes are numbered from 0 without gaps, and there are %u up to %u",
			 file, g.n, g.end - 1);
		rc = HC_NO;
	}
	*nodes = g.end;
	rc = rc ?: links_of(h, &g, links, n);
	graph_free(&g);
	return rc;
}

int net_arg_make(struct hcctl *h, const struct net_arg *a, struct hc_net *net)
{
	const struct hc_net_spec *spec = a->file ? NULL : &a->spec;
	struct hc_edge *links = NULL;
	const char *why;
	uint32_t nodes;
	size_t n;
	int rc;

	if (a->file) {
		rc = file_read(h, a->file, &nodes, &links, &n);
		if (rc)
			return rc;
		if (nodes > HYPERCUBE_NODES_MAX) {
			why = "it has too many nodes";
			rc = -ERANGE;
		}
	} else {
		rc = hc_net_links(spec, HYPERCUBE_NODES_MAX, &nodes, &links, &n, &why);
	}
	rc = rc ?: hc_net_make(spec, nodes, links, n, net, &why);
	free(links);
	if (rc == -ENOMEM)
		return hc_nomem(h);
	if (!rc)
		return 0;
	hc_error(h, "no such network \"%s\": %s", a->shape, why);
	return HC_USAGE;
}
