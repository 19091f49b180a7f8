// SPDX-License-Identifier: GPL-2.0
/*
 * The socket of a trunk: how the trunk takes it from user space and releases it.
 *
 * User space is expected to close its descriptor. The trunk begins to use the socket when two
 * conditions hold. First, the trunk holds the last reference to the file: then no process can
 * listen with the socket, put a protocol on top of it, read from it, or hold its lock while a user
 * page is faulted in; and no process can make another reference, except an epoll. Second, the file
 * is in no epoll: an epoll that watches it takes a reference for a moment, and could drop the last
 * reference after the trunk has ended and the namespace is gone. Until both hold the links have no
 * carrier. If a process holds its descriptor for longer than the keepalive, the trunk ends.
 *
 * A socket holds a reference to its network namespace, which is also the namespace of the trunk's
 * fabric. The fabric holds the socket, so socket and namespace would keep each other alive for
 * ever. As the trunk ends before the namespace does (trunks_end()), a TCP socket gives up its
 * reference. Sockets of other families keep it, because data that the peer has not read, or a
 * timer, may keep the socket alive after the trunk has ended. Such sockets belong to no network,
 * and a pair of them, both of one namespace, may join fabrics of two namespaces.
 */
#include <linux/file.h>
#include <linux/net.h>
#include <linux/tcp.h>
#include <linux/un.h>
#include <net/sock.h>
#include <net/tcp.h>
#include <net/tcp_states.h>

#include "compat.h"
#include "fabric/fabric.h"
#include "trunk/trunk.h"

/* Queue the receive work. The socket's original callback is called first, because TLS decrypts
 * received records in it.
 */
static void data_comes(struct hc_trunk *trunk, struct sock *sk)
{
	trunk->data_ready(sk);
	queue_delayed_work(hc_trunk_wq, &trunk->receive, 0);
}

static void room_comes(struct hc_trunk *trunk, struct sock *sk)
{
	trunk->write_space(sk);
	queue_work(hc_trunk_wq, &trunk->send);
}

/* Queue the receive work, which reads all data that was received before it detects that the
 * connection has ended.
 */
static void state_changes(struct hc_trunk *trunk, struct sock *sk)
{
	trunk->state_change(sk);
	queue_delayed_work(hc_trunk_wq, &trunk->receive, 0);
}

/* Do @call for the trunk of the socket, unless the trunk has already restored the callbacks. */
static void sock_called(struct sock *sk, void (*call)(struct hc_trunk *trunk, struct sock *sk))
{
	struct hc_trunk *trunk;

	read_lock_bh(&sk->sk_callback_lock);
	trunk = __locked_read_sk_user_data_with_flags(sk, 0);
	if (trunk)
		call(trunk, sk);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void sock_data_ready(struct sock *sk)
{
	sock_called(sk, data_comes);
}

static void sock_write_space(struct sock *sk)
{
	sock_called(sk, room_comes);
}

static void sock_state_change(struct sock *sk)
{
	sock_called(sk, state_changes);
}

/* Return: why the socket cannot carry a trunk, or NULL. */
static const char *sock_reason(const struct hc_trunk *trunk, const struct socket *sock)
{
	const struct sock *sk = sock->sk;
	bool inet = sk->sk_family == AF_INET || sk->sk_family == AF_INET6;

	if (sock->type != SOCK_STREAM)
		return "A trunk needs a socket of type SOCK_STREAM";
	if (inet ? sk->sk_protocol != IPPROTO_TCP :
		   sk->sk_family != AF_UNIX && sk->sk_family != AF_VSOCK)
		return "A trunk needs a socket of TCP, AF_UNIX or AF_VSOCK";
	if (READ_ONCE(sk->sk_state) != TCP_ESTABLISHED)
		return "The socket is not connected";
	if (inet && !net_eq(sock_net(sk), read_pnet(&trunk->fabric->net)))
		return "The socket is of another network namespace than the fabric";
	return NULL;
}

/* Return: the protocol on top of TCP, such as TLS, or NULL. */
static const struct tcp_ulp_ops *sock_ulp(const struct sock *sk)
{
	return sk->sk_protocol == IPPROTO_TCP ? inet_csk(sk)->icsk_ulp_ops : NULL;
}

/* Install the trunk's callbacks in the socket, and determine whether this end wants digests.
 * Return: false if another part of the kernel uses the socket.
 */
static bool sock_take(struct hc_trunk *trunk)
{
	struct sock *sk = trunk->sock->sk;
	bool taken;

	write_lock_bh(&sk->sk_callback_lock);
	taken = !sk->sk_user_data;
	if (taken) {
		const struct tcp_ulp_ops *ulp = sock_ulp(sk);

		trunk->takes_pages = sk->sk_protocol == IPPROTO_TCP && !ulp;
		/* Digests are not needed over TLS, which itself detects changes of the data. */
		if (ulp && !strcmp(ulp->name, "tls") &&
		    test_bit(HC_TRUNK_DIGEST_AUTO, &trunk->flags))
			clear_bit(HC_TRUNK_DIGEST, &trunk->flags);
		trunk->data_ready = sk->sk_data_ready;
		trunk->write_space = sk->sk_write_space;
		trunk->state_change = sk->sk_state_change;
		__rcu_assign_sk_user_data_with_flags(sk, trunk, SK_USER_DATA_NOCOPY);
		sk->sk_data_ready = sock_data_ready;
		sk->sk_write_space = sock_write_space;
		sk->sk_state_change = sock_state_change;
		set_bit(HC_TRUNK_BEGUN, &trunk->flags);
	}
	write_unlock_bh(&sk->sk_callback_lock);
	return taken;
}

int hc_trunk_sock_get(struct hc_trunk *trunk, int fd, struct netlink_ext_ack *extack)
{
	struct socket *sock;
	const char *reason;
	int err;

	sock = sockfd_lookup(fd, &err);
	if (!sock) {
		NL_SET_ERR_MSG(extack, "The descriptor is none of a socket");
		return err;
	}
	reason = sock_reason(trunk, sock);
	if (reason) {
		extack->_msg = reason;
		sockfd_put(sock);
		return -EINVAL;
	}
	trunk->sock = sock;
	return 0;
}

void hc_trunk_sock_quiet(struct hc_trunk *trunk)
{
	struct sock *sk = trunk->sock->sk;

	if (!test_bit(HC_TRUNK_BEGUN, &trunk->flags))
		return;
	write_lock_bh(&sk->sk_callback_lock);
	rcu_assign_sk_user_data(sk, NULL);
	sk->sk_data_ready = trunk->data_ready;
	sk->sk_write_space = trunk->write_space;
	sk->sk_state_change = trunk->state_change;
	write_unlock_bh(&sk->sk_callback_lock);
}

/* Let the socket give up its reference to its network namespace. */
static void sock_unaccount(struct sock *sk)
{
	lock_sock(sk);
	hc_sk_unaccounted_in(sk, sock_net(sk));
	release_sock(sk);
}

/* Return: true if no other reference to the file exists or can be made. */
static bool file_is_ours(const struct file *file)
{
#ifdef CONFIG_EPOLL
	if (READ_ONCE(file->f_ep))
		return false;
#endif
	/* An epoll that has just removed the file may hold its reference for a moment longer: so
	 * read the count after .f_ep.
	 */
	smp_rmb();
	return file_count(file) == 1;
}

int hc_trunk_sock_begin(struct hc_trunk *trunk)
{
	struct socket *sock = trunk->sock;
	int len;

	if (!file_is_ours(sock->file))
		return -EAGAIN;
	/* Until now a process has had the socket and may have changed its state: check it again. */
	if (sock_reason(trunk, sock))
		return -ENOTCONN;
	if (!sock_take(trunk))
		return -EBUSY;
	len = kernel_getpeername(sock, (struct sockaddr *)&trunk->whom);
	if (len > 0) {
		/* Pairs with put_peer(). */
		smp_store_release(&trunk->whom_len, len);
	}
	if (sock->sk->sk_protocol != IPPROTO_TCP)
		return 0;
	tcp_sock_set_nodelay(sock->sk);
	sock_unaccount(sock->sk);
	return 0;
}

/* Release the socket. A socket that the trunk has never begun to use is only released, because the
 * trunk has changed nothing about it. Any other socket may hold no reference to its namespace, and
 * must be freed before the namespace is: so it must not linger, and is closed synchronously.
 */
void hc_trunk_sock_put(struct hc_trunk *trunk)
{
	struct socket *sock = trunk->sock;

	if (!test_bit(HC_TRUNK_BEGUN, &trunk->flags)) {
		sockfd_put(sock);
		return;
	}
	sock_no_linger(sock->sk);
	__fput_sync(sock->file);
}
