// SPDX-License-Identifier: GPL-2.0
/*
 * Printing the steps between two states of a fabric: a line for each value that is removed ("-") or
 * added ("+").
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "state.h"

/* The step @s, which is being printed. @dry: the steps are not made. */
struct printing {
	struct hcctl *h;
	const struct state_diff *d;
	const struct state_step *s;
	bool dry;
};

static void put_object(struct printing *p)
{
	const struct state_step *s = p->s;
	const struct state *of = s->kind == STATE_PLAN_DEL ? p->d->have : p->d->want;
	struct hcctl *h = p->h;

	if (s->kind == STATE_FABRIC || s->kind == STATE_STALL_TIMEOUT) {
		out_str(h, "object", " %s", "fabric");
		out_text(h, " %s", of->name);
	} else if (s->kind == STATE_PLAN || s->kind == STATE_PLAN_DEL) {
		out_str(h, "object", " %s", "plan");
		out_uint(h, "plan", " %" PRIu64, of->plan[s->i].id);
	} else if (s->kind >= STATE_STEADY && s->kind != STATE_FAILED) {
		out_str(h, "object", " %s", "link");
		out_uint(h, "node", " %" PRIu64, s->i);
		out_uint(h, "dim", ":%" PRIu64, s->j);
	} else {
		out_str(h, "object", " %s", "node");
		out_uint(h, "node", " %" PRIu64, s->i);
	}
}

/* Print a line: @what is added if @comes, otherwise removed. */
static void line(struct printing *p, bool comes, const char *what)
{
	struct hcctl *h = p->h;

	if (!p->dry && !p->s->done)
		out_text(h, "not done: ");
	out_object(h, NULL);
	out_str(h, "change", "%s", comes ? "+" : "-");
	put_object(p);
	out_str(h, "what", " %s", what);
	if (p->s->kind == STATE_IMPAIR)
		out_bool(h, "one_way", " one-way", true);
	out_bool(h, "done", NULL, p->s->done);
	out_close(h);
	out_text(h, "\n");
}

/* --- values --- */

static void put_fabric(struct printing *p)
{
	const struct state *s = p->d->want;
	char text[128], buf[OUT_BUF];
	int len;

	if (s->dim)
		len = snprintf(text, sizeof(text), "dim %u", s->dim);
	else
		len = snprintf(text, sizeof(text), "%s",
			       *s->shape ? s->shape : "a network by its table");
	if (s->fixed)
		len += snprintf(text + len, sizeof(text) - len, " nodes %s",
				cmd_part_text(buf, s->dim, s->fixed, s->base));
	if (s->id)
		len += snprintf(text + len, sizeof(text) - len, " id %u", s->id);
	if (s->segment)
		snprintf(text + len, sizeof(text) - len, " segment %u", s->segment);
	line(p, true, text);
}

static void put_stall_timeout(struct printing *p, bool comes, uint32_t ms)
{
	char text[OUT_BUF + 16], buf[OUT_BUF];

	snprintf(text, sizeof(text), "stall-timeout %s",
		 ms ? out_exact_time(buf, ms * UINT64_C(1000000)) : "forever");
	line(p, comes, text);
}

static void put_netns(struct printing *p, bool comes, const struct state_node *v)
{
	char text[256];

	if (!v->netns && !v->lost)
		return;
	snprintf(text, sizeof(text), "netns %s", v->netns ?: "without name");
	line(p, comes, text);
}

static void put_addr(struct printing *p, bool comes, const struct nl_addr_in *a)
{
	char text[STATE_ADDR_BUF + 16], buf[STATE_ADDR_BUF];

	snprintf(text, sizeof(text), "address %s", state_addr(buf, a));
	line(p, comes, text);
}

static void put_owner(struct printing *p, bool comes, uint32_t owner)
{
	char text[32];

	if (owner == NL_NONE)
		return;
	snprintf(text, sizeof(text), "owner %u", owner);
	line(p, comes, text);
}

static void put_flap(struct printing *p, bool comes, const struct state_end *e)
{
	char text[2 * OUT_BUF + 16], down[OUT_BUF], period[OUT_BUF];

	snprintf(text, sizeof(text), "flap %s/%s",
		 out_exact_time(down, e->flap_down * UINT64_C(1000000)),
		 out_exact_time(period, e->flap_period * UINT64_C(1000000)));
	line(p, comes, text);
}

static void put_plan(struct printing *p, bool comes, const struct nl_plan *v)
{
	const struct planner *type = planner_of(v->type);
	char text[96 + OUT_BUF], buf[OUT_BUF];
	int len;

	len = snprintf(text, sizeof(text), "%s", type ? type->object.name : "unknown");
	if (type && type->root->word)
		len += snprintf(text + len, sizeof(text) - len, " %s %u", type->root->word,
				type->root->of(v));
	if (v->guard)
		len += snprintf(text + len, sizeof(text) - len, " guard %s",
				out_exact_time(buf, v->guard * UINT64_C(1000000)));
	if (v->guard && v->guard_uid != NL_NONE)
		len += snprintf(text + len, sizeof(text) - len, " guard-uid %u", v->guard_uid);
	snprintf(text + len, sizeof(text) - len, "%s", v->broken ? " BROKEN" : "");
	line(p, comes, text);
}

/* --- impairments: those that differ --- */

static const char *number_text(char *buf, uint64_t v)
{
	snprintf(buf, OUT_BUF, "%" PRIu64, v);
	return buf;
}

/* A number in the current and in the wanted state. @text converts it to text. */
struct value {
	const char *name;
	uint64_t have, want;
	const char *(*text)(char *buf, uint64_t v);
	uint64_t first;		/* default value, for which no line is printed */
};

static void put_value(struct printing *p, const struct value *v)
{
	char text[OUT_BUF + 16], buf[OUT_BUF];

	if (v->have == v->want)
		return;
	if (v->have != v->first) {
		snprintf(text, sizeof(text), "%s %s", v->name, v->text(buf, v->have));
		line(p, false, text);
	}
	if (v->want != v->first) {
		snprintf(text, sizeof(text), "%s %s", v->name, v->text(buf, v->want));
		line(p, true, text);
	}
}

static void put_impairments(struct printing *p)
{
	const struct state_end *have = state_end(p->d->have, p->s->i, p->s->j);
	const struct state_end *want = state_end(p->d->want, p->s->i, p->s->j);
	const struct state_number *n;

	for (n = state_numbers; n->key; n++) {
		const struct value v = {
			n->word, state_number(have, n), state_number(want, n), n->text, n->first,
		};

		if (state_number_changes(have, want, n))
			put_value(p, &v);
	}
}

static void put_byzantine(struct printing *p, bool comes, const struct nl_byzantine *l)
{
	char buf[CMD_BYZANTINE_BUF];

	if (cmd_is_byzantine(l))
		line(p, comes, cmd_byzantine_text(buf, l));
}

/* --- steps --- */

/* Print the change of a node's namespace or owner. In each of the two states, the node may have
 * none.
 */
static void put_both(struct printing *p, const struct state_node *have,
		     const struct state_node *want)
{
	if (p->s->kind == STATE_NETNS) {
		put_netns(p, false, have);
		put_netns(p, true, want);
	} else {
		put_owner(p, false, have->owner);
		put_owner(p, true, want->owner);
	}
}

/* Return: the plan with @id in the state, or NULL. */
static const struct nl_plan *replaced(const struct state *s, uint32_t id)
{
	size_t i;

	for (i = 0; i < s->nplans; i++)
		if (s->plan[i].id == id)
			return &s->plan[i];
	return NULL;
}

static void put_new_plan(struct printing *p)
{
	const struct nl_plan *want = &p->d->want->plan[p->s->i];
	const struct nl_plan *have = replaced(p->d->have, want->id);

	if (have)
		put_plan(p, false, have);
	put_plan(p, true, want);
}

static void put_node(struct printing *p)
{
	const struct state_step *s = p->s;
	const struct state_node *have = &p->d->have->node[s->i];
	const struct state_node *want = &p->d->want->node[s->i];
	struct value v;

	switch (s->kind) {
	case STATE_MTU:
		v = (struct value){ "mtu", have->mtu, want->mtu, number_text, STATE_MTU_DEFAULT };
		put_value(p, &v);
		break;
	case STATE_QUEUE:
		v = (struct value){ "txqueuelen", have->queue, want->queue, number_text,
				    STATE_QUEUE_DEFAULT };
		put_value(p, &v);
		break;
	case STATE_ADDR_DEL:
		put_addr(p, false, &have->addr[s->j]);
		break;
	case STATE_ADDR:
		put_addr(p, true, &want->addr[s->j]);
		break;
	case STATE_UP:
		line(p, want->up, "up");
		break;
	case STATE_FAILED:
		line(p, want->failed, "failed");
		break;
	case STATE_BYZANTINE:
		put_byzantine(p, false, &have->byzantine);
		put_byzantine(p, true, &want->byzantine);
		break;
	default:
		put_both(p, have, want);
	}
}

static void put_step(struct printing *p)
{
	const struct state_diff *d = p->d;
	const struct state_step *s = p->s;

	switch (s->kind) {
	case STATE_FABRIC:
		put_fabric(p);
		break;
	case STATE_STALL_TIMEOUT:
		put_stall_timeout(p, false, d->have->stall_timeout);
		put_stall_timeout(p, true, d->want->stall_timeout);
		break;
	case STATE_PLAN_DEL:
		put_plan(p, false, &d->have->plan[s->i]);
		break;
	case STATE_PLAN:
		put_new_plan(p);
		break;
	case STATE_STEADY:
		put_flap(p, false, state_end(d->have, s->i, s->j));
		break;
	case STATE_FLAP:
		put_flap(p, true, state_end(d->want, s->i, s->j));
		break;
	case STATE_LINK:
		line(p, state_end(d->want, s->i, s->j)->down, "down");
		break;
	case STATE_IMPAIR:
	case STATE_IMPAIR_BOTH:
		put_impairments(p);
		break;
	default:
		put_node(p);
	}
}

void state_diff_print(struct hcctl *h, const struct state_diff *d, bool dry)
{
	struct printing p = { .h = h, .d = d, .dry = dry };
	size_t i;

	out_object(h, NULL);
	out_str(h, "fabric", NULL, d->want->name);
	out_bool(h, "dry_run", NULL, dry);
	out_array(h, "changes");
	for (i = 0; i < d->nsteps; i++) {
		p.s = &d->step[i];
		put_step(&p);
	}
	out_close(h);
	if (!d->nsteps)
		out_text(h, "fabric %s: nothing to do\n", d->want->name);
	out_close(h);
}
