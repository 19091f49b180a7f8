/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load balancing rounds. round.c runs them; round_set.c has their settings, requests and history.
 */
#ifndef _HC_TASK_ROUND_H
#define _HC_TASK_ROUND_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/hypercube.h>

struct hc_fabric;
struct hc_node;
struct hc_balance;
struct hc_round;
struct hc_round_topo;
struct netlink_ext_ack;
struct sk_buff;

/**
 * struct hc_round_record - the outcome of a round, recorded by the node that began the round
 * @nr: number of the round; rounds that several nodes begin at once may have the same number
 * @node: the node that has begun the round
 * @method: enum hypercube_balance
 * @trigger: enum hypercube_trigger
 * @status: 0 or -errno
 * @cause_node: with -errno: the node that is the cause, or at which the link is, or HC_CAUSE_NONE
 * @cause_dim: with -errno: dimension of the link that is the cause, or HC_CAUSE_NONE
 * @members: number of nodes that took part
 * @moved: sum over all migrated tasks of the number of links that a task has crossed
 * @began: time at which the round began, ns since the machine was booted
 * @took: duration, ns
 */
struct hc_round_record {
	u64 nr;
	u32 node;
	u32 method;
	u32 trigger;
	int status;
	u32 cause_node;
	u32 cause_dim;
	u32 members;
	u64 moved;
	u64 began;
	u64 took;
};

/* Numbers of rounds, by their outcome. @moved: sum of hc_round_record.moved over these rounds. */
struct hc_rounds_stats {
	u64 done;
	u64 failed;
	u64 superseded;
	u64 moved;
};

/**
 * struct hc_rounds - rounds of a fabric
 * @method: enum hypercube_balance of the rounds that nodes begin without a command; 0: none; config
 *	writes
 * @threshold: a node with no more tasks than this begins a round; config writes
 * @period: ms from the end of a round to the next one, 0: none; config writes
 * @topo: the balancing topology, or NULL; written under hc_fabric.lock, read under RCU
 * @epoch: number of topologies that have been installed; under hc_fabric.lock
 * @lock: protects the fields below
 * @stats: numbers of rounds
 * @kept: number of records that have been stored in @record since the fabric was made
 * @record: the latest records; record number i is at i % HYPERCUBE_ROUNDS_KEPT
 */
struct hc_rounds {
	u32 method;
	u32 threshold;
	u32 period;
	struct hc_round_topo __rcu *topo;
	u32 epoch;
	spinlock_t lock;
	struct hc_rounds_stats stats;
	u64 kept;
	struct hc_round_record record[HYPERCUBE_ROUNDS_KEPT];
};

/**
 * hc_rounds_init() - set up the rounds of a new fabric
 * @rounds: the fabric's rounds
 */
void hc_rounds_init(struct hc_rounds *rounds);

/* --- context: config, under hc_fabric.lock --- */

/**
 * hc_rounds_open() - let the nodes of a fabric take part in rounds from now on
 * @fabric: the fabric
 * @extack: set to a sentence on error
 *
 * Return: 0, -ENOMEM, -ENOBUFS if the accounting owner's limit is reached, or -EOPNOTSUPP if the
 *	fabric spans machines: rounds would wait for the remote nodes
 */
int hc_rounds_open(struct hc_fabric *fabric, struct netlink_ext_ack *extack);

/**
 * hc_rounds_set() - make the nodes act on settings, or a stall timeout, that have been changed
 * @fabric: the fabric
 */
void hc_rounds_set(struct hc_fabric *fabric);

/**
 * hc_rounds_topology() - install a balancing topology
 * @fabric: the fabric
 * @method: enum hypercube_balance of a method that must be able to use the topology, or 0
 * @b: the topology
 * @fault: the FAULT words of all nodes with which the topology was computed
 * @extack: set to a sentence on error
 *
 * Return: 0, -EINVAL if the verifier or the method refuses the topology, -ESTALE if the faults have
 *	changed, or another -errno
 */
int hc_rounds_topology(struct hc_fabric *fabric, u32 method, const struct hc_balance *b,
		       const u32 *fault, struct netlink_ext_ack *extack);

/**
 * hc_rounds_exit() - free the topology, after all polls are disabled
 * @fabric: the fabric
 */
void hc_rounds_exit(struct hc_fabric *fabric);

/**
 * hc_rounds_topology_get() - get the installed topology
 * @fabric: the fabric
 * @epoch: set to the number of the topology, or 0
 *
 * Return: the topology, or NULL
 */
const struct hc_balance *hc_rounds_topology_get(const struct hc_fabric *fabric, u32 *epoch);

/**
 * hc_round_may_ask() - find out whether a round may be requested at a node
 * @node: the node, after hc_rounds_open()
 * @method: enum hypercube_balance
 *
 * Return: false if a round of another method has been requested at this node and the request has
 * not been answered
 */
bool hc_round_may_ask(const struct hc_node *node, u32 method);

/**
 * hc_round_ask() - request that a node begin a round as soon as it can
 * @node: the node
 * @method: enum hypercube_balance
 *
 * The caller must call hc_round_notified() when it stops waiting for the outcome.
 *
 * Return: the number of the request, for hc_round_asked()
 */
u32 hc_round_ask(struct hc_node *node, u32 method);

/**
 * hc_round_asked() - get the outcome of a requested round
 * @node: the node
 * @nr: the number that hc_round_ask() has returned
 * @record: set to the record of the round
 *
 * Return: 0, or -EAGAIN if the round has not ended
 */
int hc_round_asked(const struct hc_node *node, u32 nr, struct hc_round_record *record);

/**
 * hc_round_notified() - report that the caller has stopped waiting for a requested round, whether
 *	the round has ended or not
 * @node: the node
 */
void hc_round_notified(struct hc_node *node);

/**
 * hc_round_knows() - find out whether a method exists
 * @method: number of the method
 *
 * Return: true if it is one of enum hypercube_balance
 */
bool hc_round_knows(u32 method);

/**
 * hc_round_check() - check whether a method can be used with the installed topology
 * @fabric: the fabric
 * @method: enum hypercube_balance
 * @extack: set to a sentence on error
 *
 * Return: 0 or -errno
 */
int hc_round_check(const struct hc_fabric *fabric, u32 method, struct netlink_ext_ack *extack);

/* --- the node; context: poll, unless stated otherwise --- */

/**
 * hc_round_event() - handle HC_EV_ROUND: act on faults and expired times, and advance rounds
 * @node: the node
 */
void hc_round_event(struct hc_node *node);

/**
 * hc_round_cut() - fail the rounds that use links which have been unusable, even if only for a
 *	moment
 * @node: the node
 * @dims: dimensions of the links, as a mask
 */
void hc_round_cut(struct hc_node *node, u32 dims);

/**
 * hc_round_again() - send the state of rounds to a neighbour again: it may have dropped the frames,
 *	because its end of the link was down
 * @node: the node
 * @dim: dimension of the link
 */
void hc_round_again(struct hc_node *node, unsigned int dim);

/**
 * hc_round_moved() - advance rounds after migrations may have ended
 * @node: the node
 */
void hc_round_moved(struct hc_node *node);

/**
 * hc_round_rx() - process a ROUND frame; consumes it
 * @node: the receiving node
 * @dim: dimension of the link over which it was received
 * @skb: the frame
 */
void hc_round_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_round_stop() - stop the timer of a node's rounds
 * @node: the node
 *
 * Context: process, after all polls are disabled
 */
void hc_round_stop(struct hc_node *node);

/**
 * hc_round_free() - free a node's struct hc_round
 * @node: the node
 *
 * Context: process, after hc_round_stop()
 */
void hc_round_free(struct hc_node *node);

/**
 * hc_round_idle() - find out whether a node has so few tasks that it should begin a round
 * @node: the node
 * @queued: number of tasks in its queue
 *
 * Context: any
 * Return: true if the caller must kick the node with HC_EV_ROUND
 */
bool hc_round_idle(const struct hc_node *node, u32 queued);

#endif /* _HC_TASK_ROUND_H */
