/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why a verifier refuses what concerns a node, or one of its links.
 */
#ifndef _HC_FLAW_H
#define _HC_FLAW_H

#include "hc_env.h"

/* It is about no node, about no link. */
#define HC_FLAW_NONE	0xffffffff

/**
 * struct hc_flaw - why something was refused
 * @why: a sentence, static storage
 * @node: the node concerned, or HC_FLAW_NONE
 * @dim: dimension of its link that is concerned, or HC_FLAW_NONE
 */
struct hc_flaw {
	const char *why;
	__u32 node;
	__u32 dim;
};

/* What a verifier returns; @flaw may be NULL. */
static inline int hc_refuse(struct hc_flaw *flaw, const char *why, __u32 node, __u32 dim)
{
	if (flaw)
		*flaw = (struct hc_flaw){ .why = why, .node = node, .dim = dim };
	return -EINVAL;
}

#endif /* _HC_FLAW_H */
