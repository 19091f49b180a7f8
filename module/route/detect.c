// SPDX-License-Identifier: GPL-2.0
/*
 * DETECT: finds links that have gone silent, from frames alone.
 *
 * A round. Every node sends test frames over all its links that were not taken down, and records
 * along which dimensions it receives test frames. When the waiting time has passed and all nodes
 * have sent their test frames, every node decides: it marks each link over which it has received no
 * test frame as DETECTED. It then sends its decision over all links that were not taken down,
 * marked or not. The decision is a FAULT word, and names the marked links:
 *
 *  - If a node receives over link d a decision that names d, the neighbour has not received the
 *    node's test frames. The node marks its own end, too. So both ends mark a link that is silent
 *    in one direction only.
 *  - A node that has marked its end of link d clears the mark if, in one round, it receives over
 *    link d both test frames and a decision that does not name d. So a link is used again only
 *    after both directions have worked in the same round.
 *
 * If a FAULT word names the link that it travels over, it can only be such a decision: all other
 * FAULT words are sent over usable links only. Each FAULT word has a number. A node that receives a
 * FAULT word first acts on it, and then sends an answer with that number. So code that waits until
 * all neighbours of a node know its FAULT word need only check that node's own state. An answer is
 * not itself answered.
 *
 * A link to another machine, which has rounds of its own, is tested by frames that the other end
 * sends back (HC_TEST_F_ASK): if a frame returns, both directions have worked. The other end
 * records the request, and acts on the decision that follows as if it had received a test frame of
 * a round of its own.
 *
 * A round begins when the previous one has ended. Changes of the configuration do not wait for the
 * end of a round. A round decides nothing about links that are taken up during the round
 * (hc_port.spared), so it marks none of them by mistake.
 *
 * No process sleeps during a round: hc_detect_step() advances it and sets the time of the next
 * call.
 *
 * A link that loses some frames is lossy, not silent. Therefore test frames, which are subject to
 * the link's impairments, are sent several times. Nor is a link silent because the machine is busy:
 * no node decides before all nodes have sent their test frames, and before it has processed the
 * frames that were in its queue at that time.
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
#include "notifier.h"
#include "route/detect.h"
#include "route/lsdb.h"

#define REPEAT		3	/* number of times that each test frame is sent */
#define WAIT_MIN	50	/* least wait for test frames unless the user sets it, ms */
#define WAIT_MAX	5000	/* longest wait for links to become idle, ms */

/* ------------------------------------------------------------ poll */

/* Allocate a frame without payload for the neighbour along @dim. Return: the frame or NULL. */
static struct sk_buff *frame_for(struct hc_node *node, unsigned int dim, u8 type)
{
	struct sk_buff *skb = hc_frame_alloc(node, type, 0, GFP_ATOMIC);

	if (skb)
		hc_hdr(skb)->dst = cpu_to_be16(hc_node_peer(node, dim));
	else
		hc_drop_count(node, NULL, HYPERCUBE_A_DROP_NO_MEMORY);
	return skb;
}

/* Send FAULT word @word with number @announced over link @dim. The frame also answers the last
 * FAULT word of the neighbour; if @announced is 0, it is only this answer. Return: false if there
 * is no memory; the poll then runs again after a while.
 */
static bool send_word(struct hc_node *node, unsigned int dim, u32 word, u16 announced)
{
	struct sk_buff *skb = frame_for(node, dim, HC_FRAME_FAULT);

	if (!skb) {
		hc_lsdb_retry(node, dim);
		return false;
	}
	*hc_wire_fault_of(skb) = (struct hc_wire_fault){
		.fault = cpu_to_be32(word),
		.announced = cpu_to_be16(announced),
		.acked = cpu_to_be16(node->detect->nb_announced[dim]),
	};
	hc_link_send(node, dim, skb);
	node->spent++;
	return true;
}

/* Return: true if the neighbour along @dim is on another machine. */
static bool is_remote(const struct hc_node *node, unsigned int dim)
{
	return node->ports[dim].end;
}

static void send_test(struct hc_node *node, unsigned int dim, u32 round, u32 flags)
{
	struct sk_buff *skb;

	/* Other machines may send requests at any rate, and the user may begin and cancel rounds at
	 * any rate: so test frames are dropped when too many frames wait for the link.
	 */
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
	WRITE_ONCE(nd->announced, nd->announced == U16_MAX ? 1 : nd->announced + 1);
}

/* Return: true if the neighbour along @dim has answered the last FAULT word that was sent to it. */
static bool is_received(const struct hc_node_detect *nd, unsigned int dim)
{
	/* Pairs with hc_detect_rx_fault(): the caller then also reads what the neighbour's answer
	 * has changed at this node.
	 */
	return smp_load_acquire(&nd->nb_acked[dim]) == READ_ONCE(nd->announced);
}

/* Send the node's own FAULT word or an answer over link @dim, if one of them is outstanding and
 * hc_own_room() allows it. A frame with the own FAULT word is an answer, too. Nothing is sent over
 * a closed link: when the link is opened again, both ends send a new FAULT word.
 */
static void link_flush(struct hc_node *node, unsigned int dim)
{
	struct hc_node_detect *nd = node->detect;
	unsigned long flags = READ_ONCE(node->ports[dim].flags);
	bool said;

	/* A FAULT word that names the link would be taken for a decision of DETECT. If the link is
	 * usable again, HC_EV_LINKS is on its way, which announces another one.
	 */
	if (flags & HC_PORT_UNUSABLE || node->fault & hc_bit(dim))
		nd->owes &= ~hc_bit(dim);
	if (flags & HC_PORT_CLOSED)
		nd->answers &= ~hc_bit(dim);
	if (!((nd->owes | nd->answers) & hc_bit(dim)) || !hc_own_room(node, dim))
		return;
	if (nd->owes & hc_bit(dim))
		said = send_word(node, dim, node->fault, nd->announced);
	else
		said = send_word(node, dim, node->nb_fault[dim], 0);
	if (!said)
		return;
	nd->owes &= ~hc_bit(dim);
	nd->answers &= ~hc_bit(dim);
}

void hc_detect_flush(struct hc_node *node)
{
	unsigned long dims = (node->detect->owes | node->detect->answers) &
			     ~READ_ONCE(node->own_wait);
	unsigned int d;

	for_each_set_bit(d, &dims, node->fabric->topo.ports)
		link_flush(node, d);
}

void hc_detect_announce(struct hc_node *node)
{
	node->detect->owes = hc_node_ports(node);
}

void hc_detect_links(struct hc_node *node)
{
	u32 round = READ_ONCE(node->detect->tell_round);

	hc_link_update(node);
	hc_detect_announce(node);
	hc_lsdb_links(node);
	/* Pairs with all_have(), whose caller then reads the new number of the FAULT word. */
	smp_store_release(&node->detect->tells, round);
}

/* Besides the answers of all usable neighbours this requires that all plans have handled the fault,
 * because a netlink request waits for both.
 */
bool hc_detect_is_acked(const struct hc_node *node)
{
	/* Pairs with hc_link_update(). */
	u32 word = smp_load_acquire(&node->fault);
	unsigned int d;

	if (word != hc_link_fault_word(node) || !hc_faults_over(node))
		return false;
	for (d = 0; d < node->fabric->topo.ports; d++)
		if (test_bit(HC_PORT_CUT, &node->ports[d].flags) ||
		    (hc_link_usable(node, d) && !is_received(node->detect, d)))
			return false;
	return true;
}

void hc_detect_test(struct hc_node *node)
{
	/* Pairs with test(): by now all nodes accept test frames of this round. */
	u32 round = smp_load_acquire(&node->detect->test_round);
	unsigned int i, d;

	for (i = 0; i < REPEAT; i++)
		for (d = 0; d < node->fabric->topo.ports; d++)
			if (!(READ_ONCE(node->ports[d].flags) & HC_PORT_CLOSED))
				send_test(node, d, round,
					  is_remote(node, d) ? HC_TEST_F_ASK : 0);
	/* Pairs with all_have(), whose caller then finds the frames in the neighbours' queues. */
	smp_store_release(&node->detect->tested, round);
}

/* Return: mask of the dimensions along which test frames of the current round were received. */
static u32 dims_received(const struct hc_node *node)
{
	/* Pairs with hc_detect_rx_test(): code that reads the round's number also reads .received
	 * of this round.
	 */
	return smp_load_acquire(&node->detect->received_round) == READ_ONCE(node->detect_round) ?
	       READ_ONCE(node->detect->received) : 0;
}

void hc_detect_rx_test(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	u32 round = be32_to_cpu(hc_wire_test_of(skb)->round);

	if (hc_wire_test_of(skb)->flags & cpu_to_be32(HC_TEST_F_ASK)) {
		node->detect->asked |= hc_bit(dim);
		send_test(node, dim, round, 0);
	} else if (round == READ_ONCE(node->detect_round)) {
		WRITE_ONCE(node->detect->received, dims_received(node) | hc_bit(dim));
		/* Pairs with dims_received(). */
		smp_store_release(&node->detect->received_round, round);
	}
	consume_skb(skb);
}

/* Return: true if the link was taken up during the current round. */
static bool is_spared(const struct hc_node *node, unsigned int dim)
{
	/* Pairs with link_spare() of fabric/link.c: code that has read that the link is up also
	 * reads the new .spared.
	 */
	smp_rmb();
	return READ_ONCE(node->ports[dim].spared) == READ_ONCE(node->detect_round);
}

/* Mark the link as silent if @silent, else clear the mark. If that changes the link's state,
 * recompute and send the FAULT word. @asked: another machine has started the round.
 */
static void mark(struct hc_node *node, unsigned int dim, bool silent, bool asked)
{
	unsigned long *flags = &node->ports[dim].flags;
	bool news = silent ? !test_and_set_bit(HC_PORT_DETECTED, flags) :
			     test_and_clear_bit(HC_PORT_DETECTED, flags);

	if (!silent)
		news |= hc_spent_found(node, dim, asked);
	if (news)
		hc_detect_links(node);
}

/* Act on FAULT word @word of the neighbour along @dim: see the top of this file. */
static void word_take(struct hc_node *node, unsigned int dim, u32 word)
{
	bool asked = node->detect->asked & hc_bit(dim);
	u32 ok = dims_received(node) | node->detect->asked;

	WRITE_ONCE(node->nb_fault[dim], word);
	node->detect->asked &= ~hc_bit(dim);
	if (word & hc_bit(dim)) {
		/* The neighbour has found the link silent. If this node has not decided yet, its
		 * decision must agree with that.
		 */
		WRITE_ONCE(node->detect->received, node->detect->received & ~hc_bit(dim));
		/* .spared has a number of this machine's rounds, and does not apply to the rounds
		 * of another machine.
		 */
		if (!is_spared(node, dim) || is_remote(node, dim))
			mark(node, dim, true, false);
	} else if (ok & hc_bit(dim)) {
		bool marked = test_bit(HC_PORT_DETECTED, &node->ports[dim].flags);

		mark(node, dim, false, asked);
		/* The neighbour may have marked its own end. It clears this mark only when it
		 * receives a FAULT word from this node.
		 */
		if (asked && !marked)
			node->detect->owes |= hc_bit(dim);
	}
}

void hc_detect_rx_fault(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	struct hc_wire_fault w = *hc_wire_fault_of(skb);
	u32 word = be32_to_cpu(w.fault);

	if (word & ~hc_ports_mask(&node->fabric->topo)) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_MALFORMED);
		return;
	}
	consume_skb(skb);
	if (w.acked)
		/* Pairs with is_received(). */
		smp_store_release(&node->detect->nb_acked[dim], be16_to_cpu(w.acked));
	if (w.acked && !w.announced)
		return;
	word_take(node, dim, word);
	hc_notify_fault_rx(node, dim);
	if (!w.announced)
		return;
	node->detect->nb_announced[dim] = be16_to_cpu(w.announced);
	node->detect->answers |= hc_bit(dim);
}

/* Send @decision in place of the node's own FAULT word over all links that are not closed. If too
 * many frames wait for a link, or there is no memory, the own FAULT word, which includes the marks,
 * becomes outstanding for this link instead.
 */
static void decision_send(struct hc_node *node, u32 decision)
{
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++) {
		if (READ_ONCE(node->ports[d].flags) & HC_PORT_CLOSED)
			continue;
		if (!hc_own_spare(node, d) ||
		    !send_word(node, d, decision, node->detect->announced))
			node->detect->owes |= hc_bit(d);
	}
}

/* Let the poll decide once it has processed all frames that are queued now, however long that
 * takes: test frames may be among them.
 */
void hc_detect_decide_soon(struct hc_node *node)
{
	node->detect->judging = true;
	node->detect->decide_at = node->rxq.taken + skb_queue_len_lockless(&node->rxq.list);
}

void hc_detect_decide(struct hc_node *node)
{
	u32 ok = dims_received(node);
	u32 decision = 0;
	unsigned int d;

	if ((s32)(node->rxq.taken - node->detect->decide_at) < 0)
		return;
	node->detect->judging = false;
	for (d = 0; d < node->fabric->topo.ports; d++) {
		unsigned long *flags = &node->ports[d].flags;

		if (READ_ONCE(*flags) & HC_PORT_CLOSED) {
			decision |= hc_bit(d);
		} else if (!(ok & hc_bit(d)) && !is_spared(node, d)) {
			decision |= hc_bit(d);
			set_bit(HC_PORT_DETECTED, flags);
		}
	}
	hc_link_update(node);
	decision_send(node, decision & hc_node_ports(node));
	/* Pairs with all_have(), whose caller then reads the marks. */
	smp_store_release(&node->detect->decided, READ_ONCE(node->detect_round));
}

/* ------------------------------------------------------------ config */

/* Return: true if the link is marked although test frames were received over it in this round: the
 * neighbour's decision, which is in flight, determines whether the mark stays. But over a link that
 * is spent the decision may never arrive, so the round does not wait for it.
 */
static bool undecided(const struct hc_node *node, unsigned int dim)
{
	unsigned long flags = READ_ONCE(node->ports[dim].flags);

	return flags & BIT(HC_PORT_DETECTED) && !(flags & (HC_PORT_CLOSED | HC_PORT_GAVE_UP)) &&
	       dims_received(node) & hc_bit(dim) && !is_spared(node, dim);
}

/* Return: true if the link leads to another machine, which has not returned a test frame yet. */
static bool unanswered(const struct hc_node *node, unsigned int dim)
{
	return is_remote(node, dim) && !(READ_ONCE(node->ports[dim].flags) & HC_PORT_CLOSED) &&
	       !(dims_received(node) & hc_bit(dim)) && !is_spared(node, dim);
}

/* Return: true if all frames that the node has sent in @phase were received. For test frames this
 * means that no frames are pending on any link of the node.
 */
static bool quiet(const struct hc_node *node, enum hc_detect_phase phase)
{
	unsigned int d;

	if (phase != HC_DETECT_TESTS && !hc_detect_is_acked(node))
		return false;
	for (d = 0; d < node->fabric->topo.ports; d++) {
		if (phase == HC_DETECT_TESTS && (hc_link_pending(node, d) || unanswered(node, d)))
			return false;
		if (phase == HC_DETECT_DECIDES && undecided(node, d))
			return false;
	}
	return true;
}

/* Return: true if the poll of each node has done its work for the present phase. */
static bool all_have(const struct hc_detect *d)
{
	const struct hc_node *node;

	hc_each_node(d->fabric, node) {
		const struct hc_node_detect *nd = node->detect;
		u32 round = node->detect_round;

		/* Pairs with hc_detect_test(). */
		if (d->phase == HC_DETECT_TESTS && smp_load_acquire(&nd->tested) != round)
			return false;
		/* Pairs with hc_detect_decide(). */
		if (d->phase == HC_DETECT_DECIDES && smp_load_acquire(&nd->decided) != round)
			return false;
		/* Pairs with hc_detect_links(). */
		if (d->phase == HC_DETECT_ANNOUNCES && smp_load_acquire(&nd->tells) != round)
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

/* Return: true if the present phase has ended: no frame of the phase is in flight any more. That is
 * so when two checks in a row find that each node has sent its own frames, and has an answer to its
 * FAULT word. (One check may miss a frame in flight from a node that it checks after the frame's
 * receiver. The next check finds this frame, unless the frame has caused another one that is missed
 * in the same manner.) Other traffic may keep links busy: after WAIT_MAX the phase ends anyway, but
 * not before the polls of all nodes have run, however overloaded the machine is. If the user has
 * set the time to wait for test frames, the phase does not wait for test frames that are in flight
 * after that time.
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

/* Enter all links that are DETECTED into @words, by the number of their lower end. */
static void detected_get(const struct hc_fabric *fabric, u32 *words)
{
	struct hc_node *node;
	unsigned int d;

	hc_each_node(fabric, node)
		for (d = 0; d < fabric->topo.ports; d++)
			if (test_bit(HC_PORT_DETECTED, &node->ports[d].flags))
				words[hc_lower_end(node, d)->id] |= hc_bit(d);
}

/* Begin the round: let all nodes send test frames. */
static void test(struct hc_detect *d)
{
	struct hc_fabric *fabric = d->fabric;
	unsigned long wait = msecs_to_jiffies(d->timeout ?: WAIT_MIN);
	struct hc_node *node;

	detected_get(fabric, d->before);
	fabric->detecting = d;
	fabric->detect_round++;
	hc_each_node(fabric, node)
		WRITE_ONCE(node->detect_round, fabric->detect_round);
	hc_each_node(fabric, node) {
		/* All nodes must have the new round number before any node sends test frames with
		 * it. A node may still handle the event of a cancelled round, so the poll takes the
		 * number from .test_round.
		 */
		smp_store_release(&node->detect->test_round, fabric->detect_round);
		kick(node, HC_EV_TEST);
	}
	phase_begin(d, HC_DETECT_TESTS);
	d->next = jiffies + wait;
	d->end += wait;
}

/* End the round: store the links that it has found silent. */
static void found(struct hc_detect *d)
{
	u32 u;

	detected_get(d->fabric, d->links);
	for (u = 0; u < d->fabric->topo.nodes; u++)
		d->links[u] &= ~d->before[u];
	d->fabric->detecting = NULL;
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
		if (!fabric->detecting)
			test(d);
		return -EAGAIN;
	case HC_DETECT_TESTS:
		kick_all(fabric, HC_EV_DECIDE);
		phase_begin(d, HC_DETECT_DECIDES);
		return -EAGAIN;
	case HC_DETECT_DECIDES:
		/* Let all nodes send their FAULT words, because decisions may differ from them: a
		 * decision does not name a spared link, which may still be marked.
		 */
		hc_each_node(fabric, node)
			WRITE_ONCE(node->detect->tell_round, fabric->detect_round);
		kick_all(fabric, HC_EV_LINKS);
		phase_begin(d, HC_DETECT_ANNOUNCES);
		return -EAGAIN;
	case HC_DETECT_ANNOUNCES:
		found(d);
	}
	return 0;
}

int hc_detect_init(struct hc_detect *d, struct hc_fabric *fabric, u32 timeout)
{
	d->fabric = fabric;
	d->timeout = timeout;
	d->phase = HC_DETECT_WAITS;
	d->before = kvcalloc(fabric->topo.nodes, sizeof(u32), GFP_KERNEL_ACCOUNT);
	d->links = kvcalloc(fabric->topo.nodes, sizeof(u32), GFP_KERNEL_ACCOUNT);
	return d->before && d->links ? 0 : -ENOMEM;
}

void hc_detect_free(struct hc_detect *d)
{
	if (d->fabric->detecting == d)
		d->fabric->detecting = NULL;
	kvfree(d->before);
	kvfree(d->links);
}
