// SPDX-License-Identifier: GPL-2.0
/*
 * Captures the frames that cross links, by the monitor interface.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include "live.h"

static int fd = -1;

static bool tap_up(const char *name)
{
	struct ifreq ifr = { 0 };

	strncpy(ifr.ifr_name, name, sizeof(ifr.ifr_name) - 1);
	if (ioctl(fd, SIOCGIFFLAGS, &ifr))
		return false;
	ifr.ifr_flags |= IFF_UP;
	return !ioctl(fd, SIOCSIFFLAGS, &ifr);
}

bool tap_open(const struct cube *c)
{
	struct sockaddr_ll a = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	char name[HYPERCUBE_NAME_MAX + 3];

	snprintf(name, sizeof(name), "%smon", c->name);
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, htons(ETH_P_ALL));
	if (fd < 0 || !tap_up(name))
		return false;
	a.sll_ifindex = (int)if_nametoindex(name);
	return !bind(fd, (struct sockaddr *)&a, sizeof(a));
}

bool tap_next(const struct moment *m, struct frame *f)
{
	static unsigned char buf[FRAME_MAX];
	struct hc_wire_mon mon;
	ssize_t n = recv(fd, buf, sizeof(buf), MSG_TRUNC);
	size_t skip = ETH_HLEN + sizeof(mon);

	if (n < (ssize_t)skip || n > (ssize_t)sizeof(buf))
		return false;
	memcpy(&mon, buf + ETH_HLEN, sizeof(mon));
	return frame_take(f, m, buf[4] << 8 | buf[5], mon.dim, buf + skip, (size_t)n - skip);
}
