// SPDX-License-Identifier: GPL-2.0
/*
 * Gives an interface the name of a future endpoint, so that the creation of its fabric fails.
 */
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "calls.h"

#define SPARE "spare"

static void attr(struct nlmsghdr *h, int type, const void *data, size_t len)
{
	struct rtattr *a = (struct rtattr *)((char *)h + NLMSG_ALIGN(h->nlmsg_len));

	a->rta_type = type;
	a->rta_len = RTA_LENGTH(len);
	memcpy(RTA_DATA(a), data, len);
	h->nlmsg_len = NLMSG_ALIGN(h->nlmsg_len) + RTA_ALIGN(a->rta_len);
}

static void spare_make(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	char buf[256] __attribute__((aligned(NLMSG_ALIGNTO))) = { 0 };
	struct nlmsghdr *h = (struct nlmsghdr *)buf;
	struct rtattr kind = { .rta_type = IFLA_INFO_KIND, .rta_len = RTA_LENGTH(5) };
	char info[RTA_SPACE(5)] = { 0 };

	h->nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg));
	h->nlmsg_type = RTM_NEWLINK;
	h->nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK;
	memcpy(info, &kind, sizeof(kind));
	memcpy(info + RTA_LENGTH(0), "dummy", 5);
	attr(h, IFLA_IFNAME, SPARE, sizeof(SPARE));
	attr(h, IFLA_LINKINFO, info, sizeof(info));
	send(fd, buf, h->nlmsg_len, 0);
	recv(fd, buf, sizeof(buf), 0);
	close(fd);
}

/* Rename one interface to the name of a future endpoint, or to a spare name. The interface is down,
 * so it can be renamed.
 */
void collide(void)
{
	static char now[IFNAMSIZ] = SPARE;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq ifr = { 0 };

	if (!if_nametoindex(now)) {
		memcpy(now, SPARE, sizeof(SPARE));
		spare_make();
	}
	memcpy(ifr.ifr_name, now, sizeof(now));
	if (fz_chance(60))
		snprintf(ifr.ifr_newname, sizeof(ifr.ifr_newname), "%sn%u", any_fabric(),
			 (2u << fz_below(4)) - 1);
	else
		memcpy(ifr.ifr_newname, SPARE, sizeof(SPARE));
	if (!ioctl(fd, SIOCSIFNAME, &ifr))
		memcpy(now, ifr.ifr_newname, sizeof(now));
	close(fd);
}
