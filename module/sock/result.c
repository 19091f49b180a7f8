// SPDX-License-Identifier: GPL-2.0
/*
 * How the poll queues results, and the statuses of failed operations, in the receive queue of a
 * socket. recvmsg() takes them from there (sock/recv.c).
 */
#include <net/sock.h>

#include "coll/coll.h"
#include "coll/process.h"
#include "coll/record.h"
#include "sock/sock.h"
#include "sock/socks.h"

/* Maximum number of bytes by which statuses of failed operations may exceed the receive buffer.
 * Operations that have begun before the buffer was full can fail after that.
 */
#define HC_STATUS_ROOM	SZ_256K

static struct sock *sock_serving(struct hc_node *node, u32 plan)
{
	struct sock *sk = hc_socks_connected(node->socks, plan);

	return sk ? sk : rcu_dereference(node->socks->all);
}

static u64 serving(struct hc_node *node, u32 plan, u64 *group)
{
	struct sock *sk;
	u64 id = 0;

	rcu_read_lock();
	sk = sock_serving(node, plan);
	if (sk) {
		id = hc_sk(sk)->id;
		if (group)
			*group = hc_sk(sk)->group;
	}
	rcu_read_unlock();
	return id;
}

/* Return: the socket with id @id, if it is connected to the plan or is the socket for all plans
 * without a socket of their own. The latter is returned even if another socket has been connected
 * to the plan after it began to serve the plan. Otherwise NULL.
 */
static struct sock *sock_of(struct hc_node *node, u32 plan, u64 id)
{
	struct sock *sk = rcu_dereference(node->socks->all);

	/* Check the socket that serves all plans first, since most sockets are connected to no
	 * plan.
	 */
	if (!sk || hc_sk(sk)->id != id)
		sk = hc_socks_connected(node->socks, plan);
	return sk && hc_sk(sk)->id == id ? sk : NULL;
}

static struct hc_rec record(struct hc_node *node, u32 plan)
{
	struct hc_rec rec = { 0 };
	struct sock *sk;

	rcu_read_lock();
	sk = sock_serving(node, plan);
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
	/* Pairs with room_notify() in recv.c: either room_notify() reads that .starved is set, or
	 * this function finds the room that recvmsg() has made.
	 */
	smp_mb();
	room = hc_sock_recv_room(sk);
	/* The process may have made the buffer smaller after record_queue(): then a reader that
	 * waits for a certain number of bytes (SO_RCVLOWAT) would wait for more than the buffer can
	 * hold. So wake it.
	 */
	if (!room && !was)
		sk->sk_data_ready(sk);
	return room;
}

static bool there(struct hc_node *node, u32 plan, u64 id)
{
	bool is;

	rcu_read_lock();
	is = sock_of(node, plan, id);
	rcu_read_unlock();
	return is;
}

static bool room(struct hc_node *node, u32 plan, u64 id)
{
	struct sock *sk;
	bool is;

	rcu_read_lock();
	sk = id ? sock_of(node, plan, id) : sock_serving(node, plan);
	is = !sk || sock_room(sk);
	rcu_read_unlock();
	return is;
}

/* Count a failure. @lost: true if its record has been dropped, false if the caller queues the
 * record next. The caller holds the lock of the receive queue. Return: the number of the failure.
 */
static u64 failure_count(struct sock *sk, bool lost)
{
	struct hc_unread *u = &hc_sk(sk)->unread;
	u64 nr = atomic64_read(&u->reported) + 1;

	if (lost)
		WRITE_ONCE(u->lost, true);
	else
		WRITE_ONCE(u->queued, u->queued + 1);
	/* Pairs with atomic64_read_acquire() in hc_sock_unread(). */
	atomic64_set_release(&u->reported, nr);
	return nr;
}

/* Queue an skb of a record. A reader that waits for a certain number of bytes (SO_RCVLOWAT) is
 * woken at the end of a record, when the buffer has this number of bytes, or when a quarter of the
 * buffer is used. Return: the number of the failure that the record reports, or 0.
 */
static u64 record_queue(struct sock *sk, struct sk_buff *skb)
{
	struct sk_buff_head *queue = &sk->sk_receive_queue;
	bool last = hc_result_cb(skb)->last;
	int enough = min(READ_ONCE(sk->sk_rcvlowat), READ_ONCE(sk->sk_rcvbuf) / 4);
	u64 nr = 0;

	skb_orphan(skb);
	skb_set_owner_r(skb, sk);
	spin_lock_bh(&queue->lock);
	if (hc_result_cb(skb)->failure)
		nr = failure_count(sk, false);
	__skb_queue_tail(queue, skb);
	spin_unlock_bh(&queue->lock);
	if (last || atomic_read(&sk->sk_rmem_alloc) >= enough)
		sk->sk_data_ready(sk);
	return nr;
}

static bool queue(struct hc_node *node, u32 plan, u64 id, struct sk_buff *skb)
{
	struct sock *sk;

	rcu_read_lock();
	sk = sock_of(node, plan, id);
	if (sk)
		record_queue(sk, skb);
	rcu_read_unlock();
	return sk;
}

/* Count a record that was dropped for lack of room. sk_err is set to ENOBUFS, and SO_MEMINFO has
 * the number of dropped records. @failure: true if the record reports a failure. Return: the number
 * of this failure, or 0.
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

/* Return: true if records were lost and the process has not been notified of this. The process is
 * notified by the system call that returns sk_err.
 */
static bool lost_unknown(struct hc_sock *hsk)
{
	if (hsk->unread.lost && !READ_ONCE(hsk->sk.sk_err))
		WRITE_ONCE(hsk->unread.lost, false);
	return hsk->unread.lost;
}

bool hc_sock_unread(struct hc_sock *hsk, u32 plan, u64 *reported)
{
	struct sk_buff_head *queue = &hsk->sk.sk_receive_queue;
	struct sk_buff *skb;
	bool found;

	/* Pairs with atomic64_set_release() in failure_count(). */
	*reported = atomic64_read_acquire(&hsk->unread.reported);
	if (!READ_ONCE(hsk->unread.queued) && !READ_ONCE(hsk->unread.lost))
		return false;
	spin_lock_bh(&queue->lock);
	*reported = atomic64_read(&hsk->unread.reported);
	found = lost_unknown(hsk);
	skb_queue_walk(queue, skb) {
		const struct hypercube_result *res = (void *)skb->data;

		if (found)
			break;
		found = hc_result_cb(skb)->failure && res->plan == plan;
	}
	spin_unlock_bh(&queue->lock);
	return found;
}

/* Return: true if the receive queue has room for another status. There must be a limit, since a
 * process may never read.
 */
static bool status_room(const struct sock *sk)
{
	return atomic_read(&sk->sk_rmem_alloc) - HC_STATUS_ROOM < READ_ONCE(sk->sk_rcvbuf);
}

static u64 status(struct hc_node *node, const struct hypercube_result *res,
		  const struct hc_rec *rec)
{
	struct sk_buff *skb;
	struct sock *sk;
	u64 nr = 0;

	rcu_read_lock();
	sk = sock_of(node, res->plan, rec->sock);
	if (!sk)
		goto out;
	/* If the process is sending this contribution at the moment, sendmsg() must find at once
	 * that it has failed.
	 */
	if (res->status && rec->nr == READ_ONCE(hc_sk(sk)->rec))
		WRITE_ONCE(hc_sk(sk)->failed_rec, rec->nr);
	skb = status_room(sk) ? alloc_skb(sizeof(*res), GFP_ATOMIC) : NULL;
	if (!skb) {
		nr = record_lost(sk, res->status);
		goto wake;
	}
	skb_put_data(skb, res, sizeof(*res));
	*hc_result_cb(skb) = (struct hc_result_cb){
		.rec = rec->nr,
		.pos = sizeof(*res),
		.last = true,
		.failure = res->status,
	};
	nr = record_queue(sk, skb);
wake:
	/* A process that waits for room in sendmsg() must find that its operation has ended, so
	 * wake it.
	 */
	sk->sk_write_space(sk);
out:
	rcu_read_unlock();
	return nr;
}

const struct hc_process_ops hc_sock_processes = {
	.serving	= serving,
	.there		= there,
	.room		= room,
	.record		= record,
	.queue		= queue,
	.status		= status,
};
