/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The number of faults that a self-checking algorithm can hide: Schollmeyer and McMillin, A General
 * Method for Maximizing the Error-Detecting Ability of Distributed Algorithms.
 *
 * A processor checks an assertion about its own value and the values of the processors that it
 * asks. The environment of a processor consists of the processors that it asks, and itself. Each
 * environment may have up to tg faults. A set of faults is feasible if no environment has more. A
 * set is an array with a bool for each processor.
 */
#ifndef _HC_PLAN_MFI_H
#define _HC_PLAN_MFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most processors of a network that the tool accepts. */
#define HC_MFI_PROCESSORS 4096

/* HC_MFI_GRAPH: a network that was made from a list of pairs. */
enum hc_mfi_kind {
	HC_MFI_CUBE,
	HC_MFI_MESH,
	HC_MFI_TORUS,
	HC_MFI_KARY,
	HC_MFI_GRAPH,
};

/* Which processors a processor asks. HC_MFI_LISTED: those in the list of pairs. */
enum hc_mfi_pattern {
	HC_MFI_STAR,	/* a processor's neighbours */
	HC_MFI_SQUARE,	/* the neighbours to the east, south and south-east */
	HC_MFI_BOX,	/* the neighbours and the corners between them */
	HC_MFI_LISTED,
};

/**
 * struct hc_mfi_lists - a list of processors for each processor
 * @at: the list of i begins at @at[i], and ends at @at[i + 1]
 * @v: the lists, each in ascending order
 */
struct hc_mfi_lists {
	uint32_t *at;
	uint32_t *v;
};

/* Loop: @v_ points in turn to each entry of the list of processor @i_. */
#define HC_MFI_EACH(v_, lists_, i_)						\
	for (const uint32_t *(v_) = (lists_)->v + (lists_)->at[i_];		\
	     (v_) < (lists_)->v + (lists_)->at[(i_) + 1]; (v_)++)

/* A directed pair: @u asks @v. */
struct hc_mfi_pair {
	uint32_t u;
	uint32_t v;
};

/**
 * struct hc_mfi_net - processors and their environments
 * @kind: kind of the network
 * @pattern: pattern of the environments
 * @dim: dimension of a cube; number of axes of a k-ary cube
 * @k: number of processors along each axis of a k-ary cube
 * @rows: number of rows of a mesh or torus
 * @cols: number of columns of a mesh or torus
 * @n: number of processors
 * @tg: the least number of faults that any environment may have
 * @tg_of: for each environment, number of faults that it may have; NULL: @tg for all
 * @transitive: a symmetry of the network maps any processor to any other
 * @env: for each processor, its environment
 * @in: for each processor, the processors whose environments it is in
 * @aug: the augmented graph: for each processor, those with which it shares an environment
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
/* Make a network from pairs. Each processor is in its own environment, whether listed or not.
 * Return: NULL without memory.
 */
struct hc_mfi_net *hc_mfi_new(uint32_t n, const struct hc_mfi_pair *pairs, size_t npairs,
			      uint32_t tg);
struct hc_mfi_net *hc_mfi_cube(unsigned int dim, uint32_t tg);
/* Make a k-ary cube of @axes axes, with @k > 1 processors along each, and the pattern star. With 2
 * axes that is a torus, with 2 processors along each axis a hypercube.
 */
struct hc_mfi_net *hc_mfi_kary(uint32_t k, unsigned int axes, uint32_t tg);
struct hc_mfi_net *hc_mfi_grid(uint32_t rows, uint32_t cols, bool wrap,
			       enum hc_mfi_pattern pattern, uint32_t tg);
void hc_mfi_free(struct hc_mfi_net *net);
/* Set the number of faults that each environment may have, at least 1 (lemma 4.3). Return: 0 or
 * -ENOMEM.
 */
int hc_mfi_set_tg(struct hc_mfi_net *net, const uint32_t *tg);

/* Return: number of faults that the environment of processor @i may have. */
static inline uint32_t hc_mfi_tg(const struct hc_mfi_net *net, uint32_t i)
{
	return net->tg_of ? net->tg_of[i] : net->tg;
}

/* Return: number of processors in the list of processor @i. */
static inline uint32_t hc_mfi_length(const struct hc_mfi_lists *l, uint32_t i)
{
	return l->at[i + 1] - l->at[i];
}

/* --- mfi_faults.c --- */
uint32_t hc_mfi_count(const struct hc_mfi_net *net, const bool *set);
/* Return: number of processors of the set in the environment of @i. */
uint32_t hc_mfi_faults(const struct hc_mfi_net *net, const bool *set, uint32_t i);
bool hc_mfi_feasible(const struct hc_mfi_net *net, const bool *set);
/* Get the non-fault group of a set: the processors outside of the set that are in a full
 * environment, one that has as many processors of the set as it may have faults.
 */
void hc_mfi_nfg(const struct hc_mfi_net *net, const bool *set, bool *nfg);
/* Write a row of the fault matrix: T for a processor of the set, F for one of the set's non-fault
 * group, - for others.
 */
void hc_mfi_row(const struct hc_mfi_net *net, const bool *set, char *row);

/* --- mfi_colour.c --- */

/**
 * hc_mfi_figure_3_2() - colour a set of faults as the paper's figure 3.2 does
 * @net: the processors
 * @faults: the faults, up to tg of them, one for each colour
 * @count: number of faults
 * @row: filled in: T, F or - for each processor
 */
void hc_mfi_figure_3_2(const struct hc_mfi_net *net, const uint32_t *faults, uint32_t count,
		       char *row);
/**
 * hc_mfi_colour() - find a feasible set by multi-colouring (see mfi_colour.c); it is not always
 *	a largest one
 * @net: the processors
 * @picks: processors to take first. Each is taken in the first colour in which it is still
 *	undefined, beginning with the colour of the pick before it
 * @npicks: number of picks. After them, the lowest processor that is undefined and not yet
 *	faulty is taken
 * @set: filled in
 *
 * Return: size of the set, or 0 without memory.
 */
uint32_t hc_mfi_colour(const struct hc_mfi_net *net, const uint32_t *picks, uint32_t npicks,
		       bool *set);

/* --- mfi_closed.c, mfi_code.c --- */

/**
 * hc_mfi_closed() - find a largest set, or a bound, by formula
 * @net: the processors
 * @set: filled in with a feasible set; empty if no formula gives one
 * @upper: set to an upper bound of the size; the number of processors if no formula gives less
 * @why: set to the name of the formula; NULL: none
 */
void hc_mfi_closed(const struct hc_mfi_net *net, bool *set, uint32_t *upper, const char **why);
/* Compute the paper's formula. Return: false if the paper has none for this network. */
bool hc_mfi_paper(const struct hc_mfi_net *net, uint32_t *mfi);
/* Make a largest binary code of minimum distance 3 and length @dim, 1..12. @set: the codewords.
 * Return: its size.
 */
uint32_t hc_mfi_code(unsigned int dim, bool *set);

/* --- mfi_bound.c --- */

/**
 * struct hc_mfi_weights - a solution of the dual linear program, in whole numbers
 * @scale: for each processor, its own weight and those of the environments that it is in add up
 *	to at least this
 * @env: weight of each environment
 * @own: own weight of each processor: that of the constraint that it is faulty at most once
 */
struct hc_mfi_weights {
	uint64_t scale;
	uint64_t *env;
	uint64_t *own;
};

/* Compute weights, as good as the time allows: the search ends when @go_on (may be NULL) returns
 * false. Release with hc_mfi_weights_free(). Return: 0 or -ENOMEM.
 */
int hc_mfi_weights(const struct hc_mfi_net *net, struct hc_mfi_weights *w,
		   bool (*go_on)(void *arg), void *arg);
void hc_mfi_weights_free(struct hc_mfi_weights *w);
/* Return: the upper bound of the size of feasible sets that follows from the weights. */
uint32_t hc_mfi_bound(const struct hc_mfi_net *net, const struct hc_mfi_weights *w);

/* --- mfi_local.c --- */
/* Improve a feasible set by exchanges, for @rounds rounds or until it has @target processors.
 * Return: its size, or 0 without memory.
 */
uint32_t hc_mfi_local(const struct hc_mfi_net *net, bool *set, uint32_t rounds, uint32_t target);

/* --- mfi_search.c --- */
enum hc_mfi_answer { HC_MFI_NO, HC_MFI_YES, HC_MFI_STOPPED };

/**
 * hc_mfi_search() - search for a feasible set of a given size
 * @net: the processors
 * @w: weights for the bound
 * @size: the least size that is wanted
 * @set: filled in if there is such a set
 * @go_on: called with @arg from time to time; false ends the search; may be NULL
 * @arg: argument of @go_on
 * @nodes: the number of nodes of the search tree is added to it
 *
 * Return: enum hc_mfi_answer, or -ENOMEM.
 */
int hc_mfi_search(const struct hc_mfi_net *net, const struct hc_mfi_weights *w, uint32_t size,
		  bool *set, bool (*go_on)(void *arg), void *arg, uint64_t *nodes);

/* --- mfi_find.c --- */
enum hc_mfi_method {
	HC_MFI_AUTO,	/* formulas where they are proved, else search */
	HC_MFI_SEARCH,	/* branch and bound alone */
	HC_MFI_COLOUR,	/* the paper's multi-colouring */
};

/**
 * struct hc_mfi_found - what is known of the largest feasible set
 * @set: the largest one found
 * @size: its size
 * @upper: no set is larger
 * @why: name of the proof of @upper
 * @nodes: number of nodes of the search tree
 */
struct hc_mfi_found {
	bool *set;
	uint32_t size;
	uint32_t upper;
	const char *why;
	uint64_t nodes;
};

/**
 * hc_mfi_find() - find the maximal fault index
 * @net: the processors
 * @method: enum hc_mfi_method
 * @r: filled in with what is known when the search ends, and updated while it runs; release
 *	.set with free()
 * @go_on: called with @arg from time to time; false ends the search; may be NULL
 * @arg: argument of @go_on
 *
 * Return: 0 or -ENOMEM.
 */
int hc_mfi_find(const struct hc_mfi_net *net, enum hc_mfi_method method,
		struct hc_mfi_found *r, bool (*go_on)(void *arg), void *arg);

/* --- mfi_groups.c --- */

/**
 * struct hc_mfi_groups - a partition of processes into groups, each of which may fail as a whole
 * @of: for each process, its group
 * @count: number of groups
 * @lower: no partition has fewer groups
 * @first_fit: number of groups that first fit makes
 * @keeps: group 0 is the set for which the partition was made
 * @why: name of the method that found the partition
 */
struct hc_mfi_groups {
	uint32_t *of;
	uint32_t count;
	uint32_t lower;
	uint32_t first_fit;
	bool keeps;
	const char *why;
};

/* Make a partition by first fit, in which group 0 is @set. Return: the number of groups, or 0
 * without memory.
 */
uint32_t hc_mfi_first_fit(const struct hc_mfi_net *net, const bool *set, uint32_t *of);
/* Find a partition into as few groups as the known methods give, if possible with @set as one of
 * the groups. @mfi: no feasible set is larger. Return: 0 or -ENOMEM.
 */
int hc_mfi_groups(const struct hc_mfi_net *net, const bool *set, uint32_t mfi,
		  struct hc_mfi_groups *g);
bool hc_mfi_groups_feasible(const struct hc_mfi_net *net, const uint32_t *of, uint32_t count);

/* --- mfi_place.c --- */
/**
 * hc_mfi_divide() - divide groups into as many parts as there are nodes
 * @net: the processes
 * @g: their groups. A group whose parts are the largest is divided further (section 5.1.1)
 * @most: number of nodes
 * @part: filled in: the part of each process
 *
 * No division of the groups into at most @most parts has a smaller largest part.
 *
 * Return: number of parts; 0: there are more groups than nodes, or no memory.
 */
uint32_t hc_mfi_divide(const struct hc_mfi_net *net, const struct hc_mfi_groups *g, uint32_t most,
		       uint32_t *part);
/* Divide the processes into as many parts as there are nodes (@most), of equal size. If @seed is 0,
 * the processes of a part are consecutive, else random. Return: number of parts.
 */
uint32_t hc_mfi_blocks(const struct hc_mfi_net *net, uint32_t most, uint64_t seed, uint32_t *part);
/**
 * hc_mfi_seat() - assign parts to nodes
 * @net: the processes
 * @part: the part of each process
 * @parts: number of parts
 * @hops: hops from each node to each node, @nodes * @nodes entries, symmetric
 * @nodes: number of nodes, at least @parts
 * @at: filled in: the node of each part
 * @sum: set to the sum of the hops from each process to each one that it asks
 * @go_on: called with @arg from time to time; false ends the search; may be NULL
 * @arg: argument of @go_on
 *
 * This is the quadratic assignment problem. In the result, exchanging the nodes of two parts does
 * not save hops, unless @go_on has ended the search.
 *
 * Return: 0 or -ENOMEM.
 */
int hc_mfi_seat(const struct hc_mfi_net *net, const uint32_t *part, uint32_t parts,
		const uint16_t *hops, uint32_t nodes, uint32_t *at, uint64_t *sum,
		bool (*go_on)(void *arg), void *arg);

/* --- mfi_escape.c --- */
#define HC_MFI_ESCAPE_FAULTS 100

/**
 * hc_mfi_escapes() - check whether errors of faulty processors can escape detection by all honest
 *	processors
 * @net: the processors
 * @faults: the faulty processors, at most HC_MFI_ESCAPE_FAULTS, in ascending order
 * @count: number of faulty processors
 *
 * Each processor sends the same value to all others. Its assertion is a sum over its environment,
 * in which all others have the same weight, as in relaxation. Errors of the values escape if they
 * add up to 0 in each environment whose processor is not faulty.
 *
 * Return: dimension of the space of such errors, 0 if none escapes, or -ENOMEM.
 */
int hc_mfi_escapes(const struct hc_mfi_net *net, const uint32_t *faults, uint32_t count);

/**
 * struct hc_mfi_escape - results for all sets of a given number of faults
 * @count: number of faults in each set
 * @sets: number of sets
 * @feasible: number of sets that are feasible
 * @escape: number of sets whose errors could escape
 * @feasible_escape: number of feasible sets whose errors could escape
 * @first: the first set whose errors could escape, @count processors
 */
struct hc_mfi_escape {
	uint32_t count;
	uint64_t sets;
	uint64_t feasible;
	uint64_t escape;
	uint64_t feasible_escape;
	uint32_t first[8];
};

/* Replace the set @f of @k of @n processors, in ascending order, by the next one. Beginning with 0,
 * 1, .., that gives all sets. Return: false if @f was the last set.
 */
bool hc_mfi_next_set(uint32_t *f, uint32_t k, uint32_t n);
/* Check all sets of @count faults. Return: 0, -ENOMEM, or -EINTR if @go_on returned false. */
int hc_mfi_escape_all(const struct hc_mfi_net *net, uint32_t count, struct hc_mfi_escape *e,
		      bool (*go_on)(void *arg), void *arg);

#endif /* _HC_PLAN_MFI_H */
