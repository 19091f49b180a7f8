// SPDX-License-Identifier: GPL-2.0
/*
 * The figures of Schollmeyer and McMillin's paper. Processors are numbered from 1 in the paper, and
 * in the strings of this file. ctl/plan/mfi.h explains environments, fault matrices and groups.
 */
#include "mfi_test.h"

/* The environments of figure 3.3. */
static const char figure_3_3[] = "1 2 3, 1 2, 1 2 3, 3 4 5, 3 5 7, 3 4 5 6, 3 5 7";

/* Return: true if @want is the row of the fault matrix for this set of faults. */
static bool row_is(const struct hc_mfi_net *net, const char *faults, const char *want)
{
	bool *set = set_of(net, faults);
	char row[64];

	hc_mfi_row(net, set, row);
	free(set);
	if (strcmp(row, want))
		printf("# %s, not %s\n", row, want);
	return !strcmp(row, want);
}

/* Return: number of groups that are made around the largest set; 0 if they are wrong, are not
 * proved to be the fewest, or, unless @each is 0, do not have @each processes each. Frees @net.
 */
static uint32_t groups(struct hc_mfi_net *net, uint32_t each)
{
	struct hc_mfi_groups g;
	struct hc_mfi_found r;
	uint32_t sizes[64] = {}, u, count;

	if (hc_mfi_find(net, HC_MFI_AUTO, &r, NULL, NULL) ||
	    hc_mfi_groups(net, r.set, r.upper, &g))
		return 0;
	count = hc_mfi_groups_feasible(net, g.of, g.count) ? g.count : 0;
	for (u = 0; u < net->n; u++)
		sizes[g.of[u]]++;
	for (u = 0; each && u < count; u++)
		if (sizes[u] != each)
			count = 0;
	/* The number of groups must be proved to be the least. */
	if (g.lower != count)
		count = 0;
	free(r.set);
	free(g.of);
	hc_mfi_free(net);
	return count;
}

/* Figure 1.2: if the environments are squares of 2 x 2 processors, there are four groups; if two
 * faults are allowed in an environment, two.
 */
TEST(mfi_figure_1_2_squares_make_four_groups)
{
	EXPECT_EQ(4, groups(hc_mfi_grid(4, 4, true, HC_MFI_SQUARE, 1), 4));
	EXPECT_EQ(4, groups(hc_mfi_grid(4, 4, false, HC_MFI_SQUARE, 1), 4));
	EXPECT_EQ(4, groups(hc_mfi_grid(6, 8, true, HC_MFI_SQUARE, 1), 12));
	EXPECT_EQ(2, groups(hc_mfi_grid(4, 4, true, HC_MFI_SQUARE, 2), 8));
}

/* Figure 3.1: the fault matrix if each environment may have one fault. No other processor may be
 * faulty that shares an environment with the fault.
 */
TEST(mfi_figure_3_1_all_in_an_environment_with_a_fault)
{
	struct hc_mfi_net *net = listed("1 2 3 4, 2, 3, 4, 5, 6, 2 6 7", 1);

	/* The text's example: 2 is adjacent to all other processors of both environments that it is
	 * in.
	 */
	EXPECT_TRUE(row_is(net, "2", "FTFF-FF"));
	EXPECT_TRUE(row_is(net, "1", "TFFF---"));
	EXPECT_TRUE(row_is(net, "5", "----T--"));
	hc_mfi_free(net);
}

/* Figure 3.3: if processors 1, 5 and 3 are picked first, the colouring finds these three faults. */
TEST(mfi_figure_3_3_multicolouring)
{
	static const uint32_t picks[] = { 0, 4, 2 };
	struct hc_mfi_net *net = listed(figure_3_3, 2);
	bool *want = set_of(net, "1 3 5"), set[7];

	EXPECT_EQ(3, hc_mfi_colour(net, picks, 3, set));
	EXPECT_EQ(0, memcmp(want, set, sizeof(set)));
	EXPECT_TRUE(hc_mfi_feasible(net, set));
	/* The text says "Components 2, 4, 6 and 7 must be non-faulty." */
	EXPECT_TRUE(row_is(net, "1 3 5", "TFTFTFF"));
	free(want);
	hc_mfi_free(net);
}

/* A row of the fault matrix: the faults, and the marks T, F or - of all processors. */
struct row {
	const char *faults;
	const char *marks;
};

/* Check rows for a torus of 5 x 5 with at most @tg faults in each environment. */
static bool torus_rows(uint32_t tg, const struct row *row, size_t n)
{
	struct hc_mfi_net *net = hc_mfi_grid(5, 5, true, HC_MFI_STAR, tg);

	while (n--)
		CHECK(row_is(net, row[n].faults, row[n].marks));
	hc_mfi_free(net);
	return true;
}

/* Figure 3.4: rows of the fault matrix if each environment may have one fault. */
TEST(mfi_figure_3_4_one_fault_in_an_environment)
{
	static const struct row rows[] = {
		{ "1", "TFFFFFF--FF----F----FF--F" },
		{ "2", "FTFFFFFF---F----F---FFF--" },
		{ "3", "FFTFF-FFF---F----F---FFF-" },
		{ "25", "F--FF----F----FF--FFFFFFT" },
	};

	EXPECT_TRUE(torus_rows(1, rows, ARRAY_SIZE(rows)));
}

/* Figure 3.4: rows of the fault matrix if each environment may have two faults. */
TEST(mfi_figure_3_4_two_faults_in_an_environment)
{
	static const struct row rows[] = {
		{ "1 2", "TTF-FFF-------------FF---" },
		{ "1 3", "TFT---F--------------F---" },
		{ "1 4", "T--TF----F--------------F" },
		{ "1 25", "T--FF----F-----F----FF--T" },
		{ "2 3", "FTTF--FF-------------FF--" },
		{ "24 25", "---FF-------------FFF-FTT" },
	};

	EXPECT_TRUE(torus_rows(2, rows, ARRAY_SIZE(rows)));
}

/* Figure 5.1: with squares in a torus of 6 x 6, 9 processors may be faulty. */
TEST(mfi_figure_5_1_squares)
{
	struct hc_mfi_net *net = hc_mfi_grid(6, 6, true, HC_MFI_SQUARE, 1);

	/* The non-fault group of processor 8 consists of the eight processors around it. */
	EXPECT_TRUE(row_is(net, "8", "FFF---FTF---FFF---------------------"));
	EXPECT_EQ(9, mfi(net, HC_MFI_AUTO));
	EXPECT_EQ(9, mfi(net, HC_MFI_SEARCH));
	hc_mfi_free(net);
	EXPECT_EQ(6, mfi_of(hc_mfi_grid(4, 7, true, HC_MFI_SQUARE, 1)));
	EXPECT_EQ(1, mfi_of(hc_mfi_grid(2, 2, true, HC_MFI_SQUARE, 1)));
}

/* Figure 5.2: with stars in a torus of 5 x 5, the five faults that the paper shows are the largest
 * set, and there are five groups of five.
 */
TEST(mfi_figure_5_2_star)
{
	struct hc_mfi_net *net = hc_mfi_grid(5, 5, true, HC_MFI_STAR, 1);
	/* As (row, column): (0,0), (1,2), (2,4), (3,1), (4,3). */
	bool *want = set_of(net, "1 8 15 17 24");
	struct hc_mfi_groups g;
	struct hc_mfi_found r;
	uint32_t u;

	EXPECT_TRUE(hc_mfi_feasible(net, want));
	EXPECT_EQ(0, hc_mfi_find(net, HC_MFI_AUTO, &r, NULL, NULL));
	EXPECT_EQ(5, r.size);
	EXPECT_EQ(5, r.upper);
	EXPECT_EQ(0, memcmp(want, r.set, net->n * sizeof(*want)));
	EXPECT_EQ(0, hc_mfi_groups(net, r.set, r.upper, &g));
	EXPECT_TRUE(g.keeps);
	for (u = 0; u < net->n; u++)
		EXPECT_EQ(want[u], !g.of[u]);
	free(want);
	free(r.set);
	free(g.of);
	EXPECT_EQ(5, groups(net, 5));
}

/* Figure 5.3: in the cube of eight nodes, two opposite nodes may be faulty, and the pairs of
 * opposite nodes are four groups.
 */
TEST(mfi_figure_5_3_cube_of_eight_nodes)
{
	struct hc_mfi_net *net = hc_mfi_cube(3, 1);
	static const uint32_t pair[] = { 0, 1, 2, 3, 3, 2, 1, 0 };
	struct hc_mfi_groups g;
	struct hc_mfi_found r;

	EXPECT_EQ(0, hc_mfi_find(net, HC_MFI_AUTO, &r, NULL, NULL));
	EXPECT_EQ(2, r.size);
	EXPECT_TRUE(r.set[0] && r.set[7]);
	EXPECT_EQ(0, hc_mfi_groups(net, r.set, r.upper, &g));
	/* The groups are 000 and 111, 001 and 110, 010 and 101, 011 and 100. */
	EXPECT_EQ(4, g.count);
	EXPECT_EQ(0, memcmp(pair, g.of, sizeof(pair)));
	free(r.set);
	free(g.of);
	hc_mfi_free(net);
}

/* Section 5.1.2: k-ary n-cubes with a perfect code have sets of k^n / (2n + 1) processors. */
TEST(mfi_kary_cube_with_perfect_code_has_set_of_paper_size)
{
	struct hc_mfi_net *net = hc_mfi_kary(7, 3, 1);
	struct hc_mfi_groups g;
	struct hc_mfi_found r;
	uint32_t paper;

	EXPECT_EQ(0, hc_mfi_find(net, HC_MFI_AUTO, &r, NULL, NULL));
	EXPECT_EQ(0, hc_mfi_groups(net, r.set, r.upper, &g));
	EXPECT_TRUE(hc_mfi_feasible(net, r.set));
	EXPECT_EQ(49, r.size);
	EXPECT_EQ(49, r.upper);
	EXPECT_TRUE(hc_mfi_paper(net, &paper));
	EXPECT_EQ(49, paper);
	EXPECT_EQ(7, g.count);
	EXPECT_TRUE(hc_mfi_groups_feasible(net, g.of, g.count));
	EXPECT_TRUE(g.keeps);
	free(g.of);
	free(r.set);
	hc_mfi_free(net);
}

TEST(mfi_sets_of_cubes_are_as_large_as_best_codes_of_distance_3)
{
	static const uint32_t size[] = { 0, 1, 1, 2, 2, 4, 8, 16, 20, 40, 72, 144, 256 };
	static const uint32_t minimal[] = { 0, 2, 4, 4, 8, 8, 8, 8 };
	unsigned int dim;

	for (dim = 1; dim <= 12; dim++) {
		struct hc_mfi_net *net = hc_mfi_cube(dim, 1);

		EXPECT_EQ(size[dim], mfi(net, HC_MFI_AUTO));
		if (dim <= 7)
			EXPECT_EQ(size[dim], mfi(net, HC_MFI_SEARCH));
		hc_mfi_free(net);
		if (dim <= 7)
			EXPECT_EQ(minimal[dim], groups(hc_mfi_cube(dim, 1), 0));
	}
}

TEST(mfi_cubes_with_more_faults_per_environment_have_known_sizes)
{
	static const uint32_t eight[] = { 2, 4, 6, 8 }, sixteen[] = { 2, 5, 8, 12, 16 };
	uint32_t tg;

	for (tg = 1; tg <= 4; tg++)
		EXPECT_EQ(eight[tg - 1], mfi_of(hc_mfi_cube(3, tg)));
	for (tg = 1; tg <= 5; tg++)
		EXPECT_EQ(sixteen[tg - 1], mfi_of(hc_mfi_cube(4, tg)));
	for (tg = 1; tg <= 8; tg++) {
		struct hc_mfi_net *net = hc_mfi_cube(7, tg);

		EXPECT_EQ(16 * tg, mfi(net, HC_MFI_AUTO));
		hc_mfi_free(net);
	}
}

TEST(mfi_stars_and_boxes_of_many_sizes_have_known_set_sizes)
{
	static const uint32_t torus[] = { 0, 0, 0, 1, 2, 5, 6, 8, 10, 13, 20, 22 };
	static const uint32_t mesh[] = { 0, 0, 0, 2, 4, 6, 8, 10, 13 };
	static const uint32_t box[] = { 0, 0, 0, 1, 1, 1, 4, 4, 5 };
	uint32_t k;

	for (k = 3; k <= 10; k++)
		EXPECT_EQ(torus[k], mfi_of(hc_mfi_grid(k, k, true, HC_MFI_STAR, 1)));
	for (k = 3; k <= 8; k++)
		EXPECT_EQ(mesh[k], mfi_of(hc_mfi_grid(k, k, false, HC_MFI_STAR, 1)));
	for (k = 3; k <= 8; k++)
		EXPECT_EQ(box[k], mfi_of(hc_mfi_grid(k, k, true, HC_MFI_BOX, 1)));
	EXPECT_EQ(5, mfi_of(hc_mfi_grid(4, 4, true, HC_MFI_STAR, 2)));
	EXPECT_EQ(10, mfi_of(hc_mfi_grid(5, 5, true, HC_MFI_STAR, 2)));
}

TEST(mfi_formula_for_squares_gives_feasible_set_of_that_size)
{
	uint32_t rows, cols;

	for (rows = 2; rows <= 24; rows++)
		for (cols = 2; cols <= 24; cols++) {
			struct hc_mfi_net *net = hc_mfi_grid(rows, cols, true, HC_MFI_SQUARE, 1);
			uint32_t j = rows / 2, k = cols / 2, want = j * k, upper;
			bool set[24 * 24];
			const char *why;

			if (rows % 2 && cols % 2)
				want += (j < k ? j : k) / 2;
			hc_mfi_closed(net, set, &upper, &why);
			EXPECT_EQ(want, upper);
			EXPECT_EQ(want, hc_mfi_count(net, set));
			EXPECT_TRUE(hc_mfi_feasible(net, set));
			hc_mfi_free(net);
		}
}
