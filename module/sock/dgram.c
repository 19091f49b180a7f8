// SPDX-License-Identifier: GPL-2.0
/*
 * SOCK_DGRAM: messages from node to node, sent as fault-tolerant unicast frames, or in copies along
 * paths that share no node (route/copy.c). Messages are unreliable, like all datagrams; a node that
 * drops a message counts the drop.
 */
#include <linux/net.h>
#include <net/sock.h>

#include "fabric/fabric.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "route/copy.h"
#include "route/lsdb.h"
#include "sock/collect.h"
#include "sock/hostq.h"
#include "sock/sock.h"
#include "sock/socks.h"

static int dgram_dest(const struct msghdr *msg, const struct hc_fabric *fabric, u32 *dst)
{
	struct sockaddr_hypercube shc;

	if (!msg->msg_name)
		return -EDESTADDRREQ;
	if (hc_sock_addr(&shc, msg->msg_name, msg->msg_namelen) || shc.shc_plan)
		return -EINVAL;
	if (strcmp(shc.shc_fabric, fabric->name) || shc.shc_node >= fabric->topo.nodes)
		return -EADDRNOTAVAIL;
	*dst = shc.shc_node;
	return 0;
}

/* Return: the number of copies in which the message is sent, or -EINVAL. A control message of @msg
 * can set it; otherwise it is that of the socket.
 */
static int copies_of(struct msghdr *msg, const struct hc_sock *hsk)
{
	int copies = READ_ONCE(hsk->copies);
	struct cmsghdr *cmsg;

	if (!msg->msg_controllen)
		return copies;
	for_each_cmsghdr(cmsg, msg) {
		if (!CMSG_OK(msg, cmsg))
			return -EINVAL;
		if (cmsg->cmsg_level != SOL_HYPERCUBE)
			continue;
		if (cmsg->cmsg_type != HYPERCUBE_CMSG_COPIES ||
		    cmsg->cmsg_len != CMSG_LEN(sizeof(copies)))
			return -EINVAL;
		memcpy(&copies, CMSG_DATA(cmsg), sizeof(copies));
		if (copies < 1 || copies > HC_COPIES_MAX)
			return -EINVAL;
	}
	return copies;
}

/* Allocate an skb with @front bytes, which the caller fills in, followed by the @len bytes of the
 * message. Return: the skb, or an ERR_PTR.
 */
static struct sk_buff *payload(struct sock *sk, struct msghdr *msg, size_t front, size_t len)
{
	struct sk_buff *skb;
	int err;

	skb = sock_alloc_send_pskb(sk, HC_BARE_HEADROOM + front + len, 0,
				   msg->msg_flags & MSG_DONTWAIT, &err, 0);
	if (!skb)
		return ERR_PTR(err);
	skb_reserve(skb, HC_BARE_HEADROOM);
	skb_put(skb, front);
	if (!copy_from_iter_full(skb_put(skb, len), len, &msg->msg_iter)) {
		kfree_skb(skb);
		return ERR_PTR(-EFAULT);
	}
	return skb;
}

/* Make a frame of each skb in @list, and queue the frames at the host port. If the socket has no
 * node, free all skbs. @paths: length of the list of paths at the beginning of each skb, in bytes;
 * 0 if the datagram is not sent in copies. Return: 0 or a negative errno.
 */
static int post(struct hc_sock *hsk, struct sk_buff_head *list, u32 dst, u16 paths)
{
	u8 type = paths ? HC_FRAME_COPY : HC_FRAME_DGRAM, copies = skb_queue_len(list), n = 0;
	struct hc_node *node;
	struct sk_buff *skb;
	u64 nr = 0;

	rcu_read_lock();
	node = rcu_dereference(hsk->node);
	if (node && paths)
		nr = atomic64_inc_return(&node->socks->copied);
	while (node && (skb = __skb_dequeue(list))) {
		hc_frame_push(hsk->fabric, hsk->node_id, type, 0, skb);
		hc_hdr(skb)->dst = cpu_to_be16(dst);
		if (paths)
			*hc_wire_copy_of(skb) = (struct hc_wire_copy){
				.nr = cpu_to_be64(nr), .copies = copies, .copy = n++,
				.paths = cpu_to_be16(paths),
			};
		hc_cb(skb)->dim = HC_DIM_HOST;
		hc_hostq_xmit(node, skb);
	}
	rcu_read_unlock();
	__skb_queue_purge(list);
	return node ? 0 : hc_sock_gone(hsk);
}

static int send_once(struct hc_sock *hsk, struct msghdr *msg, size_t len, u32 dst)
{
	struct sk_buff_head list;
	struct sk_buff *skb;

	if (len > hsk->fabric->segment)
		return -EMSGSIZE;
	skb = payload(&hsk->sk, msg, 0, len);
	if (IS_ERR(skb))
		return PTR_ERR(skb);
	__skb_queue_head_init(&list);
	__skb_queue_tail(&list, skb);
	return post(hsk, &list, dst, 0);
}

/* Append @copies - 1 copies of the first skb to @list, and charge them to the socket. Only the
 * allocation of the first skb has waited for room in the send buffer; these copies do not wait.
 */
static int copies_make(struct sock *sk, struct sk_buff_head *list, unsigned int copies)
{
	struct sk_buff *first = skb_peek(list), *skb;

	while (--copies) {
		skb = skb_copy(first, sk->sk_allocation);
		if (!skb)
			return -ENOBUFS;
		skb_set_owner_w(skb, sk);
		__skb_queue_tail(list, skb);
	}
	return 0;
}

static int send_copies(struct hc_sock *hsk, struct msghdr *msg, size_t len, u32 dst,
		       const struct hc_copy_paths *paths)
{
	struct sk_buff_head list;
	struct sk_buff *skb;
	int err;

	if (paths->bytes + len > hsk->fabric->segment)
		return -EMSGSIZE;
	skb = payload(&hsk->sk, msg, paths->bytes, len);
	if (IS_ERR(skb))
		return PTR_ERR(skb);
	hc_copy_paths_put(paths, skb->data);
	__skb_queue_head_init(&list);
	__skb_queue_tail(&list, skb);
	err = copies_make(&hsk->sk, &list, paths->n);
	if (!err)
		return post(hsk, &list, dst, paths->bytes);
	__skb_queue_purge(&list);
	return err;
}

/* Read the FAULT words of all nodes from the link-state database of the socket's node. Return: an
 * array, which the caller must free; NULL if the node knows of no fault (*@err is 0), or on an
 * error (*@err is its negative errno).
 */
static u16 *words_get(struct hc_sock *hsk, int *err)
{
	u32 nodes = hsk->fabric->topo.nodes;
	struct hc_node *node;
	u16 *words = NULL;

	rcu_read_lock();
	node = rcu_dereference(hsk->node);
	*err = !node ? hc_sock_gone(hsk) : hc_lsdb_any(node) ? 1 : 0;
	rcu_read_unlock();
	if (*err <= 0)
		return NULL;
	words = kvcalloc(nodes, sizeof(*words), GFP_KERNEL_ACCOUNT);
	*err = words ? 0 : -ENOMEM;
	if (!words)
		return NULL;
	rcu_read_lock();
	node = rcu_dereference(hsk->node);
	if (node)
		hc_lsdb_words(node, words);
	else
		*err = hc_sock_gone(hsk);
	rcu_read_unlock();
	return words;
}

int hc_sock_paths_find(struct hc_sock *hsk, u32 dst, unsigned int want,
		       struct hc_copy_paths *paths)
{
	u16 *words;
	int err;

	words = words_get(hsk, &err);
	if (!err)
		err = hc_copy_paths_find(&hsk->fabric->topo, words, hsk->node_id, dst, want, paths);
	kvfree(words);
	return err;
}

static int send_apart(struct hc_sock *hsk, struct msghdr *msg, size_t len, u32 dst,
		      unsigned int copies)
{
	struct hc_copy_paths *paths = kmalloc(sizeof(*paths), GFP_KERNEL_ACCOUNT);
	int err;

	if (!paths)
		return -ENOMEM;
	err = hc_sock_paths_find(hsk, dst, copies, paths);
	if (!err)
		err = paths->n < copies ? -EHOSTUNREACH : send_copies(hsk, msg, len, dst, paths);
	kfree(paths);
	return err;
}

static int hc_dgram_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct hc_sock *hsk = hc_sk(sock->sk);
	struct hc_fabric *fabric = hc_sock_fabric(hsk);
	int copies, err;
	u32 dst;

	if (msg->msg_flags & ~HC_SOCK_SEND_FLAGS)
		return -EOPNOTSUPP;
	if (!fabric)
		return -ENOTCONN;
	err = dgram_dest(msg, fabric, &dst);
	if (err)
		return err;
	copies = copies_of(msg, hsk);
	if (copies < 0)
		return copies;
	/* A message from a node to itself crosses no link, so it is never sent in copies. */
	if (copies == 1 || dst == hsk->node_id)
		err = send_once(hsk, msg, len, dst);
	else
		err = send_apart(hsk, msg, len, dst, copies);
	return err ?: len;
}

/* Receive a datagram that was not sent in copies. If the socket accepts only datagrams in several
 * copies, drop it, since a Byzantine relay could have made it from a copy; accept it if the node
 * itself has sent it (@own).
 */
void hc_sock_dgram_rx(struct hc_node *node, struct sk_buff *skb, bool own)
{
	struct sock *sk;
	u32 src = be16_to_cpu(hc_hdr(skb)->src);

	rcu_read_lock();
	sk = rcu_dereference(node->socks->dgram);
	if (!sk) {
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_NO_SOCKET);
	} else if (!own && READ_ONCE(hc_collect_set(hc_sk(sk))->least) > 1) {
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_TOO_FEW_COPIES);
	} else if (!hc_sock_recv_room(sk)) {
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_QUEUE_FULL);
	} else {
		struct hc_dgram_cb *cb = hc_cb_as(struct hc_dgram_cb, skb);

		memset(cb, 0, sizeof(*cb));
		cb->src = src;
		cb->said = sizeof(struct hc_hdr);
		cb->own = own;
		skb_orphan(skb);
		skb_set_owner_r(skb, sk);
		skb_queue_tail(&sk->sk_receive_queue, skb);
		sk->sk_data_ready(sk);
	}
	rcu_read_unlock();
}

static void address_notify(struct msghdr *msg, const struct hc_sock *hsk, u32 src)
{
	struct sockaddr_hypercube *shc = msg->msg_name;

	memset(shc, 0, sizeof(*shc));
	shc->shc_family = hc_sock_family();
	shc->shc_node = src;
	strscpy(shc->shc_fabric, hsk->fabric->name, sizeof(shc->shc_fabric));
	msg->msg_namelen = sizeof(*shc);
}

static void paths_notify(struct msghdr *msg, const struct sk_buff *skb,
			 const struct hypercube_vote *v)
{
	struct hypercube_path *path = kmalloc_array(v->copies, sizeof(*path), GFP_KERNEL);
	unsigned int n;

	if (!path) {
		msg->msg_flags |= MSG_CTRUNC;
		return;
	}
	n = hc_collect_paths(skb, v, path);
	put_cmsg(msg, SOL_HYPERCUBE, HYPERCUBE_CMSG_PATHS, n * sizeof(*path), path);
	kfree(path);
}

/* Put the vote on datagram @skb into the control messages of recvmsg(), if the caller has room for
 * them.
 */
static void vote_notify(struct msghdr *msg, const struct hc_sock *hsk, const struct sk_buff *skb)
{
	const struct hypercube_vote v = hc_cb_as(struct hc_dgram_cb, skb)->vote;

	if (!v.copies || !msg->msg_controllen)
		return;
	put_cmsg(msg, SOL_HYPERCUBE, HYPERCUBE_CMSG_VOTE, sizeof(v), (void *)&v);
	if (READ_ONCE(hc_collect_set(hsk)->deliver) == HYPERCUBE_DELIVER_REPORT &&
	    (v.mismatch | v.missing))
		paths_notify(msg, skb, &v);
}

static int hc_dgram_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags)
{
	struct sock *sk = sock->sk;
	struct hc_sock *hsk = hc_sk(sk);
	const struct hc_dgram_cb *cb;
	struct sk_buff *skb;
	size_t n, said;
	int err;

	if (flags & ~(HC_SOCK_RECV_FLAGS | MSG_PEEK | MSG_TRUNC))
		return -EOPNOTSUPP;
	if (!hc_sock_fabric(hsk))
		return -ENOTCONN;
	skb = skb_recv_datagram(sk, flags, &err);
	if (!skb)
		return !err || err == -EAGAIN ? hc_sock_gone(hsk) ?: err : err;
	cb = hc_cb_as(struct hc_dgram_cb, skb);
	said = skb->len - cb->said;
	n = min(len, said);
	if (n < said)
		msg->msg_flags |= MSG_TRUNC;
	err = skb_copy_datagram_msg(skb, cb->said, msg, n);
	if (!err && msg->msg_name)
		address_notify(msg, hsk, cb->src);
	if (!err)
		vote_notify(msg, hsk, skb);
	if (!err)
		err = flags & MSG_TRUNC ? said : n;
	skb_free_datagram(sk, skb);
	return err;
}

const struct proto_ops hc_dgram_ops = {
	HC_SOCK_OPS(sock_no_connect, datagram_poll, hc_dgram_sendmsg, hc_dgram_recvmsg),
	.setsockopt	= hc_dgram_setsockopt,
	.getsockopt	= hc_dgram_getsockopt,
};
