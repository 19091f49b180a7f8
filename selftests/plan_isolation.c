// SPDX-License-Identifier: GPL-2.0
/*
 * Plans do not wait for each other. Every node posts allreduces on many plans in one random order
 * and waits for them in another; each is larger than the buffers of a socket. The test runs this
 * with threads, with processes, and with several processes at each node.
 *
 * Scheduling: shared
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cube.h"
#include "ktap.h"
#include "libhypercube.h"

#define PLANS	8
#define MOST	(1 << 20)

/**
 * struct node_work - the operations of one node
 * @c: the cube
 * @node: number of the node
 * @from: the first of its plans
 * @plans: number of its plans
 * @bytes: for each plan, bytes of the operation
 * @seed: seed of the two random orders
 * @tied: open the handle for one plan only (hcl_open_plan())
 * @bad: number of operations that failed or had a wrong result
 */
struct node_work {
	const struct cube *c;
	unsigned int node;
	unsigned int from;
	unsigned int plans;
	size_t bytes[PLANS];
	unsigned int seed;
	bool tied;
	unsigned int bad;
};

static uint64_t in[PLANS][MOST / 8];

static void fill(void)
{
	unsigned int p, k;

	for (p = 0; p < PLANS; p++)
		for (k = 0; k < MOST / 8; k++)
			in[p][k] = (uint64_t)(p + 1) * k + p;
}

static void shuffle(unsigned int *order, unsigned int n, unsigned int *seed)
{
	unsigned int i, k, t;

	for (i = 0; i < n; i++)
		order[i] = i;
	for (i = n; i > 1; i--) {
		k = (unsigned int)rand_r(seed) % i;
		t = order[i - 1];
		order[i - 1] = order[k];
		order[k] = t;
	}
}

static bool right(const struct node_work *w, unsigned int p, const uint64_t *out)
{
	size_t k;

	for (k = 0; k < w->bytes[p] / 8; k++)
		if (out[k] != w->c->nodes * in[p][k])
			return false;
	return true;
}

/* Post an operation on each plan in one random order, and wait for them in another. Return: number
 * of errors.
 */
static int operate(struct node_work *w, struct hcl *h, uint64_t **out)
{
	unsigned int order[PLANS], i, p;
	uint64_t id[PLANS];
	int err;

	shuffle(order, w->plans, &w->seed);
	for (i = 0; i < w->plans; i++) {
		struct hcl_params params = {
			.oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
			.collective = HYPERCUBE_ALLREDUCE,
		};

		p = w->from + order[i];
		params.plan = p + 1;
		err = hcl_post(h, &params, in[p], w->bytes[p], out[p], w->bytes[p], &id[p]);
		if (err)
			return err;
	}
	shuffle(order, w->plans, &w->seed);
	for (i = 0; i < w->plans; i++) {
		p = w->from + order[i];
		err = hcl_wait(h, id[p], NULL);
		if (err)
			return err;
		w->bad += !right(w, p, out[p]);
	}
	return 0;
}

static void *node_run(void *arg)
{
	struct node_work *w = arg;
	uint64_t *out[PLANS] = { NULL };
	char text[160];
	struct hcl *h;
	unsigned int p;
	int err;

	err = w->tied ? hcl_open_plan(&h, w->c->name, w->node, w->from + 1) :
			hcl_open(&h, w->c->name, w->node);
	if (err) {
		w->bad++;
		printf("# node %u: open: %s\n", w->node, strerror(-err));
		return NULL;
	}
	hcl_set_timeout(h, 1000 * wait_secs(5));
	for (p = w->from; p < w->from + w->plans; p++)
		out[p] = calloc(1, w->bytes[p] ? w->bytes[p] : 1);
	err = operate(w, h, out);
	if (err) {
		w->bad++;
		printf("# node %u: %s: %s\n", w->node, strerror(-err),
		       hcl_describe(hcl_failure(h), text, sizeof(text)));
	} else if (hcl_barrier(h, w->from + 1, NULL)) {
		w->bad++;
	}
	hcl_close(h);
	for (p = 0; p < PLANS; p++)
		free(out[p]);
	return NULL;
}

static int start(struct cube *c, unsigned int dim, unsigned int plans)
{
	int err = cube_new(c, dim, 0);
	unsigned int p;

	for (p = 0; !err && p < plans; p++)
		err = p % 3 == 2 ? cube_doubling(c, p + 1, (1u << dim) - 1, 0) :
				   cube_plan_to(c, p + 1, below(1u << dim));
	return err;
}

static void work_fill(struct node_work *w, const struct cube *c, unsigned int plans)
{
	unsigned int u, p;

	memset(w, 0, c->nodes * sizeof(*w));
	for (p = 0; p < plans; p++)
		w[0].bytes[p] = below(3) ? below(MOST / 8 + 1) * 8u : MOST;
	for (u = 0; u < c->nodes; u++) {
		w[u] = w[0];
		w[u].c = c;
		w[u].node = u;
		w[u].plans = plans;
		w[u].seed = rnd();
	}
}

static unsigned int threads_run(struct node_work *w, unsigned int n)
{
	pthread_t thread[n];
	unsigned int i, bad = 0;

	for (i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, node_run, &w[i]);
	for (i = 0; i < n; i++) {
		pthread_join(thread[i], NULL);
		bad += w[i].bad;
	}
	return bad;
}

static int process_run(void *arg, unsigned int i)
{
	struct node_work *w = arg;

	node_run(&w[i]);
	return (int)w[i].bad;
}

static unsigned int processes_run(struct node_work *w, unsigned int n)
{
	return processes_failed(n, process_run, w);
}

/* Run two plans, with all contributions as long as possible. This hung in an earlier version. */
TEST(two_plans_with_long_operations_do_not_block_each_other)
{
	struct node_work w[4];
	struct cube c;
	unsigned int i, u;

	fill();
	ASSERT_EQ(0, start(&c, 2, 2));
	for (i = 0; i < scaled(4); i++) {
		work_fill(w, &c, 2);
		for (u = 0; u < 4; u++) {
			w[u].bytes[0] = MOST;
			w[u].bytes[1] = MOST;
		}
		EXPECT_EQ(0, processes_run(w, 4));
	}
	EXPECT_EQ(0, cube_del(&c));
}

/* Run random numbers of plans with operations of random lengths. @run: a function that runs @n
 * nodes, and returns the number of errors.
 */
static void at_random(struct __test_metadata *_metadata,
		      unsigned int (*run)(struct node_work *w, unsigned int n))
{
	unsigned int i, plans, n = scaled(6);
	struct node_work w[8];
	struct cube c;

	fill();
	for (i = 0; i < n; i++) {
		plans = 2 + below(PLANS - 1);
		ASSERT_EQ(0, start(&c, 2 + i % 2, plans));
		work_fill(w, &c, plans);
		EXPECT_EQ(0, run(w, c.nodes));
		EXPECT_EQ(0, cube_del(&c));
	}
}

TEST(plans_used_by_threads_in_random_orders_do_not_block)
{
	at_random(_metadata, threads_run);
}

TEST(plans_used_by_processes_in_random_orders_do_not_block)
{
	at_random(_metadata, processes_run);
}

/* At each node there is a process for each plan. */
TEST(plans_of_several_processes_per_node_do_not_block)
{
	struct node_work w[16];
	struct cube c;
	unsigned int u, p;

	fill();
	ASSERT_EQ(0, start(&c, 2, 4));
	work_fill(w, &c, 4);
	for (p = 4; p-- > 0;)
		for (u = 0; u < 4; u++) {
			w[p * 4 + u] = w[u];
			w[p * 4 + u].from = p;
			w[p * 4 + u].plans = 1;
			w[p * 4 + u].tied = true;
		}
	EXPECT_EQ(0, processes_run(w, 16));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
