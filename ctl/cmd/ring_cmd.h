/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl ring: what its files share.
 */
#ifndef _HCCTL_RING_CMD_H
#define _HCCTL_RING_CMD_H

#include "cmd.h"
#include "ring.h"

/**
 * struct ring_view - a plan to print
 * @fabric: for this fabric, or NULL
 * @file: for the network in this file, or NULL
 * @dim: for a cube of this dimension, or 0
 * @faults: of it
 * @g: the network
 * @plan: the plan
 * @repair: it repairs itself
 */
struct ring_view {
	const char *fabric;
	const char *file;
	unsigned int dim;
	const struct hc_faults *faults;
	const struct hc_graph *g;
	const struct hc_ring_plan *plan;
	bool repair;
};

/* --- ring_print.c --- */
/* Words of enum hc_ring_method; NULL ends them. */
extern const char * const ring_methods[];
void cmd_ring_print(struct hcctl *h, const struct ring_view *v);
/* Name the nodes that are left out, if any. */
void cmd_ring_warn(struct hcctl *h, const struct hc_graph *g, const struct hc_ring_plan *p);

#endif /* _HCCTL_RING_CMD_H */
