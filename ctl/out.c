// SPDX-License-Identifier: GPL-2.0
/*
 * Printing.  Results go to standard output as text or JSON, from the same
 * calls; complaints go to standard error.  JSON is collected and printed when
 * its outermost container is closed, so a command that fails prints none.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>

#include "hcctl.h"

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
	if (--h->depth)
		return;
	if (h->json) {
		if (h->batch && h->chunks++)
			fputs(",\n", stdout);
		fputs(encode(h, h->stack[0]), stdout);
		if (!h->batch)
			putchar('\n');
		json_object_put(h->stack[0]);
	}
	fflush(stdout);
}

void out_uint(struct hcctl *h, const char *key, const char *fmt, uint64_t v)
{
	if (h->json)
		add(h, key, json_object_new_uint64(v));
	else if (fmt)
		printf(fmt, v);
}

void out_int(struct hcctl *h, const char *key, const char *fmt, int64_t v)
{
	if (h->json)
		add(h, key, json_object_new_int64(v));
	else if (fmt)
		printf(fmt, v);
}

void out_real(struct hcctl *h, const char *key, const char *fmt, double v)
{
	if (h->json)
		add(h, key, json_object_new_double(v));
	else if (fmt)
		printf(fmt, v);
}

void out_str(struct hcctl *h, const char *key, const char *fmt, const char *v)
{
	if (h->json)
		add(h, key, json_object_new_string(v));
	else if (fmt)
		printf(fmt, v);
}

void out_bool(struct hcctl *h, const char *key, const char *text, bool v)
{
	if (h->json)
		add(h, key, json_object_new_boolean(v));
	else if (text && v)
		fputs(text, stdout);
}

void out_text(struct hcctl *h, const char *fmt, ...)
{
	va_list ap;

	if (h->json)
		return;
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
}

void out_now(struct hcctl *h)
{
	if (!h->json)
		fflush(stdout);
}

void out_reset(struct hcctl *h)
{
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

int out_end(struct hcctl *h)
{
	if (fflush(stdout) || ferror(stdout)) {
		hc_error(h, "cannot write: %s", strerror(errno));
		return HC_NO;
	}
	return HC_OK;
}

void hc_enter(struct hcctl *h, struct hc_where *w)
{
	w->outer = h->where;
	h->where = w;
}

void hc_leave(struct hcctl *h, const struct hc_where *w)
{
	h->where = w->outer;
}

static void print_where(FILE *f, const struct hc_where *w, bool error)
{
	if (!w)
		return;
	print_where(f, w->outer, error);
	fprintf(f, "%s%s", error && w->error ? w->error : "", w->text);
	if (!*w->text)
		return;
	if (w->line)
		fprintf(f, ":%u", w->line);
	fputs(": ", f);
}

/* The whole sentence, or NULL. */
static char *sentence(const struct hcctl *h, bool error, const char *fmt, va_list ap)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	print_where(f, h->where, error);
	vfprintf(f, fmt, ap);
	fclose(f);
	return text;
}

static void complain(struct hcctl *h, const char *kind, const char *fmt, va_list ap)
{
	char *text = sentence(h, *kind == 'e', fmt, ap);
	struct json_object *line;

	fflush(stdout);
	if (h->json) {
		line = json_object_new_object();
		json_object_object_add(line, kind, json_object_new_string(text ? text : fmt));
		fprintf(stderr, "%s\n",
			json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN |
						       JSON_C_TO_STRING_NOSLASHESCAPE));
		json_object_put(line);
	} else {
		fprintf(stderr, "hcctl: %s%s\n", *kind == 'w' ? "warning: " : "",
			text ? text : fmt);
	}
	free(text);
}

void hc_error(struct hcctl *h, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(h, "error", fmt, ap);
	va_end(ap);
}

void hc_warn(struct hcctl *h, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(h, "warning", fmt, ap);
	va_end(ap);
}

int hc_nomem(struct hcctl *h)
{
	hc_error(h, "out of memory");
	return -ENOMEM;
}

const char *out_time(char *buf, uint64_t ns)
{
	if (ns < 10000)
		snprintf(buf, OUT_BUF, "%" PRIu64 "ns", ns);
	else if (ns < 10000000)
		snprintf(buf, OUT_BUF, "%.6gus", ns / 1e3);
	else if (ns < 10000000000)
		snprintf(buf, OUT_BUF, "%.6gms", ns / 1e6);
	else
		snprintf(buf, OUT_BUF, "%.9gs", ns / 1e9);
	return buf;
}

struct unit {
	const char *name;
	uint64_t size;
};

/* In the largest unit in which it is a whole number; @units begin with that of size 1. */
static const char *exact(char *buf, uint64_t v, const struct unit *units, size_t n)
{
	size_t i = v ? n - 1 : 0;

	while (v % units[i].size)
		i--;
	snprintf(buf, OUT_BUF, "%" PRIu64 "%s", v / units[i].size, units[i].name);
	return buf;
}

#define EXACT(buf, v, units) exact(buf, v, units, sizeof(units) / sizeof(*(units)))

const char *out_exact_time(char *buf, uint64_t ns)
{
	static const struct unit units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};

	return EXACT(buf, ns, units);
}

const char *out_rate(char *buf, uint64_t bytes_per_second)
{
	static const struct unit bits[] = {
		{ "bit", 1 }, { "kbit", 1000 }, { "mbit", 1000000 }, { "gbit", 1000000000 },
		{ "tbit", 1000000000000 },
	};
	static const struct unit bytes[] = { { "bps", 1 } };

	if (bytes_per_second > UINT64_MAX / 8)
		return EXACT(buf, bytes_per_second, bytes);
	return EXACT(buf, 8 * bytes_per_second, bits);
}

const char *out_percent(char *buf, uint32_t ppm)
{
	snprintf(buf, OUT_BUF, "%g%%", ppm / 1e4);
	return buf;
}

const char *out_bits(char *buf, uint32_t u, unsigned int dim)
{
	unsigned int d;

	for (d = 0; d < dim; d++)
		buf[dim - 1 - d] = u & hc_bit(d) ? '1' : '0';
	buf[dim] = 0;
	return buf;
}
