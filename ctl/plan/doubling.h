/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Planning of recursive doubling: in which subcubes it is possible, and when it is faster than a
 * tree.
 */
#ifndef _HC_PLAN_DOUBLING_H
#define _HC_PLAN_DOUBLING_H

#include "hc_doubling.h"
#include "plan.h"

/**
 * hc_plan_doubling() - make the plan for a given subcube
 * @f: the faults
 * @dims: mask of the subcube's free dimensions
 * @base: any node of the subcube
 * @d: filled in: stages by ascending dimension
 * @reason: filled in if recursive doubling is not possible in the subcube
 *
 * Return: 0, or -EINVAL if the subcube has a fault.
 */
int hc_plan_doubling(const struct hc_faults *f, uint32_t dims, uint32_t base,
		     struct hc_doubling *d, struct hc_reason *reason);

/**
 * hc_plan_doubling_largest() - find the largest subcube in which nothing is faulty
 * @f: the faults
 * @d: filled in
 *
 * Of several subcubes it finds the one with the lowest mask of free dimensions, and of these the
 * one with the lowest node. It tries all subcubes, the largest first: time O(4^n + 3^n * n).
 *
 * Return: 0, or -EHOSTDOWN if no two nodes are connected by a healthy link.
 */
int hc_plan_doubling_largest(const struct hc_faults *f, struct hc_doubling *d);

/* Recursive doubling is chosen where it took at most this percentage of a tree's time. */
#define HC_DOUBLING_PAYS 90

/**
 * struct hc_doubling_measured - times of an allreduce by recursive doubling and over a tree,
 *	from one benchmark run
 * @dim: dimension of the cube, all of whose nodes take part
 * @bytes: length of a contribution in bytes; 0: a barrier
 * @latency: by recursive doubling, time from the last node's call to the last node's return, in
 *	per cent of the same time on a tree
 * @back_to_back: by recursive doubling, time per operation of many operations in a row, in per
 *	cent of the same time on a tree
 */
struct hc_doubling_measured {
	unsigned int dim;
	uint64_t bytes;
	unsigned int latency;
	unsigned int back_to_back;
};

/* Return: the table of measurements on which hc_doubling_pays() decides. *n: set to the number of
 * its rows.
 */
const struct hc_doubling_measured *hc_doubling_measured(size_t *n);
/* Return: the machine and the benchmark that the table is from, for people. */
const char *hc_doubling_how(void);

/**
 * hc_doubling_pays() - decide whether recursive doubling is chosen rather than a tree
 * @dim: dimension of the subcube
 * @bytes: length of a contribution in bytes; 0: a barrier
 * @row: set to the row of the table on which the function decided
 *
 * The rows with the nearest dimension (the larger one of two) are used, and of these the row with
 * the smallest length that is not less than @bytes, or the one with the largest length. Recursive
 * doubling is chosen if in that row both times are at most HC_DOUBLING_PAYS per cent: a difference
 * of less than a tenth also occurs between two runs of the same benchmark.
 */
bool hc_doubling_pays(unsigned int dim, uint64_t bytes, const struct hc_doubling_measured **row);

#endif /* _HC_PLAN_DOUBLING_H */
