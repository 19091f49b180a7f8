/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HC_NETNS_MOVE_H
#define _HC_NETNS_MOVE_H

#include <linux/types.h>

struct hc_fabric;
struct net;

/**
 * hc_netns_fabric_get() - find a fabric from the namespace to which one of its net_devices was
 *	moved
 * @net: namespace of the net_device
 * @name: name of the fabric
 * @id: number of the net_device's node
 *
 * Context: process
 * Return: the fabric with its reference count increased by 1, or NULL
 */
struct hc_fabric *hc_netns_fabric_get(struct net *net, const char *name, u32 id);

/**
 * hc_netns_leave() - move net_devices of foreign fabrics out of a namespace that ends
 * @net: the namespace
 *
 * Context: namespace exit
 */
void hc_netns_leave(struct net *net);

#endif /* _HC_NETNS_MOVE_H */
