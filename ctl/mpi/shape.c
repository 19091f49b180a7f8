// SPDX-License-Identifier: GPL-2.0
/*
 * The vector of each collective: its length, which ranks contribute which part of it, and which
 * ranks take which part of the result. component.h explains what vectors are.
 */
#include <stdlib.h>
#include <string.h>

#include "component.h"

/* The length of the vector. */
enum unit {
	NO_WAY,		/* there is no vector: the call goes below */
	ONE,		/* one block */
	RANKS,		/* a block for each rank */
	COUNTS,		/* as RANKS, of different lengths, which all ranks know */
	LENGTHS,	/* as RANKS; a rank knows only its own block's length, the root all */
	SQUARE,		/* a block from each rank for each rank */
	LENGTHS_SQUARE,	/* as SQUARE; a rank knows only the lengths of its own blocks */
};

/* A part of the vector. */
enum part {
	WHOLE,
	MINE,		/* the block of this rank */
	ROW,		/* of a SQUARE: the blocks from this rank */
	COLUMN,		/* of a SQUARE: the blocks for this rank */
};

/* The blocks of the result that a rank combines itself, by any operator of MPI. */
enum fold {
	NO_FOLD,
	INCLUSIVE,	/* the blocks of all ranks up to this one */
	EXCLUSIVE,	/* the blocks of the ranks before this one */
};

/* A set of ranks. */
enum who { NONE, ALL, ROOT, OTHERS };

/**
 * struct shape - the vector of a collective
 * @name: name of the call
 * @collective: enum hypercube_collective, or 0: allreduce
 * @reduces: the call's operator combines the contributions; otherwise each rank fills a different
 *	part of the vector
 * @unit: length of the vector
 * @give: ranks that contribute
 * @given: part of the vector that each of these ranks contributes
 * @take: ranks that take something from the result
 * @taken_part: part of the vector that each of these ranks takes
 * @by_send: if there is a root: the length of a block is that of the block that any other rank
 *	sends, or that the root receives; false: of the block that the root sends, or that any other
 *	rank receives
 * @fold: which blocks each rank combines itself in the end
 */
struct shape {
	const char *name;
	uint8_t collective;
	bool reduces;
	enum unit unit;
	enum who give;
	enum part given;
	enum who take;
	enum part taken_part;
	bool by_send;
	enum fold fold;
};

static const struct shape shapes[HCM_WHAT_NR] = {
	[HCM_allreduce] = { "Allreduce", 0, true, ONE, ALL, WHOLE, ALL, WHOLE },
	[HCM_reduce] = { "Reduce", 0, true, ONE, ALL, WHOLE, ROOT, WHOLE, true },
	[HCM_bcast] = { "Bcast", 0, false, ONE, ROOT, WHOLE, OTHERS, WHOLE },
	[HCM_barrier] = { "Barrier", HYPERCUBE_BARRIER, false, ONE },
	[HCM_gather] = { "Gather", 0, false, RANKS, ALL, MINE, ROOT, WHOLE, true },
	[HCM_scatter] = { "Scatter", 0, false, RANKS, ROOT, WHOLE, ALL, MINE },
	[HCM_allgather] = { "Allgather", 0, false, RANKS, ALL, MINE, ALL, WHOLE },
	[HCM_allgatherv] = { "Allgatherv", 0, false, COUNTS, ALL, MINE, ALL, WHOLE },
	[HCM_alltoall] = { "Alltoall", 0, false, SQUARE, ALL, ROW, ALL, COLUMN },
	[HCM_reduce_scatter] = { "Reduce_scatter", 0, true, COUNTS, ALL, WHOLE, ALL, MINE },
	[HCM_reduce_scatter_block] = {
		"Reduce_scatter_block", 0, true, RANKS, ALL, WHOLE, ALL, MINE
	},
	[HCM_gatherv] = { "Gatherv", 0, false, LENGTHS, ALL, MINE, ROOT, WHOLE, true },
	[HCM_scatterv] = { "Scatterv", 0, false, LENGTHS, ROOT, WHOLE, ALL, MINE },
	[HCM_alltoallv] = {
		"Alltoallv", 0, false, LENGTHS_SQUARE, ALL, ROW, ALL, COLUMN
	},
	[HCM_alltoallw] = {
		"Alltoallw", 0, false, LENGTHS_SQUARE, ALL, ROW, ALL, COLUMN
	},
	[HCM_scan] = { "Scan", 0, false, RANKS, ALL, MINE, ALL, WHOLE, .fold = INCLUSIVE },
	[HCM_exscan] = {
		"Exscan", 0, false, RANKS, ALL, MINE, ALL, WHOLE, .fold = EXCLUSIVE
	},
	[HCM_neighbor_allgather] = { "Neighbor_allgather" },
	[HCM_neighbor_allgatherv] = { "Neighbor_allgatherv" },
	[HCM_neighbor_alltoall] = { "Neighbor_alltoall" },
	[HCM_neighbor_alltoallv] = { "Neighbor_alltoallv" },
	[HCM_neighbor_alltoallw] = { "Neighbor_alltoallw" },
};

const char *hcm_what_name(enum hcm_what what)
{
	return shapes[what].name;
}

/* Return: true if this rank is in the set @who. */
static bool takes_part(const struct hcm_comm *m, const struct hcm_call *c, enum who who)
{
	return who == ALL || (who == ROOT && m->rank == c->root) ||
	       (who == OTHERS && m->rank != c->root);
}

/* --- the vector: bytes in the kernel --- */

static bool is_square(enum unit unit)
{
	return unit == SQUARE || unit == LENGTHS_SQUARE;
}

/* Return: true if the ranks must exchange the lengths of the blocks first. */
static bool has_lengths(enum unit unit)
{
	return unit == LENGTHS || unit == LENGTHS_SQUARE;
}

/* Return: the number of blocks of the vector. */
static size_t blocks(const struct hcm_comm *m, enum unit unit)
{
	if (unit == ONE)
		return 1;
	return is_square(unit) ? (size_t)m->size * m->size : (size_t)m->size;
}

/* Return: the length of a block, bytes, if all blocks have the same length. */
static size_t block_bytes(const struct hcm_comm *m, const struct hcm_call *c,
			  const struct hcm_type *t)
{
	const struct shape *s = &shapes[c->what];
	bool rooted = s->give == ROOT || s->take == ROOT;
	bool send = rooted && (m->rank == c->root) != s->by_send;

	return hcm_side_bytes(send ? &c->send : &c->recv, 0, t);
}

/* Return: the offset of block @n in the vector, bytes, if all ranks know the lengths. */
static size_t known_at(const struct hcm_comm *m, const struct hcm_call *c,
		       const struct hcm_type *t, size_t n)
{
	if (shapes[c->what].unit == COUNTS)
		return hcm_side_before(c->send.counts ? &c->send : &c->recv, n, t);
	return n * block_bytes(m, c, t);
}

static size_t block_at(const struct hcm_op *op, size_t n)
{
	return op->at ? op->at[n] : known_at(op->comm, &op->call, &op->type, n);
}

/* Return: true if the vector goes to all ranks although each rank needs only a part of it. */
static bool is_wide(const struct shape *s)
{
	return is_square(s->unit) || s->fold;
}

/* Return: HCM_TAKEN, or the reason why a call with a vector of @bytes bytes goes below. */
static enum hcm_reason check_bytes(const struct hcm_comm *m, enum hcm_what what, size_t bytes)
{
	if (is_wide(&shapes[what]) && bytes > HCM_SQUARE_MAX)
		return HCM_LONG;
	return hcm_limits_below(what, m->size, bytes) ? HCM_SLOW : HCM_TAKEN;
}

/* As check_bytes(), if the ranks must exchange the lengths first. Only a blocking call may wait for
 * the lengths and then go below.
 */
static enum hcm_reason check_unknown(const struct hcm_comm *m, enum hcm_what what, bool blocking)
{
	if (hcm_limits_all(what, m->size))
		return HCM_SLOW;
	if (!blocking && (is_wide(&shapes[what]) || hcm_limits_any(what, m->size)))
		return HCM_LENGTHS;
	return HCM_TAKEN;
}

enum hcm_reason hcm_shape_check(const struct hcm_comm *m, const struct hcm_call *c, bool blocking,
				struct hcm_type *type)
{
	const struct shape *s = &shapes[c->what];
	enum hcm_reason reason;

	*type = (struct hcm_type){ 0 };
	if (s->unit == NO_WAY)
		return HCM_CALL;
	if (s->reduces) {
		reason = hcm_type_find(c->op, c->send.dt, type);
		if (reason != HCM_TAKEN)
			return reason;
	}
	if (has_lengths(s->unit))
		return check_unknown(m, c->what, blocking);
	return check_bytes(m, c->what, known_at(m, c, type, blocks(m, s->unit)));
}

/* --- what this rank gives --- */

/* Return: the first block of the vector to which this rank contributes. */
static size_t given_block(const struct hcm_op *op)
{
	enum part part = shapes[op->call.what].given;
	size_t rank = op->comm->rank;

	return part == MINE ? rank : part == ROW ? rank * op->comm->size : 0;
}

/* Set the contribution of this rank. With MPI_IN_PLACE the result overwrites the contribution. That
 * is safe if a result has the offset in the vector of the contribution that it overwrites, or a
 * higher one, since chunks are sent in ascending order. For a ROW this is not so, and the
 * contribution is copied.
 */
static int give(struct hcm_op *op)
{
	const struct hcm_call *c = &op->call;
	const struct shape *s = &shapes[c->what];
	bool in_place = c->send.buf == MPI_IN_PLACE;
	/* With MPI_IN_PLACE the contribution is in the buffer of the result. Its blocks are those
	 * of @send if blocks are combined, otherwise those of @recv.
	 */
	bool as_sent = !in_place || s->reduces || s->fold;
	struct hcm_side side = as_sent ? c->send : c->recv;
	int first = s->given == MINE && !as_sent ? op->comm->rank : 0;
	int nr = s->given == MINE || s->unit == ONE ? 1 : op->comm->size;

	if (in_place)
		side.buf = c->recv.buf;
	op->give_len = hcm_side_before(&side, first + nr, &op->type) -
		       hcm_side_before(&side, first, &op->type);
	op->give_at = block_at(op, given_block(op));
	op->give = hcm_side_plain(&side, first, nr, &op->type);
	if (op->give && !(in_place && s->given == ROW))
		return MPI_SUCCESS;
	op->packed_in = malloc(op->give_len ?: 1);
	if (!op->packed_in)
		return MPI_ERR_NO_MEM;
	hcm_side_pack(&side, first, nr, &op->type, op->packed_in);
	op->give = op->packed_in;
	return MPI_SUCCESS;
}

/* --- what it takes --- */

/* Return: the number of blocks that this rank takes. taken_block() returns the index in the vector
 * of the @i-th of these blocks.
 */
static int taken_blocks(const struct hcm_op *op)
{
	const struct shape *s = &shapes[op->call.what];

	return s->taken_part == MINE || s->unit == ONE || s->fold ? 1 : op->comm->size;
}

static size_t taken_block(const struct hcm_op *op, int i)
{
	enum part part = shapes[op->call.what].taken_part;

	return part == MINE ? (size_t)op->comm->rank :
	       part == COLUMN ? (size_t)i * op->comm->size + op->comm->rank : (size_t)i;
}

/* Add a piece. Join it with the last piece if both are adjacent in the vector and in the result. */
static void piece_add(struct hcm_op *op, size_t at, size_t len, size_t to)
{
	struct hcm_piece *last = op->pieces ? &op->piece[op->pieces - 1] : NULL;

	if (last && last->at + last->len == at && last->to + last->len == to)
		last->len += len;
	else if (len)
		op->piece[op->pieces++] = (struct hcm_piece){ at, len, to };
}

/* List the pieces of the vector that this rank takes. Return: an error of MPI. */
static int take_pieces(struct hcm_op *op)
{
	int i, nr = taken_blocks(op);
	size_t at, len, to = 0, room;

	op->piece = nr > 1 ? malloc(nr * sizeof(*op->piece)) : &op->one;
	if (!op->piece)
		return MPI_ERR_NO_MEM;
	for (i = 0; i < nr; i++, to += room) {
		at = block_at(op, taken_block(op, i));
		len = block_at(op, taken_block(op, i) + 1) - at;
		room = hcm_side_bytes(&op->call.recv, i, &op->type);
		if (len > room)
			op->error = MPI_ERR_TRUNCATE;
		piece_add(op, at, len < room ? len : room, to);
	}
	return MPI_SUCCESS;
}

/* Set what this rank takes from the result, and memory for it. Return: an error of MPI. */
static int take(struct hcm_op *op)
{
	const struct hcm_call *c = &op->call;
	const struct shape *s = &shapes[c->what];
	int nr = taken_blocks(op), rc = MPI_SUCCESS;
	size_t bytes = s->fold ? op->total : hcm_side_before(&c->recv, nr, &op->type);

	if (s->taken_part == WHOLE && !op->at) {
		op->piece = &op->one;
		op->one = (struct hcm_piece){ 0, bytes, 0 };
		op->pieces = 1;
	} else {
		rc = take_pieces(op);
	}
	op->take = s->fold ? NULL : hcm_side_plain(&c->recv, 0, nr, &op->type);
	if (op->take || rc != MPI_SUCCESS)
		return rc;
	op->packed_out = malloc(bytes ?: 1);
	op->take = op->packed_out;
	return op->take ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* Unpack the pieces that this rank has taken to the caller's buffer, perhaps after the call has
 * returned, so that the copies of the call's arrays are needed.
 */
static void unpack(const struct hcm_op *op)
{
	const struct hcm_side *recv = &op->call.recv;
	struct hcm_side whole = *recv;
	const char *from = op->packed_out;
	size_t n, len = 0;
	int i;

	for (n = 0; n < op->pieces; n++)
		len += op->piece[n].len;
	whole.count *= taken_blocks(op);
	if (!recv->counts)
		hcm_side_unpack(&whole, 0, len, &op->type, from);
	for (i = 0; recv->counts && i < taken_blocks(op); i++) {
		n = taken_block(op, i);
		len = block_at(op, n + 1) - block_at(op, n);
		hcm_side_unpack(recv, i, len, &op->type, from);
		from += hcm_side_bytes(recv, i, &op->type);
	}
}

/* Combine the blocks of the result up to that of this rank. PMPI_Reduce_local() puts its input
 * before the other operand, and operators need not be commutative, so begin with the last block.
 */
static int fold(const struct hcm_op *op)
{
	const struct hcm_side *recv = &op->call.recv;
	int r = op->comm->rank - (shapes[op->call.what].fold == EXCLUSIVE), rc = MPI_SUCCESS;
	size_t bytes = hcm_side_bytes(recv, 0, &op->type);
	const char *block = op->packed_out;
	struct hcm_side side = *recv;
	ptrdiff_t gap;
	char *other;

	if (r < 0)
		return MPI_SUCCESS;
	other = malloc(opal_datatype_span(&recv->dt->super, recv->count, &gap) ?: 1);
	if (!other)
		return MPI_ERR_NO_MEM;
	side.buf = other - gap;
	hcm_side_unpack(recv, 0, bytes, &op->type, block + r * bytes);
	while (rc == MPI_SUCCESS && r--) {
		hcm_side_unpack(&side, 0, bytes, &op->type, block + r * bytes);
		rc = PMPI_Reduce_local(side.buf, recv->buf, recv->count, recv->dt, op->call.op);
	}
	free(other);
	return rc;
}

/* --- operations --- */

/* Copy an array to *@memory, and advance *@memory. Return: the copy. */
static void *keep_array(const void *array, size_t bytes, char **memory)
{
	void *copy = *memory;

	if (!array)
		return NULL;
	*memory += bytes;
	return memcpy(copy, array, bytes);
}

static void keep_side(struct hcm_side *s, int size, char **memory)
{
	s->dts = keep_array(s->dts, size * sizeof(*s->dts), memory);
	s->counts = keep_array(s->counts, size * sizeof(int), memory);
	s->displs = keep_array(s->displs, size * sizeof(int), memory);
}

int hcm_call_keep(struct hcm_call *c, int size, void **arrays)
{
	char *memory;

	*arrays = NULL;
	/* With MPI_IN_PLACE the arrays of the blocks to send may have any value. */
	if (has_lengths(shapes[c->what].unit) && c->send.buf == MPI_IN_PLACE)
		c->send = (struct hcm_side){ .buf = MPI_IN_PLACE };
	if (!c->send.counts && !c->recv.counts)
		return MPI_SUCCESS;
	/* Each side has its array of types first, so that it is aligned. */
	memory = malloc(2 * size * (sizeof(*c->send.dts) + 2 * sizeof(int)));
	if (!memory)
		return MPI_ERR_NO_MEM;
	*arrays = memory;
	keep_side(&c->send, size, &memory);
	keep_side(&c->recv, size, &memory);
	return MPI_SUCCESS;
}

/* Prepare the vector of the blocks. Return: an error of MPI. */
static int shape_data(struct hcm_op *op)
{
	const struct shape *s = &shapes[op->call.what];
	int rc = MPI_SUCCESS;

	op->total = block_at(op, blocks(op->comm, s->unit));
	if (takes_part(op->comm, &op->call, s->give))
		rc = give(op);
	if (rc == MPI_SUCCESS && takes_part(op->comm, &op->call, s->take) &&
	    (op->call.recv.dt || op->call.recv.dts))
		rc = take(op);
	return rc;
}

/* Prepare the vector of the lengths of all blocks. Each rank contributes the lengths that it knows,
 * and takes all lengths.
 */
static int shape_ask(struct hcm_op *op)
{
	const struct hcm_call *c = &op->call;
	const struct shape *s = &shapes[c->what];
	bool in_place = c->send.buf == MPI_IN_PLACE;
	const struct hcm_side *side = in_place ? &c->recv : &c->send;
	size_t n = blocks(op->comm, s->unit), first = given_block(op), nr = 0, i;
	int rank = op->comm->rank;

	op->at = calloc(n + 1, sizeof(*op->at));
	if (!op->at)
		return MPI_ERR_NO_MEM;
	if (takes_part(op->comm, c, s->give))
		nr = s->given == MINE ? 1 : op->comm->size;
	for (i = 0; i < nr; i++)
		op->at[first + i] = hcm_side_bytes(side, in_place && nr == 1 ? rank : (int)i,
						   &op->type);
	op->asks = true;
	op->total = n * sizeof(*op->at);
	op->give_at = first * sizeof(*op->at);
	op->give_len = nr * sizeof(*op->at);
	op->give = (char *)&op->at[first];
	op->take = (char *)op->at;
	op->piece = &op->one;
	op->one = (struct hcm_piece){ 0, op->total, 0 };
	op->pieces = 1;
	return MPI_SUCCESS;
}

int hcm_shape_op(const struct hcm_call *c, struct hcm_op *op)
{
	const struct shape *s = &shapes[c->what];
	int rc;

	op->call = *c;
	op->collective = s->collective ?: HYPERCUBE_ALLREDUCE;
	rc = hcm_call_keep(&op->call, op->comm->size, &op->arrays);
	if (rc != MPI_SUCCESS)
		return rc;
	return has_lengths(s->unit) ? shape_ask(op) : shape_data(op);
}

int hcm_shape_lengths(struct hcm_op *op)
{
	size_t n = blocks(op->comm, shapes[op->call.what].unit), i;
	uint64_t sum = 0, len;

	for (i = 0; i < n; i++) {
		len = op->at[i];
		op->at[i] = sum;
		sum += len;
	}
	op->at[n] = sum;
	op->asks = false;
	op->give_len = 0;
	op->take = NULL;
	op->pieces = 0;
	op->posted = 0;
	op->finished = 0;
	op->total = sum;
	/* A nonblocking call never goes below here: it is taken only if it may have any length. */
	op->below = check_bytes(op->comm, op->call.what, sum);
	return op->below ? MPI_SUCCESS : shape_data(op);
}

void hcm_shape_end(struct hcm_op *op)
{
	bool whole = op->packed_out && op->error == MPI_SUCCESS && op->finished == op->total;

	if (whole && shapes[op->call.what].fold)
		op->error = fold(op);
	else if (whole)
		unpack(op);
	free(op->packed_in);
	free(op->packed_out);
	if (op->piece != &op->one)
		free(op->piece);
	free(op->at);
	free(op->arrays);
	op->packed_in = NULL;
	op->packed_out = NULL;
	op->piece = NULL;
	op->at = NULL;
	op->arrays = NULL;
}
