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
 * @list: struct hc_flap
 * @work: takes them down and up
 */
struct hc_flaps {
	struct list_head list;
	struct delayed_work work;
};

/* Take the link of (@node, @dim) down for @down ms in each @period ms, from now on; 0: no
 * more, and it is up.  0 or -ENOMEM.  Config, under hc_fabric.lock.
 */
int hc_flap_set(struct hc_node *node, unsigned int dim, u32 down, u32 period);
/* Links stay as they are from now on. */
void hc_flap_clear(struct hc_fabric *fabric);
void hc_flap_init(struct hc_fabric *fabric);
/* The fabric is dead: end for good. */
void hc_flap_exit(struct hc_fabric *fabric);

#endif /* _HC_FLAP_H */
