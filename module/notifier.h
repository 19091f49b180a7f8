/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notifications of events between the parts of the module. The parts are layered, and a part
 * includes only headers of the layers below it (selftests/tools/floors). A part that has to act on
 * events of a lower layer registers a struct hc_notifier at init.
 */
#ifndef _HC_NOTIFIER_H
#define _HC_NOTIFIER_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/hypercube.h>

struct hc_fabric;
struct hc_node;
struct hc_path_dims;
struct hc_plan;
struct hc_round_record;
struct hc_trunk;

/**
 * struct hc_op_event - the end of an operation, as reported by the root or by a node that has found
 *	a fault
 * @node: the node that reports
 * @nr: number of the operation
 * @status: 0 or -errno
 * @cause_node: if @status is not 0: node at which the cause is, or HC_CAUSE_NONE
 * @cause_dim: if @status is not 0: dimension of the faulty link, or HC_CAUSE_NONE
 * @steps: if @status is 0: parallel steps
 * @time: if @status is 0: modelled time, ns
 */
struct hc_op_event {
	u32 node;
	u64 nr;
	int status;
	u32 cause_node;
	u32 cause_dim;
	u32 steps;
	u64 time;
};

/**
 * struct hc_notifier - a part of the module that is notified of events
 * @list: entry in the list of notifier.c; only notifier.c uses this and the next two members
 * @fabric_at: offset of the part's state in the memory that all parts have for a fabric
 * @node_at: offset of the part's state in the memory that all parts have for a node
 * @fabric_size: bytes of the part's state for a fabric
 * @node_size: bytes of the part's state for a node
 * @fabric_init: a fabric is being created and cannot be found yet: prepare the part's state.
 *	@state has @fabric_size bytes, all zero, and exists as long as the fabric.  Config
 * @fabric_stop: a fabric is dead, or its creation has failed, and the polls of its nodes are about
 *	to be disabled: end everything that waits for nodes, or uses them from outside their polls.
 *	Process context, without locks
 * @fabric_exit: the polls of the fabric's nodes are disabled: end everything that only these polls
 *	would have ended.  Process context, without locks
 * @node_init: a node is being created and has no links yet: prepare the part's state.  @state has
 *	@node_size bytes, all zero.  Returns 0 or -errno; on error the @node_free of this part and
 *	of all parts before it are called.  Process context
 * @node_gone: the node's fabric is dead, or its creation has failed: from now on let no process
 *	find the node.  Config
 * @node_stop: the node's poll is disabled for good: stop timers that would kick it.  Process
 *	context
 * @node_purge: the polls of the fabric's nodes are disabled, and its plans are freed: drop all that
 *	is queued at the node.  Process context
 * @node_free: free all that @node_init has allocated; if @node_init has failed, that may be only a
 *	part of it.  Process context
 * @node_failed: a node has failed or is in service again.  Config
 * @fault_word: a node computes its FAULT word.  The links in @lost have become unusable, or were
 *	unusable for a while; the links in @cut were unusable for a while.  hc_node.fault still has
 *	the old FAULT word.  Poll
 * @fault_rx: a FAULT word was received from the neighbour along @dim.  Poll
 * @faults_known: the node has learned more about the links of other nodes.  Poll
 * @fabric: a fabric was created, is being removed, or has changed settings; @cmd is the netlink
 *	event for this.  Config
 * @node: the settings of a node have changed.  Config
 * @trunk: a trunk was added, is being removed, or has changed its state; @cmd is the netlink event
 *	for this.  Process context
 * @link: the state or the settings of a link have changed at the link's end @node.  Process context
 * @plan: a plan was installed, is being removed, or has changed its state; @cmd is the netlink
 *	event for this.  Any context
 * @op: an operation has ended.  Any context
 * @disagreement: copies of a datagram disagree: @node has received them, with @src as their
 *	source, over the paths @path.  Any context
 * @tasks_lost: @count tasks were lost at @node; @ids has the ids of @n of them.  Any context
 * @round: a load balancing round has ended.  Any context
 *
 * Functions that are NULL are not called.
 */
struct hc_notifier {
	struct list_head list;
	size_t fabric_at;
	size_t node_at;
	size_t fabric_size;
	size_t node_size;
	void (*fabric_init)(struct hc_fabric *fabric, void *state);
	void (*fabric_stop)(struct hc_fabric *fabric);
	void (*fabric_exit)(struct hc_fabric *fabric);
	int (*node_init)(struct hc_node *node, void *state);
	void (*node_gone)(struct hc_node *node);
	void (*node_stop)(struct hc_node *node);
	void (*node_purge)(struct hc_node *node);
	void (*node_free)(struct hc_node *node);
	void (*node_failed)(struct hc_node *node);
	void (*fault_word)(struct hc_node *node, u32 lost, u32 cut);
	void (*fault_rx)(struct hc_node *node, unsigned int dim);
	void (*faults_known)(struct hc_node *node);
	void (*fabric)(struct hc_fabric *fabric, u32 cmd);
	void (*node)(struct hc_node *node);
	void (*trunk)(const struct hc_trunk *trunk, u32 cmd);
	void (*link)(struct hc_node *node, unsigned int dim);
	void (*plan)(struct hc_plan *plan, u32 cmd);
	void (*op)(const struct hc_plan *plan, const struct hc_op_event *ev);
	void (*disagreement)(struct hc_node *node, u32 src, const struct hypercube_vote *v,
			     const struct hc_path_dims *path);
	void (*tasks_lost)(struct hc_node *node, enum hypercube_task_loss loss,
			   const struct hypercube_task *ids, unsigned int n, u64 count);
	void (*round)(struct hc_fabric *fabric, const struct hc_round_record *rec);
};

/**
 * hc_notifier_add() - register a part for notifications, until the module is removed
 * @notifier: the part; parts that were registered before are called before it, and at the teardown
 *	of fabrics and nodes after it
 *
 * Context: the module's init, before a fabric can be created
 */
void hc_notifier_add(struct hc_notifier *notifier);

/**
 * hc_notifier_fabric_size() - get the size of the state that all parts have for a fabric
 *
 * Context: any
 * Return: bytes
 */
size_t hc_notifier_fabric_size(void);

/**
 * hc_notifier_node_size() - get the size of the state that all parts have for a node
 *
 * Context: any
 * Return: bytes
 */
size_t hc_notifier_node_size(void);

/**
 * hc_notify_fabric_init() - let all parts prepare their state for a fabric, see fabric_init of
 *	struct hc_notifier
 * @fabric: the fabric
 * @state: hc_notifier_fabric_size() bytes, all zero
 *
 * Context: config
 */
void hc_notify_fabric_init(struct hc_fabric *fabric, void *state);

/**
 * hc_notify_fabric_stop() - let all parts, the last one first, end everything that uses nodes of a
 *	fabric from outside their polls
 * @fabric: a dead fabric, or one whose creation has failed
 *
 * Context: process, without locks
 */
void hc_notify_fabric_stop(struct hc_fabric *fabric);

/**
 * hc_notify_fabric_exit() - let all parts, the last one first, end everything that only the polls
 *	of a fabric's nodes would have ended
 * @fabric: a fabric whose nodes' polls are disabled
 *
 * Context: process, without locks
 */
void hc_notify_fabric_exit(struct hc_fabric *fabric);

/**
 * hc_notify_node_init() - let all parts prepare their state for a node
 * @node: the node
 * @state: hc_notifier_node_size() bytes, all zero
 *
 * Context: process
 * Return: 0, or -errno with everything undone
 */
int hc_notify_node_init(struct hc_node *node, void *state);

/**
 * hc_notify_node_gone() - let all parts, the last one first, hide a node from processes
 * @node: the node
 *
 * Context: config, under hc_fabric.lock
 */
void hc_notify_node_gone(struct hc_node *node);

/**
 * hc_notify_node_stop() - let all parts, the last one first, stop timers that would kick a node
 * @node: a node whose poll is disabled
 *
 * Context: process
 */
void hc_notify_node_stop(struct hc_node *node);

/**
 * hc_notify_node_purge() - let all parts, the last one first, drop what they have queued at a node
 * @node: the node
 *
 * Context: process, after the last poll
 */
void hc_notify_node_purge(struct hc_node *node);

/**
 * hc_notify_node_free() - let all parts, the last one first, free their state for a node
 * @node: the node
 *
 * Context: process, after the last poll
 */
void hc_notify_node_free(struct hc_node *node);

/**
 * hc_notify_node_failed() - notify all parts that a node has failed, or is in service again
 * @node: the node
 *
 * Context: config, under hc_fabric.lock
 */
void hc_notify_node_failed(struct hc_node *node);

/**
 * hc_notify_fault_word() - notify all parts that a node computes its FAULT word
 * @node: the node
 * @lost: mask of the links that have become unusable, or were unusable for a while
 * @cut: mask of the links that were unusable for a while
 *
 * Context: poll
 */
void hc_notify_fault_word(struct hc_node *node, u32 lost, u32 cut);

/**
 * hc_notify_fault_rx() - notify all parts that a neighbour's FAULT word was received
 * @node: the node
 * @dim: dimension of the link to the neighbour
 *
 * Context: poll
 */
void hc_notify_fault_rx(struct hc_node *node, unsigned int dim);

/**
 * hc_notify_faults_known() - notify all parts that a node has learned more about the links of other
 *	nodes
 * @node: the node
 *
 * Context: poll
 */
void hc_notify_faults_known(struct hc_node *node);

/**
 * hc_notify_fabric() - notify all parts that a fabric was created, is being removed, or has changed
 *	settings
 * @fabric: the fabric
 * @cmd: the netlink event for this
 *
 * Context: config
 */
void hc_notify_fabric(struct hc_fabric *fabric, u32 cmd);

/**
 * hc_notify_node() - notify all parts that the settings of a node have changed
 * @node: the node
 *
 * Context: config
 */
void hc_notify_node(struct hc_node *node);

/**
 * hc_notify_trunk() - notify all parts that a trunk was added, is being removed, or has changed its
 *	state
 * @trunk: the trunk
 * @cmd: the netlink event for this
 *
 * Context: config, under hc_fabric.lock
 */
void hc_notify_trunk(const struct hc_trunk *trunk, u32 cmd);

/**
 * hc_notify_link() - notify all parts that the state or settings of a link have changed
 * @node: the end of the link whose state or settings have changed
 * @dim: dimension of the link
 *
 * Context: process
 */
void hc_notify_link(struct hc_node *node, unsigned int dim);

/**
 * hc_notify_plan() - notify all parts that a plan was installed, is being removed, or has changed
 *	its state
 * @plan: the plan
 * @cmd: the netlink event for this
 *
 * Context: any
 */
void hc_notify_plan(struct hc_plan *plan, u32 cmd);

/**
 * hc_notify_op() - notify all parts that an operation has ended
 * @plan: the operation's plan
 * @ev: the operation and its outcome
 *
 * Context: any
 */
void hc_notify_op(const struct hc_plan *plan, const struct hc_op_event *ev);

/**
 * hc_notify_disagreement() - notify all parts that copies of a datagram disagree
 * @node: the node that has received the copies
 * @src: the source that the copies name
 * @v: the vote on the copies
 * @path: the paths of the copies
 *
 * Context: any
 */
void hc_notify_disagreement(struct hc_node *node, u32 src, const struct hypercube_vote *v,
			    const struct hc_path_dims *path);

/**
 * hc_notify_tasks_lost() - notify all parts that tasks were lost
 * @node: the node that notifies
 * @loss: why the tasks were lost
 * @ids: ids of some of the lost tasks
 * @n: number of entries of @ids
 * @count: number of lost tasks
 *
 * Context: any
 */
void hc_notify_tasks_lost(struct hc_node *node, enum hypercube_task_loss loss,
			  const struct hypercube_task *ids, unsigned int n, u64 count);

/**
 * hc_notify_round() - notify all parts that a load balancing round has ended
 * @fabric: the fabric
 * @rec: the round and its outcome
 *
 * Context: any
 */
void hc_notify_round(struct hc_fabric *fabric, const struct hc_round_record *rec);

#endif /* _HC_NOTIFIER_H */
