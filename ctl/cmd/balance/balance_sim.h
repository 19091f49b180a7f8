/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl balance simulate: the simulation, and the functions that print it.
 */
#ifndef _HCCTL_BALANCE_SIM_H
#define _HCCTL_BALANCE_SIM_H

#include <stdio.h>

#include "balance_cmd.h"
#include "plan/balance_sim.h"

/**
 * struct sim_point - results of one method with one number of faults
 * @speedup: how many times faster the tasks are done than without load balancing
 * @hops: number of hops of tasks, divided by the number of live nodes
 * @rounds: number of load balancing rounds
 */
struct sim_point {
	struct hc_mean speedup;
	struct hc_mean hops;
	struct hc_mean rounds;
};

/**
 * struct sim_study - a simulation
 * @s: parameters of the simulation
 * @first: least number of failed nodes
 * @last: greatest number of failed nodes
 * @runs: number of runs for each number of failed nodes
 * @jobs: number of threads
 * @methods: the methods that are compared
 * @nmethods: number of methods
 * @raw: results of all methods in all runs; those of run number run with f failed nodes begin at
 *	index ((f - first) * runs + run) * nmethods
 * @point: means over the runs; that of a method with f failed nodes is at index (f - first) *
 *	nmethods + method
 * @bound: for each number of failed nodes, the speedup if no node were idle and load balancing took
 *	no time
 */
struct sim_study {
	struct hc_sim s;
	uint32_t first;
	uint32_t last;
	uint32_t runs;
	uint32_t jobs;
	enum hc_balance_method methods[HC_BALANCE_METHODS];
	size_t nmethods;
	struct hc_sim_result *raw;
	struct sim_point *point;
	struct hc_mean *bound;
};

/* --- balance_sim_print.c --- */
extern const char * const sim_charges[], * const sim_taus[], * const sim_picks[];

void sim_out(struct hcctl *h, const struct sim_study *st);
void sim_csv_print(FILE *f, const struct sim_study *st);

/* --- balance_chart_print.c --- */
void sim_chart_print(FILE *f, const struct sim_study *st);

#endif /* _HCCTL_BALANCE_SIM_H */
