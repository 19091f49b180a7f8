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

/* A function that is called for each message of a reply. If it returns a negative errno, the
 * request fails with that error.
 */
typedef int (*nl_reply_fn)(struct nlmsghdr *nlh, void *arg);

/**
 * struct nl_refusal - why the kernel has refused a request
 * @err: negative errno, or 0
 * @text: the kernel's message, or ""
 * @offset: offset, in the request, of the attribute that the kernel has refused
 * @limited: the value of that attribute must be from @min to @max
 * @min: the least value that is allowed
 * @max: the greatest value that is allowed
 */
struct nl_refusal {
	int err;
	char text[256];
	uint32_t offset;
	bool limited;
	uint64_t min;
	uint64_t max;
};

/* Read the attributes of an extended acknowledgment into @r. */
void nl_refusal_read(struct nl_refusal *r, struct nlattr *attrs, int len);
/* Print an error message: the kernel has refused the request @msg, for the reason @r. */
void nl_say(struct hcctl *h, struct nl_msg *msg, const struct nl_refusal *r);

/* Open a netlink socket. Return: the socket, or NULL after printing an error. */
struct nl_sock *nl_sock_open(struct hcctl *h, int protocol);
/* Begin a request. Return: the message, or NULL after printing an error. */
struct nl_msg *nl_request(struct hcctl *h, int cmd, int flags);
/* Begin a request about an object of a fabric, such as a node. @name: attribute type of the
 * fabric's name; @attr: attribute type of the object's number @id.
 */
struct nl_msg *nl_part_request(struct hcctl *h, int cmd, int name, const char *fabric, int attr,
			       uint32_t id);
/* Send a request and wait until the reply is complete. Consumes @msg. @reply may be NULL. Return: 0
 * or a negative errno; -EAGAIN if a change interrupted the dump, so that the caller should repeat
 * it.
 */
int nl_talk(struct hcctl *h, struct nl_msg *msg, nl_reply_fn reply, void *arg);
/* As nl_talk(), but errors for which @quiet returns true are not printed. */
int nl_talk_but(struct hcctl *h, struct nl_msg *msg, nl_reply_fn reply, void *arg,
		bool (*quiet)(int err));

/* Read a message into the struct at @v that belongs to the function: nl_fill_fabric() fills a
 * struct nl_fabric. Return: 0 or -ENOMEM.
 */
int nl_fill_fabric(struct nlmsghdr *nlh, void *v);
int nl_fill_node(struct nlmsghdr *nlh, void *v);
int nl_fill_trunk(struct nlmsghdr *nlh, void *v);
int nl_fill_link(struct nlmsghdr *nlh, void *v);
int nl_fill_op(struct nlmsghdr *nlh, void *v);
int nl_fill_vote(struct nlmsghdr *nlh, void *v);
int nl_fill_lost(struct nlmsghdr *nlh, void *v);
int nl_fill_balance(struct nlmsghdr *nlh, void *v);
/* Add those attributes of a link to a request that the mask @set has, see NL_LINK_BIT(). */
void nl_put_link(struct nl_msg *msg, const struct nl_link *v, uint64_t set);
/* Read a message into a struct nl_plan. Release it with nl_plan_clear(). */
int nl_fill_plan(struct nlmsghdr *nlh, void *v);

#endif /* _HCCTL_NL_IMPL_H */
