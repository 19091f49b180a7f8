// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl link: take links down and up, impair them, list them.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* The words in front that name links. */
static int take_links(struct hcctl *h, struct link_list *l, int *argc, char ***argv)
{
	int rc = 0;

	while (!rc && *argc && (!l->n || isdigit((unsigned char)***argv))) {
		rc = arg_links(h, "link", *(*argv)++, l);
		--*argc;
	}
	return rc;
}

/* Those of a node one by one. */
static int each_link(struct hcctl *h, const char *fabric, struct link_list *l)
{
	struct nl_fabric info;
	size_t i = 0;

	while (i < l->n && l->v[i].dim != LINK_ALL)
		i++;
	if (i == l->n)
		return 0;
	return nl_fabric(h, fabric, &info) ?: hc_links_each(h, l, info.dim);
}

static int set_links(struct hcctl *h, const char *fabric, const struct link_list *l,
		     const struct nl_link_set *s)
{
	char text[64];
	struct hc_where at = { .text = text };
	int rc = 0;
	size_t i;

	if (l->n == 1)
		return nl_link_set(h, fabric, l->v[0], s);
	/* Those before it are set. */
	hc_enter(h, &at);
	for (i = 0; i < l->n && !rc; i++) {
		snprintf(text, sizeof(text), "link %u:%u, number %zu of %zu",
			 l->v[i].node, l->v[i].dim, i + 1, l->n);
		rc = nl_link_set(h, fabric, l->v[i], s);
	}
	hc_leave(h, &at);
	return rc;
}

/* DOWN/PERIOD or "off", into s->flap_*. */
static int arg_flap(struct hcctl *h, const char *name, const char *word, void *dst)
{
	static const char wanted[] =
		"a time to be down and a period are wanted, as in 50ms/300ms, or \"off\"";
	struct nl_link_set *s = dst;
	uint64_t down, period;
	char *first, *slash;
	int rc;

	s->flap_down = 0;
	s->flap_period = 0;
	if (!strcmp(word, "off"))
		return 0;
	first = strdup(word);
	if (!first)
		return hc_nomem(h);
	slash = strchr(first, '/');
	if (slash)
		*slash++ = 0;
	rc = slash ? 0 : hc_invalid(h, name, word, wanted);
	if (!rc)
		rc = arg_time(h, name, first, &down) ?: arg_time(h, name, slash, &period);
	free(first);
	if (rc)
		return rc;
	if (down % 1000000 || period % 1000000 || period / 1000000 > UINT32_MAX ||
	    !down || down >= period)
		return hc_invalid(h, name, word, wanted);
	s->flap_down = down / 1000000;
	s->flap_period = period / 1000000;
	return 0;
}

/* Fills @s with what the words of a "link set" say. */
static int set_args(struct hcctl *h, struct nl_link_set *s, int argc, char **argv)
{
	bool up = false;
	struct arg args[] = {
		{ "down", NULL, &s->down },
		{ "up", NULL, &up },
		{ "flap", arg_flap, s },
		{ "loss", arg_percent, &s->imp.loss },
		{ "corrupt", arg_percent, &s->imp.corrupt },
		{ "duplicate", arg_percent, &s->imp.duplicate },
		{ "delay", arg_time, &s->imp.delay },
		{ "jitter", arg_time, &s->imp.jitter },
		{ "rate", arg_rate, &s->imp.rate },
		{ "seed", arg_u32, &s->imp.seed },
		{ "latency", arg_time, &s->latency },
		{ "bandwidth", arg_rate, &s->bandwidth },
		{ "one-way", NULL, &s->one_way },
		{}
	}, *a = args;
	int rc = hc_args(h, args, argc, argv);

	if (rc)
		return rc;
	while (a->name && (!a->given || a->dst == &s->one_way))
		a++;
	if (!a->name)
		return hc_missing(h, "\"down\", \"up\", \"flap\" or an impairment such as \"loss\"");
	if (s->down && up) {
		hc_error(h, "\"down\" and \"up\" exclude each other");
		return HC_USAGE;
	}
	s->set_down = s->down || up;
	s->set_flap = args[2].given;
	s->set_loss = args[3].given;
	s->set_corrupt = args[4].given;
	s->set_duplicate = args[5].given;
	s->set_delay = args[6].given;
	s->set_jitter = args[7].given;
	s->set_rate = args[8].given;
	s->set_seed = args[9].given;
	s->set_latency = args[10].given;
	s->set_bandwidth = args[11].given;
	return 0;
}

static int set(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	struct nl_link_set s = {};
	struct link_list l = {};
	int rc;

	if (!fabric)
		return HC_USAGE;
	if (!argc)
		return hc_missing(h, "NODE:DIM");
	rc = take_links(h, &l, &argc, &argv) ?: set_args(h, &s, argc, argv) ?:
	     each_link(h, fabric, &l) ?: set_links(h, fabric, &l, &s);
	free(l.v);
	return rc;
}

enum { LINK, PEER, STATE, TX_FRAMES, TX_BYTES, RX_FRAMES, RX_BYTES, IMPAIRMENTS, EFFECTS, DROPPED };

static const struct out_column columns[] = {
	[LINK] = { "LINK" },
	[PEER] = { "PEER", .right = true },
	[STATE] = { "STATE" },
	[TX_FRAMES] = { "TX-FRAMES", .right = true },
	[TX_BYTES] = { "TX-BYTES", .right = true },
	[RX_FRAMES] = { "RX-FRAMES", .right = true },
	[RX_BYTES] = { "RX-BYTES", .right = true },
	[IMPAIRMENTS] = { "IMPAIRMENTS" },
	[EFFECTS] = { "EFFECTS" },
	[DROPPED] = { "DROPPED" },
	{}
};

static void show_one(struct hcctl *h, const struct nl_link *v)
{
	out_object(h, NULL);
	out_cell(h, LINK);
	out_uint(h, "node", "%" PRIu64, v->node);
	out_uint(h, "dim", ":%" PRIu64, v->dim);
	out_cell(h, PEER);
	out_uint(h, "peer", "%" PRIu64, hc_neigh(v->node, v->dim));
	out_cell(h, STATE);
	cmd_out_state(h, v->state);
	out_cell(h, IMPAIRMENTS);
	cmd_out_impairments(h, v);
	out_cell(h, TX_FRAMES);
	out_uint(h, "tx_frames", "%" PRIu64, v->tx_frames);
	out_cell(h, TX_BYTES);
	out_uint(h, "tx_bytes", "%" PRIu64, v->tx_bytes);
	out_cell(h, RX_FRAMES);
	out_uint(h, "rx_frames", "%" PRIu64, v->rx_frames);
	out_cell(h, RX_BYTES);
	out_uint(h, "rx_bytes", "%" PRIu64, v->rx_bytes);
	out_cell(h, EFFECTS);
	cmd_out_impaired(h, v);
	out_cell(h, DROPPED);
	cmd_out_drops(h, v->drops);
	out_close(h);
}

static int show(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	struct link_list l = {};
	struct nl_link *v = NULL;
	size_t n, i;
	int rc = 0;

	if (!fabric)
		return HC_USAGE;
	if (argc)
		rc = take_links(h, &l, &argc, &argv) ?: hc_take_end(h, argc, argv);
	rc = rc ?: each_link(h, fabric, &l);
	if (!rc && l.n) {
		n = l.n;
		v = calloc(n, sizeof(*v));
		rc = v ? 0 : hc_nomem(h);
		for (i = 0; i < n && !rc; i++)
			rc = nl_link(h, fabric, l.v[i].node, l.v[i].dim, &v[i]);
	} else if (!rc) {
		rc = nl_links(h, fabric, &v, &n);
	}
	if (!rc) {
		out_table(h, columns);
		out_array(h, NULL);
		for (i = 0; i < n; i++)
			show_one(h, &v[i]);
		out_table_end(h);
		out_close(h);
	}
	free(l.v);
	free(v);
	return rc;
}

const struct hc_cmd link_cmds[] = {
	{ "set", set,
	  "NAME LINKS { down | up | flap DOWN/PERIOD |\n"
	  "          flap off | loss PERCENT | corrupt PERCENT | duplicate PERCENT |\n"
	  "          seed NUMBER | delay TIME [jitter TIME] | rate RATE | latency TIME |\n"
	  "          bandwidth RATE } .. [one-way]" },
	{ "show", show, "NAME [LINKS]" },
	{}
};
