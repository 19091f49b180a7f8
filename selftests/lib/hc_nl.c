// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink without a library.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "hc_nl.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

static struct nlmsghdr *nl_hdr(struct nl *nl)
{
	return (struct nlmsghdr *)nl->buf;
}

const void *nl_data(const struct nlattr *a)
{
	return (const char *)a + NLA_HDRLEN;
}

const struct nlattr *nl_find(const struct nl_attrs *a, int type, unsigned int nth)
{
	const char *p = (const char *)a->first, *end = p + a->len;

	while (p + NLA_HDRLEN <= end) {
		const struct nlattr *at = (const struct nlattr *)p;

		if (at->nla_len < NLA_HDRLEN || p + at->nla_len > end)
			return NULL;
		if ((at->nla_type & NLA_TYPE_MASK) == type && !nth--)
			return at;
		p += NLA_ALIGN(at->nla_len);
	}
	return NULL;
}

/* Return: the value of an integer attribute of at most @size bytes; @otherwise if the attribute is
 * absent.
 */
static uint64_t get(const struct nl_attrs *a, int type, size_t size, uint64_t otherwise)
{
	const struct nlattr *at = nl_find(a, type, 0);
	uint64_t v = 0;

	if (!at)
		return otherwise;
	if (size > at->nla_len - (size_t)NLA_HDRLEN)
		size = at->nla_len - NLA_HDRLEN;
	memcpy(&v, nl_data(at), size);
	return v;
}

uint32_t nl_get_u32(const struct nl_attrs *a, int type, uint32_t otherwise)
{
	return get(a, type, 4, otherwise);
}

uint64_t nl_get_u64(const struct nl_attrs *a, int type, uint64_t otherwise)
{
	return get(a, type, 8, otherwise);
}

void nl_all_numbers(const struct nl_attrs *a, uint64_t *v, unsigned int n, uint64_t otherwise)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		v[i] = nl_get_u64(a, i, otherwise);
}

void nl_numbers(const struct nlattr *nest, uint64_t *v, unsigned int n, uint64_t otherwise)
{
	const struct nl_attrs in = {
		.first = nl_data(nest), .len = nest->nla_len - NLA_HDRLEN,
	};

	nl_all_numbers(&in, v, n, otherwise);
}

/* --- requests --- */

static void begin(struct nl *nl, int type, int cmd, int version, int flags)
{
	struct genlmsghdr *g;

	memset(nl->buf, 0, NLMSG_HDRLEN + GENL_HDRLEN);
	nl->len = NLMSG_HDRLEN + GENL_HDRLEN;
	nl_hdr(nl)->nlmsg_type = type;
	nl_hdr(nl)->nlmsg_flags = NLM_F_REQUEST | flags;
	g = NLMSG_DATA(nl_hdr(nl));
	g->cmd = cmd;
	g->version = version;
}

void nl_begin(struct nl *nl, int cmd, int flags)
{
	begin(nl, nl->family, cmd, HYPERCUBE_FAMILY_VERSION, flags);
}

void nl_put(struct nl *nl, int type, const void *data, size_t len)
{
	struct nlattr *a = (struct nlattr *)(nl->buf + nl->len);

	if (nl->len + NLA_HDRLEN + NLA_ALIGN(len) > NL_BUF)
		abort();
	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + len;
	memset((char *)a + NLA_HDRLEN, 0, NLA_ALIGN(len));
	if (len)
		memcpy((char *)a + NLA_HDRLEN, data, len);
	nl->len += NLA_ALIGN(a->nla_len);
}

void nl_u8(struct nl *nl, int type, uint8_t v)
{
	nl_put(nl, type, &v, sizeof(v));
}

void nl_u32(struct nl *nl, int type, uint32_t v)
{
	nl_put(nl, type, &v, sizeof(v));
}

void nl_u64(struct nl *nl, int type, uint64_t v)
{
	nl_put(nl, type, &v, sizeof(v));
}

void nl_str(struct nl *nl, int type, const char *s)
{
	nl_put(nl, type, s, strlen(s) + 1);
}

/* --- answers --- */

/* Save the text of an extended ACK. Its attributes follow, @skip bytes after the header, the copy
 * of the request (in an ACK) or the status (in DONE).
 */
static void take_extack(struct nl *nl, const struct nlmsghdr *h, size_t skip)
{
	const char *behind = (const char *)h + NLMSG_HDRLEN + NLMSG_ALIGN(skip);
	struct nl_attrs a = { .first = (const struct nlattr *)behind };
	const struct nlattr *text;

	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS) || h->nlmsg_len < NLMSG_HDRLEN + NLMSG_ALIGN(skip))
		return;
	a.len = h->nlmsg_len - NLMSG_HDRLEN - NLMSG_ALIGN(skip);
	text = nl_find(&a, NLMSGERR_ATTR_MSG, 0);
	if (text)
		strncpy(nl->extack, nl_data(text), sizeof(nl->extack) - 1);
}

static int take_error(struct nl *nl, const struct nlmsghdr *h)
{
	const struct nlmsgerr *e = (const struct nlmsgerr *)((const char *)h + NLMSG_HDRLEN);
	size_t skip = sizeof(*e);

	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(e->msg.nlmsg_len) - NLMSG_HDRLEN;
	take_extack(nl, h, skip);
	return e->error;
}

static void take_message(const struct nlmsghdr *h, nl_cb cb, void *arg)
{
	const struct genlmsghdr *g = (const struct genlmsghdr *)((const char *)h + NLMSG_HDRLEN);
	struct nl_attrs a = {
		.cmd = g->cmd,
		.first = (const struct nlattr *)((const char *)g + GENL_HDRLEN),
		.len = h->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN,
	};

	if (cb)
		cb(arg, &a);
}

/* Process one datagram of @len bytes at @buf. Return: 1 if the answer is complete, with its status
 * in *err; 0 if more datagrams follow.
 */
static int take_datagram(struct nl *nl, char *buf, int len, nl_cb cb, void *arg, int *err)
{
	struct nlmsghdr *h = (struct nlmsghdr *)buf;

	for (; NLMSG_OK(h, (unsigned int)len); h = NLMSG_NEXT(h, len)) {
		if (h->nlmsg_seq != nl->seq)
			continue;
		nl->dump_intr |= !!(h->nlmsg_flags & NLM_F_DUMP_INTR);
		if (h->nlmsg_type == NLMSG_ERROR) {
			*err = take_error(nl, h);
			return 1;
		}
		if (h->nlmsg_type == NLMSG_DONE) {
			*err = *(int *)NLMSG_DATA(h);
			take_extack(nl, h, sizeof(int));
			return 1;
		}
		take_message(h, cb, arg);
	}
	return 0;
}

int nl_submit(struct nl *nl)
{
	nl_hdr(nl)->nlmsg_len = nl->len;
	nl_hdr(nl)->nlmsg_seq = ++nl->seq;
	nl->extack[0] = 0;
	nl->dump_intr = false;
	return send(nl->fd, nl->buf, nl->len, 0) < 0 ? -errno : 0;
}

int nl_receive(struct nl *nl, nl_cb cb, void *arg)
{
	static char answer[NL_BUF];
	int err = 0;

	for (;;) {
		ssize_t n = recv(nl->fd, answer, sizeof(answer), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (take_datagram(nl, answer, n, cb, arg, &err))
			return err;
	}
}

int nl_talk(struct nl *nl, nl_cb cb, void *arg)
{
	int err = nl_submit(nl);

	return err ? err : nl_receive(nl, cb, arg);
}

int nl_listen(struct nl *nl, int ms, nl_cb cb, void *arg)
{
	static char event[NL_BUF];
	struct pollfd p = { .fd = nl->fd, .events = POLLIN };
	struct nlmsghdr *h = (struct nlmsghdr *)event;
	ssize_t len;

	if (poll(&p, 1, ms) <= 0)
		return -EAGAIN;
	len = recv(nl->fd, event, sizeof(event), 0);
	if (len < 0)
		return -errno;
	for (; NLMSG_OK(h, len); h = NLMSG_NEXT(h, len))
		if (h->nlmsg_type == nl->family)
			take_message(h, cb, arg);
	return 0;
}

/* --- the family --- */

static void found_family(void *arg, const struct nl_attrs *a)
{
	struct nl *nl = arg;
	const struct nlattr *groups = nl_find(a, CTRL_ATTR_MCAST_GROUPS, 0);
	struct nl_attrs list, group;

	nl->family = nl_get_u32(a, CTRL_ATTR_FAMILY_ID, 0);
	if (!groups)
		return;
	list.first = nl_data(groups);
	list.len = groups->nla_len - NLA_HDRLEN;
	group.first = nl_data(list.first);
	group.len = list.first->nla_len - NLA_HDRLEN;
	nl->group = nl_get_u32(&group, CTRL_ATTR_MCAST_GRP_ID, 0);
}

int nl_subscribe(struct nl *nl)
{
	int group = nl->group;

	if (setsockopt(nl->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)))
		return -errno;
	return 0;
}

int nl_open(struct nl *nl)
{
	struct timeval limit = { .tv_sec = 60 };
	int one = 1, err;

	memset(nl, 0, sizeof(*nl));
	nl->buf = malloc(NL_BUF);
	nl->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (nl->fd < 0 || !nl->buf)
		return -errno;
	setsockopt(nl->fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(nl->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	begin(nl, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, NLM_F_ACK);
	nl_str(nl, CTRL_ATTR_FAMILY_NAME, HYPERCUBE_FAMILY_NAME);
	err = nl_talk(nl, found_family, nl);
	if (err)
		nl_shut(nl);
	return err;
}

int nl_open_events(struct nl *nl)
{
	return nl_open(nl) ?: nl_subscribe(nl);
}

void nl_shut(struct nl *nl)
{
	close(nl->fd);
	free(nl->buf);
	nl->buf = NULL;
	nl->fd = -1;
}

int nl_open_all(struct nl *nl, unsigned int n)
{
	int err = 0;

	while (n-- && !err)
		err = nl_open(&nl[n]);
	return err;
}

void nl_shut_all(struct nl *nl, unsigned int n)
{
	while (n--)
		nl_shut(&nl[n]);
}
