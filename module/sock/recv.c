// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving from a collective socket: waiting for records, and copying their skbs to the process. A
 * record is a result, or the status of a failed operation.
 */
#include <linux/sched/stat.h>
#include <net/busy_poll.h>
#include <net/sock.h>

#include "coll/coll.h"
#include "coll/pieces.h"
#include "coll/record.h"
#include "sock/sock.h"

/* A result often arrives before an idle processor could wake up. So busy-wait for a while, as long
 * as no other task is runnable on this processor.
 */
static void recv_spin(struct sock *sk)
{
	unsigned long start = busy_loop_current_time();

	while (skb_queue_empty_lockless(&sk->sk_receive_queue) && sk_can_busy_loop(sk) &&
	       single_task_running() && !need_resched() && !READ_ONCE(sk->sk_err) &&
	       !sk_busy_loop_timeout(sk, start))
		cpu_relax();
}

/* Wake up the receiver for data and errors, but not for room to send. There is room whenever a
 * contribution of the process has been consumed, which is mostly just before its result arrives.
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
	} while (!err && skb_queue_empty_lockless(&sk->sk_receive_queue));
	finish_wait(sk_sleep(sk), &wait);
	return err;
}

/* If results wait for room in the receive buffer, and it has room now, notify the node. */
static void room_notify(struct sock *sk)
{
	struct hc_sock *hsk = hc_sk(sk);
	struct hc_node *node;

	/* Pairs with sock_room() in result.c: either sock_room() finds the room, or .starved is
	 * read as true here.
	 */
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

/* Copy @n bytes of a chunk of @skb to @to: the chunk that begins after @done bytes of the payload
 * or, if each chunk of @skb is in pages of its own, the next chunk of the iterator @pieces. Return:
 * false if the copy fails.
 */
static bool one_copy(struct sk_buff *skb, struct hc_piece_iter *pieces, size_t done,
		     struct iov_iter *to, size_t n)
{
	if (hc_pieces_apart(skb))
		return copy_to_iter(skb_frag_address(hc_piece_next(pieces)), n, to) == n;
	return !skb_copy_datagram_iter(skb, hc_result_cb(skb)->pos + done, to, n);
}

/* Copy the chunks of @skb to their offsets in the process's buffer of @len bytes. Bytes of chunks
 * that do not fit are lost, with MSG_TRUNC. If @len is 0, copy nothing, and leave @skb as it is.
 * Return: bytes copied, or -EFAULT.
 */
static ssize_t placed_copy(struct sk_buff *skb, struct msghdr *msg, size_t len)
{
	struct hc_result_cb *cb = hc_result_cb(skb);
	size_t size = skb->len - cb->pos, done, copied = 0;
	struct hc_piece_iter pieces = hc_pieces_of(skb);
	struct iov_iter to = msg->msg_iter;
	u64 at = cb->at, was = 0;

	for (done = 0; done < size && at < len; done += cb->piece, at += cb->stride) {
		size_t n = min_t(u64, cb->piece, len - at);

		iov_iter_advance(&to, at - was);
		if (!one_copy(skb, &pieces, done, &to, n))
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

/* Copy up to @len bytes of the payload of @skb, beginning after the bytes that earlier calls have
 * copied. Return: bytes copied, or -EFAULT.
 */
static ssize_t piece_copy(struct sk_buff *skb, struct msghdr *msg, size_t len)
{
	struct hc_result_cb *cb = hc_result_cb(skb);
	size_t n = min_t(size_t, len, skb->len - cb->pos);

	if (skb_copy_datagram_msg(skb, cb->pos, msg, n))
		return -EFAULT;
	cb->pos += n;
	return n;
}

/* Return: the first skb of the queue. The poll has queued the skb under the lock of the queue;
 * taking this lock makes all that it has written to the skb visible.
 */
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
	if (hc_result_cb(skb)->failure)
		WRITE_ONCE(u->queued, u->queued - 1);
	__skb_unlink(skb, queue);
	spin_unlock_bh(&queue->lock);
}

/* Copy to @msg those skbs at the head of the queue that belong to one record. If results of several
 * operations arrive at the same time, their skbs alternate in the queue, but each call returns data
 * of one record only. If the skbs of a result have offsets of their own (.placed), they arrive in
 * any order, so each call needs a buffer for the whole result. Return: bytes copied, or a negative
 * errno.
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
		struct hc_result_cb *cb = hc_result_cb(skb);
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
		/* The skb whose head has sets of nodes is the last one of its record. */
		if (cb->sets)
			named = skb;
		else
			consume_skb(skb);
		room_notify(sk);
	}
	if (last)
		msg->msg_flags |= MSG_EOR;
	put_cmsg(msg, SOL_HYPERCUBE, HYPERCUBE_CMSG_RESULT, sizeof(res), &res);
	if (named)
		put_cmsg(msg, SOL_HYPERCUBE, HYPERCUBE_CMSG_MISSING, hc_result_cb(named)->sets,
			 named->data + sizeof(res));
	if (named) {
		consume_skb(named);
		room_notify(sk);
	}
	return copied;
}

int hc_sock_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags)
{
	struct sock *sk = sock->sk;
	struct hc_sock *hsk = hc_sk(sk);
	long timeo = sock_rcvtimeo(sk, flags & MSG_DONTWAIT);
	ssize_t ret;

	if (flags & ~HC_SOCK_RECV_FLAGS)
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
