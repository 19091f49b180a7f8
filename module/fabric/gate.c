// SPDX-License-Identifier: GPL-2.0
/*
 * The poll limiter: which polls are in a processor's list.
 *
 * Softirqs poll in turns: any other device that has something to receive waits for a poll of each
 * one before it in the list, and a fabric may have thousands. So no more than GATE_MAX nodes are in
 * the list at a time. The others wait at the processor's gate: a node that has nothing left to do
 * leaves the list; one that has been polled while others wait goes to the end of the queue; and the
 * next one takes its place.
 *
 * Users (accounting owners, limits.c) take turns, with a node each, and the nodes of one user are
 * served first come first served. So a node waits for one poll of each other user between two polls
 * of its own user's nodes, however many nodes the others have, beside the GATE_MAX that are in the
 * list already.
 *
 * No node waits for ever. A node comes to the gate holding NAPI_STATE_SCHED, so its NAPI can
 * neither be scheduled nor disabled past the gate. Nodes wait only while GATE_MAX others are in the
 * list, for a node that leaves gives its place to one that waits. Those in the list are polled, for
 * NAPI does so, and a node that is polled while others wait leaves; or its NAPI is disabled, and
 * hc_node_disable() makes it leave. NAPI may also complete a poll by itself that wanted to go on
 * (NAPI_STATE_PREFER_BUSY_POLL): then the node keeps its place, and does not take another when it
 * comes again.
 *
 * Some polls bypass the gate: those of threads, which are in no list; those of sockets that poll
 * busily; and those that NAPI schedules since something came in the few instructions between the
 * end of a poll and its completion (NAPI_STATE_MISSED). They have no place to give.
 *
 * A pass (poll.c): a node that is alone in the list also runs the polls of the nodes to which its
 * poll gives something to do: they follow it in its place, one after another. A pass has the budget
 * of one poll, so others that come to the list wait no longer for it. A softirq for each of these
 * polls would cost more than most of the polls; and as soon as one of them had woken a process, the
 * rest would be left to ksoftirqd. Where more nodes are in the list they take turns: each poll then
 * finds more to do.
 *
 * Nodes that are to follow are in a list of the processor that only code with bottom halves off on
 * that processor touches: hc_gate_enter() adds to it only while a pass is under way there, and a
 * pass ends with an empty one, before bottom halves are on again. Each of them has come with
 * NAPI_STATE_SCHED, and is in no other list: so the pass owns its NAPI as the core does that of a
 * poll it has taken off its list: until the pass has completed it or moved it to the gate, it is
 * polled, scheduled and disabled nowhere else. None waits for ever, as a pass is bounded.
 */
#include <linux/percpu.h>

#include "fabric/gate.h"
#include "fabric/node.h"

#define GATE_MAX	16

/**
 * struct hc_gate_user - a user's nodes at one processor's gate; under the gate's lock
 * @nodes: nodes that wait for a place
 * @turn: in hc_gate.users, if there are any
 */
struct hc_gate_user {
	struct list_head nodes;
	struct list_head turn;
};

/**
 * struct hc_gate - the gate of a processor
 * @lock: protects @inside and @users; bottom halves are off
 * @inside: nodes that have a place in the list; also read without the lock
 * @users: users whose nodes wait for one
 * @passes: a pass is under way; used on this processor only
 * @follow: nodes that are to be polled in the pass, in the order in which they were given something
 *	to do; used on this processor only
 */
struct hc_gate {
	spinlock_t lock;
	unsigned int inside;
	struct list_head users;
	bool passes;
	struct list_head follow;
};

static DEFINE_PER_CPU(struct hc_gate, gates);

static void gate_wait(struct hc_gate *gate, struct hc_node *node)
{
	struct hc_gate_user *user = this_cpu_ptr(node->fabric->gate_user);

	if (list_empty(&user->nodes))
		list_add_tail(&user->turn, &gate->users);
	list_add_tail(&node->gate.waits, &user->nodes);
}

/* Take the node whose turn it is, or NULL; its user's next turn comes after those of all others. */
static struct hc_node *gate_next(struct hc_gate *gate)
{
	struct hc_gate_user *user = list_first_entry_or_null(&gate->users, struct hc_gate_user,
							     turn);
	struct hc_node *node;

	if (!user)
		return NULL;
	node = list_first_entry(&user->nodes, struct hc_node, gate.waits);
	list_del(&node->gate.waits);
	if (list_empty(&user->nodes))
		list_del(&user->turn);
	else
		list_move_tail(&user->turn, &gate->users);
	return node;
}

void hc_gate_enter(struct hc_node *node)
{
	struct hc_gate *gate = this_cpu_ptr(&gates);
	bool inside;

	if (node->gate.at || test_bit(NAPI_STATE_THREADED, &node->napi.state)) {
		__napi_schedule(&node->napi);
		return;
	}
	if (gate->passes && READ_ONCE(gate->inside) <= 1) {
		list_add_tail(&node->gate.waits, &gate->follow);
		return;
	}
	spin_lock(&gate->lock);
	inside = gate->inside < GATE_MAX;
	if (inside) {
		WRITE_ONCE(gate->inside, gate->inside + 1);
		node->gate.at = gate;
	} else {
		gate_wait(gate, node);
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
	next = gate_next(gate);
	if (next)
		next->gate.at = gate;
	else
		WRITE_ONCE(gate->inside, gate->inside - 1);
	spin_unlock(&gate->lock);
	if (next)
		__napi_schedule(&next->napi);
}

bool hc_gate_awaited(const struct hc_node *node)
{
	return node->gate.at && !list_empty_careful(&node->gate.at->users);
}

void hc_gate_pass_begin(void)
{
	this_cpu_write(gates.passes, true);
}

struct hc_node *hc_gate_pass_next(void)
{
	struct hc_gate *gate = this_cpu_ptr(&gates);
	struct hc_node *node = list_first_entry_or_null(&gate->follow, struct hc_node, gate.waits);

	if (node)
		list_del(&node->gate.waits);
	return node;
}

void hc_gate_pass_end(void)
{
	struct hc_node *node;

	this_cpu_write(gates.passes, false);
	while ((node = hc_gate_pass_next()))
		hc_gate_enter(node);
}

struct hc_gate_user __percpu *hc_gate_user_new(void)
{
	struct hc_gate_user __percpu *users = alloc_percpu_gfp(struct hc_gate_user,
							       GFP_KERNEL_ACCOUNT);
	int cpu;

	if (!users)
		return NULL;
	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(&per_cpu_ptr(users, cpu)->nodes);
	return users;
}

void hc_gate_user_free(struct hc_gate_user __percpu *users)
{
	free_percpu(users);
}

void __init hc_gate_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct hc_gate *gate = per_cpu_ptr(&gates, cpu);

		spin_lock_init(&gate->lock);
		INIT_LIST_HEAD(&gate->users);
		INIT_LIST_HEAD(&gate->follow);
	}
}
