// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing of the command line: tables of keywords, values, and uniform error messages.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hcctl.h"

static const char *hint(const struct hcctl *h)
{
	static char buf[64];

	if (!h->object)
		return "hcctl help";
	snprintf(buf, sizeof(buf), "hcctl %s help", h->object);
	return buf;
}

int hc_unknown(struct hcctl *h, const char *word)
{
	hc_error(h, "what is \"%s\"? try: %s", word, hint(h));
	return HC_USAGE;
}

int hc_missing(struct hcctl *h, const char *what)
{
	hc_error(h, "missing %s; try: %s", what, hint(h));
	return HC_USAGE;
}

int hc_duplicate(struct hcctl *h, const char *what)
{
	hc_error(h, "\"%s\" is given twice; try: %s", what, hint(h));
	return HC_USAGE;
}

int hc_invalid(struct hcctl *h, const char *what, const char *word, const char *wanted)
{
	/* Print at most this many bytes of the word, because a word from a file may have any
	 * length.
	 */
	const int most = 200;

	hc_error(h, "invalid %s \"%.*s%s\": %s", what, most, word,
		 strlen(word) > (size_t)most ? ".." : "", wanted);
	return HC_USAGE;
}

static struct arg *find(struct arg *args, const char *word)
{
	for (; args->name; args++)
		if (!strcmp(args->name, word))
			return args;
	return NULL;
}

int hc_args(struct hcctl *h, struct arg *args, int argc, char **argv)
{
	struct arg *a;
	char what[64];
	int rc;

	for (; argc; argc--, argv++) {
		a = find(args, *argv);
		if (!a)
			return hc_unknown(h, *argv);
		if (a->given && !a->many)
			return hc_duplicate(h, a->name);
		a->given = true;
		if (!a->parse) {
			*(bool *)a->dst = true;
			continue;
		}
		if (argc == 1) {
			snprintf(what, sizeof(what), "value after \"%s\"", a->name);
			return hc_missing(h, what);
		}
		argc--;
		rc = a->parse(h, a->name, *++argv, a->dst);
		if (rc)
			return rc;
	}
	for (a = args; a->name; a++)
		if (a->required && !a->given) {
			snprintf(what, sizeof(what), "\"%s\"", a->name);
			return hc_missing(h, what);
		}
	return 0;
}

const char *hc_take(struct hcctl *h, const char *what, int *argc, char ***argv)
{
	if (!*argc) {
		hc_missing(h, what);
		return NULL;
	}
	--*argc;
	return *(*argv)++;
}

const char *hc_take_fabric(struct hcctl *h, int *argc, char ***argv)
{
	const char *word = hc_take(h, "NAME of a fabric", argc, argv);

	if (word && arg_fabric(h, "fabric name", word, &word))
		return NULL;
	return word;
}

int hc_take_end(struct hcctl *h, int argc, char **argv)
{
	return argc ? hc_unknown(h, *argv) : 0;
}

int hc_number(const char *word, uint64_t max, uint64_t *v)
{
	unsigned int base = 10, digit;
	uint64_t value = 0;

	if (word[0] == '0' && (word[1] == 'x' || word[1] == 'b')) {
		base = word[1] == 'x' ? 16 : 2;
		word += 2;
	}
	if (!*word)
		return -EINVAL;
	for (; *word; word++) {
		if (isdigit((unsigned char)*word))
			digit = *word - '0';
		else if (isxdigit((unsigned char)*word))
			digit = tolower((unsigned char)*word) - 'a' + 10;
		else
			return -EINVAL;
		if (digit >= base)
			return -EINVAL;
		if (value > (UINT64_MAX - digit) / base)
			return -ERANGE;
		value = value * base + digit;
	}
	if (value > max)
		return -ERANGE;
	*v = value;
	return 0;
}

static int number(struct hcctl *h, const char *name, const char *word, uint64_t max,
		  uint64_t *v)
{
	char wanted[OUT_BUF];

	switch (hc_number(word, max, v)) {
	case 0:
		return 0;
	case -ERANGE:
		snprintf(wanted, sizeof(wanted), "at most %" PRIu64 " is wanted", max);
		return hc_invalid(h, name, word, wanted);
	}
	return hc_invalid(h, name, word, "not a number (12, 0xc, 0b1100)");
}

int arg_u64(struct hcctl *h, const char *name, const char *word, void *dst)
{
	return number(h, name, word, UINT64_MAX, dst);
}

int arg_u32(struct hcctl *h, const char *name, const char *word, void *dst)
{
	uint64_t v;
	int rc = number(h, name, word, UINT32_MAX, &v);

	if (!rc)
		*(uint32_t *)dst = v;
	return rc;
}

int arg_count(struct hcctl *h, const char *name, const char *word, void *dst)
{
	int rc = arg_u32(h, name, word, dst);

	if (!rc && !*(uint32_t *)dst)
		return hc_invalid(h, name, word, "at least 1 is wanted");
	return rc;
}

int arg_str(struct hcctl *h, const char *name, const char *word, void *dst)
{
	(void)h;
	(void)name;
	*(const char **)dst = word;
	return 0;
}

int arg_fabric(struct hcctl *h, const char *name, const char *word, void *dst)
{
	if (!*word || strlen(word) >= HYPERCUBE_NAME_MAX)
		return hc_invalid(h, name, word, "1 to 10 characters are wanted");
	*(const char **)dst = word;
	return 0;
}

int arg_dim(struct hcctl *h, const char *name, const char *word, void *dst)
{
	uint64_t v;

	if (hc_number(word, HC_LIB_DIM_MAX, &v) || !v)
		return hc_invalid(h, name, word, "a dimension from 1 to 16 is wanted");
	*(uint32_t *)dst = v;
	return 0;
}

int arg_node(struct hcctl *h, const char *name, const char *word, void *dst)
{
	uint64_t v;

	if (hc_number(word, hc_nodes(HC_LIB_DIM_MAX) - 1, &v))
		return hc_invalid(h, name, word,
				  "a node number from 0 to 65535 is wanted (5, 0x5, 0b101)");
	*(uint32_t *)dst = v;
	return 0;
}

/* Call @each for every item of the comma-separated list @word. @each adds the item to @dst. */
static int list(struct hcctl *h, const char *name, const char *word, void *dst,
		int (*each)(struct hcctl *h, const char *name, char *item, void *dst))
{
	char *copy = strdup(word), *rest = copy, *item;
	int rc = 0;

	if (!copy)
		return hc_nomem(h);
	while (!rc && (item = strsep(&rest, ",")))
		rc = each(h, name, item, dst);
	free(copy);
	return rc;
}

/* --- lists of nodes and links: "5", "0-7", "all" --- */

/* Maximum number of elements of a list. */
#define LIST_MAX (1 << 22)

/* The first and the last number of a range such as "2-5". In the range of a single number, they are
 * equal.
 */
struct range {
	uint64_t first, last;
};

/* Parse @word, a number or a range, into @r. Its numbers must not exceed @max. Modifies @word
 * temporarily.
 */
static int range(char *word, uint64_t max, struct range *r)
{
	char *dash = strchr(word, '-');
	int rc;

	if (dash)
		*dash = 0;
	rc = hc_number(word, max, &r->first);
	r->last = r->first;
	if (dash) {
		*dash = '-';
		rc = rc ?: hc_number(dash + 1, max, &r->last);
	}
	return rc ?: r->last < r->first ? -EINVAL : 0;
}

static int too_many(struct hcctl *h, const char *name, const char *item)
{
	return hc_invalid(h, name, item, "these are too many");
}

static int add_node(struct hcctl *h, const char *name, char *item, void *dst)
{
	static const char wanted[] =
		"a node number from 0 to 65535 is wanted (5, 0x5, 0b101), a range (0-7) or all";
	struct range r = { NODE_ALL, NODE_ALL };
	struct node_list *l = dst;
	uint32_t *v;

	if (strcmp(item, "all") && range(item, hc_nodes(HC_LIB_DIM_MAX) - 1, &r))
		return hc_invalid(h, name, item, wanted);
	if (l->n + r.last - r.first >= LIST_MAX)
		return too_many(h, name, item);
	v = reallocarray(l->v, l->n + r.last - r.first + 1, sizeof(*v));
	if (!v)
		return hc_nomem(h);
	l->v = v;
	for (; r.first <= r.last; r.first++)
		v[l->n++] = r.first;
	return 0;
}

int arg_nodes(struct hcctl *h, const char *name, const char *word, void *dst)
{
	return list(h, name, word, dst, add_node);
}

/* Parse NODE:DIM into ranges of nodes and dimensions. NODE and DIM may be a number, a range or
 * "all". NODE without DIM stands for all links of the node.
 */
static int node_and_dim(char *item, struct range *node, struct range *dim)
{
	char *colon = strchr(item, ':');
	int rc = 0;

	*node = (struct range){ NODE_ALL, NODE_ALL };
	*dim = (struct range){ LINK_ALL, LINK_ALL };
	if (colon)
		*colon = 0;
	if (strcmp(item, "all"))
		rc = range(item, hc_nodes(HC_LIB_DIM_MAX) - 1, node);
	if (!colon)
		return rc;
	if (!rc && strcmp(colon + 1, "all"))
		rc = range(colon + 1, HC_LIB_DIM_MAX - 1, dim);
	*colon = ':';
	return rc;
}

/* Parse NODE--NODE, the form of an edge in DOT; @dash points to its dashes. @node is set to the
 * first node, and @dim to LINK_TO() of the second one.
 */
static int ends_of(char *item, char *dash, struct range *node, struct range *dim)
{
	int rc;

	*dash = 0;
	rc = hc_number(item, hc_nodes(HC_LIB_DIM_MAX) - 1, &node->first) ?:
	     hc_number(dash + 2, hc_nodes(HC_LIB_DIM_MAX) - 1, &dim->first);
	*dash = '-';
	dim->first = LINK_TO(dim->first);
	dim->last = dim->first;
	node->last = node->first;
	return rc;
}

/* Add the links of @item to the list @dst. @item is NODE:DIM, NODE--NODE, or NODE, which stands for
 * all links of the node.
 */
static int add_link(struct hcctl *h, const char *name, char *item, void *dst)
{
	static const char wanted[] =
		"a link is NODE:DIM, as in 5:0 or 0b101:0, or NODE--NODE; NODE is all its links; "
		"to 65535:15; 0-7 is a range, and all are all";
	char *dash = strstr(item, "--");
	struct range node, dim;
	struct link_list *l = dst;
	struct link_ref *v;
	uint64_t n, d;

	if (dash ? ends_of(item, dash, &node, &dim) : node_and_dim(item, &node, &dim))
		return hc_invalid(h, name, item, wanted);
	n = (node.last - node.first + 1) * (dim.last - dim.first + 1);
	if (l->n + n > LIST_MAX)
		return too_many(h, name, item);
	v = reallocarray(l->v, l->n + n, sizeof(*v));
	if (!v)
		return hc_nomem(h);
	l->v = v;
	for (; node.first <= node.last; node.first++)
		for (d = dim.first; d <= dim.last; d++)
			v[l->n++] = (struct link_ref){ node.first, d };
	return 0;
}

int arg_links(struct hcctl *h, const char *name, const char *word, void *dst)
{
	return list(h, name, word, dst, add_link);
}

/* Return: true if node @u is on this machine. */
static bool is_here(const struct hc_extent *c, uint32_t u)
{
	return (u & c->fixed) == c->base;
}

int hc_nodes_each(struct hcctl *h, struct node_list *l, const struct hc_extent *c)
{
	size_t n = 0, all = 0, i;
	uint32_t *v, u;

	for (i = 0; i < l->n; i++)
		all += l->v[i] == NODE_ALL;
	if (!all)
		return 0;
	v = reallocarray(NULL, l->n + all * c->topo.nodes, sizeof(*v));
	if (!v)
		return hc_nomem(h);
	for (i = 0; i < l->n; i++) {
		if (l->v[i] != NODE_ALL)
			v[n++] = l->v[i];
		else
			for (u = 0; u < c->topo.nodes; u++)
				if (is_here(c, u))
					v[n++] = u;
	}
	free(l->v);
	*l = (struct node_list){ v, n };
	return 0;
}

/* Return: true if "all links" includes link (@u, @d) at node @u, which is on this machine. A link
 * is included once: at its lower node, or if only one of its nodes is on this machine, at that
 * node. If c->both_ends, it is included at each of its nodes on this machine.
 */
static bool names_link(const struct hc_extent *c, uint32_t u, uint32_t d)
{
	uint32_t v = hc_peer(&c->topo, u, d);

	return u != v && (c->both_ends || u < v || !is_here(c, v));
}

/* Write the links of node @l.node that @l stands for into @v. @all: the user named all nodes, so
 * leave out each link that "all links" does not include at this node. Return: the number of links.
 */
static size_t each_dim(const struct hc_extent *c, bool all, struct link_ref l, struct link_ref *v)
{
	uint32_t d = l.dim == LINK_ALL ? 0 : l.dim;
	uint32_t end = l.dim == LINK_ALL ? c->topo.ports : d + 1;
	size_t n = 0;

	for (; d < end; d++)
		if (l.node >= c->topo.nodes || d >= c->topo.ports ||
		    (all ? names_link(c, l.node, d) :
			   l.dim != LINK_ALL || hc_port_exists(&c->topo, l.node, d)))
			v[n++] = (struct link_ref){ l.node, d };
	return n;
}

/* Write the links that @l stands for into @v; @l may stand for links of one node or of all nodes.
 * Return: the number of links.
 */
static size_t each_node(const struct hc_extent *c, struct link_ref l, struct link_ref *v)
{
	size_t n = 0;
	uint32_t u;

	if (l.node != NODE_ALL)
		return each_dim(c, false, l, v);
	for (u = 0; u < c->topo.nodes; u++)
		if (is_here(c, u))
			n += each_dim(c, true, (struct link_ref){ u, l.dim }, v + n);
	return n;
}

/* Replace LINK_TO() by the dimension of the link, in the links that the user wrote as NODE--NODE.
 */
static int number_links(struct hcctl *h, const struct hc_topo *t, struct link_list *l)
{
	uint32_t v, port;
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (l->v[i].dim == LINK_ALL || l->v[i].dim < LINK_TO(0))
			continue;
		v = l->v[i].dim - LINK_TO(0);
		port = l->v[i].node < t->nodes && v < t->nodes ?
		       hc_port_to(t, l->v[i].node, v) : HC_NO_PORT;
		if (port == HC_NO_PORT) {
			hc_error(h, "no link joins nodes %u and %u", l->v[i].node, v);
			return HC_NO;
		}
		l->v[i].dim = port;
	}
	return 0;
}

int hc_links_each(struct hcctl *h, struct link_list *l, const struct hc_extent *c)
{
	struct link_ref *v;
	size_t n = 0, i;

	if (number_links(h, &c->topo, l))
		return HC_NO;
	for (i = 0; i < l->n; i++)
		n += (l->v[i].node == NODE_ALL ? c->topo.nodes : 1) *
		     (l->v[i].dim == LINK_ALL ? c->topo.ports : 1);
	v = reallocarray(NULL, n + 1, sizeof(*v));
	if (!v)
		return hc_nomem(h);
	for (i = 0, n = 0; i < l->n; i++)
		n += each_node(c, l->v[i], v + n);
	free(l->v);
	*l = (struct link_list){ v, n };
	return 0;
}

int arg_choice(struct hcctl *h, const char *name, const char *word, void *dst)
{
	struct arg_choice *c = dst;
	char wanted[128] = "";
	size_t len = 0;
	unsigned int i;

	for (i = 0; c->words[i]; i++)
		if (!strcmp(c->words[i], word)) {
			c->v = i;
			return 0;
		}
	for (i = 0; c->words[i] && len < sizeof(wanted); i++)
		len += snprintf(wanted + len, sizeof(wanted) - len, "%s%s",
				!i ? "" : c->words[i + 1] ? ", " : " or ", c->words[i]);
	if (len < sizeof(wanted))
		snprintf(wanted + len, sizeof(wanted) - len, " is wanted");
	return hc_invalid(h, name, word, wanted);
}

/* Parse a decimal number that is not negative. Return: the text that follows the number, or NULL.
 */
static const char *decimal(const char *word, double *v)
{
	char *end;

	if (!isdigit((unsigned char)*word) && *word != '.')
		return NULL;
	if (word[0] == '0' && (word[1] == 'x' || word[1] == 'X'))
		return NULL;
	*v = strtod(word, &end);
	return end == word || !isfinite(*v) ? NULL : end;
}

int arg_percent(struct hcctl *h, const char *name, const char *word, void *dst)
{
	const char *unit;
	double v;

	unit = decimal(word, &v);
	if (!unit || v > 100 || (*unit && strcmp(unit, "%")))
		return hc_invalid(h, name, word, "a percentage up to 100% is wanted, as in 3% or 0.5%");
	*(uint32_t *)dst = lround(v * 1e4);
	if (v && !*(uint32_t *)dst)
		return hc_invalid(h, name, word, "the least is 0.0001%");
	return 0;
}

/* A suffix of a value, such as "ms", and the factor by which the number before it is multiplied. */
struct unit {
	const char *name;
	double factor;
};

static int with_unit(const char *word, const struct unit *units, uint64_t *dst)
{
	const char *rest;
	double v;

	rest = decimal(word, &v);
	if (!rest)
		return -EINVAL;
	if (!*rest && !v) {
		*dst = 0;
		return 0;
	}
	for (; units->name; units++)
		if (!strcasecmp(units->name, rest))
			break;
	v *= units->factor;
	if (!units->name || v >= 9e18)
		return -EINVAL;
	*dst = llround(v);
	return 0;
}

int arg_time(struct hcctl *h, const char *name, const char *word, void *dst)
{
	static const struct unit units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, {}
	};

	if (with_unit(word, units, dst))
		return hc_invalid(h, name, word, "a time is wanted, as in 100ns, 10us or 5ms");
	return 0;
}

int arg_rate(struct hcctl *h, const char *name, const char *word, void *dst)
{
	static const struct unit units[] = {
		{ "bit", .125 }, { "kbit", 125 }, { "mbit", 125e3 },
		{ "gbit", 125e6 }, { "tbit", 125e9 },
		{ "bps", 1 }, { "kbps", 1e3 }, { "mbps", 1e6 },
		{ "gbps", 1e9 }, { "tbps", 1e12 }, {}
	};
	uint64_t v;

	if (with_unit(word, units, &v) || (!v && strcmp(word, "0")))
		return hc_invalid(h, name, word,
				  "a rate is wanted, as in 10gbit, 100mbit or 1gbps (bytes)");
	*(uint64_t *)dst = v;
	return 0;
}
