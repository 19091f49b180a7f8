// SPDX-License-Identifier: GPL-2.0
/*
 * Handles, and messages from node to node.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "handle.h"

int hcl_family(void)
{
	FILE *f = fopen("/sys/module/hypercube/parameters/family", "re");
	int family = HYPERCUBE_AF_DEFAULT;

	if (!f)
		return family;
	if (fscanf(f, "%d", &family) != 1 || family <= 0)
		family = HYPERCUBE_AF_DEFAULT;
	fclose(f);
	return family;
}

static int open_bound(struct hcl *h, int type, const char *fabric, uint32_t node,
		      uint32_t plan)
{
	/* The library's calls need whole results, so the kernel need not wake up the process for
	 * each piece.
	 */
	const int lowat = INT_MAX;
	int err, fd;

	h->addr.shc_family = hcl_family();
	h->addr.shc_node = node;
	h->addr.shc_plan = plan;
	memcpy(h->addr.shc_fabric, fabric, strlen(fabric));
	fd = socket(h->addr.shc_family, type | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &lowat, sizeof(lowat));
	err = plan ? connect(fd, (const struct sockaddr *)&h->addr, sizeof(h->addr)) :
		     bind(fd, (const struct sockaddr *)&h->addr, sizeof(h->addr));
	h->addr.shc_plan = 0;
	h->port.fd = fd;
	h->port.plan = plan;
	if (!err)
		return 0;
	err = -errno;
	close(fd);
	return err;
}

int hcli_open_type(struct hcl **out, int type, const char *fabric, uint32_t node, uint32_t plan)
{
	struct hcl *h;
	int err;

	if (strlen(fabric) >= sizeof(h->addr.shc_fabric))
		return hcli_open_failed(-ENAMETOOLONG, fabric, node, plan);
	h = calloc(1, sizeof(*h));
	if (!h)
		return hcli_open_failed(-ENOMEM, fabric, node, plan);
	h->tail = &h->head;
	h->next_id = 1;
	h->nports = 1;
	h->epoll = -1;
	h->type = type;
	h->tied = plan || type != SOCK_SEQPACKET;
	err = open_bound(h, type, fabric, node, plan);
	if (err) {
		free(h);
		return hcli_open_failed(err, fabric, node, plan);
	}
	*out = h;
	return 0;
}

int hcl_open(struct hcl **h, const char *fabric, uint32_t node)
{
	return hcli_open_type(h, SOCK_SEQPACKET, fabric, node, 0);
}

int hcl_open_plan(struct hcl **h, const char *fabric, uint32_t node, uint32_t plan)
{
	if (!plan)
		return hcli_open_failed(-EINVAL, fabric, node, plan);
	return hcli_open_type(h, SOCK_SEQPACKET, fabric, node, plan);
}

int hcl_open_plans(struct hcl **h, const char *fabric, uint32_t node, uint32_t plan)
{
	int err = hcl_open_plan(h, fabric, node, plan);

	if (err)
		return err;
	(*h)->tied = false;
	(*h)->first = plan;
	return 0;
}

int hcl_close_plan(struct hcl *h, uint32_t plan)
{
	struct hcl_port **p = &h->port.next;
	int err = hcli_is(h, SOCK_SEQPACKET);

	while (!err && *p && (*p)->plan != plan)
		p = &(*p)->next;
	if (err || !*p)
		return err;
	if ((*p)->posted)
		return hcli_refuse(h, NULL, -EBUSY, "operations of plan %u are not over", plan);
	hcli_port_close(h, p);
	return 0;
}

int hcl_open_dgram(struct hcl **h, const char *fabric, uint32_t node)
{
	return hcli_open_type(h, SOCK_DGRAM, fabric, node, 0);
}

static void ops_free(struct hcl_op *op)
{
	while (op) {
		struct hcl_op *next = op->next;

		free(op->lacks.set);
		free(op);
		op = next;
	}
}

void hcl_close(struct hcl *h)
{
	if (!h)
		return;
	hcli_ports_close(h);
	hcli_early_free(h);
	free(h->lacks.set);
	free(h->except);
	ops_free(h->head);
	ops_free(h->free);
	free(h);
}

static const char *kind_of(int type)
{
	return type == SOCK_DGRAM ? "messages" : type == SOCK_RDM ? "tasks" : "collectives";
}

int hcli_is(struct hcl *h, int type)
{
	if (h->type == type)
		return 0;
	return hcli_refuse(h, NULL, -EINVAL, "the handle is for %s, not for %s", kind_of(h->type),
			   kind_of(type));
}

int hcl_set_timeout(struct hcl *h, unsigned int ms)
{
	int err;

	if (ms > INT_MAX)
		return hcli_refuse(h, NULL, -EINVAL, "a time limit of %u ms is more than %d", ms,
				   INT_MAX);
	h->timeout = ms;
	err = hcli_many(h) ? 0 : hcli_timeout_set(h, &h->port);
	return err ? hcli_failed(h, NULL, 0, err) : 0;
}

static int buffers_set(const struct hcl_port *port, int send, int receive)
{
	if ((send && setsockopt(port->fd, SOL_SOCKET, SO_SNDBUF, &send, sizeof(send))) ||
	    (receive && setsockopt(port->fd, SOL_SOCKET, SO_RCVBUF, &receive, sizeof(receive))))
		return -errno;
	return 0;
}

int hcl_set_buffers(struct hcl *h, int send, int receive)
{
	struct hcl_port *port;
	int err = 0;

	if (send < 0 || receive < 0)
		return hcli_refuse(h, NULL, -EINVAL, "a buffer of %d bytes is not possible",
				   send < 0 ? send : receive);
	for (port = &h->port; port && !err; port = port->next)
		err = buffers_set(port, send, receive);
	return err ? hcli_failed(h, NULL, 0, err) : 0;
}

static int send_failed(struct hcl *h, uint32_t to, size_t len, int err)
{
	if (err == -EAGAIN)
		return hcli_refuse(h, NULL, -ETIMEDOUT, "there was no room to send within %u ms",
				   h->timeout);
	if (err == -EADDRNOTAVAIL)
		return hcli_refuse(h, NULL, err, "fabric %.*s has no node %u",
				   (int)sizeof(h->addr.shc_fabric), h->addr.shc_fabric, to);
	if (err == -EMSGSIZE)
		return hcli_refuse(h, NULL, err, "%zu bytes are more than the fabric's segment",
				   len);
	if (err == -EHOSTUNREACH)
		return hcli_refuse(h, NULL, err, "only %d paths to node %u share no node",
				   hcl_paths(h, to), to);
	return hcli_failed(h, NULL, 0, err);
}

int hcl_send(struct hcl *h, uint32_t to, const void *buf, size_t len)
{
	struct sockaddr_hypercube addr = h->addr;
	const uint64_t end = hcli_end(h);
	int err = hcli_is(h, SOCK_DGRAM), flags = MSG_NOSIGNAL;
	ssize_t n;

	if (err)
		return err;
	addr.shc_node = to;
	do {
		n = sendto(h->port.fd, buf, len, flags, (const struct sockaddr *)&addr,
			   sizeof(addr));
		flags |= MSG_DONTWAIT;
	} while (n < 0 && hcli_again(h, POLLOUT, end));
	return n < 0 ? send_failed(h, to, len, -errno) : 0;
}

long hcl_recv(struct hcl *h, uint32_t *from, void *buf, size_t max)
{
	return hcl_recv_vote(h, from, buf, max, NULL);
}
