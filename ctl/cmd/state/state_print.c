// SPDX-License-Identifier: GPL-2.0
/*
 * Writing the state of a fabric to a file. Values that are the defaults of a new fabric are left
 * out.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>

#include "state.h"

const char *state_addr(char *buf, const struct nl_addr_in *a)
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(a->family, a->bytes, text, sizeof(text));
	snprintf(buf, STATE_ADDR_BUF, "%s/%u", text, a->prefix);
	return buf;
}

static bool node_is_default(const struct state_node *v)
{
	return !v->failed && !v->up && !v->netns && !v->naddr && v->owner == NL_NONE &&
	       v->mtu == STATE_MTU_DEFAULT && v->queue == STATE_QUEUE_DEFAULT &&
	       !cmd_is_byzantine(&v->byzantine);
}

static void put_number(struct hcctl *h, const char *key, uint64_t v, uint64_t first)
{
	if (v != first)
		out_uint(h, key, NULL, v);
}

static void put_node(struct hcctl *h, uint32_t u, const struct state_node *v)
{
	char buf[STATE_ADDR_BUF];
	size_t i;

	if (node_is_default(v))
		return;
	out_object(h, NULL);
	out_uint(h, "node", NULL, u);
	if (v->failed)
		out_bool(h, "failed", NULL, true);
	if (v->owner != NL_NONE)
		out_uint(h, "owner", NULL, v->owner);
	if (v->byzantine.ppm)
		out_uint(h, "byzantine_ppm", NULL, v->byzantine.ppm);
	if (v->byzantine.n)
		cmd_out_byzantine_at(h, &v->byzantine);
	if (cmd_is_byzantine(&v->byzantine))
		out_uint(h, "byzantine_seed", NULL, v->byzantine.seed);
	if (v->netns)
		out_str(h, "netns", NULL, v->netns);
	if (v->up)
		out_bool(h, "up", NULL, true);
	put_number(h, "mtu", v->mtu, STATE_MTU_DEFAULT);
	put_number(h, "txqueuelen", v->queue, STATE_QUEUE_DEFAULT);
	if (v->naddr)
		out_array(h, "addresses");
	for (i = 0; i < v->naddr; i++)
		out_str(h, NULL, NULL, state_addr(buf, &v->addr[i]));
	if (v->naddr)
		out_close(h);
	out_close(h);
}

static void put_end(struct hcctl *h, const struct state_end *e)
{
	const struct state_number *n;

	for (n = state_numbers; n->key; n++)
		put_number(h, n->key, state_number(e, n), n->first);
}

/* Write a link. If both ends have the same values, it has one entry. Otherwise it has an entry for
 * what both ends have in common, and an entry for each end.
 */
static void put_link(struct hcctl *h, const struct state *s, uint32_t u, uint32_t d)
{
	const struct state_end *near = state_end(s, u, d), *e;
	const struct state_end *far = state_end(s, hc_peer(&s->topo, u, d), d);
	bool alike = state_end_same(near, far) && state_end_same(far, near);
	unsigned int i;

	if (near->down || near->flap_period || (alike && !state_end_is_default(near))) {
		out_object(h, NULL);
		out_uint(h, "node", NULL, u);
		out_uint(h, "dim", NULL, d);
		if (near->down)
			out_bool(h, "down", NULL, true);
		put_number(h, "flap_down_ms", near->flap_down, 0);
		put_number(h, "flap_period_ms", near->flap_period, 0);
		if (alike)
			put_end(h, near);
		out_close(h);
	}
	for (i = 0; i < 2 && !alike; i++) {
		e = i ? far : near;
		if (state_end_is_default(e))
			continue;
		out_object(h, NULL);
		out_uint(h, "node", NULL, i ? hc_peer(&s->topo, u, d) : u);
		out_uint(h, "dim", NULL, d);
		out_bool(h, "one_way", NULL, true);
		put_end(h, e);
		out_close(h);
	}
}

bool state_keeps(const struct nl_plan *v)
{
	return !v->broken && planner_of(v->type);
}

static void put_plan(struct hcctl *h, const struct nl_plan *v)
{
	out_object(h, NULL);
	out_uint(h, "plan", NULL, v->id);
	out_str(h, "type", NULL, planner_of(v->type)->object.name);
	planner_out_shape(h, v);
	out_close(h);
}

/* Write the table of a network. It has a row for each node. For each port, the row has the node at
 * the other end, or the node itself if there is no such port.
 */
static void put_peers(struct hcctl *h, const struct hc_topo *t)
{
	uint32_t u, d;

	out_array(h, "peers");
	for (u = 0; u < t->nodes; u++) {
		out_array(h, NULL);
		for (d = 0; d < t->ports; d++)
			out_uint(h, NULL, NULL, hc_peer(t, u, d));
		out_close(h);
	}
	out_close(h);
}

static void put_all(struct hcctl *h, const struct state *s)
{
	char buf[OUT_BUF];
	uint32_t u, d;
	size_t i;

	out_object(h, NULL);
	out_str(h, "format", NULL, STATE_FORMAT);
	out_uint(h, "version", NULL, STATE_VERSION);
	out_str(h, "name", NULL, s->name);
	if (s->dim)
		out_uint(h, "dim", NULL, s->dim);
	else
		put_peers(h, &s->topo);
	if (*s->shape)
		out_str(h, "shape", NULL, s->shape);
	if (s->fixed)
		out_str(h, "subcube", NULL, cmd_part_text(buf, s->dim, s->fixed, s->base));
	put_number(h, "id", s->id, 0);
	put_number(h, "segment", s->segment, 0);
	out_uint(h, "stall_timeout", NULL, s->stall_timeout);
	out_array(h, "nodes");
	for (u = 0; u < s->topo.nodes; u++)
		put_node(h, u, &s->node[u]);
	out_close(h);
	out_array(h, "links");
	for (u = 0; u < s->topo.nodes; u++)
		for (d = 0; d < s->topo.ports; d++)
			if (state_names(s, u, d))
				put_link(h, s, u, d);
	out_close(h);
	out_array(h, "plans");
	for (i = 0; i < s->nplans; i++)
		if (state_keeps(&s->plan[i]))
			put_plan(h, &s->plan[i]);
	out_close(h);
	out_close(h);
}

void state_print(struct hcctl *h, const struct state *s)
{
	bool json = h->json, pretty = h->pretty, batch = h->batch;

	/* The output is a state file, which is JSON even if the user did not ask for JSON. */
	if (!json) {
		h->json = true;
		h->pretty = true;
		h->batch = false;
	}
	put_all(h, s);
	h->json = json;
	h->pretty = pretty;
	h->batch = batch;
}
