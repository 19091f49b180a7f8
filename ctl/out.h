/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between out.c and table.c.
 */
#ifndef _HCCTL_OUT_H
#define _HCCTL_OUT_H

#include <stdio.h>

struct hcctl;

/* Return: the stream for text output: that of the current cell of a table, or standard output. */
FILE *out_stream(const struct hcctl *h);

#endif /* _HCCTL_OUT_H */
