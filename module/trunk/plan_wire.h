/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Encoding of plans in messages to other machines: struct hc_wire_shape and the arrays behind it.
 */
#ifndef _HC_PLAN_WIRE_H
#define _HC_PLAN_WIRE_H

#include <linux/types.h>

struct hc_fabric;
struct hc_plan_params;
struct netlink_ext_ack;

/**
 * hc_plan_wire_size() - get the size of a plan in a message
 * @fabric: the fabric
 * @p: the plan
 *
 * Return: the size in bytes.
 */
size_t hc_plan_wire_size(const struct hc_fabric *fabric, const struct hc_plan_params *p);

/**
 * hc_plan_wire_max() - get the size of the longest plan that a fabric may have in a message
 * @fabric: the fabric
 *
 * Return: the size in bytes.
 */
size_t hc_plan_wire_max(const struct hc_fabric *fabric);

/**
 * hc_plan_wire_put() - write a plan into a message
 * @fabric: the fabric
 * @p: the plan
 * @to: memory for hc_plan_wire_size() bytes
 */
void hc_plan_wire_put(const struct hc_fabric *fabric, const struct hc_plan_params *p, void *to);

/**
 * hc_plan_wire_get() - read a plan from a message of another machine, which is not trusted
 * @fabric: the fabric
 * @from: the message
 * @len: bytes of @from
 * @p: filled in, except .id and .epoch. The caller must free its arrays by hc_plan_wire_free(),
 *	also after an error
 * @extack: set to the reason if the plan is refused
 *
 * This function checks sizes and ranges; the verifier checks the rest.
 *
 * Return: 0 or a negative errno.
 */
int hc_plan_wire_get(const struct hc_fabric *fabric, const void *from, size_t len,
		     struct hc_plan_params *p, struct netlink_ext_ack *extack);

/**
 * hc_plan_wire_free() - free the arrays of a plan that was read from a message
 * @p: the plan
 */
void hc_plan_wire_free(struct hc_plan_params *p);

#endif /* _HC_PLAN_WIRE_H */
