// SPDX-License-Identifier: GPL-2.0
/*
 * Trunks: how they begin and end.
 */
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "compat.h"
#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/transport.h"
#include "hc_topo.h"
#include "notifier.h"
#include "trunk/commit.h"
#include "trunk/trunk.h"

static bool trunks;
module_param(trunks, bool, 0644);
MODULE_PARM_DESC(trunks, "links between machines over sockets, experimental (default off)");

struct workqueue_struct *hc_trunk_wq;

bool hc_trunks_wanted(void)
{
	return READ_ONCE(trunks);
}

/* ------------------------------------------------------------ links */

bool hc_trunk_has(const struct hc_trunk *trunk, u32 u)
{
	return u < trunk->fabric->topo.nodes && hc_is_here(trunk->fabric, u) &&
	       (hc_neigh(u, trunk->dim) & trunk->fixed) == trunk->base;
}

static struct hc_trunk_end *end_of(const struct hc_trunk *trunk, const struct hc_node *node)
{
	return node->ports[trunk->dim].end;
}

/* Attach the trunk to its links. A link has a carrier once the peer has sent the state of its end.
 */
static void links_attach(struct hc_trunk *trunk)
{
	struct hc_node *node;

	hc_each_node(trunk->fabric, node) {
		if (!hc_trunk_has(trunk, node->id))
			continue;
		rcu_assign_pointer(end_of(trunk, node)->trunk, trunk);
		WRITE_ONCE(node->ports[trunk->dim].via, trunk->nr);
		set_bit(node->id, trunk->tell);
	}
}

static void links_detach(struct hc_trunk *trunk)
{
	struct hc_fabric *fabric = trunk->fabric;
	struct hc_node *node;

	lockdep_assert_held(&fabric->lock);
	hc_each_node(fabric, node) {
		struct hc_trunk_end *end;

		if (!hc_trunk_has(trunk, node->id))
			continue;
		end = end_of(trunk, node);
		if (rcu_access_pointer(end->trunk) != trunk)
			continue;
		RCU_INIT_POINTER(end->trunk, NULL);
		WRITE_ONCE(node->ports[trunk->dim].via, 0);
		hc_trunk_end_forget(node, trunk->dim);
	}
}

static bool is_of_same_links(const struct hc_trunk *a, const struct hc_trunk *b)
{
	return a->dim == b->dim && a->fixed == b->fixed && a->base == b->base;
}

/* Count the links of a new trunk, and check that there is one and that no other trunk carries any
 * of them. If @old is not NULL, another trunk may carry exactly these links: *@old is set to it,
 * and the new trunk is to replace it. Return: 0 or -errno.
 */
static int links_check(struct hc_trunk *trunk, struct hc_trunk **old,
		       struct netlink_ext_ack *extack)
{
	struct hc_node *node;
	struct hc_trunk *other;

	hc_each_node(trunk->fabric, node) {
		if (!hc_trunk_has(trunk, node->id))
			continue;
		trunk->nlinks++;
		other = rcu_dereference_protected(end_of(trunk, node)->trunk,
						  lockdep_is_held(&trunk->fabric->lock));
		if (other && old && is_of_same_links(other, trunk)) {
			*old = other;
		} else if (other) {
			NL_SET_ERR_MSG(extack, "Another trunk carries some of these links");
			return -EBUSY;
		}
	}
	if (trunk->nlinks)
		return 0;
	NL_SET_ERR_MSG(extack, "No node that is here has a link along this dimension to nodes there");
	return -EINVAL;
}

/* ------------------------------------------------------------ end of a trunk */

void hc_trunk_break(struct hc_trunk *trunk, int error, const char *why)
{
	if (test_and_set_bit(HC_TRUNK_BROKEN, &trunk->flags))
		return;
	trunk->error = error;
	trunk->why = why;
	queue_work(hc_trunk_wq, &trunk->reap);
}

static void trunk_free(struct hc_trunk *trunk)
{
	bitmap_free(trunk->tell);
	kfree(trunk);
}

/* End a trunk and free it. The code that could still use it is stopped in this order: polls and
 * timers that send (they use RCU, so a grace period after the links are detached is enough); the
 * keepalive work; the callbacks of the socket, which the keepalive work may install (they are
 * restored under their lock); and the receive and send works, which any of these may have queued.
 * None of them queues this work item again.
 */
static void reap_work(struct work_struct *work)
{
	struct hc_trunk *trunk = container_of(work, struct hc_trunk, reap);
	struct hc_fabric *fabric = trunk->fabric;

	mutex_lock(&fabric->lock);
	links_detach(trunk);
	list_del(&trunk->list);
	hc_commit_trunk_gone(trunk);
	fabric->trunks->broken++;
	hc_notify_trunk(trunk, HYPERCUBE_CMD_TRUNK_DEL_NTF);
	mutex_unlock(&fabric->lock);
	synchronize_net();
	cancel_delayed_work_sync(&trunk->beat);
	hc_trunk_sock_quiet(trunk);
	cancel_delayed_work_sync(&trunk->receive);
	cancel_work_sync(&trunk->send);
	hc_trunk_tx_exit(trunk);
	hc_trunk_rx_exit(trunk);
	hc_trunk_sock_put(trunk);
	trunk_free(trunk);
	if (atomic_dec_and_test(&fabric->trunks->n))
		wake_up_var(&fabric->trunks->n);
	hc_fabric_put(fabric);
}

void hc_trunk_del(struct hc_trunk *trunk)
{
	hc_trunk_break(trunk, -ECANCELED, "It was removed");
	links_detach(trunk);
}

/* End trunk @old, because trunk @by replaces it. The reason for user space names the peer of @by's
 * connection. Its address is read without the socket's lock, which a process that still has the
 * descriptor may hold for any time.
 */
static void trunk_replaced(struct hc_trunk *old, const struct hc_trunk *by)
{
	const struct sock *sk = by->sock->sk;

	/* Detach @old before @by is attached, even if @old has just ended by itself. */
	links_detach(old);
	if (test_bit(HC_TRUNK_BROKEN, &old->flags))
		return;
	if (sk->sk_family == AF_INET)
		snprintf(old->text, sizeof(old->text), "A connection with %pI4:%u has replaced it",
			 &sk->sk_daddr, ntohs(sk->sk_dport));
#if IS_ENABLED(CONFIG_IPV6)
	else if (sk->sk_family == AF_INET6)
		snprintf(old->text, sizeof(old->text),
			 "A connection with [%pI6c]:%u has replaced it", &sk->sk_v6_daddr,
			 ntohs(sk->sk_dport));
#endif
	else
		strscpy(old->text, "Another connection has replaced it", sizeof(old->text));
	hc_trunk_break(old, -ECANCELED, old->text);
}

/* ------------------------------------------------------------ keepalive */

/* ms between two checks whether a process still holds the socket. */
#define BEGIN_EVERY	20

/* Try to take the socket from user space, and begin to use it. */
static void begin(struct hc_trunk *trunk)
{
	int err = hc_trunk_sock_begin(trunk);

	if (err == -EBUSY)
		hc_trunk_break(trunk, err, "The socket is in use by another part of the kernel");
	else if (err && err != -EAGAIN)
		hc_trunk_break(trunk, err, "The socket is no longer connected");
	else if (!err)
		WRITE_ONCE(trunk->last_rx, jiffies);
}

/* Return: the reason why nothing was received from the peer, as a sentence. */
static const char *silence(const struct hc_trunk *trunk)
{
	if (test_bit(HC_TRUNK_BEGUN, &trunk->flags))
		return "The other end was silent for too long";
	return "A process keeps the socket's descriptor, or has it in an epoll";
}

/* Run the keepalive work in @ms. */
static void beat_in(struct hc_trunk *trunk, u32 ms)
{
	trunk->due = jiffies + msecs_to_jiffies(ms);
	queue_delayed_work(hc_trunk_wq, &trunk->beat, msecs_to_jiffies(ms));
}

/* Return: true if nothing was received from the peer for longer than the keepalive. If this machine
 * was suspended, as a virtual machine may be, that time does not count: data may have arrived that
 * was not read yet, and the peer may have been suspended, too.
 */
static bool is_silent(struct hc_trunk *trunk)
{
	if (time_after(jiffies, trunk->due + msecs_to_jiffies(HC_STOOD_STILL)))
		WRITE_ONCE(trunk->last_rx, jiffies);
	return time_after(jiffies, READ_ONCE(trunk->last_rx) + msecs_to_jiffies(trunk->keep));
}

/* If a machine detects another machine with the same nodes while its trunk is younger than this, it
 * has joined the fabric after the other machine.
 */
#define YOUNG		msecs_to_jiffies(3000)

/* Return: true if it was detected that this trunk leads to another machine which has the same nodes
 * as this machine. *@at is set to the time of the detection. The record is cleared.
 */
static bool accusation_take(struct hc_trunk *trunk, unsigned long *at)
{
	struct hc_fabric *fabric = trunk->fabric;

	/* Pairs with accuse() of route/claims.c. */
	if (smp_load_acquire(&fabric->accused) != trunk->nr)
		return false;
	*at = READ_ONCE(fabric->accused_at);
	return cmpxchg(&fabric->accused, trunk->nr, 0) == trunk->nr;
}

/* Check whether this trunk leads to another machine that has the same nodes as this machine. If so,
 * the machine that has joined last ends its trunk, and the other machine notifies user space.
 */
static void accusation_check(struct hc_trunk *trunk)
{
	struct hc_fabric *fabric = trunk->fabric;
	char part[HYPERCUBE_DIM_MAX + 1];
	unsigned long at;

	if (!accusation_take(trunk, &at) || test_bit(HC_TRUNK_TWICE, &trunk->flags))
		return;
	hc_part_text(fabric, fabric->fixed, fabric->base, part);
	mutex_lock(&fabric->lock);
	if (!fabric->dead && !test_bit(HC_TRUNK_BROKEN, &trunk->flags)) {
		snprintf(trunk->text, sizeof(trunk->text),
			 "It leads to another machine that holds nodes %s, too", part);
		set_bit(HC_TRUNK_TWICE, &trunk->flags);
		if (time_before(at, trunk->established + YOUNG))
			hc_trunk_break(trunk, -ENOTUNIQ, trunk->text);
		else
			hc_notify_trunk(trunk, HYPERCUBE_CMD_TRUNK_NTF);
	}
	mutex_unlock(&fabric->lock);
}

/* The keepalive work: end the trunk if the peer is silent, begin to use the socket when that is
 * possible, and send keepalives as often as the end with the shorter keepalive requires. It also
 * queues the send and the receive work, in case a callback of the socket was missed.
 */
static void beat_work(struct work_struct *work)
{
	struct hc_trunk *trunk = container_of(to_delayed_work(work), struct hc_trunk, beat);
	u32 keep = min_not_zero(trunk->keep, READ_ONCE(trunk->keep_there));

	if (is_silent(trunk)) {
		hc_trunk_break(trunk, -ETIMEDOUT, silence(trunk));
		return;
	}
	if (!test_bit(HC_TRUNK_BEGUN, &trunk->flags))
		begin(trunk);
	if (!test_bit(HC_TRUNK_BEGUN, &trunk->flags)) {
		beat_in(trunk, BEGIN_EVERY);
		return;
	}
	accusation_check(trunk);
	set_bit(HC_TRUNK_DUE, &trunk->flags);
	queue_work(hc_trunk_wq, &trunk->send);
	queue_delayed_work(hc_trunk_wq, &trunk->receive, 0);
	beat_in(trunk, max(keep / 4, 10U));
}

/* ------------------------------------------------------------ begin of a trunk */

static struct hc_trunk *trunk_alloc(struct hc_fabric *fabric, const struct hc_trunk_params *p)
{
	struct hc_trunk *trunk = kzalloc(sizeof(*trunk), GFP_KERNEL_ACCOUNT);

	if (!trunk)
		return NULL;
	trunk->fabric = fabric;
	trunk->dim = p->dim;
	trunk->fixed = p->far ? p->fixed : fabric->fixed;
	trunk->base = p->far ? p->base : fabric->base ^ (fabric->fixed & hc_bit(p->dim));
	trunk->keep = p->keep ?: HYPERCUBE_TRUNK_KEEPALIVE_DEFAULT;
	__assign_bit(HC_TRUNK_NO_PLANS, &trunk->flags, p->no_plans);
	__assign_bit(HC_TRUNK_DIGEST, &trunk->flags, p->digest != HC_TRUNK_DIGEST_OFF);
	__assign_bit(HC_TRUNK_DIGEST_AUTO, &trunk->flags, p->digest == HC_TRUNK_DIGEST_DEFAULT);
	trunk->tell = bitmap_zalloc(fabric->topo.nodes, GFP_KERNEL_ACCOUNT);
	trunk->last_rx = jiffies;
	hc_trunk_tx_init(trunk);
	hc_trunk_rx_init(trunk);
	INIT_DELAYED_WORK(&trunk->beat, beat_work);
	INIT_WORK(&trunk->reap, reap_work);
	if (trunk->tell)
		return trunk;
	trunk_free(trunk);
	return NULL;
}

/* Return: the id for a new trunk. Ids ascend, and begin with 1 again if the fabric has no trunk. */
static u32 id_take(const struct hc_fabric *fabric)
{
	const struct hc_trunk *last = list_empty(&fabric->trunks->list) ? NULL :
				      list_last_entry(&fabric->trunks->list, struct hc_trunk, list);

	return last ? last->id + 1 : 1;
}

/* Make a trunk visible and start its keepalive work. The caller holds hc_fabric.lock, so no record
 * of the peer is processed before this function ends.
 */
static void trunk_start(struct hc_trunk *trunk)
{
	struct hc_fabric *fabric = trunk->fabric;

	trunk->id = id_take(fabric);
	trunk->nr = ++fabric->trunks->last;
	kref_get(&fabric->ref);
	atomic_inc(&fabric->trunks->n);
	list_add_tail(&trunk->list, &fabric->trunks->list);
	links_attach(trunk);
	beat_in(trunk, 0);
	hc_notify_trunk(trunk, HYPERCUBE_CMD_TRUNK_NTF);
}

int hc_trunk_add(struct hc_fabric *fabric, const struct hc_trunk_params *p,
		 struct netlink_ext_ack *extack)
{
	struct hc_trunk *trunk, *old = NULL;
	int err;

	lockdep_assert_held(&fabric->lock);
	if (!(fabric->fixed & hc_bit(p->dim))) {
		NL_SET_ERR_MSG(extack, "All links along this dimension are between nodes that are here");
		return -EINVAL;
	}
	trunk = trunk_alloc(fabric, p);
	if (!trunk)
		return -ENOMEM;
	err = links_check(trunk, p->replace ? &old : NULL, extack) ?:
	      hc_trunk_sock_get(trunk, p->fd, extack);
	if (err) {
		trunk_free(trunk);
		return err;
	}
	if (old)
		trunk_replaced(old, trunk);
	trunk_start(trunk);
	return 0;
}

struct hc_trunk *hc_trunk_find(struct hc_fabric *fabric, u32 id)
{
	struct hc_trunk *trunk;

	list_for_each_entry(trunk, &fabric->trunks->list, list)
		if (trunk->id == id && !test_bit(HC_TRUNK_BROKEN, &trunk->flags))
			return trunk;
	return NULL;
}

/* ------------------------------------------------------------ fabrics */

/* The state that trunks have for each fabric. */
struct state {
	struct hc_trunks trunks;
	struct hc_commit commit;
};

static void trunks_init(struct hc_fabric *fabric, void *state)
{
	struct state *s = state;

	fabric->trunks = &s->trunks;
	INIT_LIST_HEAD(&fabric->trunks->list);
	fabric->commit = &s->commit;
	hc_commit_init(fabric);
}

/* End all trunks of a dead fabric, and wait until they are freed. No trunk can be added to it. */
static void trunks_end(struct hc_fabric *fabric)
{
	struct hc_trunk *trunk;

	mutex_lock(&fabric->lock);
	list_for_each_entry(trunk, &fabric->trunks->list, list)
		hc_trunk_break(trunk, -ENODEV, "Its fabric was removed");
	mutex_unlock(&fabric->lock);
	wait_var_event(&fabric->trunks->n, !atomic_read(&fabric->trunks->n));
}

/* End the trunks first, because they use the timer of the requests to all machines. */
static void trunks_stop(struct hc_fabric *fabric)
{
	trunks_end(fabric);
	hc_commit_stop(fabric);
}

static void trunks_exit(struct hc_fabric *fabric)
{
	mutex_lock(&fabric->lock);
	hc_commit_exit(fabric);
	mutex_unlock(&fabric->lock);
}

static struct hc_notifier notifier = {
	.fabric_size	= sizeof(struct state),
	.fabric_init	= trunks_init,
	.fabric_stop	= trunks_stop,
	.fabric_exit	= trunks_exit,
};

int __init hc_trunk_module_init(void)
{
	hc_trunk_wq = alloc_workqueue("hypercube_trunk", WQ_UNBOUND, 0);
	if (!hc_trunk_wq)
		return -ENOMEM;
	hc_transport_trunk = &hc_trunk_transport;
	hc_notifier_add(&notifier);
	return 0;
}

void hc_trunk_module_exit(void)
{
	destroy_workqueue(hc_trunk_wq);
}
