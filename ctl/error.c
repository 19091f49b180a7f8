// SPDX-License-Identifier: GPL-2.0
/*
 * Error messages and warnings: sentences, preceded by their subject. The context decides whether a
 * message is printed or stored, because the user library must not write to standard error.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "hcctl.h"

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

/* Return: the whole message, to be freed, or NULL if there is no memory. */
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

	h->complain(h, kind, text ? text : fmt);
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
