/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl run. run_kinds.c has a row for each collective, run.c parses the arguments, run_plan.c
 * chooses the plan, run_work.c runs the collective, run_print.c prints the report, run_sweep.c
 * prints a table of sizes, run_checked.c compares the results of two trees, run_guard.c cleans up
 * after Ctrl-C, run_reference.c makes the data and computes the expected result, and
 * run_expected.c computes the number of steps that the plan promises, and the optimum.
 */
#ifndef _HCCTL_RUN_H
#define _HCCTL_RUN_H

#include <libhypercube.h>
#include <libhypercube-checked.h>

#include "hc_coll_desc.h"
#include "cmd/planner.h"

struct run;

/**
 * struct run_part - arguments of the library call that a member makes
 * @in: contribution of the member, or NULL
 * @bytes: length of @in in bytes
 * @rank: rank of the member
 * @out: memory for the result of the member, or NULL
 * @room: size of @out in bytes
 * @res: set to the outcome of the operation
 */
struct run_part {
	uint32_t rank;
	void *in;
	size_t bytes;
	void *out;
	size_t room;
	struct hypercube_result *res;
};

/**
 * struct run_kind - the functions of a collective; its other properties are in its descriptor
 * @collective: enum hypercube_collective
 * @take_part: makes the library call of one member
 * @checked: makes the library call of one member over two trees, and compares the results; NULL:
 *	not possible
 * @expected: computes the expected results of all members that get a result; the memory is to be
 *	freed. NULL for a barrier, whose members get no data: in its place it is checked that no
 *	member leaves the barrier before all have entered it
 */
struct run_kind {
	uint8_t collective;
	int (*take_part)(struct hcl *hcl, const struct run *r, const struct run_part *p);
	int (*checked)(struct hcl *hcl, const struct run *r, const struct run_part *p,
		       struct hcl_check *check);
	uint8_t *(*expected)(const struct run *r);
};

/**
 * struct run - a collective to run
 * @fabric: name of the fabric
 * @info: the fabric
 * @kind: the collective
 * @desc: descriptor of the collective
 * @p: parameters of the collective, the same at all members; for a BCAST, type and width describe
 *	the data
 * @elem: bytes of an element
 * @count: number of elements of a contribution; if a contribution has a block for each member,
 *	number of elements of each block
 * @bytes: length of @count elements in bytes
 * @seed: seed of the random data
 * @data: contributions from a file, by ascending node; NULL: random data
 * @iterations: number of iterations
 * @warmup: number of iterations at the beginning that are not timed
 * @timeout: time limit, ms: the run fails if a member sends and receives no data for that long
 * @plan: the plan
 * @method: the plan type: that of the keyword "method", and later the one that was chosen; NULL:
 *	any
 * @choice: why the plan type was chosen
 * @temporary: id of the plan that was installed for this run and is removed after it, or 0
 * @trees: id of the first of the plans of pairs of trees, which are removed after the run, or 0
 * @check: outcome of comparing the results of two trees
 * @faults: the current faults
 * @root: root of the plan, or the lowest node of recursive doubling
 * @node: the members, ascending; the index of a member is its rank
 * @hcl: library handle of each member, by rank; NULL: not open yet
 * @n: number of members
 */
struct run {
	const char *fabric;
	const struct run_kind *kind;
	const struct hc_coll_desc *desc;
	struct nl_fabric info;
	struct hcl_params p;
	uint32_t elem;
	uint32_t count;
	size_t bytes;
	uint64_t seed;
	uint8_t *data;
	uint32_t iterations;
	uint32_t warmup;
	uint32_t timeout;
	struct nl_plan plan;
	const struct planner *method;
	struct plan_choice choice;
	volatile uint32_t temporary;
	volatile uint32_t trees;
	struct run_check *check;
	struct hc_faults *faults;
	uint32_t root;
	uint32_t *node;
	struct hcl **hcl;
	uint32_t n;
};

static inline bool run_is_root(const struct run *r, uint32_t rank)
{
	return r->node[rank] == r->root;
}

/* Return: true if the member with rank @rank gets a result. */
static inline bool run_gets(const struct run *r, uint32_t rank)
{
	return hc_who_has(r->desc->gets, run_is_root(r, rank));
}

static inline bool run_gives(const struct run *r, uint32_t rank)
{
	return hc_who_has(r->desc->gives, run_is_root(r, rank));
}

static inline bool run_has_data(const struct run *r)
{
	return r->desc->payload != HC_PAYLOAD_NONE;
}

/* Return: the number of blocks of a contribution: the number of members if it has a block for each
 * member, otherwise 1.
 */
static inline uint32_t run_parts(const struct run *r)
{
	return r->desc->parts ? r->n : 1;
}

/* Return: true if the collective sends one message of the root, and no other member contributes. */
static inline bool run_is_message(const struct run *r)
{
	return r->desc->payload == HC_PAYLOAD_BYTES;
}

/**
 * struct run_result - results and times of a run
 * @out: result of each member, by rank; NULL if the member gets none
 * @bytes: length of each result in bytes
 * @res: result record of the last iteration: that of the root, but with the maxima over all members
 *	if all members wait for the result
 * @best: shortest time of an iteration, ns
 * @mean: mean time of an iteration, ns
 * @worst: longest time of an iteration, ns
 * @early: a member left a barrier before another member had entered it
 * @wrong: the node whose result is wrong; set by run_verify()
 */
struct run_result {
	uint8_t **out;
	size_t bytes;
	struct hypercube_result res;
	uint64_t best;
	uint64_t mean;
	uint64_t worst;
	bool early;
	uint32_t wrong;
};

/* Run a collective, whose struct run_kind is h->cmd->own. */
int run_collective(struct hcctl *h, int argc, char **argv);

/* Return: true if there is a plan type that a rule may prefer for the collective. */
bool run_has_choice(const struct run *r);
/* Return: the plan type to use by default: the type that the user has named; or of those that can
 * carry the collective, the first one without a rule, or if all have rules, the last one.
 */
const struct planner *run_planner(const struct run *r);
/* Return: why plans of the type @p cannot carry the collective, or NULL if they can. */
const char *run_not_by(const struct run *r, const struct planner *p);

/* Find the plan with @id. If @id is 0, find an installed plan that is suitable, or install one.
 * @root: root of a broadcast, or NL_NONE. @bytes: length of a contribution, for the rules. Return:
 * 0, or an exit status after printing an error.
 */
int run_plan(struct hcctl *h, struct run *r, uint32_t id, uint32_t root, uint64_t bytes);

/* Get the members of the plan, and the FAULT words from which their roles follow. */
int run_members(struct hcctl *h, struct run *r);
/* Convert @same, the return value of run_verify(), to an exit status. Print an error unless all
 * results are correct.
 */
int run_check_result(struct hcctl *h, const struct run *r, const struct run_result *out, int same);
/* Remove the plans that were installed for this run. Return: 0, or an exit status after printing an
 * error.
 */
int run_plans_del(struct hcctl *h, const struct run *r);
/* Free the plan, members and data, and remove the plans that were installed for this run. Return:
 * 0, or an exit status after printing an error.
 */
int run_clear(struct hcctl *h, struct run *r);

/**
 * struct run_sweep - keywords for a table of sizes
 * @wanted: the user wants the table
 * @from: least size of a contribution, in bytes
 * @to: greatest size of a contribution, in bytes
 * @plan: id of the plan to use, or 0
 * @root: root of a broadcast, or NL_NONE
 * @verify: check the result of each size
 * @op: name of the operator, or NULL
 * @type: name of the type of elements
 */
struct run_sweep {
	bool wanted;
	uint32_t from;
	uint32_t to;
	uint32_t plan;
	uint32_t root;
	bool verify;
	const char *op;
	const char *type;
};

int run_sweep(struct hcctl *h, struct run *r, const struct run_sweep *s);

/* Run the collective: all iterations, at all members. Return: 0, or an exit status after printing
 * an error. Release @out with run_result_free().
 */
int run_work(struct hcctl *h, const struct run *r, struct run_result *out);
void run_result_free(const struct run *r, struct run_result *out);

/**
 * struct run_check - a run over two trees, whose results are compared
 * @best: the two trees
 * @pair: pairs of trees, at most one for each dimension
 * @npairs: number of entries of @pair
 * @check: for each member, by rank: outcome of the comparison
 * @seen: number of members at which the two results differ
 * @suspects: for each member, by rank, if results differ: the Byzantine nodes that it has located
 * @all: the Byzantine nodes that follow from all of @suspects; valid if @seen is not 0
 * @unseen: nodes that relay in both trees, ascending; they could corrupt results undetected
 * @nunseen: number of entries of @unseen
 * @out: the results of the first tree
 */
struct run_check {
	struct hcl_pair best;
	struct hcl_pair pair[HYPERCUBE_DIM_MAX];
	unsigned int npairs;
	struct hcl_check *check;
	uint32_t seen;
	struct hcl_suspects *suspects;
	struct hcl_suspects all;
	uint32_t *unseen;
	uint32_t nunseen;
	struct run_result out;
};

/* Run the collective again, over two trees, and compare the results. If they differ, locate the
 * Byzantine nodes. Return: 0, or an exit status after printing an error. Release with
 * run_check_free().
 */
int run_checked(struct hcctl *h, struct run *r, struct run_check *c);
void run_check_free(struct run *r, struct run_check *c);
/* Remove the pairs of trees. If one cannot be removed, continue with the others. */
int run_trees_del(struct hcctl *h, const struct run *r);
/* Print the outcome of the comparison, as a member of the report's object. @plain: the results of
 * the run over one plan.
 */
void run_print_checked(struct hcctl *h, const struct run *r, const struct run_result *plain,
		       const struct run_check *c);

/* What the report prints. */
struct run_view {
	const struct run_result *out;
	const struct nl_node *before, *after;	/* state of all nodes before and after the run */
	size_t nodes;	/* number of entries of @before and of @after */
	const struct plan_truth *truth;
	const struct run_check *check;	/* outcome of comparing two trees; NULL: they were not
					 * compared
					 */
	const char *op, *type;	/* names of the operator and of the type */
	bool optimum;	/* @truth has the optimum */
	bool verified;	/* the results were verified, and @equal is the outcome */
	bool equal;	/* all results are correct */
	bool details;	/* print the counters of each node */
};

void run_print(struct hcctl *h, const struct run *r, const struct run_view *v);

/* Between run_guard() and run_unguard(), a signal that ends the process first removes the plan
 * r->temporary and the pairs of trees.
 */
void run_guard(const struct run *r);
void run_unguard(void);

/* Functions for run_kind.expected. They return, in this order: all contributions merged by the
 * operator; the results of all members, one after another, of a collective whose contributions have
 * a block for each member; the message of the root; the blocks of all members.
 */
uint8_t *run_expect_merged(const struct run *r);
uint8_t *run_expect_exchanged(const struct run *r);
uint8_t *run_expect_message(const struct run *r);
uint8_t *run_expect_blocks(const struct run *r);

/* run_out_bytes() returns the length of a result, in bytes. run_in_bytes() returns the length of
 * the contribution of the member with rank @rank; 0 if it contributes nothing.
 */
size_t run_out_bytes(const struct run *r);
size_t run_in_bytes(const struct run *r, uint32_t rank);
/* Fill @buf, of run_in_bytes() bytes, with the contribution of the member with rank @rank. */
void run_contribution(const struct run *r, uint32_t rank, void *buf);
/* Compare all results with the expected results. Return: 1 if all are correct, 0 if not, -ENOMEM,
 * or -EINVAL if the plan and the faults do not match.
 */
int run_verify(const struct run *r, struct run_result *out);
/* Return: the 64-bit FNV-1a hash of @data. */
uint64_t run_digest(const void *data, size_t bytes);

/* Compute the numbers of steps. Only with @optimum, search for the optimum. Return: 0, or a
 * negative errno if the plan and the faults do not match.
 */
int run_truth(const struct run *r, bool optimum, struct plan_truth *t);

#endif /* _HCCTL_RUN_H */
