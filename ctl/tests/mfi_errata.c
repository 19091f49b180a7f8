// SPDX-License-Identifier: GPL-2.0
/*
 * Claims of Schollmeyer and McMillin that are wrong as printed: the counterexamples of
 * Documentation/errata.rst.
 */
#include "mfi_test.h"

/* The environments of figure 3.3. */
static const char figure_3_3[] = "1 2 3, 1 2, 1 2 3, 3 4 5, 3 5 7, 3 4 5 6, 3 5 7";

/* Figure 3.3 ends with three faults. Five are possible. */
TEST(mfi_figure_3_3_is_not_the_largest)
{
	struct hc_mfi_net *net = listed(figure_3_3, 2);
	bool *larger = set_of(net, "1 2 4 6 7");

	EXPECT_TRUE(hc_mfi_feasible(net, larger));
	EXPECT_EQ(5, brute(net));
	EXPECT_EQ(5, mfi(net, HC_MFI_AUTO));
	free(larger);
	hc_mfi_free(net);
}

/* No choice of the first, second and third pick leads to the largest set. */
TEST(mfi_colouring_misses_the_largest_set_with_any_first_picks)
{
	struct hc_mfi_net *net = listed("1 2, 2 3, 1 3", 2);
	uint32_t i, picks[3];
	bool set[3];

	for (i = 0; i < 27; i++) {
		picks[0] = i % 3;
		picks[1] = i / 3 % 3;
		picks[2] = i / 9;
		EXPECT_GE(2, hc_mfi_colour(net, picks, 3, set));
	}
	EXPECT_EQ(3, mfi(net, HC_MFI_AUTO));
	hc_mfi_free(net);
}

/* Return: number of faulty processors that are adjacent to @u in the augmented graph. */
static uint32_t faulty_near(const struct hc_mfi_net *net, const bool *set, uint32_t u)
{
	uint32_t n = 0;

	HC_MFI_EACH(v, &net->aug, u)
		n += set[*v];
	return n;
}

/* Return: number of faulty processors that are adjacent to @u; -1 if the definition does not allow
 * this set of faults.
 */
static int allowed_near(const char *links, uint32_t tg, const char *faults, uint32_t u)
{
	struct hc_mfi_net *net = listed(links, tg);
	bool *set = set_of(net, faults);
	int n = hc_mfi_feasible(net, set) ? (int)faulty_near(net, set, u) : -1;

	free(set);
	hc_mfi_free(net);
	return n;
}

/* Section III claims "at most t_g faulty vertices adjacent to each non-faulty vertex". */
TEST(mfi_healthy_processor_may_have_more_than_t_g_faulty_neighbours)
{
	EXPECT_EQ(2, allowed_near(figure_3_3, 1, "1 5", 2));
}

/* Section III also claims "at most t_g - 1 faulty components adjacent to a faulty component". */
TEST(mfi_faulty_processor_may_have_t_g_faulty_neighbours)
{
	EXPECT_EQ(2, allowed_near("1 2, 2 3, 1 3", 2, "1 2 3", 0));
}

/* Figure 3.4 leaves processor 5 undefined, as the definition does; the algorithm of figure 3.2
 * makes it "not faulty".
 */
TEST(mfi_figure_3_2_forbids_too_much)
{
	struct hc_mfi_net *net = hc_mfi_grid(5, 5, true, HC_MFI_STAR, 2);
	static const uint32_t faults[] = { 0, 2 };
	bool *set = set_of(net, "1 3"), *more = set_of(net, "1 3 5");
	char row[26], coloured[26];

	hc_mfi_row(net, set, row);
	hc_mfi_figure_3_2(net, faults, 2, coloured);
	EXPECT_EQ(0, strncmp(row, "TFT---F-----", 12));
	EXPECT_EQ('F', coloured[4]);
	EXPECT_EQ('-', row[4]);
	EXPECT_TRUE(hc_mfi_feasible(net, more));
	free(set);
	free(more);
	hc_mfi_free(net);
}

/* Section IV prints the first row as a conjunction of 12 processors. Processor 25 is missing in it.
 */
TEST(mfi_printed_conjunction_of_first_row_omits_processor_25)
{
	struct hc_mfi_net *net = hc_mfi_grid(5, 5, true, HC_MFI_STAR, 1);
	bool *printed = set_of(net, "2 3 4 5 6 7 10 11 16 21 22");
	bool *set = set_of(net, "1"), nfg[25];
	uint32_t u;

	hc_mfi_nfg(net, set, nfg);
	for (u = 0; u < 25; u++)
		EXPECT_EQ(u != 24 && nfg[u], printed[u]);
	EXPECT_TRUE(nfg[24]);
	set[24] = true;
	EXPECT_TRUE(!hc_mfi_feasible(net, set));
	free(printed);
	free(set);
	hc_mfi_free(net);
}

/* Run the algorithm of figure 4.1 as printed. @c: the first group. @group: set to the group of each
 * process. Return: number of processes that have a group.
 */
static uint32_t figure_4_1(const struct hc_mfi_net *net, const bool *c, uint32_t *group)
{
	uint32_t l = 1, i, k, m, mapped;
	bool *single = calloc(net->n, sizeof(*single)), *nfg = calloc(net->n, sizeof(*nfg));

	for (i = 0; i < net->n; i++)
		group[i] = c[i] ? 0 : UINT32_MAX;
	for (i = 0; i < net->n; i++) {
		if (!c[i])
			continue;
		HC_MFI_EACH(j, &net->env, i) {
			if (group[*j] != UINT32_MAX)
				continue;
			for (m = 1; m <= l; m++) {
				bool fits = true;

				for (k = 0; k < net->n; k++) {
					if (group[k] != m)
						continue;
					memset(single, 0, net->n);
					single[k] = true;
					hc_mfi_nfg(net, single, nfg);
					fits = fits && !nfg[*j];
				}
				if (fits)
					break;
			}
			group[*j] = m;
			l = m > l ? m : l;
		}
	}
	for (i = 0, mapped = 0; i < net->n; i++)
		mapped += group[i] != UINT32_MAX;
	free(single);
	free(nfg);
	return mapped;
}

/* Return: number of processes that figure 4.1 leaves without a group. */
static uint32_t left_out(struct hc_mfi_net *net)
{
	uint32_t *group = calloc(net->n, sizeof(*group)), left = UINT32_MAX;
	struct hc_mfi_found r;

	if (!hc_mfi_find(net, HC_MFI_AUTO, &r, NULL, NULL))
		left = net->n - figure_4_1(net, r.set, group);
	free(r.set);
	free(group);
	hc_mfi_free(net);
	return left;
}

/* The loop of figure 4.1 visits only the environments of the processes in the first group, so
 * processes that are in none of these environments get no group.
 */
TEST(mfi_figure_4_1_leaves_processes_out)
{
	EXPECT_EQ(0, left_out(hc_mfi_cube(3, 1)));
	EXPECT_EQ(6, left_out(hc_mfi_cube(4, 1)));
	EXPECT_EQ(8, left_out(hc_mfi_cube(5, 1)));
	EXPECT_EQ(6, left_out(hc_mfi_grid(4, 4, true, HC_MFI_STAR, 1)));
	EXPECT_EQ(5, left_out(hc_mfi_grid(5, 5, true, HC_MFI_SQUARE, 1)));
}

/* A single fault does not reach t_g = 2, so the non-fault group of a single process is empty: the
 * algorithm puts all processes that are not in the first group into the second one.
 */
TEST(mfi_figure_4_1_makes_an_infeasible_group_if_t_g_is_2)
{
	struct hc_mfi_net *net = hc_mfi_grid(5, 5, true, HC_MFI_STAR, 2);
	struct hc_mfi_groups g;
	struct hc_mfi_found r;
	uint32_t group[25], u, second = 0;

	EXPECT_EQ(0, hc_mfi_find(net, HC_MFI_AUTO, &r, NULL, NULL));
	EXPECT_EQ(10, r.size);
	EXPECT_EQ(25, figure_4_1(net, r.set, group));
	for (u = 0; u < 25; u++)
		second += group[u] == 1;
	EXPECT_EQ(15, second);
	EXPECT_FALSE(hc_mfi_groups_feasible(net, group, 2));
	EXPECT_EQ(0, hc_mfi_groups(net, r.set, r.upper, &g));
	EXPECT_TRUE(hc_mfi_groups_feasible(net, g.of, g.count));
	EXPECT_EQ(3, g.count);
	free(r.set);
	free(g.of);
	hc_mfi_free(net);
}

/* Make the groups around the largest set of a torus of 5 x 5. */
static bool torus_groups(enum hc_mfi_pattern pattern, struct hc_mfi_groups *g)
{
	struct hc_mfi_net *net = hc_mfi_grid(5, 5, true, pattern, 1);
	struct hc_mfi_found r;

	CHECK(!hc_mfi_find(net, HC_MFI_AUTO, &r, NULL, NULL));
	CHECK(!hc_mfi_groups(net, r.set, r.upper, g));
	free(g->of);
	free(r.set);
	hc_mfi_free(net);
	return true;
}

TEST(mfi_first_fit_makes_too_many_groups)
{
	struct hc_mfi_groups g;

	ASSERT_TRUE(torus_groups(HC_MFI_STAR, &g));
	EXPECT_EQ(5, g.count);
	EXPECT_LE(7, g.first_fit);
}

/* Return: the size of the largest set in a torus, by search. *paper: set to the value of the
 * paper's formula, or ~0 if the paper has none.
 */
static uint32_t torus_mfi(uint32_t rows, uint32_t columns, enum hc_mfi_pattern pattern,
			  uint32_t *paper)
{
	struct hc_mfi_net *net = hc_mfi_grid(rows, columns, true, pattern, 1);
	uint32_t found = mfi(net, HC_MFI_SEARCH);

	if (!hc_mfi_paper(net, paper))
		*paper = ~0u;
	hc_mfi_free(net);
	return found;
}

/* The paper's formula for the size of a largest set is div(m, 2) * div(n, 2). */
TEST(mfi_sets_of_odd_tori_with_squares_exceed_formula_of_paper)
{
	static const uint32_t size[][4] = {
		{ 5, 5, 4, 5 }, { 5, 7, 6, 7 }, { 7, 7, 9, 10 }, { 7, 9, 12, 13 },
	};
	uint32_t i, paper;

	for (i = 0; i < ARRAY_SIZE(size); i++) {
		EXPECT_EQ(size[i][3], torus_mfi(size[i][0], size[i][1], HC_MFI_SQUARE, &paper));
		EXPECT_EQ(size[i][2], paper);
	}
}

/* The paper claims "The minimum number of processors required is 4." */
TEST(mfi_odd_torus_with_squares_needs_five_groups_not_four)
{
	struct hc_mfi_groups g;

	ASSERT_TRUE(torus_groups(HC_MFI_SQUARE, &g));
	EXPECT_EQ(5, g.lower);
	EXPECT_EQ(5, g.count);
}

/* The paper's formula for the size of a largest set is k^2 / 5. */
TEST(mfi_tori_with_stars_seldom_reach_bound_of_paper)
{
	static const uint32_t bound[] = { 1, 3, 5, 7, 9 }, size[] = { 1, 2, 5, 6, 8 };
	uint32_t k, paper;

	for (k = 3; k <= 7; k++) {
		EXPECT_EQ(size[k - 3], torus_mfi(k, k, HC_MFI_STAR, &paper));
		EXPECT_EQ(bound[k - 3], paper);
	}
}

/* The paper's formula for the size of a largest set is k^n / (2n + 1). */
TEST(mfi_kary_cubes_with_stars_seldom_reach_bound_of_paper)
{
	static const struct {
		uint32_t k, bound, size;
		unsigned int axes;
	} t[] = { { 3, 3, 3, 3 }, { 4, 9, 8, 3 }, { 5, 17, 15, 3 }, { 3, 9, 9, 4 } };
	uint32_t paper, i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct hc_mfi_net *net = hc_mfi_kary(t[i].k, t[i].axes, 1);

		EXPECT_TRUE(hc_mfi_paper(net, &paper));
		EXPECT_EQ(t[i].bound, paper);
		EXPECT_EQ(t[i].size, mfi(net, HC_MFI_AUTO));
		hc_mfi_free(net);
	}
}

/* The paper's upper bound of the size of a set in a cube is B(n, 3) = 2^m. */
TEST(mfi_largest_set_of_cube_of_dimension_8_exceeds_linear_code)
{
	struct hc_mfi_net *net = hc_mfi_cube(8, 1);
	struct hc_mfi_found r;
	uint32_t paper, dim;

	EXPECT_TRUE(hc_mfi_paper(net, &paper));
	EXPECT_EQ(16, paper);
	EXPECT_EQ(0, hc_mfi_find(net, HC_MFI_AUTO, &r, NULL, NULL));
	EXPECT_TRUE(hc_mfi_feasible(net, r.set));
	EXPECT_EQ(20, hc_mfi_count(net, r.set));
	free(r.set);
	hc_mfi_free(net);
	for (dim = 1; dim <= 7; dim++) {
		net = hc_mfi_cube(dim, 1);
		EXPECT_TRUE(hc_mfi_paper(net, &paper));
		EXPECT_EQ(paper, mfi(net, HC_MFI_SEARCH));
		hc_mfi_free(net);
	}
}

/* The paper's formula for the size of a largest set is Q^2 / 9, but the mesh of section 6.2 does
 * not wrap around.
 */
TEST(mfi_largest_set_of_mesh_with_boxes_exceeds_a_ninth)
{
	uint32_t q, paper;

	for (q = 3; q <= 9; q++) {
		struct hc_mfi_net *net = hc_mfi_grid(q, q, false, HC_MFI_BOX, 1);
		uint32_t third = (q + 2) / 3;

		EXPECT_TRUE(hc_mfi_paper(net, &paper));
		EXPECT_EQ(q * q / 9, paper);
		EXPECT_EQ(third * third, mfi(net, HC_MFI_SEARCH));
		hc_mfi_free(net);
	}
}

/* The paper puts process (i, j) into group (i mod 3, j mod 3). */
TEST(mfi_nine_groups_fit_a_torus_only_if_3_divides_its_side)
{
	uint32_t q, u, of[100];
	unsigned int wrap;

	for (q = 3; q <= 10; q++)
		for (wrap = 0; wrap < 2; wrap++) {
			struct hc_mfi_net *net = hc_mfi_grid(q, q, wrap, HC_MFI_BOX, 1);

			for (u = 0; u < q * q; u++)
				of[u] = u / q % 3 * 3 + u % q % 3;
			EXPECT_EQ(!wrap || q % 3 == 0, hc_mfi_groups_feasible(net, of, 9));
			hc_mfi_free(net);
		}
}

/* Section 6.2 claims that two faults in an environment that cooperate cannot be detected. */
TEST(mfi_two_faults_in_an_environment_are_detected)
{
	struct hc_mfi_net *net = hc_mfi_grid(4, 4, false, HC_MFI_STAR, 1);
	static const uint32_t corner[] = { 0, 1, 4 };
	struct hc_mfi_escape e;
	uint32_t k;

	for (k = 1; k <= 2; k++) {
		EXPECT_EQ(0, hc_mfi_escape_all(net, k, &e, NULL, NULL));
		EXPECT_EQ(k == 1 ? 16 : 120, e.sets);
		EXPECT_EQ(0, e.escape);
		if (k == 2)
			EXPECT_EQ(62, e.feasible);
	}
	EXPECT_EQ(0, hc_mfi_escape_all(net, 3, &e, NULL, NULL));
	EXPECT_EQ(560, e.sets);
	EXPECT_EQ(4, e.escape);
	EXPECT_EQ(0, e.feasible_escape);
	EXPECT_EQ(0, memcmp(corner, e.first, sizeof(corner)));
	hc_mfi_free(net);
}

/* In a mesh with squares no other processor asks the one in the corner, so its fault escapes. */
TEST(mfi_fault_at_corner_that_no_processor_queries_is_undetected)
{
	struct hc_mfi_net *net = hc_mfi_grid(4, 4, false, HC_MFI_SQUARE, 1);
	struct hc_mfi_escape e;

	EXPECT_EQ(0, hc_mfi_escape_all(net, 1, &e, NULL, NULL));
	EXPECT_EQ(1, e.escape);
	EXPECT_EQ(1, e.feasible_escape);
	EXPECT_EQ(0, e.first[0]);
	hc_mfi_free(net);
}

/* The maximal fault index is less than t_g if there are fewer processors than that. */
TEST(mfi_index_is_below_t_g_if_there_are_fewer_processors)
{
	struct hc_mfi_net *net = hc_mfi_cube(1, 3);

	EXPECT_EQ(2, mfi(net, HC_MFI_AUTO));
	hc_mfi_free(net);
}
