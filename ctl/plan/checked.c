// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the nodes that relay in a tree, and the links that the tree uses.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "memory.h"

/**
 * struct marking - memory for marking the relays and links of a tree
 * @f: the faults
 * @t: the tree whose @relays and @links are filled in
 * @src: memory for the sources of a role
 * @max: number of sources that @src has room for
 * @from: for each node, hops from one end of a detour
 * @to: for each node, hops from the other end
 * @queue: memory for all nodes
 */
struct marking {
	const struct hc_faults *f;
	struct hc_checked_tree *t;
	struct hc_tree_peer *src;
	unsigned int max;
	uint32_t *from;
	uint32_t *to;
	uint32_t *queue;
};

static void mark_link(struct marking *m, uint32_t u, unsigned int d)
{
	hc_set_add(m->t->links, (u & ~hc_bit(d)) * m->f->dim + d);
}

/* Compute the hops from node @u to each node over healthy links. */
static void hops_from(const struct marking *m, uint32_t u, uint32_t *hops)
{
	uint32_t head = 0, tail = 0, v;
	unsigned int d;

	memset(hops, 0xff, hc_nodes(m->f->dim) * sizeof(*hops));
	hops[u] = 0;
	m->queue[tail++] = u;
	while (head < tail) {
		u = m->queue[head++];
		for (d = 0; d < m->f->dim; d++) {
			v = hc_neigh(u, d);
			if (m->f->fault[u] & hc_bit(d) || hops[v] != UINT32_MAX)
				continue;
			hops[v] = hops[u] + 1;
			m->queue[tail++] = v;
		}
	}
}

/* Mark the nodes and links of all shortest paths of the detour between @from and @to: the kernel's
 * nodes choose one of these paths for each frame.
 */
static void mark_detour(struct marking *m, uint32_t from, uint32_t to)
{
	uint32_t u, far;
	unsigned int d;

	hops_from(m, from, m->from);
	hops_from(m, to, m->to);
	far = m->from[to];
	for (u = 0; u < hc_nodes(m->f->dim); u++) {
		if (m->from[u] == UINT32_MAX || m->from[u] + m->to[u] != far)
			continue;
		if (u != from && u != to)
			hc_set_add(m->t->relays, u);
		for (d = 0; d < m->f->dim; d++)
			if (!(m->f->fault[u] & hc_bit(d)) &&
			    m->to[hc_neigh(u, d)] + 1 == m->to[u])
				mark_link(m, u, d);
	}
}

/* Mark member @u if it relays, and the links and detours over which it sends. */
static int mark_member(struct marking *m, uint32_t u)
{
	const struct hc_tree *tree = &m->t->plan.tree;
	uint32_t nb[HC_LIB_DIM_MAX];
	struct hc_tree_role role;
	unsigned int d, i;
	int err;

	for (d = 0; d < m->f->dim; d++)
		nb[d] = m->f->fault[hc_neigh(u, d)];
	err = hc_tree_role(tree, u, m->f->fault[u], nb, &role, m->src, m->max);
	if (err)
		return err;
	if (role.nsrc)
		hc_set_add(m->t->relays, u);
	for (i = 0; i < role.ndst; i++) {
		if (role.dst[i].how == HC_TREE_DETOUR)
			mark_detour(m, u, role.dst[i].node);
		else
			mark_link(m, u, role.dst[i].dim);
	}
	return 0;
}

/* Mark the relays and the links of the whole tree. */
static int mark(struct marking *m)
{
	const struct hc_tree *tree = &m->t->plan.tree;
	uint32_t u;
	int err = 0;

	for (u = 0; u < hc_nodes(m->f->dim) && !err; u++)
		if (hc_set_has(tree->members, u))
			err = mark_member(m, u);
	return err;
}

void hc_checked_tree_free(struct hc_checked_tree *t)
{
	hc_tree_plan_free(&t->plan);
	hc_free_all(t->relays, t->links);
	t->relays = NULL;
	t->links = NULL;
}

int hc_checked_tree(const struct hc_faults *f, uint32_t sink, const uint8_t *order,
		    struct hc_checked_tree *t, const char **why)
{
	uint32_t nodes = hc_nodes(f->dim);
	struct marking m = { .f = f, .t = t };
	int err;

	memset(t, 0, sizeof(*t));
	err = hc_plan_tree_fixed(f, sink, order, f->dim, &t->plan, why);
	if (err)
		return err;
	m.max = 2 * f->dim + t->plan.tree.ndetours;
	m.src = calloc(m.max, sizeof(*m.src));
	m.from = malloc(nodes * sizeof(*m.from));
	m.to = malloc(nodes * sizeof(*m.to));
	m.queue = malloc(nodes * sizeof(*m.queue));
	t->relays = calloc(hc_set_words(f->dim), sizeof(*t->relays));
	t->links = calloc(hc_checked_link_words(f->dim), sizeof(*t->links));
	err = -ENOMEM;
	if (m.src && m.from && m.to && m.queue && t->relays && t->links)
		err = mark(&m);
	hc_free_all(m.src, m.from, m.to, m.queue);
	if (err) {
		hc_checked_tree_free(t);
		*why = "out of memory";
	}
	return err;
}
