// SPDX-License-Identifier: GPL-2.0
/*
 * Options of datagram sockets: the number of copies in which they send, and the votes with which
 * they accept datagrams.
 */
#include <linux/net.h>
#include <net/sock.h>

#include "fabric/fabric.h"
#include "hc_topo.h"
#include "route/copy.h"
#include "sock/collect.h"
#include "sock/sock.h"

/**
 * struct option - an integer socket option
 * @at: where its value is stored
 * @min: least value
 * @max: greatest value
 */
struct option {
	u32 *at;
	int min;
	int max;
};

/* Set *@o to option @name of the socket. Return: 0 or -ENOPROTOOPT. */
static int option_find(struct hc_sock *hsk, int level, int name, struct option *o)
{
	struct hc_collect_set *set = hc_collect_set(hsk);

	if (level != SOL_HYPERCUBE)
		return -ENOPROTOOPT;
	switch (name) {
	case HYPERCUBE_COPIES:
		*o = (struct option){ &hsk->copies, 1, HC_COPIES_MAX };
		return 0;
	case HYPERCUBE_COPIES_LEAST:
		*o = (struct option){ &set->least, 1, HC_COPIES_MAX };
		return 0;
	case HYPERCUBE_COPIES_WAIT:
		*o = (struct option){ &set->wait, 1, HYPERCUBE_COPIES_WAIT_MAX };
		return 0;
	case HYPERCUBE_DELIVER:
		*o = (struct option){ &set->deliver, 0, HYPERCUBE_DELIVER_REPORT };
		return 0;
	}
	return -ENOPROTOOPT;
}

int hc_dgram_setsockopt(struct socket *sock, int level, int name, sockptr_t value,
			unsigned int len)
{
	struct hc_sock *hsk = hc_sk(sock->sk);
	struct option o;
	int err = option_find(hsk, level, name, &o);
	int v;

	if (err)
		return err;
	if (len < sizeof(v))
		return -EINVAL;
	if (copy_from_sockptr(&v, value, sizeof(v)))
		return -EFAULT;
	if (v < o.min || v > o.max)
		return -EINVAL;
	if (name == HYPERCUBE_COPIES_LEAST)
		hc_collect_least(hsk, v);
	else if (name == HYPERCUBE_COPIES_WAIT)
		hc_collect_wait(hsk, v);
	else
		WRITE_ONCE(*o.at, v);
	return 0;
}

static int paths_get(struct hc_sock *hsk, char __user *value, int len)
{
	struct hc_fabric *fabric = hc_sock_fabric(hsk);
	struct hc_copy_paths *paths;
	struct hypercube_paths p;
	int err;

	if (len != sizeof(p))
		return -EINVAL;
	if (copy_from_user(&p, value, sizeof(p)))
		return -EFAULT;
	if (!fabric)
		return -ENOTCONN;
	if (p.node >= fabric->topo.nodes)
		return -EADDRNOTAVAIL;
	if (p.node == hsk->node_id)
		return -EINVAL;
	paths = kmalloc(sizeof(*paths), GFP_KERNEL_ACCOUNT);
	if (!paths)
		return -ENOMEM;
	err = hc_sock_paths_find(hsk, p.node, HC_COPIES_MAX, paths);
	if (!err)
		p.paths = paths->n;
	kfree(paths);
	if (!err && copy_to_user(value, &p, sizeof(p)))
		err = -EFAULT;
	return err;
}

int hc_dgram_getsockopt(struct socket *sock, int level, int name, char __user *value,
			int __user *len)
{
	struct hc_sock *hsk = hc_sk(sock->sk);
	struct option o;
	int size, v, err;

	if (get_user(size, len))
		return -EFAULT;
	if (size < 0)
		return -EINVAL;
	if (level == SOL_HYPERCUBE && name == HYPERCUBE_PATHS)
		return paths_get(hsk, value, size);
	err = option_find(hsk, level, name, &o);
	if (err)
		return err;
	v = READ_ONCE(*o.at);
	size = min_t(unsigned int, size, sizeof(v));
	return put_user(size, len) || copy_to_user(value, &v, size) ? -EFAULT : 0;
}
