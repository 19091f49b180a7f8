/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The FAULT words of the nodes on other machines, as this machine knows them.
 */
#ifndef _HC_REMOTE_NODES_H
#define _HC_REMOTE_NODES_H

#include <linux/types.h>

struct hc_fabric;

/**
 * hc_remote_faults() - get the FAULT words of all nodes of a fabric that spans machines
 * @fabric: the fabric
 *
 * The FAULT word of a local node is its own, that of a remote node is the newest one that any local
 * node has received. A remote node to which no path of healthy links leads counts as failed: all
 * its links are faulty.
 *
 * Context: process; the caller holds hc_fabric.lock
 * Return: an array with the FAULT word of each node, which the caller frees by kvfree(), or NULL if
 *	there is no memory
 */
u32 *hc_remote_faults(const struct hc_fabric *fabric);

/**
 * hc_remote_lost() - tell whether a remote node is failed or unreachable
 * @fabric: the fabric
 * @words: FAULT words that hc_remote_faults() has returned
 * @u: node number
 *
 * Context: any
 * Return: true if @u is on another machine and all its links are faulty
 */
bool hc_remote_lost(const struct hc_fabric *fabric, const u32 *words, u32 u);

#endif /* _HC_REMOTE_NODES_H */
