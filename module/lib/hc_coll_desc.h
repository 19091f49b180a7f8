/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Descriptors of the collectives: which members contribute and which get a result, what data they
 * have, and which plan types carry the collective. Shared by the kernel module, the library and the
 * tool.
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
	HC_PAYLOAD_BYTES,	/* one message, the same for all members */
	HC_PAYLOAD_BLOCKS,	/* one block for each member; the root's data, and a result to which
				 * each member has contributed a block, consist of all blocks
				 */
};

/**
 * struct hc_coll_desc - descriptor of a collective
 * @name: its name
 * @gives: members that contribute data
 * @gets: members that get a result
 * @payload: kind of the data
 * @parts: a contribution has a block for each member, all of one length
 * @plans: plan types that can carry it: hc_bit(enum hypercube_plan_type)
 * @notified: each caller is notified, even without HYPERCUBE_F_NOTIFY, when everything on which it
 *	depends in its operation is complete
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

/* Return: true if @who contains a member; @root: the member is the root. */
static inline bool hc_who_has(enum hc_who who, bool root)
{
	return who == HC_WHO_ALL || who == (root ? HC_WHO_ROOT : HC_WHO_OTHERS);
}

/* Return: true if members that contribute nothing get the result, as a message. */
static inline bool hc_coll_unasked(const struct hc_coll_desc *t)
{
	return t->gets == HC_WHO_OTHERS;
}

/* Return: true if only the root contributes, a block for each member. */
static inline bool hc_coll_deals(const struct hc_coll_desc *t)
{
	return t->gives == HC_WHO_ROOT && t->payload == HC_PAYLOAD_BLOCKS;
}

/* Return: true if each member gets a block from every other member. Chunks of the result arrive in
 * any order.
 */
static inline bool hc_coll_placed(const struct hc_coll_desc *t)
{
	return t->gives == HC_WHO_ALL && t->gets == HC_WHO_ALL && t->payload == HC_PAYLOAD_BLOCKS;
}

/* Return: true if each member gets the blocks that all members have contributed. */
static inline bool hc_coll_shares(const struct hc_coll_desc *t)
{
	return hc_coll_placed(t) && !t->parts;
}

/**
 * hc_coll_carried() - tell whether plans of a type carry a collective
 * @t: its descriptor
 * @plan_type: enum hypercube_plan_type
 * @oper: reduce operator, or 0: none
 *
 * Context: any
 * Return: true if so
 */
bool hc_coll_carried(const struct hc_coll_desc *t, unsigned int plan_type, unsigned int oper);

#endif /* _HC_COLL_DESC_H */
