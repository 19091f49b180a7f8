/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of the planners: a cube with faults for the planner and for the oracle, and a
 * check of all properties of a plan.
 */
#ifndef _PLAN_TEST_H
#define _PLAN_TEST_H

#include "oracle.h"
#include "plan.h"
#include "check.h"
#include "ktap.h"

/* A cube with faults, for the oracle (@o) and for the planner (@f). */
struct world {
	struct oracle o;
	struct hc_faults *f;
};

void world_init(struct world *w, unsigned int n);
void world_free(struct world *w);
/* Make the link between two nodes, which differ in one bit, faulty. */
void world_link(struct world *w, unsigned int u, unsigned int v);
/* Set up a cube of dimension @n with the faulty links @links: "0-1 b-a", nodes in hexadecimal. */
void world_links(struct world *w, unsigned int n, const char *links);
/* Free a cube and a plan for it. */
void world_end(struct world *w, struct hc_tree_plan *p);
void world_node(struct world *w, unsigned int u);
/* Make link number @i of the n * 2^(n-1) links faulty. */
void world_nth_link(struct world *w, unsigned int i);
/* Make up to @links random links faulty, and let up to @nodes random nodes fail. */
void world_fail(struct world *w, unsigned int links, unsigned int nodes);
/* Set up a cube in which the links whose bits are in @set are faulty. */
void world_set(struct world *w, unsigned int n, uint64_t set);
/* Set up a cube with up to @links random faulty links. */
void world_random(struct world *w, unsigned int n, unsigned int links);

int world_plan(const struct world *w, enum hc_tree_method method, uint32_t sink,
	       struct hc_tree_plan *plan);
/* Make the plan of a given sink and order, "0123". */
int world_fixed(const struct world *w, uint32_t sink, const char *order,
		struct hc_tree_plan *plan);
/* Set up a cube as world_links() does, and make the plan with this sink and order. */
int world_tree(struct world *w, unsigned int n, const char *links, uint32_t sink,
	       const char *order, struct hc_tree_plan *plan);
/* Return: true if the tree has this order. */
bool has_order(const struct hc_tree *t, const char *order);

void to_oracle(const struct hc_tree *t, struct oracle_tree *ot);
/* Return: what hc_tree_check() returns. */
int check_plan(const struct world *w, const struct hc_tree *t);
/* Make a script of the roles that the nodes compute for themselves. Return: false if a role depends
 * on FAULT words that its node does not know.
 */
bool role_script(const struct hc_tree *t, const uint32_t *fault,
		 struct oracle_script *s);
/* Run the script of role_script() with the members of the plan. Return: as role_script(). */
bool run_roles(const struct world *w, const struct hc_tree *t,
	       struct oracle_result *r);
/* Check a plan: the verifier accepts it, its properties are right, the roles that the nodes compute
 * from local knowledge are those computed with knowledge of the whole cube, and all data arrives.
 */
bool plan_holds(const struct world *w, const struct hc_tree_plan *plan);

#endif /* _PLAN_TEST_H */
