/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans: installed by configuration, published by RCU, executed by the polls of the nodes.
 */
#ifndef _HC_PLAN_KERNEL_H
#define _HC_PLAN_KERNEL_H

#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/hypercube.h>

#include "coll/ops.h"
#include "fabric/fabric.h"
#include "hc_tree.h"

struct hc_member;
struct netlink_ext_ack;

/**
 * struct hc_continued - the guarded plan that a new epoch continues
 * @tag: its hc_plan.tag; 0: the new plan continues none, and all other members are invalid
 * @epoch: its epoch
 * @change: number of the last change of the members up to the new epoch, see coll/guard_sets.c
 * @former: set of all nodes that have been members up to the new epoch
 */
struct hc_continued {
	u32 tag;
	u32 epoch;
	u32 change;
	const u32 *former;
};

/**
 * struct hc_plan_params - a plan as netlink, or another machine, describes it
 * @id: id of the plan, >= 1; a plan that has this id is replaced
 * @ops: the plan type
 * @root: sink of a tree, source of a broadcast, lowest node of a recursive doubling, first
 *	node of the first ring
 * @stages: number of entries of @order
 * @order: dimensions, in the order of the stages
 * @steps: length of @sequence
 * @sequence: of a broadcast: the dimension of each step; of a spanning tree: for each node the
 *	port to its parent
 * @members: set of nodes: node u is bit u % 32 of array entry u / 32; NULL if the other attributes
 *	determine the members
 * @detours: @ndetours pairs of members
 * @ndetours: number of detours
 * @ways: paths of the detours, if these are the parameters of an installed plan, or NULL
 * @nrings: number of rings
 * @rings: HYPERCUBE_A_PLAN_RINGS: size, level and parent of each ring
 * @nring_nodes: length of @ring_nodes
 * @ring_nodes: the nodes of all rings, one ring after the other
 * @fault: the FAULT words of all nodes for which the plan was computed
 * @repairs: true if the plan is installed with REPAIR: its members repair it when a fault has
 *	broken it
 * @epoch: the requested epoch; 0: the next epoch of the fabric
 * @guard: time for which members wait for the next epoch when the plan has broken, ms; 0: the plan
 *	is not guarded
 * @recipe: how the plan was made, a string for user space, or NULL
 * @prev: the epoch that the installed plan with this id must have; 0: this is not checked
 * @guard_uid: of a guarded plan: the user who may install its next epoch, or INVALID_UID
 * @by_guard: the request comes from that user, not from one with CAP_NET_ADMIN
 * @remote: the request was begun by another machine
 * @from: if @remote: the plan that the guarded plan continues on that machine
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
	bool repairs;
	u32 epoch;
	u32 guard;
	const char *recipe;
	u32 prev;
	kuid_t guard_uid;
	bool by_guard;
	bool remote;
	struct hc_continued from;
};

/* Least time in jiffies between two requests for a next epoch by the user who guards the plan. */
#define HC_GUARD_PACE	(HZ / 20)

/**
 * struct hc_plan - an installed plan. Constant once published, except @guard_uid, @tried,
 *	@repaired, @went, @lost and the fields from @breaking to @cause_status
 * @rcu: frees the plan after a grace period
 * @fabric: its fabric
 * @id: its id
 * @ops: its type
 * @bytes: memory that the plan and its members take, bytes
 * @epoch: epoch of the plan: the next number of the fabric, or one that configuration has chosen
 * @tag: the number in the epoch field of frames; in a fabric that spans machines it depends on
 *	@hash, too, so that machines with different plans drop each other's frames
 * @root: sink of a tree, source of a broadcast, lowest node of a recursive doubling, first
 *	node of the first ring
 * @hash: hash of the type, the schedule, the members and the faults of the plan
 * @members: bit set of the members
 * @nmembers: number of members
 * @stages: number of stages for which frames carry the steps (hc_wire_data.cost)
 * @detours: pairs of members that reach each other over several links; owned by the type
 * @ndetours: number of detours
 * @ways: paths of the detours, or NULL
 * @priv: private state of the type, see hc_plan_ops.plan_size
 * @repairs: true if the plan was installed with REPAIR
 * @guard: time for which members wait for the next epoch when the plan has broken, ms; 0: the plan
 *	is not guarded
 * @guarded: the first epoch since which the plan has been guarded without interruption on this
 *	machine
 * @from: of a guarded plan: tag of the plan that this epoch continues; 0: it continues none
 * @joins: this machine does not have the plan that this epoch continues, so its members are new
 * @epochs: the members of these epochs; NULL if the plan is not guarded
 * @left_out: for each node that an epoch since @guarded has left out: hc_sock.group of its process,
 *	if that has not been notified yet, or 0. Entry u is written while no poll runs a member of
 *	node u, or by the poll of node u
 * @change: number of the last change of the members in @epochs
 * @lacks: some nodes that were members in @epochs are not members any more
 * @recipe: how the plan was made, a string for user space, or NULL
 * @guard_uid: the user who may install the next epoch of a guarded plan, or INVALID_UID; written
 *	under hc_fabric.lock
 * @tried: time of this user's last request for the next epoch (hc_nl_guard_may()), jiffies; under
 *	hc_fabric.lock
 * @grant: the nodes that this user may make members, see hc_grant_make(); NULL if the plan is
 *	not guarded
 * @repaired: number of repairs in which members of this machine took part
 * @went: ballot of the latest repair in which a member of this machine received COMMIT
 * @lost: a node of a machine that does not have the plan, or HC_CAUSE_NONE; written under
 *	hc_fabric.lock
 * @breaking: bit 0: the poll of a member is about to set @broken; bit 1: listeners have been
 *	notified that the plan has broken
 * @reported: 1 plus the operation number of the last failure of which listeners were notified;
 *	after a repair that has ended the operations under way, the number with which operations
 *	have gone on
 * @broken: a fault has broken the plan; set by the poll that found it, cleared by a repair
 * @cause_node: the node where the fault is; valid for code that has read @broken as true
 * @cause_dim: dimension of the faulty link, or HC_CAUSE_NONE
 * @cause_status: positive errno
 * @member: for each node its member; NULL if the node is not a member or is on another machine;
 *	only the poll of node u accesses the member in entry u
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
	bool repairs;
	u32 guard;
	u32 guarded;
	u32 from;
	bool joins;
	struct hc_epochs *epochs;
	u64 *left_out;
	u32 change;
	bool lacks;
	char *recipe;
	kuid_t guard_uid;
	unsigned long tried;
	u32 *grant;
	atomic_t repaired;
	atomic64_t went;
	u32 lost;
	unsigned long breaking;
	atomic64_t reported;
	bool broken;
	u32 cause_node;
	u32 cause_dim;
	u32 cause_status;
	struct hc_member *member[];
};

/* Return: the private state of the plan's type, .plan_size bytes. */
static inline void *hc_plan_priv(const struct hc_plan *plan)
{
	return plan->priv;
}

/* Find a plan by its id. Context: under RCU. Return: the plan, or NULL.
 *
 * Most plans are in their slot of hc_fabric.near. When a plan is published, the slot is written
 * after the xarray; when it is removed, the slot is cleared before the grace period. So a plan that
 * is found in its slot is valid. If the slot is empty or has another plan, the xarray is searched.
 */
static inline struct hc_plan *hc_plan_find(struct hc_fabric *fabric, u32 id)
{
	struct hc_plan *plan = rcu_dereference(fabric->near[id % HC_PLANS_NEAR]);

	return likely(plan && plan->id == id) ? plan : xa_load(&fabric->plans, id);
}

/**
 * hc_plan_member_here() - check whether a node is a member that is on this machine
 * @plan: the plan
 * @u: the node
 *
 * Return: true if it is. For members on other machines, this machine has no struct hc_member.
 */
bool hc_plan_member_here(const struct hc_plan *plan, u32 u);

/* --- plan.c; callers hold hc_fabric.lock --- */

/**
 * hc_plan_fabric_init() - initialize the plans of a fabric that is being created
 * @fabric: the fabric
 */
void hc_plan_fabric_init(struct hc_fabric *fabric);

/**
 * hc_plan_install() - verify a plan and publish it
 * @fabric: the fabric
 * @p: the plan
 * @extack: set to the reason if the plan is refused
 *
 * Return: 0; -EINVAL; -ESTALE if the faults are not those for which the plan was made; -ENOMEM;
 * -EDQUOT; -EPERM if the plan's guard requests members that are not granted to it (hc_plan.grant).
 */
int hc_plan_install(struct hc_fabric *fabric, const struct hc_plan_params *p,
		    struct netlink_ext_ack *extack);

/**
 * hc_plan_prepare() - verify a plan and build it, so that publishing it cannot fail
 * @fabric: the fabric
 * @p: the plan
 * @extack: set to the reason if the plan is refused
 *
 * Polls and system calls cannot find the plan before it is published. Until it is published or
 * cancelled, no other plan may be installed or removed.
 *
 * Return: the plan, or an ERR_PTR as hc_plan_install().
 */
struct hc_plan *hc_plan_prepare(struct hc_fabric *fabric, const struct hc_plan_params *p,
				struct netlink_ext_ack *extack);

/**
 * hc_plan_cancel() - free a prepared plan
 * @plan: the plan
 */
void hc_plan_cancel(struct hc_plan *plan);

/**
 * hc_plan_publish() - publish a prepared plan
 * @plan: the plan
 * @epoch: the epoch of the plan, which hc_plan_check_epoch() has accepted
 *
 * Contributions wait until hc_plan_open() is called.
 */
void hc_plan_publish(struct hc_plan *plan, u32 epoch);

/**
 * hc_plan_open() - let operations of a published plan begin
 * @plan: the plan
 */
void hc_plan_open(struct hc_plan *plan);

/**
 * hc_plan_lose() - break a published plan, instead of opening it, because another machine has not
 *	published it
 * @plan: the plan
 * @lost: a node of that machine
 */
void hc_plan_lose(struct hc_plan *plan, u32 lost);

/**
 * hc_plan_check_epoch() - check that an epoch is above those of all earlier plans
 * @fabric: the fabric
 * @epoch: the requested epoch; 0 if the request accepts any epoch
 * @extack: set to the reason if the epoch is refused
 *
 * Return: 0 or -ERANGE.
 */
int hc_plan_check_epoch(const struct hc_fabric *fabric, u32 epoch, struct netlink_ext_ack *extack);

/**
 * hc_plan_next_epoch() - compute the epoch that follows another one
 * @last: the other epoch
 *
 * Return: the epoch, which is never 0.
 */
u32 hc_plan_next_epoch(u32 last);

/**
 * hc_plan_remove() - unpublish a plan and end its pending operations with -ESTALE
 * @fabric: the fabric
 * @id: id of the plan
 * @extack: set to the reason if there is no such plan
 *
 * Return: 0 or -ENOENT.
 */
int hc_plan_remove(struct hc_fabric *fabric, u32 id, struct netlink_ext_ack *extack);

/* Value of @node for hc_plan_set_reason(): the message is about no particular node. */
#define HC_REASON_NO_NODE	U32_MAX
/**
 * hc_plan_set_reason() - put a verifier's message into an extack
 * @extack: the extack, or NULL
 * @why: a string literal
 * @node: the node that the message is about, or HC_REASON_NO_NODE
 */
void hc_plan_set_reason(struct netlink_ext_ack *extack, const char *why, u32 node);

/**
 * hc_plan_purge() - end and free all plans of a fabric that is being removed
 * @fabric: the fabric, whose polls do not run any more
 */
void hc_plan_purge(struct hc_fabric *fabric);

/**
 * hc_plan_dup() - copy an array
 * @from: the array
 * @n: number of elements
 * @size: bytes of an element
 *
 * Return: the copy, or NULL: no memory.
 */
void *hc_plan_dup(const void *from, size_t n, size_t size);

/**
 * hc_plan_charge() - charge memory to a plan that is being made
 * @plan: the plan
 * @bytes: the memory
 *
 * Return: 0 or -EDQUOT.
 */
int hc_plan_charge(struct hc_plan *plan, size_t bytes);

/**
 * struct hc_op_view - snapshot of a member and its oldest pending operation, for dumps
 * @nr: number of that operation
 * @next: number of the next contribution
 * @done: the member knows that all operations below this number are complete
 * @gen: generation of the member
 * @wait: enum hypercube_wait
 * @awaited: the node for which the member waits, with WAIT_PEER and WAIT_CREDIT
 * @since: duration of the wait, ns
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

/**
 * hc_coll_view() - take a snapshot of what a member waits for
 * @plan: the plan
 * @node: the node
 * @view: filled in
 *
 * Context: any, under RCU.
 * Return: false if @node is no member.
 */
bool hc_coll_view(const struct hc_plan *plan, u32 node, struct hc_op_view *view);

#endif /* _HC_PLAN_KERNEL_H */
