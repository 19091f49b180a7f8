/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links that are spent: see spent.c.
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
 * @nodes: bitmap by node number; atomic
 * @work: notifies the other ends of these links, and listeners
 */
struct hc_spents {
	DECLARE_BITMAP(nodes, 1U << HYPERCUBE_DIM_MAX);
	struct work_struct work;
};

/**
 * hc_spent_set() - take a link down because this end has given up a frame, or missed one
 * @node: the node
 * @dim: dimension of the link
 *
 * Context: poll
 */
void hc_spent_set(struct hc_node *node, unsigned int dim);

/**
 * hc_spent_found() - take a spent link up after a round of DETECT has found both directions good,
 *	unless the link was spent in that same round
 * @node: the node
 * @dim: dimension of the link
 * @asked: another machine has started the round
 *
 * Context: poll
 * Return: true if the link was spent and is no longer
 */
bool hc_spent_found(struct hc_node *node, unsigned int dim, bool asked);

/**
 * hc_spent_clear() - forget that a link is spent, at both ends
 * @node: one end
 * @dim: dimension of the link
 *
 * Context: poll, or config under hc_fabric.lock
 * Return: true if the link was spent
 */
bool hc_spent_clear(struct hc_node *node, unsigned int dim);

/**
 * hc_spent_clear_here() - forget that this end has given up a link, and notify the other end
 * @node: the node
 * @dim: dimension of the link
 *
 * Context: poll, or config under hc_fabric.lock
 * Return: true if this end had given it up
 */
bool hc_spent_clear_here(struct hc_node *node, unsigned int dim);

/**
 * hc_spent_received() - record whether the other end has given up a link
 * @node: the node
 * @dim: dimension of the link
 * @spent: the other end has given it up
 *
 * Context: config, under hc_fabric.lock
 * Return: true if the record has changed
 */
bool hc_spent_received(struct hc_node *node, unsigned int dim, bool spent);

/**
 * hc_spents_init() - prepare the work item that notifies the other ends of links
 * @fabric: the fabric
 *
 * Context: config
 */
void hc_spents_init(struct hc_fabric *fabric);

/**
 * hc_spents_exit() - end the work item that notifies the other ends of links
 * @fabric: the fabric
 *
 * Context: process, after all polls are disabled
 */
void hc_spents_exit(struct hc_fabric *fabric);

#endif /* _HC_SPENT_H */
