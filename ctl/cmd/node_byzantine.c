// SPDX-License-Identifier: GPL-2.0
/*
 * Settings of Byzantine nodes: text, and the JSON for node show, monitor and the state of a fabric.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

struct nl_byzantine cmd_byzantine_of(const struct nl_node *v)
{
	struct nl_byzantine l = {
		.ppm = v->byzantine, .seed = v->byzantine_seed, .n = v->nbyzantine_at,
	};

	memcpy(l.at, v->byzantine_at, sizeof(l.at));
	return l;
}

bool cmd_is_byzantine(const struct nl_byzantine *l)
{
	return l->ppm || l->n;
}

bool cmd_byzantine_same(const struct nl_byzantine *a, const struct nl_byzantine *b)
{
	return a->ppm == b->ppm && a->n == b->n && !memcmp(a->at, b->at, a->n * sizeof(*a->at)) &&
	       (!cmd_is_byzantine(a) || a->seed == b->seed);
}

const char *cmd_byzantine_text(char *buf, const struct nl_byzantine *l)
{
	size_t len = 0;
	uint32_t i;

	*buf = 0;
	if (l->ppm) {
		char ppm[OUT_BUF];

		len = snprintf(buf, CMD_BYZANTINE_BUF, "byzantine %s", out_percent(ppm, l->ppm));
	}
	for (i = 0; i < l->n; i++)
		len += snprintf(buf + len, CMD_BYZANTINE_BUF - len, "%s%u", i ? "," :
				"byzantine-at ", l->at[i]);
	if (cmd_is_byzantine(l))
		snprintf(buf + len, CMD_BYZANTINE_BUF - len, " seed %u", l->seed);
	return buf;
}

void cmd_out_byzantine_at(struct hcctl *h, const struct nl_byzantine *l)
{
	uint32_t i;

	out_array(h, "byzantine_at");
	for (i = 0; i < l->n; i++)
		out_uint(h, NULL, NULL, l->at[i]);
	out_close(h);
}

void cmd_out_byzantine(struct hcctl *h, const struct nl_node *v)
{
	struct nl_byzantine l = cmd_byzantine_of(v);
	char buf[CMD_BYZANTINE_BUF];

	out_uint(h, "byzantine_ppm", NULL, l.ppm);
	cmd_out_byzantine_at(h, &l);
	out_uint(h, "byzantine_seed", NULL, l.seed);
	if (cmd_is_byzantine(&l))
		out_text(h, " %s", cmd_byzantine_text(buf, &l));
}
