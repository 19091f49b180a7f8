// SPDX-License-Identifier: GPL-2.0
/*
 * Processes questions and answers of other machines; see commit.h.
 *
 * No content of a note is trusted: a plan is verified like a plan from netlink, errors are looked
 * up in a table, and a step is carried out only if it may follow the present step.
 */
#include <linux/netlink.h>
#include <linux/sched/mm.h>

#include "coll/plan.h"
#include "trunk/plan_wire.h"
#include "compat.h"
#include "fabric/fabric.h"
#include "hc_topo.h"
#include "trunk/commit_impl.h"
#include "trunk/trunk.h"

/* ------------------------------------------------------------ questions */

/* A decoded question. @shape: the plan behind struct hc_wire_ask, @len bytes. The other members are
 * those of struct hc_wire_ask.
 */
struct ask {
	struct hc_commit_id id;
	u8 step;
	u8 what;
	u32 plan;
	u32 epoch;
	u32 left;
	u32 hops;
	u32 lost;
	const void *shape;
	size_t len;
};

/* Return: why the question is invalid, or NULL. */
static const char *ask_reason(const struct hc_fabric *fabric, const struct ask *a)
{
	bool shape = a->step == HC_COMMIT_PREPARE && a->what == HC_COMMIT_NEW;

	if (a->step < HC_COMMIT_PREPARE || a->step > HC_COMMIT_BREAK ||
	    a->what < HC_COMMIT_NEW || a->what > HC_COMMIT_DEL || !a->plan ||
	    a->id.origin >= fabric->topo.nodes || a->lost >= fabric->topo.nodes)
		return "The other end asks for what makes no sense";
	if (!shape && a->len)
		return "The other end sends a record of a wrong length";
	return NULL;
}

/* Make the question that this machine forwards to its other neighbours. */
static struct hc_trunk_note *ask_on(const struct hc_fabric *fabric, const struct ask *a, u32 left)
{
	struct hc_trunk_note *note = hc_commit_ask_new(fabric, a->step, left, a->hops + 1, a->len);

	if (!note)
		return NULL;
	((struct hc_wire_ask *)note->data)->lost = cpu_to_be16(a->lost);
	memcpy(note->data + sizeof(struct hc_wire_ask), a->shape, a->len);
	return note;
}

/* Forward a question to the other neighbours of this machine. They get less time to answer than
 * this machine has.
 */
static void wave_on(struct hc_trunk *trunk, const struct ask *a)
{
	struct hc_fabric *fabric = trunk->fabric;
	u32 left = a->left - a->left / 8;

	hc_commit_wave(fabric, a->step, ask_on(fabric, a, left), trunk, left);
}

/* Prepare the plan of a PREPARE question on this machine. Return: 0 or -errno. */
static int prepare_asked(struct hc_fabric *fabric, const struct ask *a,
			 struct netlink_ext_ack *extack)
{
	struct hc_plan_params p = { .id = a->plan, .epoch = a->epoch };
	int err;

	if (a->what == HC_COMMIT_DEL)
		return 0;
	if (a->epoch && (s32)(a->epoch - fabric->epoch) > (s32)HC_EPOCHS_AHEAD) {
		NL_SET_ERR_MSG(extack, "the epoch is too far above that of the fabric's last plan");
		return -ERANGE;
	}
	err = hc_plan_wire_get(fabric, a->shape, a->len, &p, extack) ?:
	      hc_commit_prepare(fabric, &p, extack);
	hc_plan_wire_free(&p);
	return err;
}

/* Return: why requests over this trunk are refused, or NULL. */
static const char *may_not(const struct hc_trunk *trunk)
{
	if (!hc_trunks_wanted())
		return "the module's parameter \"trunks\" is off";
	if (test_bit(HC_TRUNK_NO_PLANS, &trunk->flags))
		return "plans are not accepted by this trunk";
	return NULL;
}

/* Time for which this machine refuses requests of other machines, so that its own requester can
 * repeat a request that was refused.
 */
#define TURN	(2 * HZ)

/* Return: true if requests of other machines are to be refused, because this machine has refused a
 * request of its own a short time ago. Without this, a machine that sends requests without a pause
 * would keep its neighbours from changing plans.
 */
static bool owes_turn(const struct hc_commit *c)
{
	return c->refused && time_before(jiffies, c->refused + TURN);
}

/* Process a PREPARE question about a request that is new to this machine, which works on no other
 * request.
 */
static void ask_first(struct hc_trunk *trunk, const struct ask *a)
{
	struct hc_fabric *fabric = trunk->fabric;
	const char *why = may_not(trunk);
	struct hc_said said = {};
	int err;

	if (why) {
		hc_commit_answer_no(trunk, &a->id, a->step, -EPERM, why);
		return;
	}
	if (a->hops >= fabric->topo.nodes) {
		hc_commit_answer_no(trunk, &a->id, a->step, -EINVAL,
				    "the request came over too many machines");
		return;
	}
	if (owes_turn(fabric->commit))
		err = -EBUSY;
	else
		err = hc_commit_begin(fabric, &a->id, a->what, a->plan, a->epoch);
	if (err) {
		hc_commit_answer_no(trunk, &a->id, a->step, err, NULL);
		return;
	}
	err = prepare_asked(fabric, a, &said.extack);
	if (!err) {
		wave_on(trunk, a);
		hc_commit_check(fabric);
		return;
	}
	hc_commit_answer_no(trunk, &a->id, a->step, err, said.extack._msg);
	fabric->commit->step = HC_COMMIT_PREPARE;
	hc_commit_finish(fabric);
}

/* Process a question about a request that has ended, or that is new to this machine. */
static void ask_stranger(struct hc_trunk *trunk, const struct ask *a)
{
	const struct hc_commit *c = trunk->fabric->commit;
	const struct hc_commit_id *over = hc_commit_over(c, &a->id);

	if (a->step == HC_COMMIT_SWITCH && !(over && test_bit(over - c->over, &c->done)))
		hc_commit_answer_no(trunk, &a->id, a->step, -ECANCELED,
				    "the request was given up here before it took effect");
	else if (a->step == HC_COMMIT_PREPARE && !over && c->busy)
		hc_commit_answer_no(trunk, &a->id, a->step, -EBUSY,
				    "another request to all machines is under way");
	else if (a->step == HC_COMMIT_PREPARE && !over)
		ask_first(trunk, a);
	else
		hc_commit_answer_again(trunk, &a->id, a->step);
}

/* Return: true if @step may follow the present step. SWITCH may follow only after this machine has
 * answered PREPARE without a refusal: the machine that has begun the request decides on SWITCH only
 * when all machines have done so.
 */
static bool step_follows(const struct hc_commit *c, u8 step)
{
	switch (step) {
	case HC_COMMIT_SWITCH:
		return c->step == HC_COMMIT_PREPARE && !c->waits && !c->refusal.error;
	case HC_COMMIT_OPEN:
	case HC_COMMIT_BREAK:
		return c->step == HC_COMMIT_SWITCH;
	case HC_COMMIT_DROP:
		return c->step == HC_COMMIT_PREPARE;
	}
	return false;
}

static void step_do(struct hc_trunk *trunk, const struct ask *a)
{
	struct hc_fabric *fabric = trunk->fabric;
	struct hc_commit *c = fabric->commit;

	if (a->step == HC_COMMIT_SWITCH)
		c->epoch = a->epoch;
	wave_on(trunk, a);
	hc_commit_do(fabric, a->step, a->lost);
}

/* Process a question about the present request: about the present step over another trunk, or about
 * the next step.
 */
static void ask_known(struct hc_trunk *trunk, const struct ask *a)
{
	struct hc_commit *c = trunk->fabric->commit;

	if (a->step == c->step && c->waits && trunk->awaited) {
		trunk->awaited = false;
		hc_commit_check(trunk->fabric);
	} else if (!c->mine && step_follows(c, a->step)) {
		/* If requests are refused over this trunk, ignore the question: this machine
		 * carries out the step when it receives the question over another trunk.
		 */
		if (!may_not(trunk))
			step_do(trunk, a);
	} else if (a->step == HC_COMMIT_SWITCH && c->step < HC_COMMIT_SWITCH) {
		hc_commit_answer_no(trunk, &a->id, a->step, -ECANCELED, "it was not prepared here");
	} else {
		hc_commit_answer_again(trunk, &a->id, a->step);
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
		.left = clamp_t(u32, be32_to_cpu(w->left), 1, HC_WAVE_TIME),
		.hops = be16_to_cpu(w->hops), .lost = be16_to_cpu(w->lost),
		.shape = w + 1, .len = note->len - sizeof(*w),
	};
	const char *reason = ask_reason(fabric, &a);

	if (reason)
		hc_trunk_break(trunk, -EPROTO, reason);
	else if (fabric->commit->busy && hc_commit_is(&a.id, &fabric->commit->id))
		ask_known(trunk, &a);
	else
		ask_stranger(trunk, &a);
}

/* ------------------------------------------------------------ answers */

/* Add the set of nodes in an answer to the nodes of all machines that have answered. If two
 * machines have the same node, refuse the request: both machines would act for this node.
 */
static void nodes_join(struct hc_fabric *fabric, const __be32 *words)
{
	struct hc_commit *c = fabric->commit;
	u32 nodes = fabric->topo.nodes, i;

	for (i = 0; i < hc_topo_words(&fabric->topo); i++) {
		u32 word = be32_to_cpu(words[i]) & (nodes < 32 ? BIT(nodes) - 1 : U32_MAX);

		if (c->nodes[i] & word)
			hc_commit_refuse(&c->refusal, -EINVAL, hc_ports_mask(&fabric->topo),
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
	struct hc_commit *c = fabric->commit;
	u32 fixed = be16_to_cpu(w->fixed), last = be32_to_cpu(w->epoch);
	char why[HC_WHY_MAX];

	if (note->len != hc_commit_answer_len(fabric, w->step)) {
		hc_trunk_break(trunk, -EPROTO, "The other end sends a record of a wrong length");
		return;
	}
	if (!c->busy || !c->waits || !trunk->awaited || w->step != c->step ||
	    !hc_commit_is(&id, &c->id))
		return;
	trunk->awaited = false;
	if (w->error && hc_commit_counts(c)) {
		memcpy(why, w->why, sizeof(why));
		why[sizeof(why) - 1] = 0;
		hc_commit_refuse(&c->refusal, hc_commit_error(w->error),
				 fixed & hc_ports_mask(&fabric->topo),
				 be16_to_cpu(w->base) & fixed & hc_ports_mask(&fabric->topo), why);
	}
	if (c->step == HC_COMMIT_PREPARE) {
		nodes_join(fabric, (const __be32 *)(w + 1));
		/* An epoch that is further ahead is not credible: plans cannot have reached it. */
		if (!w->error && last && !may_not(trunk) && last != c->last &&
		    last - c->last <= HC_EPOCHS_AHEAD)
			c->last = last;
	}
	hc_commit_check(fabric);
}

void hc_commit_rx(struct hc_trunk *trunk, const struct hc_trunk_note *note)
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
