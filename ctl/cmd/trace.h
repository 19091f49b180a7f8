/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl trace: recording tracepoints, and making a time line of them.
 */
#ifndef _HCCTL_TRACE_H
#define _HCCTL_TRACE_H

#include <stdio.h>

#include "cmd.h"

/* --- trace_session.c: an instance of tracefs, for this process alone --- */
struct trace_session;

/* Open an instance. @fabric is the index of the fabric. Return: NULL after printing an error. */
struct trace_session *trace_open(struct hcctl *h, uint32_t fabric);
int trace_start(struct hcctl *h, struct trace_session *s);
void trace_stop(struct trace_session *s);
/* Return: the recording: one event on each line, sorted by time. */
FILE *trace_read(struct hcctl *h, struct trace_session *s);
/* Return: the number of events that were lost because the buffer was full. */
uint64_t trace_lost(struct trace_session *s);
void trace_close(struct trace_session *s);

/* --- trace_print.c --- */
struct trace_counts {
	uint64_t hops;
	uint64_t lost_hops;
	uint64_t merges;
	uint64_t operations;
	uint64_t drops;
	uint64_t events;
};

/* Print the time line. Return: 0 or -ENOMEM. */
int trace_print(FILE *in, FILE *out, const struct nl_fabric *fabric, struct trace_counts *n);

#endif /* _HCCTL_TRACE_H */
