// SPDX-License-Identifier: GPL-2.0
/* Single frames of rings, and what their masters say. */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "rings.h"
#include "said.h"

#define SEGMENT	1024	/* of the fabric */

/* A plan of the nodes of a square: 4, 5, 7, 6, and back. */
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

/* A segment of @block, as the @index-th that comes from 4 to 5. */
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

/* The operation of node 5 is ended by what it was sent from node @from. */
static bool ends_it(unsigned int from)
{
	struct hypercube_result res = { 0 };
	int status = end_of(5, &res);

	if (status == -EPROTO && res.cause_node == from)
		return true;
	fz_note("status %d, cause %u", status, res.cause_node);
	return false;
}

/* A neighbour sends one member's segment twice in place of another's, and then all of the next
 * slice: there are as many, but the result would have a hole.
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

/* What goes both ways comes from where it can come from, and no further than half of the way. */
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

/* ------------------------------------------------------------ masters */

#define BASE	5000

/* A word to node 5 from its neighbour along @dim, who calls itself the master. */
static struct hc_wire_mend *mend_from(struct frame *f, unsigned char dim, unsigned int what)
{
	unsigned int src = 5 ^ 1u << dim;
	struct hc_wire_mend *w;

	part_begin(f, 5, dim, HC_FRAME_MEND, LIVE_RINGS);
	routed(f, src, 5, &dim, 1);
	w = frame_part(f);
	w->ballot = htobe64(1000ull << 16 | src);
	w->what = what;
	return w;
}

static struct hc_wire_mend *mend(struct frame *f, unsigned int what)
{
	return mend_from(f, 0, what);
}

static void ask(struct frame *f)
{
	struct hc_wire_mend *w = mend(f, HC_MEND_ASK);

	w->status = htonl(ENOLINK);
	w->node = htons(7);
	w->dim = htons(1);
}

/* Node 5 has its place in a ring with 4 alone, in which operations go on from the oldest one. */
static void place(struct frame *f, uint64_t fresh)
{
	uint64_t nr = said.m.op[LIVE_RINGS];
	struct hc_wire_mend_ops ops = { .at.nr = htobe64(nr), .fresh = htobe64(fresh) };
	struct hc_wire_mend_way way = { .next = htons(4), .flags = HC_WAY_F_USED };
	struct hc_wire_mend *w = mend(f, HC_MEND_PLACE);
	uint32_t set = htonl(1u << 4 | 1u << 5);

	w->plan.op = htobe64(BASE);
	w->members = htonl(2);
	w->ways = 1;
	w->rings = htons(1);
	w->tour = htons(2);
	w->flags = HC_MEND_F_RESUME;
	f->says |= SAY_OP;
	frame_put(f, &ops, sizeof(ops));
	frame_put(f, &way, sizeof(way));
	frame_put(f, &set, sizeof(set));
}

/* Two operations are under way at node 5; a master with a word on what has been sent of them places
 * it anew, twice.  The status of the second one, of which nobody had sent anything.
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
	mend(&f[3], HC_MEND_GO);
	for (i = 0; i < 4; i++)
		segment(&f[4 + i], BASE + i / 2, i % 2, 4 + i % 2);
	if (say_all(f, ARRAY_SIZE(f)))
		return -EINVAL;
	/* Those of whom the first one lacks the blocks are named. */
	status = end_of(5, &res);
	if (status != -EHOSTUNREACH)
		fz_note("the first one ends with %d", status);
	return status == -EHOSTUNREACH ? end_of(5, &res) : -EINVAL;
}

/* Nobody has sent more than the next operation, or the one behind it: another word is not taken,
 * or all later results would be about members that have gone.
 */
bool master_knows_no_future(void)
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
	/* A word that may be true is taken, or nothing was tried. */
	status = square(true) ? second_with(2, 1) : -EINVAL;
	if (status != -EHOSTUNREACH)
		fz_note("status %d", status);
	return status == -EHOSTUNREACH;
}

/* A byte that is not as it was, in a word that would be taken otherwise. */
struct wrong {
	unsigned char what, at, says, reason;
};

#define WORD(field)	offsetof(struct hc_wire_mend, field)
#define BEHIND		(sizeof(struct hc_wire_mend) + sizeof(struct hc_wire_mend_ops))
#define WAY(field)	(BEHIND + offsetof(struct hc_wire_mend_way, field))
#define SET		(BEHIND + sizeof(struct hc_wire_mend_way))
#define MALFORMED	HYPERCUBE_A_DROP_MALFORMED
#define UNEXPECTED	HYPERCUBE_A_DROP_UNEXPECTED

static const struct wrong wrongs[] = {
	/* No link, no neighbour, no member; more words than members; flags of nothing. */
	{ HC_MEND_PLACE, WAY(dim), 3, MALFORMED },
	{ HC_MEND_PLACE, WAY(out), 1, MALFORMED },
	{ HC_MEND_PLACE, WAY(next) + 1, 8, MALFORMED },
	{ HC_MEND_PLACE, WAY(seen) + 3, 3, MALFORMED },
	{ HC_MEND_PLACE, WAY(flags), 4, MALFORMED },
	/* No such link in the rings. */
	{ HC_MEND_PLACE, WAY(came) + 1, 2, MALFORMED },
	{ HC_MEND_PLACE, WAY(leaves) + 1, 2, MALFORMED },
	{ HC_MEND_PLACE, WORD(tour) + 1, 0, MALFORMED },
	/* Without the member, without the master; more or fewer than it says. */
	{ HC_MEND_PLACE, SET + 3, 1u << 4, MALFORMED },
	{ HC_MEND_PLACE, SET + 3, 1u << 5 | 1u << 6, MALFORMED },
	{ HC_MEND_PLACE, SET + 3, 1u << 4 | 1u << 6, MALFORMED },
	{ HC_MEND_PLACE, SET + 3, 1u << 4 | 1u << 5 | 1u << 6, MALFORMED },
	{ HC_MEND_PLACE, WORD(members) + 3, 3, MALFORMED },
	{ HC_MEND_PLACE, WORD(members), 1, MALFORMED },
	/* More ways than come behind it; more rings than links; numbers of a far future. */
	{ HC_MEND_PLACE, WORD(ways), 2, MALFORMED },
	{ HC_MEND_PLACE, WORD(rings) + 1, 4, MALFORMED },
	{ HC_MEND_PLACE, WORD(plan.op) + 1, 1, MALFORMED },
	{ HC_MEND_PLACE, WORD(plan.op) + 2, 1, MALFORMED },
	/* Nothing has happened, or no errno of the kernel; elsewhere. */
	{ HC_MEND_ASK, WORD(status) + 3, 0, MALFORMED },
	{ HC_MEND_ASK, WORD(status) + 2, 0x10, MALFORMED },
	{ HC_MEND_ASK, WORD(node) + 1, 8, MALFORMED },
	{ HC_MEND_ASK, WORD(dim) + 1, 3, MALFORMED },
	/* Words of nothing. */
	{ HC_MEND_GO, WORD(what), 0, MALFORMED },
	{ HC_MEND_GO, WORD(what), __HC_MEND_END, MALFORMED },
	{ HC_MEND_GO, WORD(what), HC_MEND_ASKED, MALFORMED },
	/* In another one's name, and beyond all attempts. */
	{ HC_MEND_ASK, WORD(ballot) + 7, 5, UNEXPECTED },
	{ HC_MEND_PLACE, WORD(ballot) + 7, 5, UNEXPECTED },
	{ HC_MEND_GO, WORD(ballot) + 7, 5, UNEXPECTED },
	{ HC_MEND_ASK, WORD(ballot) + 1, 1, UNEXPECTED },
	{ HC_MEND_HELP, WORD(ballot) + 1, 1, UNEXPECTED },
	/* As many words as a second has frames would use up all that are left. */
	{ HC_MEND_ASK, WORD(ballot) + 2, 1, UNEXPECTED },
	{ HC_MEND_HELP, WORD(ballot) + 2, 1, UNEXPECTED },
	/* Links that do not exist are not faulty, and there are no such numbers. */
	{ HC_MEND_PLACED, WORD(word) + 3, 8, MALFORMED },
	{ HC_MEND_PLACED, WORD(plan.op), 0x80, MALFORMED },
};

static void word(struct frame *f, unsigned int what)
{
	if (what == HC_MEND_PLACE)
		place(f, said.m.op[LIVE_RINGS] + 1);
	else if (what == HC_MEND_ASK)
		ask(f);
	else
		mend(f, what);
	f->says |= SAY_OP;
}

/* Does node 5 drop it, and go on as before? */
static bool is_refused(const struct frame *f, unsigned int reason)
{
	uint64_t before = node_drops(5, reason);

	return !say(f) && node_drops_are(5, reason, before + 1);
}

/* Two ways over one link, or none to others. */
static void place_over(struct frame *f, unsigned int ways)
{
	struct hc_wire_mend_way way = { .next = htons(4), .flags = HC_WAY_F_USED };
	struct hc_wire_mend_ops ops = { .fresh = htobe64(said.m.op[LIVE_RINGS] + 1) };
	uint32_t set = htonl(1u << 4 | 1u << 5);
	struct hc_wire_mend *w = mend(f, HC_MEND_PLACE);
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

/* More or less behind a word than belongs there. */
static bool lengths_fit(void)
{
	static const unsigned char bare[] = {
		HC_MEND_HELP, HC_MEND_ASK, HC_MEND_GO, HC_MEND_PLACED, HC_MEND_GONE, HC_MEND_NO,
	};
	static const char more[sizeof(struct hc_wire_mend_ops)];
	struct frame f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bare); i++) {
		word(&f, bare[i]);
		frame_put(&f, more, sizeof(more));
		if (!is_refused(&f, MALFORMED))
			return false;
	}
	word(&f, HC_MEND_PLACE);
	f.rec.len -= 4;
	if (!is_refused(&f, MALFORMED))
		return false;
	word(&f, HC_MEND_PLACE);
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

/* As many members as it says, of which one is none of the plan, or no node. */
static bool members_are_of_the_plan(void)
{
	static const unsigned char wrong[][2] = { { 3, 1u << 4 | 1u << 5 | 1 }, { 2, 1 } };
	unsigned char *part;
	struct frame f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		word(&f, HC_MEND_PLACE);
		part = frame_part(&f);
		part[WORD(members) + 3] = 3;
		part[SET + wrong[i][0]] = wrong[i][1];
		if (!is_refused(&f, MALFORMED))
			return false;
	}
	return true;
}

/* One who is no member of the plan, and a master who has others below it. */
static bool strangers_say_nothing(void)
{
	static const struct { unsigned char dim, what; } who[] = {
		{ 2, HC_MEND_HELP }, { 2, HC_MEND_NO }, { 2, HC_MEND_ASK }, { 1, HC_MEND_ASK },
		{ 1, HC_MEND_GO },
	};
	struct frame f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(who); i++) {
		mend_from(&f, who[i].dim, who[i].what)->status = htonl(ENOLINK);
		if (!is_refused(&f, UNEXPECTED)) {
			fz_note("word %u along %u", who[i].what, who[i].dim);
			return false;
		}
	}
	return true;
}

/* Words that make no sense, or that this member has not to hear from that one, stop nothing. */
bool words_of_masters_fit(void)
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
	/* Numbers that are used up. */
	word(&f, HC_MEND_PLACE);
	((struct hc_wire_mend *)frame_part(&f))->plan.op = htobe64(1);
	return is_refused(&f, MALFORMED);
}

/* A place over a link that is faulty there does no harm: it is refused, or the fault is found when
 * data goes, and then the true master mends the rings of all.
 */
bool places_fit_the_links(void)
{
	struct rings_steps steps;
	struct frame f[3];

	if (!square(true) || cube_fail_link(&said.c, 1, 2))
		return false;
	ask(&f[0]);
	place(&f[1], said.m.op[LIVE_RINGS] + 1);
	((unsigned char *)frame_part(&f[1]))[WAY(dim)] = 2;
	mend(&f[2], HC_MEND_GO);
	return !say_all(f, ARRAY_SIZE(f)) &&
	       gather_run(&said.c, LIVE_RINGS, 2, SEGMENT, false, &steps);
}

/* A neighbour that was told to go on tells of a failure before the word has come here: it is
 * believed.  If it says so of what was before, it is not.
 */
bool failures_follow_the_places(void)
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
