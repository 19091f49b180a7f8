/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The broadcast planners: sequences of dimensions, see hc_bcast.h.
 */
#ifndef _HC_PLAN_BCAST_H
#define _HC_PLAN_BCAST_H

#include "hc_bcast.h"
#include "plan.h"

enum hc_bcast_method {
	HC_BCAST_GENERAL,	/* divide and conquer: any number of faults */
	HC_BCAST_BROADCAST1,	/* the paper's: sure for up to n - 1 faults */
	HC_BCAST_MINIMAL,	/* the shortest sequence, by search */
};

/**
 * struct hc_bcast_req - what broadcast is wanted
 * @method: enum hc_bcast_method
 * @source: the source
 * @greedy: a prime subcube by one greedy pass, not a largest one
 */
struct hc_bcast_req {
	enum hc_bcast_method method;
	uint32_t source;
	bool greedy;
};

/**
 * struct hc_bcast_plan - a broadcast plan and what is promised of it
 * @bcast: the plan itself; its pointers lead into memory that
 *	hc_bcast_plan_free() releases
 * @first: after how many steps each node has the message, see hc_bcast_run()
 * @subcube: mask of the free dimensions of the fault-free subcube around the
 *	source that the first steps fill
 * @internal: those dimensions, as they are used
 * @external: the other dimensions, as they are used first
 * @extra: all further steps
 * @ninternal: number of entries of @internal
 * @nexternal: number of entries of @external
 * @nextra: number of entries of @extra
 * @lower_bound: no sequence for this source has fewer steps; by the minimal
 *	method as far as its search went, else by distance and number of nodes
 * @faults: failed or unreachable nodes, plus faulty links between members
 * @reachable: number of members: the live nodes connected with the source
 * @covered: members that the plan informs
 * @npseudo: number of pseudo-faulty nodes
 * @nunreachable: number of live nodes that are not connected with the source
 * @pseudo: members not informed after n steps, as a set
 * @unreachable: those live nodes, as a set
 * @missed: members that the plan does not inform, as a set; empty unless the
 *	method is Broadcast1
 * @members: what bcast.members points to
 * @sequence: what bcast.sequence points to
 *
 * An incomplete plan does not pass hc_bcast_check().
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
 * @req: what is wanted
 * @plan: filled in; release with hc_bcast_plan_free()
 * @why: set to a sentence (static storage) on error
 *
 * General and minimal always inform every member.  Broadcast1 does if @faults
 * of the plan is below n: within n + 1 steps if all of them are nodes.
 *
 * Return: 0; -ERANGE (the source is no node), -ENOLINK (it has failed or is
 * isolated), -ENOMEM.
 */
int hc_plan_bcast(const struct hc_faults *f, const struct hc_bcast_req *req,
		  struct hc_bcast_plan *plan, const char **why);
void hc_bcast_plan_free(struct hc_bcast_plan *plan);

/* Derive a plan from a given sequence, which need not inform everybody.
 * Return: as hc_plan_bcast(), with -ERANGE for a bad sequence too.  An isolated
 * source is fine.
 */
int hc_plan_bcast_fixed(const struct hc_faults *f, uint32_t source,
			const uint8_t *sequence, unsigned int steps,
			struct hc_bcast_plan *plan, const char **why);

/**
 * struct hc_bcast_piece - one sequence for all sources in a subcube
 * @dims: mask of the free dimensions
 * @base: its lowest node
 * @plan: the plan for source @base; the sequence serves every other node of
 *	the subcube as well, as the first steps inform a subcube that contains it
 */
struct hc_bcast_piece {
	uint32_t dims;
	uint32_t base;
	struct hc_bcast_plan plan;
};

/**
 * hc_plan_bcast_all() - sequences for all sources
 * @f: the faults
 * @req: what is wanted; the source is ignored
 * @each: called for every piece, which is gone after that; what it returns, if
 *	not 0, ends the work
 * @ctx: handed to @each
 * @why: as for hc_plan_bcast()
 *
 * The pieces are disjoint fault-free subcubes; together they are the live
 * nodes, an isolated node being a piece without steps.  Broadcast1 may be
 * incomplete from n faults on, general never is.
 *
 * Return: 0; -EHOSTDOWN (no live node), -EOPNOTSUPP (method minimal), -ENOMEM,
 * what @each returned.
 */
int hc_plan_bcast_all(const struct hc_faults *f, const struct hc_bcast_req *req,
		      int (*each)(void *ctx, const struct hc_bcast_piece *piece),
		      void *ctx, const char **why);

#endif /* _HC_PLAN_BCAST_H */
