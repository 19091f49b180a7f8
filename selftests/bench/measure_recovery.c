// SPDX-License-Identifier: GPL-2.0
/*
 * measure_recovery FABRIC PLAN DIM BYTES FAULTS link|node: measures how long a guarded plan takes
 * to recover from a fault. A process at each node runs allreduces in a row. Meanwhile FAULTS links
 * go down, one at a time, or one node fails. Prints one JSON object, with times in us: from the
 * fault (before the request to the kernel) to the last return from the operation that was begun
 * again in the next epoch; the duration of operations before all faults; and the time between the
 * ends of successive operations before the first fault and after it.
 *
 * "hcctl guard" must be running, which installs the next epochs of the plan.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hc_nl.h"
#include "libhypercube.h"

#define OPS_MAX		100000
#define FAULTS_MAX	1000
#define QUIET_OPS	200	/* operations before the first fault, and after it */
#define LATER_OPS	10	/* operations between two faults */

/**
 * struct op - an allreduce
 * @begun: time at which the last process called it, in ns
 * @ended: time at which the last process returned from it, in ns
 * @restarts: the operation was begun again in another epoch
 */
struct op {
	_Atomic uint64_t begun;
	_Atomic uint64_t ended;
	_Atomic bool restarts;
};

/**
 * struct recovery - memory that all processes map
 * @fabric: name of the fabric
 * @plan: id of the plan
 * @dim: dimension of the fabric
 * @count: elements of a contribution
 * @victim: the node that fails, or -1 if links go down
 * @stop: set when the next operation that process 0 begins is to be the last one
 * @ops: number of operations from which process 0 has returned
 * @op: all operations
 */
struct recovery {
	const char *fabric;
	uint32_t plan;
	unsigned int dim;
	size_t count;
	_Atomic int victim;
	_Atomic bool stop;
	_Atomic uint32_t ops;
	struct op op[OPS_MAX];
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Sleep for @us microseconds. */
static void rest(unsigned int us)
{
	const struct timespec t = { .tv_nsec = us * 1000l };

	nanosleep(&t, NULL);
}

static void raise_to(_Atomic uint64_t *v, uint64_t to)
{
	uint64_t old = atomic_load(v);

	while (old < to && !atomic_compare_exchange_weak(v, &old, to))
		;
}

/* --- a process --- */

/* Fill in a contribution. Element 0 is not 0 if the operation is the last one (@over). Element 1 is
 * 1, so its sum is the number of contributions in the result.
 */
static void fill(uint64_t *v, size_t count, bool over, uint32_t nr)
{
	size_t i;

	v[0] = over;
	v[1] = 1;
	for (i = 2; i < count; i++)
		v[i] = nr + i;
}

static void check(const uint64_t *v, size_t count, uint32_t nr)
{
	size_t i;

	for (i = 2; i < count; i++)
		if (v[i] != v[1] * (nr + i))
			errx(1, "operation %" PRIu32 ", element %zu: %" PRIu64, nr, i, v[i]);
}

/* Run operations until a result has an element 0 that is not 0, or until this node has failed. */
static void process(struct recovery *r, unsigned int node)
{
	struct hcl_params p = {
		.plan = r->plan, .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
	};
	uint64_t *in = calloc(r->count, 8), *out = calloc(r->count, 8);
	struct hypercube_result res;
	struct hcl *h;
	uint32_t nr;
	int ret = hcl_open(&h, r->fabric, node);

	if (ret || !in || !out)
		errx(1, "node %u: %s", node, strerror(-ret));
	hcl_set_timeout(h, 60000);
	for (nr = 0; nr < OPS_MAX; nr++) {
		struct op *op = &r->op[nr];

		fill(in, r->count, !node && (atomic_load(&r->stop) || nr == OPS_MAX - 1), nr);
		raise_to(&op->begun, now());
		ret = hcl_allreduce(h, &p, in, r->count * 8, out, r->count * 8, &res);
		if (ret == -EHOSTDOWN && (int)node == atomic_load(&r->victim))
			break;
		if (ret)
			errx(1, "node %u, operation %" PRIu32 ": %s", node, nr, strerror(-ret));
		raise_to(&op->ended, now());
		if (res.restarts)
			atomic_store(&op->restarts, true);
		check(out, r->count, nr);
		if (!node)
			atomic_store(&r->ops, nr + 1);
		if (out[0])
			break;
	}
	hcl_close(h);
}

/* --- faults --- */

static int link_set(struct nl *nl, const struct recovery *r, unsigned int node, unsigned int dim,
		    bool down)
{
	nl_begin(nl, HYPERCUBE_CMD_LINK_SET, NLM_F_ACK);
	nl_str(nl, HYPERCUBE_A_LINK_FABRIC, r->fabric);
	nl_u32(nl, HYPERCUBE_A_LINK_NODE, node);
	nl_u32(nl, HYPERCUBE_A_LINK_DIM, dim);
	nl_u8(nl, HYPERCUBE_A_LINK_DOWN, down);
	return nl_talk(nl, NULL, NULL);
}

static int node_fail(struct nl *nl, const struct recovery *r, unsigned int node)
{
	nl_begin(nl, HYPERCUBE_CMD_NODE_SET, NLM_F_ACK);
	nl_str(nl, HYPERCUBE_A_NODE_FABRIC, r->fabric);
	nl_u32(nl, HYPERCUBE_A_NODE_ID, node);
	nl_u8(nl, HYPERCUBE_A_NODE_FAILED, true);
	return nl_talk(nl, NULL, NULL);
}

/* Wait until process 0 has returned from operation @n, so that all processes have returned from
 * earlier ones.
 */
static void wait_for(const struct recovery *r, uint32_t n)
{
	uint64_t end = now() + 30000000000ull;

	while (atomic_load(&r->ops) <= n) {
		if (now() > end)
			errx(1, "operation %" PRIu32 " does not end", n);
		rest(200);
	}
}

/* Wait for LATER_OPS operations from number @from on. @from is the first operation that process 0
 * had not ended at the time @fault of the fault. If a link has failed, choose the longest of the
 * operations that were begun again; if a node has failed, choose the longest of all these
 * operations, since an operation that begins only after the fault is not begun again, but waits for
 * the next epoch. Return: ns from @fault to the end of this operation; 0 if no operation was begun
 * again.
 */
static uint64_t recovered(const struct recovery *r, uint32_t from, uint64_t fault)
{
	bool link = atomic_load(&r->victim) < 0;
	uint64_t longest = 0, took = 0;
	uint32_t nr;

	wait_for(r, from + LATER_OPS);
	for (nr = from; nr < from + LATER_OPS; nr++) {
		const struct op *op = &r->op[nr];

		if ((link && !op->restarts) || op->ended - op->begun < longest)
			continue;
		longest = op->ended - op->begun;
		took = op->ended - fault;
	}
	return took;
}

/* Take random links down and up again, until @faults of them have affected an operation; links that
 * the tree does not use affect none. *@behind: set to the number of the first operation after
 * recovery from the first of these faults.
 */
static unsigned int cut_links(const struct recovery *r, struct nl *nl, uint64_t *took,
			      unsigned int faults, uint32_t *behind)
{
	unsigned int n = 0;

	while (n < faults && atomic_load(&r->ops) < OPS_MAX / 2) {
		unsigned int node = rand() % (1u << r->dim), dim = rand() % r->dim;
		uint32_t from = atomic_load(&r->ops);
		uint64_t fault = now();

		if (link_set(nl, r, node, dim, true))
			errx(1, "link %u:%u: %s", node, dim, nl->extack);
		took[n] = recovered(r, from, fault);
		if (took[n] && !n) {
			*behind = atomic_load(&r->ops);
			wait_for(r, *behind + QUIET_OPS);
		}
		n += took[n] > 0;
		if (link_set(nl, r, node, dim, false))
			errx(1, "link %u:%u: %s", node, dim, nl->extack);
		wait_for(r, atomic_load(&r->ops) + LATER_OPS + rand() % LATER_OPS);
	}
	return n;
}

static unsigned int fail_node(struct recovery *r, struct nl *nl, uint64_t *took)
{
	/* Process 0 counts the operations, so node 0 must not fail. */
	unsigned int node = 1 + rand() % ((1u << r->dim) - 1);
	uint32_t from = atomic_load(&r->ops);
	uint64_t fault = now();

	atomic_store(&r->victim, node);
	if (node_fail(nl, r, node))
		errx(1, "node %u: %s", node, nl->extack);
	took[0] = recovered(r, from, fault);
	return took[0] > 0;
}

/* --- output --- */

static void print_list(const char *name, const uint64_t *ns, unsigned int n)
{
	unsigned int i;

	printf("\"%s\":[", name);
	for (i = 0; i < n; i++)
		printf("%s%.1f", i ? "," : "", ns[i] / 1e3);
	printf("],");
}

/* Print, as JSON member @name, the times between the ends of successive operations, from number
 * @from on.
 */
static void print_pace(const char *name, const struct recovery *r, uint32_t from)
{
	uint64_t v[QUIET_OPS];
	unsigned int i;

	for (i = 0; i < QUIET_OPS; i++)
		v[i] = r->op[from + i].ended - r->op[from + i - 1].ended;
	print_list(name, v, QUIET_OPS);
}

static void report(const struct recovery *r, const char *of, const uint64_t *took, unsigned int n,
		   uint32_t behind)
{
	uint64_t v[QUIET_OPS];
	unsigned int i;

	/* The first operations are a warm-up. */
	for (i = 0; i < QUIET_OPS; i++)
		v[i] = r->op[LATER_OPS + i].ended - r->op[LATER_OPS + i].begun;
	printf("{\"what\":\"recovery\",\"of\":\"%s\",\"procs\":%u,", of, 1u << r->dim);
	print_list("recovered_us", took, n);
	print_list("undisturbed_us", v, QUIET_OPS);
	print_pace("before_us", r, LATER_OPS);
	if (behind)
		print_pace("behind_us", r, behind);
	printf("\"bytes\":%zu}\n", r->count * 8);
}

int main(int argc, char **argv)
{
	uint64_t took[FAULTS_MAX];
	unsigned int i, n, faults, failed = 0;
	uint32_t behind = 0;
	struct recovery *r;
	struct nl nl;
	int status;

	if (argc != 7 || atoi(argv[5]) < 1 || atoi(argv[5]) > FAULTS_MAX)
		errx(2, "usage: %s FABRIC PLAN DIM BYTES FAULTS link|node", argv[0]);
	r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r == MAP_FAILED)
		err(1, "memory");
	*r = (struct recovery){
		.fabric = argv[1], .plan = atoi(argv[2]), .dim = atoi(argv[3]),
		.count = atoi(argv[4]) / 8, .victim = -1,
	};
	faults = atoi(argv[5]);
	status = nl_open(&nl);
	if (status)
		errx(1, "netlink: %s", strerror(-status));
	for (i = 0; i < 1u << r->dim; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			process(r, i);
			exit(0);
		}
	}
	wait_for(r, LATER_OPS + QUIET_OPS);
	srand(now());
	n = strcmp(argv[6], "node") ? cut_links(r, &nl, took, faults, &behind) :
				      fail_node(r, &nl, took);
	atomic_store(&r->stop, true);
	for (i = 0; i < 1u << r->dim; i++)
		failed += wait(&status) < 0 || status;
	if (failed)
		errx(1, "%u processes failed", failed);
	report(r, argv[6], took, n, behind);
	return 0;
}
