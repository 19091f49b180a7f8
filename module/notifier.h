/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What happens to fabrics, and which parts of the module are notified. The parts of the module lie
 * on floors, and a part includes only those below it (selftests/tools/floors). A part that has to
 * act on events of a part below it registers a struct hc_notifier at init.
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
 * struct hc_op_event - the end of an operation, as its root or the node that found a fault saw it
 * @node: that node
 * @nr: number of the operation
 * @status: 0 or -errno
 * @cause_node: if @status is not 0: node where the cause lies, or HC_CAUSE_NONE
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
 * @list: for notifier.c, like the next two members
 * @fabric_at: offset of the part's state in the memory that all parts have for a fabric
 * @node_at: offset of the part's state in the memory that all parts have for a node
 * @fabric_size: bytes of the part's state for a fabric
 * @node_size: bytes of the part's state for a node
 * @fabric_init: a fabric is being created and cannot be found yet: prepare the part's state.
 *	@state has @fabric_size bytes, all zero, and exists as long as the fabric.  Config
 * @fabric_stop: a fabric is dead, or its creation has failed: end what waits for its nodes and what
 *	touches them from outside their polls, for the polls end next.  Process context, without
 *	locks
 * @fabric_exit: no poll of the fabric runs any more: end what the nodes would have ended.  Process
 *	context, without locks
 * @node_init: a node is being created and has no links yet: prepare the part's state.  @state has
 *	@node_size bytes, all zero.  Returns 0 or -errno; on error the @node_free of this part and
 *	of all parts before it are called.  Process context
 * @node_gone: the node's fabric is dead, or its creation has failed: let no process reach the node
 *	any more.  Config
 * @node_stop: the node's poll has ended for good: end what would kick it.  Process context
 * @node_purge: no poll of the fabric runs any more, and its plans are gone: drop what is queued at
 *	the node.  Process context
 * @node_free: free what @node_init has allocated, all or a part of it.  Process context
 * @node_failed: a node has failed or is in service again.  Config
 * @fault_word: a node computes its FAULT word.  The links in @lost have become unusable, or were
 *	unusable for a while; the links in @cut were unusable for a while.  hc_node.fault is still
 *	the old word.  Poll
 * @fault_rx: a FAULT word came from the neighbour along @dim.  Poll
 * @faults_known: the node has learned more about the links of other nodes.  Poll
 * @fabric: a fabric has come, goes, or has other settings; @cmd is the netlink event for that.
 *	Config
 * @node: a node has other settings.  Config
 * @trunk: a trunk has come, goes, or has another state; @cmd is the netlink event for that.
 *	Process context
 * @link: the state or the settings of a link have changed, as the link's end at @node knows.
 *	Process context
 * @plan: a plan has come, goes, or has another state; @cmd is the netlink event for that.  Any
 *	context
 * @op: an operation has ended.  Any context
 * @disagreement: copies of a datagram disagree, which came to @node in the name of @src by the
 *	paths @path.  Any context
 * @tasks_lost: @count tasks were lost at @node; @ids has @n of them.  Any context
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
 * @notifier: the part; parts that were registered before are called before it
 *
 * Context: the module's init, before a fabric can be created
 */
void hc_notifier_add(struct hc_notifier *notifier);

/**
 * hc_notifier_fabric_size() - bytes of the state of all parts for a fabric
 *
 * Context: any
 * Return: bytes
 */
size_t hc_notifier_fabric_size(void);

/**
 * hc_notifier_node_size() - bytes of the state of all parts for a node
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
 * hc_notify_fabric_stop() - let all parts, the last one first, end what touches nodes of a fabric
 *	from outside
 * @fabric: a dead fabric, or one whose creation has failed
 *
 * Context: process, without locks
 */
void hc_notify_fabric_stop(struct hc_fabric *fabric);

/**
 * hc_notify_fabric_exit() - let all parts, the last one first, end what the nodes of a fabric would
 *	have ended
 * @fabric: a fabric none of whose polls runs any more
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
 * hc_notify_node_gone() - let all parts, the last one first, cut a node off from processes
 * @node: the node
 *
 * Context: config, under hc_fabric.lock
 */
void hc_notify_node_gone(struct hc_node *node);

/**
 * hc_notify_node_stop() - let all parts, the last one first, stop what would kick a node
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
 * hc_notify_fault_rx() - notify all parts that a neighbour's FAULT word came
 * @node: the node
 * @dim: dimension of its link
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
 * hc_notify_fabric() - notify all parts that a fabric has come, goes, or has other settings
 * @fabric: the fabric
 * @cmd: the event of netlink that says which
 *
 * Context: config
 */
void hc_notify_fabric(struct hc_fabric *fabric, u32 cmd);

/**
 * hc_notify_node() - notify all parts that a node has other settings
 * @node: the node
 *
 * Context: config
 */
void hc_notify_node(struct hc_node *node);

/**
 * hc_notify_trunk() - notify all parts that a trunk has come, goes, or has another state
 * @trunk: the trunk
 * @cmd: the event of netlink that says which
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
 * hc_notify_plan() - notify all parts that a plan has come, goes, or has another state
 * @plan: the plan
 * @cmd: the event of netlink that says which
 *
 * Context: any
 */
void hc_notify_plan(struct hc_plan *plan, u32 cmd);

/**
 * hc_notify_op() - notify all parts that an operation has ended
 * @plan: its plan
 * @ev: how it ended
 *
 * Context: any
 */
void hc_notify_op(const struct hc_plan *plan, const struct hc_op_event *ev);

/**
 * hc_notify_disagreement() - notify all parts that copies of a datagram disagree
 * @node: the node that has received the copies
 * @src: the node in whose name they came
 * @v: the vote on them
 * @path: the paths of the copies
 *
 * Context: any
 */
void hc_notify_disagreement(struct hc_node *node, u32 src, const struct hypercube_vote *v,
			    const struct hc_path_dims *path);

/**
 * hc_notify_tasks_lost() - notify all parts that tasks were lost
 * @node: the node
 * @loss: why
 * @ids: ids of some of them
 * @n: number of entries of @ids
 * @count: how many were lost
 *
 * Context: any
 */
void hc_notify_tasks_lost(struct hc_node *node, enum hypercube_task_loss loss,
			  const struct hypercube_task *ids, unsigned int n, u64 count);

/**
 * hc_notify_round() - notify all parts that a load balancing round has ended
 * @fabric: the fabric
 * @rec: how it ended
 *
 * Context: any
 */
void hc_notify_round(struct hc_fabric *fabric, const struct hc_round_record *rec);

#endif /* _HC_NOTIFIER_H */
