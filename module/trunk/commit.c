// SPDX-License-Identifier: GPL-2.0
/*
 * Two-phase commit of plans: see commit.h.
 */
#include <linux/jiffies.h>
#include <linux/netlink.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "coll/guard.h"
#include "coll/plan.h"
#include "trunk/plan_wire.h"
#include "compat.h"
#include "fabric/fabric.h"
#include "hc_topo.h"
#include "trunk/commit_impl.h"
#include "trunk/trunk.h"

/* ms that a machine waits, after its answer, for the question of the next step: longer than a wave
 * may take.
 */
#define DECISION_TIME	(2 * HC_WAVE_TIME)

void hc_part_text(const struct hc_fabric *fabric, u32 fixed, u32 base, char *to)
{
	unsigned int d = fabric->topo.ports;

	while (d--)
		*to++ = !(fixed & hc_bit(d)) ? 'X' : base & hc_bit(d) ? '1' : '0';
	*to = 0;
}

/* ------------------------------------------------------------ begin and end of a request */

const struct hc_commit_id *hc_commit_over(const struct hc_commit *c, const struct hc_commit_id *id)
{
	unsigned int i;

	for (i = 0; i < min_t(u32, c->nover, HC_COMMITS_KEPT); i++)
		if (hc_commit_is(&c->over[i], id))
			return &c->over[i];
	return NULL;
}

/* Record a request that has ended. @done: it took effect. */
static void over_add(struct hc_commit *c, const struct hc_commit_id *id, bool done)
{
	unsigned int i = c->nover % HC_COMMITS_KEPT;

	c->over[i] = *id;
	__assign_bit(i, &c->done, done);
	c->nover++;
}

int hc_commit_begin(struct hc_fabric *fabric, const struct hc_commit_id *id, u8 what, u32 plan_id,
		    u32 epoch)
{
	struct hc_commit *c = fabric->commit;
	u32 u;

	c->nodes = kcalloc(hc_topo_words(&fabric->topo), sizeof(u32), GFP_KERNEL_ACCOUNT);
	if (!c->nodes)
		return -ENOMEM;
	for (u = 0; u < fabric->topo.nodes; u++)
		if (hc_is_here(fabric, u))
			hc_set_add(c->nodes, u);
	c->busy = true;
	c->id = *id;
	c->what = what;
	c->plan_id = plan_id;
	c->epoch = epoch;
	c->last = fabric->epoch;
	c->refusal = (struct hc_commit_refusal){};
	return 0;
}

/* Return: the state of the plan after a request has failed in @step, as the end of a sentence. */
static const char *step_text(u8 step)
{
	switch (step) {
	case HC_COMMIT_DROP:
		return "";
	case HC_COMMIT_BREAK:
		return "; the plan is broken";
	}
	return "; it has taken effect elsewhere";
}

/* Fill in the outcome for the requester, if there still is one. */
static void outcome_notify(struct hc_fabric *fabric)
{
	struct hc_commit *c = fabric->commit;
	struct hc_commit_outcome *o = c->outcome;
	const struct hc_commit_refusal *v = &c->refusal;
	char part[HYPERCUBE_DIM_MAX + 1];

	c->outcome = NULL;
	if (!o)
		return;
	hc_part_text(fabric, v->fixed, v->base, part);
	o->over = true;
	o->error = v->error;
	if (v->error)
		snprintf(o->text, sizeof(o->text), "nodes %s: %s%s", part, v->why,
			 step_text(c->step));
}

void hc_commit_finish(struct hc_fabric *fabric)
{
	struct hc_commit *c = fabric->commit;

	if (c->mine)
		outcome_notify(fabric);
	over_add(c, &c->id, c->step != HC_COMMIT_PREPARE && c->step != HC_COMMIT_DROP);
	cancel_delayed_work(&c->timer);
	c->busy = false;
	kfree(c->nodes);
	c->nodes = NULL;
	c->plan = NULL;
	c->parent = NULL;
	c->mine = false;
	c->waits = false;
}

/* ------------------------------------------------------------ steps on this machine */

int hc_commit_prepare(struct hc_fabric *fabric, const struct hc_plan_params *p,
		      struct netlink_ext_ack *extack)
{
	struct hc_plan *plan = hc_plan_prepare(fabric, p, extack);

	if (IS_ERR(plan))
		return PTR_ERR(plan);
	fabric->commit->plan = plan;
	return 0;
}

static void commit_drop(struct hc_fabric *fabric)
{
	struct hc_commit *c = fabric->commit;

	if (c->plan)
		hc_plan_cancel(c->plan);
	c->plan = NULL;
}

static void commit_open(struct hc_fabric *fabric)
{
	struct hc_commit *c = fabric->commit;

	if (c->plan)
		hc_plan_open(c->plan);
	c->plan = NULL;
}

static void commit_break(struct hc_fabric *fabric, u32 lost)
{
	struct hc_commit *c = fabric->commit;
	struct hc_said said = {};

	/* A plan that repairs itself is removed: if it stayed, its repair would wait for a machine
	 * that does not have the plan.
	 */
	if (c->plan && c->plan->repairs)
		hc_plan_remove(fabric, c->plan_id, &said.extack);
	else if (c->plan)
		hc_plan_lose(c->plan, lost);
	c->plan = NULL;
}

/* Publish or remove the plan on this machine. If the epoch is not valid here, this machine refuses
 * and drops the plan: a peer may have reported an epoch after which there is no next one.
 */
static void commit_effect(struct hc_fabric *fabric)
{
	struct hc_commit *c = fabric->commit;
	struct hc_said said = {};

	if (c->what == HC_COMMIT_DEL) {
		if (xa_load(&fabric->plans, c->plan_id))
			hc_plan_remove(fabric, c->plan_id, &said.extack);
		return;
	}
	if (!c->epoch || hc_plan_check_epoch(fabric, c->epoch, &said.extack)) {
		hc_commit_refuse_here(fabric, &c->refusal, -ERANGE, said.extack._msg);
		commit_drop(fabric);
		return;
	}
	hc_plan_publish(c->plan, c->epoch);
}

/* ------------------------------------------------------------ waves */

/* Let the present wave, or the wait for the next step, time out in @ms. */
static void expire_in(struct hc_commit *c, u32 ms)
{
	c->expires = jiffies + msecs_to_jiffies(ms);
	mod_delayed_work(hc_trunk_wq, &c->timer, msecs_to_jiffies(ms));
}

void hc_commit_wave(struct hc_fabric *fabric, u8 step, struct hc_trunk_note *note,
		    struct hc_trunk *parent, u32 left)
{
	struct hc_commit *c = fabric->commit;
	struct hc_trunk *trunk;

	c->step = step;
	c->parent = parent;
	c->waits = true;
	if (!note)
		hc_commit_refuse_here(fabric, &c->refusal, -ENOMEM, NULL);
	list_for_each_entry(trunk, &fabric->trunks->list, list) {
		trunk->awaited = note && trunk != parent &&
				 test_bit(HC_TRUNK_ESTABLISHED, &trunk->flags) &&
				 !test_bit(HC_TRUNK_BROKEN, &trunk->flags);
		if (trunk->awaited)
			hc_trunk_note_say(trunk, note);
	}
	hc_trunk_note_put(note);
	expire_in(c, left);
}

/* Check that each member of the plan is a node of a machine that has answered PREPARE; otherwise
 * record a refusal: there may be machines to which no trunk leads.
 */
static void covers_all(struct hc_fabric *fabric)
{
	struct hc_commit *c = fabric->commit;
	char why[HC_WHY_MAX];
	u32 u;

	for (u = 0; c->plan && u < fabric->topo.nodes; u++) {
		if (!hc_set_has(c->plan->members, u) || hc_set_has(c->nodes, u))
			continue;
		snprintf(why, sizeof(why), "no machine has answered for node %u", u);
		hc_commit_refuse(&c->refusal, -EHOSTUNREACH, hc_ports_mask(&fabric->topo), u, why);
		return;
	}
}

/* Begin a wave of the present request, which this machine has begun. */
static void wave_own(struct hc_fabric *fabric, u8 step)
{
	struct hc_trunk_note *note = hc_commit_ask_new(fabric, step, HC_WAVE_TIME, 0, 0);

	hc_commit_wave(fabric, step, note, NULL, HC_WAVE_TIME);
}

/* Choose an epoch above all epochs that any machine has reported, unless the request names one. */
static void epoch_choose(struct hc_fabric *fabric)
{
	struct hc_commit *c = fabric->commit;
	struct hc_said said = {};

	if (!c->epoch)
		c->epoch = hc_plan_next_epoch(c->last);
	if (hc_plan_check_epoch(fabric, c->epoch, &said.extack))
		hc_commit_refuse_here(fabric, &c->refusal, -ERANGE, said.extack._msg);
}

void hc_commit_do(struct hc_fabric *fabric, u8 step, u32 lost)
{
	switch (step) {
	case HC_COMMIT_SWITCH:
		commit_effect(fabric);
		break;
	case HC_COMMIT_OPEN:
		commit_open(fabric);
		break;
	case HC_COMMIT_BREAK:
		commit_break(fabric, lost);
		break;
	case HC_COMMIT_DROP:
		commit_drop(fabric);
		break;
	}
	hc_commit_check(fabric);
}

/* Begin the wave of a step, and carry out the step on this machine. */
static void own_step(struct hc_fabric *fabric, u8 step)
{
	wave_own(fabric, step);
	hc_commit_do(fabric, step, fabric->commit->refusal.base);
}

/* Decide on the request after all machines have answered PREPARE: SWITCH or DROP. */
static void decide(struct hc_fabric *fabric)
{
	covers_all(fabric);
	epoch_choose(fabric);
	own_step(fabric, fabric->commit->refusal.error ? HC_COMMIT_DROP : HC_COMMIT_SWITCH);
}

/* Open the plan if all machines have published it, otherwise break it. */
static void own_opens(struct hc_fabric *fabric)
{
	own_step(fabric, fabric->commit->refusal.error ? HC_COMMIT_BREAK : HC_COMMIT_OPEN);
}

/* Continue a request of this machine, after all machines have answered the present wave: begin the
 * next wave, or end the request.
 */
static void own_goes_on(struct hc_fabric *fabric)
{
	struct hc_commit *c = fabric->commit;

	if (c->step == HC_COMMIT_PREPARE)
		decide(fabric);
	else if (c->step == HC_COMMIT_SWITCH && c->what == HC_COMMIT_NEW)
		own_opens(fabric);
	else
		hc_commit_finish(fabric);
}

/* Return: true if no step follows the present one. */
static bool step_is_last(const struct hc_commit *c)
{
	return c->step == HC_COMMIT_OPEN || c->step == HC_COMMIT_DROP ||
	       c->step == HC_COMMIT_BREAK ||
	       (c->step == HC_COMMIT_SWITCH && c->what == HC_COMMIT_DEL);
}

/* End the present wave at this machine: continue if this machine has begun the request, otherwise
 * answer the machine that has sent the question.
 */
static void wave_over(struct hc_fabric *fabric)
{
	struct hc_commit *c = fabric->commit;

	c->waits = false;
	if (c->mine) {
		own_goes_on(fabric);
		return;
	}
	if (c->parent)
		hc_commit_answer(c->parent, &c->id, c->step, &c->refusal, c->nodes, c->last);
	if (step_is_last(c))
		hc_commit_finish(fabric);
	else
		expire_in(c, DECISION_TIME);
}

/* Stop waiting for answers. If @error is not 0, and refusals count in this step, each missing
 * answer counts as a refusal with @error and the reason @why.
 */
static void awaits_end(struct hc_fabric *fabric, int error, const char *why)
{
	struct hc_commit *c = fabric->commit;
	struct hc_trunk *trunk;

	list_for_each_entry(trunk, &fabric->trunks->list, list) {
		if (trunk->awaited && error && hc_commit_counts(c))
			hc_commit_refuse_remote(trunk, &c->refusal, error, why);
		trunk->awaited = false;
	}
}

/* Return: true if the present wave need not wait for further answers. If one machine cannot prepare
 * the plan, the plan is not installed, whatever other machines answer. So a user who tries again
 * because faults have changed does not wait for a silent machine each time.
 */
static bool all_is_said(const struct hc_fabric *fabric)
{
	const struct hc_commit *c = fabric->commit;
	const struct hc_trunk *trunk;

	if (c->step == HC_COMMIT_PREPARE && c->refusal.error)
		return true;
	list_for_each_entry(trunk, &fabric->trunks->list, list)
		if (trunk->awaited)
			return false;
	return true;
}

void hc_commit_check(struct hc_fabric *fabric)
{
	if (!all_is_said(fabric))
		return;
	awaits_end(fabric, 0, NULL);
	wave_over(fabric);
}

/* End a request of another machine for which no decision was received in time. If this machine has
 * published the plan, break it, because it is unknown whether all machines have published it.
 */
static void give_up(struct hc_fabric *fabric)
{
	if (fabric->commit->step == HC_COMMIT_PREPARE)
		commit_drop(fabric);
	else
		commit_break(fabric, fabric->commit->id.origin);
	hc_commit_finish(fabric);
}

bool hc_commit_counts(const struct hc_commit *c)
{
	return c->step == HC_COMMIT_PREPARE || c->step == HC_COMMIT_SWITCH;
}

/* End a wave whose answers have not been received in time. */
static void wave_expired(struct hc_fabric *fabric)
{
	awaits_end(fabric, -ETIMEDOUT, "they have not answered in time");
	wave_over(fabric);
}

static void timer_work(struct work_struct *work)
{
	struct hc_commit *c = container_of(to_delayed_work(work), struct hc_commit, timer);
	struct hc_fabric *fabric = c->fabric;

	mutex_lock(&fabric->lock);
	/* The deadline may have been moved while this work item waited for the lock. */
	if (!fabric->dead && c->busy && time_after_eq(jiffies, c->expires)) {
		/* If the timer is late, this machine was suspended: answers may have arrived that
		 * were not read yet, so wait a while longer.
		 */
		if (time_after(jiffies, c->expires + msecs_to_jiffies(HC_STOOD_STILL)))
			expire_in(c, HC_STOOD_STILL);
		else if (c->waits)
			wave_expired(fabric);
		else
			give_up(fabric);
	}
	mutex_unlock(&fabric->lock);
}

/* If the trunk to the machine that has sent the question ends before this machine has answered
 * PREPARE, no decision can follow: drop the plan.
 */
void hc_commit_trunk_gone(struct hc_trunk *trunk)
{
	struct hc_fabric *fabric = trunk->fabric;
	struct hc_commit *c = fabric->commit;
	bool parent = trunk == c->parent;

	lockdep_assert_held(&fabric->lock);
	if (fabric->dead || !c->busy)
		return;
	if (parent)
		c->parent = NULL;
	if (trunk->awaited && hc_commit_counts(c))
		hc_commit_refuse_remote(trunk, &c->refusal, -EHOSTUNREACH,
					"the trunk to them has ended");
	if (parent && c->waits && c->step == HC_COMMIT_PREPARE) {
		own_step(fabric, HC_COMMIT_DROP);
	} else if (trunk->awaited) {
		trunk->awaited = false;
		hc_commit_check(fabric);
	}
	if (c->busy && !c->mine && !c->waits && list_empty(&fabric->trunks->list))
		give_up(fabric);
}

/* ------------------------------------------------------------ requests of this machine */

bool hc_commit_reaches(const struct hc_fabric *fabric)
{
	const struct hc_trunk *trunk;

	list_for_each_entry(trunk, &fabric->trunks->list, list)
		if (test_bit(HC_TRUNK_ESTABLISHED, &trunk->flags) &&
		    !test_bit(HC_TRUNK_BROKEN, &trunk->flags))
			return true;
	return false;
}

int hc_commit_idle(const struct hc_fabric *fabric, struct netlink_ext_ack *extack)
{
	struct hc_commit *c = fabric->commit;

	if (!c->busy) {
		c->refused = 0;
		return 0;
	}
	/* Record the time of the refusal. It must not be 0, which means that none was refused. */
	c->refused = c->mine ? 0 : jiffies ?: 1;
	NL_SET_ERR_MSG(extack, "Another request to all machines is under way");
	return -EBUSY;
}

/* Make a request of this machine the present one. Return: 0 or -errno. */
static int own_begin(struct hc_fabric *fabric, u8 what, u32 plan, u32 epoch,
		     struct netlink_ext_ack *extack)
{
	const struct hc_commit_id id = { fabric->commit->next, fabric->base };
	int err = hc_commit_idle(fabric, extack) ?: hc_commit_begin(fabric, &id, what, plan, epoch);

	if (err)
		return err;
	fabric->commit->next++;
	fabric->commit->mine = true;
	fabric->commit->step = HC_COMMIT_PREPARE;
	return 0;
}

/* Begin the PREPARE wave of a request of this machine. */
static void own_wave(struct hc_fabric *fabric, struct hc_trunk_note *note,
		     struct hc_commit_outcome *outcome)
{
	fabric->commit->outcome = outcome;
	hc_commit_wave(fabric, HC_COMMIT_PREPARE, note, NULL, HC_WAVE_TIME);
	hc_commit_check(fabric);
}

/* Make the PREPARE question about plan @p, which this machine has prepared. */
static struct hc_trunk_note *ask_plan(struct hc_fabric *fabric, const struct hc_plan_params *p)
{
	struct hc_plan_params all = *p;
	struct hc_trunk_note *note;

	hc_guard_from(fabric->commit->plan, &all.from);
	note = hc_commit_ask_new(fabric, HC_COMMIT_PREPARE, HC_WAVE_TIME, 0,
				 hc_plan_wire_size(fabric, &all));
	if (note)
		hc_plan_wire_put(fabric, &all, note->data + sizeof(struct hc_wire_ask));
	return note;
}

int hc_commit_new(struct hc_fabric *fabric, const struct hc_plan_params *p,
		  struct hc_commit_outcome *outcome, struct netlink_ext_ack *extack)
{
	int err = own_begin(fabric, HC_COMMIT_NEW, p->id, p->epoch, extack);

	if (err)
		return err;
	err = hc_commit_prepare(fabric, p, extack);
	if (err) {
		hc_commit_finish(fabric);
		return err;
	}
	own_wave(fabric, ask_plan(fabric, p), outcome);
	return 0;
}

int hc_commit_del(struct hc_fabric *fabric, u32 plan, struct hc_commit_outcome *outcome,
		  struct netlink_ext_ack *extack)
{
	struct hc_trunk_note *note;
	int err;

	if (!xa_load(&fabric->plans, plan)) {
		NL_SET_ERR_MSG(extack, "no such plan in this fabric");
		return -ENOENT;
	}
	err = own_begin(fabric, HC_COMMIT_DEL, plan, 0, extack);
	if (err)
		return err;
	note = hc_commit_ask_new(fabric, HC_COMMIT_PREPARE, HC_WAVE_TIME, 0, 0);
	own_wave(fabric, note, outcome);
	return 0;
}

void hc_commit_forget(struct hc_fabric *fabric, const struct hc_commit_outcome *outcome)
{
	struct hc_commit *c = fabric->commit;

	if (c->outcome != outcome)
		return;
	c->outcome = NULL;
	if (fabric->dead || c->step != HC_COMMIT_PREPARE)
		return;
	hc_commit_refuse_here(fabric, &c->refusal, -ECANCELED, "nobody waits for it any more");
	hc_commit_check(fabric);
}

/* ------------------------------------------------------------ with the fabric */

void hc_commit_init(struct hc_fabric *fabric)
{
	fabric->commit->fabric = fabric;
	INIT_DELAYED_WORK(&fabric->commit->timer, timer_work);
	/* The number is random, so that after a reboot the machine does not begin with numbers of
	 * requests that other machines remember.
	 */
	fabric->commit->next = get_random_u32();
}

void hc_commit_stop(struct hc_fabric *fabric)
{
	cancel_delayed_work_sync(&fabric->commit->timer);
}

void hc_commit_exit(struct hc_fabric *fabric)
{
	struct hc_commit *c = fabric->commit;

	lockdep_assert_held(&fabric->lock);
	if (!c->busy)
		return;
	if (c->step == HC_COMMIT_PREPARE)
		commit_drop(fabric);
	hc_commit_finish(fabric);
}
