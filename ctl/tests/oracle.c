// SPDX-License-Identifier: GPL-2.0
/*
 * A slow model of trees in a faulty hypercube: the paper's definitions, written down without the
 * planner's code, and a search that tries all trees.
 */
#include <string.h>

#include "oracle.h"

void oracle_init(struct oracle *o, unsigned int n)
{
	memset(o, 0, sizeof(*o));
	o->n = n;
}

void oracle_cut(struct oracle *o, unsigned int u, unsigned int d)
{
	o->bad[u][d] = true;
	o->bad[u ^ (1u << d)][d] = true;
}

void oracle_kill(struct oracle *o, unsigned int u)
{
	unsigned int d;

	o->dead[u] = true;
	for (d = 0; d < o->n; d++)
		oracle_cut(o, u, d);
}

/* Relax all links until no distance changes. */
void oracle_distances(const struct oracle *o, unsigned int from, int *dist)
{
	unsigned int u, d;
	bool again = true;

	for (u = 0; u < 1u << o->n; u++)
		dist[u] = -1;
	dist[from] = 0;
	while (again) {
		again = false;
		for (u = 0; u < 1u << o->n; u++) {
			for (d = 0; d < o->n && dist[u] >= 0; d++) {
				int *v = &dist[u ^ (1u << d)];

				if (o->bad[u][d] || (*v >= 0 && *v <= dist[u] + 1))
					continue;
				*v = dist[u] + 1;
				again = true;
			}
		}
	}
}

int oracle_distance(const struct oracle *o, unsigned int from, unsigned int to)
{
	int dist[ORACLE_NODES];

	oracle_distances(o, from, dist);
	return dist[to];
}

bool oracle_inside(const struct oracle_tree *t, unsigned int v)
{
	unsigned int i, differ = v ^ t->sink;

	for (i = 0; i < t->k; i++)
		differ &= ~(1u << t->order[i]);
	return !differ;
}

enum oracle_state oracle_state(const struct oracle_tree *t, unsigned int v,
			       unsigned int stage)
{
	unsigned int r = ~t->sink, j, d = t->order[stage];

	for (j = 0; j < stage; j++)
		if ((v >> t->order[j] & 1) == (r >> t->order[j] & 1))
			return ORACLE_IDLE;
	return (v >> d & 1) == (r >> d & 1) ? ORACLE_ACTIVE : ORACLE_PASSIVE;
}

void oracle_members(const struct oracle *o, const struct oracle_tree *t,
		    bool *members)
{
	int dist[ORACLE_NODES];
	unsigned int u;

	oracle_distances(o, t->sink, dist);
	for (u = 0; u < 1u << o->n; u++)
		members[u] = dist[u] >= 0 && oracle_inside(t, u);
}

void oracle_score(const struct oracle *o, const struct oracle_tree *t,
		  struct oracle_score *score)
{
	bool members[ORACLE_NODES];
	unsigned int i, u, before;

	memset(score, 0, sizeof(*score));
	oracle_members(o, t, members);
	for (u = 0; u < 1u << o->n; u++)
		score->members += members[u];
	for (i = 0; i < t->k; i++) {
		before = score->cost;
		for (u = 0; u < 1u << o->n; u++)
			if (members[u] && oracle_state(t, u, i) == ORACLE_ACTIVE)
				score->cost += o->bad[u][t->order[i]];
		score->stages += score->cost > before;
	}
	score->clean = true;
	for (i = 0; i < t->k; i++) {
		score->cost += o->bad[t->sink][t->order[i]];
		score->clean &= !o->bad[t->sink][t->order[i]];
	}
}

/* Return: true if the tree with score @a is better than the one with score @b. */
static bool better(const struct oracle_score *a, const struct oracle_score *b)
{
	if (a->clean != b->clean)
		return a->clean;
	if (a->members != b->members)
		return a->members > b->members;
	if (a->cost != b->cost)
		return a->cost < b->cost;
	return a->stages < b->stages;
}

static bool isolated(const struct oracle *o, unsigned int u)
{
	unsigned int d;

	for (d = 0; d < o->n; d++)
		if (!o->bad[u][d])
			return false;
	return true;
}

/* Try all orders that continue t->order with the dimensions in @left, the lexicographically first
 * one first. Return: true if a tree was found, then *best is the best one so far.
 */
static bool all_orders(const struct oracle *o, unsigned int left,
		       struct oracle_tree *t, struct oracle_tree *best,
		       struct oracle_score *score, bool found)
{
	struct oracle_score now;
	unsigned int d;

	if (!left) {
		oracle_score(o, t, &now);
		if (!found || better(&now, score)) {
			*best = *t;
			*score = now;
		}
		return true;
	}
	for (d = 0; d < o->n; d++) {
		if (!(left >> d & 1))
			continue;
		t->order[t->k++] = d;
		found = all_orders(o, left & ~(1u << d), t, best, score, found);
		t->k--;
	}
	return found;
}

bool oracle_best(const struct oracle *o, unsigned int dims, unsigned int base,
		 struct oracle_tree *best, struct oracle_score *score)
{
	bool found = false;
	unsigned int u;

	for (u = 0; u < 1u << o->n; u++) {
		struct oracle_tree t = { .sink = u };

		if (((u ^ base) & ~dims) || o->dead[u] || isolated(o, u))
			continue;
		found = all_orders(o, dims, &t, best, score, found);
	}
	return found;
}

bool oracle_best_at(const struct oracle *o, unsigned int dims, unsigned int sink,
		    struct oracle_tree *best, struct oracle_score *score)
{
	struct oracle_tree t = { .sink = sink };

	if (o->dead[sink] || isolated(o, sink))
		return false;
	return all_orders(o, dims, &t, best, score, false);
}
