/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A slow model of broadcasts that shares no code with what it tests: it uses arrays of nodes, sends
 * one message after the other, and searches by trying everything.
 */
#ifndef _BCAST_ORACLE_H
#define _BCAST_ORACLE_H

#include <stdbool.h>

#define BORACLE_DIMS	8
#define BORACLE_NODES	256
#define BORACLE_NEVER	(-1)

/* A cube of dimension @n, its failed nodes, and both ends of its faulty links. */
struct boracle {
	int n;
	bool dead[BORACLE_NODES];
	bool cut[BORACLE_NODES][BORACLE_DIMS];
};

void boracle_init(struct boracle *o, int n);
void boracle_kill(struct boracle *o, int u);
void boracle_cut(struct boracle *o, int u, int d);
/* Can @u send to its neighbour along @d? */
bool boracle_link(const struct boracle *o, int u, int d);
/* Set @set to the live nodes that are connected with @u. Return: their number. */
int boracle_reach(const struct boracle *o, int u, bool *set);
/* Return: true if there are several live nodes, and all of them are connected. */
bool boracle_connected(const struct boracle *o);
/* Run a sequence. @when: set to the number of steps after which each node has the message, or
 * BORACLE_NEVER. Return: number of nodes that have it in the end.
 */
int boracle_run(const struct boracle *o, int source, const unsigned char *seq, int len,
		int *when);
/* Return: the length of the shortest complete sequence; up to dimension 4. */
int boracle_shortest(const struct boracle *o, int source);
/* Does the subcube through @u with the free dimensions @dims have a fault? */
bool boracle_faulty_cube(const struct boracle *o, int u, int dims);
/* Return: number of edges along @d between two nodes of @bad. */
int boracle_doubly(int n, const bool *bad, int d);

#endif /* _BCAST_ORACLE_H */
