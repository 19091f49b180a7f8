// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the state of a fabric from a file. Values that the file does not have are the defaults of
 * a new fabric.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "hc_bounds.h"
#include "hc_reason.h"
#include "memory.h"
#include "state.h"

/* Maximum length of the name of a namespace, see nl_netns_open(). */
#define NETNS_NAME_MAX 200

/* Maximum number of addresses of an endpoint. It is more than an endpoint ever has, and small
 * enough that each address can be compared with all others.
 */
#define ADDRESSES_MAX 256

/* The limits that the module has for the MTU of an endpoint. */
#define MTU_MIN 68
#define MTU_MAX 65535

/* The entries of the file that have set the values of a link end: an entry for the link
 * (SAID_LINK), and an entry for this end only, with "one_way" (SAID_END).
 */
enum {
	SAID_LINK = 1 << 0,
	SAID_END = 1 << 1,
};

/* State of reading the file. */
struct reading {
	struct state *s;
	uint8_t *node;	/* for each node, whether the file has an entry for it */
	uint8_t *end;	/* for each end of a link, a mask of SAID_* */
};

/* --- states --- */

const struct state_node state_first_node = {
	.owner = NL_NONE, .mtu = STATE_MTU_DEFAULT, .queue = STATE_QUEUE_DEFAULT,
};

int state_init(struct hcctl *h, struct state *s)
{
	uint32_t i;

	s->stall_timeout = HYPERCUBE_STALL_TIMEOUT_DEFAULT;
	if (!s->topo.nodes)
		s->topo = hc_topo_cube(s->dim);
	s->node = calloc(s->topo.nodes, sizeof(*s->node));
	s->end = calloc(state_ends(s), sizeof(*s->end));
	if (!s->node || !s->end)
		return hc_nomem(h);
	for (i = 0; i < s->topo.nodes; i++)
		s->node[i] = state_first_node;
	for (i = 0; i < state_ends(s); i++)
		s->end[i] = state_end_default();
	return 0;
}

void state_free(struct state *s)
{
	uint32_t u;

	for (u = 0; s->node && u < s->topo.nodes; u++) {
		free(s->node[u].netns);
		free(s->node[u].addr);
	}
	hc_free_all(s->peer, s->node, s->end);
	nl_plans_free(s->plan, s->nplans);
	while (s->nunkept)
		free(s->unkept[--s->nunkept]);
	free(s->unkept);
}

int state_add_addr(struct hcctl *h, struct state_node *v, const struct nl_addr_in *addr)
{
	struct nl_addr_in *a = reallocarray(v->addr, v->naddr + 1, sizeof(*a));

	if (!a)
		return hc_nomem(h);
	v->addr = a;
	a[v->naddr++] = *addr;
	return 0;
}

/* --- nodes --- */

static int take_address(struct hcctl *h, struct json_object *o, void *arg)
{
	struct state_node *v = arg;
	struct nl_addr_in addr;
	size_t i;

	if (!json_object_is_type(o, json_type_string))
		return hc_invalid(h, "address", json_object_to_json_string(o),
				  "a string such as \"10.16.0.1/16\" is wanted");
	if (cmd_arg_address(h, "address", json_object_get_string(o), &addr))
		return HC_USAGE;
	for (i = 0; i < v->naddr; i++)
		if (!memcmp(&v->addr[i], &addr, sizeof(addr)))
			return hc_duplicate(h, json_object_get_string(o));
	return state_add_addr(h, v, &addr);
}

/* Return: true if @name is a valid name for a file in the folder of ip-netns(8), and can be printed
 * unchanged.
 */
static bool is_netns_name(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return false;
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) <= NETNS_NAME_MAX;
}

static int take_byzantine_at(struct hcctl *h, struct json_object *array, struct nl_byzantine *l)
{
	uint64_t v;
	size_t i;

	if (json_length(array) > HYPERCUBE_BYZANTINE_AT_MAX)
		return hc_invalid(h, "byzantine_at", "[..]", "32 of them at most are wanted");
	for (i = 0; i < json_length(array); i++) {
		int rc = json_number_at(h, array, i, UINT32_MAX, &v);

		if (rc)
			return rc;
		if (v <= (i ? l->at[i - 1] : 0))
			return hc_invalid(h, "byzantine_at", "[..]",
					  "numbers from 1 on, ascending, are wanted");
		l->at[l->n++] = v;
	}
	return 0;
}

static int take_byzantine(struct hcctl *h, struct json_object *at, struct nl_byzantine *l)
{
	int rc = take_byzantine_at(h, at, l);

	if (!rc && l->n && l->ppm)
		return hc_invalid(h, "byzantine_at", "[..]", "it stands without \"byzantine_ppm\"");
	return rc;
}

static int take_node(struct hcctl *h, struct json_object *o, void *arg)
{
	struct reading *r = arg;
	struct json_object *addresses = NULL, *byzantine_at = NULL;
	struct state_node v = state_first_node;
	const char *netns = NULL;
	uint32_t u = 0;
	char text[16];
	struct json_key keys[] = {
		{ "node", JSON_U32, &u, .max = r->s->topo.nodes - 1, .required = true },
		{ "failed", JSON_FLAG, &v.failed },
		{ "owner", JSON_U32, &v.owner, .max = UINT32_MAX - 1 },
		{ "byzantine_ppm", JSON_U32, &v.byzantine.ppm, .max = HYPERCUBE_PPM_MAX },
		{ "byzantine_at", JSON_ARRAY, &byzantine_at },
		{ "byzantine_seed", JSON_U32, &v.byzantine.seed },
		{ "netns", JSON_TEXT, &netns },
		{ "up", JSON_FLAG, &v.up },
		{ "mtu", JSON_U32, &v.mtu, MTU_MIN, MTU_MAX },
		{ "txqueuelen", JSON_U32, &v.queue, .max = INT32_MAX },
		{ "addresses", JSON_ARRAY, &addresses },
		{}
	};
	int rc = json_keys(h, o, keys);

	if (rc)
		return rc;
	if (r->node[u]) {
		snprintf(text, sizeof(text), "%u", u);
		return hc_invalid(h, "node", text, "it is there twice");
	}
	if (netns && !is_netns_name(netns))
		return hc_invalid(h, "netns", netns, "the name of a network namespace is wanted");
	if (json_length(addresses) > ADDRESSES_MAX)
		return hc_invalid(h, "addresses", "[..]", "256 of them at most are wanted");
	rc = take_byzantine(h, byzantine_at, &v.byzantine);
	if (rc)
		return rc;
	r->node[u] = true;
	v.netns = netns ? strdup(netns) : NULL;
	r->s->node[u] = v;
	if (netns && !v.netns)
		return hc_nomem(h);
	return json_each(h, "addresses", addresses, take_address, &r->s->node[u]);
}

/* --- links --- */

/* The entry of a file for link (@u, @d). */
struct link_keys {
	uint32_t u, d;
	bool one_way;		/* the entry is only for the end at node @u */
	struct state_end e;	/* the values of the entry */
};

/* Set @at to the indices of the ends that entry @k is for. Return: the number of these ends. */
static unsigned int ends_of(const struct state *s, const struct link_keys *k, uint32_t *at)
{
	at[0] = k->u * s->topo.ports + k->d;
	at[1] = hc_peer(&s->topo, k->u, k->d) * s->topo.ports + k->d;
	return k->one_way ? 1 : 2;
}

static int check_link(struct hcctl *h, const struct link_keys *k, bool said_state)
{
	const struct state_end *e = &k->e;
	char text[32];

	snprintf(text, sizeof(text), "%u:%u", k->u, k->d);
	if (k->one_way && said_state)
		return hc_invalid(h, "one_way", text,
				  "\"down\" and \"flap_..\" are of both ends, without it");
	if (e->jitter > e->delay)
		return hc_invalid(h, "jitter_ns", text, "it must not exceed \"delay_ns\"");
	if (e->rate && e->rate < HC_RATE_MIN)
		return hc_invalid(h, "rate", text, "0 or 32000 at least is wanted");
	if (!e->flap_down != !e->flap_period ||
	    (e->flap_period && (e->flap_down < HC_FLAP_MIN ||
				e->flap_period < e->flap_down + HC_FLAP_MIN)))
		return hc_invalid(h, "flap_period_ms", text,
				  "a \"flap_down_ms\" of 10 and a period longer by 10 at least are wanted");
	if (e->flap_period && e->down)
		return hc_invalid(h, "down", text, "a link that flaps is neither up nor down");
	return 0;
}

/* Set the values of entry @k at the ends that it is for. An entry for one end takes precedence over
 * an entry for the link, whichever comes first in the file.
 */
static int put_link(struct hcctl *h, struct reading *r, const struct link_keys *k)
{
	uint32_t at[2], said = k->one_way ? SAID_END : SAID_LINK, i, n;
	struct state_end *e, last;
	char text[32];

	n = ends_of(r->s, k, at);
	for (i = 0; i < n; i++) {
		if (r->end[at[i]] & said) {
			snprintf(text, sizeof(text), "%u:%u", k->u, k->d);
			return hc_invalid(h, "link", text, "it is there twice");
		}
		r->end[at[i]] |= said;
		e = &r->s->end[at[i]];
		last = *e;
		if (k->one_way || !(r->end[at[i]] & SAID_END))
			*e = k->e;
		e->down = k->one_way ? last.down : k->e.down;
		e->flap_down = k->one_way ? last.flap_down : k->e.flap_down;
		e->flap_period = k->one_way ? last.flap_period : k->e.flap_period;
	}
	return 0;
}

static int take_link(struct hcctl *h, struct json_object *o, void *arg)
{
	struct reading *r = arg;
	struct link_keys k = { .e = state_end_default() };
	struct json_key keys[6 + STATE_NUMBERS + 1] = {
		{ "down", JSON_FLAG, &k.e.down },
		{ "flap_down_ms", JSON_U32, &k.e.flap_down, .max = HC_FLAP_MAX },
		{ "flap_period_ms", JSON_U32, &k.e.flap_period, .max = HC_FLAP_MAX },
		{ "node", JSON_U32, &k.u, .max = r->s->topo.nodes - 1, .required = true },
		{ "dim", JSON_U32, &k.d, .required = true },
		{ "one_way", JSON_FLAG, &k.one_way },
	}, *key = &keys[6];
	const struct state_number *n;
	char text[32];
	int rc;

	for (n = state_numbers; n->key; n++)
		*key++ = (struct json_key){ n->key, JSON_U64, state_number_of(&k.e, n),
					    .max = n->max };
	rc = json_keys(h, o, keys);
	if (rc)
		return rc;
	if (k.d >= r->s->topo.ports || !hc_port_exists(&r->s->topo, k.u, k.d)) {
		snprintf(text, sizeof(text), "%u", k.d);
		return hc_invalid(h, "dim", text, "a dimension of the fabric is wanted");
	}
	if (!state_uses_seed(&k.e))
		k.e.seed = STATE_SEED_NONE;
	return check_link(h, &k, keys[0].given || keys[1].given || keys[2].given) ?:
	       put_link(h, r, &k);
}

/* --- all of it --- */

/* Compare two plans by id, to find ids that occur twice. */
static int twice(const void *a, const void *b)
{
	const struct nl_plan *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int check_plans(struct hcctl *h, const struct state *s)
{
	char text[16];
	size_t i;

	if (s->nplans)
		qsort(s->plan, s->nplans, sizeof(*s->plan), twice);
	for (i = 1; i < s->nplans; i++)
		if (s->plan[i].id == s->plan[i - 1].id) {
			snprintf(text, sizeof(text), "%u", s->plan[i].id);
			return hc_invalid(h, "plan", text, "it is there twice");
		}
	return 0;
}

int state_take(struct hcctl *h, struct state *s, const struct state_parts *p)
{
	struct reading r = {
		.s = s, .node = calloc(s->topo.nodes, 1), .end = calloc(state_ends(s), 1),
	};
	int rc = r.node && r.end ? 0 : hc_nomem(h);

	rc = rc ?: json_each(h, "nodes", p->nodes, take_node, &r);
	rc = rc ?: json_each(h, "links", p->links, take_link, &r);
	rc = rc ?: json_each(h, "plans", p->plans, state_read_plan, s);
	free(r.node);
	free(r.end);
	return rc ?: check_plans(h, s);
}

static int bad_peers(struct hcctl *h, const char *why)
{
	return hc_invalid(h, "peers", "[..]", why);
}

static int take_row(struct hcctl *h, struct json_object *row, struct state *s, uint32_t u)
{
	uint64_t v;
	uint32_t d;
	int rc = 0;

	if (!json_object_is_type(row, json_type_array) || json_length(row) != s->topo.ports)
		return bad_peers(h, "an array for each node is wanted, all of one length");
	for (d = 0; !rc && d < s->topo.ports; d++) {
		rc = json_number_at(h, row, d, s->topo.nodes - 1, &v);
		if (!rc)
			s->peer[u * s->topo.ports + d] = v;
	}
	return rc;
}

/* Read the table of peers of a network that is not a cube, and check it. */
static int take_peers(struct hcctl *h, struct json_object *rows, struct state *s)
{
	size_t nodes = json_length(rows), ports = 0;
	uint32_t *work, u;
	struct hc_reason reason;
	int rc = 0;

	if (nodes)
		ports = json_length(json_object_array_get_idx(rows, 0));
	if (nodes < 2 || nodes > HYPERCUBE_NODES_MAX || !ports || ports > HYPERCUBE_PORTS_MAX)
		return bad_peers(h, "2 to 4096 nodes of 1 to 16 ports are wanted");
	s->topo = (struct hc_topo){ .nodes = nodes, .ports = ports };
	s->peer = calloc(nodes * ports, sizeof(*s->peer));
	s->topo.peers = s->peer;
	work = calloc(nodes + hc_topo_words(&s->topo), sizeof(*work));
	if (!s->peer || !work)
		rc = hc_nomem(h);
	for (u = 0; !rc && u < nodes; u++)
		rc = take_row(h, json_object_array_get_idx(rows, u), s, u);
	if (!rc && hc_topo_check(&s->topo, work, &reason))
		rc = bad_peers(h, reason.why);
	free(work);
	return rc;
}

static int take_network(struct hcctl *h, struct json_object *peers, const char *shape,
			const char *part, struct state *s)
{
	if (!s->dim == !peers)
		return hc_missing(h, "\"dim\" or \"peers\", one of them");
	if (peers && *part)
		return hc_invalid(h, "subcube", part, "only a hypercube has subcubes");
	if (strlen(shape) > HYPERCUBE_SHAPE_MAX)
		return hc_invalid(h, "shape", shape, "63 characters at most are wanted");
	snprintf(s->shape, sizeof(s->shape), "%s", shape);
	return peers ? take_peers(h, peers, s) :
		       cmd_part(h, part, s->dim, &s->fixed, &s->base);
}

static int take_state(struct hcctl *h, struct json_object *root, struct state *s)
{
	const char *format = "", *name = "", *part = "", *shape = "";
	struct json_object *peers = NULL;
	uint32_t version, stall_timeout = HYPERCUBE_STALL_TIMEOUT_DEFAULT;
	struct state_parts p = {};
	struct json_key keys[] = {
		{ "format", JSON_TEXT, &format, .required = true },
		{ "version", JSON_U32, &version, STATE_VERSION, STATE_VERSION, .required = true },
		{ "name", JSON_TEXT, &name, .required = true },
		{ "dim", JSON_U32, &s->dim, 1, HYPERCUBE_DIM_MAX },
		{ "peers", JSON_ARRAY, &peers },
		{ "shape", JSON_TEXT, &shape },
		{ "subcube", JSON_TEXT, &part },
		{ "id", JSON_U32, &s->id, 1, HYPERCUBE_FABRIC_ID_MAX },
		{ "segment", JSON_U32, &s->segment, HYPERCUBE_SEGMENT_MIN, HYPERCUBE_SEGMENT_MAX },
		{ "stall_timeout", JSON_U32, &stall_timeout, .max = HYPERCUBE_STALL_TIMEOUT_MAX },
		{ "nodes", JSON_ARRAY, &p.nodes },
		{ "links", JSON_ARRAY, &p.links },
		{ "plans", JSON_ARRAY, &p.plans },
		{}
	};
	int rc = json_keys(h, root, keys);

	if (rc)
		return rc;
	if (strcmp(format, STATE_FORMAT))
		return hc_invalid(h, "format", format, "\"" STATE_FORMAT "\" is wanted");
	if (arg_fabric(h, "name", name, &name))
		return HC_USAGE;
	snprintf(s->name, sizeof(s->name), "%s", name);
	rc = take_network(h, peers, shape, part, s) ?: state_init(h, s);
	s->stall_timeout = stall_timeout;
	return rc ?: state_take(h, s, &p);
}

int state_read(struct hcctl *h, const char *file, struct state *s)
{
	struct hc_where at = { .text = strcmp(file, "-") ? file : "standard input" };
	struct json_object *root;
	int rc;

	*s = (struct state){};
	rc = json_file(h, file, &root);
	if (rc)
		return rc;
	hc_enter(h, &at);
	rc = take_state(h, root, s);
	hc_leave(h, &at);
	json_object_put(root);
	return rc;
}
