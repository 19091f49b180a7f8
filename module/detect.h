/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HC_DETECT_H
#define _HC_DETECT_H

#include "hypercube.h"

#define HC_DETECT_TIMEOUT_MAX	10000	/* ms */

/* Send FAULT word @word over all links with none of the flags @unless.  Poll. */
void hc_detect_tell(struct hc_node *node, u32 word, unsigned long unless);

/* Poll: HC_EV_TEST, HC_EV_JUDGE and the frames; these consume @skb. */
void hc_detect_test(struct hc_node *node);
void hc_detect_judge(struct hc_node *node);
void hc_detect_rx_test(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
void hc_detect_rx_fault(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_detect_run() - one round of DETECT
 * @fabric: the fabric; its lock is held
 * @timeout: ms to wait for test frames, 0: until all have arrived
 *
 * Return: an array with a FAULT word for each node, in which the bits of links
 * newly found silent are set at their lower ends (the caller frees it with
 * kvfree()), or an ERR_PTR: -EINTR, -ENOMEM.
 */
u32 *hc_detect_run(struct hc_fabric *fabric, u32 timeout);

#endif /* _HC_DETECT_H */
