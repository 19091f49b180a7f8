/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints. A tracepoint that is off costs a jump that is not taken.
 *
 * How the events relate to the counters: there is one hc_hop for each frame sent, one hc_arrive for
 * each frame received that is not malformed or foreign, and one hc_drop for each drop counted. The
 * lengths in hc_merge add up to merged_bytes. For each hc_op_begin at a member there is an
 * hc_op_end.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hypercube

#if !defined(_HC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _HC_TRACE_H

#include <linux/sched/clock.h>
#include <linux/tracepoint.h>

#include "wire.h"

/* Only trace.c needs the members of these structs. */
struct hc_node;
struct hc_plan;
struct hc_port;
struct hc_tree_peer;
struct hypercube_task;
struct hypercube_vote;

#ifndef _HC_TRACE_TYPES
#define _HC_TRACE_TYPES
/* What happens to a task at a node; for hc_task. */
enum hc_task_event {
	HC_TASK_PUT,	/* a producer has put the task into the queue */
	HC_TASK_TAKEN,	/* a worker has taken the task */
	HC_TASK_DONE,	/* the worker has reported the task as done */
	HC_TASK_BACK,	/* the worker is gone, and the task is in the queue again */
	HC_TASK_LOST,	/* from now on no worker will execute the task */
	HC_TASK_SENT,	/* a neighbour has taken the task in a migration */
	HC_TASK_RECEIVED, /* the node has taken the task from a neighbour in a migration */
	HC_TASK_KEPT,	/* the neighbour has not taken the task in a migration: it stays here */
	HC_TASK_UNRESOLVED,	/* it is not known whether the neighbour has the task */
	HC_TASK_REPLICATED,	/* a neighbour holds a replica of the task */
	HC_TASK_RECOVERED, /* the task's node has failed, and the replica is in the queue here */
};

/* What happens to a load balancing round at a node; for hc_round. */
enum hc_round_event {
	HC_ROUND_BEGUN,		/* this node begins the round */
	HC_ROUND_JOINED,	/* the node takes part in a round that another node has begun */
	HC_ROUND_DONE,		/* the round has ended successfully */
	HC_ROUND_FAILED,	/* the round has failed */
	HC_ROUND_SUPERSEDED,	/* this node has begun the round, but another round supersedes it */
};
#endif

TRACE_DEFINE_ENUM(HC_FRAME_TEST);
TRACE_DEFINE_ENUM(HC_FRAME_FAULT);
TRACE_DEFINE_ENUM(HC_FRAME_DATA);
TRACE_DEFINE_ENUM(HC_FRAME_ACK);
TRACE_DEFINE_ENUM(HC_FRAME_END);
TRACE_DEFINE_ENUM(HC_FRAME_STOP);
TRACE_DEFINE_ENUM(HC_FRAME_CREDIT);
TRACE_DEFINE_ENUM(HC_FRAME_PROBE);
TRACE_DEFINE_ENUM(HC_FRAME_DGRAM);
TRACE_DEFINE_ENUM(HC_FRAME_ETH);
TRACE_DEFINE_ENUM(HC_FRAME_LSA);
TRACE_DEFINE_ENUM(HC_FRAME_PATH);
TRACE_DEFINE_ENUM(HC_FRAME_COPY);
TRACE_DEFINE_ENUM(HC_FRAME_TASK);
TRACE_DEFINE_ENUM(HC_FRAME_ROUND);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_LINK_DOWN);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_NODE_FAILED);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_LOSS);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_MALFORMED);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_FOREIGN);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_NO_ROUTE);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_NO_PLAN);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_OLD_EPOCH);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_ENDED);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_UNEXPECTED);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_NO_SOCKET);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_QUEUE_FULL);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_NO_MEMORY);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_SPOOFED);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_TEARDOWN);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_NO_NODE);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_TOO_BIG);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_ENDPOINT_DOWN);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_CHECKSUM);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_DUPLICATE);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_COPY_MISMATCH);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_TOO_FEW_COPIES);
TRACE_DEFINE_ENUM(HYPERCUBE_A_DROP_GAP);
TRACE_DEFINE_ENUM(HYPERCUBE_VOTE_OUTCOME_AGREED);
TRACE_DEFINE_ENUM(HYPERCUBE_VOTE_OUTCOME_INCOMPLETE);
TRACE_DEFINE_ENUM(HYPERCUBE_VOTE_OUTCOME_OUTVOTED);
TRACE_DEFINE_ENUM(HYPERCUBE_VOTE_OUTCOME_UNDECIDED);
TRACE_DEFINE_ENUM(HC_TASK_PUT);
TRACE_DEFINE_ENUM(HC_TASK_TAKEN);
TRACE_DEFINE_ENUM(HC_TASK_DONE);
TRACE_DEFINE_ENUM(HC_TASK_BACK);
TRACE_DEFINE_ENUM(HC_TASK_LOST);
TRACE_DEFINE_ENUM(HC_TASK_SENT);
TRACE_DEFINE_ENUM(HC_TASK_RECEIVED);
TRACE_DEFINE_ENUM(HC_TASK_KEPT);
TRACE_DEFINE_ENUM(HC_TASK_UNRESOLVED);
TRACE_DEFINE_ENUM(HC_TASK_REPLICATED);
TRACE_DEFINE_ENUM(HC_TASK_RECOVERED);
TRACE_DEFINE_ENUM(HC_ROUND_BEGUN);
TRACE_DEFINE_ENUM(HC_ROUND_JOINED);
TRACE_DEFINE_ENUM(HC_ROUND_DONE);
TRACE_DEFINE_ENUM(HC_ROUND_FAILED);
TRACE_DEFINE_ENUM(HC_ROUND_SUPERSEDED);
TRACE_DEFINE_ENUM(HYPERCUBE_BALANCE_DEM);
TRACE_DEFINE_ENUM(HYPERCUBE_BALANCE_MCWA);
TRACE_DEFINE_ENUM(HYPERCUBE_BALANCE_CWA);
TRACE_DEFINE_ENUM(HC_TREE_DIRECT);
TRACE_DEFINE_ENUM(HC_TREE_HELP);
TRACE_DEFINE_ENUM(HC_TREE_DETOUR);
TRACE_DEFINE_ENUM(HYPERCUBE_REDUCE);
TRACE_DEFINE_ENUM(HYPERCUBE_BCAST);
TRACE_DEFINE_ENUM(HYPERCUBE_ALLREDUCE);
TRACE_DEFINE_ENUM(HYPERCUBE_BARRIER);
TRACE_DEFINE_ENUM(HYPERCUBE_GATHER);
TRACE_DEFINE_ENUM(HYPERCUBE_SCATTER);
TRACE_DEFINE_ENUM(HYPERCUBE_ALLGATHER);
TRACE_DEFINE_ENUM(HYPERCUBE_ALLTOALL);
TRACE_DEFINE_ENUM(HYPERCUBE_REDUCE_SCATTER);
TRACE_DEFINE_ENUM(HYPERCUBE_CMD_PLAN_NTF);
TRACE_DEFINE_ENUM(HYPERCUBE_CMD_PLAN_DEL_NTF);

#define hc_trace_types						\
	{ HC_FRAME_TEST,	"test" },			\
	{ HC_FRAME_FAULT,	"fault" },			\
	{ HC_FRAME_DATA,	"data" },			\
	{ HC_FRAME_ACK,		"ack" },			\
	{ HC_FRAME_END,		"end" },			\
	{ HC_FRAME_STOP,	"stop" },			\
	{ HC_FRAME_CREDIT,	"credit" },			\
	{ HC_FRAME_PROBE,	"probe" },			\
	{ HC_FRAME_DGRAM,	"dgram" },			\
	{ HC_FRAME_ETH,		"eth" },			\
	{ HC_FRAME_LSA,		"lsa" },			\
	{ HC_FRAME_PATH,	"path" },			\
	{ HC_FRAME_REPAIR,	"repair" },			\
	{ HC_FRAME_COPY,	"copy" },			\
	{ HC_FRAME_TASK,	"task" },			\
	{ HC_FRAME_ROUND,	"round" }

#define hc_trace_tasks						\
	{ HC_TASK_PUT,		"put" },			\
	{ HC_TASK_TAKEN,	"taken" },			\
	{ HC_TASK_DONE,		"done" },			\
	{ HC_TASK_BACK,		"back" },			\
	{ HC_TASK_LOST,		"lost" },			\
	{ HC_TASK_SENT,		"sent" },			\
	{ HC_TASK_RECEIVED,	"received" },			\
	{ HC_TASK_KEPT,		"kept" },			\
	{ HC_TASK_UNRESOLVED,	"unresolved" },			\
	{ HC_TASK_REPLICATED,	"replicated" },			\
	{ HC_TASK_RECOVERED,	"recovered" }

#define hc_trace_rounds						\
	{ HC_ROUND_BEGUN,	"begun" },			\
	{ HC_ROUND_JOINED,	"joined" },			\
	{ HC_ROUND_DONE,	"done" },			\
	{ HC_ROUND_FAILED,	"failed" },			\
	{ HC_ROUND_SUPERSEDED,	"superseded" }

#define hc_trace_methods					\
	{ HYPERCUBE_BALANCE_DEM, "dem" },			\
	{ HYPERCUBE_BALANCE_MCWA, "mcwa" },			\
	{ HYPERCUBE_BALANCE_CWA, "cwa" },			\
	{ HYPERCUBE_BALANCE_RID, "rid" }

#define hc_trace_repairs					\
	{ HC_REPAIR_REQUEST,	"request" },			\
	{ HC_REPAIR_ASK,	"ask" },			\
	{ HC_REPAIR_ASSIGN,	"assign" },			\
	{ HC_REPAIR_COMMIT,	"commit" },			\
	{ HC_REPAIR_ANSWER,	"answer" },			\
	{ HC_REPAIR_ASSIGNED,	"assigned" },			\
	{ HC_REPAIR_COMMITTED,	"committed" },			\
	{ HC_REPAIR_NO,		"no" },				\
	{ HC_REPAIR_NONE,	"none" }

#define hc_trace_reasons					\
	{ HYPERCUBE_A_DROP_LINK_DOWN,	"link-down" },		\
	{ HYPERCUBE_A_DROP_NODE_FAILED,	"node-failed" },	\
	{ HYPERCUBE_A_DROP_LOSS,	"loss" },		\
	{ HYPERCUBE_A_DROP_MALFORMED,	"malformed" },		\
	{ HYPERCUBE_A_DROP_FOREIGN,	"foreign" },		\
	{ HYPERCUBE_A_DROP_NO_ROUTE,	"no-route" },		\
	{ HYPERCUBE_A_DROP_NO_PLAN,	"no-plan" },		\
	{ HYPERCUBE_A_DROP_OLD_EPOCH,	"old-epoch" },		\
	{ HYPERCUBE_A_DROP_ENDED,	"ended" },		\
	{ HYPERCUBE_A_DROP_UNEXPECTED,	"unexpected" },		\
	{ HYPERCUBE_A_DROP_NO_SOCKET,	"no-socket" },		\
	{ HYPERCUBE_A_DROP_QUEUE_FULL,	"queue-full" },		\
	{ HYPERCUBE_A_DROP_NO_MEMORY,	"no-memory" },		\
	{ HYPERCUBE_A_DROP_SPOOFED,	"spoofed" },		\
	{ HYPERCUBE_A_DROP_TEARDOWN,	"teardown" },		\
	{ HYPERCUBE_A_DROP_NO_NODE,	"no-node" },		\
	{ HYPERCUBE_A_DROP_TOO_BIG,	"too-big" },		\
	{ HYPERCUBE_A_DROP_ENDPOINT_DOWN, "endpoint-down" },	\
	{ HYPERCUBE_A_DROP_CHECKSUM,	"checksum" },		\
	{ HYPERCUBE_A_DROP_DUPLICATE,	"duplicate" },		\
	{ HYPERCUBE_A_DROP_COPY_MISMATCH,	"copy_mismatch" },		\
	{ HYPERCUBE_A_DROP_TOO_FEW_COPIES,	"too_few_copies" },		\
	{ HYPERCUBE_A_DROP_GAP,		"gap" }

#define hc_trace_collectives					\
	{ HYPERCUBE_REDUCE,	"reduce" },			\
	{ HYPERCUBE_BCAST,	"bcast" },			\
	{ HYPERCUBE_ALLREDUCE,	"allreduce" },			\
	{ HYPERCUBE_BARRIER,	"barrier" },			\
	{ HYPERCUBE_GATHER,	"gather" },			\
	{ HYPERCUBE_SCATTER,	"scatter" },			\
	{ HYPERCUBE_ALLGATHER,	"allgather" },			\
	{ HYPERCUBE_ALLTOALL,	"alltoall" },			\
	{ HYPERCUBE_REDUCE_SCATTER, "reduce_scatter" }

/* Fields with which all events begin: the fabric in which the event happens. */
#define HC_TRACE_FABRIC						\
		__array(char, fabric, HYPERCUBE_NAME_MAX)	\
		__field(u32, index)

#define HC_TRACE_ASSIGN_FABRIC(of)				\
	do {							\
		const struct hc_fabric *__of = of;		\
								\
		memcpy(__entry->fabric, __of->name, HYPERCUBE_NAME_MAX);	\
		__entry->index = __of->index;			\
	} while (0)

#define HC_TRACE_NODE						\
		HC_TRACE_FABRIC					\
		__field(u32, node)

/* Set the fields of HC_TRACE_NODE from the event's argument "node". */
#define HC_TRACE_ASSIGN_NODE					\
	do {							\
		HC_TRACE_ASSIGN_FABRIC(node->fabric);		\
		__entry->node = node->id;			\
	} while (0)

/* Fields of events about an operation at a node. */
#define HC_TRACE_OP						\
		HC_TRACE_NODE					\
		__field(u32, plan)				\
		__field(u64, op)

/* Set the fields of HC_TRACE_OP from the event's arguments "node", "plan" and "op". */
#define HC_TRACE_ASSIGN_OP					\
	do {							\
		HC_TRACE_ASSIGN_NODE;				\
		__entry->plan = plan;				\
		__entry->op = op;				\
	} while (0)

/* Fields with the source and the destination of a frame. */
#define HC_TRACE_ENDS						\
		__field(u32, src)				\
		__field(u32, dst)

/* Set the fields of HC_TRACE_ENDS from the event's argument "skb". */
#define HC_TRACE_ASSIGN_ENDS					\
	do {							\
		__entry->src = be16_to_cpu(hc_hdr(skb)->src);	\
		__entry->dst = be16_to_cpu(hc_hdr(skb)->dst);	\
	} while (0)

/* A node sends a frame over link @dim (hc_hop), or has received one (hc_arrive). */
DECLARE_EVENT_CLASS(hc_frame,
	TP_PROTO(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb),
	TP_ARGS(node, dim, skb),
	TP_STRUCT__entry(
		HC_TRACE_NODE
		__field(u32, dim)
		__field(u32, type)
		__field(u32, len)
		__field(u32, seq)
		__field(u32, step)
		HC_TRACE_ENDS
		__field(u32, plan)
		__field(u64, op)
		__field(u64, time)
	),
	TP_fast_assign(
		const struct hc_wire_plan *of = hc_frame_plan(skb);
		const struct hc_hdr *hdr = hc_hdr(skb);

		HC_TRACE_ASSIGN_NODE;
		__entry->dim = dim;
		__entry->type = hdr->type;
		__entry->len = skb->len;
		__entry->seq = be32_to_cpu(hdr->seq);
		__entry->step = be32_to_cpu(hdr->step);
		HC_TRACE_ASSIGN_ENDS;
		__entry->plan = of ? be32_to_cpu(of->plan) : 0;
		__entry->op = of ? be64_to_cpu(of->op) : hc_frame_flood_nr(skb);
		__entry->time = be64_to_cpu(hdr->time);
	),
	TP_printk("fabric=%s node=%u dim=%u type=%s len=%u seq=%u step=%u src=%u dst=%u plan=%u op=%llu time=%llu",
		  __entry->fabric, __entry->node, __entry->dim,
		  __print_symbolic(__entry->type, hc_trace_types), __entry->len,
		  __entry->seq, __entry->step, __entry->src, __entry->dst, __entry->plan,
		  __entry->op, __entry->time)
);

DEFINE_EVENT(hc_frame, hc_hop,
	TP_PROTO(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb),
	TP_ARGS(node, dim, skb));

/* The frame of the preceding hc_hop arrives after @vain failed attempts. */
TRACE_EVENT(hc_replay,
	TP_PROTO(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb, u32 vain),
	TP_ARGS(node, dim, skb, vain),
	TP_STRUCT__entry(
		HC_TRACE_NODE
		__field(u32, dim)
		__field(u32, type)
		__field(u32, seq)
		__field(u32, replays)
	),
	TP_fast_assign(
		HC_TRACE_ASSIGN_NODE;
		__entry->dim = dim;
		__entry->type = hc_hdr(skb)->type;
		__entry->seq = be32_to_cpu(hc_hdr(skb)->seq);
		__entry->replays = vain;
	),
	TP_printk("fabric=%s node=%u dim=%u type=%s seq=%u replays=%u",
		  __entry->fabric, __entry->node, __entry->dim,
		  __print_symbolic(__entry->type, hc_trace_types), __entry->seq,
		  __entry->replays)
);

/* A received frame was checked, and its headers are linear. Events of its processing follow. */
DEFINE_EVENT(hc_frame, hc_arrive,
	TP_PROTO(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb),
	TP_ARGS(node, dim, skb));

/* Data of node @src was merged. @begin: hc_trace_clock() before the merge. */
TRACE_EVENT(hc_merge,
	TP_PROTO(const struct hc_node *node, u32 plan, u64 op, u32 src, u32 len, u64 begin),
	TP_ARGS(node, plan, op, src, len, begin),
	TP_STRUCT__entry(
		HC_TRACE_OP
		__field(u32, src)
		__field(u32, len)
		__field(u64, ns)
	),
	TP_fast_assign(
		HC_TRACE_ASSIGN_OP;
		__entry->src = src;
		__entry->len = len;
		/* @begin is 0 if the tracepoint was enabled after the merge began. */
		__entry->ns = begin ? local_clock() - begin : 0;
	),
	TP_printk("fabric=%s node=%u src=%u plan=%u op=%llu len=%u ns=%llu",
		  __entry->fabric, __entry->node, __entry->src, __entry->plan, __entry->op,
		  __entry->len, __entry->ns)
);

/* A member sends data at one of its stages, up or down the plan. */
TRACE_EVENT(hc_stage,
	TP_PROTO(const struct hc_node *node, u32 plan, u64 op, const struct hc_tree_peer *dst,
		 const struct sk_buff *skb),
	TP_ARGS(node, plan, op, dst, skb),
	TP_STRUCT__entry(
		HC_TRACE_OP
		__field(u32, dst)
		__field(u32, stage)
		__field(u32, how)
		__field(bool, down)
		__field(u32, len)
		__field(u64, offset)
	),
	TP_fast_assign(
		HC_TRACE_ASSIGN_OP;
		__entry->dst = dst->node;
		__entry->stage = dst->stage;
		__entry->how = dst->how;
		__entry->down = hc_wire_data_of(skb)->flags & HC_DATA_F_DOWN;
		__entry->len = be32_to_cpu(hc_hdr(skb)->len);
		__entry->offset = be64_to_cpu(hc_wire_data_of(skb)->offset);
	),
	TP_printk("fabric=%s node=%u dst=%u stage=%u how=%s way=%s plan=%u op=%llu offset=%llu len=%u",
		  __entry->fabric, __entry->node, __entry->dst, __entry->stage,
		  __print_symbolic(__entry->how, { HC_TREE_DIRECT, "direct" },
				   { HC_TREE_HELP, "help" }, { HC_TREE_DETOUR, "detour" }),
		  __entry->down ? "down" : "up",
		  __entry->plan, __entry->op, __entry->offset, __entry->len)
);

/* A frame is dropped. The event's dim is the link on which the drop is counted; -1: it is counted
 * on the node.
 */
TRACE_EVENT(hc_drop,
	TP_PROTO(const struct hc_node *node, const struct hc_port *port, unsigned int reason),
	TP_ARGS(node, port, reason),
	TP_STRUCT__entry(
		HC_TRACE_NODE
		__field(int, dim)
		__field(u32, reason)
	),
	TP_fast_assign(
		HC_TRACE_ASSIGN_NODE;
		__entry->dim = port ? port - node->ports : -1;
		__entry->reason = reason;
	),
	TP_printk("fabric=%s node=%u dim=%d reason=%s", __entry->fabric, __entry->node,
		  __entry->dim, __print_symbolic(__entry->reason, hc_trace_reasons))
);

/* A Byzantine node corrupts a frame that it relays. @bit: the bit of the payload that it flips. */
TRACE_EVENT(hc_byzantine,
	TP_PROTO(const struct hc_node *node, const struct sk_buff *skb, u32 bit),
	TP_ARGS(node, skb, bit),
	TP_STRUCT__entry(
		HC_TRACE_NODE
		__field(u32, type)
		HC_TRACE_ENDS
		__field(u32, bit)
	),
	TP_fast_assign(
		HC_TRACE_ASSIGN_NODE;
		__entry->type = hc_hdr(skb)->type;
		HC_TRACE_ASSIGN_ENDS;
		__entry->bit = bit;
	),
	TP_printk("fabric=%s node=%u type=%s src=%u dst=%u bit=%u", __entry->fabric,
		  __entry->node, __print_symbolic(__entry->type, hc_trace_types), __entry->src,
		  __entry->dst, __entry->bit)
);

/* A node sends a copy of a datagram over link @dim. The event's hop is the number of this link in
 * the copy's path.
 */
TRACE_EVENT(hc_copy,
	TP_PROTO(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb),
	TP_ARGS(node, dim, skb),
	TP_STRUCT__entry(
		HC_TRACE_NODE
		__field(u32, dim)
		HC_TRACE_ENDS
		__field(u32, copy)
		__field(u32, copies)
		__field(u32, hop)
		__field(u64, nr)
	),
	TP_fast_assign(
		const struct hc_wire_copy *w = hc_wire_copy_of(skb);

		HC_TRACE_ASSIGN_NODE;
		__entry->dim = dim;
		HC_TRACE_ASSIGN_ENDS;
		__entry->copy = w->copy;
		__entry->copies = w->copies;
		__entry->hop = w->hop;
		__entry->nr = be64_to_cpu(w->nr);
	),
	TP_printk("fabric=%s node=%u dim=%u src=%u dst=%u nr=%llu copy=%u copies=%u hop=%u",
		  __entry->fabric, __entry->node, __entry->dim, __entry->src, __entry->dst,
		  __entry->nr, __entry->copy, __entry->copies, __entry->hop)
);

/* A node votes on the copies of a datagram from node @src: it has received all of them, or no
 * longer waits for the others.
 */
TRACE_EVENT(hc_vote,
	TP_PROTO(const struct hc_node *node, u32 src, const struct hypercube_vote *v),
	TP_ARGS(node, src, v),
	TP_STRUCT__entry(
		HC_TRACE_NODE
		__field(u32, src)
		__field(u32, outcome)
		__field(u32, copies)
		__field(u32, mismatch)
		__field(u32, missing)
		__field(u64, nr)
	),
	TP_fast_assign(
		HC_TRACE_ASSIGN_NODE;
		__entry->src = src;
		__entry->outcome = v->outcome;
		__entry->copies = v->copies;
		__entry->mismatch = v->mismatch;
		__entry->missing = v->missing;
		__entry->nr = v->nr;
	),
	TP_printk("fabric=%s node=%u src=%u nr=%llu outcome=%s copies=%u mismatch=0x%x missing=0x%x",
		  __entry->fabric, __entry->node, __entry->src, __entry->nr,
		  __print_symbolic(__entry->outcome, { HYPERCUBE_VOTE_OUTCOME_AGREED, "agreed" },
				   { HYPERCUBE_VOTE_OUTCOME_INCOMPLETE, "incomplete" },
				   { HYPERCUBE_VOTE_OUTCOME_OUTVOTED, "outvoted" },
				   { HYPERCUBE_VOTE_OUTCOME_UNDECIDED, "undecided" }),
		  __entry->copies, __entry->mismatch, __entry->missing)
);

/* An event of a task at a node, see enum hc_task_event. */
TRACE_EVENT(hc_task,
	TP_PROTO(const struct hc_node *node, enum hc_task_event what,
		 const struct hypercube_task *id),
	TP_ARGS(node, what, id),
	TP_STRUCT__entry(
		HC_TRACE_NODE
		__field(u32, what)
		__field(u32, origin)
		__field(u32, flags)
		__field(u64, nr)
	),
	TP_fast_assign(
		HC_TRACE_ASSIGN_NODE;
		__entry->what = what;
		__entry->origin = id->node;
		__entry->flags = id->flags;
		__entry->nr = id->nr;
	),
	TP_printk("fabric=%s node=%u what=%s task=%u:%llu flags=0x%x", __entry->fabric,
		  __entry->node, __print_symbolic(__entry->what, hc_trace_tasks),
		  __entry->origin, __entry->nr, __entry->flags)
);

/* An event of a load balancing round at a node, see enum hc_round_event. */
TRACE_EVENT(hc_round,
	TP_PROTO(const struct hc_node *node, enum hc_round_event what, u64 id, u32 method,
		 int status),
	TP_ARGS(node, what, id, method, status),
	TP_STRUCT__entry(
		HC_TRACE_NODE
		__field(u32, what)
		__field(u32, method)
		__field(u64, id)
		__field(int, status)
	),
	TP_fast_assign(
		HC_TRACE_ASSIGN_NODE;
		__entry->what = what;
		__entry->method = method;
		__entry->id = id;
		__entry->status = status;
	),
	TP_printk("fabric=%s node=%u what=%s round=%llu begun_by=%llu method=%s status=%d",
		  __entry->fabric, __entry->node,
		  __print_symbolic(__entry->what, hc_trace_rounds), __entry->id >> 16,
		  __entry->id & 0xffff, __print_symbolic(__entry->method, hc_trace_methods),
		  __entry->status)
);

/* A node's own FAULT word has changed. */
TRACE_EVENT(hc_fault,
	TP_PROTO(const struct hc_node *node, u32 before, u32 fault),
	TP_ARGS(node, before, fault),
	TP_STRUCT__entry(
		HC_TRACE_NODE
		__field(u32, before)
		__field(u32, fault)
	),
	TP_fast_assign(
		HC_TRACE_ASSIGN_NODE;
		__entry->before = before;
		__entry->fault = fault;
	),
	TP_printk("fabric=%s node=%u before=0x%x fault=0x%x", __entry->fabric, __entry->node,
		  __entry->before, __entry->fault)
);

/* A plan is installed, removed, broken or repaired. @cmd: the netlink event for user space. */
TRACE_EVENT(hc_plan,
	TP_PROTO(const struct hc_plan *plan, u32 cmd),
	TP_ARGS(plan, cmd),
	TP_STRUCT__entry(
		HC_TRACE_FABRIC
		__field(u32, plan)
		__field(u32, epoch)
		__field(u32, root)
		__field(u32, cmd)
		__field(bool, broken)
		__field(u32, repaired)
		__field(u32, cause_node)
		__field(u32, cause_dim)
	),
	TP_fast_assign(
		HC_TRACE_ASSIGN_FABRIC(plan->fabric);
		__entry->plan = plan->id;
		__entry->epoch = plan->epoch;
		__entry->root = plan->root;
		__entry->cmd = cmd;
		__entry->broken = plan->broken;
		__entry->repaired = atomic_read(&plan->repaired);
		__entry->cause_node = plan->cause_node;
		__entry->cause_dim = plan->cause_dim;
	),
	TP_printk("fabric=%s plan=%u epoch=%u root=%u event=%s cause=%u:%u", __entry->fabric,
		  __entry->plan, __entry->epoch, __entry->root,
		  __entry->cmd == HYPERCUBE_CMD_PLAN_DEL_NTF ? "removed" :
		  __entry->broken ? "broken" : __entry->repaired ? "repaired" : "installed",
		  __entry->cause_node, __entry->cause_dim)
);

/* A member of a plan that repairs itself sends a REPAIR message to member @dst, perhaps itself. */
TRACE_EVENT(hc_repair,
	TP_PROTO(const struct hc_node *node, u32 plan, u32 dst, const struct sk_buff *skb),
	TP_ARGS(node, plan, dst, skb),
	TP_STRUCT__entry(
		HC_TRACE_NODE
		__field(u32, plan)
		__field(u32, dst)
		__field(u32, what)
		__field(u32, resumes)
		__field(u32, step)
		__field(u64, ballot)
	),
	TP_fast_assign(
		const struct hc_wire_repair *w = hc_wire_repair_of(skb);

		HC_TRACE_ASSIGN_NODE;
		__entry->plan = plan;
		__entry->dst = dst;
		__entry->what = w->what;
		__entry->resumes = !!(w->flags & HC_REPAIR_F_RESUME);
		__entry->step = be32_to_cpu(hc_hdr(skb)->step);
		__entry->ballot = be64_to_cpu(w->ballot);
	),
	TP_printk("fabric=%s node=%u plan=%u dst=%u what=%s attempt=%llu master=%llu resumes=%u step=%u",
		  __entry->fabric, __entry->node, __entry->plan, __entry->dst,
		  __print_symbolic(__entry->what, hc_trace_repairs), __entry->ballot >> 16,
		  __entry->ballot & 0xffff, __entry->resumes, __entry->step)
);

/* An operation begins at a member: its process contributes, or the member receives a broadcast. */
TRACE_EVENT(hc_op_begin,
	TP_PROTO(const struct hc_node *node, u32 plan, u64 op, const struct hc_wire_data *w),
	TP_ARGS(node, plan, op, w),
	TP_STRUCT__entry(
		HC_TRACE_OP
		__field(u32, collective)
		__field(u32, oper)
		__field(u32, dtype)
		__field(u64, bytes)
	),
	TP_fast_assign(
		HC_TRACE_ASSIGN_OP;
		__entry->collective = w->collective;
		__entry->oper = w->oper;
		__entry->dtype = w->dtype;
		__entry->bytes = be64_to_cpu(w->total);
	),
	TP_printk("fabric=%s node=%u plan=%u op=%llu collective=%s oper=%u dtype=%u bytes=%llu",
		  __entry->fabric, __entry->node, __entry->plan, __entry->op,
		  __print_symbolic(__entry->collective, hc_trace_collectives),
		  __entry->oper, __entry->dtype, __entry->bytes)
);

/* An operation ends at a member. @status: 0 or a negative errno. */
TRACE_EVENT(hc_op_end,
	TP_PROTO(const struct hc_node *node, u32 plan, u64 op, int status),
	TP_ARGS(node, plan, op, status),
	TP_STRUCT__entry(
		HC_TRACE_OP
		__field(int, status)
	),
	TP_fast_assign(
		HC_TRACE_ASSIGN_OP;
		__entry->status = status;
	),
	TP_printk("fabric=%s node=%u plan=%u op=%llu status=%d", __entry->fabric,
		  __entry->node, __entry->plan, __entry->op, __entry->status)
);

#ifndef _HC_TRACE_INLINE
#define _HC_TRACE_INLINE
/* Return the present time, for @begin of hc_merge; 0 if that tracepoint is off. */
static inline u64 hc_trace_clock(void)
{
	return trace_hc_merge_enabled() ? local_clock() : 0;
}
#endif

#endif /* _HC_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
