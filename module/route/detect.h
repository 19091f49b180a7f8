/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HC_DETECT_H
#define _HC_DETECT_H

#include <linux/types.h>
#include <linux/hypercube.h>

#include "hc_topo.h"

struct hc_detect;
struct hc_fabric;
struct hc_node;
struct hc_port;
struct sk_buff;

#define HC_DETECT_TIMEOUT_MAX	10000	/* ms */

/**
 * struct hc_node_detect - a node's state for rounds of DETECT
 * @received: dimensions along which a test frame of round @received_round was received [poll]
 * @asked: dimensions along which another machine has tested the link without having sent its
 *	decision yet [poll]
 * @received_round: the round that @received belongs to [poll]
 * @test_round: the round whose test frames the poll is to send; config sets it before HC_EV_TEST
 * @tested: the last round whose test frames were sent; the poll writes it
 * @decided: the last round in which the node has decided; the poll writes it
 * @decide_at: value of hc_node.rxq.taken at which the node decides, if @judging [poll]
 * @judging: the node is to decide once @decide_at is reached [poll]
 * @tell_round: the round after which the FAULT word is to be sent; config sets it before
 *	HC_EV_LINKS
 * @tells: the last round after which the FAULT word was queued for sending; the poll writes it
 * @announced: number of the node's present FAULT word, 0: it has never changed [poll]
 * @owes: dimensions along which the node's FAULT word is still to be sent [poll]
 * @answers: dimensions along which the neighbour's FAULT word is still to be answered [poll]
 * @nb_announced: for each dimension, number of the last FAULT word that the neighbour has sent
 *	[poll]
 * @nb_acked: for each dimension, number of the node's last FAULT word that the neighbour has
 *	answered [poll]
 */
struct hc_node_detect {
	u32 received;
	u32 asked;
	u32 received_round;
	u32 test_round;
	u32 tested;
	u32 decided;
	u32 decide_at;
	bool judging;
	u32 tell_round;
	u32 tells;
	u16 announced;
	u32 owes;
	u32 answers;
	u16 nb_announced[HC_PORTS_MAX];
	u16 nb_acked[HC_PORTS_MAX];
};

/**
 * hc_detect_word() - give the FAULT word a new number after it was recomputed
 * @nd: the node's state
 *
 * Answers of neighbours to the earlier number no longer count.
 *
 * Context: poll
 */
void hc_detect_word(struct hc_node_detect *nd);

/**
 * hc_detect_announce() - queue the node's own FAULT word for sending over all links
 * @node: the node
 *
 * Context: poll
 */
void hc_detect_announce(struct hc_node *node);

/**
 * hc_detect_owes() - find the dimensions along which FAULT words or answers are to be sent
 * @nd: the node's state
 *
 * Context: poll
 * Return: mask of the dimensions
 */
static inline u32 hc_detect_owes(const struct hc_node_detect *nd)
{
	return nd->owes | nd->answers;
}

/**
 * hc_detect_flush() - send outstanding FAULT words and answers over the links whose limits allow it
 * @node: the node
 *
 * Context: poll
 */
void hc_detect_flush(struct hc_node *node);

/**
 * hc_detect_links() - handle HC_EV_LINKS: recompute the FAULT word, and send it over all usable
 *	links
 * @node: the node
 *
 * Context: poll
 */
void hc_detect_links(struct hc_node *node);

/**
 * hc_detect_is_acked() - tell whether a change of the node's links has taken effect
 * @node: the node
 *
 * Context: any; a snapshot
 * Return: true if the node's FAULT word is up to date, its plans have handled it and its neighbours
 *	have answered it
 */
bool hc_detect_is_acked(const struct hc_node *node);

/**
 * hc_detect_test() - handle HC_EV_TEST: send test frames over all links that are not closed
 * @node: the node
 *
 * Context: poll
 */
void hc_detect_test(struct hc_node *node);

/**
 * hc_detect_decide_soon() - handle HC_EV_DECIDE: decide once all queued frames have been processed
 * @node: the node
 *
 * Context: poll
 */
void hc_detect_decide_soon(struct hc_node *node);

/**
 * hc_detect_is_judging() - tell whether the node has a decision to make
 * @d: the node's state
 *
 * Context: poll
 * Return: true if so
 */
static inline bool hc_detect_is_judging(const struct hc_node_detect *d)
{
	return d->judging;
}

/**
 * hc_detect_decide() - decide which links are silent, if all frames that were queued at
 *	hc_detect_decide_soon() have been processed
 * @node: the node
 *
 * Context: poll
 */
void hc_detect_decide(struct hc_node *node);

/**
 * hc_detect_rx_test() - process a test frame; consumes it
 * @node: the receiving node
 * @dim: dimension of the link over which the frame was received
 * @skb: the frame
 *
 * Context: poll
 */
void hc_detect_rx_test(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_detect_rx_fault() - process a frame with a FAULT word or an answer of a neighbour; consumes it
 * @node: the receiving node
 * @dim: dimension of the link over which the frame was received
 * @skb: the frame
 *
 * Context: poll
 */
void hc_detect_rx_fault(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

enum hc_detect_phase {
	HC_DETECT_WAITS,	/* the round waits for the end of an earlier round */
	HC_DETECT_TESTS,	/* test frames are under way */
	HC_DETECT_DECIDES,	/* the nodes' decisions are under way */
	HC_DETECT_ANNOUNCES,	/* FAULT words are under way */
};

/**
 * struct hc_detect - a round of DETECT; under hc_fabric.lock
 * @fabric: the fabric
 * @timeout: least time to wait for test frames, ms; 0: until all of them were received
 * @phase: the present phase
 * @looks: number of checks in a row that have found no frame of the phase under way
 * @next: when to call hc_detect_step() again, jiffies
 * @end: when the phase ends even if frames are still under way, jiffies; but it does not end before
 *	the polls of all nodes have done their work for the phase
 * @before: for each node a mask of dimensions: links that were DETECTED before the round. A link is
 *	listed at its lower end, or at the other end if the lower one is remote
 * @links: for each node a mask of dimensions: links that the round has found silent, listed as in
 *	@before; set at the end of the round
 */
struct hc_detect {
	struct hc_fabric *fabric;
	u32 timeout;
	enum hc_detect_phase phase;
	unsigned int looks;
	unsigned long next;
	unsigned long end;
	u32 *before;
	u32 *links;
};

/**
 * hc_detect_init() - prepare a round of DETECT
 * @d: the round; the caller calls hc_detect_free() even after an error
 * @fabric: the fabric
 * @timeout: see struct hc_detect
 *
 * Return: 0 or -ENOMEM
 */
int hc_detect_init(struct hc_detect *d, struct hc_fabric *fabric, u32 timeout);

/**
 * hc_detect_step() - advance a round to its next phase if the present one has ended
 * @d: the round
 *
 * Context: process, under hc_fabric.lock
 * Return: 0 if the round has ended, or -EAGAIN: call again at @d->next
 */
int hc_detect_step(struct hc_detect *d);

/**
 * hc_detect_may_stop() - tell whether a round may be cancelled
 * @d: the round
 *
 * Return: true if the nodes have not been requested to decide yet
 */
static inline bool hc_detect_may_stop(const struct hc_detect *d)
{
	return d->phase <= HC_DETECT_TESTS;
}

/**
 * hc_detect_free() - free a round, and cancel it if it is under way
 * @d: the round
 *
 * Context: process, under hc_fabric.lock
 */
void hc_detect_free(struct hc_detect *d);

#endif /* _HC_DETECT_H */
