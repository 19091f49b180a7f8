/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processes of a node, as collectives see them: which socket serves a plan, whether its receive
 * buffer has room, and records with results and failures. Collectives know sockets only by their
 * ids (struct hc_rec). Sockets set these operations at init.
 */
#ifndef _HC_PROCESS_H
#define _HC_PROCESS_H

#include <linux/types.h>

#include "coll/coll.h"

struct hypercube_result;
struct sk_buff;

/**
 * struct hc_process_ops - operations of sockets that collectives call
 * @serving: return the id of the socket that serves plan @plan at @node: the one connected to
 *	the plan, or else the one that is connected to no plan; 0: none. Sets *@group, unless NULL,
 *	to hc_sock.group of that socket, which identifies its process
 * @there: tell whether socket @id exists and may serve the plan
 * @room: tell whether the receive buffer has room: of socket @id or, with 0, of the socket that
 *	serves the plan. Returns true if there is no socket
 * @record: make a record for an operation that no process began; it goes to the socket that
 *	serves the plan
 * @queue: queue a piece of a record, described by hc_result_cb(), for socket @id. Returns
 *	false if the socket is gone; @skb stays the caller's then
 * @status: queue a record without data: a completion or a failure. Returns the number of the
 *	failure at the socket, or 0 if the socket is gone
 *
 * The functions may be called in any context.
 */
struct hc_process_ops {
	u64 (*serving)(struct hc_node *node, u32 plan, u64 *group);
	bool (*there)(struct hc_node *node, u32 plan, u64 id);
	bool (*room)(struct hc_node *node, u32 plan, u64 id);
	struct hc_rec (*record)(struct hc_node *node, u32 plan);
	bool (*queue)(struct hc_node *node, u32 plan, u64 id, struct sk_buff *skb);
	u64 (*status)(struct hc_node *node, const struct hypercube_result *res,
		      const struct hc_rec *rec);
};

extern const struct hc_process_ops *hc_process_ops;

/* Wrappers: see struct hc_process_ops. */
static inline u64 hc_process_serving(const struct hc_member *m, u64 *group)
{
	return hc_process_ops->serving(m->node, m->plan->id, group);
}

static inline bool hc_process_serves(const struct hc_member *m)
{
	return hc_process_serving(m, NULL);
}

static inline bool hc_process_there(const struct hc_member *m, u64 id)
{
	return hc_process_ops->there(m->node, m->plan->id, id);
}

static inline bool hc_process_room(const struct hc_member *m, u64 id)
{
	return hc_process_ops->room(m->node, m->plan->id, id);
}

static inline struct hc_rec hc_process_record(const struct hc_member *m)
{
	return hc_process_ops->record(m->node, m->plan->id);
}

static inline u64 hc_process_status(struct hc_node *node, const struct hypercube_result *res,
				    const struct hc_rec *rec)
{
	return hc_process_ops->status(node, res, rec);
}

/**
 * hc_process_result() - queue the next piece of a result
 * @m: the member
 * @op: the operation
 * @skb: DATA; consumed
 * @last: this piece ends the record
 */
void hc_process_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last);

/**
 * hc_process_result_at() - queue a piece of a result at a given offset
 * @m: the member
 * @op: the operation
 * @skb: DATA; consumed
 * @at: the piece's offset in the result
 * @last: this piece ends the record
 */
void hc_process_result_at(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, u64 at,
			  bool last);

/**
 * hc_process_result_spread() - queue pieces of a result at offsets of equal distance
 * @m: the member
 * @op: the operation
 * @skb: DATA; consumed
 * @at: offset of the first piece in the result
 * @stride: distance in bytes from the offset of each piece to that of the next
 * @piece: bytes of a piece
 * @last: these pieces end the record
 */
void hc_process_result_spread(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, u64 at,
			      u64 stride, u32 piece, bool last);

/**
 * hc_process_places() - queue the end of a result that has blocks of some members only
 * @m: the member
 * @op: the operation
 * @members: set of the nodes for whose blocks the result has space; the record names them
 * @missing: set of those whose blocks are missing, which makes the result a failure; NULL if
 *	there are none
 *
 * Return: false if there is no memory.
 */
bool hc_process_places(struct hc_member *m, const struct hc_op *op, const u32 *members,
		       const u32 *missing);

/**
 * hc_process_names() - make the end of a result to which some members have contributed
 * @m: the member
 * @op: the operation
 * @all: set of the nodes that may have contributed
 * @members: set of those that did; the record names both sets
 * @strict: the result is a failure if not all of @all did
 *
 * Return: the end, for hc_process_named(), or NULL if there is no memory.
 */
struct sk_buff *hc_process_names(struct hc_member *m, const struct hc_op *op, const u32 *all,
				 const u32 *members, bool strict);

/**
 * hc_process_named() - queue the end of a result
 * @m: the member
 * @op: the operation
 * @skb: from hc_process_names(); consumed
 */
void hc_process_named(struct hc_member *m, const struct hc_op *op, struct sk_buff *skb);

#endif /* _HC_PROCESS_H */
