/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nodes that lie: lie.c.
 */
#ifndef _HC_LIE_H
#define _HC_LIE_H

#include <linux/types.h>
#include <linux/hypercube.h>

struct hc_node;
struct sk_buff;

/**
 * struct hc_lies - when a node lies about what it relays
 * @ppm: so many of the frames, by chance
 * @seed: of the random numbers that decide on that, and on the bit
 * @n: how many frames there are in @at
 * @at: numbers of the frames, counted from 1 since this was set; ascending
 */
struct hc_lies {
	u32 ppm;
	u32 seed;
	u32 n;
	u32 at[HYPERCUBE_LIES_MAX];
};

/* Give a node the memory for lies.  0 or -ENOMEM.  Config. */
int hc_lie_prepare(struct hc_node *node);
/* Set when it lies, prepared before, and count its frames anew; @reseed: begin the random numbers
 * anew, too.  Config.
 */
void hc_lie_set(struct hc_node *node, const struct hc_lies *set, bool reseed);
/* It lies no more.  Config. */
void hc_lie_clear(struct hc_node *node);
/* Any context; all 0 where nobody ever lied.  Return: how many lies it has told. */
u64 hc_lie_get(const struct hc_node *node, struct hc_lies *set);
/* Does it lie now and then? */
bool hc_lie_lies(const struct hc_node *node);
/* The node is about to relay a frame.  Returns the frame to send: @skb, or if it lies about the
 * payload, which begins at @head, another one; then @skb was consumed.  Poll.
 */
struct sk_buff *hc_lie(struct hc_node *node, struct sk_buff *skb, unsigned int head);
void hc_lie_free(struct hc_node *node);

#endif /* _HC_LIE_H */
