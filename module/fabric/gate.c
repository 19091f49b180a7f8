// SPDX-License-Identifier: GPL-2.0
/*
 * Which polls are in a processor's list.
 *
 * Softirqs poll in turns: any other device that has something to receive waits for a poll of
 * each one before it in the list, and a fabric may have thousands.  So no more than GATE_MAX
 * nodes are in the list at a time.  The others wait at the processor's gate, first come first
 * served: a node that has nothing left to do leaves; one that has been polled while others wait
 * goes to the end of the queue; and the next one takes its place.
 *
 * No node waits for ever.  A node comes to the gate holding NAPI_STATE_SCHED, so its NAPI can
 * neither be scheduled nor disabled past it.  Nodes wait only while GATE_MAX others are inside,
 * for a node that leaves hands over its place while others wait.  Those inside are polled, for
 * NAPI does so, and a node that is polled while others wait leaves; or its NAPI is disabled, and
 * hc_node_disable() makes it leave.  NAPI may also complete a poll by itself that wanted to go
 * on (NAPI_STATE_PREFER_BUSY_POLL): then the node keeps its place, and does not take another
 * when it comes again.
 *
 * Some polls pass by: those of threads, which are in no list; those of sockets that poll busily;
 * and those that NAPI schedules since something came in the few instructions between the
 * end of a poll and its completion (NAPI_STATE_MISSED).  They have no place to give.
 */
#include <linux/percpu.h>

#include "fabric/gate.h"
#include "fabric/node.h"

#define GATE_MAX	16

/**
 * struct hc_gate - of a processor
 * @lock: of the rest; bottom halves are off
 * @inside: nodes that have a place
 * @waiting: nodes that wait for one
 */
struct hc_gate {
	spinlock_t lock;
	unsigned int inside;
	struct list_head waiting;
};

static DEFINE_PER_CPU(struct hc_gate, gates);

void hc_gate_enter(struct hc_node *node)
{
	struct hc_gate *gate = this_cpu_ptr(&gates);
	bool inside;

	if (node->gate.at || test_bit(NAPI_STATE_THREADED, &node->napi.state)) {
		__napi_schedule(&node->napi);
		return;
	}
	spin_lock(&gate->lock);
	inside = gate->inside < GATE_MAX;
	if (inside) {
		gate->inside++;
		node->gate.at = gate;
	} else {
		list_add_tail(&node->gate.waits, &gate->waiting);
	}
	spin_unlock(&gate->lock);
	if (inside)
		__napi_schedule(&node->napi);
}

void hc_gate_leave(struct hc_node *node)
{
	struct hc_gate *gate = node->gate.at;
	struct hc_node *next;

	if (!gate)
		return;
	node->gate.at = NULL;
	spin_lock(&gate->lock);
	next = list_first_entry_or_null(&gate->waiting, struct hc_node, gate.waits);
	if (next) {
		list_del(&next->gate.waits);
		next->gate.at = gate;
	} else {
		gate->inside--;
	}
	spin_unlock(&gate->lock);
	if (next)
		__napi_schedule(&next->napi);
}

bool hc_gate_awaited(const struct hc_node *node)
{
	return node->gate.at && !list_empty_careful(&node->gate.at->waiting);
}

void __init hc_gate_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct hc_gate *gate = per_cpu_ptr(&gates, cpu);

		spin_lock_init(&gate->lock);
		INIT_LIST_HEAD(&gate->waiting);
	}
}
