/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl run. run_kinds.c has a row for each collective, run.c parses the arguments, run_plan.c
 * chooses the plan, run_work.c runs the operation, run_print.c prints the report, run_sweep.c makes
 * a table of sizes, run_checked.c compares two trees, run_guard.c cleans up after Ctrl-C,
 * run_reference.c makes the data and computes the expected result, run_expected.c computes the number of
 * steps that the plan promises, and the optimum.
 */
#ifndef _HCCTL_RUN_H
#define _HCCTL_RUN_H

#include <libhypercube.h>
#include <libhypercube-checked.h>

#include "hc_coll_desc.h"
#include "cmd/planner.h"

struct run;

/**
 * struct run_part - one member's call of the library
 * @in: its contribution, or NULL
 * @bytes: length of @in in bytes
 * @rank: rank of the member
 * @out: room for its result, or NULL
 * @room: size of @out in bytes
 * @res: set to how the operation ended
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
 * struct run_kind - what is special about one collective; the rest follows from its descriptor
 * @collective: enum hypercube_collective
 * @take_part: make the library's call for one member
 * @checked: make the call over two trees and compare the results; NULL: not possible
 * @expected: compute the expected results of all members that get one; to be freed. NULL if no
 *	member gets data (a barrier): then the check is that no member leaves before all have
 *	entered
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
 * @p: parameters, the same at all members; of a BCAST, type and width describe the data
 * @elem: bytes of an element
 * @count: number of elements of each contribution; if a contribution has a block for each member,
 *	of each block
 * @bytes: length of these elements in bytes
 * @seed: seed of the random data
 * @data: contributions, one after another by ascending node; NULL: random
 * @iterations: number of iterations
 * @warmup: number of iterations at the beginning that are not counted
 * @timeout: time limit, ms: the run fails if no data is sent or received for that long
 * @plan: the plan
 * @method: plan type, as the user names it, and later as it was chosen; NULL: any
 * @choice: why that type was chosen
 * @temporary: id of a plan that is installed for this run and removed after it, or 0
 * @trees: id of the first plan of the pairs of trees that are removed after the run, or 0
 * @check: outcome of comparing the results of the trees
 * @faults: the current faults
 * @root: sink or source of the plan, or the lowest node of recursive doubling
 * @node: the members, ascending
 * @hcl: handle of each member, or NULL: not open yet
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

/* Does member number @rank get a result? */
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

/* Return: the number of blocks of a contribution: one for each member, or 1 if the collective has
 * no such blocks.
 */
static inline uint32_t run_parts(const struct run *r)
{
	return r->desc->parts ? r->n : 1;
}

/* Return: true if the root sends one message, and no other member contributes. */
static inline bool run_is_message(const struct run *r)
{
	return r->desc->payload == HC_PAYLOAD_BYTES;
}

/**
 * struct run_result - the results of a run
 * @out: the result of each member that has one, by rank; NULL for the others
 * @bytes: length of each result
 * @res: result record of the last iteration: the root's, or if all members get the result,
 *	the maxima over all members
 * @best: shortest wall time, ns
 * @mean: mean wall time, ns
 * @worst: longest wall time, ns
 * @early: a member left a barrier before another one had entered it
 * @wrong: a node whose result is wrong; set by run_verify()
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

/* Run a collective: h->cmd->own is its struct run_kind. */
int run_collective(struct hcctl *h, int argc, char **argv);

/* Return: true if there is a plan type for the collective that a rule may prefer. */
bool run_has_choice(const struct run *r);
/* Return: the plan type to use. If the user has named none: the first one that does not depend on a
 * rule, or else the last one, of those that can carry the collective.
 */
const struct planner *run_planner(const struct run *r);
/* Return: why plans of a type cannot carry the collective; NULL if they can. */
const char *run_not_by(const struct run *r, const struct planner *p);

/* Find the plan with @id; or without an id, an installed plan that is suitable, or install one.
 * @root: source of a broadcast, or NL_NONE. @bytes: length of a contribution, for the rules.
 * Return: 0, or an exit status after printing an error.
 */
int run_plan(struct hcctl *h, struct run *r, uint32_t id, uint32_t root, uint64_t bytes);

/* Get the members of the plan, and the FAULT words from which their roles follow. */
int run_members(struct hcctl *h, struct run *r);
/* Convert the return value of run_verify() to an exit status. Prints an error unless all results
 * are correct.
 */
int run_check_result(struct hcctl *h, const struct run *r, const struct run_result *out, int same);
/* Free plan, members and data, and remove a temporary plan. Return: 0, or an exit status after
 * printing an error.
 */
int run_clear(struct hcctl *h, struct run *r);

/**
 * struct run_sweep - a table of sizes
 * @wanted: the user wants a table
 * @from: least size, bytes of a contribution
 * @to: greatest size
 * @plan: id of the plan to use, or 0
 * @root: source of a broadcast, or NL_NONE
 * @verify: check the result of each size
 * @op: name of the operator as given, or NULL
 * @type: name of the type as given
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

/* Run the collective. Return: 0, or an exit status after printing an error. Release with
 * run_result_free().
 */
int run_work(struct hcctl *h, const struct run *r, struct run_result *out);
void run_result_free(const struct run *r, struct run_result *out);

/**
 * struct run_check - a run over two trees
 * @best: the two trees
 * @pair: the pairs of the dimensions
 * @npairs: number of these pairs
 * @check: outcome of the comparison at each member, by rank
 * @seen: number of members at which the two results differed
 * @suspects: if the results differed, the Byzantine nodes that each member has located
 * @all: the nodes located from all of @suspects; valid if @seen is not 0
 * @unseen: nodes that relay in both trees, ascending
 * @nunseen: number of these nodes
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

/* Run the collective again, over two trees, and if the results differ, locate Byzantine nodes.
 * Return: 0, or an exit status after printing an error. Release with run_check_free().
 */
int run_checked(struct hcctl *h, struct run *r, struct run_check *c);
void run_check_free(struct run *r, struct run_check *c);
/* Remove the pairs of trees. If some cannot be removed, the others are removed nevertheless. */
int run_trees_del(struct hcctl *h, const struct run *r);
/* Print the outcome of the comparison: members of the report's object. */
void run_print_checked(struct hcctl *h, const struct run *r, const struct run_result *plain,
		       const struct run_check *c);

/* What the report prints. @before and @after are arrays of the @nodes nodes before and after the
 * run.
 */
struct run_view {
	const struct run_result *out;
	const struct nl_node *before, *after;
	size_t nodes;
	const struct plan_truth *truth;
	const struct run_check *check;	/* NULL: no two trees were compared */
	const char *op, *type;
	bool optimum;	/* truth has the optimum */
	bool verified;	/* the result was verified, and @equal is the outcome */
	bool equal;
	bool details;
};

void run_print(struct hcctl *h, const struct run *r, const struct run_view *v);

/* Between run_guard() and run_unguard(), a signal that ends the process first removes the plan
 * r->temporary and the pairs of trees.
 */
void run_guard(const struct run *r);
void run_unguard(void);

/* Functions for run_kind.expected. The expected result is, in this order: all contributions merged
 * by the operator; the results of all members, one after another, if each contribution has a block
 * for each member; the root's message; the blocks of all members.
 */
uint8_t *run_expect_merged(const struct run *r);
uint8_t *run_expect_exchanged(const struct run *r);
uint8_t *run_expect_message(const struct run *r);
uint8_t *run_expect_blocks(const struct run *r);

/* run_out_bytes() returns the length of the result, run_in_bytes() that of the contribution of the
 * member with rank @rank.
 */
size_t run_out_bytes(const struct run *r);
size_t run_in_bytes(const struct run *r, uint32_t rank);
/* Fill @buf, of run_in_bytes() bytes, with the contribution of the member with rank @rank. */
void run_contribution(const struct run *r, uint32_t rank, void *buf);
/* Compare all results with the expected ones. Return: 1 if all are equal, 0 if not, -ENOMEM, or
 * -EINVAL (bad plan).
 */
int run_verify(const struct run *r, struct run_result *out);
/* Return: the 64-bit FNV-1a hash of @data. */
uint64_t run_digest(const void *data, size_t bytes);

/* Compute the numbers of steps. The optimum needs a search, which is made only if @optimum. Return:
 * 0, or a negative errno if plan and faults do not match.
 */
int run_truth(const struct run *r, bool optimum, struct plan_truth *t);

#endif /* _HCCTL_RUN_H */
