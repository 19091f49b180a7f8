// SPDX-License-Identifier: GPL-2.0
/*
 * Collectives of the user library whose contributions have a block for each member.
 *
 * Scheduling: shared
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "handles.h"
#include "ktap.h"

/* The call of a member. It has a thread, since such a call blocks and cannot be posted. */
struct scatter {
	pthread_t thread;
	unsigned int i;
	void (*call)(struct scatter *s);
	const void *in;
	const size_t *bytes;
	const size_t *out_bytes;
	uint32_t plan;
	uint32_t members;
	uint64_t out[8];
	char *text;
	size_t room;
	struct hypercube_result res;
	int err;
};

static void *work(void *arg)
{
	struct scatter *s = arg;

	s->call(s);
	return NULL;
}

static void all_call(struct scatter *s)
{
	unsigned int i;

	for (i = 0; i < NODES; i++)
		pthread_create(&s[i].thread, NULL, work, &s[i]);
	for (i = 0; i < NODES; i++)
		pthread_join(s[i].thread, NULL);
}

static void scatter_call(struct scatter *s)
{
	s->err = hcl_reduce_scatter(h[s->i], &sum64, s->in, s->bytes, s->members, s->i, s->out,
				    sizeof(s->out), NULL);
}

/* Let all members call scatter_call() for @members members, with the lengths @bytes of the blocks
 * @in.
 */
static void scatter_all(struct scatter *s, const uint64_t *in, const size_t *bytes,
			uint32_t members)
{
	unsigned int i;

	for (i = 0; i < NODES; i++)
		s[i] = (struct scatter){
			.i = i, .in = in, .bytes = bytes, .members = members, .call = scatter_call,
		};
	all_call(s);
}

TEST(reduce_scatter_block_gives_each_member_its_block)
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

TEST(reduce_scatter_with_different_block_lengths_succeeds)
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

TEST(reduce_scatter_with_wrong_member_count_is_an_error)
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

TEST(alltoall_exchanges_blocks_of_all_lengths)
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
		/* At node 0, pass a buffer that is one byte shorter than all blocks. */
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

/* Plans of rings over all nodes. Plan 20 is listed twice, so the two stripes of an operation that
 * use it run one after the other.
 */
static const uint32_t striped[] = { 20, 4, 20 };

static void allgather_striped_call(struct scatter *s)
{
	s->err = hcl_allgather_striped(h[s->i], striped, s->plan, s->in, s->room / NODES, NODES,
				       s->text, s->room, &s->res);
}

static void alltoall_striped_call(struct scatter *s)
{
	s->err = hcl_alltoall_striped(h[s->i], striped, s->plan, s->in, s->room, NODES, s->text,
				      s->room, &s->res);
}

static void allgatherv_call(struct scatter *s)
{
	s->err = hcl_allgatherv(h[s->i], s->plan, s->in, s->bytes, s->members, s->i, s->text,
				s->room, 0, NULL);
}

static void alltoallv_call(struct scatter *s)
{
	s->err = hcl_alltoallv(h[s->i], s->plan, s->in, s->bytes, s->text, s->out_bytes,
			       s->members, s->room, NULL);
}

/* Install three plans: 1, a tree; 3, recursive doubling; 4, rings. */
static bool set_up_all(void)
{
	return set_up() && !tool("doubling plan fabric " FABRIC " apply plan 3") &&
	       !tool("ring plan fabric " FABRIC " apply plan 4");
}

/* Return: length of the block from member @i to member @j. The block from 3 to 5 is longer than a
 * segment.
 */
static size_t text_bytes(unsigned int i, unsigned int j)
{
	return i == 3 && j == 5 ? 40000 : (3 * i + 5 * j) % 7;
}

static char text_letter(unsigned int i, unsigned int j)
{
	return (char)('0' + NODES * i + j);
}

static size_t text_put(char *to, unsigned int i, unsigned int j)
{
	memset(to, text_letter(i, j), text_bytes(i, j));
	return text_bytes(i, j);
}

/* Run a collective over the first @n plans of striped[], with buffers of @room bytes, and check
 * that all blocks have arrived in order. @exchange: an alltoall, else an allgather.
 */
static void stripes_run(struct __test_metadata *_metadata, struct scatter s[NODES], unsigned int n,
			size_t room, bool exchange)
{
	static unsigned char in[NODES][400000], out[NODES][400001];
	size_t block = room / NODES, k;
	unsigned int i, j;

	memset(out, 0xee, sizeof(out));
	for (i = 0; i < NODES; i++) {
		/* The contribution of member i has a block for each member (@exchange), or one
		 * block for all.
		 */
		for (k = 0; k < room; k++)
			in[i][k] = (unsigned char)(k % block * 7 + i * 31 +
						   (exchange ? k / block : 0) * 13);
		s[i] = (struct scatter){
			.i = i, .in = in[i], .plan = n, .text = (char *)out[i], .room = room,
			.call = exchange ? alltoall_striped_call : allgather_striped_call,
		};
	}
	all_call(s);
	for (i = 0; i < NODES; i++) {
		ASSERT_EQ(0, s[i].err);
		EXPECT_EQ(room, s[i].res.bytes);
		EXPECT_EQ(0xee, out[i][room]);
		for (j = 0; j < NODES && block; j++)
			EXPECT_EQ(0, memcmp(out[i] + j * block, in[j] + (exchange ? i * block : 0),
					    block));
	}
}

TEST(striped_collectives_deliver_all_blocks_in_order)
{
	static const size_t rooms[] = { 0, 8, 16, 24, 80, 8 * 4097, 400000 };
	struct scatter s[NODES];
	unsigned int n, k, steps[4] = {};
	char out[64];

	ASSERT_EQ(true, set_up_all());
	ASSERT_EQ(0, tool("ring plan fabric " FABRIC " rings 1 apply"));
	for (k = 0; k < sizeof(rooms) / sizeof(*rooms); k++)
		for (n = 1; n <= 3; n++) {
			stripes_run(_metadata, s, n, rooms[k], false);
			steps[n] = s[0].res.steps;
			stripes_run(_metadata, s, n, rooms[k], true);
		}
	/* With the longest blocks, an operation over two plans takes half as many steps as over one
	 * plan.
	 */
	printf("# %u steps over one plan, %u over two\n", steps[1], steps[2]);
	EXPECT_GE(steps[1], 2 * steps[2]);
	EXPECT_EQ(-EINVAL, hcl_allgather_striped(h[0], striped, 0, "1", 1, 8, out, 8, NULL));
	EXPECT_EQ(-EINVAL, hcl_allgather_striped(h[0], striped, 17, "1", 1, 8, out, 8, NULL));
	EXPECT_EQ(-EMSGSIZE, hcl_allgather_striped(h[0], striped, 2, "1", 1, 8, out, 7, NULL));
	EXPECT_EQ(-EINVAL, hcl_alltoall_striped(h[0], striped, 2, "123456789", 9, 8, out, 9, NULL));
	EXPECT_EQ(-EINVAL, hcl_alltoall_striped(h[0], striped, 2, out, 8, 8, out, 8, NULL));
}

/* Check that @call returns @error, and that its last argument, &res, has the same status. */
#define RES_HAS(error, call) do {				\
	struct hypercube_result res;				\
								\
	memset(&res, 0xee, sizeof(res));			\
	EXPECT_EQ(error, call);					\
	EXPECT_EQ(error, res.status);				\
} while (0)

TEST(calls_of_several_steps_that_are_refused_fill_result)
{
	static const uint32_t absent = 99;
	size_t bytes[NODES] = {};
	char out[64];

	ASSERT_EQ(true, set_up_all());
	ASSERT_EQ(0, tool("ring plan fabric " FABRIC " rings 1 apply"));
	RES_HAS(-EINVAL, hcl_allgather_striped(h[0], striped, 0, "1", 1, 8, out, 8, &res));
	RES_HAS(-EMSGSIZE, hcl_allgather_striped(h[0], striped, 2, "1", 1, 8, out, 7, &res));
	RES_HAS(-EINVAL, hcl_alltoall_striped(h[0], striped, 2, "123456789", 9, 8, out, 9, &res));
	RES_HAS(-EINVAL, hcl_alltoall_striped(h[0], striped, 2, out, 8, 8, out, 8, &res));
	RES_HAS(-EINVAL, hcl_allgatherv(h[0], 1, "1", bytes, NODES, NODES, out, 8, 0, &res));
	RES_HAS(-ENOENT, hcl_allgather_striped(h[0], &absent, 1, "1", 1, 8, out, 8, &res));
}

TEST(allgatherv_gathers_blocks_of_different_lengths)
{
	static const uint32_t plans[] = { 1, 3, 4 };
	static char in[NODES][40000], out[NODES][41000], right[41000];
	size_t bytes[NODES], all = 0;
	struct scatter s[NODES];
	unsigned int i, k;

	ASSERT_EQ(true, set_up_all());
	for (i = 0; i < NODES; i++) {
		bytes[i] = text_put(in[i], i, 5);
		all += text_put(right + all, i, 5);
	}
	for (k = 0; k < sizeof(plans) / sizeof(*plans); k++) {
		for (i = 0; i < NODES; i++)
			s[i] = (struct scatter){
				.i = i, .in = in[i], .bytes = bytes, .members = NODES,
				.plan = plans[k], .text = out[i], .room = all,
				.call = allgatherv_call,
			};
		memset(out, 0, sizeof(out));
		all_call(s);
		for (i = 0; i < NODES; i++) {
			EXPECT_EQ(0, s[i].err);
			EXPECT_EQ(0, memcmp(out[i], right, all + 1));
		}
	}
	EXPECT_EQ(-EINVAL, hcl_allgatherv(h[0], 1, in, bytes, 4, 4, out, 41000, 0, NULL));
	EXPECT_EQ(-EMSGSIZE, hcl_allgatherv(h[0], 1, in, bytes, 8, 0, out, all - 1, 0, NULL));
}

TEST(alltoallv_exchanges_blocks_of_different_lengths)
{
	static char in[NODES][41000], out[NODES][41000], right[41000];
	size_t bytes[NODES][NODES], back[NODES][NODES], at;
	struct scatter s[NODES];
	unsigned int i, j, plan;

	ASSERT_EQ(true, set_up_all());
	for (plan = 3; plan <= 4; plan++) {
		for (i = 0; i < NODES; i++) {
			for (j = 0, at = 0; j < NODES; j++) {
				bytes[i][j] = text_put(in[i] + at, i, j);
				at += bytes[i][j];
				back[i][j] = text_bytes(j, i);
			}
			s[i] = (struct scatter){
				.i = i, .in = in[i], .bytes = bytes[i], .out_bytes = back[i],
				.members = NODES, .plan = plan, .text = out[i],
				.room = sizeof(out[i]), .call = alltoallv_call,
			};
		}
		memset(out, 0, sizeof(out));
		all_call(s);
		for (i = 0; i < NODES; i++) {
			for (j = 0, at = 0; j < NODES; j++)
				at += text_put(right + at, j, i);
			EXPECT_EQ(0, s[i].err);
			EXPECT_EQ(0, memcmp(out[i], right, at));
			EXPECT_EQ(0, out[i][at]);
		}
	}
	EXPECT_EQ(-EMSGSIZE, hcl_alltoallv(h[0], 3, in, bytes[0], out, back[0], NODES, 3, NULL));
}

/* A member that expects another length than was sent gets an error. So does a member that passes a
 * wrong number of members.
 */
TEST(vector_collective_with_unexpected_length_is_an_error)
{
	static const size_t two[2 * NODES] = { 2, 2, 2, 2, 2, 2, 2, 2 };
	static const size_t three[NODES] = { 2, 2, 2, 2, 2, 2, 3, 2 };
	static char in[64] = "", out[NODES][64];
	struct scatter s[NODES];
	unsigned int i, k;

	ASSERT_EQ(true, set_up_all());
	for (k = 0; k < 4; k++) {
		for (i = 0; i < NODES; i++)
			s[i] = (struct scatter){
				.i = i, .in = in, .bytes = two,
				.out_bytes = i == 4 && k < 2 ? three : two,
				.members = k < 2 ? NODES : k == 2 ? NODES - 1 : 2 * NODES,
				.plan = k == 1 ? 4 : 3, .text = out[i], .room = 64,
				.call = alltoallv_call,
			};
		all_call(s);
		for (i = 0; i < NODES; i++)
			EXPECT_EQ(i == 4 || k > 1 ? -EPROTO : 0, s[i].err);
	}
	/* In the second round all members are notified of the failure, because they have taken part
	 * in the operation of the first round.
	 */
	for (k = 0; k < 2; k++) {
		for (i = 0; i < NODES; i++)
			s[i] = (struct scatter){
				.i = i, .in = in, .bytes = k && i == 4 ? three : two,
				.members = NODES, .plan = 1, .text = out[i], .room = 64,
				.call = allgatherv_call,
			};
		all_call(s);
		for (i = 0; i < NODES; i++)
			EXPECT_EQ(k ? -EPROTO : 0, s[i].err);
	}
}

/* Send blocks of two bytes, each with a header that gives the wrong length *@s->bytes. */
static void false_call(struct scatter *s)
{
	uint64_t two = 2, longest[NODES], head = *s->bytes;
	char in[NODES][sizeof(head) + 2] = { "" }, out[sizeof(in)];
	unsigned int i;

	for (i = 0; i < NODES; i++)
		memcpy(in[i], &head, sizeof(head));
	s->err = hcl_allgather(h[s->i], s->plan, &two, sizeof(two), longest, sizeof(longest), 0,
			       NULL);
	if (!s->err)
		s->err = hcl_alltoall(h[s->i], s->plan, in, sizeof(in), out, sizeof(out), NULL);
}

/* A wrong length in the header of a block must not make a member read memory beyond the block. */
TEST(block_header_with_false_length_is_refused)
{
	static const size_t none[NODES], much[NODES] = { [4] = 1 << 28 };
	static char out[NODES];
	struct scatter s[NODES];
	unsigned int i;
	char *room = malloc(much[4]);

	ASSERT_TRUE(room && set_up_all());
	for (i = 0; i < NODES; i++)
		s[i] = (struct scatter){
			.i = i, .in = "", .bytes = i == 4 ? &much[4] : none,
			.out_bytes = i == 3 ? much : none, .members = NODES, .plan = 3,
			.text = i == 3 ? room : &out[i], .room = i == 3 ? much[4] : 1,
			.call = i == 4 ? false_call : alltoallv_call,
		};
	all_call(s);
	for (i = 0; i < NODES; i++)
		EXPECT_EQ(i == 4 ? 0 : -EPROTO, s[i].err);
	free(room);
}

/* The error must be that of segments that are too short, not that of a wrong number of members. */
TEST(vector_collective_reports_too_short_segment_as_emsgsize)
{
	static const size_t bytes[256];
	char out[1];

	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	ASSERT_EQ(0, tool("fabric add " FABRIC " dim 8 segment 256"));
	ASSERT_EQ(0, tool("tree find fabric " FABRIC " apply plan 1"));
	ASSERT_EQ(0, hcl_open(&h[0], FABRIC, 0));
	EXPECT_EQ(-EMSGSIZE, hcl_allgatherv(h[0], 1, "", bytes, 256, 0, out, 1, 0, NULL));
	EXPECT_EQ(-EMSGSIZE, hcl_alltoallv(h[0], 1, "", bytes, out, bytes, 256, 1, NULL));
}

/* Post collectives with a block for each member over plans of each type, and wait for them in any
 * order.
 */
TEST(block_collectives_can_be_posted_on_all_plan_types)
{
	static const struct hcl_params p[] = {
		{ .plan = 1, .collective = HYPERCUBE_ALLGATHER },
		{ .plan = 3, .collective = HYPERCUBE_ALLGATHER },
		{ .plan = 4, .collective = HYPERCUBE_ALLGATHER },
		{ .plan = 3, .collective = HYPERCUBE_ALLTOALL },
		{ .plan = 4, .collective = HYPERCUBE_ALLTOALL },
		{ .plan = 1, .collective = HYPERCUBE_REDUCE_SCATTER, .oper = HYPERCUBE_SUM,
		  .type = HYPERCUBE_U64 },
		{ .plan = 3, .collective = HYPERCUBE_REDUCE_SCATTER, .oper = HYPERCUBE_SUM,
		  .type = HYPERCUBE_U64 },
	};
	enum { N = sizeof(p) / sizeof(*p) };
	uint64_t in[NODES][N][NODES], out[NODES][N][NODES] = { 0 }, id[NODES][N];
	unsigned int i, j, k, at;

	ASSERT_EQ(true, set_up_all());
	for (i = 0; i < NODES; i++)
		for (k = 0; k < N; k++) {
			bool one = p[k].collective == HYPERCUBE_ALLGATHER;
			bool mine = p[k].collective == HYPERCUBE_REDUCE_SCATTER;

			for (j = 0; j < NODES; j++)
				in[i][k][j] = 1000 * k + 10 * i + j;
			ASSERT_EQ(0, hcl_post(h[i], &p[k], in[i][k], one ? 8 : 8 * NODES,
					      out[i][k], mine ? 8 : 8 * NODES, &id[i][k]));
		}
	for (k = N; k-- > 0;)
		for (i = 0; i < NODES; i++) {
			ASSERT_TRUE(move_until(i, id[i][k]));
			ASSERT_EQ(0, hcl_wait(h[i], id[i][k], NULL));
			if (p[k].collective == HYPERCUBE_REDUCE_SCATTER) {
				EXPECT_EQ(NODES * (1000 * k + i) + 280, out[i][k][0]);
				continue;
			}
			at = p[k].collective == HYPERCUBE_ALLTOALL ? i : 0;
			for (j = 0; j < NODES; j++)
				EXPECT_EQ(in[j][k][at], out[i][k][j]);
		}
}

TEST_HARNESS_MAIN
