// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets in system calls that pass flags internal to the kernel: sendmmsg(), recvmmsg(),
 * sendfile(), io_uring, and system calls of 32-bit programs.
 *
 * Scheduling: shared
 */
#include <linux/io_uring.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>

#include "cube.h"
#include "ktap.h"
#include "task_calls.h"

#define PLAN 1
#define N 3
#define LONG 20000

union control {
	struct cmsghdr align;
	char room[CMSG_SPACE(sizeof(struct hypercube_result))];
};

/**
 * struct messages - arguments of one call of sendmmsg() or recvmmsg()
 * @m: the messages
 * @iov: data vector of each message
 * @data: data of each message
 * @control: control message of each message
 * @addr: address of each message
 */
struct messages {
	struct mmsghdr m[N];
	struct iovec iov[N];
	uint64_t data[N];
	union control control[N];
	struct sockaddr_hypercube addr[N];
};

static void messages_init(struct messages *v)
{
	unsigned int i;

	memset(v, 0, sizeof(*v));
	for (i = 0; i < N; i++) {
		v->data[i] = 10 + i;
		v->iov[i] = (struct iovec){ &v->data[i], sizeof(v->data[i]) };
		v->m[i].msg_hdr.msg_iov = &v->iov[i];
		v->m[i].msg_hdr.msg_iovlen = 1;
	}
}

static void control_set(struct messages *v, unsigned int i, const void *what, size_t size)
{
	union control *c = &v->control[i];

	c->align.cmsg_level = SOL_HYPERCUBE;
	c->align.cmsg_type = HYPERCUBE_CMSG_OP;
	c->align.cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(&c->align), what, size);
	v->m[i].msg_hdr.msg_control = c;
	v->m[i].msg_hdr.msg_controllen = CMSG_SPACE(size);
}

/* Receive N messages by recvmmsg(), with as many calls as that takes. Return: true if their data
 * are those of messages_init(), multiplied by @times.
 */
static bool come(int fd, uint64_t times)
{
	struct messages v;
	unsigned int got, i;
	int n;

	for (got = 0; got < N; got += n) {
		messages_init(&v);
		for (i = 0; i < N; i++) {
			v.m[i].msg_hdr.msg_control = &v.control[i];
			v.m[i].msg_hdr.msg_controllen = sizeof(v.control[i]);
		}
		if (!readable(fd, 5))
			return false;
		n = recvmmsg(fd, v.m, N - got, MSG_WAITFORONE | MSG_CMSG_CLOEXEC, NULL);
		if (n < 1)
			return false;
		for (i = 0; i < (unsigned int)n; i++)
			if (v.m[i].msg_len != 8 || v.data[i] != times * (10 + got + i))
				return false;
	}
	return true;
}

static struct hypercube_op sum(size_t bytes)
{
	return (struct hypercube_op){
		.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = bytes,
	};
}

/* Make a cube of two nodes, with a plan whose root is node 0. */
static int start(struct cube *c)
{
	return cube_bound(c, 1, 0) ?: cube_plan_to(c, PLAN, 0);
}

TEST(sendmmsg_and_recvmmsg_carry_several_contributions)
{
	const struct hypercube_op op = sum(8);
	struct messages v;
	unsigned int i, u;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	messages_init(&v);
	for (i = 0; i < N; i++)
		control_set(&v, i, &op, sizeof(op));
	for (u = 0; u < 2; u++)
		EXPECT_EQ(N, sendmmsg(c.fd[u], v.m, N, MSG_NOSIGNAL));
	EXPECT_TRUE(come(c.fd[0], 2));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(sendmmsg_and_recvmmsg_carry_several_datagrams)
{
	struct messages v;
	unsigned int i;
	struct cube c;

	ASSERT_EQ(0, cube_dgrams(&c, 1));
	messages_init(&v);
	for (i = 0; i < N; i++) {
		v.addr[i] = shc_addr(c.name, 1);
		v.m[i].msg_hdr.msg_name = &v.addr[i];
		v.m[i].msg_hdr.msg_namelen = sizeof(v.addr[i]);
		/* MSG_EOR is the only flag that sendmmsg() uses of @msg_flags of a message. */
		v.m[i].msg_hdr.msg_flags = MSG_EOR;
	}
	EXPECT_EQ(N, sendmmsg(c.fd[0], v.m, N, 0));
	EXPECT_TRUE(come(c.fd[1], 1));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(sendmmsg_and_recvmmsg_carry_several_tasks)
{
	struct messages v;
	struct cube c;
	int p, w;

	ASSERT_EQ(0, task_pair(&c, 1, 0, 0, &p, &w));
	messages_init(&v);
	EXPECT_EQ(N, sendmmsg(p, v.m, N, 0));
	EXPECT_TRUE(come(w, 1));
	EXPECT_EQ(0, cube_del(&c));
}

/* Make a file with @bytes of @data. Return: its descriptor, or -1. */
static int file_of(const void *data, size_t bytes)
{
	int fd = memfd_create("data", 0);

	return fd < 0 || pwrite(fd, data, bytes, 0) != (ssize_t)bytes ? -1 : fd;
}

TEST(sendfile_sends_file_as_contribution)
{
	static uint64_t in[LONG / 8], out[LONG / 8];
	const struct hypercube_op op = sum(LONG);
	struct hypercube_result res;
	unsigned int i, wrong = 0;
	ssize_t n = 0, got;
	struct cube c;
	int file;

	for (i = 0; i < LONG / 8; i++)
		in[i] = i * i + 1;
	ASSERT_EQ(0, start(&c));
	file = file_of(in, LONG);
	ASSERT_LE(0, file);
	EXPECT_EQ(0, shc_send(c.fd[1], &op, NULL, 0, 0));
	for (got = 0; n >= 0 && got < LONG; got += n)
		n = sendfile(c.fd[1], file, NULL, LONG - got);
	EXPECT_EQ(LONG, got);
	/* A call with MSG_MORE is accepted. */
	EXPECT_EQ(8, shc_send(c.fd[0], &op, in, 8, MSG_MORE));
	EXPECT_EQ(LONG - 8, shc_send(c.fd[0], NULL, &in[1], LONG - 8, 0));
	for (got = 0; got < LONG; got += n) {
		n = shc_recv_soon(c.fd[0], (char *)out + got, LONG - got, &res);
		ASSERT_LE(1, n);
	}
	EXPECT_EQ(0, res.status);
	for (i = 0; i < LONG / 8; i++)
		wrong += out[i] != 2 * in[i];
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, cube_del(&c));
}

/* One call must pass all of a task. If a call passes only the beginning of a file, this does not
 * become a task.
 */
TEST(sendfile_makes_task_only_if_one_call_passes_all)
{
	static char in[100000], out[HYPERCUBE_TASK_MAX];
	struct hypercube_task id;
	struct cube c;
	int p, w, file;

	task_fill(in, sizeof(in), 1);
	ASSERT_EQ(0, task_pair(&c, 1, 0, 1 << 20, &p, &w));
	file = file_of(in, sizeof(in));
	ASSERT_LE(0, file);
	EXPECT_EQ(-1, sendfile(p, file, NULL, sizeof(in)));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(-EAGAIN, task_take(w, out, sizeof(out), &id, 0));
	EXPECT_EQ(4000, sendfile(p, file, &(off_t){ 0 }, 4000));
	EXPECT_EQ(4000, task_take(w, out, sizeof(out), &id, 0));
	EXPECT_EQ(0, memcmp(in, out, 4000));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(unsupported_message_flags_are_refused)
{
	static const int flags[] = {
		MSG_OOB, MSG_DONTROUTE, MSG_CONFIRM, MSG_FASTOPEN, MSG_ZEROCOPY, MSG_ERRQUEUE,
		MSG_SYN, MSG_FIN, MSG_PROXY, 1 << 24,
	};
	const struct hypercube_op op = sum(8);
	struct sockaddr_hypercube a;
	struct cube c, d, e;
	uint64_t v = 1;
	unsigned int i;
	int p, w;

	ASSERT_EQ(0, start(&c));
	ASSERT_EQ(0, cube_dgrams(&d, 1));
	ASSERT_EQ(0, task_pair(&e, 1, 0, 0, &p, &w));
	a = shc_addr(d.name, 1);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		const int no = flags[i];
		bool eor;
		struct hypercube_result res;

		EXPECT_EQ(-EOPNOTSUPP, shc_send(c.fd[1], &op, &v, 8, no));
		EXPECT_EQ(-1, sendto(d.fd[0], &v, 8, no, (void *)&a, sizeof(a)));
		EXPECT_EQ(EOPNOTSUPP, errno);
		EXPECT_EQ(-1, send(p, &v, 8, no));
		EXPECT_EQ(EOPNOTSUPP, errno);
		EXPECT_EQ(-EOPNOTSUPP, shc_recv(c.fd[0], &v, 8, &res, &eor, no));
		EXPECT_EQ(-1, recv(d.fd[1], &v, 8, no));
		EXPECT_EQ(EOPNOTSUPP, errno);
		EXPECT_EQ(-1, recv(w, &v, 8, no));
		EXPECT_EQ(EOPNOTSUPP, errno);
	}
	EXPECT_EQ(-1, sendto(d.fd[0], &v, 8, MSG_MORE, (void *)&a, sizeof(a)));
	EXPECT_EQ(-1, send(p, &v, 8, MSG_MORE));
	EXPECT_EQ(0, cube_del(&c));
	EXPECT_EQ(0, cube_del(&d));
	EXPECT_EQ(0, cube_del(&e));
}

/* --- io_uring --- */

/**
 * struct uring - a submission ring and a completion ring with one entry each, set up without
 *	liburing, which may not be installed
 * @fd: descriptor of the io_uring
 * @ring: the pages that both rings share
 * @sqe: the submission entry
 * @p: parameters of the io_uring, with the offsets of the rings' fields
 */
struct uring {
	int fd;
	char *ring;
	struct io_uring_sqe *sqe;
	struct io_uring_params p;
};

static int uring_open(struct uring *u)
{
	const int prot = PROT_READ | PROT_WRITE, shared = MAP_SHARED | MAP_POPULATE;
	size_t size;

	memset(u, 0, sizeof(*u));
	u->fd = syscall(SYS_io_uring_setup, 1, &u->p);
	if (u->fd < 0)
		return -errno;
	size = u->p.cq_off.cqes + u->p.cq_entries * sizeof(struct io_uring_cqe);
	if (size < u->p.sq_off.array + u->p.sq_entries * sizeof(__u32))
		size = u->p.sq_off.array + u->p.sq_entries * sizeof(__u32);
	u->ring = mmap(NULL, size, prot, shared, u->fd, IORING_OFF_SQ_RING);
	u->sqe = mmap(NULL, sizeof(*u->sqe), prot, shared, u->fd, IORING_OFF_SQES);
	return u->ring == MAP_FAILED || u->sqe == MAP_FAILED ? -ENOMEM : 0;
}

static __u32 *uring_at(const struct uring *u, __u32 offset)
{
	return (__u32 *)(u->ring + offset);
}

/* Submit one request, and wait for its completion. Return: the result of the request, or -EIO. */
static int uring_do(struct uring *u, int op, int fd, const void *addr, unsigned int len,
		    unsigned int flags)
{
	__u32 *tail = uring_at(u, u->p.sq_off.tail), *head = uring_at(u, u->p.cq_off.head);
	const struct io_uring_cqe *cqe = (void *)uring_at(u, u->p.cq_off.cqes);

	*u->sqe = (struct io_uring_sqe){
		.opcode = op, .fd = fd, .addr = (uintptr_t)addr, .len = len, .msg_flags = flags,
	};
	uring_at(u, u->p.sq_off.array)[*tail & *uring_at(u, u->p.sq_off.ring_mask)] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, u->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		return -EIO;
	cqe += *head & *uring_at(u, u->p.cq_off.ring_mask);
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return cqe->res;
}

TEST(io_uring_sends_and_receives_collectives_and_tasks)
{
	const struct hypercube_op op = sum(8);
	struct messages v, got;
	struct uring ring;
	struct cube c, e;
	int p, w, err;

	err = uring_open(&ring);
	if (err == -ENOSYS || err == -EPERM)
		SKIP(return, "no io_uring");
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, start(&c));
	messages_init(&v);
	messages_init(&got);
	control_set(&v, 0, &op, sizeof(op));
	got.m[0].msg_hdr.msg_control = &got.control[0];
	got.m[0].msg_hdr.msg_controllen = sizeof(got.control[0]);
	for (p = 0; p < 2; p++)
		EXPECT_EQ(8, uring_do(&ring, IORING_OP_SENDMSG, c.fd[p], &v.m[0].msg_hdr, 1,
				      MSG_WAITALL));
	ASSERT_TRUE(readable(c.fd[0], 5));
	EXPECT_EQ(8, uring_do(&ring, IORING_OP_RECVMSG, c.fd[0], &got.m[0].msg_hdr, 1,
			      MSG_WAITALL));
	EXPECT_EQ(20, got.data[0]);
	EXPECT_TRUE(got.m[0].msg_hdr.msg_flags & MSG_EOR);
	ASSERT_EQ(0, task_pair(&e, 1, 0, 0, &p, &w));
	EXPECT_EQ(8, uring_do(&ring, IORING_OP_SEND, p, v.data, 8, MSG_WAITALL));
	EXPECT_EQ(8, uring_do(&ring, IORING_OP_RECVMSG, w, &got.m[0].msg_hdr, 1, MSG_WAITALL));
	EXPECT_EQ(10, got.data[0]);
	EXPECT_EQ(0, cube_del(&e));
	EXPECT_EQ(0, cube_del(&c));
}

/* --- calls of 32-bit programs --- */

#ifdef __x86_64__
#define SENDMMSG_32 345

/* A control message in the format of a 32-bit program. */
struct cmsg_32 {
	uint32_t len;
	int level;
	int type;
	struct hypercube_op op;
} __attribute__((packed, aligned(4)));

/* struct mmsghdr in the format of a 32-bit program: struct msghdr, and the length (@sent). */
struct msg_32 {
	uint32_t name, namelen, iov, iovlen, control, controllen, flags, sent;
};

/* Data that 32-bit pointers can reach: the memory is below 4 GiB. */
struct low {
	struct msg_32 m[N];
	uint32_t iov[N][2];
	uint64_t data[N];
	struct cmsg_32 control[N];
};

/* Return: pointer @p as a 32-bit program has it. */
static uint32_t low(const void *p)
{
	return (uint32_t)(uintptr_t)p;
}

/* Make system call number @nr as a 32-bit program does. Return: its result. */
static int call_32(int nr, int fd, const void *v, int n, int flags)
{
	int r;

	asm volatile("int $0x80" : "=a"(r)
		     : "a"(nr), "b"(fd), "c"(low(v)), "d"(n), "S"(flags)
		     : "memory", "r8", "r9", "r10", "r11");
	return r;
}

TEST(sendmmsg_of_32_bit_program_sends_contributions)
{
	struct low *v = mmap(NULL, sizeof(*v), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	const struct hypercube_op op = sum(8);
	struct cube c;
	unsigned int i;
	int n;

	/* This file exists if the kernel can run 32-bit programs. */
	if (access("/proc/sys/abi/vsyscall32", F_OK))
		SKIP(return, "no system calls of 32 bits");
	ASSERT_TRUE(v != MAP_FAILED);
	ASSERT_EQ(0, start(&c));
	for (i = 0; i < N; i++) {
		v->data[i] = 10 + i;
		v->iov[i][0] = low(&v->data[i]);
		v->iov[i][1] = 8;
		v->control[i] = (struct cmsg_32){
			sizeof(v->control[i]), SOL_HYPERCUBE, HYPERCUBE_CMSG_OP, op,
		};
		v->m[i] = (struct msg_32){
			.iov = low(v->iov[i]), .iovlen = 1, .control = low(&v->control[i]),
			.controllen = sizeof(v->control[i]),
		};
	}
	n = call_32(SENDMMSG_32, c.fd[0], v->m, N, MSG_NOSIGNAL);
	if (n == -ENOSYS)
		SKIP(return, "no calls of 32 bits");
	EXPECT_EQ(N, n);
	EXPECT_EQ(N, call_32(SENDMMSG_32, c.fd[1], v->m, N, 0));
	EXPECT_TRUE(come(c.fd[0], 2));
	EXPECT_EQ(0, cube_del(&c));
}
#endif

TEST_HARNESS_MAIN
