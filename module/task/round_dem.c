// SPDX-License-Identifier: GPL-2.0
/*
 * Dimension exchange (DEM): along one dimension after another neighbours tell each other their
 * loads, and the one with more hands over half the difference.
 *
 * Each has all that comes along a dimension before it tells its load along the next one, for the
 * word that tasks were handed over follows the last of them.
 */
#include "fabric/fabric.h"
#include "fabric/node.h"
#include "task/round_impl.h"

/**
 * struct dem - a node's part
 * @dim: the dimension
 * @said: own load there was told
 * @gives: tasks are being handed over there
 * @own: this load
 */
struct dem {
	u8 dim;
	bool said;
	bool gives;
	u32 own;
};

/* Along one dimension.  True: that is over. */
static bool exchange(struct hc_node *node, struct hc_round *r, struct dem *p)
{
	u64 theirs, gave;
	u32 count;

	if (!p->said) {
		p->own = hc_round_load(node);
		hc_round_say(r, p->dim, HC_ROUND_LOAD, 0, p->own);
		p->said = true;
	}
	if (!hc_round_await(r, p->dim, HC_ROUND_LOAD, 0, &theirs))
		return false;
	if (theirs > p->own)
		return theirs - p->own < 2 || hc_round_await(r, p->dim, HC_ROUND_GAVE, 0, &gave);
	if (p->own - theirs < 2)
		return true;
	if (!p->gives)
		hc_round_give(node, r, p->dim, (p->own - theirs) / 2);
	p->gives = true;
	if (!hc_round_given(node, r, p->dim, &count))
		return false;
	hc_round_say(r, p->dim, HC_ROUND_GAVE, 0, count);
	return true;
}

static bool advance(struct hc_node *node, struct hc_round *r)
{
	struct dem *p = hc_round_priv(node, r);

	for (; p->dim < node->fabric->dim; p->dim++, p->said = false, p->gives = false)
		if (hc_round_goes(r, p->dim) && !exchange(node, r, p))
			return false;
	return true;
}

const struct hc_round_ops hc_round_dem = {
	.id		= HYPERCUBE_BALANCE_DEM,
	.start		= hc_round_start,
	.rx		= hc_round_hear,
	.words		= BIT(HC_ROUND_LOAD) | BIT(HC_ROUND_GAVE),
	.size		= sizeof(struct dem),
	.advance	= advance,
};
