/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What collectives tell the sockets of a node: results and failures, as records.
 */
#ifndef _HC_SOCK_RESULT_H
#define _HC_SOCK_RESULT_H

#include <linux/types.h>

struct hc_member;
struct hc_node;
struct hc_op;
struct hc_rec;
struct hypercube_result;
struct sk_buff;
struct sock;

/* The socket that serves the member's plan: the one connected to it, or else the one
 * that is connected to none; NULL: none does.  Under RCU.
 */
struct sock *hc_sock_serving(const struct hc_member *m);
static inline bool hc_sock_serves(const struct hc_member *m)
{
	return hc_sock_serving(m);
}

/* Is there room in the receive buffer of socket @id, or of the one that serves the plan
 * (0)?  True without a socket.
 */
bool hc_sock_room(const struct hc_member *m, u64 id);
/* For a record that no process began: it goes to the socket that serves the plan. */
struct hc_rec hc_sock_record(const struct hc_member *m);
/* Queue a piece of a result; consumes @skb, which is DATA.  @last ends the record.
 */
void hc_sock_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last);
/* The same for a piece whose place in the result is @at, whatever has come before. */
void hc_sock_result_at(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, u64 at,
		       bool last);
/* The same for pieces of @piece bytes, each of which has its place @stride after the one before. */
void hc_sock_result_spread(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, u64 at,
			   u64 stride, u32 piece, bool last);
/* Queue the end of a result that has places for the set of nodes @members, and says so.  It lacks
 * the blocks of @missing, and is a failure then; NULL: none.  Return: false if there is no memory.
 */
bool hc_sock_places(struct hc_member *m, const struct hc_op *op, const u32 *members,
		    const u32 *missing);
/* Queue a record without data: a completion or a failure.  Return: the number of a failure at the
 * socket, or 0: that is gone.
 */
u64 hc_sock_status(struct hc_node *node, const struct hypercube_result *res,
		   const struct hc_rec *rec);

#endif /* _HC_SOCK_RESULT_H */
