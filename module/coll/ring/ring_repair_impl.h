/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of the ring repair share: ring_repair.c, ring_repair_coord.c,
 * ring_repair_check.c. Only the poll of the member's node calls these functions.
 */
#ifndef _HC_RING_REPAIR_IMPL_H
#define _HC_RING_REPAIR_IMPL_H

#include "coll/coll.h"
#include "coll/ring/ring.h"
#include "coll/ring/ring_repair.h"

/* The low 16 bits of a ballot are the node number of the coordinator; the bits above count
 * attempts.
 */
static inline u32 hc_repair_coord_of(u64 ballot)
{
	return ballot & U16_MAX;
}

static inline u64 hc_repair_attempt(u64 ballot)
{
	return ballot >> 16;
}

static inline struct hc_repair *hc_repair_of(const struct hc_member *m)
{
	return hc_ring_member(m)->repair;
}

/* Return: the description of operations that follows the header in ANSWER and ASSIGN. */
static inline struct hc_wire_repair_ops *hc_repair_ops_of(const struct hc_wire_repair *w)
{
	return (void *)(w + 1);
}

/* Return: the ring edges that follow the description of operations in ASSIGN. */
static inline struct hc_wire_repair_way *hc_repair_ways_of(const struct hc_wire_repair *w)
{
	return (void *)(hc_repair_ops_of(w) + 1);
}

/* Return: the number of bytes of a set of members. */
static inline size_t hc_repair_set_size(const struct hc_plan *plan)
{
	return hc_topo_words(&plan->fabric->topo) * sizeof(u32);
}

/* --- ring_repair.c --- */

/**
 * hc_repair_reached() - find the members to which healthy paths lead, by the FAULT words that this
 *	node has
 * @m: the member
 * @lowest: set to the lowest of them
 * @alive: set to the set of them, or NULL
 * @n: set to their number
 *
 * Return: false if there is no memory.
 */
bool hc_repair_reached(const struct hc_member *m, u32 *lowest, u32 *alive, u32 *n);

/**
 * hc_repair_msg() - allocate a REPAIR frame
 * @m: the member that sends it
 * @what: kind of message, HC_REPAIR_*
 * @ballot: ballot of the attempt
 * @nr: operation number in its header
 * @len: number of bytes that follow the header
 *
 * Return: the frame, or NULL: no memory.
 */
struct sk_buff *hc_repair_msg(const struct hc_member *m, u8 what, u64 ballot, u64 nr, u32 len);

/**
 * hc_repair_send() - send a REPAIR frame; a frame to this node itself is processed at once
 * @m: the member
 * @dst: destination
 * @skb: the frame; consumed. If it is NULL, because there was no memory, the message is sent a
 *	second later
 */
void hc_repair_send(struct hc_member *m, u32 dst, struct sk_buff *skb);

/* --- ring_repair_coord.c --- */

/**
 * hc_coord_free() - end the attempt of a coordinator
 * @plan: the plan
 * @s: repair state of the coordinator
 */
void hc_coord_free(const struct hc_plan *plan, struct hc_repair *s);

/**
 * hc_coord_begin() - begin the next attempt, if this member is the coordinator
 * @m: the member
 */
void hc_coord_begin(struct hc_member *m);

/**
 * hc_coord_go_on() - begin the next phase if all members have answered, or schedule the next
 *	attempt if this one cannot succeed
 * @m: the coordinator
 */
void hc_coord_go_on(struct hc_member *m);

/**
 * hc_coord_tend() - check the attempt after link-state updates
 * @m: the coordinator
 * @late: true if a second has passed since the last such call
 *
 * Return: true if the next attempt has begun.
 */
bool hc_coord_tend(struct hc_member *m, bool late);

/**
 * hc_coord_answer() - handle a member's reply (ANSWER, ASSIGNED, COMMITTED, NO)
 * @m: the coordinator
 * @src: the member that replies
 * @w: the reply
 */
void hc_coord_answer(struct hc_member *m, u32 src, const struct hc_wire_repair *w);

/**
 * hc_coord_without() - handle the reply of a node that does not have the plan
 * @m: the coordinator
 * @src: the node
 */
void hc_coord_without(struct hc_member *m, u32 src);

/**
 * hc_coord_request() - handle REQUEST of a member at which the plan is broken, and which considers
 *	this member to be the coordinator
 * @m: this member
 * @src: the member that sent it
 * @w: the message
 */
void hc_coord_request(struct hc_member *m, u32 src, const struct hc_wire_repair *w);

/* --- ring_repair_check.c --- */

/**
 * hc_repair_check() - check a REPAIR message, which may be invalid
 * @m: the member that has received it
 * @src: the node that has sent it
 * @w: the message
 * @len: number of bytes that follow its header
 *
 * Return: 0, or the reason to drop it.
 */
unsigned int hc_repair_check(const struct hc_member *m, u32 src, const struct hc_wire_repair *w,
			     u32 len);

#endif /* _HC_RING_REPAIR_IMPL_H */
