/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HC_DETECT_H
#define _HC_DETECT_H

#include <linux/types.h>
#include <linux/hypercube.h>

struct hc_detect;
struct hc_fabric;
struct hc_node;
struct hc_port;
struct sk_buff;

#define HC_DETECT_TIMEOUT_MAX	10000	/* ms */

/**
 * struct hc_node_detect - a node's part in rounds of DETECT
 * @heard: dimensions along which a test frame of the round came [poll]
 * @asked: dimensions along which another machine has tested the link, and has not said yet what it
 *	found [poll]
 * @heard_round: the round that @heard belongs to [poll]
 * @round: number of the round whose test frames count; config sets
 * @test_round: the round whose test frames are to be sent; config sets before HC_EV_TEST
 * @tested: the last round whose test frames were sent; the poll writes
 * @judged: the last round that was judged; the poll writes
 * @judge_at: see @judging [poll]
 * @judging: the round is judged once @judge_at frames of hc_node.rxq were taken [poll]
 * @tell_round: the round after which the FAULT word is to be told; config sets before
 *	HC_EV_LINKS
 * @tells: the last round after which it was told; the poll writes
 * @told: number of the own FAULT word, as it is told now, 0: it never was [poll]
 * @owes: dimensions along which the own FAULT word is to be told [poll]
 * @answers: dimensions along which the neighbour's is to be answered [poll]
 * @nb_told: numbers of the FAULT words the neighbours sent [poll]
 * @nb_heard: numbers of own words that the neighbours have answered last [poll]
 */
struct hc_node_detect {
	u32 heard;
	u32 asked;
	u32 heard_round;
	u32 round;
	u32 test_round;
	u32 tested;
	u32 judged;
	u32 judge_at;
	bool judging;
	u32 tell_round;
	u32 tells;
	u16 told;
	u32 owes;
	u32 answers;
	u16 nb_told[HYPERCUBE_DIM_MAX];
	u16 nb_heard[HYPERCUBE_DIM_MAX];
};

/**
 * struct hc_fabric_detect - rounds of DETECT of a fabric; under hc_fabric.lock
 * @round: number of the last one
 * @now: the one that is under way, or NULL
 */
struct hc_fabric_detect {
	u32 round;
	struct hc_detect *now;
};

/* The FAULT word was recomputed: neighbours that have heard it before have not heard it in this
 * form.  Poll.
 */
void hc_detect_word(struct hc_node_detect *nd);
/* The own FAULT word is to be told over all usable links.  Poll. */
void hc_detect_tell(struct hc_node *node);
/* Is it, or are words to be answered?  Tell what is, where there is room.  Poll. */
static inline bool hc_detect_owes(const struct hc_node_detect *nd)
{
	return nd->owes | nd->answers;
}

void hc_detect_flush(struct hc_node *node);
/* Has the neighbour along @dim answered the last word that it was told? */
bool hc_detect_is_heard(const struct hc_node_detect *nd, unsigned int dim);

/* Poll: HC_EV_TEST, HC_EV_JUDGE and the frames; these consume @skb. */
void hc_detect_test(struct hc_node *node);
void hc_detect_judge_soon(struct hc_node *node);
static inline bool hc_detect_is_judging(const struct hc_node_detect *d)
{
	return d->judging;
}

/* Judge if the frames that were there to be heard have been taken. */
void hc_detect_judge(struct hc_node *node);
void hc_detect_rx_test(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
void hc_detect_rx_fault(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/* A link is about to be taken up: a round that is under way says nothing about it, for it has
 * missed frames that were not sent.  Config.
 */
void hc_detect_spare(const struct hc_fabric *fabric, struct hc_port *port);

enum hc_detect_phase {
	HC_DETECT_WAITS,	/* another round is under way */
	HC_DETECT_TESTS,	/* test frames are */
	HC_DETECT_JUDGES,	/* verdicts are */
	HC_DETECT_TELLS,	/* FAULT words are */
};

/**
 * struct hc_detect - a round of DETECT; under hc_fabric.lock
 * @fabric: the fabric
 * @timeout: ms to wait for test frames, at least; 0: until all have arrived
 * @phase: how far it is
 * @looks: how often nothing was seen to move, in a row
 * @next: when to go on, jiffies
 * @end: when to go on even if frames still move, jiffies; not before all nodes have
 *	sent theirs, and judged
 * @before: a FAULT word for each node: links that were known to be silent, at their lower
 *	ends
 * @links: the same, when it is over: links newly found silent
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

/* 0 or -ENOMEM; in both cases it has to be freed. */
int hc_detect_init(struct hc_detect *d, struct hc_fabric *fabric, u32 timeout);
/* Do what is due.  0: the round is over; -EAGAIN: go on at @d->next. */
int hc_detect_step(struct hc_detect *d);
/* Nothing is judged yet, so the round may be given up. */
static inline bool hc_detect_may_stop(const struct hc_detect *d)
{
	return d->phase <= HC_DETECT_TESTS;
}

void hc_detect_free(struct hc_detect *d);

#endif /* _HC_DETECT_H */
