// SPDX-License-Identifier: GPL-2.0
/*
 * Plans: verified against the fault knowledge of the nodes, turned into one role
 * for each member, published by RCU.
 *
 * A plan says for which faults it was made.  Each live node's own FAULT word
 * must be that one, else the plan is stale; then the shared verifier checks the
 * whole plan.  A role is computed from what the member itself can know: its own
 * FAULT word and those of its neighbours, which neighbours tell each other and
 * which the host supplies where the link between them is faulty.
 */
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "coll.h"
#include "compat.h"
#include "netlink.h"
#include "trace.h"

static void plan_free(struct hc_plan *plan)
{
	kvfree(plan->members);
	kvfree(plan->tree.detours);
	kvfree(plan->bcast.sequence);
	kvfree(plan);
}

/* No poll and no system call can see the plan any more.  The host, unlike a
 * member, may look at the root to tell what was complete.
 */
static void plan_destroy(struct hc_plan *plan, int status)
{
	const struct hc_member *root;
	u64 done = 0, next = 0;
	u32 u;

	/* A plan that was refused has no members, and maybe no such root. */
	root = plan->epoch ? plan->member[plan->root] : NULL;
	if (root) {
		done = root->done;
		next = root->next;
	}
	for (u = 0; u < hc_nodes(plan->fabric->dim); u++)
		if (plan->member[u])
			hc_member_destroy(plan->member[u], status, done, next);
	plan_free(plan);
}

static void *array_dup(const void *from, size_t n, size_t size)
{
	void *to = kvmalloc_array(max_t(size_t, n, 1), size, GFP_KERNEL);

	if (to && n)
		memcpy(to, from, n * size);
	return to;
}

static bool bcast_copy(struct hc_plan *plan, const struct hc_plan_params *p)
{
	plan->bcast = (struct hc_bcast){
		.dim = plan->fabric->dim,
		.steps = p->steps,
		.source = p->root,
		.sequence = array_dup(p->sequence, p->steps, sizeof(u8)),
		.members = plan->members,
	};
	return plan->bcast.sequence;
}

static bool tree_copy(struct hc_plan *plan, const struct hc_plan_params *p)
{
	plan->tree.stages = p->stages;
	memcpy(plan->tree.order, p->order, p->stages);
	plan->tree.ndetours = p->ndetours;
	plan->tree.detours = array_dup(p->detours, p->ndetours, sizeof(*p->detours));
	return plan->tree.detours;
}

/* All nodes of the subcube are members. */
static bool doubling_copy(struct hc_plan *plan, const struct hc_plan_params *p)
{
	u32 u;

	plan->doubling = (struct hc_doubling){
		.dim = plan->fabric->dim,
		.stages = p->stages,
		.base = p->root,
	};
	memcpy(plan->doubling.order, p->order, p->stages);
	plan->tree.stages = p->stages;
	memcpy(plan->tree.order, p->order, p->stages);
	for (u = 0; u < hc_nodes(plan->fabric->dim); u++)
		if (hc_doubling_has(&plan->doubling, u))
			hc_set_add(plan->members, u);
	return true;
}

static bool shape_copy(struct hc_plan *plan, const struct hc_plan_params *p)
{
	switch (p->type) {
	case HYPERCUBE_PLAN_BCAST:
		return bcast_copy(plan, p);
	case HYPERCUBE_PLAN_DOUBLING:
		return doubling_copy(plan, p);
	}
	return tree_copy(plan, p);
}

static struct hc_plan *plan_alloc(struct hc_fabric *fabric, const struct hc_plan_params *p)
{
	struct hc_plan *plan;
	u32 u;

	plan = kvzalloc(struct_size(plan, member, hc_nodes(fabric->dim)), GFP_KERNEL);
	if (!plan)
		return NULL;
	plan->fabric = fabric;
	plan->id = p->id;
	plan->type = p->type;
	plan->root = p->root;
	plan->members = kvcalloc(hc_set_words(fabric->dim), sizeof(u32), GFP_KERNEL);
	plan->tree.dim = fabric->dim;
	plan->tree.sink = p->root;
	plan->tree.members = plan->members;
	if (plan->members && p->members)
		memcpy(plan->members, p->members, hc_set_words(fabric->dim) * sizeof(u32));
	if (!plan->members || !shape_copy(plan, p)) {
		plan_free(plan);
		return NULL;
	}
	for (u = 0; u < hc_nodes(fabric->dim); u++)
		plan->nmembers += hc_set_has(plan->members, u);
	return plan;
}

void hc_plan_flaw(struct netlink_ext_ack *extack, const char *why, u32 node)
{
	if (!extack)
		return;
	if (node == HC_BCAST_NO_NODE)
		extack->_msg = why;
	else
		HC_SET_ERR_MSG_FMT(extack, "%s: node %u", why, node);
}

/* The snapshot the plan was made for against what each node knows of itself. */
static int plan_check_faults(struct hc_fabric *fabric, const u32 *fault,
			     struct netlink_ext_ack *extack)
{
	u32 u;

	for (u = 0; u < hc_nodes(fabric->dim); u++) {
		const struct hc_node *node = fabric->nodes[u];
		u32 own = READ_ONCE(node->failed) ? hc_ones(fabric->dim) :
						    READ_ONCE(node->fault);

		if (fault[u] == own)
			continue;
		NL_SET_ERR_MSG(extack, "the faults have changed: plan again");
		return -ESTALE;
	}
	return 0;
}

static int tree_check(const struct hc_plan *plan, const u32 *fault,
		      struct netlink_ext_ack *extack)
{
	struct hc_tree_flaw flaw = { .why = "the plan is not valid" };
	u32 *work = kvmalloc_array(HC_TREE_WORK(plan->tree.dim), sizeof(u32), GFP_KERNEL);
	int err;

	if (!work)
		return -ENOMEM;
	err = hc_tree_check(&plan->tree, fault, work, &flaw);
	kvfree(work);
	if (err)
		hc_plan_flaw(extack, flaw.why, HC_BCAST_NO_NODE);
	return err;
}

static int tree_member_create(struct hc_plan *plan, u32 u, const u32 *fault)
{
	unsigned int max = 2 * plan->tree.stages + plan->tree.ndetours;
	u32 nb[HYPERCUBE_DIM_MAX];
	struct hc_tree_peer *src;
	struct hc_tree_role role;
	unsigned int d;
	int err;

	for (d = 0; d < plan->fabric->dim; d++)
		nb[d] = fault[hc_neigh(u, d)];
	src = kvmalloc_array(max_t(unsigned int, max, 1), sizeof(*src), GFP_KERNEL);
	if (!src)
		return -ENOMEM;
	err = hc_tree_role(&plan->tree, u, fault[u], nb, &role, src, max);
	if (!err)
		err = hc_member_create(plan, u, &role, src);
	kvfree(src);
	return err;
}

static int tree_members_create(struct hc_plan *plan, const u32 *fault,
			       struct netlink_ext_ack *extack)
{
	int err = tree_check(plan, fault, extack);
	u32 u;

	for (u = 0; !err && u < hc_nodes(plan->fabric->dim); u++)
		if (hc_set_has(plan->members, u))
			err = tree_member_create(plan, u, fault);
	return err;
}

static int members_create(struct hc_plan *plan, const u32 *fault, struct netlink_ext_ack *extack)
{
	switch (plan->type) {
	case HYPERCUBE_PLAN_BCAST:
		return hc_bcast_members_create(plan, fault, extack);
	case HYPERCUBE_PLAN_DOUBLING:
		return hc_doubling_members_create(plan, fault, extack);
	}
	return tree_members_create(plan, fault, extack);
}

static void members_kick(struct hc_plan *plan, unsigned int event)
{
	u32 u;

	for (u = 0; u < hc_nodes(plan->fabric->dim); u++)
		if (plan->member[u])
			hc_node_kick(plan->member[u]->node, event);
}

/* Once a second: members with something pending look whether it still moves. */
static void stall_work(struct work_struct *work)
{
	struct hc_fabric *fabric = container_of(to_delayed_work(work), struct hc_fabric, stall);
	struct hc_plan *plan;
	unsigned long id;
	u32 u;

	rcu_read_lock();
	xa_for_each(&fabric->plans, id, plan)
		for (u = 0; u < hc_nodes(fabric->dim); u++) {
			struct hc_member *m = plan->member[u];

			if (m && (READ_ONCE(m->view_wait) != HYPERCUBE_WAIT_NOTHING ||
				  (hc_member_tells(m) && READ_ONCE(m->told) != READ_ONCE(m->done))))
				hc_node_kick(m->node, HC_EV_STALL);
		}
	rcu_read_unlock();
	if (!xa_empty(&fabric->plans))
		schedule_delayed_work(&fabric->stall, HZ);
}

void hc_plan_fabric_init(struct hc_fabric *fabric)
{
	xa_init(&fabric->plans);
	INIT_DELAYED_WORK(&fabric->stall, stall_work);
}

/* The plan was unpublished.  Contributions that wait for its window find that out. */
static void plan_retire(struct hc_plan *plan)
{
	synchronize_net();
	members_kick(plan, HC_EV_HOST);
	plan_destroy(plan, -ESTALE);
}

int hc_plan_install(struct hc_fabric *fabric, const struct hc_plan_params *p,
		    struct netlink_ext_ack *extack)
{
	struct hc_plan *plan, *old;
	int err;

	lockdep_assert_held(&fabric->lock);
	plan = plan_alloc(fabric, p);
	if (!plan)
		return -ENOMEM;
	err = plan_check_faults(fabric, p->fault, extack);
	if (!err)
		err = members_create(plan, p->fault, extack);
	if (err)
		goto err_plan;
	plan->epoch = ++fabric->epoch;
	old = xa_store(&fabric->plans, plan->id, plan, GFP_KERNEL);
	if (xa_is_err(old)) {
		err = xa_err(old);
		goto err_plan;
	}
	if (old)
		plan_retire(old);
	members_kick(plan, HC_EV_PLANS);
	schedule_delayed_work(&fabric->stall, HZ);
	trace_hc_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
	hc_notify_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
	return 0;

err_plan:
	plan_destroy(plan, -ECANCELED);
	return err;
}

int hc_plan_remove(struct hc_fabric *fabric, u32 id, struct netlink_ext_ack *extack)
{
	struct hc_plan *plan;

	lockdep_assert_held(&fabric->lock);
	plan = xa_erase(&fabric->plans, id);
	if (!plan) {
		NL_SET_ERR_MSG(extack, "no such plan in this fabric");
		return -ENOENT;
	}
	trace_hc_plan(plan, HYPERCUBE_CMD_PLAN_DEL_NTF);
	hc_notify_plan(plan, HYPERCUBE_CMD_PLAN_DEL_NTF);
	plan_retire(plan);
	return 0;
}

void hc_plan_purge(struct hc_fabric *fabric)
{
	struct hc_plan *plan;
	unsigned long id;

	cancel_delayed_work_sync(&fabric->stall);
	xa_for_each(&fabric->plans, id, plan) {
		xa_erase(&fabric->plans, id);
		plan_destroy(plan, -ENODEV);
	}
	xa_destroy(&fabric->plans);
}
