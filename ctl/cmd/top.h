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
 * @ops: members of plans, and what they wait for
 * @nops: number of members
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
 * @before: the earlier sample
 * @now: the latest sample
 * @rows: text: maximum number of rows for each of links, nodes, plans and waiting members
 */
struct top_view {
	const struct top_sample *before;
	const struct top_sample *now;
	uint32_t rows;
};

/* Print a picture. Return: 0, or -ENOMEM. */
int top_print(struct hcctl *h, const struct top_view *v);

#endif /* _HCCTL_TOP_H */
