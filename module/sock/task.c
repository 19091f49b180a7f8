// SPDX-License-Identifier: GPL-2.0
/*
 * SOCK_RDM: tasks. sendmsg() puts a task into the queue of the node, recvmsg() takes a task from
 * the queue, and sendmsg() with HYPERCUBE_CMSG_DONE reports that a task is done. task/queue.c
 * implements the queue.
 */
#include <linux/net.h>
#include <net/sock.h>

#include "fabric/fabric.h"
#include "sock/sock.h"
#include "sock/socks.h"
#include "task/queue.h"

#define READERS	(EPOLLIN | EPOLLRDNORM)
#define WRITERS	(EPOLLOUT | EPOLLWRNORM)

/* ------------------------------------------------------------ control messages */

/**
 * struct said - the contents of the control messages of sendmsg()
 * @task: the task
 * @type: HYPERCUBE_CMSG_TASK, HYPERCUBE_CMSG_DONE, or 0 for no control message
 */
struct said {
	struct hypercube_task task;
	int type;
};

static int cmsg_parse(struct msghdr *msg, struct said *said)
{
	struct cmsghdr *cmsg;

	memset(said, 0, sizeof(*said));
	if (!msg->msg_controllen)
		return 0;
	for_each_cmsghdr(cmsg, msg) {
		if (!CMSG_OK(msg, cmsg))
			return -EINVAL;
		if (cmsg->cmsg_level != SOL_HYPERCUBE)
			continue;
		if ((cmsg->cmsg_type != HYPERCUBE_CMSG_TASK &&
		     cmsg->cmsg_type != HYPERCUBE_CMSG_DONE) || said->type ||
		    cmsg->cmsg_len != CMSG_LEN(sizeof(said->task)))
			return -EINVAL;
		memcpy(&said->task, CMSG_DATA(cmsg), sizeof(said->task));
		said->type = cmsg->cmsg_type;
	}
	return 0;
}

/* Return: true if the flags of a new task are valid. If a node fails, a worker may get the replica
 * of a task that another worker has executed, so REPLICATED requires IDEMPOTENT.
 */
static bool flags_fit(u32 flags)
{
	if (flags & ~(HYPERCUBE_TASK_IDEMPOTENT | HYPERCUBE_TASK_REPLICATED))
		return false;
	return !(flags & HYPERCUBE_TASK_REPLICATED) || flags & HYPERCUBE_TASK_IDEMPOTENT;
}

/* Check that the control message is valid for a message with @len bytes of data. */
static int said_check(const struct said *said, size_t len)
{
	if (said->type == HYPERCUBE_CMSG_DONE)
		return len ? -EINVAL : 0;
	if (said->task.node || said->task.nr || !flags_fit(said->task.flags))
		return -EINVAL;
	return len > HYPERCUBE_TASK_MAX ? -EMSGSIZE : 0;
}

/* ------------------------------------------------------------ waiting */

static int wake_reader(struct wait_queue_entry *wait, unsigned int mode, int sync, void *key)
{
	if (key && !(key_to_poll(key) & READERS))
		return 0;
	return autoremove_wake_function(wait, mode, sync, key);
}

static int wake_writer(struct wait_queue_entry *wait, unsigned int mode, int sync, void *key)
{
	if (key && !(key_to_poll(key) & WRITERS))
		return 0;
	return autoremove_wake_function(wait, mode, sync, key);
}

/* Evaluate the expression @try whenever the wait queue of @tasks is woken, until its value is not
 * -EAGAIN, but for *@timeo jiffies at most. @wake: the wake function. Value: that of @try, or a
 * negative errno.
 */
#define try_wait(tasks, wake, timeo, try)					\
({										\
	wait_queue_head_t *__wq = &(tasks)->wait;				\
	DEFINE_WAIT_FUNC(__wait, wake);						\
	int __err;								\
										\
	do {									\
		prepare_to_wait_exclusive(__wq, &__wait, TASK_INTERRUPTIBLE);	\
		__err = (try);							\
		if (__err != -EAGAIN)						\
			break;							\
		__err = hc_sock_sleep(timeo);					\
	} while (!__err);							\
	finish_wait(__wq, &__wait);						\
	__err;									\
})

/* Wait for a task and take it from the queue. Each new task wakes one process that waits. If this
 * process does not take the task, it wakes another one.
 */
static int take_wait(struct hc_sock *hsk, size_t max, long timeo, struct hypercube_task *id,
		     struct hc_task **task)
{
	struct hc_task_end *end = &hsk->task;
	int err = try_wait(end->tasks, wake_reader, &timeo, hc_tasks_take(end, max, id, task));

	if (err)
		hc_tasks_pass(end, READERS);
	return err == -ENODEV ? hc_sock_gone(hsk) ?: err : err;
}

/* Wait for room and put a task into the queue. There may be more room than this task needs, so wake
 * another process that waits for room.
 */
static int put_wait(struct hc_sock *hsk, struct hc_task *task, long timeo)
{
	struct hc_task_end *end = &hsk->task;
	int err = try_wait(end->tasks, wake_writer, &timeo, hc_tasks_put(end, task));

	hc_tasks_pass(end, WRITERS);
	return err == -ENODEV ? hc_sock_gone(hsk) ?: err : err;
}

/* ------------------------------------------------------------ calls */

/* Allocate the data of a task: up to SKB_MAX_ALLOC bytes contiguously, and the rest in single
 * pages.
 */
static struct sk_buff *payload(struct sock *sk, struct msghdr *msg, size_t len)
{
	size_t paged = len > SKB_MAX_ALLOC ? PAGE_ALIGN(len - SKB_MAX_ALLOC) : 0;
	struct sk_buff *skb;
	int err;

	paged = min(paged, len);
	skb = sock_alloc_send_pskb(sk, len - paged, paged, msg->msg_flags & MSG_DONTWAIT, &err,
				   PAGE_ALLOC_COSTLY_ORDER);
	if (!skb)
		return ERR_PTR(err);
	skb_put(skb, len - paged);
	skb->data_len = paged;
	skb->len = len;
	if (!skb_copy_datagram_from_iter(skb, 0, &msg->msg_iter, len))
		return skb;
	kfree_skb(skb);
	return ERR_PTR(-EFAULT);
}

static int task_put(struct hc_sock *hsk, struct msghdr *msg, size_t len, u32 flags)
{
	bool nonblock = msg->msg_flags & MSG_DONTWAIT;
	struct sock *sk = &hsk->sk;
	struct hc_task *task;
	struct sk_buff *skb;
	int err = hc_sock_gone(hsk);

	if (err)
		return err;
	skb = payload(sk, msg, len);
	if (IS_ERR(skb))
		return PTR_ERR(skb);
	task = hc_task_make(hsk->fabric, skb, flags);
	if (IS_ERR(task))
		return PTR_ERR(task);
	err = put_wait(hsk, task, sock_sndtimeo(sk, nonblock));
	if (err)
		hc_task_put(hsk->fabric, task);
	return err ?: len;
}

static int hc_task_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct hc_sock *hsk = hc_sk(sock->sk);
	struct said said;
	int err;

	if (msg->msg_flags & ~HC_SOCK_SEND_FLAGS)
		return -EOPNOTSUPP;
	if (!hc_sock_fabric(hsk))
		return -ENOTCONN;
	if (msg->msg_namelen)
		return -EISCONN;
	err = cmsg_parse(msg, &said) ?: said_check(&said, len);
	if (err)
		return err;
	if (said.type == HYPERCUBE_CMSG_DONE)
		return hc_sock_gone(hsk) ?: hc_tasks_done(&hsk->task, &said.task);
	return task_put(hsk, msg, len, said.task.flags);
}

/* Copy a task to the worker's @msg. Fail if @msg has no room for the control message with the
 * task's id, because without it the worker could not report that the task is done. Return: the
 * bytes of the task, or a negative errno.
 */
static int task_notify(struct msghdr *msg, const struct hypercube_task *id,
		       const struct hc_task *task)
{
	int err = put_cmsg(msg, SOL_HYPERCUBE, HYPERCUBE_CMSG_TASK, sizeof(*id), (void *)id);
	const struct sk_buff *skb;
	u32 len;

	if (err || msg->msg_flags & MSG_CTRUNC)
		return err ?: -EINVAL;
	for (skb = hc_task_says(task, &len); skb && !err; skb = skb->next)
		err = skb_copy_datagram_msg(skb, 0, msg, skb->len);
	return err ?: len;
}

static int hc_task_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags)
{
	struct sock *sk = sock->sk;
	struct hc_sock *hsk = hc_sk(sk);
	struct hypercube_task id;
	struct hc_task *task;
	int ret;

	if (flags & ~HC_SOCK_RECV_FLAGS)
		return -EOPNOTSUPP;
	if (!hc_sock_fabric(hsk))
		return -ENOTCONN;
	ret = take_wait(hsk, len, sock_rcvtimeo(sk, flags & MSG_DONTWAIT), &id, &task);
	if (ret)
		return ret;
	ret = task_notify(msg, &id, task);
	hc_tasks_taken(&hsk->task, task, ret < 0);
	hc_task_put(hsk->fabric, task);
	msg->msg_namelen = 0;
	return ret;
}

static int hc_task_getsockopt(struct socket *sock, int level, int name, char __user *value,
			      int __user *len)
{
	struct hc_sock *hsk = hc_sk(sock->sk);
	struct hypercube_task id;
	int size;

	if (level != SOL_HYPERCUBE || name != HYPERCUBE_TASK)
		return -ENOPROTOOPT;
	if (get_user(size, len))
		return -EFAULT;
	if (size != sizeof(id))
		return -EINVAL;
	if (!hc_sock_fabric(hsk))
		return -ENOTCONN;
	hc_task_last(&hsk->task, &id);
	/* id.nr is 0 if the socket has put no task into the queue. */
	if (!id.nr)
		return -ENOENT;
	return copy_to_user(value, &id, sizeof(id)) ? -EFAULT : 0;
}

/* poll() waits on the socket and, if the socket is bound, on the wait queue of the node's tasks. */
static __poll_t hc_task_poll(struct file *file, struct socket *sock, poll_table *wait)
{
	struct hc_sock *hsk = hc_sk(sock->sk);
	struct sock *sk = sock->sk;
	__poll_t mask;

	sock_poll_wait(file, sock, wait);
	if (!hc_sock_fabric(hsk))
		return EPOLLHUP;
	poll_wait(file, &hsk->task.tasks->wait, wait);
	if (READ_ONCE(sk->sk_err) || hc_sock_gone(hsk))
		return EPOLLERR | EPOLLHUP | READERS | WRITERS;
	mask = hc_tasks_poll(&hsk->task);
	if (!sock_writeable(sk)) {
		mask &= ~WRITERS;
		set_bit(SOCK_NOSPACE, &sock->flags);
		/* Pairs with sock_wfree(): either sock_wfree() reads that SOCK_NOSPACE is set, or
		 * this function finds the room that it has made.
		 */
		smp_mb__after_atomic();
		if (sock_writeable(sk))
			mask |= hc_tasks_poll(&hsk->task) & WRITERS;
	}
	return mask;
}

const struct proto_ops hc_task_ops = {
	HC_SOCK_OPS(sock_no_connect, hc_task_poll, hc_task_sendmsg, hc_task_recvmsg),
	.getsockopt	= hc_task_getsockopt,
};
