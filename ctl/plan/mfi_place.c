// SPDX-License-Identifier: GPL-2.0
/*
 * Placing processes on the nodes of a network: dividing them into parts, and assigning the parts to
 * nodes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "mfi.h"
#include "splitmix.h"

/* With up to STARTS_NODES nodes, the search runs STARTS times from different assignments; with more
 * nodes, once.
 */
#define STARTS_NODES 64
#define STARTS 16

static void shuffle(uint32_t *v, uint32_t n, uint64_t seed)
{
	uint32_t i, j, swap;

	for (i = n; i > 1; i--) {
		j = hc_splitmix(&seed) % i;
		swap = v[i - 1];
		v[i - 1] = v[j];
		v[j] = swap;
	}
}

/* Return: the group with the largest parts; @groups if no part has more than one process. */
static uint32_t largest(const uint32_t *size, const uint32_t *parts, uint32_t groups)
{
	uint32_t i, load, best = groups, most = 1;

	for (i = 0; i < groups; i++) {
		load = (size[i] + parts[i] - 1) / parts[i];
		if (load > most) {
			most = load;
			best = i;
		}
	}
	return best;
}

uint32_t hc_mfi_divide(const struct hc_mfi_net *net, const struct hc_mfi_groups *g, uint32_t most,
		       uint32_t *part)
{
	uint32_t *size = calloc(g->count, sizeof(*size)), *parts = calloc(g->count, sizeof(*parts));
	uint32_t *first = calloc(g->count + 1, sizeof(*first)), n = g->count, i, v;

	if (!size || !parts || !first || n > most) {
		hc_free_all(size, parts, first);
		return 0;
	}
	for (v = 0; v < net->n; v++)
		size[g->of[v]]++;
	for (i = 0; i < n; i++)
		parts[i] = 1;
	for (; n < most && (i = largest(size, parts, g->count)) < g->count; n++)
		parts[i]++;
	for (i = 0; i < g->count; i++) {
		first[i + 1] = first[i] + parts[i];
		size[i] = 0;
	}
	for (v = 0; v < net->n; v++) {
		i = g->of[v];
		part[v] = first[i] + size[i]++ % parts[i];
	}
	hc_free_all(size, parts, first);
	return n;
}

uint32_t hc_mfi_blocks(const struct hc_mfi_net *net, uint32_t most, uint64_t seed, uint32_t *part)
{
	uint32_t n = most < net->n ? most : net->n, v;

	for (v = 0; v < net->n; v++)
		part[v] = (uint64_t)v * n / net->n;
	if (seed)
		shuffle(part, net->n, seed);
	return n;
}

/**
 * struct seats - the search for an assignment of parts to nodes
 * @n: number of nodes, and of parts, of which the last ones may be empty
 * @asks: for each pair of parts, how many times a process of one part asks a process of the other
 * @hops: for each pair of nodes, hops between them
 * @at: for each part, its node
 */
struct seats {
	uint32_t n;
	uint32_t *asks;
	const uint16_t *hops;
	uint32_t *at;
};

/* Return: number of hops of the assignment. */
static uint64_t cost(const struct seats *s)
{
	uint64_t sum = 0;
	uint32_t p, q;

	for (p = 0; p < s->n; p++)
		for (q = 0; q < p; q++)
			sum += (uint64_t)s->asks[(size_t)p * s->n + q] *
			       s->hops[(size_t)s->at[p] * s->n + s->at[q]];
	return sum;
}

/* Return: the number of hops that are saved if two parts exchange their nodes. */
static int64_t gain(const struct seats *s, uint32_t p, uint32_t q)
{
	const uint32_t *of_p = s->asks + (size_t)p * s->n, *of_q = s->asks + (size_t)q * s->n;
	const uint16_t *from_p = s->hops + (size_t)s->at[p] * s->n;
	const uint16_t *from_q = s->hops + (size_t)s->at[q] * s->n;
	int64_t sum = 0;
	uint32_t r;

	for (r = 0; r < s->n; r++)
		if (r != p && r != q)
			sum += ((int64_t)of_p[r] - of_q[r]) *
			       ((int64_t)from_p[s->at[r]] - from_q[s->at[r]]);
	return sum;
}

/* Exchange the nodes of pairs of parts as long as that saves hops. */
static void improve(const struct seats *s, uint32_t parts, bool (*go_on)(void *arg), void *arg)
{
	uint32_t p, q, swap;
	bool again = true;

	while (again) {
		again = false;
		for (p = 0; p < parts; p++) {
			if (go_on && !go_on(arg))
				return;
			for (q = p + 1; q < s->n; q++) {
				if (gain(s, p, q) <= 0)
					continue;
				swap = s->at[p];
				s->at[p] = s->at[q];
				s->at[q] = swap;
				again = true;
			}
		}
	}
}

/* Fill in @s->asks. */
static void count_asks(const struct hc_mfi_net *net, const uint32_t *part, struct seats *s)
{
	uint32_t u;

	for (u = 0; u < net->n; u++)
		HC_MFI_EACH(v, &net->env, u)
			if (part[u] != part[*v]) {
				s->asks[(size_t)part[u] * s->n + part[*v]]++;
				s->asks[(size_t)part[*v] * s->n + part[u]]++;
			}
}

int hc_mfi_seat(const struct hc_mfi_net *net, const uint32_t *part, uint32_t parts,
		const uint16_t *hops, uint32_t nodes, uint32_t *at, uint64_t *sum,
		bool (*go_on)(void *arg), void *arg)
{
	struct seats s = { .n = nodes, .hops = hops };
	uint32_t start, i;
	uint64_t now;

	s.asks = calloc((size_t)nodes * nodes, sizeof(*s.asks));
	s.at = calloc(nodes, sizeof(*s.at));
	if (!s.asks || !s.at) {
		hc_free_all(s.asks, s.at);
		return -ENOMEM;
	}
	count_asks(net, part, &s);
	*sum = UINT64_MAX;
	for (start = 0; !start || (start < STARTS && nodes <= STARTS_NODES); start++) {
		for (i = 0; i < nodes; i++)
			s.at[i] = i;
		if (start)
			shuffle(s.at, nodes, start);
		improve(&s, parts, go_on, arg);
		now = cost(&s);
		if (now < *sum) {
			*sum = now;
			memcpy(at, s.at, parts * sizeof(*at));
		}
	}
	hc_free_all(s.asks, s.at);
	return 0;
}
