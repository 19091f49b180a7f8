// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets: how programs reach a node.
 *
 * SOCK_SEQPACKET carries contributions and results. sendmsg() (sock/send.c) cuts a contribution
 * into segments and queues them at the node's host port, the node's poll queues results on
 * sk_receive_queue (sock/result.c), and recvmsg() takes them from there (sock/recv.c). A segment is
 * charged to the sender's socket (sk_wmem_alloc) until the last of the nodes that read it frees it.
 * So a slow receiver stops the senders, and the memory in flight is at most the sum of the send
 * buffers. SOCK_DGRAM carries messages from node to node (sock/dgram.c). SOCK_RDM puts tasks into a
 * node's queue and takes tasks from it (sock/task.c). sock/bind.c binds sockets to nodes and
 * unbinds them, and describes their lifetime.
 */
#include <linux/module.h>
#include <linux/net.h>
#include <net/sock.h>

#include "coll/process.h"
#include "fabric/frame.h"
#include "fabric/node.h"
#include "notifier.h"
#include "route/copy.h"
#include "sock/collect.h"
#include "sock/hostq.h"
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

/* First id of a socket, and first number of a record. It is close to 2^32, so that code which
 * truncates these numbers to 32 bits fails soon.
 */
#define HC_REC_FIRST	(U32_MAX - 64ULL)

/* The last id of a socket. Polls refer to sockets by their ids, which are never reused: 64 bits do
 * not wrap.
 */
static atomic64_t sock_ids = ATOMIC64_INIT(HC_REC_FIRST);

int hc_sock_family(void)
{
	return family;
}

/* Refuse splice(). The kernel would call recvmsg() with a buffer of its own and splice the first
 * bytes of it. But recvmsg() may write chunks at their offsets in the result: the gaps between them
 * would be old data of the buffer.
 */
static ssize_t sock_no_splice_read(struct socket *sock, loff_t *ppos,
				   struct pipe_inode_info *pipe, size_t len, unsigned int flags)
{
	return -EOPNOTSUPP;
}

static const struct proto_ops hc_seqpacket_ops = {
	HC_SOCK_OPS(hc_sock_connect, datagram_poll, hc_sock_sendmsg, hc_sock_recvmsg),
	.setsockopt = hc_sock_setsockopt,
	.splice_read = sock_no_splice_read,
};

static struct proto hc_proto = {
	.name		= "HYPERCUBE",
	.owner		= THIS_MODULE,
	.obj_size	= sizeof(struct hc_sock),
	.slab_flags	= SLAB_ACCOUNT,
};

/* Free those parts of a socket that polls use. This runs a grace period after the last reference
 * was dropped, so no poll can queue a record any more.
 */
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
	hsk->group = hsk->id;
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

/* The state of a node's sockets; allocated for each node. */
struct node_state {
	struct hc_hostq hostq;
	struct hc_socks socks;
};

static int node_init(struct hc_node *node, void *state)
{
	struct node_state *s = state;

	node->hostq = &s->hostq;
	hc_hostq_init(node->hostq);
	node->socks = &s->socks;
	hc_socks_init(node->socks);
	return 0;
}

static struct hc_notifier notifier = {
	.node_size	= sizeof(struct node_state),
	.node_init	= node_init,
	.node_gone	= hc_sock_node_gone,
	.node_purge	= hc_hostq_purge,
};

static void dgram_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	hc_sock_dgram_rx(node, skb, false);
}

/* Receive a copy of a datagram at the end of its path. */
static void copy_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	skb = hc_copy_rx(node, dim, skb);
	if (skb)
		hc_collect_rx(node, skb);
}

int __init hc_sock_init(void)
{
	int err;

	if (family <= AF_UNIX || family >= NPROTO)
		return -EINVAL;
	err = proto_register(&hc_proto, 1);
	if (err)
		return err;
	hc_family.family = family;
	err = sock_register(&hc_family);
	if (err) {
		proto_unregister(&hc_proto);
		return err;
	}
	hc_process_ops = &hc_sock_processes;
	hc_notifier_add(&notifier);
	hc_frame_handle(HC_FRAME_DGRAM, dgram_rx, NULL);
	hc_frame_handle(HC_FRAME_COPY, copy_rx, NULL);
	return 0;
}

void hc_sock_exit(void)
{
	sock_unregister(family);
	proto_unregister(&hc_proto);
	/* Sockets are freed by RCU callbacks in this module: wait for those that are pending. */
	rcu_barrier();
}
