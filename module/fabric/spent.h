/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links that are spent: spent.c.
 */
#ifndef _HC_SPENT_H
#define _HC_SPENT_H

#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/hypercube.h>

struct hc_fabric;
struct hc_node;
struct hc_port;

/**
 * struct hc_spents - nodes of a fabric with links whose HC_PORT_SPENT has changed
 * @nodes: by number; atomic
 * @work: tells the other ends, and listeners
 */
struct hc_spents {
	DECLARE_BITMAP(nodes, 1U << HYPERCUBE_DIM_MAX);
	struct work_struct work;
};

/* This end of the link gave up a frame, or missed one.  Poll. */
void hc_spent_set(struct hc_node *node, unsigned int dim);
/* DETECT has heard the other end, and this end has been heard there.  Return: the link was spent,
 * and is no longer.  Poll.
 */
bool hc_spent_found(struct hc_node *node, unsigned int dim, bool asked);
/* The same by configuration. */
bool hc_spent_clear(struct hc_node *node, unsigned int dim);
/* The same of what this end has said alone. */
bool hc_spent_clear_here(struct hc_node *node, unsigned int dim);
/* Is the link spent by the other end, as it says?  Return: that has changed.  Config. */
bool hc_spent_heard(struct hc_node *node, unsigned int dim, bool spent);
void hc_spents_init(struct hc_fabric *fabric);
/* All polls are disabled. */
void hc_spents_exit(struct hc_fabric *fabric);

#endif /* _HC_SPENT_H */
