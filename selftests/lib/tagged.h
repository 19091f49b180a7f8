/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contributions that say whose they are. Each carries a tag, the number of its process and how often
 * that process has contributed, so the result of any collective shows which contributions are in
 * it. Results are checked against each other, and the tags of each process against their order.
 */
#ifndef _HC_TAGGED_H
#define _HC_TAGGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of members of the plan. */
#define TAG_NODES	8
/* Operations whose results are compared; more than a member can be ahead of another one. */
#define TAG_WINDOW	64
/* Elements of a period of a block: one for the tag of each member, and a sum. */
#define TAG_PERIOD	(TAG_NODES + 1)

/**
 * struct tag_kind - a collective
 * @id: HYPERCUBE_*
 * @rooted: only the root gets data, or gives any
 * @notify: members that get none ask for a notification of the end
 * @sums: the result has the sums of the members' elements
 * @parts: a member gives a block for each member
 * @placed: pieces of a result come to their places in any order
 * @none: it has no data
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

/* All collectives; the first TAG_KINDS_OF_ANY give no block for each member, so they go on when
 * members come.
 */
#define TAG_KINDS		8
#define TAG_KINDS_OF_ANY	5
extern const struct tag_kind tag_kinds[TAG_KINDS];

/**
 * struct tag_entry - what is known of an operation
 * @nr: its number
 * @by: set of the members that have its result
 * @set: the members that are in the result; 0: not known yet
 * @tag: the tag of each member in it; 0: not known yet
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

/* Return: number of blocks that node @u gives. */
unsigned int tag_blocks(const struct tag_book *b, unsigned int u);
/* Fill @data with the contribution of node @u. Return: its bytes. */
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
