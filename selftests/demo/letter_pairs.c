// SPDX-License-Identifier: GPL-2.0
/*
 * Histogram of letter pairs: each member counts the pairs that begin in its share of a text, and
 * the reduction adds the counts. A character that is not a letter counts as ".".
 *
 * letter_pairs FABRIC PLAN SINK NODES TEXT RESULT
 */
#include <ctype.h>
#include <err.h>
#include <inttypes.h>
#include <stdio.h>

#include "members.h"

#define CLASSES 27

static unsigned int class(int c)
{
	return isascii(c) && isalpha(c) ? tolower(c) - 'a' + 1 : 0;
}

static int save(const char *name, uint64_t count[CLASSES][CLASSES])
{
	static const char letters[CLASSES + 1] = ".abcdefghijklmnopqrstuvwxyz";
	FILE *f = fopen(name, "w");
	unsigned int a, b;

	if (!f)
		err(1, "%s", name);
	for (a = 0; a < CLASSES; a++)
		for (b = 0; b < CLASSES; b++)
			if (count[a][b])
				fprintf(f, "%c%c %" PRIu64 "\n", letters[a], letters[b],
					count[a][b]);
	if (fclose(f))
		err(1, "%s", name);
	return 0;
}

static int count_share(struct member *me, void *arg)
{
	static uint64_t mine[CLASSES][CLASSES], sum[CLASSES][CLASSES];
	const struct text_job *j = arg;
	bool sink = member_is_sink(me);
	size_t i, end;

	member_share(me, j->bytes - 1, &i, &end);
	for (; i < end; i++)
		mine[class(j->text[i])][class(j->text[i + 1])]++;
	if (member_reduce(me, HYPERCUBE_SUM, HYPERCUBE_U64, 0, mine, sizeof(mine),
			  sink ? sum : NULL, sink ? sizeof(sum) : 0, NULL))
		return 1;
	return sink ? save(j->result, sum) : 0;
}

int main(int argc, char **argv)
{
	struct members m;
	struct text_job j;

	text_job_read(&m, &j, argc, argv);
	if (!j.bytes)
		errx(1, "%s is empty", argv[5]);
	return members_run(&m, count_share, &j);
}
