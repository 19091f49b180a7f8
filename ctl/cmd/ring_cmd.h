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
 * @fabric: name of the fabric, or NULL
 * @file: name of the file with the network, or NULL
 * @dim: dimension of the cube; 0: the network is not a cube
 * @faults: the faults of the cube
 * @g: the network
 * @plan: the plan
 * @repair: the plan has REPAIR
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
/* Names of enum hc_ring_method. NULL ends them. */
extern const char * const ring_methods[];
void cmd_ring_print(struct hcctl *h, const struct ring_view *v);
/* Print a warning that lists the nodes that the plan leaves out, if there are any. */
void cmd_ring_warn(struct hcctl *h, const struct hc_graph *g, const struct hc_ring_plan *p);

/* --- ring.c --- */
/* Read the links of a file into *@g. Environments in the file are ignored. */
int ring_read_graph(struct hcctl *h, const char *file, struct hc_graph **g);

/* --- ring_several.c --- */
/* Run "ring plan" with the keyword "rings", for a fabric, a cube or a network of the command line.
 */
int ring_several(struct hcctl *h, int argc, char **argv);
/* As ring_several(), for the network in a file (keyword "graph"). */
int ring_several_graph(struct hcctl *h, int argc, char **argv);

/* --- ring_shortest.c --- */
int ring_shortest(struct hcctl *h, int argc, char **argv);

#endif /* _HCCTL_RING_CMD_H */
