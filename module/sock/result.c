// SPDX-License-Identifier: GPL-2.0
/*
 * What the poll tells a socket: results, statuses of operations that have failed, and what is
 * missing of them.  recvmsg() takes it (sock/recv.c).
 */
#include <net/sock.h>

#include "coll/coll.h"
#include "sock/record.h"
#include "sock/result.h"
#include "sock/sock.h"
#include "sock/socks.h"

/* Statuses of operations that had begun before the receive buffer was full may take this beyond
 * it.
 */
#define HC_STATUS_ROOM	SZ_256K

struct sock *hc_sock_serving(const struct hc_member *m)
{
	struct hc_socks *socks = &m->node->socks;
	struct sock *sk = xa_load(&socks->plans, m->plan->id);

	return sk ? sk : rcu_dereference(socks->all);
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
	/* Pairs with room_tell() in recv.c: either it sees the flag, or we see the room. */
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

static void result_fill(const struct hc_member *m, const struct hc_op *op,
			struct hypercube_result *res)
{
	*res = hc_op_result(m, op, op->nr);
	res->bytes = op->coll->own_part ? hc_part_bytes(m, op->result) : op->result;
	res->steps = hc_op_steps(m, op);
	res->clock = op->clock;
	res->time = op->time;
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
	*hc_result_cb(skb) = *cb;
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

bool hc_sock_places(struct hc_member *m, const struct hc_op *op, const u32 *members,
		    const u32 *missing)
{
	size_t set = hc_set_words(m->node->fabric->dim) * sizeof(*members);
	struct hypercube_result *res;
	struct sk_buff *skb = alloc_skb(sizeof(*res) + 2 * set, GFP_ATOMIC | __GFP_NOWARN);
	struct sock *sk;

	if (!skb)
		return false;
	res = skb_put(skb, sizeof(*res));
	result_fill(m, op, res);
	skb_put_data(skb, members, set);
	if (missing) {
		res->status = -EHOSTUNREACH;
		res->cause_node = hc_set_first(missing);
		skb_put_data(skb, missing, set);
	} else {
		skb_put_zero(skb, set);
	}
	*hc_result_cb(skb) = (struct hc_result_cb){
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
		found = hc_result_cb(skb)->failure && res->plan == plan;
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
	*hc_result_cb(skb) = (struct hc_result_cb){
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
