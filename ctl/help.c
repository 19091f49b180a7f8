// SPDX-License-Identifier: GPL-2.0
/*
 * Help, which is made from the tables of objects and commands. For people it consists of usage
 * texts. In JSON it also lists the words that may follow each command; the shell completions are
 * made from this list.
 *
 * The usage of a command has the usual form: words that begin with a small letter or a dash are
 * typed as they are, other words stand for a value; [] encloses what may be left out, {} encloses
 * alternatives, separated by |. A word that follows another one directly is its value.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "help.h"
#include "libhypercube.h"

#define COLUMNS		80
#define INDENT		10
#define ITEMS_MAX	128
#define UNIT_MAX	60

const struct hc_option hc_options[] = {
	{ 'j', "json", NULL, "print JSON" },
	{ 'p', "pretty", NULL, "indent JSON" },
	{ 'c', "color", NULL, "print colors; -color=auto: on terminals (default), =never" },
	{ 'n', "netns", "NAME", "work in this network namespace" },
	{ 'b', "batch", "FILE", "execute the commands in this file" },
	{ 'a', "all-hosts", "FILE", "run the command on all hosts of this cluster" },
	{ 'f', "force", NULL, "go on after a failure in a batch" },
	{ 'V', "version", NULL, "print the version" },
	{ 'h', "help", NULL, "print this help" },
	{}
};

/* --- the words of a usage text --- */

enum kind {
	ITEM_WORD,	/* typed as it is */
	ITEM_VALUE,	/* stands for a value, or is a list of words with | between them */
	ITEM_BREAK,	/* a bracket, brace or | */
};

struct item {
	enum kind kind;
	char *text;
};

static bool is_typed(const char *s)
{
	return islower((unsigned char)*s) || *s == '-';
}

static enum kind kind_of(const char *s)
{
	if (strlen(s) == 1 && strchr("{}|", *s))
		return ITEM_BREAK;
	return is_typed(s) && !strchr(s, '|') ? ITEM_WORD : ITEM_VALUE;
}

/* Remove the brackets around a word, but not those within it, as in NODE[,..]. Return: the number
 * of brackets that were removed from its end.
 */
static unsigned int strip(char **s)
{
	unsigned int open = 0, closed = 0, behind = 0;
	char *c, *end;

	for (c = *s; *c; c++) {
		open += *c == '[';
		closed += *c == ']';
	}
	for (; **s == '['; open--)
		++*s;
	for (end = *s + strlen(*s); closed > open && end > *s && end[-1] == ']'; closed--) {
		*--end = 0;
		behind++;
	}
	return behind;
}

/* Split a usage text into items, in place. Return: the number of items. */
static size_t items_of(char *s, struct item *v)
{
	static char bracket[2] = "]";
	char *rest = s, *word;
	unsigned int behind;
	size_t n = 0;

	while ((word = strsep(&rest, "\n ")) && n < ITEMS_MAX - 2) {
		if (*word == '[')
			v[n++] = (struct item){ ITEM_BREAK, bracket };
		behind = strip(&word);
		if (*word)
			v[n++] = (struct item){ kind_of(word), word };
		if (behind)
			v[n++] = (struct item){ ITEM_BREAK, bracket };
	}
	return n;
}

static bool is(const struct item *i, const char *text)
{
	return i->kind == ITEM_BREAK && !strcmp(i->text, text);
}

/* Check whether the items at @v begin with "{ A | B }", with one word in each alternative. Return:
 * the number of items from { to }; 0 if they do not.
 */
static size_t alternatives(const struct item *v, size_t n)
{
	size_t i;

	if (n < 3 || !is(&v[0], "{"))
		return 0;
	for (i = 1; i + 1 < n && v[i].kind != ITEM_BREAK; i += 2)
		if (is(&v[i + 1], "}"))
			return i + 2;
		else if (!is(&v[i + 1], "|"))
			return 0;
	return 0;
}

static void put_values(struct hcctl *h, char *text)
{
	char *rest = text, *one;

	while ((one = strsep(&rest, "|")))
		out_str(h, NULL, NULL, one);
}

/* Print the word v[0] and the values that it may have. Return: the number of items that this took.
 */
static size_t put_word(struct hcctl *h, struct item *v, size_t n)
{
	size_t used = n > 1 ? alternatives(v + 1, n - 1) : 0, i;

	out_object(h, NULL);
	out_str(h, "word", NULL, v[0].text);
	out_array(h, "values");
	for (i = 2; used && i <= used; i += 2)
		put_values(h, v[i].text);
	if (!used && n > 1 && v[1].kind != ITEM_BREAK) {
		put_values(h, v[1].text);
		used = 1;
	}
	out_close(h);
	out_close(h);
	return 1 + used;
}

/* JSON only: print the array "places", of the values that come before the first word of the usage
 * text @args, and the array "words", of the words and their values.
 */
static void put_words(struct hcctl *h, const char *args)
{
	struct item v[ITEMS_MAX];
	char *copy = strdup(args);
	size_t n = copy ? items_of(copy, v) : 0, i;

	out_array(h, "places");
	for (i = 0; i < n && v[i].kind != ITEM_WORD; i++)
		if (v[i].kind == ITEM_VALUE)
			out_str(h, NULL, NULL, v[i].text);
	out_close(h);
	out_array(h, "words");
	for (i = 0; i < n;)
		i += v[i].kind == ITEM_WORD ? put_word(h, v + i, n - i) : 1;
	out_close(h);
	free(copy);
}

/* --- usage --- */

static void usage_text(const struct hc_object *o, const struct hc_cmd *c, char *buf, size_t size)
{
	snprintf(buf, size, "hcctl %s%s%s%s%s", o->name, c->name ? " " : "",
		 c->name ? c->name : "", c->args[0] ? " " : "", c->args);
}

/* Return: the length of the text at @s that must not be broken across lines: a text in brackets, or
 * if that is too long, or there is none, a word.
 */
static size_t unit(const char *s)
{
	size_t len = strcspn(s, "\n "), i;
	unsigned int depth = 0;

	for (i = 0; *s == '[' && s[i] && i < UNIT_MAX; i++) {
		depth += s[i] == '[';
		depth -= s[i] == ']';
		if (!depth && (!s[i + 1] || s[i + 1] == ' ' || s[i + 1] == '\n'))
			return i + 1;
	}
	return len;
}

/* Print @line after @lead. Break the line where @line has a line break, and where the next unit
 * would exceed the width of the output.
 */
static void wrapped(struct hcctl *h, const char *lead, const char *line)
{
	size_t at = strlen(lead), len;
	const char *gap = "";

	out_text(h, "%s", lead);
	for (; *line; line += strspn(line, " ")) {
		len = unit(line);
		if (*line == '\n' || (*gap && at + 1 + len > COLUMNS)) {
			line += *line == '\n' ? strspn(line, "\n ") : 0;
			len = unit(line);
			out_text(h, "\n%*s", INDENT, "");
			at = INDENT;
			gap = "";
		}
		out_text(h, "%s%.*s", gap, (int)len, line);
		at += strlen(gap) + len;
		line += len;
		gap = " ";
	}
	out_text(h, "\n");
}

static void usage_line(struct hcctl *h, bool first, const struct hc_object *o,
		       const struct hc_cmd *c)
{
	char line[640];

	usage_text(o, c, line, sizeof(line));
	out_str(h, NULL, NULL, line);
	if (!h->json)
		wrapped(h, first ? "Usage: " : "       ", line);
}

static void notes(struct hcctl *h, const struct hc_object *o)
{
	out_text(h, "A link is NODE:DIM, NODE is all its links; numbers are decimal, 0x.. or 0b..;\n"
		 "LINKS and NODES are one or more, with commas. See hcctl-%s(8).\n", o->name);
}

int hc_help_object(struct hcctl *h, const struct hc_object *o)
{
	const struct hc_cmd *c;

	out_object(h, NULL);
	out_array(h, "usage");
	for (c = o->cmds; c->run; c++)
		usage_line(h, c == o->cmds, o, c);
	out_close(h);
	notes(h, o);
	out_close(h);
	return HC_OK;
}

int hc_help_command(struct hcctl *h, const struct hc_object *o, const struct hc_cmd *c)
{
	out_object(h, NULL);
	out_array(h, "usage");
	usage_line(h, true, o, c);
	out_close(h);
	notes(h, o);
	out_close(h);
	return HC_OK;
}

/* --- everything --- */

static void put_options(struct hcctl *h)
{
	const struct hc_option *o;
	char buf[32];

	out_array(h, "options");
	for (o = hc_options; o->name; o++) {
		out_object(h, NULL);
		snprintf(buf, sizeof(buf), "-%c", o->c);
		out_str(h, "short", "  %s, ", buf);
		snprintf(buf, sizeof(buf), "--%s", o->name);
		out_str(h, "long", NULL, buf);
		if (o->value) {
			out_str(h, "value", NULL, o->value);
			snprintf(buf, sizeof(buf), "--%s %s", o->name, o->value);
		}
		out_text(h, "%-16s", buf);
		out_str(h, "what", " %s\n", o->what);
		out_close(h);
	}
	out_close(h);
}

static void put_commands(struct hcctl *h)
{
	const struct hc_object *o;
	const struct hc_cmd *c;
	char line[640];
	size_t i;

	out_array(h, "commands");
	for (i = 0; (o = hc_object_at(i)); i++)
		for (c = o->cmds; c->run; c++) {
			out_object(h, NULL);
			out_str(h, "object", NULL, o->name);
			out_str(h, "what", NULL, o->what);
			out_str(h, "command", NULL, c->name ?: "");
			usage_text(o, c, line, sizeof(line));
			out_str(h, "usage", NULL, line);
			put_words(h, c->args);
			out_close(h);
		}
	out_close(h);
}

static void put_names(struct hcctl *h, const char *key, const char *(*name_of)(unsigned int))
{
	const char *name;
	unsigned int i;

	out_array(h, key);
	for (i = 1; (name = name_of(i)); i++)
		out_str(h, NULL, NULL, name);
	out_close(h);
}

/* Print the possible values of the words for which no usage text lists the values. */
static void put_values_of(struct hcctl *h)
{
	out_object(h, "values");
	put_names(h, "op", hcl_oper_name);
	put_names(h, "type", hcl_type_name);
	out_close(h);
}

int hc_help(struct hcctl *h)
{
	const struct hc_object *o;
	size_t i;

	out_text(h, "Usage: hcctl [OPTIONS] OBJECT { COMMAND | help }\n"
		 "       hcctl [OPTIONS] -b FILE\n"
		 "       hcctl help OBJECT [COMMAND]\n\n");
	out_object(h, NULL);
	out_array(h, "objects");
	for (i = 0; (o = hc_object_at(i)); i++) {
		out_text(h, "  %-8s %s\n", o->name, o->what);
		out_str(h, NULL, NULL, o->name);
	}
	out_close(h);
	out_text(h, "\nOptions:\n");
	put_options(h);
	if (h->json) {
		put_commands(h);
		put_values_of(h);
	}
	out_text(h, "\nObjects and commands may be abbreviated. See hcctl(8).\n");
	out_close(h);
	return HC_OK;
}
