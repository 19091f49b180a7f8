/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulation of Nam, Seo, Lee and Kim (section 6). What the paper leaves open is a parameter
 * here.
 */
#ifndef _HC_PLAN_BALANCE_SIM_H
#define _HC_PLAN_BALANCE_SIM_H

#include "balance.h"

/* Which nodes lose time by a round of balancing. */
enum hc_sim_charge {
	HC_SIM_LOCAL,	/* each node is charged for what it sends and receives itself */
	HC_SIM_PHASE,	/* all nodes wait, in each step, for the busiest link */
};

enum hc_sim_tau {
	HC_SIM_TASK,	/* the time of a task is the same on all nodes */
	HC_SIM_NODE,	/* the time of a task depends on the node that executes it */
};

enum hc_sim_pick {
	HC_SIM_NEWEST,	/* a sender sends tasks from the end of its queue */
	HC_SIM_OLDEST,	/* a sender sends tasks from the head of its queue */
};

/**
 * struct hc_sim - parameters of a simulation; times are in units of the mean time of a task
 * @dim: dimension
 * @shape: how the balancing subcube is chosen
 * @tasks: number of tasks that each of the 2^n nodes has at first; those of failed nodes are
 *	distributed to the others
 * @threshold: a node asks for balancing when it has ended a task and at most this many tasks
 *	wait in its queue
 * @interval: least time from the end of a balancing (for RID: of one that the node itself
 *	asked for) to the next request
 * @hop: time that a task takes over a link
 * @info: time that a step of information takes
 * @charge: how nodes are charged for balancing
 * @tau: what the time of a task depends on
 * @pick: which of its tasks a sender sends
 * @seed: seed of all random numbers
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
 * struct hc_sim_result - the result of one method in one run
 * @speedup: time without balancing / time with it
 * @hops: number of hops of tasks per live node
 * @rounds: number of rounds; for RID: requests per live node
 * @bound: the speedup that results if no node is ever idle and balancing costs no time
 */
struct hc_sim_result {
	double speedup;
	double hops;
	double rounds;
	double bound;
};

struct hc_sim_room;

/* Allocate memory for runs, which are made one after the other. Return: NULL without memory. */
struct hc_sim_room *hc_sim_new(const struct hc_sim *s);
void hc_sim_free(struct hc_sim_room *r);

/**
 * hc_sim_run() - simulate one run of each method, with the same faults and tasks for all of
 *	them
 * @r: memory from hc_sim_new()
 * @faults: number of failed nodes, less than 2^dim - 1
 * @run: number of the run: a run with the same number has the same results
 * @methods: the methods
 * @n: number of methods
 * @out: filled in: a result for each method
 *
 * If no two live nodes are connected, other faults are drawn.
 *
 * Return: 0 or -ENOMEM.
 */
int hc_sim_run(struct hc_sim_room *r, unsigned int faults, unsigned int run,
	       const enum hc_balance_method *methods, size_t n, struct hc_sim_result *out);

/**
 * struct hc_mean - the mean of a sample
 * @mean: the mean
 * @ci95: half of the width of its 95 % confidence interval, by Student's t; 0 if the sample
 *	has one value
 */
struct hc_mean {
	double mean;
	double ci95;
};

struct hc_mean hc_mean(const double *v, size_t n);
/* Return: the 97.5 % quantile of Student's t distribution with @degrees degrees of freedom. */
double hc_student(size_t degrees);

#endif /* _HC_PLAN_BALANCE_SIM_H */
