/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contributions with tags. A tag consists of the number of a process at its node and of how often
 * that process has contributed, so the result of any collective shows which contributions are in
 * it. The results of an operation must agree with each other, and the tags of a process must follow
 * the numbers of operations.
 */
#ifndef _HC_TAGGED_H
#define _HC_TAGGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of members of the plan. */
#define TAG_NODES	8
/* Number of the last operations whose results are compared. A member is never so far ahead of
 * another one.
 */
#define TAG_WINDOW	64
/* Number of elements after which those of a block repeat: one for the tag of each member, and a
 * sum.
 */
#define TAG_PERIOD	(TAG_NODES + 1)

/**
 * struct tag_kind - a collective
 * @id: HYPERCUBE_*
 * @rooted: only the root gets data, or only the root contributes any
 * @notify: members that get no data request a notification of the end
 * @sums: the result has the sums of the members' elements
 * @parts: a member contributes a block for each member
 * @placed: blocks of a result arrive in any order, each at its offset
 * @none: operations have no data
 * @ring: rings carry it
 * @doubling: recursive doubling carries it
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

/* All collectives. In the first TAG_KINDS_OF_ANY a member does not contribute a block for each
 * member, so operations go on when members join.
 */
#define TAG_KINDS		8
#define TAG_KINDS_OF_ANY	5
extern const struct tag_kind tag_kinds[TAG_KINDS];

/**
 * struct tag_entry - what is known of an operation
 * @nr: its number
 * @by: set of the members that have received its result
 * @set: set of the members whose contributions are in the result; 0: not known yet
 * @tag: for each member, the tag of its contribution; 0: not known yet
 */
struct tag_entry {
	uint64_t nr;
	uint32_t by;
	uint32_t set;
	uint64_t tag[TAG_NODES];
};

/**
 * struct tag_book - what all results have shown
 * @kind: the collective
 * @len: elements of a block
 * @root: the root of rooted collectives
 * @e: the last operations, by number
 * @last: number and tag of the last contribution of each node that a result has shown
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
/* Fill @data with the contribution of node @u. Return: its length in bytes. */
size_t tag_fill(const struct tag_book *b, unsigned int u, uint64_t tag, uint64_t *data);
/* Check the result of operation @nr that node @u has received: @bytes at @data, from the members in
 * @set. @refused: the node has received no data, but which members took part. Return: NULL, or what
 * is wrong.
 */
const char *tag_result_wrong(struct tag_book *b, unsigned int u, uint64_t nr, const uint64_t *data,
			     size_t bytes, uint32_t set, bool refused);
/* Results that only node @u has received may be computed again, without its contribution. */
void tag_forget(struct tag_book *b, unsigned int u);

#endif /* _HC_TAGGED_H */
