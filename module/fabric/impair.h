/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Impaired links: see impair.c.
 */
#ifndef _HC_IMPAIR_H
#define _HC_IMPAIR_H

#include <linux/types.h>

struct hc_impair;
struct hc_node;
struct hc_port;
struct sk_buff;

/**
 * struct hc_impairments - what happens to the frames of one direction of a link
 * @loss: share of the frames that are lost, ppm
 * @corrupt: share of the frames of which one bit is flipped, ppm
 * @duplicate: share of the frames that are sent twice, ppm
 * @seed: seed of the random numbers that select these frames
 * @delay: mean time by which a frame is delayed, ns
 * @jitter: most ns by which the delay of a frame is shorter or longer than @delay; at most @delay
 * @rate: bytes/s, 0: without limit
 */
struct hc_impairments {
	u32 loss;
	u32 corrupt;
	u32 duplicate;
	u32 seed;
	u64 delay;
	u64 jitter;
	u64 rate;
};

/* After this number of failed attempts to send a frame the link gives the frame up and is spent. */
#define HC_ATTEMPTS_MAX	64

/**
 * struct hc_fate - outcomes of the attempts to send a frame that a link has to deliver
 * @corrupted: mask of failed attempts: bit i is set if attempt i arrives corrupted, and clear if it
 *	is lost
 * @vain: number of failed attempts before the one that succeeds
 * @duplicate: the frame arrives twice by the attempt that succeeds
 */
struct hc_fate {
	u64 corrupted;
	u32 vain;
	bool duplicate;
};

/**
 * struct hc_impair_stats - effects of the impairments of one direction
 * @replays: failed attempts to send frames that the link has to deliver
 * @corrupted: frames of which a bit was flipped
 * @duplicated: frames of which a second copy was made
 * @delayed: frames that had to wait before they were sent
 * @queued: frames that wait now
 * @queued_bytes: bytes of the frames that wait now
 */
struct hc_impair_stats {
	u64 replays;
	u64 corrupted;
	u64 duplicated;
	u64 delayed;
	u32 queued;
	u32 queued_bytes;
};

/**
 * hc_impair_prepare() - allocate the state of the impairments of one direction
 * @node: sending node
 * @dim: dimension of the link
 *
 * Context: config
 * Return: 0 or -ENOMEM
 */
int hc_impair_prepare(struct hc_node *node, unsigned int dim);

/**
 * hc_impair_set() - set impairments of one direction, after hc_impair_prepare()
 * @port: sending end
 * @set: the impairments
 * @reseed: restart the random numbers
 *
 * Context: config
 */
void hc_impair_set(struct hc_port *port, const struct hc_impairments *set, bool reseed);

/**
 * hc_impair_clear() - end impairments of one direction; frames that wait still arrive
 * @port: sending end
 *
 * Context: config
 */
void hc_impair_clear(struct hc_port *port);

/**
 * hc_impair_get() - read impairments and counters of one direction
 * @port: sending end
 * @set: filled in, all 0 if the direction was never impaired
 * @stats: filled in, or NULL
 *
 * Context: any
 */
void hc_impair_get(const struct hc_port *port, struct hc_impairments *set,
		   struct hc_impair_stats *stats);

/**
 * hc_impair_impairs() - tell whether one direction has any impairment
 * @port: sending end
 *
 * Context: config
 * Return: true if so
 */
bool hc_impair_impairs(const struct hc_port *port);

/**
 * hc_impair_pending() - tell whether frames wait in an impaired direction
 * @port: sending end
 *
 * Context: any; a snapshot
 * Return: true if so
 */
bool hc_impair_pending(const struct hc_port *port);

/**
 * hc_impair_loses() - tell whether loss or corruption may drop frames without a sequence number
 * @port: sending end
 *
 * Context: any
 * Return: true if so
 */
bool hc_impair_loses(const struct hc_port *port);

/**
 * hc_impair_checksum() - write a checksum into a frame, if the link may corrupt frames
 * @imp: impairments of the direction
 * @skb: the frame
 *
 * Context: poll
 * Return: true if the frame has a checksum now
 */
bool hc_impair_checksum(const struct hc_impair *imp, struct sk_buff *skb);

/**
 * hc_impair_is_whole() - verify the checksum of a frame that has one (hc_cb.sealed)
 * @skb: the frame, its header linear
 *
 * Context: poll
 * Return: true if the frame is intact
 */
bool hc_impair_is_whole(const struct sk_buff *skb);

/**
 * hc_impair_admit() - draw how many attempts the link needs to deliver a frame, and how they fail
 * @imp: impairments of the direction
 * @fate: filled in
 *
 * Context: poll
 * Return: 0, or the reason to drop the frame if all attempts have failed; the link is then spent
 */
unsigned int hc_impair_admit(struct hc_impair *imp, struct hc_fate *fate);

/**
 * hc_impair_xmit() - send a frame over an impaired direction; consumes it
 * @imp: impairments of the direction
 * @skb: the frame
 * @fate: from hc_impair_admit(), or NULL for a frame without a sequence number
 *
 * Context: poll
 */
void hc_impair_xmit(struct hc_impair *imp, struct sk_buff *skb, const struct hc_fate *fate);

/**
 * hc_impair_stop() - stop the timer of an impaired direction
 * @port: sending end
 *
 * Context: process, after all polls are disabled
 */
void hc_impair_stop(struct hc_port *port);

/**
 * hc_impair_free() - drop frames that wait and free the impairments
 * @port: sending end
 *
 * Context: process, after hc_impair_stop() of all ports
 */
void hc_impair_free(struct hc_port *port);

#endif /* _HC_IMPAIR_H */
