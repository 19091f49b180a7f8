// SPDX-License-Identifier: GPL-2.0
/*
 * Limits: no user can make the kernel hold more than is allowed.
 *
 * Memory is charged to memory cgroups. Allocations of configuration are charged to the cgroup of
 * the task that configures, and a contribution to the cgroup of the task that sends it. Polls run
 * in the context of any task, so their allocations are charged to the cgroup of the task that has
 * created the fabric. Memory cgroups are not enough, because a cgroup may have no limit, and not
 * every resource is memory. So this file has counts and limits in addition.
 *
 * An accounting owner is charged for the resources of user namespaces. Any user may create nested
 * namespaces, so a limit for each namespace would limit no user. Therefore the outermost namespace
 * below the initial one is charged: all outermost namespaces that one user has created share one
 * accounting owner. Each outermost namespace that root has created (for containers, say) has an
 * accounting owner of its own, because only root can create more of them. The kernel itself counts
 * such resources with ucounts, which it does not export to modules.
 *
 * In the initial namespace only the number of plans of one fabric is limited. Its administrator may
 * use what the machine has, and sets the limits of all users. The administrator also decides if
 * users may have fabrics: by default nothing can be configured in network namespaces of other user
 * namespaces.
 */
#include <linux/cred.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu_counter.h>
#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>

#include "compat.h"
#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "fabric/node.h"
#include "fabric/poll_limit.h"
#include "fabric/skb.h"
#include "hc_topo.h"

static bool unprivileged;
module_param(unprivileged, bool, 0644);
MODULE_PARM_DESC(unprivileged, "fabrics in the network namespaces of users, within limits (default off)");

static uint max_fabrics = 64, max_nodes = 8192, max_plans = 1024, max_fabric_plans = 1024;
static ulong plan_memory = SZ_64M, poll_memory = SZ_128M, node_task_memory = SZ_16M;

module_param(max_fabrics, uint, 0644);
module_param(max_nodes, uint, 0644);
module_param(max_plans, uint, 0644);
module_param(plan_memory, ulong, 0644);
module_param(poll_memory, ulong, 0644);
module_param(node_task_memory, ulong, 0644);
module_param(max_fabric_plans, uint, 0644);

MODULE_PARM_DESC(max_fabrics, "fabrics of a user's namespaces (default 64)");
MODULE_PARM_DESC(max_nodes, "nodes of a user's fabrics (default 8192)");
MODULE_PARM_DESC(max_plans, "plans of a user's fabrics (default 1024)");
MODULE_PARM_DESC(plan_memory, "bytes of the plans of a user's fabrics (default 64 MiB)");
MODULE_PARM_DESC(poll_memory, "bytes of operations, tasks and of what nodes know in a user's fabrics (default 128 MiB)");
MODULE_PARM_DESC(node_task_memory, "bytes of tasks at any one node (default 16 MiB)");
MODULE_PARM_DESC(max_fabric_plans, "plans of any one fabric (default 1024)");

/* Memory that a node takes, with its state and the sysfs and sysctl tables of its endpoint. */
#define NODE_BYTES	(60 * SZ_1K)
/* Most fabrics of an accounting owner that are being created or removed at the same time. */
#define JOBS_MAX	64
/* Bytes that a processor counts by itself before it adds them to the common count. */
#define POLL_BATCH	SZ_64K

/**
 * struct hc_account - accounting owner: the resources that one or several user namespaces use
 * @list: in accounts, under accounts_lock
 * @ref: number of fabrics, and of jobs that create or remove fabrics; under accounts_lock
 * @ns: the namespace, if root has created it or it is the initial one; else NULL
 * @uid: the user that has created the namespaces, if @ns is NULL
 * @used: amount of each resource of enum hc_limit that is in use; under accounts_lock
 * @poll_bytes: memory that polls have charged (hc_poll_alloc(), hc_poll_charge())
 * @own_bytes: memory of frames that nodes make on their own behalf: [true] for link states, [false]
 *	for control messages
 * @poll_owner: queues in which nodes wait for their polls (poll_limit.c)
 */
struct hc_account {
	struct list_head list;
	unsigned int ref;
	struct user_namespace *ns;
	kuid_t uid;
	u64 used[HC_LIMITS];
	struct percpu_counter poll_bytes;
	struct percpu_counter own_bytes[2];
	struct hc_poll_owner __percpu *poll_owner;
};

static LIST_HEAD(accounts);
static DEFINE_MUTEX(accounts_lock);

/* ------------------------------------------------------------ permission */

bool hc_users_allowed(const struct net *net)
{
	return net->user_ns == &init_user_ns || READ_ONCE(unprivileged);
}

/* ------------------------------------------------------------ accounting owners */

static struct user_namespace *outermost(struct user_namespace *ns)
{
	while (ns->parent && ns->parent != &init_user_ns)
		ns = ns->parent;
	return ns;
}

static struct hc_account *account_find(struct user_namespace *ns, kuid_t uid)
{
	struct hc_account *account;

	lockdep_assert_held(&accounts_lock);
	list_for_each_entry(account, &accounts, list)
		if (account->ns == ns && (ns || uid_eq(account->uid, uid)))
			return account;
	return NULL;
}

static struct hc_account *account_create(struct user_namespace *ns, kuid_t uid)
{
	struct hc_account *account = kzalloc(sizeof(*account), GFP_KERNEL_ACCOUNT);

	lockdep_assert_held(&accounts_lock);
	if (!account)
		return NULL;
	if (percpu_counter_init(&account->poll_bytes, 0, GFP_KERNEL_ACCOUNT))
		goto err_account;
	if (percpu_counter_init(&account->own_bytes[false], 0, GFP_KERNEL_ACCOUNT))
		goto err_polls;
	if (percpu_counter_init(&account->own_bytes[true], 0, GFP_KERNEL_ACCOUNT))
		goto err_words;
	account->poll_owner = hc_poll_owner_new();
	if (!account->poll_owner)
		goto err_own;
	account->ns = ns ? get_user_ns(ns) : NULL;
	account->uid = uid;
	list_add(&account->list, &accounts);
	return account;

err_own:
	percpu_counter_destroy(&account->own_bytes[true]);
err_words:
	percpu_counter_destroy(&account->own_bytes[false]);
err_polls:
	percpu_counter_destroy(&account->poll_bytes);
err_account:
	kfree(account);
	return NULL;
}

struct hc_account *hc_account_get(const struct net *net)
{
	struct user_namespace *ns = outermost(net->user_ns);
	kuid_t uid = ns->owner;
	struct hc_account *account;

	if (ns != &init_user_ns && !uid_eq(uid, GLOBAL_ROOT_UID))
		ns = NULL;
	mutex_lock(&accounts_lock);
	account = account_find(ns, uid) ?: account_create(ns, uid);
	if (account)
		account->ref++;
	mutex_unlock(&accounts_lock);
	return account;
}

void hc_account_put(struct hc_account *account)
{
	mutex_lock(&accounts_lock);
	if (--account->ref) {
		mutex_unlock(&accounts_lock);
		return;
	}
	list_del(&account->list);
	mutex_unlock(&accounts_lock);
	WARN_ON_ONCE(account->used[HC_LIMIT_FABRICS] || account->used[HC_LIMIT_PLAN_BYTES] ||
		     percpu_counter_sum(&account->poll_bytes) ||
		     percpu_counter_sum(&account->own_bytes[false]) ||
		     percpu_counter_sum(&account->own_bytes[true]));
	hc_poll_owner_free(account->poll_owner);
	percpu_counter_destroy(&account->own_bytes[true]);
	percpu_counter_destroy(&account->own_bytes[false]);
	percpu_counter_destroy(&account->poll_bytes);
	if (account->ns)
		put_user_ns(account->ns);
	kfree(account);
}

struct hc_poll_owner __percpu *hc_account_poll_owner(const struct hc_account *account)
{
	return account->poll_owner;
}

static bool limited(const struct hc_account *account)
{
	return account->ns != &init_user_ns;
}

/* ------------------------------------------------------------ counts */

static u64 limit_of(enum hc_limit what)
{
	switch (what) {
	case HC_LIMIT_FABRICS:
		return READ_ONCE(max_fabrics);
	case HC_LIMIT_NODES:
		return READ_ONCE(max_nodes);
	case HC_LIMIT_PLANS:
		return READ_ONCE(max_plans);
	case HC_LIMIT_JOBS:
		return JOBS_MAX;
	default:
		return READ_ONCE(plan_memory);
	}
}

void hc_limit_explain(enum hc_limit what, struct netlink_ext_ack *extack)
{
	static const char *const words[HC_LIMITS] = {
		[HC_LIMIT_FABRICS] = "You have as many fabrics as max_fabrics allows",
		[HC_LIMIT_NODES] = "Your fabrics would have more nodes than max_nodes allows",
		[HC_LIMIT_PLANS] = "Your fabrics have as many plans as max_plans allows",
		[HC_LIMIT_PLAN_BYTES] = "Your plans would take more memory than plan_memory allows",
		[HC_LIMIT_JOBS] = "Too many of your fabrics are just being made or removed",
	};

	if (extack)
		extack->_msg = words[what];
}

int hc_charge(struct hc_account *account, enum hc_limit what, u64 n, struct netlink_ext_ack *extack)
{
	int err = 0;

	mutex_lock(&accounts_lock);
	if (limited(account) && account->used[what] + n > limit_of(what))
		err = -EDQUOT;
	else
		account->used[what] += n;
	mutex_unlock(&accounts_lock);
	if (err)
		hc_limit_explain(what, extack);
	return err;
}

void hc_uncharge(struct hc_account *account, enum hc_limit what, u64 n)
{
	mutex_lock(&accounts_lock);
	account->used[what] -= n;
	mutex_unlock(&accounts_lock);
}

int hc_plans_check(u32 n, struct netlink_ext_ack *extack)
{
	if (n < READ_ONCE(max_fabric_plans))
		return 0;
	NL_SET_ERR_MSG(extack, "The fabric has as many plans as max_fabric_plans allows");
	return -EDQUOT;
}

/* ------------------------------------------------------------ memory */

/* Refuse a fabric for which there is too little memory before its creation begins. Otherwise the
 * last of thousands of small allocations would invoke the OOM killer, which knows nothing about
 * fabrics and would kill other processes.
 */
int hc_memory_check(u32 nodes, struct netlink_ext_ack *extack)
{
	unsigned long needed = DIV_ROUND_UP((u64)nodes * NODE_BYTES, SZ_1M);
	long there = si_mem_available() / (SZ_1M / PAGE_SIZE);

	/* Leave some memory for the rest of the machine. Small fabrics are not checked. */
	if (needed < 8 || there - (long)needed >= min_t(long, 64, there / 4))
		return 0;
	HC_SET_ERR_MSG_FMT(extack,
			   "A fabric of %u nodes needs about %lu MiB of memory, %ld MiB are available",
			   nodes, needed, max(there, 0L));
	return -ENOMEM;
}

void hc_memory_owner_set(struct hc_fabric *fabric)
{
	fabric->memcg = get_mem_cgroup_from_mm(current->mm);
}

void hc_memory_owner_put(struct hc_fabric *fabric)
{
	mem_cgroup_put(fabric->memcg);
}

static bool poll_exceeds(struct hc_account *account, size_t size)
{
	return unlikely(limited(account) &&
			percpu_counter_read_positive(&account->poll_bytes) + size >
			READ_ONCE(poll_memory));
}

static void poll_charge(struct hc_fabric *fabric, s64 size)
{
	percpu_counter_add_batch(&fabric->account->poll_bytes, size, POLL_BATCH);
}

/* Allocate memory in a poll. The allocation may exceed the memory cgroup's limit; the next
 * allocation by one of the cgroup's tasks then has to reclaim memory. The limit poll_memory applies
 * approximately: each processor adds its changes to the common count in batches (POLL_BATCH).
 */
void *hc_poll_alloc(struct hc_fabric *fabric, size_t size)
{
	struct mem_cgroup *old;
	void *p;

	if (poll_exceeds(fabric->account, size))
		return NULL;
	old = set_active_memcg(fabric->memcg);
	p = kzalloc(size, GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN);
	set_active_memcg(old);
	if (p)
		poll_charge(fabric, size);
	return p;
}

void hc_poll_uncharge(struct hc_fabric *fabric, size_t size)
{
	poll_charge(fabric, -(s64)size);
}

bool hc_poll_charge(struct hc_fabric *fabric, size_t size)
{
	if (poll_exceeds(fabric->account, size))
		return false;
	poll_charge(fabric, size);
	return true;
}

void hc_own_pay(struct hc_fabric *fabric, bool owed, s64 size)
{
	percpu_counter_add_batch(&fabric->account->own_bytes[owed], size, POLL_BATCH);
}

s64 hc_own_paid(const struct hc_fabric *fabric, bool owed)
{
	return percpu_counter_read_positive(&fabric->account->own_bytes[owed]);
}

u64 hc_node_task_limit(void)
{
	return READ_ONCE(node_task_memory);
}

void hc_poll_free(struct hc_fabric *fabric, void *p, size_t size)
{
	if (!p)
		return;
	hc_poll_uncharge(fabric, size);
	kfree(p);
}

/* Destructor of a frame that frame_charge() has charged. The charged amount is in skb->mark,
 * because skb->truesize may have grown in transit.
 */
static void frame_uncharge(struct sk_buff *skb)
{
	poll_charge(skb_shinfo(skb)->destructor_arg, -(s64)skb->mark);
	skb->mark = 0;
}

static void frame_charge(struct hc_fabric *fabric, struct sk_buff *skb)
{
	skb->mark = skb->truesize;
	skb_shinfo(skb)->destructor_arg = fabric;
	skb->destructor = frame_uncharge;
	poll_charge(fabric, skb->mark);
}

bool hc_poll_adopt(struct hc_fabric *fabric, struct sk_buff *skb)
{
	if (poll_exceeds(fabric->account, skb->truesize))
		return false;
	frame_charge(fabric, skb);
	return true;
}

struct sk_buff *hc_poll_owned(struct hc_fabric *fabric, struct sk_buff *skb)
{
	if (!skb || hc_poll_adopt(fabric, skb))
		return skb;
	kfree_skb(skb);
	return NULL;
}

struct sk_buff *hc_poll_frame(const struct hc_node *node, u8 type, u32 len)
{
	struct hc_fabric *fabric = node->fabric;
	struct sk_buff *skb;

	if (poll_exceeds(fabric->account, SKB_TRUESIZE(HC_HEADROOM + len)))
		return NULL;
	skb = hc_frame_alloc(node, type, len, GFP_ATOMIC);
	if (!skb)
		return NULL;
	frame_charge(fabric, skb);
	return skb;
}
