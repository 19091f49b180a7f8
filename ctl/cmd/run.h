/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl run, in files: run_kinds.c has a row for each collective, run.c reads the words,
 * run_plan.c chooses the plan, run_work.c performs the operation, run_print.c reports,
 * run_sweep.c makes a table of sizes, run_checked.c compares two trees, run_guard.c tidies up
 * after Ctrl-C, run_plain.c makes the data and computes the expected result, run_truth.c asks
 * what the plan promises and what is possible.
 */
#ifndef _HCCTL_RUN_H
#define _HCCTL_RUN_H

#include <libhypercube.h>
#include <libhypercube-checked.h>

#include "hc_traits.h"
#include "planner.h"

struct run;

/**
 * struct run_part - a member's part in an operation
 * @in: what it gives, or NULL
 * @bytes: of that
 * @rank: the member's place
 * @out: room for what it gets, or NULL
 * @room: bytes of that
 * @res: how the operation ended
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
 * struct run_kind - what only one collective has; the rest follows from its traits
 * @collective: enum hypercube_collective
 * @take_part: the library's call
 * @checked: the same over two trees that are compared; NULL: it cannot be
 * @expected: what those who get something should have, malloc()ed, of blocks and parts all; NULL
 *	where nobody gets anything: then nobody may leave before all have come
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
 * @traits: of that
 * @p: what all members say; of a BCAST type and width say what the data is
 * @elem: bytes of an element
 * @count: elements of each contribution, or of each part of it
 * @bytes: their bytes
 * @seed: of the random data
 * @data: contributions, one after the other by ascending node; NULL: random
 * @iterations: how often
 * @warmup: of these, those at first that do not count
 * @timeout: ms in which something must move
 * @plan: the plan
 * @method: type of plan, as asked for and then as chosen; NULL: any
 * @choice: why that one
 * @temporary: id of the plan that is installed for this run and is to be removed
 *	after it, or 0
 * @trees: the same of the first of pairs of trees, or 0
 * @check: what their results have shown, while they are compared
 * @fault: FAULT words it works with
 * @root: the sink of the plan, or its source, or the lowest node of a doubling
 * @node: the members, ascending
 * @hcl: of each a handle, or NULL: not yet
 * @n: how many
 */
struct run {
	const char *fabric;
	const struct run_kind *kind;
	const struct hc_traits *traits;
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
	uint32_t *fault;
	uint32_t root;
	uint32_t *node;
	struct hcl **hcl;
	uint32_t n;
};

static inline bool run_is_root(const struct run *r, uint32_t rank)
{
	return r->node[rank] == r->root;
}

/* Does member number @rank get a result?  Does it bring data? */
static inline bool run_gets(const struct run *r, uint32_t rank)
{
	return hc_who_has(r->traits->gets, run_is_root(r, rank));
}

static inline bool run_gives(const struct run *r, uint32_t rank)
{
	return hc_who_has(r->traits->gives, run_is_root(r, rank));
}

static inline bool run_has_data(const struct run *r)
{
	return r->traits->payload != HC_PAYLOAD_NONE;
}

/* How many parts has a contribution? */
static inline uint32_t run_parts(const struct run *r)
{
	return r->traits->parts ? r->n : 1;
}

/* Is there one message, or else a contribution for each member? */
static inline bool run_is_message(const struct run *r)
{
	return r->traits->payload == HC_PAYLOAD_BYTES;
}

/**
 * struct run_result - what came out
 * @out: the result of each member that has one, by rank; NULL for the others
 * @bytes: length of each
 * @res: what the kernel says of the last iteration: the root, and of what all
 *	members get, whoever had it last
 * @best: shortest wall time, ns
 * @mean: mean wall time, ns
 * @worst: longest wall time, ns
 * @early: a member left a barrier before another had come
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

/* Is there a type of plan that may be preferred to the first? */
bool run_has_choice(const struct run *r);
/* The type of plan that is wanted; with any, the first that need not be preferred, or the last. */
const struct planner *run_planner(const struct run *r);
/* Why a plan of that type does not carry it; NULL: it does. */
const char *run_not_by(const struct run *r, const struct planner *p);

/* The plan asked for, or an installed one of use, or a new one; 0 or complained.  @root:
 * source of a broadcast, or NL_NONE; @bytes: of a contribution, for the rule.
 */
int run_plan(struct hcctl *h, struct run *r, uint32_t id, uint32_t root, uint64_t bytes);

/* The members of the plan, and the FAULT words that their roles follow from. */
int run_members(struct hcctl *h, struct run *r);
/* What run_verify() said, as a status; complains unless all is right. */
int run_judge(struct hcctl *h, const struct run *r, const struct run_result *out, int same);
/* Forget plan, members and data; a temporary plan is removed.  0 or complained. */
int run_clear(struct hcctl *h, struct run *r);

/**
 * struct run_sweep - a table of sizes
 * @wanted: one is
 * @from: the least size, bytes of a contribution
 * @to: the largest
 * @plan: the plan asked for, or 0
 * @root: source of a broadcast, or NL_NONE
 * @verify: each size
 * @op: as it was given, or NULL
 * @type: as it was given
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

/* Run it; 0 or complained.  Release with run_result_free(). */
int run_work(struct hcctl *h, const struct run *r, struct run_result *out);
void run_result_free(const struct run *r, struct run_result *out);

/**
 * struct run_check - the same over two trees
 * @best: the trees
 * @pair: those of the dimensions
 * @npairs: how many
 * @check: what each member saw, by rank
 * @seen: how many members saw a difference
 * @suspects: what each found out then
 * @all: from all of that; valid if @seen
 * @unseen: nodes that relay in both trees, ascending
 * @nunseen: how many
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

/* Run it over two trees, too, and find out who has lied if they differ; 0 or complained.  Release
 * with run_check_free().
 */
int run_checked(struct hcctl *h, struct run *r, struct run_check *c);
void run_check_free(struct run *r, struct run_check *c);
/* Remove the trees; a complaint is made by the first that cannot be. */
int run_trees_del(struct hcctl *h, const struct run *r);
/* Members of the report's object. */
void run_print_checked(struct hcctl *h, const struct run *r, const struct run_result *plain,
		       const struct run_check *c);

/* Print it; @before: the nodes as they were. */
struct run_view {
	const struct run_result *out;
	const struct nl_node *before, *after;
	size_t nodes;
	const struct plan_truth *truth;
	const struct run_check *check;	/* or NULL */
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

/* Those of struct run_kind: merged by the operator; the root's message; all blocks; what each
 * member gets, one behind the other, when each has brought something for each.
 */
uint8_t *run_expect_merged(const struct run *r);
uint8_t *run_expect_exchanged(const struct run *r);
uint8_t *run_expect_message(const struct run *r);
uint8_t *run_expect_blocks(const struct run *r);

/* Length of the result, and of what member number @rank sends. */
size_t run_out_bytes(const struct run *r);
size_t run_in_bytes(const struct run *r, uint32_t rank);
/* Fills @buf, of run_in_bytes(), with what member number @rank sends. */
void run_contribution(const struct run *r, uint32_t rank, void *buf);
/* Are all results the same as plainly computed?  1 or 0, -ENOMEM, -EINVAL (bad plan). */
int run_verify(const struct run *r, struct run_result *out);
/* FNV-1a of 64 bits. */
uint64_t run_digest(const void *data, size_t bytes);

/* 0 or a negative errno (the plan and the faults do not fit).  The optimum is a search,
 * made if @optimum.
 */
int run_truth(const struct run *r, bool optimum, struct plan_truth *t);

#endif /* _HCCTL_RUN_H */
