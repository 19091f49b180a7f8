// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl ring shortest: an all-to-all exchange that uses all links at once. Its number of steps is a
 * lower bound of that of rings.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "exchange.h"
#include "memory.h"
#include "ring_cmd.h"

static void print_step(struct hcctl *h, unsigned int dim, const struct hc_exchange_send *send,
		       uint32_t step)
{
	uint32_t end = (step + 1) * dim, i;
	char bits[OUT_BUF];

	if (end > hc_exchange_sends(dim))
		end = hc_exchange_sends(dim);
	out_text(h, "step %u:", step + 1);
	out_array(h, NULL);
	for (i = step * dim; i < end; i++) {
		out_object(h, NULL);
		out_text(h, " %s", out_bits(bits, send[i].offset, dim));
		out_uint(h, "offset", NULL, send[i].offset);
		out_uint(h, "dim", " by %" PRIu64, send[i].dim);
		out_close(h);
	}
	out_close(h);
	out_text(h, "\n");
}

static void print(struct hcctl *h, unsigned int dim, const struct hc_exchange_send *send)
{
	uint32_t i;

	out_object(h, NULL);
	out_uint(h, "dim", "dim %" PRIu64, dim);
	out_uint(h, "steps", " steps %" PRIu64, hc_exchange_steps(dim));
	out_uint(h, "messages", ", as few as can be: %" PRIu64 " messages", hc_exchange_sends(dim));
	out_text(h, " come to each node, over %u links; checked\n", dim);
	out_array(h, "schedule");
	for (i = 0; i < hc_exchange_steps(dim); i++)
		print_step(h, dim, send, i);
	out_close(h);
	out_close(h);
}

int ring_shortest(struct hcctl *h, int argc, char **argv)
{
	struct hc_exchange_send *send;
	uint32_t dim = 0;
	struct arg args[] = {
		{ "dim", arg_dim, &dim },
		{}
	};
	uint16_t *step;
	int rc = hc_args(h, args, argc, argv);

	if (!rc && !dim)
		rc = hc_missing(h, "\"dim\"");
	if (rc)
		return rc;
	send = calloc(hc_nodes(dim), sizeof(*send));
	step = calloc(hc_nodes(dim), sizeof(*step));
	if (send && step) {
		hc_exchange(dim, send);
		if (!hc_exchange_check(dim, send, step)) {
			hc_error(h, "the schedule is wrong");
			rc = HC_NO;
		} else {
			print(h, dim, send);
		}
	} else {
		rc = hc_nomem(h);
	}
	hc_free_all(send, step);
	return rc;
}
