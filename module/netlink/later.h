/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests that are answered later: later.c.
 */
#ifndef _HC_LATER_H
#define _HC_LATER_H

#include <linux/list.h>
#include <linux/workqueue.h>

struct hc_fabric;

/**
 * struct hc_laters - those of a fabric; under hc_fabric.lock
 * @list: struct hc_later
 * @n: how many
 * @work: looks at them
 */
struct hc_laters {
	struct list_head list;
	unsigned int n;
	struct delayed_work work;
};

void hc_later_init(struct hc_fabric *fabric);
/* The fabric is dead: answer them. */
void hc_later_exit(struct hc_fabric *fabric);

#endif /* _HC_LATER_H */
