/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the kernels that this module is built for.  The sources
 * are written for the newest one; nothing outside this header asks for a version.
 */
#ifndef _HC_COMPAT_H
#define _HC_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/netdevice.h>
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

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
/* Before operations were split, the hooks around them got the whole one. */
#define genl_split_ops genl_ops
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

/* Before 6.2 an extack held no text, only a pointer to one that must outlive the
 * answer.  Then the text is in one of a few buffers until as many later refusals
 * from the same place: time enough for the answer, and no harm done if it is not.
 */
#ifdef NL_SET_ERR_MSG_FMT
#define HC_SET_ERR_MSG_FMT	NL_SET_ERR_MSG_FMT
#else
#define HC_SET_ERR_MSG_FMT(extack, fmt, ...)					\
do {										\
	static char hc_text[16][NETLINK_MAX_COOKIE_LEN * 5];			\
	static atomic_t hc_turn;						\
	char *hc_buf = hc_text[atomic_inc_return(&hc_turn) & 15];		\
										\
	snprintf(hc_buf, sizeof(hc_text[0]), fmt, ##__VA_ARGS__);		\
	(extack)->_msg = hc_buf;						\
} while (0)
#endif

/* Unless the administrator allows all sockets more. */
static inline void hc_busy_poll_set(struct sock *sk, unsigned int usec)
{
#ifdef CONFIG_NET_RX_BUSY_POLL
	sk->sk_ll_usec = max(sk->sk_ll_usec, usec);
#endif
}

/* Has GRO nothing that waits for more? */
static inline bool hc_napi_holds_nothing(const struct napi_struct *napi)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
	return !READ_ONCE(napi->gro_bitmask);
#else
	return !READ_ONCE(napi->gro.bitmask);
#endif
}

/* A timer of the monotonic clock, absolute, whose function runs in softirq context. */
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

static inline void hc_dev_set_lltx(struct net_device *dev)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
	dev->features |= NETIF_F_LLTX;
#else
	dev->lltx = true;
#endif
}

#endif /* _HC_COMPAT_H */
