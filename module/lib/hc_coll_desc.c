// SPDX-License-Identifier: GPL-2.0
/* The descriptors of all collectives, one row for each. */
#include "hc_coll_desc.h"

#define TREE		(1u << HYPERCUBE_PLAN_TREE)
#define BCAST		(1u << HYPERCUBE_PLAN_BCAST)
#define DOUBLING	(1u << HYPERCUBE_PLAN_DOUBLING)
#define RING		(1u << HYPERCUBE_PLAN_RING)
#define SPAN		(1u << HYPERCUBE_PLAN_SPAN)

static const struct hc_coll_desc desc[] = {
	[HYPERCUBE_REDUCE] = {
		.name = "reduce", .gives = HC_WHO_ALL, .gets = HC_WHO_ROOT,
		.payload = HC_PAYLOAD_ELEMENTS, .plans = TREE | SPAN,
	},
	[HYPERCUBE_BCAST] = {
		.name = "bcast", .gives = HC_WHO_ROOT, .gets = HC_WHO_OTHERS,
		.payload = HC_PAYLOAD_BYTES, .plans = BCAST,
	},
	[HYPERCUBE_ALLREDUCE] = {
		.name = "allreduce", .gives = HC_WHO_ALL, .gets = HC_WHO_ALL,
		.payload = HC_PAYLOAD_ELEMENTS, .plans = TREE | SPAN | DOUBLING, .notified = true,
	},
	[HYPERCUBE_BARRIER] = {
		.name = "barrier", .gives = HC_WHO_NONE, .gets = HC_WHO_NONE,
		.payload = HC_PAYLOAD_NONE, .plans = TREE | SPAN | DOUBLING, .notified = true,
	},
	[HYPERCUBE_GATHER] = {
		.name = "gather", .gives = HC_WHO_ALL, .gets = HC_WHO_ROOT,
		.payload = HC_PAYLOAD_BLOCKS, .plans = TREE | SPAN,
	},
	[HYPERCUBE_SCATTER] = {
		.name = "scatter", .gives = HC_WHO_ROOT, .gets = HC_WHO_ALL,
		.payload = HC_PAYLOAD_BLOCKS, .plans = TREE | SPAN, .notified = true,
	},
	[HYPERCUBE_ALLGATHER] = {
		.name = "allgather", .gives = HC_WHO_ALL, .gets = HC_WHO_ALL,
		.payload = HC_PAYLOAD_BLOCKS, .plans = TREE | SPAN | DOUBLING | RING,
	},
	[HYPERCUBE_ALLTOALL] = {
		.name = "alltoall", .gives = HC_WHO_ALL, .gets = HC_WHO_ALL,
		.payload = HC_PAYLOAD_BLOCKS, .parts = true, .plans = DOUBLING | RING,
		.notified = true,
	},
	[HYPERCUBE_REDUCE_SCATTER] = {
		.name = "reduce_scatter", .gives = HC_WHO_ALL, .gets = HC_WHO_ALL,
		.payload = HC_PAYLOAD_ELEMENTS, .parts = true, .plans = TREE | SPAN | DOUBLING,
		.notified = true,
	},
};

const struct hc_coll_desc *hc_coll_desc(unsigned int collective)
{
	if (collective >= sizeof(desc) / sizeof(*desc) || !desc[collective].name)
		return NULL;
	return &desc[collective];
}

bool hc_coll_carried(const struct hc_coll_desc *t, unsigned int plan_type, unsigned int oper)
{
	/* For MERGE, members may contribute sorted runs of any lengths. Recursive doubling, and a
	 * collective whose contributions have a block for each member, need contributions of the
	 * same length from all members.
	 */
	if (oper == HYPERCUBE_MERGE && (t->parts || plan_type == HYPERCUBE_PLAN_DOUBLING))
		return false;
	return plan_type < 32 && t->plans & hc_bit(plan_type);
}
