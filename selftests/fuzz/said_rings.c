// SPDX-License-Identifier: GPL-2.0
/*
 * Injects single frames of ring plans, and messages of repair coordinators.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "rings.h"
#include "said.h"

#define SEGMENT	1024	/* segment size of the fabric */

/* Install a plan with one ring, a square: nodes 4, 5, 7, 6, and back to 4. @repair: with REPAIR. */
static bool square(bool repair)
{
	static const uint16_t nodes[] = { 4, 5, 7, 6 };
	struct rings r;

	rings_one(&r, nodes, ARRAY_SIZE(nodes));
	r.repair = repair;
	live_leave(&said.c);
	if (cube_rings(&said.c, LIVE_RINGS, &r))
		return false;
	live_plans(&said.c, &said.m);
	live_bind(&said.c);
	return true;
}

/* Make the @index-th segment that node 4 sends to node 5 in operation @op; it is of block @block.
 */
static struct hc_wire_data *segment(struct frame *f, uint64_t op, unsigned int index,
				    unsigned int block)
{
	struct hc_wire_data *w = data(f, 5, 0, LIVE_RINGS, 0, HYPERCUBE_ALLGATHER);
	char bytes[SEGMENT];

	w->plan.op = htobe64(op);
	w->block = htons(block);
	w->index = htonl(index);
	w->total = htobe64(SEGMENT);
	w->flags = HC_DATA_F_LAST;
	f->says |= SAY_OP;
	memset(bytes, block, sizeof(bytes));
	frame_put(f, bytes, sizeof(bytes));
	return w;
}

/* Return: true if the operation at node 5 fails with a protocol error whose cause is node @from. */
static bool ends_it(unsigned int from)
{
	struct hypercube_result res = { 0 };
	int status = end_of(5, &res);

	if (status == -EPROTO && res.cause_node == from)
		return true;
	fz_note("status %d, cause %u", status, res.cause_node);
	return false;
}

/* A neighbour sends the segment of one member twice, instead of the segment of another member, and
 * then the whole next chunk. The number of segments is right, but the result would lack a segment.
 */
static bool segment_twice(bool repair)
{
	static const unsigned char blocks[] = { 4, 6, 6, 5, 4, 6, 7, 5 };
	unsigned int i;

	if (!square(repair) ||
	    !contribute(5, LIVE_RINGS, HYPERCUBE_ALLGATHER, 2 * SEGMENT, 2 * SEGMENT))
		return false;
	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		struct frame f;
		struct hc_wire_data *w = segment(&f, said.m.op[LIVE_RINGS], i, blocks[i]);

		w->total = htobe64(2 * SEGMENT);
		w->offset = htobe64(i / 4 * SEGMENT);
		w->flags = i < 4 ? 0 : HC_DATA_F_LAST;
		if (say(&f))
			return false;
	}
	return ends_it(4);
}

bool segments_are_of_each(void)
{
	return segment_twice(false) && segment_twice(true);
}

/* If segments go half way round the ring in each direction, a segment must arrive over the link of
 * its direction, and must not have gone more than half way round.
 */
bool segments_come_their_way(void)
{
	static const struct {
		unsigned char dim, block, flags, notify;
	} wrong[] = {
		{ 0, 7, HC_DATA_F_BOTH, 0 }, { 1, 6, HC_DATA_F_BOTH, 0 },
		{ 1, 4, HC_DATA_F_BOTH, 0 }, { 0, 5, HC_DATA_F_BOTH, 0 },
		{ 1, 5, HC_DATA_F_BOTH, 0 }, { 1, 7, 0, 0 }, { 0, 5, 0, 0 }, { 1, 5, 0, 1 },
		{ 0, 5, HC_DATA_F_BOTH, 1 },
	};
	struct hypercube_op op = {
		.plan = LIVE_RINGS, .collective = HYPERCUBE_ALLGATHER, .bytes = SEGMENT,
	};
	static char own[SEGMENT];
	struct frame f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (!square(false))
			return false;
		op.flags = wrong[i].notify ? HYPERCUBE_F_NOTIFY : 0;
		if (shc_send(said.c.fd[5], &op, own, SEGMENT, 0) != SEGMENT)
			return false;
		segment(&f, said.m.op[LIVE_RINGS], 0, wrong[i].block)->flags =
			HC_DATA_F_LAST | wrong[i].flags;
		f.rec.dim = wrong[i].dim;
		if (say(&f) || !ends_it(5 ^ 1u << wrong[i].dim)) {
			fz_note("row %u", i);
			return false;
		}
	}
	return true;
}

/* --- repair coordinators --- */

#define BASE	5000

/* Make a message to node 5 from its neighbour along @dim, which claims to be the repair
 * coordinator. @what: type of the message.
 */
static struct hc_wire_repair *repair_from(struct frame *f, unsigned char dim, unsigned int what)
{
	unsigned int src = 5 ^ 1u << dim;
	struct hc_wire_repair *w;

	part_begin(f, 5, dim, HC_FRAME_REPAIR, LIVE_RINGS);
	routed(f, src, 5, &dim, 1);
	w = frame_part(f);
	w->ballot = htobe64(1000ull << 16 | src);
	w->what = what;
	return w;
}

/* Set the number @nr of the attempt in the @n messages at @f, and the number @base of an
 * assignment.
 */
static void attempt(struct frame *f, unsigned int n, uint64_t nr, uint64_t base)
{
	struct hc_wire_repair *w;
	unsigned int i;

	for (i = 0; i < n; i++) {
		w = frame_part(&f[i]);
		w->ballot = htobe64(nr << 16 | 4);
		if (w->what == HC_REPAIR_ASSIGN)
			w->plan.op = htobe64(base);
	}
}

static struct hc_wire_repair *repair(struct frame *f, unsigned int what)
{
	return repair_from(f, 0, what);
}

/* Make the message with which a repair coordinator requests the state of node 5. */
static void ask(struct frame *f)
{
	struct hc_wire_repair *w = repair(f, HC_REPAIR_ASK);

	w->status = htonl(ENOLINK);
	w->node = htons(7);
	w->dim = htons(1);
}

/* Assign node 5 to a ring of only nodes 4 and 5, in which operations resume from the oldest one.
 * @fresh: number of the first operation of which no node has sent any data, as the coordinator
 * claims.
 */
static void place(struct frame *f, uint64_t fresh)
{
	uint64_t nr = said.m.op[LIVE_RINGS];
	struct hc_wire_repair_ops ops = { .at.nr = htobe64(nr), .fresh = htobe64(fresh) };
	struct hc_wire_repair_way way = { .next = htons(4), .flags = HC_WAY_F_USED };
	struct hc_wire_repair *w = repair(f, HC_REPAIR_ASSIGN);
	uint32_t set = htonl(1u << 4 | 1u << 5);

	w->plan.op = htobe64(BASE);
	w->members = htonl(2);
	w->ways = 1;
	w->rings = htons(1);
	w->tour = htons(2);
	w->flags = HC_REPAIR_F_RESUME;
	f->says |= SAY_OP;
	frame_put(f, &ops, sizeof(ops));
	frame_put(f, &way, sizeof(way));
	frame_put(f, &set, sizeof(set));
}

/* Two operations are under way at node 5, and a coordinator assigns the node to new rings twice.
 * Each assignment states which operation is the first one of which no node has sent any data;
 * @first and @then are the stated numbers, relative to the oldest operation. Return: status of the
 * second operation.
 */
static int second_with(uint64_t first, uint64_t then)
{
	uint64_t nr = said.m.op[LIVE_RINGS];
	struct hypercube_result res = { 0 };
	struct frame f[8];
	unsigned int i;
	int status;

	for (i = 0; i < 2; i++)
		if (!contribute(5, LIVE_RINGS, HYPERCUBE_ALLGATHER, SEGMENT, SEGMENT))
			return -EINVAL;
	ask(&f[0]);
	place(&f[1], nr + first);
	place(&f[2], nr + then);
	repair(&f[3], HC_REPAIR_COMMIT);
	for (i = 0; i < 4; i++)
		segment(&f[4 + i], BASE + i / 2, i % 2, 4 + i % 2);
	if (say_all(f, ARRAY_SIZE(f)))
		return -EINVAL;
	/* The record with the end of the first operation names the members whose blocks are
	 * missing.
	 */
	status = end_of(5, &res);
	if (status != -EHOSTUNREACH)
		fz_note("the first one ends with %d", status);
	return status == -EHOSTUNREACH ? end_of(5, &res) : -EINVAL;
}

/* A node may have sent data of the next operation or of the one after that, but not of later ones.
 * So an assignment that claims a larger number must be refused; otherwise the results of all
 * operations after this assignment would name members that have left.
 */
bool coordinator_knows_no_future(void)
{
	static const uint64_t far[] = { 4, 1ull << 40, 1ull << 63, UINT64_MAX };
	unsigned int i;
	int status;

	for (i = 0; i < ARRAY_SIZE(far); i++) {
		status = square(true) ? second_with(far[i], 1) : -EINVAL;
		if (status) {
			fz_note("row %u: status %d", i, status);
			return false;
		}
	}
	/* First check that a possible number is accepted; otherwise the test proves nothing. */
	status = square(true) ? second_with(2, 1) : -EINVAL;
	if (status != -EHOSTUNREACH)
		fz_note("status %d", status);
	return status == -EHOSTUNREACH;
}

/* A change of one byte in a message that would be accepted without this change. */
struct wrong {
	unsigned char what, at, says, reason;
};

#define WORD(field)	offsetof(struct hc_wire_repair, field)
#define BEHIND		(sizeof(struct hc_wire_repair) + sizeof(struct hc_wire_repair_ops))
#define WAY(field)	(BEHIND + offsetof(struct hc_wire_repair_way, field))
#define SET		(BEHIND + sizeof(struct hc_wire_repair_way))
#define MALFORMED	HYPERCUBE_A_DROP_MALFORMED
#define UNEXPECTED	HYPERCUBE_A_DROP_UNEXPECTED

static const struct wrong wrongs[] = {
	/* an edge of a ring with a link, a neighbour or a member that does not exist, or with
	 * unknown flags
	 */
	{ HC_REPAIR_ASSIGN, WAY(dim), 3, MALFORMED },
	{ HC_REPAIR_ASSIGN, WAY(out), 1, MALFORMED },
	{ HC_REPAIR_ASSIGN, WAY(next) + 1, 8, MALFORMED },
	{ HC_REPAIR_ASSIGN, WAY(seen) + 3, 3, MALFORMED },
	{ HC_REPAIR_ASSIGN, WAY(flags), 4, MALFORMED },
	/* positions that are not on the rings, and rings without links */
	{ HC_REPAIR_ASSIGN, WAY(came) + 1, 2, MALFORMED },
	{ HC_REPAIR_ASSIGN, WAY(leaves) + 1, 2, MALFORMED },
	{ HC_REPAIR_ASSIGN, WORD(tour) + 1, 0, MALFORMED },
	/* a set of members without this node or without the coordinator; a number of members that
	 * is not the size of the set
	 */
	{ HC_REPAIR_ASSIGN, SET + 3, 1u << 4, MALFORMED },
	{ HC_REPAIR_ASSIGN, SET + 3, 1u << 5 | 1u << 6, MALFORMED },
	{ HC_REPAIR_ASSIGN, SET + 3, 1u << 4 | 1u << 6, MALFORMED },
	{ HC_REPAIR_ASSIGN, SET + 3, 1u << 4 | 1u << 5 | 1u << 6, MALFORMED },
	{ HC_REPAIR_ASSIGN, WORD(members) + 3, 3, MALFORMED },
	{ HC_REPAIR_ASSIGN, WORD(members), 1, MALFORMED },
	/* more edges than follow in the frame; more rings than links; operation numbers that are
	 * much too high
	 */
	{ HC_REPAIR_ASSIGN, WORD(ways), 2, MALFORMED },
	{ HC_REPAIR_ASSIGN, WORD(rings) + 1, 4, MALFORMED },
	{ HC_REPAIR_ASSIGN, WORD(plan.op) + 1, 1, MALFORMED },
	{ HC_REPAIR_ASSIGN, WORD(plan.op) + 2, 1, MALFORMED },
	/* a status that is not a failure, or not an errno of the kernel; a cause that is not in the
	 * fabric
	 */
	{ HC_REPAIR_ASK, WORD(status) + 3, 0, MALFORMED },
	{ HC_REPAIR_ASK, WORD(status) + 2, 0x10, MALFORMED },
	{ HC_REPAIR_ASK, WORD(node) + 1, 8, MALFORMED },
	{ HC_REPAIR_ASK, WORD(dim) + 1, 3, MALFORMED },
	/* unknown types of messages */
	{ HC_REPAIR_COMMIT, WORD(what), 0, MALFORMED },
	{ HC_REPAIR_COMMIT, WORD(what), __HC_REPAIR_END, MALFORMED },
	{ HC_REPAIR_COMMIT, WORD(what), HC_REPAIR_ANSWER, MALFORMED },
	/* an attempt of another coordinator than the sender; numbers of attempts that are much too
	 * high
	 */
	{ HC_REPAIR_ASK, WORD(ballot) + 7, 5, UNEXPECTED },
	{ HC_REPAIR_ASSIGN, WORD(ballot) + 7, 5, UNEXPECTED },
	{ HC_REPAIR_COMMIT, WORD(ballot) + 7, 5, UNEXPECTED },
	{ HC_REPAIR_ASK, WORD(ballot) + 1, 1, UNEXPECTED },
	{ HC_REPAIR_REQUEST, WORD(ballot) + 1, 1, UNEXPECTED },
	/* an attempt that skips as many numbers as frames can arrive in a second: a few such
	 * attempts would use up all numbers
	 */
	{ HC_REPAIR_ASK, WORD(ballot) + 2, 1, UNEXPECTED },
	{ HC_REPAIR_REQUEST, WORD(ballot) + 2, 1, UNEXPECTED },
	/* a FAULT word with a link that does not exist, and an operation number that no plan has */
	{ HC_REPAIR_ASSIGNED, WORD(word) + 3, 8, MALFORMED },
	{ HC_REPAIR_ASSIGNED, WORD(plan.op), 0x80, MALFORMED },
};

/* Make a valid message of a repair coordinator, of the type @what. */
static void word(struct frame *f, unsigned int what)
{
	if (what == HC_REPAIR_ASSIGN)
		place(f, said.m.op[LIVE_RINGS] + 1);
	else if (what == HC_REPAIR_ASK)
		ask(f);
	else
		repair(f, what);
	f->says |= SAY_OP;
}

/* Send a frame to node 5. Return: true if node 5 drops it for @reason. */
static bool is_refused(const struct frame *f, unsigned int reason)
{
	uint64_t before = node_drops(5, reason);

	return !say(f) && node_drops_are(5, reason, before + 1);
}

/* Make an assignment to a ring with two edges over one link (@ways is 2), or to a ring without any
 * edge to another node (@ways is 0).
 */
static void place_over(struct frame *f, unsigned int ways)
{
	struct hc_wire_repair_way way = { .next = htons(4), .flags = HC_WAY_F_USED };
	struct hc_wire_repair_ops ops = { .fresh = htobe64(said.m.op[LIVE_RINGS] + 1) };
	uint32_t set = htonl(1u << 4 | 1u << 5);
	struct hc_wire_repair *w = repair(f, HC_REPAIR_ASSIGN);
	unsigned int i;

	w->plan.op = htobe64(BASE);
	w->members = htonl(2);
	w->ways = ways;
	w->rings = htons(1);
	w->tour = htons(2);
	f->says |= SAY_OP;
	frame_put(f, &ops, sizeof(ops));
	for (i = 0; i < ways; i++) {
		way.out = !i;
		frame_put(f, &way, sizeof(way));
	}
	frame_put(f, &set, sizeof(set));
}

/* Return: true if node 5 drops messages whose data behind the header are longer or shorter than
 * their type requires.
 */
static bool lengths_fit(void)
{
	static const unsigned char bare[] = {
		HC_REPAIR_REQUEST, HC_REPAIR_ASK, HC_REPAIR_COMMIT, HC_REPAIR_ASSIGNED,
		HC_REPAIR_COMMITTED, HC_REPAIR_NO,
	};
	static const char more[sizeof(struct hc_wire_repair_ops)];
	struct frame f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bare); i++) {
		word(&f, bare[i]);
		frame_put(&f, more, sizeof(more));
		if (!is_refused(&f, MALFORMED))
			return false;
	}
	word(&f, HC_REPAIR_ASSIGN);
	f.rec.len -= 4;
	if (!is_refused(&f, MALFORMED))
		return false;
	word(&f, HC_REPAIR_ASSIGN);
	frame_put(&f, more, 4);
	if (!is_refused(&f, MALFORMED))
		return false;
	for (i = 0; i <= 2; i += 2) {
		place_over(&f, i);
		if (!is_refused(&f, MALFORMED))
			return false;
	}
	return true;
}

/* Return: true if node 5 drops assignments whose set has as many members as announced, but one of
 * them is not a member of the plan, or is not a node.
 */
static bool members_are_of_the_plan(void)
{
	static const unsigned char wrong[][2] = { { 3, 1u << 4 | 1u << 5 | 1 }, { 2, 1 } };
	unsigned char *part;
	struct frame f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		word(&f, HC_REPAIR_ASSIGN);
		part = frame_part(&f);
		part[WORD(members) + 3] = 3;
		part[SET + wrong[i][0]] = wrong[i][1];
		if (!is_refused(&f, MALFORMED))
			return false;
	}
	return true;
}

/* Return: true if node 5 drops messages of a node that is not a member, and messages of a node that
 * claims to be the coordinator although another node is.
 */
static bool strangers_say_nothing(void)
{
	static const struct { unsigned char dim, what; } who[] = {
		{ 2, HC_REPAIR_REQUEST }, { 2, HC_REPAIR_NO }, { 2, HC_REPAIR_ASK },
		{ 1, HC_REPAIR_ASK }, { 1, HC_REPAIR_COMMIT },
	};
	struct frame f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(who); i++) {
		repair_from(&f, who[i].dim, who[i].what)->status = htonl(ENOLINK);
		if (!is_refused(&f, UNEXPECTED)) {
			fz_note("word %u along %u", who[i].what, who[i].dim);
			return false;
		}
	}
	return true;
}

/* Messages that are invalid, or that node 5 must not accept from their sender, do no harm. */
bool messages_of_coordinators_are_valid(void)
{
	struct rings_steps steps;
	struct ring_view v;
	struct frame f;
	unsigned int i;

	if (!square(true))
		return false;
	for (i = 0; i < ARRAY_SIZE(wrongs); i++) {
		word(&f, wrongs[i].what);
		((unsigned char *)frame_part(&f))[wrongs[i].at] = wrongs[i].says;
		if (!is_refused(&f, wrongs[i].reason)) {
			fz_note("row %u", i);
			return false;
		}
	}
	if (!lengths_fit() || !members_are_of_the_plan() || !strangers_say_nothing())
		return false;
	if (ctl_ring_get(said.c.name, LIVE_RINGS, &v) || v.broken || v.repairs)
		return false;
	if (!live_dgrams(&said.c) ||
	    !gather_run(&said.c, LIVE_RINGS, 2, SEGMENT, false, &steps))
		return false;
	/* An assignment has a number that was used before. This node already has an assignment with
	 * that number, so it only answers that it has it.
	 */
	word(&f, HC_REPAIR_ASSIGN);
	((struct hc_wire_repair *)frame_part(&f))->plan.op = htobe64(1);
	return !say(&f) && gather_run(&said.c, LIVE_RINGS, 2, SEGMENT, false, &steps) &&
	       !ctl_ring_get(said.c.name, LIVE_RINGS, &v) && !v.broken && !v.repairs;
}

/* In each attempt a coordinator assigns numbers that are 2^32 higher than those of the previous
 * attempt. Since the plan was made, the numbers may rise only by a limited amount per second,
 * whatever this node has accepted before; otherwise a few thousand attempts would use up all
 * numbers of the plan.
 */
bool numbers_of_rings_last(void)
{
	struct frame f[3];
	uint64_t before;
	unsigned int i;

	if (!square(true))
		return false;
	before = node_drops(5, MALFORMED);
	for (i = 1; i <= 300; i++) {
		ask(&f[0]);
		place(&f[1], said.m.op[LIVE_RINGS] + 1);
		repair(&f[2], HC_REPAIR_COMMIT);
		attempt(f, ARRAY_SIZE(f), 1000 + i, UINT32_MAX * (uint64_t)i);
		if (say_all(f, ARRAY_SIZE(f)))
			return false;
		usleep(1000);
		if (node_drops(5, MALFORMED) != before)
			break;
	}
	fz_note("refused at %u", i);
	return i > 1 && i < 300;
}

/* An assignment to rings that use a faulty link does no harm: either it is refused, or the fault is
 * detected when data is sent, and then the real coordinator repairs the rings.
 */
bool assignments_fit_the_links(void)
{
	struct rings_steps steps;
	struct frame f[3];

	if (!square(true) || cube_fail_link(&said.c, 1, 2))
		return false;
	ask(&f[0]);
	place(&f[1], said.m.op[LIVE_RINGS] + 1);
	((unsigned char *)frame_part(&f[1]))[WAY(dim)] = 2;
	repair(&f[2], HC_REPAIR_COMMIT);
	return !say_all(f, ARRAY_SIZE(f)) &&
	       gather_run(&said.c, LIVE_RINGS, 2, SEGMENT, false, &steps);
}

/* A neighbour that has already received the commit of an assignment may report a failure before
 * this node receives the commit. This report is accepted; a report about the previous rings is not.
 */
bool failures_follow_the_assignments(void)
{
	static const uint64_t from[] = { BASE - 1, BASE };
	struct hypercube_result res = { 0 };
	struct frame f[4];
	unsigned int i;

	if (!square(true) || !contribute(5, LIVE_RINGS, HYPERCUBE_ALLGATHER, SEGMENT, SEGMENT))
		return false;
	ask(&f[0]);
	place(&f[1], said.m.op[LIVE_RINGS] + 1);
	for (i = 0; i < 2; i++) {
		struct hc_wire_stop *w = part_begin(&f[2 + i], 5, 0, HC_FRAME_END, LIVE_RINGS);

		w->plan.op = htobe64(from[i]);
		w->status = htonl(i ? ECONNRESET : EIO);
		w->node = htons(4);
		w->dim = htons(0xffff);
		f[2 + i].says |= SAY_OP;
	}
	if (say_all(f, ARRAY_SIZE(f)))
		return false;
	return end_of(5, &res) == -ECONNRESET && res.cause_node == 4;
}
