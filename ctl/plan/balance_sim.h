/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulation of Nam, Seo, Lee and Kim (section 6).  What the paper leaves open is a
 * parameter.
 */
#ifndef _HC_PLAN_BALANCE_SIM_H
#define _HC_PLAN_BALANCE_SIM_H

#include "balance.h"

enum hc_sim_charge {
	HC_SIM_LOCAL,	/* each node pays for what it says, sends and receives */
	HC_SIM_PHASE,	/* all wait for all, and in each step for the busiest link */
};

enum hc_sim_tau {
	HC_SIM_TASK,	/* a task takes as long wherever it runs */
	HC_SIM_NODE,	/* a task takes what tasks take where it runs */
};

enum hc_sim_pick {
	HC_SIM_NEWEST,	/* the sender takes tasks from the end of its queue */
	HC_SIM_OLDEST,	/* from its head */
};

/**
 * struct hc_sim - the setting; times are in units of a mean task
 * @dim: dimension
 * @shape: how the balancing subcube is chosen
 * @tasks: for each of the 2^n nodes; those of failed nodes are dealt to the others
 * @threshold: a node that becomes free and has no more tasks waiting asks for balancing
 * @interval: but not within this time after it was balanced (RID: after it asked itself)
 * @hop: time for a task over a link
 * @info: time for a step of information
 * @charge: who pays
 * @tau: what a task's time belongs to
 * @pick: which tasks leave
 * @seed: of all random numbers
 */
struct hc_sim {
	unsigned int dim;
	enum hc_balance_shape shape;
	unsigned int tasks;
	unsigned int threshold;
	double interval;
	double hop;
	double info;
	enum hc_sim_charge charge;
	enum hc_sim_tau tau;
	enum hc_sim_pick pick;
	uint64_t seed;
};

/**
 * struct hc_sim_result - of one method in one run
 * @speedup: time without balancing / time with it
 * @hops: tasks times links, for each live node
 * @rounds: how often balancing was done; RID: requests, for each live node
 * @bound: speedup if no node were ever idle and nothing cost anything
 */
struct hc_sim_result {
	double speedup;
	double hops;
	double rounds;
	double bound;
};

struct hc_sim_room;

/* Room for runs, one after the other; NULL without memory. */
struct hc_sim_room *hc_sim_new(const struct hc_sim *s);
void hc_sim_free(struct hc_sim_room *r);

/**
 * hc_sim_run() - one run, with the same faults and tasks for all methods
 * @r: room
 * @faults: failed nodes, fewer than 2^dim - 1
 * @run: its number: the same results each time
 * @methods: these
 * @n: how many
 * @out: a result for each
 *
 * Faults after which no two nodes are connected are drawn again.
 *
 * Return: 0 or -ENOMEM.
 */
int hc_sim_run(struct hc_sim_room *r, unsigned int faults, unsigned int run,
	       const enum hc_balance_method *methods, size_t n, struct hc_sim_result *out);

/**
 * struct hc_mean - of a sample
 * @mean: the mean
 * @ci95: half of the 95 % confidence interval, by Student's t; 0 of a single value
 */
struct hc_mean {
	double mean;
	double ci95;
};

struct hc_mean hc_mean(const double *v, size_t n);
/* The 97.5 % quantile of Student's t. */
double hc_student(size_t degrees);

#endif /* _HC_PLAN_BALANCE_SIM_H */
