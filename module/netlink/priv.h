/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of netlink/; no other file sees attributes.
 */
#ifndef _HC_NETLINK_PRIV_H
#define _HC_NETLINK_PRIV_H

#include <net/genetlink.h>
#include <net/sock.h>
#include <linux/hypercube.h>

#include "compat.h"
#include "netlink/netlink.h"

struct hc_op_view;
struct hc_path_dims;
struct hc_trunk;
struct hc_plan_params;
struct hc_round_record;

/* Every attribute set names the fabric first. */
#define HC_A_FABRIC	1

static_assert(HYPERCUBE_A_FABRIC_NAME == HC_A_FABRIC);
static_assert(HYPERCUBE_A_NODE_FABRIC == HC_A_FABRIC);
static_assert(HYPERCUBE_A_LINK_FABRIC == HC_A_FABRIC);
static_assert(HYPERCUBE_A_PLAN_FABRIC == HC_A_FABRIC);
static_assert(HYPERCUBE_A_OP_FABRIC == HC_A_FABRIC);
static_assert(HYPERCUBE_A_DETECT_FABRIC == HC_A_FABRIC);
static_assert(HYPERCUBE_A_ROUTE_FABRIC == HC_A_FABRIC);
static_assert(HYPERCUBE_A_TASK_FABRIC == HC_A_FABRIC);
static_assert(HYPERCUBE_A_BALANCE_FABRIC == HC_A_FABRIC);
static_assert(HYPERCUBE_A_TRUNK_FABRIC == HC_A_FABRIC);

#define HC_MCGRP_EVENTS	0

extern struct genl_family hc_genl_family;

/**
 * struct hc_msg - a message being written
 * @skb: where
 * @portid: whom it is for
 * @seq: number of the request it answers
 * @flags: NLM_F_*
 * @cmd: HYPERCUBE_CMD_*
 * @user_ns: of the reader, for uids
 * @cb: of the dump it is part of, or NULL
 * @reader: of an event: what srcu_read_lock() has returned (notify.c)
 */
struct hc_msg {
	struct sk_buff *skb;
	u32 portid;
	u32 seq;
	int flags;
	u8 cmd;
	struct user_namespace *user_ns;
	struct netlink_callback *cb;
	int reader;
};

/* The fabric that pre_doit() has pinned and, for most commands, locked. */
static inline struct hc_fabric *hc_info_fabric(const struct genl_info *info)
{
	return info->user_ptr[0];
}

/**
 * struct hc_asked - who is to be answered when a request has been put off
 * @skb: a copy of the request
 * @sk: the socket that asked
 */
struct hc_asked {
	struct sk_buff *skb;
	struct sock *sk;
};

/* Nobody is left who could read an answer. */
static inline bool hc_asked_gone(const struct hc_asked *asked)
{
	return sock_flag(asked->sk, SOCK_DEAD);
}

struct hc_later;

/**
 * struct hc_later_ops - what a request waits for
 * @look: see whether it is over, and say when to look again (@next).  @gone: nobody waits
 *	for the answer any more.  Under hc_fabric.lock.  -EAGAIN: it is not over
 * @release: free what it has, or NULL
 * @brief: the request may be long, and is told back without its attributes
 */
struct hc_later_ops {
	int (*look)(struct hc_later *later, bool gone);
	void (*release)(struct hc_later *later);
	bool brief;
};

/**
 * struct hc_later - a request that is answered later; under hc_fabric.lock
 * @list: in hc_fabric.later
 * @fabric: the fabric
 * @ops: what it waits for
 * @asked: who is to be answered
 * @info: of the request, without its attributes
 * @extack: of the answer
 * @next: when to look at it, jiffies
 */
struct hc_later {
	struct list_head list;
	struct hc_fabric *fabric;
	const struct hc_later_ops *ops;
	struct hc_asked asked;
	struct genl_info info;
	struct netlink_ext_ack extack;
	unsigned long next;
};

/* Is an attribute missing that the command needs? @sentence is a string literal.
 */
bool hc_missing(struct genl_info *info, int attr, const char *sentence);

/* Lock the pinned fabric.  0, or an error: it is dead, or the task is. */
int hc_nl_lock(struct genl_info *info);

/**
 * struct hc_tasks_lost - tasks that were lost at a node
 * @loss: why
 * @ids: which, @n of them
 * @n: how many of them are named
 * @count: how many there are
 */
struct hc_tasks_lost {
	enum hypercube_task_loss loss;
	const struct hypercube_task *ids;
	unsigned int n;
	u64 count;
};

/* --- netlink/fill.c: one message each; -EMSGSIZE if it does not fit --- */
/* Its header, or NULL: there is no room. */
void *hc_msg_begin(const struct hc_msg *msg);
/* @overflow: the header or some of what follows it did not fit */
int hc_msg_end(const struct hc_msg *msg, void *hdr, bool overflow);
int hc_fill_fabric(const struct hc_msg *msg, struct hc_fabric *fabric);
int hc_fill_node(const struct hc_msg *msg, struct hc_node *node);
/* Node @u, which is elsewhere; @words: what is known of all */
int hc_fill_away(const struct hc_msg *msg, const struct hc_fabric *fabric, u32 u,
		 const u32 *words);
int hc_fill_link(const struct hc_msg *msg, struct hc_node *node, unsigned int dim);
int hc_fill_plan(const struct hc_msg *msg, const struct hc_plan *plan);
int hc_fill_op(const struct hc_msg *msg, const struct hc_plan *plan, u32 node,
	       const struct hc_op_view *view);
int hc_fill_op_event(const struct hc_msg *msg, const struct hc_plan *plan,
		     const struct hc_op_event *ev);
int hc_fill_verdict(const struct hc_msg *msg, const struct hc_node *node, u32 src,
		    const struct hypercube_verdict *v, const struct hc_path_dims *path);
int hc_fill_tasks_lost(const struct hc_msg *msg, const struct hc_node *node,
		       const struct hc_tasks_lost *lost);
/* Upper bound for the size of a plan's message. */
size_t hc_plan_msg_size(const struct hc_plan *plan);

/* --- netlink/get.c --- */
/* @skb: the request, if the answer tells of users.  0 or an error; then hc_reply_end() gets it. */
int hc_reply_begin(struct hc_msg *msg, struct genl_info *info, struct sk_buff *skb, size_t size);
/* Send it, unless there is an error.  Return: what the request's handler has to return. */
int hc_reply_end(struct hc_msg *msg, struct genl_info *info, int err);
int hc_nl_fabric_get(struct sk_buff *skb, struct genl_info *info);
int hc_nl_node_get(struct sk_buff *skb, struct genl_info *info);
int hc_nl_link_get(struct sk_buff *skb, struct genl_info *info);
int hc_nl_plan_get(struct sk_buff *skb, struct genl_info *info);
int hc_nl_route_get(struct sk_buff *skb, struct genl_info *info);
int hc_nl_dump_start(struct netlink_callback *cb);
/* Of the objects that the request's command gets */
int hc_nl_dump(struct sk_buff *skb, struct netlink_callback *cb);
/* The number of the node that a request names in @attr, or an error. */
int hc_nl_node_id(struct genl_info *info, int attr);
/* The node, or an ERR_PTR; the fabric is locked. */
struct hc_node *hc_nl_node(struct genl_info *info, int attr);
/* The node and the dimension of the link that it names, or an ERR_PTR. */
struct hc_node *hc_nl_link(struct genl_info *info, unsigned int *dim);

/* --- netlink/later.c --- */
/* 0 or an error.  @brief: without the attributes. */
int hc_asked_keep(struct hc_asked *asked, const struct sk_buff *skb, const struct genl_info *info,
		  bool brief);
void hc_asked_answer(const struct hc_asked *asked, int err, const struct netlink_ext_ack *extack);
void hc_asked_free(struct hc_asked *asked);

/* The rest under the fabric's lock. */
/* An object of @size bytes that begins with a struct hc_later, or an ERR_PTR. */
void *hc_later_new(struct sk_buff *skb, struct genl_info *info, size_t size,
		   const struct hc_later_ops *ops);
/* Answer when it is over; consumes.  Return: what the request's handler has to return. */
int hc_later_wait(struct hc_later *later, struct genl_info *info);
/* Nothing was begun: the handler's own answer is the only one. */
void hc_later_free(struct hc_later *later);
/* To wait until @node (NULL: all, which are about to be cleared) and its neighbours along
 * @dims know what state their links are in, and to notify listeners of the change then.
 */
struct hc_later *hc_later_told(struct sk_buff *skb, struct genl_info *info,
			       struct hc_node *node, u32 dims);

/* --- netlink/fabric.c --- */
int hc_nl_fabric_new(struct sk_buff *skb, struct genl_info *info);
int hc_nl_fabric_del(struct sk_buff *skb, struct genl_info *info);
int hc_nl_fabrics_init(void);
/* After it nobody makes or removes fabrics any more; the family is gone. */
void hc_nl_fabrics_exit(void);

/* --- netlink/set.c --- */
int hc_nl_fabric_set(struct sk_buff *skb, struct genl_info *info);
int hc_nl_node_set(struct sk_buff *skb, struct genl_info *info);
int hc_nl_link_set(struct sk_buff *skb, struct genl_info *info);
int hc_nl_fault_clear(struct sk_buff *skb, struct genl_info *info);
int hc_nl_detect(struct sk_buff *skb, struct genl_info *info);
int hc_nl_task_move(struct sk_buff *skb, struct genl_info *info);

/* --- netlink/balance.c --- */
int hc_nl_balance_get(struct sk_buff *skb, struct genl_info *info);
int hc_nl_balance_set(struct sk_buff *skb, struct genl_info *info);
int hc_nl_balance_run(struct sk_buff *skb, struct genl_info *info);
int hc_fill_round(const struct hc_msg *msg, const struct hc_fabric *fabric,
		  const struct hc_round_record *rec);

/* --- netlink/plan.c --- */
int hc_nl_plan_new(struct sk_buff *skb, struct genl_info *info);
int hc_nl_plan_del(struct sk_buff *skb, struct genl_info *info);
/* Puts the plan's root, and what only plans of its type have; true: there is no room. */
bool hc_put_plan_shape(struct sk_buff *skb, const struct hc_plan *plan,
		       const struct hc_plan_params *shape);

/* --- netlink/trunk.c --- */
int hc_nl_trunk_get(struct sk_buff *skb, struct genl_info *info);
int hc_nl_trunk_new(struct sk_buff *skb, struct genl_info *info);
int hc_nl_trunk_del(struct sk_buff *skb, struct genl_info *info);
/* May who asks do what concerns other machines?  0 or an error. */
int hc_nl_trunk_may(const struct sk_buff *skb, struct netlink_ext_ack *extack);
int hc_fill_trunk(const struct hc_msg *msg, const struct hc_trunk *trunk);
/* All of a fabric from id *@from on, which then is the first that did not fit. */
int hc_dump_trunks(const struct hc_msg *msg, struct hc_fabric *fabric, u32 *from);

/* --- netlink/notify.c --- */
void hc_notify_enable(bool enable);

#endif /* _HC_NETLINK_PRIV_H */
