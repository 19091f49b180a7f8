// SPDX-License-Identifier: GPL-2.0
/*
 * Allreduces over a guarded plan while links flap and nodes fail. Each process counts the letter
 * pairs of its share of a window of a text, the reduction adds the counts, and each process checks
 * each result. The parent prints a table: how many operations were begun again in another epoch,
 * and the latency of these and of the other operations.
 *
 * flaps FABRIC PLAN SINK NODES SECONDS VICTIMS TEXT FAULTS SVG
 *	VICTIMS	nodes that are to fail, with commas: their processes end when they get EHOSTDOWN
 *	FAULTS	a file, read at the end: "TIME down NODE:DIM", "TIME up NODE:DIM" or
 *		"TIME fail NODE" in each line, TIME in us since 1970
 *
 * A window is split into a share for each of NODES, the failed ones included. Element 0 of a
 * contribution has the bit of its node, so element 0 of the result is the set of the nodes whose
 * contributions are in the result; the other elements must be the sums of the counts in the shares
 * of these nodes.
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "flaps.h"

#define CLASSES	27
#define SHARE	512	/* bytes of each process's share of a window */

/**
 * struct pairs - a contribution and a result
 * @set: the contributors, a bit for each node
 * @over: number of contributors whose time has expired
 * @count: number of each pair of letters
 */
struct pairs {
	uint64_t set;
	uint64_t over;
	uint64_t count[CLASSES][CLASSES];
};

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000ull + t.tv_nsec / 1000;
}

/* ------------------------------------------------------------ a process */

static unsigned int class(int c)
{
	return isascii(c) && isalpha(c) ? tolower(c) - 'a' + 1 : 0;
}

/* Add the pairs in the share of process @index, in the window of operation @nr, to @p. */
static void share_count(const struct flaps *r, uint32_t nr, unsigned int index, struct pairs *p)
{
	size_t window = (size_t)SHARE * r->members.count;
	const char *s = r->text + nr * window % (r->bytes - window) + (size_t)SHARE * index;
	unsigned int i;

	for (i = 0; i < SHARE; i++)
		p->count[class(s[i])][class(s[i + 1])]++;
}

static uint32_t all_nodes(const struct flaps *r)
{
	uint32_t set = 0;
	unsigned int i;

	for (i = 0; i < r->members.count; i++)
		set |= 1u << r->members.node[i];
	return set;
}

/* Return: true if @set, the contributors to a result of @node, is valid: only victims may be
 * missing, and a node that was missing in the previous result (@last) is still missing.
 */
static bool set_is_valid(const struct flaps *r, uint32_t node, uint64_t set, uint32_t last)
{
	uint32_t must = (all_nodes(r) & ~r->victims) | 1u << node;

	return (set & must) == must && !(set & ~(uint64_t)last);
}

static bool counts_are_right(const struct flaps *r, uint32_t nr, const struct pairs *result)
{
	static struct pairs sum;
	unsigned int i;

	memset(&sum, 0, sizeof(sum));
	for (i = 0; i < r->members.count; i++)
		if (result->set >> r->members.node[i] & 1)
			share_count(r, nr, i, &sum);
	return !memcmp(sum.count, result->count, sizeof(sum.count));
}

/* Return: 0 if this process's node was to fail and @ret is the error for its failure, else 1. */
static int end_by_error(const struct flaps *r, struct flaps_process *p, const struct member *me,
			int ret)
{
	char text[256];

	p->host_down = ret == -EHOSTDOWN && r->victims >> me->node & 1;
	p->failed = !p->host_down;
	printf("   node %" PRIu32 ", operation %" PRIu32 ": %s\n", me->node, p->ops,
	       p->host_down ? "its process is told that the node has failed, and ends" :
	       hcl_explain(me->h, text, sizeof(text)));
	return p->failed;
}

/* The work of a process: it runs operations and checks each result, until its time has expired or
 * it gets an error.
 */
static int loop(struct member *me, void *arg)
{
	struct flaps *r = arg;
	struct flaps_process *p = &r->process[me->index];
	struct hcl_params params = {
		.plan = me->all->plan, .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
	};
	static struct pairs mine, result;
	uint64_t end = r->begin + r->seconds * 1000000ull, from, to;
	uint32_t last = all_nodes(r);
	struct hypercube_result res;
	int ret;

	do {
		memset(&mine, 0, sizeof(mine));
		mine.set = 1ull << me->node;
		share_count(r, p->ops, me->index, &mine);
		from = now_us();
		mine.over = from >= end || p->ops + 1 == FLAPS_OPS_MAX;
		ret = hcl_allreduce(me->h, &params, &mine, sizeof(mine), &result, sizeof(result),
				    &res);
		to = now_us();
		if (ret)
			return end_by_error(r, p, me, ret);
		if (res.bytes != sizeof(result) || !set_is_valid(r, me->node, result.set, last) ||
		    !counts_are_right(r, p->ops, &result))
			p->wrong++;
		last = result.set;
		p->op[p->ops++] = (struct flaps_op) {
			.end = to - r->begin, .latency = to - from, .set = result.set,
			.restarts = res.restarts,
		};
	} while (!result.over);
	return 0;
}

/* ------------------------------------------------------------ evaluation */

/* Return: true if @op lacks the contribution of a node that had not failed when @op ended. */
static bool lacks_live_node(const struct flaps *r, const struct flaps_op *op)
{
	unsigned int i;

	for (i = 0; i < r->faults; i++)
		if (r->fault[i].kind == NODE_FAILED && op->end < r->fault[i].at &&
		    !(op->set >> r->fault[i].node & 1))
			return true;
	return false;
}

/* Check that all processes have got the same results. A process whose node has failed may differ in
 * its last result, which may have been computed again without its contribution.
 */
static void compare(struct flaps *r, const struct flaps_process *p)
{
	const struct flaps_process *first = &r->process[0];
	uint32_t nr, n = p->ops - (p->host_down && p->ops);

	if (!p->host_down && p->ops != first->ops)
		r->errors++;
	for (nr = 0; nr < n && nr < first->ops; nr++)
		r->wrong += p->op[nr].set != first->op[nr].set || lacks_live_node(r, &p->op[nr]);
}

/* Evaluate what all processes have recorded. */
static void evaluate(struct flaps *r)
{
	const struct flaps_process *first = &r->process[0];
	uint32_t nr;
	unsigned int i;

	r->ops = first->ops;
	for (i = 0; i < r->members.count; i++) {
		const struct flaps_process *p = &r->process[i];

		r->errors += p->failed;
		r->wrong += p->wrong;
		compare(r, p);
		for (nr = 0; nr < p->ops && nr < r->ops; nr++)
			r->again[nr] |= p->op[nr].restarts;
	}
	for (nr = 0; nr < r->ops; nr++)
		r->nr_again += r->again[nr];
}

static int compare_latency(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Print a line of the table, with the name @name: the latencies of the operations that were begun
 * again (@again), or those of the other operations.
 */
static void latency_print(const struct flaps *r, bool again, const char *name)
{
	size_t n = 0, max = (size_t)r->ops * r->members.count;
	uint32_t *us = calloc(max + 1, sizeof(*us)), nr;
	unsigned int i;

	if (!us)
		err(1, "memory");
	for (i = 0; i < r->members.count; i++)
		for (nr = 0; nr < r->process[i].ops && nr < r->ops; nr++)
			if (r->again[nr] == again)
				us[n++] = r->process[i].op[nr].latency;
	qsort(us, n, sizeof(*us), compare_latency);
	if (n)
		printf("%-24s %10" PRIu32 " %10.2f %10.2f %10.2f\n", name,
		       again ? r->nr_again : r->ops - r->nr_again, us[n / 2] / 1e3,
		       us[n - 1 - n / 100] / 1e3, us[n - 1] / 1e3);
	free(us);
}

static void table_print(const struct flaps *r)
{
	uint64_t results = 0;
	uint32_t nr, most = 0;
	unsigned int i;

	for (i = 0; i < r->members.count; i++) {
		results += r->process[i].ops;
		for (nr = 0; nr < r->process[i].ops; nr++)
			if (r->process[i].op[nr].restarts > most)
				most = r->process[i].op[nr].restarts;
	}
	printf("\n%-24s %10" PRIu32 "\n%-24s %10" PRIu32 "  (%" PRIu32 " times at most)\n",
	       "operations", r->ops, "begun again", r->nr_again, most);
	printf("%-24s %10u\n%-24s %10u  (of %" PRIu64 ", each checked)\n\n", "errors", r->errors,
	       "wrong results", r->wrong, results);
	printf("%-24s %10s %10s %10s %10s\n", "latency in ms", "operations", "median", "99 %",
	       "greatest");
	latency_print(r, false, "undisturbed");
	latency_print(r, true, "begun again");
}

/* ------------------------------------------------------------ main */

static uint32_t nodes_parse(char *list)
{
	uint32_t set = 0;
	char *word;

	for (word = strtok(list, ","); word; word = strtok(NULL, ","))
		set |= 1u << atoi(word) % FLAPS_NODES_MAX;
	return set;
}

static void run_parse(struct flaps *r, char **argv)
{
	unsigned int i;

	members_parse(&r->members, argv + 1);
	for (i = 0; i < r->members.count; i++)
		if (r->members.count > FLAPS_NODES_MAX || r->members.node[i] >= FLAPS_NODES_MAX)
			errx(2, "nodes 0 to %d can take part", FLAPS_NODES_MAX - 1);
	r->seconds = atoi(argv[5]);
	if (r->seconds < 1 || r->seconds > 3600)
		errx(2, "'%s' is no number of seconds from 1 to 3600", argv[5]);
	r->victims = nodes_parse(argv[6]);
	r->text = file_read(argv[7], &r->bytes);
	if (r->bytes <= (size_t)SHARE * r->members.count + 1)
		errx(1, "%s is too short", argv[7]);
}

int main(int argc, char **argv)
{
	static struct flaps r;
	size_t size;
	int bad;

	if (argc != 10)
		errx(2,
		     "usage: %s FABRIC PLAN SINK NODES SECONDS VICTIMS TEXT FAULTS SVG", argv[0]);
	r.what = "allreduces";
	run_parse(&r, argv);
	size = r.members.count * sizeof(*r.process);
	r.process = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r.process == MAP_FAILED)
		err(1, "memory");
	r.begin = now_us();
	bad = members_run(&r.members, loop, &r);
	flaps_faults_read(&r, argv[8]);
	evaluate(&r);
	table_print(&r);
	flaps_picture(&r, argv[9]);
	return bad || r.errors || r.wrong;
}
