// SPDX-License-Identifier: GPL-2.0
/*
 * Finding pairs of trees: the best pair of all, and for each dimension the best pair whose trees
 * both have it as their first dimension, with sinks on both sides of it.
 *
 * In a cube with faults, all pairs are tried up to HC_CHECKED_EXACT dimensions. In other cubes one
 * tree has the sink that is best for a single tree, the other tree the nearest sink across some
 * dimension, and the orders are rotations of one order; without faults a single order is enough,
 * because any two such trees are a best pair, see checked.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "memory.h"

/**
 * struct find - the state of the search for pairs
 * @f: the faults
 * @sink: sink of the first tree of each pair, or HC_ANY_SINK
 * @near: @sink, or a good sink if that is HC_ANY_SINK
 * @members: members of all trees, as a set
 * @whole: the cube has no faults
 * @exact: try all pairs
 * @why: as for hc_plan_checked()
 */
struct find {
	const struct hc_faults *f;
	uint32_t sink;
	uint32_t near;
	uint32_t *members;
	bool whole;
	bool exact;
	const char **why;
};

/* The trees that may be paired. */
struct pool {
	struct hc_checked_tree *v;
	size_t n;
	size_t room;
};

/* The cost of a pair: common relays, common links, steps of both trees; compared in this order. */
struct cost {
	uint32_t relays;
	uint32_t links;
	uint32_t steps;
};

static bool less(const struct cost *a, const struct cost *b)
{
	if (a->relays != b->relays)
		return a->relays < b->relays;
	if (a->links != b->links)
		return a->links < b->links;
	return a->steps < b->steps;
}

/* Return: number of elements that the sets @a and @b have in common. */
static uint32_t common(const uint32_t *a, const uint32_t *b, uint32_t words)
{
	uint32_t n = 0, i;

	for (i = 0; i < words; i++)
		n += hc_weight32(a[i] & b[i]);
	return n;
}

/* Compute the cost of the pair @a, @b. Its common links are counted only if it has no more common
 * relays than @least; if it has more, links do not matter.
 */
static struct cost cost_of(const struct hc_checked_tree *a, const struct hc_checked_tree *b,
			   const struct cost *least)
{
	unsigned int dim = a->plan.tree.dim;
	struct cost c = {
		.relays = common(a->relays, b->relays, hc_set_words(dim)),
		.steps = a->plan.steps + b->plan.steps,
	};

	if (c.relays <= least->relays)
		c.links = common(a->links, b->links, hc_checked_link_words(dim));
	return c;
}

/* Add the tree with this sink and order. */
static int pool_add(const struct find *q, struct pool *s, uint32_t sink, const uint8_t *order)
{
	void *v = hc_grow(s->v, s->n, &s->room, sizeof(*s->v), 32);
	int err;

	if (!v)
		return -ENOMEM;
	s->v = v;
	err = hc_checked_tree(q->f, sink, order, &s->v[s->n], q->why);
	if (!err)
		s->n++;
	return err;
}

static void pool_free(struct pool *s)
{
	while (s->n)
		hc_checked_tree_free(&s->v[--s->n]);
	free(s->v);
}

/* Add a tree for each order that permutes @order from index @at on. */
static int each_order(const struct find *q, struct pool *s, uint32_t sink, uint8_t *order,
		      unsigned int at)
{
	unsigned int dim = q->f->dim, i;
	int err = 0;

	if (at >= dim)
		return pool_add(q, s, sink, order);
	for (i = at; i < dim && !err; i++) {
		uint8_t d = order[i];

		order[i] = order[at];
		order[at] = d;
		err = each_order(q, s, sink, order, at + 1);
		order[at] = order[i];
		order[i] = d;
	}
	return err;
}

/* Add the tree with this sink and order and, if the cube has faults, the trees whose orders begin
 * with the same dimension and have the other dimensions rotated.
 */
static int each_rotation(const struct find *q, struct pool *s, uint32_t sink,
			 const uint8_t *order)
{
	unsigned int dim = q->f->dim, n = dim - 1, i, j;
	uint8_t turned[HC_LIB_DIM_MAX];
	int err = 0;

	turned[0] = order[0];
	for (i = 0; i < (n && !q->whole ? n : 1) && !err; i++) {
		for (j = 0; j < n; j++)
			turned[1 + j] = order[1 + (i + j) % n];
		err = pool_add(q, s, sink, turned);
	}
	return err;
}

/* Add the trees with this sink and first dimension. */
static int each_tree(const struct find *q, struct pool *s, uint32_t sink, unsigned int first)
{
	uint8_t order[HC_LIB_DIM_MAX];
	unsigned int d, n = 1;

	order[0] = first;
	for (d = 0; d < q->f->dim; d++)
		if (d != first)
			order[n++] = d;
	return q->exact ? each_order(q, s, sink, order, 1) : each_rotation(q, s, sink, order);
}

/* Find the member on the upper or lower side of dimension @first that is nearest to @q->near, the
 * lowest of several. Return: false if there is none.
 */
static bool nearest(const struct find *q, unsigned int first, bool upper, uint32_t *sink)
{
	unsigned int least = UINT32_MAX, far;
	uint32_t u;

	for (u = 0; u < hc_nodes(q->f->dim); u++) {
		if (!hc_set_has(q->members, u) || !!(u & hc_bit(first)) != upper)
			continue;
		far = hc_weight32(u ^ q->near);
		if (far >= least)
			continue;
		least = far;
		*sink = u;
	}
	return least != UINT32_MAX;
}

/* Fill @s with the trees that may be the first of a pair and, from index *others on, those that may
 * be the second.
 */
static int pool_fill(const struct find *q, struct pool *s, size_t *others)
{
	bool fixed = q->sink != HC_ANY_SINK;
	unsigned int k;
	uint32_t u;
	int err = 0;

	for (k = 0; k < q->f->dim && !err && (fixed || !q->exact); k++)
		err = each_tree(q, s, q->near, k);
	*others = s->n;
	for (k = 0; k < q->f->dim && !err; k++) {
		if (!q->exact)
			err = nearest(q, k, !(q->near & hc_bit(k)), &u) ? each_tree(q, s, u, k) : 0;
		for (u = 0; q->exact && u < hc_nodes(q->f->dim) && !err; u++)
			if (hc_set_has(q->members, u))
				err = each_tree(q, s, u, k);
	}
	/* Without a given sink any two trees may be paired. */
	if (q->exact && !fixed)
		*others = 0;
	return err;
}

/* Fill in the pair @p with copies of the trees @a and @b. */
static int pair_keep(const struct find *q, const struct hc_tree *a, const struct hc_tree *b,
		     struct hc_checked_pair *p)
{
	uint32_t words = hc_set_words(q->f->dim), i;
	struct hc_checked_tree *t = p->tree;
	int err = hc_checked_tree(q->f, a->sink, a->order, &t[0], q->why);

	err = err ?: hc_checked_tree(q->f, b->sink, b->order, &t[1], q->why);
	if (err)
		return err;
	p->unseen = calloc(words, sizeof(*p->unseen));
	if (!p->unseen)
		return -ENOMEM;
	for (i = 0; i < words; i++)
		p->unseen[i] = t[0].relays[i] & t[1].relays[i];
	p->nunseen = common(t[0].relays, t[1].relays, words);
	p->nlinks = common(t[0].links, t[1].links, hc_checked_link_words(q->f->dim));
	p->found = true;
	return 0;
}

/* Return: true if both trees have the first dimension @k, and their sinks are on different sides of
 * it.
 */
static bool apart(const struct hc_tree *a, const struct hc_tree *b, unsigned int k)
{
	return a->order[0] == k && b->order[0] == k && (a->sink ^ b->sink) & hc_bit(k);
}

/* Find the best pair of the trees in @s whose first dimension is @k; if @k is no dimension, the
 * best of all pairs. @others: index of the first tree that may be the second of a pair, or 0 if any
 * two trees may be paired.
 */
static int pair_find(const struct find *q, const struct pool *s, size_t others, unsigned int k,
		     struct hc_checked_pair *p)
{
	const struct hc_checked_tree *a, *b, *end = s->v + s->n, *best[2] = {};
	const struct hc_checked_tree *first_end = others ? s->v + others : end;
	struct cost least = { .relays = UINT32_MAX };

	for (a = s->v; a < first_end; a++)
		for (b = others ? s->v + others : a + 1; b < end; b++) {
			struct cost c;

			if (k < q->f->dim && !apart(&a->plan.tree, &b->plan.tree, k))
				continue;
			c = cost_of(a, b, &least);
			if (!less(&c, &least))
				continue;
			least = c;
			best[0] = a;
			best[1] = b;
		}
	return best[0] ? pair_keep(q, &best[0]->plan.tree, &best[1]->plan.tree, p) : 0;
}

/* Find the best pair for each dimension, and the best of all pairs. */
static int pairs_find(const struct find *q, struct hc_checked *plan)
{
	struct pool s = {};
	size_t others;
	unsigned int k;
	int err = pool_fill(q, &s, &others);

	for (k = 0; k < q->f->dim && !err; k++)
		err = pair_find(q, &s, others, k, &plan->pair[k]);
	if (!err)
		err = pair_find(q, &s, others, q->f->dim, &plan->best);
	pool_free(&s);
	return err;
}

static bool faultless(const struct hc_faults *f)
{
	uint32_t u;

	for (u = 0; u < hc_nodes(f->dim); u++)
		if (f->fault[u])
			return false;
	return true;
}

/* Set up the search: the members are those of a good tree. */
static int begin(struct find *q)
{
	const struct hc_tree_req req = { .method = HC_TREE_EXACT, .sink = q->sink };
	struct hc_tree_plan tree;
	int err;

	q->whole = faultless(q->f);
	q->exact = !q->whole && q->f->dim <= HC_CHECKED_EXACT;
	if (q->whole && q->sink == HC_ANY_SINK) {
		q->near = 0;
	} else {
		/* hc_plan_tree() chooses one of the sinks with the most members. */
		err = hc_plan_tree(q->f, &req, &tree, q->why);
		if (err)
			return err;
		q->near = tree.tree.sink;
		hc_tree_plan_free(&tree);
	}
	q->members = calloc(hc_set_words(q->f->dim), sizeof(*q->members));
	if (!q->members || !hc_faults_component(q->f, q->near, q->members)) {
		*q->why = "out of memory";
		return -ENOMEM;
	}
	return 0;
}

static void pair_free(struct hc_checked_pair *p)
{
	hc_checked_tree_free(&p->tree[0]);
	hc_checked_tree_free(&p->tree[1]);
	free(p->unseen);
}

void hc_checked_free(struct hc_checked *plan)
{
	unsigned int k;

	for (k = 0; k < HC_LIB_DIM_MAX; k++)
		pair_free(&plan->pair[k]);
	pair_free(&plan->best);
	memset(plan, 0, sizeof(*plan));
}

int hc_plan_checked(const struct hc_faults *f, uint32_t sink, struct hc_checked *plan,
		    const char **why)
{
	struct find q = { .f = f, .sink = sink, .why = why };
	int err;

	memset(plan, 0, sizeof(*plan));
	*why = "out of memory";
	err = begin(&q);
	plan->dim = f->dim;
	plan->exact = q.exact || q.whole;
	if (!err)
		err = pairs_find(&q, plan);
	free(q.members);
	if (!err && !plan->best.found) {
		*why = "no node is connected with another";
		err = -EHOSTDOWN;
	}
	if (err)
		hc_checked_free(plan);
	return err;
}
