// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of faults: whether they are feasible, and which other processors must not be faulty.
 */
#include <string.h>

#include "mfi.h"

uint32_t hc_mfi_count(const struct hc_mfi_net *net, const bool *set)
{
	uint32_t u, count = 0;

	for (u = 0; u < net->n; u++)
		count += set[u];
	return count;
}

uint32_t hc_mfi_faults(const struct hc_mfi_net *net, const bool *set, uint32_t i)
{
	uint32_t faults = 0;

	HC_MFI_EACH(v, &net->env, i)
		faults += set[*v];
	return faults;
}

bool hc_mfi_feasible(const struct hc_mfi_net *net, const bool *set)
{
	uint32_t i;

	for (i = 0; i < net->n; i++)
		if (hc_mfi_faults(net, set, i) > hc_mfi_tg(net, i))
			return false;
	return true;
}

void hc_mfi_nfg(const struct hc_mfi_net *net, const bool *set, bool *nfg)
{
	uint32_t i;

	memset(nfg, 0, net->n * sizeof(*nfg));
	for (i = 0; i < net->n; i++) {
		if (hc_mfi_faults(net, set, i) != hc_mfi_tg(net, i))
			continue;
		HC_MFI_EACH(v, &net->env, i)
			nfg[*v] = !set[*v];
	}
}

void hc_mfi_row(const struct hc_mfi_net *net, const bool *set, char *row)
{
	uint32_t i;

	memset(row, '-', net->n);
	for (i = 0; i < net->n; i++) {
		if (hc_mfi_faults(net, set, i) != hc_mfi_tg(net, i))
			continue;
		HC_MFI_EACH(v, &net->env, i)
			row[*v] = 'F';
	}
	for (i = 0; i < net->n; i++)
		if (set[i])
			row[i] = 'T';
	row[net->n] = 0;
}
