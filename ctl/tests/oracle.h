/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A slow model of the faulty hypercube that shares no code with what it tests: it has no FAULT
 * words and no sets of bits, and searches by trying everything. The paper is that of
 * module/lib/hc_tree.h, and FTTC is its algorithm for reductions over a tree with faults.
 */
#ifndef _ORACLE_H
#define _ORACLE_H

#include <stdbool.h>

#define ORACLE_DIMS	8
#define ORACLE_NODES	256
#define ORACLE_OPS	(ORACLE_NODES + 4 * ORACLE_DIMS)
#define ORACLE_ITEMS	7

/* A cube of dimension @n: the unusable links (at both ends) and the failed nodes. */
struct oracle {
	unsigned int n;
	bool bad[ORACLE_NODES][ORACLE_DIMS];
	bool dead[ORACLE_NODES];
};

void oracle_init(struct oracle *o, unsigned int n);
void oracle_cut(struct oracle *o, unsigned int u, unsigned int d);
void oracle_kill(struct oracle *o, unsigned int u);
/* Compute hops over healthy links from node @from to each node, or to one; -1 if there is no path.
 */
void oracle_distances(const struct oracle *o, unsigned int from, int *dist);
int oracle_distance(const struct oracle *o, unsigned int from, unsigned int to);

/* A tree: order[0..k-1] are the dimensions of the sink's subcube. */
struct oracle_tree {
	unsigned int k;
	unsigned int sink;
	unsigned int order[ORACLE_DIMS];
};

/* The state of a node at a stage: it receives, it sends, or it has sent at an earlier stage. */
enum oracle_state { ORACLE_PASSIVE, ORACLE_ACTIVE, ORACLE_IDLE };

/* Return: the state of node @v at a stage, by equations (1) to (3) of the paper as printed, with r
 * = sink ^ 1^n, the complement of the sink.
 */
enum oracle_state oracle_state(const struct oracle_tree *t, unsigned int v,
			       unsigned int stage);
/* Return: true if @v is in the subcube of the tree. */
bool oracle_inside(const struct oracle_tree *t, unsigned int v);

/* What trees are compared by: a clean sink, number of members, cost, number of faulty stages. */
struct oracle_score {
	bool clean;
	unsigned int members;
	unsigned int cost;
	unsigned int stages;
};

/* Set members[] to the live nodes of the subcube that are connected with the sink. */
void oracle_members(const struct oracle *o, const struct oracle_tree *t,
		    bool *members);
/* Compute the score of a tree. */
void oracle_score(const struct oracle *o, const struct oracle_tree *t,
		  struct oracle_score *score);
/* Find the best of all trees of a subcube. Return: false if no node of it is live and has a link.
 */
bool oracle_best(const struct oracle *o, unsigned int dims, unsigned int base,
		 struct oracle_tree *best, struct oracle_score *score);
/* Find the best of all trees with a given sink. Return: false if the sink is not live or has no
 * link.
 */
bool oracle_best_at(const struct oracle *o, unsigned int dims, unsigned int sink,
		    struct oracle_tree *best, struct oracle_score *score);

/* What a node does: wait for a message, or send one directly, to a helper, or over a detour. */
enum oracle_what { ORACLE_WAIT, ORACLE_DIRECT, ORACLE_HELP, ORACLE_DETOUR };

/* An operation of a node: with which peer, at which stage, and for which part of the data. */
struct oracle_op {
	enum oracle_what what;
	unsigned int peer;
	unsigned int stage;
	unsigned int part;
	unsigned int parts;
};

/* For each node, its operations in the order in which it performs them. */
struct oracle_script {
	unsigned int nops[ORACLE_NODES];
	struct oracle_op op[ORACLE_NODES][ORACLE_OPS];
};

void oracle_op(struct oracle_script *s, unsigned int u, enum oracle_what what,
	       unsigned int peer, unsigned int stage, unsigned int part,
	       unsigned int parts);

/* Versions of the algorithm FTTC. */
enum oracle_mode {
	ORACLE_LITERAL,	/* figure 13 as printed */
	ORACLE_PRINTED,	/* as LITERAL, but a helper tests its link to the node that it helps */
	ORACLE_FIXED,	/* as PRINTED, but only effective helpers are used, and passive nodes wait
			 * for detours
			 */
	ORACLE_NEAREST,	/* as FIXED, but detours go to the nearest passive node */
};

/* Make the script of the algorithm FTTC, with knowledge of the whole cube. */
void oracle_fttc(const struct oracle *o, const struct oracle_tree *t,
		 enum oracle_mode mode, const bool *members,
		 struct oracle_script *s);

/* How a run of a script ends; @node and @peer are fields of struct oracle_result. */
enum oracle_outcome {
	ORACLE_DONE,
	ORACLE_DEADLOCK,	/* @node waits for @peer forever */
	ORACLE_LOSS,		/* the sink lacks data, or a message was not read */
	ORACLE_DUPLICATE,	/* data was merged twice */
	ORACLE_NO_LINK,		/* @node used a link to @peer that is not there */
};

/* The result of a run of a script. @node, @peer: see enum oracle_outcome. */
struct oracle_result {
	enum oracle_outcome outcome;
	unsigned int node;
	unsigned int peer;
	unsigned int cost[ORACLE_DIMS];	/* steps of each stage */
	unsigned int steps;		/* sum of @cost */
	unsigned int clock;		/* the sink's logical clock at the end */
};

/* Run a script. Each member begins with ORACLE_ITEMS items of its own. */
void oracle_run(const struct oracle *o, const struct oracle_tree *t,
		const bool *members, const struct oracle_script *s,
		struct oracle_result *r);

#endif /* _ORACLE_H */
