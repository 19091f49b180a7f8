// SPDX-License-Identifier: GPL-2.0
/*
 * groups FABRIC [-s SWEEPS] [-e EPSILON] <PROCESSES
 *
 * Relaxes values in environments of any shape. Each line "PROCESS NODE TG ASKED[,ASKED..]" of the
 * input has a process, its node, the number of processes of its environment that may be faulty, and
 * the processes that it asks for values. The environment of a process consists of the process
 * itself and of those that it asks. In the first run all nodes are honest. In further runs one node
 * is Byzantine with all its processes: each node in turn, with each behaviour of enum lie. Prints
 * the results as JSON.
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "groups.h"

static const char usage[] = "usage: groups FABRIC [-s SWEEPS] [-e EPSILON] <PROCESSES";

static double parse(const char *word, double least, double most)
{
	char *end;
	double v = strtod(word, &end);

	if (end == word || *end || !(v >= least && v <= most))
		errx(2, "'%s' is no number from %g to %g", word, least, most);
	return v;
}

/* Return: the last values that process @j has sent, one for each node. */
static const double *value(const struct groups *g, unsigned int j)
{
	return g->report[g->process[j].node].value[j];
}

/* Return: the greatest difference between a value that was sent and the exact value in @right. */
static double deviation(const struct groups *g, const double *right)
{
	double most = 0;
	unsigned int j, b;

	for (j = 0; j < g->nprocesses; j++)
		for (b = 0; b < g->nnodes; b++)
			most = fmax(most, fabs(value(g, j)[b] - right[j]));
	return most;
}

static unsigned int all_flags(const struct groups *g)
{
	unsigned int flags = 0, b;

	for (b = 0; b < g->nnodes; b++)
		flags |= g->report[b].flags;
	return flags;
}

static void run_once(const char *fabric, struct groups *g)
{
	struct members m = { .fabric = fabric, .open = groups_open, .count = g->nnodes };

	memcpy(m.node, g->node, g->nnodes * sizeof(*m.node));
	memset(g->report, 0, g->nnodes * sizeof(*g->report));
	if (members_run(&m, groups_job, g))
		errx(1, "a node has not come to its end");
}

static void print_outcome(const struct groups *g, const double *right)
{
	double off = deviation(g, right);
	unsigned int flags = all_flags(g), f;
	const char *comma = "";

	printf("\"deviation\":%.3g,\"vote\":\"%s\",\"reasons\":[", off,
	       flags ? "noticed" : off > g->epsilon ? "escaped" : "right");
	for (f = 0; f < FLAGS; f++)
		if (flags & 1u << f) {
			printf("%s\"%s\"", comma, flag_names[f]);
			comma = ",";
		}
	printf("]}");
}

static void run_all(const char *fabric, struct groups *g, const double *right)
{
	unsigned int byzantine, lie, b;
	double longest = 0;
	bool escapes;

	groups_lie(g, g->nnodes, LIE_VALUE);
	run_once(fabric, g);
	for (b = 0; b < g->nnodes; b++)
		longest = fmax(longest, g->report[b].seconds);
	printf("{\"epsilon\":%g,\"sweeps\":%u,\"sweeps_per_second\":%.0f,\"honest\":{", g->epsilon,
	       g->sweeps, g->sweeps / longest);
	print_outcome(g, right);
	printf(",\"runs\":[");
	for (byzantine = 0; byzantine < g->nnodes; byzantine++)
		for (lie = 0; lie < LIES; lie++) {
			escapes = groups_lie(g, byzantine, lie);
			run_once(fabric, g);
			printf("%s{\"node\":%u,\"lie\":\"%s\",\"must_escape\":%s,",
			       byzantine || lie ? "," : "", g->node[byzantine], lie_names[lie],
			       escapes ? "true" : "false");
			print_outcome(g, right);
		}
	printf("]}\n");
}

int main(int argc, char **argv)
{
	static struct groups g = { .sweeps = 100, .epsilon = 0.001 };
	static double right[PROCESSES_MAX];
	double least = HUGE_VAL;
	unsigned int i;
	int c;

	while ((c = getopt(argc, argv, "s:e:")) != -1)
		if (c == 's')
			g.sweeps = (unsigned int)parse(optarg, 2, 100000);
		else if (c == 'e')
			g.epsilon = parse(optarg, 0.000001, HOTTEST);
		else
			errx(2, "%s", usage);
	if (optind + 1 != argc)
		errx(2, "%s", usage);
	groups_read(&g);
	/* In each row of the matrix, the diagonal element exceeds the sum of the others by at least
	 * this much.
	 */
	for (i = 0; i < g.nprocesses; i++)
		least = fmin(least, groups_pull(&g.process[i]));
	g.delta = g.epsilon * least;
	groups_solve(&g, right);
	g.report = mmap(NULL, NODES_MAX * sizeof(*g.report), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (g.report == MAP_FAILED)
		err(1, "memory");
	run_all(argv[optind], &g, right);
	return 0;
}
