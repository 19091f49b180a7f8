/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between the files of hcctl balance.
 */
#ifndef _HCCTL_BALANCE_CMD_H
#define _HCCTL_BALANCE_CMD_H

#include "balance.h"
#include "cmd/cmd.h"

struct watch;

/* Parse the keywords: those for the faults into @a, and those of @own, which ends with {}. */
int balance_args(struct hcctl *h, struct fault_args *a, const struct arg *own, int argc,
		 char **argv);
/* Check the keywords in @a, and get the network and its faults into *@f. Release with
 * hc_faults_free().
 */
int balance_faults(struct hcctl *h, struct fault_args *a, struct hc_faults **f);
/* Compute the topology @t for the faults @f, or print why there is none. */
int balance_topology(struct hcctl *h, const struct hc_faults *f, enum hc_balance_shape shape,
		     struct hc_balance_topo *t);

extern const char * const balance_shapes[];

/* For struct arg: parse a number that is not negative into a double. */
int balance_arg_cost(struct hcctl *h, const char *name, const char *word, void *dst);
int balance_plan(struct hcctl *h, int argc, char **argv);
int balance_simulate(struct hcctl *h, int argc, char **argv);

/* --- balance_live.c --- */
int balance_move(struct hcctl *h, int argc, char **argv);
int balance_show(struct hcctl *h, int argc, char **argv);
/* Get the state of load balancing in a fabric, and the fabric's nodes on this machine. *@v is to be
 * freed.
 */
int balance_get(struct hcctl *h, const char *fabric, struct nl_balance *b, struct nl_node **v,
		size_t *n);
/* Print the load balancing @b and the tasks of the nodes @v, as "balance show" does. */
void balance_out_all(struct hcctl *h, const struct nl_balance *b, const struct nl_node *v,
		     size_t n);

/* --- balance_watch.c --- */
/* Print repeatedly what balance_show() prints. @how determines how often. */
int balance_watch(struct hcctl *h, const char *fabric, const struct watch *how);

/* --- balance_rounds.c --- */
int balance_run(struct hcctl *h, int argc, char **argv);
int balance_set(struct hcctl *h, int argc, char **argv);
/* Print the settings of load balancing, and the sums over all rounds: members of an open object. */
void balance_out_settings(struct hcctl *h, const struct nl_balance *b);
/* Print the settings of load balancing, the sums over all rounds, and the last rounds. */
void balance_out_rounds(struct hcctl *h, const struct nl_balance *b);

/* --- balance_print.c --- */
/* Print the subcube or the root of a topology, its depth and its members. */
void balance_out_shape(struct hcctl *h, const struct hc_balance_topo *t);
void balance_out_topology(struct hcctl *h, const char *fabric, enum hc_balance_shape shape,
			  const struct hc_faults *f, const struct hc_balance_topo *t);
/* Print a warning if the topology lacks something that the user may expect of the shape @shape. */
void balance_warn(struct hcctl *h, enum hc_balance_shape shape, const struct hc_balance_topo *t);

#endif /* _HCCTL_BALANCE_CMD_H */
