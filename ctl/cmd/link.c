// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl link: take links down and up, impair them, list them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static int set_links(struct hcctl *h, const char *fabric, const struct link_list *l,
		     const struct nl_link_set *s)
{
	size_t i;
	int rc;

	for (i = 0; i < l->n; i++) {
		rc = nl_link_set(h, fabric, l->v[i], s);
		if (!rc)
			continue;
		if (l->n > 1)
			hc_error(h, "stopped at link %u:%u, number %zu of %zu",
				 l->v[i].node, l->v[i].dim, i + 1, l->n);
		return rc;
	}
	return 0;
}

static int set(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv), *word;
	struct nl_link_set s = {};
	struct link_list l = {};
	bool down = false, up = false;
	struct arg args[] = {
		{ "down", NULL, &down },
		{ "up", NULL, &up },
		{ "loss", arg_percent, &s.loss },
		{ "delay", arg_time, &s.latency },
		{ "rate", arg_rate, &s.rate },
		{}
	};
	int rc = HC_USAGE;

	if (!fabric)
		return rc;
	word = hc_take(h, "NODE:DIM", &argc, &argv);
	if (!word || arg_links(h, "link", word, &l))
		goto out;
	/* More links may follow, as NODE:DIM as well. */
	while (argc && strchr(*argv, ':')) {
		argc--;
		if (arg_links(h, "link", *argv++, &l))
			goto out;
	}
	if (!argc) {
		rc = hc_missing(h, "\"down\", \"up\", \"loss\", \"delay\" or \"rate\"");
		goto out;
	}
	rc = hc_args(h, args, argc, argv);
	if (!rc && down && up)
		rc = hc_invalid(h, "state", "up", "it is to be down already");
	if (rc)
		goto out;
	s.set_down = down || up;
	s.down = down;
	s.set_loss = args[2].given;
	s.set_latency = args[3].given;
	s.set_rate = args[4].given;
	rc = set_links(h, fabric, &l, &s);
out:
	free(l.v);
	return rc;
}

static void show_one(struct hcctl *h, const struct nl_link *v)
{
	char buf[OUT_BUF];

	out_object(h, NULL);
	out_uint(h, "node", "%" PRIu64, v->node);
	out_uint(h, "dim", ":%" PRIu64, v->dim);
	out_uint(h, "peer", " to %" PRIu64 " ", hc_neigh(v->node, v->dim));
	cmd_out_state(h, v->state);
	out_uint(h, "loss_ppm", NULL, v->loss);
	out_uint(h, "latency_ns", NULL, v->latency);
	out_uint(h, "rate", NULL, v->rate);
	if (v->loss)
		out_text(h, " loss %s", out_percent(buf, v->loss));
	if (v->latency)
		out_text(h, " delay %s", out_time(buf, v->latency));
	if (v->rate)
		out_text(h, " rate %s", out_rate(buf, v->rate));
	out_uint(h, "tx_frames", " tx %" PRIu64, v->tx_frames);
	out_uint(h, "tx_bytes", "/%" PRIu64 "B", v->tx_bytes);
	out_uint(h, "rx_frames", " rx %" PRIu64, v->rx_frames);
	out_uint(h, "rx_bytes", "/%" PRIu64 "B", v->rx_bytes);
	cmd_out_drops(h, v->drops);
	out_text(h, "\n");
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
	for (; argc && !rc; argc--)
		rc = arg_links(h, "link", *argv++, &l);
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
		out_array(h, NULL);
		for (i = 0; i < n; i++)
			show_one(h, &v[i]);
		out_close(h);
	}
	free(l.v);
	free(v);
	return rc;
}

const struct hc_cmd link_cmds[] = {
	{ "set", set,
	  "NAME NODE:DIM[,..] { down | up | loss PERCENT | delay TIME | rate RATE } .." },
	{ "show", show, "NAME [NODE:DIM[,..]]" },
	{}
};
