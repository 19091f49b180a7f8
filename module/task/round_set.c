// SPDX-License-Identifier: GPL-2.0
/*
 * The configuration of rounds: settings, topology, requests and the history.
 */
#include <linux/jhash.h>
#include <linux/slab.h>

#include "compat.h"
#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "fabric/node.h"
#include "hc_topo.h"
#include "notifier.h"
#include "task/round.h"
#include "task/round_impl.h"

static const struct hc_round_ops * const methods[] = {
	&hc_round_dem, &hc_round_mcwa, &hc_round_cwa, &hc_round_rid,
};

const struct hc_round_ops *hc_round_method(u32 method)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(methods); i++)
		if (methods[i]->id == method)
			return methods[i];
	return NULL;
}

bool hc_round_knows(u32 method)
{
	return hc_round_method(method);
}

void hc_rounds_init(struct hc_rounds *rounds)
{
	rounds->threshold = HYPERCUBE_THRESHOLD_NONE;
	spin_lock_init(&rounds->lock);
}

/* ------------------------------------------------------------ state of a node */

static enum hrtimer_restart round_timer(struct hrtimer *timer)
{
	struct hc_round *r = container_of(timer, struct hc_round, timer);

	hc_node_kick(r->node, HC_EV_ROUND);
	return HRTIMER_NORESTART;
}

/* Return: the size of struct hc_round with the private state of the methods. The state of RID
 * follows it in memory.
 */
static size_t round_size(const struct hc_fabric *fabric)
{
	size_t most = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(methods); i++)
		most = max(most, methods[i]->size);
	return ALIGN(struct_size_t(struct hc_round, link, fabric->topo.ports) + most, sizeof(u64));
}

static int round_open(struct hc_node *node)
{
	struct hc_fabric *fabric = node->fabric;
	size_t own = round_size(fabric), size = own + hc_rid_size(fabric);
	struct hc_round *r;

	if (node->round)
		return 0;
	r = kzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!r)
		return -ENOMEM;
	if (!hc_poll_charge(fabric, size)) {
		kfree(r);
		return -ENOBUFS;
	}
	r->node = node;
	r->rid = (void *)r + own;
	r->size = size;
	r->parent = HC_ROUND_NO_PARENT;
	r->ended = ktime_get_ns();
	hc_timer_setup(&r->timer, round_timer);
	/* Pairs with smp_load_acquire() in hc_round_of(). */
	smp_store_release(&node->round, r);
	return 0;
}

int hc_rounds_open(struct hc_fabric *fabric, struct netlink_ext_ack *extack)
{
	struct hc_node *node;
	int err;

	lockdep_assert_held(&fabric->lock);
	if (!hc_is_whole(fabric)) {
		NL_SET_ERR_MSG(extack, "A fabric that spans machines balances no tasks yet");
		return -EOPNOTSUPP;
	}
	hc_each_node(fabric, node) {
		err = round_open(node);
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

void hc_round_free(struct hc_node *node)
{
	struct hc_round *r = node->round;

	if (r)
		hc_poll_free(node->fabric, r, r->size);
}

/* ------------------------------------------------------------ topology */

static struct hc_round_topo *topo_of(const struct hc_fabric *fabric)
{
	return rcu_dereference_protected(fabric->rounds->topo, lockdep_is_held(&fabric->lock));
}

/* Return: a hash of the topology, by which nodes compare their topologies. It does not depend on
 * the machine.
 */
static u64 topo_mark(const struct hc_round_topo *topo, size_t nodes)
{
	u32 low = jhash_2words(topo->b.dims, topo->b.base, 0);
	u32 high = jhash_2words(topo->b.dims, topo->b.base, 1);

	return (u64)(jhash(topo->up, nodes, high) & U16_MAX) << 32 | jhash(topo->up, nodes, low);
}

static struct hc_round_topo *topo_alloc(struct hc_fabric *fabric, const struct hc_balance *b,
					struct netlink_ext_ack *extack)
{
	size_t nodes = fabric->topo.nodes, size;
	struct hc_round_topo *topo;
	int err;

	size = struct_size(topo, up, nodes);
	err = hc_charge(fabric->account, HC_LIMIT_PLAN_BYTES, size, extack);
	if (err)
		return ERR_PTR(err);
	topo = kzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!topo) {
		hc_uncharge(fabric->account, HC_LIMIT_PLAN_BYTES, size);
		return ERR_PTR(-ENOMEM);
	}
	topo->size = size;
	topo->b = *b;
	topo->b.up = topo->up;
	memcpy(topo->up, b->up, nodes);
	topo->mark = topo_mark(topo, nodes);
	return topo;
}

static void topo_free(struct hc_fabric *fabric, struct hc_round_topo *topo)
{
	if (!topo)
		return;
	hc_uncharge(fabric->account, HC_LIMIT_PLAN_BYTES, topo->size);
	kfree_rcu(topo, rcu);
}

static int method_check(const struct hc_fabric *fabric, u32 method,
			const struct hc_round_topo *topo,
			struct netlink_ext_ack *extack)
{
	const struct hc_round_ops *ops = hc_round_method(method);
	const char *reason;

	int err;

	if (!ops || !ops->topology)
		return 0;
	err = hc_fabric_need_cube(fabric, extack);
	if (err)
		return err;
	if (!topo) {
		NL_SET_ERR_MSG(extack, "The method needs a topology, and none is installed");
		return -ENOENT;
	}
	reason = ops->topology(&topo->b);
	if (reason)
		extack->_msg = reason;
	return reason ? -EINVAL : 0;
}

int hc_rounds_topology(struct hc_fabric *fabric, u32 method, const struct hc_balance *b,
		       const u32 *fault, struct netlink_ext_ack *extack)
{
	struct hc_round_topo *topo, *old = topo_of(fabric);
	struct hc_reason reason;
	int err = hc_fabric_need_cube(fabric, extack) ?:
		  hc_link_check_faults(fabric, fault, extack);

	if (err)
		return err;
	if (hc_balance_check(b, fault, &reason)) {
		if (reason.node == HC_REASON_NONE)
			extack->_msg = reason.why;
		else
			HC_SET_ERR_MSG_FMT(extack, "%s: node %u", reason.why, reason.node);
		return -EINVAL;
	}
	topo = topo_alloc(fabric, b, extack);
	if (IS_ERR(topo))
		return PTR_ERR(topo);
	err = method_check(fabric, method, topo, extack);
	if (err) {
		topo_free(fabric, topo);
		return err;
	}
	topo->epoch = ++fabric->rounds->epoch;
	rcu_assign_pointer(fabric->rounds->topo, topo);
	topo_free(fabric, old);
	return 0;
}

const struct hc_balance *hc_rounds_topology_get(const struct hc_fabric *fabric, u32 *epoch)
{
	const struct hc_round_topo *topo = topo_of(fabric);

	*epoch = topo ? topo->epoch : 0;
	return topo ? &topo->b : NULL;
}

int hc_round_check(const struct hc_fabric *fabric, u32 method, struct netlink_ext_ack *extack)
{
	return method_check(fabric, method, topo_of(fabric), extack);
}

void hc_rounds_exit(struct hc_fabric *fabric)
{
	topo_free(fabric, topo_of(fabric));
	RCU_INIT_POINTER(fabric->rounds->topo, NULL);
}

/* ------------------------------------------------------------ requests */

void hc_rounds_set(struct hc_fabric *fabric)
{
	struct hc_node *node;

	lockdep_assert_held(&fabric->lock);
	hc_each_node(fabric, node) {
		hc_node_kick(node, HC_EV_ROUND);
		hc_node_kicked(fabric, node->id);
	}
}

bool hc_round_may_ask(const struct hc_node *node, u32 method)
{
	struct hc_rounds *rounds = node->fabric->rounds;
	const struct hc_round *r = node->round;
	bool may;

	lockdep_assert_held(&node->fabric->lock);
	spin_lock_bh(&rounds->lock);
	may = (r->answered == r->asks && !r->waiters) || r->ask_method == method;
	spin_unlock_bh(&rounds->lock);
	return may;
}

u32 hc_round_ask(struct hc_node *node, u32 method)
{
	struct hc_round *r = node->round;

	lockdep_assert_held(&node->fabric->lock);
	WRITE_ONCE(r->ask_method, method);
	/* Pairs with smp_load_acquire() in begin_due() and hc_round_refuse(). */
	smp_store_release(&r->asks, r->asks + 1);
	r->waiters++;
	hc_node_kick(node, HC_EV_ROUND);
	return r->asks;
}

/* End the wait for a request. The caller holds hc_fabric.lock, except when the fabric is being
 * removed, since then no other request can arrive.
 */
void hc_round_notified(struct hc_node *node)
{
	node->round->waiters--;
}

int hc_round_asked(const struct hc_node *node, u32 nr, struct hc_round_record *record)
{
	struct hc_rounds *rounds = node->fabric->rounds;
	const struct hc_round *r = node->round;
	int err = -EAGAIN;

	spin_lock_bh(&rounds->lock);
	if ((s32)(r->answered - nr) >= 0) {
		*record = r->answer;
		err = 0;
	}
	spin_unlock_bh(&rounds->lock);
	return err;
}

/* ------------------------------------------------------------ history */

static void count(struct hc_rounds *rounds, const struct hc_round_record *rec)
{
	if (rec->status)
		rounds->stats.failed++;
	else
		rounds->stats.done++;
	rounds->stats.moved += rec->moved;
}

void hc_round_record(struct hc_node *node, struct hc_round *r, const struct hc_round_record *rec,
		     bool keep)
{
	struct hc_rounds *rounds = node->fabric->rounds;

	spin_lock_bh(&rounds->lock);
	count(rounds, rec);
	if (keep)
		rounds->record[rounds->kept++ % HYPERCUBE_ROUNDS_KEPT] = *rec;
	if (rec->trigger == HYPERCUBE_TRIGGER_COMMAND) {
		r->answer = *rec;
		r->answered = r->begun;
	}
	spin_unlock_bh(&rounds->lock);
	if (keep)
		hc_notify_round(node->fabric, rec);
}

void hc_round_refuse(struct hc_node *node, struct hc_round *r, int status)
{
	struct hc_rounds *rounds = node->fabric->rounds;
	/* Pairs with smp_store_release() in hc_round_ask(). */
	u32 asks = smp_load_acquire(&r->asks);

	spin_lock_bh(&rounds->lock);
	if (r->answered != asks) {
		r->answer = (struct hc_round_record){
			.node = node->id, .trigger = HYPERCUBE_TRIGGER_COMMAND,
			.status = status, .cause_node = node->id, .cause_dim = HC_CAUSE_NONE,
		};
		r->answered = asks;
	}
	r->begun = asks;
	spin_unlock_bh(&rounds->lock);
}
