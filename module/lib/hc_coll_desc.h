/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Descriptors of the collectives: which members contribute, which members get a result, what a
 * contribution and a result consist of, and which plan types carry the collective. Shared by the
 * kernel module, the library and the tool.
 *
 * The root is the sink of a tree plan or the source of a broadcast; recursive doubling and rings
 * have none.
 */
#ifndef _HC_COLL_DESC_H
#define _HC_COLL_DESC_H

#include <linux/hypercube.h>

#include "hc_topo.h"

/* A set of members of a plan. */
enum hc_who {
	HC_WHO_NONE,
	HC_WHO_ROOT,
	HC_WHO_ALL,
	HC_WHO_OTHERS,		/* all members but the root */
};

enum hc_payload {
	HC_PAYLOAD_NONE,
	HC_PAYLOAD_ELEMENTS,	/* arrays of elements, which an operator combines */
	HC_PAYLOAD_BYTES,	/* one message, which is the same at all members */
	HC_PAYLOAD_BLOCKS,	/* blocks, one for each member; the contribution of a root, and a
				 * result to which each member contributes a block, consist of all
				 * the blocks
				 */
};

/**
 * struct hc_coll_desc - descriptor of a collective
 * @name: its name
 * @gives: the set of members that contribute data
 * @gets: the set of members that get a result
 * @payload: kind of the data
 * @parts: true if a contribution has a block for each member, all of the same length
 * @plans: plan types that can carry it: hc_bit(enum hypercube_plan_type)
 * @notified: true if each process is notified, even if it has not set HYPERCUBE_F_NOTIFY, when all
 *	of its operation that concerns it is complete
 */
struct hc_coll_desc {
	const char *name;
	enum hc_who gives;
	enum hc_who gets;
	enum hc_payload payload;
	bool parts;
	__u32 plans;
	bool notified;
};

/**
 * hc_coll_desc() - find the descriptor of a collective
 * @collective: enum hypercube_collective
 *
 * Context: any
 * Return: the descriptor, or NULL if there is none
 */
const struct hc_coll_desc *hc_coll_desc(unsigned int collective);

/* Return: true if the set @who contains the root (if @root is true) or any other member (if it is
 * false).
 */
static inline bool hc_who_has(enum hc_who who, bool root)
{
	return who == HC_WHO_ALL || who == (root ? HC_WHO_ROOT : HC_WHO_OTHERS);
}

/* Return: true if members that have contributed nothing get the result as a message (broadcast,
 * scatter).
 */
static inline bool hc_coll_unasked(const struct hc_coll_desc *t)
{
	return t->gets == HC_WHO_OTHERS;
}

/* Return: true if only the root contributes, and its contribution has a block for each member
 * (scatter).
 */
static inline bool hc_coll_deals(const struct hc_coll_desc *t)
{
	return t->gives == HC_WHO_ROOT && t->payload == HC_PAYLOAD_BLOCKS;
}

/* Return: true if each member gets a block from every other member (alltoall). The chunks of such a
 * result can arrive in any order.
 */
static inline bool hc_coll_placed(const struct hc_coll_desc *t)
{
	return t->gives == HC_WHO_ALL && t->gets == HC_WHO_ALL && t->payload == HC_PAYLOAD_BLOCKS;
}

/* Return: true if each member gets the blocks that all members have contributed (allgather). */
static inline bool hc_coll_shares(const struct hc_coll_desc *t)
{
	return hc_coll_placed(t) && !t->parts;
}

/**
 * hc_coll_carried() - check whether plans of a type carry a collective
 * @t: its descriptor
 * @plan_type: enum hypercube_plan_type
 * @oper: reduce operator, or 0: none
 *
 * Context: any
 * Return: true if they carry it with this operator
 */
bool hc_coll_carried(const struct hc_coll_desc *t, unsigned int plan_type, unsigned int oper);

#endif /* _HC_COLL_DESC_H */
