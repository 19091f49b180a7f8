// SPDX-License-Identifier: GPL-2.0
/*
 * The resume decision on allgathers over rings that repair themselves, compared with what it should
 * be, for any answers of the members in any order.
 */
#include <endian.h>
#include <string.h>

#include "check.h"
#include "coll/ring/ring_decision.h"
#include "ktap.h"

#define MEMBERS	4

/* A member's answer to ASK (struct hc_wire_repair_ops), with chunks numbered from 0. @ran: the last
 * attempt in whose rings members sent data. @placed: the last attempt that assigned the member a
 * position. @at: the member's current chunk. @prev: if @back, the chunk to which the member can go
 * back: it can send its segment of that chunk again. @unfit: the member's operations cannot be
 * resumed. @ahead: number of operations, from the current one on, of which some member has sent
 * something.
 */
struct answer {
	unsigned int ran, placed;
	unsigned int at, prev;
	bool back, unfit;
	uint64_t ahead;
};

/* Return: chunk number @s as operation and offset; each operation has three chunks. */
static struct hc_wire_repair_at chunk(unsigned int s)
{
	return (struct hc_wire_repair_at){ htobe64(10 + s / 3), htobe64(s % 3 * 4096) };
}

/* Make the decision that follows from @n answers, in their order. */
static void decision_of(struct hc_decision *v, const struct answer *a, unsigned int n)
{
	unsigned int i;

	memset(v, 0, sizeof(*v));
	for (i = 0; i < n; i++) {
		struct hc_wire_repair_ops w = {
			.ran = htobe64(a[i].ran), .placed = htobe64(a[i].placed),
			.at = chunk(a[i].at), .prev = chunk(a[i].back ? a[i].prev : 0),
			.fresh = htobe64(10 + a[i].at / 3 + a[i].ahead),
		};

		hc_decision_add(v, (a[i].back ? HC_REPAIR_F_PREV : 0) |
				  (a[i].unfit ? HC_REPAIR_F_UNFIT : 0), &w);
	}
}

/* ------------------------------------------------------------ what the decision should be */

/* Return: true if all members can resume at chunk @low: each is there, or is at another chunk, the
 * same for all of these members, and can go back to @low.
 */
static bool fits_at(const struct answer *a, unsigned int n, unsigned int low)
{
	unsigned int i, high = ~0u;

	for (i = 0; i < n; i++) {
		if (a[i].at == low)
			continue;
		if (!a[i].back || a[i].prev != low || (high != ~0u && a[i].at != high))
			return false;
		high = a[i].at;
	}
	return true;
}

/* Return: the attempt that all answers have as @ran or @placed, or 0 if there is none. */
static unsigned int line_of(const struct answer *a, unsigned int n)
{
	unsigned int i, line;

	for (line = a[0].ran; ; line = a[0].placed) {
		for (i = 0; i < n && (a[i].ran == line || a[i].placed == line); i++)
			;
		if (i == n)
			return line;
		if (line == a[0].placed)
			return 0;
	}
}

/* Return: true if each of two members answers that it can go back to the chunk of the other: one of
 * the two answers is wrong.
 */
static bool contradict(const struct answer *a, unsigned int n)
{
	unsigned int i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			if (a[i].back && a[j].back && a[i].at != a[j].at &&
			    a[i].prev == a[j].at && a[j].prev == a[i].at)
				return true;
	return false;
}

/* Return: the first of the members' chunks at which all can resume; ~0 if there is none. */
static unsigned int low_of(const struct answer *a, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n && !fits_at(a, n, a[i].at); i++)
		;
	return i < n ? a[i].at : ~0u;
}

/* Return: true if @at is a chunk at which all members can resume. */
static bool is_low(const struct answer *a, unsigned int n, const struct hc_wire_repair_at *at)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct hc_wire_repair_at s = chunk(a[i].at);

		if (!memcmp(&s, at, sizeof(s)))
			return fits_at(a, n, a[i].at);
	}
	return false;
}

/* Check the decision that follows from the answers in this order. */
static bool decision_right(const struct answer *a, unsigned int n)
{
	bool possible = line_of(a, n);
	struct hc_wire_repair_ops w;
	uint64_t fresh = 0;
	struct hc_decision v;
	unsigned int i;

	for (i = 0; i < n; i++) {
		uint64_t own = 10 + a[i].at / 3 + a[i].ahead;

		possible &= !a[i].unfit && a[i].ahead <= 2;
		fresh = own > fresh ? own : fresh;
	}
	possible &= low_of(a, n) != ~0u;
	decision_of(&v, a, n);
	/* With answers that contradict each other the decision depends on their order. */
	CHECK(hc_decision_resumes(&v) ? possible : !possible || contradict(a, n));
	if (!hc_decision_resumes(&v))
		return true;
	hc_decision_fill(&v, &w);
	CHECK(be64toh(w.ran) == line_of(a, n));
	CHECK(be64toh(w.fresh) == fresh);
	CHECK(is_low(a, n, &w.at));
	return true;
}

static void answer_print(const struct answer *a)
{
	printf("# ran %u, placed %u, at %u, ", a->ran, a->placed, a->at);
	if (a->back)
		printf("back to %u, ", a->prev);
	printf("%llu ahead%s\n", (unsigned long long)a->ahead, a->unfit ? ", unfit" : "");
}

/* Check the decisions for all orders of the answers from index @from on. */
static bool decisions_right(struct answer *a, unsigned int n, unsigned int from)
{
	unsigned int i;

	if (from == n)
		return decision_right(a, n);
	for (i = from; i < n; i++) {
		struct answer swap = a[from];
		bool right;

		a[from] = a[i];
		a[i] = swap;
		right = decisions_right(a, n, from + 1);
		a[i] = a[from];
		a[from] = swap;
		if (!right)
			return false;
	}
	return true;
}

/* Check the decisions for all orders of the answers, and print the answers if a decision is wrong.
 */
static bool all_right(struct answer *a, unsigned int n)
{
	unsigned int i;

	if (decisions_right(a, n, 0))
		return true;
	for (i = 0; i < n; i++)
		answer_print(&a[i]);
	return false;
}

/* ------------------------------------------------------------ tests */

/* Return: the answer of a member at one of four chunks. For @nr below 4 it cannot go back, else it
 * can go back to one of the other chunks.
 */
static struct answer somewhere(unsigned int nr)
{
	struct answer a = { .ran = 1, .placed = 1, .at = nr % 4, .back = nr / 4 };

	if (a.back)
		a.prev = (a.at + nr / 4) % 4;
	return a;
}

TEST(resume_decision_is_right_for_all_chunks_of_three_members)
{
	unsigned int i, j, k;

	for (i = 0; i < 16; i++)
		for (j = 0; j < 16; j++)
			for (k = 0; k < 16; k++) {
				struct answer a[] = {
					somewhere(i), somewhere(j), somewhere(k),
				};

				ASSERT_TRUE(all_right(a, ARRAY_SIZE(a)));
			}
}

/* Return: a random answer. */
static struct answer any(void)
{
	struct answer a = somewhere(rnd(8));

	a.ran = 1 + rnd(3);
	a.placed = a.ran + rnd(3);
	a.unfit = !rnd(20);
	a.ahead = rnd(20) ? rnd(3) : 3 + rnd(2) * (UINT64_MAX - 20);
	return a;
}

TEST(resume_decision_is_right_for_random_answers)
{
	struct answer a[MEMBERS];
	unsigned int round, i, n;

	for (round = 0; round < 20000; round++) {
		n = 1 + rnd(MEMBERS);
		for (i = 0; i < n; i++)
			a[i] = any();
		ASSERT_TRUE(all_right(a, n));
	}
}

/* Correct answers: all members are from the same rings, and at two consecutive chunks, and those at
 * the second one can go back to the first.
 */
TEST(operations_resume_if_all_answers_are_correct)
{
	unsigned int round, i, n, low;
	struct answer a[MEMBERS];
	struct hc_decision v;

	for (round = 0; round < 20000; round++) {
		n = 1 + rnd(MEMBERS);
		low = 1 + rnd(6);
		for (i = 0; i < n; i++) {
			bool further = rnd(2);

			a[i] = (struct answer){
				.ran = 4 + rnd(2), .placed = 5, .at = low + further,
				.prev = low + further - 1, .back = further || rnd(2),
				.ahead = rnd(3),
			};
		}
		ASSERT_TRUE(all_right(a, n));
		decision_of(&v, a, n);
		ASSERT_TRUE(hc_decision_resumes(&v));
	}
}

/* A member answers that data was sent for operations long after its own: nothing is resumed. */
TEST(operations_do_not_resume_if_data_was_sent_for_far_later_ones)
{
	static const uint64_t far[] = {
		3, 4, 1ull << 32, 1ull << 63, UINT64_MAX - 10, UINT64_MAX,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(far); i++) {
		struct answer a[] = {
			{ .ran = 1, .placed = 1 }, { .ran = 1, .placed = 1, .ahead = far[i] },
		};
		struct hc_decision v;

		decision_of(&v, a, 2);
		ASSERT_TRUE(!hc_decision_resumes(&v));
		ASSERT_TRUE(all_right(a, 2));
	}
}

TEST_HARNESS_MAIN
