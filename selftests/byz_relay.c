// SPDX-License-Identifier: GPL-2.0
/*
 * Byzantine nodes flip one bit of the payload of frames that they relay, after the checksum was
 * checked: either in frames whose numbers are in a list, or in random frames. Nodes with the same
 * seed flip the same bits. A node does not corrupt its own frames.
 *
 * Scheduling: shared
 */
#include <poll.h>
#include <string.h>

#include "cube.h"
#include "ktap.h"

#define BYTES	24
#define MANY	64
#define EVERY	HYPERCUBE_PPM_MAX

/* Make all nodes Byzantine. The parameters are those of ctl_node_byzantine(). Node 3 is two hops
 * from node 0, so one of the nodes between them relays.
 */
static int all_lie(const struct cube *c, unsigned int ppm, const unsigned int *at, unsigned int n,
		   int64_t seed)
{
	unsigned int u;
	int err = 0;

	for (u = 0; u < c->nodes && !err; u++)
		err = ctl_node_byzantine(c->name, u, ppm, at, n, seed);
	return err;
}

/* Return: number of frames that all nodes have corrupted. */
static uint64_t notified(const struct cube *c)
{
	struct node_view v;
	uint64_t sum = 0;
	unsigned int u;

	for (u = 0; u < c->nodes; u++)
		sum += ctl_node_get(c->name, u, &v) ? 1 << 20 : v.lies;
	return sum;
}

/* Send a message from node @from to node @to and receive it. *@bit: set to the number of a flipped
 * bit. Return: number of flipped bits, or -errno.
 */
static int flips(const struct cube *c, unsigned int from, unsigned int to, unsigned int *bit)
{
	struct sockaddr_hypercube a = shc_addr(c->name, to);
	unsigned char out[BYTES], in[BYTES + 1];
	int n = 0;
	unsigned int i;

	for (i = 0; i < BYTES; i++)
		out[i] = rnd();
	if (sendto(c->fd[from], out, BYTES, 0, (const struct sockaddr *)&a, sizeof(a)) != BYTES)
		return -errno;
	if (!readable(c->fd[to], 20))
		return -ETIMEDOUT;
	if (recv(c->fd[to], in, sizeof(in), MSG_DONTWAIT) != BYTES)
		return -EBADMSG;
	for (i = 0; i < 8 * BYTES; i++)
		if ((in[i / 8] ^ out[i / 8]) >> i % 8 & 1) {
			*bit = i;
			n++;
		}
	return n;
}

TEST(byzantine_relay_flips_one_bit_of_each_frame)
{
	unsigned int i, bit, last = 0, changes = 0;
	struct cube c;

	ASSERT_EQ(0, cube_dgrams(&c, 2));
	ASSERT_EQ(0, flips(&c, 0, 3, &bit));
	ASSERT_EQ(0, all_lie(&c, EVERY, NULL, 0, 1));
	for (i = 0; i < MANY; i++) {
		ASSERT_EQ(1, flips(&c, 0, 3, &bit));
		changes += bit != last;
		last = bit;
	}
	EXPECT_LE(MANY / 2, changes);
	EXPECT_EQ(MANY, notified(&c));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(byzantine_node_sends_and_receives_its_own_data_unchanged)
{
	struct cube c;
	unsigned int bit;

	ASSERT_EQ(0, cube_dgrams(&c, 2));
	ASSERT_EQ(0, all_lie(&c, EVERY, NULL, 0, 1));
	EXPECT_EQ(0, flips(&c, 0, 0, &bit));
	EXPECT_EQ(0, flips(&c, 0, 1, &bit));
	EXPECT_EQ(0, flips(&c, 3, 1, &bit));
	EXPECT_EQ(0, notified(&c));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(corruption_by_byzantine_relay_passes_checksums)
{
	struct impairments sealed = { .corrupt = 1, .seed = 1 };
	struct link_sums sums;
	unsigned int i, bit;
	struct cube c;

	ASSERT_EQ(0, cube_dgrams(&c, 2));
	/* Impairments with corruption give each frame a checksum. Their probability is so small
	 * that the link itself corrupts none of these frames.
	 */
	ASSERT_EQ(0, cube_impair(&c, &sealed));
	ASSERT_EQ(0, all_lie(&c, EVERY, NULL, 0, 1));
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(1, flips(&c, 0, 3, &bit));
	ASSERT_EQ(0, ctl_link_sums(c.name, &sums));
	EXPECT_EQ(0, sums.corrupted);
	EXPECT_EQ(0, sums.checksum);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(byzantine_list_selects_frames_by_number)
{
	static const unsigned int at[] = { 2, 5, 6 };
	unsigned int i, bit;
	struct cube c;

	ASSERT_EQ(0, cube_dgrams(&c, 2));
	ASSERT_EQ(0, flips(&c, 0, 3, &bit));
	ASSERT_EQ(0, all_lie(&c, 0, at, 3, 1));
	for (i = 1; i <= 10; i++)
		EXPECT_EQ(i == 2 || i == 5 || i == 6, flips(&c, 0, 3, &bit));
	/* If the list is set again, the count of frames starts again at 0. */
	ASSERT_EQ(0, all_lie(&c, 0, at, 1, 1));
	for (i = 1; i <= 10; i++)
		EXPECT_EQ(i == 2, flips(&c, 0, 3, &bit));
	EXPECT_EQ(4, notified(&c));
	EXPECT_EQ(0, cube_del(&c));
}

/* Send MANY messages through nodes with the seed @seed, and record in @bits which bit of each is
 * flipped (~0: none). Return: number of flipped bits, or -errno.
 */
static int record(const struct cube *c, unsigned int *bits, int64_t seed)
{
	unsigned int i;
	int n = all_lie(c, EVERY / 3, NULL, 0, seed), lies = 0;

	for (i = 0; i < MANY && !n; i++) {
		n = flips(c, 0, 3, &bits[i]);
		if (n < 0)
			return n;
		lies += n;
		bits[i] = n ? bits[i] : ~0u;
		n = 0;
	}
	return n ?: lies;
}

TEST(same_seed_corrupts_same_bits_again)
{
	unsigned int first[MANY], again[MANY], other[MANY];
	struct cube c;
	int lies;

	ASSERT_EQ(0, cube_dgrams(&c, 2));
	lies = record(&c, first, 7);
	EXPECT_LE(MANY / 8, lies);
	EXPECT_GT(MANY * 3 / 4, lies);
	EXPECT_EQ(lies, record(&c, again, 7));
	EXPECT_LE(0, record(&c, other, 8));
	EXPECT_EQ(0, memcmp(first, again, sizeof(first)));
	EXPECT_NE(0, memcmp(first, other, sizeof(first)));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(clearing_faults_makes_byzantine_nodes_honest)
{
	static const unsigned int at[] = { 1 };
	struct node_view v;
	unsigned int bit;
	struct cube c;

	ASSERT_EQ(0, cube_dgrams(&c, 2));
	ASSERT_EQ(0, ctl_node_byzantine(c.name, 1, EVERY, NULL, 0, 1));
	ASSERT_EQ(0, ctl_node_byzantine(c.name, 2, 0, at, 1, 1));
	ASSERT_EQ(0, ctl_fault_clear(c.name));
	EXPECT_EQ(0, flips(&c, 0, 3, &bit));
	EXPECT_EQ(0, notified(&c));
	ASSERT_EQ(0, ctl_node_get(c.name, 1, &v));
	EXPECT_EQ(0, v.lie);
	ASSERT_EQ(0, ctl_node_get(c.name, 2, &v));
	EXPECT_EQ(0, v.nat);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(invalid_byzantine_requests_are_refused_and_change_nothing)
{
	unsigned int at[HYPERCUBE_BYZANTINE_AT_MAX + 1], i;
	struct node_view v;
	struct cube c;

	ASSERT_EQ(0, cube_dgrams(&c, 2));
	for (i = 0; i < ARRAY_SIZE(at); i++)
		at[i] = i + 1;
	ASSERT_EQ(0, ctl_node_byzantine(c.name, 1, 5, NULL, 0, 77));
	EXPECT_EQ(-ERANGE, ctl_node_byzantine(c.name, 1, EVERY + 1, NULL, 0, 1));
	EXPECT_EQ(-E2BIG, ctl_node_byzantine(c.name, 1, 0, at, ARRAY_SIZE(at), 1));
	at[1] = 1;
	EXPECT_EQ(-EINVAL, ctl_node_byzantine(c.name, 1, 0, at, 2, 1));
	at[0] = 0;
	EXPECT_EQ(-ERANGE, ctl_node_byzantine(c.name, 1, 0, at, 2, 1));
	EXPECT_EQ(-ERANGE, ctl_node_byzantine(c.name, 4, 5, NULL, 0, 1));
	nl_begin(ctl(), HYPERCUBE_CMD_NODE_SET, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_NODE_FABRIC, c.name);
	nl_u32(ctl(), HYPERCUBE_A_NODE_ID, 1);
	nl_u32(ctl(), HYPERCUBE_A_NODE_BYZANTINE, 1);
	nl_u32(ctl(), HYPERCUBE_A_NODE_BYZANTINE_AT, 1);
	EXPECT_EQ(-EINVAL, nl_talk(ctl(), NULL, NULL));
	EXPECT_EQ(0, strcmp(ctl()->extack, "Frames are corrupted by chance or a list, not both"));
	ASSERT_EQ(0, ctl_node_get(c.name, 1, &v));
	EXPECT_EQ(5, v.lie);
	EXPECT_EQ(77, v.lie_seed);
	EXPECT_EQ(0, v.nat);
	for (i = 0; i < HYPERCUBE_BYZANTINE_AT_MAX; i++)
		at[i] = 3 * i + 1;
	EXPECT_EQ(0, ctl_node_byzantine(c.name, 1, 0, at, HYPERCUBE_BYZANTINE_AT_MAX, -1));
	ASSERT_EQ(0, ctl_node_get(c.name, 1, &v));
	EXPECT_EQ(0, v.lie);
	EXPECT_EQ(77, v.lie_seed);
	EXPECT_EQ(HYPERCUBE_BYZANTINE_AT_MAX, v.nat);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
