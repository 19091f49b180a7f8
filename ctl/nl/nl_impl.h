/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between the files that use libnl: nl.c (socket, requests), nl_error.c (error messages),
 * nl_get.c (replies into structs), nl_set.c (requests from structs), nl_plan.c (requests about
 * plans).
 */
#ifndef _HCCTL_NL_IMPL_H
#define _HCCTL_NL_IMPL_H

#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "nl.h"

/* Called for every reply; nonzero ends the request with that errno. */
typedef int (*nl_reply_fn)(struct nlmsghdr *nlh, void *arg);

/**
 * struct nl_refusal - the reply to a request that failed
 * @err: negative errno, or 0
 * @text: the kernel's message, or ""
 * @offset: offset in the request of the attribute that the kernel refused
 * @limited: the value must be from @min to @max
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

/* Read the attributes of an acknowledgment. */
void nl_refusal_read(struct nl_refusal *r, struct nlattr *attrs, int len);
/* Print that the kernel refused @msg, and why. */
void nl_say(struct hcctl *h, struct nl_msg *msg, const struct nl_refusal *r);

/* Open a socket. Return: NULL after printing an error. */
struct nl_sock *nl_sock_open(struct hcctl *h, int protocol);
/* Begin a request. Return: NULL after printing an error. */
struct nl_msg *nl_request(struct hcctl *h, int cmd, int flags);
/* Begin a request about object @id of a fabric. @name and @attr are the attribute types of the
 * fabric's name and of @id.
 */
struct nl_msg *nl_part_request(struct hcctl *h, int cmd, int name, const char *fabric, int attr,
			       uint32_t id);
/* Send a request and wait for the end of the reply. Consumes @msg. @reply may be NULL. Return: 0 or
 * -errno; -EAGAIN if a change interrupted the dump, which should be repeated.
 */
int nl_talk(struct hcctl *h, struct nl_msg *msg, nl_reply_fn reply, void *arg);
/* As nl_talk(); errors for which @quiet returns true are not printed. */
int nl_talk_but(struct hcctl *h, struct nl_msg *msg, nl_reply_fn reply, void *arg,
		bool (*quiet)(int err));

/* Read a reply into the struct of that name at @v. Return: 0 or -ENOMEM. */
int nl_fill_fabric(struct nlmsghdr *nlh, void *v);
int nl_fill_node(struct nlmsghdr *nlh, void *v);
int nl_fill_trunk(struct nlmsghdr *nlh, void *v);
int nl_fill_link(struct nlmsghdr *nlh, void *v);
int nl_fill_op(struct nlmsghdr *nlh, void *v);
int nl_fill_vote(struct nlmsghdr *nlh, void *v);
int nl_fill_lost(struct nlmsghdr *nlh, void *v);
int nl_fill_balance(struct nlmsghdr *nlh, void *v);
/* Release with nl_plan_clear(). */
int nl_fill_plan(struct nlmsghdr *nlh, void *v);

#endif /* _HCCTL_NL_IMPL_H */
