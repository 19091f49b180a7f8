// SPDX-License-Identifier: GPL-2.0
/*
 * The cube walking algorithm (CWA), and its variant for a balancing topology (MCWA): surplus tasks
 * move up the trees, then from half to half over the subcube, and then down the trees.
 *
 * The quotas of the paper's text lose tasks and are not even, so the quotas here differ from them:
 * see Documentation/errata.rst.
 */
#include "balance_impl.h"
#include "hc_quota.h"

/* --- the walk --- */

void hc_cwa_sum(struct hc_cwa *c)
{
	unsigned int j;
	uint32_t i;

	for (j = 1; j <= c->k; j++)
		for (i = 0; i < hc_nodes(c->k - j); i++) {
			size_t at = hc_cwa_at(c, j, i), half = hc_cwa_at(c, j - 1, 2 * i);

			c->load[at] = c->load[half] + c->load[half + 1];
			c->quota[at] = c->quota[half] + c->quota[half + 1];
		}
}

static uint64_t positive(int64_t v)
{
	return v > 0 ? v : 0;
}

/* Divide the tasks that leave j+1-cube @i between its two halves. */
static void split(struct hc_cwa *c, unsigned int j, uint32_t i)
{
	uint64_t theta = c->theta[hc_cwa_at(c, j + 1, i)];
	uint64_t upper = hc_cwa_upper(theta, hc_cwa_delta(c, j, 2 * i + 1));

	c->theta[hc_cwa_at(c, j, 2 * i + 1)] = upper;
	c->theta[hc_cwa_at(c, j, 2 * i)] = theta - upper;
}

void hc_cwa_theta(struct hc_cwa *c, unsigned int j)
{
	uint32_t i;

	for (i = 0; i < hc_nodes(c->k - j); i++)
		c->theta[hc_cwa_at(c, j, i)] = positive(hc_cwa_delta(c, j, i));
	while (j--)
		for (i = 0; i < hc_nodes(c->k - j - 1); i++)
			split(c, j, i);
}

void hc_cwa_move(struct hc_cwa *c, unsigned int j)
{
	unsigned int level;
	uint32_t i;

	for (level = 0; level <= j; level++)
		for (i = 0; i < hc_nodes(c->k - level); i++) {
			uint64_t theta = c->theta[hc_cwa_at(c, level, i)];

			c->load[hc_cwa_at(c, level, i)] -= theta;
			c->load[hc_cwa_at(c, level, i ^ hc_bit(j - level))] += theta;
		}
}

/* --- quotas --- */

/* Divide the quota of @u's tree among the trees of its children. Return: the rest, which is @u's
 * own quota.
 */
static uint64_t quota_down(struct hc_balancer *b, uint32_t u)
{
	uint32_t child[HC_LIB_DIM_MAX], weight = b->t->weight[u];
	uint64_t each = b->quota[u] / weight, rest = b->quota[u] % weight;
	uint64_t own = each + !!rest, before = 0;
	unsigned int i, n = hc_balance_children(b->t->up, b->t->b.dim, u, child);

	rest -= !!rest;
	for (i = 0; i < n; i++) {
		weight = b->t->weight[child[i]];
		b->quota[child[i]] = weight * each + hc_quota_share(rest, before, weight);
		before += weight;
	}
	return own;
}

/* Compute the quotas of all members. */
static void quotas(struct hc_balancer *b, struct hc_balance_plan *p)
{
	const struct hc_balance_topo *t = b->t;
	uint64_t sum = 0, before = 0, each, rest;
	uint32_t i, roots = hc_nodes(b->cwa.k);

	for (i = 0; i < roots; i++)
		sum += b->load[t->order[i]];
	each = sum / t->members;
	rest = sum % t->members;
	for (i = 0; i < roots; i++) {
		uint32_t weight = t->weight[t->order[i]];

		b->quota[t->order[i]] = weight * each + hc_quota_share(rest, before, weight);
		before += weight;
	}
	for (i = 0; i < t->members; i++)
		p->quota[t->order[i]] = quota_down(b, t->order[i]);
}

/* --- MCWA --- */

/* Add up the loads of each tree, from the leaves to the subcube. */
static void gather(struct hc_balancer *b)
{
	const struct hc_balance_topo *t = b->t;
	uint32_t i = t->members, u;

	while (i-- > hc_nodes(b->cwa.k)) {
		u = t->order[i];
		b->load[hc_neigh(u, t->up[u])] += b->load[u];
	}
}

/* Add the moves within the subcube, from half to half. */
static int walk(struct hc_balancer *b, struct hc_balance_plan *p)
{
	const uint32_t *node = b->t->order;
	struct hc_cwa *c = &b->cwa;
	unsigned int j = c->k;
	int err = 0;
	uint32_t i;

	for (i = 0; i < hc_nodes(c->k); i++) {
		c->load[i] = b->load[node[i]];
		c->quota[i] = b->quota[node[i]];
	}
	hc_cwa_sum(c);
	while (!err && j--) {
		hc_cwa_theta(c, j);
		for (i = 0; !err && i < hc_nodes(c->k); i++)
			err = hc_balance_move(p, node[i], node[i ^ hc_bit(j)], c->theta[i],
					      b->t->b.depth + c->k - j);
		hc_cwa_move(c, j);
	}
	return err;
}

int hc_balance_mcwa(struct hc_balancer *b, const struct hc_balance_req *q __attribute__((unused)),
		    struct hc_balance_plan *p)
{
	uint32_t roots = hc_nodes(b->cwa.k), i, u;
	const struct hc_balance_topo *t = b->t;
	unsigned int depth = t->b.depth;
	int err = 0;

	gather(b);
	quotas(b, p);
	for (i = t->members; !err && i-- > roots;) {
		u = t->order[i];
		if (b->load[u] > b->quota[u])
			err = hc_balance_move(p, u, hc_neigh(u, t->up[u]),
					      b->load[u] - b->quota[u], depth - t->level[u] + 1);
	}
	if (!err)
		err = walk(b, p);
	for (i = roots; !err && i < t->members; i++) {
		u = t->order[i];
		if (b->load[u] < b->quota[u])
			err = hc_balance_move(p, hc_neigh(u, t->up[u]), u,
					      b->quota[u] - b->load[u],
					      depth + b->cwa.k + t->level[u]);
	}
	hc_balance_count(b, HC_BALANCE_MCW, p);
	return err;
}
