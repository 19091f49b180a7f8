// SPDX-License-Identifier: GPL-2.0
/*
 * Output. Results go to standard output, as text or JSON from the same calls; error messages go to
 * standard error. JSON is collected, and printed when its outermost container is closed, so a
 * command that fails prints none.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>

#include "hcctl.h"
#include "out.h"

/* errno of the first write to standard output that has failed, or 0. */
static int failed;

/* Flush a stream. If a write has failed, store its errno in @failed; out_end() reports it. */
static void flush(FILE *to)
{
	if (fflush(to) && !failed)
		failed = errno;
}

static void add(struct hcctl *h, const char *key, struct json_object *v)
{
	struct json_object *top = h->stack[h->depth - 1];

	if (json_object_is_type(top, json_type_array))
		json_object_array_add(top, v);
	else
		json_object_object_add(top, key, v);
}

static void push(struct hcctl *h, const char *key, struct json_object *v)
{
	if (!h->json) {
		json_object_put(v);
		h->depth++;
		return;
	}
	if (h->depth)
		add(h, key, v);
	h->stack[h->depth++] = v;
}

static const char *encode(const struct hcctl *h, struct json_object *v)
{
	int flags = JSON_C_TO_STRING_PLAIN;

	if (h->pretty)
		flags = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED;
	return json_object_to_json_string_ext(v, flags | JSON_C_TO_STRING_NOSLASHESCAPE);
}

void out_object(struct hcctl *h, const char *key)
{
	push(h, key, json_object_new_object());
}

void out_array(struct hcctl *h, const char *key)
{
	push(h, key, json_object_new_array());
}

void out_close(struct hcctl *h)
{
	FILE *to = h->to ?: stdout;

	if (--h->depth)
		return;
	if (h->json) {
		if (h->batch && h->chunks++)
			fputs(",\n", to);
		fputs(encode(h, h->stack[0]), to);
		if (!h->batch)
			fputc('\n', to);
		json_object_put(h->stack[0]);
	}
	flush(to);
}

/* Return: the length in bytes of the UTF-8 character at @s; 0 if there is no valid character. Only
 * the shortest encoding of a character is valid, and surrogates are not.
 */
static size_t utf8(const unsigned char *s)
{
	size_t n = *s < 0x80 ? 1 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4, i;

	if (n == 1)
		return 1;
	if (*s < 0xc2 || *s > 0xf4)
		return 0;
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

/* As utf8(), but also return 0 for a character that controls a terminal. */
static size_t printable(const unsigned char *s)
{
	if (*s < ' ' || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0))
		return 0;
	return utf8(s);
}

/* Escape text that another user has chosen, such as the name of an interface, so that it can
 * neither control the terminal nor begin a line. Where @good returns 0, a byte is replaced by a
 * backslash and three octal digits, as ls -b prints it. Return: the text, to be freed.
 */
static char *escape(const char *text, size_t (*good)(const unsigned char *s))
{
	const unsigned char *s = (const unsigned char *)text;
	char *all = malloc(4 * strlen(text) + 1), *to = all;
	size_t n;

	if (!all)
		return NULL;
	for (; *s; s += n ?: 1) {
		n = good(s);
		if (n)
			to = mempcpy(to, s, n);
		else
			to += sprintf(to, "\\%03o", *s);
	}
	*to = '\0';
	return all;
}

char *out_escaped(const char *text)
{
	return escape(text, printable);
}

/* Make a JSON string from any text. Bytes that are not UTF-8 are escaped. The JSON library itself
 * escapes the characters that control terminals.
 */
static struct json_object *string(const char *text)
{
	char *words = escape(text, utf8);
	struct json_object *o = json_object_new_string(words ?: "?");

	free(words);
	return o;
}

/* Define the function out_KIND(), which prints a value of the type @type as JSON, or as text in the
 * format @fmt.
 */
#define OUT(kind, type, name) \
	void out_##kind(struct hcctl *h, const char *key, const char *fmt, type v) \
	{ \
		if (h->json) \
			add(h, key, json_object_new_##name(v)); \
		else if (fmt) \
			fprintf(out_stream(h), fmt, v); \
	}

OUT(uint, uint64_t, uint64)
OUT(int, int64_t, int64)
OUT(real, double, double)

void out_str(struct hcctl *h, const char *key, const char *fmt, const char *v)
{
	char *words;

	if (h->json) {
		add(h, key, string(v));
	} else if (fmt) {
		words = out_escaped(v);
		fprintf(out_stream(h), fmt, words ?: "?");
		free(words);
	}
}

void out_bool(struct hcctl *h, const char *key, const char *text, bool v)
{
	if (h->json)
		add(h, key, json_object_new_boolean(v));
	else if (text && v)
		fputs(text, out_stream(h));
}

void out_value(struct hcctl *h, const char *key, struct json_object *v)
{
	if (h->json)
		add(h, key, v);
	else
		json_object_put(v);
}

void out_text(struct hcctl *h, const char *fmt, ...)
{
	va_list ap;

	if (h->json)
		return;
	va_start(ap, fmt);
	vfprintf(out_stream(h), fmt, ap);
	va_end(ap);
}

void out_color(struct hcctl *h, enum out_color c)
{
	/* The colors are those of ip(8). */
	static const char * const codes[] = {
		[OUT_PLAIN] = "\033[0m", [OUT_NAME] = "\033[36m",
		[OUT_GOOD] = "\033[32m", [OUT_BAD] = "\033[31m",
	};

	if (h->color)
		out_text(h, "%s", codes[c]);
}

void out_now(struct hcctl *h)
{
	if (!h->json)
		flush(stdout);
}

void out_reset(struct hcctl *h)
{
	out_table_end(h);
	if (h->json && h->depth)
		json_object_put(h->stack[0]);
	h->depth = 0;
}

void out_batch(struct hcctl *h, bool end)
{
	if (!h->json)
		return;
	if (end)
		puts(h->chunks ? "\n]" : "]");
	else
		puts("[");
}

bool out_failed(void)
{
	return failed;
}

int out_end(struct hcctl *h)
{
	flush(stdout);
	if (!failed && !ferror(stdout))
		return HC_OK;
	hc_error(h, "cannot write: %s", strerror(failed ?: EIO));
	return HC_NO;
}

void out_complain(struct hcctl *h, const char *kind, const char *text)
{
	struct json_object *line;
	char *words;

	flush(stdout);
	if (h->json) {
		line = json_object_new_object();
		json_object_object_add(line, kind, string(text));
		fprintf(stderr, "%s\n",
			json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN |
						       JSON_C_TO_STRING_NOSLASHESCAPE));
		json_object_put(line);
	} else {
		words = out_escaped(text);
		fprintf(stderr, "hcctl: %s%s\n", *kind == 'w' ? "warning: " : "",
			words ?: "out of memory");
		free(words);
	}
}
