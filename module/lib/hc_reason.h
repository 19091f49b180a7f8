/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reason for which a verifier refuses a plan, topology or table.
 */
#ifndef _HC_REASON_H
#define _HC_REASON_H

#include "hc_env.h"

/* Value of hc_reason.node if the reason concerns no node, and of hc_reason.dim if it concerns no
 * link.
 */
#define HC_REASON_NONE	0xffffffff

/**
 * struct hc_reason - why something was refused
 * @why: a sentence, static storage
 * @node: the node concerned, or HC_REASON_NONE
 * @dim: dimension of the link of @node concerned, or HC_REASON_NONE
 */
struct hc_reason {
	const char *why;
	__u32 node;
	__u32 dim;
};

/* Set *@reason to the other arguments, unless @reason is NULL. Return: -EINVAL, for the verifier to
 * return.
 */
static inline int hc_refuse(struct hc_reason *reason, const char *why, __u32 node, __u32 dim)
{
	if (reason)
		*reason = (struct hc_reason){ .why = why, .node = node, .dim = dim };
	return -EINVAL;
}

#endif /* _HC_REASON_H */
