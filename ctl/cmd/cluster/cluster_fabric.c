// SPDX-License-Identifier: GPL-2.0
/*
 * The fabrics of a cluster. Each host gets a state file for its partition, see hcctl fabric
 * restore.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster.h"

/* Time between two checks, in microseconds, and maximum number of checks. */
#define LOOK_EVERY	100000
#define LOOKS		150

/* --- the state of one host --- */

/* Set the nodes on other hosts, and the ends of links there, to defaults. Only whether a link is
 * down or flaps is retained, because both ends of a link must agree on that.
 */
static void forget_far(struct state *s)
{
	uint32_t u, d;

	for (u = 0; u < hc_nodes(s->dim); u++) {
		if (state_has(s, u))
			continue;
		s->node[u] = state_first_node;
		for (d = 0; d < s->dim; d++) {
			struct state_end *e = state_end(s, u, d), last = *e;

			*e = state_end_default();
			e->down = last.down;
			e->flap_down = last.flap_down;
			e->flap_period = last.flap_period;
		}
	}
}

/* Return: the text of the state file for a host, to be freed. The text is printed from a copy of
 * the cluster's state, which shares names and addresses with the original.
 */
static char *part_of(struct hcctl *h, const struct cluster *c, const struct cluster_host *host)
{
	struct hcctl to = { .json = true, .complain = h->complain };
	struct state s = c->state;
	char *text = NULL;
	size_t size;

	s.fixed = host->fixed;
	s.base = host->base;
	s.node = malloc(hc_nodes(s.dim) * sizeof(*s.node));
	s.end = malloc(state_ends(&s) * sizeof(*s.end));
	to.to = open_memstream(&text, &size);
	if (s.node && s.end && to.to) {
		memcpy(s.node, c->state.node, hc_nodes(s.dim) * sizeof(*s.node));
		memcpy(s.end, c->state.end, state_ends(&s) * sizeof(*s.end));
		forget_far(&s);
		state_print(&to, &s);
	}
	if (to.to)
		fclose(to.to);
	free(s.node);
	free(s.end);
	if (!text || !*text)
		hc_nomem(h);
	return text;
}

/* --- fabrics --- */

/* Print a change that hcctl has made on host number @i; @o is its description in the output of
 * hcctl.
 */
static void put_change(struct hcctl *h, struct cluster *c, size_t i, struct json_object *o)
{
	const char *object = cluster_text(o, "object"), *what = cluster_text(o, "what");
	bool comes = !strcmp(cluster_text(o, "change"), "+");

	if (!strcmp(object, "fabric") && !strncmp(what, "dim ", 4))
		c->there[i] = !c->dry;
	cluster_change(h, c, c->host[i].name, comes, object);
	if (!strcmp(object, "fabric"))
		out_text(h, " %s", c->state.name);
	if (cluster_get(o, "node"))
		out_uint(h, "node", " %" PRIu64, cluster_number(o, "node"));
	if (cluster_get(o, "dim"))
		out_uint(h, "dim", ":%" PRIu64, cluster_number(o, "dim"));
	out_str(h, "what", " %s", what);
	if (cluster_flag(o, "one_way"))
		out_bool(h, "one_way", " one-way", true);
	cluster_change_end(h);
}

int cluster_fabrics(struct hcctl *h, struct cluster *c)
{
	struct json_object **said = calloc(c->nhosts, sizeof(*said)), *changes;
	const struct remote_call call = {
		.words = { "fabric", "restore", "-", "keep-plans", c->dry ? "dry-run" : NULL },
	};
	char **input = calloc(c->nhosts, sizeof(*input));
	int rc = said && input ? 0 : hc_nomem(h);
	size_t i, k;

	for (i = 0; !rc && i < c->nhosts; i++) {
		input[i] = part_of(h, c, &c->host[i]);
		rc = input[i] ? 0 : HC_NO;
	}
	rc = rc ?: remote_all(h, c, &call, NULL, input, said);
	for (i = 0; said && i < c->nhosts; i++) {
		c->there[i] = said[i];
		changes = cluster_get(said[i], "changes");
		for (k = 0; k < cluster_length(changes); k++)
			put_change(h, c, i, json_object_array_get_idx(changes, k));
	}
	for (i = 0; input && i < c->nhosts; i++)
		free(input[i]);
	free(input);
	remote_free(c, said);
	return rc;
}

/* --- hosts without the fabric --- */

/* Return: the fabric with the cluster's name in @all, the list of a host's fabrics, or NULL. */
struct json_object *cluster_fabric_of(const struct cluster *c, struct json_object *all)
{
	struct json_object *o;
	size_t i;

	for (i = 0; i < cluster_length(all); i++) {
		o = json_object_array_get_idx(all, i);
		if (!strcmp(cluster_text(o, "name"), c->state.name))
			return o;
	}
	return NULL;
}

/* Check that the nodes of fabric @o are those that the file assigns to the host, because another
 * fabric of the same name must not be removed. Return: 0, or HC_NO after printing an error.
 */
static int is_the_files(struct hcctl *h, const struct cluster *c, const struct cluster_host *host,
			struct json_object *o)
{
	char part[OUT_BUF];
	const char *wanted = host->fixed ? cmd_part_text(part, c->state.dim, host->fixed,
							 host->base) : "";

	if (cluster_number(o, "dim") == c->state.dim && !strcmp(cluster_text(o, "subcube"), wanted))
		return 0;
	hc_error(h, "%s: fabric %s has not the nodes that the file names: it stays", host->name,
		 c->state.name);
	return HC_NO;
}

int cluster_fabrics_del(struct hcctl *h, struct cluster *c)
{
	struct json_object **said = calloc(c->nhosts, sizeof(*said));
	const struct remote_call list = { .words = { "fabric", "show" } };
	const struct remote_call del = { .words = { "fabric", "del", c->state.name } };
	struct json_object *o;
	int rc, refused = 0;
	size_t i;

	rc = said ? remote_all(h, c, &list, NULL, NULL, said) : hc_nomem(h);
	for (i = 0; said && i < c->nhosts; i++) {
		o = cluster_fabric_of(c, said[i]);
		c->there[i] = o && !is_the_files(h, c, &c->host[i], o);
		if (o && !c->there[i])
			refused = HC_NO;
		json_object_put(said[i]);
		said[i] = NULL;
	}
	if (said)
		rc = remote_all(h, c, &del, c->there, NULL, said) ?: rc;
	for (i = 0; !rc && i < c->nhosts; i++)
		if (c->there[i]) {
			cluster_change(h, c, c->host[i].name, false, "fabric");
			out_text(h, " %s", c->state.name);
			cluster_change_end(h);
		}
	remote_free(c, said);
	return rc ?: refused;
}

/* --- faults --- */

/* Return: the FAULT word of node @u that follows from the file. *@flaps is set to the mask of those
 * links of the node that flap, because their current state is not known.
 */
static uint32_t faults_of(const struct state *s, uint32_t u, uint32_t *flaps)
{
	uint32_t faults = 0, d;

	*flaps = 0;
	for (d = 0; d < s->dim; d++) {
		if (state_end(s, u, d)->down || s->node[hc_neigh(u, d)].failed)
			faults |= hc_bit(d);
		if (state_end(s, u, d)->flap_period)
			*flaps |= hc_bit(d);
	}
	return faults;
}

/* Return: true if the nodes in @all, the node list of a host, have the FAULT words that follow from
 * the file.
 */
static bool knows(const struct cluster *c, struct json_object *all)
{
	const struct state *s = &c->state;
	struct json_object *o;
	uint32_t u, flaps;
	size_t i;

	for (i = 0; i < cluster_length(all); i++) {
		o = json_object_array_get_idx(all, i);
		u = cluster_number(o, "node");
		if (u < hc_nodes(s->dim) && !s->node[u].failed &&
		    (cluster_number(o, "fault") ^ faults_of(s, u, &flaps)) & ~flaps)
			return false;
	}
	return i == hc_nodes(s->dim);
}

int cluster_settle(struct hcctl *h, struct cluster *c)
{
	const struct remote_call nodes = { .words = { "node", "show", c->state.name } };
	unsigned int looks;
	bool all = false;
	int rc = 0;
	size_t i;

	for (looks = 0; !rc && !all && looks < LOOKS && !cmd_signals_came(); looks++) {
		struct json_object **said = calloc(c->nhosts, sizeof(*said));

		if (looks)
			usleep(LOOK_EVERY);
		rc = said ? remote_all(h, c, &nodes, NULL, NULL, said) : hc_nomem(h);
		for (all = !rc, i = 0; all && i < c->nhosts; i++)
			all = knows(c, said[i]);
		remote_free(c, said);
	}
	if (!rc && !all && !cmd_signals_came())
		hc_warn(h, "there are faults that the file does not have, or that not all hosts know of: plans go around them");
	return rc;
}
