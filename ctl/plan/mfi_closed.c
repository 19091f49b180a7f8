// SPDX-License-Identifier: GPL-2.0
/*
 * Largest feasible sets by formulas, where a formula is proved; and the values of the paper's
 * formulas.
 */
#include <string.h>

#include "mfi.h"

/* Return: the processor at this row and column, counted around the torus. */
static uint32_t at(const struct hc_mfi_net *net, uint32_t row, uint32_t col)
{
	return row % net->rows * net->cols + col % net->cols;
}

/* Add to @set the processors of every @by-th row and column, @rows * @cols of them. Return: their
 * number.
 */
static uint32_t spread(const struct hc_mfi_net *net, uint32_t by, uint32_t rows, uint32_t cols,
		       bool *set)
{
	uint32_t i, j;

	for (i = 0; i < rows; i++)
		for (j = 0; j < cols; j++)
			set[at(net, i * by, j * by)] = true;
	return rows * cols;
}

/* Return: number of faults in column @col of a torus with an odd number of columns: half of @j, for
 * an odd @j rounded down and up in turn.
 */
static uint32_t share(uint32_t j, uint32_t col)
{
	return (j + col % 2) / 2;
}

/* Hales, Numerical invariants and the strong product of graphs: with 2j + 1 rows and 2k + 1
 * columns, j <= k, each pair of neighbouring columns has at most j faults. Number the rows 0, 2, 4,
 * .. around the torus: the numbers of neighbouring rows then differ by at least j, so in a column
 * all rows of an arc of j consecutive numbers may be faulty. Each pair of neighbouring columns
 * shares such an arc. From column to column the arcs move around until one meets the arc of the
 * first column again; in the remaining columns they move back and forth.
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

/* Fill in @set with a largest set of a torus with squares. Return: its size. */
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

/* Fill in @set for a torus with boxes. Return: an upper bound: any three consecutive rows have at
 * most as many faults as a cycle with one processor per column, floor(columns / 3); and likewise
 * any three consecutive columns.
 */
static uint32_t torus_box(const struct hc_mfi_net *net, bool *set, const char **why)
{
	uint32_t rows = net->rows / 3, cols = net->cols / 3;

	*why = "three rows or columns have no more than one of them";
	spread(net, 3, rows, cols, set);
	return least(net->rows * cols / 3, net->cols * rows / 3);
}

/* Fill in @set from a perfect code, which divides the processors into classes such that each
 * environment has one processor of each class: so tg classes fill all environments.
 */
static bool perfect(const struct hc_mfi_net *net, bool *set)
{
	uint32_t u, d, sum, row, col, at;

	for (u = 0; u < net->n; u++) {
		row = net->cols ? u / net->cols : 0;
		col = net->cols ? u % net->cols : 0;
		sum = 0;
		if (net->kind == HC_MFI_CUBE) {
			for (d = 0; d < net->dim; d++)
				sum ^= u >> d & 1 ? d + 1 : 0;
		} else if (net->kind == HC_MFI_KARY) {
			for (d = 1, at = u; d <= net->dim; d++, at /= net->k)
				sum += d * (at % net->k);
			sum %= 2 * net->dim + 1;
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

/* Return: true if there is a perfect code for the environments of the network. */
static bool is_perfect(const struct hc_mfi_net *net)
{
	static const uint32_t period[] = {
		[HC_MFI_STAR] = 5, [HC_MFI_SQUARE] = 2, [HC_MFI_BOX] = 3,
	};

	if (net->kind == HC_MFI_CUBE)
		return !(net->dim & (net->dim + 1));
	if (net->kind == HC_MFI_KARY)
		return !(net->k % (2 * net->dim + 1));
	if (net->kind != HC_MFI_TORUS)
		return false;
	return !(net->rows % period[net->pattern]) && !(net->cols % period[net->pattern]);
}

/* Use the formulas for at most one fault in each environment. Return: false if there is none. */
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
	if (net->pattern == HC_MFI_LISTED || net->tg_of)
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

	if (net->tg != 1 || net->tg_of || net->kind == HC_MFI_GRAPH ||
	    net->pattern == HC_MFI_LISTED)
		return false;
	if (net->kind == HC_MFI_CUBE) {
		for (m = 0; UINT32_C(2) << m <= net->n / (net->dim + 1); m++)
			;
		*mfi = UINT32_C(1) << m;
	} else if (net->kind == HC_MFI_KARY) {
		*mfi = net->n / (2 * net->dim + 1);
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
