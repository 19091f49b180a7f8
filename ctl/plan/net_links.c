// SPDX-License-Identifier: GPL-2.0
/*
 * The links of the kinds of networks of enum hc_net_kind.
 */
#include <errno.h>
#include <stdlib.h>

#include "memory.h"
#include "net.h"

/* The links so far. @room: number of links that @v has memory for. @failed: memory ran out. */
struct builder {
	struct hc_edge *v;
	size_t n;
	size_t room;
	bool failed;
};

static void link_add(struct builder *b, uint32_t u, uint32_t v)
{
	struct hc_edge *more = NULL;

	if (!b->failed)
		more = hc_grow(b->v, b->n, &b->room, sizeof(*b->v), 1024);

	b->failed |= !more;
	if (!more)
		return;
	b->v = more;
	more[b->n++] = (struct hc_edge){ u, v };
}

/* --- number of nodes --- */

/* Return: @nodes times @by; 0 if that is more than @most. */
static uint32_t times(uint32_t nodes, uint32_t by, uint32_t most)
{
	return by && nodes <= most / by ? nodes * by : 0;
}

static uint32_t power(uint32_t base, uint32_t n, uint32_t most)
{
	uint32_t nodes = 1;

	if (base == 1)
		return 1;
	while (nodes && n--)
		nodes = times(nodes, base, most);
	return nodes;
}

static uint32_t grid_nodes(const struct hc_net_spec *s, uint32_t most)
{
	uint32_t nodes = 1;
	unsigned int axis;

	for (axis = 0; nodes && axis < s->axes; axis++)
		nodes = times(nodes, s->length[axis], most);
	return nodes;
}

static uint32_t tree_nodes(const struct hc_net_spec *s, uint32_t most)
{
	uint64_t nodes = 0, level = 1;
	uint32_t i;

	for (i = 0; i < s->length[1] && nodes <= most; i++) {
		nodes += level;
		level *= s->length[0];
	}
	return nodes <= most ? (uint32_t)nodes : 0;
}

/* Return: number of groups of a dragonfly: one for each link that leaves a group, and the group
 * itself.
 */
static uint32_t groups(const struct hc_net_spec *s)
{
	return s->length[0] * s->length[1] + 1;
}

static uint32_t dragonfly_nodes(const struct hc_net_spec *s, uint32_t most)
{
	if (!times(s->length[0], s->length[1], most))
		return 0;
	return times(groups(s), s->length[0], most);
}

static uint32_t node_count(const struct hc_net_spec *s, uint32_t most)
{
	switch (s->kind) {
	case HC_NET_MESH:
	case HC_NET_TORUS:
		return grid_nodes(s, most);
	case HC_NET_KARY:
		return power(s->length[0], s->length[1], most);
	case HC_NET_TREE:
		return tree_nodes(s, most);
	case HC_NET_DRAGONFLY:
		return dragonfly_nodes(s, most);
	case HC_NET_RING:
	case HC_NET_FULL:
		break;
	}
	return s->length[0] <= most ? s->length[0] : 0;
}

/* --- links --- */

/* Add the links along one axis of a grid. Each line has @len nodes, and the numbers of neighbours
 * on it differ by @step. @wrap: close each line of more than two nodes into a ring.
 */
static void axis_links(struct builder *b, uint32_t nodes, uint32_t step, uint32_t len, bool wrap)
{
	uint32_t u, at;

	for (u = 0; u < nodes; u++) {
		at = u / step % len;
		if (at + 1 < len)
			link_add(b, u, u + step);
		else if (wrap && len > 2)
			link_add(b, u - at * step, u);
	}
}

static void grid_links(struct builder *b, const struct hc_net_spec *s, uint32_t nodes)
{
	unsigned int axis, n = s->kind == HC_NET_KARY ? s->length[1] : s->axes;
	uint32_t step = 1, len;

	for (axis = 0; axis < n && step < nodes; axis++, step *= len) {
		len = s->length[s->kind == HC_NET_KARY ? 0 : axis];
		axis_links(b, nodes, step, len, s->kind != HC_NET_MESH);
	}
}

/* Add the links of a tree. Its nodes are numbered as in a heap: the children of a node are the next
 * nodes that have no parent yet.
 */
static void tree_links(struct builder *b, uint32_t children, uint32_t nodes)
{
	uint32_t u;

	for (u = 1; u < nodes; u++)
		link_add(b, (u - 1) / children, u);
}

static void full_links(struct builder *b, uint32_t first, uint32_t nodes)
{
	uint32_t u, v;

	for (u = first; u < first + nodes; u++)
		for (v = u + 1; v < first + nodes; v++)
			link_add(b, u, v);
}

/* Add the links of a dragonfly (Kim, Dally, Scott & Abts, "Technology-driven, highly-scalable
 * dragonfly topology", 2008). The j-th link that leaves group g starts at node j / h of the group
 * and leads to group g + j + 1, where it is the j-th from last.
 */
static void dragonfly_links(struct builder *b, const struct hc_net_spec *s)
{
	uint32_t a = s->length[0], h = s->length[1], all = groups(s), g, j, to;

	for (g = 0; g < all; g++) {
		full_links(b, g * a, a);
		for (j = 0; j < a * h; j++) {
			to = (g + j + 1) % all;
			if (g < to)
				link_add(b, g * a + j / h, to * a + (a * h - 1 - j) / h);
		}
	}
}

static void links_add(struct builder *b, const struct hc_net_spec *s, uint32_t nodes)
{
	switch (s->kind) {
	case HC_NET_MESH:
	case HC_NET_TORUS:
	case HC_NET_KARY:
		grid_links(b, s, nodes);
		break;
	case HC_NET_RING:
		axis_links(b, nodes, 1, nodes, true);
		break;
	case HC_NET_TREE:
		tree_links(b, s->length[0], nodes);
		break;
	case HC_NET_FULL:
		full_links(b, 0, nodes);
		break;
	case HC_NET_DRAGONFLY:
		dragonfly_links(b, s);
		break;
	}
}

int hc_net_links(const struct hc_net_spec *spec, uint32_t most, uint32_t *nodes,
		 struct hc_edge **links, size_t *n, const char **why)
{
	struct builder b = {};
	unsigned int axis;

	*why = "a length is at least 1";
	for (axis = 0; axis < spec->axes; axis++)
		if (!spec->length[axis])
			return -ERANGE;
	*why = "it has too many nodes";
	*nodes = node_count(spec, most);
	if (!*nodes)
		return -ERANGE;
	*why = "it has no links";
	links_add(&b, spec, *nodes);
	if (b.failed || !b.n)
		free(b.v);
	if (b.failed)
		return -ENOMEM;
	if (!b.n)
		return -ERANGE;
	*links = b.v;
	*n = b.n;
	return 0;
}
