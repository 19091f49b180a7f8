/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of collectives to the processes of a node: it finds the socket that serves a plan,
 * checks its receive buffer, and queues records with results and failures. Collectives refer to
 * sockets only by their ids (struct hc_rec). sock/ sets these operations at init.
 */
#ifndef _HC_PROCESS_H
#define _HC_PROCESS_H

#include <linux/types.h>

#include "coll/coll.h"

struct hypercube_result;
struct sk_buff;

/**
 * struct hc_process_ops - operations of sockets that collectives call
 * @serving: return the id of the socket that serves plan @plan at @node: the socket that is
 *	connected to the plan, else the socket that is connected to no plan; 0 if there is neither.
 *	Sets *@group, unless it is NULL, to hc_sock.group of that socket, which identifies its
 *	process
 * @there: return true if socket @id exists and may serve the plan
 * @room: return true if there is room in the receive buffer of socket @id or, if @id is 0, of the
 *	socket that serves the plan; also if there is no such socket
 * @record: number a new record, for an operation to which no process has contributed; the record is
 *	for the socket that serves the plan
 * @queue: queue an skb of a record, described by hc_result_cb(), for socket @id. Returns false if
 *	the socket is gone; then the caller still owns @skb
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
 * hc_process_result() - queue the next frame of a result
 * @m: the member
 * @op: the operation
 * @skb: DATA; consumed
 * @last: true if it is the last frame of the result
 */
void hc_process_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last);

/**
 * hc_process_result_at() - queue a frame of a result whose data belongs at a given offset
 * @m: the member
 * @op: the operation
 * @skb: DATA; consumed
 * @at: offset of the data in the result
 * @last: true if it is the last frame of the result
 */
void hc_process_result_at(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, u64 at,
			  bool last);

/**
 * hc_process_result_spread() - queue a frame with pieces that belong at offsets of equal distance
 *	in the result
 * @m: the member
 * @op: the operation
 * @skb: DATA; consumed
 * @at: offset of the first piece in the result
 * @stride: distance in bytes from the offset of each piece to that of the next
 * @piece: bytes of a piece
 * @last: true if it is the last frame of the result
 */
void hc_process_result_spread(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, u64 at,
			      u64 stride, u32 piece, bool last);

/**
 * hc_process_places() - queue the last skb of a result that does not have the blocks of all nodes
 * @m: the member
 * @op: the operation
 * @members: set of the nodes for whose blocks the result has space; the record contains this set
 * @missing: set of those of them whose blocks are missing, which makes the result a failure; NULL
 *	if none is missing
 *
 * Return: false if there is no memory.
 */
bool hc_process_places(struct hc_member *m, const struct hc_op *op, const u32 *members,
		       const u32 *missing);

/**
 * hc_process_names() - make the last skb of a result to which not all nodes have contributed
 * @m: the member
 * @op: the operation
 * @all: set of the nodes that may have contributed
 * @members: set of those that have contributed; the record contains both sets
 * @strict: true if the result is a failure unless all nodes of @all have contributed
 *
 * Return: the skb, for hc_process_named(), or NULL if there is no memory.
 */
struct sk_buff *hc_process_names(struct hc_member *m, const struct hc_op *op, const u32 *all,
				 const u32 *members, bool strict);

/**
 * hc_process_named() - queue the last skb of a result
 * @m: the member
 * @op: the operation
 * @skb: from hc_process_names(); consumed
 */
void hc_process_named(struct hc_member *m, const struct hc_op *op, struct sk_buff *skb);

#endif /* _HC_PROCESS_H */
