/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl top: top.c takes samples, top_print.c prints the difference between two of them.
 */
#ifndef _HCCTL_TOP_H
#define _HCCTL_TOP_H

#include "cmd.h"

/**
 * struct top_sample - the state of a fabric at some time
 * @state: nodes and links
 * @ops: the pending operations: for each member of a plan, what it waits for
 * @nops: number of entries of @ops
 * @at: time of the sample, ns of the monotonic clock
 */
struct top_sample {
	struct cmd_state state;
	struct nl_op *ops;
	size_t nops;
	uint64_t at;
};

/**
 * struct top_view - a picture to be printed
 * @before: the previous sample
 * @now: the latest sample
 * @rows: text only: maximum number of rows for each of links, nodes, plans and waiting members
 */
struct top_view {
	const struct top_sample *before;
	const struct top_sample *now;
	uint32_t rows;
};

/* Print a picture: the difference between the two samples. Return: 0, or -ENOMEM. */
int top_print(struct hcctl *h, const struct top_view *v);

#endif /* _HCCTL_TOP_H */
