// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: invalid requests are refused with an errno and an extack, and change nothing.
 * Other tests check which users may change a configuration, and that random requests do no harm.
 *
 * Scheduling: shared
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cube.h"
#include "ktap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* An attribute: the string @s or, if it is NULL, @len bytes of @v. */
struct at {
	int type;
	const char *s;
	unsigned int len;
	uint64_t v;
};

#define STR(t, s)	{ t, s, 0, 0 }
#define U8(t, v)	{ t, NULL, 1, v }
#define U32(t, v)	{ t, NULL, 4, v }
#define U64(t, v)	{ t, NULL, 8, v }
#define FLAG(t)		{ t, NULL, 0, 0 }
/* The attribute with the name of the test's fabric; request() replaces "@" by the name. */
#define FABRIC		STR(1, "@")

/* A request with its attributes, and the error with which it must be refused, a positive errno. */
struct row {
	int cmd;
	int err;
	struct at at[7];
};

static const struct row fabric_rows[] = {
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL, { { 0 } } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL, { STR(1, "x") } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL, { U32(3, 3) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL, { STR(1, ""), U32(3, 3) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL, { STR(1, "0x"), U32(3, 3) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL, { STR(1, "-x"), U32(3, 3) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL, { STR(1, "a/b"), U32(3, 3) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL, { STR(1, "a b"), U32(3, 3) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL, { STR(1, "a%d"), U32(3, 3) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL, { STR(1, "\xc3\xa4"), U32(3, 3) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, ERANGE, { STR(1, "elevenchars"), U32(3, 3) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL, { { 1, NULL, 2, 0x7878 }, U32(3, 3) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EEXIST, { FABRIC, U32(3, 3) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, ERANGE, { STR(1, "x"), U32(3, 0) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, ERANGE, { STR(1, "x"), U32(3, 13) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, ERANGE, { STR(1, "x"), U32(3, ~0u) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL, { STR(1, "x"), U8(3, 3) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL, { STR(1, "x"), U64(3, 3) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, ERANGE, { STR(1, "x"), U32(3, 3), U32(4, 255) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, ERANGE, { STR(1, "x"), U32(3, 3), U32(4, 32769) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, ERANGE, { STR(1, "x"), U32(3, 3), U32(2, 0) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, ERANGE,
	  { STR(1, "x"), U32(3, 3), U32(2, HYPERCUBE_FABRIC_ID_MAX + 1) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL, { STR(1, "x"), U32(3, 3), U64(2, 1) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL,
	  { STR(1, "x"), U32(3, 3), U32(HYPERCUBE_A_FABRIC_INDEX, 1) } },
	{ HYPERCUBE_CMD_FABRIC_NEW, EINVAL, { STR(1, "x"), U32(3, 3), U32(99, 1) } },
	{ HYPERCUBE_CMD_FABRIC_DEL, EINVAL, { { 0 } } },
	{ HYPERCUBE_CMD_FABRIC_DEL, ENOENT, { STR(1, "nosuch") } },
	{ HYPERCUBE_CMD_FABRIC_DEL, EINVAL, { FABRIC, U32(3, 3) } },
	{ HYPERCUBE_CMD_FABRIC_SET, EINVAL, { FABRIC } },
	{ HYPERCUBE_CMD_FABRIC_SET, EINVAL, { U32(HYPERCUBE_A_FABRIC_STALL_TIMEOUT, 1) } },
	{ HYPERCUBE_CMD_FABRIC_SET, ENOENT,
	  { STR(1, "nosuch"), U32(HYPERCUBE_A_FABRIC_STALL_TIMEOUT, 1) } },
	{ HYPERCUBE_CMD_FABRIC_SET, EINVAL, { FABRIC, U32(4, 1024) } },
	{ HYPERCUBE_CMD_FABRIC_SET, ERANGE,
	  { FABRIC, U32(HYPERCUBE_A_FABRIC_STALL_TIMEOUT, HYPERCUBE_STALL_TIMEOUT_MAX + 1) } },
	{ HYPERCUBE_CMD_FABRIC_SET, EINVAL, { FABRIC, U64(HYPERCUBE_A_FABRIC_STALL_TIMEOUT, 1) } },
	{ HYPERCUBE_CMD_FABRIC_GET, EINVAL, { { 0 } } },
	{ HYPERCUBE_CMD_FABRIC_GET, ENOENT, { STR(1, "nosuch") } },
	{ HYPERCUBE_CMD_FAULT_CLEAR, EINVAL, { { 0 } } },
	{ HYPERCUBE_CMD_FAULT_CLEAR, ENOENT, { STR(1, "nosuch") } },
	{ HYPERCUBE_CMD_DETECT, EINVAL, { { 0 } } },
	{ HYPERCUBE_CMD_DETECT, ENOENT, { STR(1, "nosuch") } },
	{ HYPERCUBE_CMD_DETECT, ERANGE, { FABRIC, U32(2, 10001) } },
	{ HYPERCUBE_CMD_DETECT, EINVAL, { FABRIC, U32(3, 1) } },
};

#define NODE_ID		HYPERCUBE_A_NODE_ID
#define NODE_FAILED	HYPERCUBE_A_NODE_FAILED
#define NODE_PID	HYPERCUBE_A_NODE_NETNS_PID
#define NODE_FD		HYPERCUBE_A_NODE_NETNS_FD
#define LINK_NODE	HYPERCUBE_A_LINK_NODE
#define LINK_DIM	HYPERCUBE_A_LINK_DIM
#define LINK_DOWN	HYPERCUBE_A_LINK_DOWN
#define ROUTE_SRC	HYPERCUBE_A_ROUTE_SRC
#define ROUTE_DST	HYPERCUBE_A_ROUTE_DST

static const struct row node_rows[] = {
	{ HYPERCUBE_CMD_NODE_SET, EINVAL, { { 0 } } },
	{ HYPERCUBE_CMD_NODE_SET, EINVAL, { FABRIC } },
	{ HYPERCUBE_CMD_NODE_SET, EINVAL, { U32(NODE_ID, 1), U8(NODE_FAILED, 1) } },
	{ HYPERCUBE_CMD_NODE_SET, ENOENT, { STR(1, "nosuch"), U32(NODE_ID, 1) } },
	{ HYPERCUBE_CMD_NODE_SET, ERANGE, { FABRIC, U32(NODE_ID, 8), U8(NODE_FAILED, 1) } },
	{ HYPERCUBE_CMD_NODE_SET, ERANGE, { FABRIC, U32(NODE_ID, 4096), U8(NODE_FAILED, 1) } },
	{ HYPERCUBE_CMD_NODE_SET, ERANGE, { FABRIC, U32(NODE_ID, ~0u), U8(NODE_FAILED, 1) } },
	{ HYPERCUBE_CMD_NODE_SET, ERANGE, { FABRIC, U32(NODE_ID, 1), U8(NODE_FAILED, 2) } },
	{ HYPERCUBE_CMD_NODE_SET, EINVAL, { FABRIC, U32(NODE_ID, 1), U32(NODE_FAILED, 1) } },
	{ HYPERCUBE_CMD_NODE_SET, EINVAL,
	  { FABRIC, U32(NODE_ID, 1), U32(HYPERCUBE_A_NODE_FAULT, 1) } },
	{ HYPERCUBE_CMD_NODE_SET, ESRCH, { FABRIC, U32(NODE_ID, 1), U32(NODE_PID, 4000000) } },
	{ HYPERCUBE_CMD_NODE_SET, EBADF, { FABRIC, U32(NODE_ID, 1), U32(NODE_FD, 1000) } },
	{ HYPERCUBE_CMD_NODE_SET, EINVAL, { FABRIC, U32(NODE_ID, 1), U32(NODE_FD, 0) } },
	{ HYPERCUBE_CMD_NODE_SET, EINVAL,
	  { FABRIC, U32(NODE_ID, 1), U32(NODE_FD, 0), U32(NODE_PID, 1) } },
	{ HYPERCUBE_CMD_NODE_GET, EINVAL, { FABRIC } },
	{ HYPERCUBE_CMD_NODE_GET, ERANGE, { FABRIC, U32(NODE_ID, 8) } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL, { { 0 } } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL, { FABRIC, U32(LINK_NODE, 1) } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL, { FABRIC, U32(LINK_DIM, 1) } },
	{ HYPERCUBE_CMD_LINK_SET, ERANGE, { FABRIC, U32(LINK_NODE, 8), U32(LINK_DIM, 1) } },
	{ HYPERCUBE_CMD_LINK_SET, ERANGE, { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 3) } },
	{ HYPERCUBE_CMD_LINK_SET, ERANGE, { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 12) } },
	{ HYPERCUBE_CMD_LINK_SET, ERANGE,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1), U8(LINK_DOWN, 2) } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1), U32(LINK_DOWN, 1) } },
	{ HYPERCUBE_CMD_LINK_SET, ERANGE,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1), U32(HYPERCUBE_A_LINK_LOSS, 1000001) } },
	{ HYPERCUBE_CMD_LINK_SET, ERANGE,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1),
	    U64(HYPERCUBE_A_LINK_MODEL_LATENCY, ~0ull) } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1), U8(LINK_DOWN, 1),
	    FLAG(HYPERCUBE_A_LINK_ONE_WAY) } },
	{ HYPERCUBE_CMD_LINK_SET, ERANGE,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1), U32(HYPERCUBE_A_LINK_CORRUPT, ~0u) } },
	{ HYPERCUBE_CMD_LINK_SET, ERANGE,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1),
	    U32(HYPERCUBE_A_LINK_DUPLICATE, 1000001) } },
	{ HYPERCUBE_CMD_LINK_SET, ERANGE,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1),
	    U64(HYPERCUBE_A_LINK_DELAY, 1000000001) } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1), U64(HYPERCUBE_A_LINK_DELAY, 1000),
	    U64(HYPERCUBE_A_LINK_JITTER, 1001) } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1), U64(HYPERCUBE_A_LINK_JITTER, 1) } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1), U64(HYPERCUBE_A_LINK_RATE, 31999) } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1),
	    U32(HYPERCUBE_A_LINK_FLAP_PERIOD, 300) } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1), U32(HYPERCUBE_A_LINK_FLAP_DOWN, 50) } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1), U32(HYPERCUBE_A_LINK_FLAP_DOWN, 9),
	    U32(HYPERCUBE_A_LINK_FLAP_PERIOD, 300) } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1), U32(HYPERCUBE_A_LINK_FLAP_DOWN, 300),
	    U32(HYPERCUBE_A_LINK_FLAP_PERIOD, 305) } },
	{ HYPERCUBE_CMD_LINK_SET, ERANGE,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1), U32(HYPERCUBE_A_LINK_FLAP_DOWN, ~0u),
	    U32(HYPERCUBE_A_LINK_FLAP_PERIOD, 300) } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1), U32(HYPERCUBE_A_LINK_FLAP_DOWN, 50),
	    U32(HYPERCUBE_A_LINK_FLAP_PERIOD, 300), FLAG(HYPERCUBE_A_LINK_ONE_WAY) } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1), U8(LINK_DOWN, 0),
	    U32(HYPERCUBE_A_LINK_FLAP_DOWN, 50), U32(HYPERCUBE_A_LINK_FLAP_PERIOD, 300) } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1),
	    U64(HYPERCUBE_A_LINK_CORRUPTED, 1) } },
	{ HYPERCUBE_CMD_LINK_SET, EINVAL,
	  { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 1), U32(HYPERCUBE_A_LINK_STATE, 1) } },
	{ HYPERCUBE_CMD_LINK_GET, ERANGE, { FABRIC, U32(LINK_NODE, 1), U32(LINK_DIM, 3) } },
	{ HYPERCUBE_CMD_PLAN_DEL, EINVAL, { FABRIC } },
	{ HYPERCUBE_CMD_PLAN_DEL, ENOENT, { FABRIC, U32(2, 77) } },
	{ HYPERCUBE_CMD_PLAN_DEL, ERANGE, { FABRIC, U32(2, 0) } },
	{ HYPERCUBE_CMD_PLAN_SET, EINVAL, { FABRIC } },
	{ HYPERCUBE_CMD_PLAN_SET, EINVAL, { FABRIC, U32(2, 77) } },
	{ HYPERCUBE_CMD_PLAN_SET, ENOENT,
	  { FABRIC, U32(2, 77), U32(HYPERCUBE_A_PLAN_GUARD_UID, 1) } },
	{ HYPERCUBE_CMD_PLAN_GET, EINVAL, { FABRIC } },
	{ HYPERCUBE_CMD_PLAN_GET, ENOENT, { FABRIC, U32(2, 77) } },
	{ HYPERCUBE_CMD_ROUTE_GET, EINVAL, { { 0 } } },
	{ HYPERCUBE_CMD_ROUTE_GET, EINVAL, { FABRIC, U32(ROUTE_SRC, 1) } },
	{ HYPERCUBE_CMD_ROUTE_GET, EINVAL, { FABRIC, U32(ROUTE_DST, 1) } },
	{ HYPERCUBE_CMD_ROUTE_GET, ERANGE, { FABRIC, U32(ROUTE_SRC, 1), U32(ROUTE_DST, 8) } },
	{ HYPERCUBE_CMD_ROUTE_GET, ERANGE, { FABRIC, U32(ROUTE_SRC, 4096), U32(ROUTE_DST, 1) } },
	{ HYPERCUBE_CMD_ROUTE_GET, EINVAL,
	  { FABRIC, U32(ROUTE_SRC, 1), U32(ROUTE_DST, 2), U32(HYPERCUBE_A_ROUTE_DIM, 1) } },
};

/* Send a request, with @name instead of "@", the name of the test's fabric. Return: 0 or a positive
 * errno.
 */
static int request(const char *name, const struct row *r, int flags)
{
	unsigned int i;

	nl_begin(ctl(), r->cmd, flags);
	for (i = 0; i < ARRAY_SIZE(r->at) && r->at[i].type; i++) {
		if (r->at[i].s)
			nl_str(ctl(), r->at[i].type, strcmp(r->at[i].s, "@") ? r->at[i].s : name);
		else
			nl_put(ctl(), r->at[i].type, &r->at[i].v, r->at[i].len);
	}
	return -nl_talk(ctl(), NULL, NULL);
}

/* Return: true if @err is the error @want. If a netlink policy refuses a length or a range, the
 * error is EINVAL or ERANGE, depending on the kernel version.
 */
static bool errno_right(int want, int err)
{
	if (want == ERANGE || want == EINVAL)
		return err == ERANGE || err == EINVAL;
	return err == want;
}

static void rows_check(struct __test_metadata *_metadata, const struct row *rows,
		       unsigned int n)
{
	struct cube c;
	unsigned int i;

	ASSERT_EQ(0, cube_new(&c, 3, 0));
	for (i = 0; i < n; i++) {
		int err = request(c.name, &rows[i], NLM_F_ACK);

		if (!errno_right(rows[i].err, err))
			TH_LOG("row %u: error %d, not %d: %s", i, err, rows[i].err, ctl()->extack);
		if (!ctl()->extack[0])
			TH_LOG("row %u: error %d says nothing", i, err);
		EXPECT_TRUE(errno_right(rows[i].err, err));
		EXPECT_TRUE(ctl()->extack[0]);
	}
	/* The refused requests have changed nothing. */
	ASSERT_EQ(0, cube_plan(&c, 1));
	ASSERT_EQ(0, cube_bind_all(&c));
	EXPECT_EQ(0, cube_reduce(&c, 1, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(invalid_fabric_requests_are_refused_with_message)
{
	rows_check(_metadata, fabric_rows, ARRAY_SIZE(fabric_rows));
}

TEST(invalid_node_link_and_plan_requests_are_refused_with_message)
{
	rows_check(_metadata, node_rows, ARRAY_SIZE(node_rows));
}

TEST(unknown_commands_are_refused_with_eopnotsupp)
{
	static const int cmds[] = {
		0, HYPERCUBE_CMD_FABRIC_NTF, HYPERCUBE_CMD_FABRIC_DEL_NTF, HYPERCUBE_CMD_OP_NTF,
		__HYPERCUBE_CMD_MAX, 255,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		struct row r = { .cmd = cmds[i] };

		EXPECT_EQ(EOPNOTSUPP, request("", &r, NLM_F_ACK));
	}
}

TEST(malformed_attributes_are_refused)
{
	static const unsigned short lens[] = { 0, 1, 3, 200, 65535 };
	struct nl *nl = ctl();
	struct cube c;
	unsigned int i;

	ASSERT_EQ(0, cube_new(&c, 2, 0));
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		struct nlattr *a;

		nl_begin(nl, HYPERCUBE_CMD_LINK_SET, NLM_F_ACK);
		nl_str(nl, HYPERCUBE_A_LINK_FABRIC, c.name);
		nl_u32(nl, LINK_NODE, 1);
		nl_u32(nl, LINK_DIM, 1);
		a = (struct nlattr *)(nl->buf + nl->len);
		nl_u8(nl, LINK_DOWN, 1);
		a->nla_len = lens[i];
		EXPECT_EQ(-EINVAL, nl_talk(nl, NULL, NULL));
		EXPECT_TRUE(nl->extack[0]);
	}
	ASSERT_EQ(0, cube_plan(&c, 1));
	ASSERT_EQ(0, cube_bind_all(&c));
	EXPECT_EQ(0, cube_reduce(&c, 1, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

static void count(void *arg, const struct nl_attrs *a)
{
	(void)a;
	++*(unsigned int *)arg;
}

static unsigned int dump(int cmd, const char *name, int *err)
{
	unsigned int n = 0;

	nl_begin(ctl(), cmd, NLM_F_DUMP);
	if (name)
		nl_str(ctl(), 1, name);
	*err = nl_talk(ctl(), count, &n);
	return n;
}

/* Run @fn as a user without privileges in a child process, in a network namespace whose owner may
 * still be root. Return: the exit status.
 */
static int as_other_user(int (*fn)(const char *name), const char *name)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(100);
		_exit(fn(name));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

static int read_all(const char *name)
{
	int err;

	return dump(HYPERCUBE_CMD_FABRIC_GET, NULL, &err) != 1 || err ||
	       dump(HYPERCUBE_CMD_NODE_GET, name, &err) != 8 || err ||
	       dump(HYPERCUBE_CMD_LINK_GET, name, &err) != 24 || err ||
	       dump(HYPERCUBE_CMD_PLAN_GET, name, &err) != 1 || err;
}

static int write_any(const char *name)
{
	return ctl_fabric_new("mine", 2, 0) != -EPERM || ctl_fabric_del(name) != -EPERM ||
	       ctl_link_down(name, 0, 0, true) != -EPERM ||
	       ctl_node_failed(name, 0, true) != -EPERM ||
	       ctl_node_owner(name, 0, 65534) != -EPERM ||
	       ctl_fault_clear(name) != -EPERM || ctl_plan_del(name, 1) != -EPERM;
}

static int no_fabric(const char *name)
{
	own_netns_done();
	/* Some systems forbid user namespaces. Skip the test on these systems. */
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return KSFT_SKIP;
	return ctl_fabric_new(name, 2, 0) != -EPERM || !strstr(ctl()->extack, "unprivileged");
}

static int own_fabric(const char *name)
{
	struct cube c;

	(void)name;
	own_netns_done();
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return KSFT_SKIP;
	return cube_new(&c, 2, 0) || cube_plan(&c, 1) || cube_bind_all(&c) ||
	       cube_reduce(&c, 1, NULL) || ctl_node_owner(c.name, 0, 65534) != -EINVAL ||
	       cube_del(&c);
}

TEST(unprivileged_user_may_read_but_not_change_fabrics)
{
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 3, 0));
	ASSERT_EQ(0, cube_plan(&c, 1));
	EXPECT_EQ(0, as_other_user(read_all, c.name));
	EXPECT_EQ(0, as_other_user(write_any, c.name));
	EXPECT_EQ(0, cube_del(&c));
}

/* Open a file and lock it. Return: its descriptor, or -errno. */
static int locked(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	return fd < 0 || flock(fd, LOCK_EX) ? -errno : fd;
}

/* Take the lock that prevents other tests from setting module parameters (lib/lib.sh). Return: 0 or
 * -errno.
 */
static int lock_parameters(void)
{
	int gate, fd;

	/* The time for which this test waits for other tests does not count towards its time limit.
	 */
	alarm(0);
	gate = locked("/run/hypercube-selftests.gate");
	fd = gate < 0 ? gate : locked("/run/hypercube-selftests");
	close(gate);
	alarm(test_timeout());
	return fd < 0 ? fd : 0;
}

/* Write @value to the module parameter "unprivileged". Return: 0, or other than 0 on an error. */
static int unprivileged(char value)
{
	int fd = open("/sys/module/hypercube/parameters/unprivileged", O_WRONLY);
	int err = fd < 0 || write(fd, &value, 1) != 1;

	close(fd);
	return err;
}

TEST(user_namespace_root_may_add_fabric_if_unprivileged_is_set)
{
	int status;

	ASSERT_EQ(0, lock_parameters());
	ASSERT_EQ(0, unprivileged('N'));
	status = as_other_user(no_fabric, "mine");
	if (status == KSFT_SKIP)
		SKIP(return, "no user namespaces for users");
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, unprivileged('Y'));
	EXPECT_EQ(0, as_other_user(own_fabric, NULL));
	EXPECT_EQ(0, unprivileged('N'));
}

static void count_fabrics(void *arg, const struct nl_attrs *a)
{
	(void)a;
	++*(unsigned int *)arg;
}

static unsigned int fabrics(struct nl *nl)
{
	unsigned int n = 0;

	nl_begin(nl, HYPERCUBE_CMD_FABRIC_GET, NLM_F_DUMP);
	return nl_talk(nl, count_fabrics, &n) ? ~0u : n;
}

static void fabric_request(struct nl *nl, int cmd)
{
	nl_begin(nl, cmd, NLM_F_ACK);
	nl_str(nl, HYPERCUBE_A_FABRIC_NAME, "big");
	if (cmd == HYPERCUBE_CMD_FABRIC_NEW)
		nl_u32(nl, HYPERCUBE_A_FABRIC_DIM, 6);
}

/* A request must be short: while it runs, no other process can register a netlink family, and
 * lookups of families wait. So the kernel finishes a large fabric after the request. The fabric is
 * normally unfinished when the next request is processed, unless this process gets no processor
 * time between the two requests. The same holds for the removal of a fabric.
 */
TEST(large_fabric_add_and_del_do_not_block_other_netlink_requests)
{
	unsigned int round, early = 0, late = 0;
	struct nl other;

	ASSERT_EQ(0, own_netns());
	ASSERT_EQ(0, nl_open(&other));
	for (round = 0; round < 20 && !(early && late); round++) {
		fabric_request(ctl(), HYPERCUBE_CMD_FABRIC_NEW);
		ASSERT_EQ(0, nl_submit(ctl()));
		early += !fabrics(&other);
		ASSERT_EQ(0, nl_receive(ctl(), NULL, NULL));
		ASSERT_EQ(1, fabrics(&other));
		fabric_request(ctl(), HYPERCUBE_CMD_FABRIC_DEL);
		ASSERT_EQ(0, nl_submit(ctl()));
		fabric_request(&other, HYPERCUBE_CMD_FABRIC_NEW);
		late += nl_talk(&other, NULL, NULL) == -EBUSY;
		ASSERT_EQ(0, nl_receive(ctl(), NULL, NULL));
		fabric_request(&other, HYPERCUBE_CMD_FABRIC_DEL);
		nl_talk(&other, NULL, NULL);
	}
	TH_LOG("of %u: not there yet %u times, not gone yet %u times", round, early, late);
	EXPECT_GT(early, 0);
	EXPECT_GT(late, 0);
	nl_shut(&other);
}

static int try_fabric(struct nl *nl)
{
	unsigned int tries;
	int err = -EBUSY;

	for (tries = 0; err == -EBUSY && tries < 1000; tries++) {
		usleep(10000);
		fabric_request(nl, HYPERCUBE_CMD_FABRIC_NEW);
		err = nl_talk(nl, NULL, NULL);
	}
	return err;
}

/* A process requests a fabric and exits. If the fabric is not finished by then, which is mostly the
 * case, it is removed; if it is, it remains.
 */
TEST(unfinished_fabric_is_removed_when_requester_exits)
{
	unsigned int round, undone = 0;
	struct nl other;

	ASSERT_EQ(0, own_netns());
	for (round = 0; round < 10 && !undone; round++) {
		int err;

		ASSERT_EQ(0, nl_open(&other));
		fabric_request(&other, HYPERCUBE_CMD_FABRIC_NEW);
		ASSERT_EQ(0, nl_submit(&other));
		nl_shut(&other);
		err = try_fabric(ctl());
		EXPECT_TRUE(!err || err == -EEXIST);
		undone += !err;
		ASSERT_EQ(0, ctl_fabric_del("big"));
	}
	TH_LOG("%u of %u were undone", undone, round);
	EXPECT_GT(undone, 0);
}

TEST(too_long_link_request_is_refused_with_emsgsize)
{
	struct nl *nl;
	struct cube c;
	int i;

	ASSERT_EQ(0, cube_new(&c, 2, 0));
	nl = ctl();
	nl_begin(nl, HYPERCUBE_CMD_LINK_SET, NLM_F_ACK);
	nl_str(nl, HYPERCUBE_A_LINK_FABRIC, c.name);
	nl_u32(nl, LINK_NODE, 0);
	nl_u32(nl, LINK_DIM, 0);
	for (i = 0; i < 1000; i++)
		nl_u8(nl, LINK_DOWN, 1);
	EXPECT_EQ(-EMSGSIZE, nl_talk(nl, NULL, NULL));
	EXPECT_EQ(0, strcmp("The request is too long", nl->extack));
	EXPECT_EQ(0, cube_del(&c));
}

static void named(const struct cube *c, int cmd, int flags, int attr)
{
	nl_begin(ctl(), cmd, flags);
	nl_str(ctl(), attr, c->name);
}

/* Build a valid request of a random kind; the caller then corrupts it. */
static void random_request(const struct cube *c)
{
	struct nl *nl = ctl();

	switch (below(4)) {
	case 0:
		named(c, HYPERCUBE_CMD_LINK_SET, NLM_F_ACK, HYPERCUBE_A_LINK_FABRIC);
		nl_u32(nl, LINK_NODE, below(8));
		nl_u32(nl, LINK_DIM, below(3));
		nl_u8(nl, LINK_DOWN, below(2));
		break;
	case 1:
		named(c, HYPERCUBE_CMD_NODE_SET, NLM_F_ACK, HYPERCUBE_A_NODE_FABRIC);
		nl_u32(nl, NODE_ID, below(8));
		nl_u8(nl, NODE_FAILED, below(2));
		break;
	case 2:
		named(c, HYPERCUBE_CMD_PLAN_DEL, NLM_F_ACK, HYPERCUBE_A_PLAN_FABRIC);
		nl_u32(nl, HYPERCUBE_A_PLAN_ID, 1 + below(3));
		break;
	default:
		named(c, HYPERCUBE_CMD_LINK_GET, NLM_F_DUMP, HYPERCUBE_A_LINK_FABRIC);
	}
}

TEST(fabric_works_after_randomly_corrupted_requests)
{
	unsigned int round, i, good = 0;
	struct nl *nl = ctl();
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 3, 0));
	nl = ctl();
	for (round = 0; round < scaled(3000); round++) {
		random_request(&c);
		/* Do not corrupt the netlink header: a request with an invalid header gets no
		 * answer.
		 */
		for (i = below(4); i; i--)
			nl->buf[20 + below((unsigned int)nl->len - 20)] ^= (char)(1 << below(8));
		if (!below(8))
			nl->len -= 4 * below(((unsigned int)nl->len - 20) / 4);
		good += !nl_talk(nl, NULL, NULL);
	}
	printf("# %u of %u requests were taken\n", good, round);
	ASSERT_EQ(0, cube_heal(&c));
	ASSERT_EQ(0, cube_plan(&c, 1));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
