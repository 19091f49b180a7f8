// SPDX-License-Identifier: GPL-2.0
/*
 * Every operator on every type, on a cube without faults and on one where senders need effective
 * helpers. Results are compared bit for bit with a reference computation in the merge order of the
 * plan.
 *
 * Scheduling: shared
 */
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "ref.h"

#define PLAN 1

/* An operator with a type. @width: bytes of a record. @nan: some contributions are NaNs. */
struct kind {
	unsigned int oper;
	unsigned int type;
	unsigned int width;
	bool nan;
};

static const unsigned int widths[] = { 1, 7, 64, 256 };

/* Fail links such that in any tree, some members of the first stages have a faulty link to their
 * destination.
 */
static int make_faults(struct cube *c)
{
	static const unsigned int links[][2] = { {0, 0}, {6, 1}, {9, 2}, {12, 3}, {3, 0} };
	unsigned int i;
	int err = 0;

	for (i = 0; i < 5 && !err; i++)
		err = cube_fail_link(c, links[i][0], links[i][1]);
	return err;
}

static int cube_ready(struct cube *c, unsigned int dim, bool faults)
{
	int err = cube_new(c, dim, 256);

	if (!err && faults)
		err = make_faults(c);
	if (!err)
		err = cube_plan(c, PLAN);
	return err ? err : cube_bind_all(c);
}

/* Fill @k with the operators @first to @last, each with the types that it supports among those that
 * the test selects. Return: number of entries.
 */
static unsigned int kinds_list(struct kind *k, unsigned int first, unsigned int last,
			       bool floats, bool ints, bool records)
{
	unsigned int oper, type, w, n = 0;

	for (oper = first; oper <= last; oper++) {
		for (type = 1; type < __HYPERCUBE_TYPE_END; type++) {
			bool is_float = plain_is_float(type);

			if (type != HYPERCUBE_RECORD && plain_size(oper, type, 0) &&
			    (is_float ? floats : ints))
				k[n++] = (struct kind){ oper, type, 0, is_float && below(2) };
		}
		for (w = 0; w < 4 && records; w++)
			if (plain_size(oper, HYPERCUBE_RECORD, widths[w]))
				k[n++] = (struct kind){ oper, HYPERCUBE_RECORD, widths[w], false };
	}
	return n;
}

static void *job_fill(struct job *j, const struct kind *k, size_t count, bool sink)
{
	unsigned int elem = plain_size(k->oper, k->type, k->width);
	bool nan = k->nan && (k->oper == HYPERCUBE_MIN || k->oper == HYPERCUBE_MAX);
	void *in = malloc(count * elem);

	ref_fill(k->oper, k->type, k->width, in, count * elem, nan);
	j->op = (struct hypercube_op){
		.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = k->oper,
		.type = k->type, .width = k->width, .bytes = count * elem,
	};
	j->in = in;
	if (sink) {
		j->room = count * elem;
		j->out = malloc(j->room);
		j->waits = true;
	}
	return in;
}

/* Run an operation of each of the @nk kinds at the same time. Return: number of wrong results. */
static unsigned int kinds_run(struct cube *c, const struct kind *k, unsigned int nk,
			      size_t count)
{
	struct party p[CUBE_MAX];
	unsigned int node[CUBE_MAX], n = parties(c, p, node, nk), i, m, bad = 0;

	for (i = 0; i < n; i++)
		for (m = 0; m < nk; m++)
			job_fill(&p[i].job[m], &k[m], count, node[i] == c->plan.tree.sink);
	if (drive(p, n, 30)) {
		printf("# not all operations ended\n");
		bad = 1;
	}
	for (m = 0; m < nk; m++) {
		void *data[CUBE_MAX] = { NULL }, *want;
		const struct job *sink = NULL;

		for (i = 0; i < n; i++) {
			data[node[i]] = (void *)p[i].job[m].in;
			if (p[i].job[m].waits)
				sink = &p[i].job[m];
		}
		want = ref_replay(c, &sink->op, data);
		if (!want || sink->ends != 1 || sink->res.status || sink->got != sink->room ||
		    sink->res.bytes != sink->room || memcmp(want, sink->out, sink->room)) {
			printf("# operator %u type %u width %u: status %d, %zu of %zu bytes\n",
			       k[m].oper, k[m].type, k[m].width, sink->res.status, sink->got,
			       sink->room);
			bad++;
		}
		for (i = 0; i < n; i++) {
			free((void *)p[i].job[m].in);
			free(p[i].job[m].out);
		}
	}
	parties_free(p, n);
	return bad;
}

/* Run the operators @first to @last on all types that the test selects. @which: a mask: 1 floats, 2
 * integers, 4 records.
 */
static void check(struct __test_metadata *_metadata, unsigned int dim, bool faults,
		  unsigned int first, unsigned int last, unsigned int which)
{
	struct kind k[256];
	unsigned int nk = kinds_list(k, first, last, which & 1, which & 2, which & 4);
	struct cube c;

	ASSERT_EQ(0, cube_ready(&c, dim, faults));
	EXPECT_EQ(0, kinds_run(&c, k, nk, 1));
	EXPECT_EQ(0, kinds_run(&c, k, nk, 137));
	EXPECT_EQ(0, cube_del(&c));
}

#define FLOATS 1
#define INTS 2
#define RECORDS 4

TEST(integers_of_all_types_are_combined_by_all_operators)
{
	check(_metadata, 3, false, HYPERCUBE_SUM, HYPERCUBE_XOR, INTS);
}

TEST(floats_are_combined_bit_for_bit_in_merge_order)
{
	check(_metadata, 3, false, HYPERCUBE_SUM, HYPERCUBE_XOR, FLOATS);
}

TEST(minloc_and_maxloc_are_right_for_all_types)
{
	check(_metadata, 3, false, HYPERCUBE_MINLOC, HYPERCUBE_MAXLOC, FLOATS | INTS);
}

TEST(min_and_max_of_records_are_right)
{
	check(_metadata, 3, false, HYPERCUBE_MIN, HYPERCUBE_MAX, RECORDS);
}

TEST(all_operators_and_types_are_right_on_16_nodes)
{
	check(_metadata, 4, false, HYPERCUBE_SUM, HYPERCUBE_MAXLOC, FLOATS | INTS | RECORDS);
}

TEST(all_operators_and_types_are_right_with_effective_helpers)
{
	check(_metadata, 4, true, HYPERCUBE_SUM, HYPERCUBE_MAXLOC, FLOATS | INTS | RECORDS);
}

TEST(float_sums_and_products_have_same_bits_in_every_run)
{
	struct kind k[2] = { { HYPERCUBE_SUM, HYPERCUBE_F64, 0, false },
			     { HYPERCUBE_PROD, HYPERCUBE_F32, 0, false } };
	struct cube c;
	unsigned int i;

	ASSERT_EQ(0, cube_ready(&c, 4, true));
	for (i = 0; i < scaled(20); i++)
		EXPECT_EQ(0, kinds_run(&c, k, 2, 500));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
