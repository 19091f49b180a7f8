/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plan types. Each type has a struct planner with its functions, in a file of its own. planner.c
 * has what all types have in common.
 */
#ifndef _HCCTL_PLANNER_H
#define _HCCTL_PLANNER_H

#include "cmd.h"
#include "hc_coll_desc.h"

/**
 * struct plan_req - a request to make a plan
 * @faults: the network and the faults to plan for
 * @apply: install the plan
 * @epoch: epoch that the plan is to have; 0: the next one
 * @local: install the plan on this machine only
 * @repair: install the plan with REPAIR
 * @guard: how long, in ms, members of a guarded plan wait for its next epoch; 0: not guarded
 * @recipe: of a guarded plan: how a guard makes the next epoch, or NULL
 * @prev: install the plan only if the installed plan has this epoch; 0: do not check that
 * @without: nodes that must not be members; release with planner_req_free()
 * @id: id of the plan; 0: planner.id, the default of the plan type
 * @root: root of the plan; NL_NONE: any
 * @subcube: the subcube to span, such as "XX01"; NULL: the whole fabric, or the subcube that the
 *	planner finds best
 * @whole: if @subcube is NULL: the plan must span the whole fabric
 * @quiet: print only warnings and errors
 * @method: the method that the planner is to use
 * @own: values of the keywords that only this plan type has; NULL: none of these keywords was given
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
 * struct plan_choice - whether a plan type is preferred for a collective
 * @preferred: the type is preferred
 * @why: the reason, as a sentence
 * @rule: the row of the table of measurements that has decided, or NULL
 */
struct plan_choice {
	bool preferred;
	const char *why;
	const struct hc_doubling_measured *rule;
};

/**
 * struct plan_truth - numbers of steps with which a measured number is compared
 * @faults: the current faults
 * @down: the collective sends a result from the root to all members
 * @parts: each contribution has a block for each member, and a member gets only the blocks for it
 * @search: search for the optimum, which may take long
 * @promise: maximum number of steps that the plan takes
 * @optimum: number of steps of the best plan, or a lower bound of it
 * @exact: @optimum is the number of steps of the best plan, not only a bound
 * @way: text such as "both ways", if the plan type can send in one direction or in both; or NULL
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
 * struct planner_root - how plans of a type name their root
 * @word: keyword for the root; NULL: such plans have no root
 * @attr: netlink attribute of the root, as nl_shape.root_attr
 * @of: returns the root of an installed plan; for a type without a root, a member that all members
 *	know
 */
struct planner_root {
	const char *word;
	int attr;
	uint32_t (*of)(const struct nl_plan *v);
};

/**
 * struct planner - a plan type
 * @type: enum hypercube_plan_type
 * @object: object of the command line, whose name is that of the type. Its first command makes
 *	plans of this type
 * @title: name of the type in messages; NULL: that of @object
 * @root: the root of plans of this type
 * @sequence_attr: as nl_shape.sequence_attr
 * @members_follow: the members follow from the other attributes of a plan, and are not sent
 * @any_network: such plans are possible in all networks, not only in hypercubes
 * @id: default id of plans of this type
 * @size: size in bytes of the structure that @find fills in
 * @rooted: the command line must name a root
 * @whole: hcctl run uses an installed plan that the user has not named only if it spans the whole
 *	fabric
 * @otherwise: plan type with the same keywords, which a guard uses if no plan of this type is
 *	possible; NULL: none
 * @check: checks that the keywords may be used together; may be NULL
 * @parse: parses the keywords that only this type has into a request, which points to the strings.
 *	NULL: plans of this type cannot be guarded
 * @words: writes into @buf of @size bytes the keywords that make a plan like the installed plan @v,
 *	in a cube of dimension @dim
 * @find: finds a plan for the faults @f, or prints an error; the plan is released with @free
 * @free: releases a plan that @find has filled in, or one of zeros; may be NULL
 * @shape: converts a plan to the form in which it is installed, which is valid as long as the plan
 * @install: installs all plans of a command that makes several; used instead of @shape. Returns
 *	-ESTALE if the faults have changed since the plans were made; prints that as an error only
 *	if @last
 * @print: prints the plan and its warnings; returns 0 or an exit status
 * @warn: prints only the warnings; may be NULL
 * @show: prints the shape of an installed plan, after its root
 * @show_more: prints more about an installed plan, after its members; may be NULL
 * @prefer: decides whether this type is preferred for a collective, with contributions of this many
 *	@bytes in the fabric @info; NULL: this type is never preferred
 * @truth: fills in the numbers of steps of an installed plan; returns 0, or -errno if the plan and
 *	the faults do not match
 * @role: computes what member @u combines in a reduction, in which order, and where it sends the
 *	result, as hc_tree_role(); NULL: nothing can be reduced over such plans
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

/* Usage text of the keywords that most planning commands have, before those that only the plan type
 * has. @guard: usage text of the keyword "guard", or "" for plans that cannot be guarded.
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

/* Return: planner number @i, counted from 0; NULL if there are no more. */
const struct planner *planner_at(size_t i);
/* Return: the planner of a plan type; NULL if this tool does not know the type. */
const struct planner *planner_of(uint32_t type);
const struct planner *planner_named(const char *name);
static inline const char *planner_title(const struct planner *p)
{
	return p->title ?: p->object.name;
}

/* Print an error: there is no plan, for the reason @why. If @root is not NL_NONE, the message is
 * about plans with this root; @rooted is text such as "with sink". Return: the exit status for the
 * error @err.
 */
int planner_none(struct hcctl *h, const struct plan_req *q, const char *what, const char *rooted,
		 uint32_t root, int err, const char *why);
/* Find a plan, and install it if the request asks for that. If the faults have changed before the
 * plan is installed, begin again.
 */
int planner_make(struct hcctl *h, const struct planner *p, const struct plan_req *q);
/* As planner_make(), but without a second attempt. Return: in addition -ESTALE and -EBUSY, which
 * are temporary errors and are not printed.
 */
int planner_try(struct hcctl *h, const struct planner *p, const struct plan_req *q);
void planner_req_free(struct plan_req *q);
/* For struct arg: parse a time into plan_req.guard, a uint32_t of ms. */
int planner_arg_guard(struct hcctl *h, const char *name, const char *word, void *dst);
/* Return: a copy of the faults @f in which the nodes of @q->without have failed, too, to be freed;
 * NULL after printing an error.
 */
struct hc_faults *planner_left(struct hcctl *h, const struct plan_req *q,
			       const struct hc_faults *f);
/* Parse the keywords that all planning commands have, and those in @own, which ends with {}. Then
 * call planner_make().
 */
int planner_command(struct hcctl *h, const struct planner *p, struct plan_req *q,
		    const struct arg *own, int argc, char **argv);
/* Print the end of a plan, after its shape: the number of members and of steps. */
void planner_out_end(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		     uint32_t members, uint32_t steps);
/* For planner.show: print the dimension of each stage, or of each step. */
void planner_show_order(struct hcctl *h, const struct nl_plan *v);
void planner_show_sequence(struct hcctl *h, const struct nl_plan *v);
/* Print the root of an installed plan, under the keyword of its type. JSON: "sink": 3; text: " sink
 * 3".
 */
void planner_out_root(struct hcctl *h, const struct nl_plan *v);
/* Print all that defines an installed plan, after its id and type. Text: in one line. */
void planner_out_shape(struct hcctl *h, const struct nl_plan *v);
/* Convert an installed plan to the form in which it can be installed again. The result may point to
 * @rings, which is filled in.
 */
struct nl_shape planner_shape(const struct nl_plan *v, struct hc_ring_tree *rings);
/* Return: true if two plans have the same shape. */
bool planner_same(const struct nl_plan *a, const struct nl_plan *b);
/* Print the installed plans. If @id is not 0, print only the plan with this id, which must exist.
 */
int planner_show(struct hcctl *h, const char *fabric, uint32_t id);
/* Print the installed plans of a type. @argv names the fabric. */
int planner_show_type(struct hcctl *h, const struct planner *p, int argc, char **argv);

/* For planner.truth: set the numbers of steps of a plan that takes @steps steps, if no other plan
 * takes fewer.
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
/* For planner.role of trees and of recursive doubling. Recursive doubling combines contributions in
 * the same way as a tree with the same order of dimensions and without faults.
 */
int tree_role(const struct nl_plan *v, const struct hc_faults *f, uint32_t u,
	      struct hc_tree_role *role, struct hc_tree_peer *src, unsigned int max);

#endif /* _HCCTL_PLANNER_H */
