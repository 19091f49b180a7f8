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

/* A new request, or NULL with a complaint. */
struct nl_msg *nl_request(struct hcctl *h, int cmd, int flags);
/* Send and wait for the end.  Consumes @msg. @reply may be NULL.  -EAGAIN: the
 * dump was interrupted by a change and should be repeated.
 */
int nl_talk(struct hcctl *h, struct nl_msg *msg, nl_reply_fn reply, void *arg);
/* The same, without complaint about error @quiet. */
int nl_talk_but(struct hcctl *h, struct nl_msg *msg, nl_reply_fn reply, void *arg, int quiet);

void nl_fill_fabric(struct nlmsghdr *nlh, struct nl_fabric *v);
void nl_fill_node(struct nlmsghdr *nlh, struct nl_node *v);
void nl_fill_link(struct nlmsghdr *nlh, struct nl_link *v);
void nl_fill_op(struct nlmsghdr *nlh, struct nl_op *v);
/* -ENOMEM or 0; release with nl_plan_clear(). */
int nl_fill_plan(struct nlmsghdr *nlh, struct nl_plan *v);
void nl_plan_clear(struct nl_plan *v);

#endif /* _HCCTL_NL_IMPL_H */
