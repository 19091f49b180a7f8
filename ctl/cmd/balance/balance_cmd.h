/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between the files of hcctl balance.
 */
#ifndef _HCCTL_BALANCE_CMD_H
#define _HCCTL_BALANCE_CMD_H

#include "balance.h"
#include "cmd/cmd.h"

struct watch;

/* Read the keywords: those for the faults, and @own, which ends with {}. */
int balance_args(struct hcctl *h, struct fault_args *a, const struct arg *own, int argc,
		 char **argv);
/* Check the keywords, and read the network and its faults. Release with
 * hc_faults_free().
 */
int balance_faults(struct hcctl *h, struct fault_args *a, struct hc_faults **f);
/* Compute the topology, or print why there is none. */
int balance_topology(struct hcctl *h, const struct hc_faults *f, enum hc_balance_shape shape,
		     struct hc_balance_topo *t);

extern const char * const balance_shapes[];

/* For struct arg: a double that is not negative. */
int balance_arg_cost(struct hcctl *h, const char *name, const char *word, void *dst);
int balance_plan(struct hcctl *h, int argc, char **argv);
int balance_simulate(struct hcctl *h, int argc, char **argv);

/* --- balance_live.c --- */
int balance_move(struct hcctl *h, int argc, char **argv);
int balance_show(struct hcctl *h, int argc, char **argv);
/* Get the rounds of a fabric, and the nodes on this machine with their tasks; free @v. */
int balance_get(struct hcctl *h, const char *fabric, struct nl_balance *b, struct nl_node **v,
		size_t *n);
/* Print the output of balance_show() from @b and the nodes @v. */
void balance_out_all(struct hcctl *h, const struct nl_balance *b, const struct nl_node *v,
		     size_t n);

/* --- balance_watch.c --- */
/* Show what balance_show() prints, repeatedly; @how sets how often. */
int balance_watch(struct hcctl *h, const char *fabric, const struct watch *how);

/* --- balance_rounds.c --- */
int balance_run(struct hcctl *h, int argc, char **argv);
int balance_set(struct hcctl *h, int argc, char **argv);
/* Print the settings of load balancing, and the sums over all rounds, as members of an object. */
void balance_out_settings(struct hcctl *h, const struct nl_balance *b);
/* Print the settings, the sums and the rounds. */
void balance_out_rounds(struct hcctl *h, const struct nl_balance *b);

/* --- balance_print.c --- */
/* Print the name of a topology, and the nodes that it leaves out. */
void balance_out_shape(struct hcctl *h, const struct hc_balance_topo *t);
void balance_out_topology(struct hcctl *h, const char *fabric, enum hc_balance_shape shape,
			  const struct hc_faults *f, const struct hc_balance_topo *t);
/* Warn if the topology does not have what the user may expect from @shape. */
void balance_warn(struct hcctl *h, enum hc_balance_shape shape, const struct hc_balance_topo *t);

#endif /* _HCCTL_BALANCE_CMD_H */
