// SPDX-License-Identifier: GPL-2.0
/*
 * Networks from a file. A file has the following kinds of lines: "link A B[,..]" or "A B[,..]"
 * names links; "env A B[,..]" names nodes of an environment (for hcctl mfi); "tg T A[,..]" sets the
 * number of faults that the environments of these nodes may have; "node A[,..]" or "A" names nodes,
 * which need not have a link. '#' begins a comment. GraphML and GXL, which are recognized by the
 * end of the file's name, are read by graph_xml.c.
 */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "graph.h"
#include "memory.h"

#define FIRST 1024

static const char wanted[] =
	"\"link A B[,..]\", also without link, \"env A ..\", \"tg T ..\" or \"node ..\" is wanted";

enum line_kind { LINE_LINK, LINE_ENV, LINE_TG, LINE_NODE };

static int add_pair(struct hcctl *h, struct graph_pairs *p, uint32_t u, uint32_t v)
{
	struct hc_edge *more = hc_grow(p->v, p->n, &p->room, sizeof(*more), FIRST);

	if (!more)
		return hc_nomem(h);
	p->v = more;
	more[p->n++] = (struct hc_edge){ u, v };
	return 0;
}

static int add_line(struct hcctl *h, struct graph *g, enum line_kind kind, uint32_t u,
		    const struct node_list *l)
{
	struct graph_pairs *to = kind == LINE_LINK ? &g->links :
				 kind == LINE_ENV ? &g->envs : &g->tgs;
	char text[16];
	int rc = 0;
	size_t i;

	if (kind == LINE_TG && !u)
		return hc_invalid(h, "tg", "0", "a number from 1 on is wanted");
	if (kind == LINE_LINK || kind == LINE_ENV)
		hc_set_add(g->named, u);
	for (i = 0; !rc && i < l->n; i++) {
		if (l->v[i] == NODE_ALL)
			return hc_invalid(h, "node", "all", "the file says which there are");
		hc_set_add(g->named, l->v[i]);
		if (kind == LINE_LINK && u == l->v[i]) {
			snprintf(text, sizeof(text), "%u", u);
			return hc_invalid(h, "link", text, "it joins a node with itself");
		}
		if (kind != LINE_NODE)
			rc = add_pair(h, to, u, l->v[i]);
	}
	return rc;
}

/* Return: the next word of a line, as strtok() does; NULL at the end of the line, or where a
 * comment begins.
 */
static char *word_of(char *line)
{
	char *word = strtok(line, " \t\r\n");

	return word && *word != '#' ? word : NULL;
}

/* Find the kind of a line whose first word is @word. *@first is set to true if this word is a node
 * and not the name of a kind.
 */
static int kind_of(struct hcctl *h, const char *word, enum line_kind *kind, bool *first)
{
	static const char * const names[] = {
		[LINE_LINK] = "link", [LINE_ENV] = "env", [LINE_TG] = "tg",
		[LINE_NODE] = "node",
	};
	unsigned int i;
	uint64_t v;

	*first = false;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(word, names[i])) {
			*kind = i;
			return 0;
		}
	*kind = LINE_LINK;
	*first = true;
	return hc_number(word, UINT64_MAX, &v) == -EINVAL ?
	       hc_invalid(h, "line", word, wanted) : 0;
}

static int parse_line(struct hcctl *h, char *line, void *arg)
{
	char *word = word_of(line), *begin = word, *next;
	struct node_list l = {};
	enum line_kind kind;
	uint32_t u = 0;
	bool first;
	int rc;

	if (!word)
		return 0;
	rc = kind_of(h, word, &kind, &first);
	if (rc)
		return rc;
	next = first ? word : word_of(NULL);
	word = next;
	if (next && kind != LINE_NODE) {
		rc = arg_node(h, kind == LINE_TG ? "tg" : "node", next, &u);
		word = rc ? next : word_of(NULL);
	}
	if (!rc && !word && first) {
		kind = LINE_NODE;
		word = next;
	}
	if (!word)
		return hc_invalid(h, "line", begin, wanted);
	rc = rc ?: arg_nodes(h, "node", word, &l);
	next = rc ? NULL : word_of(NULL);
	if (next)
		rc = hc_invalid(h, "word", next, "nothing more is wanted in this line");
	rc = rc ?: add_line(h, arg, kind, u, &l);
	free(l.v);
	return rc;
}

static bool is_dot(const char *file)
{
	const char *end = strrchr(file, '.');

	return end && (!strcmp(end, ".dot") || !strcmp(end, ".gv"));
}

int graph_read(struct hcctl *h, const char *file, struct graph *g)
{
	uint32_t u;
	int rc;

	*g = (struct graph){ .named = calloc(hc_set_words(HC_LIB_DIM_MAX), sizeof(*g->named)) };
	if (!g->named)
		return hc_nomem(h);
	if (is_dot(file))
		return hc_invalid(h, "graph", file,
				  "DOT is read as GXL, which gv2gxl of graphviz makes of it");
	if (graph_is_xml(file))
		return graph_xml(h, file, g) ?: g->n ? 0 : hc_invalid(h, "graph", file, wanted);
	rc = file_lines(h, file, parse_line, g);
	for (u = 0; u < HC_RING_NODES_MAX; u++)
		if (hc_set_has(g->named, u)) {
			g->n++;
			g->end = u + 1;
		}
	if (!rc && !g->n)
		rc = hc_invalid(h, "graph", file_name(file), wanted);
	return rc;
}

void graph_free(struct graph *g)
{
	hc_free_all(g->links.v, g->envs.v, g->tgs.v, g->named);
}
