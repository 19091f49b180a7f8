// SPDX-License-Identifier: GPL-2.0
/* Handles, and messages from node to node. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
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

static int open_bound(struct hcl *h, int type, const char *fabric, uint32_t node)
{
	/* Calls want whole results: there is no use in waking up for each piece. */
	const int lowat = INT_MAX;
	int err;

	h->addr.shc_family = hcl_family();
	h->addr.shc_node = node;
	memcpy(h->addr.shc_fabric, fabric, strlen(fabric));
	h->fd = socket(h->addr.shc_family, type | SOCK_CLOEXEC, 0);
	if (h->fd < 0)
		return -errno;
	setsockopt(h->fd, SOL_SOCKET, SO_RCVLOWAT, &lowat, sizeof(lowat));
	if (!bind(h->fd, (const struct sockaddr *)&h->addr, sizeof(h->addr)))
		return 0;
	err = -errno;
	close(h->fd);
	return err;
}

static int open_type(struct hcl **out, int type, const char *fabric, uint32_t node)
{
	struct hcl *h;
	int err;

	if (strlen(fabric) >= sizeof(h->addr.shc_fabric))
		return -ENAMETOOLONG;
	h = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->tail = &h->head;
	h->next_id = 1;
	err = open_bound(h, type, fabric, node);
	if (err)
		free(h);
	else
		*out = h;
	return err;
}

int hcl_open(struct hcl **h, const char *fabric, uint32_t node)
{
	return open_type(h, SOCK_SEQPACKET, fabric, node);
}

int hcl_open_dgram(struct hcl **h, const char *fabric, uint32_t node)
{
	return open_type(h, SOCK_DGRAM, fabric, node);
}

static void ops_free(struct hcl_op *op)
{
	while (op) {
		struct hcl_op *next = op->next;

		free(op);
		op = next;
	}
}

void hcl_close(struct hcl *h)
{
	if (!h)
		return;
	close(h->fd);
	hcli_early_free(h);
	ops_free(h->head);
	ops_free(h->free);
	free(h);
}

int hcl_fd(const struct hcl *h)
{
	return h->fd;
}

int hcl_set_timeout(struct hcl *h, unsigned int ms)
{
	struct timeval tv = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };

	if (ms > INT_MAX)
		return -EINVAL;
	if (setsockopt(h->fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)) ||
	    setsockopt(h->fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)))
		return -errno;
	h->timeout = ms;
	return 0;
}

int hcl_send(struct hcl *h, uint32_t to, const void *buf, size_t len)
{
	struct sockaddr_hypercube addr = h->addr;
	ssize_t n;

	addr.shc_node = to;
	do {
		n = sendto(h->fd, buf, len, 0, (const struct sockaddr *)&addr, sizeof(addr));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	return 0;
}

long hcl_recv(struct hcl *h, uint32_t *from, void *buf, size_t max)
{
	struct sockaddr_hypercube addr = { 0 };
	socklen_t size = sizeof(addr);
	ssize_t n;

	do {
		n = recvfrom(h->fd, buf, max, MSG_TRUNC, (struct sockaddr *)&addr, &size);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	if (from)
		*from = addr.shc_node;
	return n;
}
