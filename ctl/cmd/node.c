// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl node: fail and mend nodes, move endpoints, give them away, list them.
 */
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

/* A name below /var/run/netns, or the number of a process. */
static int set_netns(struct hcctl *h, const char *fabric, uint32_t node, const char *word)
{
	char path[256];
	uint64_t pid;
	int fd, rc;

	fd = nl_netns_open(word, path, sizeof(path));
	if (fd >= 0) {
		rc = nl_node_netns(h, fabric, node, fd, 0);
		close(fd);
		return rc;
	}
	if (!hc_number(word, INT32_MAX, &pid) && pid)
		return nl_node_netns(h, fabric, node, -1, pid);
	hc_error(h, "no network namespace \"%s\": %s: %s", word, path, strerror(-fd));
	return HC_NO;
}

static int set_owner(struct hcctl *h, const char *fabric, uint32_t node, const char *word)
{
	struct passwd *user = getpwnam(word);
	uint64_t uid;

	if (user)
		uid = user->pw_uid;
	else if (hc_number(word, UINT32_MAX - 1, &uid))
		return hc_invalid(h, "owner", word, "a user's name or number is wanted");
	return nl_node_owner(h, fabric, node, uid);
}

static int set(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv), *word, *value;
	uint32_t node;

	if (!fabric)
		return HC_USAGE;
	word = hc_take(h, "NODE", &argc, &argv);
	if (!word || arg_node(h, "node", word, &node))
		return HC_USAGE;
	word = hc_take(h, "\"fail\", \"ok\", \"netns\" or \"owner\"", &argc, &argv);
	if (!word)
		return HC_USAGE;
	if (!strcmp(word, "fail") || !strcmp(word, "ok"))
		return hc_take_end(h, argc, argv) ?:
			nl_node_fail(h, fabric, node, *word == 'f');
	if (!strcmp(word, "netns")) {
		value = hc_take(h, "name of a network namespace after \"netns\"", &argc, &argv);
		if (!value || hc_take_end(h, argc, argv))
			return HC_USAGE;
		return set_netns(h, fabric, node, value);
	}
	if (!strcmp(word, "owner")) {
		value = hc_take(h, "UID after \"owner\"", &argc, &argv);
		if (!value || hc_take_end(h, argc, argv))
			return HC_USAGE;
		return set_owner(h, fabric, node, value);
	}
	return hc_unknown(h, word);
}

static void show_one(struct hcctl *h, const struct nl_node *v, unsigned int dim)
{
	char bits[OUT_BUF];
	unsigned int i;

	out_object(h, NULL);
	out_uint(h, "node", "%4" PRIu64, v->id);
	out_text(h, " (%s)", out_bits(bits, v->id, dim));
	if (v->ifindex) {
		out_str(h, "ifname", " %s", v->ifname);
		out_uint(h, "ifindex", NULL, v->ifindex);
	}
	if (v->elsewhere)
		out_int(h, "netnsid", " netnsid %" PRId64, v->netnsid);
	out_bool(h, "failed", " FAILED", v->failed);
	out_bool(h, "bound", " bound", v->bound);
	if (v->owner != NL_NONE)
		out_uint(h, "owner", " owner %" PRIu64, v->owner);
	out_uint(h, "fault", NULL, v->fault);
	if (v->fault)
		out_text(h, " fault %s", out_bits(bits, v->fault, dim));
	out_array(h, "nb_fault");
	for (i = 0; i < v->nb; i++)
		out_uint(h, NULL, NULL, v->nb_fault[i]);
	out_close(h);
	out_uint(h, "host_frames", " host frames %" PRIu64, v->host_frames);
	out_uint(h, "merged_bytes", " merged bytes %" PRIu64, v->merged_bytes);
	cmd_out_drops(h, v->drops);
	out_text(h, "\n");
	out_close(h);
}

static int show(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	struct nl_node one, *v = NULL;
	struct nl_fabric info;
	uint32_t node;
	size_t n, i;
	int rc;

	if (!fabric || cmd_take_node(h, &argc, &argv, &node) || hc_take_end(h, argc, argv))
		return HC_USAGE;
	rc = nl_fabric(h, fabric, &info);
	if (!rc)
		rc = node == NL_NONE ? nl_nodes(h, fabric, &v, &n) :
			nl_node(h, fabric, node, &one);
	if (rc)
		return rc;
	out_array(h, NULL);
	if (node != NL_NONE)
		show_one(h, &one, info.dim);
	for (i = 0; v && i < n; i++)
		show_one(h, &v[i], info.dim);
	out_close(h);
	free(v);
	return HC_OK;
}

const struct hc_cmd node_cmds[] = {
	{ "set", set, "NAME NODE { fail | ok | netns NS | owner UID }" },
	{ "show", show, "NAME [NODE]" },
	{}
};
