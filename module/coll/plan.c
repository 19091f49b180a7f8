// SPDX-License-Identifier: GPL-2.0
/*
 * Plans: they are verified with the FAULT words of the nodes, converted into a role for each
 * member, and published by RCU.
 *
 * The parameters of a plan contain the FAULT words with which it was computed. If they differ from
 * the present FAULT words of the live nodes, the plan is stale and is refused. Then the verifier of
 * the plan type, which the kernel shares with the tool, checks the whole plan.
 */
#include <linux/jhash.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "coll/coll.h"
#include "coll/guard.h"
#include "coll/submit.h"
#include "coll/plan.h"
#include "coll/member_sched.h"
#include "compat.h"
#include "fabric/limits.h"
#include "notifier.h"
#include "route/remote_nodes.h"
#include "trace.h"

int hc_plan_charge(struct hc_plan *plan, size_t bytes)
{
	int err = hc_charge(plan->fabric->account, HC_LIMIT_PLAN_BYTES, bytes, NULL);

	if (!err)
		plan->bytes += bytes;
	return err;
}

static void plan_free(struct hc_plan *plan)
{
	hc_uncharge(plan->fabric->account, HC_LIMIT_PLAN_BYTES, plan->bytes);
	kvfree(plan->members);
	kfree(plan->recipe);
	kvfree(plan->grant);
	kvfree(plan->epochs);
	kvfree(plan->left_out);
	if (plan->ops->release)
		plan->ops->release(plan);
	kvfree(plan);
}

/* Free a plan that was refused. It was never published, so there is nothing to end, and no other
 * epoch takes anything over from its members.
 */
static void plan_drop(struct hc_plan *plan)
{
	u32 u;

	for (u = 0; u < plan->fabric->topo.nodes; u++)
		if (plan->member[u])
			hc_member_free(plan->member[u]);
	plan_free(plan);
}

/* End all operations of a plan that no poll and no system call can find any more, and free its
 * members. The state of the root, which a member itself cannot read, shows the outcomes of the
 * members' operations.
 */
static void members_destroy(struct hc_plan *plan, int status)
{
	const struct hc_member *root = plan->member[plan->root];
	struct hc_root_view view;
	u32 u;

	if (root)
		view = (struct hc_root_view){
			.gen = root->gen.count, .done = root->done, .ended = root->gen.last.nr,
			.next = root->next,
		};
	for (u = 0; u < plan->fabric->topo.nodes; u++)
		if (plan->member[u])
			hc_member_destroy(plan->member[u], status, root ? &view : NULL);
}

static void plan_destroy(struct hc_plan *plan, int status)
{
	members_destroy(plan, status);
	plan_free(plan);
}

void *hc_plan_dup(const void *from, size_t n, size_t size)
{
	void *to = kvmalloc_array(max_t(size_t, n, 1), size, GFP_KERNEL_ACCOUNT);

	if (to && n)
		memcpy(to, from, n * size);
	return to;
}

static size_t plan_size(const struct hc_fabric *fabric, const struct hc_plan_ops *ops)
{
	return struct_size_t(struct hc_plan, member, fabric->topo.nodes) + ops->plan_size;
}

static struct hc_plan *plan_alloc(struct hc_fabric *fabric, const struct hc_plan_params *p)
{
	size_t set = hc_topo_words(&fabric->topo) * sizeof(u32);
	struct hc_plan *plan;

	plan = kvzalloc(plan_size(fabric, p->ops), GFP_KERNEL_ACCOUNT);
	if (!plan)
		return NULL;
	BUILD_BUG_ON(offsetof(struct hc_plan, member) % __alignof__(u64));
	plan->priv = &plan->member[fabric->topo.nodes];
	plan->fabric = fabric;
	plan->id = p->id;
	plan->ops = p->guard ? p->ops->guarded : p->ops;
	plan->root = p->root;
	plan->repairs = p->repairs;
	plan->guard = p->guard;
	plan->guard_uid = p->guard ? p->guard_uid : INVALID_UID;
	plan->tried = jiffies - (p->by_guard ? 0 : HC_GUARD_PACE);
	plan->lost = HC_CAUSE_NONE;
	plan->members = kvzalloc(set, GFP_KERNEL_ACCOUNT);
	if (plan->members && p->members)
		memcpy(plan->members, p->members, set);
	if (p->recipe)
		plan->recipe = kstrdup(p->recipe, GFP_KERNEL_ACCOUNT);
	if (!plan->members || (p->recipe && !plan->recipe) || !plan->ops->copy(plan, p)) {
		plan_free(plan);
		return NULL;
	}
	plan->nmembers = memweight(plan->members, set);
	return plan;
}

/* Charge the memory of the plan itself; the memory of each member is charged separately. */
static int plan_charge(struct hc_plan *plan, const struct hc_plan_params *p)
{
	u32 nodes = plan->fabric->topo.nodes;

	return hc_plan_charge(plan, plan_size(plan->fabric, plan->ops) + nodes / BITS_PER_BYTE +
				    p->ndetours * sizeof(*p->detours) + p->steps +
				    (p->recipe ? strlen(p->recipe) + 1 : 0));
}

bool hc_plan_member_here(const struct hc_plan *plan, u32 u)
{
	return hc_set_has(plan->members, u) && hc_is_here(plan->fabric, u);
}

void hc_plan_set_reason(struct netlink_ext_ack *extack, const char *why, u32 node)
{
	if (!extack)
		return;
	if (node == HC_REASON_NO_NODE)
		extack->_msg = why;
	else
		HC_SET_ERR_MSG_FMT(extack, "%s: node %u", why, node);
}

/* Check that @epoch, which a request may set, is above the epochs of all earlier plans. */
int hc_plan_check_epoch(const struct hc_fabric *fabric, u32 epoch, struct netlink_ext_ack *extack)
{
	if (!epoch || (s32)(epoch - fabric->epoch) > 0)
		return 0;
	HC_SET_ERR_MSG_FMT(extack, "the epoch must be above that of the fabric's last plan, %u",
			   fabric->epoch);
	return -ERANGE;
}

/* If @prev, which a request may set, is not 0, check that the installed plan @id has this epoch. So
 * if two requests try to replace the same plan, one fails.
 */
static int plan_check_prev(struct hc_fabric *fabric, u32 id, u32 prev,
			   struct netlink_ext_ack *extack)
{
	const struct hc_plan *old = xa_load(&fabric->plans, id);

	if (!prev || (old && old->epoch == prev))
		return 0;
	NL_SET_ERR_MSG(extack, "the plan has another epoch by now");
	return -ESTALE;
}

/* Check the plan's FAULT words of nodes on other machines, as hc_link_check_faults() checks those
 * of this machine's nodes: compare them with the FAULT words that this machine has received.
 * Members on other machines must be reachable, too.
 */
static int plan_check_remote(const struct hc_plan *plan, const u32 *fault,
			     struct netlink_ext_ack *extack)
{
	const struct hc_fabric *fabric = plan->fabric;
	u32 *words;
	int err = 0;
	u32 u;

	if (hc_is_whole(fabric))
		return 0;
	words = hc_remote_faults(fabric);
	if (!words)
		return -ENOMEM;
	for (u = 0; u < fabric->topo.nodes && !err; u++) {
		if (hc_set_has(plan->members, u) && hc_remote_lost(fabric, words, u)) {
			hc_plan_set_reason(extack,
					   "a member lives elsewhere, and nothing leads there", u);
			err = -EHOSTUNREACH;
		} else if (!hc_is_here(fabric, u) && fault[u] != words[u]) {
			NL_SET_ERR_MSG(extack, "the faults have changed: plan again");
			err = -ESTALE;
		}
	}
	kvfree(words);
	return err;
}

static u32 hash_bytes(u32 hash, const u8 *v, u32 n)
{
	while (n--)
		hash = jhash_1word(*v++, hash);
	return hash;
}

/* Hash the rings as numbers, not as bytes, since machines may differ in byte order. */
static u32 hash_rings(u32 hash, const struct hc_plan_params *p)
{
	u32 i;

	for (i = 0; i < p->nrings; i++)
		hash = jhash_3words(p->rings[i].size, p->rings[i].level, p->rings[i].parent, hash);
	for (i = 0; i < p->nring_nodes; i++)
		hash = jhash_1word(p->ring_nodes[i], hash);
	return hash;
}

/* Return: a hash of the type, the schedule, the members and the faults of the plan, see plan_tag().
 */
static u32 plan_hash(const struct hc_plan *plan, const struct hc_plan_params *p)
{
	u32 nodes = plan->fabric->topo.nodes, hash, i;

	hash = jhash_3words(p->ops->id, p->root, p->repairs, plan->from);
	hash = hash_bytes(hash, p->order, p->stages);
	hash = hash_bytes(hash, p->sequence, p->steps);
	hash = jhash2(plan->members, hc_topo_words(&plan->fabric->topo), hash);
	for (i = 0; i < p->ndetours; i++)
		hash = jhash_2words(p->detours[i].from, p->detours[i].to, hash);
	return jhash2(p->fault, nodes, hash_rings(hash, p));
}

/* Return: the tag that frames carry as the epoch, which is not 0. If two machines that have planned
 * around different faults, or have different plans, accepted each other's frames, a result could
 * lack a member. So the tags of such machines differ. The tag of a guarded plan also depends on the
 * tag of the plan that it continues: machines with the same tag have had the same epochs.
 */
static u32 plan_tag(const struct hc_plan *plan)
{
	return hc_is_whole(plan->fabric) ? plan->epoch :
	       jhash_1word(plan->epoch, plan->hash) ?: 1;
}

/* The nodes are divided into this many groups. One group is checked at a time, each once in
 * HC_STALL_TIME.
 */
#define STALL_GROUPS	16U

/* Kick those nodes of a group that have waiting members, so that their polls run the stall check.
 */
static void stall_work(struct work_struct *work)
{
	struct hc_fabric *fabric = container_of(to_delayed_work(work), struct hc_fabric, stall);
	u32 groups = min(fabric->topo.nodes, STALL_GROUPS);
	u32 u;

	for (u = fabric->stall_group; u < fabric->topo.nodes; u += groups)
		if (fabric->nodes[u] && hc_work_waits(fabric->nodes[u]))
			hc_node_kick(fabric->nodes[u], HC_EV_STALL);
	fabric->stall_group = (fabric->stall_group + 1) % groups;
	if (!xa_empty(&fabric->plans))
		schedule_delayed_work(&fabric->stall, HC_STALL_TIME / groups);
}

void hc_plan_fabric_init(struct hc_fabric *fabric)
{
	xa_init_flags(&fabric->plans, XA_FLAGS_ACCOUNT);
	INIT_DELAYED_WORK(&fabric->stall, stall_work);
}

/* Prepare to unpublish plan @id. After a grace period its processes are notified that its
 * operations have ended. Contributions that these processes send in the meantime wait, so that
 * processes are notified of the ends of all contributions in order (coll/submit.c).
 */
static void retire_begin(struct hc_fabric *fabric, u32 id)
{
	WRITE_ONCE(fabric->retiring, id);
	/* Write .retiring before the plan is removed from the xarray; pairs with retires(). */
	smp_wmb();
}

/* Let parked contributions go on, since the ends of the plan's operations have been queued.
 * Contributions that wait for the window of a plan that was removed find then that it does not
 * exist any more. Kick all nodes with parked contributions, not only members, since any poll may
 * have parked contributions.
 */
static void retire_end(struct hc_fabric *fabric, const struct hc_plan *plan)
{
	struct hc_node *node;

	/* Write .retiring after the ends of the operations have been queued; pairs with retires().
	 */
	smp_store_release(&fabric->retiring, 0);
	/* Pairs with host_park(): either host_park() reads the value stored above, or this function
	 * finds the contribution that it has parked.
	 */
	smp_mb();
	hc_each_node(fabric, node)
		if (hc_set_has(plan->members, node->id) || hc_host_parks(node->host))
			hc_node_kick(node, HC_EV_HOST);
}

/* Put a published plan into its slot of hc_fabric.near, so that hc_plan_find() finds it fast. When
 * the plan is removed, it is removed from the slot and the xarray before the same grace period.
 */
static void near_add(struct hc_plan *plan)
{
	rcu_assign_pointer(plan->fabric->near[plan->id % HC_PLANS_NEAR], plan);
}

static void near_del(struct hc_plan *plan)
{
	struct hc_plan __rcu **place = &plan->fabric->near[plan->id % HC_PLANS_NEAR];

	if (rcu_access_pointer(*place) == plan)
		RCU_INIT_POINTER(*place, NULL);
}

/* End a plan that was unpublished. Context: between retire_begin() and retire_end(). */
static void plan_retire(struct hc_plan *plan)
{
	u32 u;

	for (u = 0; u < plan->fabric->topo.nodes; u++)
		if (plan->member[u])
			hc_member_forget(plan->member[u]);
	/* Use an expedited grace period for a guarded plan: processes may be waiting for its next
	 * epoch; or for the fabric's lock, to install another plan, since guarded plans are used
	 * for communicators, which are created and freed often.
	 */
	if (plan->guard)
		synchronize_rcu_expedited();
	else
		synchronize_net();
	members_destroy(plan, -ESTALE);
}

/* Charge one plan, unless the plan replaces another one, whose charge it takes over. */
static int plan_count(struct hc_fabric *fabric, u32 id, struct netlink_ext_ack *extack)
{
	int err;

	if (xa_load(&fabric->plans, id))
		return 0;
	err = hc_plans_check(fabric->nplans, extack) ?:
	      hc_charge(fabric->account, HC_LIMIT_PLANS, 1, extack);
	if (!err)
		fabric->nplans++;
	return err;
}

static void plan_discount(struct hc_fabric *fabric)
{
	fabric->nplans--;
	hc_uncharge(fabric->account, HC_LIMIT_PLANS, 1);
}

/* Verify a plan, and reserve the entry of its id in the xarray, so that publishing the plan needs
 * no memory.
 */
static int plan_verify(struct hc_plan *plan, const struct hc_plan_params *p,
		       struct netlink_ext_ack *extack)
{
	struct hc_fabric *fabric = plan->fabric;
	const struct hc_plan *old = xa_load(&fabric->plans, plan->id);
	int err;

	err = plan_charge(plan, p) ?: hc_guard_check(plan, p, old, extack) ?:
	      hc_grant_make(plan, p, old, extack) ?: hc_epochs_make(plan, p, old, extack) ?:
	      hc_plan_check_epoch(fabric, p->epoch, extack);
	if (!err)
		err = hc_link_check_faults(fabric, p->fault, extack) ?:
		      plan_check_remote(plan, p->fault, extack);
	if (!err)
		err = plan->ops->members_create(plan, p->fault, extack);
	if (err == -EDQUOT)
		hc_limit_explain(HC_LIMIT_PLAN_BYTES, extack);
	return err ?: xa_reserve(&fabric->plans, plan->id, GFP_KERNEL_ACCOUNT);
}

struct hc_plan *hc_plan_prepare(struct hc_fabric *fabric, const struct hc_plan_params *p,
				struct netlink_ext_ack *extack)
{
	struct hc_plan *plan;
	int err;

	lockdep_assert_held(&fabric->lock);
	err = plan_check_prev(fabric, p->id, p->prev, extack) ?:
	      plan_count(fabric, p->id, extack);
	if (err)
		return ERR_PTR(err);
	plan = plan_alloc(fabric, p);
	err = plan ? plan_verify(plan, p, extack) : -ENOMEM;
	if (!err) {
		plan->hash = plan_hash(plan, p);
		return plan;
	}
	if (!xa_load(&fabric->plans, p->id))
		plan_discount(fabric);
	if (plan)
		plan_drop(plan);
	return ERR_PTR(err);
}

void hc_plan_cancel(struct hc_plan *plan)
{
	struct hc_fabric *fabric = plan->fabric;

	lockdep_assert_held(&fabric->lock);
	if (!xa_load(&fabric->plans, plan->id)) {
		xa_release(&fabric->plans, plan->id);
		plan_discount(fabric);
	}
	plan_drop(plan);
}

void hc_plan_publish(struct hc_plan *plan, u32 epoch)
{
	struct hc_fabric *fabric = plan->fabric;
	struct hc_plan *old;
	u32 u;

	lockdep_assert_held(&fabric->lock);
	plan->epoch = epoch;
	plan->tag = plan_tag(plan);
	hc_guard_publish(plan, xa_load(&fabric->plans, plan->id));
	WRITE_ONCE(fabric->epoch, epoch);
	retire_begin(fabric, plan->id);
	/* This cannot fail, since the entry was reserved. */
	old = xa_store(&fabric->plans, plan->id, plan, GFP_KERNEL_ACCOUNT);
	WARN_ON_ONCE(xa_is_err(old));
	near_add(plan);
	if (old) {
		plan_retire(old);
		plan_free(old);
	}
	for (u = 0; u < fabric->topo.nodes; u++)
		if (plan->member[u])
			hc_member_check(plan->member[u]);
	schedule_delayed_work(&fabric->stall, HC_STALL_TIME);
	trace_hc_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
	hc_notify_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
}

void hc_plan_open(struct hc_plan *plan)
{
	hc_guard_open(plan);
	retire_end(plan->fabric, plan);
}

void hc_plan_lose(struct hc_plan *plan, u32 lost)
{
	u32 u;

	lockdep_assert_held(&plan->fabric->lock);
	WRITE_ONCE(plan->lost, lost);
	/* Members of a guarded plan wait for the epoch after this one. */
	hc_guard_open(plan);
	for (u = 0; u < plan->fabric->topo.nodes; u++)
		if (plan->member[u])
			hc_member_check(plan->member[u]);
	retire_end(plan->fabric, plan);
}

u32 hc_plan_next_epoch(u32 last)
{
	return last + 1 ?: 1;
}

int hc_plan_install(struct hc_fabric *fabric, const struct hc_plan_params *p,
		    struct netlink_ext_ack *extack)
{
	struct hc_plan *plan = hc_plan_prepare(fabric, p, extack);

	if (IS_ERR(plan))
		return PTR_ERR(plan);
	hc_plan_publish(plan, p->epoch ?: hc_plan_next_epoch(fabric->epoch));
	hc_plan_open(plan);
	return 0;
}

int hc_plan_remove(struct hc_fabric *fabric, u32 id, struct netlink_ext_ack *extack)
{
	struct hc_plan *plan;

	lockdep_assert_held(&fabric->lock);
	plan = xa_load(&fabric->plans, id);
	if (!plan) {
		NL_SET_ERR_MSG(extack, "no such plan in this fabric");
		return -ENOENT;
	}
	retire_begin(fabric, id);
	xa_erase(&fabric->plans, id);
	near_del(plan);
	plan_discount(fabric);
	trace_hc_plan(plan, HYPERCUBE_CMD_PLAN_DEL_NTF);
	hc_notify_plan(plan, HYPERCUBE_CMD_PLAN_DEL_NTF);
	plan_retire(plan);
	retire_end(fabric, plan);
	plan_free(plan);
	return 0;
}

void hc_plan_purge(struct hc_fabric *fabric)
{
	struct hc_plan *plan;
	unsigned long id;

	cancel_delayed_work_sync(&fabric->stall);
	xa_for_each(&fabric->plans, id, plan) {
		xa_erase(&fabric->plans, id);
		near_del(plan);
		plan_discount(fabric);
		plan_destroy(plan, -ENODEV);
	}
	xa_destroy(&fabric->plans);
}
