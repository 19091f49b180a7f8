// SPDX-License-Identifier: GPL-2.0
/*
 * Means with confidence intervals.
 */
#include <math.h>

#include "balance_sim.h"

double hc_student(size_t degrees)
{
	static const double table[] = {
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
	};
	const double z = 1.959963985, n = degrees;

	if (!degrees)
		return 0;
	if (degrees <= sizeof(table) / sizeof(*table))
		return table[degrees - 1];
	/* Formula 26.7.5 of Abramowitz and Stegun, Handbook of Mathematical Functions. */
	return z + (pow(z, 3) + z) / (4 * n) +
	       (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n) +
	       (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) / (384 * n * n * n);
}

struct hc_mean hc_mean(const double *v, size_t n)
{
	double sum = 0, squares = 0, mean;
	size_t i;

	for (i = 0; i < n; i++)
		sum += v[i];
	mean = sum / n;
	for (i = 0; i < n; i++)
		squares += (v[i] - mean) * (v[i] - mean);
	if (n < 2)
		return (struct hc_mean){ .mean = mean };
	return (struct hc_mean){ mean, hc_student(n - 1) * sqrt(squares / (n - 1) / n) };
}
