/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links: their ends, and configuration.  What is between them is a carrier (carrier.h).
 */
#ifndef _HC_LINK_H
#define _HC_LINK_H

#include <linux/bits.h>
#include <linux/types.h>

#include "fabric/own.h"
#include "fabric/skb.h"

struct hc_carrier_ops;
struct hc_fabric;
struct hc_impair;
struct hc_link_said;
struct hc_node;
struct hc_trunk_end;
struct sk_buff;

/* hc_port.flags */
enum {
	HC_PORT_DOWN,		/* taken down, both ends; config writes */
	HC_PORT_FAILED,		/* the node at one of the ends failed; config writes */
	HC_PORT_DETECTED,	/* DETECT found it silent; poll writes */
	HC_PORT_SPENT,		/* this end gave up a frame, or missed one (spent.h) */
	HC_PORT_SPENT_THERE,	/* the other end did, as it said; config sets it */
	HC_PORT_SPENT_NEWS,	/* SPENT has changed, and nobody has been told; spent.c */
	HC_PORT_NO_CARRIER,	/* nothing leads to the other end; config writes */
	HC_PORT_CUT,		/* it was unusable, perhaps for a moment; poll clears */
	HC_PORT_DIED,		/* the node there has failed, perhaps for a moment; the same */
	HC_PORT_REBORN,		/* and is another one now; set before DIED, the same */
};

#define HC_PORT_UNUSABLE \
	(BIT(HC_PORT_DOWN) | BIT(HC_PORT_FAILED) | BIT(HC_PORT_DETECTED) |	\
	 BIT(HC_PORT_NO_CARRIER) | HC_PORT_GAVE_UP)
#define HC_PORT_GAVE_UP	(BIT(HC_PORT_SPENT) | BIT(HC_PORT_SPENT_THERE))
/* States in which a port keeps DETECT's own frames away, too. */
#define HC_PORT_CLOSED	(BIT(HC_PORT_DOWN) | BIT(HC_PORT_FAILED) | BIT(HC_PORT_NO_CARRIER))

/**
 * struct hc_port - one end of a link
 * @flags: HC_PORT_*; atomic bit operations
 * @ops: how frames leave; NULL: nothing is there yet
 * @peer: node at the other end, if that is on this machine; only the in-memory carrier uses it
 * @end: the link's state if that is on another one; only the trunk carrier uses it
 * @impaired: what happens to frames sent from here, or NULL: nothing.  Config sets it (release);
 *	code that finds that nothing is left to happen clears it, under the lock in it
 * @impair: the same, once allocated; config writes, freed with the node
 * @flap_down: ms for which the link is down in each @flap_period; config writes
 * @flap_period: 0: it does not flap; config writes
 * @there_failed: the node at the other end has failed, as it said; under hc_fabric.lock
 * @cuts: how often this end has cut the link: see hc_link_cut()
 * @cuts_there: the same of the other end, as far as it was heard; config writes
 * @spared: round of DETECT that says nothing about the link, since the link was not up all the
 *	time; config writes
 * @spent_in: the last round of DETECT that had begun when the link gave up, which says nothing of
 *	it; written by whoever sets HC_PORT_SPENT or HC_PORT_SPENT_THERE
 * @failed_epoch: hc_fabric.epoch when the node last found the link unusable [poll]
 * @latency: of the time model, ns; config writes
 * @bandwidth: of the time model, bytes/s, 0: infinite; config writes
 * @owed: memory of what the node has sent over it of links
 * @words: and of its control messages that went over it first
 * @tx_seq: number of the last frame sent [poll]
 * @rx_seq: number of the last frame received [poll]
 * @rx_stream: of the trunk that it came by: with another one numbers begin anew [poll]
 * @tx_frames: frames handed to the carrier [poll], node's syncp
 * @tx_bytes: their bytes, headers included [poll]
 * @rx_frames: frames received [poll]
 * @rx_bytes: their bytes [poll]
 * @drops: by reason [poll]
 */
struct hc_port {
	unsigned long flags;
	const struct hc_carrier_ops *ops;
	struct hc_node *peer;
	struct hc_trunk_end *end;
	struct hc_impair *impaired;
	struct hc_impair *impair;
	u32 flap_down;
	u32 flap_period;
	bool there_failed;
	atomic_t cuts;
	u16 cuts_there;
	u32 spared;
	u32 spent_in;
	u32 failed_epoch;
	u64 latency;
	u64 bandwidth;
	struct hc_own owed;
	struct hc_own words;
	u32 tx_seq;
	u32 rx_seq;
	u8 rx_stream;
	u64 tx_frames;
	u64 tx_bytes;
	u64 rx_frames;
	u64 rx_bytes;
	u64 drops[HC_DROP_MAX];
};

/* What those return who drop a frame that they should send, by the reason. */
static inline int hc_link_errno(unsigned int why)
{
	return why == HYPERCUBE_A_DROP_NO_MEMORY || why == HYPERCUBE_A_DROP_QUEUE_FULL ? -ENOBUFS :
											 -ENOLINK;
}

/* Send over link @dim; makes the frame one from neighbour to neighbour (.src,
 * .dst, no walk), fills in seq, adds the link's cost to .time and consumes @skb.
 * Poll.  Return: 0, -ENOLINK if the link is down, or -ENOBUFS if there is no memory or no room
 * (dropped, counted).
 */
int hc_link_xmit(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
/* The same for code that has looked at the link itself. */
int hc_link_send(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
/* The same.  Return: 0, or the reason to drop @skb, which is not consumed then.  What a link has
 * taken of a type with HC_FT_SURE it delivers, in order, or it is down.
 */
unsigned int hc_link_take(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
bool hc_link_usable(const struct hc_node *node, unsigned int dim);
/* Something here takes the link down, and what is under way is lost: both ends say so to what uses
 * it, however soon the link is up again.  Poll, or config.
 */
void hc_link_cut(struct hc_port *port);
/* Is anything that was sent still under way?  A snapshot. */
bool hc_link_pending(const struct hc_node *node, unsigned int dim);
/* Join this end to the other one.  0 or -errno. */
int hc_link_open(struct hc_node *node, unsigned int dim);
/* If it was. */
void hc_link_close(struct hc_node *node, unsigned int dim);
/* Recompute the own FAULT word and tell operations of new faults.  Poll. */
void hc_link_update(struct hc_node *node);
/* HC_EV_LINKS */
void hc_link_event(struct hc_node *node);
/* Configuration, under hc_fabric.lock; the nodes concerned soon learn of it. */
/* Does the node know the state of its links, and do its plans and its neighbours? */
bool hc_link_told(const struct hc_node *node);
/* Both ends of the link; up forgets DETECTED. */
void hc_link_set_down(struct hc_node *node, unsigned int dim, bool down);
/* The same, but what DETECT found stays. */
void hc_link_flip(struct hc_node *node, unsigned int dim, bool down);
/* Note at both ends that the link is down for @down ms in each @period. */
void hc_link_set_flap(struct hc_node *node, unsigned int dim, u32 down, u32 period);
/* HC_PORT_SPENT of this end may have changed: tell the other one. */
void hc_link_set_spent(struct hc_node *node, unsigned int dim);
/* For carriers: what was said at the other end has come.  True: the link's state or schedule is
 * another one now, of which nobody has been notified.
 */
bool hc_link_heard(struct hc_node *node, unsigned int dim, const struct hc_link_said *said);
/* For the trunk carrier: something leads to the other end, or no longer; and what DETECT has found
 * of the link is forgotten.
 */
void hc_link_set_carrier(struct hc_node *node, unsigned int dim, bool on);
/* Take a node out of service or back. */
void hc_link_set_failed(struct hc_node *node, bool failed);
/* Is this end as it was made? What only follows from a failed node does not count. */
bool hc_link_is_clear(const struct hc_port *port);
/* All links up, all nodes in service, no impairments. */
void hc_link_clear(struct hc_fabric *fabric);
u32 hc_link_count_unusable(const struct hc_fabric *fabric);

/* Bytes per second that a model's clock sees, 0: without limit. */
u64 hc_link_bandwidth(const struct hc_port *port);

#endif /* _HC_LINK_H */
