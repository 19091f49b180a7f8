/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the planners and a live fabric: its faults, and what is installed of a plan. Complains as
 * nl.h does.
 */
#ifndef _HCCTL_LIVE_H
#define _HCCTL_LIVE_H

#include "bcast.h"
#include "checked.h"
#include "doubling.h"
#include "nl.h"
#include "plan.h"
#include "ring.h"

/* The faults of a live fabric, made the same at both ends of each link.
 * Release with hc_faults_free().
 */
int live_faults(struct hcctl *h, const char *fabric, struct hc_faults **f);

/* Plan and install, with @once, until that returns other than -ESTALE: then the faults have changed
 * in between, which is a complaint only if @last.
 */
int live_retry(struct hcctl *h, int (*once)(struct hcctl *h, void *arg, bool last), void *arg);

/* Install the best pair as plans @id and @id + 1, and with @all that of each dimension behind it
 * (live_pair_id()), around the faults that they were made for: see live_retry().  @like: where, and
 * the epoch of the first one, 0: the next; those of the others are as far from it as their ids.
 */
int live_install_checked(struct hcctl *h, const char *fabric, const struct hc_faults *f,
			 const struct hc_checked *c, uint32_t id, const struct nl_shape *like,
			 bool all, bool last);

static inline uint32_t live_pair_id(uint32_t id, unsigned int k)
{
	return id + 2 + 2 * k;
}

/* For nl_plan_add(); valid as long as the plan is. */
struct nl_shape live_shape_tree(const struct hc_tree_plan *plan);
struct nl_shape live_shape_bcast(const struct hc_bcast_plan *plan);
struct nl_shape live_shape_doubling(const struct hc_doubling *d);
struct nl_shape live_shape_ring(const struct hc_ring_plan *plan);

#endif /* _HCCTL_LIVE_H */
