/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A slow model of the faulty hypercube that shares no code with what it tests:
 * no fault words, no sets of bits, no search but trying everything.
 */
#ifndef _ORACLE_H
#define _ORACLE_H

#include <stdbool.h>

#define ORACLE_DIMS	8
#define ORACLE_NODES	256
#define ORACLE_OPS	(ORACLE_NODES + 4 * ORACLE_DIMS)
#define ORACLE_ITEMS	7

/* The machine. */
struct oracle {
	unsigned int n;
	bool bad[ORACLE_NODES][ORACLE_DIMS];
	bool dead[ORACLE_NODES];
};

void oracle_init(struct oracle *o, unsigned int n);
void oracle_cut(struct oracle *o, unsigned int u, unsigned int d);
void oracle_kill(struct oracle *o, unsigned int u);
/* Hops over healthy links, -1 if there is no way: to each node, or to one. */
void oracle_distances(const struct oracle *o, unsigned int from, int *dist);
int oracle_distance(const struct oracle *o, unsigned int from, unsigned int to);

/* A tree: order[0..k-1] are the dimensions of the sink's subcube. */
struct oracle_tree {
	unsigned int k;
	unsigned int sink;
	unsigned int order[ORACLE_DIMS];
};

enum oracle_state { ORACLE_PASSIVE, ORACLE_ACTIVE, ORACLE_IDLE };

/* Equations (1) to (3) of the paper, literally, with r = sink ^ 1^n. */
enum oracle_state oracle_state(const struct oracle_tree *t, unsigned int v,
			       unsigned int stage);
bool oracle_inside(const struct oracle_tree *t, unsigned int v);

struct oracle_score {
	bool clean;
	unsigned int members;
	unsigned int cost;
	unsigned int stages;
};

/* members[] becomes the live nodes of the subcube that can reach the sink. */
void oracle_members(const struct oracle *o, const struct oracle_tree *t,
		    bool *members);
void oracle_score(const struct oracle *o, const struct oracle_tree *t,
		  struct oracle_score *score);
/* The best of all trees of a subcube; false if it has no live connected node. */
bool oracle_best(const struct oracle *o, unsigned int dims, unsigned int base,
		 struct oracle_tree *best, struct oracle_score *score);
/* The same for a given sink. */
bool oracle_best_at(const struct oracle *o, unsigned int dims, unsigned int sink,
		    struct oracle_tree *best, struct oracle_score *score);

/* Operations of a node, one after the other. */
enum oracle_what { ORACLE_WAIT, ORACLE_DIRECT, ORACLE_HELP, ORACLE_DETOUR };

struct oracle_op {
	enum oracle_what what;
	unsigned int peer;
	unsigned int stage;
	unsigned int part;
	unsigned int parts;
};

struct oracle_script {
	unsigned int nops[ORACLE_NODES];
	struct oracle_op op[ORACLE_NODES][ORACLE_OPS];
};

void oracle_op(struct oracle_script *s, unsigned int u, enum oracle_what what,
	       unsigned int peer, unsigned int stage, unsigned int part,
	       unsigned int parts);

enum oracle_mode {
	ORACLE_LITERAL,	/* figure 13 to the letter */
	ORACLE_PRINTED,	/* the helper tests the link to the one it helps */
	ORACLE_FIXED,	/* effective helpers only, passive nodes await detours */
	ORACLE_NEAREST,	/* detours go to the nearest passive node */
};

/* The algorithm FTTC as a script, computed with a view of the whole machine. */
void oracle_fttc(const struct oracle *o, const struct oracle_tree *t,
		 enum oracle_mode mode, const bool *members,
		 struct oracle_script *s);

enum oracle_outcome {
	ORACLE_DONE,
	ORACLE_DEADLOCK,	/* @node waits for @peer for ever */
	ORACLE_LOSS,		/* the sink misses data, or a message was not read */
	ORACLE_DUPLICATE,	/* data was merged twice */
	ORACLE_NO_LINK,		/* @node used a link to @peer that is not there */
};

struct oracle_result {
	enum oracle_outcome outcome;
	unsigned int node;
	unsigned int peer;
	unsigned int cost[ORACLE_DIMS];	/* steps of each stage */
	unsigned int steps;		/* their sum */
	unsigned int clock;		/* the sink's logical clock at the end */
};

/* Every member starts with ORACLE_ITEMS items of its own and runs its script. */
void oracle_run(const struct oracle *o, const struct oracle_tree *t,
		const bool *members, const struct oracle_script *s,
		struct oracle_result *r);

#endif /* _ORACLE_H */
