/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that the user names: read and written in one way by all commands.
 */
#ifndef _HCCTL_FILE_H
#define _HCCTL_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "hcctl.h"

/* --- file_read.c --- */
/* Bytes of a file that is read as a whole.  A plan of the largest cube takes a fraction of that. */
#define FILE_MAX (64 << 20)

/**
 * file_read() - read a whole file into memory
 * @h: context
 * @file: its name; "-" is standard input.  Pipes and devices are read until they end.
 * @max: bytes, no more than that are in it
 * @data: its bytes, and a byte 0 that does not count; for free()
 * @len: how many
 *
 * Return: 0, or HC_NO or -ENOMEM (complained, @data is NULL).
 */
int file_read(struct hcctl *h, const char *file, size_t max, char **data, size_t *len);
/* The same, but what stands behind @max bytes is not read. */
int file_read_first(struct hcctl *h, const char *file, size_t max, char **data, size_t *len);
/* The same of text, FILE_MAX bytes at most: HC_USAGE (complained) if a byte is 0. */
int file_read_text(struct hcctl *h, const char *file, char **text, size_t *len);
/* The name of a file in complaints. */
const char *file_name(const char *file);

/* All lines of a text or a file to @take, which may write to them; complaints name the line. */
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
 * What there is of that name stays as it is until file_finish(): the file is written without a
 * name, or beside it.  Links are followed.  A device or a pipe is written to as it is.
 *
 * Return: it, to be passed to file_finish(), or NULL (complained).
 */
struct file_new *file_create(struct hcctl *h, const char *file);
/* Where to write. */
FILE *file_stream(const struct file_new *f);
/* Put the file in its place if @keep, or forget it.  Return: 0, or HC_NO (complained): then the
 * file that was there before is there still.
 */
int file_finish(struct hcctl *h, struct file_new *f, bool keep);

#endif /* _HCCTL_FILE_H */
