/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The user library on a real fabric of dimension 3. One process has the handles of all nodes, so it
 * must not block in a call that could wait for another node.
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
/* In a new network namespace, make a fabric with plan 1, a tree with root 0 and the order of
 * dimensions 0, 1, 2, and open a handle at every node. The namespace is removed after the test.
 */
bool set_up(void);
/* As set_up(), and install plan 2, a broadcast from node 5. */
bool set_up_bcast(void);
/* Post an operation at node @i. Only the root, node 0, has a result, which is written to @out, a
 * buffer of @max bytes. *@id: set to the id of the operation.
 */
int post(unsigned int i, const struct hcl_params *p, const void *in, size_t bytes,
	 void *out, size_t max, uint64_t *id);
/* Let all handles make progress until operation @id of handle @u has ended. Return: false after
 * about 10 s without progress.
 */
bool move_until(unsigned int u, uint64_t id);

#endif /* _HC_HANDLES_H */
