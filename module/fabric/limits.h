/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits for the resources that users may make the kernel hold: see limits.c.
 */
#ifndef _HC_LIMITS_H
#define _HC_LIMITS_H

#include <linux/types.h>

struct hc_fabric;
struct hc_poll_owner;
struct hc_node;
struct hc_account;
struct net;
struct netlink_ext_ack;
struct sk_buff;

/* Resources that are counted for each accounting owner. */
enum hc_limit {
	HC_LIMIT_FABRICS,
	HC_LIMIT_NODES,
	HC_LIMIT_PLANS,
	HC_LIMIT_PLAN_BYTES,
	HC_LIMIT_JOBS,		/* creations and removals of fabrics that are under way */
	HC_LIMITS
};

/**
 * hc_users_allowed() - tell whether fabrics may be configured in a namespace at all
 * @net: network namespace
 *
 * Context: any
 * Return: true in the initial user namespace; elsewhere the value of the module parameter
 * unprivileged
 */
bool hc_users_allowed(const struct net *net);

/**
 * hc_account_get() - find or create the accounting owner of a namespace
 * @net: network namespace
 *
 * Context: process
 * Return: the owner with its reference count increased by 1, or NULL if there is no memory
 */
struct hc_account *hc_account_get(const struct net *net);

/**
 * hc_account_put() - drop a reference
 * @account: from hc_account_get()
 *
 * Context: process
 */
void hc_account_put(struct hc_account *account);

/**
 * hc_account_poll_owner() - get the queues in which an accounting owner's nodes wait for polls
 * @account: the owner
 *
 * Context: any
 * Return: the per-processor queues, see poll_limit.c
 */
struct hc_poll_owner __percpu *hc_account_poll_owner(const struct hc_account *account);

/**
 * hc_charge() - charge resources to an accounting owner, unless that exceeds a limit
 * @account: accounting owner
 * @what: the resource and its limit
 * @n: number of units to charge
 * @extack: set to a sentence that names the limit on error, or NULL
 *
 * Context: process
 * Return: 0, or -EDQUOT
 */
int hc_charge(struct hc_account *account, enum hc_limit what, u64 n,
	      struct netlink_ext_ack *extack);

/**
 * hc_uncharge() - undo hc_charge()
 * @account: accounting owner
 * @what: the resource
 * @n: number of units to uncharge
 *
 * Context: any
 */
void hc_uncharge(struct hc_account *account, enum hc_limit what, u64 n);

/**
 * hc_limit_explain() - name a limit as the reason of an error
 * @what: the limit
 * @extack: set to a sentence on error, or NULL
 *
 * Context: any
 */
void hc_limit_explain(enum hc_limit what, struct netlink_ext_ack *extack);

/**
 * hc_plans_check() - check that a fabric may have one more plan
 * @n: number of plans that the fabric has
 * @extack: set to a sentence on error, or NULL
 *
 * Context: process
 * Return: 0 or -EDQUOT
 */
int hc_plans_check(u32 n, struct netlink_ext_ack *extack);

/**
 * hc_memory_check() - check that the machine has memory for a fabric
 * @nodes: number of nodes that this machine will hold
 * @extack: set to a sentence on error, or NULL
 *
 * Context: process
 * Return: 0 or -ENOMEM
 */
int hc_memory_check(u32 nodes, struct netlink_ext_ack *extack);

/**
 * hc_memory_owner_set() - charge memory that polls of a fabric allocate to the caller's memory
 *	cgroup from now on
 * @fabric: the fabric
 *
 * Context: process
 */
void hc_memory_owner_set(struct hc_fabric *fabric);

/**
 * hc_memory_owner_put() - undo hc_memory_owner_set()
 * @fabric: the fabric
 *
 * Context: process
 */
void hc_memory_owner_put(struct hc_fabric *fabric);

/**
 * hc_poll_alloc() - allocate zeroed memory in a poll, for state that outlives the frame being
 *	handled
 * @fabric: the fabric
 * @size: bytes
 *
 * Context: poll
 * Return: memory that is charged to the fabric, or NULL if there is none or the limit is reached
 */
void *hc_poll_alloc(struct hc_fabric *fabric, size_t size);

/**
 * hc_poll_free() - free memory of hc_poll_alloc()
 * @fabric: the fabric
 * @p: the memory, or NULL
 * @size: bytes, as allocated
 *
 * Context: any
 */
void hc_poll_free(struct hc_fabric *fabric, void *p, size_t size);

/**
 * hc_poll_uncharge() - uncharge memory of hc_poll_alloc() that RCU frees
 * @fabric: the fabric
 * @size: bytes, as allocated
 *
 * Context: any
 */
void hc_poll_uncharge(struct hc_fabric *fabric, size_t size);

/**
 * hc_poll_charge() - charge memory that nodes hold but have not allocated by hc_poll_alloc()
 * @fabric: the fabric
 * @size: bytes
 *
 * Context: any
 * Return: false if the limit is reached
 */
bool hc_poll_charge(struct hc_fabric *fabric, size_t size);

/**
 * hc_poll_frame() - allocate a frame that its receiver may hold for long, see hc_frame_alloc()
 * @node: sending node
 * @type: enum hc_frame_type
 * @len: payload bytes
 *
 * Context: poll
 * Return: the frame, charged until it is freed, or NULL
 */
struct sk_buff *hc_poll_frame(const struct hc_node *node, u8 type, u32 len);

/**
 * hc_poll_adopt() - charge a frame that exists and is not charged yet
 * @fabric: the fabric
 * @skb: the frame
 *
 * Context: any
 * Return: false if the limit is reached
 */
bool hc_poll_adopt(struct hc_fabric *fabric, struct sk_buff *skb);

/**
 * hc_poll_owned() - charge a frame that was just made, or free it
 * @fabric: the fabric
 * @skb: the frame, not charged yet, or NULL
 *
 * Context: any
 * Return: @skb; NULL if @skb is NULL, or if charging it would exceed the limit of the accounting
 * owner
 */
struct sk_buff *hc_poll_owned(struct hc_fabric *fabric, struct sk_buff *skb);

/**
 * hc_own_pay() - charge memory of frames that nodes make on their own behalf to the accounting
 *	owner
 * @fabric: the fabric
 * @owed: true for link states, false for control messages
 * @size: bytes, negative when freed
 *
 * Context: any
 */
void hc_own_pay(struct hc_fabric *fabric, bool owed, s64 size);

/**
 * hc_own_paid() - read what hc_own_pay() has charged for all fabrics of the accounting owner
 * @fabric: the fabric
 * @owed: as for hc_own_pay()
 *
 * Context: any; amounts that processors have not yet added to the common count are missing
 * Return: bytes
 */
s64 hc_own_paid(const struct hc_fabric *fabric, bool owed);

/**
 * hc_node_task_limit() - read the limit for the memory of tasks at one node
 *
 * Context: any
 * Return: bytes
 */
u64 hc_node_task_limit(void);

#endif /* _HC_LIMITS_H */
