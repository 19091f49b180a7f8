// SPDX-License-Identifier: GPL-2.0
/*
 * The paper's colouring (figures 3.1 and 3.2). In each of tg colours, a processor is faulty (T),
 * not faulty (F), or still undefined (-).
 */
#include <stdlib.h>
#include <string.h>

#include "mfi.h"

/* Make @u faulty in this colour, and its neighbours in the augmented graph not faulty. */
static void colour_faulty(const struct hc_mfi_net *net, uint32_t u, char *colour)
{
	colour[u] = 'T';
	HC_MFI_EACH(v, &net->aug, u)
		colour[*v] = 'F';
}

void hc_mfi_figure_3_2(const struct hc_mfi_net *net, const uint32_t *faults, uint32_t count,
		       char *row)
{
	uint32_t i, u;
	bool near;

	memset(row, count < net->tg ? '-' : 'F', net->n);
	for (u = 0; u < net->n; u++)
		for (i = 0; i < count; i++) {
			near = false;
			HC_MFI_EACH(v, &net->aug, u)
				near |= *v == faults[i];
			if (!near && row[u] != 'T')
				row[u] = '-';
			if (u == faults[i])
				row[u] = 'T';
		}
	row[net->n] = 0;
}

/* Return: the lowest undefined processor; one that is not faulty in another colour has priority; n
 * if no processor is undefined.
 */
static uint32_t lowest(const struct hc_mfi_net *net, const char *colour, const bool *set)
{
	uint32_t u, found = net->n;

	for (u = 0; u < net->n; u++) {
		if (colour[u] != '-')
			continue;
		if (!set[u])
			return u;
		if (found == net->n)
			found = u;
	}
	return found;
}

uint32_t hc_mfi_colour(const struct hc_mfi_net *net, const uint32_t *picks, uint32_t npicks,
		       bool *set)
{
	char *colour = malloc(net->n + 1);
	uint32_t i, u, next = 0;

	if (!colour)
		return 0;
	memset(set, 0, net->n * sizeof(*set));
	for (i = 0; i < net->tg && hc_mfi_count(net, set) < net->n; i++) {
		memset(colour, '-', net->n);
		for (;;) {
			if (next < npicks && colour[picks[next]] == '-')
				u = picks[next++];
			else
				u = lowest(net, colour, set);
			if (u == net->n)
				break;
			colour_faulty(net, u, colour);
			set[u] = true;
		}
	}
	free(colour);
	return hc_mfi_count(net, set);
}
