// SPDX-License-Identifier: GPL-2.0
/*
 * The members of a guarded plan in each epoch. A result contains the contributions of the members
 * of the epoch in which it was computed, and names all former members that are not among them. It
 * may be distributed again in later epochs.
 *
 * This file also computes which nodes a plan may have as members if its guard is a user without
 * CAP_NET_ADMIN.
 */
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/guard_impl.h"
#include "coll/plan.h"

/* Number of changes of the set of members that are recorded. A result from before the oldest
 * recorded change cannot be distributed again.
 */
#define SETS_MAX	16

/**
 * struct hc_epochs - the changes of the members, oldest first
 * @first: number of the oldest change; numbers begin with 1
 * @n: number of changes
 * @words: 32-bit words of a set
 * @added: the last change was made by the plan's own epoch
 * @since: the epoch that made each change
 * @sets: for each change: the set of the members after it, and that of all nodes that had been
 *	members until then
 */
struct hc_epochs {
	u32 first;
	u32 n;
	u32 words;
	bool added;
	u32 since[SETS_MAX];
	u32 sets[];
};

static u32 *members_of(struct hc_epochs *e, u32 i)
{
	return &e->sets[2 * i * e->words];
}

static u32 *all_of(struct hc_epochs *e, u32 i)
{
	return members_of(e, i) + e->words;
}

/* Copy the changes from the plan of the previous epoch. The oldest change is left out if @room
 * entries would not be free otherwise.
 */
static void epochs_copy(struct hc_epochs *to, struct hc_epochs *from, u32 room)
{
	u32 skip = from->n + room > SETS_MAX, n = from->n - skip;

	memcpy(to->sets, members_of(from, skip), 2 * n * to->words * sizeof(*to->sets));
	memcpy(to->since, from->since + skip, n * sizeof(*to->since));
	to->first = from->first + skip;
	to->n = n;
}

static void epochs_add(struct hc_epochs *e, const u32 *members)
{
	u32 k, *all = all_of(e, e->n);

	memcpy(members_of(e, e->n), members, e->words * sizeof(*members));
	memcpy(all, members, e->words * sizeof(*members));
	for (k = 0; e->n && k < e->words; k++)
		all[k] |= all_of(e, e->n - 1)[k];
	e->n++;
	e->added = true;
}

static int epochs_alloc(struct hc_plan *plan)
{
	u32 words = hc_topo_words(&plan->fabric->topo);
	size_t size = struct_size(plan->epochs, sets, 2 * SETS_MAX * words);
	int err = hc_plan_charge(plan, size);

	if (err)
		return err;
	plan->epochs = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!plan->epochs)
		return -ENOMEM;
	plan->epochs->words = words;
	plan->epochs->first = 1;
	return 0;
}

bool hc_epoch_sets(const struct hc_plan *plan, u32 change, struct hc_epoch_sets *sets)
{
	struct hc_epochs *e = plan->epochs;
	u32 i = change - e->first;

	if (i >= e->n)
		return false;
	sets->members = members_of(e, i);
	sets->all = all_of(e, i);
	sets->lacks = memcmp(sets->members, sets->all, e->words * sizeof(u32));
	return true;
}

int hc_epochs_make(struct hc_plan *plan, const struct hc_plan *old)
{
	size_t set = hc_topo_words(&plan->fabric->topo) * sizeof(u32);
	struct hc_epoch_sets sets;
	bool other;
	int err;

	if (!plan->guard)
		return 0;
	err = epochs_alloc(plan);
	if (err)
		return err;
	if (old && !hc_guard_continues(plan, old))
		old = NULL;
	other = !old || memcmp(plan->members, old->members, set);
	if (old)
		epochs_copy(plan->epochs, old->epochs, other);
	if (other)
		epochs_add(plan->epochs, plan->members);
	plan->change = plan->epochs->first + plan->epochs->n - 1;
	plan->lacks = hc_epoch_sets(plan, plan->change, &sets) && sets.lacks;
	return 0;
}

void hc_epochs_publish(struct hc_plan *plan)
{
	struct hc_epochs *e = plan->epochs;

	if (e && e->added)
		e->since[e->n - 1] = plan->epoch;
}

u32 hc_epoch_change(const struct hc_plan *plan, u32 epoch)
{
	const struct hc_epochs *e = plan->epochs;
	u32 i = e->n;

	while (i && plan->epoch - epoch > plan->epoch - e->since[i - 1])
		i--;
	return i ? e->first + i - 1 : 0;
}

/* ------------------------------------------------------------ the user who may guard */

/* Does the plan continue an epoch with the same guarding user, so that the user's grant does not
 * change?
 */
static bool keeps_grant(const struct hc_plan_params *p, const struct hc_plan *old)
{
	return p->prev && old && old->grant && uid_valid(old->guard_uid) &&
	       uid_eq(p->guard_uid, old->guard_uid);
}

static int check_granted(const struct hc_plan *plan, struct netlink_ext_ack *extack)
{
	u32 u;

	for (u = 0; u < plan->fabric->topo.nodes; u++)
		if (hc_set_has(plan->members, u) && !hc_set_has(plan->grant, u)) {
			hc_plan_set_reason(extack, "the plan's guard may not make it a member", u);
			return -EPERM;
		}
	return 0;
}

int hc_grant_make(struct hc_plan *plan, const struct hc_plan_params *p, const struct hc_plan *old,
		  struct netlink_ext_ack *extack)
{
	u32 k, words = hc_topo_words(&plan->fabric->topo);
	int err;

	if (!plan->guard)
		return 0;
	err = hc_plan_charge(plan, words * sizeof(u32));
	if (err)
		return err;
	plan->grant = kvcalloc(words, sizeof(u32), GFP_KERNEL_ACCOUNT);
	if (!plan->grant)
		return -ENOMEM;
	if (p->prev && old && old->grant)
		memcpy(plan->grant, old->grant, words * sizeof(u32));
	if (p->by_guard)
		return check_granted(plan, extack);
	if (keeps_grant(p, old))
		return 0;
	for (k = 0; k < words; k++)
		plan->grant[k] |= plan->members[k];
	return 0;
}
