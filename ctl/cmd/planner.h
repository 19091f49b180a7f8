/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plan types. planner.c has what they have in common. Each type has a table of functions, in a file
 * of its own.
 */
#ifndef _HCCTL_PLANNER_H
#define _HCCTL_PLANNER_H

#include "cmd.h"
#include "hc_coll_desc.h"

/**
 * struct plan_req - a request to make a plan
 * @faults: the faults to plan around
 * @apply: install the plan
 * @epoch: epoch that the plan is to have; 0: the next one
 * @local: install it on this machine only
 * @repair: install it with REPAIR
 * @guard: how long, in ms, members of a guarded plan wait for its next epoch; 0: not guarded
 * @recipe: with @guard: how the guard plans it again, or NULL
 * @prev: the epoch that the installed plan must have to be replaced; 0: any
 * @without: nodes that must not be members; release with planner_req_free()
 * @id: id of the plan; 0: planner.id
 * @root: its sink or source; NL_NONE: any
 * @subcube: the subcube "XX01" to span; NULL: the whole fabric, or what the planner finds best
 * @whole: without @subcube: only a plan of the whole fabric will do
 * @quiet: print only warnings and errors
 * @method: the planner's method
 * @own: values of keywords that only this plan type has; NULL: no such keyword was given
 * @room: memory that @own may point to
 */
struct plan_req {
	struct fault_args faults;
	bool apply;
	uint32_t epoch;
	bool local;
	bool repair;
	uint32_t guard;
	const char *recipe;
	uint32_t prev;
	struct node_list without;
	uint32_t id;
	uint32_t root;
	const char *subcube;
	bool whole;
	bool quiet;
	struct arg_choice method;
	const void *own;
	uint64_t room[4];
};

/**
 * struct plan_choice - whether one plan type is preferred to another
 * @preferred: it is preferred
 * @why: the reason, as a sentence
 * @rule: the row of a table of measurements that has decided, or NULL
 */
struct plan_choice {
	bool preferred;
	const char *why;
	const struct hc_doubling_measured *rule;
};

/**
 * struct plan_truth - numbers of steps to compare a measurement with
 * @faults: the current faults
 * @down: the collective sends a result from the root to all members
 * @parts: each contribution has a block for each member, which gets only this block
 * @search: search for the optimum
 * @promise: maximum number of steps that the plan takes
 * @optimum: number of steps of the best plan, or a lower bound of it
 * @exact: @optimum is the number of steps of the best plan, not only a bound
 * @way: the directions in which messages are sent ("both ways"), if the type has several; or NULL
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
 * struct planner_root - the root that a plan names
 * @word: its keyword; NULL: there is none
 * @attr: its netlink attribute, as nl_shape.root_attr
 * @of: returns the root of an installed plan, or the member that takes its place
 */
struct planner_root {
	const char *word;
	int attr;
	uint32_t (*of)(const struct nl_plan *v);
};

/**
 * struct planner - a plan type
 * @type: enum hypercube_plan_type
 * @object: object of the command line, with the name of the type. Its first command makes plans of
 *	this type
 * @title: name in messages; NULL: that of @object
 * @root: its root
 * @sequence_attr: see struct nl_shape
 * @members_follow: the members follow from the rest of the plan
 * @any_network: there are such plans in other networks than hypercubes, too
 * @id: default id of such a plan
 * @size: size in bytes of a plan as @find makes it
 * @rooted: the command needs a root
 * @whole: if the user names no plan, only a plan of the whole fabric is used
 * @otherwise: the type that a guard uses if there is no plan of this type, with the same keywords;
 *	NULL: none
 * @check: check that the keywords may be used together; may be NULL
 * @parse: read a request from the keywords that only this type has; the strings must live as long
 *	as the request. NULL: such plans cannot be guarded
 * @words: write into @buf of @size bytes the keywords that make a plan like an installed one, in a
 *	cube of dimension @dim
 * @find: find a plan, or print an error; release with .free
 * @free: free what @find has made; also called for a plan of zeros; may be NULL
 * @shape: convert a plan to the form in which it is installed; valid as long as the plan is
 * @install: used instead of @shape if one command makes several plans: install all of them; returns
 *	-ESTALE if the faults have changed since, and prints that as an error only if @last
 * @print: print the plan and its warnings; returns 0 or an exit status
 * @warn: print only warnings; may be NULL
 * @show: print the shape of an installed plan, after the root
 * @show_more: print more about an installed plan, after the members; may be NULL
 * @prefer: decide whether this type is preferred for a collective with contributions of a given
 *	size in a fabric; NULL: it never is
 * @truth: fill in the numbers of steps; returns 0, or -errno if plan and faults do not match
 * @role: compute what a member combines in a reduction, in which order, and where the result goes,
 *	as hc_tree_role(); NULL: nothing is reduced over such plans
 */
struct planner {
	uint32_t type;
	struct hc_object object;
	const char *title;
	const struct planner_root *root;
	int sequence_attr;
	bool members_follow;
	bool any_network;
	uint32_t id;
	size_t size;
	bool rooted;
	bool whole;
	const struct planner *otherwise;
	int (*check)(struct hcctl *h, const struct plan_req *q);
	int (*parse)(struct hcctl *h, struct plan_req *q, int argc, char **argv);
	void (*words)(const struct nl_plan *v, unsigned int dim, char *buf, size_t size);
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
	int (*prefer)(struct hcctl *h, const struct nl_fabric *info, const struct hc_coll_desc *t,
		      uint64_t bytes, struct plan_choice *c);
	int (*truth)(const struct nl_plan *v, struct plan_truth *t);
	int (*role)(const struct nl_plan *v, const struct hc_faults *f, uint32_t u,
		    struct hc_tree_role *role, struct hc_tree_peer *src, unsigned int max);
};

/* The keywords that most planning commands have, in front of those that only the plan type has.
 * @guard: text of the keyword "guard", or "" for plans that cannot be guarded.
 */
#define PLANNER_WORDS(guard) \
	"{ fabric NAME [apply [plan ID] [epoch N] [local]" guard "] | dim N [fail-link LINKS] [fail-node NODES] [faults FILE] }"
#define PLANNER_NET_WORDS(guard) \
	"{ fabric NAME [apply [plan ID] [epoch N] [local]" guard "] | { dim N | " NET_WORDS " } [fail-link LINKS] [fail-node NODES] [faults FILE] }"
#define PLANNER_NET_ARGS	PLANNER_NET_WORDS(" [guard T]")
#define PLANNER_ARGS		PLANNER_WORDS("")
#define PLANNER_GUARD_ARGS	PLANNER_WORDS(" [guard T]")

extern const struct planner_root planner_sink;
extern const struct planner tree_planner, bcast_planner, doubling_planner, ring_planner,
			    span_planner;

/* Return: planner number @i, from 0; NULL: there are no more. */
const struct planner *planner_at(size_t i);
/* Return: the planner of a type; NULL: this tool does not know the type. */
const struct planner *planner_of(uint32_t type);
const struct planner *planner_named(const char *name);
static inline const char *planner_title(const struct planner *p)
{
	return p->title ?: p->object.name;
}

/* Print that there is no plan, and why. If @root is not NL_NONE, print that no plan has this root;
 * @rooted is text such as "with sink". Return: the exit status for error @err.
 */
int planner_none(struct hcctl *h, const struct plan_req *q, const char *what, const char *rooted,
		 uint32_t root, int err, const char *why);
/* Find a plan, and install it if the request asks for that. If the faults have changed by then,
 * begin again.
 */
int planner_make(struct hcctl *h, const struct planner *p, const struct plan_req *q);
/* As planner_make(), but without a second attempt. Return: also -ESTALE and -EBUSY, temporary
 * errors that are not printed.
 */
int planner_try(struct hcctl *h, const struct planner *p, const struct plan_req *q);
void planner_req_free(struct plan_req *q);
/* For struct arg: read a time into plan_req.guard, a uint32_t of ms. */
int planner_arg_guard(struct hcctl *h, const char *name, const char *word, void *dst);
/* Return: a copy of @f in which the nodes of @q->without have failed, to be freed; NULL after
 * printing an error.
 */
struct hc_faults *planner_left(struct hcctl *h, const struct plan_req *q,
			       const struct hc_faults *f);
/* Parse the keywords that all planners have, and those in @own, which ends with {}. Then call
 * planner_make().
 */
int planner_command(struct hcctl *h, const struct planner *p, struct plan_req *q,
		    const struct arg *own, int argc, char **argv);
/* Print the end of a plan, after its shape: its members and steps. */
void planner_out_end(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		     uint32_t members, uint32_t steps);
/* For planner.show: print the dimensions by stage, or by step. */
void planner_show_order(struct hcctl *h, const struct nl_plan *v);
void planner_show_sequence(struct hcctl *h, const struct nl_plan *v);
/* Print "sink": 3; text: " sink 3". */
void planner_out_root(struct hcctl *h, const struct nl_plan *v);
/* Print all that defines a plan, after its id and type; text: in one line. */
void planner_out_shape(struct hcctl *h, const struct nl_plan *v);
/* Convert an installed plan to the form in which it can be installed again. @rings is filled in
 * with its rings, to which the result may point.
 */
struct nl_shape planner_shape(const struct nl_plan *v, struct hc_ring_tree *rings);
/* Return: true if two plans have the same shape. */
bool planner_same(const struct nl_plan *a, const struct nl_plan *b);
/* Print the installed plans; or with @id only that plan, which must exist. */
int planner_show(struct hcctl *h, const char *fabric, uint32_t id);
/* Print the plans of a type, in the fabric that the arguments name. */
int planner_show_type(struct hcctl *h, const struct planner *p, int argc, char **argv);

/* For planner.truth: set the numbers of steps of a plan that takes @steps steps, if no plan takes
 * fewer.
 */
static inline int planner_optimal(struct plan_truth *t, uint32_t steps)
{
	t->promise = steps;
	t->optimum = steps;
	t->exact = true;
	return 0;
}

/* --- tree_expected.c --- */
int tree_truth(const struct nl_plan *v, struct plan_truth *t);
/* As planner.role, for trees and for recursive doubling. Recursive doubling combines contributions
 * as a tree with the same order of dimensions and without faults does.
 */
int tree_role(const struct nl_plan *v, const struct hc_faults *f, uint32_t u,
	      struct hc_tree_role *role, struct hc_tree_peer *src, unsigned int max);

#endif /* _HCCTL_PLANNER_H */
