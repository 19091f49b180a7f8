// SPDX-License-Identifier: GPL-2.0
/*
 * Commands from a file, one a line; '#' begins a comment, a backslash at the
 * end of a line continues it, quotes keep blanks together.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hcctl.h"

#define WORDS_MAX 256

/* Read a whole command; counts its lines.  False at the end of the file. */
static bool read_command(FILE *f, char **line, size_t *size, unsigned int *nr)
{
	char *more = NULL, *joined;
	size_t more_size = 0;
	ssize_t n, got;

	n = getline(line, size, f);
	if (n < 0)
		return false;
	++*nr;
	while (n >= 2 && !strcmp(*line + n - 2, "\\\n")) {
		got = getline(&more, &more_size, f);
		if (got < 0)
			break;
		++*nr;
		joined = realloc(*line, n + got + 1);
		if (!joined)
			break;
		*line = joined;
		*size = n + got + 1;
		joined[n - 2] = ' ';
		memcpy(joined + n - 1, more, got + 1);
		n += got - 1;
	}
	free(more);
	return true;
}

/* Split in place; returns the number of words, or -1. */
static int split(char *s, char **words)
{
	int n = 0;
	char *out;

	for (;;) {
		while (isspace((unsigned char)*s))
			s++;
		if (!*s || *s == '#')
			return n;
		if (n == WORDS_MAX)
			return -1;
		out = s;
		words[n++] = out;
		while (*s && !isspace((unsigned char)*s)) {
			char quote = *s;

			if (quote != '"' && quote != '\'') {
				*out++ = *s++;
				continue;
			}
			for (s++; *s && *s != quote; )
				*out++ = *s++;
			if (!*s++)
				return -1;
		}
		if (*s)
			s++;
		*out = 0;
	}
}

static int run_line(struct hcctl *h, char *line)
{
	char *words[WORDS_MAX + 1];
	int n = split(line, words), rc;

	if (n < 0) {
		hc_error(h, "an open quote, or more than %d words", WORDS_MAX);
		return HC_USAGE;
	}
	if (!n)
		return HC_OK;
	words[n] = NULL;
	rc = hc_dispatch(h, n, words);
	out_reset(h);
	return rc;
}

int hc_batch(struct hcctl *h, const char *file)
{
	FILE *f = strcmp(file, "-") ? fopen(file, "re") : stdin;
	struct hc_where at = { .error = "Command failed ", .text = file };
	unsigned int nr = 0;
	int rc, status = HC_OK;
	char *line = NULL;
	size_t size = 0;

	if (!f) {
		hc_error(h, "cannot open %s: %s", file, strerror(errno));
		return HC_NO;
	}
	h->batch = true;
	out_batch(h, false);
	hc_enter(h, &at);
	for (;;) {
		at.line = nr + 1;
		if (!read_command(f, &line, &size, &nr))
			break;
		rc = run_line(h, line);
		if (!rc)
			continue;
		status = rc;
		if (!h->force)
			break;
	}
	hc_leave(h, &at);
	out_batch(h, true);
	free(line);
	if (f != stdin)
		fclose(f);
	return status;
}
