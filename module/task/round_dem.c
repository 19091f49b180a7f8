// SPDX-License-Identifier: GPL-2.0
/*
 * Dimension exchange (DEM): for one dimension after another, the two neighbours along it send each
 * other their loads, and the node with more tasks migrates half the difference to the other node.
 *
 * The value GAVE, the number of tasks that have migrated, is sent after the last of these tasks. So
 * a node that has received GAVE has received all tasks that migrate to it along this dimension, and
 * its load is final before it sends it along the next dimension.
 */
#include "fabric/fabric.h"
#include "fabric/node.h"
#include "task/round_impl.h"

/* Carry out the exchange along dimension @dim as far as possible. Return: true if it is complete.
 */
static bool exchange(struct hc_node *node, struct hc_round *r, unsigned int dim)
{
	u64 own = hc_round_say(r, dim, HC_ROUND_LOAD, 0, hc_round_load(node)), theirs, gave;

	if (!hc_round_said(r, dim, HC_ROUND_LOAD, 0, &theirs))
		return false;
	if (theirs > own)
		return theirs - own < 2 || hc_round_said(r, dim, HC_ROUND_GAVE, 0, &gave);
	return own - theirs < 2 || hc_round_give(node, r, dim, (own - theirs) / 2);
}

static bool advance(struct hc_node *node, struct hc_round *r)
{
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++)
		if (hc_round_goes(r, d) && !exchange(node, r, d))
			return false;
	return true;
}

const struct hc_round_ops hc_round_dem = {
	.id		= HYPERCUBE_BALANCE_DEM,
	.start		= hc_round_start,
	.rx		= hc_round_receive,
	.words		= BIT(HC_ROUND_LOAD) | BIT(HC_ROUND_GAVE),
	.advance	= advance,
};
