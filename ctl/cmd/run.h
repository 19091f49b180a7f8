/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl run, in files: run.c reads the words, run_plan.c chooses the plan,
 * run_work.c performs the operation, run_print.c reports, run_guard.c tidies up
 * after Ctrl-C, run_plain.c makes the data and computes the expected result,
 * run_truth.c what the plan promises and what is possible.
 */
#ifndef _HCCTL_RUN_H
#define _HCCTL_RUN_H

#include <libhypercube.h>

#include "cmd.h"

/* Which type of plan an allreduce or a barrier takes. */
enum run_method {
	RUN_AUTO,
	RUN_TREE,
	RUN_DOUBLING,
};

/**
 * struct run - a collective to run
 * @fabric: name of the fabric
 * @info: the fabric
 * @name: of the collective
 * @p: what all members say; of a BCAST type and width say what the data is
 * @elem: bytes of an element
 * @count: elements of each contribution
 * @bytes: their bytes
 * @seed: of the random data
 * @data: contributions, one after the other by ascending node; NULL: random
 * @iterations: how often
 * @timeout: ms in which something must move
 * @plan: the plan
 * @method: enum run_method, as asked for and then as chosen
 * @why: why that was chosen; @rule: by this row of the table, or NULL
 * @temporary: id of the plan that is installed for this run and is to be removed
 *	after it, or 0
 * @fault: FAULT words it works with
 * @root: the sink of the plan, or its source, or the lowest node of a doubling
 * @node: the members, ascending
 * @n: how many
 */
struct run {
	const char *fabric;
	const char *name;
	struct nl_fabric info;
	struct hcl_params p;
	uint32_t elem;
	uint32_t count;
	size_t bytes;
	uint64_t seed;
	uint8_t *data;
	uint32_t iterations;
	uint32_t timeout;
	struct nl_plan plan;
	enum run_method method;
	const char *why;
	const struct hc_doubling_measured *rule;
	volatile uint32_t temporary;
	uint32_t *fault;
	uint32_t root;
	uint32_t *node;
	uint32_t n;
};

/* Who has a result, and who brings data: the root alone, or everybody (a broadcast's
 * source has what the others get).
 */
static inline bool run_is_bcast(const struct run *r)
{
	return r->p.collective == HYPERCUBE_BCAST;
}

static inline bool run_gets(const struct run *r, uint32_t rank)
{
	switch (r->p.collective) {
	case HYPERCUBE_REDUCE:
	case HYPERCUBE_GATHER:
		return r->node[rank] == r->root;
	case HYPERCUBE_BCAST:
		return r->node[rank] != r->root;
	}
	return r->p.collective != HYPERCUBE_BARRIER;
}

static inline bool run_gives(const struct run *r, uint32_t rank)
{
	if (run_is_bcast(r) || r->p.collective == HYPERCUBE_SCATTER)
		return r->node[rank] == r->root;
	return r->p.collective != HYPERCUBE_BARRIER;
}

/**
 * struct run_result - what came out
 * @out: the result of each member that has one, by rank; NULL for the others
 * @bytes: length of each
 * @res: what the kernel says of the last iteration: the root, and of what all
 *	members get, whoever had it last
 * @best: shortest wall time, ns
 * @mean: mean wall time, ns
 * @early: a member left a barrier before another had come
 * @wrong: a node whose result is wrong; set by run_verify()
 */
struct run_result {
	uint8_t **out;
	size_t bytes;
	struct hypercube_result res;
	uint64_t best;
	uint64_t mean;
	bool early;
	uint32_t wrong;
};

/**
 * struct run_truth - steps, beside those that were taken
 * @promise: what the plan takes at most
 * @optimum: what the best plan takes, or a bound below which none is
 * @exact: it is the former
 */
struct run_truth {
	uint32_t promise;
	uint32_t optimum;
	bool exact;
};

/* May the collective be done by recursive doubling? */
static inline bool run_may_double(const struct run *r)
{
	return r->p.collective == HYPERCUBE_ALLREDUCE || r->p.collective == HYPERCUBE_BARRIER;
}

static inline bool run_doubles(const struct run *r)
{
	return r->plan.type == HYPERCUBE_PLAN_DOUBLING;
}

/* The plan asked for, or an installed one of use, or a new one; 0 or complained.  @root:
 * source of a broadcast, or NL_NONE; @bytes: of a contribution, for the rule.
 */
int run_plan(struct hcctl *h, struct run *r, uint32_t id, uint32_t root, uint64_t bytes);

/* Run it; 0 or complained.  Release with run_result_free(). */
int run_work(struct hcctl *h, const struct run *r, struct run_result *out);
void run_result_free(const struct run *r, struct run_result *out);

/* Print it; @before: the nodes as they were. */
struct run_view {
	const struct run_result *out;
	const struct nl_node *before, *after;
	size_t nodes;
	const struct run_truth *truth;
	const char *op, *type;
	bool optimum;	/* truth has it */
	bool verified;	/* by verify; then @equal says the outcome */
	bool equal;
	bool details;
};

void run_print(struct hcctl *h, const struct run *r, const struct run_view *v);

/* Between the two, a signal that ends the process removes r->temporary. */
void run_guard(const struct run *r);
void run_unguard(void);

/* Has it neither operator nor merging? */
static inline bool run_has_blocks(const struct run *r)
{
	return r->p.collective == HYPERCUBE_GATHER || r->p.collective == HYPERCUBE_SCATTER;
}

/* Length of the result, and of what member number @rank sends. */
size_t run_out_bytes(const struct run *r);
size_t run_in_bytes(const struct run *r, uint32_t rank);
/* What member number @rank sends; @buf of run_in_bytes(). */
void run_contribution(const struct run *r, uint32_t rank, void *buf);
/* Are all results the same as plainly computed?  1 or 0, -ENOMEM, -EINVAL (bad plan). */
int run_verify(const struct run *r, struct run_result *out);
/* FNV-1a of 64 bits. */
uint64_t run_digest(const void *data, size_t bytes);

/* 0 or a negative errno (the plan and the faults do not fit).  The optimum is a search,
 * made if @optimum.
 */
int run_truth(const struct run *r, bool optimum, struct run_truth *t);

#endif /* _HCCTL_RUN_H */
