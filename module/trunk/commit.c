// SPDX-License-Identifier: GPL-2.0
/*
 * Two-phase commit of plans: see commit.h.
 *
 * Nothing in a note is believed: a plan is verified as one of netlink is, numbers of errors are
 * looked up in a table, sentences are printed only as far as they are printable.
 */
#include <linux/ctype.h>
#include <linux/jiffies.h>
#include <linux/netlink.h>
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "coll/plan.h"
#include "coll/plan_wire.h"
#include "compat.h"
#include "fabric/fabric.h"
#include "hc_topo.h"
#include "trunk/commit.h"
#include "trunk/trunk.h"

/* ms for all answers to a wave; each machine has an eighth less than who asks it. */
#define WAVE_TIME	5000
/* ms for the decision, once all is prepared: longer than what can still be under way. */
#define DECISION_TIME	(2 * WAVE_TIME)

/* ------------------------------------------------------------ verdicts */

/* Machines may number errors differently. The last one stands for all that are not here. */
static const int errors[] = {
	0, -EINVAL, -ENOMEM, -EBUSY, -ESTALE, -ERANGE, -EDQUOT, -EHOSTUNREACH, -ETIMEDOUT,
	-EOPNOTSUPP, -EPERM, -ECANCELED, -EREMOTEIO,
};

static u8 error_index(int error)
{
	unsigned int i = 0;

	while (i < ARRAY_SIZE(errors) - 1 && errors[i] != error)
		i++;
	return i;
}

static void verdict_set(struct hc_commit_verdict *v, int error, u32 fixed, u32 base,
			const char *why)
{
	char *c;

	if (v->error)
		return;
	v->error = error;
	v->fixed = fixed;
	v->base = base;
	strscpy(v->why, why ?: "no reason is told", sizeof(v->why));
	for (c = v->why; *c; c++)
		if (!isascii(*c) || !isprint(*c))
			*c = '?';
}

/* What this machine itself says. */
static void verdict_own(const struct hc_fabric *fabric, struct hc_commit_verdict *v, int error,
			const char *why)
{
	if (!why && error == -ENOMEM)
		why = "there is no memory for it";
	verdict_set(v, error, fabric->fixed, fabric->base, why);
}

static void verdict_of_trunk(const struct hc_trunk *trunk, struct hc_commit_verdict *v, int error,
			     const char *why)
{
	verdict_set(v, error, trunk->fixed, trunk->base, why);
}

/* "10XX" */
static void part_text(const struct hc_fabric *fabric, u32 fixed, u32 base, char *to)
{
	unsigned int d = fabric->dim;

	while (d--)
		*to++ = !(fixed & hc_bit(d)) ? 'X' : base & hc_bit(d) ? '1' : '0';
	*to = 0;
}

/* ------------------------------------------------------------ notes */

static bool id_is(const struct hc_commit_id *a, const struct hc_commit_id *b)
{
	return a->nr == b->nr && a->origin == b->origin;
}

static u32 answer_len(const struct hc_fabric *fabric, u8 step)
{
	return sizeof(struct hc_wire_answer) +
	       (step == HC_COMMIT_PREPARE ? hc_set_words(fabric->dim) * sizeof(__be32) : 0);
}

bool hc_commit_fits(const struct hc_fabric *fabric, u8 what, u32 len)
{
	if (what == HC_RECORD_ASK)
		return len >= sizeof(struct hc_wire_ask) && len <= HC_TRUNK_NOTE_MAX &&
		       len <= sizeof(struct hc_wire_ask) + hc_plan_wire_max(fabric);
	return len == answer_len(fabric, HC_COMMIT_PREPARE) ||
	       len == answer_len(fabric, HC_COMMIT_SWITCH);
}

/* Answer step @step of a request; @nodes: the machines that are in the answer, or NULL. */
static void answer(struct hc_trunk *trunk, const struct hc_commit_id *id, u8 step,
		   const struct hc_commit_verdict *v, const u32 *nodes, u32 last)
{
	struct hc_fabric *fabric = trunk->fabric;
	struct hc_trunk_note *note = hc_trunk_note_new(fabric, HC_RECORD_ANSWER,
						       answer_len(fabric, step));
	struct hc_wire_answer *w;
	__be32 *words;
	u32 i;

	w = (struct hc_wire_answer *)note->data;
	words = (__be32 *)(w + 1);
	w->nr = cpu_to_be32(id->nr);
	w->origin = cpu_to_be16(id->origin);
	w->step = step;
	w->error = error_index(v->error);
	w->epoch = cpu_to_be32(last);
	w->fixed = cpu_to_be16(v->fixed);
	w->base = cpu_to_be16(v->base);
	memcpy(w->why, v->why, sizeof(w->why));
	for (i = 0; nodes && step == HC_COMMIT_PREPARE && i < hc_set_words(fabric->dim); i++)
		words[i] = cpu_to_be32(nodes[i]);
	hc_trunk_note_say(trunk, note);
	hc_trunk_note_put(note);
}

/* Nothing against it, and nothing new. */
static void answer_again(struct hc_trunk *trunk, const struct hc_commit_id *id, u8 step)
{
	static const struct hc_commit_verdict none;

	answer(trunk, id, step, &none, NULL, 0);
}

static void answer_no(struct hc_trunk *trunk, const struct hc_commit_id *id, u8 step, int error,
		      const char *why)
{
	struct hc_commit_verdict v = {};

	verdict_own(trunk->fabric, &v, error, why);
	answer(trunk, id, step, &v, NULL, 0);
}

/* The request as it goes on: with the plan behind it, if it has one. */
static struct hc_trunk_note *ask_new(const struct hc_fabric *fabric, u8 step, u32 left, u32 hops,
				     u32 more)
{
	const struct hc_commit *c = &fabric->commit;
	struct hc_trunk_note *note;

	note = hc_trunk_note_new(fabric, HC_RECORD_ASK, sizeof(struct hc_wire_ask) + more);
	if (note)
		*(struct hc_wire_ask *)note->data = (struct hc_wire_ask){
			.nr = cpu_to_be32(c->id.nr), .origin = cpu_to_be16(c->id.origin),
			.step = step, .what = c->what, .plan = cpu_to_be32(c->plan_id),
			.epoch = cpu_to_be32(c->epoch), .left = cpu_to_be32(left),
			.hops = cpu_to_be16(hops),
		};
	return note;
}

/* ------------------------------------------------------------ beginning and end */

static const struct hc_commit_id *over_find(const struct hc_commit *c,
					    const struct hc_commit_id *id)
{
	unsigned int i;

	for (i = 0; i < min_t(u32, c->nover, HC_COMMITS_KEPT); i++)
		if (id_is(&c->over[i], id))
			return &c->over[i];
	return NULL;
}

static void over_add(struct hc_commit *c, const struct hc_commit_id *id, bool done)
{
	unsigned int i = c->nover % HC_COMMITS_KEPT;

	c->over[i] = *id;
	__assign_bit(i, &c->done, done);
	c->nover++;
}

static int begin(struct hc_fabric *fabric, const struct hc_commit_id *id, u8 what, u32 plan_id,
		 u32 epoch)
{
	struct hc_commit *c = &fabric->commit;
	u32 u;

	c->nodes = kcalloc(hc_set_words(fabric->dim), sizeof(u32), GFP_KERNEL_ACCOUNT);
	if (!c->nodes)
		return -ENOMEM;
	for (u = 0; u < hc_nodes(fabric->dim); u++)
		if (hc_is_here(fabric, u))
			hc_set_add(c->nodes, u);
	c->busy = true;
	c->id = *id;
	c->what = what;
	c->plan_id = plan_id;
	c->epoch = epoch;
	c->last = fabric->epoch;
	c->verdict = (struct hc_commit_verdict){};
	return 0;
}

static void outcome_tell(struct hc_fabric *fabric)
{
	struct hc_commit *c = &fabric->commit;
	struct hc_commit_outcome *o = c->outcome;
	const struct hc_commit_verdict *v = &c->verdict;
	char part[HYPERCUBE_DIM_MAX + 1];

	c->outcome = NULL;
	if (!o)
		return;
	part_text(fabric, v->fixed, v->base, part);
	o->over = true;
	o->error = v->error;
	if (v->error)
		snprintf(o->text, sizeof(o->text), "nodes %s: %s%s", part, v->why,
			 c->step == HC_COMMIT_DROP ? "" : "; it has taken effect elsewhere");
}

static void finish(struct hc_fabric *fabric)
{
	struct hc_commit *c = &fabric->commit;

	if (c->mine)
		outcome_tell(fabric);
	over_add(c, &c->id, c->step == HC_COMMIT_SWITCH || c->step == HC_COMMIT_OPEN);
	kfree(c->nodes);
	c->nodes = NULL;
	c->plan = NULL;
	c->parent = NULL;
	c->mine = false;
	c->waits = false;
	c->busy = false;
	cancel_delayed_work(&c->timer);
}

/* ------------------------------------------------------------ what is done here */

static int prepare_new(struct hc_fabric *fabric, const struct hc_plan_params *p,
		       struct netlink_ext_ack *extack)
{
	struct hc_plan *plan = hc_plan_prepare(fabric, p, extack);

	if (IS_ERR(plan))
		return PTR_ERR(plan);
	fabric->commit.plan = plan;
	return 0;
}

static void drop(struct hc_fabric *fabric)
{
	struct hc_commit *c = &fabric->commit;

	if (c->plan)
		hc_plan_cancel(c->plan);
	c->plan = NULL;
}

static void open(struct hc_fabric *fabric)
{
	struct hc_commit *c = &fabric->commit;

	if (c->plan)
		hc_plan_open(c->plan);
	c->plan = NULL;
}

/* Somebody may have told a greatest epoch that is none: then only this machine is without it. */
static void effect(struct hc_fabric *fabric)
{
	struct hc_commit *c = &fabric->commit;
	struct hc_said said = {};

	if (c->what == HC_COMMIT_DEL) {
		if (xa_load(&fabric->plans, c->plan_id))
			hc_plan_remove(fabric, c->plan_id, &said.extack);
		return;
	}
	if (!c->epoch || hc_plan_check_epoch(fabric, c->epoch, &said.extack)) {
		verdict_own(fabric, &c->verdict, -ERANGE, said.extack._msg);
		drop(fabric);
		return;
	}
	hc_plan_publish(c->plan, c->epoch);
}

/* ------------------------------------------------------------ waves */

static void expire_in(struct hc_commit *c, u32 ms)
{
	c->expires = jiffies + msecs_to_jiffies(ms);
	mod_delayed_work(hc_trunk_wq, &c->timer, msecs_to_jiffies(ms));
}

/* Ask all neighbours but @parent; consumes @note, NULL: there was no memory. */
static void wave_send(struct hc_fabric *fabric, u8 step, struct hc_trunk_note *note,
		      struct hc_trunk *parent, u32 left)
{
	struct hc_commit *c = &fabric->commit;
	struct hc_trunk *trunk;

	c->step = step;
	c->parent = parent;
	c->waits = true;
	if (!note)
		verdict_own(fabric, &c->verdict, -ENOMEM, NULL);
	list_for_each_entry(trunk, &fabric->trunks.list, list) {
		trunk->awaited = note && trunk != parent &&
				 test_bit(HC_TRUNK_GREETED, &trunk->flags) &&
				 !test_bit(HC_TRUNK_BROKEN, &trunk->flags);
		if (trunk->awaited)
			hc_trunk_note_say(trunk, note);
	}
	hc_trunk_note_put(note);
	expire_in(c, left);
}

/* Of a plan that all could prepare: is there somebody whom nobody has asked? */
static void covers_all(struct hc_fabric *fabric)
{
	struct hc_commit *c = &fabric->commit;
	char why[HC_WHY_MAX];
	u32 u;

	for (u = 0; c->plan && u < hc_nodes(fabric->dim); u++) {
		if (!hc_set_has(c->plan->members, u) || hc_set_has(c->nodes, u))
			continue;
		snprintf(why, sizeof(why), "no machine has answered for node %u", u);
		verdict_set(&c->verdict, -EHOSTUNREACH, hc_ones(fabric->dim), u, why);
		return;
	}
}

static void wave_check(struct hc_fabric *fabric);

/* A wave that this machine begins. */
static void wave_own(struct hc_fabric *fabric, u8 step)
{
	wave_send(fabric, step, ask_new(fabric, step, WAVE_TIME, 0, 0), NULL, WAVE_TIME);
}

/* Above all that there have been. */
static void epoch_choose(struct hc_fabric *fabric)
{
	struct hc_commit *c = &fabric->commit;
	struct hc_said said = {};

	if (!c->epoch)
		c->epoch = hc_plan_next_epoch(c->last);
	if (hc_plan_check_epoch(fabric, c->epoch, &said.extack))
		verdict_own(fabric, &c->verdict, -ERANGE, said.extack._msg);
}

static void decide(struct hc_fabric *fabric)
{
	struct hc_commit *c = &fabric->commit;

	covers_all(fabric);
	epoch_choose(fabric);
	if (c->verdict.error) {
		wave_own(fabric, HC_COMMIT_DROP);
		drop(fabric);
	} else {
		wave_own(fabric, HC_COMMIT_SWITCH);
		effect(fabric);
	}
	wave_check(fabric);
}

/* All have answered a wave of a request of this machine. */
static void own_goes_on(struct hc_fabric *fabric)
{
	struct hc_commit *c = &fabric->commit;

	if (c->step == HC_COMMIT_PREPARE) {
		decide(fabric);
	} else if (c->step == HC_COMMIT_SWITCH && c->what == HC_COMMIT_NEW) {
		wave_own(fabric, HC_COMMIT_OPEN);
		open(fabric);
		wave_check(fabric);
	} else {
		finish(fabric);
	}
}

/* Is there nothing to come behind a step? */
static bool step_is_last(const struct hc_commit *c)
{
	return c->step == HC_COMMIT_OPEN || c->step == HC_COMMIT_DROP ||
	       (c->step == HC_COMMIT_SWITCH && c->what == HC_COMMIT_DEL);
}

static void wave_over(struct hc_fabric *fabric)
{
	struct hc_commit *c = &fabric->commit;

	c->waits = false;
	if (c->mine) {
		own_goes_on(fabric);
		return;
	}
	if (c->parent)
		answer(c->parent, &c->id, c->step, &c->verdict, c->nodes, c->last);
	if (step_is_last(c))
		finish(fabric);
	else
		expire_in(c, DECISION_TIME);
}

static void wave_check(struct hc_fabric *fabric)
{
	struct hc_trunk *trunk;

	list_for_each_entry(trunk, &fabric->trunks.list, list)
		if (trunk->awaited)
			return;
	wave_over(fabric);
}

/* No decision comes any more. */
static void give_up(struct hc_fabric *fabric)
{
	if (fabric->commit.step == HC_COMMIT_PREPARE)
		drop(fabric);
	else
		open(fabric);
	finish(fabric);
}

static bool verdict_counts(const struct hc_commit *c)
{
	return c->step == HC_COMMIT_PREPARE || c->step == HC_COMMIT_SWITCH;
}

/* No answer is awaited any more, which is an error, or is not. */
static void awaits_end(struct hc_fabric *fabric, int error, const char *why)
{
	struct hc_commit *c = &fabric->commit;
	struct hc_trunk *trunk;

	list_for_each_entry(trunk, &fabric->trunks.list, list) {
		if (trunk->awaited && error && verdict_counts(c))
			verdict_of_trunk(trunk, &c->verdict, error, why);
		trunk->awaited = false;
	}
}

static void wave_expired(struct hc_fabric *fabric)
{
	awaits_end(fabric, -ETIMEDOUT, "they have not answered in time");
	wave_over(fabric);
}

static void timer_work(struct work_struct *work)
{
	struct hc_fabric *fabric = container_of(to_delayed_work(work), struct hc_fabric,
						commit.timer);
	struct hc_commit *c = &fabric->commit;

	mutex_lock(&fabric->lock);
	/* It may have been put off when this work waited for the lock. */
	if (!fabric->dead && c->busy && time_after_eq(jiffies, c->expires)) {
		if (c->waits)
			wave_expired(fabric);
		else
			give_up(fabric);
	}
	mutex_unlock(&fabric->lock);
}

/* ------------------------------------------------------------ what others ask */

struct ask {
	struct hc_commit_id id;
	u8 step;
	u8 what;
	u32 plan;
	u32 epoch;
	u32 left;
	u32 hops;
	const void *shape;
	size_t len;
};

static const char *ask_flaw(const struct hc_fabric *fabric, const struct ask *a)
{
	bool shape = a->step == HC_COMMIT_PREPARE && a->what == HC_COMMIT_NEW;

	if (a->step < HC_COMMIT_PREPARE || a->step > HC_COMMIT_DROP ||
	    a->what < HC_COMMIT_NEW || a->what > HC_COMMIT_DEL || !a->plan ||
	    a->id.origin >= hc_nodes(fabric->dim))
		return "The other end asks for what makes no sense";
	if (!shape && a->len)
		return "The other end sends a record of a wrong length";
	return NULL;
}

static struct hc_trunk_note *ask_on(const struct hc_fabric *fabric, const struct ask *a, u32 left)
{
	struct hc_trunk_note *note = ask_new(fabric, a->step, left, a->hops + 1, a->len);

	if (note)
		memcpy(note->data + sizeof(struct hc_wire_ask), a->shape, a->len);
	return note;
}

/* Whoever is asked by this machine gets less time. */
static void wave_on(struct hc_trunk *trunk, const struct ask *a)
{
	struct hc_fabric *fabric = trunk->fabric;
	u32 left = a->left - a->left / 8;

	wave_send(fabric, a->step, ask_on(fabric, a, left), trunk, left);
}

static int prepare_asked(struct hc_fabric *fabric, const struct ask *a,
			 struct netlink_ext_ack *extack)
{
	struct hc_plan_params p = { .id = a->plan, .epoch = a->epoch };
	int err;

	if (a->what == HC_COMMIT_DEL)
		return 0;
	err = hc_plan_wire_get(fabric, a->shape, a->len, &p, extack) ?:
	      prepare_new(fabric, &p, extack);
	hc_plan_wire_free(&p);
	return err;
}

static const char *may_not(const struct hc_trunk *trunk)
{
	if (!hc_trunks_wanted())
		return "the module's parameter \"trunks\" is off";
	if (test_bit(HC_TRUNK_NO_PLANS, &trunk->flags))
		return "plans are not accepted by this trunk";
	return NULL;
}

/* A request that this machine has not heard of. */
static void ask_first(struct hc_trunk *trunk, const struct ask *a)
{
	struct hc_fabric *fabric = trunk->fabric;
	const char *why = may_not(trunk);
	struct hc_said said = {};
	int err;

	if (why) {
		answer_no(trunk, &a->id, a->step, -EPERM, why);
		return;
	}
	if (a->hops >= hc_nodes(fabric->dim)) {
		answer_no(trunk, &a->id, a->step, -EINVAL, "the request came over too many machines");
		return;
	}
	err = begin(fabric, &a->id, a->what, a->plan, a->epoch);
	if (err) {
		answer_no(trunk, &a->id, a->step, err, NULL);
		return;
	}
	err = prepare_asked(fabric, a, &said.extack);
	if (!err) {
		wave_on(trunk, a);
		wave_check(fabric);
		return;
	}
	answer_no(trunk, &a->id, a->step, err, said.extack._msg);
	fabric->commit.step = HC_COMMIT_PREPARE;
	finish(fabric);
}

/* One that is over, or that it never had. */
static void ask_stranger(struct hc_trunk *trunk, const struct ask *a)
{
	const struct hc_commit *c = &trunk->fabric->commit;
	const struct hc_commit_id *over = over_find(c, &a->id);

	if (a->step == HC_COMMIT_SWITCH && !(over && test_bit(over - c->over, &c->done)))
		answer_no(trunk, &a->id, a->step, -ECANCELED,
			  "the request was given up here before it took effect");
	else if (a->step == HC_COMMIT_PREPARE && !over && c->busy)
		answer_no(trunk, &a->id, a->step, -EBUSY,
			  "another request to all machines is under way");
	else if (a->step == HC_COMMIT_PREPARE && !over)
		ask_first(trunk, a);
	else
		answer_again(trunk, &a->id, a->step);
}

/* Does the step follow? Nobody decides unless all have answered. */
static bool step_follows(const struct hc_commit *c, u8 step)
{
	switch (step) {
	case HC_COMMIT_SWITCH:
		return c->step == HC_COMMIT_PREPARE && !c->waits && !c->verdict.error;
	case HC_COMMIT_OPEN:
		return c->step == HC_COMMIT_SWITCH;
	case HC_COMMIT_DROP:
		return c->step == HC_COMMIT_PREPARE;
	}
	return false;
}

static void step_do(struct hc_trunk *trunk, const struct ask *a)
{
	struct hc_fabric *fabric = trunk->fabric;
	struct hc_commit *c = &fabric->commit;

	if (a->step == HC_COMMIT_SWITCH)
		c->epoch = a->epoch;
	wave_on(trunk, a);
	if (a->step == HC_COMMIT_SWITCH)
		effect(fabric);
	else if (a->step == HC_COMMIT_OPEN)
		open(fabric);
	else
		drop(fabric);
	wave_check(fabric);
}

/* The request that it works on: by another way, or the next step. */
static void ask_known(struct hc_trunk *trunk, const struct ask *a)
{
	struct hc_commit *c = &trunk->fabric->commit;

	if (a->step == c->step && c->waits && trunk->awaited) {
		trunk->awaited = false;
		wave_check(trunk->fabric);
	} else if (!c->mine && step_follows(c, a->step) && !may_not(trunk)) {
		step_do(trunk, a);
	} else if (a->step == HC_COMMIT_SWITCH && c->step < HC_COMMIT_SWITCH) {
		answer_no(trunk, &a->id, a->step, -ECANCELED, "it was not prepared here");
	} else {
		answer_again(trunk, &a->id, a->step);
	}
}

static void ask_take(struct hc_trunk *trunk, const struct hc_trunk_note *note)
{
	const struct hc_wire_ask *w = (const void *)note->data;
	struct hc_fabric *fabric = trunk->fabric;
	const struct ask a = {
		.id = { be32_to_cpu(w->nr), be16_to_cpu(w->origin) },
		.step = w->step, .what = w->what, .plan = be32_to_cpu(w->plan),
		.epoch = be32_to_cpu(w->epoch),
		.left = clamp_t(u32, be32_to_cpu(w->left), 1, WAVE_TIME),
		.hops = be16_to_cpu(w->hops), .shape = w + 1, .len = note->len - sizeof(*w),
	};
	const char *flaw = ask_flaw(fabric, &a);

	if (flaw)
		hc_trunk_break(trunk, -EPROTO, flaw);
	else if (fabric->commit.busy && id_is(&a.id, &fabric->commit.id))
		ask_known(trunk, &a);
	else
		ask_stranger(trunk, &a);
}

/* ------------------------------------------------------------ answers */

/* Two machines that say to hold a node would both act for it. */
static void nodes_join(struct hc_fabric *fabric, const __be32 *words)
{
	struct hc_commit *c = &fabric->commit;
	u32 nodes = hc_nodes(fabric->dim), i;

	for (i = 0; i < hc_set_words(fabric->dim); i++) {
		u32 word = be32_to_cpu(words[i]) & (nodes < 32 ? BIT(nodes) - 1 : U32_MAX);

		if (c->nodes[i] & word)
			verdict_set(&c->verdict, -EINVAL, hc_ones(fabric->dim),
				    32 * i + __ffs(c->nodes[i] & word),
				    "two machines say to hold this node");
		c->nodes[i] |= word;
	}
}

static void answer_take(struct hc_trunk *trunk, const struct hc_trunk_note *note)
{
	const struct hc_wire_answer *w = (const void *)note->data;
	const struct hc_commit_id id = { be32_to_cpu(w->nr), be16_to_cpu(w->origin) };
	struct hc_fabric *fabric = trunk->fabric;
	struct hc_commit *c = &fabric->commit;
	u32 fixed = be16_to_cpu(w->fixed), last = be32_to_cpu(w->epoch);
	char why[HC_WHY_MAX];

	if (note->len != answer_len(fabric, w->step)) {
		hc_trunk_break(trunk, -EPROTO, "The other end sends a record of a wrong length");
		return;
	}
	if (!c->busy || !c->waits || !trunk->awaited || w->step != c->step || !id_is(&id, &c->id))
		return;
	trunk->awaited = false;
	if (w->error && verdict_counts(c)) {
		memcpy(why, w->why, sizeof(why));
		why[sizeof(why) - 1] = 0;
		verdict_set(&c->verdict, errors[min_t(u8, w->error, ARRAY_SIZE(errors) - 1)],
			    fixed & hc_ones(fabric->dim),
			    be16_to_cpu(w->base) & fixed & hc_ones(fabric->dim), why);
	}
	if (c->step == HC_COMMIT_PREPARE) {
		nodes_join(fabric, (const __be32 *)(w + 1));
		if (!w->error && last && (s32)(last - c->last) > 0)
			c->last = last;
	}
	wave_check(fabric);
}

void hc_commit_heard(struct hc_trunk *trunk, const struct hc_trunk_note *note)
{
	struct hc_fabric *fabric = trunk->fabric;
	struct mem_cgroup *old = set_active_memcg(fabric->memcg);

	mutex_lock(&fabric->lock);
	if (!fabric->dead && !test_bit(HC_TRUNK_BROKEN, &trunk->flags)) {
		if (note->what == HC_RECORD_ASK)
			ask_take(trunk, note);
		else
			answer_take(trunk, note);
	}
	mutex_unlock(&fabric->lock);
	set_active_memcg(old);
}

/* Who has not answered PREPARE yet knows that nobody decides for it. */
void hc_commit_trunk_gone(struct hc_trunk *trunk)
{
	struct hc_fabric *fabric = trunk->fabric;
	struct hc_commit *c = &fabric->commit;
	bool parent = trunk == c->parent;

	lockdep_assert_held(&fabric->lock);
	if (fabric->dead || !c->busy)
		return;
	if (parent)
		c->parent = NULL;
	if (trunk->awaited && verdict_counts(c))
		verdict_of_trunk(trunk, &c->verdict, -EHOSTUNREACH, "the trunk to them has ended");
	if (parent && c->waits && c->step == HC_COMMIT_PREPARE) {
		wave_own(fabric, HC_COMMIT_DROP);
		drop(fabric);
		wave_check(fabric);
	} else if (trunk->awaited) {
		trunk->awaited = false;
		wave_check(fabric);
	}
	if (c->busy && !c->mine && !c->waits && list_empty(&fabric->trunks.list))
		give_up(fabric);
}

/* ------------------------------------------------------------ requests of this machine */

bool hc_commit_reaches(const struct hc_fabric *fabric)
{
	const struct hc_trunk *trunk;

	list_for_each_entry(trunk, &fabric->trunks.list, list)
		if (test_bit(HC_TRUNK_GREETED, &trunk->flags) &&
		    !test_bit(HC_TRUNK_BROKEN, &trunk->flags))
			return true;
	return false;
}

int hc_commit_idle(const struct hc_fabric *fabric, struct netlink_ext_ack *extack)
{
	if (!fabric->commit.busy)
		return 0;
	NL_SET_ERR_MSG(extack, "Another request to all machines is under way");
	return -EBUSY;
}

static int own_begin(struct hc_fabric *fabric, u8 what, u32 plan, u32 epoch,
		     struct netlink_ext_ack *extack)
{
	const struct hc_commit_id id = { fabric->commit.next, fabric->base };
	int err = hc_commit_idle(fabric, extack) ?: begin(fabric, &id, what, plan, epoch);

	if (err)
		return err;
	fabric->commit.next++;
	fabric->commit.mine = true;
	fabric->commit.step = HC_COMMIT_PREPARE;
	return 0;
}

static void own_wave(struct hc_fabric *fabric, struct hc_trunk_note *note,
		     struct hc_commit_outcome *outcome)
{
	fabric->commit.outcome = outcome;
	wave_send(fabric, HC_COMMIT_PREPARE, note, NULL, WAVE_TIME);
	wave_check(fabric);
}

int hc_commit_new(struct hc_fabric *fabric, const struct hc_plan_params *p,
		  struct hc_commit_outcome *outcome, struct netlink_ext_ack *extack)
{
	struct hc_trunk_note *note;
	int err = own_begin(fabric, HC_COMMIT_NEW, p->id, p->epoch, extack);

	if (err)
		return err;
	err = prepare_new(fabric, p, extack);
	if (err) {
		finish(fabric);
		return err;
	}
	note = ask_new(fabric, HC_COMMIT_PREPARE, WAVE_TIME, 0, hc_plan_wire_size(fabric, p));
	if (note)
		hc_plan_wire_put(fabric, p, note->data + sizeof(struct hc_wire_ask));
	own_wave(fabric, note, outcome);
	return 0;
}

int hc_commit_del(struct hc_fabric *fabric, u32 plan, struct hc_commit_outcome *outcome,
		  struct netlink_ext_ack *extack)
{
	int err;

	if (!xa_load(&fabric->plans, plan)) {
		NL_SET_ERR_MSG(extack, "no such plan in this fabric");
		return -ENOENT;
	}
	err = own_begin(fabric, HC_COMMIT_DEL, plan, 0, extack);
	if (!err)
		own_wave(fabric, ask_new(fabric, HC_COMMIT_PREPARE, WAVE_TIME, 0, 0), outcome);
	return err;
}

void hc_commit_forget(struct hc_fabric *fabric, const struct hc_commit_outcome *outcome)
{
	struct hc_commit *c = &fabric->commit;

	if (c->outcome != outcome)
		return;
	c->outcome = NULL;
	if (fabric->dead || c->step != HC_COMMIT_PREPARE)
		return;
	verdict_own(fabric, &c->verdict, -ECANCELED, "nobody waits for it any more");
	awaits_end(fabric, 0, NULL);
	wave_over(fabric);
}

/* ------------------------------------------------------------ with the fabric */

void hc_commit_init(struct hc_fabric *fabric)
{
	INIT_DELAYED_WORK(&fabric->commit.timer, timer_work);
	/* One that is made anew does not begin with numbers that others remember. */
	fabric->commit.next = get_random_u32();
}

void hc_commit_stop(struct hc_fabric *fabric)
{
	cancel_delayed_work_sync(&fabric->commit.timer);
}

void hc_commit_exit(struct hc_fabric *fabric)
{
	struct hc_commit *c = &fabric->commit;

	lockdep_assert_held(&fabric->lock);
	if (!c->busy)
		return;
	if (c->step == HC_COMMIT_PREPARE)
		drop(fabric);
	finish(fabric);
}
