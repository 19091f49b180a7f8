/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the kinds of sockets.
 */
#ifndef _HC_SOCK_H
#define _HC_SOCK_H

#include <linux/sched/signal.h>
#include <net/sock.h>
#include <linux/hypercube.h>

#include "coll/ops.h"
#include "compat.h"
#include "hc_traits.h"
#include "sock/unread.h"
#include "task/queue.h"

struct hc_collector;
struct hc_fabric;
struct hc_node;

/**
 * struct hc_sock - a socket
 * @sk: must be first
 * @fabric: the fabric it is bound in, with a reference; set once, see hc_sock_fabric()
 * @node: the node it is bound to; written under fabric->sock_lock, read under RCU
 * @node_id: its number
 * @id: unique in the machine
 * @group: @id of the first of the sockets that are siblings of each other, see struct
 *	hypercube_sibling; written before it is bound
 * @plan: the plan it is connected to, or 0; written under @send_lock
 * @by: the owner of the node whose right was used to bind it, or INVALID_UID
 * @gone: why it has no node any more: ENODEV, or EACCES: the node has another owner
 * @send_lock: one contribution at a time; protects all up to @seg_fill
 * @op: the contribution being sent, valid if @open
 * @traits: of its collective
 * @block: no segment crosses a multiple of so many bytes of it; 0: all of it is empty
 * @parts: parts of it that it goes in pieces of, see coll/rounds.h; 0: it goes as it lies
 * @sent: bytes of it handed to the node
 * @records: number of its latest record of either direction
 * @rec: record number of the contribution
 * @open: a contribution is incomplete
 * @tag: of the plan it began with
 * @elem: bytes of an element
 * @seg_size: payload bytes of a full segment
 * @seg: segment being filled, or NULL
 * @seg_len: payload bytes it takes
 * @seg_fill: payload bytes it has
 * @failed_rec: the last record that failed while it was @rec; the poll writes
 * @seen: .unread.told when the contribution began
 * @starved: results wait for room; the poll sets it, recvmsg() clears it
 * @unread: failures that it was told of
 * @leave_skb: tells the node that the socket was closed
 * @recv_lock: one receiver at a time
 * @collector: of copies of datagrams; NULL: a collective socket
 * @copies: in how many each datagram is sent
 * @shared: in hc_socks.shared of its node, if it is of that kind
 * @task: its part in the tasks of the node, if it has one
 */
struct hc_sock {
	struct sock sk;
	struct hc_fabric *fabric;
	struct hc_node __rcu *node;
	u32 node_id;
	u64 id;
	u64 group;
	u32 plan;
	kuid_t by;
	int gone;
	struct mutex send_lock;
	struct hypercube_op op;
	const struct hc_traits *traits;
	u64 block;
	u32 parts;
	u64 sent;
	atomic64_t records;
	u64 rec;
	bool open;
	u32 tag;
	u32 elem;
	u32 seg_size;
	struct sk_buff *seg;
	u32 seg_len;
	u32 seg_fill;
	u64 failed_rec;
	u64 seen;
	bool starved;
	struct hc_unread unread;
	struct sk_buff *leave_skb;
	struct mutex recv_lock;
	struct hc_collector *collector;
	u32 copies;
	struct list_head shared;
	struct hc_task_end task;
};

/* The fabric it is bound in, or NULL: not bound. */
static inline struct hc_fabric *hc_sock_fabric(const struct hc_sock *hsk)
{
	/* Pairs with the release in sock/bind.c: what bind() writes comes before it. */
	return smp_load_acquire(&hsk->fabric);
}

/* 0 while it has a node. */
static inline int hc_sock_gone(const struct hc_sock *hsk)
{
	return rcu_access_pointer(hsk->node) ? 0 : -READ_ONCE(hsk->gone);
}

/* Is there room for another result? */
static inline bool hc_sock_recv_room(const struct sock *sk)
{
	return atomic_read(&sk->sk_rmem_alloc) < READ_ONCE(sk->sk_rcvbuf);
}

/* Sleep in a wait that was prepared, for what is left of @timeo; 0 or why not. */
static inline int hc_sock_sleep(long *timeo)
{
	if (!*timeo)
		return -EAGAIN;
	if (signal_pending(current))
		return sock_intr_errno(*timeo);
	*timeo = schedule_timeout(*timeo);
	return 0;
}

static inline struct hc_sock *hc_sk(const struct sock *sk)
{
	return (struct hc_sock *)sk;
}

/* Flags that sendmsg() and recvmsg() take at sockets of each kind; a kind may know more. io_uring
 * has a use for MSG_WAITALL.  What is a record of its own at once must not be sent in parts
 * (HC_MSG_MORE).
 */
#define HC_SOCK_SEND_FLAGS (MSG_DONTWAIT | MSG_NOSIGNAL | MSG_EOR | MSG_WAITALL | HC_MSG_INTERNAL)
#define HC_SOCK_RECV_FLAGS (MSG_DONTWAIT | MSG_NOSIGNAL | MSG_WAITALL | MSG_WAITFORONE | \
			    MSG_CMSG_CLOEXEC | MSG_CMSG_COMPAT)

extern const struct proto_ops hc_dgram_ops;
extern const struct proto_ops hc_task_ops;

int hc_sock_release(struct socket *sock);
int hc_dgram_setsockopt(struct socket *sock, int level, int name, sockptr_t value,
			unsigned int len);
int hc_dgram_getsockopt(struct socket *sock, int level, int name, char __user *value,
			int __user *len);
/* Takes an address of either length; 0 or -EINVAL. */
int hc_sock_addr(struct sockaddr_hypercube *shc, const void *addr, int len);
int hc_sock_bind(struct socket *sock, struct sockaddr_unsized *addr, int len);
int hc_sock_connect(struct socket *sock, struct sockaddr_unsized *addr, int len, int flags);
/* Options of collective sockets. */
int hc_sock_setsockopt(struct socket *sock, int level, int name, sockptr_t value,
		       unsigned int len);
int hc_sock_getname(struct socket *sock, struct sockaddr *addr, int peer);
/* Do records of failures of the plan wait to be received?  @told: how many failures there were. */
bool hc_sock_unread(struct hc_sock *hsk, u32 plan, u64 *told);
int hc_sock_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
int hc_sock_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags);

/* What all kinds have in common, and what differs between any two.  The family is set at init: its
 * number is a parameter.
 */
#define HC_SOCK_OPS(connect_fn, poll_fn, send, recv)	\
	.family		= PF_UNSPEC,			\
	.owner		= THIS_MODULE,			\
	.release	= hc_sock_release,		\
	.bind		= hc_sock_bind,			\
	.connect	= connect_fn,			\
	.socketpair	= sock_no_socketpair,		\
	.accept		= sock_no_accept,		\
	.getname	= hc_sock_getname,		\
	.poll		= poll_fn,			\
	.ioctl		= sock_no_ioctl,		\
	.gettstamp	= sock_gettstamp,		\
	.listen		= sock_no_listen,		\
	.shutdown	= sock_no_shutdown,		\
	.sendmsg	= send,				\
	.recvmsg	= recv,				\
	.mmap		= sock_no_mmap

#endif /* _HC_SOCK_H */
