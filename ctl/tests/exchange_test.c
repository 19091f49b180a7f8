// SPDX-License-Identifier: GPL-2.0
/*
 * The shortest all-to-all broadcasts in cubes: they take no more steps than the bound, and are
 * right in a simulation of each node.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "exchange.h"
#include "ktap.h"

#define DIM	16

static struct hc_exchange_send send[1 << DIM];
static uint16_t step[1 << DIM];

TEST(exchange_is_valid_and_takes_as_few_steps_as_lower_bound)
{
	/* The bounds: 2^n - 1 messages, n of them in a step. */
	static const uint32_t steps[] = {
		0, 1, 2, 3, 4, 7, 11, 19, 32, 57, 103, 187, 342, 631, 1171, 2185, 4096
	};
	unsigned int dim;

	for (dim = 1; dim <= DIM; dim++) {
		ASSERT_TRUE(hc_exchange_steps(dim) == steps[dim]);
		memset(send, 0, sizeof(send));
		hc_exchange(dim, send);
		ASSERT_TRUE(hc_exchange_check(dim, send, step));
	}
}

/* Simulate each node with its messages and each of its links, without use of symmetry. */
static bool simulated(unsigned int dim)
{
	static bool has[1 << 8][1 << 8], next[1 << 8][1 << 8];
	uint32_t nodes = hc_nodes(dim), t, i, u, v, end;

	memset(has, 0, sizeof(has));
	for (u = 0; u < nodes; u++)
		has[u][u] = true;
	for (t = 0; t < hc_exchange_steps(dim); t++) {
		memcpy(next, has, sizeof(has));
		end = (t + 1) * dim < nodes - 1 ? (t + 1) * dim : nodes - 1;
		for (u = 0; u < nodes; u++) {
			uint32_t used = 0;

			for (i = t * dim; i < end; i++) {
				uint32_t message = u ^ send[i].offset ^ hc_bit(send[i].dim);

				v = hc_neigh(u, send[i].dim);
				CHECK(has[u][message]);
				CHECK(!(used & hc_bit(send[i].dim)));
				CHECK(!next[v][message]);
				used |= hc_bit(send[i].dim);
				next[v][message] = true;
			}
		}
		memcpy(has, next, sizeof(has));
	}
	for (u = 0; u < nodes; u++)
		for (v = 0; v < nodes; v++)
			CHECK(has[u][v]);
	return true;
}

TEST(exchange_delivers_all_messages_in_simulation_of_all_nodes)
{
	unsigned int dim;

	for (dim = 1; dim <= 8; dim++) {
		hc_exchange(dim, send);
		ASSERT_TRUE(simulated(dim));
	}
}

TEST(randomly_altered_exchange_is_refused_unless_still_valid)
{
	unsigned int round, refused = 0;
	uint32_t at;

	for (round = 0; round < 2000; round++) {
		unsigned int dim = 3 + rnd(4);

		hc_exchange(dim, send);
		at = rnd(hc_exchange_sends(dim));
		if (rnd(2))
			send[at].dim = (uint8_t)((send[at].dim + 1 + rnd(dim - 1)) % dim);
		else
			send[at].offset ^= (uint16_t)(1 + rnd(hc_nodes(dim) - 1));
		if (hc_exchange_check(dim, send, step))
			ASSERT_TRUE(simulated(dim));
		else
			refused++;
	}
	/* In the last step some links may be unused, so not every change is an error. */
	printf("# %u of 2000 were refused\n", refused);
	ASSERT_TRUE(refused > 1900);
}

TEST_HARNESS_MAIN
