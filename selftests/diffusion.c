// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams in copies over paths that share no node: their delivery with Byzantine relays, with
 * losses, with invalid requests, and with sockets and fabrics that are removed meanwhile. As long
 * as there are no more Byzantine nodes than the number of copies allows for, no corrupted datagram
 * is delivered as right. diffusion_paths.c tests the paths.
 *
 * Scheduling: shared
 */
#include <linux/sock_diag.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "copies.h"
#include "ktap.h"

#define EVERY	HYPERCUBE_PPM_MAX

#define NOTHING	(~0u)

/* Send the number @msg from node @from to node 7. */
static bool post(const struct cube *c, unsigned int from, unsigned int msg)
{
	return copies_post(c, from, 7, &msg, sizeof(msg)) == sizeof(msg);
}

/* Send @msg from node 0 in @copies copies. The number of copies also applies to later messages of
 * node 0.
 */
static bool post_in(const struct cube *c, int copies, unsigned int msg)
{
	return !copies_set(c->fd[0], HYPERCUBE_COPIES, copies) && post(c, 0, msg);
}

/* Wait for a message at node 7. Return: this message, or NOTHING. */
static unsigned int take(const struct cube *c, struct copies_got *g)
{
	unsigned int said;

	return copies_take(c, 7, &said, sizeof(said), g) == sizeof(said) ? said : NOTHING;
}

/* Send @msg from node 0. Return: the message that node 7 receives, or NOTHING. */
static unsigned int passes(const struct cube *c, unsigned int msg, struct copies_got *g)
{
	return post(c, 0, msg) ? take(c, g) : NOTHING;
}

/* Return: true if no message is in the receive queue of node 7. */
static bool gets_none(const struct cube *c)
{
	struct copies_got g;
	unsigned int said;

	return copies_take_now(c, 7, &said, sizeof(said), &g) == -EAGAIN;
}

/* --- Byzantine relays --- */

TEST(corrupted_copy_is_outvoted_and_its_path_is_reported)
{
	static const char truth[] = "one of these is false";
	unsigned int byz, deliver;
	char said[sizeof(truth)];
	struct copies_got g;
	struct cube c;

	for (deliver = HYPERCUBE_DELIVER_MAJORITY; deliver <= HYPERCUBE_DELIVER_REPORT; deliver++) {
		ASSERT_EQ(0, copies_start(&c, 3, 3, deliver));
		for (byz = 1; byz < 7; byz++) {
			ASSERT_EQ(0, ctl_fault_clear(c.name));
			ASSERT_EQ(0, ctl_node_byzantine(c.name, byz, EVERY, NULL, 0, byz));
			ASSERT_EQ(sizeof(truth), copies_post(&c, 0, 7, truth, sizeof(truth)));
			ASSERT_EQ(sizeof(truth), copies_take(&c, 7, said, sizeof(said), &g));
			EXPECT_EQ(0, memcmp(said, truth, sizeof(truth)));
			EXPECT_EQ(3, g.v.copies);
			EXPECT_TRUE(copies_checked(&c, 7, byz));
			EXPECT_EQ(byz, copies_view(&c, 7).disagreed);
			if (deliver != HYPERCUBE_DELIVER_REPORT)
				continue;
			EXPECT_EQ(HYPERCUBE_VOTE_OUTCOME_OUTVOTED, g.v.outcome);
			EXPECT_EQ(1, __builtin_popcount(g.v.mismatch));
			EXPECT_EQ(0, g.v.missing);
			ASSERT_EQ(1, g.npaths);
			EXPECT_EQ(1, g.path[0].mismatch);
			EXPECT_EQ(g.v.mismatch, 1u << g.path[0].copy);
			EXPECT_TRUE(copies_on_path(0, &g.path[0], byz));
		}
		EXPECT_EQ(0, cube_del(&c));
	}
}

/* All relays but one flip the same bits: more than half of the copies are wrong, but not all of
 * them.
 */
TEST(identical_corruption_of_all_copies_but_one_is_detected)
{
	static const char truth[] = "believed by few";
	static const unsigned int nbyz[] = { 1, 2 };
	char said[sizeof(truth)];
	unsigned int i, bad = 0;
	struct copies_got g;
	struct cube c;

	ASSERT_EQ(0, copies_start(&c, 3, 3, HYPERCUBE_DELIVER_AGREED));
	for (i = 0; i < ARRAY_SIZE(nbyz); i++)
		ASSERT_EQ(0, ctl_node_byzantine(c.name, nbyz[i], EVERY, NULL, 0, 4711));
	for (i = 0; i < 20; i++)
		ASSERT_EQ(sizeof(truth), copies_post(&c, 0, 7, truth, sizeof(truth)));
	EXPECT_TRUE(copies_checked(&c, 7, 20));
	EXPECT_EQ(20, copies_view(&c, 7).disagreed);
	EXPECT_EQ(-EAGAIN, copies_take_now(&c, 7, said, sizeof(said), &g));
	/* More relays are Byzantine than a vote can correct: the majority of the copies is wrong. A
	 * receiver that requests reports gets the wrong data, and the report that copies were
	 * outvoted.
	 */
	ASSERT_EQ(0, copies_set(c.fd[7], HYPERCUBE_DELIVER, HYPERCUBE_DELIVER_REPORT));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(sizeof(truth), copies_post(&c, 0, 7, truth, sizeof(truth)));
		ASSERT_EQ(sizeof(truth), copies_take(&c, 7, said, sizeof(said), &g));
		bad += memcmp(said, truth, sizeof(truth)) != 0;
		EXPECT_EQ(HYPERCUBE_VOTE_OUTCOME_OUTVOTED, g.v.outcome);
	}
	EXPECT_EQ(20, bad);
	EXPECT_EQ(0, cube_del(&c));
}

/* What events have reported about votes: the number of events, and the attributes of the last one.
 */
struct event {
	unsigned int n;
	unsigned int node, src, outcome, copies, mismatch;
	struct hypercube_path path;
};

static void event_take(void *arg, const struct nl_attrs *a)
{
	const struct nlattr *path = nl_find(a, HYPERCUBE_A_VOTE_PATH, 0);
	struct event *e = arg;

	if (a->cmd != HYPERCUBE_CMD_VOTE_NTF)
		return;
	e->n++;
	e->node = nl_get_u32(a, HYPERCUBE_A_VOTE_NODE, ~0u);
	e->src = nl_get_u32(a, HYPERCUBE_A_VOTE_SRC, ~0u);
	e->outcome = nl_get_u32(a, HYPERCUBE_A_VOTE_OUTCOME, ~0u);
	e->copies = nl_get_u32(a, HYPERCUBE_A_VOTE_COPIES, ~0u);
	e->mismatch = nl_get_u32(a, HYPERCUBE_A_VOTE_MISMATCH, ~0u);
	if (path && path->nla_len == NLA_HDRLEN + sizeof(e->path))
		memcpy(&e->path, nl_data(path), sizeof(e->path));
}

TEST(each_copy_mismatch_causes_exactly_one_event)
{
	unsigned int i, msg = 77;
	struct event e = { 0 };
	struct cube c;
	struct nl nl;

	ASSERT_EQ(0, copies_start(&c, 3, 3, HYPERCUBE_DELIVER_AGREED));
	ASSERT_EQ(0, ctl_node_byzantine(c.name, 4, EVERY, NULL, 0, 1));
	ASSERT_EQ(0, nl_open_events(&nl));
	for (i = 1; i <= 10; i++) {
		ASSERT_EQ(sizeof(msg), copies_post(&c, 0, 7, &msg, sizeof(msg)));
		/* A vote whose copies agree causes no event. */
		ASSERT_EQ(sizeof(msg), copies_post(&c, 0, 4, &msg, sizeof(msg)));
		while (e.n < i)
			ASSERT_EQ(0, nl_listen(&nl, wait_secs(COPIES_SECONDS) * 1000, event_take,
					       &e));
		EXPECT_EQ(7, e.node);
		EXPECT_EQ(0, e.src);
		EXPECT_EQ(3, e.copies);
		EXPECT_EQ(HYPERCUBE_VOTE_OUTCOME_OUTVOTED, e.outcome);
		EXPECT_EQ(1u << e.path.copy, e.mismatch);
		EXPECT_TRUE(copies_on_path(0, &e.path, 4));
	}
	EXPECT_TRUE(copies_checked(&c, 7, 10));
	EXPECT_EQ(-EAGAIN, nl_listen(&nl, 0, event_take, &e));
	EXPECT_EQ(10, e.n);
	nl_shut(&nl);
	EXPECT_EQ(0, cube_del(&c));
}

#define BATCH	50

/* Send and receive a batch of datagrams between random nodes. @few: fewer than half of the copies
 * of a datagram can be corrupted. Return: number of wrong datagrams that were delivered as right,
 * or -1 if a datagram is missing.
 */
static int batch(struct cube *c, bool few)
{
	struct { unsigned int from, to, nr, rest[5]; } out[BATCH], in;
	unsigned int want[16] = { 0 }, i, j, u, wrong = 0;
	struct copies_got g;

	memset(out, 0, sizeof(out));
	for (i = 0; i < BATCH; i++) {
		out[i].from = below(c->nodes);
		out[i].to = (out[i].from + 1 + below(c->nodes - 1)) % c->nodes;
		out[i].nr = i;
		for (j = 0; j < 5; j++)
			out[i].rest[j] = rnd();
		want[out[i].to]++;
		if (copies_post(c, out[i].from, out[i].to, &out[i], sizeof(out[i])) !=
		    sizeof(out[i]))
			return -1;
	}
	for (u = 0; u < c->nodes; u++)
		for (i = 0; i < want[u]; i++) {
			long n = copies_take(c, u, &in, sizeof(in), &g);
			bool right = n == sizeof(in) && in.to == u && in.from == g.from &&
				     in.nr < BATCH && !memcmp(&in, &out[in.nr], sizeof(in));

			if (n < 0)
				return -1;
			/* A wrong datagram is an error if fewer than half of the copies can be
			 * corrupted (@few), or if all copies agree, since at least one of them is
			 * not corrupted.
			 */
			wrong += !right && (few || g.v.outcome == HYPERCUBE_VOTE_OUTCOME_AGREED);
		}
	return wrong;
}

/* With k copies, the wrong copies of up to (k - 1) / 2 Byzantine nodes are outvoted, and those of
 * up to k - 1 Byzantine nodes are detected, whether these nodes flip random bits or all the same
 * bits.
 */
TEST(corrupted_datagram_is_never_delivered_as_right)
{
	unsigned int rounds = scaled(200), round, i, notified = 0;
	struct cube c;

	ASSERT_EQ(0, copies_start(&c, 4, 4, HYPERCUBE_DELIVER_REPORT));
	for (round = 0; round < rounds; round++) {
		bool few = round % 2, alike = below(2);
		unsigned int nbyz = few ? 1 : 1 + below(3), u;

		ASSERT_EQ(0, ctl_fault_clear(c.name));
		for (i = 0; i < nbyz; i++)
			ASSERT_EQ(0,
				  ctl_node_byzantine(c.name, below(16), 1 + below(EVERY), NULL, 0,
						     alike ? round : (unsigned int)rnd()));
		/* Receivers request all datagrams with a report of the vote. In some rounds with
		 * few Byzantine nodes they request the majority of the copies instead.
		 */
		for (u = 0; u < c.nodes; u++)
			ASSERT_EQ(0, copies_set(c.fd[u], HYPERCUBE_DELIVER, few && round & 2 ?
					 HYPERCUBE_DELIVER_MAJORITY : HYPERCUBE_DELIVER_REPORT));
		ASSERT_EQ(0, batch(&c, few));
	}
	for (i = 0; i < c.nodes; i++)
		notified += copies_view(&c, i).lies;
	printf("# %u datagrams in 4 copies, %u lies\n", rounds * BATCH, notified);
	EXPECT_LE(rounds, notified);
	EXPECT_EQ(0, cube_del(&c));
}

/* ------------------------------------------------------------ missing copies */

/* Delay the frames that node 0 sends along dimension @dim by 1 s, which is longer than a receiver
 * in these tests waits for copies.
 */
static int delay_copies(const struct cube *c, unsigned int dim)
{
	const struct impairments late = { .delay = 1000000000 };

	return ctl_link_impair(c->name, 0, dim, &late);
}

/* Milliseconds for which a receiver waits for copies: less than the delay of delay_copies(), and
 * more than copies that are not delayed take.
 */
#define SHORT_WAIT	600

/* Make a new cube in which one of three copies is delayed. It can be used for one datagram only,
 * because a copy that arrives after the vote counts as a new datagram.
 */
static int late_start(struct cube *c, enum hypercube_deliver deliver)
{
	int err = copies_start(c, 3, 3, deliver);

	if (!err)
		err = copies_set(c->fd[7], HYPERCUBE_COPIES_WAIT, SHORT_WAIT);
	return err ? err : delay_copies(c, 2);
}

TEST(late_copies_count_as_missing_when_waiting_time_ends)
{
	struct copies_got g;
	struct cube c;

	/* The other two copies arrive in time, and are the majority. */
	ASSERT_EQ(0, late_start(&c, HYPERCUBE_DELIVER_MAJORITY));
	ASSERT_EQ(5, passes(&c, 5, &g));
	EXPECT_EQ(HYPERCUBE_VOTE_OUTCOME_INCOMPLETE, g.v.outcome);
	EXPECT_EQ(0, g.v.mismatch);
	EXPECT_LE(1, __builtin_popcount(g.v.missing));
	EXPECT_TRUE(copies_checked(&c, 7, 1));
	EXPECT_EQ(1, copies_view(&c, 7).incomplete);
	EXPECT_EQ(0, cube_del(&c));
	/* A receiver that requires all copies to agree gets nothing. */
	ASSERT_EQ(0, late_start(&c, HYPERCUBE_DELIVER_AGREED));
	ASSERT_TRUE(post(&c, 0, 1));
	EXPECT_TRUE(copies_checked(&c, 7, 1));
	EXPECT_TRUE(gets_none(&c));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(vote_report_names_paths_of_missing_copies)
{
	struct copies_got g;
	unsigned int none;
	struct cube c;

	ASSERT_EQ(0, late_start(&c, HYPERCUBE_DELIVER_REPORT));
	ASSERT_EQ(5, passes(&c, 5, &g));
	EXPECT_EQ(HYPERCUBE_VOTE_OUTCOME_INCOMPLETE, g.v.outcome);
	EXPECT_EQ(1, __builtin_popcount(g.v.missing));
	ASSERT_EQ(1, g.npaths);
	EXPECT_EQ(0, g.path[0].mismatch);
	EXPECT_EQ(2, g.path[0].dim[0]);
	EXPECT_EQ(0, cube_del(&c));
	/* If too few copies arrive, a receiver that requests reports gets a report without the
	 * bytes of the datagram.
	 */
	ASSERT_EQ(0, late_start(&c, HYPERCUBE_DELIVER_REPORT));
	ASSERT_EQ(0, delay_copies(&c, 1));
	ASSERT_TRUE(post(&c, 0, 1));
	ASSERT_EQ(0, copies_take(&c, 7, &none, sizeof(none), &g));
	EXPECT_EQ(HYPERCUBE_VOTE_OUTCOME_UNDECIDED, g.v.outcome);
	EXPECT_EQ(2, __builtin_popcount(g.v.missing));
	EXPECT_EQ(2, g.npaths);
	EXPECT_EQ(0, cube_del(&c));
}

/* If a receiver sets a shorter waiting time, the new time also applies to the two datagrams that
 * already wait for copies.
 */
TEST(shorter_waiting_time_applies_to_datagrams_already_waiting)
{
	struct copies_got g;
	struct cube c;

	ASSERT_EQ(0, copies_start(&c, 3, 3, HYPERCUBE_DELIVER_REPORT));
	ASSERT_EQ(0, delay_copies(&c, 2));
	ASSERT_TRUE(post(&c, 0, 5));
	ASSERT_TRUE(post(&c, 0, 6));
	usleep(100000);
	EXPECT_TRUE(gets_none(&c));
	ASSERT_EQ(0, copies_set(c.fd[7], HYPERCUBE_COPIES_WAIT, 10));
	EXPECT_EQ(5, take(&c, &g));
	EXPECT_EQ(6, take(&c, &g));
	EXPECT_EQ(0, cube_del(&c));
}

static uint32_t meminfo(int fd, unsigned int i)
{
	uint32_t m[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(m);

	getsockopt(fd, SOL_SOCKET, SO_MEMINFO, m, &len);
	return m[i];
}

TEST(memory_of_waiting_copies_is_bounded_by_receive_buffer)
{
	static char data[4096];
	unsigned int i, most = 0, m;
	uint64_t end;
	int buf = 65536;
	struct copies_got g;
	struct cube c;

	ASSERT_EQ(0, copies_start(&c, 3, 3, HYPERCUBE_DELIVER_AGREED));
	ASSERT_EQ(0, setsockopt(c.fd[7], SOL_SOCKET, SO_RCVBUF, &buf, sizeof(buf)));
	ASSERT_EQ(0, copies_set(c.fd[7], HYPERCUBE_COPIES_WAIT, SHORT_WAIT));
	ASSERT_EQ(0, delay_copies(&c, 2));
	for (i = 0; i < 400; i++) {
		ASSERT_EQ(sizeof(data), copies_post(&c, 0, 7, data, sizeof(data)));
		m = meminfo(c.fd[7], SK_MEMINFO_RMEM_ALLOC);
		most = m > most ? m : most;
	}
	printf("# at most %u bytes were kept of %zu\n", most, 400 * 2 * sizeof(data));
	EXPECT_LE(sizeof(data), most);
	/* The memory in use may exceed the limit by one copy and the record of its datagram. */
	EXPECT_GT(2 * buf + 16384, most);
	/* After this time the delayed copies have arrived, and every vote has ended. */
	usleep(1500000);
	end = deadline(COPIES_SECONDS);
	while (meminfo(c.fd[7], SK_MEMINFO_RMEM_ALLOC) && now_ms() < end)
		usleep(10000);
	EXPECT_EQ(0, meminfo(c.fd[7], SK_MEMINFO_RMEM_ALLOC));
	/* The receive buffer has space for a datagram now. */
	ASSERT_EQ(0, ctl_fault_clear(c.name));
	ASSERT_EQ(0, copies_set(c.fd[7], HYPERCUBE_COPIES_WAIT, HYPERCUBE_COPIES_WAIT_MAX));
	ASSERT_EQ(sizeof(data), copies_post(&c, 0, 7, data, sizeof(data)));
	EXPECT_EQ(sizeof(data), copies_take(&c, 7, data, sizeof(data), &g));
	EXPECT_EQ(0, cube_del(&c));
}

/* --- invalid requests, and removal --- */

TEST(datagram_in_fewer_copies_than_required_is_not_delivered)
{
	struct copies_got g;
	struct cube c;

	ASSERT_EQ(0, copies_start(&c, 3, 3, HYPERCUBE_DELIVER_AGREED));
	ASSERT_TRUE(post_in(&c, 1, 1));
	ASSERT_TRUE(post_in(&c, 2, 2));
	ASSERT_TRUE(post_in(&c, 3, 3));
	ASSERT_EQ(3, take(&c, &g));
	/* A node always accepts its own datagrams. */
	ASSERT_TRUE(post(&c, 7, 4));
	ASSERT_EQ(4, take(&c, &g));
	EXPECT_FALSE(g.checked);
	/* A receiver that requires only one copy accepts all datagrams. */
	ASSERT_EQ(0, copies_set(c.fd[7], HYPERCUBE_COPIES_LEAST, 1));
	ASSERT_TRUE(post_in(&c, 1, 5));
	ASSERT_EQ(5, take(&c, &g));
	EXPECT_FALSE(g.checked);
	EXPECT_EQ(0, cube_del(&c));
}

/* If a receiver raises the number of copies that it requires, it does not get a datagram that has
 * arrived in fewer copies before that, unless its own node has sent the datagram.
 */
TEST(raised_copy_requirement_applies_to_queued_datagrams)
{
	struct copies_got g;
	struct cube c;

	ASSERT_EQ(0, copies_start(&c, 3, 3, HYPERCUBE_DELIVER_AGREED));
	ASSERT_EQ(0, copies_set(c.fd[7], HYPERCUBE_COPIES_LEAST, 1));
	ASSERT_TRUE(post_in(&c, 1, 1));
	ASSERT_TRUE(readable(c.fd[7], COPIES_SECONDS));
	ASSERT_TRUE(post(&c, 7, 2));
	ASSERT_EQ(0, copies_set(c.fd[7], HYPERCUBE_COPIES_LEAST, 2));
	EXPECT_EQ(2, take(&c, &g));
	EXPECT_TRUE(gets_none(&c));
	EXPECT_EQ(0, cube_del(&c));
}

/* Send a message with one control message of type @type, @size bytes long. Return: 0, or the error
 * of sendmsg().
 */
static int with_cmsg(const struct cube *c, int type, int value, size_t size)
{
	char control[CMSG_SPACE(16)] = { 0 };
	struct sockaddr_hypercube a = shc_addr(c->name, 7);
	struct iovec iov = { .iov_base = &value, .iov_len = sizeof(value) };
	struct msghdr msg = {
		.msg_name = &a, .msg_namelen = sizeof(a), .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = CMSG_SPACE(size),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_HYPERCUBE;
	cmsg->cmsg_type = type;
	cmsg->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(cmsg), &value, size < sizeof(value) ? size : sizeof(value));
	return sendmsg(c->fd[0], &msg, MSG_DONTWAIT) < 0 ? -errno : 0;
}

TEST(invalid_socket_options_and_control_messages_are_refused)
{
	static const struct { int name, value, err; } table[] = {
		{ HYPERCUBE_COPIES, 0, -EINVAL }, { HYPERCUBE_COPIES, -1, -EINVAL },
		{ HYPERCUBE_COPIES, HYPERCUBE_DIM_MAX + 1, -EINVAL },
		{ HYPERCUBE_COPIES, HYPERCUBE_DIM_MAX, 0 }, { HYPERCUBE_COPIES_LEAST, 0, -EINVAL },
		{ HYPERCUBE_COPIES_LEAST, HYPERCUBE_DIM_MAX + 1, -EINVAL },
		{ HYPERCUBE_COPIES_WAIT, 0, -EINVAL }, { HYPERCUBE_COPIES_WAIT, 60001, -EINVAL },
		{ HYPERCUBE_DELIVER, -1, -EINVAL }, { HYPERCUBE_DELIVER, 3, -EINVAL },
		{ HYPERCUBE_PATHS, 1, -ENOPROTOOPT }, { 0, 1, -ENOPROTOOPT },
		{ 99, 1, -ENOPROTOOPT },
	};
	static char big[32768];
	struct hypercube_paths p = { .node = 7 };
	socklen_t len = sizeof(p);
	unsigned int i, fd;
	struct cube c;
	int v = 0;

	ASSERT_EQ(0, copies_start(&c, 3, 3, HYPERCUBE_DELIVER_AGREED));
	fd = c.fd[0];
	for (i = 0; i < ARRAY_SIZE(table); i++)
		EXPECT_EQ(table[i].err, copies_set(fd, table[i].name, table[i].value));
	/* A datagram in more copies than the node has links is refused, and so is a datagram that
	 * is too long to be sent in copies.
	 */
	EXPECT_EQ(-EHOSTUNREACH, copies_post(&c, 0, 7, big, 1));
	ASSERT_EQ(0, copies_set(fd, HYPERCUBE_COPIES, 3));
	EXPECT_EQ(-EMSGSIZE, copies_post(&c, 0, 7, big, sizeof(big)));
	EXPECT_EQ(-1, setsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_COPIES, &v, 3));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, setsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_COPIES, (void *)8, 4));
	EXPECT_EQ(EFAULT, errno);
	len = sizeof(v);
	EXPECT_EQ(0, getsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_COPIES, &v, &len));
	EXPECT_EQ(3, v);
	EXPECT_EQ(sizeof(v), len);
	EXPECT_EQ(-1, getsockopt(fd, SOL_HYPERCUBE, 99, &v, &len));
	EXPECT_EQ(ENOPROTOOPT, errno);
	len = sizeof(p);
	EXPECT_EQ(0, getsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_PATHS, &p, &len));
	EXPECT_EQ(3, p.paths);
	p.node = 8;
	EXPECT_EQ(-1, getsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_PATHS, &p, &len));
	EXPECT_EQ(EADDRNOTAVAIL, errno);
	p.node = 0;
	EXPECT_EQ(-1, getsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_PATHS, &p, &len));
	EXPECT_EQ(EINVAL, errno);
	len = 4;
	EXPECT_EQ(-1, getsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_PATHS, &p, &len));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, with_cmsg(&c, HYPERCUBE_CMSG_COPIES, 3, 4));
	EXPECT_EQ(-EINVAL, with_cmsg(&c, HYPERCUBE_CMSG_COPIES, 0, 4));
	EXPECT_EQ(-EINVAL, with_cmsg(&c, HYPERCUBE_CMSG_COPIES, 13, 4));
	EXPECT_EQ(-EINVAL, with_cmsg(&c, HYPERCUBE_CMSG_COPIES, 3, 8));
	EXPECT_EQ(-EINVAL, with_cmsg(&c, HYPERCUBE_CMSG_OP, 3, 4));
	EXPECT_EQ(-EHOSTUNREACH, with_cmsg(&c, HYPERCUBE_CMSG_COPIES, 4, 4));
	EXPECT_EQ(0, cube_del(&c));
}

/* Sockets and fabrics are removed while some datagrams wait for copies, some have not been
 * received, and some copies are under way.
 */
TEST(socket_and_fabric_removal_succeeds_while_copies_are_in_flight)
{
	static char data[2000];
	unsigned int round, i;
	struct cube c;

	for (round = 0; round < scaled(20); round++) {
		ASSERT_EQ(0, copies_start(&c, 3, 3, round % 3));
		ASSERT_EQ(0, delay_copies(&c, 2));
		ASSERT_EQ(0, copies_set(c.fd[7], HYPERCUBE_COPIES_WAIT, 1 + below(20)));
		for (i = 0; i < 40; i++)
			ASSERT_EQ(sizeof(data), copies_post(&c, 0, 7, data, sizeof(data)));
		if (round & 1) {
			close(c.fd[7]);
			c.fd[7] = shc_bound(c.name, 7, SOCK_DGRAM);
			EXPECT_LE(0, c.fd[7]);
			for (i = 0; i < 10; i++)
				ASSERT_EQ(sizeof(data), copies_post(&c, 0, 7, data, sizeof(data)));
		}
		if (round & 2)
			ASSERT_EQ(0, ctl_node_failed(c.name, 3, true));
		EXPECT_EQ(0, cube_del(&c));
	}
}

TEST_HARNESS_MAIN
