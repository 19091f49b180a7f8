// SPDX-License-Identifier: GPL-2.0
/* Calls on sockets of tasks, and requests about tasks; see task_calls.h. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/sock_diag.h>

#include "cube.h"
#include "task_calls.h"

union control {
	struct cmsghdr align;
	char room[CMSG_SPACE(64)];
};

int task_bound(const struct cube *c, unsigned int node)
{
	return shc_bound(c->name, node, SOCK_RDM);
}

int task_received(struct cube *c, unsigned int dim, unsigned int node, struct nl *nl)
{
	int err = cube_new(c, dim, 0) ?: nl_open_events(nl);

	return err ?: task_bound(c, node);
}

int task_pair(struct cube *c, unsigned int dim, unsigned int node, int bytes, int *producer,
	      int *worker)
{
	int err = cube_new(c, dim, 0);

	if (err)
		return err;
	*producer = task_bound(c, node);
	*worker = task_bound(c, node);
	if (bytes)
		task_buffer(*producer, bytes);
	return *producer < 0 || *worker < 0 ? -EIO : 0;
}

void task_buffer(int fd, int bytes)
{
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
}

unsigned int task_charged(int fd)
{
	uint32_t info[SK_MEMINFO_VARS];
	socklen_t len = sizeof(info);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len))
		return ~0u;
	return info[SK_MEMINFO_WMEM_ALLOC];
}

int task_blocking(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

void task_fill(char *buf, size_t len, unsigned int seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		buf[i] = (char)(i * 7 + i / 251 + seed);
}

ssize_t task_say(int fd, int type, const void *what, size_t size, const void *buf, size_t len,
		 int flags)
{
	union control control = { 0 };
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
		.msg_controllen = CMSG_SPACE(size),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	ssize_t n;

	c->cmsg_level = SOL_HYPERCUBE;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(c), what, size);
	n = sendmsg(fd, &msg, flags);
	return n < 0 ? -errno : n;
}

int task_put(int fd, const void *buf, size_t len, unsigned int flags)
{
	const struct hypercube_task task = { .flags = flags };
	ssize_t n = task_say(fd, HYPERCUBE_CMSG_TASK, &task, sizeof(task), buf, len, 0);

	return n < 0 ? (int)n : n == (ssize_t)len ? 0 : -EBADMSG;
}

int task_done(int fd, const struct hypercube_task *id)
{
	return (int)task_say(fd, HYPERCUBE_CMSG_DONE, id, sizeof(*id), NULL, 0, 0);
}

ssize_t task_take(int fd, void *buf, size_t max, struct hypercube_task *id, int flags)
{
	union control control;
	struct iovec iov = { .iov_base = buf, .iov_len = max };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(fd, &msg, flags);
	struct cmsghdr *c = n < 0 ? NULL : CMSG_FIRSTHDR(&msg);

	if (n < 0)
		return -errno;
	if (!c || c->cmsg_level != SOL_HYPERCUBE || c->cmsg_type != HYPERCUBE_CMSG_TASK ||
	    c->cmsg_len != CMSG_LEN(sizeof(*id)) || CMSG_NXTHDR(&msg, c))
		return -EBADMSG;
	memcpy(id, CMSG_DATA(c), sizeof(*id));
	return n;
}

int task_last(int fd, struct hypercube_task *id)
{
	socklen_t size = sizeof(*id);

	return getsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_TASK, id, &size) ? -errno : 0;
}

short task_events(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };

	return poll(&p, 1, 0) < 0 ? -1 : p.revents;
}

static_assert(offsetof(struct task_view, lost) == 8 * HYPERCUBE_A_TASKS_LOST);
static_assert(offsetof(struct task_view, recovered) == 8 * HYPERCUBE_A_TASKS_RECOVERED);

static void view_take(void *arg, const struct nl_attrs *a)
{
	const struct nlattr *nest = nl_find(a, HYPERCUBE_A_NODE_TASKS, 0);
	struct task_view *v = arg;

	if (nest)
		nl_numbers(nest, v->all, TASK_NUMBERS, ~0ull);
}

int task_view(const char *name, unsigned int node, struct task_view *v)
{
	memset(v, 0, sizeof(*v));
	return ctl_node_ask(name, node, view_take, v);
}

int task_move(const char *name, unsigned int node, unsigned int dim, uint64_t count)
{
	nl_begin(ctl(), HYPERCUBE_CMD_TASK_MOVE, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_TASK_FABRIC, name);
	nl_u32(ctl(), HYPERCUBE_A_TASK_NODE, node);
	nl_u32(ctl(), HYPERCUBE_A_TASK_DIM, dim);
	nl_u64(ctl(), HYPERCUBE_A_TASK_COUNT, count);
	return nl_talk(ctl(), NULL, NULL);
}

static void loss_take(void *arg, const struct nl_attrs *a)
{
	struct task_losses *l = arg;
	const struct nlattr *id;
	unsigned int i;

	if (a->cmd != HYPERCUBE_CMD_TASK_NTF)
		return;
	l->events++;
	l->count += nl_get_u64(a, HYPERCUBE_A_TASK_COUNT, 1u << 30);
	for (i = 0; (id = nl_find(a, HYPERCUBE_A_TASK_ID, i)) && l->n < LOST_MAX; i++) {
		l->loss[l->n] = nl_get_u32(a, HYPERCUBE_A_TASK_LOSS, 0);
		l->node[l->n] = nl_get_u32(a, HYPERCUBE_A_TASK_NODE, ~0u);
		memcpy(&l->id[l->n++], nl_data(id), sizeof(*l->id));
	}
}

int task_losses_receive(struct nl *nl, struct task_losses *l, int ms)
{
	return nl_listen(nl, ms, loss_take, l);
}

int task_losses(struct nl *nl, struct task_losses *l, uint64_t count)
{
	int err = 0;

	while (l->count < count && !err)
		err = task_losses_receive(nl, l, wait_secs(10) * 1000);
	return err;
}
