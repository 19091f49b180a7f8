// SPDX-License-Identifier: GPL-2.0
/*
 * The calls for which Open MPI's own module (the module below, see component.h) is faster, as
 * hypercube-mpi-tune has measured on this machine: rows CALL:RANKS:FROM-TO, separated by commas or
 * white space. A row applies to communicators of RANKS or more ranks, unless the call has a row for
 * more ranks that applies, too. The rows of a call with the fewest ranks apply to smaller
 * communicators as well. Calls with vectors of FROM or more, but fewer than TO bytes go to the
 * module below. All ranks get the same rows from mpirun, so all make the same decision.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "component.h"

#define ROWS_MAX	1024
#define ROW_MAX		128

/**
 * struct row - a row
 * @what: the call
 * @ranks: least number of ranks of a communicator to which the row applies
 * @from: vectors of this many bytes and more go below
 * @to: vectors of this many bytes and more do not go below
 */
struct row {
	enum hcm_what what;
	int ranks;
	size_t from;
	size_t to;
};

/* The rows, sorted by call and number of ranks. */
static struct row rows[ROWS_MAX];
static unsigned int nrows;

static int compare(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->what != b->what)
		return a->what < b->what ? -1 : 1;
	return (a->ranks > b->ranks) - (a->ranks < b->ranks);
}

/* Parse a row. Return: false if it is invalid. */
static bool parse(const char *word, struct row *r)
{
	char name[32];
	int end = 0;

	if (sscanf(word, "%31[a-z_]:%d:%zu-%zu%n", name, &r->ranks, &r->from, &r->to, &end) != 4 ||
	    word[end] || r->ranks < 1)
		return false;
	for (r->what = 0; r->what < HCM_WHAT_NR; r->what++)
		if (!strcasecmp(hcm_what_name(r->what), name))
			return true;
	return false;
}

void hcm_limits_set(const char *text)
{
	char word[ROW_MAX];
	size_t len;

	nrows = 0;
	for (; text && *text; text += len) {
		text += strspn(text, ", \t\n");
		len = strcspn(text, ", \t\n");
		if (!len)
			break;
		snprintf(word, sizeof(word), "%.*s", (int)(len < ROW_MAX ? len : ROW_MAX - 1),
			 text);
		if (nrows < ROWS_MAX && parse(word, &rows[nrows])) {
			nrows++;
			continue;
		}
		if (!ompi_mpi_comm_world.comm.c_my_rank)
			hcm_say("what is faster below is not known: \"%s\" is no CALL:RANKS:FROM-TO",
				word);
		nrows = 0;
		return;
	}
	qsort(rows, nrows, sizeof(*rows), compare);
}

/* Find the rows that apply to a communicator of @ranks ranks. *@nr is set to their number. Return:
 * the first one, or NULL.
 */
static const struct row *find(enum hcm_what what, int ranks, unsigned int *nr)
{
	const struct row *first = NULL;
	unsigned int i;

	*nr = 0;
	for (i = 0; i < nrows && rows[i].what <= what; i++) {
		if (rows[i].what != what || (first && rows[i].ranks > ranks))
			continue;
		if (!first || rows[i].ranks != first->ranks) {
			first = &rows[i];
			*nr = 0;
		}
		++*nr;
	}
	return first;
}

bool hcm_limits_below(enum hcm_what what, int ranks, size_t bytes)
{
	unsigned int nr, i;
	const struct row *r = find(what, ranks, &nr);

	for (i = 0; i < nr; i++)
		if (bytes >= r[i].from && bytes < r[i].to)
			return true;
	return false;
}

bool hcm_limits_any(enum hcm_what what, int ranks)
{
	unsigned int nr, i;
	const struct row *r = find(what, ranks, &nr);

	for (i = 0; i < nr; i++)
		if (r[i].from < r[i].to)
			return true;
	return false;
}

bool hcm_limits_all(enum hcm_what what, int ranks)
{
	unsigned int nr;
	const struct row *r = find(what, ranks, &nr);

	return nr == 1 && !r->from && r->to == SIZE_MAX;
}
