// SPDX-License-Identifier: GPL-2.0
/*
 * The fault state of a network.
 */
#include <errno.h>
#include <stdlib.h>

#include "memory.h"
#include "plan.h"

struct hc_faults *hc_faults_of(const struct hc_topo *topo)
{
	struct hc_faults *f = calloc(1, sizeof(*f));

	if (!f) {
		free((void *)topo->peers);
		return NULL;
	}
	f->dim = topo->dim;
	f->topo = *topo;
	f->fault = calloc(topo->nodes, sizeof(*f->fault));
	f->dead = calloc(hc_topo_words(topo), sizeof(*f->dead));
	if (!f->fault || !f->dead) {
		hc_faults_free(f);
		errno = ENOMEM;
		return NULL;
	}
	return f;
}

struct hc_faults *hc_faults_new(unsigned int dim)
{
	struct hc_topo topo;

	if (dim < 1 || dim > HC_LIB_DIM_MAX) {
		errno = EINVAL;
		return NULL;
	}
	topo = hc_topo_cube(dim);
	return hc_faults_of(&topo);
}

struct hc_faults *hc_faults_copy(const struct hc_faults *f)
{
	struct hc_topo topo = f->topo;
	struct hc_faults *copy;

	if (topo.peers) {
		size_t size = (size_t)topo.nodes * topo.ports * sizeof(*topo.peers);
		void *peers = malloc(size);

		if (!peers)
			return NULL;
		topo.peers = memcpy(peers, f->topo.peers, size);
	}
	copy = hc_faults_of(&topo);
	if (!copy)
		return NULL;
	memcpy(copy->fault, f->fault, f->topo.nodes * sizeof(*f->fault));
	memcpy(copy->dead, f->dead, hc_topo_words(&f->topo) * sizeof(*f->dead));
	return copy;
}

void hc_faults_free(struct hc_faults *f)
{
	if (f)
		hc_free_all((void *)f->topo.peers, f->fault, f->dead, f);
}

int hc_faults_link(struct hc_faults *f, uint32_t node, unsigned int d)
{
	if (node >= f->topo.nodes || d >= f->topo.ports || !hc_port_exists(&f->topo, node, d))
		return -ERANGE;
	f->fault[node] |= hc_bit(d);
	f->fault[hc_peer(&f->topo, node, d)] |= hc_bit(d);
	return 0;
}

int hc_faults_node(struct hc_faults *f, uint32_t node)
{
	unsigned int d;

	if (node >= f->topo.nodes)
		return -ERANGE;
	hc_set_add(f->dead, node);
	for (d = 0; d < f->topo.ports; d++)
		hc_faults_link(f, node, d);
	return 0;
}

uint32_t hc_faults_component(const struct hc_faults *f, uint32_t u, uint32_t *set)
{
	uint32_t nodes = f->topo.nodes, n, *queue;

	memset(set, 0, hc_topo_words(&f->topo) * sizeof(*set));
	if (u >= nodes || hc_set_has(f->dead, u))
		return 0;
	queue = malloc(nodes * sizeof(*queue));
	if (!queue)
		return 0;
	n = hc_set_reach(set, &f->topo, f->fault, u, queue);
	free(queue);
	return n;
}
