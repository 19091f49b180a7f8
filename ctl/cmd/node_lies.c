// SPDX-License-Identifier: GPL-2.0
/*
 * When a node lies: for people, and as node show, monitor and the state of a fabric have it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

bool cmd_lies(const struct nl_lies *l)
{
	return l->ppm || l->n;
}

bool cmd_lies_same(const struct nl_lies *a, const struct nl_lies *b)
{
	return a->ppm == b->ppm && a->n == b->n && !memcmp(a->at, b->at, a->n * sizeof(*a->at)) &&
	       (!cmd_lies(a) || a->seed == b->seed);
}

const char *cmd_lies_text(char *buf, const struct nl_lies *l)
{
	size_t len = 0;
	uint32_t i;

	*buf = 0;
	if (l->ppm) {
		char ppm[OUT_BUF];

		len = snprintf(buf, CMD_LIES_BUF, "lie %s", out_percent(ppm, l->ppm));
	}
	for (i = 0; i < l->n; i++)
		len += snprintf(buf + len, CMD_LIES_BUF - len, "%s%u", i ? "," : "lie-at ",
				l->at[i]);
	if (cmd_lies(l))
		snprintf(buf + len, CMD_LIES_BUF - len, " seed %u", l->seed);
	return buf;
}

void cmd_out_lie_at(struct hcctl *h, const struct nl_lies *l)
{
	uint32_t i;

	out_array(h, "lie_at");
	for (i = 0; i < l->n; i++)
		out_uint(h, NULL, NULL, l->at[i]);
	out_close(h);
}

void cmd_out_lies(struct hcctl *h, const struct nl_node *v)
{
	char buf[CMD_LIES_BUF];

	out_uint(h, "lie_ppm", NULL, v->lie.ppm);
	cmd_out_lie_at(h, &v->lie);
	out_uint(h, "lie_seed", NULL, v->lie.seed);
	if (cmd_lies(&v->lie))
		out_text(h, " %s", cmd_lies_text(buf, &v->lie));
}
