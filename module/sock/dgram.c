// SPDX-License-Identifier: GPL-2.0
/*
 * SOCK_DGRAM: messages from node to node by fault-tolerant unicast.  They are as unreliable as
 * datagrams are: every loss is counted at the node that drops.
 */
#include <linux/net.h>
#include <net/sock.h>

#include "fabric/fabric.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "sock/hostq.h"
#include "sock/sock.h"
#include "sock/socks.h"

struct hc_dgram_cb {
	u32 src;
};

static int dgram_dest(const struct msghdr *msg, const struct hc_fabric *fabric, u32 *dst)
{
	struct sockaddr_hypercube shc;

	if (!msg->msg_name)
		return -EDESTADDRREQ;
	if (hc_sock_addr(&shc, msg->msg_name, msg->msg_namelen) || shc.shc_plan)
		return -EINVAL;
	if (strcmp(shc.shc_fabric, fabric->name) || shc.shc_node >= hc_nodes(fabric->dim))
		return -EADDRNOTAVAIL;
	*dst = shc.shc_node;
	return 0;
}

static int hc_dgram_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct sock *sk = sock->sk;
	struct hc_sock *hsk = hc_sk(sk);
	struct hc_fabric *fabric = hc_sock_fabric(hsk);
	struct hc_node *node;
	struct sk_buff *skb;
	int err;
	u32 dst;

	if (msg->msg_flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_CMSG_COMPAT))
		return -EOPNOTSUPP;
	if (!fabric)
		return -ENOTCONN;
	err = dgram_dest(msg, fabric, &dst);
	if (err)
		return err;
	if (len > fabric->segment)
		return -EMSGSIZE;
	skb = sock_alloc_send_pskb(sk, HC_BARE_HEADROOM + len, 0, msg->msg_flags & MSG_DONTWAIT,
				   &err, 0);
	if (!skb)
		return err;
	skb_reserve(skb, HC_BARE_HEADROOM);
	if (!copy_from_iter_full(skb_put(skb, len), len, &msg->msg_iter)) {
		kfree_skb(skb);
		return -EFAULT;
	}
	rcu_read_lock();
	node = rcu_dereference(hsk->node);
	if (node) {
		hc_frame_push(fabric, hsk->node_id, HC_FRAME_DGRAM, 0, skb);
		hc_hdr(skb)->dst = cpu_to_be16(dst);
		hc_cb(skb)->dim = HC_DIM_HOST;
		hc_hostq_xmit(node, skb);
		err = len;
	} else {
		kfree_skb(skb);
		err = hc_sock_gone(hsk);
	}
	rcu_read_unlock();
	return err;
}

void hc_sock_dgram_rx(struct hc_node *node, struct sk_buff *skb)
{
	struct sock *sk;
	u32 src = be16_to_cpu(hc_hdr(skb)->src);

	rcu_read_lock();
	sk = rcu_dereference(node->socks.dgram);
	if (!sk) {
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_NO_SOCKET);
	} else if (atomic_read(&sk->sk_rmem_alloc) >= READ_ONCE(sk->sk_rcvbuf)) {
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_QUEUE_FULL);
	} else {
		__skb_pull(skb, sizeof(struct hc_hdr));
		((struct hc_dgram_cb *)skb->cb)->src = src;
		skb_orphan(skb);
		skb_set_owner_r(skb, sk);
		skb_queue_tail(&sk->sk_receive_queue, skb);
		sk->sk_data_ready(sk);
	}
	rcu_read_unlock();
}

static int hc_dgram_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags)
{
	struct sock *sk = sock->sk;
	struct hc_sock *hsk = hc_sk(sk);
	struct sk_buff *skb;
	size_t n;
	int err;

	if (!hc_sock_fabric(hsk))
		return -ENOTCONN;
	skb = skb_recv_datagram(sk, flags, &err);
	if (!skb)
		return !err || err == -EAGAIN ? hc_sock_gone(hsk) ?: err : err;
	n = min_t(size_t, len, skb->len);
	if (n < skb->len)
		msg->msg_flags |= MSG_TRUNC;
	err = skb_copy_datagram_msg(skb, 0, msg, n);
	if (!err && msg->msg_name) {
		struct sockaddr_hypercube *shc = msg->msg_name;

		memset(shc, 0, sizeof(*shc));
		shc->shc_family = hc_sock_family();
		shc->shc_node = ((struct hc_dgram_cb *)skb->cb)->src;
		strscpy(shc->shc_fabric, hsk->fabric->name, sizeof(shc->shc_fabric));
		msg->msg_namelen = sizeof(*shc);
	}
	if (!err)
		err = flags & MSG_TRUNC ? skb->len : n;
	skb_free_datagram(sk, skb);
	return err;
}

const struct proto_ops hc_dgram_ops = {
	.family		= PF_UNSPEC,
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
	.sendmsg	= hc_dgram_sendmsg,
	.recvmsg	= hc_dgram_recvmsg,
	.mmap		= sock_no_mmap,
};
