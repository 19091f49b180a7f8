// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets: how programs reach a node.
 *
 * SOCK_SEQPACKET carries contributions in and results out; sendmsg() (sock/send.c)
 * cuts a contribution into segments and queues them at the node's host port, the
 * node's poll queues results on sk_receive_queue.  Segments are charged to the sender's
 * socket (sk_wmem_alloc) until the last node that reads them frees them,
 * wherever that is, so a slow receiver stops the senders and the memory in
 * flight is at most the sum of the send buffers.
 * SOCK_DGRAM carries messages from node to node (sock/dgram.c).
 * SOCK_RDM puts tasks into a node's queue and takes them (sock/task.c).
 * sock/bind.c has how sockets come to a node and leave it, and their lifetime.
 */
#include <linux/module.h>
#include <linux/net.h>
#include <linux/sched/stat.h>
#include <net/busy_poll.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "coll/coll.h"
#include "sock/collect.h"
#include "sock/sock.h"
#include "sock/socks.h"

static int family = HYPERCUBE_AF_DEFAULT;
module_param(family, int, 0444);
MODULE_PARM_DESC(family, "socket address family (default 18, AF_ASH)");

static uint busy_poll = 200;
module_param(busy_poll, uint, 0644);
MODULE_PARM_DESC(busy_poll, "us for which a receiver may keep an idle processor; SO_BUSY_POLL of new sockets (default 200)");

static uint buffer = SZ_1M;
module_param(buffer, uint, 0644);
MODULE_PARM_DESC(buffer, "bytes of SO_SNDBUF and SO_RCVBUF of new sockets (default 1048576)");

/* Statuses of operations that had begun before the receive buffer was full may take this beyond
 * it.
 */
#define HC_STATUS_ROOM	SZ_256K

/* Numbers begin here so that code that cuts them to 32 bits is found soon. */
#define HC_REC_FIRST	(U32_MAX - 64ULL)

/* They tell what a poll says about an earlier socket apart.  With 64 bits they never wrap.
 */
static atomic64_t sock_ids = ATOMIC64_INIT(HC_REC_FIRST);

int hc_sock_family(void)
{
	return family;
}

/* ------------------------------------------------------------ from the poll */

struct hc_result_cb {
	u64 rec;	/* number of the record within the socket */
	u64 at;		/* its place in the result, if .placed */
	u64 stride;	/* from the place of each piece to that of the next */
	u32 piece;	/* bytes of a piece */
	u16 sets;	/* bytes of the sets behind the result, of HYPERCUBE_CMSG_MISSING */
	u32 pos;	/* bytes already received */
	bool placed;
	bool last;
	bool failure;	/* counted in hc_sock.unread */
};

static struct hc_result_cb *result_cb(struct sk_buff *skb)
{
	return hc_cb_as(struct hc_result_cb, skb);
}

u64 hc_sock_id(const struct sock *sk)
{
	return hc_sk(sk)->id;
}

u64 hc_sock_last_id(void)
{
	return atomic64_read(&sock_ids);
}

static struct sock *sock_serving(struct hc_node *node, u32 plan)
{
	struct sock *sk = xa_load(&node->socks.plans, plan);

	return sk ? sk : rcu_dereference(node->socks.all);
}

struct sock *hc_sock_serving(const struct hc_member *m)
{
	return sock_serving(m->node, m->plan->id);
}

/* The socket @id, if it still serves the plan, or did when it was connected to none. */
static struct sock *sock_of(struct hc_node *node, u32 plan, u64 id)
{
	struct sock *sk = xa_load(&node->socks.plans, plan);

	if (!sk || hc_sk(sk)->id != id)
		sk = rcu_dereference(node->socks.all);
	return sk && hc_sk(sk)->id == id ? sk : NULL;
}

struct hc_rec hc_sock_record(const struct hc_member *m)
{
	struct hc_rec rec = { 0 };
	struct sock *sk;

	rcu_read_lock();
	sk = hc_sock_serving(m);
	if (sk) {
		rec.sock = hc_sk(sk)->id;
		rec.nr = atomic64_inc_return(&hc_sk(sk)->records);
	}
	rcu_read_unlock();
	return rec;
}

static bool sock_room(struct sock *sk)
{
	bool room = hc_sock_recv_room(sk);
	bool was;

	if (room)
		return true;
	was = READ_ONCE(hc_sk(sk)->starved);
	WRITE_ONCE(hc_sk(sk)->starved, true);
	/* Pairs with room_tell(): either it sees the flag, or we see the room. */
	smp_mb();
	room = hc_sock_recv_room(sk);
	/* A reader may sleep until there is more than there is room for, if the buffer was made
	 * smaller since record_queue().
	 */
	if (!room && !was)
		sk->sk_data_ready(sk);
	return room;
}

bool hc_sock_room(const struct hc_member *m, u64 id)
{
	struct sock *sk;
	bool room;

	rcu_read_lock();
	sk = id ? sock_of(m->node, m->plan->id, id) : hc_sock_serving(m);
	room = !sk || sock_room(sk);
	rcu_read_unlock();
	return room;
}

/* Returns the number of the failure of which the next record tells, or none (@lost).  The caller
 * holds the lock of the queue.
 */
static u64 failure_count(struct sock *sk, bool lost)
{
	struct hc_unread *u = &hc_sk(sk)->unread;
	u64 nr = atomic64_read(&u->told) + 1;

	if (lost)
		WRITE_ONCE(u->lost, true);
	else
		WRITE_ONCE(u->queued, u->queued + 1);
	/* Pairs with hc_sock_unread(). */
	atomic64_set_release(&u->told, nr);
	return nr;
}

/* Readers that asked to sleep until there is more to receive (SO_RCVLOWAT) sleep on, but not
 * beyond the end of a record, nor until the buffer is so full that others wait.
 * Return: the number of the failure that the record tells of, or 0.
 */
static u64 record_queue(struct sock *sk, struct sk_buff *skb)
{
	struct sk_buff_head *queue = &sk->sk_receive_queue;
	bool last = result_cb(skb)->last;
	int enough = min(READ_ONCE(sk->sk_rcvlowat), READ_ONCE(sk->sk_rcvbuf) / 4);
	u64 nr = 0;

	skb_orphan(skb);
	skb_set_owner_r(skb, sk);
	spin_lock_bh(&queue->lock);
	if (result_cb(skb)->failure)
		nr = failure_count(sk, false);
	__skb_queue_tail(queue, skb);
	spin_unlock_bh(&queue->lock);
	if (last || atomic_read(&sk->sk_rmem_alloc) >= enough)
		sk->sk_data_ready(sk);
	return nr;
}

static void result_fill(const struct hc_member *m, const struct hc_op *op,
			struct hypercube_result *res)
{
	memset(res, 0, sizeof(*res));
	res->plan = m->plan->id;
	res->op = hc_told_nr(m, op->nr);
	res->cookie = op->cookie;
	res->bytes = op->coll->own_part ? hc_part_bytes(m, op->result) : op->result;
	res->steps = hc_op_steps(m, op);
	res->clock = op->clock;
	res->time = op->time;
	res->cause_node = ~0U;
	res->cause_dim = ~0U;
	res->collective = op->coll->id;
}

static void result_queue(struct hc_member *m, struct hc_op *op, struct sk_buff *skb,
			 const struct hc_result_cb *cb)
{
	struct sock *sk;

	BUILD_BUG_ON(sizeof(struct hypercube_result) > HC_DATA_HEAD);
	rcu_read_lock();
	sk = sock_of(m->node, m->plan->id, op->rec.sock);
	if (!sk) {
		hc_drop(m->node, NULL, skb, HYPERCUBE_A_DROP_NO_SOCKET);
		goto out;
	}
	/* The result takes the end of the room in front of the payload. */
	__skb_pull(skb, HC_DATA_HEAD - sizeof(struct hypercube_result));
	result_fill(m, op, (struct hypercube_result *)skb->data);
	*result_cb(skb) = *cb;
	record_queue(sk, skb);
out:
	rcu_read_unlock();
}

void hc_sock_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	const struct hc_result_cb cb = {
		.rec = op->rec.nr,
		.pos = sizeof(struct hypercube_result),
		.last = last,
	};

	result_queue(m, op, skb, &cb);
}

void hc_sock_result_at(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, u64 at,
		       bool last)
{
	hc_sock_result_spread(m, op, skb, at, 0, be32_to_cpu(hc_hdr(skb)->len), last);
}

void hc_sock_result_spread(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, u64 at,
			   u64 stride, u32 piece, bool last)
{
	const struct hc_result_cb cb = {
		.rec = op->rec.nr,
		.at = at,
		.stride = stride,
		.piece = piece,
		.pos = sizeof(struct hypercube_result),
		.placed = true,
		.last = last,
	};

	result_queue(m, op, skb, &cb);
}

bool hc_sock_missing(struct hc_member *m, const struct hc_op *op, const u32 *members,
		     const u32 *missing)
{
	size_t set = hc_set_words(m->node->fabric->dim) * sizeof(*missing);
	struct hypercube_result *res;
	struct sk_buff *skb = alloc_skb(sizeof(*res) + 2 * set, GFP_ATOMIC | __GFP_NOWARN);
	struct sock *sk;

	if (!skb)
		return false;
	res = skb_put(skb, sizeof(*res));
	result_fill(m, op, res);
	res->status = -EHOSTUNREACH;
	res->cause_node = hc_set_first(missing);
	skb_put_data(skb, members, set);
	skb_put_data(skb, missing, set);
	*result_cb(skb) = (struct hc_result_cb){
		.rec = op->rec.nr,
		.pos = skb->len,
		.sets = 2 * set,
		.placed = true,
		.last = true,
	};
	rcu_read_lock();
	sk = sock_of(m->node, m->plan->id, op->rec.sock);
	if (sk)
		record_queue(sk, skb);
	rcu_read_unlock();
	if (!sk)
		kfree_skb(skb);
	return true;
}

/* The record is lost, but not the fact that one is; SO_MEMINFO tells how many were.  Returns the
 * number of the @failure, or 0.
 */
static u64 record_lost(struct sock *sk, bool failure)
{
	u64 nr = 0;

	atomic_inc(&sk->sk_drops);
	WRITE_ONCE(sk->sk_err, ENOBUFS);
	if (failure) {
		spin_lock_bh(&sk->sk_receive_queue.lock);
		nr = failure_count(sk, true);
		spin_unlock_bh(&sk->sk_receive_queue.lock);
	}
	sk_error_report(sk);
	return nr;
}

/* Those that were lost are known once the error that says so has been taken, by whatever call. */
static bool lost_unknown(struct hc_sock *hsk)
{
	if (hsk->unread.lost && !READ_ONCE(hsk->sk.sk_err))
		WRITE_ONCE(hsk->unread.lost, false);
	return hsk->unread.lost;
}

bool hc_sock_unread(struct hc_sock *hsk, u32 plan, u64 *told)
{
	struct sk_buff_head *queue = &hsk->sk.sk_receive_queue;
	struct sk_buff *skb;
	bool found;

	/* Pairs with failure_count(). */
	*told = atomic64_read_acquire(&hsk->unread.told);
	if (!READ_ONCE(hsk->unread.queued) && !READ_ONCE(hsk->unread.lost))
		return false;
	spin_lock_bh(&queue->lock);
	*told = atomic64_read(&hsk->unread.told);
	found = lost_unknown(hsk);
	skb_queue_walk(queue, skb) {
		const struct hypercube_result *res = (void *)skb->data;

		if (found)
			break;
		found = result_cb(skb)->failure && res->plan == plan;
	}
	spin_unlock_bh(&queue->lock);
	return found;
}

/* A process that never reads does not get any number of them. */
static bool status_room(const struct sock *sk)
{
	return atomic_read(&sk->sk_rmem_alloc) - HC_STATUS_ROOM < READ_ONCE(sk->sk_rcvbuf);
}

u64 hc_sock_status(struct hc_node *node, const struct hypercube_result *res,
		   const struct hc_rec *rec)
{
	struct sk_buff *skb;
	struct sock *sk;
	u64 nr = 0;

	rcu_read_lock();
	sk = sock_of(node, res->plan, rec->sock);
	if (!sk)
		goto out;
	/* A sender in the middle of this record must hear of its failure at once. */
	if (res->status && rec->nr == READ_ONCE(hc_sk(sk)->rec))
		WRITE_ONCE(hc_sk(sk)->failed_rec, rec->nr);
	skb = status_room(sk) ? alloc_skb(sizeof(*res), GFP_ATOMIC) : NULL;
	if (!skb) {
		nr = record_lost(sk, res->status);
		goto wake;
	}
	skb_put_data(skb, res, sizeof(*res));
	*result_cb(skb) = (struct hc_result_cb){
		.rec = rec->nr,
		.pos = sizeof(*res),
		.last = true,
		.failure = res->status,
	};
	nr = record_queue(sk, skb);
wake:
	/* A sender that waits for room must see that its operation is over. */
	sk->sk_write_space(sk);
out:
	rcu_read_unlock();
	return nr;
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
	do {
		prepare_to_wait(sk_sleep(sk), &wait, TASK_INTERRUPTIBLE);
		if (!skb_queue_empty_lockless(&sk->sk_receive_queue))
			break;
		err = sock_error(sk);
		if (err)
			break;
		err = hc_sock_gone(hsk);
		if (err)
			break;
		err = hc_sock_sleep(timeo);
	} while (!err);
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

/* Copy what there is room for of pieces to their own places.  The rest is lost and counts as
 * received, except in a call without any room.  Returns bytes or -EFAULT.
 */
static ssize_t placed_copy(struct sk_buff *skb, struct msghdr *msg, size_t len)
{
	struct hc_result_cb *cb = result_cb(skb);
	size_t size = skb->len - cb->pos, done, copied = 0;
	struct iov_iter to = msg->msg_iter;
	u64 at = cb->at, was = 0;

	for (done = 0; done < size && at < len; done += cb->piece, at += cb->stride) {
		size_t n = min_t(u64, cb->piece, len - at);

		iov_iter_advance(&to, at - was);
		if (skb_copy_datagram_iter(skb, cb->pos + done, &to, n))
			return -EFAULT;
		was = at + n;
		copied += n;
	}
	if (copied < size && len)
		msg->msg_flags |= MSG_TRUNC;
	if (len)
		cb->pos += size;
	return copied;
}

/* The same, to where the one before has ended. */
static ssize_t piece_copy(struct sk_buff *skb, struct msghdr *msg, size_t len)
{
	struct hc_result_cb *cb = result_cb(skb);
	size_t n = min_t(size_t, len, skb->len - cb->pos);

	if (skb_copy_datagram_msg(skb, cb->pos, msg, n))
		return -EFAULT;
	cb->pos += n;
	return n;
}

/* What a poll has written to a piece is seen only behind the lock under which it was queued. */
static struct sk_buff *piece_peek(struct sk_buff_head *queue)
{
	struct sk_buff *skb;

	spin_lock_bh(&queue->lock);
	skb = skb_peek(queue);
	spin_unlock_bh(&queue->lock);
	return skb;
}

static void record_unlink(struct sock *sk, struct sk_buff *skb)
{
	struct sk_buff_head *queue = &sk->sk_receive_queue;
	struct hc_unread *u = &hc_sk(sk)->unread;

	spin_lock_bh(&queue->lock);
	if (result_cb(skb)->failure)
		WRITE_ONCE(u->queued, u->queued - 1);
	__skb_unlink(skb, queue);
	spin_unlock_bh(&queue->lock);
}

/* Copy from the pieces of one record that are there; returns bytes or -errno.  The results of
 * several operations may come at the same time: their pieces alternate in the queue, and a call
 * returns pieces of one of them only.  Those that have a place of their own come in any order,
 * so each call needs room for the whole result.
 */
static ssize_t record_recv(struct sock *sk, struct msghdr *msg, size_t len)
{
	struct sk_buff *skb, *named = NULL;
	struct hypercube_result res;
	ssize_t copied = 0;
	bool last = false;
	bool begun = false;
	u64 rec = 0;

	while (!last && (skb = piece_peek(&sk->sk_receive_queue))) {
		struct hc_result_cb *cb = result_cb(skb);
		const struct hypercube_result *r = (void *)skb->data;
		ssize_t n;

		if (begun && cb->rec != rec)
			break;
		if (begun && !cb->placed && len == copied && skb->len > cb->pos)
			break;
		n = cb->placed ? placed_copy(skb, msg, len) : piece_copy(skb, msg, len - copied);
		if (n < 0) {
			if (!begun)
				return n;
			break;
		}
		res = *r;
		rec = cb->rec;
		begun = true;
		copied += n;
		if (cb->pos < skb->len)
			break;
		last = cb->last;
		record_unlink(sk, skb);
		/* It is the last one. */
		if (cb->sets)
			named = skb;
		else
			consume_skb(skb);
		room_tell(sk);
	}
	if (last)
		msg->msg_flags |= MSG_EOR;
	put_cmsg(msg, SOL_HYPERCUBE, HYPERCUBE_CMSG_RESULT, sizeof(res), &res);
	if (named)
		put_cmsg(msg, SOL_HYPERCUBE, HYPERCUBE_CMSG_MISSING, result_cb(named)->sets,
			 named->data + sizeof(res));
	if (named) {
		consume_skb(named);
		room_tell(sk);
	}
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
	if (!hc_sock_fabric(hsk))
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

static const struct proto_ops hc_seqpacket_ops = {
	HC_SOCK_OPS(hc_sock_connect, datagram_poll, hc_sock_sendmsg, hc_sock_recvmsg),
};

static struct proto hc_proto = {
	.name		= "HYPERCUBE",
	.owner		= THIS_MODULE,
	.obj_size	= sizeof(struct hc_sock),
	.slab_flags	= SLAB_ACCOUNT,
};

/* Runs a grace period after the last reference: no poll can queue any more. */
static void hc_sock_destruct(struct sock *sk)
{
	skb_queue_purge(&sk->sk_receive_queue);
	hc_collect_free(hc_sk(sk));
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
	else if (sock->type == SOCK_RDM)
		sock->ops = &hc_task_ops;
	else
		return -ESOCKTNOSUPPORT;
	sk = sk_alloc(net, family, GFP_KERNEL, &hc_proto, kern);
	if (!sk)
		return -ENOMEM;
	sock_init_data(sock, sk);
	sock_prot_inuse_add(net, &hc_proto, 1);
	sock_set_flag(sk, SOCK_RCU_FREE);
	sk->sk_protocol = 0;
	sk->sk_allocation |= __GFP_ACCOUNT;
	sk->sk_destruct = hc_sock_destruct;
	sk->sk_sndbuf = clamp_t(uint, READ_ONCE(buffer), SOCK_MIN_SNDBUF, SZ_1G);
	sk->sk_rcvbuf = clamp_t(uint, READ_ONCE(buffer), SOCK_MIN_RCVBUF, SZ_1G);
	if (sock->type == SOCK_SEQPACKET)
		hc_busy_poll_set(sk, READ_ONCE(busy_poll));
	hsk = hc_sk(sk);
	hsk->fabric = NULL;
	RCU_INIT_POINTER(hsk->node, NULL);
	hsk->id = atomic64_inc_return(&sock_ids);
	hsk->plan = 0;
	hsk->by = INVALID_UID;
	hsk->gone = ENODEV;
	atomic64_set(&hsk->records, HC_REC_FIRST);
	hsk->rec = 0;
	hsk->failed_rec = 0;
	hsk->open = false;
	hsk->seg = NULL;
	hsk->leave_skb = NULL;
	hsk->starved = false;
	hsk->unread = (struct hc_unread){ };
	mutex_init(&hsk->send_lock);
	mutex_init(&hsk->recv_lock);
	hsk->collector = NULL;
	hsk->copies = 1;
	INIT_LIST_HEAD(&hsk->shared);
	hc_task_end_init(&hsk->task);
	if (sock->type == SOCK_DGRAM && hc_collect_open(hsk)) {
		sock_prot_inuse_add(net, &hc_proto, -1);
		sock_put(sk);
		sock->sk = NULL;
		return -ENOMEM;
	}
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
	/* Our RCU callbacks free sockets. */
	rcu_barrier();
}
