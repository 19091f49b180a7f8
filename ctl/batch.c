// SPDX-License-Identifier: GPL-2.0
/*
 * Commands from a file, one on each line. '#' begins a comment, a backslash at the end of a line
 * continues it, quotes keep blanks together.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hcctl.h"

#define WORDS_MAX 256
/* Maximum length of a command in bytes. */
#define COMMAND_MAX (1 << 20)

/* The command that is being read. Its length is limited, because a line of a file may have no end.
 */
struct command {
	char *text;
	size_t len;		/* length of @text in bytes */
	size_t room;		/* bytes allocated for @text */
	unsigned int lines;	/* lines of the file that the command takes */
};

/* Extend the memory of @c->text, so that one more character and the terminating 0 fit. */
static int grow(struct command *c)
{
	size_t room = c->room ? 2 * c->room : 256;
	char *text;

	if (c->len + 2 <= c->room)
		return 0;
	if (room > COMMAND_MAX)
		return -EFBIG;
	text = realloc(c->text, room);
	if (!text)
		return -ENOMEM;
	c->text = text;
	c->room = room;
	return 0;
}

/* Read a command, which may take several lines, into @c. Return: 1, 0 at the end of the file, or a
 * negative errno.
 */
static int read_command(FILE *f, struct command *c)
{
	int ch, rc = 0;

	c->len = 0;
	c->lines = 0;
	while (!rc && (ch = getc(f)) != EOF) {
		rc = ch ? grow(c) : -EILSEQ;
		if (rc)
			break;
		c->lines += !c->len || c->text[c->len - 1] == '\n';
		if (ch == '\n' && !(c->len && c->text[c->len - 1] == '\\'))
			break;
		if (ch == '\n')
			c->text[c->len - 1] = ' ';
		c->text[c->len++] = ch;
	}
	if (!rc && ferror(f))
		rc = errno ? -errno : -EIO;
	if (rc || (ch == EOF && !c->len))
		return rc;
	rc = grow(c);
	if (!rc)
		c->text[c->len] = 0;
	return rc ?: 1;
}

static int cannot_read(struct hcctl *h, int err)
{
	if (err == -ENOMEM)
		return hc_nomem(h);
	if (err == -EFBIG)
		hc_error(h, "a line is longer than %u bytes", COMMAND_MAX);
	else
		hc_error(h, "cannot read: %s", err == -EILSEQ ? "not text: a byte is 0" :
			 strerror(-err));
	return HC_NO;
}

/* Split a command into words, in place. Return: the number of words, or -1 if a quote is not closed
 * or there are too many words.
 */
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

/* Run the commands of a file until one fails, or if h->force until the end of the file. */
static int run_lines(struct hcctl *h, FILE *f, struct hc_where *at)
{
	struct command c = {};
	int rc, got, status = HC_OK;

	for (at->line = 1; ; at->line += c.lines) {
		got = read_command(f, &c);
		if (got < 0)
			status = cannot_read(h, got);
		if (got <= 0)
			break;
		rc = run_line(h, c.text);
		status = rc ?: status;
		if (rc && !h->force)
			break;
	}
	free(c.text);
	return status;
}

int hc_batch(struct hcctl *h, const char *file)
{
	FILE *f = strcmp(file, "-") ? fopen(file, "re") : stdin;
	struct hc_where at = { .error = "Command failed ", .text = file };
	int status;

	if (!f) {
		hc_error(h, "cannot open %s: %s", file, strerror(errno));
		return HC_NO;
	}
	h->batch = true;
	out_batch(h, false);
	hc_enter(h, &at);
	status = run_lines(h, f, &at);
	hc_leave(h, &at);
	out_batch(h, true);
	if (f != stdin)
		fclose(f);
	return status;
}
