/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of plans: planner.c does what they have in common; each type has a table of functions
 * for the rest, in a file of its own.
 */
#ifndef _HCCTL_PLANNER_H
#define _HCCTL_PLANNER_H

#include "cmd.h"
#include "hc_traits.h"

/**
 * struct plan_req - a plan to make
 * @faults: around which faults
 * @apply: install it
 * @epoch: with this epoch; 0: the next one
 * @here: on this machine alone
 * @repair: such that it repairs itself
 * @id: as this one; 0: as planner.id
 * @root: its sink or source; NL_NONE: any
 * @subcube: "XX01": span this; NULL: all, or what the planner finds best
 * @whole: without @subcube: all or nothing
 * @quiet: say only what is amiss
 * @method: one of planner.methods
 * @own: words that no other type has; NULL: none was given
 */
struct plan_req {
	struct fault_args faults;
	bool apply;
	uint32_t epoch;
	bool here;
	bool repair;
	uint32_t id;
	uint32_t root;
	const char *subcube;
	bool whole;
	bool quiet;
	struct arg_choice method;
	const void *own;
};

/**
 * struct plan_choice - is one type of plan preferred to another?
 * @preferred: it is
 * @why: a sentence
 * @rule: by this row of a table, or NULL
 */
struct plan_choice {
	bool preferred;
	const char *why;
	const struct hc_doubling_measured *rule;
};

/**
 * struct plan_truth - steps to compare with those that were taken
 * @faults: the faults of now
 * @down: what has come to the root goes to all
 * @parts: each member keeps no more than its part of a message
 * @search: look for the optimum
 * @promise: what the plan takes at most
 * @optimum: what the best plan takes, or a bound below which none is
 * @exact: it is the former
 * @way: how messages go, if there is more than one way, or NULL
 */
struct plan_truth {
	const struct hc_faults *faults;
	bool down;
	bool parts;
	bool search;
	uint32_t promise;
	uint32_t optimum;
	bool exact;
	const char *way;
};

/**
 * struct planner_root - the one node that a plan names
 * @word: for it; NULL: there is none
 * @attr: how the kernel is told of it, as nl_shape.root_attr
 * @of: that of an installed plan, or what member may stand for it
 */
struct planner_root {
	const char *word;
	int attr;
	uint32_t (*of)(const struct nl_plan *v);
};

/**
 * struct planner - a type of plans
 * @type: enum hypercube_plan_type
 * @object: the object of the command line whose commands make such plans, the first of them
 *	whatever is wanted; its name is that of the type
 * @title: in sentences; NULL: the same
 * @root: its root
 * @members_follow: its members follow from the rest
 * @id: what it is installed as unless another id is given
 * @size: bytes of a plan
 * @rooted: that command needs a root
 * @whole: if no plan is named, one of the whole fabric is wanted
 * @check: complain unless the words make sense together; may be NULL
 * @find: make a plan, or complain; release with .free
 * @free: of what @find made, or of zeros; may be NULL
 * @shape: of it, to be installed; valid as long as the plan is
 * @install: instead of that: what it consists of, all by itself; -ESTALE: the faults have
 *	changed in between, which is a complaint only if @last
 * @print: the plan, and what is amiss with it; 0 or an exit status
 * @warn: only what makes it less than what one may expect; may be NULL
 * @show: its shape, behind the root
 * @show_more: what stands behind the members; may be NULL
 * @prefer: for a collective, with contributions of so many bytes in a fabric: is this type
 *	preferred?  NULL: it never is
 * @truth: fill in the steps; 0 or -errno (the plan and the faults do not fit)
 * @role: what a member combines in a reduction, in which order, and where that goes; as
 *	hc_tree_role().  NULL: nothing is reduced over such plans
 */
struct planner {
	uint32_t type;
	struct hc_object object;
	const char *title;
	const struct planner_root *root;
	bool members_follow;
	uint32_t id;
	size_t size;
	bool rooted;
	bool whole;
	int (*check)(struct hcctl *h, const struct plan_req *q);
	int (*find)(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		    void *plan);
	void (*free)(void *plan);
	struct nl_shape (*shape)(const void *plan);
	int (*install)(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		       const void *plan, bool last);
	int (*print)(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		     const void *plan);
	void (*warn)(struct hcctl *h, const void *plan);
	void (*show)(struct hcctl *h, const struct nl_plan *v);
	void (*show_more)(struct hcctl *h, const struct nl_plan *v);
	int (*prefer)(struct hcctl *h, const struct nl_fabric *info, const struct hc_traits *t,
		      uint64_t bytes, struct plan_choice *c);
	int (*truth)(const struct nl_plan *v, struct plan_truth *t);
	int (*role)(const struct nl_plan *v, const struct hc_faults *f, uint32_t u,
		    struct hc_tree_role *role, struct hc_tree_peer *src, unsigned int max);
};

/* What most commands that plan have words for, before the type's own. */
#define PLANNER_ARGS \
	"{ fabric NAME [apply [plan ID] [epoch N] [here]] | dim N [fail-link LINKS] [fail-node NODES] [faults FILE] }"

extern const struct planner_root planner_sink;
extern const struct planner tree_planner, bcast_planner, doubling_planner, ring_planner;

/* Number @i, from 0; NULL: behind the last. */
const struct planner *planner_at(size_t i);
/* NULL: this tool does not know the type. */
const struct planner *planner_of(uint32_t type);
const struct planner *planner_named(const char *name);
static inline const char *planner_title(const struct planner *p)
{
	return p->title ?: p->object.name;
}

/* Say that there is no plan, or none that is @rooted ("with sink") at @root, and why (@err); the
 * exit status.
 */
int planner_none(struct hcctl *h, const struct plan_req *q, const char *what, const char *rooted,
		 uint32_t root, int err, const char *why);
/* Find, and install if that is asked for: again if the faults change in between. */
int planner_make(struct hcctl *h, const struct planner *p, const struct plan_req *q);
/* The same from words: those of all planners, and @own, which ends with {}. */
int planner_command(struct hcctl *h, const struct planner *p, struct plan_req *q,
		    const struct arg *own, int argc, char **argv);
/* The end of what is printed of a plan, behind its shape. */
void planner_out_end(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		     uint32_t members, uint32_t steps);
/* For planner.show: the dimensions by stage, or by step. */
void planner_show_order(struct hcctl *h, const struct nl_plan *v);
void planner_show_sequence(struct hcctl *h, const struct nl_plan *v);
/* "sink": 3; text: " sink 3" */
void planner_out_root(struct hcctl *h, const struct nl_plan *v);
/* All that defines a plan, behind its id and type; text: in one line. */
void planner_out_shape(struct hcctl *h, const struct nl_plan *v);
/* The same as it can be installed again; @rings is where its rings go. */
struct nl_shape planner_shape(const struct nl_plan *v, struct hc_ring_tree *rings);
/* Are two plans of one shape? */
bool planner_same(const struct nl_plan *a, const struct nl_plan *b);
/* Those installed; or that of an id, which must be there. */
int planner_show(struct hcctl *h, const char *fabric, uint32_t id);
/* Those of a type, of the fabric that the words name. */
int planner_show_type(struct hcctl *h, const struct planner *p, int argc, char **argv);

/* For planner.truth: it takes @steps, and no plan takes fewer. */
static inline int planner_optimal(struct plan_truth *t, uint32_t steps)
{
	t->promise = steps;
	t->optimum = steps;
	t->exact = true;
	return 0;
}

/* --- tree_truth.c --- */
int tree_truth(const struct nl_plan *v, struct plan_truth *t);
/* For a doubling, too: its operands are those of a tree of its order without faults. */
int tree_role(const struct nl_plan *v, const struct hc_faults *f, uint32_t u,
	      struct hc_tree_role *role, struct hc_tree_peer *src, unsigned int max);

#endif /* _HCCTL_PLANNER_H */
