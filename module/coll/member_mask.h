/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of members, in the form in which frames contain them: one bit for each node of the fabric,
 * where node u is bit u % 8 of byte u / 8.
 */
#ifndef _HC_MEMBER_MASK_H
#define _HC_MEMBER_MASK_H

#include <linux/bitops.h>
#include <linux/string.h>

#include "coll/coll.h"

static inline u32 hc_bytes_of_set(const struct hc_plan *plan)
{
	return DIV_ROUND_UP(plan->fabric->topo.nodes, 8);
}

static inline bool hc_byte_set_has(const u8 *set, u32 u)
{
	return set[u / 8] >> (u % 8) & 1;
}

static inline void hc_byte_set_add(u8 *set, u32 u)
{
	set[u / 8] |= BIT(u % 8);
}

static inline u32 hc_byte_set_count(const u8 *set, u32 bytes)
{
	return memweight(set, bytes);
}

/**
 * hc_byte_set_join() - add the set that a peer has sent to another set
 * @plan: the plan
 * @set: the set that is changed
 * @more: the peer's set
 *
 * Return: false if @more has a node that is no member, or that is in @set already.
 */
static inline bool hc_byte_set_join(const struct hc_plan *plan, u8 *set, const u8 *more)
{
	u32 k;

	for (k = 0; k < hc_bytes_of_set(plan); k++) {
		u8 members = plan->members[k / 4] >> (k % 4 * 8);

		if (more[k] & (set[k] | ~members))
			return false;
		set[k] |= more[k];
	}
	return true;
}

#endif /* _HC_MEMBER_MASK_H */
