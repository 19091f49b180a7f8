// SPDX-License-Identifier: GPL-2.0
/*
 * A node can have sockets that are connected to one plan each, beside a socket that serves all
 * other plans. The tests show which socket gets a result, which results and which right to
 * contribute pass to another socket while operations are under way, and which operations fail when
 * a socket is closed. There are two nodes; node 0 is the root of the plans 1, 2, ..
 *
 * Scheduling: shared
 */
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

#include "cube.h"
#include "ktap.h"

static uint64_t v = 1;
static char big[1 << 18];

static int start(struct cube *c, unsigned int plans)
{
	int err = cube_new(c, 1, 0);
	unsigned int i;

	for (i = 1; !err && i <= plans; i++)
		err = cube_plan_to(c, i, 0);
	return err;
}

static struct hypercube_op sum(unsigned int plan, size_t bytes)
{
	return (struct hypercube_op){
		.plan = plan, .collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = bytes, .cookie = plan,
	};
}

/* Contribute 8 bytes to plan @plan through socket @fd. Return: bytes taken, or -errno. */
static int give(int fd, unsigned int plan)
{
	struct hypercube_op op = sum(plan, 8);

	return shc_send(fd, &op, &v, 8, 0);
}

/*
 * Receive the next record, by several calls if it is long. Return: its status; or the error of a
 * call, as a positive number.
 */
static int take(int fd, struct hypercube_result *res)
{
	static char buf[4096];
	bool eor = false;
	ssize_t n;

	do {
		readable(fd, 5);
		n = shc_recv(fd, buf, sizeof(buf), res, &eor, MSG_DONTWAIT);
	} while (n >= 0 && !eor);
	return n < 0 ? -n : res->status;
}

/* Try to receive. Return: -EAGAIN if nothing has arrived, else the result of shc_recv(). */
static int nothing(int fd)
{
	struct hypercube_result res;
	char buf[8];
	bool eor;

	return shc_recv(fd, buf, sizeof(buf), &res, &eor, MSG_DONTWAIT);
}

static int sock_connect(int fd, const char *name, unsigned int node, unsigned int plan, int len)
{
	struct sockaddr_hypercube a = shc_addr(name, node);

	a.shc_plan = plan;
	return connect(fd, (struct sockaddr *)&a, len) ? -errno : 0;
}

static int fresh(int type)
{
	return socket(shc_family(), type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* A cube of two nodes. @g: for each node, the socket that serves all plans to which no socket is
 * connected. @t: a socket that is connected to one plan; not open at the start of a test.
 */
struct two {
	struct cube c;
	int g[2];
	int t;
};

static void shut(int *fd)
{
	close(*fd);
	*fd = -1;
}

static void two_start(struct __test_metadata *_metadata, struct two *n, unsigned int plans)
{
	ASSERT_EQ(0, start(&n->c, plans));
	n->g[0] = shc_bound(n->c.name, 0, SOCK_SEQPACKET);
	n->g[1] = shc_bound(n->c.name, 1, SOCK_SEQPACKET);
	n->t = -1;
}

static void two_end(struct __test_metadata *_metadata, struct two *n)
{
	shut(&n->t);
	shut(&n->g[0]);
	shut(&n->g[1]);
	EXPECT_EQ(0, cube_del(&n->c));
}

TEST(connect_takes_address_with_plan_bind_takes_address_without_plan)
{
	const int old = offsetof(struct sockaddr_hypercube, shc_plan);
	struct sockaddr_hypercube a, b;
	socklen_t len = sizeof(b);
	int fd, dg, general;
	struct cube c;

	ASSERT_EQ(0, start(&c, 1));
	a = shc_addr(c.name, 1);
	fd = fresh(SOCK_SEQPACKET);
	dg = fresh(SOCK_DGRAM);
	general = fresh(SOCK_SEQPACKET);
	EXPECT_EQ(-EINVAL, sock_connect(fd, c.name, 1, 1, old));
	EXPECT_EQ(-EINVAL, sock_connect(fd, c.name, 1, 1, old + 2));
	EXPECT_EQ(-EINVAL, sock_connect(fd, c.name, 1, 0, sizeof(a)));
	EXPECT_EQ(-ENODEV, sock_connect(fd, "nosuch", 1, 1, sizeof(a)));
	EXPECT_EQ(-EADDRNOTAVAIL, sock_connect(fd, c.name, 2, 1, sizeof(a)));
	EXPECT_EQ(-EOPNOTSUPP, sock_connect(dg, c.name, 1, 1, sizeof(a)));
	a.shc_plan = 1;
	EXPECT_EQ(-1, bind(fd, (struct sockaddr *)&a, sizeof(a)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, bind(general, (struct sockaddr *)&a, old));
	EXPECT_EQ(-1, getpeername(general, (struct sockaddr *)&b, &len));
	EXPECT_EQ(ENOTCONN, errno);
	EXPECT_EQ(0, sock_connect(fd, c.name, 1, 1, sizeof(a)));
	EXPECT_EQ(0, getpeername(fd, (struct sockaddr *)&b, &len));
	EXPECT_EQ(0, memcmp(&a, &b, sizeof(a)));
	EXPECT_EQ(0, getsockname(fd, (struct sockaddr *)&b, &len));
	EXPECT_EQ(0, b.shc_plan);
	EXPECT_EQ(1, b.shc_node);
	EXPECT_EQ(0, bind(dg, (struct sockaddr *)&a, old));
	EXPECT_EQ(1, sendto(dg, "x", 1, 0, (struct sockaddr *)&a, old));
	close(fd);
	close(dg);
	close(general);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(second_connected_socket_of_plan_at_node_is_refused)
{
	struct cube c;
	int a, b, g;

	ASSERT_EQ(0, start(&c, 2));
	a = shc_connected(c.name, 1, 1);
	b = shc_connected(c.name, 1, 2);
	g = shc_bound(c.name, 1, SOCK_SEQPACKET);
	ASSERT_LE(0, a);
	ASSERT_LE(0, b);
	ASSERT_LE(0, g);
	EXPECT_EQ(-EADDRINUSE, shc_connected(c.name, 1, 1));
	EXPECT_EQ(-EADDRINUSE, sock_connect(g, c.name, 1, 2, sizeof(struct sockaddr_hypercube)));
	EXPECT_EQ(-EISCONN, sock_connect(a, c.name, 1, 2, sizeof(struct sockaddr_hypercube)));
	EXPECT_EQ(-EADDRNOTAVAIL,
		  sock_connect(g, c.name, 0, 2, sizeof(struct sockaddr_hypercube)));
	EXPECT_EQ(-EISCONN, give(a, 2));
	EXPECT_EQ(-EADDRINUSE, give(g, 2));
	EXPECT_EQ(8, give(a, 1));
	close(a);
	EXPECT_EQ(8, give(g, 1));
	a = shc_connected(c.name, 1, 1);
	EXPECT_LE(0, a);
	/* A socket can be connected to a plan that does not exist. */
	close(b);
	b = shc_connected(c.name, 1, ~0u);
	EXPECT_LE(0, b);
	EXPECT_EQ(-ENOENT, give(b, ~0u));
	close(a);
	close(b);
	close(g);
	EXPECT_EQ(0, cube_del(&c));
}

static int sock_sibling(int fd, int of, unsigned int plan)
{
	const struct hypercube_sibling s = { .fd = of, .plan = plan };

	return setsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_SIBLING, &s, sizeof(s)) ? -errno : 0;
}

TEST(sibling_takes_node_and_rights_of_other_socket)
{
	struct hypercube_result res;
	int s = fresh(SOCK_SEQPACKET), none = fresh(SOCK_SEQPACKET), other = fresh(SOCK_DGRAM);
	struct two n;

	two_start(_metadata, &n, 2);
	EXPECT_EQ(-EBADF, sock_sibling(s, -1, 1));
	EXPECT_EQ(-ENOTSOCK, sock_sibling(s, 1, 1));
	EXPECT_EQ(-EINVAL, sock_sibling(s, other, 1));
	EXPECT_EQ(-EINVAL, sock_sibling(s, n.g[1], 0));
	EXPECT_EQ(-ENOTCONN, sock_sibling(s, none, 1));
	EXPECT_EQ(-ENOTCONN, sock_sibling(s, s, 1));
	EXPECT_EQ(-1, setsockopt(s, SOL_HYPERCUBE, HYPERCUBE_SIBLING, &s, sizeof(s)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, setsockopt(s, SOL_HYPERCUBE, HYPERCUBE_DELIVER, &s, sizeof(s)));
	EXPECT_EQ(ENOPROTOOPT, errno);
	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	ASSERT_EQ(0, seteuid(65534));
	EXPECT_EQ(0, sock_sibling(s, n.g[1], 2));
	EXPECT_EQ(-EINVAL, sock_sibling(s, n.g[1], 1));
	EXPECT_EQ(-EADDRINUSE, sock_sibling(none, n.g[1], 2));
	ASSERT_EQ(0, seteuid(0));
	EXPECT_EQ(-EADDRINUSE, give(n.g[1], 2));
	EXPECT_EQ(8, give(s, 2));
	EXPECT_EQ(8, give(n.g[0], 2));
	EXPECT_EQ(0, take(n.g[0], &res));
	EXPECT_EQ(0, take(s, &res));
	/* A sibling can also be made of a socket that is connected to a plan. */
	EXPECT_EQ(0, sock_sibling(none, s, 1));
	EXPECT_EQ(8, give(none, 1));
	close(s);
	close(none);
	close(other);
	shut(&n.g[0]);
	shut(&n.g[1]);
}

/* A plan is stuck after its socket has sent as much as the buffers have space for. The other plans
 * of the node go on.
 */
TEST(blocked_plan_does_not_delay_other_plans_of_node)
{
	struct hypercube_op stuck = sum(1, 64 << 20);
	struct hypercube_result res;
	int fd[2][3];
	unsigned int u, i, k;
	struct cube c;
	ssize_t n;

	ASSERT_EQ(0, start(&c, 3));
	for (u = 0; u < 2; u++)
		for (i = 0; i < 3; i++) {
			fd[u][i] = i == 2 ? shc_bound(c.name, u, SOCK_SEQPACKET) :
					    shc_connected(c.name, u, i + 1);
			ASSERT_LE(0, fd[u][i]);
		}
	for (u = 0; u < 2; u++) {
		stuck.plan = u + 1;
		n = shc_send(fd[u][u], &stuck, big, sizeof(big), 0);
		while (n > 0)
			n = shc_send(fd[u][u], NULL, big, sizeof(big), 0);
		EXPECT_EQ(-EAGAIN, n);
	}
	for (k = 0; k < 100; k++) {
		for (u = 0; u < 2; u++)
			ASSERT_EQ(8, give(fd[u][2], 3));
		for (u = 0; u < 2; u++)
			ASSERT_EQ(0, take(fd[u][2], &res));
	}
	EXPECT_EQ(8, give(fd[0][1], 2));
	for (u = 0; u < 2; u++)
		for (i = 0; i < 3; i++)
			close(fd[u][i]);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(connected_socket_serves_plan_from_next_operation_on)
{
	struct hypercube_op half = sum(1, sizeof(big));
	struct hypercube_result res;
	struct two n;

	two_start(_metadata, &n, 1);
	EXPECT_EQ(8, give(n.g[1], 1));
	half.cookie = 77;
	EXPECT_EQ(1 << 17, shc_send(n.g[1], &half, big, 1 << 17, 0));
	n.t = shc_connected(n.c.name, 1, 1);
	ASSERT_LE(0, n.t);
	EXPECT_EQ(8, give(n.t, 1));
	/* The socket may send the rest of the contribution that it has begun, but may not begin
	 * another.
	 */
	EXPECT_EQ(1 << 17, shc_send(n.g[1], NULL, big, 1 << 17, 0));
	EXPECT_EQ(-EADDRINUSE, give(n.g[1], 1));
	EXPECT_EQ(8, give(n.g[0], 1));
	EXPECT_EQ(sizeof(big), shc_send(n.g[0], &half, big, sizeof(big), 0));
	EXPECT_EQ(8, give(n.g[0], 1));
	EXPECT_EQ(0, take(n.g[1], &res));
	EXPECT_EQ(0, res.op);
	EXPECT_EQ(0, take(n.g[1], &res));
	EXPECT_EQ(77, res.cookie);
	EXPECT_EQ(0, take(n.t, &res));
	EXPECT_EQ(2, res.op);
	EXPECT_EQ(8, res.bytes);
	EXPECT_EQ(-EAGAIN, nothing(n.g[1]));
	EXPECT_EQ(-EAGAIN, nothing(n.t));
	two_end(_metadata, &n);
}

TEST(close_ends_only_operations_of_plans_that_the_socket_serves)
{
	struct hypercube_result res;
	struct two n;

	two_start(_metadata, &n, 2);
	n.t = shc_connected(n.c.name, 1, 1);
	EXPECT_EQ(8, give(n.g[0], 1));
	EXPECT_EQ(8, give(n.t, 1));
	EXPECT_EQ(0, take(n.g[0], &res));
	/* If the connected socket is closed, this ends only operations of its plan. */
	EXPECT_EQ(8, give(n.g[0], 1));
	EXPECT_EQ(8, give(n.g[0], 2));
	shut(&n.t);
	EXPECT_EQ(-ECONNRESET, take(n.g[0], &res));
	EXPECT_EQ(1, res.plan);
	EXPECT_EQ(1, res.cause_node);
	EXPECT_EQ(8, give(n.g[1], 2));
	EXPECT_EQ(0, take(n.g[0], &res));
	EXPECT_EQ(2, res.plan);
	EXPECT_EQ(0, take(n.g[1], &res));
	/* If the other socket is closed, this ends the operations of all other plans. */
	n.t = shc_connected(n.c.name, 1, 1);
	EXPECT_EQ(8, give(n.g[0], 1));
	EXPECT_EQ(8, give(n.g[0], 2));
	shut(&n.g[1]);
	EXPECT_EQ(-ECONNRESET, take(n.g[0], &res));
	EXPECT_EQ(2, res.plan);
	EXPECT_EQ(8, give(n.t, 1));
	EXPECT_EQ(0, take(n.g[0], &res));
	EXPECT_EQ(1, res.plan);
	EXPECT_EQ(0, take(n.t, &res));
	two_end(_metadata, &n);
}

/* If a socket has taken part in operations of a plan, and another socket serves this plan now,
 * closing the first socket ends no operation.
 */
TEST(close_of_socket_replaced_by_another_ends_no_operation)
{
	struct hypercube_op half = sum(1, 2 << 15);
	struct hypercube_result res;
	struct two n;

	two_start(_metadata, &n, 1);
	EXPECT_EQ(8, give(n.g[0], 1));
	EXPECT_EQ(8, give(n.g[1], 1));
	EXPECT_EQ(0, take(n.g[0], &res));
	EXPECT_EQ(8, give(n.g[0], 1));
	n.t = shc_connected(n.c.name, 1, 1);
	shut(&n.g[1]);
	EXPECT_EQ(8, give(n.t, 1));
	EXPECT_EQ(0, take(n.g[0], &res));
	EXPECT_EQ(0, take(n.t, &res));
	shut(&n.t);
	EXPECT_EQ(8, give(n.g[0], 1));
	EXPECT_EQ(-ECONNRESET, take(n.g[0], &res));
	/* Closing the first socket ends only the operation for which it has sent half of a
	 * contribution.
	 */
	n.g[1] = shc_bound(n.c.name, 1, SOCK_SEQPACKET);
	EXPECT_EQ(1 << 15, shc_send(n.g[1], &half, big, 1 << 15, 0));
	n.t = shc_connected(n.c.name, 1, 1);
	EXPECT_EQ(2 << 15, shc_send(n.g[0], &half, big, 2 << 15, 0));
	EXPECT_EQ(8, give(n.t, 1));
	shut(&n.g[1]);
	EXPECT_EQ(-ECONNRESET, take(n.g[0], &res));
	EXPECT_EQ(8, give(n.g[0], 1));
	EXPECT_EQ(0, take(n.g[0], &res));
	EXPECT_EQ(0, take(n.t, &res));
	two_end(_metadata, &n);
}

TEST(bound_socket_serves_only_its_plan_after_connect)
{
	const int len = sizeof(struct sockaddr_hypercube);
	struct hypercube_op half = sum(2, 2 << 15);
	struct hypercube_result res;
	struct two n;

	two_start(_metadata, &n, 2);
	EXPECT_EQ(1 << 15, shc_send(n.g[1], &half, big, 1 << 15, 0));
	EXPECT_EQ(-EBUSY, sock_connect(n.g[1], n.c.name, 1, 1, len));
	EXPECT_EQ(1 << 15, shc_send(n.g[1], NULL, big, 1 << 15, 0));
	EXPECT_EQ(2 << 15, shc_send(n.g[0], &half, big, 2 << 15, 0));
	EXPECT_EQ(0, take(n.g[0], &res));
	EXPECT_EQ(0, take(n.g[1], &res));
	EXPECT_EQ(8, give(n.g[1], 1));
	EXPECT_EQ(8, give(n.g[0], 2));
	EXPECT_EQ(0, sock_connect(n.g[1], n.c.name, 1, 1, len));
	EXPECT_EQ(-ECONNRESET, take(n.g[0], &res));
	EXPECT_EQ(2, res.plan);
	n.t = shc_bound(n.c.name, 1, SOCK_SEQPACKET);
	ASSERT_LE(0, n.t);
	EXPECT_EQ(8, give(n.g[0], 1));
	EXPECT_EQ(0, take(n.g[0], &res));
	EXPECT_EQ(0, take(n.g[1], &res));
	EXPECT_EQ(1, res.plan);
	EXPECT_EQ(8, give(n.g[0], 2));
	EXPECT_EQ(8, give(n.t, 2));
	EXPECT_EQ(0, take(n.t, &res));
	EXPECT_EQ(0, take(n.g[0], &res));
	EXPECT_EQ(-EAGAIN, nothing(n.g[1]));
	two_end(_metadata, &n);
}

TEST(connected_sockets_survive_replacement_of_their_plan)
{
	struct hypercube_result res;
	struct cube c;
	int fd[2];

	ASSERT_EQ(0, start(&c, 1));
	fd[0] = shc_connected(c.name, 0, 1);
	fd[1] = shc_connected(c.name, 1, 1);
	EXPECT_EQ(8, give(fd[1], 1));
	ASSERT_EQ(0, cube_plan_to(&c, 1, 1));
	EXPECT_EQ(-ESTALE, take(fd[1], &res));
	EXPECT_EQ(8, give(fd[0], 1));
	EXPECT_EQ(8, give(fd[1], 1));
	EXPECT_EQ(0, take(fd[0], &res));
	EXPECT_EQ(0, take(fd[1], &res));
	EXPECT_EQ(8, give(fd[0], 1));
	ASSERT_EQ(0, ctl_plan_del(c.name, 1));
	EXPECT_EQ(-ESTALE, take(fd[0], &res));
	EXPECT_EQ(-ENOENT, give(fd[0], 1));
	ASSERT_EQ(0, cube_plan_to(&c, 1, 0));
	EXPECT_EQ(8, give(fd[0], 1));
	EXPECT_EQ(8, give(fd[1], 1));
	EXPECT_EQ(0, take(fd[0], &res));
	EXPECT_TRUE(readable(fd[1], 5));
	ASSERT_EQ(0, ctl_fabric_del(c.name));
	EXPECT_EQ(0, take(fd[1], &res));
	EXPECT_EQ(ENODEV, take(fd[1], &res));
	EXPECT_EQ(ENODEV, take(fd[0], &res));
	EXPECT_EQ(-ENODEV, give(fd[0], 1));
	close(fd[0]);
	close(fd[1]);
}

TEST(broadcast_message_goes_to_connected_socket_before_bound_one)
{
	struct hypercube_op op = { .plan = 2, .collective = HYPERCUBE_BCAST, .bytes = 8 };
	struct hypercube_result res;
	struct two n;

	two_start(_metadata, &n, 1);
	ASSERT_EQ(0, cube_bcast_plan(&n.c, 2, 0, HC_BCAST_GENERAL));
	EXPECT_EQ(8, shc_send(n.g[0], &op, "first...", 8, 0));
	EXPECT_EQ(0, take(n.g[1], &res));
	n.t = shc_connected(n.c.name, 1, 2);
	EXPECT_EQ(8, shc_send(n.g[0], &op, "second..", 8, 0));
	EXPECT_EQ(0, take(n.t, &res));
	EXPECT_EQ(1, res.op);
	/* If one socket of a node is closed, this does not affect the plan as long as another
	 * socket of the node receives for it.
	 */
	shut(&n.g[1]);
	EXPECT_EQ(8, shc_send(n.g[0], &op, "third...", 8, 0));
	EXPECT_EQ(0, take(n.t, &res));
	EXPECT_EQ(2, res.op);
	n.g[1] = shc_bound(n.c.name, 1, SOCK_SEQPACKET);
	shut(&n.t);
	EXPECT_EQ(8, shc_send(n.g[0], &op, "fourth..", 8, 0));
	EXPECT_EQ(0, take(n.g[1], &res));
	EXPECT_EQ(3, res.op);
	two_end(_metadata, &n);
}

/* Record numbers begin just below 2^32. A kernel with 32-bit record numbers would lose records. */
TEST(no_record_is_lost_when_record_numbers_exceed_32_bits)
{
	struct hypercube_op op = sum(1, 8);
	struct hypercube_result res;
	unsigned int i, u;
	struct two n;

	two_start(_metadata, &n, 1);
	for (i = 0; i < 300; i++) {
		for (u = 0; u < 2; u++)
			ASSERT_EQ(8, give(n.g[u], 1));
		ASSERT_EQ(0, take(n.g[0], &res));
		ASSERT_EQ(0, take(n.g[1], &res));
		/* A failed call uses up record numbers, which must do no harm. */
		EXPECT_EQ(-EFAULT, shc_send(n.g[1], &op, (void *)8, 8, 0));
	}
	two_end(_metadata, &n);
}

/* Become user @uid, bind a socket of each kind at node 1, and report this through the pipe @ready.
 * When the pipe @go has a byte, check that the sockets fail as those of a former owner must.
 * Return: 0, or a number that shows which check has failed.
 */
static int user(const char *name, unsigned int uid, int ready, int go)
{
	struct hypercube_result res;
	int fd[3], i;
	char byte;

	if (setresuid(uid, uid, uid))
		return 100;
	fd[0] = shc_bound(name, 1, SOCK_SEQPACKET);
	fd[1] = shc_connected(name, 1, 1);
	fd[2] = shc_bound(name, 1, SOCK_DGRAM);
	for (i = 0; i < 3; i++)
		if (fd[i] < 0)
			return 101 + i;
	if (give(fd[1], 1) != 8 || write(ready, "", 1) != 1)
		return 110;
	if (!readable(fd[1], 5) || write(ready, "", 1) != 1 || read(go, &byte, 1) != 1)
		return 115;
	if (take(fd[1], &res) || take(fd[1], &res) != EACCES || take(fd[1], &res) != EACCES)
		return 111;
	if (give(fd[0], 2) != -EACCES || give(fd[1], 1) != -EACCES)
		return 112;
	if (sock_sibling(fresh(SOCK_SEQPACKET), fd[0], 1) != -EACCES)
		return 116;
	if (recv(fd[2], &byte, 1, 0) >= 0 || errno != EACCES)
		return 113;
	return shc_bound(name, 1, SOCK_SEQPACKET) == -EACCES ? 0 : 114;
}

TEST(new_node_owner_unbinds_sockets_of_previous_owner)
{
	struct hypercube_op big_op = sum(1, 8);
	struct hypercube_result res;
	int ready[2], go[2], status, g, fd[3];
	struct cube c;
	pid_t pid;
	char byte;

	ASSERT_EQ(0, start(&c, 2));
	ASSERT_EQ(0, ctl_node_owner(c.name, 1, 1000));
	ASSERT_EQ(0, pipe(ready) | pipe(go));
	pid = fork();
	if (!pid)
		_exit(user(c.name, 1000, ready[1], go[0]));
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	g = shc_bound(c.name, 0, SOCK_SEQPACKET);
	EXPECT_EQ(8, give(g, 1));
	EXPECT_EQ(0, take(g, &res));
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	EXPECT_EQ(8, shc_send(g, &big_op, &v, 8, 0));
	/* Setting the same owner again changes nothing. Setting another owner unbinds all sockets
	 * of the previous owner.
	 */
	ASSERT_EQ(0, ctl_node_owner(c.name, 1, 1000));
	EXPECT_EQ(-EADDRINUSE, shc_bound(c.name, 1, SOCK_SEQPACKET));
	ASSERT_EQ(0, ctl_node_owner(c.name, 1, 1001));
	EXPECT_EQ(-ECONNRESET, take(g, &res));
	fd[0] = shc_bound(c.name, 1, SOCK_SEQPACKET);
	fd[1] = shc_connected(c.name, 1, 1);
	fd[2] = shc_bound(c.name, 1, SOCK_DGRAM);
	EXPECT_LE(0, fd[0]);
	EXPECT_LE(0, fd[1]);
	EXPECT_LE(0, fd[2]);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
	/* If the owner changes, sockets that an administrator has bound remain bound. */
	ASSERT_EQ(0, ctl_node_owner(c.name, 1, 1002));
	EXPECT_EQ(8, give(g, 1));
	EXPECT_EQ(8, give(fd[1], 1));
	EXPECT_EQ(0, take(fd[1], &res));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
