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

static bool is_link(const char *word)
{
	return isdigit((unsigned char)*word) || !strcmp(word, "all") || !strncmp(word, "all:", 4);
}

/* Parse the links, which are the first words of the arguments: the first word, and all following
 * words that begin like a link.
 */
static int take_links(struct hcctl *h, struct link_list *l, int *argc, char ***argv)
{
	int rc = 0;

	while (!rc && *argc && (!l->n || is_link(**argv))) {
		rc = arg_links(h, "link", *(*argv)++, l);
		--*argc;
	}
	return rc;
}

/**
 * struct links_setting - a change of several links
 * @fabric: the fabric of the links
 * @l: the links
 * @s: the changes
 */
struct links_setting {
	const char *fabric;
	const struct link_list *l;
	const struct nl_link_set *s;
};

static int set_one(struct hcctl *h, size_t i, void *arg)
{
	const struct links_setting *a = arg;

	return nl_link_set(h, a->fabric, a->l->v[i], a->s);
}

static void say_one(char *text, size_t size, size_t i, const void *arg)
{
	const struct links_setting *a = arg;

	snprintf(text, size, "link %u:%u", a->l->v[i].node, a->l->v[i].dim);
}

/* Parse DOWN/PERIOD or "off" into a struct nl_link_set. */
static int arg_flap(struct hcctl *h, const char *name, const char *word, void *dst)
{
	static const char wanted[] =
		"a time to be down and a period are wanted, as in 50ms/300ms, or \"off\"";
	struct nl_link_set *s = dst;
	uint64_t down, period;
	char *first, *slash;
	int rc;

	s->set |= NL_LINK_BIT(FLAP_DOWN) | NL_LINK_BIT(FLAP_PERIOD);
	s->link.flap_down = 0;
	s->link.flap_period = 0;
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
	s->link.flap_down = down / 1000000;
	s->link.flap_period = period / 1000000;
	return 0;
}

/* Parse the keywords of "link set" into @s. */
static int set_args(struct hcctl *h, struct nl_link_set *s, int argc, char **argv)
{
	bool down = false, up = false;
	struct nl_link *v = &s->link;
	struct arg args[] = {
		{ "down", NULL, &down },
		{ "up", NULL, &up },
		{ "flap", arg_flap, s },
		{ "loss", arg_percent, &v->loss },
		{ "corrupt", arg_percent, &v->corrupt },
		{ "duplicate", arg_percent, &v->duplicate },
		{ "delay", arg_time, &v->delay },
		{ "jitter", arg_time, &v->jitter },
		{ "rate", arg_rate, &v->rate },
		{ "seed", arg_u32, &v->seed },
		{ "model-latency", arg_time, &v->model_latency },
		{ "model-bandwidth", arg_rate, &v->model_bandwidth },
		{ "one-way", NULL, &s->one_way },
		{}
	}, *a = args;
	int rc = hc_args(h, args, argc, argv);

	if (rc)
		return rc;
	for (; a->name; a++)
		if (a->given)
			s->set |= nl_link_bit(v, a->dst);
	if (down || up)
		s->set |= NL_LINK_BIT(DOWN);
	v->down = down;
	if (!s->set)
		return hc_missing(h, "\"down\", \"up\", \"flap\" or an impairment such as \"loss\"");
	if (down && up) {
		hc_error(h, "\"down\" and \"up\" exclude each other");
		return HC_USAGE;
	}
	return 0;
}

static int set(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	struct nl_link_set s = {};
	struct link_list l = {};
	struct links_setting a = { .fabric = fabric, .l = &l, .s = &s };
	int rc;

	if (!fabric)
		return HC_USAGE;
	if (!argc)
		return hc_missing(h, "NODE:DIM");
	rc = take_links(h, &l, &argc, &argv) ?: set_args(h, &s, argc, argv) ?:
	     cmd_links_each(h, fabric, &l, s.one_way) ?:
	     cmd_each(h, l.n, set_one, say_one, &a);
	free(l.v);
	return rc;
}

enum { LINK, PEER, STATE, TX_FRAMES, TX_BYTES, RX_FRAMES, RX_BYTES, IMPAIRMENTS, EFFECTS, DROPPED };

static const struct out_column columns[] = {
	OUT_LEFT(LINK),
	OUT_RIGHT(PEER),
	OUT_LEFT(STATE),
	OUT_RIGHT_AS(TX_FRAMES, "TX-FRAMES"),
	OUT_RIGHT_AS(TX_BYTES, "TX-BYTES"),
	OUT_RIGHT_AS(RX_FRAMES, "RX-FRAMES"),
	OUT_RIGHT_AS(RX_BYTES, "RX-BYTES"),
	OUT_LEFT(IMPAIRMENTS),
	OUT_LEFT(EFFECTS),
	OUT_LEFT(DROPPED),
	{}
};

static void show_one(struct hcctl *h, const void *row)
{
	const struct nl_link *v = row;

	out_object(h, NULL);
	out_number(h, LINK, "node", v->node);
	out_uint(h, "dim", ":%" PRIu64, v->dim);
	out_number(h, PEER, "peer", v->peer);
	out_cell(h, STATE);
	cmd_out_state(h, v->state);
	out_cell(h, IMPAIRMENTS);
	cmd_out_impairments(h, v);
	out_number(h, TX_FRAMES, "tx_frames", v->tx_frames);
	out_number(h, TX_BYTES, "tx_bytes", v->tx_bytes);
	out_number(h, RX_FRAMES, "rx_frames", v->rx_frames);
	out_number(h, RX_BYTES, "rx_bytes", v->rx_bytes);
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
	rc = rc ?: cmd_links_each(h, fabric, &l, true);
	if (!rc && l.n) {
		n = l.n;
		v = calloc(n, sizeof(*v));
		rc = v ? 0 : hc_nomem(h);
		for (i = 0; i < n && !rc; i++)
			rc = nl_link(h, fabric, l.v[i].node, l.v[i].dim, &v[i]);
	} else if (!rc) {
		rc = nl_links(h, fabric, &v, &n);
	}
	free(l.v);
	return cmd_out_rows(h, rc, columns, v, n, sizeof(*v), show_one);
}

const struct hc_cmd link_cmds[] = {
	{ "set", set,
	  "NAME LINKS { down | up | flap DOWN/PERIOD |\n"
	  "          flap off | loss PERCENT | corrupt PERCENT | duplicate PERCENT |\n"
	  "          seed NUMBER | delay TIME [jitter TIME] | rate RATE | model-latency TIME |\n"
	  "          model-bandwidth RATE } .. [one-way]" },
	{ "show", show, "NAME [LINKS]" },
	{}
};
