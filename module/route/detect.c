// SPDX-License-Identifier: GPL-2.0
/*
 * DETECT: finds links that have gone silent, from frames alone.
 *
 * A round: every node sends test frames over all its links that were not taken down, and notes
 * along which dimensions test frames came.  When the time is over and all have sent, every node
 * judges: a link from which no test frame came is marked DETECTED.  It then sends its verdict, a
 * FAULT word, over all these links, whether marked or not:
 *
 *  - A node that gets a verdict over link d that names d was not heard there, and marks its own
 *  end, too.  So silence in one direction is known at both ends.
 *  - A node that has marked its end but hears test frames again, and gets a verdict that does
 *    not name d, clears the mark.  So a link is used again only after both directions have
 *    worked in the same round.
 *
 * FAULT words that name the link they travel over come from judging alone: any other is sent
 * over usable links only.  Each word has a number, and a node that gets it answers with that
 * number when it has done what follows from the word.  So code that waits until all know need
 * only ask nodes about themselves.  Answers do not count as words.
 *
 * A link whose other end lives on another machine, which has rounds of its own, is tested by
 * frames that the other end sends back (HC_TEST_F_ASK), so that both directions have worked if one
 * comes. The other end notes the question, and believes the verdict that follows as if it had
 * heard a test frame of its own round.
 *
 * One round follows another when its frames have settled.  Configuration does not wait for
 * that; a round says nothing about links that it takes up meanwhile (hc_port.spared), so none
 * is marked by mistake.
 *
 * Nobody sleeps through a round either: hc_detect_step() does what is due and says when
 * to call it again.
 *
 * A link that loses some frames is lossy, not silent.  Therefore test frames, which see the link
 * as it is, are sent several times.  Nor is a busy machine silent: no node judges before all have
 * sent, and before it has taken the frames that had come by then.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>

#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/own.h"
#include "fabric/skb.h"
#include "fabric/spent.h"
#include "hc_topo.h"
#include "route/detect.h"
#include "route/lsdb.h"
#include "task/round.h"

#define REPEAT		3	/* copies of each test frame */
#define WAIT_MIN	50	/* ms; default wait for test frames, at least */
#define WAIT_MAX	5000	/* ms; then other traffic may go on */

/* ------------------------------------------------------------ poll */

static struct sk_buff *frame_for(struct hc_node *node, unsigned int dim, u8 type)
{
	struct sk_buff *skb = hc_frame_alloc(node, type, 0, GFP_ATOMIC);

	if (skb)
		hc_hdr(skb)->dst = cpu_to_be16(hc_neigh(node->id, dim));
	else
		hc_drop_count(node, NULL, HYPERCUBE_A_DROP_NO_MEMORY);
	return skb;
}

/* False: there is no memory; the poll runs again later. */
static bool send_word(struct hc_node *node, unsigned int dim, u32 word, u16 told)
{
	struct sk_buff *skb = frame_for(node, dim, HC_FRAME_FAULT);

	if (!skb) {
		hc_lsdb_retry(node, dim);
		return false;
	}
	*hc_wire_fault_of(skb) = (struct hc_wire_fault){
		.fault = cpu_to_be32(word),
		.told = cpu_to_be16(told),
		.heard = cpu_to_be16(node->detect.nb_told[dim]),
	};
	hc_link_send(node, dim, skb);
	node->spent++;
	return true;
}

static bool is_away(const struct hc_node *node, unsigned int dim)
{
	return node->ports[dim].end;
}

static void send_test(struct hc_node *node, unsigned int dim, u32 round, u32 flags)
{
	struct sk_buff *skb;

	/* Another machine asks as often as it likes, and rounds may be given up and begun again. */
	if (!hc_own_spare(node, dim))
		return;
	skb = frame_for(node, dim, HC_FRAME_TEST);
	if (!skb)
		return;
	*hc_wire_test_of(skb) = (struct hc_wire_test){
		.round = cpu_to_be32(round), .flags = cpu_to_be32(flags),
	};
	hc_link_send(node, dim, skb);
}

void hc_detect_word(struct hc_node_detect *nd)
{
	WRITE_ONCE(nd->told, nd->told == U16_MAX ? 1 : nd->told + 1);
}

bool hc_detect_is_heard(const struct hc_node_detect *nd, unsigned int dim)
{
	/* Pairs with hc_detect_rx_fault(): what follows from the word there is visible. */
	return smp_load_acquire(&nd->nb_heard[dim]) == READ_ONCE(nd->told);
}

/* The own word says what the answer would, too.  A link that is closed is told nothing: when it is
 * opened again, both ends have a new word to tell.
 */
static void link_flush(struct hc_node *node, unsigned int dim)
{
	struct hc_node_detect *nd = &node->detect;
	unsigned long flags = READ_ONCE(node->ports[dim].flags);
	bool said;

	if (flags & HC_PORT_UNUSABLE)
		nd->owes &= ~hc_bit(dim);
	if (flags & HC_PORT_CLOSED)
		nd->answers &= ~hc_bit(dim);
	if (!((nd->owes | nd->answers) & hc_bit(dim)) || !hc_own_room(node, dim))
		return;
	if (nd->owes & hc_bit(dim))
		said = send_word(node, dim, node->fault, nd->told);
	else
		said = send_word(node, dim, node->nb_fault[dim], 0);
	if (!said)
		return;
	nd->owes &= ~hc_bit(dim);
	nd->answers &= ~hc_bit(dim);
}

void hc_detect_flush(struct hc_node *node)
{
	unsigned long dims = (node->detect.owes | node->detect.answers) &
			     ~READ_ONCE(node->own_wait);
	unsigned int d;

	for_each_set_bit(d, &dims, node->fabric->dim)
		link_flush(node, d);
}

void hc_detect_tell(struct hc_node *node)
{
	node->detect.owes = hc_ones(node->fabric->dim);
}

void hc_detect_test(struct hc_node *node)
{
	/* Pairs with test(): all wait for frames of this round. */
	u32 round = smp_load_acquire(&node->detect.test_round);
	unsigned int i, d;

	for (i = 0; i < REPEAT; i++)
		for (d = 0; d < node->fabric->dim; d++)
			if (!(READ_ONCE(node->ports[d].flags) & HC_PORT_CLOSED))
				send_test(node, d, round,
					  is_away(node, d) ? HC_TEST_F_ASK : 0);
	/* Pairs with all_have(): they are in the neighbours' queues. */
	smp_store_release(&node->detect.tested, round);
}

/* Dimensions along which test frames of the current round came. */
static u32 heard(const struct hc_node *node)
{
	/* Pairs with hc_detect_rx_test(): code that sees the round sees its dimensions. */
	return smp_load_acquire(&node->detect.heard_round) == READ_ONCE(node->detect.round) ?
	       READ_ONCE(node->detect.heard) : 0;
}

void hc_detect_rx_test(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	u32 round = be32_to_cpu(hc_wire_test_of(skb)->round);

	if (hc_wire_test_of(skb)->flags & cpu_to_be32(HC_TEST_F_ASK)) {
		node->detect.asked |= hc_bit(dim);
		send_test(node, dim, round, 0);
	} else if (round == READ_ONCE(node->detect.round)) {
		WRITE_ONCE(node->detect.heard, heard(node) | hc_bit(dim));
		/* Pairs with heard(). */
		smp_store_release(&node->detect.heard_round, round);
	}
	consume_skb(skb);
}

/* Was the link taken up while the round was under way? */
static bool is_spared(const struct hc_node *node, unsigned int dim)
{
	/* Pairs with hc_detect_spare(): whoever sees the link up sees this. */
	smp_rmb();
	return READ_ONCE(node->ports[dim].spared) == READ_ONCE(node->detect.round);
}

static void mark(struct hc_node *node, unsigned int dim, bool silent, bool asked)
{
	unsigned long *flags = &node->ports[dim].flags;
	bool news = silent ? !test_and_set_bit(HC_PORT_DETECTED, flags) :
			     test_and_clear_bit(HC_PORT_DETECTED, flags);

	if (!silent)
		news |= hc_spent_found(node, dim, asked);
	if (news)
		hc_link_event(node);
}

static void word_take(struct hc_node *node, unsigned int dim, u32 word)
{
	bool asked = node->detect.asked & hc_bit(dim);
	u32 ok = heard(node) | node->detect.asked;

	WRITE_ONCE(node->nb_fault[dim], word);
	node->detect.asked &= ~hc_bit(dim);
	if (word & hc_bit(dim)) {
		/* If this node's own verdict is still due, it must not differ. */
		WRITE_ONCE(node->detect.heard, node->detect.heard & ~hc_bit(dim));
		/* Rounds of another machine are not counted here. */
		if (!is_spared(node, dim) || is_away(node, dim))
			mark(node, dim, true, false);
	} else if (ok & hc_bit(dim)) {
		bool marked = test_bit(HC_PORT_DETECTED, &node->ports[dim].flags);

		mark(node, dim, false, asked);
		/* It may have a mark of its own, which only a word from here clears. */
		if (asked && !marked)
			node->detect.owes |= hc_bit(dim);
	}
}

void hc_detect_rx_fault(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	struct hc_wire_fault w = *hc_wire_fault_of(skb);
	u32 word = be32_to_cpu(w.fault);

	if (word & ~hc_ones(node->fabric->dim)) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_MALFORMED);
		return;
	}
	consume_skb(skb);
	if (w.heard)
		/* Pairs with hc_detect_is_heard(). */
		smp_store_release(&node->detect.nb_heard[dim], be16_to_cpu(w.heard));
	if (w.heard && !w.told)
		return;
	word_take(node, dim, word);
	hc_round_again(node, dim);
	if (!w.told)
		return;
	node->detect.nb_told[dim] = be16_to_cpu(w.told);
	node->detect.answers |= hc_bit(dim);
}

/* Over all links that are not closed, in place of the own word.  Where too much waits the word is
 * owed that has the verdict.
 */
static void verdict_send(struct hc_node *node, u32 verdict)
{
	unsigned int d;

	for (d = 0; d < node->fabric->dim; d++) {
		if (READ_ONCE(node->ports[d].flags) & HC_PORT_CLOSED)
			continue;
		if (!hc_own_spare(node, d) || !send_word(node, d, verdict, node->detect.told))
			node->detect.owes |= hc_bit(d);
	}
}

/* A busy machine is not silent: what has come by now is heard first, however long that takes. */
void hc_detect_judge_soon(struct hc_node *node)
{
	node->detect.judging = true;
	node->detect.judge_at = node->rxq.taken + skb_queue_len_lockless(&node->rxq.list);
}

void hc_detect_judge(struct hc_node *node)
{
	u32 ok = heard(node);
	u32 verdict = 0;
	unsigned int d;

	if ((s32)(node->rxq.taken - node->detect.judge_at) < 0)
		return;
	node->detect.judging = false;
	for (d = 0; d < node->fabric->dim; d++) {
		unsigned long *flags = &node->ports[d].flags;

		if (READ_ONCE(*flags) & HC_PORT_CLOSED) {
			verdict |= hc_bit(d);
		} else if (!(ok & hc_bit(d)) && !is_spared(node, d)) {
			verdict |= hc_bit(d);
			set_bit(HC_PORT_DETECTED, flags);
		}
	}
	hc_link_update(node);
	verdict_send(node, verdict);
	/* Pairs with all_have(): the marks are set. */
	smp_store_release(&node->detect.judged, READ_ONCE(node->detect.round));
}

/* ------------------------------------------------------------ config */

void hc_detect_spare(const struct hc_fabric *fabric, struct hc_port *port)
{
	WRITE_ONCE(port->spared, fabric->detect.round);
	/* Pairs with is_spared(). */
	smp_mb__before_atomic();
}

/* It is marked, but heard: the neighbour's verdict, which is under way, clears one of these.  Over
 * a link that has given up it may never come.
 */
static bool undecided(const struct hc_node *node, unsigned int dim)
{
	unsigned long flags = READ_ONCE(node->ports[dim].flags);

	return flags & BIT(HC_PORT_DETECTED) && !(flags & (HC_PORT_CLOSED | HC_PORT_GAVE_UP)) &&
	       heard(node) & hc_bit(dim) && !is_spared(node, dim);
}

/* Is the answer from another machine still to come? */
static bool unanswered(const struct hc_node *node, unsigned int dim)
{
	return is_away(node, dim) && !(READ_ONCE(node->ports[dim].flags) & HC_PORT_CLOSED) &&
	       !(heard(node) & hc_bit(dim)) && !is_spared(node, dim);
}

/* Has what the node has sent arrived? For test frames this means that nothing waits any more. */
static bool quiet(const struct hc_node *node, enum hc_detect_phase phase)
{
	unsigned int d;

	if (phase != HC_DETECT_TESTS && !hc_link_told(node))
		return false;
	for (d = 0; d < node->fabric->dim; d++) {
		if (phase == HC_DETECT_TESTS && (hc_link_pending(node, d) || unanswered(node, d)))
			return false;
		if (phase == HC_DETECT_JUDGES && undecided(node, d))
			return false;
	}
	return true;
}

/* Has each node done its part of the phase? */
static bool all_have(const struct hc_detect *d)
{
	const struct hc_node *node;

	hc_each_node(d->fabric, node) {
		const struct hc_node_detect *nd = &node->detect;

		/* Pairs with the polls' smp_store_release(). */
		if (d->phase == HC_DETECT_TESTS && smp_load_acquire(&nd->tested) != nd->round)
			return false;
		/* The same. */
		if (d->phase == HC_DETECT_JUDGES && smp_load_acquire(&nd->judged) != nd->round)
			return false;
		/* The same, in hc_link_event(). */
		if (d->phase == HC_DETECT_TELLS && smp_load_acquire(&nd->tells) != nd->round)
			return false;
		cond_resched();
	}
	return true;
}

static bool all_quiet(const struct hc_detect *d)
{
	const struct hc_node *node;

	if (!all_have(d))
		return false;
	hc_each_node(d->fabric, node) {
		if (!quiet(node, d->phase))
			return false;
		cond_resched();
	}
	return true;
}

/* Is no frame of ours under way any more?  When two looks in a row find that each node has sent
 * its own, and has an answer to its word (something may slip past one look, from a node looked
 * at later to one looked at before, but not past the next as well unless it goes on and on).
 * Traffic of others may keep links busy; WAIT_MAX ends that, and on a machine too busy for
 * anything the polls that have not begun.  If a time to wait for test frames was given, those
 * still under way then are not waited for.
 */
static bool settled(struct hc_detect *d)
{
	d->next = jiffies + 1;
	if (d->phase == HC_DETECT_TESTS && d->timeout)
		return all_have(d);
	d->looks = all_quiet(d) ? d->looks + 1 : 0;
	return d->looks >= 2 || (time_after(jiffies, d->end) && all_have(d));
}

static void phase_begin(struct hc_detect *d, enum hc_detect_phase phase)
{
	d->phase = phase;
	d->looks = 0;
	d->next = jiffies + 1;
	d->end = jiffies + msecs_to_jiffies(WAIT_MAX);
}

static void kick(struct hc_node *node, unsigned int event)
{
	hc_node_kick(node, event);
	hc_node_kicked(node->fabric, node->id);
}

static void kick_all(struct hc_fabric *fabric, unsigned int event)
{
	struct hc_node *node;

	hc_each_node(fabric, node)
		kick(node, event);
}

static void detected_get(const struct hc_fabric *fabric, u32 *words)
{
	struct hc_node *node;
	unsigned int d;

	hc_each_node(fabric, node)
		for (d = 0; d < fabric->dim; d++)
			if (test_bit(HC_PORT_DETECTED, &node->ports[d].flags))
				words[hc_lower_end(node, d)->id] |= hc_bit(d);
}

static void test(struct hc_detect *d)
{
	struct hc_fabric *fabric = d->fabric;
	unsigned long wait = msecs_to_jiffies(d->timeout ?: WAIT_MIN);
	struct hc_node *node;

	detected_get(fabric, d->before);
	fabric->detect.now = d;
	fabric->detect.round++;
	hc_each_node(fabric, node)
		WRITE_ONCE(node->detect.round, fabric->detect.round);
	hc_each_node(fabric, node) {
		/* Test frames of the round must find the new number everywhere, also those that
		 * are sent because of an event of a round that was given up.
		 */
		smp_store_release(&node->detect.test_round, fabric->detect.round);
		kick(node, HC_EV_TEST);
	}
	phase_begin(d, HC_DETECT_TESTS);
	d->next = jiffies + wait;
	d->end += wait;
}

static void found(struct hc_detect *d)
{
	u32 u;

	detected_get(d->fabric, d->links);
	for (u = 0; u < hc_nodes(d->fabric->dim); u++)
		d->links[u] &= ~d->before[u];
	d->fabric->detect.now = NULL;
}

int hc_detect_step(struct hc_detect *d)
{
	struct hc_fabric *fabric = d->fabric;
	struct hc_node *node;

	lockdep_assert_held(&fabric->lock);
	if (d->phase != HC_DETECT_WAITS && !settled(d))
		return -EAGAIN;
	switch (d->phase) {
	case HC_DETECT_WAITS:
		d->next = jiffies + 1;
		if (!fabric->detect.now)
			test(d);
		return -EAGAIN;
	case HC_DETECT_TESTS:
		kick_all(fabric, HC_EV_JUDGE);
		phase_begin(d, HC_DETECT_JUDGES);
		return -EAGAIN;
	case HC_DETECT_JUDGES:
		/* Verdicts are not the real FAULT words: some links that they spared stay
		 * marked.
		 */
		hc_each_node(fabric, node)
			WRITE_ONCE(node->detect.tell_round, fabric->detect.round);
		kick_all(fabric, HC_EV_LINKS);
		phase_begin(d, HC_DETECT_TELLS);
		return -EAGAIN;
	case HC_DETECT_TELLS:
		found(d);
	}
	return 0;
}

int hc_detect_init(struct hc_detect *d, struct hc_fabric *fabric, u32 timeout)
{
	d->fabric = fabric;
	d->timeout = timeout;
	d->phase = HC_DETECT_WAITS;
	d->before = kvcalloc(hc_nodes(fabric->dim), sizeof(u32), GFP_KERNEL_ACCOUNT);
	d->links = kvcalloc(hc_nodes(fabric->dim), sizeof(u32), GFP_KERNEL_ACCOUNT);
	return d->before && d->links ? 0 : -ENOMEM;
}

void hc_detect_free(struct hc_detect *d)
{
	if (d->fabric->detect.now == d)
		d->fabric->detect.now = NULL;
	kvfree(d->before);
	kvfree(d->links);
}
