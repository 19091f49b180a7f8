/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What this machine knows of the nodes that live elsewhere.
 */
#ifndef _HC_AWAY_H
#define _HC_AWAY_H

#include <linux/types.h>

struct hc_fabric;

/* Returns the FAULT words of all nodes of a fabric that is not whole, for kvfree(), or NULL: of
 * those that are here what they say themselves, of the others what those that are here have heard;
 * a node that no healthy links lead to counts as failed.  hc_fabric.lock is held.
 */
u32 *hc_away_words(const struct hc_fabric *fabric);
/* Is it a node that is elsewhere, and nothing leads there? */
bool hc_away_lost(const struct hc_fabric *fabric, const u32 *words, u32 u);

#endif /* _HC_AWAY_H */
