// SPDX-License-Identifier: GPL-2.0
/*
 * Reading a cluster from its file: hosts, trunks and plans. Nodes and links have the format of
 * state files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"

/* State of reading the file. */
struct reading {
	struct cluster *c;
	bool parts;	/* the hosts read so far have the key "subcube" */
};

/* --- hosts --- */

/* Return: true if the name can be printed before other text, and cannot be mistaken for an option.
 */
static bool is_name(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f)
			return false;
	return *name && *name != '-' && strlen(name) < 256;
}

static int check_name(struct hcctl *h, const char *key, const char *name)
{
	if (!name || is_name(name))
		return 0;
	return hc_invalid(h, key, name, "a word that does not begin with a dash is wanted");
}

/* Return: the default address of a host, for other hosts: that which ssh uses. */
static const char *address_of(const struct cluster_host *v)
{
	const char *at = v->ssh ? strrchr(v->ssh, '@') : NULL;

	return at ? at + 1 : v->ssh ?: v->name;
}

static int check_where(struct hcctl *h, const struct cluster_host *v, bool local)
{
	if (local && v->ssh)
		return hc_invalid(h, "local", v->name, "it stands without \"ssh\"");
	return check_name(h, "host", v->name) ?: check_name(h, "ssh", v->ssh) ?:
	       check_name(h, "netns", v->netns) ?: check_name(h, "address", v->address) ?:
	       check_name(h, "tls", v->tls);
}

/* Read a host. A host without "local", "netns" and "ssh" is reached by ssh under its own name.
 * "netns" does not imply "local": with "ssh", the namespace is on the host that ssh reaches.
 */
static int take_host(struct hcctl *h, struct json_object *o, void *arg)
{
	struct reading *r = arg;
	struct cluster *c = r->c;
	struct cluster_host v = {};
	const char *part = NULL;
	bool local = false;
	struct json_key keys[] = {
		{ "host", JSON_TEXT, &v.name, .required = true },
		{ "subcube", JSON_TEXT, &part },
		{ "ssh", JSON_TEXT, &v.ssh },
		{ "local", JSON_FLAG, &local },
		{ "netns", JSON_TEXT, &v.netns },
		{ "address", JSON_TEXT, &v.address },
		{ "tls", JSON_TEXT, &v.tls },
		{ "no_plans", JSON_FLAG, &v.no_plans },
		{}
	};
	int rc = json_keys(h, o, keys) ?: check_where(h, &v, local);
	size_t i;

	if (rc)
		return rc;
	for (i = 0; i < c->nhosts; i++)
		if (!strcmp(c->host[i].name, v.name))
			return hc_invalid(h, "host", v.name, "it is there twice");
	if (c->nhosts && !part != !r->parts)
		return hc_invalid(h, "host", v.name, "\"subcube\" is of all hosts, or of none");
	r->parts = part;
	if (part && cmd_part(h, part, c->state.dim, &v.fixed, &v.base))
		return HC_USAGE;
	if (!local && !v.netns && !v.ssh)
		v.ssh = v.name;
	v.address = v.address ?: address_of(&v);
	c->host[c->nhosts++] = v;
	return 0;
}

/* Assign a partition to each host, because the file does not: the bits of the highest dimensions
 * are the index of the host.
 */
static int deal(struct hcctl *h, struct cluster *c)
{
	uint32_t bits = 0;
	char text[32];
	size_t i;

	while ((size_t)1 << bits < c->nhosts)
		bits++;
	if ((size_t)1 << bits != c->nhosts || bits > c->state.dim) {
		snprintf(text, sizeof(text), "%zu", c->nhosts);
		return hc_invalid(h, "number of hosts", text,
				  "without \"subcube\" a power of two, no more than there are nodes, is wanted");
	}
	for (i = 0; i < c->nhosts; i++) {
		c->host[i].fixed = (hc_nodes(bits) - 1) << (c->state.dim - bits);
		c->host[i].base = i << (c->state.dim - bits);
	}
	return 0;
}

/* Check that each node is in the partition of exactly one host. */
static int check_parts(struct hcctl *h, const struct cluster *c)
{
	const struct cluster_host *one = NULL;
	uint32_t u;
	size_t i;

	for (u = 0; u < hc_nodes(c->state.dim); u++, one = NULL) {
		for (i = 0; i < c->nhosts; i++) {
			if (!cmd_is_here(u, c->host[i].fixed, c->host[i].base))
				continue;
			if (one) {
				hc_error(h, "node %u is of both host %s and host %s", u, one->name,
					 c->host[i].name);
				return HC_USAGE;
			}
			one = &c->host[i];
		}
		if (!one) {
			hc_error(h, "node %u is of no host", u);
			return HC_USAGE;
		}
	}
	return 0;
}

static int take_hosts(struct hcctl *h, struct reading *r, struct json_object *hosts)
{
	struct cluster *c = r->c;
	int rc;

	if (!json_length(hosts) || json_length(hosts) > CLUSTER_HOSTS)
		return hc_invalid(h, "hosts", "[..]", "1 to 1024 of them are wanted");
	c->host = calloc(json_length(hosts), sizeof(*c->host));
	c->there = calloc(json_length(hosts), sizeof(*c->there));
	if (!c->host || !c->there)
		return hc_nomem(h);
	rc = json_each(h, "hosts", hosts, take_host, r);
	if (!rc && !r->parts)
		rc = deal(h, c);
	return rc ?: check_parts(h, c);
}

/* --- trunks --- */

static bool joins(const struct cluster *c, const struct cluster_trunk *t)
{
	const struct cluster_host *a = &c->host[t->listen], *b = &c->host[t->connect];

	return (a->fixed & b->fixed & (a->base ^ b->base)) == hc_bit(t->dim);
}

static int add_trunk(struct hcctl *h, struct cluster *c, const struct cluster_trunk *t)
{
	struct cluster_trunk *v = reallocarray(c->trunk, c->ntrunks + 1, sizeof(*v));

	if (!v)
		return hc_nomem(h);
	c->trunk = v;
	v[c->ntrunks++] = *t;
	return 0;
}

/* Add a trunk for each dimension along which links join the partitions of two hosts. The host that
 * comes first in the file listens.
 */
static int auto_trunks(struct hcctl *h, struct cluster *c)
{
	struct cluster_trunk t = {};
	int rc = 0;

	for (t.listen = 0; t.listen < c->nhosts; t.listen++)
		for (t.connect = t.listen + 1; t.connect < c->nhosts; t.connect++)
			for (t.dim = 0; !rc && t.dim < c->state.dim; t.dim++) {
				t.address = c->host[t.listen].address;
				if (joins(c, &t))
					rc = add_trunk(h, c, &t);
			}
	return rc;
}

static int host_of(struct hcctl *h, const struct cluster *c, const char *key, const char *name,
		   size_t *i)
{
	for (*i = 0; *i < c->nhosts; ++*i)
		if (!strcmp(c->host[*i].name, name))
			return 0;
	return hc_invalid(h, key, name, "one of the hosts is wanted");
}

static bool is_same(const struct cluster_trunk *a, const struct cluster_trunk *b)
{
	return a->dim == b->dim && ((a->listen == b->listen && a->connect == b->connect) ||
				    (a->listen == b->connect && a->connect == b->listen));
}

static int take_trunk(struct hcctl *h, struct json_object *o, void *arg)
{
	struct cluster *c = arg;
	const char *listen = NULL, *connect = NULL;
	struct cluster_trunk t = {};
	struct json_key keys[] = {
		{ "dim", JSON_U32, &t.dim, .required = true },
		{ "listen", JSON_TEXT, &listen, .required = true },
		{ "connect", JSON_TEXT, &connect, .required = true },
		{ "address", JSON_TEXT, &t.address },
		{}
	};
	char text[16];
	size_t i;
	int rc;

	rc = json_keys(h, o, keys) ?: host_of(h, c, "listen", listen, &t.listen) ?:
	     host_of(h, c, "connect", connect, &t.connect) ?: check_name(h, "address", t.address);
	if (rc)
		return rc;
	snprintf(text, sizeof(text), "%u", t.dim);
	if (t.dim >= c->state.dim || !joins(c, &t))
		return hc_invalid(h, "dim", text,
				  "one along which these hosts have links is wanted");
	t.address = t.address ?: c->host[t.listen].address;
	for (i = 0; i < c->ntrunks; i++)
		if (is_same(&c->trunk[i], &t))
			return hc_invalid(h, "trunk", text, "it is there twice");
	return add_trunk(h, c, &t);
}

static int take_trunks(struct hcctl *h, struct cluster *c, struct json_object *trunks)
{
	if (!trunks || (json_object_is_type(trunks, json_type_string) &&
			!strcmp(json_object_get_string(trunks), "auto")))
		return auto_trunks(h, c);
	if (!json_object_is_type(trunks, json_type_array))
		return hc_invalid(h, "trunks", "..", "\"auto\" or an array is wanted");
	return json_each(h, "trunks", trunks, take_trunk, c);
}

/* --- plans --- */

static int take_plan(struct hcctl *h, struct json_object *o, void *arg)
{
	struct cluster *c = arg;
	struct cluster_plan v = {}, *more;
	const char *type = NULL;
	struct json_key keys[] = {
		{ "plan", JSON_U32, &v.id, .min = 1, .required = true },
		{ "type", JSON_TEXT, &type, .required = true },
		{ "with", JSON_TEXT, &v.with },
		{}
	};
	char text[16];
	size_t i;
	int rc = json_keys(h, o, keys);

	if (rc)
		return rc;
	v.type = planner_named(type);
	if (!v.type)
		return hc_invalid(h, "type", type, "tree, bcast, doubling, ring or span is wanted");
	snprintf(text, sizeof(text), "%u", v.id);
	for (i = 0; i < c->nplans; i++)
		if (c->plan[i].id == v.id)
			return hc_invalid(h, "plan", text, "it is there twice");
	more = reallocarray(c->plan, c->nplans + 1, sizeof(*more));
	if (!more)
		return hc_nomem(h);
	c->plan = more;
	more[c->nplans++] = v;
	return 0;
}

/* --- all of it --- */

static int take_cluster(struct hcctl *h, struct json_object *root, struct cluster *c)
{
	struct reading r = { .c = c };
	struct state *s = &c->state;
	const char *format = "", *name = "";
	uint32_t version, stall_timeout = HYPERCUBE_STALL_TIMEOUT_DEFAULT;
	struct json_object *hosts = NULL, *trunks = NULL, *plans = NULL;
	struct state_parts p = {};
	struct json_key keys[] = {
		{ "format", JSON_TEXT, &format, .required = true },
		{ "version", JSON_U32, &version, CLUSTER_VERSION, CLUSTER_VERSION,
		  .required = true },
		{ "name", JSON_TEXT, &name, .required = true },
		{ "dim", JSON_U32, &s->dim, 1, HYPERCUBE_DIM_MAX, .required = true },
		{ "id", JSON_U32, &s->id, 1, HYPERCUBE_FABRIC_ID_MAX },
		{ "segment", JSON_U32, &s->segment, HYPERCUBE_SEGMENT_MIN, HYPERCUBE_SEGMENT_MAX },
		{ "stall_timeout", JSON_U32, &stall_timeout, .max = HYPERCUBE_STALL_TIMEOUT_MAX },
		{ "hosts", JSON_ARRAY, &hosts, .required = true },
		{ "trunks", JSON_IGNORED },
		{ "keepalive_ms", JSON_U32, &c->keep, HYPERCUBE_TRUNK_KEEPALIVE_MIN,
		  HYPERCUBE_TRUNK_KEEPALIVE_MAX },
		{ "digest", JSON_FLAG, &c->digest },
		{ "nodes", JSON_ARRAY, &p.nodes },
		{ "links", JSON_ARRAY, &p.links },
		{ "plans", JSON_ARRAY, &plans },
		{}
	};
	int rc = json_keys(h, root, keys);

	if (rc)
		return rc;
	if (strcmp(format, CLUSTER_FORMAT))
		return hc_invalid(h, "format", format, "\"" CLUSTER_FORMAT "\" is wanted");
	if (arg_fabric(h, "name", name, &name))
		return HC_USAGE;
	snprintf(s->name, sizeof(s->name), "%s", name);
	json_object_object_get_ex(root, "trunks", &trunks);
	rc = state_init(h, s);
	s->stall_timeout = stall_timeout;
	return rc ?: take_hosts(h, &r, hosts) ?: take_trunks(h, c, trunks) ?:
	       state_take(h, s, &p) ?: json_each(h, "plans", plans, take_plan, c);
}

int cluster_read(struct hcctl *h, const char *file, struct cluster *c)
{
	struct hc_where at = { .text = strcmp(file, "-") ? file : "standard input" };
	const char *ssh = getenv("HCCTL_SSH");
	int rc;

	*c = (struct cluster){ .file = file, .ssh = ssh && *ssh ? ssh : "ssh", .digest = true };
	rc = json_file_lines(h, file, &c->root);
	if (rc)
		return rc;
	hc_enter(h, &at);
	rc = take_cluster(h, c->root, c);
	hc_leave(h, &at);
	return rc;
}

void cluster_free(struct cluster *c)
{
	remote_close(c);
	state_free(&c->state);
	free(c->host);
	free(c->there);
	free(c->trunk);
	free(c->plan);
	json_object_put(c->root);
}
