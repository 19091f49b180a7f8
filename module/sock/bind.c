// SPDX-License-Identifier: GPL-2.0
/*
 * Binding sockets to nodes and unbinding them: bind(), connect(), close(), removal of a node, and a
 * change of its owner.
 *
 * A node has any number of task sockets (node->socks->shared), at most one datagram socket
 * (.dgram), any number of collective sockets that are connected to one plan each (.plans), and at
 * most one collective socket that serves all other plans (.all). These fields are written under
 * hc_fabric.sock_lock, which is held for short times only, so bind() and close() do not wait for
 * configuration.
 *
 * Lifetime: a bound socket is published in the node, and hsk->node points back. Both pointers are
 * cleared under hc_fabric.sock_lock when the socket is closed, the node gets another owner, or the
 * fabric is removed; bind() checks under the lock that the fabric is alive. Polls use the node's
 * sockets under RCU, and sockets, including their receive queues, are freed after a grace period
 * (SOCK_RCU_FREE). System calls use hsk->node under RCU; a node is freed a grace period after
 * hsk->node was cleared.
 */
#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/net.h>
#include <linux/random.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "coll/coll.h"
#include "fabric/limits.h"
#include "fabric/netns_move.h"
#include "sock/collect.h"
#include "sock/hostq.h"
#include "sock/sock.h"
#include "sock/socks.h"

/* ------------------------------------------------------------ addresses */

int hc_sock_addr(struct sockaddr_hypercube *shc, const void *addr, int len)
{
	/* Accept the address without .shc_plan, too: programs that do not use plans pass it. */
	if (len != offsetof(struct sockaddr_hypercube, shc_plan) && len != sizeof(*shc))
		return -EINVAL;
	memset(shc, 0, sizeof(*shc));
	memcpy(shc, addr, len);
	if (shc->shc_family != hc_sock_family() || shc->shc_reserved ||
	    !memchr(shc->shc_fabric, 0, sizeof(shc->shc_fabric)))
		return -EINVAL;
	return 0;
}

int hc_sock_getname(struct socket *sock, struct sockaddr *addr, int peer)
{
	struct sockaddr_hypercube *shc = (struct sockaddr_hypercube *)addr;
	struct hc_sock *hsk = hc_sk(sock->sk);
	struct hc_fabric *fabric = hc_sock_fabric(hsk);
	u32 plan = READ_ONCE(hsk->plan);

	if (!fabric || (peer && !plan))
		return -ENOTCONN;
	memset(shc, 0, sizeof(*shc));
	shc->shc_family = hc_sock_family();
	shc->shc_node = hsk->node_id;
	shc->shc_plan = peer ? plan : 0;
	strscpy(shc->shc_fabric, fabric->name, sizeof(shc->shc_fabric));
	return sizeof(*shc);
}

/* ------------------------------------------------------------ leaving */

static void leave_handled(struct sk_buff *skb)
{
	complete(hc_leave_cb(skb)->handled);
}

/* Queue the frame @skb for the node's poll, which notifies it that the socket does not serve plans
 * any more or, if @keeps is not 0, serves only plan @keeps. @handled, if not NULL, completes when
 * the poll has handled the frame, or when the node is removed, which frees the frame. The poll
 * sends frames that notify other nodes.
 */
static void leave_notify(const struct hc_sock *hsk, struct hc_node *node, struct sk_buff *skb,
			 u32 keeps, struct completion *handled)
{
	struct hc_leave_cb *cb = hc_leave_cb(skb);

	cb->cb.dim = HC_DIM_HOST;
	cb->sock = hsk->id;
	cb->plan = keeps ? 0 : hsk->plan;
	cb->keeps = keeps;
	cb->next = 0;
	cb->handled = handled;
	if (handled)
		skb->destructor = leave_handled;
	rcu_read_lock();
	hc_hostq_xmit(node, skb);
	rcu_read_unlock();
}

/* Remove the socket from the node's published sockets. */
static void slot_clear(struct hc_sock *hsk, struct hc_node *node)
{
	lockdep_assert_held(&node->fabric->sock_lock);
	if (!list_empty(&hsk->shared))
		list_del_init(&hsk->shared);
	else if (hsk->sk.sk_type == SOCK_DGRAM)
		RCU_INIT_POINTER(node->socks->dgram, NULL);
	else if (hsk->plan)
		xa_erase(&node->socks->plans, hsk->plan);
	else
		RCU_INIT_POINTER(node->socks->all, NULL);
	RCU_INIT_POINTER(hsk->node, NULL);
	/* System calls that wait for a task or for room end now, and return the errno in hsk->gone.
	 */
	if (hsk->task.tasks)
		hc_tasks_leave(&hsk->task);
}

/* Unbind a socket that is being closed. Wait until the poll has handled the close: a socket that is
 * bound to the node after close() has returned then begins after the operations to which this
 * socket has contributed.
 */
static void sock_unbind(struct hc_sock *hsk)
{
	DECLARE_COMPLETION_ONSTACK(handled);
	struct hc_fabric *fabric = hsk->fabric;
	struct hc_node *node;
	bool notified = false;

	if (!fabric)
		return;
	mutex_lock(&fabric->sock_lock);
	node = rcu_dereference_protected(hsk->node, lockdep_is_held(&fabric->sock_lock));
	if (node) {
		slot_clear(hsk, node);
		notified = hsk->leave_skb;
		if (notified)
			leave_notify(hsk, node, hsk->leave_skb, 0, &handled);
		hsk->leave_skb = NULL;
	}
	mutex_unlock(&fabric->sock_lock);
	if (notified)
		wait_for_completion(&handled);
	kfree_skb(hsk->leave_skb);
	hc_fabric_put(fabric);
	hsk->fabric = NULL;
}

int hc_sock_release(struct socket *sock)
{
	struct sock *sk = sock->sk;

	if (!sk)
		return 0;
	sock_unbind(hc_sk(sk));
	/* Frames that the socket has sent may hold references to it for a long time. No process
	 * reads its receive queue any more, so free the queued skbs now.
	 */
	skb_queue_purge(&sk->sk_receive_queue);
	hc_collect_close(hc_sk(sk));
	hc_task_end_exit(&hc_sk(sk)->task);
	kfree_skb(hc_sk(sk)->seg);
	hc_sk(sk)->seg = NULL;
	sock_prot_inuse_add(sock_net(sk), sk->sk_prot, -1);
	hc_sk_leave_net(sk);
	sock_orphan(sk);
	sock->sk = NULL;
	sock_put(sk);
	return 0;
}

/* ------------------------------------------------------------ losing the node */

static void sock_take(struct sock *sk, struct hc_node *node, int err)
{
	struct hc_sock *hsk = hc_sk(sk);

	WRITE_ONCE(hsk->gone, err);
	slot_clear(hsk, node);
	/* Only one system call returns sk_err. Because of the shutdown, all other calls that read
	 * messages return, too, and hc_dgram_recvmsg() returns the errno in hsk->gone.
	 */
	if (sk->sk_type == SOCK_DGRAM)
		WRITE_ONCE(sk->sk_shutdown, RCV_SHUTDOWN);
	/* In this state, datagram_poll() reports EPOLLHUP, as it does before bind(). */
	if (sk->sk_type == SOCK_SEQPACKET)
		WRITE_ONCE(sk->sk_state, TCP_CLOSE);
	WRITE_ONCE(sk->sk_err, err);
	sk_error_report(sk);
	/* sk_error_report() wakes one of the readers of messages; sk_state_change() wakes all. */
	sk->sk_state_change(sk);
	sk->sk_write_space(sk);
}

/* Call @take for each socket that is bound to the node. */
static void socks_walk(struct hc_node *node, void (*take)(struct sock *sk, struct hc_node *node))
{
	struct mutex *lock = &node->fabric->sock_lock;
	struct hc_sock *hsk, *next;
	unsigned long plan;
	struct sock *sk;

	lockdep_assert_held(&node->fabric->lock);
	mutex_lock(lock);
	sk = rcu_dereference_protected(node->socks->dgram, lockdep_is_held(lock));
	if (sk)
		take(sk, node);
	sk = rcu_dereference_protected(node->socks->all, lockdep_is_held(lock));
	if (sk)
		take(sk, node);
	xa_for_each(&node->socks->plans, plan, sk)
		take(sk, node);
	list_for_each_entry_safe(hsk, next, &node->socks->shared, shared)
		take(&hsk->sk, node);
	mutex_unlock(lock);
}

static void sock_lose(struct sock *sk, struct hc_node *node)
{
	sock_take(sk, node, ENODEV);
}

/* Unbind all sockets of a node that is being removed (phase 1 of the fabric's removal). */
void hc_sock_node_gone(struct hc_node *node)
{
	socks_walk(node, sock_lose);
	hc_tasks_node_gone(node);
}

/* Unbind a socket that could only be bound because its user owned the node, if another user owns
 * the node now. Its operations end as they do when a socket is closed.
 */
static void sock_revoke(struct sock *sk, struct hc_node *node)
{
	struct hc_sock *hsk = hc_sk(sk);

	if (!uid_valid(hsk->by) || uid_eq(hsk->by, node->owner))
		return;
	sock_take(sk, node, EACCES);
	if (hsk->leave_skb)
		leave_notify(hsk, node, hsk->leave_skb, 0, NULL);
	hsk->leave_skb = NULL;
}

void hc_sock_owner_changed(struct hc_node *node)
{
	socks_walk(node, sock_revoke);
}

void hc_socks_init(struct hc_socks *socks)
{
	xa_init(&socks->plans);
	INIT_LIST_HEAD(&socks->shared);
	/* Begin with a random number, so that a Byzantine node that has received none of the
	 * numbers cannot guess the next one.
	 */
	atomic64_set(&socks->copied, get_random_u64());
}

bool hc_sock_bound(const struct hc_node *node)
{
	return rcu_access_pointer(node->socks->all) || !xa_empty(&node->socks->plans);
}

/* ------------------------------------------------------------ binding */

/* Return: true if the calling process may bind a socket to the node. *@by is set to the node's
 * owner if the process may bind only because it has the owner's uid, otherwise to INVALID_UID.
 */
static bool may_bind(const struct hc_node *node, kuid_t *by)
{
	kuid_t owner = READ_ONCE(node->owner);
	struct net *net;
	bool capable;

	*by = INVALID_UID;
	/* The node's net_device may move to another namespace at any time. */
	rcu_read_lock();
	net = maybe_get_net(dev_net(node->dev));
	rcu_read_unlock();
	if (!net)
		return false;
	capable = ns_capable_noaudit(net->user_ns, CAP_NET_ADMIN);
	put_net(net);
	if (capable)
		return true;
	*by = owner;
	return uid_valid(owner) && uid_eq(current_euid(), owner);
}

static int slot_take(struct hc_sock *hsk, struct hc_node *node, u32 plan)
{
	struct hc_socks *socks = node->socks;
	struct sock *sk = &hsk->sk;
	struct sock __rcu **slot = sk->sk_type == SOCK_SEQPACKET ? &socks->all : &socks->dgram;
	int err;

	lockdep_assert_held(&node->fabric->sock_lock);
	if (sk->sk_type == SOCK_RDM) {
		err = hc_tasks_join(node, &hsk->task);
		if (!err)
			list_add_tail(&hsk->shared, &socks->shared);
		return err;
	}
	if (plan) {
		err = xa_insert(&socks->plans, plan, sk, GFP_KERNEL_ACCOUNT);
		return err == -EBUSY ? -EADDRINUSE : err;
	}
	if (rcu_access_pointer(*slot))
		return -EADDRINUSE;
	rcu_assign_pointer(*slot, sk);
	return 0;
}

static int bind_check(struct hc_sock *hsk, const struct hc_node *node)
{
	lockdep_assert_held(&node->fabric->sock_lock);
	/* The fabric is alive, so its network namespace exists. */
	if (!hc_users_allowed(read_pnet(&node->fabric->net)))
		return -EPERM;
	return may_bind(node, &hsk->by) ? 0 : -EACCES;
}

static int node_bind(struct hc_sock *hsk, struct hc_node *node, u32 plan)
{
	bool coll = hsk->sk.sk_type == SOCK_SEQPACKET;
	struct sk_buff *skb = NULL;
	int err;

	lockdep_assert_held(&node->fabric->sock_lock);
	if (coll) {
		/* Allocate now the frame that close() sends, since close() cannot fail. */
		skb = hc_frame_make(node->fabric, node->id, HC_FRAME_END, 0,
				    GFP_KERNEL_ACCOUNT);
		if (!skb)
			return -ENOMEM;
	}
	hsk->node_id = node->id;
	rcu_assign_pointer(hsk->node, node);
	err = slot_take(hsk, node, plan);
	if (err) {
		RCU_INIT_POINTER(hsk->node, NULL);
		kfree_skb(skb);
		return err;
	}
	hsk->leave_skb = skb;
	WRITE_ONCE(hsk->plan, plan);
	hsk->sk.sk_state = TCP_ESTABLISHED;
	/* Pairs with smp_load_acquire() in hc_sock_fabric(). */
	smp_store_release(&hsk->fabric, node->fabric);
	/* A broadcast message may wait until the node has a socket that receives it. */
	if (coll)
		hc_node_kick(node, HC_EV_READER);
	return 0;
}

/* Take the socket's .send_lock and the fabric's .sock_lock. A signal ends the wait for either lock,
 * since another thread may hold it during a long system call. Return: 0 or a negative errno.
 */
static int locks_take(struct hc_sock *hsk, struct hc_fabric *fabric)
{
	if (mutex_lock_interruptible(&hsk->send_lock))
		return -ERESTARTSYS;
	if (!mutex_lock_interruptible(&fabric->sock_lock))
		return 0;
	mutex_unlock(&hsk->send_lock);
	return -ERESTARTSYS;
}

static void locks_drop(struct hc_sock *hsk, struct hc_fabric *fabric)
{
	mutex_unlock(&fabric->sock_lock);
	mutex_unlock(&hsk->send_lock);
}

static int sock_bind(struct socket *sock, const struct sockaddr_hypercube *shc, u32 plan)
{
	struct hc_sock *hsk = hc_sk(sock->sk);
	struct hc_fabric *fabric;
	struct hc_node *node;
	int err;

	fabric = hc_fabric_get(sock_net(sock->sk), shc->shc_fabric);
	if (!fabric)
		fabric = hc_netns_fabric_get(sock_net(sock->sk), shc->shc_fabric, shc->shc_node);
	if (!fabric)
		return -ENODEV;
	err = shc->shc_node < fabric->topo.nodes && hc_is_here(fabric, shc->shc_node) ?
	      locks_take(hsk, fabric) : -EADDRNOTAVAIL;
	if (err)
		goto out;
	node = fabric->nodes[shc->shc_node];
	if (hsk->fabric)
		err = -EINVAL;
	else if (!hc_fabric_alive(fabric))
		err = -ENODEV;
	else
		err = bind_check(hsk, node) ?: node_bind(hsk, node, plan);
	locks_drop(hsk, fabric);
out:
	if (err)
		hc_fabric_put(fabric);
	return err;
}

int hc_sock_bind(struct socket *sock, struct sockaddr_unsized *addr, int len)
{
	struct sockaddr_hypercube shc;
	int err = hc_sock_addr(&shc, addr, len);

	if (err || shc.shc_plan)
		return -EINVAL;
	return sock_bind(sock, &shc, 0);
}

/* Bind a socket to plan @plan at the node of socket @of. The permission checks that were made for
 * @of are valid for the new socket, too.
 */
static int sibling_bind(struct hc_sock *hsk, const struct hc_sock *of, u32 plan)
{
	struct hc_fabric *fabric = hc_sock_fabric(of);
	struct hc_node *node;
	int err;

	if (!fabric)
		return -ENOTCONN;
	err = locks_take(hsk, fabric);
	if (err)
		return err;
	node = rcu_dereference_protected(of->node, lockdep_is_held(&fabric->sock_lock));
	if (hsk->fabric) {
		err = -EINVAL;
	} else if (!node) {
		err = hc_sock_gone(of);
	} else if (!hc_users_allowed(read_pnet(&fabric->net))) {
		err = -EPERM;
	} else {
		hsk->by = of->by;
		hsk->group = of->group;
		err = node_bind(hsk, node, plan);
		if (err)
			hsk->group = hsk->id;
		else
			kref_get(&fabric->ref);
	}
	locks_drop(hsk, fabric);
	return err;
}

int hc_sock_setsockopt(struct socket *sock, int level, int name, sockptr_t value,
		       unsigned int len)
{
	struct hypercube_sibling sibling;
	struct socket *of;
	int err;

	if (level != SOL_HYPERCUBE || name != HYPERCUBE_SIBLING)
		return -ENOPROTOOPT;
	if (len != sizeof(sibling))
		return -EINVAL;
	if (copy_from_sockptr(&sibling, value, sizeof(sibling)))
		return -EFAULT;
	if (!sibling.plan)
		return -EINVAL;
	of = sockfd_lookup(sibling.fd, &err);
	if (!of)
		return err;
	err = of->ops == sock->ops ? sibling_bind(hc_sk(sock->sk), hc_sk(of->sk), sibling.plan) :
	      -EINVAL;
	sockfd_put(of);
	return err;
}

/* Connect a socket that serves all plans to one plan. For its operations on other plans this has
 * the effect of close().
 */
static int node_connect(struct hc_sock *hsk, struct hc_fabric *fabric, u32 plan,
			struct sk_buff *skb)
{
	struct hc_node *node = rcu_dereference_protected(hsk->node,
							 lockdep_is_held(&fabric->sock_lock));
	int err;

	if (!node)
		return hc_sock_gone(hsk);
	if (hsk->plan)
		return -EISCONN;
	if (hsk->open && READ_ONCE(hsk->failed_rec) != hsk->rec)
		return -EBUSY;
	err = slot_take(hsk, node, plan);
	if (err)
		return err;
	RCU_INIT_POINTER(node->socks->all, NULL);
	leave_notify(hsk, node, skb, plan, NULL);
	WRITE_ONCE(hsk->plan, plan);
	return 0;
}

static int sock_connect_bound(struct hc_sock *hsk, struct hc_fabric *fabric, u32 plan)
{
	struct sk_buff *skb;
	int err;

	skb = hc_frame_make(fabric, hsk->node_id, HC_FRAME_END, 0, GFP_KERNEL_ACCOUNT);
	if (!skb)
		return -ENOMEM;
	err = locks_take(hsk, fabric);
	if (!err) {
		err = node_connect(hsk, fabric, plan, skb);
		locks_drop(hsk, fabric);
	}
	if (err)
		kfree_skb(skb);
	return err;
}

int hc_sock_connect(struct socket *sock, struct sockaddr_unsized *addr, int len, int flags)
{
	struct hc_sock *hsk = hc_sk(sock->sk);
	struct hc_fabric *fabric = hc_sock_fabric(hsk);
	struct sockaddr_hypercube shc;
	int err = hc_sock_addr(&shc, addr, len);

	if (err || !shc.shc_plan)
		return -EINVAL;
	if (!fabric)
		return sock_bind(sock, &shc, shc.shc_plan);
	if (strcmp(shc.shc_fabric, fabric->name) || shc.shc_node != hsk->node_id)
		return -EADDRNOTAVAIL;
	return sock_connect_bound(hsk, fabric, shc.shc_plan);
}
