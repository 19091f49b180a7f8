/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The host port, as the poll sees it: host.c.
 */
#ifndef _HC_HOST_H
#define _HC_HOST_H

#include <linux/types.h>

struct hc_node;
struct sk_buff;

/* From the bound socket.  Consumes, or false: it concerns many plans, and there is more to do
 * than the poll has budget for; give it again.
 */
bool hc_coll_host_rx(struct hc_node *node, struct sk_buff *skb, int budget);
/* Take up to @budget of the contributions that wait and have room now.  Returns how
 * many; if others wait still, hc_node.waiting is set, and *plan_id is a plan of some.
 */
int hc_coll_host_retry(struct hc_node *node, int budget, u32 *plan_id);

#endif /* _HC_HOST_H */
