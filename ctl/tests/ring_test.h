/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of ring trees: networks of few nodes as matrices, and what may be said of
 * them without any of the code under test.
 */
#ifndef _RING_TEST_H
#define _RING_TEST_H

#include "check.h"
#include "ktap.h"
#include "ring.h"

#define NET_MAX 64

/**
 * struct net - a network
 * @n: nodes
 * @link: which are linked
 */
struct net {
	unsigned int n;
	bool link[NET_MAX][NET_MAX];
};

void net_init(struct net *net, unsigned int n);
void net_link(struct net *net, unsigned int u, unsigned int v);
void net_cut(struct net *net, unsigned int u, unsigned int v);
/* A cube without some of its links, at random, and with some nodes failed. */
void net_cube(struct net *net, unsigned int dim);
struct hc_graph *net_graph(const struct net *net);
/* The size of the largest connected part. */
unsigned int net_largest(const struct net *net);
/* The longest cycle, by trying all paths; of few nodes. */
unsigned int net_longest_cycle(const struct net *net);

/* Is it a ring tree of the network? By the definition, not by the verifier's way. */
bool net_has_tree(const struct net *net, const struct hc_ring_tree *t);
/**
 * struct trial - a broadcast that was let run, with a queue at each place in a ring
 * @deliver: see struct hc_ring_count
 * @acknowledge: the same
 * @frames: how often anything was sent
 * @known: in which step the message of a node was known to all
 * @back: in which step it had come back to its source in all its rings
 */
struct trial {
	unsigned int deliver;
	unsigned int acknowledge;
	unsigned long frames;
	unsigned int known[NET_MAX];
	unsigned int back[NET_MAX];
};

void tree_try(const struct hc_ring_tree *t, bool hot, struct trial *r);
/* The same where each message crosses each link in a step of its own, on a way through all rings.
 * False: two cross one at once, or one before it has come there.
 */
bool tree_walk(const struct hc_ring_tree *t, struct trial *r);
/* A plan that is all that it says. */
bool plan_holds(const struct net *net, const struct hc_ring_plan *p);
/* Plan by each method; all of them hold. */
bool net_plans(const struct net *net, uint32_t width);

#endif /* _RING_TEST_H */
