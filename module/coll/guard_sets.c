// SPDX-License-Identifier: GPL-2.0
/*
 * The members of a guarded plan in each epoch. A result has the contributions of the members of the
 * epoch in which it was computed, and its record contains the set of former members that were no
 * members in this epoch. The result may be distributed again in later epochs.
 *
 * This file also computes the nodes that a plan may have as members if its guard is a user without
 * CAP_NET_ADMIN.
 */
#include <linux/netlink.h>
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/guard_impl.h"
#include "coll/plan.h"

/* Maximum number of recorded changes of the set of members. A result that was computed before the
 * oldest recorded change cannot be distributed again.
 */
#define SETS_MAX	16

/**
 * struct hc_epochs - the changes of the members, oldest first
 * @first: number of the oldest change; numbers begin with 1
 * @n: number of changes
 * @words: 32-bit words of a set
 * @added: true if the plan's own epoch has made the last change
 * @since: for each change, the epoch that has made it
 * @sets: for each change: the set of the members after it, and the set of all nodes that have been
 *	members before or after it
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

/* Copy the changes from the plan of the previous epoch. Leave out the oldest one if this is
 * necessary for @room free entries.
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
	u32 nodes = plan->fabric->topo.nodes;
	int err = hc_plan_charge(plan, size + nodes * sizeof(*plan->left_out));

	if (err)
		return err;
	plan->epochs = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	plan->left_out = kvcalloc(nodes, sizeof(*plan->left_out), GFP_KERNEL_ACCOUNT);
	if (!plan->epochs || !plan->left_out)
		return -ENOMEM;
	plan->epochs->words = words;
	plan->epochs->first = 1;
	return 0;
}

/* Record the last change, as another machine has reported it: this machine lacks the older ones. */
static void epochs_join(struct hc_plan *plan, const struct hc_continued *from)
{
	struct hc_epochs *e = plan->epochs;

	epochs_add(e, plan->members);
	e->first = from->change;
	memcpy(all_of(e, 0), from->former, e->words * sizeof(*from->former));
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

/* Fill in the changes of the members, up to the one that @plan makes. */
static void epochs_fill(struct hc_plan *plan, const struct hc_plan_params *p,
			const struct hc_plan *old)
{
	size_t set = hc_topo_words(&plan->fabric->topo) * sizeof(u32);
	bool other = !old || memcmp(plan->members, old->members, set);

	if (plan->joins) {
		epochs_join(plan, &p->from);
		return;
	}
	if (old)
		epochs_copy(plan->epochs, old->epochs, other);
	if (other)
		epochs_add(plan->epochs, plan->members);
}

int hc_epochs_make(struct hc_plan *plan, const struct hc_plan_params *p,
		   const struct hc_plan *old, struct netlink_ext_ack *extack)
{
	struct hc_epoch_sets sets;
	int err;

	if (!plan->guard)
		return 0;
	err = epochs_alloc(plan);
	if (err)
		return err;
	if (old && !hc_guard_continues(plan, old))
		old = NULL;
	epochs_fill(plan, p, old);
	plan->change = plan->epochs->first + plan->epochs->n - 1;
	plan->lacks = hc_epoch_sets(plan, plan->change, &sets) && sets.lacks;
	/* Results carry these numbers, so all machines must count alike. */
	if (!p->remote || !plan->from || plan->change == p->from.change)
		return 0;
	NL_SET_ERR_MSG(extack, "the guarded plan has had other members here");
	return -ESTALE;
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

/* Return: true if the plan is the next epoch of @old and has the same user as guard, so that the
 * grant of this user does not change.
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
