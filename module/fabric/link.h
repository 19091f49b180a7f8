/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links: their ends, and configuration. What connects the ends is a transport (transport.h).
 */
#ifndef _HC_LINK_H
#define _HC_LINK_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/types.h>

#include "fabric/own.h"
#include "fabric/skb.h"

struct hc_transport_ops;
struct hc_fabric;
struct hc_impair;
struct hc_link_said;
struct hc_node;
struct hc_trunk_end;
struct netlink_ext_ack;
struct sk_buff;

/* hc_port.flags */
enum {
	HC_PORT_DOWN,		/* configuration has taken the link down; config writes */
	HC_PORT_FAILED,		/* the node at one of the ends has failed; config writes */
	HC_PORT_DETECTED,	/* DETECT has found the link silent; poll writes */
	HC_PORT_SPENT,		/* this end has given up or missed a frame (spent.h) */
	HC_PORT_SPENT_THERE,	/* the other end has sent that its SPENT is set; config sets */
	HC_PORT_SPENT_NEWS,	/* SPENT has changed: spent.c is to notify the other end */
	HC_PORT_ABSENT,		/* the node has no such port; constant */
	HC_PORT_NO_CARRIER,	/* no transport leads to the other end; config writes */
	HC_PORT_CUT,		/* the link was unusable, perhaps for a moment only; poll clears */
	HC_PORT_DIED,		/* the neighbour has failed, perhaps for a moment; poll clears */
	HC_PORT_REBORN,		/* the neighbour has rebooted; set before DIED is; poll clears */
};

#define HC_PORT_UNUSABLE \
	(BIT(HC_PORT_DOWN) | BIT(HC_PORT_FAILED) | BIT(HC_PORT_DETECTED) |	\
	 BIT(HC_PORT_NO_CARRIER) | BIT(HC_PORT_ABSENT) | HC_PORT_GAVE_UP)
#define HC_PORT_GAVE_UP	(BIT(HC_PORT_SPENT) | BIT(HC_PORT_SPENT_THERE))
/* States in which a port drops DETECT's own frames, too. */
#define HC_PORT_CLOSED \
	(BIT(HC_PORT_DOWN) | BIT(HC_PORT_FAILED) | BIT(HC_PORT_NO_CARRIER) | BIT(HC_PORT_ABSENT))

/**
 * struct hc_port - one end of a link
 * @flags: HC_PORT_*; atomic bit operations
 * @to: number of the node at the other end, or of this node if it has no such port; constant
 * @ops: the transport; NULL: not connected yet
 * @peer: node at the other end, if it is on this machine; only the in-memory transport uses it
 * @end: trunk state of the link, if the other end is on another machine; only trunks use it
 * @via: hc_trunk.nr of the trunk that carries the link, 0: none; config writes
 * @life: boot id of the machine at the other end, or 0: not known; config writes
 * @impaired: impairments of the frames that this end sends, or NULL: there are none. Config sets it
 *	(release); impair_settle() clears it, under hc_impair.lock, when no impairment is left
 * @impair: memory to which @impaired points, or NULL: not allocated yet; config writes, freed with
 *	the node
 * @flap_down: ms for which the link is down in each @flap_period; config writes
 * @flap_period: ms, 0: the link does not flap; config writes
 * @there_failed: the other end has sent that its node has failed; under hc_fabric.lock
 * @cuts: how often this end has cut the link: see hc_link_cut()
 * @cuts_there: value of @cuts in the last notification from the other end; config writes
 * @spared: round of DETECT that decides nothing about the link, since the link was not up for the
 *	whole round; config writes
 * @spent_in: the last round of DETECT that had begun when the link was given up: that round decides
 *	nothing about the link. Written in the context that sets HC_PORT_SPENT or
 *	HC_PORT_SPENT_THERE
 * @failed_epoch: hc_fabric.epoch when the node last found the link unusable [poll]
 * @latency: latency in the time model, ns; config writes
 * @bandwidth: bandwidth in the time model, bytes/s, 0: infinite; config writes
 * @owed: memory of link states that the node has sent over the link
 * @words: memory of the node's control messages whose first link this is
 * @tx_seq: sequence number of the last frame sent [poll]
 * @rx_seq: sequence number of the last frame received [poll]
 * @rx_stream: identifies the trunk over which that frame was received: a frame over another trunk
 *	may have any sequence number [poll]
 * @tx_frames: frames handed to the transport [poll], under the node's syncp
 * @tx_bytes: bytes of these frames, headers included [poll], under the node's syncp
 * @rx_frames: frames received [poll], under the node's syncp
 * @rx_bytes: bytes of the received frames [poll], under the node's syncp
 * @drops: by reason: dropped frames; atomic: the poll and the timer of impairments count
 */
struct hc_port {
	unsigned long flags;
	u32 to;
	const struct hc_transport_ops *ops;
	struct hc_node *peer;
	struct hc_trunk_end *end;
	u32 via;
	u32 life;
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
	atomic64_t drops[HC_DROP_MAX];
};

/* Return the errno for a frame that could not be sent and was dropped for the reason @why. */
static inline int hc_link_errno(unsigned int why)
{
	return why == HYPERCUBE_A_DROP_NO_MEMORY || why == HYPERCUBE_A_DROP_QUEUE_FULL ? -ENOBUFS :
											 -ENOLINK;
}

/* Return hc_port.life of a link that the caller has found usable. Context: poll */
static inline u32 hc_link_life(const struct hc_port *port)
{
	/* Pairs with hc_trunk_end_lives(). */
	smp_rmb();
	return READ_ONCE(port->life);
}

/**
 * hc_link_xmit() - send a frame to a neighbour; consumes it
 * @node: sending node
 * @dim: dimension of the link
 * @skb: the frame; .src, .dst, .seq, .time and the walk are set here
 *
 * Context: poll
 * Return: 0; -ENOLINK if the link is down; -ENOBUFS if there is no memory, or if too many of the
 * node's own frames are under way. On error the frame was dropped and counted
 */
int hc_link_xmit(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_link_send() - send a frame to a neighbour as hc_link_xmit() does, but without checking the
 *	link and without writing .src, .dst and the walk: the caller has done so
 * @node: sending node
 * @dim: dimension of the link
 * @skb: the frame
 *
 * Context: poll
 * Return: as hc_link_xmit()
 */
int hc_link_send(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_link_take() - send a frame as hc_link_send(), but leave a frame that cannot be sent to the
 *	caller
 * @node: sending node
 * @dim: dimension of the link
 * @skb: the frame
 *
 * Context: poll
 * Return: 0, or the reason to drop the frame. If 0, and the frame is of a type with HC_FT_SURE, the
 * frame is delivered in order, or the link goes down
 */
unsigned int hc_link_take(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_link_usable() - tell whether a link can carry frames of operations
 * @node: the node
 * @dim: dimension of the link
 *
 * Context: any; a snapshot
 * Return: true if so
 */
bool hc_link_usable(const struct hc_node *node, unsigned int dim);

/**
 * hc_link_cut() - record that this end takes the link down, so that operations that use the link
 *	fail at both ends, however soon the link is up again
 * @port: the port
 *
 * Context: poll or config
 */
void hc_link_cut(struct hc_port *port);

/**
 * hc_link_pending() - tell whether frames that were sent over a link may still be under way
 * @node: the node
 * @dim: dimension of the link
 *
 * Context: any; a snapshot
 * Return: true if so
 */
bool hc_link_pending(const struct hc_node *node, unsigned int dim);

/**
 * hc_link_open() - connect this end of a link to its transport
 * @node: the node
 * @dim: dimension of the link
 *
 * Context: process, before the fabric is published
 * Return: 0; -EMSGSIZE if the transport cannot carry a full frame; or another -errno
 */
int hc_link_open(struct hc_node *node, unsigned int dim);

/**
 * hc_link_close() - disconnect this end of a link, if it was connected
 * @node: the node
 * @dim: dimension of the link
 *
 * Context: process, after all polls and timers of links have ended
 */
void hc_link_close(struct hc_node *node, unsigned int dim);

/**
 * hc_link_update() - recompute the node's FAULT word and notify the other parts of the module
 *	(fault_word of struct hc_notifier)
 * @node: the node
 *
 * Context: poll
 */
void hc_link_update(struct hc_node *node);

/**
 * hc_link_fault_word() - compute the FAULT word from the present state of the ports
 * @node: the node
 *
 * Context: any; a snapshot
 * Return: the FAULT word; hc_node.fault may still have an older value
 */
u32 hc_link_fault_word(const struct hc_node *node);

/**
 * hc_link_check_faults() - compare FAULT words with the present ones of the nodes on this machine
 * @fabric: the fabric
 * @fault: FAULT words of all nodes
 * @extack: set to a sentence on error, or NULL
 *
 * Context: config, under hc_fabric.lock
 * Return: 0, or -ESTALE if they differ
 */
int hc_link_check_faults(const struct hc_fabric *fabric, const u32 *fault,
			 struct netlink_ext_ack *extack);

/**
 * hc_link_set_down() - take a link up or down by configuration, at both ends
 * @node: one end
 * @dim: dimension of the link
 * @down: true: take the link down; false: take it up, and forget what DETECT has found about it
 *
 * Context: config, under hc_fabric.lock
 */
void hc_link_set_down(struct hc_node *node, unsigned int dim, bool down);

/**
 * hc_link_flip() - take a link down or up as hc_link_set_down() does, but do not forget what DETECT
 *	has found about it
 * @node: one end
 * @dim: dimension of the link
 * @down: true: take the link down; false: take it up
 *
 * Context: config, under hc_fabric.lock
 */
void hc_link_flip(struct hc_node *node, unsigned int dim, bool down);

/**
 * hc_link_set_flap() - record at both ends that the link flaps
 * @node: one end
 * @dim: dimension of the link
 * @down: ms for which the link is down in each period
 * @period: ms, 0: the link does not flap
 *
 * Context: config, under hc_fabric.lock
 */
void hc_link_set_flap(struct hc_node *node, unsigned int dim, u32 down, u32 period);

/**
 * hc_link_set_spent() - notify the other end that HC_PORT_SPENT of this end may have changed
 * @node: this end
 * @dim: dimension of the link
 *
 * Context: config, under hc_fabric.lock
 */
void hc_link_set_spent(struct hc_node *node, unsigned int dim);

/**
 * hc_link_received() - apply to this end the configuration that the other end has sent
 * @node: this end
 * @dim: dimension of the link
 * @said: the configuration of the other end
 *
 * Context: config, under hc_fabric.lock; called by transports
 * Return: true if the state or the schedule has changed, so that the caller has to notify listeners
 */
bool hc_link_received(struct hc_node *node, unsigned int dim, const struct hc_link_said *said);

/**
 * hc_link_set_carrier() - record whether a trunk leads to the other end; if so, forget what DETECT
 *	has found about the link
 * @node: this end
 * @dim: dimension of the link
 * @on: a trunk leads to the other end
 *
 * Context: config, under hc_fabric.lock; called by the trunk transport
 */
void hc_link_set_carrier(struct hc_node *node, unsigned int dim, bool on);

/**
 * hc_link_set_failed() - take a node out of service, or put it back
 * @node: the node
 * @failed: true: take the node out of service; false: put it back
 *
 * Context: config, under hc_fabric.lock
 */
void hc_link_set_failed(struct hc_node *node, bool failed);

/**
 * hc_link_is_clear() - tell whether all settings of an end of a link have their defaults
 * @port: the end; it is not checked whether the node at either end has failed
 *
 * Context: config, under hc_fabric.lock
 * Return: true if so
 */
bool hc_link_is_clear(const struct hc_port *port);

/**
 * hc_link_clear() - put all nodes and links back into service, and end all impairments, corruption
 *	by Byzantine nodes and flap schedules
 * @fabric: the fabric
 *
 * Context: config, under hc_fabric.lock
 */
void hc_link_clear(struct hc_fabric *fabric);

/**
 * hc_link_count_unusable() - count links that are unusable at one end or both
 * @fabric: the fabric
 *
 * Context: process; a snapshot
 * Return: the number of such links
 */
u32 hc_link_count_unusable(const struct hc_fabric *fabric);

/**
 * hc_link_bandwidth() - read the bandwidth of a link: that of the time model or the impairment's
 *	rate, whichever is lower
 * @port: sending end
 *
 * Context: any
 * Return: bytes per second, 0: without limit
 */
u64 hc_link_bandwidth(const struct hc_port *port);

#endif /* _HC_LINK_H */
