// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl decode: print a line for each frame in a capture of a monitor interface.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "decode.h"
#include "hc_coll_desc.h"
#include "libhypercube.h"

/* Print a time as tcpdump does: the local time of day, and microseconds. */
static void out_when(struct hcctl *h, uint64_t ns)
{
	time_t s = ns / 1000000000;
	struct tm tm = {};
	char text[16];

	/* Print seconds and nanoseconds separately. A single number of nanoseconds would exceed the
	 * precision of a double, which many readers of JSON use.
	 */
	out_uint(h, "at_s", NULL, s);
	out_uint(h, "at_ns", NULL, ns % 1000000000);
	localtime_r(&s, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	out_text(h, "%s.%06u", text, (unsigned int)(ns % 1000000000 / 1000));
}

static void out_link(struct hcctl *h, const struct decoded *d)
{
	out_uint(h, "from", " %" PRIu64, d->from);
	out_uint(h, "to", " > %" PRIu64, d->to);
	out_uint(h, "dim", " dim %" PRIu64, d->dim);
	out_bool(h, "replayed", " replayed", d->replayed);
}

/* Print the name of the value @v. If @name is NULL, print "?", or if @v is 0, nothing. */
static void out_name(struct hcctl *h, const char *key, unsigned int v, const char *name)
{
	if (v)
		out_str(h, key, " %s", name ?: "?");
}

static void out_plan(struct hcctl *h, const struct decoded *d)
{
	const struct hc_coll_desc *desc = hc_coll_desc(d->collective);

	if (d->known >= DECODED_DATA) {
		out_name(h, "collective", d->collective, desc ? desc->name : NULL);
		out_name(h, "operator", d->oper, hcl_oper_name(d->oper));
		out_name(h, "data_type", d->dtype, hcl_type_name(d->dtype));
	}
	out_uint(h, "plan", " plan %" PRIu64, d->plan);
	out_uint(h, "epoch", " epoch %" PRIu64, d->epoch);
	out_uint(h, "op", " op %" PRIu64, d->op);
	if (d->known < DECODED_DATA)
		return;
	out_bool(h, "down", " down", d->down);
	out_uint(h, "stage", " stage %" PRIu64, d->stage);
	out_uint(h, "index", NULL, d->index);
	out_uint(h, "offset", " offset %" PRIu64, d->offset);
	out_uint(h, "total", " of %" PRIu64, d->total);
}

/* Print the fields of the common header, which all frames of the nodes' protocols have. */
static void out_frame(struct hcctl *h, const struct decoded *d)
{
	const char *type = decode_type(d);

	if (type)
		out_str(h, "type", " %s", type);
	else
		out_uint(h, "type", " type %" PRIu64, d->type);
	out_uint(h, "fabric_id", NULL, d->fabric);
	if (d->known >= DECODED_PLAN)
		out_plan(h, d);
	if (d->known == DECODED_COPY) {
		out_uint(h, "nr", " nr %" PRIu64, d->nr);
		out_uint(h, "copy", " copy %" PRIu64, d->copy);
		out_uint(h, "copies", " of %" PRIu64, d->copies);
		out_uint(h, "hop", " hop %" PRIu64, d->hop);
	}
	out_uint(h, "length", " length %" PRIu64, d->len);
	out_uint(h, "seq", NULL, d->seq);
	out_uint(h, "step", " step %" PRIu64, d->step);
	out_uint(h, "time_ns", NULL, d->time);
	out_bool(h, "routed", NULL, decode_routed(d));
	out_bool(h, "flooded", NULL, decode_flooded(d));
	out_uint(h, "src", decode_routed(d) ? " routed from %" PRIu64 :
		 decode_flooded(d) ? " flooded from %" PRIu64 :
		 d->known == DECODED_COPY ? " from %" PRIu64 : NULL, d->src);
	if (!decode_flooded(d))
		out_uint(h, "dst", decode_routed(d) || d->known == DECODED_COPY ?
			 " to %" PRIu64 : NULL, d->dst);
	out_uint(h, "walked", decode_routed(d) ? " walked %" PRIu64 : NULL, d->walked);
	if (decode_fixed(d))
		out_uint(h, "way", " of %" PRIu64, d->way);
}

static void print(struct hcctl *h, const struct capture_frame *frame, const struct decoded *d)
{
	out_object(h, NULL);
	out_when(h, frame->ns);
	if (d->known >= DECODED_LINK)
		out_link(h, d);
	if (d->known >= DECODED_FRAME)
		out_frame(h, d);
	if (d->wrong)
		out_str(h, "wrong", ": %s", d->wrong);
	out_text(h, "\n");
	out_close(h);
}

static int decode_all(struct hcctl *h, struct capture *c, const char *file)
{
	uint64_t frames = 0, others = 0;
	struct capture_frame frame;
	struct decoded d;
	int rc = 0;

	while (capture_next(h, c, &frame, &rc)) {
		frames++;
		if (decode_frame(&frame, &d))
			print(h, &frame, &d);
		else
			others++;
	}
	if (rc || !others)
		return rc;
	if (others == frames) {
		hc_error(h, "%s has no frames of a monitor interface (NAMEmon)", file);
		return HC_NO;
	}
	hc_warn(h, "%" PRIu64 " of %" PRIu64 " frames are not of a monitor interface: left out",
		others, frames);
	return 0;
}

static int decode(struct hcctl *h, int argc, char **argv)
{
	const char *file = argc ? *argv : NULL;
	struct capture *c;
	int rc;

	if (argc && hc_take_end(h, argc - 1, argv + 1))
		return HC_USAGE;
	if (file && !strcmp(file, "-"))
		file = NULL;
	if (!file && isatty(STDIN_FILENO))
		return hc_missing(h, "FILE, or a capture on standard input");
	c = capture_open(h, file);
	if (!c)
		return HC_NO;
	rc = decode_all(h, c, file ?: "standard input");
	capture_close(c);
	return rc;
}

const struct hc_cmd decode_cmds[] = {
	{ NULL, decode, "[FILE]" },
	{}
};
