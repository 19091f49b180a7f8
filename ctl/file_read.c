// SPDX-License-Identifier: GPL-2.0
/*
 * Reading of files. Each file is read once and as a whole, so a file may also be a pipe.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

const char *file_name(const char *file)
{
	return strcmp(file, "-") ? file : "standard input";
}

static int cannot_read(struct hcctl *h, const char *file, int err)
{
	hc_error(h, "cannot read %s: %s", file_name(file), strerror(err));
	return HC_NO;
}

/* Read at most @max bytes. *@all is set to true if the file has no more bytes; with @first, it may
 * stay false nevertheless. Return: 0 or a negative errno.
 */
static int take_all(FILE *f, size_t max, bool first, char **data, size_t *len, bool *all)
{
	size_t room = max < 1 << 16 ? max + 1 : 1 << 16;
	char *buf = malloc(room), *more;

	*len = 0;
	*all = false;
	while (buf) {
		*len += fread(buf + *len, 1, room - 1 - *len, f);
		if (*len + 1 < room)
			*all = true;
		if (*all || *len == max)
			break;
		room = room - 1 > max / 2 ? max + 1 : 2 * room;
		more = realloc(buf, room);
		if (!more)
			free(buf);
		buf = more;
	}
	if (!buf)
		return -ENOMEM;
	/* Try to read one more byte, to find out whether the file is longer than @max. With @first,
	 * a longer file is no error.
	 */
	if (!*all && !first)
		*all = getc(f) == EOF;
	if (ferror(f)) {
		free(buf);
		return errno ? -errno : -EIO;
	}
	buf[*len] = 0;
	*data = buf;
	return 0;
}

static int read_bounded(struct hcctl *h, const char *file, size_t max, bool first, char **data,
			size_t *len)
{
	FILE *f = strcmp(file, "-") ? fopen(file, "re") : stdin;
	bool all;
	int err;

	*data = NULL;
	if (!f)
		return cannot_read(h, file, errno);
	err = take_all(f, max, first, data, len, &all);
	if (f != stdin)
		fclose(f);
	if (!err && !all && !first) {
		free(*data);
		*data = NULL;
		err = -EFBIG;
	}
	if (err == -ENOMEM)
		return hc_nomem(h);
	return err ? cannot_read(h, file, -err) : 0;
}

int file_read(struct hcctl *h, const char *file, size_t max, char **data, size_t *len)
{
	return read_bounded(h, file, max, false, data, len);
}

int file_read_first(struct hcctl *h, const char *file, size_t max, char **data, size_t *len)
{
	return read_bounded(h, file, max, true, data, len);
}

int file_read_text(struct hcctl *h, const char *file, char **text, size_t *len)
{
	struct hc_where at = { .text = file_name(file), .line = 1 };
	int rc = file_read(h, file, FILE_MAX, text, len);
	size_t i, end;

	if (rc)
		return rc;
	end = strlen(*text);
	if (end == *len)
		return 0;
	for (i = 0; i < end; i++)
		at.line += (*text)[i] == '\n';
	hc_enter(h, &at);
	hc_error(h, "not text: a byte is 0");
	hc_leave(h, &at);
	free(*text);
	*text = NULL;
	return HC_USAGE;
}

int file_text_lines(struct hcctl *h, const char *file, char *text, file_line_fn take, void *arg)
{
	struct hc_where at = { .text = file_name(file) };
	char *line;
	int rc = 0;

	hc_enter(h, &at);
	while (!rc && text && *text) {
		line = strsep(&text, "\n");
		at.line++;
		rc = take(h, line, arg);
	}
	hc_leave(h, &at);
	return rc;
}

int file_lines(struct hcctl *h, const char *file, file_line_fn take, void *arg)
{
	char *text;
	size_t len;
	int rc = file_read_text(h, file, &text, &len);

	rc = rc ?: file_text_lines(h, file, text, take, arg);
	free(text);
	return rc;
}
