// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl route: the paths of frames, and how much longer they are than the shortest paths.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"

#define UNREACHED UINT32_MAX

/* Return: the distance of each node from @src, on paths around the faults, to be freed; NULL if
 * there is no memory.
 */
static uint32_t *distances(const struct hc_faults *f, uint32_t src)
{
	uint32_t n = f->topo.nodes, head = 0, tail = 0, u, v;
	uint32_t *dist = malloc(2 * n * sizeof(*dist)), *queue = dist + n;
	unsigned int d;

	if (!dist)
		return NULL;
	for (u = 0; u < n; u++)
		dist[u] = UNREACHED;
	dist[src] = 0;
	queue[tail++] = src;
	while (head < tail) {
		u = queue[head++];
		for (d = 0; d < f->topo.ports; d++) {
			v = hc_peer(&f->topo, u, d);
			if (f->fault[u] & hc_bit(d) || dist[v] != UNREACHED)
				continue;
			dist[v] = dist[u] + 1;
			queue[tail++] = v;
		}
	}
	return dist;
}

enum { SRC, DST, HOPS, LEAST, PATH };

static const struct out_column columns[] = {
	OUT_RIGHT(SRC),
	OUT_RIGHT(DST),
	OUT_RIGHT(HOPS),
	OUT_RIGHT(LEAST),
	OUT_LEFT(PATH),
	{}
};

static int show_one(struct hcctl *h, const char *fabric, const struct hc_topo *topo,
		    uint32_t src, uint32_t dst, uint32_t optimum)
{
	struct nl_route r = {};
	char text[OUT_BUF];
	struct hc_where at = { .text = text };
	int rc;

	snprintf(text, sizeof(text), "from %u to %u", src, dst);
	hc_enter(h, &at);
	rc = nl_route(h, fabric, src, dst, &r);
	hc_leave(h, &at);
	if (rc && rc != -ENOLINK)
		return rc;
	out_object(h, NULL);
	out_number(h, SRC, "src", src);
	out_number(h, DST, "dst", dst);
	out_bool(h, "reached", NULL, !rc);
	out_bool(h, "reachable", NULL, optimum != UNREACHED);
	out_cell(h, PATH);
	if (!rc) {
		cmd_out_path(h, topo, "path", "%" PRIu64, src, r.dim, r.hops);
		out_number(h, HOPS, "hops", r.hops);
	} else {
		out_color(h, OUT_BAD);
		out_text(h, "no healthy path");
		out_color(h, OUT_PLAIN);
	}
	out_cell(h, LEAST);
	if (optimum != UNREACHED)
		out_uint(h, "optimum", "%" PRIu64, optimum);
	out_close(h);
	free(r.dim);
	return 0;
}

/* Return: true if the node is on this machine. The kernel finds paths only between nodes of this
 * machine.
 */
static bool is_here(const struct nl_fabric *info, uint32_t u)
{
	return cmd_is_here(u, info->subcube_mask, info->subcube_value);
}

static int show_from(struct hcctl *h, const struct nl_fabric *info, const struct hc_faults *f,
		     uint32_t src, uint32_t dst)
{
	uint32_t *dist = distances(f, src), v;
	int rc = dist ? 0 : hc_nomem(h);

	for (v = 0; v < f->topo.nodes && !rc; v++)
		if (dst == NL_NONE ? v != src && is_here(info, v) : v == dst)
			rc = show_one(h, info->name, &f->topo, src, v, dist[v]);
	free(dist);
	return rc;
}

static bool failed(const struct hc_faults *f, uint32_t u)
{
	return f->dead[u / 32] >> (u % 32) & 1;
}

static int check_node(struct hcctl *h, const struct hc_faults *f, uint32_t node)
{
	if (node == NL_NONE || node < f->topo.nodes)
		return 0;
	hc_error(h, "invalid node \"%u\": the fabric has nodes 0 to %u", node,
		 f->topo.nodes - 1);
	return HC_USAGE;
}

static int show(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	uint32_t src = NL_NONE, dst = NL_NONE, u;
	struct nl_fabric info;
	struct hc_faults *f;
	int rc;

	if (!fabric || cmd_take_node(h, &argc, &argv, &src) ||
	    cmd_take_node(h, &argc, &argv, &dst) || hc_take_end(h, argc, argv))
		return HC_USAGE;
	rc = nl_fabric(h, fabric, &info) ?: live_faults(h, fabric, &f);
	if (rc)
		return rc;
	rc = check_node(h, f, src) ?: check_node(h, f, dst);
	if (!rc) {
		out_table(h, columns);
		out_array(h, NULL);
	}
	for (u = 0; u < f->topo.nodes && !rc; u++)
		if (src == NL_NONE ? !failed(f, u) && is_here(&info, u) : u == src)
			rc = show_from(h, &info, f, u, dst);
	if (!rc) {
		out_table_end(h);
		out_close(h);
	}
	hc_faults_free(f);
	return rc;
}

const struct hc_cmd route_cmds[] = {
	{ "show", show, "NAME [SRC [DST]]" },
	{}
};
