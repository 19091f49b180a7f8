// SPDX-License-Identifier: GPL-2.0
/*
 * Printing of a link's impairments and their counters, for hcctl link and monitor.
 */
#include <inttypes.h>

#include "cmd.h"

static void out_flap(struct hcctl *h, const struct nl_link *v)
{
	char down[OUT_BUF], period[OUT_BUF];

	out_uint(h, "flap_down_ms", NULL, v->flap_down);
	out_uint(h, "flap_period_ms", NULL, v->flap_period);
	if (v->flap_period)
		out_text(h, " flap %s/%s", out_exact_time(down, v->flap_down * UINT64_C(1000000)),
			 out_exact_time(period, v->flap_period * UINT64_C(1000000)));
}

static void out_ppm(struct hcctl *h, const char *key, const char *word, uint32_t ppm)
{
	char buf[OUT_BUF];

	out_uint(h, key, NULL, ppm);
	if (ppm)
		out_text(h, " %s %s", word, out_percent(buf, ppm));
}

static void out_ns(struct hcctl *h, const char *key, const char *word, uint64_t ns)
{
	char buf[OUT_BUF];

	out_uint(h, key, NULL, ns);
	if (ns)
		out_text(h, " %s %s", word, out_exact_time(buf, ns));
}

static void out_bytes_per_second(struct hcctl *h, const char *key, const char *word, uint64_t rate)
{
	char buf[OUT_BUF];

	out_uint(h, key, NULL, rate);
	if (rate)
		out_text(h, " %s %s", word, out_rate(buf, rate));
}

void cmd_out_impairments(struct hcctl *h, const struct nl_link *v)
{
	out_flap(h, v);
	out_ppm(h, "loss_ppm", "loss", v->loss);
	out_ppm(h, "corrupt_ppm", "corrupt", v->corrupt);
	out_ppm(h, "duplicate_ppm", "duplicate", v->duplicate);
	out_ns(h, "delay_ns", "delay", v->delay);
	out_ns(h, "jitter_ns", "jitter", v->jitter);
	out_bytes_per_second(h, "rate", "rate", v->rate);
	out_uint(h, "seed", v->loss || v->corrupt || v->duplicate || v->jitter ?
			    " seed %" PRIu64 : NULL, v->seed);
	out_ns(h, "model_latency_ns", "model-latency", v->model_latency);
	out_bytes_per_second(h, "model_bandwidth", "model-bandwidth", v->model_bandwidth);
}

static void out_count(struct hcctl *h, const char *key, const char *fmt, uint64_t n)
{
	out_uint(h, key, n ? fmt : NULL, n);
}

void cmd_out_impaired(struct hcctl *h, const struct nl_link *v)
{
	out_count(h, "replays", " replays %" PRIu64, v->replays);
	out_count(h, "corrupted", " corrupted %" PRIu64, v->corrupted);
	out_count(h, "duplicated", " duplicated %" PRIu64, v->duplicated);
	out_count(h, "delayed", " delayed %" PRIu64, v->delayed);
	out_count(h, "queued_frames", " queued %" PRIu64, v->queued);
	out_count(h, "queued_bytes", "/%" PRIu64 "B", v->queued_bytes);
}
