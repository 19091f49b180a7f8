/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the files with libnl: nl.c (socket, requests), nl_say.c (complaints),
 * nl_get.c (replies into structs), nl_set.c (requests from structs).
 */
#ifndef _HCCTL_NL_IMPL_H
#define _HCCTL_NL_IMPL_H

#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "nl.h"

/* Called for every reply; nonzero ends the request with that errno. */
typedef int (*nl_reply_fn)(struct nlmsghdr *nlh, void *arg);

/**
 * struct nl_refusal - the answer to a request that failed
 * @err: negative errno, or 0
 * @text: the kernel's sentence, or ""
 * @offset: in the request, of the attribute that it is about
 * @limited: the value is none from @min to @max
 * @min: see above
 * @max: see above
 */
struct nl_refusal {
	int err;
	char text[256];
	uint32_t offset;
	bool limited;
	uint64_t min;
	uint64_t max;
};

/* Read the attributes behind an acknowledgment. */
void nl_refusal_read(struct nl_refusal *r, struct nlattr *attrs, int len);
/* Complain that the kernel refused @msg. */
void nl_say(struct hcctl *h, struct nl_msg *msg, const struct nl_refusal *r);

/* A socket that is connected, or NULL with a complaint. */
struct nl_sock *nl_sock_open(struct hcctl *h, int protocol);
/* A new request, or NULL with a complaint. */
struct nl_msg *nl_request(struct hcctl *h, int cmd, int flags);
/* Send and wait for the end.  Consumes @msg. @reply may be NULL.  -EAGAIN: the
 * dump was interrupted by a change and should be repeated.
 */
int nl_talk(struct hcctl *h, struct nl_msg *msg, nl_reply_fn reply, void *arg);
/* The same, without complaint about error @quiet. */
int nl_talk_but(struct hcctl *h, struct nl_msg *msg, nl_reply_fn reply, void *arg,
		bool (*quiet)(int err));

/* Make of a reply the struct at @v, of the name.  -ENOMEM or 0. */
int nl_fill_fabric(struct nlmsghdr *nlh, void *v);
int nl_fill_node(struct nlmsghdr *nlh, void *v);
int nl_fill_trunk(struct nlmsghdr *nlh, void *v);
int nl_fill_link(struct nlmsghdr *nlh, void *v);
int nl_fill_op(struct nlmsghdr *nlh, void *v);
int nl_fill_verdict(struct nlmsghdr *nlh, void *v);
int nl_fill_lost(struct nlmsghdr *nlh, void *v);
int nl_fill_balance(struct nlmsghdr *nlh, void *v);
/* Release with nl_plan_clear(). */
int nl_fill_plan(struct nlmsghdr *nlh, void *v);

#endif /* _HCCTL_NL_IMPL_H */
