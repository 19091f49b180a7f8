// SPDX-License-Identifier: GPL-2.0
/*
 * Interfaces of the current network namespace, by rtnetlink.
 */
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "nl_impl.h"

#define LOOPBACK_INDEX 1

/* Send a request without printing errors. Consumes @msg. */
static int dev_talk(struct nl_sock *sock, struct nl_msg *msg)
{
	int rc = nl_send_sync(sock, msg);

	return rc < 0 ? rc : 0;
}

static int link_set(struct nl_sock *sock, unsigned int index, bool up, const char *alias)
{
	struct ifinfomsg ifi = {
		.ifi_index = index, .ifi_flags = up ? IFF_UP : 0, .ifi_change = IFF_UP,
	};
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_NEWLINK, 0);

	if (!msg)
		return -NLE_NOMEM;
	nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO);
	if (alias)
		nla_put_string(msg, IFLA_IFALIAS, alias);
	return dev_talk(sock, msg);
}

static int addr_change(struct nl_sock *sock, unsigned int index, const struct nl_addr_in *addr,
		       bool add)
{
	struct ifaddrmsg ifa = {
		.ifa_family = addr->family, .ifa_prefixlen = addr->prefix,
		/* Skip duplicate address detection, because only this endpoint uses the address. */
		.ifa_flags = IFA_F_NODAD, .ifa_index = index,
	};
	struct nl_msg *msg = nlmsg_alloc_simple(add ? RTM_NEWADDR : RTM_DELADDR,
						add ? NLM_F_CREATE | NLM_F_EXCL : 0);
	int len = addr->family == AF_INET ? 4 : 16;

	if (!msg)
		return -NLE_NOMEM;
	nlmsg_append(msg, &ifa, sizeof(ifa), NLMSG_ALIGNTO);
	nla_put(msg, IFA_LOCAL, len, addr->bytes);
	nla_put(msg, IFA_ADDRESS, len, addr->bytes);
	return dev_talk(sock, msg);
}

int nl_dev_mark(struct hcctl *h, const char *alias)
{
	struct nl_sock *sock = nl_sock_open(h, NETLINK_ROUTE);
	int rc;

	if (!sock)
		return -EIO;
	rc = link_set(sock, LOOPBACK_INDEX, true, alias);
	if (rc)
		hc_error(h, "cannot take the loopback interface up: %s", nl_geterror(rc));
	nl_socket_free(sock);
	return rc ? -EIO : 0;
}

int nl_dev_start(struct hcctl *h, const char *ifname, const struct nl_addr_in *addr)
{
	unsigned int index = if_nametoindex(ifname);
	struct nl_sock *sock;
	const char *what;
	int rc = 0;

	if (!index) {
		hc_error(h, "%s is not where it was moved to", ifname);
		return -ENODEV;
	}
	sock = nl_sock_open(h, NETLINK_ROUTE);
	if (!sock)
		return -EIO;
	if (addr) {
		what = "give an address to the endpoint";
		rc = addr_change(sock, index, addr, true);
	}
	if (!rc) {
		what = "take the endpoint up";
		rc = link_set(sock, index, true, NULL);
	}
	if (rc)
		hc_error(h, "cannot %s: %s", what, nl_geterror(rc));
	nl_socket_free(sock);
	return rc ? -EIO : 0;
}

/* Add the address @addr to an interface, or if not @add, remove it. If @addr is NULL, bring the
 * interface up, or if not @add, down. It is no error if an address to add already exists, or an
 * address to remove is already gone: when the primary address of a network is removed, the kernel
 * also removes the secondary ones.
 */
static int change(struct hcctl *h, const char *ifname, const char *what, bool add,
		  const struct nl_addr_in *addr)
{
	unsigned int index = if_nametoindex(ifname);
	struct nl_sock *sock = nl_sock_open(h, NETLINK_ROUTE);
	int rc;

	if (!sock)
		return -EIO;
	if (!index)
		rc = -NLE_NODEV;
	else
		rc = addr ? addr_change(sock, index, addr, add) :
			    link_set(sock, index, add, NULL);
	if (addr && rc == (add ? -NLE_EXIST : -NLE_NOADDR))
		rc = 0;
	if (rc)
		hc_error(h, "cannot %s %s: %s", what, ifname, nl_geterror(rc));
	nl_socket_free(sock);
	return rc ? -EIO : 0;
}

int nl_dev_address(struct hcctl *h, const char *ifname, const struct nl_addr_in *addr, bool add)
{
	return change(h, ifname, add ? "give an address to" : "take an address from", add, addr);
}

int nl_dev_up(struct hcctl *h, const char *ifname, bool up)
{
	return change(h, ifname, up ? "take up" : "take down", up, NULL);
}

static int set_number(struct hcctl *h, const char *ifname, const char *what, int attr, uint32_t v)
{
	struct ifinfomsg ifi = { .ifi_index = if_nametoindex(ifname) };
	struct nl_sock *sock = nl_sock_open(h, NETLINK_ROUTE);
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_NEWLINK, 0);
	int rc = !ifi.ifi_index ? -NLE_NODEV : msg ? 0 : -NLE_NOMEM;

	if (!sock) {
		nlmsg_free(msg);
		return -EIO;
	}
	if (rc) {
		nlmsg_free(msg);
	} else {
		nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO);
		nla_put_u32(msg, attr, v);
		rc = dev_talk(sock, msg);
	}
	if (rc)
		hc_error(h, "cannot set the %s of %s to %u: %s", what, ifname, v, nl_geterror(rc));
	nl_socket_free(sock);
	return rc ? -EIO : 0;
}

int nl_dev_mtu(struct hcctl *h, const char *ifname, uint32_t mtu)
{
	return set_number(h, ifname, "MTU", IFLA_MTU, mtu);
}

int nl_dev_queue(struct hcctl *h, const char *ifname, uint32_t frames)
{
	return set_number(h, ifname, "queue length", IFLA_TXQLEN, frames);
}

/* --- lists --- */

#define LIST_TRIES	20

/* An array that a dump fills with elements of @size bytes. @fill reads a message into an element;
 * if it returns false, the element is not added.
 */
struct listing {
	char *v;
	size_t n;
	size_t size;
	bool (*fill)(struct nlmsghdr *nlh, void *one);
	bool no_memory;	/* there was no memory for an element */
};

static int take_one(struct nl_msg *msg, void *arg)
{
	struct listing *l = arg;
	char *more = reallocarray(l->v, l->n + 1, l->size);

	if (!more) {
		l->no_memory = true;
		return NL_STOP;
	}
	l->v = more;
	memset(more + l->n * l->size, 0, l->size);
	l->n += l->fill(nlmsg_hdr(msg), more + l->n * l->size);
	return NL_OK;
}

/* Get all objects of a kind in one dump; @type is the type of the request. l->v is to be freed. */
static int list_once(struct hcctl *h, int type, struct listing *l)
{
	struct nl_sock *sock = nl_sock_open(h, NETLINK_ROUTE);
	struct rtgenmsg rt = { .rtgen_family = AF_UNSPEC };
	int rc;

	if (!sock)
		return -NLE_BAD_SOCK;
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, take_one, l);
	rc = nl_send_simple(sock, type, NLM_F_DUMP, &rt, sizeof(rt));
	if (rc >= 0)
		rc = nl_recvmsgs_default(sock);
	nl_socket_free(sock);
	return rc;
}

/* As list_once(), but repeat the dump while changes interrupt it. */
static int list(struct hcctl *h, int type, struct listing *l)
{
	unsigned int tries = LIST_TRIES;
	int rc;

	do {
		l->n = 0;
		rc = list_once(h, type, l);
	} while (rc == -NLE_DUMP_INTR && --tries);
	if (l->no_memory)
		return hc_nomem(h);
	if (rc >= 0)
		return 0;
	/* nl_sock_open() has printed the error. */
	if (rc == -NLE_BAD_SOCK)
		return -EIO;
	hc_error(h, "cannot list interfaces: %s", nl_geterror(rc));
	return -EIO;
}

static uint32_t number_of(struct nlmsghdr *nlh, int header, int type)
{
	struct nlattr *a = nlmsg_find_attr(nlh, header, type);

	return a && nla_len(a) >= 4 ? nla_get_u32(a) : 0;
}

static bool fill_dev(struct nlmsghdr *nlh, void *one)
{
	struct ifinfomsg *ifi = nlmsg_data(nlh);
	struct nlattr *name = nlmsg_find_attr(nlh, sizeof(*ifi), IFLA_IFNAME);
	struct nl_dev *v = one;

	if (!name)
		return false;
	nla_strlcpy(v->name, name, sizeof(v->name));
	v->index = ifi->ifi_index;
	v->up = ifi->ifi_flags & IFF_UP;
	v->mtu = number_of(nlh, sizeof(*ifi), IFLA_MTU);
	v->queue = number_of(nlh, sizeof(*ifi), IFLA_TXQLEN);
	return true;
}

int nl_devs(struct hcctl *h, struct nl_dev **v, size_t *n)
{
	struct listing l = { .size = sizeof(**v), .fill = fill_dev };
	int rc = list(h, RTM_GETLINK, &l);

	*v = (void *)l.v;
	*n = l.n;
	return rc;
}

/* Return: a mask of NL_ADDR_* for the attributes of an address that struct nl_addr_in does not
 * have, so that nl_dev_address() could not restore them.
 */
static uint32_t beside(struct nlmsghdr *nlh, const struct ifaddrmsg *ifa, struct nlattr *local)
{
	struct nlattr *peer = nlmsg_find_attr(nlh, sizeof(*ifa), IFA_ADDRESS);
	struct nlattr *life = nlmsg_find_attr(nlh, sizeof(*ifa), IFA_CACHEINFO);
	struct nlattr *label = nlmsg_find_attr(nlh, sizeof(*ifa), IFA_LABEL);
	uint32_t flags = number_of(nlh, sizeof(*ifa), IFA_FLAGS) ?: ifa->ifa_flags, set = 0;
	struct ifa_cacheinfo info = {};
	char name[IF_NAMESIZE] = "";

	if (life)
		nla_memcpy(&info, life, sizeof(info));
	if (peer && local && (nla_len(peer) != nla_len(local) ||
			      memcmp(nla_data(peer), nla_data(local), nla_len(local))))
		set |= NL_ADDR_PEER;
	if (nlmsg_find_attr(nlh, sizeof(*ifa), IFA_BROADCAST))
		set |= NL_ADDR_BROADCAST;
	if (ifa->ifa_family == AF_INET && ifa->ifa_scope != RT_SCOPE_UNIVERSE)
		set |= NL_ADDR_SCOPE;
	if (label && if_indextoname(ifa->ifa_index, name) && strcmp(nla_get_string(label), name))
		set |= NL_ADDR_LABEL;
	if (life && (info.ifa_valid != UINT32_MAX || info.ifa_prefered != UINT32_MAX))
		set |= NL_ADDR_LIFETIME;
	if (number_of(nlh, sizeof(*ifa), IFA_RT_PRIORITY))
		set |= NL_ADDR_METRIC;
	if (flags & (IFA_F_NOPREFIXROUTE | IFA_F_MANAGETEMPADDR | IFA_F_HOMEADDRESS |
		     IFA_F_MCAUTOJOIN))
		set |= NL_ADDR_FLAGS;
	return set;
}

/* Read an address into an element of the list. Return: false if the list is not to have the
 * address: the interface generates it itself, or it is not a valid IP address.
 */
static bool fill_addr(struct nlmsghdr *nlh, void *one)
{
	struct ifaddrmsg *ifa = nlmsg_data(nlh);
	struct nlattr *local = nlmsg_find_attr(nlh, sizeof(*ifa), IFA_LOCAL);
	struct nlattr *addr = local ?: nlmsg_find_attr(nlh, sizeof(*ifa), IFA_ADDRESS);
	int len = ifa->ifa_family == AF_INET ? 4 : 16;
	struct nl_addr *v = one;

	if ((ifa->ifa_family != AF_INET && ifa->ifa_family != AF_INET6) || !addr ||
	    nla_len(addr) < len)
		return false;
	/* An interface generates its IPv6 link-local address itself. */
	if (ifa->ifa_family == AF_INET6 && ifa->ifa_scope == RT_SCOPE_LINK)
		return false;
	v->index = ifa->ifa_index;
	v->addr.family = ifa->ifa_family;
	v->addr.prefix = ifa->ifa_prefixlen;
	memcpy(v->addr.bytes, nla_data(addr), len);
	v->beside = beside(nlh, ifa, local);
	return true;
}

int nl_addrs(struct hcctl *h, struct nl_addr **v, size_t *n)
{
	struct listing l = { .size = sizeof(**v), .fill = fill_addr };
	int rc = list(h, RTM_GETADDR, &l);

	*v = (void *)l.v;
	*n = l.n;
	return rc;
}

/* --- queries --- */

/* A request for one attribute. */
struct answer {
	int type;	/* type of the attribute */
	int header;	/* bytes of the message before the first attribute */
	void *buf;	/* memory for the value */
	size_t size;
	bool seen;	/* the reply had the attribute */
};

static int take_attr(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct answer *a = arg;
	struct nlattr *attr = nlmsg_find_attr(nlh, a->header, a->type);

	if (attr) {
		memset(a->buf, 0, a->size);
		nla_memcpy(a->buf, attr, a->size);
		a->seen = true;
	}
	return NL_OK;
}

/* Request the attribute that @a describes. Consumes @msg. Return: true if the reply had the
 * attribute.
 */
static bool ask(struct hcctl *h, struct nl_msg *msg, struct answer *a)
{
	struct nl_sock *sock = nl_sock_open(h, NETLINK_ROUTE);

	if (sock) {
		nl_socket_disable_auto_ack(sock);
		nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, take_attr, a);
		if (nl_send_auto(sock, msg) >= 0)
			nl_recvmsgs_default(sock);
		nl_socket_free(sock);
	}
	nlmsg_free(msg);
	return a->seen;
}

bool nl_dev_alias(struct hcctl *h, const char *ifname, char *alias, size_t size)
{
	struct answer a = {
		.type = IFLA_IFALIAS, .header = sizeof(struct ifinfomsg), .buf = alias,
		.size = size,
	};
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETLINK, 0);
	struct ifinfomsg ifi = {};

	if (!msg)
		return false;
	nlmsg_append(msg, &ifi, sizeof(ifi), NLMSG_ALIGNTO);
	nla_put_string(msg, IFLA_IFNAME, ifname);
	return ask(h, msg, &a) && !alias[size - 1];
}

int nl_netns_id(struct hcctl *h, int fd)
{
	int32_t id = -1;
	struct answer a = {
		.type = NETNSA_NSID, .header = sizeof(struct rtgenmsg), .buf = &id,
		.size = sizeof(id),
	};
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETNSID, 0);
	struct rtgenmsg rt = { .rtgen_family = AF_UNSPEC };

	if (!msg)
		return -1;
	nlmsg_append(msg, &rt, sizeof(rt), NLMSG_ALIGNTO);
	nla_put_u32(msg, NETNSA_FD, fd);
	return ask(h, msg, &a) ? id : -1;
}
