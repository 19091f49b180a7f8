// SPDX-License-Identifier: GPL-2.0
/*
 * sendmsg() on a SOCK_SEQPACKET socket: it checks a contribution, cuts it into segments, waits for
 * room in the send buffer, and queues the segments at the node's host port.
 */
#include <linux/overflow.h>
#include <net/sock.h>

#include "coll/coll.h"
#include "coll/pieces.h"
#include "coll/chunk.h"
#include "reduce/combine.h"
#include "sock/hostq.h"
#include "sock/sock.h"
#include "sock/socks.h"

static bool send_room(const struct sock *sk)
{
	return sk_wmem_alloc_get(sk) < READ_ONCE(sk->sk_sndbuf);
}

/* Wait until the send buffer has room for a segment. Return: 0; -ENOBUFS if the receive buffer is
 * full, so that the process must receive before it can send; or another negative errno.
 */
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

/* Read the operation from a control message. Return: false if its type or length is invalid. */
static bool cmsg_op(struct cmsghdr *cmsg, struct hypercube_op *op)
{
	const struct hypercube_op_short *s = CMSG_DATA(cmsg);

	if (cmsg->cmsg_type == HYPERCUBE_CMSG_OP_SHORT && cmsg->cmsg_len == CMSG_LEN(sizeof(*s))) {
		*op = (struct hypercube_op){
			.plan = s->plan, .collective = s->collective, .oper = s->oper,
			.type = s->type, .flags = s->flags, .bytes = s->bytes, .cookie = s->cookie,
		};
		return true;
	}
	if (cmsg->cmsg_type != HYPERCUBE_CMSG_OP || cmsg->cmsg_len != CMSG_LEN(sizeof(*op)))
		return false;
	memcpy(op, CMSG_DATA(cmsg), sizeof(*op));
	return true;
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
		if (*found || !cmsg_op(cmsg, op))
			return -EINVAL;
		*found = true;
	}
	return 0;
}

/* Return: the size of an element in bytes, or -EINVAL if the operator, the type, the width or the
 * length is invalid.
 */
static int op_elem(const struct hc_coll_desc *desc, const struct hypercube_op *op)
{
	bool plain = !op->oper && !op->type && !op->width;

	switch (desc->payload) {
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

/* Check that the plan exists and that the node is a member of it. */
static int plan_there(const struct hc_plan *plan, const struct hc_node *node)
{
	if (READ_ONCE(node->failed))
		return -EHOSTDOWN;
	if (!plan)
		return -ENOENT;
	return plan->member[node->id] ? 0 : -ENOTCONN;
}

/* Check that the plan carries the collective of the operation. */
static int plan_knows(const struct hc_plan *plan, const struct hypercube_op *op)
{
	const struct hc_coll_ops *coll = hc_coll_find(plan->ops, op->collective, op->oper);

	if (IS_ERR(coll))
		return PTR_ERR(coll);
	if (coll->agrees)
		return -EPROTOTYPE;
	return coll->unannounced && op->flags & HYPERCUBE_F_NOTIFY ? -EOPNOTSUPP : 0;
}

/* Check that the plan allows the node to begin an operation now. */
static int plan_allows(const struct hc_plan *plan, const struct hc_node *node)
{
	/* A broken plan accepts no contribution, even if some of its operations have not ended yet.
	 * But a plan with REPAIR accepts contributions at any time, and a guarded plan accepts them
	 * as long as its members wait for its next epoch.
	 */
	if (!plan->repairs && READ_ONCE(plan->member[node->id]->gen.broken) &&
	    !hc_guard_holds(plan->member[node->id]))
		return -ENOLINK;
	return !plan->ops->all_contribute && plan->root != node->id ? -EPERM : 0;
}

/* Set *@block to the length of a block; no segment has bytes of two blocks. The contribution is one
 * block, except in a scatter (hc_coll_deals()): the contribution of the root has a block for each
 * member, and the others are empty.
 */
static int block_get(const struct hc_plan *plan, const struct hc_node *node,
		     const struct hc_coll_desc *desc, const struct hypercube_op *op, u64 *block)
{
	*block = op->bytes;
	if (!hc_coll_deals(desc))
		return 0;
	if (plan->root != node->id)
		return op->bytes ? -EINVAL : 0;
	return do_div(*block, plan->nmembers) ? -EINVAL : 0;
}

/* If a contribution has a block for each member, check that the blocks are equally long and consist
 * of whole elements. Set .parts and .piece: they are not 0 if each segment has a chunk of each
 * block.
 */
static int parts_get(struct hc_sock *hsk, const struct hc_plan *plan,
		     const struct hc_coll_desc *desc, const struct hypercube_op *op, u32 elem)
{
	const struct hc_coll_ops *coll = hc_coll_find(plan->ops, op->collective, op->oper);
	u64 elems = div_u64(op->bytes, elem);

	hsk->parts = 0;
	hsk->apart = false;
	if (!desc->parts)
		return 0;
	/* The blocks belong to the members with which the plan was installed; a plan with REPAIR
	 * can lose members.
	 */
	if (plan->repairs)
		return -EOPNOTSUPP;
	if (do_div(elems, plan->nmembers))
		return -EINVAL;
	if (!coll->rounds)
		return 0;
	hsk->parts = plan->nmembers;
	hsk->piece = hc_part_piece(plan, coll, op->bytes, elem, &hsk->apart);
	return hsk->piece ? 0 : -EMSGSIZE;
}

/* Check that the process has read the records of all failures of the plan. See sock/unread.h. */
static int failures_known(struct hc_sock *hsk, const struct hc_plan *plan,
			  const struct hypercube_op *op)
{
	if (!hc_plan_bars_ahead(plan))
		return 0;
	if (op->flags & HYPERCUBE_F_STALE || hc_sock_unread(hsk, op->plan, &hsk->seen))
		return -ECANCELED;
	return 0;
}

/* Set *@size to the number of bytes that the process puts into a full segment (hc_coll_ops.piece).
 */
static int seg_size_get(const struct hc_plan *plan, const struct hypercube_op *op, u32 elem,
			u32 *size)
{
	const struct hc_coll_ops *coll = hc_coll_find(plan->ops, op->collective, op->oper);

	*size = coll->piece ? coll->piece(plan, op->bytes) : rounddown(plan->fabric->segment, elem);
	return *size ? 0 : -EMSGSIZE;
}

/* Check that no offset in the result overflows, and that a contribution or result that must be
 * passed in a single system call is not too long for that.
 */
static int length_check(const struct hc_plan *plan, const struct hc_coll_desc *desc,
			const struct hypercube_op *op)
{
	u64 all;

	if (check_mul_overflow(op->bytes, (u64)plan->nmembers, &all) || all > S64_MAX)
		return -EMSGSIZE;
	if (desc->parts && op->bytes > HYPERCUBE_WHOLE_MAX)
		return -EMSGSIZE;
	return hc_coll_shares(desc) && all > HYPERCUBE_WHOLE_MAX ? -EMSGSIZE : 0;
}

/* Check that the socket serves plan @plan: it is connected to this plan, or neither it nor another
 * socket of the node is.
 */
static int serves(const struct hc_sock *hsk, struct hc_node *node, u32 plan)
{
	if (hsk->plan)
		return hsk->plan == plan ? 0 : -EISCONN;
	return hc_socks_connected(node->socks, plan) ? -EADDRINUSE : 0;
}

/* Check the parameters of an operation that do not depend on the plan. */
static int op_check(const struct hc_coll_desc *desc, const struct hypercube_op *op, u32 *elem)
{
	int size;

	/* NOTIFY is invalid for collectives that notify each process without it. */
	if (op->reserved ||
	    op->flags & ~(HYPERCUBE_F_STALE | HYPERCUBE_F_ALL_OR_NOTHING |
			  (desc && desc->notified ? 0 : HYPERCUBE_F_NOTIFY)))
		return -EINVAL;
	size = desc ? op_elem(desc, op) : -EOPNOTSUPP;
	if (size < 0)
		return size;
	*elem = size;
	return do_div((u64){ op->bytes }, size) ? -EINVAL : 0;
}

/* Return: true if the two operations are equal in all fields but the cookie. */
static bool op_same(const struct hypercube_op *a, const struct hypercube_op *b)
{
	return a->plan == b->plan && a->collective == b->collective && a->oper == b->oper &&
	       a->type == b->type && a->flags == b->flags && a->width == b->width &&
	       a->reserved == b->reserved && a->bytes == b->bytes;
}

/* Compute those fields of the socket that depend only on the operation and the plan. */
static int lengths_get(struct hc_sock *hsk, const struct hc_plan *plan, const struct hc_node *node,
		       const struct hypercube_op *op)
{
	int err = length_check(plan, hsk->desc, op);

	if (!err)
		err = block_get(plan, node, hsk->desc, op, &hsk->block);
	if (!err)
		err = parts_get(hsk, plan, hsk->desc, op, hsk->elem);
	if (!err)
		err = seg_size_get(plan, op, hsk->elem, &hsk->seg_size);
	hsk->epoch = plan->epoch;
	hsk->strict = plan->guard && op->flags & HYPERCUBE_F_ALL_OR_NOTHING;
	return err;
}

/* Check the operation of a contribution that begins. Most programs send the same operation many
 * times: if @op equals the last one (.op), the values that were computed for that are valid for
 * @op.
 */
static int record_check(struct hc_sock *hsk, const struct hypercube_op *op)
{
	bool again = hsk->checked && op_same(&hsk->op, op);
	const struct hc_plan *plan = NULL;
	struct hc_node *node;
	int err = 0;

	hsk->checked = false;
	if (!again) {
		hsk->desc = hc_coll_desc(op->collective);
		err = op_check(hsk->desc, op, &hsk->elem);
	}
	if (err)
		return err;
	rcu_read_lock();
	node = rcu_dereference(hsk->node);
	if (node)
		plan = hc_plan_find(node->fabric, op->plan);
	err = node ? serves(hsk, node, op->plan) : hc_sock_gone(hsk);
	if (!err)
		err = plan_there(plan, node);
	again = again && !err && plan->epoch == hsk->epoch;
	if (!err && !again)
		err = plan_knows(plan, op);
	if (!err)
		err = plan_allows(plan, node);
	if (!err)
		err = failures_known(hsk, plan, op);
	if (!err && !again)
		err = lengths_get(hsk, plan, node, op);
	rcu_read_unlock();
	hsk->checked = !err;
	return err;
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
		return hc_round_len(hsk->op.bytes, hsk->sent, hsk->parts, hsk->piece);
	if (hsk->block)
		div64_u64_rem(hsk->sent, hsk->block, &in_block);
	return min_t(u64, hsk->seg_size, hsk->block - in_block);
}

/* Allocate a segment with @len bytes of payload. Its chunks are in pages of their own if the
 * collective of .op uses that form (coll/pieces.h).
 */
static struct sk_buff *seg_alloc(const struct hc_sock *hsk, u32 len)
{
	gfp_t gfp = hsk->sk.sk_allocation;

	if (hsk->parts && hsk->apart && len / hsk->parts > HC_INLINE_MAX)
		return hc_pieces_alloc(hsk->fabric, hsk->node_id, len / hsk->parts, hsk->parts,
				       gfp);
	return hc_seg_alloc(hsk->fabric, hsk->node_id, len, gfp);
}

/* Allocate the segment that is filled next (.seg), charge it to the socket, and write its header.
 */
static int seg_get(struct hc_sock *hsk, long *timeo)
{
	struct sock *sk = &hsk->sk;
	struct hc_host_cb *cb;
	struct sk_buff *skb;
	u32 len = seg_len(hsk);
	bool nothing = hsk->desc->payload == HC_PAYLOAD_NONE;
	struct hc_wire_data *w;
	int err;

	err = send_room(sk) ? 0 : send_wait(sk, timeo);
	if (err)
		return err;
	skb = seg_alloc(hsk, len);
	if (!skb)
		return -ENOMEM;
	skb_set_owner_w(skb, sk);
	w = hc_wire_data_of(skb);
	w->plan.plan = cpu_to_be32(hsk->op.plan);
	w->plan.epoch = cpu_to_be32(hsk->epoch);
	w->offset = cpu_to_be64(hsk->sent);
	w->total = cpu_to_be64(hsk->op.bytes);
	w->collective = hsk->op.collective;
	/* An operation without data has no operator: its frames have SUM and U8 in these fields. */
	w->oper = nothing ? HYPERCUBE_SUM : hsk->op.oper;
	w->dtype = nothing ? HYPERCUBE_U8 : hsk->op.type;
	w->width = cpu_to_be16(hsk->op.width);
	if (hsk->op.flags & HYPERCUBE_F_NOTIFY)
		w->flags |= HC_DATA_F_NOTIFY;
	if (hsk->strict && !hsk->sent)
		w->flags |= HC_DATA_F_STRICT;
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

/* Copy a chunk of each block of the contribution into the segment. @msg has the whole contribution.
 */
static bool seg_gather(struct hc_sock *hsk, const struct msghdr *msg)
{
	u64 part = div_u64(hsk->op.bytes, hsk->parts);
	u32 piece = hsk->seg_len / hsk->parts;
	struct hc_piece_iter pieces = hc_pieces_of(hsk->seg);
	bool apart = hc_pieces_apart(hsk->seg);
	struct iov_iter from = msg->msg_iter;
	u32 i;

	iov_iter_advance(&from, div_u64(hsk->sent, hsk->parts));
	for (i = 0; i < hsk->parts; i++) {
		void *to = apart ? skb_frag_address(hc_piece_next(&pieces)) :
				   hc_payload(hsk->seg) + (size_t)i * piece;

		if (i)
			iov_iter_advance(&from, part - piece);
		if (!copy_from_iter_full(to, piece, &from))
			return false;
	}
	return true;
}

/* Copy @n bytes into the segment. Up to 64 bytes are copied through the stack, for which the check
 * of hardened usercopy is much faster than for the head of an skb.
 */
static bool seg_copy(struct hc_sock *hsk, struct msghdr *msg, u32 n)
{
	void *to = hc_payload(hsk->seg) + hsk->seg_fill;
	u8 few[64];

	if (hsk->parts)
		return seg_gather(hsk, msg);
	if (n > sizeof(few))
		return copy_from_iter_full(to, n, &msg->msg_iter);
	if (!copy_from_iter_full(few, n, &msg->msg_iter))
		return false;
	memcpy(to, few, n);
	return true;
}

/* Return: the number of bytes that this call contributes, or -EMSGSIZE. If the contribution has a
 * block for each member, each call must pass the whole contribution; it contributes the bytes that
 * earlier calls have not sent.
 */
static ssize_t record_rest(const struct hc_sock *hsk, struct msghdr *msg, size_t len)
{
	u64 before = hsk->sent + (hsk->seg ? hsk->seg_fill : 0);

	if (!hsk->desc->parts)
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
	/* An empty contribution is sent as one empty segment. */
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

	/* MSG_MORE has no effect here, since a contribution ends after op.bytes bytes. */
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
	/* If no byte of the contribution has been copied, it has not begun. */
	if (ret < 0 && begins && hsk->open && !hsk->sent && (!hsk->seg || !hsk->seg_fill)) {
		kfree_skb(hsk->seg);
		hsk->seg = NULL;
		hsk->open = false;
	}
	mutex_unlock(&hsk->send_lock);
	return ret;
}
