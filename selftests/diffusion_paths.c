// SPDX-License-Identifier: GPL-2.0
/*
 * The paths of a datagram's copies share no node, and go around faults.
 *
 * Scheduling: alone
 */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "copies.h"
#include "ktap.h"

#define TRACING "/sys/kernel/tracing/instances/"

static char instance[64];

static int trace_put(const char *file, const char *text)
{
	char path[160];
	int fd, err;

	snprintf(path, sizeof(path), TRACING "%s/%s", instance, file);
	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0)
		return -errno;
	err = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return err;
}

/* Create a trace instance for this test, which records the hops of copies. */
static int trace_open(void)
{
	char path[160];

	snprintf(instance, sizeof(instance), "diffusion%d", getpid());
	snprintf(path, sizeof(path), TRACING "%s", instance);
	if (mkdir(path, 0700))
		return -errno;
	/* The trace clock "counter" puts the events of all processors in the order in which they
	 * happened.
	 */
	return trace_put("buffer_size_kb", "4096") ?: trace_put("trace_clock", "counter") ?:
	       trace_put("events/hypercube/hc_copy/enable", "1");
}

static void trace_close(void)
{
	char path[160];

	trace_put("events/hypercube/hc_copy/enable", "0");
	snprintf(path, sizeof(path), TRACING "%s", instance);
	rmdir(path);
}

/* The path of one copy from the source to a destination, as the trace shows it. */
struct trip {
	unsigned int at;	/* the node that the copy has reached last */
	unsigned int hops;
	uint32_t by[CUBE_MAX / 32];	/* all nodes that the copy has reached */
};

static struct trip trips[32][8];

/* Check one line of the trace, a hop of a copy from node @src. Return: true if the hop is right. */
static bool hop_take(const struct cube *c, unsigned int src, const char *line)
{
	unsigned int node, dim, from, dst, copy, copies, hop;
	unsigned long long nr;
	const char *at = strstr(line, " node=");
	struct trip *t;

	if (!at || sscanf(at, " node=%u dim=%u src=%u dst=%u nr=%llu copy=%u copies=%u hop=%u",
			  &node, &dim, &from, &dst, &nr, &copy, &copies, &hop) != 8)
		return false;
	if (from != src || dst >= c->nodes || copy >= c->dim || copies != c->dim)
		return false;
	t = &trips[dst][copy];
	if (!t->hops)
		t->at = src;
	/* A hop must begin where the previous hop ended. */
	if (node != t->at || hop != ++t->hops || dim >= c->dim)
		return false;
	t->at = node ^ 1u << dim;
	if (hc_set_has(t->by, t->at))
		return false;
	hc_set_add(t->by, t->at);
	return true;
}

/* Return: true if each copy from @src has reached its destination, and the paths of no two copies
 * of a datagram have a node in common.
 */
static bool trips_right(const struct cube *c, unsigned int src)
{
	unsigned int dst, i, u, n;

	for (dst = 0; dst < c->nodes; dst++) {
		for (i = 0; i < c->dim && dst != src; i++)
			if (trips[dst][i].at != dst || !trips[dst][i].hops)
				return false;
		for (u = 0; u < c->nodes && dst != src; u++) {
			for (n = 0, i = 0; i < c->dim; i++)
				n += hc_set_has(trips[dst][i].by, u);
			if (n != (u == dst ? c->dim : n > 0))
				return false;
			if (u == src && n)
				return false;
		}
	}
	return true;
}

static bool trace_right(const struct cube *c, unsigned int src)
{
	char path[160], line[512], fabric[32];
	bool right = true;
	FILE *f;

	snprintf(path, sizeof(path), TRACING "%s/trace", instance);
	snprintf(fabric, sizeof(fabric), " fabric=%s ", c->name);
	f = fopen(path, "r");
	if (!f)
		return false;
	memset(trips, 0, sizeof(trips));
	while (fgets(line, sizeof(line), f) && right)
		if (strstr(line, " hc_copy: ") && strstr(line, fabric)) {
			right = hop_take(c, src, line);
			if (!right)
				printf("# %s", line);
		}
	fclose(f);
	return right && trips_right(c, src);
}

TEST(copies_between_every_pair_take_node_disjoint_paths)
{
	unsigned int dim, src, dst, msg, i;
	struct copies_got g;
	struct cube c;

	ASSERT_EQ(0, trace_open());
	for (dim = 2; dim <= 5; dim++) {
		ASSERT_EQ(0, copies_start(&c, dim, dim, HYPERCUBE_DELIVER_AGREED));
		for (src = 0; src < c.nodes; src += stride()) {
			EXPECT_EQ(0, trace_put("trace", "\n"));
			for (i = 1; i < c.nodes; i++) {
				dst = src ^ i;
				ASSERT_EQ(sizeof(dst),
					  copies_post(&c, src, dst, &dst, sizeof(dst)));
			}
			for (i = 1; i < c.nodes; i++) {
				dst = src ^ i;
				ASSERT_EQ(sizeof(msg), copies_take(&c, dst, &msg, sizeof(msg), &g));
				EXPECT_EQ(dst, msg);
				EXPECT_EQ(src, g.from);
				EXPECT_TRUE(g.checked);
				EXPECT_EQ(HYPERCUBE_VOTE_OUTCOME_AGREED, g.v.outcome);
				EXPECT_EQ(dim, g.v.copies);
			}
			EXPECT_TRUE(trace_right(&c, src));
		}
		EXPECT_EQ(0, cube_del(&c));
	}
	trace_close();
}

/* Receive messages at @dst until message @nr arrives. Return: false if no message arrives for a
 * second.
 */
static bool comes(const struct cube *c, unsigned int dst, unsigned int nr)
{
	struct pollfd p = { .fd = c->fd[dst], .events = POLLIN };
	unsigned int msg;
	struct copies_got g;

	while (poll(&p, 1, 1000) == 1)
		if (copies_take_now(c, dst, &msg, sizeof(msg), &g) == sizeof(msg) && msg == nr)
			return true;
	return false;
}

/* Send messages in @copies copies until one has the expected outcome: if @err is 0, it arrives,
 * else sending fails with @err. Several attempts may be needed: as long as the source does not know
 * of a fault, a copy is lost at the faulty link. Return: false if this takes longer than the time
 * limit.
 */
static bool in_copies(const struct cube *c, unsigned int src, unsigned int dst, unsigned int copies,
		      int err)
{
	uint64_t end = deadline(COPIES_SECONDS);
	static unsigned int nr;

	if (copies_set(c->fd[src], HYPERCUBE_COPIES, copies))
		return false;
	do {
		long n = copies_post(c, src, dst, &nr, sizeof(nr));

		if (err ? n == err : n == sizeof(nr) && comes(c, dst, nr))
			return true;
		nr++;
		usleep(1000);
	} while (now_ms() < end);
	return false;
}

/* With f faults, at least n - f of the n paths remain; more remain if some fault is on none of the
 * paths.
 */
TEST(copies_use_all_paths_that_remain_around_known_faults)
{
	unsigned int round, i, node, dim, faults, src, dst, n;
	struct cube c;
	int err;

	ASSERT_EQ(0, copies_start(&c, 4, 1, HYPERCUBE_DELIVER_AGREED));
	for (round = 0; round < scaled(60); round++) {
		ASSERT_EQ(0, cube_heal(&c));
		faults = below(4);
		src = below(16);
		dst = (src + 1 + below(15)) % 16;
		for (i = 0; i < faults; i++) {
			cube_link(&c, below(32), &node, &dim);
			err = i % 2 && node != src && node != dst ?
			      cube_fail_node(&c, node) : cube_fail_link(&c, node, dim);
			ASSERT_EQ(0, err);
		}
		n = copies_possible(&c, src, dst);
		ASSERT_LE(4 - faults, n);
		ASSERT_TRUE(in_copies(&c, src, dst, n, 0));
		if (n < 4)
			ASSERT_TRUE(in_copies(&c, src, dst, n + 1, -EHOSTUNREACH));
		EXPECT_EQ(n, copies_known(&c, src, dst));
	}
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
