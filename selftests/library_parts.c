// SPDX-License-Identifier: GPL-2.0
/* Collectives whose contributions have a part for each member, by the user library. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "handles.h"
#include "ktap.h"

/* A member's thread: this call cannot be posted. */
struct scatter {
	pthread_t thread;
	unsigned int i;
	const uint64_t *in;
	const size_t *bytes;
	uint32_t members;
	uint64_t out[8];
	int err;
};

static void *scatter_work(void *arg)
{
	struct scatter *s = arg;

	s->err = hcl_reduce_scatter(h[s->i], &sum64, s->in, s->bytes, s->members, s->i, s->out,
				    sizeof(s->out), NULL);
	return NULL;
}

/* All members say that there are so many, with blocks of these lengths. */
static void scatter_all(struct scatter *s, const uint64_t *in, const size_t *bytes,
			uint32_t members)
{
	unsigned int i;

	for (i = 0; i < NODES; i++) {
		s[i] = (struct scatter){
			.i = i, .in = in, .bytes = bytes, .members = members,
		};
		pthread_create(&s[i].thread, NULL, scatter_work, &s[i]);
	}
	for (i = 0; i < NODES; i++)
		pthread_join(s[i].thread, NULL);
}

TEST(parts_of_a_reduction_are_scattered)
{
	struct hcl_params p = sum64;
	uint64_t in[NODES * 2], out[NODES][2], id[NODES];
	struct hypercube_result res;
	unsigned int i, k;

	ASSERT_EQ(true, set_up());
	p.collective = HYPERCUBE_REDUCE_SCATTER;
	for (i = 0; i < 2 * NODES; i++)
		in[i] = i;
	for (i = 1; i < NODES; i++)
		ASSERT_EQ(0, hcl_post(h[i], &p, in, sizeof(in), out[i], 16, &id[i]));
	ASSERT_EQ(0, hcl_reduce_scatter_block(h[0], &sum64, in, sizeof(in), out[0], 16, &res));
	EXPECT_EQ(16, res.bytes);
	EXPECT_EQ(HYPERCUBE_REDUCE_SCATTER, res.collective);
	for (i = 1; i < NODES; i++)
		EXPECT_EQ(0, hcl_wait(h[i], id[i], &res));
	for (i = 0; i < NODES; i++)
		for (k = 0; k < 2; k++)
			EXPECT_EQ(NODES * (2 * i + k), out[i][k]);
	EXPECT_EQ(-EINVAL, hcl_reduce_scatter_block(h[0], &sum64, in, 72, out[0], 16, NULL));
}

TEST(parts_of_different_lengths_are_scattered)
{
	static const size_t bytes[NODES] = { 0, 8, 16, 24, 32, 40, 48, 56 };
	struct scatter s[NODES];
	uint64_t in[28], out[8];
	unsigned int i, k;

	ASSERT_EQ(true, set_up());
	for (i = 0; i < 28; i++)
		in[i] = 100 + i;
	scatter_all(s, in, bytes, NODES);
	for (i = 0; i < NODES; i++) {
		EXPECT_EQ(0, s[i].err);
		for (k = 0; k < i; k++)
			EXPECT_EQ(NODES * (100 + i * (i - 1) / 2 + k), s[i].out[k]);
		EXPECT_EQ(0, s[i].out[i]);
	}
	EXPECT_EQ(-EINVAL, hcl_reduce_scatter(h[0], &sum64, in, bytes, 4, 4, out, 64, NULL));
	EXPECT_EQ(-EMSGSIZE, hcl_reduce_scatter(h[0], &sum64, in, bytes, 8, 7, out, 48, NULL));
}

TEST(who_counts_the_members_wrong_hears_that)
{
	static const size_t bytes[2 * NODES] = {
		16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16
	};
	static const uint64_t in[4 * NODES];
	struct scatter s[NODES];
	unsigned int i;

	ASSERT_EQ(true, set_up());
	scatter_all(s, in, bytes, 2 * NODES);
	for (i = 0; i < NODES; i++)
		EXPECT_EQ(-EPROTO, s[i].err);
}

TEST(blocks_are_exchanged)
{
	static const size_t bytes[] = { 0, 1, 5, 30000 };
	struct hcl_params p = { .plan = 3, .collective = HYPERCUBE_ALLTOALL };
	unsigned char *in[NODES], *out[NODES];
	struct hypercube_result res;
	unsigned int i, j, k;
	uint64_t id[NODES];

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, tool("doubling plan fabric " FABRIC " apply plan 3"));
	for (k = 0; k < 4; k++) {
		for (i = 0; i < NODES; i++) {
			in[i] = malloc(NODES * bytes[k] + 1);
			out[i] = calloc(NODES, bytes[k] + 1);
			for (j = 0; j < NODES; j++)
				memset(in[i] + j * bytes[k], 1 + (int)(NODES * i + j), bytes[k]);
			if (i)
				ASSERT_EQ(0, hcl_post(h[i], &p, in[i], NODES * bytes[k], out[i],
						      NODES * bytes[k], &id[i]));
		}
		/* Room for all but a byte. */
		EXPECT_EQ(k == 2 ? -EMSGSIZE : 0,
			  hcl_alltoall(h[0], 3, in[0], NODES * bytes[k], out[0],
				       NODES * bytes[k] - (k == 2), &res));
		for (i = 1; i < NODES; i++)
			EXPECT_EQ(0, hcl_wait(h[i], id[i], &res));
		for (i = 0; i < NODES; i++) {
			for (j = 0; j < NODES && bytes[k]; j++) {
				EXPECT_EQ(1 + NODES * j + i, out[i][j * bytes[k]]);
				EXPECT_EQ(1 + NODES * j + i, out[i][(j + 1) * bytes[k] - 1 -
								    (k == 2 && !i)]);
			}
			free(in[i]);
			free(out[i]);
		}
	}
	EXPECT_EQ(-EINVAL, hcl_alltoall(h[0], 3, "123456789", 9, &res, 9, NULL));
}

TEST_HARNESS_MAIN
