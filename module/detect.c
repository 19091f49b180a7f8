// SPDX-License-Identifier: GPL-2.0
/*
 * DETECT: find links that have gone silent without a word, from frames alone.
 *
 * A round: every node sends test frames over all its links that nobody has
 * closed, and notes along which dimensions test frames came.  When the time is
 * over, every node judges: a link from which no test frame came is marked
 * DETECTED.  It then sends its verdict, a FAULT word, over all these links,
 * whatever it thinks of them:
 *
 *  - Who gets a verdict over link d that names d was not heard there, and marks
 *    its own end, too.  So silence in one direction is known at both ends.
 *  - Who has marked its end but hears test frames again, and gets a verdict that
 *    does not name d, clears the mark.  So a link is used again only after both
 *    directions have worked in the same round.
 *
 * FAULT words that name the link they travel over come from judging alone: any
 * other is sent over usable links only.  Rounds run under hc_fabric.lock until
 * the frames have settled, so no verdict is under way while configuration takes
 * a link up, and none can mark it again by mistake.
 *
 * A link that loses some frames is lossy, not silent.  Therefore everything is
 * sent several times.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>

#include "detect.h"

#define REPEAT		3	/* copies of each test frame and verdict */
#define WAIT_MIN	50	/* ms; default wait for test frames, at least */
#define WAIT_MAX	5000	/* ms; at most, on a machine too busy to settle */

/* ------------------------------------------------------------ poll */

static void send_word(struct hc_node *node, unsigned int dim, u8 type, u32 word)
{
	struct sk_buff *skb = hc_frame_alloc(node, type, sizeof(__be32), GFP_ATOMIC);

	if (!skb) {
		hc_drop_count(node, NULL, HYPERCUBE_A_DROP_NO_MEMORY);
		return;
	}
	hc_hdr(skb)->dst = cpu_to_be16(hc_neigh(node->id, dim));
	*(__be32 *)(skb->data + sizeof(struct hc_hdr)) = cpu_to_be32(word);
	hc_link_send(node, dim, skb);
}

static bool get_word(const struct sk_buff *skb, u32 *word)
{
	__be32 buf, *p;

	p = skb_header_pointer(skb, sizeof(struct hc_hdr), sizeof(buf), &buf);
	if (!p)
		return false;
	*word = be32_to_cpu(*p);
	return true;
}

static void send_all(struct hc_node *node, u8 type, u32 word, unsigned long unless)
{
	unsigned int d;

	for (d = 0; d < node->fabric->dim; d++)
		if (!(READ_ONCE(node->ports[d].flags) & unless))
			send_word(node, d, type, word);
}

void hc_detect_tell(struct hc_node *node, u32 word, unsigned long unless)
{
	BUILD_BUG_ON(sizeof(struct hc_wire_fault) != sizeof(__be32));
	send_all(node, HC_FRAME_FAULT, word, unless);
}

void hc_detect_test(struct hc_node *node)
{
	unsigned int i;

	BUILD_BUG_ON(sizeof(struct hc_wire_test) != sizeof(__be32));
	for (i = 0; i < REPEAT; i++)
		send_all(node, HC_FRAME_TEST, READ_ONCE(node->round), HC_PORT_CLOSED);
}

/* Dimensions along which test frames of the current round came. */
static u32 heard(const struct hc_node *node)
{
	return node->heard_round == READ_ONCE(node->round) ? node->heard : 0;
}

void hc_detect_rx_test(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	u32 round;

	if (!get_word(skb, &round)) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_MALFORMED);
		return;
	}
	if (round == READ_ONCE(node->round)) {
		node->heard = heard(node) | hc_bit(dim);
		node->heard_round = round;
	}
	consume_skb(skb);
}

static void mark(struct hc_node *node, unsigned int dim, bool silent)
{
	unsigned long *flags = &node->ports[dim].flags;

	if (silent ? test_and_set_bit(HC_PORT_DETECTED, flags) :
		     !test_and_clear_bit(HC_PORT_DETECTED, flags))
		return;
	hc_link_event(node);
}

void hc_detect_rx_fault(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	u32 word;

	if (!get_word(skb, &word)) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_MALFORMED);
		return;
	}
	consume_skb(skb);
	WRITE_ONCE(node->nb_fault[dim], word);
	if (word & hc_bit(dim)) {
		/* Should the own verdict still be due, it must not differ. */
		node->heard &= ~hc_bit(dim);
		mark(node, dim, true);
	} else if (heard(node) & hc_bit(dim)) {
		mark(node, dim, false);
	}
}

void hc_detect_judge(struct hc_node *node)
{
	u32 ok = heard(node);
	u32 verdict = 0;
	unsigned int d, i;

	for (d = 0; d < node->fabric->dim; d++) {
		unsigned long *flags = &node->ports[d].flags;

		if (READ_ONCE(*flags) & HC_PORT_CLOSED) {
			verdict |= hc_bit(d);
		} else if (!(ok & hc_bit(d))) {
			verdict |= hc_bit(d);
			set_bit(HC_PORT_DETECTED, flags);
		}
	}
	hc_link_update(node);
	for (i = 0; i < REPEAT; i++)
		hc_detect_tell(node, verdict, HC_PORT_CLOSED);
}

/* ------------------------------------------------------------ config */

static bool quiet(const struct hc_fabric *fabric)
{
	u32 u;

	for (u = 0; u < hc_nodes(fabric->dim); u++) {
		const struct hc_node *node = fabric->nodes[u];
		unsigned int d;

		for (d = 0; d < fabric->dim; d++)
			if (hc_impair_pending(&node->ports[d]))
				return false;
		if (READ_ONCE(node->events) || !skb_queue_empty_lockless(&node->rxq.list) ||
		    READ_ONCE(node->napi.state) & NAPIF_STATE_SCHED)
			return false;
	}
	return true;
}

/* Wait until no frame of ours is under way: when two looks in a row find all
 * polls at rest (a frame may slip past one look, from a node looked at later to
 * one looked at before, but not past the next as well unless it goes on and on).
 * Traffic of others may keep the polls busy; WAIT_MAX ends that.
 */
static void settle(const struct hc_fabric *fabric)
{
	unsigned long end = jiffies + msecs_to_jiffies(WAIT_MAX);
	int looks = 0;

	while (looks < 2 && time_before(jiffies, end) && !signal_pending(current)) {
		looks = quiet(fabric) ? looks + 1 : 0;
		usleep_range(500, 1000);
	}
}

static void kick_all(struct hc_fabric *fabric, unsigned int event)
{
	u32 u;

	for (u = 0; u < hc_nodes(fabric->dim); u++) {
		hc_node_kick(fabric->nodes[u], event);
		cond_resched();
	}
}

static bool detected(const struct hc_fabric *fabric, u32 u, unsigned int dim)
{
	return test_bit(HC_PORT_DETECTED, &fabric->nodes[u]->ports[dim].flags);
}

static void detected_get(const struct hc_fabric *fabric, u32 *words)
{
	u32 u, v;
	unsigned int d;

	for (u = 0; u < hc_nodes(fabric->dim); u++)
		for (d = 0; d < fabric->dim; d++) {
			v = hc_neigh(u, d);
			if (u < v && (detected(fabric, u, d) || detected(fabric, v, d)))
				words[u] |= hc_bit(d);
		}
}

static int test_and_judge(struct hc_fabric *fabric, u32 timeout)
{
	u32 u;

	fabric->round++;
	for (u = 0; u < hc_nodes(fabric->dim); u++)
		WRITE_ONCE(fabric->nodes[u]->round, fabric->round);
	/* Test frames of the round must find the new number; polls on other
	 * processors see it before the event.
	 */
	smp_wmb();
	kick_all(fabric, HC_EV_TEST);
	msleep_interruptible(timeout ?: WAIT_MIN);
	if (!timeout)
		settle(fabric);
	if (signal_pending(current))
		return -EINTR;
	kick_all(fabric, HC_EV_JUDGE);
	settle(fabric);
	/* Verdicts are no FAULT words: some links that they spared stay marked. */
	kick_all(fabric, HC_EV_LINKS);
	settle(fabric);
	return 0;
}

u32 *hc_detect_run(struct hc_fabric *fabric, u32 timeout)
{
	u32 n = hc_nodes(fabric->dim);
	u32 *before, *after;
	u32 u;
	int err;

	lockdep_assert_held(&fabric->lock);
	before = kvcalloc(n, sizeof(u32), GFP_KERNEL);
	after = kvcalloc(n, sizeof(u32), GFP_KERNEL);
	if (!before || !after) {
		err = -ENOMEM;
		goto err_free;
	}
	detected_get(fabric, before);
	err = test_and_judge(fabric, timeout);
	if (err)
		goto err_free;
	detected_get(fabric, after);
	for (u = 0; u < n; u++)
		after[u] &= ~before[u];
	kvfree(before);
	return after;

err_free:
	kvfree(before);
	kvfree(after);
	return ERR_PTR(err);
}
