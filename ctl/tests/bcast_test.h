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

/* A machine in the planner's and in the oracle's terms. */
struct bworld {
	struct boracle o;
	struct hc_faults *f;
};

void bworld_init(struct bworld *w, unsigned int n);
void bworld_free(struct bworld *w);
void bworld_node(struct bworld *w, unsigned int u);
void bworld_link(struct bworld *w, unsigned int u, unsigned int d);
/* Fault number @i: one of the 2^n - 1 nodes but the source 0, then the links. */
void bworld_fault(struct bworld *w, unsigned int i);
/* That many random failed nodes, not node 0, and links; near each other if @near. */
void bworld_random(struct bworld *w, unsigned int nodes, unsigned int links, bool near);

/* Plan from source 0. */
int bworld_plan(const struct bworld *w, enum hc_bcast_method method, bool greedy,
		struct hc_bcast_plan *p);
int bworld_fixed(const struct bworld *w, uint32_t source, const char *sequence,
		 struct hc_bcast_plan *p);
bool has_sequence(const struct hc_bcast_plan *p, const char *sequence);
/* Everything that the plan says is so; whether it is complete is not asked. */
bool bcast_holds(const struct bworld *w, const struct hc_bcast_plan *p);
/* It is so, everybody is informed, within that many steps. */
bool bcast_complete(const struct bworld *w, const struct hc_bcast_plan *p, unsigned int steps);

/* Visit all sets of at most @most of @n things; false as soon as @each is. */
bool bcast_subsets(unsigned int n, unsigned int most,
		   bool (*each)(const unsigned int *set, unsigned int size, void *ctx), void *ctx);

#endif /* _BCAST_TEST_H */
