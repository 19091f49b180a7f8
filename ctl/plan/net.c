// SPDX-License-Identifier: GPL-2.0
/*
 * Networks as tables of peers: see net.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "net.h"

/* Return: the greatest number of links of any node. */
static unsigned int degree(uint32_t nodes, const struct hc_edge *links, size_t n)
{
	uint32_t *count = calloc(nodes, sizeof(*count)), most = 0;
	size_t i;

	for (i = 0; count && i < n; i++) {
		if (++count[links[i].u] > most)
			most = count[links[i].u];
		if (++count[links[i].v] > most)
			most = count[links[i].v];
	}
	free(count);
	return count ? most : UINT32_MAX;
}

/* --- port numbers that follow the axes of a grid --- */

static bool is_grid(const struct hc_net_spec *s)
{
	return s && (s->kind == HC_NET_MESH || s->kind == HC_NET_TORUS || s->kind == HC_NET_KARY);
}

/* Return: number of nodes along @axis of the grid. */
static uint32_t length(const struct hc_net_spec *s, unsigned int axis)
{
	return s->length[s->kind == HC_NET_KARY ? 0 : axis];
}

/* Return: number of axes of the grid. */
static unsigned int axes(const struct hc_net_spec *s)
{
	return s->kind == HC_NET_KARY ? s->length[1] : s->axes;
}

/* Do the links along @axis form rings? An axis of two nodes does not: the link that would close its
 * ring is the link that is there already.
 */
static bool closes(const struct hc_net_spec *s, unsigned int axis)
{
	return s->kind != HC_NET_MESH && length(s, axis) > 2;
}

/* Return: number of ports that the links along @axis take. Consecutive links have two port numbers
 * in turn; a ring of odd length needs a third number for its last link.
 */
static unsigned int axis_ports(const struct hc_net_spec *s, unsigned int axis)
{
	uint32_t len = length(s, axis);

	if (len < 3)
		return len - 1;
	return closes(s, axis) && len % 2 ? 3 : 2;
}

/* Return: number of ports if port numbers follow the axes; 0 if the network is not a grid, or if
 * this takes more ports than @most, the most links of any node.
 */
static unsigned int grid_ports(const struct hc_net_spec *s, unsigned int most)
{
	unsigned int axis, ports = 0;

	for (axis = 0; is_grid(s) && axis < axes(s); axis++)
		ports += axis_ports(s, axis);
	return ports <= most ? ports : 0;
}

/* Number the ports so that the numbers follow the axes. */
static void grid_number(const struct hc_net_spec *s, const struct hc_edge *links, size_t n,
			uint16_t *peer, unsigned int ports)
{
	unsigned int axis, first = 0;
	uint32_t step = 1, a, b, len, d;
	size_t i;

	for (axis = 0; axis < axes(s); axis++, step *= len) {
		len = length(s, axis);
		/* In each link the lower end is the first one. */
		for (i = 0; i < n; i++) {
			a = links[i].u / step % len;
			b = links[i].v / step % len;
			if (a == b)
				continue;
			/* The link that closes a ring has a node in common with the first link,
			 * whose number is 0, and with the last one, whose number is len % 2. So it
			 * gets the lowest number that differs from both.
			 */
			d = first + (b == a + 1 ? a % 2 : 1 + len % 2);
			peer[links[i].u * ports + d] = (uint16_t)links[i].v;
			peer[links[i].v * ports + d] = (uint16_t)links[i].u;
		}
		first += axis_ports(s, axis);
	}
}

/* --- */

/* Complete the table: a port without a link leads back to its own node. */
static void close_table(uint16_t *peer, uint32_t nodes, unsigned int ports)
{
	unsigned int d;
	uint32_t u;

	for (u = 0; u < nodes; u++)
		for (d = 0; d < ports; d++)
			if (peer[u * ports + d] == HC_NET_NONE)
				peer[u * ports + d] = (uint16_t)u;
}

/* Return: a table of peers all of whose entries are HC_NET_NONE; NULL without memory. */
static uint16_t *table(uint32_t nodes, unsigned int ports)
{
	uint16_t *peer = malloc((size_t)nodes * ports * sizeof(*peer));

	if (peer)
		memset(peer, 0xff, (size_t)nodes * ports * sizeof(*peer));
	return peer;
}

/* Number the ports. *peer: set to the table of the node at the other end of each port. @most: the
 * most links of any node. Return: number of ports per node; 0 without memory.
 */
static unsigned int number(const struct hc_net_spec *spec, uint32_t nodes,
			   const struct hc_edge *links, size_t n, unsigned int most,
			   uint16_t **peer)
{
	unsigned int ports = grid_ports(spec, most);

	*peer = table(nodes, ports ? ports : most);
	if (*peer && ports) {
		grid_number(spec, links, n, *peer, ports);
		return ports;
	}
	if (*peer && hc_net_colour_kempe(*peer, most, links, n))
		return most;
	free(*peer);
	*peer = table(nodes, most + 1);
	if (*peer)
		hc_net_colour_vizing(*peer, most + 1, links, n);
	return *peer ? most + 1 : 0;
}

int hc_net_make(const struct hc_net_spec *spec, uint32_t nodes, const struct hc_edge *links,
		size_t n, struct hc_net *net, const char **why)
{
	unsigned int most = degree(nodes, links, n), ports;

	*net = (struct hc_net){};
	*why = "a node would need more than 16 ports";
	if (most == UINT32_MAX)
		return -ENOMEM;
	if (most > HC_PORTS_MAX)
		return -E2BIG;
	ports = number(spec, nodes, links, n, most ? most : 1, &net->peer);
	if (!ports)
		return -ENOMEM;
	if (ports > HC_PORTS_MAX) {
		hc_net_free(net);
		return -E2BIG;
	}
	close_table(net->peer, nodes, ports);
	net->topo = (struct hc_topo){ .nodes = nodes, .ports = ports, .peers = net->peer };
	return 0;
}

void hc_net_free(struct hc_net *net)
{
	free(net->peer);
	*net = (struct hc_net){};
}
