// SPDX-License-Identifier: GPL-2.0
/*
 * The sockets of a node: a bound socket for all plans; in some eras further sockets, each connected
 * to one plan; and a socket for messages.
 */
#include <errno.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soak.h"

/* Open a socket of this type. If @plan is 0, bind it for all plans; otherwise connect it to @plan.
 * Return: the socket, or -1 with errno set.
 */
static int port_open(struct member *m, int type, uint32_t plan)
{
	struct sockaddr_hypercube a = {
		.shc_family = (sa_family_t)m->w->family,
		.shc_node = m->node,
		.shc_plan = plan,
	};
	const struct sockaddr *to = (const struct sockaddr *)&a;
	int fd = socket(m->w->family, type | SOCK_CLOEXEC, 0), size, err;

	memcpy(a.shc_fabric, m->w->fabric, sizeof(a.shc_fabric));
	if (fd < 0 || (plan ? connect(fd, to, sizeof(a)) : bind(fd, to, sizeof(a)))) {
		err = errno;
		if (fd >= 0)
			close(fd);
		errno = err;
		return -1;
	}
	size = (int)m->w->sndbuf;
	if (size)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	size = (int)m->w->rcvbuf;
	if (size)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	return fd;
}

/* As port_open(), but try repeatedly, as the socket of a killed process may exist for some time. */
static int port_open_soon(struct member *m, int type, uint32_t plan)
{
	uint64_t end = now_ms() + 5000 * m->w->wait_secs;
	int fd;

	for (;;) {
		fd = port_open(m, type, plan);
		if (fd >= 0 || now_ms() >= end)
			return fd;
		usleep(2000);
	}
}

void ports_none(struct member *m)
{
	int i;

	for (i = 0; i <= PLANS; i++)
		m->port[i] = (struct port){ .fd = -1 };
	m->messages = -1;
	m->bound = false;
}

void ports_close(struct member *m)
{
	int i;

	for (i = 0; i <= PLANS; i++)
		if (m->port[i].fd >= 0)
			close(m->port[i].fd);
	if (m->messages >= 0)
		close(m->messages);
	ports_none(m);
}

static bool ports_try(struct member *m)
{
	uint32_t percent = chance(&m->dice, 50) ? 0 : below(&m->dice, 101);
	int i;

	m->port[PLANS] = (struct port){ .fd = port_open_soon(m, SOCK_SEQPACKET, 0) };
	if (m->port[PLANS].fd < 0)
		return false;
	for (i = 0; i < PLANS; i++) {
		if (!chance(&m->dice, percent))
			continue;
		m->port[i] = (struct port){
			.fd = port_open_soon(m, SOCK_SEQPACKET, plan_ids[i]),
		};
		if (m->port[i].fd < 0)
			return false;
	}
	m->messages = port_open(m, SOCK_DGRAM, 0);
	return true;
}

bool ports_open(struct member *m)
{
	int err;

	if (m->bound)
		return true;
	m->bound = ports_try(m);
	err = errno;
	if (!m->bound)
		ports_close(m);
	errno = err;
	return m->bound;
}

/* Return: the socket for a plan: the one that is connected to it, or else the one for all plans. */
int port_of(const struct member *m, int plan)
{
	return m->port[plan].fd >= 0 ? m->port[plan].fd : m->port[PLANS].fd;
}

/* Return: number of records that the sockets have lost since the last call of this function. */
uint32_t ports_lost(struct member *m)
{
	uint32_t info[SK_MEMINFO_VARS], sum = 0;
	socklen_t size;
	int i;

	for (i = 0; i <= PLANS; i++) {
		size = sizeof(info);
		if (m->port[i].fd < 0 ||
		    getsockopt(m->port[i].fd, SOL_SOCKET, SO_MEMINFO, info, &size))
			continue;
		sum += info[SK_MEMINFO_DROPS] - m->port[i].lost;
		m->port[i].lost = info[SK_MEMINFO_DROPS];
	}
	return sum;
}
