/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A slow model of broadcasts that shares no code with what it tests: arrays of
 * nodes, one send after the other, search by trying everything.
 */
#ifndef _BCAST_ORACLE_H
#define _BCAST_ORACLE_H

#include <stdbool.h>

#define BORACLE_DIMS	8
#define BORACLE_NODES	256
#define BORACLE_NEVER	(-1)

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
/* The live nodes connected with @u; returns how many. */
int boracle_reach(const struct boracle *o, int u, bool *set);
/* Is there one component only, and no live node without a live neighbour? */
bool boracle_connected(const struct boracle *o);
/* When every node is informed: steps taken before, or BORACLE_NEVER; returns
 * how many are.
 */
int boracle_run(const struct boracle *o, int source, const unsigned char *seq, int len,
		int *when);
/* The length of the shortest complete sequence; up to dimension 4. */
int boracle_shortest(const struct boracle *o, int source);
/* Is there a fault in the subcube of @dims around @u? */
bool boracle_faulty_cube(const struct boracle *o, int u, int dims);
/* Edges along @d between two nodes of @bad. */
int boracle_doubly(int n, const bool *bad, int d);

#endif /* _BCAST_ORACLE_H */
