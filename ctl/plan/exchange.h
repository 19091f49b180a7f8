/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The shortest all-to-all broadcast in a hypercube without faults whose nodes all send on all their
 * links at once.
 *
 * Each node receives 2^n - 1 messages over n links, so the broadcast takes at least
 * ceil((2^n - 1) / n) steps. A schedule that is the same at every node, up to translation, takes
 * exactly as many. In a step each node u sends along dimension d the message of node
 * u ^ offset ^ 1 << d, which it has already; its neighbour u ^ 1 << d then has the message of the
 * node at @offset from itself.
 */
#ifndef _HC_PLAN_EXCHANGE_H
#define _HC_PLAN_EXCHANGE_H

#include <stdint.h>

#include "plan.h"

/**
 * struct hc_exchange_send - a message that each node receives over one link in a step
 * @offset: node u receives the message of node u ^ @offset
 * @dim: dimension of the link over which the message arrives
 */
struct hc_exchange_send {
	uint16_t offset;
	uint8_t dim;
};

/* Return: number of messages that each node receives. */
static inline uint32_t hc_exchange_sends(unsigned int dim)
{
	return hc_nodes(dim) - 1;
}

/* Return: number of steps of the schedule of hc_exchange(); no schedule takes fewer. */
static inline uint32_t hc_exchange_steps(unsigned int dim)
{
	return (hc_exchange_sends(dim) + dim - 1) / dim;
}

/* Fill in @send, memory for hc_exchange_sends(@dim) entries: the first @dim entries are those of
 * the first step, and so on. @dim: 1..HC_LIB_DIM_MAX.
 */
void hc_exchange(unsigned int dim, struct hc_exchange_send *send);

/* Return: true if each message arrives once, over a link that carries no other message in that
 * step, from a node that received it in an earlier step. @step: memory for each node; filled in
 * with the step, from 1, in which the node's message arrives.
 */
bool hc_exchange_check(unsigned int dim, const struct hc_exchange_send *send, uint16_t *step);

#endif /* _HC_PLAN_EXCHANGE_H */
