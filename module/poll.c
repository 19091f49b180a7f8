// SPDX-License-Identifier: GPL-2.0
/*
 * The poll of a node: in which order it works for the parts of the module, and how much work it
 * does for each of them at a time. A part includes only headers of the layers below it
 * (selftests/tools/floors), but this file includes headers of all parts, and calls them directly.
 */
#include <linux/indirect_call_wrapper.h>

#include "coll/rx.h"
#include "coll/member_sched.h"
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/inject.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/poll_limit.h"
#include "fabric/queue.h"
#include "fabric/rx.h"
#include "fabric/skb.h"
#include "poll.h"
#include "route/detect.h"
#include "route/eth.h"
#include "route/lsdb.h"
#include "route/route.h"
#include "sock/hostq.h"
#include "task/migrate.h"
#include "task/round.h"

static void poll_events(struct hc_node *node)
{
	unsigned long events;

	if (!(READ_ONCE(node->events) & ~BIT(HC_EV_STALL)))
		return;
	events = xchg(&node->events, 0);
	if (events & BIT(HC_EV_STALL))
		set_bit(HC_EV_STALL, &node->events);
	events &= ~BIT(HC_EV_STALL);
	if (events & BIT(HC_EV_LINKS))
		hc_detect_links(node);
	if (events & BIT(HC_EV_TEST))
		hc_detect_test(node);
	if (events & BIT(HC_EV_DECIDE))
		hc_detect_decide_soon(node);
	if (events & (BIT(HC_EV_LINKS) | BIT(HC_EV_TASKS)))
		hc_move_event(node, events & BIT(HC_EV_LINKS));
	if (events & (BIT(HC_EV_LINKS) | BIT(HC_EV_ROUND)))
		hc_round_event(node);
	events &= ~(BIT(HC_EV_LINKS) | BIT(HC_EV_TEST) | BIT(HC_EV_DECIDE) | BIT(HC_EV_TASKS) |
		    BIT(HC_EV_ROUND));
	if (events)
		hc_coll_event(node, events);
}

/* Process frames of a queue with @take. The poll takes all frames off the queue at once, so that
 * senders seldom find the lock taken, and puts the frames that exceed @budget back at the front.
 * Return: the budget that was used.
 */
static __always_inline int poll_queue(struct hc_node *node, struct hc_queue *q,
				      void (*take)(struct hc_node *node, struct sk_buff *skb),
				      int budget)
{
	struct sk_buff_head batch;
	u32 bytes, flooded;
	int work = 0;

	if (skb_queue_empty_lockless(&q->list))
		return 0;
	__skb_queue_head_init(&batch);
	spin_lock(&q->list.lock);
	skb_queue_splice_tail_init(&q->list, &batch);
	bytes = q->bytes;
	flooded = q->flooded;
	q->bytes = 0;
	q->flooded = 0;
	spin_unlock(&q->list.lock);
	while (work < budget && !skb_queue_empty(&batch)) {
		struct sk_buff *skb = __skb_dequeue(&batch);

		bytes -= skb->truesize;
		if (unlikely(flooded) && hc_hdr(skb)->flags & HC_FRAME_F_FLOOD)
			flooded -= skb->truesize;
		take(node, skb);
		q->taken++;
		work = min(work + hc_cost(node), budget);
	}
	if (!skb_queue_empty(&batch)) {
		spin_lock(&q->list.lock);
		skb_queue_splice(&batch, &q->list);
		q->bytes += bytes;
		q->flooded += flooded;
		spin_unlock(&q->list.lock);
	}
	return work;
}

static void rx_frame(struct hc_node *node, struct sk_buff *skb)
{
	unsigned int dim = hc_cb(skb)->dim;
	const struct hc_frame_ops *type = hc_rx_check(node, dim, skb);

	if (!type)
		return;
	if (hc_hdr(skb)->flags & HC_FRAME_F_ROUTED) {
		skb = hc_route_rx(node, dim, skb);
		if (!skb)
			return;
	}
	/* Most frames belong to operations, so this avoids an indirect call for them. */
	INDIRECT_CALL_1(type->rx, hc_coll_rx, node, dim, skb);
}

/* Return: the budget that work other than frames of queues has used since the last frame, at most
 * @most.
 */
static int poll_spent(struct hc_node *node, int most)
{
	return min(hc_cost(node) - 1, most);
}

/* Return: true if FAULT words, answers or link-state updates are outstanding that can be sent now:
 * memory has not lacked for them, and the limits of their links are not reached.
 */
static bool can_announce(const struct hc_node *node)
{
	u32 words = hc_detect_owes(node->detect), states = hc_lsdb_owes(node->lsdb) & ~node->fault;

	if (likely(!(words | states)))
		return false;
	states &= ~READ_ONCE(node->memory_wait);
	return (words | states) & ~READ_ONCE(node->own_wait);
}

/* Send outstanding FAULT words, answers and link-state updates, but one poll later: a poll that
 * finds them outstanding only sets .announces, and the next poll sends them. So STOP and END, for
 * which processes wait, are sent first, and one frame can carry the updates of several nodes.
 * Return: true if the next poll is to send them, after the polls of nodes that wait already.
 */
static bool poll_announce(struct hc_node *node)
{
	node->announces = !node->announces;
	if (node->announces)
		return true;
	hc_detect_flush(node);
	hc_lsdb_flush(node);
	return false;
}

/* End a poll. @more: there is more work for this node. @later: there is work that must wait until
 * the nodes that wait already have been polled. Return: as node_poll().
 */
static int poll_end(struct hc_node *node, int work, int budget, bool more, bool later)
{
	/* If NAPI_STATE_MISSED stayed set, NAPI would schedule the next poll past the limiter. */
	more |= test_and_clear_bit(NAPI_STATE_MISSED, &node->napi.state);
	if (more && !hc_poll_limit_awaited(node))
		return budget;
	work = min(work, budget - 1);
	/* After the following calls another node may have this node's place in the poll list, and
	 * another processor may run this NAPI.
	 */
	hc_poll_limit_leave(node);
	napi_complete_done(&node->napi, work);
	if (more || later)
		hc_node_schedule(node);
	return work;
}

/* Poll a node. Return: @budget if NAPI is to poll the node again; else less, and the NAPI is
 * completed.
 */
static int node_poll(struct hc_node *node, int budget)
{
	/* Busy polling may pass a budget of less than 4. */
	int share = max(budget / 4, 1);
	bool ready, later = false;
	int work;

	/* Work for which NAPI_STATE_MISSED was set is queued already: this poll finds it. */
	clear_bit(NAPI_STATE_MISSED, &node->napi.state);
	/* Clear NAPI_STATE_MISSED before reading the queues. */
	smp_mb__after_atomic();
	node->merge_cost = 0;
	poll_events(node);
	work = poll_spent(node, share);
	/* Each kind of traffic has a share of the budget, so that no kind starves another. */
	if (hc_work_ready(node))
		work += hc_coll_work(node, share / 2);
	work += poll_queue(node, &node->rxq, rx_frame, min(share, budget - work));
	if (unlikely(hc_detect_is_judging(node->detect)))
		hc_detect_decide(node);
	if (unlikely(can_announce(node)))
		later = poll_announce(node);
	else
		node->announces = false;
	work += poll_spent(node, min(share, budget - work));
	work += poll_queue(node, &node->eth_rxq, rx_frame, min(share, budget - work));
	work += poll_queue(node, &node->ethq, hc_eth_host_rx, min(share, budget - work));
	if (!hc_hostq_idle(node))
		work += hc_hostq_poll(node, budget - work);
	/* Check for stalls only if rxq is empty: a frame for which a member waits may be in rxq.
	 * No member waits for an Ethernet frame.
	 */
	if (work < budget && skb_queue_empty_lockless(&node->rxq.list) &&
	    test_bit(HC_EV_STALL, &node->events) &&
	    test_and_clear_bit(HC_EV_STALL, &node->events))
		hc_coll_event(node, BIT(HC_EV_STALL));
	ready = hc_work_ready(node);
	if (work < budget && ready) {
		work += hc_coll_work(node, min(share, budget - work));
		/* Operations may have ended, so that contributions that wait can begin. */
		work += hc_hostq_poll(node, budget - work);
		ready = hc_work_ready(node);
	}
	return poll_end(node, work, budget, work == budget || ready ||
			!skb_queue_empty_lockless(&node->rxq.list) ||
			!skb_queue_empty_lockless(&node->eth_rxq.list) ||
			!skb_queue_empty_lockless(&node->ethq.list), later);
}

/* A pass polls another node only if at least this much of its budget is left. */
#define FOLLOW_MIN	8

/* A pass: poll the node, then the nodes to which its poll has sent frames, and so on, with one
 * budget for all of them (fabric/poll_limit.c). Polls never nest. A poll that uses up the rest of
 * the budget is the last one: its node enters the limiter, as do the nodes that have not been
 * polled.
 */
static int node_pass(struct napi_struct *napi, int budget)
{
	struct hc_node *next;
	int first, work, rest, cost;

	/* NAPI calls without budget only to free entries of a transmit ring, and a node has none.
	 */
	if (unlikely(!budget))
		return 0;
	hc_cover_start();
	hc_poll_pass_begin();
	first = node_poll(container_of(napi, struct hc_node, napi), budget);
	/* From here on another processor may run this NAPI, unless @first is @budget. */
	work = max(first, 1);
	while (budget - work >= FOLLOW_MIN && (next = hc_poll_pass_next())) {
		rest = budget - work;
		cost = node_poll(next, rest);
		if (cost == rest)
			hc_poll_limit_enter(next);
		work += max(cost, 1);
	}
	hc_poll_pass_end();
	hc_cover_stop();
	return first == budget ? budget : min(work, budget - 1);
}

void __init hc_poll_init(void)
{
	hc_node_poll = node_pass;
}
