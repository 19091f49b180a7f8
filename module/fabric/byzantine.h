/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Byzantine nodes: see byzantine.c.
 */
#ifndef _HC_BYZANTINE_H
#define _HC_BYZANTINE_H

#include <linux/types.h>
#include <linux/hypercube.h>

struct hc_node;
struct sk_buff;

/**
 * struct hc_byzantine_conf - which frames a node corrupts when it relays them
 * @ppm: share of the frames that are corrupted at random, in parts per million
 * @seed: seed of the random numbers that select the frames and the bits
 * @n: number of entries of @at
 * @at: numbers of the relayed frames that are corrupted, ascending; the first frame that the node
 *	relays under these settings has number 1
 */
struct hc_byzantine_conf {
	u32 ppm;
	u32 seed;
	u32 n;
	u32 at[HYPERCUBE_BYZANTINE_AT_MAX];
};

/**
 * hc_byzantine_prepare() - allocate the state that a Byzantine node needs
 * @node: the node
 *
 * Context: config
 * Return: 0 or -ENOMEM
 */
int hc_byzantine_prepare(struct hc_node *node);

/**
 * hc_byzantine_set() - set which relayed frames a node corrupts, and restart its counters, after
 *	hc_byzantine_prepare()
 * @node: the node
 * @set: which frames are corrupted
 * @reseed: restart the random numbers
 *
 * Context: config
 */
void hc_byzantine_set(struct hc_node *node, const struct hc_byzantine_conf *set, bool reseed);

/**
 * hc_byzantine_clear() - let a node relay all frames unchanged
 * @node: the node
 *
 * Context: config
 */
void hc_byzantine_clear(struct hc_node *node);

/**
 * hc_byzantine_get() - read which relayed frames a node corrupts
 * @node: the node
 * @set: filled in, all 0 if the node was never set to corrupt frames
 *
 * Context: any
 * Return: the number of frames that the node has corrupted
 */
u64 hc_byzantine_get(const struct hc_node *node, struct hc_byzantine_conf *set);

/**
 * hc_byzantine_corrupts() - tell whether a node may corrupt frames
 * @node: the node
 *
 * Context: any
 * Return: true if so
 */
bool hc_byzantine_corrupts(const struct hc_node *node);

/**
 * hc_byzantine_relay() - corrupt a frame that a node is about to relay, if the node's settings
 *	select it
 * @node: the node
 * @skb: the frame
 * @head: offset of the payload
 *
 * Context: poll
 * Return: the frame to send: @skb, or a corrupted copy; if it is a copy, @skb was consumed
 */
struct sk_buff *hc_byzantine_relay(struct hc_node *node, struct sk_buff *skb, unsigned int head);

/**
 * hc_byzantine_free() - free what hc_byzantine_prepare() has allocated
 * @node: the node
 *
 * Context: process, after the last poll
 */
void hc_byzantine_free(struct hc_node *node);

#endif /* _HC_BYZANTINE_H */
