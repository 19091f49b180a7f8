/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of load balancing.
 */
#ifndef _BALANCE_TEST_H
#define _BALANCE_TEST_H

#include "balance_impl.h"
#include "check.h"
#include "ktap.h"

/* A cube with these failed nodes: "0101 0110", in binary. */
struct hc_faults *cube_without(unsigned int dim, const char *nodes);
/* A cube with so many failed nodes and links at random. */
struct hc_faults *cube_random(unsigned int dim, unsigned int nodes, unsigned int links);
/* "XX01" */
bool cube_is(unsigned int dim, const struct hc_cube *c, const char *word);
struct hc_cube cube_of(const char *word);
/* Is nothing in a subcube faulty?  Node by node, link by link. */
bool cube_sound(const struct hc_faults *f, const struct hc_cube *c);
/* What must hold of any topology, by plain computation. */
bool topo_holds(const struct hc_faults *f, const struct hc_balance_topo *t);

#endif /* _BALANCE_TEST_H */
