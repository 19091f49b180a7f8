// SPDX-License-Identifier: GPL-2.0
/*
 * sendmsg() on a SOCK_SEQPACKET socket: what may begin, segments, waiting for room.
 */
#include <linux/overflow.h>
#include <net/sock.h>

#include "coll/coll.h"
#include "coll/rounds.h"
#include "reduce/combine.h"
#include "sock/hostq.h"
#include "sock/sock.h"

static bool send_room(const struct sock *sk)
{
	return sk_wmem_alloc_get(sk) < READ_ONCE(sk->sk_sndbuf);
}

/* Wait until a segment may be charged.  -ENOBUFS: the caller must receive first. */
static int send_wait(struct sock *sk, long *timeo)
{
	struct hc_sock *hsk = hc_sk(sk);
	DEFINE_WAIT(wait);
	int err = 0;

	do {
		set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		prepare_to_wait(sk_sleep(sk), &wait, TASK_INTERRUPTIBLE);
		if (send_room(sk))
			break;
		err = hc_sock_gone(hsk);
		if (err)
			break;
		err = -ECONNABORTED;
		if (READ_ONCE(hsk->failed_rec) == hsk->rec)
			break;
		err = -ENOBUFS;
		if (!hc_sock_recv_room(sk))
			break;
		err = hc_sock_sleep(timeo);
	} while (!err);
	finish_wait(sk_sleep(sk), &wait);
	return err;
}

static int cmsg_parse(struct msghdr *msg, struct hypercube_op *op, bool *found)
{
	struct cmsghdr *cmsg;

	*found = false;
	for_each_cmsghdr(cmsg, msg) {
		if (!CMSG_OK(msg, cmsg))
			return -EINVAL;
		if (cmsg->cmsg_level != SOL_HYPERCUBE)
			continue;
		if (cmsg->cmsg_type != HYPERCUBE_CMSG_OP || *found ||
		    cmsg->cmsg_len != CMSG_LEN(sizeof(*op)))
			return -EINVAL;
		memcpy(op, CMSG_DATA(cmsg), sizeof(*op));
		*found = true;
	}
	return 0;
}

/* Bytes of an element, or -EINVAL. */
static int op_elem(const struct hc_traits *traits, const struct hypercube_op *op)
{
	bool plain = !op->oper && !op->type && !op->width;

	switch (traits->payload) {
	case HC_PAYLOAD_BYTES:
	case HC_PAYLOAD_BLOCKS:
		return plain ? 1 : -EINVAL;
	case HC_PAYLOAD_NONE:
		return plain && !op->bytes ? 1 : -EINVAL;
	case HC_PAYLOAD_ELEMENTS:
		break;
	}
	return hc_combine_size(op->oper, op->type, op->width);
}

/* Does the plan allow the node to begin the operation? */
static int plan_allows(const struct hc_plan *plan, const struct hc_node *node,
		       const struct hypercube_op *op)
{
	const struct hc_coll_ops *coll;

	if (READ_ONCE(node->failed))
		return -EHOSTDOWN;
	if (!plan)
		return -ENOENT;
	if (!plan->member[node->id])
		return -ENOTCONN;
	coll = hc_coll_find(plan->ops, op->collective, op->oper);
	if (IS_ERR(coll))
		return PTR_ERR(coll);
	if (coll->untold && op->flags & HYPERCUBE_F_NOTIFY)
		return -EOPNOTSUPP;
	/* What has broken it may not have ended what is under way.  One that mends itself takes
	 * contributions all the time.
	 */
	if (!plan->mends && READ_ONCE(plan->member[node->id]->gen.broken))
		return -ENOLINK;
	if (!plan->ops->all_contribute && plan->root != node->id)
		return -EPERM;
	return 0;
}

/* How long is a block? If blocks are dealt out, only the root has any. */
static int block_get(const struct hc_plan *plan, const struct hc_node *node,
		     const struct hc_traits *traits, const struct hypercube_op *op, u64 *block)
{
	*block = op->bytes;
	if (!hc_traits_deals(traits))
		return 0;
	if (plan->root != node->id)
		return op->bytes ? -EINVAL : 0;
	return do_div(*block, plan->nmembers) ? -EINVAL : 0;
}

/* Does it have a part for each member, of whole elements? Are these sent in pieces? */
static int parts_get(const struct hc_plan *plan, const struct hc_traits *traits,
		     const struct hypercube_op *op, u32 elem, u32 *parts)
{
	u64 elems = div_u64(op->bytes, elem);

	*parts = 0;
	if (!traits->parts)
		return 0;
	/* The owners of the parts are settled when a plan is installed. */
	if (plan->mends)
		return -EOPNOTSUPP;
	if (do_div(elems, plan->nmembers))
		return -EINVAL;
	if (!hc_coll_find(plan->ops, op->collective, op->oper)->rounds)
		return 0;
	*parts = plan->nmembers;
	return hc_round_piece(plan->fabric->segment, *parts, elem) ? 0 : -EMSGSIZE;
}

/* Does its process know of all failures of the plan, see sock/unread.h? */
static int failures_known(struct hc_sock *hsk, const struct hc_plan *plan,
			  const struct hypercube_op *op)
{
	if (!hc_plan_bars_ahead(plan))
		return 0;
	if (op->flags & HYPERCUBE_F_AHEAD || hc_sock_unread(hsk, op->plan, &hsk->seen))
		return -ECANCELED;
	return 0;
}

/* Bytes of a full segment.  Where blocks meet in one, a piece. */
static int seg_size_get(const struct hc_plan *plan, const struct hypercube_op *op, u32 elem,
			u32 *size)
{
	const struct hc_coll_ops *coll = hc_coll_find(plan->ops, op->collective, op->oper);

	*size = coll->piece ? coll->piece(plan) : rounddown(plan->fabric->segment, elem);
	return *size ? 0 : -EMSGSIZE;
}

/* Have all places in a result a number, and does one call take, or return, what must be whole? */
static int length_check(const struct hc_plan *plan, const struct hc_traits *traits,
			const struct hypercube_op *op)
{
	u64 all;

	if (check_mul_overflow(op->bytes, (u64)plan->nmembers, &all) || all > S64_MAX)
		return -EMSGSIZE;
	if (traits->parts && op->bytes > HYPERCUBE_WHOLE_MAX)
		return -EMSGSIZE;
	return hc_traits_shares(traits) && all > HYPERCUBE_WHOLE_MAX ? -EMSGSIZE : 0;
}

/* A plan that another socket is connected to belongs to that one alone. */
static int serves(const struct hc_sock *hsk, struct hc_node *node, u32 plan)
{
	if (hsk->plan)
		return hsk->plan == plan ? 0 : -EISCONN;
	return xa_load(&node->socks.plans, plan) ? -EADDRINUSE : 0;
}

/* Refuses what can be refused before anything is sent. */
static int record_check(struct hc_sock *hsk, const struct hypercube_op *op)
{
	const struct hc_traits *traits = hc_traits(op->collective);
	const struct hc_plan *plan = NULL;
	struct hc_node *node;
	int elem, err;

	/* Where everybody receives a result, the result is the notice. */
	if (op->reserved ||
	    op->flags & ~(HYPERCUBE_F_AHEAD | (traits && traits->told ? 0 : HYPERCUBE_F_NOTIFY)))
		return -EINVAL;
	elem = traits ? op_elem(traits, op) : -EOPNOTSUPP;
	if (elem < 0)
		return elem;
	if (do_div((u64){ op->bytes }, elem))
		return -EINVAL;
	rcu_read_lock();
	node = rcu_dereference(hsk->node);
	if (node)
		plan = xa_load(&node->fabric->plans, op->plan);
	err = node ? serves(hsk, node, op->plan) : hc_sock_gone(hsk);
	if (!err)
		err = plan_allows(plan, node, op);
	if (!err)
		err = failures_known(hsk, plan, op);
	if (!err)
		err = length_check(plan, traits, op);
	if (!err)
		err = block_get(plan, node, traits, op, &hsk->block);
	if (!err)
		err = parts_get(plan, traits, op, elem, &hsk->parts);
	if (!err)
		err = seg_size_get(plan, op, elem, &hsk->seg_size);
	if (!err)
		hsk->tag = plan->tag;
	rcu_read_unlock();
	if (err)
		return err;
	hsk->traits = traits;
	hsk->elem = elem;
	return 0;
}

static int record_begin(struct hc_sock *hsk, const struct hypercube_op *op)
{
	int err;

	if (hsk->open && READ_ONCE(hsk->failed_rec) != hsk->rec)
		return -EBUSY;
	kfree_skb(hsk->seg);
	hsk->seg = NULL;
	hsk->open = false;
	err = record_check(hsk, op);
	if (err)
		return err;
	hsk->op = *op;
	hsk->sent = 0;
	WRITE_ONCE(hsk->rec, atomic64_inc_return(&hsk->records));
	hsk->open = true;
	return 0;
}

static u32 seg_len(const struct hc_sock *hsk)
{
	u64 in_block = 0;

	if (hsk->parts)
		return hc_round_len(hsk->op.bytes, hsk->sent, hsk->parts,
				    hc_round_piece(hsk->seg_size, hsk->parts, hsk->elem));
	if (hsk->block)
		div64_u64_rem(hsk->sent, hsk->block, &in_block);
	return min_t(u64, hsk->seg_size, hsk->block - in_block);
}

/* Get the segment to fill, charged to the socket. */
static int seg_get(struct hc_sock *hsk, long *timeo)
{
	struct sock *sk = &hsk->sk;
	struct hc_host_cb *cb;
	struct sk_buff *skb;
	u32 len = seg_len(hsk);
	bool nothing = hsk->traits->payload == HC_PAYLOAD_NONE;
	struct hc_wire_data *w;
	int err;

	err = send_room(sk) ? 0 : send_wait(sk, timeo);
	if (err)
		return err;
	skb = hc_seg_alloc(hsk->fabric, hsk->node_id, len, sk->sk_allocation);
	if (!skb)
		return -ENOMEM;
	skb_set_owner_w(skb, sk);
	w = hc_wire_data_of(skb);
	w->plan.plan = cpu_to_be32(hsk->op.plan);
	w->plan.epoch = cpu_to_be32(hsk->tag);
	w->offset = cpu_to_be64(hsk->sent);
	w->total = cpu_to_be64(hsk->op.bytes);
	w->collective = hsk->op.collective;
	/* Operations without data have no operator: their frames say a sum of bytes. */
	w->oper = nothing ? HYPERCUBE_SUM : hsk->op.oper;
	w->dtype = nothing ? HYPERCUBE_U8 : hsk->op.type;
	w->width = cpu_to_be16(hsk->op.width);
	if (hsk->op.flags & HYPERCUBE_F_NOTIFY)
		w->flags |= HC_DATA_F_NOTIFY;
	if (hsk->sent + len == hsk->op.bytes)
		w->flags |= HC_DATA_F_LAST;
	cb = hc_host_cb(skb);
	cb->cb.dim = HC_DIM_HOST;
	cb->first = !hsk->sent;
	cb->rec.sock = hsk->id;
	cb->rec.nr = hsk->rec;
	cb->group = hsk->group;
	cb->cookie = hsk->op.cookie;
	cb->seen = hsk->seen;
	hsk->seg = skb;
	hsk->seg_len = len;
	hsk->seg_fill = 0;
	return 0;
}

static int seg_send(struct hc_sock *hsk)
{
	struct sk_buff *skb = hsk->seg;
	struct hc_node *node;
	int err = 0;

	hsk->seg = NULL;
	hsk->sent += hsk->seg_len;
	if (hsk->sent == hsk->op.bytes)
		hsk->open = false;
	rcu_read_lock();
	node = rcu_dereference(hsk->node);
	if (node) {
		hc_hostq_xmit(node, skb);
	} else {
		kfree_skb(skb);
		err = hc_sock_gone(hsk);
	}
	rcu_read_unlock();
	return err;
}

/* A piece of each part of the contribution, which is here as a whole. */
static bool seg_gather(struct hc_sock *hsk, const struct msghdr *msg)
{
	u64 part = div_u64(hsk->op.bytes, hsk->parts);
	u32 piece = hsk->seg_len / hsk->parts;
	struct iov_iter from = msg->msg_iter;
	void *to = hc_payload(hsk->seg);
	u32 i;

	iov_iter_advance(&from, div_u64(hsk->sent, hsk->parts));
	for (i = 0; i < hsk->parts; i++) {
		if (i)
			iov_iter_advance(&from, part - piece);
		if (!copy_from_iter_full(to + (size_t)i * piece, piece, &from))
			return false;
	}
	return true;
}

static bool seg_copy(struct hc_sock *hsk, struct msghdr *msg, u32 n)
{
	if (hsk->parts)
		return seg_gather(hsk, msg);
	return copy_from_iter_full(hc_payload(hsk->seg) + hsk->seg_fill, n, &msg->msg_iter);
}

/* Bytes that a call gives: what follows, or, of parts, all of it again. */
static ssize_t record_rest(const struct hc_sock *hsk, struct msghdr *msg, size_t len)
{
	u64 before = hsk->sent + (hsk->seg ? hsk->seg_fill : 0);

	if (!hsk->traits->parts)
		return len > hsk->op.bytes - before ? -EMSGSIZE : len;
	if (len != hsk->op.bytes)
		return -EMSGSIZE;
	if (!hsk->parts)
		iov_iter_advance(&msg->msg_iter, before);
	return len - before;
}

static ssize_t record_send(struct hc_sock *hsk, struct msghdr *msg, size_t given, long timeo)
{
	ssize_t len = record_rest(hsk, msg, given);
	ssize_t copied = 0;
	int err;

	if (len < 0)
		return len;
	/* An empty contribution is one empty segment. */
	while (len || (!hsk->op.bytes && hsk->open)) {
		u32 n;

		if (READ_ONCE(hsk->failed_rec) == hsk->rec)
			return copied ?: -ECONNABORTED;
		if (!hsk->seg) {
			err = seg_get(hsk, &timeo);
			if (err)
				return copied ?: err;
		}
		n = min_t(u64, len, hsk->seg_len - hsk->seg_fill);
		if (!seg_copy(hsk, msg, n))
			return copied ?: -EFAULT;
		hsk->seg_fill += n;
		copied += n;
		len -= n;
		if (hsk->seg_fill < hsk->seg_len)
			break;
		err = seg_send(hsk);
		if (err)
			return err;
	}
	return copied;
}

int hc_sock_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct sock *sk = sock->sk;
	struct hc_sock *hsk = hc_sk(sk);
	struct hypercube_op op;
	bool begins;
	ssize_t ret;

	/* Its length says where a contribution ends. */
	if (msg->msg_flags & ~(HC_SOCK_SEND_FLAGS | HC_MSG_MORE))
		return -EOPNOTSUPP;
	if (msg->msg_namelen)
		return -EISCONN;
	ret = cmsg_parse(msg, &op, &begins);
	if (ret)
		return ret;
	if (msg->msg_flags & MSG_DONTWAIT) {
		if (!mutex_trylock(&hsk->send_lock))
			return -EAGAIN;
	} else if (mutex_lock_interruptible(&hsk->send_lock)) {
		return -ERESTARTSYS;
	}
	ret = hc_sock_fabric(hsk) ? hc_sock_gone(hsk) : -ENOTCONN;
	if (!ret && begins)
		ret = record_begin(hsk, &op);
	else if (!ret && !hsk->open)
		ret = -EDESTADDRREQ;
	if (!ret)
		ret = record_send(hsk, msg, len,
				  sock_sndtimeo(sk, msg->msg_flags & MSG_DONTWAIT));
	/* A contribution that took nothing has not begun. */
	if (ret < 0 && begins && hsk->open && !hsk->sent && (!hsk->seg || !hsk->seg_fill)) {
		kfree_skb(hsk->seg);
		hsk->seg = NULL;
		hsk->open = false;
	}
	mutex_unlock(&hsk->send_lock);
	return ret;
}
