// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl node: fail and restore nodes, make them Byzantine, move endpoints, set their owners, list
 * them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

/* A setting, and the nodes for which it is made. */
struct setting {
	int (*set)(struct hcctl *h, const struct setting *s, uint32_t node);	/* makes the setting
										 * for one node
										 */
	const char *fabric;
	struct node_list nodes;
	bool fail;
	int netns;	/* descriptor of a namespace; -1: the namespace of process @pid */
	uint64_t pid;	/* process id, if @netns is -1 */
	uint64_t uid;
	struct nl_byzantine byzantine;
	bool seed;	/* set the seed of the random numbers of a Byzantine node, too */
};

static int set_state(struct hcctl *h, const struct setting *s, uint32_t node)
{
	return nl_node_fail(h, s->fabric, node, s->fail);
}

static int set_netns(struct hcctl *h, const struct setting *s, uint32_t node)
{
	return nl_node_netns(h, s->fabric, node, s->netns, s->pid);
}

static int set_owner(struct hcctl *h, const struct setting *s, uint32_t node)
{
	return nl_node_owner(h, s->fabric, node, s->uid);
}

static int set_byzantine(struct hcctl *h, const struct setting *s, uint32_t node)
{
	return nl_node_byzantine(h, s->fabric, node, &s->byzantine, s->seed);
}

/* Parse the name of a namespace in /var/run/netns, or a process id. */
static int read_netns(struct hcctl *h, const char *word, struct setting *s)
{
	char path[256];

	s->set = set_netns;
	s->netns = nl_netns_open(word, path, sizeof(path));
	if (s->netns >= 0 || (!hc_number(word, INT32_MAX, &s->pid) && s->pid))
		return 0;
	hc_error(h, "no network namespace \"%s\": %s: %s", word, path, strerror(-s->netns));
	return HC_NO;
}

static int read_owner(struct hcctl *h, const char *word, struct setting *s)
{
	s->set = set_owner;
	return cmd_arg_user(h, "owner", word, &s->uid);
}

/* Parse numbers of frames, such as "1,5,6", into a struct nl_byzantine. */
static int arg_frames(struct hcctl *h, const char *name, const char *word, void *dst)
{
	static const char wanted[] =
		"numbers of up to 32 frames are wanted, ascending, as in 1,5,6";
	char *list = strdup(word), *rest = list, *one;
	struct nl_byzantine *l = dst;
	uint64_t v, last = 0;
	int rc = list ? 0 : hc_nomem(h);

	l->n = 0;
	while (!rc && (one = strsep(&rest, ","))) {
		if (l->n == HYPERCUBE_BYZANTINE_AT_MAX || hc_number(one, UINT32_MAX, &v) ||
		    v <= last) {
			rc = hc_invalid(h, name, word, wanted);
		} else {
			l->at[l->n++] = v;
			last = v;
		}
	}
	free(list);
	return rc;
}

/* Parse the settings of a Byzantine node: a list of frames if @listed, otherwise a probability, and
 * then an optional seed.
 */
static int read_byzantine(struct hcctl *h, bool listed, struct setting *s, int argc, char **argv)
{
	const char *name = listed ? "byzantine-at" : "byzantine", *word;
	struct arg args[] = {
		{ "seed", arg_u32, &s->byzantine.seed },
		{}
	};
	int rc;

	s->set = set_byzantine;
	word = hc_take(h, listed ? "numbers of frames after \"byzantine-at\"" :
		       "percentage after \"byzantine\"", &argc, &argv);
	if (!word)
		return HC_USAGE;
	rc = listed ? arg_frames(h, name, word, &s->byzantine) :
	     arg_percent(h, name, word, &s->byzantine.ppm);
	rc = rc ?: hc_args(h, args, argc, argv);
	s->seed = args[0].given;
	return rc;
}

static int read_setting(struct hcctl *h, struct setting *s, int argc, char **argv)
{
	const char *word = hc_take(h,
				   "\"fail\", \"ok\", \"netns\", \"owner\", \"byzantine\" or \"byzantine-at\"",
				   &argc, &argv);
	bool netns = word && !strcmp(word, "netns"), owner = word && !strcmp(word, "owner");

	if (!word)
		return HC_USAGE;
	if (netns || owner) {
		word = hc_take(h, netns ? "name of a network namespace after \"netns\"" :
			       "UID after \"owner\"", &argc, &argv);
		if (!word || hc_take_end(h, argc, argv))
			return HC_USAGE;
		return netns ? read_netns(h, word, s) : read_owner(h, word, s);
	}
	if (!strcmp(word, "byzantine") || !strcmp(word, "byzantine-at"))
		return read_byzantine(h, !strcmp(word, "byzantine-at"), s, argc, argv);
	s->set = set_state;
	s->fail = !strcmp(word, "fail");
	if (!s->fail && strcmp(word, "ok"))
		return hc_unknown(h, word);
	return hc_take_end(h, argc, argv);
}

/* Replace "all" in the list by the nodes on this machine. */
static int each_node(struct hcctl *h, const char *fabric, struct node_list *l)
{
	struct nl_fabric info;
	size_t i = 0;

	while (i < l->n && l->v[i] != NODE_ALL)
		i++;
	if (i == l->n)
		return 0;
	return nl_fabric(h, fabric, &info) ?:
	       hc_nodes_each(h, l, &(struct hc_extent){
		{ .nodes = info.nodes }, info.subcube_mask, info.subcube_value });
}

static int set_one(struct hcctl *h, size_t i, void *arg)
{
	const struct setting *s = arg;

	return s->set(h, s, s->nodes.v[i]);
}

static void say_one(char *text, size_t size, size_t i, const void *arg)
{
	const struct setting *s = arg;

	snprintf(text, size, "node %u", s->nodes.v[i]);
}

static int set(struct hcctl *h, int argc, char **argv)
{
	struct setting s = { .fabric = hc_take_fabric(h, &argc, &argv), .netns = -1 };
	const char *word = s.fabric ? hc_take(h, "NODE", &argc, &argv) : NULL;
	int rc;

	if (!word)
		return HC_USAGE;
	rc = arg_nodes(h, "node", word, &s.nodes) ?: read_setting(h, &s, argc, argv) ?:
	     each_node(h, s.fabric, &s.nodes) ?: cmd_each(h, s.nodes.n, set_one, say_one, &s);
	if (s.netns >= 0)
		close(s.netns);
	free(s.nodes.v);
	return rc;
}

enum {
	NODE, BITS, IFNAME, NETNSID, STATE, BOUND, OWNER, FAULT, CORRUPTED, COPIES, TASKS, HOST,
	MERGED, DROPPED
};

static const struct out_column columns[] = {
	OUT_RIGHT(NODE),
	OUT_LEFT(BITS),
	OUT_LEFT(IFNAME),
	OUT_RIGHT(NETNSID),
	OUT_LEFT(STATE),
	OUT_LEFT(BOUND),
	OUT_RIGHT(OWNER),
	OUT_LEFT(FAULT),
	OUT_LEFT(CORRUPTED),
	OUT_LEFT(COPIES),
	OUT_LEFT(TASKS),
	OUT_RIGHT_AS(HOST, "HOST-FRAMES"),
	OUT_RIGHT_AS(MERGED, "MERGED-BYTES"),
	OUT_LEFT(DROPPED),
	{}
};

static void out_endpoint(struct hcctl *h, const struct nl_node *v)
{
	out_cell(h, IFNAME);
	if (v->ifindex) {
		cmd_out_name(h, "ifname", v->ifname);
		out_uint(h, "ifindex", NULL, v->ifindex);
	}
	out_cell(h, NETNSID);
	if (v->elsewhere)
		out_int(h, "netnsid", "%" PRId64, v->netnsid);
}

static void out_condition(struct hcctl *h, const struct nl_node *v)
{
	out_cell(h, STATE);
	if (v->remote) {
		out_bool(h, "remote", "remote", true);
		return;
	}
	out_color(h, v->failed ? OUT_BAD : OUT_GOOD);
	out_bool(h, "failed", "FAILED", v->failed);
	out_text(h, "%s", v->failed ? "" : "ok");
	out_color(h, OUT_PLAIN);
	out_cell(h, BOUND);
	out_bool(h, "bound", "bound", v->bound);
	out_cell(h, OWNER);
	if (v->owner != NL_NONE)
		out_uint(h, "owner", "%" PRIu64, v->owner);
}

static void show_one(struct hcctl *h, const struct nl_node *v, const struct nl_fabric *f)
{
	char bits[OUT_BUF];
	unsigned int i;

	out_object(h, NULL);
	out_number(h, NODE, "node", v->id);
	out_cell(h, BITS);
	out_text(h, "%s", f->dim ? out_bits(bits, v->id, f->dim) : "");
	out_endpoint(h, v);
	out_condition(h, v);
	out_cell(h, FAULT);
	out_uint(h, "fault", NULL, v->fault);
	if (v->fault)
		out_text(h, "%s", out_bits(bits, v->fault, f->ports));
	if (v->remote) {
		out_close(h);
		return;
	}
	out_array(h, "nb_fault");
	for (i = 0; i < v->nb; i++)
		out_uint(h, NULL, NULL, v->nb_fault[i]);
	out_close(h);
	out_cell(h, CORRUPTED);
	cmd_out_byzantine(h, v);
	out_uint(h, "byzantine_frames", v->byzantine_frames ? " corrupted %" PRIu64 : NULL,
		 v->byzantine_frames);
	out_cell(h, COPIES);
	out_uint(h, "agreed", v->agreed ? " agreed %" PRIu64 : NULL, v->agreed);
	out_uint(h, "disagreed", v->disagreed ? " disagreed %" PRIu64 : NULL, v->disagreed);
	out_uint(h, "incomplete", v->incomplete ? " incomplete %" PRIu64 : NULL,
		 v->incomplete);
	out_cell(h, TASKS);
	cmd_out_tasks(h, v->tasks);
	out_number(h, HOST, "host_frames", v->host_frames);
	out_number(h, MERGED, "merged_bytes", v->merged_bytes);
	out_cell(h, DROPPED);
	cmd_out_drops(h, v->drops);
	out_close(h);
}

/* Get the nodes of a fabric; if the list @l is not empty, only those in it. */
static int read_nodes(struct hcctl *h, const char *fabric, const struct node_list *l,
		      struct nl_node **v, size_t *n)
{
	int rc = 0;
	size_t i;

	if (!l->n)
		return nl_nodes(h, fabric, v, n);
	*n = l->n;
	*v = calloc(l->n, sizeof(**v));
	if (!*v)
		return hc_nomem(h);
	for (i = 0; i < l->n && !rc; i++)
		rc = nl_node(h, fabric, l->v[i], &(*v)[i]);
	return rc;
}

static int show(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	struct node_list l = {};
	struct nl_node *v = NULL;
	struct nl_fabric info;
	size_t n = 0, i;
	int rc = 0;

	if (!fabric)
		return HC_USAGE;
	if (argc) {
		argc--;
		rc = arg_nodes(h, "node", *argv++, &l) ?: hc_take_end(h, argc, argv);
	}
	rc = rc ?: nl_fabric(h, fabric, &info) ?: each_node(h, fabric, &l) ?:
	     read_nodes(h, fabric, &l, &v, &n);
	if (!rc) {
		out_table(h, columns);
		out_array(h, NULL);
		for (i = 0; i < n; i++)
			show_one(h, &v[i], &info);
		out_table_end(h);
		out_close(h);
	}
	free(l.v);
	free(v);
	return rc;
}

const struct hc_cmd node_cmds[] = {
	{ "set", set,
	  "NAME NODES { fail | ok | netns NS | owner UID |\n"
	  "          byzantine PERCENT [seed S] | byzantine-at N[,N..] [seed S] }" },
	{ "show", show, "NAME [NODES]" },
	{}
};
