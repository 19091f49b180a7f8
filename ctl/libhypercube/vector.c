// SPDX-License-Identifier: GPL-2.0
/*
 * The blocking calls with blocks of different lengths. In the kernel all blocks of an operation
 * have the same length, so each block is padded to the length of the longest one. In the
 * collectives that only forward blocks, each block begins with its own length, so that no member
 * takes padding for data.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"

/* Size of the length in front of a block. */
#define HEAD	sizeof(uint64_t)

static size_t longest(const size_t *bytes, uint32_t members)
{
	size_t most = 0;
	uint32_t i;

	for (i = 0; i < members; i++)
		if (bytes[i] > most)
			most = bytes[i];
	return most;
}

/* Return: the sum of all lengths, or SIZE_MAX on overflow; malloc() of that many bytes fails. */
static size_t sum(const size_t *bytes, uint32_t members)
{
	size_t all = 0;
	uint32_t i;

	for (i = 0; i < members; i++)
		if (__builtin_add_overflow(all, bytes[i], &all))
			return SIZE_MAX;
	return all;
}

static int rank_refuse(struct hcl *h, const struct hcl_params *p, uint32_t rank, uint32_t members)
{
	return hcli_refuse(h, p, -EINVAL, "there is no place %u among %u members", rank, members);
}

static int room_refuse(struct hcl *h, const struct hcl_params *p, size_t bytes, size_t room)
{
	return hcli_refuse(h, p, -EMSGSIZE, "the result has %zu bytes, more than the room for %zu",
			   bytes, room);
}

static int members_refuse(struct hcl *h, const struct hcl_params *p, uint32_t members)
{
	return hcli_refuse(h, p, -EPROTO, "the plan does not have %u members", members);
}

/* Return: true if an allgather has ended with a result whose length is not @all bytes, so that the
 * plan has another number of members. A contribution that was refused as too long has no result.
 */
static bool members_differ(int err, const struct hypercube_result *end, size_t all)
{
	return (!err || (err == -EMSGSIZE && end->bytes)) && end->bytes != all;
}

/* ------------------------------------------------------------ reduce_scatter */

/* Copy the blocks, each padded with zeros. Return: NULL if there is no memory. */
static char *blocks_pad(const char *in, const size_t *bytes, uint32_t members, size_t block)
{
	char *v = calloc(members, block ? block : 1);
	uint32_t i;

	for (i = 0; v && i < members; i++) {
		memcpy(v + i * block, in, bytes[i]);
		in += bytes[i];
	}
	return v;
}

int hcl_reduce_scatter(struct hcl *h, const struct hcl_params *p, const void *in,
		       const size_t *bytes, uint32_t members, uint32_t rank, void *out,
		       size_t out_max, struct hypercube_result *res)
{
	struct hcl_params as = *p;
	size_t block = longest(bytes, members);
	struct hypercube_result end = {};
	char *all, *mine;
	int err;

	as.collective = HYPERCUBE_REDUCE_SCATTER;
	if (rank >= members)
		err = rank_refuse(h, &as, rank, members);
	else if (out_max < bytes[rank])
		err = room_refuse(h, &as, bytes[rank], out_max);
	else
		err = hcli_whole(h, &as, members, block) ?:
		      hcli_apart(h, &as, in, sum(bytes, members), out, out_max);
	if (err)
		return hcli_result(h, err, NULL, res);
	all = blocks_pad(in, bytes, members, block);
	/* If the plan has fewer than @members members, each member's block of the result is longer
	 * than @block.
	 */
	mine = malloc(members * block + 1);
	err = all && mine ? hcl_reduce_scatter_block(h, p, all, members * block, mine,
						     members * block, &end) :
			    hcli_failed(h, p, 0, -ENOMEM);
	if (!err && end.bytes != block)
		err = members_refuse(h, p, members);
	if (!err)
		memcpy(out, mine, bytes[rank]);
	free(all);
	free(mine);
	return hcli_result(h, err, &end, res);
}

/* ------------------------------------------------------------ blocks that are forwarded */

/* Append a block with its length, padded to @block bytes. Return: the end of it. */
static char *block_put(char *to, const char *in, size_t bytes, size_t block)
{
	uint64_t head = bytes;

	memcpy(to, &head, HEAD);
	memcpy(to + HEAD, in, bytes);
	memset(to + HEAD + bytes, 0, block - bytes);
	return to + HEAD + block;
}

/* Allocate space for @members blocks of at most @block bytes, each with its length. Return: NULL if
 * there is no memory.
 */
static char *blocks_room(uint32_t members, size_t block)
{
	size_t one, all;

	if (__builtin_add_overflow(block, HEAD, &one) || __builtin_mul_overflow(one, members, &all))
		return NULL;
	return malloc(all ? all : 1);
}

/* Check that one call can send @members blocks of @block bytes, each with its length. Return: 0, or
 * -EMSGSIZE with an explanation.
 */
static int blocks_check(struct hcl *h, const struct hcl_params *p, uint32_t members, size_t block)
{
	size_t one;

	return hcli_whole(h, p, members,
			  __builtin_add_overflow(block, HEAD, &one) ? SIZE_MAX : one);
}

/* Copy the received blocks to @out, one after another without padding, and check their lengths. The
 * length in front of a block was sent by another member, so it does not prove that as many bytes
 * arrived. Return: 0, or -EPROTO if a block does not have the length in @bytes.
 */
static int blocks_take(struct hcl *h, const struct hcl_params *p, const char *in, size_t block,
		       char *out, const size_t *bytes, uint32_t members)
{
	uint64_t head;
	uint32_t i;

	for (i = 0; i < members; i++, in += HEAD + block) {
		memcpy(&head, in, HEAD);
		if (head != bytes[i] || head > block)
			return hcli_refuse(h, p, -EPROTO,
					   "member %u of %u says %llu bytes in a block of %zu, not %zu",
					   i, members, (unsigned long long)head, block, bytes[i]);
		memcpy(out, in + HEAD, bytes[i]);
		out += bytes[i];
	}
	return 0;
}

int hcl_allgatherv(struct hcl *h, uint32_t plan, const void *in, const size_t *bytes,
		   uint32_t members, uint32_t rank, void *out, size_t out_max, unsigned int flags,
		   struct hypercube_result *res)
{
	const struct hcl_params p = {
		.plan = plan, .collective = HYPERCUBE_ALLGATHER, .flags = flags,
	};
	size_t block = longest(bytes, members), total = sum(bytes, members);
	struct hypercube_result end = {};
	char *all, *mine;
	int err;

	if (rank >= members)
		err = rank_refuse(h, &p, rank, members);
	else if (out_max < total)
		err = room_refuse(h, &p, total, out_max);
	else
		err = blocks_check(h, &p, members, block) ?:
		      hcli_apart(h, &p, in, bytes[rank], out, out_max);
	if (err)
		return hcli_result(h, err, NULL, res);
	all = blocks_room(members, block);
	mine = blocks_room(1, block);
	if (mine)
		block_put(mine, in, bytes[rank], block);
	err = all && mine ? hcl_allgather(h, plan, mine, HEAD + block, all,
					  members * (HEAD + block), flags, &end) :
			    hcli_failed(h, &p, 0, -ENOMEM);
	if (members_differ(err, &end, members * (HEAD + block)))
		err = members_refuse(h, &p, members);
	if (!err)
		err = blocks_take(h, &p, all, block, out, bytes, members);
	free(all);
	free(mine);
	return hcli_result(h, err, &end, res);
}

/* Agree with all members on *@block, the length of the longest block that any member sends to
 * another.
 */
static int block_agree(struct hcl *h, const struct hcl_params *p, uint32_t members, size_t mine,
		       size_t *block)
{
	uint64_t most = mine, *all = calloc(members ? members : 1, sizeof(*all));
	struct hypercube_result end = {};
	uint32_t i;
	int err;

	err = all ? hcl_allgather(h, p->plan, &most, sizeof(most), all, members * sizeof(most), 0,
				  &end) :
		    hcli_failed(h, p, 0, -ENOMEM);
	if (members_differ(err, &end, members * sizeof(most)))
		err = members_refuse(h, p, members);
	for (i = 0; !err && i < members; i++)
		if (all[i] > most)
			most = all[i];
	/* malloc() of that many bytes would fail. */
	if (!err && most > SIZE_MAX)
		err = hcli_failed(h, p, 0, -ENOMEM);
	*block = most;
	free(all);
	return err;
}

/* Run the alltoall with blocks of at most @block bytes. */
static int exchange(struct hcl *h, const struct hcl_params *p, const char *in,
		    const size_t *in_bytes, char *out, const size_t *out_bytes, uint32_t members,
		    size_t block, struct hypercube_result *res)
{
	char *from = blocks_room(members, block), *to = blocks_room(members, block), *at = from;
	size_t all = members * (HEAD + block);
	struct hypercube_result end = {};
	uint32_t i;
	int err;

	for (i = 0; from && i < members; i++) {
		at = block_put(at, in, in_bytes[i], block);
		in += in_bytes[i];
	}
	err = from && to ? hcl_alltoall(h, p->plan, from, all, to, all, &end) :
			   hcli_failed(h, p, 0, -ENOMEM);
	if (!err)
		err = blocks_take(h, p, to, block, out, out_bytes, members);
	free(from);
	free(to);
	return hcli_result(h, err, &end, res);
}

int hcl_alltoallv(struct hcl *h, uint32_t plan, const void *in, const size_t *in_bytes, void *out,
		  const size_t *out_bytes, uint32_t members, size_t out_max,
		  struct hypercube_result *res)
{
	const struct hcl_params p = { .plan = plan, .collective = HYPERCUBE_ALLTOALL };
	size_t total = sum(out_bytes, members), gives = sum(in_bytes, members), block;
	int err = 0;

	/* blocks_check() refuses blocks that are too long only after all members have agreed on the
	 * longest length. So all members refuse them.
	 */
	if (out_max < total)
		err = room_refuse(h, &p, total, out_max);
	else if (gives < SIZE_MAX)
		err = hcli_apart(h, &p, in, gives, out, out_max);
	err = err ?: block_agree(h, &p, members, longest(in_bytes, members), &block);
	err = err ?: blocks_check(h, &p, members, block);
	if (err)
		return hcli_result(h, err, NULL, res);
	return exchange(h, &p, in, in_bytes, out, out_bytes, members, block, res);
}
