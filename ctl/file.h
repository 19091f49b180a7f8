/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading and writing of files that the user names, in the same manner for all commands.
 */
#ifndef _HCCTL_FILE_H
#define _HCCTL_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "hcctl.h"

/* --- file_read.c --- */
/* The maximum size, in bytes, of a file that is read as a whole. A plan of the largest cube takes
 * only a fraction of it.
 */
#define FILE_MAX (64 << 20)

/**
 * file_read() - read a whole file into memory
 * @h: context
 * @file: its name; "-" is standard input. Pipes and devices are read until they end.
 * @max: maximum size of the file in bytes
 * @data: set to its bytes and a terminating 0, to be freed
 * @len: set to the number of its bytes
 *
 * Return: 0, or HC_NO or -ENOMEM after printing an error; @data is NULL then.
 */
int file_read(struct hcctl *h, const char *file, size_t max, char **data, size_t *len);
/* As file_read(), but a longer file is no error: only its first @max bytes are read. */
int file_read_first(struct hcctl *h, const char *file, size_t max, char **data, size_t *len);
/* As file_read(), for a text of FILE_MAX bytes at most. Return: also HC_USAGE, after printing an
 * error, if the file contains a zero byte.
 */
int file_read_text(struct hcctl *h, const char *file, char **text, size_t *len);
/* Return: the name of a file for error messages. */
const char *file_name(const char *file);

/* Pass each line of a text or a file to @take, which may change the line. Error messages that @take
 * prints name the line.
 */
typedef int (*file_line_fn)(struct hcctl *h, char *line, void *arg);
int file_text_lines(struct hcctl *h, const char *file, char *text, file_line_fn take, void *arg);
int file_lines(struct hcctl *h, const char *file, file_line_fn take, void *arg);

/* --- file_write.c --- */
struct file_new;

/**
 * file_create() - begin to write a file
 * @h: context
 * @file: its name
 *
 * A file of that name stays as it is until file_finish(): the new one is written without a name, or
 * beside it.  Links are followed.  A device or a pipe is written to directly.
 *
 * Return: the new file, for file_finish(), or NULL after printing an error.
 */
struct file_new *file_create(struct hcctl *h, const char *file);
/* Return: the stream to write to. */
FILE *file_stream(const struct file_new *f);
/* Give the new file its name if @keep, otherwise remove it. Return: 0; or after printing an error,
 * HC_NO, and an existing file of that name is unchanged.
 */
int file_finish(struct hcctl *h, struct file_new *f, bool keep);

#endif /* _HCCTL_FILE_H */
