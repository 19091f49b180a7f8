/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traits of the collectives: who gives, who gets, what, over which plans.  Shared by
 * the kernel module, the library and the tool.
 *
 * The root is the sink of a tree plan or the source of a broadcast; a doubling and rings have none.
 */
#ifndef _HC_TRAITS_H
#define _HC_TRAITS_H

#include <linux/hypercube.h>

#include "hc_topo.h"

/* Which members of a plan. */
enum hc_who {
	HC_WHO_NOBODY,
	HC_WHO_ROOT,
	HC_WHO_ALL,
	HC_WHO_OTHERS,		/* all but the root */
};

enum hc_payload {
	HC_PAYLOAD_NONE,
	HC_PAYLOAD_ELEMENTS,	/* arrays of elements, which an operator combines */
	HC_PAYLOAD_BYTES,	/* one message, the same for all */
	HC_PAYLOAD_BLOCKS,	/* one for each member; the root's data are all of them, and so
				 * is what members get if each has brought one
				 */
};

/**
 * struct hc_traits - a collective
 * @name: its name
 * @gives: who has data to contribute
 * @gets: who gets a result
 * @payload: what that is
 * @parts: a contribution has a part for each member, all of one size
 * @plans: which types of plans carry it: hc_bit(enum hypercube_plan_type)
 * @told: each caller learns when the operation is complete, as far as it matters to the caller,
 *	without having asked
 */
struct hc_traits {
	const char *name;
	enum hc_who gives;
	enum hc_who gets;
	enum hc_payload payload;
	bool parts;
	__u32 plans;
	bool told;
};

/* Returns the traits of @collective (enum hypercube_collective); NULL: there is no such one. */
const struct hc_traits *hc_traits(unsigned int collective);

/* Is a member among those that @who names? @root: it is the root. */
static inline bool hc_who_has(enum hc_who who, bool root)
{
	return who == HC_WHO_ALL || who == (root ? HC_WHO_ROOT : HC_WHO_OTHERS);
}

/* Does it come as a message that no contribution has asked for? */
static inline bool hc_traits_unasked(const struct hc_traits *t)
{
	return t->gets == HC_WHO_OTHERS;
}

/* Does the root alone contribute, a block for each member? */
static inline bool hc_traits_deals(const struct hc_traits *t)
{
	return t->gives == HC_WHO_ROOT && t->payload == HC_PAYLOAD_BLOCKS;
}

/* Does each member get a block of all others?  Its pieces come to their places in any order. */
static inline bool hc_traits_placed(const struct hc_traits *t)
{
	return t->gives == HC_WHO_ALL && t->gets == HC_WHO_ALL && t->payload == HC_PAYLOAD_BLOCKS;
}

/* Does each member get the blocks that all have brought? */
static inline bool hc_traits_shares(const struct hc_traits *t)
{
	return hc_traits_placed(t) && !t->parts;
}

/* Does a plan of this type carry it with @oper (0: none)? */
bool hc_traits_carried(const struct hc_traits *t, unsigned int plan_type, unsigned int oper);

#endif /* _HC_TRAITS_H */
