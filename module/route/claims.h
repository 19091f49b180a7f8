/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Detects that another machine has nodes with the same numbers as this machine's: see claims.c.
 */
#ifndef _HC_CLAIMS_H
#define _HC_CLAIMS_H

#include <linux/atomic.h>
#include <linux/types.h>

struct hc_node;

/**
 * struct hc_claims - record of versions of a node's FAULT word that the node has received but never
 *	sent; [poll] except @brought
 * @brought: high half: the newest version that the node has sent or that a trunk has brought; low
 *	half: number of the trunk that has first brought this version, or 0 if the node has sent it;
 *	written by the polls of all nodes of this machine
 * @newest: the newest version of the FAULT word that any node is known to have
 * @n: number of successive claims (versions that the node has received but never sent). The node
 *	had corrected the previous claim before it received the next one, within CLAIMS_TIME
 * @by: number of the trunk that has brought the last claim, 0: unknown
 * @at: when the last claim was received, jiffies
 */
struct hc_claims {
	atomic64_t brought;
	u32 newest;
	u32 n;
	u32 by;
	unsigned long at;
};

/**
 * hc_claims_brought() - record which trunk has first brought a version of a local node's FAULT word
 * @node: the node that has received the version
 * @dim: dimension of the link over which it was received
 * @u: number of the local node whose FAULT word it is
 * @version: the version
 *
 * Context: poll of @node
 */
void hc_claims_brought(struct hc_node *node, unsigned int dim, u32 u, u32 version);

/**
 * hc_claims_notified() - record a version of its own FAULT word that the node sends now
 * @node: the node
 * @version: the version
 *
 * Context: poll of @node
 */
void hc_claims_notified(struct hc_node *node, u32 version);

/**
 * hc_claims_add() - count a received version of the node's own FAULT word that it has never sent
 * @node: the node
 * @dim: dimension of the link over which the version was received
 * @version: the version
 *
 * Context: poll of @node
 * Return: true if the node is to send a newer version at once; false if it is to wait first
 */
bool hc_claims_add(struct hc_node *node, unsigned int dim, u32 version);

#endif /* _HC_CLAIMS_H */
