// SPDX-License-Identifier: GPL-2.0
/*
 * Guarded plans at their limits: contributions and results that are too long for the ledger,
 * members and roots that change, and full buffers.
 *
 * Scheduling: alone
 */
#include <errno.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TESTS_TOGETHER
#include "cube.h"
#include "ktap.h"
#include "rings.h"

#define PLAN	1
#define GUARD_MS 20000

static unsigned char data[1 << 20];

/**
 * struct end - how the operations of a process ended
 * @n: number of ends
 * @failed: how many of them are failures
 * @status: status of the last operation that ended
 * @bytes: bytes of its result that have arrived
 * @wrong: bytes of all results that are not @filled of struct bench
 */
struct end {
	unsigned int n;
	unsigned int failed;
	int status;
	size_t bytes;
	size_t wrong;
};

/**
 * struct bench - a cube, and one contribution of each process at a time
 * @c: the cube
 * @sent: for each node, bytes of the contribution that the kernel has taken
 * @of: for each node, bytes of the whole contribution
 * @got: for each node, bytes of the current result
 * @filled: value that each byte of a result must have
 * @deaf: node that does not receive, if not 0
 * @end: for each node, the ends of its operations
 */
struct bench {
	struct cube c;
	size_t sent[CUBE_MAX];
	size_t of[CUBE_MAX];
	size_t got[CUBE_MAX];
	unsigned char filled;
	unsigned int deaf;
	struct end end[CUBE_MAX];
};

static int begin(struct bench *b, unsigned int dim, unsigned int segment, unsigned int guard)
{
	memset(b, 0, sizeof(*b));
	memset(data, 0, sizeof(data));
	ctl_guard(guard);
	return cube_new(&b->c, dim, segment) ?: cube_plan(&b->c, PLAN) ?: cube_bind_all(&b->c);
}

static int end(struct bench *b)
{
	ctl_guard(0);
	return cube_del(&b->c);
}

/* Begin a contribution of @bytes at node @u, with as many bytes as the kernel takes. Return: 0 or
 * -errno.
 */
static int give(struct bench *b, unsigned int u, unsigned int collective, size_t bytes)
{
	struct hypercube_op op = { .plan = PLAN, .collective = collective, .bytes = bytes };
	ssize_t n;

	if (collective != HYPERCUBE_ALLGATHER && collective != HYPERCUBE_ALLTOALL &&
	    collective != HYPERCUBE_SCATTER) {
		op.oper = HYPERCUBE_SUM;
		op.type = HYPERCUBE_U64;
	}
	n = shc_send(b->c.fd[u], &op, data, bytes, MSG_DONTWAIT);
	b->of[u] = n < 0 ? 0 : bytes;
	b->sent[u] = n < 0 ? 0 : n;
	return n < 0 ? n : 0;
}

static int give_all(struct bench *b, unsigned int collective, size_t bytes, unsigned int but)
{
	unsigned int u;
	int err = 0;

	for (u = 0; u < b->c.nodes && !err; u++)
		if (u != but && b->c.fd[u] >= 0)
			err = give(b, u, collective, bytes);
	return err;
}

/* Make one receive call at node @u, unless it is the node @b->deaf. */
static void take(struct bench *b, unsigned int u)
{
	static unsigned char buf[1 << 20];
	struct hypercube_result res;
	ssize_t n, i;
	bool eor;

	if (b->deaf && u == b->deaf)
		return;
	n = shc_recv(b->c.fd[u], buf, sizeof(buf), &res, &eor, MSG_DONTWAIT);
	if (n < 0)
		return;
	for (i = 0; i < n; i++)
		b->end[u].wrong += buf[i] != b->filled;
	b->got[u] += n;
	if (!eor)
		return;
	b->end[u].n++;
	b->end[u].failed += !!res.status;
	b->end[u].status = res.status;
	b->end[u].bytes = b->got[u];
	b->got[u] = 0;
}

/* For @ms, let all processes receive and send the rest of their contributions. */
static void go_on(struct bench *b, int ms)
{
	uint64_t until = now_ms() + wait_secs(ms);
	unsigned int u;

	do {
		for (u = 0; u < b->c.nodes; u++) {
			ssize_t n = b->of[u] - b->sent[u];

			if (b->c.fd[u] < 0)
				continue;
			if (n)
				n = shc_send(b->c.fd[u], NULL, data + b->sent[u], n, MSG_DONTWAIT);
			if (n > 0)
				b->sent[u] += n;
			else if (n == -ECONNABORTED)
				b->of[u] = b->sent[u];
			take(b, u);
		}
		usleep(200);
	} while (now_ms() < until);
}

/* Return: number of nodes with an open socket that do not have exactly @n ends, or whose last
 * operation has not ended with @status.
 */
static unsigned int ended_not(const struct bench *b, unsigned int n, int status)
{
	unsigned int u, wrong = 0;

	for (u = 0; u < b->c.nodes; u++) {
		const struct end *e = &b->end[u];

		if (b->c.fd[u] < 0 || (e->n == n && (!n || e->status == status) && !e->wrong))
			continue;
		printf("# node %u: %u ends, status %d, %zu bytes, %zu wrong\n", u, e->n, e->status,
		       e->bytes, e->wrong);
		wrong++;
	}
	return wrong;
}

/* Fail the link of the root in the first stage of the tree. */
static int fail_link(struct bench *b)
{
	unsigned int dim = b->c.plan.tree.order[0];

	return cube_fail_link(&b->c, b->c.plan.tree.sink ^ (1u << dim), dim);
}

static void set_buffers(struct bench *b, int bytes)
{
	unsigned int u;

	for (u = 0; u < b->c.nodes; u++) {
		setsockopt(b->c.fd[u], SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
		setsockopt(b->c.fd[u], SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	}
}

/* Return: bytes that are charged to the send buffer of node @u. */
static long charged(const struct bench *b, unsigned int u)
{
	__u32 info[SK_MEMINFO_VARS];
	socklen_t len = sizeof(info);

	return getsockopt(b->c.fd[u], SOL_SOCKET, SO_MEMINFO, info, &len) ? -1 :
	       (long)info[SK_MEMINFO_WMEM_ALLOC];
}

/* All frames of a leaf's contribution have been freed, as its parent has merged them. But the leaf
 * keeps the pages, and a copy of the last, short frame, until the operation ends, also when the
 * contribution has been submitted again.
 */
TEST(kept_contribution_is_charged_to_send_buffer_until_operation_ends)
{
	const size_t bytes = 6 * 4096 + 8;
	unsigned int leaf;
	struct bench b;
	long idle;

	ASSERT_EQ(0, begin(&b, 3, 4096, GUARD_MS));
	leaf = b.c.plan.tree.sink ^ 7;
	idle = charged(&b, leaf);
	EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLREDUCE, bytes, b.c.plan.tree.sink));
	go_on(&b, 50);
	EXPECT_GE(charged(&b, leaf), idle + (long)bytes);
	EXPECT_LE(charged(&b, leaf), idle + (long)(bytes + 7 * 2048));
	EXPECT_EQ(0, fail_link(&b));
	go_on(&b, 20);
	EXPECT_EQ(0, cube_plan_to(&b.c, PLAN, b.c.plan.tree.sink));
	go_on(&b, 100);
	EXPECT_GE(charged(&b, leaf), idle + (long)bytes);
	EXPECT_EQ(0, give(&b, b.c.plan.tree.sink, HYPERCUBE_ALLREDUCE, bytes));
	go_on(&b, 200);
	EXPECT_EQ(0, ended_not(&b, 1, 0));
	EXPECT_EQ(idle, charged(&b, leaf));
	EXPECT_EQ(0, end(&b));
}

/* As long as the process of the root has not contributed, data of the other members that are
 * already merged wait in these members' buffers.
 */
TEST(data_waits_in_buffers_until_late_root_contributes)
{
	unsigned int sink;
	struct bench b;

	ASSERT_EQ(0, begin(&b, 3, 4096, GUARD_MS));
	sink = b.c.plan.tree.sink;
	EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLREDUCE, 120000, sink));
	go_on(&b, 300);
	EXPECT_EQ(0, ended_not(&b, 0, 0));
	EXPECT_EQ(0, give(&b, sink, HYPERCUBE_ALLREDUCE, 120000));
	go_on(&b, 300);
	EXPECT_EQ(0, ended_not(&b, 1, 0));
	EXPECT_EQ(0, end(&b));
}

/* A contribution is longer than the send buffer, so the ledger does not have all of it. Its
 * operation fails once, with the cause of the fault, and the next one has a result.
 */
TEST(contribution_too_long_for_ledger_fails_once_with_cause)
{
	unsigned int node;
	struct bench b;

	ASSERT_EQ(0, begin(&b, 3, 4096, GUARD_MS));
	set_buffers(&b, 50000);
	node = b.c.plan.tree.sink ^ 7;
	EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLREDUCE, 120000, node));
	go_on(&b, 50);
	EXPECT_EQ(0, fail_link(&b));
	go_on(&b, 50);
	EXPECT_EQ(0, cube_plan(&b.c, PLAN));
	go_on(&b, 300);
	EXPECT_EQ(0, give(&b, node, HYPERCUBE_ALLREDUCE, 120000));
	go_on(&b, 300);
	EXPECT_EQ(0, ended_not(&b, 1, -ENOLINK));
	EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLREDUCE, 120000, CUBE_MAX));
	go_on(&b, 500);
	EXPECT_EQ(0, ended_not(&b, 2, 0));
	EXPECT_EQ(0, end(&b));
}

/* A reduction cannot go on if the next epoch has a new root, since then another process would get
 * the result.
 */
TEST(reduction_fails_if_next_epoch_has_another_root)
{
	unsigned int sink;
	struct bench b;

	ASSERT_EQ(0, begin(&b, 3, 4096, GUARD_MS));
	sink = b.c.plan.tree.sink;
	EXPECT_EQ(0, give_all(&b, HYPERCUBE_REDUCE, 8, sink ^ 7));
	go_on(&b, 50);
	EXPECT_EQ(0, cube_plan_to(&b.c, PLAN, sink ^ 1));
	EXPECT_EQ(0, give(&b, sink ^ 7, HYPERCUBE_REDUCE, 8));
	go_on(&b, 300);
	EXPECT_EQ(0, ended_not(&b, 1, -ESTALE));
	EXPECT_EQ(0, end(&b));
}

/* Contributions with a block for each of eight processes go on in an epoch of seven members. */
TEST(blocks_for_8_members_go_on_in_epoch_of_7)
{
	unsigned int dead;
	struct bench b;

	ASSERT_EQ(0, begin(&b, 3, 4096, GUARD_MS));
	dead = b.c.plan.tree.sink ^ 1;
	EXPECT_EQ(0, cube_fail_node(&b.c, dead));
	go_on(&b, 50);
	cube_close(&b.c, dead);
	EXPECT_EQ(0, give_all(&b, HYPERCUBE_REDUCE_SCATTER, 64, dead));
	EXPECT_EQ(0, cube_plan(&b.c, PLAN));
	go_on(&b, 300);
	EXPECT_EQ(0, ended_not(&b, 1, 0));
	EXPECT_EQ(0, end(&b));
}

/* The contribution of the root was cut into chunks for three members, and goes on in an epoch of
 * four members.
 */
TEST(blocks_for_3_members_go_on_in_epoch_of_4)
{
	struct bench b;

	memset(&b, 0, sizeof(b));
	memset(data, 0x11, sizeof(data));
	ctl_guard(GUARD_MS);
	ASSERT_EQ(0, cube_new(&b.c, 2, 16380));
	ASSERT_EQ(0, cube_fail_node(&b.c, 3));
	ASSERT_EQ(0, cube_plan_to(&b.c, PLAN, 0));
	ASSERT_EQ(0, cube_bind(&b.c, 0));
	ASSERT_EQ(0, cube_bind(&b.c, 1));
	ASSERT_EQ(0, cube_bind(&b.c, 2));
	EXPECT_EQ(0, cube_fail_link(&b.c, 0, 0));
	go_on(&b, 50);
	EXPECT_EQ(0, give(&b, 0, HYPERCUBE_ALLGATHER, 5460));
	EXPECT_EQ(0, cube_heal(&b.c));
	EXPECT_EQ(0, cube_bind(&b.c, 3));
	EXPECT_EQ(0, cube_plan_to(&b.c, PLAN, 0));
	go_on(&b, 50);
	give_all(&b, HYPERCUBE_ALLGATHER, 5460, 0);
	go_on(&b, 100);
	EXPECT_EQ(1, b.end[0].n);
	EXPECT_EQ(0, b.end[0].status);
	EXPECT_EQ(4 * 5460, b.end[0].bytes);
	EXPECT_EQ(0, end(&b));
}

/* The result is too long for the ledger, so the process gets it while its contribution is being
 * submitted again to the new epoch, which has no other member.
 */
TEST(only_member_of_new_epoch_gets_result_too_long_for_ledger)
{
	static uint32_t one[CUBE_MAX / 32];
	struct bench b;
	struct hc_tree t;

	ASSERT_EQ(0, begin(&b, 2, 4096, GUARD_MS));
	set_buffers(&b, 4 << 20);
	t = b.c.plan.tree;
	EXPECT_EQ(0, give(&b, t.sink, HYPERCUBE_ALLREDUCE, 400000));
	go_on(&b, 50);
	one[0] = 1u << t.sink;
	t.members = one;
	t.stages = 0;
	t.ndetours = 0;
	EXPECT_EQ(0, ctl_plan_new(b.c.name, PLAN, &t, b.c.faults->fault));
	go_on(&b, 300);
	EXPECT_EQ(1, b.end[t.sink].n);
	EXPECT_EQ(0, b.end[t.sink].status);
	EXPECT_EQ(400000, b.end[t.sink].bytes);
	EXPECT_EQ(0, end(&b));
}

/* Run six reductions of contributions of @bytes. @guard: the guard timeout in ms; @mixed: every
 * second contribution has 8 bytes instead. Return: the time that this takes in ms.
 */
static uint64_t reductions(unsigned int guard, size_t bytes, bool mixed)
{
	struct bench b;
	unsigned int i, u;
	uint64_t t;

	if (begin(&b, 2, 4096, guard))
		return UINT64_MAX;
	set_buffers(&b, 50000);
	t = now_ms();
	for (i = 0; i < 6; i++) {
		for (u = 0; u < 4; u++)
			while (give(&b, u, HYPERCUBE_REDUCE, mixed && i % 2 ? 8 : bytes) == -EAGAIN)
				go_on(&b, 0);
		while (b.end[b.c.plan.tree.sink].n <= i && now_ms() < t + 20000)
			go_on(&b, 0);
	}
	t = now_ms() - t;
	return end(&b) ? UINT64_MAX : t;
}

TEST(guarded_reductions_do_not_wait_for_ends_of_earlier_ones)
{
	EXPECT_GE(900 * (uint64_t)wait_secs(1), reductions(GUARD_MS, 60000, false));
	EXPECT_GE(900 * (uint64_t)wait_secs(1), reductions(GUARD_MS, 120000, true));
}

TEST(process_without_contribution_leaves_without_failing_others)
{
	unsigned int node;
	struct bench b;

	ASSERT_EQ(0, begin(&b, 3, 4096, GUARD_MS));
	node = b.c.plan.tree.sink ^ 7;
	EXPECT_EQ(0, fail_link(&b));
	go_on(&b, 50);
	cube_close(&b.c, node);
	EXPECT_EQ(0, cube_bind(&b.c, node));
	EXPECT_EQ(0, cube_plan(&b.c, PLAN));
	EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLREDUCE, 8, CUBE_MAX));
	go_on(&b, 300);
	EXPECT_EQ(0, ended_not(&b, 1, 0));
	EXPECT_EQ(0, end(&b));
}

/* If all nodes are Byzantine, they corrupt the data of processes, but not the control messages of
 * epochs.
 */
TEST(byzantine_nodes_do_not_block_next_epoch)
{
	unsigned int u, last;
	struct bench b;

	ASSERT_EQ(0, begin(&b, 3, 4096, GUARD_MS));
	last = b.c.plan.tree.sink ^ 7;
	EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLREDUCE, 8, last));
	for (u = 0; u < 8; u++)
		EXPECT_EQ(0, ctl_node_byzantine(b.c.name, u, 1000000, NULL, 0, u));
	EXPECT_EQ(0, fail_link(&b));
	go_on(&b, 20);
	EXPECT_EQ(0, cube_plan(&b.c, PLAN));
	go_on(&b, 300);
	for (u = 0; u < 8; u++)
		EXPECT_EQ(0, ctl_node_byzantine(b.c.name, u, 0, NULL, 0, -1));
	EXPECT_EQ(0, cube_plan(&b.c, PLAN));
	EXPECT_EQ(0, give(&b, last, HYPERCUBE_ALLREDUCE, 8));
	go_on(&b, 300);
	EXPECT_EQ(0, ended_not(&b, 1, 0));
	EXPECT_EQ(0, end(&b));
}

/* One process does not receive the last two of many long results, which all other processes
 * receive. The ledger has no space for all results, but it must have these two.
 */
TEST(full_ledger_keeps_latest_results)
{
	unsigned int i, deaf;
	struct bench b;
	int small = 4096;

	ASSERT_EQ(0, begin(&b, 3, 32768, GUARD_MS));
	set_buffers(&b, 1 << 20);
	deaf = b.c.plan.tree.sink ^ 7;
	for (i = 0; i < 14; i++) {
		EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLREDUCE, 200000, CUBE_MAX));
		go_on(&b, 60);
	}
	EXPECT_EQ(0, ended_not(&b, 14, 0));
	setsockopt(b.c.fd[deaf], SOL_SOCKET, SO_RCVBUFFORCE, &small, sizeof(small));
	b.deaf = deaf;
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLREDUCE, 200000, CUBE_MAX));
		go_on(&b, 100);
	}
	EXPECT_EQ(0, fail_link(&b));
	go_on(&b, 50);
	EXPECT_EQ(0, cube_plan_to(&b.c, PLAN, b.c.plan.tree.sink));
	b.deaf = 0;
	go_on(&b, 600);
	EXPECT_EQ(0, ended_not(&b, 16, 0));
	EXPECT_EQ(0, end(&b));
}

/* Return: true if all processes but that of @leaf have @n ends. */
static bool others_have(const struct bench *b, unsigned int leaf, unsigned int n)
{
	unsigned int u;

	for (u = 0; u < b->c.nodes; u++)
		if (u != leaf && b->end[u].n < n)
			return false;
	return true;
}

/* The results of 16 operations, of which the first is the longest, and the END of operation 16 are
 * on their way to a leaf when its link fails. So the leaf lacks more ends than a process may be
 * ahead, and the other members must distribute all of them.
 */
TEST(member_gets_long_result_although_it_lacks_more_ends_than_window)
{
	const struct impairments slow = { .delay = 700000000 };
	uint64_t until = deadline(20);
	unsigned int i, u, leaf, dim;
	struct bench b;

	ASSERT_EQ(0, begin(&b, 3, 4096, GUARD_MS));
	dim = b.c.plan.tree.order[0];
	leaf = b.c.plan.tree.sink ^ 7;
	EXPECT_EQ(0, ctl_link_impair(b.c.name, leaf, dim, &slow));
	for (i = 0; i < 16; i++)
		EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLREDUCE, i ? 8 : 2048, CUBE_MAX));
	for (u = 0; u < 8; u++)
		if (u != leaf)
			EXPECT_EQ(0, give(&b, u, HYPERCUBE_ALLREDUCE,
					  u == b.c.plan.tree.sink ? 16 : 8));
	while (!others_have(&b, leaf, 17) && now_ms() < until)
		go_on(&b, 2);
	EXPECT_EQ(0, b.end[leaf].n);
	EXPECT_EQ(0, cube_fail_link(&b.c, leaf, dim));
	usleep(20000);
	EXPECT_EQ(0, cube_plan_to(&b.c, PLAN, b.c.plan.tree.sink));
	go_on(&b, 300);
	for (u = 0; u < 8; u++) {
		EXPECT_EQ(u == leaf ? 16 : 17, b.end[u].n);
		EXPECT_EQ(u == leaf ? 0 : 1, b.end[u].failed);
	}
	EXPECT_EQ(0, end(&b));
}

/* The blocks of a scatter are together too long for a member's ledger, though each block is short.
 * The next epoch goes on with the operation after the scatter.
 */
TEST(scatter_too_long_for_ledger_does_not_block_next_epoch)
{
	unsigned int sink;
	struct bench b;

	ASSERT_EQ(0, begin(&b, 3, 32768, GUARD_MS));
	set_buffers(&b, 1 << 20);
	sink = b.c.plan.tree.sink;
	EXPECT_EQ(0, give(&b, sink, HYPERCUBE_SCATTER, 400000));
	for (unsigned int u = 0; u < b.c.nodes; u++)
		if (u != sink)
			EXPECT_EQ(0, give(&b, u, HYPERCUBE_SCATTER, 0));
	go_on(&b, 200);
	EXPECT_EQ(0, ended_not(&b, 1, 0));
	EXPECT_EQ(50000, b.end[sink ^ 7].bytes);
	EXPECT_EQ(0, fail_link(&b));
	go_on(&b, 50);
	EXPECT_EQ(0, cube_plan(&b.c, PLAN));
	EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLREDUCE, 8, CUBE_MAX));
	go_on(&b, 300);
	EXPECT_EQ(0, ended_not(&b, 2, 0));
	EXPECT_EQ(0, end(&b));
}

/* While the plan is broken, processes send contributions in short frames, which take more memory
 * than their payload, until the send buffers are full. The whole contribution would fit into the
 * ledger in frames of the next plan, of rings, but not in the short frames; so its rest could never
 * be sent. Therefore the operation must fail.
 */
TEST(operation_fails_if_short_frames_fill_send_buffers)
{
	struct bench b;

	ASSERT_EQ(0, begin(&b, 3, 512, GUARD_MS));
	set_buffers(&b, 512 << 10);
	EXPECT_EQ(0, fail_link(&b));
	EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLTOALL, 8 * 10000, CUBE_MAX));
	EXPECT_TRUE(b.sent[0] < b.of[0]);
	EXPECT_EQ(0, cube_rings_around(&b.c, PLAN, 0));
	go_on(&b, 1000);
	EXPECT_EQ(0, ended_not(&b, 1, -ESTALE));
	EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLTOALL, 64, CUBE_MAX));
	go_on(&b, 300);
	EXPECT_EQ(0, ended_not(&b, 2, 0));
	EXPECT_EQ(0, end(&b));
}

/* The guard timeouts of the members expire one after the other, within a second. If the next epoch
 * is installed in this time, the operation ends with the same cause at all members.
 */
TEST(operation_ends_at_all_members_if_guard_time_ends_at_some)
{
	unsigned int k, u, notified, last;
	struct bench b;

	for (k = 0; k < 4; k++) {
		ASSERT_EQ(0, begin(&b, 3, 4096, 1000));
		last = b.c.plan.tree.sink ^ 7;
		EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLREDUCE, 8, last));
		go_on(&b, 50);
		EXPECT_EQ(0, fail_link(&b));
		go_on(&b, 1150 + 200 * k);
		for (notified = 0, u = 0; u < 8; u++)
			notified += b.end[u].n;
		printf("# %u members had given up\n", notified);
		EXPECT_EQ(0, cube_plan(&b.c, PLAN));
		go_on(&b, 200);
		for (u = 0; u < 8; u++)
			if (u != last && notified)
				EXPECT_EQ(-ENOLINK, b.end[u].status);
		/* All members must continue with the same operation number. */
		memset(b.end, 0, sizeof(b.end));
		EXPECT_EQ(0, give(&b, last, HYPERCUBE_ALLREDUCE, 8));
		if (notified)
			EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLREDUCE, 8, last));
		go_on(&b, 200);
		if (notified)
			b.end[last] = b.end[last ^ 1];
		EXPECT_EQ(0, ended_not(&b, 1, notified ? b.end[last].status : 0));
		EXPECT_EQ(0, end(&b));
	}
}

/* Contributions that wait for the next epoch end if the plan or the fabric is removed. */
TEST(waiting_contributions_end_when_plan_or_fabric_is_removed)
{
	struct bench b;

	ASSERT_EQ(0, begin(&b, 3, 4096, GUARD_MS));
	EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLREDUCE, 20000, b.c.plan.tree.sink));
	EXPECT_EQ(0, fail_link(&b));
	go_on(&b, 50);
	EXPECT_EQ(0, ended_not(&b, 0, 0));
	b.end[b.c.plan.tree.sink] = (struct end){ .n = 1, .status = -ESTALE };
	EXPECT_EQ(0, ctl_plan_del(b.c.name, PLAN));
	go_on(&b, 50);
	EXPECT_EQ(0, ended_not(&b, 1, -ESTALE));
	EXPECT_EQ(0, cube_plan(&b.c, PLAN));
	EXPECT_EQ(0, give_all(&b, HYPERCUBE_ALLREDUCE, 20000, b.c.plan.tree.sink));
	EXPECT_EQ(0, fail_link(&b));
	go_on(&b, 50);
	EXPECT_EQ(0, ctl_fabric_del(b.c.name));
	go_on(&b, 50);
	EXPECT_EQ(-ENODEV, shc_send(b.c.fd[1], NULL, data, 1, MSG_DONTWAIT));
	ctl_guard(0);
	cube_del(&b.c);
}

TEST_HARNESS_MAIN
