// SPDX-License-Identifier: GPL-2.0
/*
 * The fewest hops to even loads: a minimum-cost flow, exact, by the primal-dual method.
 *
 * A node that has more tasks than the mean, rounded down, is a source of the difference; a node
 * that has fewer is a sink of the difference. The remainder of the division, R tasks, may stay at
 * any nodes, at most one at each: so each node has a link of cost 0 and capacity 1 to an additional
 * node, the pool, which is a sink of R. A hop costs 1; a hop that cancels the hop of a task in the
 * opposite direction costs -1.
 *
 * If instead only the greatest load that a node may keep is given, a node that has more is a
 * source, a node that has fewer is a sink that need not be filled, and the pool takes nothing.
 *
 * Potentials keep reduced costs from being negative. Each round sends as much as possible over
 * links of reduced cost 0 (blocking flows, Dinic's algorithm); then the potentials of all nodes
 * that the sources do not reach grow by the greatest possible amount. The potential of the sinks is
 * the length of the paths in use, and grows in each round, so there are few rounds.
 */
#include <stdlib.h>

#include "balance_impl.h"
#include "memory.h"

#define UNSEEN UINT32_MAX
#define PLENTY INT64_MAX

/**
 * struct hc_flow - a network and a flow
 * @b: the nodes and links
 * @ports: maximum number of ports of a node
 * @pool: number of the pool, as a node of the flow network
 * @end: number of the flow network's last node, to which all sinks and the pool have a link
 * @flow: at u * ports + d: number of tasks that leave node u by port d, minus the number that
 *	arrive by it
 * @excess: number of tasks that each source still has to send
 * @lack: number of tasks that each sink, or the pool, can still take
 * @kept: for each node: whether one of its tasks is in the pool
 * @pi: potential of each node
 * @level: distance of each node from the sources over links of reduced cost 0
 * @next: for each node, which of its links is tried next
 * @path: nodes of the path that is being tried
 * @queue: the nodes in the order of their levels
 */
struct hc_flow {
	const struct hc_balancer *b;
	unsigned int ports;
	uint32_t pool;
	uint32_t end;
	int64_t *flow;
	int64_t *excess;
	int64_t *lack;
	uint8_t *kept;
	int32_t *pi;
	uint32_t *level;
	uint32_t *next;
	uint32_t *path;
	uint32_t *queue;
};

struct hc_flow *hc_flow_new(const struct hc_balancer *b)
{
	uint32_t nodes = b->f->topo.nodes, all = nodes + 2;
	struct hc_flow *fl = calloc(1, sizeof(*fl));

	if (!fl)
		return NULL;
	fl->b = b;
	fl->ports = b->f->topo.ports;
	fl->pool = nodes;
	fl->end = nodes + 1;
	fl->flow = malloc((size_t)nodes * fl->ports * sizeof(*fl->flow));
	fl->excess = malloc(2 * all * sizeof(*fl->excess));
	fl->pi = malloc(5 * all * sizeof(*fl->pi));
	fl->kept = malloc(nodes);
	if (!fl->flow || !fl->excess || !fl->pi || !fl->kept) {
		hc_flow_free(fl);
		return NULL;
	}
	fl->lack = fl->excess + all;
	fl->level = (uint32_t *)fl->pi + all;
	fl->next = fl->level + all;
	fl->path = fl->next + all;
	fl->queue = fl->path + all;
	return fl;
}

void hc_flow_free(struct hc_flow *fl)
{
	if (fl)
		hc_free_all(fl->flow, fl->excess, fl->pi, fl->kept, fl);
}

/* Set up sources and sinks for the loads @load and the greatest load @most. Return: number of tasks
 * that have to be sent in all.
 */
static int64_t begin(struct hc_flow *fl, const uint64_t *load, uint64_t most)
{
	const struct hc_balance_topo *t = fl->b->t;
	int64_t sum = 0, each = most, left = 0;
	uint32_t i, u;

	memset(fl->flow, 0, (size_t)fl->pool * fl->ports * sizeof(*fl->flow));
	memset(fl->excess, 0, 2 * (fl->end + 1) * sizeof(*fl->excess));
	memset(fl->pi, 0, (fl->end + 1) * sizeof(*fl->pi));
	memset(fl->kept, 0, fl->pool);
	for (i = 0; i < t->members; i++)
		sum += load[t->order[i]];
	if (most == HC_FLOW_EVEN) {
		each = sum / t->members;
		fl->lack[fl->pool] = sum % t->members;
	}
	for (i = 0; i < t->members; i++) {
		u = t->order[i];
		if ((int64_t)load[u] < each)
			fl->lack[u] = each - load[u];
		else
			fl->excess[u] = load[u] - each;
		left += fl->excess[u];
	}
	return left;
}

/* Return: number of links of node @u. The links of a node lead from its ports, then to the pool,
 * then to the end; the links of the pool lead to the nodes, and then to the end.
 */
static uint32_t links(const struct hc_flow *fl, uint32_t u)
{
	return u == fl->pool ? fl->pool + 1 : u == fl->end ? 0 : fl->ports + 2;
}

/* A link of the flow network: the node that it leads to, the amount that it can still carry, and
 * its reduced cost.
 */
struct arc {
	uint32_t to;
	int64_t room;
	int32_t cost;
};

/* Return: the link by port @d of node @u, with its cost rather than its reduced cost. */
static struct arc port_arc(const struct hc_flow *fl, uint32_t u, unsigned int d)
{
	int64_t flow = fl->flow[(size_t)u * fl->ports + d];

	return (struct arc){ hc_peer(&fl->b->f->topo, u, d),
			     !(fl->b->link[u] & hc_bit(d)) ? 0 : flow < 0 ? -flow : PLENTY,
			     flow < 0 ? -1 : 1 };
}

/* Return: link @i of node @u. */
static struct arc arc(const struct hc_flow *fl, uint32_t u, uint32_t i)
{
	struct arc a;

	if (u == fl->pool)
		a = i < fl->pool ? (struct arc){ i, fl->kept[i], 0 } :
		    (struct arc){ fl->end, fl->lack[u], 0 };
	else if (i < fl->ports)
		a = port_arc(fl, u, i);
	else if (i == fl->ports)
		a = (struct arc){ fl->pool, !fl->kept[u], 0 };
	else
		a = (struct arc){ fl->end, fl->lack[u], 0 };
	a.cost += fl->pi[u] - fl->pi[a.to];
	return a;
}

/* Send @n tasks over link @i of node @u. */
static void carry(struct hc_flow *fl, uint32_t u, uint32_t i, int64_t n)
{
	if (u == fl->pool && i < fl->pool) {
		fl->kept[i] = 0;
	} else if (u == fl->pool || i > fl->ports) {
		fl->lack[u] -= n;
	} else if (i == fl->ports) {
		fl->kept[u] = 1;
	} else {
		fl->flow[(size_t)u * fl->ports + i] += n;
		fl->flow[(size_t)hc_peer(&fl->b->f->topo, u, i) * fl->ports + i] -= n;
	}
}

/* Compute the levels. Return: number of nodes that the sources reach over links of
 * reduced cost 0.
 */
static uint32_t reach(struct hc_flow *fl)
{
	uint32_t head = 0, tail = 0, u, i;
	struct arc a;

	memset(fl->level, 0xff, (fl->end + 1) * sizeof(*fl->level));
	for (u = 0; u < fl->pool; u++)
		if (fl->excess[u]) {
			fl->level[u] = 0;
			fl->queue[tail++] = u;
		}
	while (head < tail) {
		u = fl->queue[head++];
		for (i = 0; i < links(fl, u); i++) {
			a = arc(fl, u, i);
			if (!a.room || a.cost || fl->level[a.to] != UNSEEN)
				continue;
			fl->level[a.to] = fl->level[u] + 1;
			fl->queue[tail++] = a.to;
		}
	}
	return tail;
}

/* Raise the potentials of the nodes that were not reached, so that longer paths may be used. */
static void lift(struct hc_flow *fl, uint32_t reached)
{
	int32_t least = INT32_MAX;
	uint32_t q, u, i;
	struct arc a;

	for (q = 0; q < reached; q++)
		for (u = fl->queue[q], i = 0; i < links(fl, u); i++) {
			a = arc(fl, u, i);
			if (a.room && fl->level[a.to] == UNSEEN && a.cost < least)
				least = a.cost;
		}
	for (u = 0; u <= fl->end; u++)
		if (fl->level[u] == UNSEEN)
			fl->pi[u] += least;
}

/* Send, over the path of @len nodes in @fl->path, as many tasks as the link with the least
 * remaining capacity can carry. Return: number of tasks sent.
 */
static int64_t augment(struct hc_flow *fl, uint32_t len)
{
	int64_t n = fl->excess[fl->path[0]];
	uint32_t i;

	for (i = 0; i + 1 < len; i++) {
		struct arc a = arc(fl, fl->path[i], fl->next[fl->path[i]]);

		if (a.room < n)
			n = a.room;
	}
	for (i = 0; i + 1 < len; i++)
		carry(fl, fl->path[i], fl->next[fl->path[i]], n);
	fl->excess[fl->path[0]] -= n;
	return n;
}

/* Send as much of the excess of @source as possible to the end, over all paths whose links each
 * lead to the next level. Return: number of tasks sent.
 */
static int64_t drain(struct hc_flow *fl, uint32_t source)
{
	struct arc a = {};
	int64_t sent = 0;
	uint32_t len = 1, u;

	fl->path[0] = source;
	while (len && fl->excess[source]) {
		u = fl->path[len - 1];
		if (u == fl->end) {
			sent += augment(fl, len);
			len = 1;
			continue;
		}
		for (; fl->next[u] < links(fl, u); fl->next[u]++) {
			a = arc(fl, u, fl->next[u]);
			if (a.room && !a.cost && fl->level[a.to] == fl->level[u] + 1)
				break;
		}
		if (fl->next[u] < links(fl, u))
			fl->path[len++] = a.to;
		else if (--len)
			fl->next[fl->path[len - 1]]++;
	}
	return sent;
}

const int64_t *hc_flow_run(struct hc_flow *fl, const uint64_t *load, uint64_t most, uint64_t *final)
{
	int64_t left = begin(fl, load, most);
	uint32_t reached, i, u;
	unsigned int d;

	while (left) {
		reached = reach(fl);
		if (fl->level[fl->end] == UNSEEN) {
			lift(fl, reached);
			continue;
		}
		memset(fl->next, 0, (fl->end + 1) * sizeof(*fl->next));
		for (u = 0; u < fl->pool; u++)
			if (fl->excess[u] && !fl->level[u])
				left -= drain(fl, u);
	}
	for (i = 0; i < fl->b->t->members; i++) {
		u = fl->b->t->order[i];
		final[u] = load[u];
		for (d = 0; d < fl->ports; d++)
			final[u] -= fl->flow[(size_t)u * fl->ports + d];
	}
	return fl->flow;
}
