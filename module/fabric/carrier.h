/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Carriers: what brings frames from one end of a link to the other one, and what the two ends
 * say about the link.  Nobody else knows where the other end is: all that a node learns of its
 * neighbour comes in frames, or by hc_link_heard().
 */
#ifndef _HC_CARRIER_H
#define _HC_CARRIER_H

#include <linux/bits.h>
#include <linux/types.h>

struct hc_node;
struct hc_port;
struct sk_buff;

/**
 * struct hc_link_said - what configuration has said at one end of a link, for the other one
 * @down: the link is taken down; the last word of either end holds for both
 * @failed: the node of this end has failed
 * @spent: the link gave up frames from this end (spent.h)
 * @anew: forget what DETECT has found about the link
 * @cuts: how often this end has cut the link, see hc_link_cut()
 * @flap_down: ms for which the link is down in each @flap_period; as with @down
 * @flap_period: 0: it does not flap
 */
struct hc_link_said {
	bool down;
	bool failed;
	bool spent;
	bool anew;
	u16 cuts;
	u32 flap_down;
	u32 flap_period;
};

/* What .state() returns. */
#define HC_CARRIER_BUSY	BIT(0)	/* the other end has not taken all that was sent; a snapshot */

/**
 * struct hc_carrier_ops - what carries frames over a link
 * @name: for people
 * @open: find the other end; all nodes of the fabric that are here have been made, and no frame
 *	is sent before.  May sleep.  0 or -errno
 * @close: the other end is gone; no poll of the fabric runs any more, nor timers of its links
 * @xmit: take over @skb and bring it to the other end, or lose it; called with the header
 *	complete in the sending node's poll, or for an impaired link by its timer, never in
 *	both at once (impair.c).  Frames arrive in order
 * @state: say @said, unless it is NULL, to the other end, which takes it by hc_link_heard();
 *	then the caller holds hc_fabric.lock.  Returns HC_CARRIER_*; in any context without @said
 * @mtu: bytes of the longest frame it takes, from the header on
 */
struct hc_carrier_ops {
	const char *name;
	int (*open)(struct hc_node *node, unsigned int dim);
	void (*close)(struct hc_node *node, unsigned int dim);
	void (*xmit)(struct hc_node *node, struct hc_port *port, struct sk_buff *skb);
	u32 (*state)(const struct hc_node *node, unsigned int dim,
		     const struct hc_link_said *said);
	u32 (*mtu)(const struct hc_node *node, unsigned int dim);
};

/* Both ends are nodes of one machine (carrier_mem.c). */
extern const struct hc_carrier_ops hc_carrier_mem;
/* The other end is a node of another machine (carrier_trunk.c). */
extern const struct hc_carrier_ops hc_carrier_trunk;

#endif /* _HC_CARRIER_H */
