// SPDX-License-Identifier: GPL-2.0
/*
 * The balancing topology: a subcube, and trees made by breadth-first search from all its nodes.
 */
#include <errno.h>
#include <stdlib.h>

#include "balance_impl.h"
#include "memory.h"
#include "span.h"

static int alloc(const struct hc_faults *f, struct hc_balance_topo *t)
{
	uint32_t n = f->topo.nodes;

	t->up = malloc(n);
	t->level = calloc(n, sizeof(*t->level));
	t->weight = calloc(n, sizeof(*t->weight));
	t->order = malloc(n * sizeof(*t->order));
	t->excluded = calloc(hc_topo_words(&f->topo), sizeof(*t->excluded));
	if (!t->up || !t->level || !t->weight || !t->order || !t->excluded)
		return -ENOMEM;
	memset(t->up, HC_BALANCE_OUT, n);
	t->b.up = t->up;
	return 0;
}

static bool good(const struct hc_faults *f, uint32_t u, unsigned int d)
{
	return hc_link_good(&f->topo, f->fault, u, d);
}

/* Make the nodes of the subcube the first members. */
static void add_roots(struct hc_balance_topo *t)
{
	uint32_t u = t->b.base;

	do {
		t->up[u] = HC_BALANCE_ROOT;
		t->order[t->members++] = u;
		u = t->b.base | (((u & t->b.dims) - t->b.dims) & t->b.dims);
	} while (u != t->b.base);
}

/* Make node @u a node of the level after @level if a healthy link connects it with a node of
 * @level; the lowest such node becomes its parent. Return: true if there is such a link.
 */
static bool adopt(const struct hc_faults *f, struct hc_balance_topo *t, uint32_t u,
		  unsigned int level)
{
	uint32_t best = UINT32_MAX, v;
	unsigned int d;

	for (d = 0; d < f->topo.ports; d++) {
		v = hc_peer(&f->topo, u, d);
		if (!good(f, u, d) || t->up[v] == HC_BALANCE_OUT || t->level[v] != level ||
		    v >= best)
			continue;
		best = v;
		t->up[u] = d;
	}
	if (best == UINT32_MAX)
		return false;
	t->level[u] = level + 1;
	t->order[t->members++] = u;
	return true;
}

/* Put into @set the nodes that may be in the next level: the neighbours of the members numbered
 * @from to @to - 1 in @t->order, which are the last level.
 */
static void around(const struct hc_faults *f, const struct hc_balance_topo *t, uint32_t from,
		   uint32_t to, uint32_t *set)
{
	unsigned int d;

	for (; from < to; from++)
		for (d = 0; d < f->topo.ports; d++) {
			uint32_t v = hc_peer(&f->topo, t->order[from], d);

			if (good(f, v, d) && t->up[v] == HC_BALANCE_OUT)
				hc_set_add(set, v);
		}
}

/* Attach all nodes that can be reached, level by level. */
static int grow(const struct hc_faults *f, struct hc_balance_topo *t)
{
	uint32_t words = hc_topo_words(&f->topo), begin = 0, end, u;
	uint32_t *set = malloc(words * sizeof(*set));
	unsigned int level;

	if (!set)
		return -ENOMEM;
	for (level = 0; begin < t->members; level++) {
		end = t->members;
		memset(set, 0, words * sizeof(*set));
		around(f, t, begin, end, set);
		for (u = 0; u < f->topo.nodes; u++)
			if (hc_set_has(set, u))
				adopt(f, t, u, level);
		begin = end;
	}
	t->b.depth = level - 1;
	free(set);
	return 0;
}

/* Compute the weights, and the set of excluded nodes. */
static void weigh(const struct hc_faults *f, struct hc_balance_topo *t)
{
	uint32_t i = t->members, u;

	for (; i--;) {
		u = t->order[i];
		t->weight[u]++;
		if (t->up[u] != HC_BALANCE_ROOT)
			t->weight[hc_peer(&f->topo, u, t->up[u])] += t->weight[u];
	}
	for (u = 0; u < f->topo.nodes; u++)
		if (t->up[u] == HC_BALANCE_OUT && !hc_set_has(f->dead, u)) {
			hc_set_add(t->excluded, u);
			t->nexcluded++;
		}
}

/* As hc_balance_hang(), but the subcube is not checked. */
static int hang(const struct hc_faults *f, const struct hc_cube *c, struct hc_balance_topo *t)
{
	int err = alloc(f, t);

	if (err)
		return err;
	t->b.dim = f->dim;
	t->b.dims = c->dims;
	t->b.base = c->base;
	add_roots(t);
	err = grow(f, t);
	if (!err)
		weigh(f, t);
	return err;
}

/* Return: 0 if the verifier accepts the topology, else -EINVAL. */
static int healthy(const struct hc_balance_topo *t, const struct hc_faults *f)
{
	return hc_balance_check(&t->b, f->fault, NULL) ? -EINVAL : 0;
}

int hc_balance_hang(const struct hc_faults *f, const struct hc_cube *c,
		    struct hc_balance_topo *t)
{
	int err;

	*t = (struct hc_balance_topo){ .chosen = SIZE_MAX };
	err = hang(f, c, t) ?: healthy(t, f);
	if (err)
		hc_balance_topo_free(t);
	else
		t->adequate = hc_balance_adequate(f, c);
	return err;
}

/* Choose the subcube of a hypercube: that of Algorithm 4, or that of least depth. */
static int choose(const struct hc_faults *f, enum hc_balance_shape shape,
		  struct hc_balance_topo *t, struct hc_cube *c)
{
	int err = hc_balance_choose(f, &t->largest, &t->chosen);
	size_t i;

	if (err)
		return err;
	t->adequate = t->chosen != SIZE_MAX;
	if (t->adequate && shape == HC_BALANCE_MCWA) {
		*c = t->largest.v[t->chosen];
		return 0;
	}
	err = hc_balance_minimal(f, &t->largest, c);
	if (err)
		return err;
	for (i = 0; i < t->largest.n; i++)
		if (t->largest.v[i].dims == c->dims && t->largest.v[i].base == c->base)
			break;
	t->chosen = i < t->largest.n ? i : SIZE_MAX;
	t->adequate = t->chosen != SIZE_MAX && hc_balance_adequate(f, c);
	return 0;
}

/* Choose the subcube of a network that is no hypercube: a single node in the middle of the network.
 */
static int choose_middle(const struct hc_faults *f, struct hc_balance_topo *t, struct hc_cube *c)
{
	const struct hc_span_req req = { .method = HC_SPAN_DEPTH, .root = HC_ANY_SINK };
	struct hc_span_plan p;
	const char *why;
	int err = hc_plan_span(f, &req, &p, &why);

	if (err)
		return err;
	*c = (struct hc_cube){ .base = p.span.root };
	t->chosen = SIZE_MAX;
	t->adequate = true;
	hc_span_plan_free(&p);
	return 0;
}

/* Choose the subcube of any network. */
static int choose_any(const struct hc_faults *f, enum hc_balance_shape shape,
		      struct hc_balance_topo *t, struct hc_cube *c)
{
	if (!f->dim)
		return choose_middle(f, t, c);
	return hc_cubes_find(f, HC_CUBES_LARGEST, &t->largest) ?: choose(f, shape, t, c);
}

int hc_balance_topology(const struct hc_faults *f, enum hc_balance_shape shape,
			struct hc_balance_topo *t)
{
	struct hc_cube c;
	int err;

	*t = (struct hc_balance_topo){};
	err = choose_any(f, shape, t, &c) ?: hang(f, &c, t);
	/* A topology needs at least two members. */
	if (!err && t->members == 1)
		err = -EHOSTDOWN;
	if (err)
		hc_balance_topo_free(t);
	return err;
}

void hc_balance_topo_free(struct hc_balance_topo *t)
{
	hc_free_all(t->up, t->level, t->weight, t->order, t->excluded, t->largest.v);
	*t = (struct hc_balance_topo){};
}
