/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of load balancing.
 */
#ifndef _BALANCE_TEST_H
#define _BALANCE_TEST_H

#include "balance_impl.h"
#include "check.h"
#include "ktap.h"

/* Make a cube in which the nodes of the list have failed: "0101 0110", in binary. */
struct hc_faults *cube_without(unsigned int dim, const char *nodes);
/* Make a cube with up to @nodes random failed nodes and up to @links random faulty links. */
struct hc_faults *cube_random(unsigned int dim, unsigned int nodes, unsigned int links);
/* Subcubes as text, with an X for each free dimension: "XX01". cube_is(): return true if @word is
 * the text of subcube @c. cube_of(): return the subcube with the text @word.
 */
bool cube_is(unsigned int dim, const struct hc_cube *c, const char *word);
struct hc_cube cube_of(const char *word);
/* Return: true if no node and no link of the subcube is faulty; each of them is checked. */
bool cube_sound(const struct hc_faults *f, const struct hc_cube *c);
/* Return: true if all properties of a topology are right, by a simple independent computation. */
bool topo_holds(const struct hc_faults *f, const struct hc_balance_topo *t);

#endif /* _BALANCE_TEST_H */
