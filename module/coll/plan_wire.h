/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans as they go to other machines: struct hc_wire_shape and what is behind it.
 */
#ifndef _HC_PLAN_WIRE_H
#define _HC_PLAN_WIRE_H

#include <linux/types.h>

struct hc_fabric;
struct hc_plan_params;
struct netlink_ext_ack;

/* Bytes of a plan, and of the longest one of a fabric. */
size_t hc_plan_wire_size(const struct hc_fabric *fabric, const struct hc_plan_params *p);
size_t hc_plan_wire_max(const struct hc_fabric *fabric);
/* @to has hc_plan_wire_size() bytes. */
void hc_plan_wire_put(const struct hc_fabric *fabric, const struct hc_plan_params *p, void *to);
/* What a machine says that is not believed, of @len bytes: 0 or an error; its id and epoch are the
 * caller's.  Sizes and ranges are right then; the rest is the verifier's business.  Memory is for
 * hc_plan_wire_free(), also after an error.
 */
int hc_plan_wire_get(const struct hc_fabric *fabric, const void *from, size_t len,
		     struct hc_plan_params *p, struct netlink_ext_ack *extack);
void hc_plan_wire_free(struct hc_plan_params *p);

#endif /* _HC_PLAN_WIRE_H */
