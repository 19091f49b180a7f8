// SPDX-License-Identifier: GPL-2.0
/*
 * The netlink socket: requests, replies, and reading the kernel's error messages.
 *
 * libnl 3.7 does not support extended acknowledgments, so this file requests and parses them.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <netlink/genl/ctrl.h>

#include "nl_impl.h"

/* Maximum size of a reply. DETECT may list all 24,576 links of a cube of dimension 12, with 8 bytes
 * each.
 */
#define NL_ANSWER_SIZE	262144
/* Maximum size of a request. A plan of a cube of dimension 12 has up to 4,096 detours of 8 bytes,
 * and a sequence.
 */
#define NL_REQUEST_SIZE	163840

struct nl {
	struct nl_sock *sock;
	int family;
};

/* A request whose reply is being received. @reply is called with @arg for each message of the
 * reply. @done: the reply is complete. @interrupted: a change has interrupted the dump.
 */
struct talk {
	struct hcctl *h;
	nl_reply_fn reply;
	void *arg;
	struct nl_refusal refusal;
	bool done;
	bool interrupted;
};

static void set_ext_ack(struct nl_sock *sock)
{
	int one = 1, fd = nl_socket_get_fd(sock);

	/* A kernel that is too old for these options still returns errors, but without messages. */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &one, sizeof(one));
}

struct nl_sock *nl_sock_open(struct hcctl *h, int protocol)
{
	struct nl_sock *sock = nl_socket_alloc();
	int rc;

	if (!sock) {
		hc_nomem(h);
		return NULL;
	}
	rc = nl_connect(sock, protocol);
	if (!rc)
		return sock;
	hc_error(h, "cannot open a netlink socket: %s", nl_geterror(rc));
	nl_socket_free(sock);
	return NULL;
}

static struct nl_sock *sock_open(struct hcctl *h)
{
	struct nl_sock *sock = nl_sock_open(h, NETLINK_GENERIC);

	if (!sock)
		return NULL;
	nl_socket_set_msg_buf_size(sock, NL_ANSWER_SIZE);
	/* The receive buffer must hold a long reply and the message that ends it. The longest
	 * request is a table of peers.
	 */
	nl_socket_set_buffer_size(sock, NL_ANSWER_SIZE, NL_REQUEST_SIZE);
	set_ext_ack(sock);
	return sock;
}

static int nl_open(struct hcctl *h)
{
	struct nl_sock *sock;
	int family;

	if (h->nl)
		return 0;
	sock = sock_open(h);
	if (!sock)
		return -ENOMEM;
	family = genl_ctrl_resolve(sock, HYPERCUBE_FAMILY_NAME);
	if (family < 0) {
		hc_error(h, "hypercube: module not loaded? try: modprobe hypercube");
		nl_socket_free(sock);
		return -ENOENT;
	}
	h->nl = calloc(1, sizeof(*h->nl));
	if (!h->nl) {
		nl_socket_free(sock);
		return hc_nomem(h);
	}
	h->nl->sock = sock;
	h->nl->family = family;
	return 0;
}

void nl_leave(struct hcctl *h)
{
	if (!h->nl)
		return;
	nl_socket_free(h->nl->sock);
	free(h->nl);
	h->nl = NULL;
}

int nl_netns_open(const char *name, char *path, size_t size)
{
	int fd;

	snprintf(path, size, "/var/run/netns/%s", name);
	if (!*name || strchr(name, '/'))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void ext_ack_of_error(struct talk *t, struct nlmsghdr *nlh)
{
	struct nlmsgerr *e = nlmsg_data(nlh);
	int skip = sizeof(*e);

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += e->msg.nlmsg_len - NLMSG_HDRLEN;
	skip = NLMSG_ALIGN(skip);
	if (skip < nlmsg_datalen(nlh))
		nl_refusal_read(&t->refusal, (struct nlattr *)((char *)e + skip),
				nlmsg_datalen(nlh) - skip);
}

static int on_error(struct sockaddr_nl *who, struct nlmsgerr *e, void *arg)
{
	/* libnl passes a pointer to the payload of the netlink message, so the header is in front
	 * of it.
	 */
	struct nlmsghdr *nlh = (struct nlmsghdr *)((char *)e - NLMSG_HDRLEN);
	struct talk *t = arg;

	(void)who;
	t->refusal.err = e->error;
	t->done = true;
	ext_ack_of_error(t, nlh);
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct talk *t = arg;

	t->done = true;
	ext_ack_of_error(t, nlmsg_hdr(msg));
	if (*t->refusal.text)
		hc_warn(t->h, "%s", t->refusal.text);
	return NL_STOP;
}

static int on_finish(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct talk *t = arg;
	int skip = NLMSG_ALIGN(sizeof(int));

	t->done = true;
	if (nlmsg_datalen(nlh) >= (int)sizeof(int))
		t->refusal.err = *(int *)nlmsg_data(nlh);
	if (t->refusal.err > 0)
		t->refusal.err = 0;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && nlmsg_datalen(nlh) > skip)
		nl_refusal_read(&t->refusal, (struct nlattr *)((char *)nlmsg_data(nlh) + skip),
				nlmsg_datalen(nlh) - skip);
	return NL_STOP;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct talk *t = arg;

	if (t->reply && !t->refusal.err)
		t->refusal.err = t->reply(nlmsg_hdr(msg), t->arg);
	return NL_OK;
}

static int on_interrupt(struct nl_msg *msg, void *arg)
{
	(void)msg;
	((struct talk *)arg)->interrupted = true;
	return NL_OK;
}

struct nl_msg *nl_request(struct hcctl *h, int cmd, int flags)
{
	struct nl_msg *msg;

	if (nl_open(h))
		return NULL;
	msg = nlmsg_alloc_size(NL_REQUEST_SIZE);
	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, h->nl->family, 0, flags,
				 cmd, HYPERCUBE_FAMILY_VERSION)) {
		nlmsg_free(msg);
		hc_nomem(h);
		return NULL;
	}
	return msg;
}

static struct nl_cb *callbacks(struct talk *t)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_CUSTOM);

	if (!cb)
		return NULL;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, t);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, t);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, t);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupt, t);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, t);
	return cb;
}

static int exchange(struct hcctl *h, struct nl_msg *msg, struct talk *t)
{
	struct nl_cb *cb = callbacks(t);
	int rc;

	if (!cb)
		return hc_nomem(h);
	rc = nl_send_auto(h->nl->sock, msg);
	while (rc >= 0 && !t->done)
		rc = nl_recvmsgs(h->nl->sock, cb);
	nl_cb_put(cb);
	if (!t->done) {
		hc_error(h, "netlink: %s", nl_geterror(rc));
		/* The reply to this request may still arrive, and would be mistaken for the reply
		 * to the next request. So close the socket.
		 */
		nl_leave(h);
		return -EIO;
	}
	return 0;
}

int nl_talk_but(struct hcctl *h, struct nl_msg *msg, nl_reply_fn reply, void *arg,
		bool (*quiet)(int err))
{
	struct talk t = { .h = h, .reply = reply, .arg = arg };
	int rc;

	rc = exchange(h, msg, &t);
	if (!rc && t.refusal.err == -ENOMEM && !*t.refusal.text)
		rc = hc_nomem(h);
	else if (!rc && t.refusal.err && !(quiet && quiet(t.refusal.err)))
		nl_say(h, msg, &t.refusal);
	nlmsg_free(msg);
	if (rc || t.refusal.err)
		return rc ?: t.refusal.err;
	return t.interrupted ? -EAGAIN : 0;
}

int nl_talk(struct hcctl *h, struct nl_msg *msg, nl_reply_fn reply, void *arg)
{
	return nl_talk_but(h, msg, reply, arg, NULL);
}

/* --- events --- */

static struct nl_sock *event_socket(struct hcctl *h)
{
	struct nl_sock *sock;
	int group;

	if (nl_open(h))
		return NULL;
	sock = sock_open(h);
	if (!sock)
		return NULL;
	group = genl_ctrl_resolve_grp(sock, HYPERCUBE_FAMILY_NAME, HYPERCUBE_MCGRP_EVENTS);
	if (group < 0 || nl_socket_add_membership(sock, group)) {
		hc_error(h, "cannot listen to the events of the kernel");
		nl_socket_free(sock);
		return NULL;
	}
	nl_socket_disable_seq_check(sock);
	nl_socket_set_buffer_size(sock, 1 << 20, 0);
	return sock;
}

/* A caller of nl_events() or nl_events_idle(). @rc: return value of @fn or @idle, or an error. */
struct listener {
	struct hcctl *h;
	nl_event_fn fn;
	int (*idle)(struct hcctl *h, void *arg, bool lost);
	void *arg;
	int rc;
};

#define NOTICE(what, member) \
	[HYPERCUBE_CMD_##what##_NTF] = { nl_fill_##member, offsetof(struct nl_event, member) }

/* For each notification: the function that reads it, and the offset in struct nl_event of the
 * member that this function fills.
 */
static const struct {
	int (*fill)(struct nlmsghdr *nlh, void *v);
	size_t at;
} notices[] = {
	NOTICE(FABRIC, fabric),
	NOTICE(FABRIC_DEL, fabric),
	NOTICE(NODE, node),
	NOTICE(LINK, link),
	NOTICE(PLAN, plan),
	NOTICE(PLAN_DEL, plan),
	NOTICE(OP, op),
	NOTICE(VOTE, vote),
	NOTICE(TRUNK, trunk),
	NOTICE(TRUNK_DEL, trunk),
	NOTICE(TASK, lost),
	NOTICE(BALANCE, balance),
};

static int on_event(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct listener *l = arg;
	struct nl_event e = { .cmd = genlmsg_hdr(nlh)->cmd };

	if ((size_t)e.cmd >= sizeof(notices) / sizeof(*notices) || !notices[e.cmd].fill ||
	    notices[e.cmd].fill(nlh, (char *)&e + notices[e.cmd].at))
		return NL_SKIP;
	l->rc = l->fn(l->h, &e, l->arg);
	nl_plan_clear(&e.plan);
	return l->rc ? NL_STOP : NL_OK;
}

/* Read the events that are pending at the socket. Return: true if events were lost. */
static bool take_events(struct listener *l, struct nl_sock *sock)
{
	int rc = nl_recvmsgs_default(sock);

	/* If the kernel had no memory for a message, libnl reports this error; the message is lost.
	 */
	if (rc == -NLE_NOADDR && l->idle)
		rc = -NLE_NOMEM;
	if (rc == -NLE_NOMEM && !l->idle)
		hc_warn(l->h, "events came faster than they could be printed; some are lost");
	if (rc < 0 && rc != -NLE_NOMEM && rc != -NLE_INTR && rc != -NLE_AGAIN) {
		hc_error(l->h, "netlink: %s", nl_geterror(rc));
		l->rc = -EIO;
	}
	return rc == -NLE_NOMEM;
}

static int listen_to(struct listener *l, const volatile int *stop, void (*ready)(void))
{
	struct nl_sock *sock = event_socket(l->h);
	struct pollfd p = { .events = POLLIN };
	bool lost;

	if (!sock)
		return -EIO;
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, on_event, l);
	p.fd = nl_socket_get_fd(sock);
	if (ready)
		ready();
	if (l->idle)
		l->rc = l->idle(l->h, l->arg, true);
	while (!*stop && !l->rc) {
		/* A signal that arrives just before poll() does not interrupt it. So poll only for
		 * a short time, and then check *@stop again.
		 */
		lost = poll(&p, 1, 200) > 0 && take_events(l, sock);
		if (!l->rc && l->idle && !*stop)
			l->rc = l->idle(l->h, l->arg, lost);
	}
	nl_socket_free(sock);
	return l->rc;
}

int nl_events(struct hcctl *h, nl_event_fn fn, void *arg,
	      const volatile int *stop, void (*ready)(void))
{
	struct listener l = { .h = h, .fn = fn, .arg = arg };

	return listen_to(&l, stop, ready);
}

int nl_events_idle(struct hcctl *h, nl_event_fn fn,
		   int (*idle)(struct hcctl *h, void *arg, bool lost), void *arg,
		   const volatile int *stop)
{
	struct listener l = { .h = h, .fn = fn, .idle = idle, .arg = arg };

	return listen_to(&l, stop, NULL);
}
