// SPDX-License-Identifier: GPL-2.0
/*
 * Networks from a file: lines "NODE NODE", each a link, or "NODE" for one that has none, with '#'
 * for comments.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "ring_cmd.h"

struct lines {
	struct hc_edge *edges;
	size_t n;
	size_t room;
	uint32_t *named;
	uint32_t nodes;
};

static int take_node(struct hcctl *h, struct lines *l, const char *word, uint32_t *u)
{
	uint64_t v;

	if (hc_number(word, HC_RING_NODES_MAX - 1, &v))
		return hc_invalid(h, "node", word, "a number from 0 to 65535 is wanted");
	*u = v;
	hc_set_add(l->named, *u);
	if (*u >= l->nodes)
		l->nodes = *u + 1;
	return 0;
}

static int add_edge(struct hcctl *h, struct lines *l, uint32_t u, uint32_t v)
{
	struct hc_edge *edges = hc_grow(l->edges, l->n, &l->room, sizeof(*edges), 1024);

	if (!edges)
		return hc_nomem(h);
	l->edges = edges;
	l->edges[l->n++] = (struct hc_edge){ u, v };
	return 0;
}

static int parse_line(struct hcctl *h, char *line, void *arg)
{
	struct lines *l = arg;
	static const char blank[] = " \t\r\n";
	char *word = strtok(line, blank), *other;
	uint32_t u, v;
	int rc;

	if (!word || *word == '#')
		return 0;
	rc = take_node(h, l, word, &u);
	other = strtok(NULL, blank);
	if (rc || !other || *other == '#')
		return rc;
	rc = take_node(h, l, other, &v);
	if (rc)
		return rc;
	if (u == v)
		return hc_invalid(h, "link", other, "it joins a node with itself");
	word = strtok(NULL, blank);
	if (word && *word != '#')
		return hc_invalid(h, "word", word, "nothing more is wanted in this line");
	return add_edge(h, l, u, v);
}

static int parse(struct hcctl *h, FILE *f, const char *file, struct lines *l)
{
	int rc = cmd_lines(h, f, file, parse_line, l);

	if (!rc && !l->nodes)
		return hc_invalid(h, "graph", file, "lines \"NODE NODE\" are wanted, one for each link");
	return rc;
}

int cmd_graph_file(struct hcctl *h, const char *file, struct hc_graph **g)
{
	struct lines l = { .named = calloc(HC_RING_NODES_MAX / 32, sizeof(*l.named)) };
	FILE *f = fopen(file, "re");
	int rc = 0;

	if (!f) {
		hc_error(h, "cannot open %s: %s", file, strerror(errno));
		rc = HC_NO;
	} else if (!l.named) {
		rc = hc_nomem(h);
	}
	if (!rc)
		rc = parse(h, f, file, &l);
	if (!rc) {
		*g = hc_graph_edges(l.nodes, l.edges, l.n, l.named);
		rc = *g ? 0 : hc_nomem(h);
	}
	if (f)
		fclose(f);
	free(l.edges);
	free(l.named);
	return rc;
}
