/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The monitor interface of a fabric: monitor.c.
 */
#ifndef _HC_MONITOR_H
#define _HC_MONITOR_H

#include <linux/compiler.h>

#include "fabric/fabric.h"
#include "fabric/node.h"

struct sk_buff;

int hc_monitor_create(struct hc_fabric *fabric);
/* No poll of the fabric runs any more. */
void hc_monitor_destroy(struct hc_fabric *fabric);
void hc_monitor_show(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb,
		     bool replayed);
/* A frame is about to leave over link @dim, its header complete; @replayed: it arrives after
 * attempts in vain.  Poll.
 */
static inline void hc_monitor_tap(const struct hc_node *node, unsigned int dim,
				  const struct sk_buff *skb, bool replayed)
{
	/* Pairs with monitor_open(). */
	if (unlikely(smp_load_acquire(&node->fabric->monitored)))
		hc_monitor_show(node, dim, skb, replayed);
}

#endif /* _HC_MONITOR_H */
