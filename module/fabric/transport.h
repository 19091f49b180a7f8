/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Transports: what brings frames from one end of a link to the other, and the configuration of one
 * end to the other. No other code knows where the other end is: all that a node learns of its
 * neighbour comes in frames, or by hc_link_received().
 */
#ifndef _HC_TRANSPORT_H
#define _HC_TRANSPORT_H

#include <linux/bits.h>
#include <linux/types.h>

struct hc_node;
struct hc_port;
struct sk_buff;

/**
 * struct hc_link_said - what configuration has set at one end of a link, sent to the other end
 * @down: the link is taken down; the latest setting of either end holds for both
 * @failed: the node of this end has failed
 * @spent: this end has given up the link (spent.h)
 * @forget: forget what DETECT has found about the link
 * @cuts: how often this end has cut the link, see hc_link_cut()
 * @flap_down: ms for which the link is down in each @flap_period; holds for both ends, as @down
 * @flap_period: ms, 0: it does not flap
 */
struct hc_link_said {
	bool down;
	bool failed;
	bool spent;
	bool forget;
	u16 cuts;
	u32 flap_down;
	u32 flap_period;
};

/* Flags that .state() returns. */
#define HC_TRANSPORT_BUSY	BIT(0)	/* the other end has not taken all that was sent */

/**
 * struct hc_transport_ops - a transport
 * @name: for tracing and messages
 * @open: find the other end; all local nodes of the fabric exist, and no frame was sent yet. May
 *	sleep. Return: 0 or -errno
 * @close: forget the other end; no poll of the fabric and no timer of its links runs any more
 * @xmit: take over @skb and bring it to the other end, or lose it. Called with the header complete
 *	in the sending node's poll, or for an impaired link by its timer, never in both at once
 *	(impair.c). Frames arrive in order
 * @state: with @said: send it to the other end, which takes it by hc_link_received(); the caller
 *	holds hc_fabric.lock. With NULL: query, in any context. Return: HC_TRANSPORT_*
 * @mtu: bytes of the longest frame that the transport takes, from the header on
 */
struct hc_transport_ops {
	const char *name;
	int (*open)(struct hc_node *node, unsigned int dim);
	void (*close)(struct hc_node *node, unsigned int dim);
	void (*xmit)(struct hc_node *node, struct hc_port *port, struct sk_buff *skb);
	u32 (*state)(const struct hc_node *node, unsigned int dim,
		     const struct hc_link_said *said);
	u32 (*mtu)(const struct hc_node *node, unsigned int dim);
};

/* Both ends are nodes of one machine (transport_mem.c). */
extern const struct hc_transport_ops hc_transport_mem;
/* The node has no such port (transport_none.c). */
extern const struct hc_transport_ops hc_transport_none;
/* The other end is a node of another machine; trunk/transport.c sets it at init. */
extern const struct hc_transport_ops *hc_transport_trunk;

#endif /* _HC_TRANSPORT_H */
