// SPDX-License-Identifier: GPL-2.0
/*
 * The failures that the user library reports: a call that fails always leaves a cause, which can be
 * explained.
 *
 * Scheduling: shared
 */
#include <limits.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "handles.h"
#include "ktap.h"
#include "libhypercube-checked.h"

/* Return: true if the latest failure of the handle has the status @status and the explanation
 * @words.
 */
static bool explained(const struct hcl *hcl, int status, const char *words)
{
	const struct hypercube_result *res = hcl_failure(hcl);
	char text[256];

	hcl_explain(hcl, text, sizeof(text));
	if (res->status == status && !strcmp(text, words))
		return true;
	printf("# status %d: %s\n", res->status, text);
	return false;
}

#define EXPLAINED(err, call, hcl, words) do {		\
	EXPECT_EQ(err, call);				\
	EXPECT_EQ(true, explained(hcl, err, words));	\
} while (0)

TEST(failed_open_explains_its_cause)
{
	struct hcl *x;

	EXPECT_EQ(0, hcl_failure(NULL)->status);
	ASSERT_EQ(true, set_up());
	EXPLAINED(-EADDRINUSE, hcl_open(&x, FABRIC, 3), NULL,
		  "fabric lib: cannot bind to node 3: somebody is bound to it");
	EXPLAINED(-EADDRNOTAVAIL, hcl_open_dgram(&x, FABRIC, NODES), NULL,
		  "fabric lib: cannot bind to node 8: there is no such node");
	EXPLAINED(-ENODEV, hcl_open(&x, "nosuch", 0), NULL,
		  "fabric nosuch: cannot bind to node 0: there is no such fabric here");
	EXPLAINED(-ENAMETOOLONG, hcl_open(&x, "a-very-long-name", 0), NULL,
		  "fabric a-very-long-name: cannot bind to node 0: the name is too long");
	EXPLAINED(-EINVAL, hcl_open_plan(&x, FABRIC, 3, 0), NULL,
		  "fabric lib: cannot bind to node 3: a plan's id is not 0");
	ASSERT_EQ(0, hcl_open_plan(&x, FABRIC, 3, 7));
	EXPLAINED(-EADDRINUSE, hcl_open_plan(&x, FABRIC, 3, 7), NULL,
		  "fabric lib: cannot bind to node 3: another socket is connected to the plan");
	EXPECT_EQ(7, hcl_failure(NULL)->plan);
	EXPECT_EQ(UINT32_MAX, hcl_failure(NULL)->cause_node);
	EXPECT_EQ(0, hcl_failure(h[3])->status);
	EXPECT_EQ(0, setuid(65534));
	EXPLAINED(-EACCES, hcl_open_dgram(&x, FABRIC, 3), NULL,
		  "fabric lib: cannot bind to node 3: neither CAP_NET_ADMIN nor its owner");
}

TEST(invalid_parameter_is_refused_and_explained)
{
	struct hcl_params p = sum64;
	uint64_t in[2] = { 1 };

	ASSERT_EQ(true, set_up());
	EXPLAINED(-EINVAL, hcl_post(h[1], &p, in, 7, NULL, 0, NULL), h[1],
		  "7 bytes are no multiple of the 8 of an element");
	EXPECT_EQ(PLAN, hcl_failure(h[1])->plan);
	EXPLAINED(-EINVAL, hcl_reduce(h[1], &p, NULL, 8, NULL, 0, NULL), h[1],
		  "there are 8 bytes to send, but no buffer");
	p.width = 8;
	EXPLAINED(-EINVAL, hcl_post(h[1], &p, in, 8, NULL, 0, NULL), h[1],
		  "type u64 has no width of 8");
	p = (struct hcl_params){ .plan = PLAN, .oper = HYPERCUBE_MERGE, .type = HYPERCUBE_RECORD };
	EXPLAINED(-EINVAL, hcl_post(h[1], &p, in, 8, NULL, 0, NULL), h[1],
		  "type record has no width of 0");
	p.oper = HYPERCUBE_SUM;
	p.width = 8;
	EXPLAINED(-EINVAL, hcl_post(h[1], &p, in, 8, NULL, 0, NULL), h[1],
		  "operator sum is not for type record");
	p = sum64;
	p.type = HYPERCUBE_F64;
	p.oper = HYPERCUBE_XOR;
	EXPLAINED(-EINVAL, hcl_post(h[1], &p, in, 8, NULL, 0, NULL), h[1],
		  "operator xor is not for type f64");
	p.oper = 77;
	EXPLAINED(-EINVAL, hcl_post(h[1], &p, in, 8, NULL, 0, NULL), h[1],
		  "there is no operator 77");
	p = sum64;
	p.type = 78;
	EXPLAINED(-EINVAL, hcl_post(h[1], &p, in, 8, NULL, 0, NULL), h[1],
		  "there is no type 78");
	p.collective = 79;
	EXPLAINED(-EINVAL, hcl_post(h[1], &p, in, 8, NULL, 0, NULL), h[1],
		  "there is no collective 79");
	p.collective = HYPERCUBE_BARRIER;
	EXPLAINED(-EINVAL, hcl_post(h[1], &p, in, 8, NULL, 0, NULL), h[1],
		  "a barrier has no data, but there are 8 bytes");
	EXPLAINED(-EINVAL, hcl_wait(h[1], 99, NULL), h[1], "no operation has number 99");
	EXPLAINED(-EINVAL, hcl_set_timeout(h[1], INT_MAX + 1u), h[1],
		  "a time limit of 2147483648 ms is more than 2147483647");
	EXPLAINED(-EINVAL, hcl_set_buffers(h[1], 0, -2), h[1],
		  "a buffer of -2 bytes is not possible");
}

/* A collective whose result would overlap its contribution is refused before it begins, so the
 * operation after these refused calls is the first one.
 */
TEST(results_that_overlap_contributions_are_refused)
{
	static const char *words =
		"the contribution overlaps the room for the result: they are to be apart";
	static const size_t one[NODES] = { [1] = 8 };
	static uint64_t v[3 * NODES];
	const struct hcl_params x = { .oper = HYPERCUBE_XOR, .type = HYPERCUBE_U64 };
	const struct hcl_pair pair = { .plan = { PLAN, 2 }, .dim = 3 };
	struct hypercube_result res = { 0 };
	uint64_t all = sizeof(v) / 3;
	unsigned int i;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, tool("tree find fabric " FABRIC " apply plan 2 sink 7"));
	ASSERT_EQ(0, tool("ring plan fabric " FABRIC " apply plan 3"));
	EXPLAINED(-EINVAL, hcl_reduce(h[0], &sum64, v, 16, &v[1], 16, NULL), h[0], words);
	EXPLAINED(-EINVAL, hcl_allreduce(h[1], &sum64, v, 16, v, 16, &res), h[1], words);
	EXPECT_EQ(-EINVAL, res.status);
	EXPLAINED(-EINVAL, hcl_gather(h[0], PLAN, v, 8, v, all, NULL), h[0], words);
	EXPLAINED(-EINVAL, hcl_scatter(h[0], PLAN, v, all, &v[7], 8, NULL), h[0], words);
	EXPLAINED(-EINVAL, hcl_allgather(h[1], 3, &v[1], 8, v, all, 0, NULL), h[1], words);
	EXPLAINED(-EINVAL, hcl_alltoall(h[1], 3, v, all, v, all, NULL), h[1], words);
	EXPLAINED(-EINVAL, hcl_reduce_scatter_block(h[1], &sum64, v, all, &v[1], 8, NULL), h[1],
		  words);
	EXPLAINED(-EINVAL, hcl_allgatherv(h[1], 3, v, one, NODES, 1, v, 8, 0, &res), h[1], words);
	EXPECT_EQ(-EINVAL, res.status);
	EXPLAINED(-EINVAL, hcl_alltoallv(h[1], 3, v, one, v, one, NODES, 8, NULL), h[1], words);
	EXPLAINED(-EINVAL, hcl_reduce_scatter(h[1], &sum64, v, one, NODES, 1, v, 8, NULL), h[1],
		  words);
	EXPLAINED(-EINVAL, hcl_checked_allreduce(h[1], &x, &pair, v, 8, v, NULL), h[1], words);
	EXPLAINED(-EINVAL, hcl_checked_reduce(h[0], &x, &pair, v, 8, v, NULL), h[0], words);
	EXPLAINED(-EINVAL, hcl_post(h[0], &sum64, v, 9 * 8, &v[8], 72, NULL), h[0], words);
	EXPLAINED(-EINVAL, hcl_post(h[0], &sum64, &v[8], 72, v, 72, NULL), h[0], words);
	/* A result that is adjacent to a contribution does not overlap it. */
	for (i = NODES; i-- > 0;) {
		v[i] = 1;
		ASSERT_EQ(0, i ? hcl_post(h[i], &sum64, &v[i], 8, NULL, 0, NULL) :
				 hcl_reduce(h[0], &sum64, &v[0], 8, &v[8], 8, &res));
	}
	EXPECT_EQ(0, res.op);
	EXPECT_EQ(NODES, v[8]);
}

/* A collective is refused at once, not at the end of a long transfer, if its blocks have more than
 * HYPERCUBE_WHOLE_MAX bytes in total.
 */
TEST(blocks_longer_than_limit_of_one_call_are_refused)
{
	const size_t block = HYPERCUBE_WHOLE_MAX / NODES / 8 * 8 + 8, all = NODES * block;
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *in = mmap(NULL, all, PROT_READ, flags, -1, 0);
	void *out = mmap(NULL, 2 * all, PROT_READ | PROT_WRITE, flags, -1, 0);
	size_t bytes[NODES] = { 1, block - 8, 3 };
	struct hcl_params p = sum64;
	char words[2][128];
	unsigned int i;

	ASSERT_TRUE(in != MAP_FAILED && out != MAP_FAILED && set_up());
	ASSERT_EQ(0, tool("ring plan fabric " FABRIC " apply plan 3"));
	for (i = 0; i < 2; i++)
		snprintf(words[i], sizeof(words[i]),
			 "%s: the blocks have more than 2147418112 bytes in all, the most in one call",
			 i ? "alltoall" : "allgather");
	EXPLAINED(-EMSGSIZE, hcl_allgather(h[1], 3, in, block, out, all, 0, NULL), h[1], words[0]);
	EXPLAINED(-EMSGSIZE, hcl_allgather(h[1], PLAN, in, block, out, all, 0, NULL), h[1],
		  words[0]);
	EXPLAINED(-EMSGSIZE, hcl_allgather(h[1], 3, in, all, out, all, 0, NULL), h[1], words[0]);
	EXPLAINED(-EMSGSIZE, hcl_alltoall(h[1], 3, in, all, out, all, NULL), h[1], words[1]);
	/* If blocks may have different lengths, a contribution has a length before each block. */
	EXPLAINED(-EMSGSIZE, hcl_allgatherv(h[1], 3, in, bytes, NODES, 1, out, all, 0, NULL), h[1],
		  words[0]);
	EXPECT_EQ(-EMSGSIZE, hcl_reduce_scatter_block(h[1], &sum64, in, all, out, block, NULL));
	bytes[1] = block;
	EXPECT_EQ(-EMSGSIZE,
		  hcl_reduce_scatter(h[1], &sum64, in, bytes, NODES, 1, out, block, NULL));
	/* The total length of these blocks overflows a size_t. */
	bytes[1] = SIZE_MAX / NODES + 2;
	EXPECT_EQ(-EMSGSIZE, hcl_reduce_scatter(h[1], &p, in, bytes, NODES, 0, out, 1, NULL));
	EXPECT_EQ(-EMSGSIZE, hcl_allgatherv(h[1], 3, in, bytes, NODES, 0, out, SIZE_MAX, 0, NULL));
	EXPECT_EQ(-EMSGSIZE, hcl_gather(h[1], PLAN, in, SIZE_MAX / 4, NULL, 0, NULL));
	/* A result buffer that is longer than any result is no error. */
	for (i = 1; i < NODES; i++)
		ASSERT_EQ(0, hcl_post(h[i], &sum64, in, 8, NULL, 0, NULL));
	EXPECT_EQ(0, hcl_reduce(h[0], &sum64, in, 8, out, 2 * all, NULL));
}

/* If the kernel refuses a call, the explanation is the kernel's text, not that of an earlier
 * failure.
 */
TEST(kernel_refusal_is_explained_with_text_of_kernel)
{
	struct hcl_params p = sum64;
	uint64_t in = 1;

	ASSERT_EQ(true, set_up());
	EXPECT_EQ(-EINVAL, hcl_post(h[1], &p, &in, 7, NULL, 0, NULL));
	p.plan = 99;
	EXPLAINED(-ENOENT, hcl_post(h[1], &p, &in, 8, NULL, 0, NULL), h[1],
		  "there is no such plan");
	ASSERT_EQ(0, tool("link set " FABRIC " 1:0 down"));
	EXPLAINED(-ENOLINK, hcl_post(h[1], &sum64, &in, 8, NULL, 0, NULL), h[1],
		  "a fault has broken the plan");
	ASSERT_EQ(0, tool("fabric del " FABRIC));
	EXPLAINED(-ENODEV, hcl_post(h[1], &sum64, &in, 8, NULL, 0, NULL), h[1],
		  "the fabric was removed");
}

/* A late failure of an operation is kept for the call that asks for this operation, whatever other
 * calls fail meanwhile.
 */
TEST(late_failure_is_kept_for_wait_of_its_operation)
{
	struct hypercube_result res;
	uint64_t in = 1, id;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, hcl_post(h[3], &sum64, &in, 8, NULL, 0, &id));
	ASSERT_EQ(0, tool("link set " FABRIC " 3:0 down"));
	EXPECT_EQ(1, hcl_progress(h[3], 5000));
	EXPECT_EQ(-ENOLINK, hcl_failure(h[3])->status);
	EXPECT_EQ(-EINVAL, hcl_set_timeout(h[3], UINT_MAX));
	EXPECT_EQ(-EINVAL, hcl_wait(h[3], id + 1, NULL));
	EXPECT_EQ(-ENOLINK, hcl_wait(h[3], id, &res));
	EXPECT_EQ(-ENOLINK, res.status);
	EXPECT_EQ(id, res.cookie);
	EXPECT_EQ(id, hcl_failure(h[3])->cookie);
	EXPECT_EQ(0, hcl_wait(h[3], id, NULL));
}

TEST(next_flush_returns_late_failure)
{
	uint64_t in = 1, id;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, hcl_post(h[3], &sum64, &in, 8, NULL, 0, &id));
	ASSERT_EQ(0, tool("link set " FABRIC " 3:0 down"));
	EXPECT_EQ(1, hcl_progress(h[3], 5000));
	EXPECT_EQ(-EINVAL, hcl_set_timeout(h[3], UINT_MAX));
	EXPECT_EQ(-ENOLINK, hcl_flush(h[3]));
	EXPECT_EQ(id, hcl_failure(h[3])->cookie);
	EXPECT_EQ(0, hcl_flush(h[3]));
}

TEST(failed_broadcast_calls_are_explained)
{
	struct hypercube_result res = { .status = 1 };
	char buf[8] = "";

	ASSERT_EQ(true, set_up_bcast());
	EXPLAINED(-EINVAL, hcl_bcast(h[5], 2, 5, buf, 8, 4, &res), h[5],
		  "a broadcast has no flags 0x4");
	EXPECT_EQ(-EINVAL, res.status);
	EXPECT_EQ(2, res.plan);
	EXPLAINED(-EINVAL, hcl_bcast(h[5], 2, 5, NULL, 8, 0, &res), h[5],
		  "there are 8 bytes, but no buffer");
	EXPECT_EQ(-EINVAL, res.status);
	ASSERT_EQ(0, hcl_bcast(h[5], 2, 5, "too long", 8, 0, NULL));
	EXPLAINED(-EMSGSIZE, hcl_bcast(h[1], 2, 5, buf, 3, 0, &res), h[1],
		  "the result has 8 bytes, more than the room for 3");
	EXPECT_EQ(-EMSGSIZE, res.status);
	EXPECT_EQ(8, res.bytes);
}

TEST(failed_datagram_calls_are_explained)
{
	struct hcl *a;
	char big[65536];

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, hcl_open_dgram(&a, FABRIC, 1));
	hcl_set_timeout(a, 50);
	EXPLAINED(-EADDRNOTAVAIL, hcl_send(a, NODES, "x", 1), a, "fabric lib has no node 8");
	EXPLAINED(-EMSGSIZE, hcl_send(a, 6, big, sizeof(big)), a,
		  "65536 bytes are more than the fabric's segment");
	EXPLAINED(-ETIMEDOUT, hcl_recv(a, NULL, big, sizeof(big)), a,
		  "no message came within 50 ms");
	ASSERT_EQ(0, tool("fabric del " FABRIC));
	EXPLAINED(-ENODEV, hcl_recv(a, NULL, big, sizeof(big)), a, "the fabric was removed");
	hcl_close(a);
}

TEST(handle_refuses_calls_after_its_time_limit_expired)
{
	const char *words = "an earlier call ran into its time limit, the handle has to be closed";
	uint64_t in = 1, out;

	ASSERT_EQ(true, set_up());
	hcl_set_timeout(h[0], 50);
	EXPECT_EQ(-ETIMEDOUT, hcl_reduce(h[0], &sum64, &in, 8, &out, 8, NULL));
	EXPLAINED(-ESHUTDOWN, hcl_progress(h[0], 0), h[0], words);
	EXPLAINED(-ESHUTDOWN, hcl_flush(h[0]), h[0], words);
	EXPLAINED(-ESHUTDOWN, hcl_wait(h[0], 1, NULL), h[0], words);
}

TEST_HARNESS_MAIN
