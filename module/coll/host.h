/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The host port, as the poll sees it: host.c.
 */
#ifndef _HC_HOST_H
#define _HC_HOST_H

#include <linux/skbuff.h>

struct hc_node;

/**
 * struct hc_host - contributions of a node's sockets that no member has yet [poll]
 * @parked: those to @plan that wait for the ends of earlier ones
 * @plan: see there
 * @waiting: these wait, or others for room in members
 */
struct hc_host {
	struct sk_buff_head parked;
	u32 plan;
	bool waiting;
};

void hc_host_init(struct hc_host *h);
/* No poll runs any more: drop what is left. */
void hc_host_purge(struct hc_node *node);
/* Is there anything to retry? */
static inline bool hc_host_waits(const struct hc_host *h)
{
	return h->waiting;
}

/* Has a poll parked something?  Any context, a snapshot. */
static inline bool hc_host_parks(const struct hc_host *h)
{
	return !skb_queue_empty_lockless(&h->parked);
}

/* From the bound socket.  Consumes, or false: it concerns many plans, and there is more to do
 * than the poll has budget for; give it again.
 */
bool hc_coll_host_rx(struct hc_node *node, struct sk_buff *skb, int budget);
/* Take up to @budget of the contributions that wait and have room now.  Returns how
 * many; if others wait still, hc_host_waits() says so, and *plan_id is a plan of some.
 */
int hc_coll_host_retry(struct hc_node *node, int budget, u32 *plan_id);

#endif /* _HC_HOST_H */
