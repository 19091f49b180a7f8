/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of the broadcast planners.
 */
#ifndef _BCAST_TEST_H
#define _BCAST_TEST_H

#include "bcast.h"
#include "bcast_oracle.h"
#include "check.h"
#include "ktap.h"

/* A cube with faults, for the oracle (@o) and for the planner (@f). */
struct bworld {
	struct boracle o;
	struct hc_faults *f;
};

void bworld_init(struct bworld *w, unsigned int n);
void bworld_free(struct bworld *w);
void bworld_node(struct bworld *w, unsigned int u);
void bworld_link(struct bworld *w, unsigned int u, unsigned int d);
/* Add fault number @i: the first 2^n - 1 numbers are the nodes other than the source 0, the rest
 * are the links.
 */
void bworld_fault(struct bworld *w, unsigned int i);
/* Add @nodes random failed nodes other than node 0, and @links random faulty links. @near: the
 * failed nodes are near each other.
 */
void bworld_random(struct bworld *w, unsigned int nodes, unsigned int links, bool near);

/* Make a plan for source 0. Return: as hc_plan_bcast(). */
int bworld_plan(const struct bworld *w, enum hc_bcast_method method, bool greedy,
		struct hc_bcast_plan *p);
/* Make the plan of a given sequence, "0123". Return: as hc_plan_bcast_fixed(). */
int bworld_fixed(const struct bworld *w, uint32_t source, const char *sequence,
		 struct hc_bcast_plan *p);
/* Return: true if the plan has this sequence. */
bool has_sequence(const struct hc_bcast_plan *p, const char *sequence);
/* Return: true if all properties of the plan are right; it may miss members. */
bool bcast_holds(const struct bworld *w, const struct hc_bcast_plan *p);
/* Return: true if the properties are right and all members are informed within @steps steps. */
bool bcast_complete(const struct bworld *w, const struct hc_bcast_plan *p, unsigned int steps);

/* Call @each for all sets of at most @most numbers below @n, until it returns false. Return: false
 * if it did.
 */
bool bcast_subsets(unsigned int n, unsigned int most,
		   bool (*each)(const unsigned int *set, unsigned int size, void *ctx), void *ctx);

#endif /* _BCAST_TEST_H */
