// SPDX-License-Identifier: GPL-2.0
/*
 * Guarded plans: what configuration does when an epoch is installed. It determines which plan the
 * epoch continues, on this machine and, if another machine has begun the request, on that one.
 */
#include <linux/netlink.h>

#include "coll/coll.h"
#include "coll/guard_impl.h"
#include "coll/plan.h"

int hc_guard_params_check(const struct hc_plan_params *p, struct netlink_ext_ack *extack)
{
	if (!p->guard || (p->ops->guarded && !p->repairs))
		return 0;
	if (!p->ops->guarded)
		NL_SET_ERR_MSG(extack, "Plans of this type cannot be guarded");
	else
		NL_SET_ERR_MSG(extack, "A plan that repairs itself needs no guard");
	return -EINVAL;
}

bool hc_guard_continues(const struct hc_plan *plan, const struct hc_plan *old)
{
	return plan->guard && old->guard && plan->from && plan->from == old->tag;
}

void hc_guard_from(const struct hc_plan *plan, struct hc_continued *from)
{
	const struct hc_plan *old = xa_load(&plan->fabric->plans, plan->id);
	struct hc_epoch_sets sets;

	*from = (struct hc_continued){};
	if (!plan->from)
		return;
	from->tag = old->tag;
	from->epoch = old->epoch;
	from->change = plan->change;
	if (hc_epoch_sets(plan, from->change, &sets))
		from->former = sets.all;
}

/* Does plan @old of this machine have a later epoch than the guarded plan @from, which another
 * machine continues? While no path connects the machines, each of them may continue the plan with
 * its own members. Of epochs with the same number, the one with the greater tag counts as later, so
 * that one of the machines can take in the other one.
 */
static bool is_later(const struct hc_plan *old, const struct hc_continued *from)
{
	s32 ahead = old->epoch - from->epoch;

	return ahead > 0 || (!ahead && old->tag > from->tag);
}

int hc_guard_check(struct hc_plan *plan, const struct hc_plan_params *p,
		   const struct hc_plan *old, struct netlink_ext_ack *extack)
{
	bool guarded = plan->guard && old && old->guard;

	if (p->remote)
		plan->from = p->from.tag;
	else
		plan->from = guarded ? old->tag : 0;
	plan->joins = plan->from && !(guarded && plan->from == old->tag);
	if (plan->joins && old && is_later(old, &p->from)) {
		NL_SET_ERR_MSG(extack, "a later epoch of the guarded plan goes on here");
		return -ESTALE;
	}
	if (!plan->from || plan->joins || plan->ops->all_contribute == old->ops->all_contribute)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "A guarded broadcast goes on as a broadcast, and no other guarded plan does");
	return -EINVAL;
}

/* Copy the processes that are still to be notified that their nodes were left out. The members of
 * @old hand over their own state: see hc_member_destroy().
 */
static void left_out_copy(struct hc_plan *plan, const struct hc_plan *old)
{
	u32 u;

	for (u = 0; u < plan->fabric->topo.nodes; u++)
		if (!old->member[u])
			plan->left_out[u] = old->left_out[u];
}

void hc_guard_publish(struct hc_plan *plan, const struct hc_plan *old)
{
	u32 u;

	plan->guarded = plan->epoch;
	if (!plan->guard)
		return;
	hc_epochs_publish(plan);
	if (old && old->guard && plan->from)
		left_out_copy(plan, old);
	if (old && hc_guard_continues(plan, old)) {
		plan->guarded = old->guarded;
		return;
	}
	if (plan->joins)
		return;
	for (u = 0; u < plan->fabric->topo.nodes; u++)
		if (plan->member[u]) {
			plan->member[u]->guard->fresh = false;
			plan->member[u]->guard->idle = true;
			hc_guard_phase_set(plan->member[u]->guard, HC_GUARD_RUN);
		}
}

void hc_guard_open(struct hc_plan *plan)
{
	u32 u;

	if (!plan->from)
		return;
	for (u = 0; u < plan->fabric->topo.nodes; u++)
		if (plan->member[u]) {
			/* Pairs with smp_load_acquire() in hc_guard_begin(), which then reads all
			 * that hc_guard_pass() has written.
			 */
			smp_store_release(&plan->member[u]->opened, true);
			hc_member_check(plan->member[u]);
		}
}
