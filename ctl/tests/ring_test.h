/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of trees of rings: networks of few nodes as matrices, and properties of trees
 * that are computed without any of the code under test.
 */
#ifndef _RING_TEST_H
#define _RING_TEST_H

#include "check.h"
#include "ktap.h"
#include "ring.h"

#define NET_MAX 64

/**
 * struct net - a network
 * @n: number of nodes
 * @link: for each two nodes, whether a link joins them
 */
struct net {
	unsigned int n;
	bool link[NET_MAX][NET_MAX];
};

void net_init(struct net *net, unsigned int n);
void net_link(struct net *net, unsigned int u, unsigned int v);
void net_cut(struct net *net, unsigned int u, unsigned int v);
/* Make a cube with all its links. */
void net_cube(struct net *net, unsigned int dim);
struct hc_graph *net_graph(const struct net *net);
/* Return: number of nodes of the largest component. */
unsigned int net_largest(const struct net *net);
/* Return: length of the longest cycle, by trying all paths; for few nodes. */
unsigned int net_longest_cycle(const struct net *net);

/* Return: true if @t is a tree of rings of the network, by the definition, without the verifier. */
bool net_has_tree(const struct net *net, const struct hc_ring_tree *t);
/**
 * struct trial - the result of a simulated broadcast
 * @deliver: see struct hc_ring_count
 * @acknowledge: see struct hc_ring_count
 * @frames: number of times that a message crossed a link
 * @known: for the message of each node, the step after which all nodes had it
 * @back: for each node, the step in which its message last came back to it in one of its rings
 */
struct trial {
	unsigned int deliver;
	unsigned int acknowledge;
	unsigned long frames;
	unsigned int known[NET_MAX];
	unsigned int back[NET_MAX];
};

/* Simulate a broadcast with a queue at each place of a ring. @hot: messages that circulate in a
 * ring go before those that the node adds to it.
 */
void tree_try(const struct hc_ring_tree *t, bool hot, struct trial *r);
/* Simulate a broadcast in which each message follows one path through all rings and crosses one
 * link in each step. Return: false if two messages are on a link at once, or a node would have to
 * send a message before it has arrived.
 */
bool tree_walk(const struct hc_ring_tree *t, struct trial *r);
/* Return: true if all properties of a plan are right. */
bool plan_holds(const struct net *net, const struct hc_ring_plan *p);
/* Make a plan by each method. Return: true if all properties of these plans are right. */
bool net_plans(const struct net *net, uint32_t width);

#endif /* _RING_TEST_H */
