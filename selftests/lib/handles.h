/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The user library on a live fabric of dimension 3. One process has the handles of all nodes, so it
 * may block only in calls that are sure to return.
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
/* Make a fabric with plan 1 (sink 0, order 0, 1, 2), in a network namespace that is removed after
 * the test, and open a handle at every node.
 */
bool set_up(void);
/* As set_up(), and install plan 2, a broadcast from node 5. */
bool set_up_bcast(void);
/* Post an operation at node @i. Only the sink, node 0, has a result, which is written to @out. */
int post(unsigned int i, const struct hcl_params *p, const void *in, size_t bytes,
	 void *out, size_t max, uint64_t *id);
/* Let all handles make progress until operation @id of handle @u has ended. Return: false after 10
 * s.
 */
bool move_until(unsigned int u, uint64_t id);

#endif /* _HC_HANDLES_H */
