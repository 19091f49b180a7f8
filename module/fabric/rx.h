/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HC_RX_H
#define _HC_RX_H

struct hc_frame_ops;
struct hc_node;
struct sk_buff;

/**
 * hc_rx_check() - check a frame that was received over a link
 * @node: the receiving node
 * @dim: dimension of the link
 * @skb: the frame, with hc_cb() set
 *
 * This checks everything that hc_frame_ops.rx relies on, except the walk of a routed frame.
 *
 * Context: poll
 * Return: the entry of the frame's type, or NULL if the frame was dropped and counted
 */
const struct hc_frame_ops *hc_rx_check(struct hc_node *node, unsigned int dim,
				       struct sk_buff *skb);

#endif /* _HC_RX_H */
