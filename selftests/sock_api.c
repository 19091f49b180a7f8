// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets: every wrong use is refused with a specific error, and changes nothing. Other tests here
 * are about the users who may bind a socket, about addresses, results that are received in pieces,
 * and sockets whose fabric was removed.
 *
 * Scheduling: alone
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "cube.h"
#include "ktap.h"

#define PLAN 1
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t v = 42;

static int start(struct cube *c)
{
	int err = cube_new(c, 2, 0);

	return err ? err : cube_plan(c, PLAN);
}

static struct hypercube_op sum(size_t bytes)
{
	return (struct hypercube_op){
		.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = bytes,
	};
}

/* Return: a new socket that is not bound. */
static int fresh(int type)
{
	return socket(shc_family(), type | SOCK_NONBLOCK, 0);
}

static int errno_of(long r)
{
	return r < 0 ? errno : 0;
}

TEST(sockets_of_unsupported_types_and_protocols_are_refused)
{
	EXPECT_EQ(ESOCKTNOSUPPORT, errno_of(socket(shc_family(), SOCK_STREAM, 0)));
	EXPECT_EQ(ESOCKTNOSUPPORT, errno_of(socket(shc_family(), SOCK_RAW, 0)));
	EXPECT_EQ(EPROTONOSUPPORT, errno_of(socket(shc_family(), SOCK_SEQPACKET, 1)));
	EXPECT_EQ(EPROTONOSUPPORT, errno_of(socket(shc_family(), SOCK_DGRAM, 17)));
}

static void bind_table(struct __test_metadata *_metadata, struct cube *c, int type)
{
	const struct sockaddr_hypercube good = shc_addr(c->name, 1);
	struct {
		struct sockaddr_hypercube a;
		socklen_t len;
		int err;
	} t[] = {
		{ good, 0, EINVAL },
		{ good, sizeof(good) - 1, EINVAL },
		{ good, sizeof(good) + 1, EINVAL },
		{ good, sizeof(good), EINVAL },
		{ good, sizeof(good), EINVAL },
		{ good, sizeof(good), EINVAL },
		{ good, sizeof(good), ENODEV },
		{ good, sizeof(good), ENODEV },
		{ good, sizeof(good), EADDRNOTAVAIL },
		{ good, sizeof(good), EADDRNOTAVAIL },
	};
	unsigned int i;

	t[3].a.shc_family = AF_INET;
	t[4].a.shc_reserved = 1;
	memset(t[5].a.shc_fabric, 'a', sizeof(t[5].a.shc_fabric));
	memset(t[6].a.shc_fabric, 0, sizeof(t[6].a.shc_fabric));
	strcpy(t[7].a.shc_fabric, "nosuch");
	t[8].a.shc_node = 4;
	t[9].a.shc_node = ~0u;
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		struct sockaddr_hypercube room[2] = { t[i].a, good };
		int fd = fresh(type);
		int err = errno_of(bind(fd, (struct sockaddr *)room, t[i].len));

		if (err != t[i].err)
			TH_LOG("row %u", i);
		EXPECT_EQ(t[i].err, err);
		/* After the refused call, the socket can still be bound. */
		EXPECT_EQ(0, bind(fd, (const struct sockaddr *)&good, sizeof(good)));
		close(fd);
	}
}

TEST(bind_to_invalid_address_is_refused)
{
	struct cube c;

	ASSERT_EQ(0, start(&c));
	bind_table(_metadata, &c, SOCK_SEQPACKET);
	bind_table(_metadata, &c, SOCK_DGRAM);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(second_socket_of_same_type_at_node_is_refused)
{
	struct sockaddr_hypercube a, b;
	socklen_t len = sizeof(b);
	struct cube c;
	int fd, dg;

	ASSERT_EQ(0, start(&c));
	a = shc_addr(c.name, 2);
	fd = shc_bound(c.name, 2, SOCK_SEQPACKET);
	dg = shc_bound(c.name, 2, SOCK_DGRAM);
	ASSERT_LE(0, fd);
	ASSERT_LE(0, dg);
	EXPECT_EQ(-EADDRINUSE, shc_bound(c.name, 2, SOCK_SEQPACKET));
	EXPECT_EQ(-EADDRINUSE, shc_bound(c.name, 2, SOCK_DGRAM));
	EXPECT_EQ(EINVAL, errno_of(bind(fd, (struct sockaddr *)&a, sizeof(a))));
	EXPECT_EQ(0, getsockname(fd, (struct sockaddr *)&b, &len));
	EXPECT_EQ(sizeof(b), len);
	EXPECT_EQ(0, memcmp(&a, &b, sizeof(a)));
	EXPECT_EQ(ENOTCONN, errno_of(getpeername(fd, (struct sockaddr *)&b, &len)));
	close(fd);
	fd = shc_bound(c.name, 2, SOCK_SEQPACKET);
	EXPECT_LE(0, fd);
	close(fd);
	close(dg);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(calls_on_unbound_sockets_fail_with_specific_errors)
{
	struct sockaddr_hypercube a;
	socklen_t len = sizeof(a);
	struct hypercube_op op = sum(8);
	struct hypercube_result res;
	int fd = fresh(SOCK_SEQPACKET);
	int dg = fresh(SOCK_DGRAM);
	bool eor;

	a = shc_addr("nosuch", 0);
	EXPECT_EQ(-ENOTCONN, shc_send(fd, &op, &v, 8, 0));
	EXPECT_EQ(-ENOTCONN, shc_recv(fd, &v, 8, &res, &eor, 0));
	EXPECT_EQ(ENOTCONN, errno_of(recv(dg, &v, 8, 0)));
	EXPECT_EQ(ENOTCONN, errno_of(sendto(dg, &v, 8, 0, (struct sockaddr *)&a, sizeof(a))));
	EXPECT_EQ(ENOTCONN, errno_of(getsockname(fd, (struct sockaddr *)&a, &len)));
	EXPECT_EQ(EINVAL, errno_of(connect(fd, (struct sockaddr *)&a, sizeof(a))));
	EXPECT_EQ(EOPNOTSUPP, errno_of(connect(dg, (struct sockaddr *)&a, sizeof(a))));
	EXPECT_EQ(EOPNOTSUPP, errno_of(listen(fd, 1)));
	EXPECT_EQ(EOPNOTSUPP, errno_of(accept(fd, NULL, NULL)));
	EXPECT_EQ(EOPNOTSUPP, errno_of(shutdown(fd, SHUT_RDWR)));
	close(fd);
	close(dg);
}

/* An operation that the kernel must refuse, and the error @err. */
struct wrong_op {
	struct hypercube_op op;
	int err;
};

/* Add a row to the table @t: the operation @good with a wrong value in one member. */
#define WRONG(field, value, error)						\
	do {									\
		good.field = value;						\
		t[n].op = good;							\
		t[n++].err = error;						\
		good = sum(16);							\
	} while (0)

static unsigned int wrong_ops(struct wrong_op *t)
{
	struct hypercube_op good = sum(16);
	unsigned int n = 0;

	WRONG(plan, 0, ENOENT);
	WRONG(plan, 2, ENOENT);
	WRONG(plan, ~0u, ENOENT);
	WRONG(collective, 0, EOPNOTSUPP);
	WRONG(collective, HYPERCUBE_BCAST, EINVAL);
	WRONG(collective, HYPERCUBE_BARRIER, EINVAL);
	WRONG(collective, 77, EOPNOTSUPP);
	WRONG(oper, 0, EINVAL);
	WRONG(oper, __HYPERCUBE_OPER_END, EINVAL);
	WRONG(oper, 255, EINVAL);
	WRONG(type, 0, EINVAL);
	WRONG(type, __HYPERCUBE_TYPE_END, EINVAL);
	WRONG(type, 255, EINVAL);
	WRONG(flags, 8, EINVAL);
	WRONG(flags, 255, EINVAL);
	WRONG(width, 8, EINVAL);
	WRONG(width, ~0u, EINVAL);
	WRONG(reserved, 1, EINVAL);
	WRONG(bytes, 15, EINVAL);
	WRONG(bytes, ~0ull, EINVAL);
	good.oper = HYPERCUBE_XOR;
	WRONG(type, HYPERCUBE_F32, EINVAL);
	good.oper = HYPERCUBE_MINLOC;
	WRONG(bytes, 24, EINVAL);
	WRONG(type, HYPERCUBE_RECORD, EINVAL);
	good.oper = HYPERCUBE_MERGE;
	WRONG(type, HYPERCUBE_RECORD, EINVAL);
	good.oper = HYPERCUBE_MERGE;
	good.type = HYPERCUBE_RECORD;
	WRONG(width, HYPERCUBE_RECORD_MAX + 1, EINVAL);
	good.type = HYPERCUBE_RECORD;
	WRONG(width, 4, EINVAL);
	good.oper = HYPERCUBE_MAX;
	good.type = HYPERCUBE_RECORD;
	WRONG(width, 7, EINVAL);
	return n;
}

TEST(invalid_operations_are_refused_and_change_nothing)
{
	struct hypercube_op op = sum(16);
	struct wrong_op t[40];
	unsigned int n = wrong_ops(t), i;
	uint64_t data[2] = { 1, 2 };
	struct cube c;

	ASSERT_EQ(0, start(&c));
	ASSERT_EQ(0, cube_bind_all(&c));
	for (i = 0; i < n; i++) {
		if (shc_send(c.fd[1], &t[i].op, data, 16, 0) != -t[i].err)
			TH_LOG("row %u", i);
		EXPECT_EQ(-t[i].err, shc_send(c.fd[1], &t[i].op, data, 16, 0));
	}
	/* No contribution has begun, so there is none to continue. */
	EXPECT_EQ(-EDESTADDRREQ, shc_send(c.fd[1], NULL, data, 16, 0));
	EXPECT_EQ(-EMSGSIZE, shc_send(c.fd[1], &op, data, 24, 0));
	EXPECT_EQ(-EFAULT, shc_send(c.fd[1], &op, (void *)8, 16, 0));
	EXPECT_EQ(0, cube_reduce(&c, PLAN, NULL));
	/* A socket sends one contribution at a time, so a second one is refused. */
	EXPECT_EQ(8, shc_send(c.fd[1], &op, data, 8, 0));
	EXPECT_EQ(-EBUSY, shc_send(c.fd[1], &op, data, 8, 0));
	EXPECT_EQ(-EMSGSIZE, shc_send(c.fd[1], NULL, data, 16, 0));
	EXPECT_EQ(8, shc_send(c.fd[1], NULL, data, 8, 0));
	EXPECT_EQ(-EDESTADDRREQ, shc_send(c.fd[1], NULL, data, 8, 0));
	EXPECT_EQ(0, cube_del(&c));
}

/* Call sendmsg() with a raw control message. Return: 0 or errno. */
static int send_control(int fd, const void *control, size_t len, const void *name, int flags)
{
	struct iovec iov = { .iov_base = &v, .iov_len = sizeof(v) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = (void *)control, .msg_controllen = len,
		.msg_name = (void *)name,
		.msg_namelen = name ? sizeof(struct sockaddr_hypercube) : 0,
	};

	return errno_of(sendmsg(fd, &msg, flags));
}

/* Two control messages, one after the other. */
struct control {
	struct cmsghdr h;
	struct hypercube_op op;
	struct cmsghdr h2;
	struct hypercube_op op2;
};

TEST(invalid_control_messages_are_refused)
{
	struct control k = {
		.h = { CMSG_LEN(sizeof(k.op)), SOL_HYPERCUBE, HYPERCUBE_CMSG_OP }, .op = sum(8),
		.h2 = { CMSG_LEN(sizeof(k.op)), SOL_HYPERCUBE, HYPERCUBE_CMSG_OP }, .op2 = sum(8),
	};
	const size_t half = sizeof(k) / 2;
	struct sockaddr_hypercube a;
	struct control bad;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	ASSERT_EQ(0, cube_bind_all(&c));
	a = shc_addr(c.name, 0);
	EXPECT_EQ(EINVAL, send_control(c.fd[1], &k, sizeof(k), NULL, 0));
	EXPECT_EQ(EISCONN, send_control(c.fd[1], &k, half, &a, 0));
	EXPECT_EQ(EOPNOTSUPP, send_control(c.fd[1], &k, half, NULL, MSG_OOB));
	EXPECT_EQ(EOPNOTSUPP, send_control(c.fd[1], &k, half, NULL, MSG_DONTROUTE));
	bad = k;
	bad.h.cmsg_type = HYPERCUBE_CMSG_RESULT;
	EXPECT_EQ(EINVAL, send_control(c.fd[1], &bad, half, NULL, 0));
	bad = k;
	bad.h.cmsg_len -= 8;
	EXPECT_EQ(EINVAL, send_control(c.fd[1], &bad, half, NULL, 0));
	bad = k;
	bad.h.cmsg_len = sizeof(k) + 100;
	EXPECT_EQ(EINVAL, send_control(c.fd[1], &bad, half, NULL, 0));
	bad = k;
	bad.h.cmsg_len = 4;
	EXPECT_EQ(EINVAL, send_control(c.fd[1], &bad, half, NULL, 0));
	/* Control messages with another level are ignored. */
	bad = k;
	bad.h.cmsg_level = SOL_SOCKET + 100;
	EXPECT_EQ(EDESTADDRREQ, send_control(c.fd[1], &bad, half, NULL, 0));
	EXPECT_EQ(0, send_control(c.fd[1], &bad, sizeof(k), NULL, 0));
	EXPECT_EQ(0, cube_del(&c));
}

/* A control message with an operation has a long and a short form. If some members use one and some
 * the other, all contributions are in the result.
 */
TEST(members_may_mix_short_and_long_operation_control_messages)
{
	struct {
		struct cmsghdr h;
		struct hypercube_op_short op;
	} k = {
		.h = { CMSG_LEN(sizeof(k.op)), SOL_HYPERCUBE, HYPERCUBE_CMSG_OP_SHORT },
		.op = {
			.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
			.type = HYPERCUBE_U64, .bytes = sizeof(v), .cookie = 0xfedcba98,
		},
	}, bad;
	struct control whole = { .h = k.h, .op = sum(8) };
	struct hypercube_op op = sum(8);
	struct hypercube_result res;
	uint64_t out = 0;
	unsigned int u;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	ASSERT_EQ(0, cube_bind_all(&c));
	whole.h.cmsg_len = CMSG_LEN(sizeof(whole.op));
	EXPECT_EQ(EINVAL, send_control(c.fd[0], &whole, whole.h.cmsg_len, NULL, 0));
	bad = k;
	bad.h.cmsg_len -= 4;
	EXPECT_EQ(EINVAL, send_control(c.fd[0], &bad, sizeof(bad), NULL, 0));
	bad = k;
	bad.op.bytes = 7;
	EXPECT_EQ(EINVAL, send_control(c.fd[0], &bad, sizeof(bad), NULL, 0));
	bad = k;
	bad.op.flags = 0x80;
	EXPECT_EQ(EINVAL, send_control(c.fd[0], &bad, sizeof(bad), NULL, 0));
	for (u = 0; u < c.nodes; u += 2)
		EXPECT_EQ(0, send_control(c.fd[u], &k, sizeof(k), NULL, 0));
	for (u = 1; u < c.nodes; u += 2)
		EXPECT_EQ(8, shc_send(c.fd[u], &op, &v, 8, 0));
	EXPECT_EQ(8, shc_recv_soon(c.fd[0], &out, sizeof(out), &res));
	EXPECT_EQ(0, res.status);
	EXPECT_EQ(c.nodes * v, out);
	EXPECT_EQ(0xfedcba98, res.cookie);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(only_healthy_members_of_plan_may_contribute)
{
	struct hypercube_op op = sum(8);
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 3, 0));
	ASSERT_EQ(0, cube_plan_sub(&c, PLAN, 0x3, 0));
	ASSERT_EQ(0, cube_bind_all(&c));
	EXPECT_EQ(-ENOTCONN, shc_send(c.fd[5], &op, &v, 8, 0));
	EXPECT_EQ(0, cube_reduce(&c, PLAN, NULL));
	ASSERT_EQ(0, ctl_node_failed(c.name, 3, true));
	EXPECT_EQ(-EHOSTDOWN, shc_send(c.fd[3], &op, &v, 8, 0));
	EXPECT_EQ(-ENOLINK, shc_send(c.fd[1], &op, &v, 8, 0));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(refused_receive_calls_do_not_remove_the_result)
{
	struct hypercube_op op = sum(8);
	struct hypercube_result res;
	uint64_t data = 0;
	int ends[2];
	struct cube c;
	unsigned int u;
	bool eor;

	ASSERT_EQ(0, start(&c));
	ASSERT_EQ(0, cube_bind_all(&c));
	u = c.plan.tree.sink;
	EXPECT_EQ(-EAGAIN, shc_recv(c.fd[u], &data, 8, &res, &eor, 0));
	EXPECT_EQ(-EOPNOTSUPP, shc_recv(c.fd[u], &data, 8, &res, &eor, MSG_PEEK));
	EXPECT_EQ(-EOPNOTSUPP, shc_recv(c.fd[u], &data, 8, &res, &eor, MSG_OOB));
	for (u = 0; u < 4; u++)
		EXPECT_EQ(8, shc_send(c.fd[u], &op, &v, 8, 0));
	u = c.plan.tree.sink;
	usleep(100000 * (unsigned int)wait_secs(1));
	EXPECT_EQ(-EFAULT, shc_recv(c.fd[u], (void *)8, 8, &res, &eor, 0));
	ASSERT_EQ(0, pipe(ends));
	EXPECT_EQ(EOPNOTSUPP, errno_of(splice(c.fd[u], NULL, ends[1], NULL, 8, 0)));
	/* The refused calls above have not removed the result: it can still be received. */
	EXPECT_EQ(8, shc_recv(c.fd[u], &data, 8, &res, &eor, 0));
	EXPECT_TRUE(eor);
	EXPECT_EQ(4 * v, data);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(short_receive_calls_return_a_record_in_pieces)
{
	struct hypercube_op op = sum(80);
	struct hypercube_result res;
	uint64_t data[10] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, got[11];
	struct cube c;
	unsigned int u, i;
	bool eor;

	ASSERT_EQ(0, start(&c));
	ASSERT_EQ(0, cube_bind_all(&c));
	op.cookie = 0x1234567890abcdefull;
	for (i = 0; i < 2; i++)
		for (u = 0; u < 4; u++)
			EXPECT_EQ(80, shc_send(c.fd[u], &op, data, 80, 0));
	usleep(100000 * (unsigned int)wait_secs(1));
	u = c.plan.tree.sink;
	EXPECT_EQ(0, shc_recv(c.fd[u], got, 0, &res, &eor, 0));
	EXPECT_FALSE(eor);
	EXPECT_EQ(80, res.bytes);
	for (i = 0; i < 10; i++) {
		EXPECT_EQ(8, shc_recv(c.fd[u], &got[i], 8, &res, &eor, 0));
		EXPECT_EQ(i == 9, eor);
		EXPECT_EQ(4 * data[i], got[i]);
		EXPECT_EQ(0, res.op);
	}
	/* Even if the buffer is longer than the record, a call returns no bytes of the next record.
	 */
	EXPECT_EQ(80, shc_recv(c.fd[u], got, sizeof(got), &res, &eor, 0));
	EXPECT_TRUE(eor);
	EXPECT_EQ(1, res.op);
	EXPECT_EQ(op.cookie, res.cookie);
	EXPECT_EQ(PLAN, res.plan);
	EXPECT_EQ(HYPERCUBE_REDUCE, res.collective);
	EXPECT_EQ(~0u, res.cause_node);
	EXPECT_EQ(-EAGAIN, shc_recv(c.fd[u], got, sizeof(got), &res, &eor, 0));
	EXPECT_EQ(0, cube_del(&c));
}

static long cpu_us(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 +
	       u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

/* Wait 200 ms in a receive call on @fd, which gets nothing. @spin_us: SO_BUSY_POLL. Return: CPU
 * time of the call in us, or -1.
 */
static long cpu_of_wait(int fd, int spin_us)
{
	const struct timeval limit = { .tv_usec = 200000 };
	struct hypercube_result res;
	long before;
	bool eor;

	if (setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &spin_us, sizeof(spin_us)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
		return -1;
	before = cpu_us();
	if (shc_recv(fd, &v, sizeof(v), &res, &eor, 0) != -EAGAIN)
		return -1;
	return cpu_us() - before;
}

TEST(so_busy_poll_sets_how_long_blocking_receive_spins)
{
	socklen_t len = sizeof(int);
	struct cube c;
	long idle, spun = 0;
	unsigned int tries;
	int fd, us;

	ASSERT_EQ(0, start(&c));
	fd = shc_bound(c.name, 1, SOCK_SEQPACKET);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &us, &len));
	EXPECT_EQ(200, us);
	fcntl(fd, F_SETFL, 0);
	idle = cpu_of_wait(fd, 0);
	/* The busy wait ends when another task is ready to run, so try several times. */
	for (tries = 0; tries < 10 && spun < idle + 20000; tries++)
		spun = cpu_of_wait(fd, 100000);
	TH_LOG("CPU time of waiting for 200 ms: %ld us asleep, %ld us busy", idle, spun);
	EXPECT_LE(0, idle);
	EXPECT_GT(spun, idle + 20000);
	close(fd);
	EXPECT_EQ(0, cube_del(&c));
}

/* Try to bind a socket to @node as user @uid, in a child process. Return: 0 or the error of bind(),
 * a positive errno; 255 if it cannot become this user.
 */
static int bind_as(const char *name, unsigned int node, unsigned int uid)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		int fd;

		if (setgid(uid) || setuid(uid))
			_exit(255);
		fd = shc_bound(name, node, SOCK_SEQPACKET);
		_exit(fd < 0 ? -fd : 0);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

TEST(only_node_owner_and_administrator_may_bind_socket)
{
	struct cube c;

	ASSERT_EQ(0, start(&c));
	EXPECT_EQ(EACCES, bind_as(c.name, 1, 1000));
	ASSERT_EQ(0, ctl_node_owner(c.name, 1, 1000));
	EXPECT_EQ(0, bind_as(c.name, 1, 1000));
	EXPECT_EQ(EACCES, bind_as(c.name, 1, 1001));
	EXPECT_EQ(EACCES, bind_as(c.name, 2, 1000));
	ASSERT_EQ(0, ctl_node_owner(c.name, 1, ~0u));
	EXPECT_EQ(EACCES, bind_as(c.name, 1, 1000));
	EXPECT_EQ(0, bind_as(c.name, 1, 0));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(calls_on_socket_of_removed_fabric_fail_with_enodev)
{
	struct hypercube_op op = sum(8);
	struct hypercube_result res;
	struct cube c;
	bool eor;

	ASSERT_EQ(0, start(&c));
	ASSERT_EQ(0, cube_bind_all(&c));
	ASSERT_EQ(0, ctl_fabric_del(c.name));
	EXPECT_EQ(-ENODEV, shc_recv(c.fd[0], &v, 8, &res, &eor, 0));
	EXPECT_EQ(-ENODEV, shc_send(c.fd[1], &op, &v, 8, 0));
	EXPECT_EQ(-ENODEV, shc_send(c.fd[1], &op, &v, 8, 0));
	EXPECT_EQ(-ENODEV, shc_recv(c.fd[1], &v, 8, &res, &eor, 0));
	/* A new fabric of the same name is another fabric, so the sockets cannot be used with it.
	 */
	ASSERT_EQ(0, ctl_fabric_new(c.name, 2, 0));
	EXPECT_EQ(-ENODEV, shc_send(c.fd[2], &op, &v, 8, 0));
	EXPECT_EQ(-ENODEV, shc_recv(c.fd[2], &v, 8, &res, &eor, 0));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
