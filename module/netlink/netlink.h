/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HC_NETLINK_H
#define _HC_NETLINK_H

/**
 * hc_netlink_init() - register the generic netlink family, after which fabrics can be created
 *
 * Context: the module's init, last
 * Return: 0 or -errno
 */
int hc_netlink_init(void);

/**
 * hc_netlink_exit() - unregister the family, and wait for running requests and events
 *
 * Context: the module's exit, first
 */
void hc_netlink_exit(void);

#endif /* _HC_NETLINK_H */
