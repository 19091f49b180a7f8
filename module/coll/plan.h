/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans: installed by configuration, published by RCU, executed by the polls.
 */
#ifndef _HC_PLAN_KERNEL_H
#define _HC_PLAN_KERNEL_H

#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/hypercube.h>

#include "coll/ops.h"
#include "hc_tree.h"

struct hc_fabric;
struct hc_member;
struct netlink_ext_ack;

/**
 * struct hc_plan_params - what netlink asks for, and is told
 * @id: id of the plan, >= 1; a plan of that id is replaced
 * @ops: its type
 * @root: sink of a tree, source of a broadcast, lowest node of a doubling, first
 *	node of the first ring
 * @stages: number of entries of @order
 * @order: dimensions
 * @steps: length of @sequence
 * @sequence: of a broadcast: the dimension of each step
 * @members: set of 2^dim bits, node u is bit u % 32 of word u / 32; NULL with a doubling
 * @detours: @ndetours entries
 * @ndetours: how many
 * @ways: their ways, of a plan that is installed, or NULL
 * @nrings: rings of a tree of these
 * @rings: what HYPERCUBE_A_PLAN_RINGS says of each
 * @nring_nodes: length of @ring_nodes
 * @ring_nodes: the nodes of all rings, one ring after the other
 * @fault: the 2^dim FAULT words the plan was made for
 * @mends: it mends itself when a fault has broken it
 * @epoch: the epoch that it is to have, 0: the next one
 */
struct hc_plan_params {
	u32 id;
	const struct hc_plan_ops *ops;
	u32 root;
	u32 stages;
	u8 order[HYPERCUBE_DIM_MAX];
	u32 steps;
	const u8 *sequence;
	const u32 *members;
	const struct hc_detour *detours;
	u32 ndetours;
	const struct hc_detour_ways *ways;
	u32 nrings;
	const struct hypercube_ring *rings;
	u32 nring_nodes;
	const u16 *ring_nodes;
	const u32 *fault;
	bool mends;
	u32 epoch;
};

/**
 * struct hc_plan - an installed plan; constant once published but for @broken and what follows, and
 *	@mended
 * @rcu: frees it
 * @fabric: its fabric
 * @id: its id
 * @ops: its type
 * @bytes: memory that it and its members take; constant once published
 * @epoch: the fabric's count of installations when it was made, or what configuration has chosen
 * @tag: what frames of it say as their epoch; in a fabric that spans machines also of what
 *	configuration said of the plan, for machines that were told different things
 * @root: sink of the tree, source of the broadcast, lowest node of the doubling, first node of the
 *	first ring
 * @hash: of the latter
 * @members: bit set of the members
 * @nmembers: how many
 * @stages: stages of which each takes the steps that frames say it took (hc_wire_data.cost)
 * @detours: members that reach each other over several links; owned by the type
 * @ndetours: how many pairs of them
 * @ways: the ways that these take, or NULL
 * @priv: what the type keeps, see hc_plan_ops.plan_size
 * @mends: it mends itself
 * @mended: how often it has, as far as members of this machine were in it
 * @went: the latest attempt at that in which one of them was told to go on
 * @lost: a node of a machine that does not have the plan, or HC_CAUSE_NONE; written under
 *	hc_fabric.lock
 * @breaking: bit 0: a member's poll is about to set @broken; bit 1: that was reported as a failure
 * @reported: the number after that of the failure that was reported last, or where numbers went on
 *	when all that was under way had ended
 * @broken: a fault has broken it; set by that poll, until it is mended
 * @cause_node: where that fault lies; valid once @broken is seen
 * @cause_dim: dimension of the link
 * @member: state of each node in this plan, NULL for nodes that are no members or elsewhere;
 *	entry u is touched by the poll of node u alone
 */
struct hc_plan {
	struct rcu_head rcu;
	struct hc_fabric *fabric;
	u32 id;
	const struct hc_plan_ops *ops;
	u64 bytes;
	u32 epoch;
	u32 tag;
	u32 hash;
	u32 root;
	u32 *members;
	u32 nmembers;
	u32 stages;
	const struct hc_detour *detours;
	u32 ndetours;
	struct hc_detour_ways *ways;
	void *priv;
	bool mends;
	atomic_t mended;
	atomic64_t went;
	u32 lost;
	unsigned long breaking;
	atomic64_t reported;
	bool broken;
	u32 cause_node;
	u32 cause_dim;
	struct hc_member *member[];
};

/* Returns the state that the plan's type keeps of it: .plan_size bytes. */
static inline void *hc_plan_priv(const struct hc_plan *plan)
{
	return plan->priv;
}

/* Is node @u a member, and one of this machine?  Others are told by frames what they need. */
bool hc_plan_member_here(const struct hc_plan *plan, u32 u);

/* --- plan.c; callers hold hc_fabric.lock --- */

/* At creation, before anything can find the fabric. */
void hc_plan_fabric_init(struct hc_fabric *fabric);
/* Are these the FAULT words of the nodes?  0 or -ESTALE. */
int hc_plan_check_faults(struct hc_fabric *fabric, const u32 *fault,
			 struct netlink_ext_ack *extack);
/* Verify and publish.  -EINVAL (extack says why), -ESTALE: the faults are not
 * those the plan was made for, -ENOMEM.
 */
int hc_plan_install(struct hc_fabric *fabric, const struct hc_plan_params *p,
		    struct netlink_ext_ack *extack);
/* The same in steps.  Verify and make, so that what follows cannot fail; nobody sees it yet.  Until
 * it is published or cancelled no other plan is installed or removed.  An ERR_PTR as above.
 */
struct hc_plan *hc_plan_prepare(struct hc_fabric *fabric, const struct hc_plan_params *p,
				struct netlink_ext_ack *extack);
void hc_plan_cancel(struct hc_plan *plan);
/* With an epoch that hc_plan_check_epoch() lets pass.  Contributions wait until it is opened. */
void hc_plan_publish(struct hc_plan *plan, u32 epoch);
void hc_plan_open(struct hc_plan *plan);
/* Instead of that: a machine has not published it, that of node @lost.  It is a broken one. */
void hc_plan_lose(struct hc_plan *plan, u32 lost);
/* Epochs ascend, also those that a request names.  0 (any) or -ERANGE. */
int hc_plan_check_epoch(const struct hc_fabric *fabric, u32 epoch, struct netlink_ext_ack *extack);
u32 hc_plan_next_epoch(u32 last);
/* Unpublish, wait for the polls, end pending operations with -ESTALE. */
int hc_plan_remove(struct hc_fabric *fabric, u32 id, struct netlink_ext_ack *extack);
/* Answer a request with a verifier's sentence, a string literal, and the node that
 * it is about, or HC_FLAW_NO_NODE.
 */
#define HC_FLAW_NO_NODE	U32_MAX
void hc_plan_flaw(struct netlink_ext_ack *extack, const char *why, u32 node);
/* Teardown, phase 2: no poll runs any more. */
void hc_plan_purge(struct hc_fabric *fabric);
/* A copy of an array, for a plan to keep; NULL: no memory. */
void *hc_plan_dup(const void *from, size_t n, size_t size);
/* A plan that is being made takes @bytes more.  0 or -EDQUOT. */
int hc_plan_charge(struct hc_plan *plan, size_t bytes);

/**
 * struct hc_op_view - snapshot of a member's oldest pending operation
 * @nr: its number
 * @next: number of the next contribution
 * @done: all below are complete as far as the member knows
 * @gen: generation of the member
 * @wait: enum hypercube_wait
 * @awaited: with WAIT_PEER and WAIT_CREDIT: the node
 * @since: ns that the wait has lasted
 */
struct hc_op_view {
	u64 nr;
	u64 next;
	u64 done;
	u32 gen;
	u32 wait;
	u32 awaited;
	u64 since;
};

/* Snapshot for the host's eyes; any context under RCU.  False if @node is no member. */
bool hc_coll_view(const struct hc_plan *plan, u32 node, struct hc_op_view *view);

#endif /* _HC_PLAN_KERNEL_H */
