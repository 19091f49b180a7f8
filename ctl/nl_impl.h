/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the files with libnl: nl.c (socket, requests, complaints), nl_get.c
 * (replies into structs), nl_set.c (requests from structs).
 */
#ifndef _HCCTL_NL_IMPL_H
#define _HCCTL_NL_IMPL_H

#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "nl.h"

/* Called for every reply; nonzero ends the request with that errno. */
typedef int (*nl_reply_fn)(struct nlmsghdr *nlh, void *arg);

/* A socket that is connected, or NULL with a complaint. */
struct nl_sock *nl_sock_open(struct hcctl *h, int protocol);
/* A new request, or NULL with a complaint. */
struct nl_msg *nl_request(struct hcctl *h, int cmd, int flags);
/* Send and wait for the end.  Consumes @msg. @reply may be NULL.  -EAGAIN: the
 * dump was interrupted by a change and should be repeated.
 */
int nl_talk(struct hcctl *h, struct nl_msg *msg, nl_reply_fn reply, void *arg);
/* The same, without complaint about error @quiet. */
int nl_talk_but(struct hcctl *h, struct nl_msg *msg, nl_reply_fn reply, void *arg, int quiet);

/* Make of a reply the struct at @v, of the name.  -ENOMEM or 0. */
int nl_fill_fabric(struct nlmsghdr *nlh, void *v);
int nl_fill_node(struct nlmsghdr *nlh, void *v);
int nl_fill_link(struct nlmsghdr *nlh, void *v);
int nl_fill_op(struct nlmsghdr *nlh, void *v);
/* Release with nl_plan_clear(). */
int nl_fill_plan(struct nlmsghdr *nlh, void *v);
void nl_plan_clear(struct nl_plan *v);

#endif /* _HCCTL_NL_IMPL_H */
