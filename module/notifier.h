/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What happens to fabrics, and whom it concerns.  The parts of the module lie on floors, and a part
 * includes only those below it (selftests/tools/floors).  A part that has something to do when
 * another one below it goes on says so here, at init.
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
 * struct hc_op_event - an operation ended, as its sink or the finder of a fault saw it
 * @node: the node that says so
 * @nr: number of the operation
 * @status: 0 or -errno
 * @cause_node: with a status: where the cause lies, or HC_CAUSE_NONE
 * @cause_dim: with a status: dimension, or HC_CAUSE_NONE
 * @steps: without a status: parallel steps
 * @time: without a status: modelled time, ns
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
 * struct hc_notifier - a part of the module that listens
 * @list: of notifier.c, as the next two
 * @fabric_at: offset of its state in the memory that parts have at a fabric
 * @node_at: the same at a node
 * @fabric_size: bytes of that at a fabric
 * @node_size: and at a node
 * @fabric_init: a fabric is being made, and cannot be found yet: make what belongs to it.  @state
 *	has @fabric_size bytes, all zero, and is there as long as the fabric.  Config
 * @fabric_stop: a fabric is dead, or was never finished: end what waits for its nodes and what
 *	touches them from outside of their polls, for polls end next.  Process context, without
 *	locks
 * @fabric_exit: no poll of the fabric runs any more: end what the nodes would have ended.  The same
 * @node_init: a node is being made, without links yet: the same with @node_size bytes.  0 or
 *	-errno; then the listener's @node_free follows, and those of all before it.  Process context
 * @node_gone: its fabric is dead, or was never finished: no process reaches the node any more.
 *	Config
 * @node_stop: its poll is over: end what would kick it.  Process context
 * @node_purge: no poll of the fabric runs any more, and its plans are gone: drop what is queued.
 *	The same
 * @node_free: free what @node_init has made, all or a part of it.  The same
 * @node_failed: a node has failed or is in service again.  Config
 * @fault_word: a node computes its FAULT word, and links @lost have become unusable or were so
 *	meanwhile; @cut: these were.  hc_node.fault is the old word.  Poll
 * @fault_rx: a FAULT word came from the neighbour along @dim.  Poll
 * @faults_known: the node knows more of the links of others than before.  Poll
 * @fabric: a fabric has come, goes, or has other settings; @cmd: the event of netlink that says
 *	which.  Config
 * @node: a node has other settings.  Config
 * @trunk: a trunk has come, goes, or has another state; @cmd: the same.  Process context
 * @link: the state or the settings of a link have changed, as its end at @node knows.  Process
 *	context
 * @plan: a plan has come, goes, or has another state; @cmd: the same.  Any context
 * @op: an operation has ended.  Any context
 * @disagreement: copies of a datagram disagree, that came to @node in the name of @src by these
 *	paths.  Any context
 * @tasks_lost: @count tasks were lost at @node, @n of them with these ids.  Any context
 * @round: a round of balancing has ended.  Any context
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
 * hc_notifier_add() - listen, for as long as the module is there
 * @notifier: the listener; those that have been added before are called before
 *
 * Context: the module's init, before a fabric can be made
 */
void hc_notifier_add(struct hc_notifier *notifier);

/**
 * hc_notifier_fabric_size() - bytes that all parts together have at a fabric
 *
 * Context: any
 * Return: bytes
 */
size_t hc_notifier_fabric_size(void);

/**
 * hc_notifier_node_size() - bytes that all parts together have at a node
 *
 * Context: any
 * Return: bytes
 */
size_t hc_notifier_node_size(void);

/**
 * hc_notify_fabric_init() - let all parts make what they have at a fabric, see fabric_init of
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
 * @fabric: a dead fabric, or one that was never finished
 *
 * Context: process, without locks
 */
void hc_notify_fabric_stop(struct hc_fabric *fabric);

/**
 * hc_notify_fabric_exit() - let all parts, the last one first, end what nodes of a fabric would
 *	have ended
 * @fabric: a fabric none of whose polls runs any more
 *
 * Context: process, without locks
 */
void hc_notify_fabric_exit(struct hc_fabric *fabric);

/**
 * hc_notify_node_init() - let all parts make what they have at a node
 * @node: the node
 * @state: hc_notifier_node_size() bytes, all zero
 *
 * Context: process
 * Return: 0, or -errno with everything undone
 */
int hc_notify_node_init(struct hc_node *node, void *state);

/**
 * hc_notify_node_gone() - let all parts, the last one first, take a node from its processes
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
 * hc_notify_node_free() - let all parts, the last one first, free what they have at a node
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
 * @lost: links that have become unusable, or were so meanwhile
 * @cut: those that were so meanwhile
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
 * hc_notify_faults_known() - notify all parts that a node knows more of the links of others
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
 * @node: near end
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
 * @node: where they came
 * @src: in whose name
 * @v: what is known of them
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
 * @ids: some of them
 * @n: how many of them
 * @count: how many were lost
 *
 * Context: any
 */
void hc_notify_tasks_lost(struct hc_node *node, enum hypercube_task_loss loss,
			  const struct hypercube_task *ids, unsigned int n, u64 count);

/**
 * hc_notify_round() - notify all parts that a round of balancing has ended
 * @fabric: the fabric
 * @rec: how it ended
 *
 * Context: any
 */
void hc_notify_round(struct hc_fabric *fabric, const struct hc_round_record *rec);

#endif /* _HC_NOTIFIER_H */
