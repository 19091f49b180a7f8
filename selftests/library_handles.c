// SPDX-License-Identifier: GPL-2.0
/*
 * Handles of the user library: how they are opened, how their calls wait and fail, and which calls
 * they refuse.
 *
 * Scheduling: shared
 */
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "handles.h"
#include "ktap.h"

TEST(timed_out_wait_can_be_repeated_timed_out_reduce_shuts_handle)
{
	uint64_t in = 1, out = 0, id;
	unsigned int i;

	ASSERT_EQ(true, set_up());
	hcl_set_timeout(h[0], 100);
	ASSERT_EQ(0, hcl_post(h[0], &sum64, &in, 8, &out, 8, &id));
	EXPECT_EQ(-ETIMEDOUT, hcl_wait(h[0], id, NULL));
	EXPECT_EQ(0, hcl_test(h[0], id));
	EXPECT_EQ(0, hcl_progress(h[0], 10));
	for (i = 1; i < NODES; i++)
		EXPECT_EQ(0, hcl_reduce(h[i], &sum64, &in, 8, NULL, 0, NULL));
	hcl_set_timeout(h[0], 5000);
	EXPECT_EQ(0, hcl_wait(h[0], id, NULL));
	EXPECT_EQ(NODES, out);
	hcl_set_timeout(h[0], 100);
	EXPECT_EQ(-ETIMEDOUT, hcl_reduce(h[0], &sum64, &in, 8, &out, 8, NULL));
	EXPECT_EQ(-ESHUTDOWN, hcl_reduce(h[0], &sum64, &in, 8, &out, 8, NULL));
	EXPECT_EQ(-ESHUTDOWN, hcl_flush(h[0]));
}

static uint64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

/* Check that @call fails with -ETIMEDOUT after about 200 ms. */
#define LATE(call) do {					\
	const uint64_t began = clock_ms();		\
							\
	EXPECT_EQ(-ETIMEDOUT, call);			\
	EXPECT_LE(195, clock_ms() - began);		\
	EXPECT_LE(clock_ms() - began, 5000);		\
} while (0)

static void nothing(int nr)
{
	(void)nr;
}

/* Open a handle for plan PLAN (@x), one for messages and one for tasks at node 0, each with a time
 * limit of 200 ms.
 */
static bool all_kinds(struct hcl **x, struct hcl **messages, struct hcl **tasks)
{
	if (!set_up() || hcl_open_plan(x, FABRIC, 0, PLAN) ||
	    hcl_open_dgram(messages, FABRIC, 0) || hcl_task_open(tasks, FABRIC, 0))
		return false;
	hcl_set_timeout(*x, 200);
	hcl_set_timeout(*messages, 200);
	hcl_set_timeout(*tasks, 200);
	return true;
}

/* Signals arrive every 30 ms, long before the time limit expires, and do not extend it. */
TEST(signals_do_not_extend_time_limit_of_calls)
{
	struct hcl_params p;
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	const struct itimerspec often = { { .tv_nsec = 30000000 }, { .tv_nsec = 30000000 } };
	struct hcl *x, *messages, *tasks;
	struct hypercube_task task;
	uint64_t in = 1, out, id;
	timer_t timer;

	ASSERT_EQ(true, all_kinds(&x, &messages, &tasks));
	ASSERT_EQ(0, sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = nothing }, NULL));
	ASSERT_EQ(0, timer_create(CLOCK_MONOTONIC, &ev, &timer));
	ASSERT_EQ(0, timer_settime(timer, 0, &often, NULL));
	ASSERT_EQ(0, hcl_post(x, &sum64, &in, 8, &out, 8, &id));
	LATE(hcl_wait(x, id, NULL));
	LATE(hcl_recv(messages, NULL, &in, 8));
	LATE(hcl_task_take(tasks, &in, 8, &task));
	/* Signals do not extend the time limit of a handle with several sockets either. */
	ASSERT_EQ(0, tool("tree find fabric " FABRIC " apply plan 2 sink 1"));
	ASSERT_EQ(0, tool("tree find fabric " FABRIC " apply plan 3 sink 1"));
	hcl_set_timeout(h[1], 200);
	LATE(hcl_barrier(h[1], 2, NULL));
	hcl_set_timeout(h[2], 200);
	p = (struct hcl_params){ .plan = 2, .collective = HYPERCUBE_BARRIER };
	ASSERT_EQ(0, hcl_post(h[2], &p, NULL, 0, NULL, 0, NULL));
	LATE(hcl_barrier(h[2], 3, NULL));
	EXPECT_EQ(0, timer_delete(timer));
}

/* If the event loop of a program has made the sockets non-blocking, blocking calls of the library
 * still wait.
 */
TEST(blocking_calls_wait_on_nonblocking_sockets)
{
	struct hcl *x, *messages, *tasks;
	struct hypercube_task task;
	uint64_t in = 1, out, id;

	ASSERT_EQ(true, all_kinds(&x, &messages, &tasks));
	ASSERT_EQ(0, fcntl(hcl_fd(x), F_SETFL, O_NONBLOCK));
	ASSERT_EQ(0, fcntl(hcl_fd(messages), F_SETFL, O_NONBLOCK));
	ASSERT_EQ(0, fcntl(hcl_fd(tasks), F_SETFL, O_NONBLOCK));
	ASSERT_EQ(0, hcl_post(x, &sum64, &in, 8, &out, 8, &id));
	LATE(hcl_wait(x, id, NULL));
	LATE(hcl_recv(messages, NULL, &in, 8));
	LATE(hcl_task_take(tasks, &in, 8, &task));
}

/* Return: true if the call that returned @err was refused with the explanation @words, because the
 * handle is of another kind.
 */
static bool not_for(const struct hcl *x, int err, const char *words)
{
	char text[256];

	return err == -EINVAL && !strcmp(words, hcl_explain(x, text, sizeof(text)));
}

/* If a call is refused, it must not remove a message or task from the handle. */
TEST(calls_on_handle_of_wrong_kind_are_refused)
{
	static const char *collectives = "the handle is for collectives, not for messages",
		*messages = "the handle is for messages, not for collectives",
		*tasks = "the handle is for tasks, not for collectives";
	struct hcl *x, *m, *t;
	struct hypercube_task task;
	uint32_t from;
	uint64_t v = 7;

	ASSERT_EQ(true, all_kinds(&x, &m, &t));
	ASSERT_EQ(0, hcl_send(m, 0, &v, 8));
	ASSERT_EQ(0, hcl_task_put(t, &v, 8, 0, NULL));
	EXPECT_EQ(true, not_for(x, hcl_send(x, 1, &v, 8), collectives));
	EXPECT_EQ(true, not_for(x, hcl_recv(x, &from, &v, 8), collectives));
	EXPECT_EQ(true, not_for(x, hcl_paths(x, 1), collectives));
	EXPECT_EQ(true, not_for(x, hcl_set_copies(x, 1, 1), collectives));
	EXPECT_EQ(-EINVAL, hcl_task_take(x, &v, 8, &task));
	EXPECT_EQ(true, not_for(m, hcl_barrier(m, PLAN, NULL), messages));
	EXPECT_EQ(true, not_for(m, hcl_progress(m, 0), messages));
	EXPECT_EQ(true, not_for(m, hcl_flush(m), messages));
	EXPECT_EQ(true, not_for(t, hcl_post(t, &sum64, &v, 8, NULL, 0, NULL), tasks));
	EXPECT_EQ(true, not_for(t, hcl_progress(t, 0), tasks));
	EXPECT_EQ(-EINVAL, hcl_recv(t, NULL, &v, 8));
	EXPECT_EQ(8, hcl_recv(m, &from, &v, 8));
	EXPECT_EQ(8, hcl_task_take(t, &v, 8, &task));
}

/* Return: true if hcl_failure() reports a failure with @status and @plan as the latest one, and
 * hcl_describe() describes it as @words.
 */
static bool failed(const struct hcl *hcl, int status, unsigned int plan, const char *words)
{
	const struct hypercube_result *res = hcl_failure(hcl);
	char text[160];

	hcl_describe(res, text, sizeof(text));
	if (res->status == status && res->plan == plan && !strcmp(text, words))
		return true;
	printf("# status %d, plan %u: %s\n", res->status, res->plan, text);
	return false;
}

TEST(hcl_failure_reports_status_and_cause_of_latest_failure)
{
	struct hcl_params p = sum64, bcast = { .plan = 2, .collective = HYPERCUBE_BCAST };
	struct hypercube_result res;
	uint64_t in = 1, out, id;
	char buf[8];

	ASSERT_EQ(true, set_up_bcast());
	EXPECT_EQ(-EINVAL, hcl_post(h[1], &p, &in, 7, NULL, 0, NULL));
	EXPECT_EQ(true, failed(h[1], -EINVAL, 1, "the parameters are wrong"));
	p.plan = 99;
	EXPECT_EQ(-ENOENT, hcl_reduce(h[1], &p, &in, 8, NULL, 0, &res));
	EXPECT_EQ(true, failed(h[1], -ENOENT, 99, "there is no such plan"));
	EXPECT_EQ(-ENOENT, res.status);
	EXPECT_EQ(-EPERM, hcl_post(h[1], &bcast, buf, 8, NULL, 0, NULL));
	EXPECT_EQ(true, failed(h[1], -EPERM, 2, "only the source of the plan may broadcast"));
	hcl_set_timeout(h[1], 50);
	EXPECT_EQ(-ETIMEDOUT, hcl_bcast(h[1], 2, 5, buf, 8, 0, &res));
	EXPECT_EQ(true, failed(h[1], -ETIMEDOUT, 2, "node 5 does not answer"));
	EXPECT_EQ(-ETIMEDOUT, res.status);
	EXPECT_EQ(5, res.cause_node);
	hcl_set_timeout(h[0], 50);
	EXPECT_EQ(-ETIMEDOUT, hcl_reduce(h[0], &sum64, &in, 8, &out, 8, &res));
	EXPECT_EQ(true, failed(h[0], -ETIMEDOUT, 1, "node 1 does not answer"));
	EXPECT_EQ(-ESHUTDOWN, hcl_post(h[0], &sum64, &in, 8, &out, 8, &id));
	EXPECT_EQ(-ESHUTDOWN, hcl_failure(h[0])->status);
}

TEST(hcl_progress_ends_operation_when_its_plan_is_removed)
{
	struct hcl_params p = { .plan = 2, .collective = HYPERCUBE_BCAST };
	struct hypercube_result res;
	uint64_t id;
	char buf[8];

	ASSERT_EQ(true, set_up_bcast());
	ASSERT_EQ(0, hcl_post(h[1], &p, NULL, 0, buf, 8, &id));
	EXPECT_EQ(0, hcl_progress(h[1], 1500));
	EXPECT_EQ(0, hcl_test(h[1], id));
	ASSERT_EQ(0, tool("tree del " FABRIC " plan 2"));
	EXPECT_EQ(1, hcl_progress(h[1], 10000));
	EXPECT_EQ(1, hcl_test(h[1], id));
	EXPECT_EQ(-ENOENT, hcl_wait(h[1], id, &res));
	EXPECT_EQ(-ENOENT, res.status);
	EXPECT_EQ(2, res.plan);
	EXPECT_EQ(true, failed(h[1], -ENOENT, 2, "there is no such plan"));
}

TEST(handle_for_one_plan_is_exclusive_and_serves_only_that_plan)
{
	struct hcl *a, *b;
	uint64_t in = 1, out;
	struct hcl_params p = sum64;

	ASSERT_EQ(true, set_up_bcast());
	EXPECT_EQ(-EINVAL, hcl_open_plan(&a, FABRIC, 3, 0));
	ASSERT_EQ(0, hcl_open_plan(&a, FABRIC, 3, PLAN));
	EXPECT_EQ(-EADDRINUSE, hcl_open_plan(&b, FABRIC, 3, PLAN));
	EXPECT_EQ(-EADDRINUSE, hcl_post(h[3], &sum64, &in, 8, NULL, 0, NULL));
	EXPECT_EQ(true, failed(h[3], -EADDRINUSE, PLAN, "another socket is connected to the plan"));
	p.plan = 2;
	EXPECT_EQ(-EISCONN, hcl_post(a, &p, &in, 8, NULL, 0, NULL));
	EXPECT_EQ(0, hcl_post(a, &sum64, &in, 8, NULL, 0, NULL));
	hcl_set_timeout(h[0], 5000);
	for (unsigned int i = 1; i < NODES; i++)
		if (i != 3)
			EXPECT_EQ(0, hcl_post(h[i], &sum64, &in, 8, NULL, 0, NULL));
	EXPECT_EQ(0, hcl_reduce(h[0], &sum64, &in, 8, &out, 8, NULL));
	EXPECT_EQ(NODES, out);
	hcl_close(a);
}

TEST(post_to_plan_of_another_socket_is_refused_until_close)
{
	struct hcl_params other = sum64;
	uint64_t in = 1, out, id;
	struct hcl *a;
	unsigned int i;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, tool("tree find fabric " FABRIC " apply plan 7 sink 0"));
	other.plan = 7;
	ASSERT_EQ(0, hcl_open_plan(&a, FABRIC, 3, 7));
	ASSERT_EQ(0, hcl_post(h[3], &sum64, &in, 8, NULL, 0, NULL));
	EXPECT_EQ(-EADDRINUSE, hcl_post(h[3], &other, &in, 8, NULL, 0, &id));
	EXPECT_EQ(true, failed(h[3], -EADDRINUSE, 7, "another socket is connected to the plan"));
	for (i = 1; i < NODES; i++)
		if (i != 3)
			EXPECT_EQ(0, hcl_post(h[i], &sum64, &in, 8, NULL, 0, NULL));
	EXPECT_EQ(0, hcl_reduce(h[0], &sum64, &in, 8, &out, 8, NULL));
	EXPECT_EQ(NODES, out);
	hcl_close(a);
	for (i = 1; i < NODES; i++)
		EXPECT_EQ(0, hcl_post(h[i], &other, &in, 8, NULL, 0, NULL));
	EXPECT_EQ(0, hcl_reduce(h[0], &other, &in, 8, &out, 8, NULL));
	EXPECT_EQ(NODES, out);
}

/* hcl_fd() returns one descriptor for all sockets of the handle, including sockets that are opened
 * later.
 */
TEST(hcl_fd_becomes_readable_for_operations_of_any_plan)
{
	struct hcl_params other = sum64;
	uint64_t in = 1, out[2] = { 0 }, id[2];
	struct pollfd p = { .events = POLLIN };
	unsigned int i;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, tool("tree find fabric " FABRIC " apply plan 7 sink 0"));
	other.plan = 7;
	p.fd = hcl_fd(h[0]);
	ASSERT_LE(0, p.fd);
	ASSERT_EQ(0, hcl_set_buffers(h[0], 1 << 15, 1 << 15));
	ASSERT_EQ(0, hcl_post(h[0], &sum64, &in, 8, &out[0], 8, &id[0]));
	ASSERT_EQ(0, hcl_post(h[0], &other, &in, 8, &out[1], 8, &id[1]));
	EXPECT_EQ(p.fd, hcl_fd(h[0]));
	EXPECT_EQ(0, poll(&p, 1, 50));
	for (i = 1; i < NODES; i++)
		ASSERT_EQ(0, hcl_post(h[i], &other, &in, 8, NULL, 0, NULL));
	EXPECT_EQ(1, poll(&p, 1, 5000));
	EXPECT_EQ(1, hcl_progress(h[0], 0));
	EXPECT_EQ(1, hcl_test(h[0], id[1]));
	EXPECT_EQ(0, poll(&p, 1, 50));
	for (i = 1; i < NODES; i++)
		ASSERT_EQ(0, hcl_post(h[i], &sum64, &in, 8, NULL, 0, NULL));
	EXPECT_EQ(1, poll(&p, 1, 5000));
	EXPECT_EQ(0, hcl_wait(h[0], id[0], NULL));
	EXPECT_EQ(0, hcl_wait(h[0], id[1], NULL));
	EXPECT_EQ(2 * NODES, out[0] + out[1]);
}

TEST(invalid_operation_is_refused_at_post_or_at_wait)
{
	struct hcl_params p = sum64;
	uint64_t in = 1, id;
	struct hypercube_result res;

	ASSERT_EQ(true, set_up());
	EXPECT_EQ(-EINVAL, hcl_post(h[1], &p, &in, 7, NULL, 0, NULL));
	p.width = 8;
	EXPECT_EQ(-EINVAL, hcl_post(h[1], &p, &in, 8, NULL, 0, NULL));
	p = sum64;
	p.plan = 99;
	EXPECT_EQ(-ENOENT, hcl_post(h[1], &p, &in, 8, NULL, 0, NULL));
	/* If the refused operation has to wait for buffer space behind another contribution,
	 * hcl_post() accepts it, and hcl_wait() reports the refusal.
	 */
	static uint64_t big[1 << 19], sum[1 << 19];

	ASSERT_EQ(0, hcl_post(h[1], &sum64, big, sizeof(big), NULL, 0, NULL));
	ASSERT_EQ(4, hcl_events(h[1]) & 4);
	p = (struct hcl_params){ .plan = PLAN, .collective = HYPERCUBE_BCAST };
	ASSERT_EQ(0, hcl_post(h[1], &p, &in, 8, NULL, 0, &id));
	hcl_close(h[4]);
	h[4] = NULL;
	ASSERT_EQ(0, hcl_post(h[0], &sum64, big, sizeof(big), sum, sizeof(sum), NULL));
	ASSERT_EQ(0, tool("link set " FABRIC " 1:0 down"));
	EXPECT_EQ(-EPROTOTYPE, hcl_wait(h[1], id, &res));
	EXPECT_EQ(id, res.cookie);
}

TEST(handle_opens_only_at_free_node_of_existing_fabric)
{
	struct hcl *x, *y;

	ASSERT_EQ(true, set_up());
	EXPECT_EQ(-EADDRINUSE, hcl_open(&x, FABRIC, 3));
	EXPECT_EQ(-EADDRNOTAVAIL, hcl_open(&x, FABRIC, NODES));
	EXPECT_EQ(-ENODEV, hcl_open(&x, "nosuch", 0));
	EXPECT_EQ(-ENAMETOOLONG, hcl_open(&x, "a name that is longer than 15", 0));
	ASSERT_EQ(0, hcl_open_dgram(&x, FABRIC, 3));
	EXPECT_EQ(-EADDRINUSE, hcl_open_dgram(&y, FABRIC, 3));
	hcl_close(x);
	hcl_close(NULL);
	hcl_close(h[3]);
	EXPECT_EQ(0, hcl_open(&h[3], FABRIC, 3));
	EXPECT_EQ(0, tool("fabric del " FABRIC));
	EXPECT_EQ(-ENODEV, hcl_post(h[3], &sum64, &x, 8, NULL, 0, NULL));
}

TEST(messages_arrive_between_nodes_also_around_faults)
{
	struct hcl *a, *b;
	char buf[64] = "";
	static char big[65536];
	uint32_t from = 99;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, hcl_open_dgram(&a, FABRIC, 1));
	ASSERT_EQ(0, hcl_open_dgram(&b, FABRIC, 6));
	hcl_set_timeout(b, 2000);
	ASSERT_EQ(0, hcl_send(a, 6, "hello", 6));
	EXPECT_EQ(6, hcl_recv(b, &from, buf, sizeof(buf)));
	EXPECT_EQ(1, from);
	EXPECT_EQ(0, strcmp(buf, "hello"));
	/* Messages take paths around faults as well. For a message that is longer than the buffer,
	 * hcl_recv() returns the length of the message.
	 */
	ASSERT_EQ(0, tool("link set " FABRIC " 1:0,1:1 down"));
	ASSERT_EQ(0, hcl_send(a, 6, big, 1000));
	EXPECT_EQ(1000, hcl_recv(b, NULL, buf, sizeof(buf)));
	EXPECT_EQ(-EMSGSIZE, hcl_send(a, 6, big, sizeof(big)));
	EXPECT_EQ(-EADDRNOTAVAIL, hcl_send(a, NODES, "x", 1));
	hcl_set_timeout(b, 50);
	EXPECT_EQ(-ETIMEDOUT, hcl_recv(b, NULL, buf, sizeof(buf)));
	hcl_close(a);
	hcl_close(b);
}

static double half_value(unsigned int type, uint16_t bits)
{
	uint32_t word = (uint32_t)bits << 16;
	_Float16 half;
	float wide;

	memcpy(&half, &bits, sizeof(half));
	memcpy(&wide, &word, sizeof(wide));
	return type == HYPERCUBE_F16 ? (double)half : (double)wide;
}

/* Return: true if the number @bits of type @type is the nearest one to @value; if another number is
 * as near, @bits must be even. The neighbours of a number have bits that are one less and one more.
 * A double represents all these numbers exactly.
 */
static bool is_nearest(unsigned int type, uint16_t bits, double value)
{
	double off = fabs(half_value(type, bits) - value);
	double above = fabs(half_value(type, bits + 1) - value);
	double below = bits & 0x7fff ? fabs(half_value(type, bits - 1) - value) : INFINITY;
	double other = above < below ? above : below;

	return off < other || (off == other && !(bits & 1));
}

TEST(hcl_divide_rounds_quotient_once_to_nearest)
{
	static const uint32_t by[] = { 1, 2, 3, 7, 641, 4095, 4096, 1000003, 1 << 24 };
	unsigned int type, i, bits, wrong = 0;
	float f[2] = { 1, 5 };
	uint16_t h;

	for (type = HYPERCUBE_F16; type <= HYPERCUBE_BF16; type++)
		for (i = 0; i < 9; i++)
			for (bits = 0; bits < 0x10000; bits++) {
				double v = half_value(type, bits);

				h = bits;
				ASSERT_EQ(0, hcl_divide(type, &h, 2, by[i]));
				if (isfinite(v))
					wrong += !is_nearest(type, h, v / by[i]);
				else
					wrong += h != bits;
			}
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, hcl_divide(HYPERCUBE_F32, f, sizeof(f), 3));
	EXPECT_EQ(true, f[0] == 1.0f / 3 && f[1] == 5.0f / 3);
	EXPECT_EQ(-EINVAL, hcl_divide(HYPERCUBE_F32, f, 6, 3));
	EXPECT_EQ(-EINVAL, hcl_divide(HYPERCUBE_F32, f, sizeof(f), 0));
	EXPECT_EQ(-EINVAL, hcl_divide(HYPERCUBE_F32, f, sizeof(f), (1 << 24) + 1));
	EXPECT_EQ(-EINVAL, hcl_divide(HYPERCUBE_U32, f, sizeof(f), 3));
}

TEST(operator_and_type_names_parse_back_and_invalid_are_refused)
{
	unsigned int i;
	uint32_t width;

	for (i = 1; i < __HYPERCUBE_OPER_END; i++)
		EXPECT_EQ(i, hcl_oper_parse(hcl_oper_name(i)));
	for (i = 1; i < __HYPERCUBE_TYPE_END; i += 1 + (i + 1 == HYPERCUBE_RECORD))
		EXPECT_EQ(i, hcl_type_parse(hcl_type_name(i), &width));
	EXPECT_EQ(HYPERCUBE_RECORD, hcl_type_parse("record:24", &width));
	EXPECT_EQ(24, width);
	EXPECT_EQ(-EINVAL, hcl_type_parse("record:0", &width));
	EXPECT_EQ(-EINVAL, hcl_type_parse("record:257", &width));
	EXPECT_EQ(-EINVAL, hcl_type_parse("record: 4", &width));
	EXPECT_EQ(-EINVAL, hcl_type_parse("u63", &width));
	EXPECT_EQ(-EINVAL, hcl_oper_parse("plus"));
	EXPECT_EQ(NULL, hcl_oper_name(0));
	EXPECT_EQ(NULL, hcl_oper_name(__HYPERCUBE_OPER_END));
	EXPECT_EQ(4, hcl_elem_size(HYPERCUBE_SUM, HYPERCUBE_F32, 0));
	EXPECT_EQ(-EINVAL, hcl_elem_size(HYPERCUBE_XOR, HYPERCUBE_F32, 0));
	EXPECT_EQ(2, hcl_elem_size(HYPERCUBE_PROD, HYPERCUBE_F16, 0));
	EXPECT_EQ(-EINVAL, hcl_elem_size(HYPERCUBE_AND, HYPERCUBE_BF16, 0));
	EXPECT_EQ(16, hcl_elem_size(HYPERCUBE_MAXLOC, HYPERCUBE_U8, 0));
	EXPECT_EQ(5, hcl_elem_size(HYPERCUBE_MERGE, HYPERCUBE_RECORD, 5));
	EXPECT_EQ(-EINVAL, hcl_elem_size(HYPERCUBE_SUM, HYPERCUBE_RECORD, 5));
}

TEST_HARNESS_MAIN
