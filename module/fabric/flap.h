/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links that go down and up by a schedule: flap.c.
 */
#ifndef _HC_FLAP_H
#define _HC_FLAP_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct hc_fabric;
struct hc_node;

/**
 * struct hc_flaps - the links of a fabric that flap; under hc_fabric.lock
 * @list: the links, as struct hc_flap
 * @work: takes these links down and up
 */
struct hc_flaps {
	struct list_head list;
	struct delayed_work work;
};

/**
 * hc_flap_set() - set or end the flap schedule of a link
 * @node: one end of the link
 * @dim: dimension of the link
 * @down: ms for which the link is down in each period
 * @period: ms, or 0: end the schedule, with the link up
 *
 * Context: config, under hc_fabric.lock
 * Return: 0 or -ENOMEM
 */
int hc_flap_set(struct hc_node *node, unsigned int dim, u32 down, u32 period);

/**
 * hc_flap_clear() - end all flap schedules; each link stays up or down as it is
 * @fabric: the fabric
 *
 * Context: config, under hc_fabric.lock
 */
void hc_flap_clear(struct hc_fabric *fabric);

/**
 * hc_flap_init() - prepare the schedules of a new fabric
 * @fabric: the fabric
 *
 * Context: config
 */
void hc_flap_init(struct hc_fabric *fabric);

/**
 * hc_flap_exit() - end the schedules of a dead fabric, and their work item
 * @fabric: the fabric
 *
 * Context: process, without hc_fabric.lock
 */
void hc_flap_exit(struct hc_fabric *fabric);

#endif /* _HC_FLAP_H */
