// SPDX-License-Identifier: GPL-2.0
/*
 * The numbers of a link's end that a file has: a table, and the functions that read it. Other files
 * name only the numbers about which they have rules.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "hc_bounds.h"
#include "state.h"

static const char *ppm_text(char *buf, uint64_t v)
{
	return out_percent(buf, v);
}

static const char *number_text(char *buf, uint64_t v)
{
	snprintf(buf, OUT_BUF, "%" PRIu64, v);
	return buf;
}

#define AT(member, name) .at = offsetof(struct state_end, member), .attr = HYPERCUBE_A_LINK_ ## name

const struct state_number state_numbers[] = {
	{ "loss_ppm", "loss", AT(loss, LOSS), HYPERCUBE_PPM_MAX, 0, ppm_text },
	{ "corrupt_ppm", "corrupt", AT(corrupt, CORRUPT), HYPERCUBE_PPM_MAX, 0, ppm_text },
	{ "duplicate_ppm", "duplicate", AT(duplicate, DUPLICATE), HYPERCUBE_PPM_MAX, 0, ppm_text },
	{ "delay_ns", "delay", AT(delay, DELAY), HC_DELAY_MAX, 0, out_exact_time },
	{ "jitter_ns", "jitter", AT(jitter, JITTER), HC_DELAY_MAX, 0, out_exact_time },
	{ "rate", "rate", AT(rate, RATE), UINT64_MAX, 0, out_rate },
	{ "seed", "seed", AT(seed, SEED), UINT32_MAX, STATE_SEED_NONE, number_text },
	{ "model_latency_ns", "model-latency", AT(latency, MODEL_LATENCY), HC_LATENCY_MAX,
	  HC_LATENCY_DEFAULT, out_exact_time },
	{ "model_bandwidth", "model-bandwidth", AT(bandwidth, MODEL_BANDWIDTH), UINT64_MAX,
	  HC_BANDWIDTH_DEFAULT, out_rate },
	{}
};

uint64_t *state_number_of(struct state_end *e, const struct state_number *n)
{
	return (uint64_t *)((char *)e + n->at);
}

uint64_t state_number(const struct state_end *e, const struct state_number *n)
{
	return *(const uint64_t *)((const char *)e + n->at);
}

struct state_end state_end_default(void)
{
	const struct state_number *n;
	struct state_end e = {};

	for (n = state_numbers; n->key; n++)
		*state_number_of(&e, n) = n->first;
	return e;
}

bool state_uses_seed(const struct state_end *e)
{
	return e->loss || e->corrupt || e->duplicate || e->jitter;
}

bool state_number_changes(const struct state_end *have, const struct state_end *want,
			  const struct state_number *n)
{
	uint64_t v = state_number(want, n);
	bool none = n->first == STATE_SEED_NONE && v == STATE_SEED_NONE;

	return v != state_number(have, n) && !none;
}

bool state_end_same(const struct state_end *a, const struct state_end *b)
{
	const struct state_number *n;

	for (n = state_numbers; n->key; n++)
		if (state_number_changes(b, a, n))
			return false;
	return true;
}

bool state_end_is_default(const struct state_end *e)
{
	const struct state_number *n;

	for (n = state_numbers; n->key; n++)
		if (state_number(e, n) != n->first)
			return false;
	return true;
}

void state_end_take(struct state_end *e, const struct nl_link *v)
{
	const struct state_number *n;

	for (n = state_numbers; n->key; n++)
		*state_number_of(e, n) = nl_link_number(v, n->attr);
	if (!state_uses_seed(e))
		e->seed = STATE_SEED_NONE;
}

struct nl_link_set state_end_changes(const struct state_end *have, const struct state_end *want)
{
	const uint64_t delays = NL_LINK_BIT(DELAY) | NL_LINK_BIT(JITTER);
	const struct state_number *n;
	struct nl_link_set s = {};

	for (n = state_numbers; n->key; n++) {
		nl_link_number_put(&s.link, n->attr, state_number(want, n));
		if (state_number_changes(have, want, n))
			s.set |= UINT64_C(1) << n->attr;
	}
	/* The kernel sets jitter to 0 when it sets a delay. */
	if (s.set & delays)
		s.set |= delays;
	return s;
}
