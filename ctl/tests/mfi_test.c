// SPDX-License-Identifier: GPL-2.0
/*
 * The maximal fault index: small networks, compared with trying everything.
 */
#include "mfi_test.h"

struct hc_mfi_net *listed(const char *envs, uint32_t tg)
{
	struct hc_mfi_pair p[256];
	uint32_t of = 0, n = 1;
	size_t np = 0;

	while (*envs) {
		if (*envs >= '1' && *envs <= '9')
			p[np++] = (struct hc_mfi_pair){ of, *envs - '1' };
		of += *envs++ == ',';
	}
	n = of + 1;
	return hc_mfi_new(n, p, np, tg);
}

bool *set_of(const struct hc_mfi_net *net, const char *members)
{
	bool *set = calloc(net->n, sizeof(*set));

	for (;;) {
		char *end;
		unsigned long v = strtoul(members, &end, 10);

		if (end == members)
			return set;
		set[v - 1] = true;
		members = end;
	}
}

uint32_t brute(const struct hc_mfi_net *net)
{
	uint32_t env[32] = {}, set, best = 0, i;

	for (i = 0; i < net->n; i++)
		HC_MFI_EACH(v, &net->env, i)
			env[i] |= UINT32_C(1) << *v;
	for (set = 0; set < UINT32_C(1) << net->n; set++) {
		uint32_t size = (uint32_t)__builtin_popcount(set);

		if (size <= best)
			continue;
		for (i = 0; i < net->n; i++)
			if ((uint32_t)__builtin_popcount(set & env[i]) > hc_mfi_tg(net, i))
				break;
		if (i == net->n)
			best = size;
	}
	return best;
}

uint32_t mfi(const struct hc_mfi_net *net, enum hc_mfi_method method)
{
	struct hc_mfi_found r;
	uint32_t size = UINT32_MAX;

	if (!hc_mfi_find(net, method, &r, NULL, NULL) && hc_mfi_feasible(net, r.set) &&
	    hc_mfi_count(net, r.set) == r.size && r.size <= r.upper && r.why &&
	    (method == HC_MFI_COLOUR || r.size == r.upper))
		size = r.size;
	free(r.set);
	return size;
}

uint32_t mfi_of(struct hc_mfi_net *net)
{
	uint32_t all = mfi(net, HC_MFI_AUTO);

	if (net->n <= 100 && all != mfi(net, HC_MFI_SEARCH))
		all = UINT32_MAX;
	hc_mfi_free(net);
	return all;
}

/* The rank is computed by fraction-free elimination, which does not overflow: minors of a small
 * matrix of 0 and 1 are small.
 */
int escapes_brute(const struct hc_mfi_net *net, const uint32_t *faults, uint32_t k)
{
	long long m[64][8] = {}, last = 1;
	uint32_t rows = 0, rank = 0, i, j, c, r;

	for (i = 0; i < net->n; i++) {
		for (j = 0; j < k && faults[j] != i; j++)
			;
		if (j < k)
			continue;
		for (j = 0; j < k; j++)
			HC_MFI_EACH(v, &net->env, i)
				m[rows][j] |= *v == faults[j];
		rows++;
	}
	for (c = 0; c < k; c++) {
		for (r = rank; r < rows && !m[r][c]; r++)
			;
		if (r == rows)
			continue;
		for (j = 0; j < k; j++) {
			long long swap = m[r][j];

			m[r][j] = m[rank][j];
			m[rank][j] = swap;
		}
		for (i = rank + 1; i < rows; i++) {
			long long f = m[i][c];

			for (j = 0; j < k; j++)
				m[i][j] = (m[i][j] * m[rank][c] - f * m[rank][j]) / last;
		}
		last = m[rank++][c];
	}
	return (int)(k - rank);
}

/* Return: true if the groups around a largest set are feasible, and their number is within the
 * bounds.
 */
static bool groups_hold(const struct hc_mfi_net *net)
{
	struct hc_mfi_groups g;
	struct hc_mfi_found r;

	CHECK(!hc_mfi_find(net, HC_MFI_AUTO, &r, NULL, NULL));
	CHECK(!hc_mfi_groups(net, r.set, r.upper, &g));
	CHECK(hc_mfi_groups_feasible(net, g.of, g.count));
	CHECK(g.lower <= g.count && g.count <= g.first_fit);
	free(g.of);
	free(r.set);
	return true;
}

/* Compare formulas, search and groups with a trial of all sets. Frees @net. */
static bool net_holds(struct hc_mfi_net *net)
{
	uint32_t all = brute(net);

	CHECK(mfi(net, HC_MFI_AUTO) == all);
	CHECK(mfi(net, HC_MFI_SEARCH) == all);
	CHECK(mfi(net, HC_MFI_COLOUR) <= all);
	CHECK(groups_hold(net));
	hc_mfi_free(net);
	return true;
}

TEST(mfi_of_small_cubes_matches_brute_force)
{
	unsigned int dim, tg;

	for (dim = 1; dim <= 4; dim++)
		for (tg = 1; tg <= dim + 1; tg++)
			EXPECT_TRUE(net_holds(hc_mfi_cube(dim, tg)));
}

TEST(mfi_of_small_meshes_and_tori_matches_brute_force)
{
	uint32_t rows, cols, tg;
	unsigned int p;

	for (rows = 1; rows <= 4; rows++)
		for (cols = 1; rows * cols <= 16; cols++)
			for (p = 0; p < 6; p++)
				for (tg = 1; tg <= 3; tg++)
					EXPECT_TRUE(net_holds(hc_mfi_grid(rows, cols, p & 1,
									  p / 2, tg)));
}

TEST(mfi_of_random_environments_matches_brute_force)
{
	unsigned int round, i;

	for (round = 0; round < 2000; round++) {
		uint32_t n = 1 + rnd(11), np = rnd(3 * n + 1);
		struct hc_mfi_pair p[64];

		for (i = 0; i < np; i++)
			p[i] = (struct hc_mfi_pair){ rnd(n), rnd(n) };
		EXPECT_TRUE(net_holds(hc_mfi_new(n, p, np, 1 + rnd(4))));
	}
}

/* Each environment has a greatest number of faults of its own. */
TEST(mfi_with_random_fault_limits_matches_brute_force)
{
	unsigned int round, i;

	for (round = 0; round < 2000; round++) {
		uint32_t n = 1 + rnd(11), np = rnd(3 * n + 1), tg[16];
		struct hc_mfi_pair p[64];
		struct hc_mfi_net *net;

		for (i = 0; i < np; i++)
			p[i] = (struct hc_mfi_pair){ rnd(n), rnd(n) };
		for (i = 0; i < n; i++)
			tg[i] = 1 + rnd(3);
		net = round % 3 ? hc_mfi_new(n, p, np, 1) : hc_mfi_grid(1, n, true, HC_MFI_STAR, 9);
		EXPECT_EQ(0, hc_mfi_set_tg(net, tg));
		for (i = 0; i < n; i++)
			EXPECT_EQ(tg[i], hc_mfi_tg(net, i));
		EXPECT_TRUE(net_holds(net));
	}
}

/* Is @v in the environment of @u? Only coordinates are used. */
static bool asks(uint32_t rows, uint32_t cols, bool wrap, unsigned int p, uint32_t u, uint32_t v)
{
	int dr, dc;

	for (dr = -1; dr <= 1; dr++)
		for (dc = -1; dc <= 1; dc++) {
			int row = (int)(u / cols) + dr, col = (int)(u % cols) + dc;

			if (p == HC_MFI_STAR && dr && dc)
				continue;
			if (p == HC_MFI_SQUARE && (dr < 0 || dc < 0))
				continue;
			if (wrap) {
				row = (row + (int)rows) % (int)rows;
				col = (col + (int)cols) % (int)cols;
			}
			if (row == (int)(v / cols) && col == (int)(v % cols))
				return true;
		}
	return false;
}

/* Return: true if @v is in list @i. */
static bool has(const struct hc_mfi_lists *l, uint32_t i, uint32_t v)
{
	HC_MFI_EACH(w, l, i)
		if (*w == v)
			return true;
	return false;
}

/* Check the lists of a mesh or torus against asks(). */
static bool grid_is(uint32_t rows, uint32_t cols, bool wrap, unsigned int p)
{
	struct hc_mfi_net *net = hc_mfi_grid(rows, cols, wrap, p, 1);
	uint32_t u, v, i;

	for (u = 0; u < net->n; u++)
		for (v = 0; v < net->n; v++) {
			bool both = false, in = asks(rows, cols, wrap, p, u, v);

			CHECK(has(&net->env, u, v) == in && has(&net->in, v, u) == in);
			for (i = 0; i < net->n; i++)
				both |= asks(rows, cols, wrap, p, i, u) &&
					asks(rows, cols, wrap, p, i, v);
			CHECK(has(&net->aug, u, v) == (both && u != v));
		}
	hc_mfi_free(net);
	return true;
}

TEST(mfi_environments_of_meshes_and_tori_match_coordinates)
{
	uint32_t rows, cols;
	unsigned int p;

	for (rows = 1; rows <= 5; rows++)
		for (cols = 1; cols <= 5; cols++)
			for (p = 0; p < 6; p++)
				EXPECT_TRUE(grid_is(rows, cols, p & 1, p / 2));
}

/* Is @v the processor @u, or one step away from it along one axis, in either direction? */
static bool kary_asks(uint32_t k, unsigned int axes, uint32_t u, uint32_t v)
{
	uint32_t steps = 0, by;
	unsigned int d;

	for (d = 0; d < axes; d++, u /= k, v /= k) {
		by = (u % k + k - v % k) % k;
		steps += by < k - by ? by : k - by;
	}
	return steps <= 1;
}

TEST(mfi_environments_of_kary_cubes_match_coordinates)
{
	uint32_t k, n, u, v;
	unsigned int axes;

	for (k = 2; k <= 7; k++)
		for (axes = 1, n = k; axes <= 4 && n <= 343; axes++, n *= k) {
			struct hc_mfi_net *net = hc_mfi_kary(k, axes, 1);

			EXPECT_EQ(n, net->n);
			for (u = 0; u < n; u++)
				for (v = 0; v < n; v++)
					EXPECT_EQ(kary_asks(k, axes, u, v), has(&net->env, u, v));
			if (n <= 16)
				EXPECT_TRUE(net_holds(net));
			else
				hc_mfi_free(net);
		}
}

/* Check the row of the fault matrix and the non-fault group of each set of one or two processors.
 * This check needs no trial of all sets, so the network may be large.
 */
static bool matrix_holds(struct hc_mfi_net *net)
{
	bool *set = calloc(net->n, sizeof(*set)), *nfg = calloc(net->n, sizeof(*nfg));
	char row[64];
	uint32_t u, v, w;

	for (u = 0; u < net->n; u++)
		for (v = u; v < net->n; v++) {
			set[u] = true;
			set[v] = true;
			hc_mfi_row(net, set, row);
			hc_mfi_nfg(net, set, nfg);
			for (w = 0; w < net->n && hc_mfi_feasible(net, set); w++) {
				bool was = set[w], fits;

				CHECK(row[w] == (was ? 'T' : nfg[w] ? 'F' : '-'));
				set[w] = true;
				fits = hc_mfi_feasible(net, set);
				set[w] = was;
				/* The processors that may not be faulty in addition are exactly the
				 * non-fault group.
				 */
				CHECK(was || fits == !nfg[w]);
			}
			set[u] = false;
			set[v] = false;
		}
	free(set);
	free(nfg);
	hc_mfi_free(net);
	return true;
}

TEST(mfi_exactly_the_non_fault_group_cannot_fail_in_addition)
{
	uint32_t tg;

	for (tg = 1; tg <= 3; tg++) {
		EXPECT_TRUE(matrix_holds(hc_mfi_cube(4, tg)));
		EXPECT_TRUE(matrix_holds(hc_mfi_grid(5, 5, true, HC_MFI_STAR, tg)));
		EXPECT_TRUE(matrix_holds(hc_mfi_grid(4, 6, false, HC_MFI_BOX, tg)));
	}
}

/* Compare hc_mfi_escapes() with escapes_brute() for a random set of @k faults. */
static bool rank_holds(const struct hc_mfi_net *net, uint32_t k)
{
	uint32_t f[8], i, j;

	for (i = 0; i < k; i++)
		for (f[i] = rnd(net->n), j = 0; j < i; j++)
			if (f[j] == f[i])
				return true;
	for (i = 0; i < k; i++)
		for (j = i; j && f[j] < f[j - 1]; j--) {
			uint32_t swap = f[j];

			f[j] = f[j - 1];
			f[j - 1] = swap;
		}
	CHECK(hc_mfi_escapes(net, f, k) == escapes_brute(net, f, k));
	return true;
}

TEST(mfi_escapes_match_fraction_free_elimination)
{
	unsigned int round, i;

	for (round = 0; round < 3000; round++) {
		uint32_t n = 8 + rnd(20), np = n + rnd(3 * n);
		struct hc_mfi_pair p[128];
		struct hc_mfi_net *net;

		for (i = 0; i < np; i++)
			p[i] = (struct hc_mfi_pair){ rnd(n), rnd(n) };
		net = hc_mfi_new(n, p, np, 1);
		EXPECT_TRUE(rank_holds(net, 1 + rnd(8)));
		hc_mfi_free(net);
	}
}

/* End a search at the third call. */
static bool ask_no_more(void *arg)
{
	return ++*(unsigned int *)arg < 3;
}

TEST(mfi_stopped_search_returns_feasible_set_and_bound)
{
	struct hc_mfi_net *net = hc_mfi_cube(8, 1);
	struct hc_mfi_found r;
	unsigned int asked = 0;

	EXPECT_EQ(0, hc_mfi_find(net, HC_MFI_SEARCH, &r, ask_no_more, &asked));
	EXPECT_EQ(3, asked);
	EXPECT_TRUE(hc_mfi_feasible(net, r.set));
	EXPECT_EQ(r.size, hc_mfi_count(net, r.set));
	EXPECT_LE(16, r.size);
	EXPECT_LE(20, r.upper);
	free(r.set);
	hc_mfi_free(net);
}

TEST_HARNESS_MAIN
