// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl mfi .. place: placing processes on the nodes of a fabric.
 */
#include <errno.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "hc_bfs.h"
#include "memory.h"
#include "mfi.h"

/* Get the nodes on which processes can be placed: the lowest live node, and all nodes that it can
 * reach over healthy links.
 */
static int nodes_of(const struct hc_faults *f, struct mfi_place *p)
{
	uint32_t *set = calloc(hc_topo_words(&f->topo), sizeof(*set)), u;

	p->nodes = calloc(f->topo.nodes, sizeof(*p->nodes));
	if (!set || !p->nodes) {
		free(set);
		return -ENOMEM;
	}
	for (u = 0; u < f->topo.nodes && !p->nnodes; u++)
		p->nnodes = hc_faults_component(f, u, set);
	for (u = 0, p->nnodes = 0; u < f->topo.nodes; u++)
		if (hc_set_has(set, u))
			p->nodes[p->nnodes++] = u;
	free(set);
	return 0;
}

/* Return: a matrix with the number of hops between each two of the nodes, on paths around the
 * faults.
 */
static uint16_t *hops_of(const struct hc_faults *f, const struct mfi_place *p)
{
	uint16_t *hops = calloc((size_t)p->nnodes * p->nnodes, sizeof(*hops));
	uint16_t *dist = calloc(f->topo.nodes, sizeof(*dist));
	void *room = calloc(1, hc_bfs_room(&f->topo));
	struct hc_bfs b;
	uint32_t u, i, k;

	for (i = 0; hops && dist && room && i < p->nnodes; i++) {
		hc_bfs_init(&b, &f->topo, room);
		for (u = 0; u < f->topo.nodes; u++)
			hc_bfs_fault(&b, u, f->fault[u]);
		hc_bfs_run(&b, p->nodes[i], NULL, dist);
		for (k = 0; k < p->nnodes; k++)
			hops[(size_t)i * p->nnodes + k] = dist[p->nodes[k]];
	}
	if (!dist || !room) {
		free(hops);
		hops = NULL;
	}
	free(dist);
	free(room);
	return hops;
}

/* Divide the processes into parts, each of which gets a node. */
static int divide(struct hcctl *h, const struct mfi_view *v, struct mfi_place *p)
{
	if (p->mapping != MFI_GROUPS) {
		p->parts = hc_mfi_blocks(v->net, p->nnodes, p->mapping == MFI_RANDOM ? p->seed : 0,
					 p->of);
		return 0;
	}
	if (v->groups.count > p->nnodes) {
		hc_error(h, "%u groups need as many nodes: fabric %s has %u that are connected",
			 v->groups.count, p->fabric, p->nnodes);
		return HC_NO;
	}
	p->parts = hc_mfi_divide(v->net, &v->groups, p->nnodes, p->of);
	return p->parts ? 0 : hc_nomem(h);
}

static int place(struct hcctl *h, const struct mfi_view *v, const struct hc_faults *f,
		 struct mfi_place *p, bool (*go_on)(void *arg), void *arg)
{
	uint16_t *hops;
	int rc;

	if (nodes_of(f, p))
		return hc_nomem(h);
	rc = divide(h, v, p);
	if (rc)
		return rc;
	hops = hops_of(f, p);
	p->at = calloc(p->nnodes, sizeof(*p->at));
	if (!hops || !p->at ||
	    hc_mfi_seat(v->net, p->of, p->parts, hops, p->nnodes, p->at, &p->hops, go_on, arg))
		rc = hc_nomem(h);
	free(hops);
	return rc;
}

int mfi_place(struct hcctl *h, const struct mfi_view *v, struct mfi_place *p,
	      bool (*go_on)(void *arg), void *arg)
{
	struct hc_faults *f;
	int rc;

	p->of = calloc(v->net->n, sizeof(*p->of));
	rc = p->of ? live_faults(h, p->fabric, &f) : hc_nomem(h);
	if (rc)
		return rc;
	rc = place(h, v, f, p, go_on, arg);
	hc_faults_free(f);
	return rc;
}

void mfi_place_free(struct mfi_place *p)
{
	hc_free_all(p->of, p->nodes, p->at);
}
