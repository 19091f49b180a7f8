// SPDX-License-Identifier: GPL-2.0
/*
 * Dumps of all kinds while fabrics are created and removed, links flap and plans are replaced. No
 * dump fails, and a dump that is not marked as inconsistent has no duplicates.
 *
 * Scheduling: shared
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cube.h"
#include "ktap.h"

/* The entries of a dump: number of entries (@n) and of duplicates (@twice), the command of the dump
 * (@cmd), and a key of each entry (@key).
 */
struct seen {
	unsigned int n;
	unsigned int twice;
	int cmd;
	uint64_t key[4096];
};

static uint64_t hash(const char *s)
{
	uint64_t h = 5381;

	while (*s)
		h = h * 33 + (unsigned char)*s++;
	return h;
}

/* Add an entry of a dump to @arg, a struct seen. */
static void note(void *arg, const struct nl_attrs *a)
{
	const struct nlattr *name = nl_find(a, 1, 0);
	struct seen *s = arg;
	uint64_t key = name ? hash(nl_data(name)) << 24 : 0;
	unsigned int i;

	if (s->cmd != HYPERCUBE_CMD_FABRIC_GET)
		key |= nl_get_u32(a, 2, 0) << 8;
	if (s->cmd == HYPERCUBE_CMD_LINK_GET)
		key |= nl_get_u32(a, HYPERCUBE_A_LINK_DIM, 0);
	if (s->cmd == HYPERCUBE_CMD_OP_GET)
		key |= nl_get_u32(a, HYPERCUBE_A_OP_NODE, 0);
	for (i = 0; i < s->n; i++)
		s->twice += s->key[i] == key;
	if (s->n < 4096)
		s->key[s->n++] = key;
}

static int dump(int cmd, struct seen *s)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->cmd = cmd;
	nl_begin(ctl(), cmd, NLM_F_DUMP);
	err = nl_talk(ctl(), note, s);
	if (ctl()->dump_intr)
		s->twice = 0;
	return err;
}

static const int cmds[] = {
	HYPERCUBE_CMD_FABRIC_GET, HYPERCUBE_CMD_NODE_GET, HYPERCUBE_CMD_LINK_GET,
	HYPERCUBE_CMD_PLAN_GET, HYPERCUBE_CMD_OP_GET,
};

/* Create, change and remove fabrics until killed. */
static void churn(void)
{
	struct cube c;
	unsigned int i, node, dim;

	for (;;) {
		if (cube_new(&c, 1 + below(4), 0))
			_exit(1);
		for (i = below(20); i; i--) {
			cube_link(&c, below(c.dim * c.nodes / 2), &node, &dim);
			ctl_link_down(c.name, node, dim, below(2));
			ctl_plan_del(c.name, 1);
			cube_plan(&c, 1 + below(2));
			hc_faults_free(c.faults);
			c.faults = hc_faults_new(c.dim);
			ctl_fault_clear(c.name);
		}
		if (cube_del(&c))
			_exit(1);
	}
}

TEST(dumps_succeed_without_duplicates_while_fabrics_change)
{
	uint64_t end = now_ms() + 4000 * (unsigned int)wait_secs(1);
	unsigned int dumps = 0, objects = 0, i;
	static struct seen s;
	struct cube lasting;
	int status;
	pid_t pid;

	ASSERT_EQ(0, cube_new(&lasting, 3, 0));
	ASSERT_EQ(0, cube_plan(&lasting, 1));
	pid = fork();
	if (!pid) {
		/* The child works in the network namespace of the test, instead of a new one. */
		own_netns_done();
		churn();
	}
	while (now_ms() < end) {
		for (i = 0; i < ARRAY_SIZE(cmds); i++) {
			EXPECT_EQ(0, dump(cmds[i], &s));
			EXPECT_EQ(0, s.twice);
			dumps++;
			objects += s.n;
		}
	}
	printf("# %u dumps, %u objects\n", dumps, objects);
	EXPECT_EQ(0, kill(pid, 0));
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, cube_del(&lasting));
}

/* A dump that is not received to its end must not hold references to fabrics. */
TEST(unread_dump_does_not_hold_its_fabric)
{
	unsigned int i;

	for (i = 0; i < scaled(20); i++) {
		struct nl nl;
		struct cube c;
		struct nlmsghdr *h;

		ASSERT_EQ(0, cube_new(&c, 6, 0));
		ASSERT_EQ(0, nl_open(&nl));
		nl_begin(&nl, HYPERCUBE_CMD_LINK_GET, NLM_F_DUMP);
		h = (struct nlmsghdr *)nl.buf;
		h->nlmsg_len = (unsigned int)nl.len;
		ASSERT_EQ(nl.len, send(nl.fd, nl.buf, nl.len, 0));
		if (i % 2)
			nl_shut(&nl);
		EXPECT_EQ(0, cube_del(&c));
		if (i % 2 == 0)
			nl_shut(&nl);
	}
}

#define LONG_DIM	7
#define LONG_NODES	(1u << LONG_DIM)

/* Fail all links of a cube but those of a path that visits all nodes: node i ^ i >> 1 is number i
 * on the path. Return: 0 or -errno.
 */
static int fail_all_but_path(const char *name, struct hc_faults *f)
{
	unsigned int u, dim, at;
	int err = 0;

	for (dim = LONG_DIM; dim-- > 0;)
		for (at = 0; at < LONG_NODES && !err; at++) {
			u = at ^ at >> 1;
			/* Only one end of each link fails it. */
			if (u >> dim & 1 || (u ^ 1u << dim) == ((at + 1) ^ (at + 1) >> 1) ||
			    (at && (u ^ 1u << dim) == ((at - 1) ^ (at - 1) >> 1)))
				continue;
			hc_faults_link(f, u, dim);
			err = ctl_link_down(name, u, dim, true);
		}
	return err;
}

static void count_detours(void *arg, const struct nl_attrs *a)
{
	unsigned int *n = arg;

	while (nl_find(a, HYPERCUBE_A_PLAN_DETOUR, *n))
		++*n;
}

/* A dump has a plan that is longer than the default buffer, because of the paths of its detours. */
TEST(plan_with_many_long_detours_is_in_dump)
{
	static const uint8_t order[LONG_DIM] = { 6, 5, 4, 3, 2, 1, 0 };
	struct hc_faults *f = hc_faults_new(LONG_DIM);
	struct hc_tree_plan plan;
	unsigned int n = 0;
	struct nl nl;
	const char *why;

	ASSERT_TRUE(!!f);
	ASSERT_EQ(0, ctl_fabric_new("long", LONG_DIM, 0));
	ASSERT_EQ(0, fail_all_but_path("long", f));
	ASSERT_EQ(0, hc_plan_tree_fixed(f, 0, order, LONG_DIM, &plan, &why));
	EXPECT_GT(plan.tree.ndetours, LONG_NODES / 2);
	EXPECT_EQ(0, ctl_plan_new("long", 1, &plan.tree, f->fault));
	/* The kernel makes the buffers of a dump as large as the largest one with which the socket
	 * has received; this socket has received nothing.
	 */
	nl = *ctl();
	nl.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	nl_begin(&nl, HYPERCUBE_CMD_PLAN_GET, NLM_F_DUMP);
	EXPECT_EQ(0, nl_talk(&nl, count_detours, &n));
	EXPECT_EQ(plan.tree.ndetours, n);
	close(nl.fd);
	hc_tree_plan_free(&plan);
	hc_faults_free(f);
	EXPECT_EQ(0, ctl_fabric_del("long"));
}

TEST_HARNESS_MAIN
