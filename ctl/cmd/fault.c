// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl fault: make random faults, list faults, clear faults.
 *
 * The same seed and the same state of the fabric always give the same faults. The random numbers
 * are those of splitmix64 (Steele, Lea, Flood 2014) with the given seed. To get a number below n,
 * random numbers are skipped until one is less than 2^64 - 2^64 mod n; this one is reduced modulo
 * n. Nodes are drawn first, then links. The candidates are in an array in ascending order. The i-th
 * draw swaps entry i with entry i + r, where r is a random number below the count of entries from i
 * on.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cmd.h"
#include "splitmix.h"

/* Return: a random number below @n. */
static uint64_t below(uint64_t *state, uint64_t n)
{
	uint64_t excess = -n % n, r;

	do
		r = hc_splitmix(state);
	while (r > UINT64_MAX - excess);
	return r % n;
}

/* Draw @wanted of the @n entries of @v at random, and move them to the beginning of @v. */
static void draw(uint64_t *state, struct link_ref *v, size_t n, size_t wanted)
{
	struct link_ref swap;
	size_t i, j;

	for (i = 0; i < wanted; i++) {
		j = i + below(state, n - i);
		swap = v[i];
		v[i] = v[j];
		v[j] = swap;
	}
}

/* Draw @want live nodes into @v, and mark them as failed in @f. */
static int draw_nodes(struct hcctl *h, struct hc_faults *f, uint64_t *state,
		      struct link_ref *v, uint32_t want)
{
	uint32_t u, i;
	size_t n = 0;

	for (u = 0; u < f->topo.nodes; u++)
		if (!hc_set_has(f->dead, u))
			v[n++] = (struct link_ref){ u, 0 };
	if (want > n) {
		hc_error(h, "cannot fail %u nodes: only %zu are alive", want, n);
		return HC_NO;
	}
	draw(state, v, n, want);
	for (i = 0; i < want; i++)
		hc_faults_node(f, v[i].node);
	return 0;
}

/* Draw @want healthy links into @v. */
static int draw_links(struct hcctl *h, struct hc_faults *f, uint64_t *state,
		      struct link_ref *v, uint32_t want)
{
	unsigned int d;
	size_t n = 0;
	uint32_t u;

	for (u = 0; u < f->topo.nodes; u++)
		for (d = 0; d < f->topo.ports; d++)
			if (u < hc_peer(&f->topo, u, d) && !(f->fault[u] & hc_bit(d)))
				v[n++] = (struct link_ref){ u, d };
	if (want > n) {
		hc_error(h, "cannot take %u links down: only %zu are healthy", want, n);
		return HC_NO;
	}
	draw(state, v, n, want);
	return 0;
}

struct random {
	const char *fabric;
	uint32_t links;		/* number of faulty links to make */
	uint32_t nodes;		/* number of nodes to fail */
	uint64_t seed;		/* seed of the random numbers */
	struct link_ref *v;	/* the nodes that were drawn, followed by the links that were drawn
				 */
};

static const struct nl_link_set down = { .set = NL_LINK_BIT(DOWN), .link.down = 1 };
static const struct nl_link_set up = { .set = NL_LINK_BIT(DOWN) };

static int set(struct hcctl *h, const struct random *r, uint32_t i, bool fault)
{
	if (i < r->nodes)
		return nl_node_fail(h, r->fabric, r->v[i].node, fault);
	return nl_link_set(h, r->fabric, r->v[i], fault ? &down : &up);
}

/* Make the faults of @r. If one cannot be made, undo those that were made before it. */
static int make_faults(struct hcctl *h, const struct random *r)
{
	struct hc_where at = { .text = "no faults were made" };
	uint32_t i;
	int rc = 0;

	hc_enter(h, &at);
	for (i = 0; i < r->nodes + r->links; i++) {
		rc = set(h, r, i, true);
		if (rc)
			break;
	}
	hc_leave(h, &at);
	while (rc && i--)
		set(h, r, i, false);
	return rc;
}

static void print_faults(struct hcctl *h, const struct random *r)
{
	uint32_t i;

	out_object(h, NULL);
	out_str(h, "fabric", "%s:", r->fabric);
	out_uint(h, "seed", " seed %" PRIu64, r->seed);
	out_array(h, "nodes");
	for (i = 0; i < r->nodes; i++)
		out_uint(h, NULL, i ? ",%" PRIu64 : " nodes %" PRIu64, r->v[i].node);
	out_close(h);
	out_array(h, "links");
	for (i = r->nodes; i < r->nodes + r->links; i++)
		cmd_out_link(h, NULL, i > r->nodes ? "," : " links ", r->v[i]);
	out_close(h);
	out_text(h, "\n");
	out_close(h);
}

static int draw_all(struct hcctl *h, struct random *r)
{
	uint64_t state = r->seed;
	struct hc_faults *f;
	int rc;

	rc = live_faults(h, r->fabric, &f);
	if (rc)
		return rc;
	/* Memory for the nodes and links that were drawn, followed by all candidates of the next
	 * draw.
	 */
	r->v = calloc(f->topo.nodes * (f->topo.ports + 1), sizeof(*r->v));
	if (!r->v)
		rc = hc_nomem(h);
	if (!rc)
		rc = draw_nodes(h, f, &state, r->v, r->nodes);
	if (!rc)
		rc = draw_links(h, f, &state, r->v + r->nodes, r->links);
	hc_faults_free(f);
	return rc;
}

static int random_faults(struct hcctl *h, int argc, char **argv)
{
	struct random r = { .fabric = hc_take_fabric(h, &argc, &argv) };
	struct arg args[] = {
		{ "links", arg_u32, &r.links },
		{ "nodes", arg_u32, &r.nodes },
		{ "seed", arg_u64, &r.seed, .required = true },
		{}
	};
	int rc;

	if (!r.fabric)
		return HC_USAGE;
	rc = hc_args(h, args, argc, argv);
	if (rc)
		return rc;
	if (!args[0].given && !args[1].given)
		return hc_missing(h, "\"links\" or \"nodes\"");
	rc = draw_all(h, &r);
	if (!rc)
		rc = make_faults(h, &r);
	if (!rc)
		print_faults(h, &r);
	free(r.v);
	return rc;
}

static int clear(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);

	if (!fabric || hc_take_end(h, argc, argv))
		return HC_USAGE;
	return nl_fault_clear(h, fabric);
}

enum { WHAT, NUMBER, STATE };

static const struct out_column columns[] = {
	OUT_LEFT(WHAT),
	OUT_LEFT(NUMBER),
	OUT_LEFT(STATE),
	{}
};

static void show_nodes(struct hcctl *h, const struct nl_node *v, size_t n)
{
	size_t i;

	out_array(h, "nodes");
	for (i = 0; i < n; i++) {
		if (!v[i].failed)
			continue;
		out_cell(h, WHAT);
		out_text(h, "node");
		out_cell(h, NUMBER);
		out_uint(h, NULL, "%" PRIu64, v[i].id);
		out_cell(h, STATE);
		out_color(h, OUT_BAD);
		out_text(h, "failed");
		out_color(h, OUT_PLAIN);
	}
	out_close(h);
}

static int by_end(const void *a, const void *b)
{
	const struct nl_link *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->dim < y->dim ? -1 : x->dim > y->dim;
}

/* Return: the state of link @l at its other end. @v has all link ends, sorted by node and
 * dimension.
 */
static uint32_t far_state(const struct nl_link *v, size_t n, const struct nl_link *l)
{
	const struct nl_link wanted = { .node = l->peer, .dim = l->dim };
	const struct nl_link *there = n ? bsearch(&wanted, v, n, sizeof(*v), by_end) : NULL;

	return there ? there->state : 0;
}

static void show_links(struct hcctl *h, const struct nl_link *v, size_t n)
{
	uint32_t state;
	size_t i;

	out_array(h, "links");
	for (i = 0; i < n; i++) {
		if (v[i].node > v[i].peer)
			continue;
		state = v[i].state;
		/* A link is not listed if it is down only because a node has failed; the node is
		 * listed.
		 */
		state |= far_state(v, n, &v[i]);
		if (!(state & ~HYPERCUBE_LINK_F_FAILED))
			continue;
		out_object(h, NULL);
		out_cell(h, WHAT);
		out_text(h, "link");
		out_number(h, NUMBER, "node", v[i].node);
		out_uint(h, "dim", ":%" PRIu64, v[i].dim);
		out_cell(h, STATE);
		cmd_out_state(h, state);
		out_close(h);
	}
	out_close(h);
}

static int show(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	struct cmd_state s;
	int rc;

	if (!fabric || hc_take_end(h, argc, argv))
		return HC_USAGE;
	rc = cmd_state(h, fabric, &s);
	if (!rc) {
		out_object(h, NULL);
		out_str(h, "fabric", NULL, fabric);
		if (s.info.dim)
			out_uint(h, "dim", NULL, s.info.dim);
		out_table(h, columns);
		show_nodes(h, s.nodes, s.n_nodes);
		show_links(h, s.links, s.n_links);
		out_table_end(h);
		out_close(h);
	}
	cmd_state_free(&s);
	return rc;
}

const struct hc_cmd fault_cmds[] = {
	{ "random", random_faults, "NAME [links N] [nodes N] seed SEED" },
	{ "clear", clear, "NAME" },
	{ "show", show, "NAME" },
	{ "load", cmd_fault_load, "NAME FILE [dry-run]" },
	{}
};
