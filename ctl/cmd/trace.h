/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl trace: recording tracepoints, and converting the recording to a time line.
 */
#ifndef _HCCTL_TRACE_H
#define _HCCTL_TRACE_H

#include <stdio.h>

#include "cmd.h"

/* --- trace_session.c: an instance of tracefs, for this process alone --- */
struct trace_session;

/* Make an instance of tracefs for the events of the fabric with the index @fabric. Return: the
 * instance, or NULL after printing an error.
 */
struct trace_session *trace_open(struct hcctl *h, uint32_t fabric);
int trace_start(struct hcctl *h, struct trace_session *s);
void trace_stop(struct trace_session *s);
/* Return: a stream with the recording: an event on each line, sorted by time. */
FILE *trace_read(struct hcctl *h, struct trace_session *s);
/* Return: the number of events that were lost because the buffer was full. */
uint64_t trace_lost(struct trace_session *s);
void trace_close(struct trace_session *s);

/* --- trace_print.c --- */
/* Numbers of events in a recording. */
struct trace_counts {
	uint64_t hops;
	uint64_t lost_hops;	/* hops of frames that did not arrive */
	uint64_t merges;
	uint64_t operations;
	uint64_t drops;
	uint64_t events;	/* events of the time line, of all kinds */
};

/* Convert the recording @in to a time line, and write it to @out. Return: 0 or -ENOMEM. */
int trace_print(FILE *in, FILE *out, const struct nl_fabric *fabric, struct trace_counts *n);

#endif /* _HCCTL_TRACE_H */
