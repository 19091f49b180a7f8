/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The monitor interface of a fabric: see monitor.c.
 */
#ifndef _HC_MONITOR_H
#define _HC_MONITOR_H

#include <linux/compiler.h>

#include "fabric/fabric.h"
#include "fabric/node.h"

struct sk_buff;

/**
 * hc_monitor_create() - create the monitor interface of a fabric
 * @fabric: the fabric
 *
 * Context: process, without locks; takes rtnl
 * Return: 0 or -errno
 */
int hc_monitor_create(struct hc_fabric *fabric);

/**
 * hc_monitor_destroy() - remove the monitor interface
 * @fabric: the fabric
 *
 * Context: process, after the last poll
 */
void hc_monitor_destroy(struct hc_fabric *fabric);

/**
 * hc_monitor_show() - show a frame at the monitor interface, which exists
 * @node: sending node
 * @dim: dimension of the link
 * @skb: the frame
 * @replayed: attempts to send the frame over the link have failed before this one
 *
 * Context: poll
 */
void hc_monitor_show(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb,
		     bool replayed);

/**
 * hc_monitor_tap() - show a frame at the monitor interface, if that is up
 * @node: sending node
 * @dim: dimension of the link over which the frame is about to be sent
 * @skb: the frame, its header complete
 * @replayed: as for hc_monitor_show()
 *
 * Context: poll
 */
static inline void hc_monitor_tap(const struct hc_node *node, unsigned int dim,
				  const struct sk_buff *skb, bool replayed)
{
	/* Pairs with monitor_open(). */
	if (unlikely(smp_load_acquire(&node->fabric->monitored)))
		hc_monitor_show(node, dim, skb, replayed);
}

#endif /* _HC_MONITOR_H */
