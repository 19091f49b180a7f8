/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Another machine may have nodes of these numbers, too: see claims.c.
 */
#ifndef _HC_CLAIMS_H
#define _HC_CLAIMS_H

#include <linux/atomic.h>
#include <linux/types.h>

struct hc_node;

/**
 * struct hc_claims - versions of a node's FAULT word that the node has not told; [poll] but for
 *	@brought
 * @brought: the newest version that the node has told, or a trunk has brought here, << 32 | the
 *	first trunk that has brought it, 0: none; the polls of all nodes that are here write it
 * @newest: the newest version that others have
 * @n: how many versions were newer than all that the node had told, the last one not long ago
 * @by: the trunk that has brought that one, 0: it is not known
 * @at: when the last one came, jiffies
 */
struct hc_claims {
	atomic64_t brought;
	u32 newest;
	u32 n;
	u32 by;
	unsigned long at;
};

/* Node @u of this machine has version @version, as was said over link @dim of @node.  Poll of
 * @node.
 */
void hc_claims_brought(struct hc_node *node, unsigned int dim, u32 u, u32 version);
/* The node tells this version itself.  Poll, as what follows. */
void hc_claims_told(struct hc_node *node, u32 version);
/* A version that the node has not told came over link @dim.  Return: true if a newer one is to be
 * told at once, false if that has to wait.
 */
bool hc_claims_add(struct hc_node *node, unsigned int dim, u32 version);

#endif /* _HC_CLAIMS_H */
