// SPDX-License-Identifier: GPL-2.0
/*
 * Contributions with tags; see tagged.h.
 */
#include <stdio.h>

#include <linux/hypercube.h>

#include "tagged.h"

const struct tag_kind tag_kinds[TAG_KINDS] = {
	{ HYPERCUBE_ALLREDUCE, .sums = true, .doubling = true },
	{ HYPERCUBE_ALLGATHER, .placed = true, .ring = true, .doubling = true },
	{ HYPERCUBE_BARRIER, .none = true, .doubling = true },
	{ HYPERCUBE_REDUCE, .rooted = true, .notify = true, .sums = true },
	{ HYPERCUBE_GATHER, .rooted = true, .notify = true },
	{ HYPERCUBE_REDUCE_SCATTER, .sums = true, .parts = true, .doubling = true },
	{ HYPERCUBE_ALLTOALL, .parts = true, .placed = true, .ring = true, .doubling = true },
	{ HYPERCUBE_SCATTER, .rooted = true },
};

/* Return: element @i of the block that node @from contributes for node @to. */
static uint64_t element(unsigned int from, unsigned int to, unsigned int i, uint64_t tag)
{
	unsigned int lane = i % TAG_PERIOD;

	if (lane == TAG_NODES)
		return (to + 1ull) << 8 * from;
	return lane == from ? tag : 0;
}

unsigned int tag_blocks(const struct tag_book *b, unsigned int u)
{
	if (b->kind->id == HYPERCUBE_SCATTER)
		return u == b->root ? TAG_NODES : 0;
	return b->kind->none ? 0 : b->kind->parts ? TAG_NODES : 1;
}

static bool tag_wrong(const struct tag_book *b, const struct tag_entry *e, unsigned int v,
		      uint64_t tag)
{
	printf("# operation %llu has contribution %llx of node %u: elsewhere %llx, last %llx in %llu\n",
	       (unsigned long long)e->nr, (unsigned long long)tag, v,
	       (unsigned long long)e->tag[v], (unsigned long long)b->last[v].tag,
	       (unsigned long long)b->last[v].nr);
	return false;
}

/* Record that the contribution of node @v to operation @e has the tag @tag. Return: true if other
 * results of the operation have the same tag, and if the process at @v has contributed once to each
 * operation since its last recorded contribution, so that its tags increase as the operation
 * numbers do. The first contribution of a new process need not follow any other.
 */
static bool tag_fits(struct tag_book *b, struct tag_entry *e, unsigned int v, uint64_t tag)
{
	uint64_t life = tag >> 32, was = b->last[v].tag >> 32;

	if (e->tag[v])
		return e->tag[v] == tag || tag_wrong(b, e, v, tag);
	e->tag[v] = tag;
	if (life == was && tag - b->last[v].tag != e->nr - b->last[v].nr)
		return tag_wrong(b, e, v, tag);
	if (life != was || e->nr > b->last[v].nr) {
		b->last[v].nr = e->nr;
		b->last[v].tag = tag;
	}
	return true;
}

/* Return: true if @block is the sum of the blocks that the members in @set contribute for node @to.
 */
static bool block_fits(struct tag_book *b, struct tag_entry *e, const uint64_t *block, uint32_t set,
		       unsigned int to)
{
	unsigned int i, v;

	for (v = 0; v < TAG_NODES; v++)
		if (set >> v & 1 && (!block[v] || !tag_fits(b, e, v, block[v])))
			return false;
	for (i = 0; i < b->len; i++) {
		uint64_t sum = 0;

		for (v = 0; v < TAG_NODES; v++)
			sum += set >> v & 1 ? element(v, to, i, e->tag[v]) : 0;
		if (block[i] == sum)
			continue;
		printf("# element %u is %llx, not %llx\n", i, (unsigned long long)block[i],
		       (unsigned long long)sum);
		return false;
	}
	return true;
}

/* Return: true if the @bytes bytes at @data are the right result for node @u if the members in @set
 * have contributed.
 */
static bool data_fit(struct tag_book *b, struct tag_entry *e, unsigned int u, const uint64_t *data,
		     size_t bytes, uint32_t set)
{
	bool scatters = b->kind->id == HYPERCUBE_SCATTER;
	unsigned int to = b->kind->parts || scatters ? u : 0, v, n = 0;

	if (b->kind->none || (b->kind->rooted && !scatters && !bytes))
		return !bytes;
	if (b->kind->sums || scatters) {
		if (!block_fits(b, e, data, scatters ? 1u << b->root : set, to))
			return false;
		n = 1;
	} else {
		for (v = 0; v < TAG_NODES; v++)
			if (set >> v & 1 && !block_fits(b, e, data + b->len * n++, 1u << v, to))
				return false;
	}
	return bytes == n * b->len * sizeof(uint64_t);
}

size_t tag_fill(const struct tag_book *b, unsigned int u, uint64_t tag, uint64_t *data)
{
	unsigned int n = tag_blocks(b, u) * b->len, i;

	for (i = 0; i < n; i++)
		data[i] = element(u, i / b->len, i % b->len, tag);
	return n * sizeof(*data);
}

static struct tag_entry *entry_of(struct tag_book *b, uint64_t nr)
{
	struct tag_entry *e = &b->e[nr % TAG_WINDOW];

	if (e->nr != nr || !e->by)
		*e = (struct tag_entry){ .nr = nr };
	return e;
}

const char *tag_result_wrong(struct tag_book *b, unsigned int u, uint64_t nr, const uint64_t *data,
			     size_t bytes, uint32_t set, bool refused)
{
	struct tag_entry *e = entry_of(b, nr);

	if (!(set >> u & 1))
		return "without the member itself";
	if (e->set && e->set != set)
		return "other members than elsewhere";
	e->set = set;
	if (!refused && !data_fit(b, e, u, data, bytes, set))
		return "wrong data";
	e->by |= 1u << u;
	return NULL;
}

void tag_forget(struct tag_book *b, unsigned int u)
{
	unsigned int i;

	for (i = 0; i < TAG_WINDOW; i++)
		if (b->e[i].by == 1u << u)
			b->e[i].by = 0;
}
