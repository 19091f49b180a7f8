/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where recursive doubling is possible, and where it pays.
 */
#ifndef _HC_PLAN_DOUBLING_H
#define _HC_PLAN_DOUBLING_H

#include "hc_doubling.h"
#include "plan.h"

/**
 * hc_plan_doubling() - plan for a given subcube
 * @f: the faults
 * @dims: mask of its free dimensions
 * @base: any node of it
 * @d: filled in: stages by ascending dimension
 * @flaw: filled in if it is not possible
 *
 * Return: 0 or -EINVAL.
 */
int hc_plan_doubling(const struct hc_faults *f, uint32_t dims, uint32_t base,
		     struct hc_doubling *d, struct hc_flaw *flaw);

/**
 * hc_plan_doubling_largest() - find the largest subcube in which nothing is faulty
 * @f: the faults
 * @d: filled in
 *
 * The lowest mask of dimensions decides among several, and then the lowest
 * node.  Tries all subcubes, the largest first: time O(4^n + 3^n * n).
 *
 * Return: 0, or -EHOSTDOWN if no node is connected with any other.
 */
int hc_plan_doubling_largest(const struct hc_faults *f, struct hc_doubling *d);

/* The rule wants a doubling to take no more than this: per cent of a tree's time. */
#define HC_DOUBLING_PAYS 90

/**
 * struct hc_doubling_measured - an allreduce on both types of plans, in one run
 * @dim: dimension of the cube, all of whose nodes take part
 * @bytes: length of a contribution; 0: a barrier
 * @latency: time from the last call to the last return, per cent of that on a tree
 * @back_to_back: time of one of many operations, per cent of that on a tree
 */
struct hc_doubling_measured {
	unsigned int dim;
	uint64_t bytes;
	unsigned int latency;
	unsigned int back_to_back;
};

/* The table that the rule is made of, and how it was measured. */
const struct hc_doubling_measured *hc_doubling_measured(size_t *n);
const char *hc_doubling_how(void);

/**
 * hc_doubling_pays() - is doubling to be preferred to a tree?
 * @dim: dimension of the subcube
 * @bytes: length of a contribution; 0: a barrier
 * @row: set to the row of the table that decides
 *
 * The measurement at the nearest dimension (the larger one of two) decides, for the
 * smallest length measured that is not less than @bytes, or the largest one: doubling
 * pays where it took at most HC_DOUBLING_PAYS per cent of the time, alone and back to
 * back.  Less than a tenth is what rounds of the same differ by.
 */
bool hc_doubling_pays(unsigned int dim, uint64_t bytes, const struct hc_doubling_measured **row);

#endif /* _HC_PLAN_DOUBLING_H */
