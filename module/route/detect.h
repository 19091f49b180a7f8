/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HC_DETECT_H
#define _HC_DETECT_H

#include <linux/types.h>

struct hc_fabric;
struct hc_node;
struct sk_buff;

#define HC_DETECT_TIMEOUT_MAX	10000	/* ms */

/* Send FAULT word @word over all links with none of the flags @unless.  Poll. */
void hc_detect_tell(struct hc_node *node, u32 word, unsigned long unless);

/* Poll: HC_EV_TEST, HC_EV_JUDGE and the frames; these consume @skb. */
void hc_detect_test(struct hc_node *node);
void hc_detect_judge_soon(struct hc_node *node);
/* If the frames have been taken that were there to be heard. */
void hc_detect_judge(struct hc_node *node);
void hc_detect_rx_test(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
void hc_detect_rx_fault(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

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
/* Nothing is judged yet: it may be given up. */
static inline bool hc_detect_may_stop(const struct hc_detect *d)
{
	return d->phase <= HC_DETECT_TESTS;
}

void hc_detect_free(struct hc_detect *d);

#endif /* _HC_DETECT_H */
