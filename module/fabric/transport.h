/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Transports. A transport brings frames, and the configuration that one end of a link sends, to the
 * other end. No other code knows where the other end is: a node learns about its neighbour only
 * from frames, and from hc_link_received().
 */
#ifndef _HC_TRANSPORT_H
#define _HC_TRANSPORT_H

#include <linux/bits.h>
#include <linux/types.h>

struct hc_node;
struct hc_port;
struct sk_buff;

/**
 * struct hc_link_said - configuration of one end of a link, as it is sent to the other end
 * @down: configuration has taken the link down; the latest setting at either end holds for both
 * @failed: the node of this end has failed
 * @spent: this end has given up the link (spent.h)
 * @forget: the other end is to forget what DETECT has found about the link
 * @cuts: how often this end has cut the link, modulo 2^16, see hc_link_cut()
 * @flap_down: ms for which the link is down in each @flap_period; the latest setting at either end
 *	holds for both
 * @flap_period: ms, 0: the link does not flap
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
#define HC_TRANSPORT_BUSY	BIT(0)	/* the other end may not have taken all frames yet */

/**
 * struct hc_transport_ops - a transport
 * @name: name of the transport, for tracing and messages
 * @open: connect this end. All local nodes of the fabric exist, and no frame was sent yet. May
 *	sleep. Return: 0 or -errno
 * @close: disconnect this end. No poll of the fabric and no timer of its links runs any more
 * @xmit: bring @skb, whose header is complete, to the other end, or lose it. Consumes @skb. Called
 *	in the sending node's poll, or for an impaired link by its timer, never in both at once
 *	(impair.c). Frames must arrive in order
 * @state: if @said is not NULL: send it to the other end, where hc_link_received() applies it; the
 *	caller holds hc_fabric.lock. If it is NULL: only query, in any context. Return:
 *	HC_TRANSPORT_*
 * @mtu: return the bytes of the longest frame that the transport can carry, headers included
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
/* The other end is a node of another machine; trunk/trunk.c sets this pointer at init. */
extern const struct hc_transport_ops *hc_transport_trunk;

#endif /* _HC_TRANSPORT_H */
