/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the kernels that this module is built for. The sources are written for the
 * newest one; no code outside this header depends on a kernel version.
 */
#ifndef _HC_COMPAT_H
#define _HC_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/sched/signal.h>
#include <linux/version.h>
#include <net/genetlink.h>
#include <net/sock.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "hypercube needs Linux 6.1 or newer"
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#include <net/netdev_rx_queue.h>
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#include <linux/skbuff_ref.h>
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
#include <linux/crc32.h>
#else
#include <linux/crc32c.h>
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
/* Before 6.2 the hooks pre_doit() and post_doit() take a struct genl_ops. */
#define genl_split_ops genl_ops
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
/* Since 7.0 rtnl_lock_killable() is not exported to modules. */
static inline int hc_rtnl_lock_killable(void)
{
	while (!rtnl_trylock()) {
		schedule_timeout_killable(1);
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}
#else
#define hc_rtnl_lock_killable	rtnl_lock_killable
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
/* The address of a socket may be longer than struct sockaddr; since 6.19 its type says so. */
#define sockaddr_unsized sockaddr
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
static inline struct nlattr **hc_dump_attrs(struct netlink_callback *cb)
{
	return genl_dumpit_info(cb)->attrs;
}
#else
static inline struct nlattr **hc_dump_attrs(struct netlink_callback *cb)
{
	return genl_info_dump(cb)->attrs;
}
#endif

/* Kernels before 6.2 have no NL_SET_ERR_MSG_FMT: their extack holds only a pointer to a text, which
 * must exist until netlink has sent the ACK. On these kernels HC_SET_ERR_MSG_FMT writes the
 * formatted text into the struct hc_said of the request's handler, and hc_said_end() sends the ACK
 * while that struct still exists.
 */
#ifdef NL_SET_ERR_MSG_FMT
#define HC_SET_ERR_MSG_FMT	NL_SET_ERR_MSG_FMT

struct hc_said {
	struct netlink_ext_ack extack;
};

static inline void hc_said_begin(struct hc_said *said, struct genl_info *info)
{
}

static inline int hc_said_end(struct hc_said *said, struct sk_buff *skb, struct genl_info *info,
			      int err)
{
	return err;
}
#else
#define HC_SET_ERR_MSG_FMT(to, fmt, ...)					\
do {										\
	struct hc_said *hc_said = container_of(to, struct hc_said, extack);	\
										\
	snprintf(hc_said->text, sizeof(hc_said->text), fmt, ##__VA_ARGS__);	\
	hc_said->extack._msg = hc_said->text;					\
} while (0)

struct hc_said {
	struct netlink_ext_ack extack;
	struct netlink_ext_ack *outer;
	char text[128];
};

static inline void hc_said_begin(struct hc_said *said, struct genl_info *info)
{
	said->extack = *info->extack;
	said->outer = info->extack;
	info->extack = &said->extack;
}

/* Restore the request's extack. Return: @err; or, if the text of the error is in @said, -EINTR:
 * the ACK was sent here, and for -EINTR netlink sends none.
 */
static inline int hc_said_end(struct hc_said *said, struct sk_buff *skb, struct genl_info *info,
			      int err)
{
	info->extack = said->outer;
	if (said->extack._msg != said->text) {
		*said->outer = said->extack;
		return err;
	}
	netlink_ack(skb, info->nlhdr, err, &said->extack);
	return -EINTR;
}
#endif

/* Send pages over a stream socket without copying them. Return: the number of bytes that the
 * socket has taken, or -errno.
 */
static inline int hc_sock_give_pages(struct socket *sock, struct bio_vec *pages, int flags)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
	struct msghdr msg = { .msg_flags = flags | MSG_SPLICE_PAGES };

	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, pages, 1, pages->bv_len);
	return sock_sendmsg(sock, &msg);
#else
	return kernel_sendpage(sock, pages->bv_page, pages->bv_offset, pages->bv_len, flags);
#endif
}

/* Flags that this kernel does not define: with the value 0 they are never found set. */
#ifndef MSG_SENDPAGE_NOPOLICY
#define MSG_SENDPAGE_NOPOLICY 0
#endif
#ifndef MSG_SENDPAGE_NOTLAST
#define MSG_SENDPAGE_NOTLAST 0
#endif
#ifndef MSG_SENDPAGE_DECRYPTED
#define MSG_SENDPAGE_DECRYPTED 0
#endif
#ifndef MSG_NO_SHARED_FRAGS
#define MSG_NO_SHARED_FRAGS 0
#endif
#ifndef MSG_SPLICE_PAGES
#define MSG_SPLICE_PAGES 0
#endif

/* Flags that the kernel itself adds to a sendmsg(): the flag of sendmmsg(), flags that describe the
 * pages of a splice() or of a transport, and the flag of 32-bit callers. None of them matters here,
 * because the data is always copied.
 */
#define HC_MSG_INTERNAL (MSG_BATCH | MSG_SENDPAGE_NOPOLICY | MSG_SENDPAGE_DECRYPTED |	\
			 MSG_NO_SHARED_FRAGS | MSG_SPLICE_PAGES | MSG_CMSG_COMPAT)
/* Flags that mark the data of a call as only the beginning of a message. For sendfile() the kernel
 * itself sets one of them.
 */
#define HC_MSG_MORE (MSG_MORE | MSG_SENDPAGE_NOTLAST)

/* Move the socket to namespace @net, and drop the socket's active reference on its old namespace.
 * The socket takes no active reference on @net.
 */
static inline void hc_sk_unaccounted_in(struct sock *sk, struct net *net)
{
	struct net *old = sock_net(sk);

	if (!sk->sk_net_refcnt)
		return;
	sk->sk_net_refcnt = 0;
	sock_inuse_add(old, -1);
	sock_net_set(sk, net);
	/* Since 6.14, and in the stable series of 6.12, a socket without an active reference on its
	 * namespace holds a passive one.
	 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	net_passive_inc(net);
#endif
	put_net_track(old, &sk->ns_tracker);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	__netns_tracker_alloc(net, &sk->ns_tracker, false, GFP_KERNEL);
#endif
}

/* Move a closed socket out of its namespace. The socket exists as long as queued frames are charged
 * to it. If these queues belong to a fabric of that namespace, and the socket stayed there, socket
 * and namespace would keep each other alive for ever.
 */
static inline void hc_sk_leave_net(struct sock *sk)
{
	hc_sk_unaccounted_in(sk, &init_net);
}

/* Let the socket busy-poll for @usec microseconds, or for longer if the administrator has set a
 * longer time for all sockets (net.core.busy_read).
 */
static inline void hc_busy_poll_set(struct sock *sk, unsigned int usec)
{
#ifdef CONFIG_NET_RX_BUSY_POLL
	sk->sk_ll_usec = max(sk->sk_ll_usec, usec);
#endif
}

/* Return: true if GRO holds no packet of this NAPI back to merge it with later ones. */
static inline bool hc_napi_holds_nothing(const struct napi_struct *napi)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
	return !READ_ONCE(napi->gro_bitmask);
#else
	return !READ_ONCE(napi->gro.bitmask);
#endif
}

/* Prepare a timer of the monotonic clock, with absolute times, whose function runs in softirq
 * context.
 */
static inline void hc_timer_setup(struct hrtimer *timer,
				  enum hrtimer_restart (*function)(struct hrtimer *))
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	timer->function = function;
#else
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
#endif
}

/* Two properties of a net_device: its driver does its own transmit locking (lltx), and it stays in
 * the namespace in which it was created (netns_immutable). Before 6.12 they are feature flags;
 * since then they are bits of struct net_device. The name netns_immutable is of 6.15, and of the
 * stable series of 6.12.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
static inline void hc_dev_set_lltx(struct net_device *dev)
{
	dev->features |= NETIF_F_LLTX;
}

static inline void hc_dev_set_netns_local(struct net_device *dev)
{
	dev->features |= NETIF_F_NETNS_LOCAL;
}
#else
static inline void hc_dev_set_lltx(struct net_device *dev)
{
	dev->lltx = true;
}

static inline void hc_dev_set_netns_local(struct net_device *dev)
{
	dev->netns_immutable = true;
}
#endif

#endif /* _HC_COMPAT_H */
