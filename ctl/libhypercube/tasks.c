// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks: putting a task into the queue of a node, taking one from it, and reporting it done.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "handle.h"

/* The control message of a task, aligned. */
union control {
	struct cmsghdr align;
	char room[CMSG_SPACE(sizeof(struct hypercube_task))];
};

int hcl_task_open(struct hcl **h, const char *fabric, uint32_t node)
{
	return hcli_open_type(h, SOCK_RDM, fabric, node, 0);
}

/* Send a control message about a task, with data if the task is new. Return: the bytes sent, or
 * -errno.
 */
static ssize_t tell(struct hcl *h, int type, const struct hypercube_task *task, const void *buf,
		    size_t len)
{
	union control control = { 0 };
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	const uint64_t end = hcli_end(h);
	int err = hcli_is(h, SOCK_RDM), flags = MSG_NOSIGNAL;
	ssize_t n;

	if (err)
		return err;
	c->cmsg_level = SOL_HYPERCUBE;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(sizeof(*task));
	memcpy(CMSG_DATA(c), task, sizeof(*task));
	do {
		n = sendmsg(h->port.fd, &msg, flags);
		flags |= MSG_DONTWAIT;
	} while (n < 0 && hcli_again(h, POLLOUT, end));
	return n < 0 ? -errno : n;
}

static int put_failed(struct hcl *h, size_t len, unsigned int flags, int err)
{
	if (err == -EAGAIN)
		return hcli_refuse(h, NULL, -ETIMEDOUT, "there was no room for a task within %u ms",
				   h->timeout);
	if (err == -EMSGSIZE)
		return hcli_refuse(h, NULL, err, "%zu bytes are more than the %d of a task", len,
				   HYPERCUBE_TASK_MAX);
	if (err == -EINVAL)
		return hcli_refuse(h, NULL, err, "0x%x are no flags of a new task", flags);
	return hcli_failed(h, NULL, 0, err);
}

int hcl_task_put(struct hcl *h, const void *buf, size_t len, unsigned int flags,
		 struct hypercube_task *id)
{
	const struct hypercube_task task = { .flags = flags };
	socklen_t size = sizeof(*id);
	ssize_t n = tell(h, HYPERCUBE_CMSG_TASK, &task, buf, len);

	if (n < 0)
		return put_failed(h, len, flags, (int)n);
	if (id && getsockopt(h->port.fd, SOL_HYPERCUBE, HYPERCUBE_TASK, id, &size))
		return hcli_failed(h, NULL, 0, -errno);
	return 0;
}

static long take_failed(struct hcl *h, size_t max, int err)
{
	if (err == -EAGAIN)
		return hcli_refuse(h, NULL, -ETIMEDOUT, "no task came within %u ms", h->timeout);
	if (err == -EMSGSIZE)
		return hcli_refuse(h, NULL, err, "the next task has more than %zu bytes", max);
	if (err == -ENOBUFS)
		return hcli_refuse(h, NULL, err, "the worker holds %d tasks that are not done",
				   HYPERCUBE_TASKS_HELD_MAX);
	return hcli_failed(h, NULL, 0, err);
}

long hcl_task_take(struct hcl *h, void *buf, size_t max, struct hypercube_task *id)
{
	union control control;
	struct iovec iov = { .iov_base = buf, .iov_len = max };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	const uint64_t end = hcli_end(h);
	int err = hcli_is(h, SOCK_RDM), flags = 0;
	struct cmsghdr *c;
	ssize_t n;

	if (err)
		return err;
	do {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		n = recvmsg(h->port.fd, &msg, flags);
		flags |= MSG_DONTWAIT;
	} while (n < 0 && hcli_again(h, POLLIN, end));
	if (n < 0)
		return take_failed(h, max, -errno);
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_level != SOL_HYPERCUBE || c->cmsg_type != HYPERCUBE_CMSG_TASK ||
	    c->cmsg_len != CMSG_LEN(sizeof(*id)))
		return hcli_refuse(h, NULL, -EPROTO, "the kernel does not say which task it is");
	memcpy(id, CMSG_DATA(c), sizeof(*id));
	return n;
}

int hcl_task_done(struct hcl *h, const struct hypercube_task *id)
{
	ssize_t n = tell(h, HYPERCUBE_CMSG_DONE, id, NULL, 0);

	if (n == -ENOENT)
		return hcli_refuse(h, NULL, -ENOENT, "the worker does not hold task %u:%llu",
				   id->node, (unsigned long long)id->nr);
	return n < 0 ? hcli_failed(h, NULL, 0, (int)n) : 0;
}
