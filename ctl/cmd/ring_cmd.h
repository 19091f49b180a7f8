/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between the files of hcctl ring.
 */
#ifndef _HCCTL_RING_CMD_H
#define _HCCTL_RING_CMD_H

#include "cmd.h"
#include "ring.h"

/**
 * struct ring_view - a plan to print
 * @fabric: its fabric, or NULL
 * @file: the file of its network, or NULL
 * @dim: dimension of its cube; 0: it is for another network
 * @faults: the faults of the cube
 * @g: the network
 * @plan: the plan
 * @repair: it has REPAIR
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
/* Names of enum hc_ring_method; NULL ends them. */
extern const char * const ring_methods[];
void cmd_ring_print(struct hcctl *h, const struct ring_view *v);
/* Print a warning with the nodes that are left out, if there are any. */
void cmd_ring_warn(struct hcctl *h, const struct hc_graph *g, const struct hc_ring_plan *p);

/* --- ring.c --- */
/* Read the links of a file. Environments in it are ignored. */
int ring_read_graph(struct hcctl *h, const char *file, struct hc_graph **g);

/* --- ring_several.c --- */
/* Run "ring plan" with the keyword "rings". */
int ring_several(struct hcctl *h, int argc, char **argv);
/* As ring_several(), for arguments that have the keyword "graph", too. */
int ring_several_graph(struct hcctl *h, int argc, char **argv);

/* --- ring_shortest.c --- */
int ring_shortest(struct hcctl *h, int argc, char **argv);

#endif /* _HCCTL_RING_CMD_H */
