// SPDX-License-Identifier: GPL-2.0
/* The ledger of the test: it counts the fates of all contributions, and prints errors and results.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "soak.h"

static uint64_t total[ROWS][FATES], errors[ROWS][140], operations, bytes, worlds_bad;

const char *row_name(int row)
{
	static const char *const name[ROWS] = {
		[HYPERCUBE_REDUCE] = "reduce",	     [HYPERCUBE_BCAST] = "bcast",
		[HYPERCUBE_ALLREDUCE] = "allreduce", [HYPERCUBE_BARRIER] = "barrier",
		[HYPERCUBE_GATHER] = "gather",	     [HYPERCUBE_SCATTER] = "scatter",
		[ROW_DATAGRAM] = "datagram",	     [ROW_MERGE] = "merge",
		[ROW_DOUBLED] = "doubling",	     [ROW_DOUBLED_BARRIER] = "d-barrier",
	};

	return row < ROWS && name[row] ? name[row] : "?";
}

const char *fate_name(int fate)
{
	static const char *const name[FATES] = {
		[RIGHT] = "right",	   [QUIET] = "quiet",	      [ERROR] = "error",
		[REFUSED] = "refused",	   [ABANDONED] = "abandoned", [WRONG] = "wrong",
		[UNFOUNDED] = "unfounded", [DOUBLED] = "doubled",     [LOST] = "lost",
		[HUNG] = "hung",
	};

	return name[fate];
}

void record_fate(struct world *w, uint32_t node, int row, enum fate fate)
{
	atomic_fetch_add(&w->seat[node].fate[row][fate], 1);
	if (fate >= FIRST_BAD)
		atomic_fetch_add(&w->bad, 1);
}

/* Print an error on one line, with the options that reproduce the world. */
void complain(struct world *w, const char *format, ...)
{
	char line[900];
	va_list ap;
	int n;

	/* Print at most about forty errors of a world, which is enough for the reader. */
	if (atomic_load(&w->bad) > 40)
		return;
	n = snprintf(line, sizeof(line),
		     "BAD seed %llu dim %u segment %u era %u: ", (unsigned long long)w->seed,
		     w->dim, w->segment, w->era.gen);
	va_start(ap, format);
	n += vsnprintf(line + n, sizeof(line) - (size_t)n, format, ap);
	va_end(ap);
	if ((size_t)n > sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n] = '\n';
	line[n + 1] = 0;
	fputs(line, stdout);
	fflush(stdout);
}

static void add(const struct world *w, uint64_t sum[ROWS][FATES])
{
	uint32_t u, row, fate;

	for (u = 0; u < w->nodes; u++)
		for (row = 0; row < ROWS; row++)
			for (fate = 0; fate < FATES; fate++)
				sum[row][fate] += atomic_load(&w->seat[u].fate[row][fate]);
}

void ledger_add(const struct world *w)
{
	uint32_t row, e;

	add(w, total);
	operations += atomic_load(&w->operations);
	bytes += atomic_load(&w->bytes);
	worlds_bad += atomic_load(&w->bad);
	for (row = 0; row < ROWS; row++)
		for (e = 0; e < 140; e++)
			errors[row][e] += atomic_load(&w->errors[row][e]);
}

void ledger_progress(const struct world *w, uint32_t seconds)
{
	uint64_t sum[ROWS][FATES] = {}, fate[FATES] = {};
	uint32_t row, f;

	add(w, sum);
	for (row = 0; row < ROWS; row++)
		for (f = 0; f < FATES; f++)
			fate[f] += sum[row][f];
	printf("%5u s dim %u segment %u era %u: %llu operations;", seconds, w->dim, w->segment,
	       w->era.gen, (unsigned long long)atomic_load(&w->operations));
	for (f = 0; f < FATES; f++)
		if (f < FIRST_BAD || fate[f])
			printf(" %s %llu", fate_name((int)f), (unsigned long long)fate[f]);
	putchar('\n');
	fflush(stdout);
}

static void table(uint64_t sum[FATES])
{
	uint32_t row, f;

	printf("\n%-10s", "");
	for (f = 0; f < FATES; f++)
		printf(" %9s", fate_name((int)f));
	putchar('\n');
	for (row = 1; row < ROWS; row++) {
		printf("%-10s", row_name((int)row));
		for (f = 0; f < FATES; f++) {
			printf(" %9llu", (unsigned long long)total[row][f]);
			sum[f] += total[row][f];
		}
		putchar('\n');
	}
	printf("%-10s", "all");
	for (f = 0; f < FATES; f++)
		printf(" %9llu", (unsigned long long)sum[f]);
	putchar('\n');
}

static void causes(void)
{
	uint32_t row, e;
	bool any;

	puts("\nerrors, by cause:");
	for (row = 1; row < ROWS; row++) {
		any = false;
		for (e = 0; e < 140; e++)
			if (errors[row][e]) {
				printf("%s %s %llu", any ? "" : row_name((int)row),
				       strerrorname_np((int)e), (unsigned long long)errors[row][e]);
				any = true;
			}
		if (any)
			putchar('\n');
	}
}

/* Print the table of results. Its last line is "N passed, N failed": the numbers of contributions
 * with a good and with a bad fate. Return: the exit status.
 */
int ledger_close(double seconds)
{
	uint64_t sum[FATES] = {}, good = 0, bad = 0;
	uint32_t f;

	table(sum);
	causes();
	for (f = 0; f < FATES; f++)
		*(f < FIRST_BAD ? &good : &bad) += sum[f];
	/* Also count errors that do not belong to a contribution, such as an hcctl that hangs, or a
	 * plan that lacks members.
	 */
	if (worlds_bad > bad)
		bad = worlds_bad;
	printf("\n%llu operations, %llu contributions and messages of members, %.1f GB given, in %.0f s\n",
	       (unsigned long long)operations, (unsigned long long)(good + bad),
	       (double)bytes / 1e9, seconds);
	printf("%llu passed, %llu failed\n", (unsigned long long)good, (unsigned long long)bad);
	return bad || !sum[RIGHT];
}
