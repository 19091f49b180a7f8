/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Impaired links: impair.c.
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
 * @loss: ppm that are lost
 * @corrupt: ppm of which one bit is flipped
 * @duplicate: ppm that are sent twice
 * @seed: of the random numbers that decide on that
 * @delay: ns that each frame takes
 * @jitter: ns that this may differ by in both directions; at most @delay
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

/* A link gives up a frame, and is spent, after so many attempts. */
#define HC_ATTEMPTS_MAX	64

/**
 * struct hc_fate - what becomes of a frame that a link has to deliver
 * @corrupted: attempts in vain that arrive corrupted, by bit; the others get lost
 * @vain: attempts in vain, before the one that is good
 * @duplicate: that one arrives twice
 */
struct hc_fate {
	u64 corrupted;
	u32 vain;
	bool duplicate;
};

/**
 * struct hc_impair_stats - what has happened to them, and what is under way
 * @replays: attempts in vain of frames that the link has to deliver
 * @corrupted: frames of which a bit was flipped
 * @duplicated: second copies
 * @delayed: frames that had to wait
 * @queued: frames that wait now
 * @queued_bytes: their bytes
 */
struct hc_impair_stats {
	u64 replays;
	u64 corrupted;
	u64 duplicated;
	u64 delayed;
	u32 queued;
	u32 queued_bytes;
};

/* Give a direction the memory that impairments need.  0 or -ENOMEM.  Config. */
int hc_impair_prepare(struct hc_node *node, unsigned int dim);
/* Set them, prepared before; @reseed: begin the random numbers anew.  Config. */
void hc_impair_set(struct hc_port *port, const struct hc_impairments *set, bool reseed);
/* No more impairments; frames that wait still arrive.  Config. */
void hc_impair_clear(struct hc_port *port);
/* Any context; all 0 where there never were any.  @stats may be NULL. */
void hc_impair_get(const struct hc_port *port, struct hc_impairments *set,
		   struct hc_impair_stats *stats);
/* Is there any impairment?  Config. */
bool hc_impair_impairs(const struct hc_port *port);
/* Do frames wait?  A snapshot. */
bool hc_impair_pending(const struct hc_port *port);
/* May frames get lost that the link does not have to deliver? */
bool hc_impair_loses(const struct hc_port *port);
/* Put a checksum into the frame if it may be corrupted.  True: it has one. */
bool hc_impair_seal(const struct hc_impair *imp, struct sk_buff *skb);
/* A sealed frame came, its header in one piece: is it as it was sent? */
bool hc_impair_is_whole(const struct sk_buff *skb);
/* May a frame that the link has to deliver have a number?  0, then *@fate is its own, or the reason
 * to drop it: the link is spent now.  Poll.
 */
unsigned int hc_impair_admit(struct hc_impair *imp, struct hc_fate *fate);
/* Send such a frame, or any other (@fate: NULL), impaired; consumes.  Poll. */
void hc_impair_xmit(struct hc_impair *imp, struct sk_buff *skb, const struct hc_fate *fate);
/* All polls are disabled: stop the timer. */
void hc_impair_stop(struct hc_port *port);
/* And no timer runs: drop what waits, and free the memory. */
void hc_impair_free(struct hc_port *port);

#endif /* _HC_IMPAIR_H */
