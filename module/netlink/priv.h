/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of netlink/ share. Files of other folders handle no netlink
 * attributes.
 */
#ifndef _HC_NETLINK_PRIV_H
#define _HC_NETLINK_PRIV_H

#include <net/genetlink.h>
#include <net/sock.h>
#include <linux/hypercube.h>

#include "compat.h"
#include "notifier.h"

struct hc_op_view;
struct hc_path_dims;
struct hc_trunk;
struct hc_plan_params;
struct hc_round_record;

/* The first attribute of every attribute set names the fabric. */
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
 * @skb: the message
 * @portid: netlink port of the receiver
 * @seq: sequence number of the request that the message answers
 * @flags: NLM_F_*
 * @cmd: HYPERCUBE_CMD_*
 * @user_ns: user namespace of the receiver, for uids
 * @cb: the dump that the message is part of, or NULL
 * @reader: if the message is an event: the return value of srcu_read_lock() (notify.c)
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

/* Return: the fabric that pre_doit() has pinned and, for most commands, locked. */
static inline struct hc_fabric *hc_info_fabric(const struct genl_info *info)
{
	return info->user_ptr[0];
}

struct hc_plan;

/* Return: the plan, if the requester is its guard and requests its next epoch (hc_nl_guard_may()),
 * or NULL if the requester has CAP_NET_ADMIN.
 */
static inline const struct hc_plan *hc_info_guarded(const struct genl_info *info)
{
	return info->user_ptr[1];
}

/**
 * hc_nl_guard_may() - check whether the requester may install a plan
 * @skb: the request
 * @info: the request, parsed
 *
 * Context: under hc_fabric.lock.
 * Return: 0 if the requester has CAP_NET_ADMIN, or guards the plan and may install its next epoch
 *	now; hc_info_guarded() tells which. Else -EPERM, -ESTALE if the plan has another epoch by
 *	now, or -EAGAIN if its guard sends requests too often.
 */
int hc_nl_guard_may(const struct sk_buff *skb, struct genl_info *info);

/**
 * hc_guard_uid_check() - check that users may be entrusted with plans of a fabric, if the request
 *	names one (GUARD_UID)
 * @info: the request, parsed
 * @fabric: the fabric
 *
 * Return: 0, or -EOPNOTSUPP: the fabric spans machines.
 */
int hc_guard_uid_check(struct genl_info *info, const struct hc_fabric *fabric);

/**
 * hc_nl_uid() - read a user from an attribute
 * @skb: the request
 * @info: the request, parsed
 * @type: the attribute, which must be present: a uid in the requester's user namespace, or (u32)-1
 *	for no user
 * @uid: set to the user, or to INVALID_UID for no user
 *
 * Return: 0, or -EINVAL if the user namespace has no such user.
 */
int hc_nl_uid(const struct sk_buff *skb, struct genl_info *info, int type, kuid_t *uid);

/**
 * struct hc_asked - the requester of a deferred request
 * @skb: a copy of the request
 * @sk: the requester's socket, with a reference
 */
struct hc_asked {
	struct sk_buff *skb;
	struct sock *sk;
};

/* Return: true if the requester has closed its socket, so that no answer can be read. */
static inline bool hc_asked_gone(const struct hc_asked *asked)
{
	return sock_flag(asked->sk, SOCK_DEAD);
}

struct hc_deferred;

/**
 * struct hc_deferred_ops - what a deferred request waits for
 * @look: check whether the request is complete; if not, set hc_deferred.next. @gone: the requester
 *	has closed its socket. Called under hc_fabric.lock. Return: -EAGAIN if the request is not
 *	complete, else its result
 * @release: free what the request holds; may be NULL
 * @brief: the request may be long, so the answer quotes it without its attributes
 */
struct hc_deferred_ops {
	int (*look)(struct hc_deferred *deferred, bool gone);
	void (*release)(struct hc_deferred *deferred);
	bool brief;
};

/**
 * struct hc_deferred - a deferred request; under hc_fabric.lock
 * @list: entry in hc_deferred_list.list
 * @fabric: the fabric
 * @ops: what the request waits for
 * @asked: the requester
 * @info: the request, without its attributes
 * @extack: extack of the answer
 * @next: when @ops->look is to be called again, jiffies
 */
struct hc_deferred {
	struct list_head list;
	struct hc_fabric *fabric;
	const struct hc_deferred_ops *ops;
	struct hc_asked asked;
	struct genl_info info;
	struct netlink_ext_ack extack;
	unsigned long next;
};

/**
 * hc_missing() - refuse a request that lacks an attribute
 * @info: the request
 * @attr: the attribute
 * @sentence: a string literal, for the extack
 *
 * Context: request
 * Return: true if it is missing
 */
bool hc_missing(struct genl_info *info, int attr, const char *sentence);

/**
 * hc_nl_lock() - lock the fabric that a request names
 * @info: the request
 *
 * Context: request
 * Return: 0, -ENOENT if the fabric is dead, or -EINTR if the task is killed
 */
int hc_nl_lock(struct genl_info *info);

/**
 * struct hc_tasks_lost - tasks that were lost at a node
 * @loss: what has happened to them
 * @ids: ids of the first @n of them
 * @n: number of @ids
 * @count: number of lost tasks
 */
struct hc_tasks_lost {
	enum hypercube_task_loss loss;
	const struct hypercube_task *ids;
	unsigned int n;
	u64 count;
};

/* hc_nl_fabric_get() and the other hc_nl_*() functions without a comment handle the request that
 * they are named after, here HYPERCUBE_CMD_FABRIC_GET: @skb is the message, @info the parsed
 * message. They return 0 or -errno, with a sentence in the extack.
 */

/* --- netlink/fill.c: each function writes one message; -EMSGSIZE if it does not fit --- */

/**
 * hc_msg_begin() - write the header of a message
 * @msg: the message
 *
 * Context: any
 * Return: the header, or NULL if there is no room
 */
void *hc_msg_begin(const struct hc_msg *msg);

/**
 * hc_msg_end() - complete a message, or remove it if it does not fit
 * @msg: the message
 * @hdr: from hc_msg_begin()
 * @overflow: the header or an attribute did not fit
 *
 * Context: any
 * Return: 0 or -EMSGSIZE
 */
int hc_msg_end(const struct hc_msg *msg, void *hdr, bool overflow);

/**
 * hc_fill_fabric() - write a fabric
 * @msg: the message
 * @fabric: the fabric
 *
 * Context: config
 * Return: 0 or -EMSGSIZE
 */
int hc_fill_fabric(const struct hc_msg *msg, struct hc_fabric *fabric);

/**
 * hc_fill_node() - write a node of this machine
 * @msg: the message
 * @node: the node
 *
 * Context: config
 * Return: 0 or -EMSGSIZE
 */
int hc_fill_node(const struct hc_msg *msg, struct hc_node *node);

/**
 * hc_fill_remote() - write a node of another machine
 * @msg: the message
 * @fabric: the fabric
 * @u: its number
 * @words: FAULT words of all nodes, as far as this machine knows them
 *
 * Context: config
 * Return: 0 or -EMSGSIZE
 */
int hc_fill_remote(const struct hc_msg *msg, const struct hc_fabric *fabric, u32 u,
		   const u32 *words);

/**
 * hc_fill_link() - write a link
 * @msg: the message
 * @node: node of the end to be written
 * @dim: dimension of the link
 *
 * Context: config
 * Return: 0 or -EMSGSIZE
 */
int hc_fill_link(const struct hc_msg *msg, struct hc_node *node, unsigned int dim);

/**
 * hc_fill_plan() - write a plan
 * @msg: the message
 * @plan: the plan
 *
 * Context: any
 * Return: 0 or -EMSGSIZE
 */
int hc_fill_plan(const struct hc_msg *msg, const struct hc_plan *plan);

/**
 * hc_fill_op() - write the oldest pending operation of a member
 * @msg: the message
 * @plan: its plan
 * @node: the member
 * @view: the operation
 *
 * Context: config
 * Return: 0 or -EMSGSIZE
 */
int hc_fill_op(const struct hc_msg *msg, const struct hc_plan *plan, u32 node,
	       const struct hc_op_view *view);

/**
 * hc_fill_op_event() - write the event that an operation has ended
 * @msg: the message
 * @plan: its plan
 * @ev: how it ended
 *
 * Context: any
 * Return: 0 or -EMSGSIZE
 */
int hc_fill_op_event(const struct hc_msg *msg, const struct hc_plan *plan,
		     const struct hc_op_event *ev);

/**
 * hc_fill_vote() - write the event that copies of a datagram disagree
 * @msg: the message
 * @node: the node that received them
 * @src: the node that is named as their origin
 * @v: the vote on them
 * @path: their paths
 *
 * Context: any
 * Return: 0 or -EMSGSIZE
 */
int hc_fill_vote(const struct hc_msg *msg, const struct hc_node *node, u32 src,
		 const struct hypercube_vote *v, const struct hc_path_dims *path);

/**
 * hc_fill_tasks_lost() - write the event that tasks were lost
 * @msg: the message
 * @node: the node
 * @lost: the lost tasks
 *
 * Context: any
 * Return: 0 or -EMSGSIZE
 */
int hc_fill_tasks_lost(const struct hc_msg *msg, const struct hc_node *node,
		       const struct hc_tasks_lost *lost);

/**
 * hc_plan_msg_size() - upper bound for the message of a plan
 * @plan: the plan
 *
 * Context: any
 * Return: bytes
 */
size_t hc_plan_msg_size(const struct hc_plan *plan);

/* --- netlink/get.c --- */

/**
 * hc_reply_begin() - allocate a reply
 * @msg: filled in
 * @info: the request
 * @skb: the request, if the reply names users, or NULL
 * @size: bytes of the reply
 *
 * Context: request
 * Return: 0 or -errno; in both cases the caller must pass the value on to hc_reply_end()
 */
int hc_reply_begin(struct hc_msg *msg, struct genl_info *info, struct sk_buff *skb, size_t size);

/**
 * hc_reply_end() - send a reply, or free it if there is an error
 * @msg: the reply
 * @info: the request
 * @err: 0 or -errno
 *
 * Context: request
 * Return: the value for the handler to return
 */
int hc_reply_end(struct hc_msg *msg, struct genl_info *info, int err);

int hc_nl_fabric_get(struct sk_buff *skb, struct genl_info *info);
int hc_nl_node_get(struct sk_buff *skb, struct genl_info *info);
int hc_nl_link_get(struct sk_buff *skb, struct genl_info *info);
int hc_nl_plan_get(struct sk_buff *skb, struct genl_info *info);
int hc_nl_route_get(struct sk_buff *skb, struct genl_info *info);

/**
 * hc_nl_dump_start() - begin a dump
 * @cb: the dump
 *
 * Context: request
 * Return: 0 or -errno
 */
int hc_nl_dump_start(struct netlink_callback *cb);

/**
 * hc_nl_dump() - write the next part of a dump; the command determines the kind of objects
 * @skb: the message
 * @cb: the dump
 *
 * Context: request
 * Return: bytes written, or -errno
 */
int hc_nl_dump(struct sk_buff *skb, struct netlink_callback *cb);

/**
 * hc_nl_node_id() - get the number of the local node that a request names
 * @info: the request
 * @attr: the attribute
 *
 * Context: request
 * Return: the number, or -errno: -EREMOTE if the node is on another machine
 */
int hc_nl_node_id(struct genl_info *info, int attr);

/**
 * hc_nl_node() - get the local node that a request names
 * @info: the request, whose fabric is locked
 * @attr: the attribute
 *
 * Context: request
 * Return: the node, or an ERR_PTR
 */
struct hc_node *hc_nl_node(struct genl_info *info, int attr);

/**
 * hc_nl_link() - get the link that a request names
 * @info: the request, whose fabric is locked
 * @dim: filled in with the dimension
 *
 * Context: request
 * Return: the node of the end that the request names, or an ERR_PTR
 */
struct hc_node *hc_nl_link(struct genl_info *info, unsigned int *dim);

/* --- netlink/deferred.c --- */

/**
 * hc_asked_keep() - copy what a deferred answer needs of a request
 * @asked: filled in
 * @skb: the request
 * @info: the request, parsed
 * @brief: copy only its headers, without the attributes
 *
 * Context: request
 * Return: 0 or -errno
 */
int hc_asked_keep(struct hc_asked *asked, const struct sk_buff *skb, const struct genl_info *info,
		  bool brief);

/**
 * hc_asked_answer() - answer a deferred request, unless the requester has closed its socket
 * @asked: from hc_asked_keep()
 * @err: 0 or -errno
 * @extack: a sentence, or NULL
 *
 * Context: process
 */
void hc_asked_answer(const struct hc_asked *asked, int err, const struct netlink_ext_ack *extack);

/**
 * hc_asked_free() - free what hc_asked_keep() has allocated
 * @asked: from hc_asked_keep()
 *
 * Context: process
 */
void hc_asked_free(struct hc_asked *asked);

/**
 * hc_deferred_new() - defer a request
 * @skb: the request
 * @info: the request, parsed
 * @size: bytes of an object that begins with a struct hc_deferred
 * @ops: what the request waits for
 *
 * Context: request, under hc_fabric.lock
 * Return: the object, or an ERR_PTR
 */
void *hc_deferred_new(struct sk_buff *skb, struct genl_info *info, size_t size,
		      const struct hc_deferred_ops *ops);

/**
 * hc_deferred_wait() - answer a deferred request as soon as it is complete; consumes the request
 * @deferred: from hc_deferred_new()
 * @info: the request
 *
 * Context: request, under hc_fabric.lock
 * Return: the value for the handler to return
 */
int hc_deferred_wait(struct hc_deferred *deferred, struct genl_info *info);

/**
 * hc_deferred_free() - free a deferred request that was never started; the handler's return value
 *	is then the only reply
 * @deferred: from hc_deferred_new()
 *
 * Context: request, under hc_fabric.lock
 */
void hc_deferred_free(struct hc_deferred *deferred);

/**
 * hc_deferred_notified() - defer a request until nodes have acted on the new state of their links,
 *	and then notify listeners
 * @skb: the request
 * @info: the request, parsed
 * @node: the node whose links change, or NULL: the request clears all faults of the fabric
 * @dims: mask of dimensions; the neighbours along these dimensions have to act on the change, too
 *
 * Context: request, under hc_fabric.lock
 * Return: the request for hc_deferred_wait(), or an ERR_PTR
 */
struct hc_deferred *hc_deferred_notified(struct sk_buff *skb, struct genl_info *info,
					 struct hc_node *node, u32 dims);

/* Sets up and ends the deferred requests of a fabric. */
extern struct hc_notifier hc_deferred_notifier;

int hc_nl_fabric_new(struct sk_buff *skb, struct genl_info *info);
int hc_nl_fabric_del(struct sk_buff *skb, struct genl_info *info);

/**
 * hc_nl_fabrics_init() - set up the creation and removal of fabrics
 *
 * Context: the module's init
 * Return: 0 or -errno
 */
int hc_nl_fabrics_init(void);

/**
 * hc_nl_fabrics_exit() - wait until no request creates or removes a fabric any more
 *
 * Context: the module's exit, after the family has been unregistered
 */
void hc_nl_fabrics_exit(void);

int hc_nl_fabric_set(struct sk_buff *skb, struct genl_info *info);
int hc_nl_node_set(struct sk_buff *skb, struct genl_info *info);
int hc_nl_link_set(struct sk_buff *skb, struct genl_info *info);
int hc_nl_fault_clear(struct sk_buff *skb, struct genl_info *info);
int hc_nl_detect(struct sk_buff *skb, struct genl_info *info);
int hc_nl_task_move(struct sk_buff *skb, struct genl_info *info);
int hc_nl_balance_get(struct sk_buff *skb, struct genl_info *info);
int hc_nl_balance_set(struct sk_buff *skb, struct genl_info *info);
int hc_nl_balance_run(struct sk_buff *skb, struct genl_info *info);

/**
 * hc_fill_round() - write a load balancing round that has ended
 * @msg: the message
 * @fabric: the fabric
 * @rec: the round's outcome
 *
 * Context: any
 * Return: 0 or -EMSGSIZE
 */
int hc_fill_round(const struct hc_msg *msg, const struct hc_fabric *fabric,
		  const struct hc_round_record *rec);

int hc_nl_plan_new(struct sk_buff *skb, struct genl_info *info);
int hc_nl_plan_del(struct sk_buff *skb, struct genl_info *info);
int hc_nl_plan_set(struct sk_buff *skb, struct genl_info *info);

/**
 * hc_put_plan_shape() - write the root of a plan, and the attributes that only its type has
 * @skb: the message
 * @plan: the plan
 * @shape: the plan's shape, from hc_plan_ops.shape
 *
 * Context: any
 * Return: true if there is no room
 */
bool hc_put_plan_shape(struct sk_buff *skb, const struct hc_plan *plan,
		       const struct hc_plan_params *shape);

int hc_nl_trunk_get(struct sk_buff *skb, struct genl_info *info);
int hc_nl_trunk_new(struct sk_buff *skb, struct genl_info *info);
int hc_nl_trunk_del(struct sk_buff *skb, struct genl_info *info);

/**
 * hc_nl_trunk_may() - check that the requester may affect other machines
 * @skb: the request
 * @extack: set to a sentence on error, or NULL
 *
 * Context: request
 * Return: 0, -EOPNOTSUPP if the module's parameter "trunks" is off, or -EPERM
 */
int hc_nl_trunk_may(const struct sk_buff *skb, struct netlink_ext_ack *extack);

/**
 * hc_fill_trunk() - write a trunk
 * @msg: the message
 * @trunk: the trunk
 *
 * Context: config
 * Return: 0 or -EMSGSIZE
 */
int hc_fill_trunk(const struct hc_msg *msg, const struct hc_trunk *trunk);

/**
 * hc_dump_trunks() - write the trunks of a fabric
 * @msg: the message
 * @fabric: the fabric
 * @from: id of the first trunk to write; set to the id of the first trunk that did not fit
 *
 * Context: config
 * Return: 0 or -EMSGSIZE
 */
int hc_dump_trunks(const struct hc_msg *msg, struct hc_fabric *fabric, u32 *from);

/* --- netlink/notify.c --- */
/* Sends the events. */
extern struct hc_notifier hc_nl_notifier;

/**
 * hc_notify_enable() - enable events, or disable them and wait until none is being sent any more
 * @enable: true to enable them
 *
 * Context: the module's init and exit
 */
void hc_notify_enable(bool enable);

#endif /* _HC_NETLINK_PRIV_H */
