/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl top, in files: top.c takes samples, top_print.c prints what two of them tell.
 */
#ifndef _HCCTL_TOP_H
#define _HCCTL_TOP_H

#include "cmd.h"

/**
 * struct top_sample - a fabric at some time
 * @state: nodes and links
 * @ops: members of plans, and what they wait for
 * @nops: how many
 * @at: ns, of a clock that is not set
 */
struct top_sample {
	struct cmd_state state;
	struct nl_op *ops;
	size_t nops;
	uint64_t at;
};

/**
 * struct top_view - what is printed
 * @before: the sample before
 * @now: the last one
 * @rows: as many links, nodes, plans and members that wait, in text
 */
struct top_view {
	const struct top_sample *before;
	const struct top_sample *now;
	uint32_t rows;
};

/* 0 or out of memory */
int top_print(struct hcctl *h, const struct top_view *v);

#endif /* _HCCTL_TOP_H */
