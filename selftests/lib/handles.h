/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The user library on a live fabric of dimension 3.  One process holds the handles
 * of all nodes, so nothing may block but what is bound to end.
 */
#ifndef _HC_HANDLES_H
#define _HC_HANDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libhypercube.h"

#define FABRIC	"lib"
#define NODES	8
#define PLAN	1

extern const struct hcl_params sum64;
extern struct hcl *h[NODES];

int tool(const char *command);
/* A fresh fabric with plan 1, sink 0, order 0, 1, 2, in a network namespace that ends
 * with the test; a handle for every node.
 */
bool set_up(void);
/* The same, and beside the tree plan 2, a broadcast by node 5. */
bool set_up_bcast(void);
/* A contribution of node @i; only the sink, node 0, has use for @out. */
int post(unsigned int i, const struct hcl_params *p, const void *in, size_t bytes,
	 void *out, size_t max, uint64_t *id);
/* Make all handles move until @id of handle @u is over; false after 10 s. */
bool move_until(unsigned int u, uint64_t id);

#endif /* _HC_HANDLES_H */
