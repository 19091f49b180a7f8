// SPDX-License-Identifier: GPL-2.0
/*
 * Reading processors from a file. The processors that the file names get indices in ascending order
 * of their numbers.
 */
#include <stdlib.h>

#include "cmd/graph.h"
#include "memory.h"
#include "mfi.h"

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

static void add_pair(const struct mfi_graph *g, struct hc_mfi_pair *to, size_t *n, uint32_t u,
		     uint32_t v)
{
	to[(*n)++] = (struct hc_mfi_pair){
		mfi_index(g->names, g->n, u), mfi_index(g->names, g->n, v)
	};
}

/* Fill @g from the contents of a file. Each link is entered in both directions. */
static int fill(struct hcctl *h, const struct graph *file, struct mfi_graph *g)
{
	uint32_t u;
	size_t i;

	g->names = calloc(file->n, sizeof(*g->names));
	g->links = calloc(2 * file->links.n + 1, sizeof(*g->links));
	g->envs = calloc(file->envs.n + 1, sizeof(*g->envs));
	g->tgs = calloc(file->tgs.n + 1, sizeof(*g->tgs));
	if (!g->names || !g->links || !g->envs || !g->tgs)
		return hc_nomem(h);
	for (u = 0; u < file->end; u++)
		if (hc_set_has(file->named, u))
			g->names[g->n++] = u;
	for (i = 0; i < file->links.n; i++) {
		add_pair(g, g->links, &g->nlinks, file->links.v[i].u, file->links.v[i].v);
		add_pair(g, g->links, &g->nlinks, file->links.v[i].v, file->links.v[i].u);
	}
	for (i = 0; i < file->envs.n; i++)
		add_pair(g, g->envs, &g->nenvs, file->envs.v[i].u, file->envs.v[i].v);
	for (i = 0; i < file->tgs.n; i++)
		g->tgs[g->ntgs++] = (struct hc_mfi_pair){ file->tgs.v[i].u, file->tgs.v[i].v };
	return 0;
}

int mfi_read(struct hcctl *h, const char *file, struct mfi_graph *g)
{
	struct graph read;
	int rc = graph_read(h, file, &read);

	if (!rc && read.n > HC_MFI_PROCESSORS) {
		hc_error(h, "%s: %u processors are more than %u", file, read.n, HC_MFI_PROCESSORS);
		rc = HC_NO;
	}
	rc = rc ?: fill(h, &read, g);
	graph_free(&read);
	return rc;
}

void mfi_graph_free(struct mfi_graph *g)
{
	hc_free_all(g->links, g->envs, g->tgs, g->names);
}
