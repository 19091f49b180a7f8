// SPDX-License-Identifier: GPL-2.0
/*
 * Parallel sort by tree communication (Leu & Kuo, section 2.1): each member sorts the words of its
 * share of a text, and the reduction merges the sorted runs.
 *
 * sort_words FABRIC PLAN SINK NODES TEXT RESULT
 */
#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"

#define WIDTH 24

static int letter(int c)
{
	return isascii(c) && isalpha(c);
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, WIDTH);
}

/* Make a record, padded with NUL, of each word that begins in [@begin, @end). *@count is set to the
 * number of words.
 */
static char *words(const struct text_job *j, size_t begin, size_t end, size_t *count)
{
	char *records = calloc((end - begin) / 2 + 1, WIDTH);
	size_t i = begin, n = 0, len;

	if (!records)
		err(1, "memory");
	/* Skip a word that begins before @begin, as it belongs to another member. */
	while (i && i < end && letter(j->text[i - 1]) && letter(j->text[i]))
		i++;
	while (i < end) {
		for (len = 0; i + len < j->bytes && letter(j->text[i + len]); len++)
			;
		if (len > WIDTH)
			errx(1, "a word is longer than %d letters", WIDTH);
		if (len)
			memcpy(records + WIDTH * n++, j->text + i, len);
		i += len + 1;
	}
	qsort(records, n, WIDTH, compare);
	*count = n;
	return records;
}

static int save(const char *name, const char *records, size_t count)
{
	FILE *f = fopen(name, "w");
	size_t i;

	if (!f)
		err(1, "%s", name);
	for (i = 0; i < count; i++)
		fprintf(f, "%.*s\n", WIDTH, records + WIDTH * i);
	if (fclose(f))
		err(1, "%s", name);
	return 0;
}

static int sort_share(struct member *me, void *arg)
{
	const struct text_job *j = arg;
	size_t begin, end, count, got = 0, max = (j->bytes / 2 + 1) * WIDTH;
	char *out = member_is_sink(me) ? malloc(max) : NULL;
	char *mine;

	member_share(me, j->bytes, &begin, &end);
	mine = words(j, begin, end, &count);
	if (member_reduce(me, HYPERCUBE_MERGE, HYPERCUBE_RECORD, WIDTH, mine, count * WIDTH,
			  out, out ? max : 0, &got))
		return 1;
	return out ? save(j->result, out, got / WIDTH) : 0;
}

int main(int argc, char **argv)
{
	struct members m;
	struct text_job j;

	text_job_read(&m, &j, argc, argv);
	return members_run(&m, sort_share, &j);
}
