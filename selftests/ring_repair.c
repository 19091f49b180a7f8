// SPDX-License-Identifier: GPL-2.0
/*
 * Plans of rings that repair themselves. Faults divide a cube into parts: a part is a set of live
 * nodes that healthy links connect. Whatever link or node fails, at any point of an operation, the
 * operation ends at every member, and after that operations of each part have the blocks of all its
 * members, without any user installing a plan.
 *
 * Scheduling: shared long
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ktap.h"
#include "rings.h"

#define PLAN	1
#define RECENT	64

/* The process of a node. @fd: its socket. @under_way: it has an operation under way. @sent: number
 * of contributions. @failed, @good: numbers of failures and of results received. @last: number of
 * the operation of the last result. @at: data of the current result.
 */
struct process {
	int fd;
	bool under_way;
	unsigned int sent;
	unsigned int failed;
	unsigned int good;
	uint64_t last;
	uint64_t at[CUBE_MAX];
};

/* The process of each node; a process exists as long as its socket. */
static struct process processes[CUBE_MAX];

/* A part of the cube. @n, @node: its nodes. @nr, @have: for recent operations, the number plus 1,
 * and how many nodes of the part have the result.
 */
struct part {
	const struct cube *c;
	unsigned int n;
	unsigned int node[CUBE_MAX];
	uint64_t nr[RECENT];
	unsigned int have[RECENT];
};

/* Contribute 8 bytes: the number of the node, and how often its process has contributed. Return:
 * true if the kernel took them.
 */
static bool contribute(struct process *p, unsigned int node)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLGATHER, .bytes = 8,
	};
	uint64_t own;

	p->sent++;
	own = node | (uint64_t)p->sent << 32;
	p->under_way = shc_send(p->fd, &op, &own, 8, 0) == 8;
	return p->under_way;
}

/* Return: true if the blocks of a result are in the order of their nodes, without duplicates, and
 * its operation is later than that of the previous result of this process.
 */
static bool in_order(struct process *p, const struct hypercube_result *res)
{
	unsigned int i;
	bool later = !p->good || res->op > p->last;

	p->last = res->op;
	for (i = 1; i < res->bytes / 8; i++)
		if ((p->at[i] & 0xffffffff) <= (p->at[i - 1] & 0xffffffff))
			return false;
	return later;
}

/* Return: true if the result has the block of each node of the part, and no other block. */
static bool blocks_right(const struct part *s, const struct process *p,
			 const struct hypercube_result *res)
{
	unsigned int i;

	for (i = 0; i < s->n && res->bytes == 8 * s->n; i++)
		if ((p->at[i] & 0xffffffff) != s->node[i])
			break;
	return i == s->n;
}

/* Process an end that process @i of the part has received. Return: 1 if all processes of the part
 * now have the result of this operation, 0 if they do not, -1 if the record is wrong.
 */
static int record_take(struct part *s, unsigned int i, const struct hypercube_result *res)
{
	struct process *p = &processes[s->node[i]];
	unsigned int slot = res->op % RECENT;

	p->under_way = false;
	if (res->status) {
		p->failed++;
		return 0;
	}
	if (!in_order(p, res))
		return -1;
	p->good++;
	/* The result may have blocks of nodes that have failed, if this node was not yet notified
	 * of that.
	 */
	if (!blocks_right(s, p, res))
		return 0;
	if (s->nr[slot] != res->op + 1)
		s->have[slot] = 0;
	s->nr[slot] = res->op + 1;
	return ++s->have[slot] == s->n;
}

/* Make one receive call at process @i of the part. Blocks may arrive in chunks, which the kernel
 * writes at their offsets in the buffer. Return: as record_take().
 */
static int process_receive(struct part *s, unsigned int i)
{
	struct hypercube_result res = { 0 };
	struct process *p = &processes[s->node[i]];
	bool eor = false;
	ssize_t n;

	n = shc_recv(p->fd, p->at, sizeof(p->at), &res, &eor, MSG_DONTWAIT);
	if (n < 0)
		return n == -EAGAIN ? 0 : -1;
	return eor ? record_take(s, i, &res) : 0;
}

static void report(const struct part *s, int rc)
{
	unsigned int i;

	cube_print_faults(s->c);
	ctl_op_print(s->c->name);
	printf("# %s\n", rc ? "a wrong result" : "some have no result");
	for (i = 0; i < s->n; i++)
		printf("# node %u: %u sent, %u good, %u failed\n", s->node[i],
		       processes[s->node[i]].sent, processes[s->node[i]].good,
		       processes[s->node[i]].failed);
}

/* Let all processes of the part contribute until all of them have the result of one operation with
 * exactly the blocks of the part. Return: false if this takes longer than the time limit, or if a
 * record is wrong.
 */
static bool goes_on(struct part *s)
{
	uint64_t end = deadline(20);
	struct pollfd fds[CUBE_MAX];
	unsigned int i;
	int rc = 0;

	memset(s->nr, 0, sizeof(s->nr));
	while (!rc && now_ms() < end) {
		for (i = 0; i < s->n; i++) {
			struct process *p = &processes[s->node[i]];

			if (!p->under_way && !contribute(p, s->node[i]))
				usleep(1000);
			fds[i] = (struct pollfd){ .fd = p->fd, .events = POLLIN };
		}
		poll(fds, s->n, 100);
		for (i = 0; i < s->n && !rc; i++)
			if (fds[i].revents & POLLIN)
				rc = process_receive(s, i);
	}
	if (rc <= 0)
		report(s, rc);
	return rc > 0;
}

/* Set @s to the part that has node @u. */
static void part_of(struct part *s, const struct cube *c, unsigned int u)
{
	uint32_t set[CUBE_MAX / 32] = { 0 };
	unsigned int v;

	memset(s, 0, sizeof(*s));
	s->c = c;
	hc_faults_component(c->faults, u, set);
	for (v = 0; v < c->nodes; v++)
		if (hc_set_has(set, v))
			s->node[s->n++] = v;
}

/* Wait until the kernel reports the plan as not broken, and as a tree of rings of all nodes of the
 * part. Return: false if this takes longer than @seconds.
 */
static bool plan_tells_within(const struct cube *c, const struct part *s, int seconds)
{
	const struct hc_ring_net net = hc_ring_cube(c->dim, c->faults->fault);
	uint64_t end = deadline(seconds);
	struct ring_view v;
	uint16_t home[CUBE_MAX];
	unsigned int i;

	/* Members already use the new plan for a short time before the repair coordinator is
	 * notified that all have it.
	 */
	do {
		usleep(1000);
		if (now_ms() > end || ctl_ring_get(c->name, PLAN, &v)) {
			printf("# the plan is told as broken, or not as a tree of healthy links\n");
			return false;
		}
	} while (v.broken || hc_ring_check(&v.tree, &net, home, NULL));
	for (i = 0; i < s->n; i++)
		if (!hc_set_has(v.members, s->node[i]) || home[s->node[i]] == HC_RING_NONE) {
			printf("# node %u is not told of among %x, %u nodes in %u rings\n",
			       s->node[i], v.members[0], v.tree.nnodes, v.tree.nrings);
			return false;
		}
	return v.tree.nnodes + 1 == s->n + v.tree.nrings;
}

/* As plan_tells_within(), within 10 s. */
static bool plan_tells(const struct cube *c, const struct part *s)
{
	return plan_tells_within(c, s, 10);
}

static int bind_all(struct cube *c)
{
	int err = cube_bind_all(c);
	unsigned int u;

	memset(processes, 0, sizeof(processes));
	for (u = 0; u < c->nodes; u++)
		processes[u].fd = c->fd[u];
	return err;
}

static int begin(struct cube *c, unsigned int dim, unsigned int width)
{
	struct rings r;
	int err = cube_new(c, dim, 0);

	if (!err)
		err = bind_all(c);
	if (err)
		return err;
	if (width)
		rings_random(&r, c, below(c->nodes), width);
	else
		rings_gray(&r, dim);
	r.repair = true;
	return cube_rings(c, PLAN, &r);
}

/* Let all nodes receive a first result, and let the nodes below @early contribute to the next
 * operation. Then let a node (@node >= 0) or a link fail. Return: true if operations of the live
 * nodes go on, and those that were under way end with success or with the fault as their cause.
 */
static bool survives(struct cube *c, unsigned int early, int node, unsigned int link)
{
	unsigned int i, u, d;
	struct part s;
	bool fine;

	part_of(&s, c, 0);
	fine = goes_on(&s);
	for (i = 0; i < early; i++)
		if (!processes[i].under_way)
			fine &= contribute(&processes[i], i);
	cube_link(c, link, &u, &d);
	fine &= !(node < 0 ? cube_fail_link(c, u, d) : cube_fail_node(c, (unsigned int)node));
	part_of(&s, c, node ? 0 : 1);
	fine = fine && goes_on(&s) && plan_tells(c, &s);
	return fine;
}

static bool one_fails(unsigned int early, unsigned int width, int node, unsigned int link)
{
	struct cube c;
	bool fine = !begin(&c, 3, width) && survives(&c, early, node, link);

	if (!fine)
		printf("# %u early, width %u, node %d, link %u\n", early, width, node, link);
	return !cube_del(&c) && fine;
}

/* Contributions are sent one after the other, so the number of those that are sent before the fault
 * determines the step of the operation at which it occurs.
 */
TEST(operations_go_on_after_fault_of_each_link_at_each_step)
{
	unsigned int early, i;

	for (early = 0; early <= 8; early += scaled(3) > 2 ? 2 : 4)
		for (i = 0; i < 12; i++)
			ASSERT_TRUE(one_fails(early, i & 1 ? 4 : 0, -1, i));
}

TEST(operations_go_on_after_fault_of_each_node_at_each_step)
{
	unsigned int early;
	int u;

	for (early = 0; early <= 8; early += scaled(3) > 2 ? 2 : 4)
		for (u = 0; u < 8; u++)
			ASSERT_TRUE(one_fails(early, u & 1 ? 4 : 0, u, 0));
}

/* Fail one to three random links and, in one of three calls, a random node. */
static void strike(struct cube *c)
{
	unsigned int i, u, d;

	for (i = 1 + below(3); i; i--) {
		cube_link(c, below(c->dim * c->nodes / 2), &u, &d);
		cube_fail_link(c, u, d);
	}
	if (!below(3))
		cube_fail_node(c, below(c->nodes));
}

/* Return: true if operations go on in every part of the cube. Operations that are under way at the
 * call may remain so.
 */
static bool parts_go_on(const struct cube *c)
{
	uint32_t done[CUBE_MAX / 32] = { 0 };
	unsigned int u, i;
	struct part s;

	for (u = 0; u < c->nodes; u++) {
		if (hc_set_has(done, u) || hc_set_has(c->faults->dead, u))
			continue;
		part_of(&s, c, u);
		for (i = 0; i < s.n; i++)
			hc_set_add(done, s.node[i]);
		if (!goes_on(&s))
			return false;
	}
	return true;
}

/* Faults occur repeatedly, also while the plan is being repaired. */
TEST(operations_go_on_after_random_link_and_node_faults)
{
	unsigned int round, i, dim;
	struct cube c;

	for (round = 0; round < scaled(12); round++) {
		dim = 4 + round % 2;
		ASSERT_EQ(0, begin(&c, dim, round % 3 ? 2 + below(6) : 0));
		for (i = 0; i < 3; i++) {
			strike(&c);
			if (below(2)) {
				usleep(below(20000));
				strike(&c);
			}
			EXPECT_TRUE(parts_go_on(&c));
		}
		ASSERT_EQ(0, cube_del(&c));
		if (test_failed(_metadata))
			break;
	}
}

TEST(alltoall_over_rings_with_repair_is_refused)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLTOALL, .bytes = 64,
	};
	struct cube c;
	char parts[64] = "";

	ASSERT_EQ(0, begin(&c, 3, 0));
	EXPECT_EQ(-EOPNOTSUPP, shc_send(c.fd[1], &op, parts, sizeof(parts), 0));
	EXPECT_TRUE(parts_go_on(&c));
	EXPECT_EQ(0, cube_del(&c));
}

/* Let all faults recover: operations must go on with all nodes. Then remove the cube. */
static void heals(struct __test_metadata *_metadata, struct cube *c)
{
	struct part s;

	ASSERT_EQ(0, cube_heal(c));
	part_of(&s, c, 0);
	ASSERT_EQ(8, s.n);
	EXPECT_TRUE(goes_on(&s));
	EXPECT_TRUE(plan_tells(c, &s));
	EXPECT_EQ(0, cube_del(c));
}

/* A node fails, and the other nodes go on without it. When the node recovers, its process takes
 * part again.
 */
TEST(recovered_node_takes_part_again)
{
	struct cube c;
	struct part s;

	ASSERT_EQ(0, begin(&c, 3, 0));
	ASSERT_EQ(0, cube_fail_node(&c, 5));
	part_of(&s, &c, 0);
	ASSERT_EQ(7, s.n);
	ASSERT_TRUE(goes_on(&s));
	heals(_metadata, &c);
}

/* Two halves of the cube go on separately. When they are connected again, operations include all
 * nodes.
 */
TEST(separated_halves_go_on_together_once_reconnected)
{
	unsigned int u;
	struct cube c;

	ASSERT_EQ(0, begin(&c, 3, 0));
	for (u = 0; u < 4; u++)
		ASSERT_EQ(0, cube_fail_link(&c, u, 2));
	ASSERT_TRUE(parts_go_on(&c));
	heals(_metadata, &c);
}

/* Let each node in the set @nodes contribute once, and wait for the ends. Return: true if all of
 * these operations succeed.
 */
static bool round_is_whole(unsigned int nodes)
{
	bool whole = true;
	unsigned int u;

	for (u = 0; u < 8; u++)
		if (nodes >> u & 1)
			whole &= contribute(&processes[u], u);
	for (u = 0; u < 8; u++)
		if (nodes >> u & 1) {
			whole &= !shc_ended(processes[u].fd);
			processes[u].under_way = false;
		}
	return whole;
}

/* Let each node in the set @nodes contribute, so that an operation is under way there. */
static void under_way(struct __test_metadata *_metadata, unsigned int nodes)
{
	unsigned int u;

	for (u = 0; u < 8; u++)
		if (nodes >> u & 1)
			ASSERT_TRUE(contribute(&processes[u], u));
	usleep(50000);
}

/* Check that the operation that is under way ends with @status at each node in the set @nodes. */
static void ends_with(struct __test_metadata *_metadata, unsigned int nodes, int status)
{
	unsigned int u;

	for (u = 0; u < 8; u++)
		if (nodes >> u & 1) {
			EXPECT_EQ(status, shc_ended(processes[u].fd));
			processes[u].under_way = false;
		}
}

/* Call round_is_whole() up to five times, until it returns true. */
static void whole_round(struct __test_metadata *_metadata, unsigned int nodes)
{
	unsigned int tries;

	for (tries = 0; tries < 5 && !round_is_whole(nodes); tries++)
		;
	ASSERT_TRUE(tries < 5);
}

/* Let the members of each of the @n parts go on separately. Then let all nodes except @late
 * contribute once more, and connect all parts again: the operations that are under way end with the
 * link fault as their cause. If a link fails before the nodes @late have received this end,
 * operations end once more with this cause. Then all nodes go on.
 */
static void meets(struct __test_metadata *_metadata, struct cube *c, const unsigned int *parts,
		  unsigned int n, unsigned int late)
{
	unsigned int i, there = 0;
	struct part s;

	for (i = 0; i < n; i++) {
		whole_round(_metadata, parts[i]);
		there |= parts[i] & ~late;
	}
	under_way(_metadata, there);
	ASSERT_EQ(0, cube_heal(c));
	ends_with(_metadata, there, -ENOLINK);
	part_of(&s, c, 0);
	ASSERT_TRUE(plan_tells(c, &s));
	under_way(_metadata, there);
	ASSERT_EQ(0, cube_fail_link(c, 0, 0));
	ends_with(_metadata, there, -ENOLINK);
	under_way(_metadata, late);
	ends_with(_metadata, late, -ENOLINK);
	whole_round(_metadata, 0xff);
	under_way(_metadata, 0x7f);
	ASSERT_EQ(0, cube_fail_link(c, 2, 2));
	under_way(_metadata, 0x80);
	ends_with(_metadata, 0xff, 0);
	heals(_metadata, c);
}

TEST(operations_under_way_end_when_separate_parts_reconnect)
{
	static const unsigned int halves[] = { 0x0f, 0xf0 };
	unsigned int u;
	struct cube c;

	ASSERT_EQ(0, begin(&c, 3, 0));
	for (u = 0; u < 4; u++)
		ASSERT_EQ(0, cube_fail_link(&c, u, 2));
	meets(_metadata, &c, halves, 2, 1u << 3 | 1u << 7);
}

TEST(operations_under_way_end_when_failed_node_recovers)
{
	static const unsigned int others = 0xdf;
	struct cube c;

	ASSERT_EQ(0, begin(&c, 3, 0));
	/* Only members that have taken part in an operation are notified of later failures. */
	whole_round(_metadata, 0xff);
	ASSERT_EQ(0, cube_fail_node(&c, 5));
	meets(_metadata, &c, &others, 1, 1u << 3 | 1u << 5);
}

/* A node recovers before the others have repaired the rings without it. If its process was notified
 * that an operation has failed, this operation must not go on at the node.
 */
TEST(operations_go_on_after_momentary_fault_of_node)
{
	unsigned int round, x;
	struct cube c;
	struct part s;

	for (round = 0; round < scaled(20); round++) {
		ASSERT_EQ(0, begin(&c, 3, round % 2 ? 4 : 0));
		whole_round(_metadata, 0xff);
		x = below(8);
		under_way(_metadata, below(2) ? 0xff & ~(1u << below(8)) : 1u << x);
		ASSERT_EQ(0, ctl_node_failed(c.name, x, true));
		ASSERT_EQ(0, ctl_node_failed(c.name, x, false));
		part_of(&s, &c, 0);
		ASSERT_EQ(8, s.n);
		EXPECT_TRUE(goes_on(&s));
		EXPECT_TRUE(plan_tells(&c, &s));
		ASSERT_EQ(0, cube_del(&c));
		if (test_failed(_metadata))
			break;
	}
}

TEST(rings_are_repaired_over_links_that_lose_frames)
{
	unsigned int i;
	struct cube c;
	struct part s;

	ASSERT_EQ(0, begin(&c, 3, 0));
	ASSERT_EQ(0, cube_lossy(&c, 100000, 0));
	for (i = 0; i < scaled(4); i++) {
		ASSERT_EQ(0, cube_fail_link(&c, below(8), below(3)));
		part_of(&s, &c, 0);
		if (s.n < 2)
			break;
		EXPECT_TRUE(goes_on(&s));
	}
	EXPECT_EQ(0, cube_del(&c));
}

/* Impair all links of a cube of eight nodes except those of node 0. */
static void others_impair(struct __test_metadata *_metadata, const struct cube *c,
			  const struct impairments *how)
{
	unsigned int i, u, d;

	for (i = 0; i < 12; i++) {
		cube_link(c, i, &u, &d);
		if (u)
			ASSERT_EQ(0, ctl_link_impair(c->name, u, d, how));
	}
}

/* The replies of node 7 take longer than the time for which neighbours of the repair coordinator
 * wait for its messages. The repair must go on nevertheless.
 */
TEST(rings_are_repaired_in_spite_of_late_replies)
{
	const struct impairments slow = { .delay = 900 * 1000000ull };
	const struct impairments none = { 0 };
	struct cube c;
	struct part s;

	ASSERT_EQ(0, begin(&c, 3, 0));
	others_impair(_metadata, &c, &slow);
	ASSERT_EQ(0, cube_fail_link(&c, 0, 0));
	part_of(&s, &c, 0);
	/* The repair takes the time of the notification of the fault, and of three requests of 3.6
	 * s each.
	 */
	EXPECT_TRUE(plan_tells_within(&c, &s, 18));
	others_impair(_metadata, &c, &none);
	EXPECT_TRUE(goes_on(&s));
	EXPECT_EQ(0, cube_del(&c));
}

/* The plan can be removed or replaced, and the fabric can be removed, while the plan is being
 * repaired, in any state of the members.
 */
TEST(plan_or_fabric_can_be_removed_during_repair)
{
	unsigned int round, u;
	struct rings r;
	struct cube c;
	struct part s;

	for (round = 0; round < scaled(40); round++) {
		ASSERT_EQ(0, begin(&c, 3, 0));
		for (u = 0; u < 8; u += 1 + round % 3)
			ASSERT_TRUE(contribute(&processes[u], u));
		ASSERT_EQ(0, cube_fail_link(&c, below(8), below(3)));
		usleep(below(8000));
		if (round % 3 == 1)
			ASSERT_EQ(0, ctl_plan_del(c.name, PLAN));
		if (round % 3 == 2) {
			rings_random(&r, &c, 0, 4);
			r.repair = true;
			ASSERT_EQ(0, cube_rings(&c, PLAN, &r));
			for (u = 0; u < 8; u++)
				cube_close(&c, u);
			ASSERT_EQ(0, bind_all(&c));
			part_of(&s, &c, 0);
			ASSERT_TRUE(goes_on(&s));
		}
		ASSERT_EQ(0, cube_del(&c));
	}
}

/* A plan repairs itself only if it was installed with REPAIR, which is valid only for plans of
 * rings.
 */
TEST(only_ring_plans_installed_with_repair_are_repaired)
{
	struct ring_view v;
	struct cube c;

	ASSERT_EQ(0, cube_rings_ready(&c, PLAN, 3, 0));
	ASSERT_EQ(0, ctl_ring_get(c.name, PLAN, &v));
	EXPECT_EQ(~0u, v.repairs);
	nl_begin(ctl(), HYPERCUBE_CMD_PLAN_NEW, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_PLAN_FABRIC, c.name);
	nl_u32(ctl(), HYPERCUBE_A_PLAN_ID, 2);
	nl_u32(ctl(), HYPERCUBE_A_PLAN_TYPE, HYPERCUBE_PLAN_TREE);
	nl_put(ctl(), HYPERCUBE_A_PLAN_REPAIR, NULL, 0);
	EXPECT_EQ(-EINVAL, nl_talk(ctl(), NULL, NULL));
	EXPECT_NE(NULL, strstr(ctl()->extack, "cannot repair"));
	ASSERT_EQ(0, cube_fail_link(&c, 0, 0));
	do {
		usleep(1000);
		ASSERT_EQ(0, ctl_ring_get(c.name, PLAN, &v));
	} while (!v.broken);
	EXPECT_EQ(8, v.tree.nnodes);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
