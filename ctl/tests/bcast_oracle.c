// SPDX-License-Identifier: GPL-2.0
/*
 * The slow model of broadcasts.
 */
#include <string.h>

#include "bcast_oracle.h"

void boracle_init(struct boracle *o, int n)
{
	memset(o, 0, sizeof(*o));
	o->n = n;
}

void boracle_kill(struct boracle *o, int u)
{
	o->dead[u] = true;
}

void boracle_cut(struct boracle *o, int u, int d)
{
	o->cut[u][d] = true;
	o->cut[u ^ (1 << d)][d] = true;
}

bool boracle_link(const struct boracle *o, int u, int d)
{
	return !o->dead[u] && !o->dead[u ^ (1 << d)] && !o->cut[u][d];
}

int boracle_reach(const struct boracle *o, int u, bool *set)
{
	int count = 1, before, v, d;

	memset(set, 0, BORACLE_NODES * sizeof(*set));
	if (o->dead[u])
		return 0;
	set[u] = true;
	do {
		before = count;
		for (v = 0; v < 1 << o->n; v++)
			for (d = 0; set[v] && d < o->n; d++)
				if (boracle_link(o, v, d) && !set[v ^ (1 << d)]) {
					set[v ^ (1 << d)] = true;
					count++;
				}
	} while (count > before);
	return count;
}

bool boracle_connected(const struct boracle *o)
{
	bool set[BORACLE_NODES];
	int u, first = -1, live = 0;

	for (u = 0; u < 1 << o->n; u++) {
		if (o->dead[u])
			continue;
		live++;
		if (first < 0)
			first = u;
	}
	return live > 1 && boracle_reach(o, first, set) == live;
}

int boracle_run(const struct boracle *o, int source, const unsigned char *seq, int len,
		int *when)
{
	bool had[BORACLE_NODES];
	int nodes = 1 << o->n, count = 1, i, u;

	for (u = 0; u < nodes; u++)
		when[u] = BORACLE_NEVER;
	when[source] = 0;
	for (i = 0; i < len; i++) {
		for (u = 0; u < nodes; u++)
			had[u] = when[u] != BORACLE_NEVER;
		for (u = 0; u < nodes; u++) {
			int v = u ^ (1 << seq[i]);

			if (!had[u] || had[v] || !boracle_link(o, u, seq[i]))
				continue;
			when[v] = i + 1;
			count++;
		}
	}
	return count;
}

/* A set of nodes is a number of 2^n bits, so the dimension is at most 4. Each round computes in
 * @next all new sets that one more step makes of the sets in @now.
 */
int boracle_shortest(const struct boracle *o, int source)
{
	static bool seen[1 << 16], now[1 << 16], next[1 << 16];
	int nodes = 1 << o->n, all = 0, steps, set, more, u, d;
	bool reach[BORACLE_NODES];

	boracle_reach(o, source, reach);
	for (u = 0; u < nodes; u++)
		all |= reach[u] << u;
	memset(seen, 0, (size_t)all + 1);
	memset(now, 0, (size_t)all + 1);
	now[1 << source] = true;
	for (steps = 0; !now[all]; steps++) {
		memset(next, 0, (size_t)all + 1);
		for (set = 0; set <= all; set++) {
			for (d = 0; now[set] && d < o->n; d++) {
				more = set;
				for (u = 0; u < nodes; u++)
					if (set >> u & 1 && boracle_link(o, u, d))
						more |= 1 << (u ^ (1 << d));
				if (!seen[more])
					next[more] = true;
				seen[more] = true;
			}
		}
		memcpy(now, next, (size_t)all + 1);
	}
	return steps;
}

bool boracle_faulty_cube(const struct boracle *o, int u, int dims)
{
	int v, d;

	for (v = 0; v < 1 << o->n; v++) {
		if ((v ^ u) & ~dims)
			continue;
		if (o->dead[v])
			return true;
		for (d = 0; d < o->n; d++)
			if (dims >> d & 1 && o->cut[v][d])
				return true;
	}
	return false;
}

int boracle_doubly(int n, const bool *bad, int d)
{
	int u, count = 0;

	for (u = 0; u < 1 << n; u++)
		count += u < (u ^ (1 << d)) && bad[u] && bad[u ^ (1 << d)];
	return count;
}
