// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl --all-hosts: run one command on all hosts of a cluster, and print the output of each.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/cluster/cluster.h"

/* A command that runs on all hosts. */
struct everywhere {
	int argc;		/* number of words of the command */
	char **argv;
	struct remote *r;	/* for each host, the process that runs the command */
};

static int start_all(struct hcctl *h, const struct cluster *c, const struct everywhere *e)
{
	struct remote_call call = { .text = !h->json };
	int rc = 0;
	size_t i;

	if (e->argc >= REMOTE_WORDS)
		return hc_invalid(h, "command", *e->argv, "fewer words are wanted");
	memcpy(call.words, e->argv, e->argc * sizeof(*e->argv));
	for (i = 0; i < c->nhosts; i++)
		rc = remote_start(h, c, &c->host[i], &call, &e->r[i]) ?: rc;
	return rc;
}

/* Print the output @said of a host. JSON: an array element with the host's name and the JSON that
 * the host has printed. Text: each line after the name of the host.
 */
static void put(struct hcctl *h, const struct cluster_host *host, char *said)
{
	struct json_object *value;
	char *rest = said, *line;

	if (h->json) {
		value = said && *said ? json_tokener_parse(said) : NULL;
		out_object(h, NULL);
		out_str(h, "host", NULL, host->name);
		if (value)
			out_value(h, "value", value);
		out_close(h);
		return;
	}
	while (rest && *rest && (line = strsep(&rest, "\n"))) {
		out_str(h, NULL, "%s: ", host->name);
		out_str(h, NULL, "%s\n", line);
	}
	out_now(h);
}

static int end_all(struct hcctl *h, const struct cluster *c, const struct everywhere *e)
{
	int rc = 0;
	char *said;
	size_t i;

	out_array(h, NULL);
	for (i = 0; i < c->nhosts; i++) {
		if (!e->r[i].pid)
			continue;
		said = NULL;
		rc = remote_end(h, &e->r[i], &said) ?: rc;
		put(h, &c->host[i], said);
		free(said);
	}
	out_close(h);
	return rc;
}

int cluster_all_hosts(struct hcctl *h, const char *file, int argc, char **argv)
{
	struct everywhere e = { .argc = argc, .argv = argv };
	struct cluster c;
	int rc = cluster_read(h, file, &c), ended;

	if (!rc) {
		cmd_signals_hold();
		e.r = calloc(c.nhosts, sizeof(*e.r));
		rc = e.r ? start_all(h, &c, &e) : hc_nomem(h);
		ended = e.r ? end_all(h, &c, &e) : 0;
		rc = rc ?: ended;
		free(e.r);
		cmd_signals_release();
	}
	cluster_free(&c);
	return rc;
}
