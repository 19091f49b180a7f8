// SPDX-License-Identifier: GPL-2.0
/* The mesh: the nodes of its cells, its border, and the exact solution. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "relax.h"

static unsigned int bits(unsigned int n)
{
	unsigned int b = 0;

	while (1u << b < n)
		b++;
	return b;
}

bool mesh_parse(struct mesh *m, const char *word)
{
	char rest;

	if (sscanf(word, "%3ux%3u%c", &m->rows, &m->cols, &rest) != 2)
		return false;
	if (m->rows < 2 || m->cols < 2)
		return false;
	m->row_bits = bits(m->rows);
	m->col_bits = bits(m->cols);
	return 1u << (m->row_bits + m->col_bits) <= CELLS_MAX;
}

unsigned int mesh_cells(const struct mesh *m)
{
	return m->rows * m->cols;
}

static uint32_t gray(uint32_t n)
{
	return n ^ n >> 1;
}

uint32_t mesh_node(const struct mesh *m, unsigned int cell)
{
	return gray(cell / m->cols) << m->col_bits | gray(cell % m->cols);
}

int mesh_neighbour(const struct mesh *m, unsigned int cell, enum way way)
{
	unsigned int row = cell / m->cols, col = cell % m->cols;

	switch (way) {
	case NORTH:
		return row ? (int)(cell - m->cols) : -1;
	case EAST:
		return col + 1 < m->cols ? (int)cell + 1 : -1;
	case SOUTH:
		return row + 1 < m->rows ? (int)(cell + m->cols) : -1;
	default:
		return col ? (int)cell - 1 : -1;
	}
}

/* The border is hot at the top, cool at the right, and cold at the bottom; at the left it changes
 * evenly.
 */
double mesh_border(const struct mesh *m, unsigned int cell, enum way way)
{
	switch (way) {
	case NORTH:
		return HOTTEST;
	case EAST:
		return 30;
	case SOUTH:
		return COLDEST;
	default:
		return 90 - 80.0 * (cell / m->cols) / (m->rows - 1);
	}
}

static void swap_rows(double *a, unsigned int width, unsigned int i, unsigned int j)
{
	unsigned int k;

	for (k = 0; k < width && i != j; k++) {
		double v = a[i * width + k];

		a[i * width + k] = a[j * width + k];
		a[j * width + k] = v;
	}
}

/* Eliminate by Gauss-Jordan, with pivoting. The last two columns of @a are two right-hand sides,
 * which become the two solutions.
 */
static void eliminate(double *a, unsigned int n)
{
	const unsigned int width = n + 2;
	unsigned int i, j, k, best;

	for (i = 0; i < n; i++) {
		for (best = i, j = i + 1; j < n; j++)
			if (fabs(a[j * width + i]) > fabs(a[best * width + i]))
				best = j;
		swap_rows(a, width, i, best);
		for (k = width; k-- > i; )
			a[i * width + k] /= a[i * width + i];
		for (j = 0; j < n; j++) {
			double factor = a[j * width + i];

			for (k = i; k < width && j != i && factor != 0; k++)
				a[j * width + k] -= factor * a[i * width + k];
		}
	}
}

double mesh_solve(const struct mesh *m, double *value)
{
	const unsigned int n = mesh_cells(m), width = n + 2;
	double *a = calloc((size_t)n * width, sizeof(*a)), most = 0;
	unsigned int i;

	if (!a)
		err(1, "memory");
	for (i = 0; i < n; i++) {
		double *row = a + (size_t)i * width;
		enum way way;

		row[i] = WAYS;
		/* The inverse of the matrix has no negative entries. So the solution for a
		 * right-hand side of ones has the row sums of the inverse.
		 */
		row[n + 1] = 1;
		for (way = 0; way < WAYS; way++) {
			int next = mesh_neighbour(m, i, way);

			if (next < 0)
				row[n] += mesh_border(m, i, way);
			else
				row[next] -= 1;
		}
	}
	eliminate(a, n);
	for (i = 0; i < n; i++) {
		value[i] = a[(size_t)i * width + n];
		most = fmax(most, a[(size_t)i * width + n + 1]);
	}
	free(a);
	return most;
}
