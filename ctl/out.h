/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What out.c and table.c know of each other.
 */
#ifndef _HCCTL_OUT_H
#define _HCCTL_OUT_H

#include <stdio.h>

struct hcctl;

/* Return: the stream for text: that of a cell, or standard output. */
FILE *out_stream(const struct hcctl *h);

#endif /* _HCCTL_OUT_H */
