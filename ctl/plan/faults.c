// SPDX-License-Identifier: GPL-2.0
/*
 * The fault state of a cube.
 */
#include <errno.h>
#include <stdlib.h>

#include "memory.h"
#include "plan.h"

struct hc_faults *hc_faults_new(unsigned int dim)
{
	struct hc_faults *f;

	if (dim < 1 || dim > HC_LIB_DIM_MAX) {
		errno = EINVAL;
		return NULL;
	}
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->dim = dim;
	f->fault = calloc(hc_nodes(dim), sizeof(*f->fault));
	f->dead = calloc(hc_set_words(dim), sizeof(*f->dead));
	if (!f->fault || !f->dead) {
		hc_faults_free(f);
		errno = ENOMEM;
		return NULL;
	}
	return f;
}

void hc_faults_free(struct hc_faults *f)
{
	if (f)
		hc_free_all(f->fault, f->dead, f);
}

int hc_faults_link(struct hc_faults *f, uint32_t node, unsigned int d)
{
	if (node >= hc_nodes(f->dim) || d >= f->dim)
		return -ERANGE;
	f->fault[node] |= hc_bit(d);
	f->fault[hc_neigh(node, d)] |= hc_bit(d);
	return 0;
}

int hc_faults_node(struct hc_faults *f, uint32_t node)
{
	unsigned int d;

	if (node >= hc_nodes(f->dim))
		return -ERANGE;
	hc_set_add(f->dead, node);
	for (d = 0; d < f->dim; d++)
		hc_faults_link(f, node, d);
	return 0;
}

uint32_t hc_faults_component(const struct hc_faults *f, uint32_t u, uint32_t *set)
{
	uint32_t nodes = hc_nodes(f->dim), n, *queue;

	memset(set, 0, hc_set_words(f->dim) * sizeof(*set));
	if (u >= nodes || hc_set_has(f->dead, u))
		return 0;
	queue = malloc(nodes * sizeof(*queue));
	if (!queue)
		return 0;
	n = hc_set_reach(set, f->dim, f->fault, u, queue);
	free(queue);
	return n;
}
