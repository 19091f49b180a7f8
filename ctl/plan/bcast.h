/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The broadcast planners: sequences of dimensions, see hc_bcast.h, which also names the paper.
 */
#ifndef _HC_PLAN_BCAST_H
#define _HC_PLAN_BCAST_H

#include "hc_bcast.h"
#include "plan.h"

enum hc_bcast_method {
	HC_BCAST_GENERAL,	/* divide and conquer: any number of faults */
	HC_BCAST_BROADCAST1,	/* Broadcast1 of the paper: with fewer than n faults it informs
				 * all members
				 */
	HC_BCAST_MINIMAL,	/* the shortest sequence, by search */
};

/**
 * struct hc_bcast_req - what plan is wanted
 * @method: enum hc_bcast_method
 * @source: the node that the broadcast starts from
 * @greedy: take a prime subcube (one that no larger fault-free subcube contains) that one
 *	greedy pass finds, rather than a largest one
 */
struct hc_bcast_req {
	enum hc_bcast_method method;
	uint32_t source;
	bool greedy;
};

/**
 * struct hc_bcast_plan - a broadcast plan and the properties that the planner computed
 * @bcast: the plan itself; its pointers lead into memory that
 *	hc_bcast_plan_free() releases
 * @first: number of steps after which each node has the message, see hc_bcast_run()
 * @subcube: mask of the free dimensions of the fault-free subcube around the
 *	source that the first steps fill
 * @internal: the free dimensions of that subcube, in the order of use
 * @external: the other dimensions, in the order of their first use
 * @extra: the dimensions of all further steps
 * @ninternal: number of entries of @internal
 * @nexternal: number of entries of @external
 * @nextra: number of entries of @extra
 * @lower_bound: no sequence for this source has fewer steps. All methods compute it from the
 *	distance of the farthest member and the number of members; the minimal method raises it
 *	as far as its search proves that there is no shorter sequence
 * @faults: number of failed or unreachable nodes, plus number of faulty links between members
 * @reachable: number of members: the live nodes connected with the source
 * @covered: number of members that have the message after the last step
 * @npseudo: number of pseudo-faulty nodes
 * @nunreachable: number of live nodes that are not connected with the source
 * @pseudo: the pseudo-faulty nodes: members without the message after n steps, as a set
 * @unreachable: live nodes that are not connected with the source, as a set
 * @missed: members without the message after the last step, as a set; empty unless the method
 *	is Broadcast1
 * @members: memory that bcast.members points to
 * @sequence: memory that bcast.sequence points to
 *
 * hc_bcast_check() refuses a plan that misses members.
 */
struct hc_bcast_plan {
	struct hc_bcast bcast;
	uint16_t *first;
	uint32_t subcube;
	uint8_t internal[HC_LIB_DIM_MAX];
	uint8_t external[HC_LIB_DIM_MAX];
	uint8_t *extra;
	unsigned int ninternal;
	unsigned int nexternal;
	unsigned int nextra;
	unsigned int lower_bound;
	uint32_t faults;
	uint32_t reachable;
	uint32_t covered;
	uint32_t npseudo;
	uint32_t nunreachable;
	uint32_t *pseudo;
	uint32_t *unreachable;
	uint32_t *missed;
	uint32_t *members;
	uint8_t *sequence;
};

/**
 * hc_plan_bcast() - find a sequence and derive the whole plan from it
 * @f: the faults
 * @req: what plan is wanted
 * @plan: filled in; release with hc_bcast_plan_free()
 * @why: set to a sentence (static storage) on error
 *
 * In a network that is no hypercube the methods general and minimal are the same, a beam search,
 * and the fields of the plan that are about subcubes stay 0.
 *
 * The methods general and minimal always find a sequence that informs every member. Broadcast1
 * finds one if @faults of the plan is less than n. The sequence has at most n + 1 steps if, in
 * addition, all faults are nodes.
 *
 * Return: 0; -ERANGE (the source is no node), -ENOLINK (it has failed or is
 * isolated), -EOPNOTSUPP (Broadcast1 needs a hypercube), -ENOMEM.
 */
int hc_plan_bcast(const struct hc_faults *f, const struct hc_bcast_req *req,
		  struct hc_bcast_plan *plan, const char **why);
void hc_bcast_plan_free(struct hc_bcast_plan *plan);

/* Derive a plan from a given sequence, which may miss members. Return: as hc_plan_bcast(); -ERANGE
 * also if the sequence is invalid. An isolated source is no error here.
 */
int hc_plan_bcast_fixed(const struct hc_faults *f, uint32_t source,
			const uint8_t *sequence, unsigned int steps,
			struct hc_bcast_plan *plan, const char **why);

/**
 * struct hc_bcast_piece - one sequence for all sources in a subcube
 * @dims: mask of the subcube's free dimensions
 * @base: lowest node of the subcube
 * @plan: the plan for source @base. The sequence serves every other node of the subcube as
 *	well, because its first steps inform a subcube that contains this one
 */
struct hc_bcast_piece {
	uint32_t dims;
	uint32_t base;
	struct hc_bcast_plan plan;
};

/**
 * hc_plan_bcast_all() - find sequences for all sources
 * @f: the faults
 * @req: what plans are wanted; its source is ignored
 * @each: called for every piece, which is released when @each returns; if @each returns
 *	anything but 0, no further pieces are made
 * @ctx: handed to @each
 * @why: as for hc_plan_bcast()
 *
 * The pieces are disjoint fault-free subcubes; together they hold all live nodes. An isolated node
 * is a piece whose sequence has no steps. With n or more faults a sequence of Broadcast1 may miss
 * members; a sequence of general never does.
 *
 * Return: 0; -EHOSTDOWN (no live node), -EOPNOTSUPP (method minimal), -ENOMEM,
 * what @each returned.
 */
int hc_plan_bcast_all(const struct hc_faults *f, const struct hc_bcast_req *req,
		      int (*each)(void *ctx, const struct hc_bcast_piece *piece),
		      void *ctx, const char **why);

#endif /* _HC_PLAN_BCAST_H */
