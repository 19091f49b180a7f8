/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HC_GUEST_H
#define _HC_GUEST_H

#include <linux/types.h>

struct hc_fabric;
struct net;

/* The fabric named @name whose endpoint @id lives in @net, with refcounter
 * increased by 1, or NULL: for those who were given an endpoint, not the fabric.
 */
struct hc_fabric *hc_guest_fabric_get(struct net *net, const char *name, u32 id);
/* The namespace ends: endpoints of fabrics of others leave it. */
void hc_guests_leave(struct net *net);

#endif /* _HC_GUEST_H */
