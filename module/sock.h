/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the two kinds of sockets share.
 */
#ifndef _HC_SOCK_H
#define _HC_SOCK_H

#include <net/sock.h>

#include "hypercube.h"

/**
 * struct hc_sock - a socket
 * @sk: must be first
 * @fabric: the fabric it is bound in, with a reference; set once by bind()
 * @node: the node it is bound to; written under fabric->lock, read under RCU
 * @node_id: its number
 * @send_lock: one contribution at a time; protects all up to @seg_fill
 * @op: the contribution being sent, valid if @open
 * @block: no segment crosses a multiple of so many bytes of it; 0: all of it is empty
 * @sent: bytes of it handed to the node
 * @rec: its record number
 * @open: a contribution is incomplete
 * @epoch: of the plan it began with
 * @elem: bytes of an element
 * @seg_size: payload bytes of a full segment
 * @seg: segment being filled, or NULL
 * @seg_len: payload bytes it takes
 * @seg_fill: payload bytes it has
 * @rec_base: records up to this one belong to sockets bound before
 * @failed_rec: the last record that failed while it was @rec; the poll writes
 * @starved: results wait for room; the poll sets it, recvmsg() clears it
 * @close_skb: tells the node that the socket was closed
 * @recv_lock: one receiver at a time
 */
struct hc_sock {
	struct sock sk;
	struct hc_fabric *fabric;
	struct hc_node __rcu *node;
	u32 node_id;
	struct mutex send_lock;
	struct hypercube_op op;
	u64 block;
	u64 sent;
	u32 rec;
	bool open;
	u32 epoch;
	u32 elem;
	u32 seg_size;
	struct sk_buff *seg;
	u32 seg_len;
	u32 seg_fill;
	u32 rec_base;
	u32 failed_rec;
	bool starved;
	struct sk_buff *close_skb;
	struct mutex recv_lock;
};

/* Is there room for another result? */
static inline bool hc_sock_recv_room(const struct sock *sk)
{
	return atomic_read(&sk->sk_rmem_alloc) < READ_ONCE(sk->sk_rcvbuf);
}

static inline struct hc_sock *hc_sk(const struct sock *sk)
{
	return (struct hc_sock *)sk;
}

extern const struct proto_ops hc_dgram_ops;

int hc_sock_release(struct socket *sock);
int hc_sock_bind(struct socket *sock, struct sockaddr *addr, int len);
int hc_sock_getname(struct socket *sock, struct sockaddr *addr, int peer);
int hc_sock_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
void hc_sock_unbind(struct hc_sock *hsk);

#endif /* _HC_SOCK_H */
