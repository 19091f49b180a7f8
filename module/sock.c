// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets: how programs reach a node.
 *
 * SOCK_SEQPACKET carries contributions in and results out; sendmsg() (sock_send.c)
 * cuts a contribution into segments and queues them at the node's host port, the
 * node's poll queues results on sk_receive_queue.  Segments are charged to the sender's
 * socket (sk_wmem_alloc) until the last node that reads them frees them,
 * wherever that is, so a slow receiver stops the senders and the memory in
 * flight is at most the sum of the send buffers.
 * SOCK_DGRAM carries messages from node to node (sock_dgram.c).
 *
 * Lifetime: a bound socket is published in node->sk, written under
 * hc_fabric.lock; hsk->node points back.  Whoever takes the link apart, release
 * or the removal of the fabric, clears both under that lock.  Polls use
 * node->sk under RCU, and sockets are freed after a grace period
 * (SOCK_RCU_FREE), receive queue included.  System calls use hsk->node under
 * RCU; nodes are freed after a grace period in which it was NULL.
 */
#include <linux/completion.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/sched/stat.h>
#include <net/busy_poll.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "coll.h"
#include "compat.h"
#include "sock.h"

static int family = HYPERCUBE_AF_DEFAULT;
module_param(family, int, 0444);
MODULE_PARM_DESC(family, "socket address family (default 18, AF_ASH)");

static uint busy_poll = 200;
module_param(busy_poll, uint, 0644);
MODULE_PARM_DESC(busy_poll, "us for which a receiver may keep an idle processor; SO_BUSY_POLL of new sockets (default 200)");

/* Default of both buffers of a socket, bytes. */
#define HC_SOCK_BUF	BIT(20)

/* Contributions are numbered through the machine, so that what a poll says
 * about one of a socket's predecessors is told apart.
 */
static atomic_t sock_records = ATOMIC_INIT(0);

int hc_sock_family(void)
{
	return family;
}

/* ------------------------------------------------------------ from the poll */

struct hc_result_cb {
	u32 rec;	/* number of the record */
	u32 pos;	/* bytes already received */
	bool last;
};

static struct hc_result_cb *result_cb(struct sk_buff *skb)
{
	return (struct hc_result_cb *)skb->cb;
}

u32 hc_sock_record(void)
{
	return atomic_inc_return(&sock_records);
}

bool hc_sock_room(struct hc_node *node)
{
	struct sock *sk;
	bool room, was;

	rcu_read_lock();
	sk = rcu_dereference(node->sk);
	room = !sk || hc_sock_recv_room(sk);
	if (!room) {
		was = READ_ONCE(hc_sk(sk)->starved);
		WRITE_ONCE(hc_sk(sk)->starved, true);
		/* Pairs with room_tell(): either it sees the flag or we the room. */
		smp_mb();
		room = hc_sock_recv_room(sk);
		/* Who sleeps until there is more (record_queue()) may have less room now. */
		if (!room && !was)
			sk->sk_data_ready(sk);
	}
	rcu_read_unlock();
	return room;
}

/* Was record @rec begun by this socket, not by one bound before it? */
static bool record_is_of(const struct hc_sock *hsk, u32 rec)
{
	return (s32)(rec - hsk->rec_base) > 0;
}

/* Who asked to sleep until there is more to receive (SO_RCVLOWAT) sleeps on, but not
 * beyond the end of a record, nor until the buffer is so full that others wait.
 */
static void record_queue(struct sock *sk, struct sk_buff *skb)
{
	bool last = result_cb(skb)->last;
	int enough = min(READ_ONCE(sk->sk_rcvlowat), READ_ONCE(sk->sk_rcvbuf) / 4);

	skb_orphan(skb);
	skb_set_owner_r(skb, sk);
	skb_queue_tail(&sk->sk_receive_queue, skb);
	if (last || atomic_read(&sk->sk_rmem_alloc) >= enough)
		sk->sk_data_ready(sk);
}

void hc_sock_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	struct hypercube_result *res;
	struct sock *sk;

	BUILD_BUG_ON(sizeof(*res) > sizeof(struct hc_hdr));
	rcu_read_lock();
	sk = rcu_dereference(m->node->sk);
	if (!sk || !record_is_of(hc_sk(sk), op->rec)) {
		hc_drop(m->node, NULL, skb, HYPERCUBE_A_DROP_NO_SOCKET);
		goto out;
	}
	/* The result takes the place of the end of the frame header. */
	__skb_pull(skb, sizeof(struct hc_hdr) - sizeof(*res));
	res = (struct hypercube_result *)skb->data;
	memset(res, 0, sizeof(*res));
	res->plan = m->plan->id;
	res->op = op->nr;
	res->cookie = op->cookie;
	res->bytes = op->out_total;
	res->steps = hc_op_steps(m, op);
	res->clock = op->clock;
	res->time = op->time;
	res->cause_node = ~0U;
	res->cause_dim = ~0U;
	res->collective = op->collective;
	result_cb(skb)->rec = op->rec;
	result_cb(skb)->pos = sizeof(*res);
	result_cb(skb)->last = last;
	record_queue(sk, skb);
out:
	rcu_read_unlock();
}

void hc_sock_status(struct hc_node *node, const struct hypercube_result *res, u32 rec)
{
	struct sk_buff *skb;
	struct sock *sk;

	rcu_read_lock();
	sk = rcu_dereference(node->sk);
	if (!sk || !record_is_of(hc_sk(sk), rec))
		goto out;
	/* Of what the process sends at the moment it must hear at once. */
	if (res->status && rec == READ_ONCE(hc_sk(sk)->rec))
		WRITE_ONCE(hc_sk(sk)->failed_rec, rec);
	skb = alloc_skb(sizeof(*res), GFP_ATOMIC);
	if (!skb) {
		/* The record is lost, not the fact that one is. */
		WRITE_ONCE(sk->sk_err, ENOBUFS);
		sk_error_report(sk);
		goto out;
	}
	skb_put_data(skb, res, sizeof(*res));
	result_cb(skb)->rec = rec;
	result_cb(skb)->pos = sizeof(*res);
	result_cb(skb)->last = true;
	record_queue(sk, skb);
	/* A sender that waits for room must see that its operation is over. */
	sk->sk_write_space(sk);
out:
	rcu_read_unlock();
}

/* ------------------------------------------------------------ recvmsg */

/* A result is often there sooner than a processor wakes up.  So wait without
 * sleeping for a while, but only as long as nobody else wants this processor.
 */
static void recv_spin(struct sock *sk)
{
	unsigned long start = busy_loop_current_time();

	while (skb_queue_empty_lockless(&sk->sk_receive_queue) && sk_can_busy_loop(sk) &&
	       single_task_running() && !need_resched() && !READ_ONCE(sk->sk_err) &&
	       !sk_busy_loop_timeout(sk, start))
		cpu_relax();
}

/* Room to send is no reason to wake up: there is some whenever a contribution that the
 * process has sent is consumed, which is most often just before the result comes.
 */
static int recv_wake(struct wait_queue_entry *wait, unsigned int mode, int sync, void *key)
{
	if (key && !(key_to_poll(key) & (EPOLLIN | EPOLLERR)))
		return 0;
	return autoremove_wake_function(wait, mode, sync, key);
}

static int recv_wait(struct sock *sk, long *timeo)
{
	struct hc_sock *hsk = hc_sk(sk);
	DEFINE_WAIT_FUNC(wait, recv_wake);
	int err = 0;

	if (*timeo)
		recv_spin(sk);
	for (;;) {
		prepare_to_wait(sk_sleep(sk), &wait, TASK_INTERRUPTIBLE);
		if (!skb_queue_empty_lockless(&sk->sk_receive_queue))
			break;
		err = sock_error(sk);
		if (err)
			break;
		err = -ENODEV;
		if (!rcu_access_pointer(hsk->node))
			break;
		err = -EAGAIN;
		if (!*timeo)
			break;
		err = sock_intr_errno(*timeo);
		if (signal_pending(current))
			break;
		err = 0;
		*timeo = schedule_timeout(*timeo);
	}
	finish_wait(sk_sleep(sk), &wait);
	return err;
}

/* Tell the node that there is room again, once it had run out. */
static void room_tell(struct sock *sk)
{
	struct hc_sock *hsk = hc_sk(sk);
	struct hc_node *node;

	/* Pairs with hc_sock_room(). */
	smp_mb();
	if (!READ_ONCE(hsk->starved) || !hc_sock_recv_room(sk))
		return;
	WRITE_ONCE(hsk->starved, false);
	rcu_read_lock();
	node = rcu_dereference(hsk->node);
	if (node)
		hc_node_kick(node, HC_EV_READER);
	rcu_read_unlock();
}

/* Copy from the pieces of one record that are there; returns bytes or -errno.  The
 * results of several operations may come at the same time: their pieces alternate
 * in the queue, and a call returns pieces of one of them only.
 */
static ssize_t record_recv(struct sock *sk, struct msghdr *msg, size_t len)
{
	struct hypercube_result res;
	struct sk_buff *skb;
	ssize_t copied = 0;
	bool last = false;
	bool begun = false;
	u32 rec = 0;

	while (!last && (skb = skb_peek(&sk->sk_receive_queue))) {
		struct hc_result_cb *cb = result_cb(skb);
		const struct hypercube_result *r = (void *)skb->data;
		size_t n = min_t(size_t, len - copied, skb->len - cb->pos);

		if (begun && (cb->rec != rec || (n == 0 && skb->len > cb->pos)))
			break;
		if (skb_copy_datagram_msg(skb, cb->pos, msg, n)) {
			if (!begun)
				return -EFAULT;
			break;
		}
		res = *r;
		rec = cb->rec;
		begun = true;
		copied += n;
		cb->pos += n;
		if (cb->pos < skb->len)
			break;
		last = cb->last;
		skb_unlink(skb, &sk->sk_receive_queue);
		consume_skb(skb);
		room_tell(sk);
	}
	if (last)
		msg->msg_flags |= MSG_EOR;
	put_cmsg(msg, SOL_HYPERCUBE, HYPERCUBE_CMSG_RESULT, sizeof(res), &res);
	return copied;
}

static int hc_sock_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags)
{
	struct sock *sk = sock->sk;
	struct hc_sock *hsk = hc_sk(sk);
	long timeo = sock_rcvtimeo(sk, flags & MSG_DONTWAIT);
	ssize_t ret;

	if (flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC | MSG_CMSG_COMPAT |
		      MSG_WAITALL))
		return -EOPNOTSUPP;
	if (!hsk->fabric)
		return -ENOTCONN;
	if (flags & MSG_DONTWAIT) {
		if (!mutex_trylock(&hsk->recv_lock))
			return -EAGAIN;
	} else if (mutex_lock_interruptible(&hsk->recv_lock)) {
		return -ERESTARTSYS;
	}
	ret = 0;
	if (skb_queue_empty_lockless(&sk->sk_receive_queue))
		ret = recv_wait(sk, &timeo);
	if (!ret)
		ret = record_recv(sk, msg, len);
	mutex_unlock(&hsk->recv_lock);
	msg->msg_namelen = 0;
	return ret;
}

/* ------------------------------------------------------------ the socket */

/* The frame that tells a node of a close, and who waits until it has heard. */
struct close_cb {
	struct hc_cb cb;
	struct completion *heard;
};

static struct close_cb *close_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct close_cb) > sizeof_field(struct sk_buff, cb));
	return (struct close_cb *)skb->cb;
}

static void close_heard(struct sk_buff *skb)
{
	complete(close_cb(skb)->heard);
}

/* Whoever binds here next begins after the end of what this process took part in: so
 * wait for the poll, or for the removal of the node, which frees the frame.  To other
 * nodes the news travels like any frame.
 */
static void close_tell(struct hc_node *node, struct sk_buff *skb, struct completion *heard)
{
	close_cb(skb)->heard = heard;
	skb->destructor = close_heard;
	rcu_read_lock();
	hc_node_host_xmit(node, skb);
	rcu_read_unlock();
}

void hc_sock_unbind(struct hc_sock *hsk)
{
	DECLARE_COMPLETION_ONSTACK(heard);
	struct hc_node *node;
	bool told = false;

	if (!hsk->fabric)
		return;
	mutex_lock(&hsk->fabric->lock);
	node = rcu_dereference_protected(hsk->node, lockdep_is_held(&hsk->fabric->lock));
	if (node) {
		if (hsk->sk.sk_type == SOCK_SEQPACKET) {
			RCU_INIT_POINTER(node->sk, NULL);
			close_tell(node, hsk->close_skb, &heard);
			hsk->close_skb = NULL;
			told = true;
		} else {
			RCU_INIT_POINTER(node->dgram_sk, NULL);
		}
		RCU_INIT_POINTER(hsk->node, NULL);
	}
	mutex_unlock(&hsk->fabric->lock);
	if (told)
		wait_for_completion(&heard);
	kfree_skb(hsk->close_skb);
	hc_fabric_put(hsk->fabric);
	hsk->fabric = NULL;
}

int hc_sock_release(struct socket *sock)
{
	struct sock *sk = sock->sk;

	if (!sk)
		return 0;
	hc_sock_unbind(hc_sk(sk));
	kfree_skb(hc_sk(sk)->seg);
	hc_sk(sk)->seg = NULL;
	sock_orphan(sk);
	sock->sk = NULL;
	sock_put(sk);
	return 0;
}

/* The node is going away; phase 1 of the teardown. */
static void sock_node_gone(struct sock __rcu **slot, struct hc_fabric *fabric)
{
	struct sock *sk = rcu_dereference_protected(*slot, lockdep_is_held(&fabric->lock));

	if (!sk)
		return;
	RCU_INIT_POINTER(*slot, NULL);
	RCU_INIT_POINTER(hc_sk(sk)->node, NULL);
	sk->sk_err = ENODEV;
	sk_error_report(sk);
	sk->sk_write_space(sk);
}

void hc_sock_node_gone(struct hc_node *node)
{
	lockdep_assert_held(&node->fabric->lock);
	sock_node_gone(&node->sk, node->fabric);
	sock_node_gone(&node->dgram_sk, node->fabric);
}

static bool may_bind(const struct hc_node *node)
{
	struct net *net;
	bool capable;

	if (uid_valid(node->owner) && uid_eq(current_euid(), node->owner))
		return true;
	/* The endpoint may move to another namespace at any moment. */
	rcu_read_lock();
	net = maybe_get_net(dev_net(node->dev));
	rcu_read_unlock();
	if (!net)
		return false;
	capable = ns_capable(net->user_ns, CAP_NET_ADMIN);
	put_net(net);
	return capable;
}

static int bind_node(struct hc_sock *hsk, struct hc_fabric *fabric, struct hc_node *node)
{
	struct sock *sk = &hsk->sk;
	struct sock __rcu **slot = sk->sk_type == SOCK_SEQPACKET ? &node->sk : &node->dgram_sk;
	struct sk_buff *skb = NULL;

	lockdep_assert_held(&fabric->lock);
	if (fabric->dead)
		return -ENODEV;
	if (!may_bind(node))
		return -EACCES;
	if (rcu_access_pointer(*slot))
		return -EADDRINUSE;
	if (sk->sk_type == SOCK_SEQPACKET) {
		/* Made now, so that close() cannot fail for want of memory. */
		skb = hc_frame_alloc(node, HC_FRAME_END, 0, GFP_KERNEL);
		if (!skb)
			return -ENOMEM;
		hc_cb(skb)->dim = HC_DIM_HOST;
	}
	hsk->close_skb = skb;
	hsk->rec_base = atomic_read(&sock_records);
	hsk->rec = hsk->rec_base;
	hsk->failed_rec = hsk->rec_base;
	hsk->node_id = node->id;
	sk->sk_state = TCP_ESTABLISHED;
	rcu_assign_pointer(hsk->node, node);
	rcu_assign_pointer(*slot, sk);
	/* A broadcast may wait for somebody to receive it. */
	if (sk->sk_type == SOCK_SEQPACKET)
		hc_node_kick(node, HC_EV_READER);
	return 0;
}

int hc_sock_bind(struct socket *sock, struct sockaddr *addr, int len)
{
	struct sockaddr_hypercube *shc = (struct sockaddr_hypercube *)addr;
	struct hc_sock *hsk = hc_sk(sock->sk);
	struct hc_fabric *fabric;
	int err;

	if (len != sizeof(*shc) || shc->shc_family != family || shc->shc_reserved ||
	    !memchr(shc->shc_fabric, 0, sizeof(shc->shc_fabric)))
		return -EINVAL;
	fabric = hc_fabric_get(sock_net(sock->sk), shc->shc_fabric);
	if (!fabric)
		fabric = hc_node_fabric_get(sock_net(sock->sk), shc->shc_fabric, shc->shc_node);
	if (!fabric)
		return -ENODEV;
	err = -EADDRNOTAVAIL;
	if (shc->shc_node >= hc_nodes(fabric->dim))
		goto out;
	mutex_lock(&hsk->send_lock);
	mutex_lock(&fabric->lock);
	err = -EINVAL;
	if (!hsk->fabric)
		err = fabric->dead ? -ENODEV :
			bind_node(hsk, fabric, fabric->nodes[shc->shc_node]);
	if (!err)
		hsk->fabric = fabric;
	mutex_unlock(&fabric->lock);
	mutex_unlock(&hsk->send_lock);
out:
	if (err)
		hc_fabric_put(fabric);
	return err;
}

int hc_sock_getname(struct socket *sock, struct sockaddr *addr, int peer)
{
	struct sockaddr_hypercube *shc = (struct sockaddr_hypercube *)addr;
	struct hc_sock *hsk = hc_sk(sock->sk);

	if (peer || !hsk->fabric)
		return -ENOTCONN;
	memset(shc, 0, sizeof(*shc));
	shc->shc_family = family;
	shc->shc_node = hsk->node_id;
	strscpy(shc->shc_fabric, hsk->fabric->name, sizeof(shc->shc_fabric));
	return sizeof(*shc);
}

static const struct proto_ops hc_seqpacket_ops = {
	.family		= PF_UNSPEC,	/* set at init: the number is a parameter */
	.owner		= THIS_MODULE,
	.release	= hc_sock_release,
	.bind		= hc_sock_bind,
	.connect	= sock_no_connect,
	.socketpair	= sock_no_socketpair,
	.accept		= sock_no_accept,
	.getname	= hc_sock_getname,
	.poll		= datagram_poll,
	.ioctl		= sock_no_ioctl,
	.gettstamp	= sock_gettstamp,
	.listen		= sock_no_listen,
	.shutdown	= sock_no_shutdown,
	.sendmsg	= hc_sock_sendmsg,
	.recvmsg	= hc_sock_recvmsg,
	.mmap		= sock_no_mmap,
};

static struct proto hc_proto = {
	.name		= "HYPERCUBE",
	.owner		= THIS_MODULE,
	.obj_size	= sizeof(struct hc_sock),
};

/* Runs a grace period after the last reference: no poll can queue any more. */
static void hc_sock_destruct(struct sock *sk)
{
	skb_queue_purge(&sk->sk_receive_queue);
}

static int hc_sock_create(struct net *net, struct socket *sock, int protocol, int kern)
{
	struct hc_sock *hsk;
	struct sock *sk;

	if (protocol)
		return -EPROTONOSUPPORT;
	if (sock->type == SOCK_SEQPACKET)
		sock->ops = &hc_seqpacket_ops;
	else if (sock->type == SOCK_DGRAM)
		sock->ops = &hc_dgram_ops;
	else
		return -ESOCKTNOSUPPORT;
	sk = sk_alloc(net, family, GFP_KERNEL, &hc_proto, kern);
	if (!sk)
		return -ENOMEM;
	sock_init_data(sock, sk);
	sock_set_flag(sk, SOCK_RCU_FREE);
	sk->sk_protocol = 0;
	sk->sk_destruct = hc_sock_destruct;
	sk->sk_sndbuf = HC_SOCK_BUF;
	sk->sk_rcvbuf = HC_SOCK_BUF;
	if (sock->type == SOCK_SEQPACKET)
		hc_busy_poll_set(sk, READ_ONCE(busy_poll));
	hsk = hc_sk(sk);
	hsk->fabric = NULL;
	RCU_INIT_POINTER(hsk->node, NULL);
	hsk->open = false;
	hsk->seg = NULL;
	hsk->close_skb = NULL;
	hsk->starved = false;
	mutex_init(&hsk->send_lock);
	mutex_init(&hsk->recv_lock);
	return 0;
}

static struct net_proto_family hc_family = {
	.create	= hc_sock_create,
	.owner	= THIS_MODULE,
};

int hc_sock_init(void)
{
	int err;

	if (family <= AF_UNIX || family >= NPROTO)
		return -EINVAL;
	err = proto_register(&hc_proto, 1);
	if (err)
		return err;
	hc_family.family = family;
	err = sock_register(&hc_family);
	if (err)
		proto_unregister(&hc_proto);
	return err;
}

void hc_sock_exit(void)
{
	sock_unregister(family);
	proto_unregister(&hc_proto);
	/* Sockets are freed by RCU callbacks of ours. */
	rcu_barrier();
}
