/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of sock/ share.
 */
#ifndef _HC_SOCK_H
#define _HC_SOCK_H

#include <linux/sched/signal.h>
#include <net/sock.h>
#include <linux/hypercube.h>

#include "coll/ops.h"
#include "compat.h"
#include "hc_coll_desc.h"
#include "sock/unread.h"
#include "task/queue.h"

struct hc_collector;
struct hc_copy_paths;
struct hc_fabric;
struct hc_node;
struct hc_process_ops;

/**
 * struct hc_sock - a socket of AF_HYPERCUBE
 * @sk: must be first
 * @fabric: the fabric of the node to which the socket was bound, with a reference; set once, read
 *	by hc_sock_fabric()
 * @node: the node to which the socket is bound, or NULL; written under fabric->sock_lock, read
 *	under RCU
 * @node_id: number of that node
 * @id: id of the socket, unique in the machine
 * @group: @id of the first of several sibling sockets, see struct hypercube_sibling; written
 *	before the socket is bound
 * @plan: id of the plan to which the socket is connected, or 0; written under @send_lock
 * @by: uid of the node's owner if the process could bind the socket only because it had this uid;
 *	else INVALID_UID
 * @gone: errno for which the socket has lost its node: ENODEV if the node was removed, EACCES if it
 *	has another owner
 * @send_lock: held by a system call that sends a contribution; protects the fields from @op to
 *	@seg_fill
 * @op: operation of the contribution that is being sent, or else of the last one
 * @checked: true if @op is valid, and the fields that are computed from it are set
 * @desc: descriptor of the collective of @op
 * @block: no segment crosses a multiple of this many bytes; 0: the contribution is empty
 * @parts: number of blocks of the contribution, one for each member, if each segment has a chunk
 *	(piece) of each block, see coll/chunk.h; 0: segments are cut in the order of the bytes
 * @piece: bytes of a chunk, if @parts is not 0
 * @apart: true if chunks that are long enough are in pages of their own (coll/pieces.h)
 * @sent: bytes of the contribution that were queued at the node
 * @records: number of the latest record of the socket; a record is a contribution, a result or a
 *	status
 * @rec: record number of the contribution
 * @open: true if the contribution is incomplete
 * @epoch: epoch of the plan when the contribution began
 * @strict: the contribution fails unless all nodes that have ever been members of the guarded plan
 *	take part
 * @elem: bytes of an element
 * @seg_size: number of bytes that the process puts into a full segment, if @parts is 0
 * @seg: segment that is being filled, or NULL
 * @seg_len: payload bytes that @seg is to have
 * @seg_fill: payload bytes that @seg has
 * @failed_rec: number of the last contribution that failed while its number was @rec; written by
 *	the poll
 * @seen: value of @unread.reported when the contribution began
 * @starved: true if results wait for room in the receive buffer; the poll sets it, recvmsg() clears
 *	it
 * @unread: failures whose records are queued and not read yet
 * @leave_skb: preallocated frame that notifies the node when the socket is closed
 * @recv_lock: held by a system call that receives
 * @collector: collects copies of datagrams; NULL if this is no datagram socket
 * @copies: number of copies in which each datagram is sent
 * @shared: entry in hc_socks.shared of the node, if the socket is a task socket
 * @task: the socket's state as a producer or worker of tasks
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
	bool checked;
	const struct hc_coll_desc *desc;
	u64 block;
	u32 parts;
	u32 piece;
	bool apart;
	u64 sent;
	atomic64_t records;
	u64 rec;
	bool open;
	u32 epoch;
	bool strict;
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

/* Return: the fabric in which the socket is bound, or NULL if it is not bound. */
static inline struct hc_fabric *hc_sock_fabric(const struct hc_sock *hsk)
{
	/* Pairs with smp_store_release() in sock/bind.c: all fields that bind() has written are
	 * visible.
	 */
	return smp_load_acquire(&hsk->fabric);
}

/* Return: 0 if the socket has a node, else the negative errno that system calls return. */
static inline int hc_sock_gone(const struct hc_sock *hsk)
{
	return rcu_access_pointer(hsk->node) ? 0 : -READ_ONCE(hsk->gone);
}

/* Return: true if the receive buffer has room for another result. */
static inline bool hc_sock_recv_room(const struct sock *sk)
{
	return atomic_read(&sk->sk_rmem_alloc) < READ_ONCE(sk->sk_rcvbuf);
}

/* Sleep for at most *@timeo jiffies. The caller has called prepare_to_wait(). *@timeo is set to the
 * remaining time. Return: 0, or a negative errno for the system call.
 */
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

/* Flags that sendmsg() and recvmsg() accept on sockets of all types; some types accept other flags,
 * too. io_uring passes MSG_WAITALL. MSG_MORE (HC_MSG_MORE) is not among them: datagram and task
 * sockets refuse it, since each call sends a whole message.
 */
#define HC_SOCK_SEND_FLAGS (MSG_DONTWAIT | MSG_NOSIGNAL | MSG_EOR | MSG_WAITALL | HC_MSG_INTERNAL)
#define HC_SOCK_RECV_FLAGS (MSG_DONTWAIT | MSG_NOSIGNAL | MSG_WAITALL | MSG_WAITFORONE | \
			    MSG_CMSG_CLOEXEC | MSG_CMSG_COMPAT)

extern const struct proto_ops hc_dgram_ops;
extern const struct proto_ops hc_task_ops;

extern const struct hc_process_ops hc_sock_processes;

int hc_sock_release(struct socket *sock);
int hc_dgram_setsockopt(struct socket *sock, int level, int name, sockptr_t value,
			unsigned int len);
int hc_dgram_getsockopt(struct socket *sock, int level, int name, char __user *value,
			int __user *len);

/**
 * hc_sock_addr() - copy a socket address with or without a plan
 * @shc: set to the address
 * @addr: the address that the process has passed
 * @len: length of @addr
 *
 * Return: 0 or -EINVAL.
 */
int hc_sock_addr(struct sockaddr_hypercube *shc, const void *addr, int len);
int hc_sock_bind(struct socket *sock, struct sockaddr_unsized *addr, int len);
int hc_sock_connect(struct socket *sock, struct sockaddr_unsized *addr, int len, int flags);

/**
 * hc_sock_paths_find() - find node-disjoint paths without faults that the node knows
 * @hsk: the socket, at whose node the paths begin
 * @dst: another node, where the paths end
 * @want: number of paths
 * @paths: set to the paths; it is no error if there are fewer than @want
 *
 * Return: 0 or a negative errno.
 */
int hc_sock_paths_find(struct hc_sock *hsk, u32 dst, unsigned int want,
		       struct hc_copy_paths *paths);

/* setsockopt() of collective sockets. */
int hc_sock_setsockopt(struct socket *sock, int level, int name, sockptr_t value,
		       unsigned int len);
int hc_sock_getname(struct socket *sock, struct sockaddr *addr, int peer);

/**
 * hc_sock_unread() - check whether records of failures of a plan wait to be received
 * @hsk: the socket
 * @plan: id of the plan
 * @reported: set to the number of failures that the socket has got
 *
 * Return: true if such records wait, or if records were lost and no system call has returned sk_err
 *	for this yet.
 */
bool hc_sock_unread(struct hc_sock *hsk, u32 plan, u64 *reported);
int hc_sock_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
int hc_sock_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags);

/* The entries of struct proto_ops for all types of sockets; the parameters are the functions that
 * differ. .family is set at init, since a module parameter can choose its number.
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
