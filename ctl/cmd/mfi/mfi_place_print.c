// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl mfi .. place: printing the placement.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "mfi.h"

enum { NODE, COUNT, FEASIBLE, PROCESSES };

static const struct out_column columns[] = {
	OUT_RIGHT(NODE),
	OUT_RIGHT(COUNT),
	OUT_LEFT(FEASIBLE),
	OUT_LEFT(PROCESSES),
	{}
};

const char *const mfi_mappings[] = {
	[MFI_GROUPS] = "groups", [MFI_BLOCK] = "block", [MFI_RANDOM] = "random", NULL,
};

static uint32_t node_of(const struct mfi_place *p, uint32_t process)
{
	return p->nodes[p->at[p->of[process]]];
}

static void print_node(struct hcctl *h, const struct mfi_view *v, uint32_t part, bool *set)
{
	const struct mfi_place *p = v->place;
	uint32_t i;
	bool ok;

	for (i = 0; i < v->net->n; i++)
		set[i] = p->of[i] == part;
	ok = hc_mfi_feasible(v->net, set);
	out_object(h, NULL);
	out_number(h, NODE, "node", p->nodes[p->at[part]]);
	out_number(h, COUNT, "count", hc_mfi_count(v->net, set));
	out_cell(h, FEASIBLE);
	out_bool(h, "feasible", NULL, ok);
	out_text(h, ok ? "yes" : "no");
	out_cell(h, PROCESSES);
	mfi_out_members(h, "processes", v, set);
	out_close(h);
}

/* JSON: print for each process its node, and the processes that it asks, which is all that a
 * program needs to run the processes.
 */
static void print_processes(struct hcctl *h, const struct mfi_view *v)
{
	const struct hc_mfi_net *net = v->net;
	uint32_t u;

	out_array(h, "processes");
	for (u = 0; u < net->n; u++) {
		out_object(h, NULL);
		out_uint(h, "process", NULL, mfi_name(v, u));
		out_uint(h, "node", NULL, node_of(v->place, u));
		out_uint(h, "tg", NULL, hc_mfi_tg(net, u));
		out_array(h, "asks");
		HC_MFI_EACH(w, &net->env, u)
			if (*w != u)
				out_uint(h, NULL, NULL, mfi_name(v, *w));
		out_close(h);
		out_close(h);
	}
	out_close(h);
}

int mfi_place_print(struct hcctl *h, const struct mfi_view *v)
{
	const struct mfi_place *p = v->place;
	bool *set = calloc(v->net->n, sizeof(*set));
	uint64_t asks = 0, away = 0;
	uint32_t u, i;

	if (!set)
		return hc_nomem(h);
	for (u = 0; u < v->net->n; u++)
		HC_MFI_EACH(w, &v->net->env, u) {
			asks += *w != u;
			away += node_of(p, *w) != node_of(p, u);
		}
	out_object(h, "place");
	out_str(h, "fabric", "placed on %s", p->fabric);
	out_str(h, "mapping", " by %s:", mfi_mappings[p->mapping]);
	if (p->mapping == MFI_RANDOM)
		out_uint(h, "seed", " seed %" PRIu64, p->seed);
	out_uint(h, "asks", " of %" PRIu64 " questions in all environments", asks);
	out_uint(h, "remote", " %" PRIu64 " go to another node", away);
	out_uint(h, "hops", ", over %" PRIu64 " links\n", p->hops);
	out_table(h, columns);
	out_array(h, "nodes");
	for (i = 0; i < p->nnodes; i++)
		for (u = 0; u < p->parts; u++)
			if (p->at[u] == i)
				print_node(h, v, u, set);
	out_table_end(h);
	out_close(h);
	if (h->json)
		print_processes(h, v);
	out_close(h);
	free(set);
	return 0;
}
