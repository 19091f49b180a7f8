// SPDX-License-Identifier: GPL-2.0
/*
 * The poll limiter: it bounds the number of nodes in a processor's NAPI poll list.
 *
 * NAPI polls the devices in that list in turns. A device that has something to receive waits for
 * one poll of each device before it, and a fabric may have thousands of nodes. So at most
 * POLL_LIMIT_MAX nodes are in the list at a time; the others wait at the processor's limiter. A
 * node that has nothing left to do leaves the list. A node that was polled while other nodes wait
 * is moved behind these nodes. In both cases the next node that waits takes its place in the list.
 *
 * Users (accounting owners, limits.c) take turns, one node each, and the nodes of one user are
 * served in the order of their arrival. So between two polls of one user's nodes each other user
 * gets only one poll, however many nodes it has. In addition, a node waits for the polls of the
 * POLL_LIMIT_MAX nodes that are in the list already.
 *
 * No node waits for ever. A node that enters the limiter owns its NAPI_STATE_SCHED, so its NAPI can
 * neither be scheduled nor disabled without passing the limiter. Nodes wait only while
 * POLL_LIMIT_MAX others are in the list, because a node that leaves hands its place to a node that
 * waits. NAPI polls each node that is in the list, and a node that is polled while others wait
 * leaves; or the node's NAPI is disabled, and hc_node_disable() makes the node leave. NAPI may also
 * complete a poll by itself although the poll has more to do (NAPI_STATE_PREFER_BUSY_POLL). In this
 * case the node keeps its place, and does not take a second one when it enters the limiter again.
 *
 * Some polls bypass the limiter: polls in NAPI threads, which are in no list; polls by sockets that
 * busy-poll; and polls that NAPI schedules because work arrived in the few instructions between the
 * end of a poll and its completion (NAPI_STATE_MISSED). Such a poll has no place to hand over.
 *
 * A pass (poll.c): if a node is alone in the list, its poll is followed by the polls of the nodes
 * to which it has sent frames, one after another, in the place of that node. A pass has the budget
 * of one poll, so other devices that enter the list wait no longer for a pass than for a poll.
 * Without passes each of these polls would need a softirq, which costs more than most of the polls
 * do; and as soon as one of them had woken a process, the others would be left to ksoftirqd. If
 * more than one node is in the list there are no passes: the nodes take turns, and each poll finds
 * more to do.
 *
 * Nodes that are to be polled in a pass are in a list of the processor (.follow), which is used
 * only on that processor and with bottom halves off: hc_poll_limit_enter() adds to it only during a
 * pass on that processor, and a pass leaves it empty before it enables bottom halves again. Each
 * node in this list has NAPI_STATE_SCHED set, and is in no other list. So the pass owns the node's
 * NAPI, as the core owns a NAPI that it has taken off its poll list: until the pass has completed
 * the poll, or moved the node to the limiter, no other code polls, schedules or disables that NAPI.
 * No node waits for ever in this list, because a pass is bounded.
 */
#include <linux/percpu.h>

#include "fabric/node.h"
#include "fabric/poll_limit.h"

#define POLL_LIMIT_MAX	16

/**
 * struct hc_poll_owner - a user's nodes at one processor's limiter; under the limiter's lock
 * @nodes: nodes that wait for a place in the processor's poll list
 * @turn: entry in hc_poll_limit.users while @nodes is not empty
 */
struct hc_poll_owner {
	struct list_head nodes;
	struct list_head turn;
};

/**
 * struct hc_poll_limit - the limiter of a processor
 * @lock: protects @inside and @users; bottom halves are off
 * @inside: number of nodes that have a place in the processor's poll list; also read without @lock
 * @users: users whose nodes wait for a place
 * @passes: true while a pass is under way; used on this processor only
 * @follow: nodes that are to be polled in the pass, in the order in which they were scheduled; used
 *	on this processor only
 */
struct hc_poll_limit {
	spinlock_t lock;
	unsigned int inside;
	struct list_head users;
	bool passes;
	struct list_head follow;
};

static DEFINE_PER_CPU(struct hc_poll_limit, limiters);

static void limit_wait(struct hc_poll_limit *limiter, struct hc_node *node)
{
	struct hc_poll_owner *user = this_cpu_ptr(node->fabric->poll_owner);

	if (list_empty(&user->nodes))
		list_add_tail(&user->turn, &limiter->users);
	list_add_tail(&node->poll_place.waits, &user->nodes);
}

/* Take the next node that waits, and move its user behind all other users. Return: the node, or
 * NULL if no node waits.
 */
static struct hc_node *limit_next(struct hc_poll_limit *limiter)
{
	struct hc_poll_owner *user = list_first_entry_or_null(&limiter->users, struct hc_poll_owner,
							      turn);
	struct hc_node *node;

	if (!user)
		return NULL;
	node = list_first_entry(&user->nodes, struct hc_node, poll_place.waits);
	list_del(&node->poll_place.waits);
	if (list_empty(&user->nodes))
		list_del(&user->turn);
	else
		list_move_tail(&user->turn, &limiter->users);
	return node;
}

void hc_poll_limit_enter(struct hc_node *node)
{
	struct hc_poll_limit *limiter = this_cpu_ptr(&limiters);
	bool inside;

	if (node->poll_place.at || test_bit(NAPI_STATE_THREADED, &node->napi.state)) {
		__napi_schedule(&node->napi);
		return;
	}
	if (limiter->passes && READ_ONCE(limiter->inside) <= 1) {
		list_add_tail(&node->poll_place.waits, &limiter->follow);
		return;
	}
	spin_lock(&limiter->lock);
	inside = limiter->inside < POLL_LIMIT_MAX;
	if (inside) {
		WRITE_ONCE(limiter->inside, limiter->inside + 1);
		node->poll_place.at = limiter;
	} else {
		limit_wait(limiter, node);
	}
	spin_unlock(&limiter->lock);
	if (inside)
		__napi_schedule(&node->napi);
}

void hc_poll_limit_leave(struct hc_node *node)
{
	struct hc_poll_limit *limiter = node->poll_place.at;
	struct hc_node *next;

	if (!limiter)
		return;
	node->poll_place.at = NULL;
	spin_lock(&limiter->lock);
	next = limit_next(limiter);
	if (next)
		next->poll_place.at = limiter;
	else
		WRITE_ONCE(limiter->inside, limiter->inside - 1);
	spin_unlock(&limiter->lock);
	if (next)
		__napi_schedule(&next->napi);
}

bool hc_poll_limit_awaited(const struct hc_node *node)
{
	return node->poll_place.at && !list_empty_careful(&node->poll_place.at->users);
}

void hc_poll_pass_begin(void)
{
	this_cpu_write(limiters.passes, true);
}

struct hc_node *hc_poll_pass_next(void)
{
	struct hc_poll_limit *limiter = this_cpu_ptr(&limiters);
	struct hc_node *node = list_first_entry_or_null(&limiter->follow, struct hc_node,
							poll_place.waits);

	if (node)
		list_del(&node->poll_place.waits);
	return node;
}

void hc_poll_pass_end(void)
{
	struct hc_node *node;

	this_cpu_write(limiters.passes, false);
	while ((node = hc_poll_pass_next()))
		hc_poll_limit_enter(node);
}

struct hc_poll_owner __percpu *hc_poll_owner_new(void)
{
	struct hc_poll_owner __percpu *users = alloc_percpu_gfp(struct hc_poll_owner,
								GFP_KERNEL_ACCOUNT);
	int cpu;

	if (!users)
		return NULL;
	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(&per_cpu_ptr(users, cpu)->nodes);
	return users;
}

void hc_poll_owner_free(struct hc_poll_owner __percpu *users)
{
	free_percpu(users);
}

void __init hc_poll_limit_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct hc_poll_limit *limiter = per_cpu_ptr(&limiters, cpu);

		spin_lock_init(&limiter->lock);
		INIT_LIST_HEAD(&limiter->users);
		INIT_LIST_HEAD(&limiter->follow);
	}
}
