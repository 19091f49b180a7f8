/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits to what users may make the kernel hold: limits.c.
 */
#ifndef _HC_LIMITS_H
#define _HC_LIMITS_H

#include <linux/types.h>

struct hc_fabric;
struct hc_gate_user;
struct hc_node;
struct hc_payer;
struct net;
struct netlink_ext_ack;
struct sk_buff;

/* Resources that are counted for each payer. */
enum hc_limit {
	HC_LIMIT_FABRICS,
	HC_LIMIT_NODES,
	HC_LIMIT_PLANS,
	HC_LIMIT_PLAN_BYTES,
	HC_LIMIT_JOBS,
	HC_LIMITS
};

/* May anything be configured in @net?  Everything in those of the initial user namespace,
 * elsewhere if the administrator allows it.
 */
bool hc_users_allowed(const struct net *net);

/* Returns the payer that answers for all that belongs to @net, with refcounter increased by 1,
 * or NULL: no memory.  Process context.
 */
struct hc_payer *hc_payer_get(const struct net *net);
void hc_payer_put(struct hc_payer *payer);
/* What nodes of the payer wait in for their polls, see gate.c. */
struct hc_gate_user __percpu *hc_payer_gate(const struct hc_payer *payer);

/* Count @n more.  0, or -EDQUOT and extack names the limit.  Process context. */
int hc_charge(struct hc_payer *payer, enum hc_limit what, u64 n, struct netlink_ext_ack *extack);
void hc_uncharge(struct hc_payer *payer, enum hc_limit what, u64 n);
/* Say that limit @what was the reason. */
void hc_limit_explain(enum hc_limit what, struct netlink_ext_ack *extack);
/* May a fabric have another plan beside @n?  0 or -EDQUOT. */
int hc_plans_check(u32 n, struct netlink_ext_ack *extack);

/* Is there memory for @nodes nodes of a fabric of dimension @dim?  0 or -ENOMEM. */
int hc_memory_check(u32 dim, u32 nodes, struct netlink_ext_ack *extack);
/* Memory that polls allocate is charged to the memory cgroup of the caller. */
void hc_memory_owner_set(struct hc_fabric *fabric);
void hc_memory_owner_put(struct hc_fabric *fabric);

/* Zeroed memory for what lives longer than a frame, from a poll, charged to the fabric;
 * NULL: there is none, or it exceeds the limit.
 */
void *hc_poll_alloc(struct hc_fabric *fabric, size_t size);
/* @size as it was; @p may be NULL. */
void hc_poll_free(struct hc_fabric *fabric, void *p, size_t size);
/* The same of memory that RCU frees. */
void hc_poll_uncharge(struct hc_fabric *fabric, size_t size);
/* Count memory that somebody else has allocated, and that nodes keep.  False: it exceeds the
 * limit.
 */
bool hc_poll_charge(struct hc_fabric *fabric, size_t size);
/* The same for a frame that its receiver keeps, see hc_frame_alloc(): charged until it is freed. */
struct sk_buff *hc_poll_frame(const struct hc_node *node, u8 type, u32 len);
/* The same for a frame that was made already and is charged to nobody.  False: it exceeds the
 * limit.
 */
bool hc_poll_adopt(struct hc_fabric *fabric, struct sk_buff *skb);

/* Count memory of frames that nodes make in nobody's name (own.h).  Any context. */
void hc_own_pay(struct hc_fabric *fabric, bool owed, s64 size);
/* How much that is in all fabrics of the payer; processors may have more to add. */
s64 hc_own_paid(const struct hc_fabric *fabric, bool owed);

/* Bytes of the tasks of a node above which it takes no more of them. */
u64 hc_node_task_limit(void);

#endif /* _HC_LIMITS_H */
