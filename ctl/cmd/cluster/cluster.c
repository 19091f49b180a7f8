// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl cluster: a fabric that spans several machines and is described by one file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"

/* --- changes --- */

void cluster_change(struct hcctl *h, struct cluster *c, const char *host, bool comes,
		    const char *object)
{
	c->changes++;
	out_object(h, NULL);
	if (host)
		out_str(h, "host", "%s: ", host);
	out_str(h, "change", "%s", comes ? "+" : "-");
	out_str(h, "object", " %s", object);
}

void cluster_change_end(struct hcctl *h)
{
	out_text(h, "\n");
	out_close(h);
	out_now(h);
}

/* Begin the output: an object that contains the array of changes. */
static void begin(struct hcctl *h, const struct cluster *c)
{
	out_object(h, NULL);
	out_str(h, "fabric", NULL, c->state.name);
	out_bool(h, "dry_run", NULL, c->dry);
	out_array(h, "changes");
}

/* End the output. @nothing is the text to print if the command succeeded (@rc is 0) without any
 * change.
 */
static void end(struct hcctl *h, const struct cluster *c, int rc, const char *nothing)
{
	out_close(h);
	if (!rc && !c->changes)
		out_text(h, "cluster %s: %s\n", c->state.name, nothing);
	out_close(h);
}

/* --- reading the file, and clean-up --- */

typedef int (*cluster_fn)(struct hcctl *h, struct cluster *c);

/* Return: true if at least one host is reached by ssh. */
static bool is_remote(const struct cluster *c)
{
	size_t i;

	for (i = 0; i < c->nhosts; i++)
		if (c->host[i].ssh)
			return true;
	return false;
}

/* Make the folder for the sockets of shared ssh connections. If there is no such folder, each
 * command opens a connection of its own.
 */
static void share(struct cluster *c)
{
	strcpy(c->ssh_dir, "/tmp/hcctl-XXXXXX");
	if (!is_remote(c) || !mkdtemp(c->ssh_dir))
		*c->ssh_dir = 0;
}

/* Read FILE, and call @run with its contents. If a signal arrives in the meantime, the current step
 * is completed before the process ends.
 */
static int with_file(struct hcctl *h, int argc, char **argv, cluster_fn run)
{
	const char *file = hc_take(h, "FILE", &argc, &argv);
	struct cluster c;
	int rc;

	if (!file || hc_take_end(h, argc, argv))
		return HC_USAGE;
	rc = cluster_read(h, file, &c);
	if (!rc) {
		share(&c);
		cmd_signals_hold();
		rc = run(h, &c);
		remote_close(&c);
		cmd_signals_release();
	}
	cluster_free(&c);
	return rc;
}

/* --- up, check and down --- */

static size_t trunks_up(const struct cluster *c)
{
	size_t n = 0, i;

	for (i = 0; i < c->ntrunks; i++)
		n += c->trunk[i].up;
	return n;
}

static size_t plans_up(const struct cluster *c)
{
	size_t n = 0, i;

	for (i = 0; i < c->nplans; i++)
		n += c->plan[i].up;
	return n;
}

/* After a failure, print how many trunks and plans are up, and which commands continue or undo the
 * work.
 */
static void say_stands(struct hcctl *h, const struct cluster *c)
{
	hc_warn(h, "%zu of %zu trunks and %zu of %zu plans stand, and fabrics as far as the hosts have made them; go on with: hcctl cluster up %s; or remove all with: hcctl cluster down %s",
		trunks_up(c), c->ntrunks, plans_up(c), c->nplans, c->file, c->file);
}

/* Return: 0; or, after printing an error, -EINTR if a signal that ends the process has arrived. */
static int interrupted(struct hcctl *h)
{
	if (!cmd_signals_came())
		return 0;
	hc_error(h, "a signal came");
	return -EINTR;
}

static int make(struct hcctl *h, struct cluster *c)
{
	return cluster_fabrics(h, c) ?: interrupted(h) ?: cluster_trunks(h, c) ?:
	       interrupted(h) ?: cluster_plans(h, c) ?: interrupted(h);
}

static int do_up(struct hcctl *h, struct cluster *c)
{
	int rc;

	begin(h, c);
	rc = make(h, c);
	end(h, c, rc, "nothing to do");
	if (rc)
		say_stands(h, c);
	return rc;
}

static int up(struct hcctl *h, int argc, char **argv)
{
	return with_file(h, argc, argv, do_up);
}

/* Print what "up" would do. */
static int do_check(struct hcctl *h, struct cluster *c)
{
	int rc;

	c->dry = true;
	begin(h, c);
	rc = cluster_fabrics(h, c) ?: cluster_trunks(h, c) ?: cluster_plans(h, c);
	end(h, c, rc, "as the file has it");
	return rc ?: c->changes ? HC_NO : 0;
}

static int check(struct hcctl *h, int argc, char **argv)
{
	return with_file(h, argc, argv, do_check);
}

/* Remove the fabrics. Their trunks and plans are removed with them. */
static int do_down(struct hcctl *h, struct cluster *c)
{
	int rc;

	begin(h, c);
	rc = cluster_fabrics_del(h, c);
	end(h, c, rc, "there is nothing of it");
	return rc;
}

static int down(struct hcctl *h, int argc, char **argv)
{
	return with_file(h, argc, argv, do_down);
}

/* --- show --- */

#define QUESTIONS 3

enum { HOST, SUBCUBE, STATE, ADDRESS, DOWN, FAILED, TRUNKS, PLANS, BROKEN };

static const struct out_column columns[] = {
	OUT_LEFT(HOST),
	OUT_LEFT(SUBCUBE),
	OUT_LEFT(STATE),
	OUT_LEFT(ADDRESS),
	OUT_RIGHT(DOWN),
	OUT_RIGHT(FAILED),
	OUT_RIGHT(TRUNKS),
	OUT_RIGHT(PLANS),
	OUT_RIGHT(BROKEN),
	{}
};

static size_t count(struct json_object *all, const char *flag)
{
	size_t n = 0, i;

	for (i = 0; i < cluster_length(all); i++)
		n += cluster_flag(json_object_array_get_idx(all, i), flag);
	return n;
}

/* Return: the number of trunks that a host has according to the file. @host is its index. */
static size_t wanted(const struct cluster *c, size_t host)
{
	size_t n = 0, i;

	for (i = 0; i < c->ntrunks; i++)
		n += c->trunk[i].listen == host || c->trunk[i].connect == host;
	return n;
}

static void show_one(struct hcctl *h, const struct cluster *c, size_t i, struct json_object *all,
		     struct json_object *trunks, struct json_object *plans)
{
	const struct cluster_host *host = &c->host[i];
	struct json_object *f = cluster_fabric_of(c, all);
	char buf[OUT_BUF];

	out_object(h, NULL);
	out_cell(h, HOST);
	out_str(h, "host", "%s", host->name);
	out_cell(h, SUBCUBE);
	out_str(h, "subcube", "%s", cmd_part_text(buf, c->state.dim, host->fixed, host->base));
	out_cell(h, STATE);
	out_str(h, "state", "%s", f ? "up" : all ? "no fabric" : "unreachable");
	out_cell(h, ADDRESS);
	out_str(h, "address", "%s", host->address);
	if (f) {
		out_number(h, DOWN, "links_down", cluster_number(f, "links_down"));
		out_number(h, FAILED, "nodes_failed", cluster_number(f, "nodes_failed"));
		out_number(h, TRUNKS, "trunks", count(trunks, "established"));
	}
	out_uint(h, "trunks_wanted", f ? "/%" PRIu64 : NULL, wanted(c, i));
	if (f) {
		out_number(h, PLANS, "plans", cluster_length(plans));
		out_number(h, BROKEN, "plans_broken", count(plans, "broken"));
	}
	out_close(h);
}

static void show_all(struct hcctl *h, const struct cluster *c, struct json_object **said[])
{
	size_t i;

	out_table(h, columns);
	out_array(h, NULL);
	for (i = 0; i < c->nhosts; i++)
		show_one(h, c, i, said[0][i], said[1][i], said[2][i]);
	out_table_end(h);
	out_close(h);
}

/* Show all hosts. Hosts that do not answer are marked. */
static int do_show(struct hcctl *h, struct cluster *c)
{
	/* Request all fabrics of a host, because a request for one fabric is an error if it does
	 * not exist.
	 */
	const struct remote_call call[] = {
		{ .words = { "fabric", "show" } },
		{ .words = { "trunk", "show", c->state.name } },
		{ .words = { "plan", "show", c->state.name } },
	};
	struct json_object **said[QUESTIONS] = {};
	bool memory = true;
	int rc = 0, one;
	size_t q, i;

	for (q = 0; memory && q < QUESTIONS; q++) {
		said[q] = calloc(c->nhosts, sizeof(**said));
		memory = said[q];
		one = memory ? remote_all(h, c, &call[q], q ? c->there : NULL, NULL, said[q]) :
			       hc_nomem(h);
		rc = rc ?: one;
		for (i = 0; memory && !q && i < c->nhosts; i++)
			c->there[i] = cluster_fabric_of(c, said[0][i]);
	}
	if (memory)
		show_all(h, c, said);
	for (q = 0; q < QUESTIONS; q++)
		remote_free(c, said[q]);
	return rc;
}

static int show(struct hcctl *h, int argc, char **argv)
{
	return with_file(h, argc, argv, do_show);
}

const struct hc_cmd cluster_cmds[] = {
	{ "up", up, "FILE" },
	{ "down", down, "FILE" },
	{ "show", show, "FILE" },
	{ "check", check, "FILE" },
	{}
};
