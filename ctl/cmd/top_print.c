// SPDX-License-Identifier: GPL-2.0
/*
 * Printing the difference between two samples of a fabric: the rates of links and nodes, the
 * busiest first; operations; and what each member waits for. JSON has all links and nodes that are
 * not idle.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "top.h"

/* Rates of a link end or of a node, per second. For a node, @frames are those that entered by its
 * host port, @bytes those that it has merged, and @replays is 0.
 */
struct rate {
	size_t i;		/* index of the link end or node in the samples */
	uint64_t frames;
	uint64_t bytes;
	uint64_t drops;
	uint64_t replays;
};

/* Rates of all link ends or nodes that are not idle, and their sum. */
struct rates {
	struct rate *v;
	size_t n;
	struct rate sum;
};

/* Return: by how much a counter increases per second. If it has become smaller, the two samples are
 * of different fabrics of the same name, and the rate is 0.
 */
static uint64_t per_second(const struct top_view *v, uint64_t before, uint64_t now)
{
	uint64_t ns = v->now->at - v->before->at;

	return now > before && ns ? (double)(now - before) * 1e9 / ns + .5 : 0;
}

static uint64_t drops_of(const uint64_t *drops)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < NL_DROPS; i++)
		sum += drops[i];
	return sum;
}

/* Counters of a link end or of a node in a sample. */
struct count {
	uint64_t frames;
	uint64_t bytes;
	const uint64_t *drops;
	uint64_t replays;
};

static struct count link_count(const struct nl_link *v)
{
	return (struct count){ v->tx_frames, v->tx_bytes, v->drops, v->replays };
}

static struct count node_count(const struct nl_node *v)
{
	return (struct count){ v->host_frames, v->merged_bytes, v->drops, 0 };
}

/* Add the rates of a link end or node to r->sum, and if it is not idle, also to r->v. @i: its index
 * in both samples.
 */
static void add(const struct top_view *v, struct rates *r, size_t i, struct count before,
		struct count now)
{
	const struct rate one = {
		i, per_second(v, before.frames, now.frames),
		per_second(v, before.bytes, now.bytes),
		per_second(v, drops_of(before.drops), drops_of(now.drops)),
		per_second(v, before.replays, now.replays),
	};

	r->sum.frames += one.frames;
	r->sum.bytes += one.bytes;
	r->sum.drops += one.drops;
	r->sum.replays += one.replays;
	if (one.frames || one.bytes || one.drops || one.replays)
		r->v[r->n++] = one;
}

static void link_rates(const struct top_view *v, struct rates *r)
{
	const struct cmd_state *a = &v->before->state, *b = &v->now->state;
	size_t i;

	for (i = 0; i < b->n_links && i < a->n_links; i++)
		add(v, r, i, link_count(&a->links[i]), link_count(&b->links[i]));
}

static void node_rates(const struct top_view *v, struct rates *r)
{
	const struct cmd_state *a = &v->before->state, *b = &v->now->state;
	size_t i;

	for (i = 0; i < b->n_nodes && i < a->n_nodes; i++)
		add(v, r, i, node_count(&a->nodes[i]), node_count(&b->nodes[i]));
}

static int busier(const void *a, const void *b)
{
	const struct rate *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->frames != y->frames)
		return x->frames > y->frames ? -1 : 1;
	if (x->drops != y->drops)
		return x->drops > y->drops ? -1 : 1;
	return x->i < y->i ? -1 : 1;
}

/* --- totals --- */

static void put_totals(struct hcctl *h, const struct top_view *v, const struct rates *links,
		       const struct rates *nodes)
{
	const struct nl_fabric *f = &v->now->state.info;
	uint64_t ns = v->now->at - v->before->at;
	char buf[OUT_BUF];

	out_str(h, "fabric", "fabric %s:", f->name);
	cmd_out_network(h, f);
	out_uint(h, "links_down", ", links down %" PRIu64, f->links_down);
	out_uint(h, "nodes_failed", ", nodes failed %" PRIu64, f->nodes_failed);
	out_uint(h, "interval_ns", NULL, ns);
	out_text(h, ", in %s\n", out_time(buf, ns));
	out_uint(h, "frames_per_second", "links: %" PRIu64 " frames/s", links->sum.frames);
	out_uint(h, "bytes_per_second", ", %" PRIu64 " bytes/s", links->sum.bytes);
	out_uint(h, "replays_per_second", ", %" PRIu64 " replays/s", links->sum.replays);
	out_uint(h, "host_frames_per_second", "; nodes: %" PRIu64 " frames/s from processes",
		 nodes->sum.frames);
	out_uint(h, "merged_bytes_per_second", ", %" PRIu64 " bytes/s merged", nodes->sum.bytes);
	out_uint(h, "drops_per_second", "; dropped %" PRIu64 "/s\n",
		 links->sum.drops + nodes->sum.drops);
}

/* --- links and nodes --- */

static void put_link(struct hcctl *h, const struct nl_link *l, const struct rate *r)
{
	char text[32];

	out_object(h, NULL);
	snprintf(text, sizeof(text), "%u:%u > %u", l->node, l->dim, l->peer);
	out_text(h, "  %-16s", text);
	out_uint(h, "node", NULL, l->node);
	out_uint(h, "dim", NULL, l->dim);
	out_uint(h, "frames_per_second", " %12" PRIu64, r->frames);
	out_uint(h, "bytes_per_second", " %14" PRIu64, r->bytes);
	out_uint(h, "replays_per_second", " %9" PRIu64, r->replays);
	out_uint(h, "drops_per_second", " %10" PRIu64, r->drops);
	out_uint(h, "queued_frames", " %8" PRIu64 " ", l->queued);
	cmd_out_state(h, l->state);
	out_text(h, "\n");
	out_close(h);
}

static void put_links(struct hcctl *h, const struct top_view *v, const struct rates *r)
{
	size_t i;

	out_text(h, "  %-16s %12s %14s %9s %10s %8s %s\n", "LINK", "FRAMES/S", "BYTES/S",
		 "REPLAYS/S", "DROPS/S", "QUEUED", "STATE");
	out_array(h, "links");
	for (i = 0; i < r->n && (h->json || i < v->rows); i++)
		put_link(h, &v->now->state.links[r->v[i].i], &r->v[i]);
	out_close(h);
}

static void put_nodes(struct hcctl *h, const struct top_view *v, const struct rates *r)
{
	const struct nl_node *n;
	size_t i;

	out_text(h, "  %-16s %12s %14s %10s\n", "NODE", "FROM HOST/S", "MERGED B/S", "DROPS/S");
	out_array(h, "nodes");
	for (i = 0; i < r->n && (h->json || i < v->rows); i++) {
		n = &v->now->state.nodes[r->v[i].i];
		out_object(h, NULL);
		out_uint(h, "node", "  %-16" PRIu64, n->id);
		out_uint(h, "host_frames_per_second", " %12" PRIu64, r->v[i].frames);
		out_uint(h, "merged_bytes_per_second", " %14" PRIu64, r->v[i].bytes);
		out_uint(h, "drops_per_second", " %10" PRIu64 "\n", r->v[i].drops);
		out_close(h);
	}
	out_close(h);
}

/* --- operations --- */

/* Return: the number of operations of the plan of @plan that at least one member knows to be
 * complete.
 */
static uint64_t done_of(const struct top_sample *s, const struct nl_op *plan)
{
	uint64_t done = 0;
	size_t i;

	for (i = 0; i < s->nops; i++)
		if (s->ops[i].plan == plan->plan && s->ops[i].epoch == plan->epoch &&
		    s->ops[i].done > done)
			done = s->ops[i].done;
	return done;
}

/* Return: true if s->ops[i] is the first entry of its plan in the sample. */
static bool is_first(const struct top_sample *s, size_t i)
{
	size_t j = 0;

	while (s->ops[j].plan != s->ops[i].plan || s->ops[j].epoch != s->ops[i].epoch)
		j++;
	return j == i;
}

static void put_plan(struct hcctl *h, const struct top_view *v, const struct nl_op *plan)
{
	const struct top_sample *s = v->now;
	uint64_t waiting = 0, members = 0;
	size_t i;

	for (i = 0; i < s->nops; i++)
		if (s->ops[i].plan == plan->plan && s->ops[i].epoch == plan->epoch) {
			members++;
			waiting += s->ops[i].wait != HYPERCUBE_WAIT_NOTHING;
		}
	out_object(h, NULL);
	out_uint(h, "plan", "  plan %" PRIu64, plan->plan);
	out_uint(h, "operations_per_second", ": %" PRIu64 " operations/s",
		 per_second(v, done_of(v->before, plan), done_of(s, plan)));
	out_uint(h, "waiting", ", %" PRIu64, waiting);
	out_uint(h, "members", " of %" PRIu64 " members wait\n", members);
	out_close(h);
}

/* Compare two members. A member that has waited longer comes before one that has waited for a
 * shorter time.
 */
static int longer(const void *a, const void *b)
{
	const struct nl_op *x = *(const struct nl_op * const *)a;
	const struct nl_op *y = *(const struct nl_op * const *)b;

	if (x->since != y->since)
		return x->since > y->since ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static int put_waits(struct hcctl *h, const struct top_view *v)
{
	const struct nl_op **w = calloc(v->now->nops + 1, sizeof(*w));
	size_t n = 0, i;

	if (!w)
		return hc_nomem(h);
	for (i = 0; i < v->now->nops; i++)
		if (v->now->ops[i].wait != HYPERCUBE_WAIT_NOTHING)
			w[n++] = &v->now->ops[i];
	qsort(w, n, sizeof(*w), longer);
	out_array(h, "waiting");
	for (i = 0; i < n && (h->json || i < v->rows); i++)
		cmd_out_wait(h, w[i], true);
	out_close(h);
	free(w);
	return 0;
}

static int put_ops(struct hcctl *h, const struct top_view *v)
{
	size_t i, n = 0;

	out_text(h, "  OPERATIONS\n");
	out_array(h, "plans");
	for (i = 0; i < v->now->nops && (h->json || n < v->rows); i++)
		if (is_first(v->now, i)) {
			put_plan(h, v, &v->now->ops[i]);
			n++;
		}
	out_close(h);
	return put_waits(h, v);
}

int top_print(struct hcctl *h, const struct top_view *v)
{
	struct rates links = { .v = calloc(v->now->state.n_links + 1, sizeof(struct rate)) };
	struct rates nodes = { .v = calloc(v->now->state.n_nodes + 1, sizeof(struct rate)) };
	int rc = links.v && nodes.v ? 0 : hc_nomem(h);

	if (!rc) {
		link_rates(v, &links);
		node_rates(v, &nodes);
		qsort(links.v, links.n, sizeof(*links.v), busier);
		qsort(nodes.v, nodes.n, sizeof(*nodes.v), busier);
		out_object(h, NULL);
		put_totals(h, v, &links, &nodes);
		put_links(h, v, &links);
		put_nodes(h, v, &nodes);
		rc = put_ops(h, v);
		if (rc)
			out_reset(h);
		else
			out_close(h);
	}
	free(links.v);
	free(nodes.v);
	return rc;
}
