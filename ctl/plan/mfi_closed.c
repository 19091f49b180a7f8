// SPDX-License-Identifier: GPL-2.0
/*
 * Largest feasible sets by formula, where one is true; and what the paper's say.
 */
#include <string.h>

#include "mfi.h"

static uint32_t at(const struct hc_mfi_net *net, uint32_t row, uint32_t col)
{
	return row % net->rows * net->cols + col % net->cols;
}

/* Every so many rows and columns one, as many as have room. */
static uint32_t spread(const struct hc_mfi_net *net, uint32_t by, uint32_t rows, uint32_t cols,
		       bool *set)
{
	uint32_t i, j;

	for (i = 0; i < rows; i++)
		for (j = 0; j < cols; j++)
			set[at(net, i * by, j * by)] = true;
	return rows * cols;
}

/* What column @col has with an odd number of columns: half of @j, but with an odd @j one
 * more in every other column.
 */
static uint32_t share(uint32_t j, uint32_t col)
{
	return (j + col % 2) / 2;
}

/*
 * Hales, Numerical invariants and the strong product of graphs: of 2j + 1 rows and 2k + 1
 * columns, j <= k, each pair of neighbouring columns has j at most. Number the rows 0, 2, 4,
 * .. as they come when going around: those that are neighbours are then at least j apart,
 * so each arc of j numbers may be faulty. Columns that are neighbours have such an arc
 * between them. The arcs go around until they meet the first column's again, and then
 * forth and back.
 */
static uint32_t odd_square(const struct hc_mfi_net *net, bool *set)
{
	bool turned = net->rows > net->cols;
	uint32_t rows = turned ? net->cols : net->rows, cols = turned ? net->rows : net->cols;
	uint32_t j = rows / 2, start = 0, col, i;
	uint32_t onward = j % 2 ? 2 * j - 1 : 2 * j + 1;

	for (col = 0; col < cols; col++) {
		for (i = 0; i < share(j, col); i++) {
			uint32_t row = 2 * (start + i) % rows;

			set[turned ? at(net, col, row) : at(net, row, col)] = true;
		}
		if (col + 1 < onward || (col + 1 - onward) % 2 == 0)
			start += share(j, col);
		else
			start += rows - share(j, col + 1);
	}
	return j * (cols / 2) + j / 2;
}

static uint32_t torus_square(const struct hc_mfi_net *net, bool *set, const char **why)
{
	if (net->rows % 2 && net->cols % 2) {
		*why = "odd torus: jk + floor(j/2)";
		return odd_square(net, set);
	}
	*why = "floor(rows/2) floor(columns/2), one of which is even";
	return spread(net, 2, net->rows / 2, net->cols / 2, set);
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Three rows that follow each other have no more than a cycle of columns. */
static uint32_t torus_box(const struct hc_mfi_net *net, bool *set, const char **why)
{
	uint32_t rows = net->rows / 3, cols = net->cols / 3;

	*why = "three rows or columns have no more than one of them";
	spread(net, 3, rows, cols, set);
	return least(net->rows * cols / 3, net->cols * rows / 3);
}

/*
 * Perfect codes: each environment has one of each class, so tg classes fill all of them.
 */
static bool perfect(const struct hc_mfi_net *net, bool *set)
{
	uint32_t u, d, sum, row, col;

	for (u = 0; u < net->n; u++) {
		row = net->cols ? u / net->cols : 0;
		col = net->cols ? u % net->cols : 0;
		if (net->kind == HC_MFI_CUBE) {
			for (d = 0, sum = 0; d < net->dim; d++)
				sum ^= u >> d & 1 ? d + 1 : 0;
		} else if (net->pattern == HC_MFI_STAR) {
			sum = (col + 3 * row) % 5;
		} else if (net->pattern == HC_MFI_SQUARE) {
			sum = col % 2 + row % 2 * 2;
		} else {
			sum = col % 3 + row % 3 * 3;
		}
		set[u] = sum < net->tg;
	}
	return true;
}

static bool is_perfect(const struct hc_mfi_net *net)
{
	static const uint32_t period[] = {
		[HC_MFI_STAR] = 5, [HC_MFI_SQUARE] = 2, [HC_MFI_BOX] = 3,
	};

	if (net->kind == HC_MFI_CUBE)
		return !(net->dim & (net->dim + 1));
	if (net->kind != HC_MFI_TORUS)
		return false;
	return !(net->rows % period[net->pattern]) && !(net->cols % period[net->pattern]);
}

static bool single(const struct hc_mfi_net *net, bool *set, uint32_t *upper, const char **why)
{
	uint32_t by = net->pattern == HC_MFI_BOX ? 3 : 2;

	if (net->kind == HC_MFI_CUBE) {
		*why = "A(n,3), the largest code of distance 3";
		*upper = hc_mfi_code(net->dim, set);
		return true;
	}
	if (net->pattern != HC_MFI_SQUARE && net->pattern != HC_MFI_BOX)
		return false;
	if (net->kind == HC_MFI_MESH) {
		*why = by == 2 ? "ceil(rows/2) ceil(columns/2)" : "ceil(rows/3) ceil(columns/3)";
		*upper = spread(net, by, (net->rows + by - 1) / by, (net->cols + by - 1) / by, set);
		return true;
	}
	if (net->kind != HC_MFI_TORUS || net->rows < by || net->cols < by)
		return false;
	*upper = by == 2 ? torus_square(net, set, why) : torus_box(net, set, why);
	return true;
}

void hc_mfi_closed(const struct hc_mfi_net *net, bool *set, uint32_t *upper, const char **why)
{
	memset(set, 0, net->n * sizeof(*set));
	*upper = net->n;
	*why = NULL;
	if (net->pattern == HC_MFI_LISTED)
		return;
	if (is_perfect(net) && net->tg <= hc_mfi_length(&net->env, 0)) {
		*why = "perfect code";
		perfect(net, set);
		*upper = hc_mfi_count(net, set);
	} else if (net->tg == 1) {
		single(net, set, upper, why);
	}
}

bool hc_mfi_paper(const struct hc_mfi_net *net, uint32_t *mfi)
{
	unsigned int m;

	if (net->tg != 1 || net->kind == HC_MFI_GRAPH || net->pattern == HC_MFI_LISTED)
		return false;
	if (net->kind == HC_MFI_CUBE) {
		for (m = 0; UINT32_C(2) << m <= net->n / (net->dim + 1); m++)
			;
		*mfi = UINT32_C(1) << m;
	} else if (net->pattern == HC_MFI_SQUARE && net->kind == HC_MFI_TORUS) {
		*mfi = net->rows / 2 * (net->cols / 2);
	} else if (net->pattern == HC_MFI_STAR && net->kind == HC_MFI_TORUS) {
		*mfi = net->n / 5;
	} else if (net->pattern == HC_MFI_BOX) {
		*mfi = net->n / 9;
	} else {
		return false;
	}
	return true;
}
