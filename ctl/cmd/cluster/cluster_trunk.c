// SPDX-License-Identifier: GPL-2.0
/*
 * The trunks of a cluster: finding those that exist, and making those that are missing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster.h"

/* Time between two checks, in microseconds, and maximum number of checks. */
#define LOOK_EVERY	100000
#define LOOKS		100

/* --- existing trunks --- */

/* Return: true if @all, the list of a host's trunks, has an established trunk along @dim to host
 * @far.
 */
static bool has(struct json_object *all, const struct cluster *c, uint32_t dim,
		const struct cluster_host *far)
{
	char part[OUT_BUF];
	struct json_object *o;
	size_t i;

	cmd_part_text(part, c->state.dim, far->fixed, far->base);
	for (i = 0; i < cluster_length(all); i++) {
		o = json_object_array_get_idx(all, i);
		if (cluster_flag(o, "established") && cluster_number(o, "dim") == dim &&
		    !strcmp(cluster_text(o, "nodes"), part))
			return true;
	}
	return false;
}

/* Set cluster_trunk.up for each trunk of the file: the trunk is established at both ends. */
static int look_up(struct hcctl *h, struct cluster *c)
{
	struct json_object **said = calloc(c->nhosts, sizeof(*said));
	const struct remote_call show = { .words = { "trunk", "show", c->state.name } };
	struct cluster_trunk *t;
	int rc;

	rc = said ? remote_all(h, c, &show, c->there, NULL, said) : hc_nomem(h);
	for (t = c->trunk; !rc && t < c->trunk + c->ntrunks; t++)
		t->up = has(said[t->listen], c, t->dim, &c->host[t->connect]) &&
			has(said[t->connect], c, t->dim, &c->host[t->listen]);
	remote_free(c, said);
	return rc;
}

/* --- missing trunks --- */

static void put_trunk(struct hcctl *h, struct cluster *c, const struct cluster_trunk *t)
{
	cluster_change(h, c, NULL, true, "trunk");
	out_str(h, "listen", " %s", c->host[t->listen].name);
	out_str(h, "connect", " %s", c->host[t->connect].name);
	out_uint(h, "dim", " dim %" PRIu64, t->dim);
	cluster_change_end(h);
}

/* Append a word to the command line of @call. */
static void add(struct remote_call *call, const char *word)
{
	size_t n = 0;

	while (call->words[n])
		n++;
	call->words[n] = word;
}

/* Append the options that all trunks have, and those of the host @host, to the command line of
 * @call. @keep is memory for the text of the keepalive time.
 */
static void add_options(const struct cluster *c, const struct cluster_host *host,
			struct remote_call *call, char *keep, size_t size)
{
	if (c->keep) {
		snprintf(keep, size, "%ums", c->keep);
		add(call, "keepalive");
		add(call, keep);
	}
	if (!c->digest) {
		add(call, "digest");
		add(call, "off");
	}
	if (host->no_plans)
		add(call, "no-plans");
	if (host->tls) {
		add(call, "tls");
		add(call, host->tls);
	}
	add(call, "persist");
	add(call, "background");
}

static int do_listen(struct hcctl *h, struct cluster *c, const struct cluster_trunk *t)
{
	struct remote_call call = {
		.words = { "trunk", "listen", c->state.name, t->address },
	};
	char keep[24];

	add_options(c, &c->host[t->listen], &call, keep, sizeof(keep));
	return remote_one(h, c, t->listen, &call, NULL);
}

static int do_connect(struct hcctl *h, struct cluster *c, const struct cluster_trunk *t)
{
	char dim[16], keep[24];
	struct remote_call call = {
		.words = { "trunk", "connect", c->state.name, dim, t->address },
	};

	snprintf(dim, sizeof(dim), "%u", t->dim);
	add_options(c, &c->host[t->connect], &call, keep, sizeof(keep));
	return remote_one(h, c, t->connect, &call, NULL);
}

/* Return: true if the listening host already listens at this address, for an earlier trunk of the
 * file.
 */
static bool is_reported(const struct cluster *c, const struct cluster_trunk *t)
{
	const struct cluster_trunk *v;

	for (v = c->trunk; v < t; v++)
		if (!v->up && v->listen == t->listen && !strcmp(v->address, t->address))
			return true;
	return false;
}

/* Wait until all trunks are up. If a trunk is not up in time, print an error that names it. */
static int wait_up(struct hcctl *h, struct cluster *c)
{
	const struct cluster_trunk *t = c->trunk;
	unsigned int looks;
	int rc = 0;

	for (looks = 0; !rc && looks < LOOKS && !cmd_signals_came(); looks++) {
		if (looks)
			usleep(LOOK_EVERY);
		rc = look_up(h, c);
		for (t = c->trunk; t < c->trunk + c->ntrunks && t->up; t++)
			;
		if (t == c->trunk + c->ntrunks)
			return rc;
	}
	if (rc || cmd_signals_came())
		return rc;
	hc_error(h, "the trunk between %s and %s along dimension %u does not come up",
		 c->host[t->listen].name, c->host[t->connect].name, t->dim);
	return HC_NO;
}

static int make_all(struct hcctl *h, struct cluster *c)
{
	struct cluster_trunk *t, *end = c->trunk + c->ntrunks;
	int rc = 0;

	for (t = c->trunk; !rc && t < end && !cmd_signals_came(); t++)
		if (!t->up && !is_reported(c, t))
			rc = do_listen(h, c, t);
	for (t = c->trunk; !rc && t < end && !cmd_signals_came(); t++)
		if (!t->up)
			rc = do_connect(h, c, t);
	return rc ?: wait_up(h, c);
}

int cluster_trunks(struct hcctl *h, struct cluster *c)
{
	bool *missing = calloc(c->ntrunks + 1, sizeof(*missing));
	int rc = missing ? look_up(h, c) : hc_nomem(h);
	bool any = false;
	size_t i;

	for (i = 0; !rc && i < c->ntrunks; i++) {
		missing[i] = !c->trunk[i].up;
		any |= missing[i];
	}
	if (!rc && any && !c->dry)
		rc = make_all(h, c);
	for (i = 0; missing && i < c->ntrunks; i++)
		if (missing[i] && (c->dry || c->trunk[i].up))
			put_trunk(h, c, &c->trunk[i]);
	free(missing);
	return rc;
}
