// SPDX-License-Identifier: GPL-2.0
/*
 * Placing processes on nodes: the division of groups, and the assignment of parts to nodes,
 * compared with all possible ones.
 */
#include "mfi_test.h"

/* Return: the least size of the largest part if the groups from @i on are divided: each group is
 * one part, and @more further parts may be made.
 */
static uint32_t least_load(const uint32_t *size, uint32_t groups, uint32_t i, uint32_t more)
{
	uint32_t best = UINT32_MAX, extra, local, rest;

	if (i == groups)
		return 0;
	for (extra = 0; extra <= more; extra++) {
		local = (size[i] + extra) / (extra + 1);
		rest = least_load(size, groups, i + 1, more - extra);
		rest = local > rest ? local : rest;
		best = rest < best ? rest : best;
	}
	return best;
}

/* Divide @groups random groups of @n processes among @nodes nodes, and check the result. */
static bool divided(uint32_t n, uint32_t groups, uint32_t nodes)
{
	struct hc_mfi_net *net = hc_mfi_new(n, NULL, 0, 1);
	uint32_t of[16], part[16], size[16] = {}, load[16] = {}, group[16], parts, i, most = 0;
	struct hc_mfi_groups g = { .of = of, .count = groups };

	for (i = 0; i < n; i++) {
		of[i] = i < groups ? i : rnd(groups);
		size[of[i]]++;
	}
	parts = hc_mfi_divide(net, &g, nodes, part);
	hc_mfi_free(net);
	if (groups > nodes) {
		CHECK(!parts);
		return true;
	}
	CHECK(parts >= groups && parts <= nodes && parts <= n);
	for (i = 0; i < n; i++) {
		CHECK(part[i] < parts);
		CHECK(!load[part[i]] || group[part[i]] == of[i]);
		group[part[i]] = of[i];
		most = ++load[part[i]] > most ? load[part[i]] : most;
	}
	for (i = 0; i < parts; i++)
		CHECK(load[i]);
	CHECK(most == least_load(size, groups, 0, nodes - groups));
	return true;
}

TEST(mfi_largest_part_of_divided_groups_is_as_small_as_possible)
{
	unsigned int round;

	for (round = 0; round < 3000; round++) {
		uint32_t n = 1 + rnd(12);

		EXPECT_TRUE(divided(n, 1 + rnd(n < 5 ? n : 5), 1 + rnd(8)));
	}
}

/* Fill in the hops between the nodes of a random connected network. */
static void random_hops(uint16_t *hops, uint32_t n)
{
	uint32_t i, j, k;

	for (i = 0; i < n; i++)
		for (j = 0; j <= i; j++) {
			hops[i * n + j] = i == j ? 0 : j + 1 == i || !rnd(3) ? 1 : 99;
			hops[j * n + i] = hops[i * n + j];
		}
	for (k = 0; k < n; k++)
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++) {
				uint32_t by = hops[i * n + k] + hops[k * n + j];

				if (by < hops[i * n + j])
					hops[i * n + j] = (uint16_t)by;
			}
}

/* Return: the sum of the hops from each process to each one that it asks. @at: the node of each
 * part.
 */
static uint64_t hops_with(const struct hc_mfi_net *net, const uint32_t *part, const uint32_t *at,
			  const uint16_t *hops, uint32_t nodes)
{
	uint64_t sum = 0;
	uint32_t u;

	for (u = 0; u < net->n; u++)
		HC_MFI_EACH(v, &net->env, u)
			sum += hops[at[part[u]] * nodes + at[part[*v]]];
	return sum;
}

/* Return: the fewest hops of all assignments that continue @at, which has the nodes of the parts
 * before part @i. @used: these nodes, as a set.
 */
static uint64_t least_hops(const struct hc_mfi_net *net, const uint32_t *part, uint32_t parts,
			   const uint16_t *hops, uint32_t nodes, uint32_t *at, uint32_t i,
			   uint32_t used)
{
	uint64_t best = UINT64_MAX, sum;

	if (i == parts)
		return hops_with(net, part, at, hops, nodes);
	for (at[i] = 0; at[i] < nodes; at[i]++) {
		if (used >> at[i] & 1)
			continue;
		sum = least_hops(net, part, parts, hops, nodes, at, i + 1, used | 1u << at[i]);
		best = sum < best ? sum : best;
	}
	return best;
}

/* Place the parts on the nodes of a random network, and check the result. Frees @net. */
static bool seated(struct hc_mfi_net *net, uint32_t parts, uint32_t nodes)
{
	uint32_t part[64], at[8], other[8], used = 0, i;
	uint16_t hops[64];
	uint64_t sum;

	parts = hc_mfi_blocks(net, parts, rnd(2) ? 1 + rnd(1000) : 0, part);
	random_hops(hops, nodes);
	CHECK(!hc_mfi_seat(net, part, parts, hops, nodes, at, &sum, NULL, NULL));
	for (i = 0; i < parts; i++) {
		CHECK(at[i] < nodes && !(used >> at[i] & 1));
		used |= 1u << at[i];
	}
	CHECK(sum == hops_with(net, part, at, hops, nodes));
	CHECK(sum == least_hops(net, part, parts, hops, nodes, other, 0, 0));
	hc_mfi_free(net);
	return true;
}

TEST(mfi_placement_has_fewest_hops_of_all_placements)
{
	unsigned int round;

	for (round = 0; round < 300; round++) {
		uint32_t nodes = 1 + rnd(6), parts = 1 + rnd(nodes);

		EXPECT_TRUE(seated(hc_mfi_cube(1 + rnd(4), 1), parts, nodes));
		EXPECT_TRUE(seated(hc_mfi_grid(2 + rnd(4), 2 + rnd(4), rnd(2), rnd(3), 1), parts,
				   nodes));
	}
}

TEST(mfi_blocks_are_evenly_sized_and_depend_on_seed)
{
	struct hc_mfi_net *net = hc_mfi_grid(5, 5, true, HC_MFI_STAR, 1);
	uint32_t part[25], other[25], size[4] = {}, i;

	EXPECT_EQ(4, hc_mfi_blocks(net, 4, 0, part));
	for (i = 0; i < 25; i++) {
		EXPECT_TRUE(!i || part[i] == part[i - 1] || part[i] == part[i - 1] + 1);
		size[part[i]]++;
	}
	for (i = 0; i < 4; i++)
		EXPECT_TRUE(size[i] == 6 || size[i] == 7);
	EXPECT_EQ(4, hc_mfi_blocks(net, 4, 1, part));
	EXPECT_EQ(4, hc_mfi_blocks(net, 4, 2, other));
	EXPECT_TRUE(memcmp(part, other, sizeof(part)));
	for (i = 0; i < 25; i++)
		size[part[i]]--;
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, size[i]);
	EXPECT_EQ(25, hc_mfi_blocks(net, 99, 0, part));
	hc_mfi_free(net);
}
