/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of the planners: a machine in the planner's and in the oracle's
 * terms, and one check that a plan is what it promises to be.
 */
#ifndef _PLAN_TEST_H
#define _PLAN_TEST_H

#include "oracle.h"
#include "plan.h"
#include "check.h"
#include "ktap.h"

struct world {
	struct oracle o;
	struct hc_faults *f;
};

void world_init(struct world *w, unsigned int n);
void world_free(struct world *w);
/* The link between two nodes that differ in one bit. */
void world_link(struct world *w, unsigned int u, unsigned int v);
/* A world of dimension @n without some links: "0-1 b-a", nodes in hexadecimal. */
void world_links(struct world *w, unsigned int n, const char *links);
/* Frees a world and a plan for it. */
void world_end(struct world *w, struct hc_tree_plan *p);
void world_node(struct world *w, unsigned int u);
/* Cut link number @i of the n * 2^(n-1) links. */
void world_nth_link(struct world *w, unsigned int i);
/* So many random links and nodes fail. */
void world_fail(struct world *w, unsigned int links, unsigned int nodes);
/* A world without those links whose bits are in @set. */
void world_set(struct world *w, unsigned int n, uint64_t set);
/* A world without at most so many random links. */
void world_random(struct world *w, unsigned int n, unsigned int links);

int world_plan(const struct world *w, enum hc_tree_method method, uint32_t sink,
	       struct hc_tree_plan *plan);
int world_fixed(const struct world *w, uint32_t sink, const char *order,
		struct hc_tree_plan *plan);
/* A world without some links, and a tree in it. */
int world_tree(struct world *w, unsigned int n, const char *links, uint32_t sink,
	       const char *order, struct hc_tree_plan *plan);
bool has_order(const struct hc_tree *t, const char *order);

void to_oracle(const struct hc_tree *t, struct oracle_tree *ot);
int check_plan(const struct world *w, const struct hc_tree *t);
/* Turn the roles that the nodes compute for themselves into a script. */
bool role_script(const struct hc_tree *t, const uint32_t *fault,
		 struct oracle_script *s);
/* Run the roles; members are those of the plan. */
bool run_roles(const struct world *w, const struct hc_tree *t,
	       struct oracle_result *r);
/* Verified, as good as it says, computed locally as it would be globally, and
 * it delivers.
 */
bool plan_holds(const struct world *w, const struct hc_tree_plan *plan);

#endif /* _PLAN_TEST_H */
