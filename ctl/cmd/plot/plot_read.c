// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: reading plans from files, in the format in which "hcctl -j tree find", "hcctl -j
 * bcast plan" and similar commands print them.
 *
 * The roles of nodes are not read. They are computed from the faults and from the plan's sink and
 * order, or source and sequence.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/json_read.h"
#include "plot.h"

/* A file that is being read. */
struct source {
	const char *file;
	struct json_object *root;	/* the object that the file contains */
	struct plot *p;
	uint8_t *order;			/* the dimensions in the plan's order or sequence */
	unsigned int norder;		/* number of entries of @order */
};

static int bad(struct hcctl *h, const struct source *s, const char *why)
{
	hc_error(h, "invalid plan %s: %s", s->file, why);
	return HC_USAGE;
}

bool plot_json_number(struct json_object *v, uint32_t max, uint32_t *n)
{
	uint64_t number;

	if (!json_number(v, 0, max, &number))
		return false;
	*n = number;
	return true;
}

bool plot_json_member(struct json_object *o, const char *key, uint32_t max, uint32_t *n)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && plot_json_number(v, max, n);
}

struct json_object *plot_json_array(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_array) ?
	       v : NULL;
}

/* Set *@a to the array under key @key, or to NULL if there is no such key. Return: false if the
 * value of the key is not an array.
 */
static bool read_array(const struct source *s, const char *key, struct json_object **a)
{
	*a = plot_json_array(s->root, key);
	return *a || !json_object_object_get_ex(s->root, key, NULL);
}

static bool read_links(const struct source *s, const char *key)
{
	struct json_object *a;
	bool is_array = read_array(s, key, &a);
	size_t i, n = a ? json_object_array_length(a) : 0;
	uint32_t node, dim;

	for (i = 0; i < n; i++) {
		struct json_object *o = json_object_array_get_idx(a, i);

		if (!plot_json_member(o, "node", UINT32_MAX, &node) ||
		    !plot_json_member(o, "dim", UINT32_MAX, &dim) ||
		    hc_faults_link(s->p->faults, node, dim))
			return false;
	}
	return is_array;
}

static bool read_nodes(const struct source *s, const char *key)
{
	struct json_object *a;
	bool is_array = read_array(s, key, &a);
	size_t i, n = a ? json_object_array_length(a) : 0;
	uint32_t node;

	for (i = 0; i < n; i++)
		if (!plot_json_number(json_object_array_get_idx(a, i), UINT32_MAX, &node) ||
		    hc_faults_node(s->p->faults, node))
			return false;
	return is_array;
}

/* Read the list of dimensions under key @key into s->order. */
static bool read_order(struct source *s, const char *key)
{
	struct json_object *a = plot_json_array(s->root, key);
	size_t i, n = a ? json_object_array_length(a) : 0;
	uint32_t d;

	if (!a || n > hc_nodes(s->p->dim) - 1)
		return false;
	s->order = calloc(n + 1, 1);
	for (i = 0; s->order && i < n; i++) {
		if (!plot_json_number(json_object_array_get_idx(a, i), s->p->dim - 1, &d))
			return false;
		s->order[i] = d;
	}
	s->norder = n;
	return s->order;
}

/* Read the node under key @root into *@node, and at most @most dimensions under key @list into
 * s->order.
 */
static int read_shape(struct hcctl *h, struct source *s, const char *root, uint32_t *node,
		      const char *list, size_t most)
{
	char why[64];

	if (!plot_json_member(s->root, root, hc_nodes(s->p->dim) - 1, node)) {
		snprintf(why, sizeof(why), "\"%s\" is no node", root);
		return bad(h, s, why);
	}
	if (!read_order(s, list) || s->norder > most) {
		snprintf(why, sizeof(why), "\"%s\" is no list of dimensions", list);
		return bad(h, s, why);
	}
	return 0;
}

static int read_tree(struct hcctl *h, struct source *s)
{
	const char *why = "it makes no tree";
	struct hc_tree_plan t;
	uint32_t sink;
	int rc = read_shape(h, s, "sink", &sink, "order", s->p->dim);

	if (rc)
		return rc;
	rc = hc_plan_tree_fixed(s->p->faults, sink, s->order, s->norder, &t, &why);
	if (rc)
		return rc == -ENOMEM ? hc_nomem(h) : bad(h, s, why);
	s->p->steps = t.steps;
	rc = plot_set_tree(h, s->p, &t.tree, s->p->faults->fault);
	hc_tree_plan_free(&t);
	return rc;
}

static int read_bcast(struct hcctl *h, struct source *s)
{
	const char *why = "it makes no broadcast";
	struct hc_bcast_plan b;
	uint32_t source;
	int rc = read_shape(h, s, "source", &source, "sequence", SIZE_MAX);

	if (rc)
		return rc;
	rc = hc_plan_bcast_fixed(s->p->faults, source, s->order, s->norder, &b, &why);
	if (rc)
		return rc == -ENOMEM ? hc_nomem(h) : bad(h, s, why);
	rc = plot_set_bcast(h, s->p, &b);
	hc_bcast_plan_free(&b);
	return rc;
}

static int read_doubling(struct hcctl *h, struct source *s)
{
	struct hc_doubling d = { .dim = s->p->dim };
	struct hc_reason reason;
	int rc = read_shape(h, s, "base", &d.base, "order", s->p->dim);

	if (rc)
		return rc;
	d.stages = s->norder;
	memcpy(d.order, s->order, s->norder);
	if (hc_doubling_check(&d, s->p->faults->fault, &reason))
		return bad(h, s, reason.why);
	return plot_set_doubling(h, s->p, &d);
}

/* Read the object under key "parent", which has the parent of each node. up[node] is set to the
 * dimension of the link from the node to its parent.
 */
static bool read_parents(const struct source *s, uint8_t *up)
{
	struct json_object *o;
	uint64_t node;
	uint32_t parent;

	if (!json_object_object_get_ex(s->root, "parent", &o) ||
	    !json_object_is_type(o, json_type_object))
		return false;
	json_object_object_foreach(o, key, v) {
		if (hc_number(key, hc_nodes(s->p->dim) - 1, &node) ||
		    !plot_json_number(v, hc_nodes(s->p->dim) - 1, &parent) ||
		    hc_weight32(node ^ parent) != 1)
			return false;
		up[node] = __builtin_ctz(node ^ parent);
	}
	return true;
}

static int read_balance(struct hcctl *h, struct source *s)
{
	struct hc_balance b = { .dim = s->p->dim };
	struct hc_reason reason;
	struct json_object *v;
	uint32_t u, n = hc_nodes(b.dim);
	uint8_t *up = malloc(n);
	int rc = up ? 0 : hc_nomem(h);

	if (!rc && !plot_json_member(s->root, "depth", n, &b.depth))
		rc = bad(h, s, "\"depth\" is no number of links");
	if (!rc && json_object_object_get_ex(s->root, "subcube", &v))
		rc = cmd_subcube(h, json_object_get_string(v) ?: "", b.dim, &b.dims, &b.base);
	for (u = 0; !rc && u < n; u++)
		up[u] = hc_balance_inside(&b, u) ? HC_BALANCE_ROOT : HC_BALANCE_OUT;
	b.up = up;
	if (!rc && !read_parents(s, up))
		rc = bad(h, s, "\"parent\" does not name neighbours");
	if (!rc && hc_balance_check(&b, s->p->faults->fault, &reason))
		rc = bad(h, s, reason.why);
	if (!rc)
		rc = plot_set_balance(h, s->p, &b);
	free(up);
	return rc;
}

static int read_rings(struct hcctl *h, struct source *s)
{
	const char *why = plot_read_ring(s->root, s->p);

	if (why)
		return bad(h, s, why);
	return plot_set_ring(h, s->p);
}

/* Return: true if the plan is a spanning tree, which has the keys "links" and "sink". A network has
 * "links", too, which are pairs of nodes, but no "sink".
 */
static bool is_span(const struct source *s)
{
	struct json_object *links = plot_json_array(s->root, "links");

	return links && json_object_object_get_ex(s->root, "sink", NULL);
}

static int read_span(struct hcctl *h, struct source *s)
{
	const char *why = plot_read_span(h, s->root, s->p);

	return why ? bad(h, s, why) : 0;
}

/* Read the name of the fabric. A name that is too long is truncated, but not within a character:
 * bytes of the form 10xxxxxx continue a character.
 */
static bool read_name(struct source *s, struct json_object *v)
{
	const char *name = json_object_get_string(v);
	size_t len = name ? strlen(name) : 0;

	if (!json_object_is_type(v, json_type_string))
		return false;
	if (len >= sizeof(s->p->name)) {
		len = sizeof(s->p->name) - 1;
		while (len && (name[len] & 0xc0) == 0x80)
			len--;
	}
	snprintf(s->p->name, sizeof(s->p->name), "%.*s", (int)len, name);
	return true;
}

/* Return: true if a command that prints plans uses the key. Any other key is an error: it may be a
 * misspelt key of faults, and without these faults the picture would be wrong.
 */
static bool is_key(const char *key)
{
	static const char * const keys[] = {
		"adequate", "base", "candidates", "clean_sink", "convergent", "cost", "covered",
		"deliver", "deliver_both_ways", "depth", "detours", "dim", "excluded", "external",
		"extra", "fabric", "fail_links", "fail_nodes", "faults", "faulty",
		"faulty_stages", "graph", "internal", "least_deliver", "least_ports",
		"least_steps", "levels", "links", "longest", "lower_bound", "members", "method",
		"missed", "nodes", "order", "parent", "pieces", "plan", "ports", "pseudo_faulty",
		"reachable", "rings", "sequence", "sink", "source", "steps", "subcube",
		"unreachable", "virtual_nodes", "weight",
	};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(keys[i], key))
			return true;
	return false;
}

static int check_keys(struct hcctl *h, const struct source *s)
{
	char why[96];

	json_object_object_foreach(s->root, key, v) {
		(void)v;
		if (is_key(key))
			continue;
		snprintf(why, sizeof(why), "no plan has a key \"%.48s\"", key);
		return bad(h, s, why);
	}
	return 0;
}

static int read_plan(struct hcctl *h, struct source *s)
{
	bool rings = json_object_object_get_ex(s->root, "rings", NULL);
	struct json_object *v;
	uint32_t dim;

	if (check_keys(h, s))
		return HC_USAGE;
	if (json_object_object_get_ex(s->root, "pieces", NULL))
		return bad(h, s, "it is for all sources; plan for one source");
	if (rings && plot_json_array(s->root, "links"))
		return read_rings(h, s);
	if (is_span(s) && !json_object_object_get_ex(s->root, "dim", NULL))
		return read_span(h, s);
	if (!plot_json_member(s->root, "dim", HC_LIB_DIM_MAX, &dim) || !dim)
		return bad(h, s, "\"dim\" is no dimension from 1 to 16");
	s->p->dim = dim;
	s->p->faults = hc_faults_new(dim);
	if (!s->p->faults)
		return hc_nomem(h);
	if (json_object_object_get_ex(s->root, "fabric", &v) && !read_name(s, v))
		return bad(h, s, "\"fabric\" is no name");
	if (!read_links(s, "fail_links") || !read_nodes(s, "fail_nodes") ||
	    !read_links(s, "faulty"))
		return bad(h, s, "a fault is not in the cube");
	if (rings)
		return read_rings(h, s);
	if (is_span(s))
		return read_span(h, s);
	if (json_object_object_get_ex(s->root, "base", NULL))
		return read_doubling(h, s);
	if (json_object_object_get_ex(s->root, "order", NULL))
		return read_tree(h, s);
	if (json_object_object_get_ex(s->root, "sequence", NULL))
		return read_bcast(h, s);
	if (json_object_object_get_ex(s->root, "parent", NULL))
		return read_balance(h, s);
	return bad(h, s, "neither a tree nor a broadcast, doubling, rings, spanning tree or topology (hcctl -j tree find, bcast plan, doubling plan, ring plan, span plan, balance topology)");
}

int plot_read(struct hcctl *h, const char *file, struct plot *p)
{
	struct source s = { .file = strcmp(file, "-") ? file : "on standard input", .p = p };
	int rc = json_file(h, file, &s.root);

	if (rc)
		return rc;
	if (json_object_is_type(s.root, json_type_object))
		rc = read_plan(h, &s);
	else
		rc = bad(h, &s, "no JSON object");
	free(s.order);
	json_object_put(s.root);
	return rc;
}
