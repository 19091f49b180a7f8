// SPDX-License-Identifier: GPL-2.0
/*
 * Processors from a file: lines "link A B[,..]", "env A B[,..]" and "node A[,..]" with '#'
 * for comments.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "mfi.h"

static const char wanted[] = "\"link A B[,..]\", \"env A B[,..]\" or \"node A[,..]\" is wanted";

static int add_name(struct hcctl *h, struct mfi_graph *g, uint32_t number)
{
	uint32_t *v = reallocarray(g->names, g->n + 1, sizeof(*v));

	if (!v)
		return hc_nomem(h);
	g->names = v;
	v[g->n++] = number;
	return 0;
}

static int add_pair(struct hcctl *h, struct hc_mfi_pair **p, size_t *n, uint32_t u, uint32_t v)
{
	struct hc_mfi_pair *more = reallocarray(*p, *n + 1, sizeof(*more));

	if (!more)
		return hc_nomem(h);
	*p = more;
	more[(*n)++] = (struct hc_mfi_pair){ u, v };
	return 0;
}

static int add_line(struct hcctl *h, struct mfi_graph *g, char kind, uint32_t u,
		    const struct node_list *l)
{
	int rc = kind == 'n' ? 0 : add_name(h, g, u);
	size_t i;

	for (i = 0; !rc && i < l->n; i++) {
		rc = add_name(h, g, l->v[i]);
		if (!rc && kind == 'l')
			rc = add_pair(h, &g->links, &g->nlinks, u, l->v[i]) ?:
				add_pair(h, &g->links, &g->nlinks, l->v[i], u);
		else if (!rc && kind == 'e')
			rc = add_pair(h, &g->envs, &g->nenvs, u, l->v[i]);
	}
	return rc;
}

/* The next word of a line; NULL: it ends, or a comment begins. */
static char *word_of(char *line)
{
	char *word = strtok(line, " \t\r\n");

	return word && *word != '#' ? word : NULL;
}

static int parse_line(struct hcctl *h, char *line, void *arg)
{
	struct mfi_graph *g = arg;
	struct node_list l = {};
	char *kind = word_of(line), *word;
	uint32_t u = 0;
	int rc = 0;

	if (!kind)
		return 0;
	if (strcmp(kind, "link") && strcmp(kind, "env") && strcmp(kind, "node"))
		return hc_invalid(h, "line", kind, wanted);
	word = word_of(NULL);
	if (*kind != 'n' && word) {
		rc = arg_node(h, kind, word, &u);
		word = rc ? word : word_of(NULL);
	}
	if (!word)
		return hc_invalid(h, "line", kind, wanted);
	rc = rc ?: arg_nodes(h, kind, word, &l);
	word = rc ? NULL : word_of(NULL);
	if (word)
		rc = hc_invalid(h, "word", word, "nothing more is wanted in this line");
	rc = rc ?: add_line(h, g, *kind, u, &l);
	free(l.v);
	return rc;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

uint32_t mfi_index(const uint32_t *names, uint32_t n, uint32_t number)
{
	const uint32_t *at;

	if (!names)
		return number < n ? number : UINT32_MAX;
	at = bsearch(&number, names, n, sizeof(*names), by_number);
	return at ? (uint32_t)(at - names) : UINT32_MAX;
}

/* Numbers become indices. */
static void number(struct mfi_graph *g, struct hc_mfi_pair *p, size_t np)
{
	size_t i;

	for (i = 0; i < np; i++) {
		p[i].u = mfi_index(g->names, g->n, p[i].u);
		p[i].v = mfi_index(g->names, g->n, p[i].v);
	}
}

static int finish(struct hcctl *h, const char *file, struct mfi_graph *g)
{
	uint32_t i, n = 0;

	if (!g->n) {
		hc_error(h, "%s: no processors", file);
		return HC_NO;
	}
	qsort(g->names, g->n, sizeof(*g->names), by_number);
	for (i = 0; i < g->n; i++)
		if (!i || g->names[i] != g->names[i - 1])
			g->names[n++] = g->names[i];
	g->n = n;
	if (n > HC_MFI_PROCESSORS) {
		hc_error(h, "%s: %u processors are more than %u", file, n, HC_MFI_PROCESSORS);
		return HC_NO;
	}
	number(g, g->links, g->nlinks);
	number(g, g->envs, g->nenvs);
	return 0;
}

int mfi_read(struct hcctl *h, const char *file, struct mfi_graph *g)
{
	FILE *f = fopen(file, "re");
	int rc;

	if (!f) {
		hc_error(h, "cannot open %s: %s", file, strerror(errno));
		return HC_NO;
	}
	rc = cmd_lines(h, f, file, parse_line, g);
	fclose(f);
	return rc ?: finish(h, file, g);
}

void mfi_graph_free(struct mfi_graph *g)
{
	hc_free_all(g->links, g->envs, g->names);
}
