/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many faults a self-checking algorithm can hide: Schollmeyer and McMillin, A General
 * Method for Maximizing the Error-Detecting Ability of Distributed Algorithms.
 *
 * The environment of a processor are those that it asks, and itself. A set of faults is feasible
 * if no environment has more than its tg of them. Sets are arrays of a bool for each processor.
 */
#ifndef _HC_PLAN_MFI_H
#define _HC_PLAN_MFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HC_MFI_PROCESSORS 4096

enum hc_mfi_kind {
	HC_MFI_CUBE,
	HC_MFI_MESH,
	HC_MFI_TORUS,
	HC_MFI_KARY,
	HC_MFI_GRAPH,
};

enum hc_mfi_pattern {
	HC_MFI_STAR,	/* the neighbours */
	HC_MFI_SQUARE,	/* east, south and south-east */
	HC_MFI_BOX,	/* the neighbours and the corners between them */
	HC_MFI_LISTED,
};

/**
 * struct hc_mfi_lists - a list of processors for each of them
 * @at: the list of i begins at @at[i], and ends at @at[i + 1]
 * @v: the lists, each in ascending order
 */
struct hc_mfi_lists {
	uint32_t *at;
	uint32_t *v;
};

/* For each v of the list of i. */
#define HC_MFI_EACH(v_, lists_, i_)						\
	for (const uint32_t *(v_) = (lists_)->v + (lists_)->at[i_];		\
	     (v_) < (lists_)->v + (lists_)->at[(i_) + 1]; (v_)++)

/* From @u to @v: @u asks @v. */
struct hc_mfi_pair {
	uint32_t u;
	uint32_t v;
};

/**
 * struct hc_mfi_net - processors and their environments
 * @kind: what they are
 * @pattern: of the environments
 * @dim: of a cube; axes of a k-ary one
 * @k: processors along each of these
 * @rows: of a mesh or torus
 * @cols: the same
 * @n: how many processors
 * @tg: how many faults each environment may have at least
 * @tg_of: how many each of them may; NULL: @tg
 * @transitive: all processors look alike
 * @env: environments
 * @in: in whose environments a processor is
 * @aug: the augmented graph: with whom it is in an environment
 */
struct hc_mfi_net {
	enum hc_mfi_kind kind;
	enum hc_mfi_pattern pattern;
	unsigned int dim;
	uint32_t k;
	uint32_t rows;
	uint32_t cols;
	uint32_t n;
	uint32_t tg;
	uint32_t *tg_of;
	bool transitive;
	struct hc_mfi_lists env;
	struct hc_mfi_lists in;
	struct hc_mfi_lists aug;
};

/* --- mfi_net.c --- */
/* NULL: out of memory.  Each processor is in its own environment, listed or not. */
struct hc_mfi_net *hc_mfi_new(uint32_t n, const struct hc_mfi_pair *pairs, size_t npairs,
			      uint32_t tg);
struct hc_mfi_net *hc_mfi_cube(unsigned int dim, uint32_t tg);
/* A k-ary cube of @axes axes, @k > 1 processors along each, with stars; with 2 axes that is a
 * torus, with 2 processors a hypercube.
 */
struct hc_mfi_net *hc_mfi_kary(uint32_t k, unsigned int axes, uint32_t tg);
struct hc_mfi_net *hc_mfi_grid(uint32_t rows, uint32_t cols, bool wrap,
			       enum hc_mfi_pattern pattern, uint32_t tg);
void hc_mfi_free(struct hc_mfi_net *net);
/* Each environment gets a number of faults of its own, at least 1 (lemma 4.3).  0 or -ENOMEM. */
int hc_mfi_set_tg(struct hc_mfi_net *net, const uint32_t *tg);

static inline uint32_t hc_mfi_tg(const struct hc_mfi_net *net, uint32_t i)
{
	return net->tg_of ? net->tg_of[i] : net->tg;
}

static inline uint32_t hc_mfi_length(const struct hc_mfi_lists *l, uint32_t i)
{
	return l->at[i + 1] - l->at[i];
}

/* --- mfi_faults.c --- */
uint32_t hc_mfi_count(const struct hc_mfi_net *net, const bool *set);
/* How many of the set are in the environment of @i. */
uint32_t hc_mfi_faults(const struct hc_mfi_net *net, const bool *set, uint32_t i);
bool hc_mfi_feasible(const struct hc_mfi_net *net, const bool *set);
/* The non-fault group of a set: the processes in an environment that has just its tg of it. */
void hc_mfi_nfg(const struct hc_mfi_net *net, const bool *set, bool *nfg);
/* Row of the fault matrix: T of the set, F of its non-fault group, - of neither. */
void hc_mfi_row(const struct hc_mfi_net *net, const bool *set, char *row);

/* --- mfi_colour.c --- */

/**
 * hc_mfi_figure_3_2() - colour a set of faults as the paper's figure 3.2 does
 * @net: the processors
 * @faults: up to tg of them, one for each colour
 * @count: how many
 * @row: filled in: T, F or - for each processor
 */
void hc_mfi_figure_3_2(const struct hc_mfi_net *net, const uint32_t *faults, uint32_t count,
		       char *row);
/**
 * hc_mfi_colour() - multi-colouring: a feasible set, not always a largest one
 * @net: the processors
 * @picks: take these first, each in the first colour from that of the pick before on in
 *	which it is not yet defined
 * @npicks: how many; then come the lowest that are undefined and not yet faulty
 * @set: filled in
 *
 * Return: its size, or 0 without memory.
 */
uint32_t hc_mfi_colour(const struct hc_mfi_net *net, const uint32_t *picks, uint32_t npicks,
		       bool *set);

/* --- mfi_closed.c, mfi_code.c --- */

/**
 * hc_mfi_closed() - what a formula knows of the largest set
 * @net: the processors
 * @set: filled in with a feasible set, empty where no formula has one
 * @upper: no set is larger; the number of processors where no formula says more
 * @why: by what; NULL: by none
 */
void hc_mfi_closed(const struct hc_mfi_net *net, bool *set, uint32_t *upper, const char **why);
/* What the paper says of it; false: it says nothing. */
bool hc_mfi_paper(const struct hc_mfi_net *net, uint32_t *mfi);
/* A largest code of minimum distance 3, dimension 1..12, as a set of words; its size. */
uint32_t hc_mfi_code(unsigned int dim, bool *set);

/* --- mfi_bound.c --- */

/**
 * struct hc_mfi_weights - a solution of the dual linear program, in whole numbers
 * @scale: what the weights of the environments of each processor, and its own, add up to
 *	at least
 * @env: weight of each environment
 * @own: of the rule that a processor is faulty once
 */
struct hc_mfi_weights {
	uint64_t scale;
	uint64_t *env;
	uint64_t *own;
};

/* As good as @go_on (may be NULL) leaves time for.  0 or -ENOMEM.  Release with
 * hc_mfi_weights_free().
 */
int hc_mfi_weights(const struct hc_mfi_net *net, struct hc_mfi_weights *w,
		   bool (*go_on)(void *arg), void *arg);
void hc_mfi_weights_free(struct hc_mfi_weights *w);
/* The bound that follows. */
uint32_t hc_mfi_bound(const struct hc_mfi_net *net, const struct hc_mfi_weights *w);

/* --- mfi_local.c --- */
/* Improve a feasible set by exchanges, @rounds times; its size, or 0 without memory. */
uint32_t hc_mfi_local(const struct hc_mfi_net *net, bool *set, uint32_t rounds, uint32_t target);

/* --- mfi_search.c --- */
enum hc_mfi_answer { HC_MFI_NO, HC_MFI_YES, HC_MFI_STOPPED };

/**
 * hc_mfi_search() - is there a feasible set of @size?
 * @net: the processors
 * @w: weights for the bound
 * @size: at least so many
 * @set: filled in if there is
 * @go_on: asked every so often, with @arg; may be NULL
 * @arg: for it
 * @nodes: added to: nodes of the search tree
 *
 * Return: enum hc_mfi_answer, or -ENOMEM.
 */
int hc_mfi_search(const struct hc_mfi_net *net, const struct hc_mfi_weights *w, uint32_t size,
		  bool *set, bool (*go_on)(void *arg), void *arg, uint64_t *nodes);

/* --- mfi_find.c --- */
enum hc_mfi_method {
	HC_MFI_AUTO,	/* formulas where they are true, else search */
	HC_MFI_SEARCH,	/* branch and bound alone */
	HC_MFI_COLOUR,	/* the paper's multi-colouring */
};

/**
 * struct hc_mfi_found - what is known of the largest feasible set
 * @set: the largest one found
 * @size: its size
 * @upper: no set is larger
 * @why: what says so
 * @nodes: of the search tree
 */
struct hc_mfi_found {
	bool *set;
	uint32_t size;
	uint32_t upper;
	const char *why;
	uint64_t nodes;
};

/**
 * hc_mfi_find() - the maximal fault index
 * @net: the processors
 * @method: enum hc_mfi_method
 * @r: filled in, as far as @go_on let it; kept up to date on the way; release .set
 * @go_on: asked every so often, with @arg; may be NULL
 * @arg: for it
 *
 * Return: 0 or -ENOMEM.
 */
int hc_mfi_find(const struct hc_mfi_net *net, enum hc_mfi_method method,
		struct hc_mfi_found *r, bool (*go_on)(void *arg), void *arg);

/* --- mfi_groups.c --- */

/**
 * struct hc_mfi_groups - processes, put into groups that may fail as a whole
 * @of: the group of each
 * @count: how many groups
 * @lower: no partition has fewer
 * @first_fit: how many first fit makes
 * @keeps: group 0 is the set that they were made for
 * @why: how they were found
 */
struct hc_mfi_groups {
	uint32_t *of;
	uint32_t count;
	uint32_t lower;
	uint32_t first_fit;
	bool keeps;
	const char *why;
};

/* First fit behind group 0, which is @set: the number of groups. */
uint32_t hc_mfi_first_fit(const struct hc_mfi_net *net, const bool *set, uint32_t *of);
/* The fewest that are known, with @set as one of them where that can be; @mfi: no feasible
 * set is larger.  0 or -ENOMEM.
 */
int hc_mfi_groups(const struct hc_mfi_net *net, const bool *set, uint32_t mfi,
		  struct hc_mfi_groups *g);
bool hc_mfi_groups_feasible(const struct hc_mfi_net *net, const uint32_t *of, uint32_t count);

/* --- mfi_place.c --- */
/**
 * hc_mfi_divide() - as many parts as there are nodes, each of one group
 * @net: the processes
 * @g: their groups; those with the largest parts are divided (section 5.1.1)
 * @most: nodes
 * @part: filled in: the part of each process
 *
 * No other way to divide the groups has a smaller largest part.
 *
 * Return: how many parts; 0: there are more groups than nodes, or no memory.
 */
uint32_t hc_mfi_divide(const struct hc_mfi_net *net, const struct hc_mfi_groups *g, uint32_t most,
		       uint32_t *part);
/* As many of one size, of processes that follow each other in number, or with @seed at random. */
uint32_t hc_mfi_blocks(const struct hc_mfi_net *net, uint32_t most, uint64_t seed, uint32_t *part);
/**
 * hc_mfi_seat() - put parts on nodes
 * @net: the processes
 * @part: the part of each
 * @parts: how many
 * @hops: from each node to each, @nodes * @nodes, the same both ways
 * @nodes: at least as many as parts
 * @at: filled in: the node of each part
 * @sum: set to the hops from all processes to those that they ask
 * @go_on: asked every so often, with @arg; may be NULL
 * @arg: for it
 *
 * That is the quadratic assignment problem: no two parts could change places and save hops, unless
 * @go_on said no.
 *
 * Return: 0 or -ENOMEM.
 */
int hc_mfi_seat(const struct hc_mfi_net *net, const uint32_t *part, uint32_t parts,
		const uint16_t *hops, uint32_t nodes, uint32_t *at, uint64_t *sum,
		bool (*go_on)(void *arg), void *arg);

/* --- mfi_escape.c --- */
#define HC_MFI_ESCAPE_FAULTS 100

/**
 * hc_mfi_escapes() - could these faults escape all honest processors?
 * @net: the processors
 * @faults: at most HC_MFI_ESCAPE_FAULTS, in ascending order
 * @count: how many
 *
 * All tell the same value to all; the assertion of each is a sum over its environment in
 * which all others weigh the same, as in relaxation. Errors of the values escape if they
 * add up to 0 in each environment whose processor is not faulty.
 *
 * Return: dimension of the space of such errors; 0: none escapes.  -ENOMEM.
 */
int hc_mfi_escapes(const struct hc_mfi_net *net, const uint32_t *faults, uint32_t count);

/**
 * struct hc_mfi_escape - all sets of so many faults
 * @count: how many faults
 * @sets: sets of them
 * @feasible: those that are feasible
 * @escape: those that could escape
 * @feasible_escape: those that could although they are feasible
 * @first: the first of those that could, @count of them
 */
struct hc_mfi_escape {
	uint32_t count;
	uint64_t sets;
	uint64_t feasible;
	uint64_t escape;
	uint64_t feasible_escape;
	uint32_t first[8];
};

/* The set of @k of @n processors, in ascending order, behind @f; from 0, 1, .. on these are all.
 * False: that was the last one.
 */
bool hc_mfi_next_set(uint32_t *f, uint32_t k, uint32_t n);
/* 0, -ENOMEM or -EINTR (@go_on said no). */
int hc_mfi_escape_all(const struct hc_mfi_net *net, uint32_t count, struct hc_mfi_escape *e,
		      bool (*go_on)(void *arg), void *arg);

#endif /* _HC_PLAN_MFI_H */
