// SPDX-License-Identifier: GPL-2.0
/*
 * Search for spanning trees with the fewest steps: can a message from the root reach all members in
 * a given number of steps?
 *
 * In a step, each node that has the message may send it to one neighbour that does not have it;
 * these pairs are a matching. It never does harm if more nodes have the message, so only matchings
 * to which no further pair can be added are tried. The search remembers each set of nodes from
 * which the remaining steps were not enough.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "span_impl.h"

/* The most pairs that are tried; after that the search ends without a proof. */
#define TRIED_MAX	3000000
/* Number of sets that are remembered. */
#define MEMO		(1 << 16)

/**
 * struct known - a set of nodes from which the remaining steps were not enough
 * @have: the set of nodes that have the message
 * @left: number of remaining steps
 */
struct known {
	uint64_t have;
	unsigned int left;
};

/**
 * struct exact - the state of the search; members are numbered from 0
 * @m: number of members
 * @node: for each member, its number in the network
 * @adj: for each member, its neighbours, as a set
 * @from: for each member, the member that has sent the message to it
 * @all: the set of all members
 * @tried: number of pairs tried so far
 * @memo: sets from which the remaining steps were not enough
 */
struct exact {
	unsigned int m;
	uint32_t node[SPAN_EXACT_MAX];
	uint64_t adj[SPAN_EXACT_MAX];
	uint8_t from[SPAN_EXACT_MAX];
	uint64_t all;
	uint32_t tried;
	struct known *memo;
};

static unsigned int first(uint64_t set)
{
	return __builtin_ctzll(set);
}

static uint64_t bit(unsigned int i)
{
	return UINT64_C(1) << i;
}

/* Return: the neighbours of the members in @set, as a set. */
static uint64_t neighbours(const struct exact *x, uint64_t set)
{
	uint64_t all = 0;

	for (; set; set &= set - 1)
		all |= x->adj[first(set)];
	return all;
}

/* Return: false if distances or the number of members show that @left steps are not enough from the
 * set @have.
 */
static bool is_possible(const struct exact *x, uint64_t have, unsigned int left)
{
	uint64_t near = have, edge = have;
	unsigned int i;

	if (left < 6 && (unsigned int)__builtin_popcountll(have) << left < x->m)
		return false;
	for (i = 0; i < left && edge; i++) {
		edge = neighbours(x, edge) & ~near;
		near |= edge;
	}
	return near == x->all;
}

/* Return: the entry of the memo for the set @have. */
static struct known *place(const struct exact *x, uint64_t have)
{
	return &x->memo[(have * UINT64_C(0x9e3779b97f4a7c15)) >> 48];
}

static bool search(struct exact *x, uint64_t have, unsigned int left);

/**
 * struct pairs - a matching under construction
 * @have: the members that have the message before the step, as a set
 * @senders: of these, the members that may still get a receiver
 * @idle: of these, the members that were decided to send nothing
 * @taken: the receivers, as a set
 */
struct pairs {
	uint64_t have;
	uint64_t senders;
	uint64_t idle;
	uint64_t taken;
};

/* Complete the matching in all possible manners, and search on from each. Return: true if a tree
 * was found.
 */
static bool match(struct exact *x, struct pairs p, unsigned int left)
{
	unsigned int u, v;
	uint64_t open;

	if (++x->tried > TRIED_MAX)
		return false;
	if (!p.senders)
		return !(neighbours(x, p.idle) & ~p.have & ~p.taken) &&
		       search(x, p.have | p.taken, left);
	u = first(p.senders);
	p.senders &= p.senders - 1;
	for (open = x->adj[u] & ~p.have & ~p.taken; open; open &= open - 1) {
		struct pairs with = p;

		v = first(open);
		with.taken |= bit(v);
		x->from[v] = u;
		if (match(x, with, left))
			return true;
	}
	p.idle |= bit(u);
	return match(x, p, left);
}

/* Return: true if the members of @have can send the message to all members within @left steps. */
static bool search(struct exact *x, uint64_t have, unsigned int left)
{
	struct pairs p = { .have = have };
	struct known *known = place(x, have);
	uint64_t set;

	if (have == x->all)
		return true;
	if (!is_possible(x, have, left) || (known->have == have && known->left >= left))
		return false;
	for (set = have; set; set &= set - 1)
		if (x->adj[first(set)] & ~have)
			p.senders |= bit(first(set));
	if (match(x, p, left - 1))
		return true;
	if (x->tried <= TRIED_MAX)
		*known = (struct known){ have, left };
	return false;
}

/* Number the members. *root: set to the number of the root. */
static void number(struct exact *x, const struct span_net *n, unsigned int *root)
{
	unsigned int i, k;
	uint32_t u;

	for (u = 0; u < n->topo->nodes; u++) {
		if (!hc_set_has(n->in, u))
			continue;
		if (u == n->root)
			*root = x->m;
		x->all |= bit(x->m);
		x->node[x->m++] = u;
	}
	for (i = 0; i < x->m; i++)
		for (k = 0; k < x->m; k++) {
			unsigned int d = hc_port_to(n->topo, x->node[i], x->node[k]);

			if (d != HC_NO_PORT && span_link(n, x->node[i], d))
				x->adj[i] |= bit(k);
		}
}

int span_exact(const struct span_net *n, uint8_t *parent, uint32_t *steps, uint32_t *bound)
{
	struct exact *x;
	unsigned int root = 0, i;
	uint32_t most;

	if (n->nmembers > SPAN_EXACT_MAX)
		return 0;
	x = calloc(1, sizeof(*x));
	if (x)
		x->memo = calloc(MEMO, sizeof(*x->memo));
	if (!x || !x->memo) {
		free(x);
		return -ENOMEM;
	}
	number(x, n, &root);
	for (most = *bound; most < *steps && x->tried <= TRIED_MAX; most++) {
		if (search(x, bit(root), most)) {
			for (i = 0; i < x->m; i++)
				parent[x->node[i]] = i == root ? HC_NO_PORT :
					hc_port_to(n->topo, x->node[i], x->node[x->from[i]]);
			*steps = most;
		} else if (x->tried <= TRIED_MAX) {
			*bound = most + 1;
		}
	}
	hc_free_all(x->memo, x);
	return 0;
}
