/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contributions with tags. The upper half of a tag is the number of a process among those that have
 * run at its node, the lower half counts the contributions of this process. So the result of any
 * collective shows which contributions it has. All results of an operation must have the same tags,
 * and the tags of a process must increase as the numbers of operations do.
 */
#ifndef _HC_TAGGED_H
#define _HC_TAGGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of members of the plan. */
#define TAG_NODES	8
/* Number of the last operations whose results are compared. No member is ahead of another by this
 * number of operations.
 */
#define TAG_WINDOW	64
/* The elements of a block repeat after this number: one element for the tag of each member, and one
 * for a sum.
 */
#define TAG_PERIOD	(TAG_NODES + 1)

/**
 * struct tag_kind - a collective
 * @id: HYPERCUBE_*
 * @rooted: only the root gets data, or only the root contributes data
 * @notify: members that get no data request a notification of the end
 * @sums: the result has the sums of the members' elements
 * @parts: a member contributes a block for each member
 * @placed: the blocks of a result arrive in any order, each at its offset
 * @none: operations have no data
 * @ring: plans of rings can run it
 * @doubling: plans of recursive doubling can run it
 */
struct tag_kind {
	unsigned int id;
	bool rooted;
	bool notify;
	bool sums;
	bool parts;
	bool placed;
	bool none;
	bool ring;
	bool doubling;
};

/* All collectives. In the first TAG_KINDS_OF_ANY of them, a contribution does not have a block for
 * each member, so its length does not change when members join.
 */
#define TAG_KINDS		8
#define TAG_KINDS_OF_ANY	5
extern const struct tag_kind tag_kinds[TAG_KINDS];

/**
 * struct tag_entry - an operation, as its results have shown it
 * @nr: its number
 * @by: set of the members that have received its result
 * @set: set of the members whose contributions are in the result; 0: not yet known
 * @tag: for each member, the tag of its contribution; 0: not yet known
 */
struct tag_entry {
	uint64_t nr;
	uint32_t by;
	uint32_t set;
	uint64_t tag[TAG_NODES];
};

/**
 * struct tag_book - the results of a plan's operations
 * @kind: the collective
 * @len: number of elements of a block
 * @root: the root of rooted collectives
 * @e: the last operations; operation n is at index n modulo TAG_WINDOW
 * @last: for each node, the number of the last operation with its contribution, and the tag
 */
struct tag_book {
	const struct tag_kind *kind;
	unsigned int len;
	unsigned int root;
	struct tag_entry e[TAG_WINDOW];
	struct { uint64_t nr, tag; } last[TAG_NODES];
};

/* Return: number of blocks that node @u contributes. */
unsigned int tag_blocks(const struct tag_book *b, unsigned int u);
/* Fill @data with the contribution of node @u that has the tag @tag. Return: its length in bytes.
 */
size_t tag_fill(const struct tag_book *b, unsigned int u, uint64_t tag, uint64_t *data);
/* Check the result of operation @nr that node @u has received: @bytes at @data, with the
 * contributions of the members in @set. @refused: node @u has received no data, only the set.
 * Return: NULL, or a sentence that says what is wrong.
 */
const char *tag_result_wrong(struct tag_book *b, unsigned int u, uint64_t nr, const uint64_t *data,
			     size_t bytes, uint32_t set, bool refused);
/* Forget operations whose result only node @u has received, because the kernel may run them again,
 * without the contribution of node @u.
 */
void tag_forget(struct tag_book *b, unsigned int u);

#endif /* _HC_TAGGED_H */
